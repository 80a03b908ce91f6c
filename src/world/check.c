/* What a snapshot says, checked as if a stranger had sent it, before anything of it is used: every
 * field must be what a world of this library could have saved. What scenes have rules for is
 * checked by those; what follows from other fields (inverse masses, flags, frames, which handles
 * are alive) is computed anew and compared. snapshot.c calls it. */
#include "base/vector.h"
#include "kernels/bid.h"
#include "scene/check.h"
#include "world/image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REACH        1e13 /* m: centres of shapes are nearer, as bodies and shapes are within TLK_FAR */
#define MOST_DOUBLED 25u /* how often copies of a crowded body are doubled */

static tl_status damaged(const char *what, size_t index, const char *fault)
{
    return tl_fail(TL_BAD_DATA, "the snapshot is damaged: %s[%zu]: %s", what, index, fault);
}

tl_status tl_damaged(const char *what)
{
    return tl_fail(TL_BAD_DATA, "the snapshot is damaged: %s", what);
}

tl_status tl_damaged_by_rule(tl_status status)
{
    char rule[512];
    if (status == TL_OK || status == TL_NO_MEMORY)
        return status;
    snprintf(rule, sizeof rule, "%s", tl_last_message());
    return tl_damaged(rule);
}

/* The same of a record of an array. */
static tl_status obeys(tl_status status, const char *what, size_t index)
{
    char rule[512];
    if (status == TL_OK || status == TL_NO_MEMORY)
        return status;
    snprintf(rule, sizeof rule, "%s", tl_last_message());
    return damaged(what, index, rule);
}

/* A number as the world's precision keeps it. */
static double kept(const tl_world *w, double x)
{
    return w->backend->precision == TL_DOUBLE ? x : (double)(float)x;
}

/* Whether all are finite numbers of the world's precision. */
static bool all_kept(const tl_world *w, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]) || kept(w, x[i]) != x[i])
            return false;
    return true;
}

static bool within(const double *x, size_t count, double limit)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(x[i]) < limit))
            return false;
    return true;
}

static bool all_zero(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (x[i] != 0)
            return false;
    return true;
}

static bool is_unit(const double q[4])
{
    return fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-6;
}

/* --- the description ------------------------------------------------------------------------- */

static tl_status check_pairs(const tl_world *w)
{
    const tl_pair_def *pairs = w->pairs.data;
    const double *slides = w->slides.data;
    const tl_elastic *elastics = w->elastics.data;
    const double *ellipsoids = w->ellipsoids.data;
    const size_t n = w->materials;
    if (n < 1 || n > 256)
        return tl_damaged("its number of materials is not 1 to 256");
    if (w->pairs.count != n * n)
        return tl_damaged("its table of pairs has not as many rows and columns as materials");
    for (size_t i = 0; i < n * n; i++) {
        const tl_pair_def *other = &pairs[i % n * n + i / n];
        TL_TRY(obeys(tl_pair_check(&pairs[i]), "pairs", i));
        if (memcmp(&pairs[i], other, sizeof *other) != 0)
            return damaged("pairs", i, "it depends on the order of the two materials");
    }
    if (w->slides.count != n)
        return tl_damaged("its surface velocities are not as many as materials");
    for (size_t i = 0; i < n; i++)
        TL_TRY(obeys(tl_slide_check(slides + 3 * i), "slides", i));
    if (w->elastics.count != n)
        return tl_damaged("its elastic constants are not as many as materials");
    for (size_t i = 0; i < n; i++)
        TL_TRY(obeys(tl_elastic_check(&elastics[i]), "elastics", i));
    if (w->ellipsoids.count != n)
        return tl_damaged("its ellipsoids of friction are not as many as materials");
    for (size_t i = 0; i < n; i++)
        TL_TRY(obeys(tl_ellipsoid_check(ellipsoids + 3 * i), "ellipsoids", i));
    return TL_OK;
}

