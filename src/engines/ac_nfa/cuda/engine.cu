/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * ac-nfa on the device: walks goto and failure links as the database has them.
 *
 *     u, tc, cr, r16, cw         the stages of Kouzinopoulos et al. 2015. Each adds one change:
 *                                u    all tables and texts in device memory
 *                                tc   tables through textures
 *                                cr   a block reads its text together into shared memory
 *                                r16  it reads 16 bytes at a time
 *                                cw   results are written together
 *     global, shared, constant   Charan 2015, Algorithm 6, by where the automaton is (4.4)
 *     fit                        shared, constant or global: the first one where the automaton fits
 *
 * The database's variant decides whether failure links are followed in a loop or without divergence
 * (engines/ac_nfa/variants.h); all kernels do both.
 */
#include "engines/ac_nfa/cuda/engine.cuh"
#include "engines/engines.cuh"
#include "gpu/counters.cuh"

/* ------------------------------------------------------------------ preparing */

static void release(trawl_cuda_db *uploaded) {
    trawl_cuda_ac_nfa_tables *tables = (trawl_cuda_ac_nfa_tables *)uploaded->tables;
    if (tables != NULL) {
        for (size_t i = 0; i < TRAWL_CUDA_NFA_TABLES; i++) {
            trawl_cuda_texture_free(tables->nfa.tables[i].texture);
        }
        if (tables->last_read != NULL) {
            trawl_cuda_nfa_constant_forget(tables);
            (void)cudaEventDestroy(tables->last_read);
        }
        trawl_release(tables);
        uploaded->tables = NULL;
    }
}

static const struct {
    trawl_section_kind kind;
    uint32_t element_bytes; /* of the texture; 0: by the representation */
} sections[TRAWL_CUDA_NFA_TABLES] = {{TRAWL_SECTION_CLASSES, 1},
                                     {TRAWL_SECTION_NFA_TOP, 4},
                                     {TRAWL_SECTION_NFA_STATES, 0},
                                     {TRAWL_SECTION_NFA_FAILURE, 4},
                                     {TRAWL_SECTION_NFA_WIDE, 4}};

static bool has_records_of_16(enum trawl_cuda_nfa_form form) {
    return form == TRAWL_CUDA_NFA_PACKED || form == TRAWL_CUDA_NFA_SHORT;
}

/* Whether walks of the representation read this table. Other tables get no texture and no copy. */
static bool is_read(const trawl_cuda_ac_nfa_tables *tables, size_t table) {
    bool array = tables->form == TRAWL_CUDA_NFA_ARRAY;
    switch (table) {
    case TRAWL_CUDA_NFA_CLASSES:
        return !array;
    case TRAWL_CUDA_NFA_TOP:
        return tables->complete_top;
    case TRAWL_CUDA_NFA_FAILURE:
        return array;
    default:
        return true;
    }
}

/* Finds a table, makes a texture over it, and gives it a place in the copy. A table that is too
 * large for a texture is used without one. */
static trawl_status prepare_table(const trawl_cuda_db *uploaded, size_t index,
                                  trawl_cuda_ac_nfa_tables *tables, trawl_error *error) {
    trawl_cuda_nfa_table *table = &tables->nfa.tables[index];
    uint64_t bytes;
    (void)trawl_db_section(uploaded->db, sections[index].kind, 0, &bytes);
    table->memory = trawl_cuda_section(uploaded, sections[index].kind, 0);
    if (bytes == 0 || !is_read(tables, index)) {
        return TRAWL_OK;
    }
    uint64_t place = tables->nfa.copy_bytes, past = place + (bytes + 15) / 16 * 16;
    tables->nfa.copy_bytes = past < UINT32_MAX ? (uint32_t)past : UINT32_MAX;
    if (past < UINT32_MAX) {
        table->bytes = (uint32_t)bytes;
        table->place = (uint32_t)(place / 16);
    }
    uint32_t element_bytes = sections[index].element_bytes;
    if (element_bytes == 0) {
        element_bytes = has_records_of_16(tables->form) ? 16 : 4;
    }
    return trawl_cuda_texture(uploaded, sections[index].kind, 0, element_bytes, &table->texture,
                              &tables->obstacle, error);
}

