/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl devices: the processors that can scan. */
#include "cli/devices/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
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
    .notes = "Columns, separated by tabs: the name that --device takes, the number of CPUs or\n"
             "multiprocessors, bytes of memory, a description. With --ceilings CUDA devices have\n"
             "five more, in GB/s (10^9 bytes): reading device memory; copying it (bytes read and\n"
             "written); copying from host to device; copying from device to host; a kernel that\n"
             "reads host memory. Without a CUDA device, a line that begins with # says why.\n"
             "\n"
             "Exit status: 0, or 2 after an error.\n",
};

/* Prints why there is no CUDA device, as the library explains it. */
static void print_absence(void) {
    trawl_error error;
    trawl_cuda_ceilings unused = TRAWL_CUDA_CEILINGS;
    if (trawl_study_cuda_ceilings(0, &unused, &error) != TRAWL_OK)
        (void)printf("# no CUDA device is offered: %s\n", error.message);
}

static bool print_ceilings(uint32_t number) {
    trawl_error error;
    trawl_cuda_ceilings measured = TRAWL_CUDA_CEILINGS;
    if (trawl_study_cuda_ceilings(number, &measured, &error) != TRAWL_OK) {
        (void)putchar('\n');
        (void)report_error(&error);
        return false;
    }
    (void)printf("\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f", measured.memory_read / 1e9,
                 measured.memory_copy / 1e9, measured.host_to_device / 1e9,
                 measured.device_to_host / 1e9, measured.zero_copy / 1e9);
    return true;
}

/* Returns the exit status. */
static int print_devices(const trawl_device *devices, size_t count, bool ceilings) {
    size_t cuda = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_cuda = strncmp(devices[i].name, "cuda:", 5) == 0;
        (void)printf("%s\t%" PRIu32 "\t%" PRIu64 "\t%s", devices[i].name, devices[i].units,
                     devices[i].memory_bytes, devices[i].description);
        cuda += is_cuda;
        if (is_cuda && ceilings &&
            !print_ceilings((uint32_t)strtoul(devices[i].name + 5, NULL, 10)))
            return EXIT_ERROR;
        (void)putchar('\n');
    }
    if (cuda == 0)
        print_absence();
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
