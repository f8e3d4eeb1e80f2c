/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * All engines, one line each, in the order in which `trawl engines` and `trawl bench` show them.
 * Each file that includes the list defines ENGINE and ENGINE_WITH_KERNELS before; the latter is for
 * engines that have kernels for CUDA devices. There is no include guard, as it is included several
 * times.
 */
ENGINE_WITH_KERNELS(ac_dfa)
ENGINE_WITH_KERNELS(ac_nfa)
ENGINE_WITH_KERNELS(ac_split)
ENGINE_WITH_KERNELS(wu_manber)
ENGINE_WITH_KERNELS(rabin_karp)
ENGINE_WITH_KERNELS(qgram)
