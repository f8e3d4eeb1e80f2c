/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/flags.h"

#include "cli/flags/common.h"

/* One flag a line, whatever its length: this is a table to look things up in. */
/* clang-format off */
static const flag flags[] = {
    {GREP_FLAG_PATTERNS, 'e', "regexp", "PATTERNS", "Search for PATTERNS, one a line. May be given several times.", "Patterns"},
    {GREP_FLAG_FILE, 'f', "file", "FILE", "Take patterns from FILE, one a line; - is standard input; .gz, .zst and .xz are read through. An empty line matches every line.", NULL},
    {GREP_FLAG_DATABASE, 0, "db", "DB", "Take a set that 'trawl compile' has compiled, instead of patterns.", NULL},
    {GREP_FLAG_FIXED_STRINGS, 'F', "fixed-strings", NULL, "Patterns are strings: always so.", NULL},
    {GREP_FLAG_OTHER_SYNTAX, 'E', "extended-regexp", NULL, NULL, NULL},
    {GREP_FLAG_OTHER_SYNTAX, 'G', "basic-regexp", NULL, NULL, NULL},
    {GREP_FLAG_OTHER_SYNTAX, 'P', "perl-regexp", NULL, NULL, NULL},
    {GREP_FLAG_IGNORE_CASE, 'i', "ignore-case", NULL, "ASCII letters match either case.", NULL},
    {GREP_FLAG_IGNORE_CASE, 'y', NULL, NULL, NULL, NULL},
    {GREP_FLAG_NO_IGNORE_CASE, 0, "no-ignore-case", NULL, "They do not (the default).", NULL},
    {GREP_FLAG_WORDS, 'w', "word-regexp", NULL, "Match whole words only.", NULL},
    {GREP_FLAG_LINES, 'x', "line-regexp", NULL, "Match whole lines only.", NULL},
    {GREP_FLAG_NULL_DATA, 'z', "null-data", NULL, "Lines of the input end in a NUL byte, not LF.", NULL},

    {GREP_FLAG_INVERT, 'v', "invert-match", NULL, "Select the lines that do not match.", "Selection"},
    {GREP_FLAG_MAX_COUNT, 'm', "max-count", "NUM", "Stop after NUM selected lines of a file.", NULL},
    {GREP_FLAG_BINARY_FILES, 0, "binary-files", "TYPE", "Files with NUL bytes are: binary (the default: only told that they match), text, without-match.", NULL},
    {GREP_FLAG_TEXT, 'a', "text", NULL, "The same as --binary-files=text.", NULL},
    {GREP_FLAG_SKIP_BINARY, 'I', NULL, NULL, "The same as --binary-files=without-match.", NULL},

    {GREP_FLAG_QUIET, 'q', "quiet", NULL, "Print nothing; exit with status 0 at the first match.", "Output"},
    {GREP_FLAG_QUIET, 0, "silent", NULL, NULL, NULL},
    {GREP_FLAG_COUNT, 'c', "count", NULL, "Print the number of selected lines of each file.", NULL},
    {GREP_FLAG_LIST_MATCHING, 'l', "files-with-matches", NULL, "Print the names of files with selected lines.", NULL},
    {GREP_FLAG_LIST_NOT_MATCHING, 'L', "files-without-match", NULL, "Print the names of files without any.", NULL},
    {GREP_FLAG_ONLY_MATCHING, 'o', "only-matching", NULL, "Print each matching part on its own line: leftmost, longest, not overlapping.", NULL},
    {GREP_FLAG_BYTE_OFFSET, 'b', "byte-offset", NULL, "Print the offset of each line, or with -o of each part.", NULL},
    {GREP_FLAG_LINE_NUMBER, 'n', "line-number", NULL, "Print line numbers, from 1.", NULL},
    {GREP_FLAG_WITH_NAME, 'H', "with-filename", NULL, "Print the file name with each line.", NULL},
    {GREP_FLAG_WITHOUT_NAME, 'h', "no-filename", NULL, "Do not.", NULL},
    {GREP_FLAG_LABEL, 0, "label", "LABEL", "Name of standard input.", NULL},
    {GREP_FLAG_INITIAL_TAB, 'T', "initial-tab", NULL, "Align the lines behind their prefixes with a tab.", NULL},
    {GREP_FLAG_NULL_NAME, 'Z', "null", NULL, "Print a NUL byte behind each file name.", NULL},
    {GREP_FLAG_LINE_BUFFERED, 0, "line-buffered", NULL, "Write out every line at once.", NULL},
    {GREP_FLAG_NO_MESSAGES, 's', "no-messages", NULL, "No messages about files that cannot be read.", NULL},
    {GREP_FLAG_COLOR, 0, "color", "[WHEN]", "Mark what matched: always, never (the default), auto (on a terminal; WHEN left out means this). GREP_COLORS is honoured.", NULL},
    {GREP_FLAG_COLOR, 0, "colour", "[WHEN]", NULL, NULL},

    {GREP_FLAG_BEFORE, 'B', "before-context", "NUM", "Print NUM lines before each selected line.", "Context"},
    {GREP_FLAG_AFTER, 'A', "after-context", "NUM", "Print NUM lines after it.", NULL},
    {GREP_FLAG_CONTEXT, 'C', "context", "NUM", "Both.", NULL},
    {GREP_FLAG_CONTEXT_NUMBER, '#', NULL, NULL, "The same as -C NUM.", NULL},
    {GREP_FLAG_GROUP_SEPARATOR, 0, "group-separator", "SEP", "Stands between groups of lines (default --).", NULL},
    {GREP_FLAG_NO_GROUP_SEPARATOR, 0, "no-group-separator", NULL, "Nothing stands there.", NULL},

    {GREP_FLAG_RECURSIVE, 'r', "recursive", NULL, "Search all files below directories; without a FILE, below the working directory.", "Files"},
    {GREP_FLAG_RECURSIVE_LINKS, 'R', "dereference-recursive", NULL, "The same, through symbolic links.", NULL},
    {GREP_FLAG_INCLUDE, 0, "include", "GLOB", "Search only files whose base name matches GLOB.", NULL},
    {GREP_FLAG_EXCLUDE, 0, "exclude", "GLOB", "Skip such files.", NULL},
    {GREP_FLAG_EXCLUDE_FROM, 0, "exclude-from", "FILE", "Skip files that match a line of FILE.", NULL},
    {GREP_FLAG_EXCLUDE_DIR, 0, "exclude-dir", "GLOB", "Skip directories that match GLOB.", NULL},
    {GREP_FLAG_DIRECTORIES, 'd', "directories", "ACTION", "A directory among the files: read (an error, the default), skip or recurse.", NULL},
    {GREP_FLAG_DEVICES, 'D', "devices", "ACTION", "A device, pipe or socket among them: read (the default) or skip.", NULL},

    {FLAG_ENGINE, 0, "engine", "NAME", "The algorithm; auto (the default) chooses. 'trawl engines' lists them.", "trawl's own"},
    {FLAG_VARIANT, 0, "variant", "NAME", "The engine's variant.", NULL},
    {FLAG_THREADS, 0, "threads", "N", "Threads for large inputs (default: all CPUs allowed).", NULL},
    {FLAG_DEVICE, 0, "device", "NAME", "For large inputs: cpu (the default), cuda, cuda:N or auto.", NULL},

    {GREP_FLAG_VERSION, 'V', "version", NULL, "Print the version.", NULL},
    {GREP_FLAG_IGNORED, 'U', "binary", NULL, NULL, NULL},
    {GREP_FLAG_IGNORED, 'u', "unix-byte-offsets", NULL, NULL, NULL},
    {0, 0, NULL, NULL, NULL, NULL},
};
/* clang-format on */

const command grep_command = {
    .name = "grep",
    .summary = "print the lines that contain a pattern: a drop-in for grep -F",
    .usage = "  trawl grep [FLAGS] PATTERNS [FILE...]\n"
             "  trawl grep [FLAGS] -e PATTERNS... -f FILE... [FILE...]\n"
             "  trawl grep [FLAGS] --db DB [FILE...]",
    .examples = "  trawl grep -f words.txt book.txt\n"
                "  trawl grep -c -r -i -f keywords.txt --include='*.c' src\n"
                "  dmesg | trawl grep -C2 -e error -e fail\n",
    .flags = flags,
    .notes = "Without FILE, or where FILE is -, standard input is searched. Several patterns may "
             "stand\n"
             "in one argument, separated by line ends.\n"
             "Exit status: 0 a line was selected, 1 none, 2 error (with -q, 0 if a line was "
             "selected).\n",
};
