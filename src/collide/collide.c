/* Collision detection in the stages of the sources (document 000, section 4.2), with changes that
 * docs/architecture.md explains: levels of bins for mixed sizes, one entry a shape, around which
 * the owner of a pair searches, and passes that run a shape at a time, so that contacts come out in
 * lists by owner. Entries are counted into their bins; nothing is sorted. */
#include "collide/collide.h"

#include <math.h>

#define MARGIN     1.05 /* radii that a level's reach is at least */
#define MOTION     0.5  /* of the usual way in a step is added to it (measured) */
#define MOST_WAY   2.0  /* radii, at most */
#define MIN_FACTOR 1.0  /* edge of a bin over twice the reach of its level, at least */
#define MAX_FACTOR 3.0  /* and at most, however sparse the box looks */
#define WALL_REACH 0.1  /* radii: the reach of a level of few walls */
#define WALL_EDGE  4.0  /* radii: the edge of its bins */
#define MAX_BITS   28u  /* of a level's bin index */
#define LOOK_FAR   3.0  /* times the usual speed: nearly all shapes then look into one bin */
#define LOOK_ROOM  8u   /* entries of shapes that jumped, per shape */

#define BUFFERS 19

static tl_buffer *buffer_at(tl_collide *c, size_t i)
{
    tl_buffer *const all[BUFFERS] = {&c->bin_start,    &c->bin,        &c->partner, &c->near_start,
                                     &c->near_a,       &c->near_b,     &c->normal,  &c->slot,
                                     &c->slot_feature, &c->points,     &c->rank,    &c->part,
                                     &c->part_start,   &c->part_a,     &c->part_b,  &c->part_sub,
                                     &c->work,         &c->work_place, &c->left};
    return all[i];
}

tl_collide tl_collide_like(const tl_collide *collide)
{
    tl_collide like = *collide;
    for (size_t i = 0; i < BUFFERS; i++)
        *buffer_at(&like, i) = (tl_buffer){0};
    like.arena = NULL;
    return like;
}

void tl_collide_bind(tl_collide *collide, tl_arena *arena)
{
    collide->arena = arena;
    for (size_t i = 0; i < BUFFERS; i++)
        buffer_at(collide, i)->arena = arena;
}

void tl_collide_free(tl_backend *backend, tl_collide *c)
{
    for (size_t i = 0; i < BUFFERS; i++)
        tl_buffer_free(backend, buffer_at(c, i));
}

void tl_contacts_free(tl_backend *backend, tl_contacts *c)
{
    tl_buffer *all[] = {&c->start, &c->a,     &c->b,       &c->n,      &c->gamma, &c->colour,
                        &c->pair,  &c->place, &c->feature, &c->moment, &c->kept,  &c->past};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_buffer_free(backend, all[i]);
    c->count = c->pairs = 0;
    c->impulses = c->moments = c->pasts = false;
}

tl_status tl_contacts_room(tl_backend *b, tl_contacts *c)
{
    TL_TRY(tl_buffer_need(b, &c->gamma, 4 * (size_t)c->count * b->real));
    return tl_buffer_need(b, &c->colour, (size_t)c->count * sizeof(uint32_t));
}

tl_status tl_contacts_features(tl_backend *b, tl_contacts *c)
{
    if (c->manifolds)
        return TL_OK;
    TL_TRY(tl_buffer_need(b, &c->place, 4 * (size_t)c->count * b->real));
    TL_TRY(tl_buffer_need(b, &c->feature, 2 * (size_t)c->count * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &c->kept, TLK_KEPT * (size_t)c->count * b->real));
    b->ops->fill(b, c->place.data, 0, 4 * (size_t)c->count * b->real);
    b->ops->fill(b, c->feature.data, 0, 2 * (size_t)c->count * sizeof(uint32_t));
    b->ops->fill(b, c->kept.data, 0, TLK_KEPT * (size_t)c->count * b->real);
    c->manifolds = true;
    return TL_OK;
}

