/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/parts/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "io/text_file.h"

/* Reads all of a file; up to a NUL byte if names do not end in one. NULL after reporting. The size
 * is limited, as a device, which is no list, may have no end. */
static char *read_all(const char *path, char separator, size_t *length) {
    enum { MOST = 1 << 30 };
    text_file *file = NULL;
    trawl_error error;
    if (text_file_open(path, TEXT_DECOMPRESS, &file, &error) != TRAWL_OK) {
        report("--files-from: %s", error.message);
        return NULL;
    }
    size_t capacity = 1 << 16;
    char *bytes = allocate(capacity);
    size_t got = 0;
    *length = 0;
    trawl_status status = TRAWL_OK;
    bool is_list = true;
    do {
        if (*length == capacity) {
            capacity *= 2;
            bytes = reallocate(bytes, capacity);
        }
        status = text_file_fill(file, bytes + *length, capacity - *length, &got, &error);
        is_list = separator == '\0' || memchr(bytes + *length, '\0', got) == NULL;
        *length += got;
    } while (status == TRAWL_OK && is_list && *length == capacity && capacity < MOST);
    text_file_close(file);
    if (status == TRAWL_OK && *length < MOST)
        return bytes;
    if (status == TRAWL_OK)
        report("--files-from: %s: more than %d bytes of names", path, MOST);
    else
        report("--files-from: %s", error.message);
    free(bytes);
    return NULL;
}

bool text_list_read(text_list *list, const char *path, char separator) {
    *list = (text_list){0};
    size_t length = 0;
    char *bytes = read_all(path, separator, &length);
    if (bytes == NULL)
        return false;
    list->bytes = reallocate(bytes, length + 1);
    list->bytes[length] = separator;
    uint64_t line = 0;
    string_list names = {0};
    for (char *at = list->bytes; at < list->bytes + length;) {
        char *end = memchr(at, separator, (size_t)(list->bytes + length + 1 - at));
        line++;
        if (separator != '\0' && memchr(at, '\0', (size_t)(end - at)) != NULL) {
            report("%s:%" PRIu64 ": a name has a NUL byte; expected a name a line, or use "
                   "--files0-from",
                   path, line);
            free(names.items);
            return false;
        }
        *end = '\0';
        if (end > at)
            string_list_add(&names, at);
        at = end + 1;
    }
    list->names = names.items;
    list->count = names.count;
    return true;
}

void text_list_release(text_list *list) {
    free(list->bytes);
    free(list->names);
    *list = (text_list){0};
}
