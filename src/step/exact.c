/* The velocities of an exact step: the state comes to the host, pairs that are near become groups
 * of facets, groups that share bodies islands, and what solving these gives goes back, as
 * velocities and as contacts. Finding pairs, forces, the check of bodies, integration and the
 * report are those of every step (dvi.c). */
#include "step/exact.h"

#include "base/sets.h"
#include "base/turn.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- The state on the host ---- */

void tl_exact_init(tl_exact *e)
{
    *e = (tl_exact){.pos = {.item = sizeof(double)},
                    .quat = {.item = sizeof(double)},
                    .vel = {.item = sizeof(double)},
                    .free = {.item = sizeof(double)},
                    .seen = {.item = sizeof(double)},
                    .inertia = {.item = sizeof(double)},
                    .id = {.item = sizeof(uint32_t)},
                    .info = {.item = sizeof(uint32_t)},
                    .shape_body = {.item = sizeof(uint32_t)},
                    .frame_of = {.item = sizeof(uint32_t)},
                    .frame = {.item = sizeof(double)},
                    .centre = {.item = sizeof(double)},
                    .geom = {.item = sizeof(double)},
                    .contact_a = {.item = sizeof(uint32_t)},
                    .contact_b = {.item = sizeof(uint32_t)},
                    .contact_n = {.item = sizeof(double)},
                    .contact_place = {.item = sizeof(double)},
                    .contact_feature = {.item = sizeof(uint32_t)},
                    .triangles = {.item = sizeof(uint32_t)},
                    .last_a = {.item = sizeof(uint32_t)},
                    .last_b = {.item = sizeof(uint32_t)},
                    .last_n = {.item = sizeof(double)},
                    .last_p = {.item = sizeof(double)},
                    .last_start = {.item = sizeof(uint32_t)},
                    .piece_of = {.item = sizeof(uint32_t)},
                    .pieces = {.item = sizeof(tl_polytope)},
                    .numbers = {.item = sizeof(double)},
                    .groups = {.item = sizeof(tl_group)},
                    .facets = {.item = sizeof(tl_facet)},
                    .points = {.item = sizeof(tl_facet_point)},
                    .parent = {.item = sizeof(uint32_t)},
                    .order = {.item = sizeof(uint32_t)},
                    .local = {.item = sizeof(uint32_t)},
                    .row_of = {.item = sizeof(tl_exact_row)},
                    .begins = {.item = sizeof(uint32_t)},
                    .status = {.item = sizeof(tl_status)},
                    .lanes = {.item = sizeof(tl_exact_lane)},
                    .raw = {.item = 1},
                    .out = {.item = 1}};
}

static tl_exact_lane new_lane(void)
{
    tl_exact_lane lane = {.bodies = {.item = sizeof(tl_island_body)},
                          .rows = {.item = sizeof(tl_island_row)},
                          .auxiliary = {.item = sizeof(tl_island_row)},
                          .widenings = {.item = sizeof(tl_island_widening)},
                          .known = {.item = sizeof(tl_exact_row)},
                          .row_of = {.item = sizeof(tl_exact_row)}};
    tl_island_room_init(&lane.room);
    return lane;
}

static void free_lane(tl_exact_lane *lane)
{
    tl_array *all[] = {&lane->bodies,    &lane->rows,  &lane->auxiliary,
                       &lane->widenings, &lane->known, &lane->row_of};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
    tl_island_room_free(&lane->room);
}

void tl_exact_free(tl_exact *e)
{
    tl_array *all[] = {&e->pos,
                       &e->quat,
                       &e->vel,
                       &e->free,
                       &e->seen,
                       &e->inertia,
                       &e->id,
                       &e->info,
                       &e->shape_body,
                       &e->frame_of,
                       &e->frame,
                       &e->centre,
                       &e->geom,
                       &e->contact_a,
                       &e->contact_b,
                       &e->contact_n,
                       &e->contact_place,
                       &e->piece_of,
                       &e->pieces,
                       &e->numbers,
                       &e->groups,
                       &e->facets,
                       &e->points,
                       &e->parent,
                       &e->order,
                       &e->local,
                       &e->row_of,
                       &e->raw,
                       &e->out,
                       &e->last_a,
                       &e->last_b,
                       &e->last_n,
                       &e->last_p,
                       &e->last_start,
                       &e->contact_feature,
                       &e->triangles,
                       &e->begins,
                       &e->status,
                       &e->lanes};
    for (size_t i = 0; i < e->lanes.count; i++)
        free_lane((tl_exact_lane *)e->lanes.data + i);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
}

