/*
 * The walker over host memory: a window goes to the device in segments and its matches come back.
 * The ring (ring.h) says what comes next; here it is done. One thread drives everything; the
 * device works ahead of it in the slots' streams.
 */
#include "cuda/walker.cuh"

extern "C" {
#include "cuda/fill.h"
}

/* Text by which the tables are laid out on the device: a piece from the middle of the first
 * window, because beginnings are often untypical. */
#define SAMPLE_BYTES ((size_t)1 << 20)

/* Matches that a slot has room for: one for every few bytes of a segment, within these bounds.
 * Denser ranges are cut narrower, see segments.h. */
#define BYTES_PER_MATCH 4u
#define FEWEST_MATCHES ((uint64_t)4096)
#define MOST_MATCHES ((uint64_t)1 << 20)

#define TEXT_ALIGNMENT ((uint64_t)256) /* of a segment's first owned byte on the device */
#define COUNTER_THREADS 256u

typedef struct cuda_walker {
    trawl_walker base;
    const trawl_scan_options *options;
    uint32_t device;
    trawl_strategy strategy;
    trawl_cuda_db *uploaded; /* NULL until the first window; the database's */
    uint64_t width;          /* of ranges: what fitted lately */
} cuda_walker;

/* A walk over one window. */
typedef struct cuda_walk {
    cuda_walker *walker;
    const trawl_window *window;
    const trawl_cuda_db *uploaded;
    trawl_cuda_scan scan; /* all but what differs between ranges */
    trawl_segments segments;
    trawl_cuda_slots *slots;
    trawl_ring ring;
    bool pinned;           /* the text is page-locked: the device copies from it */
    const uint8_t *mapped; /* zero-copy: the text as the device sees it */
    bool registered;       /* by this walk */
    trawl_sink *sink;      /* NULL when counting */
    trawl_counts *counts;
    double in_until, scan_until, out_until; /* seconds after start at which the last one ended */
} cuda_walk;

/* ------------------------------------------------------------------ the report */

/*
 * Adds what a step took to a report's sum. Work that is queued behind that of another slot has
 * begun, as the events see it, while it still waits; so it counts from the end of the one before.
 */
static trawl_status add_time(const cuda_walk *walk, cudaEvent_t begin, cudaEvent_t end,
                             double *until, double *sum, trawl_error *error) {
    float begin_ms = 0, end_ms = 0;
    TRAWL_CUDA_TRY(cudaEventElapsedTime(&begin_ms, walk->slots->start, begin), error);
    TRAWL_CUDA_TRY(cudaEventElapsedTime(&end_ms, walk->slots->start, end), error);
    double from = (double)begin_ms / 1e3;
    double to = (double)end_ms / 1e3;
    from = from < *until ? *until : from;
    if (to > from) {
        *sum += to - from;
        *until = to;
    }
    return TRAWL_OK;
}

static trawl_status report_scan(cuda_walk *walk, trawl_cuda_slot *slot, trawl_error *error) {
    trawl_scan_report *report = walk->walker->options->report;
    trawl_status status = TRAWL_OK;
    if (report != NULL && walk->ring.copy_in && !slot->counted_in) {
        slot->counted_in = true;
        status = add_time(walk, slot->in_begin, slot->in_end, &walk->in_until,
                          &report->copy_in_seconds, error);
    }
    if (report != NULL && status == TRAWL_OK) {
        status = add_time(walk, slot->scan_begin, slot->scan_end, &walk->scan_until,
                          &report->scan_seconds, error);
    }
    return status;
}

static trawl_status report_layout(const cuda_walk *walk, trawl_error *error) {
    trawl_scan_report *report = walk->walker->options->report;
    if (report == NULL) {
        return TRAWL_OK;
    }
    trawl_cuda_layout layout;
    trawl_status status = trawl_cuda_describe(walk->uploaded, &walk->scan, &layout, error);
    if (status == TRAWL_OK) {
        (void)snprintf(report->kernel, sizeof report->kernel, "%s", layout.kernel);
        (void)snprintf(report->transfer, sizeof report->transfer, "%s",
                       trawl_strategy_name(walk->walker->strategy));
        report->block_threads = layout.block_threads;
        report->thread_bytes = layout.thread_bytes;
        report->overlap_overhead = layout.overlap_overhead;
        report->segments += walk->segments.count;
        report->segment_bytes = walk->segments.bytes;
        report->in_flight = (uint32_t)walk->ring.slots;
    }
    return status;
}

