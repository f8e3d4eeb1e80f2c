/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Several devices that scan one text. Each device has a thread that drives it, with a walk
 * (walker.cuh) and slots of its own, and threads that bring text to it. These threads run on CPUs
 * of the memory node near the device, if the system says which node that is. The walks take the
 * segments of a window one by one from a common share (transfer/share.h).
 *
 * A device that fails is not used any more until the walker is closed. What happens to the segments
 * that it has taken depends on what is wanted. Matches are delivered in order, and the turn of
 * these segments may come at any moment: so the device's thread scans them on the CPU. Counts need
 * no order: the thread gives the segments back. Segments that no device takes are scanned by
 * threads of the CPU.
 */
#include "run/gpu/walker.cuh"

extern "C" {
#include "gpu/devices.h"
#include "run/gpu/group_cpu.h"
#include "run/gpu/near.h"
}

/* One device, or one more walk of the same device. */
typedef struct group_driver {
    trawl_cuda_walker_state walker;
    trawl_scan_settings options; /* the scan's, with a report of its own */
    trawl_report report;
    trawl_counts counts; /* of the window */
    bool started;        /* it has been used */
    bool near;           /* `cpus` are those near the device */
    cpu_set_t cpus;
    bool failed; /* it is not used any more */
    trawl_error error;
    trawl_group_cpu cpu; /* scans the segments that it had taken when it failed */
} group_driver;

typedef struct group_state {
    trawl_walker base;
    const trawl_scan_settings *options;
    trawl_device_set set;
    group_driver *drivers; /* set.count of them */
    trawl_team *team;      /* a thread for each; NULL until two are needed */
    trawl_team *cpu_team;  /* NULL until the CPU is needed */
} group_state;

/* A walk over one window. */
typedef struct group_walk {
    group_state *group;
    trawl_group_scan scan;
    group_driver *working[TRAWL_MOST_DEVICES];
    uint32_t count;                            /* of them */
    group_driver *healthy[TRAWL_MOST_DEVICES]; /* those that have not failed */
    uint32_t healthy_count;
    trawl_group_cpu *cpus; /* threads of the CPU; NULL: none */
    uint32_t cpu_count;
    bool alone; /* one worker at a time, so that segments are handled in order */
} group_walk;

/* ------------------------------------------------------------------ one device */

static trawl_status start_driver(group_driver *driver, trawl_error *error) {
    char bus_id[32];
    int number = (int)driver->walker.device;
    if (cudaDeviceGetPCIBusId(bus_id, (int)sizeof bus_id, number) == cudaSuccess) {
        driver->near = trawl_near_cpus("/sys", bus_id, &driver->cpus);
    } else {
        (void)cudaGetLastError();
    }
    trawl_status status = trawl_cuda_check(driver->walker.device, error);
    driver->started = status == TRAWL_OK;
    return status;
}

/* Handles the segments that a failed device has taken and not finished: on the CPU, or by giving
 * them back. */
