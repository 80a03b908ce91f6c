/* The bench of joints: chains that hang between two points, by Talus and by other engines; a net;
 * many small pendulums side by side; and a machine in grains, over the grains alone. But for the
 * last, bodies meet nothing: what is timed is joints. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NET        50u  /* bodies along an edge */
#define ROBOT      12u  /* joints of a pendulum */
#define MACHINE    67u  /* ball joints of the machine in grains: 201 rows */
#define ARC_PART   0.9  /* chord over length of the chain at the start */
#define SHORT      0.2  /* m: links of the taut chain */
#define ITERATIONS 50u  /* of peers */
#define STEPS      400u /* 2 s, without --steps, of at most MANY bodies; of more: FEW */
#define FEW        40u
#define MANY       20000u

/* A link nearly as long as the distance between its joints, along x. */
static tl_status add_link(tl_scene *scene, double length, const double x[3], double turn,
                          tl_body *body)
{
    tl_shape_def shape = tl_box_default(0.45 * length, 0.05 * length, 0.05 * length);
    tl_body_def def = tl_body_default();
    shape.mask = 0;
    def.shape_count = 1;
    def.shapes = &shape;
    def.mass = 1;
    memcpy(def.position, x, sizeof def.position);
    def.orientation[0] = cos(0.5 * turn);
    def.orientation[2] = sin(0.5 * turn);
    return tl_scene_add_bodies(scene, 1, &def, body);
}

/* A ball joint; `a` or `b` without a body is a point of the world. */
static tl_status add_ball(tl_scene *scene, tl_body a, const double at_a[3], tl_body b,
                          const double at_b[3])
{
    tl_joint_def def = tl_joint_default(TL_JOINT_SPHERICAL);
    def.a = a;
    def.b = b;
    memcpy(def.position_a, at_a, sizeof def.position_a);
    memcpy(def.position_b, at_b, sizeof def.position_b);
    return tl_scene_add_joint(scene, &def, NULL);
}

/* A chain: links on an arc, between two points. */
typedef struct chain {
    size_t links;
    double length;                  /* m, of a link */
    double *centres, *orientations; /* rows of 3 and 4 */
    double ends[2][3];
} chain;

static bool chain_make(chain *c, size_t links, double length)
{
    double low = 0.1, high = 3, from[3] = {0};
    const double n = (double)links;
    *c = (chain){.links = links, .length = length};
    c->centres = malloc(3 * links * sizeof *c->centres);
    c->orientations = malloc(4 * links * sizeof *c->orientations);
    for (int i = 0; i < 200; i++) {
        const double a = 0.5 * (low + high);
        *(sin(a) / (n * sin(a / n)) > ARC_PART ? &low : &high) = a;
    }
    const double radius = length / (2 * sin(low / n));
    for (size_t i = 0; i <= links && c->centres && c->orientations; i++) {
        const double angle = -low + 2 * low * (double)i / n;
        const double to[3] = {radius * sin(angle), 0, radius * (cos(low) - cos(angle))};
        const double turn = -atan2(to[2] - from[2], to[0] - from[0]);
        for (int k = 0; k < 3 && i; k++)
            c->centres[3 * (i - 1) + k] = 0.5 * (from[k] + to[k]);
        if (i)
            memcpy(c->orientations + 4 * (i - 1),
                   (double[4]){cos(0.5 * turn), 0, sin(0.5 * turn), 0}, 4 * sizeof(double));
        memcpy(i ? c->ends[1] : c->ends[0], to, sizeof to);
        memcpy(from, to, sizeof from);
    }
    return c->centres && c->orientations;
}

static void chain_free(chain *c)
{
    free(c->centres);
    free(c->orientations);
}

static tl_status add_chain(tl_scene *scene, const chain *c)
{
    const double front[3] = {-0.5 * c->length, 0, 0}, back[3] = {0.5 * c->length, 0, 0};
    tl_body before = {0, 0};
    for (size_t i = 0; i < c->links; i++) {
        const double *q = c->orientations + 4 * i;
        tl_body link;
        tl_status status =
            add_link(scene, c->length, c->centres + 3 * i, 2 * atan2(q[2], q[0]), &link);
        if (status == TL_OK)
            status = add_ball(scene, before, i ? back : c->ends[0], link, front);
        if (status != TL_OK)
            return status;
        before = link;
    }
    return add_ball(scene, before, back, (tl_body){0, 0}, c->ends[1]);
}