/* ------------------------------------------------------------------ the ring's steps */

/* Where a segment's text stands in a slot's buffers: so that its first owned byte is aligned. */
static uint64_t padding(const trawl_segment *segment) {
    uint64_t overlap = (segment->owned - segment->begin) % TEXT_ALIGNMENT;
    return (TEXT_ALIGNMENT - overlap) % TEXT_ALIGNMENT;
}

static void fill(const cuda_walk *walk, trawl_cuda_slot *slot, uint64_t index) {
    trawl_segment segment = trawl_segments_at(&walk->segments, index);
    trawl_cuda_fill(slot->pinned_text + padding(&segment), walk->window->text + segment.begin,
                    segment.end - segment.begin, walk->walker->base.threads);
}

/* Makes segment `index` the slot's own. */
static void begin_segment(const cuda_walk *walk, trawl_cuda_slot *slot, uint64_t index) {
    slot->index = index;
    slot->segment = trawl_segments_at(&walk->segments, index);
    slot->next = slot->segment.owned;
    slot->counted_in = false;
    slot->device_text = walk->mapped != NULL ? walk->mapped + slot->segment.begin
                                             : slot->text + padding(&slot->segment);
}

static trawl_status copy_in(const cuda_walk *walk, trawl_cuda_slot *slot, uint64_t index,
                            trawl_error *error) {
    begin_segment(walk, slot, index);
    uint64_t place = padding(&slot->segment);
    const uint8_t *from =
        walk->pinned ? walk->window->text + slot->segment.begin : slot->pinned_text + place;
    TRAWL_CUDA_TRY(cudaEventRecord(slot->in_begin, slot->stream), error);
    TRAWL_CUDA_TRY(cudaMemcpyAsync(slot->text + place, from,
                                   slot->segment.end - slot->segment.begin, cudaMemcpyHostToDevice,
                                   slot->stream),
                   error);
    TRAWL_CUDA_TRY(cudaEventRecord(slot->in_end, slot->stream), error);
    return TRAWL_OK;
}

static __global__ void add_counters(trawl_counter *sums, const uint64_t *counters, uint32_t count) {
    uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count && counters[index] != 0) {
        atomicAdd(&sums[index], (trawl_counter)counters[index]);
    }
}