static tl_status check_events(const tl_schedule *s, uint64_t handles)
{
    const tl_event_rec *events = s->events.data;
    if (s->events_done > s->events.count)
        return tl_damaged("more events are past than there are");
    for (size_t i = 0; i < s->events.count; i++) {
        const tl_event_rec *e = &events[i];
        tl_event_def def = {.kind = (tl_event_kind)e->kind, .time = e->time};
        memcpy(def.gravity, e->gravity, sizeof def.gravity);
        TL_TRY(obeys(tl_event_check(&def), "events", i));
        if (i && e->time < events[i - 1].time)
            return damaged("events", i, "it is not in the order of time");
        for (uint32_t k = 0; k < e->body_count; k++)
            if (e->bodies[k] < 1 || e->bodies[k] > handles)
                return damaged("events", i, "it names no body");
    }
    return TL_OK;
}

static tl_status check_patches(const tl_schedule *s, uint64_t handles)
{
    const tl_patch_rec *patches = s->patches.data;
    if (!isfinite(s->moved_energy))
        return tl_damaged("what moved bodies gained is no number");
    for (size_t i = 0; i < s->patches.count; i++) {
        const tl_patch_def *def = &patches[i].def;
        const tl_body_range grains = def->grains;
        TL_TRY(obeys(tl_patch_check(def), "patches", i));
        if (!(fabs(tl_length(def->direction) - 1) < 1e-12 && fabs(tl_length(def->up) - 1) < 1e-12))
            return damaged("patches", i, "its directions are no unit vectors");
        if (!(patches[i].next >= 0) || isnan(patches[i].at))
            return damaged("patches", i, "its counters make no sense");
        if (def->follow.index < 1 || def->follow.index > handles || !grains.count ||
            grains.first.index < 1 || grains.first.index + (uint64_t)grains.count > handles + 1)
            return damaged("patches", i, "it names no body");
    }
    return TL_OK;
}

static tl_status check_schedule(const tl_world *w, uint64_t handles)
{
    const tl_emitter_rec *e = w->schedule.emitters.data;
    const tl_boundary_rec *b = w->schedule.boundaries.data;
    for (size_t i = 0; i < w->schedule.emitters.count; i++) {
        if (e[i].emitted > e[i].due || (e[i].def.count && e[i].due > e[i].def.count) ||
            !(e[i].next >= 0)) /* infinity: never again */
            return damaged("emitters", i, "its counters make no sense");
    }
    for (size_t i = 0; i < w->schedule.boundaries.count; i++) {
        TL_TRY(obeys(tl_boundary_check(&b[i].def), "boundaries", i));
        if (!(b[i].next >= 0))
            return damaged("boundaries", i, "its counter makes no sense");
    }
    TL_TRY(check_patches(&w->schedule, handles));
    return check_events(&w->schedule, handles);
}

/* Motions by themselves, in the order of handles; which bodies they move: check_bodies. */
static tl_status check_motions(const tl_world *w)
{
    const tl_world_motion *motions = w->motions.data;
    for (size_t i = 0; i < w->motions.count; i++) {
        if (i && motions[i].id <= motions[i - 1].id)
            return damaged("motions", i, "it is not in the order of handles");
        if (!isfinite(motions[i].start) || !within(motions[i].position, 3, REACH) ||
            !is_unit(motions[i].orientation))
            return damaged("motions", i, "it starts from no pose");
    }
    return TL_OK;
}

/* --- bodies ---------------------------------------------------------------------------------- */

static bool is_isotropic(const double *inertia)
{
    return inertia[0] == inertia[1] && inertia[1] == inertia[2];
}

static const char *dynamic_fault(const tl_world *w, const double *inertia, const double *vel,
                                 uint32_t flags)
{
    const bool isotropic = is_isotropic(inertia);
    double largest = 0, sum = 0;
    for (int k = 0; k < 3; k++) {
        if (!(inertia[k] > 0 && isfinite(inertia[k])))
            return "its moments of inertia are not all above 0";
        largest = fmax(largest, inertia[k]);
        sum += 0.5 * inertia[k]; /* half, because the sum may overflow */
    }
    if (!(largest <= sum * (1 + 1e-8)))
        return "its largest moment of inertia exceeds the sum of the other two";
    if (vel[3] != kept(w, 1 / inertia[3]) || !(vel[3] > 0))
        return "its inverse mass is not that of its mass";
    if (vel[7] != (isotropic ? kept(w, 1 / inertia[0]) : 0) || (isotropic && !(vel[7] > 0)))
        return "its inverse inertia is not that of its moments";
    return flags == (isotropic ? 0 : TLK_BODY_ANISOTROPIC) ? NULL
                                                           : "its flags do not fit its moments";
}

