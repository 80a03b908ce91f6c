/* Figure 2.11 of document 004: what the phases of a frame take, against the number of spheres.
 * Spheres at random places close to each other, by the law scaled with the document's constants;
 * bounds, pairs, collisions, advance. Beside it the document's search, all pairs of boxes, which
 * also checks the overlaps of the last frame. Called by paper.c. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#define PHASES           4
#define RADIUS           1.0   /* m */
#define FRAME            0.02  /* s */
#define MOST_ALL_PAIRS   16000 /* spheres: up to here all pairs are looked at, too */
#define FRAME_BODIES     2e7   /* frames times spheres, unless --steps says otherwise */
#define ALLOWED_EXPONENT 0.15  /* times that grow by a power of this near 1 are linear */

static const char *const names[PHASES] = {"bounds", "pairs", "collisions", "advance"};
static const char *const colours[PHASES] = {"#4878a8", "#e49444", "#85b6b2", "#6a9f58"};
static const size_t sizes[] = {1000, 2000, 4000, 8000, 16000, 64000, 250000, 1000000};

/* ms per frame of a number of spheres. */
typedef struct figure_bar {
    size_t bodies;
    double ms[PHASES], all_pairs; /* NaN: not looked at */
} figure_bar;

/* A number in [-1, 1) that follows from a seed and an index: splitmix64. */
static double draw(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed << 40) + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* Spheres about the points of a grid, so near that neighbours may overlap by a fifth of a radius.
 */
static tl_status add_spheres(tl_scene *scene, size_t bodies, uint64_t seed)
{
    const size_t side = (size_t)ceil(cbrt((double)bodies));
    tl_body_def def = tl_body_default();
    tl_shape_def sphere = tl_sphere_default(RADIUS);
    tl_material_def bouncy = tl_material_default();
    tl_status status;
    bouncy.restitution = 0.75;
    status = tl_scene_add_material(scene, &bouncy, &sphere.material);
    def.density = 1000;
    def.shape_count = 1;
    def.shapes = &sphere;
    for (size_t i = 0; i < bodies && status >= 0; i++) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; k++)
            def.position[k] =
                RADIUS * (2.1 * (double)at[k] + 0.15 * draw(seed, 3 * (uint64_t)i + (uint64_t)k));
        status = tl_scene_add_bodies(scene, 1, &def, NULL);
    }
    return status;
}

static tl_world *make_world(const bench_options *options, bench_output *output, size_t bodies)
{
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    tl_settings settings = options->settings;
    settings.stepper = TL_STEPPER_PENALTY;
    settings.step = FRAME;
    settings.penalty.law = TL_PENALTY_SCALED;
    settings.penalty.substeps = 1;
    settings.gravity[0] = settings.gravity[1] = 0;
    settings.gravity[2] = -1;
    tl_status status = tl_scene_create(&scene);
    if (status >= 0)
        status = tl_scene_set_settings(scene, &settings);
    if (status >= 0)
        status = add_spheres(scene, bodies, options->seed);
    if (status >= 0)
        status = tl_world_create(scene, &world);
    tl_scene_destroy(scene);
    return output_status(output, "making the spheres", bodies, status) ? NULL : world;
}

/* One frame, phase by phase; times are added to `ms`. */
static tl_status run_frame(tl_world *world, tl_report *report, double ms[PHASES])
{
    for (int k = 0; k < PHASES; k++) {
        const double begin = peer_now_ms();
        const tl_status status = k == 0   ? tl_world_update_bounds(world)
                                 : k == 1 ? tl_world_find_pairs(world)
                                 : k == 2 ? tl_world_collide(world)
                                          : tl_world_advance(world, FRAME, report);
        if (status < 0)
            return status;
        ms[k] += peer_now_ms() - begin;
    }
    return TL_OK;
}

/* The document's search: the boxes of all pairs, one after the other; of those that meet, whether
 * the spheres do. */
