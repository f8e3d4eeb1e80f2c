/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A text that is written piece by piece. The stream keeps the last max_length - 1 bytes that it has
 * scanned, and behind them the small pieces that it has gathered. A large piece is scanned in two
 * windows: the joint, in the stream's buffer, and the rest, in the caller's memory without a copy:
 *
 *     buffer     | kept | gathered | first max_length - 1 bytes of the piece |
 *                  overlap ^ owned by the joint                              ^
 *
 *     piece                        | overlap | owned by the second window                 |
 *
 * With conditions, whether a match counts may depend on the byte before it and on the byte behind
 * it. Then one byte more is kept (trawl_db_overlap), and the last byte that has been written waits,
 * as a gathered one, until the next byte or the end of the text comes.
 */
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "run/run.h"

/* Bytes that are gathered before they are scanned: on one thread; on several threads, which share
 * them; for a GPU, where launching and waiting cost as much time as scanning this many. They trade
 * the cost of beginning a window against memory and delay; no measurement chose them. */
#define GATHER ((size_t)65536)
#define GATHER_FOR_MANY ((size_t)262144)
#define GATHER_FOR_DEVICE ((size_t)4 << 20)
/* Gathered bytes for each byte of overlap, at least: the overlap is walked again in every window.
 */
#define OVERLAP_FACTOR 4

struct trawl_stream {
    trawl_run run;
    uint8_t *buffer;     /* kept bytes, then gathered ones */
    size_t kept;         /* bytes of the overlap: scanned already */
    size_t gathered;     /* bytes that are not scanned yet */
    size_t overlap;      /* trawl_db_overlap */
    size_t waiting;      /* 1 if the last byte waits for the next one, else 0 */
    size_t gather_limit; /* gathered bytes are scanned when there are this many */
    uint64_t offset;     /* bytes written so far */
    bool finished;       /* the text has ended */
    trawl_status status; /* the first failure, or TRAWL_STOPPED; all later calls return it */
    trawl_error error;
};

static trawl_status open_stream(const trawl_db *db, const trawl_scan_options *options,
                                const trawl_receiver *receiver, trawl_stream **stream,
                                trawl_error *error) {
    trawl_clear(error);
    if (stream == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "opening a stream: stream is NULL");
    }
    *stream = NULL;
    trawl_stream *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "a stream", sizeof *made);
    }
    trawl_status status = trawl_run_open(&made->run, db, options, receiver, NULL, error);
    if (status == TRAWL_OK) {
        made->overlap = trawl_db_overlap(db);
        made->waiting = made->run.conditions ? 1 : 0;
        size_t gather = made->run.options.device != NULL ? GATHER_FOR_DEVICE
                        : made->run.options.threads > 1  ? GATHER_FOR_MANY
                                                         : GATHER;
        size_t worthwhile = made->overlap * OVERLAP_FACTOR;
        made->gather_limit = worthwhile > gather ? worthwhile : gather;
        /* Room for the joint: kept bytes, gathered bytes, and the beginning of a piece. */
        size_t capacity = made->overlap + made->gather_limit + made->overlap + made->waiting;
        made->buffer = trawl_allocate(capacity, 1);
        if (made->buffer == NULL) {
            status = trawl_fail_memory(error, "a stream", capacity);
        }
    }
    if (status != TRAWL_OK) {
        trawl_stream_abandon(made);
        return status;
    }
    *stream = made;
    return TRAWL_OK;
}

trawl_status trawl_stream_open(const trawl_db *db, const trawl_scan_options *options,
                               trawl_on_match on_match, void *context, trawl_stream **stream,
                               trawl_error *error) {
    trawl_receiver receiver = {.on_match = on_match, .context = context};
    return open_stream(db, options, &receiver, stream, error);
}

trawl_status trawl_stream_open_batches(const trawl_db *db, const trawl_scan_options *options,
                                       trawl_on_matches on_matches, void *context,
                                       trawl_stream **stream, trawl_error *error) {
    trawl_receiver receiver = {.on_matches = on_matches, .context = context};
    return open_stream(db, options, &receiver, stream, error);
}

trawl_status trawl_stream_count_patterns(trawl_stream *stream, uint64_t *per_pattern,
                                         trawl_error *error) {
    trawl_clear(error);
    if (stream == NULL || stream->offset != 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_stream_count_patterns: %s",
                          stream == NULL ? "stream is NULL" : "the stream has been written to");
    }
    stream->run.per_pattern = per_pattern;
    if (!stream->run.count_only) {
        stream->run.delivery.per_pattern = per_pattern;
    }
    return TRAWL_OK;
}

uint64_t trawl_stream_matches(const trawl_stream *stream) {
    return stream == NULL ? 0 : trawl_run_total(&stream->run);
}

