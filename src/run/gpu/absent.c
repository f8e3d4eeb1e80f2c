/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What this folder's CUDA code defines, for a build without CUDA: every call fails and says why. */
#include "gpu/absent.h"

#include "run/gpu/walkers.h"
#include "trawl/trawl_cuda_rows.h"
#include "trawl/trawl_study.h"

const trawl_walker_type *trawl_cuda_walker(void) {
    return NULL;
}

const trawl_walker_type *trawl_cuda_group_walker(void) {
    return NULL;
}

trawl_status trawl_cuda_upload(const trawl_db *db, const trawl_cuda_upload_options *options,
                               trawl_cuda_db **uploaded, trawl_error *error) {
    (void)db, (void)options;
    if (uploaded != NULL) {
        *uploaded = NULL;
    }
    return trawl_cuda_absent(error);
}

trawl_status trawl_study_cuda_entries(const trawl_db *db, const void *text, uint64_t length,
                                      trawl_cuda_form form, const trawl_scan_options *options,
                                      void *entries, uint64_t bytes, trawl_error *error) {
    (void)db, (void)text, (void)length, (void)form, (void)options, (void)entries, (void)bytes;
    return trawl_cuda_absent(error);
}

trawl_status trawl_cuda_workspace(const trawl_cuda_db *uploaded,
                                  const trawl_cuda_scan_options *scan, uint64_t length,
                                  size_t *bytes, trawl_error *error) {
    (void)uploaded, (void)scan, (void)length, (void)bytes;
    return trawl_cuda_absent(error);
}

trawl_status trawl_cuda_scan(const trawl_cuda_db *uploaded, const trawl_cuda_scan_options *scan,
                             const void *text, uint64_t length, const trawl_cuda_results *results,
                             void *workspace, size_t workspace_bytes, void *stream,
                             trawl_error *error) {
    (void)uploaded, (void)scan, (void)text, (void)length, (void)results;
    (void)workspace, (void)workspace_bytes, (void)stream;
    return trawl_cuda_absent(error);
}

trawl_status trawl_cuda_scan_parts(const trawl_cuda_text_part *parts, size_t count,
                                   const char *kernel, trawl_cuda_combined *combined,
                                   trawl_error *error) {
    (void)parts, (void)count, (void)kernel, (void)combined;
    return trawl_cuda_absent(error);
}

trawl_status trawl_cuda_rows_workspace(const trawl_cuda_db *uploaded,
                                       const trawl_cuda_rows_options *options, size_t *bytes,
                                       trawl_error *error) {
    (void)uploaded, (void)options, (void)bytes;
    return trawl_cuda_absent(error);
}

trawl_status trawl_cuda_rows_scan(const trawl_cuda_db *uploaded,
                                  const trawl_cuda_rows_options *options,
                                  const trawl_cuda_rows *rows,
                                  const trawl_cuda_row_results *results, void *workspace,
                                  size_t workspace_bytes, void *stream, trawl_error *error) {
    (void)uploaded, (void)options, (void)rows, (void)results;
    (void)workspace, (void)workspace_bytes, (void)stream;
    return trawl_cuda_absent(error);
}

trawl_status trawl_study_cuda_layout(const trawl_cuda_db *uploaded,
                                     const trawl_cuda_scan_options *scan, uint64_t length,
                                     trawl_cuda_layout *layout, trawl_error *error) {
    (void)uploaded, (void)scan, (void)length, (void)layout;
    return trawl_cuda_absent(error);
}

trawl_status trawl_cuda_pin(const void *bytes, size_t length, trawl_error *error) {
    (void)bytes, (void)length;
    return trawl_cuda_absent(error);
}

void trawl_cuda_unpin(const void *bytes) {
    (void)bytes;
}

trawl_status trawl_study_cuda_measure(const trawl_cuda_db *uploaded,
                                      const trawl_cuda_scan_options *scan, const void *text,
                                      uint64_t length, uint32_t repeats, double *seconds,
                                      uint64_t *total, trawl_error *error) {
    (void)uploaded, (void)scan, (void)text, (void)length, (void)repeats, (void)seconds, (void)total;
    return trawl_cuda_absent(error);
}

trawl_status trawl_study_cuda_measure_steps(const trawl_cuda_db *uploaded, const void *text,
                                            uint64_t length, uint32_t repeats,
                                            trawl_study_steps *steps, trawl_error *error) {
    (void)uploaded, (void)text, (void)length, (void)repeats, (void)steps;
    return trawl_cuda_absent(error);
}

trawl_status trawl_study_cuda_ceilings(uint32_t device, trawl_cuda_ceilings *ceilings,
                                       trawl_error *error) {
    (void)device, (void)ceilings;
    return trawl_cuda_absent(error);
}
