/* The parts of talus-bench: options, rows and their printing, peers, and the benches themselves.
 * bench.c reads the command line and runs one of the benches; bench/README.md defines the numbers.
 */
#ifndef TALUS_BENCH_BENCH_H
#define TALUS_BENCH_BENCH_H

#include "audit.h"
#include "peer.h"
#include "scenes.h"
#include "talus/talus.h"

/* Options, as bits: which were given, and which a bench knows. */
enum {
    OPTION_JSON = 1 << 0,
    OPTION_BODIES = 1 << 1,
    OPTION_THREADS = 1 << 2,
    OPTION_PRECISION = 1 << 3,
    OPTION_PEERS = 1 << 4,
    OPTION_STEPS = 1 << 5,
    OPTION_SETTLE = 1 << 6,
    OPTION_SOLVER = 1 << 7,
    OPTION_LAW = 1 << 8,
    OPTION_ITERATIONS = 1 << 9,
    OPTION_POSITION_ITERATIONS = 1 << 10,
    OPTION_SEED = 1 << 11,
    OPTION_BACKEND = 1 << 12,
    OPTION_LAYERS = 1 << 13,
    OPTION_CONTACTS_PER_BODY = 1 << 14,
    OPTION_TABLE = 1 << 15,
    OPTION_FULL = 1 << 16,
    OPTION_PARTS = 1 << 17,
    OPTION_DEVICES = 1 << 18,
    OPTION_PACKED = 1 << 19,
    OPTION_SHAPES = 1 << 20,
    OPTION_COUNT = 1 << 21,
    OPTION_GRAINS = 1 << 22,
    OPTION_PLANES = 1 << 23,
    OPTION_COARSE_LAYERS = 1 << 24,
    OPTION_SCENE = 1 << 25,
    OPTION_SET = 1 << 26,
    OPTION_WATCH = 1 << 27,
    OPTION_ROWS = 1 << 28,
    OPTION_FIGURE = 1 << 29,
    OPTION_CLUMPS = 1 << 30
};

/* The engines to compare with. */
enum { PEER_BULLET = 1 << 0, PEER_ODE = 1 << 1, PEER_LIGGGHTS = 1 << 2 };

#define MAX_SIZES         16
#define MAX_THREAD_COUNTS 4
#define SCENE_SETS        32
#define SCENE_WATCHES     8
#define SCENE_CHANNELS    512 /* of a scene whose channels are watched, at most */

/* The command line; what was not given has the bench's default. */
typedef struct bench_options {
    uint32_t given;           /* OPTION_ bits */
    size_t bodies[MAX_SIZES]; /* sizes to run */
    uint32_t size_count;
    uint32_t thread_counts[MAX_THREAD_COUNTS]; /* of Talus; settings has the first */
    uint32_t thread_count_count;
    uint32_t peers; /* PEER_ bits */
    uint32_t steps, settle;
    uint32_t parts, devices; /* of finding contacts; 0 parts: at once */
    uint64_t seed;
    uint32_t layers;                  /* of the pile */
    uint32_t count;                   /* of pendulums */
    uint32_t grains;                  /* around a machine */
    uint32_t kinds;                   /* of body, as bits: 1 << pile_kind */
    uint32_t tables;                  /* of the sources, as bits: 1 << 1 to 1 << 3 */
    double contacts_per_body;         /* of spheres at random places */
    const char *scene;                /* a file, */
    const char *sets[SCENE_SETS];     /* what replaces values of it, */
    const char *watch[SCENE_WATCHES]; /* and channels of its monitors */
    uint32_t set_count, watch_count, rows;
    tl_settings settings; /* backend, threads, precision and solver */
} bench_options;

/* A number or text beyond the fields that every row has. */
typedef struct row_field {
    const char *name;
    const char *text; /* NULL: the number */
    double number;    /* NaN: unknown */
} row_field;

#define MAX_FIELDS 32

/* Stages of a step: the members of tl_stage_times. */
#define STAGE_COUNT (sizeof(tl_stage_times) / sizeof(double))

/* One result: the fields of bench/README.md. NaN is unknown. */
typedef struct bench_row {
    const char *bench, *engine, *precision;
    char version[32], backend[64];
    uint32_t threads;
    size_t bodies, contacts;
    uint32_t iterations;
    double residual;              /* m/s */
    audit_overlap overlap;        /* over the radius or the size */
    double joules_per_body;       /* J */
    double ms_per_step;           /* ms */
    uint32_t stage_count;         /* stages that were timed, from the first */
    tl_stage_times stages;        /* ms */
    uint64_t peak_bytes;          /* growth of the peak resident memory */
    row_field fields[MAX_FIELDS]; /* further facts, in print order */
    uint32_t field_count;
} bench_row;

/* How results are printed: rows as they come, ratios at the end. */
typedef struct bench_output {
    bool json;
    bool has_header;
    bool failed; /* something asked for could not be had: exit status 1 */
    double load; /* of the machine in the minute before; NaN: unknown */
    struct ratio {
        char engine[16];
        const char *what; /* what the numbers are, "ms per step" */
        size_t bodies;
        uint32_t threads; /* of Talus */
        double peer, talus;
    } ratios[2 * MAX_THREAD_COUNTS * MAX_SIZES];
    uint32_t ratio_count;
} bench_output;

