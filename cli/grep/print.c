/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/print.h"

#include <string.h>

static void open_colors(grep_printer *printer, const grep_options *options) {
    *printer = (grep_printer){.options = options};
    if (options->color) {
        grep_colors_read(&printer->colors);
    } else {
        printer->colors = (grep_colors){"", "", "", "", "", "", "", "", false, false, NULL};
    }
}

trawl_status grep_printer_open(grep_printer *printer, const grep_options *options,
                               trawl_error *error) {
    open_colors(printer, options);
    return output_file_open(NULL, &printer->output, error);
}

trawl_status grep_printer_open_lines(grep_printer *printer, const grep_options *options,
                                     lines_writer *lines, trawl_error *error) {
    open_colors(printer, options);
    printer->lines = lines;
    return output_file_open_for(lines_writer_text, lines, &printer->output, error);
}

trawl_status grep_printer_close(grep_printer *printer, trawl_error *error) {
    grep_colors_release(&printer->colors);
    return output_file_close(printer->output, error);
}

void grep_printer_set_file(grep_printer *printer, const char *name, uint64_t stored_bytes) {
    printer->file_name = name;
    printer->number_width = 0;
    if (printer->options->initial_tab) {
        uint64_t largest = stored_bytes;
        if (largest < INT64_MAX && printer->options->line_number) {
            largest++;
        }
        do {
            printer->number_width++;
            largest /= 10;
        } while (largest > 0);
    }
}

bool grep_printer_is_plain(const grep_printer *printer) {
    const grep_options *options = printer->options;
    return !printer->with_file_name && !options->line_number && !options->byte_offset &&
           !options->only_matching && !options->color && !options->line_buffered;
}

static void start_color(grep_printer *printer, const char *color) {
    if (*color != '\0') {
        output_file_text(printer->output, "\33[");
        output_file_text(printer->output, color);
        output_file_text(printer->output, printer->colors.no_erase ? "m" : "m\33[K");
    }
}

static void end_color(grep_printer *printer, const char *color) {
    if (*color != '\0') {
        output_file_text(printer->output, printer->colors.no_erase ? "\33[m" : "\33[m\33[K");
    }
}

static void print_colored(grep_printer *printer, const char *color, const void *text,
                          size_t length) {
    start_color(printer, color);
    output_file_write(printer->output, text, length);
    end_color(printer, color);
}

static void print_separator(grep_printer *printer, char separator) {
    print_colored(printer, printer->colors.separator, &separator, 1);
}

static void print_name(grep_printer *printer) {
    print_colored(printer, printer->colors.file_name, printer->file_name,
                  strlen(printer->file_name));
}

static void print_digits(grep_printer *printer, uint64_t number) {
    char digits[20];
    size_t length = output_decimal(number, digits);
    for (size_t i = length; i < printer->number_width; i++) {
        output_file_byte(printer->output, ' ');
    }
    output_file_write(printer->output, digits, length);
}

static void print_line_number(grep_printer *printer, uint64_t number, char separator) {
    const char *color = printer->colors.line_number;
    start_color(printer, color);
    if (printer->lines == NULL) {
        print_digits(printer, number);
    } else {
        output_file_drain(printer->output);
        lines_writer_number(printer->lines, number, printer->number_width);
    }
    end_color(printer, color);
    print_separator(printer, separator);
}

static void print_offset(grep_printer *printer, uint64_t offset, char separator) {
    const char *color = printer->colors.byte_offset;
    start_color(printer, color);
    print_digits(printer, offset);
    end_color(printer, color);
    print_separator(printer, separator);
}

/* Prints the prefix of a line or of a part of it, whose length is without the line end. */
static void print_prefix(grep_printer *printer, const grep_line *line, uint64_t offset,
                         size_t length, char separator) {
    const grep_options *options = printer->options;
    if (printer->with_file_name) {
        print_name(printer);
        if (options->null_after_name) {
            output_file_byte(printer->output, '\0');
        } else {
            print_separator(printer, separator);
        }
    }
    if (options->line_number) {
        print_line_number(printer, line->number, separator);
    }
    if (options->byte_offset) {
        print_offset(printer, offset, separator);
    }
    if (options->initial_tab && length > 0 &&
        (printer->with_file_name || options->line_number || options->byte_offset)) {
        output_file_byte(printer->output, '\t');
    }
}

