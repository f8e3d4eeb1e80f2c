#include "engine/qgram_tiers.h"

#include <math.h>

#include "common/status.h"

#define CLASSES TRAWL_SURVEY_CLASSES
#define MOST_WINDOW 80u

/* The cheapest way found so far to filter a run of classes. */
typedef struct candidate {
    trawl_tier_kind kind;
    trawl_survey_filter filter;
    trawl_tier_estimate estimate;
} candidate;

typedef struct division {
    const trawl_costs *costs;
    const trawl_qgram_survey *survey;
    uint64_t most_bytes;                      /* of a filter */
    candidate best[CLASSES + 1][CLASSES + 1]; /* [begin][end] */
} division;

static void offer(division *self, uint32_t begin, uint32_t end, const candidate *offered) {
    candidate *best = &self->best[begin][end];
    if (offered->estimate.nanoseconds < best->estimate.nanoseconds) {
        *best = *offered;
    }
}

/* Patterns of one and two bytes. */
static void try_direct(division *self) {
    const trawl_qgram_survey *survey = self->survey;
    for (uint32_t end = 1; end <= CLASSES && survey->max_length[end - 1] <= 2; end++) {
        double hits = trawl_survey_direct(survey, end);
        candidate direct = {.kind = TRAWL_TIER_DIRECT,
                            .filter = {.gram = 2, .stride = 1},
                            .estimate = {.nanoseconds = self->costs->direct,
                                         .pass = hits,
                                         .look_ups = hits,
                                         .bytes = 65536 * 4}};
        offer(self, 0, end, &direct);
    }
}

static void try_filter(division *self, const trawl_survey_filter *filter, const double *tails) {
    trawl_survey_rates rates;
    trawl_survey_measure(self->survey, filter, &rates);
    for (uint32_t end = filter->begin + 1; end <= CLASSES; end++) {
        candidate hashed = {.kind = TRAWL_TIER_HASHED, .filter = *filter};
        hashed.estimate = trawl_tier_price(self->costs, self->survey, filter, &rates, end,
                                           tails[end], self->most_bytes);
        offer(self, filter->begin, end, &hashed);
    }
}

/* All runs that begin with the class `begin`: the shortest patterns there say how long a window may
 * be, and so which q-grams and strides there are. */
static void try_run(division *self, uint32_t begin) {
    static const uint32_t grams[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16};
    const trawl_qgram_survey *survey = self->survey;
    uint32_t window = survey->min_length[begin];
    window = window < MOST_WINDOW ? window : MOST_WINDOW;
    bool folded = false;
    for (uint32_t class = begin; class < CLASSES; class ++) {
        folded |= survey->folded[class];
    }
    trawl_survey_filter filter = {
        .begin = begin, .gram = window < 8 ? window : 8, .stride = 1, .folded = folded};
    trawl_survey_rates tails;
    trawl_survey_measure(survey, &filter, &tails);
    for (size_t i = 0; i < sizeof grams / sizeof *grams && grams[i] <= window; i++) {
        filter.gram = grams[i];
        /* Few bytes say too little unless the patterns are that short. */
        if (filter.gram < 3 && filter.gram < window) {
            continue;
        }
        uint32_t stride = window - filter.gram + 1;
        stride = stride < TRAWL_QGRAM_MAX_STRIDE ? stride : TRAWL_QGRAM_MAX_STRIDE;
        /* A longer stride means fewer samples but more q-grams in the filter. */
        for (uint32_t part = 1; part <= 4 && stride / part >= part; part *= 2) {
            filter.stride = stride / part;
            try_filter(self, &filter, tails.pass);
        }
    }
}

static bool is_empty(const division *self, uint32_t class) {
    return self->survey->count[class] == 0;
}

