/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Whether an automaton takes the frequent patterns of a set, and which patterns these are. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_FREQUENT_AUTOMATON_H
#define TRAWL_ENGINES_QGRAM_GPU_FREQUENT_AUTOMATON_H

#include "engines/qgram/gpu/format.h"

void trawl_cuda_qgram_automaton_release(trawl_cuda_qgram_automaton *automaton);

#endif
