/* talus: the command. Finds the subcommand, reads its options, runs it. What each does is in the
 * file of its name; docs/command.md is the guide and docs/talus.1 the manual page. */
#include "command.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A new subcommand is a row here, a file with its function, and, if it has options of its own, a
 * bit and rows in options.c. */
static const subcommand commands[] = {
    {.name = "run",
     .file = "SCENE",
     .file_needed = true,
     .takes = TAKES_OUTPUT | TAKES_UNTIL | TAKES_SETS | TAKES_BACKEND | TAKES_SOLVER |
              TAKES_RECORD | TAKES_QUIET | TAKES_JSON | TAKES_WATCH | TAKES_VIEWER,
     .summary = "simulate a scene and record the result",
     .description =
         "Reads a scene file, simulates it and records the result in an HDF5 file, by\n"
         "default the scene's name with .h5, in this folder. Ctrl-C finishes the step\n"
         "and closes the files; `talus resume` goes on from there. Options replace what\n"
         "the scene file says, and the result keeps the scene as it ran.\n",
     .run = command_run},
    {.name = "resume",
     .file = "RESULT",
     .file_needed = true,
     .takes = TAKES_UNTIL | TAKES_BACKEND | TAKES_QUIET | TAKES_JSON,
     .summary = "go on with a run that was stopped",
     .description = "Goes on from the last checkpoint of a result, bit for bit as if it had never\n"
                    "stopped, until the scene's duration or the time given.\n",
     .run = command_resume},
    {.name = "check",
     .file = "SCENE|MESH",
     .file_needed = true,
     .takes = TAKES_SETS | TAKES_MESH | TAKES_JSON,
     .summary = "check a scene, or a mesh, without running it",
     .description =
         "Reads a scene, makes its world, and says what is in it. Mistakes are told as\n"
         "file:line:column: path: what is wrong, what was expected. Bodies that overlap\n"
         "at the start, bodies in or behind walls, and sizes, masses or steps that look\n"
         "like wrong units are warnings.\n"
         "Of a mesh (.stl, .obj, .ply, .dae, .gltf, .glb) it tells triangles, holes, volume,\n"
         "mass, centre of mass and inertia; --unit, --scale, --merge and --density are for\n"
         "meshes, --set is for scenes.\n",
     .run = command_check},
    {.name = "info",
     .file = "SCENE|RESULT",
     .takes = TAKES_SETS | TAKES_JSON,
     .summary = "say what a scene or a result holds, or what this build can do",
     .description = "Without a file: version, compiler, instruction sets, backends, libraries.\n"
                    "--set is for scenes.\n",
     .run = command_info},
    {.name = "export",
     .file = "RESULT",
     .file_needed = true,
     .needs = "-o FILE",
     .takes = TAKES_EXPORT | TAKES_QUIET | TAKES_JSON,
     .summary = "write a result as CSV, or as VTK for ParaView",
     .description = "What is between --from and --to is written, both included; all where these\n"
                    "are not given. VTK is a .pvd file with a folder beside it: open the .pvd.\n"
                    "--body leaves out all bodies but those named: by index, by name, or by the\n"
                    "name of a group, a fill or the only emitter, which means all of its bodies.\n"
                    "What was written is told on standard error.\n",
     .run = command_export},
    {.name = "decompose",
     .file = "MESH",
     .file_needed = true,
     .takes = TAKES_FILLING | TAKES_MESH | TAKES_QUIET | TAKES_JSON,
     .summary = "make a body of spheres or convex pieces of a mesh",
     .description =
         "Reads a closed mesh (.stl, .obj, .ply, .dae, .gltf, .glb), fills it with spheres\n"
         "or, with --convex, splits it into convex pieces, and writes a scene with the body\n"
         "that they make. Mass, centre of mass and inertia are those of the mesh. Tells how\n"
         "far the spheres or pieces are from the mesh: in volume, between the surfaces, in\n"
         "inertia. The scene runs as it is; the body can be copied into any other.\n",
     .run = command_decompose},
    {.name = "import",
     .file = "FILE",
     .file_needed = true,
     .takes = TAKES_IMPORT | TAKES_QUIET | TAKES_JSON,
     .summary = "make a scene in JSON of one in lines",
     .description =
         "Reads a scene in lines (.txt; S, R, C, P, K and B with numbers behind them, see\n"
         "docs/scene-format.md) and writes it as JSON, with everything that was left to the\n"
         "reader. `talus run` and the others read scenes in lines themselves; both give the\n"
         "same bits.\n",
     .run = command_import},
    {.name = "view",
     .file = "SCENE|RESULT",
     .file_needed = true,
     .takes = TAKES_UNTIL | TAKES_SETS | TAKES_BACKEND | TAKES_QUIET | TAKES_VIEW | TAKES_VIEWER,
     .summary = "look at a simulation or a result in the browser",
     .description = "A scene is simulated while it is looked at, and can be paused, changed and\n"
                    "started anew from the page; a result is played. The command serves the page\n"
                    "itself, to this machine alone unless --bind says otherwise, and prints its\n"
                    "address. Ctrl-C ends it.\n",
     .run = command_view},
    {.name = "query",
     .file = "SCENE|RESULT",
     .file_needed = true,
     .needs = "--ray X,Y,Z,DX,DY,DZ",
     .takes = TAKES_QUERY | TAKES_SETS | TAKES_JSON,
     .summary = "say where rays end and what overlaps a ball",
     .description = "In a scene as it starts, or in a frame of a result. Each --ray and each\n"
                    "--overlap is answered by a line, or by a member of the JSON object: body,\n"
                    "shape, distance or gap, point and normal. A ray that begins in a solid ends\n"
                    "there, at distance 0, unless --hollow is given. Gaps are negative where\n"
                    "shapes overlap. --frame is for results, --set for scenes.\n",
     .run = command_query},
    {.name = "plot",
     .file = "RESULT",
     .file_needed = true,
     .many = true,
     .needs = "--y CHANNEL -o FILE",
     .takes = TAKES_PLOT | TAKES_QUIET,
     .summary = "draw what monitors measured as SVG or PNG",
     .description =
         "Draws channels of one or several results over the time, or over another\n"
         "channel, and writes the numbers as CSV beside the picture. Channels are those\n"
         "of monitors, which `talus info RESULT` lists, and t, residual,\n"
         "mean_penetration, max_penetration, kinetic_energy, joint_error, motor_energy.\n",
     .run = command_plot},
    {.name = "compare",
     .file = "RESULT",
     .file_needed = true,
     .many = true,
     .takes = TAKES_COMPARE | TAKES_JSON,
     .summary = "say how two results differ: heights, overlaps, forces, cost",
     .description =
         "Compares two results of a scene, by different methods or settings, over the time\n"
         "that both cover: heights of the centre of mass and of the top, overlaps, the force\n"
         "on walls (where contacts were recorded), the part of the weight that they carry,\n"
         "energies, and what a simulated second cost.\n",
     .run = command_compare},
    {.name = "sweep",
     .file = "SCENE",
     .file_needed = true,
     .needs = "--vary NAME=VALUES -o FOLDER",
     .takes = TAKES_SWEEP | TAKES_UNTIL | TAKES_SETS | TAKES_BACKEND | TAKES_QUIET | TAKES_JSON,
     .summary = "run a scene with many values of its parameters",
     .description =
         "Runs the scene once per combination of the values that --vary gives, several at\n"
         "once, and writes study.csv, a line per run, and charts into the folder, beside the\n"
         "results. Columns are the last and the mean value and the peak of each channel, or\n"
         "what --measure asks for. A run that fails stops no other. The same command goes on\n"
         "with a study that was stopped. --bisect finds the value of a parameter where the\n"
         "condition --where changes, for each combination.\n",
     .run = command_sweep},
    {.name = "render",
     .file = "RESULT",
     .needs = "-o FILE",
     .takes = TAKES_RENDER | TAKES_QUIET | TAKES_JSON,
     .summary = "make a movie of a result, or pictures",
     .description =
         "Draws the result by tracing paths of light, with a camera that sees all of it\n"
         "unless a look says otherwise. A movie needs the program ffmpeg; its pictures lie in\n"
         "the folder FILE.frames. Ctrl-C stops it; the same command goes on and makes what is\n"
         "missing or does no longer fit the result or the look.\n",
     .run = command_render},
    {.name = "problem",
     .file = "SCENE|RESULT",
     .needs = "--step N -o FILE",
     .takes = TAKES_PROBLEM | TAKES_SETS | TAKES_QUIET | TAKES_JSON,
     .summary = "write the contact problem of a step, in FCLIB's layout",
     .description =
         "Writes the velocity problem that step N of a scene or of a recorded run solves, as\n"
         "matrices in an HDF5 file of FCLIB's layout. A run is made again from the checkpoint\n"
         "beside the result, where that is before the step, or else from the start. --corpus\n"
         "writes problems that solvers find hard: heaps of many layers, columns, arches,\n"
         "wedges, mass ratios to 1e6, slabs on hundreds of points, slender planks, a chain.\n",
     .run = command_problem},
    {.name = "solve",
     .file = "PROBLEM",
     .file_needed = true,
     .many = true,
     .takes = TAKES_SOLVE | TAKES_QUIET | TAKES_JSON,
     .summary = "solve contact problems in FCLIB's layout by any solver",
     .description =
         "Solves the contact problem of a file, of the global or the local form, and tells\n"
         "iterations, time, FCLIB's residual and that of Talus. Of several files, or with a\n"
         "list of solvers, it prints a table. Problems of rigid bodies without joints are\n"
         "solved as runs solve them, in 64-bit; all others with W as a sparse matrix, by one\n"
         "thread, or, by interior, with factors of the matrices that the file has.\n",
     .run = command_solve},
    {.name = "bench", .summary = "run the benchmarks: talus-bench", .run_raw = command_bench},
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

/* --- messages --- */

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("talus: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* By the negated status and by phase. What a scene asks for and cannot be had, whether it breaks a
 * rule or is over a limit, is the scene's fault until its world is made. */
int exit_code(tl_status status, phase during)
{
    static const int codes[][3] = {
        [-TL_BAD_ARGUMENT] = {EXIT_DATA, EXIT_DATA, EXIT_FAILED},
        [-TL_NO_MEMORY] = {EXIT_FAILED, EXIT_FAILED, EXIT_FAILED},
        [-TL_BAD_HANDLE] = {EXIT_DATA, EXIT_DATA, EXIT_FAILED},
        [-TL_DIVERGED] = {EXIT_FAILED, EXIT_FAILED, EXIT_FAILED},
        [-TL_TOO_LARGE] = {EXIT_DATA, EXIT_DATA, EXIT_FAILED},
        [-TL_NO_BACKEND] = {EXIT_BACKEND, EXIT_BACKEND, EXIT_BACKEND},
        [-TL_BAD_DATA] = {EXIT_DATA, EXIT_DATA, EXIT_DATA},
        [-TL_FILE] = {EXIT_FILE, EXIT_FILE, EXIT_FILE},
    };
    const size_t known = sizeof codes / sizeof *codes, at = status < 0 ? (size_t)-status : 0;
    if (status >= 0)
        return EXIT_OK;
    return at < known ? codes[at][during] : EXIT_FAILED;
}

int complain_of(tl_status status, phase during)
{
    if (status == TL_BAD_DATA) /* starts with file:line:column, which editors make a link of */
        fprintf(stderr, "%s\n", tl_last_message());
    else
        complain("%s", tl_last_message());
    return exit_code(status, during);
}

int out_of_memory(void)
{
    complain("out of memory");
    return EXIT_FAILED;
}

void explain_bodies(const tl_document *document)
{
    const tl_error error = tl_last_error();
    char place[512];
    for (int i = 0; i < 2; i++) {
        if (!error.bodies[i].index)
            continue;
        tl_document_describe(document, error.bodies[i], place, sizeof place);
        complain("body %" PRIu32 " is %s", error.bodies[i].index, place);
    }
    for (int i = 0; i < 4 && error.joints[i]; i++) {
        tl_document_describe_joint(document, (tl_joint){error.joints[i]}, place, sizeof place);
        complain("joint %" PRIu32 " is %s", error.joints[i], place);
    }
}

int complain_of_world(const tl_document *document, tl_status status)
{
    const int code = complain_of(status, PHASE_MAKING);
    if (code == EXIT_DATA)
        explain_bodies(document);
    return code;
}

size_t quote_argument(const char *argument, char *text, size_t room)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=,:+@%";
    size_t length = 0;
    const bool quoted = !*argument || argument[strspn(argument, plain)];
    for (const char *c = argument; room > 8 && length < room - 8; c++) {
        if (quoted && (c == argument || !*c))
            text[length++] = '\'';
        if (!*c)
            break;
        if (*c == '\'') {
            memcpy(text + length, "'\\'", 3);
            length += 3;
        }
        text[length++] = *c;
    }
    text[length] = 0;
    return length;
}

int close_output(void)
{
    if (!ferror(stdout) && fflush(stdout) == 0)
        return EXIT_OK;
    complain("cannot write to standard output: %s", strerror(errno));
    return EXIT_FILE;
}

/* --- help --- */

static int print_overview(void)
{
    printf("usage: talus COMMAND [ARGUMENTS]\n\n"
           "Simulates very many rigid bodies with hard frictional contact.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-9s %s\n", commands[i].name, commands[i].summary);
    printf("  %-9s %s\n\n", "help", "say more about a command: talus help run");
    printf(
        "  --version prints the version; --help, after a command too, prints help.\n\n"
        "Exit codes: 0 done, 1 the run failed, 2 wrong usage, 3 a bad scene or result, 4 a file\n"
        "could not be read or written, 5 the backend is not there, 130 stopped by Ctrl-C.\n");
    return close_output();
}

static int print_help(const subcommand *command)
{
    if (command->run_raw) {
        char *argv[] = {(char *)command->name, "--help", NULL};
        return command->run_raw(2, argv);
    }
    printf("usage: talus %s", command->name);
    if (command->file)
        printf(command->file_needed ? " %s%s" : " [%s%s]", command->file,
               command->many ? "..." : "");
    if (command->needs)
        printf(" %s", command->needs);
    printf(" [options]\n\n%s\nOptions:\n", command->description);
    options_print(command);
    return close_output();
}

static const char *command_name(const void *list, size_t i)
{
    (void)list;
    return i < COMMAND_COUNT ? commands[i].name : i == COMMAND_COUNT ? "help" : NULL;
}

static const subcommand *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    const char *near = nearest_name(name, command_name, NULL);
    if (near)
        complain("unknown command '%s'; did you mean '%s'?", name, near);
    else
        complain("unknown command '%s'; `talus help` lists them", name);
    return NULL;
}

static int run_command(const subcommand *command, int argc, char **argv)
{
    options given = {.argc = argc, .argv = argv};
    bool help = false;
    if (command->run_raw)
        return command->run_raw(argc - 1, argv + 1);
    int code = options_read(command, argc - 2, argv + 2, &given, &help);
    if (code == EXIT_OK)
        code = help ? print_help(command) : command->run(&given);
    free(given.files);
    free(given.sets);
    free(given.names);
    free(given.varies);
    free(given.questions);
    return code;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away is told as a failed write */
    const char *name = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        complain("a command is missing; `talus help` lists them");
        return EXIT_USAGE;
    }
    if (!strcmp(name, "--version")) {
        printf("talus %s\n", tl_version());
        return close_output();
    }
    const bool help = !strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h");
    if (help && argc == 2)
        return print_overview();
    const subcommand *command = find_command(help ? argv[2] : name);
    if (!command)
        return EXIT_USAGE;
    return help ? print_help(command) : run_command(command, argc, argv);
}
