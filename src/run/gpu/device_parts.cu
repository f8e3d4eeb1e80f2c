/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scans one text whose parts are in the memory of several devices: a scan for each part, and one
 * result for all. */
#include "run/gpu/scan.cuh"

extern "C" {
#include "base/sized.h"
}

/* A part that is being scanned. Its results are in the memory of `scratch`:
 *
 *     | total | per_pattern ... | matches ... | workspace ... | */
typedef struct part_scan {
    const trawl_cuda_text_part *part;
    trawl_cuda_scan_options options;
    trawl_cuda_results results;
    trawl_cuda_scratch scratch;
    bool was_kept; /* the scratch is from the last call */
    uint8_t *workspace;
    size_t workspace_bytes;
    uint64_t total; /* matches of this part, on the host */
} part_scan;

/* What one round of scans writes. */
typedef struct round_of_scans {
    trawl_cuda_form form;
    trawl_cuda_combined *combined;
    uint64_t *counters; /* host memory for the counters of one part; form PATTERNS */
    size_t patterns;
} round_of_scans;

/* ------------------------------------------------------------------ scratch */

/* Takes the scratch that the last call has left with the copy of the database, if it has `bytes` or
 * may be replaced by a larger one (`replaces`). */
static void take_scratch(part_scan *self, uint64_t bytes, bool replaces) {
    trawl_cuda_db *uploaded = const_cast<trawl_cuda_db *>(self->part->uploaded);
    (void)pthread_mutex_lock(&uploaded->scratch_lock);
    if (uploaded->scratch.stream != NULL && (replaces || uploaded->scratch.bytes >= bytes)) {
        self->scratch = uploaded->scratch;
        self->was_kept = true;
        memset(&uploaded->scratch, 0, sizeof uploaded->scratch);
    }
    (void)pthread_mutex_unlock(&uploaded->scratch_lock);
}

/* Leaves the scratch for the next call, unless another call has left one. */
static void leave_scratch(part_scan *self) {
    trawl_cuda_db *uploaded = const_cast<trawl_cuda_db *>(self->part->uploaded);
    (void)pthread_mutex_lock(&uploaded->scratch_lock);
    if (uploaded->scratch.stream == NULL) {
        uploaded->scratch = self->scratch;
        memset(&self->scratch, 0, sizeof self->scratch);
    }
    (void)pthread_mutex_unlock(&uploaded->scratch_lock);
}

