/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Induced sorting of suffixes (Nong, Zhang & Chan 2009, "Linear suffix array construction by almost
 * pure induced-sorting"), for a text of documents. Included once for each type of text and index;
 * the file that includes it defines
 *
 *     SORT_TEXT           unsigned or signed integer: a symbol
 *     SORT_INDEX          signed integer: a position, and a symbol of the text one level deeper
 *     SORT_NAMED(name)    the name of a function for these types
 *     SORT_DEEPER         the function `sort` whose text has the type SORT_INDEX
 *
 * The text: symbol 0 is a border, which ends a document. No two borders are neighbours, and the
 * last symbol is a border. Suffixes are compared up to their first border; of equal ones the
 * first in the text is the smaller. In other words, borders are different symbols, smaller than
 * all others, and ordered by their position.
 *
 * A suffix is *small* if it is smaller than the suffix one position later, else *large*. A small
 * suffix behind a large one is an LMS suffix. Borders are LMS suffixes. Suffixes that begin with
 * the same symbol are a bucket: first its large, then its small ones.
 *
 *     sort     1. LMS suffixes into the ends of their buckets, in any order
 *              2. induce: all suffixes by their LMS substrings
 *              3. name LMS substrings by their order; if two are equal, sort the text of names
 *              4. LMS suffixes into the ends of their buckets, in their order
 *              5. induce: all suffixes
 *
 * A slot of the array is
 *     suffix > 0     open: the pass under way has to look at the suffix before this one
 *     ~suffix < 0    closed: that suffix is of the other kind, a border, or missing
 *     0              empty, or the suffix at 0: nothing is before that either
 * Whether the next suffix is open is known where one is placed, since the symbol that decides it is
 * beside the one that was just read. A pass opens what it finds closed, and closes what it has
 * followed: the other pass has to look at just those that this one did not.
 */

/* Slots ahead of the current one whose symbols are prefetched: their addresses are spread over the
 * whole text. */
#define SORT_AHEAD 32

/* The symbols of a text: 0 .. symbols - 1. */
typedef struct SORT_NAMED(alphabet) {
    SORT_INDEX symbols;
    bool has_sizes;      /* there is room for `sizes` */
    SORT_INDEX *sizes;   /* how often each occurs */
    SORT_INDEX *buckets; /* the next slot of each bucket */
} SORT_NAMED(alphabet);

/* Whether suffix i + 1 is an LMS suffix, given whether it is small. Sets *small for suffix i.
 * Without a branch, as all results are equally likely. */
static inline bool SORT_NAMED(is_lms)(const SORT_TEXT *text, SORT_INDEX i, bool *small) {
    const bool next_is_small = *small;
    *small = (text[i] < text[i + 1]) | ((text[i] == text[i + 1]) & next_is_small);
    return next_is_small & !*small;
}

static void SORT_NAMED(count)(const SORT_TEXT *text, SORT_INDEX length, SORT_INDEX *sizes,
                              SORT_INDEX symbols) {
    memset(sizes, 0, (size_t)symbols * sizeof *sizes);
    for (SORT_INDEX i = 0; i < length; i++) {
        sizes[text[i]]++;
    }
}

/* Sets each bucket to its first slot, or with `ends` to one past its last. */
static void SORT_NAMED(reset)(const SORT_TEXT *text, SORT_INDEX length,
                              const SORT_NAMED(alphabet) * of, bool ends) {
    const SORT_INDEX *sizes = of->sizes;
    if (!of->has_sizes) {
        SORT_NAMED(count)(text, length, of->buckets, of->symbols);
        sizes = of->buckets;
    }
    SORT_INDEX sum = 0;
    for (SORT_INDEX symbol = 0; symbol < of->symbols; symbol++) {
        SORT_INDEX size = sizes[symbol];
        of->buckets[symbol] = ends ? sum + size : sum;
        sum += size;
    }
}

/* Step 2 or 5, from left to right: for each suffix, puts the suffix one position before it into its
 * bucket if that is large. Afterwards suffixes are open if the suffix before them is small or a
 * border, else closed. Unless `kept`, closed suffixes are removed, except for borders. */
static inline void SORT_NAMED(induce_large)(const SORT_TEXT *text, SORT_INDEX length,
                                            SORT_INDEX *suffixes, SORT_INDEX *begins, bool kept) {
    const SORT_INDEX borders = begins[1];
    for (SORT_INDEX i = 0; i < length; i++) {
        SORT_INDEX later = suffixes[i + SORT_AHEAD < length ? i + SORT_AHEAD : i];
        __builtin_prefetch(&text[later > 0 ? later - 1 : 0]);
        SORT_INDEX suffix = suffixes[i];
        if (suffix > 0) {
            SORT_INDEX before = (SORT_INDEX)text[suffix - 1];
            bool open = suffix > 1 && (SORT_INDEX)text[suffix - 2] >= before;
            suffixes[i] = kept || i < borders ? ~suffix : 0;
            suffixes[begins[before]++] = open ? suffix - 1 : ~(suffix - 1);
        } else if (suffix < 0) {
            suffixes[i] = ~suffix;
        }
    }
}

/* Step 2 or 5, from right to left: for each suffix, puts the suffix one position before it into its
 * bucket if that is small. Borders stay where they are. With `collect` only LMS suffixes stay, in
 * their order at the end of the array. Returns their number. */
static inline SORT_INDEX SORT_NAMED(induce_small)(const SORT_TEXT *text, SORT_INDEX length,
                                                  SORT_INDEX *suffixes, SORT_INDEX *ends,
                                                  bool collect) {
    SORT_INDEX collected = length;
    for (SORT_INDEX i = length - 1; i >= 0; i--) {
        SORT_INDEX later = suffixes[i < SORT_AHEAD ? i : i - SORT_AHEAD];
        __builtin_prefetch(&text[later > 0 ? later - 1 : 0]);
        SORT_INDEX suffix = suffixes[i];
        if (suffix < 0) {
            suffixes[collect ? --collected : i] = ~suffix;
        } else if (suffix > 0 && text[suffix - 1] != 0) {
            SORT_INDEX before = (SORT_INDEX)text[suffix - 1];
            SORT_INDEX earlier = suffix > 1 ? (SORT_INDEX)text[suffix - 2] : 0;
            suffixes[--ends[before]] = earlier > before          ? ~(suffix - 1)
                                       : collect && earlier == 0 ? 0
                                                                 : suffix - 1;
        }
    }
    return length - collected;
}

/* Step 1. */
static void SORT_NAMED(place_unsorted)(const SORT_TEXT *text, SORT_INDEX length,
                                       SORT_INDEX *suffixes, SORT_INDEX *ends) {
    memset(suffixes, 0, (size_t)length * sizeof *suffixes);
    bool small = true;
    for (SORT_INDEX i = length - 2; i >= 0; i--) {
        if (SORT_NAMED(is_lms)(text, i, &small)) {
            suffixes[--ends[text[i + 1]]] = i + 1;
        }
    }
}

/* Notes for each LMS suffix the length of its LMS substring, up to and with the first symbol of the
 * next one, in slot (position / 2); 0 if no other substring can be equal, since a border is in it.
 */
static void SORT_NAMED(note_lengths)(const SORT_TEXT *text, SORT_INDEX length,
                                     SORT_INDEX *suffixes) {
    memset(suffixes, 0, (size_t)((length + 1) / 2) * sizeof *suffixes);
    SORT_INDEX next = length - 1;
    bool small = true;
    for (SORT_INDEX i = length - 2; i >= 0; i--) {
        if (SORT_NAMED(is_lms)(text, i, &small)) {
            bool border = text[i + 1] == 0 || text[next] == 0;
            suffixes[(i + 1) / 2] = border ? 0 : next - i;
            next = i + 1;
        }
    }
}

/* Replaces lengths by names, 1 and up, of the `count` LMS suffixes in sorted[]. Returns the number
 * of different ones. */
static SORT_INDEX SORT_NAMED(name)(const SORT_TEXT *text, SORT_INDEX *suffixes,
                                   const SORT_INDEX *sorted, SORT_INDEX count) {
    SORT_INDEX names = 0, last = 0, last_length = 0;
    for (SORT_INDEX i = 0; i < count; i++) {
        SORT_INDEX later = sorted[i + SORT_AHEAD < count ? i + SORT_AHEAD : i];
        __builtin_prefetch(&text[later]);
        __builtin_prefetch(&suffixes[later / 2], 1);
        SORT_INDEX suffix = sorted[i], length = suffixes[suffix / 2];
        bool equal = length != 0 && length == last_length;
        for (SORT_INDEX k = 0; equal && k < length; k++) {
            equal = text[last + k] == text[suffix + k];
        }
        names += !equal;
        suffixes[suffix / 2] = names;
        last = suffix;
        last_length = length;
    }
    return names;
}

/* Writes the names in the order of the text, and a border, into reduced[0..count]. */
static void SORT_NAMED(reduce)(const SORT_INDEX *suffixes, SORT_INDEX length, SORT_INDEX *reduced,
                               SORT_INDEX count) {
    reduced[count] = 0;
    for (SORT_INDEX slot = (length - 1) / 2; count > 0; slot--) {
        if (suffixes[slot] != 0) {
            reduced[--count] = suffixes[slot];
        }
    }
}

/* Turns the sorted text of names, its border first, into LMS suffixes; positions[] is room for
 * `count` of them. */
static void SORT_NAMED(expand)(const SORT_TEXT *text, SORT_INDEX length, SORT_INDEX *suffixes,
                               SORT_INDEX *positions, SORT_INDEX count) {
    SORT_INDEX slot = count;
    bool small = true;
    for (SORT_INDEX i = length - 2; i >= 0; i--) {
        if (SORT_NAMED(is_lms)(text, i, &small)) {
            positions[--slot] = i + 1;
        }
    }
    for (SORT_INDEX i = 0; i < count; i++) {
        suffixes[i] = positions[suffixes[i + 1]];
    }
}

/* Step 4, of the `count` suffixes at the beginning of the array. */
static void SORT_NAMED(place_sorted)(const SORT_TEXT *text, SORT_INDEX length, SORT_INDEX *suffixes,
                                     SORT_INDEX *ends, SORT_INDEX count) {
    memset(suffixes + count, 0, (size_t)(length - count) * sizeof *suffixes);
    for (SORT_INDEX i = count - 1; i >= 0; i--) {
        __builtin_prefetch(&text[suffixes[i < SORT_AHEAD ? i : i - SORT_AHEAD]]);
        SORT_INDEX suffix = suffixes[i];
        suffixes[i] = 0;
        suffixes[--ends[text[suffix]]] = suffix;
    }
}

/* Sorts the suffixes of text[0, length), whose symbols are below `symbols`. `suffixes` has room for
 * `capacity` indices, at least length + TRAWL_SUFFIX_SLACK; the result is in the first `length`.
 * False: out of memory. */
static bool SORT_NAMED(sort)(const SORT_TEXT *text, SORT_INDEX length, SORT_INDEX symbols,
                             SORT_INDEX *suffixes, SORT_INDEX capacity) {
    SORT_NAMED(alphabet) of = {.symbols = symbols};
    SORT_INDEX *allocated = NULL;
    if ((capacity - length - TRAWL_SUFFIX_SLACK) / 2 >= symbols) {
        capacity -= 2 * symbols; /* there is room in the array */
        of.buckets = suffixes + capacity;
        of.sizes = of.buckets + symbols;
        of.has_sizes = true;
    } else {
        of.has_sizes = symbols <= length / 4 || symbols <= TRAWL_SUFFIX_SYMBOLS;
        allocated = trawl_allocate((size_t)symbols * (of.has_sizes ? 2 : 1), sizeof *allocated);
        if (allocated == NULL) {
            return false;
        }
        of.buckets = allocated;
        of.sizes = allocated + (of.has_sizes ? symbols : 0);
    }
    if (of.has_sizes) {
        SORT_NAMED(count)(text, length, of.sizes, symbols);
    }
    SORT_NAMED(reset)(text, length, &of, true);
    SORT_NAMED(place_unsorted)(text, length, suffixes, of.buckets);
    SORT_NAMED(reset)(text, length, &of, false);
    SORT_NAMED(induce_large)(text, length, suffixes, of.buckets, false);
    SORT_NAMED(reset)(text, length, &of, true);
    SORT_INDEX count = SORT_NAMED(induce_small)(text, length, suffixes, of.buckets, true);

    SORT_INDEX *sorted = suffixes + (length - count);
    SORT_NAMED(note_lengths)(text, length, suffixes);
    SORT_INDEX names = SORT_NAMED(name)(text, suffixes, sorted, count);
    bool done = true;
    if (names == count) {
        memmove(suffixes, sorted, (size_t)count * sizeof *suffixes);
    } else {
        SORT_INDEX left = capacity - (count + 1), *reduced = suffixes + left;
        SORT_NAMED(reduce)(suffixes, length, reduced, count);
        done = SORT_DEEPER(reduced, count + 1, names + 1, suffixes, left);
        if (done) {
            SORT_NAMED(expand)(text, length, suffixes, reduced, count);
        }
    }
    if (done) {
        SORT_NAMED(reset)(text, length, &of, true);
        SORT_NAMED(place_sorted)(text, length, suffixes, of.buckets, count);
        SORT_NAMED(reset)(text, length, &of, false);
        SORT_NAMED(induce_large)(text, length, suffixes, of.buckets, true);
        SORT_NAMED(reset)(text, length, &of, true);
        (void)SORT_NAMED(induce_small)(text, length, suffixes, of.buckets, false);
    }
    trawl_release(allocated);
    return done;
}

#undef SORT_AHEAD
#undef SORT_TEXT
#undef SORT_INDEX
#undef SORT_NAMED
#undef SORT_DEEPER
