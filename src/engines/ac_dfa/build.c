/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/allocate.h"
#include "base/status.h"
#include "engines/ac_dfa/part.h"
#include "engines/engines.h"

static const char *const variants[] = {"classes", "stt", "stt16", NULL};
static const char *const variant_summaries[] = {
    "a column for each class of bytes that no pattern tells apart; small entries",
    "table of Tran et al.: a column for each of 256 bytes, one for matches; 4-byte entries",
    "table of Zha & Sahni: a column for each of 256 bytes; 2-byte entries", NULL};

static const trawl_dfa_columns_kind columns_of[] = {TRAWL_DFA_BY_CLASS, TRAWL_DFA_BY_BYTE_STT,
                                                    TRAWL_DFA_BY_BYTE_STT16};

static trawl_status plan(trawl_build *build) {
    trawl_dfa_part *part = trawl_allocate_zeroed(1, sizeof *part);
    if (part == NULL) {
        return trawl_fail_memory(build->error, "planning ac-dfa", sizeof *part);
    }
    build->state = part;
    build->parts = 1;
    return trawl_dfa_part_plan(build, 0, NULL, 0, columns_of[build->variant], part);
}

static trawl_status fill(trawl_build *build) {
    return trawl_dfa_part_fill(build, 0, build->state);
}

static void release(trawl_build *build) {
    if (build->state != NULL) {
        trawl_dfa_part_release(build->state);
        trawl_release(build->state);
    }
}

static trawl_status validate(const trawl_db *db, trawl_error *error) {
    if (db->header->parts != 1) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's DFA has several parts");
    }
    return trawl_dfa_part_validate(db, 0, true, error);
}

#define ZHA "Zha & Sahni 2011"

static const trawl_kernel_entry kernels[] = {
    {"hot", "most visited states in shared memory, the others in the L2 cache", "trawl"},
    {"ac0", "byte reads, table in device memory, direct writes", ZHA ", IV-A, Fig. 4"},
    {"ac1", "ac0 with the table through the texture path", ZHA ", IV-A and VI-A"},
    {"ac2", "ac1 with 16 bytes per read, staged in shared memory", ZHA ", IV-B1"},
    {"ac3", "ac2 with coalesced loads by the block, odd words per thread", ZHA ", IV-B1, Fig. 5"},
    {"ac4", "ac3 that reads words; states staged in shared memory, written together",
     ZHA ", IV-B2"},
    {"ac4-registers", "ac4 with all text of a thread in registers; writes states only",
     ZHA ", IV-B2"},
    {NULL, NULL, NULL},
};

const trawl_engine trawl_engine_ac_dfa = {
    .description = {.name = "ac-dfa",
                    .summary =
                        "Aho-Corasick as one automaton (DFA): one table look-up for each byte",
                    .source =
                        "Zha & Sahni 2011, II and VI-A2; Tran et al. 2015, 4.1.2; Kouzinopoulos et "
                        "al. 2015, Algorithms 1-3",
                    .variants = variants,
                    .variant_summaries = variant_summaries},
    .tables = TRAWL_SECTION_DFA_HEADER,
    .plan = plan,
    .fill = fill,
    .release = release,
    .validate = validate,
    .walker = &trawl_walker_ac_dfa,
    .kernels = kernels,
    .zero_copy_kernel = "ac3",
};
