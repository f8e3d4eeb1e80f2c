/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The logic behind `trawl tune` and the figures beside the host-to-host rows of `trawl bench`: the
 * search, profiles and the model of transfers. No device is needed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/bench/cuda/transfer_model.h"
#include "cli/target/profile.h"
#include "cli/tune/search.h"

/* ------------------------------------------------------------------ the search */

/* A landscape over two axes; NAN or negative: refused. */
typedef struct landscape {
    size_t columns;
    const double *seconds;
    size_t visits[64];
} landscape;

static double look(void *context, const size_t *point) {
    landscape *land = context;
    size_t index = point[0] * land->columns + point[1];
    land->visits[index]++;
    return land->seconds[index];
}

static tune_found search(landscape *land, size_t rows, size_t row, size_t column, double margin) {
    tune_space space = {.axes = 2, .sizes = {rows, land->columns}, .margin = margin};
    size_t start[2] = {row, column};
    tune_found found;
    bool some = tune_search(&space, start, look, land, &found);
    for (size_t i = 0; i < 64; i++)
        assert_true(land->visits[i] <= 1);
    assert_true(some == (found.refused < found.measured));
    return found;
}

static void finds_the_lowest_point_of_a_bowl(void **state) {
    (void)state;
    double seconds[7 * 8];
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = 0; j < 8; j++)
            seconds[i * 8 + j] = 1 + fabs((double)i - 4) + 2 * fabs((double)j - 6);
    }
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = 0; j < 8; j++) {
            landscape land = {.columns = 8, .seconds = seconds};
            tune_found found = search(&land, 7, i, j, 0.01);
            assert_int_equal(found.point[0], 4);
            assert_int_equal(found.point[1], 6);
            assert_true(found.seconds == 1);
            /* Lines, not the whole grid. */
            assert_true(found.measured <= 7 + 8 + 7 + 8);
        }
    }
}

static void goes_round_until_nothing_is_better(void **state) {
    (void)state;
    /* The best value of one axis depends on the other: a valley that runs down diagonally. */
    static const double seconds[4 * 4] = {
        9, 8, 9, 9, /* */
        9, 7, 6, 9, /* */
        9, 9, 5, 4, /* */
        9, 9, 9, 3, /* */
    };
    landscape land = {.columns = 4, .seconds = seconds};
    tune_found found = search(&land, 4, 0, 0, 0);
    assert_int_equal(found.point[0], 3);
    assert_int_equal(found.point[1], 3);
    assert_true(found.seconds == 3);
}

static void passes_points_that_cannot_be(void **state) {
    (void)state;
    static const double seconds[3 * 4] = {
        -1, -1,  -1, 5, /* */
        -1, NAN, -1, 4, /* */
        -1, 2,   -1, 3, /* */
    };
    landscape land = {.columns = 4, .seconds = seconds};
    tune_found found = search(&land, 3, 0, 0, 0);
    assert_int_equal(found.point[0], 2);
    assert_int_equal(found.point[1], 1);
    assert_true(found.refused > 0);
    landscape hopeless = {.columns = 4, .seconds = (const double[]){-1, -1, -1, -1}};
    (void)search(&hopeless, 1, 0, 2, 0);
}

static void stays_where_nothing_is_clearly_better(void **state) {
    (void)state;
    static const double seconds[1 * 4] = {1.0, 0.995, 0.991, 0.993};
    landscape land = {.columns = 4, .seconds = seconds};
    assert_int_equal(search(&land, 1, 0, 0, 0.01).point[1], 0);
    static const double clear[1 * 4] = {1.0, 0.985, 0.98, 0.999};
    landscape other = {.columns = 4, .seconds = clear};
    tune_found found = search(&other, 1, 0, 0, 0.01);
    assert_int_equal(found.point[1], 2);
    assert_true(found.seconds == 0.98);
}

static void refuses_spaces_that_are_none(void **state) {
    (void)state;
    landscape land = {.columns = 1, .seconds = (const double[]){1}};
    size_t start[TUNE_MOST_AXES] = {0};
    tune_found found;
    tune_space spaces[] = {
        {.axes = 0},
        {.axes = TUNE_MOST_AXES + 1},
        {.axes = 2, .sizes = {3, 0}},
        {.axes = 2, .sizes = {TUNE_MOST_POINTS, 2}},
    };
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        assert_false(tune_search(&spaces[i], start, look, &land, &found));
    start[0] = 1;
    tune_space one = {.axes = 1, .sizes = {1}};
    assert_false(tune_search(&one, start, look, &land, &found));
}