tl_status tl_contacts_rest(tl_backend *b, tl_contacts *c)
{
    if (c->impulses || !c->count)
        return TL_OK;
    TL_TRY(tl_contacts_room(b, c));
    b->ops->fill(b, c->gamma.data, 0, 4 * (size_t)c->count * b->real);
    b->ops->fill(b, c->colour.data, 0xff, (size_t)c->count * sizeof(uint32_t)); /* TLK_NONE */
    c->impulses = true;
    return TL_OK;
}

static uint32_t bits_for(double n)
{
    uint32_t bits = 0;
    while (bits < MAX_BITS && ldexp(1, (int)bits) < n)
        bits++;
    return bits;
}

/* The edge of bins for shapes that have `room` (m^3) each. */
static double bin_edge(double reach, double room)
{
    const double factor = cbrt(room) / (2 * reach);
    return fmin(fmax(factor, MIN_FACTOR), MAX_FACTOR) * 2 * reach;
}

/* Sizes the bins of each level for the box [low, high] of the dynamic bodies, and the table of them
 * for one of `parts` parts of it. The box is only a hint: bins wrap around, so shapes outside it
 * cost time, not contacts. */
static void size_levels(const tl_collide *c, tlk_find *f, const tl_collide_state *state,
                        const double *high, uint32_t parts)
{
    uint32_t base = 0, all = 0;
    const double *low = state->box, way = MOTION * state->h * state->speed;
    double volume = 1, side[3], edge = INFINITY;
    for (uint32_t k = 0; k < 3; k++) {
        volume *= fmax(high[k] - low[k], 2 * c->top[0]);
        side[k] = fmax(high[k] - low[k], 0) / (k == f->axis ? parts : 1);
    }
    const double beyond = state->apart ? 6 : 2; /* bins that an axis of the table has to spare */
    for (uint32_t l = 0; l < c->levels; l++)
        all += c->residents[l];
    for (uint32_t l = 0; l < c->levels; l++) {
        tlk_level *level = &f->level[l];
        *level = (tlk_level){.used = c->residents[l] ? (l < c->coarsest ? 1 : 2) : 0};
        if (!level->used)
            continue;
        /* few walls are in all bins that their boxes touch, so nobody has to look far for them */
        const bool walls = level->used == 1 && c->residents[l] <= all / 16;
        level->reach =
            walls ? WALL_REACH * c->top[l]
                  : MARGIN * c->top[l] + 0.5 * f->envelope + fmin(way, MOST_WAY * c->top[l]);
        /* edges fall with the size of shapes, so that none has more bins on a coarser level */
        edge = fmin(edge, walls ? WALL_EDGE * c->top[l]
                                : bin_edge(level->reach, state->crowd * volume / c->residents[l]));
        level->inverse = 1 / edge;
        uint32_t bits[3], sum = 0;
        /* shapes of a coarse level may be in many bins each */
        const uint32_t few = (c->residents[l] > all / 16 ? c->residents[l] : all / 16) / parts;
        const uint32_t room = bits_for(few) + (state->apart ? 3 : 1);
        for (int k = 0; k < 3; k++)
            sum += bits[k] = bits_for(side[k] * level->inverse + beyond);
        while (sum > room) {
            int widest = bits[0] >= bits[1] ? 0 : 1;
            widest = bits[2] > bits[widest] ? 2 : widest;
            bits[widest]--;
            sum--;
        }
        for (int k = 0; k < 3; k++) {
            level->mask[k] = (1u << bits[k]) - 1;
            level->shift[k] = k == 0 ? 0 : level->shift[k - 1] + bits[k - 1];
            level->first[k] = parts > 1 ? NAN : floor(low[k] * level->inverse) - 2;
        }
        level->base = base;
        base += 1u << sum;
    }
    f->keys = base;
}

/* The bin of a level that a cut goes through: it is the first behind the cut. */
static int64_t cut_bin(const tlk_level *level, double x)
{
    return (int64_t)fmin(fmax(floor(x * level->inverse), -4e15), 4e15);
}

/* Leaves each level the bins of one part. The cuts are where equal slabs of the box would end, and
 * the first and the last part have all that is outside it. */
