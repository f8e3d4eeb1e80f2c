/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The kernels of representation 3 with 32 counts (Charan 2015, 4.3.2). It has no complete rows. */
#include "engines/ac_nfa/cuda/walk.cuh"

trawl_status trawl_cuda_ac_nfa_offsets(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error) {
    return launch->tables->divergence_free
               ? trawl_nfa_launch<TRAWL_CUDA_NFA_OFFSETS, true>(launch, error)
               : trawl_nfa_launch<TRAWL_CUDA_NFA_OFFSETS, false>(launch, error);
}
