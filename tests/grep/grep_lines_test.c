/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What `trawl grep` prints for a pattern file and a text, as literal expectations. Each holds for
 * GNU grep -F in the C locale too. */
#include "sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct line_case {
    const char *flags;
    const char *patterns; /* the pattern file */
    const char *text;     /* standard input */
    const char *output;
    int status;
} line_case;

#define MARK(x) "\33[01;31m\33[K" x "\33[m\33[K"
#define NUMBER(x) "\33[32m\33[K" x "\33[m\33[K"
#define SEPARATOR(x) "\33[36m\33[K" x "\33[m\33[K"

static const char pets[] = "the cat sat\nno pets\ncats and a dog\n\nbobcat Cat_ cat\n";

static const line_case cases[] = {
    /* selection */
    {"", "cat\ndog\n", pets, "the cat sat\ncats and a dog\nbobcat Cat_ cat\n", 0},
    {"-v", "cat\ndog\n", pets, "no pets\n\n", 0},
    {"-i", "CAT_\n", pets, "bobcat Cat_ cat\n", 0},
    {"-w", "cat\n", pets, "the cat sat\nbobcat Cat_ cat\n", 0},
    {"-iw", "bob\nCATS\n", pets, "cats and a dog\n", 0},
    {"-x", "cat\nno pets\n", pets, "no pets\n", 0},
    {"-xv", "no pets\n", pets, "the cat sat\ncats and a dog\n\nbobcat Cat_ cat\n", 0},
    {"-wx", "no pets\n", pets, "no pets\n", 0},
    {"-y", "PETS\n", pets, "no pets\n", 0},
    {"-i --no-ignore-case", "PETS\n", pets, "", 1},
    {"", "horse\n", pets, "", 1},
    /* pattern files */
    {"", "", pets, "", 1},
    {"-v", "", "a\nb\n", "a\nb\n", 0},
    {"-c", "", pets, "", 1},
    {"-c", "\n", pets, "5\n", 0},
    {"-c", "dog\n\n", pets, "5\n", 0},
    {"-vc", "dog\n\n", pets, "0\n", 1},
    {"-vc", "\n", pets, "", 1},
    {"-n", "dog", pets, "3:cats and a dog\n", 0},
    {"-c", "cat\r\n", pets, "0\n", 1},
    {"", "cat\r\n", "a cat\r\ncat\n", "a cat\r\n", 0},
    {"-x", "cat\n", "cat\r\n", "", 1},
    {"-x", "\n", "a\n\nb\n", "\n", 0},
    {"-wn", "\n", "a\na b\na  b\n\n-\n", "3:a  b\n4:\n5:-\n", 0},
    {"", ".*\n[a]\n$\n", "ab\n.*\n[a]\n5$\n", ".*\n[a]\n5$\n", 0},
    {"-e dog -e 'cat'", "", pets, "the cat sat\ncats and a dog\nbobcat Cat_ cat\n", 0},
    /* parts of lines */
    {"-o", "a\nab\nabc\nbc\nbcd\n", "abcd xbcd\nab\n", "abc\nbcd\nab\n", 0},
    {"-ob", "aa\n", "aaaaa\naa\n", "0:aa\n2:aa\n6:aa\n", 0},
    {"-on", "aba\n", "x\nabababa\n", "2:aba\n2:aba\n", 0},
    {"-o", "cat\n\n", "a cat\n", "cat\n", 0},
    {"-o", "\n", "a cat\n", "", 0},
    {"-ov", "cat\n", pets, "", 0},
    {"-wob", "foo\nfoobar\n", "foobarx foo\nfoobar\n", "8:foo\n12:foobar\n", 0},
    {"-wo", "-\na\n", "a-\n--\nb-\n", "a\n-\n-\n-\n", 0},
    {"-xo", "ab\na\n", "ab\naab\na\n", "ab\na\n", 0},
    {"-io", "Cat\n", pets, "cat\ncat\ncat\nCat\ncat\n", 0},
    /* words: letters, digits and _ of ASCII; other bytes are none */
    {"-wc", "fox\n",
     "fox\n_fox\nfox1\n(fox)\n\xc3\xa9"
     "fox\nfoxfox fox\n",
     "4\n", 0},
    /* prefixes */
    {"-nb", "dog\n", pets, "3:20:cats and a dog\n", 0},
    {"-Hn", "dog\n", pets, "(standard input):3:cats and a dog\n", 0},
    {"-H --label=in", "dog\n", pets, "in:cats and a dog\n", 0},
    {"-Hh", "dog\n", pets, "cats and a dog\n", 0},
    {"-Tn", "dog\n", pets, " 3:\tcats and a dog\n", 0},
    {"-TH", "\n", "a\n\n", "(standard input):\ta\n(standard input):\n", 0},
    {"-cH", "cat\n", pets, "(standard input):3\n", 0},
    {"-l", "cat\n", pets, "(standard input)\n", 0},
    {"-L", "cat\n", pets, "", 0},
    {"-L", "horse\n", pets, "(standard input)\n", 1},
    {"-lc", "cat\n", pets, "(standard input)\n", 0},
    {"-q", "cat\n", pets, "", 0},
    {"-q", "horse\n", pets, "", 1},
    {"", "end\n", "the\nend", "end\n", 0},
    {"-c", "a\n", "", "0\n", 1},
    /* number of lines */
    {"-m1", "cat\n", pets, "the cat sat\n", 0},
    {"-m2 -c", "cat\n", pets, "2\n", 0},
    {"-m 1 -v -n", "cat\n", pets, "2:no pets\n", 0},
    {"-m0", "cat\n", pets, "", 1},
    {"-m -1 -c", "cat\n", pets, "3\n", 0},
    {"-m1 -A2", "cat\n", "cat\na\ncat\nb\n", "cat\na\ncat\n", 0},
    /* context */
    {"-A1", "c\n", "a\nb\nc\nd\ne\nf\nc\n", "c\nd\n--\nc\n", 0},
    {"-B1 -n", "c\n", "a\nb\nc\nd\ne\nf\nc\n", "2-b\n3:c\n--\n6-f\n7:c\n", 0},
    {"-C1 -b", "c\n", "a\nb\nc\nd\ne\nf\nc\n", "2-b\n4:c\n6-d\n--\n10-f\n12:c\n", 0},
    {"-1", "c\n", "a\nb\nc\nd\n", "b\nc\nd\n", 0},
    {"-12", "c\n", "a\nb\nc\nd\n", "a\nb\nc\nd\n", 0},
    {"-A +1", "c\n", "a\nb\nc\nd\ne\n", "c\nd\n", 0},
    {"-m +1", "c\n", "c\nb\nc\n", "c\n", 0},
    {"-A0", "c\n", "c\nb\nc\nc\n", "c\n--\nc\nc\n", 0},
    {"-C9 -A0", "c\n", "a\nc\nd\n", "a\nc\n", 0},
    {"-A1 --no-group-separator", "c\n", "c\nd\ne\nc\n", "c\nd\nc\n", 0},
    {"-A1 --group-separator=++", "c\n", "c\nd\ne\nc\n", "c\nd\n++\nc\n", 0},
    {"-vn -B1", "c\n", "c\nd\ne\nc\n", "1-c\n2:d\n3:e\n", 0},
    {"-o -A1", "c\n", "c\nd\ne\ncc\n", "c\n--\nc\nc\n", 0},
    {"-vo -n -C1", "c\n", "cxc\nd\n", "1-c\n1-c\n", 0},
    /* colors */
    {"--color=always", "cat\n", "bobcat cat\n", "bob" MARK("cat") " " MARK("cat") "\n", 0},
    {"--colour=always -n -A1", "b\n", "b\nc\n",
     NUMBER("1") SEPARATOR(":") MARK("b") "\n" NUMBER("2") SEPARATOR("-") "c\n", 0},
    {"--color=always -A0", "b\n", "b\nc\nb\n", MARK("b") "\n" SEPARATOR("--") "\n" MARK("b") "\n",
     0},
    {"--color=always -ob", "b\n", "ab\n", NUMBER("1") SEPARATOR(":") MARK("b") "\n", 0},
    {"--color=always -v -C1", "b\n", "ab\nc\n", "a" MARK("b") "\nc\n", 0},
    {"--color=always -lc", "b\n", "b\n", "\33[35m\33[K(standard input)\33[m\33[K\n", 0},
    {"--color=never", "b\n", "ab\n", "ab\n", 0},
    {"--color", "b\n", "ab\n", "ab\n", 0},
};