static void cut_levels(const tl_collide *c, tlk_find *f, const double *low, const double *high,
                       tl_part part)
{
    const double origin = low[f->axis], side = fmax(high[f->axis] - origin, 0);
    for (uint32_t l = 0; l < c->levels; l++) {
        tlk_level *level = &f->level[l];
        const double from = origin + side * part.index / part.count;
        const double to = origin + side * (part.index + 1) / part.count;
        level->cut_low = part.index == 0 ? INT64_MIN : cut_bin(level, from);
        level->cut_high = part.index + 1 == part.count ? INT64_MAX : cut_bin(level, to);
    }
}

tlk_find tl_collide_view(const tl_collide *c, const tl_collide_state *state, tl_part part)
{
    tlk_find f = {.bodies = state->bodies,
                  .shapes = state->shapes,
                  .h = state->h,
                  .envelope = state->envelope,
                  .seen = state->seen,
                  .held = state->held,
                  .deep = state->deep,
                  .filters = state->filters,
                  .senses = state->senses ? TLK_SHAPE_SENSOR : 0,
                  .exclusions = state->exclusions,
                  .excluded = state->excluded,
                  .axis = TLK_UNCUT};
    const double *low = state->box;
    const double high[3] = {-low[3], -low[4], -low[5]};
    f.globals = part.index + 1 == part.count ? c->globals : 0;
    for (uint32_t g = 0; g < f.globals; g++)
        f.global[g] = c->global[g];
    if (part.count > 1) {
        f.axis = high[0] - low[0] >= high[1] - low[1] ? 0 : 1;
        f.axis = high[2] - low[2] > high[f.axis] - low[f.axis] ? 2 : f.axis;
    }
    size_levels(c, &f, state, high, part.count);
    if (part.count > 1)
        cut_levels(c, &f, low, high, part);
    return f;
}

static tl_status too_many(const char *what, uint64_t count)
{
    return tl_fail(TL_TOO_LARGE, "%llu %s; the limit is 2^31", (unsigned long long)count, what);
}

/* Too many entries: one body that moves very far in a step, or simply too many shapes. */
static tl_status too_wide(tl_backend *b, tlk_find *f, uint64_t total)
{
    double first[TLK_FOLD_NUMBERS];
    float reach;
    uint32_t body, id;
    TL_TRY(tl_fold_one(b, TLK_FOLD_too_wide, f->shapes.rows, f, first));
    if (first[0] >= f->shapes.rows)
        return too_many("entries of shapes in bins", total);
    const size_t shape = (size_t)first[0];
    TL_TRY(b->ops->download(b, &body, f->shapes.body + shape, sizeof body));
    TL_TRY(b->ops->download(b, &id, f->bodies.id + body, sizeof id));
    TL_TRY(b->ops->download(b, &reach, f->shapes.reach + shape, sizeof reach));
    return tl_fail_about(
        TL_TOO_LARGE, &(tl_error){.bodies = {{id, 1}}},
        "body %u reaches %g m in one step, too far to look for contacts; take a smaller "
        "settings.step or a slower motion",
        id, (double)reach);
}

void tl_collide_bounds(tl_backend *b, const tl_collide_state *state)
{
    const tlk_find f = {.bodies = state->bodies,
                        .shapes = state->shapes,
                        .h = state->h,
                        .envelope = state->envelope};
    tl_run(b, TLK_bounds, f.shapes.rows, &f);
}

/* Room for the counts of bins, all zero. */
static tl_status start_bins(tl_backend *b, tl_collide *c, tlk_find *f)
{
    const size_t bytes = ((size_t)f->keys + 2) * sizeof(uint32_t);
    TL_TRY(tl_buffer_need(b, &c->bin_start, bytes));
    f->bin_start = c->bin_start.data;
    b->ops->fill(b, f->bin_start, 0, bytes);
    return TL_OK;
}

/* Stages 3 to 6: where bins begin, and their entries, with room for a few more than last time. */
static tl_status fill_bins(tl_backend *b, tl_collide *c, tlk_find *f)
{
    const size_t padded = (size_t)c->entries + c->entries / 8 + 2 * TLK_LANES;
    TL_TRY(b->ops->scan(b, f->bin_start, f->keys + 1, NULL));
    const size_t box = f->boxed ? TLK_ENTRY_BOX * sizeof(uint32_t) : 0;
    TL_TRY(tl_buffer_need(b, &c->bin, padded * (b->entry + box)));
    f->bin = c->bin.data;
    f->bin_stride = (uint32_t)padded;
    tl_run(b, TLK_bin_fill, f->shapes.rows, f);
    return TL_OK;
}

