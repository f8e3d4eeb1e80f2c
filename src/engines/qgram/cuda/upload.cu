/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Uploads the tables of engine qgram: chooses tiers and a layout for the device, and copies all
 * arrays into one block of its memory. */
#include "engines/engines.cuh"
#include "engines/qgram/cuda/upload.cuh"

extern "C" {
#include "costs/costs.h"
#include "engines/qgram/gpu/frequent_automaton.h"
}

static void put_tier(trawl_cuda_uploader *self, const trawl_cuda_qgram_tier *tier,
                     const trawl_cuda_qgram_arrays *arrays, trawl_cuda_qgram_tables *table,
                     trawl_cuda_keys *keys) {
    const uint64_t count = arrays->keys.count;
    table->tier = *tier;
    table->mask = trawl_cuda_qgram_mask(tier);
    table->case_bits = trawl_cuda_qgram_case_bits(tier);
    if (tier->place == TRAWL_CUDA_QGRAM_GLOBAL) {
        table->filter = (const uint32_t *)trawl_cuda_put(self, arrays->filter,
                                                         trawl_cuda_qgram_filter_words(tier) * 4);
    }
    table->end_offsets = (const uint16_t *)trawl_cuda_put(
        self, arrays->end_offsets,
        arrays->end_offsets == NULL ? 0 : (UINT64_C(2) << tier->end_offset_bits));
    table->anchor_offsets = (const uint8_t *)trawl_cuda_put(
        self, arrays->anchor_offsets, arrays->anchor_offsets == NULL ? 0 : count);
    table->buckets = (const uint4 *)trawl_cuda_put(self, arrays->buckets,
                                                   arrays->bucket_count * sizeof *arrays->buckets);
    table->anchor_ends = (const uint8_t *)trawl_cuda_put(
        self, arrays->anchor_ends, arrays->anchor_ends == NULL ? 0 : count * tier->stride);
    table->pattern_end = (const uint32_t *)trawl_cuda_put(self, arrays->pattern_end, count * 4);
    table->heads = (const uint32_t *)trawl_cuda_put(
        self, arrays->heads, arrays->heads == NULL ? 0 : (UINT64_C(4) << tier->hash_bits) + 4);
    table->ranges = (const uint4 *)trawl_cuda_put(self, arrays->ranges,
                                                  arrays->range_count * sizeof(trawl_ending_range));
    table->direct = (const uint32_t *)trawl_cuda_put(
        self, arrays->direct, arrays->direct == NULL ? 0 : TRAWL_QGRAM_PAIRS * 4);
    table->endings.endings = (const uint64_t *)trawl_cuda_put(self, arrays->endings, count * 8);
    table->endings.folded = tier->folded != 0;
    trawl_cuda_put_outputs(self, arrays, keys);
    table->endings.keys = *keys;
}

/* Makes the image: all filters in shared memory, one after the other. */
static trawl_status make_image(const trawl_cuda_qgram_layout *layout, uint32_t **image,
                               trawl_error *error) {
    uint64_t bytes = (uint64_t)layout->image_words * 4;
    *image = (uint32_t *)trawl_allocate_zeroed(bytes + 4, 1);
    if (*image == NULL) {
        return trawl_fail_memory(error, "a database on a device", bytes);
    }
    for (uint32_t i = 0; i < layout->tiers; i++) {
        const trawl_cuda_qgram_tier *tier = &layout->tier[i];
        if (tier->place != TRAWL_CUDA_QGRAM_GLOBAL) {
            memcpy(*image + tier->filter_at, layout->arrays[i].filter,
                   trawl_cuda_qgram_filter_words(tier) * 4);
        }
    }
    return TRAWL_OK;
}

/* All tables in host memory. */
typedef struct host_tables {
    trawl_cuda_qgram_layout filter;
    trawl_cuda_packed_layout packed;
    trawl_cuda_sparse_layout sparse;
} host_tables;

static void release_tables(host_tables *self) {
    if (self != NULL) {
        trawl_cuda_qgram_layout_release(&self->filter);
        trawl_cuda_packed_layout_release(&self->packed);
        trawl_cuda_sparse_layout_release(&self->sparse);
        trawl_release(self);
    }
}

