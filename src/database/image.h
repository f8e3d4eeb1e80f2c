/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The database block: a header, a table of sections, and the sections. Sections are named by kind
 * and part, and found by offsets from the block's first byte. There are no pointers, so the same
 * bytes are saved, mapped, sent to other processes and copied to devices.
 *
 *     0        trawl_image_header      160 bytes; the first 32 are outside the checksum
 *     160      trawl_section 0         24 bytes each, in the order of reservation
 *     184      trawl_section 1
 *              ...
 *              zeros                   up to a multiple of 64
 *     x 64     bytes of section 0
 *              zeros                   up to a multiple of 64
 *     x 64     bytes of section 1
 *              ...
 *
 * Numbers are in the byte order of the machine; a machine of the other order refuses the file.
 * docs/internals/database-format.md has the same for readers of files.
 */
#ifndef TRAWL_DATABASE_IMAGE_H
#define TRAWL_DATABASE_IMAGE_H

#include "trawl/trawl.h"

#define TRAWL_IMAGE_MAGIC "TRAWLDB\n"
#define TRAWL_IMAGE_VERSION 15u
#define TRAWL_IMAGE_BYTE_ORDER 0x01020304u
#define TRAWL_IMAGE_ALIGNMENT 64u
#define TRAWL_IMAGE_MAX_SECTIONS 4096u
/* Parts of one engine: few enough that their sections stay below the maximum. */
#define TRAWL_IMAGE_MAX_PARTS 256u

/* From 32 on, each engine has so many numbers of kinds (trawl_engine.tables). */
#define TRAWL_IMAGE_FIRST_ENGINE_KIND 32u
#define TRAWL_IMAGE_ENGINE_KINDS 16u

/* What a section holds. The numbers are part of the file format: new ones are added, old ones are
 * never used for something else. */
typedef enum trawl_section_kind {
    /* every database: the patterns as they were added (pattern/patterns.h), and how its engine was
     * chosen */
    TRAWL_SECTION_PATTERN_OFFSETS = 1, /* uint32_t[patterns + 1] (pattern/offsets.h) */
    TRAWL_SECTION_PATTERN_BYTES = 2,
    TRAWL_SECTION_PATTERN_FLAGS = 3, /* uint8_t[patterns] */
    TRAWL_SECTION_NAME_OFFSETS = 4,  /* uint32_t[patterns + 1], absent when no pattern has a name */
    TRAWL_SECTION_NAMES = 5,
    TRAWL_SECTION_REASON = 6,        /* text with a final NUL */
    TRAWL_SECTION_PLAN = 7,          /* trawl_plan_record (plan/record.h); absent: not planned */
    TRAWL_SECTION_DEVICE_PLAN = 8,   /* trawl_device_record; absent: not planned for a GPU */
    TRAWL_SECTION_SELECTION_KEY = 9, /* trawl_selection_key[keys] (database/selection.h) */
    TRAWL_SECTION_SELECTION_PATTERN = 10, /* uint32_t[patterns]: the selection key of each */
    TRAWL_SECTION_SELECTION_INSIDE = 11,  /* trawl_selection_inside[] */
    TRAWL_SECTION_CONDITIONS = 12,        /* 12 to 14: database/conditions.h */
    TRAWL_SECTION_PATTERN_CONDITION = 13,
    TRAWL_SECTION_CONDITION_CLASSES = 14,
    TRAWL_SECTION_PATTERN_BASES = 15, /* uint64_t[]; absent when 32 bits suffice for offsets */
    /* automata: byte classes and outputs (automaton/classes.h, database/outputs.h) */
    TRAWL_SECTION_CLASSES = 16,    /* uint8_t[256] */
    TRAWL_SECTION_KEY_LENGTH = 17, /* uint32_t[keys] */
    TRAWL_SECTION_KEY_LINK = 18,
    TRAWL_SECTION_KEY_TOTAL = 19,
    TRAWL_SECTION_KEY_FIRST = 20,     /* uint32_t[keys + 1] */
    TRAWL_SECTION_KEY_IDS = 21,       /* uint32_t[patterns of this part] */
    TRAWL_SECTION_KEY_VERIFY = 22,    /* uint8_t[keys] */
    TRAWL_SECTION_KEY_ENDING = 23,    /* uint64_t[keys]: the last 8 bytes (database/endings.h) */
    TRAWL_SECTION_KEY_RECORD = 24,    /* trawl_key_record[keys]: 17 to 22 once more, in one load */
    TRAWL_SECTION_KEY_GATE = 25,      /* uint16_t[keys + 1], with conditions (database/outputs.h) */
    TRAWL_SECTION_RARE_BYTES = 26,    /* trawl_byte_set: every pattern contains one of them */
    TRAWL_SECTION_PATTERN_GROUP = 28, /* 28 to 31: database/groups.h */
    TRAWL_SECTION_GROUP_IDS = 29,
    TRAWL_SECTION_VALUE_OFFSETS = 30,
    TRAWL_SECTION_VALUES = 31,
    /* ac-dfa, and every part of ac-split (automaton/dfa.h) */
    TRAWL_SECTION_DFA_HEADER = 32,
    TRAWL_SECTION_DFA_TABLE = 33,
    TRAWL_SECTION_DFA_OUTPUT = 34, /* uint32_t[matching states]: the key a matching state ends */
    /* ac-nfa (automaton/nfa.h) */
    TRAWL_SECTION_NFA_HEADER = 48,
    TRAWL_SECTION_NFA_TOP = 49,
    TRAWL_SECTION_NFA_STATES = 50,
    TRAWL_SECTION_NFA_FAILURE = 51,
    TRAWL_SECTION_NFA_WIDE = 52,
    TRAWL_SECTION_NFA_MATCHING = 53,
    TRAWL_SECTION_NFA_RANK = 54,
    TRAWL_SECTION_NFA_OUTPUT = 55,
    TRAWL_SECTION_WU_MANBER_HEADER = 80, /* 80 to 95: wu-manber */
    TRAWL_SECTION_WU_MANBER_SHIFT = 81,
    TRAWL_SECTION_WU_MANBER_HASH = 82,
    TRAWL_SECTION_WU_MANBER_PREFIX = 83,
    TRAWL_SECTION_WU_MANBER_IDS = 84,
    TRAWL_SECTION_RABIN_KARP_HEADER = 96, /* 96 to 111: rabin-karp */
    TRAWL_SECTION_RABIN_KARP_TABLE = 97,
    TRAWL_SECTION_RABIN_KARP_GROUPS = 98,
    TRAWL_SECTION_RABIN_KARP_IDS = 99,
    TRAWL_SECTION_RABIN_KARP_FILTER = 100,
    TRAWL_SECTION_QGRAM_HEADER = 112, /* 112 to 127: qgram */
    TRAWL_SECTION_QGRAM_SAMPLE_FILTER = 113,
    TRAWL_SECTION_QGRAM_SUFFIX_FILTER = 114,
    TRAWL_SECTION_QGRAM_HASH = 115,
    TRAWL_SECTION_QGRAM_RANGES = 116,
    TRAWL_SECTION_QGRAM_RUNS = 117,
    TRAWL_SECTION_QGRAM_END_OFFSETS = 118,
    TRAWL_SECTION_QGRAM_PREFIX_SIGNATURES = 119,
    TRAWL_SECTION_QGRAM_LONG_PREFIX_SIGNATURES = 120,
    TRAWL_SECTION_QGRAM_TAGS = 121,
    TRAWL_SECTION_QGRAM_BUCKETS = 122
} trawl_section_kind;

