/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The matches that end with each state of the automaton beside the filters (automaton_records.cuh):
 * made in host memory when a database is uploaded, by state ranks, which are on the device. */
#include "engines/ac_dfa/cuda/hot.cuh"
#include "engines/qgram/cuda/automaton_records.cuh"

void trawl_cuda_qgram_chains_release(trawl_cuda_qgram_host_chains *chains) {
    trawl_release(chains->counts);
    trawl_release(chains->ranges);
    trawl_release(chains->matches);
    memset(chains, 0, sizeof *chains);
}

/* The matches that are reported for a key. */
static uint32_t matches_of(const trawl_outputs *outputs, bool longest, uint32_t key) {
    return longest ? 1 : outputs->total[key];
}

/* Writes the matches of all keys, one key after the other; first[key]: where they begin. */
static void list_matches(const trawl_outputs *outputs, bool longest, uint32_t *first,
                         uint2 *matches) {
    uint32_t used = 0;
    for (uint32_t key = 0; key < outputs->keys; key++) {
        first[key] = used;
        if (longest) {
            matches[used++] = make_uint2(outputs->ids[outputs->first[key]], outputs->length[key]);
            continue;
        }
        for (uint32_t at = key; at != TRAWL_NO_KEY; at = outputs->link[at]) {
            for (uint32_t i = outputs->first[at]; i < outputs->first[at + 1]; i++) {
                matches[used++] = make_uint2(outputs->ids[i], outputs->length[at]);
            }
        }
    }
}

/* Fills ranges and counts from the keys of the states. */
static void list_states(const trawl_outputs *outputs, bool longest, const uint32_t *first,
                        const uint32_t *keys, trawl_cuda_qgram_host_chains *chains) {
    for (uint32_t state = 0; state < chains->states; state++) {
        const uint32_t key = keys[state];
        const uint32_t total = key == TRAWL_NO_KEY ? 0 : matches_of(outputs, longest, key);
        chains->ranges[state] = make_uint2(total == 0 ? 0 : first[key], total);
        chains->counts[state] =
            (uint8_t)(total < TRAWL_QGRAM_MANY_MATCHES ? total : TRAWL_QGRAM_MANY_MATCHES);
    }
}

trawl_status trawl_cuda_qgram_chains_make(const trawl_cuda_db *automaton,
                                          trawl_cuda_qgram_host_chains *chains,
                                          trawl_error *error) {
    const trawl_hot_view *view = &((const trawl_cuda_ac_dfa_tables *)automaton->tables)->hot->view;
    const bool longest = automaton->keys[0].longest;
    trawl_outputs outputs;
    uint64_t matches = 0;
    trawl_outputs_view(automaton->db, 0, &outputs);
    memset(chains, 0, sizeof *chains);
    for (uint32_t key = 0; key < outputs.keys; key++) {
        if ((outputs.verify[key] & TRAWL_VERIFY_OWN) != 0) {
            return TRAWL_OK;
        }
        matches += matches_of(&outputs, longest, key);
    }
    if (matches > TRAWL_QGRAM_MOST_CHAINED) {
        return TRAWL_OK;
    }
    const uint64_t states = view->states;
    chains->counts = (uint8_t *)trawl_allocate(states, sizeof *chains->counts);
    chains->ranges = (uint2 *)trawl_allocate(states, sizeof *chains->ranges);
    chains->matches = (uint2 *)trawl_allocate(matches + 1, sizeof *chains->matches);
    uint32_t *keys = (uint32_t *)trawl_allocate(states + outputs.keys, sizeof *keys);
    trawl_status status = TRAWL_OK;
    if (chains->counts == NULL || chains->ranges == NULL || chains->matches == NULL ||
        keys == NULL) {
        status = trawl_fail_memory(error, "a database on a device",
                                   states * sizeof *chains->ranges + matches * sizeof(uint2));
    } else {
        cudaError_t code =
            cudaMemcpy(keys, view->key, states * sizeof *keys, cudaMemcpyDeviceToHost);
        status = code == cudaSuccess ? TRAWL_OK : trawl_cuda_failed(code, "cudaMemcpy", error);
    }
    if (status == TRAWL_OK) {
        chains->states = (uint32_t)states;
        chains->state_bytes = view->wide_states ? 4 : 2;
        chains->match_count = (uint32_t)matches;
        list_matches(&outputs, longest, keys + states, chains->matches);
        list_states(&outputs, longest, keys + states, keys, chains);
    } else {
        trawl_cuda_qgram_chains_release(chains);
    }
    trawl_release(keys);
    return status;
}

void trawl_cuda_qgram_chains_put(trawl_cuda_uploader *upload,
                                 const trawl_cuda_qgram_host_chains *host,
                                 trawl_cuda_qgram_chains *chains) {
    chains->states = host->states;
    chains->state_bytes = host->state_bytes;
    chains->few = host->states <= trawl_qgram_tuned::state_counts &&
                  memchr(host->counts, TRAWL_QGRAM_MANY_MATCHES, host->states) == NULL;
    chains->counts = (const uint8_t *)trawl_cuda_put(upload, host->counts, host->states);
    chains->ranges =
        (const uint2 *)trawl_cuda_put(upload, host->ranges, host->states * sizeof *host->ranges);
    chains->matches = (const uint2 *)trawl_cuda_put(upload, host->matches,
                                                    host->match_count * sizeof *host->matches);
}
