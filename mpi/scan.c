/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "mpi/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/base/stats.h"
#include "cli/flags/cuda.h"
#include "cli/flags/scan.h"
#include "cli/scan/describe.h"
#include "cli/scan/prepare.h"
#include "cli/scan/totals.h"
#include "mpi/search.h"
#include "mpi/share.h"

/* What a rank has of the scan. */
typedef struct cluster {
    ranks self;
    scan_options *options; /* belongs to main */
    scan_texts texts;      /* rank 0 alone */
    trawl_db *db;
    double build_seconds; /* rank 0 alone */
    record_labels labels;
    device_choice device;
    char gpu[32];  /* name of this rank's, which the options may refer to */
    bool was_auto; /* it stands for --device auto */
    scan_plan plan;
    parts_journal journal; /* without a folder: the run and its segments alone */
    segment_list segments;
    double times[RANK_TIMES];
} cluster;

/* ------------------------------------------------------------------ preparing */

/* GPUs of a machine are given to its ranks in turn. Their numbers may have gaps, as trawl_devices
 * leaves out those that are too old. */
static void choose_gpu(cluster *all) {
    enum { MOST = 65 };
    trawl_scan_options *options = &all->options->scan;
    trawl_device devices[MOST] = {TRAWL_DEVICE};
    size_t count = 0;
    all->was_auto = options->device != NULL && strcmp(options->device, "auto") == 0;
    bool named = all->was_auto || (options->device != NULL && strcmp(options->device, "cuda") == 0);
    if (!named || trawl_devices(devices, MOST, &count, NULL) != TRAWL_OK || count < 2)
        return;
    size_t gpus = (count < MOST ? count : MOST) - 1; /* the first device is the CPU */
    const trawl_device *gpu = &devices[1 + (size_t)all->self.local % gpus];
    (void)snprintf(all->gpu, sizeof all->gpu, "%s", gpu->name);
    options->device = all->gpu;
}

/* Everything that a scan needs but the texts. */
static bool open_plan(cluster *all) {
    scan_options *options = all->options;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(all->db, &information, NULL);
    record_labels_open(&all->labels, all->db, options->format, options->with_pattern);
    if (options->kind == RECORD_MATCHES)
        record_labels_prepare(&all->labels);
    all->plan = (scan_plan){.options = options,
                            .labels = &all->labels,
                            .scanner = {.db = all->db, .options = options->scan},
                            .threads = scan_options_threads(&options->scan),
                            .several = all->texts.several,
                            .patterns = information.patterns};
    all->plan.scanner.options.threads = all->plan.threads;
    trawl_scan_options *scan = &all->plan.scanner.options;
    return all->was_auto
               ? device_choose_or_cpu(&all->device, all->db, &options->profile, options->sample,
                                      scan)
               : device_choose(&all->device, all->db, &options->profile, options->sample, scan);
}

/* When there are no more segments, a rank has at most two: one that it scans, and the next one. So
 * the others wait for 1 % of the time at most. */
enum { PARTS_OF_SHARE = 200 };

/* Small enough that the last ones keep few ranks waiting; large enough that opening walkers, which
 * takes up to milliseconds, the counter and, with a journal, the disk cost little. */
static uint64_t segment_for(const cluster *all) {
    const uint64_t least = UINT64_C(16) << 20;
    const uint64_t most = UINT64_C(1) << 30;
    uint64_t share = all->texts.stored_bytes / (PARTS_OF_SHARE * (uint64_t)all->self.size);
    return share < least ? least : share > most ? most : share;
}

/* Rank 0 lists the texts, and opens the folder if there is one. */
static bool describe(cluster *all) {
    const division_options *division = &all->options->division;
    parts_run run;
    bool fine = scan_describe(&run, &all->plan, &all->texts);
    if (division->static_split) {
        run.identity.division = PARTS_PAPER;
        run.identity.shard = 0;
        run.identity.shards = (uint64_t)all->self.size;
        run.identity.segment = UINT64_MAX;
    }
    if (fine && division->journal != NULL) {
        fine =
            journal_open(&all->journal, division->journal,
                         division->resume ? JOURNAL_RESUME : JOURNAL_BEGIN, &run, segment_for(all));
    } else if (fine) {
        if (run.identity.segment == 0)
            run.identity.segment = segment_for(all);
        fine = segments_mark_whole(&run);
        all->journal.run = run;
        run = (parts_run){0};
    }
    parts_run_release(&run);
    return fine;
}

