/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Byte classes. Bytes that are in no key are one class, since they lead every state to the same
 * next state; each other byte is a class of its own. A state's row needs a column for each class
 * instead of 256. */
#ifndef TRAWL_AUTOMATON_CLASSES_H
#define TRAWL_AUTOMATON_CLASSES_H

#include "pattern/keys.h"

/* class_of[byte]: 0 for bytes in no key, if there are any; the other classes ascend with the bytes.
 * With folded keys both cases of a letter have one class. */
typedef struct trawl_classes {
    uint8_t class_of[256];
    uint32_t count; /* 1 to 256 */
} trawl_classes;

/* Makes the classes of these keys. */
void trawl_classes_make(const trawl_keys *keys, trawl_classes *classes);

/* Each byte is a class: 256 of them. With folded keys a capital has the class of its small letter.
 */
void trawl_classes_of_bytes(const trawl_keys *keys, trawl_classes *classes);

#endif