static tl_status fetch(const tl_world *w, const void *from, size_t count, tl_array *to)
{
    TL_TRY(tl_array_resize(to, count));
    return count ? w->backend->ops->download(w->backend, to->data, from, count * to->item) : TL_OK;
}

/* Real numbers as doubles: `width` of each `stride`, without those at `skip`. */
static tl_status fetch_reals(const tl_world *w, tl_exact *e, const void *from, size_t count,
                             size_t stride, size_t width, tl_array *to)
{
    const size_t real = w->backend->real;
    TL_TRY(tl_array_resize(&e->raw, count * stride * real));
    TL_TRY(tl_array_resize(to, count * width));
    if (!count)
        return TL_OK;
    TL_TRY(w->backend->ops->download(w->backend, e->raw.data, from, count * stride * real));
    double *out = to->data;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < width; k++) {
            const size_t at = i * stride + (width == 6 && k > 2 ? k + 1 : k); /* velocities */
            out[i * width + k] = real == sizeof(double) ? ((const double *)e->raw.data)[at]
                                                        : (double)((const float *)e->raw.data)[at];
        }
    return TL_OK;
}

static tl_status fetch_state(const tl_world *w, tl_exact *e, const tlk_motion *motion,
                             const tl_contacts *c)
{
    const size_t rows = w->rows, shapes = w->shape_rows;
    TL_TRY(fetch(w, w->pos.data, 4 * rows, &e->pos));
    TL_TRY(fetch(w, w->quat.data, 4 * rows, &e->quat));
    TL_TRY(fetch(w, w->inertia.data, 4 * rows, &e->inertia));
    TL_TRY(fetch(w, w->id.data, rows, &e->id));
    TL_TRY(fetch_reals(w, e, w->vel.data, rows, 8, 6, &e->vel));
    TL_TRY(fetch_reals(w, e, motion->free, rows, 8, 6, &e->free));
    TL_TRY(fetch_reals(w, e, w->seen.data, motion->looks ? rows : 0, 8, 8, &e->seen));
    TL_TRY(fetch(w, w->shape_info.data, shapes, &e->info));
    TL_TRY(fetch(w, w->shape_body.data, shapes, &e->shape_body));
    TL_TRY(fetch(w, w->frame_of.data, shapes, &e->frame_of));
    TL_TRY(fetch(w, w->frame.data, (size_t)w->frames * TLK_FRAME, &e->frame));
    TL_TRY(fetch(w, w->centre.data, 4 * shapes, &e->centre));
    TL_TRY(fetch(w, w->geom.data, 4 * shapes, &e->geom));
    TL_TRY(fetch(w, c->a.data, c->count, &e->contact_a));
    TL_TRY(fetch(w, c->b.data, c->count, &e->contact_b));
    TL_TRY(fetch_reals(w, e, c->n.data, c->count, 4, 4, &e->contact_n));
    TL_TRY(fetch(w, c->feature.data, c->manifolds ? 2 * (size_t)c->count : 0, &e->contact_feature));
    return fetch_reals(w, e, c->place.data, c->manifolds ? c->count : 0, 4, 4, &e->contact_place);
}

