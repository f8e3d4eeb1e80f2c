/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "gpu/module.h"

bool trawl_cuda_device_number(const char *name, uint32_t *number) {
    *number = 0;
    if (strncmp(name, "cuda", 4) != 0) {
        return false;
    }
    if (name[4] == '\0') {
        return true;
    }
    size_t digits = name[4] == ':' ? strspn(name + 5, "0123456789") : 0;
    if (digits == 0 || digits > 4 || name[5 + digits] != '\0') {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        *number = *number * 10 + (uint32_t)(name[5 + i] - '0');
    }
    return true;
}
