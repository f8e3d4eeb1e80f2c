/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/target/planning.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/flags/cuda.h"
#include "cli/flags/device.h"
#include "cli/flags/study.h"
#include "cli/target/profile.h"
#include "cli/target/profile_load.h"
#include "io/text_file.h"
#include "io/text_pieces.h"

/* For a GPU the pieces are those by which its tables are laid out, so that the tables have the
 * tiers that the plan expects. These are eight times as many bytes as for a CPU: they are examined
 * while CUDA starts. */
static text_pieces pieces_for(const char *device) {
    return device == NULL || strcmp(device, "cpu") == 0 ? text_pieces_for_plans
                                                        : text_pieces_for_tables;
}

static size_t bytes_of(text_pieces pieces) {
    return pieces.count * pieces.bytes;
}

static bool is_regular(const char *path) {
    struct stat information;
    return stat(path, &information) == 0 && S_ISREG(information.st_mode);
}

static trawl_status read_sample(const char *path, text_pieces pieces, uint8_t *sample,
                                size_t *length, trawl_error *error) {
    text_file *file = NULL;
    *length = 0;
    trawl_status status = text_file_open(path, TEXT_DECOMPRESS, &file, error);
    if (status != TRAWL_OK)
        return status;
    if (text_file_length(file) > bytes_of(pieces) && text_pieces_read(pieces, file, sample))
        *length = bytes_of(pieces);
    else
        status = text_file_fill(file, sample, bytes_of(pieces), length, error);
    text_file_close(file);
    return status;
}

/* Reads the profile of a device. One that cannot be read is ignored, but remembered. */
static bool load_profile(planning *self, const char *device, device_profile *profile) {
    trawl_error error;
    char path[4096];
    const profile_options own = {.path = NULL};
    trawl_status status = device_profile_load(&own, device, path, sizeof path, profile, &error);
    if (status != TRAWL_OK && status != TRAWL_ERROR_UNAVAILABLE)
        self->profile_error = error;
    return status == TRAWL_OK;
}

static void take_costs(planning *self, trawl_compile_options *options) {
    device_profile *profile = allocate(sizeof *profile);
    self->study = study_of_compile(options);
    if (load_profile(self, "cpu", profile) && profile->has_costs) {
        self->costs = profile->costs;
        self->study.costs = &self->costs;
    }
    const char *device = options->device == NULL ? "cpu" : options->device;
    device = strcmp(device, "auto") == 0 ? "cuda" : device;
    if (device_is_cuda(device) && load_profile(self, device, profile) &&
        profile->has_device_costs) {
        self->device_costs = profile->device_costs;
        self->study.device_costs = &self->device_costs;
    }
    options->study = &self->study;
    free(profile);
}

bool planning_begin(planning *self, const char *path, bool must_exist,
                    trawl_compile_options *options) {
    trawl_error error;
    *self = (planning){.sample = NULL};
    take_costs(self, options);
    if (path == NULL || (!must_exist && !is_regular(path)))
        return true;
    const text_pieces pieces = pieces_for(options->device);
    self->sample = allocate(bytes_of(pieces));
    if (read_sample(path, pieces, self->sample, &options->sample_length, &error) != TRAWL_OK) {
        options->sample_length = 0;
        if (must_exist)
            (void)report_error(&error);
        return !must_exist; /* the scan of the file will report the error */
    }
    options->sample = self->sample;
    return true;
}

static uint8_t *copy_pieces(const uint8_t *text, size_t length, text_pieces pieces) {
    uint8_t *sample = allocate(bytes_of(pieces));
    text_pieces_copy(pieces, text, length, sample);
    return sample;
}

uint8_t *planning_table_sample(const uint8_t *text, size_t length, size_t *sample_length) {
    size_t bytes = bytes_of(text_pieces_for_tables);
    *sample_length = length < bytes ? length : bytes;
    if (length >= 2 * bytes)
        return copy_pieces(text, length, text_pieces_for_tables);
    uint8_t *sample = allocate(*sample_length + (*sample_length == 0));
    if (*sample_length != 0)
        memcpy(sample, text + (length - *sample_length) / 2, *sample_length);
    return sample;
}

void planning_begin_with_text(planning *self, const uint8_t *text, size_t length,
                              trawl_compile_options *options) {
    *self = (planning){.sample = NULL};
    take_costs(self, options);
    const text_pieces pieces = pieces_for(options->device);
    options->sample_length = length < bytes_of(pieces) ? length : bytes_of(pieces);
    if (text == NULL || length <= bytes_of(pieces)) {
        options->sample = text;
        return;
    }
    self->sample = copy_pieces(text, length, pieces);
    options->sample = self->sample;
}

void planning_end(planning *self) {
    free(self->sample);
}

uint8_t *planning_sample(const char *path, size_t *length) {
    trawl_error error;
    *length = 0;
    if (path == NULL || !is_regular(path))
        return NULL;
    uint8_t *sample = allocate(bytes_of(text_pieces_for_tables));
    if (read_sample(path, text_pieces_for_tables, sample, length, &error) == TRAWL_OK &&
        *length != 0)
        return sample;
    free(sample);
    *length = 0;
    return NULL;
}
