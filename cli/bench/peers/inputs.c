/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/peers/inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"

enum { HEAD_BYTES = 8 }; /* before each pattern: its length and its flags */

int bench_memory_file(const char *name) {
    int file = memfd_create(name, 0);
    if (file < 0)
        report("%s: a file in memory could not be made: %s", name, strerror(errno));
    return file;
}

bool bench_memory_file_write(int file, const void *bytes, size_t length) {
    const char *next = bytes;
    while (length != 0) {
        ssize_t wrote = write(file, next, length);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            report("a file in memory could not be written: %s", strerror(errno));
            return false;
        }
        next += wrote;
        length -= (size_t)wrote;
    }
    return true;
}

/* ------------------------------------------------------------------ patterns */

static void put_number(uint8_t *bytes, uint32_t number) {
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

static uint32_t get_number(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool write_patterns(int file, const trawl_patterns *patterns) {
    size_t count = trawl_patterns_count(patterns);
    size_t size = 0;
    trawl_pattern pattern = TRAWL_PATTERN;
    for (size_t id = 0; id < count; id++) {
        (void)trawl_patterns_get(patterns, (uint32_t)id, &pattern);
        size += HEAD_BYTES + pattern.length;
    }
    uint8_t *bytes = allocate(size);
    uint8_t *next = bytes;
    for (size_t id = 0; id < count; id++) {
        (void)trawl_patterns_get(patterns, (uint32_t)id, &pattern);
        put_number(next, (uint32_t)pattern.length);
        put_number(next + 4, pattern.flags & TRAWL_PATTERN_CASE_INSENSITIVE);
        memcpy(next + HEAD_BYTES, pattern.bytes, pattern.length);
        next += HEAD_BYTES + pattern.length;
    }
    bool wrote = bench_memory_file_write(file, bytes, size);
    free(bytes);
    return wrote;
}

bool bench_inputs_read_patterns(int file, trawl_patterns **patterns, trawl_error *error) {
    struct stat about;
    void *mapped = MAP_FAILED;
    if (fstat(file, &about) == 0) /* no bytes cannot be mapped: an empty set */
        mapped = about.st_size == 0
                     ? NULL
                     : mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) {
        error->status = TRAWL_ERROR_IO;
        (void)snprintf(error->message, sizeof error->message, "the patterns: %s", strerror(errno));
        return false;
    }
    const uint8_t *next = mapped;
    size_t left = (size_t)about.st_size;
    trawl_status status = trawl_patterns_new(patterns, error);
    while (status == TRAWL_OK && left >= HEAD_BYTES && left - HEAD_BYTES >= get_number(next)) {
        uint32_t length = get_number(next);
        status =
            trawl_patterns_add(*patterns, next + HEAD_BYTES, length, get_number(next + 4), error);
        next += HEAD_BYTES + length;
        left -= HEAD_BYTES + length;
    }
    if (mapped != NULL)
        (void)munmap(mapped, (size_t)about.st_size);
    return status == TRAWL_OK;
}

/* ------------------------------------------------------------------ both */

bool bench_inputs_make(const trawl_patterns *patterns, const void *text, size_t length,
                       bench_inputs *inputs) {
    *inputs = (bench_inputs){.patterns = bench_memory_file("patterns"), .text = -1};
    if (inputs->patterns < 0)
        return false;
    inputs->text = bench_memory_file("text");
    inputs->length = length;
    return inputs->text >= 0 && write_patterns(inputs->patterns, patterns) &&
           bench_memory_file_write(inputs->text, text, length);
}

void bench_inputs_release(bench_inputs *inputs) {
    if (inputs->patterns >= 0)
        (void)close(inputs->patterns);
    if (inputs->text >= 0)
        (void)close(inputs->text);
    *inputs = (bench_inputs){.patterns = -1, .text = -1};
}
