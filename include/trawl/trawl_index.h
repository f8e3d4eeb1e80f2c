/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Indexes: for texts that stay while patterns come. A collection of documents is sorted once; then
 * each pattern is found in time that depends on its length and on what is reported, not on the
 * size of the text.
 *
 *     trawl_index_builder    documents are added          one thread fills it
 *     trawl_index            a file, mapped               any number of threads use it
 *     trawl_index_search     memory of one thread that searches, and its last result
 *
 *     trawl_index_find               how often a pattern occurs         O(m)
 *     trawl_index_documents          which documents contain it         O(m + documents)
 *     trawl_index_document_counts    and how often each does            O(m + occurrences)
 *     trawl_index_positions          where it occurs                    O(m + occurrences)
 *
 * m is the length of the pattern. The conventions of trawl.h hold: errors, sizes at the beginning
 * of structures, threads. Documents and patterns are any bytes; occurrences may overlap, and are
 * never in two documents. Patterns are compared byte by byte: letter case matters.
 *
 * An index file has 10 to 15 bytes for each byte of text, from 2 GiB of text on 19 to 24, and does
 * not need the text. Opening it reads its header alone; the rest is read where a search needs it,
 * in blocks of 16 KiB, and a block's checksum is compared when it is first used. Whatever the bytes
 * of a file are, a search returns a result or an error. Like databases, a file that is mapped must
 * not be changed in place, or truncated, while it is open; trawl_index_save never does that.
 */
#ifndef TRAWL_TRAWL_INDEX_H
#define TRAWL_TRAWL_INDEX_H

#include "trawl/trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ building */

/* Documents of an index to come. It holds their text: 2 bytes of memory for each byte. */
typedef struct trawl_index_builder trawl_index_builder;

#define TRAWL_INDEX_MAX_DOCUMENTS UINT32_C(0x7ffffff0)
#define TRAWL_INDEX_MAX_BYTES (UINT64_C(1) << 40) /* of all documents together */

/* Makes an empty collection. The caller owns *builder; free it with trawl_index_builder_free.
 * Errors: TRAWL_ERROR_MEMORY, TRAWL_ERROR_ARGUMENT. */
TRAWL_API trawl_status trawl_index_builder_new(trawl_index_builder **builder, trawl_error *error);

/* Frees a collection; NULL is allowed. */
TRAWL_API void trawl_index_builder_free(trawl_index_builder *builder);

/* Begins the next document, with a name of `length` bytes, which is copied and has no meaning for
 * the library. Its number is that of the documents before it: 0, 1, 2, ... Equal names and equal
 * documents are allowed.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_LIMIT, TRAWL_ERROR_MEMORY; nothing has then changed. */
TRAWL_API trawl_status trawl_index_builder_document(trawl_index_builder *builder, const char *name,
                                                    size_t length, trawl_error *error);

/* Appends bytes to the document that was begun last, which is empty at first. The bytes are copied.
 * Errors: as above; TRAWL_ERROR_ARGUMENT also if no document was begun. */
TRAWL_API trawl_status trawl_index_builder_append(trawl_index_builder *builder, const void *bytes,
                                                  size_t length, trawl_error *error);

typedef struct trawl_index_options {
    size_t size;      /* sizeof(trawl_index_options) */
    uint32_t threads; /* 0 or 1: the calling thread; TRAWL_THREADS_ALL: one for each allowed CPU.
                         At most two of them sort */
} trawl_index_options;
#define TRAWL_INDEX_OPTIONS TRAWL_SIZED(trawl_index_options)

/* Receives the next `length` bytes of an index file. Returns TRAWL_OK, or the status with which the
 * call is to fail, with a sentence in *error, which is never NULL. */
typedef trawl_status (*trawl_index_sink)(void *context, const void *bytes, size_t length,
                                         trawl_error *error);

/* Sorts the documents and writes the bytes of the index file, from first to last. Memory besides
 * the text, for each byte of it: below 2 GiB of text at most 6 bytes with one thread and 10 with
 * more, else at most 12. The bytes do not depend on the number of threads. Afterwards, also after a
 * failure, the builder is empty. Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_MEMORY, and those of the
 * sink. */
TRAWL_API trawl_status trawl_index_write(trawl_index_builder *builder,
                                         const trawl_index_options *options, trawl_index_sink sink,
                                         void *context, trawl_error *error);

/* The same into a file, which appears as a whole or not at all: a temporary file beside `path`,
 * fsync, rename. The builder is empty afterwards here too. Errors: also TRAWL_ERROR_IO. */
TRAWL_API trawl_status trawl_index_save(trawl_index_builder *builder,
                                        const trawl_index_options *options, const char *path,
                                        trawl_error *error);

/* ------------------------------------------------------------------ opening */

/* An index that is open: never changed, so any number of threads may search it. */
typedef struct trawl_index trawl_index;

/* Maps an index file if the effective user or root owns it and no one else may write to it, else
 * reads all of it into memory, as another user could change it after its checksums were compared.
 * The caller owns *index; free it with trawl_index_free. Errors: TRAWL_ERROR_IO,
 * TRAWL_ERROR_FORMAT, TRAWL_ERROR_MEMORY, TRAWL_ERROR_ARGUMENT. */
