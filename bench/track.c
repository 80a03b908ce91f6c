/* The bench of tracks: a vehicle on two rings of shoes, by Talus and by other engines: time a step,
 * how far pins are open, how fast they open. Shoes are boxes with a hinge to each neighbour, wheels
 * are smooth cylinders with a hinge to the chassis, and a torque turns the one behind. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI         3.14159265358979323846
#define SIDES      2u
#define STRAIGHT   21u /* shoes along a straight part, */
#define NOSE       10u /* around the idler, */
#define TAIL       9u  /* and around the sprocket */
#define SHOES      (2 * STRAIGHT + NOSE + TAIL)
#define ROLLERS    5u
#define WHEELS     (2 + ROLLERS)
#define BODIES     (SIDES * (SHOES + WHEELS) + 1)
#define ITERATIONS 50u /* of all engines, without --iterations; sweeps of positions: two fifths */
#define SETTLE     100u
#define STEPS      300u
#define STEP       1e-3 /* s */

/* The bodies, in the order of peer_track: shoes of each side, wheels of each side, the chassis. */
typedef struct track {
    peer_track is;
    double centres[3 * BODIES], orientations[4 * BODIES];
} track;

/* Pin i of a ring, in the plane: x forward, z up, the ground at 0. */
static void pin_place(const double radius[2], double apart, double thick, uint32_t i, double at[2])
{
    const double front = radius[1], rear = radius[0], tilt = atan2(front - rear, apart);
    double x, z;
    i %= SHOES;
    if (i <= STRAIGHT) {
        x = apart * i / STRAIGHT;
        z = -rear + (rear - front) * i / STRAIGHT;
    } else if (i <= STRAIGHT + NOSE) {
        const double angle = PI * (i - STRAIGHT) / NOSE;
        x = apart + front * sin(angle);
        z = -front * cos(angle);
    } else if (i <= 2 * STRAIGHT + NOSE) {
        const double part = (double)(i - STRAIGHT - NOSE) / STRAIGHT;
        x = apart * (1 - part);
        z = front + (rear - front) * part;
    } else {
        const double angle = PI * (i - 2 * STRAIGHT - NOSE) / TAIL;
        x = -rear * sin(angle);
        z = rear * cos(angle);
    }
    at[0] = x * cos(tilt) - z * sin(tilt);
    at[1] = x * sin(tilt) + z * cos(tilt) + rear * cos(tilt) + 0.5 * thick;
}

static void place(track *t, uint32_t body, double x, double y, double z, double turn)
{
    memcpy(t->centres + 3 * body, (double[3]){x, y, z}, 3 * sizeof(double));
    memcpy(t->orientations + 4 * body, (double[4]){cos(0.5 * turn), 0, sin(0.5 * turn), 0},
           4 * sizeof(double));
}

