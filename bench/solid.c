/* Convex solids of few corners: solid.h. There are so few that every triple of corners is tried
 * for a face. */
#include "solid.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 /* of the radius, or of 1: what rounding makes of nothing */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

/* Makes a vector one of length 1; false where it has hardly any. */
static bool unit(double v[3])
{
    double length = sqrt(dot(v, v));
    for (int k = 0; k < 3 && length > SAME; k++)
        v[k] /= length;
    return length > SAME;
}

/* The plane through three corners, outward where all others are on one side; else false. */
static bool plane_through(const solid *s, uint32_t i, uint32_t j, uint32_t k, double plane[4])
{
    double u[3], v[3], least = 0, most = 0;
    subtract(s->corner[j], s->corner[i], u);
    subtract(s->corner[k], s->corner[i], v);
    if (!unit(u) || !unit(v))
        return false;
    cross(u, v, plane);
    if (!unit(plane))
        return false;
    for (uint32_t c = 0; c < s->corner_count; c++) {
        double from[3];
        subtract(s->corner[c], s->corner[i], from);
        least = fmin(least, dot(plane, from));
        most = fmax(most, dot(plane, from));
    }
    if (least < -SAME * s->radius && most > SAME * s->radius)
        return false;
    for (int c = 0; c < 3 && most > SAME * s->radius; c++)
        plane[c] = -plane[c];
    plane[3] = dot(plane, s->corner[i]);
    return true;
}

/* The corners on a face, counterclockwise; returns how many. */
static uint32_t face_loop(const solid *s, const double plane[4], uint32_t *loop)
{
    double angle[SOLID_CORNERS], middle[3] = {0, 0, 0}, u[3], v[3];
    uint32_t count = 0;
    for (uint32_t c = 0; c < s->corner_count; c++)
        if (fabs(dot(plane, s->corner[c]) - plane[3]) <= SAME * s->radius)
            loop[count++] = c;
    for (uint32_t c = 0; c < count; c++)
        for (int k = 0; k < 3; k++)
            middle[k] += s->corner[loop[c]][k] / count;
    subtract(s->corner[loop[0]], middle, u);
    cross(plane, u, v);
    for (uint32_t c = 0; c < count; c++) { /* sorted as they come */
        double from[3];
        const uint32_t corner = loop[c];
        subtract(s->corner[corner], middle, from);
        const double own = atan2(dot(v, from), dot(u, from));
        uint32_t at = c;
        for (; at > 0 && angle[at - 1] > own; at--) {
            angle[at] = angle[at - 1];
            loop[at] = loop[at - 1];
        }
        angle[at] = own;
        loop[at] = corner;
    }
    return count;
}

static bool known(const double (*list)[3], uint32_t count, const double v[3], bool either)
{
    for (uint32_t i = 0; i < count; i++) {
        const double c = dot(list[i], v);
        if ((either ? fabs(c) : c) > 1 - SAME)
            return true;
    }
    return false;
}

/* Faces, each once, with their loops; returns how many words these have. */
static uint32_t make_faces(solid *s)
{
    double normals[SOLID_FACES][3];
    uint32_t words = 0;
    for (uint32_t i = 0; i < s->corner_count; i++)
        for (uint32_t j = 0; j < i; j++)
            for (uint32_t k = 0; k < j; k++) {
                double found[4];
                if (s->face_count == SOLID_FACES || !plane_through(s, i, j, k, found) ||
                    known((const double(*)[3])normals, s->face_count, found, false))
                    continue;
                memcpy(s->face[s->face_count], found, sizeof found);
                memcpy(normals[s->face_count++], found, 3 * sizeof *found);
                s->loop[words] = face_loop(s, found, s->loop + words + 1);
                words += 1 + s->loop[words];
            }
    return words;
}

static void make_directions(solid *s)
{
    const uint32_t *loop = s->loop;
    for (uint32_t f = 0; f < s->face_count; f++, loop += 1 + *loop)
        for (uint32_t c = 0; c < *loop; c++) {
            double d[3];
            subtract(s->corner[loop[1 + (c + 1) % *loop]], s->corner[loop[1 + c]], d);
            if (unit(d) && !known((const double(*)[3])s->direction, s->direction_count, d, true))
                memcpy(s->direction[s->direction_count++], d, sizeof d);
        }
}

/* Volume and moments, by tetrahedra between the origin and triangles of the faces. False where the
 * centre of mass or the principal axes are others. */
