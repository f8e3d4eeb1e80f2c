/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/engines.h"

#include <string.h>

#include "cli/flags/arguments.h"

static bool take_element(const bench_options *options, char *element, bench_on_engine on_engine,
                         void *context) {
    char *colon = strchr(element, ':');
    bench_named_engine named = {.variant = options->variant};
    if (colon != NULL) {
        *colon = '\0';
        named.variant = colon + 1;
    }
    if (strcmp(element, "auto") == 0 && colon != NULL) {
        (void)arguments_misuse(&bench_command, "--engine: auto takes no variant, '%s'",
                               named.variant);
        return false;
    }
    if (strcmp(element, "auto") == 0) {
        named = (bench_named_engine){.name = "auto"};
        return on_engine(context, &named);
    }
    named.by_all = strcmp(element, "all") == 0 && colon == NULL;
    bool found = false;
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        if (!named.by_all && strcmp(engine.name, element) != 0)
            continue;
        found = true;
        named.name = engine.name;
        if (!on_engine(context, &named))
            return false;
    }
    if (!found)
        (void)arguments_misuse(&bench_command,
                               "--engine: there is no engine '%s'; 'trawl engines' lists them",
                               element);
    return found;
}

bool bench_engines_each(const bench_options *options, char *list, bench_on_engine on_engine,
                        void *context) {
    bool good = true;
    char *rest = list;
    while (good && rest != NULL)
        good = take_element(options, strsep(&rest, ","), on_engine, context);
    return good;
}
