/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The folder: its lock, the description of the run, the records of all writers. */
#include "cli/parts/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/parts/files.h"
#include "cli/parts/segments.h"
#include "io/output_file.h"

enum {
    MOST_SEGMENTS = 1 << 26,
    MOST_RUN_BYTES = 1 << 30 /* of the file `run`: ten million names of texts */
};

static bool fail(const char *path, int error) {
    report("%s: %s", path, strerror(error));
    return false;
}

/* ------------------------------------------------------------------ the folder */

/* Writes the entry of a new folder in the one above to the disk: else all of the scan may be gone
 * when the machine stops. Returns 0 or the error. */
static int sync_above(const char *path) {
    char *above = string_copy(path);
    char *slash = strrchr(above, '/');
    if (slash != NULL)
        slash[slash == above ? 1 : 0] = '\0';
    int error = parts_sync_folder(slash == NULL ? "." : above);
    free(above);
    return error == EACCES ? 0 : error; /* a folder may be written to that cannot be read */
}

/* Makes one folder if it is missing. Returns 0 or the error. */
static int make_one(const char *path) {
    if (mkdir(path, 0777) == 0)
        return sync_above(path);
    return errno == EEXIST ? 0 : errno;
}

/* Makes the folder `path`, and those above it, if it is missing. */
static bool make_folder(const char *path) {
    char *folder = string_copy(path);
    bool made = true;
    for (char *at = folder + 1; made; at++) {
        char here = *at;
        if (here != '/' && here != '\0')
            continue;
        *at = '\0';
        int error = make_one(folder);
        made = error == 0 || fail(folder, error);
        *at = here;
        if (here == '\0')
            break;
    }
    free(folder);
    return made;
}

bool journal_exists(const char *folder) {
    char *path = parts_path(folder, "run");
    struct stat information;
    bool exists = stat(path, &information) == 0;
    free(path);
    return exists;
}

/* Takes the lock in a mode of flock, and opens its file before if that has not been done. */
static bool take_lock(parts_journal *journal, int mode) {
    char *path = parts_path(journal->folder, "lock");
    bool taken = false;
    struct stat information;
    if (stat(journal->folder, &information) == 0 && !S_ISDIR(information.st_mode))
        report("%s: expected a folder for the journal, found a file", journal->folder);
    else if (journal->lock < 0 && (journal->lock = parts_open(path, O_RDWR | O_CREAT)) < 0)
        taken = false; /* it was reported */
    else if (flock(journal->lock, mode | LOCK_NB) == 0)
        taken = true;
    else if (errno == EWOULDBLOCK)
        report("%s: another scan writes to this folder", journal->folder);
    else
        (void)fail(path, errno);
    free(path);
    return taken;
}

bool journal_share_lock(parts_journal *journal) {
    return take_lock(journal, LOCK_SH);
}

/* Writes the file `run`. */
static bool write_run(const parts_journal *journal, const uint8_t *bytes, size_t length) {
    char *path = parts_path(journal->folder, "run");
    output_file *file = NULL;
    trawl_error error;
    trawl_status status = output_file_open(path, &file, &error);
    if (status == TRAWL_OK) {
        output_file_write(file, bytes, length);
        status = output_file_close(file, &error);
    }
    if (status != TRAWL_OK)
        (void)report_error(&error);
    int unsynced = status == TRAWL_OK ? parts_sync_folder(journal->folder) : 0;
    if (unsynced != 0)
        (void)fail(journal->folder, unsynced);
    free(path);
    return status == TRAWL_OK && unsynced == 0;
}

/* Reads the file `run` of the folder. */
static bool read_run(parts_journal *journal, parts_run *run) {
    char *path = parts_path(journal->folder, "run");
    size_t length = 0;
    uint8_t *bytes = parts_read_file(path, MOST_RUN_BYTES, &length);
    bool read = bytes != NULL && parts_run_read(run, bytes, length, path);
    if (read)
        journal->name = parts_run_name(bytes, length);
    free(bytes);
    free(path);
    return read;
}

