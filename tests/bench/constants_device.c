/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "constants_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/text_pieces.h"
#include "constants/gpu.h"
#include "engines/qgram/gpu/frequent_automaton.h"
#include "trawl/trawl_study.h"

enum { REPEATS = 7 };
#define LEAST_TEXT ((uint64_t)256 << 20)
#define TABLE_SAMPLE ((size_t)TRAWL_TABLE_PIECES * TRAWL_TABLE_PIECE_BYTES)

/* ------------------------------------------------------------------ the text */

trawl_status device_text_make(const uint8_t *text, size_t length, device_text *made) {
    made->table_sample_length = length < TABLE_SAMPLE ? length : TABLE_SAMPLE;
    made->table_sample = malloc(made->table_sample_length + 1);
    if (made->table_sample == NULL) {
        return TRAWL_ERROR_MEMORY;
    }
    made->text = text;
    made->text_length = length;
    if (length < 2 * TABLE_SAMPLE) {
        memcpy(made->table_sample, text + (length - made->table_sample_length) / 2,
               made->table_sample_length);
        return TRAWL_OK;
    }
    for (size_t i = 0; i < TRAWL_TABLE_PIECES; i++) {
        memcpy(made->table_sample + i * TRAWL_TABLE_PIECE_BYTES,
               text + trawl_piece_begin(i, TRAWL_TABLE_PIECES, TRAWL_TABLE_PIECE_BYTES, length),
               TRAWL_TABLE_PIECE_BYTES);
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ plans */

static uint64_t number_of(const trawl_cuda_qgram_layout *layout, size_t patterns) {
    XXH3_state_t *state = XXH3_createState();
    (void)XXH3_64bits_reset(state);
    (void)XXH3_64bits_update(state, layout->tier, layout->tiers * sizeof *layout->tier);
    (void)XXH3_64bits_update(state, layout->anchor_text, layout->anchor_text_length);
    if (layout->automaton.in_automaton != NULL) {
        (void)XXH3_64bits_update(state, layout->automaton.in_automaton, patterns);
    }
    uint64_t number = XXH3_64bits_digest(state);
    (void)XXH3_freeState(state);
    return number;
}

static void print_layout(const trawl_cuda_qgram_layout *layout, FILE *words) {
    for (uint32_t i = 0; i < layout->filter_tiers; i++) {
        const trawl_cuda_qgram_tier *tier = &layout->tier[i];
        (void)fprintf(words, " %u:%u-%u:%u/%u:%u:%u%s", tier->place, tier->min_length,
                      tier->max_length, tier->gram, tier->stride, tier->filter_bits,
                      tier->filter_words,
                      tier->cores != 0        ? ":cores"
                      : tier->fuse_range != 0 ? ":fuse"
                                              : "");
    }
    for (uint32_t i = 0; i < layout->filter_tiers; i++) {
        if (layout->tier[i].anchors != 0) {
            (void)fprintf(words, " anchors");
            break;
        }
    }
    if (layout->automaton.in_automaton != NULL) {
        (void)fprintf(words, " automaton %u", layout->automaton.patterns);
    }
}

trawl_status device_plan_describe(const trawl_patterns *patterns, const trawl_plan *plan,
                                  const trawl_device_costs *costs, const device_text *text,
                                  uint64_t *number, FILE *words, trawl_error *error) {
    static const char *const ways[TRAWL_DEVICE_WAYS] = {"filter", "packed", "sparse", "hot"};
    (void)fprintf(words, " %s", ways[plan->device.chosen]);
    *number = plan->device.chosen;
    if (plan->device.chosen != TRAWL_DEVICE_FILTER) {
        return TRAWL_OK;
    }
    const trawl_cuda_properties device = {
        .multiprocessors = TRAWL_GPU_USUAL_MULTIPROCESSORS,
        .shared_bytes = TRAWL_GPU_USUAL_SHARED_BYTES,
        .cache_bytes = TRAWL_GPU_USUAL_CACHE_BYTES,
        .memory_bytes = TRAWL_GPU_USUAL_MEMORY_BYTES,
    };
    const trawl_cuda_qgram_target target = {
        .device = &device,
        .costs = costs,
        .filter_bytes = device.shared_bytes - TRAWL_GPU_QGRAM_WORKING_BYTES,
    };
    trawl_cuda_qgram_layout *layout = calloc(1, sizeof *layout);
    trawl_status status = trawl_cuda_qgram_choose(
        patterns, text->table_sample, text->table_sample_length, &target, layout, error);
    if (status == TRAWL_OK) {
        *number = number_of(layout, patterns->count);
        print_layout(layout, words);
        trawl_cuda_qgram_layout_release(layout);
    }
    free(layout);
    return status;
}

/* ------------------------------------------------------------------ scans */

static bool repeat(device_text *self) {
    uint64_t copies = self->text_length == 0 ? 0 : LEAST_TEXT / self->text_length + 1;
    self->length = copies * self->text_length;
    self->repeated = malloc(self->length + 1);
    for (uint64_t i = 0; self->repeated != NULL && i < copies; i++) {
        memcpy(self->repeated + i * self->text_length, self->text, self->text_length);
    }
    return self->repeated != NULL;
}

trawl_status device_upload(const trawl_db *db, const device_text *text, trawl_cuda_db **uploaded,
                           trawl_error *error) {
    trawl_cuda_upload_options options = TRAWL_CUDA_UPLOAD_OPTIONS;
    options.sample = text->table_sample;
    options.sample_length = text->table_sample_length;
    return trawl_cuda_upload(db, &options, uploaded, error);
}

trawl_status device_scan(const trawl_cuda_db *uploaded, const char *engine, device_text *text,
                         double *seconds, uint64_t *matches, trawl_error *error) {
    trawl_cuda_scan_options options = TRAWL_CUDA_SCAN_OPTIONS;
    options.kernel = engine == NULL ? NULL : "filter";
    double sorted[REPEATS];
    if (text->repeated == NULL && !repeat(text)) {
        return TRAWL_ERROR_MEMORY;
    }
    trawl_status status = trawl_study_cuda_measure(uploaded, &options, text->repeated, text->length,
                                                   REPEATS, sorted, matches, error);
    *seconds = sorted[0];
    return status;
}
