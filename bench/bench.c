/* talus-bench: the command line of the benchmarks. Reads the options, runs the bench named, and
 * exits with 0, with 1 if something asked for could not be had, or with 2 if the command line is
 * wrong. */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>

#define OPTION_ANY \
    (OPTION_JSON | OPTION_BODIES | OPTION_BACKEND | OPTION_THREADS | OPTION_PRECISION | OPTION_SEED)
#define OPTION_PILE                                                                               \
    (OPTION_ANY | OPTION_STEPS | OPTION_SETTLE | OPTION_SOLVER | OPTION_LAW | OPTION_ITERATIONS | \
     OPTION_POSITION_ITERATIONS | OPTION_COARSE_LAYERS)

/* The benches: what means something to them, and their sizes and precision if none are given. */
static const struct bench {
    const char *name;
    const char *summary;
    void (*run)(const bench_options *options, bench_output *output);
    uint32_t options;        /* OPTION_ bits */
    uint32_t peers;          /* PEER_ bits */
    uint32_t settle;         /* steps; 0: 400 */
    uint32_t kinds;          /* of body, as bits: 1 << pile_kind; 0: spheres */
    size_t sizes[MAX_SIZES]; /* up to the first 0 */
    tl_precision precision;
} benches[] = {
    {.name = "pile",
     .summary = "spheres settle in a box: time a step, overlap and energy left",
     .run = bench_pile,
     .options = OPTION_PILE | OPTION_PLANES | OPTION_LAYERS | OPTION_PACKED | OPTION_PEERS,
     .peers = PEER_BULLET | PEER_ODE,
     .sizes = {4000, 16000}},
    {.name = "penalty",
     .summary = "the pile by penalty contact (Hertz, E = 1e8 Pa), and by hard contact beside it",
     .run = bench_penalty,
     .options = OPTION_ANY | OPTION_STEPS | OPTION_SETTLE | OPTION_LAYERS | OPTION_PACKED |
                OPTION_CLUMPS | OPTION_PEERS,
     .peers = PEER_LIGGGHTS,
     .sizes = {4000, 16000}},
    {.name = "shapes",
     .summary = "cubes and convex hulls settle in a box: the same of them",
     .run = bench_pile,
     .options = OPTION_PILE | OPTION_PLANES | OPTION_LAYERS | OPTION_PEERS | OPTION_SHAPES,
     .peers = PEER_BULLET | PEER_ODE,
     .settle = 600,
     .kinds = 1u << PILE_CUBES | 1u << PILE_HULLS,
     .sizes = {2000, 8000}},
    {.name = "crowd",
     .summary = "a bed of grains alone, and with a large ball in it: the same of both",
     .run = bench_crowd,
     .options = OPTION_PILE | OPTION_PLANES | OPTION_LAYERS | OPTION_PACKED,
     .sizes = {20000}},
    {.name = "chute",
     .summary = "spheres run down a slope of tiles: time a step, speed lost at joints",
     .run = bench_chute,
     .options = OPTION_PILE | OPTION_PEERS,
     .peers = PEER_BULLET | PEER_ODE,
     .settle = 20,
     .sizes = {100000}},
    {.name = "contacts",
     .summary = "collision detection alone, on spheres at random places",
     .run = bench_contacts,
     .options =
         OPTION_ANY | OPTION_CONTACTS_PER_BODY | OPTION_PARTS | OPTION_DEVICES | OPTION_PEERS,
     .peers = PEER_BULLET,
     .sizes = {1000000}},
    {.name = "scaling",
     .summary = "the pile at growing sizes: time and memory per body",
     .run = bench_scaling,
     .options = OPTION_PILE | OPTION_PLANES | OPTION_LAYERS,
     .sizes = {4000, 16000, 64000, 256000}},
    {.name = "convergence",
     .summary = "residual against iterations for each solver, on one recorded problem",
     .run = bench_convergence,
     .options = OPTION_ANY | OPTION_SETTLE | OPTION_SOLVER | OPTION_LAW | OPTION_LAYERS |
                OPTION_PACKED | OPTION_ITERATIONS | OPTION_POSITION_ITERATIONS,
     .sizes = {4000},
     .precision = TL_DOUBLE}, /* single precision would end the curves early */
    {.name = "joints",
     .summary =
         "chains, a net, pendulums, a machine in grains: time a step, how far joints are off",
     .run = bench_joints,
     .options = OPTION_ANY | OPTION_STEPS | OPTION_PEERS | OPTION_COUNT | OPTION_GRAINS,
     .peers = PEER_BULLET | PEER_ODE,
     .sizes = {1000, 10000, 100000},
     .precision = TL_DOUBLE},
    {.name = "track",
     .summary = "a vehicle on two tracks of 61 shoes: time a step, how far pins are open",
     .run = bench_track,
     .options = OPTION_JSON | OPTION_BACKEND | OPTION_THREADS | OPTION_PRECISION | OPTION_STEPS |
                OPTION_ITERATIONS | OPTION_PEERS,
     .peers = PEER_BULLET | PEER_ODE,
     .sizes = {137},
     .precision = TL_DOUBLE},
    {.name = "scene",
     .summary = "any scene file: time a step against its length, residual, overlap, channels",
     .run = bench_scene,
     .options = OPTION_JSON | OPTION_BACKEND | OPTION_THREADS | OPTION_PRECISION | OPTION_STEPS |
                OPTION_SETTLE | OPTION_ITERATIONS | OPTION_POSITION_ITERATIONS | OPTION_SCENE |
                OPTION_SET | OPTION_WATCH | OPTION_ROWS,
     .sizes = {1}},
    {.name = "exact",
     .summary = "the experiments of document 003: exact steppers against the closed form",
     .run = bench_exact,
     .options = OPTION_JSON,
     .sizes = {1},
     .precision = TL_DOUBLE},
    {.name = "heap",
     .summary = "a heap of cubes by PEG with friction: time a step, residual, iterations",
     .run = bench_heap,
     .options = OPTION_ANY | OPTION_STEPS | OPTION_SETTLE | OPTION_LAYERS,
     .settle = 400,
     .sizes = {50, 100, 200, 500, 1000},
     .precision = TL_DOUBLE},
    {.name = "paper",
     .summary = "tables 1 to 3 of the sources, beside their figures; figure 2.11",
     .run = bench_paper,
     .options = OPTION_PILE | OPTION_PEERS | OPTION_TABLE | OPTION_FULL | OPTION_FIGURE,
     .peers = PEER_BULLET}, /* each table has sizes of its own */
};

