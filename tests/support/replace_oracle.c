/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "replace_oracle.h"

#include "trawl/trawl_groups.h"

#include <stdlib.h>
#include <string.h>

void byte_list_add(byte_list *list, const void *bytes, size_t length) {
    if (list->count + length > list->capacity) {
        list->capacity = 2 * (list->count + length) + 16;
        list->items = realloc(list->items, list->capacity);
        if (!list->items)
            abort();
    }
    if (length)
        memcpy(list->items + list->count, bytes, length);
    list->count += length;
}

void byte_list_free(byte_list *list) {
    free(list->items);
    *list = (byte_list){.items = NULL};
}

static const char material[] = "<replacement> that is longer than most of the patterns are";

void replace_oracle_open(replace_oracle *self, const trawl_db *db, random_source *random) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    trawl_pattern pattern = TRAWL_PATTERN;
    (void)trawl_db_info(db, &information, NULL);
    size_t longest = random_chance(random, 1, 2) ? 3 : sizeof(material) - 1;
    *self = (replace_oracle){.options = TRAWL_REPLACE_OPTIONS, .patterns = information.patterns};
    do
        self->options.kind = (trawl_replace_kind)random_below(random, TRAWL_REPLACE_MASK + 1);
    while (self->options.kind == TRAWL_REPLACE_VALUES && !trawl_db_has_values(db));
    self->options.mask = (uint8_t)random_below(random, 256);
    self->options.one = (trawl_span){material, random_below(random, longest + 1)};
    self->each = calloc(self->patterns + 1, sizeof(*self->each));
    for (uint32_t id = 0; id < self->patterns; id++) {
        self->each[id] = self->options.one;
        if (self->options.kind == TRAWL_REPLACE_EACH) {
            size_t from = random_below(random, longest + 1);
            self->each[id] = (trawl_span){random_chance(random, 1, 4) ? NULL : material + from,
                                          random_below(random, longest - from + 1)};
        } else if (self->options.kind == TRAWL_REPLACE_VALUES) {
            (void)trawl_db_pattern(db, id, &pattern);
            self->each[id] = (trawl_span){pattern.value, pattern.value_length};
        }
    }
    self->options.each = self->options.kind == TRAWL_REPLACE_EACH ? self->each : NULL;
}

void replace_oracle_close(replace_oracle *self) {
    free(self->each);
}

size_t replace_oracle_text(const replace_oracle *self, const uint8_t *text, size_t length,
                           const trawl_match *matches, size_t count, size_t until,
                           byte_list *result) {
    size_t replaced = 0, next = 0;
    for (size_t at = 0; at < length && at < until;) {
        while (next < count && matches[next].start < at)
            next++;
        const trawl_match *match =
            next < count && matches[next].start == at ? &matches[next] : NULL;
        bool masks = self->options.kind == TRAWL_REPLACE_MASK;
        if (match == NULL || (!masks && self->each[match->pattern].bytes == NULL)) {
            byte_list_add(result, &text[at], 1);
            at++;
            continue;
        }
        for (uint64_t byte = match->start; masks && byte < match->end; byte++)
            byte_list_add(result, &self->options.mask, 1);
        if (!masks)
            byte_list_add(result, self->each[match->pattern].bytes,
                          self->each[match->pattern].length);
        at = (size_t)match->end;
        replaced++;
    }
    return replaced;
}