/* Where an end of a link is. */
static void link_end(const chain *c, const double *x, const double *q, double side, double at[3])
{
    const double half = 0.5 * side * c->length;
    at[0] = x[0] + half * (1 - 2 * (q[2] * q[2] + q[3] * q[3]));
    at[1] = x[1] + half * 2 * (q[1] * q[2] + q[0] * q[3]);
    at[2] = x[2] + half * 2 * (q[1] * q[3] - q[0] * q[2]);
}

/* How far the joints of a state are open at most, and how deep it hangs, whatever engine it comes
 * from. */
static void chain_audit(const chain *c, const double *x, const double *q, bench_row *row)
{
    double worst = 0, sag = 0, before[3];
    memcpy(before, c->ends[0], sizeof before);
    for (size_t i = 0; i <= c->links; i++) {
        double at[3], gap = 0;
        if (i < c->links)
            link_end(c, x + 3 * i, q + 4 * i, -1, at);
        else
            memcpy(at, c->ends[1], sizeof at);
        for (int k = 0; k < 3; k++)
            gap += (at[k] - before[k]) * (at[k] - before[k]);
        worst = !(sqrt(gap) <= worst) ? sqrt(gap) : worst;
        sag = fmin(sag, at[2]);
        if (i < c->links)
            link_end(c, x + 3 * i, q + 4 * i, 1, before);
    }
    row_number(row, "joint_error", worst);
    row_number(row, "sag", sag);
}

/* Balls in a square, joined by rods to their neighbours, held at two corners. */
static tl_status add_net(tl_scene *scene)
{
    tl_shape_def shape = tl_sphere_default(0.1);
    tl_body_def def = tl_body_default();
    tl_body bodies[NET * NET];
    shape.mask = 0;
    def.shape_count = 1;
    def.shapes = &shape;
    for (uint32_t i = 0; i < NET * NET; i++) {
        def.position[0] = i % NET;
        def.position[1] = i / NET;
        const tl_status status = tl_scene_add_bodies(scene, 1, &def, &bodies[i]);
        if (status != TL_OK)
            return status;
    }
    for (uint32_t i = 0; i < NET * NET; i++)
        for (uint32_t way = 0; way < 2; way++) {
            tl_joint_def rod = tl_joint_default(TL_JOINT_DISTANCE);
            rod.a = bodies[i];
            if (way ? i / NET + 1 == NET : i % NET + 1 == NET)
                continue;
            rod.b = bodies[way ? i + NET : i + 1];
            const tl_status status = tl_scene_add_joint(scene, &rod, NULL);
            if (status != TL_OK)
                return status;
        }
    const double origin[3] = {0, 0, 0}, corner[3] = {NET - 1, 0, 0};
    const tl_status status = add_ball(scene, (tl_body){0, 0}, origin, bodies[0], origin);
    return status == TL_OK ? add_ball(scene, (tl_body){0, 0}, corner, bodies[NET - 1], origin)
                           : status;
}

/* Pendulums of ROBOT links each. */
static tl_status add_pendulums(tl_scene *scene, uint32_t count)
{
    const double front[3] = {-0.5, 0, 0}, back[3] = {0.5, 0, 0};
    tl_status status = TL_OK;
    for (uint32_t r = 0; r < count && status == TL_OK; r++) {
        const double start[3] = {20.0 * (r % 100), 3.0 * (r / 100), 0};
        tl_body before = {0, 0};
        for (uint32_t k = 0; k < ROBOT && status == TL_OK; k++) {
            const double middle[3] = {start[0] + k + 0.5, start[1], 0};
            tl_body link;
            status = add_link(scene, 1, middle, 0, &link);
            if (status == TL_OK)
                status = add_ball(scene, before, k ? back : start, link, front);
            before = link;
        }
    }
    return status;
}

/* A row of links over the pile, which falls on it and lies there, in windings of as many as there
 * is room for. */
