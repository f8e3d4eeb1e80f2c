/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the tables of Charan 2015 share. */
#ifndef CLI_REPRODUCE_CHARAN_H
#define CLI_REPRODUCE_CHARAN_H

#include "cli/reproduce/paper.h"

/* The queries of 2.2, by Knuth, Morris and Pratt and by an index. */
extern const paper_shape charan_by_query;

#endif
