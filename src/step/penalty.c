/* One step of penalty contact: contacts are springs and dampers, and bodies move in substeps.
 *   sensors -> how far bodies may go -> chunk by chunk: pairs, what their contacts had, substeps,
 * sums -> contacts, energies, the report.
 * Bodies move in place; the state that the step began with is kept until it is sure. */
#include "step/penalty.h"
#include "base/clock.h"
#include "talus/words.h"

#include <math.h>
#include <string.h>

#define WIDEST   0.3  /* of the smallest radius: the widest margin to begin with */
#define WIDER    4.0  /* than bodies may go in a step, */
#define LASTS    16.0 /* or so, where pairs last for several */
#define ATTEMPTS 16u
#define IDLE     16u /* steps */
#define FINER    16u /* tlk_penalty.halt: substeps are too long for what was found */

static tl_buffer *buffer_at(tl_penalty *p, size_t i)
{
    tl_buffer *const all[] = {
        &p->vel,      &p->half,     &p->start,     &p->sums,    &p->pace,       &p->work,
        &p->forced,   &p->past,     &p->sum,       &p->last,    &p->roll,       &p->place,
        &p->key,      &p->value,    &p->range,     &p->at,      &p->load,       &p->reference,
        &p->turned,   &p->spring,   &p->saved_pos, &p->points,  &p->saved_quat, &p->table,
        &p->times,    &p->slides,   &p->halt,      &p->order,   &p->acts,       &p->couple,
        &p->rod,      &p->pace2,    &p->rod_from,  &p->stretch, &p->past2,      &p->place2,
        &p->worked,   &p->other,    &p->spot,      &p->nears,   &p->near_of,    &p->near_word,
        &p->near_row, &p->near_end, &p->near_from};
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

void tl_step_penalty_end(tl_world *w)
{
    tl_penalty *p = w->penalty;
    if (!p)
        return;
    for (size_t i = 0; w->backend && buffer_at(p, i); i++)
        tl_buffer_free(w->backend, buffer_at(p, i));
    if (w->backend)
        tl_contacts_free(w->backend, &p->list);
    tl_array_free(&p->springs);
    tl_array_free(&p->rods);
    tl_array_free(&p->forced_rows);
    tl_array_free(&p->numbers);
    tl_free(p, sizeof *p);
    w->penalty = NULL;
}

void tl_step_penalty_forget(tl_world *w)
{
    w->elastic_known = 0;
    if (!w->penalty)
        return;
    w->penalty->valid = w->penalty->tables = w->penalty->warned = false;
    w->penalty->limit = 0;
}

/* --- before anything moves ------------------------------------------------------------------- */

/* Springs of the world's joints. */
static tl_status take_springs(tl_world *w, tl_penalty *p)
{
    tl_backend *b = w->backend;
    const tl_joint_entry *joints = w->mechanism.joints.data;
    TL_TRY(tl_array_resize(&p->springs, w->mechanism.joints.count));
    tlk_spring *out = p->springs.data;
    for (size_t i = 0; i < w->mechanism.joints.count; i++) {
        const tl_joint_def *def = &joints[i].rec.def;
        const tl_body body[2] = {def->a, def->b};
        double turn[4] = {1, 0, 0, 0};
        tlk_spring s = {.a = TLK_NONE,
                        .b = TLK_NONE,
                        .length = def->length > 0 ? def->length : joints[i].zero[0],
                        .stiffness = def->axes[0].stiffness,
                        .damping = def->axes[0].damping};
        for (int e = 0; e < 2; e++) {
            double *at = e ? s.at_b : s.at_a;
            memcpy(at, e ? def->position_b : def->position_a, 3 * sizeof(double));
            if (!body[e].index)
                continue;
            *(e ? &s.b : &s.a) = tl_world_row(w, body[e]);
            const tl_origin *origin = tl_origin_of(&w->origins, body[e].index);
            if (origin)
                tl_origin_frame(origin, at, turn);
        }
        out[i] = s;
    }
    TL_TRY(tl_buffer_need(b, &p->spring, p->springs.count * p->springs.item));
    if (p->springs.count)
        b->ops->upload(b, p->spring.data, p->springs.data, p->springs.count * p->springs.item);
    return TL_OK;
}

/* Which rows forces act on, by row. */
static tl_status take_forces(tl_world *w, tl_penalty *p, tlk_penalty *v, const tlk_motion *motion)
{
    const uint32_t *rows = w->forced_row.data;
    if (!w->forces.count)
        return TL_OK;
    TL_TRY(tl_array_resize(&p->forced_rows, w->dynamic));
    uint32_t *which = p->forced_rows.data;
    memset(which, 0xff, w->dynamic * sizeof *which);
    for (uint32_t i = 0; i < w->forced_bodies; i++)
        which[rows[i]] = i;
    TL_TRY(tl_buffer_need(w->backend, &p->forced, w->dynamic * sizeof *which));
    TL_TRY(tl_buffer_need(w->backend, &p->work, w->dynamic * sizeof(double)));
    w->backend->ops->upload(w->backend, p->forced.data, which, w->dynamic * sizeof *which);
    v->forced = p->forced.data;
    v->work = p->work.data;
    v->wrench = motion->wrench;
    return TL_OK;
}

static tl_status make_buffers(tl_world *w, tl_penalty *p, bool stages)
{
    tl_backend *b = w->backend;
    const size_t rows = w->rows, eight = 8 * rows * sizeof(double);
    TL_TRY(tl_buffer_need(b, &p->vel, eight));
    TL_TRY(tl_buffer_need(b, &p->pace, 8 * rows * b->real));
    TL_TRY(tl_buffer_need(b, &p->start, stages ? 2 * eight : 0));
    TL_TRY(tl_buffer_need(b, &p->sums, stages ? 2 * eight : 0));
    TL_TRY(tl_buffer_need(b, &p->saved_pos, 4 * rows * sizeof(double)));
    TL_TRY(tl_buffer_need(b, &p->saved_quat, 4 * rows * sizeof(double)));
    return tl_buffer_need(b, &p->halt, sizeof(uint64_t));
}

static void make_view(tl_world *w, tl_penalty *p, tl_penalty_step *s)
{
    const tl_penalty_def *def = &w->settings.penalty;
    tlk_penalty *v = &s->view;
    const bool scaled = def->law == TL_PENALTY_SCALED;
    *v = (tlk_penalty){.bodies = tl_world_bodies_view(w),
                       .shapes = tl_world_shapes_view(w),
                       .law = def->law,
                       .rolling = def->rolling,
                       .cohesion = def->cohesion,
                       .form = def->friction_form,
                       .attraction = def->attraction,
                       .stiffness = scaled && !(def->stiffness > 0) ? 1000 : def->stiffness,
                       .tangential = def->tangential_stiffness,
                       .damping = def->damping,
                       .friction = def->friction,
                       .threshold = def->collision_threshold,
                       .planar = w->settings.planar == TL_PLANAR_XZ,
                       .max_speed = w->settings.max_speed,
                       .halt = p->halt.data,
                       .table = p->table.data,
                       .slides = w->sliding ? p->slides.data : NULL,
                       .materials = w->materials,
                       .springs = (uint32_t)p->springs.count,
                       .spring = p->spring.data,
                       .rods = (uint32_t)p->rods.count,
                       .rod = p->rod.data,
                       .rod_from = p->rod_from.data,
                       .rod_frame = w->frame_local.data,
                       .rod_geom = w->geom.data,
                       .vel = p->vel.data,
                       .pace = p->pace.data,
                       .to_pace = p->pace.data,
                       .start = p->start.data,
                       .sums = p->sums.data,
                       .saved_pos = p->saved_pos.data,
                       .mean = p->pace.data, /* which is read no more when a step ends */
                       .step = w->settings.step,
                       .number = w->steps};
    memcpy(v->gravity, w->settings.gravity, sizeof v->gravity);
    memcpy(v->up, s->motion.up, sizeof v->up);
    memcpy(v->layer, s->motion.layer, sizeof v->layer);
}

/* Everything that the step needs, and the state that it begins with. */
static tl_status prepare(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    if (!w->penalty) {
        w->penalty = tl_alloc_zero(sizeof *w->penalty);
        if (!w->penalty)
            return TL_NO_MEMORY;
        w->penalty->springs.item = sizeof(tlk_spring);
        w->penalty->rods.item = sizeof(tlk_rod);
        w->penalty->forced_rows.item = sizeof(uint32_t);
        w->penalty->numbers.item = sizeof(double);
        w->penalty->key.arena = w->penalty->points.arena = &w->arena;
        w->penalty->sum.arena = w->penalty->last.arena = w->penalty->worked.arena = &w->arena;
    }
    tl_penalty *p = w->penalty;
    double n[TLK_FOLD_NUMBERS] = {0};
    const double *g = w->settings.gravity;
    if (w->shape_dynamic && !(w->smallest > 0))
        return tl_fail(TL_BAD_ARGUMENT,
                       "settings.stepper is penalty, and a body has a point for a shape; penalty "
                       "contact needs shapes that have a radius");
    const size_t rows = w->rows;
    TL_TRY(tl_penalty_tables(w, p));
    TL_TRY(make_buffers(w, p, tl_penalty_integrator(w) == TL_INTEGRATOR_RK4));
    TL_TRY(take_springs(w, p));
    TL_TRY(tl_penalty_take_rods(w, p));
    TL_TRY(tl_step_find_box(w)); /* whose levels motion has */
    TL_TRY(tl_step_forces(w, &s->motion));
    make_view(w, p, s);
    TL_TRY(take_forces(w, p, &s->view, &s->motion));
    b->ops->copy(b, p->saved_pos.data, w->pos.data, 4 * rows * sizeof(double));
    b->ops->copy(b, p->saved_quat.data, w->quat.data, 4 * rows * sizeof(double));
    b->ops->fill(b, p->halt.data, 0, sizeof(uint64_t));
    if (rows)
        TL_TRY(tl_fold_one(b, TLK_FOLD_penalty_speed, w->rows, &s->view, n));
    s->speed =
        sqrt(fmax(n[0], 0)) + w->settings.step * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    s->spin = sqrt(fmax(n[2], 0));
    s->view.stands = !(n[1] > 0);
    return TL_OK;
}

/* The state as the step began. */
static void restore(tl_world *w)
{
    tl_backend *b = w->backend;
    const tl_penalty *p = w->penalty;
    const size_t rows = w->rows;
    b->ops->copy(b, w->pos.data, p->saved_pos.data, 4 * rows * sizeof(double));
    b->ops->copy(b, w->quat.data, p->saved_quat.data, 4 * rows * sizeof(double));
    b->ops->fill(b, p->halt.data, 0, sizeof(uint64_t));
    /* what springs and rods lost in the attempt was not */
    if (p->springs.count)
        b->ops->upload(b, p->spring.data, p->springs.data, p->springs.count * p->springs.item);
    if (p->rods.count)
        b->ops->upload(b, p->rod.data, p->rods.data, p->rods.count * p->rods.item);
}

/* --- chunks ---------------------------------------------------------------------------------- */

/* How wide the margin is, and in how many chunks pairs are found, so that no shape should leave it.
 */
static tl_status plan(tl_world *w, tl_penalty_step *s)
{
    tl_penalty *p = w->penalty;
    double way = 2.1 * w->settings.step * (s->speed + p->arm * s->spin);
    s->reused = false;
    s->known = p->valid && p->forces && !p->phased && !p->springs.count && !tl_penalty_lost(w) &&
               p->items == p->list.pairs + 2 * (uint32_t)p->rods.count;
    if (p->phased) { /* pairs are found when the caller says so */
        s->chunks = 1;
        return TL_OK;
    }
    if (p->valid && !w->manifolds && !w->surfaces && !p->soon && way <= 0.5 * p->margin) {
        s->chunks = 1;
        s->reused = true;
        return TL_OK;
    }
    TL_TRY(tl_penalty_look_at_balls(w, &s->view));
    way = 2.1 * w->settings.step * (s->speed + p->arm * s->spin);
    const double wider = w->manifolds || w->surfaces ? WIDER : LASTS;
    p->margin = fmax(w->envelope, fmin(WIDEST * w->smallest, wider * way));
    s->chunks = p->margin > 0 && way > p->margin ? (uint32_t)fmin(ceil(way / p->margin), 1e6) : 1;
    return TL_OK;
}

/* Sums over contacts and springs of a chunk. */
static tl_status add_up(tl_world *w, tl_penalty_step *s, double *n)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    const uint32_t slots = s->view.pairs * s->view.slots;
    memset(n, 0, TLK_FOLD_NUMBERS * sizeof *n);
    if (slots)
        TL_TRY(tl_fold_one(b, TLK_FOLD_penalty_sum, slots, &s->view, n));
    if (p->springs.count)
        TL_TRY(b->ops->download(b, p->springs.data, p->spring.data,
                                p->springs.count * p->springs.item));
    tlk_spring *springs = p->springs.data;
    for (size_t i = 0; i < p->springs.count; i++) {
        n[3] += springs[i].lost;
        n[4] += springs[i].work;
        n[5] += springs[i].energy;
        springs[i].lost = springs[i].work = 0;
    }
    if (p->springs.count)
        b->ops->upload(b, p->spring.data, p->springs.data, p->springs.count * p->springs.item);
    return tl_penalty_rods_work(w, &n[3], &n[4]);
}