static trawl_status start_scan(const cuda_walk *walk, trawl_cuda_slot *slot, trawl_error *error) {
    const trawl_segment *segment = &slot->segment;
    trawl_cuda_scan scan = walk->scan;
    bool matches = scan.form == TRAWL_CUDA_MATCHES;
    slot->range = trawl_range_at(segment, slot->next, matches ? walk->walker->width : UINT64_MAX);
    scan.owned = slot->range.begin - segment->begin;
    scan.base = walk->window->base + segment->begin;
    uint64_t length = slot->range.end - segment->begin;
    trawl_cuda_room room = {};
    trawl_status status =
        trawl_cuda_workspace_any(walk->uploaded, &scan, length, &room.workspace_bytes, error);
    if (status == TRAWL_OK) {
        status = trawl_cuda_slot_grow(slot, &room, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_cuda_results results = {};
    results.total = slot->total;
    results.per_pattern = slot->per_pattern;
    results.matches = slot->matches;
    results.capacity = matches ? slot->capacity : 0;
    TRAWL_CUDA_TRY(cudaEventRecord(slot->scan_begin, slot->stream), error);
    status = trawl_cuda_scan_any(walk->uploaded, &scan, slot->device_text, length, &results,
                                 slot->workspace, slot->workspace_bytes, slot->stream, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (scan.form == TRAWL_CUDA_PATTERNS) {
        uint32_t count = walk->uploaded->patterns.count;
        TRAWL_LAUNCH(add_counters, count / COUNTER_THREADS + 1, COUNTER_THREADS, 0, slot->stream,
                     (trawl_counter *)walk->slots->per_pattern, slot->per_pattern, count);
        TRAWL_CUDA_LAUNCHED("add_counters", error);
    }
    TRAWL_CUDA_TRY(cudaMemcpyAsync(slot->host_total, slot->total, sizeof *slot->total,
                                   cudaMemcpyDeviceToHost, slot->stream),
                   error);
    TRAWL_CUDA_TRY(cudaEventRecord(slot->scan_end, slot->stream), error);
    return TRAWL_OK;
}

/* A scan is complete: its total says whether the range's matches are there. */
static trawl_status end_scan(cuda_walk *walk, uint64_t index, trawl_error *error) {
    cuda_walker *walker = walk->walker;
    trawl_cuda_slot *slot = &walk->slots->slot[index];
    trawl_status status = report_scan(walk, slot, error);
    slot->found = *slot->host_total;
    trawl_ring_scanned_as as = TRAWL_RING_LAST_RANGE;
    bool matches = walk->scan.form == TRAWL_CUDA_MATCHES;
    if (status == TRAWL_OK && matches) {
        uint64_t width =
            trawl_range_width(slot->range.end - slot->range.begin, slot->found, slot->capacity);
        if (slot->found > slot->capacity) {
            as = TRAWL_RING_AGAIN;
            walker->width = width == 0 ? 1 : width;
            if (width == 0) { /* at most one match for each pattern ends with a byte */
                trawl_cuda_room room = {};
                room.capacity = slot->found;
                status = trawl_cuda_slot_grow(slot, &room, error);
            }
        } else {
            walker->width = width > walker->width ? width : walker->width;
            slot->next = slot->range.end;
            as = slot->next == slot->segment.end ? TRAWL_RING_LAST_RANGE : TRAWL_RING_RANGE;
        }
    }
    trawl_ring_scanned(&walk->ring, index, as, matches && slot->found != 0);
    return status;
}

static trawl_status copy_out(trawl_cuda_slot *slot, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaEventRecord(slot->out_begin, slot->out), error);
    TRAWL_CUDA_TRY(cudaMemcpyAsync(slot->host_matches, slot->matches,
                                   slot->found * sizeof *slot->matches, cudaMemcpyDeviceToHost,
                                   slot->out),
                   error);
    TRAWL_CUDA_TRY(cudaEventRecord(slot->out_end, slot->out), error);
    return TRAWL_OK;
}

static trawl_status deliver(cuda_walk *walk, const trawl_cuda_slot *slot) {
    if (walk->sink == NULL) {
        walk->counts->total += slot->found;
        return TRAWL_OK;
    }
    trawl_status status = TRAWL_OK;
    for (uint64_t i = 0; i < slot->found && status == TRAWL_OK; i++) {
        const trawl_cuda_match *match = &slot->host_matches[i];
        status = trawl_sink_put(walk->sink, match->end - match->length, match->end, match->pattern);
    }
    return status;
}

static trawl_status await_scan(cuda_walk *walk, uint64_t index, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaEventSynchronize(walk->slots->slot[index].scan_end), error);
    return end_scan(walk, index, error);
}

static trawl_status await_copy_out(cuda_walk *walk, uint64_t index, trawl_error *error) {
    trawl_cuda_slot *slot = &walk->slots->slot[index];
    TRAWL_CUDA_TRY(cudaEventSynchronize(slot->out_end), error);
    trawl_ring_copied_out(&walk->ring, index);
    trawl_scan_report *report = walk->walker->options->report;
    return report == NULL ? TRAWL_OK
                          : add_time(walk, slot->out_begin, slot->out_end, &walk->out_until,
                                     &report->copy_out_seconds, error);
}

static trawl_status await_copy_in(cuda_walk *walk, uint64_t index, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaEventSynchronize(walk->slots->slot[index].in_end), error);
    trawl_ring_copied_in(&walk->ring, index);
    return TRAWL_OK;
}

static trawl_status perform(cuda_walk *walk, const trawl_ring_action *action, trawl_error *error) {
    trawl_cuda_slot *slot = &walk->slots->slot[action->slot];
    switch (action->step) {
    case TRAWL_RING_FILL:
        fill(walk, slot, action->segment);
        return TRAWL_OK;
    case TRAWL_RING_COPY_IN:
        return copy_in(walk, slot, action->segment, error);
    case TRAWL_RING_SCAN:
        if (slot->index != action->segment) { /* nothing had to be copied */
            begin_segment(walk, slot, action->segment);
        }
        return start_scan(walk, slot, error);
    case TRAWL_RING_COPY_OUT:
        return copy_out(slot, error);
    case TRAWL_RING_DELIVER:
        return deliver(walk, slot);
    case TRAWL_RING_AWAIT_COPY_IN:
        return await_copy_in(walk, action->slot, error);
    case TRAWL_RING_AWAIT_SCAN:
        return await_scan(walk, action->slot, error);
    case TRAWL_RING_AWAIT_COPY_OUT:
        return await_copy_out(walk, action->slot, error);
    case TRAWL_RING_FINISHED:
        break;
    }
    return TRAWL_OK;
}

