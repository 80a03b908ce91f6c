/* Distances between two surfaces, and volumes; deviation.h says which. A point outside of all
 * solids knows its distance to them; one inside is as far from the union's surface as from the
 * nearest sample of it. */
#include "mesh/deviation.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/convex.h"
#include "mesh/rows.h"
#include "mesh/sample.h"

enum { ROWS = 256 }; /* through the volume, each way */

/* Of either surface, about; distances to hulls take longer. */
static const double most_samples = 2e5, most_at_hulls = 5e4;
static const double pi = 3.14159265358979323846;

/* Points of the union's surface by cells of a hash table. */
typedef struct shell {
    tl_array points; /* double, three per point */
    tl_array areas;  /* double */
    uint32_t *heads, *next;
    size_t places;
    double cell;
} shell;

static const uint32_t nobody = UINT32_MAX;

/* The union, with the planes of its hulls. */
typedef struct body {
    const tl_union *solids;
    tl_array *planes; /* per hull */
} body;

/* ---- The union's surface ---- */

static bool is_inside(const double p[3], const tl_ball *balls, const uint32_t *near, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const tl_ball *b = &balls[near[i]];
        double d[3];
        tl_sub(p, b->centre, d);
        if (tl_dot(d, d) < b->radius * b->radius)
            return true;
    }
    return false;
}

/* Points of a spiral on a sphere, those that no other sphere hides. */
static tl_status add_ball(const tl_ball *balls, size_t count, size_t which, double spacing,
                          uint32_t *near, shell *s)
{
    const tl_ball *b = &balls[which];
    const double n = ceil(4 * pi * b->radius * b->radius / (spacing * spacing)) + 4;
    const double area = 4 * pi * b->radius * b->radius / n, turn = pi * (3 - sqrt(5));
    size_t near_count = 0;
    for (size_t i = 0; i < count; i++)
        if (i != which && tl_distance(b->centre, balls[i].centre) < b->radius + balls[i].radius)
            near[near_count++] = (uint32_t)i;
    for (double i = 0; i < n; i++) {
        const double z = 1 - (2 * i + 1) / n, around = sqrt(tl_max(0, 1 - z * z));
        const double p[3] = {b->centre[0] + b->radius * around * cos(turn * i),
                             b->centre[1] + b->radius * around * sin(turn * i),
                             b->centre[2] + b->radius * z};
        if (is_inside(p, balls, near, near_count))
            continue;
        TL_TRY(tl_array_append(&s->points, p, 3));
        TL_TRY(tl_array_append(&s->areas, &area, 1));
    }
    return TL_OK;
}

/* Samples of the surface of a hull, those that no other hull hides. Where two hulls meet face to
 * face, as pieces that were cut apart do, what is between them is no surface: samples are moved out
 * by a little before they are looked for in others. */
static tl_status add_hull(const body *b, size_t which, double spacing, uint32_t *near,
                          tl_array *samples, shell *s)
{
    const tl_mesh *own = b->solids->hulls[which];
    const double out = 1e-6 * tl_mesh_size(own);
    size_t near_count = 0;
    for (size_t i = 0; i < b->solids->hull_count; i++) {
        const tl_mesh *other = b->solids->hulls[i];
        bool apart = i == which;
        for (int k = 0; k < 3; k++)
            apart =
                apart || other->low[k] > own->high[k] + out || own->low[k] > other->high[k] + out;
        if (!apart)
            near[near_count++] = (uint32_t)i;
    }
    samples->count = 0;
    TL_TRY(tl_sample_surface(own, spacing, samples));
    for (size_t i = 0; i < samples->count; i++) {
        const tl_sample *sample = (const tl_sample *)samples->data + i;
        bool hidden = false;
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = sample->point[k] + out * sample->normal[k];
        for (size_t j = 0; j < near_count && !hidden; j++)
            hidden = tl_planes_above(&b->planes[near[j]], p) < 0;
        if (hidden)
            continue;
        TL_TRY(tl_array_append(&s->points, sample->point, 3));
        TL_TRY(tl_array_append(&s->areas, &sample->area, 1));
    }
    return TL_OK;
}

