/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/idle.h"

#include <pthread.h>

/* The slot in which a thread looks first: mostly no other thread uses its cache line. */
static size_t first_slot(void) {
    uint64_t thread = (uint64_t)(uintptr_t)pthread_self();
    return (size_t)(thread * UINT64_C(0x9e3779b97f4a7c15) >> 32) % TRAWL_IDLE_SLOTS;
}

trawl_status trawl_idle_take(const trawl_db *db, trawl_scanner **scanner, trawl_error *error) {
    size_t first = first_slot();
    for (size_t i = 0; i < TRAWL_IDLE_SLOTS; i++) {
        trawl_idle_scanner **slot = &db->idle[(first + i) % TRAWL_IDLE_SLOTS].scanner;
        /* An empty slot is only read, so that its cache line can stay where it is. */
        if (__atomic_load_n(slot, __ATOMIC_RELAXED) != NULL) {
            trawl_idle_scanner *taken = __atomic_exchange_n(slot, NULL, __ATOMIC_ACQUIRE);
            if (taken != NULL) {
                *scanner = (trawl_scanner *)taken;
                return TRAWL_OK;
            }
        }
    }
    return trawl_scanner_open_unreserved(db, scanner, error);
}

void trawl_idle_put(trawl_scanner *scanner) {
    size_t first = first_slot();
    for (size_t i = 0; i < TRAWL_IDLE_SLOTS; i++) {
        trawl_idle_scanner **slot = &scanner->db->idle[(first + i) % TRAWL_IDLE_SLOTS].scanner;
        trawl_idle_scanner *empty = NULL;
        if (__atomic_load_n(slot, __ATOMIC_RELAXED) == NULL &&
            __atomic_compare_exchange_n(slot, &empty, &scanner->idle, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
            return;
        }
    }
    trawl_scanner_close(scanner);
}