static trawl_status prepare_constant(const trawl_cuda_db *uploaded,
                                     trawl_cuda_ac_nfa_tables *tables, trawl_error *error) {
    tables->fits_constant = tables->nfa.copy_bytes <= TRAWL_CUDA_NFA_CONSTANT_BYTES &&
                            uploaded->device.number < TRAWL_CUDA_NFA_CONSTANT_DEVICES;
    if (tables->fits_constant) {
        TRAWL_CUDA_TRY(cudaEventCreateWithFlags(&tables->last_read, cudaEventDisableTiming), error);
    }
    return TRAWL_OK;
}

static enum trawl_cuda_nfa_form form_of(const trawl_nfa_header *header) {
    switch ((trawl_nfa_representation)header->representation) {
    case TRAWL_NFA_ARRAY:
        return TRAWL_CUDA_NFA_ARRAY;
    case TRAWL_NFA_BITMAP:
        return header->record_bytes == sizeof(trawl_packed_state) && header->top != 0
                   ? TRAWL_CUDA_NFA_SHORT
                   : TRAWL_CUDA_NFA_BITMAP;
    case TRAWL_NFA_OFFSETS:
        return TRAWL_CUDA_NFA_OFFSETS;
    case TRAWL_NFA_BITMAP_COUNTS:
        return TRAWL_CUDA_NFA_COUNTS;
    default:
        return TRAWL_CUDA_NFA_PACKED;
    }
}

static trawl_status prepare_all(trawl_cuda_db *uploaded, trawl_cuda_ac_nfa_tables *tables,
                                trawl_error *error) {
    const trawl_db *db = uploaded->db;
    const trawl_nfa_header *header =
        (const trawl_nfa_header *)trawl_db_section(db, TRAWL_SECTION_NFA_HEADER, 0, NULL);
    int variant = trawl_engine_variant(db->engine, db->header->variant);
    tables->form = form_of(header);
    tables->divergence_free = trawl_nfa_variant_at((unsigned)variant)->divergence_free;
    tables->complete_top = header->top != 0;
    tables->verify = header->verify != 0;
    trawl_cuda_nfa *nfa = &tables->nfa;
    nfa->record_words = header->record_bytes / 4;
    nfa->words = header->words * 2;
    nfa->wide_rows = header->wide;
    nfa->wide_words = trawl_nfa_wide_words(header) * 2;
    nfa->levels = header->levels;
    nfa->matching =
        (const unsigned long long *)trawl_cuda_section(uploaded, TRAWL_SECTION_NFA_MATCHING, 0);
    nfa->rank = (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_NFA_RANK, 0);
    nfa->output = (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_NFA_OUTPUT, 0);
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < TRAWL_CUDA_NFA_TABLES; i++) {
        status = prepare_table(uploaded, i, tables, error);
    }
    return status == TRAWL_OK ? prepare_constant(uploaded, tables, error) : status;
}

static trawl_status prepare(trawl_cuda_db *uploaded, const uint8_t *sample, size_t sample_length,
                            trawl_error *error) {
    (void)sample;
    (void)sample_length;
    trawl_cuda_ac_nfa_tables *tables =
        (trawl_cuda_ac_nfa_tables *)trawl_allocate_zeroed(1, sizeof *tables);
    if (tables == NULL) {
        return trawl_fail_memory(error, "a database on a device", sizeof *tables);
    }
    uploaded->tables = tables;
    trawl_status status = prepare_all(uploaded, tables, error);
    if (status != TRAWL_OK) {
        release(uploaded);
    }
    return status;
}

/* ------------------------------------------------------------------ planning */

static bool is_tiled(uint32_t kernel) {
    return kernel == TRAWL_CUDA_AC_NFA_CW || kernel == TRAWL_CUDA_AC_NFA_CR ||
           kernel == TRAWL_CUDA_AC_NFA_R16;
}

