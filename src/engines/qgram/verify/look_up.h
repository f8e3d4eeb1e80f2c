/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Looking up the ends of candidates (engines/qgram/look_up_word.h). */
#ifndef TRAWL_ENGINES_QGRAM_VERIFY_LOOK_UP_H
#define TRAWL_ENGINES_QGRAM_VERIFY_LOOK_UP_H

#include "engines/qgram/tier.h"

/* Sets lists->keys for the first `count` of lists->ends: the longest key of the tier that ends
 * there, or TRAWL_NO_KEY. With `some_known` only those are looked up that are TRAWL_NO_KEY before.
 */
void trawl_qgram_look_up_keys(trawl_tier_walker *walker, const trawl_window *window,
                              const trawl_qgram_lists *lists, size_t count, bool some_known);

#endif
