/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Kernel `packed`: uploads its tables and starts it. */
#include "engines/qgram/cuda/packed.cuh"

/* Uploads what ends with each 8-mer if that is one match, else its key. */
static const uint2 *put_singles(trawl_cuda_uploader *upload,
                                const trawl_cuda_packed_layout *layout) {
    const trawl_cuda_qgram_arrays *arrays = &layout->arrays;
    const uint64_t bytes = TRAWL_CUDA_PACKED_KMERS * sizeof(uint2);
    uint2 *singles = (uint2 *)trawl_allocate(TRAWL_CUDA_PACKED_KMERS, sizeof *singles);
    if (singles == NULL) {
        upload->code = cudaErrorMemoryAllocation;
        return NULL;
    }
    for (uint32_t number = 0; number < TRAWL_CUDA_PACKED_KMERS; number++) {
        const uint32_t key = layout->key_of[number];
        const bool single = key != TRAWL_NO_KEY && arrays->total[key] == 1 &&
                            (arrays->verify[key] & TRAWL_VERIFY_CHAIN) == 0;
        singles[number] = single ? make_uint2(arrays->ids[arrays->first[key]], arrays->length[key])
                                 : make_uint2(key, 0);
    }
    const uint2 *place = (const uint2 *)trawl_cuda_put(upload, singles, bytes);
    trawl_release(singles);
    return place;
}

void trawl_cuda_packed_put(trawl_cuda_uploader *upload, const trawl_cuda_packed_layout *layout,
                           trawl_cuda_packed_view *view, trawl_cuda_keys *keys) {
    const uint64_t kmers = TRAWL_CUDA_PACKED_KMERS;
    const uint4 tables = make_uint4(layout->letters, layout->folds, 0x08040201u, 0x100u);
    view->shift = layout->shift;
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
    view->singles = put_singles(upload, layout);
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
                                      const trawl_cuda_reporter *reporter, uint32_t *marks,
                                      cudaStream_t stream, trawl_error *error) {
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
                                   marks,
                                   blocks < most ? blocks : most,
                                   plan->block_threads,
                                   &uploaded->device,
                                   stream};
    return reporter->output.pass == TRAWL_CUDA_PASS_RECORDS
               ? trawl_cuda_packed_write_records(&call, error)
               : trawl_cuda_packed_scan(&call, error);
}
