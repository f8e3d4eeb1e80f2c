/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Random pattern files, texts and flags: `trawl grep` against the GNU grep of this machine, which
 * must agree in output, messages and exit status. A failing case is made smaller and printed as a
 * command. TRAWL_TEST_SEED and TRAWL_TEST_GREP_CASES choose other and more cases; without the
 * latter a slow machine stops early. */
#include "random.h"
#include "sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { CASES = 1500, SECONDS = 45, FLAGS_MAX = 24, PATTERNS_MAX = 256, TEXT_MAX = 1 << 19 };

typedef struct random_case {
    char flags[FLAGS_MAX][32];
    size_t flag_count;
    char patterns[PATTERNS_MAX];
    size_t pattern_length;
    char *text;
    size_t text_length;
    size_t operands; /* file names after the flags; 0: standard input */
    bool piped;
} random_case;

static const char *grep_path(void) {
    static const char *const paths[] = {"/usr/bin/grep", "/bin/grep", "/usr/local/bin/grep"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (access(paths[i], X_OK) == 0)
            return paths[i];
    }
    return NULL;
}

/* The message about binary files and its place are those of GNU grep 3.5 and later. */
static bool grep_is_comparable(const char *path, const sandbox *box) {
    const char *const argv[] = {path, "-V", NULL};
    outcome version = sandbox_run(box, argv, NULL, false);
    int major = 0, minor = 0;
    bool good = sscanf(version.output, "grep (GNU grep) %d.%d", &major, &minor) == 2 &&
                (major > 3 || (major == 3 && minor >= 5));
    outcome_free(&version);
    return good;
}

/* ------------------------------------------------------------------ making cases */

typedef struct alphabet {
    const char *bytes;
    size_t count;
} alphabet;

static const alphabet alphabets[] = {
    {"ab", 2},         {"abAB ", 5},     {"a_B-1 ", 6}, {"a.\rb", 4},
    {"\xe9\xff z", 4}, {"foxFOX \t", 8}, {"a-- ", 4},   {"xyz[]*\\^$. ", 11},
};

static char letter(random_source *random, const alphabet *letters) {
    return letters->bytes[random_below(random, letters->count)];
}

static void add_flag(random_case *c, const char *flag) {
    if (c->flag_count < FLAGS_MAX)
        snprintf(c->flags[c->flag_count++], sizeof c->flags[0], "%s", flag);
}

static void add_number_flag(random_case *c, random_source *random, const char *flag, size_t most) {
    char text[32];
    snprintf(text, sizeof text, "%s%zu", flag, random_between(random, 0, most));
    add_flag(c, text);
}

static bool has_flag(const random_case *c, const char *flag) {
    for (size_t i = 0; i < c->flag_count; i++) {
        if (strcmp(c->flags[i], flag) == 0)
            return true;
    }
    return false;
}

static void make_flags(random_case *c, random_source *random) {
    static const struct {
        const char *flag;
        size_t chance; /* in 100 */
    } simple[] = {
        {"-i", 20},
        {"-w", 25},
        {"-x", 12},
        {"-v", 20},
        {"-c", 10},
        {"-l", 4},
        {"-L", 4},
        {"-o", 30},
        {"-b", 20},
        {"-n", 25},
        {"-H", 10},
        {"-h", 6},
        {"-q", 2},
        {"-s", 3},
        {"-a", 10},
        {"-z", 8},
        {"-Z", 6},
        {"-T", 6},
        {"--color=always", 25},
        {"-U", 3},
        {"-I", 4},
        {"--no-group-separator", 4},
        {"--line-buffered", 4},
        {"--label=in", 4},
        {"--group-separator=##", 4},
        {"--no-ignore-case", 2},
        {"--text", 2},
    };
    for (size_t i = 0; i < sizeof simple / sizeof simple[0]; i++) {
        if (random_chance(random, simple[i].chance, 100))
            add_flag(c, simple[i].flag);
    }
    /* With -w and -x together, grep 3.8 counts the line end into the parts: see the manual. */
    if (has_flag(c, "-x") && (has_flag(c, "-o") || has_flag(c, "--color=always"))) {
        for (size_t i = 0; i < c->flag_count; i++) {
            if (strcmp(c->flags[i], "-w") == 0)
                strcpy(c->flags[i], "-n");
        }
    }
    static const char *const numbered[] = {"-m", "-A",           "-B",        "-C",
                                           "-",  "--max-count=", "--context="};
    for (size_t i = 0; i < sizeof numbered / sizeof numbered[0]; i++) {
        if (random_chance(random, i < 4 ? 12 : 3, 100))
            add_number_flag(c, random, numbered[i], 4);
    }
}

