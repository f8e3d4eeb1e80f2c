/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The search for bytes of a set by vectors (base/byte_set.c). Before including it, define
 *   NAME(base)  a distinct name for each function; NAME(rows), the type of a set in vectors,
 *               NAME(load)(set), NAME(find)(rows, text), a number with a bit for each byte of a
 *               vector that is in the set, and NAME(is_in_two)(rows, text), whether one of two
 *               vectors is, must be defined before
 *   TARGET      the functions' target attribute, or nothing
 *   VECTOR      bytes of a vector
 *   SHIFT       each byte has 1 << SHIFT bits in the number
 * The last bytes of a text are looked up as the last whole vector, a part of which has been looked
 * up before. A text without a whole vector is looked up in plain C.
 */

TARGET static const uint8_t *NAME(first)(const trawl_byte_finder *finder, const uint8_t *text,
                                         size_t length) {
    if (length < VECTOR) {
        return first_scalar(finder, text, length);
    }
    const NAME(rows) rows = NAME(load)(&finder->set);
    size_t at = 0;
    while (at + 2 * VECTOR <= length && !NAME(is_in_two)(&rows, text + at)) {
        at += 2 * VECTOR;
    }
    for (; at < length; at += VECTOR) {
        at = at + VECTOR <= length ? at : length - VECTOR;
        const uint64_t found = NAME(find)(&rows, text + at);
        if (found != 0) {
            return text + at + ((unsigned)__builtin_ctzll(found) >> SHIFT);
        }
    }
    return NULL;
}

TARGET static const uint8_t *NAME(last)(const trawl_byte_finder *finder, const uint8_t *text,
                                        size_t length) {
    if (length < VECTOR) {
        return last_scalar(finder, text, length);
    }
    const NAME(rows) rows = NAME(load)(&finder->set);
    size_t left = length;
    while (left >= 2 * VECTOR && !NAME(is_in_two)(&rows, text + left - 2 * VECTOR)) {
        left -= 2 * VECTOR;
    }
    while (left != 0) {
        left = left < VECTOR ? 0 : left - VECTOR;
        const uint64_t found = NAME(find)(&rows, text + left);
        if (found != 0) {
            return text + left + ((63u - (unsigned)__builtin_clzll(found)) >> SHIFT);
        }
    }
    return NULL;
}

#undef NAME
#undef TARGET
#undef VECTOR
#undef SHIFT
