/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sorts a text and writes the index file. Memory in each step, in bytes, for n symbols and W bytes
 * a position:
 *
 *     sorting            text 2n, suffixes Wn, buckets of names: at most Wn / 2
 *     BWT and counts     text 2n, suffixes Wn, counts and borders: at most (W / 4 + 1 / 8) n
 *     documents, minima  documents, then `previous`, in place of the suffixes: Wn; minima: at most
 *                        (W / 16) n
 */
#include <errno.h>
#include <string.h>

#include "base/allocate.h"
#include "base/replacement.h"
#include "base/sized.h"
#include "base/status.h"
#include "index/rows.h"
#include "index/sort_parts.h"
#include "index/suffix_sort.h"
#include "index/writer.h"

typedef struct writing {
    trawl_index_builder *text;
    trawl_index_header header;
    trawl_index_rows rows;
    trawl_index_writer writer;
    trawl_error *error;
} writing;

/* ------------------------------------------------------------------ sorting */

static void fill_header(writing *to) {
    const trawl_index_builder *text = to->text;
    trawl_index_header *header = &to->header;
    uint64_t counts[TRAWL_SUFFIX_SYMBOLS] = {0};
    for (size_t i = 0; i < text->length; i++) {
        counts[text->text[i]]++;
    }
    memcpy(header->magic, TRAWL_INDEX_MAGIC, sizeof header->magic);
    header->version = TRAWL_INDEX_VERSION;
    header->byte_order = TRAWL_INDEX_BYTE_ORDER;
    header->rows = text->length;
    header->documents = text->documents;
    header->text_bytes = text->text_bytes;
    header->name_bytes = text->name_bytes;
    header->position_bytes = text->wide || text->length > TRAWL_SUFFIX_NARROW ? 8 : 4;
    header->document_bytes = trawl_index_document_bytes(text->documents);
    header->first[0] = counts[0];
    for (uint32_t byte = 0; byte < 256; byte++) {
        to->rows.columns[byte] = (uint16_t)header->letters;
        header->letters += counts[byte + 1] != 0;
        header->first[byte + 1] = header->first[byte] + counts[byte + 1];
        /* the rarest byte, as ranks of the filler take the longest */
        header->filler = counts[byte + 1] < counts[header->filler + 1] ? byte : header->filler;
    }
    trawl_index_lay_out(header, &to->writer.layout);
    header->size = to->writer.layout.size;
}

static trawl_status sort(writing *to) {
    const trawl_index_builder *text = to->text;
    uint32_t width = to->header.position_bytes;
    uint64_t bytes = ((uint64_t)text->length + TRAWL_SUFFIX_SLACK) * width;
    trawl_text_cut cut;
    if (width == 4 && to->rows.members > 1 && trawl_cut_text(text, &cut)) {
        to->rows.positions = trawl_sort_parts(text, &cut, to->rows.team, to->rows.members);
        return to->rows.positions != NULL
                   ? TRAWL_OK
                   : trawl_fail_memory(to->error, "sorting suffixes with two threads", 2 * bytes);
    }
    to->rows.positions = trawl_allocate_table(bytes);
    bool done = to->rows.positions != NULL;
    if (done && text->length != 0) {
        done = width == 4 ? trawl_suffix_sort_narrow(text->text, text->length, to->rows.positions)
                          : trawl_suffix_sort_wide(text->text, text->length, to->rows.positions);
    }
    return done ? TRAWL_OK : trawl_fail_memory(to->error, "sorting suffixes", bytes);
}

/* ------------------------------------------------------------------ parts */

static void put_part(writing *to, trawl_index_part part, const void *bytes) {
    trawl_index_writer_begin(&to->writer, part);
    trawl_index_writer_put(&to->writer, bytes, to->writer.layout.sizes[part]);
}

static trawl_status write_bwt(writing *to) {
    enum { ROWS = 1 << 22 }; /* a multiple of TRAWL_INDEX_BLOCK */
    trawl_index_rows *rows = &to->rows;
    const trawl_index_layout *layout = &to->writer.layout;
    uint64_t held = to->header.rows < ROWS ? to->header.rows : ROWS;
    rows->bwt = trawl_allocate((size_t)held, 1);
    rows->borders = trawl_allocate_zeroed((size_t)layout->sizes[TRAWL_INDEX_BORDERS], 1);
    rows->counts = trawl_allocate_zeroed((size_t)layout->sizes[TRAWL_INDEX_COUNTS], 1);
    if (rows->bwt == NULL || rows->borders == NULL || rows->counts == NULL) {
        return trawl_fail_memory(to->error, "counts of an index",
                                 layout->sizes[TRAWL_INDEX_COUNTS] +
                                     layout->sizes[TRAWL_INDEX_BORDERS] + held);
    }
    trawl_index_writer_begin(&to->writer, TRAWL_INDEX_BWT);
    for (rows->bwt_begin = 0; rows->bwt_begin < to->header.rows; rows->bwt_begin += held) {
        uint64_t left = to->header.rows - rows->bwt_begin;
        rows->bwt_end = rows->bwt_begin + (left < held ? left : held);
        trawl_index_make_bwt(rows);
        trawl_index_writer_put(&to->writer, rows->bwt, rows->bwt_end - rows->bwt_begin);
    }
    trawl_index_add_counts(rows);
    put_part(to, TRAWL_INDEX_BORDERS, rows->borders);
    put_part(to, TRAWL_INDEX_COUNTS, rows->counts);
    return to->writer.status;
}

