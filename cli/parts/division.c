/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/parts/division.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/memory.h"
#include "cli/parts/run.h"

/* Bytes of a segment, at least: each is flushed to the disk, so a scan in smaller ones would seem
 * to stand still. Tests set TRAWL_TEST_SEGMENT to have many segments of short texts. */
static const uint64_t LEAST_SEGMENT = UINT64_C(64) << 10;

enum {
    FLAG_FILES_FROM = 1400,
    FLAG_FILES0_FROM,
    FLAG_SHARD,
    FLAG_JOURNAL,
    FLAG_RESUME,
    FLAG_JOURNAL_SEGMENT,
    FLAG_SPLIT
};

const flag division_flags[] = {
    {FLAG_FILES_FROM, 0, "files-from", "LIST",
     "Also take the texts that the file LIST names (-: standard input), one a line, after those of "
     "the command line.",
     "Large texts"},
    {FLAG_FILES0_FROM, 0, "files0-from", "LIST",
     "The same with names that end with NUL, as 'find -print0' writes them.", NULL},
    {FLAG_SHARD, 0, "shard", "K/N",
     "Take only part K of N, 1/N to N/N: all N together find what one call finds. Parts have about "
     "the same number of bytes.",
     NULL},
    {FLAG_JOURNAL, 0, "journal", "DIR",
     "Write results to parts in the folder DIR, with a journal of what is finished; 'trawl cat "
     "DIR' then writes what this command would have written. With --shard: DIR/shard-K-of-N.",
     NULL},
    {FLAG_RESUME, 0, "resume", NULL,
     "Continue what was begun in DIR, if anything was; only what its journal lacks is scanned.",
     NULL},
    {FLAG_JOURNAL_SEGMENT, 0, "journal-segment", "SIZE",
     "With --journal: bytes of text that are finished together (default: by the size of the "
     "texts, 16M to 1G; at least 64K). Results do not depend on it.",
     NULL},
    {0},
};

const flag split_flags[] = {
    {FLAG_SPLIT, 0, "split", "HOW",
     "dynamic (the default): each rank takes the next segment when it has finished one; static: "
     "one "
     "range of the same length for each rank, which is read and then searched (Kouzinopoulos et "
     "al.).",
     "Ranks"},
    {0},
};

static int take_split(division_options *options, const arguments *args) {
    static const char *const names[] = {"dynamic", "static"};
    int choice = arguments_choose(args, names, sizeof names / sizeof names[0]);
    options->static_split = choice == 1;
    return choice < 0 ? FLAG_REFUSED : FLAG_TAKEN;
}

static int take_shard(division_options *options, const arguments *args) {
    char *end = NULL;
    char after = '\0';
    const char *value = args->value;
    if (value[0] >= '0' && value[0] <= '9' && strlen(value) < 24)
        options->shard = strtoull(value, &end, 10);
    bool sound = end != NULL && end[0] == '/' && end[1] >= '0' && end[1] <= '9' &&
                 sscanf(end + 1, "%" SCNu64 "%c", &options->shards, &after) == 1;
    if (sound && options->shard >= 1 && options->shard <= options->shards &&
        options->shards <= PARTS_MOST_SHARDS)
        return FLAG_TAKEN;
    (void)arguments_misuse(args->command,
                           "--shard %s: expected K/N with K from 1 to N, such as 3/16, and N up to "
                           "%" PRIu64,
                           value, (uint64_t)PARTS_MOST_SHARDS);
    return FLAG_REFUSED;
}

static int take_segment(division_options *options, const arguments *args) {
    uint64_t least = getenv("TRAWL_TEST_SEGMENT") != NULL ? 1 : LEAST_SEGMENT;
    return arguments_size(args, least, UINT64_C(1) << 50, &options->segment_bytes) ? FLAG_TAKEN
                                                                                   : FLAG_REFUSED;
}

int division_options_take(division_options *options, const arguments *args, int id) {
    switch (id) {
    case FLAG_FILES_FROM:
        string_list_add(&options->lists, args->value);
        return FLAG_TAKEN;
    case FLAG_FILES0_FROM:
        string_list_add(&options->lists0, args->value);
        return FLAG_TAKEN;
    case FLAG_SHARD:
        return take_shard(options, args);
    case FLAG_JOURNAL:
        options->journal = args->value;
        return FLAG_TAKEN;
    case FLAG_RESUME:
        options->resume = true;
        return FLAG_TAKEN;
    case FLAG_JOURNAL_SEGMENT:
        return take_segment(options, args);
    case FLAG_SPLIT:
        return take_split(options, args);
    default:
        return FLAG_NOT_MINE;
    }
}

bool division_options_check(const division_options *options, const command *of,
                            const char *output) {
    if (options->journal != NULL)
        return output == NULL ||
               arguments_conflict(of, "--journal", "-o", "'trawl cat DIR' writes the results");
    if (options->resume || options->segment_bytes != 0) {
        (void)arguments_misuse(of, "%s needs --journal DIR",
                               options->resume ? "--resume" : "--journal-segment");
        return false;
    }
    return true;
}

static bool has_stdin(const string_list *lists) {
    for (size_t i = 0; i < lists->count; i++) {
        if (strcmp(lists->items[i], "-") == 0)
            return true;
    }
    return false;
}

bool division_options_share_stdin(const division_options *options, const command *of, bool patterns,
                                  bool text) {
    bool names = has_stdin(&options->lists) || has_stdin(&options->lists0);
    if (patterns + text + names < 2)
        return true;
    (void)arguments_misuse(of, "standard input cannot be both %s and %s",
                           patterns ? "the patterns" : "a text",
                           names ? "the names of the texts" : "the text");
    return false;
}

char *division_folder(const division_options *division) {
    size_t size = strlen(division->journal) + 64;
    char *folder = allocate(size);
    if (division->shard == 0)
        (void)snprintf(folder, size, "%s", division->journal);
    else
        (void)snprintf(folder, size, "%s/shard-%" PRIu64 "-of-%" PRIu64, division->journal,
                       division->shard, division->shards);
    return folder;
}

bool division_exception(const division_options *options, file_exception *exception) {
    struct stat about;
    if (options->journal == NULL || stat(options->journal, &about) != 0)
        return false;
    *exception = (file_exception){about.st_dev, about.st_ino,
                                  "not searched, since it is the folder of the journal"};
    return true;
}

uint64_t division_default_segment(uint64_t bytes) {
    const uint64_t least = UINT64_C(16) << 20;
    const uint64_t most = UINT64_C(1) << 30;
    uint64_t share = bytes / 4096;
    return share < least ? least : share > most ? most : share;
}

void division_options_release(division_options *options) {
    free(options->lists.items);
    free(options->lists0.items);
}
