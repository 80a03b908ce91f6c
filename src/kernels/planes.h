/* Planes by motion: which plane of a shape a contact acts as, where bodies move on within the step.
 * One pair at a time; called by src/step/planes.c. docs/theory.md, "Planes by motion".
 *
 * Seen from the one shape the other goes a straight way, that of the velocities which it would have
 * without the pair's own impulses. Where on this way the two are nearest they have a plane between
 * them that neither end of the way is farther behind than there. It takes the place of the plane
 * that is nearest as the step begins, unless the way leads deep into the shape: then that is hit.
 */
#ifndef TL_KERNELS_PLANES_H
#define TL_KERNELS_PLANES_H

#include "kernels/ahead.h"
#include "kernels/carry.h"

#define TLK_PLANE_TURNS 24   /* looks at the way, at most */
#define TLK_PLANE_EDGE  1e-6 /* of what is left of the way: the next look behind an edge */
#define TLK_PLANE_SAME  1e-2 /* of TLK_PLANE_STILL: planes that gaps change alike with are one */
#define TLK_PLANE_DEEP  1e-4 /* of the half width: deeper ways lead into the other */
#define TLK_PLANE_STILL 1e-7 /* of the way: a gap that changes by less does not, in 32 bits */

/* A pair of shapes, one of which goes a way relative to the other. */
typedef struct tlk_passing {
    const tlk_shapes *s;
    uint32_t i, j; /* what moves, and against what */
    uint32_t sub;  /* the triangle of j, or of i where both move */
    bool turned;   /* contacts go from j to i */
    double way[3]; /* m: of i, against j */
    double now;    /* m: the least gap as the step begins */
    double limit;  /* m: no gap on the way is larger */
    double deep;   /* m: the deepest that it may lead into the other */
    double margin; /* m: how far around it to look for triangles */
    uint32_t rows; /* its contacts */
    bool far;      /* it may come onto another face: slower ones keep points and triangles */
} tlk_passing;

/* Whether a body turns so far within the step that how its surface goes says nothing of where it
 * will be: then its middle counts. */
TL_KERNEL bool tlk_plane_whirls(const tlk_build *p, const real *v)
{
    return tlk_dot(v + 4, v + 4) * (real)(p->recovery.h * p->recovery.h) > 1;
}

/* How the middle of shape i goes against what the body of shape j is made of there, m/s. */
TL_KERNEL void tlk_relative_velocity(const tlk_build *p, uint32_t i, uint32_t j, double *v)
{
    const size_t a = p->shapes.body[i], b = p->shapes.body[j];
    real va[8], vb[8];
    tlk_load8(p->bodies.vel + 8 * a, va);
    tlk_load8(p->bodies.vel + 8 * b, vb);
    for (int k = 0; k < 3; k++)
        v[k] = (double)va[k] - vb[k];
    if (p->shapes.info[i] & p->shapes.info[j] & TLK_SHAPE_CENTRAL)
        return;
    const double *c = p->shapes.centre + 4 * (size_t)i;
    const double *xa = p->bodies.pos + 4 * a, *xb = p->bodies.pos + 4 * b;
    const double wa[3] = {va[4], va[5], va[6]}, wb[3] = {vb[4], vb[5], vb[6]};
    const double *at = tlk_plane_whirls(p, vb) ? xb : c;
    const double ra[3] = {c[0] - xa[0], c[1] - xa[1], c[2] - xa[2]};
    const double rb[3] = {at[0] - xb[0], at[1] - xb[1], at[2] - xb[2]};
    double ta[3], tb[3];
    tlk_crossd(wa, ra, ta);
    tlk_crossd(wb, rb, tb);
    for (int k = 0; k < 3; k++)
        v[k] += ta[k] - tb[k];
}

/* Whether a ball stays above the inside of a face of a box, farther from its edges than it is wide
 * and goes in two steps: then there is no other plane to go to. */
