/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A user's program: counts the patterns of a small set, through the installed library. */
#include <stdio.h>
#include <string.h>
#include <trawl/trawl.h>

static int report(const char *what, const trawl_error *error) {
    fprintf(stderr, "%s: %s\n", what, error->message);
    return 1;
}

int main(void) {
    static const char *const words[] = {"he", "she", "his", "hers"};
    static const char text[] = "ushers";
    trawl_error error;
    trawl_patterns *patterns;
    trawl_db *db;
    uint64_t count;
    char version[32];

    snprintf(version, sizeof version, "%d.%d.%d", TRAWL_VERSION_MAJOR, TRAWL_VERSION_MINOR,
             TRAWL_VERSION_PATCH);
    if (strcmp(version, trawl_version()) != 0) {
        fprintf(stderr, "header %s, library %s\n", version, trawl_version());
        return 1;
    }
    if (trawl_patterns_new(&patterns, &error) != TRAWL_OK) {
        return report("trawl_patterns_new", &error);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (trawl_patterns_add(patterns, words[i], strlen(words[i]), 0, &error) != TRAWL_OK) {
            return report("trawl_patterns_add", &error);
        }
    }
    if (trawl_compile(patterns, NULL, &db, &error) != TRAWL_OK) {
        return report("trawl_compile", &error);
    }
    if (trawl_count(db, text, strlen(text), NULL, &count, NULL, &error) != TRAWL_OK) {
        return report("trawl_count", &error);
    }
    trawl_db_free(db);
    trawl_patterns_free(patterns);
    printf("%d matches\n", (int)count);
    return count == 3 ? 0 : 1;
}
