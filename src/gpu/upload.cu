/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Copies a database to a device: the sections as they are, views of them, and the tables that the
 * engine's kernels add. */
#include "gpu/contract.cuh"

extern "C" {
#include "database/case_counts.h"
#include "database/selection.h"
#include "gpu/module.h"
}

/* The alignment that a texture over linear memory requires. Sections of a block are aligned to
 * less, so each is copied to a place of its own. */
#define SECTION_ALIGNMENT ((uint64_t)512)

static const trawl_section *sections_of(const trawl_db *db) {
    return (const trawl_section *)(db->header + 1);
}

/* Bytes of a section that are copied to the device. */
static uint64_t uploaded_bytes(const trawl_cuda_engine *engine, const trawl_section *section) {
    switch (section->kind) {
    case TRAWL_SECTION_PATTERN_OFFSETS:
    case TRAWL_SECTION_PATTERN_BYTES:
    case TRAWL_SECTION_PATTERN_FLAGS:
    case TRAWL_SECTION_PATTERN_GROUP:
    case TRAWL_SECTION_GROUP_IDS:
    case TRAWL_SECTION_SELECTION_KEY:
    case TRAWL_SECTION_SELECTION_INSIDE:
    case TRAWL_SECTION_SELECTION_PATTERN:
    case TRAWL_SECTION_CONDITIONS:
    case TRAWL_SECTION_PATTERN_CONDITION:
    case TRAWL_SECTION_CONDITION_CLASSES:
        return section->size;
    default:
        return engine->own_tables ? 0 : section->size;
    }
}

static trawl_status upload_sections(trawl_cuda_db *uploaded, const trawl_cuda_engine *engine,
                                    trawl_error *error) {
    const trawl_db *db = uploaded->db;
    const trawl_section *sections = sections_of(db);
    uint32_t count = db->header->section_count;
    uploaded->section_offsets =
        (uint64_t *)trawl_allocate(count + 1, sizeof *uploaded->section_offsets);
    if (uploaded->section_offsets == NULL) {
        return trawl_fail_memory(error, "a database on a device", count * sizeof(uint64_t));
    }
    uint64_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        uploaded->section_offsets[i] = size;
        size += (uploaded_bytes(engine, &sections[i]) + SECTION_ALIGNMENT - 1) / SECTION_ALIGNMENT *
                SECTION_ALIGNMENT;
    }
    TRAWL_CUDA_TRY(cudaMalloc((void **)&uploaded->block, size), error);
    for (uint32_t i = 0; i < count; i++) {
        TRAWL_CUDA_TRY(cudaMemcpy(uploaded->block + uploaded->section_offsets[i],
                                  db->block + sections[i].offset,
                                  uploaded_bytes(engine, &sections[i]), cudaMemcpyHostToDevice),
                       error);
    }
    return TRAWL_OK;
}

bool trawl_cuda_reports_longest(const trawl_db *db) {
    return trawl_selection_of(db).keys != NULL;
}

/* Sets the totals of a part's keys on the device to 1. */
static trawl_status set_totals(const trawl_cuda_db *uploaded, uint32_t part, uint32_t keys,
                               trawl_error *error) {
    uint32_t *ones = (uint32_t *)trawl_allocate(keys, sizeof *ones);
    if (ones == NULL) {
        return trawl_fail_memory(error, "a database on a device", keys * sizeof *ones);
    }
    for (uint32_t key = 0; key < keys; key++) {
        ones[key] = 1;
    }
    void *totals = const_cast<void *>(trawl_cuda_section(uploaded, TRAWL_SECTION_KEY_TOTAL, part));
    cudaError_t code = cudaMemcpy(totals, ones, keys * sizeof *ones, cudaMemcpyHostToDevice);
    trawl_release(ones);
    return code == cudaSuccess ? TRAWL_OK : trawl_cuda_failed(code, "cudaMemcpy", error);
}

/* Sets the flags of the patterns on the device, if their case is mixed. */
static trawl_status upload_flags(trawl_cuda_db *uploaded, trawl_error *error) {
    const trawl_pattern_view *patterns = &uploaded->db->patterns;
    if (!trawl_case_is_mixed(patterns)) {
        return TRAWL_OK;
    }
    uploaded->flags = (uint8_t *)trawl_allocate(patterns->count, 1);
    if (uploaded->flags == NULL) {
        return trawl_fail_memory(error, "a database on a device", patterns->count);
    }
    trawl_case_flags(patterns, uploaded->flags);
    TRAWL_CUDA_TRY(cudaMemcpy(const_cast<uint8_t *>(uploaded->patterns.flags), uploaded->flags,
                              patterns->count, cudaMemcpyHostToDevice),
                   error);
    return TRAWL_OK;
}

