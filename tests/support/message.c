/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool complain(const message *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to->text, to->size, format, arguments);
    va_end(arguments);
    return false;
}

void message_append(const message *to, const char *format, ...) {
    size_t used = strlen(to->text);
    va_list arguments;
    va_start(arguments, format);
    if (used < to->size)
        vsnprintf(to->text + used, to->size - used, format, arguments);
    va_end(arguments);
}
