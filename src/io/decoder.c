/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/decoder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifdef TRAWL_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef TRAWL_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#ifdef TRAWL_HAVE_LZMA
#include <lzma.h>
#endif

#include "base/status.h"

/* A file of a few KiB may ask for a window of 2 GiB and fill it. 128 MiB is what the command zstd
 * allows by default; of xz, it is twice the dictionary of xz -9. */
#define WINDOW_LOG 27
#define XZ_BYTES (UINT64_C(130) << 20) /* such a dictionary, and what else the decoder needs */

struct text_decoder {
    compression format;
    const char *name;
    bool between_members; /* a member has ended, and no byte of the next one has been read */
#ifdef TRAWL_HAVE_ZLIB
    z_stream gzip;
#endif
#ifdef TRAWL_HAVE_ZSTD
    ZSTD_DStream *zstd;
#endif
#ifdef TRAWL_HAVE_LZMA
    lzma_stream xz;
#endif
};

/* The first bytes of the formats. The third byte of gzip is its method, of which there is only
 * deflate. A zstd file may begin with a skippable frame, as those of pzstd do: any byte 0x5X comes
 * first. */
static const struct {
    compression format;
    size_t length;
    uint8_t bytes[COMPRESSION_MAGIC_BYTES];
    uint8_t first_mask; /* the bits of the first byte that count */
} magics[] = {
    {COMPRESSION_GZIP, 3, {0x1f, 0x8b, 0x08}, 0xff},
    {COMPRESSION_ZSTD, 4, {0x28, 0xb5, 0x2f, 0xfd}, 0xff},
    {COMPRESSION_ZSTD, 4, {0x50, 0x2a, 0x4d, 0x18}, 0xf0},
    {COMPRESSION_XZ, 6, {0xfd, '7', 'z', 'X', 'Z', 0}, 0xff},
};

/* The index in `magics` of the first format whose magic bytes agree with the first `length` bytes
 * of a file. If the file is shorter than the magic bytes, all its bytes have to agree. */
static size_t find_magic(const uint8_t *bytes, size_t length) {
    size_t i = 0;
    for (; i < sizeof magics / sizeof magics[0]; i++) {
        size_t both = length < magics[i].length ? length : magics[i].length;
        if (both == 0 || ((bytes[0] & magics[i].first_mask) == magics[i].bytes[0] &&
                          memcmp(bytes + 1, magics[i].bytes + 1, both - 1) == 0))
            break;
    }
    return i;
}

bool compression_is_possible(const uint8_t *bytes, size_t length) {
    return find_magic(bytes, length) < sizeof magics / sizeof magics[0];
}

compression compression_recognise(const uint8_t *bytes, size_t length) {
    size_t magic = find_magic(bytes, length);
    return magic < sizeof magics / sizeof magics[0] && length >= magics[magic].length
               ? magics[magic].format
               : COMPRESSION_NONE;
}

/* A bzip2 file begins with its level and the digits of pi, an lz4 file with its magic number. */
const char *compression_foreign(const uint8_t *bytes, size_t length) {
    static const uint8_t lz4[] = {0x04, 0x22, 0x4d, 0x18};
    if (length >= sizeof lz4 && memcmp(bytes, lz4, sizeof lz4) == 0)
        return "lz4";
    bool is_bzip2 = length >= COMPRESSION_MAGIC_BYTES && memcmp(bytes, "BZh", 3) == 0 &&
                    bytes[3] >= '1' && bytes[3] <= '9' && bytes[4] == 0x31 && bytes[5] == 0x41;
    return is_bzip2 ? "bzip2" : NULL;
}

/* These two functions are unused in builds without any of the libraries. */
__attribute__((unused)) static trawl_status truncated(const text_decoder *decoder,
                                                      const char *format, trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "%s: the %s data ends too early (truncated?)",
                      decoder->name, format);
}

__attribute__((unused)) static trawl_status corrupt(const text_decoder *decoder, const char *format,
                                                    const char *detail, trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "%s: the %s data is corrupt: %s", decoder->name,
                      format, detail);
}

/* ------------------------------------------------------------------ gzip */

