/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The names of all kernels: known in every build, so that lists and help do not depend on it. */
#include <stdio.h>
#include <string.h>

#include "common/status.h"
#include "cuda/module.h"

#define ZHA "Zha & Sahni 2011"
#define KOUZINOPOULOS "Kouzinopoulos et al. 2015"

static const trawl_kernel_description ac_dfa[] = {
    {"hot", "most visited states in shared memory, the others in the L2 cache", "trawl"},
    {"ac0", "byte reads, table in device memory, direct writes", ZHA ", VI-A"},
    {"ac1", "ac0 with the table through the texture path", ZHA ", VI-A"},
    {"ac2", "ac1 with 16 bytes per read, staged in shared memory", ZHA ", IV-B1"},
    {"ac3", "ac2 with coalesced loads by the block, odd words per thread", ZHA ", IV-B1, Fig. 5"},
    {"ac4", "ac3 with input in registers and output staged in shared memory", ZHA ", IV-B2"},
};

static const trawl_kernel_description ac_nfa[] = {
    {"cw", "r16 with coalesced writes", KOUZINOPOULOS ", 4.3, Fig. 4"},
    {"u", "text and tables in device memory, a counter for each thread",
     KOUZINOPOULOS ", Algorithm 6"},
    {"tc", "u with the tables through the texture path", KOUZINOPOULOS ", 4.3"},
    {"cr", "tc with the text read together into shared memory", KOUZINOPOULOS ", Algorithm 8"},
    {"r16", "cr with 16 bytes per read", KOUZINOPOULOS ", 4.3"},
    {"global", "the automaton in device memory", "Charan 2015, Algorithm 6"},
    {"shared", "the automaton in shared memory", "Charan 2015, Algorithm 6, 4.4"},
    {"constant", "the automaton in constant memory", "Charan 2015, Algorithm 6, 4.4"},
};

static const trawl_kernel_description ac_split[] = {
    {"p2", "text through shared memory, stored on a diagonal; a stream for each part",
     "Tran et al., 4.3, Fig. 10"},
    {"p1", "text straight from device memory; a stream for each part", "Tran et al., Fig. 9"},
};

static const trawl_kernel_description wu_manber[] = {
    {"cw", "r16 with coalesced writes", KOUZINOPOULOS ", 4.3, Fig. 4"},
    {"u", "text and tables in device memory, a counter for each thread",
     KOUZINOPOULOS ", Algorithm 7"},
    {"tc", "u with SHIFT, HASH and PREFIX through the texture path", KOUZINOPOULOS ", 4.3"},
    {"cr", "tc with the text read together into shared memory", KOUZINOPOULOS ", Algorithm 9"},
    {"r16", "cr with 16 bytes per read", KOUZINOPOULOS ", 4.3"},
};

static const trawl_kernel_description rabin_karp[] = {
    {"rolling", "a rolling hash for each thread", "trawl"},
    {"prefix-sums", "window hashes from prefix sums modulo q; needs a prime modulus",
     "Nunes et al. 2018, IV"},
};

static const trawl_kernel_description qgram[] = {
    {"filter", "sampled q-grams in shared memory, then exact verification: one walk", "trawl"},
    {"packed", "at most 4 letters, patterns of up to 8: windows of packed letters in shared memory",
     "trawl"},
};

static const struct {
    const char *engine;
    const trawl_kernel_description *kernels;
    size_t count;
    const char *over_the_link; /* the best one for a text that is read where it lies on the host:
                                  one whose blocks read each line of it once, together; NULL:
                                  whichever is chosen */
} engines[] = {
    {"ac-dfa", ac_dfa, sizeof ac_dfa / sizeof *ac_dfa, "ac3"},
    {"ac-nfa", ac_nfa, sizeof ac_nfa / sizeof *ac_nfa, "cw"},
    {"ac-split", ac_split, sizeof ac_split / sizeof *ac_split, "p2"},
    {"wu-manber", wu_manber, sizeof wu_manber / sizeof *wu_manber, "cw"},
    {"rabin-karp", rabin_karp, sizeof rabin_karp / sizeof *rabin_karp, "rolling"},
    {"qgram", qgram, sizeof qgram / sizeof *qgram, NULL},
};

const char *trawl_kernel_over_the_link(const char *engine) {
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (strcmp(engines[i].engine, engine) == 0) {
            return engines[i].over_the_link;
        }
    }
    return NULL;
}

bool trawl_kernel_describe(const char *engine, size_t index,
                           trawl_kernel_description *description) {
    for (size_t i = 0; engine != NULL && i < sizeof engines / sizeof *engines; i++) {
        if (strcmp(engines[i].engine, engine) == 0 && index < engines[i].count &&
            description != NULL) {
            *description = engines[i].kernels[index];
            return true;
        }
    }
    return false;
}

/* Appends a name to a list of them. */
static void list_name(char *names, size_t size, const char *name) {
    size_t used = strlen(names);
    (void)snprintf(names + used, size - used, "%s%s", used == 0 ? "" : ", ", name);
}

static trawl_status fail_without_kernels(const char *engine, trawl_error *error) {
    char names[128] = "";
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        list_name(names, sizeof names, engines[i].engine);
    }
    return trawl_fail(error, TRAWL_ERROR_UNAVAILABLE,
                      "engine %s has no kernels for CUDA devices; these engines do: %s", engine,
                      names);
}

trawl_status trawl_kernel_find(const char *engine, const char *kernel, uint32_t *index,
                               trawl_error *error) {
    trawl_kernel_description description;
    char names[256] = "";
    *index = 0;
    if (!trawl_kernel_describe(engine, 0, &description)) {
        return fail_without_kernels(engine, error);
    }
    for (uint32_t i = 0; trawl_kernel_describe(engine, i, &description); i++) {
        if (kernel == NULL || strcmp(description.name, kernel) == 0) {
            *index = i;
            return TRAWL_OK;
        }
        list_name(names, sizeof names, description.name);
    }
    return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "engine %s has no kernel '%.40s'; it has %s",
                      engine, kernel == NULL ? "" : kernel, names);
}

bool trawl_cuda_device_number(const char *name, uint32_t *number) {
    *number = 0;
    if (strncmp(name, "cuda", 4) != 0) {
        return false;
    }
    if (name[4] == '\0') {
        return true;
    }
    size_t digits = name[4] == ':' ? strspn(name + 5, "0123456789") : 0;
    if (digits == 0 || digits > 4 || name[5 + digits] != '\0') {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        *number = *number * 10 + (uint32_t)(name[5 + i] - '0');
    }
    return true;
}
