/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/bench/engines.h"
#include "cli/bench/peers/find.h"
#include "cli/flags/arguments.h"
#include "cli/flags/compile.h"
#include "cli/flags/device.h"
#include "cli/target/planning.h"

static void add_row(bench_rows *rows, const char *engine, const char *variant) {
    bench_row *row = bench_rows_add(rows);
    row->asked_engine = engine;
    row->asked_variant = variant;
    (void)snprintf(row->engine, sizeof row->engine, "%s", engine == NULL ? "" : engine);
    (void)snprintf(row->variant, sizeof row->variant, "%s", variant == NULL ? "" : variant);
}

/* The context of on_engine. */
typedef struct choice {
    const bench_options *options;
    bench_rows *rows;
} choice;

/* Adds the rows of one engine. Without a variant: its default variant, or all with --variants. */
static bool on_engine(void *context, const bench_named_engine *named) {
    const choice *self = context;
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    bool found = false;
    if (!engine_find(named->name, &engine)) { /* auto */
        add_row(self->rows, named->name, NULL);
        return true;
    }
    for (size_t i = 0; engine.variants[i] != NULL; i++) {
        bool wanted = named->variant != NULL ? strcmp(engine.variants[i], named->variant) == 0
                      : self->options->all_variants ? true
                                                    : i == 0;
        if (wanted)
            add_row(self->rows, engine.name, engine.variants[i]);
        found = found || wanted;
    }
    if (!found) {
        char names[512];
        engine_list_names(&engine, false, names, sizeof names);
        (void)arguments_misuse(&bench_command,
                               "--engine %s: expected one of its variants (%s), not '%s'",
                               engine.name, names, named->variant);
    }
    return found;
}

static bool is_measured(const char *engine, const void *context) {
    const bench_rows *rows = context;
    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->items[i].asked_engine, engine) == 0)
            return true;
    }
    return false;
}

bool bench_rows_choose(const bench_options *options, bench_rows *rows) {
    choice self = {options, rows};
    *rows = (bench_rows){0};
    bool good = true;
    for (size_t i = 0; good && i < options->engines.count; i++) {
        char *list = string_copy(options->engines.items[i]);
        good = bench_engines_each(options, list, on_engine, &self);
        free(list);
    }
    char all[] = "all";
    if (options->engines.count == 0)
        good = bench_engines_each(options, all, on_engine, &self);
    good = good && study_flags_fit(&options->study.compile, is_measured, rows, &bench_command);
    if (good && options->peers)
        bench_peers_add(options, rows);
    return good;
}

void bench_rows_mark_planned(const bench_options *options, const trawl_patterns *patterns,
                             const memory_text *text, bench_rows *rows) {
    trawl_compile_options compile = options->compile;
    trawl_db_information plan = TRAWL_DB_INFORMATION;
    trawl_db *db = NULL;
    planning sample;
    planning_begin_with_text(&sample, text->bytes, text->length, &compile);
    bool known = trawl_compile(patterns, &compile, &db, NULL) == TRAWL_OK &&
                 trawl_db_info(db, &plan, NULL) == TRAWL_OK;
    planning_end(&sample);
    for (size_t i = 0; i < rows->count; i++) {
        bench_row *row = &rows->items[i];
        if (bench_row_is_peer(row))
            continue;
        row->planned = strcmp(row->asked_engine, "auto") == 0 ||
                       (known && strcmp(row->asked_engine, plan.engine) == 0 &&
                        strcmp(row->asked_variant, plan.variant) == 0);
    }
    trawl_db_free(db);
}
