/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/tune/measure.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/tune/search.h"

/* Threads per block; 0 is the kernel's own. Tran et al. try 32 to 512 (Figs. 20-21). */
static const uint32_t thread_counts[] = {0, 32, 64, 128, 192, 256, 384, 512, 768, 1024};

/* Bytes of text per thread: multiples of 16, and odd numbers of 4-byte words, with which threads
 * use different banks of shared memory (Zha & Sahni, Theorem 1). */
static const uint32_t thread_bytes[] = {0,   16,  36,  64,  100, 128, 164, 196,  228,
                                        256, 292, 324, 384, 452, 512, 768, 1024, 2048};

enum {
    THREADS = sizeof thread_counts / sizeof *thread_counts,
    BYTES = sizeof thread_bytes / sizeof *thread_bytes
};

static void shape_of(const tune_subject *subject, const size_t *point, uint32_t *threads,
                     uint32_t *bytes) {
    uint32_t count = thread_counts[point[0]] == 0 ? subject->own_threads : thread_counts[point[0]];
    *threads = thread_counts[point[0]];
    *bytes = thread_bytes[point[1]] * count;
    if (*bytes != 0)
        *threads = count;
}

/* Times one shape, as a tune_measure. */
static double time_point(void *context, const size_t *point) {
    tune_subject *subject = context;
    trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
    trawl_cuda_layout layout = TRAWL_CUDA_LAYOUT;
    scan.kernel = subject->kernel;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    shape_of(subject, point, &study.block_threads, &study.block_bytes);
    scan.study = &study;
    if (trawl_study_cuda_layout(subject->uploaded, &scan, subject->length, &layout,
                                &subject->refusal) != TRAWL_OK ||
        trawl_study_cuda_measure(subject->uploaded, &scan, subject->text, subject->length,
                                 subject->repeats, subject->seconds, NULL,
                                 &subject->refusal) != TRAWL_OK)
        return -1;
    double median = subject->seconds[subject->repeats / 2];
    if (subject->verbose)
        (void)fprintf(stderr, "%s: %" PRIu32 " threads of %" PRIu32 " bytes: %.3f GB/s\n",
                      subject->kernel, layout.block_threads, layout.thread_bytes,
                      median > 0 ? (double)subject->length / median / 1e9 : 0);
    return median;
}

double tune_estimate(tune_subject *subject) {
    static const size_t own[2] = {0, 0};
    uint32_t repeats = subject->repeats;
    bool verbose = subject->verbose;
    subject->repeats = 1;
    subject->verbose = false;
    double seconds = time_point(subject, own);
    subject->repeats = repeats;
    subject->verbose = verbose;
    return seconds < 0 ? 0 : seconds * TUNE_USUAL_SHAPES * (repeats + 1);
}

bool tune_kernel(tune_subject *subject, tune_shape *shape) {
    /* Runs of one shape differ by up to 2 %. */
    static const tune_space space = {.axes = 2, .sizes = {THREADS, BYTES}, .margin = 0.02};
    static const size_t start[2] = {0, 0};
    trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
    trawl_cuda_layout layout = TRAWL_CUDA_LAYOUT;
    tune_found found;
    scan.kernel = subject->kernel;
    if (trawl_study_cuda_layout(subject->uploaded, &scan, subject->length, &layout,
                                &subject->refusal) != TRAWL_OK)
        return false;
    subject->own_threads = layout.block_threads;
    double own = time_point(subject, start);
    if (own < 0 || !tune_search(&space, start, time_point, subject, &found))
        return false;
    shape_of(subject, found.point, &shape->block_threads, &shape->block_bytes);
    shape->seconds = found.seconds;
    shape->own_seconds = own;
    shape->measured = found.measured;
    shape->refused = found.refused;
    return true;
}