static const char *still_fault(const double *inertia, const double *vel, uint32_t flags, bool moves)
{
    if (!all_zero(inertia, 4) || vel[3] != 0 || vel[7] != 0 || flags)
        return "it is not dynamic, but has a mass, a moment of inertia, an inverse or flags";
    return moves || all_zero(vel, 8) ? NULL : "it is fixed, but has a velocity";
}

/* All but the handle of the body in a row. */
static const char *body_fault(const tl_world *w, const tl_image *m, size_t i)
{
    const double *x = (const double *)m->pos.data + 4 * i,
                 *q = (const double *)m->quat.data + 4 * i;
    const double *inertia = (const double *)m->inertia.data + 4 * i;
    const double *vel = (const double *)m->vel.data + 8 * i;
    const uint32_t flags = ((const uint32_t *)m->flags.data)[i], id = ((uint32_t *)m->id.data)[i];
    const bool dynamic = inertia[3] > 0, moves = tl_world_find_motion(w, id) != NULL;
    if (!within(x, 3, TLK_FAR) || x[3] != 0)
        return "its position is out of reach";
    if (!is_unit(q))
        return "its orientation is no unit quaternion";
    if (!all_kept(w, vel, 8))
        return "its velocity is no number of this precision";
    if (!(inertia[3] >= 0 && isfinite(inertia[3])))
        return "its mass is below 0 or not finite";
    if (dynamic && i && !(inertia[-1] > 0))
        return "dynamic bodies come first";
    if (dynamic && moves)
        return "it is dynamic, but has a prescribed motion";
    return dynamic ? dynamic_fault(w, inertia, vel, flags)
                   : still_fault(inertia, vel, flags, moves);
}

/* Bodies, and the handles by which motions, forces and users name them. The table of rows by handle
 * is made on the way. */
static tl_status check_bodies(tl_world *w, const tl_image *m, const tl_array *alive)
{
    const size_t bodies = m->id.count;
    const uint32_t *id = m->id.data;
    const uint64_t *bits = alive->data;
    uint32_t *row_of = w->row_of.data;
    size_t moved = 0, living = 0;
    if (m->pos.count != bodies || m->quat.count != bodies || m->vel.count != bodies ||
        m->inertia.count != bodies || m->flags.count != bodies)
        return tl_damaged("its arrays of bodies differ in length");
    for (size_t i = 0; i < w->row_of.count; i++)
        row_of[i] = TLK_NONE;
    for (size_t i = 0; i < 64 * alive->count; i++)
        living += bits[i / 64] >> i % 64 & 1;
    for (size_t i = 0; i < bodies; i++) {
        if (id[i] < 1 || id[i] > w->row_of.count)
            return damaged("bodies", i, "its handle is out of range");
        if (row_of[id[i] - 1] != TLK_NONE)
            return damaged("bodies", i, "its handle is another's, too");
        if (!(bits[(id[i] - 1) / 64] >> (id[i] - 1) % 64 & 1))
            return damaged("bodies", i, "its handle is not alive");
        row_of[id[i] - 1] = (uint32_t)i;
        const char *fault = body_fault(w, m, i);
        if (fault)
            return damaged("bodies", i, fault);
        moved += tl_world_find_motion(w, id[i]) != NULL;
    }
    if (living != bodies)
        return tl_damaged("more handles are alive than there are bodies");
    return moved == w->motions.count ? TL_OK : tl_damaged("a motion moves no body");
}

/* Frames of dynamic bodies that are not their own, in the order of handles. */
static tl_status check_origins(const tl_world *w, const tl_image *m)
{
    const tl_origin *o = w->origins.data;
    for (size_t i = 0; i < w->origins.count; i++) {
        const uint32_t row = tl_world_row(w, (tl_body){o[i].id, 1});
        if (row == TLK_NONE || !(((const double *)m->inertia.data)[4 * (size_t)row + 3] > 0))
            return damaged("origins", i, "it is of no dynamic body");
        if (i && o[i].id <= o[i - 1].id)
            return damaged("origins", i, "it is not in the order of handles");
        if (!within(o[i].offset, 3, TLK_FAR) || !is_unit(o[i].turn) || o[i].unused)
            return damaged("origins", i, "it is out of reach or no rotation");
    }
    return TL_OK;
}

