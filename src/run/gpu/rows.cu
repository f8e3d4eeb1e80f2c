/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Rows in device memory: the calls. The text is cut into pieces with the overlap of the longest
 * pattern; each is scanned for matches, into the workspace, and then goes through the steps of
 * rows.cuh. Nothing here allocates, waits or copies to the host.
 */
#include <string.h>

#include <cub/device/device_scan.cuh>

#include "run/gpu/rows.cuh"

extern "C" {
#include "base/sized.h"
}

/* Bytes of a piece with the usual workspace. Each piece costs about 50 microseconds beside its
 * bytes (H100, pieces of 128 MiB: docs/notebook/2026-11-gpu-rows.md), and needs room for its
 * matches. This is more than that room allows with the usual number of matches, which makes
 * pieces 128 to 450 MiB long. */
#define USUAL_PIECE ((uint64_t)1 << 29)
/* Bytes of a piece for each match that there is room for, unless the caller says how many. No
 * measurement chose it: room for a match takes 16 bytes of the workspace or more; without enough
 * room the caller searches again. */
#define BYTES_A_MATCH 64
#define FEWEST_MATCHES 1024
/* Indices of matches and TRAWL_FREE_SLOT have 32 bits. */
#define MOST_MATCHES ((uint64_t)UINT32_MAX - 1)
/* Sums with the overlap and with sizes of elements stay in 64 bits. */
#define MOST_OF_A_CALL (UINT64_C(1) << 48)

/* Options that were read, and where everything is in the workspace. */
typedef struct planned_rows {
    trawl_cuda_rows_options options; /* complete */
    trawl_cuda_scan_options scan;    /* of a piece */
    bool selects;                    /* leftmost matches; form ANY need not */
    uint64_t overlap;                /* before a piece; behind it if matches are selected */
    uint64_t piece_most;             /* bytes of a piece with its overlap */
    trawl_row_grid grid;             /* over matches */
    uint32_t warps;
    /* offsets in the workspace */
    uint64_t total, matches, row_of, slots, seen, carry, places, bits, sum, bytes;
    uint64_t least, chosen, exits, entries, next;
    size_t scan_bytes, sum_bytes;
    uint32_t seen_words;
} planned_rows;

/* ------------------------------------------------------------------ planning */

static trawl_status read_options(const trawl_cuda_db *uploaded,
                                 const trawl_cuda_rows_options *given,
                                 trawl_cuda_rows_options *options, trawl_error *error) {
    if (uploaded == NULL || given == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "rows: %s NULL",
                          uploaded == NULL ? "the uploaded database is" : "the options are");
    }
    trawl_status status =
        trawl_sized_check(given, "options of rows", "TRAWL_CUDA_ROWS_OPTIONS", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_sized_read(options, given, sizeof *options);
    unsigned form; /* copied: C++ must not load an enumerator that does not exist */
    memcpy(&form, &options->form, sizeof form);
    if (form > TRAWL_CUDA_ROWS_MATCHES) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "rows: unknown form %u", form);
    }
    if (options->most_bytes > MOST_OF_A_CALL || options->most_rows > MOST_OF_A_CALL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "rows: %" PRIu64 " rows in %" PRIu64 " bytes; at most %" PRIu64
                          " of both are possible",
                          options->most_rows, options->most_bytes, MOST_OF_A_CALL);
    }
    if (options->piece_matches > MOST_MATCHES) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "rows: room for %" PRIu64 " matches of a piece; at most %" PRIu64
                          " are possible",
                          options->piece_matches, MOST_MATCHES);
    }
    if (options->piece_bytes == 0) {
        options->piece_bytes = USUAL_PIECE;
    }
    if (options->piece_bytes > options->most_bytes) {
        options->piece_bytes = options->most_bytes == 0 ? 1 : options->most_bytes;
    }
    if (options->piece_matches == 0) {
        uint64_t matches = options->piece_bytes / BYTES_A_MATCH + FEWEST_MATCHES;
        options->piece_matches = matches < MOST_MATCHES ? matches : MOST_MATCHES;
    }
    return TRAWL_OK;
}

