/* What stays with a database between scans of host memory: its uploads, and slots left idle. */
#include "cuda/walker.cuh"

/* Slots that are left for the next walk; strategy A may have had many more, and the caller may have
 * asked for large ones. */
#define KEPT_SLOTS TRAWL_RING_DEFAULT_SLOTS
#define KEPT_BYTES ((size_t)64 << 20)

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

static trawl_status grow_pinned(void **memory, size_t *held, size_t bytes, trawl_error *error) {
    if (*held >= bytes) {
        return TRAWL_OK;
    }
    (void)cudaFreeHost(*memory);
    *memory = NULL;
    *held = 0;
    TRAWL_CUDA_TRY(cudaMallocHost(memory, bytes), error);
    *held = bytes;
    return TRAWL_OK;
}

static trawl_status grow_matches(trawl_cuda_slot *slot, uint64_t capacity, trawl_error *error) {
    if (slot->capacity >= capacity) {
        return TRAWL_OK;
    }
    size_t held = (size_t)slot->capacity * sizeof *slot->matches;
    size_t host_held = held;
    size_t bytes = (size_t)capacity * sizeof *slot->matches;
    slot->capacity = 0;
    trawl_status status = trawl_cuda_grow((void **)&slot->matches, &held, bytes, error);
    if (status == TRAWL_OK) {
        status = grow_pinned((void **)&slot->host_matches, &host_held, bytes, error);
    }
    if (status == TRAWL_OK) {
        slot->capacity = capacity;
    }
    return status;
}

