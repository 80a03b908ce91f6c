/* talus-render-mpi: `talus render` over MPI ranks. Each rank makes its part of the pictures with
 * the command that lies beside this program, and the first one assembles the movie. Takes what
 * `talus render` takes but --part and --assemble.
 *
 *   mpirun -n 16 talus-render-mpi RESULT -o run.mp4 [options]
 */
#include <errno.h>
#include <mpi.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

/* The command, beside this program. */
static void find_command(const char *self, char *path, size_t room)
{
    const char *slash = strrchr(self, '/');
    snprintf(path, room, "%.*stalus", slash ? (int)(slash - self + 1) : 0, self);
}

/* Runs the command; its exit code, 128 and the signal where one ended it. */
static int run(char *const *arguments)
{
    pid_t process;
    int status = 0;
    const int error = posix_spawnp(&process, arguments[0], NULL, NULL, arguments, environ);
    if (error) {
        fprintf(stderr, "talus-render-mpi: %s cannot be started: %s\n", arguments[0],
                strerror(error));
        return 4;
    }
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The command line of `talus render` with what this program was given; `assembling` drops what is
 * of parts. Returns how many words there are. */
static int copy_arguments(int argc, char **argv, char *command, bool assembling, char **out)
{
    int count = 0;
    out[count++] = command;
    out[count++] = "render";
    for (int i = 1; i < argc; i++) {
        const bool by = !strcmp(argv[i], "--by");
        if (assembling && (by || !strncmp(argv[i], "--by=", 5)))
            i += by;
        else
            out[count++] = argv[i];
    }
    return count;
}

static int check(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--part", 6) || !strncmp(argv[i], "--assemble", 10)) {
            fprintf(stderr,
                    "talus-render-mpi: %s is for `talus render`; ranks are the parts here\n",
                    argv[i]);
            return 2;
        }
    if (argc > 1)
        return 0;
    fprintf(stderr,
            "usage: mpirun -n N talus-render-mpi RESULT -o FILE [options of talus render]\n");
    return 2;
}

int main(int argc, char **argv)
{
    int rank = 0, ranks = 1, code, worst = 0;
    char command[4096], part[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char **arguments = calloc((size_t)argc + 8, sizeof *arguments);
    code = arguments ? check(argc, argv) : 1;
    find_command(argv[0], command, sizeof command);
    snprintf(part, sizeof part, "%d/%d", rank + 1, ranks);
    if (code == 0) {
        int count = copy_arguments(argc, argv, command, false, arguments);
        arguments[count++] = "--part";
        arguments[count++] = part;
        arguments[count] = NULL;
        code = run(arguments);
    }
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst == 0 && rank == 0) {
        int count = copy_arguments(argc, argv, command, true, arguments);
        arguments[count++] = "--assemble";
        arguments[count] = NULL;
        code = run(arguments);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(arguments);
    MPI_Finalize();
    return worst ? worst : code;
}
