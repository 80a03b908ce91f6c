/* Running a pile with Talus and measuring it: what the pile, scaling and convergence benches share.
 */
#include "bench.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

/* Spheres whose overlaps are audited, about: of more, those in a slab in the middle. */
#define MOST_AUDITED ((size_t)4000000)

/* The orientations and the shape of bodies that are no spheres. */
static bool make_solids(const bench_options *options, pile_case *pile)
{
    double corners[PILE_CORNERS][3];
    const uint32_t count = pile_corners(&pile->options, corners);
    if (!solid_make(count, (const double(*)[3])corners, &pile->shape))
        return false;
    if (!options->peers)
        return true;
    pile->orientations = malloc(4 * pile->options.bodies * sizeof *pile->orientations);
    if (pile->orientations)
        pile_orientations(&pile->options, pile->orientations);
    return pile->orientations;
}

bool pile_case_make(bench_output *output, const bench_options *options, pile_kind kind,
                    size_t bodies, pile_case *pile)
{
    *pile = (pile_case){.options = pile_of(kind)};
    double step = pile->options.settings.step;
    pile->options.bodies = bodies;
    pile->options.layers = options->layers;
    pile->options.packed = options->given & OPTION_PACKED;
    pile->options.seed = options->seed;
    pile->options.settings = options->settings;
    pile->options.settings.step = step;
    if (options->peers && bodies <= SIZE_MAX / (3 * sizeof *pile->centres))
        pile->centres = malloc(3 * bodies * sizeof *pile->centres);
    if ((options->peers && !pile->centres) ||
        ((kind == PILE_CUBES || kind == PILE_HULLS) && !make_solids(options, pile))) {
        output_failure(output, "not enough memory for %zu bodies", bodies);
        pile_case_free(pile);
        return false;
    }
    pile_centres(&pile->options, pile->centres, &pile->half_width, &pile->height);
    return true;
}

const char *pile_word(uint32_t kind)
{
    static const char *const words[] = {"spheres", "cubes", "hulls"};
    return kind < sizeof words / sizeof words[0] ? words[kind] : NULL;
}

void pile_case_free(pile_case *pile)
{
    free(pile->centres);
    free(pile->orientations);
    pile->centres = pile->orientations = NULL;
}

tl_world *settle_pile(bench_output *output, const bench_options *options, const pile_case *pile)
{
    size_t bodies = pile->options.bodies;
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    if (output_status(output, "making the pile", bodies, pile_scene(&pile->options, &scene)))
        return NULL;
    tl_status status = tl_world_create(scene, &world);
    tl_scene_destroy(scene);
    if (output_status(output, "making the world", bodies, status))
        return NULL;
    if (options->settle > 0)
        status = tl_world_step(world, options->settle, NULL);
    if (output_status(output, "settling the pile", bodies, status)) {
        tl_world_destroy(world);
        return NULL;
    }
    return world;
}

bench_row talus_row(const char *bench, const tl_world *world, const tl_settings *settings,
                    size_t bodies)
{
    bench_row row = {.bench = bench,
                     .engine = "talus",
                     .precision = tl_word(TL_WORDS_PRECISION, settings->precision),
                     .threads = settings->threads,
                     .bodies = bodies,
                     .residual = NAN,
                     .joules_per_body = NAN};
    snprintf(row.version, sizeof row.version, "%s", tl_version());
    snprintf(row.backend, sizeof row.backend, "%s", tl_world_backend(world));
    return row;
}

void row_report(bench_row *row, const tl_report *report)
{
    row->contacts = report->contacts;
    row->iterations = report->iterations;
    row->residual = report->residual;
    row_number(row, "position_iterations", report->position_iterations);
    row_number(row, "max_residual", report->max_residual);
    row_number(row, "active_contacts", report->active_contacts);
    row_number(row, "colours", report->colours);
    row_number(row, "carried_weight", report->carried_weight);
    row_number(row, "imbalance", report->imbalance);
    if (report->coarse_nodes) {
        row_number(row, "coarse_nodes", report->coarse_nodes);
        row_number(row, "coarse_iterations", report->coarse_iterations);
        row_number(row, "coarse_change", report->coarse_change);
    }
    row_number(row, "world_bytes", (double)report->peak_bytes);
}