#define BENCH_COUNT (sizeof benches / sizeof benches[0])

/* ---- options ---- */

/* Reads a whole number from the start of `text` and returns what follows it, or NULL. */
static const char *read_number(const char *text, uint64_t lowest, uint64_t highest,
                               uint64_t *number)
{
    char *end;
    if (*text < '0' || *text > '9') /* strtoull would take signs and spaces */
        return NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || value < lowest || value > highest)
        return NULL;
    *number = value;
    return end;
}

static bool read_count(const char *text, uint64_t lowest, uint32_t *number)
{
    uint64_t value;
    const char *end = read_number(text, lowest, 1000000000, &value);
    if (!end || *end != '\0')
        return false;
    *number = (uint32_t)value;
    return true;
}

/* The place of the word of `length` characters in a NULL-terminated list, or -1. */
static int find_word(const char *const *words, const char *text, size_t length)
{
    for (int i = 0; words[i]; i++)
        if (strlen(words[i]) == length && strncmp(words[i], text, length) == 0)
            return i;
    return -1;
}

/* Reads whole numbers with commas between; returns how many, or 0 if that is not what it is. */
static uint32_t read_list(const char *text, uint64_t highest, uint32_t most, uint64_t *numbers)
{
    uint32_t count = 0;
    for (const char *next = text; count < most; next++) {
        next = read_number(next, 1, highest, &numbers[count]);
        if (!next)
            return 0;
        count++;
        if (*next == '\0')
            return count;
        if (*next != ',')
            return 0;
    }
    return 0;
}

static bool read_bodies(const char *text, bench_options *options)
{
    uint64_t numbers[MAX_SIZES];
    options->size_count = read_list(text, 1000000000, MAX_SIZES, numbers);
    for (uint32_t i = 0; i < options->size_count; i++)
        options->bodies[i] = numbers[i];
    return options->size_count > 0;
}

