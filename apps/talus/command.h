/* What the files of the command share: exit codes, the table of subcommands, options, messages. The
 * command uses the public interface alone (talus/talus.h, talus/io.h). */
#ifndef TALUS_COMMAND_H
#define TALUS_COMMAND_H

#include <talus/io.h>
#include <talus/talus.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the process ends with; docs/command.md and the man page list them. A run that a signal ended
 * gives 128 + its number. */
enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,  /* the run failed: it diverged, or memory ran out */
    EXIT_USAGE = 2,   /* the command line is wrong */
    EXIT_DATA = 3,    /* a scene or result breaks a rule, or no world can be made of it */
    EXIT_FILE = 4,    /* a file could not be read or written */
    EXIT_BACKEND = 5, /* the backend asked for is not there */
    EXIT_SIGNAL = 128
};

/* --- options (options.c) --- */

/* The options there are, as bits: a subcommand says which it takes. */
enum {
    TAKES_OUTPUT = 1 << 0,   /* -o RESULT of a run */
    TAKES_UNTIL = 1 << 1,    /* --until */
    TAKES_SETS = 1 << 2,     /* --set */
    TAKES_BACKEND = 1 << 3,  /* --backend, --threads */
    TAKES_SOLVER = 1 << 4,   /* --stepper, --planes, --solver, --iterations, --precision */
    TAKES_RECORD = 1 << 5,   /* --rate, --contacts, --fields, --compression, --no-record, --force */
    TAKES_QUIET = 1 << 6,    /* --quiet */
    TAKES_JSON = 1 << 7,     /* --json */
    TAKES_EXPORT = 1 << 8,   /* -o FILE, --format, --from, --to, --every, --body, --force */
    TAKES_VIEWER = 1 << 9,   /* --port, --bind, --no-token, --no-browser */
    TAKES_VIEW = 1 << 10,    /* -o, --force, --start, --paused, --free of a view */
    TAKES_WATCH = 1 << 11,   /* --view, --render, --look of a run */
    TAKES_MESH = 1 << 12,    /* --unit, --scale, --merge, --density */
    TAKES_FILLING = 1 << 13, /* -o SCENE, --force, --convex, --tolerance, --spheres, --pieces,
                                --vertices, --name, --material */
    TAKES_QUERY = 1 << 14,   /* --ray, --overlap, --max-distance, --margin, --hollow, --frame */
    TAKES_PLOT = 1 << 15,    /* -o PICTURE, --y, --x, --from, --to, --inset, --title, --force */
    TAKES_SWEEP = 1 << 16,   /* -o FOLDER, --vary, --bisect, --where, --tolerance, --measure,
                                --from, --to, --jobs */
    TAKES_RENDER = 1 << 17,  /* -o MOVIE, --look and everything else of movies */
    TAKES_IMPORT = 1 << 18,  /* -o SCENE, --ground, --force */
    TAKES_COMPARE = 1 << 19, /* --from, --to, --csv */
    TAKES_PROBLEM = 1 << 20, /* -o FILE, --step, --form, --corpus, --layers, --threads, --force */
    TAKES_SOLVE = 1 << 21    /* -o FILE, --solver LIST, --law, --tolerance, --iterations, --cold,
                                --threads, --csv, --force */
};

typedef enum backend_choice { BACKEND_AUTO, BACKEND_CPU, BACKEND_CUDA } backend_choice;

/* A ray (origin, direction) or a ball (centre, radius) to ask about. */
typedef struct question {
    bool ball;
    double x[6];
} question;

