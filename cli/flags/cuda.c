/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/flags/device.h"
#include "trawl/trawl_study.h"

const flag kernel_flags[] = {
    {FLAG_KERNEL, 0, "kernel", "NAME",
     "The kernel that scans with the engine's tables. 'trawl engines' lists the kernels.",
     "CUDA devices"},
    {FLAG_BLOCK_THREADS, 0, "block-threads", "T",
     "Threads of a block, a multiple of 32 (default: the kernel's choice).", NULL},
    {FLAG_BLOCK_BYTES, 0, "block-bytes", "SIZE",
     "Bytes of text that a block scans (default: the kernel's choice).", NULL},
    {FLAG_TABLE_PATH, 0, "table-path", "PATH",
     "How kernels read tables: texture (texture objects) or read-only (read-only loads). Default: "
     "as in the kernel's paper.",
     NULL},
    {0},
};

const flag transfer_flags[] = {
    {FLAG_TRANSFER, 0, "transfer", "HOW",
     "How the text reaches the GPU: ring (the default), a or b (the strategies of Zha & Sahni), or "
     "zero-copy (the GPU reads host memory).",
     NULL},
    {FLAG_SEGMENT_BYTES, 0, "segment-bytes", "SIZE",
     "Bytes of one transfer (default: chosen from the text's size).", NULL},
    {FLAG_SEGMENTS, 0, "segments", "N", "ring: number of segments in flight at a time.", NULL},
    {0},
};

const flag profile_flags[] = {
    {FLAG_PROFILE, 0, "profile", "FILE",
     "Take the kernel and block shape that are not given from this profile of 'trawl tune' "
     "(default: the profile of the device).",
     NULL},
    {FLAG_NO_PROFILE, 0, "no-profile", NULL, "Use no profile.", NULL},
    {0},
};

static int take_block_threads(const arguments *args, uint32_t *threads) {
    if (flag_take_uint32(args, 32, 1024, threads) == FLAG_REFUSED)
        return FLAG_REFUSED;
    if (*threads % 32 == 0)
        return FLAG_TAKEN;
    (void)arguments_misuse(args->command,
                           "--block-threads: expected a multiple of 32 (a warp), not '%s'",
                           args->value);
    return FLAG_REFUSED;
}

static int take_size(const arguments *args, uint64_t most, uint32_t *size) {
    uint64_t value = 0;
    if (!arguments_size(args, 1, most, &value))
        return FLAG_REFUSED;
    *size = (uint32_t)value;
    return FLAG_TAKEN;
}

static int take_transfer(const arguments *args, const char **transfer) {
    static const char *const names[] = {"ring", "a", "b", "zero-copy"};
    int choice = arguments_choose(args, names, sizeof names / sizeof names[0]);
    if (choice < 0)
        return FLAG_REFUSED;
    *transfer = names[choice];
    return FLAG_TAKEN;
}

static int take_table_path(const arguments *args, trawl_table_path *path) {
    static const char *const names[] = {"texture", "read-only"};
    int choice = arguments_choose(args, names, sizeof names / sizeof names[0]);
    if (choice < 0)
        return FLAG_REFUSED;
    *path = choice == 0 ? TRAWL_TABLES_TEXTURE : TRAWL_TABLES_READ_ONLY;
    return FLAG_TAKEN;
}

/* Takes a flag whose value is in `study`. */
static int take_study(trawl_study_scan_options *study, const arguments *args, int id) {
    switch (id) {
    case FLAG_SEGMENT_BYTES:
        return arguments_size(args, 1, UINT64_C(1) << 40, &study->segment_bytes) ? FLAG_TAKEN
                                                                                 : FLAG_REFUSED;
    case FLAG_SEGMENTS:
        return flag_take_uint32(args, 1, 4096, &study->segments_in_flight);
    case FLAG_BLOCK_THREADS:
        return take_block_threads(args, &study->block_threads);
    case FLAG_BLOCK_BYTES:
        return take_size(args, 1 << 30, &study->block_bytes);
    case FLAG_TABLE_PATH:
        return take_table_path(args, &study->table_path);
    default:
        return FLAG_NOT_MINE;
    }
}

