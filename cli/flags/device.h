/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Names of devices ("cpu", "cuda", "cuda:N", "cuda:all" and others of several GPUs, "auto"; NULL is
 * the CPU) and of engines' kernels. */
#ifndef CLI_FLAGS_DEVICE_H
#define CLI_FLAGS_DEVICE_H

#include "trawl/trawl.h"

/* Whether the name is "cuda", or begins as "cuda:N" does. */
bool device_is_cuda(const char *device);

/* Whether the name is of several GPUs: "cuda:all", "cuda:auto", "cuda:0,2", "cuda:0-3". */
bool device_is_group(const char *device);

/* As device_is_cuda, and stores N; false also if N is no number. */
bool device_number(const char *device, uint32_t *number);

/* Finds a device in trawl_devices; "cuda" is "cuda:0". False if it is not listed. */
bool device_find(const char *device, trawl_device *found);

/* Replaces the device "auto" by the first GPU that is listed, or else the CPU. For commands that
 * must know the device before they have a database. */
void device_resolve_auto(trawl_scan_options *options);

/* Reports that no device can have this name. Returns false. */
bool device_refuse(const char *device);

/* Whether a plan can be made for a device of that name, which this machine need not have. False
 * after reporting. */
bool device_can_be_planned(const char *device);

/* Finds an engine by its name; false for "auto", NULL and unknown names. */
bool engine_find(const char *name, trawl_engine_description *engine);

/* Writes the names of an engine's kernels, or else of its variants, separated by commas. */
void engine_list_names(const trawl_engine_description *engine, bool kernels, char *names,
                       size_t size);

/* The library's own string for a kernel of an engine, or NULL. */
const char *kernel_find(const char *engine, const char *name);

/* Has the planner plan for the device that scans. If --kernel is given without --engine, names the
 * first engine with that kernel. */
void device_choose_engine(trawl_compile_options *compile, const trawl_scan_options *scan);

#endif
