/*
 * The walk of kernel "hot". One block of up to 1024 threads stays on each multiprocessor, loads the
 * image into shared memory once, and takes its share of the parts. A thread walks up to two parts
 * at a time, so that the lookups of one hide the latency of the other's, and reads 32 bytes of each
 * while it walks the 32 before them: whole sectors, so that nothing is read twice although the
 * reads of a warp lie apart.
 */
#include "cuda/ac_dfa_hot.cuh"
#include "cuda/emit.cuh"

#define MOST_THREADS 1024u
#define MOST_BLOCK_BYTES (UINT32_C(1) << 27)
#define LARGEST_PIECE (UINT64_C(1) << 30)
#define PIECE_UNIT UINT64_C(4096)

/* Bytes of text that a thread reads at once. */
#define VECTORS 2
#define UNIT (16 * VECTORS)

/* How long parts are. Shorter ones mean more threads but also a greater share of bytes walked
 * twice; as many threads as fit are wanted, unless so many bytes would be walked twice that it is
 * better to have fewer, but never fewer than keep a multiprocessor's shared memory busy. */
#define FEWEST_THREAD_BYTES 64u
#define BYTES_PER_OVERLAP 32u
#define BUSY_LANES 512u
#define MOST_CHUNKS 2u

/* What a kernel does with the states it meets. */
enum after { COUNT, WRITE, REPORT };

/* ------------------------------------------------------------------ one step */

/* A walk's place in the automaton. */
typedef struct lane {
    uint32_t row;  /* its rank when it has a row, else the number of rows */
    uint32_t rank; /* its rank when it has no row */
} lane;

/* What all steps read. */
typedef struct tables {
    const uint8_t *class_of; /* both in shared memory */
    const uint16_t *rows;
} tables;

template <bool WHOLE>
static __device__ __forceinline__ uint32_t rank_of(const trawl_hot_view &view, const lane &at) {
    return WHOLE || at.row != view.image.rows ? at.row : at.rank;
}

/* The full table's entry for a step. */
template <bool WHOLE>
static __device__ __forceinline__ uint32_t full_entry(const trawl_hot_view &view, const lane &at,
                                                      uint32_t column) {
    return __ldg(view.full + ((size_t)rank_of<WHOLE>(view, at) * view.classes + column));
}

/* Goes where an entry of the full table leads. */
template <bool WHOLE>
static __device__ __forceinline__ void enter(const trawl_hot_view &view, uint32_t entry, lane *at) {
    at->rank = entry & ((1u << view.full_bits) - 1);
    at->row = WHOLE || at->rank < view.image.rows ? at->rank : view.image.rows;
}

/* One byte: for the few places where 16 cannot be taken together. If `counted`, what ends here is
 * reported. */
template <int AFTER, bool WHOLE>
static __device__ void step_alone(const trawl_cuda_reporter &reporter, const trawl_cuda_keys &keys,
                                  const trawl_hot_view &view, const tables &tables, uint32_t at,
                                  bool counted, lane *lane, trawl_counter *cursor) {
    uint32_t column = tables.class_of[reporter.piece.text[at]];
    enter<WHOLE>(view, full_entry<WHOLE>(view, *lane, column), lane);
    if (counted && AFTER != WRITE) {
        uint32_t key = view.key[rank_of<WHOLE>(view, *lane)];
        if (key != TRAWL_NO_KEY && AFTER == COUNT) {
            *cursor += __ldg(keys.outputs.total + key);
        } else if (key != TRAWL_NO_KEY) {
            trawl_cuda_report_key(reporter, keys, at + 1, key, cursor);
        }
    }
}

/* ------------------------------------------------------------------ written states */

/* What the output array holds for a place in the automaton. */
template <bool WHOLE>
static __device__ __forceinline__ uint32_t number_of(const trawl_hot_view &view, const lane &at) {
    uint32_t rank = rank_of<WHOLE>(view, at);
    return view.number == NULL ? rank : __ldg(view.number + rank);
}

/* Where 16 bytes of a thread's gathered states are: turned by the thread, so that both the thread
 * that gathers and the warp that writes touch all banks alike. */