static bool read_threads(const char *text, bench_options *options)
{
    uint64_t numbers[MAX_THREAD_COUNTS];
    options->thread_count_count = read_list(text, 1024, MAX_THREAD_COUNTS, numbers);
    for (uint32_t i = 0; i < options->thread_count_count; i++)
        options->thread_counts[i] = (uint32_t)numbers[i];
    return options->thread_count_count > 0;
}

static bool read_backend(const char *text, bench_options *options)
{
    int word = tl_word_value(TL_WORDS_BACKEND, text);
    options->settings.backend = (tl_backend_kind)(word < 0 ? 0 : word);
    return word >= 0;
}

static bool read_precision(const char *text, bench_options *options)
{
    int word = tl_word_value(TL_WORDS_PRECISION, text);
    options->settings.precision = (tl_precision)(word < 0 ? 0 : word);
    return word >= 0;
}

static bool read_peers(const char *text, bench_options *options)
{
    static const char *const words[] = {"bullet", "ode", "liggghts", NULL};
    for (;; text++) {
        size_t length = strcspn(text, ",");
        int word = find_word(words, text, length);
        if (word < 0)
            return false;
        options->peers |= 1u << word;
        text += length;
        if (*text == '\0')
            return true;
    }
}

static bool read_steps(const char *text, bench_options *options)
{
    return read_count(text, 1, &options->steps);
}

static bool read_settle(const char *text, bench_options *options)
{
    return read_count(text, 0, &options->settle);
}

static bool read_solver(const char *text, bench_options *options)
{
    int word = tl_word_value(TL_WORDS_SOLVER, text);
    options->settings.solver.kind = (tl_solver_kind)(word < 0 ? 0 : word);
    return word >= 0;
}

static bool read_law(const char *text, bench_options *options)
{
    int word = tl_word_value(TL_WORDS_LAW, text);
    options->settings.solver.law = (tl_law)(word < 0 ? 0 : word);
    return word > TL_LAW_DEFAULT; /* that is what leaving the option out means */
}

static bool read_planes(const char *text, bench_options *options)
{
    int word = tl_word_value(TL_WORDS_PLANES, text);
    options->settings.planes = (tl_planes)(word < 0 ? 0 : word);
    return word >= 0;
}

static bool read_iterations(const char *text, bench_options *options)
{
    return read_count(text, 1, &options->settings.solver.iterations);
}

static bool read_position_iterations(const char *text, bench_options *options)
{
    return read_count(text, 1, &options->settings.solver.position_iterations);
}

static bool read_coarse_layers(const char *text, bench_options *options)
{
    return read_count(text, 0, &options->settings.solver.coarse_layers);
}

static bool read_parts(const char *text, bench_options *options)
{
    return read_count(text, 1, &options->parts) && options->parts <= 4096;
}

static bool read_devices(const char *text, bench_options *options)
{
    return read_count(text, 1, &options->devices) && options->devices <= 64;
}

static bool read_seed(const char *text, bench_options *options)
{
    const char *end = read_number(text, 0, UINT64_MAX, &options->seed);
    return end && *end == '\0';
}

static bool read_layers(const char *text, bench_options *options)
{
    return read_count(text, 1, &options->layers);
}

static bool read_pendulums(const char *text, bench_options *options)
{
    return read_count(text, 1, &options->count);
}

static bool read_grains(const char *text, bench_options *options)
{
    return read_count(text, 1, &options->grains);
}

static bool read_shapes(const char *text, bench_options *options)
{
    options->kinds = 0;
    for (;; text++) {
        const size_t length = strcspn(text, ",");
        uint32_t kind = PILE_CUBES;
        while (pile_word(kind) &&
               (strlen(pile_word(kind)) != length || strncmp(pile_word(kind), text, length) != 0))
            kind++;
        if (!pile_word(kind))
            return false;
        options->kinds |= 1u << kind;
        text += length;
        if (*text == '\0')
            return true;
    }
}

static bool read_scene(const char *text, bench_options *options)
{
    options->scene = text;
    return *text != '\0';
}

