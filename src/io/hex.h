/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TRAWL_IO_HEX_H
#define TRAWL_IO_HEX_H

#include <stdint.h>

/* The value of a hexadecimal digit in either letter case; -1: the byte is none. */
static inline int hex_value(uint8_t digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    digit |= 0x20;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

#endif