static __device__ __forceinline__ uint4 *stage_at(uint4 *stage, uint32_t thread, uint32_t column) {
    return stage + (thread * 4 + (column ^ (thread >> 1 & 3)));
}

/* A warp writes what its threads have gathered: 64 bytes of states each, thread t's for the text
 * from text[begin + t * thread_bytes] on, of which those before `past` are wanted. Lanes write next
 * to each other (Zha & Sahni 2011, IV-B2). */
template <typename T>
static __device__ __forceinline__ void write_stage(const trawl_cuda_reporter &reporter,
                                                   uint4 *stage, int64_t begin,
                                                   uint32_t thread_bytes, int64_t past) {
    const uint32_t states_per_vector = 16 / sizeof(T);
    T *states = (T *)reporter.output.states + reporter.piece.first;
    uint32_t lane = threadIdx.x % 32;
    __syncwarp();
    for (uint32_t i = lane; i < 32 * 4; i += 32) {
        uint32_t thread = i / 4, column = i % 4;
        uint4 vector = *stage_at(stage, thread, column);
        int64_t at = begin + (int64_t)thread * thread_bytes + column * states_per_vector;
        int64_t index = at - (int64_t)reporter.piece.owned;
        if (index >= 0 && at + states_per_vector <= past && (uintptr_t)(states + index) % 16 == 0) {
            __stcs((uint4 *)(states + index), vector);
            continue;
        }
        uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
        for (uint32_t j = 0; j < states_per_vector; j++) {
            if (index + j >= 0 && at + j < past) {
                states[index + j] = (T)(words[j * sizeof(T) / 4] >> (8 * (j * sizeof(T) % 4)));
            }
        }
    }
    __syncwarp();
}

/* ------------------------------------------------------------------ the walk */

/* The parts that a thread walks together, and where it is in them. */
template <int CHUNKS> struct walk_state {
    lane lanes[CHUNKS];
    int32_t at[CHUNKS]; /* the next byte; may lie outside the text, where nothing happens */
    bool valid[CHUNKS]; /* false: walked for company only */
    trawl_counter cursor[CHUNKS]; /* COUNT has one for all */
};

static __device__ __forceinline__ uint4 load(const trawl_cuda_piece &piece, int32_t at) {
    if (at >= 0 && at + 16 <= (int32_t)piece.length) {
        return __ldcg((const uint4 *)(piece.text + at));
    }
    return make_uint4(0, 0, 0, 0);
}

