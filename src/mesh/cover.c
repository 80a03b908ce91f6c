/* Spheres that cover a solid within a tolerance: a greedy set cover.
 *
 * To be covered are points: samples of the surface, which may be outside of all spheres by the
 * tolerance, and a grid of points inside, which may not. Candidates are medial balls: the largest
 * balls inside of the solid that touch its surface at a sample, found by shrinking a ball until
 * nothing of the surface is in it. Every ball inside is part of a medial one, so others need not be
 * looked at. A ball may be widened by half the tolerance. In each round the candidate that covers
 * most of what is left is taken. In the end each ball is widened as its worst point of the surface
 * needs it, and by a third of the way to it at least, so that the union is as far outside of the
 * surface at some places as it is inside at others. */
#include "mesh/cover.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/rows.h"
#include "mesh/sample.h"

static const double most_samples = 4.5e6;
static const double most_inside = 2e4; /* points of the grid in the bounding box */
/* In tolerances: how far a sample may be outside of all spheres, so that what lies between samples
 * is hardly farther than one; and how far it may be from a ball inside that is to cover it. */
static const double dip = 0.85, reach = 1.35;

/* A point to be covered. */
typedef struct target {
    double point[3], normal[3];
    double room;    /* m: how far outside of a ball inside the solid it may be */
    double nearest; /* m: how far outside of the best ball chosen it is, before that is widened */
    uint32_t owner; /* that ball */
    bool inside;    /* of the grid, not of the surface */
} target;

typedef struct candidate {
    double centre[3], radius;
    size_t gain; /* points that it covered when it was looked at last: never fewer than now */
    uint32_t number;
} candidate;

/* Targets by cells of a grid. Those of a cell that are not covered yet come first. */
typedef struct field {
    target *targets;
    size_t target_count, left;
    double low[3], cell;
    size_t size[3];
    uint32_t *starts; /* per cell, and one more */
    uint32_t *open;   /* per cell: targets that are not covered */
} field;

/* ---- Medial balls ---- */

/* Moves a ball away from what it touches while it grows and stays at `point`: to the middle of what
 * is round. A step of half the radius stays inside of the ball, and so of the solid. */
static void centre_ball(const tl_tree *tree, const double point[3], double tolerance,
                        candidate *ball)
{
    tl_hit hit, next_hit;
    ball->radius = tl_tree_distance(tree, ball->centre, INFINITY, tolerance / 100, &hit);
    double step = tl_min(tolerance, ball->radius) / 2;
    for (int round = 0; round < 64 && step > tolerance / 50; round++) {
        candidate next = *ball;
        for (int k = 0; k < 3; k++)
            next.centre[k] += step * (ball->centre[k] - hit.point[k]) / ball->radius;
        next.radius = tl_tree_distance(tree, next.centre, INFINITY, tolerance / 100, &next_hit);
        if (next.radius > ball->radius + step / 8 &&
            tl_distance(point, next.centre) <= next.radius + tolerance / 8) {
            *ball = next;
            hit = next_hit;
        } else {
            step /= 2;
        }
    }
    ball->radius = tl_max(ball->radius - tolerance / 100, 0);
}

/* Whether a triangle faces about the same way as a normal. */
static bool faces_alike(const tl_mesh *mesh, size_t triangle, const double normal[3])
{
    const double *corners[3];
    double other[3];
    tl_mesh_corners(mesh, triangle, corners);
    tl_normal(corners, other);
    return tl_dot(other, normal) > 0.5 * tl_length(other);
}

/* The largest ball inside that touches the surface at `point`, or nearly so: one that a facet of
 * much the same direction cuts by a quarter of the tolerance is made smaller, not moved. Otherwise
 * each edge between two facets of a round surface would have small balls of its own. */
