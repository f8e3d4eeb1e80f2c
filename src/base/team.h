/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The threads of one scan. They start when a call first needs them, sleep between calls, since the
 * next piece of a text may come late, and end with the scan. Where the system refuses to create a
 * thread, a call runs with fewer.
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

/* Processors that this process may run on; at least 1. */
uint32_t trawl_processors(void);

/* Runs work(context, 0) here and work(context, 1), ... on other threads, `members` in all at most,
 * and returns when all that have begun have ended. Who has not begun when member 0 ends does not
 * begin any more, and there are fewer where no threads could be started: member 0 must be able to
 * do everything. One call at a time. Without a team (NULL) there is only member 0. */
void trawl_team_run(trawl_team *team, uint32_t members, trawl_team_work work, void *context);

#endif