/* ------------------------------------------------------------------ profiles */

static char directory[] = "/tmp/trawl-tune.XXXXXX";
static char path[sizeof directory + 64];

static int make_directory(void **state) {
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    (void)snprintf(path, sizeof path, "%s/config/trawl/NVIDIA-H200.profile", directory);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    char command[256];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

static void write_text(const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const profile_entry first_entry = {
    .engine = "ac-dfa",
    .variant = "classes",
    .kernel = "hot",
    .block_threads = 256,
    .block_bytes = 65536,
    .gb_per_second = 612.375,
    .date = "2026-11-21",
};

static void profile_survives_writing_and_reading(void **state) {
    (void)state;
    trawl_error error;
    device_profile written = {.device = "NVIDIA H200"};
    profile_entry second = first_entry;
    (void)snprintf(second.variant, sizeof second.variant, "stt");
    (void)snprintf(second.kernel, sizeof second.kernel, "ac4");
    second.block_threads = second.block_bytes = 0;
    assert_true(device_profile_set(&written, &first_entry));
    assert_true(device_profile_set(&written, &second));
    assert_int_equal(device_profile_write(path, &written, &error), TRAWL_ERROR_IO);
    device_profile_make_folder(path);
    assert_int_equal(device_profile_write(path, &written, &error), TRAWL_OK);

    device_profile read;
    assert_int_equal(device_profile_read(path, &read, &error), TRAWL_OK);
    assert_string_equal(read.device, "NVIDIA H200");
    assert_int_equal(read.count, 2);
    const profile_entry *entry = device_profile_find(&read, "ac-dfa", "classes");
    assert_non_null(entry);
    assert_string_equal(entry->kernel, "hot");
    assert_int_equal(entry->block_threads, 256);
    assert_int_equal(entry->block_bytes, 65536);
    assert_true(fabs(entry->gb_per_second - 612.375) < 1e-9);
    assert_string_equal(entry->date, "2026-11-21");
    entry = device_profile_find(&read, "ac-dfa", "stt");
    assert_non_null(entry);
    assert_string_equal(entry->kernel, "ac4");
    assert_int_equal(entry->block_threads, 0);
    assert_null(device_profile_find(&read, "ac-nfa", "stt"));

    /* The same engine and variant again: in its place. */
    second.block_threads = 64;
    assert_true(device_profile_set(&read, &second));
    assert_int_equal(read.count, 2);
    assert_int_equal(device_profile_find(&read, "ac-dfa", "stt")->block_threads, 64);
}

static void costs_survive_writing_and_reading(void **state) {
    (void)state;
    trawl_error error;
    const char *name = NULL;
    device_profile written = {.device = "NVIDIA H200", .has_costs = true, .has_device_costs = true};
    written.costs.memory = 0.25;
    double *value = NULL;
    size_t count = 0;
    for (; (value = profile_device_cost(&written.device_costs, count, &name)) != NULL; count++)
        *value = (double)(count + 1) / 4;
    assert_true(count * sizeof *value + sizeof(size_t) == sizeof written.device_costs);
    assert_true(device_profile_set(&written, &first_entry));
    assert_int_equal(device_profile_write(path, &written, &error), TRAWL_OK);
    device_profile read;
    assert_int_equal(device_profile_read(path, &read, &error), TRAWL_OK);
    assert_true(read.has_costs && read.has_device_costs);
    assert_int_equal(read.count, 1);
    assert_true(read.costs.memory == 0.25);
    assert_int_equal(read.device_costs.size, sizeof read.device_costs);
    for (size_t i = 0; i < count; i++)
        assert_true(*profile_device_cost(&read.device_costs, i, &name) == (double)(i + 1) / 4);
    write_text("device = x\n");
    assert_int_equal(device_profile_read(path, &read, &error), TRAWL_OK);
    assert_false(read.has_device_costs);
}

static void full_profile_takes_no_more(void **state) {
    (void)state;
    device_profile profile = {.count = 0};
    profile_entry entry = first_entry;
    for (unsigned i = 0; i < PROFILE_ENTRIES; i++) {
        (void)snprintf(entry.variant, sizeof entry.variant, "v%u", i);
        assert_true(device_profile_set(&profile, &entry));
    }
    assert_true(device_profile_set(&profile, &entry));
    (void)snprintf(entry.variant, sizeof entry.variant, "one more");
    assert_false(device_profile_set(&profile, &entry));
}

static void damaged_profiles_name_file_and_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *where;
    } damaged[] = {
        {"kernel = hot\n", ":1:"},
        {"device = x\nblock_threads = 3\n", ":2:"},
        {"device = x\n[ac-dfa]\n", ":2:"},
        {"device = x\n[ac-dfa classes\n", ":2:"},
        {"device = x\n[ classes]\n", ":2:"},
        {"device = x\n\n[ac-dfa classes]\nkernel\n", ":4:"},
        {"device = x\n[ac-dfa classes]\nkernel =\n", ":3:"},
        {"device = x\n[ac-dfa classes]\nkernel = hot\nblock_threads = -1\n", ":4:"},
        {"device = x\n[ac-dfa classes]\nkernel = hot\nblock_threads = 99999999999\n", ":4:"},
        {"device = x\n[ac-dfa classes]\nkernel = hot\nblock_bytes = 2x\n", ":4:"},
        {"device = x\n[ac-dfa classes]\nkernel = hot\ngb_per_second = fast\n", ":4:"},
        {"device = x\n[ac-dfa classes]\nkernel = hot\ngb_per_second = nan\n", ":4:"},
        {"device = x\n[ac-dfa classes]\nkernel = hot\ncolour = red\n", ":4:"},
        {"device = x\n[ac-dfa classes]\nkernel = "
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
         ":3:"},
        {"device = x\n[ac-dfa classes]\n", "names no kernel"},
        {"[cuda costs]\nfilter = 1 2\n", ":2:"},
        {"[cuda costs]\nfilter = -1\n", ":2:"},
        {"[cuda costs]\nsample = 1\n", ":2:"},
    };
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        trawl_error error;
        device_profile profile;
        write_text(damaged[i].text);
        assert_int_equal(device_profile_read(path, &profile, &error), TRAWL_ERROR_FORMAT);
        assert_int_equal(profile.count, 0);
        if (strstr(error.message, damaged[i].where) == NULL || strstr(error.message, path) == NULL)
            fail_msg("%s, expected %s", error.message, damaged[i].where);
    }
    trawl_error error;
    device_profile profile;
    write_text("");
    assert_int_equal(device_profile_read(path, &profile, &error), TRAWL_OK);
    assert_int_equal(device_profile_read("/nowhere/at all", &profile, &error), TRAWL_ERROR_IO);
    assert_non_null(strstr(error.message, "/nowhere/at all: No such file"));
    assert_int_equal(device_profile_read("/dev/zero", &profile, &error), TRAWL_ERROR_IO);
    assert_non_null(strstr(error.message, "/dev/zero: is not a regular file"));
    assert_int_equal(truncate(path, (1 << 20) + 1), 0);
    assert_int_equal(device_profile_read(path, &profile, &error), TRAWL_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "longer than 1 MiB"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(device_profile_read(path, &profile, &error), TRAWL_ERROR_IO);
    assert_non_null(strstr(error.message, "is not a regular file"));
    assert_int_equal(unlink(path), 0);
}