static void find_ball(const tl_tree *tree, const double point[3], const double normal[3],
                      double tolerance, candidate *ball)
{
    const double cut = tolerance / 4;
    const double little = 1e-13 * tl_mesh_size(tree->mesh); /* rounding */
    double radius = tl_mesh_size(tree->mesh);
    for (int round = 0; round < 60 && radius > little; round++) {
        tl_hit hit;
        double to[3];
        for (int k = 0; k < 3; k++)
            ball->centre[k] = point[k] - radius * normal[k];
        const double free = tl_tree_distance(tree, ball->centre, radius - little, 0, &hit);
        if (free >= radius - little ||
            (free >= radius - cut && faces_alike(tree->mesh, hit.triangle, normal)))
            break;
        tl_sub(hit.point, point, to);
        const double inwards = -2 * tl_dot(to, normal);
        const double smaller = inwards > 0 ? tl_dot(to, to) / inwards : radius;
        if (!(smaller < radius))
            break;
        radius = smaller;
    }
    for (int k = 0; k < 3; k++)
        ball->centre[k] = point[k] - radius * normal[k];
    centre_ball(tree, point, tolerance, ball);
}

/* ---- What is to be covered ---- */

static tl_status add_surface(const tl_mesh *mesh, double tolerance, tl_array *targets)
{
    tl_array samples = {.item = sizeof(tl_sample)};
    tl_status status = tl_sample_vertices(mesh, &samples); /* first: corners are not thinned out */
    if (status == TL_OK)
        status = tl_sample_surface(mesh, tolerance / 3, &samples);
    if (status == TL_OK)
        status = tl_sample_thin(tolerance / 4, mesh->low, &samples);
    const tl_sample *all = samples.data;
    for (size_t i = 0; status == TL_OK && i < samples.count; i++) {
        target t = {.room = reach * tolerance, .nearest = INFINITY};
        memcpy(t.point, all[i].point, sizeof t.point);
        memcpy(t.normal, all[i].normal, sizeof t.normal);
        status = tl_array_append(targets, &t, 1);
    }
    tl_array_free(&samples);
    return status;
}

/* A point of the grid, if it is deep inside. */
static tl_status add_deep(const tl_tree *tree, const double point[3], double tolerance,
                          tl_array *targets)
{
    target t = {.inside = true, .room = tolerance / 2, .nearest = INFINITY};
    tl_hit hit = {.triangle = 0};
    const double depth = tl_tree_distance(tree, point, INFINITY, 0, &hit);
    if (depth < tolerance)
        return TL_OK;
    for (int k = 0; k < 3; k++) {
        t.point[k] = point[k];
        t.normal[k] = (hit.point[k] - point[k]) / depth; /* towards the nearest point outside */
    }
    return tl_array_append(targets, &t, 1);
}

static tl_status add_row(const tl_tree *tree, const tl_crossing *crossings, size_t count, double y,
                         double z, double tolerance, double step, tl_array *targets)
{
    const double low = tree->mesh->low[0];
    int winding = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        winding += crossings[i].sign;
        if (winding <= 0)
            continue;
        const double first = ceil((crossings[i].x - low) / step);
        const double last = (crossings[i + 1].x - low) / step;
        for (double n = first; n <= last; n++) {
            const double point[3] = {low + n * step, y, z};
            TL_TRY(add_deep(tree, point, tolerance, targets));
        }
    }
    return TL_OK;
}

static tl_status add_inside(const tl_tree *tree, double tolerance, tl_array *targets)
{
    const tl_mesh *mesh = tree->mesh;
    double volume = 1;
    for (int k = 0; k < 3; k++)
        volume *= mesh->high[k] - mesh->low[k];
    const double least = tl_mesh_size(mesh) / 1000; /* for what is very long and thin */
    const double step = tl_max(tl_max(tolerance, least), cbrt(volume / most_inside));
    tl_array crossings = {.item = sizeof(tl_crossing)};
    tl_status status = TL_OK;
    for (double z = mesh->low[2] + step / 2; status == TL_OK && z < mesh->high[2]; z += step) {
        const tl_rows rows = {.z = z,
                              .y = mesh->low[1] + step / 2,
                              .step = step,
                              .count = (size_t)((mesh->high[1] - mesh->low[1]) / step) + 1};
        crossings.count = 0;
        status = tl_rows_cross_mesh(mesh, &rows, &crossings);
        const tl_crossing *all = crossings.data;
        for (size_t i = 0, n; status == TL_OK && i < crossings.count; i += n) {
            for (n = 1; i + n < crossings.count && all[i + n].row == all[i].row;)
                n++;
            status =
                add_row(tree, all + i, n, rows.y + all[i].row * step, z, tolerance, step, targets);
        }
    }
    tl_array_free(&crossings);
    return status;
}

