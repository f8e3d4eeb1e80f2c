/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A smaller compressed file is decompressed before a thread would have started. */
enum { AHEAD_FROM_BYTES = 128 << 10 };

void grep_source_open(grep_source *source, int descriptor, const struct stat *information,
                      bool plain) {
    *source = (grep_source){.decompress = source->decompress,
                            .threads = source->threads,
                            .plain = plain,
                            .regular = S_ISREG(information->st_mode),
                            .descriptor = descriptor};
    if (source->regular) {
        source->begin = lseek(descriptor, 0, SEEK_CUR);
        bool inside = source->begin < information->st_size;
        source->length = inside ? (uint64_t)(information->st_size - source->begin) : 0;
    }
}

static size_t fail(grep_source *source, const char *problem) {
    (void)snprintf(source->problem, sizeof source->problem, "%s", problem);
    source->ended = true;
    return 0;
}

/* The text files of this source have the empty name, which begins their messages. */
static size_t fail_file(grep_source *source, const trawl_error *error) {
    bool named = strncmp(error->message, ": ", 2) == 0;
    return fail(source, error->message + (named ? 2 : 0));
}

/* Handles the end of the file: it is a problem if a file has become shorter. Files in /sys and the
 * like, whose size was never that of their content, do not count as shorter. */
static size_t end(grep_source *source) {
    struct stat now;
    source->ended = true;
    if (source->regular && source->got < source->length && fstat(source->descriptor, &now) == 0 &&
        (uint64_t)now.st_size < (uint64_t)source->begin + source->length) {
        (void)snprintf(source->problem, sizeof source->problem,
                       "became shorter while it was read: expected %" PRIu64 " bytes, got %" PRIu64,
                       source->length, source->got);
    }
    return 0;
}

static size_t read_descriptor(grep_source *source, void *buffer, size_t capacity) {
    ssize_t got = 0;
    do {
        got = read(source->descriptor, buffer, capacity);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return fail(source, strerror(errno));
    }
    source->got += (uint64_t)got;
    return got == 0 ? end(source) : (size_t)got;
}

static size_t read_ahead_of(grep_source *source, void *buffer, size_t capacity) {
    if (source->piece == source->piece_end) {
        trawl_error error;
        size_t length = 0;
        trawl_status status = read_ahead_next(source->reader, &source->piece, &length, &error);
        source->piece_end = source->piece + length;
        if (status != TRAWL_OK) {
            return fail_file(source, &error);
        }
    }
    size_t length = (size_t)(source->piece_end - source->piece);
    length = length < capacity ? length : capacity;
    if (length > 0) {
        memcpy(buffer, source->piece, length);
    }
    source->piece += length;
    source->ended = length == 0;
    return length;
}

static size_t read_file(grep_source *source, void *buffer, size_t capacity) {
    trawl_error error;
    size_t length = 0;
    trawl_status status = text_file_read(source->file, buffer, capacity, &length, &error);
    if (status != TRAWL_OK) {
        (void)fail_file(source, &error);
    }
    source->ended = length == 0 || status != TRAWL_OK;
    return length;
}

/* Opens the text as a text_file, at the descriptor's position. False: `problem` says why not. */
static bool open_file(grep_source *source) {
    trawl_error error;
    /* A text_file closes its descriptor, unless that is standard input. */
    int descriptor = source->descriptor;
    if (descriptor != STDIN_FILENO) {
        descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    }
    if (descriptor < 0) {
        (void)fail(source, strerror(errno));
        return false;
    }
    trawl_status status =
        text_file_open_descriptor(descriptor, "", TEXT_DECOMPRESS, &source->file, &error);
    if (status == TRAWL_OK) {
        source->decompressed = text_file_is_compressed(source->file);
        bool ahead = source->decompressed && source->threads > 1 &&
                     (!source->regular || source->length >= AHEAD_FROM_BYTES);
        status = ahead ? read_ahead_open(source->file, &source->reader, &error) : TRAWL_OK;
        source->file = ahead ? NULL : source->file;
    }
    if (status != TRAWL_OK) {
        (void)fail_file(source, &error);
    }
    return status == TRAWL_OK;
}

/* The first read. */
static size_t begin(grep_source *source, void *buffer, size_t capacity) {
    source->begun = true;
    if (source->regular) {
        size_t length = read_descriptor(source, buffer, capacity);
        if (!source->decompress || source->plain ||
            !text_file_bytes_are_compressed(buffer, length)) {
            return length;
        }
        if (lseek(source->descriptor, source->begin, SEEK_SET) != source->begin) {
            return fail(source, strerror(errno));
        }
    } else if (!source->decompress) {
        return read_descriptor(source, buffer, capacity);
    }
    return open_file(source) ? grep_source_read(source, buffer, capacity) : 0;
}

size_t grep_source_read(grep_source *source, void *buffer, size_t capacity) {
    if (source->ended) {
        return 0;
    }
    if (!source->begun) {
        return begin(source, buffer, capacity);
    }
    return source->reader != NULL ? read_ahead_of(source, buffer, capacity)
           : source->file != NULL ? read_file(source, buffer, capacity)
                                  : read_descriptor(source, buffer, capacity);
}

bool grep_source_may_wait(grep_source *source) {
    if (source->regular || source->ended) {
        return false;
    }
    if (source->reader != NULL) {
        return source->piece == source->piece_end && read_ahead_is_empty(source->reader);
    }
    struct pollfd descriptor = {.fd = source->descriptor, .events = POLLIN};
    return poll(&descriptor, 1, 0) != 1;
}

void grep_source_close(grep_source *source) {
    text_file_close(source->file);
    read_ahead_close(source->reader);
    source->file = NULL;
    source->reader = NULL;
    source->piece = source->piece_end = NULL;
}