/* The tables to be uploaded. */
typedef struct upload_sources {
    const trawl_cuda_qgram_layout *layout;
    const uint32_t *image;
    const trawl_cuda_packed_layout *packed; /* NULL if the set cannot be packed */
    const trawl_cuda_sparse_layout *sparse; /* NULL if there is none */
    trawl_cuda_qgram_host_chains chains;
} upload_sources;

/* Uploads all tables, and numbers the hits of their keys, one part after the other. */
static void put_tables(trawl_cuda_uploader *upload, const upload_sources *sources,
                       trawl_cuda_db *uploaded, trawl_cuda_qgram_uploaded *tables) {
    const trawl_cuda_qgram_layout *layout = sources->layout;
    const trawl_cuda_packed_layout *packed = sources->packed;
    trawl_cuda_qgram_view *view = &tables->view;
    uploaded->hits = 0;
    view->image =
        (const uint4 *)trawl_cuda_put(upload, sources->image, (uint64_t)layout->image_words * 4);
    for (uint32_t i = 0; i < layout->tiers; i++) {
        uploaded->keys[i].first_hit = uploaded->hits;
        uploaded->hits += layout->arrays[i].keys.count;
        put_tier(upload, &layout->tier[i], &layout->arrays[i], &view->table[i], &uploaded->keys[i]);
    }
    if (packed != NULL) {
        trawl_cuda_keys *keys = &uploaded->keys[layout->tiers];
        keys->first_hit = uploaded->hits;
        uploaded->hits += packed->arrays.keys.count;
        trawl_cuda_packed_put(upload, packed, &tables->packed, keys);
    }
    if (sources->sparse != NULL) {
        trawl_cuda_keys *keys = &uploaded->keys[layout->tiers + (packed != NULL)];
        keys->first_hit = uploaded->hits;
        uploaded->hits += sources->sparse->arrays.keys.count;
        put_tier(upload, &sources->sparse->look_up, &sources->sparse->arrays, &tables->sparse.table,
                 keys);
        trawl_cuda_sparse_put(upload, sources->sparse, &tables->sparse);
    }
    if (tables->automaton != NULL) { /* hits of its keys are numbered behind those of the tiers */
        trawl_cuda_keys *keys = tables->automaton->keys;
        keys->first_hit = uploaded->hits;
        uploaded->hits += keys->outputs.keys;
        uploaded->keys[uploaded->parts - 1] = *keys;
        trawl_cuda_qgram_chains_put(upload, &sources->chains, &tables->chains);
    }
}

/* The first call of put_tables adds up the tables' bytes, the second one copies them into one
 * allocation. */
static trawl_status copy_tables(const upload_sources *sources, trawl_cuda_db *uploaded,
                                trawl_cuda_qgram_uploaded *tables, trawl_error *error) {
    trawl_cuda_uploader upload = {uploaded, NULL, 0, cudaSuccess};
    put_tables(&upload, sources, uploaded, tables);
    upload.code = cudaMalloc((void **)&tables->memory, upload.used);
    if (upload.code == cudaSuccess) {
        upload.memory = tables->memory;
        upload.used = 0;
        put_tables(&upload, sources, uploaded, tables);
    }
    if (upload.code != cudaSuccess) {
        return trawl_cuda_failed(upload.code, "copying q-gram tables to the device", error);
    }
    return TRAWL_OK;
}

