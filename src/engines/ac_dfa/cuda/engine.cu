/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * ac-dfa on the device. The kernels of Zha & Sahni 2011 walk the table of the database: ac0 with
 * plain loads, the others through the texture path. Kernel hot walks tables of its own (hot.cuh).
 */
#include "engines/ac_dfa/cuda/engine.cuh"
#include "engines/engines.cuh"

/* ------------------------------------------------------------------ preparing */

static void release(trawl_cuda_db *uploaded) {
    trawl_cuda_ac_dfa_tables *tables = (trawl_cuda_ac_dfa_tables *)uploaded->tables;
    if (tables != NULL) {
        trawl_cuda_hot_release(tables->hot);
        trawl_cuda_texture_free(tables->dfa.texture);
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
    dfa->classes = header->classes;
    dfa->columns = header->columns;
    const trawl_dfa_numbering numbering = trawl_dfa_numbering_of(header);
    dfa->first_match = numbering.first_match;
    dfa->shift = numbering.shift;
    dfa->inverse = numbering.inverse;
    dfa->verify = header->verify;
    dfa->overlap = uploaded->db->header->max_length - 1;
    dfa->wide_states = trawl_study_cuda_state_bytes(uploaded) == 4;
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
    trawl_status status = trawl_cuda_texture(uploaded, TRAWL_SECTION_DFA_TABLE, 0,
                                             trawl_dfa_entry_bytes(tables->dfa.layout),
                                             &tables->dfa.texture, &tables->obstacle, error);
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

static bool is_tiled(uint32_t kernel) {
    return kernel == TRAWL_CUDA_AC_DFA_AC3 || kernel == TRAWL_CUDA_AC_DFA_AC4 ||
           kernel == TRAWL_CUDA_AC_DFA_AC4_REGISTERS;
}

/* Refuses strips that do not fit into a thread's registers. */
static trawl_status plan_registers(const trawl_cuda_launch_plan *plan, trawl_error *error) {
    if (plan->strip_bytes > 4 * TRAWL_AC4_REGISTERS_WORDS ||
        plan->block_threads > TRAWL_AC4_REGISTERS_THREADS) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "ac-dfa: kernel ac4-registers has room for %u bytes of text a thread and "
                          "%u threads a block, not for %u and %u; ac4 has",
                          4 * TRAWL_AC4_REGISTERS_WORDS, TRAWL_AC4_REGISTERS_THREADS,
                          plan->strip_bytes, plan->block_threads);
    }
    return TRAWL_OK;
}

static trawl_status plan_path(const trawl_cuda_db *uploaded,
                              const trawl_cuda_launch_request *request,
                              trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_ac_dfa_tables *tables = (const trawl_cuda_ac_dfa_tables *)uploaded->tables;
    trawl_table_path path = request->table_path;
    if (path == TRAWL_TABLES_CHOSEN && plan->kernel == TRAWL_CUDA_AC_DFA_AC0) {
        return TRAWL_OK;
    }
    /* The paper's other kernels read the table through a texture. */
    path = path == TRAWL_TABLES_CHOSEN ? TRAWL_TABLES_TEXTURE : path;
    return trawl_cuda_plan_path(uploaded, path, &tables->obstacle, plan, error);
}

static trawl_status plan_shape(const trawl_cuda_db *uploaded,
                               const trawl_cuda_launch_request *request,
                               trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_ac_dfa_tables *tables = (const trawl_cuda_ac_dfa_tables *)uploaded->tables;
    bool tiled = is_tiled(plan->kernel);
    const trawl_gpu_shape usual = uploaded->device.tuning->zha;
    uint32_t threads = request->block_threads != 0 ? request->block_threads : usual.block_threads;
    plan->block_threads = threads;
    trawl_status status = trawl_cuda_plan_text(uploaded, request, usual.strip_bytes, tiled ? 4 : 1,
                                               TRAWL_CUDA_MOST_BLOCK_BYTES, plan, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t shared =
        trawl_cuda_ac_dfa_vector_shared(plan->kernel == TRAWL_CUDA_AC_DFA_AC2 ? threads : 0);
    uint32_t before = trawl_cuda_tile_before(tables->dfa.overlap);
    if (plan->kernel == TRAWL_CUDA_AC_DFA_AC4_REGISTERS) {
        status = plan_registers(plan, error);
        if (status != TRAWL_OK) {
            return status;
        }
        shared = trawl_cuda_ac_dfa_registers_shared(plan, before);
    } else if (tiled) {
        shared = trawl_cuda_ac_dfa_tile_shared(plan, request->form, before);
    }
    return trawl_cuda_plan_shared(uploaded, shared, plan, error);
}

static trawl_status plan(const trawl_cuda_db *uploaded, const trawl_cuda_launch_request *request,
                         trawl_cuda_launch_plan *plan, trawl_error *error) {
    plan->overlap = uploaded->db->header->max_length - 1;
    plan->ordered = true;
    if (plan->kernel == TRAWL_CUDA_AC_DFA_HOT) {
        return trawl_cuda_hot_plan(uploaded, request, plan, error);
    }
    if (plan->kernel == TRAWL_CUDA_AC_DFA_AC4_REGISTERS && request->form != TRAWL_CUDA_STATES) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "ac-dfa: kernel ac4-registers writes states only; ac4 is the same for "
                          "other results, with text in shared memory");
    }
    trawl_status status = plan_path(uploaded, request, plan, error);
    return status == TRAWL_OK ? plan_shape(uploaded, request, plan, error) : status;
}

/* ------------------------------------------------------------------ launching */

static trawl_status launch(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                           const trawl_cuda_slice *slice, const trawl_cuda_output *output,
                           void *workspace, cudaStream_t stream, trawl_error *error) {
    (void)workspace;
    const trawl_cuda_ac_dfa_tables *tables = (const trawl_cuda_ac_dfa_tables *)uploaded->tables;
    trawl_cuda_reporter reporter = {*slice, *output, uploaded->patterns};
    if (plan->kernel == TRAWL_CUDA_AC_DFA_HOT) {
        return trawl_cuda_hot_launch(uploaded, plan, &reporter, stream, error);
    }
    trawl_cuda_ac_dfa_launch launch;
    launch.plan = plan;
    launch.dfa = tables->dfa;
    launch.keys = uploaded->keys[0];
    launch.reporter = reporter;
    launch.blocks = trawl_cuda_block_count(slice, plan);
    launch.tile_before = trawl_cuda_tile_before(tables->dfa.overlap);
    launch.device = &uploaded->device;
    launch.stream = stream;
    switch (plan->kernel) {
    case TRAWL_CUDA_AC_DFA_AC0:
    case TRAWL_CUDA_AC_DFA_AC1:
        return trawl_cuda_ac_dfa_direct(&launch, error);
    case TRAWL_CUDA_AC_DFA_AC2:
        return trawl_cuda_ac_dfa_vector(&launch, error);
    case TRAWL_CUDA_AC_DFA_AC4_REGISTERS:
        return trawl_cuda_ac_dfa_registers(&launch, error);
    default:
        return trawl_cuda_ac_dfa_tile(&launch, error);
    }
}

const trawl_cuda_engine trawl_cuda_ac_dfa = {prepare, release, plan, launch, false, NULL};