/* What the command line said. Numbers that were not given are NAN, words and counts -1. */
typedef struct options {
    const char *file;    /* the scene or result, the first of several; NULL where none is given */
    size_t file_count;   /* how many; more than one where the subcommand takes `many` */
    const char **files;  /* room for one more than argc */
    const char *output;  /* -o */
    double until;        /* s */
    size_t set_count;    /* --set, in the order given */
    const char **sets;   /* room for one more than argc */
    size_t body_count;   /* --body, in the order given */
    const char **names;  /* likewise: names or indices of bodies; --y: channels; --measure */
    size_t vary_count;   /* --vary, in the order given */
    const char **varies; /* room for one more than argc */
    const char *bisect;  /* NAME=LOW:HIGH */
    const char *where;   /* a condition on what was measured */
    int64_t jobs;        /* runs at once; -1: as it suits */
    int64_t threads;     /* 0: as many as the machine offers */
    int64_t backend;     /* a backend_choice */
    int64_t stepper;     /* a tl_stepper */
    int64_t planes;      /* a tl_planes */
    int64_t solver;      /* a tl_solver_kind */
    int64_t iterations;  /* of the velocity problem */
    int64_t precision;   /* a tl_precision */
    double rate;         /* frames a second of simulated time */
    bool contacts;       /* record contacts */
    const char *fields;  /* what to record of bodies: words with commas between */
    int64_t compression; /* a tl_compression */
    bool no_record;      /* write no result */
    bool force;          /* replace an existing result */
    bool quiet;          /* errors only */
    bool json;           /* one JSON object on standard output */
    int64_t format;      /* a tl_export_format */
    double from, to;     /* s, of an export */
    int64_t every;       /* frames: one in so many is exported */
    bool view;           /* show the run in a browser */
    int64_t port;        /* of the viewer; -1: the usual one */
    const char *bind;    /* the address that the viewer listens at */
    bool no_token;       /* the viewer's address carries no token */
    bool no_browser;     /* print the viewer's address only */
    bool start;          /* at once, not when the first viewer is there */
    bool paused;         /* wait for somebody to start it */
    bool free_running;   /* as fast as it can, not in real time */
    int64_t unit;        /* of a mesh: which of unit_words; -1: metres */
    double scale;        /* of a mesh's lengths, besides the unit */
    double merge;        /* m: vertices of a mesh that are so near become one */
    double density;      /* kg/m^3 */
    double tolerance;    /* m, of a decomposition; of a threshold */
    int64_t spheres;     /* at most so many */
    bool convex;         /* pieces, not spheres */
    int64_t pieces;      /* at most so many */
    int64_t vertices;    /* of a piece, at most */
    bool ground;         /* of an import: add a plane at z = 0 */
    bool csv;            /* a table with commas on standard output */
    const char *name;    /* of the body that a mesh becomes */
    const char *material;
    size_t question_count; /* --ray, --overlap, in the order given */
    question *questions;   /* room for one more than argc */
    double max_distance;   /* m, of rays */
    double margin;         /* m, around balls */
    bool hollow;           /* rays leave solids that they begin in */
    int64_t frame;         /* of a result, from 0; -1: the last */
    const char *x_channel; /* of a plot; NULL: the time */
    double inset[2];       /* of a plot: the part of x that a close-up shows */
    const char *title;
    const char *movie;     /* of a run, while it goes on */
    const char *look;      /* of a movie: the file that says how it looks */
    int64_t template_kind; /* which of the templates; -1: the look's, or studio */
    const char *plugin;    /* compiled shaders */
    const char *init;      /* the look to write */
    const char *size;      /* WIDTHxHEIGHT, pixels */
    double fps, speed;     /* pictures per second; seconds of the result per second */
    double at;             /* s, of a single picture */
    int64_t samples;       /* per pixel */
    int64_t quality;       /* draft, good, final */
    double noise;          /* until the noise is below it */
    double shutter;        /* part of the time between pictures */
    const char *camera;    /* a link of the viewer */
    const char *color;     /* what colours are by */
    const char *part;      /* K/N */
    int64_t by;            /* frames or tiles */
    bool denoise;          /* smooth noise */
    bool assemble;         /* make the movie of the pictures that are there */
    int64_t plan;          /* for so many workers */
    bool follow;           /* while the result is written */
    bool rib;              /* RIB instead of pictures */
    const char *inject;    /* a RIB scene that bodies are put into */
    bool exr;              /* radiance and more beside each picture */
    bool numbers;          /* of bodies, as pictures */
    int64_t tile;          /* pixels */
    int64_t step;          /* of a run, from 1 */
    int64_t form;          /* of a contact problem: a tl_problem_form; -1: global */
    const char *corpus;    /* the folder that gets one */
    const char *layers;    /* of its heaps: whole numbers with commas between */
    const char *solvers;   /* words with commas between */
    int64_t law;           /* a tl_law */
    bool cold;             /* without guesses */
    int argc;              /* the whole command line, for the note of a result */
    char *const *argv;
} options;

