/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records of kernel `packed`, from the marks that the pass that counts has left: a bit for each
 * position where matches end. The sums over the strips' matches are where the records of each strip
 * begin. A warp lists the marked positions of its strip in shared memory, so that each of its
 * threads has one to look up, and records that follow each other are written together.
 */
#include "engines/qgram/cuda/find_keys.cuh"
#include "engines/qgram/cuda/packed.cuh"

#define THREADS trawl_qgram_tuned::packed_record_threads
#define WARPS (THREADS / 32)

/* Positions of a list: up to 31 wait before the marks of a batch come. */
#define LIST (32u + TRAWL_QGRAM_BATCH)

/* The arguments of the functions below. */
typedef struct writer {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_packed_view *view;
    trawl_packed_tables tables;
    uint16_t *list; /* the warp's, in shared memory */
} writer;

/* ------------------------------------------------------------------ looking up */

/* The matches that end at a position. */
typedef struct found_end {
    uint32_t end;       /* one past the last byte, in the slice */
    uint32_t id_or_key; /* of the only match its id; of several, or those to verify, their key */
    uint32_t length;    /* of the only match; 0: see the key */
    uint32_t total;     /* number of matches */
} found_end;

/* The number of bytes before text[end] up to the first one outside the alphabet; at most 8. */
static __device__ __forceinline__ uint32_t letters_before(const writer &self, uint64_t bytes,
                                                          uint32_t end) {
    const uint32_t most = end < 8 ? end : 8;
    uint32_t count = 0;
    while (count < most) {
        const uint32_t byte = (uint32_t)(bytes >> (56 - 8 * count)) & 0xff;
        const uint32_t shift = 8 * (byte >> self.view->shift & 3);
        const uint32_t folded = byte | (self.tables.folds >> shift & 0xff);
        if (folded != (self.tables.letters >> shift & 0xff)) {
            break;
        }
        count++;
    }
    return count;
}

/* Looks up what ends before text[end], where at least one key does. */
static __device__ __forceinline__ found_end look_up(const writer &self, uint32_t end) {
    const trawl_cuda_packed_view &view = *self.view;
    const trawl_outputs &outputs = view.keys.outputs;
    const uint64_t bytes = trawl_cuda_eight_before(self.reporter->slice, (int32_t)end);
    const uint32_t earlier = ((uint32_t)bytes & view.mask) * view.pack_factor >> 24;
    const uint32_t later = ((uint32_t)(bytes >> 32) & view.mask) * view.pack_factor >> 24;
    const uint32_t number = later << 8 | earlier;
    const uint2 single = __ldg(view.singles + number);
    found_end found = {end, single.x, single.y, 1};
    if (view.min_length != view.max_length) {
        /* A longer key may be equal to letters that are not there. */
        const uint32_t run = letters_before(self, bytes, end);
        if (run < view.max_length && (single.y == 0 || single.y > run)) {
            uint32_t key = __ldg(view.key_of + number);
            while (key != TRAWL_NO_KEY && __ldg(outputs.length + key) > run) {
                key = __ldg(outputs.link + key);
            }
            found.id_or_key = key;
            found.length = 0;
        }
    }
    if (found.length == 0) {
        found.total = found.id_or_key == TRAWL_NO_KEY
                          ? 0
                          : trawl_cuda_total(*self.reporter, view.keys, end, found.id_or_key);
    }
    return found;
}

/* ------------------------------------------------------------------ writing */

/* Writes the records of the first `count` positions of the list, counted from text[from]. Returns
 * where the next record goes. */
static __device__ __forceinline__ trawl_counter write_list(const writer &self, uint32_t count,
                                                           int32_t from, trawl_counter cursor) {
    const trawl_cuda_reporter &reporter = *self.reporter;
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t i = lane; i - lane < count; i += 32) {
        found_end found = {0, 0, 0, 0};
        if (i < count) {
            found = look_up(self, (uint32_t)(from + (int32_t)self.list[i]) + 1);
        }
        uint32_t all = count - (i - lane) < 32 ? count - (i - lane) : 32;
        trawl_counter at = cursor + lane;
        if (__any_sync(FULL, i < count && found.length == 0)) {
            at = cursor + sum_before(found.total, &all);
        }
        if (found.length != 0) {
            reporter.output.matches[at] = {reporter.slice.base + found.end, found.id_or_key,
                                           found.length};
        } else if (found.total != 0) {
            trawl_cuda_report_key(reporter, self.view->keys, found.end, found.id_or_key, &at);
        }
        cursor += all;
    }
    return cursor;
}

