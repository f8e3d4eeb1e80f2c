/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The papers' ladders, and the figures that the papers give for them. */
#include "cli/bench/cuda/ladders.h"

#define COUNT(rungs) (sizeof(rungs) / sizeof *(rungs))

/* Zha & Sahni 2011, Table I: AC0's time divided by the rung's, at 10 MB and at 904 MB. */
static const bench_rung zha_sahni[] = {
    {NULL, "ac0", 0, 1, 1},
    {NULL, "ac1", 0, 22.92 / 11.85, 2158.31 / 1106.75},
    {NULL, "ac2", 0, 22.92 / 8.19, 2158.31 / 747.73},
    {NULL, "ac3", 0, 22.92 / 5.57, 2158.31 / 434.03},
    {NULL, "ac4", 0, 22.92 / 2.88, 2158.31 / 248.71},
    {NULL, "ac4-registers", 0, 22.92 / 2.88, 2158.31 / 248.71},
    {NULL, "hot", 0, 0, 0},
};

/* Kouzinopoulos et al. 2015, 6: the text has a figure for the last stage only. */
static const bench_rung kouzinopoulos_ac[] = {
    {NULL, "u", 0, 1, 1},   {NULL, "tc", 0, 0, 0},       {NULL, "cr", 0, 0, 0},
    {NULL, "r16", 0, 0, 0}, {NULL, "cw", 0, 1.66, 1.66},
};
static const bench_rung kouzinopoulos_wm[] = {
    {NULL, "u", 0, 1, 1},   {NULL, "tc", 0, 0, 0},       {NULL, "cr", 0, 0, 0},
    {NULL, "r16", 0, 0, 0}, {NULL, "cw", 0, 1.63, 1.63},
};

/* Charan 2015 has no measurements. */
static const bench_rung charan_array[] = {
    {"array", "global", 0, 0, 0},   {"array-divergence-free", "global", 0, 0, 0},
    {"array", "shared", 0, 0, 0},   {"array-divergence-free", "shared", 0, 0, 0},
    {"array", "constant", 0, 0, 0}, {"array-divergence-free", "constant", 0, 0, 0},
};
static const bench_rung charan_bitmap[] = {
    {"bitmap", "global", 0, 0, 0},   {"bitmap-divergence-free", "global", 0, 0, 0},
    {"bitmap", "shared", 0, 0, 0},   {"bitmap-divergence-free", "shared", 0, 0, 0},
    {"bitmap", "constant", 0, 0, 0}, {"bitmap-divergence-free", "constant", 0, 0, 0},
};
static const bench_rung charan_counts[] = {
    {"bitmap-counts", "global", 0, 0, 0},   {"bitmap-counts-divergence-free", "global", 0, 0, 0},
    {"bitmap-counts", "shared", 0, 0, 0},   {"bitmap-counts-divergence-free", "shared", 0, 0, 0},
    {"bitmap-counts", "constant", 0, 0, 0}, {"bitmap-counts-divergence-free", "constant", 0, 0, 0},
};

/* The records of the thesis as they are: 256 bits, and 32 counts. */
static const bench_rung charan_thesis_2[] = {
    {"thesis-2", "global", 0, 0, 0},   {"thesis-2-divergence-free", "global", 0, 0, 0},
    {"thesis-2", "shared", 0, 0, 0},   {"thesis-2-divergence-free", "shared", 0, 0, 0},
    {"thesis-2", "constant", 0, 0, 0}, {"thesis-2-divergence-free", "constant", 0, 0, 0},
};
static const bench_rung charan_thesis_3[] = {
    {"thesis-3", "global", 0, 0, 0},   {"thesis-3-divergence-free", "global", 0, 0, 0},
    {"thesis-3", "shared", 0, 0, 0},   {"thesis-3-divergence-free", "shared", 0, 0, 0},
    {"thesis-3", "constant", 0, 0, 0}, {"thesis-3-divergence-free", "constant", 0, 0, 0},
};

/* Tran et al., 5.2.1, Fig. 13: m STTs over one, from the smallest to the largest set and text. */
static const bench_rung tran_p1[] = {
    {NULL, "p1", 1, 1, 1}, {NULL, "p1", 4, 1.47, 2.73}, {NULL, "p1", 8, 1.47, 2.73}};