/* Each rank holds the lock, since rank 0 may be killed while another one still writes. */
static bool lock_folder(cluster *all) {
    bool root = all->self.rank == 0;
    return share_all(!root || journal_share_lock(&all->journal)) &&
           share_all(root || journal_share_lock(&all->journal));
}

/* The run and the segments, the same on all ranks. */
static bool divide(cluster *all) {
    const division_options *division = &all->options->division;
    bool root = all->self.rank == 0;
    if (!share_all(!root || describe(all)) || !share_run(&all->self, &all->journal.run))
        return false;
    all->plan.several = all->journal.run.identity.several != 0;
    segments_divide(&all->journal.run, &all->segments);
    bool read = true;
    if (root && division->journal != NULL)
        read = journal_read(&all->journal, all->segments.count, true);
    if (!share_all(read))
        return false;
    if (root && division->journal == NULL) {
        all->journal.segments = all->segments.count;
        all->journal.places = allocate(all->segments.count * sizeof *all->journal.places + 1);
        memset(all->journal.places, 0, all->segments.count * sizeof *all->journal.places);
    }
    if (!root && division->journal != NULL)
        all->journal.folder = string_copy(division->journal);
    if (root)
        all->plan.matches = journal_matches(&all->journal);
    share_journal(&all->self, &all->journal);
    return division->journal == NULL || lock_folder(all);
}

/* ------------------------------------------------------------------ results */

/* Writes counts of texts, or the most frequent patterns. */
static bool write_totals(cluster *all, const uint64_t *text_counts) {
    trawl_error error;
    if (output_file_open(NULL, &all->plan.output, &error) != TRAWL_OK) {
        (void)report_error(&error);
        return false;
    }
    if (all->plan.per_pattern != NULL)
        top_write(&all->plan);
    for (size_t i = 0; text_counts != NULL && i < all->journal.run.count; i++) {
        size_t length = 0;
        char *line =
            count_line(&all->plan, all->journal.run.texts[i].name, text_counts[i], &length);
        output_file_write(all->plan.output, line, length);
        free(line);
    }
    if (output_file_close(all->plan.output, &error) == TRAWL_OK)
        return true;
    (void)report_error(&error);
    return false;
}

/* --stats: least, mean and greatest time of all ranks. */
static void print_stats(const cluster *all, const double *times) {
    static const char *const names[RANK_TIMES] = {"distribute", "load", "search", "claim",
                                                  "device",     "wait", "reduce"};
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(all->db, &information, NULL);
    stats stats_;
    stats_begin(&stats_);
    double total = 0;
    (void)fprintf(stats_.file,
                  "{\"ranks\":%d,\"split\":\"%s\",\"bytes\":%" PRIu64 ",\"matches\":%" PRIu64
                  ",\"engine\":\"%s\",\"device\":\"%s\",\"threads\":%u,\"segments\":%zu"
                  ",\"build_seconds\":%.6f",
                  all->self.size, all->options->division.static_split ? "static" : "dynamic",
                  all->plan.bytes, all->plan.matches, information.engine, all->device.name,
                  all->plan.threads, all->segments.count, all->build_seconds);
    for (int t = 0; t < RANK_TIMES; t++) {
        double least = times[t];
        double greatest = times[t];
        double sum = 0;
        for (int rank = 0; rank < all->self.size; rank++) {
            double one = times[(size_t)rank * RANK_TIMES + (size_t)t];
            least = one < least ? one : least;
            greatest = one > greatest ? one : greatest;
            sum += one;
        }
        /* The slowest search contains all claims and kernels, and no waiting. */
        total += t == TIME_WAIT || t == TIME_CLAIM || t == TIME_DEVICE ? 0 : greatest;
        (void)fprintf(stats_.file,
                      ",\"%s_seconds\":{\"min\":%.6f,\"mean\":%.6f,\"max\":%.6f,\"sum\":%.6f}",
                      names[t], least, sum / all->self.size, greatest, sum);
    }
    (void)fprintf(stats_.file, ",\"total_seconds\":%.6f}", total);
    stats_end(&stats_);
}

