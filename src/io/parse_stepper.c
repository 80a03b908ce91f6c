/* What the stepper, the law or the solver of a scene does not know of its materials and shapes,
 * refused where it is written. Worlds have the same rules (world/material.c) without places in a
 * file. Of results nothing is refused: they have been run. */
#include "io/parse.h"

/* Whether a scene has a stepper of small problems, which knows friction alone. */
static bool is_exact(const tl_reader *r)
{
    return r->settings.stepper == TL_STEPPER_STEWART_TRINKLE ||
           r->settings.stepper == TL_STEPPER_PEG;
}

static const tl_json *member(const tl_reader *r, const tl_json *object, const char *key)
{
    const tl_json *v = tl_json_first(r->tree, object);
    while (v && !tl_text_is(tl_json_key(r->tree, v), key))
        v = tl_json_next(r->tree, v);
    return v;
}

/* A number of a law that must be 0. Where an entry does not give it, it is that of its materials.
 */
__attribute__((cold)) static tl_status refuse(const tl_reader *r, const tl_json *entry,
                                              const char *key, double number, const char *expected,
                                              const char *setting, const char *word)
{
    const tl_json *value = member(r, entry, key);
    if (value)
        return tl_read_fail(r, value, "is %g, expected %s: %s is \"%s\"", number, expected, setting,
                            word);
    return tl_read_fail(r, entry, "has '%s' %g of its materials, expected %s: %s is \"%s\"", key,
                        number, expected, setting, word);
}

/* The first of these numbers that is above 0 is refused. */
static tl_status refuse_some(const tl_reader *r, const tl_json *entry, const tl_pair_def *p,
                             bool bounces, bool density, const char *setting, const char *word)
{
    const struct {
        const char *key;
        double number;
    } laws[] = {{"rolling_friction", p->rolling_friction},
                {"spinning_friction", p->spinning_friction},
                {"cohesion", p->cohesion},
                {"compliance", p->compliance},
                {"cohesion_density", density ? p->cohesion_density : 0},
                {"restitution", bounces ? p->restitution : 0}};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        if (laws[i].number > 0)
            return refuse(r, entry, laws[i].key, laws[i].number, "0", setting, word);
    return TL_OK;
}

static tl_status check_penalty(const tl_reader *r, const tl_json *entry, const tl_pair_def *p)
{
    static const char cohesion[] = "settings.penalty.cohesion";
    const tl_penalty_def *def = &r->settings.penalty;
    const char *word = tl_word(TL_WORDS_COHESION, def->cohesion);
    if (def->law == TL_PENALTY_SCALED)
        return refuse_some(r, entry, p, false, true, "settings.penalty.law",
                           tl_word(TL_WORDS_PENALTY, def->law));
    if (def->cohesion == TL_COHESION_SJKR)
        return p->cohesion > 0 && !(p->cohesion_density > 0)
                   ? refuse(r, entry, "cohesion", p->cohesion, "0, or 'cohesion_density' beside it",
                            cohesion, word)
                   : TL_OK;
    if (p->cohesion_density > 0 && !(p->cohesion > 0))
        return refuse(r, entry, "cohesion_density", p->cohesion_density,
                      "0, or 'cohesion' beside it", cohesion, word);
    if (def->cohesion == TL_COHESION_JKR && p->cohesion > 0 && p->compliance > 0)
        return refuse(r, entry, "compliance", p->compliance, "0 with 'cohesion'", cohesion, word);
    return TL_OK;
}

tl_status tl_read_check_laws(const tl_reader *r, const tl_json *entry, const tl_pair_def *laws)
{
    const tl_settings *s = &r->settings;
    if (r->stored.result)
        return TL_OK;
    if (is_exact(r))
        return refuse_some(r, entry, laws, true, false, "settings.stepper",
                           tl_word(TL_WORDS_STEPPER, s->stepper));
    if (s->stepper == TL_STEPPER_PENALTY)
        return check_penalty(r, entry, laws);
    const tl_pair_def rolls = {.rolling_friction = laws->rolling_friction,
                               .spinning_friction = laws->spinning_friction};
    return s->solver.kind == TL_PSOR ? TL_OK
                                     : refuse_some(r, entry, &rolls, false, false, "solver.kind",
                                                   tl_word(TL_WORDS_SOLVER, s->solver.kind));
}

tl_status tl_read_check_ellipsoid(const tl_reader *r, const tl_json *value, const double factors[3])
{
    if (!value || r->stored.result || is_exact(r) ||
        (factors[0] == 1 && factors[1] == 1 && factors[2] == 1))
        return TL_OK;
    return tl_read_fail(r, value,
                        "is given, but settings.stepper is \"%s\", expected \"stewart-trinkle\" or "
                        "\"peg\"",
                        tl_word(TL_WORDS_STEPPER, r->settings.stepper));
}

tl_status tl_read_check_shape(const tl_reader *r, const tl_json *kind, tl_body_kind body,
                              const tl_shape_def *shape)
{
    if (r->stored.result || r->settings.stepper != TL_STEPPER_PENALTY || body != TL_DYNAMIC ||
        shape->kind != TL_POINT || shape->sensor)
        return TL_OK;
    return tl_read_fail(r, kind,
                        "is \"point\", and settings.stepper is \"penalty\", expected a shape that "
                        "has a radius");
}
