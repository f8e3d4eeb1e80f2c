/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* rabin-karp on the device: makes its tables there, plans and launches its kernels. */
#include "engines/engines.cuh"
#include "engines/rabin_karp/cuda/engine.cuh"

static const void *host_section(const trawl_cuda_db *uploaded, trawl_section_kind kind,
                                uint32_t part) {
    return trawl_db_section(uploaded->db, kind, part, NULL);
}

/* ------------------------------------------------------------------ preparing */

static void release(trawl_cuda_db *uploaded) {
    trawl_cuda_rabin_karp_tables *tables = (trawl_cuda_rabin_karp_tables *)uploaded->tables;
    if (tables != NULL) {
        trawl_cuda_powers_release(&tables->powers);
        (void)cudaFree(tables->filters);
        (void)cudaFree(tables->beginnings);
        trawl_release(tables->each);
        trawl_release(tables);
        uploaded->tables = NULL;
    }
}

/* Sets what a pass needs for windows of `window` bytes, apart from its tables. */
static void prepare_pass(const trawl_cuda_db *uploaded, const trawl_rabin_karp_header *header,
                         uint32_t window, trawl_cuda_rabin_karp_pass *pass) {
    pass->window = window;
    pass->folded = uploaded->db->header->folded != 0;
    pass->rolling = trawl_rolling_make(header->base, header->modulus, window);
    pass->power = trawl_rolling_power(&pass->rolling, window);
}

static void prepare_grouped(const trawl_cuda_db *uploaded, const trawl_rabin_karp_header *header,
                            trawl_cuda_rabin_karp_tables *tables) {
    const trawl_rabin_karp_pass *records =
        (const trawl_rabin_karp_pass *)host_section(uploaded, TRAWL_SECTION_RABIN_KARP_GROUPS, 0);
    for (uint32_t i = 0; i < tables->passes; i++) {
        trawl_cuda_rabin_karp_pass *pass = &tables->each[i];
        prepare_pass(uploaded, header, records[i].window, pass);
        pass->filter =
            (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_RABIN_KARP_FILTER, i);
        pass->filter_bits = records[i].filter_bits;
        pass->hash_bits = records[i].hash_bits;
        pass->heads =
            (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_RABIN_KARP_TABLE, i);
        pass->ranges = (const trawl_ending_range *)trawl_cuda_section(
            uploaded, TRAWL_SECTION_RABIN_KARP_IDS, i);
        pass->endings = trawl_cuda_endings_of(uploaded, i);
    }
}

/* Fills the filters of all passes and the beginnings of all patterns from HT. pass_of[length] is
 * the number of a pass. */
static void fill_paper(const trawl_cuda_db *uploaded, const trawl_rabin_karp_header *header,
                       const trawl_cuda_rabin_karp_tables *tables, const uint32_t *pass_of,
                       uint32_t *filters, uint2 *beginnings) {
    const trawl_pattern_view *patterns = &uploaded->db->patterns;
    const uint32_t *heads =
        (const uint32_t *)host_section(uploaded, TRAWL_SECTION_RABIN_KARP_TABLE, 0);
    const uint32_t *ids = (const uint32_t *)host_section(uploaded, TRAWL_SECTION_RABIN_KARP_IDS, 0);
    for (uint64_t hash = 0; hash < header->modulus; hash++) {
        for (uint32_t i = heads[hash]; i < heads[hash + 1]; i++) {
            uint32_t offset = patterns->offsets[ids[i]];
            uint32_t length = patterns->offsets[ids[i] + 1] - offset;
            uint32_t pass = pass_of[length];
            const trawl_cuda_rabin_karp_pass *record = &tables->each[pass];
            uint32_t bit = trawl_cuda_rabin_karp_bit<true>(*record, hash);
            uint32_t *filter = filters + ((size_t)2 * pass << record->filter_bits) / 32;
            filter[bit / 32] |= 1u << bit % 32;
            beginnings[i].x =
                trawl_cuda_rabin_karp_beginning(patterns->bytes + offset, length, record->folded);
            beginnings[i].y = length;
            bit = (1u << record->filter_bits) +
                  trawl_cuda_rabin_karp_sample_bit(*record, patterns->bytes + offset, length);
            filter[bit / 32] |= 1u << bit % 32;
        }
    }
}

