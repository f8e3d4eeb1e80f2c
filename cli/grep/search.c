/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/search.h"

#include <string.h>

#include "cli/base/report.h"
#include "io/output_file.h"
#include "trawl/trawl.h"

/* Smaller blocks are scanned by one thread: more threads or a GPU would take longer. */
enum { THREADS_FROM_BYTES = 1 << 20 };

/* If a block has more matches for each byte than this, it is searched again with the set of
 * grep_set_cover. Selecting the matches of that set takes about as long as two or three matches. */
enum { MOST_MATCHES_A_BYTE = 4 };

/* So many parts of a line are printed at once. */
enum { MANY_PARTS = 4096 };

/* Where the line after the one with `text` begins. Blocks are whole lines, so there is a line end.
 */
static const uint8_t *line_after(const grep_search *search, const uint8_t *text) {
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): `text` is in a block, not NULL */
    return (const uint8_t *)rawmemchr(text, search->options->line_end) + 1;
}

static uint64_t count_lines(const grep_search *search, const uint8_t *text, const uint8_t *end) {
    uint64_t count = 0;
    while (text < end) {
        text = line_after(search, text);
        count++;
    }
    return count;
}

static uint64_t offset_of(const grep_search *search, const uint8_t *text) {
    return search->blocks->kept_offset + (uint64_t)(text - search->blocks->kept);
}

/* ------------------------------------------------------------------ printing */

static void print_line(grep_search *search, const uint8_t *start, const uint8_t *end,
                       bool selected) {
    const grep_options *options = search->options;
    grep_line line = {.start = start,
                      .end = end,
                      .offset = offset_of(search, start),
                      .selected = selected,
                      .matching = selected != options->invert};
    const grep_spans *spans = &search->found.spans;
    if (options->line_number) {
        search->line_number += count_lines(search, search->numbered, end);
        search->numbered = end;
        line.number = search->line_number;
    }
    if (line.matching && !selected) {
        /* Only with -v and context: rare, so the line is searched again. */
        spans = &search->context_found.spans;
        line.matching = options->only_matching || options->color;
        if (line.matching && !grep_parts_find(&search->context_found, search->set, start, end)) {
            search->failed = true;
            return;
        }
    }
    grep_print_line(search->printer, &line, spans);
    search->printed_end = end;
}

/* Where the context before `text` begins: at most --before-context lines, none printed before. */
static const uint8_t *context_before(const grep_search *search, const uint8_t *text) {
    const uint8_t *least = search->printed_end != NULL ? search->printed_end : search->blocks->kept;
    for (uint64_t i = 0; i < search->options->before && text > least; i++) {
        const uint8_t *previous =
            memrchr(least, search->options->line_end, (size_t)(text - 1 - least));
        text = previous == NULL ? least : previous + 1;
    }
    return text;
}

/* Prints the separator and the context before selected lines that begin at `text`. */
static void begin_group(grep_search *search, const uint8_t *text) {
    const uint8_t *line = context_before(search, text);
    if (search->options->context && line != search->printed_end) {
        if (search->group_printed) {
            grep_print_group_separator(search->printer);
        } else if (search->printer->lines != NULL) {
            grep_print_first_separator(search->printer);
        }
    }
    search->group_printed = true;
    while (line < text) {
        const uint8_t *end = line_after(search, line);
        print_line(search, line, end, false);
        line = end;
    }
}

/* ------------------------------------------------------------------ selecting */

/* The functions below handle whole lines, in the order of the text. They return false if the rest
 * of the file cannot change the output. */

static bool skip_lines(grep_search *search, const uint8_t *line, const uint8_t *end) {
    while (search->pending > 0 && line < end) {
        const uint8_t *next = line_after(search, line);
        print_line(search, line, next, false);
        search->pending--;
        line = next;
    }
    return search->remaining > 0 || search->pending > 0;
}

static bool select_quietly(grep_search *search, const uint8_t *line, const uint8_t *end) {
    while (line < end && search->remaining > 0) {
        line = line_after(search, line);
        search->selected++;
        search->remaining--;
        search->group_printed = true; /* also by a binary file, as in GNU grep */
        search->selected_end = offset_of(search, line);
        if (search->file_stop_at_first) {
            return false;
        }
    }
    return search->remaining > 0;
}

