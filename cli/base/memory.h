/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Memory of the command, and lists of strings in it. */
#ifndef CLI_BASE_MEMORY_H
#define CLI_BASE_MEMORY_H

#include <stddef.h>

/* Both report a failure and end the process with status 2. The caller frees the memory. */
void *allocate(size_t bytes) __attribute__((returns_nonnull));
void *reallocate(void *memory, size_t bytes) __attribute__((returns_nonnull));

/* A growing list of borrowed strings; start with zeros, end with free(list.items). */
typedef struct string_list {
    const char **items;
    size_t count;
    size_t capacity;
} string_list;
void string_list_add(string_list *list, const char *item);

#endif
