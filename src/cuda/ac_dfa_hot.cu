/* Kernel "hot": the shape of a launch, and which of its two walks serves a pass. */
#include "cuda/ac_dfa_hot.cuh"

#define MOST_BLOCK_BYTES (UINT32_C(1) << 27)
#define PIECE_UNIT UINT64_C(4096)
#define UNIT 32u /* bytes of text that a thread reads at once */

/* How long parts are. Shorter ones mean more threads but also a greater share of bytes walked
 * twice; as many threads as fit are wanted, unless so many bytes would be walked twice that it is
 * better to have fewer, but never fewer than keep a multiprocessor's shared memory busy. */
#define FEWEST_THREAD_BYTES 64u
#define BYTES_PER_OVERLAP 32u
#define BUSY_LANES 512u
/* Parts of each thread: no thread then waits long for the others' last ones. */
#define ROUNDS 2u

/* ------------------------------------------------------------------ planning */

static uint32_t choose_thread_bytes(uint64_t length, uint32_t overlap, uint32_t multiprocessors,
                                    uint32_t threads) {
    uint64_t units = length + 16; /* parts may begin up to 15 bytes before the text */
    uint64_t full = units / ((uint64_t)multiprocessors * threads * ROUNDS) + 1;
    uint64_t busy = units / ((uint64_t)multiprocessors * BUSY_LANES) + 1;
    uint64_t little_overlap = (uint64_t)overlap * BYTES_PER_OVERLAP;
    uint64_t bytes = little_overlap < busy ? little_overlap : busy;
    bytes = bytes > full ? bytes : full;
    bytes = bytes > FEWEST_THREAD_BYTES ? bytes : FEWEST_THREAD_BYTES;
    return (uint32_t)((bytes + UNIT - 1) / UNIT * UNIT);
}

trawl_status trawl_cuda_hot_plan(const trawl_cuda_db *uploaded, const trawl_cuda_wishes *wishes,
                                 trawl_cuda_plan *plan, trawl_error *error) {
    const trawl_cuda_hot *hot = ((const trawl_cuda_ac_dfa_tables *)uploaded->tables)->hot;
    bool staged = wishes->form != TRAWL_CUDA_COUNT; /* gathered states, or notes of matches */
    uint32_t most = staged ? hot->stage_bytes / TRAWL_HOT_STAGE_BYTES : TRAWL_CUDA_MOST_THREADS;
    if (wishes->table_path == TRAWL_TABLES_TEXTURE) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "ac-dfa: kernel hot has no table path texture: its tables are in shared "
                          "memory and behind read-only loads; kernels ac1 to ac4 have");
    }
    plan->table_path = TRAWL_TABLES_READ_ONLY;
    uint32_t threads = wishes->block_threads != 0 ? wishes->block_threads : most;
    if (threads > most) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "ac-dfa, kernel hot: %u threads per block; with results other than a "
                          "count, up to %u are expected",
                          threads, most);
    }
    uint64_t pieces = wishes->length / TRAWL_CUDA_LARGEST_PIECE + 1;
    uint64_t piece = wishes->length / pieces + 1;
    plan->piece_bytes = (piece + PIECE_UNIT - 1) / PIECE_UNIT * PIECE_UNIT;
    plan->block_threads = threads;
    uint32_t thread_bytes = choose_thread_bytes(
        plan->piece_bytes, hot->view.overlap, (uint32_t)uploaded->device.multiprocessors, threads);
    plan->shared_bytes = staged ? hot->staged_image.image_bytes + threads * TRAWL_HOT_STAGE_BYTES
                                : hot->view.image.image_bytes;
    return trawl_cuda_plan_text(uploaded, wishes, thread_bytes, UNIT, MOST_BLOCK_BYTES, plan,
                                error);
}

trawl_status trawl_cuda_hot_launch(const trawl_cuda_db *uploaded, const trawl_cuda_plan *plan,
                                   const trawl_cuda_reporter *reporter, cudaStream_t stream,
                                   trawl_error *error) {
    const trawl_cuda_hot *hot = ((const trawl_cuda_ac_dfa_tables *)uploaded->tables)->hot;
    uint32_t multiprocessors = (uint32_t)uploaded->device.multiprocessors;
    trawl_cuda_pass pass = reporter->output.pass;
    bool staged = pass != TRAWL_CUDA_PASS_COUNT && pass != TRAWL_CUDA_PASS_SIZES;
    trawl_cuda_hot_call call = {reporter,
                                uploaded->keys[0],
                                hot->view,
                                trawl_cuda_block_count(&reporter->piece, plan),
                                plan->block_threads,
                                plan->thread_bytes,
                                0,
                                &uploaded->device,
                                stream};
    call.blocks = call.blocks < multiprocessors ? call.blocks : multiprocessors;
    call.view.image = staged ? hot->staged_image : hot->view.image;
    call.shared_bytes =
        call.view.image.image_bytes + (staged ? plan->block_threads * TRAWL_HOT_STAGE_BYTES : 0);
    return pass == TRAWL_CUDA_PASS_STATES ? trawl_cuda_hot_states(&call, error)
                                          : trawl_cuda_hot_report(&call, hot->verify, error);
}
