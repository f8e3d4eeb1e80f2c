/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The files of one writer. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/parts/files.h"
#include "cli/parts/journal.h"
#include "io/output_file.h"

static bool fail(part_writer *writer, const char *path) {
    report("%s: %s", path, strerror(errno));
    writer->failed = true;
    return false;
}

/* The same, and the segment under way gives back its room on the disk, which may be full. */
static bool fail_segment(part_writer *writer, const char *path) {
    (void)fail(writer, path);
    if (ftruncate(writer->part, (off_t)writer->begin) == 0)
        writer->end = writer->begin;
    return false;
}

/* Opens a file to append to it behind its first `end` bytes. Sets *made if it was not there. */
static int open_at(part_writer *writer, const char *path, uint64_t end, bool *made) {
    *made = *made || access(path, F_OK) != 0;
    int descriptor = parts_open(path, O_RDWR | O_CREAT);
    off_t size = descriptor < 0 ? -1 : lseek(descriptor, 0, SEEK_END);
    if (descriptor < 0) {
        writer->failed = true;
    } else if (size >= 0 && (uint64_t)size < end) {
        report("%s: is shorter than its journal says", path);
        writer->failed = true;
    } else if (size < 0 || ftruncate(descriptor, (off_t)end) != 0 ||
               lseek(descriptor, (off_t)end, SEEK_SET) < 0) {
        (void)fail(writer, path);
    }
    return descriptor;
}

bool part_writer_open(part_writer *writer, const parts_journal *journal, unsigned number) {
    bool known = number < journal->writers;
    uint64_t end = known ? journal->ends[number] : 0;
    *writer = (part_writer){.journal = journal, .records = -1, .begin = end, .end = end};
    writer->part_path = parts_numbered(journal->folder, "part-", number);
    writer->journal_path = parts_numbered(journal->folder, "journal-", number);
    bool made = false;
    writer->part = open_at(writer, writer->part_path, end, &made);
    if (!writer->failed)
        writer->records =
            open_at(writer, writer->journal_path, known ? journal->journal_ends[number] : 0, &made);
    writer->state = XXH3_createState();
    if (writer->state == NULL)
        (void)allocate(SIZE_MAX); /* reports that memory is out */
    (void)XXH3_64bits_reset(writer->state);
    /* Also for a known number: files of a larger one make it known. */
    if (!writer->failed && made) {
        errno = parts_sync_folder(journal->folder);
        if (errno != 0)
            (void)fail(writer, journal->folder);
    }
    return !writer->failed;
}

bool part_writer_put(part_writer *writer, const void *bytes, size_t length) {
    if (writer->failed)
        return false;
    (void)XXH3_64bits_update(writer->state, bytes, length);
    errno = output_write_all(writer->part, bytes, length, &writer->end);
    return errno == 0 || fail_segment(writer, writer->part_path);
}

/* Removes the first `written` bytes of a record that could not be written whole. Keeps errno. */
static void cut_record(const part_writer *writer, uint64_t written) {
    const int code = errno;
    const off_t at = lseek(writer->records, 0, SEEK_CUR);
    if (at >= 0 && ftruncate(writer->records, at - (off_t)written) != 0)
        report("%s: %s", writer->journal_path, strerror(errno));
    errno = code;
}

bool part_writer_finish(part_writer *writer, size_t segment, uint64_t matches, uint64_t bytes) {
    if (writer->failed)
        return false;
    journal_record record = {.run = writer->journal->name,
                             .segment = segment,
                             .begin = writer->begin,
                             .length = writer->end - writer->begin,
                             .result = XXH3_64bits_digest(writer->state),
                             .matches = matches,
                             .bytes = bytes};
    record.checksum = XXH3_64bits(&record, offsetof(journal_record, checksum));
    if (record.length != 0 && fdatasync(writer->part) != 0)
        return fail_segment(writer, writer->part_path);
    uint64_t written = 0;
    errno = output_write_all(writer->records, &record, sizeof record, &written);
    if (errno != 0) {
        cut_record(writer, written);
        return fail_segment(writer, writer->journal_path);
    }
    if (fdatasync(writer->records) != 0)
        return fail(writer, writer->journal_path); /* the record may be there: so must the result */
    writer->begin = writer->end;
    (void)XXH3_64bits_reset(writer->state);
    return true;
}

bool part_writer_drop(part_writer *writer) {
    (void)XXH3_64bits_reset(writer->state);
    if (writer->failed || writer->begin == writer->end)
        return !writer->failed;
    writer->end = writer->begin;
    if (ftruncate(writer->part, (off_t)writer->end) != 0 ||
        lseek(writer->part, (off_t)writer->end, SEEK_SET) < 0)
        return fail(writer, writer->part_path);
    return true;
}

void part_writer_close(part_writer *writer) {
    if (writer->part >= 0)
        (void)close(writer->part);
    if (writer->records >= 0)
        (void)close(writer->records);
    (void)XXH3_freeState(writer->state);
    free(writer->part_path);
    free(writer->journal_path);
    *writer = (part_writer){.part = -1, .records = -1};
}
