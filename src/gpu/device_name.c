/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "gpu/devices.h"
#include "gpu/module.h"

/* Bytes of a text for each GPU that "auto" takes beside the first. Starting one more GPU takes at
 * most 0.3 s (0.16 to 0.2 s for an H200 alone, docs/notebook/2026-11-several-gpus.md); in this time
 * a GPU that runs already scans 16 GiB, at the 55 GB/s of its link. */
#define AUTO_LEAST_BYTES ((uint64_t)16 << 30)

/* Bytes of a text for each GPU that is named and takes part beside the first: four segments of 32
 * MiB, one for each slot (run/gpu/transfer/tuning.h), so that copying and scanning overlap. */
#define NAMED_LEAST_BYTES ((uint64_t)128 << 20)

/* Reads a number of at most four digits; NULL if there is none. */
static const char *read_number(const char *text, uint32_t *number) {
    size_t digits = strspn(text, "0123456789");
    *number = 0;
    if (digits == 0 || digits > 4) {
        return NULL;
    }
    for (size_t i = 0; i < digits; i++) {
        *number = *number * 10 + (uint32_t)(text[i] - '0');
    }
    return text + digits;
}

/* Reads "N" or "N-M" into the set; NULL if it is neither or does not fit. */
static const char *read_item(const char *text, trawl_device_set *set) {
    uint32_t first, last;
    text = read_number(text, &first);
    last = first;
    if (text != NULL && *text == '-') {
        text = read_number(text + 1, &last);
    }
    if (text == NULL || last < first || last - first >= TRAWL_MOST_DEVICES - set->count) {
        return NULL;
    }
    for (uint32_t number = first; number <= last; number++) {
        set->number[set->count++] = (uint16_t)number;
    }
    return text;
}

bool trawl_cuda_devices_read(const char *name, trawl_device_set *set) {
    memset(set, 0, sizeof *set);
    set->least_bytes = NAMED_LEAST_BYTES;
    if (strcmp(name, "auto") == 0 || strcmp(name, "cuda:auto") == 0) {
        set->shared = set->all = true;
        set->least_bytes = AUTO_LEAST_BYTES;
        return true;
    }
    if (strcmp(name, "cuda:all") == 0) {
        set->shared = set->all = true;
        return true;
    }
    if (strncmp(name, "cuda", 4) != 0) {
        return false;
    }
    if (name[4] == '\0') {
        set->count = 1;
        return true;
    }
    const char *text = name[4] == ':' ? name + 4 : NULL;
    bool listed = false;
    do {
        text = text == NULL ? NULL : read_item(text + 1, set);
        listed = listed || (text != NULL && *text == ',');
    } while (text != NULL && *text == ',');
    set->shared = listed || set->count > 1;
    return text != NULL && *text == '\0';
}

void trawl_cuda_devices_name(const trawl_device_set *set, char *name, size_t size) {
    size_t used = (size_t)snprintf(name, size, "cuda:");
    for (uint32_t i = 0; i < set->count && used < size;) {
        char item[16];
        uint32_t last = i;
        while (last + 1 < set->count && set->number[last + 1] == set->number[last] + 1) {
            last++;
        }
        int length = last == i ? snprintf(item, sizeof item, "%s%u", i == 0 ? "" : ",",
                                          (unsigned)set->number[i])
                               : snprintf(item, sizeof item, "%s%u-%u", i == 0 ? "" : ",",
                                          (unsigned)set->number[i], (unsigned)set->number[last]);
        bool more = last + 1 < set->count;
        if (used + (size_t)length + (more ? 4 : 1) > size) {
            (void)snprintf(name + used, size - used, "...");
            return;
        }
        used += (size_t)snprintf(name + used, size - used, "%s", item);
        i = last + 1;
    }
}

bool trawl_cuda_device_number(const char *name, uint32_t *number) {
    trawl_device_set set;
    bool known = trawl_cuda_devices_read(name, &set) && !set.shared;
    *number = set.number[0];
    return known;
}

bool trawl_cuda_planned_device(const char *name, uint32_t *number) {
    trawl_device_set set;
    bool known = trawl_cuda_devices_read(name, &set) && strcmp(name, "auto") != 0;
    *number = set.number[0];
    return known;
}