/* What contacts carried in the last step, in lists by their first shapes: where to begin from. */
static tl_status fetch_last(const tl_world *w, tl_exact *e)
{
    const tl_contacts *c = &w->contacts[w->current];
    const size_t count = w->steps && c->impulses ? c->count : 0;
    TL_TRY(fetch(w, c->a.data, count, &e->last_a));
    TL_TRY(fetch(w, c->b.data, count, &e->last_b));
    TL_TRY(fetch_reals(w, e, c->n.data, count, 4, 4, &e->last_n));
    TL_TRY(fetch_reals(w, e, c->gamma.data, count, 4, 4, &e->last_p));
    TL_TRY(tl_array_resize(&e->last_start, (size_t)w->shape_rows + 1));
    uint32_t *start = e->last_start.data;
    memset(start, 0, ((size_t)w->shape_rows + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[((const uint32_t *)e->last_a.data)[i] + 1]++;
    for (size_t i = 0; i < w->shape_rows; i++)
        start[i + 1] += start[i];
    return TL_OK;
}

void tl_exact_inverse(const double q[4], const double inertia[4], bool planar,
                      double inverse_mass[3], double inverse_inertia[9])
{
    double axis[3][3], about_y = 0;
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        tl_turn_apply(q, unit, axis[k]);
        about_y += inertia[k] * axis[k][1] * axis[k][1];
        inverse_mass[k] = planar && k == 1 ? 0 : 1 / inertia[3];
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            inverse_inertia[3 * r + c] = 0;
            for (int k = 0; k < 3 && !planar; k++)
                inverse_inertia[3 * r + c] += axis[k][r] * axis[k][c] / inertia[k];
        }
    if (planar)
        inverse_inertia[4] = 1 / about_y;
}

/* ---- Groups ---- */

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* How far the farthest point of a shape is from its body's origin. */
static double arm_of(const tl_exact *e, uint32_t shape, uint32_t body)
{
    const double *c = (const double *)e->centre.data + 4 * (size_t)shape;
    const double *x = (const double *)e->pos.data + 4 * (size_t)body;
    const double d[3] = {c[0] - x[0], c[1] - x[1], c[2] - x[2]};
    return norm(d) + ((const double *)e->geom.data)[4 * (size_t)shape + 3];
}

/* How far a pair may move within the step. */
static double way_of(const tl_world *w, const tl_exact *e, const tl_group *g)
{
    const double *v = e->vel.data, *f = e->free.data, *seen = e->seen.data;
    const double *va = v + 6 * (size_t)g->body_a, *vb = v + 6 * (size_t)g->body_b;
    const double *fa = f + 6 * (size_t)g->body_a, *fb = f + 6 * (size_t)g->body_b;
    const double now[3] = {vb[0] - va[0], vb[1] - va[1], vb[2] - va[2]};
    const double then[3] = {fb[0] - fa[0], fb[1] - fa[1], fb[2] - fa[2]};
    double speed = fmax(norm(now), norm(then));
    for (int side = 0; side < 2; side++) {
        const uint32_t body = side ? g->body_b : g->body_a;
        const double arm = arm_of(e, side ? g->b : g->a, body);
        double spin = fmax(norm((side ? vb : va) + 3), norm((side ? fb : fa) + 3));
        if (e->seen.count && body < w->dynamic) {
            const double *s = seen + 8 * (size_t)body;
            const double most[3] = {fmax(fabs(s[0]), fabs(s[4])), fmax(fabs(s[1]), fabs(s[5])),
                                    fmax(fabs(s[2]), fabs(s[6]))};
            speed += norm(most);
            spin = fmax(spin, s[3]);
        }
        speed += spin * arm;
    }
    return w->settings.step * speed + tl_step_margin(w);
}

tl_status tl_exact_found(tl_exact *e, uint32_t first, uint32_t count, tl_group *g)
{
    for (uint32_t i = first; i < first + count; i++) {
        const double *n = (const double *)e->contact_n.data + 4 * (size_t)i;
        const double *ca = (const double *)e->centre.data + 4 * (size_t)g->a;
        const double *cb = (const double *)e->centre.data + 4 * (size_t)g->b;
        const bool ball = !e->contact_place.count;
        const bool ball_a = ball && ca[3] >= 0;
        tl_facet_point point = {{0, 0, 0}, n[3]};
        tl_facet facet = {
            .n = {n[0], n[1], n[2]}, .psi = n[3], .first = (uint32_t)e->points.count, .points = 1};
        for (int k = 0; k < 3; k++)
            point.x[k] =
                ball_a ? ca[k] + ca[3] * n[k]
                : ball ? cb[k] - cb[3] * n[k]
                       : ca[k] + ((const double *)e->contact_place.data)[4 * (size_t)i + (size_t)k];
        TL_TRY(tl_array_append(&e->points, &point, 1));
        tl_facet *last = (tl_facet *)e->facets.data + e->facets.count - 1;
        if (g->facets && last->n[0] == n[0] && last->n[1] == n[1] && last->n[2] == n[2]) {
            last->points++;
            last->psi = fmin(last->psi, n[3]);
            continue;
        }
        g->facets++;
        TL_TRY(tl_array_append(&e->facets, &facet, 1));
    }
    return TL_OK;
}

static void take_materials(const tl_world *w, const tl_exact *e, tl_group *g)
{
    const uint32_t *info = e->info.data;
    const uint32_t ma = info[g->a] >> TLK_SHAPE_MATERIAL, mb = info[g->b] >> TLK_SHAPE_MATERIAL;
    const tl_pair_def *pair = (const tl_pair_def *)w->pairs.data + ma * (size_t)w->materials + mb;
    const double *slides = w->slides.data;
    double sa[3], sb[3];
    g->friction = pair->friction;
    tl_turn_apply((const double *)e->quat.data + 4 * (size_t)g->body_a, slides + 3 * (size_t)ma,
                  sa);
    tl_turn_apply((const double *)e->quat.data + 4 * (size_t)g->body_b, slides + 3 * (size_t)mb,
                  sb);
    for (int k = 0; k < 3; k++)
        g->slide[k] = sb[k] - sa[k];
}

static tl_group group_of(const tl_world *w, const tl_exact *e, uint32_t contact)
{
    const uint32_t *body = e->shape_body.data, *feature = e->contact_feature.data;
    tl_group g = {.a = ((const uint32_t *)e->contact_a.data)[contact],
                  .b = ((const uint32_t *)e->contact_b.data)[contact],
                  .triangle = e->contact_feature.count ? feature[2 * (size_t)contact] : 0,
                  .choice = TL_NO_FACET};
    g.body_a = body[g.a];
    g.body_b = body[g.b];
    take_materials(w, e, &g);
    return g;
}

static tl_exact_reach reach_of(const tl_world *w, const tl_exact *e, const tl_group *g)
{
    const tl_exact_def *def = &w->settings.exact;
    tl_exact_reach reach = {.way = way_of(w, e, g)};
    reach.deepest = def->psi_minimum > 0 ? -def->psi_minimum : -reach.way;
    if (def->epsilon > 0)
        reach.way = fmax(reach.way, def->epsilon);
    for (int side = 0; side < 2; side++) {
        const uint32_t body = side ? g->body_b : g->body_a, shape = side ? g->b : g->a;
        const double *v = (const double *)e->free.data + 6 * (size_t)body;
        const double *x = (const double *)e->pos.data + 4 * (size_t)body;
        const double *c = (const double *)e->centre.data + 4 * (size_t)shape;
        const double arm[3] = {c[0] - x[0], c[1] - x[1], c[2] - x[2]};
        double turned[3];
        tl_cross(v + 3, arm, turned);
        for (int k = 0; k < 3; k++)
            reach.move[k] += (side ? 1 : -1) * w->settings.step * (v[k] + turned[k]);
    }
    return reach;
}

/* Whether contacts [first, end) are farther apart than `epsilon`. */
static bool is_far(const tl_world *w, const tl_exact *e, uint32_t first, uint32_t end)
{
    const double epsilon = w->settings.exact.epsilon;
    double gap = INFINITY;
    for (uint32_t i = first; i < end; i++)
        gap = fmin(gap, ((const double *)e->contact_n.data)[4 * (size_t)i + 3]);
    return epsilon > 0 && gap > epsilon;
}

/* The group of contacts [first, end), which are of one pair. */
static tl_status add_group(const tl_world *w, tl_exact *e, uint32_t first, uint32_t end)
{
    tl_group g = group_of(w, e, first);
    double psi;
    uint32_t a, b;
    g.first = (uint32_t)e->facets.count;
    if (is_far(w, e, first, end))
        return TL_OK;
    TL_TRY(tl_exact_piece(w, e, g.a, g.b, &a));
    TL_TRY(tl_exact_piece(w, e, g.b, g.a, &b));
    const tl_exact_reach reach = reach_of(w, e, &g);
    const tl_polytope *pieces = e->pieces.data;
    const uint32_t *info = e->info.data;
    if (a && b)
        TL_TRY(tl_exact_pair(e, &pieces[a - 1], &pieces[b - 1], &reach,
                             w->settings.planar == TL_PLANAR_XZ, &g, &psi));
    else if ((info[g.a] & TLK_SHAPE_KIND) == TL_PLANE || (info[g.b] & TLK_SHAPE_KIND) == TL_PLANE)
        TL_TRY(tl_exact_found(e, first, end - first, &g)); /* there is one direction alone */
    else
        TL_TRY(tl_exact_curved(w, e, &g, NULL, first, end - first, &reach, &psi));
    return g.facets ? tl_array_append(&e->groups, &g, 1) : TL_OK;
}

/* The group of a shape and a triangle of a surface; contacts [first, first + count) are theirs. One
 * that the narrow phase has not found counts only where the two are apart now: it leaves out what a
 * neighbour has, and what is behind. */
static tl_status add_triangle(const tl_world *w, tl_exact *e, const tl_group *like,
                              uint32_t triangle, uint32_t first, uint32_t count)
{
    const bool of_a = tl_exact_is_surface(e, like->a);
    const double epsilon = w->settings.exact.epsilon;
    const size_t points = e->points.count;
    const tl_exact_reach reach = reach_of(w, e, like);
    tl_group g = *like;
    uint32_t piece, flat;
    double psi;
    g.triangle = triangle;
    TL_TRY(tl_exact_piece(w, e, of_a ? g.b : g.a, of_a ? g.a : g.b, &piece));
    TL_TRY(tl_exact_triangle(w, e, of_a ? g.a : g.b, triangle, &flat));
    const tl_polytope *pieces = e->pieces.data;
    if (piece) {
        const uint32_t a = of_a ? flat : piece, b = of_a ? piece : flat;
        TL_TRY(tl_exact_pair(e, &pieces[a - 1], &pieces[b - 1], &reach,
                             w->settings.planar == TL_PLANAR_XZ, &g, &psi));
    } else {
        const double *corner = (const double *)e->numbers.data + pieces[flat - 1].vertex;
        TL_TRY(tl_exact_curved(w, e, &g, corner, first, count, &reach, &psi));
    }
    if ((!count && !(psi >= 0)) || (epsilon > 0 && psi > epsilon)) {
        e->facets.count = g.first;
        e->points.count = points;
        return TL_OK;
    }
    return g.facets ? tl_array_append(&e->groups, &g, 1) : TL_OK;
}

/* The groups of contacts [first, end), which are of a shape and a surface: one per triangle that
 * the shape may reach. A plane has the contacts of the narrow phase alone: these are corners below
 * one direction. */
static tl_status add_surface(const tl_world *w, tl_exact *e, uint32_t first, uint32_t end)
{
    const tl_group like = group_of(w, e, first);
    const uint32_t other = tl_exact_is_surface(e, like.a) ? like.b : like.a;
    const uint32_t surface = other == like.a ? like.b : like.a;
    const uint32_t *feature = e->contact_feature.data;
    const uint32_t kind = ((const uint32_t *)e->info.data)[other] & TLK_SHAPE_KIND;
    if (kind == TL_PLANE)
        return add_group(w, e, first, end);
    const tl_exact_reach reach = reach_of(w, e, &like);
    TL_TRY(tl_exact_near(w, e, surface, (const double *)e->centre.data + 4 * (size_t)other,
                         ((const double *)e->geom.data)[4 * (size_t)other + 3] + reach.way));
    for (size_t t = 0; t < e->triangles.count; t++) {
        const uint32_t triangle = ((const uint32_t *)e->triangles.data)[t];
        uint32_t at = first, count = 0;
        while (at < end && feature[2 * (size_t)at] != triangle)
            at++;
        while (at + count < end && feature[2 * (size_t)(at + count)] == triangle)
            count++;
        TL_TRY(add_triangle(w, e, &like, triangle, at, count));
    }
    return TL_OK;
}

static tl_status make_groups(const tl_world *w, tl_exact *e, const tl_contacts *c)
{
    const uint32_t *a = e->contact_a.data, *b = e->contact_b.data;
    e->groups.count = e->facets.count = e->points.count = e->pieces.count = e->numbers.count = 0;
    TL_TRY(tl_array_resize(&e->piece_of, w->shape_rows));
    memset(e->piece_of.data, 0xff, w->shape_rows * sizeof(uint32_t)); /* TLK_NONE */
    for (uint32_t i = 0, end; i < c->count; i = end) {
        for (end = i + 1; end < c->count && a[end] == a[i] && b[end] == b[i];)
            end++;
        const bool surface = tl_exact_is_surface(e, a[i]) || tl_exact_is_surface(e, b[i]);
        TL_TRY((surface ? add_surface : add_group)(w, e, i, end));
    }
    return TL_OK;
}

/* ---- Islands ---- */

/* Groups in the order of islands, and these in the order of their first groups. */
static tl_status make_islands(const tl_world *w, tl_exact *e)
{
    tl_group *groups = e->groups.data;
    const size_t count = e->groups.count;
    TL_TRY(tl_array_resize(&e->parent, 2 * (size_t)w->dynamic));
    TL_TRY(tl_array_resize(&e->order, count));
    TL_TRY(tl_array_resize(&e->local, w->dynamic));
    uint32_t *parent = e->parent.data, *start = parent + w->dynamic, at = 0;
    uint32_t *order = e->order.data;
    for (uint32_t i = 0; i < w->dynamic; i++) {
        parent[i] = i;
        start[i] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (groups[i].body_a < w->dynamic && groups[i].body_b < w->dynamic)
            tl_unite(parent, groups[i].body_a, groups[i].body_b);
    }
    for (size_t i = 0; i < count;
         i++) { /* start: how many groups a root has, then where they are */
        tl_group *g = &groups[i];
        const uint32_t root = tl_root(parent, g->body_a < w->dynamic ? g->body_a : g->body_b);
        g->island = root;
        start[root]++;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t root = groups[i].island, own = start[root];
        if (own & 1u << 31)
            continue;
        start[root] = at | 1u << 31;
        at += own;
    }
    for (size_t i = 0; i < count; i++)
        order[start[groups[i].island]++ & ~(1u << 31)] = (uint32_t)i;
    return TL_OK;
}

/* Islands that threads take one after the other, as they come. */
typedef struct sharing {
    const tl_world *world;
    tl_exact *exact;
    tl_exact_law law;
    atomic_uint next;
} sharing;

static void solve_part(void *context, uint32_t part, uint32_t parts)
{
    sharing *job = context;
    tl_exact *e = job->exact;
    const uint32_t *begin = e->begins.data;
    (void)parts;
    tl_exact_lane *lane = (tl_exact_lane *)e->lanes.data + part;
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) + 1 < e->begins.count;) {
        const size_t rows = lane->row_of.count;
        const tl_status status =
            tl_exact_island(job->world, e, lane, &job->law, begin[i], begin[i + 1]);
        ((tl_status *)e->status.data)[i] = status;
        lane->row_of.count = status < 0 ? rows : lane->row_of.count;
    }
}

