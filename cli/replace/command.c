/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl replace: replaces every match in every text. */
#include "cli/replace/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/database.h"
#include "cli/base/report.h"
#include "cli/replace/options.h"
#include "cli/replace/text.h"
#include "io/directory.h"
#include "io/pattern_file.h"
#include "trawl/trawl_groups.h"

/* What the texts share. */
typedef struct replacing {
    const replace_options *options;
    const trawl_db *db;
    text_replacer texts;
    output_file *counts; /* -c and --dry-run: standard output; else NULL */
    bool several;        /* counts have the name of their text */
    uint64_t *per_pattern;
} replacing;

/* ------------------------------------------------------------------ texts */

static int add_text(const char *path, void *context) {
    replacing *job = context;
    uint64_t replaced = 0;
    bool good = text_replacer_run(&job->texts, path, &replaced);
    job->texts.failed = job->texts.failed || !good;
    job->texts.replaced += replaced;
    if (good && job->options->count) {
        if (job->several) {
            output_file_text(job->counts, path);
            output_file_byte(job->counts, ':');
        }
        output_file_decimal(job->counts, replaced);
        output_file_byte(job->counts, '\n');
    }
    /* When the output of all texts cannot be written, the rest would be lost. */
    return job->texts.output != NULL && output_file_failed(job->texts.output);
}

static void on_problem(const char *message, void *context) {
    replacing *job = context;
    report("%s", message);
    job->texts.failed = true;
}

static void walk(replacing *job, const char *root) {
    trawl_error error;
    trawl_status status =
        directory_walk(root, &job->options->rules, add_text, on_problem, job, &error);
    if (status != TRAWL_OK && status != TRAWL_STOPPED)
        on_problem(error.message, job);
}

static void add_operand(replacing *job, const char *operand) {
    const replace_options *options = job->options;
    struct stat about;
    bool is_stdin = strcmp(operand, "-") == 0;
    bool is_directory = !is_stdin && stat(operand, &about) == 0 && S_ISDIR(about.st_mode);
    if (is_directory && !options->recursive) {
        report("%s: is a directory; -r takes the files below it", operand);
        job->texts.failed = true;
    } else if (is_directory) {
        walk(job, operand);
    } else if (is_stdin || file_rules_accept(&options->rules, operand, false, true)) {
        (void)add_text(operand, job);
    }
}

static void add_all(replacing *job) {
    const string_list *texts = &job->options->texts;
    if (texts->count == 0 && job->options->recursive)
        walk(job, NULL);
    else if (texts->count == 0)
        (void)add_text("-", job);
    for (size_t i = 0; i < texts->count; i++)
        add_operand(job, texts->items[i]);
}

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
        write_escaped(job->counts, &replace->mask, 1);
    if (replace->kind == TRAWL_REPLACE_ONE)
        write_escaped(job->counts, replace->one.bytes, replace->one.length);
    else if (replace->kind == TRAWL_REPLACE_VALUES)
        write_escaped(job->counts, pattern->value, pattern->value_length);
}

/* The patterns that would be replaced, the most frequent first. */
static void write_rows(const replacing *job, size_t patterns) {
    row *rows = allocate(patterns * sizeof *rows);
    size_t count = 0;
    trawl_pattern pattern = TRAWL_PATTERN;
    for (size_t id = 0; id < patterns; id++)
        if (job->per_pattern[id] != 0)
            rows[count++] = (row){job->per_pattern[id], (uint32_t)id};
    qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count && trawl_db_pattern(job->db, rows[i].id, &pattern); i++) {
        output_file_decimal(job->counts, rows[i].count);
        output_file_byte(job->counts, '\t');
        output_file_decimal(job->counts, rows[i].id);
        output_file_byte(job->counts, '\t');
        if (pattern.name != NULL)
            write_escaped(job->counts, pattern.name, pattern.name_length);
        else
            write_escaped(job->counts, pattern.bytes, pattern.length);
        output_file_byte(job->counts, '\t');
        write_replacement(job, &pattern);
        output_file_byte(job->counts, '\n');
    }
    free(rows);
}

/* ------------------------------------------------------------------ the command */

static bool get_database(const replace_options *options, trawl_db **db) {
    trawl_error error;
    trawl_patterns *patterns = NULL;
    trawl_status status = TRAWL_OK;
    if (options->database != NULL) {
        status = database_load(options->database, false, db, &error);
    } else {
        if (!pattern_options_load(&options->patterns, &patterns, NULL))
            return false;
        if (trawl_patterns_count(patterns) == 0) {
            report("the pattern set is empty; expected a pattern or more");
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

static bool open_replacer(const replacing *job, trawl_replacer **replacer) {
    trawl_error error;
    trawl_replace_options replace = job->options->replace;
    replace.per_pattern = job->per_pattern;
    if (trawl_replacer_open(job->db, &replace, replacer, &error) == TRAWL_OK)
        return true;
    if (job->options->database != NULL)
        report("%s: %s", job->options->database, error.message);
    else
        (void)report_error(&error);
    return false;
}

/* Replaces in all texts, and closes the output. */
static int run(replacing *job, trawl_replacer *replacer, size_t patterns) {
    const replace_options *options = job->options;
    trawl_error error;
    output_file *output = NULL;
    if (output_file_open(options->output, &output, &error) != TRAWL_OK)
        return report_error(&error);
    bool prints = options->count || options->dry_run;
    job->counts = prints ? output : NULL;
    text_replacer_open(&job->texts, options, replacer, prints || options->in_place ? NULL : output);
    add_all(job);
    if (options->dry_run)
        write_rows(job, patterns);
    text_replacer_close(&job->texts);
    /* With -o, an error leaves the file as it was. */
    if (job->texts.failed && options->output != NULL && !output_file_failed(output)) {
        output_file_abandon(output);
        return EXIT_ERROR;
    }
    if (output_file_close(output, &error) != TRAWL_OK)
        return report_error(&error);
    return job->texts.failed ? EXIT_ERROR : job->texts.replaced != 0 ? EXIT_MATCHED : EXIT_NOTHING;
}

static int replace(const replace_options *options) {
    trawl_db *db = NULL;
    trawl_replacer *replacer = NULL;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    int status = EXIT_ERROR;
    if (!get_database(options, &db))
        return status;
    (void)trawl_db_info(db, &information, NULL);
    replacing job = {.options = options, .db = db};
    job.several = options->recursive || options->texts.count > 1;
    if (options->dry_run) {
        job.per_pattern = allocate(information.patterns * sizeof *job.per_pattern);
        memset(job.per_pattern, 0, information.patterns * sizeof *job.per_pattern);
    }
    if (open_replacer(&job, &replacer))
        status = run(&job, replacer, information.patterns);
    trawl_replacer_close(replacer);
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
