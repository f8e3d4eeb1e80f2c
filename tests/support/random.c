/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "random.h"

#include <stdlib.h>

/* SplitMix64 (Steele, Lea and Flood 2014): one addition and a finaliser. Every state is valid, so a
 * seed and a case number are simply mixed. */
uint64_t random_bits(random_source *source) {
    uint64_t z = source->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

random_source random_for_case(uint64_t seed, uint64_t index) {
    random_source source = {seed};
    source.state = random_bits(&source) ^ (index * UINT64_C(0xd1342543de82ef95));
    random_bits(&source);
    return source;
}

size_t random_below(random_source *source, size_t bound) {
    return (size_t)(random_bits(source) % bound);
}

size_t random_between(random_source *source, size_t low, size_t high) {
    return low + random_below(source, high - low + 1);
}

int random_chance(random_source *source, size_t numerator, size_t denominator) {
    return random_below(source, denominator) < numerator;
}

uint8_t random_letter(random_source *source, size_t letters) {
    return (uint8_t)(letters == 256 ? random_below(source, 256)
                                    : 'a' + random_below(source, letters));
}

uint64_t random_seed(void) {
    const char *text = getenv("TRAWL_TEST_SEED");
    return text && *text ? strtoull(text, NULL, 0) : UINT64_C(20260101);
}
