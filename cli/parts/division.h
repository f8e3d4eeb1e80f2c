/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The flags for large texts: lists of texts, shards, journals. */
#ifndef CLI_PARTS_DIVISION_H
#define CLI_PARTS_DIVISION_H

#include "cli/base/memory.h"
#include "cli/flags/arguments.h"
#include "io/directory.h"

typedef struct division_options {
    string_list lists;  /* --files-from: names end with LF */
    string_list lists0; /* --files0-from: names end with NUL */
    uint64_t shard;     /* --shard K/N: K, from 1 on; 0: not given */
    uint64_t shards;    /* N */
    const char *journal;
    bool resume;
    uint64_t segment_bytes; /* 0: not given */
    bool static_split;      /* trawl-mpi --split static */
} division_options;

extern const flag division_flags[];
extern const flag split_flags[]; /* of trawl-mpi alone */

/* FLAG_NOT_MINE, FLAG_TAKEN or, after reporting, FLAG_REFUSED. */
int division_options_take(division_options *options, const arguments *arguments, int id);

/* Whether the flags fit together and to -o, whose value is `output` or NULL. False after
 * reporting. */
bool division_options_check(const division_options *options, const command *command,
                            const char *output);

/* Whether only one thing is read from standard input: the texts' names, the patterns if
 * `patterns`, or a text if `text`. False after reporting. */
bool division_options_share_stdin(const division_options *options, const command *command,
                                  bool patterns, bool text);

/* The folder that the options name; of a shard, a folder in it. The caller frees it. */
char *division_folder(const division_options *options);

/* Whether the folder of --journal is there, which -r then passes over: its parts are no texts. */
bool division_exception(const division_options *options, file_exception *exception);

/* The bytes of a segment if the user does not give them, for texts of `bytes` bytes together. */
uint64_t division_default_segment(uint64_t bytes);

void division_options_release(division_options *options);

#endif
