/* The paper bench: Tables 1, 2 and 3 of the sources measured again, beside the figures they print.
 * Table 1 is the flow from a silo, Table 2 the contacts of spheres at random places, Table 3 the
 * flow from a tank of constant depth. Every time stands with its residual and overlaps, and the
 * growth of the times with the bodies is held against a straight line. Called by bench.c. */
#include "bench.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

/* On the CPU, unless all sizes are asked for: up to here a run takes a few minutes. */
#define CPU_LARGEST_2 3000000
#define CPU_LARGEST_3 300000

/* Times are straight in the bodies if none is further than this from the fitted line. */
#define ALLOWED_DEVIATION 0.15

/* Steps that are timed on the CPU from the state of a run on a GPU, after one that warms up. */
#define CPU_STEPS 10

/* The figures of the sources: a Tesla C1060, for Table 1 beside a Xeon at 2.66 GHz.
 * Table 2 gives the mean (and deviation) of errors against Bullet. */
static const struct published_1 {
    size_t bodies;
    double cpu_s, gpu_s, speedup, find_speedup; /* s a step of the solver */
} table_1[] = {{16000, 7.11, 0.57, 12.59, 4.67},
               {32000, 16.01, 1.00, 16.07, 6.14},
               {64000, 34.60, 1.97, 17.58, 10.35},
               {128000, 76.82, 4.55, 16.90, 21.71}};

static const struct published_2 {
    size_t bodies, contacts;
    double distance, normal, point; /* mean errors; m, length of the difference, m */
} table_2[] = {{1000000, 462108, 1.46e-7, 0.82e-10, 2.73e-6},
               {2000000, 1015556, 0.74e-7, 1.91e-10, 2.37e-6},
               {3000000, 1379397, 1.69e-7, 2.75e-10, 3.58e-6},
               {4000000, 1530309, 5.49e-7, 2.33e-10, 1.94e-6},
               {5000000, 1995548, 6.35e-7, 1.09e-10, 3.10e-6}};

static const struct published_3 {
    size_t bodies, contacts;
    double total_s, find_s, solve_s; /* s a step */
} table_3[] = {
    {100000, 361440, 6.1972, 0.5436, 5.4243},    {200000, 718377, 12.1190, 1.0758, 10.5881},
    {300000, 1080069, 18.2708, 1.6183, 15.9482}, {400000, 1403784, 23.2806, 1.9746, 20.4606},
    {500000, 1765772, 29.2565, 2.4568, 25.7773}, {600000, 2124639, 35.0433, 2.9785, 30.7971},
    {700000, 2439241, 40.5938, 3.4695, 35.6405}, {800000, 2838832, 46.9516, 4.0234, 41.2297},
    {900000, 3178228, 52.6227, 4.5272, 46.1909}, {1000000, 3548594, 58.1518, 4.9473, 51.1686}};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* Any of them: the bodies come first in each row. */
typedef struct paper_table {
    const void *rows;
    size_t stride, count;
    size_t cpu_largest; /* bodies: up to here by default on the CPU */
} paper_table;

/* ---- sizes and growth ---- */

static const void *table_row(const paper_table *table, size_t i)
{
    return (const char *)table->rows + i * table->stride;
}

/* The row for this many bodies, or NULL where the sources have none. */
static const void *find_row(const paper_table *table, size_t bodies)
{
    for (size_t i = 0; i < table->count; i++)
        if (*(const size_t *)table_row(table, i) == bodies)
            return table_row(table, i);
    return NULL;
}

/* The sizes to run: those of the command line, or those of the table. */
static uint32_t choose_sizes(const bench_options *options, const paper_table *table,
                             size_t sizes[MAX_SIZES])
{
    uint32_t found = 0;
    bool all = options->given & OPTION_FULL || options->settings.backend != TL_BACKEND_CPU;
    if (options->given & OPTION_BODIES) {
        memcpy(sizes, options->bodies, sizeof options->bodies);
        return options->size_count;
    }
    for (size_t i = 0; i < table->count && found < MAX_SIZES; i++) {
        size_t bodies = *(const size_t *)table_row(table, i);
        if (all || bodies <= table->cpu_largest)
            sizes[found++] = bodies;
    }
    return found;
}