static void track_make(track *t)
{
    const double pitch = 0.1, thick = 0.03, length = pitch * STRAIGHT;
    const double radius[2] = {0.5 * pitch / sin(0.5 * PI / TAIL),
                              0.5 * pitch / sin(0.5 * PI / NOSE)};
    const double more = radius[1] - radius[0], apart = sqrt(length * length - more * more);
    const double lean = more / length, level = apart / length;
    *t = (track){.is = {.sides = SIDES,
                        .shoes = SHOES,
                        .wheels = WHEELS,
                        .pitch = pitch,
                        .shoe = {0.46 * pitch, 0.15, 0.5 * thick},
                        .shoe_mass = 0.34,
                        .wheel_half = 0.1,
                        .wheel_mass = 15,
                        .chassis = {1.1, 0.35, 0.15},
                        .chassis_mass = 200,
                        .torque = 20}};
    for (uint32_t s = 0; s < SIDES; s++) {
        const double y = s ? -0.6 : 0.6;
        const uint32_t wheels = SIDES * SHOES + s * WHEELS;
        for (uint32_t i = 0; i < SHOES; i++) {
            double a[2], b[2];
            pin_place(radius, apart, thick, i, a);
            pin_place(radius, apart, thick, i + 1, b);
            place(t, s * SHOES + i, 0.5 * (a[0] + b[0]), y, 0.5 * (a[1] + b[1]),
                  -atan2(b[1] - a[1], b[0] - a[0]));
        }
        const double axle = radius[0] * level + 0.5 * thick, roller = 0.11;
        place(t, wheels, 0, y, axle, 0);
        place(t, wheels + 1, apart * level, y, axle + apart * lean, 0);
        t->is.wheel_radius[0] = radius[0] * cos(0.5 * PI / TAIL) - 0.51 * thick;
        t->is.wheel_radius[1] = radius[1] * cos(0.5 * PI / NOSE) - 0.51 * thick;
        for (uint32_t k = 0; k < ROLLERS; k++) {
            t->is.wheel_radius[2 + k] = roller;
            /* clear of the two others */
            place(t, wheels + 2 + k, apart * (0.19 + 0.15 * k), y, 1.01 * thick + roller, 0);
        }
    }
    place(t, BODIES - 1, 0.5 * apart, 0, 0.5, 0);
}

/* What bodies are, in their frames. */
static tl_shape_def shape_of(const peer_track *is, uint32_t body)
{
    const double quarter = sqrt(0.5);
    if (body < SIDES * SHOES)
        return tl_box_default(is->shoe[0], is->shoe[1], is->shoe[2]);
    if (body == BODIES - 1)
        return tl_box_default(is->chassis[0], is->chassis[1], is->chassis[2]);
    tl_shape_def wheel =
        tl_cylinder_default(is->wheel_radius[(body - SIDES * SHOES) % WHEELS], is->wheel_half);
    memcpy(wheel.orientation, (double[4]){quarter, quarter, 0, 0}, sizeof wheel.orientation);
    return wheel;
}

static tl_status add_hinge(tl_scene *scene, const tl_body *bodies, uint32_t a, const double at_a[3],
                           uint32_t b, const double at_b[3], double torque)
{
    const double quarter = sqrt(0.5), along_y[4] = {quarter, -quarter, 0, 0};
    tl_joint_def def = tl_joint_default(TL_JOINT_REVOLUTE);
    def.a = bodies[a];
    def.b = bodies[b];
    memcpy(def.position_a, at_a, sizeof def.position_a);
    memcpy(def.position_b, at_b, sizeof def.position_b);
    memcpy(def.orientation_a, along_y, sizeof def.orientation_a);
    memcpy(def.orientation_b, along_y, sizeof def.orientation_b);
    def.axes[5].drive = torque != 0 ? TL_DRIVE_FORCE : TL_DRIVE_NONE;
    def.axes[5].target.value = torque;
    return tl_scene_add_joint(scene, &def, NULL);
}

static tl_status add_joints(tl_scene *scene, const track *t, const tl_body *bodies)
{
    const double back[3] = {0.5 * t->is.pitch, 0, 0}, front[3] = {-0.5 * t->is.pitch, 0, 0};
    const double none[3] = {0, 0, 0};
    tl_status status = TL_OK;
    for (uint32_t s = 0; s < SIDES && status == TL_OK; s++) {
        for (uint32_t i = 0; i < SHOES && status == TL_OK; i++)
            status = add_hinge(scene, bodies, s * SHOES + i, back, s * SHOES + (i + 1) % SHOES,
                               front, 0);
        for (uint32_t k = 0; k < WHEELS && status == TL_OK; k++) {
            const uint32_t wheel = SIDES * SHOES + s * WHEELS + k;
            double at[3];
            for (int j = 0; j < 3; j++)
                at[j] = t->centres[3 * wheel + j] - t->centres[3 * (BODIES - 1) + j];
            status = add_hinge(scene, bodies, BODIES - 1, at, wheel, none, k ? 0 : t->is.torque);
        }
    }
    return status;
}

