/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/overwrite.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/report.h"

/* Whether there is such an input; NULL: there is not. */
static bool find_input(const char *input, struct stat *about) {
    int failed = input == NULL             ? -1
                 : strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, about)
                                           : stat(input, about);
    return failed == 0;
}

/* `input` may be NULL: no file. */
static bool is_same(const struct stat *output, const char *input) {
    struct stat read;
    return find_input(input, &read) && read.st_dev == output->st_dev &&
           read.st_ino == output->st_ino;
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

/* What of `inputs`, other than the sample, is this file; NULL: nothing. */
static const char *name_of(const struct stat *file, const command_inputs *inputs) {
    return is_text(file, inputs->files)           ? "a text"
           : has_patterns(file, inputs->patterns) ? "a file of patterns"
           : is_listed(file, inputs->lists) || is_listed(file, inputs->lists0) ? "a list of texts"
           : is_same(file, inputs->database)                                   ? "the database"
           : is_same(file, inputs->index)                                      ? "the index"
                                                                               : NULL;
}

/* Whether -o names a regular file that is there, and so would be replaced. */
static bool is_replaced(const char *output, struct stat *of) {
    return output != NULL && strcmp(output, "-") != 0 && stat(output, of) == 0 &&
           S_ISREG(of->st_mode);
}

static void refuse_output(const char *output, const char *read) {
    report("%s: is %s, which the output would replace; expected another file after -o", output,
           read);
}

bool output_overwrites(const char *output, const command_inputs *inputs) {
    struct stat of;
    if (!is_replaced(output, &of))
        return false;
    const char *read = name_of(&of, inputs);
    if (read == NULL && is_same(&of, inputs->sample))
        read = "the sample";
    if (read == NULL && is_same(&of, inputs->profile))
        read = "the profile";
    if (read != NULL)
        refuse_output(output, read);
    return read != NULL;
}

bool output_overwrites_text(const char *output, const char *text) {
    struct stat of;
    bool same = is_replaced(output, &of) && is_same(&of, text);
    if (same)
        refuse_output(output, "a text");
    return same;
}

bool texts_overwrite(const command_inputs *inputs) {
    const command_inputs others = {.patterns = inputs->patterns, .database = inputs->database};
    const string_list *texts = &inputs->files->texts;
    struct stat of;
    for (size_t i = 0; i < texts->count; i++) {
        const char *read = find_input(texts->items[i], &of) ? name_of(&of, &others) : NULL;
        if (read != NULL) {
            report("%s: is %s, which --in-place would replace; expected other texts",
                   texts->items[i], read);
            return true;
        }
    }
    return false;
}

void except_output(file_options *files, const char *output, const char *why) {
    struct stat of;
    if (is_replaced(output, &of))
        file_options_except(files, (file_exception){of.st_dev, of.st_ino, why});
}

/* Excepts an input that is a regular file. */
static void except_input(file_options *files, const char *input, const char *why) {
    struct stat of;
    if (find_input(input, &of) && S_ISREG(of.st_mode))
        file_options_except(files, (file_exception){of.st_dev, of.st_ino, why});
}

void except_inputs(file_options *files, const command_inputs *inputs) {
    const pattern_options *patterns = inputs->patterns;
    for (size_t i = 0; i < patterns->count; i++) {
        if (patterns->inputs[i].is_file)
            except_input(files, patterns->inputs[i].text,
                         "not replaced, since it is a file of patterns");
    }
    except_input(files, inputs->database, "not replaced, since it is the database");
}

static bool names_stdin(const string_list *list) {
    bool named = false;
    for (size_t i = 0; list != NULL && i < list->count; i++)
        named = named || strcmp(list->items[i], "-") == 0;
    return named;
}

/* What of `inputs`, other than the sample, is named as standard input; NULL: nothing. */
static const char *name_of_stdin(const command_inputs *inputs) {
    if (inputs->patterns != NULL && pattern_options_use_stdin(inputs->patterns))
        return "the patterns";
    if (names_stdin(inputs->lists) || names_stdin(inputs->lists0))
        return "the names of the texts";
    return inputs->files != NULL && file_options_use_stdin(inputs->files) ? "the text" : NULL;
}

bool sample_is_used_up(const command_inputs *inputs) {
    struct stat of;
    const char *sample = inputs->sample;
    bool is_stdin = sample != NULL && strcmp(sample, "-") == 0;
    const char *other = is_stdin ? name_of_stdin(inputs) : NULL;
    if (other != NULL) {
        report("standard input cannot be both the sample and %s", other);
        return true;
    }
    if (sample == NULL || (is_stdin ? fstat(STDIN_FILENO, &of) : stat(sample, &of)) != 0 ||
        !(S_ISFIFO(of.st_mode) || S_ISSOCK(of.st_mode)))
        return false;
    other = name_of(&of, inputs);
    if (other != NULL)
        report("%s: cannot be both the sample and %s: a pipe is read only once", sample, other);
    return other != NULL;
}