/* Forces where the step begins: the energy of springs, and how stiff they are. */
static tl_status begin_forces(tl_world *w, tl_penalty_step *s)
{
    double n[TLK_FOLD_NUMBERS];
    s->view.h = w->settings.step;
    s->view.begins = 1;
    tl_penalty_evaluate(w, &s->view);
    s->view.begins = 0;
    TL_TRY(add_up(w, s, n));
    s->elastic[0] = w->elastic_known && !w->penalty->springs.count ? w->elastic : n[5];
    return tl_penalty_limits(w, s);
}

/* Pairs that were found on the way may be met with shorter substeps alone; then `*halt` says so. */
static tl_status look_at_found(tl_world *w, tl_penalty_step *s, uint64_t *halt)
{
    const uint32_t before = s->substeps;
    s->view.h = w->settings.step;
    tl_penalty_evaluate(w, &s->view);
    TL_TRY(tl_penalty_limits(w, s));
    *halt = s->substeps > before ? FINER : 0;
    return TL_OK;
}

/* The same where they are those of the end of the last step. */
static tl_status begin_known(tl_world *w, tl_penalty_step *s)
{
    TL_TRY(tl_penalty_known(w, s));
    s->elastic[0] = w->elastic;
    return tl_penalty_limits(w, s);
}

