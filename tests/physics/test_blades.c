/* labels: longer */
/* Nothing tunnels, go on: bodies are shot at plates that are free to move, bodies of several shapes
 * at all plates, and blades that turn by up to a radian within a step sweep over bodies. Middles
 * stay on their side. */
#include "physics/shots.h"

enum { FREE_KINDS = 3, FORMS = 8 };

static const char *const form_names[FORMS] = {"bone",   "angle", "cross",     "ring",
                                              "hammer", "heap",  "two balls", "four balls"};

/* Where a body is in the frame of another. */
static void seen_from(const tl_world *world, tl_body other, const double x[3], double out[3])
{
    double y[3], q[4], d[3];
    position_of(world, other, y);
    orientation_of(world, other, q);
    add3(x, -1, y, d);
    rotate(q, -1, d, out);
}

/* One shot at a heavy plate that is free to move, somewhere on it: the middle stays on its side. */
static void shoot_free(dice *d, int kind, int plate)
{
    const double speed = roll_size(d, 1, 100), down[3] = {0, 0, -1};
    const double thick = roll_size(d, 1e-4, 1e-3);
    tl_material material;
    tl_scene *scene = range(d, &material);
    const shot s = roll_shot(d, kind), sheet = {.kind = 6,
                                                .size = {10, 10, thick / 2},
                                                .points = {{10, 10, thick / 2},
                                                           {-10, -10, -thick / 2},
                                                           {10, -10, thick / 2},
                                                           {-10, 10, -thick / 2},
                                                           {10, 10, -thick / 2},
                                                           {-10, -10, thick / 2},
                                                           {10, -10, -thick / 2},
                                                           {-10, 10, thick / 2}}};
    const double radius = shot_radius(&s);
    double aim[3], x[3], start[3] = {roll(d, -6, 6), roll(d, -6, 6), radius};
    roll_aim(d, &s, speed, aim, start);
    const tl_body body = add_shot(scene, material, &s, d, start, aim, 1);
    tl_shape_def shape = plate == 0   ? tl_box_default(10, 10, thick / 2)
                         : plate == 1 ? tl_cylinder_default(10, thick / 2)
                                      : shot_shape(scene, &sheet);
    shape.material = material;
    const tl_body_def def =
        body_of(&shape, roll_size(d, 1e3, 1e6), (double[3]){0, 0, -thick / 2}, upright);
    const tl_body free = add_body(scene, &def);
    tl_world *world = world_of(scene);
    for (int i = 0; i < 12; i++) {
        step(world, 1);
        shot_now(world, body, &s, down, x);
        seen_from(world, free, x, x);
        assert_above(x[2], 0);
    }
    tl_world_destroy(world);
}

static void test_free_plates(void **state)
{
    (void)state;
    for (int base = 0; base < 2; base++)
        for (int plate = 0; plate < FREE_KINDS; plate++)
            for (int kind = 0; kind < SHOT_KINDS; kind++)
                for (int i = 0; i < shots_of(20); i++) {
                    dice d = {(uint64_t)((plate * SHOT_KINDS + kind) * 100000 + i) +
                              555000000u * (uint64_t)base};
                    context("shot %d of a %s at free plate %d, base %d", i, shot_names[kind], plate,
                            base);
                    shoot_free(&d, kind, plate);
                }
}

/* The shapes of a body of several, which hang together; returns how many, and a radius around its
 * origin that it is within. */
