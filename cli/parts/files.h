/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Functions for the files of a folder. */
#ifndef CLI_PARTS_FILES_H
#define CLI_PARTS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FOLDER/NAME, and FOLDER/NAMENUMBER. The caller frees them. */
char *parts_path(const char *folder, const char *name);
char *parts_numbered(const char *folder, const char *name, unsigned number);

/* Opens a regular file by flags of open(2); -1 after reporting. A file that is written must not be
 * a symbolic link. */
int parts_open(const char *path, int flags);

/* All bytes of a file, which has at most `most`; NULL after reporting. The caller frees them. */
uint8_t *parts_read_file(const char *path, uint64_t most, size_t *length);

/* Reads exactly `length` bytes from `offset` on: 0, an errno value, or -1 if the file is shorter.
 */
int parts_read_at(int descriptor, uint64_t offset, void *buffer, size_t length);

/* Writes the entries of a folder to the disk. 0, or an errno value. */
int parts_sync_folder(const char *folder);

/* Numbers of writers are smaller: memory for all of them is certainly there. */
enum { PARTS_MOST_WRITERS = 1 << 20 };

/* The writers that have left files in a folder: part-NUMBER and journal-NUMBER. */
typedef struct parts_writers {
    unsigned count;     /* one more than the greatest number; 0: there are none */
    unsigned *journals; /* the numbers that have a journal, ascending */
    size_t journal_count;
} parts_writers;

/* Finds the writers. False after reporting that the folder cannot be read, or has a file whose
 * number is too large. Release them unless it fails. */
bool parts_find_writers(const char *folder, parts_writers *writers);
void parts_release_writers(parts_writers *writers);

#endif
