/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl index query: patterns against an index file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/clock.h"
#include "cli/base/json_text.h"
#include "cli/base/memory.h"
#include "cli/base/names.h"
#include "cli/base/report.h"
#include "cli/base/stats.h"
#include "cli/flags/arguments.h"
#include "cli/flags/overwrite.h"
#include "cli/flags/patterns.h"
#include "cli/index/command.h"
#include "io/output_file.h"
#include "trawl/trawl_index.h"

enum {
    FLAG_DOCUMENTS = 1,
    FLAG_COUNT,
    FLAG_POSITIONS,
    FLAG_TOP,
    FLAG_FORMAT,
    FLAG_NO_PATTERN,
    FLAG_OUTPUT,
    FLAG_STATS
};

static const flag query_flags[] = {
    {FLAG_DOCUMENTS, 0, "documents", NULL,
     "Print a line for each document that contains a pattern (the default): id, document.",
     "Output"},
    {FLAG_COUNT, 'c', "count", NULL, "Print a line for each pattern: id, occurrences, documents.",
     NULL},
    {FLAG_POSITIONS, 0, "positions", NULL,
     "Print a line for each occurrence, as scan does: file, start, end, id, and the pattern's name "
     "or the pattern; of patterns with groups also the group, and with values the value.",
     NULL},
    {FLAG_TOP, 0, "top", "K",
     "Print the K documents with most occurrences of each pattern: id, occurrences, document.",
     NULL},
    {FLAG_FORMAT, 0, "format", "FORMAT",
     "tsv (the default): columns separated by tabs; jsonl: a JSON object on each line.", NULL},
    {FLAG_NO_PATTERN, 0, "no-pattern", NULL,
     "With --positions: leave out the column of names or patterns.", NULL},
    {FLAG_OUTPUT, 'o', "output", "FILE",
     "Write to FILE. FILE appears or changes only after everything has been written.", NULL},
    {FLAG_STATS, 0, "stats", NULL,
     "Write sizes and times to standard error: on a terminal a line for each, elsewhere one JSON "
     "object.",
     NULL},
    {0},
};

static const flag *const all_flags[] = {pattern_flags, pattern_format_flags, pattern_crlf_flags,
                                        query_flags, NULL};

/* What 'trawl scan' has, but an index does not. */
static const foreign_flag scan_flags[] = {
    {'i', "ignore-case", "an index compares bytes; 'trawl scan -i' finds patterns in any case"},
    {'w', "word", "an index finds all occurrences; 'trawl scan -w' finds words"},
    {0},
};

static const command query_command = {
    .name = "index query",
    .summary = "find patterns in an index",
    .usage = "  trawl index query X.tix [FLAGS] -f FILE|-e PATTERN",
    .examples = "  trawl index query docs.tix -e fox               documents that contain fox\n"
                "  trawl index query docs.tix --count -f words.txt\n"
                "  trawl index query docs.tix --top 5 -e fox       where it is most frequent\n"
                "  trawl index query docs.tix --positions -e fox   every occurrence\n",
    .flags = all_flags,
    .notes =
        "Lines are ordered by id, then document, then start. An index compares bytes and finds\n"
        "every occurrence: patterns of a tsv file with flag i or with conditions are refused, as\n"
        "'trawl scan' has them.\n"
        "\n"
        "Exit status: 0 if a pattern occurs, 1 if none does, 2 after an error.\n",
    .foreign = scan_flags,
};

typedef struct querying {
    const char *path;
    pattern_options patterns;
    int kind; /* one of the first four flags */
    uint64_t top;
    bool jsonl;
    bool with_pattern;
    bool stats;
    const char *output_path;
    /* while it runs */
    trawl_patterns *set;
    bool with_groups, with_values; /* some pattern has one: columns, as scan has them */
    trawl_index *index;
    trawl_index_search *search;
    output_file *output;
    uint64_t occurrences;
    /* of the pattern in hand */
    uint32_t id;
    size_t length;
    char *label;
    size_t label_length;
    /* of the document in hand */
    uint32_t document;
    char *name;
    size_t name_length;
} querying;

