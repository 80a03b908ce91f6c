/* The coarse level of deep heaps, between the sweeps of psor (docs/theory.md, "Deep heaps"): which
 * kernels of kernels/coarse.h run, one after the other. The host waits for none of them. */
#include "solve/problem.h"

#define LEAST_STEPS 8u /* of conjugate gradients; else as many as the lattice is long */
#define MOST_STEPS  40u

void tl_coarse_free(tl_backend *backend, tl_coarse_room *room)
{
    tl_buffer *all[] = {&room->moment, &room->key,    &room->value,     &room->range, &room->part,
                        &room->cell,   &room->node,   &room->record,    &room->dots,  &room->slope,
                        &room->curve,  &room->change, &room->change_vel};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_buffer_free(backend, all[i]);
}

static tl_status make_room(tl_backend *b, tl_coarse_room *room, const tlk_coarse *q, size_t blocks)
{
    const size_t real = b->real, rows = q->problem.rows, words = q->bodies * sizeof(uint32_t);
    const size_t entries = (size_t)q->cell_count * TLK_COARSE_ENTRIES * sizeof(double);
    const size_t fields = (size_t)q->node_count * TLK_COARSE_FIELDS * sizeof(double);
    TL_TRY(tl_buffer_need(b, &room->moment, blocks * TLK_COARSE_MOMENTS * real));
    TL_TRY(tl_buffer_need(b, &room->key, words));
    TL_TRY(tl_buffer_need(b, &room->value, words));
    TL_TRY(tl_buffer_need(b, &room->part, entries * TLK_COARSE_PARTS));
    TL_TRY(tl_buffer_need(b, &room->cell, entries));
    TL_TRY(tl_buffer_need(b, &room->node, fields));
    TL_TRY(tl_buffer_need(b, &room->record, TLK_COARSE_RECORD * sizeof(double)));
    TL_TRY(tl_buffer_need(b, &room->dots, 2 * TLK_COARSE_LANES * sizeof(double)));
    TL_TRY(tl_buffer_need(b, &room->slope, tl_fold_room(q->problem.rows)));
    TL_TRY(tl_buffer_need(b, &room->curve, /* of rows or bodies */
                          tl_fold_room(q->bodies > q->problem.rows ? q->bodies : q->problem.rows)));
    TL_TRY(tl_buffer_need(b, &room->change, 3 * rows * real));
    return tl_buffer_need(b, &room->change_vel, 8 * (size_t)q->problem.blocks * real);
}

static uint32_t cg_steps(const tl_coarse_lattice *l)
{
    uint32_t steps = LEAST_STEPS;
    for (int k = 0; k < 3; k++)
        steps = l->cells[k] > steps ? l->cells[k] : steps;
    return steps < MOST_STEPS ? steps : MOST_STEPS;
}

static tl_status view_of(tl_backend *b, tl_coarse_room *room, const tl_problem *problem,
                         tlk_coarse *q)
{
    const tl_coarse_lattice *l = &problem->lattice;
    *q = (tlk_coarse){.problem = problem->view,
                      .pos = l->pos,
                      .bodies = problem->view.moving,
                      .spacing = l->spacing,
                      .cell_count = 1,
                      .node_count = 1,
                      .steps = cg_steps(l),
                      .slow = l->slow};
    for (int k = 0; k < 3; k++) {
        q->origin[k] = l->origin[k];
        q->cells[k] = l->cells[k];
        q->cell_count *= l->cells[k];
        q->node_count *= l->cells[k] + 1;
    }
    q->copy = problem->split.copies ? problem->split.colour.copy : NULL;
    TL_TRY(make_room(b, room, q, (size_t)q->bodies + problem->split.copies));
    q->moment = room->moment.data;
    q->key = room->key.data;
    q->value = room->value.data;
    q->part = room->part.data;
    q->cell = room->cell.data;
    q->node = room->node.data;
    q->record = room->record.data;
    q->dots = room->dots.data;
    q->slope = room->slope.data;
    q->curve = room->curve.data;
    q->change = room->change.data;
    q->change_vel = room->change_vel.data;
    return TL_OK;
}

