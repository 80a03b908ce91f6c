/* Shared by the tests: the solver variants every physics test runs through, short ways to build a
 * scene and read a world, checks that say what was expected, a little vector algebra and random
 * numbers. Uses the public interface alone. */
#ifndef TALUS_TESTS_SUPPORT_H
#define TALUS_TESTS_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "talus/talus.h"

#define PI 3.14159265358979323846
#define G  9.81

/* Sanitizers make a step ten times as slow, and see all of the code in fewer of them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHED true
#else
#define WATCHED false
#endif
#if defined(__SANITIZE_THREAD__)
#define RACED true
#else
#define RACED false
#endif

/* Of so many cases by chance those that are run. */
#define SOME(count) (WATCHED ? ((count) + 9) / 10 : (count))

__attribute__((unused)) static void left_out(void **state)
{
    (void)state;
    print_message("left out under a sanitizer, which sees its code in the others\n");
}

/* In a list of tests: one whose code the others run too, in fewer steps; and one whose code only
 * other threads would make new to the thread sanitizer. */
#define unwatched_test(test)                                 \
    {                                                        \
#test, WATCHED ? left_out : (test), NULL, NULL, NULL \
    }
#define one_thread_test(test)                              \
    {                                                      \
#test, RACED ? left_out : (test), NULL, NULL, NULL \
    }

/* Whether this is the run among the long tests of one that is labelled `longer`. */
__attribute__((unused)) static bool is_long(void)
{
    return getenv("TALUS_LONG") != NULL;
}

/* ---- Checks ---- */

/* What is being tested right now; printed in front of every failure. */
static char test_context[160] = "";

__attribute__((format(printf, 1, 2), unused)) static void context(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(test_context, sizeof test_context, format, list);
    va_end(list);
}

static inline void near_at(const char *what, double got, double want, double tolerance,
                           const char *file, int line)
{
    if (fabs(got - want) <= tolerance)
        return;
    print_error("%s: %s is %.12g; expected %.12g within %.3g (off by %.3g)\n", test_context, what,
                got, want, tolerance, got - want);
    _fail(file, line);
}

static inline void below_at(const char *what, double got, double limit, const char *file, int line)
{
    if (got <= limit)
        return;
    print_error("%s: %s is %.12g; expected at most %.6g\n", test_context, what, got, limit);
    _fail(file, line);
}

static inline void status_at(const char *call, tl_status got, tl_status want, const char *file,
                             int line)
{
    if (got == want)
        return;
    print_error("%s: %s gave %s (%s); expected %s\n", test_context, call, tl_status_name(got),
                tl_last_message(), tl_status_name(want));
    _fail(file, line);
}

static inline void refused_at(const char *call, tl_status got, tl_status want, const char *text,
                              const char *file, int line)
{
    status_at(call, got, want, file, line);
    if (strcmp(tl_last_message(), text) == 0)
        return;
    print_error("%s: %s said\n    \"%s\"; expected\n    \"%s\"\n", test_context, call,
                tl_last_message(), text);
    _fail(file, line);
}

/* A row of docs/validation.md, which tools/validation-table makes from what the tests print. No
 * part holds a '|'. */
typedef struct claim {
    const char *what;     /* what is simulated */
    const char *against;  /* what it is compared with */
    const char *quantity; /* and its unit */
    const char *settings; /* the step, and what else matters; not the variant */
} claim;

static inline void found_at(const claim *c, const char *how, double got, double want,
                            double tolerance, const char *file, int line)
{
    near_at(c->quantity, got, want, tolerance, file, line);
    print_message("validation: %s | %s | %s | %s | %s | %.17g | %.17g | %.3g\n", c->what,
                  c->against, c->quantity, c->settings, how, want, got, tolerance);
}

/* Each evaluates its arguments once; a NaN fails. */
#define assert_near(got, want, tolerance) near_at(#got, got, want, tolerance, __FILE__, __LINE__)
/* assert_near of a claim that docs/validation.md makes; `how`: the variant's name or the solver's.
 */
#define assert_found(claim, how, got, want, tolerance) \
    found_at(claim, how, got, want, tolerance, __FILE__, __LINE__)
#define assert_below(got, limit)         below_at(#got, got, limit, __FILE__, __LINE__)
#define assert_above(got, limit)         below_at("-" #got, -(got), -(limit), __FILE__, __LINE__)
#define assert_status(call, want)        status_at(#call, call, want, __FILE__, __LINE__)
#define assert_ok(call)                  assert_status(call, TL_OK)
#define assert_refused(call, want, text) refused_at(#call, call, want, text, __FILE__, __LINE__)

