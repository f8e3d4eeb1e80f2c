/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Flags that several commands share, in four groups: where the patterns come from, how they are
 * compiled, how a text is scanned, how a CUDA device does it. A command puts the group's rows into
 * its table, and flag_groups_next takes them; a command with exceptions offers ids itself to the
 * groups' _take functions.
 */
#ifndef CLI_FLAGS_COMMON_H
#define CLI_FLAGS_COMMON_H

#include "cli/flags/arguments.h"
#include "source/pattern_file.h"
#include "trawl/trawl.h"

enum {
    FLAG_PATTERN_FILE = 1000,
    FLAG_PATTERN,
    FLAG_PATTERN_FORMAT,
    FLAG_CRLF,
    FLAG_IGNORE_CASE,
    FLAG_ENGINE,
    FLAG_VARIANT,
    FLAG_MATCHES,
    FLAG_MAX_TABLES,
    FLAG_SPLIT_PARTS,
    FLAG_SPLIT_THRESHOLD,
    FLAG_WU_MANBER_BLOCK,
    FLAG_RABIN_KARP_BASE,
    FLAG_RABIN_KARP_MODULUS,
    FLAG_DEVICE,
    FLAG_THREADS,
    FLAG_PLACEMENT,
    FLAG_COPY_TABLES,
    FLAG_CHUNK_BYTES,
    FLAG_KERNEL,
    FLAG_TRANSFER,
    FLAG_SEGMENT_BYTES,
    FLAG_SEGMENTS,
    FLAG_BLOCK_THREADS,
    FLAG_BLOCK_BYTES,
    FLAG_TABLE_PATH,
    FLAG_PROFILE,
    FLAG_NO_PROFILE
};

/* What the _take functions return. */
enum { FLAG_NOT_MINE = 0, FLAG_TAKEN = 1, FLAG_REFUSED = 2 /* one line has been printed */ };

/* ------------------------------------------------------------------ where patterns come from */

#define PATTERN_FLAGS                                                                                \
    {FLAG_PATTERN_FILE,                                                                              \
     'f',                                                                                            \
     "file",                                                                                         \
     "FILE",                                                                                         \
     "Read patterns from FILE, - for standard input; .gz, .zst and .xz are read through. May be "    \
     "given several times.",                                                                         \
     "Patterns"},                                                                                    \
        {FLAG_PATTERN, 'e', "pattern", "PATTERN", "Search for PATTERN. May be given several times.", \
         NULL},                                                                                      \
        {FLAG_PATTERN_FORMAT,                                                                        \
         0,                                                                                          \
         "pattern-format",                                                                           \
         "FORMAT",                                                                                   \
         "How patterns are written: lines (the default: raw bytes, one pattern a line), escaped "    \
         "(\\n \\r \\t \\\\ \\0 \\xNN), hex (hexadecimal digits), tsv (name, flags i or -, "         \
         "escaped pattern).",                                                                        \
         NULL},                                                                                      \
        {FLAG_CRLF, 0, "crlf", NULL, "Lines of pattern files end in CR LF: drop the CR.", NULL}, {   \
        FLAG_IGNORE_CASE, 'i', "ignore-case", NULL,                                                  \
            "ASCII letters of all patterns match either case.", NULL                                 \
    }

typedef struct pattern_input {
    const char *text; /* a file name or a pattern, borrowed from argv */
    bool is_file;
} pattern_input;

typedef struct pattern_options {
    pattern_input *inputs; /* in the order given, which is the order of ids */
    size_t count;
    size_t capacity;
    pattern_reading reading;
} pattern_options;

int pattern_options_take(pattern_options *options, const arguments *arguments, int id);

/* Reads all inputs into a new set, which the caller frees. `tally` may be NULL. False after
 * reporting. The set may be empty: what that means is the command's decision. */
bool pattern_options_load(const pattern_options *options, trawl_patterns **patterns,
                          pattern_tally *tally);

/* True when standard input is among the pattern files. */
bool pattern_options_use_stdin(const pattern_options *options);

void pattern_options_release(pattern_options *options);

/* ------------------------------------------------------------------ how they are compiled */

#define ENGINE_FLAG                                                                                \
    {                                                                                              \
        FLAG_ENGINE, 0, "engine", "NAME",                                                          \
            "The algorithm; auto (the default) chooses. A named engine runs or fails with a "      \
            "reason. 'trawl engines' lists them.",                                                 \
            "Compiling"                                                                            \
    }