/* Reserves the next array of the workspace; returns its offset. */
static uint64_t place_array(planned_rows *planned, uint64_t bytes) {
    uint64_t at = planned->bytes;
    planned->bytes += trawl_cuda_aligned(bytes);
    return at;
}

/* Entries of the table of groups for this many matches: the mask of row_distinct.cu, plus 1. */
static uint64_t slots_for(uint64_t matches) {
    uint64_t slots = 2;
    while (slots <= 2 * matches) {
        slots *= 2;
    }
    return slots;
}

/* Room for the sums over the shares of warps, and over the rows. */
static trawl_status size_sums(planned_rows *planned, trawl_error *error) {
    trawl_counter *begin = NULL;
    size_t over_rows = 0, of_selection = 0;
    trawl_status status = trawl_cuda_rows_write_room(planned->warps, &planned->sum_bytes, error);
    if (status == TRAWL_OK && planned->selects) {
        status = trawl_cuda_rows_select_room(planned->warps, &of_selection, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    planned->sum_bytes = of_selection > planned->sum_bytes ? of_selection : planned->sum_bytes;
    TRAWL_CUDA_TRY(cub::DeviceScan::ExclusiveSum(NULL, over_rows, begin, begin,
                                                 (int64_t)planned->options.most_rows + 1),
                   error);
    planned->sum_bytes = over_rows > planned->sum_bytes ? over_rows : planned->sum_bytes;
    return TRAWL_OK;
}

static trawl_status place_arrays(const trawl_cuda_db *uploaded, planned_rows *planned,
                                 trawl_error *error) {
    const trawl_cuda_rows_options *options = &planned->options;
    const uint64_t room = options->piece_matches;
    const bool pieces = options->piece_bytes < options->most_bytes;
    planned->grid = trawl_cuda_row_grid(uploaded->device.tuning, room);
    planned->warps = planned->grid.blocks * (planned->grid.threads / 32);
    (void)place_array(planned, planned->scan_bytes);
    planned->total = place_array(planned, sizeof(trawl_counter));
    planned->matches = place_array(planned, room * sizeof(trawl_cuda_match));
    if (options->form == TRAWL_CUDA_ROWS_ANY) {
        planned->bits = place_array(planned, options->most_rows / 8 + sizeof(uint32_t));
    }
    if (options->form == TRAWL_CUDA_ROWS_WHICH) {
        planned->seen_words = pieces ? uploaded->db->groups.count / 32 + 1 : 0;
        planned->slots = place_array(planned, slots_for(room) * sizeof(uint32_t));
        planned->seen = place_array(planned, planned->seen_words * sizeof(uint32_t));
        planned->carry = place_array(planned, sizeof(trawl_row_carry));
    }
    if (planned->selects) {
        planned->least = place_array(planned, (room + 1) * sizeof(uint64_t));
        planned->chosen = place_array(planned, room * sizeof(uint32_t));
        planned->exits = place_array(planned, room * sizeof(uint32_t));
        planned->entries = place_array(planned, (room / TRAWL_ROW_CHUNK + 1) * sizeof(uint32_t));
        planned->next = place_array(planned, 2 * sizeof(uint64_t));
    }
    if (planned->selects || options->form >= TRAWL_CUDA_ROWS_WHICH) {
        planned->row_of = place_array(planned, room * sizeof(uint64_t));
        planned->places = place_array(planned, (planned->warps + 2) * sizeof(trawl_counter));
        trawl_status status = size_sums(planned, error);
        planned->sum = place_array(planned, planned->sum_bytes);
        return status;
    }
    return TRAWL_OK;
}

static trawl_status plan_rows(const trawl_cuda_db *uploaded, const trawl_cuda_rows_options *given,
                              planned_rows *planned, trawl_error *error) {
    memset(planned, 0, sizeof *planned);
    trawl_status status = read_options(uploaded, given, &planned->options, error);
    if (status != TRAWL_OK) {
        return status;
    }
    planned->selects = uploaded->db->header->match_kind != TRAWL_MATCH_ALL &&
                       planned->options.form != TRAWL_CUDA_ROWS_ANY;
    const uint32_t longest = uploaded->db->header->max_length;
    planned->overlap = longest == 0 ? 0 : longest - 1;
    planned->piece_most = planned->overlap + planned->options.piece_bytes;
    planned->scan.size = sizeof planned->scan;
    planned->scan.form = TRAWL_CUDA_MATCHES;
    planned->scan.kernel = planned->options.kernel;
    planned->scan.study = planned->options.study;
    status = trawl_cuda_workspace_any(uploaded, &planned->scan, planned->piece_most,
                                      &planned->scan_bytes, error);
    if (status == TRAWL_OK) {
        status = place_arrays(uploaded, planned, error);
    }
    return status;
}

/* ------------------------------------------------------------------ checks */

static trawl_status read_rows(const planned_rows *planned, const trawl_cuda_rows *given,
                              trawl_cuda_rows *rows, trawl_error *error) {
    if (given == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_cuda_rows_scan: rows is NULL");
    }
    trawl_status status = trawl_sized_check(given, "rows", "TRAWL_CUDA_ROWS", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_sized_read(rows, given, sizeof *rows);
    if (rows->offset_bytes != 4 && rows->offset_bytes != 8) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "rows: offsets of 4 or 8 bytes are expected, not of %u",
                          rows->offset_bytes);
    }
    if (rows->begin > rows->end || rows->end - rows->begin > planned->options.most_bytes ||
        rows->count > planned->options.most_rows) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "rows: %" PRIu64 " rows in bytes %" PRIu64 " to %" PRIu64
                          "; the options say at most %" PRIu64 " rows in %" PRIu64 " bytes",
                          rows->count, rows->begin, rows->end, planned->options.most_rows,
                          planned->options.most_bytes);
    }
    if (rows->count != 0 &&
        (rows->offsets == NULL || (rows->bytes == NULL && rows->begin != rows->end))) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_cuda_rows_scan: %s is NULL",
                          rows->offsets == NULL ? "offsets" : "bytes");
    }
    if ((uintptr_t)rows->offsets % rows->offset_bytes != 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "rows: offsets of %u bytes at %p are not aligned", rows->offset_bytes,
                          rows->offsets);
    }
    return TRAWL_OK;
}