TL_KERNEL bool tlk_plane_inside(const tlk_build *p, uint32_t ball, uint32_t box, const double *v)
{
    const tlk_shapes *s = &p->shapes;
    if ((s->info[ball] & TLK_SHAPE_KIND) != TLK_SPHERE ||
        (s->info[box] & TLK_SHAPE_KIND) != TLK_BOX)
        return false;
    const double *c = s->centre + 4 * (size_t)ball, *frame = tlk_frame(s, box);
    const double d[3] = {c[0] - frame[0], c[1] - frame[1], c[2] - frame[2]};
    const double room = s->geom[4 * (size_t)ball + 3] + 2 * p->recovery.h * sqrt(tlk_dotd(v, v));
    uint32_t beyond = 0, inside = 0;
    for (int k = 0; k < 3; k++) {
        const double out = fabs(tlk_dotd(d, frame + 3 + 3 * k)) - frame[12 + k];
        beyond += out > 0;
        inside += out < -room;
    }
    return beyond == 1 && inside == 2;
}

/* Whether a shape of two turns by more than TLK_PLANE_ANGLE within the step: of a wall and a body
 * the wall, which may carry what it pushes along; no ball. */
TL_KERNEL bool tlk_plane_turns(const tlk_planes *q, uint32_t a, uint32_t b)
{
    const tlk_build *p = &q->build;
    const uint32_t *info = p->shapes.info, wall = (info[a] | info[b]) & TLK_SHAPE_FIXED;
    const real most = (real)q->turns;
    bool turns = false;
    for (int side = 0; side < 2; side++) {
        const uint32_t shape = side ? b : a;
        const real *v = p->bodies.vel + 8 * (size_t)p->shapes.body[shape] + 4;
        turns = turns || ((info[shape] & TLK_SHAPE_KIND) &&
                          (info[shape] & TLK_SHAPE_FIXED) == wall && tlk_dot(v, v) > most);
    }
    return turns;
}

/* Whether shapes a and b move on within the step. */
TL_KERNEL bool tlk_plane_moves(const tlk_planes *q, uint32_t a, uint32_t b)
{
    const bool turned = q->build.shapes.info[a] & TLK_SHAPE_FIXED;
    const uint32_t mover = turned ? b : a, other = turned ? a : b;
    double v[3];
    tlk_relative_velocity(&q->build, mover, other, v);
    return tlk_dotd(v, v) > q->moves && !tlk_plane_inside(&q->build, mover, other, v);
}

/* Whether a shape of two swings around its body's middle within the step, so far that its way is no
 * straight one (swing.h). */
TL_KERNEL bool tlk_plane_swings(const tlk_planes *q, uint32_t a, uint32_t b)
{
    const tlk_build *p = &q->build;
    bool swings = false;
    for (int side = 0; side < 2; side++) {
        const uint32_t shape = side ? b : a, body = p->shapes.body[shape];
        const real *v = p->bodies.vel + 8 * (size_t)body + 4;
        const double turn = tlk_dot(v, v), h = p->recovery.h;
        const double *anchor = p->shapes.geom + 4 * (size_t)shape;
        if (body < p->bodies.dynamic && turn > q->turns)
            swings = swings || 0.5 * h * h * turn * sqrt(tlk_dotd(anchor, anchor)) >
                                   TLK_PLANE_SWINGS * tlk_thin(&p->shapes, shape);
    }
    return swings;
}

/* Notes pair i if it moves on, turns or swings within the step. Half-spaces end nowhere; and two
 * balls that both move keep the line of their centres, as impulses along another one would make
 * angular momentum. (Where there is nothing else, tl_world.ends tells so.) */
TL_KERNEL void tlk_plane_note(const tlk_planes *q, uint32_t i)
{
    const tlk_build *p = &q->build;
    const uint32_t k = tlk_first_contact(p->first, i);
    const uint32_t a = p->contact_a[k], b = p->contact_b[k];
    const uint32_t ia = p->shapes.info[a], ib = p->shapes.info[b];
    if ((ia & TLK_SHAPE_KIND) == TLK_PLANE || (ib & TLK_SHAPE_KIND) == TLK_PLANE ||
        (ia & ib & TLK_SHAPE_CENTRAL && !((ia | ib) & TLK_SHAPE_FIXED)))
        return;
    if (tlk_plane_moves(q, a, b) || tlk_plane_turns(q, a, b) || tlk_plane_swings(q, a, b))
        q->moved[tlk_atomic_add32(q->moved_count, 1)] = i;
}