/* Where islands begin, room for what becomes of them, and a lane per thread. */
static tl_status share_out(tl_exact *e, uint32_t threads)
{
    const tl_group *groups = e->groups.data;
    const uint32_t *order = e->order.data;
    e->begins.count = 0;
    for (uint32_t i = 0; i <= e->groups.count; i++)
        if (!i || i == e->groups.count || groups[order[i]].island != groups[order[i - 1]].island)
            TL_TRY(tl_array_append(&e->begins, &i, 1));
    TL_TRY(tl_array_resize(&e->status, e->begins.count));
    TL_TRY(tl_array_reserve(&e->lanes, threads));
    while (e->lanes.count < threads) {
        const tl_exact_lane lane = new_lane();
        TL_TRY(tl_array_append(&e->lanes, &lane, 1)); /* there is room: this cannot fail */
    }
    for (size_t i = 0; i < e->lanes.count; i++) {
        tl_exact_lane *lane = (tl_exact_lane *)e->lanes.data + i;
        lane->row_of.count = 0;
        lane->sum = (tl_exact_sum){0};
    }
    return TL_OK;
}

/* Puts together what lanes have; what failed does so again here, where its message is heard, in the
 * order of islands. */
static tl_status gather_islands(sharing *job, tl_exact_sum *sum)
{
    tl_exact *e = job->exact;
    const uint32_t *begin = e->begins.data;
    const tl_status *status = e->status.data;
    for (size_t i = 0; i + 1 < e->begins.count; i++)
        if (status[i] < 0)
            TL_TRY(
                tl_exact_island(job->world, e, e->lanes.data, &job->law, begin[i], begin[i + 1]));
    for (size_t i = 0; i < e->lanes.count; i++) {
        const tl_exact_lane *lane = (const tl_exact_lane *)e->lanes.data + i;
        TL_TRY(tl_array_append(&e->row_of, lane->row_of.data, lane->row_of.count));
        sum->islands += lane->sum.islands;
        sum->iterations += lane->sum.iterations;
        sum->unsettled += lane->sum.unsettled;
        sum->residual = fmax(sum->residual, lane->sum.residual);
    }
    return TL_OK;
}

