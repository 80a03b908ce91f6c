/* What both exact solvers share: velocities, responses, residuals and the projection onto the
 * friction that a normal impulse allows. */
#include "solve/island.h"

#include <math.h>
#include <string.h>

void tl_island_room_init(tl_island_room *room)
{
    *room = (tl_island_room){.blocks = {.item = sizeof(double)},
                             .matrix = {.item = sizeof(double)},
                             .numbers = {.item = sizeof(double)},
                             .path = {.item = sizeof(double)},
                             .best = {.item = sizeof(double)},
                             .pivots = {.item = sizeof(double)},
                             .kept = {.item = sizeof(double)},
                             .tried = {.item = sizeof(double)},
                             .paused = {.item = sizeof(double)},
                             .back = {.item = sizeof(double)},
                             .touched = {.item = sizeof(uint32_t)},
                             .edges = {.item = 2 * sizeof(uint32_t)}};
    tl_sparse_init(&room->order);
}

void tl_island_room_free(tl_island_room *room)
{
    tl_array_free(&room->blocks);
    tl_array_free(&room->matrix);
    tl_array_free(&room->numbers);
    tl_array_free(&room->path);
    tl_array_free(&room->best);
    tl_array_free(&room->pivots);
    tl_array_free(&room->kept);
    tl_array_free(&room->tried);
    tl_array_free(&room->paused);
    tl_array_free(&room->back);
    tl_array_free(&room->touched);
    tl_array_free(&room->edges);
    tl_sparse_free(&room->order);
}

/* What an impulse along `axis` at an anchor changes, times a sign. */
static void respond(const tl_island_body *body, const double anchor[3], const double axis[3],
                    double sign, double change[6])
{
    double moment[3];
    tl_cross(anchor, axis, moment);
    for (int k = 0; k < 3; k++) {
        change[k] = sign * body->inverse_mass[k] * axis[k];
        change[3 + k] = sign * tl_dot(body->inverse_inertia + 3 * k, moment);
    }
}

void tl_island_response(const tl_island *island, const tl_island_row *row, const double axis[3],
                        double change_a[6], double change_b[6])
{
    memset(change_a, 0, 6 * sizeof *change_a);
    memset(change_b, 0, 6 * sizeof *change_b);
    if (row->a != TL_STILL)
        respond(&island->body[row->a], row->anchor_a, axis, -1, change_a);
    if (row->b != TL_STILL)
        respond(&island->body[row->b], row->anchor_b, axis, 1, change_b);
}

static void add_point(const double vel[6], const double anchor[3], double sign, double v[3])
{
    double turn[3];
    tl_cross(vel + 3, anchor, turn);
    for (int k = 0; k < 3; k++)
        v[k] += sign * (vel[k] + turn[k]);
}

void tl_island_relative(const tl_island *island, const tl_island_row *row, double u[3])
{
    double v[3] = {0, 0, 0};
    if (row->a != TL_STILL)
        add_point(island->body[row->a].vel, row->anchor_a, -1, v);
    if (row->b != TL_STILL)
        add_point(island->body[row->b].vel, row->anchor_b, 1, v);
    u[0] = tl_dot(row->axis[0], v) + row->bias;
    u[1] = tl_dot(row->axis[1], v) + row->slide[0];
    u[2] = tl_dot(row->axis[2], v) + row->slide[1];
}

double tl_island_change(const tl_island *island)
{
    double sum = 0;
    for (uint32_t i = 0; i < island->rows; i++) {
        const tl_island_row *row = &island->row[i];
        double v[3] = {0, 0, 0};
        for (int side = 0; side < 2; side++) {
            const uint32_t at = side ? row->b : row->a;
            double change[6];
            for (int k = 0; at != TL_STILL && k < 6; k++)
                change[k] = island->body[at].vel[k] - island->body[at].free[k];
            if (at != TL_STILL)
                add_point(change, side ? row->anchor_b : row->anchor_a, side ? 1 : -1, v);
        }
        for (int k = 0; k < 3; k++)
            sum += row->p[k] * tl_dot(row->axis[k], v);
    }
    return sum;
}

void tl_island_velocities(tl_island *island)
{
    for (uint32_t i = 0; i < island->bodies; i++)
        memcpy(island->body[i].vel, island->body[i].free, sizeof island->body[i].vel);
    for (uint32_t i = 0; i < island->rows; i++) {
        const tl_island_row *row = &island->row[i];
        double p[3] = {0, 0, 0}, a[6], b[6];
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                p[k] += row->p[l] * row->axis[l][k];
        tl_island_response(island, row, p, a, b);
        for (int k = 0; k < 6; k++) {
            if (row->a != TL_STILL)
                island->body[row->a].vel[k] += a[k];
            if (row->b != TL_STILL)
                island->body[row->b].vel[k] += b[k];
        }
    }
}