static trawl_status upload_paper(const trawl_cuda_db *uploaded,
                                 const trawl_rabin_karp_header *header,
                                 trawl_cuda_rabin_karp_tables *tables, const uint32_t *pass_of,
                                 trawl_error *error) {
    size_t filter_bytes =
        ((size_t)2 * tables->passes << trawl_cuda_rabin_karp_filter_bits(header->modulus)) / 8;
    size_t beginning_bytes = (size_t)uploaded->db->patterns.count * sizeof(uint2);
    uint32_t *filters = (uint32_t *)trawl_allocate_zeroed(1, filter_bytes);
    uint2 *beginnings = (uint2 *)trawl_allocate_zeroed(1, beginning_bytes);
    trawl_status status = TRAWL_OK;
    cudaError_t code = cudaSuccess;
    if (filters == NULL || beginnings == NULL) {
        status = trawl_fail_memory(error, "a database on a device", filter_bytes + beginning_bytes);
    } else {
        fill_paper(uploaded, header, tables, pass_of, filters, beginnings);
        code = cudaMalloc((void **)&tables->filters, filter_bytes);
        if (code == cudaSuccess) {
            code = cudaMalloc((void **)&tables->beginnings, beginning_bytes);
        }
        if (code == cudaSuccess) {
            code = cudaMemcpy(tables->filters, filters, filter_bytes, cudaMemcpyHostToDevice);
        }
        if (code == cudaSuccess) {
            code =
                cudaMemcpy(tables->beginnings, beginnings, beginning_bytes, cudaMemcpyHostToDevice);
        }
    }
    trawl_release(filters);
    trawl_release(beginnings);
    return code == cudaSuccess ? status : trawl_cuda_failed(code, "uploading filters", error);
}

static trawl_status prepare_paper(const trawl_cuda_db *uploaded,
                                  const trawl_rabin_karp_header *header,
                                  trawl_cuda_rabin_karp_tables *tables, trawl_error *error) {
    const uint32_t *lengths =
        (const uint32_t *)host_section(uploaded, TRAWL_SECTION_RABIN_KARP_GROUPS, 0);
    uint32_t *pass_of =
        (uint32_t *)trawl_allocate_zeroed(TRAWL_PATTERN_MAX_LENGTH + 1, sizeof *pass_of);
    if (pass_of == NULL) {
        return trawl_fail_memory(error, "a database on a device",
                                 (TRAWL_PATTERN_MAX_LENGTH + 1) * sizeof *pass_of);
    }
    uint32_t filter_bits = trawl_cuda_rabin_karp_filter_bits(header->modulus);
    for (uint32_t i = 0; i < tables->passes; i++) {
        prepare_pass(uploaded, header, lengths[i], &tables->each[i]);
        tables->each[i].filter_bits = filter_bits;
        pass_of[lengths[i]] = i;
    }
    trawl_status status = upload_paper(uploaded, header, tables, pass_of, error);
    trawl_release(pass_of);
    for (uint32_t i = 0; status == TRAWL_OK && i < tables->passes; i++) {
        trawl_cuda_rabin_karp_pass *pass = &tables->each[i];
        pass->filter = tables->filters + ((size_t)2 * i << filter_bits) / 32;
        pass->heads =
            (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_RABIN_KARP_TABLE, 0);
        pass->ids = (const uint32_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_RABIN_KARP_IDS, 0);
        pass->beginnings = tables->beginnings;
    }
    return status;
}

