/* From contacts to the rows of the velocity problem: colours, the order that follows from them, and
 * what each row is made of. */
#include "step/step.h"

#include <math.h>
#include <string.h>

_Static_assert(4 * TLK_COLOURS == TLK_RANK_KEYS, "keys are: colour, kind of row, wall or not");

/* What the device knows of segments: where each starts in the order of keys, and one more; which
 * item is its first; then tlk_joined_rows.begin and tlk_joined_rows.first. */
enum { ITEM = TL_SEGMENTS + 1, JOINED_BEGIN = ITEM + TL_SEGMENTS };
enum { JOINED_FIRST = JOINED_BEGIN + TL_SEGMENTS, SEGMENT_WORDS = JOINED_FIRST + TL_SEGMENTS };

#define RESTING 0.1 /* of the envelope */

/* How many copies each body has, and whose they are; so many that each has few enough pairs. */
static tl_status count_copies(tl_world *w, const tl_contacts *c, tlk_split *split)
{
    tl_backend *b = w->backend;
    tl_rows *p = &w->problem;
    const size_t bytes = ((size_t)w->dynamic + 1) * sizeof(uint32_t);
    uint64_t copies;
    TL_TRY(tl_buffer_need(b, &p->copy, bytes));
    b->ops->fill(b, p->copy.data, 0, bytes);
    split->colour.copy = p->copy.data;
    tl_run(b, TLK_crowd_count, c->pairs, &split->colour);
    tl_run(b, TLK_crowd_copies, w->dynamic, &split->colour);
    TL_TRY(b->ops->scan(b, p->copy.data, w->dynamic, &copies));
    split->copies = (uint32_t)copies; /* fewer than pairs */
    split->colour.moving = w->dynamic + split->copies;
    if (!copies) {
        split->colour.copy = NULL;
        return TL_OK;
    }
    TL_TRY(tl_buffer_need(b, &p->owner, (size_t)copies * sizeof(uint32_t)));
    split->owner = p->owner.data;
    tl_run(b, TLK_crowd_owners, w->dynamic, split);
    return TL_OK;
}

/* Contacts keep the colour they had; new ones bid for their bodies, round by round, until each has
 * a colour that is free at both. Few are new once things move slowly. */
static tl_status colour(tl_world *w, const tl_contacts *c, tlk_colour *args)
{
    tl_backend *b = w->backend;
    tl_rows *p = &w->problem;
    const size_t blocks = args->moving;
    const size_t bytes = 2 * blocks * sizeof(uint64_t) + 2 * sizeof(uint32_t);
    TL_TRY(tl_buffer_need(b, &p->bidding, bytes));
    TL_TRY(tl_buffer_need(b, &p->fresh, (size_t)c->pairs * sizeof(uint32_t)));
    args->used = p->bidding.data;
    args->bid = args->used + blocks;
    args->fresh_count = (uint32_t *)(args->bid + blocks);
    args->fresh = p->fresh.data;
    b->ops->fill(b, p->bidding.data, 0, bytes);
    tl_run(b, TLK_colour_keep, c->pairs, args);
    return b->ops->colour(b, args, c->pairs);
}

tl_status tl_step_colour_pairs(tl_world *w, tl_contacts *c, uint32_t *starts)
{
    tl_backend *b = w->backend;
    tl_rows *p = &w->problem;
    uint32_t none;
    tlk_colour args = {.first = c->manifolds ? c->pair.data : NULL,
                       .a = c->a.data,
                       .b = c->b.data,
                       .shape_body = w->shape_body.data,
                       .feature = c->manifolds ? c->feature.data : NULL,
                       .shape_info = w->shape_info.data,
                       .id = w->id.data,
                       .dynamic = w->dynamic,
                       .moving = w->dynamic,
                       .colour = c->colour.data};
    TL_TRY(tl_arena_clear(b, &w->arena, 0));
    TL_TRY(tl_buffer_need(b, &p->key, (size_t)c->pairs * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->place, (size_t)c->pairs * sizeof(uint32_t)));
    args.key = p->key.data;
    TL_TRY(colour(w, c, &args));
    return b->ops->rank(b, args.key, c->pairs, p->place.data, starts, NULL, &none);
}

