/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Which patterns of a key are equal, so that a text is compared once for all of them.
 *
 * Where some patterns of a set match in any case and others do not, keys are lower-cased strings,
 * and case-sensitive patterns are compared with the text once more (TRAWL_VERIFY_OWN). Rules and
 * phrases often have the same pattern hundreds of times: of one key all patterns that match in any
 * case are equal, and so are case-sensitive ones of the same bytes.
 *
 *     ids of the key "get"    4 "GET"    7 "Get"    9 "GET"    12 "GET"
 *     times                   3          1          0          0
 *     next                    1          4          0 (4)      0 (4)
 */
#ifndef TRAWL_GPU_EQUAL_PATTERNS_CUH
#define TRAWL_GPU_EQUAL_PATTERNS_CUH

#include "gpu/contract.cuh"

/* Patterns of a key that differ: only the first so many are found again among its later ones. Each
 * has a bit of a word while a key's matches are reported. */
#define TRAWL_EQUAL_PATTERNS_KINDS 32u

/* For each element of outputs.ids. */
struct trawl_equal_patterns {
    uint32_t times; /* how many patterns of the key are equal to this one, which is the first of
                       them; 0: it is equal to an earlier one */
    uint32_t next;  /* first ones: the index in outputs.ids of the key's next first one, or of the
                       next key's patterns; else how many first ones come before its equal */
};

/* Makes the table of one part, if a key needs it, and copies it to device memory, which belongs to
 * `keys`. `outputs` and `patterns` are the host's. */
trawl_status trawl_cuda_upload_equal_patterns(const trawl_outputs *outputs,
                                              const trawl_pattern_view *patterns,
                                              trawl_cuda_keys *keys, trawl_error *error);

#endif
