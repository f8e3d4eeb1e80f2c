/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/parts/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"

static const char magic[8] = {'t', 'r', 'a', 'w', 'l', 'r', 'u', 'n'};

enum { TEXT_NUMBERS = 5 }; /* of each text, before its name */

/* Of all texts: more than file systems hold, and room to calculate. */
static const uint64_t MOST_BYTES = UINT64_C(1) << 62;

void parts_run_add(parts_run *run, const parts_text *text) {
    if ((run->count & (run->count - 1)) == 0) /* the array is full: 0, 1, 2, 4, 8, ... texts */
        run->texts =
            reallocate(run->texts, (run->count == 0 ? 1 : 2 * run->count) * sizeof *run->texts);
    run->texts[run->count] = *text;
    run->texts[run->count++].name = string_copy(text->name);
}

void parts_run_release(parts_run *run) {
    for (size_t i = 0; i < run->count; i++)
        free(run->texts[i].name);
    free(run->texts);
    *run = (parts_run){0};
}

/* ------------------------------------------------------------------ as bytes */

static uint8_t *put(uint8_t *to, const void *from, size_t length) {
    memcpy(to, from, length);
    return to + length;
}

uint8_t *parts_run_write(const parts_run *run, size_t *length) {
    size_t size = sizeof magic + sizeof run->version + sizeof run->identity + sizeof(uint64_t);
    for (size_t i = 0; i < run->count; i++)
        size += TEXT_NUMBERS * sizeof(uint64_t) + strlen(run->texts[i].name);
    uint8_t *bytes = allocate(size + sizeof(uint64_t));
    uint64_t count = run->count;
    uint8_t *at = put(bytes, magic, sizeof magic);
    at = put(at, run->version, sizeof run->version);
    at = put(at, &run->identity, sizeof run->identity);
    at = put(at, &count, sizeof count);
    for (size_t i = 0; i < run->count; i++) {
        const parts_text *text = &run->texts[i];
        uint64_t numbers[TEXT_NUMBERS] = {text->bytes, text->seconds, text->nanoseconds,
                                          text->whole, strlen(text->name)};
        at = put(at, numbers, sizeof numbers);
    }
    for (size_t i = 0; i < run->count; i++)
        at = put(at, run->texts[i].name, strlen(run->texts[i].name));
    uint64_t checksum = XXH3_64bits(bytes, size);
    (void)put(at, &checksum, sizeof checksum);
    *length = size + sizeof checksum;
    return bytes;
}

uint64_t parts_run_name(const uint8_t *bytes, size_t length) {
    uint64_t checksum = 0;
    memcpy(&checksum, bytes + length - sizeof checksum, sizeof checksum);
    return checksum;
}

/* Takes the next bytes; false if there are fewer. */
static bool take(const uint8_t **at, const uint8_t *end, void *to, size_t length) {
    if ((size_t)(end - *at) < length)
        return false;
    memcpy(to, *at, length);
    *at += length;
    return true;
}

static bool read_texts(parts_run *run, const uint8_t *at, const uint8_t *end) {
    uint64_t count = 0;
    uint64_t bytes = 0;
    if (!take(&at, end, &count, sizeof count) ||
        count > (size_t)(end - at) / (TEXT_NUMBERS * sizeof(uint64_t)))
        return false;
    const uint8_t *names = at + count * TEXT_NUMBERS * sizeof(uint64_t);
    run->texts = allocate(count * sizeof *run->texts + 1);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t numbers[TEXT_NUMBERS];
        if (!take(&at, end, numbers, sizeof numbers) || numbers[4] > (size_t)(end - names) ||
            numbers[0] > MOST_BYTES - bytes)
            return false;
        bytes += numbers[0];
        char *name = allocate(numbers[4] + 1);
        memcpy(name, names, numbers[4]);
        name[numbers[4]] = '\0';
        names += numbers[4];
        run->texts[run->count++] =
            (parts_text){name, numbers[0], numbers[1], numbers[2], numbers[3] != 0};
    }
    return names == end;
}