/* Steps over 16 bytes of each part, all of them in the text and, if COUNTED, all of them owned. */
template <int AFTER, int CHUNKS, bool WHOLE, bool COUNTED>
static __device__ __forceinline__ void
walk_vector(const trawl_cuda_reporter &reporter, const trawl_cuda_keys &keys,
            const trawl_hot_view &view, const tables &tables, uint4 *now, int32_t offset,
            walk_state<CHUNKS> *walk, uint4 *gathered) {
    const uint32_t bits = view.image.rank_bits;
    const uint32_t rank_mask = (1u << bits) - 1;
    const uint32_t rare = 0x10000u - (1u << bits); /* all bits above the rank are set */
    const uint32_t stop = AFTER == REPORT && COUNTED ? rank_mask + 1 : rare;
    uint32_t counts[CHUNKS];
    for (int c = 0; c < CHUNKS; c++) {
        counts[c] = 0;
    }
#pragma unroll(AFTER == WRITE ? 4 : 1)
    for (int w = 0; w < 4; w++) {
        uint32_t word[CHUNKS];
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            word[c] = now[c].x;
            now[c].x = now[c].y;
            now[c].y = now[c].z;
            now[c].z = now[c].w;
        }
        uint32_t numbers[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t column[CHUNKS], entry[CHUNKS];
            bool stopped = false;
#pragma unroll
            for (int c = 0; c < CHUNKS; c++) {
                column[c] = tables.class_of[word[c] >> (8 * k) & 0xff];
                entry[c] = tables.rows[walk->lanes[c].row * view.classes + column[c]];
                stopped = stopped || entry[c] >= stop;
            }
            if (!stopped) {
#pragma unroll
                for (int c = 0; c < CHUNKS; c++) {
                    walk->lanes[c].row = entry[c] & rank_mask;
                    if (COUNTED && AFTER == COUNT) {
                        counts[c] += entry[c] >> bits;
                    }
                }
            } else {
                uint32_t full[CHUNKS]; /* first all loads, so that their latencies overlap */
#pragma unroll
                for (int c = 0; c < CHUNKS; c++) {
                    full[c] =
                        entry[c] < rare ? 0 : full_entry<WHOLE>(view, walk->lanes[c], column[c]);
                }
#pragma unroll
                for (int c = 0; c < CHUNKS; c++) {
                    lane *at = &walk->lanes[c];
                    bool asked = entry[c] >= rare;
                    uint32_t total = asked ? full[c] >> view.full_bits : entry[c] >> bits;
                    if (asked) {
                        enter<WHOLE>(view, full[c], at);
                    } else {
                        at->row = entry[c] & rank_mask;
                    }
                    if (COUNTED && AFTER == COUNT && !(asked && total == view.full_most)) {
                        counts[c] += total;
                    } else if (COUNTED && AFTER != WRITE && total != 0 && walk->valid[c]) {
                        uint32_t key = __ldg(view.key + rank_of<WHOLE>(view, *at));
                        uint32_t end = (uint32_t)(walk->at[c] + offset + 4 * w + k) + 1;
                        if (AFTER == COUNT) {
                            walk->cursor[0] += __ldg(keys.outputs.total + key);
                        } else {
                            trawl_counter cursor = walk->cursor[c]; /* stays in a register so */
                            trawl_cuda_report_key(reporter, keys, end, key, &cursor);
                            walk->cursor[c] = cursor;
                        }
                    }
                }
            }
            if (COUNTED && AFTER == WRITE) {
                numbers[k] = number_of<WHOLE>(view, walk->lanes[0]);
            }
        }
        if (COUNTED && AFTER == WRITE) {
            if (view.wide_states) {
                gathered[w] = make_uint4(numbers[0], numbers[1], numbers[2], numbers[3]);
            } else {
                uint32_t low = numbers[1] << 16 | numbers[0];
                uint32_t high = numbers[3] << 16 | numbers[2];
                if (w % 2 == 0) {
                    gathered[w / 2].x = low;
                    gathered[w / 2].y = high;
                } else {
                    gathered[w / 2].z = low;
                    gathered[w / 2].w = high;
                }
            }
        }
    }
    if (COUNTED && AFTER == COUNT) {
        uint32_t count = 0;
        for (int c = 0; c < CHUNKS; c++) {
            count += walk->valid[c] ? counts[c] : 0;
        }
        walk->cursor[0] += count;
    }
}

/* The same where some of the bytes are outside the text or not owned. */
template <int AFTER, int CHUNKS, bool WHOLE, bool COUNTED>
static __device__ __noinline__ void
walk_edge(const trawl_cuda_reporter &reporter, const trawl_cuda_keys &keys,
          const trawl_hot_view &view, const tables &tables, int32_t offset,
          walk_state<CHUNKS> *walk, uint4 *gathered) {
    for (int c = 0; c < CHUNKS; c++) {
        for (int32_t j = 0; j < 16; j++) {
            int32_t at = walk->at[c] + offset + j;
            if (at < 0 || at >= (int32_t)reporter.piece.length) {
                continue;
            }
            bool counted = COUNTED && walk->valid[c] && at >= (int32_t)reporter.piece.owned;
            step_alone<AFTER, WHOLE>(reporter, keys, view, tables, (uint32_t)at, counted,
                                     &walk->lanes[c], &walk->cursor[AFTER == COUNT ? 0 : c]);
            if (AFTER == WRITE) {
                uint32_t number = number_of<WHOLE>(view, walk->lanes[c]);
                if (view.wide_states) {
                    ((uint32_t *)gathered)[j] = number;
                } else {
                    ((uint16_t *)gathered)[j] = (uint16_t)number;
                }
            }
        }
    }
}

/* A warp's place for gathered states, and what is written from it. */
typedef struct stage_of_warp {
    uint4 *vectors;
    int64_t begin; /* of the first thread's part */
    int64_t past;  /* of the text that is wanted */
} stage_of_warp;