static uint32_t packets_of(uint32_t items)
{
    return (items + TLK_LANES - 1) / TLK_LANES;
}

/* Items of a segment with joined bodies: the first ones, or all. */
static uint32_t joined_items(const tl_problem *problem, const uint32_t *starts, uint32_t segment)
{
    return starts[2 * segment + (problem->alone ? 2 : 1)] - starts[2 * segment];
}

/* Where the rows with joined bodies are: the first of each segment, by whole packets. */
static void lay_joined(tl_problem *problem, const uint32_t *starts, uint32_t *table)
{
    const tlk_problem *view = &problem->view;
    uint32_t packets = 0;
    for (uint32_t i = 0; i < TL_SEGMENTS; i++) {
        const uint32_t kind = i / TLK_COLOURS, segment = 2 * (i % TLK_COLOURS) + kind;
        const uint32_t packed = packets_of(joined_items(problem, starts, segment));
        const uint32_t item = table[ITEM + segment], base = view->anchor_base;
        table[JOINED_BEGIN + i] =
            (kind ? base + (item - base) * view->item_rows : item) / TLK_LANES;
        table[JOINED_FIRST + i] = packets;
        packets += packed * (kind ? view->item_rows : 1);
    }
    problem->joined_packets = packets;
    for (uint32_t i = 0; i < problem->segment_count; i++) {
        tl_segment *s = &problem->segments[i];
        const uint32_t end = s->begin + TLK_LANES * packets_of(s->joined);
        s->joined = end < s->end ? end : s->end;
    }
}

/* Where each segment (colour and kind of row) starts, in the order of keys and among items. Central
 * rows come first; every segment begins a new packet. Returns how many colours there are. */
static uint32_t lay_out(tl_problem *problem, const uint32_t *starts, uint32_t *first,
                        uint32_t *item)
{
    uint32_t items = 0, colours = 0;
    problem->segment_count = 0;
    for (uint32_t kind = 0; kind < 2; kind++) {
        problem->view.anchor_base = items;
        for (uint32_t c = 0; c < TLK_COLOURS; c++) {
            const uint32_t segment = 2 * c + kind;
            const uint32_t count = starts[2 * segment + 2] - starts[2 * segment];
            first[segment] = starts[2 * segment];
            item[segment] = items;
            items += packets_of(count) * TLK_LANES;
        }
    }
    first[TL_SEGMENTS] = starts[TLK_RANK_KEYS];
    problem->view.items = items;
    problem->view.rows =
        problem->view.anchor_base + (items - problem->view.anchor_base) * problem->view.item_rows;
    memset(problem->view.colours, 0, sizeof problem->view.colours);
    for (uint32_t c = 0; c < TLK_COLOURS; c++) {
        colours += starts[4 * c + 4] > starts[4 * c];
        for (uint32_t kind = 0; kind < 2; kind++) {
            const uint32_t segment = 2 * c + kind;
            const uint32_t count = starts[2 * segment + 2] - starts[2 * segment];
            if (count)
                problem->segments[problem->segment_count++] =
                    (tl_segment){item[segment], item[segment] + count, c == TLK_COLOURS - 1,
                                 joined_items(problem, starts, segment)};
            if (count)
                problem->view.colours[kind] |= 1ull << c;
        }
    }
    return colours;
}

/* Bytes that order and rows of so many contacts take, if all rows are central; the pieces that they
 * are cut in are rounded up. */
static size_t room_for_rows(const tl_world *w, size_t contacts)
{
    const tl_backend *b = w->backend;
    const size_t words = 5, pieces = 20;
    const size_t reals = TLK_HEAD + 9 + (w->turning ? 3 : 0) +
                         (w->materials_matter ? TLK_MATERIAL : 0) + (w->rolls ? 3 : 0);
    const size_t flow = b->flow ? sizeof(uint16_t) + 4 * b->real : 0;
    return (contacts + TL_SEGMENTS * (TLK_LANES - 1)) *
               (words * sizeof(uint32_t) + reals * b->real + flow) +
           (b->flow ? w->dynamic * sizeof(uint64_t) : 0) + pieces * 512;
}