/* Whether texts can be divided in this way. Only a forged file says otherwise. */
static bool is_sound(const parts_identity *identity) {
    return identity->segment != 0 && identity->shards != 0 &&
           identity->shards <= PARTS_MOST_SHARDS && identity->shard <= identity->shards &&
           (identity->shard != 0 || identity->division == PARTS_PAPER);
}

bool parts_run_read(parts_run *run, const uint8_t *bytes, size_t length, const char *path) {
    *run = (parts_run){0};
    const uint8_t *at = bytes;
    const uint8_t *end = bytes + length;
    char found[sizeof magic];
    if (!take(&at, end, found, sizeof found) || memcmp(found, magic, sizeof magic) != 0 ||
        !take(&at, end, run->version, sizeof run->version) ||
        !take(&at, end, &run->identity, sizeof run->identity) ||
        (size_t)(end - at) < 2 * sizeof(uint64_t) ||
        XXH3_64bits(bytes, length - sizeof(uint64_t)) != parts_run_name(bytes, length) ||
        !is_sound(&run->identity) || !read_texts(run, at, end - sizeof(uint64_t))) {
        report("%s: is damaged, or was not written by 'trawl scan --journal'", path);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ comparing */

static bool differ(const char *folder, const char *what) {
    report("%s: was begun with %s; take another folder, or the command that began it", folder,
           what);
    return false;
}

static bool same_options(const parts_identity *a, const parts_identity *b, const char *folder,
                         bool shard) {
    if (a->patterns != b->patterns)
        return differ(folder, "other patterns");
    if (a->matches != b->matches)
        return differ(folder, "another kind of matches (--matches)");
    if ((a->kind == PARTS_LINES) != (b->kind == PARTS_LINES))
        return differ(folder, a->kind == PARTS_LINES ? "'trawl grep'" : "'trawl scan'");
    if (a->kind == PARTS_LINES && (a->format != b->format || a->options != b->options))
        return differ(folder, "other options of grep");
    if (a->kind != b->kind || a->format != b->format || a->with_pattern != b->with_pattern ||
        a->top != b->top || a->several != b->several)
        return differ(folder, "other options for the output (--format, -c, --top, --no-pattern)");
    if (a->shards != b->shards || (shard && a->shard != b->shard) || a->division != b->division)
        return differ(folder, "another division of the texts (--shard, or the number of ranks)");
    if (a->segment != b->segment)
        return differ(folder, "another --journal-segment");
    return a->whole == b->whole || differ(folder, "other options");
}

static bool same_time(const parts_text *a, const parts_text *b) {
    return a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

bool parts_run_same(const parts_run *found, const parts_run *wanted, const char *folder,
                    bool shard) {
    if (memcmp(found->version, wanted->version, sizeof found->version) != 0) {
        report("%s: was begun by trawl %.16s, this is %.16s; take the same version", folder,
               found->version, wanted->version);
        return false;
    }
    if (!same_options(&found->identity, &wanted->identity, folder, shard))
        return false;
    if (found->count != wanted->count) {
        report("%s: was begun with %zu texts, now there are %zu", folder, found->count,
               wanted->count);
        return false;
    }
    for (size_t i = 0; i < found->count; i++) {
        const parts_text *a = &found->texts[i];
        const parts_text *b = &wanted->texts[i];
        if (strcmp(a->name, b->name) != 0) {
            report("%s: was begun with other texts: %s was where %s is", folder, a->name, b->name);
            return false;
        }
        if (a->bytes != b->bytes || !same_time(a, b) || a->whole != b->whole) {
            report("%s: text %s has changed since the scan was begun", folder, a->name);
            return false;
        }
    }
    return true;
}

bool parts_text_unchanged(const parts_text *text, atomic_bool *told) {
    struct stat now;
    if (stat(text->name, &now) != 0) {
        report_once(told, "text %s: %s", text->name, strerror(errno));
        return false;
    }
    if ((uint64_t)now.st_size == text->bytes && (uint64_t)now.st_mtim.tv_sec == text->seconds &&
        (uint64_t)now.st_mtim.tv_nsec == text->nanoseconds)
        return true;
    report_once(told, "text %s: changed while it was scanned", text->name);
    return false;
}
