/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Tuning numbers of the CUDA kernels of the automata, wu-manber and rabin-karp, of sorting and of
 * rows. qgram's are in engines/qgram/cuda, those of copies over the link in
 * run/gpu/transfer/tuning.h.
 *
 * Numbers that are compiled into kernels are the same on all devices: a program holds kernels for
 * several architectures, and the host computes with the same numbers. Numbers that only a launch
 * needs are in trawl_gpu_tuning, a row of it for each architecture (tuning.c). A caller's own
 * wishes (trawl_cuda_scan) come before them.
 *
 * Numbers from a paper are what its kernel is defined by. All others were chosen on an H200.
 */
#ifndef TRAWL_GPU_TUNING_H
#define TRAWL_GPU_TUNING_H

#include <stdint.h>

/* ------------------------------------------------------------------ compiled into kernels */

/* hot: bytes of text that a thread reads at once. 32 bytes are a whole sector of memory, so nothing
 * is read twice although the threads of a warp read far apart. */
#define TRAWL_HOT_READ_BYTES 32u

/* hot: bytes of shared memory for each thread in which states, or noted matches, are gathered.
 * More would take rows from the table of the most visited states. */
#define TRAWL_HOT_STAGE_BYTES 64u

/* ac4: words of states that a thread gathers before its block writes them: 128 bytes, a line. One
 * word more lies between rows, so that they begin in different banks (Zha & Sahni 2011, IV-B2). */
#define TRAWL_AC4_STAGE_WORDS 32u
#define TRAWL_AC4_STAGE_STRIDE (TRAWL_AC4_STAGE_WORDS + 1)

/* ac4-registers: 4-byte words of text that a thread keeps in registers, at most: S_thread of Zha &
 * Sahni 2011, VI-A. The words of all threads of a block must fit into the 65,536 registers of a
 * multiprocessor, which bounds the threads. */
#define TRAWL_AC4_REGISTERS_WORDS 57u
#define TRAWL_AC4_REGISTERS_THREADS 512u

/* rabin-karp: threads of the block that hashes one string. Not measured: patterns are hashed once,
 * when a database is uploaded. */
#define TRAWL_HASHING_THREADS 64u

/* rolling, variant grouped: windows that are hashed before the candidates among them are looked up.
 * A bit for each has to stay in registers. */
#define TRAWL_ROLLING_STRETCH 256u

/* prefix-sums, steps: bytes of a strip. A warp's vote is the mask of a strip's candidates, which
 * has 32 bits. */
#define TRAWL_SUMS_STRIP_BYTES 32u

/* prefix-sums: most threads of a block, which bounds a thread's registers to 128. */
#define TRAWL_SUMS_MOST_THREADS 512u

/* prefix-sums: positions whose sums are loaded before the first of them is used. */
#define TRAWL_SUMS_STEPS_AHEAD 8u

/* rows, leftmost kinds: matches of a chunk, from which a block selects where a stretch is long
 * (run/gpu/row_select.cu). A chunk is a block of threads. Not measured. */
#define TRAWL_ROW_CHUNK 512u

/* Matches of a strip up to which insertion sort is used; above it heapsort, whose worst case is
 * bounded. */
#define TRAWL_SORT_FEW 16u

/* Most bytes before a block's own that a tile holds. What a longer overlap needs is read from
 * device memory: very long patterns are rare, and shared memory is scarce. */
#define TRAWL_CUDA_MOST_TILE_BEFORE 4096u

/* Most bytes of text of a block, if the caller chooses them: products with the number of threads
 * then stay in 32 bits. */
#define TRAWL_CUDA_MOST_BLOCK_BYTES (UINT32_C(1) << 24)

/* ------------------------------------------------------------------ for launches */

/* A block's threads, and the bytes of a strip. */
typedef struct trawl_gpu_shape {
    uint32_t block_threads;
    uint32_t strip_bytes;
} trawl_gpu_shape;

typedef struct trawl_gpu_tuning {
    int capability; /* major number of the compute capability from which on the row holds */

    /* Threads that a multiprocessor is expected to run at the same time, for kernels that launch as
     * many blocks as run at once. */
    uint32_t resident_threads;

    trawl_gpu_shape zha;         /* ac0 to ac4 */
    uint32_t hot_table_threads;  /* hot: a block that fills the tables */
    uint32_t hot_table_blocks;   /* hot: most such blocks */
    uint32_t nfa_tile_bytes;     /* cr, r16, cw: text of a block */
    uint32_t nfa_threads;        /* all kernels of ac-nfa but `shared`: of a block */
    uint32_t nfa_least_bytes;    /* global, shared, constant: least strip */
    uint32_t nfa_useful_bytes;   /* the same: longer strips only for long patterns */
    trawl_gpu_shape split_p1;    /* ac-split */
    trawl_gpu_shape split_p2;    /* ac-split; strips are doubled up to the longest length */
    uint32_t split_block_bytes;  /* ac-split: bytes of a block's text, at most */
    uint32_t wu_manber_threads;  /* of a block */
    uint32_t wu_manber_bytes;    /* text of a block */
    trawl_gpu_shape rolling;     /* strips have a window's length, but at least this one */
    uint32_t rolling_most_bytes; /* longest strip */
    uint32_t sums_threads;       /* prefix-sums: of a block */
    uint32_t sums_rounds;        /* blocks for each that runs at once: they then end together */
    uint64_t sums_slice;         /* owned bytes of a slice: bounds the workspace of sums */
    uint32_t sort_strip_threads; /* sorting each strip: of a block */
    uint32_t sort_end_threads;   /* sorting equal ends: of a block */
    uint32_t sort_end_blocks;
    uint32_t counter_threads; /* adding counters of patterns or threads: of a block */
    uint32_t counter_blocks;  /* most blocks that give a key's hits to its patterns */
    uint32_t row_threads;     /* rows: of a block */
    uint32_t row_blocks;      /* rows: most blocks that share the matches of a piece, or the rows */
} trawl_gpu_tuning;

/* The row for devices of this major number of the compute capability. */
const trawl_gpu_tuning *trawl_gpu_tuning_for(int capability);

#endif