static bool select_lines(grep_search *search, const uint8_t *line, const uint8_t *end) {
    if (search->remaining == 0) {
        return skip_lines(search, line, end);
    }
    if (search->file_quiet) {
        return select_quietly(search, line, end);
    }
    begin_group(search, line);
    if (search->options->max_count == UINT64_MAX && grep_printer_is_plain(search->printer)) {
        output_file_write(search->printer->output, line, (size_t)(end - line));
        search->selected += count_lines(search, line, end);
        search->printed_end = end;
        line = end;
    }
    while (line < end && search->remaining > 0) {
        const uint8_t *next = line_after(search, line);
        print_line(search, line, next, true);
        search->selected++;
        search->remaining--;
        line = next;
    }
    search->selected_end = offset_of(search, line);
    search->pending = search->options->after;
    return skip_lines(search, line, end);
}

/* Selects or skips a line in which a pattern matches. */
static bool handle_match(grep_search *search, const uint8_t *line, const uint8_t *end) {
    return search->options->invert ? skip_lines(search, line, end)
                                   : select_lines(search, line, end);
}

/* Selects or skips lines in which no pattern of the database matches; the empty pattern may. */
static bool handle_rest(grep_search *search, const uint8_t *line, const uint8_t *end) {
    bool invert = search->options->invert;
    if (line == end) {
        return true;
    }
    if (!search->set->empty_pattern) {
        return invert ? select_lines(search, line, end) : skip_lines(search, line, end);
    }
    search->found.spans.count = 0;
    while (line < end) {
        const uint8_t *next = line_after(search, line);
        bool match = grep_set_accepts_empty(search->set, line, next);
        if (!(match != invert ? select_lines(search, line, next)
                              : skip_lines(search, line, next))) {
            return false;
        }
        line = next;
    }
    return true;
}

/* ------------------------------------------------------------------ finding */

/* With -o, prints the parts of the collected line that are known, if they are many, so that a long
 * line needs no memory for all. The line is then one whose context is printed. */
static void print_many_parts(grep_search *search) {
    if (search->found.spans.count < MANY_PARTS || !search->options->only_matching ||
        search->remaining == 0 || search->most_matches != 0) {
        return; /* with most_matches, the block may be searched again */
    }
    begin_group(search, search->line);
    print_line(search, search->line, search->line_end, true);
    search->found.spans.count = 0;
    search->printed_end = search->line;
}

/* All matches in the collected line are known. */
static bool finish_line(grep_search *search) {
    const uint8_t *line = search->line;
    search->line = NULL;
    search->handled = search->line_end;
    grep_parts_end(&search->found);
    return handle_match(search, line, search->line_end);
}

/* Takes the first match in a line. Matches are ordered by their end, so line after line. Returns
 * false to stop. */
static bool take_match(grep_search *search, const uint8_t *start, const uint8_t *end) {
    if (search->line != NULL && !finish_line(search)) {
        return false;
    }
    const uint8_t *line = start;
    const uint8_t *line_end = line_after(search, end);
    if (search->options->invert || search->set->empty_pattern || !search->file_quiet) {
        const uint8_t *handled = search->handled;
        const uint8_t *previous =
            memrchr(handled, search->options->line_end, (size_t)(start - handled));
        line = previous == NULL ? handled : previous + 1;
        search->handled = line;
        if (!handle_rest(search, handled, line)) {
            return false;
        }
    }
    if (search->parts && !search->file_quiet) {
        search->line = line;
        search->line_end = line_end;
        grep_parts_begin(&search->found, search->set, line);
        grep_parts_add(&search->found, start, end);
        return true;
    }
    search->handled = line_end;
    return handle_match(search, line, line_end);
}

static int on_match(const trawl_match *match, void *context) {
    grep_search *search = context;
    if (search->most_matches != 0 && --search->most_matches == 0) {
        return 1;
    }
    const uint8_t *text = search->blocks->lines;
    const uint8_t *start = text + match->start;
    const uint8_t *end = text + match->end;
    if (search->line != NULL && start < search->line_end) {
        if (grep_set_accepts_part(search->set, end)) {
            grep_parts_add(&search->found, start, end);
            print_many_parts(search);
        }
        return 0;
    }
    if (start < search->handled || !grep_set_accepts(search->set, text, start, end)) {
        return 0;
    }
    search->done = !take_match(search, start, end);
    return search->done || search->failed;
}

static void find_matches(grep_search *search) {
    const grep_blocks *blocks = search->blocks;
    size_t length = (size_t)(blocks->lines_end - blocks->lines);
    trawl_scan_options options = search->set->scan;
    if (length < THREADS_FROM_BYTES) {
        options.threads = 1;
        options.device = NULL;
    }
    trawl_error error;
    trawl_status status =
        trawl_scan(search->set->db, blocks->lines, length, &options, on_match, search, &error);
    if (status != TRAWL_OK && status != TRAWL_STOPPED) {
        report_error(&error);
        search->failed = true;
    }
}