static void print_parts(grep_printer *printer, const grep_line *line, const grep_spans *spans,
                        const char *color) {
    char separator = printer->options->invert ? '-' : ':';
    for (size_t i = 0; i < spans->count; i++) {
        const uint8_t *start = spans->items[i].start;
        size_t length = (size_t)(spans->items[i].end - start);
        uint64_t offset = line->offset + (uint64_t)(start - line->start);
        print_prefix(printer, line, offset, length, separator);
        print_colored(printer, color, start, length);
        output_file_byte(printer->output, (char)printer->options->line_end);
    }
}

/* Prints the rest of the line from `text` on in the line's color, up to its line end or the CR
 * before that. Returns where it stopped. */
static const uint8_t *print_tail(grep_printer *printer, const grep_line *line, const uint8_t *text,
                                 const char *color) {
    const uint8_t *end = line->end - 1;
    if (end > text && end[-1] == '\r') {
        end--;
    }
    if (*color == '\0' || end <= text) {
        return text;
    }
    print_colored(printer, color, text, (size_t)(end - text));
    return end;
}

void grep_print_line(grep_printer *printer, const grep_line *line, const grep_spans *spans) {
    const grep_options *options = printer->options;
    const grep_colors *colors = &printer->colors;
    const char *match_color = line->selected ? colors->selected_match : colors->context_match;
    if (options->only_matching) {
        if (line->matching) {
            print_parts(printer, line, spans, match_color);
        }
    } else {
        print_prefix(printer, line, line->offset, (size_t)(line->end - line->start) - 1,
                     line->selected ? ':' : '-');
        const uint8_t *text = line->start;
        if (options->color) {
            bool as_selected = line->selected != (options->invert && colors->reverse);
            const char *line_color = as_selected ? colors->selected_line : colors->context_line;
            size_t count = line->matching && *match_color != '\0' ? spans->count : 0;
            for (size_t i = 0; i < count; i++) {
                const grep_span *span = &spans->items[i];
                start_color(printer, line_color);
                output_file_write(printer->output, text, (size_t)(span->start - text));
                print_colored(printer, match_color, span->start, (size_t)(span->end - span->start));
                text = span->end;
            }
            text = print_tail(printer, line, text, line_color);
        }
        output_file_write(printer->output, text, (size_t)(line->end - text));
    }
    if (options->line_buffered) {
        output_file_drain(printer->output);
    }
}

void grep_print_group_separator(grep_printer *printer) {
    const char *separator = printer->options->group_separator;
    if (separator != NULL) {
        print_colored(printer, printer->colors.separator, separator, strlen(separator));
        output_file_byte(printer->output, '\n');
    }
}

void grep_print_first_separator(grep_printer *printer) {
    output_file *output = printer->output;
    output_file_drain(output);
    grep_print_group_separator(printer); /* an argument: it fits into the buffer */
    lines_writer_separator(printer->lines, output->buffer, output->used);
    output->used = 0;
}

void grep_print_file_name(grep_printer *printer) {
    print_name(printer);
    output_file_byte(printer->output, printer->options->null_after_name ? '\0' : '\n');
    if (printer->options->line_buffered) {
        output_file_drain(printer->output);
    }
}

void grep_print_count_name(grep_printer *printer) {
    if (printer->with_file_name) {
        print_name(printer);
        if (printer->options->null_after_name) {
            output_file_byte(printer->output, '\0');
        } else {
            print_separator(printer, ':');
        }
    }
}

void grep_print_count(grep_printer *printer, uint64_t count) {
    grep_print_count_name(printer);
    output_file_decimal(printer->output, count);
    output_file_byte(printer->output, '\n');
    if (printer->options->line_buffered) {
        output_file_drain(printer->output);
    }
}
