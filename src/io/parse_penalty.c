/* The settings of penalty contact. Called by parse_scene.c. */
#include "io/parse.h"

enum {
    LAW,
    INTEGRATOR,
    SUBSTEPS,
    STIFFNESS,
    TANGENTIAL,
    DAMPING,
    FRICTION,
    FORM,
    COLLISIONS,
    THRESHOLD,
    ATTRACTION,
    ROLLING,
    COHESION,
    COUNT
};

#define HERTZ  (1u << TL_PENALTY_HERTZ)
#define LINEAR (1u << TL_PENALTY_LINEAR)
#define SCALED (1u << TL_PENALTY_SCALED)

/* Refuses a key that the law does not know. */
static tl_status check_keys(const tl_reader *r, const tl_json *const *f, tl_penalty_law law)
{
    static const struct {
        uint32_t key, laws;
        const char *expected;
    } rules[] = {{STIFFNESS, LINEAR | SCALED, "\"linear\" or \"scaled\""},
                 {TANGENTIAL, LINEAR, "\"linear\""},
                 {DAMPING, SCALED, "\"scaled\""},
                 {FRICTION, SCALED, "\"scaled\""},
                 {FORM, SCALED, "\"scaled\""},
                 {COLLISIONS, SCALED, "\"scaled\""},
                 {THRESHOLD, SCALED, "\"scaled\""},
                 {ROLLING, HERTZ | LINEAR, "\"hertz\" or \"linear\""},
                 {COHESION, HERTZ | LINEAR, "\"hertz\" or \"linear\""}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (f[rules[i].key] && !(rules[i].laws >> law & 1u))
            return tl_read_fail(r, f[rules[i].key], "is given, but law is \"%s\", expected %s",
                                tl_word(TL_WORDS_PENALTY, law), rules[i].expected);
    return TL_OK;
}

static tl_status read_substeps(const tl_reader *r, const tl_json *value, uint32_t *substeps)
{
    uint64_t count = *substeps;
    if (!value)
        return TL_OK;
    if (value->kind == TL_JSON_STRING && tl_text_is(tl_json_text(r->tree, value), "auto")) {
        *substeps = 0;
        return TL_OK;
    }
    TL_TRY(tl_read_whole(r, value, 1, 1000000, &count));
    *substeps = (uint32_t)count;
    return TL_OK;
}

tl_status tl_read_penalty(tl_reader *r, const tl_json *object, tl_penalty_def *p)
{
    static const char *const keys[] = {
        "law",        "integrator", "substeps",      "stiffness",  "tangential_stiffness",
        "damping",    "friction",   "friction_form", "collisions", "collision_threshold",
        "attraction", "rolling",    "cohesion"};
    static const tl_rule most = {0, 1e12, 0, 0, "a number from 0 to 1e12"};
    static const tl_rule some = {0, 1e12, 1, 0, "a number above 0 and at most 1e12"};
    const tl_json *f[COUNT];
    uint32_t law = p->law, integrator = p->integrator, form = p->friction_form;
    uint32_t rolling = p->rolling, cohesion = p->cohesion;
    if (!object)
        return TL_OK;
    TL_TRY(tl_read_fields(r, object, "penalty", COUNT, keys, f));
    TL_TRY(tl_read_choice(r, f[LAW], tl_words(TL_WORDS_PENALTY), &law));
    TL_TRY(check_keys(r, f, (tl_penalty_law)law));
    TL_TRY(tl_read_choice(r, f[INTEGRATOR], tl_words(TL_WORDS_INTEGRATOR), &integrator));
    TL_TRY(read_substeps(r, f[SUBSTEPS], &p->substeps));
    TL_TRY(tl_read_number(r, f[STIFFNESS], &some, &p->stiffness));
    TL_TRY(tl_read_number(r, f[TANGENTIAL], &some, &p->tangential_stiffness));
    TL_TRY(tl_read_number(r, f[DAMPING], &most, &p->damping));
    TL_TRY(tl_read_number(r, f[FRICTION], &most, &p->friction));
    TL_TRY(tl_read_choice(r, f[FORM], tl_words(TL_WORDS_FRICTION), &form));
    TL_TRY(tl_read_flag(r, f[COLLISIONS], &p->collisions));
    TL_TRY(tl_read_number(r, f[THRESHOLD], &most, &p->collision_threshold));
    TL_TRY(tl_read_flag(r, f[ATTRACTION], &p->attraction));
    TL_TRY(tl_read_choice(r, f[ROLLING], tl_words(TL_WORDS_ROLLING), &rolling));
    TL_TRY(tl_read_choice(r, f[COHESION], tl_words(TL_WORDS_COHESION), &cohesion));
    if (cohesion == TL_COHESION_JKR && law != TL_PENALTY_HERTZ)
        return tl_read_fail(r, f[COHESION], "is \"jkr\", but law is \"%s\", expected \"hertz\"",
                            tl_word(TL_WORDS_PENALTY, law));
    p->law = (tl_penalty_law)law;
    p->integrator = (tl_integrator)integrator;
    p->friction_form = (tl_friction_form)form;
    p->rolling = (tl_rolling)rolling;
    p->cohesion = (tl_cohesion_law)cohesion;
    return TL_OK;
}
