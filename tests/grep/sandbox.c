/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void give_up(const char *what) {
    fprintf(stderr, "sandbox: %s: %s\n", what, strerror(errno));
    exit(2);
}

void sandbox_open(sandbox *box) {
    const char *parent = getenv("TMPDIR");
    int length = snprintf(box->path, sizeof box->path, "%s/trawl-grep-XXXXXX",
                          parent != NULL && *parent != '\0' ? parent : "/tmp");
    if (length < 0 || (size_t)length >= sizeof box->path || mkdtemp(box->path) == NULL)
        give_up("mkdtemp");
}

const char *sandbox_path(const sandbox *box, const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", box->path, name);
    return path;
}

void sandbox_write(const sandbox *box, const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(sandbox_path(box, name), "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        give_up(name);
}

void sandbox_directory(const sandbox *box, const char *name) {
    if (mkdir(sandbox_path(box, name), 0777) != 0)
        give_up(name);
}

void sandbox_link(const sandbox *box, const char *name, const char *target) {
    if (symlink(target, sandbox_path(box, name)) != 0)
        give_up(name);
}

static int remove_entry(const char *path, const struct stat *information, int kind,
                        struct FTW *place) {
    (void)information;
    (void)kind;
    (void)place;
    return remove(path);
}

void sandbox_remove(const sandbox *box) {
    nftw(box->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* What a file holds, and its length. */
static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        give_up(path);
    long size = ftell(file);
    rewind(file);
    char *bytes = size < 0 ? NULL : malloc((size_t)size + 1);
    if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size)
        give_up(path);
    fclose(file);
    bytes[size] = '\0';
    *length = (size_t)size;
    return bytes;
}

/* A pipe that holds the whole file already. */
static int pipe_of(const char *path) {
    int ends[2];
    size_t length;
    char *bytes = read_file(path, &length);
    if (length > 60000 || pipe(ends) != 0 || write(ends[1], bytes, length) != (ssize_t)length)
        give_up(path);
    close(ends[1]);
    free(bytes);
    return ends[0];
}

static void become(const sandbox *box, const char *const argv[], int input, int output,
                   int errors) {
    if (chdir(box->path) != 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0)
        _exit(126);
    setenv("LC_ALL", "C", 1);
    setenv("TERM", "xterm", 1);
    unsetenv("GREP_COLORS");
    unsetenv("GREP_COLOR");
    unsetenv("GREP_OPTIONS");
    execv(argv[0], (char *const *)(size_t)argv);
    _exit(127);
}

outcome sandbox_run(const sandbox *box, const char *const argv[], const char *input, bool piped) {
    char input_path[1024] = "/dev/null";
    if (input != NULL)
        snprintf(input_path, sizeof input_path, "%s", sandbox_path(box, input));
    char output_path[512], errors_path[512];
    snprintf(output_path, sizeof output_path, "%s.output", box->path);
    snprintf(errors_path, sizeof errors_path, "%s.errors", box->path);
    int in = piped ? pipe_of(input_path) : open(input_path, O_RDONLY | O_CLOEXEC);
    int out = open(output_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int errors = open(errors_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (in < 0 || out < 0 || errors < 0)
        give_up(input_path);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become(box, argv, in, out, errors);
    int wait_status = 0;
    if (child < 0 || waitpid(child, &wait_status, 0) != child)
        give_up(argv[0]);
    close(in);
    close(out);
    close(errors);
    outcome result = {.status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
                                                       : 128 + WTERMSIG(wait_status)};
    result.output = read_file(output_path, &result.output_length);
    result.errors = read_file(errors_path, &result.errors_length);
    unlink(output_path);
    unlink(errors_path);
    return result;
}

void outcome_free(outcome *result) {
    free(result->output);
    free(result->errors);
}

size_t split_words(const char *text, char *copy, const char *argv[ARGUMENTS_MAX], size_t count) {
    while (*text != '\0' && count < ARGUMENTS_MAX - 1) {
        argv[count++] = copy;
        for (bool quoted = false; *text != '\0' && (quoted || *text != ' '); text++) {
            if (*text == '\'')
                quoted = !quoted;
            else
                *copy++ = *text;
        }
        *copy++ = '\0';
        text += *text == ' ';
    }
    argv[count] = NULL;
    return count;
}

void print_bytes(const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (byte == '\n')
            printf("\\n");
        else if (byte < 0x20 || byte >= 0x7f)
            printf("\\%03o", byte);
        else if (byte == '"' || byte == '\\')
            printf("\\%c", byte);
        else
            putchar(byte);
    }
}
