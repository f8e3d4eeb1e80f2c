/* Which tiers a device gets: which lengths together, which samples, in which memory. */
#ifndef TRAWL_CUDA_QGRAM_CHOOSE_H
#define TRAWL_CUDA_QGRAM_CHOOSE_H

#include "cuda/qgram.h"

/*
 * Chooses the tiers of a set for a device that gives tables `shared_bytes` of shared memory, by
 * what FILTER lets through of the sample. Without a sample (NULL or too short), text is made up of
 * short pieces of the patterns. Fills layout->tiers and the tiers up to align_bits.
 */
trawl_status trawl_cuda_qgram_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                     size_t sample_length, size_t shared_bytes,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error);

#endif
