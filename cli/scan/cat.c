/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl cat: joins the parts of a scan with --journal, or of all its shards, to what one scan would
 * have written. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/flags/arguments.h"
#include "cli/parts/journal.h"
#include "cli/parts/lines.h"
#include "cli/parts/segments.h"
#include "cli/scan/command.h"
#include "cli/scan/totals.h"
#include "cli/scan/worker.h"
#include "io/output_file.h"

enum { FLAG_OUTPUT = 1 };

static const flag own_flags[] = {
    {FLAG_OUTPUT, 'o', "output", "FILE",
     "Write to FILE. FILE appears or changes only after everything has been written.", "Output"},
    {0},
};
static const flag *const cat_flags[] = {own_flags, NULL};

static const command cat_command = {
    .name = "cat",
    .summary = "write the results of a scan in parts",
    .usage =
        "  trawl cat [-o FILE] DIR...\n"
        "Writes what 'trawl scan' or 'trawl grep' would have written without --journal, byte for\n"
        "byte. DIR is the folder of a scan, or one with the folders of all shards, which may also "
        "be named\n"
        "one by one. All checksums are compared before anything is written.",
    .examples = "  trawl scan --journal parts -f words.txt big.txt && trawl cat parts\n"
                "  trawl cat -o matches.tsv parts/shard-*\n",
    .flags = cat_flags,
    .notes = "Exit status: 0 if there is a match, 1 if there is none, 2 after an error.\n",
};

/* The folders that are joined, in the order of their shards. */
typedef struct folders {
    struct part_folder {
        parts_journal journal;
        segment_list segments;
    } * items;
    size_t count;
} folders;
typedef struct part_folder part_folder;

/* ------------------------------------------------------------------ reading folders */

static bool add_folder(folders *all, const char *path) {
    all->items = reallocate(all->items, (all->count + 1) * sizeof *all->items);
    part_folder *added = &all->items[all->count++];
    *added = (part_folder){0};
    if (!journal_open(&added->journal, path, JOURNAL_READ, NULL, 0) ||
        !journal_has_enough(&added->journal))
        return false;
    segments_divide(&added->journal.run, &added->segments);
    return journal_read(&added->journal, added->segments.count, false);
}

/* Adds the folders of shards in a folder. */
static bool add_shards(folders *all, const char *path) {
    DIR *directory = opendir(path);
    if (directory == NULL) {
        report("%s: %s; expected a folder that 'trawl scan --journal' has written", path,
               strerror(errno));
        return false;
    }
    size_t before = all->count;
    bool sound = true;
    const struct dirent *entry = NULL;
    while (sound && (entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, "shard-", 6) != 0)
            continue;
        size_t size = strlen(path) + strlen(entry->d_name) + 2;
        char *shard = allocate(size);
        (void)snprintf(shard, size, "%s/%s", path, entry->d_name);
        sound = add_folder(all, shard);
        free(shard);
    }
    (void)closedir(directory);
    if (sound && all->count == before) {
        report("%s: expected a folder that 'trawl scan --journal' has written", path);
        return false;
    }
    return sound;
}

static int compare_shards(const void *left, const void *right) {
    uint64_t a = ((const part_folder *)left)->journal.run.identity.shard;
    uint64_t b = ((const part_folder *)right)->journal.run.identity.shard;
    return a < b ? -1 : a > b;
}

