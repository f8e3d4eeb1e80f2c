/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The filter by shuffles. Before including it, define
 *   SEARCH      name of the trawl_teddy_search to define
 *   NAME(base)  a distinct name for each function; NAME(load), NAME(table), NAME(all), NAME(low),
 *               NAME(high), NAME(and), NAME(any) and NAME(mark) are there already
 *   TARGET      the functions' target attribute, or nothing
 *   VECTOR      WIDTH bytes
 *   TABLE       sixteen bytes to select from
 *   MARKS       marks that NAME(mark) makes of four vectors
 */

#define GROUP (4 * WIDTH)
#define INLINE TARGET static inline __attribute__((always_inline))

INLINE VECTOR NAME(test)(VECTOR pass, TABLE low, const uint8_t *at, bool ascii) {
    return NAME(and)(pass, NAME(low)(low, NAME(load)(at), ascii));
}

INLINE VECTOR NAME(test_both)(VECTOR pass, TABLE low, TABLE high, const uint8_t *at, bool ascii) {
    VECTOR bytes = NAME(load)(at);
    pass = NAME(and)(pass, NAME(low)(low, bytes, ascii));
    return NAME(and)(pass, NAME(high)(high, bytes));
}

/* Four vectors at a time: one branch for all, and tables that are loaded anew for each probe cost
 * little, so that one loop serves any number of probes. The branch is left out where it would be
 * mispredicted too often. */
INLINE size_t NAME(groups)(const trawl_teddy *filter, const uint8_t *text, size_t position,
                           size_t groups, uint32_t *noted, bool ascii, bool dense) {
    position_mark marks[AT_ONCE * MARKS + 1];
    position_mark *mark = marks;
    uint32_t *next = noted;
    uint32_t both = filter->both, probes = filter->probes;
    for (; groups != 0; groups--, position += GROUP) {
        const uint8_t *here = text + position;
        for (size_t line = 0; line + 64 <= GROUP; line += 64) {
            __builtin_prefetch((const void *)((uintptr_t)here + AHEAD + line));
        }
        VECTOR a = NAME(all)(), b = a, c = a, d = a;
        uint32_t probe = 0;
        for (; probe < both; probe++) {
            const uint8_t *at = here - filter->back[probe];
            TABLE low = NAME(table)(filter->low[probe]), high = NAME(table)(filter->high[probe]);
            a = NAME(test_both)(a, low, high, at, ascii);
            b = NAME(test_both)(b, low, high, at + WIDTH, ascii);
            c = NAME(test_both)(c, low, high, at + 2 * WIDTH, ascii);
            d = NAME(test_both)(d, low, high, at + 3 * WIDTH, ascii);
        }
        for (; probe < probes; probe++) {
            const uint8_t *at = here - filter->back[probe];
            TABLE low = NAME(table)(filter->low[probe]);
            a = NAME(test)(a, low, at, ascii);
            b = NAME(test)(b, low, at + WIDTH, ascii);
            c = NAME(test)(c, low, at + 2 * WIDTH, ascii);
            d = NAME(test)(d, low, at + 3 * WIDTH, ascii);
        }
        if (dense || NAME(any)(a, b, c, d)) {
            mark = NAME(mark)(a, b, c, d, position, mark);
            if (mark - marks > (AT_ONCE - 1) * MARKS) {
                next = list_end_offsets(marks, mark, next, dense);
                mark = marks;
            }
        }
    }
    return (size_t)(list_end_offsets(marks, mark, next, dense) - noted);
}

TARGET static size_t NAME(sparse_ascii)(const trawl_teddy *filter, const uint8_t *text,
                                        size_t position, size_t groups, uint32_t *noted) {
    return NAME(groups)(filter, text, position, groups, noted, true, false);
}

TARGET static size_t NAME(dense_ascii)(const trawl_teddy *filter, const uint8_t *text,
                                       size_t position, size_t groups, uint32_t *noted) {
    return NAME(groups)(filter, text, position, groups, noted, true, true);
}

TARGET static size_t NAME(sparse_bytes)(const trawl_teddy *filter, const uint8_t *text,
                                        size_t position, size_t groups, uint32_t *noted) {
    return NAME(groups)(filter, text, position, groups, noted, false, false);
}

TARGET static size_t NAME(dense_bytes)(const trawl_teddy *filter, const uint8_t *text,
                                       size_t position, size_t groups, uint32_t *noted) {
    return NAME(groups)(filter, text, position, groups, noted, false, true);
}

static size_t SEARCH(const trawl_teddy *filter, const uint8_t *text, size_t first, size_t count,
                     bool dense, uint32_t *noted) {
    size_t (*groups)(const trawl_teddy *, const uint8_t *, size_t, size_t, uint32_t *) =
        filter->ascii != 0 ? dense ? NAME(dense_ascii) : NAME(sparse_ascii)
        : dense ? NAME(dense_bytes)
                           : NAME(sparse_bytes);
    size_t rest = count % GROUP, from = first + count - rest;
    size_t found = groups(filter, text, first, count / GROUP, noted);
    if (rest == 0) {
        return found;
    }
    /* The last, incomplete group on a copy with room behind. */
    uint8_t copy[TRAWL_TEDDY_SUFFIX + GROUP] = {0};
    uint32_t last[GROUP + TRAWL_TEDDY_SPARE];
    size_t before = 0;
    for (uint32_t probe = 0; probe < filter->probes; probe++) {
        before = filter->back[probe] > before ? filter->back[probe] : before;
    }
    memcpy(copy + TRAWL_TEDDY_SUFFIX - before, text + from - before, before + rest);
    size_t more = groups(filter, copy, TRAWL_TEDDY_SUFFIX, 1, last);
    for (size_t i = 0; i < more && last[i] < TRAWL_TEDDY_SUFFIX + rest; i++) {
        noted[found++] = (uint32_t)(from + last[i] - TRAWL_TEDDY_SUFFIX);
    }
    return found;
}

#undef GROUP
#undef INLINE
#undef SEARCH
#undef NAME
#undef TARGET
#undef VECTOR
#undef WIDTH
#undef TABLE
#undef MARKS
