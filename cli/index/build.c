/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl index build: reads texts, sorts them, writes the index file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/compressed.h"
#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/base/stats.h"
#include "cli/flags/arguments.h"
#include "cli/flags/files.h"
#include "cli/flags/overwrite.h"
#include "cli/index/command.h"
#include "io/output_file.h"
#include "io/text_file.h"
#include "trawl/trawl_index.h"

enum { FLAG_OUTPUT = 1, FLAG_THREADS, FLAG_STATS };

static const flag build_flags[] = {
    {FLAG_OUTPUT, 'o', "output", "X.tix",
     "Write the index to X.tix (- is standard output), which appears or changes only after "
     "everything has been written.",
     "Output"},
    {FLAG_STATS, 0, "stats", NULL,
     "Write sizes and times to standard error: on a terminal a line for each, elsewhere one JSON "
     "object.",
     NULL},
    {0},
};

static const flag execution_flags[] = {
    {FLAG_THREADS, 0, "threads", "N",
     "Use N threads (0, the default: one for each CPU), at most two of them for sorting.",
     "Execution"},
    {0},
};

static const flag *const all_flags[] = {build_flags, file_flags, execution_flags, NULL};

static const command build_command = {
    .name = "index build",
    .summary = "sort texts into an index",
    .usage = "  trawl index build [FLAGS] -o X.tix TEXT...",
    .examples = "  trawl index build -o books.tix *.txt\n"
                "  trawl index build -r --include '*.c' -o source.tix src/\n",
    .flags = all_flags,
    .notes = "Every file is a document, whose name is its path. gzip, zstd and xz files are\n"
             "decompressed; - is standard input. Memory for each byte of text: 6 to 12 bytes\n"
             "(6 to 8 with --threads 1), from 2 GiB on 10 to 14. The file has 10 to 15, from\n"
             "2 GiB on 19 to 24.\n"
             "\n"
             "Exit status: 0, or 2 after an error.\n",
};

typedef struct building {
    const char *output;
    bool stats;
    file_options files;
    trawl_index_options options;
    trawl_index_builder *builder;
    uint8_t *buffer;
    bool failed; /* an error was reported */
    uint64_t documents;
    uint64_t bytes;
} building;

enum { BUFFER = 1 << 20 };

/* ------------------------------------------------------------------ texts */

static trawl_status read_text(building *job, text_file *file, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    size_t length = BUFFER;
    while (status == TRAWL_OK && length != 0) {
        status = text_file_read(file, job->buffer, BUFFER, &length, error);
        if (status == TRAWL_OK && length != 0)
            status = trawl_index_builder_append(job->builder, job->buffer, length, error);
        job->bytes += length;
    }
    return status;
}

static int add_text(const char *path, void *context) {
    building *job = context;
    trawl_error error;
    text_file *file = NULL;
    trawl_status status = text_file_open(path, TEXT_DECOMPRESS, &file, &error);
    if (status == TRAWL_OK)
        note_compressed(path, file);
    if (status == TRAWL_OK)
        status = trawl_index_builder_document(job->builder, path, strlen(path), &error);
    if (status == TRAWL_OK)
        status = read_text(job, file, &error);
    text_file_close(file);
    job->documents++;
    if (status != TRAWL_OK) {
        (void)report_error(&error);
        job->failed = true;
    }
    return job->failed;
}

/* ------------------------------------------------------------------ the file */

static trawl_status write_bytes(void *context, const void *bytes, size_t length,
                                trawl_error *error) {
    output_file *output = context;
    output_file_write(output, bytes, length);
    if (!output_file_failed(output))
        return TRAWL_OK;
    (void)snprintf(error->message, sizeof error->message, "the output cannot be written");
    return TRAWL_ERROR_IO; /* output_file_close has the reason */
}

static trawl_status write_file(building *job, uint64_t *written, trawl_error *error) {
    output_file *output = NULL;
    trawl_status status = output_file_open_table(job->output, &output, error);
    if (status != TRAWL_OK)
        return status;
    status = trawl_index_write(job->builder, &job->options, write_bytes, output, error);
    *written = output->written + output->used;
    if (status == TRAWL_OK || output_file_failed(output))
        return output_file_close(output, error);
    output_file_abandon(output);
    return status;
}

static int run(building *job) {
    trawl_error error;
    double begin = seconds_now();
    uint64_t written = 0;
    trawl_status status = trawl_index_builder_new(&job->builder, &error);
    if (status != TRAWL_OK)
        return report_error(&error);
    const string_list *texts = &job->files.texts;
    for (size_t i = 0; i < texts->count && !job->failed; i++)
        job->failed =
            !file_options_visit(&job->files, texts->items[i], add_text, job) || job->failed;
    if (job->failed)
        return EXIT_ERROR;
    double read = seconds_now();
    status = write_file(job, &written, &error);
    if (status != TRAWL_OK)
        return report_error(&error);
    if (job->stats) {
        stats stats_;
        stats_begin(&stats_);
        (void)fprintf(stats_.file,
                      "{\"documents\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"file_bytes\":%" PRIu64
                      ",\"read_seconds\":%.6f,\"build_seconds\":%.6f}",
                      job->documents, job->bytes, written, read - begin, seconds_now() - read);
        stats_end(&stats_);
    }
    return EXIT_MATCHED;
}

/* ------------------------------------------------------------------ flags */

static bool take(void *context, const arguments *args, int id) {
    building *job = context;
    uint32_t threads = 0;
    switch (id) {
    case FLAG_OUTPUT:
        job->output = args->value;
        return true;
    case FLAG_STATS:
        job->stats = true;
        return true;
    case FLAG_THREADS:
        if (flag_take_uint32(args, 0, 1024, &threads) != FLAG_TAKEN)
            return false;
        job->options.threads = threads == 0 ? TRAWL_THREADS_ALL : threads;
        return true;
    default:
        return file_options_take(&job->files, args, id) == FLAG_TAKEN;
    }
}

static bool parse(building *job, int argc, char **argv, int *status) {
    if (!index_take_arguments(&build_command, argc, argv, take, job, status))
        return false;
    const char *problem = NULL;
    if (job->output == NULL)
        problem = "expected -o X.tix: where the index goes";
    else if (job->files.texts.count == 0)
        problem = "expected texts: files, or directories with -r";
    else if (strcmp(job->output, "-") == 0 && isatty(STDOUT_FILENO))
        problem = "an index is not written to a terminal; expected -o X.tix";
    if (problem != NULL)
        (void)arguments_misuse(&build_command, "%s", problem);
    except_output(&job->files, job->output, "not indexed, since it is the output too");
    return problem == NULL &&
           !output_overwrites(job->output, &(command_inputs){.files = &job->files});
}

int trawl_command_index_build(int argc, char **argv) {
    building job = {.options = TRAWL_INDEX_OPTIONS};
    int status = EXIT_ERROR;
    job.options.threads = TRAWL_THREADS_ALL;
    job.buffer = allocate(BUFFER);
    if (parse(&job, argc, argv, &status))
        status = run(&job);
    trawl_index_builder_free(job.builder);
    free(job.buffer);
    file_options_release(&job.files);
    return status;
}
