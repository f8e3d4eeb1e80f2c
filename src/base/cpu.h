/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Instruction sets: those that functions are compiled for, and the one to be used on this machine.
 */
#ifndef TRAWL_BASE_CPU_H
#define TRAWL_BASE_CPU_H

#include <stdbool.h>

#include "trawl/trawl.h"

/* The weakest first. SCALAR: functions without intrinsics, for every processor of the family. */
typedef enum trawl_cpu_set {
    TRAWL_CPU_SCALAR = 0,
    TRAWL_CPU_AVX2 = 1,        /* AVX2, BMI1, BMI2 and POPCNT */
    TRAWL_CPU_AVX512 = 2,      /* AVX-512 F, BW, VL and DQ, and all of the above; not VBMI */
    TRAWL_CPU_AVX512_VBMI = 3, /* VBMI and all of the above */
    TRAWL_CPU_NEON = 4         /* what every 64-bit Arm processor has */
} trawl_cpu_set;

#define TRAWL_CPU_SETS 5

/* TRAWL_HAVE_X86, TRAWL_HAVE_NEON: whether this compilation has the intrinsics. A function for a
 * set is marked with the set's macro. No file has compiler flags for a processor: inline functions
 * of headers, compiled with such flags, could be linked into code for all machines. */
#if defined(__x86_64__)
#define TRAWL_HAVE_X86 1
#define TRAWL_HAVE_NEON 0
#define TRAWL_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define TRAWL_TARGET_AVX512                                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi,bmi2,popcnt")))
#define TRAWL_TARGET_AVX512_VBMI                                                                   \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx2,bmi,bmi2,popcnt")))
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define TRAWL_HAVE_X86 0
#define TRAWL_HAVE_NEON 1
#define TRAWL_TARGET_AVX2
#define TRAWL_TARGET_AVX512
#define TRAWL_TARGET_AVX512_VBMI
#else
#define TRAWL_HAVE_X86 0
#define TRAWL_HAVE_NEON 0
#define TRAWL_TARGET_AVX2
#define TRAWL_TARGET_AVX512
#define TRAWL_TARGET_AVX512_VBMI
#endif

/*
 * The set to use: the best one of this machine, or the one that the environment variable TRAWL_CPU
 * names (scalar, avx2, avx512, avx512-vbmi, neon; an empty value is as if it were unset).
 * TRAWL_ERROR_ARGUMENT: the variable names a set that is unknown or that this machine lacks; no
 * other set is taken instead. The variable is read at each call. Thread safe as long as no thread
 * changes the environment.
 */
trawl_status trawl_cpu_choose(trawl_cpu_set *set, trawl_error *error);

/* Whether this machine, with its operating system, can run code for `set`. */
bool trawl_cpu_has(trawl_cpu_set set);

/* Whether this machine has a fast PEXT (of BMI2: collects chosen bits of a number). AMD's
 * processors before Zen 3 have the instruction, but take up to hundreds of cycles for it. */
bool trawl_cpu_extracts(void);

/* Whether this machine has AVX-512 VBMI, VBMI2 and GFNI: byte permutations over two registers, and
 * products of bytes with matrices of bits. */
bool trawl_cpu_permutes(void);

/* Whether gathers are faster than single loads on this machine: true for Intel's processors with
 * VBMI; AMD's take longer for a gather than for as many loads. Loops with gathers run if this is
 * true, or if TRAWL_CPU names avx512-vbmi. */
bool trawl_cpu_gathers(void);

/* Whether TRAWL_CPU names a set: then loops are chosen by the set alone, not by the processor. */
bool trawl_cpu_is_forced(void);

/* Whether a machine that has `set` can run code for `part`. */
bool trawl_cpu_includes(trawl_cpu_set set, trawl_cpu_set part);

/* The name of a set, as in TRAWL_CPU. */
const char *trawl_cpu_set_name(trawl_cpu_set set);

/* Writes the names of all sets that this machine has, for messages: "scalar, avx2". The longest
 * list has TRAWL_CPU_LIST_BYTES bytes with its NUL, at most. */
#define TRAWL_CPU_LIST_BYTES 40
void trawl_cpu_list_sets(char *text, size_t size);

#endif
