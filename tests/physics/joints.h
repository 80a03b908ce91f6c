/* Shared by the tests of joints: bodies without shapes that could touch, and joints between them.
 */
#ifndef TALUS_TESTS_JOINTS_H
#define TALUS_TESTS_JOINTS_H

#include "support.h"

static const double joint_x[3] = {1, 0, 0}, joint_y[3] = {0, 1, 0}, joint_z[3] = {0, 0, 1};

static inline variant joint_variant(void)
{
    return variant_at(0);
}

/* A box that meets nothing, of mass 1 unless told otherwise, as tall as it is deep. */
static inline tl_body add_link(tl_scene *scene, double hx, double hy, double hz, double mass,
                               const double position[3], const double orientation[4])
{
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_box_default(hx, hy, hz);
    shape.mask = 0;
    def.mass = mass;
    def.shape_count = 1;
    def.shapes = &shape;
    memcpy(def.position, position, sizeof def.position);
    if (orientation)
        memcpy(def.orientation, orientation, sizeof def.orientation);
    return add_body(scene, &def);
}

/* Where a body of the scene is that was put at x with orientation q (NULL: none). */
typedef struct put {
    tl_body body;
    double x[3], q[4];
} put;

static const put ground = {{0, 0}, {0, 0, 0}, {1, 0, 0, 0}};

static inline put put_link(tl_scene *scene, double hx, double hy, double hz, double mass, double x,
                           double y, double z)
{
    const double at[3] = {x, y, z};
    return (put){add_link(scene, hx, hy, hz, mass, at, NULL), {x, y, z}, {1, 0, 0, 0}};
}

/* A joint of a kind at a point of the world with z along an axis; to be added by add_joint(). */
static inline tl_joint_def joint_at(tl_joint_kind kind, put a, put b, const double point[3],
                                    const double axis[3])
{
    tl_joint_def def = tl_joint_default(kind);
    def.a = a.body;
    def.b = b.body;
    assert_ok(tl_joint_place(&def, point, axis, a.x, a.q, b.x, b.q));
    return def;
}

static inline tl_joint add_joint(tl_scene *scene, const tl_joint_def *def)
{
    tl_joint joint = {0};
    assert_ok(tl_scene_add_joint(scene, def, &joint));
    return joint;
}

static inline tl_joint join(tl_scene *scene, tl_joint_kind kind, put a, put b, double x, double y,
                            double z, const double axis[3])
{
    const double point[3] = {x, y, z};
    const tl_joint_def def = joint_at(kind, a, b, point, axis);
    return add_joint(scene, &def);
}

/* A machine of many kinds above a floor with some balls. */
static inline tl_scene *machine_scene(const tl_settings *settings)
{
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.4, 0.3);
    add_floor(scene, material);
    put before = ground;
    for (int i = 0; i < 8; i++) {
        tl_body_def def = tl_body_default();
        tl_shape_def shape = tl_box_default(0.2, 0.05, 0.05);
        shape.material = material;
        def.shape_count = 1;
        def.shapes = &shape;
        def.mass = 1;
        def.position[0] = 0.5 * i + 0.25;
        def.position[2] = 0.4;
        put link = {.x = {def.position[0], 0, 0.4}, .q = {1, 0, 0, 0}};
        link.body = add_body(scene, &def);
        tl_joint_def joint = joint_at(i % 2 ? TL_JOINT_REVOLUTE : TL_JOINT_SPHERICAL, before, link,
                                      (double[3]){0.5 * i, 0, 0.4}, joint_y);
        if (i % 2) {
            joint.axes[5].lower = -0.3;
            joint.axes[5].upper = 0.5;
            joint.axes[5].friction = 0.05;
            joint.axes[5].drive = i == 3 ? TL_DRIVE_SPEED : TL_DRIVE_NONE;
            joint.axes[5].target.value = i == 3 ? 2 : 0;
            joint.axes[5].limit = i == 3 ? 3 : INFINITY;
        }
        add_joint(scene, &joint);
        before = link;
    }
    for (int i = 0; i < 10; i++)
        add_sphere(scene, material, 0.1, 1, (double[3]){0.4 * i, 0.05, 1 + 0.3 * (i % 3)},
                   (double[3]){0, 0, 0});
    return scene;
}

