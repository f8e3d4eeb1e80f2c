/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The contract between the scan call (run/gpu/scan.cu) and the engines' kernels.
 *
 * A scan cuts the text into *slices* of at most `slice_bytes` owned bytes. A launch works on one
 * slice. As a walker's window, a slice has the overlap before its owned bytes, so that a kernel can
 * read up to max_length - 1 bytes before them:
 *
 *     slice.text
 *     |  overlap  |                       owned bytes                       |
 *     0           slice.owned                                    slice.length
 *              |    strip 0     |    strip 1     |    strip 2     | strip 3 |
 *              ^ trawl_cuda_origin(): a multiple of 16 in memory, up to 15 bytes before text[owned]
 *
 * Each thread (or group of strip_threads threads) owns a *strip*: `strip_bytes` bytes, the last
 * strip fewer. All strips begin at addresses that are multiples of 16 if strip_bytes is one; if
 * only block_threads * strip_bytes is one, this holds for the first strip of each block, which is
 * enough for blocks that load their text together. Bytes of strip 0 before text[owned] are not
 * owned.
 *
 * The thread that owns the last byte of a match reports the match. To find it, the thread reads up
 * to max_length - 1 bytes before its strip, but never before text[0], and none at or behind
 * text[length].
 *
 * Records take two walks. Pass SIZES counts the matches of every strip; an exclusive sum over all
 * strips says where the records of each strip begin; pass RECORDS writes them there. Strips follow
 * each other in the text, so records are in canonical order if they are within each strip. For
 * kernels that cannot do that (`ordered` false) scan.cu sorts each strip's records afterwards, or
 * only those with equal ends (`ordered_ends`).
 *
 * A new kernel needs: its name in the engine's `kernels` (engines/X/build.c), an index in the same
 * order in cuda/engine.cuh, and its cases in the engine's `plan` and `launch` (trawl_cuda_engine
 * below). The shortest example is engines/ac_dfa/cuda/direct.cu. Reporting is in gpu/emission.cuh.
 */
#ifndef TRAWL_GPU_CONTRACT_CUH
#define TRAWL_GPU_CONTRACT_CUH

#include "gpu/runtime.cuh"

extern "C" {
#include "database/case_counts.h"
}

typedef unsigned long long trawl_counter; /* what CUDA's atomics take */

/* Most threads of a block: CUDA's own limit. */
#define TRAWL_CUDA_MOST_THREADS 1024u

/* Most owned bytes of a slice. */
#define TRAWL_CUDA_LARGEST_SLICE (UINT64_C(1) << 30)

/* Every array in a block of device memory begins at a multiple of this many bytes, as memory of
 * cudaMalloc does. */
#define TRAWL_CUDA_ARRAY_ALIGNMENT ((uint64_t)256)

/* Bytes from the beginning of an array of `bytes` bytes to the next one. */
static inline uint64_t trawl_cuda_aligned(uint64_t bytes) {
    return (bytes + TRAWL_CUDA_ARRAY_ALIGNMENT - 1) / TRAWL_CUDA_ARRAY_ALIGNMENT *
           TRAWL_CUDA_ARRAY_ALIGNMENT;
}

/* The text of one launch; at most 2^30 + max_length bytes. */
typedef struct trawl_cuda_slice {
    const uint8_t *text; /* first readable byte */
    uint32_t length;     /* readable bytes */
    uint32_t owned;      /* index of the first owned byte; below length */
    uint64_t base;       /* offset of text[0] in the whole text */
    uint64_t first; /* index of text[owned] among the owned bytes of the scan, a multiple of 32:
                       where its bit of `ends` and its entry of `states` are */
} trawl_cuda_slice;

typedef enum trawl_cuda_pass {
    TRAWL_CUDA_PASS_COUNT,    /* add to *total */
    TRAWL_CUDA_PASS_PATTERNS, /* add to *total, hits and per_pattern */
    TRAWL_CUDA_PASS_SIZES,    /* add the number of matches to sizes[strip], which begins as 0 */
    TRAWL_CUDA_PASS_RECORDS,  /* write at sizes[strip] and advance it behind the last match; only
                                 when *total <= capacity */
    TRAWL_CUDA_PASS_ENDS,     /* set bits of ends, which begin as 0 */
    TRAWL_CUDA_PASS_STATES    /* write states */
} trawl_cuda_pass;

/* Where a pass leaves its results; passed to kernels by value. */
typedef struct trawl_cuda_output {
    trawl_cuda_pass pass;
    trawl_counter *total;
    trawl_counter *hits; /* for each key of all parts of the database: how often it is the longest
                            key that ends */
    trawl_counter *per_pattern; /* only matches that had to be verified, see gpu/emission.cuh */
    trawl_counter *sizes;       /* of this slice's strips */
    trawl_cuda_match *matches;
    trawl_counter capacity;
    uint32_t *ends;
    void *states;
    bool shared_strips; /* set by an engine: several threads report matches of one strip, so they
                           change its entry of `sizes` by atomic additions */
} trawl_cuda_output;

