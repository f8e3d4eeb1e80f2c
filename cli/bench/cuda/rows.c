/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/cuda/rows.h"

#include <stdlib.h>

#include "cli/bench/show.h"

void bench_cuda_show(const bench_cuda *bench, const char *what, size_t index) {
    const bench_cuda_row *row = &bench->details[index];
    bench_show(bench->options, "%s %s %s %s %s", what, bench->rows.items[index].engine,
               row->variant, row->kernel, row->transfer == NULL ? "" : row->transfer);
}

void bench_cuda_finish_row(bench_row *row, trawl_status status) {
    row->measured = status == TRAWL_OK;
    if (status == TRAWL_ERROR_ARGUMENT || status == TRAWL_ERROR_LIMIT ||
        status == TRAWL_ERROR_MEMORY) {
        free(row->seconds);
        row->seconds = NULL;
    }
}

/* ------------------------------------------------------------------ comparisons */

double bench_cuda_speedup(const bench_cuda *bench, size_t index) {
    const bench_cuda_row *row = &bench->details[index];
    if (!bench->rows.items[index].measured || row->ladder == NULL)
        return 0;
    size_t first = index;
    while (first > 0 && !bench->details[first].is_first &&
           bench->details[first - 1].ladder == row->ladder)
        first--;
    if (!bench->details[first].is_first || !bench->rows.items[first].measured)
        return 0;
    size_t length = bench->text->length;
    return bench_row_speed(&bench->rows.items[index], length).median /
           bench_row_speed(&bench->rows.items[first], length).median;
}

double bench_cuda_ceiling(const bench_cuda *bench, size_t index) {
    const bench_cuda_row *row = &bench->details[index];
    if (row->ladder == NULL)
        return 0;
    return row->transfer == NULL ? bench->ceilings.memory_read : bench->ceilings.host_to_device;
}
