/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Segments that several workers take from a share. Each segment is handled once, and in order where
 * the order matters, even if workers give segments back or meet the end of the text. And the CPUs
 * near a device. */
#include "run/gpu/near.h"
#include "run/gpu/transfer/share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { SEGMENTS = 500, WORKERS = 4 };

typedef struct work {
    trawl_share share;
    pthread_mutex_t lock;
    unsigned handled[SEGMENTS];
    uint64_t order[SEGMENTS];
    uint64_t delivered;
} work;

static void open_work(work *self, bool ordered) {
    trawl_segments segments = trawl_segments_cut(SEGMENTS * 32, 0, 5, 32);
    assert_int_equal(segments.count, SEGMENTS);
    memset(self, 0, sizeof *self);
    trawl_share_open(&self->share, &segments, ordered);
    (void)pthread_mutex_init(&self->lock, NULL);
}

static void close_work(work *self) {
    trawl_share_close(&self->share);
    (void)pthread_mutex_destroy(&self->lock);
}

static void handle(work *self, uint64_t segment) {
    (void)pthread_mutex_lock(&self->lock);
    self->handled[segment]++;
    (void)pthread_mutex_unlock(&self->lock);
}

static void run(work *self, void *(*function)(void *)) {
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, function, self), 0);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* Takes three at a time and gives the second one back at times. */
static void *count_some(void *context) {
    work *self = context;
    uint64_t segment;
    for (unsigned i = 0; trawl_share_take(&self->share, &segment); i++)
        if (i % 7 == 3)
            trawl_share_give_back(&self->share, &segment, 1);
        else
            handle(self, segment);
    return NULL;
}

static void counting(void **state) {
    (void)state;
    work all;
    open_work(&all, false);
    run(&all, count_some);
    assert_false(trawl_share_has_more(&all.share));
    for (size_t i = 0; i < SEGMENTS; i++)
        assert_int_equal(all.handled[i], 1);
    close_work(&all);
}

/* Takes two segments, and delivers them in their turns. */
static void *deliver(void *context) {
    work *self = context;
    uint64_t segments[2];
    size_t count;
    do {
        for (count = 0; count < 2 && trawl_share_take(&self->share, &segments[count]);)
            count++;
        for (size_t i = 0; i < count; i++) {
            trawl_turn turn;
            do
                turn = trawl_share_await(&self->share, segments[i], i == 0 ? 0 : 50);
            while (turn == TRAWL_TURN_LATER);
            if (turn == TRAWL_TURN_NEVER)
                return NULL;
            self->order[self->delivered++] = segments[i];
            trawl_share_delivered(&self->share);
        }
    } while (count == 2);
    return NULL;
}

static void delivering(void **state) {
    (void)state;
    work all;
    open_work(&all, true);
    run(&all, deliver);
    assert_int_equal(all.delivered, SEGMENTS);
    for (size_t i = 0; i < SEGMENTS; i++)
        assert_int_equal(all.order[i], i);
    close_work(&all);
}

/* The text ends in segment 300, and then earlier, in segment 200. */
static void ends(void **state) {
    (void)state;
    trawl_error late = {.status = TRAWL_ERROR_IO, .message = "late"};
    trawl_error early = {.status = TRAWL_ERROR_IO, .message = "early"};
    work all;
    open_work(&all, true);
    trawl_share_end(&all.share, 300, 300 * 32 + 5, TRAWL_ERROR_IO, &late);
    assert_int_equal(all.share.end, 301);
    trawl_share_end(&all.share, 200, 200 * 32, TRAWL_ERROR_IO, &early);
    trawl_share_end(&all.share, 250, 250 * 32 + 1, TRAWL_ERROR_IO, &late);
    assert_int_equal(all.share.end, 200);
    assert_string_equal(all.share.read_error.message, "early");
    run(&all, deliver);
    assert_int_equal(all.delivered, 200);
    assert_int_equal(trawl_share_await(&all.share, 200, 0), TRAWL_TURN_NEVER);
    close_work(&all);
    /* Segments behind the end that were given back are dropped. */
    const uint64_t some[] = {3, 400, 7};
    uint64_t segment;
    open_work(&all, false);
    all.share.next = SEGMENTS;
    trawl_share_give_back(&all.share, some, 3);
    trawl_share_end(&all.share, 300, 300 * 32, TRAWL_ERROR_IO, &late);
    assert_true(trawl_share_take(&all.share, &segment) && segment == 3);
    assert_true(trawl_share_take(&all.share, &segment) && segment == 7);
    assert_false(trawl_share_take(&all.share, &segment));
    close_work(&all);
}

static void failures(void **state) {
    (void)state;
    trawl_error first = {.status = TRAWL_ERROR_MEMORY, .message = "first"};
    trawl_error second = {.status = TRAWL_ERROR_DEVICE, .message = "second"};
    uint64_t segment;
    work all;
    open_work(&all, true);
    assert_int_equal(trawl_share_await(&all.share, 5, 10), TRAWL_TURN_LATER);
    trawl_share_fail(&all.share, TRAWL_ERROR_MEMORY, &first);
    trawl_share_fail(&all.share, TRAWL_ERROR_DEVICE, &second);
    assert_int_equal(all.share.status, TRAWL_ERROR_MEMORY);
    assert_string_equal(all.share.error.message, "first");
    assert_false(trawl_share_take(&all.share, &segment));
    assert_int_equal(trawl_share_await(&all.share, 5, 0), TRAWL_TURN_NEVER);
    close_work(&all);
}

/* ------------------------------------------------------------------ near a device */

static void put(const char *folder, const char *name, const char *text) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void near_a_device(void **state) {
    (void)state;
    static const struct {
        const char *list;
        int count; /* -1: not understood */
        size_t first, last;
    } lists[] = {{"0-3,8-11\n", 8, 0, 11}, {"5\n", 1, 5, 5},     {"0-1,3\n", 3, 0, 3},
                 {"\n", -1, 0, 0},         {"zero\n", -1, 0, 0}, {"1-2;3\n", -1, 0, 0}};
    char folder[] = "/tmp/trawl-near-XXXXXX";
    cpu_set_t cpus, before, after;
    assert_non_null(mkdtemp(folder));
    assert_false(trawl_near_cpus(folder, "0000:3B:00.0", &cpus));
    put(folder, "bus/pci/devices/0000:3b:00.0/numa_node", "1\n");
    assert_false(trawl_near_cpus(folder, "0000:3B:00.0", &cpus));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        put(folder, "devices/system/node/node1/cpulist", lists[i].list);
        assert_int_equal(trawl_near_cpus(folder, "0000:3B:00.0", &cpus), lists[i].count >= 0);
        if (lists[i].count >= 0) {
            assert_int_equal(CPU_COUNT(&cpus), lists[i].count);
            assert_true(CPU_ISSET(lists[i].first, &cpus) && CPU_ISSET(lists[i].last, &cpus));
        }
    }
    put(folder, "bus/pci/devices/0000:3b:00.0/numa_node", "-1\n");
    assert_false(trawl_near_cpus(folder, "0000:3b:00.0", &cpus));
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    /* None that the thread may run on: nothing happens. */
    CPU_ZERO(&cpus);
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    trawl_near_bind(&cpus, &after);
    trawl_near_unbind(&after);
    /* One of them. */
    size_t one = 0;
    while (!CPU_ISSET(one, &before))
        one++;
    CPU_SET(one, &cpus);
    trawl_near_bind(&cpus, &after);
    trawl_near_unbind(&after);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting), cmocka_unit_test(delivering),    cmocka_unit_test(ends),
        cmocka_unit_test(failures), cmocka_unit_test(near_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
