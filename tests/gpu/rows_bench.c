/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Compares rows in device memory with one long text of the same bytes:
 *
 *     bench_rows DATABASE TEXT
 *
 * TEXT is repeated to 1 GiB (ROWS_BYTES=N chooses another size) and cut into rows of 20, 100, 1,000
 * and 10,000 bytes (ROWS_SIZES="N N ..."). For each size the output has a line: GB/s of each form,
 * and the speed of counting by row as a share of that of counting in the long text. The best of
 * ROWS_ROUNDS=N rounds (7) is printed; a round is the time from the call until the stream has done
 * its work. ROWS_PIECE=N chooses the bytes of a piece. There is as much room for matches as the
 * text needs. For databases of leftmost matches or with conditions, the long text is one row. This
 * is no test: build it by name (bench_rows_emulated runs without a GPU, and its speeds mean
 * nothing).
 */
#include "base/clock.h"
#include "gpu/device_memory.h"
#include "trawl/trawl_cuda_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMS = TRAWL_CUDA_ROWS_MATCHES + 1, MOST_SIZES = 16 };

static trawl_error error;

typedef struct subject {
    trawl_db *db;
    trawl_cuda_db *uploaded;
    uint8_t *text;   /* in device memory */
    uint8_t *memory; /* of results */
    uint64_t length;
    uint64_t matches; /* of the long text */
    unsigned rounds;
} subject;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "bench_rows: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

static void check(trawl_status status, const char *what) {
    if (status != TRAWL_OK)
        fail(what, error.message);
}

static void *allocate(size_t bytes) {
    void *memory = device_allocate(bytes);
    if (!memory)
        fail("device memory", device_complaint());
    return memory;
}

static uint64_t number_of(const char *name, uint64_t usual) {
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 10) : usual;
}

/* ------------------------------------------------------------------ the text */

static void read_text(subject *of, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail(path, "cannot be read");
    long size = ftell(file);
    uint8_t *bytes = size > 0 ? malloc((size_t)size) : NULL;
    if (!bytes || fseek(file, 0, SEEK_SET) != 0 || fread(bytes, 1, (size_t)size, file) == 0)
        fail(path, "is empty, or cannot be read");
    fclose(file);
    of->length = number_of("ROWS_BYTES", UINT64_C(1) << 30);
    of->text = allocate(of->length);
    for (uint64_t at = 0; at < of->length; at += (uint64_t)size) {
        uint64_t rest = of->length - at;
        if (!device_write(of->text + at, bytes, rest < (uint64_t)size ? rest : (uint64_t)size,
                          NULL))
            fail("copying the text", device_complaint());
    }
    trawl_cuda_upload_options options = TRAWL_CUDA_UPLOAD_OPTIONS;
    options.sample = bytes;
    options.sample_length = (size_t)size < (size_t)1 << 20 ? (size_t)size : (size_t)1 << 20;
    check(trawl_cuda_upload(of->db, &options, &of->uploaded, &error), "upload");
    if (!device_wait(NULL))
        fail("copying the text", device_complaint());
    free(bytes);
}

/* ------------------------------------------------------------------ the long text */

/* GB/s of a scan of the long text. */
static double scan_text(subject *of, trawl_cuda_form form, uint64_t capacity) {
    trawl_cuda_scan_options options = TRAWL_CUDA_SCAN_OPTIONS;
    size_t bytes;
    options.form = form;
    check(trawl_cuda_workspace(of->uploaded, &options, of->length, &bytes, &error), "workspace");
    void *workspace = allocate(bytes);
    trawl_cuda_results results = {.total = (uint64_t *)of->memory, .capacity = capacity};
    results.matches = capacity ? allocate(capacity * sizeof(trawl_cuda_match)) : NULL;
    double best = 1e9;
    for (unsigned round = 0; round <= of->rounds; round++) { /* the first one warms up */
        double begin = trawl_seconds();
        check(trawl_cuda_scan(of->uploaded, &options, of->text, of->length, &results, workspace,
                              bytes, NULL, &error),
              "scan");
        if (!device_wait(NULL))
            fail("scan", device_complaint());
        double taken = trawl_seconds() - begin;
        best = round && taken < best ? taken : best;
    }
    (void)device_read(&of->matches, results.total, sizeof(of->matches), NULL);
    device_release(results.matches);
    device_release(workspace);
    return (double)of->length / best / 1e9;
}

/* ------------------------------------------------------------------ rows */

static void *put_offsets(uint64_t rows, uint64_t size, uint64_t length) {
    uint64_t *offsets = malloc((rows + 1) * sizeof(*offsets));
    if (!offsets)
        fail("offsets", "no memory");
    for (uint64_t i = 0; i <= rows; i++)
        offsets[i] = i * size < length ? i * size : length;
    void *memory = allocate((rows + 1) * sizeof(*offsets));
    if (!device_write(memory, offsets, (rows + 1) * sizeof(*offsets), NULL) || !device_wait(NULL))
        fail("offsets", device_complaint());
    free(offsets);
    return memory;
}