/* Adds a thread's marks to a list. `at`: where its first one goes; `from`: the first position of
 * its word. Returns where the next one goes. */
static __device__ __forceinline__ uint32_t list_word(const writer &self, uint32_t at, uint32_t bits,
                                                     uint32_t from) {
    for (; bits != 0; bits &= bits - 1) {
        self.list[at++] = (uint16_t)(from + (uint32_t)__ffs((int)bits) - 1);
    }
    return at;
}

/* Writes the records of a strip of `batches` batches, which begins at text[begin]. */
static __device__ __forceinline__ trawl_counter write_strip(const writer &self,
                                                            const uint32_t *marks, uint32_t batches,
                                                            int32_t begin, trawl_counter cursor) {
    static_assert(TRAWL_QGRAM_BATCH == 64 * 32, "a batch has two words of marks for each thread");
    const uint32_t lane = threadIdx.x % 32;
    const uint2 *own = (const uint2 *)marks + lane;
    uint2 next = __ldg(own);
    uint32_t count = 0;
    for (uint32_t batch = 0; batch < batches; batch++) {
        const uint2 bits = next;
        next = batch + 1 < batches ? __ldg(own + 32 * (batch + 1)) : make_uint2(0, 0);
        const uint32_t from = batch * TRAWL_QGRAM_BATCH + 64 * lane;
        uint32_t all, some = (uint32_t)(__popc(bits.x) + __popc(bits.y));
        uint32_t at = count + sum_before(some, &all);
        at = list_word(self, at, bits.x, from);
        (void)list_word(self, at, bits.y, from + 32);
        __syncwarp();
        count += all;
        const uint32_t whole = count & ~31u;
        cursor = write_list(self, whole, begin, cursor);
        count -= whole;
        const uint16_t left = lane < count ? self.list[whole + lane] : (uint16_t)0;
        __syncwarp();
        self.list[lane] = left;
        __syncwarp();
    }
    return write_list(self, count, begin, cursor);
}

static __global__ void __launch_bounds__(THREADS, trawl_qgram_tuned::packed_record_blocks)
    write_packed_records(const __grid_constant__ trawl_cuda_reporter reporter,
                         const __grid_constant__ trawl_cuda_packed_view view, uint32_t strip_bytes,
                         const uint32_t *marks) {
    TRAWL_SHARED(shared);
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    const uint4 tables = __ldg(view.tables);
    const writer self = {&reporter,
                         &view,
                         {tables.x, tables.y, tables.z, tables.w},
                         (uint16_t *)shared + threadIdx.x / 32 * LIST};
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    for (uint32_t strip = (blockIdx.x * THREADS + threadIdx.x) / 32; strip < strips;
         strip += gridDim.x * WARPS) {
        const int32_t begin = (int32_t)trawl_cuda_strip_begin(&slice, strip_bytes, strip);
        const int32_t left = (int32_t)slice.length - begin;
        const uint32_t bytes = left < (int32_t)strip_bytes ? (uint32_t)left : strip_bytes;
        const uint32_t batches = (bytes + TRAWL_QGRAM_BATCH - 1) / TRAWL_QGRAM_BATCH;
        const uint32_t *own = marks + (size_t)strip * (strip_bytes / 32);
        const trawl_counter cursor =
            write_strip(self, own, batches, begin, reporter.output.sizes[strip]);
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            reporter.output.sizes[strip] = cursor;
        }
    }
}

trawl_status trawl_cuda_packed_write_records(const trawl_cuda_packed_call *call,
                                             trawl_error *error) {
    const uint32_t strips = trawl_cuda_strip_count(&call->reporter->slice, call->strip_bytes);
    const uint32_t blocks = (strips + WARPS - 1) / WARPS;
    const uint32_t most =
        (uint32_t)call->device->multiprocessors * trawl_qgram_tuned::packed_record_blocks;
    TRAWL_LAUNCH(write_packed_records, blocks < most ? blocks : most, THREADS,
                 WARPS * LIST * sizeof(uint16_t), call->stream, *call->reporter, *call->view,
                 call->strip_bytes, call->marks);
    TRAWL_CUDA_LAUNCHED("write_packed_records", error);
    return TRAWL_OK;
}
