/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * rabin-karp, kernel rolling: every thread hashes the first window that ends in its strip and rolls
 * the hash over the others, one launch for each pass.
 */
#include "engines/rabin_karp/cuda/engine.cuh"
#include "gpu/strip.cuh"

/* Bytes of text of a block at most: longer strips than any test or measurement asks for. Chosen,
 * not measured. */
#define MOST_BLOCK_BYTES (UINT32_C(1) << 28)

/* The kinds of arithmetic, as in engines/rabin_karp/scan.c: d^window is 0; modulo 2^64; modulo
 * q. */
enum arithmetic { VANISHING, WRAPPING, MODULAR };

/* Reads a text byte by byte. Four bytes are loaded at a time where the address is aligned and so
 * many are left. */
typedef struct byte_reader {
    const uint8_t *at;   /* the byte after those in `word` */
    const uint8_t *past; /* the end of the text that may be read */
    uint32_t word;
    uint32_t left; /* bytes in `word` */
} byte_reader;

static __device__ __forceinline__ uint32_t read_byte(byte_reader *reader) {
    if (reader->left == 0) {
        if ((uintptr_t)reader->at % 4 == 0 && reader->past - reader->at >= 4) {
            reader->word = __ldg((const uint32_t *)reader->at);
            reader->left = 4;
        } else {
            reader->word = *reader->at;
            reader->left = 1;
        }
        reader->at += reader->left;
    }
    uint32_t byte = reader->word & 0xff;
    reader->word >>= 8;
    reader->left--;
    return byte;
}

/* Returns the hash of the `window` bytes at `bytes`, not fully reduced. */
static __device__ __forceinline__ uint64_t hash_window(const trawl_rolling &rolling,
                                                       const trawl_rolling_table *table,
                                                       const uint8_t *bytes, uint32_t window) {
    byte_reader reader = {bytes, bytes + window, 0, 0};
    uint64_t hash = 0;
    for (uint32_t i = 0; i < window; i++) {
        hash = trawl_rolling_step(&rolling, hash, table->entering[read_byte(&reader)]);
    }
    return hash;
}

/* paper: searches the windows that end with text[first] .. text[past - 1], at least one. */
static __device__ __forceinline__ void roll_paper(const trawl_cuda_reporter &reporter,
                                                  const trawl_cuda_rabin_karp_pass &pass,
                                                  const trawl_rolling_table *table,
                                                  const uint32_t *filter, uint32_t first,
                                                  uint32_t past, trawl_counter *cursor) {
    const uint8_t *text = reporter.slice.text;
    const uint8_t *begin = text + (first + 1 - pass.window);
    byte_reader entering = {text + first + 1, text + past, 0, 0};
    byte_reader leaving = {begin, text + past, 0, 0};
    uint64_t hash = hash_window(pass.rolling, table, begin, pass.window);
    for (uint32_t end = first + 1;; end++) {
        uint64_t reduced = trawl_rolling_reduce(&pass.rolling, hash);
        if (trawl_cuda_rabin_karp_passes<true>(pass, filter, reduced) &&
            trawl_cuda_rabin_karp_may_stand(pass, filter, text, end)) {
            trawl_cuda_rabin_karp_look_up<true>(reporter, pass, reduced, end, cursor);
        }
        if (end == past) {
            break;
        }
        uint64_t sum = table->entering[read_byte(&entering)];
        sum += table->leaving[read_byte(&leaving)];
        hash = trawl_rolling_step(&pass.rolling, hash, sum);
    }
}

/* grouped: finds the candidates among the windows that end with text[first] .. text[past - 1], at
 * least one and at most TRAWL_ROLLING_STRETCH: window i is bit i % 32 of noted[i / 32]. */
template <int KIND>
static __device__ __forceinline__ void
roll_stretch(const trawl_cuda_rabin_karp_pass &pass, const trawl_rolling_table *table,
             const uint32_t *filter, const uint8_t *text, uint32_t first, uint32_t past,
             uint32_t *noted) {
    trawl_rolling rolling = pass.rolling;
    rolling.modulus = KIND == MODULAR ? rolling.modulus : 0; /* constants, for the compiler */
    const uint8_t *begin = text + (first + 1 - pass.window);
    byte_reader entering = {text + first + 1, text + past, 0, 0};
    byte_reader leaving = {begin, text + past, 0, 0};
    uint64_t hash = hash_window(rolling, table, begin, pass.window);
    uint32_t word = 0;
    uint32_t last = past - first - 1;
    for (uint32_t i = 0;; i++) {
        uint64_t reduced = trawl_rolling_reduce(&rolling, hash);
        word |= (uint32_t)trawl_cuda_rabin_karp_passes<false>(pass, filter, reduced) << i % 32;
        if (i % 32 == 31 || i == last) {
            noted[i / 32] = word;
            word = 0;
        }
        if (i == last) {
            break;
        }
        uint64_t sum = table->entering[read_byte(&entering)];
        if (KIND != VANISHING) {
            sum += table->leaving[read_byte(&leaving)];
        }
        hash = trawl_rolling_step(&rolling, hash, sum);
    }
}

