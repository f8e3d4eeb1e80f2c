#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/status.h"
#include "cuda/module.h"

/* The processor's own name, as the kernel reports it; "CPU" where it does not. */
static void processor_name(char *name, size_t size) {
    (void)snprintf(name, size, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            (void)snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    (void)fclose(file);
}

static const char *instruction_sets(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool bits = __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi2");
    if (__builtin_cpu_supports("avx512vbmi")) {
        return bits ? "x86-64, POPCNT, BMI2, AVX2, AVX-512 VBMI" : "x86-64, AVX2, AVX-512 VBMI";
    }
    if (__builtin_cpu_supports("avx2")) {
        return bits ? "x86-64, POPCNT, BMI2, AVX2" : "x86-64, AVX2";
    }
    return bits ? "x86-64, POPCNT, BMI2" : "x86-64";
#elif defined(__aarch64__)
    return "AArch64, NEON";
#else
    return "scalar";
#endif
}

trawl_status trawl_devices(trawl_device *devices, size_t capacity, size_t *count,
                           trawl_error *error) {
    trawl_clear(error);
    if (count == NULL || (devices == NULL && capacity != 0)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_devices: %s is NULL",
                          count == NULL ? "count" : "devices");
    }
    *count =
        1 + trawl_cuda_list(capacity > 1 ? devices + 1 : NULL, capacity > 1 ? capacity - 1 : 0);
    if (capacity == 0) {
        return TRAWL_OK;
    }
    trawl_device *cpu = &devices[0];
    memset(cpu, 0, sizeof *cpu);
    char name[64];
    processor_name(name, sizeof name);
    (void)snprintf(cpu->name, sizeof cpu->name, "cpu");
    (void)snprintf(cpu->description, sizeof cpu->description, "%s (%s)", name, instruction_sets());
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    cpu->memory_bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    cpu->units = (uint32_t)omp_get_num_procs();
    return TRAWL_OK;
}