/* The name of a result that the form needs and the caller did not give, or NULL. */
static const char *missing_result(trawl_cuda_rows_form form,
                                  const trawl_cuda_row_results *results) {
    if (results == NULL) {
        return "results";
    }
    if (results->summary == NULL) {
        return "summary";
    }
    if (form >= TRAWL_CUDA_ROWS_WHICH && results->begin == NULL) {
        return "begin";
    }
    if (form == TRAWL_CUDA_ROWS_WHICH && results->capacity != 0 && results->ids == NULL) {
        return "ids";
    }
    return form == TRAWL_CUDA_ROWS_MATCHES && results->capacity != 0 && results->matches == NULL
               ? "matches"
               : NULL;
}

static trawl_status check_memory(const planned_rows *planned, const trawl_cuda_row_results *results,
                                 const void *workspace, size_t workspace_bytes,
                                 trawl_error *error) {
    const char *missing = missing_result(planned->options.form, results);
    if (missing != NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_cuda_rows_scan: %s is NULL", missing);
    }
    if (workspace == NULL || workspace_bytes < planned->bytes ||
        (uintptr_t)workspace % TRAWL_CUDA_ARRAY_ALIGNMENT != 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "rows: the workspace has %zu bytes at %p; %" PRIu64
                          " are needed, aligned to %" PRIu64,
                          workspace == NULL ? (size_t)0 : workspace_bytes, workspace,
                          planned->bytes, TRAWL_CUDA_ARRAY_ALIGNMENT);
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ the call */

/* What all pieces of one call share. */
typedef struct rows_call {
    const trawl_cuda_db *uploaded;
    const planned_rows *planned;
    const trawl_cuda_rows *rows;
    uint8_t *workspace;
    trawl_row_piece piece;
    uint32_t pieces; /* so far */
    cudaStream_t stream;
} rows_call;

static trawl_row_view view_rows(const trawl_cuda_rows *rows) {
    trawl_row_view view;
    memset(&view, 0, sizeof view);
    view.offsets = rows->offsets;
    view.count = rows->count;
    view.begin = rows->begin;
    view.end = rows->end;
    view.valid = rows->valid;
    view.valid_offset = rows->valid_offset;
    view.tail = rows->tail;
    view.wide = rows->offset_bytes == 8;
    return view;
}

static void fill_selection(const rows_call *call, trawl_row_selection *selection) {
    const trawl_cuda_db *uploaded = call->uploaded;
    selection->first = uploaded->db->header->match_kind == TRAWL_MATCH_LEFTMOST_FIRST;
    selection->view.keys =
        (const trawl_selection_key *)trawl_cuda_section(uploaded, TRAWL_SECTION_SELECTION_KEY, 0);
    selection->view.inside = (const trawl_selection_inside *)trawl_cuda_section(
        uploaded, TRAWL_SECTION_SELECTION_INSIDE, 0);
    selection->view.patterns =
        (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_SELECTION_PATTERN, 0);
    selection->offsets = uploaded->patterns.offsets;
    selection->least = (uint64_t *)(call->workspace + call->planned->least);
    selection->chosen = (uint32_t *)(call->workspace + call->planned->chosen);
    selection->exits = (uint32_t *)(call->workspace + call->planned->exits);
    selection->entries = (uint32_t *)(call->workspace + call->planned->entries);
}

static void fill_conditions(const rows_call *call, trawl_row_conditions *conditions) {
    const trawl_cuda_db *uploaded = call->uploaded;
    conditions->records =
        (const trawl_condition_record *)trawl_cuda_section(uploaded, TRAWL_SECTION_CONDITIONS, 0);
    conditions->of =
        (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_PATTERN_CONDITION, 0);
    conditions->classes =
        (const uint8_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_CONDITION_CLASSES, 0);
}

static void fill_piece(rows_call *call, const trawl_cuda_row_results *results) {
    const planned_rows *planned = call->planned;
    trawl_row_piece *piece = &call->piece;
    uint8_t *at = call->workspace;
    piece->rows = view_rows(call->rows);
    piece->text = (const uint8_t *)call->rows->bytes;
    fill_conditions(call, &piece->conditions);
    fill_selection(call, &piece->selection);
    piece->matches = (trawl_cuda_match *)(at + planned->matches);
    piece->total = (const trawl_counter *)(at + planned->total);
    piece->capacity = planned->options.piece_matches;
    piece->row_of = (uint64_t *)(at + planned->row_of);
    piece->group_of =
        (const uint32_t *)trawl_cuda_section(call->uploaded, TRAWL_SECTION_PATTERN_GROUP, 0);
    piece->group_ids =
        (const uint32_t *)trawl_cuda_section(call->uploaded, TRAWL_SECTION_GROUP_IDS, 0);
    piece->slots = (uint32_t *)(at + planned->slots);
    piece->seen = planned->seen_words == 0 ? NULL : (uint32_t *)(at + planned->seen);
    piece->seen_words = planned->seen_words;
    piece->carry = (trawl_row_carry *)(at + planned->carry);
    piece->places = (trawl_counter *)(at + planned->places);
    piece->warps = planned->warps;
    piece->results = *results;
    piece->bits = results->bits != NULL ? results->bits : (uint32_t *)(at + planned->bits);
}

/* Sets an array of counters to 0; NULL is allowed. */
static trawl_status clear(uint64_t *counters, uint64_t count, cudaStream_t stream,
                          trawl_error *error) {
    if (counters != NULL && count != 0) {
        TRAWL_CUDA_TRY(cudaMemsetAsync(counters, 0, count * sizeof *counters, stream), error);
    }
    return TRAWL_OK;
}

static trawl_status clear_summary(rows_call *call, trawl_error *error) {
    trawl_cuda_rows_summary *summary = call->piece.results.summary;
    TRAWL_CUDA_TRY(cudaMemsetAsync(summary, 0, sizeof *summary, call->stream), error);
    TRAWL_CUDA_TRY(cudaMemsetAsync(&summary->bad_row, 0xff, sizeof summary->bad_row, call->stream),
                   error);
    return TRAWL_OK;
}

static trawl_status clear_results(rows_call *call, trawl_error *error) {
    const trawl_row_piece *piece = &call->piece;
    const uint64_t rows = call->rows->count, groups = call->uploaded->db->groups.count;
    trawl_status status = clear_summary(call, error);
    if (status == TRAWL_OK && call->planned->selects) {
        status = clear((uint64_t *)(call->workspace + call->planned->next), 2, call->stream, error);
    }
    switch (call->planned->options.form) {
    case TRAWL_CUDA_ROWS_ANY:
        if (status == TRAWL_OK && rows != 0) {
            TRAWL_CUDA_TRY(cudaMemsetAsync(piece->bits, 0, (rows + 31) / 32 * sizeof *piece->bits,
                                           call->stream),
                           error);
        }
        return status;
    case TRAWL_CUDA_ROWS_COUNT:
        status =
            status != TRAWL_OK ? status : clear(piece->results.per_row, rows, call->stream, error);
        status = status != TRAWL_OK ? status
                                    : clear(piece->results.per_pattern,
                                            call->uploaded->patterns.count, call->stream, error);
        return status != TRAWL_OK ? status
                                  : clear(piece->results.per_group, groups, call->stream, error);
    case TRAWL_CUDA_ROWS_WHICH:
        if (status == TRAWL_OK) {
            TRAWL_CUDA_TRY(cudaMemsetAsync(piece->carry, 0xff, sizeof *piece->carry, call->stream),
                           error);
            status = clear(piece->results.in_rows, groups, call->stream, error);
        }
        break;
    case TRAWL_CUDA_ROWS_MATCHES:
        break;
    }
    return status != TRAWL_OK ? status : clear(piece->results.begin, rows + 1, call->stream, error);
}

/* Scans bytes [begin, end) of the text for the matches that end there; if leftmost matches are
 * selected, for those that begin there. */
static trawl_status scan_piece(rows_call *call, uint64_t begin, uint64_t end, trawl_error *error) {
    const planned_rows *planned = call->planned;
    const uint64_t before = begin - call->rows->begin, behind = call->rows->end - end;
    uint64_t from = begin - (before < planned->overlap ? before : planned->overlap), to = end;
    if (planned->selects) {
        from = begin;
        to = end + (behind < planned->overlap ? behind : planned->overlap);
    }
    trawl_cuda_scan_options scan = planned->scan;
    scan.owned = begin - from;
    scan.base = from;
    trawl_cuda_results results;
    memset(&results, 0, sizeof results);
    results.total = (uint64_t *)(call->workspace + planned->total);
    results.matches = call->piece.matches;
    results.capacity = call->piece.capacity;
    call->piece.end = end;
    return trawl_cuda_scan_piece(call->uploaded, &scan, planned->piece_most,
                                 (const uint8_t *)call->rows->bytes + from, to - from, &results,
                                 call->workspace, planned->scan_bytes, call->stream, error);
}

/* Selects from the matches of a piece. The offset where the next piece goes on is written to one of
 * two numbers in turn; this piece reads the other one. */
static trawl_status select_in_piece(rows_call *call, trawl_error *error) {
    const planned_rows *planned = call->planned;
    trawl_row_selection *selection = &call->piece.selection;
    uint64_t *places = (uint64_t *)(call->workspace + planned->next);
    selection->from = &places[call->pieces % 2];
    selection->next = &places[(call->pieces + 1) % 2];
    call->pieces++;
    trawl_status status = clear(selection->next, 1, call->stream, error);
    if (status == TRAWL_OK) {
        status = trawl_cuda_rows_select(&call->piece, planned->grid, call->workspace + planned->sum,
                                        planned->sum_bytes, call->stream, error);
    }
    if (status == TRAWL_OK && planned->options.form == TRAWL_CUDA_ROWS_COUNT) {
        status = trawl_cuda_rows_count(&call->piece, planned->grid, call->stream, error);
    }
    return status;
}

static trawl_status search_piece(rows_call *call, uint64_t begin, uint64_t end,
                                 trawl_error *error) {
    const planned_rows *planned = call->planned;
    const trawl_cuda_rows_form form = planned->options.form;
    trawl_status status = scan_piece(call, begin, end, error);
    if (status == TRAWL_OK) {
        status =
            trawl_cuda_rows_find(&call->piece, planned->selects ? TRAWL_CUDA_ROWS_MATCHES : form,
                                 planned->grid, call->stream, error);
    }
    if (status == TRAWL_OK && planned->selects) {
        status = select_in_piece(call, error);
    }
    if (status == TRAWL_OK && form == TRAWL_CUDA_ROWS_WHICH) {
        status = trawl_cuda_rows_distinct(&call->piece, planned->grid, call->stream, error);
    }
    if (status == TRAWL_OK && form >= TRAWL_CUDA_ROWS_WHICH) {
        status =
            trawl_cuda_rows_write(&call->piece, form, planned->grid, call->workspace + planned->sum,
                                  planned->sum_bytes, call->stream, error);
    }
    return status;
}

/* The last steps, when all pieces are searched. */
static trawl_status finish(rows_call *call, trawl_row_grid grid, trawl_error *error) {
    const trawl_row_piece *piece = &call->piece;
    const uint64_t rows = call->rows->count;
    const trawl_cuda_rows_form form = call->planned->options.form;
    if (form == TRAWL_CUDA_ROWS_ANY && piece->results.found != NULL) {
        return trawl_cuda_rows_spread(piece->bits, piece->results.found, rows, grid, call->stream,
                                      error);
    }
    if (form >= TRAWL_CUDA_ROWS_WHICH) {
        trawl_counter *begin = (trawl_counter *)piece->results.begin;
        size_t bytes = call->planned->sum_bytes;
        TRAWL_CUDA_TRY(cub::DeviceScan::ExclusiveSum(call->workspace + call->planned->sum, bytes,
                                                     begin, begin, (int64_t)rows + 1, call->stream),
                       error);
    }
    return TRAWL_OK;
}

static trawl_status search(rows_call *call, trawl_error *error) {
    const trawl_cuda_rows *rows = call->rows;
    const trawl_row_grid grid = trawl_cuda_row_grid(call->uploaded->device.tuning, rows->count);
    trawl_status status = clear_results(call, error);
    if (status != TRAWL_OK || rows->count == 0) {
        return status;
    }
    status = trawl_cuda_rows_check(&call->piece, grid, call->stream, error);
    uint64_t begin = rows->begin;
    while (status == TRAWL_OK && begin < rows->end) {
        const uint64_t most = call->planned->options.piece_bytes;
        const uint64_t end = rows->end - begin > most ? begin + most : rows->end;
        status = search_piece(call, begin, end, error);
        begin = end;
    }
    return status == TRAWL_OK ? finish(call, grid, error) : status;
}

extern "C" trawl_status
trawl_cuda_rows_scan(const trawl_cuda_db *uploaded, const trawl_cuda_rows_options *options,
                     const trawl_cuda_rows *given, const trawl_cuda_row_results *results,
                     void *workspace, size_t workspace_bytes, void *stream, trawl_error *error) {
    planned_rows planned;
    trawl_cuda_rows rows;
    trawl_clear(error);
    trawl_status status = plan_rows(uploaded, options, &planned, error);
    if (status == TRAWL_OK) {
        status = read_rows(&planned, given, &rows, error);
    }
    if (status == TRAWL_OK) {
        status = check_memory(&planned, results, workspace, workspace_bytes, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    rows_call call;
    memset(&call, 0, sizeof call);
    call.uploaded = uploaded;
    call.planned = &planned;
    call.rows = &rows;
    call.workspace = (uint8_t *)workspace;
    call.stream = (cudaStream_t)stream;
    fill_piece(&call, results);
    int before;
    TRAWL_CUDA_TRY(trawl_cuda_enter(uploaded->device.number, &before), error);
    status = search(&call, error);
    trawl_cuda_leave(before);
    return status;
}

extern "C" trawl_status trawl_cuda_rows_workspace(const trawl_cuda_db *uploaded,
                                                  const trawl_cuda_rows_options *options,
                                                  size_t *bytes, trawl_error *error) {
    planned_rows planned;
    trawl_clear(error);
    if (bytes == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_cuda_rows_workspace: bytes is NULL");
    }
    *bytes = 0;
    trawl_status status = plan_rows(uploaded, options, &planned, error);
    if (status == TRAWL_OK) {
        *bytes = planned.bytes;
    }
    return status;
}
