/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "io/decoder.h"

enum {
    STORED_BUFFER = 1 << 20, /* compressed bytes that are read at a time */
    PIPE_BYTES = 1 << 20,    /* size of a pipe's buffer: fewer waits than with the usual 64 KiB */
    MESSAGE_NAME = 360,      /* bytes of a file's name in a message, which has 508 */
    READ_AT_MOST = 1 << 30   /* bytes of one read(2); Linux reads at most 2 GiB - 4096 */
};

struct text_file {
    int descriptor;
    bool owns_descriptor;
    bool stored_ended; /* read(2) has returned 0 */
    bool ended;
    bool is_regular;
    char *name;
    uint64_t begin; /* position of a regular file's descriptor when it was opened */
    uint64_t stored_bytes;
    uint64_t stored_position;
    text_decoder *decoder; /* NULL: not compressed */
    const char *foreign_format;
    /* Bytes that have been read but not used: the first ones of the file, by which its format is
     * recognised, and later those that the decoder has not consumed. */
    uint8_t *stored; /* `magic`; with a decoder, STORED_BUFFER bytes */
    size_t stored_begin;
    size_t stored_end;
    uint8_t magic[COMPRESSION_MAGIC_BYTES];
};

static trawl_status system_error(const text_file *file, trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_IO, "%s: %s", file->name, strerror(errno));
}

/* At the end of the stored bytes: fails if a regular file has become shorter since it was
 * opened. Files in /sys and the like, whose size was never that of their content, do not count
 * as shorter. */
static trawl_status check_length(const text_file *file, trawl_error *error) {
    uint64_t end = file->begin + file->stored_position;
    struct stat now;
    if (!file->is_regular || end >= file->stored_bytes || fstat(file->descriptor, &now) != 0 ||
        (uint64_t)now.st_size >= file->stored_bytes)
        return TRAWL_OK;
    return trawl_fail(error, TRAWL_ERROR_IO,
                      "%s: became shorter while it was read: expected %" PRIu64
                      " bytes, got %" PRIu64,
                      file->name, file->stored_bytes, end);
}

