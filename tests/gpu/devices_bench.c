/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Compares counting with several devices and with one:
 *
 *     bench_devices DATABASE TEXT
 *
 * TEXT is repeated to 8 GiB of pinned memory (DEVICES_GIB=N chooses another size). trawl_count
 * scans it with each device alone, then with all of them. Then TEXT is repeated to as much memory
 * of each device, which trawl_cuda_scan_parts scans on each device alone and on all. A line of the
 * output is one of these ways, with its GB/s in each of DEVICES_ROUNDS=N rounds (5), which take
 * turns. This is no test: build it by name.
 */
#include "base/clock.h"
#include "gpu/device_memory.h"
#include "trawl/trawl_cuda.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 16, MOST_ROUNDS = 32 };

static trawl_error error;

typedef struct subject {
    trawl_db *db;
    uint8_t *text; /* pinned */
    uint64_t length;
    unsigned rounds;
    int devices;
} subject;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "bench_devices: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

static unsigned number_of(const char *name, unsigned usual) {
    const char *value = getenv(name);
    return value && *value ? (unsigned)strtoul(value, NULL, 10) : usual;
}

static void print_line(const char *name, const double *speeds, unsigned rounds, uint64_t total) {
    printf("%-16s", name);
    for (unsigned i = 0; i < rounds; i++)
        printf(" %8.1f", speeds[i]);
    printf("   %" PRIu64 " matches\n", total);
}

/* ------------------------------------------------------------------ host memory */

static void read_text(subject *of, const char *path) {
    FILE *file = fopen(path, "rb");
    of->length = (uint64_t)number_of("DEVICES_GIB", 8) << 30;
    of->text = pinned_allocate(of->length);
    if (!of->text)
        fail("pinned memory", device_complaint());
    size_t size = file ? fread(of->text, 1, of->length, file) : 0;
    if (size == 0)
        fail(path, "is empty, or cannot be read");
    fclose(file);
    for (uint64_t at = size; at < of->length; at += size) {
        uint64_t rest = of->length - at;
        memcpy(of->text + at, of->text, rest < size ? rest : size);
    }
}

static void measure_host(subject *of) {
    char names[MOST_DEVICES + 1][16];
    double speeds[MOST_DEVICES + 1][MOST_ROUNDS];
    uint64_t totals[MOST_DEVICES + 1];
    int ways = of->devices + 1;
    for (int way = 0; way < ways; way++)
        snprintf(names[way], sizeof(names[way]), way < of->devices ? "cuda:%d" : "cuda:all", way);
    for (unsigned round = 0; round <= of->rounds; round++) /* the first one warms up */
        for (int way = 0; way < ways; way++) {
            trawl_scan_options options = TRAWL_SCAN_OPTIONS;
            options.device = names[way];
            double begin = trawl_seconds();
            if (trawl_count(of->db, of->text, of->length, &options, &totals[way], NULL, &error) !=
                TRAWL_OK)
                fail(names[way], error.message);
            double taken = trawl_seconds() - begin;
            if (round)
                speeds[way][round - 1] = (double)of->length / taken / 1e9;
        }
    printf("%" PRIu64 " GiB in pinned memory, trawl_count, GB/s\n", of->length >> 30);
    for (int way = 0; way < ways; way++)
        print_line(names[way], speeds[way], of->rounds, totals[way]);
}

/* ------------------------------------------------------------------ device memory */

static void measure_resident(subject *of) {
    trawl_cuda_text_part parts[MOST_DEVICES];
    double speeds[MOST_DEVICES + 1][MOST_ROUNDS];
    uint64_t totals[MOST_DEVICES + 1];
    for (int i = 0; i < of->devices; i++) {
        trawl_cuda_upload_options options = TRAWL_CUDA_UPLOAD_OPTIONS;
        trawl_cuda_db *uploaded;
        options.device = (uint32_t)i;
        options.sample = of->text;
        options.sample_length = 1 << 20;
        if (trawl_cuda_upload(of->db, &options, &uploaded, &error) != TRAWL_OK)
            fail("upload", error.message);
        void *memory = device_select(i) ? device_allocate(of->length) : NULL;
        if (!memory || !device_write(memory, of->text, of->length, NULL) || !device_wait(NULL))
            fail("device memory", device_complaint());
        parts[i] =
            (trawl_cuda_text_part){uploaded, memory, of->length, 0, (uint64_t)i * of->length};
    }
    for (unsigned round = 0; round <= of->rounds; round++)
        for (int way = 0; way <= of->devices; way++) {
            size_t count = way == of->devices ? (size_t)of->devices : 1;
            const trawl_cuda_text_part *first = way == of->devices ? parts : &parts[way];
            trawl_cuda_combined combined = TRAWL_CUDA_COMBINED;
            double begin = trawl_seconds();
            if (trawl_cuda_scan_parts(first, count, NULL, &combined, &error) != TRAWL_OK)
                fail("scan", error.message);
            double taken = trawl_seconds() - begin;
            totals[way] = combined.total;
            if (round)
                speeds[way][round - 1] = (double)count * (double)of->length / taken / 1e9;
        }
    printf("%" PRIu64 " GiB in the memory of each device, trawl_cuda_scan_parts, GB/s\n",
           of->length >> 30);
    for (int way = 0; way <= of->devices; way++) {
        char name[16];
        snprintf(name, sizeof name, way == of->devices ? "all" : "device %d", way);
        print_line(name, speeds[way], of->rounds, totals[way]);
    }
    for (int i = 0; i < of->devices; i++) {
        (void)device_select(i);
        device_release((void *)parts[i].text);
        trawl_cuda_db_free((trawl_cuda_db *)parts[i].uploaded);
    }
}

int main(int count, char **arguments) {
    subject of = {.rounds = number_of("DEVICES_ROUNDS", 5), .devices = device_count()};
    if (count != 3)
        fail("usage", "bench_devices DATABASE TEXT");
    if (of.devices == 0 || of.devices > MOST_DEVICES || of.rounds > MOST_ROUNDS)
        fail("devices", "1 to 16 are expected, and up to 32 rounds");
    if (trawl_db_load(arguments[1], &of.db, &error) != TRAWL_OK)
        fail(arguments[1], error.message);
    read_text(&of, arguments[2]);
    measure_host(&of);
    measure_resident(&of);
    pinned_release(of.text);
    trawl_db_free(of.db);
    return EXIT_SUCCESS;
}
