/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/overwrite.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/report.h"

/* `input` may be NULL: no file. */
static bool is_same(const struct stat *output, const char *input) {
    struct stat read;
    int failed = input == NULL             ? -1
                 : strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &read)
                                           : stat(input, &read);
    return failed == 0 && read.st_dev == output->st_dev && read.st_ino == output->st_ino;
}

static bool is_listed(const struct stat *output, const string_list *inputs) {
    bool same = false;
    for (size_t i = 0; inputs != NULL && i < inputs->count && !same; i++)
        same = is_same(output, inputs->items[i]);
    return same;
}

static bool is_text(const struct stat *output, const file_options *files) {
    return files != NULL && (is_listed(output, &files->texts) ||
                             (file_options_use_stdin(files) && is_same(output, "-")));
}

static bool has_patterns(const struct stat *output, const pattern_options *patterns) {
    bool same = false;
    for (size_t i = 0; patterns != NULL && i < patterns->count && !same; i++)
        same = patterns->inputs[i].is_file && is_same(output, patterns->inputs[i].text);
    return same;
}

bool output_overwrites(const char *output, const command_inputs *inputs) {
    struct stat of;
    if (output == NULL || strcmp(output, "-") == 0 || stat(output, &of) != 0 ||
        !S_ISREG(of.st_mode))
        return false;
    const char *read = is_text(&of, inputs->files)           ? "a text"
                       : has_patterns(&of, inputs->patterns) ? "a file of patterns"
                       : is_listed(&of, inputs->lists) || is_listed(&of, inputs->lists0)
                           ? "a list of texts"
                       : is_same(&of, inputs->database) ? "the database"
                       : is_same(&of, inputs->sample)   ? "the sample"
                       : is_same(&of, inputs->profile)  ? "the profile"
                                                        : NULL;
    if (read != NULL)
        report("%s: is %s, which the output would replace; expected another file after -o", output,
               read);
    return read != NULL;
}