/* The keys of one part of the database (ac-split, rabin-karp have several), in device memory. */
typedef struct trawl_cuda_keys {
    trawl_outputs outputs;
    trawl_case_counts case_counts; /* if some pattern's case has to be compared */
    uint32_t first_hit;            /* index of key 0 in `hits` */
    bool longest; /* for a selection of leftmost matches (database/selection.h): only one match is
                     reported for each position, of the longest key and its lowest id.
                     outputs.total is then 1 for every key; links are unchanged, as look-ups
                     follow them */
} trawl_cuda_keys;

/* All that reporting needs; passed to kernels by value. Pointers are the device's. */
typedef struct trawl_cuda_reporter {
    trawl_cuda_slice slice;
    trawl_cuda_output output;
    trawl_pattern_view patterns;
} trawl_cuda_reporter;

/* How a kernel is launched for a scan. The engine's `plan` decides it. */
typedef struct trawl_cuda_launch_plan {
    uint32_t kernel; /* index into the engine's kernels */
    trawl_table_path table_path;
    uint32_t block_threads; /* T */
    uint32_t strip_bytes;
    uint32_t strip_threads; /* threads that own a strip together; 0: one */
    uint32_t overlap;       /* bytes before each strip that its threads walk too; 0: none */
    uint32_t shared_bytes;  /* dynamic shared memory of a block */
    uint32_t bank_accesses; /* as in trawl_cuda_layout; 0: not known */
    bool ordered;           /* RECORDS come in canonical order within each strip */
    bool ordered_ends;      /* RECORDS come by ascending ends, those with equal ends in any order */
    uint64_t slice_bytes;   /* most owned bytes of a slice: a multiple of 4096; 0: the largest */
    uint64_t workspace_bytes;     /* of the engine's own, for one slice of `slice_bytes` or of the
                                     whole text when that is shorter */
    const cudaEvent_t *step_ends; /* NULL: not timed. Else TRAWL_CUDA_MOST_STEPS events, which a
                                     kernel of several steps records behind each of them */
    double *step_occupancy;       /* NULL: not wanted. Else TRAWL_CUDA_MOST_STEPS shares */
} trawl_cuda_launch_plan;

enum { TRAWL_CUDA_MOST_STEPS = 4 };

/* Records the end of step `step` of a launch. */
static inline trawl_status trawl_cuda_step_ends(const trawl_cuda_launch_plan *plan, uint32_t step,
                                                cudaStream_t stream, trawl_error *error) {
    if (plan->step_ends != NULL) {
        TRAWL_CUDA_TRY(cudaEventRecord(plan->step_ends[step], stream), error);
    }
    return TRAWL_OK;
}

/* What a caller asks for; 0 where the engine decides. */
typedef struct trawl_cuda_launch_request {
    trawl_cuda_form form;
    uint32_t block_threads; /* a multiple of 32, at most TRAWL_CUDA_MOST_THREADS */
    uint32_t block_bytes;
    trawl_table_path table_path;
    uint64_t length; /* of the text */
} trawl_cuda_launch_request;

typedef struct trawl_cuda_device {
    int number;
    int multiprocessors;
    size_t shared_bytes; /* most of a block, with permission (trawl_cuda_allow_shared) */
    size_t l2_bytes;
    size_t texture_elements; /* most of a texture over linear memory */
    uint32_t warp;
    bool overlaps; /* a launch may overlap with the end of the kernel before it (from 9.0 on) */
    const trawl_gpu_tuning *tuning;
} trawl_cuda_device;

/* An engine on CUDA devices: trawl_cuda_NAME, in engines/NAME/cuda/engine.cu. */
typedef struct trawl_cuda_engine {
    /* Makes whatever the kernels need besides the database's block: uploaded->tables. On failure
     * nothing is left behind. `sample` may be NULL. */
    trawl_status (*prepare)(trawl_cuda_db *uploaded, const uint8_t *sample, size_t sample_length,
                            trawl_error *error);
    void (*release)(trawl_cuda_db *uploaded);

    /* Fills the plan, in which only the kernel is set. Refuses what this kernel cannot do with this
     * database with TRAWL_ERROR_LIMIT and a sentence that names the limit and a kernel that can;
     * refuses an impossible block shape with TRAWL_ERROR_ARGUMENT. Form STATES is requested only
     * for databases that have states (trawl_study_cuda_state_bytes). */
    trawl_status (*plan)(const trawl_cuda_db *uploaded, const trawl_cuda_launch_request *request,
                         trawl_cuda_launch_plan *plan, trawl_error *error);

    /* Launches one pass over one slice and returns without waiting for it. *slice and *output are
     * read during the call only. `workspace` has plan->workspace_bytes bytes of device memory. */
    trawl_status (*launch)(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                           const trawl_cuda_slice *slice, const trawl_cuda_output *output,
                           void *workspace, cudaStream_t stream, trawl_error *error);

    /* True: of the database only the patterns are uploaded; `prepare` makes all tables from them
     * and sets keys, parts, hits and device_keys. */
    bool own_tables;

    /* The kernel for scans that name none; NULL: the first one. */
    uint32_t (*choose)(const trawl_cuda_db *uploaded);
} trawl_cuda_engine;

