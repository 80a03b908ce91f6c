/* The experiments of document 003, with Stewart-Trinkle and with PEG: problem size, solver time,
 * energy gained, deepest point and distance to the exact path, beside what the document says; and
 * its figures as drawings, one per course, in the current folder. */
#include "bench.h"

#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 3000 /* of the exact path */

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

/* The drawing: x from -0.5 to 9 m, z from -2 to 3, 100 points per metre. */
static void draw_to(FILE *file, const double x[2])
{
    fprintf(file, "%.1f,%.1f ", 100 * (fmin(fmax(x[0], -0.5), 9) + 0.5),
            100 * (3 - fmin(fmax(x[1], -2), 3)));
}

static FILE *begin_drawing(const exact_course *course)
{
    char name[64];
    snprintf(name, sizeof name, "exact-%s.svg", course->name);
    FILE *file = fopen(name, "w");
    if (!file)
        return NULL;
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 950 500\">\n"
                  "<rect width=\"950\" height=\"500\" fill=\"white\"/>\n");
    for (size_t k = 0; k < course->chains; k++) {
        fprintf(file, "<polyline fill=\"none\" stroke=\"#555\" stroke-width=\"2\" points=\"");
        for (size_t i = 0; i < course->vertices; i++)
            draw_to(file, course->vertex[k][i]);
        fprintf(file, "\"/>\n");
    }
    fprintf(file, "<polyline fill=\"none\" stroke=\"black\" stroke-dasharray=\"4 3\" points=\"");
    for (int i = 0; i <= POINTS; i += 5)
        draw_to(file, path[i]);
    fprintf(file, "\"/>\n");
    return file;
}

/* One run: a row, and a line of the drawing. */
static void run_way(const exact_course *course, const way *w, double h, FILE *drawing,
                    bench_output *output)
{
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    tl_body body;
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
    double gained = 0, deepest = 0, off = 0, solve = 0, before = INFINITY, x[3] = {0, 0, 0};
    uint32_t least = UINT32_MAX, most = 0;
    const int steps = (int)lround(course->duration / h);
    fprintf(drawing, "<polyline fill=\"none\" stroke=\"%s\" points=\"", w->colour);
    for (int i = 0; i < steps; i++) {
        tl_report r;
        if (output_status(output, course->name, 1, tl_world_step(world, 1, &r)) ||
            output_status(output, course->name, 1, tl_world_read_positions(world, 1, &body, x)))
            break;
        const double at[2] = {x[0], x[2]};
        const double energy = r.kinetic_energy + r.potential_energy - course->force[0] * x[0];
        gained = fmax(gained, energy - before);
        before = energy;
        deepest = fmax(deepest, exact_depth(course, at));
        off = fmax(off, from_path(at));
        solve += r.ms.solve;
        least = r.problem_size < least ? r.problem_size : least;
        most = r.problem_size > most ? r.problem_size : most;
        draw_to(drawing, at);
    }
    fprintf(drawing, "\"><title>%s, h = %g</title></polyline>\n", w->name, h);
    tl_world_destroy(world);
    bench_row row = {.bench = "exact",
                     .engine = "talus",
                     .precision = "double",
                     .backend = "cpu",
                     .threads = 1,
                     .bodies = 1,
                     .residual = NAN,
                     .joules_per_body = NAN,
                     .ms_per_step = solve / steps};
    snprintf(row.version, sizeof row.version, "%s", tl_version());
    row_text(&row, "course", course->name);
    row_text(&row, "stepper", w->name);
    row_number(&row, "h", h);
    row_number(&row, "size_least", least);
    row_number(&row, "size_most", most);
    row_number(&row, "gained_joules", gained);
    row_number(&row, "deepest_mm", 1e3 * deepest);
    row_number(&row, "off_path", off);
    row_number(&row, "end_x", x[0]);
    row_number(&row, "end_z", x[2]);
    output_row(output, &row);
}

void bench_exact(const bench_options *options, bench_output *output)
{
    (void)options;
    exact_course courses[3] = {exact_sawtooth(), exact_steep(), exact_hills()};
    for (size_t c = 0; c < 3; c++) {
        follow(&courses[c]);
        FILE *drawing = begin_drawing(&courses[c]);
        if (!drawing) {
            output_failure(output, "exact-%s.svg cannot be written here", courses[c].name);
            continue;
        }
        output_line(output, "%s: %s", courses[c].name, findings[c][1]);
        output_line(output, "  exact: at (%.6f, %.6f) after %g s", path[POINTS][0], path[POINTS][1],
                    courses[c].duration);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            for (double h = 0.1; h > 5e-4; h /= 10)
                run_way(&courses[c], &ways[i], h, drawing, output);
        fprintf(drawing, "</svg>\n");
        fclose(drawing);
    }
}
