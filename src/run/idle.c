/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/idle.h"

#include <pthread.h>

/* The slot in which a thread looks first: mostly no other thread uses its cache line. */
static size_t first_slot(void) {
    uint64_t thread = (uint64_t)(uintptr_t)pthread_self();
    return (size_t)(thread * UINT64_C(0x9e3779b97f4a7c15) >> 32) % TRAWL_IDLE_SLOTS;
}

static bool take(trawl_idle_slot *slot) {
    /* A busy slot is only read, so that its cache line can stay where it is. */
    return __atomic_load_n(&slot->busy, __ATOMIC_RELAXED) == 0 &&
           __atomic_exchange_n(&slot->busy, 1, __ATOMIC_ACQUIRE) == 0;
}

static bool has_scanner(const trawl_idle_slot *slot) {
    return __atomic_load_n(&slot->scanner, __ATOMIC_RELAXED) != NULL;
}

/* Opens a scanner for an empty slot that is taken, or with NULL for no slot. */
static trawl_status open_in(trawl_idle_slot *slot, const trawl_db *db, trawl_scanner **scanner,
                            trawl_error *error) {
    trawl_status status = trawl_scanner_open_unreserved(db, scanner, error);
    if (status == TRAWL_OK) {
        (*scanner)->slot = slot;
    }
    if (slot != NULL && status == TRAWL_OK) {
        __atomic_store_n(&slot->scanner, &(*scanner)->idle, __ATOMIC_RELAXED);
    } else if (slot != NULL) {
        __atomic_store_n(&slot->busy, 0, __ATOMIC_RELEASE);
    }
    return status;
}

trawl_status trawl_idle_take(const trawl_db *db, trawl_scanner **scanner, trawl_error *error) {
    size_t first = first_slot();
    for (int empty = 0; empty <= 1; empty++) { /* those with a scanner before empty ones */
        for (size_t i = 0; i < TRAWL_IDLE_SLOTS; i++) {
            trawl_idle_slot *slot = &db->idle[(first + i) % TRAWL_IDLE_SLOTS];
            if ((empty == 0 && !has_scanner(slot)) || !take(slot)) {
                continue;
            }
            if (has_scanner(slot)) {
                *scanner = (trawl_scanner *)slot->scanner;
                return TRAWL_OK;
            }
            return open_in(slot, db, scanner, error);
        }
    }
    return open_in(NULL, db, scanner, error);
}

void trawl_idle_drop(trawl_scanner *scanner) {
    trawl_idle_slot *slot = scanner->slot;
    trawl_scanner_close(scanner);
    if (slot != NULL) {
        __atomic_store_n(&slot->scanner, NULL, __ATOMIC_RELAXED);
        __atomic_store_n(&slot->busy, 0, __ATOMIC_RELEASE);
    }
}