/* Gathers the states after 16 bytes, and writes when there are 64 bytes of them. */
static __device__ __forceinline__ void gather(const trawl_cuda_reporter &reporter,
                                              const trawl_hot_view &view,
                                              const stage_of_warp &stage, const uint4 *gathered,
                                              uint32_t offset, uint32_t thread_bytes) {
    uint32_t lane = threadIdx.x % 32;
    if (view.wide_states) {
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            *stage_at(stage.vectors, lane, i) = gathered[i];
        }
        write_stage<uint32_t>(reporter, stage.vectors, stage.begin + offset, thread_bytes,
                              stage.past);
        return;
    }
    uint32_t column = offset / 16 % 2 * 2;
    *stage_at(stage.vectors, lane, column) = gathered[0];
    *stage_at(stage.vectors, lane, column + 1) = gathered[1];
    if (column != 0) {
        write_stage<uint16_t>(reporter, stage.vectors, stage.begin + offset - 16, thread_bytes,
                              stage.past);
    }
}

/* Steps over `bytes` of each part, a multiple of UNIT. `next` is what stands there, read ahead. */
template <int AFTER, int CHUNKS, bool WHOLE, bool COUNTED>
static __device__ __forceinline__ void
walk_bytes(const trawl_cuda_reporter &reporter, const trawl_cuda_keys &keys,
           const trawl_hot_view &view, const tables &tables, const stage_of_warp &stage,
           uint32_t bytes, uint32_t thread_bytes, walk_state<CHUNKS> *walk, uint4 (*next)[CHUNKS]) {
    const int32_t first = COUNTED ? (int32_t)reporter.piece.owned : 0;
#pragma unroll 1
    for (uint32_t done = 0; done < bytes; done += UNIT) {
        uint4 now[VECTORS][CHUNKS];
        bool inside = true;
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
#pragma unroll
            for (int v = 0; v < VECTORS; v++) {
                now[v][c] = next[v][c];
                next[v][c] = load(reporter.piece, walk->at[c] + UNIT + 16 * v);
            }
            inside = inside && walk->at[c] >= first &&
                     walk->at[c] + UNIT <= (int32_t)reporter.piece.length;
        }
#pragma unroll
        for (int v = 0; v < VECTORS; v++) {
            uint4 gathered[4];
            if (inside) {
                walk_vector<AFTER, CHUNKS, WHOLE, COUNTED>(reporter, keys, view, tables, now[v],
                                                           16 * v, walk, gathered);
            } else { /* in memory that no one else's registers suffer from */
                walk_state<CHUNKS> copy = *walk;
                uint4 written[4] = {};
                walk_edge<AFTER, CHUNKS, WHOLE, COUNTED>(reporter, keys, view, tables, 16 * v,
                                                         &copy, written);
                *walk = copy;
                for (int i = 0; i < 4; i++) {
                    gathered[i] = written[i];
                }
            }
            if (COUNTED && AFTER == WRITE) {
                gather(reporter, view, stage, gathered, done + 16 * (uint32_t)v, thread_bytes);
            }
        }
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            walk->at[c] += UNIT;
        }
    }
}

