/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The loop of Teddy. Before including it, define
 *   SEARCH      name of the trawl_teddy_search to define
 *   NAME(base)  a distinct name for each function
 *   TARGET      the functions' target attribute, or nothing
 *   VECTOR      a vector of WIDTH bytes
 *   TABLE       sixteen bytes to select from
 *   MASKS       how many masks NAME(append_masks) makes of four vectors
 *   LOADS_PARTS 1: NAME(load_part) reads only the bytes that it is asked for
 * and these steps, always_inline:
 *   NAME(load)(at)                 a vector of text
 *   NAME(load_part)(at, count)     its first `count` bytes, and zeros, or a whole vector
 *   NAME(table)(bytes)             a table
 *   NAME(all)()                    a vector of ones
 *   NAME(low)(table, bytes, ascii) selections by low nibbles; `ascii`: 0 for bytes from 0x80 on
 *   NAME(high)(table, bytes)       selections by high nibbles
 *   NAME(and)(a, b), NAME(any)(a, b, c, d)
 *   NAME(append_masks)(a, b, c, d, position, next)   masks of the bytes that are not 0
 *   NAME(bits)(a)                  the mask of one vector
 * and for pairs of bytes:
 *   NAME(fill)(byte)               a vector of this byte
 *   NAME(differ)(a, b, c, d)       0 where a's byte is b's and c's is d's
 *   NAME(least)(a, b)              the smaller of two bytes
 *   NAME(has_zero)(a)              whether a byte is 0
 *   NAME(zeros)(a)                 not 0 where a's byte is 0, else 0
 */

#define GROUP (4 * WIDTH)
#define INLINE TARGET static inline __attribute__((always_inline))

INLINE VECTOR NAME(test)(VECTOR left, TABLE low, const uint8_t *at, bool ascii) {
    return NAME(and)(left, NAME(low)(low, NAME(load)(at), ascii));
}

INLINE VECTOR NAME(test_both)(VECTOR left, TABLE low, TABLE high, const uint8_t *at, bool ascii) {
    VECTOR bytes = NAME(load)(at);
    left = NAME(and)(left, NAME(low)(low, bytes, ascii));
    return NAME(and)(left, NAME(high)(high, bytes));
}

/* Tests groups of four vectors, with one branch for each group; with `dense` without a branch,
 * where it would often be mispredicted. Tables are loaded again for each probe of each group: this
 * costs little, and one loop serves any number of probes. */
INLINE size_t NAME(groups)(const trawl_teddy *filter, const uint8_t *text, size_t position,
                           size_t groups, uint32_t *list, bool ascii, bool dense) {
    position_mask masks[AT_ONCE * MASKS + 1];
    position_mask *mask = masks;
    uint32_t *next = list;
    uint32_t both = filter->both, probes = filter->probes;
    for (; groups != 0; groups--, position += GROUP) {
        const uint8_t *here = text + position;
        for (size_t line = 0; line + 64 <= GROUP; line += 64) {
            __builtin_prefetch((const void *)((uintptr_t)here + 2 * TRAWL_QGRAM_PREFETCH + line));
        }
        VECTOR a = NAME(all)(), b = a, c = a, d = a;
        uint32_t probe = 0;
        for (; probe < both; probe++) {
            const uint8_t *at = here - filter->distance[probe];
            TABLE low = NAME(table)(filter->low[probe]), high = NAME(table)(filter->high[probe]);
            a = NAME(test_both)(a, low, high, at, ascii);
            b = NAME(test_both)(b, low, high, at + WIDTH, ascii);
            c = NAME(test_both)(c, low, high, at + 2 * WIDTH, ascii);
            d = NAME(test_both)(d, low, high, at + 3 * WIDTH, ascii);
        }
        for (; probe < probes; probe++) {
            const uint8_t *at = here - filter->distance[probe];
            TABLE low = NAME(table)(filter->low[probe]);
            a = NAME(test)(a, low, at, ascii);
            b = NAME(test)(b, low, at + WIDTH, ascii);
            c = NAME(test)(c, low, at + 2 * WIDTH, ascii);
            d = NAME(test)(d, low, at + 3 * WIDTH, ascii);
        }
        if (dense || NAME(any)(a, b, c, d)) {
            mask = NAME(append_masks)(a, b, c, d, position, mask);
            if (mask - masks > (AT_ONCE - 1) * MASKS) {
                next = list_positions(masks, mask, next, dense);
                mask = masks;
            }
        }
    }
    return (size_t)(list_positions(masks, mask, next, dense) - list);
}

