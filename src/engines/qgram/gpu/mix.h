/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Filters for most patterns, an automaton for those that are short and for runs of one byte. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_MIX_H
#define TRAWL_ENGINES_QGRAM_GPU_MIX_H

#include "engines/qgram/gpu/format.h"

void trawl_cuda_qgram_mix_release(trawl_cuda_qgram_mix *mix);

#endif