/* What impulses of a pair's rows do to the velocities of its bodies is taken out of them. */
TL_KERNEL void tlk_plane_without(const tlk_build *p, uint32_t first, uint32_t rows, tlk_pair *pair)
{
    const tlk_problem view = tlk_position_problem(p);
    for (uint32_t k = 0; k < rows; k++) {
        const uint32_t s = first + k * TLK_LANES;
        const tlk_row row = tlk_load_row(&view, s);
        real gamma[3];
        tlk_load3(p->gamma, s, gamma);
        for (int c = 0; c < 3; c++)
            gamma[c] = -gamma[c];
        tlk_row_push(&view, &row, gamma, pair);
        if (!p->moment)
            continue;
        tlk_load3(p->moment, s, gamma);
        for (int c = 0; c < 3; c++)
            gamma[c] = -gamma[c];
        tlk_row_turn(&row, gamma, pair);
    }
}

/* Where simple shapes touch after a part of the way: as tlk_plane_meet(). */
TL_KERNEL void tlk_plane_simple(const tlk_passing *p, double part, tlk_manifold *m)
{
    const tlk_shapes *s = p->s;
    const uint32_t ki = s->info[p->i] & TLK_SHAPE_KIND, kj = s->info[p->j] & TLK_SHAPE_KIND;
    const bool ball = ki == TLK_SPHERE; /* else j is the sphere, and goes the other way */
    const double *c = s->centre + 4 * (size_t)p->i, *d = s->centre + 4 * (size_t)p->j;
    const double r = s->geom[4 * (size_t)(ball ? p->i : p->j) + 3];
    double x[3];
    m->count = 1;
    m->feature[0] = 0;
    if (ki == kj) {
        const double from[3] = {part * p->way[0], part * p->way[1], part * p->way[2]};
        const double to[3] = {d[0] - c[0], d[1] - c[1], d[2] - c[2]};
        m->gap[0] = tlk_direction(from, to, m->n) - (r + s->geom[4 * (size_t)p->j + 3]);
        for (int k = 0; k < 3; k++)
            m->at[0][k] = from[k] + r * m->n[k];
        return;
    }
    for (int k = 0; k < 3; k++)
        x[k] = ball ? c[k] + part * p->way[k] : d[k] - part * p->way[k];
    m->gap[0] = tlk_sphere_wall(ball ? kj : ki, x, r, tlk_frame(s, ball ? p->j : p->i), m->n);
    for (int k = 0; k < 3; k++) {
        m->n[k] = ball ? m->n[k] : -m->n[k];
        m->at[0][k] = ball ? x[k] + r * m->n[k] - c[k] : d[k] - (r + m->gap[0]) * m->n[k] - c[k];
    }
}

/* Where any shapes touch after a part of the way, points counted from where the middle of what
 * moves is as the step begins. */
TL_RARE void tlk_plane_convex(const tlk_passing *p, double part, tlk_manifold *m)
{
    const double *about = p->s->centre + 4 * (size_t)p->i;
    tlk_convex a, b;
    tlk_load_convex(p->s, p->i, about, &a);
    for (int k = 0; k < 3; k++)
        a.origin[k] += part * p->way[k];
    if (tlk_is_surface(p->s, p->j)) {
        tlk_surface surface;
        tlk_load_surface(p->s, p->j, &surface);
        tlk_ahead(&surface, p->sub, about, &a, p->limit, p->margin, p->far ? p->rows : 0,
                  p->far && p->now > 0, m);
        return;
    }
    tlk_load_convex(p->s, p->j, about, &b);
    tlk_collide_convex(&a, &b, p->limit, NULL, m);
}

TL_KERNEL void tlk_plane_meet(const tlk_passing *p, double part, tlk_manifold *m)
{
    if (tlk_is_simple(p->s->info[p->i], p->s->info[p->j]))
        tlk_plane_simple(p, part, m);
    else
        tlk_plane_convex(p, part, m);
}

/* Whether the pair has a plane between it there, and is not too deep behind it. */
TL_KERNEL bool tlk_plane_passes(const tlk_passing *p, const tlk_manifold *m)
{
    bool passes = m->count > 0;
    for (uint32_t k = 0; k < m->count; k++)
        passes = passes && m->gap[k] >= -p->deep;
    return passes;
}