/* All chunks; *halt: what stopped them, 0: nothing. */
static tl_status run_chunks(tl_world *w, tl_penalty_step *s, bool first, uint64_t *halt)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tl_contacts *next = &w->contacts[1 - w->current];
    s->lost = s->work = 0;
    *halt = 0;
    tl_monitors_forget_parts(w);
    tl_run(b, TLK_penalty_begin, w->rows, &s->view);
    for (uint32_t k = 0; k < s->chunks; k++) {
        TL_TRY(p->valid && !k ? tl_penalty_reuse(w, s)
                              : tl_penalty_find(w, s, k ? next : &w->contacts[w->current]));
        if (!k && first)
            TL_TRY(begin_forces(w, s));
        if (k && !w->settings.penalty.substeps)
            TL_TRY(look_at_found(w, s, halt));
        if (*halt)
            return TL_OK;
        s->chunks = s->chunks < s->substeps ? s->chunks : s->substeps;
        const uint32_t from = (uint32_t)((uint64_t)s->substeps * k / s->chunks);
        const uint32_t to = (uint32_t)((uint64_t)s->substeps * (k + 1) / s->chunks);
        s->view.h = w->settings.step / s->substeps;
        TL_TRY(tl_penalty_tell_near(w, s));
        tl_penalty_run(w, &s->view, to - from);
        TL_TRY(b->ops->download(b, halt, p->halt.data, sizeof *halt));
        p->soon = *halt & 4;
        *halt &= 11;
        if (*halt)
            return TL_OK;
        TL_TRY(add_up(w, s, s->sums));
        s->lost += s->sums[3];
        s->work += s->sums[4];
        if (k + 1 == s->chunks)
            break;
        TL_TRY(tl_penalty_hand_on(w, s, next));
        TL_TRY(tl_monitors_part(w, next, &s->motion));
        p->idle = 0;
    }
    s->elastic[1] = s->sums[5];
    return TL_OK;
}