/* Times of one table against its bodies. */
typedef struct growth {
    double bodies[MAX_SIZES], ms[MAX_SIZES];
    uint32_t count;
} growth;

static void growth_add(growth *g, size_t bodies, double ms)
{
    g->bodies[g->count] = (double)bodies;
    g->ms[g->count++] = ms;
}

/* Fits a straight line by least squares of the relative deviations, so that small sizes count as
 * much as large ones. */
static void print_growth(const bench_output *output, uint32_t table, const char *what,
                         const growth *g)
{
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, worst = 0;
    if (g->count < 3) {
        output_line(output, "Table %u, %s: fewer than three sizes, no growth to check", table,
                    what);
        return;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        double x = g->bodies[i], y = g->ms[i], weight = 1 / (y * y);
        w += weight;
        wx += weight * x;
        wy += weight * y;
        wxx += weight * x * x;
        wxy += weight * x * y;
    }
    double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx), start = (wy - slope * wx) / w;
    for (uint32_t i = 0; i < g->count; i++)
        worst = fmax(worst, fabs(g->ms[i] / (start + slope * g->bodies[i]) - 1));
    output_line(output,
                "Table %u, %s: %.3g ms + %.1f ns per body; furthest from that line %.1f %%: %s",
                table, what, start, 1e6 * slope, 100 * worst,
                worst <= ALLOWED_DEVIATION && slope > 0 ? "grows linearly" : "NOT linear");
}

/* ---- flow from a vessel: Tables 1 and 3 ---- */

/* Everything of a step that the solver needs: its problem and both solutions of it. */
static double solver_ms(const tl_stage_times *ms)
{
    return ms->match + ms->colour + ms->build + ms->solve + ms->position;
}

/* Dynamic bodies of `count`: moves their positions to the front and counts those beside the walls.
 */
static size_t keep_spheres(const vessel_options *vessel, size_t count, double *positions,
                           const double *masses, size_t *leaked)
{
    size_t kept = 0;
    double corner = 0.5 * vessel->width / cos(3.14159265358979323846 / vessel->panels);
    *leaked = 0;
    for (size_t i = 0; i < count; i++) {
        if (masses[i] == 0)
            continue;
        double *to = positions + 3 * kept++;
        memmove(to, positions + 3 * i, 3 * sizeof *to);
        *leaked += hypot(to[0], to[1]) > corner;
    }
    return kept;
}

/* Overlaps by the audit, from the state alone, into the row. */
static bool audit_vessel(bench_output *output, const vessel_options *vessel, const tl_world *world,
                         bench_row *row)
{
    size_t count = tl_world_body_count(world), leaked = 0;
    double *state = malloc(4 * count * sizeof *state);
    audit_result audited = {0};
    if (!state) {
        output_failure(output, "not enough memory to audit %zu bodies", count);
        return false;
    }
    tl_status status = tl_world_read_positions(world, count, NULL, state);
    if (status >= 0)
        status = tl_world_read_masses(world, count, NULL, state + 3 * count);
    bool done = !output_status(output, "reading the state", vessel->bodies, status);
    if (done) {
        audit_input input = {.radius = vessel->radius, .mass = 1, .positions = state};
        input.bodies = keep_spheres(vessel, count, state, state + 3 * count, &leaked);
        const char *failure = audit_bodies(&input, &audited);
        if (failure)
            output_failure(output, "audit of %zu bodies: %s", vessel->bodies, failure);
        done = !failure;
    }
    row->overlap = audited.overlap;
    row_number(row, "touching", (double)audited.touching);
    row_number(row, "leaked", (double)leaked);
    free(state);
    return done;
}

/* A world of the vessel, flowing for the settling steps; NULL if that failed. */
static tl_world *start_flow(const bench_options *options, bench_output *output,
                            const vessel_options *vessel)
{
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    tl_status status = vessel_scene(vessel, &scene);
    if (output_status(output, "making the vessel", vessel->bodies, status))
        return NULL;
    status = tl_world_create(scene, &world);
    tl_scene_destroy(scene);
    if (status >= 0 && options->settle > 0)
        status = tl_world_step(world, options->settle, NULL);
    if (output_status(output, "starting the flow", vessel->bodies, status)) {
        tl_world_destroy(world);
        return NULL;
    }
    return world;
}

