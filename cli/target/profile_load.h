/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Finds and reads the profile of a device. */
#ifndef CLI_TARGET_PROFILE_LOAD_H
#define CLI_TARGET_PROFILE_LOAD_H

#include "cli/flags/cuda.h"
#include "cli/target/profile.h"
#include "trawl/trawl.h"

/* Reads the profile that the options name, or else the one of the device, and stores its path.
 * TRAWL_ERROR_UNAVAILABLE: the options name none and the device has none. */
trawl_status device_profile_load(const profile_options *options, const char *device, char *path,
                                 size_t size, device_profile *profile, trawl_error *error);

/* For a device that takes no profile: whether the one that the options name, if any, can be read.
 * False after reporting. */
bool device_profile_is_good(const profile_options *options);

/* Stores the product name of a device that trawl_devices lists, or else `device` itself. */
void device_maker_name(const char *device, char *name, size_t size);

#endif