/* How the gap changes with the way, m. */
TL_KERNEL double tlk_plane_slope(const tlk_passing *p, const tlk_manifold *m)
{
    return -tlk_dotd(m->n, p->way);
}

/* Where on the way two spheres are nearest; false where they are not two. */
TL_KERNEL bool tlk_plane_balls(const tlk_passing *p, double *part)
{
    const uint32_t *info = p->s->info;
    const double *c = p->s->centre + 4 * (size_t)p->i, *d = p->s->centre + 4 * (size_t)p->j;
    const double to[3] = {d[0] - c[0], d[1] - c[1], d[2] - c[2]};
    if ((info[p->i] | info[p->j]) & TLK_SHAPE_KIND)
        return false;
    const double along = tlk_dotd(to, p->way) / tlk_dotd(p->way, p->way);
    *part = tlk_min(tlk_max(along, 0.0), 1.0);
    return true;
}

/* A part of the way: the gap there, and how it changes. */
typedef struct tlk_passed {
    double part, gap, slope;
} tlk_passed;

TL_KERNEL tlk_passed tlk_plane_passed(const tlk_passing *p, double part, const tlk_manifold *m)
{
    const tlk_passed at = {part, tlk_ahead_gap(m), tlk_plane_slope(p, m)};
    return at;
}

/* Where the planes at two parts of the way, one that the pair comes to and one that it goes away
 * from, give the same gap; in the middle where that is not between the two. */
TL_KERNEL double tlk_plane_cross(const tlk_passed *low, const tlk_passed *high)
{
    const double cross =
        (low->gap - high->gap - low->slope * low->part + high->slope * high->part) /
        (high->slope - low->slope);
    return cross > low->part && cross < high->part ? cross : 0.5 * (low->part + high->part);
}

/* Where on its way the pair is nearest, as a part of the way, and how it touches there; false where
 * the way leads too deep into the other, or where it is nearest as the step begins. Where the plane
 * changes at once, at an edge, it is the one that the pair goes away from: behind the other it
 * would be as the step ends. Between two planes that is where they cross, so that a few looks do;
 * where shapes are round, every other look halves the way. */
TL_KERNEL bool tlk_plane_search(const tlk_passing *p, double *part, tlk_manifold *m)
{
    const double still = TLK_PLANE_STILL * sqrt(tlk_dotd(p->way, p->way));
    tlk_manifold at;
    if (tlk_plane_balls(p, part)) {
        tlk_plane_meet(p, *part, m);
        return *part > 0 && tlk_plane_passes(p, m);
    }
    *part = 1;
    tlk_plane_meet(p, 1, m);
    if (!tlk_plane_passes(p, m))
        return false;
    tlk_passed high = tlk_plane_passed(p, 1, m);
    if (high.slope <= still)
        return true;
    tlk_plane_meet(p, 0, &at);
    if (!at.count || tlk_plane_slope(p, &at) >= -still)
        return false;
    tlk_passed low = tlk_plane_passed(p, 0, &at);
    enum { CROSS, HALF, EDGE } look = CROSS;
    for (int turn = 0; turn < TLK_PLANE_TURNS && high.slope > still; turn++) {
        const double next = look == CROSS  ? tlk_plane_cross(&low, &high)
                            : look == HALF ? 0.5 * (low.part + high.part)
                                           : low.part + TLK_PLANE_EDGE * (high.part - low.part);
        tlk_plane_meet(p, next, &at);
        if (!tlk_plane_passes(p, &at))
            return false;
        const tlk_passed now = tlk_plane_passed(p, next, &at);
        const bool before = now.slope < -still;
        const double change = fabs(now.slope - (before ? low.slope : high.slope));
        const bool same = look != HALF && change <= TLK_PLANE_SAME * still;
        if (before) {
            low = now;
        } else {
            high = now;
            *part = next;
            *m = at;
        }
        if (same && !before)
            return true;
        look = same && look == CROSS ? EDGE : look == CROSS ? HALF : CROSS;
    }
    return true;
}

/* How deep a way may lead into a shape and be taken for a passing one: as far as gaps are looked
 * for, or what forces make of it in two steps; not as deep as to the middle of what moves. */
