/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

static const char *const set_names[TRAWL_CPU_SETS] = {"scalar", "avx2", "avx512", "avx512-vbmi",
                                                      "neon"};

const char *trawl_cpu_set_name(trawl_cpu_set set) {
    return set_names[set];
}

bool trawl_cpu_has(trawl_cpu_set set) {
    switch (set) {
    case TRAWL_CPU_SCALAR:
        return true;
    case TRAWL_CPU_AVX2:
#if TRAWL_HAVE_X86
        /* The builtins ask the processor, and whether the operating system saves its registers. */
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
        return false;
#endif
    case TRAWL_CPU_AVX512:
#if TRAWL_HAVE_X86
        return trawl_cpu_has(TRAWL_CPU_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
#else
        return false;
#endif
    case TRAWL_CPU_AVX512_VBMI:
#if TRAWL_HAVE_X86
        return trawl_cpu_has(TRAWL_CPU_AVX512) && __builtin_cpu_supports("avx512vbmi");
#else
        return false;
#endif
    case TRAWL_CPU_NEON:
        return TRAWL_HAVE_NEON;
    }
    return false;
}

bool trawl_cpu_extracts(void) {
#if TRAWL_HAVE_X86
    return trawl_cpu_has(TRAWL_CPU_AVX2) && !__builtin_cpu_is("bdver4") &&
           !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
#else
    return false;
#endif
}

bool trawl_cpu_permutes(void) {
#if TRAWL_HAVE_X86
    return trawl_cpu_has(TRAWL_CPU_AVX512_VBMI) && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("gfni");
#else
    return false;
#endif
}

bool trawl_cpu_gathers(void) {
#if TRAWL_HAVE_X86
    return trawl_cpu_has(TRAWL_CPU_AVX512_VBMI) && __builtin_cpu_is("intel");
#else
    return false;
#endif
}

bool trawl_cpu_includes(trawl_cpu_set set, trawl_cpu_set part) {
    bool same_family = (set == TRAWL_CPU_NEON) == (part == TRAWL_CPU_NEON);
    return part == TRAWL_CPU_SCALAR || (same_family && part <= set);
}

void trawl_cpu_list_sets(char *text, size_t size) {
    size_t length = 0;
    for (int set = 0; set < TRAWL_CPU_SETS && length < size; set++) {
        if (trawl_cpu_has((trawl_cpu_set)set)) {
            length += (size_t)snprintf(text + length, size - length, "%s%s",
                                       length == 0 ? "" : ", ", set_names[set]);
        }
    }
}

/* TRAWL_CPU, or NULL where it is unset or empty. */
static const char *forced_name(void) {
    const char *name = getenv("TRAWL_CPU");
    return name != NULL && *name != '\0' ? name : NULL;
}

bool trawl_cpu_is_forced(void) {
    return forced_name() != NULL;
}

static trawl_status refuse(const char *wanted, trawl_error *error) {
    char available[TRAWL_CPU_LIST_BYTES];
    trawl_cpu_list_sets(available, sizeof available);
    bool known = false;
    for (int set = 0; set < TRAWL_CPU_SETS; set++) {
        known = known || strcmp(wanted, set_names[set]) == 0;
    }
    return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "TRAWL_CPU=%.40s: %s; here are: %s", wanted,
                      known ? "this machine lacks these instructions"
                            : "no such set of instructions is known",
                      available);
}

trawl_status trawl_cpu_choose(trawl_cpu_set *set, trawl_error *error) {
    const char *wanted = forced_name();
    for (int one = TRAWL_CPU_SETS - 1; one >= 0; one--) {
        if ((wanted == NULL || strcmp(wanted, set_names[one]) == 0) &&
            trawl_cpu_has((trawl_cpu_set)one)) {
            *set = (trawl_cpu_set)one;
            return TRAWL_OK;
        }
    }
    return refuse(wanted, error);
}