/* GB/s of one form. */
static double search_rows(subject *of, trawl_cuda_rows_options *options,
                          const trawl_cuda_rows *rows) {
    trawl_cuda_row_results results = {.summary = (trawl_cuda_rows_summary *)of->memory};
    size_t bytes;
    check(trawl_cuda_rows_workspace(of->uploaded, options, &bytes, &error), "workspace of rows");
    void *workspace = allocate(bytes);
    void *each = allocate((rows->count + 1) * sizeof(uint64_t));
    void *items = allocate(of->matches * sizeof(trawl_cuda_match) + 1);
    results.found = each;
    results.per_row = each;
    results.begin = each;
    results.ids = items;
    results.matches = items;
    results.capacity = of->matches;
    double best = 1e9;
    for (unsigned round = 0; round <= of->rounds; round++) {
        double begin = trawl_seconds();
        check(trawl_cuda_rows_scan(of->uploaded, options, rows, &results, workspace, bytes, NULL,
                                   &error),
              "rows");
        if (!device_wait(NULL))
            fail("rows", device_complaint());
        double taken = trawl_seconds() - begin;
        best = round && taken < best ? taken : best;
    }
    trawl_cuda_rows_summary summary;
    if (!device_read(&summary, results.summary, sizeof(summary), NULL))
        fail("rows", device_complaint());
    if (options->form == TRAWL_CUDA_ROWS_COUNT && of->matches == 0)
        of->matches = summary.total;
    device_release(items);
    device_release(each);
    device_release(workspace);
    if (summary.piece_matches > summary.piece_room) { /* once more with the room needed */
        options->piece_matches = summary.piece_matches;
        return search_rows(of, options, rows);
    }
    return (double)of->length / best / 1e9;
}

/* GB/s of each form with rows of `size` bytes. */
static void search_forms(subject *of, uint64_t size, double *speeds) {
    trawl_cuda_rows rows = TRAWL_CUDA_ROWS;
    trawl_cuda_rows_options options = TRAWL_CUDA_ROWS_OPTIONS;
    rows.count = (of->length + size - 1) / size;
    rows.bytes = of->text;
    rows.end = of->length;
    rows.offsets = put_offsets(rows.count, size, of->length);
    rows.offset_bytes = sizeof(uint64_t);
    options.most_bytes = of->length;
    options.most_rows = rows.count;
    options.piece_bytes = number_of("ROWS_PIECE", 0);
    for (int form = 0; form < FORMS; form++) {
        options.form = (trawl_cuda_rows_form)form;
        speeds[form] = search_rows(of, &options, &rows);
    }
    device_release((void *)rows.offsets);
}

static void measure(subject *of, uint64_t size, double counted) {
    double speeds[FORMS];
    search_forms(of, size, speeds);
    printf("%12llu %9.1f %9.1f %9.1f %9.1f   %5.1f %%\n", (unsigned long long)size,
           speeds[TRAWL_CUDA_ROWS_ANY], speeds[TRAWL_CUDA_ROWS_COUNT],
           speeds[TRAWL_CUDA_ROWS_WHICH], speeds[TRAWL_CUDA_ROWS_MATCHES],
           100 * speeds[TRAWL_CUDA_ROWS_COUNT] / counted);
}

/* GB/s of counting and writing the matches of the long text. */
static void measure_text(subject *of, double *counted, double *written) {
    trawl_cuda_scan_options options = TRAWL_CUDA_SCAN_OPTIONS;
    double speeds[FORMS];
    size_t bytes;
    if (trawl_cuda_workspace(of->uploaded, &options, of->length, &bytes, &error) ==
        TRAWL_ERROR_LIMIT) {
        search_forms(of, of->length, speeds);
        *counted = speeds[TRAWL_CUDA_ROWS_COUNT];
        *written = speeds[TRAWL_CUDA_ROWS_MATCHES];
        return;
    }
    *counted = scan_text(of, TRAWL_CUDA_COUNT, 0);
    *written = scan_text(of, TRAWL_CUDA_MATCHES, of->matches);
}

int main(int count, char **arguments) {
    subject of = {.rounds = (unsigned)number_of("ROWS_ROUNDS", 7)};
    char sizes[128] = "20 100 1000 10000";
    if (count != 3)
        fail("usage", "bench_rows DATABASE TEXT");
    if (getenv("ROWS_SIZES"))
        snprintf(sizes, sizeof(sizes), "%s", getenv("ROWS_SIZES"));
    check(trawl_db_load(arguments[1], &of.db, &error), arguments[1]);
    of.memory = allocate(256);
    read_text(&of, arguments[2]);
    double counted, written;
    measure_text(&of, &counted, &written);
    printf("%llu bytes, %llu matches; GB/s\n", (unsigned long long)of.length,
           (unsigned long long)of.matches);
    printf("%12s %9s %9s %9s %9s   %s\n", "row bytes", "any", "count", "which", "matches",
           "share of count");
    printf("%12s %9s %9.1f %9s %9.1f\n", "one text", "", counted, "", written);
    char *rest = sizes;
    for (uint64_t size; (size = strtoull(rest, &rest, 10)) != 0;)
        measure(&of, size, counted);
    device_release(of.text);
    device_release(of.memory);
    trawl_cuda_db_free(of.uploaded);
    trawl_db_free(of.db);
    return EXIT_SUCCESS;
}