static bool continue_run(parts_journal *journal) {
    parts_run found = {0};
    bool same = read_run(journal, &found);
    if (same && journal->run.identity.segment == 0)
        journal->run.identity.segment = found.identity.segment;
    /* Which texts are whole depends on the bytes of a segment, and was decided then. */
    for (size_t i = 0; same && i < found.count && i < journal->run.count; i++)
        journal->run.texts[i].whole = found.texts[i].whole;
    same = same && parts_run_same(&found, &journal->run, journal->folder, true);
    parts_run_release(&found);
    return same;
}

/* Whether the number of segments is so small that memory for their places is certainly there. */
static bool has_few_segments(const parts_journal *journal) {
    uint64_t segments = segments_at_least(&journal->run);
    if (segments <= MOST_SEGMENTS)
        return true;
    report("%s: %" PRIu64 " segments or more; expected at most %d: give a larger --journal-segment",
           journal->folder, segments, MOST_SEGMENTS);
    return false;
}

static bool begin_run(parts_journal *journal) {
    parts_writers writers;
    if (!parts_find_writers(journal->folder, &writers))
        return false;
    unsigned count = writers.count;
    parts_release_writers(&writers);
    if (count != 0) {
        report("%s: has parts of a scan but no file 'run'; take another folder", journal->folder);
        return false;
    }
    size_t length = 0;
    if (!segments_mark_whole(&journal->run))
        return false;
    uint8_t *bytes = parts_run_write(&journal->run, &length);
    journal->name = parts_run_name(bytes, length);
    bool written = length <= MOST_RUN_BYTES && write_run(journal, bytes, length);
    if (length > MOST_RUN_BYTES)
        report("%s: the names of the texts have more than %d bytes; take several folders",
               journal->folder, MOST_RUN_BYTES);
    free(bytes);
    return written;
}

bool journal_open(parts_journal *journal, const char *folder, journal_use use, parts_run *run,
                  uint64_t segment) {
    *journal = (parts_journal){.folder = string_copy(folder), .lock = -1};
    if (use == JOURNAL_READ)
        return read_run(journal, &journal->run);
    journal->run = *run;
    *run = (parts_run){0};
    if (!make_folder(folder) || !take_lock(journal, LOCK_EX))
        return false;
    bool exists = journal_exists(folder);
    if (exists && use == JOURNAL_BEGIN) {
        report("%s: has a scan already; --resume continues it, another folder begins anew", folder);
        return false;
    }
    if (journal->run.identity.segment == 0 && !exists)
        journal->run.identity.segment = segment;
    return exists ? continue_run(journal) : has_few_segments(journal) && begin_run(journal);
}

uint64_t journal_matches(const parts_journal *journal) {
    uint64_t matches = 0;
    for (size_t i = 0; i < journal->segments; i++)
        matches += journal->places[i].record.matches;
    return matches;
}

void journal_close(parts_journal *journal) {
    if (journal->lock >= 0)
        (void)close(journal->lock);
    parts_run_release(&journal->run);
    free(journal->places);
    free(journal->ends);
    free(journal->journal_ends);
    free(journal->folder);
    *journal = (parts_journal){.lock = -1};
}

/* ------------------------------------------------------------------ records */

static bool is_damaged(const char *path, size_t record, const char *why) {
    report("%s: record %zu is damaged: %s", path, record, why);
    return false;
}

/* Takes one record of a writer. False after reporting. */
static bool take_record(parts_journal *journal, unsigned writer, const journal_record *record,
                        const char *path, size_t number) {
    if (record->run != journal->name)
        return is_damaged(path, number, "it is of another scan");
    if (record->segment >= journal->segments)
        return is_damaged(path, number, "there is no such segment");
    journal_place *place = &journal->places[record->segment];
    if (place->finished)
        return is_damaged(path, number, "another record has the same segment");
    if (record->begin != journal->ends[writer] || record->length > UINT64_MAX - record->begin)
        return is_damaged(path, number, "it does not follow the record before");
    *place = (journal_place){true, writer, *record};
    journal->ends[writer] += record->length;
    journal->finished++;
    return true;
}