static void hand_over(const group_walk *self, group_driver *driver, const trawl_cuda_walk *walk) {
    const trawl_cuda_part *part = &walk->part;
    uint64_t left[TRAWL_SHARE_TAKEN];
    size_t count = 0;
    for (uint64_t i = part->committed; i < walk->ring.segments; i++) {
        left[count++] = part->taken[i % TRAWL_SHARE_TAKEN];
    }
    if (!part->share->ordered) {
        trawl_share_give_back(part->share, left, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        trawl_group_cpu_scan(&driver->cpu, &self->scan, left[i], i == 0 ? part->resume : 0);
    }
}

/* Whether a failure is one of this device alone, so that other devices can go on. */
static bool is_of_device(trawl_status status) {
    return status == TRAWL_ERROR_DEVICE || status == TRAWL_ERROR_MEMORY ||
           status == TRAWL_ERROR_UNAVAILABLE;
}

static void drive(void *context, uint32_t member) {
    const group_walk *self = (const group_walk *)context;
    const trawl_group_scan *scan = &self->scan;
    group_driver *driver = self->healthy[member];
    trawl_error error = {}; /* stays so where the caller stops the scan */
    trawl_status status = driver->started ? TRAWL_OK : start_driver(driver, &error);
    cpu_set_t before;
    CPU_ZERO(&before);
    if (driver->near) {
        trawl_near_bind(&driver->cpus, &before);
    }
    trawl_cuda_walk walk = {};
    walk.sink = scan->sink;
    walk.counts = scan->sink == NULL ? &driver->counts : NULL;
    walk.part.share = scan->share;
    if (status == TRAWL_OK) {
        trawl_cuda_form form = scan->sink != NULL  ? TRAWL_CUDA_MATCHES
                               : scan->per_pattern ? TRAWL_CUDA_PATTERNS
                                                   : TRAWL_CUDA_COUNT;
        status = trawl_cuda_walk_over(&driver->walker, scan->window, form, &walk, &error);
    }
    if (status != TRAWL_OK && is_of_device(status) && !walk.part.sink_failed) {
        driver->failed = true;
        driver->error = error;
        hand_over(self, driver, &walk);
    } else if (status != TRAWL_OK) {
        trawl_share_fail(scan->share, status, &error);
    }
    trawl_near_unbind(&before);
}

/* Lets the devices work until all segments are taken, or all devices have failed. This may take
 * several rounds: a device may give segments back after the other threads have ended, and a thread
 * may end before another one has begun. */
static void run_devices(group_walk *self) {
    do {
        self->healthy_count = 0;
        for (uint32_t i = 0; i < self->count; i++) {
            if (!self->working[i]->failed) {
                self->healthy[self->healthy_count++] = self->working[i];
            }
        }
        if (self->healthy_count != 0) {
            trawl_team_run(self->healthy_count > 1 ? self->group->team : NULL, self->healthy_count,
                           drive, self);
        }
    } while (self->healthy_count != 0 && trawl_share_has_more(self->scan.share));
}

/* ------------------------------------------------------------------ the CPU */

static void run_cpu(void *context, uint32_t member) {
    const group_walk *self = (const group_walk *)context;
    trawl_group_cpu_run(&self->cpus[member], &self->scan);
}

/* Scans the segments that no device has taken. */
static trawl_status finish_on_cpu(group_walk *self, trawl_error *error) {
    group_state *group = self->group;
    uint32_t threads = self->alone ? 1 : group->base.threads;
    self->cpus = (trawl_group_cpu *)trawl_allocate_zeroed(threads, sizeof *self->cpus);
    if (self->cpus == NULL) {
        return trawl_fail_memory(error, "threads", threads * sizeof *self->cpus);
    }
    self->cpu_count = threads;
    trawl_status status = TRAWL_OK;
    if (threads > 1 && group->cpu_team == NULL) {
        status = trawl_team_open(&group->cpu_team, threads, error);
    }
    if (status == TRAWL_OK) {
        trawl_team_run(threads > 1 ? group->cpu_team : NULL, threads, run_cpu, self);
    }
    return status;
}

/* ------------------------------------------------------------------ results */

static void add_counts(trawl_counts *to, trawl_counts *from, uint32_t patterns) {
    to->total += from->total;
    from->total = 0;
    for (uint32_t id = 0; from->per_pattern != NULL && id < patterns; id++) {
        to->per_pattern[id] += from->per_pattern[id];
        from->per_pattern[id] = 0;
    }
}

static void forget_counts(trawl_counts *counts, uint32_t patterns) {
    counts->total = 0;
    if (counts->per_pattern != NULL) {
        memset(counts->per_pattern, 0, patterns * sizeof *counts->per_pattern);
    }
}

/* Adds what all workers have counted to `counts`, or discards it if that is NULL. */
static void collect_counts(group_walk *self, trawl_counts *counts) {
    uint32_t patterns = self->group->base.db->patterns.count;
    for (uint32_t i = 0; i < self->count; i++) {
        if (counts != NULL) {
            add_counts(counts, &self->working[i]->counts, patterns);
        } else {
            forget_counts(&self->working[i]->counts, patterns);
        }
    }
    for (uint32_t i = 0; i < self->cpu_count && counts != NULL; i++) {
        trawl_group_cpu_settle(&self->cpus[i]);
        add_counts(counts, &self->cpus[i].counts, patterns);
    }
}

static void add_study(trawl_study_scan_report *to, trawl_study_scan_report *from) {
    if (from->block_threads != 0) {
        to->block_threads = from->block_threads;
        to->thread_bytes = from->thread_bytes;
        to->overlap_overhead = from->overlap_overhead;
        to->table_path = from->table_path;
        to->segment_bytes = from->segment_bytes;
        to->in_flight = from->in_flight > to->in_flight ? from->in_flight : to->in_flight;
    }
    to->copy_in_seconds += from->copy_in_seconds;
    to->scan_seconds += from->scan_seconds;
    to->copy_out_seconds += from->copy_out_seconds;
    to->read_wait_seconds += from->read_wait_seconds;
}

/* Adds to the scan's report what the workers have done. */
static void collect_report(const group_walk *self) {
    trawl_report *report = self->group->options->report;
    if (report == NULL) {
        return;
    }
    report->study.segments += self->scan.share->segments.count;
    report->scan.devices = self->count > report->scan.devices ? self->count : report->scan.devices;
    for (uint32_t i = 0; i < self->count; i++) {
        group_driver *driver = self->working[i];
        add_study(&report->study, &driver->report.study);
        if (driver->report.scan.kernel[0] != '\0') {
            memcpy(report->scan.kernel, driver->report.scan.kernel, sizeof report->scan.kernel);
            memcpy(report->scan.transfer, driver->report.scan.transfer,
                   sizeof report->scan.transfer);
        }
        memset(&driver->report, 0, sizeof driver->report);
        report->scan.cpu_bytes += driver->cpu.bytes;
        if (driver->failed && report->scan.left_out++ == 0) {
            (void)snprintf(report->scan.failure, sizeof report->scan.failure, "%.191s",
                           driver->error.message);
        }
    }
    for (uint32_t i = 0; i < self->cpu_count; i++) {
        report->scan.cpu_bytes += self->cpus[i].bytes;
    }
}

static void release_cpus(group_walk *self) {
    for (uint32_t i = 0; i < self->count; i++) {
        trawl_group_cpu_close(&self->working[i]->cpu);
    }
    for (uint32_t i = 0; i < self->cpu_count; i++) {
        trawl_group_cpu_close(&self->cpus[i]);
    }
    trawl_release(self->cpus);
}

/* ------------------------------------------------------------------ a window */

/* Chooses the devices that take part: those that have not failed, and no more than the length of
 * the text is worth, unless the caller has chosen the size of segments. */
static void choose_drivers(group_walk *self, uint64_t bytes) {
    group_state *group = self->group;
    uint64_t most = self->alone ? 1 : group->set.count;
    uint64_t enough = bytes / group->set.least_bytes + 1;
    if (group->options->segment_bytes == 0 && enough < most) {
        most = enough;
    }
    for (uint32_t i = 0; i < group->set.count && self->count < most; i++) {
        if (!group->drivers[i].failed) {
            self->working[self->count++] = &group->drivers[i];
        }
    }
}

/* The size of segments that are read into staging memory, so that this memory of all devices stays
 * within its limit. */
static uint64_t limit_staging(uint64_t bytes, uint32_t devices, uint64_t overlap) {
    uint64_t most = TRAWL_STAGING_BYTES / (TRAWL_RING_FILLED_SLOTS * (devices == 0 ? 1 : devices));
    uint64_t least = TRAWL_SEGMENT_OVERLAP_FACTOR * overlap;
    most = most < least ? least : most;
    return bytes < most ? bytes : most;
}

/* Cuts the window into segments. They are so small that each device gets as many segments as it
 * would for its part of the text alone. */
static trawl_segments cut(const group_walk *self, const trawl_window *window) {
    uint64_t overlap = self->group->base.db->header->max_length - 1;
    uint64_t bytes = self->group->options->segment_bytes, own = window->length - window->owned;
    if (bytes == 0) {
        uint64_t each = own / (self->count == 0 ? 1 : self->count);
        bytes = trawl_segments_cut(window->owned + each, window->owned, overlap, 0).bytes;
        bytes = window->reading == NULL ? bytes : limit_staging(bytes, self->count, overlap);
    }
    return trawl_segments_cut(window->length, window->owned, overlap,
                              bytes == 0 ? TRAWL_SEGMENT_UNIT : bytes);
}

static trawl_status prepare_drivers(group_walk *self, trawl_error *error) {
    group_state *group = self->group;
    if (self->count > 1 && group->team == NULL) {
        trawl_status status = trawl_team_open(&group->team, group->set.count, error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < self->count; i++) {
        group_driver *driver = self->working[i];
        uint32_t threads = group->base.threads / self->count;
        driver->walker.base.threads = threads == 0 ? 1 : threads;
        if (self->scan.per_pattern && driver->counts.per_pattern == NULL) {
            uint32_t patterns = group->base.db->patterns.count;
            driver->counts.per_pattern =
                (uint64_t *)trawl_allocate_zeroed(patterns, sizeof(uint64_t));
            if (driver->counts.per_pattern == NULL) {
                return trawl_fail_memory(error, "counting patterns", patterns * sizeof(uint64_t));
            }
        }
    }
    return TRAWL_OK;
}

/*
 * Scans one window with the devices. Sets *again if the window must be counted once more, by one
 * worker at a time: reading the text has failed, and other workers may have counted bytes behind
 * that place.
 */
static trawl_status walk_window(group_walk *self, trawl_counts *counts, bool *again,
                                trawl_error *error) {
    const trawl_window *window = self->scan.window;
    trawl_share share;
    choose_drivers(self, window->length - window->owned);
    trawl_segments segments = cut(self, window);
    self->count = segments.count < self->count ? (uint32_t)segments.count : self->count;
    trawl_share_open(&share, &segments, self->scan.sink != NULL);
    self->scan.share = &share;
    trawl_status status = prepare_drivers(self, error);
    if (status == TRAWL_OK) {
        run_devices(self);
    }
    if (status == TRAWL_OK && trawl_share_has_more(&share)) {
        status = finish_on_cpu(self, error);
    }
    if (status == TRAWL_OK && share.status != TRAWL_OK) {
        status = share.status;
        if (error != NULL && status > TRAWL_STOPPED) {
            *error = share.error;
        }
    }
    *again = false;
    if (share.read_status != TRAWL_OK && self->scan.sink == NULL &&
        self->count + self->cpu_count > 1) {
        *again = status == TRAWL_OK;
    } else if (share.read_status != TRAWL_OK) {
        window->reading->status = share.read_status;
        window->reading->error = share.read_error;
    }
    if (self->scan.sink == NULL) {
        collect_counts(self, *again ? NULL : counts);
    }
    collect_report(self);
    release_cpus(self);
    trawl_share_close(&share);
    return status;
}

static trawl_status walk_over(group_state *group, const trawl_window *window, trawl_sink *sink,
                              trawl_counts *counts, trawl_error *error) {
    bool again = false;
    trawl_status status = TRAWL_OK;
    do {
        group_walk walk = {};
        walk.group = group;
        walk.alone = again;
        walk.scan.db = group->base.db;
        walk.scan.options = group->options;
        walk.scan.window = window;
        walk.scan.sink = sink;
        walk.scan.per_pattern = counts != NULL && counts->per_pattern != NULL;
        if (window->length != window->owned) {
            status = walk_window(&walk, counts, &again, error);
        }
    } while (again);
    return status;
}

/* ------------------------------------------------------------------ the walker */

static void close_group(trawl_walker *walker) {
    group_state *group = (group_state *)walker;
    trawl_team_close(group->team);
    trawl_team_close(group->cpu_team);
    for (uint32_t i = 0; i < group->set.count; i++) {
        trawl_team_close(group->drivers[i].walker.fillers);
        trawl_release(group->drivers[i].counts.per_pattern);
    }
    trawl_release(group->drivers);
    trawl_release(group);
}

static trawl_status scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    return walk_over((group_state *)walker, window, sink, NULL, error);
}

static trawl_status count(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    return walk_over((group_state *)walker, window, NULL, counts, error);
}

static bool own_threads(const trawl_db *db) {
    (void)db;
    return true;
}

static trawl_status open_group(const trawl_db *db, const trawl_scan_settings *options,
                               trawl_walker **walker, trawl_error *error);

static const trawl_walker_type group_walker_type = {
    open_group, close_group, scan, count, NULL, NULL, NULL, NULL, own_threads, false, true, true,
};

static trawl_status open_group(const trawl_db *db, const trawl_scan_settings *options,
                               trawl_walker **walker, trawl_error *error) {
    trawl_device_set set;
    trawl_strategy strategy;
    (void)trawl_cuda_devices_read(options->device, &set);
    trawl_status status = trawl_cuda_devices_find(&set, error);
    if (status == TRAWL_OK) {
        status = trawl_strategy_find(options->transfer, &strategy, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    group_state *group = (group_state *)trawl_allocate_zeroed(1, sizeof *group);
    group_driver *drivers =
        (group_driver *)trawl_allocate_zeroed(set.count, sizeof *group->drivers);
    if (group == NULL || drivers == NULL) {
        trawl_release(group);
        trawl_release(drivers);
        return trawl_fail_memory(error, "a scan", sizeof *group + set.count * sizeof *drivers);
    }
    group->base.type = &group_walker_type;
    group->base.db = db;
    group->base.threads = 1;
    group->options = options;
    group->set = set;
    group->drivers = drivers;
    for (uint32_t i = 0; i < set.count; i++) {
        drivers[i].options = *options;
        drivers[i].options.report = options->report == NULL ? NULL : &drivers[i].report;
        trawl_cuda_walker_state *own = &drivers[i].walker;
        own->base.type = &group_walker_type;
        own->base.db = db;
        own->base.threads = 1;
        own->options = &drivers[i].options;
        own->device = set.number[i];
        own->strategy = strategy;
        own->width = UINT64_MAX;
    }
    *walker = &group->base;
    return TRAWL_OK;
}

extern "C" const trawl_walker_type *trawl_cuda_group_walker(void) {
    return &group_walker_type;
}