TL_KERNEL double tlk_plane_depth(const tlk_planes *q, uint32_t a, uint32_t b, double thin)
{
    const tlk_build *p = &q->build;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double of_a = (double)p->free[8 * (size_t)a + k] - p->bodies.vel[8 * (size_t)a + k];
        const double of_b = (double)p->free[8 * (size_t)b + k] - p->bodies.vel[8 * (size_t)b + k];
        square += (of_b - of_a) * (of_b - of_a);
    }
    return tlk_min(tlk_max(q->envelope, 2 * p->recovery.h * sqrt(square)), 0.5 * thin);
}

/* The least half width of those of two shapes that move. */
TL_KERNEL double tlk_plane_thin(const tlk_planes *q, uint32_t i, uint32_t j)
{
    const tlk_shapes *s = &q->build.shapes;
    const uint32_t dynamic = q->build.bodies.dynamic;
    const double of_i = s->body[i] < dynamic ? tlk_thin(s, i) : INFINITY;
    const double of_j = s->body[j] < dynamic ? tlk_thin(s, j) : INFINITY;
    return tlk_min(of_i, of_j);
}

/* The pair whose contacts begin with k: what moves is the shape of a body that does, and no
 * surface.
 */
TL_KERNEL void tlk_plane_shapes(const tlk_planes *q, uint32_t k, tlk_passing *p)
{
    const tlk_shapes *s = &q->build.shapes;
    const uint32_t a = q->build.contact_a[k], b = q->build.contact_b[k];
    p->turned = (s->info[a] & TLK_SHAPE_FIXED) || tlk_is_surface(s, a);
    p->s = s;
    p->i = p->turned ? b : a;
    p->j = p->turned ? a : b;
    p->sub = q->feature ? q->feature[2 * (size_t)k] : 0;
}

/* The way of a pair with contacts from k on, and how far to follow it; false where the pair does
 * not move on. */
TL_KERNEL bool tlk_plane_way(const tlk_planes *q, uint32_t k, uint32_t row, uint32_t rows,
                             tlk_passing *p)
{
    const tlk_build *build = &q->build;
    const uint32_t a = build->a[row], b = build->b[row];
    const uint32_t body = build->shapes.body[p->i], other = build->shapes.body[p->j];
    const double h = build->recovery.h, thin = tlk_plane_thin(q, p->i, p->j);
    const double *at = build->shapes.centre + 4 * (size_t)p->i;
    /* it does not matter how a ball turns */
    const bool ball = (build->shapes.info[p->j] & TLK_SHAPE_KIND) == TLK_SPHERE;
    const bool whirls = tlk_plane_whirls(build, build->bodies.vel + 8 * (size_t)other);
    const double *there = ball     ? build->shapes.centre + 4 * (size_t)p->j
                          : whirls ? build->bodies.pos + 4 * (size_t)other
                                   : at;
    double vi[3], vj[3];
    tlk_pair pair;
    tlk_load8(q->vel + 8 * (size_t)a, pair.a);
    tlk_load8(q->vel + 8 * (size_t)b, pair.b);
    tlk_plane_without(build, row, rows, &pair);
    tlk_plane_velocity(body == a ? pair.a : pair.b, build->bodies.pos + 4 * (size_t)body, at, vi);
    tlk_plane_velocity(body == a ? pair.b : pair.a, build->bodies.pos + 4 * (size_t)other, there,
                       vj);
    p->now = INFINITY;
    double most = 0;
    for (uint32_t c = 0; c < rows; c++) {
        const double gap = build->contact_n[4 * (size_t)(k + c) + 3];
        p->now = tlk_min(p->now, gap);
        most = tlk_max(most, gap);
    }
    for (int c = 0; c < 3; c++)
        p->way[c] = h * (vi[c] - vj[c]);
    const double square = tlk_dotd(p->way, p->way);
    p->deep = tlk_plane_depth(q, a, b, thin);
    p->limit = most + sqrt(square) + thin;
    p->margin = tlk_max(q->envelope, p->deep);
    p->rows = rows;
    p->far = square > TLK_BRACE_ONTO * TLK_BRACE_ONTO * thin * thin;
    return square > TLK_PLANE_MOVES * TLK_PLANE_MOVES * thin * thin;
}

