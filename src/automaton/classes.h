/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Byte classes: bytes that no pattern tells apart share a column of a state's row. */
#ifndef TRAWL_AUTOMATON_CLASSES_H
#define TRAWL_AUTOMATON_CLASSES_H

#include "pattern/keys.h"

/* class_of[byte]: 0 for bytes in no pattern (when there are such), then ascending with the byte.
 * For folded keys, both cases of a letter have one class. */
typedef struct trawl_classes {
    uint8_t class_of[256];
    uint32_t count; /* 1 to 256 */
} trawl_classes;

void trawl_classes_make(const trawl_keys *keys, trawl_classes *classes);

#endif