static void make_text(random_case *c, random_source *random, const alphabet *letters) {
    bool large = random_chance(random, 1, 60);
    size_t lines = large ? 0 : random_between(random, 0, 14);
    size_t longest = random_between(random, 0, 14);
    size_t length = 0;
    for (size_t line = 0; line < lines; line++) {
        for (size_t i = random_between(random, 0, longest); i > 0; i--)
            c->text[length++] = letter(random, letters);
        c->text[length++] = has_flag(c, "-z") ? '\0' : '\n';
    }
    if (large) { /* several pieces of what grep reads at once, mostly without a match */
        size_t total = random_between(random, 90000, TEXT_MAX - 64);
        while (length < total)
            c->text[length++] = random_chance(random, 1, 40)    ? '\n'
                                : random_chance(random, 1, 200) ? letter(random, letters)
                                                                : '~';
    }
    if (length > 0 && random_chance(random, 1, 3))
        length--;
    if (length > 0 && random_chance(random, 1, 8))
        c->text[random_below(random, length)] = '\0';
    c->text_length = length;
}

static void make_patterns(random_case *c, random_source *random, const alphabet *letters) {
    size_t count = random_chance(random, 1, 25) ? 0 : random_between(random, 1, 7);
    size_t longest = random_between(random, 1, 6);
    size_t length = 0;
    for (size_t pattern = 0; pattern < count; pattern++) {
        size_t bytes = random_chance(random, 1, 25) ? 0 : random_between(random, 1, longest);
        if (c->text_length > bytes && random_chance(random, 1, 4)) {
            memcpy(c->patterns + length, c->text + random_below(random, c->text_length - bytes),
                   bytes);
        } else {
            for (size_t i = 0; i < bytes; i++)
                c->patterns[length + i] = letter(random, letters);
        }
        length += bytes;
        c->patterns[length++] = '\n';
    }
    if (length > 0 && random_chance(random, 1, 5))
        length--;
    for (size_t i = 0; i < length; i++) { /* -z: a NUL in a pattern is refused, see the manual */
        if (c->patterns[i] == '\0' && has_flag(c, "-z"))
            c->patterns[i] = '0';
    }
    c->pattern_length = length;
}

static void make_case(random_case *c, uint64_t seed, size_t index) {
    random_source random = random_for_case(seed, index);
    const alphabet *letters =
        &alphabets[random_below(&random, sizeof alphabets / sizeof alphabets[0])];
    c->flag_count = 0;
    make_flags(c, &random);
    make_text(c, &random, letters);
    make_patterns(c, &random, letters);
    c->operands = random_chance(&random, 1, 2) ? random_between(&random, 1, 3) : 0;
    c->piped = c->text_length < 60000 && random_chance(&random, 1, 2);
}

/* ------------------------------------------------------------------ comparing */

/* The third operand does not exist. */
enum { OPERANDS_MAX = 3 };
static const char *const operand_names[OPERANDS_MAX] = {"text", "-", "missing"};

static outcome run(const random_case *c, const sandbox *box, const char *grep) {
    const char *argv[ARGUMENTS_MAX];
    size_t count = 0;
    argv[count++] = grep != NULL ? grep : TRAWL_COMMAND;
    argv[count++] = grep != NULL ? "-F" : "grep";
    for (size_t i = 0; i < c->flag_count; i++)
        argv[count++] = c->flags[i];
    argv[count++] = "-f";
    argv[count++] = "patterns";
    for (size_t i = 0; i < c->operands && i < OPERANDS_MAX; i++)
        argv[count++] = operand_names[i];
    argv[count] = NULL;
    return sandbox_run(box, argv, "text", c->piped && c->text_length < 60000);
}

/* Messages are the same but for the program's name. */
static bool same_messages(const outcome *grep, const outcome *trawl) {
    const char *left = grep->errors, *right = trawl->errors;
    while (*left != '\0' && *right != '\0') {
        left = strchr(left, ':');
        right = strchr(right, ':');
        if (left == NULL || right == NULL)
            return false;
        size_t length = strcspn(left, "\n") + 1;
        if (strncmp(left, right, length) != 0)
            return false;
        left += length;
        right += length;
    }
    return *left == *right;
}

