/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/replace/texts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/crowd.h"
#include "cli/base/names.h"
#include "cli/base/report.h"
#include "cli/replace/text.h"

/* Bytes of a result that a thread gathers before it waits to write them. */
#define MOST_GATHERED ((size_t)1 << 20)

/* Bytes of the counters that threads have for each pattern, at most. */
#define MOST_COUNTERS ((uint64_t)1 << 30)

typedef struct text_entry {
    char *path;
    bool is_small; /* a regular file; a compressed one may have a large text */
} text_entry;

struct replacing_texts {
    text_entry *items;
    size_t count, capacity;
};

/* One thread of several that work side by side, or the only one. */
typedef struct member {
    const replacing *job;
    const text_entry *entries;
    text_replacer texts;
    uint64_t *per_pattern;
    crowd *crowd; /* NULL: the only one */
    size_t text;  /* the index of its text */
    char *bytes;  /* gathered of the result of that */
    size_t length, capacity;
    uint64_t replaced; /* sum over its texts */
    bool failed;
} member;

/* ------------------------------------------------------------------ texts */

static int add_entry(const char *path, void *context) {
    replacing_texts *entries = context;
    if (entries->count == entries->capacity) {
        entries->capacity = entries->capacity == 0 ? 64 : entries->capacity * 2;
        entries->items = reallocate(entries->items, entries->capacity * sizeof *entries->items);
    }
    struct stat about;
    bool is_small = strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
                    (uint64_t)about.st_size <= REPLACE_SMALL_TEXT;
    entries->items[entries->count++] = (text_entry){string_copy(path), is_small};
    return 0;
}

/* An entry and its place in the list. */
typedef struct real_name {
    char *name; /* owned */
    size_t index;
} real_name;

static int compare_names(const void *left, const void *right) {
    const real_name *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : a->index < b->index ? -1 : a->index > b->index;
}

/* Keeps only the first of the entries that lead to one file: changed twice at once, it would hold
 * the result of either. Hard links stay, since each of them becomes a file of its own. */
static void drop_repeated(replacing_texts *all) {
    real_name *names = allocate(all->count * sizeof *names);
    for (size_t i = 0; i < all->count; i++) {
        char *resolved = realpath(all->items[i].path, NULL);
        names[i].name = resolved != NULL ? resolved : string_copy(all->items[i].path);
        names[i].index = i;
    }
    qsort(names, all->count, sizeof *names, compare_names);
    for (size_t i = 1; i < all->count; i++) {
        char **path = &all->items[names[i].index].path;
        if (strcmp(names[i].name, names[i - 1].name) != 0)
            continue;
        free(*path);
        *path = NULL;
    }
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        free(names[i].name);
        if (all->items[i].path != NULL)
            all->items[kept++] = all->items[i];
    }
    all->count = kept;
    free(names);
}

replacing_texts *replacing_list(replacing *job) {
    replacing_texts *all = allocate_zeros(sizeof *all);
    job->failed = !file_options_visit_all(&job->options->files, add_entry, all);
    if (job->options->in_place)
        drop_repeated(all);
    return all;
}

void replacing_texts_free(replacing_texts *texts) {
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i].path);
    free(texts->items);
    free(texts);
}

static void gather(member *self, const void *bytes, size_t length) {
    if (length > self->capacity - self->length) {
        self->capacity = 2 * (self->length + length);
        self->bytes = reallocate(self->bytes, self->capacity);
    }
    memcpy(self->bytes + self->length, bytes, length);
    self->length += length;
}

/* A trawl_on_bytes for a text whose turn to be written may not have come. */
static int write_in_turn(const void *bytes, size_t length, void *context) {
    member *self = context;
    if (self->length + length <= MOST_GATHERED) {
        gather(self, bytes, length);
        return 0;
    }
    output_file *output = crowd_await_turn(self->crowd, self->text);
    output_file_write(output, self->bytes, self->length);
    output_file_write(output, bytes, length);
    self->length = 0;
    return output_file_failed(output);
}

/* A trawl_on_bytes for nothing. */
static int drop(const void *bytes, size_t length, void *context) {
    (void)bytes;
    (void)length;
    (void)context;
    return 0;
}

/* The line of -c, without the text's name if it is the only one. */
static void gather_count(member *self, const char *path, uint64_t replaced) {
    const file_options *files = &self->job->options->files;
    char digits[24];
    if (files->recursive || files->texts.count > 1) {
        size_t bytes = strlen(path);
        char *name = allocate(4 * bytes + 1);
        gather(self, name, name_in_table(path, bytes, name));
        gather(self, ":", 1);
        free(name);
    }
    size_t length = output_decimal(replaced, digits);
    digits[length] = '\n';
    gather(self, digits, length + 1);
}

