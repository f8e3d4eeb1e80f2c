/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/cpu.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/team.h"
#include "gpu/module.h"

/* The name of the processor as the operating system reports it. If it reports none, as on Arm: the
 * family of the processor. */
static void processor_name(char *name, size_t size) {
    (void)snprintf(name, size, TRAWL_HAVE_NEON ? "64-bit Arm processor" : "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            (void)snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    (void)fclose(file);
}

static void describe_cpu(trawl_device *cpu, trawl_cpu_set used) {
    char name[54], sets[TRAWL_CPU_LIST_BYTES];
    memset(cpu, 0, sizeof *cpu);
    processor_name(name, sizeof name);
    trawl_cpu_list_sets(sets, sizeof sets);
    (void)snprintf(cpu->name, sizeof cpu->name, "cpu");
    (void)snprintf(cpu->description, sizeof cpu->description, "%s (%s; %s is used)", name, sets,
                   trawl_cpu_set_name(used));
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    cpu->memory_bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    cpu->units = trawl_processors();
}

/* Describes all devices: an array that the caller frees with trawl_release. */
static trawl_status describe_all(trawl_device **devices, size_t *count, trawl_error *error) {
    trawl_cpu_set used;
    trawl_status status = trawl_cpu_choose(&used, error);
    if (status != TRAWL_OK) {
        return status;
    }
    size_t most = trawl_cuda_list(NULL, 0);
    *devices = trawl_allocate_zeroed(1 + most, sizeof **devices);
    if (*devices == NULL) {
        return trawl_fail_memory(error, "the list of devices", (1 + most) * sizeof **devices);
    }
    describe_cpu(*devices, used);
    size_t found = most == 0 ? 0 : trawl_cuda_list(*devices + 1, most);
    *count = 1 + (found < most ? found : most);
    return TRAWL_OK;
}

trawl_status trawl_devices(trawl_device *devices, size_t capacity, size_t *count,
                           trawl_error *error) {
    trawl_clear(error);
    if (count == NULL || (devices == NULL && capacity != 0)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_devices: %s is NULL",
                          count == NULL ? "count" : "devices");
    }
    if (capacity == 0) {
        trawl_cpu_set used;
        trawl_status chosen = trawl_cpu_choose(&used, error);
        *count = chosen == TRAWL_OK ? 1 + trawl_cuda_list(NULL, 0) : 0;
        return chosen;
    }
    trawl_status status =
        trawl_sized_check(devices, "trawl_devices: devices[0]", "TRAWL_DEVICE", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_device *all = NULL;
    status = describe_all(&all, count, error);
    /* The caller's structure may be of another version: its own size is the distance of
     * elements. */
    size_t size = trawl_sized_size(devices);
    for (size_t i = 0; status == TRAWL_OK && i < *count && i < capacity; i++) {
        char *element = (char *)devices + i * size;
        memcpy(element, &size, sizeof size);
        trawl_sized_write(element, &all[i], sizeof all[i]);
    }
    trawl_release(all);
    return status;
}
