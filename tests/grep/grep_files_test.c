/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* `trawl grep` on several files, directories, unusual files and failing ones. Each case is a line
 * of shell in a directory with these files; $grep stands for the command. */
#include "sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trawl/trawl.h"

typedef struct file_case {
    const char *script;
    const char *output;
    const char *errors;
    int status;
} file_case;

static const file_case cases[] = {
    /* several files */
    {"$grep fox a b c", "a:fox one\na:fox two\nc:fox\n", "", 0},
    {"$grep -h fox a c", "fox one\nfox two\nfox\n", "", 0},
    {"$grep -c fox a b c", "a:2\nb:0\nc:1\n", "", 0},
    {"$grep -l fox a b c", "a\nc\n", "", 0},
    {"$grep -L fox a b c", "b\n", "", 0},
    {"$grep -L fox b", "b\n", "", 1},
    {"$grep -ob fox a c", "a:0:fox\na:9:fox\nc:0:fox\n", "", 0},
    {"$grep -m1 fox a c", "a:fox one\nc:fox\n", "", 0},
    {"$grep -n -A0 fox a c", "a:1:fox one\n--\na:3:fox two\n--\nc:1:fox\n", "", 0},
    {"$grep -Tn fox a c", "a: 1:\tfox one\na: 3:\tfox two\nc:1:\tfox\n", "", 0},
    {"$grep fox - c <a", "(standard input):fox one\n(standard input):fox two\nc:fox\n", "", 0},
    {"$grep -l --label=in fox - <a", "in\n", "", 0},
    {"$grep -H fox c", "c:fox\n", "", 0},
    {"$grep fox c -n", "1:fox\n", "", 0},
    {"$grep -e -n -- c -n", "", "trawl: -n: No such file or directory\n", 2},
    {"cat a | $grep two", "fox two\n", "", 0},
    {"printf 'two\\none\\n' | $grep -f - a", "fox one\nfox two\n", "", 0},
    {"$grep -e 'two\none' a", "fox one\nfox two\n", "", 0},
    {"$grep -ne 'two\n' a", "1:fox one\n2:\n3:fox two\n", "", 0},
    {"$grep -f a -f c -x a", "fox one\n\nfox two\n", "", 0},
    /* directories */
    {"$grep -r fox tree", "tree/.hidden/h:fox\ntree/sub/z.c:fox\ntree/x.c:fox\ntree/y.h:fox\n", "",
     0},
    {"cd tree && $grep -r fox", ".hidden/h:fox\nsub/z.c:fox\nx.c:fox\ny.h:fox\n", "", 0},
    {"cd tree/sub && $grep -r fox .", "./z.c:fox\n", "", 0},
    {"$grep -r fox tree/sub/", "tree/sub/z.c:fox\n", "", 0},
    {"$grep -r fox c", "fox\n", "", 0},
    {"$grep -rh fox tree/sub", "fox\n", "", 0},
    {"$grep -R fox tree/sub tree/links",
     "tree/sub/z.c:fox\ntree/links/dir/z.c:fox\ntree/links/file:fox\n",
     "trawl: tree/links/nowhere: No such file or directory\n", 2},
    {"$grep -r fox tree/links", "", "", 1},
    /* a loop is a warning, even with -s */
    {"mkdir loop; ln -s . loop/here; cp c loop/z; $grep -R fox loop", "loop/z:fox\n",
     "trawl: loop/here: warning: recursive directory loop\n", 0},
    {"$grep -sR horse loop", "", "trawl: loop/here: warning: recursive directory loop\n", 1},
    {"$grep -R horse loop missing", "",
     "trawl: loop/here: warning: recursive directory loop\n"
     "trawl: missing: No such file or directory\n",
     2},
    {"$grep -r fox tree/links/dir", "tree/links/dir/z.c:fox\n", "", 0},
    {"$grep -rl --include='*.c' fox tree", "tree/sub/z.c\ntree/x.c\n", "", 0},
    {"$grep -rl --exclude='*.c' fox tree", "tree/.hidden/h\ntree/y.h\n", "", 0},
    {"$grep -rl --include='*.c' --exclude='x*' fox tree", "tree/sub/z.c\n", "", 0},
    {"$grep -rl --exclude-dir=sub --exclude-dir='.h*/' fox tree", "tree/x.c\ntree/y.h\n", "", 0},
    {"$grep -r --exclude-dir=tree fox tree", "", "", 1},
    {"echo '*.c  ' >globs; $grep -rl --exclude-from=globs fox tree", "tree/.hidden/h\ntree/y.h\n",
     "", 0},
    {"$grep -l --exclude='*.c' fox tree/x.c tree/y.h", "tree/y.h\n", "", 0},
    {"$grep -l --include='tree/x*' fox tree/x.c tree/y.h", "tree/x.c\n", "", 0},
    {"$grep fox tree", "", "trawl: tree: Is a directory\n", 2},
    {"$grep fox tree c", "c:fox\n", "trawl: tree: Is a directory\n", 2},
    {"$grep -d skip fox tree c", "c:fox\n", "", 0},
    {"$grep -d recurse fox tree/sub", "tree/sub/z.c:fox\n", "", 0},
    {"$grep fox <tree", "", "trawl: (standard input): Is a directory\n", 2},
    {"$grep -D skip fox /dev/zero c", "c:fox\n", "", 0},
    /* trouble */
    {"$grep fox missing a", "a:fox one\na:fox two\n", "trawl: missing: No such file or directory\n",
     2},
    {"$grep -s fox missing a", "a:fox one\na:fox two\n", "", 2},
    {"$grep -q fox missing a", "", "trawl: missing: No such file or directory\n", 0},
    {"$grep -q horse missing a", "", "trawl: missing: No such file or directory\n", 2},
    {"$grep -q fox a missing", "", "", 0},
    {"$grep -f missing a", "", "trawl: pattern file missing: No such file or directory\n", 2},
    {"$grep -f tree a", "", "trawl: pattern file tree: Is a directory\n", 2},
    {"$grep", "",
     "trawl: expected patterns: -e PATTERNS, -f FILE, or the first operand; see 'trawl grep "
     "--help'\n",
     2},
    {"$grep -E fox a", "",
     "trawl: -E: patterns are strings here, not regular expressions; see 'trawl grep --help'\n", 2},
    {"$grep -A x fox a", "",
     "trawl: -A: expected a number from 0 on, not 'x'; see 'trawl grep --help'\n", 2},
    {"$grep --engine nothing fox a >/dev/null 2>&1", "", "", 2},
    {"printf 'a\\000b' >nul; $grep -zf nul a", "",
     "trawl: pattern 0 contains a NUL byte, which ends lines: it cannot match within a line\n", 2},
    {"cp a both; $grep fox both >>both", "", "trawl: both: input file is also the output\n", 2},
    {"cp a both; $grep -c fox both >>both; tail -n 1 both", "2\n", "", 0},
    {"$grep fox a >/dev/full", "", "trawl: (standard output): No space left on device\n", 2},
    {"$grep fox a >/dev/null", "", "", 0},
    {"$grep fox a <&- >&- 2>/dev/null", "", "", 2},
    {"yes | $grep y | head -n 1", "y\n", "", 0},
    {"yes | $grep -m1 y", "y\n", "", 0},
    {"yes | $grep -q y", "", "", 0},
    /* where standard input is left */
    {"{ $grep -m1 fox; cat; } <a", "fox one\n\nfox two\n", "", 0},
    {"{ $grep -q fox; cat; } <a", "", "", 0},
    {"printf fox >e; { $grep -m1 fox; printf x >&0; } <>e; cat e", "fox\nfoxx", "", 0},
    {"printf 'a\\0fox' >e; { $grep -zm1 fox; printf x >&0; } <>e | tr '\\0' .; tr '\\0' . <e",
     "fox.a.foxx", "", 0},
    {"{ read line; $grep -b fox; } <a", "1:fox two\n", "", 0},
    /* binary files: what stood in earlier pieces of 96 KiB is printed all the same */
    {"$grep -n fox late", "1:fox\n", "trawl: late: binary file matches\n", 0},
    /* such a file counts as a group of lines */
    {"printf 'fox\\0\\n' >nul; $grep -A1 fox nul c", "--\nc:fox\n",
     "trawl: nul: binary file matches\n", 0},
    {"$grep -hoA0 fox nul c", "--\nfox\n", "trawl: nul: binary file matches\n", 0},
    {"$grep -hoB0 fox nul - <c", "--\nfox\n", "trawl: nul: binary file matches\n", 0},
    {"$grep -hA1 no nul c; $grep -A1 -I fox nul c", "c:fox\n", "", 0},
    {"$grep -c fox late", "3\n", "", 0},
    {"$grep -ac fox late", "3\n", "", 0},
    {"$grep -I fox late", "fox\n", "", 1},
    {"$grep -c fox - <late", "3\n", "", 0},
    {"$grep -o fox c late", "c:fox\nlate:fox\n", "trawl: late: binary file matches\n", 0},
    {"printf 'fox\\n' >hole; truncate -s 300k hole; $grep fox hole", "",
     "trawl: hole: binary file matches\n", 0},
    /* more than one block, long lines, many threads */
    {"$grep -c 77 numbers", "11073\n", "", 0},
    {"$grep -n -C1 299999 numbers", "299998-299998\n299999:299999\n300000-300000\n", "", 0},
    {"$grep -bo 299999 numbers", "1988881:299999\n", "", 0},
    {"$grep -vc 1 numbers", "118098\n", "", 0},
    {"$grep --threads 4 -nx -e 150000 -e 7 numbers", "7:7\n150000:150000\n", "", 0},
    {"$grep --threads 1 -nx -e 150000 -e 7 numbers", "7:7\n150000:150000\n", "", 0},
    {"$grep -n -B2 -m1 200000 numbers", "199998-199998\n199999-199999\n200000:200000\n", "", 0},
    {"$grep -f numbers -c numbers", "300000\n", "", 0},
    {"tr '\\n' ' ' <numbers | $grep -ob ' 299999 '", "1988880: 299999 \n", "", 0},
    {"tr '\\n' ' ' <numbers | $grep -c 299999", "1\n", "", 0},
    /* a compiled set */
    {"$grep --db set -n a", "1:fox one\n3:fox two\n", "", 0},
    {"$grep --db set -o a", "fox\nfox\n", "", 0},
    {"$grep --db set -wc a", "2\n", "", 0},
    {"$grep --db set -e x a", "",
     "trawl: give --db or -e and -f, not both; see 'trawl grep --help'\n", 2},
    {"$grep --db longest -c a", "2\n", "", 0},
    {"$grep --db longest -o a", "",
     "trawl: longest: -o, --color, -w and -x need a database that was compiled with --matches "
     "all\n",
     2},
    {"$grep --db missing a 2>/dev/null", "", "", 2},
};

