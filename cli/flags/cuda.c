/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The flags of CUDA devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/flags/arguments.h"
#include "cli/flags/common.h"
#include "trawl/trawl_cuda.h"

static int take_uint32(const arguments *args, uint64_t least, uint64_t most, bool is_size,
                       uint32_t *number) {
    uint64_t value = 0;
    bool good = is_size ? arguments_size(args, least, most, &value)
                        : arguments_number(args, least, most, &value);
    if (good)
        *number = (uint32_t)value;
    return good ? FLAG_TAKEN : FLAG_REFUSED;
}

static int take_block_threads(const arguments *args, uint32_t *threads) {
    if (take_uint32(args, 32, 1024, false, threads) == FLAG_REFUSED)
        return FLAG_REFUSED;
    if (*threads % 32 == 0)
        return FLAG_TAKEN;
    (void)arguments_misuse(args->command,
                           "--block-threads: expected a multiple of 32 (a warp), not '%s'",
                           args->value);
    return FLAG_REFUSED;
}

static int take_transfer(const arguments *args, const char **transfer) {
    static const char *const names[] = {"ring", "a", "b", "zero-copy"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(args->value, names[i]) == 0) {
            *transfer = names[i];
            return FLAG_TAKEN;
        }
    }
    (void)arguments_misuse(args->command, "--transfer: expected ring, a, b or zero-copy, not '%s'",
                           args->value);
    return FLAG_REFUSED;
}

static int take_table_path(const arguments *args, trawl_table_path *path) {
    if (strcmp(args->value, "texture") == 0) {
        *path = TRAWL_TABLES_TEXTURE;
        return FLAG_TAKEN;
    }
    if (strcmp(args->value, "read-only") == 0) {
        *path = TRAWL_TABLES_READ_ONLY;
        return FLAG_TAKEN;
    }
    (void)arguments_misuse(args->command, "--table-path: expected texture or read-only, not '%s'",
                           args->value);
    return FLAG_REFUSED;
}