TRAWL_API trawl_status trawl_index_load(const char *path, trawl_index **index, trawl_error *error);

/* Opens the bytes of an index file in memory, which must be aligned to 8 bytes, and stay as they
 * are until trawl_index_free. Errors: as trawl_index_load. */
TRAWL_API trawl_status trawl_index_load_memory(const void *bytes, size_t size, trawl_index **index,
                                               trawl_error *error);

/* Closes the index; NULL is allowed. All its searches have been closed. */
TRAWL_API void trawl_index_free(trawl_index *index);

typedef struct trawl_index_information {
    size_t size;             /* sizeof(trawl_index_information) */
    uint64_t documents;      /* empty ones too */
    uint64_t text_bytes;     /* of all documents */
    uint64_t file_bytes;     /* of the index */
    uint32_t position_bytes; /* 4 or 8: of a position in the text */
    uint32_t letters;        /* different bytes in the text */
} trawl_index_information;
#define TRAWL_INDEX_INFORMATION TRAWL_SIZED(trawl_index_information)

/* Describes an index. Errors: TRAWL_ERROR_ARGUMENT. */
TRAWL_API trawl_status trawl_index_info(const trawl_index *index,
                                        trawl_index_information *information, trawl_error *error);

typedef struct trawl_index_document {
    size_t size;        /* sizeof(trawl_index_document) */
    const char *name;   /* without a NUL at its end; valid as long as the index */
    size_t name_length; /* bytes */
    uint64_t length;    /* bytes */
} trawl_index_document;
#define TRAWL_INDEX_DOCUMENT TRAWL_SIZED(trawl_index_document)

/* Reads what is known of document `number`.
 * Errors: TRAWL_ERROR_ARGUMENT if there is none of that number; TRAWL_ERROR_FORMAT. */
TRAWL_API trawl_status trawl_index_get_document(const trawl_index *index, uint32_t number,
                                                trawl_index_document *document, trawl_error *error);

/* Compares all checksums, in the time that reading the file takes. A search compares those of the
 * blocks that it uses in any case. Errors: TRAWL_ERROR_FORMAT, TRAWL_ERROR_ARGUMENT. */
TRAWL_API trawl_status trawl_index_verify(const trawl_index *index, trawl_error *error);

/* ------------------------------------------------------------------ searching */

/* Used by one thread at a time. It refers to the index, and keeps its memory from search to search:
 * at most an eighth of a byte for each byte of text, 8 bytes for each document, and the result. */
typedef struct trawl_index_search trawl_index_search;

/* Opens a search. The index must outlive it. The caller owns *search; close it with
 * trawl_index_search_close. Errors: TRAWL_ERROR_MEMORY, TRAWL_ERROR_ARGUMENT. */
TRAWL_API trawl_status trawl_index_search_open(const trawl_index *index,
                                               trawl_index_search **search, trawl_error *error);
/* Closes a search; NULL is allowed. */
TRAWL_API void trawl_index_search_close(trawl_index_search *search);

/* Finds a pattern of `length` bytes, at least one, and sets *occurrences to how often it occurs
 * (0: nowhere). The functions below report this pattern.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_FORMAT. */
TRAWL_API trawl_status trawl_index_find(trawl_index_search *search, const void *pattern,
                                        size_t length, uint64_t *occurrences, trawl_error *error);

/* Sets *documents to the numbers of all documents that contain the pattern, ascending, and *count
 * to how many there are. The array is valid until the next call with this search.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_MEMORY, TRAWL_ERROR_FORMAT. */
TRAWL_API trawl_status trawl_index_documents(trawl_index_search *search, const uint32_t **documents,
                                             size_t *count, trawl_error *error);

/* A document and how often it contains the pattern. Its layout never changes. */
typedef struct trawl_index_count {
    uint64_t occurrences;
    uint32_t document;
    uint32_t reserved; /* 0 */
} trawl_index_count;

/* The same with the number of occurrences. `most` 0: all documents, ascending. Else at most so
 * many: those with most occurrences first, of equal ones the lower number. *counts is valid until
 * the next call with this search. Errors: as above. */
TRAWL_API trawl_status trawl_index_document_counts(trawl_index_search *search, size_t most,
                                                   const trawl_index_count **counts, size_t *count,
                                                   trawl_error *error);

/* Receives one occurrence: its document and the offset of its first byte there. Returns 0 to go on,
 * anything else to stop. It must not use the search that calls it; another search of the index may
 * be used. */
typedef int (*trawl_index_on_position)(uint32_t document, uint64_t start, void *context);

/* Reports all occurrences, by document, then by start. Returns TRAWL_STOPPED if on_position asked
 * to stop. Until it returns, other calls with this search fail with TRAWL_ERROR_ARGUMENT, and
 * trawl_index_search_close is not allowed. Errors: as trawl_index_documents. */
TRAWL_API trawl_status trawl_index_positions(trawl_index_search *search,
                                             trawl_index_on_position on_position, void *context,
                                             trawl_error *error);

#ifdef __cplusplus
}
#endif

#endif
