/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The order of work when a text is copied to a device in segments and matches are copied back:
 * which step comes next, for which segment and slot. This is a state machine without side effects.
 * The walker takes the steps, and tells the ring which steps of the device are complete.
 *
 * A slot has an input side (the text of a segment, in page-locked memory and on the device) and an
 * output side (the matches of one range of a segment); segment s uses slot s % slots. The input
 * side is free as soon as the last range of its text has been scanned, so that the next text can be
 * copied in while matches are copied out.
 *
 * Strategies A and B are those of Zha & Sahni 2011, V. The ring generalises both: as many segments
 * are under way as there are slots, without A's memory for all segments and without B's barriers.
 */
#ifndef TRAWL_RUN_GPU_TRANSFER_RING_H
#define TRAWL_RUN_GPU_TRANSFER_RING_H

#include <stdbool.h>

#include "base/status.h"
#include "run/gpu/transfer/tuning.h"

typedef enum trawl_strategy {
    TRAWL_STRATEGY_RING,
    TRAWL_STRATEGY_A,        /* Fig. 6: all segments on the device, three loops */
    TRAWL_STRATEGY_B,        /* Fig. 7: two buffers, a barrier after each step */
    TRAWL_STRATEGY_ZERO_COPY /* a ring whose segments are read where they are */
} trawl_strategy;

/* The strategy of a name that trawl_scan_options.transfer takes; NULL is "ring". */
trawl_status trawl_strategy_find(const char *name, trawl_strategy *strategy, trawl_error *error);
const char *trawl_strategy_name(trawl_strategy strategy);

typedef enum trawl_ring_step {
    TRAWL_RING_FILL,           /* start bringing the segment's text into the slot's pinned memory */
    TRAWL_RING_COPY_IN,        /* start copying it to the device */
    TRAWL_RING_SCAN,           /* start scanning the slot's next range, behind its copy */
    TRAWL_RING_COPY_OUT,       /* start copying the range's matches to the host */
    TRAWL_RING_DELIVER,        /* hand the range's matches on, then call trawl_ring_delivered:
                                  segments and ranges come in order */
    TRAWL_RING_AWAIT_FILL,     /* wait, then call trawl_ring_filled */
    TRAWL_RING_AWAIT_COPY_IN,  /* wait, then call trawl_ring_copied_in */
    TRAWL_RING_AWAIT_SCAN,     /* wait, then call trawl_ring_scanned */
    TRAWL_RING_AWAIT_COPY_OUT, /* wait, then call trawl_ring_copied_out */
    TRAWL_RING_FINISHED
} trawl_ring_step;

typedef struct trawl_ring_action {
    trawl_ring_step step;
    uint64_t slot;
    uint64_t segment;
} trawl_ring_action;

typedef enum trawl_ring_scanned_as {
    TRAWL_RING_RANGE,      /* the matches fit; more ranges of the segment follow */
    TRAWL_RING_LAST_RANGE, /* they fit, and the segment is done */
    TRAWL_RING_AGAIN       /* there were too many: a narrower range must be scanned instead */
} trawl_ring_scanned_as;

typedef enum trawl_ring_input {
    TRAWL_INPUT_EMPTY,
    TRAWL_INPUT_FILLING,
    TRAWL_INPUT_FILLED, /* in pinned memory */
    TRAWL_INPUT_LOADED, /* on its way to the device or there; a range waits to be scanned */
    TRAWL_INPUT_SCANNING
} trawl_ring_input;

typedef enum trawl_ring_output {
    TRAWL_OUTPUT_FREE,
    TRAWL_OUTPUT_SCANNING,
    TRAWL_OUTPUT_SCANNED, /* matches on the device */
    TRAWL_OUTPUT_COPYING,
    TRAWL_OUTPUT_READY,
    TRAWL_OUTPUT_DELIVERING
} trawl_ring_output;

typedef struct trawl_ring_slot {
    trawl_ring_input input;
    trawl_ring_output output;
    uint64_t input_segment;
    uint64_t output_segment;
    bool copying_in; /* not known to be complete, even if the scan behind it has begun */
    bool last;       /* `output` is of its segment's last range */
} trawl_ring_slot;

typedef struct trawl_ring {
    trawl_strategy strategy;
    bool fill;    /* texts go through pinned memory of the slots */
    bool copy_in; /* texts are copied to the device */
    uint64_t segments;
    uint64_t fills; /* the first segment whose fill has not begun; with fill */
    uint64_t next;  /* the first segment that is not on its way to the device */
    uint64_t turn;  /* the first segment that is not delivered */
    uint64_t step;  /* of strategy B */
    uint32_t phase; /* of strategy B */
    uint64_t slots;
    trawl_ring_slot *slot;
} trawl_ring;

/* Slots that a strategy needs for `segments` segments. `wished`: the slots of a ring that the
 * caller wants; 0: chosen here. */
uint64_t trawl_ring_slots(trawl_strategy strategy, uint64_t segments, uint32_t wished, bool fill);

/* Begins a ring; free it with trawl_ring_close. `fill` as in the structure. */
trawl_status trawl_ring_open(trawl_ring *ring, trawl_strategy strategy, uint64_t segments,
                             uint64_t slots, bool fill, trawl_error *error);
void trawl_ring_close(trawl_ring *ring);

/* The next step. The next call to any of these functions tells the ring that it has been taken (or,
 * for work of the device, started). */
trawl_ring_action trawl_ring_next(trawl_ring *ring);

/* A step that only starts work, to be taken in the midst of a delivery so that the device has work
 * meanwhile. False: there is none now. */
bool trawl_ring_ahead(trawl_ring *ring, trawl_ring_action *action);

/* The slot of the oldest segment that is being scanned, or filled. The walker may report its
 * completion before the ring asks for it. */
bool trawl_ring_scanning(const trawl_ring *ring, uint64_t *slot);
bool trawl_ring_filling(const trawl_ring *ring, uint64_t *slot);

/*
 * For a ring whose number of segments is not known when it is opened: it is opened with none. When
 * it is hungry (it has a free slot and no segment for it) and the walker has another segment, the
 * walker lets it grow by one. For strategies RING and ZERO_COPY.
 */
bool trawl_ring_hungry(const trawl_ring *ring);
void trawl_ring_grow(trawl_ring *ring);

void trawl_ring_filled(trawl_ring *ring, uint64_t slot);

/* Says that there are only `segments` segments, at least those that are on their way to the device.
 * Fills of later ones are dropped. */
void trawl_ring_end(trawl_ring *ring, uint64_t segments);

void trawl_ring_copied_in(trawl_ring *ring, uint64_t slot);

/* `matches`: whether there is anything to copy out. */
void trawl_ring_scanned(trawl_ring *ring, uint64_t slot, trawl_ring_scanned_as as, bool matches);

void trawl_ring_copied_out(trawl_ring *ring, uint64_t slot);
void trawl_ring_delivered(trawl_ring *ring, uint64_t slot);

#endif
