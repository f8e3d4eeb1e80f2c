/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl_study_measure_device_costs: times the steps of counting on a GPU. For each step there is a
 * made-up set and text in which it takes most of the time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "base/random.h"
#include "base/sized.h"
#include "base/status.h"
#include "constants/gpu.h"
#include "costs/costs.h"
#include "engines/ac_dfa/gpu_cost.h"
#include "trawl/trawl_cuda.h"

/* Bytes of the text that is counted: if the caller does not say, and at least. */
#define USUAL_TEXT_BYTES ((uint64_t)512 << 20)
#define LEAST_TEXT_BYTES ((uint64_t)16384)
#define RANDOM_BYTES ((size_t)32 << 20) /* the text repeats a random text of this size */
#define SAMPLE_BYTES ((size_t)131072)   /* of the text, for the planner and the upload */
#define RUNS 5u                         /* of a scan, of which the median counts */
#define LEAST_PICOSECONDS 0.01          /* in place of a cost that is measured as 0 or less */

typedef struct device_bench {
    uint32_t number;
    trawl_cuda_properties device;
    uint8_t *text;
    size_t length;
    uint64_t random;
    trawl_device_costs *costs;
    trawl_error *error;
} device_bench;

static uint64_t next_random(device_bench *self) {
    return trawl_random_next(&self->random) >> 11;
}

/* ------------------------------------------------------------------ sets and texts */

/* An alphabet: bytes first to first + count - 1, equally frequent in sets and texts. */
typedef struct letters {
    uint8_t first, count;
} letters;

static const letters sixteen = {'a', 16}, sixty_three = {0x40, 63};

static void fill_text(device_bench *self, letters of) {
    size_t made = self->length < RANDOM_BYTES ? self->length : RANDOM_BYTES;
    for (size_t i = 0; i < made; i++) {
        self->text[i] = (uint8_t)(of.first + next_random(self) % of.count);
    }
    for (size_t at = made; at < self->length; at += made) {
        memcpy(self->text + at, self->text, self->length - at < made ? self->length - at : made);
    }
}

static void fill_with_bases(device_bench *self) {
    fill_text(self, (letters){0, 4});
    for (size_t i = 0; i < self->length; i++) {
        self->text[i] = (uint8_t) "acgt"[self->text[i]];
    }
}

static trawl_status make_set(device_bench *self, letters of, size_t count, size_t length,
                             trawl_patterns **set) {
    uint8_t bytes[16];
    trawl_status status = trawl_patterns_new(set, self->error);
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        for (size_t k = 0; k < length; k++) {
            bytes[k] = (uint8_t)(of.first + next_random(self) % of.count);
        }
        status = trawl_patterns_add(*set, bytes, length, 0, self->error);
    }
    return status;
}

/* ------------------------------------------------------------------ one measurement */

static trawl_status time_set(device_bench *self, const trawl_patterns *set, const char *engine,
                             const char *kernel, double *picoseconds) {
    trawl_compile_options compile = TRAWL_COMPILE_OPTIONS;
    trawl_cuda_upload_options upload = TRAWL_CUDA_UPLOAD_OPTIONS;
    trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
    trawl_cuda_db *uploaded = NULL;
    trawl_db *db = NULL;
    double seconds[RUNS];
    compile.engine = engine;
    compile.sample = upload.sample = self->text;
    compile.sample_length = upload.sample_length =
        self->length < SAMPLE_BYTES ? self->length : SAMPLE_BYTES;
    upload.device = self->number;
    scan.kernel = kernel;
    trawl_status status = trawl_compile(set, &compile, &db, self->error);
    if (status == TRAWL_OK) {
        status = trawl_cuda_upload(db, &upload, &uploaded, self->error);
    }
    if (status == TRAWL_OK) {
        status = trawl_study_cuda_measure(uploaded, &scan, self->text, self->length, RUNS, seconds,
                                          NULL, self->error);
        *picoseconds = seconds[RUNS / 2] * 1e12 / (double)self->length;
    }
    trawl_cuda_db_free(uploaded);
    trawl_db_free(db);
    return status;
}

