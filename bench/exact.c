/* The experiments of document 003, with Stewart-Trinkle and with PEG: problem size, solver time,
 * energy gained, deepest point and distance to the exact path, beside what the document says; and
 * its figures as drawings in the current folder, three per course: how the steppers differ at h =
 * 0.01 (fig. 4, 5, 10, 11), their problem sizes and solver times then (fig. 6, 7), and how each
 * depends on h (fig. 8, 9). */
#include "bench.h"

#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 3000 /* of the exact path */
#define TURNS  5    /* that runs are timed in */
#define TRACED 300  /* steps of h = 0.01 */

/* A way of stepping. */
typedef struct way {
    const char *name, *colour;
    tl_stepper stepper;
    bool document, primary; /* with the document's epsilon and psi_minimum; eq. 16 */
} way;

static const way ways[] = {
    {"stewart-trinkle", "#c0392b", TL_STEPPER_STEWART_TRINKLE, true, false},
    {"peg, eq. 16", "#2980b9", TL_STEPPER_PEG, true, true},
    {"peg", "#27ae60", TL_STEPPER_PEG, true, false},
    {"peg, own epsilon", "#8e44ad", TL_STEPPER_PEG, false, false},
};

static const char *const findings[][2] = {
    {"sawtooth", "document 003: Stewart-Trinkle leaves a peak at high speed, PEG follows the ramp"},
    {"steep", "document 003: at h = 0.1 Stewart-Trinkle stays where two edges meet, finer it is "
              "thrown"},
    {"hills",
     "document 003: Stewart-Trinkle gains energy, climbs and is trapped between two lines"},
};

static double path[POINTS + 1][2];

static void follow(const exact_course *course)
{
    exact_state s = exact_begin(course);
    for (int i = 0; i <= POINTS; i++) {
        exact_go(course, &s, course->duration * i / POINTS);
        memcpy(path[i], s.x, sizeof s.x);
    }
}

static double from_path(const double x[2])
{
    double least = INFINITY;
    for (int i = 0; i <= POINTS; i++)
        least = fmin(least, hypot(x[0] - path[i][0], x[1] - path[i][1]));
    return least;
}

/* A drawing: x from -0.5 to 9 m, z from -2 to 3, 100 points per metre, and a legend. */
typedef struct drawing {
    FILE *file;
    uint32_t lines; /* of the legend */
} drawing;

enum { STEPPERS, STEPS, DRAWINGS, SIZES = DRAWINGS, FILES };
static const char *const endings[FILES] = {"", "-steps", "-sizes"};

static void draw_to(FILE *file, const double x[2])
{
    fprintf(file, "%.1f,%.1f ", 100 * (fmin(fmax(x[0], -0.5), 9) + 0.5),
            100 * (3 - fmin(fmax(x[1], -2), 3)));
}

static void draw_legend(drawing *d, const char *colour, const char *dashes, const char *text)
{
    const double y = 20 + 16 * d->lines++;
    fprintf(d->file,
            "<line x1=\"640\" y1=\"%g\" x2=\"680\" y2=\"%g\" stroke=\"%s\" "
            "stroke-dasharray=\"%s\" stroke-width=\"2\"/><text x=\"690\" y=\"%g\" "
            "font-family=\"sans-serif\" font-size=\"12\">%s</text>\n",
            y, y, colour, dashes, y + 4, text);
}

static drawing open_drawing(const exact_course *course, int kind)
{
    char name[64];
    snprintf(name, sizeof name, "exact-%s%s.svg", course->name, endings[kind]);
    drawing d = {.file = fopen(name, "w")};
    if (d.file)
        fprintf(d.file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 950 520\">\n"
                        "<rect width=\"950\" height=\"520\" fill=\"white\"/>\n");
    return d;
}

/* Unknowns and solver time of each step at h = 0.01, from 0 to 25 and from 0 to 25 us. */
static void draw_sizes(drawing *d, const way *w, const double traces[2][TRACED])
{
    draw_legend(d, w->colour, "none", w->name);
    for (int k = 0; k < 2; k++) {
        fprintf(d->file, "<polyline fill=\"none\" stroke=\"%s\" points=\"", w->colour);
        for (int i = 0; i < TRACED; i++)
            fprintf(d->file, "%.1f,%.1f ", 50 + 850.0 * i / TRACED,
                    250 * (k + 1) - 9 * fmin(traces[k][i], 25));
        fprintf(d->file, "\"><title>%s, %s</title></polyline>\n", w->name,
                k ? "solver time" : "problem size");
    }
}