#define COMPILE_FLAGS                                                                              \
    ENGINE_FLAG, {FLAG_VARIANT, 0, "variant", "NAME", "The engine's variant.", NULL},              \
        COMPILE_DETAIL_FLAGS

/* The same for a command that scans: on a CUDA device a variant may name the kernel too. */
#define COMPILE_AND_SCAN_FLAGS                                                                     \
    ENGINE_FLAG,                                                                                   \
        {FLAG_VARIANT,                                                                             \
         0,                                                                                        \
         "variant",                                                                                \
         "NAME",                                                                                   \
         "The engine's variant; with --device cuda also a kernel, or both as VARIANT+KERNEL.",     \
         NULL},                                                                                    \
        COMPILE_DETAIL_FLAGS

/* The same without --engine and --variant, for a command that has its own. */
#define COMPILE_DETAIL_FLAGS                                                                       \
    {FLAG_MATCHES,                                                                                 \
     0,                                                                                            \
     "matches",                                                                                    \
     "KIND",                                                                                       \
     "all (the default: overlapping and nested ones too), leftmost-first or "                      \
     "leftmost-longest.",                                                                          \
     NULL},                                                                                        \
        {FLAG_MAX_TABLES,                                                                          \
         0,                                                                                        \
         "max-tables",                                                                             \
         "SIZE",                                                                                   \
         "Refuse engines whose tables would be larger (default 8G).",                              \
         NULL},                                                                                    \
        {FLAG_SPLIT_PARTS, 0, "split-parts", "M", "ac-split: number of parts.", NULL},             \
        {FLAG_SPLIT_THRESHOLD,                                                                     \
         0,                                                                                        \
         "split-threshold",                                                                        \
         "X",                                                                                      \
         "ac-split: how uneven the parts may be, largest / smallest - 1.",                         \
         NULL},                                                                                    \
        {FLAG_WU_MANBER_BLOCK, 0, "wm-block", "B", "wu-manber: block length, 1 to 4.", NULL},      \
        {FLAG_RABIN_KARP_BASE, 0, "rk-base", "D", "rabin-karp: base d of the hash.", NULL}, {      \
        FLAG_RABIN_KARP_MODULUS, 0, "rk-modulus", "Q", "rabin-karp: its modulus q, a prime.", NULL \
    }

/* Start with TRAWL_COMPILE_OPTIONS. */
int compile_options_take(trawl_compile_options *options, const arguments *arguments, int id);

/* The name of a match kind, and back. */
const char *match_kind_name(trawl_match_kind kind);
bool match_kind_find(const char *name, trawl_match_kind *kind);

/* ------------------------------------------------------------------ how a text is scanned */

#define SCAN_FLAGS                                                                                 \
    {FLAG_DEVICE,                                                                                  \
     0,                                                                                            \
     "device",                                                                                     \
     "NAME",                                                                                       \
     "cpu (the default), cuda (the first GPU), cuda:N, or auto: a GPU that can be used, else the " \
     "CPU.",                                                                                       \
     "Scanning"},                                                                                  \
        {FLAG_THREADS, 0, "threads", "N", "Threads to use (default: all CPUs allowed).", NULL},    \
        SCAN_DETAIL_FLAGS

/* The same without --device and --threads, for a command with other defaults. */
#define SCAN_DETAIL_FLAGS                                                                          \
    {FLAG_PLACEMENT,                                                                               \
     0,                                                                                            \
     "placement",                                                                                  \
     "HOW",                                                                                        \
     "Where threads run: none (the default), spread or close.",                                    \
     NULL},                                                                                        \
        {FLAG_COPY_TABLES,                                                                         \
         0,                                                                                        \
         "copy-tables",                                                                            \
         NULL,                                                                                     \
         "Give each thread its own copy of the tables.",                                           \
         NULL},                                                                                    \
    {                                                                                              \
        FLAG_CHUNK_BYTES, 0, "chunk-bytes", "SIZE",                                                \
            "Text that a thread takes at a time; never changes results.", NULL                     \
    }

/* Start with TRAWL_SCAN_OPTIONS. A value of --threads 0 means all CPUs. */
int scan_options_take(trawl_scan_options *options, const arguments *arguments, int id);

/* Number of threads that options.threads asks for, at least 1. */
unsigned scan_options_threads(const trawl_scan_options *options);

/* ------------------------------------------------------------------ how a CUDA device does it */