/* ------------------------------------------------------------------ columns */

/* Makes the document's name as it is written. */
static trawl_status name_document(querying *job, uint32_t number, trawl_error *error) {
    trawl_index_document document = TRAWL_INDEX_DOCUMENT;
    if (job->name != NULL && job->document == number)
        return TRAWL_OK;
    trawl_status status = trawl_index_get_document(job->index, number, &document, error);
    if (status != TRAWL_OK)
        return status;
    job->document = number;
    job->name = reallocate(job->name, json_text_bound(document.name_length));
    if (job->jsonl) {
        job->name_length = json_text(document.name, document.name_length, job->name);
    } else {
        job->name_length = name_in_table(document.name, document.name_length, job->name);
    }
    return TRAWL_OK;
}

/* Writes the columns behind the name or pattern to job->label; returns the new length. */
static size_t append_details(querying *job, const trawl_pattern *pattern, size_t at) {
    if (job->with_groups) {
        at = text_append(job->label, at, job->jsonl ? ",\"group\":" : "\t");
        at += output_decimal(pattern->group, job->label + at);
    }
    if (job->with_values && job->jsonl && pattern->value != NULL) {
        at = text_append(job->label, at, ",\"value\":");
        at += json_text(pattern->value, pattern->value_length, job->label + at);
    } else if (job->with_values && !job->jsonl) {
        job->label[at++] = '\t';
        at += pattern_escape(pattern->value, pattern->value_length, job->label + at);
    }
    return at;
}

/* What follows the id in a line of --positions. */
static void make_label(querying *job, const trawl_pattern *pattern) {
    size_t at = 0;
    job->label = reallocate(job->label, 128 + json_text_bound(pattern->length) +
                                            json_text_bound(pattern->name_length) +
                                            json_text_bound(pattern->value_length));
    if (job->with_pattern && job->jsonl) {
        if (pattern->name != NULL) {
            at = text_append(job->label, at, ",\"name\":");
            at += json_text(pattern->name, pattern->name_length, job->label + at);
        }
        at = text_append(job->label, at, ",\"pattern\":");
        at += json_text(pattern->bytes, pattern->length, job->label + at);
    } else if (job->with_pattern) {
        job->label[at++] = '\t';
        at += pattern->name == NULL
                  ? pattern_escape(pattern->bytes, pattern->length, job->label + at)
                  : name_in_table(pattern->name, pattern->name_length, job->label + at);
    }
    job->label_length = append_details(job, pattern, at);
}

/* The beginning of a column: its separator, unless it is the first of a line; in JSON its key. */
static void put_key(querying *job, const char *key, bool first) {
    if (job->jsonl) {
        output_file_text(job->output, first ? "{\"" : ",\"");
        output_file_text(job->output, key);
        output_file_text(job->output, "\":");
    } else if (!first) {
        output_file_byte(job->output, '\t');
    }
}

static void put_number(querying *job, const char *key, uint64_t number, bool first) {
    put_key(job, key, first);
    output_file_decimal(job->output, number);
}

static void put_name(querying *job, const char *key, bool first) {
    put_key(job, key, first);
    output_file_write(job->output, job->name, job->name_length);
}

static void end_line(querying *job) {
    output_file_text(job->output, job->jsonl ? "}\n" : "\n");
}

/* ------------------------------------------------------------------ kinds of results */

static trawl_status print_documents(querying *job, trawl_error *error) {
    const uint32_t *documents = NULL;
    size_t count = 0;
    trawl_status status = trawl_index_documents(job->search, &documents, &count, error);
    for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
        status = name_document(job, documents[i], error);
        if (status == TRAWL_OK) {
            put_number(job, "id", job->id, true);
            put_name(job, "document", false);
            end_line(job);
        }
    }
    return status;
}

