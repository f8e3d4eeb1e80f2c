/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The tuning numbers of qgram's kernels, a structure for each GPU architecture that has been tuned.
 *
 * All numbers were tuned on an H200 (sm_90) with 1 GiB and 64 MiB of text; experiments and their
 * outcomes are in docs/notebook/2026-11-gpu-qgram-steps.md. No other architecture has been tuned,
 * so the numbers of sm_90 are those of all.
 */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_TUNING_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_TUNING_CUH

#include <stdint.h>

/* For every architecture that has no structure of its own below. */
template <uint32_t COMPUTE_CAPABILITY> struct trawl_qgram_tuning {
    /* Filter step: threads of a block. One block fills a multiprocessor, so that the filters may
     * have all of its shared memory. */
    static constexpr uint32_t filter_threads = 1024;

    /* Vectors of 16 bytes that a thread loads at once: 4 make a batch of 2 KiB for a warp. With
     * more vectors, registers would be in local memory. */
    static constexpr uint32_t vectors = 4;

    /* The least number of batches of a strip. Short strips give all warps work, but each begins
     * with bytes that belong to the strip before it. */
    static constexpr uint32_t least_batches = 4;

    /* A strip is dense if it has more than one candidate for so many bytes; or for as many as the
     * second number, and so many times the mean of its block's strips before it. Dense strips are
     * divided into pieces and verified first. Three rules were measured, no other numbers
     * (docs/notebook/2026-11-gpu-candidates.md). */
    static constexpr uint32_t dense_bytes_per_candidate = 8;
    static constexpr uint32_t least_bytes_per_candidate = 256;
    static constexpr uint32_t dense_times_mean = 4;

    /* A piece of a dense strip: as many of its candidate words as have about so many candidates,
     * between the second and the third number. Chosen, not measured. */
    static constexpr uint32_t piece_candidates = 128;
    static constexpr uint32_t least_piece_words = 8;
    static constexpr uint32_t most_piece_words = 64;

    /* Verify step: threads of a block, and blocks of a multiprocessor for which there are
     * registers: when matches are counted or noted, the same with free anchors, and when matches
     * are reported. */
    static constexpr uint32_t verify_threads = 256;
    static constexpr uint32_t verify_blocks_counting = 4;
    static constexpr uint32_t verify_blocks_anchors = 4;
    static constexpr uint32_t verify_blocks_reporting = 3;

    /* Candidate words that a warp takes at a time of strips that are not dense: about as many of
     * all strips together; of one strip at most; and of one strip at least, if other strips have
     * fewer. */
    static constexpr uint32_t share_words = 256;
    static constexpr uint32_t most_share = 64;
    static constexpr uint32_t least_share = 32;

    /* If strips have fewer words than this on average, strips are not divided into shares: no warp
     * would have to wait long for another one. */
    static constexpr uint32_t few_words = 4;

    /* How many shares of pieces of dense strips there are for each warp, at least, before a share
     * has several pieces. */
    static constexpr uint32_t dense_shares_per_warp = 32;

    /* Records: the most batches of a strip, with an automaton beside the filters and without one.
     * Shorter strips give warps more equal shares of the records. */
    static constexpr uint32_t state_batches = 1;
    static constexpr uint32_t record_batches = 4;

    /* Records: a strip has room to note one hit for so many bytes. */
    static constexpr uint32_t bytes_per_hit = 16;

    /* How many times the threads of a warp take room for the hits of one strip together, before
     * each takes its own. Where hits are dense, those of a warp are of one or two strips. */
    static constexpr uint32_t strips_together = 2;

    /* Putting hits in order: threads of a block, and blocks of a multiprocessor for which there is
     * shared memory with one tier. */
    static constexpr uint32_t order_threads = 128;
    static constexpr uint32_t order_blocks = 5;

    /* Records of hits: threads of a block, and blocks of a multiprocessor. */
    static constexpr uint32_t record_threads = 128;
    static constexpr uint32_t record_blocks = 12;

    /* Records of an automaton's states: threads of a block, and blocks of a multiprocessor; states
     * whose counts are in shared memory, a byte each; and records of a list of a warp. */
    static constexpr uint32_t state_threads = 256;
    static constexpr uint32_t state_blocks = 4;
    static constexpr uint32_t state_counts = 16384;
    static constexpr uint32_t state_list = 512;

    /* Records of full strips: the most batches of a round, with one tier. More tiers share the
     * memory of its bitmaps (trawl_cuda_qgram_round). */
    static constexpr uint32_t most_round = 4;

    /* Kernel packed: threads of a block. Functions that report matches need more registers. */
    static constexpr uint32_t packed_threads = 1024;
    static constexpr uint32_t packed_threads_reporting = 512;

    /* Kernel sparse: threads of a block, and blocks of a multiprocessor for which there are
     * registers; samples that a thread has at once. */
    static constexpr uint32_t sparse_threads = 256;
    static constexpr uint32_t sparse_blocks = 5;
    static constexpr uint32_t sparse_blocks_reporting = 3;
    static constexpr uint32_t sparse_together = 4;

    /* Records of kernel packed: threads of a block, and blocks of a multiprocessor. */
    static constexpr uint32_t packed_record_threads = 256;
    static constexpr uint32_t packed_record_blocks = 4;
};

template <> struct trawl_qgram_tuning<90> : trawl_qgram_tuning<0> {};

/* What kernels and launches use. An architecture with other numbers needs kernels of its own, and a
 * launch that chooses between them by the device. */
using trawl_qgram_tuned = trawl_qgram_tuning<90>;

#endif
