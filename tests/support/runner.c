/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "guard.h"
#include "runner_flow.h"
#include "runner_job.h"
#include "runner_records.h"
#include "runner_replace.h"
#include "runner_scanner.h"
#include "temporary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static trawl_db *load_from_memory(const trawl_db *db, trawl_error *error) {
    size_t size = 0;
    const void *bytes = trawl_db_bytes(db, &size);
    uint8_t *unaligned = malloc(size + 1);
    memcpy(unaligned + 1, bytes, size);
    trawl_db *loaded = NULL;
    trawl_db_load_memory(unaligned + 1, size, &loaded, error);
    memset(unaligned, 0xa5, size + 1);
    free(unaligned);
    return loaded;
}

static trawl_db *load_from_file(const trawl_db *db, trawl_error *error) {
    char path[4096];
    temporary_template(path, sizeof(path));
    int file = mkstemp(path);
    if (file < 0)
        return NULL;
    close(file);
    trawl_db *loaded = NULL;
    if (trawl_db_save(db, path, error) == TRAWL_OK)
        trawl_db_load(path, &loaded, error);
    unlink(path); /* a mapped file lives on without its name */
    return loaded;
}

/* The name of the runner's kernel for this engine. */
static const char *kernel_name(const runner *how, const char *engine) {
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    uint32_t count = 0;
    while (trawl_kernel_describe(engine, count, &kernel))
        count++;
    return how->kernel && count && trawl_kernel_describe(engine, how->kernel % count, &kernel)
               ? kernel.name
               : NULL;
}

/* Devices scan for engines with kernels only. For others the call is refused, and names those. */
static bool is_without_kernels(const runner *how, const char *engine) {
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    return how->device && strncmp(how->device, "cuda", 4) == 0 &&
           !trawl_kernel_describe(engine, 0, &kernel);
}

static bool refuses_without_kernels(const job *work) {
    trawl_error error = {.message = ""};
    uint64_t total;
    trawl_status status =
        trawl_count(work->db, work->text, work->length, &work->options, &total, NULL, &error);
    if (status == TRAWL_ERROR_UNAVAILABLE && strstr(error.message, "CUDA") &&
        strstr(error.message, "ac-dfa"))
        return true;
    return complain(work->complaint, "an engine without kernels on a device: %s%s",
                    trawl_status_text(status), error.message);
}

/* Whether a kernel or a table path that the runner chose is refused where the defaults are not. */
static bool is_refused(const job *work) {
    uint64_t total;
    if (!work->options.kernel && !work->study.table_path)
        return false;
    trawl_status status =
        trawl_count(work->db, work->text, work->length, &work->options, &total, NULL, NULL);
    return status == TRAWL_ERROR_LIMIT || status == TRAWL_ERROR_ARGUMENT;
}

static void set_options(job *work, const char *engine) {
    const runner *how = work->how;
    /* Calls without study options may use scanners that the database keeps. */
    if (how->device || how->chunk_bytes || how->copy_tables || how->plain_walk)
        work->options.study = &work->study;
    work->options.threads = how->threads;
    work->study.chunk_bytes = how->chunk_bytes;
    work->options.placement = how->placement;
    work->study.copy_tables = how->copy_tables;
    work->study.plain_walk = how->plain_walk;
    if (!how->device)
        return;
    work->options.device = how->device;
    work->options.kernel = kernel_name(how, engine);
    work->options.transfer = how->transfer;
    work->study.segment_bytes = how->segment_bytes;
    work->study.segments_in_flight = how->segments_in_flight;
    work->study.table_path = how->table_path;
}

static bool check(job *work) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS; /* scanners have one thread, on the CPU */
    options.study = &work->study;
    switch (work->how->call) {
    case RUNNER_SCANNER:
        return runner_scanner_check(work->db, &options, work->text, work->length, work->expected,
                                    work->random, work->complaint);
    case RUNNER_RECORDS:
        return runner_records_check(work->db, &work->options, work->text, work->length,
                                    work->random, work->complaint);
    case RUNNER_FLOW:
        return runner_flow_check(work->db, &options, work->text, work->length, work->expected,
                                 work->random, work->complaint);
    case RUNNER_REPLACE:
        options.threads = work->how->threads;
        return runner_replace_check(work->db, &options, work->text, work->length, work->expected,
                                    work->random, work->complaint);
    default:
        return runner_is_stream(work->how) ? runner_stream_check(work) : runner_text_check(work);
    }
}

bool runner_check(const runner *how, const trawl_db *db, const uint8_t *text, size_t length,
                  const match_list *expected, random_source *random, char *complaint,
                  size_t complaint_size) {
    static _Thread_local guarded guard;
    const message said = {.text = complaint, .size = complaint_size};
    trawl_error error = {.message = ""};
    trawl_db *loaded = NULL;
    if (how->origin != RUNNER_COMPILED) {
        loaded = how->origin == RUNNER_MEMORY ? load_from_memory(db, &error)
                                              : load_from_file(db, &error);
        if (!loaded)
            return complain(&said, "its own bytes were refused: %s", error.message);
    }
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(loaded ? loaded : db, &information, NULL);
    guarded_copy(&guard, text, length, random_chance(random, 1, 2));
    job work = {.how = how,
                .db = loaded ? loaded : db,
                .text = length || random_chance(random, 1, 2) ? guard.bytes : NULL,
                .length = length,
                .patterns = information.patterns,
                .kind = information.matches,
                .conditions = trawl_db_has_conditions(loaded ? loaded : db),
                .expected = expected,
                .options = TRAWL_SCAN_OPTIONS,
                .study = TRAWL_STUDY_SCAN_OPTIONS,
                .random = random,
                .complaint = &said};
    set_options(&work, information.engine);
    bool good = is_without_kernels(how, information.engine) ? refuses_without_kernels(&work)
                                                            : is_refused(&work) || check(&work);
    trawl_db_free(loaded);
    guarded_pause(&guard);
    return good;
}