/* Where the way of a pair that is apart now leads into the other, perhaps because nothing is known
 * yet of what holds the body: if it just went on, would it pass? Then that is its way. */
TL_KERNEL void tlk_plane_steady(const tlk_planes *q, tlk_passing *p, double *part, tlk_manifold *m)
{
    const double deep = TLK_PLANE_DEEP * tlk_plane_thin(q, p->i, p->j);
    tlk_passing steady = *p;
    if (!p->far || p->now <= deep || tlk_ahead_gap(m) >= -deep)
        return;
    tlk_manifold there;
    double at;
    tlk_relative_velocity(&q->build, p->i, p->j, steady.way);
    for (int k = 0; k < 3; k++)
        steady.way[k] *= q->build.recovery.h;
    if (!tlk_plane_search(&steady, &at, &there) || tlk_ahead_gap(&there) < -deep)
        return;
    *p = steady;
    *part = at;
    *m = there;
}

/* Where more points touch on the way than the pair has contacts, the second is that which is
 * farthest from the first. */
TL_KERNEL void tlk_plane_spread(tlk_manifold *m)
{
    double most = 0;
    uint32_t far = 1;
    for (uint32_t k = 1; k < m->count; k++) {
        const double d[3] = {m->at[k][0] - m->at[0][0], m->at[k][1] - m->at[0][1],
                             m->at[k][2] - m->at[0][2]};
        if (tlk_dotd(d, d) > most) {
            most = tlk_dotd(d, d);
            far = k;
        }
    }
    tlk_brace_swap(m, 1, far);
}

/* Contact k takes point c of a manifold, as it is when the step begins. A plane that the pair is
 * behind then counts from where it is: it stops, and does not push back. */
TL_KERNEL void tlk_plane_take(const tlk_planes *q, const tlk_passing *p, uint32_t k, double part,
                              const tlk_manifold *m, uint32_t c)
{
    const double sign = p->turned ? -1 : 1, *n = m->n;
    const double *of_i = p->s->centre + 4 * (size_t)p->i, *of_j = p->s->centre + 4 * (size_t)p->j;
    const double gap = m->gap[c] + part * tlk_dotd(n, p->way);
    const real out[4] = {(real)(sign * n[0]), (real)(sign * n[1]), (real)(sign * n[2]),
                         (real)tlk_max(gap, tlk_min(p->now, 0.0))};
    tlk_store4(q->contact_n + 4 * (size_t)k, out);
    if (!q->contact_place)
        return;
    real place[4] = {0, 0, 0, 0};
    for (int x = 0; x < 3; x++) {
        const double at = m->at[c][x] - part * p->way[x];
        place[x] = (real)(p->turned ? at + gap * n[x] + of_i[x] - of_j[x] : at);
    }
    tlk_store4(q->contact_place + 4 * (size_t)k, place);
    q->feature[2 * (size_t)k + 1] = m->feature[c];
}

/* Whether a manifold has the normal that contact k has. */
TL_KERNEL bool tlk_plane_same(const tlk_planes *q, const tlk_passing *p, uint32_t k,
                              const tlk_manifold *m)
{
    const real *n = q->contact_n + 4 * (size_t)k;
    const double sign = p->turned ? -1 : 1;
    const double d[3] = {sign * m->n[0] - n[0], sign * m->n[1] - n[1], sign * m->n[2] - n[2]};
    return tlk_dotd(d, d) <= 1e-13;
}

/* Whether contact k has point c of a manifold, on what moves. */
TL_KERNEL bool tlk_plane_has(const tlk_planes *q, const tlk_passing *p, uint32_t k, double part,
                             const tlk_manifold *m, uint32_t c)
{
    const double *of_i = p->s->centre + 4 * (size_t)p->i, *of_j = p->s->centre + 4 * (size_t)p->j;
    const real *place = q->contact_place + 4 * (size_t)k, *n = q->contact_n + 4 * (size_t)k;
    double d[3];
    for (int x = 0; x < 3; x++)
        d[x] = m->at[c][x] - part * p->way[x] -
               (p->turned ? place[x] + n[3] * n[x] + of_j[x] - of_i[x] : place[x]);
    return tlk_brace_same(d, (const double[3]){0, 0, 0}, tlk_thin(p->s, p->i));
}