/* Matrices and vectors of all cells. */
static tl_status assemble(tl_backend *b, tl_coarse_room *room, const tl_problem *problem,
                          const tlk_problem *swept, tlk_coarse *q)
{
    tlk_coarse moments = *q;
    tl_launch list[TL_SEGMENTS];
    uint32_t bits = 1;
    moments.problem = *swept;
    b->ops->fill(b, q->moment, 0,
                 ((size_t)q->bodies + problem->split.copies) * TLK_COARSE_MOMENTS * b->real);
    for (uint32_t i = 0; i < problem->segment_count; i++)
        list[i] = (tl_launch){TLK_coarse_moments, problem->segments[i].begin,
                              problem->segments[i].end, false, &moments};
    b->ops->run(b, list, problem->segment_count, 1);
    tl_run(b, TLK_coarse_key, q->bodies, q);
    while (q->cell_count >> bits)
        bits++;
    TL_TRY(b->ops->sort(b, q->key, q->value, q->bodies, bits));
    TL_TRY(tl_ranges(b, q->key, q->bodies, q->cell_count, &room->range));
    q->begin = room->range.data;
    q->end = q->begin + q->cell_count;
    tl_run(b, TLK_coarse_part, q->cell_count * TLK_COARSE_PARTS, q);
    tl_run(b, TLK_coarse_cell, q->cell_count * TLK_COARSE_ENTRIES, q);
    return TL_OK;
}

tl_status tl_coarse_correct(tl_backend *b, tl_workspace *w, const tl_problem *problem,
                            const tlk_problem *swept)
{
    tlk_coarse q;
    tl_problem changed = *problem;
    TL_TRY(view_of(b, &w->coarse, problem, &q));
    TL_TRY(assemble(b, &w->coarse, problem, swept, &q));
    const uint32_t rows = q.problem.rows;
    const tl_folding slope = {TLK_FOLD_coarse_rows, rows, &q, w->coarse.slope.data};
    const bool alike = !q.problem.inverse; /* bodies are balls, to their contacts */
    const tl_folding curve = {alike ? TLK_FOLD_coarse_energy : TLK_FOLD_coarse_curve,
                              alike ? q.bodies : rows, &q, w->coarse.curve.data};
    const tl_launch solve[] = {{TLK_coarse_begin, 0, q.node_count, false, &q},
                               {TLK_coarse_solve, 0, 1, true, &q}};
    const tl_launch change[] = {{TLK_FOLD, 0, rows, false, &slope},
                                {TLK_coarse_still, 0, q.problem.blocks, false, &q}};
    const tl_launch apply[] = {{TLK_FOLD, 0, curve.count, false, &curve},
                               {TLK_coarse_scale, 0, rows, false, &q},
                               {TLK_coarse_move, 0, q.problem.moving, false, &q}};
    b->ops->run(b, solve, 2, 1);
    b->ops->run(b, change, 2, 1);
    changed.view.gamma = q.change;
    tl_psor_guess(b, &changed, false, q.change_vel);
    b->ops->run(b, apply, 3, 1);
    w->coarse.nodes = q.node_count;
    return TL_OK;
}

tl_status tl_coarse_tell(tl_backend *b, tl_workspace *w, tl_coarse_told *told)
{
    double record[TLK_COARSE_RECORD];
    *told = (tl_coarse_told){.nodes = w->coarse.nodes};
    if (!told->nodes)
        return TL_OK;
    w->coarse.nodes = 0;
    TL_TRY(b->ops->download(b, record, w->coarse.record.data, sizeof record));
    told->steps = (uint32_t)record[0];
    told->part = record[5];
    told->change = record[6];
    return TL_OK;
}
