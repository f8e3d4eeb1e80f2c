/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a check found wrong, and what it did, as text for the message of the test that fails. */
#ifndef TRAWL_TESTS_MESSAGE_H
#define TRAWL_TESTS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The caller's memory for a string. What does not fit is cut off. */
typedef struct message {
    char *text;
    size_t size;
} message;

/* Writes a complaint over what is there. Returns false, the result of the check. */
bool complain(const message *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes behind what is there. */
void message_append(const message *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