/* Partners that are kept for each shape, so that none is looked for again: three times as many as
 * there are on average are enough, nearly always. A GPU keeps candidates there, too, and where
 * there are more than a few large walls, they are candidates of many. A multiple of 4. */
static uint32_t list_room(const tl_backend *b, const tl_collide *c, const tlk_find *f)
{
    const uint32_t fixed = f->shapes.rows - f->shapes.dynamic, most = 3 * TLK_PARTNERS;
    const uint32_t crowd = c->crowd > TLK_PARTNERS / 4 ? 3 * c->crowd : 0;
    const uint32_t walls = !b->apart || fixed <= TLK_PARTNERS / 2 ? 0 : fixed < most ? fixed : most;
    return (TLK_PARTNERS + (crowd > walls ? crowd : walls)) & ~3u;
}

/* Stages 7 and 8: how many pairs each shape owns, where they go, and how many entries there
 * are, which is looked at with them so that the device is waited for once. */
static tl_status count_contacts(tl_backend *b, tl_collide *c, tlk_find *f, tl_buffer *start,
                                uint32_t *contacts, uint32_t *entries)
{
    const uint32_t n = f->shapes.rows;
    uint32_t totals[2] = {0, 0};
    TL_TRY(tl_buffer_need(b, start, ((size_t)n + 2) * sizeof(uint32_t)));
    f->partners = list_room(b, c, f);
    TL_TRY(tl_buffer_need(b, &c->partner, f->partners * (size_t)n * sizeof(uint32_t)));
    f->contact_start = start->data;
    f->partner = c->partner.data;
    tl_run(b, TLK_contact_count, n, f);
    TL_TRY(b->ops->scan(b, f->contact_start, n, NULL));
    if (n)
        TL_TRY(b->ops->download(b, totals, f->contact_start + n, sizeof totals));
    *contacts = totals[0];
    *entries = totals[1];
    if (n && totals[1] <= f->bin_stride - TLK_LANES && !f->senses)
        c->crowd = totals[0] / n;
    return TL_OK;
}

/* What is there where no two shapes may touch: lists without pairs. */
static tl_status find_none(tl_backend *b, tlk_find *f, tl_buffer *start)
{
    const size_t bytes = ((size_t)f->shapes.rows + 2) * sizeof(uint32_t);
    TL_TRY(tl_buffer_need(b, start, bytes));
    f->contact_start = start->data;
    b->ops->fill(b, f->contact_start, 0, bytes);
    return TL_OK;
}

/* Stages 1 (where `counting` is TLK_bounds) to 8, again where there were more entries than room. */
static tl_status find_pairs(tl_backend *b, tl_collide *c, tlk_find *f, uint32_t parts,
                            tl_kernel counting, tl_buffer *start, uint32_t *contacts)
{
    uint32_t entries;
    *contacts = 0;
    if (c->lonely)
        return find_none(b, f, start);
    if (!c->entries)
        c->entries = f->shapes.rows / parts + 1;
    do {
        TL_TRY(start_bins(b, c, f));
        tl_run(b, counting, f->shapes.rows, f);
        TL_TRY(fill_bins(b, c, f));
        TL_TRY(count_contacts(b, c, f, start, contacts, &entries));
        if (entries >= 1u << 31)
            return too_wide(b, f, entries);
        c->entries = entries > c->entries ? entries : c->entries;
    } while (entries > f->bin_stride - TLK_LANES);
    return TL_OK;
}

/* Memory that is larger changes hands. */
static void exchange(tl_contacts *out, tl_contacts *over)
{
    tl_buffer *mine[] = {&out->a, &out->b, &out->n}, *others[] = {&over->a, &over->b, &over->n};
    for (size_t i = 0; i < 3; i++)
        if (mine[i]->bytes < others[i]->bytes) {
            const tl_buffer larger = *others[i];
            *others[i] = *mine[i];
            *mine[i] = larger;
        }
}

