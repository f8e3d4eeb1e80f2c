/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/target/profile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/output_file.h"

/* A profile is shorter by far. */
enum { PROFILE_BYTES = 1 << 20 };

static trawl_status fail(trawl_error *error, trawl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static trawl_status fail(trawl_error *error, trawl_status status, const char *format, ...) {
    va_list values;
    va_start(values, format);
    error->status = status;
    (void)vsnprintf(error->message, sizeof error->message, format, values);
    va_end(values);
    return status;
}

/* ------------------------------------------------------------------ reading */

static char *trim(char *text) {
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

static bool take_name(const char *value, char *name, size_t size) {
    size_t length = strlen(value);
    if (length == 0 || length >= size)
        return false;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)value[i] < 0x20 || value[i] == 0x7f)
            return false;
    }
    memcpy(name, value, length + 1);
    return true;
}

static bool take_number(const char *value, uint32_t most, uint32_t *number) {
    char *end = NULL;
    errno = 0;
    unsigned long read = isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : 0;
    if (end == NULL || *end != '\0' || errno != 0 || read > most)
        return false;
    *number = (uint32_t)read;
    return true;
}

static bool take_rate(const char *value, double *rate) {
    char *end = NULL;
    double read = strtod(value, &end);
    if (end == value || *end != '\0' || !(read >= 0 && read < 1e9))
        return false;
    *rate = read;
    return true;
}

double *profile_cost(trawl_costs *costs, size_t index, const char **name, size_t *count) {
    const struct {
        const char *name;
        double *values;
        size_t count;
    } members[] = {
        {"sample", costs->sample, TRAWL_COST_SIZES},
        {"sample_eight", &costs->sample_eight, 1},
        {"sample_apart", &costs->sample_apart, 1},
        {"sample_sixteen", &costs->sample_sixteen, 1},
        {"memory", &costs->memory, 1},
        {"sample_candidate", &costs->sample_candidate, 1},
        {"verify", costs->verify, TRAWL_COST_SIZES},
        {"direct", &costs->direct, 1},
        {"match", &costs->match, 1},
        {"teddy", &costs->teddy, 1},
        {"teddy_candidate", &costs->teddy_candidate, 1},
        {"register_bloom_candidate", &costs->register_bloom_candidate, 1},
        {"register_bloom", &costs->register_bloom, 1},
        {"dfa_step", costs->dfa_step, TRAWL_COST_SIZES},
        {"dfa_match", &costs->dfa_match, 1},
        {"dfa_match_often", &costs->dfa_match_often, 1},
        {"nfa_step", costs->nfa_step, TRAWL_COST_SIZES},
        {"shift", costs->shift, TRAWL_COST_SIZES},
        {"shift_zero", &costs->shift_zero, 1},
        {"page_walk", &costs->page_walk, 1},
    };
    if (index >= sizeof members / sizeof members[0])
        return NULL;
    *name = members[index].name;
    *count = members[index].count;
    return members[index].values;
}

double *profile_device_cost(trawl_device_costs *costs, size_t index, const char **name) {
    const struct {
        const char *name;
        double *value;
    } members[] = {
        {"filter", &costs->filter},         {"packed", &costs->packed},
        {"hot_step", &costs->hot_step},     {"hot_conflict", &costs->hot_conflict},
        {"hot_wait", &costs->hot_wait},     {"hot_cached", &costs->hot_cached},
        {"hot_memory", &costs->hot_memory}, {"hot_verified", &costs->hot_verified},
        {"bucket", &costs->bucket},
    };
    if (index >= sizeof members / sizeof members[0])
        return NULL;
    *name = members[index].name;
    return members[index].value;
}

static bool take_device_cost(trawl_device_costs *costs, const char *key, const char *text) {
    const char *name = NULL;
    double *value = NULL;
    for (size_t i = 0; (value = profile_device_cost(costs, i, &name)) != NULL; i++) {
        if (strcmp(name, key) == 0)
            return take_rate(text, value);
    }
    return false;
}

/* Reads as many numbers as the member has, separated by spaces. */
static bool take_cost(trawl_costs *costs, const char *key, const char *text) {
    const char *name = NULL;
    size_t count = 0;
    double *values = NULL;
    for (size_t i = 0; (values = profile_cost(costs, i, &name, &count)) != NULL; i++) {
        if (strcmp(name, key) == 0)
            break;
    }
    for (size_t i = 0; values != NULL && i < count; i++) {
        char *end = NULL;
        values[i] = strtod(text, &end);
        if (end == text || !(values[i] >= 0 && values[i] < 1e9))
            return false;
        text = end;
    }
    return values != NULL && *text == '\0';
}

/* The kind of section that a line of a profile is in. */
typedef enum section { IN_ENTRIES, IN_COSTS, IN_DEVICE_COSTS } section;

