/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * usage: forge_plan DB FORGED NANOSECONDS SHARE
 * Copies a database with other numbers in the plan by which it was compiled, an infinite time to
 * build, and control characters in its reason. The checksum is right.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "forged_fields.h"
#include "plan/record.h"
#include "seal.h"

enum { MOST_BYTES = 1 << 20 };

static void forge_times(trawl_plan_record *record, double nanoseconds) {
    for (size_t i = 0; i < TRAWL_PLAN_ENGINES; i++)
        record->nanoseconds[i] = nanoseconds;
    for (size_t i = 0; i < TRAWL_QGRAM_MAX_TIERS; i++)
        record->tier[i].nanoseconds = nanoseconds;
}

static void forge_shares(trawl_plan_record *record, double share) {
    record->match_ends = share;
    for (size_t i = 0; i < TRAWL_QGRAM_MAX_TIERS; i++)
        record->tier[i].pass = record->tier[i].look_ups = share;
}

int main(int count, char *arguments[]) {
    static _Alignas(TRAWL_IMAGE_ALIGNMENT) uint8_t block[MOST_BYTES];
    static const char controls[] = "\33[31m\a";
    if (count != 5)
        return 2;
    FILE *file = fopen(arguments[1], "rb");
    size_t size = file == NULL ? 0 : fread(block, 1, sizeof block, file);
    const trawl_section *plan =
        forged_section(block, size, TRAWL_SECTION_PLAN, 0, sizeof(trawl_plan_record));
    const trawl_section *reason =
        forged_section(block, size, TRAWL_SECTION_REASON, 0, sizeof controls);
    if (file == NULL || fclose(file) != 0 || plan == NULL || reason == NULL)
        return 1;
    trawl_plan_record *record = (trawl_plan_record *)(block + plan->offset);
    forge_times(record, strtod(arguments[3], NULL));
    forge_shares(record, strtod(arguments[4], NULL));
    ((trawl_image_header *)block)->build_seconds = INFINITY; /* a NaN is refused */
    memcpy(block + reason->offset, controls, sizeof controls - 1);
    seal_block(block, size);
    file = fopen(arguments[2], "wb");
    if (file == NULL || fwrite(block, 1, size, file) != size)
        return 1;
    return fclose(file) == 0 ? 0 : 1;
}