/* Copies the counts of all parts' keys to the device. */
static trawl_status upload_case_counts(trawl_cuda_db *uploaded, trawl_error *error) {
    uint64_t count = 0;
    for (uint32_t part = 0; part < uploaded->parts; part++) {
        trawl_outputs host;
        trawl_outputs_view(uploaded->db, part, &host);
        count += (trawl_case_words(&host, uploaded->flags) + 1) / 2 * 2;
    }
    TRAWL_CUDA_TRY(cudaMalloc((void **)&uploaded->case_words, count * sizeof(uint32_t)), error);
    uint32_t *words = (uint32_t *)trawl_allocate_zeroed(count, sizeof *words);
    if (words == NULL) {
        return trawl_fail_memory(error, "a database on a device", count * sizeof *words);
    }
    uint64_t at = 0;
    for (uint32_t part = 0; part < uploaded->parts; part++) {
        trawl_outputs host;
        trawl_outputs_view(uploaded->db, part, &host);
        const uint64_t own = trawl_case_words(&host, uploaded->flags);
        trawl_case_write(&host, &uploaded->db->patterns, uploaded->flags, words + at);
        uploaded->keys[part].case_counts =
            trawl_case_view(uploaded->case_words + at, own, host.keys);
        at += (own + 1) / 2 * 2; /* spellings are loaded as pairs of words */
    }
    cudaError_t code =
        cudaMemcpy(uploaded->case_words, words, at * sizeof *words, cudaMemcpyHostToDevice);
    trawl_release(words);
    return code == cudaSuccess ? TRAWL_OK : trawl_cuda_failed(code, "cudaMemcpy", error);
}

/* The parts of a database that have outputs: 0 for engines that list patterns themselves. */
static uint32_t count_parts(const trawl_db *db) {
    uint32_t parts = 0;
    while (parts < db->header->parts &&
           trawl_db_section(db, TRAWL_SECTION_KEY_LENGTH, parts, NULL) != NULL) {
        parts++;
    }
    return parts;
}

trawl_status trawl_cuda_copy_keys(trawl_cuda_db *uploaded, trawl_error *error) {
    size_t bytes = uploaded->parts * sizeof *uploaded->keys;
    TRAWL_CUDA_TRY(cudaMalloc((void **)&uploaded->device_keys, bytes), error);
    TRAWL_CUDA_TRY(cudaMemcpy(uploaded->device_keys, uploaded->keys, bytes, cudaMemcpyHostToDevice),
                   error);
    return TRAWL_OK;
}

static trawl_status upload_keys(trawl_cuda_db *uploaded, trawl_error *error) {
    uploaded->parts = count_parts(uploaded->db);
    if (uploaded->parts == 0) {
        return TRAWL_OK;
    }
    size_t bytes = uploaded->parts * sizeof *uploaded->keys;
    uploaded->keys = (trawl_cuda_keys *)trawl_allocate_zeroed(1, bytes);
    if (uploaded->keys == NULL) {
        return trawl_fail_memory(error, "a database on a device", bytes);
    }
    for (uint32_t part = 0; part < uploaded->parts; part++) {
        trawl_outputs host;
        trawl_outputs_view(uploaded->db, part, &host);
        trawl_cuda_keys *keys = &uploaded->keys[part];
        keys->outputs.keys = host.keys;
        keys->outputs.length =
            (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_KEY_LENGTH, part);
        keys->outputs.link =
            (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_KEY_LINK, part);
        keys->outputs.total =
            (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_KEY_TOTAL, part);
        keys->outputs.first =
            (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_KEY_FIRST, part);
        keys->outputs.ids =
            (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_KEY_IDS, part);
        keys->outputs.verify =
            (const uint8_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_KEY_VERIFY, part);
        keys->first_hit = uploaded->hits;
        keys->longest = trawl_cuda_reports_longest(uploaded->db);
        uploaded->hits += host.keys;
        if (keys->longest) {
            trawl_status status = set_totals(uploaded, part, host.keys, error);
            if (status != TRAWL_OK) {
                return status;
            }
        }
    }
    trawl_status status = uploaded->flags != NULL && uploaded->hits != 0
                              ? upload_case_counts(uploaded, error)
                              : TRAWL_OK;
    return status == TRAWL_OK ? trawl_cuda_copy_keys(uploaded, error) : status;
}