/* Makes sure that there are a stream and `bytes` bytes. The part's device is the current one. */
static trawl_status make_scratch(trawl_cuda_scratch *scratch, uint64_t bytes, trawl_error *error) {
    if (scratch->stream == NULL) {
        TRAWL_CUDA_TRY(cudaStreamCreateWithFlags(&scratch->stream, cudaStreamNonBlocking), error);
    }
    if (scratch->bytes < bytes) {
        uint8_t *former = scratch->memory;
        scratch->memory = NULL;
        scratch->bytes = 0;
        TRAWL_CUDA_TRY(cudaFree(former), error);
        TRAWL_CUDA_TRY(cudaMalloc((void **)&scratch->memory, bytes), error);
        scratch->bytes = bytes;
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ one part */

/* Makes scratch for the part's results and workspace. The part's device is the current one. */
static trawl_status allocate(part_scan *self, const round_of_scans *round, trawl_error *error) {
    const trawl_cuda_text_part *part = self->part;
    self->options.form = round->form;
    trawl_status status = trawl_cuda_workspace(part->uploaded, &self->options, part->length,
                                               &self->workspace_bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint64_t counters = round->form == TRAWL_CUDA_PATTERNS ? round->patterns : 0;
    uint64_t matches = round->form == TRAWL_CUDA_MATCHES ? self->total : 0;
    uint64_t first = trawl_cuda_aligned(sizeof(uint64_t));
    uint64_t second = first + trawl_cuda_aligned(counters * sizeof(uint64_t));
    uint64_t third = second + trawl_cuda_aligned(matches * sizeof(trawl_cuda_match));
    take_scratch(self, third + self->workspace_bytes, round->form != TRAWL_CUDA_MATCHES);
    status = make_scratch(&self->scratch, third + self->workspace_bytes, error);
    uint8_t *memory = self->scratch.memory;
    if (status == TRAWL_OK) {
        self->results.total = (uint64_t *)memory;
        self->results.per_pattern = (uint64_t *)(memory + first);
        self->results.matches = (trawl_cuda_match *)(memory + second);
        self->results.capacity = matches;
        self->workspace = memory + third;
    }
    return status;
}

/* Waits for the part's scan and adds its results to the combined ones. */
static trawl_status take_results(part_scan *self, const round_of_scans *round, uint64_t place,
                                 trawl_error *error) {
    trawl_cuda_combined *combined = round->combined;
    TRAWL_CUDA_TRY(cudaMemcpyAsync(&self->total, self->results.total, sizeof self->total,
                                   cudaMemcpyDeviceToHost, self->scratch.stream),
                   error);
    if (round->form == TRAWL_CUDA_PATTERNS) {
        TRAWL_CUDA_TRY(cudaMemcpyAsync(round->counters, self->results.per_pattern,
                                       round->patterns * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                                       self->scratch.stream),
                       error);
    }
    if (round->form == TRAWL_CUDA_MATCHES && self->total != 0) {
        TRAWL_CUDA_TRY(cudaMemcpyAsync(combined->matches + place, self->results.matches,
                                       self->total * sizeof(trawl_cuda_match),
                                       cudaMemcpyDeviceToHost, self->scratch.stream),
                       error);
    }
    TRAWL_CUDA_TRY(cudaStreamSynchronize(self->scratch.stream), error);
    for (size_t i = 0; round->form == TRAWL_CUDA_PATTERNS && i < round->patterns; i++) {
        combined->per_pattern[i] += round->counters[i];
    }
    return TRAWL_OK;
}

/* Waits for the part's device, then frees its scratch or, if all has gone well, leaves it for the
 * next call. The scratch of a round that writes matches may be of any size, so that it is freed.
 * Failures are ignored: the first one has been reported already, or the next call to the device
 * reports it. Streams and memory belong to their device, so they are freed even if it cannot be
 * made the current one. */
static void clear_part(part_scan *self, const round_of_scans *round, bool healthy) {
    int before;
    (void)trawl_cuda_enter(self->part->uploaded->device.number, &before);
    if (self->scratch.stream != NULL) {
        (void)cudaStreamSynchronize(self->scratch.stream);
    }
    if (healthy && (round->form != TRAWL_CUDA_MATCHES || self->was_kept)) {
        leave_scratch(self);
    }
    trawl_cuda_scratch_free(&self->scratch);
    (void)cudaGetLastError();
    self->was_kept = false;
    trawl_cuda_leave(before);
}

/* ------------------------------------------------------------------ all parts */

/* All parts of a call. */
typedef struct part_scans {
    part_scan *each;
    trawl_cuda_device_scan *launched; /* the same, for trawl_cuda_scan_in_turn */
    size_t count;
} part_scans;

/* Launches all scans. */
static trawl_status launch_all(const part_scans *all, const round_of_scans *round,
                               trawl_error *error) {
    for (size_t i = 0; i < all->count; i++) {
        part_scan *scan = &all->each[i];
        int before;
        TRAWL_CUDA_TRY(trawl_cuda_enter(scan->part->uploaded->device.number, &before), error);
        trawl_status status = allocate(scan, round, error);
        trawl_cuda_leave(before);
        if (status != TRAWL_OK) {
            return status;
        }
        all->launched[i] = {scan->part->uploaded,  &scan->options,      scan->part->text,
                            scan->part->length,    &scan->results,      scan->workspace,
                            scan->workspace_bytes, scan->scratch.stream};
    }
    return trawl_cuda_scan_in_turn(all->launched, all->count, error);
}

/* Launches all scans, then waits for one after the other. */
static trawl_status run_round(const part_scans *all, const round_of_scans *round,
                              trawl_error *error) {
    uint64_t place = 0;
    trawl_status status = launch_all(all, round, error);
    for (size_t i = 0; i < all->count && status == TRAWL_OK; i++) {
        part_scan *scan = &all->each[i];
        int before;
        cudaError_t code = trawl_cuda_enter(scan->part->uploaded->device.number, &before);
        status = code == cudaSuccess ? take_results(scan, round, place, error)
                                     : trawl_cuda_failed(code, "cudaSetDevice", error);
        trawl_cuda_leave(before);
        place += scan->total;
    }
    for (size_t i = 0; i < all->count; i++) {
        clear_part(&all->each[i], round, status == TRAWL_OK);
    }
    round->combined->total = status == TRAWL_OK ? place : 0;
    return status;
}

static trawl_status check(const trawl_cuda_text_part *parts, size_t count,
                          const trawl_cuda_combined *combined, trawl_error *error) {
    if (combined == NULL || (parts == NULL && count != 0)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_cuda_scan_parts: %s is NULL",
                          combined == NULL ? "combined" : "parts");
    }
    for (size_t i = 0; i < count; i++) {
        if (parts[i].uploaded == NULL || (parts[i].text == NULL && parts[i].length != 0)) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "trawl_cuda_scan_parts: part %zu: %s is NULL", i,
                              parts[i].uploaded == NULL ? "uploaded" : "text");
        }
        if (parts[i].uploaded->db != parts[0].uploaded->db) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "trawl_cuda_scan_parts: part %zu has a copy of another database than "
                              "part 0",
                              i);
        }
    }
    return TRAWL_OK;
}