template <int AFTER, int CHUNKS, bool WHOLE>
static __global__ void __launch_bounds__(MOST_THREADS, 1)
    walk(const __grid_constant__ trawl_cuda_reporter reporter,
         const __grid_constant__ trawl_cuda_keys keys, const __grid_constant__ trawl_hot_view view,
         uint32_t thread_bytes) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    TRAWL_SHARED(shared);
    for (uint32_t i = threadIdx.x; i < view.image.image_bytes / 16; i += blockDim.x) {
        ((uint4 *)shared)[i] = __ldg((const uint4 *)view.image.bytes + i);
    }
    __syncthreads();
    const tables tables = {shared, (const uint16_t *)(shared + TRAWL_HOT_CLASS_BYTES)};

    const trawl_cuda_piece &piece = reporter.piece;
    const uint32_t parts = trawl_cuda_part_count(&piece, thread_bytes);
    const uint32_t last = (uint32_t)((uint64_t)parts * (blockIdx.x + 1) / gridDim.x);
    const uint32_t overlap = (view.overlap + UNIT - 1) / UNIT * UNIT;
    const uint32_t warp = threadIdx.x / 32;
    const bool sized = reporter.output.pass == TRAWL_CUDA_PASS_SIZES ||
                       reporter.output.pass == TRAWL_CUDA_PASS_RECORDS;
    trawl_counter sum = 0;
    for (uint32_t base = (uint32_t)((uint64_t)parts * blockIdx.x / gridDim.x);
         base + 32 * warp < last; base += blockDim.x * CHUNKS) {
        walk_state<CHUNKS> walk;
        uint4 next[VECTORS][CHUNKS];
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            uint32_t part = base + (uint32_t)c * blockDim.x + threadIdx.x;
            walk.valid[c] = part < last;
            walk.at[c] =
                (int32_t)(trawl_cuda_part_begin(&piece, thread_bytes, walk.valid[c] ? part : base) -
                          overlap);
            walk.lanes[c].row = 0; /* the root */
            walk.lanes[c].rank = 0;
            walk.cursor[c] = walk.valid[c] ? trawl_cuda_cursor_begin(reporter.output, part) : 0;
#pragma unroll
            for (int v = 0; v < VECTORS; v++) {
                next[v][c] = load(piece, walk.at[c] + 16 * v);
            }
        }
        stage_of_warp stage = {NULL, 0, 0};
        if (AFTER == WRITE) {
            int64_t past = trawl_cuda_part_begin(&piece, thread_bytes, last);
            stage.vectors = (uint4 *)(shared + view.image.image_bytes) +
                            warp * (32 * TRAWL_HOT_STAGE_BYTES / 16);
            stage.begin = trawl_cuda_part_begin(&piece, thread_bytes, base + 32 * warp);
            stage.past = past < (int64_t)piece.length ? past : (int64_t)piece.length;
        }
        walk_bytes<AFTER, CHUNKS, WHOLE, false>(reporter, keys, view, tables, stage, overlap,
                                                thread_bytes, &walk, next);
        walk_bytes<AFTER, CHUNKS, WHOLE, true>(reporter, keys, view, tables, stage, thread_bytes,
                                               thread_bytes, &walk, next);
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            if (sized) {
                uint32_t part = base + (uint32_t)c * blockDim.x + threadIdx.x;
                trawl_cuda_cursor_end(reporter.output, walk.valid[c], part, walk.cursor[c]);
            } else {
                sum += walk.cursor[c];
            }
        }
    }
    if (!sized) {
        trawl_cuda_cursor_end(reporter.output, true, 0, sum);
    }
}

/* ------------------------------------------------------------------ planning */

static uint32_t choose_thread_bytes(uint64_t length, uint32_t overlap, uint32_t multiprocessors,
                                    uint32_t threads) {
    uint64_t units = length + 16; /* parts may begin up to 15 bytes before the text */
    uint64_t full = units / ((uint64_t)multiprocessors * threads * MOST_CHUNKS) + 1;
    uint64_t busy = units / ((uint64_t)multiprocessors * BUSY_LANES) + 1;
    uint64_t little_overlap = (uint64_t)overlap * BYTES_PER_OVERLAP;
    uint64_t bytes = little_overlap < busy ? little_overlap : busy;
    bytes = bytes > full ? bytes : full;
    bytes = bytes > FEWEST_THREAD_BYTES ? bytes : FEWEST_THREAD_BYTES;
    return (uint32_t)((bytes + UNIT - 1) / UNIT * UNIT);
}

