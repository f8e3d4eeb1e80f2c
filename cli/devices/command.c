/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl devices: the processors that can scan. */
#include "cli/devices/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/base/words.h"
#include "cli/flags/arguments.h"
#include "trawl/trawl_study.h"

enum { FLAG_CEILINGS = 1 };

static const flag own_flags[] = {
    {FLAG_CEILINGS, 0, "ceilings", NULL,
     "Measure the speed of each CUDA device's memory and of its link to the host (up to a second).",
     "Flags"},
    {0},
};

static const flag *const devices_flags[] = {own_flags, NULL};

static const command devices_command = {
    .name = "devices",
    .summary = "list the processors that can scan",
    .usage = "  trawl devices [--ceilings]",
    .examples = "  trawl devices\n"
                "  trawl devices --ceilings     with the speed of GPU memory\n",
    .flags = devices_flags,
    .notes =
        "On a terminal: a table for people. Elsewhere, lines for programs, with columns separated\n"
        "by tabs: the name that --device takes, the number of CPUs that may be used or of\n"
        "multiprocessors, bytes of memory, a description. With --ceilings CUDA devices have five\n"
        "more, in GB/s (10^9 bytes): reading device memory; copying it (bytes read and written);\n"
        "copying from host to device; copying from device to host; a kernel that reads host\n"
        "memory. Without a CUDA device, a line that begins with # says why.\n"
        "\n"
        "Exit status: 0, or 2 after an error.\n",
};

/* Prints why there is no CUDA device, as the library explains it. */
static void print_absence(bool on_terminal) {
    char text[sizeof(trawl_error) + 64];
    trawl_error error;
    trawl_cuda_ceilings unused = TRAWL_CUDA_CEILINGS;
    if (trawl_study_cuda_ceilings(0, &unused, &error) == TRAWL_OK)
        return;
    (void)snprintf(text, sizeof text, "%sno CUDA device is offered: %s", on_terminal ? "" : "# ",
                   error.message);
    if (on_terminal)
        words_print(text, strlen(text), 0, 0);
    else
        (void)puts(text);
}

static bool measure_ceilings(const trawl_device *device, trawl_cuda_ceilings *measured) {
    trawl_error error;
    *measured = (trawl_cuda_ceilings)TRAWL_CUDA_CEILINGS;
    uint32_t number = (uint32_t)strtoul(device->name + 5, NULL, 10);
    if (trawl_study_cuda_ceilings(number, measured, &error) == TRAWL_OK)
        return true;
    (void)report_error(&error);
    return false;
}

static void print_line(const trawl_device *device, const trawl_cuda_ceilings *measured) {
    (void)printf("%s\t%" PRIu32 "\t%" PRIu64 "\t%s", device->name, device->units,
                 device->memory_bytes, device->description);
    if (measured != NULL)
        (void)printf("\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f", measured->memory_read / 1e9,
                     measured->memory_copy / 1e9, measured->host_to_device / 1e9,
                     measured->device_to_host / 1e9, measured->zero_copy / 1e9);
    (void)putchar('\n');
}

/* ------------------------------------------------------------------ on a terminal */

enum { DESCRIPTION_COLUMN = 40 };

static void print_heading(void) {
    (void)printf("%-8s %-20s %8s  %s\n", "device", "units", "memory", "description");
}

static void print_row(const trawl_device *device, bool is_cuda,
                      const trawl_cuda_ceilings *measured) {
    char units[32];
    char memory[WORDS_NUMBER_BYTES];
    char text[512];
    (void)snprintf(units, sizeof units, "%" PRIu32 " %s%s", device->units,
                   is_cuda ? "multiprocessor" : "CPU", device->units == 1 ? "" : "s");
    int column =
        printf("%-8s %-20s %8s", device->name, units,
               device->memory_bytes == 0 ? "?" : words_bytes(device->memory_bytes, memory));
    words_print(device->description, strlen(device->description), (size_t)column,
                DESCRIPTION_COLUMN);
    if (measured == NULL)
        return;
    (void)snprintf(text, sizeof text,
                   "GB/s of its memory: read %.1f, copied %.1f (read and written). GB/s of the "
                   "link: %.1f from the host, %.1f to the host, %.1f read by a kernel.",
                   measured->memory_read / 1e9, measured->memory_copy / 1e9,
                   measured->host_to_device / 1e9, measured->device_to_host / 1e9,
                   measured->zero_copy / 1e9);
    words_print(text, strlen(text), 0, DESCRIPTION_COLUMN);
}

/* ------------------------------------------------------------------ the command */

/* Returns the exit status. */
static int print_devices(const trawl_device *devices, size_t count, bool ceilings) {
    size_t cuda = 0;
    bool on_terminal = isatty(STDOUT_FILENO);
    if (on_terminal)
        print_heading();
    for (size_t i = 0; i < count; i++) {
        trawl_cuda_ceilings measured;
        bool is_cuda = strncmp(devices[i].name, "cuda:", 5) == 0;
        bool has_ceilings = is_cuda && ceilings;
        if (has_ceilings && !measure_ceilings(&devices[i], &measured))
            return EXIT_ERROR;
        cuda += is_cuda;
        if (on_terminal)
            print_row(&devices[i], is_cuda, has_ceilings ? &measured : NULL);
        else
            print_line(&devices[i], has_ceilings ? &measured : NULL);
    }
    if (cuda == 0)
        print_absence(on_terminal);
    return finish_output(EXIT_MATCHED);
}

int trawl_command_devices(int argc, char **argv) {
    arguments args;
    bool ceilings = false;
    int id = ARGUMENTS_END;
    arguments_begin(&args, &devices_command, argc, argv);
    while ((id = arguments_next(&args)) == FLAG_CEILINGS)
        ceilings = true;
    if (id == ARGUMENTS_OPERAND)
        return arguments_misuse(&devices_command, "expected no operand, found '%s'", args.value);
    if (id != ARGUMENTS_END)
        return id == ARGUMENTS_HELP ? EXIT_MATCHED : EXIT_ERROR;
    size_t count = 0;
    trawl_error error;
    if (trawl_devices(NULL, 0, &count, &error) != TRAWL_OK)
        return report_error(&error);
    trawl_device *devices = allocate(count * sizeof *devices);
    devices[0] = (trawl_device)TRAWL_DEVICE;
    size_t capacity = count;
    int status = EXIT_ERROR;
    if (trawl_devices(devices, capacity, &count, &error) == TRAWL_OK)
        status = print_devices(devices, count < capacity ? count : capacity, ceilings);
    else
        (void)report_error(&error);
    free(devices);
    return status;
}
