/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/describe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/memory.h"
#include "cli/base/names.h"
#include "cli/base/report.h"
#include "cli/parts/patterns.h"
#include "cli/parts/segments.h"
#include "trawl/trawl_conditions.h"

/* Whether matches depend on more of a text than the bytes beside them: no text can be cut then. */
static bool needs_whole_texts(const trawl_db *db) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    bool whole = information.matches != TRAWL_MATCH_ALL;
    for (uint32_t id = 0; trawl_db_has_conditions(db) && !whole && id < information.patterns;
         id++) {
        trawl_condition condition = TRAWL_CONDITION;
        whole = trawl_db_condition(db, id, &condition) &&
                (condition.min_start != 0 || condition.max_end != 0);
    }
    return whole;
}

/* Reports why the size of a text is not known. */
static void report_unsized(const char *path) {
    struct stat about;
    if (strcmp(path, "-") != 0 && stat(path, &about) != 0)
        report("text %s: %s", path, strerror(errno));
    else
        report("text %s: is not a regular file; shards and journals need texts whose size is known",
               name_in_message(path));
}

static bool add_text(parts_run *run, const scan_entry *entry) {
    if (entry->alone && entry->stored_bytes == 0) {
        report_unsized(entry->path);
        return false;
    }
    parts_text text = {.name = entry->path,
                       .bytes = entry->stored_bytes,
                       .seconds = (uint64_t)entry->changed.tv_sec,
                       .nanoseconds = (uint64_t)entry->changed.tv_nsec};
    parts_run_add(run, &text);
    return true;
}

bool scan_describe(parts_run *run, const scan_plan *plan, const scan_texts *texts) {
    const scan_options *options = plan->options;
    const division_options *division = &options->division;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(plan->scanner.db, &information, NULL);
    *run = (parts_run){.identity = {.patterns = parts_patterns_checksum(plan->scanner.db),
                                    .matches = (uint64_t)information.matches,
                                    .kind = (uint64_t)options->kind,
                                    .format = (uint64_t)options->format,
                                    .with_pattern = options->with_pattern,
                                    .top = options->kind == RECORD_TOP ? options->top : 0,
                                    .several = plan->several,
                                    .whole = needs_whole_texts(plan->scanner.db),
                                    .shard = division->shard == 0 ? 1 : division->shard,
                                    .shards = division->shard == 0 ? 1 : division->shards,
                                    .segment = division->segment_bytes}};
    (void)snprintf(run->version, sizeof run->version, "%s", trawl_version());
    bool listed = !texts->failed; /* else this has been reported */
    for (size_t i = 0; listed && i < texts->count; i++)
        listed = add_text(run, &texts->items[i]);
    return listed;
}

bool scan_take_shard(scan_texts *texts, const scan_plan *plan) {
    parts_run run;
    bool described = scan_describe(&run, plan, texts);
    run.identity.segment = UINT64_MAX;
    if (described && segments_mark_whole(&run)) {
        segment_list list;
        segments_divide(&run, &list);
        scan_entry *items = allocate(list.piece_count * sizeof *items + 1);
        for (size_t i = 0; i < list.piece_count; i++) {
            const parts_piece *piece = &list.pieces[i];
            items[i] = texts->items[piece->text];
            items[i].path = string_copy(items[i].path);
            if (piece->begin != 0 || piece->end != items[i].stored_bytes) {
                items[i].begin = piece->begin;
                items[i].end = piece->end;
                items[i].stored_bytes = piece->end - piece->begin;
                items[i].alone = items[i].stored_bytes > SCAN_SMALL_TEXT;
            }
        }
        for (size_t i = 0; i < texts->count; i++)
            free(texts->items[i].path);
        free(texts->items);
        texts->items = items;
        texts->count = texts->capacity = list.piece_count;
        texts->stored_bytes = 0;
        for (size_t i = 0; i < texts->count; i++)
            texts->stored_bytes += items[i].stored_bytes;
        segments_release(&list);
    } else {
        described = false;
    }
    parts_run_release(&run);
    return described;
}