uint64_t trawl_stream_offset(const trawl_stream *stream) {
    return stream == NULL ? 0 : stream->offset;
}

/* Keeps a failure, which all later calls return. */
static trawl_status keep_status(trawl_stream *stream, trawl_status status, trawl_error *error) {
    stream->status = status;
    if (error != NULL) {
        *error = stream->error;
    }
    return status;
}

/* Scans bytes [owned, length - waiting) of `text`, whose end is at `offset` of the stream. Keeps
 * the last scanned bytes as the overlap of the next window, and behind them the waiting byte. */
static trawl_status scan_part(trawl_stream *stream, const uint8_t *text, size_t length,
                              size_t owned, size_t waiting, uint64_t offset) {
    size_t end = length - waiting;
    trawl_window window = {.text = text,
                           .length = end,
                           .owned = owned,
                           .base = offset - length,
                           .goes_on = waiting != 0,
                           .next = waiting != 0 ? text[end] : 0};
    trawl_status status = trawl_run_window(&stream->run, &window, &stream->error);
    if (status == TRAWL_OK) {
        size_t tail = end < stream->overlap ? end : stream->overlap;
        memmove(stream->buffer, text + end - tail, tail + waiting);
        stream->kept = tail;
        stream->gathered = waiting;
    }
    return status;
}

/* Scans the gathered bytes, of which there are more than `waiting`, up to `offset` of the text. */
static trawl_status scan_gathered(trawl_stream *stream, size_t waiting, uint64_t offset) {
    return scan_part(stream, stream->buffer, stream->kept + stream->gathered, stream->kept, waiting,
                     offset);
}

trawl_status trawl_stream_write(trawl_stream *stream, const void *bytes, size_t length,
                                trawl_error *error) {
    trawl_clear(error);
    if (stream == NULL || (bytes == NULL && length != 0)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_stream_write: %s is NULL",
                          stream == NULL ? "stream" : "bytes");
    }
    if (stream->status != TRAWL_OK) {
        return keep_status(stream, stream->status, error);
    }
    if (stream->finished) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_stream_write: the stream has been finished");
    }
    const uint8_t *piece = bytes;
    if (length == 0) {
        return TRAWL_OK;
    }
    if (stream->gathered + length < stream->gather_limit) {
        memcpy(stream->buffer + stream->kept + stream->gathered, piece, length);
        stream->gathered += length;
        stream->offset += length;
        return TRAWL_OK;
    }
    /* The joint: matches that end in the first bytes of the piece may begin before the piece. */
    size_t waiting = stream->waiting, most = stream->overlap + waiting;
    size_t joint = length < most ? length : most;
    trawl_status status = TRAWL_OK;
    if (stream->gathered != 0 || stream->kept != 0) {
        memcpy(stream->buffer + stream->kept + stream->gathered, piece, joint);
        stream->gathered += joint;
        status = scan_gathered(stream, waiting, stream->offset + joint);
    } else {
        joint = 0; /* the text begins with this piece */
    }
    if (status == TRAWL_OK && length > joint) {
        size_t owned = joint == 0 ? 0 : joint - waiting;
        status = scan_part(stream, piece, length, owned, waiting, stream->offset + length);
    }
    stream->offset += length;
    return status == TRAWL_OK ? TRAWL_OK : keep_status(stream, status, error);
}

trawl_status trawl_stream_flush(trawl_stream *stream, trawl_error *error) {
    trawl_clear(error);
    if (stream == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "flushing or finishing a stream: stream is NULL");
    }
    trawl_status status = stream->status;
    if (status == TRAWL_OK && stream->gathered > stream->waiting) {
        status = scan_gathered(stream, stream->waiting, stream->offset);
    }
    return status == TRAWL_OK ? TRAWL_OK : keep_status(stream, status, error);
}

trawl_status trawl_stream_finish(trawl_stream *stream, trawl_error *error) {
    trawl_status status = trawl_stream_flush(stream, error);
    if (status != TRAWL_OK || stream->finished) {
        return status;
    }
    stream->finished = true;
    if (stream->gathered != 0) {
        status = scan_gathered(stream, 0, stream->offset);
    }
    if (status == TRAWL_OK) {
        status = trawl_run_finish(&stream->run);
    }
    return status == TRAWL_OK ? TRAWL_OK : keep_status(stream, status, error);
}

trawl_status trawl_stream_close(trawl_stream *stream, trawl_error *error) {
    trawl_status status = trawl_stream_finish(stream, error);
    trawl_stream_abandon(stream);
    return status;
}

void trawl_stream_abandon(trawl_stream *stream) {
    if (stream != NULL) {
        trawl_run_close(&stream->run);
        trawl_release(stream->buffer);
        trawl_release(stream);
    }
}