/* Frees the arrays that only the BWT needs. */
static void release_bwt(writing *to) {
    trawl_release(to->rows.bwt);
    trawl_release(to->rows.borders);
    trawl_release(to->rows.counts);
    trawl_array_release(to->text->text);
    to->rows.bwt = NULL;
    to->rows.borders = NULL;
    to->rows.counts = NULL;
    to->text->text = NULL;
}

/* Writes the part `documents`: V bytes for each row. */
static void put_documents(writing *to) {
    enum { ROWS = 4096 };
    const uint32_t width = to->header.position_bytes, bytes = to->header.document_bytes;
    uint32_t whole[ROWS];
    uint16_t half[ROWS];
    uint8_t single[ROWS];
    const void *made = bytes == 1 ? (const void *)single : bytes == 2 ? (const void *)half : whole;
    trawl_index_writer_begin(&to->writer, TRAWL_INDEX_DOCUMENTS);
    for (uint64_t begin = 0; begin < to->header.rows; begin += ROWS) {
        uint64_t left = to->header.rows - begin, count = left < ROWS ? left : ROWS;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t document = trawl_index_get(to->rows.positions, width, begin + i);
            whole[i] = (uint32_t)document;
            half[i] = (uint16_t)document;
            single[i] = (uint8_t)document;
        }
        trawl_index_writer_put(&to->writer, made, count * bytes);
    }
}

static trawl_status write_documents(writing *to) {
    uint32_t *directory = trawl_index_make_directory(&to->rows);
    uint64_t *last = trawl_allocate_zeroed(to->text->documents, sizeof *last);
    trawl_status status = TRAWL_OK;
    if (directory == NULL || last == NULL) {
        status = trawl_fail_memory(to->error, "documents of an index",
                                   (to->header.rows >> TRAWL_INDEX_DIRECTORY) * 4 +
                                       to->header.documents * 8);
    } else {
        trawl_index_make_documents(&to->rows, directory);
        put_documents(to);
        trawl_index_make_previous(&to->rows, last);
        put_part(to, TRAWL_INDEX_PREVIOUS, to->rows.positions);
        status = to->writer.status;
    }
    trawl_release(directory);
    trawl_release(last);
    return status;
}

static trawl_status write_minima(writing *to) {
    const uint64_t *sizes = to->writer.layout.sizes;
    void *minima = trawl_allocate_zeroed((size_t)sizes[TRAWL_INDEX_MINIMA], 1);
    void *sparse = trawl_allocate_zeroed((size_t)sizes[TRAWL_INDEX_SPARSE], 1);
    trawl_status status = TRAWL_OK;
    if (minima == NULL || sparse == NULL) {
        status = trawl_fail_memory(to->error, "minima of an index",
                                   sizes[TRAWL_INDEX_MINIMA] + sizes[TRAWL_INDEX_SPARSE]);
    } else {
        trawl_index_make_minima(&to->rows, minima, sparse);
        put_part(to, TRAWL_INDEX_MINIMA, minima);
        put_part(to, TRAWL_INDEX_SPARSE, sparse);
        status = to->writer.status;
    }
    trawl_release(minima);
    trawl_release(sparse);
    return status;
}

/* ------------------------------------------------------------------ all of it */

static trawl_status write_parts(writing *to, trawl_index_sink sink, void *context) {
    trawl_status status = trawl_index_writer_open(&to->writer, sink, context, to->error);
    if (status == TRAWL_OK) {
        trawl_index_writer_put(&to->writer, &to->header, sizeof to->header);
        put_part(to, TRAWL_INDEX_STARTS, to->text->starts);
        put_part(to, TRAWL_INDEX_NAME_OFFSETS, to->text->name_offsets);
        put_part(to, TRAWL_INDEX_NAMES, to->text->names);
        status = to->writer.status; /* a full disk is reported before the long work */
    }
    if (status == TRAWL_OK) {
        status = sort(to);
    }
    if (status == TRAWL_OK) {
        put_part(to, TRAWL_INDEX_SUFFIXES, to->rows.positions);
        status = write_bwt(to);
    }
    if (status == TRAWL_OK) {
        release_bwt(to);
        status = write_documents(to);
    }
    if (status == TRAWL_OK) {
        status = write_minima(to);
    }
    return status == TRAWL_OK ? trawl_index_writer_finish(&to->writer) : status;
}

