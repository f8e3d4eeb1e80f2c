/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "scan/candidates.h"

#include "base/allocate.h"
#include "base/status.h"

void trawl_endings_open(const trawl_db *db, uint32_t part, trawl_endings_search *search) {
    trawl_outputs_view(db, part, &search->view.outputs);
    search->view.endings = trawl_db_section(db, TRAWL_SECTION_KEY_ENDING, part, NULL);
    search->view.patterns = db->patterns;
    search->view.folded = db->header->folded != 0;
    search->hits = NULL;
    search->compared = 0;
    search->cases = (trawl_case_counter){.words = NULL};
}

void trawl_endings_close(trawl_endings_search *search) {
    trawl_release(search->hits);
    trawl_case_counter_release(&search->cases);
}

void trawl_endings_search_reserve(trawl_endings_search *search) {
    trawl_case_counter_reserve(&search->cases, &search->view.outputs, &search->view.patterns);
}

trawl_status trawl_endings_begin(trawl_endings_search *search, const trawl_consumer *consumer,
                                 trawl_error *error) {
    search->last = (trawl_last_start)TRAWL_LAST_START;
    if (consumer->sink == NULL && consumer->counts->per_pattern != NULL && search->hits == NULL) {
        search->hits = trawl_allocate_zeroed(search->view.outputs.keys, sizeof *search->hits);
        if (search->hits == NULL) {
            return trawl_fail_memory(error, "counting patterns",
                                     (uint64_t)search->view.outputs.keys * sizeof *search->hits);
        }
    }
    return TRAWL_OK;
}

void trawl_endings_settle(trawl_endings_search *search, trawl_counts *counts) {
    if (search->hits != NULL) {
        trawl_emit_hits(&search->view.outputs, counts, search->hits);
    }
}

uint32_t trawl_endings_find(trawl_endings_search *search, uint32_t first, uint32_t last,
                            size_t known, const uint8_t *text, size_t end, uint64_t ending) {
    return trawl_endings_find_in(&search->view, first, last, known, text, end, ending,
                                 &search->compared);
}
