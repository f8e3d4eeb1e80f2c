/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A paper as data: its tables and figures, each with rows, columns, the paper's numbers and a
 * function that measures one cell. Measuring gives a result for each table, which the renderers
 * print (text, TSV, JSON, HTML).
 */
#ifndef CLI_REPRODUCE_PAPER_H
#define CLI_REPRODUCE_PAPER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct reproduction;
struct paper_table;
struct paper_report;

enum {
    PAPER_WHY_BYTES = 320,      /* room for the reason why a cell is empty */
    PAPER_SENTENCE_BYTES = 512, /* room for a sentence of a conclusion */
    PAPER_SENTENCES = 3,
};

/* A cell that the paper leaves empty. */
#define PAPER_NONE ((double)NAN)

/* What is compared with the paper, since absolute times are those of other machines. */
typedef enum paper_ratio {
    PAPER_VALUE = 0,        /* the value itself */
    PAPER_OVER_FIRST_ROW,   /* the value and that of the first row in the same column */
    PAPER_OVER_FIRST_COLUMN /* the value and that of the first column in the same row */
} paper_ratio;

/* Measures a cell, in the unit of its table. NAN after writing to `why` (PAPER_WHY_BYTES) in a few
 * words why there is no value. */
typedef double (*paper_measure)(struct reproduction *run, const struct paper_table *table,
                                size_t row, size_t column, char *why);

/* Rows, columns and the function of a table; several tables may have the same. */
typedef struct paper_shape {
    const char *unit;           /* "ms" */
    const char *row_axis;       /* what rows are: "threads" */
    const char *column_axis;    /* what columns are */
    const char *const *rows;    /* labels, ended by NULL */
    const char *const *columns; /* labels, ended by NULL */
    paper_ratio ratio;
    bool is_time; /* less is better: the ratio is a speed-up, first over this; else this over first
                   */
    paper_measure measure;
} paper_shape;

typedef struct paper_table {
    const char *id;      /* as on the command line: "3", "fig-11a" */
    const char *aliases; /* other names of it there, separated by blanks; NULL: none */
    const char *caption; /* what is measured */
    const paper_shape *shape;
    const double *paper; /* row by row; NULL: the paper has no numbers */
    size_t parameter;    /* for `measure` */
    const char *remark;  /* what the paper says besides, what is different here; NULL: nothing */
} paper_table;

typedef struct paper_description {
    const char *name;     /* as on the command line: "zha" */
    const char *title;    /* authors, year, title */
    const char *machine;  /* the paper's */
    const char *workload; /* what is measured here, and how it differs from the paper's data */
    const paper_table *tables;
    size_t count;
    /* Writes what the paper's ideas gain on this machine, from the results: PAPER_SENTENCES
     * sentences. */
    void (*conclude)(const struct paper_report *report, char (*sentences)[PAPER_SENTENCE_BYTES]);
} paper_description;

/* Columns "CPU" and "GPU": of the tables "today", trawl's choice beside the paper's algorithms. */
extern const char *const paper_devices[];

extern const paper_description paper_zha, paper_tran, paper_charan, paper_nunes,
    paper_kouzinopoulos;

/* One measured cell. What is unknown is NAN. */
typedef struct paper_cell {
    double here, paper;
    double ratio_here, ratio_paper;
    double quotient; /* of the ratios: 1 if the paper's comparison comes out the same */
    char *why;       /* not measured: the reason, owned; else NULL */
} paper_cell;

typedef struct paper_result {
    const paper_table *table;
    size_t rows, columns;
    paper_cell *cells; /* row by row; owned */
    size_t measured;   /* cells with a value */
    char *note;        /* what was found while measuring, in sentences; owned. NULL: nothing */
} paper_result;

typedef struct paper_report {
    const paper_description *paper;
    paper_result *results; /* owned */
    size_t count;
    char sentences[PAPER_SENTENCES][PAPER_SENTENCE_BYTES];
} paper_report;

/* Measures all cells of a table. */
void paper_measure_table(struct reproduction *run, const paper_table *table, paper_result *result);

/* Frees what a report owns. */
void paper_report_release(paper_report *report);

static inline const paper_cell *paper_cell_at(const paper_result *result, size_t row,
                                              size_t column) {
    return &result->cells[row * result->columns + column];
}

/* The value of a cell of a report's table; NAN if the table or the cell was not measured. */
double paper_value(const paper_report *report, const char *table, size_t row, size_t column);

/* The reason that all empty cells of a table share; NULL if they have several, or none is empty. */
const char *paper_shared_reason(const paper_result *result);

/* The number of numbers in each cell: the measured one, the paper's, the ratio of each, their
 * quotient. */
size_t paper_number_columns(const paper_table *table);

/* The name of the numbers that are compared with the paper. */
const char *paper_ratio_name(const paper_table *table);

#endif
