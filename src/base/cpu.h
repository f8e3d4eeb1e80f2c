/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Instruction sets: which ones code for vectors is compiled for, and which one is used here. */
#ifndef TRAWL_BASE_CPU_H
#define TRAWL_BASE_CPU_H

#include <stdbool.h>

#include "trawl/trawl.h"

/* Weakest first. SCALAR is what the compiler may use everywhere: no vectors by hand. */
typedef enum trawl_cpu_set {
    TRAWL_CPU_SCALAR = 0,
    TRAWL_CPU_AVX2 = 1,        /* AVX2, BMI1, BMI2 and POPCNT */
    TRAWL_CPU_AVX512 = 2,      /* AVX-512 F, BW, VL and DQ, and all of the above; not VBMI */
    TRAWL_CPU_AVX512_VBMI = 3, /* VBMI and all of the above */
    TRAWL_CPU_NEON = 4         /* what every 64-bit Arm processor has */
} trawl_cpu_set;

#define TRAWL_CPU_SETS 5

/* TRAWL_HAVE_X86, TRAWL_HAVE_NEON: whether the intrinsics exist for this compilation. A function
 * for a set is marked with the set's macro; no file has compiler flags of its own, so nothing for a
 * stronger machine leaks into code for all (inline functions of headers, for example). */
#if defined(__x86_64__)
#define TRAWL_HAVE_X86 1
#define TRAWL_HAVE_NEON 0
#define TRAWL_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define TRAWL_TARGET_AVX512                                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi,bmi2,popcnt")))
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define TRAWL_HAVE_X86 0
#define TRAWL_HAVE_NEON 1
#define TRAWL_TARGET_AVX2
#define TRAWL_TARGET_AVX512
#else
#define TRAWL_HAVE_X86 0
#define TRAWL_HAVE_NEON 0
#define TRAWL_TARGET_AVX2
#define TRAWL_TARGET_AVX512
#endif

/*
 * The set to use: the best that this machine has, or the one that the environment variable
 * TRAWL_CPU names (scalar, avx2, avx512, avx512-vbmi, neon; empty is as good as unset).
 * TRAWL_ERROR_ARGUMENT when it names one that is unknown or that this machine lacks: another one is
 * never taken instead. The variable is read at each call, which costs far less than starting a
 * scan; safe from several threads as long as none of them changes the environment.
 */
trawl_status trawl_cpu_choose(trawl_cpu_set *set, trawl_error *error);

/* Whether this machine and its operating system can run code for `set`. */
bool trawl_cpu_has(trawl_cpu_set set);

/* Whether this machine brings chosen bits of a number together at once (BMI2's PEXT). AMD's
 * processors before Zen 3 have the instruction, but take up to hundreds of cycles for it. */
bool trawl_cpu_extracts(void);

/* Whether this machine's AVX-512 permutes bytes of two registers and multiplies them by matrices of
 * bits (VBMI, VBMI2, GFNI). */
bool trawl_cpu_permutes(void);

/* Whether gathers pay on this machine: on Intel's processors with VBMI; AMD's take longer for one
 * gather than for as many loads. Loops with gathers run where this is true, and everywhere with
 * VBMI where TRAWL_CPU names that set. */
bool trawl_cpu_gathers(void);

/* Whether TRAWL_CPU names a set: the choice among loops is then by the set alone. */
bool trawl_cpu_is_forced(void);

/* Whether a machine with `set` can run code for `part`. */
bool trawl_cpu_includes(trawl_cpu_set set, trawl_cpu_set part);

/* As in TRAWL_CPU: "scalar", "avx2", "avx512", "avx512-vbmi", "neon". */
const char *trawl_cpu_set_name(trawl_cpu_set set);

/* The names of all sets that this machine has, for people: "scalar, avx2". TRAWL_CPU_LIST_BYTES are
 * enough. */
#define TRAWL_CPU_LIST_BYTES 40
void trawl_cpu_list_sets(char *text, size_t size);

#endif
