/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl-mpi: the command for clusters. */
#include <stdio.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/scan/options.h"
#include "mpi/scan.h"

/* The version of trawl, and of MPI: its first words. */
static int print_version(void) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    (void)MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    for (char *at = library; *at != '\0'; at++)
        *at = *at == '\t' ? ' ' : *at;
    (void)printf("trawl-mpi %s, %s\n", trawl_version(), library);
    return EXIT_MATCHED;
}

typedef enum request { REQUEST_NONE, REQUEST_VERSION, REQUEST_HELP, REQUEST_SCAN } request;

static request requested(int argc, char **argv) {
    const char *word = argc >= 2 ? argv[1] : "";
    if (strcmp(word, "--version") == 0)
        return REQUEST_VERSION;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return REQUEST_HELP;
    return strcmp(word, "scan") == 0 ? REQUEST_SCAN : REQUEST_NONE;
}

static int start(const ranks *self, int argc, char **argv) {
    bool root = self->rank == 0;
    request wanted = requested(argc, argv);
    if (!share_equal((int)wanted)) {
        if (root)
            report("all ranks must be started with the same command: scan, --help or --version");
        return EXIT_ERROR;
    }
    if (wanted == REQUEST_VERSION)
        return root ? print_version() : EXIT_MATCHED;
    if (wanted == REQUEST_HELP)
        return root ? command_print_help(&ranks_command) : EXIT_MATCHED;
    if (wanted == REQUEST_SCAN)
        return share_version(self) ? ranks_scan(self, argc - 1, argv + 1) : EXIT_ERROR;
    if (root)
        report("expected 'trawl-mpi scan'; see 'trawl-mpi --help'");
    return EXIT_ERROR;
}

int main(int argc, char **argv) {
    int provided = 0;
    (void)MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    ranks self = share_ranks();
    int status = start(&self, argc, argv);
    (void)MPI_Finalize();
    return self.rank == 0 ? status : EXIT_MATCHED;
}
