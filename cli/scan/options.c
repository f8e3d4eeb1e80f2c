/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/flags/compile.h"
#include "cli/flags/groups.h"
#include "cli/flags/overwrite.h"
#include "cli/flags/scan.h"

enum {
    FLAG_DATABASE = 1,
    FLAG_DATABASE_COPY,
    FLAG_FORMAT,
    FLAG_COUNT,
    FLAG_NO_PATTERN,
    FLAG_TOP,
    FLAG_BY_GROUP,
    FLAG_OUTPUT,
    FLAG_STATS,
    FLAG_NO_PROGRESS,
    FLAG_RECORDS,
    FLAG_SAMPLE
};

static const flag database_flags[] = {
    {FLAG_DATABASE, 0, "db", "DB",
     "Use a database made by 'trawl compile', with its own patterns, engine and kind of matches.",
     NULL},
    {FLAG_DATABASE_COPY, 0, "db-copy", NULL,
     "Read the database into memory of its own, as is done where another user may write to it, "
     "instead of "
     "mapping the file.",
     NULL},
    {0},
};

static const flag output_flags[] = {
    {FLAG_RECORDS, 0, "records", "CUT",
     "Scan each part of a text by itself: lines, nul (parts that end in NUL) or a number of bytes, "
     "as 188 or 4K. "
     "No match reaches from one into another. The number of the part, from 0, is a column behind "
     "the file, and start and end count from the part's first byte. -c prints file, part and count "
     "for each part with a match.",
     NULL},
    {FLAG_FORMAT, 0, "format", "FORMAT",
     "How results are written: tsv (the default) as columns separated by tabs, jsonl as a JSON "
     "object on each line. Without -c and --top there is a line for each match: file, start, end, "
     "id, and the pattern's name or the pattern; of patterns with groups also the group, and with "
     "values the value. count and top are the same as -c and --top. Without --format, -c prints "
     "NUMBER or FILE:NUMBER.",
     "Output"},
    {FLAG_COUNT, 'c', "count", NULL,
     "Print only the number of matches of each text; with --format tsv or jsonl: file and count.",
     NULL},
    {FLAG_TOP, 0, "top", "N",
     "Print only the N most frequent patterns (0: all that occur; --format top: 20): count, id, "
     "name or pattern.",
     NULL},
    {FLAG_BY_GROUP, 0, "by-group", NULL,
     "With --top: count the matches of each group of patterns: count, group, and the value, name "
     "or bytes of its first pattern.",
     NULL},
    {FLAG_NO_PATTERN, 0, "no-pattern", NULL, "Leave out the column of names or patterns.", NULL},
    {0},
};

static const flag file_output_flags[] = {
    {FLAG_OUTPUT, 'o', "output", "FILE",
     "Write to FILE. FILE appears or changes only after everything has been written.", NULL},
    {0},
};

static const flag folder_output_flags[] = {
    {FLAG_OUTPUT, 'o', "output", "DIR",
     "Write to parts in the folder DIR, which 'trawl cat DIR' joins; the same as --journal DIR.",
     NULL},
    {0},
};

static const flag report_flags[] = {
    {FLAG_STATS, 0, "stats", NULL,
     "Write sizes and times to standard error: on a terminal a line for each, elsewhere one JSON "
     "object.",
     NULL},
    {FLAG_NO_PROGRESS, 0, "no-progress", NULL, "Show no progress line on a terminal.", NULL},
    {0},
};

static const flag sample_flags[] = {
    {FLAG_SAMPLE, 0, "sample", "FILE",
     "Choose the engine for texts like FILE (default: the first TEXT that is a regular file). "
     "Results do not depend on it.",
     NULL},
    {0},
};

/* The flags of a scan, by one process or by ranks: all but -o. */
#define SCAN_FLAGS                                                                                 \
    report_flags, engine_flags, variant_or_kernel_flags, match_kind_flags, compile_detail_flags,   \
        sample_flags, device_flags, scan_detail_flags, kernel_flags, transfer_flags, profile_flags