/* Begins a section: "[ENGINE VARIANT]" is an entry, "[cpu costs]" and "[cuda costs]" are costs. */
static bool begin_entry(device_profile *profile, char *line, section *now) {
    *now = strcmp(line, "[cpu costs]") == 0    ? IN_COSTS
           : strcmp(line, "[cuda costs]") == 0 ? IN_DEVICE_COSTS
                                               : IN_ENTRIES;
    if (*now == IN_COSTS) {
        profile->has_costs = true;
        profile->costs = (trawl_costs)TRAWL_COSTS;
        return true;
    }
    if (*now == IN_DEVICE_COSTS) {
        profile->has_device_costs = true;
        profile->device_costs = (trawl_device_costs)TRAWL_DEVICE_COSTS;
        return true;
    }
    size_t length = strlen(line);
    char *space = strchr(line, ' ');
    if (profile->count == PROFILE_ENTRIES || line[length - 1] != ']' || space == NULL)
        return false;
    line[length - 1] = *space = '\0';
    profile_entry *entry = &profile->entries[profile->count];
    *entry = (profile_entry){.gb_per_second = 0};
    if (!take_name(line + 1, entry->engine, sizeof entry->engine) ||
        !take_name(trim(space + 1), entry->variant, sizeof entry->variant))
        return false;
    profile->count++;
    return true;
}

/* Reads "KEY = VALUE". An unknown key is an error, so that no line is ignored silently. */
static bool take_pair(device_profile *profile, char *line, section now) {
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return false;
    *equals = '\0';
    const char *key = trim(line);
    const char *value = trim(equals + 1);
    if (now == IN_COSTS)
        return take_cost(&profile->costs, key, value);
    if (now == IN_DEVICE_COSTS)
        return take_device_cost(&profile->device_costs, key, value);
    if (profile->count == 0)
        return strcmp(key, "device") == 0 &&
               take_name(value, profile->device, sizeof profile->device);
    profile_entry *entry = &profile->entries[profile->count - 1];
    if (strcmp(key, "kernel") == 0)
        return take_name(value, entry->kernel, sizeof entry->kernel);
    if (strcmp(key, "block_threads") == 0)
        return take_number(value, 1024, &entry->block_threads);
    if (strcmp(key, "block_bytes") == 0)
        return take_number(value, UINT32_C(1) << 30, &entry->block_bytes);
    if (strcmp(key, "gb_per_second") == 0)
        return take_rate(value, &entry->gb_per_second);
    if (strcmp(key, "date") == 0)
        return take_name(value, entry->date, sizeof entry->date);
    return false;
}

static trawl_status read_lines(FILE *file, const char *path, device_profile *profile,
                               trawl_error *error) {
    char line[512];
    section now = IN_ENTRIES;
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        char *text = trim(line);
        bool good =
            *text == '\0' || *text == '#' ||
            (*text == '[' ? begin_entry(profile, text, &now) : take_pair(profile, text, now));
        if (!good)
            return fail(error, TRAWL_ERROR_FORMAT,
                        "%.300s:%u: not a line of a profile of 'trawl tune'", path, number);
    }
    if (ferror(file))
        return fail(error, TRAWL_ERROR_IO, "%.300s: %s", path, strerror(errno));
    for (size_t i = 0; i < profile->count; i++) {
        if (profile->entries[i].kernel[0] == '\0')
            return fail(error, TRAWL_ERROR_FORMAT, "%.300s: [%s %s] names no kernel", path,
                        profile->entries[i].engine, profile->entries[i].variant);
    }
    return TRAWL_OK;
}

/* Opens a file that can be read to its end: a FIFO could be waited for, a device read, for ever. */
static trawl_status open_profile(const char *path, FILE **file, trawl_error *error) {
    struct stat about;
    trawl_status status = TRAWL_OK;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0 || fstat(descriptor, &about) != 0)
        status = fail(error, TRAWL_ERROR_IO, "%.300s: %s", path, strerror(errno));
    else if (!S_ISREG(about.st_mode))
        status = fail(error, TRAWL_ERROR_IO, "%.300s: is not a regular file", path);
    else if (about.st_size > PROFILE_BYTES)
        status = fail(error, TRAWL_ERROR_FORMAT,
                      "%.300s: is longer than 1 MiB, and no profile of 'trawl tune'", path);
    else if ((*file = fdopen(descriptor, "r")) == NULL)
        status = fail(error, TRAWL_ERROR_IO, "%.300s: %s", path, strerror(errno));
    if (status != TRAWL_OK && descriptor >= 0)
        (void)close(descriptor);
    return status;
}

trawl_status device_profile_read(const char *path, device_profile *profile, trawl_error *error) {
    FILE *file = NULL;
    *profile = (device_profile){.count = 0};
    trawl_status status = open_profile(path, &file, error);
    if (status != TRAWL_OK)
        return status;
    status = read_lines(file, path, profile, error);
    (void)fclose(file);
    if (status != TRAWL_OK)
        *profile = (device_profile){.count = 0};
    return status;
}

/* ------------------------------------------------------------------ writing */

