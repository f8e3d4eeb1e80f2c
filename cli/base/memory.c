/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"

void *allocate(size_t bytes) {
    return reallocate(NULL, bytes);
}

void *reallocate(void *memory, size_t bytes) {
    void *grown = realloc(memory, bytes == 0 ? 1 : bytes);
    if (grown == NULL) {
        report("out of memory: %zu bytes are not available", bytes);
        exit(EXIT_ERROR);
    }
    return grown;
}

void *allocate_zeros(size_t bytes) {
    void *memory = calloc(bytes == 0 ? 1 : bytes, 1);
    if (memory == NULL)
        memory_exhausted();
    return memory;
}

_Noreturn void memory_exhausted(void) {
    report("out of memory");
    exit(EXIT_ERROR);
}

char *string_copy(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(allocate(size), text, size);
}

void string_list_add(string_list *list, const char *item) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 8 : list->capacity * 2;
        list->items = reallocate(list->items, list->capacity * sizeof *list->items);
    }
    list->items[list->count++] = item;
}
