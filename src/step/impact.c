/* The impacts of a step (docs/theory.md, "Impacts"): pairs that are about to be hit collide one
 * after the other, the earliest first, in rounds of pairs that share no body. Called by dvi.c
 * between the rows and the velocity problem. */
#include "step/step.h"

enum {
    MOST_ROUNDS = 4000, /* what is left then is stopped by the velocity problem, without a bounce */
    WINDOW = 250,       /* rounds that a bid can tell apart */
    BATCH = 25          /* rounds between looks, at the most; a window is a multiple */
};

/* Cuts what the rounds work with from one piece. */
static tl_status rounds_room(tl_world *w, const tl_problem *problem, tlk_impact *m)
{
    const size_t rows = problem->view.rows, bodies = w->dynamic;
    const size_t spinning =
        m->inverse ? bodies : 0; /* without anchor rows none needs an attitude */
    const size_t bytes = 4 * spinning * sizeof(double) + (rows + bodies) * sizeof(uint64_t) +
                         (rows + bodies) * sizeof(uint32_t) + bodies * sizeof(float);
    TL_TRY(tl_buffer_need(w->backend, &w->problem.rounds, bytes));
    m->spun = w->problem.rounds.data;
    m->offer = (uint64_t *)(m->spun + 4 * spinning);
    m->bid = m->offer + rows;
    m->changed = (uint32_t *)(m->bid + bodies);
    m->count = m->changed + bodies;
    m->clock = (float *)(m->count + rows);
    w->backend->ops->fill(w->backend, m->spun, 0, bytes);
    w->backend->ops->fill(w->backend, m->impulse, 0, 3 * rows * w->backend->real);
    return TL_OK;
}

/* Collisions of round `from` to the one before `to`, each followed by the bids of the next. */
static void run_rounds(tl_world *w, const tlk_impact *m, uint32_t from, uint32_t to)
{
    tlk_impact args[BATCH + 1];
    tl_launch list[2 * BATCH];
    const uint32_t rows = m->problem.rows;
    size_t count = 0;
    for (uint32_t i = 0; i <= to - from; i++) {
        args[i] = *m;
        args[i].round = from + i;
        if (i)
            list[count++] = (tl_launch){TLK_impact_bid, 0, rows, false, &args[i]};
        if (i < to - from)
            list[count++] = (tl_launch){TLK_impact_act, 0, rows, false, &args[i]};
    }
    w->backend->ops->run(w->backend, list, count, 1);
}

/* Forgets which round it is, so that bids can be told apart anew. */
static void new_window(tl_world *w, tlk_impact *m)
{
    const size_t bodies = w->dynamic;
    w->backend->ops->fill(w->backend, m->bid, 0, bodies * sizeof(uint64_t));
    w->backend->ops->fill(w->backend, m->changed, 0, bodies * sizeof(uint32_t));
    m->round = 0;
    tl_run(w->backend, TLK_impact_bid, m->problem.rows, m);
}

tl_status tl_step_impacts(tl_world *w, tl_problem *problem, tlk_build *build, tlk_impact *impact,
                          tl_report *r)
{
    tlk_impact m = {.problem = problem->view,
                    .gap = build->gap,
                    .restitution = build->restitution,
                    .before = build->bodies.vel,
                    .free = build->free,
                    .pseudo = w->pseudo.data,
                    .recovery = build->recovery,
                    .h = w->settings.step,
                    .slow = w->settings.restitution_speed,
                    .ahead = w->settings.stepper == TL_STEPPER_SMOOTH ? 1 : 0.5,
                    .impulse = w->problem.impact.data,
                    .bias = build->bias,
                    .bodies = build->bodies,
                    .head = build->head,
                    .anchors = build->anchors,
                    .inverse = build->inverse};
    double numbers[TLK_FOLD_NUMBERS];
    const uint32_t rows = m.problem.rows;
    if (!rows)
        return TL_OK;
    m.problem.omega = 1;
    TL_TRY(rounds_room(w, problem, &m));
    tl_run(w->backend, TLK_impact_bid, rows, &m);
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_impact_left, rows, &m, numbers));
    for (uint32_t batch = 1; numbers[0] > 0 && r->impact_rounds < MOST_ROUNDS;) {
        const uint32_t from = r->impact_rounds % WINDOW, left = WINDOW - from;
        const uint32_t some = batch < left ? batch : left;
        run_rounds(w, &m, from, from + some);
        r->impact_rounds += some;
        if (some == left)
            new_window(w, &m);
        TL_TRY(tl_fold_one(w->backend, TLK_FOLD_impact_left, rows, &m, numbers));
        batch = 2 * batch < BATCH ? 2 * batch : BATCH;
    }
    r->impacts = (uint32_t)numbers[1];
    tl_run(w->backend, TLK_impact_end, rows, &m);
    if (!r->impacts)
        return TL_OK;
    const size_t bytes = 8 * (size_t)w->rows * w->backend->real;
    TL_TRY(tl_buffer_need(w->backend, &w->struck, bytes));
    w->backend->ops->copy(w->backend, w->struck.data, m.problem.vel, bytes);
    problem->view.free = w->struck.data;
    build->impact = m.impulse;
    m.struck = w->struck.data;
    *impact = m;
    return TL_OK;
}
