/* What the language has no word for. */
#ifndef TRAWL_COMMON_COMPILER_H
#define TRAWL_COMMON_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

/* All ones if `condition`, else 0, in a form that compilers do not turn back into a branch. For
 * choices that no branch predictor can foresee: a wrong guess costs more than both sides. */
static inline uint32_t trawl_mask(bool condition) {
    uint32_t mask = 0 - (uint32_t)condition;
    __asm__("" : "+r"(mask));
    return mask;
}

#endif
