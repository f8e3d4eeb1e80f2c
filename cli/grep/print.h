/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Output of `trawl grep`: lines with their prefix (file name, line number, byte offset), with the
 * matching parts coloured or alone.
 */
#ifndef CLI_GREP_PRINT_H
#define CLI_GREP_PRINT_H

#include "cli/grep/options.h"
#include "cli/parts/lines.h"
#include "io/output_file.h"
#include "trawl/trawl.h"

/* SGR parameters ("01;31") of each kind of text; "" is no color. */
typedef struct grep_colors {
    const char *selected_match;
    const char *context_match;
    const char *selected_line;
    const char *context_line;
    const char *file_name;
    const char *line_number;
    const char *byte_offset;
    const char *separator;
    bool reverse;   /* with -v, selected_line and context_line are swapped */
    bool no_erase;  /* no "erase to the end of line" after a sequence */
    char *settings; /* the strings above may point into it */
} grep_colors;

/* Sets the defaults, then reads GREP_COLORS. */
void grep_colors_read(grep_colors *colors);
void grep_colors_release(grep_colors *colors);

/* A matching part of a line: the bytes [start, end). */
typedef struct grep_span {
    const uint8_t *start;
    const uint8_t *end;
} grep_span;

typedef struct grep_spans {
    grep_span *items;
    size_t count;
    size_t capacity;
} grep_spans;

/* One line, with its line end. */
typedef struct grep_line {
    const uint8_t *start;
    const uint8_t *end;
    uint64_t number; /* from 1 */
    uint64_t offset; /* in the text */
    bool selected;   /* false: a line of context */
    bool matching;   /* its spans are known */
} grep_line;

typedef struct grep_printer {
    const grep_options *options;
    output_file *output;
    lines_writer *lines; /* NULL; else the output goes there, for `trawl cat` */
    grep_colors colors;  /* all "" without --color */
    const char *file_name;
    bool with_file_name;
    unsigned number_width; /* of line numbers and offsets, with -T */
} grep_printer;

trawl_status grep_printer_open(grep_printer *printer, const grep_options *options,
                               trawl_error *error);
/* The same for the output of a piece of a text. */
trawl_status grep_printer_open_lines(grep_printer *printer, const grep_options *options,
                                     lines_writer *lines, trawl_error *error);

/* Flushes and closes the output. */
trawl_status grep_printer_close(grep_printer *printer, trawl_error *error);

/* `stored_bytes` is the size of the file, INT64_MAX if unknown. */
void grep_printer_set_file(grep_printer *printer, const char *name, uint64_t stored_bytes);

void grep_print_line(grep_printer *printer, const grep_line *line, const grep_spans *spans);
void grep_print_group_separator(grep_printer *printer);

/* The separator before the first group of a piece of a text: whether it is needed depends on the
 * pieces before. */
void grep_print_first_separator(grep_printer *printer);

/* Output of -l and -L, and of -c; of that, what is before the number. */
void grep_print_file_name(grep_printer *printer);
void grep_print_count_name(grep_printer *printer);
void grep_print_count(grep_printer *printer, uint64_t count);

/* True if lines are printed without prefix and color, so that many lines are one write. */
bool grep_printer_is_plain(const grep_printer *printer);

#endif