TARGET static size_t NAME(sparse_ascii)(const trawl_teddy *filter, const uint8_t *text,
                                        size_t position, size_t groups, uint32_t *list) {
    return NAME(groups)(filter, text, position, groups, list, true, false);
}

TARGET static size_t NAME(dense_ascii)(const trawl_teddy *filter, const uint8_t *text,
                                       size_t position, size_t groups, uint32_t *list) {
    return NAME(groups)(filter, text, position, groups, list, true, true);
}

TARGET static size_t NAME(sparse_bytes)(const trawl_teddy *filter, const uint8_t *text,
                                        size_t position, size_t groups, uint32_t *list) {
    return NAME(groups)(filter, text, position, groups, list, false, false);
}

TARGET static size_t NAME(dense_bytes)(const trawl_teddy *filter, const uint8_t *text,
                                       size_t position, size_t groups, uint32_t *list) {
    return NAME(groups)(filter, text, position, groups, list, false, true);
}

/* The same for the pair of bytes. */
INLINE size_t NAME(pairs)(const trawl_teddy *filter, const uint8_t *text, size_t position,
                          size_t groups, uint32_t *list, bool dense) {
    position_mask masks[AT_ONCE * MASKS + 1];
    position_mask *mask = masks;
    uint32_t *next = list;
    const trawl_teddy_pair *pair = &filter->pair;
    const uint8_t *one = text + position - (pair->before[0] - 1);
    const uint8_t *other = text + position - (pair->before[1] - 1);
    const VECTOR byte = NAME(fill)(pair->byte[0]), second = NAME(fill)(pair->byte[1]);
    for (; groups != 0; groups--, position += GROUP, one += GROUP, other += GROUP) {
        for (size_t line = 0; line + 64 <= GROUP; line += 64) {
            __builtin_prefetch((const void *)((uintptr_t)one + 2 * TRAWL_QGRAM_PREFETCH + line));
        }
        VECTOR a = NAME(differ)(NAME(load)(one), byte, NAME(load)(other), second);
        VECTOR b = NAME(differ)(NAME(load)(one + WIDTH), byte, NAME(load)(other + WIDTH), second);
        VECTOR c =
            NAME(differ)(NAME(load)(one + 2 * WIDTH), byte, NAME(load)(other + 2 * WIDTH), second);
        VECTOR d =
            NAME(differ)(NAME(load)(one + 3 * WIDTH), byte, NAME(load)(other + 3 * WIDTH), second);
        if (dense || NAME(has_zero)(NAME(least)(NAME(least)(a, b), NAME(least)(c, d)))) {
            mask = NAME(append_masks)(NAME(zeros)(a), NAME(zeros)(b), NAME(zeros)(c),
                                      NAME(zeros)(d), position, mask);
            if (mask - masks > (AT_ONCE - 1) * MASKS) {
                next = list_positions(masks, mask, next, dense);
                mask = masks;
            }
        }
    }
    return (size_t)(list_positions(masks, mask, next, dense) - list);
}

TARGET static size_t NAME(sparse_pairs)(const trawl_teddy *filter, const uint8_t *text,
                                        size_t position, size_t groups, uint32_t *list) {
    return NAME(pairs)(filter, text, position, groups, list, false);
}

TARGET static size_t NAME(dense_pairs)(const trawl_teddy *filter, const uint8_t *text,
                                       size_t position, size_t groups, uint32_t *list) {
    return NAME(pairs)(filter, text, position, groups, list, true);
}

INLINE uint64_t NAME(test_pair)(const trawl_teddy *filter, const uint8_t *here, size_t count) {
    const trawl_teddy_pair *pair = &filter->pair;
    VECTOR differences = NAME(differ)(
        NAME(load_part)(here - (pair->before[0] - 1), count), NAME(fill)(pair->byte[0]),
        NAME(load_part)(here - (pair->before[1] - 1), count), NAME(fill)(pair->byte[1]));
    return NAME(bits)(NAME(zeros)(differences));
}

