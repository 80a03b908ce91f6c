/* Substeps of penalty contact: the launches of each integrator, and collisions by impulses. */
#include "step/penalty.h"

#include <string.h>

tl_integrator tl_penalty_integrator(const tl_world *w)
{
    const tl_penalty_def *def = &w->settings.penalty;
    if (def->integrator != TL_INTEGRATOR_DEFAULT)
        return def->integrator;
    return def->law == TL_PENALTY_SCALED ? TL_INTEGRATOR_RK4 : TL_INTEGRATOR_VERLET;
}

/* --- in one pass over bodies (kernels/penalty/whole.h) ---------------------------------------- */

/* A pass: shapes that do not move with the pass, where pairs meet what is not dynamic, and in the
 * first of some passes which pairs are near, come before it; bodies that are not dynamic after.
 * Places and velocities are read on side `state` and written to the other, what contacts keep
 * likewise. */
typedef struct pass {
    tlk_penalty args, place;
    tl_launch launch[6];
    size_t count;
} pass;

static void make_pass(const tl_world *w, const tlk_penalty *v, double advance, double weight,
                      tlk_advance_kind moves, uint32_t side, bool looks, pass *out)
{
    const tl_penalty *p = w->penalty;
    tlk_penalty *a = &out->args;
    double *const place[2] = {v->central ? v->shapes.centre : v->bodies.pos, p->place2.data};
    void *const pace[2] = {p->pace.data, p->pace2.data};
    void *const past[2] = {p->past.data, p->past2.data};
    const bool commits = moves == TLK_MOVE_NEXT || moves == TLK_MOVE_LAST;
    const uint32_t history = commits ? !side : 0; /* the first pass commits none */
    *a = *v;
    a->advance = advance, a->weight = weight, a->commits = commits, a->moves = moves;
    a->from = place[side], a->to = place[!side];
    a->pace = pace[side], a->to_pace = pace[!side];
    a->past = past[history], a->to_past = past[!history];
    out->place = *a;
    if (v->central) {
        a->shapes.centre = out->place.shapes.centre = place[side];
        out->place.from = NULL; /* all balls only before anything has moved */
    }
    /* what is not dynamic is where it was, if it stands, since the first pass */
    const uint32_t from = v->central && commits ? w->shape_dynamic : 0;
    const uint32_t to = v->stands && commits ? w->shape_dynamic : w->shape_rows;
    const uint32_t groups = (w->dynamic + TLK_TOGETHER - 1) / TLK_TOGETHER;
    const tl_launch all[6] = {
        {TLK_penalty_place, from, to, false, &out->place},
        {TLK_penalty_wall, p->still[0], p->still[1], false, a},
        {TLK_penalty_look, 0, looks ? v->pairs : 0, false, a},
        {TLK_penalty_choose, 0, looks ? groups : 0, false, a},
        {TLK_penalty_whole, 0, w->dynamic, false, a},
        {TLK_penalty_move, v->stands ? w->rows : w->dynamic, w->rows, false, a}};
    out->count = 0;
    for (size_t i = 0; i < 6; i++)
        if (all[i].end > all[i].begin && !(i == 5 && moves == TLK_MOVE_NOT))
            out->launch[out->count++] = all[i];
}

static void run_pass(tl_world *w, const pass *one)
{
    if (one->count)
        w->backend->ops->run(w->backend, one->launch, one->count, 1);
}

static void exchange(tl_buffer *a, tl_buffer *b)
{
    const tl_buffer other = *a;
    *a = *b;
    *b = other;
}

/* What is the same on both sides: what is not dynamic. */
static void copy_rest(tl_world *w, const tlk_penalty *v)
{
    tl_backend *b = w->backend;
    const tl_penalty *p = w->penalty;
    const size_t pace = 8 * (size_t)w->dynamic * b->real, place = 4 * (size_t)w->shape_dynamic;
    b->ops->copy(b, (char *)p->pace2.data + pace, (char *)p->pace.data + pace,
                 8 * (size_t)(w->rows - w->dynamic) * b->real);
    if (v->central)
        b->ops->copy(b, (double *)p->place2.data + place, v->shapes.centre + place,
                     4 * (size_t)(w->shape_rows - w->shape_dynamic) * sizeof(double));
}

/* Verlet's method. Afterwards bodies are where they were, and shapes, too. */
static void run_whole(tl_world *w, tlk_penalty *v, uint32_t count)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    const double h = v->h;
    const uint32_t last = (count - 1) % 2;
    copy_rest(w, v);
    for (uint32_t k = 0; k <= count; k++) {
        const tlk_advance_kind moves = k == 0      ? TLK_MOVE_FIRST
                                       : k < count ? TLK_MOVE_NEXT
                                                   : TLK_MOVE_LAST;
        const bool looks = k % p->passes == 0;
        pass one;
        v->looks = k == 0;
        v->ends = count - k < p->passes;
        make_pass(w, v, k ? h : 0, k && k < count ? h : 0.5 * h, moves, k % 2, looks, &one);
        run_pass(w, &one);
    }
    if (!last && !v->central)
        b->ops->copy(b, v->bodies.pos, p->place2.data, 4 * (size_t)w->dynamic * sizeof(double));
    if (last)
        exchange(&p->pace, &p->pace2);
    if (!last)
        exchange(&p->past, &p->past2);
    v->pace = v->to_pace = p->pace.data, v->past = p->past.data;
    tlk_penalty placed = *v;
    placed.commits = 0;
    tl_run(b, TLK_penalty_place, w->shape_rows, &placed);
}

/* --- pair by pair, then body by body --------------------------------------------------------- */

/* Launches of one evaluation and what moves bodies by it. */
typedef struct substep {
    tlk_penalty args, place;
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
    out->place = out->args;
    /* bodies move where they are; balls about their centres are where their shapes are */
    out->args.from = out->args.to = view->central ? view->shapes.centre : view->bodies.pos;
    const bool near = view->nears && moves != TLK_MOVE_NOT;
    const uint32_t still = view->stands ? w->shape_rows : w->shape_dynamic;
    const uint32_t from = near || (view->central && commits) ? still : 0;
    if (near) {
        out->args.at = w->penalty->near_row.data;
        out->args.list_end = view->near_end;
    }
    const uint32_t kernel = near ? TLK_penalty_meet : TLK_penalty_force;
    const uint32_t pairs = near ? w->penalty->looked_at : view->pairs;
    const tl_launch all[6] = {{TLK_penalty_rod, 0, view->rods, false, &out->args},
                              {TLK_penalty_place, from, w->shape_rows, false, &out->place},
                              {kernel, 0, pairs, false, &out->args},
                              {TLK_penalty_spring, 0, view->springs, false, &out->args},
                              {TLK_penalty_spread, 0, view->rods, false, &out->args},
                              {TLK_penalty_move, 0, w->rows, false, &out->args}};
    out->count = 0;
    for (size_t i = 0; i < 6; i++)
        if (all[i].end > all[i].begin &&
            !(all[i].kernel == TLK_penalty_move && moves == TLK_MOVE_NOT))
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
    pass whole;
    if (w->penalty->whole) {
        tlk_penalty now = *v;
        now.skin = now.fastest = 0;
        now.looks = now.ends = 1;
        make_pass(w, &now, 0, 0, TLK_MOVE_NOT, 0, true, &whole);
        run_pass(w, &whole);
        return;
    }
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

void tl_penalty_run(tl_world *w, tlk_penalty *v, uint32_t count)
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
    if (w->penalty->whole) {
        run_whole(w, v, count);
        return;
    }
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