void device_profile_make_folder(const char *path) {
    char directory[4096];
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path || (size_t)(slash - path) >= sizeof directory)
        return;
    memcpy(directory, path, (size_t)(slash - path));
    directory[slash - path] = '\0';
    if (mkdir(directory, 0777) == 0 || errno != ENOENT)
        return;
    char *parent = strrchr(directory, '/');
    if (parent == NULL || parent == directory)
        return;
    *parent = '\0';
    (void)mkdir(directory, 0777);
    *parent = '/';
    (void)mkdir(directory, 0777);
}

static void write_costs(output_file *file, const trawl_costs *given) {
    trawl_costs costs = *given;
    const char *name = NULL;
    size_t count = 0;
    const double *values = NULL;
    char text[64];
    output_file_text(file, "\n[cpu costs]\n");
    for (size_t i = 0; (values = profile_cost(&costs, i, &name, &count)) != NULL; i++) {
        output_file_text(file, name);
        output_file_text(file, " =");
        for (size_t k = 0; k < count; k++) {
            (void)snprintf(text, sizeof text, " %.4f", values[k]);
            output_file_text(file, text);
        }
        output_file_text(file, "\n");
    }
}

static void write_device_costs(output_file *file, const trawl_device_costs *given) {
    trawl_device_costs costs = *given;
    const char *name = NULL;
    const double *value = NULL;
    char text[64];
    output_file_text(file, "\n[cuda costs]\n");
    for (size_t i = 0; (value = profile_device_cost(&costs, i, &name)) != NULL; i++) {
        (void)snprintf(text, sizeof text, "%s = %.4f\n", name, *value);
        output_file_text(file, text);
    }
}

trawl_status device_profile_check(const char *path, trawl_error *error) {
    output_file *file = NULL;
    trawl_status status = output_file_open(path, &file, error);
    if (status == TRAWL_OK)
        output_file_abandon(file);
    return status;
}

trawl_status device_profile_write(const char *path, const device_profile *profile,
                                  trawl_error *error) {
    output_file *file = NULL;
    trawl_status status = output_file_open(path, &file, error);
    if (status != TRAWL_OK)
        return status;
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "# trawl tune: the fastest parameters on this device, see trawl-tune(1)\n"
                   "device = %s\n",
                   profile->device);
    output_file_text(file, text);
    for (size_t i = 0; i < profile->count; i++) {
        const profile_entry *entry = &profile->entries[i];
        (void)snprintf(text, sizeof text,
                       "\n[%s %s]\nkernel = %s\nblock_threads = %" PRIu32 "\nblock_bytes = %" PRIu32
                       "\ngb_per_second = %.3f\ndate = %s\n",
                       entry->engine, entry->variant, entry->kernel, entry->block_threads,
                       entry->block_bytes, entry->gb_per_second, entry->date);
        output_file_text(file, text);
    }
    if (profile->has_costs)
        write_costs(file, &profile->costs);
    if (profile->has_device_costs)
        write_device_costs(file, &profile->device_costs);
    return output_file_close(file, error);
}

/* ------------------------------------------------------------------ entries */

const profile_entry *device_profile_find(const device_profile *profile, const char *engine,
                                         const char *variant) {
    for (size_t i = 0; i < profile->count; i++) {
        const profile_entry *entry = &profile->entries[i];
        if (strcmp(entry->engine, engine) == 0 && strcmp(entry->variant, variant) == 0)
            return entry;
    }
    return NULL;
}

bool device_profile_set(device_profile *profile, const profile_entry *entry) {
    size_t at = 0;
    while (at < profile->count && (strcmp(profile->entries[at].engine, entry->engine) != 0 ||
                                   strcmp(profile->entries[at].variant, entry->variant) != 0))
        at++;
    if (at == PROFILE_ENTRIES)
        return false;
    profile->entries[at] = *entry;
    profile->count += at == profile->count;
    return true;
}

/* ------------------------------------------------------------------ names and paths */

void profile_device_name(const char *description, char *name, size_t size) {
    const char *end = strstr(description, " (");
    size_t length = end == NULL ? strlen(description) : (size_t)(end - description);
    (void)snprintf(name, size, "%.*s", (int)length, description);
}

bool device_profile_path(const char *device_name, char *path, size_t size) {
    const char *base = getenv("XDG_CONFIG_HOME");
    const char *middle = "";
    /* The XDG Base Directory Specification says to ignore relative paths. */
    if (base == NULL || base[0] != '/') {
        base = getenv("HOME");
        middle = "/.config";
    }
    if (base == NULL || base[0] == '\0')
        return false;
    int written = snprintf(path, size, "%s%s/trawl/%s.profile", base, middle, device_name);
    if (written < 0 || (size_t)written >= size)
        return false;
    for (char *byte = path + (size_t)written - strlen(device_name) - strlen(".profile");
         *byte != '\0'; byte++) {
        if (!isalnum((unsigned char)*byte) && *byte != '.')
            *byte = '-';
    }
    return true;
}