/* The stages of Kouzinopoulos et al. count in an array with an entry for each thread. */
static bool has_counters(uint32_t kernel) {
    return is_tiled(kernel) || kernel == TRAWL_CUDA_AC_NFA_U || kernel == TRAWL_CUDA_AC_NFA_TC;
}

static trawl_status plan_path(const trawl_cuda_db *uploaded,
                              const trawl_cuda_launch_request *request,
                              trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_ac_nfa_tables *tables = (const trawl_cuda_ac_nfa_tables *)uploaded->tables;
    if (is_tiled(plan->kernel) || plan->kernel == TRAWL_CUDA_AC_NFA_TC) {
        return trawl_cuda_plan_path(uploaded, request->table_path, &tables->obstacle, plan, error);
    }
    return request->table_path == TRAWL_TABLES_CHOSEN
               ? TRAWL_OK
               : trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                            "ac-nfa: kernel %s says itself where its tables are, and takes no "
                            "table path; kernels tc, cr, r16 and cw do",
                            trawl_cuda_kernel_name(uploaded, plan));
}

static uint32_t tile_bytes(uint32_t overlap, uint32_t block_bytes) {
    return (trawl_cuda_tile_before(overlap) + block_bytes + 15) / 16 * 16;
}

static bool is_staged(uint32_t kernel, trawl_cuda_form form) {
    return kernel == TRAWL_CUDA_AC_NFA_CW && form == TRAWL_CUDA_STATES;
}

/* Bytes of shared memory of a block. */
static uint64_t shared_bytes_of(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                                trawl_cuda_form form) {
    if (plan->kernel == TRAWL_CUDA_AC_NFA_SHARED) {
        return ((const trawl_cuda_ac_nfa_tables *)uploaded->tables)->nfa.copy_bytes;
    }
    if (!is_tiled(plan->kernel)) {
        return 0;
    }
    uint32_t block_bytes = plan->block_threads * plan->strip_bytes;
    uint64_t bytes = 256 + (uint64_t)tile_bytes(uploaded->db->header->max_length - 1, block_bytes);
    if (is_staged(plan->kernel, form)) {
        bytes += (uint64_t)block_bytes * trawl_study_cuda_state_bytes(uploaded);
    }
    return bytes;
}

/* The first memory that the automaton fits into: shared, then constant, then device memory (Charan
 * 2015, 4.4). */
static uint32_t fitting_kernel(const trawl_cuda_db *uploaded) {
    const trawl_cuda_ac_nfa_tables *tables = (const trawl_cuda_ac_nfa_tables *)uploaded->tables;
    if (tables->nfa.copy_bytes <= uploaded->device.shared_bytes) {
        return TRAWL_CUDA_AC_NFA_SHARED;
    }
    return tables->fits_constant ? TRAWL_CUDA_AC_NFA_CONSTANT : TRAWL_CUDA_AC_NFA_GLOBAL;
}

/* Checks that the automaton fits into the kernel's memory. */
static trawl_status plan_place(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                               trawl_error *error) {
    const trawl_cuda_ac_nfa_tables *tables = (const trawl_cuda_ac_nfa_tables *)uploaded->tables;
    uint32_t bytes = tables->nfa.copy_bytes;
    if (plan->kernel == TRAWL_CUDA_AC_NFA_SHARED && bytes > uploaded->device.shared_bytes) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "ac-nfa, kernel shared: what a walk reads of the automaton has %s%u "
                          "bytes, the shared memory of a block %zu; kernels cw and global take it",
                          bytes == UINT32_MAX ? "more than " : "", bytes,
                          uploaded->device.shared_bytes);
    }
    if (plan->kernel == TRAWL_CUDA_AC_NFA_CONSTANT && !tables->fits_constant) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "ac-nfa, kernel constant: what a walk reads of the automaton has %s%u "
                          "bytes, the constant memory of a device %u; kernels cw and global take "
                          "it, and shared takes up to %zu",
                          bytes == UINT32_MAX ? "more than " : "", bytes,
                          TRAWL_CUDA_NFA_CONSTANT_BYTES, uploaded->device.shared_bytes);
    }
    return TRAWL_OK;
}