/* Whether the folders are all shards of one scan, each once. False after reporting. */
static bool complete(const folders *all) {
    const parts_run *first = &all->items[0].journal.run;
    for (size_t i = 0; i < all->count; i++) {
        const parts_journal *one = &all->items[i].journal;
        if (!parts_run_same(&one->run, first, one->folder, false))
            return false;
    }
    for (size_t i = 0; i < all->count || i < first->identity.shards; i++) {
        uint64_t shard = i < all->count ? all->items[i].journal.run.identity.shard : 0;
        if (first->identity.division == PARTS_PAPER && i == 0 && all->count == 1)
            return true; /* one folder for all shards */
        if (shard == i + 1)
            continue;
        if (i > 0 && i < all->count && shard == i)
            report("%s: shard %" PRIu64 " is there twice", all->items[i].journal.folder, shard);
        else
            report("%s: shard %zu of %" PRIu64 " is missing", all->items[0].journal.folder, i + 1,
                   first->identity.shards);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ joining */

/* A journal_on_bytes whose context is the output. */
static bool write_bytes(void *context, const uint8_t *bytes, size_t length) {
    output_file_write(context, bytes, length);
    return !output_file_failed(context);
}

static bool damaged(const parts_journal *journal, size_t segment) {
    report("%s: the result of segment %zu is not of this kind of scan", journal->folder, segment);
    return false;
}

/* The text whose count is not complete yet. */
typedef struct open_count {
    const parts_text *text;
    size_t index;
    uint64_t matches;
} open_count;

static void write_count(const scan_plan *plan, open_count *open) {
    if (open->text == NULL)
        return;
    size_t length = 0;
    char *line = count_line(plan, open->text->name, open->matches, &length);
    output_file_write(plan->output, line, length);
    free(line);
}

/* Adds the counts of one segment. */
static bool join_counts(const scan_plan *plan, const part_folder *folder, size_t segment,
                        open_count *open) {
    size_t count = 0;
    const parts_piece *pieces = segment_pieces(&folder->segments, segment, &count);
    if (folder->journal.places[segment].record.length != count * sizeof(uint64_t))
        return damaged(&folder->journal, segment);
    uint8_t *result = journal_result(&folder->journal, segment);
    for (size_t i = 0; result != NULL && i < count; i++) {
        uint64_t matches = 0;
        memcpy(&matches, result + i * sizeof matches, sizeof matches);
        if (open->text == NULL || open->index != pieces[i].text) {
            write_count(plan, open);
            *open = (open_count){&folder->journal.run.texts[pieces[i].text], pieces[i].text, 0};
        }
        open->matches += matches;
    }
    free(result);
    return result != NULL;
}

/* One pattern of the most frequent ones. */
typedef struct tally_row {
    uint64_t count;
    char *label; /* owned; NULL: the pattern has no match */
    size_t length;
} tally_row;

/* All patterns, by id: chunks of rows, made when a pattern of them has a match, so that a damaged
 * id costs one chunk. */
enum { TALLY_ROWS = 1 << 12, TALLY_CHUNKS = 1 << 20 };

typedef struct tally {
    tally_row **chunks; /* TALLY_CHUNKS of them, NULL where there is none; owned */
    size_t rows;        /* that have a match */
} tally;

static tally_row *row_of(const tally *sums, uint32_t id) {
    return &sums->chunks[id / TALLY_ROWS][id % TALLY_ROWS];
}

static void add_row(tally *sums, const segment_row *row, const uint8_t *label) {
    if (sums->chunks == NULL)
        sums->chunks = allocate_zeros(TALLY_CHUNKS * sizeof *sums->chunks);
    tally_row **chunk = &sums->chunks[row->id / TALLY_ROWS];
    if (*chunk == NULL)
        *chunk = allocate_zeros(TALLY_ROWS * sizeof **chunk);
    tally_row *sum = row_of(sums, row->id);
    sum->count += row->count;
    if (sum->label == NULL) {
        sums->rows++;
        sum->label = allocate((size_t)row->length + 1);
        memcpy(sum->label, label, row->length);
        sum->length = row->length;
    }
}

static void release_tally(tally *sums) {
    for (size_t i = 0; sums->chunks != NULL && i < TALLY_CHUNKS; i++) {
        for (size_t k = 0; sums->chunks[i] != NULL && k < TALLY_ROWS; k++)
            free(sums->chunks[i][k].label);
        free(sums->chunks[i]);
    }
    free(sums->chunks);
}

/* Adds the rows of one segment. */
static bool join_rows(const part_folder *folder, size_t segment, tally *sums) {
    size_t length = (size_t)folder->journal.places[segment].record.length;
    uint8_t *result = journal_result(&folder->journal, segment);
    bool sound = result != NULL;
    for (size_t at = 0; sound && at < length;) {
        segment_row row;
        if (length - at < sizeof row)
            sound = damaged(&folder->journal, segment);
        else
            memcpy(&row, result + at, sizeof row);
        if (sound && length - at - sizeof row < row.length)
            sound = damaged(&folder->journal, segment);
        if (sound) {
            add_row(sums, &row, result + at + sizeof row);
            at += sizeof row + row.length;
        }
    }
    free(result);
    return sound;
}

/* A top_label. */
static char *label_of_tally(const void *context, uint32_t id, size_t *length) {
    const tally_row *row = row_of(context, id);
    char *label = allocate(row->length + 1);
    memcpy(label, row->label, row->length);
    *length = row->length;
    return label;
}

static void write_tally(const scan_plan *plan, const tally *sums) {
    top_row *rows = allocate(sums->rows * sizeof *rows + 1);
    size_t count = 0;
    for (size_t i = 0; sums->chunks != NULL && i < TALLY_CHUNKS; i++) {
        for (size_t k = 0; sums->chunks[i] != NULL && k < TALLY_ROWS; k++) {
            if (sums->chunks[i][k].label != NULL)
                rows[count++] = (top_row){sums->chunks[i][k].count, (uint32_t)(i * TALLY_ROWS + k)};
        }
    }
    top_write_rows(plan, rows, count, label_of_tally, sums);
    free(rows);
}

/* Writes everything. False after reporting, and after a failed write. */
static bool join(const folders *all, const scan_plan *plan) {
    record_kind kind = plan->options->kind;
    open_count open = {0};
    tally sums = {0};
    bool sound = true;
    for (size_t i = 0; sound && i < all->count; i++) {
        const part_folder *folder = &all->items[i];
        if (kind == RECORD_MATCHES)
            sound = journal_copy_parts(&folder->journal, write_bytes, plan->output);
        for (size_t s = 0; kind != RECORD_MATCHES && sound && s < folder->segments.count; s++)
            sound = kind == RECORD_COUNTS ? join_counts(plan, folder, s, &open)
                                          : join_rows(folder, s, &sums);
    }
    if (sound && kind == RECORD_COUNTS)
        write_count(plan, &open);
    if (sound && kind == RECORD_TOP)
        write_tally(plan, &sums);
    release_tally(&sums);
    return sound;
}

/* Writes the lines of grep. Sets *matched if a line was selected. */
static bool join_lines(const folders *all, output_file *output, bool *matched) {
    lines_joiner joiner;
    bool sound = true;
    lines_joiner_open(&joiner, (lines_mode)all->items[0].journal.run.identity.format, output);
    for (size_t i = 0; sound && i < all->count; i++)
        sound = journal_copy_parts(&all->items[i].journal, lines_joiner_take, &joiner);
    *matched = joiner.matched;
    bool complete = lines_joiner_close(&joiner);
    if (!complete && !output_file_failed(output))
        report("%s: has results that are not of 'trawl grep'", all->items[0].journal.folder);
    return sound && complete;
}

/* ------------------------------------------------------------------ the command */

static int write_results(const folders *all, const char *path) {
    const parts_identity *identity = &all->items[0].journal.run.identity;
    scan_options options = {.kind = (record_kind)identity->kind,
                            .format = (record_format)identity->format,
                            .top = identity->top,
                            .output = path};
    scan_plan plan = {.options = &options, .several = identity->several != 0};
    uint64_t matches = 0;
    for (size_t i = 0; i < all->count; i++) {
        const parts_journal *one = &all->items[i].journal;
        if (!journal_check_parts(one))
            return EXIT_ERROR;
        matches += journal_matches(one);
    }
    trawl_error error;
    if (output_file_open(path, &plan.output, &error) != TRAWL_OK)
        return report_error(&error);
    bool matched = matches != 0;
    bool joined =
        identity->kind == PARTS_LINES ? join_lines(all, plan.output, &matched) : join(all, &plan);
    if (!joined && !output_file_failed(plan.output)) {
        output_file_abandon(plan.output);
        return EXIT_ERROR;
    }
    if (output_file_close(plan.output, &error) != TRAWL_OK)
        return report_error(&error);
    return matched ? EXIT_MATCHED : EXIT_NOTHING;
}

/* Whether the output would replace a file of one of the folders. Reports it. */
static bool replaces_part(const folders *all, const char *output) {
    static const char *const names[] = {"run", "lock", "part-", "journal-"};
    struct stat of, parent;
    char *path = output == NULL || strcmp(output, "-") == 0 ? NULL : realpath(output, NULL);
    char *slash = path == NULL ? NULL : strrchr(path, '/');
    bool found = false, named = false;
    for (size_t i = 0; slash != NULL && i < sizeof names / sizeof names[0]; i++)
        named = named || strncmp(slash + 1, names[i], strlen(names[i])) == 0;
    if (named) {
        slash[slash == path] = '\0'; /* the file's folder */
        named = stat(path, &parent) == 0;
    }
    for (size_t i = 0; named && i < all->count && !found; i++)
        found = stat(all->items[i].journal.folder, &of) == 0 && of.st_dev == parent.st_dev &&
                of.st_ino == parent.st_ino;
    if (found)
        report("%s: is a part of the scan, which the output would replace; expected another file "
               "after -o",
               output);
    free(path);
    return found;
}

static int cat(const string_list *paths, const char *output) {
    folders all = {0};
    bool sound = true;
    for (size_t i = 0; sound && i < paths->count; i++)
        sound = journal_exists(paths->items[i]) ? add_folder(&all, paths->items[i])
                                                : add_shards(&all, paths->items[i]);
    if (sound)
        qsort(all.items, all.count, sizeof *all.items, compare_shards);
    int status = sound && complete(&all) && !replaces_part(&all, output)
                     ? write_results(&all, output)
                     : EXIT_ERROR;
    for (size_t i = 0; i < all.count; i++) {
        segments_release(&all.items[i].segments);
        journal_close(&all.items[i].journal);
    }
    free(all.items);
    return status;
}

int trawl_command_cat(int argc, char **argv) {
    arguments args;
    string_list paths = {0};
    const char *output = NULL;
    int status = EXIT_ERROR;
    int id = ARGUMENTS_END;
    arguments_begin(&args, &cat_command, argc, argv);
    while ((id = arguments_next(&args)) == ARGUMENTS_OPERAND || id == FLAG_OUTPUT) {
        if (id == ARGUMENTS_OPERAND)
            string_list_add(&paths, args.value);
        else
            output = args.value;
    }
    if (id == ARGUMENTS_HELP)
        status = EXIT_MATCHED;
    else if (id == ARGUMENTS_END && paths.count == 0)
        (void)arguments_misuse(&cat_command, "expected the folder of a scan with --journal");
    else if (id == ARGUMENTS_END)
        status = cat(&paths, output);
    free(paths.items);
    return status;
}