#define SCAN_INPUTS                                                                                \
    pattern_flags, pattern_format_flags, pattern_crlf_flags, pattern_match_flags, database_flags,  \
        file_flags, division_flags, output_flags

static const flag *const scan_flags[] = {SCAN_INPUTS, file_output_flags, SCAN_FLAGS, NULL};
static const flag *const ranks_flags[] = {split_flags, SCAN_INPUTS, folder_output_flags, SCAN_FLAGS,
                                          NULL};

static const char by_lines[] = "scan prints matches, not lines; 'trawl grep' has it";
static const char by_strings[] = "patterns are strings, never regular expressions";

static const foreign_flag grep_flags[] = {
    {'n', "line-number", "scan prints offsets; 'trawl grep -n' prints line numbers"},
    {'b', "byte-offset", "scan prints the offsets of every match anyway"},
    {'l', "files-with-matches", "scan prints matches; 'trawl grep -l' prints names of files"},
    {'L', "files-without-match", "scan prints matches; 'trawl grep -L' prints names of files"},
    {'v', "invert-match", by_lines},
    {'x', "line-regexp", by_lines},
    {'m', "max-count", by_lines},
    {'A', "after-context", by_lines},
    {'B', "before-context", by_lines},
    {'C', "context", by_lines},
    {'q', "quiet", by_lines},
    {0, "only-matching", "scan prints every match; 'trawl grep -o' prints parts of lines"},
    {'H', "with-filename", "scan always prints the name of the file"},
    {'a', "text", "scan searches all files as bytes"},
    {0, "color", by_lines},
    {0, "json", "JSON is --format jsonl"},
    {'F', "fixed-strings", "patterns are always strings"},
    {'E', "extended-regexp", by_strings},
    {'P', "perl-regexp", by_strings},
    {'G', "basic-regexp", by_strings},
    {0},
};

/* Flags of scan that ranks do not take. */
static const foreign_flag scan_only_flags[] = {
    {0, "records",
     "ranks divide texts anywhere, and a record is scanned as a whole by 'trawl scan'"},
    {0, "shard", "ranks divide the texts"},
    {0, "by-group", "ranks count by pattern; 'trawl scan' counts by group"},
    {0},
};

const command scan_command = {
    .name = "scan",
    .summary = "find every occurrence of every pattern",
    .usage = "  trawl scan [FLAGS] -f FILE|-e PATTERN|--db DB [TEXT...]\n"
             "Each match is printed with its place. Without TEXT, or if TEXT is -, standard input\n"
             "is scanned (-r without TEXT: the working directory). Compressed texts (gzip, zstd, "
             "xz) are recognised by their content and\n"
             "decompressed.",
    .examples = "  trawl scan -e fox -e dog story.txt         every match of two words\n"
                "  trawl scan -f words.txt book.txt.gz        patterns of a file, compressed text\n"
                "  trawl scan -c -i -f names.txt -r logs/     counts for each file, in any case\n"
                "  trawl scan --top 10 -f words.txt -r docs/  the ten most frequent patterns\n"
                "  trawl scan --pattern-format hex -f sigs.hex --format jsonl disk.img\n"
                "  zcat big.gz | trawl scan --db rules.db -o matches.tsv\n"
                "  trawl scan -c --device auto -f words.txt big.txt    on a GPU, if there is one\n",
    .flags = scan_flags,
    .notes =
        "Offsets count bytes from 0; end is one past the last byte. Matches are ordered by end,\n"
        "then start, then id. Ids number the patterns from 0 in the order given; empty lines\n"
        "have no number. A pattern's bytes outside printable ASCII are printed escaped (\\n \\r\n"
        "\\t \\xNN), and so is a backslash (\\\\); --format jsonl has UTF-8 as it is. In JSON, "
        "bytes\n"
        "that are not UTF-8 are {\"bytes\":\"BASE64\"}.\n"
        "\n"
        "Exit status: 0 if there is a match, 1 if there is none, 2 after an error (even if only\n"
        "one of the texts could not be read).\n",
    .foreign = grep_flags,
};