static trawl_status upload_all(trawl_cuda_db *uploaded, const trawl_cuda_engine *engine,
                               const trawl_cuda_upload_options *options, trawl_error *error) {
    const trawl_db *db = uploaded->db;
    trawl_status status = trawl_cuda_check_patterns(db, error);
    if (status == TRAWL_OK) {
        status = trawl_cuda_device_read((int)options->device, &uploaded->device, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    status = upload_sections(uploaded, engine, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uploaded->patterns.offsets =
        (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_PATTERN_OFFSETS, 0);
    uploaded->patterns.bytes =
        (const uint8_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_PATTERN_BYTES, 0);
    uploaded->patterns.flags =
        (const uint8_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_PATTERN_FLAGS, 0);
    uploaded->patterns.count = db->patterns.count;
    status = upload_flags(uploaded, error);
    if (status == TRAWL_OK && !engine->own_tables) {
        status = upload_keys(uploaded, error);
    }
    if (status == TRAWL_OK) {
        status = engine->prepare(uploaded, (const uint8_t *)options->sample,
                                 options->sample == NULL ? 0 : options->sample_length, error);
        uploaded->engine = status == TRAWL_OK ? engine : NULL;
    }
    return status;
}

void trawl_cuda_scratch_free(trawl_cuda_scratch *scratch) {
    if (scratch->stream != NULL) {
        (void)cudaStreamDestroy(scratch->stream);
    }
    (void)cudaFree(scratch->memory);
    memset(scratch, 0, sizeof *scratch);
}

static void free_all(trawl_cuda_db *uploaded) {
    if (uploaded->engine != NULL) {
        uploaded->engine->release(uploaded);
    }
    (void)cudaFree(uploaded->device_keys);
    (void)cudaFree(uploaded->case_words);
    (void)cudaFree(uploaded->block);
    trawl_cuda_scratch_free(&uploaded->scratch);
    (void)pthread_mutex_destroy(&uploaded->lock);
    (void)pthread_mutex_destroy(&uploaded->scratch_lock);
    trawl_release(uploaded->section_offsets);
    trawl_release(uploaded->keys);
    trawl_release(uploaded->flags);
    trawl_release(uploaded);
}

trawl_status trawl_cuda_upload_to(const trawl_db *db, const trawl_cuda_engine *engine,
                                  const trawl_cuda_upload_options *options,
                                  trawl_cuda_db **uploaded, trawl_error *error) {
    trawl_cuda_db *made = (trawl_cuda_db *)trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "a database on a device", sizeof *made);
    }
    made->db = db;
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_mutex_init(&made->scratch_lock, NULL);
    int before;
    cudaError_t code = trawl_cuda_enter((int)options->device, &before);
    trawl_status status = code == cudaSuccess ? upload_all(made, engine, options, error)
                                              : trawl_cuda_failed(code, "cudaSetDevice", error);
    if (status != TRAWL_OK) {
        free_all(made);
        made = NULL;
    }
    trawl_cuda_leave(before);
    *uploaded = made;
    return status;
}

extern "C" void trawl_cuda_db_free(trawl_cuda_db *uploaded) {
    if (uploaded != NULL) {
        int before;
        (void)trawl_cuda_enter(uploaded->device.number, &before);
        (void)cudaDeviceSynchronize();
        free_all(uploaded);
        (void)cudaGetLastError();
        trawl_cuda_leave(before);
    }
}

extern "C" size_t trawl_study_cuda_state_bytes(const trawl_cuda_db *uploaded) {
    if (uploaded == NULL || (strcmp(uploaded->db->header->engine, "ac-dfa") != 0 &&
                             strcmp(uploaded->db->header->engine, "ac-nfa") != 0)) {
        return 0;
    }
    /* No states: a database without patterns. */
    return uploaded->db->header->states == 0 ? 0 : uploaded->db->header->states <= 65536 ? 2 : 4;
}
