/* The numbers of penalty contact that follow from materials: stiffness, damping, and how short
 * substeps must be. */
#include "base/status.h"
#include "step/penalty.h"
#include "talus/words.h"

#include <math.h>
#include <stdio.h>

#define SAFE    0.2   /* of the least of the times */
#define UNKNOWN 1e200 /* of the least of nothing */
#define LOOKS   16u   /* steps from look to look at them where substeps are given */

/* What a spring and dashpot of a damping ratio leave of an approach. With attraction the contact
 * ends where surfaces part, without where the force is 0 (Schwager and Poeschel, 2007). Hertz's
 * contact with a damper that grows with the fourth root of the overlap is the same oscillator in
 * another time (Antypov and Elliott, 2011). */
static double rebound(double zeta, bool attraction)
{
    const double pi = acos(-1);
    if (zeta < 1) {
        const double root = sqrt(1 - zeta * zeta);
        const double angle = attraction ? pi : atan2(2 * zeta * root, 2 * zeta * zeta - 1);
        return exp(-zeta / root * angle);
    }
    if (attraction)
        return 0;
    const double root = sqrt(zeta * zeta - 1);
    return root > 1e-6 ? exp(-zeta / root * log((zeta + root) / (zeta - root))) : exp(-2.0);
}

double tl_penalty_ratio(double restitution, bool attraction)
{
    double low = 0, high = 1;
    if (!(restitution > 0))
        return 1; /* critical damping */
    while (!attraction && rebound(high, attraction) > restitution)
        high *= 2;
    for (int k = 0; k < 100; k++) {
        const double middle = 0.5 * (low + high);
        if (rebound(middle, attraction) > restitution)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static void pair_numbers(const tl_world *w, const tl_pair_def *pair, const tl_elastic *a,
                         const tl_elastic *b, double *out)
{
    const double ga = a->young / (2 * (1 + a->poisson)), gb = b->young / (2 * (1 + b->poisson));
    const bool spring = pair->compliance > 0;
    out[TLK_LAW_YOUNG] =
        1 / ((1 - a->poisson * a->poisson) / a->young + (1 - b->poisson * b->poisson) / b->young);
    out[TLK_LAW_SHEAR] = 1 / ((2 - a->poisson) / ga + (2 - b->poisson) / gb);
    out[TLK_LAW_FRICTION] = pair->friction;
    out[TLK_LAW_RESTITUTION] = pair->restitution;
    out[TLK_LAW_RATIO] = tl_penalty_ratio(pair->restitution, w->settings.penalty.attraction);
    out[TLK_LAW_ROLLING] = pair->rolling_friction;
    out[TLK_LAW_SPINNING] = pair->spinning_friction;
    out[TLK_LAW_COHESION] = pair->cohesion;
    out[TLK_LAW_DENSITY] =
        w->settings.penalty.cohesion == TL_COHESION_SJKR ? pair->cohesion_density : 0;
    out[TLK_LAW_SPRING] = spring ? 1 / pair->compliance : 0;
    out[TLK_LAW_DAMPER] = spring ? pair->damping_time : -1;
    out[TLK_LAW_ACROSS] = sqrt(4 * out[TLK_LAW_SHEAR] / out[TLK_LAW_YOUNG]);
    if (w->settings.penalty.cohesion == TL_COHESION_SJKR)
        out[TLK_LAW_COHESION] = 0;
}

/* Whether Hertz's law is all there is (tlk_couple.plain). */
static bool is_plain(const tl_world *w, const double *law)
{
    return w->settings.penalty.law == TL_PENALTY_HERTZ && !(law[TLK_LAW_ROLLING] > 0) &&
           !(law[TLK_LAW_SPINNING] > 0) && !(law[TLK_LAW_COHESION] > 0) &&
           !(law[TLK_LAW_DENSITY] > 0) && !(law[TLK_LAW_SPRING] > 0);
}

/* Per material: its shear modulus, the factor of Rayleigh's waves, and the stiffest of its pairs.
 */
static void material_times(const tl_world *w, const double *pairs, uint32_t i, double *out)
{
    const tl_elastic *e = (const tl_elastic *)w->elastics.data + i;
    out[0] = e->young / (2 * (1 + e->poisson));
    out[1] = 0.1631 * e->poisson + 0.8766;
    out[2] = out[3] = 0;
    for (uint32_t k = 0; k < w->materials; k++) {
        const double *law = pairs + TLK_LAW_NUMBERS * ((size_t)i * w->materials + k);
        out[2] = fmax(out[2], law[TLK_LAW_YOUNG]);
        out[3] = fmax(out[3], law[TLK_LAW_SPRING]);
        if (w->settings.penalty.law == TL_PENALTY_LINEAR)
            out[3] = fmax(out[3], w->settings.penalty.stiffness);
    }
}

tl_status tl_penalty_tables(tl_world *w, tl_penalty *p)
{
    tl_backend *b = w->backend;
    const size_t n = w->materials;
    const tl_pair_def *pairs = w->pairs.data;
    const tl_elastic *elastics = w->elastics.data;
    if (p->tables)
        return TL_OK;
    TL_TRY(tl_array_resize(&p->numbers, TLK_LAW_NUMBERS * n * n + TL_MATERIAL_TIMES * n));
    double *table = p->numbers.data, *times = table + TLK_LAW_NUMBERS * n * n;
    p->plain = true;
    for (size_t i = 0; i < n * n; i++) {
        double *law = table + TLK_LAW_NUMBERS * i;
        pair_numbers(w, &pairs[i], &elastics[i / n], &elastics[i % n], law);
        p->plain = p->plain && is_plain(w, law);
    }
    for (uint32_t i = 0; i < n; i++)
        material_times(w, table, i, times + TL_MATERIAL_TIMES * (size_t)i);
    TL_TRY(tl_buffer_need(b, &p->table, TLK_LAW_NUMBERS * n * n * sizeof(double)));
    TL_TRY(tl_buffer_need(b, &p->times, TL_MATERIAL_TIMES * n * sizeof(double)));
    TL_TRY(tl_buffer_need(b, &p->slides, w->slides.count * w->slides.item));
    b->ops->upload(b, p->table.data, table, TLK_LAW_NUMBERS * n * n * sizeof(double));
    b->ops->upload(b, p->times.data, times, TL_MATERIAL_TIMES * n * sizeof(double));
    b->ops->upload(b, p->slides.data, w->slides.data, w->slides.count * w->slides.item);
    p->tables = true;
    p->timed = false;
    return TL_OK;
}

/* A time that substeps must be short of, and its name. */
typedef struct limit {
    double time;
    const char *name;
    double number; /* of tlk_penalty_times that it comes of; 0: none */
} limit;

static void shorter(limit *least, double time, const char *name, double number)
{
    if (time < least->time)
        *least = (limit){time, name, number};
}

/* The times of the law scaled: they do not depend on bodies. */
static limit scaled_limit(const tl_penalty_def *def)
{
    const double rate = sqrt(def->stiffness > 0 ? def->stiffness : 1000);
    const double z = def->damping / (2 * rate);
    limit least = {INFINITY, "", 0};
    shorter(&least, 2 / rate * (sqrt(1 + z * z) - z), "the limit of stability", 0);
    if (z < 1)
        shorter(&least, acos(-1) / (rate * sqrt(1 - z * z)), "the duration of a contact", 0);
    return least;
}

/* The longest substep with which a swing of this rate and damping ratio stays bounded. Verlet's
 * velocities, extrapolated by half a substep, bear half the damping of others. */
static double stable_time(const tl_world *w, double rate, double z)
{
    const double y = tl_penalty_integrator(w) == TL_INTEGRATOR_VERLET ? 2 * z : z;
    return 2 / rate * (sqrt(1 + y * y) - y);
}

/* The limit of stability with the contacts and springs there are (docs/theory.md, "Penalty
 * contact"): of the body that they make the fastest. */
static tl_status stable(tl_world *w, const tl_penalty_step *s, limit *least)
{
    double n[TLK_FOLD_NUMBERS] = {0};
    if (!w->dynamic)
        return TL_OK;
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_penalty_fastest, w->dynamic, &s->view, n));
    const double rate = sqrt(n[0]), z = rate > 0 ? 0.5 * n[1] / rate : 0;
    if (rate > 0)
        shorter(least, stable_time(w, rate, z) / SAFE, "the limit of stability", 0);
    if (n[2] > 0)
        shorter(least, acos(-1) / sqrt(n[2]), "the duration of a contact", 0);
    return TL_OK;
}