/* Times ac-dfa with kernel hot; *estimate: what the planner counts for the same walk. */
static trawl_status time_hot(device_bench *self, const trawl_patterns *set, double *picoseconds,
                             trawl_hot_estimate *estimate) {
    trawl_device_costs none = {.size = sizeof none};
    size_t length = self->length < SAMPLE_BYTES ? self->length : SAMPLE_BYTES;
    trawl_status status = trawl_hot_estimate_make(set, self->text, length, &self->device, &none,
                                                  estimate, self->error);
    return status == TRAWL_OK ? time_set(self, set, "ac-dfa", "hot", picoseconds) : status;
}

static double at_least(double value) {
    return value > LEAST_PICOSECONDS ? value
                                     : LEAST_PICOSECONDS; /* also if value is not a number */
}

/* ------------------------------------------------------------------ ac-dfa */

/* All rows are in shared memory: first without bank conflicts, then with them. */
static trawl_status measure_steps(device_bench *self) {
    const letters alphabets[] = {sixteen, sixty_three};
    double picoseconds[2] = {0, 0};
    trawl_hot_estimate unused;
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < 2; i++) {
        trawl_patterns *set = NULL;
        fill_text(self, alphabets[i]);
        status = make_set(self, alphabets[i], 100, 8, &set);
        if (status == TRAWL_OK) {
            status = time_hot(self, set, &picoseconds[i], &unused);
        }
        trawl_patterns_free(set);
    }
    self->costs->hot_step = at_least(picoseconds[0]);
    self->costs->hot_conflict = at_least(picoseconds[1] - picoseconds[0]);
    return status;
}

/* hot_wait and hot_cached: the built-in ones times the geometric mean of two ratios, of a set with
 * few steps outside shared memory and of one with many. The two costs are not told apart: sets
 * hardly differ in how many steps have the one for each that has the other. */
static trawl_status measure_steps_elsewhere(device_bench *self) {
    static const size_t counts[] = {3000, 30000};
    const trawl_device_costs *built_in = &trawl_device_costs_built_in;
    double product = 1;
    trawl_status status = TRAWL_OK;
    fill_text(self, sixteen);
    for (size_t i = 0; status == TRAWL_OK && i < 2; i++) {
        trawl_patterns *set = NULL;
        trawl_hot_estimate estimate = {0};
        double taken = 0;
        status = make_set(self, sixteen, counts[i], 8, &set);
        if (status == TRAWL_OK) {
            status = time_hot(self, set, &taken, &estimate);
        }
        double expected =
            estimate.waits * built_in->hot_wait + estimate.elsewhere * built_in->hot_cached;
        product *= expected > 0 ? at_least(taken - self->costs->hot_step) / expected : 1;
        trawl_patterns_free(set);
    }
    self->costs->hot_wait = at_least(built_in->hot_wait * sqrt(product));
    self->costs->hot_cached = at_least(built_in->hot_cached * sqrt(product));
    return status;
}

/* One pattern matches either case, so the matches of all others are compared with the text. Few
 * positions have one, as in texts where this is needed: neighbouring ones share the cost. */
static trawl_status measure_verified(device_bench *self) {
    trawl_patterns *set = NULL;
    trawl_hot_estimate estimate;
    double picoseconds = 0;
    fill_text(self, sixteen);
    trawl_status status = make_set(self, sixteen, 400, 4, &set);
    if (status == TRAWL_OK) {
        status = trawl_patterns_add(set, "zzzz", 4, TRAWL_PATTERN_CASE_INSENSITIVE, self->error);
    }
    if (status == TRAWL_OK) {
        status = time_hot(self, set, &picoseconds, &estimate);
    }
    if (status == TRAWL_OK && estimate.verified > 0) {
        const trawl_device_costs *costs = self->costs;
        double steps = costs->hot_step + costs->hot_wait * estimate.waits +
                       costs->hot_cached * estimate.elsewhere + TRAWL_GPU_HOT_REPORT;
        self->costs->hot_verified = at_least((picoseconds - steps) / estimate.verified);
    }
    trawl_patterns_free(set);
    return status;
}

/* ------------------------------------------------------------------ qgram */