static drawing begin_sizes(const exact_course *course)
{
    drawing d = open_drawing(course, SIZES);
    for (int k = 0; d.file && k < 2; k++)
        for (int tick = 0; tick <= 25; tick += 5)
            fprintf(d.file,
                    "<text x=\"45\" y=\"%d\" font-family=\"sans-serif\" font-size=\"11\" "
                    "text-anchor=\"end\">%d%s</text>\n",
                    250 * (k + 1) - 9 * tick, tick,
                    tick < 25 ? ""
                    : k       ? " us"
                              : " unknowns");
    if (d.file)
        fprintf(d.file, "<text x=\"475\" y=\"515\" font-family=\"sans-serif\" font-size=\"11\">t, "
                        "0 to 3 s</text>\n");
    return d;
}

static drawing begin_drawing(const exact_course *course, int kind)
{
    drawing d = open_drawing(course, kind);
    if (!d.file)
        return d;
    for (int x = 0; x <= 9; x++)
        fprintf(d.file,
                "<text x=\"%d\" y=\"515\" font-family=\"sans-serif\" font-size=\"11\" "
                "text-anchor=\"middle\">%d%s</text>\n",
                50 + 100 * x, x, x == 9 ? " m" : "");
    for (size_t k = 0; k < course->chains; k++) {
        fprintf(d.file, "<polyline fill=\"none\" stroke=\"#555\" stroke-width=\"2\" points=\"");
        for (size_t i = 0; i < course->vertices; i++)
            draw_to(d.file, course->vertex[k][i]);
        fprintf(d.file, "\"/>\n");
    }
    fprintf(d.file, "<polyline fill=\"none\" stroke=\"black\" stroke-dasharray=\"4 3\" points=\"");
    for (int i = 0; i <= POINTS; i += 5)
        draw_to(d.file, path[i]);
    fprintf(d.file, "\"/>\n");
    draw_legend(&d, "black", "4 3", "closed form");
    return d;
}

/* What a run showed. */
typedef struct run_of {
    double gained, deepest, off, solve, residual, end[2];
    uint32_t least, most;     /* problem sizes */
    double traces[2][TRACED]; /* these and the solver's time, us, of the first steps */
} run_of;

/* Runs a world, draws its path where there are drawings, and says what it showed. */
static bool follow_world(const exact_course *course, tl_world *world, tl_body body, double h,
                         drawing *const to[DRAWINGS], bench_output *output, run_of *run)
{
    const int steps = (int)lround(course->duration / h), stride = h < 1e-3 ? 10 : 1;
    double before = INFINITY, x[3] = {0, 0, 0};
    for (int i = 0; i < steps; i++) {
        tl_report r;
        if (output_status(output, course->name, 1, tl_world_step(world, 1, &r)) ||
            output_status(output, course->name, 1, tl_world_read_positions(world, 1, &body, x)))
            return false;
        run->end[0] = x[0];
        run->end[1] = x[2];
        const double energy = r.kinetic_energy + r.potential_energy - course->force[0] * x[0];
        run->gained = fmax(run->gained, energy - before);
        before = energy;
        run->deepest = fmax(run->deepest, exact_depth(course, run->end));
        run->solve += r.ms.solve / steps;
        run->residual = fmax(run->residual, r.max_residual);
        if (i < TRACED) {
            run->traces[0][i] = r.problem_size;
            run->traces[1][i] = 1e3 * r.ms.solve;
        }
        run->least = r.problem_size < run->least ? r.problem_size : run->least;
        run->most = r.problem_size > run->most ? r.problem_size : run->most;
        if ((i + 1) % stride)
            continue;
        run->off = fmax(run->off, from_path(run->end));
        for (int d = 0; d < DRAWINGS; d++)
            if (to[d])
                draw_to(to[d]->file, run->end);
    }
    return true;
}

/* Lines of fig. 8 and 9 are dashed by h. */
static const char *dashes_of(double h)
{
    return h > 0.05 ? "2 6" : h > 0.005 ? "8 4" : h > 5e-4 ? "12 2" : "none";
}

