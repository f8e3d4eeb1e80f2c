/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The walker over host memory. walker.cu prepares and ends a walk over a window; walker_drive.cu
 * takes the window from segment to segment. A segment uses a slot: memory, streams and events
 * (walker_slots.cu), in the order that transfer/ring.h gives. Slots stay with the database and its
 * uploads, so that later scans find them ready (walker_kept.cu). With several devices, each has a
 * walk of its own over the same window, and the walks take its segments from a common share
 * (transfer/share.h, group.cu).
 */
#ifndef TRAWL_RUN_GPU_WALKER_CUH
#define TRAWL_RUN_GPU_WALKER_CUH

#include "run/gpu/scan.cuh"

extern "C" {
#include "run/gpu/transfer/fill.h"
#include "run/gpu/transfer/ring.h"
#include "run/gpu/transfer/segments.h"
#include "run/gpu/transfer/share.h"
#include "run/gpu/walkers.h"
}

/*
 * Staging memory: text is brought into it, and the device copies it from there. A large one is
 * ordinary memory with huge pages at first, and is page-locked when it has been filled for the
 * first time. The filling threads then touch its pages first, in parallel, where CUDA would do it
 * in one thread. Memory with huge pages is also freed quickly.
 */
typedef struct trawl_cuda_staging {
    uint8_t *bytes;
    size_t size;
    bool locked;
    bool from_cuda; /* it was page-locked from the beginning */
} trawl_cuda_staging;

typedef struct trawl_cuda_slot {
    cudaStream_t stream;              /* copies in and scans */
    cudaStream_t out;                 /* copies out, while the next segment comes in */
    cudaEvent_t in_begin, in_end;     /* of the copy in */
    cudaEvent_t scan_begin, scan_end; /* of the scan, with its total on the host */
    cudaEvent_t out_begin, out_end;   /* of the copy out */
    trawl_cuda_staging staging;
    uint8_t *text; /* device memory; so are all members below but host_... */
    void *workspace;
    trawl_cuda_match *matches;
    trawl_cuda_match *host_matches; /* pinned */
    uint64_t *total;
    uint64_t *host_total; /* pinned */
    uint64_t *per_pattern;
    void *entries; /* ends or states of a segment's owned bytes */
    size_t text_bytes, workspace_bytes, per_pattern_bytes, entries_bytes;
    uint64_t capacity, host_capacity; /* of matches and host_matches */

    /* what it is doing: input side */
    uint64_t index; /* of the segment; UINT64_MAX: none yet */
    trawl_segment segment;
    const uint8_t *device_text; /* of the segment's first readable byte */
    trawl_range range;          /* being scanned */
    uint64_t next;              /* first owned byte whose matches are not known yet */
    bool counted_in;            /* the copy in is in the report already */
    /* output side */
    uint64_t found;
} trawl_cuda_slot;

/* What every slot needs for a walk; 0: not needed. */
typedef struct trawl_cuda_room {
    size_t text_bytes, workspace_bytes, per_pattern_bytes, entries_bytes;
    uint64_t capacity; /* of matches */
} trawl_cuda_room;

/* The slots of one walk; used by one thread at a time. */
typedef struct trawl_cuda_slots {
    trawl_cuda_slot *slot;
    uint64_t count;
    cudaEvent_t start;     /* from which times are measured */
    uint64_t *per_pattern; /* device memory: counters summed over segments; for a share two sets */
    size_t per_pattern_bytes;
} trawl_cuda_slots;

typedef struct trawl_cuda_walker_state {
    trawl_walker base;
    const trawl_scan_settings *options;
    uint32_t device;
    trawl_strategy strategy;
    trawl_cuda_db *uploaded; /* NULL until the first window; the database's */
    trawl_team *fillers;     /* the threads that fill; NULL until they are needed */
    uint64_t width;          /* of the next range: the matches of the last ones have fitted */
} trawl_cuda_walker_state;

/*
 * Counters of patterns are summed on the device. The counts of a device that fails are lost, and
 * the segments of a share must then be counted again. So with a share the counters are copied to
 * the host after every epoch of this many segments. Segments of odd and even epochs are counted in
 * two different sets of counters, so that no segment waits for the copy. An epoch has twice as many
 * segments as can be under way, so none is ever two epochs ahead.
 */
#define TRAWL_SHARE_EPOCH ((uint64_t)(2 * TRAWL_RING_MOST_SLOTS))

/* Segments of a share that a walk has taken and whose results it has not handed on, at most: an
 * epoch, and those under way. */
#define TRAWL_SHARE_TAKEN (2 * TRAWL_SHARE_EPOCH)

/* The part of a share that a walk has taken. The segments of its ring are those that it has taken,
 * in order. */
typedef struct trawl_cuda_part {
    trawl_share *share;                /* NULL: the walk has its window alone */
    uint64_t taken[TRAWL_SHARE_TAKEN]; /* segment i of the ring is segment taken[i % TAKEN] */
    bool all_taken;
    uint64_t committed; /* the first segment of the ring whose results have not been handed on */
    uint64_t resume;    /* of that segment: the first byte whose matches have not; 0: none has */
    uint64_t fresh;     /* matches counted in segments that are not committed */
    bool over;          /* the walk ends early without a failure: its results are not needed */
    bool sink_failed;   /* the walk ended since its matches could not be handed on */
} trawl_cuda_part;

