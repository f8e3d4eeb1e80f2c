/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The merge needs no comparison of suffixes (as the merge of Burrows-Wheeler transforms in Sirén
 * 2009, "Compressed suffix arrays for massive data"). Each document of one part is walked from its
 * border to its first byte. For each of its suffixes, one step of backward search in the other part
 * gives the number of smaller suffixes there. So the time is proportional to the length, whatever
 * the text.
 */
#ifndef TRAWL_INDEX_SORT_PARTS_H
#define TRAWL_INDEX_SORT_PARTS_H

#include "base/team.h"
#include "index/builder.h"

/* Where a text is cut. */
typedef struct trawl_text_cut {
    size_t document;   /* the first document of the second part */
    bool walks_second; /* the second part is walked; false: the first */
} trawl_text_cut;

/* Whether two threads can share the sort, and where the text is cut. They cannot if the text is
 * short or too long for 32 bits, if no border is near the middle, or if both parts have a long
 * document: a step of a walk waits for memory, and other documents have to be walked in that
 * time. */
bool trawl_cut_text(const trawl_index_builder *text, trawl_text_cut *cut);

/* Returns the sorted suffixes, which the caller frees; NULL: out of memory. Memory for each of n
 * symbols: suffixes of the parts 4 bytes; then for half of them 4 bytes for what is walked and 1.1
 * to 5.2 for ranks (index/part_rank.h), or 4 for the result. */
int32_t *trawl_sort_parts(const trawl_index_builder *text, const trawl_text_cut *cut,
                          trawl_team *team, uint32_t members);

#endif