static tl_status add_machine(tl_scene *scene, const pile_case *pile)
{
    const double length = 4 * pile->options.radius, z = pile->height + 2 * length;
    const double half[3] = {0.5 * length, 0, 0}, back[3] = {-0.5 * length, 0, 0};
    const uint32_t fit = (uint32_t)fmax(1, floor(2 * pile->half_width / length) - 2);
    tl_body before = {0, 0};
    tl_status status = TL_OK;
    for (uint32_t i = 0; i <= MACHINE && status == TL_OK; i++) {
        const tl_shape_def shape = tl_sphere_default(pile->options.radius); /* a grain, too */
        tl_body_def def = tl_body_default();
        def.shape_count = 1;
        def.shapes = &shape;
        const uint32_t column = i % fit, level = i / fit;
        const double along = ((double)column - 0.5 * (double)(fit - 1)) * length;
        tl_body link;
        def.position[0] = level % 2 ? -along : along;
        def.position[2] = z + level * length;
        def.orientation[0] = level % 2 ? 0 : 1; /* each level goes back */
        def.orientation[3] = level % 2 ? 1 : 0;
        status = tl_scene_add_bodies(scene, 1, &def, &link);
        if (status == TL_OK && i)
            status = add_ball(scene, before, half, link, back);
        before = link;
    }
    return status;
}

typedef enum joint_case { CASE_CHAIN, CASE_NET, CASE_PENDULUMS } joint_case;

static const char *const case_names[] = {"chain", "net", "pendulums"};

static tl_status make(const bench_options *options, joint_case which, const chain *c,
                      tl_world **world)
{
    tl_settings settings = options->settings;
    tl_scene *scene = NULL;
    settings.step = 1.0 / 200;
    settings.max_speed = 1e6;
    settings.solver.kind = TL_PSOR;
    tl_status status = tl_scene_create(&scene);
    if (status == TL_OK)
        status = tl_scene_set_settings(scene, &settings);
    if (status == TL_OK)
        status = which == CASE_CHAIN ? add_chain(scene, c)
                 : which == CASE_NET ? add_net(scene)
                                     : add_pendulums(scene, options->count);
    if (status == TL_OK)
        status = tl_world_create(scene, world);
    tl_scene_destroy(scene);
    return status;
}

static uint32_t steps_of(const bench_options *options, size_t bodies)
{
    return options->given & OPTION_STEPS ? options->steps : bodies <= MANY ? STEPS : FEW;
}

/* Steps one by one: their mean and their least time. */
static tl_status time_each(tl_world *world, uint32_t steps, tl_report *report, bench_row *row)
{
    const double begin = peer_now_ms();
    double before = begin, least = INFINITY;
    tl_status status = TL_OK;
    for (uint32_t i = 0; i < steps && status >= 0; i++) {
        status = tl_world_step(world, 1, report);
        const double now = peer_now_ms();
        least = fmin(least, now - before);
        before = now;
    }
    row->ms_per_step = (before - begin) / steps;
    row_number(row, "ms_least", least);
    return status;
}

/* The state of a chain, read and audited. */
static tl_status audit_chain(const tl_world *world, const chain *c, bench_row *row)
{
    double *x = malloc(3 * c->links * sizeof *x), *q = malloc(4 * c->links * sizeof *q);
    tl_status status = x && q ? tl_world_read_positions(world, c->links, NULL, x) : TL_NO_MEMORY;
    if (status >= 0)
        status = tl_world_read_orientations(world, c->links, NULL, q);
    if (status >= 0)
        chain_audit(c, x, q, row);
    free(x);
    free(q);
    return status;
}

static bool measure(const bench_options *options, bench_output *output, joint_case which,
                    const chain *c, size_t bodies, bench_row *row)
{
    tl_world *world = NULL;
    tl_report report = {0};
    tl_status status = make(options, which, c, &world);
    if (output_status(output, case_names[which], bodies, status))
        return false;
    const tl_settings settings = tl_world_settings(world);
    *row = talus_row("joints", world, &settings, bodies);
    row_text(row, "case", case_names[which]);
    status = time_each(world, steps_of(options, bodies), &report, row);
    row->residual = report.joint_residual;
    row_number(row, "joints", report.joints);
    if (c && status >= 0) {
        row_number(row, "link", c->length);
        status = audit_chain(world, c, row);
    } else {
        row_number(row, "joint_error", report.joint_error);
    }
    row_number(row, "ns_per_body", 1e6 * row->ms_per_step / (double)bodies);
    tl_world_destroy(world);
    if (output_status(output, case_names[which], bodies, status))
        return false;
    output_row(output, row);
    return true;
}

