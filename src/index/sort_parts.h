/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sorts the suffixes of a text by two threads: the text is cut in two, each thread sorts one part,
 * and the parts are merged.
 *
 * The merge compares only about a thousand suffixes (like the merge of Burrows-Wheeler transforms
 * in Sirén 2009, "Compressed suffix arrays for massive data"). The first part is walked from its
 * end to its beginning. For each of its suffixes, one step of backward search in the second part
 * gives the number of smaller suffixes there. So the time is proportional to the length, whatever
 * the text. A step waits for memory; so the first part is divided into about a thousand walks,
 * many of which are under way at a time. The suffix that a walk begins with is searched for in the
 * second part.
 *
 * Where documents end near the middle, the text is cut behind one. Otherwise it is cut within a
 * document, and the first part is sorted together with the symbols that follow upon it. These end
 * in a border that the text does not have. No comparison of two suffixes of the first part reaches
 * that border if the added symbols occur nowhere before: a comparison that reached it would have
 * found them a second time. So the order is the one that the suffixes have in the whole text.
 */
#ifndef TRAWL_INDEX_SORT_PARTS_H
#define TRAWL_INDEX_SORT_PARTS_H

#include "base/team.h"
#include "index/builder.h"

/* Where a text is cut. */
typedef struct trawl_text_cut {
    size_t at;    /* the first symbol of the second part */
    size_t added; /* symbols from `at` on that the first part is sorted with; 0: a document ends */
} trawl_text_cut;

/* Whether two threads can share the sort, and where the text is cut. They cannot if the text is
 * short, if it is too long for 32 bits, or if it repeats itself wherever it could be cut. */
bool trawl_cut_text(const trawl_index_builder *text, trawl_text_cut *cut);

/* Returns the sorted suffixes, which the caller frees; NULL: out of memory. Memory for each of n
 * symbols: suffixes of the parts 4 bytes; in a first step 1 for a copy of the first part, if it is
 * cut within a document; then for half of them 4 bytes for what is walked and 1.1 to 5.2 for ranks
 * (index/part_rank.h), or 4 for the result. */
int32_t *trawl_sort_parts(const trawl_index_builder *text, const trawl_text_cut *cut,
                          trawl_team *team, uint32_t members);

#endif