tl_status tl_collide_room(tl_backend *b, uint64_t total, tlk_find *f, tl_contacts *out)
{
    if (total >= 1u << 31)
        return too_many("contacts", total);
    const tl_contacts *over = out->over;
    if (over && total * sizeof(uint32_t) <= over->a.bytes &&
        total * sizeof(uint32_t) <= over->b.bytes && 4 * total * b->real <= over->n.bytes)
        exchange(out, out->over); /* from here on nothing fails */
    TL_TRY(tl_buffer_need(b, &out->a, total * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &out->b, total * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &out->n, 4 * total * b->real));
    f->contacts = out->count = out->pairs = (uint32_t)total;
    out->impulses = out->pasts = false;
    out->manifolds = false;
    f->contact_a = out->a.data;
    f->contact_b = out->b.data;
    f->contact_n = out->n.data;
    return TL_OK;
}

/* Room for so many points of so many pairs, besides that of contacts. */
static tl_status points_room(tl_backend *b, uint64_t points, uint32_t pairs, tl_contacts *out)
{
    TL_TRY(tl_buffer_need(b, &out->place, 4 * (size_t)points * b->real));
    TL_TRY(tl_buffer_need(b, &out->feature, 2 * (size_t)points * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &out->kept, TLK_KEPT * (size_t)points * b->real));
    TL_TRY(tl_buffer_need(b, &out->pair, ((size_t)pairs + 1) * sizeof(uint32_t)));
    out->pairs = pairs;
    out->manifolds = true;
    return TL_OK;
}

tl_status tl_collide_run(tl_backend *b, tl_collide *c, const tl_collide_state *state,
                         tl_contacts *out)
{
    tlk_find f = tl_collide_view(c, state, (tl_part){0, 1});
    uint32_t total;
    if (c->lonely) {
        f.bin_start = NULL;
        if (state->places)
            tl_run(b, TLK_bounds, f.shapes.rows, &f);
        TL_TRY(find_none(b, &f, &out->start));
        TL_TRY(tl_collide_room(b, 0, &f, out));
        return state->manifolds ? points_room(b, 0, 0, out) : TL_OK;
    }
    if (!state->manifolds) {
        TL_TRY(find_pairs(b, c, &f, 1, TLK_bounds, &out->start, &total));
        TL_TRY(tl_collide_room(b, total, &f, out));
        tl_run(b, TLK_contact_write, f.shapes.rows, &f);
        return TL_OK;
    }
    f.boxed = b->ops->threads != NULL; /* on a CPU */
    TL_TRY(find_pairs(b, c, &f, 1, TLK_bounds, &c->near_start, &total));
    TL_TRY(tl_buffer_need(b, &c->near_a, total * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &c->near_b, total * sizeof(uint32_t)));
    f.contacts = total;
    f.contact_a = c->near_a.data;
    f.contact_b = c->near_b.data;
    tl_run(b, TLK_contact_write, f.shapes.rows, &f);
    return tl_collide_touch(b, c, state, &f, total, out);
}

/* Pairs with meshes and height fields become pairs with their triangles. */
static tl_status find_triangles(tl_backend *b, tl_collide *c, tlk_touching *t)
{
    const size_t word = sizeof(uint32_t);
    const uint32_t shapes = t->find.shapes.rows;
    uint64_t total;
    TL_TRY(tl_buffer_need(b, &c->part, ((size_t)t->near + 1) * word));
    TL_TRY(tl_buffer_need(b, &c->part_start, ((size_t)shapes + 1) * word));
    t->part = c->part.data;
    t->part_start = c->part_start.data;
    tl_run(b, TLK_part_count, t->near, t);
    TL_TRY(b->ops->scan(b, t->part, t->near, &total));
    if (total >= 1u << 31)
        return too_many("pairs of shapes with triangles that are near them", total);
    TL_TRY(tl_buffer_need(b, &c->part_a, (size_t)total * word));
    TL_TRY(tl_buffer_need(b, &c->part_b, (size_t)total * word));
    TL_TRY(tl_buffer_need(b, &c->part_sub, (size_t)total * word));
    t->part_a = c->part_a.data;
    t->part_b = c->part_b.data;
    t->part_sub = c->part_sub.data;
    tl_run(b, TLK_part_write, t->near, t);
    tl_run(b, TLK_part_start, shapes + 1, t);
    t->near = (uint32_t)total;
    t->near_start = t->part_start;
    t->near_a = t->part_a;
    t->near_b = t->part_b;
    t->near_sub = t->part_sub;
    return TL_OK;
}