static void profiles_lie_where_xdg_says(void **state) {
    (void)state;
    char name[32];
    char where[128];
    profile_device_name("NVIDIA H200 (compute capability 9.0)", name, sizeof name);
    assert_string_equal(name, "NVIDIA H200");
    profile_device_name("plain", name, sizeof name);
    assert_string_equal(name, "plain");

    assert_int_equal(setenv("HOME", "/home/me", 1), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", "/my config", 1), 0);
    assert_true(device_profile_path("NVIDIA H200/../x", where, sizeof where));
    assert_string_equal(where, "/my config/trawl/NVIDIA-H200-..-x.profile");
    assert_int_equal(setenv("XDG_CONFIG_HOME", "relative", 1), 0);
    assert_true(device_profile_path("H200", where, sizeof where));
    assert_string_equal(where, "/home/me/.config/trawl/H200.profile");
    assert_false(device_profile_path("H200", where, 20));
    assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
    assert_int_equal(unsetenv("HOME"), 0);
    assert_false(device_profile_path("H200", where, sizeof where));
}

/* ------------------------------------------------------------------ the model of transfers */

static void one_segment_overlaps_nothing(void **state) {
    (void)state;
    transfer_times times = {.copy_in = 3, .scan = 2, .copy_out = 1};
    for (int channels = 1; channels <= 2; channels++) {
        assert_true(transfer_model_a(&times, 1, (transfer_channels)channels) == 6);
        assert_true(transfer_model_b(&times, 1, (transfer_channels)channels) == 6);
    }
}

/* Figs. 6 and 7 played through, event by event. */
static double play_a(const transfer_times *times, size_t segments, bool two) {
    double in_free = 0;
    double scan_free = 0;
    double out_free = 0;
    for (size_t i = 0; i < segments; i++) {
        in_free += times->copy_in;
        scan_free = fmax(scan_free, in_free) + times->scan;
        if (two)
            out_free = fmax(out_free, scan_free) + times->copy_out;
    }
    if (two)
        return out_free;
    /* One channel: copies out queue behind all copies in. */
    double channel = in_free;
    double in = 0;
    double scanned = 0;
    for (size_t i = 0; i < segments; i++) {
        in += times->copy_in;
        scanned = fmax(scanned, in) + times->scan;
        channel = fmax(channel, scanned) + times->copy_out;
    }
    return channel;
}

static double play_b(const transfer_times *times, size_t segments, bool two) {
    double now = times->copy_in;
    double out = 0; /* left to copy out during the next step */
    for (size_t i = 1; i < segments; i++) {
        double copies = two ? fmax(times->copy_in, out) : times->copy_in + out;
        now += fmax(copies, times->scan);
        out = times->copy_out;
    }
    return now + fmax(times->scan, out) + times->copy_out;
}

static void model_agrees_with_the_loops(void **state) {
    (void)state;
    static const double values[] = {0, 0.25, 0.5, 1, 1.5, 2, 4};
    enum { VALUES = sizeof values / sizeof values[0] };
    for (size_t i = 0; i < (size_t)VALUES * VALUES * VALUES; i++) {
        transfer_times times = {values[i % VALUES], values[i / VALUES % VALUES],
                                values[i / VALUES / VALUES]};
        for (size_t segments = 1; segments <= 40; segments++) {
            for (int channels = 1; channels <= 2; channels++) {
                transfer_channels kind = (transfer_channels)channels;
                double a = transfer_model_a(&times, segments, kind);
                double b = transfer_model_b(&times, segments, kind);
                assert_true(fabs(a - play_a(&times, segments, channels == 2)) < 1e-9);
                assert_true(fabs(b - play_b(&times, segments, channels == 2)) < 1e-9);
                /* V: A is optimal, and B is within the bound. */
                assert_true(b >= a - 1e-9);
                assert_true(b <= a * transfer_model_bound(kind) + 1e-9);
            }
        }
    }
}

static void bound_is_reached_with_two_channels(void **state) {
    (void)state;
    transfer_times times = {.copy_in = 1, .scan = 0, .copy_out = 1};
    double a = transfer_model_a(&times, 2, TRANSFER_TWO_CHANNELS);
    double b = transfer_model_b(&times, 2, TRANSFER_TWO_CHANNELS);
    assert_true(fabs(b / a - transfer_model_bound(TRANSFER_TWO_CHANNELS)) < 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_lowest_point_of_a_bowl),
        cmocka_unit_test(goes_round_until_nothing_is_better),
        cmocka_unit_test(passes_points_that_cannot_be),
        cmocka_unit_test(stays_where_nothing_is_clearly_better),
        cmocka_unit_test(refuses_spaces_that_are_none),
        cmocka_unit_test(profile_survives_writing_and_reading),
        cmocka_unit_test(costs_survive_writing_and_reading),
        cmocka_unit_test(full_profile_takes_no_more),
        cmocka_unit_test(damaged_profiles_name_file_and_line),
        cmocka_unit_test(profiles_lie_where_xdg_says),
        cmocka_unit_test(one_segment_overlaps_nothing),
        cmocka_unit_test(model_agrees_with_the_loops),
        cmocka_unit_test(bound_is_reached_with_two_channels),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
