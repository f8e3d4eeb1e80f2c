/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/bench/peers/find.h"
#include "cli/flags/arguments.h"

static void add_row(bench_rows *rows, const char *engine, const char *variant) {
    bench_row *row = bench_rows_add(rows);
    row->asked_engine = engine;
    row->asked_variant = variant;
    (void)snprintf(row->engine, sizeof row->engine, "%s", engine == NULL ? "" : engine);
    (void)snprintf(row->variant, sizeof row->variant, "%s", variant == NULL ? "" : variant);
}

static bool unknown_variant(const trawl_engine_description *engine, const char *variant) {
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; engine->variants[i] != NULL && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                                 engine->variants[i]);
    (void)arguments_misuse(&bench_command,
                           "--engine %s: expected one of its variants (%s), not '%s'", engine->name,
                           names, variant);
    return false;
}

/* Adds the rows of one engine. `variant` NULL: its default variant, or all with --variants. */
static bool add_engine(bench_rows *rows, const bench_options *options,
                       const trawl_engine_description *engine, const char *variant) {
    bool found = false;
    for (size_t i = 0; engine->variants[i] != NULL; i++) {
        bool wanted = variant != NULL         ? strcmp(engine->variants[i], variant) == 0
                      : options->all_variants ? true
                                              : i == 0;
        if (wanted)
            add_row(rows, engine->name, engine->variants[i]);
        found = found || wanted;
    }
    return found || unknown_variant(engine, variant);
}

/* Adds the rows of one element of a list: "all", "auto", "NAME" or "NAME:VARIANT". */
static bool add_element(bench_rows *rows, const bench_options *options, const char *element) {
    trawl_engine_description engine;
    const char *colon = strchr(element, ':');
    size_t length = colon == NULL ? strlen(element) : (size_t)(colon - element);
    const char *variant = colon == NULL ? options->variant : colon + 1;
    bool is_all = strcmp(element, "all") == 0;
    if (strncmp(element, "auto", length) == 0 && length == strlen("auto")) {
        if (colon == NULL)
            add_row(rows, "auto", NULL);
        else
            (void)arguments_misuse(&bench_command, "--engine: auto takes no variant, '%s'",
                                   element);
        return colon == NULL;
    }
    bool found = false;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        bool is_it = strncmp(engine.name, element, length) == 0 && engine.name[length] == '\0';
        if (!is_all && !is_it)
            continue;
        found = true;
        if (!add_engine(rows, options, &engine, variant))
            return false;
    }
    if (!found)
        (void)arguments_misuse(&bench_command,
                               "--engine: there is no engine '%.*s'; 'trawl engines' lists them",
                               (int)length, element);
    return found;
}

static bool add_list(bench_rows *rows, const bench_options *options, const char *list) {
    char *elements = allocate(strlen(list) + 1);
    memcpy(elements, list, strlen(list) + 1);
    bool good = true;
    char *rest = elements;
    while (good && rest != NULL)
        good = add_element(rows, options, strsep(&rest, ","));
    free(elements);
    return good;
}

bool bench_rows_choose(const bench_options *options, bench_rows *rows) {
    *rows = (bench_rows){0};
    bool good = true;
    for (size_t i = 0; good && i < options->engines.count; i++)
        good = add_list(rows, options, options->engines.items[i]);
    if (options->engines.count == 0)
        good = add_list(rows, options, "all");
    if (good && options->peers)
        bench_peers_add(options, rows);
    return good;
}
