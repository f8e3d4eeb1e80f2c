/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/reproduce/workload.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/reproduce/headers.h"
#include "cli/reproduce/random.h"
#include "io/directory.h"

enum {
    SEED_WORDS = 2012, /* of the letters of words; the other numbers: which words follow */
    SEED_TEXT = 2013,
    SEED_PATTERNS = 2014,
    SEED_ORDER = 2016,
    SEED_DNA = 2015,
    SEED_BYTES = 2018,
    VOCABULARY = 4500,    /* words; with it the sets have about the states of Tran et al. */
    SHORT_WORDS = 40,     /* of them, which have one syllable */
    LONGEST_WORD = 16,    /* bytes */
    SHORTEST_PATTERN = 5, /* letters of a word that is a pattern */
    DNA_PATTERN = 8,      /* Kouzinopoulos et al. 2015, 6 */
    BYTES_PATTERN = 1024  /* Nunes et al. 2018, V: m */
};

/* ------------------------------------------------------------------ words */

typedef struct word {
    uint8_t length;
    char letters[LONGEST_WORD];
} word;

/* Syllables by their frequency, about: the first third is drawn half of the time. */
static const char *const onsets[] = {
    "s", "t", "c", "r",  "d",  "p",  "m",  "l",  "b",  "f",  "n",  "",   "h",  "st", "pr", "tr",
    "w", "g", "v", "ch", "gr", "th", "cl", "sh", "br", "pl", "qu", "sp", "fl", "j",  "k"};
static const char *const vowels[] = {"e", "a", "i", "o", "u", "ea", "io", "ou", "ai", "y", "ee"};
static const char *const codas[] = {"",  "n", "r",  "s",  "t",  "l",  "d", "ng", "nt",
                                    "m", "c", "st", "ck", "rt", "ss", "x", "ll", "p"};

static const char *draw(uint64_t *state, const char *const *parts, size_t count) {
    size_t first = (count + 2) / 3;
    return parts[random_below(state, (random_next(state) & 1) != 0 ? first : count)];
}

static void append(word *made, const char *letters) {
    for (; *letters != '\0' && made->length < LONGEST_WORD; letters++)
        made->letters[made->length++] = *letters;
}

#define COUNT(parts) (sizeof(parts) / sizeof *(parts))

/* The words, the most frequent ones first, which are short, as those of languages are. */
static word *make_vocabulary(void) {
    uint64_t state = SEED_WORDS;
    word *words = allocate(VOCABULARY * sizeof *words);
    for (size_t i = 0; i < VOCABULARY; i++) {
        size_t syllables = i < SHORT_WORDS ? 1 : 2 + random_below(&state, 3);
        words[i].length = 0;
        for (size_t part = 0; part < syllables; part++) {
            append(&words[i], draw(&state, onsets, COUNT(onsets)));
            append(&words[i], draw(&state, vowels, COUNT(vowels)));
            if (part + 1 == syllables || (random_next(&state) & 3) == 0)
                append(&words[i], draw(&state, codas, COUNT(codas)));
        }
    }
    return words;
}

/* Draws by Zipf's law: the word of rank r with a probability that is proportional to 1 / r. */
static const word *draw_word(const word *words, uint64_t *state) {
    double rank = exp(random_share(state) * log(VOCABULARY + 1.0));
    return &words[(size_t)rank - 1];
}

static void fill_with_words(uint8_t *text, size_t length) {
    uint64_t state = SEED_TEXT;
    word *words = make_vocabulary();
    for (size_t at = 0; at < length;) {
        const word *drawn = draw_word(words, &state);
        for (size_t i = 0; i < drawn->length && at < length; i++)
            text[at++] = (uint8_t)drawn->letters[i];
        if (at < length)
            text[at++] = (random_next(&state) & 15) == 0 ? '\n' : ' ';
    }
    free(words);
}

/* ------------------------------------------------------------------ pattern sets */

static void add(trawl_patterns *set, const void *bytes, size_t length) {
    if (trawl_patterns_add(set, bytes, length, 0, NULL) != TRAWL_OK)
        (void)allocate(SIZE_MAX); /* only memory can be short: reports that and ends */
}

static void add_words(trawl_patterns *set, size_t count) {
    uint64_t state = SEED_PATTERNS;
    word *words = make_vocabulary();
    while (trawl_patterns_count(set) < count) {
        const word *drawn = draw_word(words, &state);
        if (drawn->length >= SHORTEST_PATTERN)
            add(set, drawn->letters, drawn->length);
    }
    free(words);
}

static void fill_with_dna(uint8_t *text, size_t length) {
    uint64_t state = SEED_DNA;
    for (size_t i = 0; i < length; i += 32) {
        uint64_t letters = random_next(&state);
        for (size_t k = i; k < i + 32 && k < length; k++, letters >>= 2)
            text[k] = (uint8_t) "acgt"[letters & 3];
    }
}