/* The price that the planner expects on an H200 for this set and text. */
static trawl_status price_filter(device_bench *self, const trawl_patterns *set,
                                 double *picoseconds) {
    trawl_device_costs costs = {.size = sizeof costs, .filter = 1};
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    trawl_db *db = NULL;
    char device[16];
    (void)snprintf(device, sizeof device, "cuda:%u", self->number);
    options.device = device;
    study.device_costs = &costs;
    options.study = &study;
    options.sample = self->text;
    options.sample_length = self->length < SAMPLE_BYTES ? self->length : SAMPLE_BYTES;
    trawl_status status = trawl_compile(set, &options, &db, self->error);
    *picoseconds = 0;
    if (status == TRAWL_OK) {
        status = trawl_study_db_plan(db, &plan, self->error);
    }
    for (size_t i = 0; status == TRAWL_OK && i < plan.engines; i++) {
        if (strcmp(plan.engine[i].kernel, "filter") == 0) {
            *picoseconds = 1e3 / plan.engine[i].gb_per_second;
        }
    }
    trawl_db_free(db);
    return status;
}

/* The geometric mean of two ratios: of a set with few candidates, and of one with many. */
static trawl_status measure_filter(device_bench *self) {
    static const struct { size_t count, length; } sets[] = {{1000, 12}, {5000, 5}};
    double product = 1;
    trawl_status status = TRAWL_OK;
    fill_text(self, sixteen);
    for (size_t i = 0; status == TRAWL_OK && i < 2; i++) {
        trawl_patterns *set = NULL;
        double priced = 0, picoseconds = 0;
        status = make_set(self, sixteen, sets[i].count, sets[i].length, &set);
        if (status == TRAWL_OK) {
            status = price_filter(self, set, &priced);
        }
        if (status == TRAWL_OK) {
            status = time_set(self, set, "qgram", "filter", &picoseconds);
        }
        product *= priced > 0 ? picoseconds / priced : 1;
        trawl_patterns_free(set);
    }
    self->costs->filter = at_least(sqrt(product));
    return status;
}

static trawl_status measure_packed(device_bench *self) {
    trawl_patterns *set = NULL;
    trawl_error obstacle;
    fill_with_bases(self);
    trawl_status status = trawl_patterns_new(&set, self->error);
    for (size_t i = 0; status == TRAWL_OK && i < 1000; i++) {
        /* The text is random: patterns from any place in it are alike. */
        size_t at = next_random(self) % (self->length - 8);
        status = trawl_patterns_add(set, self->text + at, 8, 0, self->error);
    }
    if (status == TRAWL_OK) {
        trawl_error *error = self->error;
        self->error = &obstacle;
        status = time_set(self, set, "qgram", "packed", &self->costs->packed);
        self->error = error;
        if (status == TRAWL_ERROR_LIMIT || status == TRAWL_ERROR_ARGUMENT) {
            status = TRAWL_OK; /* too little shared memory: the kernel cannot be used there */
        } else if (status != TRAWL_OK) {
            status = trawl_fail(error, status, "%s", obstacle.message);
        }
    }
    trawl_patterns_free(set);
    return status;
}

/* ------------------------------------------------------------------ all of it */

static trawl_status measure_all(device_bench *self) {
    trawl_status (*const steps[])(device_bench *) = {
        measure_steps, measure_steps_elsewhere, measure_verified, measure_filter, measure_packed};
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < sizeof steps / sizeof *steps; i++) {
        status = steps[i](self);
    }
    return status;
}

trawl_status trawl_study_measure_device_costs(uint32_t device, uint64_t text_bytes,
                                              trawl_device_costs *costs, trawl_error *error) {
    trawl_clear(error);
    if (costs == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_measure_device_costs: costs is NULL");
    }
    trawl_status status = trawl_sized_check(costs, "trawl_study_measure_device_costs: costs",
                                            "TRAWL_DEVICE_COSTS", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_device_costs measured = {.size = sizeof measured};
    device_bench self = {.number = device,
                         .random = UINT64_C(0x853c49e6748fea9b),
                         .costs = &measured,
                         .error = error};
    status = trawl_cuda_read_properties(device, &self.device, error);
    if (status != TRAWL_OK) {
        return status;
    }
    text_bytes = text_bytes == 0 ? USUAL_TEXT_BYTES : text_bytes;
    self.length = text_bytes > LEAST_TEXT_BYTES ? (size_t)text_bytes : (size_t)LEAST_TEXT_BYTES;
    self.text = trawl_allocate(self.length, 1);
    if (self.text == NULL) {
        return trawl_fail_memory(error, "measuring costs", self.length);
    }
    status = measure_all(&self);
    if (status == TRAWL_OK) {
        trawl_sized_write(costs, &measured, sizeof measured);
    }
    trawl_release(self.text);
    return status;
}