/* An entry of the section table. */
typedef struct trawl_section {
    uint32_t kind;   /* trawl_section_kind */
    uint32_t part;   /* 0, or the part of an engine that has several */
    uint64_t offset; /* from the block's first byte; a multiple of TRAWL_IMAGE_ALIGNMENT */
    uint64_t size;   /* bytes, without the zeros behind them */
} trawl_section;

typedef struct trawl_image_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t size;     /* of the block, in bytes */
    uint64_t checksum; /* XXH3 (64 bits) of everything behind this field */
    char engine[24];   /* a name and at least one NUL */
    char variant[40];  /* likewise */
    uint32_t match_kind;
    uint32_t section_count;
    uint32_t pattern_count;
    uint32_t min_length; /* 1, as max_length, without patterns: overlaps then have no bytes, and */
    uint32_t max_length; /* no scan has to know this case */
    uint32_t folded;     /* 1: keys are lower-cased, and case-sensitive patterns are verified */
    uint32_t parts;
    uint32_t byte_classes;
    uint32_t state_bytes;
    uint16_t unused;   /* 0 */
    uint16_t rare_gap; /* positions without rare bytes (TRAWL_SECTION_RARE_BYTES) that are passed
                          over, at least, in units of TRAWL_RARE_GAP_UNIT; 0 without such bytes */
    uint64_t states;
    uint64_t table_bytes;
    double build_seconds;
    /* trawl_section sections[section_count] follow */
} trawl_image_header;

#define TRAWL_RARE_GAP_UNIT 64u

/* Bytes before those that the checksum covers: magic, version, byte order, size and checksum. */
#define TRAWL_IMAGE_UNCHECKED 32u

/* The block while it is being built: every section is reserved, then the memory is allocated once,
 * then the sections are filled. Nothing is copied or moved afterwards. */
typedef struct trawl_image {
    trawl_section sections[TRAWL_IMAGE_MAX_SECTIONS];
    uint32_t section_count;
    uint64_t size;  /* of the sections so far; of the block after trawl_image_allocate */
    uint8_t *block; /* NULL until trawl_image_allocate */
} trawl_image;

/* Reserves `count` objects of `object` bytes. A kind and part may be reserved once. */
trawl_status trawl_image_reserve(trawl_image *image, trawl_section_kind kind, uint32_t part,
                                 uint64_t count, uint64_t object, trawl_error *error);

/* Bytes that the finished block will have. */
uint64_t trawl_image_size(const trawl_image *image);

/* Allocates the block and writes the section table. The header is written by database/assemble.c.
 */
trawl_status trawl_image_allocate(trawl_image *image, trawl_error *error);

/* Where to write a section that has been reserved, or NULL. Its bytes are not initialised. */
void *trawl_image_section(const trawl_image *image, trawl_section_kind kind, uint32_t part);

#endif
