/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/memory_text.h"

#include "cli/base/compressed.h"
#include "cli/base/report.h"
#include "io/text_file.h"
#include "trawl/trawl.h"

/* Appends a file to the text, up to `limit` bytes of text. *capacity is the size of text->bytes. */
static trawl_status append_file(text_file *file, uint64_t limit, memory_text *text,
                                size_t *capacity, trawl_error *error) {
    enum { LEAST_ROOM = 1 << 20 };
    /* One byte more than expected, so that the end of the file needs no second allocation. */
    uint64_t room = text_file_is_plain(file) ? text_file_stored_bytes(file) + 1 : LEAST_ROOM;
    bool ended = false;
    while (!ended && text->length < limit) {
        size_t got = 0;
        room = room > limit - text->length ? limit - text->length : room;
        if (*capacity - text->length < room) {
            *capacity = text->length + (size_t)room;
            text->bytes = reallocate(text->bytes, *capacity);
        }
        trawl_status status =
            text_file_fill(file, text->bytes + text->length, (size_t)room, &got, error);
        if (status != TRAWL_OK)
            return status;
        ended = got < room;
        text->length += got;
        room = text->length < LEAST_ROOM ? LEAST_ROOM : text->length;
    }
    return TRAWL_OK;
}

bool memory_text_read(const string_list *paths, uint64_t limit, memory_text *text) {
    static const char *standard_input[] = {"-"};
    const char *const *names = paths->count == 0 ? standard_input : paths->items;
    size_t count = paths->count == 0 ? 1 : paths->count;
    size_t capacity = 0;
    *text = (memory_text){0};
    for (size_t i = 0; i < count && text->length < limit; i++) {
        trawl_error error;
        text_file *file = NULL;
        trawl_status status = text_file_open(names[i], TEXT_DECOMPRESS, &file, &error);
        if (status == TRAWL_OK)
            note_compressed(names[i], file);
        if (status == TRAWL_OK)
            status = append_file(file, limit, text, &capacity, &error);
        text_file_close(file);
        if (status != TRAWL_OK) {
            (void)report_error(&error);
            return false;
        }
    }
    if (text->length == 0)
        report("the text is empty; expected a byte or more");
    return text->length != 0;
}
