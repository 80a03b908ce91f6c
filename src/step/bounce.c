/* No energy from the velocity problem (docs/theory.md, "Impacts"). Newton's law for several
 * contacts that friction or a common body couples may ask for more energy than there is; and a
 * problem that is not solved to the end may keep too much of what the last step's impulses, its
 * start, put in. Bodies that impulses connect are a group; where one has gained, its impulses are
 * lessened until it has not. Called by dvi.c before and after the velocity problem. */
#include "base/sets.h"
#include "step/step.h"

#define ROUNDING_DOUBLE 1e-13 /* of the energy that went into impulses: gains that are none */
#define ROUNDING_MIXED  1e-7
#define BLOW            10 /* times what gravity adds to all bodies in a step: no weight is carried so */

/* What a group's impulses did, as tlk_bounce.work. */
typedef struct group {
    double sum[TLK_BOUNCE];
    bool held; /* by a wall */
} group;

/* What the host works with. */
typedef struct grouping {
    tl_array a, b, parent; /* uint32_t: bodies of rows; of a body, one of its group, or itself */
    tl_array work;         /* double, TLK_BOUNCE per row */
    tl_array groups;       /* group, by the body that has no other parent */
    tl_array part;         /* double, per body */
} grouping;

/* Where impacts are part of the velocity problem. */
static bool together(const tl_world *w)
{
    return w->bounces && !tl_step_bounces(w);
}

/* Where bodies move so fast that impulses of the last step may be those of blows: faster than
 * forces make them within a step. Joints have impulses of their own, which are not weighed without
 * need. */
static bool moves(const tl_world *w)
{
    return !w->mechanism.count && tl_world_speed(w) > tl_step_gained(w);
}

tl_status tl_step_bounce_begin(tl_world *w, const tl_problem *problem, tlk_bounce *bounce)
{
    tl_backend *b = w->backend;
    const tl_mechanism *m = &w->mechanism;
    const size_t doubles = TLK_BOUNCE * (size_t)problem->view.rows + w->dynamic + m->rows;
    const size_t bytes = 8 * (size_t)w->rows * b->real;
    *bounce = (tlk_bounce){.work = NULL};
    if (!problem->view.rows || !(together(w) || moves(w) || tl_step_joined(w)))
        return TL_OK;
    TL_TRY(tl_buffer_need(b, &w->problem.weighed, doubles * sizeof(double)));
    bounce->work = w->problem.weighed.data;
    bounce->part = bounce->work + TLK_BOUNCE * (size_t)problem->view.rows;
    bounce->before = problem->view.free;
    if (!m->count)
        return TL_OK;
    /* joints have changed velocities already */
    TL_TRY(tl_buffer_need(b, &w->struck, bytes));
    b->ops->copy(b, w->struck.data, problem->view.vel, bytes);
    b->ops->copy(b, (void *)(bounce->part + w->dynamic), m->lambda.data, m->rows * sizeof(double));
    bounce->before = w->struck.data;
    return TL_OK;
}

/* Room, and what rows did. */
static tl_status read_work(tl_world *w, const tlk_bounce *bounce, grouping *g)
{
    tl_backend *b = w->backend;
    const tlk_problem *p = &bounce->problem;
    const size_t words = p->rows * sizeof(uint32_t);
    *g = (grouping){.a = {.item = sizeof(uint32_t)},
                    .b = {.item = sizeof(uint32_t)},
                    .parent = {.item = sizeof(uint32_t)},
                    .work = {.item = TLK_BOUNCE * sizeof(double)},
                    .groups = {.item = sizeof(group)},
                    .part = {.item = sizeof(double)}};
    TL_TRY(tl_array_resize(&g->a, p->rows));
    TL_TRY(tl_array_resize(&g->b, p->rows));
    TL_TRY(tl_array_resize(&g->work, p->rows));
    TL_TRY(tl_array_resize(&g->parent, w->dynamic));
    TL_TRY(tl_array_resize(&g->groups, w->dynamic));
    TL_TRY(tl_array_resize(&g->part, w->dynamic));
    TL_TRY(b->ops->download(b, g->a.data, p->a, words));
    TL_TRY(b->ops->download(b, g->b.data, p->b, words));
    return b->ops->download(b, g->work.data, bounce->work,
                            TLK_BOUNCE * sizeof(double) * (size_t)p->rows);
}

