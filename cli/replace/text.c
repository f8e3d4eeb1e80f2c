/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/replace/text.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"

/* Bytes that are read at a time. A file that is shorter is written only if it changes; a longer one
 * is written while it is read, and what was written is removed if nothing has changed. */
enum { PIECE = 4 << 20 };

void text_replacer_open(text_replacer *self, const replace_options *options,
                        trawl_replacer *replacer, output_file *output) {
    *self = (text_replacer){.options = options, .replacer = replacer, .output = output};
    self->buffer = allocate(PIECE);
}

void text_replacer_close(text_replacer *self) {
    free(self->buffer);
    free(self->result);
}

static bool fail(const trawl_error *error) {
    report("text %s", error->message);
    return false;
}

/* ------------------------------------------------------------------ where results go */

/* A trawl_on_bytes for an output, or for none. */
static int write_bytes(const void *bytes, size_t length, void *context) {
    output_file *output = context;
    if (output == NULL)
        return 0;
    output_file_write(output, bytes, length);
    return output_file_failed(output);
}

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

/* ------------------------------------------------------------------ texts */

/* Replaces in the pieces of a file, the first of which is in the buffer. */
static bool replace_pieces(text_replacer *self, text_file *file, size_t length, output_file *output,
                           uint64_t *replaced) {
    trawl_error error = {.message = ""};
    bool good = true, is_slow = text_file_stored_bytes(file) == 0;
    trawl_status status = TRAWL_OK;
    trawl_replacer_start(self->replacer);
    while (good && status == TRAWL_OK && length != 0) {
        status = trawl_replacer_write(self->replacer, self->buffer, length, write_bytes, output);
        if (is_slow && output != NULL)
            output_file_drain(output);
        if (status == TRAWL_OK &&
            text_file_read(file, self->buffer, PIECE, &length, &error) != TRAWL_OK)
            good = fail(&error);
    }
    /* After an error, what was read before it has been replaced. */
    if (status == TRAWL_OK)
        status = trawl_replacer_finish(self->replacer, write_bytes, output, replaced);
    return good && status == TRAWL_OK;
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

/* A file that is longer than the buffer, of which the beginning is there. */
static bool replace_large_file(text_replacer *self, text_file *file, const char *path,
                               uint64_t *replaced) {
    trawl_error error;
    output_file *output = NULL;
    if (output_file_open(path, &output, &error) != TRAWL_OK)
        return fail(&error);
    bool read = replace_pieces(self, file, PIECE, output, replaced);
    if (output_file_failed(output) || (read && *replaced != 0))
        return output_file_close(output, &error) == TRAWL_OK || fail(&error);
    output_file_abandon(output); /* the file is as it was */
    return read;
}

static bool replace_in_place(text_replacer *self, text_file *file, const char *path,
                             uint64_t *replaced) {
    trawl_error error;
    size_t length = 0;
    if (!text_file_is_plain(file)) {
        report("text %s: %s", path,
               text_file_is_compressed(file)
                   ? "is compressed, and its replacement would not be; use -o"
                   : "is no regular file, and cannot be changed in place");
        return false;
    }
    if (text_file_fill(file, self->buffer, PIECE, &length, &error) != TRAWL_OK)
        return fail(&error);
    if (length == PIECE)
        return replace_large_file(self, file, path, replaced);
    self->result_length = 0;
    (void)trawl_replace(self->replacer, self->buffer, length, keep_bytes, self, replaced);
    return *replaced == 0 || write_result(self, path);
}

bool text_replacer_run(text_replacer *self, const char *path, uint64_t *replaced) {
    trawl_error error;
    text_file *file = NULL;
    size_t length = 0;
    *replaced = 0;
    if (text_file_open(path, TEXT_DECOMPRESS, &file, &error) != TRAWL_OK)
        return fail(&error);
    bool good = true;
    if (self->options->in_place)
        good = replace_in_place(self, file, path, replaced);
    else if (text_file_read(file, self->buffer, PIECE, &length, &error) != TRAWL_OK)
        good = fail(&error);
    else
        good = replace_pieces(self, file, length, self->output, replaced);
    text_file_close(file);
    return good;
}