/* ---- The field ---- */

static size_t cell_along(const field *f, double x, int k)
{
    const double n = floor((x - f->low[k]) / f->cell);
    return (size_t)tl_min(tl_max(n, 0), (double)f->size[k] - 1);
}

static size_t cell_of(const field *f, const double p[3])
{
    return cell_along(f, p[0], 0) +
           f->size[0] * (cell_along(f, p[1], 1) + f->size[1] * cell_along(f, p[2], 2));
}

static size_t cell_count(const field *f)
{
    return f->size[0] * f->size[1] * f->size[2];
}

/* Sorts the targets into cells: counts, then places. */
static tl_status make_field(const tl_mesh *mesh, const tl_array *targets, double tolerance,
                            field *f)
{
    const target *given = targets->data;
    *f = (field){.target_count = targets->count, .left = targets->count};
    f->cell = tl_max(2 * tolerance, tl_mesh_size(mesh) / 48);
    for (int k = 0; k < 3; k++) {
        f->low[k] = mesh->low[k];
        f->size[k] = (size_t)((mesh->high[k] - mesh->low[k]) / f->cell) + 1;
    }
    f->targets = tl_alloc(f->target_count * sizeof *f->targets);
    f->starts = tl_alloc_zero((cell_count(f) + 1) * sizeof *f->starts);
    f->open = tl_alloc_zero(cell_count(f) * sizeof *f->open);
    if (!f->targets || !f->starts || !f->open)
        return TL_NO_MEMORY;
    for (size_t i = 0; i < f->target_count; i++)
        f->starts[cell_of(f, given[i].point) + 1]++;
    for (size_t c = 0; c < cell_count(f); c++)
        f->starts[c + 1] += f->starts[c];
    for (size_t i = 0; i < f->target_count; i++) {
        const size_t c = cell_of(f, given[i].point);
        f->targets[f->starts[c] + f->open[c]++] = given[i];
    }
    return TL_OK;
}

static void free_field(field *f)
{
    tl_free(f->targets, f->target_count * sizeof *f->targets);
    tl_free(f->starts, (cell_count(f) + 1) * sizeof *f->starts);
    tl_free(f->open, cell_count(f) * sizeof *f->open);
}

static double outside_of(const target *t, const candidate *ball)
{
    return tl_distance(t->point, ball->centre) - ball->radius;
}

/* What is done with the targets that a ball covers. */
typedef enum visit {
    VISIT_COUNT, /* those that are open */
    VISIT_COVER, /* those that are open are so no longer */
    VISIT_OWN    /* all: the ball owns those that it is nearest to */
} visit;

static size_t visit_cell(field *f, size_t cell, const candidate *ball, visit what, uint32_t owner)
{
    const uint32_t start = f->starts[cell];
    const uint32_t end = what == VISIT_OWN ? f->starts[cell + 1] : start + f->open[cell];
    size_t found = 0;
    for (uint32_t i = end; i-- > start;) {
        target *t = &f->targets[i];
        const double outside = outside_of(t, ball);
        if (!(outside <= t->room))
            continue;
        found++;
        if (what == VISIT_OWN && outside < t->nearest) {
            t->nearest = outside;
            t->owner = owner;
        } else if (what == VISIT_COVER) {
            const target covered = *t, last = f->targets[start + --f->open[cell]];
            f->targets[start + f->open[cell]] = covered;
            *t = last;
        }
    }
    return found;
}