extern const char *const export_words[]; /* formats, by tl_export_format; NULL at the end */
extern const char *const unit_words[];   /* of lengths; NULL at the end */

/* One subcommand. `run` gets its options and returns an exit code. */
typedef struct subcommand {
    const char *name;
    const char *file;        /* how help calls its file, "SCENE"; NULL: it takes none */
    bool file_needed;        /* whether it can do without */
    bool many;               /* whether it takes several */
    const char *needs;       /* what its usage shows besides; NULL: nothing */
    uint32_t takes;          /* TAKES_ bits */
    const char *summary;     /* one line for `talus help` */
    const char *description; /* the rest of its help */
    int (*run)(const options *given);
    int (*run_raw)(int argc,
                   char **argv); /* instead of run: gets argv[0] = name and what follows */
} subcommand;

/* Reads what follows a subcommand. EXIT_OK: go on; otherwise the exit code, with the mistake told.
 * `help` is set where --help was asked for. The caller frees out->files, sets, names, varies,
 * questions.
 */
int options_read(const subcommand *command, int argc, char **argv, options *out, bool *help);

/* Prints the options that a subcommand takes, for its help. */
void options_print(const subcommand *command);

/* The name of a list that `text` was probably meant to be, or NULL. `next` gives name i, NULL at
 * the end of the list. */
const char *nearest_name(const char *text, const char *(*next)(const void *list, size_t i),
                         const void *list);

/* --- the subcommands --- */

int command_run(const options *given);
int command_resume(const options *given);
int command_check(const options *given);
int command_info(const options *given);
int command_export(const options *given);
int command_decompose(const options *given);
int command_import(const options *given);
int command_compare(const options *given);
int command_bench(int argc, char **argv);
int command_view(const options *given);
int command_query(const options *given);
int command_plot(const options *given);
int command_sweep(const options *given);
int command_render(const options *given);
int command_problem(const options *given);
int command_solve(const options *given);

/* --- messages (main.c) --- */

/* Prints "talus: ..." and a newline to standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What was being done when something failed: the same failure is a bad scene while its world is
 * made and a failed run later. */
typedef enum phase {
    PHASE_READING, /* a scene or a result */
    PHASE_MAKING,  /* a world of it */
    PHASE_RUNNING  /* steps, records, exports */
} phase;

/* Prints tl_last_message() and returns the exit code that belongs to a failure. */
int complain_of(tl_status status, phase during);

/* The same where no world can be made of a scene: says which of its bodies is meant, too. */
int complain_of_world(const tl_document *document, tl_status status);

/* Says that memory ran out, and returns the exit code of that. */
int out_of_memory(void);

/* The exit code of a status. */
int exit_code(tl_status status, phase during);

/* Prints which of the scene's bodies tl_last_message() speaks of, where it speaks of any. */
void explain_bodies(const tl_document *document);

/* Writes an argument so that a shell reads it as it is, cut to `room` bytes. Returns the length. */
size_t quote_argument(const char *argument, char *text, size_t room);

/* Flushes standard output; EXIT_FILE, with a message, if not all of it could be written. */
int close_output(void);

#endif