static trawl_status print_count(querying *job, uint64_t occurrences, trawl_error *error) {
    const uint32_t *documents = NULL;
    size_t count = 0;
    trawl_status status = trawl_index_documents(job->search, &documents, &count, error);
    if (status == TRAWL_OK) {
        put_number(job, "id", job->id, true);
        put_number(job, "occurrences", occurrences, false);
        put_number(job, "documents", count, false);
        end_line(job);
    }
    return status;
}

static trawl_status print_top(querying *job, trawl_error *error) {
    const trawl_index_count *counts = NULL;
    size_t count = 0;
    trawl_status status =
        trawl_index_document_counts(job->search, (size_t)job->top, &counts, &count, error);
    for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
        status = name_document(job, counts[i].document, error);
        if (status == TRAWL_OK) {
            put_number(job, "id", job->id, true);
            put_number(job, "occurrences", counts[i].occurrences, false);
            put_name(job, "document", false);
            end_line(job);
        }
    }
    return status;
}

/* The context of print_position. */
typedef struct printing {
    querying *job;
    trawl_status status;
    trawl_error *error;
} printing;

static int print_position(uint32_t document, uint64_t start, void *context) {
    printing *to = context;
    querying *job = to->job;
    to->status = name_document(job, document, to->error);
    if (to->status != TRAWL_OK)
        return 1;
    put_name(job, "file", true);
    put_number(job, "start", start, false);
    put_number(job, "end", start + job->length, false);
    put_number(job, "id", job->id, false);
    output_file_write(job->output, job->label, job->label_length);
    end_line(job);
    return output_file_failed(job->output);
}

static trawl_status print_positions(querying *job, trawl_error *error) {
    trawl_error inner;
    printing to = {.job = job, .status = TRAWL_OK, .error = &inner};
    trawl_status status = trawl_index_positions(job->search, print_position, &to, error);
    if (to.status != TRAWL_OK)
        *error = inner;
    return to.status != TRAWL_OK ? to.status : status == TRAWL_STOPPED ? TRAWL_OK : status;
}

static trawl_status query(querying *job, uint32_t id, trawl_error *error) {
    trawl_pattern pattern = TRAWL_PATTERN;
    uint64_t occurrences = 0;
    (void)trawl_patterns_get(job->set, id, &pattern);
    job->id = id;
    job->length = pattern.length;
    trawl_status status =
        trawl_index_find(job->search, pattern.bytes, pattern.length, &occurrences, error);
    if (status != TRAWL_OK)
        return status;
    job->occurrences += occurrences;
    switch (job->kind) {
    case FLAG_COUNT:
        return print_count(job, occurrences, error);
    case FLAG_TOP:
        return print_top(job, error);
    case FLAG_POSITIONS:
        make_label(job, &pattern);
        return print_positions(job, error);
    default:
        return print_documents(job, error);
    }
}

/* ------------------------------------------------------------------ running */

static bool load_patterns(querying *job) {
    pattern_counts counts = {0};
    trawl_pattern pattern = TRAWL_PATTERN;
    if (!pattern_options_load(&job->patterns, &job->set, &counts))
        return false;
    job->with_groups = counts.grouped != 0;
    size_t count = trawl_patterns_count(job->set);
    for (uint32_t id = 0; id < count && !job->with_values; id++) {
        (void)trawl_patterns_get(job->set, id, &pattern);
        job->with_values = pattern.value != NULL;
    }
    return true;
}

