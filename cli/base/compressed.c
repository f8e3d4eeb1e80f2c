/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/compressed.h"

#include <stdatomic.h>

#include "cli/base/names.h"
#include "cli/base/report.h"

void note_compressed(const char *path, const text_file *file) {
    static atomic_flag noted = ATOMIC_FLAG_INIT;
    const char *format = text_file_foreign_format(file);
    if (format == NULL || atomic_flag_test_and_set(&noted))
        return;
    report("note: text %s: looks like %s, which trawl does not decompress; its bytes are taken as "
           "they are stored",
           name_in_message(path), format);
}