const command ranks_command = {
    .program = "trawl-mpi",
    .name = "scan",
    .summary = "trawl scan on many machines, started by mpirun",
    .usage =
        "  mpirun -n N trawl-mpi scan [FLAGS] -f FILE|-e PATTERN|--db DB -c|--top N|-o DIR \\\n"
        "      TEXT...\n"
        "All ranks scan the same texts, on a file system that they share. Counts are printed\n"
        "by rank 0. Matches are written to parts in the folder DIR, which 'trawl cat DIR'\n"
        "joins; such a scan is continued with --resume. Rank 0 compiles the patterns, or\n"
        "loads the database, and sends the result to the others.",
    .examples =
        "  mpirun -n 16 trawl-mpi scan -c -f words.txt -r corpus/\n"
        "  mpirun trawl-mpi scan -o parts --resume --db rules.db big.txt && trawl cat parts\n"
        "  mpirun -n 8 trawl-mpi scan -c --split static --stats -f words.txt dna.txt\n",
    .flags = ranks_flags,
    .notes = "--stats: times of the ranks in seconds, least, mean and greatest: distributing the\n"
             "database, loading (static), searching, waiting for the slowest rank, reducing.\n"
             "Exit status: that of rank 0: 0 if there is a match, 1 if there is none, 2 after an\n"
             "error.\n",
    .foreign = scan_only_flags,
};

/* The flags of a command line while they are read. */
typedef struct parsing {
    scan_options *options;
    arguments arguments;
    record_kind by_format; /* --format count, --format top; RECORD_MATCHES: neither */
    bool count;            /* -c */
    bool top;              /* --top */
} parsing;

static bool take_format(parsing *parser) {
    enum { FORMATS = 4 };
    static const struct {
        const char *name;
        record_kind kind;
        record_format format;
    } formats[FORMATS] = {
        {"tsv", RECORD_MATCHES, RECORD_TSV},
        {"jsonl", RECORD_MATCHES, RECORD_JSONL},
        {"count", RECORD_COUNTS, RECORD_PLAIN},
        {"top", RECORD_TOP, RECORD_PLAIN},
    };
    const char *names[FORMATS];
    for (size_t i = 0; i < FORMATS; i++)
        names[i] = formats[i].name;
    int choice = arguments_choose(&parser->arguments, names, FORMATS);
    if (choice < 0)
        return false;
    parser->by_format = formats[choice].kind;
    parser->options->format = formats[choice].format;
    return true;
}

static bool take_cut(parsing *parser) {
    record_cut *cut = &parser->options->cut;
    const char *value = parser->arguments.value;
    *cut = (record_cut){.wanted = true, .last = '\n'};
    if (strcmp(value, "lines") == 0)
        return true;
    cut->last = '\0';
    if (strcmp(value, "nul") == 0)
        return true;
    if (value[0] >= '0' && value[0] <= '9')
        return arguments_size(&parser->arguments, 1, (uint64_t)1 << 40, &cut->bytes);
    (void)arguments_misuse(&scan_command,
                           "--records: expected lines, nul or a number of bytes, not '%s'", value);
    return false;
}

/* Users of grep may write -o without a file; its value is then the next flag. Refuses that. */
static bool output_is_no_flag(const arguments *args) {
    if (args->value[0] != '-' || args->value[1] == '\0')
        return true;
    (void)arguments_misuse(args->command,
                           "-o: expected the file to write to, not '%s' (a file of that name is "
                           "./%s); 'trawl grep -o' prints parts of lines",
                           args->value, args->value);
    return false;
}

