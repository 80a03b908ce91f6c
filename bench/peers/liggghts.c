/* LIGGGHTS as a peer of the penalty bench: writes an input of the program liggghts, runs it with
 * two ranks, and reads the time of the timed part from its log and the state from its dump. It has
 * no library, so this is a program that runs a program. talus-bench runs this one. */
#include "../peer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 2 };

/* Hertz and Mindlin with history; walls where the inner faces of the five boxes are. */
static bool write_input(const peer_start *s)
{
    FILE *file = fopen("in.pile", "w");
    if (!file)
        return false;
    const double w = s->boxes[2][0] - s->boxes[2][3];
    const unsigned long long settle = s->settle * s->substeps, timed = s->steps * s->substeps;
    fprintf(file,
            "atom_style granular\natom_modify map array\nboundary f f f\nnewton off\n"
            "communicate single vel yes\nunits si\nread_data data.pile\n"
            "neighbor %.17g bin\nneigh_modify delay 0\n"
            "fix m1 all property/global youngsModulus peratomtype %.17g\n"
            "fix m2 all property/global poissonsRatio peratomtype %.17g\n"
            "fix m3 all property/global coefficientRestitution peratomtypepair 1 %.17g\n"
            "fix m4 all property/global coefficientFriction peratomtypepair 1 %.17g\n"
            "pair_style gran model hertz tangential history limitForce on\npair_coeff * *\n"
            "timestep %.17g\nfix down all gravity %.17g vector 0.0 0.0 -1.0\n",
            0.2 * s->radius, s->young, s->poisson, s->restitution, s->friction,
            s->step / (double)s->substeps, s->gravity);
    static const char *const planes[] = {"x", "x", "y", "y", "z"};
    const double at[] = {-w, w, -w, w, 0};
    for (int i = 0; i < 5; i++)
        fprintf(file,
                "fix wall%d all wall/gran model hertz tangential history primitive type 1 %splane "
                "%.17g limitForce on\n",
                i, planes[i], at[i]);
    fprintf(file,
            "fix move all nve/sphere\nthermo 1000000\nthermo_modify lost error\n"
            "run %llu\nrun %llu\n"
            "dump end all custom 1 end.dump id x y z vx vy vz omegax omegay omegaz\n"
            "dump_modify end format \"%%d %%.9g %%.9g %%.9g %%.9g %%.9g %%.9g %%.9g %%.9g %%.9g\"\n"
            "run 0\n",
            settle, timed);
    return fclose(file) == 0;
}

static bool write_data(const peer_start *s, const double *centres)
{
    FILE *file = fopen("data.pile", "w");
    if (!file)
        return false;
    const double w = s->boxes[2][0] - s->boxes[2][3] + 2 * s->radius;
    double top = 0;
    for (uint64_t i = 0; i < s->bodies; i++)
        top = centres[3 * i + 2] > top ? centres[3 * i + 2] : top;
    fprintf(file,
            "a pile\n\n%llu atoms\n1 atom types\n\n%.17g %.17g xlo xhi\n%.17g %.17g ylo yhi\n"
            "%.17g %.17g zlo zhi\n\nAtoms\n\n",
            (unsigned long long)s->bodies, -w, w, -w, w, -2 * s->radius, top + 10 * s->radius);
    for (uint64_t i = 0; i < s->bodies; i++)
        fprintf(file, "%llu 1 %.17g %.17g %.17g %.17g %.17g\n", (unsigned long long)i + 1,
                2 * s->radius, s->density, centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]);
    return fclose(file) == 0;
}

