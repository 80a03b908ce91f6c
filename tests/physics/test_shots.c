/* labels: longer */
/* Nothing tunnels: bodies of every convex kind, from 1 mm, with spin and at up to 100 m/s, are shot
 * at plates that they would pass many times over within a step, and at each other. The middle of a
 * body stays on its side, and so no part of it is deeper in a plate than from its middle to its
 * farthest point. */
#include "physics/shapes.h"

enum { SHOT_KINDS = 7, PLATE_KINDS = 6, HULL_PAIRS = 8 };

static const char *const shot_names[SHOT_KINDS] = {"sphere", "box",       "capsule", "cylinder",
                                                   "cone",   "ellipsoid", "hull"};
static const char *const plate_names[PLATE_KINDS] = {"box",     "parallelogram", "mesh",
                                                     "heights", "cylinder",      "hull"};

static const double h = 1.0 / 200;

/* A shape; points of hulls come in opposite pairs, so that their middle is at the origin. */
typedef struct shot {
    int kind;
    double size[3];
    double points[2 * HULL_PAIRS][3];
} shot;

/* A size between two, all magnitudes alike. */
static double roll_size(dice *d, double low, double high)
{
    return low * pow(high / low, roll(d, 0, 1));
}

static shot roll_shot(dice *d, int kind)
{
    shot s = {.kind = kind};
    const double base = roll_size(d, 0.5e-3, 20e-3);
    for (int k = 0; k < 3; k++)
        s.size[k] = base * roll_size(d, 0.5, 4);
    for (int i = 0; i < HULL_PAIRS; i++) {
        roll_direction(d, s.points[2 * i]);
        for (int k = 0; k < 3; k++) {
            s.points[2 * i][k] *= s.size[k];
            s.points[2 * i + 1][k] = -s.points[2 * i][k];
        }
    }
    return s;
}

static tl_shape_def shot_shape(tl_scene *scene, const shot *s)
{
    const double *a = s->size;
    tl_geometry hull;
    switch (s->kind) {
    case 0: return tl_sphere_default(a[0]);
    case 1: return tl_box_default(a[0], a[1], a[2]);
    case 2: return tl_capsule_default(a[0], a[2]);
    case 3: return tl_cylinder_default(a[0], a[2]);
    case 4: return tl_cone_default(a[0], a[2]);
    case 5: return tl_ellipsoid_default(a[0], a[1], a[2]);
    default: assert_ok(tl_scene_add_hull(scene, 2 * HULL_PAIRS, s->points[0], &hull));
    }
    return tl_hull_default(hull);
}

/* How far a shape reaches along d, a unit vector of its frame, from the centre of mass. */
static double shot_support(const shot *s, const double d[3])
{
    const double *a = s->size, across = sqrt(d[0] * d[0] + d[1] * d[1]);
    double most = 0, scaled[3];
    switch (s->kind) {
    case 0: return a[0];
    case 1: return fabs(d[0]) * a[0] + fabs(d[1]) * a[1] + fabs(d[2]) * a[2];
    case 2: return a[0] + fabs(d[2]) * a[2];
    case 3: return a[0] * across + fabs(d[2]) * a[2];
    case 4: return fmax(d[2] * a[2], a[0] * across - d[2] * a[2]) + 0.5 * a[2] * d[2];
    case 5:
        for (int k = 0; k < 3; k++)
            scaled[k] = a[k] * d[k];
        return norm3(scaled);
    default:
        for (int i = 0; i < 2 * HULL_PAIRS; i++)
            most = fmax(most, dot3(d, s->points[i]));
        return most;
    }
}

/* A radius around the centre of mass that the shape is within. */
static double shot_radius(const shot *s)
{
    const double *a = s->size;
    switch (s->kind) {
    case 0: return a[0];
    case 1: return norm3(a);
    case 2: return a[0] + a[2];
    case 3: return hypot(a[0], a[2]);
    case 4: return fmax(1.5 * a[2], hypot(a[0], 0.5 * a[2]));
    default: return fmax(a[0], fmax(a[1], a[2]));
    }
}

/* The centre of mass of a shot body, and how far it reaches along a direction. */
static double shot_now(const tl_world *world, tl_body body, const shot *s, const double along[3],
                       double x[3])
{
    const double middle[3] = {0, 0, s->kind == 4 ? -0.5 * s->size[2] : 0};
    double q[4], local[3], off[3];
    position_of(world, body, x);
    assert_ok(tl_world_read_orientations(world, 1, &body, q));
    rotate(q, -1, along, local);
    rotate(q, 1, middle, off);
    add3(x, 1, off, x);
    return shot_support(s, local);
}

/* Its surface turns at up to `whirl` times its speed. */
static tl_body add_shot(tl_scene *scene, tl_material material, const shot *s, dice *d,
                        const double position[3], const double velocity[3], double whirl)
{
    tl_shape_def shape = shot_shape(scene, s);
    tl_body_def def = tl_body_default();
    double axis[3];
    const double spin = roll(d, 0, whirl) * norm3(velocity) / shot_radius(s);
    shape.material = material;
    def.shape_count = 1;
    def.shapes = &shape;
    roll_turn(d, def.orientation);
    roll_direction(d, axis);
    for (int k = 0; k < 3; k++) {
        def.position[k] = position[k];
        def.velocity[k] = velocity[k];
        def.angular_velocity[k] = axis[k] * spin;
    }
    return add_body(scene, &def);
}