static size_t search_all(const double *x, size_t bodies, double *ms)
{
    const double begin = peer_now_ms(), size = 2 * RADIUS;
    size_t overlaps = 0;
    for (size_t i = 0; i < bodies; i++)
        for (size_t j = i + 1; j < bodies; j++) {
            const double d[3] = {x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1],
                                 x[3 * j + 2] - x[3 * i + 2]};
            if (fabs(d[0]) < size && fabs(d[1]) < size && fabs(d[2]) < size)
                overlaps += d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < size * size;
        }
    *ms = peer_now_ms() - begin;
    return overlaps;
}

/* Contacts of the world that overlap, or (size_t)-1. */
static size_t overlapping(bench_output *output, const tl_world *world)
{
    const size_t count = tl_world_contact_count(world);
    tl_contact *contacts = malloc((count + 1) * sizeof *contacts);
    size_t overlaps = 0;
    if (!contacts || output_status(output, "reading contacts", tl_world_body_count(world),
                                   tl_world_read_contacts(world, count, contacts)))
        overlaps = (size_t)-1;
    for (size_t i = 0; i < count && overlaps != (size_t)-1; i++)
        overlaps += contacts[i].gap < 0;
    free(contacts);
    return overlaps;
}

/* All pairs of the last frame, timed, and held against the contacts. */
static double compare_all(bench_output *output, const tl_world *world, size_t bodies)
{
    double *x = malloc(3 * bodies * sizeof *x), ms = NAN;
    const size_t found = overlapping(output, world);
    if (!x || output_status(output, "reading positions", bodies,
                            tl_world_read_positions(world, bodies, NULL, x))) {
        free(x);
        return NAN;
    }
    const size_t expected = search_all(x, bodies, &ms);
    if (found != expected)
        output_failure(output, "%zu spheres: %zu overlaps were found, all pairs have %zu", bodies,
                       found, expected);
    free(x);
    return ms;
}

static bool measure_bar(const bench_options *options, bench_output *output, size_t bodies,
                        figure_bar *bar)
{
    tl_report report = {0};
    tl_world *world = make_world(options, output, bodies);
    if (!world)
        return false;
    const double fitting = fmin(fmax(FRAME_BODIES / (double)bodies, 10), 1000);
    const uint32_t frames =
        options->given & OPTION_STEPS ? options->steps : (uint32_t)lround(fitting);
    *bar = (figure_bar){.bodies = bodies, .all_pairs = NAN};
    tl_status status = TL_OK;
    for (uint32_t i = 0; i < frames && status >= 0; i++)
        status = run_frame(world, &report, bar->ms);
    bool done = !output_status(output, "running frames", bodies, status);
    bench_row row = talus_row("paper", world, &options->settings, bodies);
    row_report(&row, &report);
    row_text(&row, "figure", "2.11");
    row_number(&row, "frames", frames);
    for (int k = 0; k < PHASES; k++) {
        bar->ms[k] /= frames;
        row.ms_per_step += bar->ms[k];
        row_number(&row, names[k], bar->ms[k]);
    }
    if (done && bodies <= MOST_ALL_PAIRS)
        bar->all_pairs = compare_all(output, world, bodies);
    row_number(&row, "all_pairs", bar->all_pairs);
    tl_world_destroy(world);
    if (done)
        output_row(output, &row);
    return done;
}

/* The power of the number of spheres that a time grows by: least squares of logarithms. */
static double exponent(const figure_bar *bars, uint32_t count, int phase)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double ms = phase < PHASES ? bars[i].ms[phase] : bars[i].all_pairs;
        if (!(ms > 0))
            continue;
        const double a = log((double)bars[i].bodies), b = log(ms);
        n++, x += a, y += b, xx += a * a, xy += a * b;
    }
    return n > 1 ? (n * xy - x * y) / (n * xx - x * x) : NAN;
}

