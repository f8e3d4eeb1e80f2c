/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The 33 patterns of Zha & Sahni 2011, as far as they can be known. The paper says: 33 patterns of
 * the file carver Scalpel, the longest of 17 bytes. Scalpel's list (version 1.60) has that many if
 * one takes, in the order of the file, each distinct header or footer of four bytes or more without
 * wildcards up to PK\x03\x04, and leaves the longest, -----BEGIN\040PGP, as it is written there:
 * 17 bytes, 14 if the escape is decoded.
 */
#ifndef CLI_REPRODUCE_HEADERS_H
#define CLI_REPRODUCE_HEADERS_H

#include <stddef.h>

enum { FILE_HEADERS = 33 };

typedef struct file_header {
    const char *bytes;
    size_t length;
} file_header;

extern const file_header file_headers[FILE_HEADERS];

#endif
