/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "costs/effort.h"

#include <math.h>

#include "constants/cpu.h"

trawl_effort trawl_effort_begin(uint64_t text_bytes) {
    return (trawl_effort){.text_bytes = (double)text_bytes, .least = INFINITY};
}

bool trawl_effort_pays(trawl_effort *effort, trawl_effort_kind kind, double per_byte,
                       double trial) {
    double gain = effort->least - (per_byte * effort->text_bytes + effort->building);
    double share = (0.5 + effort->shares[kind]) / (2 + effort->trials[kind]);
    bool pays = effort->text_bytes == 0 || trial <= share * gain;
    effort->kind = kind;
    effort->gain = gain;
    effort->trials[kind] += pays;
    return pays;
}

void trawl_effort_know(trawl_effort *effort, double per_byte) {
    double whole = per_byte * effort->text_bytes + effort->building;
    effort->least = whole < effort->least ? whole : effort->least;
}

void trawl_effort_found(trawl_effort *effort, double per_byte) {
    double before = effort->least;
    trawl_effort_know(effort, per_byte);
    if (before < INFINITY && effort->gain > 0) {
        effort->shares[effort->kind] += (before - effort->least) / effort->gain;
    }
}

size_t trawl_effort_bytes(uint64_t text_bytes, uint64_t pattern_bytes) {
    return text_bytes == 0 ? SIZE_MAX
                           : (size_t)((text_bytes + pattern_bytes) / TRAWL_EFFORT_EXAMINED);
}
