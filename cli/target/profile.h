/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Profiles: the results of `trawl tune`, one small file for each device.
 *
 *     device = NVIDIA H200
 *
 *     [ac-dfa classes]            engine and variant
 *     kernel = hot
 *     block_threads = 256         0: the kernel's own
 *     block_bytes = 65536         0: the kernel's own
 *     gb_per_second = 612.3       the speed measured with these parameters
 *     date = 2026-11-21
 *
 *     [cpu costs]                 of a CPU: the members of trawl_costs, in nanoseconds
 *     sample = 0.64 0.65 ...
 *
 *     [cuda costs]                of a GPU: the members of trawl_device_costs, in picoseconds
 *     filter = 1.2
 *
 * Empty lines and lines that begin with # are ignored. Profiles never change results.
 */
#ifndef CLI_TARGET_PROFILE_H
#define CLI_TARGET_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/trawl_study.h"

enum { PROFILE_NAME_BYTES = 48, PROFILE_ENTRIES = 64 };

typedef struct profile_entry {
    char engine[PROFILE_NAME_BYTES];
    char variant[PROFILE_NAME_BYTES];
    char kernel[PROFILE_NAME_BYTES];
    uint32_t block_threads;
    uint32_t block_bytes;
    double gb_per_second;
    char date[PROFILE_NAME_BYTES];
} profile_entry;

typedef struct device_profile {
    char device[128];
    profile_entry entries[PROFILE_ENTRIES];
    size_t count;
    bool has_costs;
    trawl_costs costs;
    bool has_device_costs;
    trawl_device_costs device_costs;
} device_profile;

/* Member number `index` of trawl_costs: its values, their number and its name; NULL past the last.
 */
double *profile_cost(trawl_costs *costs, size_t index, const char **name, size_t *count);

/* The same of trawl_device_costs, whose members have one value each. */
double *profile_device_cost(trawl_device_costs *costs, size_t index, const char **name);

/* Reads a profile. TRAWL_ERROR_IO if it cannot be read or is not a regular file, TRAWL_ERROR_FORMAT
 * if it is damaged or longer than 1 MiB: the message names file and line. *profile is then empty.
 */
trawl_status device_profile_read(const char *path, device_profile *profile, trawl_error *error);

/* Creates the folder of a file, and the one above it: $HOME/.config may be missing in a new home.
 * An error shows when the file is opened. */
void device_profile_make_folder(const char *path);

/* Writes a profile atomically. Its folder must be there. */
trawl_status device_profile_write(const char *path, const device_profile *profile,
                                  trawl_error *error);

/* Whether the file could be written, which stays as it is. */
trawl_status device_profile_check(const char *path, trawl_error *error);

/* The entry for an engine and variant, or NULL. */
const profile_entry *device_profile_find(const device_profile *profile, const char *engine,
                                         const char *variant);

/* Replaces the entry for the same engine and variant, or adds one. False if the profile is full. */
bool device_profile_set(device_profile *profile, const profile_entry *entry);

/* The name of the product, "NVIDIA H200", from trawl_device.description. */
void profile_device_name(const char *description, char *name, size_t size);

/* The path of a device's profile: $XDG_CONFIG_HOME/trawl/NAME.profile, else
 * $HOME/.config/trawl/NAME.profile. False if neither variable is set or the path is too long. */
bool device_profile_path(const char *device_name, char *path, size_t size);

#endif