/* Says which body runs away. */
static tl_status diverged(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    double n[TLK_FOLD_NUMBERS], x[4], v[8];
    uint32_t id;
    tlk_penalty view = s->view;
    view.bodies.vel = view.mean; /* the state stays */
    TL_TRY(tl_fold_one(b, TLK_FOLD_penalty_end, w->dynamic, &view, n));
    const size_t row = n[0] < w->dynamic ? (size_t)n[0] : 0;
    TL_TRY(b->ops->download(b, &id, (const uint32_t *)w->id.data + row, sizeof id));
    TL_TRY(b->ops->download(b, x, (const double *)w->penalty->saved_pos.data + 4 * row, sizeof x));
    TL_TRY(b->ops->download(b, v, (const double *)w->penalty->vel.data + 8 * row, sizeof v));
    return tl_fail_about(
        TL_DIVERGED, &(tl_error){.bodies = {{id, 1}}},
        "step %llu: body %u at (%g, %g, %g) would move at (%g, %g, %g) m/s; the limit is "
        "settings.max_speed = %g",
        (unsigned long long)w->steps + 1, id, x[0], x[1], x[2], v[0], v[1], v[2],
        w->settings.max_speed);
}

/* The substeps of a step, with more chunks or a wider margin where shapes left it. */
static tl_status make_step(tl_world *w, tl_penalty_step *s)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    double n[TLK_FOLD_NUMBERS] = {0};
    uint64_t halt = 0;
    s->wide = p->phased;
    s->substeps = w->settings.penalty.substeps ? w->settings.penalty.substeps : 1;
    if (w->dynamic)
        TL_TRY(tl_fold_one(b, TLK_FOLD_moved_energy, w->dynamic, &s->motion, n));
    s->energy = n[0] + n[1];
    TL_TRY(plan(w, s));
    if (s->known)
        TL_TRY(begin_known(w, s));
    p->valid = p->valid && (s->reused || p->phased);
    for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        TL_TRY(run_chunks(w, s, !attempt && !s->known, &halt));
        if (!halt && !isfinite(s->energy + s->lost + s->work + s->elastic[0] + s->elastic[1]))
            return tl_fail(TL_DIVERGED,
                           "step %llu: energies grow beyond all numbers in substeps of %g s",
                           (unsigned long long)w->steps + 1, s->view.h);
        if (!halt)
            return TL_OK;
        s->again = s->reused && !(halt & 2);
        p->valid = s->reused = false;
        if (halt & 1)
            return diverged(w, s);
        if (p->phased)
            return tl_fail(
                TL_BAD_ARGUMENT,
                "tl_world_advance: bodies move beyond the margin of %g m that pairs were "
                "found with; call tl_world_find_pairs() before",
                p->margin);
        restore(w);
        if (halt == FINER)
            continue;
        if (!(halt & 2))
            s->wide = true;
        else if (s->chunks < s->substeps)
            s->chunks = s->chunks > s->substeps / 4 ? s->substeps : 4 * s->chunks;
        else
            p->margin *= 4;
    }
    return tl_fail(TL_DIVERGED, "step %llu: bodies move too far within a substep of %g s",
                   (unsigned long long)w->steps + 1, s->view.h);
}