int cuda_options_take(trawl_scan_options *options, trawl_study_scan_options *study,
                      profile_options *profile, const arguments *args, int id) {
    int taken = take_study(study, args, id);
    if (taken == FLAG_TAKEN)
        options->study = study;
    if (taken != FLAG_NOT_MINE)
        return taken;
    switch (id) {
    case FLAG_KERNEL:
        options->kernel = args->value;
        return FLAG_TAKEN;
    case FLAG_TRANSFER:
        return take_transfer(args, &options->transfer);
    case FLAG_PROFILE:
        profile->path = args->value;
        return FLAG_TAKEN;
    case FLAG_NO_PROFILE:
        profile->ignore = true;
        return FLAG_TAKEN;
    default:
        return FLAG_NOT_MINE;
    }
}

/* ------------------------------------------------------------------ kernels in --variant */

/* The engine's own string for the variant text[0, length), or NULL. */
static const char *find_variant(const trawl_engine_description *engine, const char *text,
                                size_t length) {
    for (size_t i = 0; engine->variants[i] != NULL; i++) {
        if (strlen(engine->variants[i]) == length &&
            strncmp(engine->variants[i], text, length) == 0)
            return engine->variants[i];
    }
    return NULL;
}

/* Reports "--variant X: ..." with the names of the engine's variants or kernels. */
static bool unknown_name(const command *command_, const trawl_engine_description *engine,
                         const char *value, bool kernel) {
    char names[512];
    engine_list_names(engine, kernel, names, sizeof names);
    if (names[0] == '\0')
        (void)arguments_misuse(command_, "--variant %s: engine %s has no kernels", value,
                               engine->name);
    else
        (void)arguments_misuse(command_, "--variant %s: expected one of the %s of %s (%s)%s", value,
                               kernel ? "kernels" : "variants", engine->name, names,
                               kernel ? " after the +" : " before the +");
    return false;
}

bool cuda_options_from_variant(const command *command_, trawl_compile_options *compile,
                               trawl_scan_options *scan) {
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    const char *value = compile->variant;
    if (value == NULL || !engine_find(compile->engine, &engine) ||
        find_variant(&engine, value, strlen(value)) != NULL)
        return true;
    const char *plus = strchr(value, '+');
    const char *kernel = kernel_find(engine.name, plus == NULL ? value : plus + 1);
    const char *variant =
        plus == NULL ? NULL : find_variant(&engine, value, (size_t)(plus - value));
    if (plus == NULL && kernel == NULL)
        return true;
    if (plus != NULL && (variant == NULL || kernel == NULL))
        return unknown_name(command_, &engine, value, variant != NULL);
    if (scan->kernel != NULL && strcmp(scan->kernel, kernel) != 0) {
        (void)arguments_misuse(command_, "--variant %s and --kernel %s name two kernels", value,
                               scan->kernel);
        return false;
    }
    scan->kernel = kernel;
    compile->variant = variant;
    return true;
}

/* ------------------------------------------------------------------ the device */

/* The first flag given that is for CUDA devices; NULL: none was given. */
static const char *cuda_only_flag(const trawl_scan_options *options) {
    const trawl_study_scan_options study = study_of_scan(options);
    return options->kernel != NULL                   ? "--kernel"
           : options->transfer != NULL               ? "--transfer"
           : study.segment_bytes != 0                ? "--segment-bytes"
           : study.segments_in_flight != 0           ? "--segments"
           : study.block_threads != 0                ? "--block-threads"
           : study.block_bytes != 0                  ? "--block-bytes"
           : study.table_path != TRAWL_TABLES_CHOSEN ? "--table-path"
                                                     : NULL;
}

/* Reports why a device is not listed; true if it can be started all the same. */
static bool explain_absence(const char *device) {
    trawl_error error;
    uint32_t number = 0;
    if (!device_number(device, &number)) {
        return device_refuse(device);
    }
    if (trawl_cuda_start(number, &error) == TRAWL_OK)
        return true;
    report("--device %s: %s", device, error.message);
    return false;
}

bool cuda_options_check(const command *command_, const trawl_scan_options *options,
                        const profile_options *profile) {
    const char *device = options->device == NULL ? "cpu" : options->device;
    const char *given = cuda_only_flag(options);
    if (given == NULL && profile != NULL && profile->path != NULL)
        given = "--profile";
    trawl_device found = TRAWL_DEVICE;
    if (device_is_group(device)) /* the library says what is missing when it is first used */
        return true;
    if (device_is_cuda(device))
        return device_find(device, &found) || explain_absence(device);
    if (strcmp(device, "auto") == 0)
        return true;
    if (strcmp(device, "cpu") != 0) {
        return device_refuse(device);
    }
    if (given != NULL)
        (void)arguments_misuse(command_, "%s is for CUDA devices: give --device cuda with it",
                               given);
    return given == NULL;
}