static tl_status add_hulls(const body *b, double spacing, uint32_t *near, shell *s)
{
    tl_array samples = {.item = sizeof(tl_sample)};
    tl_status status = TL_OK;
    for (size_t i = 0; i < b->solids->hull_count && status == TL_OK; i++)
        status = add_hull(b, i, spacing, near, &samples, s);
    tl_array_free(&samples);
    return status;
}

static size_t place_of(const shell *s, const double cell[3])
{
    uint64_t h = 0;
    for (int k = 0; k < 3; k++)
        h = (h ^ (uint64_t)(int64_t)cell[k]) * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 20) & (s->places - 1);
}

static tl_status make_shell(const body *b, double spacing, double cell, shell *s)
{
    const size_t balls = b->solids->ball_count, count = balls + b->solids->hull_count;
    *s = (shell){.points = {.item = sizeof(double)}, .areas = {.item = sizeof(double)}};
    uint32_t *near = tl_alloc(count * sizeof *near);
    tl_status status = near ? TL_OK : TL_NO_MEMORY;
    for (size_t i = 0; status == TL_OK && i < balls; i++)
        status = add_ball(b->solids->balls, balls, i, spacing, near, s);
    if (status == TL_OK)
        status = add_hulls(b, spacing, near, s);
    tl_free(near, count * sizeof *near);
    TL_TRY(status);
    s->cell = cell;
    for (s->places = 64; s->places < 2 * s->areas.count;)
        s->places *= 2;
    s->heads = tl_alloc(s->places * sizeof *s->heads);
    s->next = tl_alloc(s->areas.count * sizeof *s->next);
    if (!s->heads || (!s->next && s->areas.count))
        return TL_NO_MEMORY;
    memset(s->heads, 0xff, s->places * sizeof *s->heads);
    for (size_t i = 0; i < s->areas.count; i++) {
        const double *p = (double *)s->points.data + 3 * i;
        const double at[3] = {floor(p[0] / cell), floor(p[1] / cell), floor(p[2] / cell)};
        const size_t place = place_of(s, at);
        s->next[i] = s->heads[place];
        s->heads[place] = (uint32_t)i;
    }
    return TL_OK;
}

static void free_shell(shell *s)
{
    tl_free(s->heads, s->places * sizeof *s->heads);
    tl_free(s->next, s->areas.count * sizeof *s->next);
    tl_array_free(&s->points);
    tl_array_free(&s->areas);
}

/* The nearest point of the shell: cells in growing cubes until none can be nearer. */
static double shell_distance(const shell *s, const double p[3])
{
    const double *points = s->points.data;
    const double home[3] = {floor(p[0] / s->cell), floor(p[1] / s->cell), floor(p[2] / s->cell)};
    double best = INFINITY;
    for (int ring = 0; ring < 64 && best > (ring - 1) * s->cell; ring++)
        for (int z = -ring; z <= ring; z++)
            for (int y = -ring; y <= ring; y++)
                for (int x = -ring; x <= ring; x++) {
                    const bool rim = abs(x) == ring || abs(y) == ring || abs(z) == ring;
                    const double at[3] = {home[0] + x, home[1] + y, home[2] + z};
                    for (uint32_t i = rim ? s->heads[place_of(s, at)] : nobody; i != nobody;
                         i = s->next[i])
                        best = tl_min(best, tl_distance(p, points + 3 * (size_t)i));
                }
    return best;
}

/* ---- Distances ---- */

/* How far a point is outside of the box around a mesh along the axis where that is most. */
static double outside_box(const tl_mesh *mesh, const double p[3])
{
    double most = -INFINITY;
    for (int k = 0; k < 3; k++)
        most = tl_max(most, tl_max(mesh->low[k] - p[k], p[k] - mesh->high[k]));
    return most;
}