static tl_status solve_islands(const tl_world *w, tl_exact *e, tl_exact_sum *sum)
{
    const tl_settings *s = &w->settings;
    sharing job = {.world = w,
                   .exact = e,
                   .law = {.h = s->step,
                           .tolerance = s->solver.tolerance > 0 ? s->solver.tolerance : 1e-8,
                           .all = s->stepper == TL_STEPPER_STEWART_TRINKLE,
                           .primary = s->stepper == TL_STEPPER_PEG && s->exact.primary,
                           .planar = s->planar == TL_PLANAR_XZ,
                           .directions = s->exact.cone ? 0 : s->exact.directions,
                           .speed = norm(s->gravity) * s->step}};
    const double *free = e->free.data;
    for (size_t i = 0; i < w->dynamic; i++)
        job.law.speed = fmax(job.law.speed, norm(free + 6 * i));
    TL_TRY(share_out(e, w->backend->ops->parts(w->backend)));
    if (e->begins.count > 2)
        w->backend->ops->share(w->backend, solve_part, &job);
    else
        solve_part(&job, 0, 1);
    return gather_islands(&job, sum);
}

tl_status tl_step_exact(tl_world *w, const tlk_motion *motion, tl_contacts *next, double out[8],
                        tl_report *r)
{
    tl_exact *e = w->exact;
    tl_exact_sum sum = {0};
    TL_TRY(fetch_state(w, e, motion, next));
    TL_TRY(fetch_last(w, e));
    TL_TRY(make_groups(w, e, next));
    TL_TRY(make_islands(w, e));
    e->row_of.count = 0;
    TL_TRY(solve_islands(w, e, &sum));
    TL_TRY(tl_exact_send(w, e, motion, next));
    tl_exact_audit(w, e, &sum, out);
    r->islands = sum.islands;
    r->problem_size = (w->settings.planar == TL_PLANAR_XZ ? 2 : 6) * w->dynamic;
    for (size_t i = 0; i < e->facets.count; i++)
        r->problem_size += ((const tl_facet *)e->facets.data)[i].points;
    r->unsettled_groups = sum.unsettled;
    r->iterations += sum.iterations;
    return TL_OK;
}