/* Whether some dynamic bodies are joined and others free. */
static bool mixes(const tl_world *w)
{
    return w->mechanism.count && w->mechanism.body_ids.count < w->dynamic;
}

/* Colours and places of pairs, with copies of crowded bodies where `counted`; `mark`: up to where
 * in the arena they are. Building rows needs these too and, where rows wait for each other, the
 * colours used at each block: the first part of what colouring works with. */
static tl_status place_pairs(tl_world *w, const tl_contacts *c, bool counted, tlk_split *split,
                             uint32_t *starts, size_t *mark)
{
    tl_backend *b = w->backend;
    tl_rows *p = &w->problem;
    tlk_colour *args = &split->colour;
    const uint32_t *moving;
    const bool coloured = w->settings.solver.kind == TL_PSOR; /* else all have colour 0 */
    *split = (tlk_split){.colour = {.first = c->manifolds ? c->pair.data : NULL,
                                    .a = c->a.data,
                                    .b = c->b.data,
                                    .shape_body = w->shape_body.data,
                                    .feature = c->manifolds ? c->feature.data : NULL,
                                    .shape_info = w->shape_info.data,
                                    .id = w->id.data,
                                    .joined = mixes(w) ? w->mechanism.joined.data : NULL,
                                    .dynamic = w->dynamic,
                                    .moving = w->dynamic,
                                    .colour = coloured ? c->colour.data : NULL},
                         .pairs = c->pairs};
    TL_TRY(tl_arena_clear(b, &w->arena, room_for_rows(w, c->count)));
    TL_TRY(tl_buffer_need(b, &p->key, (size_t)c->pairs * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->place, (size_t)c->pairs * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->segment, SEGMENT_WORDS * sizeof(uint32_t)));
    TL_TRY(tl_step_note_moving(w, c, &moving));
    args->key = p->key.data;
    if (counted)
        TL_TRY(count_copies(w, c, split));
    *mark = w->arena.at + (b->flow && coloured ? args->moving * sizeof(uint64_t) : 0);
    if (coloured)
        TL_TRY(colour(w, c, args));
    else
        tl_run(b, TLK_row_key, c->pairs, args);
    return b->ops->rank(b, args->key, c->pairs, p->place.data, starts, moving, &p->moving);
}

/* Whether a body may have more pairs than go without copies: no two of them have the same colour.
 */
static bool may_crowd(const tl_world *w, const uint32_t *starts)
{
    return w->settings.solver.kind == TL_PSOR && starts[TLK_RANK_KEYS] > starts[4 * TLK_CROWDED];
}

tl_status tl_step_order(tl_world *w, tl_contacts *c, tl_problem *problem, uint32_t *colours)
{
    tl_backend *b = w->backend;
    uint32_t starts[TLK_RANK_KEYS + 1], segments[SEGMENT_WORDS] = {0};
    const bool coloured = w->settings.solver.kind == TL_PSOR;
    size_t mark;
    *colours = 0;
    problem->view.item_rows = c->manifolds ? TLK_POINTS_MOST : 1;
    problem->alone = w->mechanism.count && !mixes(w);
    TL_TRY(place_pairs(w, c, coloured && w->crowded, &problem->split, starts, &mark));
    if (!w->crowded && may_crowd(w, starts)) {
        c->impulses = false;
        TL_TRY(tl_step_match(w, c)); /* the colours that they had */
        TL_TRY(place_pairs(w, c, true, &problem->split, starts, &mark));
    }
    w->crowded = problem->split.copies > 0;
    if (!c->count)
        return TL_OK;
    const uint32_t used = lay_out(problem, starts, segments, segments + ITEM);
    if (w->mechanism.count && coloured)
        lay_joined(problem, starts, segments);
    *colours = coloured ? used : 0;
    if (!coloured)
        memset(problem->view.colours, 0, sizeof problem->view.colours);
    b->ops->upload(b, w->problem.segment.data, segments, sizeof segments);
    tl_arena_release(b, &w->arena, mark);
    return TL_OK;
}

