/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Kernel hot for every pass but STATES: it counts, and reports what it finds.
 *
 * One block of up to 1,024 threads stays on each multiprocessor, copies the image into shared
 * memory once and walks its strips. A thread walks one strip at a time and reads 32 bytes of it at
 * once: whole sectors, so that nothing is read twice although the threads of a warp read far apart.
 *
 * Matches are rare, and reporting one takes long. A warp that reported each match at once would
 * work with one of its threads most of the time. Instead, its threads write notes of where matches
 * end. When the warp's memory for notes is nearly full, all its threads report, each another note.
 * A note also has the place where its records are written: the automaton's entries say how many
 * patterns end at a state, so the place is known when the note is written. If patterns have to be
 * verified, that number is not known, and matches are reported at once. For counts by pattern, a
 * block counts in shared memory how often each matching state is reached, and finally adds these
 * counts to the keys. If only ends are wanted, they are marked for 32 bytes at once.
 */
#include "engines/ac_dfa/cuda/hot.cuh"
#include "gpu/emission.cuh"

/* A place where matches end. */
typedef struct note {
    uint32_t at;   /* index of the last byte */
    uint32_t rank; /* of the state */
    trawl_counter cursor;
} note;

/* A warp's notes are reported when there are FULL of them: all its threads can then still write a
 * note in one step. */
#define NOTES TRAWL_HOT_NOTES
#define FULL (NOTES - 32)

/* What happens at a matching state: COUNT adds the number of its matches; VISITS counts how often
 * it is reached; MARK marks its end; NOTE writes a note; REPORT reports the matches at once. */
enum after { COUNT, VISITS, MARK, NOTE, REPORT };

/* What all steps of a thread read or write besides the walker. */
typedef struct surroundings {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_keys *keys;
    const trawl_hot_view *view;
    const uint8_t *class_of; /* in shared memory */
    const uint16_t *rows;    /* in shared memory */
    note *notes;             /* the warp's, in shared memory */
    uint32_t *visits;        /* the block's, in the same memory: visits by the state's rank */
    uint32_t counted;        /* ranks below this one have a counter in `visits` */
} surroundings;

/* The state of a thread's walk, and its results so far. */
typedef struct walker {
    uint32_t row;         /* the state's rank if it has a row, else the number of rows */
    uint32_t rank;        /* the state's rank if it has no row */
    uint32_t count;       /* matches since the cursor was last advanced, of less than 64 bytes of
                             text with totals below full_most; MARK: of the last step */
    uint32_t noted;       /* NOTE: notes of the warp so far; the same in all its threads */
    trawl_counter cursor; /* see gpu/emission.cuh */
} walker;

/* The exact number of matches in a state whose entry only says "full_most or more". */
static __device__ __forceinline__ uint32_t total_of(const surroundings &around, uint32_t rank) {
    return __ldg(around.keys->outputs.total + __ldg(around.view->key + rank));
}

/* Adds `times` visits of a state to the hits of its key, which must not need verification. */
static __device__ __forceinline__ void count_state(const surroundings &around, uint32_t rank,
                                                   uint32_t times) {
    const uint32_t key = __ldg(around.view->key + rank);
    atomicAdd(&around.reporter->output.hits[around.keys->first_hit + key], (trawl_counter)times);
}

/* Adds the block's counters to the hits of the keys. All threads of the block call this. */
static __device__ __forceinline__ void add_visits(const surroundings &around) {
    __syncthreads();
    for (uint32_t rank = threadIdx.x; rank < around.counted; rank += blockDim.x) {
        if (around.visits[rank] != 0) {
            count_state(around, rank, around.visits[rank]);
        }
    }
}

/* Reports all notes of the warp. All its threads call this. */
static __device__ __noinline__ void report_notes(const surroundings &around, uint32_t count) {
    __syncwarp();
    for (uint32_t i = threadIdx.x % 32; i < count; i += 32) {
        note found = around.notes[i];
        trawl_counter cursor = found.cursor;
        trawl_cuda_report_key(*around.reporter, *around.keys, found.at + 1,
                              __ldg(around.view->key + found.rank), &cursor);
    }
    __syncwarp();
}

