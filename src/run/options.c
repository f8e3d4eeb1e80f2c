/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/options.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/team.h"
#include "engines/registry.h"
#include "gpu/module.h"
#include "run/gpu/transfer/ring.h"

#define MOST_THREADS 1024u

static trawl_status copy_options(const trawl_scan_options *given, trawl_scan_options *options,
                                 trawl_error *error) {
    memset(options, 0, sizeof *options);
    if (given != NULL) {
        if (given->size < sizeof given->size) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "scan options: size is %zu; initialise them with TRAWL_SCAN_OPTIONS",
                              given->size);
        }
        memcpy(options, given, given->size < sizeof *options ? given->size : sizeof *options);
    }
    options->size = sizeof *options;
    if (options->report != NULL) {
        memset(options->report, 0, sizeof *options->report);
    }
    return TRAWL_OK;
}

static trawl_status read_threads(trawl_scan_options *options, trawl_error *error) {
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

/* Completes the options of a scan on CUDA device `number`. */
static trawl_status read_cuda(const trawl_db *db, uint32_t number, trawl_scan_options *options,
                              trawl_error *error) {
    trawl_strategy strategy;
    trawl_status status = trawl_strategy_find(options->transfer, &strategy, error);
    if (status != TRAWL_OK) {
        return status;
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
    /* The library's strings instead of the caller's, which may be freed before the run ends. */
    trawl_kernel_description description;
    if (options->kernel != NULL && trawl_kernel_describe(engine, kernel, &description)) {
        options->kernel = description.name;
    }
    options->transfer = trawl_strategy_name(strategy);
    /* All threads of a device read the one copy of the tables in its memory. */
    options->copy_tables = false;
    if (options->report != NULL) {
        (void)snprintf(options->report->device, sizeof options->report->device, "cuda:%u", number);
    }
    return TRAWL_OK;
}

/* Chooses the CPU. `reason`: why, if the library chose; else empty. */
static void take_cpu(trawl_scan_options *options, const char *reason) {
    options->device = NULL;
    if (options->report != NULL) {
        (void)snprintf(options->report->device, sizeof options->report->device, "cpu");
        (void)snprintf(options->report->reason, sizeof options->report->reason, "%.190s", reason);
    }
}

static trawl_status read_device(const trawl_db *db, trawl_scan_options *options,
                                trawl_error *error) {
    const char *device = options->device;
    if (device == NULL || strcmp(device, "cpu") == 0) {
        take_cpu(options, "");
        return TRAWL_OK;
    }
    uint32_t number = 0;
    if (strcmp(device, "auto") == 0) {
        trawl_error reason;
        uint32_t default_kernel;
        if (trawl_cuda_check(number, &reason) != TRAWL_OK ||
            trawl_kernel_find(db->header->engine, NULL, &default_kernel, &reason) != TRAWL_OK) {
            take_cpu(options, reason.message);
            return TRAWL_OK;
        }
        options->device = "cuda";
        if (options->report != NULL) {
            (void)snprintf(options->report->reason, sizeof options->report->reason,
                           "CUDA device %u can be used", number);
        }
        return read_cuda(db, number, options, error);
    }
    if (!trawl_cuda_device_number(device, &number)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "unknown device '%.40s': cpu, cuda, cuda:N and auto are known", device);
    }
    trawl_status status = trawl_cuda_check(number, error);
    return status == TRAWL_OK ? read_cuda(db, number, options, error) : status;
}

trawl_status trawl_options_read(const trawl_db *db, const trawl_scan_options *given,
                                trawl_scan_options *options, trawl_error *error) {
    trawl_status status = copy_options(given, options, error);
    if (status == TRAWL_OK) {
        status = read_threads(options, error);
    }
    return status == TRAWL_OK ? read_device(db, options, error) : status;
}
