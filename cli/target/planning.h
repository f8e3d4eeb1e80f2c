/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the planner gets besides the patterns: a sample of the text, and the costs of steps on this
 * CPU and GPU. */
#ifndef CLI_TARGET_PLANNING_H
#define CLI_TARGET_PLANNING_H

#include "trawl/trawl_study.h"

typedef struct planning {
    uint8_t *sample;                   /* owned */
    trawl_study_compile_options study; /* of the options, with the costs */
    trawl_costs costs;
    trawl_device_costs device_costs;
    trawl_error profile_error; /* why a profile was ignored; status TRAWL_OK: none was */
} planning;

/* Sets sample and costs in `options`, which point to *self afterwards, also with `study`. The
 * sample is of the file at `path`: pieces from all over a regular file, or the beginning of a
 * compressed one; none if `path` is NULL or, unless `must_exist`, no regular file. Costs are from
 * the profiles of the CPU and of the GPU in options->device, if there are any. False after
 * reporting that a file that must exist cannot be read. */
bool planning_begin(planning *self, const char *path, bool must_exist,
                    trawl_compile_options *options);

/* The same with a sample of a text in memory. */
void planning_begin_with_text(planning *self, const uint8_t *text, size_t length,
                              trawl_compile_options *options);

void planning_end(planning *self);

/* A sample of the file at `path` by which a GPU arranges its tables. NULL and *length 0 if there is
 * none. The caller frees it. */
uint8_t *planning_sample(const char *path, size_t *length);

/* The same of a text in memory, with the pieces that a scan from host memory takes. The caller
 * frees it. */
uint8_t *planning_table_sample(const uint8_t *text, size_t length, size_t *sample_length);

#endif