static tl_status check_forces(const tl_world *w, const tl_image *m)
{
    const tl_force_rec *forces = w->forces.data;
    for (size_t i = 0; i < w->forces.count; i++) {
        const uint32_t row = tl_world_row(w, (tl_body){forces[i].body, 1});
        if (row == TLK_NONE || !(((const double *)m->inertia.data)[4 * (size_t)row + 3] > 0))
            return damaged("forces", i, "it acts on no dynamic body");
        TL_TRY(obeys(tl_force_check(&forces[i]), "forces", i));
    }
    return TL_OK;
}

/* Pairs of living bodies, in ascending order. */
static tl_status check_exclusions(const tl_world *w)
{
    const uint64_t *pairs = w->exclusions.data;
    for (size_t i = 0; i < w->exclusions.count; i++) {
        const uint32_t a = (uint32_t)(pairs[i] >> 32), b = (uint32_t)pairs[i];
        if (i && pairs[i] <= pairs[i - 1])
            return damaged("exclusions", i, "it is not in ascending order");
        if (a >= b || tl_world_row(w, (tl_body){a, 1}) == TLK_NONE ||
            tl_world_row(w, (tl_body){b, 1}) == TLK_NONE)
            return damaged("exclusions", i, "it names no two bodies");
    }
    return w->exclusions.count < 1u << 31 ? TL_OK : tl_damaged("it excludes too many pairs");
}

/* --- shapes ---------------------------------------------------------------------------------- */

/* Whether three axes are at right angles, of length 1 and right-handed. */
static bool is_frame(const double *axes)
{
    const double *x = axes, *y = axes + 3, *z = axes + 6;
    const double cross[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                             x[0] * y[1] - x[1] * y[0]};
    double xx = 0, xy = 0, yy = 0, off = 0;
    for (int k = 0; k < 3; k++) {
        xx += x[k] * x[k], xy += x[k] * y[k], yy += y[k] * y[k];
        off += fabs(cross[k] - z[k]);
    }
    return fabs(xx - 1) < 1e-9 && fabs(yy - 1) < 1e-9 && fabs(xy) < 1e-9 && off < 1e-9;
}

/* Whether numbers are equal up to rounding, against a size. */
static bool are_near(const double *x, const double *y, int count, double size)
{
    for (int k = 0; k < count; k++)
        if (!(fabs(x[k] - y[k]) <= 1e-9 * size))
            return false;
    return true;
}

/* A shape that is no sphere: what kernels keep of it must be what its definition gives. The axes,
 * which were turned, are a frame; those of a parallelogram are its edges. */
static const char *frame_fault(const tl_world *w, uint32_t kind, bool rounded, const double *geom,
                               const double *frame)
{
    const uint32_t geometries = (uint32_t)w->geometries.count;
    const bool shared = kind == TL_HULL || kind == TL_MESH || kind == TL_HEIGHTS;
    double want[TLK_FRAME], ball[4];
    if (!within(frame, TLK_FRAME, REACH) || !within(geom, 4, REACH))
        return "it is out of reach";
    if (kind != TL_PARALLELOGRAM && !is_frame(frame + 3))
        return "its axes are no frame";
    if (frame[19] != floor(frame[19]) ||
        !(shared ? frame[19] >= 1 && frame[19] <= geometries : frame[19] == 0))
        return "its geometry is none";
    if (rounded != (kind == TL_BOX && frame[18] > 0))
        return "its flags do not fit its rounding";
    const tl_shape_def def = tl_frame_def(kind, frame);
    tl_shape_rec shape;
    const tl_place place = {"shapes", 0, 0};
    if (tl_shape_rec_make(&place, TL_FIXED, &def, 0, &w->geometries, &shape) != TL_OK)
        return "it has no size, or breaks another rule of scenes";
    tl_shape_frame(&shape, &w->geometries, want, ball);
    const double size = fabs(geom[0]) + fabs(geom[1]) + fabs(geom[2]) + geom[3] + fabs(frame[0]) +
                        fabs(frame[1]) + fabs(frame[2]);
    if (!are_near(geom, ball, 4, size))
        return "its bounding ball is not that of its frame";
    if (!are_near(frame + 12, want + 12, 8, size) || frame[18] < 0)
        return "its frame is not that of its kind";
    return NULL;
}