#ifdef TRAWL_HAVE_ZLIB
static trawl_status run_gzip(text_decoder *decoder, decoder_step *step, bool *ended,
                             trawl_error *error) {
    z_stream *stream = &decoder->gzip;
    while (step->available_out > 0) {
        if (decoder->between_members) {
            if (step->available_in == 0) {
                *ended = step->input_ended;
                return TRAWL_OK;
            }
            /* Zeros behind a member are padding, as of tapes; gzip ignores them too. */
            if (*step->next_in == 0) {
                step->next_in++;
                step->available_in--;
                continue;
            }
            if (inflateReset(stream) != Z_OK)
                return corrupt(decoder, "gzip", "the decoder could not be reset", error);
            decoder->between_members = false;
        }
        uInt in = step->available_in > INT_MAX ? INT_MAX : (uInt)step->available_in;
        uInt out = step->available_out > INT_MAX ? INT_MAX : (uInt)step->available_out;
        stream->next_in = (Bytef *)(uintptr_t)step->next_in;
        stream->avail_in = in;
        stream->next_out = step->next_out;
        stream->avail_out = out;
        int result = inflate(stream, Z_NO_FLUSH);
        step->next_in += in - stream->avail_in;
        step->available_in -= in - stream->avail_in;
        step->next_out += out - stream->avail_out;
        step->available_out -= out - stream->avail_out;
        if (result == Z_STREAM_END) {
            decoder->between_members = true;
        } else if (result == Z_MEM_ERROR) {
            return trawl_fail(error, TRAWL_ERROR_MEMORY, "%s: out of memory", decoder->name);
        } else if (result == Z_BUF_ERROR || result == Z_OK) {
            if (step->available_in == 0 && step->available_out > 0)
                return step->input_ended ? truncated(decoder, "gzip", error) : TRAWL_OK;
        } else {
            return corrupt(decoder, "gzip", stream->msg == NULL ? "bad data" : stream->msg, error);
        }
    }
    return TRAWL_OK;
}
#endif

/* ------------------------------------------------------------------ zstd */

#ifdef TRAWL_HAVE_ZSTD
static trawl_status run_zstd(text_decoder *decoder, decoder_step *step, bool *ended,
                             trawl_error *error) {
    while (step->available_out > 0) {
        if (decoder->between_members && step->available_in == 0) {
            *ended = step->input_ended;
            return TRAWL_OK;
        }
        ZSTD_inBuffer in = {step->next_in, step->available_in, 0};
        ZSTD_outBuffer out = {step->next_out, step->available_out, 0};
        size_t result = ZSTD_decompressStream(decoder->zstd, &out, &in);
        step->next_in += in.pos;
        step->available_in -= in.pos;
        step->next_out += out.pos;
        step->available_out -= out.pos;
        if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
            return trawl_fail(error, TRAWL_ERROR_LIMIT,
                              "%s: the zstd data needs more than 128 MiB of memory; expected the "
                              "output of 'zstd -dc --long=31' through a pipe",
                              decoder->name);
        if (ZSTD_isError(result))
            return corrupt(decoder, "zstd", ZSTD_getErrorName(result), error);
        decoder->between_members = result == 0;
        if (result != 0 && step->available_in == 0 && step->available_out > 0)
            return step->input_ended ? truncated(decoder, "zstd", error) : TRAWL_OK;
    }
    return TRAWL_OK;
}
#endif

/* ------------------------------------------------------------------ xz */

#ifdef TRAWL_HAVE_LZMA
static trawl_status run_xz(text_decoder *decoder, decoder_step *step, bool *ended,
                           trawl_error *error) {
    lzma_stream *stream = &decoder->xz;
    while (step->available_out > 0) {
        stream->next_in = step->next_in;
        stream->avail_in = step->available_in;
        stream->next_out = step->next_out;
        stream->avail_out = step->available_out;
        /* With LZMA_CONCATENATED only LZMA_FINISH says that no further stream comes. */
        lzma_ret result = lzma_code(stream, step->input_ended ? LZMA_FINISH : LZMA_RUN);
        step->next_in = stream->next_in;
        step->available_in = stream->avail_in;
        step->next_out = stream->next_out;
        step->available_out = stream->avail_out;
        switch (result) {
        case LZMA_OK:
            break;
        case LZMA_STREAM_END:
            *ended = true;
            return TRAWL_OK;
        case LZMA_BUF_ERROR:
            return step->input_ended ? truncated(decoder, "xz", error) : TRAWL_OK;
        case LZMA_MEM_ERROR:
            return trawl_fail(error, TRAWL_ERROR_MEMORY, "%s: out of memory", decoder->name);
        case LZMA_MEMLIMIT_ERROR:
            return trawl_fail(error, TRAWL_ERROR_LIMIT,
                              "%s: the xz data needs more than 128 MiB of memory; expected the "
                              "output of 'xz -dc' through a pipe",
                              decoder->name);
        case LZMA_OPTIONS_ERROR:
            return trawl_fail(error, TRAWL_ERROR_UNAVAILABLE,
                              "%s: the xz data needs a newer liblzma", decoder->name);
        case LZMA_FORMAT_ERROR:
            return corrupt(decoder, "xz", "not an xz stream", error);
        default:
            return corrupt(decoder, "xz", "bad data", error);
        }
        if (step->available_in == 0 && !step->input_ended)
            return TRAWL_OK;
    }
    return TRAWL_OK;
}
#endif

