/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * ac-nfa on the device: what its files have in common.
 *
 *     engine.cu            the engine: preparing, planning, which walk is launched
 *     step.cuh             goto and failure in each representation, over each path to the tables;
 *                          the failure walk and the divergence-free step
 *     walk.cuh             the kernels, and how one of them is launched
 *     constant.cu          whose tables are in constant memory
 *     REPRESENTATION.cu    the kernels of one representation: a file for each, as there are many
 */
#ifndef TRAWL_ENGINES_AC_NFA_CUDA_ENGINE_CUH
#define TRAWL_ENGINES_AC_NFA_CUDA_ENGINE_CUH

extern "C" {
#include "engines/ac_nfa/variants.h"
}

#include "gpu/contract.cuh"

/* The kernels, in the order of `kernels` in ../build.c. */
enum {
    TRAWL_CUDA_AC_NFA_CW,
    TRAWL_CUDA_AC_NFA_U,
    TRAWL_CUDA_AC_NFA_TC,
    TRAWL_CUDA_AC_NFA_CR,
    TRAWL_CUDA_AC_NFA_R16,
    TRAWL_CUDA_AC_NFA_GLOBAL,
    TRAWL_CUDA_AC_NFA_SHARED,
    TRAWL_CUDA_AC_NFA_CONSTANT,
    TRAWL_CUDA_AC_NFA_FIT /* one of the three before it */
};

/* One table: where it is, its texture (0 if it is too large for one), and where its copy begins in
 * shared or constant memory, in units of 16 bytes. */
typedef struct trawl_cuda_nfa_table {
    const void *memory;
    cudaTextureObject_t texture;
    uint32_t bytes; /* 0 if the representation has no such table, or copies would be too large */
    uint32_t place;
} trawl_cuda_nfa_table;

enum {
    TRAWL_CUDA_NFA_CLASSES, /* uint8_t */
    TRAWL_CUDA_NFA_TOP,     /* uint32_t, as in the tables below */
    TRAWL_CUDA_NFA_STATES,  /* packed, short: uint4 */
    TRAWL_CUDA_NFA_FAILURE, /* array representation */
    TRAWL_CUDA_NFA_WIDE,
    TRAWL_CUDA_NFA_TABLES
};

/* The database's automaton (automaton/nfa.h), passed to kernels by value. */
typedef struct trawl_cuda_nfa {
    trawl_cuda_nfa_table tables[TRAWL_CUDA_NFA_TABLES];
    uint32_t record_words; /* 4-byte words of a state's record */
    uint32_t words;        /* 4-byte words of a bitmap */
    uint32_t wide_rows;
    uint32_t wide_words; /* 4-byte words of a row of `wide` */
    uint32_t levels;
    uint32_t copy_bytes; /* of a copy of all tables; UINT32_MAX if that is too large */
    /* From a matching state to its key: read for matches only, and always from device memory. */
    const unsigned long long *matching;
    const uint32_t *rank;
    const uint32_t *output;
} trawl_cuda_nfa;

/*
 * A copy of the tables in constant memory, a __constant__ array: all that a device has, room for
 * 1,630 states of thesis-2 with 40 bytes each (Charan 2015, 4.4, counts on about 2,000) or 4,080 of
 * 16 bytes. A parameter of the launch would belong to that launch alone, but holds 32,764 bytes.
 *
 * A program has one such array for each representation's file and each device. Its holder is the
 * database whose tables it has (or will have, when the work in the streams is done). Launches that
 * use the array take turns: each waits, on the device, for the one before. Only in a turn may the
 * tables of another database replace those of the holder.
 */
#define TRAWL_CUDA_NFA_CONSTANT_BYTES 65536u
#define TRAWL_CUDA_NFA_CONSTANT_DEVICES 64 /* whose holders are known */

/* How a step is made. This follows from the representation; bitmaps with records of one word
 * (SHORT) have a step of their own. */
enum trawl_cuda_nfa_form {
    TRAWL_CUDA_NFA_PACKED,
    TRAWL_CUDA_NFA_ARRAY,
    TRAWL_CUDA_NFA_BITMAP,
    TRAWL_CUDA_NFA_SHORT,
    TRAWL_CUDA_NFA_COUNTS,
    TRAWL_CUDA_NFA_OFFSETS,
    TRAWL_CUDA_NFA_FORMS
};

/* What a kernel does besides walking; equal for all its threads. */
typedef struct trawl_cuda_nfa_shape {
    uint32_t strip_bytes;
    uint32_t overlap;        /* max_length - 1 */
    uint32_t tiles;          /* number of blocks' texts in the slice */
    uint32_t tile_before;    /* bytes before the block's own that its tile has too */
    uint32_t tile_bytes;     /* of text in shared memory, a multiple of 16; 0 without tiles */
    uint32_t state_bytes;    /* 2 or 4: an entry of the output array */
    bool wide_reads;         /* tiles are read 16 bytes at a time */
    bool staged_states;      /* states go to shared memory first and are written together */
    bool coalesced;          /* counters are kept in registers and written once */
    trawl_counter *counters; /* COUNT: one for each thread of the grid; NULL: added up at once */
} trawl_cuda_nfa_shape;

/* uploaded->tables of this engine. */
typedef struct trawl_cuda_ac_nfa_tables {
    trawl_cuda_nfa nfa;
    enum trawl_cuda_nfa_form form;
    bool divergence_free;
    bool complete_top;
    bool verify;
    trawl_error obstacle;  /* why a table has no texture; TRAWL_OK if all have one */
    bool fits_constant;    /* into constant memory */
    cudaEvent_t last_read; /* the end of the last launch that read them in constant memory; NULL:
                              they do not fit into it */
} trawl_cuda_ac_nfa_tables;

/* One launch. */
typedef struct trawl_cuda_ac_nfa_launch {
    const trawl_cuda_launch_plan *plan;
    const trawl_cuda_ac_nfa_tables *tables;
    trawl_cuda_nfa_shape shape;
    trawl_cuda_keys keys;
    trawl_cuda_reporter reporter;
    uint32_t blocks;
    const trawl_cuda_device *device;
    cudaStream_t stream;
} trawl_cuda_ac_nfa_launch;

/* Begins a turn in constant memory: the launch's stream waits for the turn before, and *filled says
 * whether the array already has these tables. Ended by trawl_cuda_nfa_constant_end, if TRAWL_OK is
 * returned. */
trawl_status trawl_cuda_nfa_constant_begin(const trawl_cuda_ac_nfa_launch *launch, bool *filled,
                                           trawl_error *error);

/* Ends the turn. `status` is that of what was put into the stream; returned unless ending fails. */
trawl_status trawl_cuda_nfa_constant_end(const trawl_cuda_ac_nfa_launch *launch,
                                         trawl_status status, trawl_error *error);

/* Says that these tables are about to be freed. No turn of theirs may be under way. */
void trawl_cuda_nfa_constant_forget(const trawl_cuda_ac_nfa_tables *tables);

trawl_status trawl_cuda_ac_nfa_packed(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error);
trawl_status trawl_cuda_ac_nfa_array(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error);
trawl_status trawl_cuda_ac_nfa_bitmap(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error);
trawl_status trawl_cuda_ac_nfa_short(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error);
trawl_status trawl_cuda_ac_nfa_counts(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error);
trawl_status trawl_cuda_ac_nfa_offsets(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error);

#endif
