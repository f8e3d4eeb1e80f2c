/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl cat and folders whose files are forged: all checksums are right, but sizes and numbers are
 * as large as they can be. It must end with status 2, soon, and without memory for what is
 * declared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/parts/journal.h"
#include "cli/parts/lines.h"
#include "cli/scan/command.h"
#include "cli/scan/worker.h"
#include "sanitizers.h"

static char folder[] = "/tmp/trawl-forged.XXXXXX";

/* A folder with one text, one segment and one record. */
typedef struct forgery {
    parts_run run;
    parts_text texts[2];
    journal_record record;
    const void *result;
    size_t result_bytes; /* in the file part-0 */
} forgery;

static void begin(forgery *forged, uint64_t kind) {
    *forged = (forgery){
        .run = {.identity = {.kind = kind, .shard = 1, .shards = 1, .segment = 100}, .count = 1}};
    forged->run.texts = forged->texts;
    forged->texts[0] = forged->texts[1] = (parts_text){.name = folder, .bytes = 100};
    (void)snprintf(forged->run.version, sizeof forged->run.version, "%s", trawl_version());
}

static void write_file(const char *name, const void *bytes, size_t length) {
    char path[64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    if (length > 0) /* an empty file may come without bytes: NULL, which fwrite does not allow */
        assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static int cat(forgery *forged) {
    size_t length = 0;
    uint8_t *bytes = parts_run_write(&forged->run, &length);
    journal_record *record = &forged->record;
    record->run = parts_run_name(bytes, length);
    if (record->length == 0)
        record->length = forged->result_bytes;
    record->result = XXH3_64bits(forged->result, forged->result_bytes);
    record->checksum = XXH3_64bits(record, offsetof(journal_record, checksum));
    write_file("run", bytes, length);
    write_file("journal-0", record, sizeof *record);
    write_file("part-0", forged->result, forged->result_bytes);
    free(bytes);
    char output[64];
    (void)snprintf(output, sizeof output, "-o%s/output", folder);
    char *words[] = {"cat", output, folder, NULL};
    return trawl_command_cat(3, words);
}

static void what_is_sound_is_joined(void **state) {
    (void)state;
    forgery forged;
    begin(&forged, RECORD_MATCHES);
    forged.result = "a line\n";
    forged.result_bytes = 7;
    forged.record.matches = 1;
    assert_int_equal(cat(&forged), 0);
}

static void huge_texts(void **state) {
    (void)state;
    static const uint64_t sizes[] = {UINT64_C(1) << 40, UINT64_C(1) << 61, UINT64_C(1) << 63,
                                     UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        for (uint64_t segment = 1; segment != 0; segment <<= 21) {
            forgery forged;
            begin(&forged, RECORD_MATCHES);
            forged.texts[0].bytes = sizes[i];
            forged.run.identity.segment = segment;
            int one = cat(&forged);
            forged.run.count = 2;
            forged.texts[1].bytes = sizes[i];
            int two = cat(&forged);
            /* One segment of one text may be finished, of any size. */
            assert_true(one == 2 || (one == 1 && segment >= sizes[i]));
            assert_true(two == 2 || (two == 1 && segment / 2 >= sizes[i]));
        }
    }
}

static void many_shards(void **state) {
    (void)state;
    forgery forged;
    begin(&forged, RECORD_MATCHES);
    forged.run.identity.shards = PARTS_MOST_SHARDS;
    assert_int_equal(cat(&forged), 2);
    forged.run.identity.division = PARTS_PAPER;
    forged.run.identity.shard = 0;
    assert_int_equal(cat(&forged), 2);
}

static void huge_results(void **state) {
    (void)state;
    static const uint64_t lengths[] = {UINT64_C(1) << 33, UINT64_C(1) << 62, UINT64_MAX};
    static const uint64_t kinds[] = {RECORD_MATCHES, RECORD_COUNTS, RECORD_TOP, PARTS_LINES};
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 4; k++) {
            forgery forged;
            begin(&forged, kinds[k]);
            forged.record.length = lengths[i];
            assert_int_equal(cat(&forged), 2);
            forged.record.begin = UINT64_MAX;
            assert_int_equal(cat(&forged), 2);
        }
    }
}

static void rows_of_patterns(void **state) {
    (void)state;
    segment_row row = {.count = 1, .id = UINT32_MAX, .length = 0};
    forgery forged;
    begin(&forged, RECORD_TOP);
    forged.result = &row;
    forged.result_bytes = sizeof row;
    forged.record.matches = 1;
    assert_int_equal(cat(&forged), 0);
    row.length = UINT32_MAX;
    assert_int_equal(cat(&forged), 2);
    forged.result_bytes = sizeof row - 1;
    assert_int_equal(cat(&forged), 2);
}

static void items_of_lines(void **state) {
    (void)state;
    lines_item item = {0};
    forgery forged;
    for (uint32_t kind = 0; kind < 8; kind++) {
        for (uint64_t length = 1; length <= UINT32_MAX; length = 2 * length + 1) {
            item = (lines_item){.kind = kind, .length = (uint32_t)length};
            begin(&forged, PARTS_LINES);
            forged.result = &item;
            forged.result_bytes = sizeof item;
            int status = cat(&forged);
            /* A number of a line is complete in itself. */
            assert_true(status == 2 || (kind == LINES_NUMBER && length <= 64 && status == 1));
        }
    }
}

static int make_folder(void **state) {
    (void)state;
    struct rlimit limit = {.rlim_cur = 256 << 20, .rlim_max = RLIM_INFINITY};
    if (!TESTS_ARE_SANITIZED) /* sanitizers reserve more address space */
        (void)setrlimit(RLIMIT_AS, &limit);
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"run", "journal-0", "part-0", "output"};
    char path[64];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sound_is_joined),
        cmocka_unit_test(huge_texts),
        cmocka_unit_test(many_shards),
        cmocka_unit_test(huge_results),
        cmocka_unit_test(rows_of_patterns),
        cmocka_unit_test(items_of_lines),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