/* ------------------------------------------------------------------ all */

#if !defined(TRAWL_HAVE_ZLIB) || !defined(TRAWL_HAVE_ZSTD) || !defined(TRAWL_HAVE_LZMA)
static trawl_status missing(const text_decoder *decoder, const char *format, const char *library,
                            trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_UNAVAILABLE,
                      "%s: %s data, but this trawl was built without %s", decoder->name, format,
                      library);
}
#endif

static trawl_status start(text_decoder *decoder, trawl_error *error) {
    bool started = false;
    switch (decoder->format) {
    case COMPRESSION_GZIP:
#ifdef TRAWL_HAVE_ZLIB
        started = inflateInit2(&decoder->gzip, 15 + 16) == Z_OK; /* + 16: a gzip header */
        break;
#else
        return missing(decoder, "gzip", "zlib", error);
#endif
    case COMPRESSION_ZSTD:
#ifdef TRAWL_HAVE_ZSTD
        decoder->zstd = ZSTD_createDStream();
        started = decoder->zstd != NULL;
        if (started)
            (void)ZSTD_DCtx_setParameter(decoder->zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
        break;
#else
        return missing(decoder, "zstd", "libzstd", error);
#endif
    case COMPRESSION_XZ:
#ifdef TRAWL_HAVE_LZMA
        decoder->xz = (lzma_stream)LZMA_STREAM_INIT;
        started = lzma_stream_decoder(&decoder->xz, XZ_BYTES, LZMA_CONCATENATED) == LZMA_OK;
        break;
#else
        return missing(decoder, "xz", "liblzma", error);
#endif
    case COMPRESSION_NONE:
        break;
    }
    if (!started)
        return trawl_fail(error, TRAWL_ERROR_MEMORY, "%s: out of memory", decoder->name);
    return TRAWL_OK;
}

trawl_status decoder_open(compression format, const char *name, text_decoder **result,
                          trawl_error *error) {
    text_decoder *made = calloc(1, sizeof *made);
    if (made == NULL)
        return trawl_fail(error, TRAWL_ERROR_MEMORY, "%s: out of memory", name);
    made->format = format;
    made->name = name;
    trawl_status status = start(made, error);
    if (status == TRAWL_OK)
        *result = made;
    else
        free(made);
    return status;
}

trawl_status decoder_run(text_decoder *decoder, decoder_step *step, bool *ended,
                         trawl_error *error) {
    *ended = false;
    (void)step;
    switch (decoder->format) {
#ifdef TRAWL_HAVE_ZLIB
    case COMPRESSION_GZIP:
        return run_gzip(decoder, step, ended, error);
#endif
#ifdef TRAWL_HAVE_ZSTD
    case COMPRESSION_ZSTD:
        return run_zstd(decoder, step, ended, error);
#endif
#ifdef TRAWL_HAVE_LZMA
    case COMPRESSION_XZ:
        return run_xz(decoder, step, ended, error);
#endif
    default:
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "%s: no decoder", decoder->name);
    }
}

void decoder_close(text_decoder *decoder) {
    if (decoder == NULL)
        return;
#ifdef TRAWL_HAVE_ZLIB
    if (decoder->format == COMPRESSION_GZIP)
        (void)inflateEnd(&decoder->gzip);
#endif
#ifdef TRAWL_HAVE_ZSTD
    if (decoder->format == COMPRESSION_ZSTD)
        (void)ZSTD_freeDStream(decoder->zstd);
#endif
#ifdef TRAWL_HAVE_LZMA
    if (decoder->format == COMPRESSION_XZ)
        lzma_end(&decoder->xz);
#endif
    free(decoder);
}