static tl_status make(const bench_options *options, const track *t, tl_world **world)
{
    tl_settings settings = options->settings;
    tl_shape_def plane = tl_plane_default();
    tl_body_def floor = tl_body_default();
    tl_body bodies[BODIES];
    tl_scene *scene = NULL;
    settings.step = STEP;
    settings.solver.kind = TL_PSOR;
    settings.solver.iterations =
        options->given & OPTION_ITERATIONS ? options->settings.solver.iterations : ITERATIONS;
    settings.solver.position_iterations = (2 * settings.solver.iterations + 4) / 5;
    tl_status status = tl_scene_create(&scene);
    if (status == TL_OK)
        status = tl_scene_set_settings(scene, &settings);
    for (uint32_t i = 0; i < BODIES && status == TL_OK; i++) {
        const tl_shape_def shape = shape_of(&t->is, i);
        tl_body_def def = tl_body_default();
        def.shape_count = 1;
        def.shapes = &shape;
        def.mass = i < SIDES * SHOES ? t->is.shoe_mass
                   : i < BODIES - 1  ? t->is.wheel_mass
                                     : t->is.chassis_mass;
        memcpy(def.position, t->centres + 3 * i, sizeof def.position);
        memcpy(def.orientation, t->orientations + 4 * i, sizeof def.orientation);
        status = tl_scene_add_bodies(scene, 1, &def, &bodies[i]);
    }
    floor.kind = TL_FIXED;
    floor.shape_count = 1;
    floor.shapes = &plane;
    if (status == TL_OK)
        status = tl_scene_add_bodies(scene, 1, &floor, NULL);
    if (status == TL_OK)
        status = add_joints(scene, t, bodies);
    if (status == TL_OK)
        status = tl_world_create(scene, world);
    tl_scene_destroy(scene);
    return status;
}

/* A point of a body, where it is and how fast. */
static void point_of(const double *x, const double *v, const double *w, const double *q,
                     double side, double at[3], double speed[3])
{
    const double r[3] = {side * (1 - 2 * (q[2] * q[2] + q[3] * q[3])),
                         side * 2 * (q[1] * q[2] + q[0] * q[3]),
                         side * 2 * (q[1] * q[3] - q[0] * q[2])};
    for (int k = 0; k < 3; k++) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        at[k] = x[k] + r[k];
        speed[k] = v[k] + w[m] * r[n] - w[n] * r[m];
    }
}

/* How far pins are open at most, and how fast they open, root mean square, whatever engine the
 * state comes from: positions, velocities, angular velocities, orientations of `bodies` bodies. */
static void audit(const track *t, const double *state, uint32_t bodies, bench_row *row)
{
    const double *x = state, *v = x + 3 * bodies, *w = v + 3 * bodies, *q = w + 3 * bodies;
    double worst = 0, sum = 0;
    for (uint32_t i = 0; i < SIDES * SHOES; i++) {
        const uint32_t j = (i + 1) % SHOES + i / SHOES * SHOES;
        double a[3], b[3], va[3], vb[3], gap = 0;
        point_of(x + 3 * i, v + 3 * i, w + 3 * i, q + 4 * i, 0.5 * t->is.pitch, a, va);
        point_of(x + 3 * j, v + 3 * j, w + 3 * j, q + 4 * j, -0.5 * t->is.pitch, b, vb);
        for (int k = 0; k < 3; k++) {
            gap += (a[k] - b[k]) * (a[k] - b[k]);
            sum += (va[k] - vb[k]) * (va[k] - vb[k]);
        }
        worst = !(sqrt(gap) <= worst) ? sqrt(gap) : worst;
    }
    row_number(row, "pin_gap", worst);
    row_number(row, "pin_speed", sqrt(sum / (SIDES * SHOES)));
    row_number(row, "sank", t->centres[3 * BODIES - 1] - x[3 * BODIES - 1]);
}

