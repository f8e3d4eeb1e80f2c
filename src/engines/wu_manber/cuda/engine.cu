/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * wu-manber: the five stages of Kouzinopoulos et al. 2015, 4.2.2, as kernels, each with the changes
 * of the ones before it.
 *
 *     u     text and tables in device memory, byte by byte; a counter in device memory for each
 *           thread of the grid, which every match increments
 *     tc    the tables through the texture path
 *     cr    the text of a block read by its threads together, byte by byte, into shared memory
 *     r16   the same 16 bytes at a time
 *     cw    counters in registers, added up and written once at the end
 *
 * The grid is the paper's (4.2.1): as many blocks as run at the same time. The text is divided into
 * tiles, each of which one block searches; block b takes the tiles b, b + blocks, b + 2 blocks and
 * so on. In u and tc a thread walks S_thread = n / (numBlocks * blockDim) bytes, so there is one
 * tile for each block; in the others a tile is copied to shared memory.
 *
 * Texture references, which the paper used, no longer exist: textures here are texture objects, and
 * read-only loads (__ldg) can be requested instead.
 */
#include "engines/engines.cuh"
#include "engines/wu_manber/cuda/engine.cuh"
#include "gpu/counters.cuh"

typedef struct wu_manber_tables {
    trawl_cuda_wu_manber_tables kernel; /* passed to kernels */
    trawl_error obstacle; /* why a table has no texture; status TRAWL_OK if all have one */
} wu_manber_tables;

/* ------------------------------------------------------------------ kernels */

enum loads { LOADS_NONE, LOADS_BYTES, LOADS_WORDS };

/* Copies text[first] .. text[first + bytes - 1] to shared memory, and zeros for bytes outside the
 * text. `first` differs from the first byte of a strip by a multiple of 16, and `bytes` is one. */
template <int LOADS>
static __device__ __forceinline__ void load_tile(const trawl_cuda_slice &slice, int32_t first,
                                                 uint32_t bytes, uint8_t *tile) {
    int32_t length = (int32_t)slice.length;
    if (LOADS == LOADS_BYTES) {
        for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) {
            int32_t at = first + (int32_t)i;
            tile[i] = at >= 0 && at < length ? slice.text[at] : 0;
        }
    } else {
        for (uint32_t i = threadIdx.x; i < bytes / 16; i += blockDim.x) {
            int32_t at = first + (int32_t)(16 * i);
            if (at >= 0 && at + 16 <= length) {
                ((uint4 *)tile)[i] = __ldg((const uint4 *)(slice.text + at));
            } else {
                for (int32_t j = at; j < at + 16; j++) {
                    tile[16 * i + (uint32_t)(j - at)] = j >= 0 && j < length ? slice.text[j] : 0;
                }
            }
        }
    }
}

/* How a launch divides the text among its threads, and where they count. */
typedef struct walk_shape {
    uint32_t strip_bytes;
    uint32_t tiles;  /* in the slice; a block walks the strips of one at a time */
    uint32_t before; /* bytes of text before those of the strips that are in shared memory too */
    trawl_counter *counters; /* NULL: in registers (cw) */
} walk_shape;

/* Passes SIZES and RECORDS have a counter for each strip, all others one for each thread. */
static __host__ __device__ __forceinline__ bool is_by_strip(trawl_cuda_pass pass) {
    return pass == TRAWL_CUDA_PASS_SIZES || pass == TRAWL_CUDA_PASS_RECORDS;
}

template <bool PAPER, int PATH, int LOADS>
static __device__ __forceinline__ void
walk_strip(const trawl_cuda_reporter &reporter, const trawl_cuda_wu_manber_tables &tables,
           const trawl_cuda_tile &tile, trawl_cuda_range range, trawl_counter *cursor) {
    if (PAPER) {
        trawl_cuda_wu_manber_paper<PATH, LOADS != LOADS_NONE>(reporter, tables, tile, range,
                                                              cursor);
    } else {
        trawl_cuda_wu_manber_tuned<PATH, LOADS != LOADS_NONE>(reporter, tables, tile, range,
                                                              cursor);
    }
}