/* Writes a note for each thread of the warp that has matches. All threads of the warp call this. */
static __device__ __forceinline__ void take_notes(const surroundings &around, uint32_t at,
                                                  uint32_t rank, uint32_t total, walker *walker) {
    uint32_t found = __ballot_sync(0xffffffffu, total != 0);
    if (found == 0) {
        return;
    }
    if (total != 0) {
        uint32_t before = __popc(found & ((1u << (threadIdx.x % 32)) - 1));
        around.notes[walker->noted + before] = {at, rank, walker->cursor};
        walker->cursor += total;
    }
    walker->noted += __popc(found);
    if (walker->noted > FULL) {
        report_notes(around, walker->noted);
        walker->noted = 0;
    }
}

/* Steps over one byte. COUNTED: the byte is owned, so matches that end there count. */
template <int AFTER, bool WHOLE, bool COUNTED>
static __device__ __forceinline__ void step(const surroundings &around, uint32_t byte, uint32_t at,
                                            walker *walker) {
    const trawl_hot_view &view = *around.view;
    const uint32_t bits = view.image.rank_bits;
    const uint32_t rare = 0x10000u - (1u << bits); /* all bits above the rank are set */
    uint32_t column = around.class_of[byte];
    uint32_t entry = around.rows[walker->row * view.classes + column];
    uint32_t total = entry >> bits;
    uint32_t rank = entry & ((1u << bits) - 1);
    if (entry < rare) {
        walker->row = rank;
    } else {
        uint32_t from = WHOLE || walker->row != view.image.rows ? walker->row : walker->rank;
        entry = __ldg(view.full + ((size_t)from * view.classes + column));
        total = entry >> view.full_bits;
        rank = entry & ((1u << view.full_bits) - 1);
        walker->rank = rank;
        walker->row = WHOLE || rank < view.image.rows ? rank : view.image.rows;
        if (COUNTED && total == view.full_most) {
            total = total_of(around, rank);
            if (AFTER == COUNT || AFTER == VISITS) {
                /* Many such totals have no room in 32 bits: the cursor takes them at once, and the
                 * subtraction cancels the addition below. */
                walker->cursor += total;
                walker->count -= total;
            }
        }
    }
    if (COUNTED && AFTER == COUNT) {
        walker->count += total;
    }
    if (COUNTED && AFTER == MARK) {
        walker->count = total;
    }
    if (COUNTED && AFTER == VISITS && total != 0) {
        walker->count += total;
        if (rank < around.counted) {
            atomicAdd(&around.visits[rank], 1u);
        } else {
            count_state(around, rank, 1);
        }
    }
    if (COUNTED && AFTER == NOTE) {
        take_notes(around, at, rank, total, walker);
    }
    if (COUNTED && AFTER == REPORT && total != 0) {
        trawl_counter cursor = walker->cursor; /* a copy: so the walker stays in registers */
        trawl_cuda_report_key(*around.reporter, *around.keys, at + 1, __ldg(view.key + rank),
                              &cursor);
        walker->cursor = cursor;
    }
}

/* Marks the bytes text[at + i] for which bit i is set as the last ones of matches. */
static __device__ __forceinline__ void mark(const trawl_cuda_reporter &reporter, uint32_t at,
                                            uint32_t bits) {
    if (bits != 0) {
        const uint64_t first = reporter.slice.first + (at - reporter.slice.owned);
        const uint64_t marks = (uint64_t)bits << (first % 32);
        uint32_t *const ends = reporter.output.ends + first / 32;
        if ((uint32_t)marks != 0) {
            atomicOr(ends, (uint32_t)marks);
        }
        if (marks >> 32 != 0) {
            atomicOr(ends + 1, (uint32_t)(marks >> 32));
        }
    }
}