/* --- the end --------------------------------------------------------------------------------- */

static void report_contacts(const tl_world *w, const tl_penalty_step *s, tl_report *r)
{
    const double *n = s->sums;
    r->contacts = w->contacts[w->current].count;
    r->active_contacts = (uint32_t)n[0];
    r->max_penetration = fmax(n[1], 0);
    r->mean_penetration = n[6] > 0 ? n[2] / n[6] : 0;
    r->substeps = s->substeps;
    r->searches = s->searches;
    r->substep_ratio =
        isfinite(s->limit) && s->limit > 0 ? w->settings.step / s->substeps / s->limit : 0;
    const tlk_spring *springs = w->penalty->springs.data;
    for (size_t i = 0; i < w->penalty->springs.count; i++)
        r->spring_energy += springs[i].energy;
    r->elastic_energy = s->elastic[1] - r->spring_energy;
}

/* Room for the contacts of the step, and what measures them: all that may fail. */
static tl_status make_ready(tl_world *w, tl_penalty_step *s, tl_contacts **set)
{
    tlk_motion motion = s->motion;
    TL_TRY(tl_penalty_count(w, s));
    *set = tl_penalty_set(w, s);
    TL_TRY(tl_penalty_room(w, s, *set));
    motion.vel = s->view.mean; /* from where the step began to where it ended */
    motion.pseudo = NULL;
    motion.bodies.pos = w->penalty->saved_pos.data;
    const tl_contacts told = tl_penalty_told(w, s, *set);
    return tl_monitors_prepare(w, &told, &motion);
}

