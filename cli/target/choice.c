/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/target/choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/json_text.h"
#include "cli/base/memory.h"
#include "cli/flags/device.h"
#include "cli/flags/study.h"
#include "cli/target/planning.h"
#include "cli/target/profile_load.h"

/* ------------------------------------------------------------------ profiles */

/* Takes from the entry what the user has not given. If the user named another kernel, takes nothing
 * and returns false. */
static bool take_entry(const profile_entry *entry, trawl_scan_options *options,
                       trawl_study_scan_options *study) {
    if (options->kernel != NULL && strcmp(options->kernel, entry->kernel) != 0)
        return false;
    options->kernel = entry->kernel;
    /* The two were tuned together, so one alone is not taken. */
    if (study->block_threads == 0 && study->block_bytes == 0) {
        study->block_threads = entry->block_threads;
        study->block_bytes = entry->block_bytes;
    }
    return true;
}

/* ------------------------------------------------------------------ the choice */

/* The text of a first scan, which shows whether the device can scan with these options. */
typedef struct probe_text {
    const uint8_t *bytes;
    size_t length;
} probe_text;

/* Scans a short text: an error of the device appears before texts are read. */
static trawl_status probe(const trawl_db *db, const probe_text *text,
                          const trawl_scan_options *options, trawl_scan_report *done,
                          trawl_error *error) {
    trawl_scan_options asked = *options;
    uint64_t matches = 0;
    *done = (trawl_scan_report)TRAWL_SCAN_REPORT;
    asked.report = done;
    asked.threads = 1;
    return trawl_count(db, text->bytes, text->length, &asked, &matches, NULL, error);
}

/* Applies the profile if the device can scan with it. False after reporting that --profile cannot
 * be read. */
static bool apply_profile(device_choice *choice, const trawl_db *db, const probe_text *text,
                          const profile_options *asked, trawl_scan_options *options) {
    trawl_error *error = &choice->profile_error;
    trawl_scan_options tuned = *options;
    trawl_study_scan_options study = study_of_scan(options);
    tuned.study = &study;
    bool taken = false;
    device_profile *profile = allocate(sizeof *profile);
    trawl_status status = device_profile_load(asked, choice->name, choice->profile,
                                              sizeof choice->profile, profile, error);
    if (status == TRAWL_OK) {
        trawl_db_information information = TRAWL_DB_INFORMATION;
        trawl_scan_report unused = TRAWL_SCAN_REPORT;
        (void)trawl_db_info(db, &information, NULL);
        const profile_entry *entry =
            device_profile_find(profile, information.engine, information.variant);
        choice->tuned = entry == NULL ? (profile_entry){.block_bytes = 0} : *entry;
        error->status = TRAWL_OK;
        /* Parameters tuned for one set may be impossible for another. */
        taken = entry != NULL && take_entry(&choice->tuned, &tuned, &study) &&
                probe(db, text, &tuned, &unused, error) == TRAWL_OK;
    }
    free(profile);
    if (taken) {
        choice->study = study;
        tuned.study = &choice->study;
        *options = tuned;
    } else {
        choice->profile[0] = '\0';
    }
    if (status == TRAWL_ERROR_UNAVAILABLE)
        error->status = status = TRAWL_OK;
    if (status != TRAWL_OK && asked->path != NULL) {
        (void)report_error(error);
        return false;
    }
    return true;
}

static bool must_have_cuda(const device_choice *choice, const trawl_scan_options *options) {
    if (choice->is_cuda || options->kernel == NULL)
        return true;
    report("--kernel %s: --device auto took the CPU, which has no kernels%s%s", options->kernel,
           choice->reason[0] == '\0' ? "" : ": ", choice->reason);
    return false;
}

static bool choose(device_choice *choice, const trawl_db *db, const probe_text *text,
                   const profile_options *profile, trawl_scan_options *options) {
    trawl_scan_report done = TRAWL_SCAN_REPORT;
    trawl_error error;
    bool probed = probe(db, text, options, &done, &error) == TRAWL_OK;
    if (!probed && !choice->or_cpu) {
        (void)report_error(&error);
        return false;
    }
    if (probed && done.device[0] != '\0')
        (void)snprintf(choice->name, sizeof choice->name, "%s", done.device);
    if (choice->was_auto || !probed)
        (void)snprintf(choice->reason, sizeof choice->reason, "%.191s",
                       probed ? done.reason : error.message);
    choice->is_cuda = device_is_cuda(choice->name);
    if (choice->is_cuda) {
        /* As --device auto does it, but no longer with the CPU instead. */
        const char *transfer = options->transfer;
        bool for_one =
            transfer != NULL && (strcmp(transfer, "a") == 0 || strcmp(transfer, "b") == 0);
        const char *scanned = choice->was_auto && !for_one       ? "cuda:auto"
                              : device_is_group(options->device) ? options->device
                                                                 : choice->name;
        (void)snprintf(choice->scanned, sizeof choice->scanned, "%s", scanned);
        options->device = choice->scanned;
    } else {
        options->device = choice->name;
    }
    return must_have_cuda(choice, options) &&
           (choice->is_cuda ? apply_profile(choice, db, text, profile, options)
                            : device_profile_is_good(profile));
}

