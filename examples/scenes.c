/* The scenes that examples, tests and benches share; scenes.h says what each one is.
 *
 * Random numbers come from splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", 2014): number k of seed s is mix(s + (k + 1) * 0x9e3779b97f4a7c15), so every number
 * can be had on its own and no state is carried. Centres are rounded to 32-bit floats, so that an
 * engine in single precision starts from exactly the same state as one in double. */
#include "scenes.h"

#include <math.h>
#include <stdlib.h>

/* Definitions handed to the library at once: few enough to cost little memory beside the scene. */
#define CHUNK 4096

static const double pi = 3.14159265358979323846;

/* Number k of the stream of `seed`, uniform in [0, 1). */
static double uniform(uint64_t seed, uint64_t k)
{
    uint64_t z = seed + (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

/* The nearest 32-bit float. Volatile, because GCC 12 at -O3 loses the rounding of such loops of
 * three when it vectorises them. */
static double round_to_float(double x)
{
    volatile float rounded = (float)x;
    return rounded;
}

/* Body i's centre, or its orientation; `context` is what the scene is made from. */
typedef void (*place_fn)(const void *context, size_t i, double *numbers);

/* Adds `count` equal bodies, each of so many shapes, at the centres that `centre` gives, with the
 * orientations of `turn` (NULL: none). */
static tl_status add_equal(tl_scene *scene, size_t count, const tl_shape_def *shapes,
                           uint32_t shape_count, double density, place_fn centre, place_fn turn,
                           const void *context)
{
    size_t room = count < CHUNK ? count : CHUNK;
    tl_body_def *defs = malloc((room > 0 ? room : 1) * sizeof *defs);
    if (!defs)
        return TL_NO_MEMORY;
    tl_status status = tl_scene_reserve(scene, count);
    for (size_t first = 0; first < count && status >= 0; first += room) {
        size_t n = count - first < room ? count - first : room;
        for (size_t i = 0; i < n; i++) {
            defs[i] = tl_body_default();
            defs[i].density = density;
            defs[i].shape_count = shape_count;
            defs[i].shapes = shapes;
            centre(context, first + i, defs[i].position);
            if (turn)
                turn(context, first + i, defs[i].orientation);
        }
        status = tl_scene_add_bodies(scene, n, defs, NULL);
    }
    free(defs);
    return status;
}

/* Hands the scene out if all went well, and destroys it if not. */
static tl_status finish(tl_status status, tl_scene *made, tl_scene **scene)
{
    if (status < 0) {
        tl_scene_destroy(made);
        made = NULL;
    }
    *scene = made;
    return status;
}

pile_options pile_default(void)
{
    pile_options options = {.bodies = 4000,
                            .radius = 0.1,
                            .density = 2000,
                            .friction = 0.5,
                            .spacing = 0.22,
                            .jitter = 0.005,
                            .layers = 24,
                            .ball_density = 2000,
                            .seed = 1,
                            .settings = tl_settings_default()};
    options.settings.step = 1.0 / 200;
    return options;
}

pile_options pile_of(pile_kind kind)
{
    pile_options options = pile_default();
    options.kind = kind;
    if (kind == PILE_CUBES || kind == PILE_HULLS)
        options.spacing = 0.36; /* none meets another, however they are turned */
    return options;
}

uint32_t pile_corners(const pile_options *options, double corners[PILE_CORNERS][3])
{
    const double r = options->radius, axes[3] = {1.4 * r, 1.1 * r, 0.9 * r};
    const double side = sqrt(1.0 / 3), near = 0.35, far = sqrt(1 - near * near);
    uint32_t count = 0;
    if (options->kind == PILE_SPHERES || options->kind == PILE_CLUMPS)
        return 0;
    for (int i = 0; i < 8; i++, count++) /* the corners of a box */
        for (int k = 0; k < 3; k++) {
            const double sign = i >> k & 1 ? 1 : -1;
            corners[count][k] = sign * (options->kind == PILE_CUBES ? r : side * axes[k]);
        }
    for (int i = 0; i < 8 && options->kind == PILE_HULLS; i++, count++) {
        /* a point beyond two of its edges and, i >= 4, two beyond each of its lids */
        const double one = i & 1 ? 1 : -1, two = i & 2 ? 1 : -1;
        corners[count][0] = i < 4 ? one * far * axes[0] : 0;
        corners[count][1] = two * near * axes[1];
        corners[count][2] = i < 4 ? 0 : one * far * axes[2];
    }
    return count;
}

uint32_t pile_balls(const pile_options *options, double balls[PILE_BALLS][3], double *radius)
{
    const double small = 0.46 * options->radius, away = 2.02 * small / sqrt(3);
    const double side[PILE_BALLS][2] = {{1, 0}, {-0.5, sqrt(0.75)}, {-0.5, -sqrt(0.75)}};
    *radius = options->kind == PILE_CLUMPS ? small : options->radius;
    for (int i = 0; i < PILE_BALLS; i++)
        for (int k = 0; k < 3; k++)
            balls[i][k] = options->kind == PILE_CLUMPS && k < 2 ? away * side[i][k] : 0;
    return options->kind == PILE_CLUMPS ? PILE_BALLS : options->kind == PILE_SPHERES ? 1 : 0;
}

/* How a pile starts: columns, rows and layers of spheres, and how far apart they are (m). */
typedef struct pile_grid {
    size_t columns, rows, layers;
    double column, row, layer;
} pile_grid;

/* Packed layers are triangular, 2.1 radii from sphere to sphere, so that none touches another of
 * its layer; every other layer is moved to the hollows of the one below, where a sphere touches
 * three. */
static pile_grid pile_grid_of(const pile_options *options)
{
    double layers = options->layers > 0 ? options->layers : 1, r = options->radius;
    double each = (double)options->bodies / layers;
    pile_grid g = {.column = options->spacing, .row = options->spacing, .layer = options->spacing};
    if (options->packed) {
        g.column = 2.1 * r;
        g.row = sqrt(0.75) * g.column;
        g.layer = sqrt(4 * r * r - g.column * g.column / 3);
    }
    g.columns = (size_t)fmax(1, ceil(sqrt(options->packed ? each * sqrt(0.75) : each)));
    g.rows = options->packed ? (size_t)fmax(1, ceil(each / (double)g.columns)) : g.columns;
    g.layers = (options->bodies + g.columns * g.rows - 1) / (g.columns * g.rows);
    return g;
}

static double pile_half_width(const pile_options *options)
{
    const pile_grid g = pile_grid_of(options);
    const double columns = (double)g.columns * g.column, rows = (double)(g.rows - 1) * g.row;
    if (!options->packed)
        return 0.5 * columns;
    /* every other row and layer is moved by half a column, every other layer by a third of a row */
    return 0.5 * fmax(columns + 0.5 * g.column, rows + g.row / 3 + g.column);
}

/* The walls stand a few layers above the topmost sphere, so that none is thrown over. */
static double pile_height(const pile_options *options)
{
    const pile_grid g = pile_grid_of(options);
    return (double)(g.layers + 4) * g.layer + 2 * options->ball;
}

/* Half a column between the outermost points and the walls and, of the grid, the floor. */
static void pile_centre(const void *context, size_t i, double *centre)
{
    const pile_options *options = context;
    const pile_grid g = pile_grid_of(options);
    const double half_width = pile_half_width(options);
    const size_t column = i % g.columns, row = i / g.columns % g.rows;
    const size_t layer = i / (g.columns * g.rows);
    double at[3] = {(double)column * g.column - half_width + 0.5 * g.column,
                    (double)row * g.row - half_width + 0.5 * g.column,
                    (double)layer * g.layer + 0.5 * g.layer};
    if (options->packed) {
        at[0] += 0.5 * g.column * (double)((row + layer) % 2);
        at[1] += g.row / 3 * (double)(layer % 2);
        at[2] += options->radius - 0.5 * g.layer;
    }
    for (int k = 0; k < 3; k++) {
        double shift = options->jitter * (2 * uniform(options->seed, 3 * (uint64_t)i + k) - 1);
        centre[k] = round_to_float(at[k] + (options->packed ? 0 : shift));
    }
}

/* Uniformly among all orientations (Shoemake, "Uniform random rotations", 1992); from numbers that
 * no centre takes. */
static void pile_turn(const void *context, size_t i, double *orientation)
{
    const pile_options *options = context;
    double u[3];
    for (int k = 0; k < 3; k++)
        u[k] = uniform(~options->seed, 3 * (uint64_t)i + k);
    const double q[4] = {sqrt(1 - u[0]) * sin(2 * pi * u[1]), sqrt(1 - u[0]) * cos(2 * pi * u[1]),
                         sqrt(u[0]) * sin(2 * pi * u[2]), sqrt(u[0]) * cos(2 * pi * u[2])};
    for (int k = 0; k < 4; k++)
        orientation[k] = round_to_float(q[k]);
}

void pile_orientations(const pile_options *options, double *orientations)
{
    for (size_t i = 0; i < options->bodies; i++)
        pile_turn(options, i, orientations + 4 * i);
}

void pile_centres(const pile_options *options, double *centres, double *half_width, double *height)
{
    for (size_t i = 0; centres && i < options->bodies; i++)
        pile_centre(options, i, centres + 3 * i);
    *half_width = pile_half_width(options);
    *height = pile_height(options);
}

/* Floor and four walls, each a fixed body with one box; their thickness has no effect on the pile.
 */
static tl_status add_container(tl_scene *scene, const pile_options *options, tl_material material)
{
    double w = pile_half_width(options), h = 0.5 * pile_height(options), t = 5 * options->radius;
    const double boxes[5][6] = {/* centre, half extents */
                                {0, 0, -t, w + 2 * t, w + 2 * t, t},
                                {-w - t, 0, h, t, w + 2 * t, h},
                                {w + t, 0, h, t, w + 2 * t, h},
                                {0, -w - t, h, w, t, h},
                                {0, w + t, h, w, t, h}};
    tl_shape_def shapes[5];
    tl_body_def defs[5];
    for (int i = 0; i < 5; i++) {
        shapes[i] = tl_box_default(boxes[i][3], boxes[i][4], boxes[i][5]);
        shapes[i].material = material;
        defs[i] = tl_body_default();
        defs[i].kind = TL_FIXED;
        defs[i].shape_count = 1;
        defs[i].shapes = &shapes[i];
        for (int k = 0; k < 3; k++)
            defs[i].position[k] = boxes[i][k];
    }
    return tl_scene_add_bodies(scene, 5, defs, NULL);
}

/* The shapes of a body of a pile. */
static tl_status pile_shapes(tl_scene *scene, const pile_options *options,
                             tl_shape_def shape[PILE_BALLS], uint32_t *shapes)
{
    const double r = options->radius;
    double corners[PILE_CORNERS][3], balls[PILE_BALLS][3], radius;
    tl_geometry hull;
    *shapes = pile_balls(options, balls, &radius);
    for (uint32_t i = 0; i < *shapes; i++) {
        shape[i] = tl_sphere_default(radius);
        for (int k = 0; k < 3; k++)
            shape[i].position[k] = balls[i][k];
    }
    if (*shapes)
        return TL_OK;
    *shapes = 1;
    *shape = tl_box_default(r, r, r);
    if (options->kind == PILE_CUBES)
        return TL_OK;
    const uint32_t count = pile_corners(options, corners);
    const tl_status status = tl_scene_add_hull(scene, count, corners[0], &hull);
    if (status >= 0)
        *shape = tl_hull_default(hull);
    return status;
}

/* How high the middle of the ball starts. */
static double ball_height(const pile_options *options)
{
    return options->ball + 3 * pile_grid_of(options).layer;
}

/* Points of the grid in their order, without those in the ball. */
typedef struct pile_around {
    const pile_options *options;
    size_t *next;
} pile_around;

static void centre_around(const void *context, size_t i, double *centre)
{
    const pile_around *around = context;
    const double apart = around->options->ball + 1.05 * around->options->radius;
    double square;
    (void)i; /* they are asked for one after the other */
    do {
        pile_centre(around->options, (*around->next)++, centre);
        const double z = centre[2] - ball_height(around->options);
        square = centre[0] * centre[0] + centre[1] * centre[1] + z * z;
    } while (square < apart * apart);
}

static tl_status add_ball(tl_scene *scene, const pile_options *options, tl_material material)
{
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_sphere_default(options->ball);
    shape.material = material;
    def.density = options->ball_density;
    def.shape_count = 1;
    def.shapes = &shape;
    def.position[2] = ball_height(options);
    return tl_scene_add_bodies(scene, 1, &def, NULL);
}

tl_status pile_scene(const pile_options *options, tl_scene **scene)
{
    *scene = NULL;
    tl_scene *made = NULL;
    tl_material material = {0};
    tl_material_def rough = tl_material_default();
    rough.friction = options->friction;
    rough.restitution = options->restitution;
    tl_shape_def shape[PILE_BALLS];
    uint32_t shapes = 0;

    tl_status status = tl_scene_create(&made);
    if (status >= 0)
        status = tl_scene_set_settings(made, &options->settings);
    if (status >= 0)
        status = tl_scene_add_material(made, &rough, &material);
    if (status >= 0)
        status = add_container(made, options, material);
    if (status >= 0)
        status = pile_shapes(made, options, shape, &shapes);
    for (uint32_t i = 0; i < shapes; i++)
        shape[i].material = material;
    if (status >= 0 && options->ball > 0)
        status = add_ball(made, options, material);
    size_t next = 0;
    const pile_around around = {options, &next};
    if (status >= 0)
        status = add_equal(made, options->bodies, shape, shapes, options->density,
                           options->ball > 0 ? centre_around : pile_centre,
                           options->kind == PILE_SPHERES ? NULL : pile_turn,
                           options->ball > 0 ? (const void *)&around : options);
    return finish(status, made, scene);
}

/* The chance that two points at random in a unit cube are no further apart than d, for d up to 1.
 */
static double pair_chance(double d)
{
    return d * d * d * (4.0 / 3 * pi - 1.5 * pi * d + 1.6 * d * d - d * d * d / 6);
}

/* A cube with random centres in it. */
typedef struct random_cube {
    double edge; /* m */
    uint64_t seed;
} random_cube;

static void random_centre(const void *context, size_t i, double *centre)
{
    const random_cube *cube = context;
    for (int k = 0; k < 3; k++)
        centre[k] = round_to_float(cube->edge * (uniform(cube->seed, 3 * (uint64_t)i + k) - 0.5));
}

tl_status random_spheres_scene(size_t bodies, double contacts_per_body, uint64_t seed,
                               double *radius, double *centres, const tl_settings *settings,
                               tl_scene **scene)
{
    *scene = NULL;
    *radius = 1;
    /* A body has (bodies - 1) / 2 pairs to itself; bisection for the distance, in cube edges, below
     * which the wanted share of them lies. That distance is two radii. */
    double wanted = bodies > 1 ? 2 * contacts_per_body / (double)(bodies - 1) : 1;
    double low = 0, high = 1;
    if (!(contacts_per_body > 0) || wanted > pair_chance(high))
        return TL_BAD_ARGUMENT;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if (pair_chance(middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    random_cube cube = {.edge = 2 * *radius / high, .seed = seed};
    for (size_t i = 0; centres && i < bodies; i++)
        random_centre(&cube, i, centres + 3 * i);

    tl_scene *made = NULL;
    tl_settings weightless = *settings;
    weightless.gravity[0] = weightless.gravity[1] = weightless.gravity[2] = 0;
    tl_shape_def sphere = tl_sphere_default(*radius);
    tl_status status = tl_scene_create(&made);
    if (status >= 0)
        status = tl_scene_set_settings(made, &weightless);
    if (status >= 0)
        status = add_equal(made, bodies, &sphere, 1, 1000, random_centre, NULL, &cube);
    return finish(status, made, scene);
}

/* What silo and tank share; the rest is theirs to set. */
static vessel_options vessel_default(size_t bodies)
{
    vessel_options options = {.bodies = bodies,
                              .radius = 0.1,
                              .density = 2000,
                              .friction = 0.5,
                              .panels = 24,
                              .seed = 1,
                              .settings = tl_settings_default()};
    options.settings.step = 1.0 / 200;
    return options;
}

vessel_options silo_vessel(size_t bodies)
{
    vessel_options options = vessel_default(bodies);
    double volume = 4.0 / 3 * pi * pow(options.radius, 3) * (double)bodies / 0.6;
    options.hole = 16 * options.radius;
    options.slope = 45;
    options.width = fmax(cbrt(volume / (1.5 * pi / 4)), 1.5 * options.hole);
    options.height = 0.5 * (options.width - options.hole) + 2 * options.width;
    return options;
}

vessel_options tank_vessel(size_t bodies)
{
    vessel_options options = vessel_default(bodies);
    double volume = 4.0 / 3 * pi * pow(options.radius, 3) * (double)bodies / 0.6;
    double depth = 40 * options.radius;
    options.width = fmax(2 * sqrt(volume / (pi * depth)), 24 * options.radius);
    options.hole = fmax(options.width / 4, 16 * options.radius);
    options.height = 1.5 * depth;
    return options;
}

/* One panel of the wall and one of the bottom, in the frame of side i: its middle is on the x axis.
 * Panels overlap their neighbours outside of the vessel only. */
static void vessel_panels(const vessel_options *options, tl_material material,
                          tl_shape_def shapes[2])
{
    double half = 0.5 * options->width, hole = 0.5 * options->hole, t = options->radius;
    double slope = options->slope * pi / 180, c = cos(slope), s = sin(slope);
    double across = 1.2 * half * tan(pi / options->panels);
    double along = 0.5 * (1.1 * half - hole) / c;
    shapes[0] = tl_box_default(2 * t, across, 0.5 * options->height);
    shapes[0].position[0] = half + 2 * t;
    shapes[0].position[2] = 0.5 * options->height;
    /* The bottom's upper face starts at the rim of the hole and rises outwards. */
    shapes[1] = tl_box_default(along, across, t);
    shapes[1].position[0] = hole + c * along + s * t;
    shapes[1].position[2] = s * along - c * t;
    shapes[1].orientation[0] = cos(0.5 * slope);
    shapes[1].orientation[2] = -sin(0.5 * slope);
    shapes[0].material = shapes[1].material = material;
}

static tl_status add_vessel(tl_scene *scene, const vessel_options *options, tl_material material)
{
    tl_shape_def shapes[2];
    tl_status status = TL_OK;
    vessel_panels(options, material, shapes);
    for (uint32_t i = 0; i < options->panels && status >= 0; i++) {
        tl_body_def side = tl_body_default();
        side.kind = TL_FIXED;
        side.shape_count = 2;
        side.shapes = shapes;
        side.orientation[0] = cos(pi * i / options->panels);
        side.orientation[3] = sin(pi * i / options->panels);
        status = tl_scene_add_bodies(scene, 1, &side, NULL);
    }
    return status;
}

/* Packs `count` spheres into the upright cylinder between two heights. */
static tl_status fill_cylinder(tl_scene *scene, const vessel_options *options, tl_material material,
                               double low, double high, double radius, size_t count)
{
    tl_fill_def fill = tl_fill_default();
    fill.region.kind = TL_REGION_CYLINDER;
    fill.region.centre[2] = low;
    fill.region.axis[2] = high - low;
    fill.region.radius = radius;
    fill.pattern = TL_FILL_CLOSE;
    fill.size.radius = options->radius;
    fill.count = count;
    fill.seed = options->seed;
    fill.density = options->density;
    fill.material = material;
    return count > 0 ? tl_scene_fill(scene, &fill, NULL, NULL) : TL_OK;
}

/* The funnel is filled slice by slice, so loosely that they surely fit; what is left goes above it.
 */
static tl_status fill_vessel(tl_scene *scene, const vessel_options *options, tl_material material)
{
    double rise = tan(options->slope * pi / 180),
           top = 0.5 * (options->width - options->hole) * rise;
    double slice = 6 * options->radius;
    size_t left = options->bodies;
    tl_status status = TL_OK;
    for (double low = 0; low + slice <= top && status >= 0; low += slice) {
        double radius = 0.5 * options->hole + low / rise;
        double room = 0.4 * radius * radius * slice / (4.0 / 3 * pow(options->radius, 3));
        size_t count = room < (double)left ? (size_t)room : left;
        status = fill_cylinder(scene, options, material, low, low + slice, radius, count);
        left -= count;
    }
    if (status >= 0)
        status = fill_cylinder(scene, options, material, top, options->height, 0.5 * options->width,
                               left);
    return status;
}

/* Ends those that have fallen ten radii below the hole. */
static tl_status bound_vessel(tl_scene *scene, const vessel_options *options)
{
    tl_boundary_def below = tl_boundary_default();
    below.region.low[0] = below.region.low[1] = -INFINITY;
    below.region.low[2] = -10 * options->radius;
    below.region.high[0] = below.region.high[1] = below.region.high[2] = INFINITY;
    return tl_scene_add_boundary(scene, &below);
}

tl_status vessel_scene(const vessel_options *options, tl_scene **scene)
{
    *scene = NULL;
    tl_scene *made = NULL;
    tl_material material = {0};
    tl_material_def rough = tl_material_default();
    rough.friction = options->friction;
    tl_status status = tl_scene_create(&made);
    if (status >= 0)
        status = tl_scene_set_settings(made, &options->settings);
    if (status >= 0)
        status = tl_scene_add_material(made, &rough, &material);
    if (status >= 0)
        status = add_vessel(made, options, material);
    if (status >= 0)
        status = fill_vessel(made, options, material);
    if (status >= 0)
        status = bound_vessel(made, options);
    return finish(status, made, scene);
}