template <bool PAPER, int PATH, int LOADS>
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS)
    walk(const __grid_constant__ trawl_cuda_reporter reporter,
         const __grid_constant__ trawl_cuda_wu_manber_tables tables,
         const __grid_constant__ walk_shape shape) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    TRAWL_SHARED(shared);
    const trawl_cuda_slice &slice = reporter.slice;
    const trawl_cuda_output &output = reporter.output;
    uint32_t block_bytes = blockDim.x * shape.strip_bytes;
    uint32_t strips = trawl_cuda_strip_count(&slice, shape.strip_bytes);
    bool by_strip = is_by_strip(output.pass);
    trawl_counter in_register = 0;
    for (uint32_t at = blockIdx.x; at < shape.tiles; at += gridDim.x) {
        trawl_cuda_tile tile = {NULL, 0};
        if (LOADS != LOADS_NONE) {
            tile.bytes = shared;
            tile.first =
                (int32_t)trawl_cuda_strip_begin(&slice, block_bytes, at) - (int32_t)shape.before;
            load_tile<LOADS>(slice, tile.first, shape.before + block_bytes + TRAWL_CUDA_TILE_BEHIND,
                             shared);
            __syncthreads();
        }
        uint32_t strip = at * blockDim.x + threadIdx.x;
        bool valid = strip < strips;
        if (valid && by_strip && shape.counters == NULL) {
            in_register = trawl_cuda_cursor_begin(output, strip);
        }
        if (valid) {
            uint32_t counter = by_strip ? strip : blockIdx.x * blockDim.x + threadIdx.x;
            walk_strip<PAPER, PATH, LOADS>(
                reporter, tables, tile, trawl_cuda_strip_range(slice, shape.strip_bytes, strip),
                shape.counters == NULL ? &in_register : &shape.counters[counter]);
        }
        if (by_strip && shape.counters == NULL) {
            trawl_cuda_cursor_end(output, valid, strip, in_register);
        }
        if (LOADS != LOADS_NONE) {
            __syncthreads(); /* before the next tile takes this one's place */
        }
    }
    if (!by_strip && shape.counters == NULL) {
        trawl_cuda_cursor_end(output, true, 0, in_register);
    }
}

/* ------------------------------------------------------------------ preparing */

static void release(trawl_cuda_db *uploaded) {
    wu_manber_tables *tables = (wu_manber_tables *)uploaded->tables;
    if (tables != NULL) {
        trawl_cuda_texture_free(tables->kernel.shift.texture);
        trawl_cuda_texture_free(tables->kernel.hash.texture);
        trawl_cuda_texture_free(tables->kernel.prefix.texture);
        trawl_cuda_texture_free(tables->kernel.ids.texture);
        trawl_cuda_texture_free(tables->kernel.bytes.texture);
        trawl_release(tables);
        uploaded->tables = NULL;
    }
}

