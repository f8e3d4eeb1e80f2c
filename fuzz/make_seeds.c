/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Writes seeds for the fuzzers: make_seeds FOLDER makes FOLDER/<target>/seed-*. */
#include "combinations.h"
#include "index_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder;
static size_t written;

static void write_seed(const char *target, const void *bytes, size_t size) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, target);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        exit(1);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        exit(1);
    snprintf(path, sizeof(path), "%s/%s/seed-%03zu", folder, target, written++);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit(1);
}

/* Small databases of a set by all engines: a fuzzer learns little from large ones. */
static void write_databases(const test_case *test) {
    enum { LARGEST = 24000 };
    for (size_t i = 0; i < combination_count(); i++) {
        combination_failure failure;
        trawl_db *db;
        size_t size;
        if (combination_compile(combination_at(i), test, (trawl_match_kind)(i % MATCH_KINDS), &db,
                                &failure) != COMBINATION_COMPILED)
            continue;
        const void *bytes = trawl_db_bytes(db, &size);
        if (size <= LARGEST)
            write_seed("fuzz_database", bytes, size);
        trawl_db_free(db);
    }
}

static void databases(void) {
    test_case words = {0}, letters = {0}, longer = {0};
    test_case_add_pattern(&words, "he", 2, 0);
    test_case_add_pattern(&words, "she", 3, TRAWL_PATTERN_CASE_INSENSITIVE);
    test_case_add_pattern(&words, "hers", 4, 0);
    test_case_add_pattern(&words, "hers", 4, 0);
    test_case_add_pattern(&words, "\0\xff", 2, 0);
    write_databases(&words);
    setenv("TRAWL_TEST_WIDE", "1", 1); /* offsets of 64 bits (tests/support/case.c) */
    write_databases(&words);
    unsetenv("TRAWL_TEST_WIDE");
    /* Sets that the kinds of qgram's filters are made for. */
    test_case_add_pattern(&letters, "acg", 3, 0);
    test_case_add_pattern(&letters, "gca", 3, 0);
    test_case_add_pattern(&letters, "tac", 3, 0);
    write_databases(&letters);
    test_case_add_pattern(&letters, "acgtacgtacgtacgtacgt", 20, 0);
    test_case_add_pattern(&letters, "aaccggttaaccggttaacc", 20, TRAWL_PATTERN_CASE_INSENSITIVE);
    write_databases(&letters);
    for (char first = 'A'; first <= 'z'; first++) {
        char bytes[] = "?bcabcabcabc";
        bytes[0] = first;
        test_case_add_pattern(&longer, bytes, 12, 0);
        test_case_add_pattern(&longer, bytes, 6, 0);
    }
    write_databases(&longer);
    test_case_free(&words);
    test_case_free(&letters);
    test_case_free(&longer);
}

/* The case table in the form of fuzz_engines. */
static void engine_inputs(void) {
    enum { LONGEST = 64, MOST = 20 };
    test_case_list cases = {0};
    char message[512];
    if (!test_cases_read_all(&cases, message, sizeof(message)))
        exit(1);
    for (size_t i = 0; i < cases.count; i++) {
        const test_case *test = &cases.items[i];
        uint8_t bytes[4096];
        size_t size = 0;
        bool fits = test->count <= MOST && test->length <= 600;
        bytes[size++] = (uint8_t)(i % MATCH_KINDS + MATCH_KINDS * (test->count - 1));
        for (size_t id = 0; id < test->count && fits; id++) {
            const trawl_pattern *pattern = &test->patterns[id];
            fits = pattern->length <= LONGEST;
            if (!fits)
                break;
            bytes[size++] = (uint8_t)((pattern->length - 1) | (pattern->flags ? 0x80u : 0u));
            memcpy(bytes + size, pattern->bytes, pattern->length);
            size += pattern->length;
        }
        if (!fits)
            continue;
        if (test->length)
            memcpy(bytes + size, test->text, test->length);
        write_seed("fuzz_engines", bytes, size + test->length);
    }
    test_cases_free(&cases);
}

