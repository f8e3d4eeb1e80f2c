/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/parts/lines.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"

/* BUFFER_BYTES: gathered before they are written to the part; longer ones are written at once.
 * LONGEST_TEXT: bytes of an item of text. A longer text becomes several items, as joining the
 * parts has each item in memory. */
enum { BUFFER_BYTES = 1 << 18, LONGEST_TEXT = 1 << 20 };

/* ------------------------------------------------------------------ writing */

void lines_writer_open(lines_writer *writer, part_writer *part) {
    *writer =
        (lines_writer){.part = part, .buffer = allocate(BUFFER_BYTES), .capacity = BUFFER_BYTES};
}

void lines_writer_close(lines_writer *writer) {
    free(writer->buffer);
    writer->buffer = NULL;
}

void lines_writer_drop(lines_writer *writer) {
    writer->used = 0;
}

static bool flush(lines_writer *writer) {
    bool put = part_writer_put(writer->part, writer->buffer, writer->used);
    writer->used = 0;
    return put;
}

static bool put(lines_writer *writer, const void *bytes, size_t length) {
    if (length > writer->capacity - writer->used && !flush(writer))
        return false;
    if (length > writer->capacity)
        return part_writer_put(writer->part, bytes, length);
    if (length != 0)
        memcpy(writer->buffer + writer->used, bytes, length);
    writer->used += length;
    return true;
}

static bool put_item(lines_writer *writer, lines_kind kind, const char *bytes, size_t length) {
    lines_item item = {.kind = kind, .length = (uint32_t)length};
    return put(writer, &item, sizeof item) && put(writer, bytes, length);
}

bool lines_writer_text(void *writer, const char *bytes, size_t length) {
    bool sound = true;
    for (size_t at = 0; sound && at < length; at += LONGEST_TEXT) {
        size_t rest = length - at;
        sound = put_item(writer, LINES_TEXT, bytes + at, rest < LONGEST_TEXT ? rest : LONGEST_TEXT);
    }
    return sound;
}

void lines_writer_number(lines_writer *writer, uint64_t number, unsigned width) {
    lines_item item = {.kind = LINES_NUMBER, .length = width, .number = number};
    (void)put(writer, &item, sizeof item);
}

void lines_writer_separator(lines_writer *writer, const char *bytes, size_t length) {
    (void)put_item(writer, LINES_SEPARATOR, bytes, length);
}

bool lines_writer_end(lines_writer *writer, const lines_end *end, const char *name, size_t length) {
    lines_item item = {.kind = LINES_END, .length = (uint32_t)length};
    return put(writer, &item, sizeof item) && put(writer, end, sizeof *end) &&
           put(writer, name, length) && flush(writer);
}

/* ------------------------------------------------------------------ joining */

void lines_joiner_open(lines_joiner *joiner, lines_mode mode, output_file *output) {
    *joiner = (lines_joiner){.mode = mode, .output = output, .sound = true};
}

/* Whether the pieces before make no difference to the text any more. */
static bool is_settled(const lines_joiner *joiner) {
    bool listed = joiner->mode == LINES_LISTED || joiner->mode == LINES_NOT_LISTED;
    return joiner->skipped || (listed && joiner->selected != 0);
}

/* Whether the text of this piece is output. */
static bool is_shown(const lines_joiner *joiner) {
    return !joiner->binary && !joiner->skipped;
}

/* The number of a line in its text. */
static void write_number(const lines_joiner *joiner, const lines_item *item) {
    char digits[20];
    size_t length = output_decimal(joiner->lines + item->number, digits);
    for (size_t i = length; i < item->length; i++)
        output_file_byte(joiner->output, ' ');
    output_file_write(joiner->output, digits, length);
}

/* What the output has at the end of a text. */
static void end_text(lines_joiner *joiner, const uint8_t *name, size_t length) {
    if (joiner->hidden) {
        output_file_drain(joiner->output);
        report("%.*s: binary file matches", (int)length, (const char *)name);
    }
    bool selected = joiner->selected != 0;
    if (joiner->mode == LINES_COUNTED || (joiner->mode == LINES_LISTED && selected) ||
        (joiner->mode == LINES_NOT_LISTED && !selected))
        output_file_write(joiner->output, name, length);
    if (joiner->mode == LINES_COUNTED) {
        output_file_decimal(joiner->output, joiner->selected);
        output_file_byte(joiner->output, '\n');
    }
    joiner->matched = joiner->matched || selected;
}