/* The least and the largest square of the distance between a cell and a point. */
static void cell_squares(const field *f, const size_t at[3], const double p[3], double *least,
                         double *most)
{
    *least = *most = 0;
    for (int k = 0; k < 3; k++) {
        const double low = f->low[k] + f->cell * (double)at[k] - p[k], high = low + f->cell;
        const double near = tl_max(tl_max(low, -high), 0), far = tl_max(-low, high);
        *least += near * near;
        *most += far * far;
    }
}

/* Cells that are wholly outside are passed over, and those wholly inside need not be looked into to
 * be counted. */
static size_t visit_ball(field *f, const candidate *ball, double tolerance, visit what,
                         uint32_t owner)
{
    const double radius = ball->radius + reach * tolerance;
    size_t low[3], high[3], at[3], found = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = cell_along(f, ball->centre[k] - radius, k);
        high[k] = cell_along(f, ball->centre[k] + radius, k);
    }
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
                const size_t cell = at[0] + f->size[0] * (at[1] + f->size[1] * at[2]);
                double least, most;
                if (f->starts[cell + 1] == f->starts[cell] || (what != VISIT_OWN && !f->open[cell]))
                    continue;
                cell_squares(f, at, ball->centre, &least, &most);
                if (least > radius * radius)
                    continue;
                if (what == VISIT_COUNT && most < ball->radius * ball->radius)
                    found += f->open[cell];
                else
                    found += visit_cell(f, cell, ball, what, owner);
            }
    return found;
}

/* Sums of the counts of all cells below each, along all three axes. */
static tl_status sum_cells(const field *f, size_t **sums)
{
    const size_t nx = f->size[0] + 1, ny = f->size[1] + 1, nz = f->size[2] + 1;
    *sums = tl_alloc_zero(nx * ny * nz * sizeof **sums);
    if (!*sums)
        return TL_NO_MEMORY;
    for (size_t z = 1; z < nz; z++)
        for (size_t y = 1; y < ny; y++)
            for (size_t x = 1; x < nx; x++) {
                size_t *s = *sums + x + nx * (y + ny * z);
                const size_t cell = x - 1 + f->size[0] * (y - 1 + f->size[1] * (z - 1));
                s[0] = f->open[cell] + s[-1] + *(s - nx) + *(s - nx * ny) - *(s - nx - 1) -
                       *(s - nx * ny - 1) - *(s - nx * ny - nx) + *(s - nx * ny - nx - 1);
            }
    return TL_OK;
}

/* At least as many as a ball covers: those in the cells of the box around it. */
static size_t bound_gain(const field *f, const size_t *sums, const candidate *ball,
                         double tolerance)
{
    const double radius = ball->radius + reach * tolerance;
    const size_t nx = f->size[0] + 1, ny = f->size[1] + 1;
    size_t ends[2][3], bound = 0;
    for (int k = 0; k < 3; k++) {
        ends[0][k] = cell_along(f, ball->centre[k] - radius, k);
        ends[1][k] = cell_along(f, ball->centre[k] + radius, k) + 1;
    }
    for (int corner = 0; corner < 8; corner++) {
        const int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        const size_t sum = sums[ends[x][0] + nx * (ends[y][1] + ny * ends[z][2])];
        bound += (x + y + z) % 2 ? sum : (size_t)0 - sum; /* modulo 2^64, which ends well */
    }
    return bound;
}

/* ---- Candidates ---- */

/* More gain first, then the larger ball, then the earlier one. */
static bool is_better(const candidate *a, const candidate *b)
{
    if (a->gain != b->gain)
        return a->gain > b->gain;
    if (a->radius != b->radius)
        return a->radius > b->radius;
    return a->number < b->number;
}

/* A heap, with the best candidate first. */
static void sift(candidate *heap, size_t count, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_better(&heap[child + 1], &heap[child]))
            child++;
        if (!is_better(&heap[child], &heap[i]))
            return;
        const candidate swapped = heap[i];
        heap[i] = heap[child];
        heap[child] = swapped;
    }
}