/* The same steps on the CPU, from the state that a GPU has reached; NaN where that failed. */
static void time_on_cpu(bench_output *output, const tl_world *world, size_t bodies, bench_row *row)
{
    void *snapshot = NULL;
    size_t bytes = 0;
    tl_world *copy = NULL;
    tl_report report;
    bench_row cpu = {0};
    tl_status status = tl_world_save(world, &snapshot, &bytes);
    if (status >= 0)
        status = tl_world_load_on(snapshot, bytes, TL_BACKEND_CPU, &copy);
    tl_snapshot_free(snapshot, bytes);
    if (status >= 0)
        status = tl_world_step(copy, 1, NULL);
    if (status >= 0)
        status = time_steps(copy, CPU_STEPS, &report, &cpu);
    bool failed = output_status(output, "the same steps on the CPU", bodies, status);
    row_number(row, "cpu_solver_ms", failed ? NAN : solver_ms(&cpu.stages));
    row_number(row, "cpu_find_ms", failed ? NAN : cpu.stages.find);
    row_number(row, "cpu_ms_per_step", failed ? NAN : cpu.ms_per_step);
    tl_world_destroy(copy);
}

/* Times a flow and makes its row, without printing it. */
static bool measure_flow(const bench_options *options, bench_output *output,
                         const vessel_options *vessel, const char *table, bench_row *row)
{
    malloc_trim(0);
    uint64_t memory = peer_memory_start();
    tl_report report = {0};
    tl_world *world = start_flow(options, output, vessel);
    if (!world)
        return false;
    *row = talus_row("paper", world, &vessel->settings, vessel->bodies);
    row_text(row, "table", table);
    tl_status status = time_steps(world, options->steps, &report, row);
    row->peak_bytes = peer_memory_growth(memory);
    row_report(row, &report);
    row_text(row, "solver", tl_word(TL_WORDS_SOLVER, vessel->settings.solver.kind));
    row_text(row, "law", law_name(&vessel->settings.solver));
    row_number(row, "find_ms", row->stages.find);
    row_number(row, "solver_ms", solver_ms(&row->stages));
    row_number(row, "deepest", report.max_penetration / vessel->radius); /* at the walls too */
    row_number(row, "left", (double)report.bodies);
    row->joules_per_body = report.bodies > 0 ? report.kinetic_energy / report.bodies : NAN;
    bool done = !output_status(output, "timing the flow", vessel->bodies, status) &&
                audit_vessel(output, vessel, world, row);
    if (done && vessel->settings.backend != TL_BACKEND_CPU)
        time_on_cpu(output, world, vessel->bodies, row);
    tl_world_destroy(world);
    return done;
}

/* A vessel with the settings of the command line. */
static vessel_options chosen_vessel(const bench_options *options, vessel_options vessel)
{
    double step = vessel.settings.step;
    vessel.seed = options->seed;
    vessel.settings = options->settings;
    vessel.settings.step = step;
    return vessel;
}

/* ---- comparison tables ---- */

/* A column: its name, in at most 10 characters, and the format of its numbers. */
typedef struct column {
    const char *name, *format;
} column;

/* Columns that a table has at most. */
#define CELLS 12

/* A table beside its published figures, as it is measured. */
typedef struct comparison_table {
    uint32_t count;
    size_t bodies[MAX_SIZES];
    double cells[MAX_SIZES][CELLS]; /* NaN: unknown */
} comparison_table;

static void table_add(comparison_table *table, size_t bodies, const double cells[CELLS])
{
    table->bodies[table->count] = bodies;
    memcpy(table->cells[table->count++], cells, CELLS * sizeof *cells);
}

static void print_table(const bench_output *output, const comparison_table *table,
                        const column *columns, size_t count)
{
    char line[16 + 11 * CELLS];
    int length = snprintf(line, sizeof line, "%9s", "bodies");
    for (size_t k = 0; k < count; k++)
        length += snprintf(line + length, sizeof line - (size_t)length, " %10s", columns[k].name);
    output_line(output, "%s", line);
    for (uint32_t i = 0; i < table->count; i++) {
        length = snprintf(line, sizeof line, "%9zu", table->bodies[i]);
        for (size_t k = 0; k < count; k++) {
            char text[16] = "-";
            if (isfinite(table->cells[i][k]))
                snprintf(text, sizeof text, columns[k].format, table->cells[i][k]);
            length += snprintf(line + length, sizeof line - (size_t)length, " %10s", text);
        }
        output_line(output, "%s", line);
    }
}

