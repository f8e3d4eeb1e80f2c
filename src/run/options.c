/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/options.h"

#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/status.h"
#include "base/team.h"
#include "engines/registry.h"
#include "gpu/devices.h"
#include "gpu/module.h"
#include "run/gpu/transfer/ring.h"

/* Threads of a scan, at most (trawl.h). More are taken for a mistake of the caller. */
#define MOST_THREADS 1024u

trawl_status trawl_study_options_read(const trawl_study_scan_options *given,
                                      trawl_study_scan_options *study, trawl_error *error) {
    memset(study, 0, sizeof *study);
    if (given == NULL) {
        return TRAWL_OK;
    }
    trawl_status status =
        trawl_sized_check(given, "study options of a scan", "TRAWL_STUDY_SCAN_OPTIONS", error);
    if (status == TRAWL_OK) {
        trawl_sized_read(study, given, sizeof *study);
    }
    return status;
}

static trawl_status read_public(const trawl_scan_options *given, trawl_scan_options *options,
                                trawl_error *error) {
    memset(options, 0, sizeof *options);
    if (given == NULL) {
        return TRAWL_OK;
    }
    trawl_status status = trawl_sized_check(given, "scan options", "TRAWL_SCAN_OPTIONS", error);
    if (status == TRAWL_OK) {
        trawl_sized_read(options, given, sizeof *options);
    }
    return status;
}

static bool is_cpu(const char *device) {
    return device == NULL || strcmp(device, "cpu") == 0;
}

bool trawl_options_are_plain(const trawl_scan_options *given, uint32_t *threads) {
    trawl_scan_options options;
    *threads = 1;
    if (given == NULL) {
        return true;
    }
    if (read_public(given, &options, NULL) != TRAWL_OK) {
        return false;
    }
    *threads = options.threads;
    return is_cpu(options.device) && options.report == NULL && options.study == NULL &&
           (unsigned)options.placement <= TRAWL_PLACEMENT_CLOSE &&
           (options.threads <= MOST_THREADS || options.threads == TRAWL_THREADS_ALL);
}

static trawl_status copy_options(const trawl_scan_options *given, trawl_scan_settings *options,
                                 trawl_wanted_report *report, trawl_error *error) {
    trawl_scan_options public;
    trawl_study_scan_options study;
    memset(options, 0, sizeof *options);
    memset(report, 0, sizeof *report);
    trawl_status status = read_public(given, &public, error);
    if (status == TRAWL_OK) {
        status = trawl_study_options_read(public.study, &study, error);
    }
    if (status == TRAWL_OK && public.report != NULL) {
        status = trawl_sized_check(public.report, "scan report", "TRAWL_SCAN_REPORT", error);
    }
    if (status == TRAWL_OK && study.report != NULL) {
        status = trawl_sized_check(study.report, "study report of a scan",
                                   "TRAWL_STUDY_SCAN_REPORT", error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    report->scan = public.report;
    report->study = study.report;
    bool wanted = public.report != NULL || study.report != NULL;
    *options = (trawl_scan_settings){
        .device = public.device,
        .threads = public.threads,
        .placement = public.placement,
        .kernel = public.kernel,
        .transfer = public.transfer,
        .copy_tables = study.copy_tables,
        .plain_walk = study.plain_walk,
        .chunk_bytes = study.chunk_bytes,
        .segment_bytes = study.segment_bytes,
        .segments_in_flight = study.segments_in_flight,
        .block_threads = study.block_threads,
        .block_bytes = study.block_bytes,
        .table_path = study.table_path,
        .keep_segments = study.keep_segments,
        .report = wanted ? &report->values : NULL,
    };
    return TRAWL_OK;
}

void trawl_report_hand_out(const trawl_wanted_report *report) {
    if (report->scan != NULL) {
        trawl_sized_write(report->scan, &report->values.scan, sizeof report->values.scan);
    }
    if (report->study != NULL) {
        trawl_sized_write(report->study, &report->values.study, sizeof report->values.study);
    }
}

static trawl_status read_threads(trawl_scan_settings *options, trawl_error *error) {
    if ((unsigned)options->placement > TRAWL_PLACEMENT_CLOSE) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "scan options: unknown placement %d",
                          (int)options->placement);
    }
    if (options->threads == TRAWL_THREADS_ALL) {
        options->threads = trawl_processors();
    } else if (options->threads > MOST_THREADS) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT, "%u threads: at most %u are possible",
                          options->threads, MOST_THREADS);
    }
    if (options->threads == 0) {
        options->threads = 1;
    }
    return TRAWL_OK;
}