static bool make_mass(solid *s)
{
    double first[3] = {0, 0, 0}, second[3][3] = {{0}};
    const uint32_t *loop = s->loop;
    for (uint32_t f = 0; f < s->face_count; f++, loop += 1 + *loop)
        for (uint32_t c = 2; c < *loop; c++) {
            const double *p = s->corner[loop[1]], *q = s->corner[loop[c]];
            const double *r = s->corner[loop[c + 1]];
            double n[3];
            cross(q, r, n);
            const double volume = dot(p, n) / 6;
            s->volume += volume;
            for (int i = 0; i < 3; i++) {
                const double sum = p[i] + q[i] + r[i];
                first[i] += volume / 4 * sum;
                for (int j = 0; j < 3; j++)
                    second[i][j] +=
                        volume / 20 *
                        (p[i] * p[j] + q[i] * q[j] + r[i] * r[j] + sum * (p[j] + q[j] + r[j]));
            }
        }
    bool principal = s->volume > 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        s->inertia[i] = second[j][j] + second[k][k];
        principal = principal && fabs(first[i]) <= SAME * s->volume * s->radius &&
                    fabs(second[j][k]) <= SAME * s->volume * s->radius * s->radius;
    }
    return principal;
}

bool solid_make(uint32_t count, const double (*corners)[3], solid *made)
{
    *made = (solid){.corner_count = count};
    if (count < 4 || count > SOLID_CORNERS)
        return false;
    for (uint32_t c = 0; c < count; c++) {
        memcpy(made->corner[c], corners[c], sizeof made->corner[c]);
        made->radius = fmax(made->radius, sqrt(dot(corners[c], corners[c])));
    }
    const uint32_t words = make_faces(made);
    bool corner[SOLID_CORNERS] = {false};
    const uint32_t *loop = made->loop;
    for (uint32_t f = 0; f < made->face_count; f++, loop += 1 + *loop)
        for (uint32_t c = 0; c < *loop; c++)
            corner[loop[1 + c]] = true;
    for (uint32_t c = 0; c < count; c++)
        if (!corner[c])
            return false;
    make_directions(made);
    /* Euler: corners - edges + faces = 2; an edge is twice in the loops */
    const uint32_t edges = (words - made->face_count) / 2;
    return count + made->face_count == edges + 2 && make_mass(made);
}

void solid_turn(const double *orientation, bool back, const double v[3], double turned[3])
{
    const double *q = orientation, sign = back ? -1 : 1;
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const double about[3] = {sign * q[1], sign * q[2], sign * q[3]};
    double t[3], s[3];
    cross(about, v, t);
    cross(about, t, s);
    for (int k = 0; k < 3; k++)
        turned[k] = v[k] + 2 * (q[0] * t[k] + s[k]) / square;
}

void solid_put(const solid *s, const double *position, const double *orientation,
               solid_place *place)
{
    for (uint32_t c = 0; c < s->corner_count; c++) {
        solid_turn(orientation, false, s->corner[c], place->corner[c]);
        for (int k = 0; k < 3; k++)
            place->corner[c][k] += position[k];
    }
    for (uint32_t f = 0; f < s->face_count; f++)
        solid_turn(orientation, false, s->face[f], place->normal[f]);
    for (uint32_t d = 0; d < s->direction_count; d++)
        solid_turn(orientation, false, s->direction[d], place->direction[d]);
}

/* The gap of two along an axis. */
static double axis_gap(const solid *s, const solid_place *a, const solid_place *b,
                       const double axis[3])
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (uint32_t c = 0; c < s->corner_count; c++) {
        const double at[2] = {dot(axis, a->corner[c]), dot(axis, b->corner[c])};
        for (int k = 0; k < 2; k++) {
            low[k] = at[k] < low[k] ? at[k] : low[k];
            high[k] = at[k] > high[k] ? at[k] : high[k];
        }
    }
    return fmax(low[0] - high[1], low[1] - high[0]);
}

double solid_gap(const solid *s, const solid_place *a, const solid_place *b, double limit)
{
    double gap = -INFINITY;
    for (uint32_t f = 0; f < s->face_count && gap <= limit; f++) {
        gap = fmax(gap, axis_gap(s, a, b, a->normal[f]));
        gap = fmax(gap, axis_gap(s, a, b, b->normal[f]));
    }
    for (uint32_t i = 0; i < s->direction_count && gap <= limit; i++)
        for (uint32_t j = 0; j < s->direction_count && gap <= limit; j++) {
            double axis[3];
            cross(a->direction[i], b->direction[j], axis);
            const double length = sqrt(dot(axis, axis));
            if (length < 1e-6) /* parallel edges: the faces beside them have the axis */
                continue;
            for (int k = 0; k < 3; k++)
                axis[k] /= length;
            gap = fmax(gap, axis_gap(s, a, b, axis));
        }
    return gap;
}
