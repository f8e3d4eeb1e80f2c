/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/flags.h"

#include "cli/flags/compile.h"
#include "cli/flags/scan.h"
#include "cli/parts/division.h"

/* One flag on a line, however long the line is. */
/* clang-format off */
static const flag flags[] = {
    {GREP_FLAG_PATTERNS, 'e', "regexp", "PATTERNS", "Search for PATTERNS, one on each line. May be given several times.", "Patterns"},
    {GREP_FLAG_FILE, 'f', "file", "FILE", "Read patterns from FILE (- is standard input), one on each line. gzip, zstd and xz files are decompressed. An empty line matches every line.", NULL},
    {GREP_FLAG_FIXED_STRINGS, 'F', "fixed-strings", NULL, "Patterns are strings. This is always so.", NULL},
    {GREP_FLAG_OTHER_SYNTAX, 'E', "extended-regexp", NULL, NULL, NULL},
    {GREP_FLAG_OTHER_SYNTAX, 'G', "basic-regexp", NULL, NULL, NULL},
    {GREP_FLAG_OTHER_SYNTAX, 'P', "perl-regexp", NULL, NULL, NULL},
    {GREP_FLAG_IGNORE_CASE, 'i', "ignore-case", NULL, "ASCII letters match upper and lower case.", NULL},
    {GREP_FLAG_IGNORE_CASE, 'y', NULL, NULL, NULL, NULL},
    {GREP_FLAG_NO_IGNORE_CASE, 0, "no-ignore-case", NULL, "Letters match only their own case (the default).", NULL},
    {GREP_FLAG_WORDS, 'w', "word-regexp", NULL, "Match whole words only.", NULL},
    {GREP_FLAG_LINES, 'x', "line-regexp", NULL, "Match whole lines only.", NULL},
    {GREP_FLAG_NULL_DATA, 'z', "null-data", NULL, "Lines of the input end in a NUL byte, not LF.", NULL},

    {GREP_FLAG_INVERT, 'v', "invert-match", NULL, "Select the lines that do not match.", "Selection"},
    {GREP_FLAG_MAX_COUNT, 'm', "max-count", "NUM", "Stop after NUM selected lines of a file.", NULL},
    {GREP_FLAG_BINARY_FILES, 0, "binary-files", "TYPE", "How to treat files with NUL bytes: binary (the default: report that the file matches, print no lines), text, or without-match.", NULL},
    {GREP_FLAG_TEXT, 'a', "text", NULL, "The same as --binary-files=text.", NULL},
    {GREP_FLAG_SKIP_BINARY, 'I', NULL, NULL, "The same as --binary-files=without-match.", NULL},

    {GREP_FLAG_QUIET, 'q', "quiet", NULL, "Print nothing; exit with status 0 at the first match.", "Output"},
    {GREP_FLAG_QUIET, 0, "silent", NULL, NULL, NULL},
    {GREP_FLAG_COUNT, 'c', "count", NULL, "Print the number of selected lines of each file.", NULL},
    {GREP_FLAG_LIST_MATCHING, 'l', "files-with-matches", NULL, "Print the names of files with selected lines.", NULL},
    {GREP_FLAG_LIST_NOT_MATCHING, 'L', "files-without-match", NULL, "Print the names of files without selected lines.", NULL},
    {GREP_FLAG_ONLY_MATCHING, 'o', "only-matching", NULL, "Print each matching part on a line of its own: the leftmost and longest matches that do not overlap.", NULL},
    {GREP_FLAG_BYTE_OFFSET, 'b', "byte-offset", NULL, "Print the offset of each line, or with -o of each part.", NULL},
    {GREP_FLAG_LINE_NUMBER, 'n', "line-number", NULL, "Print line numbers, from 1.", NULL},
    {GREP_FLAG_WITH_NAME, 'H', "with-filename", NULL, "Print the file name with each line.", NULL},
    {GREP_FLAG_WITHOUT_NAME, 'h', "no-filename", NULL, "Print no file names.", NULL},
    {GREP_FLAG_LABEL, 0, "label", "LABEL", "Name to print for standard input.", NULL},
    {GREP_FLAG_INITIAL_TAB, 'T', "initial-tab", NULL, "Print a tab between prefix and line, so that lines are aligned.", NULL},
    {GREP_FLAG_NULL_NAME, 'Z', "null", NULL, "Print a NUL byte after each file name.", NULL},
    {GREP_FLAG_LINE_BUFFERED, 0, "line-buffered", NULL, "Flush the output after every line.", NULL},
    {GREP_FLAG_NO_MESSAGES, 's', "no-messages", NULL, "Print no messages about files that cannot be read.", NULL},
    {GREP_FLAG_COLOR, 0, "color", "[WHEN]", "Color the matches: always, never (the default), or auto (on a terminal; also the meaning without WHEN). GREP_COLORS sets the colors.", NULL},
    {GREP_FLAG_COLOR, 0, "colour", "[WHEN]", NULL, NULL},
    {GREP_FLAG_VERSION, 'V', "version", NULL, "Print the version.", NULL},

    {GREP_FLAG_BEFORE, 'B', "before-context", "NUM", "Print NUM lines before each selected line.", "Context"},
    {GREP_FLAG_AFTER, 'A', "after-context", "NUM", "Print NUM lines after each selected line.", NULL},
    {GREP_FLAG_CONTEXT, 'C', "context", "NUM", "Print NUM lines before and after each selected line.", NULL},
    {GREP_FLAG_CONTEXT_NUMBER, '#', NULL, NULL, "The same as -C NUM.", NULL},
    {GREP_FLAG_GROUP_SEPARATOR, 0, "group-separator", "SEP", "Print SEP between groups of lines (default --).", NULL},
    {GREP_FLAG_NO_GROUP_SEPARATOR, 0, "no-group-separator", NULL, "Print nothing between groups of lines.", NULL},

    {GREP_FLAG_RECURSIVE, 'r', "recursive", NULL, "Search all files below the directories given (no FILE: the working directory).", "Files"},
    {GREP_FLAG_RECURSIVE_LINKS, 'R', "dereference-recursive", NULL, "As -r, but follow all symbolic links.", NULL},
    {GREP_FLAG_INCLUDE, 0, "include", "GLOB", "Search only files whose base name matches GLOB.", NULL},
    {GREP_FLAG_EXCLUDE, 0, "exclude", "GLOB", "Skip files whose base name matches GLOB.", NULL},
    {GREP_FLAG_EXCLUDE_FROM, 0, "exclude-from", "FILE", "Skip files whose base name matches a line of FILE.", NULL},
    {GREP_FLAG_EXCLUDE_DIR, 0, "exclude-dir", "GLOB", "Skip directories whose name matches GLOB.", NULL},
    {GREP_FLAG_DIRECTORIES, 'd', "directories", "ACTION", "What to do with a directory among the files: read (an error, the default), skip or recurse.", NULL},
    {GREP_FLAG_DEVICES, 'D', "devices", "ACTION", "What to do with a device, pipe or socket among the files: read (the default) or skip.", NULL},

    {GREP_FLAG_PATTERN_FORMAT, 0, "pattern-format", "FORMAT", "How patterns are written, one on each line: lines (the default) are raw bytes; escaped has \\n \\r \\t \\\\ \\0 \\xNN for bytes; hex has hexadecimal digits; tsv has three columns: name, flags (i: any case, -: none), escaped pattern; and perhaps more: conditions, the number of a group, and an escaped value, of which grep prints none; map has two: pattern and value, both escaped.", "Flags that GNU grep does not have"},
    {GREP_FLAG_CRLF, 0, "crlf", NULL, "Lines of pattern files end in CR LF: remove the CR too.", NULL},
    {GREP_FLAG_DATABASE, 0, "db", "DB", "Use a database made by 'trawl compile' instead of patterns.", NULL},
    {GREP_FLAG_DATABASE_COPY, 0, "db-copy", NULL, "Read the database into memory of its own, as is done where another user may write to it, instead of mapping the file.", NULL},
    {GREP_FLAG_NO_SEARCH_ZIP, 0, "no-search-zip", NULL, "Search compressed files as they are stored. --search-zip (the default): search the text of gzip, zstd and xz files, which are recognised by their content.", NULL},
    {GREP_FLAG_SEARCH_ZIP, 0, "search-zip", NULL, NULL, NULL},
    {FLAG_ENGINE, 0, "engine", "NAME", "The algorithm, NAME or NAME:VARIANT. auto (the default): the planner chooses. 'trawl engines' lists the engines.", NULL},
    {FLAG_VARIANT, 0, "variant", "NAME", "The variant of the engine.", NULL},
    {FLAG_THREADS, 0, "threads", "N", "Number of threads for large files (0, the default: one for each CPU allowed).", NULL},
    {FLAG_DEVICE, 0, "device", "NAME", "What searches large files: cpu (the default), cuda, cuda:N, cuda:all or auto.", NULL},

    {GREP_FLAG_IGNORED, 'U', "binary", NULL, NULL, NULL},
    {GREP_FLAG_IGNORED, 'u', "unix-byte-offsets", NULL, NULL, NULL},
    {0, 0, NULL, NULL, NULL, NULL},
};
/* clang-format on */

