/*
 * Flags that several commands share, in three groups: where the patterns come from, how they are
 * compiled, how a text is scanned. A command puts the group's rows into its table and offers each
 * id that arguments_next returns to the group's _take function.
 */
#ifndef CLI_COMMON_FLAGS_H
#define CLI_COMMON_FLAGS_H

#include "arguments.h"
#include "report.h"
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
    FLAG_CHUNK_BYTES
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

#define COMPILE_FLAGS                                                                              \
    {FLAG_ENGINE,                                                                                  \
     0,                                                                                            \
     "engine",                                                                                     \
     "NAME",                                                                                       \
     "The algorithm; auto (the default) chooses. A named engine runs or fails with a reason. "     \
     "'trawl engines' lists them.",                                                                \
     "Compiling"},                                                                                 \
        {FLAG_VARIANT, 0, "variant", "NAME", "The engine's variant.", NULL}, COMPILE_DETAIL_FLAGS

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
    {FLAG_DEVICE, 0, "device", "NAME", "cpu, cuda, cuda:N or auto (the default).", "Scanning"},    \
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

/* Whether this build and machine have the device; false after reporting one line. */
bool scan_options_check_device(const trawl_scan_options *options);

#endif
