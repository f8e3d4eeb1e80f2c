/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Takes the steps of a walk over a window, in the order that the ring gives (transfer/ring.h). One
 * thread drives everything; the device works ahead of it in the slots' streams, and other threads
 * bring text (transfer/fill.h).
 */
#include "base/clock.h"
#include "run/gpu/walker.cuh"

/* ------------------------------------------------------------------ times for the report */

/*
 * Adds the time of a step to a sum of the report. Slots have streams of their own, so the begin
 * event of a step may come while the device still does the same step for another slot. The time
 * from then to *until, where that step ended, has been added already and is not added again.
 */
static trawl_status add_time(const trawl_cuda_walk *walk, cudaEvent_t begin, cudaEvent_t end,
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

static trawl_status report_scan(trawl_cuda_walk *walk, trawl_cuda_slot *slot, trawl_error *error) {
    trawl_report *report = walk->walker->options->report;
    trawl_status status = TRAWL_OK;
    if (report != NULL && walk->ring.copy_in && !slot->counted_in) {
        slot->counted_in = true;
        status = add_time(walk, slot->in_begin, slot->in_end, &walk->in_until,
                          &report->study.copy_in_seconds, error);
    }
    if (report != NULL && status == TRAWL_OK) {
        status = add_time(walk, slot->scan_begin, slot->scan_end, &walk->scan_until,
                          &report->study.scan_seconds, error);
    }
    return status;
}

/* ------------------------------------------------------------------ the ring's steps */

/* The segment of the window that the ring calls `segment`. */
static uint64_t in_window(const trawl_cuda_walk *walk, uint64_t segment) {
    return walk->part.share == NULL ? segment : walk->part.taken[segment % TRAWL_SHARE_TAKEN];
}

/* Takes segments of a share as long as the ring has a slot for one. */
static void take_segments(trawl_cuda_walk *walk) {
    trawl_cuda_part *part = &walk->part;
    while (part->share != NULL && !part->all_taken && trawl_ring_hungry(&walk->ring)) {
        uint64_t *place = &part->taken[walk->ring.segments % TRAWL_SHARE_TAKEN];
        if (trawl_share_take(part->share, place)) {
            trawl_ring_grow(&walk->ring);
        } else {
            part->all_taken = true;
        }
    }
}

/* The offset of a segment's text in a slot's buffers, which aligns its first owned byte. */
static uint64_t padding(const trawl_segment *segment) {
    uint64_t overlap = (segment->owned - segment->begin) % TRAWL_CUDA_TEXT_ALIGNMENT;
    return (TRAWL_CUDA_TEXT_ALIGNMENT - overlap) % TRAWL_CUDA_TEXT_ALIGNMENT;
}

/* Starts a fill. A slot's memory is allocated when the slot is first used, while text is being read
 * into other slots. */
static trawl_status start_fill(trawl_cuda_walk *walk, trawl_cuda_slot *slot,
                               const trawl_ring_action *action, trawl_error *error) {
    trawl_segment segment = trawl_segments_at(&walk->segments, in_window(walk, action->segment));
    trawl_status status = trawl_cuda_slot_stage(slot, walk->room.text_bytes, error);
    if (status == TRAWL_OK) {
        trawl_fillers_start(walk->fillers, action->slot, slot->staging.bytes + padding(&segment),
                            segment.begin, segment.end);
    }
    return status;
}

/* Ends the fill of the next segment. If reading failed, the window ends with the bytes that could
 * be read. */
static void end_fill(trawl_cuda_walk *walk, uint64_t place) {
    uint64_t index = walk->ring.next;
    trawl_segment segment = trawl_segments_at(&walk->segments, in_window(walk, index));
    trawl_error error;
    trawl_status status;
    uint64_t reached = trawl_fillers_reached(walk->fillers, place, &status, &error);
    trawl_ring_filled(&walk->ring, place);
    if (status != TRAWL_OK) {
        if (walk->part.share == NULL) {
            walk->window->reading->status = status;
            walk->window->reading->error = error;
        } else {
            walk->part.all_taken = true;
            trawl_share_end(walk->part.share, in_window(walk, index), reached, status, &error);
        }
        bool some = reached > segment.owned;
        walk->segments.length = some ? reached : segment.owned;
        trawl_ring_end(&walk->ring, some ? index + 1 : index);
    }
}

/* Makes segment `index` the slot's own. */
static void begin_segment(const trawl_cuda_walk *walk, trawl_cuda_slot *slot, uint64_t index) {
    slot->index = index;
    slot->segment = trawl_segments_at(&walk->segments, in_window(walk, index));
    slot->next = slot->segment.owned;
    slot->counted_in = false;
    slot->device_text = walk->mapped != NULL ? walk->mapped + slot->segment.begin
                                             : slot->text + padding(&slot->segment);
}

static trawl_status copy_in(const trawl_cuda_walk *walk, trawl_cuda_slot *slot, uint64_t index,
                            trawl_error *error) {
    trawl_status status = trawl_cuda_slot_grow(slot, &walk->room, error);
    if (status == TRAWL_OK && !walk->pinned) {
        status = trawl_cuda_slot_lock(slot, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    begin_segment(walk, slot, index);
    uint64_t place = padding(&slot->segment);
    const uint8_t *from =
        walk->pinned ? walk->window->text + slot->segment.begin : slot->staging.bytes + place;
    TRAWL_CUDA_TRY(cudaEventRecord(slot->in_begin, slot->stream), error);
    TRAWL_CUDA_TRY(cudaMemcpyAsync(slot->text + place, from,
                                   slot->segment.end - slot->segment.begin, cudaMemcpyHostToDevice,
                                   slot->stream),
                   error);
    TRAWL_CUDA_TRY(cudaEventRecord(slot->in_end, slot->stream), error);
    return TRAWL_OK;
}

/* The half of the counters in which a segment of the ring is counted. */
static uint64_t half_of(const trawl_cuda_walk *walk, uint64_t segment) {
    return walk->part.share == NULL ? 0 : segment / TRAWL_SHARE_EPOCH % 2;
}

static __global__ void add_counters(trawl_counter *sums, const uint64_t *counters, uint32_t count) {
    uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count && counters[index] != 0) {
        atomicAdd(&sums[index], (trawl_counter)counters[index]);
    }
}

static trawl_status start_scan(const trawl_cuda_walk *walk, trawl_cuda_slot *slot,
                               trawl_error *error) {
    const trawl_segment *segment = &slot->segment;
    trawl_cuda_scan_options scan = walk->scan;
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
    results.ends = (uint32_t *)slot->entries;
    results.states = slot->entries;
    TRAWL_CUDA_TRY(cudaEventRecord(slot->scan_begin, slot->stream), error);
    status = trawl_cuda_scan_any(walk->uploaded, &scan, slot->device_text, length, &results,
                                 slot->workspace, slot->workspace_bytes, slot->stream, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (scan.form == TRAWL_CUDA_PATTERNS) {
        uint32_t count = walk->uploaded->patterns.count;
        const uint32_t threads = walk->uploaded->device.tuning->counter_threads;
        TRAWL_LAUNCH(add_counters, count / threads + 1, threads, 0, slot->stream,
                     (trawl_counter *)walk->slots->per_pattern + half_of(walk, slot->index) * count,
                     slot->per_pattern, count);
        TRAWL_CUDA_LAUNCHED("add_counters", error);
    }
    if (walk->entries == NULL) {
        TRAWL_CUDA_TRY(cudaMemcpyAsync(slot->host_total, slot->total, sizeof *slot->total,
                                       cudaMemcpyDeviceToHost, slot->stream),
                       error);
    }
    TRAWL_CUDA_TRY(cudaEventRecord(slot->scan_end, slot->stream), error);
    return TRAWL_OK;
}

/* Ends a scan: its total says whether all matches of the range fitted into the buffer. */
static trawl_status end_scan(trawl_cuda_walk *walk, uint64_t index, trawl_error *error) {
    trawl_cuda_walker_state *walker = walk->walker;
    trawl_cuda_slot *slot = &walk->slots->slot[index];
    trawl_status status = report_scan(walk, slot, error);
    const bool entries = walk->entries != NULL;
    slot->found = entries ? 0 : *slot->host_total;
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
    trawl_ring_scanned(&walk->ring, index, as, entries || (matches && slot->found != 0));
    return status;
}

/* Starts the copy of the results to the host. Ends and states are copied directly to their place in
 * the caller's memory: a segment begins at a multiple of 32 owned bytes, so that its first bit of
 * ends is the first of a word. */
static trawl_status copy_out(const trawl_cuda_walk *walk, trawl_cuda_slot *slot,
                             trawl_error *error) {
    const trawl_segment *segment = &slot->segment;
    void *to;
    const void *from;
    uint64_t bytes;
    if (walk->entries != NULL) {
        const uint64_t before = segment->owned - walk->segments.owned;
        to = walk->entries + trawl_cuda_entries_bytes(walk->uploaded, walk->scan.form, before);
        from = slot->entries;
        bytes = trawl_cuda_entries_bytes(walk->uploaded, walk->scan.form,
                                         segment->end - segment->owned);
    } else {
        trawl_status status = trawl_cuda_slot_receive(slot, slot->found, error);
        if (status != TRAWL_OK) {
            return status;
        }
        to = slot->host_matches;
        from = slot->matches;
        bytes = slot->found * sizeof *slot->matches;
    }
    TRAWL_CUDA_TRY(cudaEventRecord(slot->out_begin, slot->out), error);
    TRAWL_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, slot->out), error);
    TRAWL_CUDA_TRY(cudaEventRecord(slot->out_end, slot->out), error);
    return TRAWL_OK;
}

static trawl_status await_scan(trawl_cuda_walk *walk, uint64_t index, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaEventSynchronize(walk->slots->slot[index].scan_end), error);
    return end_scan(walk, index, error);
}

