/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "scan/conditions.h"

#include "database/conditions.h"

size_t trawl_conditions_keep(const trawl_db *db, const trawl_window *window, trawl_match *matches,
                             size_t count) {
    const trawl_condition_view *view = &db->conditions;
    uint16_t next = window->goes_on ? view->outside[window->next] : TRAWL_BORDER;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        trawl_match match = matches[i];
        size_t start = (size_t)(match.start - window->base);
        size_t end = (size_t)(match.end - window->base);
        uint16_t before = start == 0 ? TRAWL_BORDER : view->outside[window->text[start - 1]];
        uint16_t behind = end < window->length ? view->outside[window->text[end]] : next;
        if (trawl_condition_holds(view, match.pattern, match.start, match.end, before, behind,
                                  end == window->length && !window->goes_on)) {
            matches[kept++] = match;
        }
    }
    return kept;
}
