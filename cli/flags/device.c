/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/nearest.h"
#include "cli/base/report.h"

bool device_is_cuda(const char *device) {
    return device != NULL && strncmp(device, "cuda", 4) == 0 &&
           (device[4] == '\0' || device[4] == ':');
}

bool device_is_group(const char *device) {
    return device_is_cuda(device) && device[4] == ':' &&
           (strcmp(device + 5, "all") == 0 || strcmp(device + 5, "auto") == 0 ||
            (device[5] >= '0' && device[5] <= '9' &&
             device[5 + strspn(device + 5, "0123456789,-")] == '\0' &&
             strpbrk(device + 5, ",-") != NULL));
}

bool device_number(const char *device, uint32_t *number) {
    if (!device_is_cuda(device))
        return false;
    char *end = NULL;
    const char *digits = device[4] == ':' ? device + 5 : "0";
    unsigned long value = strtoul(digits, &end, 10);
    *number = (uint32_t)value;
    return *digits >= '0' && *digits <= '9' && *end == '\0' && value <= 9999;
}

bool device_find(const char *device, trawl_device *found) {
    enum { MOST = 64 };
    trawl_device devices[MOST] = {TRAWL_DEVICE};
    size_t count = 0;
    const char *name = strcmp(device, "cuda") == 0 ? "cuda:0" : device;
    if (trawl_devices(devices, MOST, &count, NULL) != TRAWL_OK)
        return false;
    for (size_t i = 0; i < count && i < MOST; i++) {
        if (strcmp(devices[i].name, name) == 0) {
            *found = devices[i];
            return true;
        }
    }
    return false;
}

void device_resolve_auto(trawl_scan_options *options) {
    trawl_device first = TRAWL_DEVICE;
    if (options->device != NULL && strcmp(options->device, "auto") == 0)
        options->device = device_find("cuda:0", &first) ? "cuda:0" : NULL;
}

bool device_refuse(const char *device) {
    nearest search = {.unknown = device};
    nearest_offer(&search, "cuda");
    nearest_offer(&search, "cuda:0");
    nearest_offer(&search, "cuda:all");
    nearest_offer(&search, "auto");
    if (strcmp(device, "gpu") == 0) /* nearer to cpu by its letters */
        search.name = "cuda";
    else
        nearest_offer(&search, "cpu");
    report("--device: expected cpu, cuda, cuda:N, cuda:all, cuda:N,M or auto, not '%s'%s%s%s",
           device, search.name == NULL ? "" : "; did you mean ",
           search.name == NULL ? "" : search.name, search.name == NULL ? "" : "?");
    return false;
}

bool device_can_be_planned(const char *device) {
    if (device_is_cuda(device) || strcmp(device, "cpu") == 0 || strcmp(device, "auto") == 0)
        return true;
    return device_refuse(device);
}

const char *kernel_find(const char *engine, const char *name) {
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    for (size_t i = 0; trawl_kernel_describe(engine, i, &kernel); i++) {
        if (strcmp(kernel.name, name) == 0)
            return kernel.name;
    }
    return NULL;
}

void device_choose_engine(trawl_compile_options *compile, const trawl_scan_options *scan) {
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    bool is_automatic = compile->engine == NULL || strcmp(compile->engine, "auto") == 0;
    compile->device = scan->device;
    for (size_t i = 0; is_automatic && scan->kernel != NULL && trawl_engine_describe(i, &engine);
         i++) {
        if (kernel_find(engine.name, scan->kernel) != NULL) {
            compile->engine = engine.name;
            return;
        }
    }
}

void engine_list_names(const trawl_engine_description *engine, bool kernels, char *names,
                       size_t size) {
    size_t used = 0;
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    names[0] = '\0';
    for (size_t i = 0; used < size; i++) {
        if (kernels ? !trawl_kernel_describe(engine->name, i, &kernel)
                    : engine->variants[i] == NULL)
            break;
        used += (size_t)snprintf(names + used, size - used, "%s%s", i == 0 ? "" : ", ",
                                 kernels ? kernel.name : engine->variants[i]);
    }
}

bool engine_find(const char *name, trawl_engine_description *engine) {
    for (size_t i = 0; name != NULL && trawl_engine_describe(i, engine); i++) {
        if (strcmp(engine->name, name) == 0)
            return true;
    }
    return false;
}