/* Whether rows will wait for each other: none of them is in the serial colour. */
static bool flows(const tl_backend *b, const tlk_problem *view)
{
    const uint64_t colours = view->colours[0] | view->colours[1];
    return b->flow && colours && !(colours >> (TLK_COLOURS - 1));
}

/* Whether the problem has the inertias of bodies: rows with anchors need them, and interior does
 * where there are joints, which turn bodies of any shape. */
static bool needs_inertias(const tl_world *w, const tlk_problem *view)
{
    return view->anchor_base < view->rows ||
           (w->mechanism.count && w->settings.solver.kind == TL_INTERIOR);
}

static tl_status row_buffers(tl_world *w, const tl_problem *problem)
{
    tl_backend *b = w->backend;
    tl_rows *p = &w->problem;
    const size_t rows = problem->view.rows, real = b->real, central = problem->view.anchor_base;
    TL_TRY(tl_buffer_need(b, &p->a, rows * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->b, rows * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->gap, rows * real));
    TL_TRY(tl_buffer_need(b, &p->head, TLK_HEAD * rows * real));
    TL_TRY(tl_buffer_need(b, &p->anchors, TLK_ANCHORS * (rows - central) * real));
    TL_TRY(tl_buffer_need(b, &p->inverse,
                          needs_inertias(w, &problem->view) ? 8 * (size_t)w->rows * real : 0));
    TL_TRY(tl_buffer_need(b, &p->wall, w->turning ? 3 * central * real : 0));
    TL_TRY(tl_buffer_need(b, &p->bias, rows * real));
    TL_TRY(tl_buffer_need(b, &p->gamma, 3 * rows * real));
    TL_TRY(tl_buffer_need(b, &p->position_bias, rows * real));
    TL_TRY(tl_buffer_need(b, &p->material, w->materials_matter ? TLK_MATERIAL * rows * real : 0));
    TL_TRY(tl_buffer_need(b, &p->moment, w->rolls ? 3 * rows * real : 0));
    if (flows(b, &problem->view)) {
        TL_TRY(tl_buffer_need(b, &p->turns, problem->view.items * sizeof(uint16_t)));
        TL_TRY(tl_buffer_need(b, &p->mass, 4 * problem->view.items * real));
    }
    TL_TRY(tl_buffer_need(b, &p->joined, problem->joined_packets * sizeof(uint32_t)));
    if (tl_step_bounces(w)) {
        TL_TRY(tl_buffer_need(b, &p->restitution, rows * real));
        TL_TRY(tl_buffer_need(b, &p->impact, 3 * rows * real));
    }
    return tl_buffer_need(b, &p->position_gamma, 3 * rows * real);
}

/* What sweeps over copies of crowded bodies need. */
static tl_status split_rows(tl_world *w, tl_problem *problem, const tlk_build *build)
{
    tl_backend *b = w->backend;
    tl_rows *p = &w->problem;
    tlk_split *split = &problem->split;
    const size_t words = problem->view.rows * sizeof(uint32_t);
    const size_t blocks = 8 * ((size_t)w->rows + split->copies) * b->real;
    if (!split->copies)
        return TL_OK;
    TL_TRY(tl_buffer_need(b, &p->split_a, words));
    TL_TRY(tl_buffer_need(b, &p->split_b, words));
    TL_TRY(tl_buffer_need(b, &p->split_vel, blocks));
    TL_TRY(tl_buffer_need(b, &p->split_turn, build->inverse ? blocks : 0));
    split->build = *build;
    split->a = p->split_a.data;
    split->b = p->split_b.data;
    split->vel = p->split_vel.data;
    split->inverse = build->inverse ? p->split_turn.data : NULL;
    return TL_OK;
}

/* Up to which gap contacts that carry load are held closed: where the law opens no gaps by itself
 * and there is a position problem to close them, whose impulses count from the load. */
