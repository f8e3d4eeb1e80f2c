/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The data of the report of `trawl info`. */
#ifndef CLI_INFO_REPORT_H
#define CLI_INFO_REPORT_H

#include "trawl/trawl_study.h"

enum { INFO_MOST_PARTS = 8 };

/* One way to compile the set. */
typedef struct info_row {
    const char *engine;
    const char *variant;
    uint32_t parts;       /* rows of ac-split with a given number of parts: that number; else 0 */
    uint64_t total_bytes; /* of the database; 0 if refused */
    bool refused;
    char reason[512]; /* why it was refused or not built; empty if built */
    bool built;       /* what follows is known */
    uint64_t states;
    size_t built_parts;
    size_t byte_classes;
    uint64_t table_bytes;
    uint64_t next_bytes; /* of goto and failure, or of the DFA's rows, in all parts; 0: none */
    size_t part_states[INFO_MOST_PARTS]; /* of each part, if there are no more */
    double build_seconds;
} info_row;

/* A formula of Charan 2015 (4.3 and 4.4) for the space of an automaton. */
typedef struct info_formula {
    const char *structure;
    const char *formula;
    const char *engine; /* of trawl, with the same structure */
    const char *variant;
    uint64_t bits;
} info_formula;

enum { INFO_FORMULAS = 5 };

/* A row of Tran et al., Table 4: seconds to build on their machine. */
typedef struct info_paper_build {
    unsigned patterns;
    double one;   /* a single STT */
    double four;  /* 4 STTs */
    double eight; /* 8 STTs */
} info_paper_build;

typedef struct info_report {
    trawl_statistics statistics;
    const char *source;            /* name for the heading */
    const char *sample;            /* path of the sample of a text; NULL: none was given */
    bool costs_are_measured;       /* a profile of `trawl tune` is used */
    trawl_error profile_error;     /* why a profile was ignored; status TRAWL_OK: none was */
    trawl_match_kind matches;      /* that are planned for */
    bool is_database;              /* `database` is known */
    trawl_db_information database; /* the database that was given */
    bool has_plan;                 /* these two are known: */
    info_row plan;                 /* the choice of --engine auto */
    char plan_reason[1024];
    bool has_expected; /* the planner's expectations are known: of the database that was given, or
                          else of the plan */
    trawl_study_plan expected;
    bool has_new_expected; /* a database was given, and these are those of the plan: */
    trawl_study_plan new_expected;
    info_row *rows;
    size_t row_count;
    unsigned log_states; /* bits of a state number: log N, rounded up */
    info_formula formulas[INFO_FORMULAS];
    uint64_t plain_table_bytes; /* one STT as Tran et al. have it: N rows of 257 4-byte entries */
} info_report;

#endif