static size_t compound(tl_scene *scene, dice *d, int form, tl_shape_def s[8], double *radius)
{
    const double base = roll_size(d, 0.5e-3, 20e-3), a = base * roll_size(d, 0.5, 2);
    const double b = base * roll_size(d, 0.5, 2), c = base * roll_size(d, 1, 4);
    const size_t counts[FORMS] = {3, 2, 3, 8, 2, 4, 2, 4};
    *radius = 2 * (a + b + c);
    for (size_t i = 0; i < counts[form]; i++) {
        const double sign = i % 2 ? 1 : -1, angle = (double)i * PI / 4;
        shot any = {0};
        switch (form) {
        case 0:
            s[i] = i ? tl_sphere_default(a) : tl_capsule_default(0.5 * a, c);
            s[i].position[2] = i ? sign * c : 0;
            break;
        case 1:
            s[i] = tl_box_default(i ? 0.5 * a : c, 0.5 * a, i ? c : 0.5 * a);
            s[i].position[i ? 2 : 0] = c;
            *radius = 2 * c + a;
            break;
        case 2:
            s[i] = tl_box_default(i == 0 ? c : a / 3, i == 1 ? c : a / 3, i == 2 ? c : a / 3);
            break;
        case 3:
            s[i] = i % 2 ? tl_sphere_default(0.5 * (a + c)) : tl_capsule_default(0.4 * a, 0.4 * c);
            s[i].position[0] = (a + c) * cos(angle);
            s[i].position[1] = (a + c) * sin(angle);
            break;
        case 4:
            s[i] = i ? tl_box_default(a, b, a) : tl_cylinder_default(0.25 * a, c);
            s[i].position[2] = i ? c : 0;
            break;
        case 5:
            any = roll_shot(d, (int)(roll_bits(d) % SHOT_KINDS));
            s[i] = shot_shape(scene, &any);
            roll_turn(d, s[i].orientation);
            roll3(d, -0.2 * any.size[0], 0.2 * any.size[0], s[i].position);
            *radius = fmax(i ? *radius : 0, norm3(s[i].position) + 1.6 * shot_radius(&any));
            break;
        default:
            s[i] = tl_sphere_default(a);
            s[i].position[0] = sign * 0.7 * a;
            s[i].position[1] = i / 2 ? a : 0;
            s[i].position[2] = i / 2 ? 0.7 * sign * a : 0;
        }
    }
    return counts[form];
}

/* One shot of such a body at a plate, or (PLATE_KINDS) at a heavy free one. */
static void shoot_compound(dice *d, int form, int plate)
{
    const double speed = roll_size(d, 1, 100), thick = roll_size(d, 1e-4, 1e-3);
    tl_material material;
    tl_scene *scene = range(d, &material);
    tl_shape_def shapes[8];
    tl_body_def def = tl_body_default();
    double radius, aim[3], axis[3], x[3];
    def.shape_count = compound(scene, d, form, shapes, &radius);
    def.shapes = shapes;
    for (size_t i = 0; i < def.shape_count; i++)
        shapes[i].material = material;
    roll_turn(d, def.orientation);
    roll_direction(d, axis);
    roll_direction(d, aim);
    aim[2] = -fabs(aim[2]) - 0.1;
    const double way = roll(d, 0, 3) * h, size = norm3(aim), spin = roll(d, 0, speed) / radius;
    for (int k = 0; k < 3; k++) {
        def.velocity[k] = aim[k] * speed / size;
        def.position[k] = (k == 2 ? radius : 0) - def.velocity[k] * way;
        def.angular_velocity[k] = axis[k] * spin;
    }
    const tl_body body = add_body(scene, &def);
    if (plate < PLATE_KINDS) {
        add_plate(scene, material, plate, thick);
    } else {
        tl_shape_def box = tl_box_default(10, 10, thick / 2);
        box.material = material;
        def = body_of(&box, 1e5, (double[3]){0, 0, -thick / 2}, upright);
        add_body(scene, &def);
    }
    tl_world *world = world_of(scene);
    step(world, 16);
    position_of(world, body, x);
    assert_above(x[2], -radius); /* the origin may be so far from the middle */
    tl_world_destroy(world);
}

static void test_compounds(void **state)
{
    (void)state;
    for (int base = 0; base < 2; base++)
        for (int plate = 0; plate <= PLATE_KINDS; plate++)
            for (int form = 0; form < FORMS; form++)
                for (int i = 0; i < shots_of(10); i++) {
                    dice d = {(uint64_t)((plate * FORMS + form) * 100000 + i) +
                              333000000u * (uint64_t)base};
                    context("shot %d of a %s at a %s, base %d", i, form_names[form],
                            plate < PLATE_KINDS ? plate_names[plate] : "free plate", base);
                    shoot_compound(&d, form, plate);
                }
}

/* A blade, prescribed or free and heavy, turns about z by up to a radian per step, and a body is
 * before it, at rest or not: it stays before the blade, as long as it is over it. */
