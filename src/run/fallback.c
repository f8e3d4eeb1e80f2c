/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/fallback.h"

#include "base/status.h"
#include "engines/engines.h"
#include "run/case_pair.h"

static trawl_status build(const trawl_db *db, trawl_db **fallback, trawl_error *error) {
    trawl_patterns *patterns = NULL;
    trawl_status status = trawl_patterns_new(&patterns, error);
    if (status == TRAWL_OK) {
        status = trawl_patterns_add_database(patterns, db, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_fallback_compile(patterns, (trawl_match_kind)db->header->match_kind,
                                        fallback, error);
    }
    trawl_patterns_free(patterns);
    return status;
}

/* The automaton of a database that needs no pair; NULL: there is no memory for one. */
static const trawl_db *automaton_of(const trawl_db *db, trawl_error *error) {
    trawl_fallback *fallback = db->fallback;
    if (!__atomic_load_n(&fallback->decided, __ATOMIC_ACQUIRE)) {
        trawl_fork_lock_take(&fallback->lock);
        if (!fallback->decided) {
            struct trawl_db *made = NULL;
            (void)build(db, &made, error);
            trawl_clear(error);
            fallback->db = made;
            __atomic_store_n(&fallback->decided, true, __ATOMIC_RELEASE);
        }
        trawl_fork_lock_give(&fallback->lock);
    }
    return fallback->db;
}

trawl_status trawl_fallback_open(const trawl_db *db, trawl_walker **walker, trawl_error *error) {
    static const trawl_scan_settings defaults = {.threads = 1};
    bool has_pair = trawl_case_pair_of(db) != NULL;
    const trawl_db *automaton = has_pair                     ? db
                                : db->patterns.bases == NULL ? automaton_of(db, error)
                                                             : NULL;
    *walker = NULL;
    if (automaton == NULL) {
        return TRAWL_OK;
    }
    const trawl_walker_type *type =
        has_pair ? trawl_case_pair_walker(db) : automaton->engine->walker;
    if (type->open(automaton, &defaults, walker, error) != TRAWL_OK) {
        *walker = NULL; /* the engine goes on with its filter, slowly but without more memory */
        trawl_clear(error);
    }
    return TRAWL_OK;
}
