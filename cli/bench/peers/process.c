/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/peers/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/base/report.h"

struct bench_process {
    pid_t id;
    int channel; /* its standard input and output */
    int errors;  /* its standard error, a file in memory */
    double time_left;
    bool ended; /* and waited for */
    int status; /* of waitpid */
    size_t used;
    char buffer[BENCH_LINE_BYTES];
};

/* ------------------------------------------------------------------ start */

/* The environment of the child: this one's with LC_ALL=C, since grep takes text for UTF-8 where the
 * locale says so, and then finds more than the same bytes. The caller frees the array. */
static char **make_environment(void) {
    static char bytes_are_characters[] = "LC_ALL=C";
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    char **made = allocate((count + 2) * sizeof *made);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], "LC_ALL=", 7) != 0)
            made[kept++] = environ[i];
    }
    made[kept++] = bytes_are_characters;
    made[kept] = NULL;
    return made;
}

/* Runs in the child between fork and exec: calls only async-signal-safe functions. */
static _Noreturn void become(const char *const *argv, char *const *environment, int channel,
                             int errors) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) {
        (void)!write(score, "1000", 4);
        (void)close(score);
    }
    /* The parameter of execvpe is not const, but execvpe does not write to the strings. */
    union {
        const char *const *given;
        char *const *taken;
    } strings = {.given = argv};
    if (dup2(channel, STDIN_FILENO) >= 0 && dup2(channel, STDOUT_FILENO) >= 0 &&
        dup2(errors, STDERR_FILENO) >= 0)
        (void)execvpe(argv[0], strings.taken, environment);
    const char *why = strerror(errno);
    (void)!write(errors, why, strlen(why));
    _exit(127);
}

bench_process *bench_process_start(const char *const *argv, double seconds) {
    int ends[2];
    int errors = memfd_create("errors", MFD_CLOEXEC);
    if (errors < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        report("%s: %s", argv[0], strerror(errno));
        if (errors >= 0)
            (void)close(errors);
        return NULL;
    }
    char **environment = make_environment();
    (void)fflush(NULL);
    pid_t id = fork();
    if (id == 0)
        become(argv, environment, ends[1], errors);
    free(environment);
    (void)close(ends[1]);
    if (id < 0) {
        report("%s: %s", argv[0], strerror(errno));
        (void)close(ends[0]);
        (void)close(errors);
        return NULL;
    }
    bench_process *process = allocate(sizeof *process);
    *process =
        (bench_process){.id = id, .channel = ends[0], .errors = errors, .time_left = seconds};
    return process;
}

/* ------------------------------------------------------------------ question and answer */

void bench_process_ask(bench_process *process, const char *line) {
    /* MSG_NOSIGNAL: if the process has ended, SIGPIPE must not end this one. */
    (void)send(process->channel, line, strlen(line), MSG_NOSIGNAL);
    (void)send(process->channel, "\n", 1, MSG_NOSIGNAL);
}

/* Waits for more output: BENCH_ANSWER_LINE if there is some, BENCH_ANSWER_ENDED if it has ended. */
static bench_answer receive(bench_process *process) {
    struct pollfd wait = {.fd = process->channel, .events = POLLIN};
    for (;;) {
        if (process->time_left <= 0)
            return BENCH_ANSWER_LATE;
        double begin = seconds_now();
        double most = process->time_left > 3600 ? 3600 : process->time_left;
        int ready = poll(&wait, 1, (int)(most * 1e3) + 1);
        process->time_left -= seconds_now() - begin;
        if (ready <= 0) /* time_left decides */
            continue;
        ssize_t got = recv(process->channel, process->buffer + process->used,
                           sizeof process->buffer - process->used, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return BENCH_ANSWER_ENDED;
        process->used += (size_t)got;
        return BENCH_ANSWER_LINE;
    }
}

/* Waits until a process whose output has ended ends too: it may live on. The first waits are short,
 * as the time of whole programs is measured. */
static bench_answer await_end(bench_process *process) {
    struct timespec wait = {.tv_nsec = 20000};
    double begin = seconds_now();
    while (!process->ended && seconds_now() - begin < process->time_left) {
        pid_t found = waitpid(process->id, &process->status, WNOHANG);
        process->ended = found != 0;
        if (found == 0)
            (void)nanosleep(&wait, NULL);
        if (wait.tv_nsec < 10000000)
            wait.tv_nsec *= 2;
    }
    process->time_left -= seconds_now() - begin;
    return process->ended ? BENCH_ANSWER_ENDED : BENCH_ANSWER_LATE;
}

bench_answer bench_process_answer(bench_process *process, char line[static BENCH_LINE_BYTES]) {
    char *end = NULL;
    while ((end = memchr(process->buffer, '\n', process->used)) == NULL) {
        bench_answer answer = BENCH_ANSWER_LONG;
        if (process->used < sizeof process->buffer)
            answer = receive(process);
        if (answer == BENCH_ANSWER_ENDED)
            answer = await_end(process);
        if (answer == BENCH_ANSWER_LATE || answer == BENCH_ANSWER_LONG)
            (void)kill(process->id, SIGKILL);
        if (answer != BENCH_ANSWER_LINE)
            return answer;
    }
    size_t length = (size_t)(end - process->buffer);
    memcpy(line, process->buffer, length);
    line[length] = '\0';
    process->used -= length + 1;
    memmove(process->buffer, end + 1, process->used);
    return BENCH_ANSWER_LINE;
}

double bench_process_time_left(const bench_process *process) {
    return process->time_left;
}

/* ------------------------------------------------------------------ the end */

/* The last line that the process wrote to standard error. */
static void last_words(const bench_process *process, char *words, size_t size) {
    char tail[256];
    off_t length = lseek(process->errors, 0, SEEK_END);
    off_t begin = length > (off_t)sizeof tail - 1 ? length - (off_t)sizeof tail + 1 : 0;
    ssize_t got = pread(process->errors, tail, sizeof tail - 1, begin);
    while (got > 0 && tail[got - 1] == '\n')
        got--;
    tail[got > 0 ? got : 0] = '\0';
    const char *line = strrchr(tail, '\n');
    (void)snprintf(words, size, "%.255s", line == NULL ? tail : line + 1);
}

/* Waits for the end of the process, once. */
static void wait_for_end(bench_process *process) {
    while (!process->ended && waitpid(process->id, &process->status, 0) < 0 && errno == EINTR)
        ;
    process->ended = true;
}

int bench_process_end_status(bench_process *process, char *why, size_t size) {
    char words[256];
    wait_for_end(process);
    last_words(process, words, sizeof words);
    const char *colon = words[0] == '\0' ? "" : ": ";
    if (WIFSIGNALED(process->status)) {
        int number = WTERMSIG(process->status);
        const char *out_of_memory = number == SIGKILL ? ", as when memory runs out" : "";
        (void)snprintf(why, size, "ended by signal %d (%s%s)%s%s", number, strsignal(number),
                       out_of_memory, colon, words);
        return -1;
    }
    (void)snprintf(why, size, "ended with status %d%s%s", WEXITSTATUS(process->status), colon,
                   words);
    return WEXITSTATUS(process->status);
}

void bench_process_close(bench_process *process) {
    if (process == NULL)
        return;
    if (!process->ended)
        (void)kill(process->id, SIGKILL);
    wait_for_end(process);
    (void)close(process->channel);
    (void)close(process->errors);
    free(process);
}
