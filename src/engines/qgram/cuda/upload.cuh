/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The tables of engine qgram on a device (upload.cu). */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_UPLOAD_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_UPLOAD_CUH

#include "engines/ac_dfa/cuda/hot.cuh"
#include "engines/qgram/cuda/automaton_records.cuh"
#include "engines/qgram/cuda/packed.cuh"
#include "engines/qgram/cuda/sparse.cuh"

/* uploaded->tables of this engine. */
typedef struct trawl_cuda_qgram_uploaded {
    trawl_cuda_qgram_view view;
    trawl_cuda_packed_view packed;
    trawl_cuda_sparse_view sparse;
    /* Why kernels packed and sparse are not possible; status TRAWL_OK: they are. */
    trawl_error packed_obstacle, sparse_obstacle;
    bool packed_pays, sparse_pays;
    uint8_t *memory; /* device memory of all arrays */
    /* The automaton that counts frequent patterns, whose tiers come after the first filter_tiers;
     * NULL: there is none. */
    trawl_cuda_db *automaton;
    trawl_db *automaton_db;
    uint32_t filter_tiers, filter_tier_words;
    trawl_cuda_qgram_chains chains; /* for records of its matches; 0 states: the tiers make them */
} trawl_cuda_qgram_uploaded;

/* `prepare` and `release` of trawl_cuda_engine (gpu/contract.cuh). */
trawl_status trawl_cuda_qgram_prepare(trawl_cuda_db *uploaded, const uint8_t *sample,
                                      size_t sample_length, trawl_error *error);
void trawl_cuda_qgram_release(trawl_cuda_db *uploaded);

#endif