/* One run: a row, and a line of the drawings. */
static void run_way(const exact_course *course, const way *w, double h, drawing drawings[FILES],
                    bench_output *output)
{
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    tl_body body;
    run_of run = {.least = UINT32_MAX};
    char title[64];
    if (output_status(output, course->name, 1,
                      exact_scene(course, w->stepper, h, w->document, &scene, &body)))
        return;
    tl_settings settings = tl_scene_settings(scene);
    settings.exact.primary = w->primary;
    settings.threads = 1;
    const tl_status made = tl_world_create_with(scene, &settings, &world);
    tl_scene_destroy(scene);
    if (output_status(output, course->name, 1, made < 0 ? made : TL_OK))
        return;
    drawing *to[DRAWINGS] = {h > 5e-3 && h < 0.05 ? &drawings[STEPPERS] : NULL,
                             !w->primary && w->document ? &drawings[STEPS] : NULL};
    snprintf(title, sizeof title, "%s, h = %g s", w->name, h);
    for (int d = 0; d < DRAWINGS; d++)
        if (to[d]) {
            const char *dashes = d == STEPS ? dashes_of(h) : "none";
            draw_legend(to[d], w->colour, dashes, title);
            fprintf(to[d]->file,
                    "<polyline fill=\"none\" stroke=\"%s\" stroke-dasharray=\"%s\" points=\"",
                    w->colour, dashes);
        }
    const bool done = follow_world(course, world, body, h, to, output, &run);
    for (int d = 0; d < DRAWINGS; d++)
        if (to[d])
            fprintf(to[d]->file, "\"><title>%s</title></polyline>\n", title);
    tl_world_destroy(world);
    if (!done)
        return;
    if (to[STEPPERS])
        draw_sizes(&drawings[SIZES], w, (const double(*)[TRACED])run.traces);
    bench_row row = {.bench = "exact",
                     .engine = "talus",
                     .precision = "double",
                     .backend = "cpu",
                     .threads = 1,
                     .bodies = 1,
                     .residual = run.residual,
                     .joules_per_body = NAN,
                     .ms_per_step = run.solve};
    snprintf(row.version, sizeof row.version, "%s", tl_version());
    row_text(&row, "course", course->name);
    row_text(&row, "stepper", w->name);
    row_number(&row, "h", h);
    row_number(&row, "size_least", run.least);
    row_number(&row, "size_most", run.most);
    row_number(&row, "gained_joules", run.gained);
    row_number(&row, "deepest_mm", 1e3 * run.deepest);
    row_number(&row, "off_path", run.off);
    row_number(&row, "end_x", run.end[0]);
    row_number(&row, "end_z", run.end[1]);
    output_row(output, &row);
}

/* Milliseconds per step of a whole run; NaN where it failed. */
static double time_run(const exact_course *course, tl_stepper stepper, bench_output *output)
{
    const double h = 1e-3;
    const uint32_t steps = (uint32_t)lround(course->duration / h);
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    tl_body body;
    tl_status status = exact_scene(course, stepper, h, false, &scene, &body);
    if (status >= 0) {
        tl_settings settings = tl_scene_settings(scene);
        settings.threads = 1;
        status = tl_world_create_with(scene, &settings, &world);
    }
    tl_scene_destroy(scene);
    const double begin = peer_now_ms();
    if (status >= 0)
        status = tl_world_step(world, steps, NULL);
    const double ms = (peer_now_ms() - begin) / steps;
    tl_world_destroy(world);
    return output_status(output, course->name, 1, status < 0 ? status : TL_OK) ? NAN : ms;
}

/* A particle's step with PEG and with the default stepper, in turns; the least of each. */
static void compare(const exact_course *course, bench_output *output)
{
    double dvi = INFINITY, peg = INFINITY;
    for (int turn = 0; turn < TURNS; turn++) {
        dvi = fmin(dvi, time_run(course, TL_STEPPER_DVI, output));
        peg = fmin(peg, time_run(course, TL_STEPPER_PEG, output));
    }
    output_line(output,
                "  %s: a step takes %.4f ms with peg, %.4f with dvi: %.2f times (h = 0.001 s)",
                course->name, peg, dvi, peg / dvi);
}

static void run_course(const exact_course *course, const char *finding, bench_output *output)
{
    follow(course);
    drawing drawings[FILES] = {begin_drawing(course, STEPPERS), begin_drawing(course, STEPS),
                               begin_sizes(course)};
    if (!drawings[STEPPERS].file || !drawings[STEPS].file || !drawings[SIZES].file)
        output_failure(output, "exact-%s.svg, -steps.svg and -sizes.svg cannot be written here",
                       course->name);
    else {
        output_line(output, "%s: %s", course->name, finding);
        output_line(output, "  exact: at (%.6f, %.6f) after %g s", path[POINTS][0], path[POINTS][1],
                    course->duration);
        compare(course, output);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            for (double h = 0.1; h > 5e-5; h /= 10)
                run_way(course, &ways[i], h, drawings, output);
    }
    for (int d = 0; d < FILES; d++)
        if (drawings[d].file) {
            fprintf(drawings[d].file, "</svg>\n");
            fclose(drawings[d].file);
        }
}

void bench_exact(const bench_options *options, bench_output *output)
{
    (void)options;
    exact_course courses[3] = {exact_sawtooth(), exact_steep(), exact_hills()};
    for (size_t c = 0; c < 3; c++)
        run_course(&courses[c], findings[c][1], output);
}