static trawl_status prepare(trawl_cuda_db *uploaded, const uint8_t *sample, size_t sample_length,
                            trawl_error *error) {
    (void)sample;
    (void)sample_length;
    const trawl_rabin_karp_header *header =
        (const trawl_rabin_karp_header *)host_section(uploaded, TRAWL_SECTION_RABIN_KARP_HEADER, 0);
    trawl_cuda_rabin_karp_tables *tables =
        (trawl_cuda_rabin_karp_tables *)trawl_allocate_zeroed(1, sizeof *tables);
    if (tables == NULL) {
        return trawl_fail_memory(error, "a database on a device", sizeof *tables);
    }
    uploaded->tables = tables;
    tables->paper = header->variant != TRAWL_RABIN_KARP_GROUPED;
    tables->passes = header->passes;
    tables->each =
        (trawl_cuda_rabin_karp_pass *)trawl_allocate_zeroed(tables->passes, sizeof *tables->each);
    trawl_status status = TRAWL_OK;
    if (tables->each == NULL) {
        status = trawl_fail_memory(error, "a database on a device",
                                   (uint64_t)tables->passes * sizeof *tables->each);
    } else if (tables->paper) {
        status = prepare_paper(uploaded, header, tables, error);
    } else {
        prepare_grouped(uploaded, header, tables);
    }
    for (uint32_t i = 0; status == TRAWL_OK && i < tables->passes; i++) {
        uint32_t window = tables->each[i].window;
        tables->longest = window > tables->longest ? window : tables->longest;
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_powers_make(header->base, header->modulus, &tables->powers, error);
    }
    if (status == TRAWL_OK && tables->powers.modulus != 0) {
        status = trawl_cuda_rabin_karp_check(uploaded, &tables->powers, error);
    }
    if (status != TRAWL_OK) {
        release(uploaded);
    }
    return status;
}

/* ------------------------------------------------------------------ scanning */

static trawl_status plan(const trawl_cuda_db *uploaded, const trawl_cuda_launch_request *request,
                         trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_rabin_karp_tables *tables =
        (const trawl_cuda_rabin_karp_tables *)uploaded->tables;
    if (request->table_path == TRAWL_TABLES_TEXTURE) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "rabin-karp reads its tables with read-only loads; it has no textures "
                          "(table path %d)",
                          (int)request->table_path);
    }
    plan->table_path = TRAWL_TABLES_READ_ONLY;
    /* A pass finds matches in order of their ends, and HT lists ids in ascending order. */
    plan->ordered = tables->passes == 1;
    switch (plan->kernel) {
    case TRAWL_CUDA_RABIN_KARP_PREFIX_SUMS:
        return trawl_cuda_rabin_karp_sum_plan(uploaded, request, plan, error);
    case TRAWL_CUDA_RABIN_KARP_STEPS:
        return trawl_cuda_rabin_karp_steps_plan(uploaded, request, plan, error);
    default:
        return trawl_cuda_rabin_karp_roll_plan(uploaded, request, plan, error);
    }
}

static trawl_status launch(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                           const trawl_cuda_slice *slice, const trawl_cuda_output *output,
                           void *workspace, cudaStream_t stream, trawl_error *error) {
    const trawl_cuda_rabin_karp_tables *tables =
        (const trawl_cuda_rabin_karp_tables *)uploaded->tables;
    trawl_cuda_reporter reporter = {*slice, *output, uploaded->patterns};
    switch (plan->kernel) {
    case TRAWL_CUDA_RABIN_KARP_PREFIX_SUMS:
        return trawl_cuda_rabin_karp_sum(uploaded, plan, &reporter, workspace, stream, error);
    case TRAWL_CUDA_RABIN_KARP_STEPS:
        return trawl_cuda_rabin_karp_steps(uploaded, plan, &reporter, workspace, stream, error);
    default:
        return trawl_cuda_rabin_karp_roll(tables, plan, &reporter, stream, error);
    }
}

const trawl_cuda_engine trawl_cuda_rabin_karp = {prepare, release, plan, launch, false, NULL};
