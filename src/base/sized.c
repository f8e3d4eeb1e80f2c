/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/sized.h"

#include <string.h>

size_t trawl_sized_size(const void *given) {
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

trawl_status trawl_sized_check(const void *given, const char *what, const char *macro,
                               trawl_error *error) {
    size_t size = trawl_sized_size(given);
    return size >= sizeof size
               ? TRAWL_OK
               : trawl_fail(error, TRAWL_ERROR_ARGUMENT, "%s: size is %zu; initialise it with %s",
                            what, size, macro);
}

void trawl_sized_read(void *read, const void *given, size_t known) {
    size_t size = trawl_sized_size(given);
    memset(read, 0, known);
    memcpy(read, given, size < known ? size : known);
    memcpy(read, &known, sizeof known);
}

void trawl_sized_write(void *given, const void *known_values, size_t known) {
    size_t size = trawl_sized_size(given);
    memset(given, 0, size);
    memcpy(given, known_values, size < known ? size : known);
    memcpy(given, &size, sizeof size);
}