static trawl_status upload_tables(trawl_cuda_db *uploaded, const host_tables *host,
                                  trawl_cuda_qgram_uploaded *tables, trawl_error *error) {
    const trawl_cuda_qgram_layout *layout = &host->filter;
    const bool packs = tables->packed_obstacle.status == TRAWL_OK;
    const bool is_sparse = tables->sparse_obstacle.status == TRAWL_OK;
    uint32_t parts = layout->tiers + packs + is_sparse + (tables->automaton != NULL);
    size_t bytes = parts * sizeof *uploaded->keys;
    uint32_t *image = NULL;
    trawl_status status = make_image(layout, &image, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uploaded->keys = (trawl_cuda_keys *)trawl_allocate_zeroed(1, bytes);
    if (uploaded->keys == NULL) {
        trawl_release(image);
        return trawl_fail_memory(error, "a database on a device", bytes);
    }
    uploaded->parts = parts;
    trawl_cuda_qgram_view *view = &tables->view;
    view->tiers = layout->tiers;
    view->image_words = layout->image_words;
    for (uint32_t i = 0; i < layout->tiers; i++) {
        view->anchors |= layout->tier[i].anchors;
    }
    view->bitmap_words =
        trawl_cuda_qgram_round(layout->tiers) * (TRAWL_QGRAM_BATCH / 32) + TRAWL_QGRAM_BEHIND;
    upload_sources sources = {
        layout, image, packs ? &host->packed : NULL, is_sparse ? &host->sparse : NULL, {}};
    if (tables->automaton != NULL) {
        status = trawl_cuda_qgram_chains_make(tables->automaton, &sources.chains, error);
    }
    if (status == TRAWL_OK) {
        status = copy_tables(&sources, uploaded, tables, error);
    }
    trawl_cuda_qgram_chains_release(&sources.chains);
    trawl_release(image);
    return status == TRAWL_OK ? trawl_cuda_copy_keys(uploaded, error) : status;
}

void trawl_cuda_qgram_release(trawl_cuda_db *uploaded) {
    trawl_cuda_qgram_uploaded *tables = (trawl_cuda_qgram_uploaded *)uploaded->tables;
    if (tables != NULL) {
        trawl_cuda_db_free(tables->automaton);
        trawl_db_free(tables->automaton_db);
        (void)cudaFree(tables->memory);
        trawl_release(tables);
        uploaded->tables = NULL;
    }
}

/* A view of a database's patterns as a set. */
static trawl_patterns patterns_of(const trawl_db *db) {
    trawl_patterns patterns = {};
    patterns.bytes = const_cast<uint8_t *>(db->patterns.bytes);
    patterns.offsets = const_cast<uint32_t *>(db->patterns.offsets);
    patterns.flags = const_cast<uint8_t *>(db->patterns.flags);
    patterns.count = db->patterns.count;
    patterns.min_length = db->header->min_length;
    patterns.max_length = db->header->max_length;
    for (size_t id = 0; id < patterns.count; id++) {
        patterns.case_insensitive += (patterns.flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    }
    return patterns;
}

/* Bytes of a block's shared memory for tables: what no kernel needs for anything else. */
static size_t room_for_tables(const trawl_cuda_device *device) {
    uint32_t warps = trawl_qgram_tuned::filter_threads / 32;
    size_t of_walk =
        4 * (trawl_qgram_tuned::most_round * (TRAWL_QGRAM_BATCH / 32 + TRAWL_QGRAM_BEHIND) +
             TRAWL_QGRAM_QUEUE);
    size_t of_filter = trawl_cuda_qgram_filter_shared();
    size_t of_warps = 4 * TRAWL_QGRAM_VIEW_WORDS + warps * of_walk;
    of_warps = of_warps > of_filter ? of_warps : of_filter;
    return device->shared_bytes < of_warps ? 0 : device->shared_bytes - of_warps;
}

/* What the tables are made for. */
typedef struct table_request {
    trawl_patterns patterns;
    const trawl_cuda_device *device;
    const uint8_t *sample;
    size_t sample_length;
} table_request;

static trawl_status make_packed(const table_request *request, host_tables *host,
                                trawl_cuda_qgram_uploaded *tables, trawl_error *error) {
    const size_t shared = request->device->shared_bytes;
    trawl_cuda_packed_layout *packed = &host->packed;
    if (!trawl_cuda_packed_letters(&request->patterns, shared, packed, &tables->packed_obstacle)) {
        return TRAWL_OK;
    }
    packed->arrays.longest = host->filter.longest;
    tables->packed_pays = trawl_cuda_packed_pays(packed, request->patterns.count, request->sample,
                                                 request->sample_length);
    return trawl_cuda_packed_layout_make(&request->patterns, shared, packed, error);
}

/* Where the kernel does not pay, large tables are not made for it. */
static trawl_status make_sparse(const table_request *request,
                                const trawl_cuda_properties *properties, host_tables *host,
                                trawl_cuda_qgram_uploaded *tables, trawl_error *error) {
    trawl_cuda_sparse_layout *sparse = &host->sparse;
    trawl_error *obstacle = &tables->sparse_obstacle;
    trawl_status status =
        trawl_cuda_sparse_choose(&request->patterns, request->sample, request->sample_length,
                                 properties, sparse, obstacle, error);
    if (status != TRAWL_OK || obstacle->status != TRAWL_OK) {
        return status;
    }
    tables->sparse_pays = trawl_cuda_sparse_pays(sparse, host->filter.price);
    if (!tables->sparse_pays && sparse->bytes > TRAWL_GPU_SPARSE_NEEDLESS_BYTES) {
        (void)trawl_fail(obstacle, TRAWL_ERROR_LIMIT,
                         "it is not expected to be faster, and needs %.0f MB of tables",
                         (double)sparse->bytes / 1e6);
        return TRAWL_OK;
    }
    sparse->arrays.longest = host->filter.longest;
    return trawl_cuda_sparse_layout_make(&request->patterns, request->sample,
                                         request->sample_length, sparse, error);
}

static trawl_status make_tables(const trawl_cuda_db *uploaded, const uint8_t *sample,
                                size_t sample_length, host_tables *host,
                                trawl_cuda_qgram_uploaded *tables, trawl_error *error) {
    const trawl_cuda_device *device = &uploaded->device;
    const table_request request = {patterns_of(uploaded->db), device, sample, sample_length};
    const trawl_cuda_properties properties = {(uint32_t)device->multiprocessors,
                                              device->shared_bytes, device->l2_bytes, 0};
    const trawl_device_costs *known = &uploaded->db->device_costs;
    const trawl_device_costs costs = known->size != 0 ? *known : trawl_device_costs_built_in;
    const trawl_cuda_qgram_target target = {&properties, &costs, room_for_tables(device),
                                            trawl_cuda_reports_longest(uploaded->db)};
    trawl_status status = trawl_cuda_qgram_choose(&request.patterns, sample, sample_length, &target,
                                                  &host->filter, error);
    if (status == TRAWL_OK) {
        status = trawl_cuda_qgram_layout_make(&request.patterns, &host->filter, error);
    }
    if (status == TRAWL_OK) {
        status = make_packed(&request, host, tables, error);
    }
    if (status == TRAWL_OK) {
        status = make_sparse(&request, &properties, host, tables, error);
    }
    return status;
}

/* Uploads the layout's automaton, and becomes its owner. */
static trawl_status upload_automaton(const trawl_cuda_db *uploaded, const uint8_t *sample,
                                     size_t sample_length, trawl_cuda_qgram_layout *layout,
                                     trawl_cuda_qgram_uploaded *tables, trawl_error *error) {
    tables->filter_tiers = layout->filter_tiers;
    tables->filter_tier_words = layout->filter_tier_words;
    if (layout->automaton.db == NULL) {
        return TRAWL_OK;
    }
    trawl_cuda_upload_options options = {};
    options.size = sizeof options;
    options.device = (uint32_t)uploaded->device.number;
    options.sample = sample;
    options.sample_length = sample_length;
    tables->automaton_db = layout->automaton.db;
    layout->automaton.db = NULL;
    return trawl_cuda_upload_to(tables->automaton_db, &trawl_cuda_ac_dfa, &options,
                                &tables->automaton, error);
}

trawl_status trawl_cuda_qgram_prepare(trawl_cuda_db *uploaded, const uint8_t *sample,
                                      size_t sample_length, trawl_error *error) {
    trawl_cuda_qgram_uploaded *tables =
        (trawl_cuda_qgram_uploaded *)trawl_allocate_zeroed(1, sizeof *tables);
    host_tables *host = (host_tables *)trawl_allocate_zeroed(1, sizeof *host);
    trawl_status status = TRAWL_OK;
    if (tables == NULL || host == NULL) {
        trawl_release(tables);
        status = trawl_fail_memory(error, "a database on a device", sizeof *host);
    } else {
        uploaded->tables = tables;
        status = make_tables(uploaded, sample, sample_length, host, tables, error);
        if (status == TRAWL_OK) {
            status =
                upload_automaton(uploaded, sample, sample_length, &host->filter, tables, error);
        }
        if (status == TRAWL_OK) {
            status = upload_tables(uploaded, host, tables, error);
        }
        if (status != TRAWL_OK) {
            trawl_cuda_qgram_release(uploaded);
        }
    }
    release_tables(host);
    return status;
}