/* output.c */
void row_field_add(bench_row *row, row_field field);
void row_number(bench_row *row, const char *name, double number);
void row_text(bench_row *row, const char *name, const char *text);
/* A further number of a row that has it. */
double row_value(const bench_row *row, const char *name);
void output_row(bench_output *output, const bench_row *row);
void output_ratio(bench_output *output, const char *engine, const char *what,
                  const bench_row *talus, double peer_value, double talus_value);
void output_ratios(const bench_output *output);
/* A line for people: to stdout in table form, to stderr beside JSON. */
void output_line(const bench_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Says on stderr what failed, and remembers that something did. */
void output_failure(bench_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reports a failed call of the library with its message; true if `status` is a failure. */
bool output_status(bench_output *output, const char *what, size_t bodies, tl_status status);
const char *law_name(const tl_solver_def *solver);

/* peers.c: runs a peer on a start state. On success `rows` receives what follows the result (see
 * peer.h; free it), else the output has been told why. */
bool peer_run(bench_output *output, const char *engine, const peer_start *start,
              const double *centres, const double *orientations, peer_result *result, void **rows);
/* A row with what every peer reports. */
bench_row peer_row(const char *bench, const char *engine, const peer_result *result);
/* The peers, by bit order; NULL past the last. */
const char *peer_name(uint32_t index);

/* A pile to run: its options and the start state that every engine gets. */
typedef struct pile_case {
    pile_options options;
    solid shape;               /* of bodies other than spheres */
    double *centres;           /* m, rows of 3; NULL without peers */
    double *orientations;      /* rows of 4; NULL without peers, and of spheres */
    double half_width, height; /* m, of the box */
} pile_case;

/* measure.c: the pile of a kind that the command line asks for with `bodies` bodies; free it
 * afterwards. */
bool pile_case_make(bench_output *output, const bench_options *options, pile_kind kind,
                    size_t bodies, pile_case *pile);
void pile_case_free(pile_case *pile);
/* A kind of body as options and rows name it; NULL past the last. */
const char *pile_word(uint32_t kind);
/* A world of the pile after its settling steps; NULL if that failed. */
tl_world *settle_pile(bench_output *output, const bench_options *options, const pile_case *pile);
/* A row with what every Talus row has. */
bench_row talus_row(const char *bench, const tl_world *world, const tl_settings *settings,
                    size_t bodies);
/* What a step's report says, into the row. */
void row_report(bench_row *row, const tl_report *report);
/* A state: rows of 3 and, of orientations, of 4, which spheres have no need of. */
typedef struct pile_state {
    const double *positions, *velocities, *angular, *orientations;
} pile_state;

/* Audits a state into the row, whatever engine it comes from. */
bool audit_state(bench_output *output, const pile_case *pile, const pile_state *state,
                 bench_row *row);
/* Reads and audits a world. */
bool audit_world(bench_output *output, const pile_case *pile, const tl_world *world,
                 bench_row *row);
/* Times the steps one by one, so that stages and residual are means over all of them; `report` is
 * the last one's, with that mean residual. */
tl_status time_steps(tl_world *world, uint32_t steps, tl_report *report, bench_row *row);
/* Settles and times a pile with Talus, and makes its row. */
bool measure_pile(bench_output *output, const bench_options *options, const char *bench,
                  const pile_case *pile, bench_row *row);

/* contacts.c: finds the contacts of spheres at random places with Talus, and with the peers asked
 * for; prints their rows and hands out Talus's. `row` has the bench's name, and fields to print
 * too. */
bool measure_contacts(const bench_options *options, bench_output *output, size_t bodies,
                      double contacts_per_body, bench_row *row);

/* The benches, one file each. */
/* A pile as the start of a peer (pile.c). */
peer_start pile_start(const bench_options *options, const pile_case *pile);

void bench_pile(const bench_options *options, bench_output *output); /* and shapes */
void bench_penalty(const bench_options *options, bench_output *output);
void bench_crowd(const bench_options *options, bench_output *output);
void bench_chute(const bench_options *options, bench_output *output);
void bench_contacts(const bench_options *options, bench_output *output);
void bench_scaling(const bench_options *options, bench_output *output);
void bench_convergence(const bench_options *options, bench_output *output);
void bench_joints(const bench_options *options, bench_output *output);
void bench_track(const bench_options *options, bench_output *output);
void bench_scene(const bench_options *options, bench_output *output);
void bench_heap(const bench_options *options, bench_output *output);
void bench_exact(const bench_options *options, bench_output *output);
void bench_paper(const bench_options *options, bench_output *output);
void bench_figure(const bench_options *options, bench_output *output); /* of paper: figure 2.11 */

/* render.c: pictures, in Talus and in other renderers. */
int bench_render(int argc, char **argv);

#endif