/* Contacts are in a set: the other one is needed while pairs are found within a step, or where
 * there are more contacts than before, and given back when it has not been for some steps. */
static void use_set(tl_world *w, const tl_contacts *set)
{
    tl_penalty *p = w->penalty;
    const uint32_t current = (uint32_t)(set - w->contacts);
    p->idle = current == w->current ? p->idle + 1 : 0;
    w->current = current;
    if (p->idle > IDLE)
        tl_contacts_free(w->backend, &w->contacts[1 - current]);
}

/* What moved becomes the state, and the report tells of it. */
static tl_status finish(tl_world *w, tl_penalty_step *s, tl_contacts *set, tl_report *r)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    const bool simple = !w->manifolds && !w->surfaces;
    double n[TLK_FOLD_NUMBERS] = {0}, moved[TLK_FOLD_NUMBERS] = {0};
    if (w->dynamic)
        TL_TRY(tl_fold_one(b, TLK_FOLD_penalty_end, w->dynamic, &s->view, n));
    tl_penalty_write(w, s, set);
    tl_monitors_before(w, set->count);
    const tlk_spring_told told = {p->spring.data, w->mechanism.memory[w->mechanism.current].data};
    tl_run(b, TLK_penalty_tell_spring, (uint32_t)p->springs.count, &told);
    if (w->dynamic)
        TL_TRY(tl_fold_one(b, TLK_FOLD_moved_energy, w->dynamic, &s->motion, moved));
    use_set(w, set);
    w->steps++;
    w->time += w->settings.step;
    tl_world_prescribe(w);
    w->dissipated += s->lost;
    w->work_done += s->work + n[6];
    w->energy_error +=
        moved[0] + moved[1] - s->energy + s->elastic[1] - s->elastic[0] + s->lost - s->work - n[6];
    TL_TRY(tl_monitors_prepare(w, set, &s->motion));
    TL_TRY(tl_monitors_after(w));
    memcpy(w->box, moved + 2, 6 * sizeof(double));
    w->box[6] = n[1];
    w->box_known = true;
    /* colours of collisions depend on all pairs: they are found anew in every step */
    p->valid = (simple && !p->colours[TLK_COLOURS]) || p->phased;
    p->forces = p->valid && !p->phased;
    w->elastic = s->elastic[1];
    w->elastic_known = p->forces && !p->springs.count;
    report_contacts(w, s, r);
    tl_step_carried(w, n + 2, r);
    r->dissipated_energy = w->dissipated;
    r->work_energy = w->work_done;
    r->energy_error = w->energy_error;
    r->steps = w->steps;
    r->time = w->time;
    r->bodies = w->dynamic;
    r->kinetic_energy = moved[0];
    r->potential_energy = moved[1];
    r->joints = (uint32_t)w->mechanism.joints.count;
    r->bytes = b->bytes;
    r->peak_bytes = b->peak;
    return TL_OK;
}

tl_status tl_step_penalty(tl_world *w)
{
    tl_penalty_step s = {.lost = 0};
    tl_report r = {0};
    const double begin = tl_now();
    double mark = begin;
    if (w->asked && w->penalty)
        w->penalty->idle = 0;
    tl_world_forget_asked(w);
    if (w->mechanism.joints.count)
        TL_TRY(tl_joints_ready(w));
    TL_TRY(prepare(w, &s));
    tl_world_exchange_centres(w);
    TL_TRY(tl_step_sense(w));
    r.ms.build = tl_lap(&mark);
    tl_contacts *set = NULL;
    tl_status status = make_step(w, &s);
    if (status == TL_OK)
        status = make_ready(w, &s, &set);
    if (status != TL_OK) {
        restore(w);
        tl_world_exchange_centres(w);
        w->sensed.count = 0;
        w->penalty->valid = false;
        return status;
    }
    r.ms.solve = tl_lap(&mark);
    TL_TRY(finish(w, &s, set, &r));
    r.ms.integrate = tl_lap(&mark);
    r.total_ms = tl_now() - begin;
    w->report = r;
    return TL_OK;
}

/* --- phases ---------------------------------------------------------------------------------- */

