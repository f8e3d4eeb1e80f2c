/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "automaton/classes.h"

#include <string.h>

#include "base/fold.h"

void trawl_classes_make(const trawl_keys *keys, trawl_classes *classes) {
    bool used[256] = {false};
    uint64_t total = trawl_keys_bytes(keys);
    for (uint64_t i = 0; i < total; i++) {
        used[keys->bytes[i]] = true;
    }
    unsigned distinct = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        distinct += used[byte];
    }
    memset(classes, 0, sizeof *classes);
    unsigned next = distinct == 256 ? 0 : 1; /* class 0 stands for all unused bytes */
    for (unsigned byte = 0; byte < 256; byte++) {
        if (used[byte]) {
            classes->class_of[byte] = (uint8_t)next++;
        }
    }
    classes->count = next;
    if (keys->folded) {
        for (unsigned byte = 'A'; byte <= 'Z'; byte++) {
            classes->class_of[byte] = classes->class_of[trawl_fold((uint8_t)byte)];
        }
    }
}

void trawl_classes_of_bytes(const trawl_keys *keys, trawl_classes *classes) {
    classes->count = 256;
    for (unsigned byte = 0; byte < 256; byte++) {
        classes->class_of[byte] = keys->folded ? trawl_fold((uint8_t)byte) : (uint8_t)byte;
    }
}