/* fox, a line of numbers that fills the first pieces of 96 KiB, then a NUL. */
static void write_late_nul(const sandbox *box) {
    enum { FILLER = 100000 };
    static char bytes[FILLER + 64];
    memcpy(bytes, "fox\n", 4);
    for (size_t i = 4; i < FILLER; i++)
        bytes[i] = i % 50 == 0 ? '\n' : '.';
    size_t tail = sizeof "\nfox too\nf\0x\nfox\n" - 1;
    memcpy(bytes + FILLER, "\nfox too\nf\0x\nfox\n", tail);
    sandbox_write(box, "late", bytes, FILLER + tail);
}

static void write_numbers(const sandbox *box) {
    enum { NUMBERS = 300000 };
    char *bytes = malloc(NUMBERS * 7);
    size_t length = 0;
    assert_non_null(bytes);
    for (int i = 1; i <= NUMBERS; i++)
        length += (size_t)sprintf(bytes + length, "%d\n", i);
    sandbox_write(box, "numbers", bytes, length);
    free(bytes);
}

static void write_database(const sandbox *box, const char *name, trawl_match_kind matches) {
    trawl_patterns *patterns = NULL;
    trawl_db *db = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.matches = matches;
    assert_int_equal(trawl_patterns_new(&patterns, NULL), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "fox", 3, 0, NULL), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "ox", 2, 0, NULL), TRAWL_OK);
    assert_int_equal(trawl_compile(patterns, &options, &db, NULL), TRAWL_OK);
    assert_int_equal(trawl_db_save(db, sandbox_path(box, name), NULL), TRAWL_OK);
    trawl_db_free(db);
    trawl_patterns_free(patterns);
}

