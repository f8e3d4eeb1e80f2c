/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "case.h"

#include <string.h>

/* One byte in the escapes of the case files (and of `--pattern-format tsv`). */
static void format_byte(char out[5], uint8_t byte) {
    if (byte == '\\')
        memcpy(out, "\\\\", 3);
    else if (byte < 0x20 || byte >= 0x7f)
        snprintf(out, 5, "\\x%02x", (unsigned)byte);
    else
        snprintf(out, 5, "%c", byte);
}

static void print_bytes(FILE *file, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        char escaped[5];
        format_byte(escaped, bytes[i]);
        fputs(escaped, file);
    }
}

void match_list_print(FILE *file, const match_list *list, size_t limit) {
    for (size_t i = 0; i < list->count && i < limit; i++)
        fprintf(file, " %u:%llu-%llu", list->items[i].pattern,
                (unsigned long long)list->items[i].start, (unsigned long long)list->items[i].end);
    if (list->count > limit)
        fprintf(file, " ... (%zu in all)", list->count);
}

void test_case_print(FILE *file, const test_case *test) {
    fprintf(file, "case %s\n", test->name ? test->name : "unnamed");
    for (size_t id = 0; id < test->count; id++) {
        const trawl_pattern *pattern = &test->patterns[id];
        fprintf(file, "pattern %c ", pattern->flags ? 'i' : '-');
        print_bytes(file, pattern->bytes, pattern->length);
        fputc('\n', file);
        condition_print(file, &test->conditions[id]);
    }
    fputs("text ", file);
    print_bytes(file, test->text, test->length);
    fputc('\n', file);
    for (size_t kind = 0; kind < MATCH_KINDS; kind++)
        if (test->expects[kind]) {
            fputs(match_kind_names[kind], file);
            match_list_print(file, &test->expected[kind], SIZE_MAX);
            fputc('\n', file);
        }
}

/* One byte inside the single-quoted format of printf(1): octal for all that shell or printf would
 * treat specially. */
static void print_for_printf(FILE *file, uint8_t byte) {
    if (byte == '%')
        fputs("%%", file);
    else if (byte < 0x20 || byte >= 0x7f || byte == '\'' || byte == '\\')
        fprintf(file, "\\%03o", (unsigned)byte);
    else
        fputc(byte, file);
}

void test_case_print_command(FILE *file, const test_case *test, const char *options) {
    fputs("printf -- '", file);
    for (size_t i = 0; i < test->length; i++)
        print_for_printf(file, test->text[i]);
    fputs("' | trawl scan --pattern-format tsv -f <(printf -- '", file);
    for (size_t id = 0; id < test->count; id++) {
        const trawl_pattern *pattern = &test->patterns[id];
        fprintf(file, "p%zu\\t%c\\t", id, pattern->flags ? 'i' : '-');
        for (size_t i = 0; i < pattern->length; i++) {
            char escaped[5];
            format_byte(escaped, pattern->bytes[i]);
            for (const char *c = escaped; *c; c++)
                print_for_printf(file, (uint8_t)*c);
        }
        fputs("\\n", file);
    }
    fprintf(file, "') %s\n", options);
}
