/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Files that a command would use twice: an output that replaces what it reads, and a sample whose
 * bytes the text or the patterns need too. */
#ifndef CLI_FLAGS_OVERWRITE_H
#define CLI_FLAGS_OVERWRITE_H

#include "cli/flags/files.h"
#include "cli/flags/patterns.h"

/* What a command reads; each member may be NULL. The name "-" is standard input, which is compared
 * as the file that it is read from. */
typedef struct command_inputs {
    const file_options *files; /* texts that are named */
    const pattern_options *patterns;
    const string_list *lists, *lists0; /* files with names of texts */
    const char *database, *index, *sample, *profile;
} command_inputs;

/* True, after reporting it, if the output (NULL or "-": standard output) is one of these files, by
 * any of its names. Devices and pipes may be both. */
bool output_overwrites(const char *output, const command_inputs *inputs);

/* The same for a text that a list names. */
bool output_overwrites_text(const char *output, const char *text);

/* True, after reporting it, if a text that is named, and would be changed in place, has the
 * patterns or is the database. */
bool texts_overwrite(const command_inputs *inputs);

/* Lets -r pass over the file that the output would replace, and say so: "PATH: why". */
void except_output(file_options *files, const char *output, const char *why);

/* The same for files of patterns and the database, which are not replaced in. */
void except_inputs(file_options *files, const command_inputs *inputs);

/* True, after reporting it, if the sample is standard input and something else that is read is too,
 * or if both are the same pipe: what one of them reads, the other would lack. */
bool sample_is_used_up(const command_inputs *inputs);

#endif
