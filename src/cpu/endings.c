#include "cpu/endings.h"

#include "common/allocate.h"
#include "common/fold.h"
#include "common/status.h"

void trawl_endings_open(const trawl_db *db, uint32_t part, trawl_endings_search *search) {
    trawl_outputs_view(db, part, &search->outputs);
    search->endings = trawl_db_section(db, TRAWL_SECTION_KEY_ENDING, part, NULL);
    search->patterns = &db->patterns;
    search->folded = db->header->folded != 0;
    search->hits = NULL;
}

void trawl_endings_close(trawl_endings_search *search) {
    trawl_release(search->hits);
}

trawl_status trawl_endings_begin(trawl_endings_search *search, const trawl_consumer *consumer,
                                 trawl_error *error) {
    if (consumer->sink == NULL && consumer->counts->per_pattern != NULL && search->hits == NULL) {
        search->hits = trawl_allocate_zeroed(search->outputs.keys, sizeof *search->hits);
        if (search->hits == NULL) {
            return trawl_fail_memory(error, "counting patterns",
                                     (uint64_t)search->outputs.keys * sizeof *search->hits);
        }
    }
    return TRAWL_OK;
}

void trawl_endings_settle(trawl_endings_search *search, trawl_counts *counts) {
    if (search->hits != NULL) {
        trawl_emit_hits(&search->outputs, counts, search->hits);
    }
}

static inline uint64_t load_word(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* How many bytes in front of `left` and `right` are equal: `known` are, at most `most` count. */
static size_t common_ending(const uint8_t *left, const uint8_t *right, size_t known, size_t most,
                            bool folded) {
    while (known + 8 <= most) {
        uint64_t left_word = load_word(left - known - 8);
        uint64_t right_word = load_word(right - known - 8);
        if (folded) {
            left_word = trawl_fold_word(left_word);
            right_word = trawl_fold_word(right_word);
        }
        uint64_t difference = left_word ^ right_word;
        if (difference != 0) {
            return known + (size_t)__builtin_clzll(difference) / 8;
        }
        known += 8;
    }
    while (known < most) {
        uint8_t left_byte = *(left - known - 1);
        uint8_t right_byte = *(right - known - 1);
        if (folded ? trawl_fold(left_byte) != trawl_fold(right_byte) : left_byte != right_byte) {
            break;
        }
        known++;
    }
    return known;
}

/* The longest key among `key` and its suffixes that is no longer than `common`: when those are the
 * bytes that the last key not behind the text has in common with it, every key that ends there is
 * among its suffixes. */
static uint32_t longest_suffix(const trawl_outputs *outputs, uint32_t key, size_t common) {
    while (key != TRAWL_NO_KEY && outputs->length[key] > common) {
        key = outputs->link[key];
    }
    return key;
}

/* The search by bytes, for keys whose last eight are the text's. */
static uint32_t find_by_bytes(const trawl_endings_search *search, uint32_t first, uint32_t last,
                              size_t known, const uint8_t *text, size_t end) {
    const trawl_outputs *outputs = &search->outputs;
    const trawl_pattern_view *patterns = search->patterns;
    const uint8_t *here = text + end;
    bool folded = search->folded;
    /* Keys before `low` are not behind the text in the order, keys from `high` on are; the ones
     * next to them have so many last bytes in common with it. */
    uint32_t low = first, high = last;
    size_t low_common = known, high_common = known;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t id = outputs->ids[outputs->first[middle]];
        const uint8_t *key = patterns->bytes + patterns->offsets[id + 1];
        size_t length = outputs->length[middle];
        size_t most = length < end ? length : end;
        size_t common = low_common < high_common ? low_common : high_common;
        common = common_ending(key, here, common, most, folded);
        bool not_behind = common >= length;
        if (!not_behind && common < end) {
            uint8_t key_byte = *(key - common - 1);
            uint8_t text_byte = *(here - common - 1);
            not_behind =
                folded ? trawl_fold(key_byte) < trawl_fold(text_byte) : key_byte < text_byte;
        }
        if (not_behind) {
            low = middle + 1;
            low_common = common;
        } else {
            high = middle;
            high_common = common;
        }
    }
    return low == first ? TRAWL_NO_KEY : longest_suffix(outputs, low - 1, low_common);
}

uint32_t trawl_endings_find(const trawl_endings_search *search, uint32_t first, uint32_t last,
                            size_t known, const uint8_t *text, size_t end, uint64_t ending) {
    const uint64_t *endings = search->endings;
    /* The last key whose ending is not behind the text's. */
    uint32_t key = first;
    for (uint32_t count = last - first; count > 1;) {
        uint32_t half = count / 2;
        key += endings[key + half] <= ending ? half : 0;
        count -= half;
    }
    if (endings[key] >= ending) {
        return endings[key] > ending ? TRAWL_NO_KEY
                                     : find_by_bytes(search, first, key + 1, known, text, end);
    }
    /* They differ where the text has a byte that is not 0: one that really stands there. */
    size_t common = (size_t)__builtin_clzll(endings[key] ^ ending) / 8;
    return longest_suffix(&search->outputs, key, common);
}
