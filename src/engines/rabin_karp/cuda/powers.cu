/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The table of powers of d modulo q (Nunes et al. 2018, IV, step 1), and the hashes of all patterns
 * in parallel (step 2, V: a block of 64 threads for each pattern).
 *
 * The paper makes its table HT from these hashes, and so does kernel steps. The other kernels use
 * the table of the database, which the CPU made with the same arithmetic in another order. For them
 * the hashes are computed once, at the upload, to check that powers and table belong together.
 */
#include "engines/rabin_karp/cuda/modular.cuh"

/* base^i is the product of a low power, of i modulo LOW_POWERS, and of a high one, of the rest. */
#define LOW_POWERS UINT32_C(65536)
#define NOWHERE UINT64_MAX /* no entry of the table */

/* ------------------------------------------------------------------ powers */

static trawl_status upload(const void *host, uint64_t bytes, const void **device,
                           trawl_error *error) {
    void *memory;
    TRAWL_CUDA_TRY(cudaMalloc(&memory, bytes), error);
    *device = memory;
    TRAWL_CUDA_TRY(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice), error);
    return TRAWL_OK;
}

/* Makes the powers 0 to count - 1 of `factor`, as numbers of `bytes` bytes each, on the device. */
static trawl_status upload_powers(uint64_t factor, uint64_t modulus, uint32_t count, uint32_t bytes,
                                  const void **device, trawl_error *error) {
    void *powers = trawl_allocate(count, bytes);
    if (powers == NULL) {
        return trawl_fail_memory(error, "a table of powers", (uint64_t)count * bytes);
    }
    uint64_t power = 1 % modulus;
    for (uint32_t i = 0; i < count; i++) {
        if (bytes == sizeof(uint16_t)) {
            ((uint16_t *)powers)[i] = (uint16_t)power;
        } else {
            ((uint32_t *)powers)[i] = (uint32_t)power;
        }
        power = power * factor % modulus;
    }
    trawl_status status = upload(powers, (uint64_t)count * bytes, device, error);
    trawl_release(powers);
    return status;
}

trawl_status trawl_cuda_powers_make(uint64_t base, uint64_t modulus, trawl_cuda_powers *powers,
                                    trawl_error *error) {
    memset(powers, 0, sizeof *powers);
    if (modulus == 0 || base % modulus == 0) {
        return TRAWL_OK;
    }
    base %= modulus;
    uint32_t period = (uint32_t)modulus - 1;
    trawl_status status;
    if (modulus <= LOW_POWERS) {
        status = upload_powers(base, modulus, period + 1, sizeof(uint16_t),
                               (const void **)&powers->narrow, error);
    } else {
        uint64_t step = 1;
        for (uint32_t i = 0; i < LOW_POWERS; i++) {
            step = step * base % modulus;
        }
        status = upload_powers(base, modulus, LOW_POWERS, sizeof(uint32_t),
                               (const void **)&powers->low, error);
        if (status == TRAWL_OK) {
            status = upload_powers(step, modulus, period / LOW_POWERS + 1, sizeof(uint32_t),
                                   (const void **)&powers->high, error);
        }
    }
    if (status != TRAWL_OK) {
        trawl_cuda_powers_release(powers);
        return status;
    }
    powers->modulus = (uint32_t)modulus;
    powers->period = period;
    powers->modulus_inverse = UINT32_MAX / powers->modulus;
    powers->period_inverse = UINT32_MAX / period;
    powers->wide_inverse = UINT64_MAX / modulus;
    return TRAWL_OK;
}

void trawl_cuda_powers_release(trawl_cuda_powers *powers) {
    (void)cudaFree((void *)powers->narrow);
    (void)cudaFree((void *)powers->low);
    (void)cudaFree((void *)powers->high);
    memset(powers, 0, sizeof *powers);
}

/* ------------------------------------------------------------------ hashes of patterns */