/* A scene without gravity, in either precision, that some shots are fired in. */
static tl_scene *range(dice *d, tl_material *material)
{
    const variant v = variant_at(roll_bits(d) % 2 ? 0 : 2 * SOLVERS);
    tl_settings settings = settings_for(&v, h);
    settings.solver.iterations = settings.solver.position_iterations = 50;
    tl_scene *scene = scene_with(&settings);
    const double e = roll(d, 0, 1) < 0.5 ? 0 : roll(d, 0, 1);
    *material = add_material(scene, roll(d, 0, 0.8), e);
    set_gravity(scene, 0, 0, 0);
    return scene;
}

/* A sheet of 20 m by 20 m whose front is z = 0; triangles of a mesh meet in the middle. */
static void add_plate(tl_scene *scene, tl_material material, int kind, double thick)
{
    const double edge_u[3] = {20, 0, 0}, edge_v[3] = {0, 20, 0};
    if (kind == 0) {
        add_fixed(scene, tl_box_default(10, 10, thick / 2), material, (double[3]){0, 0, -thick / 2},
                  upright);
    } else if (kind == 1) {
        add_fixed(scene, tl_parallelogram_default(edge_u, edge_v), material,
                  (double[3]){-10, -10, 0}, upright);
    } else if (kind == 2) {
        tl_mesh *mesh = NULL;
        tl_geometry g;
        double v[9][3];
        uint32_t t[8][3];
        for (int i = 0; i < 9; i++)
            v[i][0] = 10 * (i % 3) - 10, v[i][1] = 10 * (i / 3) - 10, v[i][2] = 0;
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t c = i % 2 + 3 * (i / 2);
            t[2 * i][0] = c, t[2 * i][1] = c + 1, t[2 * i][2] = c + 4;
            t[2 * i + 1][0] = c, t[2 * i + 1][1] = c + 4, t[2 * i + 1][2] = c + 3;
        }
        const tl_mesh_def form = {.scale = 1,
                                  .vertex_count = 9,
                                  .vertices = v[0],
                                  .triangle_count = 8,
                                  .triangles = t[0]};
        assert_ok(tl_mesh_create(&form, &mesh));
        assert_ok(tl_scene_add_mesh(scene, mesh, &g));
        tl_mesh_destroy(mesh);
        add_fixed(scene, tl_mesh_shape_default(g), material, (double[3]){0, 0, 0}, upright);
    } else if (kind == 3) {
        double z[49] = {0};
        const tl_heights_def def = {7, 7, {20.0 / 6, 20.0 / 6}, z};
        tl_geometry g;
        assert_ok(tl_scene_add_heights(scene, &def, &g));
        add_fixed(scene, tl_heights_default(g), material, (double[3]){-10, -10, 0}, upright);
    } else if (kind == 4) {
        add_fixed(scene, tl_cylinder_default(10, thick / 2), material,
                  (double[3]){0, 0, -thick / 2}, upright);
    } else {
        double corners[8][3];
        tl_geometry g;
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 3; k++)
                corners[i][k] = (i >> k & 1 ? 1 : -1) * (k == 2 ? thick / 2 : 10);
        assert_ok(tl_scene_add_hull(scene, 8, corners[0], &g));
        add_fixed(scene, tl_hull_default(g), material, (double[3]){0, 0, -thick / 2}, upright);
    }
}

/* One shot at a plate. */
static void shoot(dice *d, int kind, int plate, double whirl)
{
    const double speed = roll_size(d, 1, 100), down[3] = {0, 0, -1};
    tl_material material;
    tl_scene *scene = range(d, &material);
    const shot s = roll_shot(d, kind);
    const double radius = shot_radius(&s);
    double aim[3], x[3], start[3] = {0, 0, radius};
    roll_direction(d, aim);
    aim[2] = -fabs(aim[2]) - 0.1;
    const double way = roll(d, 0, 3) * h, size = norm3(aim);
    for (int k = 0; k < 3; k++) {
        aim[k] *= speed / size;
        start[k] -= aim[k] * way;
    }
    start[2] += s.kind == 4 ? s.size[2] : 0;
    const tl_body body = add_shot(scene, material, &s, d, start, aim, whirl);
    add_plate(scene, material, plate, roll_size(d, 1e-4, 1e-3));
    tl_world *world = world_of(scene);
    for (int i = 0; i < 12; i++) {
        step(world, 1);
        const double reach = shot_now(world, body, &s, down, x);
        assert_above(x[2], 0);
        assert_below(reach - x[2], kind == 0 ? 1e-5 * radius + 1e-6 * h * speed : radius);
    }
    tl_world_destroy(world);
}

