/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/gpu/near.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of a file, without its end. */
static bool read_line(const char *path, char *line, size_t size) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    bool read = fgets(line, (int)size, file) != NULL;
    (void)fclose(file);
    if (read) {
        line[strcspn(line, "\n")] = '\0';
    }
    return read;
}

/* Reads "0-15,32-47". */
static bool read_list(const char *list, cpu_set_t *cpus) {
    CPU_ZERO(cpus);
    while (*list != '\0') {
        char *end = NULL;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (end == list) {
            return false;
        }
        if (*end == '-') {
            list = end + 1;
            last = strtoul(list, &end, 10);
        }
        for (unsigned long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++) {
            CPU_SET(cpu, cpus);
        }
        list = *end == ',' ? end + 1 : end;
        if (end[0] != ',' && end[0] != '\0') {
            return false;
        }
    }
    return CPU_COUNT(cpus) != 0;
}

bool trawl_near_cpus(const char *root, const char *bus_id, cpu_set_t *cpus) {
    char path[512], line[4096], lower[32];
    size_t length = 0;
    for (; bus_id[length] != '\0' && length < sizeof lower - 1; length++) {
        lower[length] = (char)tolower((unsigned char)bus_id[length]);
    }
    lower[length] = '\0';
    (void)snprintf(path, sizeof path, "%s/bus/pci/devices/%s/numa_node", root, lower);
    if (!read_line(path, line, sizeof line)) {
        return false;
    }
    long node = strtol(line, NULL, 10);
    if (node < 0) { /* the system does not know */
        return false;
    }
    (void)snprintf(path, sizeof path, "%s/devices/system/node/node%ld/cpulist", root, node);
    return read_line(path, line, sizeof line) && read_list(line, cpus);
}

void trawl_near_bind(const cpu_set_t *cpus, cpu_set_t *before) {
    cpu_set_t both;
    CPU_ZERO(before);
    if (pthread_getaffinity_np(pthread_self(), sizeof *before, before) != 0) {
        CPU_ZERO(before);
        return;
    }
    CPU_AND(&both, before, cpus);
    if (CPU_COUNT(&both) == 0 || CPU_EQUAL(&both, before) ||
        pthread_setaffinity_np(pthread_self(), sizeof both, &both) != 0) {
        CPU_ZERO(before);
    }
}

void trawl_near_unbind(const cpu_set_t *before) {
    if (CPU_COUNT(before) != 0) {
        (void)pthread_setaffinity_np(pthread_self(), sizeof *before, before);
    }
}