/* How far a point outside of a hull is from it, if that is less than `within`. */
static double hull_distance(const tl_mesh *hull, const double p[3], double within)
{
    double square = within * within, q[3];
    for (size_t i = 0; i < tl_mesh_triangle_count(hull); i++) {
        const double *corners[3];
        tl_mesh_corners(hull, i, corners);
        square = tl_min(square, tl_triangle_nearest(corners, p, q));
    }
    return sqrt(square);
}

/* How far a point is outside of the union; negative or 0 inside. */
static double outside_of(const double p[3], const body *b)
{
    double least = INFINITY;
    for (size_t i = 0; i < b->solids->ball_count; i++) {
        const tl_ball *ball = &b->solids->balls[i];
        least = tl_min(least, tl_distance(p, ball->centre) - ball->radius);
    }
    for (size_t i = 0; i < b->solids->hull_count && least > 0; i++) {
        if (outside_box(b->solids->hulls[i], p) >= least)
            continue;
        const double above = tl_planes_above(&b->planes[i], p); /* the distance is no less */
        if (above < least)
            least = above > 0 ? hull_distance(b->solids->hulls[i], p, least) : above;
    }
    return least;
}

static bool is_hidden(const body *b, const double p[3])
{
    for (size_t i = 0; i < b->solids->hull_count; i++)
        if (outside_box(b->solids->hulls[i], p) < 0 && tl_planes_above(&b->planes[i], p) < 0)
            return true;
    return false;
}

/* How far a point inside is from the union's surface: to the nearest sample of that, or straight
 * out of a face of a hull that it is in, where that leads out of all. */
static double depth_of(const double p[3], const body *b, const shell *s)
{
    double least = shell_distance(s, p);
    for (size_t i = 0; i < b->solids->hull_count; i++) {
        const tl_mesh *hull = b->solids->hulls[i];
        const double *plane = b->planes[i].data, more = 1e-6 * tl_mesh_size(hull);
        if (outside_box(hull, p) > 0 || tl_planes_above(&b->planes[i], p) > 0)
            continue;
        for (size_t k = 0; k < b->planes[i].count; k++, plane += 4) {
            const double depth = plane[3] - tl_dot(plane, p);
            const double out = depth + more;
            const double q[3] = {p[0] + out * plane[0], p[1] + out * plane[1],
                                 p[2] + out * plane[2]};
            if (depth < least && !is_hidden(b, q))
                least = depth;
        }
    }
    return least;
}

static tl_status from_mesh(const tl_tree *tree, const body *b, const shell *s, tl_fit *d)
{
    tl_array samples = {.item = sizeof(tl_sample)};
    double squares = 0, area = 0;
    tl_status status = tl_sample_vertices(tree->mesh, &samples);
    if (status == TL_OK)
        status = tl_sample_thin(d->sampling, tree->mesh->low, &samples);
    if (status == TL_OK)
        status = tl_sample_surface(tree->mesh, d->sampling, &samples);
    const tl_sample *all = samples.data;
    for (size_t i = 0; status == TL_OK && i < samples.count; i++) {
        double distance = outside_of(all[i].point, b);
        if (distance < 0)
            distance = depth_of(all[i].point, b, s);
        d->deviation_max = tl_max(d->deviation_max, distance);
        squares += all[i].area * distance * distance;
        area += all[i].area;
    }
    d->deviation_rms = area > 0 ? sqrt(squares / area) : 0;
    tl_array_free(&samples);
    return status;
}

static void from_union(const tl_tree *tree, const shell *s, tl_fit *d)
{
    const double *points = s->points.data, *areas = s->areas.data;
    double squares = 0, area = 0;
    for (size_t i = 0; i < s->areas.count; i++) {
        const double distance = tl_tree_distance(tree, points + 3 * i, INFINITY, 0, NULL);
        d->reverse_max = tl_max(d->reverse_max, distance);
        squares += areas[i] * distance * distance;
        area += areas[i];
    }
    d->reverse_rms = area > 0 ? sqrt(squares / area) : 0;
}

