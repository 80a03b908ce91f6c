/* The velocities of an exact step: the state comes to the host, pairs that are near become groups
 * of facets, groups that share bodies islands, and what solving these gives goes back, as
 * velocities and as contacts. Finding pairs, forces, the check of bodies, integration and the
 * report are those of every step (dvi.c). */
#include "step/exact.h"

#include "base/sets.h"
#include "base/turn.h"

#include <math.h>
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
                    .last_a = {.item = sizeof(uint32_t)},
                    .last_b = {.item = sizeof(uint32_t)},
                    .last_n = {.item = sizeof(double)},
                    .last_p = {.item = sizeof(double)},
                    .last_start = {.item = sizeof(uint32_t)},
                    .known = {.item = sizeof(tl_exact_row)},
                    .piece_of = {.item = sizeof(uint32_t)},
                    .pieces = {.item = sizeof(tl_polytope)},
                    .numbers = {.item = sizeof(double)},
                    .groups = {.item = sizeof(tl_group)},
                    .facets = {.item = sizeof(tl_facet)},
                    .points = {.item = sizeof(tl_facet_point)},
                    .parent = {.item = sizeof(uint32_t)},
                    .order = {.item = sizeof(uint32_t)},
                    .local = {.item = sizeof(uint32_t)},
                    .bodies = {.item = sizeof(tl_island_body)},
                    .rows = {.item = sizeof(tl_island_row)},
                    .auxiliary = {.item = sizeof(tl_island_row)},
                    .widenings = {.item = sizeof(tl_island_widening)},
                    .row_of = {.item = sizeof(tl_exact_row)},
                    .raw = {.item = 1},
                    .out = {.item = 1}};
    tl_island_room_init(&e->room);
}