static tl_status refuse_phase(const tl_world *w, const char *function)
{
    if (w->settings.stepper == TL_STEPPER_PENALTY)
        return TL_OK;
    return tl_fail(TL_BAD_ARGUMENT, "%s: settings.stepper is %s; phases are those of penalty",
                   function, tl_word(TL_WORDS_STEPPER, w->settings.stepper));
}

tl_status tl_world_update_bounds(tl_world *world)
{
    REFUSE_NULL(world);
    TL_TRY(refuse_phase(world, __func__));
    tl_world_forget_asked(world);
    world->box_known = false; /* the box around bodies is made when pairs are found */
    return TL_OK;
}

tl_status tl_world_find_pairs(tl_world *world)
{
    tl_penalty_step s = {.substeps = 1};
    REFUSE_NULL(world);
    TL_TRY(refuse_phase(world, __func__));
    tl_world_forget_asked(world);
    TL_TRY(prepare(world, &s));
    tl_penalty *p = world->penalty;
    /* room for a step, in which collisions and springs may double a speed */
    p->margin =
        fmax(fmax(world->envelope, WIDEST * world->smallest), 4 * world->settings.step * s.speed);
    p->valid = false;
    TL_TRY(tl_penalty_look_at_balls(world, &s.view));
    tl_world_exchange_centres(world);
    const tl_status status = tl_penalty_find(world, &s, &world->contacts[world->current]);
    tl_world_exchange_centres(world);
    p->valid = status == TL_OK;
    return status;
}

static tl_status refuse_unfound(const tl_world *w, const char *function)
{
    if (w->penalty && w->penalty->valid)
        return TL_OK;
    return tl_fail(
        TL_BAD_ARGUMENT,
        "%s: there are no pairs; call tl_world_find_pairs() before, and after every edit",
        function);
}

/* Pairs that were found, for another phase. */
static tl_status begin_phase(tl_world *w, tl_penalty_step *s, const char *function)
{
    TL_TRY(refuse_phase(w, function));
    tl_world_forget_asked(w);
    TL_TRY(refuse_unfound(w, function));
    return prepare(w, s);
}

tl_status tl_world_collide(tl_world *world)
{
    tl_penalty_step s = {.substeps = 1};
    double n[TLK_FOLD_NUMBERS];
    REFUSE_NULL(world);
    TL_TRY(begin_phase(world, &s, __func__));
    world->elastic_known = 0;
    TL_TRY(tl_penalty_reuse(world, &s));
    tl_run(world->backend, TLK_penalty_begin, world->rows, &s.view);
    s.view.h = world->settings.step;
    tl_world_exchange_centres(world);
    s.view.shapes = tl_world_shapes_view(world);
    tl_penalty_collisions(world, &s.view);
    tl_world_exchange_centres(world);
    TL_TRY(add_up(world, &s, n));
    world->dissipated += n[3];
    world->work_done += n[4];
    return world->dynamic
               ? tl_fold_one(world->backend, TLK_FOLD_penalty_end, world->dynamic, &s.view, n)
               : TL_OK;
}

/* After an advance that was refused: the pairs that were found, with what their contacts had. */
static void keep_pairs(tl_world *w)
{
    tl_penalty_step s = {.substeps = 1, .again = true};
    w->penalty->valid =
        prepare(w, &s) == TL_OK && tl_penalty_find(w, &s, &w->contacts[w->current]) == TL_OK;
}

tl_status tl_world_advance(tl_world *world, double h, tl_report *report)
{
    if (report)
        *report = (tl_report){0};
    REFUSE_NULL(world);
    TL_TRY(refuse_phase(world, __func__));
    if (!(h > 0 && isfinite(h)))
        return tl_fail(TL_BAD_ARGUMENT, "%s: h is %g; it must be finite and > 0", __func__, h);
    TL_TRY(refuse_unfound(world, __func__));
    const double step = world->settings.step;
    world->settings.step = h;
    tl_world_prescribe(world); /* with the velocities of this step */
    world->penalty->phased = true;
    const tl_status status = tl_step_penalty(world);
    world->penalty->phased = false;
    world->settings.step = step;
    tl_world_prescribe(world);
    if (status == TL_BAD_ARGUMENT || status == TL_DIVERGED)
        keep_pairs(world);
    if (status == TL_OK && report)
        *report = world->report;
    return status;
}