/* Distinct pieces of the text; it has enough of them. */
static void add_dna(trawl_patterns *set, size_t count) {
    enum { REGION = 1 << 20 };
    uint8_t *text = allocate(REGION);
    bool *taken = allocate((size_t)1 << 2 * DNA_PATTERN);
    uint64_t state = SEED_PATTERNS;
    fill_with_dna(text, REGION);
    memset(taken, 0, (size_t)1 << 2 * DNA_PATTERN);
    while (trawl_patterns_count(set) < count) {
        const uint8_t *piece = text + random_below(&state, REGION - DNA_PATTERN);
        size_t number = 0;
        for (size_t i = 0; i < DNA_PATTERN; i++)
            number = number << 2 | (piece[i] >> 1 & 3);
        if (!taken[number])
            add(set, piece, DNA_PATTERN);
        taken[number] = true;
    }
    free(taken);
    free(text);
}

static void fill_with_bytes(uint8_t *text, size_t length) {
    uint64_t state = SEED_BYTES;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t bytes = random_next(&state);
        for (size_t k = i; k < i + 8 && k < length; k++, bytes >>= 8)
            text[k] = (uint8_t)bytes;
    }
}

/* A pattern from each of `count` equal parts of the text, so that matches are as far apart as they
 * can be. */
static void add_bytes(trawl_patterns *set, size_t count, size_t text_bytes) {
    uint8_t *text = allocate(text_bytes);
    uint64_t state = SEED_PATTERNS;
    size_t starts = text_bytes - BYTES_PATTERN;
    size_t part = starts / count == 0 ? 1 : starts / count;
    fill_with_bytes(text, text_bytes);
    for (size_t i = 0; i < count; i++)
        add(set, text + starts * i / count + random_below(&state, part), BYTES_PATTERN);
    free(text);
}

trawl_patterns *make_patterns(set_kind kind, size_t count, size_t text_bytes) {
    trawl_patterns *set = NULL;
    if (trawl_patterns_new(&set, NULL) != TRAWL_OK)
        (void)allocate(SIZE_MAX);
    switch (kind) {
    case SET_HEADERS:
        for (size_t i = 0; i < FILE_HEADERS; i++)
            add(set, file_headers[i].bytes, file_headers[i].length);
        break;
    case SET_WORDS:
        add_words(set, count);
        break;
    case SET_DNA:
        add_dna(set, count);
        break;
    case SET_BYTES:
        add_bytes(set, count, text_bytes);
        break;
    }
    return set;
}

/* ------------------------------------------------------------------ texts */

/* Repeats what is there. `length` is above 0. */
static void repeat(uint8_t *text, size_t length, size_t wanted) {
    while (length < wanted) {
        size_t more = length < wanted - length ? length : wanted - length;
        memcpy(text + length, text, more);
        length += more;
    }
}

/* The patterns, all once in random order. */
static void fill_with_dictionary(uint8_t *text, size_t length, size_t count) {
    trawl_patterns *set = make_patterns(SET_WORDS, count, 0);
    uint32_t *order = allocate(count * sizeof *order);
    uint64_t state = SEED_ORDER;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t other = random_below(&state, i + 1);
        order[i] = order[other];
        order[other] = (uint32_t)i;
    }
    for (size_t i = 0; i < count && at < length; i++) {
        trawl_pattern pattern = TRAWL_PATTERN;
        (void)trawl_patterns_get(set, order[i], &pattern);
        for (size_t k = 0; k < pattern.length && at < length; k++)
            text[at++] = pattern.bytes[k];
        if (at < length)
            text[at++] = ' ';
    }
    repeat(text, at, length);
    free(order);
    trawl_patterns_free(set);
}

typedef struct reading {
    made_text *text;
    size_t length; /* wanted */
    size_t used;
} reading;

static int read_file(const char *path, void *context) {
    reading *job = context;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = descriptor < 0 ? 0 : 1;
    job->text->files += descriptor >= 0;
    while (got > 0 && job->used < job->length) {
        got = read(descriptor, job->text->bytes + job->used, job->length - job->used);
        job->used += got > 0 ? (size_t)got : 0;
    }
    if (descriptor >= 0)
        (void)close(descriptor);
    return job->used == job->length;
}

static void ignore_problem(const char *message, bool warning, void *context) {
    (void)message;
    (void)warning;
    (void)context;
}

static void fill_with_files(made_text *text, size_t length) {
    static const char *const roots[] = {"/usr/bin", "/usr/lib"};
    file_rules rules = {0};
    reading job = {.text = text, .length = length};
    text->files = 0;
    for (size_t i = 0; i < COUNT(roots) && job.used < length; i++)
        (void)directory_walk(roots[i], &rules, read_file, ignore_problem, &job, NULL);
    text->repeated = job.used < length;
    if (job.used == 0) {
        fill_with_bytes(text->bytes, length);
        job.used = length;
    }
    repeat(text->bytes, job.used, length);
}

void made_text_extend(made_text *text, size_t length) {
    if (text->length >= length)
        return;
    text->bytes = reallocate(text->bytes, length);
    text->length = length;
    switch (text->kind) {
    case TEXT_FILES:
        fill_with_files(text, length);
        break;
    case TEXT_WORDS:
        fill_with_words(text->bytes, length);
        break;
    case TEXT_DICTIONARY:
        fill_with_dictionary(text->bytes, length, text->patterns);
        break;
    case TEXT_DNA:
        fill_with_dna(text->bytes, length);
        break;
    case TEXT_BYTES:
        fill_with_bytes(text->bytes, length);
        break;
    }
}
