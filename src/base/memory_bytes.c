/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/memory_bytes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The number that a file begins with; `most` if there is no such file, or a word in it ("max"). */
static uint64_t limit_of(const char *path, uint64_t most) {
    uint64_t bytes = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return most;
    }
    const bool is_number = fscanf(file, "%" SCNu64, &bytes) == 1;
    (void)fclose(file);
    return is_number && bytes < most ? bytes : most;
}

/* The least limit of the control group that the process is in and of all groups above it (version 2
 * of control groups). In a container the root is the container's group. */
static uint64_t limit_of_group(uint64_t most) {
    char line[512], path[600];
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) != 0) {
            continue;
        }
        char *const group = line + 3;
        for (char *slash = group + strlen(group); slash != NULL; slash = strrchr(group, '/')) {
            *slash = '\0';
            (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
            most = limit_of(path, most);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return most;
}

uint64_t trawl_memory_bytes(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    bytes = limit_of_group(bytes);
    /* Version 1: only the limit at the root, which in a container is the container's. */
    bytes = limit_of("/sys/fs/cgroup/memory/memory.limit_in_bytes", bytes);
    return bytes == UINT64_MAX ? 0 : bytes;
}