static bool read_set(const char *text, bench_options *options)
{
    if (options->set_count == SCENE_SETS || !strchr(text, '='))
        return false;
    options->sets[options->set_count++] = text;
    return true;
}

static bool read_watch(const char *text, bench_options *options)
{
    if (options->watch_count == SCENE_WATCHES)
        return false;
    options->watch[options->watch_count++] = text;
    return true;
}

static bool read_rows(const char *text, bench_options *options)
{
    return read_count(text, 1, &options->rows);
}

static bool read_contacts_per_body(const char *text, bench_options *options)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    options->contacts_per_body = strtod(text, &end);
    return *end == '\0' && options->contacts_per_body > 0 && options->contacts_per_body <= 1000;
}

static bool read_table(const char *text, bench_options *options)
{
    options->tables = 0;
    for (;; text++) {
        uint64_t table;
        text = read_number(text, 1, 3, &table);
        if (!text || (*text != '\0' && *text != ','))
            return false;
        options->tables |= 1u << table;
        if (*text == '\0')
            return true;
    }
}

static bool read_figure(const char *text, bench_options *options)
{
    (void)options; /* that it was given says it all: there is one */
    return strcmp(text, "2.11") == 0;
}

/* Every option with what it is and what its value must be: a text or, where that is NULL, one of
 * some words. Flags have no reader and take none. */
static const struct option {
    const char *name, *value;
    uint32_t bit;
    bool (*read)(const char *text, bench_options *options);
    const char *meaning, *expected;
} known_options[] = {
    {"--json", "", OPTION_JSON, NULL, "one JSON object a line instead of a table", "no value"},
    {"--bodies", "N,N,...", OPTION_BODIES, read_bodies, "sizes to run",
     "1 to 16 whole numbers from 1 to 1000000000, such as 4000,16000"},
    {"--backend", "B", OPTION_BACKEND, read_backend, "where Talus runs (cpu)", NULL},
    {"--threads", "N,N,...", OPTION_THREADS, read_threads,
     "threads of Talus (all CPUs; pile and shapes beside peers: 1 and all)",
     "1 to 4 whole numbers from 1 to 1024, such as 1,2; only pile, shapes and crowd take several"},
    {"--precision", "P", OPTION_PRECISION, read_precision, "precision of Talus", NULL},
    {"--peers", "E,E", OPTION_PEERS, read_peers, "engines to compare with (none)",
     "bullet, ode, liggghts, or several with commas between"},
    {"--steps", "N", OPTION_STEPS, read_steps, "steps that are timed (100)",
     "a whole number from 1 to 1000000000"},
    {"--settle", "N", OPTION_SETTLE, read_settle, "steps before those (400; of shapes 600)",
     "a whole number from 0 to 1000000000"},
    {"--solver", "S", OPTION_SOLVER, read_solver, "solver of Talus", NULL},
    {"--law", "L", OPTION_LAW, read_law, "friction law of Talus", "cone or coulomb"},
    {"--planes", "P", OPTION_PLANES, read_planes, "planes of contacts", "by-motion or nearest"},
    {"--iterations", "N", OPTION_ITERATIONS, read_iterations, "of Talus's velocity problem",
     "a whole number from 1 to 1000000000"},
    {"--position-iterations", "N", OPTION_POSITION_ITERATIONS, read_position_iterations,
     "of Talus's position problem", "a whole number from 1 to 1000000000"},
    {"--coarse-layers", "N", OPTION_COARSE_LAYERS, read_coarse_layers,
     "from how many layers on a pile has a coarse level (64; 0: never)",
     "a whole number from 0 to 1000000000"},
    {"--parts", "N", OPTION_PARTS, read_parts, "slabs of space to find contacts in (at once)",
     "a whole number from 1 to 4096"},
    {"--devices", "N", OPTION_DEVICES, read_devices, "devices that share the slabs (1)",
     "a whole number from 1 to 64"},
    {"--seed", "N", OPTION_SEED, read_seed, "of the random places (1)",
     "a whole number from 0 to 18446744073709551615"},
    {"--layers", "N", OPTION_LAYERS, read_layers, "how deep the pile is (24)",
     "a whole number from 1 to 1000000000"},
    {"--packed", "", OPTION_PACKED, NULL, "the pile starts at rest, layer on layer", "no value"},
    {"--clumps", "", OPTION_CLUMPS, NULL, "bodies are three balls each instead of one", "no value"},
    {"--shapes", "S,S", OPTION_SHAPES, read_shapes, "what the bodies are (cubes,hulls)",
     "cubes, hulls, or both with a comma between"},
    {"--count", "N", OPTION_COUNT, read_pendulums,
     "pendulums of 12 joints (10000), and these alone", "a whole number from 1 to 1000000000"},
    {"--grains", "N", OPTION_GRAINS, read_grains,
     "grains around a machine (20000), and these alone", "a whole number from 1 to 1000000000"},
    {"--scene", "FILE", OPTION_SCENE, read_scene, "the scene file", "a file"},
    {"--set", "NAME=VALUE", OPTION_SET, read_set, "another value of the scene, as talus run has it",
     "PARAMETER=VALUE or path.in.scene=VALUE, 32 times at most"},
    {"--watch", "CHANNEL", OPTION_WATCH, read_watch, "a channel of the scene's monitors",
     "a name, 8 times at most"},
    {"--rows", "N", OPTION_ROWS, read_rows, "rows of --steps steps, one after the other (1)",
     "a whole number from 1 to 1000000000"},
    {"--contacts-per-body", "X", OPTION_CONTACTS_PER_BODY, read_contacts_per_body,
     "how dense the random spheres are (0.46)", "a number above 0 and at most 1000"},
    {"--table", "N,N", OPTION_TABLE, read_table, "tables of the sources (1,2,3)",
     "1, 2 or 3, or several with commas between"},
    {"--figure", "N", OPTION_FIGURE, read_figure, "a figure of the sources instead of tables",
     "2.11, that of document 004"},
    {"--full", "", OPTION_FULL, NULL, "all sizes of the tables on the CPU too", "no value"},
};