/* How a kernel runs, wherever the text is. */
#define KERNEL_FLAGS                                                                               \
    {FLAG_KERNEL,                                                                                  \
     0,                                                                                            \
     "kernel",                                                                                     \
     "NAME",                                                                                       \
     "How the GPU walks the engine's tables; 'trawl engines' lists the kernels.",                  \
     "CUDA devices"},                                                                              \
        {FLAG_BLOCK_THREADS,                                                                       \
         0,                                                                                        \
         "block-threads",                                                                          \
         "T",                                                                                      \
         "Threads of a block, a multiple of 32 (default: the kernel's).",                          \
         NULL},                                                                                    \
        {FLAG_BLOCK_BYTES,                                                                         \
         0,                                                                                        \
         "block-bytes",                                                                            \
         "SIZE",                                                                                   \
         "Text that a block owns (default: the kernel's).",                                        \
         NULL},                                                                                    \
    {                                                                                              \
        FLAG_TABLE_PATH, 0, "table-path", "PATH",                                                  \
            "How kernels read tables: texture (texture objects) or read-only (read-only loads). "  \
            "Default: as the kernel's paper has it.",                                              \
            NULL                                                                                   \
    }

/* How the text travels to the device. */
#define TRANSFER_FLAGS                                                                             \
    {FLAG_TRANSFER,                                                                                \
     0,                                                                                            \
     "transfer",                                                                                   \
     "HOW",                                                                                        \
     "How the text travels: ring (the default), a or b (the strategies of Zha & Sahni), "          \
     "zero-copy.",                                                                                 \
     NULL},                                                                                        \
        {FLAG_SEGMENT_BYTES,                                                                       \
         0,                                                                                        \
         "segment-bytes",                                                                          \
         "SIZE",                                                                                   \
         "Text of one transfer (default: chosen).",                                                \
         NULL},                                                                                    \
    {                                                                                              \
        FLAG_SEGMENTS, 0, "segments", "N", "ring: segments under way at a time.", NULL             \
    }

#define PROFILE_FLAGS                                                                              \
    {FLAG_PROFILE,                                                                                 \
     0,                                                                                            \
     "profile",                                                                                    \
     "FILE",                                                                                       \
     "Take what is not given from this profile of 'trawl tune' (default: the device's own).",      \
     NULL},                                                                                        \
    {                                                                                              \
        FLAG_NO_PROFILE, 0, "no-profile", NULL, "Take nothing from a profile.", NULL               \
    }

typedef struct profile_options {
    const char *path; /* --profile; NULL: the device's own, if there is one */
    bool ignore;      /* --no-profile */
} profile_options;

/* All three groups. A command without PROFILE_FLAGS hands over NULL for the last one. */
int cuda_options_take(trawl_scan_options *options, profile_options *profile,
                      const arguments *arguments, int id);

/* What --variant may say of a kernel: "KERNEL" where the engine has no such variant, and
 * "VARIANT+KERNEL". Moves the kernel to `scan`; names that are not known are left for the library
 * to refuse. False after one line. */
bool cuda_options_from_variant(const command *command, trawl_compile_options *compile,
                               trawl_scan_options *scan);

/* Whether the flags fit the device that was asked for, and this build and machine have it; false
 * after one line. */
bool cuda_options_check(const command *command, const trawl_scan_options *options);

/* Makes "auto" the first GPU that is listed, else the CPU: for commands that decide before they
 * have a database. */
void device_resolve_auto(trawl_scan_options *options);

/* "cuda", "cuda:N". */
bool device_is_cuda(const char *device);

/* The same, and its number; false: N is none. */
bool device_number(const char *device, uint32_t *number);

/* Lets the planner choose for the device that scans, unless an engine is named, or a kernel: then
 * the first engine that has it is taken. */
void device_choose_engine(trawl_compile_options *compile, const trawl_scan_options *scan);

/* Whether a plan can be made for a device of that name, which need not be there; false after one
 * line. */
bool device_can_be_planned(const char *device);

/* ------------------------------------------------------------------ all of them */

/* Where the flags of the groups go; NULL: the command takes none of that group. */
typedef struct flag_groups {
    pattern_options *patterns;
    trawl_compile_options *compile;
    trawl_scan_options *scan;
    profile_options *profile;
} flag_groups;

/* Takes flags of the groups, up to the next flag of the command's own or operand, whose id is
 * returned; or ARGUMENTS_END. ARGUMENTS_ERROR: the command ends with *status, as what was to be
 * printed (one line, or the help) has been printed. */
int flag_groups_next(const flag_groups *groups, arguments *arguments, int *status);

#endif