/* Takes note of scans that are complete, so that their matches go out while the host is busy. */
static trawl_status look_ahead(cuda_walk *walk, trawl_error *error) {
    uint64_t slot;
    while (trawl_ring_scanning(&walk->ring, &slot)) {
        cudaError_t code = cudaEventQuery(walk->slots->slot[slot].scan_end);
        if (code == cudaErrorNotReady) {
            (void)cudaGetLastError(); /* it is no error, but remembered like one */
            return TRAWL_OK;
        }
        trawl_status status = code == cudaSuccess
                                  ? end_scan(walk, slot, error)
                                  : trawl_cuda_failed(code, "cudaEventQuery", error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return TRAWL_OK;
}

static trawl_status drive(cuda_walk *walk, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaEventRecord(walk->slots->start, walk->slots->slot[0].stream), error);
    for (;;) {
        trawl_status status = look_ahead(walk, error);
        if (status != TRAWL_OK) {
            return status;
        }
        trawl_ring_action action = trawl_ring_next(&walk->ring);
        if (action.step == TRAWL_RING_FINISHED) {
            return TRAWL_OK;
        }
        status = perform(walk, &action, error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
}

/* ------------------------------------------------------------------ a walk */

/* Whether the text is page-locked, and if so where the device sees it. */
static trawl_status find_pinned(cuda_walk *walk, const uint8_t **device_text, trawl_error *error) {
    cudaPointerAttributes first, last;
    *device_text = NULL;
    TRAWL_CUDA_TRY(cudaPointerGetAttributes(&first, walk->window->text), error);
    TRAWL_CUDA_TRY(cudaPointerGetAttributes(&last, walk->window->text + (walk->window->length - 1)),
                   error);
    walk->pinned = first.type == cudaMemoryTypeHost && last.type == cudaMemoryTypeHost;
    if (walk->pinned) {
        *device_text = (const uint8_t *)first.devicePointer;
    }
    return TRAWL_OK;
}

/* Page-locks the text for this walk, so that kernels can read it where it is. */
static trawl_status map_text(cuda_walk *walk, trawl_error *error) {
    const trawl_window *window = walk->window;
    int read_only = 0;
    TRAWL_CUDA_TRY(cudaDeviceGetAttribute(&read_only, cudaDevAttrHostRegisterReadOnlySupported,
                                          (int)walk->walker->device),
                   error);
    unsigned flags = cudaHostRegisterMapped | (read_only != 0 ? cudaHostRegisterReadOnly : 0u);
    void *text = const_cast<uint8_t *>(window->text);
    cudaError_t code = cudaHostRegister(text, window->length, flags);
    if (code != cudaSuccess) {
        (void)cudaGetLastError();
        return trawl_fail(error, TRAWL_ERROR_DEVICE,
                          "transfer zero-copy needs page-locked memory, and a text of %zu bytes "
                          "could not be made so: %s (%s)",
                          window->length, cudaGetErrorString(code), cudaGetErrorName(code));
    }
    walk->registered = true;
    void *mapped = NULL;
    TRAWL_CUDA_TRY(cudaHostGetDevicePointer(&mapped, text, 0), error);
    walk->mapped = (const uint8_t *)mapped;
    return TRAWL_OK;
}

static trawl_status find_text(cuda_walk *walk, trawl_error *error) {
    const uint8_t *device_text;
    trawl_status status = find_pinned(walk, &device_text, error);
    if (status == TRAWL_OK && walk->walker->strategy == TRAWL_STRATEGY_ZERO_COPY) {
        walk->mapped = device_text;
        status = device_text == NULL ? map_text(walk, error) : TRAWL_OK;
    }
    return status;
}

static trawl_status upload(cuda_walk *walk, trawl_error *error) {
    cuda_walker *walker = walk->walker;
    trawl_status status = TRAWL_OK;
    if (walker->uploaded == NULL) {
        size_t length = walk->window->length;
        size_t sample = length < SAMPLE_BYTES ? length : SAMPLE_BYTES;
        status = trawl_cuda_upload_once(walker->base.db, walker->device,
                                        walk->window->text + (length - sample) / 2, sample,
                                        &walker->uploaded, error);
    }
    walk->uploaded = walker->uploaded;
    return status;
}

/* Strategy A keeps everything on the device, so that too little memory shows before it begins. */
static trawl_status check_resident(const cuda_walk *walk, uint64_t slots,
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

static trawl_status prepare_slots(cuda_walk *walk, trawl_error *error) {
    const cuda_walker *walker = walk->walker;
    const trawl_segments *segments = &walk->segments;
    trawl_cuda_room room = {};
    trawl_cuda_scan scan = walk->scan;
    uint64_t longest = trawl_segments_longest(segments);
    scan.owned = longest < segments->bytes ? 0 : longest - segments->bytes;
    trawl_status status =
        trawl_cuda_workspace_any(walk->uploaded, &scan, longest, &room.workspace_bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    size_t counters = walk->uploaded->patterns.count * sizeof(uint64_t);
    bool copied = walker->strategy != TRAWL_STRATEGY_ZERO_COPY;
    room.text_bytes = copied ? longest + TEXT_ALIGNMENT : 0;
    room.pinned_text_bytes = copied && !walk->pinned ? longest + TEXT_ALIGNMENT : 0;
    room.per_pattern_bytes = scan.form == TRAWL_CUDA_PATTERNS ? counters : 0;
    if (scan.form == TRAWL_CUDA_MATCHES) {
        uint64_t matches = segments->bytes / BYTES_PER_MATCH;
        room.capacity = matches < FEWEST_MATCHES ? FEWEST_MATCHES
                        : matches > MOST_MATCHES ? MOST_MATCHES
                                                 : matches;
    }
    uint64_t slots =
        trawl_ring_slots(walker->strategy, segments->count, walker->options->segments_in_flight);
    if (walker->strategy == TRAWL_STRATEGY_A) {
        status = check_resident(walk, slots, &room, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_slots_prepare(walk->slots, slots, &room, error);
    }
    if (status == TRAWL_OK && scan.form == TRAWL_CUDA_PATTERNS) {
        status = trawl_cuda_grow((void **)&walk->slots->per_pattern,
                                 &walk->slots->per_pattern_bytes, counters, error);
        if (status == TRAWL_OK) {
            cudaStream_t stream = walk->slots->slot[0].stream;
            TRAWL_CUDA_TRY(cudaMemsetAsync(walk->slots->per_pattern, 0, counters, stream), error);
            TRAWL_CUDA_TRY(cudaStreamSynchronize(stream), error);
        }
    }
    return status == TRAWL_OK ? trawl_ring_open(&walk->ring, walker->strategy, segments->count,
                                                slots, !walk->pinned, error)
                              : status;
}

/* Adds the counters that were summed on the device. */
static trawl_status fetch_counters(const cuda_walk *walk, trawl_error *error) {
    uint32_t count = walk->uploaded->patterns.count;
    uint64_t *counters = (uint64_t *)trawl_allocate(count, sizeof *counters);
    if (counters == NULL) {
        return trawl_fail_memory(error, "counting patterns", count * sizeof *counters);
    }
    cudaStream_t stream = walk->slots->slot[0].stream;
    cudaError_t code = cudaMemcpyAsync(counters, walk->slots->per_pattern, count * sizeof *counters,
                                       cudaMemcpyDeviceToHost, stream);
    code = code == cudaSuccess ? cudaStreamSynchronize(stream) : code;
    for (uint32_t id = 0; code == cudaSuccess && id < count; id++) {
        walk->counts->per_pattern[id] += counters[id];
    }
    trawl_release(counters);
    return code == cudaSuccess ? TRAWL_OK : trawl_cuda_failed(code, "cudaMemcpyAsync", error);
}

/* Waits until nothing of the walk is under way any more, however it ended. False when the device
 * cannot say so. */
static bool drain(const cuda_walk *walk) {
    bool healthy = true;
    for (uint64_t i = 0; i < walk->slots->count; i++) {
        const trawl_cuda_slot *slot = &walk->slots->slot[i];
        healthy = slot->stream != NULL && slot->out != NULL &&
                  cudaStreamSynchronize(slot->stream) == cudaSuccess &&
                  cudaStreamSynchronize(slot->out) == cudaSuccess && healthy;
    }
    return healthy;
}

static trawl_status walk_window(cuda_walk *walk, trawl_error *error) {
    const trawl_scan_options *options = walk->walker->options;
    trawl_status status = upload(walk, error);
    if (status == TRAWL_OK) {
        status = find_text(walk, error);
    }
    if (status == TRAWL_OK) {
        status =
            trawl_cuda_slots_take(walk->walker->base.db, walk->walker->device, &walk->slots, error);
    }
    if (status == TRAWL_OK) {
        walk->segments = trawl_segments_cut(walk->window->length, walk->window->owned,
                                            walk->walker->base.db->header->max_length - 1,
                                            options->segment_bytes);
        status = prepare_slots(walk, error);
    }
    if (status == TRAWL_OK) {
        status = report_layout(walk, error);
    }
    if (status == TRAWL_OK) {
        status = drive(walk, error);
    }
    if (status == TRAWL_OK && walk->scan.form == TRAWL_CUDA_PATTERNS) {
        status = fetch_counters(walk, error);
    }
    bool healthy = walk->slots != NULL && drain(walk);
    healthy = healthy && status <= TRAWL_STOPPED;
    trawl_cuda_slots_leave(walk->walker->base.db, walk->walker->device, walk->slots, healthy);
    trawl_ring_close(&walk->ring);
    if (walk->registered) {
        (void)cudaHostUnregister(const_cast<uint8_t *>(walk->window->text));
    }
    return status;
}

static trawl_status walk_over(trawl_walker *base, const trawl_window *window, trawl_sink *sink,
                              trawl_counts *counts, trawl_error *error) {
    cuda_walker *walker = (cuda_walker *)base;
    const trawl_scan_options *options = walker->options;
    if (window->length == window->owned) {
        return TRAWL_OK;
    }
    cuda_walk walk;
    memset(&walk, 0, sizeof walk);
    walk.walker = walker;
    walk.window = window;
    walk.sink = sink;
    walk.counts = counts;
    walk.scan.size = sizeof walk.scan;
    walk.scan.form = sink != NULL                  ? TRAWL_CUDA_MATCHES
                     : counts->per_pattern != NULL ? TRAWL_CUDA_PATTERNS
                                                   : TRAWL_CUDA_COUNT;
    walk.scan.kernel = options->kernel;
    walk.scan.block_threads = options->block_threads;
    walk.scan.block_bytes = options->block_bytes;
    walk.scan.table_path = options->table_path;
    int before;
    cudaError_t code = trawl_cuda_enter((int)walker->device, &before);
    trawl_status status = code == cudaSuccess ? walk_window(&walk, error)
                                              : trawl_cuda_failed(code, "cudaSetDevice", error);
    trawl_cuda_leave(before);
    return status;
}

/* ------------------------------------------------------------------ the walker */

static trawl_status open_walker(const trawl_db *db, const trawl_scan_options *options,
                                trawl_walker **walker, trawl_error *error);

static void close_walker(trawl_walker *walker) {
    trawl_release(walker);
}

static trawl_status scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    return walk_over(walker, window, sink, NULL, error);
}

static trawl_status count(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    return walk_over(walker, window, NULL, counts, error);
}

static bool own_threads(const trawl_db *db) {
    (void)db;
    return true;
}

static const trawl_walker_type cuda_walker_type = {
    "any", open_walker, close_walker, scan, count, NULL, own_threads, true,
};

static trawl_status open_walker(const trawl_db *db, const trawl_scan_options *options,
                                trawl_walker **walker, trawl_error *error) {
    cuda_walker *made = (cuda_walker *)trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "a scan", sizeof *made);
    }
    made->base.type = &cuda_walker_type;
    made->base.db = db;
    made->options = options;
    made->width = UINT64_MAX;
    (void)trawl_cuda_device_number(options->device, &made->device);
    trawl_status status = trawl_strategy_find(options->transfer, &made->strategy, error);
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