/* A stream of a device, and a block of its memory for results and workspace. */
typedef struct trawl_cuda_scratch {
    cudaStream_t stream; /* NULL: none */
    uint8_t *memory;
    uint64_t bytes;
} trawl_cuda_scratch;

/* Destroys the stream, in which no work is left, and frees the memory. */
void trawl_cuda_scratch_free(trawl_cuda_scratch *scratch);

struct trawl_cuda_db {
    const trawl_db *db; /* in host memory */
    trawl_cuda_device device;
    uint8_t *block;            /* the database's sections in device memory */
    uint64_t *section_offsets; /* host array: offset of each section in `block`, in header order */
    trawl_pattern_view patterns; /* device pointers */
    uint8_t *flags; /* host array: the patterns' flags, as they are on the device, if their case is
                       mixed (database/case_counts.h); else NULL */
    uint32_t *case_words;  /* device array, of all parts; NULL: none, or the engine has its own */
    trawl_cuda_keys *keys; /* host array of `parts`; NULL when the engine has no outputs */
    uint32_t parts;
    uint32_t hits;                /* keys of all parts together */
    trawl_cuda_keys *device_keys; /* the same array in device memory */
    const trawl_cuda_engine *engine;
    void *tables;         /* the engine's */
    pthread_mutex_t lock; /* held while an engine uses streams and events of its own */
    pthread_mutex_t scratch_lock;
    trawl_cuda_scratch scratch; /* kept for the next call of trawl_cuda_scan_parts */
};

/* Makes a device the current one and back again, so that callers keep theirs. */
cudaError_t trawl_cuda_enter(int device, int *before);
void trawl_cuda_leave(int before);

trawl_status trawl_cuda_device_read(int number, trawl_cuda_device *device, trawl_error *error);

/* Whether keys of the database are uploaded with `longest` set (trawl_cuda_keys). */
bool trawl_cuda_reports_longest(const trawl_db *db);

/* Copies a database to device options->device, which can be used, and prepares it for the kernels
 * of `engine`, its own. */
trawl_status trawl_cuda_upload_to(const trawl_db *db, const trawl_cuda_engine *engine,
                                  const trawl_cuda_upload_options *options,
                                  trawl_cuda_db **uploaded, trawl_error *error);

/* Copies uploaded->keys, of uploaded->parts elements, to device memory: uploaded->device_keys. */
trawl_status trawl_cuda_copy_keys(trawl_cuda_db *uploaded, trawl_error *error);

/* A section of the uploaded database: a device pointer, or NULL if there is no such section. */
const void *trawl_cuda_section(const trawl_cuda_db *uploaded, trawl_section_kind kind,
                               uint32_t part);

/* Index of the first byte of strip 0: its address is a multiple of 16, at most 15 bytes before the
 * first owned byte. Negative if the slice owns its first bytes and they are not aligned. */
static inline __host__ __device__ int32_t trawl_cuda_origin(const trawl_cuda_slice *slice) {
    return (int32_t)slice->owned - (int32_t)((uintptr_t)(slice->text + slice->owned) & 15);
}

/* Strips of a slice. */
static inline __host__ __device__ uint32_t trawl_cuda_strip_count(const trawl_cuda_slice *slice,
                                                                  uint32_t strip_bytes) {
    return (uint32_t)((int32_t)slice->length - trawl_cuda_origin(slice) + (int32_t)strip_bytes -
                      1) /
           strip_bytes;
}

/* Index of the first byte of a strip, or of a block's text if strip_bytes are a block's. */
static inline __host__ __device__ int64_t trawl_cuda_strip_begin(const trawl_cuda_slice *slice,
                                                                 uint32_t strip_bytes,
                                                                 uint32_t strip) {
    return trawl_cuda_origin(slice) + (int64_t)strip * strip_bytes;
}

/* Blocks of a grid in which every thread has one strip. */
static inline uint32_t trawl_cuda_block_count(const trawl_cuda_slice *slice,
                                              const trawl_cuda_launch_plan *plan) {
    uint32_t strips = trawl_cuda_strip_count(slice, plan->strip_bytes);
    return (strips + plan->block_threads - 1) / plan->block_threads;
}

