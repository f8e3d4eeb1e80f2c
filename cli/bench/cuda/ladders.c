/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The papers' ladders, and the figures that the papers give for them. */
#include "cli/bench/cuda/ladders.h"

#define COUNT(rungs) (sizeof(rungs) / sizeof *(rungs))

/* Zha & Sahni 2011, Table I: times at 10 MB and at 904 MB, as ratios to AC0's. */
#define ZHA_SAHNI(tables)                                                                          \
    {tables, "ac0", 0, 1, 1}, {tables, "ac1", 0, 22.92 / 11.85, 2158.31 / 1106.75},                \
        {tables, "ac2", 0, 22.92 / 8.19, 2158.31 / 747.73},                                        \
        {tables, "ac3", 0, 22.92 / 5.57, 2158.31 / 434.03}, {                                      \
        tables, "ac4", 0, 22.92 / 2.88, 2158.31 / 248.71                                           \
    }

static const bench_rung ac_stt[] = {ZHA_SAHNI("stt"), {"stt", "hot", 0, 0, 0}};
static const bench_rung ac_classes[] = {ZHA_SAHNI("classes"), {"classes", "hot", 0, 0, 0}};

/* Kouzinopoulos et al. 2015, 6: the text has a figure for the last stage only. */
#define KOUZINOPOULOS(tables, last)                                                                \
    {tables, "u", 0, 1, 1}, {tables, "tc", 0, 0, 0}, {tables, "cr", 0, 0, 0},                      \
        {tables, "r16", 0, 0, 0}, {                                                                \
        tables, "cw", 0, last, last                                                                \
    }

static const bench_rung ac_stages[] = {KOUZINOPOULOS("array", 1.66)};
static const bench_rung ac_compact_stages[] = {KOUZINOPOULOS("compact", 1.66)};
static const bench_rung wm_stages[] = {KOUZINOPOULOS("paper", 1.63)};
static const bench_rung wm_tuned_stages[] = {KOUZINOPOULOS("tuned", 1.63)};

/* Charan 2015 has no measurements. */
#define CHARAN(representation)                                                                     \
    {representation, "global", 0, 0, 0}, {representation "-divergence-free", "global", 0, 0, 0},   \
        {representation, "shared", 0, 0, 0},                                                       \
        {representation "-divergence-free", "shared", 0, 0, 0},                                    \
        {representation, "constant", 0, 0, 0}, {                                                   \
        representation "-divergence-free", "constant", 0, 0, 0                                     \
    }

static const bench_rung array_memories[] = {CHARAN("array")};
static const bench_rung bitmap_memories[] = {CHARAN("bitmap")};
static const bench_rung counts_memories[] = {CHARAN("bitmap-counts")};

/* Tran et al., 5.2.1, Fig. 13: m STTs over one, from the smallest to the largest set and text. */
#define TRAN_P1(tables)                                                                            \
    {tables, "p1", 1, 1, 1}, {tables, "p1", 4, 1.47, 2.73}, {                                      \
        tables, "p1", 8, 1.47, 2.73                                                                \
    }
#define TRAN_P2(tables)                                                                            \
    {tables, "p2", 1, 1, 1}, {tables, "p2", 4, 1.34, 1.86}, {                                      \
        tables, "p2", 8, 1.34, 1.86                                                                \
    }

static const bench_rung p1_stt[] = {TRAN_P1("stt")};
static const bench_rung p2_stt[] = {TRAN_P2("stt")};
/* The best of each: 75.8 and 692.7 Gbps. */
static const bench_rung p1_p2_stt[] = {{"stt", "p1", 8, 1, 1}, {"stt", "p2", 8, 9.14, 9.14}};
static const bench_rung p1_classes[] = {TRAN_P1("in-turn")};
static const bench_rung p2_classes[] = {TRAN_P2("in-turn")};

/* Nunes et al. 2018 compare with a CPU only. */
static const bench_rung rabin_karp_paper[] = {{"paper", "rolling", 0, 0, 0},
                                              {"paper", "prefix-sums", 0, 0, 0}};
static const bench_rung rabin_karp_grouped[] = {{"grouped", "rolling", 0, 0, 0}};

#define ZHA_SAHNI_SOURCE "Zha & Sahni 2011, Table I"
#define KOUZINOPOULOS_SOURCE "Kouzinopoulos et al. 2015, 6"
#define TRAN_SOURCE "Tran et al., 5.2.1"

const bench_ladder bench_ladders[] = {
    {"ac-dfa", "AC0..AC4, the papers' table", ZHA_SAHNI_SOURCE, ac_stt, COUNT(ac_stt)},
    {"ac-dfa", "AC0..AC4, byte classes", ZHA_SAHNI_SOURCE, ac_classes, COUNT(ac_classes)},
    {"ac-nfa", "U..CW, goto as an array", KOUZINOPOULOS_SOURCE, ac_stages, COUNT(ac_stages)},
    {"ac-nfa", "U..CW, compact", KOUZINOPOULOS_SOURCE, ac_compact_stages, COUNT(ac_compact_stages)},
    {"ac-nfa", "representation 1, failure loop and divergence-free", NULL, array_memories,
     COUNT(array_memories)},
    {"ac-nfa", "representation 2, failure loop and divergence-free", NULL, bitmap_memories,
     COUNT(bitmap_memories)},
    {"ac-nfa", "representation 3, failure loop and divergence-free", NULL, counts_memories,
     COUNT(counts_memories)},
    {"ac-split", "P-1, m tables over one", TRAN_SOURCE, p1_stt, COUNT(p1_stt)},
    {"ac-split", "P-2, m tables over one", TRAN_SOURCE, p2_stt, COUNT(p2_stt)},
    {"ac-split", "P-2 over P-1", TRAN_SOURCE, p1_p2_stt, COUNT(p1_p2_stt)},
    {"ac-split", "P-1, m tables over one, byte classes", TRAN_SOURCE, p1_classes,
     COUNT(p1_classes)},
    {"ac-split", "P-2, m tables over one, byte classes", TRAN_SOURCE, p2_classes,
     COUNT(p2_classes)},
    {"wu-manber", "U..CW, the paper's tables", KOUZINOPOULOS_SOURCE, wm_stages, COUNT(wm_stages)},
    {"wu-manber", "U..CW, tuned tables", KOUZINOPOULOS_SOURCE, wm_tuned_stages,
     COUNT(wm_tuned_stages)},
    {"rabin-karp", "rolling hashes, prefix sums", NULL, rabin_karp_paper, COUNT(rabin_karp_paper)},
    {"rabin-karp", "grouped", NULL, rabin_karp_grouped, COUNT(rabin_karp_grouped)},
    {NULL, NULL, NULL, NULL, 0},
};

/* Table IV at 904 MB. */
const char bench_paper_strategy_source[] = "Zha & Sahni 2011, Table IV";

double bench_paper_strategy_a(uint32_t segments) {
    static const struct {
        uint32_t segments;
        double milliseconds;
    } table[] = {{1, 770.13}, {2, 788.63}, {10, 785.55}, {100, 816.80}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].segments == segments)
            return table[0].milliseconds / table[i].milliseconds;
    }
    return 0;
}