/* The cheapest sequence of runs that covers all classes; returns its number of tiers. */
static uint32_t cover(const division *self, uint32_t *begins, uint32_t *ends) {
    double least[CLASSES + 1]; /* for the classes from there on */
    uint32_t next[CLASSES + 1] = {0};
    uint32_t tiers[CLASSES + 1] = {0};
    least[CLASSES] = 0;
    for (uint32_t begin = CLASSES; begin-- > 0;) {
        if (is_empty(self, begin)) {
            least[begin] = least[begin + 1];
            next[begin] = begin + 1;
            tiers[begin] = tiers[begin + 1];
            continue;
        }
        least[begin] = INFINITY;
        for (uint32_t end = begin + 1; end <= CLASSES; end++) {
            double cost = self->best[begin][end].estimate.nanoseconds + least[end];
            if (cost < least[begin] && tiers[end] + 1 <= TRAWL_QGRAM_MAX_TIERS) {
                least[begin] = cost;
                next[begin] = end;
                tiers[begin] = tiers[end] + 1;
            }
        }
    }
    /* From the longest patterns to the shortest. */
    uint32_t count = tiers[0], found = 0;
    for (uint32_t begin = 0; begin < CLASSES; begin = next[begin]) {
        if (!is_empty(self, begin)) {
            found++;
            begins[count - found] = begin;
            ends[count - found] = next[begin];
        }
    }
    return count;
}

static void describe(const division *self, uint32_t begin, uint32_t end, trawl_qgram_tier *tier) {
    const trawl_qgram_survey *survey = self->survey;
    const candidate *best = &self->best[begin][end];
    *tier = (trawl_qgram_tier){.kind = best->kind,
                               .min_length = survey->min_length[begin],
                               .gram = best->filter.gram,
                               .stride = best->filter.stride,
                               .window = best->filter.gram + best->filter.stride - 1,
                               .row_bits = best->estimate.row_bits};
    if (best->kind == TRAWL_TIER_DIRECT) {
        tier->window = 1;
    }
    for (uint32_t class = begin; class < end; class ++) {
        tier->folded |= survey->folded[class];
        if (survey->max_length[class] > tier->max_length) {
            tier->max_length = survey->max_length[class];
        }
    }
}

static void divide(division *self, trawl_qgram_choice *choice) {
    for (uint32_t begin = 0; begin <= CLASSES; begin++) {
        for (uint32_t end = 0; end <= CLASSES; end++) {
            self->best[begin][end].estimate.nanoseconds = INFINITY;
        }
    }
    if (!is_empty(self, 0)) {
        try_direct(self);
    }
    for (uint32_t begin = 0; begin < CLASSES; begin++) {
        if (!is_empty(self, begin)) {
            try_run(self, begin);
        }
    }
    uint32_t begins[CLASSES], ends[CLASSES];
    choice->header.tiers = cover(self, begins, ends);
    for (uint32_t i = 0; i < choice->header.tiers; i++) {
        describe(self, begins[i], ends[i], &choice->header.tier[i]);
        choice->estimate[i] = self->best[begins[i]][ends[i]].estimate;
        choice->nanoseconds += choice->estimate[i].nanoseconds;
    }
}

trawl_status trawl_qgram_divide(const trawl_patterns *patterns,
                                const trawl_compile_options *options, trawl_qgram_choice *choice,
                                trawl_error *error) {
    memset(choice, 0, sizeof *choice);
    trawl_qgram_survey survey;
    trawl_status status =
        trawl_survey_open(&survey, patterns, options->sample, options->sample_length, error);
    if (status == TRAWL_OK) {
        division self = {
            .costs = options->costs, .survey = &survey, .most_bytes = options->max_table_bytes};
        divide(&self, choice);
    }
    trawl_survey_close(&survey);
    return status;
}

trawl_status trawl_qgram_choose(const trawl_build *build, trawl_qgram_header *header) {
    if (build->choice != NULL) {
        *header = build->choice->header;
        return TRAWL_OK;
    }
    trawl_qgram_choice choice;
    trawl_status status =
        trawl_qgram_divide(build->patterns, build->options, &choice, build->error);
    *header = choice.header;
    return status;
}