static bool agree(const random_case *c, const sandbox *box, const char *grep, bool show) {
    sandbox_write(box, "patterns", c->patterns, c->pattern_length);
    sandbox_write(box, "text", c->text, c->text_length);
    outcome theirs = run(c, box, grep);
    outcome ours = run(c, box, NULL);
    bool same = theirs.status == ours.status && theirs.output_length == ours.output_length &&
                memcmp(theirs.output, ours.output, ours.output_length) == 0 &&
                same_messages(&theirs, &ours);
    if (show) {
        const outcome *both[2] = {&theirs, &ours};
        for (size_t i = 0; i < 2; i++) {
            printf("  %s status %d \"", i == 0 ? "grep: " : "trawl:", both[i]->status);
            print_bytes(both[i]->output, both[i]->output_length);
            printf("\" messages \"");
            print_bytes(both[i]->errors, both[i]->errors_length);
            printf("\"\n");
        }
    }
    outcome_free(&theirs);
    outcome_free(&ours);
    return same;
}

/* Cuts bytes out of patterns or text as long as the two still disagree. */
static bool shrink_bytes(random_case *c, const sandbox *box, const char *grep, char *bytes,
                         size_t *length) {
    bool smaller = false;
    static char saved[TEXT_MAX];
    for (size_t size = *length; size > 0; size /= 2) {
        for (size_t at = 0; at + size <= *length;) {
            size_t old_length = *length;
            memcpy(saved, bytes, old_length);
            memmove(bytes + at, bytes + at + size, old_length - at - size);
            *length -= size;
            if (agree(c, box, grep, false)) {
                memcpy(bytes, saved, old_length);
                *length = old_length;
                at += size;
            } else {
                smaller = true;
            }
        }
    }
    return smaller;
}

static bool shrink_flags(random_case *c, const sandbox *box, const char *grep) {
    bool smaller = false;
    for (size_t i = 0; i < c->flag_count;) {
        random_case less = *c;
        less.flag_count--;
        memmove(less.flags + i, less.flags + i + 1, (less.flag_count - i) * sizeof less.flags[0]);
        if (agree(&less, box, grep, false)) {
            i++;
        } else {
            *c = less;
            smaller = true;
        }
    }
    for (; c->operands > 0; smaller = true) {
        c->operands--;
        if (agree(c, box, grep, false)) {
            c->operands++;
            break;
        }
    }
    return smaller;
}

static void print_case(const random_case *c) {
    printf("  printf '");
    print_bytes(c->patterns, c->pattern_length);
    printf("' >patterns; printf '");
    print_bytes(c->text, c->text_length);
    printf("' >text; ");
    printf(c->piped ? "cat text | LC_ALL=C grep -F" : "LC_ALL=C grep -F");
    for (size_t i = 0; i < c->flag_count; i++)
        printf(" %s", c->flags[i]);
    printf(" -f patterns");
    for (size_t i = 0; i < c->operands && i < OPERANDS_MAX; i++)
        printf(" %s", operand_names[i]);
    printf(c->piped ? "\n" : " <text\n");
}

static void agrees_with_grep(void **state) {
    (void)state;
    sandbox box;
    sandbox_open(&box);
    const char *grep = grep_path();
    if (grep == NULL || !grep_is_comparable(grep, &box)) {
        sandbox_remove(&box);
        printf("skipped: no GNU grep 3.5 or later is installed\n");
        skip();
    }
    const char *wanted = getenv("TRAWL_TEST_GREP_CASES");
    size_t cases = wanted != NULL ? strtoul(wanted, NULL, 10) : CASES;
    uint64_t seed = random_seed();
    random_case c = {.text = malloc(TEXT_MAX)};
    assert_non_null(c.text);
    size_t disagreements = 0;
    time_t begin = time(NULL);
    size_t index = 0;
    for (; index < cases && disagreements < 5; index++) {
        if (wanted == NULL && time(NULL) - begin > SECONDS)
            break;
        make_case(&c, seed, index);
        if (agree(&c, &box, grep, false))
            continue;
        disagreements++;
        while (shrink_flags(&c, &box, grep) ||
               shrink_bytes(&c, &box, grep, c.patterns, &c.pattern_length) ||
               shrink_bytes(&c, &box, grep, c.text, &c.text_length)) {
        }
        printf("case %zu of seed %llu:\n", index, (unsigned long long)seed);
        print_case(&c);
        agree(&c, &box, grep, true);
    }
    printf("%zu cases, seed %llu\n", index, (unsigned long long)seed);
    free(c.text);
    sandbox_remove(&box);
    assert_int_equal(disagreements, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_grep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