/* Bodies that are solids, or so many balls of a radius each. */
static bool audit_shapes(bench_output *output, const pile_case *pile, const pile_state *state,
                         uint32_t balls, double radius, bench_row *row)
{
    const pile_options *options = &pile->options;
    double volume = 4.0 / 3 * 3.14159265358979323846 * pow(radius, 3);
    audit_result result;
    audit_input input = {.bodies = options->bodies * (balls ? balls : 1),
                         .shape = balls ? NULL : &pile->shape,
                         .orientations = state->orientations,
                         .radius = balls ? radius : cbrt(pile->shape.volume),
                         .mass = options->density * (balls ? volume : pile->shape.volume),
                         .boxed = true,
                         .half_width = pile->half_width,
                         .positions = state->positions,
                         .velocities = state->velocities,
                         .angular = state->angular,
                         .slabs = options->bodies * (balls ? balls : 1) / MOST_AUDITED + 1};
    input.slab = input.slabs / 2;
    const char *failure = audit_bodies(&input, &result);
    if (failure) {
        output_failure(output, "audit of %s, %zu bodies: %s", row->engine, options->bodies,
                       failure);
        return false;
    }
    row->overlap = result.overlap;
    row->joules_per_body = result.joules_per_body * (balls ? balls : 1);
    row_number(row, "audited", (double)result.audited);
    row_number(row, "overlapping", (double)result.overlap.count);
    row_number(row, "touching", (double)result.touching);
    row_number(row, "escaped", (double)result.escaped);
    row_number(row, "mean_height", result.mean_height);
    row_number(row, "top", result.top);
    return true;
}

/* One ball of a clump, `at` from its middle, as if it were alone: its place and its velocities. */
static void place_ball(const pile_state *state, size_t i, const double *at, double *place,
                       double *velocity, double *angular)
{
    const double *q = state->orientations + 4 * i, *w = state->angular + 3 * i;
    double cross[3], anchor[3];
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        cross[k] = q[1 + l] * at[m] - q[1 + m] * at[l] + q[0] * at[k];
    }
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        anchor[k] = at[k] + 2 * (q[1 + l] * cross[m] - q[1 + m] * cross[l]);
    }
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        place[k] = state->positions[3 * i + k] + anchor[k];
        velocity[k] = state->velocities[3 * i + k] + w[l] * anchor[m] - w[m] * anchor[l];
        angular[k] = w[k];
    }
}

/* The balls of all clumps; NULL: no memory. */
static double *clump_balls(const pile_case *pile, const pile_state *state, pile_state *balls)
{
    const size_t bodies = pile->options.bodies, numbers = 3 * PILE_BALLS * bodies;
    double at[PILE_BALLS][3], radius, *all = malloc(3 * numbers * sizeof *all);
    (void)pile_balls(&pile->options, at, &radius);
    for (size_t i = 0; i < PILE_BALLS * bodies && all; i++)
        place_ball(state, i / PILE_BALLS, at[i % PILE_BALLS], all + 3 * i, all + numbers + 3 * i,
                   all + 2 * numbers + 3 * i);
    *balls = (pile_state){all, all + numbers, all + 2 * numbers, NULL};
    return all;
}

bool audit_state(bench_output *output, const pile_case *pile, const pile_state *state,
                 bench_row *row)
{
    const pile_options *options = &pile->options;
    double at[PILE_BALLS][3], radius;
    const uint32_t balls = pile_balls(options, at, &radius);
    pile_state of_balls;
    double *room = balls > 1 ? clump_balls(pile, state, &of_balls) : NULL;
    if (balls > 1 && !room) {
        output_failure(output, "not enough memory to audit %zu bodies", options->bodies);
        return false;
    }
    const bool done = audit_shapes(output, pile, room ? &of_balls : state, balls, radius, row);
    free(room);
    return done;
}

