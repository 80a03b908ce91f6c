/* `talus problem --corpus`: contact problems that solvers find hard, one of each kind or of a list
 * of sizes, made by stepping small scenes: heaps of many layers, a column of cubes, an arch,
 * wedges, large mass ratios, bodies on many more points than hold them, slender bodies, a chain. */
#include "corpus.h"
#include "files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct maker {
    tl_scene *scene;
    tl_material material;
    uint64_t dice;
    tl_status status; /* the first that failed */
} maker;

static double roll(maker *m)
{
    m->dice = m->dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(m->dice >> 11) / 9007199254740992.0 - 0.5;
}

static void start(maker *m, double friction, double step)
{
    tl_settings settings = tl_settings_default();
    tl_material_def material = tl_material_default();
    *m = (maker){.dice = 1};
    settings.precision = TL_DOUBLE;
    settings.step = step;
    material.friction = friction;
    m->status = tl_scene_create(&m->scene);
    if (m->status >= 0)
        m->status = tl_scene_set_settings(m->scene, &settings);
    if (m->status >= 0)
        m->status = tl_scene_add_material(m->scene, &material, &m->material);
}

/* A body of one shape. */
static tl_body add(maker *m, tl_shape_def shape, tl_body_kind kind, double mass, double x, double y,
                   double z)
{
    tl_body_def def = tl_body_default();
    tl_body body = {0};
    shape.material = m->material;
    def.kind = kind;
    def.mass = mass;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    def.shape_count = 1;
    def.shapes = &shape;
    if (m->status >= 0)
        m->status = tl_scene_add_bodies(m->scene, 1, &def, &body);
    return body;
}

static void add_floor(maker *m)
{
    add(m, tl_plane_default(), TL_FIXED, 0, 0, 0, 0);
}

/* A wall at a distance from the z-axis, towards which it is solid from there on. */
static void add_wall(maker *m, double nx, double ny, double distance)
{
    tl_shape_def plane = tl_plane_default();
    /* turns z to (nx, ny, 0): half a right angle about (-ny, nx, 0) */
    plane.orientation[0] = sqrt(0.5);
    plane.orientation[1] = -ny * sqrt(0.5);
    plane.orientation[2] = nx * sqrt(0.5);
    plane.orientation[3] = 0;
    add(m, plane, TL_FIXED, 0, -nx * distance, -ny * distance, 0);
}

/* A shaft of layers of 5 by 5 spheres, with 4 by 4 in the hollows between: each rests on four. The
 * walls take what pushes outwards. */
static void heap(maker *m, uint32_t layers)
{
    const double r = 0.05, apart = 0.11, rise = sqrt(4 * r * r - 0.5 * apart * apart);
    start(m, 0.4, 1.0 / 400);
    add_floor(m);
    for (int side = 0; side < 4; side++)
        add_wall(m,
                 side == 0   ? 1
                 : side == 1 ? -1
                             : 0,
                 side == 2   ? 1
                 : side == 3 ? -1
                             : 0,
                 2 * apart + r);
    for (uint32_t k = 0; k < layers; k++) {
        const uint32_t wide = k % 2 ? 4 : 5;
        for (uint32_t i = 0; i < wide * wide; i++)
            add(m, tl_sphere_default(r * (0.999 + 0.002 * roll(m))), TL_DYNAMIC, 0,
                apart * (i % wide - 0.5 * (wide - 1)), apart * (i / wide - 0.5 * (wide - 1)),
                r + rise * k);
    }
}

static void column(maker *m, uint32_t cubes)
{
    start(m, 0.5, 1.0 / 200);
    add_floor(m);
    for (uint32_t i = 0; i < cubes; i++)
        add(m, tl_box_default(0.1, 0.1, 0.1), TL_DYNAMIC, 0, 0.002 * roll(m), 0.002 * roll(m),
            0.1 + 0.2 * i);
}

/* Each cube is heavier than the one below, the last by the ratio. */
static void ratio(maker *m, uint32_t power)
{
    const int cubes = 5;
    start(m, 0.5, 1.0 / 200);
    add_floor(m);
    for (int i = 0; i < cubes; i++)
        add(m, tl_box_default(0.1, 0.1, 0.1), TL_DYNAMIC, pow(10, power * i / (cubes - 1.0)), 0, 0,
            0.1 + 0.2 * i);
}