/* Counts the matches of all parts. Then, if the caller's array has room for all, writes them in a
 * second round. */
static trawl_status scan_all(const part_scans *all, trawl_cuda_combined *combined, size_t patterns,
                             trawl_error *error) {
    round_of_scans round = {TRAWL_CUDA_COUNT, combined, NULL, patterns};
    if (combined->per_pattern != NULL) {
        round.form = TRAWL_CUDA_PATTERNS;
        round.counters = (uint64_t *)trawl_allocate(patterns, sizeof(uint64_t));
        if (round.counters == NULL) {
            return trawl_fail_memory(error, "the counters of a part's patterns",
                                     patterns * sizeof(uint64_t));
        }
        memset(combined->per_pattern, 0, patterns * sizeof(uint64_t));
    }
    trawl_status status = run_round(all, &round, error);
    trawl_release(round.counters);
    if (status != TRAWL_OK || combined->matches == NULL || combined->total == 0 ||
        combined->total > combined->capacity) {
        return status;
    }
    round.form = TRAWL_CUDA_MATCHES;
    round.counters = NULL;
    return run_round(all, &round, error);
}

extern "C" trawl_status trawl_cuda_scan_parts(const trawl_cuda_text_part *parts, size_t count,
                                              const char *kernel, trawl_cuda_combined *combined,
                                              trawl_error *error) {
    trawl_clear(error);
    trawl_status status = check(parts, count, combined, error);
    if (status == TRAWL_OK) {
        status = trawl_sized_check(combined, "trawl_cuda_scan_parts: combined",
                                   "TRAWL_CUDA_COMBINED", error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_cuda_combined known;
    memset(&known, 0, sizeof known);
    trawl_sized_read(&known, combined, sizeof known);
    known.total = 0;
    const part_scans all = {
        (part_scan *)trawl_allocate_zeroed(count, sizeof(part_scan)),
        (trawl_cuda_device_scan *)trawl_allocate_zeroed(count, sizeof(trawl_cuda_device_scan)),
        count};
    if (all.each == NULL || all.launched == NULL) {
        status = trawl_fail_memory(error, "the list of a text's parts",
                                   count * (sizeof *all.each + sizeof *all.launched));
    }
    for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
        part_scan *scan = &all.each[i];
        scan->part = &parts[i];
        scan->options.size = sizeof scan->options;
        scan->options.kernel = kernel;
        scan->options.owned = parts[i].owned;
        scan->options.base = parts[i].base;
    }
    if (status == TRAWL_OK) {
        size_t patterns = count == 0 ? 0 : parts[0].uploaded->db->header->pattern_count;
        status = scan_all(&all, &known, patterns, error);
    }
    trawl_release(all.each);
    trawl_release(all.launched);
    trawl_sized_write(combined, &known, sizeof known);
    return status;
}
