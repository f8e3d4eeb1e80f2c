/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Threads that sleep between the calls that need them, for work that comes in pieces at somebody
 * else's pace: a text from a pipe. OpenMP's threads wait for its next region busily, for
 * milliseconds: that is right where one region follows another at once, and wrong where each waits
 * for its text, and takes the processors from who makes that text.
 */
#ifndef TRAWL_BASE_TEAM_H
#define TRAWL_BASE_TEAM_H

#include "trawl/trawl.h"

typedef struct trawl_team trawl_team;

/* One member's part of a call; members are numbered from 0, which is who calls. */
typedef void (*trawl_team_work)(void *context, uint32_t member);

/* A team of at most `members`, with the caller. Its threads start when they are first needed. */
trawl_status trawl_team_open(trawl_team **team, uint32_t members, trawl_error *error);

/* Ends its threads. NULL is allowed. */
void trawl_team_close(trawl_team *team);

/* Runs work(context, 0) here and work(context, 1), ... on other threads, `members` in all at most,
 * and returns when all that have begun have ended. Who has not begun when member 0 ends does not
 * begin any more, and there are fewer where no threads could be started: member 0 must be able to
 * do everything. One call at a time. */
void trawl_team_run(trawl_team *team, uint32_t members, trawl_team_work work, void *context);

#endif
