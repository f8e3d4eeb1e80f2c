/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl: finds the command that the first argument names, and runs it with the other arguments. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/nearest.h"
#include "cli/base/report.h"
#include "cli/bench/command.h"
#include "cli/compile/command.h"
#include "cli/devices/command.h"
#include "cli/engines/command.h"
#include "cli/flags/arguments.h"
#include "cli/grep/command.h"
#include "cli/index/command.h"
#include "cli/info/command.h"
#include "cli/replace/command.h"
#include "cli/reproduce/command.h"
#include "cli/scan/command.h"
#include "cli/scan/options.h"
#include "cli/tune/command.h"
#include "trawl/trawl.h"

/* One command. */
typedef struct entry {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} entry;

static const entry entries[] = {
    {"scan", trawl_command_scan, "find every occurrence of every pattern"},
    {"grep", trawl_command_grep, "print matching lines, as grep -F does"},
    {"cat", trawl_command_cat, "write the results of a scan in parts (scan --journal)"},
    {"replace", trawl_command_replace, "replace every match in texts"},
    {"compile", trawl_command_compile, "turn patterns into a database that loads at once"},
    {"index", trawl_command_index, "sort texts once, then find each pattern at once"},
    {"info", trawl_command_info, "which engine a pattern set gets, how fast, how large, and why"},
    {"bench", trawl_command_bench, "measure the engines side by side"},
    {"tune", trawl_command_tune, "measure this machine: GPU kernels, costs for the planner"},
    {"reproduce", trawl_command_reproduce, "measure the papers' tables on this machine"},
    {"devices", trawl_command_devices, "list the processors that can scan"},
    {"engines", trawl_command_engines, "list the algorithms, their variants, and their papers"},
};

static int print_help(void) {
    (void)printf("trawl %s: where does each of these patterns occur in this text?\n"
                 "\n"
                 "Examples:\n"
                 "  trawl scan -e fox -e dog story.txt        every match: file, start, end, id\n"
                 "  trawl scan -c -f words.txt book.txt       the number of matches\n"
                 "  trawl scan --top 10 -f words.txt -r docs/    the most frequent words\n"
                 "  trawl grep -n -f names.txt *.log          matching lines, as grep -F does\n"
                 "  trawl compile -f rules.txt -o rules.db    compile once...\n"
                 "  zcat big.gz | trawl scan --db rules.db    ...scan often\n"
                 "  trawl info -f rules.txt                   which engine, how fast, and why\n"
                 "\n"
                 "Commands:\n",
                 trawl_version());
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        (void)printf("  %-9s  %s\n", entries[i].name, entries[i].summary);
    (void)printf(
        "  %-9s  %s\n"
        "\n"
        "'trawl COMMAND --help' explains a command, with its flags and examples.\n"
        "Environment: TRAWL_CPU=scalar, avx2, avx512, avx512-vbmi or neon selects the\n"
        "instruction set of scans on the CPU; 'trawl devices' lists those of the machine.\n"
        "Exit status: 0 if there is a match, 1 if there is none, 2 after an error.\n",
        "help", "print this page; help COMMAND explains a command");
    return finish_output(EXIT_MATCHED);
}

/* Whether text, "-f" or "--file=x", is a flag of `trawl scan`. */
static bool is_flag_of_scan(const char *text) {
    bool is_long = text[1] == '-';
    size_t length = strcspn(text + 2, "=");
    const flag *row = NULL;
    for (size_t i = 0; (row = command_flag(&scan_command, i)) != NULL; i++) {
        if (is_long ? row->name != NULL && strlen(row->name) == length &&
                          strncmp(row->name, text + 2, length) == 0
                    : row->letter != 0 && row->letter == text[1])
            return true;
    }
    return false;
}

static const entry *find(const char *name) {
    nearest search = {.unknown = name};
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
        nearest_offer(&search, entries[i].name);
    }
    static const char *const synonyms[] = {"find", "search", "locate", "match", "count", "run"};
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        if (strcmp(synonyms[i], name) == 0)
            search.name = "scan";
    }
    if (name[0] == '-' && name[1] != '\0' && !is_flag_of_scan(name))
        report("unknown flag %s; see 'trawl --help'", name);
    else if (name[0] == '-')
        report("expected a command before %s, such as 'trawl scan %s'; see 'trawl --help'", name,
               name);
    else if (search.name != NULL)
        report("there is no command '%s'; did you mean %s? See 'trawl --help'", name, search.name);
    else
        report("there is no command '%s'; see 'trawl --help'", name);
    return NULL;
}

/* trawl help [COMMAND [BUILD OR QUERY]]: prints what COMMAND --help prints. */
static int explain(int count, char **words) {
    char help[] = "--help";
    if (count == 0 || strcmp(words[0], "help") == 0 || strcmp(words[0], help) == 0 ||
        strcmp(words[0], "-h") == 0)
        return print_help();
    const entry *explained = find(words[0]);
    bool two = count > 1 && words[1][0] != '-';
    char *values[] = {words[0], two ? words[1] : help, help, NULL};
    return explained == NULL ? EXIT_ERROR : explained->run(two ? 3 : 2, values);
}

/* Opens files in the place of closed standard streams. Otherwise the next file that is opened would
 * be such a stream: messages would be written over a database, or an empty text would be read. The
 * files opened here cannot be read, or written, so that using them fails as using a closed stream
 * does. open(2) returns the lowest free number. */
static bool occupy_closed_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0 &&
            (stream == STDIN_FILENO ? open("/dev/null", O_WRONLY) : open("/", O_RDONLY)) < 0)
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    if (!occupy_closed_streams())
        return EXIT_ERROR;
    if (argc < 2) {
        report("expected a command, such as 'trawl scan -f PATTERNS TEXT'; see 'trawl --help'");
        return EXIT_ERROR;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 || strcmp(name, "version") == 0) {
        (void)printf("trawl %s\n", trawl_version());
        return finish_output(EXIT_MATCHED);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return print_help();
    if (strcmp(name, "help") == 0)
        return explain(argc - 2, argv + 2);
    const entry *wanted = find(name);
    return wanted == NULL ? EXIT_ERROR : wanted->run(argc - 1, argv + 1);
}
