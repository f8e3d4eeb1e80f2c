/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A trawl_prepared_writer for one instruction set. Before including this file, define
 *   NAME(base)  a distinct name for each function
 *   TARGET      the functions' target attribute, or nothing
 * and a function NAME(write_four), which copies four matches and adds `end` to starts and ends.
 */

TARGET static size_t NAME(write_events)(const trawl_match *matches, uint64_t base,
                                        const trawl_ending_event *events,
                                        const trawl_prepared_key *found, size_t count,
                                        trawl_sink *sink) {
    size_t room = sink->capacity - sink->count, needed = MOST_MATCHES + AT_ONCE;
    if (room < needed) {
        return 0;
    }
    trawl_match *to = sink->matches + sink->count;
    const trawl_match *last = to + (room - needed);
    size_t i = 0;
    for (; i < count && to < last && (found[i] & TRAWL_PREPARED_CHECK) == 0; i++) {
        const trawl_match *from = matches + trawl_prepared_key_first(found[i]);
        uint32_t length = trawl_prepared_key_count(found[i]), done = 0;
        uint64_t end = base + events[i].position;
        do {
            NAME(write_four)(to + done, from + done, end);
            done += AT_ONCE;
        } while (__builtin_expect(done < length, 0));
        to += length;
        __builtin_prefetch((const void *)((uintptr_t)to + AHEAD), 1);
    }
    sink->count = (size_t)(to - sink->matches);
    return i;
}

#undef NAME
#undef TARGET