static void fill(const sandbox *box) {
    static const char *const directories[] = {"tree", "tree/sub", "tree/.hidden", "tree/links"};
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        sandbox_directory(box, directories[i]);
    sandbox_write(box, "a", "fox one\n\nfox two\n", 17);
    sandbox_write(box, "b", "nothing\n", 8);
    static const char *const with_fox[] = {"c", "tree/x.c", "tree/y.h", "tree/sub/z.c",
                                           "tree/.hidden/h"};
    for (size_t i = 0; i < sizeof with_fox / sizeof with_fox[0]; i++)
        sandbox_write(box, with_fox[i], "fox\n", 4);
    sandbox_link(box, "tree/links/dir", "../sub");
    sandbox_link(box, "tree/links/file", "../x.c");
    sandbox_link(box, "tree/links/nowhere", "nothing-there");
    write_late_nul(box);
    write_numbers(box);
    write_database(box, "set", TRAWL_MATCH_ALL);
    write_database(box, "longest", TRAWL_MATCH_LEFTMOST_LONGEST);
}

static bool holds(const sandbox *box, const file_case *c) {
    char script[2048];
    snprintf(script, sizeof script, "grep='%s grep'; %s", TRAWL_COMMAND, c->script);
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    outcome result = sandbox_run(box, argv, NULL, false);
    bool good = result.status == c->status && strcmp(result.output, c->output) == 0 &&
                strcmp(result.errors, c->errors) == 0;
    if (!good) {
        printf("%s\n  expected %d \"", c->script, c->status);
        print_bytes(c->output, strlen(c->output));
        printf("\" and \"");
        print_bytes(c->errors, strlen(c->errors));
        printf("\"\n  got      %d \"", result.status);
        print_bytes(result.output, result.output_length);
        printf("\" and \"");
        print_bytes(result.errors, result.errors_length);
        printf("\"\n");
    }
    outcome_free(&result);
    return good;
}

static void files(void **state) {
    (void)state;
    sandbox box;
    sandbox_open(&box);
    fill(&box);
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        wrong += !holds(&box, &cases[i]);
    sandbox_remove(&box);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