/* The shape in a row; `frame` is where its frame is, if it has one. */
static const char *shape_fault(const tl_world *w, const tl_image *m, size_t s, const double *frame)
{
    const uint32_t *body = m->shape_body.data, info = ((const uint32_t *)m->shape_info.data)[s];
    const double *geom = (const double *)m->geom.data + 4 * s;
    const double *inertia = (const double *)m->inertia.data + 4 * (size_t)body[s];
    const uint32_t kind = info & TLK_SHAPE_KIND;
    const uint32_t known = TLK_SHAPE_KIND | TLK_SHAPE_CENTRAL | TLK_SHAPE_FIXED |
                           TLK_SHAPE_ROUNDED | TLK_SHAPE_GROUPED | TLK_SHAPE_SENSOR;
    const uint32_t *filter = (const uint32_t *)m->filter.data + 2 * s;
    const bool dynamic = inertia[3] > 0, fixed = info & TLK_SHAPE_FIXED;
    bool central = kind == TL_SPHERE && is_isotropic(inertia) && all_zero(geom, 3);
    if (kind > TL_HEIGHTS || (info & ((1u << TLK_SHAPE_MATERIAL) - 1) & ~known))
        return "its kind is unknown";
    if (!!(info & TLK_SHAPE_GROUPED) != (filter[0] != 1 || filter[1] != UINT32_MAX))
        return "its flags do not fit its groups";
    if (info >> TLK_SHAPE_MATERIAL >= w->materials)
        return "its material is none";
    if (fixed == dynamic || (dynamic && !tl_shape_is_solid(kind)))
        return "it cannot be on a body of this kind";
    if (!within((const double *)m->centre.data + 4 * s, 4, REACH))
        return "its centre is out of reach";
    if (!dynamic) {
        const tl_world_motion *motion =
            tl_world_find_motion(w, ((const uint32_t *)m->id.data)[body[s]]);
        central = !(motion && tl_motion_turns(&motion->rec.def));
    }
    if (central != !!(info & TLK_SHAPE_CENTRAL))
        return "its flags do not fit its body";
    if (kind != TL_SPHERE)
        return frame_fault(w, kind, info & TLK_SHAPE_ROUNDED, geom, frame);
    /* a sphere of radius 0 is a point */
    return within(geom, 4, TLK_FAR) && geom[3] >= 0 ? NULL : "it is out of reach or has no size";
}

static tl_status check_shapes(const tl_world *w, const tl_image *m)
{
    const size_t shapes = m->shape_body.count;
    const uint32_t *body = m->shape_body.data, *info = m->shape_info.data;
    const double *frame = m->frame_local.data;
    size_t frames = 0;
    if (m->shape_info.count != shapes || m->filter.count != shapes || m->geom.count != shapes ||
        m->centre.count != shapes)
        return tl_damaged("its arrays of shapes differ in length");
    for (size_t s = 0; s < shapes; s++)
        frames += (info[s] & TLK_SHAPE_KIND) != TL_SPHERE;
    if (m->frame_local.count != frames)
        return tl_damaged("its arrays of shapes differ in length");
    for (size_t s = 0; s < shapes; s++) {
        if (body[s] >= m->id.count)
            return damaged("shapes", s, "it has no body");
        if (s && body[s] < body[s - 1])
            return damaged("shapes", s, "it is not in the order of bodies");
        const char *fault = shape_fault(w, m, s, frame);
        if (fault)
            return damaged("shapes", s, fault);
        if ((info[s] & TLK_SHAPE_KIND) != TL_SPHERE)
            frame += TLK_FRAME;
    }
    return TL_OK;
}

/* --- contacts -------------------------------------------------------------------------------- */

/* Whether a contact can have these numbers kept (keep.h). */
static bool may_be_kept(const tl_world *w, const double *kept)
{
    if (kept[11] == 0)
        return all_zero(kept, TLK_KEPT);
    const double n[3] = {kept[8], kept[9], kept[10]};
    double size = 0, turn = 0;
    for (int k = 0; k < 3; k++)
        size += n[k] * n[k];
    for (int k = 0; k < 4; k++)
        turn += kept[12 + k] * kept[12 + k];
    return kept[11] == 1 && all_kept(w, kept, TLK_KEPT) && within(kept, 8, REACH) &&
           fabs(size - 1) < 1e-3 && fabs(turn - 1) < 1e-3;
}