/* Reads a text four bytes at a time, from any address on, by aligned loads of words:
 *
 *     address % 4     0 1 2 3 | 0 1 2 3 | 0 1 2 3
 *     text                b b   b b b b   b b ..      shift is 16 bits
 *                     `before`    *at
 *
 * Up to three bytes before the text and up to seven behind its end are loaded too. */
typedef struct word_reader {
    const uint32_t *at;
    uint32_t before; /* the word before *at */
    uint32_t shift;
} word_reader;

static __device__ __forceinline__ word_reader open_words(const uint8_t *bytes) {
    uint32_t skipped = (uint32_t)((uintptr_t)bytes % 4);
    const uint32_t *at = (const uint32_t *)(bytes - skipped);
    word_reader reader = {at + 1, __ldg(at), 8 * skipped};
    return reader;
}

static __device__ __forceinline__ uint32_t read_four(word_reader *reader) {
    uint32_t word = __ldg(reader->at++);
    uint32_t four = __funnelshift_r(reader->before, word, reader->shift);
    reader->before = word;
    return four;
}

/* Whether word_reader may read the windows of a stretch: all bytes that it loads are in the
 * slice. */
static __device__ __forceinline__ bool is_whole(const trawl_cuda_slice &slice, uint32_t window,
                                                uint32_t first, uint32_t count) {
    return count % 32 == 0 && first + 1 - window >= 3 && first + count + 8 <= slice.length;
}

/* roll_stretch for a stretch of `count` windows that is_whole, in fewer instructions. */
template <int KIND, bool SHARED>
static __device__ __forceinline__ void
roll_whole_stretch(const trawl_cuda_rabin_karp_pass &pass, const trawl_rolling_table *table,
                   const uint32_t *filter, const uint8_t *text, uint32_t first, uint32_t count,
                   uint32_t *noted) {
    trawl_rolling rolling = pass.rolling;
    rolling.modulus = KIND == MODULAR ? rolling.modulus : 0;
    const uint8_t *begin = text + (first + 1 - pass.window);
    word_reader entering = open_words(text + first + 1);
    word_reader leaving = open_words(begin);
    uint64_t hash = hash_window(rolling, table, begin, pass.window);
    for (uint32_t i = 0; i < count / 32; i++) {
        uint32_t word = 0;
        for (uint32_t bits = 0; bits < 32; bits += 4) {
            uint32_t in = read_four(&entering);
            uint32_t out = KIND == VANISHING ? 0 : read_four(&leaving);
            for (uint32_t b = 0; b < 4; b++) {
                uint64_t reduced = trawl_rolling_reduce(&rolling, hash);
                uint32_t bit =
                    (uint32_t)trawl_rabin_karp_bit(KIND == VANISHING, reduced, pass.filter_bits);
                uint32_t passes = SHARED ? filter[bit / 32] : __ldg(&pass.filter[bit / 32]);
                word |= (passes >> bit % 32 & 1) << (bits + b);
                uint64_t sum = table->entering[in >> 8 * b & 0xff];
                if (KIND != VANISHING) {
                    sum += table->leaving[out >> 8 * b & 0xff];
                }
                hash = trawl_rolling_step(&rolling, hash, sum);
            }
        }
        noted[i] = word;
    }
}

/*
 * grouped: searches the windows that end with text[first] .. text[past - 1]. A look-up is a deep
 * call, which needs many registers, and registers are allocated for the whole kernel. So the loop
 * that rolls the hash has no look-ups: it finds the candidates of a stretch of windows, and each of
 * them is hashed again afterwards, in at most 32 steps, and looked up.
 */
template <int KIND>
static __device__ __forceinline__ void
roll_grouped(const trawl_cuda_reporter &reporter, const trawl_cuda_rabin_karp_pass &pass,
             const trawl_rolling_table *table, const uint32_t *filter, uint32_t first,
             uint32_t past, trawl_counter *cursor) {
    const uint8_t *text = reporter.slice.text;
    uint32_t noted[TRAWL_ROLLING_STRETCH / 32];
    for (; first < past; first += TRAWL_ROLLING_STRETCH) {
        uint32_t count =
            past - first < TRAWL_ROLLING_STRETCH ? past - first : TRAWL_ROLLING_STRETCH;
        if (!is_whole(reporter.slice, pass.window, first, count)) {
            roll_stretch<KIND>(pass, table, filter, text, first, first + count, noted);
        } else if (trawl_cuda_rabin_karp_shares<false>(pass)) {
            roll_whole_stretch<KIND, true>(pass, table, filter, text, first, count, noted);
        } else {
            roll_whole_stretch<KIND, false>(pass, table, filter, text, first, count, noted);
        }
        for (uint32_t i = 0; i < count; i += 32) {
            for (uint32_t word = noted[i / 32]; word != 0; word &= word - 1) {
                uint32_t end = first + i + (uint32_t)__ffs((int)word);
                uint64_t hash =
                    hash_window(pass.rolling, table, text + (end - pass.window), pass.window);
                trawl_cuda_rabin_karp_look_up<false>(
                    reporter, pass, trawl_rolling_reduce(&pass.rolling, hash), end, cursor);
            }
        }
    }
}