/* How many times as many shots as usual. */
static int more(void)
{
    return getenv("TALUS_LONG") ? 50 : 1;
}

static void shoot_all(double whirl, int seed)
{
    for (int plate = 0; plate < PLATE_KINDS; plate++)
        for (int kind = 0; kind < SHOT_KINDS; kind++)
            for (int i = 0; i < 100 * more(); i++) {
                dice d = {(uint64_t)((plate * SHOT_KINDS + kind) * 100000 + i + seed)};
                context("shot %d of a %s at a %s", i, shot_names[kind], plate_names[plate]);
                shoot(&d, kind, plate, whirl);
            }
}

static void test_plates(void **state)
{
    (void)state;
    shoot_all(1, 0);
}

/* Bodies that turn many times over within a step. */
static void test_whirls(void **state)
{
    (void)state;
    shoot_all(10, 777000000);
}

/* Two thin bodies face each other, a little tilted and off centre, and change sides within a step
 * unless they are held: neither passes through the other. */
static void meet(dice *d, int kind)
{
    const double speed = roll_size(d, 1, 100), radius = roll_size(d, 1e-3, 20e-3);
    tl_material material;
    tl_scene *scene = range(d, &material);
    shot s = {.kind = kind, .size = {radius, radius, radius * roll_size(d, 0.01, 0.3)}};
    tl_body bodies[2];
    double along[3], off[3], x[2][3];
    for (int i = 0; i < HULL_PAIRS; i++)
        for (int k = 0; k < 2; k++) {
            const double angle = PI * (i + 0.3 * k) / HULL_PAIRS, sign = k ? -1 : 1;
            s.points[2 * i + k][0] = sign * radius * cos(angle);
            s.points[2 * i + k][1] = sign * radius * sin(angle);
            s.points[2 * i + k][2] = (i % 2 ? sign : -sign) * s.size[2];
        }
    roll_direction(d, along);
    roll3(d, -0.1 * radius, 0.1 * radius, off);
    const double start = radius + roll(d, 0, 2) * h * speed;
    for (int i = 0; i < 2; i++) {
        const double z[3] = {0, 0, 1}, sign = i ? 1 : -1;
        tl_shape_def shape = shot_shape(scene, &s);
        tl_body_def def = tl_body_default();
        double tilt[3], axis[3];
        roll3(d, -0.1, 0.1, tilt);
        add3(along, 1, tilt, tilt);
        cross3(z, tilt, axis);
        turn(axis, atan2(norm3(axis), tilt[2]), def.orientation);
        shape.material = material;
        def.shape_count = 1;
        def.shapes = &shape;
        for (int k = 0; k < 3; k++) {
            def.position[k] = sign * start * along[k] + (i ? off[k] : 0);
            def.velocity[k] = -sign * speed * along[k];
        }
        bodies[i] = add_body(scene, &def);
    }
    tl_world *world = world_of(scene);
    bool met = false;
    for (int i = 0; i < 9 && !met; i++) { /* later they may turn around each other */
        met = step_report(world, 1).contacts > 0;
        assert_ok(tl_world_read_positions(world, 2, bodies, x[0]));
        add3(x[1], -1, x[0], off);
        const double apart = dot3(off, along);
        if (norm3(off) < hypot(apart, radius))  /* not past each other */
            assert_above(apart, -0.5 * radius); /* a turn may bring middles past each other */
    }
    assert_true(met);
    tl_world_destroy(world);
}

static void test_meet(void **state)
{
    const int kinds[] = {1, 3, 5, 6};
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < 200 * more(); i++) {
            dice d = {(uint64_t)(kind * 100000 + i)};
            context("pair %d of a %s", i, shot_names[kinds[kind]]);
            meet(&d, kinds[kind]);
        }
}

/* An ellipsoid that skims a heavy plate, free to move, goes 37 mm along it before they touch: it is
 * struck at its own surface, without friction through its middle, and bounces as from a wall. */
static void test_skims(void **state)
{
    const variant v = variant_at(2 * SOLVERS);
    tl_settings settings = settings_for(&v, h);
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 0.5);
    tl_shape_def shape = tl_ellipsoid_default(0.012, 0.011, 0.01), plate;
    double u[3], spin[3];
    (void)state;
    set_gravity(scene, 0, 0, 0);
    shape.material = material;
    plate = tl_box_default(10, 10, 1e-4);
    plate.material = material;
    tl_body_def def = body_of(&shape, 1000, (double[3]){0, 0, 0.03}, upright);
    def.velocity[0] = 85;
    def.velocity[2] = -46;
    const tl_body body = add_body(scene, &def);
    def = body_of(&plate, 1e7, (double[3]){0, 0, -1e-4}, upright);
    add_body(scene, &def);
    tl_world *world = world_of(scene);
    step(world, 1);
    velocity_of(world, body, u);
    spin_of(world, body, spin);
    assert_near(u[2], 23, 1e-3);
    assert_near(norm3(spin), 0, 1e-1);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plates), cmocka_unit_test(test_whirls),
                                       cmocka_unit_test(test_meet), cmocka_unit_test(test_skims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