/* ------------------------------------------------------------------ tables (section.cu) */

/* A texture object over a section of the uploaded block, read as `element_bytes` (1, 2, 4) wide
 * unsigned integers, or as four of 4 bytes (16). If a section has more elements than a texture may
 * have, *texture is 0 and *obstacle, which the caller has set to TRAWL_OK, says why; that is no
 * failure. */
trawl_status trawl_cuda_texture(const trawl_cuda_db *uploaded, trawl_section_kind kind,
                                uint32_t part, uint32_t element_bytes, cudaTextureObject_t *texture,
                                trawl_error *obstacle, trawl_error *error);

/* Frees a texture; 0 is none. */
void trawl_cuda_texture_free(cudaTextureObject_t texture);

/* ------------------------------------------------------------------ planning (launch_plan.cu) */

/* Bytes before the block's own that its tile holds, a multiple of 16: the overlap, up to a limit.
 */
static inline uint32_t trawl_cuda_tile_before(uint32_t overlap) {
    return overlap < TRAWL_CUDA_MOST_TILE_BEFORE ? (overlap + 15) / 16 * 16
                                                 : TRAWL_CUDA_MOST_TILE_BEFORE;
}

/* The plan's kernel by its name. */
const char *trawl_cuda_kernel_name(const trawl_cuda_db *uploaded,
                                   const trawl_cuda_launch_plan *plan);

/* Sets the table path: the given one; for TRAWL_TABLES_CHOSEN textures if all tables have them (the
 * obstacle is TRAWL_OK), else read-only loads. Refuses textures if a table has none. */
trawl_status trawl_cuda_plan_path(const trawl_cuda_db *uploaded, trawl_table_path path,
                                  const trawl_error *obstacle, trawl_cuda_launch_plan *plan,
                                  trawl_error *error);

/* Sets strip_bytes to request->block_bytes divided by the block's threads, or to `usual` if none
 * are asked for. Refuses strips that are not multiples of `unit`, and blocks of more than `most`
 * bytes.
 */
trawl_status trawl_cuda_plan_text(const trawl_cuda_db *uploaded,
                                  const trawl_cuda_launch_request *request, uint32_t usual,
                                  uint32_t unit, uint32_t most, trawl_cuda_launch_plan *plan,
                                  trawl_error *error);

/* Sets shared_bytes, or refuses more than the device gives a block. To be called last. */
trawl_status trawl_cuda_plan_shared(const trawl_cuda_db *uploaded, uint64_t bytes,
                                    trawl_cuda_launch_plan *plan, trawl_error *error);

/* ------------------------------------------------------------------ launching */

/* Bytes of dynamic shared memory that a launch may have without permission. */
#define TRAWL_CUDA_USUAL_SHARED_BYTES (48u * 1024u)

/* Permits a kernel to have `bytes` bytes of dynamic shared memory; call it before a launch. The
 * permission is always for the most that the device has: it belongs to the kernel, and launches
 * that other threads make at the same time may need more than this one. */
template <typename Kernel>
static trawl_status trawl_cuda_allow_shared(const trawl_cuda_device *device, Kernel *kernel,
                                            uint32_t bytes, trawl_error *error) {
    if (bytes > TRAWL_CUDA_USUAL_SHARED_BYTES) {
        TRAWL_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            (int)device->shared_bytes),
                       error);
    }
    return TRAWL_OK;
}

/* Sets *blocks to how many blocks of a kernel the device runs at the same time, at least 1. */
template <typename Kernel>
static trawl_status trawl_cuda_resident_blocks(const trawl_cuda_device *device, Kernel *kernel,
                                               uint32_t threads, uint32_t shared_bytes,
                                               uint32_t *blocks, trawl_error *error) {
    int each = 0;
    TRAWL_CUDA_TRY(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)threads, shared_bytes),
        error);
    *blocks = (uint32_t)(each < 1 ? 1 : each) * (uint32_t)device->multiprocessors;
    return TRAWL_OK;
}

/* If plan->step_occupancy is wanted, writes the theoretical occupancy of a kernel without dynamic
 * shared memory for step `step`: the threads of it that a multiprocessor can run at the same time,
 * as a share of the threads that a multiprocessor can have. */
template <typename Kernel>
static trawl_status
trawl_cuda_note_occupancy(const trawl_cuda_launch_plan *plan, const trawl_cuda_device *device,
                          uint32_t step, Kernel *kernel, uint32_t threads, trawl_error *error) {
    if (plan->step_occupancy != NULL) {
        int blocks = 0;
        int most = 0;
        TRAWL_CUDA_TRY(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)threads, 0), error);
        TRAWL_CUDA_TRY(
            cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device->number),
            error);
        plan->step_occupancy[step] = (double)blocks * threads / most;
    }
    return TRAWL_OK;
}

#endif