/* A part of the patterns' bytes. */
typedef struct span {
    uint32_t begin, length;
} span;

/* Block b hashes span b. */
template <bool NARROW>
static __global__ void hash_spans(trawl_cuda_powers powers, const uint8_t *bytes, const span *spans,
                                  bool folded, uint32_t *hashes) {
    __shared__ uint32_t sums[TRAWL_HASHING_THREADS];
    span string = spans[blockIdx.x];
    uint32_t hash =
        trawl_cuda_hash_by_block<NARROW>(powers, bytes + string.begin, string.length, folded, sums);
    if (threadIdx.x == 0) {
        hashes[blockIdx.x] = hash;
    }
}

/* The strings that the database has hashes of, and those hashes; in host memory. */
typedef struct hashed_spans {
    uint32_t count;
    span *spans;
    uint64_t *hashes; /* NOWHERE: the table does not list the string */
    uint32_t *ids;    /* a pattern that contains the span, for error messages */
} hashed_spans;

static bool allocate(hashed_spans *hashed, uint64_t count) {
    hashed->count = (uint32_t)count;
    hashed->spans = (span *)trawl_allocate(count, sizeof *hashed->spans);
    hashed->hashes = (uint64_t *)trawl_allocate(count, sizeof *hashed->hashes);
    hashed->ids = (uint32_t *)trawl_allocate(count, sizeof *hashed->ids);
    return hashed->spans != NULL && hashed->hashes != NULL && hashed->ids != NULL;
}

static void add(hashed_spans *hashed, uint32_t index, const trawl_db *db, uint32_t id,
                uint32_t length, uint64_t hash) {
    hashed->spans[index] = {db->patterns.offsets[id + 1] - length, length};
    hashed->hashes[index] = hash;
    hashed->ids[index] = id;
}

/* paper: lists all patterns as a whole, with the hash under which HT lists each. */
static bool list_patterns(const trawl_db *db, hashed_spans *hashed) {
    const trawl_rabin_karp_header *header = (const trawl_rabin_karp_header *)trawl_db_section(
        db, TRAWL_SECTION_RABIN_KARP_HEADER, 0, NULL);
    const uint32_t *heads =
        (const uint32_t *)trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_TABLE, 0, NULL);
    const uint32_t *ids =
        (const uint32_t *)trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_IDS, 0, NULL);
    if (!allocate(hashed, db->patterns.count)) {
        return false;
    }
    for (uint32_t id = 0; id < db->patterns.count; id++) {
        add(hashed, id, db, id, db->patterns.offsets[id + 1] - db->patterns.offsets[id], NOWHERE);
    }
    for (uint64_t hash = 0; hash < header->modulus; hash++) {
        for (uint32_t i = heads[hash]; i < heads[hash + 1]; i++) {
            hashed->hashes[ids[i]] = hash;
        }
    }
    return true;
}

/* grouped: lists the last bytes of the keys of each range. */
static bool list_ranges(const trawl_db *db, uint32_t passes, hashed_spans *hashed) {
    const trawl_rabin_karp_pass *records = (const trawl_rabin_karp_pass *)trawl_db_section(
        db, TRAWL_SECTION_RABIN_KARP_GROUPS, 0, NULL);
    uint64_t total = 0, bytes;
    for (uint32_t pass = 0; pass < passes; pass++) {
        (void)trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_IDS, pass, &bytes);
        total += bytes / sizeof(trawl_ending_range);
    }
    if (!allocate(hashed, total)) {
        return false;
    }
    uint32_t index = 0;
    for (uint32_t pass = 0; pass < passes; pass++) {
        const trawl_ending_range *ranges = (const trawl_ending_range *)trawl_db_section(
            db, TRAWL_SECTION_RABIN_KARP_IDS, pass, &bytes);
        trawl_outputs outputs;
        trawl_outputs_view(db, pass, &outputs);
        for (uint32_t i = 0; i < bytes / sizeof *ranges; i++) {
            uint32_t id = outputs.ids[outputs.first[ranges[i].first]];
            add(hashed, index++, db, id, records[pass].window, ranges[i].word);
        }
    }
    return true;
}