static trawl_status write_index(trawl_index_builder *builder, const trawl_index_options *options,
                                trawl_index_sink sink, void *context, trawl_error *error) {
    uint16_t columns[256];
    writing to = {.text = builder, .error = error};
    to.rows = (trawl_index_rows){.text = builder,
                                 .header = &to.header,
                                 .layout = &to.writer.layout,
                                 .columns = columns,
                                 .members = options->threads};
    if (to.rows.members == TRAWL_THREADS_ALL) {
        to.rows.members = trawl_processors();
    }
    trawl_status status = trawl_index_builder_finish(builder, error);
    if (status == TRAWL_OK && to.rows.members > 1) {
        status = trawl_team_open(&to.rows.team, to.rows.members, error);
    }
    if (status == TRAWL_OK) {
        fill_header(&to);
        status = write_parts(&to, sink, context);
    }
    release_bwt(&to);
    trawl_release(to.rows.positions);
    trawl_index_writer_release(&to.writer);
    trawl_team_close(to.rows.team);
    return status;
}

/* The builder is empty after each call, whatever failed. */
static void clear(trawl_index_builder *builder) {
    if (builder != NULL) {
        trawl_index_builder_clear(builder);
    }
}

trawl_status trawl_index_write(trawl_index_builder *builder, const trawl_index_options *options,
                               trawl_index_sink sink, void *context, trawl_error *error) {
    enum { MOST_THREADS = 1024 };
    trawl_clear(error);
    if (builder == NULL || sink == NULL) {
        clear(builder);
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_write: %s is NULL",
                          builder == NULL ? "builder" : "sink");
    }
    trawl_index_options known = TRAWL_INDEX_OPTIONS;
    trawl_status status = TRAWL_OK;
    if (options != NULL) {
        status = trawl_sized_check(options, "trawl_index_options", "TRAWL_INDEX_OPTIONS", error);
        if (status == TRAWL_OK) {
            trawl_sized_read(&known, options, sizeof known);
        }
    }
    if (status == TRAWL_OK && known.threads > MOST_THREADS && known.threads != TRAWL_THREADS_ALL) {
        status = trawl_fail(error, TRAWL_ERROR_LIMIT, "%u threads; expected at most %d",
                            known.threads, MOST_THREADS);
    }
    if (status == TRAWL_OK) {
        status = write_index(builder, &known, sink, context, error);
    }
    trawl_index_builder_clear(builder);
    return status;
}

/* ------------------------------------------------------------------ into a file */

typedef struct file_sink {
    const char *path;
    trawl_replacement replacement;
    uint64_t written;
} file_sink;

static trawl_status fail_writing(const char *path, int reason, trawl_error *error) {
    if (reason == ENOMEM) {
        return trawl_fail_memory(error, "a file name", strlen(path));
    }
    return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: cannot be written: %s", path,
                      strerror(reason));
}

static trawl_status write_file(void *context, const void *bytes, size_t length,
                               trawl_error *error) {
    file_sink *file = context;
    int reason = trawl_write_all(file->replacement.descriptor, bytes, length, &file->written);
    return reason == 0 ? TRAWL_OK : fail_writing(file->path, reason, error);
}

trawl_status trawl_index_save(trawl_index_builder *builder, const trawl_index_options *options,
                              const char *path, trawl_error *error) {
    trawl_clear(error);
    if (builder == NULL || path == NULL) {
        clear(builder);
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_save: %s is NULL",
                          builder == NULL ? "builder" : "path");
    }
    if (trawl_target_of(path) != TRAWL_TARGET_FILE) {
        clear(builder);
        return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: cannot be written: not a regular file",
                          path);
    }
    file_sink file = {.path = path};
    int reason = trawl_replacement_begin(&file.replacement, path, TRAWL_PERMISSIONS_NEW);
    trawl_status status = reason == 0 ? TRAWL_OK : fail_writing(path, reason, error);
    if (status == TRAWL_OK) {
        status = trawl_index_write(builder, options, write_file, &file, error);
    }
    if (status == TRAWL_OK) {
        reason = trawl_replacement_commit(&file.replacement);
        status = reason == 0 ? TRAWL_OK : fail_writing(path, reason, error);
    }
    trawl_replacement_release(&file.replacement);
    clear(builder);
    return status;
}