/* Takes a flag of this command. False after reporting. */
static bool take_own(parsing *parser, int id) {
    scan_options *options = parser->options;
    const arguments *args = &parser->arguments;
    switch (id) {
    case FLAG_DATABASE:
        options->database = args->value;
        return true;
    case FLAG_DATABASE_COPY:
        options->database_copy = true;
        return true;
    case FLAG_FORMAT:
        return take_format(parser);
    case FLAG_RECORDS:
        return take_cut(parser);
    case FLAG_SAMPLE:
        options->sample = args->value;
        return true;
    case FLAG_COUNT:
        parser->count = true;
        return true;
    case FLAG_TOP:
        parser->top = true;
        return arguments_number(args, 0, UINT64_MAX, &options->top);
    case FLAG_BY_GROUP:
        options->by_group = true;
        return true;
    case FLAG_NO_PATTERN:
        options->with_pattern = false;
        return true;
    case FLAG_OUTPUT:
        options->output = args->value;
        return output_is_no_flag(args);
    case FLAG_STATS:
        options->stats = true;
        return true;
    case FLAG_NO_PROGRESS:
        options->progress = false;
        return true;
    default:
        return false;
    }
}

/* Settles what -c, --top and --format ask for together. False after reporting. */
static bool choose_kind(parsing *parser) {
    record_kind by_format = parser->by_format;
    if (parser->count && parser->top)
        return arguments_conflict(parser->arguments.command, "-c", "--top", "");
    if (parser->count && by_format == RECORD_TOP)
        return arguments_conflict(parser->arguments.command, "-c", "--format top", "");
    if (parser->top && by_format == RECORD_COUNTS)
        return arguments_conflict(parser->arguments.command, "--top", "--format count", "");
    bool top = parser->top || by_format == RECORD_TOP;
    if (parser->options->by_group && !top) {
        (void)arguments_misuse(parser->arguments.command, "--by-group: expected --top N with it");
        return false;
    }
    if (parser->options->by_group && parser->options->division.journal != NULL)
        return arguments_conflict(parser->arguments.command, "--by-group", "--journal",
                                  "parts are counted by pattern");
    parser->options->kind = parser->count ? RECORD_COUNTS : parser->top ? RECORD_TOP : by_format;
    return true;
}

/* Reports that there are no patterns. Users of grep give the pattern first, without -e. */
static bool miss_patterns(const parsing *parser) {
    const scan_options *options = parser->options;
    const char *first = options->files.texts.count == 0 ? "-" : options->files.texts.items[0];
    if (strcmp(first, "-") != 0 && access(first, F_OK) != 0)
        (void)arguments_misuse(parser->arguments.command,
                               "there is no text '%s', and no pattern: patterns come by -e PATTERN "
                               "or -f FILE",
                               first);
    else
        (void)arguments_misuse(parser->arguments.command,
                               "expected patterns: -f FILE, -e PATTERN or --db DATABASE");
    return false;
}

/* -o - is standard output, as without -o. */
static void take_standard_output(scan_options *options) {
    if (options->output != NULL && strcmp(options->output, "-") == 0)
        options->output = NULL;
}

/* trawl-mpi: -o names the folder of the journal. False after reporting. */
static bool take_ranks_output(parsing *parser) {
    scan_options *options = parser->options;
    if (options->output != NULL && options->division.journal != NULL)
        return arguments_conflict(parser->arguments.command, "-o", "--journal",
                                  "both name the folder");
    if (options->output != NULL)
        options->division.journal = options->output;
    options->output = NULL;
    if (options->kind != RECORD_MATCHES || options->division.journal != NULL)
        return true;
    (void)arguments_misuse(parser->arguments.command,
                           "expected -o DIR for the matches, or -c or --top to count them");
    return false;
}