bool audit_world(bench_output *output, const pile_case *pile, const tl_world *world, bench_row *row)
{
    /* The pile's are the last bodies; the boxes before them are read and skipped. */
    size_t count = tl_world_body_count(world), skip = count - pile->options.bodies;
    double *state = malloc(13 * count * sizeof *state);
    if (!state) {
        output_failure(output, "not enough memory to audit %zu bodies", count);
        return false;
    }
    double *velocities = state + 3 * count, *angular = state + 6 * count;
    double *orientations = state + 9 * count;
    tl_status status = tl_world_read_positions(world, count, NULL, state);
    if (status >= 0)
        status = tl_world_read_velocities(world, count, NULL, velocities);
    if (status >= 0)
        status = tl_world_read_angular_velocities(world, count, NULL, angular);
    if (status >= 0)
        status = tl_world_read_orientations(world, count, NULL, orientations);
    const pile_state all = {state + 3 * skip, velocities + 3 * skip, angular + 3 * skip,
                            orientations + 4 * skip};
    bool done = !output_status(output, "reading the state", pile->options.bodies, status) &&
                audit_state(output, pile, &all, row);
    free(state);
    return done;
}

static void add_times(tl_stage_times *sum, const tl_stage_times *ms, double weight)
{
    sum->find += weight * ms->find;
    sum->match += weight * ms->match;
    sum->colour += weight * ms->colour;
    sum->build += weight * ms->build;
    sum->solve += weight * ms->solve;
    sum->position += weight * ms->position;
    sum->audit += weight * ms->audit;
    sum->integrate += weight * ms->integrate;
}

/* Runs steps and adds up what their reports say, each with the weight of a mean. */
static tl_status run_steps(tl_world *world, uint32_t steps, tl_report *report, double *residual,
                           tl_stage_times *stages)
{
    for (uint32_t i = 0; i < steps; i++) {
        tl_status status = tl_world_step(world, 1, report);
        if (status < 0)
            return status;
        *residual += report->residual / steps;
        add_times(stages, &report->ms, 1.0 / steps);
    }
    return TL_OK;
}

tl_status time_steps(tl_world *world, uint32_t steps, tl_report *report, bench_row *row)
{
    double residual = 0, unused = 0, begin = peer_now_ms();
    tl_settings settings = tl_world_settings(world);
    tl_status status = run_steps(world, steps, report, &residual, &row->stages);
    row->ms_per_step = (peer_now_ms() - begin) / steps;
    row->stage_count = STAGE_COUNT;
    if (status >= 0 && settings.backend != TL_BACKEND_CPU) {
        /* A GPU works while the host is stages ahead: a few more steps, stage by stage. */
        row->stages = (tl_stage_times){0};
        settings.exact_times = true;
        status = tl_world_set_settings(world, &settings);
        if (status >= 0)
            status = run_steps(world, steps < 20 ? steps : 20, report, &unused, &row->stages);
        settings.exact_times = false;
        if (status >= 0)
            status = tl_world_set_settings(world, &settings);
    }
    report->residual = residual;
    return status;
}

bool measure_pile(bench_output *output, const bench_options *options, const char *bench,
                  const pile_case *pile, bench_row *row)
{
    malloc_trim(0); /* what earlier runs left in the heap would hide growth */
    uint64_t memory = peer_memory_start();
    tl_world *world = settle_pile(output, options, pile);
    if (!world)
        return false;
    tl_report report = {0};
    size_t bodies = pile->options.bodies;
    *row = talus_row(bench, world, &pile->options.settings, bodies);
    tl_status status = time_steps(world, options->steps, &report, row);
    row->peak_bytes = peer_memory_growth(memory);
    row_report(row, &report);
    row_text(row, "solver", tl_word(TL_WORDS_SOLVER, pile->options.settings.solver.kind));
    row_text(row, "law", law_name(&pile->options.settings.solver));
    row_text(row, "planes", tl_word(TL_WORDS_PLANES, pile->options.settings.planes));
    if (pile->options.kind != PILE_SPHERES)
        row_text(row, "shape",
                 pile_word(pile->options.kind) ? pile_word(pile->options.kind) : "clumps");
    if (pile->options.ball > 0)
        row_number(row, "deepest", report.max_penetration / pile->options.radius);
    bool done = !output_status(output, "timing the pile", bodies, status) &&
                audit_world(output, pile, world, row);
    tl_world_destroy(world);
    return done;
}