template <bool PAPER, int KIND>
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS)
    roll(const __grid_constant__ trawl_cuda_reporter reporter,
         const __grid_constant__ trawl_cuda_rabin_karp_pass pass, uint32_t strip_bytes) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    TRAWL_SHARED(shared);
    trawl_rolling_table *table = (trawl_rolling_table *)shared;
    uint32_t *filter = (uint32_t *)(shared + sizeof *table);
    for (uint32_t byte = threadIdx.x; byte < 256; byte += blockDim.x) {
        trawl_rolling_byte(&pass.rolling, pass.power, pass.folded, (uint8_t)byte,
                           &table->entering[byte], &table->leaving[byte]);
    }
    trawl_cuda_rabin_karp_load_filter<PAPER>(pass, filter);
    __syncthreads();
    const trawl_cuda_slice &slice = reporter.slice;
    uint32_t strip = blockIdx.x * blockDim.x + threadIdx.x;
    bool valid = strip < trawl_cuda_strip_count(&slice, strip_bytes);
    trawl_counter cursor = valid ? trawl_cuda_cursor_begin(reporter.output, strip) : 0;
    trawl_cuda_range range = trawl_cuda_strip_range(slice, strip_bytes, strip);
    uint32_t first = range.first < pass.window - 1 ? pass.window - 1 : range.first;
    if (valid && first < range.past) {
        if (PAPER) {
            roll_paper(reporter, pass, table, filter, first, range.past, &cursor);
        } else {
            roll_grouped<KIND>(reporter, pass, table, filter, first, range.past, &cursor);
        }
    }
    trawl_cuda_cursor_end(reporter.output, valid, strip, cursor);
}

trawl_status trawl_cuda_rabin_karp_roll_plan(const trawl_cuda_db *uploaded,
                                             const trawl_cuda_launch_request *request,
                                             trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_rabin_karp_tables *tables =
        (const trawl_cuda_rabin_karp_tables *)uploaded->tables;
    const trawl_gpu_tuning *tuning = uploaded->device.tuning;
    const uint32_t least = tuning->rolling.strip_bytes, most = tuning->rolling_most_bytes;
    plan->block_threads =
        request->block_threads != 0 ? request->block_threads : tuning->rolling.block_threads;
    /* A thread hashes a whole window before the first byte of its strip. So a strip is as long as
     * the longest window, up to a limit that leaves enough threads. */
    uint32_t strip_bytes = (tables->longest + 15) / 16 * 16;
    strip_bytes = strip_bytes < least ? least : strip_bytes;
    strip_bytes = strip_bytes > most ? most : strip_bytes;
    plan->overlap = tables->longest - 1;
    uint32_t filter_bytes = 0;
    for (uint32_t pass = 0; pass < tables->passes; pass++) {
        uint32_t bytes = trawl_cuda_rabin_karp_filter_bytes(&tables->each[pass]);
        filter_bytes = bytes > filter_bytes ? bytes : filter_bytes;
    }
    plan->shared_bytes = (uint32_t)sizeof(trawl_rolling_table) + filter_bytes;
    return trawl_cuda_plan_text(uploaded, request, strip_bytes, 1, MOST_BLOCK_BYTES, plan, error);
}

template <bool PAPER, int KIND>
static void launch_pass(const trawl_cuda_launch_plan *plan, const trawl_cuda_reporter *reporter,
                        const trawl_cuda_rabin_karp_pass *pass, cudaStream_t stream) {
    uint32_t blocks = trawl_cuda_block_count(&reporter->slice, plan);
    uint32_t shared =
        (uint32_t)sizeof(trawl_rolling_table) + trawl_cuda_rabin_karp_filter_bytes(pass);
    TRAWL_LAUNCH((roll<PAPER, KIND>), blocks, plan->block_threads, shared, stream, *reporter, *pass,
                 plan->strip_bytes);
}

trawl_status trawl_cuda_rabin_karp_roll(const trawl_cuda_rabin_karp_tables *tables,
                                        const trawl_cuda_launch_plan *plan,
                                        const trawl_cuda_reporter *reporter, cudaStream_t stream,
                                        trawl_error *error) {
    for (uint32_t i = 0; i < tables->passes; i++) {
        const trawl_cuda_rabin_karp_pass *pass = &tables->each[i];
        if (reporter->slice.length < pass->window) {
            continue;
        }
        if (tables->paper) {
            launch_pass<true, MODULAR>(plan, reporter, pass, stream);
        } else if (pass->rolling.vanishing) {
            launch_pass<false, VANISHING>(plan, reporter, pass, stream);
        } else if (pass->rolling.modulus == 0) {
            launch_pass<false, WRAPPING>(plan, reporter, pass, stream);
        } else {
            launch_pass<false, MODULAR>(plan, reporter, pass, stream);
        }
        TRAWL_CUDA_LAUNCHED("roll", error);
    }
    return TRAWL_OK;
}