/* Whether contacts from k on hold where a plane with the same normal does: they have its points, or
 * hold a fast body all around (narrow/brace.h). Else the points come in their order, and others
 * take the place of those that hold no more. Of a surface other pairs have what is missing. */
TL_KERNEL bool tlk_plane_settled(const tlk_planes *q, const tlk_passing *p, uint32_t k, double part,
                                 tlk_manifold *m)
{
    uint32_t known = 0;
    if (!q->contact_place)
        return true;
    for (uint32_t c = 0; c < p->rows; c++)
        if (tlk_brace_holds(q->feature[2 * (size_t)(k + c) + 1]))
            return true;
    for (uint32_t o = 0; o < p->rows && o < m->count; o++)
        for (uint32_t c = 0; c < m->count && !(known >> o & 1); c++) {
            if (known >> c & 1 || !tlk_plane_has(q, p, k + o, part, m, c))
                continue;
            tlk_brace_swap(m, o, c);
            known |= 1u << o;
        }
    bool all = true;
    for (uint32_t o = 0; o < p->rows; o++)
        all = all && known >> o & 1;
    return all && (p->rows >= m->count || tlk_is_surface(p->s, p->j));
}

/* Contact k, row s of pair i: the row anew. */
TL_KERNEL void tlk_plane_row(const tlk_build *build, uint32_t k, uint32_t s, uint32_t i)
{
    tlk_ends ends;
    tlk_load_ends(build, k, &ends);
    if (build->material)
        tlk_build_contact_rarely(build, &ends, k, s, i);
    else
        tlk_build_contact(build, &ends, k, s, i, false);
}

/* The step lengths of row s anew. */
TL_KERNEL void tlk_plane_steps(const tlk_build *build, uint32_t s)
{
    if (s >= build->anchor_base)
        tlk_store_eta(build, s, 1, 1);
}

/* One pair that moves on: the planes of its contacts, and their rows anew. */
TL_KERNEL void tlk_plane_pair(const tlk_planes *q, uint32_t m)
{
    const tlk_build *build = &q->build;
    const uint32_t i = q->moved[m];
    const uint32_t row = tlk_item_row(tlk_item_of(build, i), build->anchor_base, build->item_rows);
    const uint32_t first = tlk_first_contact(build->first, i);
    const uint32_t end = build->first ? build->first[i + 1] : i + 1, count = end - first;
    tlk_passing way;
    tlk_manifold there;
    tlk_carrier carrier;
    double part, anchor[3];
    if (tlk_carry_find(q, first, &carrier)) {
        for (uint32_t k = 0; k < count; k++) {
            const double gap = q->contact_n[4 * (size_t)(first + k) + 3];
            tlk_carry_take(q, &carrier, first + k, anchor);
            tlk_plane_row(build, first + k, row + k * TLK_LANES, i);
            tlk_plane_steps(build, row + k * TLK_LANES);
            tlk_carry_row(q, &carrier, first + k, row + k * TLK_LANES, gap, anchor);
        }
        return;
    }
    if (!tlk_plane_moves(q, build->contact_a[first], build->contact_b[first]))
        return; /* it turns, and nothing is carried */
    tlk_plane_shapes(q, first, &way);
    if (!tlk_plane_way(q, first, row, count, &way) || !tlk_plane_search(&way, &part, &there))
        return;
    tlk_plane_steady(q, &way, &part, &there);
    const bool same = tlk_plane_same(q, &way, first, &there);
    if (same && (!way.far || tlk_plane_settled(q, &way, first, part, &there)))
        return;
    if (!same && there.count > count && count > 1)
        tlk_plane_spread(&there);
    for (uint32_t k = 0; k < count; k++)
        tlk_plane_take(q, &way, first + k, part, &there, k < there.count ? k : 0);
    for (uint32_t k = 0; k < count; k++) {
        tlk_plane_row(build, first + k, row + k * TLK_LANES, i);
        tlk_plane_steps(build, row + k * TLK_LANES);
    }
}

#endif
