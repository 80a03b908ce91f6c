/* Runs the peer programs: writes the start state, starts the program, reads its result. The two
 * files are temporary and already unlinked; the peer gets them as /dev/fd paths, so nothing is left
 * behind however a run ends. Called by the pile and contacts benches. */
#include "bench.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

const char *peer_name(uint32_t index)
{
    static const char *const names[] = {"bullet", "ode", "liggghts"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

bench_row peer_row(const char *bench, const char *engine, const peer_result *result)
{
    bench_row row = {.bench = bench,
                     .engine = engine,
                     .precision = result->precision,
                     .backend = "cpu",
                     .threads = (uint32_t)result->threads,
                     .bodies = result->bodies,
                     .contacts = result->contacts,
                     .iterations = (uint32_t)result->iterations,
                     .residual = NAN,
                     .joules_per_body = NAN,
                     .peak_bytes = result->peak_bytes};
    snprintf(row.version, sizeof row.version, "%s", result->version);
    return row;
}

/* A temporary file without a name, or NULL. */
static FILE *temporary_file(void)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    int length =
        snprintf(path, sizeof path, "%s/talus-bench-XXXXXX", folder && *folder ? folder : "/tmp");
    if (length < 0 || (size_t)length >= sizeof path)
        return NULL;
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return NULL;
    unlink(path);
    return fdopen(descriptor, "w+b");
}

/* The peer's program, next to this one; false if it is not there. */
static bool peer_path(const char *engine, char *path, size_t room)
{
    ssize_t length = readlink("/proc/self/exe", path, room - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    size_t left = slash ? room - (size_t)(slash + 1 - path) : 0;
    int written = slash ? snprintf(slash + 1, left, "talus-peer-%s", engine) : -1;
    return written > 0 && (size_t)written < left && access(path, X_OK) == 0;
}

/* Runs the program and waits for it; true if it succeeded. Its stdout is sent to stderr: an engine
 * that prints must not write between the rows. */
static bool run_program(const char *path, FILE *start, FILE *result)
{
    char start_path[32], result_path[32];
    snprintf(start_path, sizeof start_path, "/dev/fd/%d", fileno(start));
    snprintf(result_path, sizeof result_path, "/dev/fd/%d", fileno(result));
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execl(path, path, start_path, result_path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Reads the result and the rows behind it; NULL rows if it is not what it should be. */
static void *read_result(FILE *file, const peer_start *start, peer_result *result)
{
    rewind(file);
    if (!peer_read(file, result, sizeof *result) ||
        memcmp(result->magic, PEER_RESULT_MAGIC, sizeof result->magic) != 0 ||
        result->bodies != start->bodies || result->contacts > SIZE_MAX / sizeof(peer_contact))
        return NULL;
    result->version[sizeof result->version - 1] = '\0';
    result->precision[sizeof result->precision - 1] = '\0';
    size_t values = start->solids ? 13 : 9;
    size_t bytes = start->task != PEER_CONTACTS ? values * result->bodies * sizeof(double)
                                                : result->contacts * sizeof(peer_contact);
    void *rows = malloc(bytes > 0 ? bytes : 1);
    if (rows && peer_read(file, rows, bytes))
        return rows;
    free(rows);
    return NULL;
}

bool peer_run(bench_output *output, const char *engine, const peer_start *start,
              const double *centres, const double *orientations, peer_result *result, void **rows)
{
    char path[PATH_MAX];
    *rows = NULL;
    if (!peer_path(engine, path, sizeof path)) {
        output_failure(output,
                       "peer %s: there is no program talus-peer-%s next to talus-bench; install "
                       "%s%s%s and build again (make bench)",
                       engine, engine, strcmp(engine, "liggghts") ? "lib" : "", engine,
                       strcmp(engine, "liggghts") ? "-dev" : "");
        return false;
    }
    FILE *start_file = temporary_file(), *result_file = temporary_file();
    if (!start_file || !result_file || !peer_write(start_file, start, sizeof *start) ||
        !peer_write(start_file, centres, 3 * start->bodies * sizeof *centres) ||
        (start->solids &&
         !peer_write(start_file, orientations, 4 * start->bodies * sizeof *orientations)) ||
        fflush(start_file) != 0)
        output_failure(output, "peer %s: cannot write a temporary file: %s", engine,
                       strerror(errno));
    else if (!run_program(path, start_file, result_file))
        output_failure(output, "peer %s: %s failed", engine, path);
    else if (!(*rows = read_result(result_file, start, result)))
        output_failure(output, "peer %s: %s wrote no valid result", engine, path);
    if (start_file)
        fclose(start_file);
    if (result_file)
        fclose(result_file);
    return *rows != NULL;
}
