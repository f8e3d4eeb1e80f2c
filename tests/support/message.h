/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Text for the message of a test that fails: what a check found wrong, and what it did. */
#ifndef TRAWL_TESTS_MESSAGE_H
#define TRAWL_TESTS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The caller's memory for a string. What does not fit is cut off. */
typedef struct message {
    char *text;
    size_t size;
} message;

/* Replaces the text by a complaint. Returns false, the result of the check. */
bool complain(const message *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends to the text. */
void message_append(const message *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