static int compare_radii(const void *a, const void *b)
{
    const tl_sample *p = a, *q = b;
    if (p->area != q->area)
        return p->area > q->area ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (p->point[k] != q->point[k])
            return p->point[k] < q->point[k] ? -1 : 1;
    return 0;
}

/* Whether a sample is on one of the last balls found: its own ball would be the same one. */
static bool is_on_ball(const double point[3], const tl_sample *balls, size_t count,
                       double tolerance)
{
    enum { LAST = 500 };
    for (size_t i = count; i > 0 && i + LAST > count; i--) {
        const double radius = balls[i - 1].area + tolerance / 4;
        double d[3];
        tl_sub(point, balls[i - 1].point, d);
        if (tl_dot(d, d) <= radius * radius)
            return true;
    }
    return false;
}

/* Finds the medial balls of samples; of those whose centres are in one place the largest stays. The
 * samples become the balls: the point is the centre, the area the radius. */
static tl_status find_balls(const tl_tree *tree, double tolerance, tl_array *samples)
{
    TL_TRY(tl_sample_surface(tree->mesh, tolerance, samples));
    TL_TRY(tl_sample_thin(tolerance, tree->mesh->low, samples));
    tl_sample *all = samples->data;
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        candidate c;
        if (is_on_ball(all[i].point, all, count, tolerance))
            continue;
        find_ball(tree, all[i].point, all[i].normal, tolerance, &c);
        memcpy(all[count].point, c.centre, sizeof c.centre);
        all[count++].area = c.radius;
    }
    samples->count = count;
    qsort(all, count, sizeof *all, compare_radii);
    return tl_sample_thin(tolerance / 2, tree->mesh->low, samples);
}

static tl_status find_candidates(const tl_tree *tree, double tolerance, tl_array *candidates)
{
    tl_array samples = {.item = sizeof(tl_sample)};
    tl_status status = find_balls(tree, tolerance, &samples);
    if (status == TL_OK)
        status = tl_array_reserve(candidates, samples.count);
    const tl_sample *all = samples.data;
    for (size_t i = 0; status == TL_OK && i < samples.count; i++) {
        candidate c = {.radius = all[i].area, .number = (uint32_t)i};
        memcpy(c.centre, all[i].point, sizeof c.centre);
        status = tl_array_append(candidates, &c, 1);
    }
    tl_array_free(&samples);
    return status;
}

/* Takes the best candidates until none covers anything that is left. Gains only shrink, so that one
 * that is still the best after it was looked at again is the best of all. */
static tl_status choose(field *f, double tolerance, size_t most, tl_array *candidates,
                        tl_array *chosen)
{
    candidate *heap = candidates->data;
    size_t count = candidates->count, *sums;
    TL_TRY(sum_cells(f, &sums));
    for (size_t i = 0; i < count; i++)
        heap[i].gain = bound_gain(f, sums, &heap[i], tolerance);
    tl_free(sums, (f->size[0] + 1) * (f->size[1] + 1) * (f->size[2] + 1) * sizeof *sums);
    for (size_t i = count / 2; i-- > 0;)
        sift(heap, count, i);
    while (count && f->left && chosen->count <= most) {
        candidate best = heap[0];
        best.gain = visit_ball(f, &best, tolerance, VISIT_COUNT, 0);
        heap[0].gain = best.gain;
        if (!best.gain) {
            heap[0] = heap[--count];
            sift(heap, count, 0);
            continue;
        }
        sift(heap, count, 0);
        if (heap[0].number != best.number)
            continue;
        f->left -= visit_ball(f, &best, tolerance, VISIT_COVER, 0);
        TL_TRY(tl_array_append(chosen, &best, 1));
    }
    return TL_OK;
}

