/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/registry.h"

#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/status.h"
#include "engines/engines.h"

static const trawl_engine *const engines[] = {
#define ENGINE(name) &trawl_engine_##name,
#define ENGINE_WITH_KERNELS(name) ENGINE(name)
#include "engines/list.h"
#undef ENGINE_WITH_KERNELS
#undef ENGINE
};

#define ENGINE_COUNT (sizeof engines / sizeof *engines)

const trawl_engine *trawl_engine_find(const char *name) {
    for (size_t i = 0; name != NULL && i < ENGINE_COUNT; i++) {
        if (strcmp(engines[i]->description.name, name) == 0) {
            return engines[i];
        }
    }
    return NULL;
}

/* False if the caller has not set the size. */
static bool hand_out(void *description, const void *found, size_t size) {
    if (trawl_sized_check(description, "", "", NULL) != TRAWL_OK) {
        return false;
    }
    trawl_sized_write(description, found, size);
    return true;
}

bool trawl_engine_describe(size_t index, trawl_engine_description *description) {
    if (index >= ENGINE_COUNT || description == NULL) {
        return false;
    }
    return hand_out(description, &engines[index]->description, sizeof *description);
}

/* Appends a name to a list of them. */
static void list_name(char *names, size_t size, const char *name) {
    size_t used = strlen(names);
    (void)snprintf(names + used, size - used, "%s%s", used == 0 ? "" : ", ", name);
}

static trawl_status fail_unknown_engine(const char *name, trawl_error *error) {
    char names[128] = "auto";
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        list_name(names, sizeof names, engines[i]->description.name);
    }
    return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "unknown engine '%.40s'; expected one of %s",
                      name, names);
}

trawl_status trawl_engine_find_variant(const char *name, const char *variant,
                                       const trawl_engine **engine, unsigned *index,
                                       trawl_error *error) {
    *index = 0;
    *engine = trawl_engine_find(name);
    if (*engine == NULL) {
        return fail_unknown_engine(name, error);
    }
    int found = variant == NULL ? 0 : trawl_engine_variant(*engine, variant);
    if (found < 0) {
        char names[512] = "";
        for (size_t i = 0; (*engine)->description.variants[i] != NULL; i++) {
            list_name(names, sizeof names, (*engine)->description.variants[i]);
        }
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "engine %s has no variant '%.40s'; it has %s", name, variant, names);
    }
    *index = (unsigned)found;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ kernels */

const char *trawl_kernel_for_zero_copy(const char *name) {
    const trawl_engine *engine = trawl_engine_find(name);
    return engine == NULL ? NULL : engine->zero_copy_kernel;
}

bool trawl_kernel_describe(const char *name, size_t index, trawl_kernel_description *description) {
    const trawl_engine *engine = trawl_engine_find(name);
    if (engine == NULL || engine->kernels == NULL || description == NULL) {
        return false;
    }
    size_t i = 0;
    while (i < index && engine->kernels[i].name != NULL) {
        i++;
    }
    if (engine->kernels[i].name == NULL) {
        return false;
    }
    const trawl_kernel_description found = {.name = engine->kernels[i].name,
                                            .summary = engine->kernels[i].summary,
                                            .source = engine->kernels[i].source};
    return hand_out(description, &found, sizeof found);
}

static trawl_status fail_without_kernels(const char *engine, trawl_error *error) {
    char names[128] = "";
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        if (engines[i]->kernels != NULL) {
            list_name(names, sizeof names, engines[i]->description.name);
        }
    }
    return trawl_fail(error, TRAWL_ERROR_UNAVAILABLE,
                      "engine %s has no kernels for CUDA devices; these engines do: %s", engine,
                      names);
}

trawl_status trawl_kernel_find(const char *engine, const char *kernel, uint32_t *index,
                               trawl_error *error) {
    trawl_kernel_description description = TRAWL_KERNEL_DESCRIPTION;
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