static int run(querying *job) {
    trawl_error error;
    double begin = seconds_now();
    if (!load_patterns(job))
        return EXIT_ERROR;
    trawl_status status = trawl_index_load(job->path, &job->index, &error);
    if (status == TRAWL_OK)
        status = trawl_index_search_open(job->index, &job->search, &error);
    if (status == TRAWL_OK)
        status = output_file_open(job->output_path, &job->output, &error);
    double loaded = seconds_now();
    size_t count = trawl_patterns_count(job->set);
    for (uint32_t id = 0; id < count && status == TRAWL_OK; id++)
        status = output_file_failed(job->output) ? TRAWL_ERROR_IO : query(job, id, &error);
    if (job->output != NULL && (status == TRAWL_OK || output_file_failed(job->output))) {
        status = output_file_close(job->output, &error);
        job->output = NULL;
    }
    if (status != TRAWL_OK)
        return report_error(&error);
    if (job->stats) {
        stats stats_;
        stats_begin(&stats_);
        (void)fprintf(stats_.file,
                      "{\"patterns\":%zu,\"occurrences\":%" PRIu64
                      ",\"load_seconds\":%.6f,\"query_seconds\":%.6f}",
                      count, job->occurrences, loaded - begin, seconds_now() - loaded);
        stats_end(&stats_);
    }
    return job->occurrences != 0 ? EXIT_MATCHED : EXIT_NOTHING;
}

/* ------------------------------------------------------------------ flags */

static bool take_kind(querying *job, int id) {
    static const char *const names[] = {[FLAG_DOCUMENTS] = "--documents",
                                        [FLAG_COUNT] = "--count",
                                        [FLAG_POSITIONS] = "--positions",
                                        [FLAG_TOP] = "--top"};
    if (job->kind != 0 && job->kind != id)
        return arguments_conflict(&query_command, names[job->kind], names[id], "");
    job->kind = id;
    return true;
}

static bool take(void *context, const arguments *args, int id) {
    querying *job = context;
    static const char *const formats[] = {"tsv", "jsonl"};
    int choice;
    switch (id) {
    case FLAG_DOCUMENTS:
    case FLAG_COUNT:
    case FLAG_POSITIONS:
        return take_kind(job, id);
    case FLAG_TOP:
        return take_kind(job, id) && arguments_number(args, 1, UINT32_MAX, &job->top);
    case FLAG_FORMAT:
        choice = arguments_choose(args, formats, 2);
        job->jsonl = choice == 1;
        return choice >= 0;
    case FLAG_NO_PATTERN:
        job->with_pattern = false;
        return true;
    case FLAG_OUTPUT:
        job->output_path = args->value;
        return true;
    case FLAG_STATS:
        job->stats = true;
        return true;
    default:
        break;
    }
    if (id != ARGUMENTS_OPERAND)
        return pattern_options_take(&job->patterns, args, id) == FLAG_TAKEN;
    if (job->path != NULL) {
        (void)arguments_misuse(&query_command,
                               "expected one index, found '%s' and '%s'; patterns come by -e "
                               "PATTERN or -f FILE",
                               job->path, args->value);
        return false;
    }
    job->path = args->value;
    return true;
}

static bool parse(querying *job, int argc, char **argv, int *status) {
    if (!index_take_arguments(&query_command, argc, argv, take, job, status))
        return false;
    const char *problem = NULL;
    if (job->path == NULL)
        problem = "expected an index, made by 'trawl index build'";
    else if (strcmp(job->path, "-") == 0)
        problem = "an index is not read from standard input; expected a file";
    else if (job->patterns.count == 0)
        problem = "expected patterns: -f FILE or -e PATTERN";
    else if (!job->with_pattern && job->kind != FLAG_POSITIONS)
        problem = "--no-pattern: expected --positions with it";
    if (problem != NULL)
        (void)arguments_misuse(&query_command, "%s", problem);
    const command_inputs inputs = {.patterns = &job->patterns, .index = job->path};
    return problem == NULL && !output_overwrites(job->output_path, &inputs);
}

int trawl_command_index_query(int argc, char **argv) {
    querying job = {.with_pattern = true, .patterns = {.reading = {.exact = true}}};
    int status = EXIT_ERROR;
    if (parse(&job, argc, argv, &status))
        status = run(&job);
    output_file_abandon(job.output);
    trawl_index_search_close(job.search);
    trawl_index_free(job.index);
    trawl_patterns_free(job.set);
    pattern_options_release(&job.patterns);
    free(job.label);
    free(job.name);
    return status;
}