/* A walk over one window. */
typedef struct trawl_cuda_walk {
    trawl_cuda_walker_state *walker;
    const trawl_window *window;
    const trawl_cuda_db *uploaded;
    trawl_cuda_scan_options scan;   /* all but what differs between ranges */
    trawl_study_scan_options study; /* that `scan` points to */
    trawl_segments segments;
    trawl_cuda_slots *slots;
    trawl_ring ring;
    trawl_fillers *fillers; /* NULL where the ring has no fills */
    trawl_cuda_room room;   /* of a slot that is used */
    bool pinned;            /* the text is page-locked: the device copies from it */
    const uint8_t *mapped;  /* zero-copy: the text as the device sees it */
    bool shared;            /* this scan has to leave the text (trawl_cuda_text_leave) */
    trawl_sink *sink;       /* NULL unless matches are wanted */
    trawl_counts *counts;   /* NULL unless counts are wanted */
    uint8_t *entries; /* NULL unless ends or states are wanted: host memory for those of all owned
                         bytes of the window */
    double in_until, scan_until, out_until; /* seconds after `start` when the last copy in, scan and
                                               copy out ended */
    trawl_cuda_part part;
} trawl_cuda_walk;

/* The first owned byte of a segment is aligned to this on the device; buffers have room for it. */
#define TRAWL_CUDA_TEXT_ALIGNMENT ((uint64_t)256)

/* Takes one window through the walker's device. `walk` has what is wanted: sink, counts or entries,
 * and the share. */
trawl_status trawl_cuda_walk_over(trawl_cuda_walker_state *walker, const trawl_window *window,
                                  trawl_cuda_form form, trawl_cuda_walk *walk, trawl_error *error);

/* Takes the window from segment to segment until its matches are delivered or something fails;
 * then work may still be under way. walker.cu prepares all that is in the structure. */
trawl_status trawl_cuda_walk_drive(trawl_cuda_walk *walk, trawl_error *error);

/* Adds the counters of patterns that were summed on the device to walk->counts, and sets them to 0:
 * those of the first set, or (half = 1) those of the second. */
trawl_status trawl_cuda_walk_fetch(const trawl_cuda_walk *walk, uint64_t half, trawl_error *error);

/* Bytes of the ends or states of `owned` bytes of text; 0 for the forms without entries. */
uint64_t trawl_cuda_entries_bytes(const trawl_cuda_db *uploaded, trawl_cuda_form form,
                                  uint64_t owned);

/* Walks a window of host memory with a walker of trawl_cuda_walker() and writes its ends or states
 * (form ENDS or STATES) to `entries`. */
trawl_status trawl_cuda_walk_entries(trawl_walker *walker, const trawl_window *window,
                                     trawl_cuda_form form, void *entries, trawl_error *error);

/* Makes `count` slots, none of which does anything; their room grows when they are first used. */
trawl_status trawl_cuda_slots_prepare(trawl_cuda_slots *slots, uint64_t count, trawl_error *error);

/* Frees all slots but `count`. */
void trawl_cuda_slots_keep(trawl_cuda_slots *slots, uint64_t count);
void trawl_cuda_slots_free(trawl_cuda_slots *slots);

/* Gives a slot more room. No work of the slot may be under way. */
trawl_status trawl_cuda_slot_grow(trawl_cuda_slot *slot, const trawl_cuda_room *room,
                                  trawl_error *error);

/* Gives a slot staging memory for a text of `bytes` bytes. */
trawl_status trawl_cuda_slot_stage(trawl_cuda_slot *slot, size_t bytes, trawl_error *error);

/* Page-locks a slot's staging memory, which has been filled, so that the device can copy from
 * it. */
trawl_status trawl_cuda_slot_lock(trawl_cuda_slot *slot, trawl_error *error);

/* Gives a slot page-locked memory on the host for `matches` matches. */
trawl_status trawl_cuda_slot_receive(trawl_cuda_slot *slot, uint64_t matches, trawl_error *error);

/* Device memory that `count` slots with this room would take beyond what they have. */
uint64_t trawl_cuda_slots_missing(const trawl_cuda_slots *slots, uint64_t count,
                                  const trawl_cuda_room *room);

/* Makes *memory at least `bytes` bytes of device memory; *held is its size. If it grows, its
 * content is lost. */
trawl_status trawl_cuda_grow(void **memory, size_t *held, size_t bytes, trawl_error *error);

/* ------------------------------------------------------------------ kept with a database */

/* The copy of `db` on a device, made at the first call, with `sample` (trawl_cuda_upload_options),
 * and kept until trawl_db_free. */
trawl_status trawl_cuda_upload_once(const trawl_db *db, uint32_t device, const uint8_t *sample,
                                    size_t sample_length, trawl_cuda_db **uploaded,
                                    trawl_error *error);

/* Takes the slots that were left with the database for this device, or an empty set. The device is
 * the current one, here and below. */
trawl_status trawl_cuda_slots_take(const trawl_db *db, uint32_t device, trawl_cuda_slots **slots,
                                   trawl_error *error);

/* Keeps the slots with the database for the next walk: all of them with `all`, else a few small
 * ones. Frees the others, and all if other slots are kept there already, or if `healthy` is false.
 * No work of the slots may be under way. NULL is allowed. */
void trawl_cuda_slots_leave(const trawl_db *db, uint32_t device, trawl_cuda_slots *slots, bool all,
                            bool healthy);

/*
 * Sets *pinned to whether a text is page-locked. With `lock`, page-locks it if the caller has not.
 * It stays locked until the last scan that has taken it leaves it: *shared says that this scan must
 * call trawl_cuda_text_leave. Call it after trawl_cuda_upload_once.
 */
trawl_status trawl_cuda_text_take(const trawl_db *db, uint32_t device, const uint8_t *text,
                                  size_t length, bool lock, bool *pinned, bool *shared,
                                  trawl_error *error);
void trawl_cuda_text_leave(const trawl_db *db, const uint8_t *text, size_t length);

#endif