/* The times that follow from shapes and materials, once for all steps until these change. */
static tl_status find_times(tl_world *w, const tl_penalty_step *s)
{
    tlk_penalty view = s->view;
    if (w->penalty->timed)
        return TL_OK;
    view.table = w->penalty->times.data;
    TL_TRY(tl_fold_one(w->backend, TLK_FOLD_penalty_times, w->shape_dynamic, &view,
                       w->penalty->least));
    w->penalty->timed = true;
    return TL_OK;
}

/* Times that follow from springs: of the law linear, and of compliance with its dampers. */
static void spring_limit(const tl_world *w, double mass_over_k, limit *least)
{
    const double *law = w->penalty->numbers.data, rate = sqrt(2 / mass_over_k);
    double damper = 0;
    for (size_t i = 0; i < (size_t)w->materials * w->materials; i++, law += TLK_LAW_NUMBERS)
        damper = fmax(damper, law[TLK_LAW_SPRING] > 0 ? law[TLK_LAW_DAMPER] : 0);
    shorter(least, acos(-1) / rate, "the duration of a contact", mass_over_k);
    if (damper > 0)
        shorter(least, stable_time(w, rate, 0.5 * damper * rate) / SAFE, "the limit of stability",
                mass_over_k);
}

static tl_status find_limit(tl_world *w, const tl_penalty_step *s, limit *least)
{
    const tl_penalty_def *def = &w->settings.penalty;
    const double *n = w->penalty->least;
    *least = (limit){INFINITY, "", 0};
    TL_TRY(stable(w, s, least));
    if (def->law == TL_PENALTY_SCALED) {
        const limit own = scaled_limit(def);
        shorter(least, own.time, own.name, own.number);
        return TL_OK;
    }
    if (!w->shape_dynamic)
        return TL_OK;
    TL_TRY(find_times(w, s));
    const double speed = fmax(s->speed, 1e-6);
    if (n[2] < UNKNOWN)
        spring_limit(w, n[2], least);
    if (def->law == TL_PENALTY_HERTZ) {
        shorter(least, n[0], "the time of Rayleigh's waves", n[0]);
        /* 2.943 depth/speed, depth = (15 m v^2/(16 E sqrt R))^0.4 */
        shorter(least, 2.943 * pow(15.0 / 16, 0.4) * pow(n[1] / speed, 0.2),
                "the duration of a contact", n[1]);
    }
    return TL_OK;
}

