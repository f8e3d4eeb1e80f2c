/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A text in memory. */
#ifndef CLI_BASE_MEMORY_TEXT_H
#define CLI_BASE_MEMORY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/base/memory.h"

typedef struct memory_text {
    uint8_t *bytes;
    size_t length;
} memory_text;

/* Reads and joins files, decompressed, up to `limit` bytes. No path, or "-", is standard input.
 * False after reporting, also if there is no byte. The caller frees text->bytes in any case. */
bool memory_text_read(const string_list *paths, uint64_t limit, memory_text *text);

#endif
