/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * ac-dfa on the device: what its files have in common.
 *
 *     engine.cu        the engine: preparing, planning, which kernel is launched
 *     walk.cuh         the automaton's step in the four layouts, and what follows a step
 *     direct.cu        ac0, ac1   (Zha & Sahni 2011, IV-A)
 *     vector.cu        ac2        (IV-B1)
 *     tile.cuh         text and states of a block in shared memory
 *     tile.cu          ac3, ac4   (IV-B1, IV-B2)
 *     registers.cu     ac4-registers   (IV-B2)
 *     hot.cuh          hot: the tables of the most visited states
 *     hot_tables.cu    fills them when a database is uploaded
 *     hot.cu           plans a launch
 *     hot_report.cu    the walk that counts and reports
 *     hot_states.cu    the walk that writes states
 *     ../state_ranks.c which states are visited most; plain C
 */
#ifndef TRAWL_ENGINES_AC_DFA_CUDA_ENGINE_CUH
#define TRAWL_ENGINES_AC_DFA_CUDA_ENGINE_CUH

extern "C" {
#include "automaton/dfa.h"
#include "constants/gpu.h"
}

#include "gpu/contract.cuh"

/* The kernels, in the order of `kernels` in ../build.c. */
enum {
    TRAWL_CUDA_AC_DFA_HOT,
    TRAWL_CUDA_AC_DFA_AC0,
    TRAWL_CUDA_AC_DFA_AC1,
    TRAWL_CUDA_AC_DFA_AC2,
    TRAWL_CUDA_AC_DFA_AC3,
    TRAWL_CUDA_AC_DFA_AC4,
    TRAWL_CUDA_AC_DFA_AC4_REGISTERS /* form STATES only */
};

/* The database's automaton, with the members of trawl_dfa_view (engines/ac_dfa/lanes.h). Passed to
 * kernels by value. */
typedef struct trawl_cuda_dfa {
    uint32_t layout; /* trawl_dfa_layout */
    const void *table;
    cudaTextureObject_t texture; /* over the table; 0 if the table is too large for one */
    const uint8_t *class_of;
    const uint32_t *output;
    uint32_t states;
    uint32_t first_match; /* wide: a table offset, that is number * columns */
    uint32_t classes;
    uint32_t columns;
    uint32_t shift;       /* narrow, STT16: log2 of the columns; wide: their trailing zero bits */
    uint32_t inverse;     /* wide: of the odd part of the columns, modulo 2^32 */
    uint32_t verify;      /* some keys need verification */
    uint32_t overlap;     /* max_length - 1 */
    uint32_t wide_states; /* the output array of states has 4 bytes for each, else 2 */
} trawl_cuda_dfa;

struct trawl_cuda_hot;

/* uploaded->tables of this engine. */
typedef struct trawl_cuda_ac_dfa_tables {
    trawl_cuda_dfa dfa;
    trawl_error obstacle; /* why there is no texture; status TRAWL_OK: there is one */
    struct trawl_cuda_hot *hot;
} trawl_cuda_ac_dfa_tables;

/* One launch of a kernel of the paper. */
typedef struct trawl_cuda_ac_dfa_launch {
    const trawl_cuda_launch_plan *plan;
    trawl_cuda_dfa dfa;
    trawl_cuda_keys keys;
    trawl_cuda_reporter reporter;
    uint32_t blocks;
    uint32_t tile_before; /* ac3, ac4, ac4-registers: bytes before the block's own that are in the
                             tile */
    const trawl_cuda_device *device;
    cudaStream_t stream;
} trawl_cuda_ac_dfa_launch;

/* A view of the automaton of one part of an ac-dfa or ac-split database; without a texture. */
void trawl_cuda_dfa_view(const trawl_cuda_db *uploaded, uint32_t part, trawl_cuda_dfa *dfa);

trawl_status trawl_cuda_ac_dfa_direct(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error);
trawl_status trawl_cuda_ac_dfa_vector(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error);
trawl_status trawl_cuda_ac_dfa_tile(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error);
trawl_status trawl_cuda_ac_dfa_registers(const trawl_cuda_ac_dfa_launch *launch,
                                         trawl_error *error);

/* Bytes of shared memory of a block. */
uint32_t trawl_cuda_ac_dfa_vector_shared(uint32_t threads);
uint32_t trawl_cuda_ac_dfa_tile_shared(const trawl_cuda_launch_plan *plan, trawl_cuda_form form,
                                       uint32_t before);
uint32_t trawl_cuda_ac_dfa_registers_shared(const trawl_cuda_launch_plan *plan, uint32_t before);

/* hot: makes tables->hot; plans and launches its walks. */
trawl_status trawl_cuda_hot_make(const trawl_cuda_db *uploaded, const trawl_cuda_dfa *dfa,
                                 const uint8_t *sample, size_t sample_length,
                                 struct trawl_cuda_hot **hot, trawl_error *error);
void trawl_cuda_hot_release(struct trawl_cuda_hot *hot);
trawl_status trawl_cuda_hot_plan(const trawl_cuda_db *uploaded,
                                 const trawl_cuda_launch_request *request,
                                 trawl_cuda_launch_plan *plan, trawl_error *error);
trawl_status trawl_cuda_hot_launch(const trawl_cuda_db *uploaded,
                                   const trawl_cuda_launch_plan *plan,
                                   const trawl_cuda_reporter *reporter, cudaStream_t stream,
                                   trawl_error *error);

#endif