/* How long a given substep may be without a warning, of the least of the times. The constants of
 * the law scaled are chosen with a step, that of document 004 among them: it must be stable. */
static double unwarned(const tl_world *w)
{
    return w->settings.penalty.law == TL_PENALTY_SCALED ? 1 : SAFE;
}

/* Says once that substeps are long, and for which material. */
static tl_status warn(tl_world *w, const tl_penalty_step *s, const limit *least)
{
    tlk_penalty view = s->view;
    double n[TLK_FOLD_NUMBERS] = {0, 0, 0, -1};
    char of[32] = "", part[16] = "";
    view.table = w->penalty->times.data;
    view.stage = least->number;
    w->penalty->warned = true;
    if (least->number > 0)
        TL_TRY(tl_fold_one(w->backend, TLK_FOLD_penalty_times, w->shape_dynamic, &view, n));
    if (n[3] >= 0)
        snprintf(of, sizeof of, " of material %.0f", n[3]);
    if (unwarned(w) < 1)
        snprintf(part, sizeof part, "%g of ", SAFE);
    (void)tl_fail_about(TL_OK, &(tl_error){.material = n[3] >= 0 ? 1 + (uint32_t)n[3] : 0},
                        "settings.penalty.substeps is %u: substeps of %g s are longer than %s%s%s, "
                        "%g s (law %s)",
                        s->substeps, w->settings.step / s->substeps, part, least->name, of,
                        least->time, tl_word(TL_WORDS_PENALTY, w->settings.penalty.law));
    return TL_OK;
}

tl_status tl_penalty_limits(tl_world *w, tl_penalty_step *s)
{
    const uint32_t given = w->settings.penalty.substeps;
    const double step = w->settings.step;
    limit least;
    s->substeps = given ? given : s->substeps;
    s->limit = w->penalty->limit;
    if (given && s->limit > 0 && w->steps % LOOKS)
        return TL_OK;
    TL_TRY(find_limit(w, s, &least));
    s->limit = w->penalty->limit = least.time;
    if (!given && isfinite(least.time)) {
        const double count = ceil(step / (SAFE * least.time));
        if (!(count <= 1e6))
            return tl_fail(TL_BAD_ARGUMENT,
                           "step %llu: a step of %g s would take %.3g substeps, as %s is %g s; at "
                           "most 1000000: the step must be shorter or materials softer",
                           (unsigned long long)w->steps + 1, step, count, least.name, least.time);
        s->substeps = count > s->substeps ? (uint32_t)count : s->substeps;
    }
    if (given && step / given > 1.0001 * unwarned(w) * least.time && !w->penalty->warned)
        return warn(w, s, &least);
    return TL_OK;
}
