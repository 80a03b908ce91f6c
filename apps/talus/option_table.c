/* The options of all subcommands, in the order of their help. Each subcommand says by TAKES_ bits
 * which rows it knows. */
#include "option.h"

#include <math.h>

/* The words of options, in the order of the numbers that stand for them: NULL after the last. */
static const char *stepper_word(uint32_t i)
{
    return tl_words(TL_WORDS_STEPPER)[i];
}

static const char *planes_word(uint32_t i)
{
    return tl_words(TL_WORDS_PLANES)[i];
}

static const char *solver_word(uint32_t i)
{
    return tl_words(TL_WORDS_SOLVER)[i];
}

static const char *precision_word(uint32_t i)
{
    return tl_words(TL_WORDS_PRECISION)[i];
}

static const char *backend_word(uint32_t i)
{
    return i == BACKEND_AUTO ? "auto" : tl_words(TL_WORDS_BACKEND)[i - BACKEND_CPU];
}

const char *const export_words[] = {"csv", "vtk", "steps", "contacts", "monitors", "joints", NULL};

static const char *format_word(uint32_t i)
{
    return export_words[i];
}

static const char *form_word(uint32_t i)
{
    static const char *const words[] = {"global", "local", NULL};
    return words[i];
}

static const char *law_word(uint32_t i)
{
    return tl_words(TL_WORDS_LAW)[i];
}

static const char *compression_word(uint32_t i)
{
    return tl_words(TL_WORDS_COMPRESSION)[i];
}

const char *const unit_words[] = {"m", "cm", "mm", "um", "in", "ft", NULL};

static const char *unit_word(uint32_t i)
{
    return unit_words[i];
}

static const char *template_word(uint32_t i)
{
    static const char *const words[] = {"studio", "daylight", "moon", "cutaway", "blueprint", NULL};
    return words[i];
}

static const char *quality_word(uint32_t i)
{
    static const char *const words[] = {"draft", "good", "final", NULL};
    return words[i];
}

static const char *by_word(uint32_t i)
{
    static const char *const words[] = {"frames", "tiles", NULL};
    return words[i];
}

#define FIELD(name) offsetof(options, name)

