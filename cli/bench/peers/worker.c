/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/peers/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cli/base/report.h"
#include "cli/bench/peers/process.h"
#include "cli/bench/subject.h"
#include "cli/target/planning.h"

void bench_worker_instruction(size_t row, const bench_inputs *inputs, char *text, size_t size) {
    (void)snprintf(text, size, "--worker=%zu:%d:%d:%zu", row, inputs->patterns, inputs->text,
                   inputs->length);
}

/* Writes a line. Control characters become spaces, since an LF would end it. */
static void say(const char *what, const char *sentence) {
    (void)printf("%s ", what);
    for (; *sentence != '\0'; sentence++)
        (void)putchar((unsigned char)*sentence < 0x20 ? ' ' : *sentence);
    (void)putchar('\n');
    (void)fflush(stdout);
}

/* TRAWL_ERROR_ARGUMENT from libhs means that it cannot do this kind of work. */
static void refuse(const bench_job *job, const trawl_error *error) {
    bool is_unable = job->library != NULL && error->status == TRAWL_ERROR_ARGUMENT;
    say(is_unable ? "unable" : "refused", error->message);
}

static void answer_all(const bench_job *job, bench_subject *subject, trawl_error *error) {
    uint64_t fingerprint = 0;
    char line[BENCH_LINE_BYTES];
    for (bool is_first = true; fgets(line, sizeof line, stdin) != NULL; is_first = false) {
        bench_run run;
        if (!bench_subject_run(subject, is_first, &run, error)) {
            refuse(job, error);
            return;
        }
        fingerprint = is_first ? run.fingerprint : fingerprint;
        (void)printf("run %.9f %" PRIu64 " %" PRIu64 "\n", run.seconds, run.matches, fingerprint);
        (void)fflush(stdout);
    }
}

int bench_worker_run(const bench_options *options, const bench_rows *rows) {
    size_t row = 0;
    bench_inputs inputs = {0};
    if (sscanf(options->worker, "%zu:%d:%d:%zu", &row, &inputs.patterns, &inputs.text,
               &inputs.length) != 4 ||
        row >= rows->count || inputs.length == 0) {
        report("--worker is for trawl bench itself");
        return EXIT_ERROR;
    }
    trawl_error error;
    trawl_patterns *patterns = NULL;
    void *text = mmap(NULL, inputs.length, PROT_READ, MAP_PRIVATE | MAP_POPULATE, inputs.text, 0);
    if (text == MAP_FAILED || !bench_inputs_read_patterns(inputs.patterns, &patterns, &error)) {
        report("a worker's text or patterns could not be read");
        trawl_patterns_free(patterns);
        return EXIT_ERROR;
    }
    trawl_matches records = {0};
    bench_job job = {.patterns = patterns,
                     .text = text,
                     .length = inputs.length,
                     .work = options->work,
                     .compile = options->compile,
                     .scan = options->scan,
                     .library = rows->items[row].library,
                     .records = &records};
    job.compile.engine = rows->items[row].asked_engine;
    job.compile.variant = rows->items[row].asked_variant;
    planning plan; /* as without --peers, the plan is for this text */
    planning_begin_with_text(&plan, text, inputs.length, &job.compile);
    bench_subject *subject = NULL;
    bench_subject_facts facts;
    if (bench_subject_open(&job, &subject, &facts, &error)) {
        (void)printf("built %.9f %" PRIu64 " %s %s\n", facts.seconds, facts.table_bytes,
                     facts.engine, facts.variant);
        (void)fflush(stdout);
        answer_all(&job, subject, &error);
    } else {
        refuse(&job, &error);
    }
    bench_subject_close(subject);
    trawl_matches_free(&records);
    planning_end(&plan);
    trawl_patterns_free(patterns);
    (void)munmap(text, inputs.length);
    return EXIT_MATCHED;
}