/* Bytes that C strings cannot hold are written as % here. */
static const line_case nul_cases[] = {
    {"", "fox\n", "fox\nb%\n", "", 0},
    {"-a", "fox\n", "fox\nfox%\n", "fox\nfox%\n", 0},
    {"-c", "fox\n", "fox\nfox%fox\nx\n", "3\n", 0},
    {"-vc", "fox\n", "fox\nx%y\n", "2\n", 0},
    {"-ob", "fox\n", "fox%\n", "", 0},
    {"-aob", "a%b\nzz\n", "xa%bx\nazz\n", "1:a%b\n7:zz\n", 0},
    {"-c", "a%b\nzz\n", "xa%bx\nazz\n", "1\n", 0},
    {"--binary-files=without-match", "fox\n", "fox\n%\n", "", 1},
    {"-I -L", "fox\n", "fox\n%\n", "(standard input)\n", 1},
    {"--binary-files=text", "fox\n", "fox\n%\n", "fox\n", 0},
    {"-z", "fox\n", "one\nfox%two%foxfox\n%", "one\nfox%foxfox\n%", 0},
    {"-zob", "fox\n", "one\nfox%two%foxfox\n%", "4:fox%12:fox%15:fox%", 0},
    {"-zx", "fox\n", "fox%fox\n%", "fox%", 0},
    {"-zc", "fox\n", "fox\nfox%fox", "2\n", 0},
    {"-zn -A0", "c\n", "c%d%c%", "1:c%--\n3:c%", 0},
    {"-HZ --label=in", "fox\n", "fox\n", "in%fox\n", 0},
    {"-lZ --label=in", "fox\n", "fox\n", "in%", 0},
    {"-cHZ --label=in", "fox\n", "fox\n", "in%1\n", 0},
};

