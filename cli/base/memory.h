/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Memory allocation that cannot fail, and lists of strings. */
#ifndef CLI_BASE_MEMORY_H
#define CLI_BASE_MEMORY_H

#include <stddef.h>

/* As malloc and realloc, but out of memory they report that and end the process with status 2. */
void *allocate(size_t bytes) __attribute__((returns_nonnull));
void *reallocate(void *memory, size_t bytes) __attribute__((returns_nonnull));

/* As calloc: all bytes are 0. */
void *allocate_zeros(size_t bytes) __attribute__((returns_nonnull));

/* Ends the process as they do. */
_Noreturn void memory_exhausted(void);

/* A copy of a string. The caller frees it. */
char *string_copy(const char *text) __attribute__((returns_nonnull));

/* A growing list of strings, which it does not own. Begins as zeros; ends with free(list.items). */
typedef struct string_list {
    const char **items;
    size_t count;
    size_t capacity;
} string_list;
void string_list_add(string_list *list, const char *item);

#endif
