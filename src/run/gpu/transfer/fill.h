/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Fills page-locked memory with text, fast enough for a device that waits for it. Several threads
 * copy the text from memory or read it from a source. The thread that drives the device starts
 * fills and asks which are complete; no other thread calls CUDA.
 *
 * A fill is divided into shares of a mebibyte. Threads take shares in the order in which the fills
 * were started, so that no thread waits for the end of one fill while another one has shares left.
 */
#ifndef TRAWL_RUN_GPU_TRANSFER_FILL_H
#define TRAWL_RUN_GPU_TRANSFER_FILL_H

#include "base/team.h"
#include "run/gpu/transfer/tuning.h"
#include "scan/contract.h"

typedef struct trawl_fillers trawl_fillers;

/* Opens a set of fillers for bytes of the window, which must outlive it. At most `places` fills are
 * under way at a time; each is named by its place, 0 .. places - 1. TRAWL_ERROR_MEMORY. */
trawl_status trawl_fillers_open(trawl_fillers **fillers, const trawl_window *window,
                                uint64_t places, trawl_error *error);

/* NULL is allowed. */
void trawl_fillers_close(trawl_fillers *fillers);

/* Runs drive(context) on the calling thread, which may use the functions below meanwhile. Other
 * threads of the team fill, fewer of them for a short window. When this returns they have
 * stopped, even if fills that nobody has waited for are incomplete. Without a team the calling
 * thread fills. */
void trawl_fillers_run(trawl_fillers *fillers, trawl_team *team, void (*drive)(void *context),
                       void *context);

/* Starts the fill of `place`: bytes [begin, end) of the window are written to `to`. The place must
 * be free: never used, or its last fill awaited or found complete. */
void trawl_fillers_start(trawl_fillers *fillers, uint64_t place, uint8_t *to, uint64_t begin,
                         uint64_t end);

/* Whether the fill of a place is complete. Does not wait. */
bool trawl_fillers_done(trawl_fillers *fillers, uint64_t place);

/* Waits until the fill of a place is complete; the calling thread takes shares of it meanwhile. */
void trawl_fillers_await(trawl_fillers *fillers, uint64_t place);

/* How far a complete fill has got without a gap, as an index into the window. Less than the end of
 * the fill if reading failed; *status and *error then say why. */
uint64_t trawl_fillers_reached(const trawl_fillers *fillers, uint64_t place, trawl_status *status,
                               trawl_error *error);

#endif