trawl_status trawl_cuda_slot_grow(trawl_cuda_slot *slot, const trawl_cuda_room *room,
                                  trawl_error *error) {
    trawl_status status = grow_pinned((void **)&slot->pinned_text, &slot->pinned_text_bytes,
                                      room->pinned_text_bytes, error);
    if (status == TRAWL_OK) {
        status = trawl_cuda_grow((void **)&slot->text, &slot->text_bytes, room->text_bytes, error);
    }
    if (status == TRAWL_OK) {
        status =
            trawl_cuda_grow(&slot->workspace, &slot->workspace_bytes, room->workspace_bytes, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_grow((void **)&slot->per_pattern, &slot->per_pattern_bytes,
                                 room->per_pattern_bytes, error);
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
    (void)cudaFreeHost(slot->pinned_text);
    (void)cudaFreeHost(slot->host_matches);
    (void)cudaFreeHost(slot->host_total);
}

/* ------------------------------------------------------------------ slots together */

static void keep_only(trawl_cuda_slots *slots, uint64_t count) {
    while (slots->count > count) {
        free_slot(&slots->slot[--slots->count]);
    }
}

static void free_slots(trawl_cuda_slots *slots) {
    if (slots != NULL) {
        keep_only(slots, 0);
        (void)cudaFree(slots->per_pattern);
        if (slots->start != NULL) {
            (void)cudaEventDestroy(slots->start);
        }
        (void)cudaGetLastError();
        trawl_release(slots->slot);
        trawl_release(slots);
    }
}

trawl_status trawl_cuda_slots_prepare(trawl_cuda_slots *slots, uint64_t count,
                                      const trawl_cuda_room *room, trawl_error *error) {
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
        trawl_status status = trawl_cuda_slot_grow(&slots->slot[i], room, error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return TRAWL_OK;
}

uint64_t trawl_cuda_slots_missing(const trawl_cuda_slots *slots, uint64_t count,
                                  const trawl_cuda_room *room) {
    uint64_t whole = room->text_bytes + room->workspace_bytes + room->per_pattern_bytes +
                     room->capacity * sizeof(trawl_cuda_match) + sizeof(uint64_t);
    uint64_t missing = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t held = 0;
        if (i < slots->count) {
            const trawl_cuda_slot *slot = &slots->slot[i];
            held = slot->text_bytes + slot->workspace_bytes + slot->per_pattern_bytes +
                   slot->capacity * sizeof(trawl_cuda_match) + sizeof(uint64_t);
        }
        missing += held < whole ? whole - held : 0;
    }
    return missing;
}

/* ------------------------------------------------------------------ what stays with a database */

/* One for each device that a database has been scanned on. */
typedef struct kept_upload {
    struct kept_upload *next;
    uint32_t device;
    trawl_cuda_db *uploaded;
    trawl_cuda_slots *idle;
} kept_upload;

static void release_uploads(void *items) {
    kept_upload *kept = (kept_upload *)items;
    while (kept != NULL) {
        kept_upload *next = kept->next;
        int before;
        (void)trawl_cuda_enter((int)kept->device, &before);
        free_slots(kept->idle);
        trawl_cuda_leave(before);
        trawl_cuda_free(kept->uploaded);
        trawl_release(kept);
        kept = next;
    }
}

/* The entry of a device, NULL when there is none. The lock is held. */
static kept_upload *find_kept(const trawl_db *db, uint32_t device) {
    kept_upload *kept = (kept_upload *)db->uploads->items;
    while (kept != NULL && kept->device != device) {
        kept = kept->next;
    }
    return kept;
}

static trawl_status upload(const trawl_db *db, uint32_t device, const uint8_t *sample,
                           size_t sample_length, kept_upload **made, trawl_error *error) {
    *made = (kept_upload *)trawl_allocate_zeroed(1, sizeof **made);
    if (*made == NULL) {
        return trawl_fail_memory(error, "a database on a device", sizeof **made);
    }
    trawl_cuda_upload_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.device = device;
    options.sample = sample;
    options.sample_length = sample_length;
    (*made)->device = device;
    trawl_status status = trawl_cuda_upload(db, &options, &(*made)->uploaded, error);
    if (status != TRAWL_OK) {
        trawl_release(*made);
        *made = NULL;
    }
    return status;
}

trawl_status trawl_cuda_upload_once(const trawl_db *db, uint32_t device, const uint8_t *sample,
                                    size_t sample_length, trawl_cuda_db **uploaded,
                                    trawl_error *error) {
    trawl_status status = TRAWL_OK;
    (void)pthread_mutex_lock(&db->uploads->lock);
    kept_upload *kept = find_kept(db, device);
    if (kept == NULL) {
        status = upload(db, device, sample, sample_length, &kept, error);
        if (kept != NULL) {
            kept->next = (kept_upload *)db->uploads->items;
            db->uploads->items = kept;
            db->uploads->release = release_uploads;
        }
    }
    *uploaded = kept == NULL ? NULL : kept->uploaded;
    (void)pthread_mutex_unlock(&db->uploads->lock);
    return status;
}

trawl_status trawl_cuda_slots_take(const trawl_db *db, uint32_t device, trawl_cuda_slots **slots,
                                   trawl_error *error) {
    (void)pthread_mutex_lock(&db->uploads->lock);
    kept_upload *kept = find_kept(db, device);
    *slots = kept == NULL ? NULL : kept->idle;
    if (*slots != NULL) {
        kept->idle = NULL;
    }
    (void)pthread_mutex_unlock(&db->uploads->lock);
    if (*slots == NULL) {
        *slots = (trawl_cuda_slots *)trawl_allocate_zeroed(1, sizeof **slots);
        if (*slots == NULL) {
            return trawl_fail_memory(error, "segments", sizeof **slots);
        }
    }
    return TRAWL_OK;
}

void trawl_cuda_slots_leave(const trawl_db *db, uint32_t device, trawl_cuda_slots *slots,
                            bool healthy) {
    if (slots != NULL && healthy) {
        bool large = slots->count != 0 && slots->slot[0].text_bytes > KEPT_BYTES;
        keep_only(slots, large ? 0 : KEPT_SLOTS);
        (void)pthread_mutex_lock(&db->uploads->lock);
        kept_upload *kept = find_kept(db, device);
        if (kept != NULL && kept->idle == NULL) {
            kept->idle = slots;
            slots = NULL;
        }
        (void)pthread_mutex_unlock(&db->uploads->lock);
    }
    free_slots(slots);
}