/* ---- Vectors and quaternions (w, x, y, z) ---- */

static inline double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double norm3(const double a[3])
{
    return sqrt(dot3(a, a));
}

static inline double distance3(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return norm3(d);
}

/* out = a + s b */
static inline void add3(const double a[3], double s, const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] + s * b[k];
}

/* The quaternion of a turn by `angle` about `axis` (any length). */
static inline void turn(const double axis[3], double angle, double q[4])
{
    const double s = sin(angle / 2) / norm3(axis);
    q[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++)
        q[k + 1] = s * axis[k];
}

/* v turned by q; `sign` -1 turns back. */
static inline void rotate(const double q[4], double sign, const double v[3], double out[3])
{
    const double u[3] = {sign * q[1], sign * q[2], sign * q[3]};
    double c[3], cc[3];
    cross3(u, v, c);
    cross3(u, c, cc);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + 2 * (q[0] * c[k] + cc[k]);
}

/* ---- Random numbers (splitmix64), the same on every machine ---- */

typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t roll_bits(dice *d)
{
    uint64_t z = (d->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [low, high). */
static inline double roll(dice *d, double low, double high)
{
    return low + (high - low) * (double)(roll_bits(d) >> 11) * 0x1p-53;
}

static inline void roll3(dice *d, double low, double high, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = roll(d, low, high);
}

/* A random direction, by rejection from the ball. */
static inline void roll_direction(dice *d, double out[3])
{
    double length;
    do {
        roll3(d, -1, 1, out);
        length = norm3(out);
    } while (length > 1 || length < 0.1);
    for (int k = 0; k < 3; k++)
        out[k] /= length;
}

static inline void roll_turn(dice *d, double q[4])
{
    double axis[3];
    roll_direction(d, axis);
    turn(axis, roll(d, 0, 2 * PI), q);
}

/* ---- Variants: every way in which a contact can be solved ---- */

typedef struct variant {
    char name[64];
    tl_solver_kind kind;
    tl_law law;
    tl_overlap overlap;
    tl_precision precision;
    /* Enough that problems of a few contacts are solved to rounding: the slowest, jacobi, contracts
     * by about 1 - omega * 3 / 8 = 0.89 an iteration for one sphere on a floor, 0.89^400 < 1e-19.
     */
    uint32_t iterations;
} variant;

#define SOLVERS  8
#define VARIANTS (SOLVERS * 4)

static inline variant variant_at(int index)
{
    static const struct {
        const char *name;
        tl_solver_kind kind;
        tl_law law;
        uint32_t iterations;
    } solvers[SOLVERS] = {
        {"psor coulomb", TL_PSOR, TL_LAW_COULOMB, 100},
        {"psor cone", TL_PSOR, TL_LAW_CONE, 200},
        {"jacobi coulomb", TL_JACOBI, TL_LAW_COULOMB, 400},
        {"jacobi cone", TL_JACOBI, TL_LAW_CONE, 400},
        {"apgd coulomb", TL_APGD, TL_LAW_COULOMB, 200},
        {"apgd cone", TL_APGD, TL_LAW_CONE, 200},
        {"spg coulomb", TL_SPG, TL_LAW_COULOMB, 200},
        {"spg cone", TL_SPG, TL_LAW_CONE, 200},
    };
    variant v = {.kind = solvers[index % SOLVERS].kind,
                 .law = solvers[index % SOLVERS].law,
                 .overlap = (index / SOLVERS) % 2 ? TL_OVERLAP_VELOCITY : TL_OVERLAP_SPLIT,
                 .precision = index / SOLVERS / 2 ? TL_MIXED : TL_DOUBLE,
                 .iterations = solvers[index % SOLVERS].iterations};
    snprintf(v.name, sizeof v.name, "%s, %s, %s", solvers[index % SOLVERS].name,
             v.overlap == TL_OVERLAP_SPLIT ? "split" : "velocity",
             v.precision == TL_DOUBLE ? "double" : "mixed");
    return v;
}

/* Runs a test for every solver, overlap mode and precision. A sanitizer watches one in eleven of
 * them: psor, jacobi and spg, and with these both laws, modes and precisions. */
static inline void for_each_variant(void (*run)(const variant *))
{
    for (int i = 0; i < VARIANTS; i += WATCHED ? 11 : 1) {
        const variant v = variant_at(i);
        context("%s", v.name);
        run(&v);
    }
}

/* Runs a test in both precisions with psor and the split. A sanitizer watches the mixed one. */
static inline void for_each_precision(void (*run)(const variant *))
{
    for (int i = WATCHED ? 2 * SOLVERS : 0; i < VARIANTS; i += 2 * SOLVERS) {
        const variant v = variant_at(i);
        context("%s", v.name);
        run(&v);
    }
}

static inline bool is_cone(const variant *v)
{
    return v->law == TL_LAW_CONE;
}

/* What rounding and the solver may leave in a value of size `scale` that `steps` steps have summed
 * up: in mixed precision one step rounds it to 24 bits, a few operations each; in double precision
 * the solver, run to about 1e-11, counts for more than rounding does. */
static inline double slack(const variant *v, double scale, double steps)
{
    return scale * (v->precision == TL_DOUBLE ? 1e-10 * sqrt(steps) : steps * 0x1p-22);
}

/* ---- Scenes and worlds ---- */

static inline tl_settings settings_for(const variant *v, double h)
{
    tl_settings s = tl_settings_default();
    s.step = h;
    s.overlap = v->overlap;
    s.precision = v->precision;
    s.threads = 1;
    s.solver.kind = v->kind;
    s.solver.law = v->law;
    s.solver.iterations = v->iterations;
    s.solver.position_iterations = v->iterations;
    return s;
}

static inline tl_scene *scene_with(const tl_settings *settings)
{
    tl_scene *scene = NULL;
    assert_ok(tl_scene_create(&scene));
    assert_ok(tl_scene_set_settings(scene, settings));
    return scene;
}

static inline tl_scene *scene_for(const variant *v, double h)
{
    const tl_settings s = settings_for(v, h);
    return scene_with(&s);
}

static inline void set_gravity(tl_scene *scene, double x, double y, double z)
{
    tl_settings s = tl_scene_settings(scene);
    s.gravity[0] = x;
    s.gravity[1] = y;
    s.gravity[2] = z;
    assert_ok(tl_scene_set_settings(scene, &s));
}

static inline tl_material add_material(tl_scene *scene, double friction, double restitution)
{
    tl_material_def def = tl_material_default();
    tl_material material = {0};
    def.friction = friction;
    def.restitution = restitution;
    assert_ok(tl_scene_add_material(scene, &def, &material));
    return material;
}

static inline tl_body add_body(tl_scene *scene, const tl_body_def *def)
{
    tl_body body = {0, 0};
    assert_ok(tl_scene_add_bodies(scene, 1, def, &body));
    return body;
}

/* A fixed body with one shape. */
static inline tl_body add_fixed(tl_scene *scene, tl_shape_def shape, tl_material material,
                                const double position[3], const double orientation[4])
{
    tl_body_def def = tl_body_default();
    shape.material = material;
    def.kind = TL_FIXED;
    def.shape_count = 1;
    def.shapes = &shape;
    memcpy(def.position, position, sizeof def.position);
    memcpy(def.orientation, orientation, sizeof def.orientation);
    return add_body(scene, &def);
}

/* The floor z = 0. */
static inline tl_body add_floor(tl_scene *scene, tl_material material)
{
    return add_fixed(scene, tl_plane_default(), material, (double[3]){0, 0, 0},
                     (double[4]){1, 0, 0, 0});
}

/* A dynamic sphere of density 1000 unless `mass` is above 0. */
static inline tl_body add_sphere(tl_scene *scene, tl_material material, double radius, double mass,
                                 const double position[3], const double velocity[3])
{
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_sphere_default(radius);
    shape.material = material;
    def.mass = mass;
    def.shape_count = 1;
    def.shapes = &shape;
    memcpy(def.position, position, sizeof def.position);
    memcpy(def.velocity, velocity, sizeof def.velocity);
    return add_body(scene, &def);
}

/* Compiles the scene, which is freed; overlap is allowed, as tests start from it on purpose. */
static inline tl_world *world_of(tl_scene *scene)
{
    tl_world *world = NULL;
    const tl_status status = tl_world_create(scene, &world);
    if (status != TL_OVERLAPPING)
        assert_status(status, TL_OK);
    assert_non_null(world);
    tl_scene_destroy(scene);
    return world;
}

static inline void step(tl_world *world, uint32_t count)
{
    assert_ok(tl_world_step(world, count, NULL));
}

static inline tl_report step_report(tl_world *world, uint32_t count)
{
    tl_report report;
    assert_ok(tl_world_step(world, count, &report));
    return report;
}

static inline void position_of(const tl_world *world, tl_body body, double out[3])
{
    assert_ok(tl_world_read_positions(world, 1, &body, out));
}

static inline void orientation_of(const tl_world *world, tl_body body, double out[4])
{
    assert_ok(tl_world_read_orientations(world, 1, &body, out));
}

static inline void velocity_of(const tl_world *world, tl_body body, double out[3])
{
    assert_ok(tl_world_read_velocities(world, 1, &body, out));
}

static inline void spin_of(const tl_world *world, tl_body body, double out[3])
{
    assert_ok(tl_world_read_angular_velocities(world, 1, &body, out));
}

/* All contacts, in new memory for free(); NULL where there are none. */
static inline tl_contact *contacts_of(const tl_world *world, size_t *count)
{
    *count = tl_world_contact_count(world);
    if (*count == 0)
        return NULL;
    tl_contact *contacts = malloc(*count * sizeof *contacts);
    assert_non_null(contacts);
    assert_ok(tl_world_read_contacts(world, *count, contacts));
    return contacts;
}

/* Gives all materials of a world every law; rolling and spinning friction where these are wanted.
 * What has none yet gets compliance with itself. */
static inline void give_laws(tl_world *world, bool rolls)
{
    const double belt[3] = {0.3, 0.1, -0.2};
    tl_pair_def pair;
    for (uint32_t a = 0; tl_world_pair(world, (tl_material){a}, (tl_material){a}, &pair) == TL_OK;
         a++) {
        assert_ok(tl_world_set_surface_velocity(world, (tl_material){a}, belt));
        for (uint32_t b = 0; b <= a; b++) {
            assert_ok(tl_world_pair(world, (tl_material){a}, (tl_material){b}, &pair));
            pair.rolling_friction = rolls ? 0.1 : 0;
            pair.spinning_friction = rolls ? 0.05 : 0;
            pair.cohesion = 1;
            if (a == b) {
                pair.compliance = 1e-6;
                pair.damping_time = 1e-3;
                pair.restitution = 0;
            }
            assert_ok(tl_world_set_pair(world, (tl_material){a}, (tl_material){b}, &pair));
        }
    }
}

/* A monitor of every kind, over ranges of bodies, an emitter and all; bodies 1 to 3 and emitter 0
 * must be there. The first status that is not TL_OK. */
static inline tl_status add_monitors(tl_scene *scene)
{
    static const char *const names[] = {"force", "torque", "flow",   "place", "velocity",
                                        "spin",  "energy", "amount", "speed"};
    const tl_body_range ranges[2] = {{{1, 1}, 1}, {{2, 1}, 2}};
    const uint32_t emitter = 0;
    tl_status status = TL_OK;
    for (int kind = TL_MONITOR_FORCE; kind <= TL_MONITOR_RAY && status == TL_OK; kind++) {
        static const char *const later[] = {"mean", "most",     "least", "integral",
                                            "both", "touching", "ray"};
        tl_monitor_def def = tl_monitor_default();
        def.kind = (tl_monitor_kind)kind;
        def.name = kind < TL_MONITOR_MEAN ? names[kind] : later[kind - TL_MONITOR_MEAN];
        def.on = (tl_group_def){.range_count = kind % 2 ? 1 : 2,
                                .ranges = ranges,
                                .emitter_count = kind > TL_MONITOR_TORQUE,
                                .emitters = &emitter};
        if (kind == TL_MONITOR_VELOCITY)
            def.on = (tl_group_def){.all = true};
        if (kind == TL_MONITOR_FORCE)
            def.by = (tl_group_def){
                .emitter_count = 1, .emitters = &emitter, .range_count = 1, .ranges = ranges};
        def.axis[1] = kind == TL_MONITOR_FORCE || kind == TL_MONITOR_RAY;
        def.from = (tl_body){kind == TL_MONITOR_RAY ? 2 : 0, kind == TL_MONITOR_RAY};
        def.max_distance = 5;
        def.normal[2] = -1;
        def.point[2] = 0.5;
        def.within = kind == TL_MONITOR_AMOUNT;
        def.region = (tl_region){.kind = TL_REGION_SPHERE, .radius = 1};
        def.of = kind % 2 ? "force.z" : "speed.max";
        def.window = kind == TL_MONITOR_MEAN ? 0.05 : INFINITY;
        def.expression = "mean + most * t";
        def.unit = "J";
        status = tl_scene_add_monitor(scene, &def);
    }
    return status;
}

/* ---- A small world for tests of the interface ---- */

/* A floor (body 1) and four spheres on it (2 to 5), half a metre apart: five bodies, four contacts.
 */
static inline tl_world *five(tl_precision precision)
{
    tl_settings settings = tl_settings_default();
    settings.precision = precision;
    settings.threads = 1;
    tl_scene *scene = scene_with(&settings);
    add_floor(scene, (tl_material){0});
    for (int i = 0; i < 4; i++)
        add_sphere(scene, (tl_material){0}, 0.1, 1 + i, (double[3]){0.5 * i, 0, 0.1},
                   (double[3]){0, 0, 0});
    context("five bodies");
    return world_of(scene);
}

static inline tl_body_def ball_at(const tl_shape_def *ball, double x, double z)
{
    tl_body_def def = tl_body_default();
    def.shape_count = 1;
    def.shapes = ball;
    def.position[0] = x;
    def.position[2] = z;
    return def;
}

/* ---- A scene for tests that need many contacts ---- */

/* `bodies` spheres of two sizes fall on a turning paddle and a floor, in an open box of five fixed
 * boxes: 0.24 m wide inside per sphere of an edge. */
static inline tl_scene *mixer_scene(const tl_settings *settings, uint32_t bodies, uint64_t seed)
{
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.4, 0.1);
    const uint32_t side = (uint32_t)ceil(cbrt((double)bodies));
    const double half = 0.12 * side;
    const double wall[4][3] = {
        {half + 0.2, 0, 0}, {-half - 0.2, 0, 0}, {0, half + 0.2, 0}, {0, -half - 0.2, 0}};
    const double straight[4] = {1, 0, 0, 0};
    dice d = {seed};

    add_fixed(scene, tl_box_default(half + 0.5, half + 0.5, 0.2), material, (double[3]){0, 0, -0.2},
              straight);
    for (int i = 0; i < 4; i++)
        add_fixed(scene, tl_box_default(i < 2 ? 0.2 : half + 0.5, i < 2 ? half + 0.5 : 0.2, 3),
                  material, wall[i], straight);

    tl_body_def paddle = tl_body_default();
    tl_shape_def blade = tl_box_default(0.8 * half, 0.05, 0.12);
    blade.material = material;
    paddle.kind = TL_PRESCRIBED;
    paddle.position[2] = 0.15;
    paddle.shape_count = 1;
    paddle.shapes = &blade;
    paddle.motion.angular_velocity[2] = 3;
    add_body(scene, &paddle);

    for (uint32_t i = 0; i < bodies; i++) {
        const double place[3] = {0.24 * (i % side) - half + 0.12 + roll(&d, -0.01, 0.01),
                                 0.24 * (i / side % side) - half + 0.12 + roll(&d, -0.01, 0.01),
                                 0.4 + 0.24 * (i / side / side) + roll(&d, -0.01, 0.01)};
        add_sphere(scene, material, i % 3 ? 0.1 : 0.07, 0, place, (double[3]){0, 0, 0});
    }
    return scene;
}

/* Such a scene with shapes of several groups, pairs that are excluded, and sensors: in and out of
 * bins, on the grains themselves, larger than all of these, and more than are tested directly. */
static inline tl_scene *filtered_scene(const tl_settings *settings)
{
    tl_scene *scene = mixer_scene(settings, 200, 7);
    dice d = {4};
    for (int i = 0; i < 120; i++) {
        tl_shape_def shapes[2] = {tl_sphere_default(0.1), tl_sphere_default(0.15)};
        tl_body_def body = tl_body_default();
        shapes[0].group = 1u << i % 3;
        shapes[0].mask = i % 4 ? UINT32_MAX : ~(1u << i % 3);
        shapes[1].sensor = true;
        body.shapes = shapes;
        body.shape_count = i % 2 ? 2 : 1;
        roll3(&d, -0.5, 0.5, body.position);
        body.position[2] += 1.2;
        const tl_body made = add_body(scene, &body);
        assert_ok(tl_scene_exclude(scene, made, (tl_body){made.index - 1, 1}));
        assert_ok(tl_scene_exclude(scene, (tl_body){2, 1}, made));
    }
    for (int i = 0; i < 40; i++) {
        tl_shape_def gate = i % 2 ? tl_sphere_default(0.2 + 0.05 * i) : tl_box_default(0.3, 0.1, 1);
        double x[3], q[4];
        roll3(&d, -1, 1, x);
        roll_turn(&d, q);
        gate.sensor = true;
        add_fixed(scene, gate, (tl_material){0}, x, q);
    }
    return scene;
}

#endif