/* Takes the end of a piece. A binary text that is skipped has no selected line, even if some were
 * found before its first NUL. */
static void end_piece(lines_joiner *joiner, const lines_end *end, const uint8_t *name,
                      size_t length) {
    bool binary = (end->flags & LINES_BINARY) != 0;
    if ((end->flags & LINES_HIDDEN) != 0 ||
        (joiner->binary && joiner->mode == LINES_PRINTED && end->selected != 0))
        joiner->hidden = true;
    if (!is_settled(joiner)) {
        joiner->skipped = binary && (end->flags & LINES_SKIPPED) != 0;
        joiner->selected = joiner->skipped ? 0 : joiner->selected + end->selected;
    }
    joiner->binary = joiner->binary || binary;
    joiner->hidden = joiner->hidden && !joiner->skipped;
    joiner->group = joiner->group || joiner->hidden;
    joiner->lines += end->lines;
    if ((end->flags & LINES_LAST) == 0)
        return;
    end_text(joiner, name, length);
    joiner->selected = joiner->lines = 0;
    joiner->binary = joiner->skipped = joiner->hidden = false;
}

/* Takes an item whose `length` bytes are at `bytes`. */
static void take_item(lines_joiner *joiner, const lines_item *item, const uint8_t *bytes) {
    lines_end end;
    switch (item->kind) {
    case LINES_TEXT:
        if (is_shown(joiner))
            output_file_write(joiner->output, bytes, item->length);
        break;
    case LINES_NUMBER:
        if (is_shown(joiner))
            write_number(joiner, item);
        break;
    case LINES_SEPARATOR:
        if (is_shown(joiner) && joiner->group)
            output_file_write(joiner->output, bytes, item->length);
        joiner->group = joiner->group || is_shown(joiner);
        break;
    default:
        memcpy(&end, bytes, sizeof end);
        end_piece(joiner, &end, bytes + sizeof end, item->length);
    }
}

/* Bytes that follow an item; SIZE_MAX: there is no such item. */
static size_t bytes_behind(const lines_item *item) {
    switch (item->kind) {
    case LINES_TEXT:
    case LINES_SEPARATOR:
        return item->length;
    case LINES_NUMBER:
        return item->length <= 64 ? 0 : SIZE_MAX;
    case LINES_END:
        return sizeof(lines_end) + item->length;
    default:
        return SIZE_MAX;
    }
}

/* Takes the item at `bytes` if it is complete. Returns its length; 0: it is not complete. */
static size_t take_whole(lines_joiner *joiner, const uint8_t *bytes, size_t length) {
    lines_item item;
    if (length < sizeof item)
        return 0;
    memcpy(&item, bytes, sizeof item);
    size_t behind = bytes_behind(&item);
    joiner->sound = behind != SIZE_MAX;
    if (!joiner->sound || length - sizeof item < behind)
        return 0;
    take_item(joiner, &item, bytes + sizeof item);
    return sizeof item + behind;
}

static void keep(lines_joiner *joiner, const uint8_t *bytes, size_t length) {
    if (length > joiner->capacity - joiner->used) {
        joiner->capacity = joiner->capacity + joiner->capacity / 2 + length;
        joiner->item = reallocate(joiner->item, joiner->capacity);
    }
    memcpy(joiner->item + joiner->used, bytes, length);
    joiner->used += length;
}

bool lines_joiner_take(void *context, const uint8_t *bytes, size_t length) {
    lines_joiner *joiner = context;
    if (joiner->used !=
        0) { /* an item began in the bytes before: the rest of it is somewhere here */
        keep(joiner, bytes, length);
        bytes = joiner->item;
        length = joiner->used;
    }
    size_t at = 0;
    for (size_t taken = 1; taken != 0 && at < length; at += taken)
        taken = take_whole(joiner, bytes + at, length - at);
    if (joiner->used == 0) {
        if (at < length && joiner->sound)
            keep(joiner, bytes + at, length - at);
    } else {
        joiner->used = length - at;
        memmove(joiner->item, joiner->item + at, joiner->used);
    }
    return joiner->sound && !output_file_failed(joiner->output);
}

bool lines_joiner_close(lines_joiner *joiner) {
    free(joiner->item);
    joiner->item = NULL;
    return joiner->sound && joiner->used == 0;
}
