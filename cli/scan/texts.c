/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/texts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/memory.h"
#include "cli/flags/overwrite.h"
#include "cli/parts/list.h"
#include "trawl/trawl.h"

/* One thread decompresses a text, so several compressed texts are scanned side by side, even large
 * ones. The name decides only that; whether a text is decompressed depends on its content. */
static bool looks_compressed(const char *path) {
    static const char *const ends[] = {".gz", ".zst", ".xz"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && strcmp(path + length - end, ends[i]) == 0)
            return true;
    }
    return false;
}

static int add(const char *path, void *context) {
    scan_texts *texts = context;
    if (texts->count == texts->capacity) {
        texts->capacity = texts->capacity == 0 ? 64 : texts->capacity * 2;
        texts->items = reallocate(texts->items, texts->capacity * sizeof *texts->items);
    }
    scan_entry *entry = &texts->items[texts->count++];
    *entry = (scan_entry){.path = string_copy(path), .end = UINT64_MAX, .alone = true};
    struct stat information;
    if (strcmp(path, "-") != 0 && stat(path, &information) == 0 && S_ISREG(information.st_mode)) {
        entry->stored_bytes = (uint64_t)information.st_size;
        entry->changed = information.st_mtim;
        entry->alone = entry->stored_bytes > SCAN_SMALL_TEXT && !looks_compressed(path);
    }
    return 0;
}

static void collect(scan_texts *texts, const char *operand, const scan_options *options) {
    texts->failed = !file_options_visit(&options->files, operand, add, texts) || texts->failed;
}

/* Whether a text that a list names is not standard input, or that has not been read before. False
 * after reporting. */
static bool stdin_is_left(const char *name, const scan_options *options) {
    return strcmp(name, "-") != 0 ||
           division_options_share_stdin(&options->division, &scan_command,
                                        pattern_options_use_stdin(&options->patterns), true);
}

/* The texts that a list names. */
static void collect_list(scan_texts *texts, const char *path, char separator,
                         const scan_options *options) {
    text_list list;
    if (text_list_read(&list, path, separator)) {
        for (size_t i = 0; i < list.count && !texts->refused; i++) {
            texts->refused = output_overwrites_text(options->output, list.names[i]) ||
                             !stdin_is_left(list.names[i], options);
            if (!texts->refused)
                collect(texts, list.names[i], options);
        }
    } else {
        texts->failed = true;
    }
    text_list_release(&list);
}

void scan_texts_collect(scan_texts *texts, const scan_options *options) {
    const division_options *division = &options->division;
    bool lists = division->lists.count != 0 || division->lists0.count != 0;
    *texts = (scan_texts){0};
    if (!lists || options->files.texts.count != 0)
        texts->failed = !file_options_visit_all(&options->files, add, texts);
    for (size_t i = 0; i < division->lists.count; i++)
        collect_list(texts, division->lists.items[i], '\n', options);
    for (size_t i = 0; i < division->lists0.count; i++)
        collect_list(texts, division->lists0.items[i], '\0', options);
    texts->several =
        texts->count > 1 || options->files.texts.count > 1 || options->files.recursive || lists;
    for (size_t i = 0; i < texts->count; i++) {
        if (texts->items[i].stored_bytes == 0 && texts->items[i].alone) {
            texts->stored_bytes = 0;
            return;
        }
        texts->stored_bytes += texts->items[i].stored_bytes;
    }
}

void scan_texts_release(scan_texts *texts) {
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i].path);
    free(texts->items);
}
