/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl replace: replaces every match in every text. */
#include "cli/replace/command.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/database.h"
#include "cli/base/names.h"
#include "cli/base/report.h"
#include "cli/flags/scan.h"
#include "cli/replace/options.h"
#include "cli/replace/texts.h"
#include "io/pattern_file.h"
#include "trawl/trawl_groups.h"

/* ------------------------------------------------------------------ --dry-run */

static void write_escaped(output_file *output, const void *bytes, size_t length) {
    char *text = allocate(4 * length + 1);
    output_file_write(output, text, pattern_escape(bytes, length, text));
    free(text);
}

typedef struct row {
    uint64_t count;
    uint32_t id;
} row;

static int compare_rows(const void *left, const void *right) {
    const row *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* What a pattern is replaced with. */
static void write_replacement(const replacing *job, const trawl_pattern *pattern) {
    const trawl_replace_options *replace = &job->options->replace;
    for (size_t i = 0; replace->kind == TRAWL_REPLACE_MASK && i < pattern->length; i++)
        write_escaped(job->output, &replace->mask, 1);
    if (replace->kind == TRAWL_REPLACE_ONE)
        write_escaped(job->output, replace->one.bytes, replace->one.length);
    else if (replace->kind == TRAWL_REPLACE_VALUES)
        write_escaped(job->output, pattern->value, pattern->value_length);
}

/* The patterns that would be replaced, the most frequent first. */
static void write_rows(const replacing *job) {
    row *rows = allocate(job->patterns * sizeof *rows);
    size_t count = 0;
    trawl_pattern pattern = TRAWL_PATTERN;
    for (size_t id = 0; id < job->patterns; id++)
        if (job->per_pattern[id] != 0)
            rows[count++] = (row){job->per_pattern[id], (uint32_t)id};
    qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count && trawl_db_pattern(job->db, rows[i].id, &pattern); i++) {
        output_file_decimal(job->output, rows[i].count);
        output_file_byte(job->output, '\t');
        output_file_decimal(job->output, rows[i].id);
        output_file_byte(job->output, '\t');
        if (pattern.name != NULL)
            write_escaped(job->output, pattern.name, pattern.name_length);
        else
            write_escaped(job->output, pattern.bytes, pattern.length);
        output_file_byte(job->output, '\t');
        write_replacement(job, &pattern);
        output_file_byte(job->output, '\n');
    }
    free(rows);
}

/* ------------------------------------------------------------------ the command */

/* Whether a pattern has a value, or none is needed. False after reporting. */
static bool have_values(const replace_options *options, const trawl_patterns *patterns) {
    const pattern_options *from = &options->patterns;
    trawl_pattern pattern = TRAWL_PATTERN;
    uint32_t id = 0;
    if (options->replace.kind != TRAWL_REPLACE_VALUES || trawl_patterns_count(patterns) == 0)
        return true;
    while (trawl_patterns_get(patterns, id, &pattern)) {
        if (pattern.value != NULL)
            return true;
        id++;
    }
    (void)arguments_misuse(&replace_command,
                           "%s: no pattern has a value to be replaced with; expected %s, or "
                           "--with TEXT or --mask CHAR",
                           from->count == 1 ? name_in_message(from->inputs[0].text) : "-f",
                           from->reading.format == PATTERN_FORMAT_TSV
                               ? "values in the sixth column"
                               : "--pattern-format map or tsv");
    return false;
}

static bool get_database(const replace_options *options, trawl_db **db) {
    trawl_error error;
    trawl_patterns *patterns = NULL;
    trawl_status status = TRAWL_OK;
    if (options->database != NULL) {
        status = database_load(options->database, false, db, &error);
    } else {
        if (!pattern_options_load(&options->patterns, &patterns, NULL))
            return false;
        if (!have_values(options, patterns)) {
            trawl_patterns_free(patterns);
            return false;
        }
        status = trawl_compile(patterns, &options->compile, db, &error);
    }
    trawl_patterns_free(patterns);
    if (status != TRAWL_OK)
        (void)report_error(&error);
    return status == TRAWL_OK;
}

bool replacing_open(const replacing *job, unsigned threads, uint64_t *per_pattern,
                    trawl_replacer **replacer) {
    trawl_error error;
    trawl_replace_options replace = job->options->replace;
    trawl_scan_options scan = job->options->scan;
    scan.threads = threads;
    replace.scan = &scan;
    replace.per_pattern = per_pattern;
    if (trawl_replacer_open(job->db, &replace, replacer, &error) == TRAWL_OK)
        return true;
    if (job->options->database != NULL)
        report("%s: %s", job->options->database, error.message);
    else
        (void)report_error(&error);
    return false;
}

/* Replaces in the texts, and closes the output. */
static int run(replacing *job, const replacing_texts *texts) {
    const replace_options *options = job->options;
    trawl_error error;
    if (output_file_open(options->output, &job->output, &error) != TRAWL_OK)
        return report_error(&error);
    replacing_run(job, texts);
    if (options->dry_run)
        write_rows(job);
    /* An error leaves a file of -o as it was. */
    if (job->failed && output_file_replaces(job->output) && !output_file_failed(job->output)) {
        output_file_abandon(job->output);
        return EXIT_ERROR;
    }
    if (output_file_close(job->output, &error) != TRAWL_OK)
        return report_error(&error);
    return job->failed ? EXIT_ERROR : job->replaced != 0 ? EXIT_MATCHED : EXIT_NOTHING;
}

static int replace(const replace_options *options) {
    trawl_db *db = NULL;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    if (!get_database(options, &db))
        return EXIT_ERROR;
    (void)trawl_db_info(db, &information, NULL);
    replacing job = {.options = options,
                     .db = db,
                     .threads = scan_options_threads(&options->scan),
                     .patterns = information.patterns};
    if (options->dry_run) {
        job.per_pattern = allocate(job.patterns * sizeof *job.per_pattern);
        memset(job.per_pattern, 0, job.patterns * sizeof *job.per_pattern);
    }
    replacing_texts *texts = replacing_list(&job);
    int status = run(&job, texts);
    replacing_texts_free(texts);
    trawl_db_free(db);
    free(job.per_pattern);
    return status;
}

int trawl_command_replace(int argc, char **argv) {
    replace_options options;
    int status = EXIT_ERROR;
    if (replace_options_parse(&options, argc, argv, &status))
        status = replace(&options);
    replace_options_release(&options);
    return status;
}