static void print_figure(const bench_output *output, const figure_bar *bars, uint32_t count)
{
    output_line(output, "\nFigure 2.11. Spheres at random places close to each other, ms per "
                        "frame by phase;\nall pairs: the search of document 004, one thread.");
    output_line(output, "%9s %10s %10s %10s %10s %10s %10s", "spheres", names[0], names[1],
                names[2], names[3], "all pairs", "ns/sphere");
    for (uint32_t i = 0; i < count; i++) {
        const figure_bar *b = &bars[i];
        char all[16] = "-";
        if (isfinite(b->all_pairs))
            snprintf(all, sizeof all, "%.3f", b->all_pairs);
        output_line(output, "%9zu %10.4f %10.3f %10.3f %10.3f %10s %10.0f", b->bodies, b->ms[0],
                    b->ms[1], b->ms[2], b->ms[3], all,
                    1e6 * (b->ms[0] + b->ms[1] + b->ms[2] + b->ms[3]) / (double)b->bodies);
    }
    for (int k = 1; k <= PHASES && count > 2; k++) {
        const double power = exponent(bars, count, k);
        if (isfinite(power))
            output_line(output, "%s: grows as spheres^%.2f%s", k < PHASES ? names[k] : "all pairs",
                        power, power <= 1 + ALLOWED_EXPONENT ? "" : ": NOT linear");
    }
}

/* Bars of the time per sphere, phase on phase as in the figure, so that linear phases are level. */
static void draw_figure(bench_output *output, const figure_bar *bars, uint32_t count)
{
    FILE *file = fopen("figure-2.11.svg", "w");
    double most = 0;
    if (!file) {
        output_failure(output, "figure-2.11.svg cannot be written here");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double *ms = bars[i].ms;
        most = fmax(most, (ms[0] + ms[1] + ms[2] + ms[3]) / (double)bars[i].bodies);
    }
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 420\" "
                  "font-family=\"sans-serif\" font-size=\"13\">\n"
                  "<rect width=\"760\" height=\"420\" fill=\"white\"/>\n");
    for (uint32_t i = 0; i < count; i++) {
        const double x = 70 + 520.0 * i / count, width = 360.0 / count;
        double y = 370;
        for (int k = 0; k < PHASES; k++) {
            const double high = 330 * bars[i].ms[k] / (double)bars[i].bodies / most;
            y -= high;
            fprintf(file,
                    "<rect x=\"%.1f\" y=\"%.2f\" width=\"%.1f\" height=\"%.2f\" "
                    "fill=\"%s\"><title>%s: %.4g ms</title></rect>\n",
                    x, y, width, high, colours[k], names[k], bars[i].ms[k]);
        }
        fprintf(file, "<text x=\"%.1f\" y=\"390\" text-anchor=\"middle\">%zu</text>\n",
                x + 0.5 * width, bars[i].bodies);
    }
    for (int k = 0; k < PHASES; k++)
        fprintf(file,
                "<rect x=\"620\" y=\"%d\" width=\"14\" height=\"14\" fill=\"%s\"/>"
                "<text x=\"640\" y=\"%d\">%s</text>\n",
                120 - 24 * k, colours[k], 132 - 24 * k, names[k]);
    fprintf(file,
            "<text x=\"62\" y=\"44\" text-anchor=\"end\">%.3g</text>"
            "<text x=\"62\" y=\"374\" text-anchor=\"end\">0</text>"
            "<text x=\"70\" y=\"24\">ns per sphere and frame</text>"
            "<text x=\"330\" y=\"412\" text-anchor=\"middle\">spheres</text>\n</svg>\n",
            1e6 * most);
    fclose(file);
}

void bench_figure(const bench_options *options, bench_output *output)
{
    figure_bar bars[MAX_SIZES];
    const bool given = options->given & OPTION_BODIES;
    const uint32_t all = (uint32_t)(sizeof sizes / sizeof sizes[0]);
    uint32_t count = 0;
    for (uint32_t i = 0; i < (given ? options->size_count : all); i++)
        if (measure_bar(options, output, given ? options->bodies[i] : sizes[i], &bars[count]))
            count++;
    if (!count)
        return;
    print_figure(output, bars, count);
    draw_figure(output, bars, count);
}
