/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 40 }; /* longer names are near to none */

static size_t least(size_t left, size_t right) {
    return left < right ? left : right;
}

/* The number of changes between two names shorter than LONGEST: the distance of Damerau and
 * Levenshtein in which no letter is changed twice. */
static size_t distance_between(const char *left, const char *right) {
    size_t rows[3][LONGEST + 1]; /* of the table of distances between all beginnings */
    size_t left_length = strlen(left);
    size_t right_length = strlen(right);
    for (size_t j = 0; j <= right_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= left_length; i++) {
        const size_t *before = rows[(i - 1) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= right_length; j++) {
            row[j] = before[j - 1] + (left[i - 1] != right[j - 1]);
            row[j] = least(row[j], least(before[j], row[j - 1]) + 1);
            bool swapped =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (swapped)
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[left_length % 3][right_length];
}

void nearest_offer(nearest *search, const char *name) {
    size_t unknown_length = strlen(search->unknown);
    size_t length = strlen(name);
    size_t longer = unknown_length < length ? length : unknown_length;
    if (longer >= LONGEST)
        return;
    bool beginning = unknown_length >= 2 && strncmp(name, search->unknown, unknown_length) == 0;
    size_t distance = beginning ? 1 : distance_between(search->unknown, name);
    if (distance > (longer + 1) / 3 || distance == longer)
        return;
    if (search->name == NULL || distance < search->distance) {
        search->name = name;
        search->distance = distance;
    }
}
