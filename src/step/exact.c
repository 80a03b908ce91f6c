/* The velocities of an exact step: the state comes to the host, pairs that are near become groups
 * of facets (exact_pairs.c), groups that share bodies islands, and what solving these gives goes
 * back, as velocities and as contacts. Finding pairs, forces, the check of bodies, integration and
 * the report are those of every step (dvi.c). */
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
                           .speed = sqrt(tl_dot(s->gravity, s->gravity)) * s->step}};
    const double *free = e->free.data;
    for (size_t i = 0; i < w->dynamic; i++)
        job.law.speed = fmax(job.law.speed, sqrt(tl_dot(free + 6 * i, free + 6 * i)));
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
    TL_TRY(tl_exact_groups(w, e, next));
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
        e->gain = fmax(e->gain, w->settings.step * sqrt(tl_dot(d, d)));
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