/* Cuts a journal off behind its first `end` bytes: its writer may never be opened again. */
static bool cut_journal(const char *path, uint64_t end) {
    int descriptor = parts_open(path, O_RDWR);
    if (descriptor < 0)
        return false;
    bool cut = ftruncate(descriptor, (off_t)end) == 0 && fdatasync(descriptor) == 0;
    if (!cut)
        report("%s: %s", path, strerror(errno));
    (void)close(descriptor);
    return cut;
}

/* Reads the records of one writer. To resume, a last one that is not readable is cut off. */
static bool read_records(parts_journal *journal, unsigned writer, bool resume) {
    char *path = parts_numbered(journal->folder, "journal-", writer);
    size_t length = 0;
    /* A record for each segment, and one that is not complete. */
    uint64_t most = ((uint64_t)journal->segments + 1) * sizeof(journal_record);
    uint8_t *bytes = parts_read_file(path, most, &length);
    bool sound = bytes != NULL;
    size_t count = length / sizeof(journal_record);
    for (size_t i = 0; sound && i < count; i++) {
        journal_record record;
        memcpy(&record, bytes + i * sizeof record, sizeof record);
        bool whole = record.checksum == XXH3_64bits(&record, offsetof(journal_record, checksum));
        if (!whole && resume && i + 1 == count)
            break; /* the machine may have stopped while it was written */
        sound = whole ? take_record(journal, writer, &record, path, i)
                      : is_damaged(path, i, "its checksum is another one");
        if (sound)
            journal->journal_ends[writer] += sizeof record;
    }
    if (sound && !resume && length % sizeof(journal_record) != 0)
        sound = is_damaged(path, count, "it is not complete");
    if (sound && resume && journal->journal_ends[writer] < length)
        sound = cut_journal(path, journal->journal_ends[writer]);
    free(bytes);
    free(path);
    return sound;
}

/* Bytes of all journals in the folder. */
static uint64_t journal_bytes(const parts_journal *journal, const parts_writers *writers) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < writers->journal_count; i++) {
        struct stat information;
        char *path = parts_numbered(journal->folder, "journal-", writers->journals[i]);
        bytes += stat(path, &information) == 0 ? (uint64_t)information.st_size : 0;
        free(path);
    }
    return bytes;
}

bool journal_has_enough(const parts_journal *journal) {
    parts_writers writers;
    if (!parts_find_writers(journal->folder, &writers))
        return false;
    uint64_t needed = segments_at_least(&journal->run);
    uint64_t records = journal_bytes(journal, &writers) / sizeof(journal_record);
    parts_release_writers(&writers);
    if (records < needed)
        report("%s: at least %" PRIu64 " of %" PRIu64 " segments are not finished; the command "
               "that began it continues with --resume",
               journal->folder, needed - records, needed);
    return records >= needed;
}

bool journal_read(parts_journal *journal, size_t segments, bool resume) {
    parts_writers writers;
    journal->segments = segments;
    journal->places = allocate(segments * sizeof *journal->places + 1);
    memset(journal->places, 0, segments * sizeof *journal->places);
    if (!parts_find_writers(journal->folder, &writers))
        return false;
    journal->writers = writers.count;
    journal->ends = allocate_zeros(writers.count * sizeof *journal->ends + 1);
    journal->journal_ends = allocate_zeros(writers.count * sizeof *journal->journal_ends + 1);
    bool good = true;
    for (size_t i = 0; good && i < writers.journal_count; i++)
        good = read_records(journal, writers.journals[i], resume);
    parts_release_writers(&writers);
    return good;
}
