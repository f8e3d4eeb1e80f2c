/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The scans that kernels may refuse, with the reasons. Any other refusal fails the tests.
 */
#include "gpu/device_scan.h"

#include <string.h>

enum { ANY = -1 };

static const struct {
    const char *engine;  /* NULL: any */
    const char *variant; /* NULL: any */
    const char *kernel;  /* NULL: any */
    int form;
    int table_path;
    trawl_status status;
    const char *words; /* in the sentence */
    const char *reason;
} refusals[] = {
    {NULL, NULL, NULL, ANY, ANY, TRAWL_ERROR_LIMIT, "conditions of patterns",
     "conditions are tested on the host"},
    {NULL, NULL, NULL, TRAWL_CUDA_STATES, ANY, TRAWL_ERROR_LIMIT, "0 patterns",
     "no automaton without patterns"},
    {"ac-split", NULL, NULL, TRAWL_CUDA_STATES, ANY, TRAWL_ERROR_LIMIT, "automaton",
     "several automata have no one state"},
    {"wu-manber", NULL, NULL, TRAWL_CUDA_STATES, ANY, TRAWL_ERROR_LIMIT, "automaton",
     "no automaton"},
    {"rabin-karp", NULL, NULL, TRAWL_CUDA_STATES, ANY, TRAWL_ERROR_LIMIT, "automaton",
     "no automaton"},
    {"qgram", NULL, NULL, TRAWL_CUDA_STATES, ANY, TRAWL_ERROR_LIMIT, "automaton", "no automaton"},
    {"qgram", NULL, "packed", ANY, ANY, TRAWL_ERROR_LIMIT, "kernel packed",
     "more than four letters, or patterns of more than eight"},
    {"qgram", NULL, "sparse", ANY, ANY, TRAWL_ERROR_LIMIT, "kernel sparse",
     "patterns of fewer than 47 bytes, or needless tables of more than 16 MB"},
    {"rabin-karp", "grouped", "prefix-sums", ANY, ANY, TRAWL_ERROR_LIMIT, "modul",
     "prefix sums are taken modulo a prime, grouped hashes modulo 2^64"},
    {"rabin-karp", "grouped", "steps", ANY, ANY, TRAWL_ERROR_LIMIT, "modul",
     "the table HT is of whole patterns"},
    {"ac-dfa", NULL, "ac4-registers", TRAWL_CUDA_COUNT, ANY, TRAWL_ERROR_LIMIT, "states",
     "writes states only"},
    {"ac-dfa", NULL, "ac4-registers", TRAWL_CUDA_PATTERNS, ANY, TRAWL_ERROR_LIMIT, "states",
     "writes states only"},
    {"ac-dfa", NULL, "ac4-registers", TRAWL_CUDA_MATCHES, ANY, TRAWL_ERROR_LIMIT, "states",
     "writes states only"},
    {"ac-dfa", NULL, "ac4-registers", TRAWL_CUDA_ENDS, ANY, TRAWL_ERROR_LIMIT, "states",
     "writes states only"},
    {"ac-nfa", NULL, "shared", ANY, ANY, TRAWL_ERROR_LIMIT, "shared memory",
     "the automaton does not fit"},
    {"ac-nfa", NULL, "constant", ANY, ANY, TRAWL_ERROR_LIMIT, "constant memory",
     "the automaton does not fit"},
};

static bool has(const char *wanted, const char *actual) {
    return !wanted || (actual && strcmp(wanted, actual) == 0);
}

/* The sentence has a number, or the name of something else that would do. */
static bool is_explained(const device_database *database, const char *message) {
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    if (strcspn(message, "0123456789") < strlen(message))
        return true;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++)
        if (strcmp(engine.name, database->which.engine) != 0 && strstr(message, engine.name))
            return true;
    for (size_t i = 0; trawl_kernel_describe(database->which.engine, i, &kernel); i++)
        if (strstr(message, kernel.name))
            return true;
    return false;
}

bool device_may_refuse(const device_database *database, const device_scan *scan,
                       trawl_status status, const trawl_error *error, char *complaint,
                       size_t size) {
    const char *message = error->message;
    bool documented = false;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        documented =
            documented ||
            (has(refusals[i].engine, database->which.engine) &&
             has(refusals[i].variant, database->which.variant) &&
             has(refusals[i].kernel, scan->kernel) &&
             (refusals[i].form == ANY || refusals[i].form == (int)scan->form) &&
             (refusals[i].table_path == ANY || refusals[i].table_path == (int)scan->table_path) &&
             refusals[i].status == status && strstr(message, refusals[i].words));
    /* A shape of blocks that the test has chosen may be impossible, and a kernel may not have the
     * chosen path to its tables: these are refused, and nothing else is used instead. */
    if (status == TRAWL_ERROR_ARGUMENT &&
        (scan->block_threads || scan->block_bytes ||
         (scan->table_path != TRAWL_TABLES_CHOSEN && strstr(message, "table path"))))
        documented = true;
    if (documented && error->status == status && !strchr(message, '\n') &&
        is_explained(database, message))
        return true;
    snprintf(complaint, size, "refused (%s%s): %s", trawl_status_text(status),
             documented ? ", badly explained" : ", for no documented reason", message);
    return false;
}