static void run_peer(const bench_options *options, bench_output *output, const chain *c,
                     const char *engine, const bench_row *talus)
{
    const double half = 0.45 * c->length, thin = 0.05 * c->length;
    peer_start start = {.task = PEER_CHAIN,
                        .bodies = c->links,
                        .steps = steps_of(options, c->links),
                        .radius = 0.5 * c->length,
                        .density = 1 / (8 * half * thin * thin),
                        .step = 1.0 / 200,
                        .gravity = -options->settings.gravity[2],
                        .solids = 1,
                        .boxes = {{0, 0, 0, half, thin, thin}},
                        .iterations = ITERATIONS};
    peer_result result;
    void *rows;
    memcpy(start.magic, PEER_START_MAGIC, sizeof start.magic);
    memcpy(start.ends, c->ends, sizeof start.ends);
    if (!peer_run(output, engine, &start, c->centres, c->orientations, &result, &rows))
        return;
    bench_row row = peer_row("joints", engine, &result);
    const double *numbers = rows;
    row.ms_per_step = result.ms_per_step;
    row_text(&row, "case", case_names[CASE_CHAIN]);
    row_number(&row, "ms_least", result.ms_least);
    row_number(&row, "link", c->length);
    chain_audit(c, numbers, numbers + 9 * c->links, &row);
    if (talus) {
        row_number(&row, "ms_over_talus", row.ms_per_step / talus->ms_per_step);
        output_ratio(output, engine, c->length < 1 ? "ms per step, short links" : "ms per step",
                     talus, row.ms_per_step, talus->ms_per_step);
    }
    output_row(output, &row);
    free(rows);
}

static void run_chain(const bench_options *options, bench_output *output, size_t links,
                      double length)
{
    chain c;
    bench_row row;
    if (chain_make(&c, links, length)) {
        const bool done = measure(options, output, CASE_CHAIN, &c, links, &row);
        for (uint32_t k = 0; peer_name(k); k++)
            if (options->peers >> k & 1)
                run_peer(options, output, &c, peer_name(k), done ? &row : NULL);
    } else {
        output_failure(output, "not enough memory for %zu links", links);
    }
    chain_free(&c);
}

/* A pile of grains, with or without a machine in it; its time per step, 0 where there is none. */
static double run_grains(const bench_options *options, bench_output *output, bool machine,
                         double alone)
{
    pile_case pile;
    bench_row row;
    tl_world *world = NULL;
    tl_scene *scene = NULL;
    tl_report report = {0};
    if (!pile_case_make(output, options, PILE_SPHERES, options->grains, &pile))
        return 0;
    pile.options.packed = true;
    pile_centres(&pile.options, NULL, &pile.half_width, &pile.height);
    tl_status status = pile_scene(&pile.options, &scene);
    if (status == TL_OK && machine)
        status = add_machine(scene, &pile);
    if (status == TL_OK)
        status = tl_world_create(scene, &world);
    tl_scene_destroy(scene);
    const uint32_t steps = options->given & OPTION_STEPS ? options->steps : STEPS / 4;
    if (status >= 0)
        status = tl_world_step(world, STEPS / 4, NULL); /* it falls */
    pile_case_free(&pile);
    if (!output_status(output, "grains", options->grains, status)) {
        row = talus_row("joints", world, &pile.options.settings, options->grains);
        row_text(&row, "case", machine ? "machine in grains" : "grains alone");
        status = time_each(world, steps, &report, &row);
        row_report(&row, &report);
        if (machine) {
            row_number(&row, "joints", report.joints);
            row_number(&row, "joint_error", report.joint_error);
        }
        if (alone > 0)
            row_number(&row, "ms_over_grains", row.ms_per_step / alone);
    }
    const bool failed = output_status(output, "grains", options->grains, status);
    if (!failed)
        output_row(output, &row);
    tl_world_destroy(world);
    return failed ? 0 : row.ms_per_step;
}

void bench_joints(const bench_options *options, bench_output *output)
{
    const uint32_t some = options->given & (OPTION_BODIES | OPTION_COUNT | OPTION_GRAINS);
    bench_row row;
    for (uint32_t i = 0; i < options->size_count && (!some || some & OPTION_BODIES); i++)
        run_chain(options, output, options->bodies[i], 1);
    if (!some) {
        run_chain(options, output, options->bodies[0], SHORT);
        measure(options, output, CASE_NET, NULL, NET * NET, &row);
    }
    if (!some || some & OPTION_COUNT)
        measure(options, output, CASE_PENDULUMS, NULL, (size_t)options->count * ROBOT, &row);
    if (!some || some & OPTION_GRAINS) {
        const double alone = run_grains(options, output, false, 0);
        run_grains(options, output, true, alone);
    }
    output_ratios(output);
}