/* Tests up to WIDTH positions; returns a bit for each, 1 for a candidate, and any bits behind
 * them. */
INLINE uint64_t NAME(test_vector)(const trawl_teddy *filter, const uint8_t *here, size_t count,
                                  bool ascii) {
    if (trawl_teddy_has_pair(filter)) {
        return NAME(test_pair)(filter, here, count);
    }
    VECTOR left = NAME(all)();
    uint32_t probe = 0;
    for (; probe < filter->both; probe++) {
        VECTOR bytes = NAME(load_part)(here - filter->distance[probe], count);
        left = NAME(and)(left, NAME(low)(NAME(table)(filter->low[probe]), bytes, ascii));
        left = NAME(and)(left, NAME(high)(NAME(table)(filter->high[probe]), bytes));
    }
    for (; probe < filter->probes; probe++) {
        VECTOR bytes = NAME(load_part)(here - filter->distance[probe], count);
        left = NAME(and)(left, NAME(low)(NAME(table)(filter->low[probe]), bytes, ascii));
    }
    return NAME(bits)(left);
}

/* Tests what is left behind the groups, which is all of a short text, one vector after the other.
 * Where vectors cannot be loaded in part, the last one is tested on a copy with zeros behind. */
INLINE size_t NAME(test_rest)(const trawl_teddy *filter, const uint8_t *text, size_t position,
                              size_t rest, uint32_t *list, bool ascii) {
    uint8_t copy[TRAWL_TEDDY_SUFFIX + WIDTH];
    uint32_t *next = list;
    while (rest != 0) {
        size_t count = rest < WIDTH ? rest : WIDTH;
        const uint8_t *here = text + position;
        if (!LOADS_PARTS && count < WIDTH) {
            size_t before = trawl_teddy_reach(filter) - 1;
            memset(copy, 0, sizeof copy);
            memcpy(copy + TRAWL_TEDDY_SUFFIX - before, here - before, before + count);
            here = copy + TRAWL_TEDDY_SUFFIX;
        }
        uint64_t bits = NAME(test_vector)(filter, here, count, ascii);
        for (bits &= ~UINT64_C(0) >> (64 - count); bits != 0; bits &= bits - 1) {
            *next++ = (uint32_t)position + (uint32_t)__builtin_ctzll(bits);
        }
        position += count;
        rest -= count;
    }
    return (size_t)(next - list);
}

TARGET static size_t NAME(rest_ascii)(const trawl_teddy *filter, const uint8_t *text,
                                      size_t position, size_t rest, uint32_t *list) {
    return NAME(test_rest)(filter, text, position, rest, list, true);
}

TARGET static size_t NAME(rest_bytes)(const trawl_teddy *filter, const uint8_t *text,
                                      size_t position, size_t rest, uint32_t *list) {
    return NAME(test_rest)(filter, text, position, rest, list, false);
}

static size_t SEARCH(const trawl_teddy *filter, const uint8_t *text, size_t first, size_t count,
                     bool dense, uint32_t *list) {
    size_t rest = count % GROUP, from = first + count - rest, found = 0;
    if (from != first) {
        size_t (*groups)(const trawl_teddy *, const uint8_t *, size_t, size_t, uint32_t *) =
            trawl_teddy_has_pair(filter) ? dense ? NAME(dense_pairs) : NAME(sparse_pairs)
            : filter->ascii != 0 ? dense ? NAME(dense_ascii) : NAME(sparse_ascii)
            : dense ? NAME(dense_bytes)
                                         : NAME(sparse_bytes);
        found = groups(filter, text, first, count / GROUP, list);
    }
    return found + (filter->ascii != 0 ? NAME(rest_ascii)(filter, text, from, rest, list + found)
                                       : NAME(rest_bytes)(filter, text, from, rest, list + found));
}

#undef GROUP
#undef INLINE
#undef SEARCH
#undef NAME
#undef TARGET
#undef VECTOR
#undef WIDTH
#undef TABLE
#undef MASKS
#undef LOADS_PARTS