static size_t with_nuls(const char *text, char *bytes) {
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)(text[i] == '%' ? '\0' : text[i]);
    return length;
}

/* Whether trawl does what the case says; `nuls`: % means NUL. */
static bool holds(const sandbox *box, const line_case *c, bool nuls, const char *engine) {
    char patterns[256], text[1024], expected[1024], words[256];
    size_t pattern_length = strlen(c->patterns), text_length = strlen(c->text);
    size_t expected_length = strlen(c->output);
    memcpy(patterns, c->patterns, pattern_length);
    memcpy(text, c->text, text_length);
    memcpy(expected, c->output, expected_length);
    if (nuls) {
        with_nuls(c->patterns, patterns);
        with_nuls(c->text, text);
        with_nuls(c->output, expected);
    }
    sandbox_write(box, "patterns", patterns, pattern_length);
    sandbox_write(box, "text", text, text_length);
    const char *argv[ARGUMENTS_MAX] = {TRAWL_COMMAND, "grep", "--engine", engine, "-f", "patterns"};
    split_words(c->flags, words, argv, 6);
    outcome result = sandbox_run(box, argv, "text", false);
    bool good = result.status == c->status && result.output_length == expected_length &&
                memcmp(result.output, expected, expected_length) == 0;
    if (!good) {
        printf("--engine %s %s -f \"", engine, c->flags);
        print_bytes(patterns, pattern_length);
        printf("\" on \"");
        print_bytes(text, text_length);
        printf("\"\n  expected %d \"", c->status);
        print_bytes(expected, expected_length);
        printf("\"\n  got      %d \"", result.status);
        print_bytes(result.output, result.output_length);
        printf("\"\n  messages %s", result.errors);
    }
    outcome_free(&result);
    return good;
}