/* The number of threads that the device is taken to run at the same time. */
static uint64_t resident_threads(const trawl_cuda_db *uploaded) {
    return (uint64_t)uploaded->device.multiprocessors * uploaded->device.tuning->resident_threads;
}

/* Sets T, the threads of a block, and returns S_thread if the caller does not name a block's
 * bytes. */
static uint32_t choose_shape(const trawl_cuda_db *uploaded,
                             const trawl_cuda_launch_request *request,
                             trawl_cuda_launch_plan *plan) {
    const trawl_gpu_tuning *tuning = uploaded->device.tuning;
    /* A block that fills its shared memory has the multiprocessor for itself. */
    uint32_t usual_threads =
        plan->kernel == TRAWL_CUDA_AC_NFA_SHARED ? TRAWL_CUDA_MOST_THREADS : tuning->nfa_threads;
    plan->block_threads = request->block_threads != 0 ? request->block_threads : usual_threads;
    if (is_tiled(plan->kernel)) { /* the tile of Kouzinopoulos et al., divided among the threads */
        return tuning->nfa_tile_bytes / plan->block_threads;
    }
    uint64_t length =
        request->length < TRAWL_CUDA_LARGEST_SLICE ? request->length : TRAWL_CUDA_LARGEST_SLICE;
    uint64_t fair = length / resident_threads(uploaded) + 1;
    uint64_t most = TRAWL_CUDA_MOST_BLOCK_BYTES / plan->block_threads;
    fair = fair < most ? fair : most;
    if (has_counters(plan->kernel)) {
        /* S_thread = n / (numBlocks * blockDim), with just as many blocks as the multiprocessors
         * run at the same time (Kouzinopoulos et al. 2015, 4.2.1). */
        uint32_t least = tuning->nfa_tile_bytes / tuning->nfa_threads;
        return fair < least ? least : (uint32_t)fair;
    }
    /* At most four times the overlap. Longer strips save little of the overlap's cost, and shorter
     * ones keep more threads busy; no measurement chose the factor. */
    uint64_t useful = (uint64_t)4 * (uploaded->db->header->max_length - 1);
    useful = useful < tuning->nfa_useful_bytes ? tuning->nfa_useful_bytes : useful;
    fair = fair < tuning->nfa_least_bytes ? tuning->nfa_least_bytes : fair;
    return (uint32_t)((useful < fair ? useful : fair) + 15) / 16 * 16;
}

static trawl_status plan_shape(const trawl_cuda_db *uploaded,
                               const trawl_cuda_launch_request *request,
                               trawl_cuda_launch_plan *plan, trawl_error *error) {
    uint32_t usual = choose_shape(uploaded, request, plan);
    trawl_status status =
        trawl_cuda_plan_text(uploaded, request, usual, 1, TRAWL_CUDA_MOST_BLOCK_BYTES, plan, error);
    return status == TRAWL_OK
               ? trawl_cuda_plan_shared(uploaded, shared_bytes_of(uploaded, plan, request->form),
                                        plan, error)
               : status;
}

/* As many blocks as run at the same time; they take the tiles in turn. A block's share of shared
 * memory includes 1 KiB that CUDA reserves. */
static uint32_t most_blocks(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan) {
    uint64_t blocks = uploaded->device.tuning->resident_threads / plan->block_threads;
    uint64_t by_shared = uploaded->device.shared_bytes / (plan->shared_bytes + 1024u);
    blocks = by_shared < blocks ? by_shared : blocks;
    return (uint32_t)(blocks == 0 ? 1 : blocks) * (uint32_t)uploaded->device.multiprocessors;
}

