/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The kernels of the packed representation, which has no divergence-free step. */
#include "engines/ac_nfa/cuda/walk.cuh"

trawl_status trawl_cuda_ac_nfa_packed(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error) {
    return trawl_nfa_launch<TRAWL_CUDA_NFA_PACKED, false>(launch, error);
}
