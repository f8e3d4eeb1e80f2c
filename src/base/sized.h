/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Structures of the public headers that begin with their size, so that programs and libraries of
 * different versions work together. Here `known` is the size that this library knows. */
#ifndef TRAWL_BASE_SIZED_H
#define TRAWL_BASE_SIZED_H

#include "base/status.h"

/* TRAWL_ERROR_ARGUMENT if the size at the beginning of *given is too small for itself, with a
 * sentence that names the structure (`what`) and the macro that initialises it. */
trawl_status trawl_sized_check(const void *given, const char *what, const char *macro,
                               trawl_error *error);

/* Copies the caller's structure *given, which passed the check, into *read. Members that the caller
 * does not know become 0. */
void trawl_sized_read(void *read, const void *given, size_t known);

/* Copies *known_values into the caller's structure *given, which passed the check: as many bytes as
 * the caller has. Members that the library does not know become 0. The caller's size stays. */
void trawl_sized_write(void *given, const void *known_values, size_t known);

/* The size at the beginning of a structure. */
size_t trawl_sized_size(const void *given);

#endif
