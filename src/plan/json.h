/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Writes JSON into memory that grows. */
#ifndef TRAWL_PLAN_JSON_H
#define TRAWL_PLAN_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins as {0}. Members of objects have a name; elements of arrays have NULL instead. */
typedef struct trawl_json {
    char *text;
    size_t length, capacity;
    size_t needed; /* bytes that could not be allocated; 0: none */
    bool follows;  /* the next value needs a comma before it */
} trawl_json;

/* `bracket`: '{' or '[', and '}' or ']'. */
void trawl_json_open(trawl_json *json, const char *name, char bracket);
void trawl_json_close(trawl_json *json, char bracket);

/* Bytes of `text` that are not ASCII are taken for UTF-8. */
void trawl_json_text(trawl_json *json, const char *name, const char *text);
void trawl_json_integer(trawl_json *json, const char *name, uint64_t value);

/* Six digits; values that JSON cannot have (infinity) become null. */
void trawl_json_number(trawl_json *json, const char *name, double value);
void trawl_json_null(trawl_json *json, const char *name);

/* The text, ended by NUL, which the caller frees with trawl_release; NULL when there was no memory
 * for it. */
char *trawl_json_finish(trawl_json *json);

#endif