/* What no candidate covers gets the medial ball that touches the surface there. */
static tl_status choose_rest(const tl_tree *tree, field *f, double tolerance, size_t most,
                             tl_array *chosen)
{
    for (size_t cell = 0; cell < cell_count(f) && f->left; cell++)
        while (f->open[cell] && chosen->count <= most) {
            const target *t = &f->targets[f->starts[cell]];
            candidate c = {.number = 0};
            tl_hit at;
            memcpy(at.point, t->point, sizeof at.point);
            if (t->inside)
                tl_tree_distance(tree, t->point, INFINITY, 0, &at);
            find_ball(tree, at.point, t->normal, tolerance, &c);
            if (!(outside_of(t, &c) <= t->room)) { /* rounding, or a mesh that crosses itself */
                memcpy(c.centre, t->point, sizeof c.centre);
                c.radius = t->inside ? tl_distance(at.point, t->point) : 0;
            }
            f->left -= visit_ball(f, &c, tolerance, VISIT_COVER, 0);
            TL_TRY(tl_array_append(chosen, &c, 1));
        }
    return TL_OK;
}

/* ---- Radii ---- */

/* Gives each target to the ball that is nearest to it and widens the balls as their targets need;
 * balls without targets are left out. */
static tl_status balance(field *f, double tolerance, const tl_array *chosen, tl_array *balls)
{
    const candidate *all = chosen->data;
    double *wider = tl_alloc(chosen->count * sizeof *wider);
    if (!wider)
        return TL_NO_MEMORY;
    for (size_t i = 0; i < chosen->count; i++) {
        wider[i] = -1;
        visit_ball(f, &all[i], tolerance, VISIT_OWN, (uint32_t)i);
    }
    for (size_t i = 0; i < f->target_count; i++) {
        const target *t = &f->targets[i];
        const double needed =
            t->inside ? t->nearest : tl_max(t->nearest - dip * tolerance, t->nearest / 3);
        if (t->nearest < INFINITY)
            wider[t->owner] = tl_max(wider[t->owner], tl_min(tl_max(needed, 0), tolerance));
    }
    tl_status status = TL_OK;
    for (size_t i = 0; status == TL_OK && i < chosen->count; i++) {
        tl_ball ball = {.radius = tl_max(all[i].radius + wider[i], tolerance / 2)};
        memcpy(ball.centre, all[i].centre, sizeof ball.centre);
        if (wider[i] >= 0)
            status = tl_array_append(balls, &ball, 1);
    }
    tl_free(wider, chosen->count * sizeof *wider);
    return status;
}

/* ---- All of it ---- */

double tl_cover_least_tolerance(const tl_mesh *mesh)
{
    return 3 * tl_sample_least_spacing(mesh, most_samples);
}

static tl_status cover_field(const tl_tree *tree, field *f, double tolerance, size_t most,
                             tl_array *balls)
{
    tl_array candidates = {.item = sizeof(candidate)}, chosen = {.item = sizeof(candidate)};
    tl_status status = find_candidates(tree, tolerance, &candidates);
    if (status == TL_OK)
        status = choose(f, tolerance, most, &candidates, &chosen);
    if (status == TL_OK)
        status = choose_rest(tree, f, tolerance, most, &chosen);
    if (status == TL_OK && chosen.count > most)
        status = tl_array_resize(balls, chosen.count); /* too many: what they are does not matter */
    else if (status == TL_OK)
        status = balance(f, tolerance, &chosen, balls);
    tl_array_free(&candidates);
    tl_array_free(&chosen);
    return status;
}

tl_status tl_cover_make(const tl_tree *tree, double tolerance, size_t most, tl_array *balls)
{
    tl_array targets = {.item = sizeof(target)};
    field f = {0};
    tl_status status = add_surface(tree->mesh, tolerance, &targets);
    if (status == TL_OK)
        status = add_inside(tree, tolerance, &targets);
    if (status == TL_OK)
        status = make_field(tree->mesh, &targets, tolerance, &f);
    tl_array_free(&targets);
    if (status == TL_OK)
        status = cover_field(tree, &f, tolerance, most, balls);
    free_field(&f);
    return status;
}
