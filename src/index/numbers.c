/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "index/numbers.h"

#include <string.h>

enum {
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    INSERTED =
        48 /* numbers, at most, that insertion sort takes: radix sort clears its counters first */
};

static void insert_all(uint64_t *numbers, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint64_t number = numbers[i];
        size_t at = i;
        for (; at > 0 && numbers[at - 1] > number; at--) {
            numbers[at] = numbers[at - 1];
        }
        numbers[at] = number;
    }
}

/* Sorts by one digit, stably, from `from` into `to`. */
static void sort_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift) {
    size_t begins[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) {
        begins[from[i] >> shift & (DIGITS - 1)]++;
    }
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t size = begins[digit];
        begins[digit] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++) {
        to[begins[from[i] >> shift & (DIGITS - 1)]++] = from[i];
    }
}

void trawl_sort_numbers(uint64_t *numbers, uint64_t *scratch, size_t count) {
    if (count <= INSERTED) {
        insert_all(numbers, count);
        return;
    }
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= numbers[i];
    }
    uint64_t *from = numbers, *to = scratch;
    for (unsigned shift = 0; shift < 48 && all >> shift != 0; shift += DIGIT_BITS) {
        sort_digit(from, to, count, shift);
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != numbers) {
        memcpy(numbers, from, count * sizeof *numbers);
    }
}