/* Steps over text[at .. end) byte by byte. For notes, all threads of the warp take equally many
 * steps. */
template <int AFTER, bool WHOLE, bool COUNTED>
static __device__ __forceinline__ void walk_bytes(const surroundings &around, uint32_t at,
                                                  uint32_t end, walker *walker) {
    const uint8_t *text = around.reporter->slice.text;
    if constexpr (AFTER != NOTE || !COUNTED) {
        for (; at < end; at++) {
            step<AFTER, WHOLE, COUNTED>(around, text[at], at, walker);
            if (COUNTED && AFTER == MARK) {
                mark(*around.reporter, at, walker->count != 0);
            }
        }
    } else {
        for (; __any_sync(0xffffffffu, at < end); at++) {
            struct walker next = *walker;
            next.count = 0;
            if (at < end) {
                step<MARK, WHOLE, true>(around, text[at], at, &next);
            }
            uint32_t total = next.count;
            next.count = 0;
            *walker = next;
            bool has_row = WHOLE || walker->row != around.view->image.rows;
            take_notes(around, at, has_row ? walker->row : walker->rank, total, walker);
        }
    }
}

/* Whether a thread goes on; for notes, whether all threads of the warp do. */
template <int AFTER> static __device__ __forceinline__ bool together(bool goes_on) {
    if constexpr (AFTER == NOTE) {
        return __all_sync(0xffffffffu, goes_on) != 0;
    }
    return goes_on;
}

template <int AFTER, bool WHOLE>
static __device__ __forceinline__ void walk_strip(const surroundings &around, uint32_t begin,
                                                  uint32_t end, walker *walker) {
    const uint8_t *text = around.reporter->slice.text;
    const uint32_t overlap = around.view->overlap;
    if (begin < end) {
        walk_bytes<COUNT, WHOLE, false>(around, begin < overlap ? 0 : begin - overlap, begin,
                                        walker);
    }
    uint32_t misaligned = (uint32_t)(-(uintptr_t)(text + begin) & 15);
    uint32_t aligned = end - begin < misaligned ? end : begin + misaligned;
    walk_bytes<AFTER, WHOLE, true>(around, begin, aligned, walker);
    uint32_t units = (end - aligned) / TRAWL_HOT_READ_BYTES;
    uint32_t at = aligned;
    /* For notes, the threads of a warp take whole units as long as all of them have some. */
    for (uint32_t unit = 0; together<AFTER>(unit < units); unit++) {
        uint4 first = __ldg((const uint4 *)(text + at));
        uint4 second = __ldg((const uint4 *)(text + at) + 1);
        const uint32_t words[8] = {first.x,  first.y,  first.z,  first.w,
                                   second.x, second.y, second.z, second.w};
        uint32_t marks = 0;
#pragma unroll
        for (uint32_t i = 0; i < TRAWL_HOT_READ_BYTES; i++) {
            step<AFTER, WHOLE, true>(around, words[i / 4] >> (8 * (i % 4)) & 0xff, at + i, walker);
            if (AFTER == MARK) {
                marks |= walker->count != 0 ? 1u << i : 0;
            }
        }
        if (AFTER == MARK) {
            mark(*around.reporter, at, marks);
        }
        if (AFTER == COUNT || AFTER == VISITS) {
            walker->cursor += walker->count;
            walker->count = 0;
        }
        at += TRAWL_HOT_READ_BYTES;
    }
    walk_bytes<AFTER, WHOLE, true>(around, at, end, walker);
}