double tl_step_margin(const tl_world *w)
{
    if (!tl_step_is_exact(w))
        return w->envelope;
    const double epsilon = w->settings.exact.epsilon;
    return epsilon > 0 ? fmax(w->envelope, epsilon)
                       : w->envelope + (w->exact ? 2 * w->exact->gain : 0);
}

tl_status tl_step_exact_begin(tl_world *w, tlk_motion *motion)
{
    tl_exact *e = w->exact;
    if (!e) {
        e = tl_alloc(sizeof *e);
        if (!e)
            return TL_NO_MEMORY;
        tl_exact_init(e);
        w->exact = e;
    }
    e->gain = 0;
    TL_TRY(tl_step_free(w, motion));
    TL_TRY(fetch_reals(w, e, w->vel.data, w->dynamic, 8, 6, &e->vel));
    TL_TRY(fetch_reals(w, e, motion->free, w->dynamic, 8, 6, &e->free));
    const double *v = e->vel.data, *f = e->free.data;
    for (size_t i = 0; i < w->dynamic; i++) {
        const double d[3] = {f[6 * i] - v[6 * i], f[6 * i + 1] - v[6 * i + 1],
                             f[6 * i + 2] - v[6 * i + 2]};
        e->gain = fmax(e->gain, w->settings.step * norm(d));
    }
    return TL_OK;
}

void tl_step_exact_end(tl_world *w)
{
    if (!w->exact)
        return;
    tl_exact_free(w->exact);
    tl_free(w->exact, sizeof *w->exact);
    w->exact = NULL;
}
