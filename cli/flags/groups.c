/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/groups.h"

#include "cli/base/report.h"
#include "cli/flags/compile.h"
#include "cli/flags/scan.h"

static int take_any(const flag_groups *groups, arguments *args, int id) {
    int taken = FLAG_NOT_MINE;
    if (groups->patterns != NULL)
        taken = pattern_options_take(groups->patterns, args, id);
    if (taken == FLAG_NOT_MINE && groups->compile != NULL)
        taken = compile_options_take(groups->compile, &groups->study->compile, args, id);
    if (taken == FLAG_TAKEN && args->compiling == NULL)
        args->compiling = args->flag;
    if (taken == FLAG_NOT_MINE && groups->scan != NULL)
        taken = scan_options_take(groups->scan, &groups->study->scan, args, id);
    if (taken == FLAG_NOT_MINE && groups->scan != NULL)
        taken = cuda_options_take(groups->scan, &groups->study->scan, groups->profile, args, id);
    if (taken == FLAG_NOT_MINE && groups->files != NULL)
        taken = file_options_take(groups->files, args, id);
    return taken;
}

int flag_groups_next(const flag_groups *groups, arguments *args, int *status) {
    *status = EXIT_ERROR;
    for (;;) {
        int id = arguments_next(args);
        if (id == ARGUMENTS_HELP)
            *status = EXIT_MATCHED;
        if (id == ARGUMENTS_HELP || id == ARGUMENTS_ERROR)
            return ARGUMENTS_ERROR;
        int taken = id == ARGUMENTS_END ? FLAG_NOT_MINE : take_any(groups, args, id);
        if (taken == FLAG_REFUSED)
            return ARGUMENTS_ERROR;
        if (taken == FLAG_NOT_MINE)
            return id;
    }
}
