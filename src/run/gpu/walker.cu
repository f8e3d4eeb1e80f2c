/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The walker over host memory: what is done before the first segment of a window is copied to the
 * device, and after its last match has come back.
 */
#include "run/gpu/walker.cuh"

extern "C" {
#include "base/read_source.h"
#include "base/text_pieces.h"
}

/* Text by which the tables are laid out on the device: pieces from all over the first window. */
#define PIECES ((size_t)TRAWL_TABLE_PIECES)
#define PIECE_BYTES ((size_t)TRAWL_TABLE_PIECE_BYTES)
#define SAMPLE_BYTES (PIECES * PIECE_BYTES)

/* ------------------------------------------------------------------ a walk */

/* Finds out where the text is, and with zero-copy its address on the device. */
static trawl_status find_text(trawl_cuda_walk *walk, trawl_error *error) {
    const trawl_window *window = walk->window;
    bool zero_copy = walk->walker->strategy == TRAWL_STRATEGY_ZERO_COPY;
    if (window->reading != NULL) {
        return zero_copy ? trawl_fail(error, TRAWL_ERROR_LIMIT,
                                      "transfer zero-copy scans texts in host memory, where they "
                                      "are; transfer ring reads a source")
                         : TRAWL_OK;
    }
    trawl_status status =
        trawl_cuda_text_take(walk->walker->base.db, walk->walker->device, window->text,
                             window->length, zero_copy, &walk->pinned, &walk->shared, error);
    if (status == TRAWL_OK && zero_copy) {
        void *mapped = NULL;
        TRAWL_CUDA_TRY(cudaHostGetDevicePointer(&mapped, const_cast<uint8_t *>(window->text), 0),
                       error);
        walk->mapped = (const uint8_t *)mapped;
    }
    return status;
}

static trawl_status take_piece(const trawl_window *window, size_t begin, size_t length,
                               uint8_t *to) {
    if (window->reading == NULL) {
        memcpy(to, window->text + begin, length);
        return TRAWL_OK;
    }
    trawl_error unused;
    size_t filled = 0;
    return trawl_read_source(window->reading->source, window->base + begin, to, length, &filled,
                             &unused);
}

/* A sample of the window, *length bytes of it. NULL if the window is too short for a sample, or if
 * reading fails: the walk then meets the same failure and reports it. */
static uint8_t *take_sample(const trawl_window *window, size_t *length) {
    *length = window->length < SAMPLE_BYTES ? window->length : SAMPLE_BYTES;
    uint8_t *sample =
        *length < TRAWL_UPLOAD_LEAST_SAMPLE ? NULL : (uint8_t *)trawl_allocate(*length, 1);
    if (sample == NULL) {
        return NULL;
    }
    const bool short_text = window->length < 2 * SAMPLE_BYTES;
    trawl_status status = TRAWL_OK;
    if (short_text) {
        status = take_piece(window, (window->length - *length) / 2, *length, sample);
    }
    for (size_t i = 0; status == TRAWL_OK && !short_text && i < PIECES; i++) {
        status =
            take_piece(window, (size_t)trawl_piece_begin(i, PIECES, PIECE_BYTES, window->length),
                       PIECE_BYTES, sample + i * PIECE_BYTES);
    }
    if (status != TRAWL_OK) {
        trawl_release(sample);
        sample = NULL;
    }
    return sample;
}

static trawl_status upload(trawl_cuda_walk *walk, trawl_error *error) {
    trawl_cuda_walker_state *walker = walk->walker;
    trawl_status status = TRAWL_OK;
    if (walker->uploaded == NULL) {
        size_t length;
        uint8_t *sample = take_sample(walk->window, &length);
        status = trawl_cuda_upload_once(walker->base.db, walker->device, sample, length,
                                        &walker->uploaded, error);
        trawl_release(sample);
    }
    walk->uploaded = walker->uploaded;
    return status;
}

