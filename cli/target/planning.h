/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the planner is given besides the patterns: a sample of the text, and what scanning costs on
 * this CPU. */
#ifndef CLI_TARGET_PLANNING_H
#define CLI_TARGET_PLANNING_H

#include "trawl/trawl.h"

typedef struct planning {
    uint8_t *sample; /* owned */
    trawl_costs costs;
    trawl_device_costs device_costs;
} planning;

/* Takes a sample of the file at `path`, from all over it when it is a regular one that is not
 * compressed, else from its beginning; NULL, or a pipe: none. And costs, from the profiles of
 * `trawl tune`, where there are such, of the CPU and of the GPU of options->device. All go into
 * `options`, which refer to *self afterwards. False after one line, when `must_exist` and the file
 * cannot be read. */
bool planning_begin(planning *self, const char *path, bool must_exist,
                    trawl_compile_options *options);

/* The same with a text that is in memory. */
void planning_begin_with_text(planning *self, const uint8_t *text, size_t length,
                              trawl_compile_options *options);

void planning_end(planning *self);

/* A sample of the text at `path` for a device, in the same way; NULL and *length 0 when there is
 * none. The caller frees it. */
uint8_t *planning_sample(const char *path, size_t *length);

/* A sample of a text in memory by which tables are laid out on a device, taken as a scan from host
 * memory does it: from all over the text. The caller frees it. */
uint8_t *planning_table_sample(const uint8_t *text, size_t length, size_t *sample_length);

#endif