template <int AFTER, bool WHOLE>
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS, 1)
    hot_report(const __grid_constant__ trawl_cuda_reporter reporter,
               const __grid_constant__ trawl_cuda_keys keys,
               const __grid_constant__ trawl_hot_view view, uint32_t strip_bytes) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    TRAWL_SHARED(shared);
    for (uint32_t i = threadIdx.x; i < view.image.image_bytes / 16; i += blockDim.x) {
        ((uint4 *)shared)[i] = __ldg((const uint4 *)view.image.bytes + i);
    }
    uint8_t *const staged = shared + view.image.image_bytes;
    const uint32_t counters = blockDim.x * (TRAWL_HOT_STAGE_BYTES / 4);
    const surroundings around = {&reporter,
                                 &keys,
                                 &view,
                                 shared,
                                 (const uint16_t *)(shared + TRAWL_GPU_CLASS_BYTES),
                                 (note *)staged + threadIdx.x / 32 * NOTES,
                                 (uint32_t *)staged,
                                 view.states < counters ? view.states : counters};
    for (uint32_t i = threadIdx.x; AFTER == VISITS && i < around.counted; i += blockDim.x) {
        around.visits[i] = 0;
    }
    __syncthreads();
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    const uint32_t lane = threadIdx.x % 32;
    const bool sized = reporter.output.pass == TRAWL_CUDA_PASS_SIZES ||
                       reporter.output.pass == TRAWL_CUDA_PASS_RECORDS;
    trawl_counter sum = 0;
    for (uint32_t strip = blockIdx.x * blockDim.x + threadIdx.x; strip - lane < strips;
         strip += gridDim.x * blockDim.x) {
        bool valid = strip < strips;
        int64_t from = trawl_cuda_strip_begin(&slice, strip_bytes, valid ? strip : 0);
        int64_t past = from + strip_bytes;
        uint32_t begin = from < (int64_t)slice.owned ? slice.owned : (uint32_t)from;
        uint32_t end = past < (int64_t)slice.length ? (uint32_t)past : slice.length;
        end = valid && begin < end ? end : begin; /* a strip may have no owned bytes */
        walker walker = {0, 0, 0, 0, valid ? trawl_cuda_cursor_begin(reporter.output, strip) : 0};
        walk_strip<AFTER, WHOLE>(around, begin, end, &walker);
        if (AFTER == NOTE) {
            report_notes(around, walker.noted);
        }
        walker.cursor += walker.count;
        if (sized) {
            trawl_cuda_cursor_end(reporter.output, valid, strip, walker.cursor);
        } else {
            sum += walker.cursor;
        }
    }
    if (AFTER == VISITS) {
        add_visits(around);
    }
    if (!sized) {
        trawl_cuda_cursor_end(reporter.output, true, 0, sum);
    }
}

/* ------------------------------------------------------------------ launching */

template <int AFTER, bool WHOLE>
static trawl_status run(const trawl_cuda_hot_call *call, trawl_error *error) {
    trawl_status status =
        trawl_cuda_allow_shared(call->device, hot_report<AFTER, WHOLE>, call->shared_bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH((hot_report<AFTER, WHOLE>), call->blocks, call->threads, call->shared_bytes,
                 call->stream, *call->reporter, call->keys, call->view, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("hot_report", error);
    return TRAWL_OK;
}

template <int AFTER>
static trawl_status run_image(const trawl_cuda_hot_call *call, trawl_error *error) {
    return call->view.image.whole ? run<AFTER, true>(call, error) : run<AFTER, false>(call, error);
}

trawl_status trawl_cuda_hot_report(const trawl_cuda_hot_call *call, bool verify,
                                   trawl_error *error) {
    trawl_cuda_pass pass = call->reporter->output.pass;
    if (verify) {
        return run_image<REPORT>(call, error);
    }
    if (pass == TRAWL_CUDA_PASS_PATTERNS) {
        return run_image<VISITS>(call, error);
    }
    if (pass == TRAWL_CUDA_PASS_ENDS) {
        return run_image<MARK>(call, error);
    }
    return pass == TRAWL_CUDA_PASS_COUNT || pass == TRAWL_CUDA_PASS_SIZES
               ? run_image<COUNT>(call, error)
               : run_image<NOTE>(call, error);
}