/* Strategy A keeps everything on the device, so a lack of memory is reported before it begins. */
static trawl_status check_resident(const trawl_cuda_walk *walk, uint64_t slots,
                                   const trawl_cuda_room *room, trawl_error *error) {
    size_t available = 0, whole = 0;
    TRAWL_CUDA_TRY(cudaMemGetInfo(&available, &whole), error);
    uint64_t missing = trawl_cuda_slots_missing(walk->slots, slots, room);
    if (missing > available) {
        return trawl_fail(error, TRAWL_ERROR_MEMORY,
                          "transfer a keeps all %" PRIu64 " segments on the device, which takes "
                          "%" PRIu64 " bytes more, and %zu are free on CUDA device %u; transfer "
                          "ring needs room for a few only",
                          slots, missing, available, walk->walker->device);
    }
    return TRAWL_OK;
}

static trawl_status prepare_slots(trawl_cuda_walk *walk, trawl_error *error) {
    const trawl_cuda_walker_state *walker = walk->walker;
    const trawl_segments *segments = &walk->segments;
    bool fills = walker->strategy != TRAWL_STRATEGY_ZERO_COPY && !walk->pinned;
    trawl_cuda_room room = {};
    trawl_cuda_scan_options scan = walk->scan;
    uint64_t longest = trawl_segments_longest(segments);
    scan.owned = longest < segments->bytes ? 0 : longest - segments->bytes;
    trawl_status status =
        trawl_cuda_workspace_any(walk->uploaded, &scan, longest, &room.workspace_bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    const bool shared = walk->part.share != NULL;
    size_t counters = walk->uploaded->patterns.count * sizeof(uint64_t);
    bool copied = walker->strategy != TRAWL_STRATEGY_ZERO_COPY;
    room.text_bytes = copied ? longest + TRAWL_CUDA_TEXT_ALIGNMENT : 0;
    room.per_pattern_bytes = scan.form == TRAWL_CUDA_PATTERNS ? counters : 0;
    room.entries_bytes =
        (size_t)trawl_cuda_entries_bytes(walk->uploaded, scan.form, segments->bytes);
    if (scan.form == TRAWL_CUDA_MATCHES) {
        uint64_t matches = segments->bytes / TRAWL_SLOT_BYTES_PER_MATCH;
        room.capacity = matches < TRAWL_SLOT_LEAST_MATCHES  ? TRAWL_SLOT_LEAST_MATCHES
                        : matches > TRAWL_SLOT_MOST_MATCHES ? TRAWL_SLOT_MOST_MATCHES
                                                            : matches;
    }
    uint64_t slots = trawl_ring_slots(walker->strategy, segments->count,
                                      walker->options->segments_in_flight, fills);
    if (walker->strategy == TRAWL_STRATEGY_A) {
        status = check_resident(walk, slots, &room, error);
    }
    walk->room = room;
    if (status == TRAWL_OK) {
        status = trawl_cuda_slots_prepare(walk->slots, slots, error);
    }
    if (status == TRAWL_OK && fills) {
        status = trawl_fillers_open(&walk->fillers, walk->window, slots, error);
    }
    if (status == TRAWL_OK && fills && walk->walker->fillers == NULL && walker->base.threads > 1) {
        uint32_t threads = walker->base.threads;
        threads = threads < TRAWL_FILL_MOST_THREADS ? threads : TRAWL_FILL_MOST_THREADS;
        status = trawl_team_open(&walk->walker->fillers, threads, error);
    }
    if (status == TRAWL_OK && scan.form == TRAWL_CUDA_PATTERNS) {
        counters *= shared ? 2 : 1;
        status = trawl_cuda_grow((void **)&walk->slots->per_pattern,
                                 &walk->slots->per_pattern_bytes, counters, error);
        if (status == TRAWL_OK) {
            cudaStream_t stream = walk->slots->slot[0].stream;
            TRAWL_CUDA_TRY(cudaMemsetAsync(walk->slots->per_pattern, 0, counters, stream), error);
            TRAWL_CUDA_TRY(cudaStreamSynchronize(stream), error);
        }
    }
    return status == TRAWL_OK ? trawl_ring_open(&walk->ring, walker->strategy,
                                                shared ? 0 : segments->count, slots, fills, error)
                              : status;
}

static trawl_status report_layout(const trawl_cuda_walk *walk, trawl_error *error) {
    trawl_report *report = walk->walker->options->report;
    if (report == NULL) {
        return TRAWL_OK;
    }
    trawl_cuda_layout layout;
    layout.size = sizeof layout;
    const trawl_segments *segments = &walk->segments;
    const uint64_t owned = segments->length - segments->owned;
    const uint64_t length = owned < segments->bytes ? owned : segments->bytes;
    trawl_status status =
        trawl_study_cuda_layout(walk->uploaded, &walk->scan, length, &layout, error);
    if (status == TRAWL_OK) {
        (void)snprintf(report->scan.kernel, sizeof report->scan.kernel, "%s", layout.kernel);
        (void)snprintf(report->scan.transfer, sizeof report->scan.transfer, "%s",
                       trawl_strategy_name(walk->walker->strategy));
        report->study.block_threads = layout.block_threads;
        report->study.thread_bytes = layout.thread_bytes;
        report->study.overlap_overhead = layout.overlap_overhead;
        report->study.table_path = layout.table_path;
        report->study.segments += walk->part.share == NULL ? walk->segments.count : 0;
        report->study.segment_bytes = walk->segments.bytes;
        report->study.in_flight = (uint32_t)walk->ring.slots;
    }
    return status;
}

/* Waits until all work of the walk on the device is done, however the walk has ended. False if the
 * device reports a failure. */
static bool drain(const trawl_cuda_walk *walk) {
    bool healthy = true;
    for (uint64_t i = 0; i < walk->slots->count; i++) {
        const trawl_cuda_slot *slot = &walk->slots->slot[i];
        healthy = slot->stream != NULL && slot->out != NULL &&
                  cudaStreamSynchronize(slot->stream) == cudaSuccess &&
                  cudaStreamSynchronize(slot->out) == cudaSuccess && healthy;
    }
    return healthy;
}

static trawl_status walk_window(trawl_cuda_walk *walk, trawl_error *error) {
    const trawl_scan_settings *options = walk->walker->options;
    trawl_status status = upload(walk, error);
    if (status == TRAWL_OK) {
        status = find_text(walk, error);
    }
    if (status == TRAWL_OK) {
        status =
            trawl_cuda_slots_take(walk->walker->base.db, walk->walker->device, &walk->slots, error);
    }
    if (status == TRAWL_OK) {
        walk->segments = walk->part.share != NULL
                             ? walk->part.share->segments
                             : trawl_segments_cut(walk->window->length, walk->window->owned,
                                                  walk->walker->base.db->header->max_length - 1,
                                                  options->segment_bytes);
        status = prepare_slots(walk, error);
    }
    if (status == TRAWL_OK) {
        status = report_layout(walk, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_walk_drive(walk, error);
    }
    if (status == TRAWL_OK && walk->scan.form == TRAWL_CUDA_PATTERNS && walk->part.share == NULL) {
        status = trawl_cuda_walk_fetch(walk, 0, error);
    }
    bool healthy = walk->slots != NULL && drain(walk);
    healthy = healthy && status <= TRAWL_STOPPED;
    trawl_cuda_slots_leave(walk->walker->base.db, walk->walker->device, walk->slots,
                           options->keep_segments, healthy);
    trawl_ring_close(&walk->ring);
    trawl_fillers_close(walk->fillers);
    if (walk->shared) {
        trawl_cuda_text_leave(walk->walker->base.db, walk->window->text, walk->window->length);
    }
    return status;
}

trawl_status trawl_cuda_walk_over(trawl_cuda_walker_state *walker, const trawl_window *window,
                                  trawl_cuda_form form, trawl_cuda_walk *walk, trawl_error *error) {
    const trawl_scan_settings *options = walker->options;
    if (window->length == window->owned) {
        return TRAWL_OK;
    }
    walk->walker = walker;
    walk->window = window;
    walk->scan.size = sizeof walk->scan;
    walk->scan.form = form;
    walk->scan.kernel = options->kernel;
    walk->study.size = sizeof walk->study;
    walk->study.block_threads = options->block_threads;
    walk->study.block_bytes = options->block_bytes;
    walk->study.table_path = options->table_path;
    walk->scan.study = &walk->study;
    int before;
    (void)cudaGetLastError(); /* what freeing memory after an earlier failure may have left */
    cudaError_t code = trawl_cuda_enter((int)walker->device, &before);
    trawl_status status = code == cudaSuccess ? walk_window(walk, error)
                                              : trawl_cuda_failed(code, "cudaSetDevice", error);
    trawl_cuda_leave(before);
    return status;
}

uint64_t trawl_cuda_entries_bytes(const trawl_cuda_db *uploaded, trawl_cuda_form form,
                                  uint64_t owned) {
    if (form == TRAWL_CUDA_ENDS) {
        return (owned + 31) / 32 * sizeof(uint32_t);
    }
    return form == TRAWL_CUDA_STATES ? owned * trawl_study_cuda_state_bytes(uploaded) : 0;
}

trawl_status trawl_cuda_walk_entries(trawl_walker *walker, const trawl_window *window,
                                     trawl_cuda_form form, void *entries, trawl_error *error) {
    trawl_cuda_walk walk = {};
    walk.entries = (uint8_t *)entries;
    return trawl_cuda_walk_over((trawl_cuda_walker_state *)walker, window, form, &walk, error);
}

/* ------------------------------------------------------------------ the walker */

static trawl_status open_walker(const trawl_db *db, const trawl_scan_settings *options,
                                trawl_walker **walker, trawl_error *error);

static void close_walker(trawl_walker *walker) {
    trawl_team_close(((trawl_cuda_walker_state *)walker)->fillers);
    trawl_release(walker);
}

static trawl_status scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    trawl_cuda_walk walk = {};
    walk.sink = sink;
    return trawl_cuda_walk_over((trawl_cuda_walker_state *)walker, window, TRAWL_CUDA_MATCHES,
                                &walk, error);
}

static trawl_status count(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    trawl_cuda_walk walk = {};
    walk.counts = counts;
    return trawl_cuda_walk_over(
        (trawl_cuda_walker_state *)walker, window,
        counts->per_pattern != NULL ? TRAWL_CUDA_PATTERNS : TRAWL_CUDA_COUNT, &walk, error);
}

static bool own_threads(const trawl_db *db) {
    (void)db;
    return true;
}

static const trawl_walker_type cuda_walker_type = {
    open_walker, close_walker, scan, count, NULL, NULL, NULL, NULL, own_threads, false, true, true,
};

static trawl_status open_walker(const trawl_db *db, const trawl_scan_settings *options,
                                trawl_walker **walker, trawl_error *error) {
    trawl_cuda_walker_state *made =
        (trawl_cuda_walker_state *)trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "a scan", sizeof *made);
    }
    made->base.type = &cuda_walker_type;
    made->base.db = db;
    made->options = options;
    made->width = UINT64_MAX;
    trawl_status status = trawl_cuda_device_number(options->device, &made->device)
                              ? trawl_strategy_find(options->transfer, &made->strategy, error)
                              : trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                                           "device '%.40s' is several GPUs; one is expected: cuda "
                                           "or cuda:N",
                                           options->device);
    if (status != TRAWL_OK) {
        trawl_release(made);
        return status;
    }
    *walker = &made->base;
    return TRAWL_OK;
}

extern "C" const trawl_walker_type *trawl_cuda_walker(void) {
    return &cuda_walker_type;
}