/* Bodies that impulses or joints connect. */
static void connect(const tl_world *w, const tlk_problem *p, grouping *g)
{
    const uint32_t *a = g->a.data, *b = g->b.data;
    const double *work = g->work.data;
    const tlk_joint *joints = w->mechanism.made.data;
    uint32_t *parent = g->parent.data;
    for (uint32_t i = 0; i < w->dynamic; i++)
        parent[i] = i;
    for (uint32_t s = 0; s < p->rows; s++)
        if (a[s] != TLK_NONE && b[s] < w->dynamic && work[TLK_BOUNCE * (size_t)s + 1] != 0)
            tl_unite(parent, a[s], b[s]);
    for (size_t i = 0; i < w->mechanism.made.count; i++)
        for (uint32_t k = 0, last = TLK_NONE; k < joints[i].bodies; k++) {
            if (joints[i].node[k] == TLK_NONE)
                continue;
            if (last != TLK_NONE)
                tl_unite(parent, last, joints[i].body[k]);
            last = joints[i].body[k];
        }
}

static double rounding_of(const tl_world *w)
{
    return w->backend->precision == TL_DOUBLE ? ROUNDING_DOUBLE : ROUNDING_MIXED;
}

/* J: of the change that impulses make of velocities, what all that carries weight may have. */
static double weight_change(const tl_world *w)
{
    const double most = BLOW * tl_step_gained(w);
    return w->box[7] * most * most;
}

/* How much of each group's impulses stays; true where of some not all does. With the part f of
 * them the group gains f (work[0] - work[2]) + f^2 / 2 work[1]. Without bounces among the rows
 * groups that a wall holds are lessened where these are blows alone: impulses that carry weight
 * would carry less of it. Those of a problem that is still being solved are lessened wherever they
 * are: more sweeps follow. */
static bool lessen(const tl_world *w, const tlk_bounce *bounce, grouping *g)
{
    const tlk_problem *p = &bounce->problem;
    const uint32_t *a = g->a.data, *b = g->b.data;
    const double *work = g->work.data;
    const bool apart = !together(w) && !bounce->start;
    const double rounding = rounding_of(w), weight = weight_change(w);
    group *groups = g->groups.data;
    double *part = g->part.data;
    bool less = false;
    for (uint32_t i = 0; i < w->dynamic; i++)
        groups[i] = (group){{0}, false};
    for (uint32_t s = 0; s < p->rows; s++)
        if (a[s] != TLK_NONE) {
            group *of = &groups[tl_root(g->parent.data, a[s])];
            for (uint32_t k = 0; k < TLK_BOUNCE; k++)
                of->sum[k] += work[TLK_BOUNCE * (size_t)s + k];
            of->held |= b[s] >= w->dynamic && work[TLK_BOUNCE * (size_t)s + 1] != 0;
        }
    for (uint32_t i = 0; i < w->dynamic; i++) {
        const group *of = &groups[tl_root(g->parent.data, i)];
        const double *sum = of->sum;
        const double gain = sum[0] - sum[2] + 0.5 * sum[1];
        part[i] = 1;
        if (!(gain > rounding * sum[1]) || (apart && of->held && !(sum[1] > weight)))
            continue;
        part[i] = sum[2] > sum[0] ? 2 * (sum[2] - sum[0]) / sum[1] : 0;
        less = true;
    }
    return less;
}

/* Impulses and velocities with what stays of them. */
static void keep_parts(tl_world *w, const tlk_bounce *bounce, const grouping *g)
{
    tl_backend *b = w->backend;
    const tl_mechanism *m = &w->mechanism;
    b->ops->upload(b, (void *)bounce->part, g->part.data, w->dynamic * sizeof(double));
    tl_run(b, TLK_bounce_rows, bounce->problem.rows, bounce);
    tl_run(b, TLK_bounce_bodies, w->dynamic, bounce);
    if (!m->count)
        return;
    const tlk_joint_bounce joints = {m->joint.data, m->lambda.data, bounce->part + w->dynamic,
                                     bounce->part};
    tl_run(b, TLK_joint_part, m->count, &joints);
}

/* Looks at each group, and lessens what has gained. */
static tl_status weigh(tl_world *w, const tlk_bounce *bounce)
{
    grouping g;
    const tl_status status = read_work(w, bounce, &g);
    if (status == TL_OK) {
        connect(w, &bounce->problem, &g);
        if (lessen(w, bounce, &g))
            keep_parts(w, bounce, &g);
    }
    tl_array *const all[] = {&g.a, &g.b, &g.parent, &g.work, &g.groups, &g.part};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
    return status;
}

