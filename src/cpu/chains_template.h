/*
 * Writing the matches of events from what is ready. Before including it, define
 *   NAME(base)  a distinct name for each function
 *   TARGET      the functions' target attribute, or nothing
 * and NAME(write_four), which writes four matches that end at `end`.
 */

TARGET static inline trawl_match *NAME(write_chain)(const trawl_chains *chains, trawl_chain chain,
                                                    uint64_t end, trawl_match *to) {
    const trawl_match *from = chains->matches + chain.first;
    uint32_t done = 0;
    do {
        NAME(write_four)(to + done, from + done, end);
        done += AT_ONCE;
    } while (__builtin_expect(done < chain.count, 0));
    return to + chain.count;
}

/* Writes the matches of events as long as they are ready and there is room for any chain; returns
 * how many events that were. */
TARGET static size_t NAME(write_events)(const trawl_chains *chains, const trawl_chain_text *where,
                                        const trawl_ending_event *events, size_t count,
                                        trawl_sink *sink) {
    const trawl_chains own = *chains; /* what is written cannot be part of it */
    const trawl_chain_text at = *where;
    size_t room = sink->capacity - sink->count, needed = MOST_MATCHES + AT_ONCE;
    if (room < needed) {
        return 0;
    }
    trawl_match *to = sink->matches + sink->count;
    const trawl_match *last = to + (room - needed);
    size_t i = 0;
    for (; i < count && to < last; i++) {
        trawl_chain chain = own.keys[events[i].key];
        uint64_t end = at.base + events[i].position;
        if (__builtin_expect(chain.count - 1 < MOST_MATCHES, 1)) {
            to = NAME(write_chain)(&own, chain, end, to);
        } else if (chain.count != 0) {
            to = write_verified(&own, chain, at.patterns, at.text + events[i].position, end, to);
        } else {
            break;
        }
    }
    sink->count = (size_t)(to - sink->matches);
    return i;
}

#undef NAME
#undef TARGET