static trawl_status prepare(trawl_cuda_db *uploaded, const uint8_t *sample, size_t sample_length,
                            trawl_error *error) {
    (void)sample;
    (void)sample_length;
    wu_manber_tables *tables = (wu_manber_tables *)trawl_allocate_zeroed(1, sizeof *tables);
    if (tables == NULL) {
        return trawl_fail_memory(error, "a database on a device", sizeof *tables);
    }
    uploaded->tables = tables;
    trawl_cuda_wu_manber_tables *kernel = &tables->kernel;
    kernel->header = *(const trawl_wu_manber_header *)trawl_db_section(
        uploaded->db, TRAWL_SECTION_WU_MANBER_HEADER, 0, NULL);
    kernel->max_length = uploaded->db->header->max_length;
    kernel->folded = uploaded->db->header->folded != 0;
    bool paper = kernel->header.variant == TRAWL_WU_MANBER_PAPER;
    const struct {
        trawl_section_kind kind;
        uint32_t element_bytes;
        trawl_cuda_lookup *table;
    } sections[] = {
        {TRAWL_SECTION_WU_MANBER_SHIFT, paper ? 4u : 1u, &kernel->shift},
        {TRAWL_SECTION_WU_MANBER_HASH, 4, &kernel->hash},
        {TRAWL_SECTION_WU_MANBER_PREFIX, paper ? 2u : 16u, &kernel->prefix},
        {TRAWL_SECTION_WU_MANBER_IDS, 4, &kernel->ids}, /* only in paper, and so is the next one */
        {TRAWL_SECTION_PATTERN_BYTES, 1, &kernel->bytes},
    };
    for (size_t i = 0; i < (paper ? 5u : 3u); i++) {
        trawl_cuda_lookup *table = sections[i].table;
        table->memory = trawl_cuda_section(uploaded, sections[i].kind, 0);
        trawl_status status =
            trawl_cuda_texture(uploaded, sections[i].kind, 0, sections[i].element_bytes,
                               &table->texture, &tables->obstacle, error);
        if (status != TRAWL_OK) {
            release(uploaded);
            return status;
        }
    }
    if (!paper) {
        kernel->endings = trawl_cuda_endings_of(uploaded, 0);
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ planning */

static bool is_tiled(uint32_t kernel) {
    return kernel != TRAWL_CUDA_WU_MANBER_U && kernel != TRAWL_CUDA_WU_MANBER_TC;
}

/* Bytes before those of a block's strips that its tile has too. In `paper`, search windows begin up
 * to max_length - 1 bytes before a strip; bytes before the tile are read from device memory. */
static uint32_t bytes_before(const wu_manber_tables *tables) {
    uint32_t before = tables->kernel.header.variant == TRAWL_WU_MANBER_PAPER
                          ? trawl_cuda_tile_before(tables->kernel.max_length - 1)
                          : 0;
    return before < TRAWL_CUDA_TILE_BEFORE ? TRAWL_CUDA_TILE_BEFORE : before;
}

static trawl_status plan_path(const trawl_cuda_db *uploaded,
                              const trawl_cuda_launch_request *request,
                              trawl_cuda_launch_plan *plan, trawl_error *error) {
    const wu_manber_tables *tables = (const wu_manber_tables *)uploaded->tables;
    if (plan->kernel != TRAWL_CUDA_WU_MANBER_U) {
        return trawl_cuda_plan_path(uploaded, request->table_path, &tables->obstacle, plan, error);
    }
    return request->table_path == TRAWL_TABLES_CHOSEN
               ? TRAWL_OK
               : trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                            "wu-manber: kernel u reads its tables from device memory as they are "
                            "(table path %d); kernel tc is the same with another path",
                            (int)request->table_path);
}

/* The most blocks that run at the same time if kernels have at most `resident_threads` threads on a
 * multiprocessor (gpu/tuning.h). */
static uint32_t most_blocks(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan) {
    uint32_t blocks = uploaded->device.tuning->resident_threads / plan->block_threads;
    return (blocks == 0 ? 1 : blocks) * (uint32_t)uploaded->device.multiprocessors;
}

/* S_thread, if the caller does not set a block's bytes. */
static uint32_t usual_strip(const trawl_cuda_db *uploaded, const trawl_cuda_launch_request *request,
                            const trawl_cuda_launch_plan *plan) {
    uint32_t tiled = uploaded->device.tuning->wu_manber_bytes / plan->block_threads;
    if (is_tiled(plan->kernel)) {
        return tiled;
    }
    uint64_t length =
        request->length < TRAWL_CUDA_LARGEST_SLICE ? request->length : TRAWL_CUDA_LARGEST_SLICE;
    uint64_t threads = (uint64_t)most_blocks(uploaded, plan) * plan->block_threads;
    uint64_t fair = length / threads + 1, most = TRAWL_CUDA_MOST_BLOCK_BYTES / plan->block_threads;
    fair = fair < most ? fair : most;
    return fair < tiled ? tiled : (uint32_t)fair; /* fewer blocks for short texts */
}

static trawl_status plan_shape(const trawl_cuda_db *uploaded,
                               const trawl_cuda_launch_request *request,
                               trawl_cuda_launch_plan *plan, trawl_error *error) {
    plan->block_threads = request->block_threads != 0 ? request->block_threads
                                                      : uploaded->device.tuning->wu_manber_threads;
    trawl_status status =
        trawl_cuda_plan_text(uploaded, request, usual_strip(uploaded, request, plan), 1,
                             TRAWL_CUDA_MOST_BLOCK_BYTES, plan, error);
    if (status != TRAWL_OK || !is_tiled(plan->kernel)) {
        return status;
    }
    uint32_t bytes = bytes_before((const wu_manber_tables *)uploaded->tables) +
                     plan->block_threads * plan->strip_bytes + TRAWL_CUDA_TILE_BEHIND;
    return trawl_cuda_plan_shared(uploaded, bytes, plan, error);
}

static trawl_status plan(const trawl_cuda_db *uploaded, const trawl_cuda_launch_request *request,
                         trawl_cuda_launch_plan *plan, trawl_error *error) {
    const wu_manber_tables *tables = (const wu_manber_tables *)uploaded->tables;
    bool tuned = tables->kernel.header.variant == TRAWL_WU_MANBER_TUNED;
    trawl_status status = plan_path(uploaded, request, plan, error);
    if (status == TRAWL_OK) {
        status = plan_shape(uploaded, request, plan, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    plan->overlap = tuned ? 0 : uploaded->db->header->max_length - 1;
    plan->ordered = tuned;
    if (plan->kernel != TRAWL_CUDA_WU_MANBER_CW && request->form != TRAWL_CUDA_MATCHES) {
        plan->workspace_bytes =
            (uint64_t)most_blocks(uploaded, plan) * plan->block_threads * sizeof(trawl_counter);
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ launching */

typedef struct launch_context {
    const trawl_cuda_db *uploaded;
    const trawl_cuda_launch_plan *plan;
    trawl_cuda_reporter reporter;
    walk_shape shape;
    uint32_t most_blocks; /* as many as have counters in the workspace */
    uint32_t blocks;      /* of the launch */
    cudaStream_t stream;
} launch_context;

template <bool PAPER, int PATH, int LOADS>
static trawl_status launch_walk(launch_context *context, trawl_error *error) {
    const wu_manber_tables *tables = (const wu_manber_tables *)context->uploaded->tables;
    const trawl_cuda_launch_plan *plan = context->plan;
    const trawl_cuda_device *device = &context->uploaded->device;
    uint32_t resident = 0;
    trawl_status status =
        trawl_cuda_allow_shared(device, walk<PAPER, PATH, LOADS>, plan->shared_bytes, error);
    if (status == TRAWL_OK) {
        status = trawl_cuda_resident_blocks(device, walk<PAPER, PATH, LOADS>, plan->block_threads,
                                            plan->shared_bytes, &resident, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t most = resident < context->most_blocks ? resident : context->most_blocks;
    context->blocks = context->shape.tiles < most ? context->shape.tiles : most;
    TRAWL_LAUNCH((walk<PAPER, PATH, LOADS>), context->blocks, plan->block_threads,
                 plan->shared_bytes, context->stream, context->reporter, tables->kernel,
                 context->shape);
    TRAWL_CUDA_LAUNCHED("wu-manber", error);
    return TRAWL_OK;
}

template <bool PAPER, int PATH>
static trawl_status launch_loads(launch_context *context, trawl_error *error) {
    switch (context->plan->kernel) {
    case TRAWL_CUDA_WU_MANBER_TC:
        return launch_walk<PAPER, PATH, LOADS_NONE>(context, error);
    case TRAWL_CUDA_WU_MANBER_CR:
        return launch_walk<PAPER, PATH, LOADS_BYTES>(context, error);
    default:
        return launch_walk<PAPER, PATH, LOADS_WORDS>(context, error);
    }
}

template <bool PAPER> static trawl_status launch_path(launch_context *context, trawl_error *error) {
    if (context->plan->kernel == TRAWL_CUDA_WU_MANBER_U) {
        return launch_walk<PAPER, TRAWL_CUDA_PLAIN, LOADS_NONE>(context, error);
    }
    return context->plan->table_path == TRAWL_TABLES_TEXTURE
               ? launch_loads<PAPER, TRAWL_CUDA_TEXTURE>(context, error)
               : launch_loads<PAPER, TRAWL_CUDA_READ_ONLY>(context, error);
}

static trawl_status launch(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                           const trawl_cuda_slice *slice, const trawl_cuda_output *output,
                           void *workspace, cudaStream_t stream, trawl_error *error) {
    const wu_manber_tables *tables = (const wu_manber_tables *)uploaded->tables;
    trawl_cuda_pass pass = output->pass;
    launch_context context;
    context.uploaded = uploaded;
    context.plan = plan;
    context.reporter = {*slice, *output, uploaded->patterns};
    context.shape = {plan->strip_bytes, trawl_cuda_block_count(slice, plan), bytes_before(tables),
                     NULL};
    context.most_blocks = most_blocks(uploaded, plan);
    context.blocks = 0;
    context.stream = stream;
    bool counted = pass == TRAWL_CUDA_PASS_COUNT || pass == TRAWL_CUDA_PASS_PATTERNS;
    if (plan->kernel != TRAWL_CUDA_WU_MANBER_CW) {
        context.shape.counters = is_by_strip(pass) ? output->sizes : (trawl_counter *)workspace;
        if (!is_by_strip(pass)) {
            TRAWL_CUDA_TRY(cudaMemsetAsync(workspace, 0, plan->workspace_bytes, stream), error);
        }
    }
    trawl_status status = tables->kernel.header.variant == TRAWL_WU_MANBER_PAPER
                              ? launch_path<true>(&context, error)
                              : launch_path<false>(&context, error);
    if (status == TRAWL_OK && counted && context.shape.counters != NULL) {
        status = trawl_cuda_add_counters(uploaded, output, context.shape.counters,
                                         context.blocks * plan->block_threads, stream, error);
    }
    return status;
}

const trawl_cuda_engine trawl_cuda_wu_manber = {prepare, release, plan, launch, false, NULL};
