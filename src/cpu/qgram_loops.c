/* The loops over samples for each instruction set: plain C, but AVX2 brings shifts by a variable
 * that leave the flags and the other registers alone (BMI2). */
#include "cpu/qgram_tier.h"

#define LOOPS trawl_qgram_loops_scalar
#define NAME(base) base##_scalar
#define TARGET
#include "cpu/qgram_template.h"

#if TRAWL_HAVE_X86
#define LOOPS trawl_qgram_loops_avx2
#define NAME(base) base##_avx2
#define TARGET TRAWL_TARGET_AVX2
#include "cpu/qgram_template.h"
#endif