/* Adds up what the ranks have found; rank 0 writes it. Returns the exit status. */
static int reduce(cluster *all, segment_worker *worker) {
    double begin = MPI_Wtime();
    uint64_t sums[] = {worker->matches, worker->bytes};
    share_sums(&all->self, sums, 2);
    if (worker->text_counts != NULL)
        share_sums(&all->self, worker->text_counts, all->journal.run.count);
    if (worker->part == NULL && worker->per_pattern != NULL)
        share_sums(&all->self, worker->per_pattern, all->plan.patterns);
    all->times[TIME_REDUCE] = MPI_Wtime() - begin;
    bool fine = share_all(!worker->failed);
    bool root = all->self.rank == 0;
    double *times = root ? allocate((size_t)all->self.size * sizeof all->times) : NULL;
    (void)MPI_Gather(all->times, RANK_TIMES, MPI_DOUBLE, times, RANK_TIMES, MPI_DOUBLE, 0,
                     MPI_COMM_WORLD);
    if (root) {
        all->plan.matches += sums[0];
        all->plan.bytes = sums[1];
        all->plan.per_pattern = worker->per_pattern;
        if (fine && worker->part == NULL)
            fine = write_totals(all, worker->text_counts);
        if (all->options->stats)
            print_stats(all, times);
    }
    free(times);
    return !fine ? EXIT_ERROR : all->plan.matches != 0 ? EXIT_MATCHED : EXIT_NOTHING;
}

/* Scans this rank's share. Returns the exit status, which only rank 0 knows. */
static int search(cluster *all) {
    bool has_folder = all->options->division.journal != NULL;
    part_writer part;
    segment_worker worker;
    bool opened = !has_folder || part_writer_open(&part, &all->journal, (unsigned)all->self.rank);
    segment_worker_open(&worker, &all->plan, &all->journal.run, &all->segments,
                        has_folder ? &part : NULL, all->plan.threads);
    worker.failed = !opened;
    if (!has_folder && all->options->kind == RECORD_COUNTS) {
        size_t bytes = all->journal.run.count * sizeof *worker.text_counts;
        worker.text_counts = allocate(bytes + 1);
        memset(worker.text_counts, 0, bytes);
    }
    if (all->options->division.static_split)
        search_static(&all->self, &worker, &all->journal, all->times);
    else
        search_dynamic(&all->self, &worker, &all->journal, all->times);
    all->times[TIME_DEVICE] = worker.report.study.scan_seconds;
    int status = reduce(all, &worker);
    free(worker.text_counts);
    segment_worker_close(&worker);
    if (has_folder)
        part_writer_close(&part);
    return status;
}

/* ------------------------------------------------------------------ the scan */

static int scan(cluster *all) {
    bool root = all->self.rank == 0;
    int status = EXIT_ERROR;
    choose_gpu(all);
    bool fine = cuda_options_check(&ranks_command, &all->options->scan, &all->options->profile);
    if (root && fine) {
        trawl_error ignored;
        scan_texts_collect(&all->texts, all->options);
        fine =
            scan_get_database(all->options, &all->texts, &all->db, &all->build_seconds, &ignored);
    }
    if (share_all(fine)) {
        double begin = MPI_Wtime();
        fine = share_database(&all->self, &all->db);
        if (fine && share_all(open_plan(all)) && divide(all)) {
            all->times[TIME_DISTRIBUTE] = MPI_Wtime() - begin;
            status = search(all);
        }
    }
    segments_release(&all->segments);
    journal_close(&all->journal);
    record_labels_release(&all->labels);
    scan_texts_release(&all->texts);
    trawl_db_free(all->db);
    return status;
}

int ranks_scan(const ranks *self, int argc, char **argv) {
    scan_options options = {0};
    cluster all = {.self = *self, .options = &options, .journal = {.lock = -1}};
    int status = EXIT_ERROR;
    int root_parsed = 0;
    bool parsed = false;
    if (self->rank == 0) {
        parsed = scan_options_parse(&options, &ranks_command, argc, argv, &status);
        root_parsed = parsed;
    }
    /* What rank 0 refuses, and has reported, the others need not report. */
    (void)MPI_Bcast(&root_parsed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (self->rank != 0 && root_parsed)
        parsed = scan_options_parse(&options, &ranks_command, argc, argv, &status);
    if (root_parsed && share_all(parsed)) /* else the rank that refuses its own has said why */
        status = scan(&all);
    if (root_parsed || self->rank == 0)
        scan_options_release(&options);
    return status;
}