static void run_table_1(const bench_options *options, bench_output *output)
{
    static const column columns[] = {
        {"pub CPU s", "%.2f"},  {"pub GPU s", "%.2f"}, {"pub solv x", "%.2f"},
        {"pub find x", "%.2f"}, {"solver ms", "%.3f"}, {"find ms", "%.3f"},
        {"residual", "%.1e"},   {"mean ov %", "%.4f"}, {"worst ov %", "%.3f"},
        {"pub/here", "%.0f"},   {"solve x", "%.1f"},   {"find x", "%.1f"}};
    comparison_table compared = {0};
    size_t sizes[MAX_SIZES];
    growth grown = {0};
    paper_table table = {table_1, sizeof table_1[0], COUNT(table_1), SIZE_MAX};
    uint32_t count = choose_sizes(options, &table, sizes);
    for (uint32_t i = 0; i < count; i++) {
        bench_row row;
        const struct published_1 *paper = find_row(&table, sizes[i]);
        vessel_options vessel = chosen_vessel(options, silo_vessel(sizes[i]));
        if (!measure_flow(options, output, &vessel, "1", &row))
            continue;
        row_number(&row, "published_cpu_solver_s", paper ? paper->cpu_s : NAN);
        row_number(&row, "published_gpu_solver_s", paper ? paper->gpu_s : NAN);
        row_number(&row, "published_solver_speedup", paper ? paper->speedup : NAN);
        row_number(&row, "published_find_speedup", paper ? paper->find_speedup : NAN);
        output_row(output, &row);
        double solver = row_value(&row, "solver_ms"), find = row.stages.find;
        double line[CELLS] = {row_value(&row, "published_cpu_solver_s"),
                              row_value(&row, "published_gpu_solver_s"),
                              row_value(&row, "published_solver_speedup"),
                              row_value(&row, "published_find_speedup"),
                              solver,
                              find,
                              row.residual,
                              100 * row.overlap.mean,
                              100 * row.overlap.max,
                              1e3 * row_value(&row, "published_gpu_solver_s") / solver,
                              row_value(&row, "cpu_solver_ms") / solver,
                              row_value(&row, "cpu_find_ms") / find};
        table_add(&compared, sizes[i], line);
        growth_add(&grown, sizes[i], solver);
    }
    output_line(
        output,
        "\nTable 1. Spheres flow from a silo: the solver takes s a step in the sources, and "
        "ms per step here\n(matching, colouring, rows, velocities and positions). x is GPU "
        "over CPU; overlaps are %% of the radius.");
    print_table(output, &compared, columns, COUNT(columns));
    print_growth(output, 1, "solver", &grown);
}

static void run_table_3(const bench_options *options, bench_output *output)
{
    static const column columns[] = {
        {"pub all s", "%.2f"}, {"pub find s", "%.2f"}, {"pub solv s", "%.2f"},
        {"pub cont.", "%.0f"}, {"all ms", "%.3f"},     {"find ms", "%.3f"},
        {"solver ms", "%.3f"}, {"contacts", "%.0f"},   {"residual", "%.1e"},
        {"mean ov %", "%.4f"}, {"worst ov %", "%.3f"}, {"pub/here", "%.0f"}};
    comparison_table compared = {0};
    size_t sizes[MAX_SIZES];
    growth grown = {0};
    paper_table table = {table_3, sizeof table_3[0], COUNT(table_3), CPU_LARGEST_3};
    uint32_t count = choose_sizes(options, &table, sizes);
    for (uint32_t i = 0; i < count; i++) {
        bench_row row;
        const struct published_3 *paper = find_row(&table, sizes[i]);
        vessel_options vessel = chosen_vessel(options, tank_vessel(sizes[i]));
        if (!measure_flow(options, output, &vessel, "3", &row))
            continue;
        row_number(&row, "published_total_s", paper ? paper->total_s : NAN);
        row_number(&row, "published_find_s", paper ? paper->find_s : NAN);
        row_number(&row, "published_solver_s", paper ? paper->solve_s : NAN);
        row_number(&row, "published_contacts", paper ? (double)paper->contacts : NAN);
        output_row(output, &row);
        double line[CELLS] = {row_value(&row, "published_total_s"),
                              row_value(&row, "published_find_s"),
                              row_value(&row, "published_solver_s"),
                              row_value(&row, "published_contacts"),
                              row.ms_per_step,
                              row.stages.find,
                              row_value(&row, "solver_ms"),
                              (double)row.contacts,
                              row.residual,
                              100 * row.overlap.mean,
                              100 * row.overlap.max,
                              1e3 * row_value(&row, "published_total_s") / row.ms_per_step};
        table_add(&compared, sizes[i], line);
        growth_add(&grown, sizes[i], row.ms_per_step);
    }
    output_line(
        output,
        "\nTable 3. Spheres flow from a tank of constant depth: s a step in the sources, ms "
        "here; overlaps are %% of the\nradius.");
    print_table(output, &compared, columns, COUNT(columns));
    print_growth(output, 3, "whole step", &grown);
}

