/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Kernel `packed`: uploads its tables and starts it. */
#include "engines/qgram/cuda/packed.cuh"

void trawl_cuda_packed_put(trawl_cuda_uploader *upload, const trawl_cuda_packed_layout *layout,
                           trawl_cuda_packed_view *view, trawl_cuda_keys *keys) {
    const uint64_t kmers = TRAWL_CUDA_PACKED_KMERS;
    const uint4 tables = make_uint4(layout->letters, layout->folds, 0x08040201u, 0x100u);
    view->mask = 0x03030303u << layout->shift;
    view->pack_factor = 0x01041040u >> layout->shift;
    view->nibble_factor = 0x110u >> layout->shift;
    view->min_length = layout->min_length;
    view->max_length = layout->max_length;
    view->planes = layout->planes;
    view->folded = layout->folds != 0;
    view->verify = layout->verify;
    view->image = (const uint4 *)trawl_cuda_put(upload, layout->image, layout->planes * kmers);
    view->ends = (const uint4 *)trawl_cuda_put(upload, layout->ends, kmers);
    view->tables = (const uint4 *)trawl_cuda_put(upload, &tables, sizeof tables);
    view->key_of = (const uint32_t *)trawl_cuda_put(upload, layout->key_of, 4 * kmers);
    trawl_cuda_put_outputs(upload, &layout->arrays, keys);
    view->keys = *keys;
}

uint32_t trawl_cuda_packed_shared_bytes(const trawl_cuda_packed_view *view, trawl_cuda_form form) {
    bool counted = form == TRAWL_CUDA_COUNT || form == TRAWL_CUDA_MATCHES;
    return (counted && view->planes != 0 ? view->planes : 1) * TRAWL_CUDA_PACKED_KMERS;
}

trawl_status trawl_cuda_packed_launch(const trawl_cuda_db *uploaded,
                                      const trawl_cuda_launch_plan *plan,
                                      const trawl_cuda_packed_view *view,
                                      const trawl_cuda_reporter *reporter, cudaStream_t stream,
                                      trawl_error *error) {
    uint32_t strips = trawl_cuda_strip_count(&reporter->slice, plan->strip_bytes);
    uint32_t warps = plan->block_threads / 32;
    uint32_t blocks = (strips + warps - 1) / warps;
    /* Smaller blocks share a multiprocessor, as far as its memory allows. */
    uint32_t threads = trawl_qgram_tuned::packed_threads / plan->block_threads;
    uint32_t memory = (uint32_t)(uploaded->device.shared_bytes / plan->shared_bytes);
    uint32_t most =
        (threads < memory ? threads : memory) * (uint32_t)uploaded->device.multiprocessors;
    trawl_cuda_packed_call call = {reporter,
                                   view,
                                   plan->strip_bytes,
                                   blocks < most ? blocks : most,
                                   plan->block_threads,
                                   &uploaded->device,
                                   stream};
    return trawl_cuda_packed_scan(&call, error);
}
