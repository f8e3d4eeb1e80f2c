/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Slots: memory, streams and events, each slot for one segment that is under way. */
#include "run/gpu/walker.cuh"

/* ------------------------------------------------------------------ one slot */

trawl_status trawl_cuda_grow(void **memory, size_t *held, size_t bytes, trawl_error *error) {
    if (*held >= bytes) {
        return TRAWL_OK;
    }
    (void)cudaFree(*memory);
    *memory = NULL;
    *held = 0;
    TRAWL_CUDA_TRY(cudaMalloc(memory, bytes), error);
    *held = bytes;
    return TRAWL_OK;
}

static trawl_status grow_matches(trawl_cuda_slot *slot, uint64_t capacity, trawl_error *error) {
    if (slot->capacity >= capacity) {
        return TRAWL_OK;
    }
    size_t held = (size_t)slot->capacity * sizeof *slot->matches;
    size_t bytes = (size_t)capacity * sizeof *slot->matches;
    slot->capacity = 0;
    trawl_status status = trawl_cuda_grow((void **)&slot->matches, &held, bytes, error);
    if (status == TRAWL_OK) {
        slot->capacity = capacity;
    }
    return status;
}

trawl_status trawl_cuda_slot_receive(trawl_cuda_slot *slot, uint64_t matches, trawl_error *error) {
    if (slot->host_capacity >= matches) {
        return TRAWL_OK;
    }
    uint64_t least = 2 * slot->host_capacity;
    least = least < TRAWL_SLOT_LEAST_MATCHES ? TRAWL_SLOT_LEAST_MATCHES : least;
    uint64_t capacity = matches < least ? least : matches;
    (void)cudaFreeHost(slot->host_matches);
    slot->host_matches = NULL;
    slot->host_capacity = 0;
    TRAWL_CUDA_TRY(cudaMallocHost((void **)&slot->host_matches, capacity * sizeof *slot->matches),
                   error);
    slot->host_capacity = capacity;
    return TRAWL_OK;
}

static void release_staging(trawl_cuda_staging *staging) {
    if (staging->from_cuda) {
        (void)cudaFreeHost(staging->bytes);
    } else {
        if (staging->locked) {
            (void)cudaHostUnregister(staging->bytes);
        }
        trawl_release(staging->bytes);
    }
    *staging = (trawl_cuda_staging){};
}

static trawl_status stage_locked(trawl_cuda_staging *staging, size_t bytes, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaMallocHost((void **)&staging->bytes, bytes), error);
    staging->size = bytes;
    staging->locked = staging->from_cuda = true;
    return TRAWL_OK;
}

trawl_status trawl_cuda_slot_stage(trawl_cuda_slot *slot, size_t bytes, trawl_error *error) {
    trawl_cuda_staging *staging = &slot->staging;
    if (staging->size >= bytes) {
        return TRAWL_OK;
    }
    release_staging(staging);
    if (bytes < TRAWL_SLOT_LARGE_STAGING) {
        return stage_locked(staging, bytes, error);
    }
    staging->bytes = (uint8_t *)trawl_allocate_table(bytes);
    if (staging->bytes == NULL) {
        return trawl_fail_memory(error, "segments", bytes);
    }
    staging->size = bytes;
    return TRAWL_OK;
}

trawl_status trawl_cuda_slot_lock(trawl_cuda_slot *slot, trawl_error *error) {
    trawl_cuda_staging *staging = &slot->staging;
    if (staging->locked) {
        return TRAWL_OK;
    }
    if (cudaHostRegister(staging->bytes, staging->size, cudaHostRegisterPortable) == cudaSuccess) {
        staging->locked = true;
        return TRAWL_OK;
    }
    /* Some systems can only lock memory that CUDA has allocated. */
    (void)cudaGetLastError();
    trawl_cuda_staging own = {};
    trawl_status status = stage_locked(&own, staging->size, error);
    if (status == TRAWL_OK) {
        memcpy(own.bytes, staging->bytes, staging->size);
        release_staging(staging);
        *staging = own;
    }
    return status;
}