/* read(2), repeated if a signal interrupts it. */
static trawl_status read_stored(text_file *file, void *buffer, size_t capacity, size_t *length,
                                trawl_error *error) {
    *length = 0;
    if (file->stored_ended)
        return TRAWL_OK;
    ssize_t got = 0;
    do {
        got = read(file->descriptor, buffer, capacity > READ_AT_MOST ? READ_AT_MOST : capacity);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return system_error(file, error);
    file->stored_ended = got == 0;
    file->stored_position += (uint64_t)got;
    *length = (size_t)got;
    return got == 0 ? check_length(file, error) : TRAWL_OK;
}

/* Reads the first bytes, and opens a decoder if they are those of a compressed format. */
static trawl_status recognise(text_file *file, trawl_error *error) {
    while (file->stored_end < COMPRESSION_MAGIC_BYTES && !file->stored_ended) {
        size_t length = 0;
        trawl_status status =
            read_stored(file, file->stored + file->stored_end,
                        COMPRESSION_MAGIC_BYTES - file->stored_end, &length, error);
        if (status != TRAWL_OK)
            return status;
        file->stored_end += length;
        /* If no compressed format begins with these bytes, do not wait for more from a terminal or
         * a pipe. */
        if (!compression_is_possible(file->stored, file->stored_end))
            break;
    }
    compression format = compression_recognise(file->stored, file->stored_end);
    if (format == COMPRESSION_NONE) {
        file->foreign_format = compression_foreign(file->stored, file->stored_end);
        return TRAWL_OK;
    }
    file->stored = malloc(STORED_BUFFER);
    if (file->stored == NULL)
        return trawl_fail(error, TRAWL_ERROR_MEMORY, "%s: out of memory", file->name);
    memcpy(file->stored, file->magic, file->stored_end);
    return decoder_open(format, file->name, &file->decoder, error);
}

static trawl_status prepare(text_file *file, text_decoding decoding, trawl_error *error) {
    struct stat information;
    if (fstat(file->descriptor, &information) != 0)
        return system_error(file, error);
    if (S_ISDIR(information.st_mode)) {
        errno = EISDIR;
        return system_error(file, error);
    }
    file->is_regular = S_ISREG(information.st_mode);
    if (S_ISFIFO(information.st_mode) && fcntl(file->descriptor, F_GETPIPE_SZ) < PIPE_BYTES)
        (void)fcntl(file->descriptor, F_SETPIPE_SZ, PIPE_BYTES); /* a refusal costs speed alone */
    if (file->is_regular) {
        off_t begin = lseek(file->descriptor, 0, SEEK_CUR);
        file->begin = begin < 0 ? 0 : (uint64_t)begin;
        file->stored_bytes = (uint64_t)information.st_size;
        (void)posix_fadvise(file->descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return decoding == TEXT_DECOMPRESS ? recognise(file, error) : TRAWL_OK;
}

/* The name for messages. Of a name that would leave no room for the reason, the end is kept. */
static const char *name_for_messages(const char *name, char room[MESSAGE_NAME + 4]) {
    size_t length = strlen(name);
    if (length <= MESSAGE_NAME)
        return name;
    (void)snprintf(room, MESSAGE_NAME + 4, "...%s", name + length - MESSAGE_NAME);
    return room;
}

trawl_status text_file_open_descriptor(int descriptor, const char *name, text_decoding decoding,
                                       text_file **file, trawl_error *error) {
    char shortened[MESSAGE_NAME + 4];
    name = name_for_messages(name, shortened);
    text_file *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->name = strdup(name);
    if (made == NULL || made->name == NULL) {
        if (descriptor != STDIN_FILENO)
            (void)close(descriptor);
        free(made);
        return trawl_fail(error, TRAWL_ERROR_MEMORY, "%s: out of memory", name);
    }
    made->stored = made->magic;
    made->descriptor = descriptor;
    made->owns_descriptor = descriptor != STDIN_FILENO;
    trawl_status status = prepare(made, decoding, error);
    if (status == TRAWL_OK)
        *file = made;
    else
        text_file_close(made);
    return status;
}

trawl_status text_file_open(const char *path, text_decoding decoding, text_file **file,
                            trawl_error *error) {
    if (strcmp(path, "-") == 0)
        return text_file_open_descriptor(STDIN_FILENO, "(standard input)", decoding, file, error);
    char shortened[MESSAGE_NAME + 4];
    int descriptor = -1;
    do {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0)
        return trawl_fail(error, TRAWL_ERROR_IO, "%s: %s", name_for_messages(path, shortened),
                          strerror(errno));
    return text_file_open_descriptor(descriptor, path, decoding, file, error);
}

static trawl_status read_decoded(text_file *file, uint8_t *buffer, size_t capacity, size_t *length,
                                 trawl_error *error) {
    decoder_step step = {.next_out = buffer, .available_out = capacity};
    trawl_status status = TRAWL_OK;
    while (status == TRAWL_OK && !file->ended && step.available_out == capacity) {
        if (file->stored_begin == file->stored_end && !file->stored_ended) {
            file->stored_begin = file->stored_end = 0;
            status = read_stored(file, file->stored, STORED_BUFFER, &file->stored_end, error);
            if (status != TRAWL_OK)
                break;
        }
        step.next_in = file->stored + file->stored_begin;
        step.available_in = file->stored_end - file->stored_begin;
        step.input_ended = file->stored_ended;
        status = decoder_run(file->decoder, &step, &file->ended, error);
        file->stored_begin = file->stored_end - step.available_in;
    }
    *length = capacity - step.available_out;
    return status;
}

trawl_status text_file_read(text_file *file, void *buffer, size_t capacity, size_t *length,
                            trawl_error *error) {
    *length = 0;
    if (file->ended || capacity == 0)
        return TRAWL_OK;
    if (file->decoder != NULL)
        return read_decoded(file, buffer, capacity, length, error);
    if (file->stored_begin < file->stored_end) {
        size_t kept = file->stored_end - file->stored_begin;
        *length = kept < capacity ? kept : capacity;
        memcpy(buffer, file->stored + file->stored_begin, *length);
        file->stored_begin += *length;
        return TRAWL_OK;
    }
    trawl_status status = read_stored(file, buffer, capacity, length, error);
    file->ended = status == TRAWL_OK && *length == 0;
    return status;
}

trawl_status text_file_fill(text_file *file, void *buffer, size_t capacity, size_t *length,
                            trawl_error *error) {
    *length = 0;
    while (*length < capacity) {
        size_t got = 0;
        trawl_status status =
            text_file_read(file, (uint8_t *)buffer + *length, capacity - *length, &got, error);
        *length += got;
        if (status != TRAWL_OK || got == 0)
            return status;
    }
    return TRAWL_OK;
}

uint64_t text_file_stored_bytes(const text_file *file) {
    return file->stored_bytes;
}

uint64_t text_file_stored_position(const text_file *file) {
    return file->stored_position;
}

bool text_file_is_plain(const text_file *file) {
    return file->is_regular && file->decoder == NULL;
}

bool text_file_is_compressed(const text_file *file) {
    return file->decoder != NULL;
}

const char *text_file_foreign_format(const text_file *file) {
    return file->decoder == NULL ? file->foreign_format : NULL;
}

bool text_file_bytes_are_compressed(const void *bytes, size_t length) {
    return compression_recognise(bytes, length) != COMPRESSION_NONE;
}

uint64_t text_file_length(const text_file *file) {
    return text_file_is_plain(file) && file->stored_bytes > file->begin
               ? file->stored_bytes - file->begin
               : 0;
}

trawl_status text_file_read_at(const text_file *file, uint64_t offset, void *buffer,
                               size_t capacity, size_t *length, trawl_error *error) {
    ssize_t got = 0;
    *length = 0;
    do {
        got = pread(file->descriptor, buffer, capacity > READ_AT_MOST ? READ_AT_MOST : capacity,
                    (off_t)(file->begin + offset));
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return system_error(file, error);
    if (got == 0 && capacity != 0)
        return trawl_fail(error, TRAWL_ERROR_IO,
                          "%s: became shorter while it was read: expected %" PRIu64
                          " bytes, but there are none from byte %" PRIu64 " on",
                          file->name, file->stored_bytes, file->begin + offset);
    *length = (size_t)got;
    return TRAWL_OK;
}

void text_file_pass_over(text_file *file) {
    (void)lseek(file->descriptor, (off_t)file->stored_bytes, SEEK_SET);
}

int text_file_descriptor(const text_file *file) {
    return file->descriptor;
}

void text_file_close(text_file *file) {
    if (file == NULL)
        return;
    decoder_close(file->decoder);
    if (file->owns_descriptor)
        (void)close(file->descriptor);
    if (file->stored != file->magic)
        free(file->stored);
    free(file->name);
    free(file);
}
