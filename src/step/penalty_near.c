/* Which balls are near each other: pairs that may touch in a chunk of substeps. Those that may not
 * are not looked at in it. */
#include "step/penalty.h"

#include <math.h>

#define ROOM  1.5  /* of what the fastest two may go in the chunk: the skin */
#define LEAST 1e-3 /* of the smallest radius: likewise */
/* A look takes a third of a pass, and a skin of the smallest radius twice to three times the pairs
 * of none: the more passes go by one look the fewer looks, and the more pairs. */
#define LOOK 0.3
#define MOST 15 /* passes further than the first, at most */

/* How far apart surfaces are that may meet; 0: all pairs may. Where pairs are those of an earlier
 * step, shapes have gone up to half of what the margin lets them. */
static double skin_of(const tl_world *w, const tl_penalty_step *s)
{
    const double margin = w->penalty->margin, way = 2.1 * w->settings.step / s->chunks * s->speed;
    const double skin =
        fmin(fmax(ROOM * way, LEAST * w->smallest), s->reused ? margin / 2 : margin);
    return s->wide || !(skin < margin) ? 0 : skin;
}

/* Room for so many pairs, near ones and those with walls. */
static tl_status make_room(tl_world *w, tl_penalty_step *s, uint32_t near, uint32_t walls)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    v->near = near;
    v->near_walls = (near + TLK_LANES - 1) / TLK_LANES * TLK_LANES;
    p->looked_at = v->near_walls + walls;
    const size_t packets = ((size_t)p->looked_at + TLK_LANES - 1) / TLK_LANES;
    TL_TRY(tl_buffer_need(b, &p->near_of, (size_t)v->near_walls * TLK_NEAR * b->real));
    TL_TRY(
        tl_buffer_need(b, &p->near_word, packets * TLK_LANES * TLK_NEAR_WORDS * sizeof(uint32_t)));
    v->near_of = p->near_of.data;
    v->near_word = p->near_word.data;
    return TL_OK;
}

/* What is of all pairs and bodies. */
static tl_status make_lists(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    const size_t pairs = v->pairs, bodies = w->dynamic;
    TL_TRY(tl_buffer_need(b, &p->nears, pairs));
    TL_TRY(tl_buffer_need(b, &p->points, (2 * pairs + 1) * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->near_row, 2 * pairs * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->near_end, (bodies + 1) * sizeof(uint32_t)));
    TL_TRY(tl_buffer_need(b, &p->near_from, 4 * bodies * sizeof(double)));
    v->nears = p->nears.data;
    v->points = p->points.data;
    v->near_end = p->near_end.data;
    v->near_from = p->near_from.data;
    b->ops->copy(b, p->near_from.data, w->pos.data, 4 * bodies * sizeof(double));
    return TL_OK;
}

/* In one pass over bodies: how many passes go by one look, and how fast surfaces may go meanwhile.
 * By a look for each, they may go as fast as they will. */
static void plan_passes(tl_world *w, tl_penalty_step *s)
{
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    const double speed = 1.05 * ROOM * (s->speed + p->arm * s->spin);
    const double way = 2 * v->h * speed;
    const uint32_t further = (uint32_t)fmax(fmin(sqrt(LOOK * w->smallest / way), MOST), 1);
    v->skin = v->fastest = 0;
    v->calm = 0;
    p->passes = 1 + (s->wide ? 0 : further);
    if (p->passes == 1)
        return;
    v->fastest = fmax(speed, LEAST * w->smallest / (2 * further * v->h));
    v->skin = 2.02 * further * v->h * v->fastest;
    /* pairs that last have not used a quarter of the margin yet */
    const double time = v->h * ((s->substeps + s->chunks - 1) / s->chunks);
    v->calm = time * v->fastest < (s->reused ? 0.24 : 0.49) * p->margin;
}

tl_status tl_penalty_tell_near(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_penalty *v = &s->view;
    uint64_t total = 0;
    uint32_t near = 0;
    v->skin = 0;
    if (p->whole) {
        plan_passes(w, s);
        return TL_OK;
    }
    v->nears = NULL;
    if (!v->central || !v->pairs)
        return TL_OK;
    v->commits = 0;
    tl_run(b, TLK_penalty_place, w->shape_rows, v);
    TL_TRY(make_lists(w, s));
    v->skin = skin_of(w, s);
    tl_run(b, TLK_penalty_pick, v->pairs, v);
    TL_TRY(b->ops->scan(b, v->points, 2 * v->pairs, &total));
    TL_TRY(b->ops->download(b, &near, v->points + v->pairs, sizeof near));
    TL_TRY(make_room(w, s, near, (uint32_t)total - near));
    tlk_penalty rows = *v;
    rows.order = p->near_row.data;
    rows.at = p->near_row.data;
    const tl_launch both[2] = {{TLK_penalty_rows, 0, w->dynamic + 1, false, &rows},
                               {TLK_penalty_take, 0, v->pairs, false, &rows}};
    b->ops->run(b, both, 2, 1);
    return TL_OK;
}
