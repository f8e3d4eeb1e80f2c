/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "plan/record.h"

const trawl_plan_record *trawl_plan_record_of(const trawl_db *db) {
    uint64_t size = 0;
    const trawl_plan_record *record = trawl_db_section(db, TRAWL_SECTION_PLAN, 0, &size);
    return size == sizeof *record ? record : NULL;
}

const trawl_device_record *trawl_device_record_of(const trawl_db *db) {
    uint64_t size = 0;
    const trawl_device_record *record = trawl_db_section(db, TRAWL_SECTION_DEVICE_PLAN, 0, &size);
    return size == sizeof *record && record->chosen < TRAWL_DEVICE_WAYS &&
                   record->tiers <= TRAWL_DEVICE_MOST_TIERS
               ? record
               : NULL;
}
