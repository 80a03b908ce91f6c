/* Distances between two surfaces; deviation.h says which. A point outside of all spheres knows its
 * distance to them; one inside is as far from the union's surface as from the nearest sample of it.
 */
#include "mesh/deviation.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/sample.h"

static const double most_samples = 2e5; /* of either surface, about */
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

static size_t place_of(const shell *s, const double cell[3])
{
    uint64_t h = 0;
    for (int k = 0; k < 3; k++)
        h = (h ^ (uint64_t)(int64_t)cell[k]) * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 20) & (s->places - 1);
}

static tl_status make_shell(size_t count, const tl_ball *balls, double spacing, double cell,
                            shell *s)
{
    *s = (shell){.points = {.item = sizeof(double)}, .areas = {.item = sizeof(double)}};
    uint32_t *near = tl_alloc(count * sizeof *near);
    tl_status status = near ? TL_OK : TL_NO_MEMORY;
    for (size_t i = 0; status == TL_OK && i < count; i++)
        status = add_ball(balls, count, i, spacing, near, s);
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

/* How far a point is outside of the union; negative inside. */
static double outside_of(const double p[3], size_t count, const tl_ball *balls)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        least = tl_min(least, tl_distance(p, balls[i].centre) - balls[i].radius);
    return least;
}

static tl_status from_mesh(const tl_tree *tree, size_t count, const tl_ball *balls, const shell *s,
                           tl_deviation *d)
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
        double distance = outside_of(all[i].point, count, balls);
        if (distance < 0)
            distance = shell_distance(s, all[i].point);
        d->deviation_max = tl_max(d->deviation_max, distance);
        squares += all[i].area * distance * distance;
        area += all[i].area;
    }
    d->deviation_rms = area > 0 ? sqrt(squares / area) : 0;
    tl_array_free(&samples);
    return status;
}

static void from_balls(const tl_tree *tree, const shell *s, tl_deviation *d)
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

tl_status tl_deviation_measure(const tl_tree *tree, size_t count, const tl_ball *balls,
                               double tolerance, tl_deviation *deviation)
{
    shell s;
    *deviation = (tl_deviation){
        .sampling = tl_max(tolerance / 4, tl_sample_least_spacing(tree->mesh, most_samples))};
    tl_status status = make_shell(count, balls, deviation->sampling,
                                  tl_max(tolerance, 2 * deviation->sampling), &s);
    if (status == TL_OK)
        status = from_mesh(tree, count, balls, &s, deviation);
    if (status == TL_OK)
        from_balls(tree, &s, deviation);
    for (size_t i = 0; i < count; i++)
        deviation->protrusion =
            tl_max(deviation->protrusion,
                   balls[i].radius - tl_tree_distance(tree, balls[i].centre, INFINITY, 0, NULL));
    free_shell(&s);
    return status;
}