/* Finds the matches of a block. Where nested patterns have very many, the block is searched once
 * more from its first line that has not been handled. */
static void find_all_matches(grep_search *search) {
    size_t length = (size_t)(search->blocks->lines_end - search->blocks->lines);
    bool limited = grep_set_may_cover(search->set);
    search->most_matches = limited ? MOST_MATCHES_A_BYTE * (uint64_t)length + 1024 : 0;
    find_matches(search);
    if (limited && search->most_matches == 0 && !search->failed) {
        search->line = NULL; /* its parts are collected anew */
        search->failed = !grep_set_cover(search->set);
        if (!search->failed) {
            find_matches(search);
        }
    }
}

static void search_block(grep_search *search) {
    const grep_blocks *blocks = search->blocks;
    if (search->set->db != NULL) {
        find_all_matches(search);
    }
    if (!search->done && search->line != NULL) {
        search->done = !finish_line(search);
    }
    if (!search->done && !search->failed) {
        search->done = !handle_rest(search, search->handled, blocks->lines_end);
    }
}

/* ------------------------------------------------------------------ a file */

/* Ends a block. Returns where the lines begin that later lines may need as context. */
static const uint8_t *end_block(grep_search *search) {
    const uint8_t *end = search->blocks->lines_end;
    const uint8_t *keep = search->file_quiet ? end : context_before(search, end);
    if (search->options->line_number && !search->file_quiet) {
        if (search->numbered < keep) {
            search->line_number += count_lines(search, search->numbered, keep);
        }
    }
    if (keep != search->printed_end) {
        search->printed_end = NULL;
    }
    if (search->flush_blocks) {
        output_file_drain(search->printer->output);
    }
    return keep;
}

static void begin_block(grep_search *search) {
    const grep_blocks *blocks = search->blocks;
    search->handled = blocks->lines;
    search->numbered = blocks->kept;
    if (search->printed_end != NULL) {
        search->printed_end = blocks->kept;
    }
}

/* No more lines of a binary file are printed; one selected line is enough for the report. */
static void begin_binary(grep_search *search) {
    if (!search->options->count) {
        search->file_quiet = search->file_stop_at_first = true;
        search->pending = 0;
    }
}

/* Offset after the last selected line; a line end that the text lacks does not count. */
static uint64_t selected_end(const grep_search *search) {
    const grep_blocks *blocks = search->blocks;
    bool lacks = blocks->completed && search->selected_end > 0 &&
                 search->selected_end == offset_of(search, blocks->lines_end);
    return search->selected_end - lacks;
}

grep_result grep_search_file(grep_search *search, int descriptor, const struct stat *information,
                             const grep_range *range) {
    grep_result result = {0};
    search->file_quiet = search->quiet;
    search->file_stop_at_first = search->stop_at_first;
    search->selected = search->selected_end = search->line_number = search->pending = 0;
    search->remaining = search->options->max_count;
    search->printed_end = search->line = NULL;
    search->done = search->remaining == 0;
    bool binary = false;
    uint64_t selected_as_text = 0;
    const uint8_t *keep = NULL;
    grep_blocks_start(search->blocks, descriptor, information, range);
    while (!search->done && !search->failed && grep_blocks_next(search->blocks, keep)) {
        begin_block(search);
        if (search->blocks->binary && !binary) {
            if (search->options->binary == GREP_BINARY_SKIP) {
                grep_blocks_end(search->blocks);
                result.binary = result.skipped = search->blocks->first_nul < range->end;
                return result;
            }
            binary = true;
            selected_as_text = search->selected;
            begin_binary(search);
        }
        search_block(search);
        keep = end_block(search);
        search->failed = search->failed || output_file_failed(search->printer->output);
    }
    grep_blocks_end(search->blocks);
    result.decompressed = search->blocks->source.decompressed;
    result.binary = search->blocks->first_nul < range->end;
    result.lines = search->line_number;
    result.selected = search->selected;
    result.max_count_reached = search->remaining == 0;
    result.selected_end = selected_end(search);
    result.binary_hidden = binary && !search->quiet && search->selected > selected_as_text;
    result.failed = search->failed;
    return result;
}

void grep_search_release(grep_search *search) {
    grep_parts_release(&search->found);
    grep_parts_release(&search->context_found);
}
