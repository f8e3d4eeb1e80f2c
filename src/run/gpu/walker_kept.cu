/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What a database keeps between scans of host memory: uploads and idle slots; and the texts that
 * are page-locked while scans read them.
 */
#include "run/gpu/walker.cuh"

/* One for each device that a database has been scanned on. */
typedef struct kept_upload {
    struct kept_upload *next;
    uint32_t device;
    trawl_cuda_db *uploaded;
    trawl_cuda_slots *idle;
} kept_upload;

/* A text that is page-locked for the scans that read it right now. */
typedef struct kept_text {
    struct kept_text *next;
    const uint8_t *text;
    size_t length;
    size_t users;
} kept_text;

typedef struct kept_items {
    kept_upload *uploads;
    kept_text *texts;
} kept_items;

static void release_items(void *memory) {
    kept_items *items = (kept_items *)memory;
    kept_upload *kept = items->uploads;
    while (kept != NULL) {
        kept_upload *next = kept->next;
        int before;
        (void)trawl_cuda_enter((int)kept->device, &before);
        trawl_cuda_slots_free(kept->idle);
        trawl_cuda_leave(before);
        trawl_cuda_db_free(kept->uploaded);
        trawl_release(kept);
        kept = next;
    }
    trawl_release(items); /* no scan is under way, so there are no texts */
}

/* What is kept with a database; NULL when out of memory. Caller holds the lock. */
static kept_items *items_of(const trawl_db *db) {
    if (db->uploads->items == NULL) {
        db->uploads->items = trawl_allocate_zeroed(1, sizeof(kept_items));
        db->uploads->release = release_items;
    }
    return (kept_items *)db->uploads->items;
}

/* The entry of a device, NULL when there is none. Caller holds the lock. */
static kept_upload *find_kept(const trawl_db *db, uint32_t device) {
    kept_items *items = (kept_items *)db->uploads->items;
    kept_upload *kept = items == NULL ? NULL : items->uploads;
    while (kept != NULL && kept->device != device) {
        kept = kept->next;
    }
    return kept;
}

static trawl_status upload(const trawl_db *db, uint32_t device, const uint8_t *sample,
                           size_t sample_length, kept_upload **made, trawl_error *error) {
    *made = items_of(db) == NULL ? NULL : (kept_upload *)trawl_allocate_zeroed(1, sizeof **made);
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
            kept_items *items = (kept_items *)db->uploads->items;
            kept->next = items->uploads;
            items->uploads = kept;
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

void trawl_cuda_slots_leave(const trawl_db *db, uint32_t device, trawl_cuda_slots *slots, bool all,
                            bool healthy) {
    if (slots != NULL && healthy) {
        bool large = slots->count != 0 && slots->slot[0].text_bytes > TRAWL_SLOT_KEPT_BYTES;
        trawl_cuda_slots_keep(slots, all ? UINT64_MAX : large ? 0 : TRAWL_RING_FILLED_SLOTS);
        (void)pthread_mutex_lock(&db->uploads->lock);
        kept_upload *kept = find_kept(db, device);
        if (kept != NULL && kept->idle == NULL) {
            kept->idle = slots;
            slots = NULL;
        }
        (void)pthread_mutex_unlock(&db->uploads->lock);
    }
    trawl_cuda_slots_free(slots);
}

/* ------------------------------------------------------------------ page-locked texts */

static bool is_inside(const kept_text *kept, const uint8_t *text, size_t length) {
    return text >= kept->text && text - kept->text <= (ptrdiff_t)kept->length &&
           length <= kept->length - (size_t)(text - kept->text);
}

/* Whether the caller has page-locked a text. */
static trawl_status find_pinned(const uint8_t *text, size_t length, bool *pinned,
                                trawl_error *error) {
    cudaPointerAttributes first, last;
    TRAWL_CUDA_TRY(cudaPointerGetAttributes(&first, text), error);
    TRAWL_CUDA_TRY(cudaPointerGetAttributes(&last, text + (length - 1)), error);
    *pinned = first.type == cudaMemoryTypeHost && last.type == cudaMemoryTypeHost;
    return TRAWL_OK;
}

static trawl_status register_text(uint32_t device, const uint8_t *text, size_t length,
                                  kept_items *items, trawl_error *error) {
    int read_only = 0;
    TRAWL_CUDA_TRY(
        cudaDeviceGetAttribute(&read_only, cudaDevAttrHostRegisterReadOnlySupported, (int)device),
        error);
    kept_text *kept = (kept_text *)trawl_allocate_zeroed(1, sizeof *kept);
    if (kept == NULL) {
        return trawl_fail_memory(error, "a scan", sizeof *kept);
    }
    unsigned flags = cudaHostRegisterPortable | cudaHostRegisterMapped;
    flags |= read_only != 0 ? cudaHostRegisterReadOnly : 0u;
    cudaError_t code = cudaHostRegister(const_cast<uint8_t *>(text), length, flags);
    if (code != cudaSuccess) {
        (void)cudaGetLastError();
        trawl_release(kept);
        return trawl_fail(
            error, code == cudaErrorMemoryAllocation ? TRAWL_ERROR_MEMORY : TRAWL_ERROR_DEVICE,
            "transfer zero-copy needs page-locked memory, and a text of %zu bytes "
            "could not be made so: %s (%s)",
            length, cudaGetErrorString(code), cudaGetErrorName(code));
    }
    kept->text = text;
    kept->length = length;
    kept->next = items->texts;
    items->texts = kept;
    return TRAWL_OK;
}

trawl_status trawl_cuda_text_take(const trawl_db *db, uint32_t device, const uint8_t *text,
                                  size_t length, bool lock, bool *pinned, bool *shared,
                                  trawl_error *error) {
    trawl_status status = TRAWL_OK;
    *pinned = *shared = false;
    (void)pthread_mutex_lock(&db->uploads->lock);
    kept_items *items = (kept_items *)db->uploads->items;
    kept_text *kept = items->texts;
    while (kept != NULL && !is_inside(kept, text, length)) {
        kept = kept->next;
    }
    if (kept == NULL) {
        status = find_pinned(text, length, pinned, error);
        if (status == TRAWL_OK && !*pinned && lock) {
            status = register_text(device, text, length, items, error);
            kept = status == TRAWL_OK ? items->texts : NULL;
        }
    }
    if (kept != NULL) {
        kept->users++;
        *pinned = *shared = true;
    }
    (void)pthread_mutex_unlock(&db->uploads->lock);
    return status;
}

void trawl_cuda_text_leave(const trawl_db *db, const uint8_t *text, size_t length) {
    (void)pthread_mutex_lock(&db->uploads->lock);
    kept_text **link = &((kept_items *)db->uploads->items)->texts;
    while (!is_inside(*link, text, length)) {
        link = &(*link)->next;
    }
    kept_text *kept = *link;
    if (--kept->users == 0) {
        (void)cudaHostUnregister(const_cast<uint8_t *>(kept->text));
        (void)cudaGetLastError();
        *link = kept->next;
        trawl_release(kept);
    }
    (void)pthread_mutex_unlock(&db->uploads->lock);
}