void tl_exact_free(tl_exact *e)
{
    tl_array *all[] = {
        &e->pos,    &e->quat,       &e->vel,        &e->free,      &e->seen,          &e->inertia,
        &e->id,     &e->info,       &e->shape_body, &e->frame_of,  &e->frame,         &e->centre,
        &e->geom,   &e->contact_a,  &e->contact_b,  &e->contact_n, &e->contact_place, &e->piece_of,
        &e->pieces, &e->numbers,    &e->groups,     &e->facets,    &e->points,        &e->parent,
        &e->order,  &e->local,      &e->bodies,     &e->rows,      &e->auxiliary,     &e->widenings,
        &e->row_of, &e->raw,        &e->out,        &e->last_a,    &e->last_b,        &e->last_n,
        &e->last_p, &e->last_start, &e->known};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
    tl_island_room_free(&e->room);
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

/* ---- Pieces ---- */

static const uint32_t box_loop_start[] = {0, 4, 8, 12, 16, 20, 24};
static const uint32_t box_loop[] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                    2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const uint32_t box_edge[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3,
                                    4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};
static const uint32_t box_edge_face[] = {2, 4, 3, 4, 2, 5, 3, 5, 0, 4, 1, 4,
                                         0, 5, 1, 5, 0, 2, 1, 2, 0, 3, 1, 3};

/* A point of a frame in the world. */
static void place(const double *frame, const double local[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] =
            frame[k] + local[0] * frame[3 + k] + local[1] * frame[6 + k] + local[2] * frame[9 + k];
}

static tl_status add_plane(tl_exact *e, const double *frame, const double n[3], double d)
{
    double plane[4] = {0, 0, 0, d};
    for (int k = 0; k < 3; k++)
        plane[k] = n[0] * frame[3 + k] + n[1] * frame[6 + k] + n[2] * frame[9 + k];
    plane[3] += plane[0] * frame[0] + plane[1] * frame[1] + plane[2] * frame[2];
    return tl_array_append(&e->numbers, plane, 4);
}

static tl_status add_box(tl_exact *e, const double *frame, tl_polytope *piece)
{
    double x[3], at[3];
    piece->vertices = 8;
    piece->faces = 6;
    piece->edges = 12;
    piece->loop_start = box_loop_start;
    piece->loop = box_loop;
    piece->edge = box_edge;
    piece->edge_face = box_edge_face;
    for (uint32_t v = 0; v < 8; v++) {
        for (uint32_t k = 0; k < 3; k++)
            x[k] = v >> k & 1 ? frame[12 + k] : -frame[12 + k];
        place(frame, x, at);
        TL_TRY(tl_array_append(&e->numbers, at, 3));
    }
    piece->face = e->numbers.count;
    for (int f = 0; f < 6; f++) {
        double n[3] = {0, 0, 0};
        n[f / 2] = f % 2 ? 1 : -1;
        TL_TRY(add_plane(e, frame, n, frame[12 + f / 2]));
    }
    return TL_OK;
}

static tl_status add_hull(tl_exact *e, const double *frame, const tl_geometry_rec *g,
                          tl_polytope *piece)
{
    const uint32_t *words = g->words.data;
    const double *numbers = g->numbers.data;
    double at[3];
    piece->vertices = words[0];
    piece->faces = words[1];
    piece->edges = words[2];
    piece->loop_start = words + 3;
    piece->loop = piece->loop_start + piece->faces + 1;
    piece->edge = piece->loop + piece->loop_start[piece->faces];
    piece->edge_face = piece->edge + 2 * (size_t)piece->edges;
    const uint32_t *end = piece->edge_face + 2 * (size_t)piece->edges;
    piece->face_kind = (size_t)(end - words) < g->words.count ? end : NULL;
    for (uint32_t v = 0; v < piece->vertices; v++) {
        place(frame, numbers + 3 * (size_t)v, at);
        TL_TRY(tl_array_append(&e->numbers, at, 3));
    }
    piece->face = e->numbers.count;
    for (uint32_t f = 0; f < piece->faces; f++) {
        const double *plane = numbers + 3 * (size_t)piece->vertices + 4 * (size_t)f;
        TL_TRY(add_plane(e, frame, plane, plane[3]));
    }
    return TL_OK;
}

/* The piece that a shape is, 1 + its number; 0 where it is none: no sphere, plane, box or hull. */
static tl_status piece_of(const tl_world *w, tl_exact *e, uint32_t shape, uint32_t *number)
{
    static const double up[3] = {0, 0, 1};
    uint32_t *known = (uint32_t *)e->piece_of.data + shape;
    const uint32_t kind = ((const uint32_t *)e->info.data)[shape] & TLK_SHAPE_KIND;
    const double *frame = NULL;
    if (*known != TLK_NONE) {
        *number = *known;
        return TL_OK;
    }
    *number = *known = 0;
    tl_polytope piece = {.vertex = e->numbers.count, .face = e->numbers.count};
    if (kind == TL_SPHERE) {
        piece.vertices = 1;
        piece.rounding = ((const double *)e->geom.data)[4 * (size_t)shape + 3];
        TL_TRY(tl_array_append(&e->numbers, (const double *)e->centre.data + 4 * (size_t)shape, 3));
    } else {
        frame = (const double *)e->frame.data +
                TLK_FRAME * (size_t)((const uint32_t *)e->frame_of.data)[shape];
        piece.rounding = frame[18];
    }
    if (kind == TL_PLANE) {
        piece.faces = 1;
        TL_TRY(add_plane(e, frame, up, 0));
    } else if (kind == TL_BOX) {
        TL_TRY(add_box(e, frame, &piece));
    } else if (kind == TL_HULL) {
        const size_t at = (size_t)frame[19] - 1;
        TL_TRY(add_hull(e, frame, (const tl_geometry_rec *)w->geometries.data + at, &piece));
    } else if (kind != TL_SPHERE) {
        return TL_OK;
    }
    TL_TRY(tl_array_append(&e->pieces, &piece, 1));
    *number = *known = (uint32_t)e->pieces.count;
    return TL_OK;
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

/* A pair with a shape that is no piece: the points of the narrow phase, as they are. */
static tl_status add_found(tl_exact *e, uint32_t first, uint32_t count, tl_group *g)
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

/* The group of contacts [first, first + count), which are of one pair. */
static tl_status add_group(const tl_world *w, tl_exact *e, uint32_t first, uint32_t count)
{
    const tl_exact_def *def = &w->settings.exact;
    const uint32_t *body = e->shape_body.data;
    tl_group g = {.a = ((const uint32_t *)e->contact_a.data)[first],
                  .b = ((const uint32_t *)e->contact_b.data)[first],
                  .first = (uint32_t)e->facets.count,
                  .choice = TL_NO_FACET};
    double gap = INFINITY;
    uint32_t a, b;
    g.body_a = body[g.a];
    g.body_b = body[g.b];
    for (uint32_t i = first; i < first + count; i++)
        gap = fmin(gap, ((const double *)e->contact_n.data)[4 * (size_t)i + 3]);
    if (def->epsilon > 0 && gap > def->epsilon)
        return TL_OK;
    take_materials(w, e, &g);
    TL_TRY(piece_of(w, e, g.a, &a));
    TL_TRY(piece_of(w, e, g.b, &b));
    tl_exact_reach reach = {.way = way_of(w, e, &g)};
    reach.deepest = def->psi_minimum > 0 ? -def->psi_minimum : -reach.way;
    if (def->epsilon > 0)
        reach.way = fmax(reach.way, def->epsilon);
    const tl_polytope *pieces = e->pieces.data;
    if (a && b)
        TL_TRY(tl_exact_pair(e, &pieces[a - 1], &pieces[b - 1], &reach,
                             w->settings.planar == TL_PLANAR_XZ, &g));
    else
        TL_TRY(add_found(e, first, count, &g));
    return g.facets ? tl_array_append(&e->groups, &g, 1) : TL_OK;
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
        TL_TRY(add_group(w, e, i, end - i));
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
        ((uint32_t *)e->local.data)[i] = TL_STILL;
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

static tl_status solve_islands(const tl_world *w, tl_exact *e, tl_exact_sum *sum)
{
    const tl_settings *s = &w->settings;
    const tl_group *groups = e->groups.data;
    const uint32_t *order = e->order.data;
    tl_exact_law law = {.h = s->step,
                        .tolerance = s->solver.tolerance > 0 ? s->solver.tolerance : 1e-8,
                        .all = s->stepper == TL_STEPPER_STEWART_TRINKLE,
                        .primary = s->stepper == TL_STEPPER_PEG && s->exact.primary,
                        .planar = s->planar == TL_PLANAR_XZ,
                        .directions = s->exact.cone ? 0 : s->exact.directions,
                        .speed = norm(s->gravity) * s->step};
    const double *free = e->free.data;
    for (size_t i = 0; i < w->dynamic; i++)
        law.speed = fmax(law.speed, norm(free + 6 * i));
    for (size_t begin = 0, end; begin < e->groups.count; begin = end) {
        for (end = begin + 1;
             end < e->groups.count && groups[order[end]].island == groups[order[begin]].island;)
            end++;
        TL_TRY(tl_exact_island(w, e, &law, begin, end, sum));
    }
    return TL_OK;
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
