/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/overwrite.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/base/report.h"

static bool is_same(const struct stat *output, const char *input) {
    struct stat read;
    return stat(input, &read) == 0 && read.st_dev == output->st_dev &&
           read.st_ino == output->st_ino;
}

bool output_overwrites(const char *output, const file_options *files,
                       const pattern_options *patterns) {
    struct stat information;
    const char *read = NULL;
    if (output == NULL || strcmp(output, "-") == 0 || stat(output, &information) != 0 ||
        !S_ISREG(information.st_mode))
        return false;
    for (size_t i = 0; files != NULL && read == NULL && i < files->texts.count; i++)
        read = is_same(&information, files->texts.items[i]) ? "a text" : NULL;
    for (size_t i = 0; patterns != NULL && read == NULL && i < patterns->count; i++) {
        const pattern_input *input = &patterns->inputs[i];
        read = input->is_file && is_same(&information, input->text) ? "a file of patterns" : NULL;
    }
    if (read == NULL)
        return false;
    report("%s: is %s, which the output would replace; expected another file after -o", output,
           read);
    return true;
}
