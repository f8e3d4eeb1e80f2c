/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Times of the steps of Rabin-Karp by prefix sums, on the CPU. */
#include "engines/rabin_karp/steps.h"

#include "base/sized.h"
#include "engines/engines.h"
#include "scan/contract.h"
#include "trawl/trawl_study.h"

/* Bytes of text, at most (trawl_study.h): each byte has entries in several arrays. */
#define MOST_TEXT ((size_t)1 << 28)

/* Adds one run to the sums in `known`. */
static trawl_status run_once(const trawl_db *db, const uint8_t *text, size_t length,
                             trawl_study_steps *known, trawl_error *error) {
    const trawl_scan_settings settings = {.threads = 1};
    const trawl_window window = {.text = text, .length = length};
    trawl_counts counts = {.total = 0};
    trawl_walker *walker;
    trawl_status status = db->engine->walker->open(db, &settings, &walker, error);
    if (status != TRAWL_OK) {
        return status;
    }
    status = walker->type->count(walker, &window, &counts, error);
    const double *seconds = trawl_rabin_karp_step_seconds(walker);
    known->hashes += seconds[0];
    known->terms += seconds[1];
    known->sums += seconds[2];
    known->windows += seconds[3];
    known->total = counts.total;
    walker->type->close(walker);
    return status;
}

static trawl_status check(const trawl_db *db, const void *text, size_t length, uint32_t repeats,
                          trawl_error *error) {
    if (db == NULL || text == NULL || length == 0 || length > MOST_TEXT || repeats == 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_measure_steps: a database, a text of 1 to %zu bytes and one "
                          "repeat or more are expected",
                          MOST_TEXT);
    }
    const trawl_rabin_karp_header *header =
        db->engine != &trawl_engine_rabin_karp
            ? NULL
            : trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_HEADER, 0, NULL);
    if (header == NULL || header->variant != TRAWL_RABIN_KARP_STEPS) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_measure_steps: the database is %s (%s); rabin-karp (steps) "
                          "is expected",
                          db->header->engine, db->header->variant);
    }
    return TRAWL_OK;
}

trawl_status trawl_study_measure_steps(const trawl_db *db, const void *text, size_t length,
                                       uint32_t repeats, trawl_study_steps *steps,
                                       trawl_error *error) {
    trawl_clear(error);
    trawl_status status = check(db, text, length, repeats, error);
    if (status == TRAWL_OK && steps == NULL) {
        status =
            trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_study_measure_steps: steps is NULL");
    }
    if (status == TRAWL_OK) {
        status = trawl_sized_check(steps, "trawl_study_measure_steps: steps", "TRAWL_STUDY_STEPS",
                                   error);
    }
    trawl_study_steps known = {.size = 0};
    for (uint32_t i = 0; status == TRAWL_OK && i < repeats; i++) {
        status = run_once(db, text, length, &known, error);
    }
    if (status == TRAWL_OK) {
        known.hashes /= repeats;
        known.terms /= repeats;
        known.sums /= repeats;
        known.windows /= repeats;
        trawl_sized_write(steps, &known, sizeof known);
    }
    return status;
}
