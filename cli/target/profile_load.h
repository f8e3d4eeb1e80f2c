/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which profile is for a device. */
#ifndef CLI_TARGET_PROFILE_LOAD_H
#define CLI_TARGET_PROFILE_LOAD_H

#include "cli/flags/cuda.h"
#include "cli/target/profile.h"
#include "trawl/trawl.h"

/* The profile that the options or the device's name lead to. TRAWL_ERROR_UNAVAILABLE: there is
 * none, and none was asked for. */
trawl_status device_profile_load(const profile_options *options, const char *device, char *path,
                                 size_t size, device_profile *profile, trawl_error *error);

/* Fills in the maker's name of a device that trawl_devices lists, else the name as it is. */
void device_maker_name(const char *device, char *name, size_t size);

#endif