/* Contact k by itself. */
static const char *contact_fault(const tl_world *w, const tl_image *m, size_t k)
{
    const size_t shapes = m->shape_body.count;
    const uint32_t *body = m->shape_body.data, *info = m->shape_info.data;
    const uint32_t a = ((const uint32_t *)m->a.data)[k], b = ((const uint32_t *)m->b.data)[k];
    const uint32_t colour = ((const uint32_t *)m->colour.data)[k];
    const double *n = (const double *)m->n.data + 4 * k;
    if (a >= shapes || b >= shapes)
        return "it has no shape";
    if (body[a] == body[b] || (info[a] & info[b] & TLK_SHAPE_FIXED) ||
        (info[a] | info[b]) & TLK_SHAPE_SENSOR)
        return "its shapes do not touch each other";
    if (!all_kept(w, n, 4) || !within(n, 3, 1.001) || !within(n + 3, 1, REACH))
        return "its normal or gap is none";
    if (!all_kept(w, (const double *)m->gamma.data + 4 * k, 4))
        return "its impulse is no number of this precision";
    if (m->moment.count && !all_kept(w, (const double *)m->moment.data + 4 * k, 4))
        return "its moment is no number of this precision";
    if (m->past.count &&
        !within((const double *)m->past.data + TLK_CONTACT_PAST * k, TLK_CONTACT_PAST, 1e30))
        return "what its springs keep is none";
    if (m->place.count && (!all_kept(w, (const double *)m->place.data + 4 * k, 4) ||
                           !within((const double *)m->place.data + 4 * k, 4, REACH)))
        return "its place is out of reach";
    if (m->kept.count && !may_be_kept(w, (const double *)m->kept.data + TLK_KEPT * k))
        return "its points in the frames of its bodies are none";
    const bool word = (colour & TLK_WORD_COLOUR) < TLK_COLOURS &&
                      (colour >> 8 & 255) <= MOST_DOUBLED && colour >> 16 <= MOST_DOUBLED;
    return word || colour == TLK_NONE ? NULL : "its colour is none";
}

/* Whether a contact is of the same pair of shapes as the one before it. */
static bool follows(const tl_image *m, size_t k)
{
    const uint32_t *a = m->a.data, *b = m->b.data, *feature = m->feature.data;
    return k && m->feature.count && a[k] == a[k - 1] && b[k] == b[k - 1] &&
           feature[2 * k] == feature[2 * k - 2];
}

/* Colours that are taken: by body, as bits; at copies of crowded bodies, one by one as body, copy
 * and colour, and the contact. */
typedef struct taken {
    uint64_t *used;   /* a body */
    uint8_t *doubled; /* a body: how often its copies were, plus 1; 0: not known yet */
    tl_array copies;  /* taken_copy */
} taken;

typedef struct taken_copy {
    uint64_t what;
    size_t contact;
} taken_copy;

static tl_status take_copy(taken *t, uint32_t row, uint32_t copy, uint32_t colour, size_t k)
{
    const taken_copy one = {(uint64_t)row << 32 | copy << 6 | colour, k};
    return tl_array_append(&t->copies, &one, 1);
}

/* No two pairs of a colour but the last share a dynamic body, or a copy of one (match.h), which all
 * pairs of the body take from as many; and the contacts of a pair have one colour. */
static tl_status take_colour(const tl_image *m, size_t k, taken *t, bool *fits)
{
    const tlk_colour pairs = {.a = m->a.data,
                              .b = m->b.data,
                              .feature = m->feature.count ? m->feature.data : NULL,
                              .shape_body = m->shape_body.data,
                              .id = m->id.data};
    const uint32_t word = ((const uint32_t *)m->colour.data)[k], colour = word & TLK_WORD_COLOUR;
    const uint32_t row[2] = {pairs.shape_body[pairs.a[k]], pairs.shape_body[pairs.b[k]]};
    const bool second = pairs.id[row[0]] > pairs.id[row[1]]; /* the first has the higher handle */
    *fits = !follows(m, k) || word == ((const uint32_t *)m->colour.data)[k - 1];
    if (follows(m, k) || word == TLK_NONE)
        return TL_OK;
    for (int i = 0; i < 2; i++) {
        const uint32_t doubled = word >> (second == (i == 0) ? 16 : 8) & 255;
        if (!(((const double *)m->inertia.data)[4 * (size_t)row[i] + 3] > 0))
            continue;
        *fits = *fits && (!t->doubled[row[i]] || t->doubled[row[i]] == doubled + 1);
        t->doubled[row[i]] = (uint8_t)(doubled + 1);
        if (colour == TLK_COLOURS - 1)
            continue;
        if (doubled) {
            const uint32_t copy = (uint32_t)(tlk_bid(&pairs, (uint32_t)k) & ((1u << doubled) - 1));
            TL_TRY(take_copy(t, row[i], copy, colour, k));
            continue;
        }
        *fits = *fits && !(t->used[row[i]] >> colour & 1);
        t->used[row[i]] |= 1ull << colour;
    }
    return TL_OK;
}

