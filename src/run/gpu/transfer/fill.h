/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Bringing text into pinned memory, fast enough for a device that waits for it: several threads
 * copy from memory or read from a source, while the thread that drives the device starts fills and
 * asks for those that are complete. No thread but that one ever calls CUDA.
 *
 * A fill is divided into shares of a mebibyte, which threads take in the order in which fills were
 * started; so no thread waits for the end of one fill while there is another.
 */
#ifndef TRAWL_RUN_GPU_TRANSFER_FILL_H
#define TRAWL_RUN_GPU_TRANSFER_FILL_H

#include "base/team.h"
#include "run/gpu/transfer/tuning.h"
#include "scan/contract.h"

typedef struct trawl_fillers trawl_fillers;

/* Begins with room for `places` fills at a time, each called by its number, of bytes of the window.
 * The window must outlive it. */
trawl_status trawl_fillers_open(trawl_fillers **fillers, const trawl_window *window,
                                uint64_t places, trawl_error *error);

/* NULL is allowed. */
void trawl_fillers_close(trawl_fillers *fillers);

/* Runs drive(context) on the calling thread, which may use the functions below meanwhile, with
 * other threads of the team that fill: fewer for a short window. They have stopped when this
 * returns, also in the middle of fills that nobody has waited for. Without a team it fills alone.
 */
void trawl_fillers_run(trawl_fillers *fillers, trawl_team *team, void (*drive)(void *context),
                       void *context);

/* Starts bringing bytes [begin, end) of the window to `to`. The place must be free: never used, or
 * its fill awaited or seen complete. */
void trawl_fillers_start(trawl_fillers *fillers, uint64_t place, uint8_t *to, uint64_t begin,
                         uint64_t end);

bool trawl_fillers_done(trawl_fillers *fillers, uint64_t place);

/* Fills too until the place's fill is complete. */
void trawl_fillers_await(trawl_fillers *fillers, uint64_t place);

/* Of a complete fill: how far it got without a gap, an index into the window. Less than its end
 * after a failure, which is left in *status and *error. */
uint64_t trawl_fillers_reached(const trawl_fillers *fillers, uint64_t place, trawl_status *status,
                               trawl_error *error);

#endif
