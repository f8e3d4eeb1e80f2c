/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Texts in compressed formats that trawl does not decompress. */
#ifndef CLI_BASE_COMPRESSED_H
#define CLI_BASE_COMPRESSED_H

#include "io/text_file.h"

/* Prints a note on standard error if the file, which has just been opened, seems to be of such a
 * format: one note in a process. Any thread may call this function. */
void note_compressed(const char *path, const text_file *file);

#endif