static bool run_program(void)
{
    const pid_t child = fork();
    char ranks[8];
    int status = 0;
    snprintf(ranks, sizeof ranks, "%d", RANKS);
    if (child == 0) {
        if (!freopen("said", "w", stdout))
            _exit(127);
        dup2(STDOUT_FILENO, STDERR_FILENO);
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
        execlp("mpirun", "mpirun", "--oversubscribe", "-np", ranks, "liggghts", "-in", "in.pile",
               "-log", "log.pile", (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The second "Loop time of S on ..." of the log, and the version. */
static bool read_log(const peer_start *s, peer_result *result)
{
    FILE *file = fopen("log.pile", "r");
    char line[512];
    double seconds = 0;
    int loops = 0;
    while (file && fgets(line, sizeof line, file)) {
        const char *version = strstr(line, "LIGGGHTS-PUBLIC ");
        if (version && !result->version[0])
            sscanf(version + 16, "%30[0-9.]", result->version);
        if (sscanf(line, "Loop time of %lf", &seconds) == 1 && ++loops == 2)
            result->ms_per_step = 1e3 * seconds / (double)s->steps;
    }
    if (file)
        fclose(file);
    return loops >= 2;
}

/* The state by id: positions, velocities, angular velocities. */
static bool read_dump(const peer_start *s, double *rows)
{
    FILE *file = fopen("end.dump", "r");
    char line[512];
    uint64_t found = 0;
    bool items = false;
    while (file && fgets(line, sizeof line, file)) {
        unsigned long long id;
        double x[9];
        if (!strncmp(line, "ITEM: ", 6)) {
            items = !strncmp(line, "ITEM: ATOMS", 11);
            continue;
        }
        if (!items || sscanf(line, "%llu %lf %lf %lf %lf %lf %lf %lf %lf %lf", &id, &x[0], &x[1],
                             &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], &x[8]) != 10)
            continue;
        if (id < 1 || id > s->bodies)
            break;
        for (size_t k = 0; k < 9; k++)
            rows[3 * s->bodies * (k / 3) + 3 * (id - 1) + k % 3] = x[k];
        found++;
    }
    if (file)
        fclose(file);
    return found == s->bodies;
}

static bool run(const peer_start *s, const double *centres, FILE *out)
{
    peer_result result = {.precision = "double", .bodies = s->bodies, .threads = RANKS};
    double *rows = calloc(s->bodies + 1, 9 * sizeof *rows);
    memcpy(result.magic, PEER_RESULT_MAGIC, sizeof result.magic);
    const bool done = rows && write_input(s) && write_data(s, centres) && run_program() &&
                      read_log(s, &result) && read_dump(s, rows) &&
                      peer_write(out, &result, sizeof result) &&
                      peer_write(out, rows, 9 * s->bodies * sizeof *rows);
    free(rows);
    return done;
}

int main(int argc, char **argv)
{
    static const char *const files[] = {"in.pile", "data.pile", "end.dump", "log.pile", "said"};
    char folder[] = "/tmp/talus-liggghts-XXXXXX";
    if (argc != 3) {
        fprintf(stderr, "usage: %s START RESULT (talus-bench runs this program)\n", argv[0]);
        return 2;
    }
    FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
    peer_start start = {0};
    if (!in || !out || !peer_read(in, &start, sizeof start) ||
        memcmp(start.magic, PEER_START_MAGIC, sizeof start.magic) != 0 || start.task != PEER_PILE ||
        start.solids || !start.substeps) {
        fprintf(stderr, "%s: cannot read %s as the start of a pile by penalty contact\n", argv[0],
                argv[1]);
        return 1;
    }
    double *centres = calloc(start.bodies + 1, 3 * sizeof *centres);
    bool done = centres && peer_read(in, centres, 3 * start.bodies * sizeof *centres) &&
                mkdtemp(folder) && chdir(folder) == 0;
    if (done) {
        done = run(&start, centres, out);
        if (!done)
            fprintf(stderr, "%s: mpirun -np %d liggghts did not end well (Debian has both)\n",
                    argv[0], RANKS);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            unlink(files[i]);
        if (chdir("/") == 0)
            rmdir(folder);
    }
    free(centres);
    fclose(in);
    return fclose(out) == 0 && done ? 0 : 1;
}