static void sweep(dice *d, int kind, bool prescribed)
{
    const double thick = roll_size(d, 1e-4, 1e-3), half = roll_size(d, 0.1, 1);
    const double wide = roll_size(d, 0.05, 0.5), turn_by = roll_size(d, 0.02, 1);
    const double hub = prescribed && roll(d, 0, 1) < 0.5 ? roll(d, 0, 0.5) * half : -half;
    tl_material material;
    tl_scene *scene = range(d, &material);
    const shot s = roll_shot(d, kind);
    const double radius = shot_radius(&s), down[3] = {0, 0, -1};
    tl_shape_def box = tl_box_default(0.5 * (half - hub), 0.5 * thick, wide);
    tl_body_def def = tl_body_default();
    box.position[0] = 0.5 * (half + hub);
    box.material = material;
    def.shape_count = 1;
    def.shapes = &box;
    def.density = 1e7;
    def.kind = prescribed ? TL_PRESCRIBED : TL_DYNAMIC;
    *(prescribed ? def.motion.angular_velocity + 2 : def.angular_velocity + 2) = turn_by / h;
    const tl_body blade = add_body(scene, &def);
    const double out = roll(d, fmax(hub, 0) + radius, fmax(half - radius, radius));
    const double angle = roll(d, 0, 1.5 * turn_by), speed = roll(d, 0, 0.3) * turn_by / h * out;
    double v[3], x[3], start[3] = {out * cos(angle), out * sin(angle), roll(d, -0.9, 0.9) * wide};
    start[1] = fmax(start[1], 0.5 * thick + 1.01 * radius);
    roll_direction(d, v);
    for (int k = 0; k < 3; k++)
        v[k] *= roll_bits(d) % 2 ? speed : 0;
    const tl_body body = add_shot(scene, material, &s, d, start, v, 0.3);
    tl_world *world = world_of(scene);
    bool over = start[0] > hub && start[0] < half;
    for (int i = 0; i < 12 && over; i++) {
        step(world, 1);
        shot_now(world, body, &s, down, x);
        seen_from(world, blade, x, x);
        over = x[0] > hub && x[0] < half && fabs(x[2]) < wide;
        if (over)
            assert_above(x[1], 0);
    }
    tl_world_destroy(world);
}

static void test_blades(void **state)
{
    (void)state;
    for (int base = 0; base < 2; base++)
        for (int free = 0; free < 2; free++)
            for (int kind = 0; kind < SHOT_KINDS; kind++)
                for (int i = 0; i < shots_of(20); i++) {
                    dice d = {(uint64_t)((2 * kind + free) * 100000 + i) +
                              444000000u * (uint64_t)base};
                    context("%s %d before a %s blade, base %d", shot_names[kind], i,
                            free ? "free" : "prescribed", base);
                    sweep(&d, kind, !free);
                }
}

/* A ball that a blade without friction reaches within a step is where the blade's face ends, to
 * rounding, and goes with it: at the anchor r the blade turns by the angle a, and the ball goes r
 * sin a along the face's last normal. Before the next step's end the face comes to it again. A free
 * blade of 2e8 times its mass does the same, but for what it yields. */
static void carry(bool prescribed, double tolerance)
{
    const double anchor = 0.3, a = 0.4, radius = 1e-3, thick = 2e-4;
    const variant v = variant_at(0);
    tl_settings settings = settings_for(&v, h);
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 0);
    tl_shape_def box = tl_box_default(1, 0.5 * thick, 0.1);
    tl_body_def def = tl_body_default();
    double x[3], u[3] = {0, 0, 0};
    set_gravity(scene, 0, 0, 0);
    box.material = material;
    def.shape_count = 1;
    def.shapes = &box;
    def.density = 1e7;
    def.kind = prescribed ? TL_PRESCRIBED : TL_DYNAMIC;
    *(prescribed ? def.motion.angular_velocity + 2 : def.angular_velocity + 2) = a / h;
    const tl_body blade = add_body(scene, &def);
    const tl_body ball =
        add_sphere(scene, material, radius, 0, (double[3]){anchor, radius + 0.5 * thick, 0}, u);
    tl_world *world = world_of(scene);
    for (int i = 0; i < 3; i++) {
        context("a ball before a %s blade, step %d", prescribed ? "prescribed" : "free", i + 1);
        step(world, 1);
        position_of(world, ball, x);
        seen_from(world, blade, x, x);
        assert_near(x[1], radius + 0.5 * thick, tolerance);
        velocity_of(world, ball, u);
        const double lifts = anchor * sin(a) + (radius + 0.5 * thick) * (1 - cos(a));
        if (i == 0) {
            assert_near(u[0], -sin(a) * lifts / h, 1e2 * tolerance);
            assert_near(u[1], cos(a) * lifts / h, 1e2 * tolerance);
        }
    }
    tl_world_destroy(world);
}

static void test_carried(void **state)
{
    (void)state;
    carry(true, 1e-12);
    carry(false, 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_plates), cmocka_unit_test(test_compounds),
        cmocka_unit_test(test_blades), cmocka_unit_test(test_carried)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