static trawl_status hash_on_device(const trawl_cuda_db *uploaded, const trawl_cuda_powers *powers,
                                   const hashed_spans *hashed, const span *spans,
                                   uint32_t *device_hashes, uint32_t *hashes, trawl_error *error) {
    bool folded = uploaded->db->header->folded != 0;
    if (powers->narrow != NULL) {
        TRAWL_LAUNCH((hash_spans<true>), hashed->count, TRAWL_HASHING_THREADS, 0, 0, *powers,
                     uploaded->patterns.bytes, spans, folded, device_hashes);
    } else {
        TRAWL_LAUNCH((hash_spans<false>), hashed->count, TRAWL_HASHING_THREADS, 0, 0, *powers,
                     uploaded->patterns.bytes, spans, folded, device_hashes);
    }
    TRAWL_CUDA_LAUNCHED("hash_spans", error);
    TRAWL_CUDA_TRY(
        cudaMemcpy(hashes, device_hashes, hashed->count * sizeof *hashes, cudaMemcpyDeviceToHost),
        error);
    return TRAWL_OK;
}

static trawl_status compare(const trawl_cuda_db *uploaded, const trawl_cuda_powers *powers,
                            const hashed_spans *hashed, uint32_t *hashes, trawl_error *error) {
    const void *spans = NULL;
    uint32_t *device_hashes = NULL;
    trawl_status status =
        upload(hashed->spans, hashed->count * sizeof *hashed->spans, &spans, error);
    if (status == TRAWL_OK) {
        cudaError_t code =
            cudaMalloc((void **)&device_hashes, hashed->count * sizeof *device_hashes);
        status = code == cudaSuccess ? hash_on_device(uploaded, powers, hashed, (const span *)spans,
                                                      device_hashes, hashes, error)
                                     : trawl_cuda_failed(code, "cudaMalloc", error);
    }
    (void)cudaFree((void *)spans);
    (void)cudaFree(device_hashes);
    for (uint32_t i = 0; status == TRAWL_OK && i < hashed->count; i++) {
        if (hashed->hashes[i] != hashes[i]) {
            status = trawl_fail(error, TRAWL_ERROR_FORMAT,
                                "the database's rabin-karp table does not list pattern %" PRIu32
                                " under its hash %" PRIu32,
                                hashed->ids[i], hashes[i]);
        }
    }
    return status;
}

trawl_status trawl_cuda_rabin_karp_check(const trawl_cuda_db *uploaded,
                                         const trawl_cuda_powers *powers, trawl_error *error) {
    const trawl_db *db = uploaded->db;
    const trawl_rabin_karp_header *header = (const trawl_rabin_karp_header *)trawl_db_section(
        db, TRAWL_SECTION_RABIN_KARP_HEADER, 0, NULL);
    hashed_spans hashed;
    memset(&hashed, 0, sizeof hashed);
    bool listed = header->variant != TRAWL_RABIN_KARP_GROUPED
                      ? list_patterns(db, &hashed)
                      : list_ranges(db, header->passes, &hashed);
    uint32_t *hashes = listed ? (uint32_t *)trawl_allocate(hashed.count, sizeof *hashes) : NULL;
    trawl_status status =
        hashes != NULL ? compare(uploaded, powers, &hashed, hashes, error)
                       : trawl_fail_memory(error, "checking the patterns' hashes",
                                           (uint64_t)hashed.count *
                                               (sizeof *hashed.spans + sizeof *hashed.hashes +
                                                sizeof *hashed.ids + sizeof *hashes));
    trawl_release(hashes);
    trawl_release(hashed.spans);
    trawl_release(hashed.hashes);
    trawl_release(hashed.ids);
    return status;
}