/* ---- Volumes ---- */

/* Rows are off by about as much in the union as in the mesh, whose integrals are known: so what the
 * rows say of the union is taken less what they say of the mesh. */
static tl_status measure_volume(const tl_mesh *mesh, const tl_mesh_solid *solid,
                                const tl_union *solids, tl_fit *d)
{
    tl_overlap fine, coarse;
    TL_TRY(tl_rows_compare(mesh, solids, solid->centre, ROWS, &fine));
    TL_TRY(tl_rows_compare(mesh, solids, solid->centre, ROWS / 2, &coarse));
    d->volume = solid->volume + fine.excess - fine.missing;
    d->missing = fine.missing;
    d->excess = fine.excess;
    d->volume_accuracy =
        fmax(fabs(fine.excess - fine.missing - coarse.excess + coarse.missing),
             fmax(fabs(fine.missing - coarse.missing), fabs(fine.excess - coarse.excess)));
    const double mass = solid->volume / d->volume; /* per m^3, at a density of 1 */
    const double largest = fmax(solid->moments[0], fmax(solid->moments[1], solid->moments[2]));
    double square = 0, more[6];
    for (int k = 0; k < 6; k++)
        more[k] = fine.solids.second[k] - fine.mesh.second[k];
    for (int k = 0; k < 3; k++) {
        const double away = (fine.solids.first[k] - fine.mesh.first[k]) / d->volume;
        const double moment = mass * (solid->inertia[k] + more[(k + 1) % 3] + more[(k + 2) % 3]);
        const double product = mass * (solid->inertia[3 + k] - more[3 + k]);
        square += away * away;
        d->inertia_error = fmax(d->inertia_error, fmax(fabs(moment - solid->inertia[k]),
                                                       fabs(product - solid->inertia[3 + k])) /
                                                      largest);
    }
    d->centre_error = sqrt(square);
    return TL_OK;
}

/* ---- All of it ---- */

static tl_status measure_surfaces(const tl_tree *tree, const body *b, double tolerance, tl_fit *d)
{
    const tl_union *solids = b->solids;
    shell s;
    tl_status status = make_shell(b, d->sampling, tl_max(tolerance, 2 * d->sampling), &s);
    if (status == TL_OK)
        status = from_mesh(tree, b, &s, d);
    if (status == TL_OK)
        from_union(tree, &s, d);
    for (size_t i = 0; i < solids->ball_count; i++)
        d->protrusion = tl_max(
            d->protrusion, solids->balls[i].radius -
                               tl_tree_distance(tree, solids->balls[i].centre, INFINITY, 0, NULL));
    free_shell(&s);
    return status;
}

tl_status tl_deviation_measure(const tl_tree *tree, const tl_mesh_solid *solid,
                               const tl_union *solids, double tolerance, tl_fit *fit)
{
    const size_t hulls = solids->hull_count;
    body b = {.solids = solids, .planes = tl_alloc_zero(hulls * sizeof *b.planes)};
    *fit = (tl_fit){.sampling = tl_max(
                        tolerance / 4,
                        tl_sample_least_spacing(tree->mesh, hulls ? most_at_hulls : most_samples))};
    if (hulls && !b.planes)
        return TL_NO_MEMORY;
    tl_status status = measure_volume(tree->mesh, solid, solids, fit);
    for (size_t i = 0; i < hulls && status == TL_OK; i++) {
        b.planes[i].item = 4 * sizeof(double);
        status = tl_hull_planes(solids->hulls[i], &b.planes[i]);
    }
    if (status == TL_OK)
        status = measure_surfaces(tree, &b, tolerance, fit);
    for (size_t i = 0; i < hulls; i++)
        tl_array_free(&b.planes[i]);
    tl_free(b.planes, hulls * sizeof *b.planes);
    return status;
}
