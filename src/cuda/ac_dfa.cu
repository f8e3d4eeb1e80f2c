/*
 * ac-dfa on the device. The kernels of Zha & Sahni 2011 walk the database's table as it is, ac0 by
 * plain loads and the others through the texture path; "hot" walks tables of its own
 * (ac_dfa_hot.cuh).
 */
#include "cuda/ac_dfa.cuh"

/* VI-A of the paper: T = 64 and S_block = 14592, so that every thread has 57 words. */
#define PAPER_BLOCK_THREADS 64u
#define PAPER_THREAD_BYTES 228u

#define MOST_THREADS 1024u
#define MOST_BLOCK_BYTES (UINT32_C(1) << 24)
#define PIECE_BYTES (UINT64_C(1) << 30)

/* What tiles hold at most of the text before the block's own; the rest of a longer overlap is read
 * from device memory. */
#define MOST_TILE_BEFORE 4096u

/* ------------------------------------------------------------------ preparing */

static void release(trawl_cuda_db *uploaded) {
    trawl_cuda_ac_dfa_tables *tables = (trawl_cuda_ac_dfa_tables *)uploaded->tables;
    if (tables != NULL) {
        trawl_cuda_hot_release(tables->hot);
        if (tables->dfa.texture != 0) {
            (void)cudaDestroyTextureObject(tables->dfa.texture);
        }
        trawl_release(tables);
        uploaded->tables = NULL;
    }
}

void trawl_cuda_dfa_view(const trawl_cuda_db *uploaded, uint32_t part, trawl_cuda_dfa *dfa) {
    const trawl_dfa_header *header = (const trawl_dfa_header *)trawl_db_section(
        uploaded->db, TRAWL_SECTION_DFA_HEADER, part, NULL);
    dfa->layout = header->layout;
    dfa->table = trawl_cuda_section(uploaded, TRAWL_SECTION_DFA_TABLE, part);
    dfa->class_of = (const uint8_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_CLASSES, part);
    dfa->output = (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_DFA_OUTPUT, part);
    dfa->states = header->states;
    dfa->first_match = header->first_match;
    dfa->classes = header->classes;
    dfa->columns = header->columns;
    dfa->shift = header->shift;
    if (header->layout == TRAWL_DFA_WIDE) {
        dfa->first_match *= header->columns;
        dfa->shift = (uint32_t)__builtin_ctz(header->columns);
        dfa->inverse = trawl_dfa_inverse_of_odd(header->columns >> dfa->shift);
    }
    dfa->verify = header->verify;
    dfa->overlap = uploaded->db->header->max_length - 1;
    dfa->wide_states = trawl_cuda_state_bytes(uploaded) == 4;
}

static trawl_status prepare(trawl_cuda_db *uploaded, const uint8_t *sample, size_t sample_length,
                            trawl_error *error) {
    trawl_cuda_ac_dfa_tables *tables =
        (trawl_cuda_ac_dfa_tables *)trawl_allocate_zeroed(1, sizeof *tables);
    if (tables == NULL) {
        return trawl_fail_memory(error, "a database on a device", sizeof *tables);
    }
    uploaded->tables = tables;
    trawl_cuda_dfa_view(uploaded, 0, &tables->dfa);
    uint64_t bytes;
    (void)trawl_db_section(uploaded->db, TRAWL_SECTION_DFA_TABLE, 0, &bytes);
    trawl_status status = trawl_cuda_texture(uploaded, tables->dfa.table, bytes,
                                             trawl_dfa_entry_bytes(tables->dfa.layout),
                                             &tables->dfa.texture, &tables->texture_error);
    if (status == TRAWL_ERROR_LIMIT) {
        tables->dfa.texture = 0; /* only who asks for the texture path is refused */
        status = TRAWL_OK;
    } else if (status != TRAWL_OK && error != NULL) {
        *error = tables->texture_error;
    }
    if (status == TRAWL_OK) {
        status =
            trawl_cuda_hot_make(uploaded, &tables->dfa, sample, sample_length, &tables->hot, error);
    }
    if (status != TRAWL_OK) {
        release(uploaded);
    }
    return status;
}

/* ------------------------------------------------------------------ planning */

static const char *name_of(uint32_t kernel) {
    static const char *const names[] = {"hot", "ac0", "ac1", "ac2", "ac3", "ac4"};
    return names[kernel];
}

static bool is_tiled(uint32_t kernel) {
    return kernel == TRAWL_CUDA_AC_DFA_AC3 || kernel == TRAWL_CUDA_AC_DFA_AC4;
}

static uint32_t tile_before(uint32_t overlap) {
    return overlap < MOST_TILE_BEFORE ? (overlap + 15) / 16 * 16 : MOST_TILE_BEFORE;
}

static trawl_status plan_path(const trawl_cuda_ac_dfa_tables *tables,
                              const trawl_cuda_wishes *wishes, trawl_cuda_plan *plan,
                              trawl_error *error) {
    plan->table_path = wishes->table_path;
    if (wishes->kernel != TRAWL_CUDA_AC_DFA_AC0 && plan->table_path == TRAWL_TABLES_CHOSEN) {
        plan->table_path = TRAWL_TABLES_TEXTURE;
    }
    if (plan->table_path == TRAWL_TABLES_TEXTURE && tables->dfa.texture == 0) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT, "ac-dfa, kernel %s: %s",
                          name_of(wishes->kernel), tables->texture_error.message);
    }
    return TRAWL_OK;
}