static void replace_text(member *self, size_t index) {
    const char *path = self->entries[index].path;
    uint64_t replaced = 0;
    self->text = index;
    bool good = text_replacer_run(&self->texts, path, &replaced);
    self->failed = self->failed || !good;
    self->replaced += replaced;
    if (good && self->job->options->count)
        gather_count(self, path, replaced);
}

/* ------------------------------------------------------------------ threads */

static bool open_member(member *self, const replacing *job, const text_entry *entries,
                        bool is_only) {
    const replace_options *options = job->options;
    bool prints = options->count || options->dry_run;
    *self = (member){.job = job, .entries = entries, .per_pattern = job->per_pattern};
    if (!is_only && job->per_pattern != NULL) {
        self->per_pattern = allocate(job->patterns * sizeof *self->per_pattern);
        memset(self->per_pattern, 0, job->patterns * sizeof *self->per_pattern);
    }
    self->texts = (text_replacer){.in_place = options->in_place,
                                  .to_standard_output =
                                      !prints && !options->in_place && job->output->path == NULL,
                                  .several_threads = is_only && job->threads > 1,
                                  .output = is_only && !prints ? job->output : NULL,
                                  .on_bytes = prints    ? drop
                                              : is_only ? output_file_take
                                                        : write_in_turn,
                                  .context = is_only ? (void *)job->output : (void *)self};
    return replacing_open(job, is_only ? job->threads : 1, self->per_pattern,
                          &self->texts.replacer);
}

static void close_member(member *self, replacing *job) {
    job->replaced += self->replaced;
    job->failed = job->failed || self->failed;
    if (self->per_pattern != job->per_pattern) {
        for (size_t i = 0; i < job->patterns; i++)
            job->per_pattern[i] += self->per_pattern[i];
        free(self->per_pattern);
    }
    trawl_replacer_close(self->texts.replacer);
    text_replacer_release(&self->texts);
    free(self->bytes);
}

/* A crowd_work. */
static void work(crowd *all, void *context, size_t index) {
    member *self = context;
    self->crowd = all;
    replace_text(self, index);
    char *bytes = self->length == 0 ? NULL : allocate(self->length);
    if (bytes != NULL)
        memcpy(bytes, self->bytes, self->length);
    crowd_finish(all, index, bytes, self->length);
    self->length = 0;
}

static void replace_side_by_side(replacing *job, const text_entry *entries, size_t count) {
    size_t threads = job->threads < count ? job->threads : count, opened = 0;
    /* Each thread has a file open for writing, and their number is limited. */
    if (job->options->in_place && threads > OUTPUT_FILES_AT_ONCE)
        threads = OUTPUT_FILES_AT_ONCE;
    member *members = allocate(threads * sizeof *members);
    while (opened < threads && open_member(&members[opened], job, entries, false))
        opened++;
    if (opened == threads)
        crowd_run(job->output, count, work, members, sizeof *members, threads);
    else
        close_member(&members[opened], job);
    job->failed = job->failed || opened < threads;
    for (size_t i = 0; i < opened; i++)
        close_member(&members[i], job);
    free(members);
}

/* Whether small texts are replaced side by side. Each thread then needs counters of its own. */
static bool may_go_side_by_side(const replacing *job) {
    uint64_t counters = job->per_pattern == NULL ? 0 : (uint64_t)job->patterns * job->threads;
    return job->threads > 1 && counters * sizeof(uint64_t) <= MOST_COUNTERS;
}

void replacing_run(replacing *job, const replacing_texts *texts) {
    member alone;
    bool side_by_side = may_go_side_by_side(job);
    if (!open_member(&alone, job, texts->items, true)) {
        job->failed = true;
        close_member(&alone, job);
        return;
    }
    /* When the output of all texts cannot be written, the rest would be lost. */
    for (size_t i = 0; i < texts->count && !output_file_failed(job->output);) {
        size_t end = i;
        while (end < texts->count && texts->items[end].is_small)
            end++;
        if (end - i >= 2 && side_by_side) {
            replace_side_by_side(job, texts->items + i, end - i);
            i = end;
        } else {
            replace_text(&alone, i++);
            output_file_write(job->output, alone.bytes, alone.length);
            alone.length = 0;
        }
    }
    close_member(&alone, job);
}
