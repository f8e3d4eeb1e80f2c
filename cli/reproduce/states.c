/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/reproduce/states.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "cli/base/crowd.h"
#include "cli/base/memory.h"

enum { PIECE = 1 << 20 }; /* bytes of text */

/* What the threads share. */
typedef struct comparison {
    const written_states *written;
    size_t overlap; /* bytes before a piece from which it is walked: a state depends on no more */
    atomic_bool differs;
} comparison;

typedef struct member {
    comparison *shared;
    uint32_t *states; /* of a piece and its overlap */
} member;

static bool piece_agrees(const member *self, size_t begin, size_t end) {
    const written_states *written = self->shared->written;
    size_t from = begin < self->shared->overlap ? 0 : begin - self->shared->overlap;
    if (trawl_study_walk_states(written->db, 0, written->text + from, end - from, self->states,
                                NULL) != TRAWL_OK)
        return false;
    const uint16_t *narrow = written->entries;
    const uint32_t *wide = written->entries;
    bool is_narrow = written->entry_bytes == sizeof *narrow;
    uint32_t difference = 0;
    for (size_t i = begin; i < end; i++)
        difference |= self->states[i - from] ^ (is_narrow ? narrow[i] : wide[i]);
    return difference == 0;
}

static void compare_piece(crowd *self, void *context, size_t index) {
    const member *one = context;
    size_t begin = index * PIECE, left = one->shared->written->length - begin;
    if (!atomic_load(&one->shared->differs) &&
        !piece_agrees(one, begin, begin + (left < PIECE ? left : PIECE)))
        atomic_store(&one->shared->differs, true);
    crowd_finish(self, index, NULL, 0);
}

bool states_agree(const written_states *written) {
    trawl_device cpu[1] = {TRAWL_DEVICE};
    trawl_db_information information = TRAWL_DB_INFORMATION;
    size_t found = 0, pieces = (written->length + PIECE - 1) / PIECE;
    if (trawl_devices(cpu, 1, &found, NULL) != TRAWL_OK ||
        trawl_db_info(written->db, &information, NULL) != TRAWL_OK)
        return false;
    size_t threads = cpu->units < pieces ? cpu->units : pieces;
    comparison shared = {.written = written, .overlap = information.max_length - 1};
    member *members = allocate((threads + 1) * sizeof *members);
    for (size_t i = 0; i < threads; i++)
        members[i] = (member){&shared, allocate((PIECE + shared.overlap) * sizeof(uint32_t))};
    if (threads != 0)
        crowd_run(NULL, pieces, compare_piece, members, sizeof *members, threads);
    for (size_t i = 0; i < threads; i++)
        free(members[i].states);
    free(members);
    return !atomic_load(&shared.differs);
}
