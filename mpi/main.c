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

static int start(const ranks *self, int argc, char **argv) {
    bool root = self->rank == 0;
    if (argc >= 2 && strcmp(argv[1], "--version") == 0)
        return root ? print_version() : EXIT_MATCHED;
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return root ? command_print_help(&ranks_command) : EXIT_MATCHED;
    if (argc >= 2 && strcmp(argv[1], "scan") == 0)
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
