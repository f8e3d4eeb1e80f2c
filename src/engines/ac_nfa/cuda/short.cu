/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The kernels of representation 2 (Charan 2015, 4.3.2) with one word in a state's record. They have
 * no divergence-free step, since classes beyond the first 64 are found by a search. */
#include "engines/ac_nfa/cuda/walk.cuh"

trawl_status trawl_cuda_ac_nfa_short(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error) {
    return trawl_nfa_launch<TRAWL_CUDA_NFA_SHORT, false>(launch, error);
}
