/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Profiles: what `trawl tune` found to be the fastest on a device, one small file for each device.
 *
 *     device = NVIDIA H200
 *
 *     [ac-dfa classes]            engine and variant
 *     kernel = hot
 *     block_threads = 256         0: the kernel's own
 *     block_bytes = 65536         0: the kernel's own
 *     gb_per_second = 612.3       what was measured, with these parameters
 *     date = 2026-11-21
 *
 *     [cpu costs]                 of a CPU: the members of trawl_costs, in nanoseconds
 *     sample = 0.64 0.65 ...
 *
 *     [cuda costs]                of a GPU: the members of trawl_device_costs, in picoseconds
 *     filter = 1.2
 *
 * Empty lines and lines that begin with # mean nothing. Parameters never change what is found.
 */
#ifndef CLI_TARGET_PROFILE_H
#define CLI_TARGET_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/trawl.h"

enum { TUNE_NAME_BYTES = 48, TUNE_ENTRIES = 64 };

typedef struct tune_entry {
    char engine[TUNE_NAME_BYTES];
    char variant[TUNE_NAME_BYTES];
    char kernel[TUNE_NAME_BYTES];
    uint32_t block_threads;
    uint32_t block_bytes;
    double gb_per_second;
    char date[TUNE_NAME_BYTES];
} tune_entry;

typedef struct tune_profile {
    char device[128];
    tune_entry entries[TUNE_ENTRIES];
    size_t count;
    bool has_costs;
    trawl_costs costs;
    bool has_device_costs;
    trawl_device_costs device_costs;
} tune_profile;

/* The members of trawl_costs by name: where its values are and how many; NULL past the last one. */
double *tune_cost(trawl_costs *costs, size_t index, const char **name, size_t *count);

/* The same of trawl_device_costs, whose members are one value each. */
double *tune_device_cost(trawl_device_costs *costs, size_t index, const char **name);

/* Reads a whole profile. TRAWL_ERROR_IO when it cannot be read, TRAWL_ERROR_FORMAT when it is
 * damaged; the sentence then names file and line, and *profile is empty. */
trawl_status tune_profile_read(const char *path, tune_profile *profile, trawl_error *error);

/* Writes it atomically; makes the directory of the file, but not that of the directory. */
trawl_status tune_profile_write(const char *path, const tune_profile *profile, trawl_error *error);

/* NULL: there is none. */
const tune_entry *tune_profile_find(const tune_profile *profile, const char *engine,
                                    const char *variant);

/* Puts an entry in the place of the one for the same engine and variant. False when it is full. */
bool tune_profile_set(tune_profile *profile, const tune_entry *entry);

/* The maker's name of a device, from trawl_device.description. */
void tune_device_name(const char *description, char *name, size_t size);

/* Where the profile of a device lies: $XDG_CONFIG_HOME/trawl/ (else $HOME/.config/trawl/) and the
 * device's name. False when neither variable is set or the path is too long. */
bool tune_profile_path(const char *device_name, char *path, size_t size);

#endif