const option known_options[] = {
    {"--output", "RESULT", "the result file (default: SCENE's name with .h5, in this folder)",
     TAKES_OUTPUT, 'o', KIND_TEXT, FIELD(output), NULL, 0, 0},
    {"--output", "FILE", "the file to write", TAKES_EXPORT, 'o', KIND_TEXT, FIELD(output), NULL, 0,
     0},
    {"--until", "T", "run to this simulated time, in seconds", TAKES_UNTIL, 0, KIND_NUMBER,
     FIELD(until), NULL, 1e-12, 1e12},
    {"--set", "NAME=VALUE", "replace a parameter or a value of the scene; may be repeated",
     TAKES_SETS, 0, KIND_SET, 0, NULL, 0, 0},
    {"--threads", "N", "CPU threads; 0, the default: as many as the machine offers", TAKES_BACKEND,
     0, KIND_COUNT, FIELD(threads), NULL, 0, 1024},
    {"--backend", NULL, "where to run; auto, the default: a GPU if one answers", TAKES_BACKEND, 0,
     KIND_WORD, FIELD(backend), backend_word, 0, 0},
    {"--stepper", NULL, "how a step goes in time", TAKES_SOLVER, 0, KIND_WORD, FIELD(stepper),
     stepper_word, 0, 0},
    {"--planes", NULL, "which plane of a shape a contact acts as", TAKES_SOLVER, 0, KIND_WORD,
     FIELD(planes), planes_word, 0, 0},
    {"--solver", NULL, "the solver", TAKES_SOLVER, 0, KIND_WORD, FIELD(solver), solver_word, 0, 0},
    {"--iterations", "N", "iterations of the solver a step, at most", TAKES_SOLVER, 0, KIND_COUNT,
     FIELD(iterations), NULL, 1, 1000000},
    {"--precision", NULL, "how real numbers are kept", TAKES_SOLVER, 0, KIND_WORD, FIELD(precision),
     precision_word, 0, 0},
    {"--rate", "FPS", "frames recorded a second of simulated time; 0: the first and the last",
     TAKES_RECORD, 0, KIND_NUMBER, FIELD(rate), NULL, 0, 1e9},
    {"--contacts", NULL, "record contacts with their impulses too", TAKES_RECORD, 0, KIND_FLAG,
     FIELD(contacts), NULL, 0, 0},
    {"--fields", "LIST", "record these: position,orientation,velocity,angular_velocity",
     TAKES_RECORD, 0, KIND_TEXT, FIELD(fields), NULL, 0, 0},
    {"--compression", NULL, "how frames are stored", TAKES_RECORD, 0, KIND_WORD, FIELD(compression),
     compression_word, 0, 0},
    {"--no-record", NULL, "write no result", TAKES_RECORD, 0, KIND_FLAG, FIELD(no_record), NULL, 0,
     0},
    {"--force", NULL, "replace a result that exists", TAKES_RECORD, 'f', KIND_FLAG, FIELD(force),
     NULL, 0, 0},
    {"--format", NULL, "what to write (default: by FILE's name)", TAKES_EXPORT, 0, KIND_WORD,
     FIELD(format), format_word, 0, 0},
    {"--from", "T", "leave out what is before this time, in seconds", TAKES_EXPORT, 0, KIND_NUMBER,
     FIELD(from), NULL, 0, 1e12},
    {"--to", "T", "leave out what is after this time, in seconds", TAKES_EXPORT, 0, KIND_NUMBER,
     FIELD(to), NULL, 0, 1e12},
    {"--every", "N", "write one frame, or step, in N", TAKES_EXPORT, 0, KIND_COUNT, FIELD(every),
     NULL, 1, 1e15},
    {"--body", "NAME|INDEX", "write these bodies only; may be repeated", TAKES_EXPORT, 0, KIND_BODY,
     0, NULL, 0, 0},
    {"--force", NULL, "replace an export that exists", TAKES_EXPORT, 'f', KIND_FLAG, FIELD(force),
     NULL, 0, 0},
    {"--view", NULL, "show the run in a browser while it goes", TAKES_WATCH, 0, KIND_FLAG,
     FIELD(view), NULL, 0, 0},
    {"--output", "RESULT", "record to this file what is simulated", TAKES_VIEW, 'o', KIND_TEXT,
     FIELD(output), NULL, 0, 0},
    {"--force", NULL, "replace a result that exists", TAKES_VIEW, 'f', KIND_FLAG, FIELD(force),
     NULL, 0, 0},
    {"--start", NULL, "start at once, not when the first viewer is there", TAKES_VIEW, 0, KIND_FLAG,
     FIELD(start), NULL, 0, 0},
    {"--paused", NULL, "wait for a viewer to start the simulation", TAKES_VIEW, 0, KIND_FLAG,
     FIELD(paused), NULL, 0, 0},
    {"--free", NULL, "simulate as fast as it can, not in real time", TAKES_VIEW, 0, KIND_FLAG,
     FIELD(free_running), NULL, 0, 0},
    {"--port", "N", "the viewer's port; 0: any free one (default: 8642 or near)", TAKES_VIEWER, 0,
     KIND_COUNT, FIELD(port), NULL, 0, 65535},
    {"--bind", "ADDRESS", "let other machines see it, too: 0.0.0.0, or an address of this one",
     TAKES_VIEWER, 0, KIND_TEXT, FIELD(bind), NULL, 0, 0},
    {"--no-token", NULL, "let everybody on this machine in, without the address's token",
     TAKES_VIEWER, 0, KIND_FLAG, FIELD(no_token), NULL, 0, 0},
    {"--no-browser", NULL, "print the viewer's address, open no browser", TAKES_VIEWER, 0,
     KIND_FLAG, FIELD(no_browser), NULL, 0, 0},
    {"--output", "SCENE", "the scene to write (default: MESH's name with .json, in this folder)",
     TAKES_FILLING, 'o', KIND_TEXT, FIELD(output), NULL, 0, 0},
    {"--force", NULL, "replace a scene that decompose wrote", TAKES_FILLING, 'f', KIND_FLAG,
     FIELD(force), NULL, 0, 0},
    {"--convex", NULL, "split the mesh into convex pieces instead of filling it with spheres",
     TAKES_FILLING, 0, KIND_FLAG, FIELD(convex), NULL, 0, 0},
    {"--tolerance", "LENGTH",
     "how far surfaces may be apart, in m (default: 3 % of the size, --convex 0.5 %)",
     TAKES_FILLING, 0, KIND_NUMBER, FIELD(tolerance), NULL, 1e-12, 1e12},
    {"--spheres", "N", "no more spheres than this; the tolerance is as large as that takes",
     TAKES_FILLING, 0, KIND_COUNT, FIELD(spheres), NULL, 1, 1000000},
    {"--pieces", "N", "--convex: no more pieces than this (default: 256)", TAKES_FILLING, 0,
     KIND_COUNT, FIELD(pieces), NULL, 1, 4096},
    {"--vertices", "N", "--convex: no more vertices of a piece than this (default: 64)",
     TAKES_FILLING, 0, KIND_COUNT, FIELD(vertices), NULL, 4, 255},
    {"--name", "NAME", "name of the body (default: MESH's)", TAKES_FILLING, 0, KIND_TEXT,
     FIELD(name), NULL, 0, 0},
    {"--material", "NAME", "material of its shapes", TAKES_FILLING, 0, KIND_TEXT, FIELD(material),
     NULL, 0, 0},
    {"--output", "SCENE", "the scene to write (default: FILE's name with .json, in this folder)",
     TAKES_IMPORT, 'o', KIND_TEXT, FIELD(output), NULL, 0, 0},
    {"--ground", NULL, "add a ground: a plane at z = 0", TAKES_IMPORT, 0, KIND_FLAG, FIELD(ground),
     NULL, 0, 0},
    {"--force", NULL, "replace a scene that import wrote", TAKES_IMPORT, 'f', KIND_FLAG,
     FIELD(force), NULL, 0, 0},
    {"--from", "T", "leave out what is before this time, in seconds", TAKES_COMPARE, 0, KIND_NUMBER,
     FIELD(from), NULL, 0, 1e12},
    {"--to", "T", "leave out what is after this time, in seconds", TAKES_COMPARE, 0, KIND_NUMBER,
     FIELD(to), NULL, 0, 1e12},
    {"--csv", NULL, "print a table with commas on standard output", TAKES_COMPARE, 0, KIND_FLAG,
     FIELD(csv), NULL, 0, 0},
    {"--unit", NULL, "the unit of a mesh's lengths (default: m)", TAKES_MESH, 0, KIND_WORD,
     FIELD(unit), unit_word, 0, 0},
    {"--scale", "FACTOR", "multiply a mesh's lengths by this, besides the unit", TAKES_MESH, 0,
     KIND_NUMBER, FIELD(scale), NULL, 1e-12, 1e12},
    {"--merge", "LENGTH", "make one of vertices that are so near, in m (default: equal ones)",
     TAKES_MESH, 0, KIND_NUMBER, FIELD(merge), NULL, 0, 1e12},
    {"--density", "D", "of a mesh's solid, in kg/m^3 (default: 1000)", TAKES_MESH, 0, KIND_NUMBER,
     FIELD(density), NULL, 1e-12, 1e12},
    {"--ray", "X,Y,Z,DX,DY,DZ", "a ray: origin (m) and direction; may be repeated", TAKES_QUERY, 0,
     KIND_RAY, 0, NULL, 0, 0},
    {"--overlap", "X,Y,Z,RADIUS", "a ball: what overlaps it; may be repeated", TAKES_QUERY, 0,
     KIND_BALL, 0, NULL, 0, 0},
    {"--max-distance", "LENGTH", "how far rays go, in m (default: without end)", TAKES_QUERY, 0,
     KIND_NUMBER, FIELD(max_distance), NULL, 0, 1e12},
    {"--margin", "LENGTH", "list what is so near to balls, too, in m", TAKES_QUERY, 0, KIND_NUMBER,
     FIELD(margin), NULL, 0, 1e12},
    {"--hollow", NULL, "rays that begin in a solid end where they leave it", TAKES_QUERY, 0,
     KIND_FLAG, FIELD(hollow), NULL, 0, 0},
    {"--frame", "N", "the frame of a result, from 0 (default: the last)", TAKES_QUERY, 0,
     KIND_COUNT, FIELD(frame), NULL, 0, 1e15},
    {"--output", "FILE", "the picture to write: .svg or .png; the numbers go to .csv", TAKES_PLOT,
     'o', KIND_TEXT, FIELD(output), NULL, 0, 0},
    {"--y", "CHANNEL", "what to draw; may be repeated", TAKES_PLOT, 0, KIND_BODY, 0, NULL, 0, 0},
    {"--x", "CHANNEL", "over what (default: t, the time)", TAKES_PLOT, 0, KIND_TEXT,
     FIELD(x_channel), NULL, 0, 0},
    {"--from", "T", "leave out what is before this time, in seconds", TAKES_PLOT, 0, KIND_NUMBER,
     FIELD(from), NULL, 0, 1e12},
    {"--to", "T", "leave out what is after this time, in seconds", TAKES_PLOT, 0, KIND_NUMBER,
     FIELD(to), NULL, 0, 1e12},
    {"--inset", "LOW:HIGH", "draw a close-up of this part of x into the picture", TAKES_PLOT, 0,
     KIND_RANGE, FIELD(inset), NULL, 0, 0},
    {"--title", "TEXT", "stands above the picture", TAKES_PLOT, 0, KIND_TEXT, FIELD(title), NULL, 0,
     0},
    {"--force", NULL, "replace a picture that exists", TAKES_PLOT, 'f', KIND_FLAG, FIELD(force),
     NULL, 0, 0},
    {"--output", "FOLDER", "where results, table and charts go; made, or gone on with", TAKES_SWEEP,
     'o', KIND_TEXT, FIELD(output), NULL, 0, 0},
    {"--vary", "NAME=VALUES", "A,B,C, LOW:HIGH (whole numbers) or LOW:HIGH:COUNT; may be repeated",
     TAKES_SWEEP, 0, KIND_VARY, 0, NULL, 0, 0},
    {"--bisect", "NAME=LOW:HIGH", "find where --where changes between these values", TAKES_SWEEP, 0,
     KIND_TEXT, FIELD(bisect), NULL, 0, 0},
    {"--where", "CONDITION", "of statistics and measures: 'place.x.last > 0.1'", TAKES_SWEEP, 0,
     KIND_TEXT, FIELD(where), NULL, 0, 0},
    {"--tolerance", "WIDTH", "--bisect: how near (default: a thousandth of HIGH - LOW)",
     TAKES_SWEEP, 0, KIND_NUMBER, FIELD(tolerance), NULL, 1e-300, 1e300},
    {"--measure", "[NAME=]EXPRESSION",
     "a column of the table: 'drop = place.z.first - place.z.last'; may be repeated", TAKES_SWEEP,
     0, KIND_BODY, 0, NULL, 0, 0},
    {"--from", "T", "leave out of statistics what is before this time, in seconds", TAKES_SWEEP, 0,
     KIND_NUMBER, FIELD(from), NULL, 0, 1e12},
    {"--to", "T", "leave out of statistics what is after this time, in seconds", TAKES_SWEEP, 0,
     KIND_NUMBER, FIELD(to), NULL, 0, 1e12},
    {"--jobs", "N", "runs at once, which share the threads (default: one per thread; on a GPU 1)",
     TAKES_SWEEP, 'j', KIND_COUNT, FIELD(jobs), NULL, 1, 1024},
    {"--render", "MOVIE", "make a movie of the run while it goes on (.mp4, .webm, or a folder)",
     TAKES_WATCH, 0, KIND_TEXT, FIELD(movie), NULL, 0, 0},
    {"--look", "LOOK", "how that movie looks: a file, as render takes it", TAKES_WATCH, 0,
     KIND_TEXT, FIELD(look), NULL, 0, 0},
    {"--output", "FILE", "a movie (.mp4, .webm), a picture (.png), or a folder of pictures",
     TAKES_RENDER, 'o', KIND_TEXT, FIELD(output), NULL, 0, 0},
    {"--look", "LOOK", "how it looks: a file that --init writes to begin with", TAKES_RENDER, 0,
     KIND_TEXT, FIELD(look), NULL, 0, 0},
    {"--template", NULL, "a look that is there already (default: studio)", TAKES_RENDER, 0,
     KIND_WORD, FIELD(template_kind), template_word, 0, 0},
    {"--plugin", "FILE", "shaders for materials of the look: a shared library (talus/shader.h)",
     TAKES_RENDER, 0, KIND_TEXT, FIELD(plugin), NULL, 0, 0},
    {"--init", "LOOK", "write a look to edit, and nothing else", TAKES_RENDER, 0, KIND_TEXT,
     FIELD(init), NULL, 0, 0},
    {"--size", "WxH", "pixels (default: 1280x720)", TAKES_RENDER, 0, KIND_TEXT, FIELD(size), NULL,
     0, 0},
    {"--fps", "N", "pictures per second of the movie (default: 25)", TAKES_RENDER, 0, KIND_NUMBER,
     FIELD(fps), NULL, 0.01, 1000},
    {"--speed", "X", "seconds of the result per second of the movie (default: 1)", TAKES_RENDER, 0,
     KIND_NUMBER, FIELD(speed), NULL, 1e-9, 1e9},
    {"--from", "T", "leave out what is before this time, in seconds", TAKES_RENDER, 0, KIND_NUMBER,
     FIELD(from), NULL, 0, 1e12},
    {"--to", "T", "leave out what is after this time, in seconds", TAKES_RENDER, 0, KIND_NUMBER,
     FIELD(to), NULL, 0, 1e12},
    {"--at", "T", "the moment of a single picture, in seconds (default: the last)", TAKES_RENDER, 0,
     KIND_NUMBER, FIELD(at), NULL, 0, 1e12},
    {"--quality", NULL, "16, 64 or 512 samples per pixel (default: good)", TAKES_RENDER, 0,
     KIND_WORD, FIELD(quality), quality_word, 0, 0},
    {"--samples", "N", "samples per pixel; with --noise, at most", TAKES_RENDER, 0, KIND_COUNT,
     FIELD(samples), NULL, 1, 1 << 20},
    {"--noise", "X", "sample until the noise is below this part of the brightness", TAKES_RENDER, 0,
     KIND_NUMBER, FIELD(noise), NULL, 1e-6, 1},
    {"--denoise", NULL, "smooth what noise is left", TAKES_RENDER, 0, KIND_FLAG, FIELD(denoise),
     NULL, 0, 0},
    {"--shutter", "X", "part of the time between pictures that blurs (default: 0.5)", TAKES_RENDER,
     0, KIND_NUMBER, FIELD(shutter), NULL, 0, 1},
    {"--camera", "LINK", "stand where a link of the viewer does", TAKES_RENDER, 0, KIND_TEXT,
     FIELD(camera), NULL, 0, 0},
    {"--color", "BY", "body, name, material, or an expression: speed, radius, force, z",
     TAKES_RENDER, 0, KIND_TEXT, FIELD(color), NULL, 0, 0},
    {"--title", "TEXT", "stands on the pictures", TAKES_RENDER, 0, KIND_TEXT, FIELD(title), NULL, 0,
     0},
    {"--part", "K/N", "make this part of the pictures only: an array job", TAKES_RENDER, 0,
     KIND_TEXT, FIELD(part), NULL, 0, 0},
    {"--by", NULL, "what --part deals out: pictures, or bands of them", TAKES_RENDER, 0, KIND_WORD,
     FIELD(by), by_word, 0, 0},
    {"--assemble", NULL, "make the movie of the pictures that are there", TAKES_RENDER, 0,
     KIND_FLAG, FIELD(assemble), NULL, 0, 0},
    {"--plan", "N", "say what it would take N workers, and nothing else", TAKES_RENDER, 0,
     KIND_COUNT, FIELD(plan), NULL, 1, 1e6},
    {"--follow", NULL, "go on while the result is written; the camera fits its first moment",
     TAKES_RENDER, 0, KIND_FLAG, FIELD(follow), NULL, 0, 0},
    {"--rib", NULL, "write RIB files for other renderers; -o - is a stream", TAKES_RENDER, 0,
     KIND_FLAG, FIELD(rib), NULL, 0, 0},
    {"--inject", "SCENE.rib", "of RIB files: this scene, whose lines '#inject bodies' give way",
     TAKES_RENDER, 0, KIND_TEXT, FIELD(inject), NULL, 0, 0},
    {"--exr", NULL, "write an OpenEXR beside each PNG: radiance, albedo, normals, depth, bodies",
     TAKES_RENDER, 0, KIND_FLAG, FIELD(exr), NULL, 0, 0},
    {"--numbers", NULL, "draw numbers of bodies, as 24-bit colours, instead of light", TAKES_RENDER,
     0, KIND_FLAG, FIELD(numbers), NULL, 0, 0},
    {"--threads", "N", "CPU threads; 0, the default: as many as the machine offers", TAKES_RENDER,
     0, KIND_COUNT, FIELD(threads), NULL, 0, 1024},
    {"--tile", "N", "pixels of a thread's square (default: 32); no result depends on it",
     TAKES_RENDER, 0, KIND_COUNT, FIELD(tile), NULL, 1, 16384},
    {"--force", NULL, "make anew what is there, and replace it", TAKES_RENDER, 'f', KIND_FLAG,
     FIELD(force), NULL, 0, 0},
    {"--output", "FILE", "the problem to write, in FCLIB's layout", TAKES_PROBLEM, 'o', KIND_TEXT,
     FIELD(output), NULL, 0, 0},
    {"--step", "N", "the step whose problem it is, from 1", TAKES_PROBLEM, 0, KIND_COUNT,
     FIELD(step), NULL, 1, 1e15},
    {"--form", NULL, "M, H and G, or W, V and R (default: global)", TAKES_PROBLEM, 0, KIND_WORD,
     FIELD(form), form_word, 0, 0},
    {"--corpus", "FOLDER", "write problems that solvers find hard, and nothing else", TAKES_PROBLEM,
     0, KIND_TEXT, FIELD(corpus), NULL, 0, 0},
    {"--layers", "LIST", "--corpus: layers of its heaps (default: 20,50,100)", TAKES_PROBLEM, 0,
     KIND_TEXT, FIELD(layers), NULL, 0, 0},
    {"--output", "FILE", "write the problem with its solution, in FCLIB's layout", TAKES_SOLVE, 'o',
     KIND_TEXT, FIELD(output), NULL, 0, 0},
    {"--solver", "LIST", "psor, jacobi, apgd, spg, interior; several with commas (default: psor)",
     TAKES_SOLVE, 0, KIND_TEXT, FIELD(solvers), NULL, 0, 0},
    {"--law", NULL, "the friction law; default: coulomb", TAKES_SOLVE, 0, KIND_WORD, FIELD(law),
     law_word, 0, 0},
    {"--tolerance", "SPEED", "stop at this residual, in m/s; 0: never (default: 1e-6)", TAKES_SOLVE,
     0, KIND_NUMBER, FIELD(tolerance), NULL, 0, 1e12},
    {"--iterations", "N", "iterations, at most (default: 10000)", TAKES_SOLVE, 0, KIND_COUNT,
     FIELD(iterations), NULL, 1, 100000000},
    {"--cold", NULL, "start from nothing, not from the file's first guess", TAKES_SOLVE, 0,
     KIND_FLAG, FIELD(cold), NULL, 0, 0},
    {"--csv", NULL, "print a table with commas on standard output", TAKES_SOLVE, 0, KIND_FLAG,
     FIELD(csv), NULL, 0, 0},
    {"--threads", "N", "CPU threads; 0, the default: as many as the machine offers",
     TAKES_PROBLEM | TAKES_SOLVE, 0, KIND_COUNT, FIELD(threads), NULL, 0, 1024},
    {"--force", NULL, "replace a problem that exists", TAKES_PROBLEM | TAKES_SOLVE, 'f', KIND_FLAG,
     FIELD(force), NULL, 0, 0},
    {"--quiet", NULL, "print errors only", TAKES_QUIET, 'q', KIND_FLAG, FIELD(quiet), NULL, 0, 0},
    {"--json", NULL, "print one JSON object on standard output", TAKES_JSON, 0, KIND_FLAG,
     FIELD(json), NULL, 0, 0},
};

const size_t known_count = sizeof known_options / sizeof *known_options;

const options no_options = {.until = NAN,
                            .threads = -1,
                            .backend = BACKEND_AUTO,
                            .stepper = -1,
                            .planes = -1,
                            .solver = -1,
                            .iterations = -1,
                            .precision = -1,
                            .rate = NAN,
                            .compression = -1,
                            .format = -1,
                            .from = NAN,
                            .to = NAN,
                            .every = 1,
                            .port = -1,
                            .unit = -1,
                            .scale = NAN,
                            .merge = NAN,
                            .density = NAN,
                            .tolerance = NAN,
                            .spheres = -1,
                            .pieces = -1,
                            .vertices = -1,
                            .max_distance = NAN,
                            .margin = NAN,
                            .frame = -1,
                            .inset = {NAN, NAN},
                            .jobs = -1,
                            .template_kind = -1,
                            .fps = NAN,
                            .speed = NAN,
                            .at = NAN,
                            .samples = -1,
                            .quality = -1,
                            .noise = NAN,
                            .shutter = NAN,
                            .by = -1,
                            .plan = -1,
                            .tile = -1,
                            .step = -1,
                            .form = -1,
                            .law = -1};