static int by_copy(const void *a, const void *b)
{
    const taken_copy *one = a, *other = b;
    if (one->what != other->what)
        return one->what < other->what ? -1 : 1;
    return one->contact < other->contact ? -1 : one->contact > other->contact;
}

static const char *const clash = "its colour is that of another contact of its body";

/* Whether all colours fit with each other. */
static tl_status check_colours(const tl_image *m, taken *t)
{
    const size_t contacts = m->a.count;
    for (size_t k = 0; k < contacts; k++) {
        bool fits;
        TL_TRY(take_colour(m, k, t, &fits));
        if (!fits)
            return damaged("contacts", k, clash);
    }
    const taken_copy *copies = t->copies.data;
    if (t->copies.count)
        qsort(t->copies.data, t->copies.count, sizeof *copies, by_copy);
    for (size_t i = 1; i < t->copies.count; i++)
        if (copies[i].what == copies[i - 1].what)
            return damaged("contacts", copies[i].contact, clash);
    return TL_OK;
}

static tl_status check_contacts(const tl_world *w, const tl_image *m)
{
    const size_t contacts = m->a.count, bytes = m->id.count * (sizeof(uint64_t) + 1);
    tl_status status = TL_OK;
    if (m->b.count != contacts || m->n.count != contacts || m->gamma.count != contacts ||
        m->colour.count != contacts || m->place.count != m->feature.count ||
        m->kept.count != m->feature.count || (m->feature.count && m->feature.count != contacts) ||
        (m->moment.count && m->moment.count != contacts) ||
        (m->past.count && m->past.count != contacts))
        return tl_damaged("its arrays of contacts differ in length");
    if (!contacts)
        return TL_OK;
    for (size_t k = 0; k < contacts; k++) {
        const char *fault = contact_fault(w, m, k);
        if (fault)
            return damaged("contacts", k, fault);
    }
    taken t = {.used = tl_alloc_zero(bytes + 1), .copies = {.item = sizeof(taken_copy)}};
    if (!t.used)
        return TL_NO_MEMORY;
    t.doubled = (uint8_t *)(t.used + m->id.count);
    status = check_colours(m, &t);
    tl_array_free(&t.copies);
    tl_free(t.used, bytes + 1);
    return status;
}

tl_status tl_image_check(tl_world *w, const tl_image *m, uint64_t handles, const tl_array *alive)
{
    if (!(w->time >= 0 && isfinite(w->time)) || !isfinite(w->dissipated) ||
        !isfinite(w->work_done) || !isfinite(w->energy_error) || !isfinite(w->elastic) ||
        w->elastic_known > 1)
        return tl_damaged("its time or energy is not finite, or below 0");
    if (!within(w->pull, 3, INFINITY) || w->unbalanced > 1 || w->stopped > 1 ||
        !(w->hold_debt >= 0 && isfinite(w->hold_debt)))
        return tl_damaged("what it says of balance is not valid");
    if (handles >= 1u << 31 || alive->count != (handles + 63) / 64)
        return tl_damaged("its handles are not as many as it says");
    TL_TRY(check_pairs(w));
    TL_TRY(check_schedule(w, handles));
    TL_TRY(check_motions(w));
    TL_TRY(tl_array_resize(&w->row_of, (size_t)handles));
    TL_TRY(check_bodies(w, m, alive));
    TL_TRY(check_origins(w, m));
    TL_TRY(check_forces(w, m));
    TL_TRY(check_exclusions(w));
    TL_TRY(check_shapes(w, m));
    TL_TRY(tl_rods_check(w, m));
    return check_contacts(w, m);
}
