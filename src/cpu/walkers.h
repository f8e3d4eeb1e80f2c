/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The CPU walkers, one for each engine. */
#ifndef TRAWL_CPU_WALKERS_H
#define TRAWL_CPU_WALKERS_H

#include "engine/walk.h"

/* The walker of the database's engine. Every engine has one: never NULL for a valid database. */
const trawl_walker_type *trawl_cpu_walker(const trawl_db *db);

extern const trawl_walker_type trawl_cpu_ac_dfa;
extern const trawl_walker_type trawl_cpu_ac_nfa;
extern const trawl_walker_type trawl_cpu_ac_split;
extern const trawl_walker_type trawl_cpu_wu_manber;
extern const trawl_walker_type trawl_cpu_rabin_karp;
extern const trawl_walker_type trawl_cpu_qgram;

#endif