void tl_island_keep(const tl_island *island, double *p)
{
    for (uint32_t i = 0; i < island->rows; i++)
        memcpy(p + 3 * (size_t)i, island->row[i].p, 3 * sizeof *p);
}

void tl_island_restore(tl_island *island, const double *p)
{
    for (uint32_t i = 0; i < island->rows; i++)
        memcpy(island->row[i].p, p + 3 * (size_t)i, 3 * sizeof *p);
    tl_island_velocities(island);
}

/* Onto the segment between two corners; whether the foot is inside of it, else at which end. */
static int onto_edge(const double x[2], const double a[2], const double b[2], double foot[2])
{
    const double e[2] = {b[0] - a[0], b[1] - a[1]};
    const double t = ((x[0] - a[0]) * e[0] + (x[1] - a[1]) * e[1]) / (e[0] * e[0] + e[1] * e[1]);
    const double part = t < 0 ? 0 : t > 1 ? 1 : t;
    foot[0] = a[0] + part * e[0];
    foot[1] = a[1] + part * e[1];
    return t < 0 ? -1 : t > 1 ? 1 : 0;
}

void tl_polygon_make(tl_polygon *polygon, uint32_t sides)
{
    const double half = sides ? 3.14159265358979323846 / sides : 0;
    polygon->sides = sides;
    polygon->near = cos(half);
    polygon->half = sin(half);
    for (uint32_t k = 0; k < sides; k++) {
        polygon->corner[k][0] = cos(2 * k * half);
        polygon->corner[k][1] = sin(2 * k * half);
        polygon->normal[k][0] = cos((2 * k + 1) * half);
        polygon->normal[k][1] = sin((2 * k + 1) * half);
    }
}

uint32_t tl_polygon_side(const tl_polygon *polygon, const double x[2])
{
    double most = -INFINITY;
    uint32_t side = 0;
    for (uint32_t k = 0; k < polygon->sides; k++) {
        const double far = polygon->normal[k][0] * x[0] + polygon->normal[k][1] * x[1];
        if (far > most) {
            most = far;
            side = k;
        }
    }
    return side;
}

static tl_projected project_polygon(const double x[2], double radius, const tl_polygon *polygon)
{
    const uint32_t side = tl_polygon_side(polygon, x);
    const double *a = polygon->corner[side], *b = polygon->corner[(side + 1) % polygon->sides];
    const double *normal = polygon->normal[side];
    tl_projected out = {.p = {x[0], x[1]}, .by_x = {{1, 0}, {0, 1}}};
    if (x[0] * normal[0] + x[1] * normal[1] <= radius * polygon->near)
        return out;
    const double ra[2] = {radius * a[0], radius * a[1]}, rb[2] = {radius * b[0], radius * b[1]};
    const int end = onto_edge(x, ra, rb, out.p);
    const double tangent[2] = {-normal[1], normal[0]};
    for (int k = 0; k < 2; k++) {
        for (int l = 0; l < 2; l++)
            out.by_x[k][l] = end ? 0 : tangent[k] * tangent[l];
        out.by_radius[k] = end ? (end < 0 ? a[k] : b[k]) : normal[k] * polygon->near;
    }
    return out;
}

tl_projected tl_project_friction(const double x[2], double radius, const tl_polygon *polygon,
                                 uint32_t tangents)
{
    tl_projected out = {.p = {x[0], x[1]}, .by_x = {{1, 0}, {0, 1}}};
    if (tangents == 1) {
        out.p[1] = out.by_x[1][1] = 0;
        if (fabs(x[0]) <= radius)
            return out;
        out.p[0] = x[0] < 0 ? -radius : radius;
        out.by_x[0][0] = 0;
        out.by_radius[0] = x[0] < 0 ? -1 : 1;
        return out;
    }
    if (radius > 0 && polygon->sides)
        return project_polygon(x, radius, polygon);
    const double length = hypot(x[0], x[1]);
    if (length <= radius)
        return out;
    const double d[2] = {x[0] / length, x[1] / length};
    for (int k = 0; k < 2; k++) {
        out.p[k] = radius * d[k];
        out.by_radius[k] = d[k];
        for (int l = 0; l < 2; l++)
            out.by_x[k][l] = radius / length * ((k == l) - d[k] * d[l]);
    }
    return out;
}