static const flag *const grep_flags[] = {flags, division_flags, NULL};

static const foreign_flag ripgrep_flags[] = {
    {0, "json", "JSON is written by 'trawl scan --format jsonl'"},
    {'t', "type", "files are chosen by --include, as --include='*.c'"},
    {'g', "glob", "files are chosen by --include and --exclude"},
    {'S', "smart-case", "-i ignores the case of letters"},
    {'j', NULL, "the number of threads is --threads N"},
    {0, "hidden", "-r searches hidden files too"},
    {0, "no-ignore", "-r searches all files, whatever .gitignore says"},
    {0},
};

const command grep_command = {
    .name = "grep",
    .summary = "print the lines that contain a pattern: a drop-in for grep -F",
    .usage = "  trawl grep [FLAGS] PATTERNS [FILE...]\n"
             "  trawl grep [FLAGS] -e PATTERNS... -f FILE... [FILE...]\n"
             "  trawl grep [FLAGS] --db DB [FILE...]",
    .examples = "  trawl grep -f words.txt book.txt                         matching lines\n"
                "  trawl grep -c -r -i -f words.txt --include='*.c' src     counts, any case\n"
                "  dmesg | trawl grep -C2 -e error -e fail                  with context\n",
    .flags = grep_flags,
    .notes =
        "Flags, output and exit status are those of GNU grep -F. Without FILE, or if FILE is -,\n"
        "standard input is searched. PATTERNS may be several patterns, one on each line.\n"
        "Compressed files (gzip, zstd, xz) are recognised by their content and decompressed.\n"
        "\n"
        "Exit status: 0 if a line was selected, 1 if none was, 2 after an error (with -q: 0 if a\n"
        "line was selected, even after an error).\n",
    .foreign = ripgrep_flags,
};
