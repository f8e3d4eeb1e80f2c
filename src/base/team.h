/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The threads of one scan. They start when a call first needs them, sleep between calls, since the
 * next piece of a text may come late, and end with the scan. Where the system refuses to create a
 * thread, a call runs with fewer.
 *
 * A fork copies only the thread that calls it. The child may use and close a team that no call was
 * using at the time; where its calls need threads, they start new ones.
 */
#ifndef TRAWL_BASE_TEAM_H
#define TRAWL_BASE_TEAM_H

#include "trawl/trawl.h"

typedef struct trawl_team trawl_team;

/* What each member does in a call. Member 0 is the calling thread. */
typedef void (*trawl_team_work)(void *context, uint32_t member);

/* Opens a team of at most `members`, the calling thread included. Threads are started when they are
 * first needed. */
trawl_status trawl_team_open(trawl_team **team, uint32_t members, trawl_error *error);

/* Ends the threads and frees the team. NULL is allowed. */
void trawl_team_close(trawl_team *team);

/* Processors that this process may run on; at least 1. */
uint32_t trawl_processors(void);

/* Calls work(context, 0) here and work(context, 1), ... on other threads, `members` calls at most,
 * and returns when all calls have returned. A member that has not begun when member 0 returns is
 * not called, and there are fewer members if threads could not be started: member 0 must be able to
 * do all of the work. One thread at a time may call this function. Without a team (NULL) there is
 * only member 0. */
void trawl_team_run(trawl_team *team, uint32_t members, trawl_team_work work, void *context);

#endif
