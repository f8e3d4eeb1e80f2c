/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "index/suffix_sort.h"

#include <string.h>

#include "base/allocate.h"

/* The recursion is as deep as the length can be halved: at most 63 times. */
#define SORT_TEXT int32_t
#define SORT_INDEX int32_t
#define SORT_NAMED(name) narrow_##name
#define SORT_DEEPER narrow_sort
#include "index/suffix_sort_template.h"

#define SORT_TEXT uint16_t
#define SORT_INDEX int32_t
#define SORT_NAMED(name) narrow_bytes_##name
#define SORT_DEEPER narrow_sort
#include "index/suffix_sort_template.h"

#define SORT_TEXT int64_t
#define SORT_INDEX int64_t
#define SORT_NAMED(name) wide_##name
#define SORT_DEEPER wide_sort
#include "index/suffix_sort_template.h"

#define SORT_TEXT uint16_t
#define SORT_INDEX int64_t
#define SORT_NAMED(name) wide_bytes_##name
#define SORT_DEEPER wide_sort
#include "index/suffix_sort_template.h"

bool trawl_suffix_sort_narrow(const uint16_t *text, size_t length, int32_t *suffixes) {
    return narrow_bytes_sort(text, (int32_t)length, TRAWL_SUFFIX_SYMBOLS, suffixes,
                             (int32_t)length + TRAWL_SUFFIX_SLACK);
}

bool trawl_suffix_sort_wide(const uint16_t *text, size_t length, int64_t *suffixes) {
    return wide_bytes_sort(text, (int64_t)length, TRAWL_SUFFIX_SYMBOLS, suffixes,
                           (int64_t)length + TRAWL_SUFFIX_SLACK);
}
