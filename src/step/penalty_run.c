/* Substeps of penalty contact: the launches of each integrator, and collisions by impulses. */
#include "step/penalty.h"

tl_integrator tl_penalty_integrator(const tl_world *w)
{
    const tl_penalty_def *def = &w->settings.penalty;
    if (def->integrator != TL_INTEGRATOR_DEFAULT)
        return def->integrator;
    return def->law == TL_PENALTY_SCALED ? TL_INTEGRATOR_RK4 : TL_INTEGRATOR_VERLET;
}

/* Launches of one evaluation and what moves bodies by it. */
typedef struct substep {
    tlk_penalty args;
    tl_launch launch[6];
    size_t count;
} substep;

static void make_substep(const tl_world *w, const tlk_penalty *view, double advance, double weight,
                         bool commits, tlk_advance_kind moves, substep *out)
{
    out->args = *view;
    out->args.advance = advance;
    out->args.weight = weight;
    out->args.commits = commits;
    out->args.moves = moves;
    const tl_launch all[6] = {{TLK_penalty_rod, 0, view->rods, false, &out->args},
                              {TLK_penalty_place, 0, w->shape_rows, false, &out->args},
                              {TLK_penalty_force, 0, view->pairs, false, &out->args},
                              {TLK_penalty_spring, 0, view->springs, false, &out->args},
                              {TLK_penalty_spread, 0, view->rods, false, &out->args},
                              {TLK_penalty_move, 0, w->rows, false, &out->args}};
    out->count = 0;
    for (size_t i = 0; i < 6; i++)
        if (all[i].end && !(all[i].kernel == TLK_penalty_move && moves == TLK_MOVE_NOT))
            out->launch[out->count++] = all[i];
}

static void run_substeps(tl_world *w, const substep *s, uint32_t count)
{
    if (count && s->count)
        w->backend->ops->run(w->backend, s->launch, s->count, count);
}

void tl_penalty_evaluate(tl_world *w, const tlk_penalty *v)
{
    substep one;
    make_substep(w, v, 0, 0, false, TLK_MOVE_NOT, &one);
    run_substeps(w, &one, 1);
}

static void run_verlet(tl_world *w, const tlk_penalty *v, uint32_t count)
{
    substep one;
    make_substep(w, v, 0, 0.5 * v->h, false, TLK_MOVE_FIRST, &one);
    run_substeps(w, &one, 1);
    tl_penalty_keep_lengths(w, v);
    make_substep(w, v, v->h, v->h, true, TLK_MOVE_NEXT, &one);
    run_substeps(w, &one, count - 1);
    make_substep(w, v, v->h, 0.5 * v->h, true, TLK_MOVE_LAST, &one);
    run_substeps(w, &one, 1);
    tl_penalty_steady_lengths(w, v, false);
}

/* Collisions, colour by colour: shapes are where their bodies are before each. */
void tl_penalty_collisions(tl_world *w, const tlk_penalty *v)
{
    const tl_penalty *p = w->penalty;
    for (uint32_t c = 0; c < TLK_COLOURS; c++) {
        if (v->rods && p->colours[c + 1] > p->colours[c])
            tl_run(w->backend, TLK_penalty_rod, v->rods, v);
        const tl_launch both[2] = {
            {TLK_penalty_place, 0, w->shape_rows, false, v},
            {TLK_penalty_collide, p->colours[c], p->colours[c + 1], c == TLK_COLOURS - 1, v}};
        if (p->colours[c + 1] > p->colours[c])
            w->backend->ops->run(w->backend, both, 2, 1);
    }
}

/* The four stages of a substep; the first begins it, which its share says by its sign. */
static void run_stages(tl_world *w, const tlk_penalty *v, uint32_t count)
{
    static const double share[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, at[4] = {0, 0.5, 0.5, 1};
    substep stage[4];
    tl_launch all[24];
    size_t launches = 0;
    for (int k = 0; k < 4; k++) {
        make_substep(w, v, at[k] * v->h, share[k] * v->h, k == 3,
                     k == 3 ? TLK_MOVE_FOURTH : TLK_MOVE_STAGE, &stage[k]);
        stage[k].args.stage = k < 3 ? at[k + 1] : 1;
        stage[k].args.share = k ? share[k] : -share[k];
        for (size_t i = 0; i < stage[k].count; i++)
            all[launches++] = stage[k].launch[i];
    }
    if (launches)
        w->backend->ops->run(w->backend, all, launches, count);
}

void tl_penalty_run(tl_world *w, const tlk_penalty *v, uint32_t count)
{
    const tl_integrator integrator = tl_penalty_integrator(w);
    substep one;
    /* collisions come before each substep, and lengths are kept after it */
    if (count > 1 && (w->penalty->colours[TLK_COLOURS] || w->penalty->kept[TLK_COLOURS])) {
        for (uint32_t k = 0; k < count; k++)
            tl_penalty_run(w, v, 1);
        return;
    }
    if (!w->penalty->phased)
        tl_penalty_collisions(w, v);
    tl_penalty_steady_lengths(w, v, true);
    if (integrator == TL_INTEGRATOR_VERLET) {
        run_verlet(w, v, count);
        return;
    }
    if (integrator == TL_INTEGRATOR_RK4) {
        run_stages(w, v, count);
    } else {
        make_substep(w, v, v->h, v->h, true,
                     integrator == TL_INTEGRATOR_EULER ? TLK_MOVE_EULER : TLK_MOVE_SEMI, &one);
        run_substeps(w, &one, count);
    }
    tl_penalty_keep_lengths(w, v);
    tl_penalty_steady_lengths(w, v, false);
    tl_penalty_evaluate(w, v); /* forces at the end */
}
