/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TRAWL_BASE_MEMORY_BYTES_H
#define TRAWL_BASE_MEMORY_BYTES_H

#include <stdint.h>

/* Bytes of memory that this process may use: those of the machine, or of its control group (a
 * container's limit, say), if these are fewer. 0: not known. Reads files of the system each time.
 */
uint64_t trawl_memory_bytes(void);

#endif