static tl_status audit_track(const tl_world *world, const track *t, bench_row *row)
{
    const uint32_t all = BODIES + 1; /* with the floor, behind the others */
    double *state = malloc(13 * all * sizeof *state);
    tl_status status = state ? tl_world_read_positions(world, all, NULL, state) : TL_NO_MEMORY;
    if (status >= 0)
        status = tl_world_read_velocities(world, all, NULL, state + 3 * all);
    if (status >= 0)
        status = tl_world_read_angular_velocities(world, all, NULL, state + 6 * all);
    if (status >= 0)
        status = tl_world_read_orientations(world, all, NULL, state + 9 * all);
    if (status >= 0)
        audit(t, state, all, row);
    free(state);
    return status;
}

static bool measure(const bench_options *options, bench_output *output, const track *t,
                    bench_row *row)
{
    tl_world *world = NULL;
    tl_report report = {0};
    const uint32_t steps = options->given & OPTION_STEPS ? options->steps : STEPS;
    tl_status status = make(options, t, &world);
    if (output_status(output, "track", BODIES, status))
        return false;
    const tl_settings settings = tl_world_settings(world);
    *row = talus_row("track", world, &settings, BODIES);
    status = tl_world_step(world, SETTLE, &report);
    double least = INFINITY, begin = peer_now_ms(), before = begin, squares = 0, worst = 0,
           deep = 0;
    for (uint32_t i = 0; i < steps && status >= 0; i++) {
        status = tl_world_step(world, 1, &report);
        const double now = peer_now_ms();
        least = fmin(least, now - before);
        before = now;
        squares += report.residual * report.residual / steps;
        worst = fmax(worst, report.max_residual);
        deep = fmax(deep, report.max_penetration);
    }
    report.residual = sqrt(squares); /* of all steps */
    report.max_residual = worst;
    row_report(row, &report);
    row_number(row, "penetration", deep);
    row->ms_per_step = (before - begin) / steps;
    row_number(row, "ms_least", least);
    if (status >= 0)
        status = audit_track(world, t, row);
    tl_world_destroy(world);
    if (output_status(output, "track", BODIES, status))
        return false;
    output_row(output, row);
    return true;
}

static void run_peer(const bench_options *options, bench_output *output, const track *t,
                     const char *engine, const bench_row *talus)
{
    peer_start start = {.task = PEER_TRACK,
                        .bodies = BODIES,
                        .settle = SETTLE,
                        .steps = options->given & OPTION_STEPS ? options->steps : STEPS,
                        .radius = t->is.pitch,
                        .friction = 0.5,
                        .step = STEP,
                        .gravity = -options->settings.gravity[2],
                        .solids = 1,
                        .iterations = options->given & OPTION_ITERATIONS
                                          ? options->settings.solver.iterations
                                          : ITERATIONS,
                        .track = t->is};
    peer_result result;
    void *rows;
    memcpy(start.magic, PEER_START_MAGIC, sizeof start.magic);
    if (!peer_run(output, engine, &start, t->centres, t->orientations, &result, &rows))
        return;
    bench_row row = peer_row("track", engine, &result);
    row.ms_per_step = result.ms_per_step;
    row_number(&row, "ms_least", result.ms_least);
    audit(t, rows, BODIES, &row);
    if (talus) {
        row_number(&row, "ms_over_talus", row.ms_per_step / talus->ms_per_step);
        output_ratio(output, engine, "ms per step", talus, row.ms_per_step, talus->ms_per_step);
    }
    output_row(output, &row);
    free(rows);
}

void bench_track(const bench_options *options, bench_output *output)
{
    track *t = malloc(sizeof *t);
    bench_row row;
    if (!t) {
        output_failure(output, "not enough memory for a track");
        return;
    }
    track_make(t);
    const bool done = measure(options, output, t, &row);
    for (uint32_t k = 0; peer_name(k); k++)
        if (options->peers >> k & 1)
            run_peer(options, output, t, peer_name(k), done ? &row : NULL);
    output_ratios(output);
    free(t);
}