/* A hull that is a prism along y of four corners in the plane of x and z, about (x, z). */
static void add_prism(maker *m, const double corner[4][2], double half, double x, double z,
                      tl_body_kind kind)
{
    double points[8][3];
    tl_geometry geometry = {0};
    for (int i = 0; i < 8; i++) {
        points[i][0] = corner[i % 4][0] - x;
        points[i][1] = i < 4 ? -half : half;
        points[i][2] = corner[i % 4][1] - z;
    }
    if (m->status >= 0)
        m->status = tl_scene_add_hull(m->scene, 8, points[0], &geometry);
    add(m, tl_hull_default(geometry), kind, 0, x, 0, z);
}

/* Half a circle of voussoirs that stands on the floor by friction. */
static void arch(maker *m, uint32_t stones)
{
    const double inner = 1, outer = 1.4, pi = acos(-1);
    start(m, 0.8, 1.0 / 200);
    add_floor(m);
    for (uint32_t i = 0; i < stones; i++) {
        const double a = pi * i / stones, b = pi * (i + 1) / stones, c = 0.5 * (a + b);
        const double corner[4][2] = {{inner * cos(a), inner * sin(a)},
                                     {outer * cos(a), outer * sin(a)},
                                     {outer * cos(b), outer * sin(b)},
                                     {inner * cos(b), inner * sin(b)}};
        add_prism(m, corner, 0.2, 1.2 * cos(c), 1.2 * sin(c), TL_DYNAMIC);
    }
}

/* Wedges one above the other in a groove that is narrower below: impulses may hold each other. */
static void wedge(maker *m, uint32_t count)
{
    const double slope = 0.25, width = 0.2;
    start(m, 0.7, 1.0 / 200);
    for (int side = -1; side <= 1; side += 2) {
        const double far = side * 2.0;
        const double low = side * width, high = side * (width + slope * 4);
        const double corner[4][2] = {{low, 0}, {far, 0}, {far, 4}, {high, 4}};
        add_prism(m, corner, 1, side * 1.4, 2, TL_FIXED);
    }
    for (uint32_t i = 0; i < count; i++) {
        const double z = 1 + 0.3 * i, below = width + slope * z, above = width + slope * (z + 0.3);
        const double corner[4][2] = {{-below, z}, {below, z}, {above, z + 0.3}, {-above, z + 0.3}};
        add_prism(m, corner, 0.2, 0, z + 0.15, TL_DYNAMIC);
    }
}

/* Slabs on many more points than it takes to hold them. */
static void table(maker *m, uint32_t legs)
{
    start(m, 0.6, 1.0 / 200);
    for (uint32_t i = 0; i < legs * legs; i++)
        add(m, tl_sphere_default(0.05), TL_FIXED, 0, 0.15 * (i % legs), 0.15 * (i / legs), 0);
    const double half = 0.075 * (legs - 1);
    for (int i = 0; i < 3; i++)
        add(m, tl_box_default(half + 0.05, half + 0.05, 0.05), TL_DYNAMIC, 0, half, half,
            0.1 + 0.1 * i);
}

/* Planks a hundred times as long as thick, crosswise. */
static void planks(maker *m, uint32_t layers)
{
    start(m, 0.5, 1.0 / 400);
    add_floor(m);
    for (uint32_t k = 0; k < layers; k++)
        for (int i = -1; i <= 1; i++)
            add(m, k % 2 ? tl_box_default(0.02, 1, 0.01) : tl_box_default(1, 0.02, 0.01),
                TL_DYNAMIC, 0, k % 2 ? 0.4 * i : 0, k % 2 ? 0 : 0.4 * i, 0.01 + 0.02 * k);
}

/* A chain of balls on the floor, its first one held: equality constraints. */
static void chain(maker *m, uint32_t links)
{
    tl_body last = {0};
    start(m, 0.5, 1.0 / 400);
    add_floor(m);
    for (uint32_t i = 0; i < links; i++) {
        const tl_body ball =
            add(m, tl_sphere_default(0.05), TL_DYNAMIC, 0, 0.12 * i, 0, i < links / 2 ? 0.05 : 0.3);
        tl_joint_def joint = tl_joint_default(TL_JOINT_SPHERICAL);
        joint.a = last;
        joint.b = ball;
        joint.position_a[0] = 0.06;
        joint.position_b[0] = i ? -0.06 : 0;
        joint.position_b[2] = i == links / 2 ? -0.25 : 0;
        if (!i)
            joint.position_a[0] = 0, joint.position_a[2] = 0.05;
        if (m->status >= 0)
            m->status = tl_scene_add_joint(m->scene, &joint, NULL);
        last = ball;
    }
}

