/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

typedef struct shrinking {
    test_case *test;
    shrink_fails fails;
    void *context;
    size_t tries;
} shrinking;

/* Keeps `candidate` instead of the case if it still fails; frees the other one. */
static bool keep(shrinking *work, test_case *candidate) {
    bool smaller = false;
    if (work->tries && candidate->count) {
        work->tries--;
        smaller = work->fails(candidate, work->context);
    }
    if (smaller) {
        test_case_free(work->test);
        *work->test = *candidate;
    } else {
        test_case_free(candidate);
    }
    return smaller;
}

static bool drop_patterns(shrinking *work) {
    bool changed = false;
    for (size_t size = work->test->count / 2; size; size /= 2)
        for (size_t first = 0; first + size <= work->test->count;) {
            test_case candidate;
            test_case_copy(&candidate, work->test);
            for (size_t i = 0; i < size; i++)
                test_case_remove_pattern(&candidate, first);
            if (keep(work, &candidate))
                changed = true;
            else
                first += size;
        }
    return changed;
}

static bool cut_text(shrinking *work) {
    bool changed = false;
    for (size_t size = (work->test->length + 1) / 2; size; size /= 2)
        for (size_t first = 0; first + size <= work->test->length;) {
            test_case candidate;
            test_case_copy(&candidate, work->test);
            memmove(candidate.text + first, candidate.text + first + size,
                    candidate.length - first - size);
            candidate.length -= size;
            if (keep(work, &candidate))
                changed = true;
            else
                first += size;
            if (!work->tries)
                return changed;
        }
    return changed;
}

/* Takes `size` bytes off one end of a pattern. */
static bool shorten_pattern(shrinking *work, size_t id, size_t size, bool front) {
    test_case candidate;
    test_case_copy(&candidate, work->test);
    trawl_pattern *pattern = &candidate.patterns[id];
    if (front)
        memmove((uint8_t *)pattern->bytes, pattern->bytes + size, pattern->length - size);
    pattern->length -= size;
    return keep(work, &candidate);
}

static bool shorten_patterns(shrinking *work) {
    bool changed = false;
    for (size_t id = 0; id < work->test->count; id++)
        for (int front = 0; front < 2; front++)
            for (size_t size = work->test->patterns[id].length / 2; size; size /= 2)
                while (work->test->patterns[id].length > size &&
                       shorten_pattern(work, id, size, front))
                    changed = true;
    return changed;
}

static bool clear_flags(shrinking *work) {
    bool changed = false;
    for (size_t id = 0; id < work->test->count; id++) {
        if (!work->test->patterns[id].flags)
            continue;
        test_case candidate;
        test_case_copy(&candidate, work->test);
        candidate.patterns[id].flags = 0;
        changed |= keep(work, &candidate);
    }
    return changed;
}

static bool clear_conditions(shrinking *work) {
    bool changed = false;
    for (size_t id = 0; work->test->conditioned && id < work->test->count; id++) {
        const trawl_condition none = TRAWL_CONDITION;
        if (memcmp(&work->test->conditions[id], &none, sizeof(none)) == 0)
            continue;
        test_case candidate;
        test_case_copy(&candidate, work->test);
        test_case_set_condition(&candidate, id, &none);
        changed |= keep(work, &candidate);
    }
    return changed;
}

/* Replaces a byte value everywhere by a plain letter that does not occur yet. */
static void replace_bytes(shrinking *work) {
    for (unsigned from = 0; from < 256; from++) {
        for (unsigned to = 'a'; to <= 'e'; to++) {
            if (from >= 'a' && from <= to)
                break;
            test_case candidate;
            test_case_copy(&candidate, work->test);
            bool occurs = false;
            for (size_t i = 0; i < candidate.length; i++)
                if (candidate.text[i] == from) {
                    candidate.text[i] = (uint8_t)to;
                    occurs = true;
                }
            for (size_t id = 0; id < candidate.count; id++)
                for (size_t i = 0; i < candidate.patterns[id].length; i++)
                    if (candidate.patterns[id].bytes[i] == from) {
                        ((uint8_t *)candidate.patterns[id].bytes)[i] = (uint8_t)to;
                        occurs = true;
                    }
            if (!occurs) {
                test_case_free(&candidate);
                break;
            }
            if (keep(work, &candidate))
                break;
        }
    }
}

void shrink_case(test_case *test, shrink_fails fails, void *context, size_t tries) {
    shrinking work = {.test = test, .fails = fails, .context = context, .tries = tries};
    bool changed;
    do {
        changed = drop_patterns(&work);
        changed |= cut_text(&work);
        changed |= shorten_patterns(&work);
        changed |= clear_flags(&work);
        changed |= clear_conditions(&work);
    } while (changed && work.tries);
    replace_bytes(&work);
}