/* Whether no flag is given that --records excludes. False after reporting. */
static bool cut_fits(parsing *parser) {
    scan_options *options = parser->options;
    const char *device = options->scan.device;
    record_cut *cut = &options->cut;
    const command *of_command = parser->arguments.command;
    if (!cut->wanted)
        return true;
    if (options->kind == RECORD_TOP)
        return arguments_conflict(of_command, "--records", "--top", "");
    if (options->division.shard != 0 || options->division.journal != NULL)
        return arguments_conflict(of_command, "--records",
                                  options->division.shard != 0 ? "--shard" : "--journal",
                                  "these divide texts anywhere");
    if (device != NULL && strcmp(device, "cpu") != 0)
        return arguments_conflict(of_command, "--records", "--device",
                                  "records are scanned on the CPU");
    cut->counts = options->kind == RECORD_COUNTS;
    options->kind = RECORD_MATCHES;
    return true;
}

/* Whether the flags fit together. False after reporting. */
static bool consistent(parsing *parser) {
    scan_options *options = parser->options;
    char written[64];
    if (!choose_kind(parser) || !cut_fits(parser))
        return false;
    if (options->database != NULL && parser->arguments.compiling != NULL)
        return arguments_conflict(parser->arguments.command, "--db",
                                  flag_written(parser->arguments.compiling, written),
                                  "a database has its own patterns, engine and kind of matches");
    if (options->database == NULL && options->patterns.count == 0)
        return miss_patterns(parser);
    if (parser->arguments.command == &ranks_command && !take_ranks_output(parser))
        return false;
    const division_options *division = &options->division;
    if (!division_options_check(division, parser->arguments.command, options->output))
        return false;
    bool lists = division->lists.count != 0 || division->lists0.count != 0;
    bool only_lists = lists && options->files.texts.count == 0;
    if (!division_options_share_stdin(division, parser->arguments.command,
                                      pattern_options_use_stdin(&options->patterns),
                                      !only_lists && file_options_use_stdin(&options->files)))
        return false;
    take_standard_output(options);
    const command_inputs inputs = {.files = only_lists ? NULL : &options->files,
                                   .patterns = &options->patterns,
                                   .lists = &division->lists,
                                   .lists0 = &division->lists0,
                                   .database = options->database,
                                   .sample = options->sample,
                                   .profile = options->profile.path};
    file_exception folder;
    except_output(&options->files, options->output, "not scanned, since it is the output too");
    if (division_exception(division, &folder))
        file_options_except(&options->files, folder);
    return !sample_is_used_up(&inputs) && !output_overwrites(options->output, &inputs);
}

bool scan_options_parse(scan_options *options, const command *of, int argc, char **argv,
                        int *status) {
    *options = (scan_options){.compile = TRAWL_COMPILE_OPTIONS,
                              .scan = TRAWL_SCAN_OPTIONS,
                              .with_pattern = true,
                              .top = 20,
                              .progress = true};
    study_options_begin(&options->study, &options->compile);
    options->scan.threads = TRAWL_THREADS_ALL;
    parsing parser = {.options = options};
    arguments_begin(&parser.arguments, of, argc, argv);
    const flag_groups groups = {.patterns = &options->patterns,
                                .compile = &options->compile,
                                .scan = &options->scan,
                                .study = &options->study,
                                .profile = &options->profile,
                                .files = &options->files};
    int id = ARGUMENTS_END;
    while ((id = flag_groups_next(&groups, &parser.arguments, status)) != ARGUMENTS_END) {
        int taken = id == ARGUMENTS_ERROR
                        ? FLAG_REFUSED
                        : division_options_take(&options->division, &parser.arguments, id);
        if (taken == FLAG_REFUSED || (taken == FLAG_NOT_MINE && !take_own(&parser, id)))
            return false;
    }
    /* A kernel names an engine too. */
    return consistent(&parser) &&
           cuda_options_from_variant(of, &options->compile, &options->scan) &&
           (options->scan.kernel != NULL ||
            compile_options_fit(&options->compile, &options->study.compile, of));
}

void scan_options_release(scan_options *options) {
    pattern_options_release(&options->patterns);
    file_options_release(&options->files);
    division_options_release(&options->division);
}