typedef struct kind {
    const char *name;
    void (*make)(maker *m, uint32_t size);
    uint32_t size, steps; /* 0: the sizes of --layers; steps before the one that is recorded */
} kind;

static const kind kinds[] = {
    {"heap", heap, 0, 100},     {"column", column, 10, 20}, {"column", column, 40, 20},
    {"arch", arch, 15, 10},     {"arch", arch, 41, 10},     {"wedge", wedge, 4, 10},
    {"ratio-1e", ratio, 2, 10}, {"ratio-1e", ratio, 4, 10}, {"ratio-1e", ratio, 6, 10},
    {"table", table, 8, 10},    {"table", table, 20, 10},   {"planks", planks, 12, 20},
    {"planks", planks, 40, 20}, {"chain", chain, 20, 40},
};

/* What is done with each file of the corpus. */
typedef int (*visit)(const options *given, const kind *k, uint32_t size, const char *path);

static int check_one(const options *given, const kind *k, uint32_t size, const char *path)
{
    (void)k;
    (void)size;
    return check_problem_path(given, "problem", path);
}

static int write_one(const options *given, const kind *k, uint32_t size, const char *path)
{
    maker m;
    tl_world *world = NULL;
    tl_contact_problem *problem = NULL;
    k->make(&m, size);
    if (m.status >= 0)
        m.status = tl_world_create(m.scene, &world);
    if (m.status >= 0)
        m.status = tl_world_step(world, k->steps, NULL);
    if (m.status < 0)
        complain("problem: %s: %s", path, tl_last_message());
    int code = m.status < 0 ? exit_code(m.status, PHASE_RUNNING) : EXIT_OK;
    if (code == EXIT_OK)
        code = write_problem(world, given->form == TL_PROBLEM_LOCAL, false, path, &problem);
    if (code == EXIT_OK && !given->quiet) {
        printf("%s: %u contacts\n", path, tl_contact_problem_read(problem)->contacts);
        fflush(stdout);
    }
    tl_contact_problem_destroy(problem);
    tl_world_destroy(world);
    tl_scene_destroy(m.scene);
    return code;
}

/* The sizes of heaps: whole numbers with commas between. */
static int read_layers(const char *text, uint32_t *layers, size_t *count, size_t most)
{
    *count = 0;
    for (const char *at = text; *count < most;) {
        char *end = NULL;
        const long number = strtol(at, &end, 10);
        if (end == at || number < 1 || number > 2000 || (*end && *end != ','))
            break;
        layers[(*count)++] = (uint32_t)number;
        if (!*end)
            return EXIT_OK;
        at = end + 1;
    }
    complain("--layers: '%s' is not a list of whole numbers from 1 to 2000 with commas between, at "
             "most %zu",
             text, most);
    return EXIT_USAGE;
}

static int each(const options *given, size_t count, const uint32_t *layers, visit what)
{
    char path[4096];
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t l = 0; l < (kinds[i].size ? 1 : count) && code == EXIT_OK; l++) {
            const uint32_t size = kinds[i].size ? kinds[i].size : layers[l];
            snprintf(path, sizeof path, "%s/%s%s%u.hdf5", given->corpus, kinds[i].name,
                     kinds[i].make == ratio ? "" : "-", size);
            code = what(given, &kinds[i], size, path);
        }
    return code;
}

int write_corpus(const options *given)
{
    uint32_t layers[16];
    size_t count;
    int code = read_layers(given->layers ? given->layers : "20,50,100", layers, &count, 16);
    if (code != EXIT_OK)
        return code;
    if (mkdir(given->corpus, 0777) != 0 && errno != EEXIST) {
        complain("cannot make %s: %s", given->corpus, strerror(errno));
        return EXIT_FILE;
    }
    code = each(given, count, layers, check_one);
    if (code == EXIT_OK)
        code = each(given, count, layers, write_one);
    return code == EXIT_OK ? close_output() : code;
}