/* The points of pairs that are near, each in a place of its own: first those of pairs that are
 * simple or keep their manifold; then all others, sorted by kinds, so that threads side by side do
 * the same work. */
static tl_status touch_pairs(tl_backend *b, tl_collide *c, tlk_touching *t)
{
    const size_t bytes = (size_t)t->near * sizeof(uint32_t);
    uint32_t starts[TLK_RANK_KEYS + 1];
    TL_TRY(tl_buffer_need(b, &c->work, bytes));
    TL_TRY(tl_buffer_need(b, &c->work_place, bytes));
    TL_TRY(tl_buffer_need(b, &c->left, bytes));
    t->work = c->work.data;
    t->work_place = c->work_place.data;
    t->left = c->left.data;
    tl_run(b, TLK_touch_keep, t->near, t);
    if (!t->near)
        return TL_OK;
    TL_TRY(b->ops->rank(b, t->work, t->near, c->work_place.data, starts, NULL, NULL));
    if (!starts[TLK_TOUCHED])
        return TL_OK;
    tl_run(b, TLK_touch_order, t->near, t);
    tl_run(b, TLK_touch_pair, starts[TLK_TOUCHED], t);
    return TL_OK;
}

/* The points of pairs that are near (the lists of `view`), each in a place of its own; `t` knows
 * them then, and how many each has. */
static tl_status find_points(tl_backend *b, tl_collide *c, const tl_collide_state *state,
                             const tlk_find *view, uint64_t near_count, tlk_touching *t)
{
    if (near_count >= 1u << 31)
        return too_many("pairs of shapes that are near each other", near_count);
    const tl_contacts *last = state->last;
    const uint32_t fresh = t->fresh;
    *t = (tlk_touching){.find = *view,
                        .near_start = view->contact_start,
                        .near_a = view->contact_a,
                        .near_b = view->contact_b,
                        .near = (uint32_t)near_count,
                        .fresh = fresh};
    if (state->surfaces)
        TL_TRY(find_triangles(b, c, t));
    const uint32_t near = t->near;
    const size_t word = sizeof(uint32_t), slots = TLK_POINTS_MOST * (size_t)near;
    TL_TRY(tl_buffer_need(b, &c->normal, 4 * (size_t)near * b->real));
    TL_TRY(tl_buffer_need(b, &c->slot, 4 * slots * b->real));
    TL_TRY(tl_buffer_need(b, &c->slot_feature, slots * word));
    TL_TRY(tl_buffer_need(b, &c->points, ((size_t)near + 1) * word));
    TL_TRY(tl_buffer_need(b, &c->rank, ((size_t)near + 1) * word));
    t->normal = c->normal.data;
    t->slot = c->slot.data;
    t->slot_feature = c->slot_feature.data;
    t->points = c->points.data;
    t->rank = c->rank.data;
    if (last && last->manifolds && last->start.data) {
        t->old_start = last->start.data;
        t->old_b = last->b.data;
        t->old_feature = last->feature.data;
        t->old_n = last->n.data;
        t->old_kept = last->kept.data;
    }
    return touch_pairs(b, c, t);
}

/* From pairs that are near to contacts: the points of each pair, then, as it is known how many
 * there are, one after the other. */