static trawl_status await_copy_out(trawl_cuda_walk *walk, uint64_t index, trawl_error *error) {
    trawl_cuda_slot *slot = &walk->slots->slot[index];
    TRAWL_CUDA_TRY(cudaEventSynchronize(slot->out_end), error);
    trawl_ring_copied_out(&walk->ring, index);
    trawl_report *report = walk->walker->options->report;
    return report == NULL ? TRAWL_OK
                          : add_time(walk, slot->out_begin, slot->out_end, &walk->out_until,
                                     &report->study.copy_out_seconds, error);
}

static trawl_status await_copy_in(trawl_cuda_walk *walk, uint64_t index, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaEventSynchronize(walk->slots->slot[index].in_end), error);
    trawl_ring_copied_in(&walk->ring, index);
    return TRAWL_OK;
}

static trawl_status await_fill(trawl_cuda_walk *walk, uint64_t place) {
    trawl_report *report = walk->walker->options->report;
    double begin = report == NULL ? 0 : trawl_seconds();
    trawl_fillers_await(walk->fillers, place);
    if (report != NULL) {
        report->study.read_wait_seconds += trawl_seconds() - begin;
    }
    end_fill(walk, place);
    return TRAWL_OK;
}

/* A step that only starts something. */
static trawl_status start(trawl_cuda_walk *walk, const trawl_ring_action *action,
                          trawl_error *error) {
    trawl_cuda_slot *slot = &walk->slots->slot[action->slot];
    switch (action->step) {
    case TRAWL_RING_FILL:
        return start_fill(walk, slot, action, error);
    case TRAWL_RING_COPY_IN:
        return copy_in(walk, slot, action->segment, error);
    case TRAWL_RING_COPY_OUT:
        return copy_out(walk, slot, error);
    default:                                  /* TRAWL_RING_SCAN */
        if (slot->index != action->segment) { /* nothing had to be copied */
            trawl_status status = trawl_cuda_slot_grow(slot, &walk->room, error);
            if (status != TRAWL_OK) {
                return status;
            }
            begin_segment(walk, slot, action->segment);
        }
        return start_scan(walk, slot, error);
    }
}

