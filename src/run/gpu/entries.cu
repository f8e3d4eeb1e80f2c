/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Ends and states of a text in host memory, by way of a device: strategies A and B of Zha & Sahni
 * 2011, section 5. */
#include "run/gpu/walker.cuh"

extern "C" {
#include "base/sized.h"
#include "gpu/module.h"
#include "run/options.h"
}

/* Checks the arguments. */
static trawl_status check(const trawl_db *db, const void *text, uint64_t length,
                          trawl_cuda_form form, const void *entries, trawl_error *error) {
    if (db == NULL || (length != 0 && (text == NULL || entries == NULL))) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_study_cuda_entries: %s is NULL",
                          db == NULL     ? "db"
                          : text == NULL ? "text"
                                         : "entries");
    }
    if (form != TRAWL_CUDA_ENDS && form != TRAWL_CUDA_STATES) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_cuda_entries: form %d; TRAWL_CUDA_ENDS (%d) or "
                          "TRAWL_CUDA_STATES (%d) is expected",
                          (int)form, (int)TRAWL_CUDA_ENDS, (int)TRAWL_CUDA_STATES);
    }
    if (db->header->match_kind != TRAWL_MATCH_ALL) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "ends and states belong to all matches; the database is for leftmost "
                          "matches (kind %u)",
                          db->header->match_kind);
    }
    return TRAWL_OK;
}

/* Before anything is uploaded: fails if `bytes` is too small for the entries of the text, or if the
 * engine has no states. */
static trawl_status check_size(const trawl_db *db, uint64_t length, trawl_cuda_form form,
                               uint64_t bytes, trawl_error *error) {
    uint64_t needed = (length + 31) / 32 * sizeof(uint32_t);
    if (form == TRAWL_CUDA_STATES) {
        trawl_study_automaton automaton;
        automaton.size = sizeof automaton;
        trawl_status status = trawl_study_db_automaton(db, 0, &automaton, error);
        if (status != TRAWL_OK) {
            return status;
        }
        if (automaton.automata != 1) {
            return trawl_fail(error, TRAWL_ERROR_LIMIT,
                              "engine %s has %u automata, and states are those of one automaton; "
                              "engines ac-dfa and ac-nfa have one",
                              db->header->engine, automaton.automata);
        }
        needed = length * automaton.state_bytes;
    }
    if (bytes < needed) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_cuda_entries: room for %" PRIu64 " bytes of entries; "
                          "%" PRIu64 " are needed for a text of %" PRIu64 " bytes",
                          bytes, needed, length);
    }
    return TRAWL_OK;
}

extern "C" trawl_status trawl_study_cuda_entries(const trawl_db *db, const void *text,
                                                 uint64_t length, trawl_cuda_form form,
                                                 const trawl_scan_options *options, void *entries,
                                                 uint64_t bytes, trawl_error *error) {
    trawl_clear(error);
    trawl_status status = check(db, text, length, form, entries, error);
    trawl_scan_settings settings;
    trawl_wanted_report report;
    trawl_scan_options on_device = {};
    on_device.size = sizeof on_device;
    if (status == TRAWL_OK && options != NULL) {
        status = trawl_sized_check(options, "scan options", "TRAWL_SCAN_OPTIONS", error);
        if (status == TRAWL_OK) {
            trawl_sized_read(&on_device, options, sizeof on_device);
        }
    }
    if (status == TRAWL_OK) {
        on_device.device = on_device.device == NULL ? "cuda" : on_device.device;
        status = trawl_options_read(db, &on_device, &settings, &report, error);
    }
    if (status == TRAWL_OK && settings.device != NULL && strcmp(settings.device, "auto") == 0) {
        settings.device = "cuda"; /* one device writes all entries: the first */
    }
    if (status == TRAWL_OK && settings.device == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_cuda_entries: device '%.40s' is no CUDA device",
                          on_device.device);
    }
    if (status == TRAWL_OK) {
        status = check_size(db, length, form, bytes, error);
    }
    trawl_walker *walker;
    if (status == TRAWL_OK) {
        status = trawl_cuda_walker()->open(db, &settings, &walker, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_window window = {};
    window.text = (const uint8_t *)text;
    window.length = length;
    status = trawl_cuda_walk_entries(walker, &window, form, entries, error);
    walker->type->close(walker);
    if (status == TRAWL_OK) {
        trawl_report_hand_out(&report);
    }
    return status;
}