tl_status tl_collide_touch(tl_backend *b, tl_collide *c, const tl_collide_state *state,
                           const tlk_find *view, uint64_t near_count, tl_contacts *out)
{
    const size_t word = sizeof(uint32_t);
    uint64_t total, pairs;
    tlk_touching t = {.fresh = 0};
    TL_TRY(find_points(b, c, state, view, near_count, &t));
    const uint32_t near = t.near;
    TL_TRY(tl_buffer_need(b, &out->start, ((size_t)view->shapes.rows + 1) * word));
    TL_TRY(b->ops->scan(b, t.points, near, &total));
    TL_TRY(b->ops->scan(b, t.rank, near, &pairs));
    TL_TRY(tl_collide_room(b, total, &t.find, out));
    TL_TRY(points_room(b, total, (uint32_t)pairs, out));
    t.find.contact_start = out->start.data;
    t.place = out->place.data;
    t.feature = out->feature.data;
    t.kept = out->kept.data;
    t.pair = out->pair.data;
    tl_run(b, TLK_touch_write, near, &t);
    tl_run(b, TLK_touch_start, view->shapes.rows + 1, &t);
    return TL_OK;
}

/* Whether pairs that are not simple, `count` of them, have points that are new. */
static tl_status fresh_points(tl_backend *b, tl_collide *c, const tl_collide_state *state,
                              tlk_find *f, uint64_t count, bool *more)
{
    const uint32_t n = f->shapes.rows;
    uint64_t total;
    tlk_touching t = {.fresh = 1};
    if (count >= 1u << 31)
        return too_many("pairs of shapes that are near each other", count);
    TL_TRY(tl_buffer_need(b, &c->near_start, ((size_t)n + 2) * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &c->near_a, (size_t)count * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &c->near_b, (size_t)count * sizeof(uint32_t)));
    f->contact_start = c->near_start.data;
    f->contact_a = c->near_a.data;
    f->contact_b = c->near_b.data;
    tl_run(b, TLK_near_count, n, f);
    TL_TRY(b->ops->scan(b, f->contact_start, n, NULL));
    tl_run(b, TLK_near_write, n, f);
    TL_TRY(find_points(b, c, state, f, count, &t));
    TL_TRY(b->ops->scan(b, t.points, t.near, &total));
    *more = total > 0;
    return TL_OK;
}

tl_status tl_collide_fresh(tl_backend *b, tl_collide *c, const tl_collide_state *state, bool *more)
{
    tl_collide_state usual = *state;
    usual.speed *= LOOK_FAR;
    tlk_find f = tl_collide_view(c, &usual, (tl_part){0, 1});
    const size_t room = LOOK_ROOM * (size_t)f.shapes.rows + LOOK_ROOM * TLK_LANES;
    double numbers[TLK_FOLD_NUMBERS];
    *more = false;
    if (c->lonely)
        return TL_OK;
    TL_TRY(start_bins(b, c, &f));
    TL_TRY(tl_buffer_need(b, &c->bin, room * sizeof(uint32_t)));
    f.bin = c->bin.data;
    f.bin_stride = (uint32_t)(room < UINT32_MAX ? room : UINT32_MAX);
    tl_run(b, TLK_look_count, f.shapes.rows, &f);
    TL_TRY(b->ops->scan(b, f.bin_start, f.keys + 1, NULL));
    tl_run(b, TLK_look_fill, f.shapes.rows, &f);
    TL_TRY(tl_fold_one(b, TLK_FOLD_fresh_pairs, f.shapes.rows, &f, numbers));
    *more = numbers[0] > 0 || numbers[1] > f.bin_stride; /* so many that the search must tell */
    if (*more || !(numbers[2] > 0))
        return TL_OK;
    return fresh_points(b, c, state, &f, (uint64_t)numbers[2], more);
}

tl_status tl_collide_pairs(tl_backend *b, tl_collide *c, const tl_collide_state *state,
                           tl_part part, tl_contacts *out)
{
    tlk_find f = tl_collide_view(c, state, part);
    uint32_t total;
    TL_TRY(find_pairs(b, c, &f, part.count, TLK_bin_count, &out->start, &total));
    if (total >= 1u << 31)
        return too_many("contacts", total);
    TL_TRY(tl_buffer_need(b, &out->b, total * sizeof(uint32_t)));
    f.contacts = out->count = total;
    f.contact_b = out->b.data;
    if (!c->lonely)
        tl_run(b, TLK_contact_write, f.shapes.rows, &f);
    return TL_OK;
}