/* Tells the ring which fills and scans are complete, so that later steps can start. */
static trawl_status look_ahead(trawl_cuda_walk *walk, trawl_error *error) {
    uint64_t slot;
    if (trawl_ring_filling(&walk->ring, &slot) && trawl_fillers_done(walk->fillers, slot)) {
        end_fill(walk, slot);
    }
    while (trawl_ring_scanning(&walk->ring, &slot)) {
        cudaError_t code = cudaEventQuery(walk->slots->slot[slot].scan_end);
        if (code == cudaErrorNotReady) {
            (void)cudaGetLastError(); /* not an error, but CUDA remembers it as one */
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

/* Gives the device what it can work on while matches are delivered. */
static trawl_status work_ahead(trawl_cuda_walk *walk, trawl_error *error) {
    trawl_ring_action action;
    trawl_status status = look_ahead(walk, error);
    take_segments(walk);
    while (status == TRAWL_OK && trawl_ring_ahead(&walk->ring, &action)) {
        status = start(walk, &action, error);
        if (status == TRAWL_OK) {
            status = look_ahead(walk, error);
        }
        take_segments(walk);
    }
    return status;
}

/* ------------------------------------------------------------------ results */

trawl_status trawl_cuda_walk_fetch(const trawl_cuda_walk *walk, uint64_t half, trawl_error *error) {
    uint32_t count = walk->uploaded->patterns.count;
    size_t bytes = count * sizeof(uint64_t);
    uint64_t *counters = (uint64_t *)trawl_allocate(count, sizeof *counters);
    if (counters == NULL) {
        return trawl_fail_memory(error, "counting patterns", bytes);
    }
    uint64_t *on_device = walk->slots->per_pattern + half * count;
    cudaStream_t stream = walk->slots->slot[0].out;
    cudaError_t code = cudaMemcpyAsync(counters, on_device, bytes, cudaMemcpyDeviceToHost, stream);
    code = code == cudaSuccess ? cudaMemsetAsync(on_device, 0, bytes, stream) : code;
    code = code == cudaSuccess ? cudaStreamSynchronize(stream) : code;
    for (uint32_t id = 0; code == cudaSuccess && id < count; id++) {
        walk->counts->per_pattern[id] += counters[id];
    }
    trawl_release(counters);
    return code == cudaSuccess ? TRAWL_OK : trawl_cuda_failed(code, "cudaMemcpyAsync", error);
}

/* Adds to the counts what has been counted in the segments of the ring before `segment`. */
static trawl_status commit_counts(trawl_cuda_walk *walk, uint64_t segment, trawl_error *error) {
    trawl_cuda_part *part = &walk->part;
    trawl_status status = TRAWL_OK;
    if (walk->scan.form == TRAWL_CUDA_PATTERNS && part->committed != segment) {
        status = trawl_cuda_walk_fetch(walk, half_of(walk, segment - 1), error);
    }
    if (status == TRAWL_OK) {
        walk->counts->total += part->fresh;
        part->fresh = 0;
        part->committed = segment;
    }
    return status;
}

static trawl_status deliver_count(trawl_cuda_walk *walk, const trawl_cuda_slot *slot,
                                  trawl_error *error) {
    if (walk->part.share == NULL) {
        walk->counts->total += slot->found;
        return TRAWL_OK;
    }
    const uint64_t next = walk->ring.turn + 1;
    walk->part.fresh += slot->found;
    bool ends = walk->scan.form == TRAWL_CUDA_COUNT || next % TRAWL_SHARE_EPOCH == 0;
    return ends ? commit_counts(walk, next, error) : TRAWL_OK;
}

/* Delivers all matches of a range, which are on the host: even if the device fails meanwhile. */
static trawl_status deliver_matches(trawl_cuda_walk *walk, const trawl_cuda_slot *slot,
                                    trawl_error *error) {
    const trawl_cuda_match *matches = slot->host_matches;
    uint64_t found = slot->found;
    trawl_status ahead = TRAWL_OK;
    for (uint64_t i = 0; i < found; i++) {
        trawl_status status = trawl_sink_put(walk->sink, matches[i].end - matches[i].length,
                                             matches[i].end, matches[i].pattern);
        if (status != TRAWL_OK) {
            walk->part.sink_failed = true;
            return status;
        }
        if (ahead == TRAWL_OK && (i + 1) % TRAWL_DELIVERED_AT_ONCE == 0) {
            ahead = work_ahead(walk, error);
        }
    }
    return ahead;
}

/* With a share: waits for the turn of a segment of the window, while the device works ahead. If the
 * turn never comes, sets walk->part.over. */
static trawl_status await_turn(trawl_cuda_walk *walk, uint64_t segment, trawl_error *error) {
    trawl_cuda_part *part = &walk->part;
    trawl_status status = TRAWL_OK;
    trawl_turn turn = TRAWL_TURN_LATER;
    while (status == TRAWL_OK && turn == TRAWL_TURN_LATER) {
        turn = trawl_share_await(part->share, segment, TRAWL_SHARE_WAIT_MICROSECONDS);
        status = turn == TRAWL_TURN_LATER ? work_ahead(walk, error) : TRAWL_OK;
    }
    part->over = status == TRAWL_OK && turn == TRAWL_TURN_NEVER;
    return status;
}

/* With a share: records that a range of the segment whose turn it is has been delivered, or
 * (`last`) all of the segment. */
static void note_delivered(trawl_cuda_walk *walk, const trawl_cuda_slot *slot, bool last) {
    walk->part.resume = last ? 0 : slot->range.end;
    if (last) {
        walk->part.committed++;
        trawl_share_delivered(walk->part.share);
    }
}

static trawl_status deliver(trawl_cuda_walk *walk, const trawl_ring_action *action,
                            trawl_error *error) {
    trawl_cuda_slot *slot = &walk->slots->slot[action->slot];
    const bool ordered = walk->part.share != NULL && walk->part.share->ordered;
    trawl_status status = TRAWL_OK;
    if (ordered) {
        status = await_turn(walk, in_window(walk, action->segment), error);
        if (status != TRAWL_OK || walk->part.over) {
            return status;
        }
    }
    if (walk->counts != NULL) {
        status = deliver_count(walk, slot, error);
    } else if (walk->sink != NULL) {
        status = deliver_matches(walk, slot, error);
    }
    if (ordered && !walk->part.sink_failed) {
        note_delivered(walk, slot, walk->ring.slot[action->slot].last);
    }
    trawl_ring_delivered(&walk->ring, action->slot);
    return status;
}

static trawl_status perform(trawl_cuda_walk *walk, const trawl_ring_action *action,
                            trawl_error *error) {
    switch (action->step) {
    case TRAWL_RING_FILL:
    case TRAWL_RING_COPY_IN:
    case TRAWL_RING_SCAN:
    case TRAWL_RING_COPY_OUT:
        return start(walk, action, error);
    case TRAWL_RING_DELIVER:
        return deliver(walk, action, error);
    case TRAWL_RING_AWAIT_FILL:
        return await_fill(walk, action->slot);
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

/* Follows the ring to its end. */
static trawl_status follow_ring(trawl_cuda_walk *walk, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaEventRecord(walk->slots->start, walk->slots->slot[0].stream), error);
    for (;;) {
        trawl_status status = look_ahead(walk, error);
        if (status != TRAWL_OK) {
            return status;
        }
        take_segments(walk);
        trawl_ring_action action = trawl_ring_next(&walk->ring);
        if (action.step == TRAWL_RING_FINISHED) {
            return walk->part.share != NULL && walk->counts != NULL
                       ? commit_counts(walk, walk->ring.turn, error)
                       : TRAWL_OK;
        }
        status = perform(walk, &action, error);
        if (status != TRAWL_OK || walk->part.over) {
            return status;
        }
    }
}

/* ------------------------------------------------------------------ the walk */

typedef struct driving {
    trawl_cuda_walk *walk;
    trawl_error *error;
    trawl_status status;
} driving;

static void drive(void *context) {
    driving *self = (driving *)context;
    self->status = follow_ring(self->walk, self->error);
}

trawl_status trawl_cuda_walk_drive(trawl_cuda_walk *walk, trawl_error *error) {
    driving self = {walk, error, TRAWL_OK};
    if (walk->fillers == NULL) {
        drive(&self);
    } else {
        trawl_fillers_run(walk->fillers, walk->walker->fillers, drive, &self);
    }
    return self.status;
}