static void pattern_files(void) {
    static const char *const files[] = {
        "\x00"
        "fox\ndog\r\n\nlast",
        "\x10"
        "fox\r\ndog\r\n\r\n",
        "\x01"
        "a\\nb\\t\\x00\\\\\n\\0\\xff\n",
        "\x02"
        "666f78\n00FF\n\n646f67",
        "\x03"
        "name\ti\tfox\\n\nother\t-\tdog\\x20\n",
        "\x23"
        "name\t-\tfox\n",
        "\x03"
        "name\ti\tfox\tword\t7\tvalue\\n\nother\t-\tdog\t-\t-\t\n",
        "\x04"
        "fox\tdog\\t\ncat\t\n",
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        write_seed("fuzz_pattern_file", files[i], i ? strlen(files[i]) : 1 + strlen(files[i] + 1));
}

static void command_lines(void) {
    static const char *const lines[] = {
        "0-e\nfox\n-e\ndog\n--format\njsonl\n--threads\n2\nfile",
        "0--db\nx.db\n-c\n-r\n--include=*.txt\n--exclude-dir\n.git\n.",
        "0-f\nwords\n--pattern-format=tsv\n--engine\nac-nfa\n--variant\nbitmap\n--matches\n"
        "leftmost-first\n--max-tables\n8G\n--top\n10",
        "0-i\n--crlf\n--split-parts\n4\n--split-threshold\n0.15\n--wm-block\n3\n--rk-base\n2\n"
        "--rk-modulus\n65521\n--chunk-bytes\n64k\n--placement\nspread\n--copy-tables",
        "1-inovHc\nfox\nfile",
        "1-A\n2\n-B3\n-5\n--color=always\n-e\nx\n--\n-file",
        "1-f\nwords\n-w\n-x\n-m\n3\n-L\n-l\n-q\n-s\n-z\n-a\n-r\n--include\n*.c\n--label=me",
        "1--binary-files=without-match\n--directories=skip\n--devices=read\n-T\n-Z\nx",
        "2-f\nwords\n--engine\nac-dfa,ac-nfa\n--repeat\n3\n--format\njson\ntext",
        "3-f\nmap\n--in-place\n-c\n-r\n--exclude\n*.o\nsrc",
        "3-e\nfox\n--with\n\n-w\n--matches\nleftmost-first\n-o\nfile\ntext",
        "3-e\nfox\n--mask\n*\n--dry-run\n--db\nx.db",
        "2--engine\nall\n--peers\n--threads\n2\n-e\nx\ntext",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        write_seed("fuzz_options", lines[i], strlen(lines[i]));
}

static void write_index(const index_text *texts, size_t count, bool wide) {
    index_memory memory = {.wide = wide};
    trawl_error error;
    if (index_memory_build(texts, count, NULL, &memory, &error) != TRAWL_OK)
        exit(1);
    write_seed("fuzz_index", memory.bytes, memory.size);
    free(memory.bytes);
}

/* Small ones, and one of several blocks of rows. */
static void indexes(void) {
    static const index_text words[] = {{"happy", "happy", 5}, {"puppy", "puppy", 5},
                                       {"", "", 0},           {"pup", "pup", 3},
                                       {"hap", "hap", 3},     {"bytes", "\0\xff\0\xff", 4}};
    static const index_text one = {"abracadabra", "abracadabra", 11};
    index_text many[40];
    char text[3000];
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = "abpz"[i * i / 7 % 4];
    for (size_t i = 0; i < 40; i++)
        many[i] = (index_text){"many", text + 70 * i, 70 + i};
    write_index(words, 0, false);
    write_index(&one, 1, false);
    write_index(&one, 1, true);
    write_index(words, 6, false);
    write_index(words, 6, true);
    write_index(many, 40, false);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "make_seeds: expected one argument, the folder to write to\n");
        return 2;
    }
    folder = argv[1];
    databases();
    indexes();
    engine_inputs();
    pattern_files();
    command_lines();
    return 0;
}