static double resting_gap(const tl_world *w)
{
    const bool holds = w->settings.overlap == TL_OVERLAP_SPLIT &&
                       tl_solver_law(&w->settings.solver) == TL_LAW_COULOMB;
    return holds ? RESTING * w->envelope : -INFINITY;
}

tl_status tl_step_rows(tl_world *w, const tl_contacts *c, tl_problem *problem, tlk_build *build)
{
    tl_backend *b = w->backend;
    const tl_settings *s = &w->settings;
    tl_rows *p = &w->problem;
    TL_TRY(row_buffers(w, problem));
    *build = (tlk_build){.bodies = tl_world_bodies_view(w),
                         .shapes = tl_world_shapes_view(w),
                         .contact_a = c->a.data,
                         .contact_b = c->b.data,
                         .contact_n = c->n.data,
                         .contact_gamma = c->gamma.data,
                         .contact_place = c->manifolds ? c->place.data : NULL,
                         .first = c->manifolds ? c->pair.data : NULL,
                         .item_rows = problem->view.item_rows,
                         .key = p->key.data,
                         .place = p->place.data,
                         .segment_start = p->segment.data,
                         .segment_item = (uint32_t *)p->segment.data + ITEM,
                         .pair = w->pair_table.data,
                         .materials = w->materials,
                         .warm = s->solver.warm_start,
                         .anchor_base = problem->view.anchor_base,
                         .planar = s->planar == TL_PLANAR_XZ,
                         .recovery = {s->step, s->recovery_fraction, s->recovery_speed,
                                      tl_step_gained(w) / s->step, s->overlap == TL_OVERLAP_SPLIT},
                         .restitution_speed = s->restitution_speed,
                         .rest = resting_gap(w),
                         .sticks = RESTING * w->envelope,
                         .slide = w->sliding ? w->slide_table.data : NULL,
                         .free = w->free.data,
                         .a = p->a.data,
                         .b = p->b.data,
                         .gap = p->gap.data,
                         .head = p->head.data,
                         .anchors = p->anchors.data,
                         .bias = p->bias.data,
                         .gamma = p->gamma.data,
                         .position_bias = p->position_bias.data,
                         .vel = w->work.data,
                         .position_gamma = p->position_gamma.data,
                         .contact_gamma_out = c->gamma.data};
    if (flows(b, &problem->view)) {
        build->used = p->bidding.data;
        build->turns = p->turns.data;
        build->mass = p->mass.data;
    }
    if (tl_step_bounces(w))
        build->restitution = p->restitution.data;
    tlk_problem *view = &problem->view;
    if (needs_inertias(w, view))
        build->inverse = p->inverse.data;
    if (w->turning)
        build->wall = p->wall.data;
    if (w->materials_matter)
        build->material = p->material.data;
    if (w->rolls) {
        build->moment = p->moment.data;
        build->contact_moment = build->contact_moment_out = c->moment.data;
    }
    if (build->inverse)
        tl_run(b, TLK_body_inverse, w->rows, build);
    const uint32_t *table = p->segment.data;
    const tlk_joined_rows joined = {table + JOINED_BEGIN, table + JOINED_FIRST, TL_SEGMENTS,
                                    p->joined.data};
    tl_run(b, TLK_joined_packet, problem->joined_packets, &joined);
    problem->joined = joined.packet;
    tl_run(b, TLK_build_row, c->pairs, build);
    tl_run(b, TLK_anchor_steps, view->rows - view->anchor_base, build);
    view->blocks = w->rows;
    view->moving = w->dynamic;
    view->a = build->a;
    view->b = build->b;
    view->head = build->head;
    view->anchors = build->anchors;
    view->inverse = build->inverse;
    view->wall = build->wall;
    view->material = build->material;
    view->moment = build->moment;
    view->bias = build->bias;
    view->gamma = build->gamma;
    view->free = w->free.data;
    view->vel = w->work.data;
    view->turns = build->turns;
    view->mass = build->mass;
    return split_rows(w, problem, build);
}