static void check_all(const line_case *list, size_t count, bool nuls, const char *engine) {
    sandbox box;
    sandbox_open(&box);
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += !holds(&box, &list[i], nuls, engine);
    sandbox_remove(&box);
    assert_int_equal(wrong, 0);
}

static void lines(void **state) {
    (void)state;
    check_all(cases, sizeof cases / sizeof cases[0], false, "auto");
}

static void lines_with_other_engines(void **state) {
    (void)state;
    check_all(cases, sizeof cases / sizeof cases[0], false, "ac-nfa");
    check_all(cases, sizeof cases / sizeof cases[0], false, "wu-manber");
}

static void bytes_that_are_nul(void **state) {
    (void)state;
    check_all(nul_cases, sizeof nul_cases / sizeof nul_cases[0], true, "auto");
}

/* The patterns a, aa, ...: far more matches than grep looks at before it searches for a cover. */
static void nested_patterns(void **state) {
    (void)state;
    enum { PATTERNS = 200, LINE = 4000 };
    static char patterns[PATTERNS * (PATTERNS + 3) / 2 + 1], text[2 * LINE + 8];
    char *to = patterns;
    for (size_t length = 1; length <= PATTERNS; length++) {
        memset(to, 'a', length);
        to += length;
        *to++ = '\n';
    }
    memset(text, 'a', LINE);
    memcpy(text + LINE, "\nb\n", 3);
    memset(text + LINE + 3, 'a', LINE);
    text[2 * LINE + 3] = '\n';
    size_t length = 2 * LINE + 4, parts = 2 * LINE / PATTERNS;
    sandbox box;
    sandbox_open(&box);
    sandbox_write(&box, "patterns", patterns, (size_t)(to - patterns));
    sandbox_write(&box, "text", text, length);
    static const char *const compile[] = {TRAWL_COMMAND, "compile", "-f", "patterns",
                                          "-o",          "db",      NULL};
    outcome compiled = sandbox_run(&box, compile, NULL, false);
    assert_int_equal(compiled.status, 0);
    outcome_free(&compiled);
    static const char *const sources[][2] = {{"-f", "patterns"}, {"--db", "db"}};
    for (size_t i = 0; i < 2; i++) {
        const char *count[] = {TRAWL_COMMAND, "grep", "-c", sources[i][0], sources[i][1], NULL};
        outcome result = sandbox_run(&box, count, "text", false);
        assert_string_equal(result.output, "2\n");
        outcome_free(&result);
        const char *inverted[] = {TRAWL_COMMAND, "grep", "-vn", sources[i][0], sources[i][1], NULL};
        result = sandbox_run(&box, inverted, "text", false);
        assert_string_equal(result.output, "2:b\n");
        outcome_free(&result);
        const char *only[] = {TRAWL_COMMAND, "grep", "-o", sources[i][0], sources[i][1], NULL};
        result = sandbox_run(&box, only, "text", false);
        assert_int_equal(result.output_length, parts * (PATTERNS + 1));
        for (size_t part = 0; part < parts; part++) {
            const char *longest = to - (PATTERNS + 1);
            assert_memory_equal(result.output + part * (PATTERNS + 1), longest, PATTERNS + 1);
        }
        outcome_free(&result);
    }
    sandbox_remove(&box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(nested_patterns),
        cmocka_unit_test(lines_with_other_engines),
        cmocka_unit_test(bytes_that_are_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
