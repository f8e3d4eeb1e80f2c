/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * All engines, a line each, in the order in which `trawl engines` and `bench` show them. The files
 * that include this list define ENGINE and ENGINE_WITH_KERNELS; the latter is for engines that also
 * run on CUDA devices. There is no include guard: the list is included several times.
 */
ENGINE_WITH_KERNELS(ac_dfa)
ENGINE_WITH_KERNELS(ac_nfa)
ENGINE_WITH_KERNELS(ac_split)
ENGINE_WITH_KERNELS(wu_manber)
ENGINE_WITH_KERNELS(rabin_karp)
ENGINE_WITH_KERNELS(qgram)