static const bench_rung tran_p2[] = {
    {NULL, "p2", 1, 1, 1}, {NULL, "p2", 4, 1.34, 1.86}, {NULL, "p2", 8, 1.34, 1.86}};
/* The best of each: 75.8 and 692.7 Gbps. */
static const bench_rung tran_p1_p2[] = {{NULL, "p1", 8, 1, 1}, {NULL, "p2", 8, 9.14, 9.14}};

/* Fig. 19: P-2 without bank conflicts over P-2 with, 1.72 to 4.48. */
static const bench_rung tran_conflicts[] = {{NULL, "p2-conflicts", 1, 1, 1},
                                            {NULL, "p2", 1, 1.72, 4.48}};

/* Nunes et al. 2018 compare with a CPU only. */
static const bench_rung nunes[] = {{NULL, "rolling", 0, 0, 0}, {NULL, "prefix-sums", 0, 0, 0}};
static const bench_rung grouped[] = {{NULL, "rolling", 0, 0, 0}};

static const char zha_sahni_source[] = "Zha & Sahni 2011, Table I";
static const char kouzinopoulos_source[] = "Kouzinopoulos et al. 2015, 6";
static const char tran_source[] = "Tran et al., 5.2.1";

const bench_ladder bench_ladders[] = {
    {"ac-dfa", "stt16", "AC0..AC4, the paper's table", zha_sahni_source, zha_sahni,
     COUNT(zha_sahni)},
    {"ac-dfa", "classes", "AC0..AC4, byte classes", zha_sahni_source, zha_sahni, COUNT(zha_sahni)},
    {"ac-nfa", "array", "U..CW, goto as an array", kouzinopoulos_source, kouzinopoulos_ac,
     COUNT(kouzinopoulos_ac)},
    {"ac-nfa", "compact", "U..CW, compact", kouzinopoulos_source, kouzinopoulos_ac,
     COUNT(kouzinopoulos_ac)},
    {"ac-nfa", NULL, "representation 1, failure loop and divergence-free", NULL, charan_array,
     COUNT(charan_array)},
    {"ac-nfa", NULL, "representation 2, failure loop and divergence-free", NULL, charan_bitmap,
     COUNT(charan_bitmap)},
    {"ac-nfa", NULL, "representation 3, failure loop and divergence-free", NULL, charan_counts,
     COUNT(charan_counts)},
    {"ac-nfa", NULL, "representation 2 as in the thesis, 256 bits", NULL, charan_thesis_2,
     COUNT(charan_thesis_2)},
    {"ac-nfa", NULL, "representation 3 as in the thesis, 32 counts", NULL, charan_thesis_3,
     COUNT(charan_thesis_3)},
    {"ac-split", "stt", "P-1, m tables over one", tran_source, tran_p1, COUNT(tran_p1)},
    {"ac-split", "stt", "P-2, m tables over one", tran_source, tran_p2, COUNT(tran_p2)},
    {"ac-split", "stt", "P-2 over P-1", tran_source, tran_p1_p2, COUNT(tran_p1_p2)},
    {"ac-split", "stt", "P-2 without and with bank conflicts", "Tran et al., Fig. 19",
     tran_conflicts, COUNT(tran_conflicts)},
    {"ac-split", "in-turn", "P-1, m tables over one, byte classes", tran_source, tran_p1,
     COUNT(tran_p1)},
    {"ac-split", "in-turn", "P-2, m tables over one, byte classes", tran_source, tran_p2,
     COUNT(tran_p2)},
    {"wu-manber", "paper", "U..CW, the paper's tables", kouzinopoulos_source, kouzinopoulos_wm,
     COUNT(kouzinopoulos_wm)},
    {"wu-manber", "tuned", "U..CW, tuned tables", kouzinopoulos_source, kouzinopoulos_wm,
     COUNT(kouzinopoulos_wm)},
    {"rabin-karp", "paper", "rolling hashes, prefix sums", NULL, nunes, COUNT(nunes)},
    {"rabin-karp", "grouped", "grouped", NULL, grouped, COUNT(grouped)},
    {NULL, NULL, NULL, NULL, NULL, 0},
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
