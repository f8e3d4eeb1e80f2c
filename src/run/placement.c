/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/placement.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "base/status.h"

typedef struct cpu_place {
    int package;
    int core;
    int cpu;
} cpu_place;

/* A number from the operating system's description of a CPU (/sys/devices/system/cpu), or 0. */
static int topology(int cpu, const char *what) {
    char path[96];
    int value = 0;
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        char line[32];
        if (fgets(line, sizeof line, file) != NULL) {
            value = (int)strtol(line, NULL, 10);
        }
        (void)fclose(file);
    }
    return value;
}

static int compare_places(const void *left, const void *right) {
    const cpu_place *a = left;
    const cpu_place *b = right;
    if (a->package != b->package) {
        return a->package - b->package;
    }
    return a->core != b->core ? a->core - b->core : a->cpu - b->cpu;
}

trawl_status trawl_placing_open(trawl_placing *placing, trawl_placement placement, uint32_t threads,
                                trawl_error *error) {
    *placing = (trawl_placing){.threads = threads};
    cpu_set_t allowed;
    if (placement == TRAWL_PLACEMENT_NONE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return TRAWL_OK;
    }
    size_t count = (size_t)CPU_COUNT(&allowed);
    cpu_place *places = trawl_allocate(count, sizeof *places);
    placing->cpus = trawl_allocate(threads, sizeof *placing->cpus);
    if (places == NULL || placing->cpus == NULL) {
        trawl_release(places);
        trawl_placing_close(placing);
        return trawl_fail_memory(error, "thread placement", count * sizeof *places);
    }
    size_t used = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && used < count; cpu++) {
        if (CPU_ISSET((size_t)cpu, &allowed)) {
            places[used++] =
                (cpu_place){topology(cpu, "physical_package_id"), topology(cpu, "core_id"), cpu};
        }
    }
    if (used == 0) {
        trawl_release(places);
        trawl_placing_close(placing);
        return TRAWL_OK;
    }
    qsort(places, used, sizeof *places, compare_places);
    for (uint32_t thread = 0; thread < threads; thread++) {
        size_t place = placement == TRAWL_PLACEMENT_CLOSE || threads >= used
                           ? thread % used
                           : (size_t)thread * used / threads;
        placing->cpus[thread] = places[place].cpu;
    }
    trawl_release(places);
    return TRAWL_OK;
}

void trawl_placing_close(trawl_placing *placing) {
    trawl_release(placing->cpus);
    placing->cpus = NULL;
}

void trawl_placing_bind(const trawl_placing *placing, uint32_t thread, cpu_set_t *before) {
    CPU_ZERO(before);
    if (placing->cpus == NULL) {
        return;
    }
    (void)pthread_getaffinity_np(pthread_self(), sizeof *before, before);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)placing->cpus[thread % placing->threads], &one);
    (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

void trawl_placing_unbind(const trawl_placing *placing, const cpu_set_t *before) {
    if (placing->cpus != NULL && CPU_COUNT(before) != 0) {
        (void)pthread_setaffinity_np(pthread_self(), sizeof *before, before);
    }
}