trawl_status trawl_cuda_hot_plan(const trawl_cuda_db *uploaded, const trawl_cuda_wishes *wishes,
                                 trawl_cuda_plan *plan, trawl_error *error) {
    const trawl_cuda_hot *hot = ((const trawl_cuda_ac_dfa_tables *)uploaded->tables)->hot;
    bool staged = wishes->form == TRAWL_CUDA_STATES;
    uint32_t most = staged ? hot->stage_bytes / TRAWL_HOT_STAGE_BYTES : MOST_THREADS;
    if (wishes->table_path == TRAWL_TABLES_TEXTURE) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "ac-dfa: kernel hot has no table path texture: its tables are in shared "
                          "memory and behind read-only loads; kernels ac1 to ac4 have");
    }
    plan->table_path = TRAWL_TABLES_READ_ONLY;
    uint32_t threads = wishes->block_threads != 0 ? wishes->block_threads : most;
    if (threads % 32 != 0 || threads > most) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "ac-dfa, kernel hot: %u threads per block; a multiple of 32 up to %u is "
                          "expected",
                          threads, most);
    }
    uint64_t pieces = wishes->length / LARGEST_PIECE + 1;
    uint64_t piece = wishes->length / pieces + 1;
    plan->piece_bytes = (piece + PIECE_UNIT - 1) / PIECE_UNIT * PIECE_UNIT;
    plan->block_threads = threads;
    plan->thread_bytes = choose_thread_bytes(plan->piece_bytes, hot->view.overlap,
                                             (uint32_t)uploaded->device.multiprocessors, threads);
    if (wishes->block_bytes != 0) {
        plan->thread_bytes = wishes->block_bytes / threads;
        if (wishes->block_bytes % (threads * UNIT) != 0 || wishes->block_bytes > MOST_BLOCK_BYTES) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "ac-dfa, kernel hot: %u bytes of text per block of %u threads; a "
                              "multiple of %u up to %u is expected",
                              wishes->block_bytes, threads, threads * UNIT, MOST_BLOCK_BYTES);
        }
    }
    plan->shared_bytes = staged ? hot->states_image.image_bytes + threads * TRAWL_HOT_STAGE_BYTES
                                : hot->view.image.image_bytes;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ launching */

typedef struct hot_launch {
    const trawl_cuda_plan *plan;
    const trawl_cuda_reporter *reporter;
    trawl_cuda_keys keys;
    trawl_hot_view view;
    uint32_t blocks;
    cudaStream_t stream;
} hot_launch;

template <int AFTER, int CHUNKS, bool WHOLE>
static trawl_status run(const hot_launch *launch, trawl_error *error) {
    const trawl_cuda_plan *plan = launch->plan;
    if (plan->shared_bytes > TRAWL_CUDA_AC_DFA_USUAL_SHARED_BYTES) {
        TRAWL_CUDA_TRY(cudaFuncSetAttribute((walk<AFTER, CHUNKS, WHOLE>),
                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            (int)plan->shared_bytes),
                       error);
    }
    TRAWL_LAUNCH((walk<AFTER, CHUNKS, WHOLE>), launch->blocks, plan->block_threads,
                 plan->shared_bytes, launch->stream, *launch->reporter, launch->keys, launch->view,
                 plan->thread_bytes);
    TRAWL_CUDA_LAUNCHED("hot", error);
    return TRAWL_OK;
}

template <int AFTER, int CHUNKS>
static trawl_status run_image(const hot_launch *launch, trawl_error *error) {
    return launch->view.image.whole ? run<AFTER, CHUNKS, true>(launch, error)
                                    : run<AFTER, CHUNKS, false>(launch, error);
}

trawl_status trawl_cuda_hot_launch(const trawl_cuda_db *uploaded, const trawl_cuda_plan *plan,
                                   const trawl_cuda_reporter *reporter, cudaStream_t stream,
                                   trawl_error *error) {
    const trawl_cuda_hot *hot = ((const trawl_cuda_ac_dfa_tables *)uploaded->tables)->hot;
    uint32_t parts = trawl_cuda_part_count(&reporter->piece, plan->thread_bytes);
    uint32_t multiprocessors = (uint32_t)uploaded->device.multiprocessors;
    hot_launch launch = {plan, reporter, uploaded->keys[0], hot->view, (parts + 31) / 32, stream};
    launch.blocks = launch.blocks < multiprocessors ? launch.blocks : multiprocessors;
    if (reporter->output.pass == TRAWL_CUDA_PASS_STATES) {
        launch.view.image = hot->states_image;
        return run_image<WRITE, 1>(&launch, error);
    }
    bool two = parts > launch.blocks * plan->block_threads;
    if (reporter->output.pass == TRAWL_CUDA_PASS_COUNT && !hot->verify) {
        return two ? run_image<COUNT, 2>(&launch, error) : run_image<COUNT, 1>(&launch, error);
    }
    return two ? run_image<REPORT, 2>(&launch, error) : run_image<REPORT, 1>(&launch, error);
}