/* What kernels need to know of a problem. */
static void view(const tl_world *w, const tl_problem *problem, const tlk_build *build,
                 tlk_bounce *bounce)
{
    bounce->problem = problem->view;
    bounce->gap = build->gap;
    bounce->recovery = build->recovery;
    bounce->bodies = build->bodies;
    bounce->apart = !together(w);
}

/* Whether rows with joined bodies are worse than none. Where all are such, that is what all would
 * tell; the others alone are not weighed. */
static tl_status is_suspect(tl_world *w, const tl_problem *problem, tlk_bounce *bounce,
                            bool *suspect)
{
    double sums[TLK_FOLD_NUMBERS] = {0};
    *suspect = w->settings.solver.kind != TL_PSOR; /* these know no such rows */
    if (*suspect || !problem->joined_packets)
        return TL_OK;
    bounce->joined = problem->joined;
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_bounce_joined, TLK_LANES * problem->joined_packets,
                       bounce, sums));
    *suspect = sums[0] > rounding_of(w) * sums[1];
    return TL_OK;
}

tl_status tl_step_weigh(tl_world *w, tl_problem *problem, const tlk_build *build,
                        tlk_bounce *bounce)
{
    tl_backend *b = w->backend;
    const tl_mechanism *m = &w->mechanism;
    double sums[TLK_FOLD_NUMBERS] = {0};
    bool suspect;
    view(w, problem, build, bounce);
    bounce->start = 1;
    TL_TRY(is_suspect(w, problem, bounce, &suspect));
    if (suspect)
        TL_TRY(tl_fold_one(b, TLK_FOLD_bounce_work, problem->view.rows, bounce, sums));
    if (sums[1] > rounding_of(w) * sums[2])
        TL_TRY(weigh(w, bounce));
    bounce->start = 0;
    problem->started = w->settings.solver.kind == TL_PSOR;
    if (problem->started)
        return TL_OK;
    /* others make velocities of impulses themselves */
    b->ops->copy(b, problem->view.vel, bounce->before, 8 * (size_t)w->rows * b->real);
    b->ops->copy(b, m->lambda.data, bounce->part + w->dynamic, m->rows * sizeof(double));
    return TL_OK;
}

/* Whether bodies gained by the problem. Sweeps that undo a start, with the impulses of a blow,
 * leave the rounding of these in slow velocities; so those are summed anew where bodies did, and
 * are kept if the gain is gone. (Joints need `struck` for themselves.) */
static tl_status gained(tl_world *w, const tl_problem *problem, const tlk_bounce *bounce,
                        bool *gains)
{
    tl_backend *b = w->backend;
    double sums[TLK_FOLD_NUMBERS];
    TL_TRY(tl_fold_one(b, TLK_FOLD_bounce_gain, w->dynamic, bounce, sums));
    *gains = sums[0] > rounding_of(w) * sums[1];
    if (!*gains || w->settings.solver.kind != TL_PSOR || w->mechanism.count)
        return TL_OK;
    const size_t bytes = 8 * (size_t)w->rows * b->real;
    TL_TRY(tl_buffer_need(b, &w->struck, bytes));
    b->ops->copy(b, w->struck.data, problem->view.vel, bytes);
    b->ops->copy(b, problem->view.vel, bounce->before, bytes);
    tl_psor_guess(b, problem, false, problem->view.vel);
    TL_TRY(tl_fold_one(b, TLK_FOLD_bounce_gain, w->dynamic, bounce, sums));
    *gains = sums[0] > rounding_of(w) * sums[1];
    if (*gains)
        b->ops->copy(b, problem->view.vel, w->struck.data, bytes);
    return TL_OK;
}

tl_status tl_step_bounce(tl_world *w, const tl_problem *problem, const tlk_build *build,
                         tlk_bounce *bounce)
{
    double sums[TLK_FOLD_NUMBERS];
    bool gains = true;
    if (!bounce->work || !(together(w) || moves(w)))
        return TL_OK;
    view(w, problem, build, bounce);
    if (!together(w) && !build->impact) /* else some may have turned */
        TL_TRY(gained(w, problem, bounce, &gains));
    if (!gains)
        return TL_OK;
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_bounce_work, problem->view.rows, bounce, sums));
    if (!(sums[0] > 0 || sums[1] > 0))
        return TL_OK;
    return weigh(w, bounce);
}