/* ---- spheres at random places: Table 2 ---- */

static void run_table_2(const bench_options *options, bench_output *output)
{
    static const column columns[] = {
        {"pub cont.", "%.0f"}, {"pub dist.", "%.1e"}, {"pub normal", "%.1e"}, {"pub point", "%.1e"},
        {"contacts", "%.0f"},  {"exact", "%.0f"},     {"distance", "%.1e"},   {"normal", "%.1e"},
        {"point", "%.1e"},     {"find ms", "%.3f"}};
    comparison_table compared = {0};
    size_t sizes[MAX_SIZES];
    growth grown = {0};
    paper_table table = {table_2, sizeof table_2[0], COUNT(table_2), CPU_LARGEST_2};
    uint32_t count = choose_sizes(options, &table, sizes);
    for (uint32_t i = 0; i < count; i++) {
        bench_row row = {.bench = "paper"};
        const struct published_2 *paper = find_row(&table, sizes[i]);
        double density = options->contacts_per_body;
        if (paper)
            density = (double)paper->contacts / (double)paper->bodies;
        row_text(&row, "table", "2");
        row_number(&row, "published_contacts", paper ? (double)paper->contacts : NAN);
        row_number(&row, "published_distance_error", paper ? paper->distance : NAN);
        row_number(&row, "published_normal_error", paper ? paper->normal : NAN);
        row_number(&row, "published_point_error", paper ? paper->point : NAN);
        if (!measure_contacts(options, output, sizes[i], density, &row))
            continue;
        double line[CELLS] = {paper ? (double)paper->contacts : NAN,
                              paper ? paper->distance : NAN,
                              paper ? paper->normal : NAN,
                              paper ? paper->point : NAN,
                              (double)row.contacts,
                              row_value(&row, "exact_contacts"),
                              row_value(&row, "distance_error_mean"),
                              row_value(&row, "normal_error_mean"),
                              row_value(&row, "point_error_mean"),
                              row.ms_per_step};
        table_add(&compared, sizes[i], line);
        growth_add(&grown, sizes[i], row.ms_per_step);
    }
    output_line(
        output,
        "\nTable 2. Contacts of spheres at random places, of radius 1 m. Errors are means: of "
        "the sources against\nBullet, here against the contacts worked out in 64-bit; "
        "distance and point in m.");
    print_table(output, &compared, columns, COUNT(columns));
    print_growth(output, 2, "finding", &grown);
}

void bench_paper(const bench_options *options, bench_output *output)
{
    if (options->given & OPTION_FIGURE) {
        bench_figure(options, output);
        return;
    }
    if (options->tables >> 1 & 1)
        run_table_1(options, output);
    if (options->tables >> 2 & 1)
        run_table_2(options, output);
    if (options->tables >> 3 & 1)
        run_table_3(options, output);
    if (!(options->given & (OPTION_FULL | OPTION_BODIES)) &&
        options->settings.backend == TL_BACKEND_CPU)
        output_line(
            output,
            "\nOn the CPU the larger sizes of Tables 2 and 3 are left out; --full runs them.");
    output_ratios(output);
}