/* A chain between two points, straight at first. */
static inline tl_scene *chain_scene(const tl_settings *settings, int links)
{
    tl_scene *scene = scene_with(settings);
    put before = ground;
    for (int i = 0; i < links; i++) {
        const put link = put_link(scene, 0.5, 0.05, 0.04, 1, i + 0.5, 0, 0);
        join(scene, TL_JOINT_SPHERICAL, before, link, i, 0, 0, joint_z);
        before = link;
    }
    join(scene, TL_JOINT_SPHERICAL, before, ground, links, 0, 0, joint_z);
    return scene;
}

/* A net of balls on rods of 1 m in the plane of x and y, `edge` along each side. Two corners are
 * held, as far apart as the edge between them is long: it is straight and can only stay so. */
static inline tl_scene *taut_net_scene(const tl_settings *settings, int edge)
{
    tl_scene *scene = scene_with(settings);
    put first = ground, last = ground;
    for (int i = 0; i < edge * edge; i++) {
        const int x = i % edge, y = i / edge;
        tl_shape_def shape = tl_sphere_default(0.1);
        tl_body_def def = tl_body_default();
        shape.mask = 0;
        def.mass = 1;
        def.shape_count = 1;
        def.shapes = &shape;
        def.position[0] = x;
        def.position[1] = y;
        const put knot = {add_body(scene, &def), {x, y, 0}, {1, 0, 0, 0}};
        first = i ? first : knot;
        last = i == edge - 1 ? knot : last;
    }
    for (int i = 0; i < 2 * edge * edge; i++) {
        const int a = i / 2, b = i % 2 ? a + edge : a + 1;
        tl_joint_def rod = tl_joint_default(TL_JOINT_DISTANCE);
        rod.a = (tl_body){(uint32_t)a + 1, 1};
        rod.b = (tl_body){(uint32_t)b + 1, 1};
        if (i % 2 ? b < edge * edge : b % edge)
            add_joint(scene, &rod);
    }
    join(scene, TL_JOINT_SPHERICAL, ground, first, 0, 0, 0, joint_z);
    join(scene, TL_JOINT_SPHERICAL, ground, last, edge - 1, 0, 0, joint_z);
    return scene;
}

/* A rope of light links, doubled, whose load falls until the rope snaps taut. */
static inline tl_scene *rope_scene(const tl_settings *settings, int links)
{
    const double load = 100, link = 0.05;
    tl_scene *scene = scene_with(settings);
    put before = ground;
    for (int i = 0; i < links; i++) {
        const int way = i < links / 2 ? 1 : -1;
        const double from = link * (way > 0 ? i : links - i);
        const put next = put_link(scene, 0.45 * link, 0.1 * link, 0.1 * link, 1e-4 * load,
                                  from + 0.5 * way * link, 0, 0);
        join(scene, TL_JOINT_SPHERICAL, before, next, from, 0, 0, joint_z);
        before = next;
    }
    const put last = put_link(scene, 0.1, 0.1, 0.1, load, 0, 0, -0.1);
    join(scene, TL_JOINT_SPHERICAL, before, last, 0, 0, 0, joint_z);
    return scene;
}

/* Pendulums of two links to `longest`; joints of some have friction. */
static inline tl_scene *pendulums_scene(const tl_settings *settings, int count, int longest)
{
    tl_scene *scene = scene_with(settings);
    for (int p = 0; p < count; p++) {
        put before = ground;
        for (int i = 0; i < p % (longest - 1) + 2; i++) {
            const double point[3] = {i, 2 * p, 0};
            const put link = put_link(scene, 0.45, 0.05, 0.04, 1, i + 0.5, 2 * p, 0);
            tl_joint_def joint = joint_at(TL_JOINT_REVOLUTE, before, link, point, joint_y);
            joint.axes[5].friction = p % 5 == 2 ? 0.5 * i : 0;
            add_joint(scene, &joint);
            before = link;
        }
    }
    return scene;
}

static inline tl_joint_state state_of(tl_world *world, tl_joint joint)
{
    tl_joint_state state;
    assert_ok(tl_world_read_joints(world, 1, &joint, &state));
    return state;
}

#endif