int cuda_options_take(trawl_scan_options *options, profile_options *profile, const arguments *args,
                      int id) {
    switch (id) {
    case FLAG_KERNEL:
        options->kernel = args->value;
        return FLAG_TAKEN;
    case FLAG_TRANSFER:
        return take_transfer(args, &options->transfer);
    case FLAG_SEGMENT_BYTES:
        return arguments_size(args, 1, UINT64_C(1) << 40, &options->segment_bytes) ? FLAG_TAKEN
                                                                                   : FLAG_REFUSED;
    case FLAG_SEGMENTS:
        return take_uint32(args, 1, 4096, false, &options->segments_in_flight);
    case FLAG_BLOCK_THREADS:
        return take_block_threads(args, &options->block_threads);
    case FLAG_BLOCK_BYTES:
        return take_uint32(args, 1, UINT64_C(1) << 30, true, &options->block_bytes);
    case FLAG_TABLE_PATH:
        return take_table_path(args, &options->table_path);
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

static bool find_engine(const char *name, trawl_engine_description *engine) {
    for (size_t i = 0; name != NULL && trawl_engine_describe(i, engine); i++) {
        if (strcmp(engine->name, name) == 0)
            return true;
    }
    return false;
}

/* The engine's own string for text[0 .. length), or NULL. */
static const char *find_variant(const trawl_engine_description *engine, const char *text,
                                size_t length) {
    for (size_t i = 0; engine->variants[i] != NULL; i++) {
        if (strlen(engine->variants[i]) == length &&
            strncmp(engine->variants[i], text, length) == 0)
            return engine->variants[i];
    }
    return NULL;
}

static const char *find_kernel(const char *engine, const char *name) {
    trawl_kernel_description kernel;
    for (size_t i = 0; trawl_kernel_describe(engine, i, &kernel); i++) {
        if (strcmp(kernel.name, name) == 0)
            return kernel.name;
    }
    return NULL;
}

static void list_names(const trawl_engine_description *engine, bool kernels, char *names,
                       size_t size) {
    size_t used = 0;
    trawl_kernel_description kernel;
    names[0] = '\0';
    for (size_t i = 0; used < size; i++) {
        if (kernels ? !trawl_kernel_describe(engine->name, i, &kernel)
                    : engine->variants[i] == NULL)
            break;
        used += (size_t)snprintf(names + used, size - used, "%s%s", i == 0 ? "" : ", ",
                                 kernels ? kernel.name : engine->variants[i]);
    }
}

/* "--variant X: ..." with the names that there are. */
static bool unknown_name(const command *command_, const trawl_engine_description *engine,
                         const char *value, bool kernel) {
    char names[512];
    list_names(engine, kernel, names, sizeof names);
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
    trawl_engine_description engine;
    const char *value = compile->variant;
    if (value == NULL || !find_engine(compile->engine, &engine) ||
        find_variant(&engine, value, strlen(value)) != NULL)
        return true;
    const char *plus = strchr(value, '+');
    const char *kernel = find_kernel(engine.name, plus == NULL ? value : plus + 1);
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

bool device_is_cuda(const char *device) {
    return device != NULL && strncmp(device, "cuda", 4) == 0 &&
           (device[4] == '\0' || device[4] == ':');
}

/* The first flag that only a CUDA device can follow; NULL: none was given. */
static const char *cuda_only_flag(const trawl_scan_options *options) {
    return options->kernel != NULL                      ? "--kernel"
           : options->transfer != NULL                  ? "--transfer"
           : options->segment_bytes != 0                ? "--segment-bytes"
           : options->segments_in_flight != 0           ? "--segments"
           : options->block_threads != 0                ? "--block-threads"
           : options->block_bytes != 0                  ? "--block-bytes"
           : options->table_path != TRAWL_TABLES_CHOSEN ? "--table-path"
                                                        : NULL;
}

/* Whether trawl_devices lists the device. */
static bool device_is_listed(const char *device) {
    enum { MOST = 64 };
    trawl_device devices[MOST];
    size_t count = 0;
    if (trawl_devices(devices, MOST, &count, NULL) != TRAWL_OK)
        return false;
    for (size_t i = 0; i < count && i < MOST; i++) {
        if (strcmp(devices[i].name, strcmp(device, "cuda") == 0 ? "cuda:0" : device) == 0)
            return true;
    }
    return false;
}

void device_resolve_auto(trawl_scan_options *options) {
    if (options->device != NULL && strcmp(options->device, "auto") == 0)
        options->device = device_is_listed("cuda:0") ? "cuda:0" : NULL;
}

void device_choose_engine(trawl_compile_options *compile, const trawl_scan_options *scan) {
    trawl_engine_description engine;
    bool is_automatic = compile->engine == NULL || strcmp(compile->engine, "auto") == 0;
    compile->device = scan->device;
    for (size_t i = 0; is_automatic && scan->kernel != NULL && trawl_engine_describe(i, &engine);
         i++) {
        if (find_kernel(engine.name, scan->kernel) != NULL) {
            compile->engine = engine.name;
            return;
        }
    }
}

bool device_can_be_planned(const char *device) {
    if (device_is_cuda(device) || strcmp(device, "cpu") == 0 || strcmp(device, "auto") == 0)
        return true;
    report("--device: expected cpu, cuda, cuda:N or auto, not '%s'", device);
    return false;
}

bool device_number(const char *device, uint32_t *number) {
    if (!device_is_cuda(device))
        return false;
    char *end = NULL;
    const char *digits = device[4] == ':' ? device + 5 : "0";
    unsigned long value = strtoul(digits, &end, 10);
    *number = (uint32_t)value;
    return *digits >= '0' && *digits <= '9' && *end == '\0' && value <= 9999;
}

/* A device that is not listed: the library says why. */
static bool explain_absence(const char *device) {
    trawl_error error;
    uint32_t number = 0;
    if (!device_number(device, &number)) {
        report("--device: expected cpu, cuda, cuda:N or auto, not '%s'", device);
        return false;
    }
    if (trawl_cuda_start(number, &error) == TRAWL_OK)
        return true;
    report("--device %s: %s", device, error.message);
    return false;
}

bool cuda_options_check(const command *command_, const trawl_scan_options *options) {
    const char *device = options->device == NULL ? "cpu" : options->device;
    const char *given = cuda_only_flag(options);
    if (device_is_cuda(device))
        return device_is_listed(device) || explain_absence(device);
    if (strcmp(device, "auto") == 0)
        return true;
    if (strcmp(device, "cpu") != 0) {
        report("--device: expected cpu, cuda, cuda:N or auto, not '%s'", device);
        return false;
    }
    if (given != NULL)
        (void)arguments_misuse(command_, "%s is for CUDA devices: give --device cuda with it",
                               given);
    return given == NULL;
}