static trawl_status plan(const trawl_cuda_db *uploaded, const trawl_cuda_launch_request *request,
                         trawl_cuda_launch_plan *plan, trawl_error *error) {
    plan->overlap = uploaded->db->header->max_length - 1;
    plan->ordered = true;
    if (plan->kernel == TRAWL_CUDA_AC_NFA_FIT) { /* reports name the kernel that is chosen */
        plan->kernel = fitting_kernel(uploaded);
    }
    trawl_status status = plan_path(uploaded, request, plan, error);
    if (status == TRAWL_OK) {
        status = plan_place(uploaded, plan, error);
    }
    if (status == TRAWL_OK) {
        status = plan_shape(uploaded, request, plan, error);
    }
    if (status == TRAWL_OK && has_counters(plan->kernel) && request->form == TRAWL_CUDA_COUNT) {
        plan->workspace_bytes =
            (uint64_t)most_blocks(uploaded, plan) * plan->block_threads * sizeof(trawl_counter);
    }
    return status;
}

/* ------------------------------------------------------------------ launching */

static trawl_status launch_walk(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error) {
    switch (launch->tables->form) {
    case TRAWL_CUDA_NFA_PACKED:
        return trawl_cuda_ac_nfa_packed(launch, error);
    case TRAWL_CUDA_NFA_ARRAY:
        return trawl_cuda_ac_nfa_array(launch, error);
    case TRAWL_CUDA_NFA_BITMAP:
        return trawl_cuda_ac_nfa_bitmap(launch, error);
    case TRAWL_CUDA_NFA_SHORT:
        return trawl_cuda_ac_nfa_short(launch, error);
    case TRAWL_CUDA_NFA_OFFSETS:
        return trawl_cuda_ac_nfa_offsets(launch, error);
    default:
        return trawl_cuda_ac_nfa_counts(launch, error);
    }
}

static trawl_status launch(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                           const trawl_cuda_slice *slice, const trawl_cuda_output *output,
                           void *workspace, cudaStream_t stream, trawl_error *error) {
    trawl_cuda_ac_nfa_launch launch;
    memset(&launch, 0, sizeof launch);
    launch.plan = plan;
    launch.tables = (const trawl_cuda_ac_nfa_tables *)uploaded->tables;
    launch.keys = uploaded->keys[0];
    launch.reporter = {*slice, *output, uploaded->patterns};
    launch.device = &uploaded->device;
    launch.stream = stream;
    trawl_cuda_nfa_shape *shape = &launch.shape;
    shape->strip_bytes = plan->strip_bytes;
    shape->overlap = uploaded->db->header->max_length - 1;
    shape->tiles = trawl_cuda_block_count(slice, plan);
    shape->state_bytes = (uint32_t)trawl_study_cuda_state_bytes(uploaded);
    if (is_tiled(plan->kernel)) {
        shape->tile_before = trawl_cuda_tile_before(shape->overlap);
        shape->tile_bytes = tile_bytes(shape->overlap, plan->strip_bytes * plan->block_threads);
    }
    shape->wide_reads = plan->kernel != TRAWL_CUDA_AC_NFA_CR;
    shape->coalesced = plan->kernel == TRAWL_CUDA_AC_NFA_CW;
    shape->staged_states = shape->coalesced && output->pass == TRAWL_CUDA_PASS_STATES;
    uint32_t most = most_blocks(uploaded, plan);
    launch.blocks = shape->tiles < most ? shape->tiles : most;
    uint32_t threads = launch.blocks * plan->block_threads;
    if (has_counters(plan->kernel) && output->pass == TRAWL_CUDA_PASS_COUNT &&
        !launch.tables->verify) {
        shape->counters = (trawl_counter *)workspace;
        if (!shape->coalesced) {
            TRAWL_CUDA_TRY(
                cudaMemsetAsync(shape->counters, 0, threads * sizeof(trawl_counter), stream),
                error);
        }
    }
    trawl_status status = launch_walk(&launch, error);
    if (status == TRAWL_OK && shape->counters != NULL) {
        status = trawl_cuda_add_counters(uploaded, output, shape->counters, threads, stream, error);
    }
    return status;
}

const trawl_cuda_engine trawl_cuda_ac_nfa = {prepare, release, plan, launch, false, NULL};