#define OPTION_COUNT (sizeof known_options / sizeof known_options[0])

/* ---- help ---- */

static void print_expected(FILE *file, const struct option *option)
{
    const char *const *words = tl_words(option->bit == OPTION_BACKEND     ? TL_WORDS_BACKEND
                                        : option->bit == OPTION_PRECISION ? TL_WORDS_PRECISION
                                                                          : TL_WORDS_SOLVER);
    if (option->expected)
        fputs(option->expected, file);
    for (size_t i = 0; !option->expected && words[i]; i++)
        fprintf(file, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

static int print_list(void)
{
    for (size_t i = 0; i < BENCH_COUNT; i++)
        printf("%-12s %s\n", benches[i].name, benches[i].summary);
    printf("%-12s %s\n", "render",
           "pictures of many spheres: time until 1 % noise (--help of its own)");
    return 0;
}

static int print_help(void)
{
    printf("usage: talus-bench NAME [options]\n"
           "       talus-bench --list\n"
           "\n"
           "Runs a benchmark and prints what it measured. NAME is one of\n");
    print_list();
    printf("\nOptions:\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        char name[48];
        const struct option *option = &known_options[i];
        snprintf(name, sizeof name, "%s %s", option->name, option->value);
        printf("  %-25s %s", name, option->meaning);
        if (option->read) {
            fputs(": ", stdout);
            print_expected(stdout, option);
        }
        putchar('\n');
    }
    printf("\nA bench refuses options that have no meaning for it. Exit status: 0 done; 1 a part\n"
           "failed, such as a peer that is not built; 2 wrong usage. bench/README.md defines the\n"
           "numbers.\n");
    return 0;
}

static void print_names(void)
{
    for (size_t i = 0; i < BENCH_COUNT; i++)
        fprintf(stderr, "%s%s", i > 0 ? ", " : "", benches[i].name);
    fprintf(stderr, ", render; see talus-bench --help\n");
}

/* ---- the command line ---- */

static const struct bench *find_bench(const char *name)
{
    for (size_t i = 0; i < BENCH_COUNT; i++)
        if (strcmp(benches[i].name, name) == 0)
            return &benches[i];
    fprintf(stderr, "talus-bench: %s is no bench; expected one of ", name);
    print_names();
    return NULL;
}

/* Reads one option at argv[*i], as "--name value" or "--name=value", and moves *i past it. */
static bool read_option(const struct bench *bench, int argc, char **argv, int *i,
                        bench_options *options)
{
    const char *text = argv[(*i)++];
    size_t length = strcspn(text, "=");
    for (size_t k = 0; k < OPTION_COUNT; k++) {
        const struct option *option = &known_options[k];
        if (strlen(option->name) != length || strncmp(option->name, text, length) != 0)
            continue;
        if (!(bench->options & option->bit)) {
            fprintf(stderr, "talus-bench: %s has no meaning for %s\n", option->name, bench->name);
            return false;
        }
        const char *value = text[length] == '=' ? text + length + 1 : NULL;
        if (option->read && !value && *i < argc)
            value = argv[(*i)++];
        options->given |= option->bit;
        if (option->read ? value && option->read(value, options) : !value)
            return true;
        fprintf(stderr, "talus-bench: %s %s: expected ", option->name,
                value ? value : "without a value");
        print_expected(stderr, option);
        fputc('\n', stderr);
        return false;
    }
    fprintf(stderr, "talus-bench: unknown option %s; see talus-bench --help\n", text);
    return false;
}

/* CPUs this process may run on. */
static uint32_t cpu_count(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

static bench_options default_options(const struct bench *bench)
{
    bench_options options = {.steps = 100,
                             .settle = bench->settle ? bench->settle : 400,
                             .kinds = bench->kinds ? bench->kinds : 1u << PILE_SPHERES,
                             .seed = 1,
                             .layers = 24,
                             .count = 10000,
                             .rows = 1,
                             .grains = 20000,
                             .tables = 1u << 1 | 1u << 2 | 1u << 3,
                             .contacts_per_body = 0.46};
    options.settings = tl_settings_default();
    options.settings.precision = bench->precision;
    while (options.size_count < MAX_SIZES && bench->sizes[options.size_count] > 0) {
        options.bodies[options.size_count] = bench->sizes[options.size_count];
        options.size_count++;
    }
    return options;
}

/* How many threads Talus has, where that was not said; said here, so that a row can say it too.
 * Peers have one thread, so that Talus beside them has one, too. */
static bool choose_threads(const struct bench *bench, bench_options *options)
{
    const uint32_t all = cpu_count();
    if (options->thread_count_count > 1 && bench->run != bench_pile && bench->run != bench_crowd) {
        fprintf(stderr,
                "talus-bench: --threads: expected one number for %s; only pile, shapes and crowd "
                "take several\n",
                bench->name);
        return false;
    }
    if (options->thread_count_count == 0) {
        const bool on_cpu = options->settings.backend == TL_BACKEND_CPU;
        if (bench->run == bench_pile && options->peers && on_cpu && all > 1)
            options->thread_counts[options->thread_count_count++] = 1;
        options->thread_counts[options->thread_count_count++] = all;
    }
    options->settings.threads = options->thread_counts[0];
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "talus-bench: no bench named; expected one of ");
        print_names();
        return 2;
    }
    if (strcmp(argv[1], "render") == 0) /* a script, with options of its own */
        return bench_render(argc - 2, argv + 2);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0)
            return print_help();
    if (strcmp(argv[1], "--list") == 0 && argc == 2)
        return print_list();
    const struct bench *bench = find_bench(argv[1]);
    if (!bench)
        return 2;
    bench_options options = default_options(bench);
    for (int i = 2; i < argc;)
        if (!read_option(bench, argc, argv, &i, &options))
            return 2;
    if (options.peers & ~bench->peers) {
        fprintf(stderr, "talus-bench: --peers ode: expected bullet, the only peer of %s\n",
                bench->name);
        return 2;
    }
    if (!choose_threads(bench, &options))
        return 2;
    bench_output output = {.json = options.given & OPTION_JSON};
    if (getloadavg(&output.load, 1) != 1)
        output.load = NAN;
    bench->run(&options, &output);
    return output.failed ? 1 : 0;
}