static trawl_status plan_shape(const trawl_cuda_db *uploaded, const trawl_cuda_dfa *dfa,
                               const trawl_cuda_wishes *wishes, trawl_cuda_plan *plan,
                               trawl_error *error) {
    const char *name = name_of(wishes->kernel);
    uint32_t threads = wishes->block_threads != 0 ? wishes->block_threads : PAPER_BLOCK_THREADS;
    uint32_t block_bytes =
        wishes->block_bytes != 0 ? wishes->block_bytes : threads * PAPER_THREAD_BYTES;
    if (threads % 32 != 0 || threads > MOST_THREADS) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "ac-dfa, kernel %s: %u threads per block; a multiple of 32 up to %u is "
                          "expected",
                          name, threads, MOST_THREADS);
    }
    uint32_t unit = is_tiled(wishes->kernel) ? 4 * threads : threads;
    if (block_bytes % unit != 0 || block_bytes > MOST_BLOCK_BYTES) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "ac-dfa, kernel %s: %u bytes of text per block of %u threads; a multiple "
                          "of %u up to %u is expected",
                          name, block_bytes, threads, unit, MOST_BLOCK_BYTES);
    }
    plan->block_threads = threads;
    plan->thread_bytes = block_bytes / threads;
    plan->shared_bytes =
        trawl_cuda_ac_dfa_vector_shared(wishes->kernel == TRAWL_CUDA_AC_DFA_AC2 ? threads : 0);
    if (is_tiled(wishes->kernel)) {
        plan->shared_bytes = trawl_cuda_ac_dfa_tile_shared(wishes->kernel, wishes->form, threads,
                                                           block_bytes, tile_before(dfa->overlap));
    }
    if (plan->shared_bytes > uploaded->device.shared_bytes) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "ac-dfa, kernel %s: %u bytes of text per block of %u threads need %u "
                          "bytes of shared memory; device %d gives a block %zu",
                          name, block_bytes, threads, plan->shared_bytes, uploaded->device.number,
                          uploaded->device.shared_bytes);
    }
    return TRAWL_OK;
}

static trawl_status plan(const trawl_cuda_db *uploaded, const trawl_cuda_wishes *wishes,
                         trawl_cuda_plan *plan, trawl_error *error) {
    const trawl_cuda_ac_dfa_tables *tables = (const trawl_cuda_ac_dfa_tables *)uploaded->tables;
    memset(plan, 0, sizeof *plan);
    plan->kernel = wishes->kernel;
    plan->ordered = true;
    plan->piece_bytes = PIECE_BYTES;
    if (wishes->kernel == TRAWL_CUDA_AC_DFA_HOT) {
        return trawl_cuda_hot_plan(uploaded, wishes, plan, error);
    }
    trawl_status status = plan_path(tables, wishes, plan, error);
    return status == TRAWL_OK ? plan_shape(uploaded, &tables->dfa, wishes, plan, error) : status;
}

/* ------------------------------------------------------------------ launching */

static trawl_status launch(const trawl_cuda_db *uploaded, const trawl_cuda_plan *plan,
                           const trawl_cuda_piece *piece, const trawl_cuda_output *output,
                           void *workspace, cudaStream_t stream, trawl_error *error) {
    (void)workspace;
    const trawl_cuda_ac_dfa_tables *tables = (const trawl_cuda_ac_dfa_tables *)uploaded->tables;
    trawl_cuda_reporter reporter = {*piece, *output, uploaded->patterns};
    if (plan->kernel == TRAWL_CUDA_AC_DFA_HOT) {
        return trawl_cuda_hot_launch(uploaded, plan, &reporter, stream, error);
    }
    trawl_cuda_ac_dfa_launch launch;
    launch.plan = plan;
    launch.dfa = tables->dfa;
    launch.keys = uploaded->keys[0];
    launch.reporter = reporter;
    uint32_t parts = trawl_cuda_part_count(piece, plan->thread_bytes);
    launch.blocks = (parts + plan->block_threads - 1) / plan->block_threads;
    launch.tile_before = tile_before(tables->dfa.overlap);
    launch.most_shared_bytes = (int)uploaded->device.shared_bytes;
    launch.stream = stream;
    switch (plan->kernel) {
    case TRAWL_CUDA_AC_DFA_AC0:
    case TRAWL_CUDA_AC_DFA_AC1:
        return trawl_cuda_ac_dfa_direct(&launch, error);
    case TRAWL_CUDA_AC_DFA_AC2:
        return trawl_cuda_ac_dfa_vector(&launch, error);
    default:
        return trawl_cuda_ac_dfa_tile(&launch, error);
    }
}

const trawl_cuda_engine trawl_cuda_ac_dfa = {"ac-dfa", prepare, release, plan, launch};