/* Completes the options of a scan on these CUDA devices. */
static trawl_status read_cuda(const trawl_db *db, const trawl_device_set *devices,
                              trawl_scan_settings *options, trawl_error *error) {
    trawl_strategy strategy;
    trawl_status status = trawl_strategy_find(options->transfer, &strategy, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (devices->shared && (strategy == TRAWL_STRATEGY_A || strategy == TRAWL_STRATEGY_B)) {
        return trawl_fail(
            error, TRAWL_ERROR_LIMIT,
            "transfer %s is for one GPU; transfers ring and zero-copy are for several",
            options->transfer);
    }
    const char *engine = db->header->engine;
    if (options->kernel == NULL && strategy == TRAWL_STRATEGY_ZERO_COPY) {
        options->kernel = trawl_kernel_for_zero_copy(engine);
    }
    uint32_t kernel;
    status = trawl_kernel_find(engine, options->kernel, &kernel, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if ((unsigned)options->table_path > TRAWL_TABLES_READ_ONLY) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "scan options: unknown table path %d",
                          (int)options->table_path);
    }
    if (options->segments_in_flight > TRAWL_RING_MOST_SLOTS) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "%u segments in flight: at most %u are possible",
                          options->segments_in_flight, TRAWL_RING_MOST_SLOTS);
    }
    /* The caller may free its strings before the run ends. So the library's own strings of the same
     * content are used. */
    trawl_kernel_description description = TRAWL_KERNEL_DESCRIPTION;
    if (options->kernel != NULL && trawl_kernel_describe(engine, kernel, &description)) {
        options->kernel = description.name;
    }
    options->transfer = trawl_strategy_name(strategy);
    /* All threads of a device read the one copy of the tables in its memory. */
    options->copy_tables = false;
    if (options->report != NULL) {
        trawl_cuda_devices_name(devices, options->report->scan.device,
                                sizeof options->report->scan.device);
        options->report->scan.devices = devices->shared ? 0 : 1; /* counted in the scan */
    }
    return TRAWL_OK;
}

/* Chooses the CPU. `reason`: why, if the library chose; else empty. */
static void take_cpu(trawl_scan_settings *options, const char *reason) {
    options->device = NULL;
    if (options->report != NULL) {
        (void)snprintf(options->report->scan.device, sizeof options->report->scan.device, "cpu");
        (void)snprintf(options->report->scan.reason, sizeof options->report->scan.reason, "%.190s",
                       reason);
    }
}

/* Takes GPUs if the first one can be used. Strategies A and B are for one GPU alone. */
static trawl_status choose_device(const trawl_db *db, trawl_scan_settings *options,
                                  trawl_error *error) {
    trawl_error reason;
    uint32_t default_kernel;
    trawl_device_set devices;
    const char *transfer = options->transfer;
    bool for_one = transfer != NULL && (strcmp(transfer, "a") == 0 || strcmp(transfer, "b") == 0);
    options->device = for_one ? "cuda" : "auto";
    (void)trawl_cuda_devices_read(options->device, &devices);
    if (trawl_cuda_check(0, &reason) != TRAWL_OK ||
        trawl_kernel_find(db->header->engine, NULL, &default_kernel, &reason) != TRAWL_OK ||
        trawl_cuda_devices_find(&devices, &reason) != TRAWL_OK ||
        trawl_cuda_check_patterns(db, &reason) != TRAWL_OK) {
        take_cpu(options, reason.message);
        return TRAWL_OK;
    }
    if (options->report != NULL) {
        (void)snprintf(options->report->scan.reason, sizeof options->report->scan.reason,
                       "CUDA device 0 can be used");
    }
    return read_cuda(db, &devices, options, error);
}

static trawl_status read_device(const trawl_db *db, trawl_scan_settings *options,
                                trawl_error *error) {
    const char *device = options->device;
    if (is_cpu(device)) {
        take_cpu(options, "");
        return TRAWL_OK;
    }
    if (strcmp(device, "auto") == 0) {
        return choose_device(db, options, error);
    }
    trawl_device_set devices;
    if (!trawl_cuda_devices_read(device, &devices)) {
        return trawl_fail(
            error, TRAWL_ERROR_ARGUMENT,
            "unknown device '%.40s': cpu, cuda, cuda:N, cuda:N,M, cuda:N-M, cuda:all, "
            "cuda:auto and auto are known",
            device);
    }
    if (strlen(device) >= TRAWL_DEVICE_NAME_BYTES) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "device '%.20s...' has %zu characters; at most %d are possible: "
                          "\"cuda:0-7\" is short for eight GPUs",
                          device, strlen(device), TRAWL_DEVICE_NAME_BYTES - 1);
    }
    trawl_status status = devices.shared ? trawl_cuda_devices_find(&devices, error)
                                         : trawl_cuda_check(devices.number[0], error);
    return status == TRAWL_OK ? read_cuda(db, &devices, options, error) : status;
}

trawl_status trawl_options_read(const trawl_db *db, const trawl_scan_options *given,
                                trawl_scan_settings *options, trawl_wanted_report *report,
                                trawl_error *error) {
    trawl_status status = copy_options(given, options, report, error);
    if (status == TRAWL_OK) {
        status = read_threads(options, error);
    }
    return status == TRAWL_OK ? read_device(db, options, error) : status;
}
