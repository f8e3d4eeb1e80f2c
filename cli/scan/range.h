/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scans a part of a text: the matches whose last byte is there. */
#ifndef CLI_SCAN_RANGE_H
#define CLI_SCAN_RANGE_H

#include "cli/scan/text.h"
#include "cli/scan/texts.h"

/* The bytes [first, last) of a text that scanning a range of it needs. */
typedef struct text_context {
    uint64_t first;
    uint64_t last;
} text_context;

/* Those for bytes [begin, end) of a text of `size` bytes. */
text_context text_scanner_context(const text_scanner *scanner, uint64_t begin, uint64_t end,
                                  uint64_t size);

/* As text_scanner_run, for the matches of a text whose last byte is in [begin, end), and a text in
 * memory: `bytes`, not NULL, are those of the context. Offsets are those in the whole text. Any
 * kind of matches if the range is all of the text, else all matches (TRAWL_MATCH_ALL). */
void text_scanner_run_loaded(text_scanner *scanner, const char *path, const uint8_t *bytes,
                             uint64_t begin, uint64_t end, const text_context *context,
                             text_result *result);

/* Scans a text, or the range of it that the entry names. */
void scan_entry_run(text_scanner *scanner, const scan_entry *entry, text_result *result);

#endif
