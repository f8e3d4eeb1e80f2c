/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Functions for the files of a folder. */
#ifndef CLI_PARTS_FILES_H
#define CLI_PARTS_FILES_H

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

/* Writes all bytes, and adds those that were written to *written, also on failure. 0, or an errno
 * value. */
int parts_write_all(int descriptor, const void *bytes, size_t length, uint64_t *written);

/* Writes the entries of a folder to the disk. 0, or an errno value. */
int parts_sync_folder(const char *folder);

/* One more than the greatest number of a part or a journal in the folder, 0 if there is none; -1
 * after reporting that the folder cannot be read. */
long parts_count_writers(const char *folder);

#endif
