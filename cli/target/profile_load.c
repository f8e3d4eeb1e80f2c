/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/target/profile_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/flags/device.h"

void device_maker_name(const char *device, char *name, size_t size) {
    trawl_device found = TRAWL_DEVICE;
    char first[16] = "cuda:0";
    if (device_is_group(device)) { /* of several GPUs the first one's; "cuda:all": device 0 */
        size_t digits = strspn(device + 5, "0123456789");
        if (digits != 0)
            (void)snprintf(first, sizeof first, "cuda:%.*s", (int)digits, device + 5);
        device = first;
    }
    if (device_find(device, &found))
        profile_device_name(found.description, name, size);
    else
        (void)snprintf(name, size, "%s", strcmp(device, "cuda") == 0 ? "cuda:0" : device);
}

/* Whether the directory of profiles exists. */
static bool has_profiles(void) {
    char path[4096];
    if (!device_profile_path("any", path, sizeof path))
        return false;
    *strrchr(path, '/') = '\0';
    return access(path, F_OK) == 0;
}

bool device_profile_is_good(const profile_options *options) {
    trawl_error error;
    if (options->path == NULL || options->ignore)
        return true;
    device_profile *profile = allocate(sizeof *profile);
    trawl_status status = device_profile_read(options->path, profile, &error);
    free(profile);
    if (status != TRAWL_OK)
        (void)report_error(&error);
    return status == TRAWL_OK;
}

trawl_status device_profile_load(const profile_options *options, const char *device, char *path,
                                 size_t size, device_profile *profile, trawl_error *error) {
    char name[128];
    *profile = (device_profile){.count = 0};
    *error = (trawl_error){.status = TRAWL_ERROR_UNAVAILABLE};
    path[0] = '\0';
    if (options->ignore)
        return TRAWL_ERROR_UNAVAILABLE;
    if (options->path != NULL) {
        (void)snprintf(path, size, "%s", options->path);
        return device_profile_read(path, profile, error);
    }
    if (!has_profiles()) /* the usual case, and finding a device's name takes long */
        return TRAWL_ERROR_UNAVAILABLE;
    device_maker_name(device, name, sizeof name);
    if (!device_profile_path(name, path, size) || access(path, F_OK) != 0) {
        path[0] = '\0';
        return TRAWL_ERROR_UNAVAILABLE;
    }
    return device_profile_read(path, profile, error);
}