static bool choose_by_sample(device_choice *choice, const trawl_db *db,
                             const profile_options *profile, const char *text,
                             trawl_scan_options *options) {
    static const uint8_t byte[1] = {0};
    choice->was_auto = options->device != NULL && strcmp(options->device, "auto") == 0;
    (void)snprintf(choice->name, sizeof choice->name, "cpu");
    if (!choice->was_auto && !device_is_cuda(options->device))
        return true;
    size_t length = 0;
    uint8_t *sample = planning_sample(text, &length);
    const probe_text tried = {sample == NULL ? byte : sample, sample == NULL ? 1 : length};
    bool chosen = choose(choice, db, &tried, profile, options);
    free(sample);
    return chosen;
}

bool device_choose(device_choice *choice, const trawl_db *db, const profile_options *profile,
                   const char *text, trawl_scan_options *options) {
    *choice = (device_choice){.or_cpu = false};
    return choose_by_sample(choice, db, profile, text, options);
}

bool device_choose_or_cpu(device_choice *choice, const trawl_db *db, const profile_options *profile,
                          const char *text, trawl_scan_options *options) {
    *choice = (device_choice){.or_cpu = true};
    return choose_by_sample(choice, db, profile, text, options);
}

/* ------------------------------------------------------------------ --stats */

void device_want_report(trawl_scan_options *options, trawl_study_scan_options *study,
                        scan_done *done) {
    if (done != NULL)
        *done = (scan_done){.scan = TRAWL_SCAN_REPORT, .study = TRAWL_STUDY_SCAN_REPORT};
    *study = study_of_scan(options);
    study->report = done == NULL ? NULL : &done->study;
    options->study = study;
    options->report = done == NULL ? NULL : &done->scan;
}

void device_add_report(scan_done *totals, const scan_done *done) {
    const trawl_study_scan_report sums = totals->study;
    const trawl_scan_report before = totals->scan;
    *totals = *done;
    totals->scan.devices +=
        before.devices > done->scan.devices ? before.devices - done->scan.devices : 0;
    totals->scan.left_out += before.left_out;
    totals->scan.cpu_bytes += before.cpu_bytes;
    if (before.left_out != 0)
        memcpy(totals->scan.failure, before.failure, sizeof before.failure);
    trawl_study_scan_report *study = &totals->study;
    study->segments += sums.segments;
    study->copy_in_seconds += sums.copy_in_seconds;
    study->scan_seconds += sums.scan_seconds;
    study->copy_out_seconds += sums.copy_out_seconds;
    study->read_wait_seconds += sums.read_wait_seconds;
    for (size_t i = 0; i < TRAWL_MOST_FILTERS; i++)
        study->candidates[i] += sums.candidates[i];
    study->filtered_bytes += sums.filtered_bytes;
    study->fallback_bytes += sums.fallback_bytes;
}

void device_print_stat(FILE *file, const char *key, const char *text) {
    (void)fputc(',', file);
    json_print_member(file, key, text);
}

const char *table_path_name(trawl_table_path path) {
    return path == TRAWL_TABLES_TEXTURE     ? "texture"
           : path == TRAWL_TABLES_READ_ONLY ? "read-only"
                                            : "plain";
}

void device_print_stats(FILE *file, const device_choice *choice, const scan_done *done) {
    const trawl_study_scan_report *totals = &done->study;
    if (choice->reason[0] != '\0')
        device_print_stat(file, "device_reason", choice->reason);
    if (!choice->is_cuda)
        return;
    (void)fprintf(file, ",\"devices\":%" PRIu32, done->scan.devices);
    if (done->scan.left_out != 0) {
        (void)fprintf(file, ",\"devices_left_out\":%" PRIu32 ",\"cpu_bytes\":%" PRIu64,
                      done->scan.left_out, done->scan.cpu_bytes);
        device_print_stat(file, "device_failure", done->scan.failure);
    }
    device_print_stat(file, "kernel", done->scan.kernel);
    (void)fprintf(file,
                  ",\"block_threads\":%" PRIu32 ",\"thread_bytes\":%" PRIu32
                  ",\"overlap_overhead\":%.6f",
                  totals->block_threads, totals->thread_bytes, totals->overlap_overhead);
    device_print_stat(file, "table_path", table_path_name(totals->table_path));
    device_print_stat(file, "transfer", done->scan.transfer);
    (void)fprintf(file,
                  ",\"segments\":%" PRIu64 ",\"segment_bytes\":%" PRIu64 ",\"in_flight\":%" PRIu32
                  ",\"copy_in_seconds\":%.6f,\"scan_device_seconds\":%.6f"
                  ",\"copy_out_seconds\":%.6f,\"read_wait_seconds\":%.6f",
                  totals->segments, totals->segment_bytes, totals->in_flight,
                  totals->copy_in_seconds, totals->scan_seconds, totals->copy_out_seconds,
                  totals->read_wait_seconds);
    if (choice->profile[0] != '\0')
        device_print_stat(file, "profile", choice->profile);
}
