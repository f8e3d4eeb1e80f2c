/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/replace/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/compressed.h"
#include "cli/base/names.h"
#include "cli/base/report.h"
#include "io/read_ahead.h"

/* Bytes that are read at a time. A file that is shorter is written only if it changes; a longer one
 * is written while it is read, and what was written is removed if nothing has changed. */
enum { PIECE = REPLACE_SMALL_TEXT };

void text_replacer_release(text_replacer *self) {
    free(self->buffer);
    free(self->result);
}

/* Messages about files begin with their name. */
static bool fail(const trawl_error *error) {
    report("%s%s", error->status == TRAWL_ERROR_MEMORY ? "" : "text ", error->message);
    return false;
}

/* ------------------------------------------------------------------ where results go */

/* A trawl_on_bytes for memory. */
static int keep_bytes(const void *bytes, size_t length, void *context) {
    text_replacer *self = context;
    if (length > self->result_capacity - self->result_length) {
        size_t wanted = 2 * (self->result_length + length);
        self->result = reallocate(self->result, wanted);
        self->result_capacity = wanted;
    }
    memcpy(self->result + self->result_length, bytes, length);
    self->result_length += length;
    return 0;
}

/* ------------------------------------------------------------------ pieces */

/* The pieces of a text, which this thread reads or another one. */
typedef struct piece_source {
    text_file *file;    /* NULL: it belongs to `reader` */
    read_ahead *reader; /* NULL: this thread reads, into the buffer */
    bool is_slow;       /* of a pipe: results are written when it has no more for now */
} piece_source;

/* Starts another thread that reads, if that is worth it and the system allows it. */
static bool begin_source(const text_replacer *self, text_file *file, piece_source *source) {
    trawl_error error;
    uint64_t stored = text_file_stored_bytes(file);
    *source = (piece_source){.file = file, .is_slow = stored == 0};
    if (!self->several_threads || (stored != 0 && stored <= PIECE))
        return true;
    source->file = NULL;
    return read_ahead_open(file, &source->reader, &error) == TRAWL_OK || fail(&error);
}

static void end_source(piece_source *source) {
    read_ahead_close(source->reader);
    text_file_close(source->file);
}

/* The next piece; *length is 0 at the end. False after reporting. */
static bool next_piece(const text_replacer *self, const piece_source *source, const uint8_t **bytes,
                       size_t *length) {
    trawl_error error;
    trawl_status status;
    *length = 0;
    if (source->reader != NULL) {
        status = read_ahead_next(source->reader, bytes, length, &error);
    } else {
        *bytes = self->buffer;
        status = text_file_read(source->file, self->buffer, PIECE, length, &error);
    }
    return status == TRAWL_OK || fail(&error);
}

/* Replaces in the pieces of a file, of which the first `length` bytes are in the buffer, and closes
 * it. */
static bool replace_pieces(const text_replacer *self, text_file *file, size_t length,
                           trawl_on_bytes on_bytes, void *context, uint64_t *replaced) {
    const uint8_t *bytes = self->buffer;
    piece_source source;
    trawl_status status = TRAWL_OK;
    bool good = begin_source(self, file, &source);
    trawl_replacer_start(self->replacer);
    if (good && length == 0)
        good = next_piece(self, &source, &bytes, &length);
    while (status == TRAWL_OK && length != 0) {
        status = trawl_replacer_write(self->replacer, bytes, length, on_bytes, context);
        bool waits = source.reader == NULL || read_ahead_is_empty(source.reader);
        if (source.is_slow && waits && self->output != NULL)
            output_file_drain(self->output);
        length = 0;
        if (status == TRAWL_OK && good)
            good = next_piece(self, &source, &bytes, &length);
    }
    /* After an error, what was read before it has been replaced. */
    if (status == TRAWL_OK)
        status = trawl_replacer_finish(self->replacer, on_bytes, context, replaced);
    end_source(&source);
    if (status != TRAWL_OK && status != TRAWL_STOPPED)
        report("%s", trawl_status_text(status));
    return good && status == TRAWL_OK;
}

/* ------------------------------------------------------------------ in place */

/* Whether a file cannot be changed in place. Asked before it is opened: opening a FIFO waits. */
static bool is_special(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static bool refuse_special(const char *path) {
    report("text %s: is no regular file, and cannot be changed in place", path);
    return false;
}

/* A search that failed before the text's end: its result is a part of the new content, and the file
 * stays as it was. */
static bool refuse_partial(const char *path, trawl_status status, uint64_t *replaced) {
    report("text %s: not replaced: %s", path, trawl_status_text(status));
    *replaced = 0;
    return false;
}

/* Gives a file its new content: that of the result. */
static bool write_result(const text_replacer *self, const char *path) {
    trawl_error error;
    output_file *output = NULL;
    if (output_file_open(path, &output, &error) != TRAWL_OK)
        return fail(&error);
    output_file_write(output, self->result, self->result_length);
    return output_file_close(output, &error) == TRAWL_OK || fail(&error);
}

/* A file that is longer than the buffer, of which the beginning is there. Closes it. */
static bool replace_large_file(const text_replacer *self, text_file *file, const char *path,
                               uint64_t *replaced) {
    trawl_error error;
    output_file *output = NULL;
    if (output_file_open(path, &output, &error) != TRAWL_OK) {
        text_file_close(file);
        return fail(&error);
    }
    bool read = replace_pieces(self, file, PIECE, output_file_take, output, replaced);
    if (output_file_failed(output) || (read && *replaced != 0))
        return output_file_close(output, &error) == TRAWL_OK || fail(&error);
    output_file_abandon(output); /* the file is as it was */
    return read;
}

/* Closes the file. */
static bool replace_in_place(text_replacer *self, text_file *file, const char *path,
                             uint64_t *replaced) {
    trawl_error error;
    size_t length = 0;
    bool good = text_file_is_plain(file);
    if (text_file_is_compressed(file))
        report("text %s: is compressed, and its replacement would not be; use -o", path);
    else if (!good)
        (void)refuse_special(path);
    else
        good =
            text_file_fill(file, self->buffer, PIECE, &length, &error) == TRAWL_OK || fail(&error);
    if (good && length == PIECE)
        return replace_large_file(self, file, path, replaced);
    text_file_close(file);
    if (!good)
        return false;
    self->result_length = 0;
    trawl_status status =
        trawl_replace(self->replacer, self->buffer, length, keep_bytes, self, replaced);
    if (status != TRAWL_OK)
        return refuse_partial(path, status, replaced);
    return *replaced == 0 || write_result(self, path);
}

/* Whether what is written would be read again, without end. */
static bool is_standard_output(const text_file *file) {
    struct stat text, output;
    return fstat(text_file_descriptor(file), &text) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
           S_ISREG(text.st_mode) && text.st_dev == output.st_dev && text.st_ino == output.st_ino;
}

bool text_replacer_run(text_replacer *self, const char *path, uint64_t *replaced) {
    trawl_error error;
    text_file *file = NULL;
    *replaced = 0;
    if (self->buffer == NULL)
        self->buffer = allocate(PIECE);
    if (self->in_place && is_special(path))
        return refuse_special(path);
    if (text_file_open(path, TEXT_DECOMPRESS, &file, &error) != TRAWL_OK)
        return fail(&error);
    if (self->to_standard_output && is_standard_output(file)) {
        report("text %s: not replaced, since it is the output too", name_in_message(path));
        text_file_close(file);
        return false;
    }
    note_compressed(path, file);
    if (self->in_place)
        return replace_in_place(self, file, path, replaced);
    return replace_pieces(self, file, 0, self->on_bytes, self->context, replaced);
}