trawl_status trawl_cuda_slot_grow(trawl_cuda_slot *slot, const trawl_cuda_room *room,
                                  trawl_error *error) {
    trawl_status status =
        trawl_cuda_grow((void **)&slot->text, &slot->text_bytes, room->text_bytes, error);
    if (status == TRAWL_OK) {
        status =
            trawl_cuda_grow(&slot->workspace, &slot->workspace_bytes, room->workspace_bytes, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_grow((void **)&slot->per_pattern, &slot->per_pattern_bytes,
                                 room->per_pattern_bytes, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_grow(&slot->entries, &slot->entries_bytes, room->entries_bytes, error);
    }
    return status == TRAWL_OK ? grow_matches(slot, room->capacity, error) : status;
}

static trawl_status make_slot(trawl_cuda_slot *slot, trawl_error *error) {
    cudaEvent_t *events[] = {&slot->in_begin, &slot->in_end,    &slot->scan_begin,
                             &slot->scan_end, &slot->out_begin, &slot->out_end};
    memset(slot, 0, sizeof *slot);
    TRAWL_CUDA_TRY(cudaStreamCreateWithFlags(&slot->stream, cudaStreamNonBlocking), error);
    TRAWL_CUDA_TRY(cudaStreamCreateWithFlags(&slot->out, cudaStreamNonBlocking), error);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        TRAWL_CUDA_TRY(cudaEventCreate(events[i]), error);
    }
    TRAWL_CUDA_TRY(cudaMalloc((void **)&slot->total, sizeof *slot->total), error);
    TRAWL_CUDA_TRY(cudaMallocHost((void **)&slot->host_total, sizeof *slot->host_total), error);
    return TRAWL_OK;
}

static void free_slot(trawl_cuda_slot *slot) {
    cudaEvent_t events[] = {slot->in_begin, slot->in_end,    slot->scan_begin,
                            slot->scan_end, slot->out_begin, slot->out_end};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (events[i] != NULL) {
            (void)cudaEventDestroy(events[i]);
        }
    }
    if (slot->stream != NULL) {
        (void)cudaStreamDestroy(slot->stream);
    }
    if (slot->out != NULL) {
        (void)cudaStreamDestroy(slot->out);
    }
    (void)cudaFree(slot->text);
    (void)cudaFree(slot->workspace);
    (void)cudaFree(slot->matches);
    (void)cudaFree(slot->total);
    (void)cudaFree(slot->per_pattern);
    (void)cudaFree(slot->entries);
    release_staging(&slot->staging);
    (void)cudaFreeHost(slot->host_matches);
    (void)cudaFreeHost(slot->host_total);
}

/* ------------------------------------------------------------------ slots together */

void trawl_cuda_slots_keep(trawl_cuda_slots *slots, uint64_t count) {
    while (slots->count > count) {
        free_slot(&slots->slot[--slots->count]);
    }
}

void trawl_cuda_slots_free(trawl_cuda_slots *slots) {
    if (slots != NULL) {
        trawl_cuda_slots_keep(slots, 0);
        (void)cudaFree(slots->per_pattern);
        if (slots->start != NULL) {
            (void)cudaEventDestroy(slots->start);
        }
        (void)cudaGetLastError();
        trawl_release(slots->slot);
        trawl_release(slots);
    }
}

trawl_status trawl_cuda_slots_prepare(trawl_cuda_slots *slots, uint64_t count, trawl_error *error) {
    if (slots->start == NULL) {
        TRAWL_CUDA_TRY(cudaEventCreate(&slots->start), error);
    }
    if (slots->count < count) {
        void *moved = trawl_reallocate(slots->slot, count, sizeof *slots->slot);
        if (moved == NULL) {
            return trawl_fail_memory(error, "segments", count * sizeof *slots->slot);
        }
        slots->slot = (trawl_cuda_slot *)moved;
    }
    while (slots->count < count) {
        trawl_status status = make_slot(&slots->slot[slots->count++], error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        slots->slot[i].index = UINT64_MAX;
    }
    return TRAWL_OK;
}

uint64_t trawl_cuda_slots_missing(const trawl_cuda_slots *slots, uint64_t count,
                                  const trawl_cuda_room *room) {
    uint64_t whole = room->text_bytes + room->workspace_bytes + room->per_pattern_bytes +
                     room->entries_bytes + room->capacity * sizeof(trawl_cuda_match) +
                     sizeof(uint64_t);
    uint64_t missing = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t held = 0;
        if (i < slots->count) {
            const trawl_cuda_slot *slot = &slots->slot[i];
            held = slot->text_bytes + slot->workspace_bytes + slot->per_pattern_bytes +
                   slot->entries_bytes + slot->capacity * sizeof(trawl_cuda_match) +
                   sizeof(uint64_t);
        }
        missing += held < whole ? whole - held : 0;
    }
    return missing;
}
