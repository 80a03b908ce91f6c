/* Reads a scene from its tree: the top level, parameters, settings and materials; the lists are
 * read by the other parse_*.c files. Called by document.c. */
#include "io/parse.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"

/* The version of the format (docs/formats.md). */
#define TL_SCENE_MAJOR   1
#define TL_SCENE_MINOR   1
#define TL_SCENE_VERSION "1.1"

enum { MOST_PARAMETERS = 1000, MOST_MATERIALS = 255 };

/* The most bodies that are read, and as many shapes and table rows; never more than the machine has
 * memory for at this many bytes each, so that a short file with a large number in it is refused
 * instead of taking all memory. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
static const uint64_t most_bodies = 2000;
#else
static const uint64_t most_bodies = TL_MOST_BODIES;
#endif
static const uint64_t bytes_each = 256;

const char *const tl_scene_keys[TL_SCENE_KEYS] = {
    "$schema",    "version",      "title",    "parameters", "include",   "gravity",  "step",
    "duration",   "record",       "settings", "solver",     "materials", "pairs",    "groups",
    "exclude",    "geometries",   "bodies",   "fills",      "rods",      "emitters", "events",
    "boundaries", "moving_patch", "forces",   "joints",     "start",     "monitors",
};

/* "MAJOR.MINOR", as whole numbers. */
static bool split_version(tl_text text, unsigned *major, unsigned *minor)
{
    char copy[16];
    int end = 0;
    if (text.length >= sizeof copy)
        return false;
    memcpy(copy, text.data, text.length);
    copy[text.length] = '\0';
    return strspn(copy, "0123456789.") == text.length &&
           sscanf(copy, "%5u.%5u%n", major, minor, &end) == 2 && (size_t)end == text.length;
}

/* The version is looked at before anything else: a later one may have other keys. 1 stands for any
 * version 1.x; a scene that says "1.x" is refused by a Talus that is too old for it. */
static tl_status read_version(const tl_reader *r, const tl_json *root)
{
    static const char expected[] = "1, or a text \"1.0\" to \"" TL_SCENE_VERSION
                                   "\": the versions of the format that this Talus reads";
    if (root->kind != TL_JSON_OBJECT)
        return tl_read_expected(r, root, "an object: a scene, {\"version\": 1, ...}");
    for (const tl_json *v = tl_json_first(r->tree, root); v; v = tl_json_next(r->tree, v))
        if (tl_text_is(tl_json_key(r->tree, v), "version")) {
            unsigned major = 0, minor = 0;
            if (v->kind == TL_JSON_NUMBER && v->number == TL_SCENE_MAJOR)
                return TL_OK;
            if (v->kind != TL_JSON_STRING ||
                !split_version(tl_json_text(r->tree, v), &major, &minor) || major < TL_SCENE_MAJOR)
                return tl_read_expected(r, v, expected);
            if (major != TL_SCENE_MAJOR || minor > TL_SCENE_MINOR)
                return tl_read_fail(r, v,
                                    "is version %u.%u of scenes, expected at most " TL_SCENE_VERSION
                                    ": this is Talus %s, and a later one reads it",
                                    major, minor, tl_version());
            return TL_OK;
        }
    return tl_read_missing(r, root, "version", expected);
}

static tl_status read_parameters(tl_reader *r, const tl_json *object, const tl_array *given)
{
    const tl_rule any = {-INFINITY, INFINITY, 0, 0,
                         "a number, or an expression of earlier parameters such as \"=2*pi\""};
    if (!object)
        return TL_OK;
    if (object->kind != TL_JSON_OBJECT)
        return tl_read_expected(r, object, "an object: names with numbers");
    if (object->count > MOST_PARAMETERS)
        return tl_read_fail(r, object, "has %u parameters, expected at most %d", object->count,
                            MOST_PARAMETERS);
    for (const tl_json *v = tl_json_first(r->tree, object); v; v = tl_json_next(r->tree, v)) {
        tl_parameter parameter = {.name = tl_json_key(r->tree, v)};
        const tl_text name = parameter.name;
        const int cut = name.length > 60 ? 60 : (int)name.length;
        const tl_parameter *known = r->parameters.data;
        if (!tl_expression_is_name(name))
            return tl_read_fail_key(r, object, v,
                                    "'%.*s' cannot be used in an expression, expected a name of "
                                    "letters, digits and _",
                                    cut, name.data);
        if (tl_expression_is_taken(name))
            return tl_read_fail_key(r, object, v, "'%.*s' is built in, expected another name", cut,
                                    name.data);
        for (size_t i = 0; i < r->parameters.count; i++)
            if (tl_text_same(known[i].name, name))
                return tl_read_fail_key(r, object, v, "duplicate key '%.*s', expected it once", cut,
                                        name.data);
        const tl_parameter *set = given->data, *end = set ? set + given->count : NULL;
        while (set < end && !tl_text_same(set->name, name))
            set++;
        if (set < end)
            parameter.value = set->value;
        else
            TL_TRY(tl_read_number(r, v, &any, &parameter.value));
        TL_TRY(tl_array_append(&r->parameters, &parameter, 1));
    }
    return TL_OK;
}

/* What frames hold besides positions, which they always hold. */
static tl_status read_record_fields(const tl_reader *r, const tl_json *list, uint32_t *fields)
{
    static const char *const words[] = {"position", "orientation", "velocity", "angular_velocity",
                                        NULL};
    static const uint32_t bits[] = {0, TL_RECORD_ORIENTATION, TL_RECORD_VELOCITY,
                                    TL_RECORD_ANGULAR_VELOCITY};
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list,
                         "an array of \"position\", \"orientation\", \"velocity\" and "
                         "\"angular_velocity\""));
    *fields = 0;
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        uint32_t word = 0;
        TL_TRY(tl_read_choice(r, v, words, &word));
        *fields |= bits[word];
    }
    return TL_OK;
}

static tl_status read_record(tl_reader *r, const tl_json *object)
{
    enum { RATE, CONTACTS, CHECKPOINT, RECORDED, OF, COMPRESSION, ERROR, COUNT };
    static const char *const keys[] = {"rate",   "contacts",    "checkpoint", "fields",
                                       "bodies", "compression", "error"};
    const tl_json *f[COUNT];
    tl_record_def *record = &r->document->record;
    uint32_t compression = record->compression;
    if (!object)
        return TL_OK;
    TL_TRY(tl_read_fields(r, object, "what to record", COUNT, keys, f));
    TL_TRY(tl_read_number(r, f[RATE], TL_AT_LEAST_0("frames/s"), &record->rate));
    TL_TRY(tl_read_flag(r, f[CONTACTS], &record->contacts));
    TL_TRY(tl_read_number(r, f[CHECKPOINT], TL_ABOVE_0("s"), &record->checkpoint));
    TL_TRY(read_record_fields(r, f[RECORDED], &record->fields));
    TL_TRY(tl_read_choice(r, f[COMPRESSION], tl_words(TL_WORDS_COMPRESSION), &compression));
    record->compression = (tl_compression)compression;
    if (f[ERROR] && record->compression != TL_COMPRESSION_QUANTISED)
        return tl_read_fail(r, f[ERROR],
                            "is given, but compression is \"%s\", expected \"quantised\"",
                            tl_word(TL_WORDS_COMPRESSION, compression));
    r->recorded = f[OF];
    return tl_read_number(r, f[ERROR], TL_ABOVE_0("m"), &record->error);
}

static tl_status read_exact(tl_reader *r, const tl_json *object, tl_exact_def *exact)
{
    enum { EPSILON, PSI, DIRECTIONS, CONE, PRIMARY, COUNT };
    static const char *const keys[] = {"epsilon", "psi_minimum", "directions", "cone", "primary"};
    const tl_json *f[COUNT];
    uint64_t directions = exact->directions;
    if (!object)
        return TL_OK;
    TL_TRY(tl_read_fields(r, object, "exact", COUNT, keys, f));
    TL_TRY(tl_read_number(r, f[EPSILON], TL_AT_LEAST_0("m"), &exact->epsilon));
    TL_TRY(tl_read_number(r, f[PSI], TL_AT_LEAST_0("m"), &exact->psi_minimum));
    TL_TRY(tl_read_whole(r, f[DIRECTIONS], 3, 64, &directions));
    exact->directions = (uint32_t)directions;
    TL_TRY(tl_read_flag(r, f[CONE], &exact->cone));
    return tl_read_flag(r, f[PRIMARY], &exact->primary);
}

static tl_status read_settings(tl_reader *r, const tl_json *object)
{
    enum {
        ENVELOPE,
        OVERLAP,
        FRACTION,
        SPEED,
        BOUNCE,
        IMPACTS,
        MOST,
        PRECISION,
        STEPPER,
        EXACT,
        PLANAR,
        PLANES,
        PENALTY,
        COUNT
    };
    static const char *const keys[] = {"envelope",
                                       "overlap",
                                       "recovery_fraction",
                                       "recovery_speed",
                                       "restitution_speed",
                                       "impacts",
                                       "max_speed",
                                       "precision",
                                       "stepper",
                                       "exact",
                                       "planar",
                                       "planes",
                                       "penalty"};
    static const tl_rule fraction = {0, 1, 1, 0, "a number above 0 and at most 1"};
    const tl_json *f[COUNT];
    tl_settings *s = &r->settings;
    uint32_t overlap = s->overlap, impacts = s->impacts, precision = s->precision;
    uint32_t stepper = s->stepper, planar = s->planar, planes = s->planes;
    if (!object)
        return TL_OK;
    TL_TRY(tl_read_fields(r, object, "settings", COUNT, keys, f));
    TL_TRY(tl_read_number(r, f[ENVELOPE], TL_AT_LEAST_0("m"), &s->envelope));
    TL_TRY(tl_read_choice(r, f[OVERLAP], tl_words(TL_WORDS_OVERLAP), &overlap));
    TL_TRY(tl_read_number(r, f[FRACTION], &fraction, &s->recovery_fraction));
    TL_TRY(tl_read_number(r, f[SPEED], TL_ABOVE_0("m/s"), &s->recovery_speed));
    TL_TRY(tl_read_number(r, f[BOUNCE], TL_AT_LEAST_0("m/s"), &s->restitution_speed));
    TL_TRY(tl_read_choice(r, f[IMPACTS], tl_words(TL_WORDS_IMPACTS), &impacts));
    TL_TRY(tl_read_number(r, f[MOST], TL_ABOVE_0("m/s"), &s->max_speed));
    TL_TRY(tl_read_choice(r, f[PRECISION], tl_words(TL_WORDS_PRECISION), &precision));
    TL_TRY(tl_read_choice(r, f[STEPPER], tl_words(TL_WORDS_STEPPER), &stepper));
    TL_TRY(read_exact(r, f[EXACT], &s->exact));
    TL_TRY(tl_read_penalty(r, f[PENALTY], &s->penalty));
    TL_TRY(tl_read_choice(r, f[PLANAR], tl_words(TL_WORDS_PLANAR), &planar));
    TL_TRY(tl_read_choice(r, f[PLANES], tl_words(TL_WORDS_PLANES), &planes));
    s->stepper = (tl_stepper)stepper;
    s->planar = (tl_planar)planar;
    s->planes = (tl_planes)planes;
    s->overlap = (tl_overlap)overlap;
    s->impacts = (tl_impacts)impacts;
    s->precision = (tl_precision)precision;
    return TL_OK;
}

static tl_status read_solver(tl_reader *r, const tl_json *object)
{
    enum {
        KIND,
        LAW,
        ITERATIONS,
        POSITIONS,
        BALANCE,
        COARSE,
        TOLERANCE,
        OMEGA,
        LAMBDA,
        WARM,
        METHOD,
        COUNT
    };
    static const char *const keys[] = {"kind",
                                       "law",
                                       "iterations",
                                       "position_iterations",
                                       "balance_iterations",
                                       "coarse_layers",
                                       "tolerance",
                                       "omega",
                                       "lambda",
                                       "warm_start",
                                       "joints"};
    static const tl_rule omega = {0, 2, 1, 1, "a number above 0 and below 2"};
    static const tl_rule lambda = {0, 1, 1, 0, "a number above 0 and at most 1"};
    const tl_json *f[COUNT];
    tl_solver_def *s = &r->settings.solver;
    uint32_t kind = s->kind, law = s->law, joints = s->joints;
    uint64_t iterations = s->iterations, positions = s->position_iterations;
    uint64_t balance = s->balance_iterations, coarse = s->coarse_layers;
    if (!object)
        return TL_OK;
    TL_TRY(tl_read_fields(r, object, "the solver", COUNT, keys, f));
    TL_TRY(tl_read_choice(r, f[KIND], tl_words(TL_WORDS_SOLVER), &kind));
    TL_TRY(tl_read_choice(r, f[LAW], tl_words(TL_WORDS_LAW), &law));
    TL_TRY(tl_read_whole(r, f[ITERATIONS], 1, 1000000, &iterations));
    TL_TRY(tl_read_whole(r, f[POSITIONS], 1, 1000000, &positions));
    TL_TRY(tl_read_whole(r, f[BALANCE], 0, 1000000, &balance));
    TL_TRY(tl_read_whole(r, f[COARSE], 0, 1000000, &coarse));
    TL_TRY(tl_read_number(r, f[TOLERANCE], TL_AT_LEAST_0("m/s"), &s->tolerance));
    TL_TRY(tl_read_number(r, f[OMEGA], &omega, &s->omega));
    TL_TRY(tl_read_number(r, f[LAMBDA], &lambda, &s->lambda));
    TL_TRY(tl_read_flag(r, f[WARM], &s->warm_start));
    TL_TRY(tl_read_choice(r, f[METHOD], tl_words(TL_WORDS_JOINTS), &joints));
    s->joints = (tl_joint_method)joints;
    s->kind = (tl_solver_kind)kind;
    s->law = (tl_law)law;
    s->iterations = (uint32_t)iterations;
    s->position_iterations = (uint32_t)positions;
    s->balance_iterations = (uint32_t)balance;
    s->coarse_layers = (uint32_t)coarse;
    return TL_OK;
}

/* ---- Materials ---- */

/* What materials and pairs of them have in common: keys, from the first on. */
enum {
    FRICTION,
    RESTITUTION,
    ROLLING,
    SPINNING,
    COHESION,
    COMPLIANCE,
    DAMPING,
    DENSITY,
    PAIR_KEYS
};
#define PAIR_KEY_LIST                                                                             \
    "friction", "restitution", "rolling_friction", "spinning_friction", "cohesion", "compliance", \
        "damping_time", "cohesion_density"

static tl_status read_laws(const tl_reader *r, const tl_json *const *f, tl_pair_def *out)
{
    static const tl_rule rubs = {0, INFINITY, 0, 0, "a number of at least 0"};
    static const tl_rule bounces = {0, 1, 0, 0, "a number from 0 to 1"};
    static const tl_rule share = {0, 1e9, 0, 0, "a number from 0 to 1e9"};
    static const tl_rule force = {0, 1e9, 0, 0, "a number from 0 to 1e9 (N)"};
    static const tl_rule gives = {0, 1e9, 0, 0, "a number from 0 to 1e9 (m/N)"};
    static const tl_rule lasts = {0, 1e9, 0, 0, "a number from 0 to 1e9 (s)"};
    static const tl_rule dense = {0, 1e15, 0, 0, "a number from 0 to 1e15 (J/m^3)"};
    TL_TRY(tl_read_number(r, f[FRICTION], &rubs, &out->friction));
    TL_TRY(tl_read_number(r, f[RESTITUTION], &bounces, &out->restitution));
    TL_TRY(tl_read_number(r, f[ROLLING], &share, &out->rolling_friction));
    TL_TRY(tl_read_number(r, f[SPINNING], &share, &out->spinning_friction));
    TL_TRY(tl_read_number(r, f[COHESION], &force, &out->cohesion));
    TL_TRY(tl_read_number(r, f[COMPLIANCE], &gives, &out->compliance));
    TL_TRY(tl_read_number(r, f[DAMPING], &lasts, &out->damping_time));
    return tl_read_number(r, f[DENSITY], &dense, &out->cohesion_density);
}

/* The index of a material that has been read, 0 where there is none. */
static uint32_t find_material(const tl_reader *r, tl_text prefix, tl_text name)
{
    const uint32_t *names = r->document->materials.data;
    for (size_t i = 1; i < r->document->materials.count; i++)
        if (tl_text_joins(prefix, name, (char *)r->document->names.data + names[i]))
            return (uint32_t)i;
    return 0;
}

static tl_status read_materials(tl_reader *r, const tl_json *object)
{
    enum { VELOCITY = PAIR_KEYS, YOUNG, POISSON, ELLIPSOID, COUNT };
    static const char *const keys[] = {PAIR_KEY_LIST, "surface_velocity", "young_modulus",
                                       "poisson_ratio", "friction_ellipsoid"};
    static const tl_rule young = {1e3, 1e15, 0, 0, "a number from 1e3 to 1e15 (Pa)"};
    static const tl_rule factor = {0.01, 100, 0, 0, "a number from 0.01 to 100"};
    static const tl_rule poisson = {-1, 0.5, 1, 0, "a number above -1 and at most 0.5"};
    const tl_json *f[COUNT];
    if (!object)
        return TL_OK;
    if (object->kind != TL_JSON_OBJECT)
        return tl_read_expected(r, object, "an object: names with materials");
    const size_t before = r->document->materials.count - 1; /* without "default" */
    if (object->count > MOST_MATERIALS - before)
        return tl_read_fail(r, object, "has %u materials, expected at most %zu", object->count,
                            MOST_MATERIALS - before);
    for (const tl_json *v = tl_json_first(r->tree, object); v; v = tl_json_next(r->tree, v)) {
        const tl_text name = tl_json_key(r->tree, v);
        const int cut = name.length > 60 ? 60 : (int)name.length;
        tl_material_def def = tl_material_default();
        tl_pair_def laws = {.friction = def.friction};
        tl_material material;
        uint32_t place;
        if (!name.length || tl_text_is(name, "default"))
            return tl_read_fail_key(r, object, v,
                                    "'%.*s' cannot be the name of a material, expected another",
                                    cut, name.data);
        if (find_material(r, tl_scope_prefix(r), name))
            return tl_read_fail_key(r, object, v, "duplicate key '%.*s', expected it once", cut,
                                    name.data);
        TL_TRY(tl_read_fields(r, v, "a material", COUNT, keys, f));
        TL_TRY(read_laws(r, f, &laws));
        TL_TRY(tl_read_vector(r, f[VELOCITY], 3, TL_ANY("m/s"), def.surface_velocity));
        TL_TRY(tl_read_number(r, f[YOUNG], &young, &def.young_modulus));
        TL_TRY(tl_read_number(r, f[POISSON], &poisson, &def.poisson_ratio));
        TL_TRY(tl_read_vector(r, f[ELLIPSOID], 3, &factor, def.friction_ellipsoid));
        TL_TRY(tl_read_check_laws(r, v, &laws));
        TL_TRY(tl_read_check_ellipsoid(r, f[ELLIPSOID], def.friction_ellipsoid));
        def.cohesion_density = laws.cohesion_density;
        def.friction = laws.friction;
        def.restitution = laws.restitution;
        def.rolling_friction = laws.rolling_friction;
        def.spinning_friction = laws.spinning_friction;
        def.cohesion = laws.cohesion;
        def.compliance = laws.compliance;
        def.damping_time = laws.damping_time;
        tl_status status = tl_scene_add_material(r->scene, &def, &material);
        if (status < 0)
            return tl_read_refused(r, v, status);
        TL_TRY(tl_read_keep(r, name, &place));
        TL_TRY(tl_array_append(&r->document->materials, &place, 1));
    }
    return TL_OK;
}

tl_status tl_read_material(const tl_reader *r, const tl_json *value, tl_material *material)
{
    tl_text name = {0};
    if (!value)
        return TL_OK;
    TL_TRY(tl_read_string(r, value, "the name of a material", &name));
    tl_text prefix = tl_scope_prefix(r);
    do
        material->index = find_material(r, prefix, name);
    while (!material->index && tl_prefix_shorten(&prefix));
    if (material->index || tl_text_is(name, "default"))
        return TL_OK;
    const uint32_t *names = r->document->materials.data;
    tl_near near = tl_near_start(name);
    char text[64];
    for (size_t i = 0; i < r->document->materials.count; i++) {
        const char *known = (char *)r->document->names.data + names[i];
        tl_near_offer_all(&near, &known, 1);
    }
    return tl_read_fail(r, value, "is %s, expected the name of a material%s",
                        tl_read_show(r, value, text, sizeof text), tl_near_hint(&near));
}

static tl_status read_pair(const tl_reader *r, const tl_json *value, tl_material pair[2])
{
    enum { MATERIALS_OF = PAIR_KEYS, COUNT };
    static const char *const keys[] = {PAIR_KEY_LIST, "materials"};
    static const char *const two = "the names of two materials";
    const tl_json *f[COUNT];
    tl_pair_def laws;
    TL_TRY(tl_read_fields(r, value, "a pair of materials", COUNT, keys, f));
    if (!f[MATERIALS_OF])
        return tl_read_missing(r, value, "materials", two);
    if (f[MATERIALS_OF]->kind != TL_JSON_ARRAY || f[MATERIALS_OF]->count != 2)
        return tl_read_expected(r, f[MATERIALS_OF], two);
    const tl_json *first = tl_json_first(r->tree, f[MATERIALS_OF]);
    TL_TRY(tl_read_material(r, first, &pair[0]));
    TL_TRY(tl_read_material(r, tl_json_next(r->tree, first), &pair[1]));
    if (!f[FRICTION])
        return tl_read_missing(r, value, "friction", "a number of at least 0");
    if (!f[RESTITUTION])
        return tl_read_missing(r, value, "restitution", "a number from 0 to 1");
    tl_status status = tl_scene_pair(r->scene, pair[0], pair[1], &laws); /* what is not given */
    TL_TRY(status);
    TL_TRY(read_laws(r, f, &laws));
    TL_TRY(tl_read_check_laws(r, value, &laws));
    status = tl_scene_set_pair(r->scene, pair[0], pair[1], &laws);
    return status < 0 ? tl_read_refused(r, value, status) : TL_OK;
}

static tl_status read_pairs(tl_reader *r, const tl_json *list)
{
    bool seen[MOST_MATERIALS + 1][MOST_MATERIALS + 1] = {{false}};
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of pairs of materials"));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        tl_material pair[2] = {{0}, {0}};
        TL_TRY(read_pair(r, v, pair));
        if (seen[pair[0].index][pair[1].index])
            return tl_read_fail(r, v, "sets a pair that is set before, expected each pair once");
        seen[pair[0].index][pair[1].index] = seen[pair[1].index][pair[0].index] = true;
    }
    return TL_OK;
}

/* ---- The whole ---- */

static tl_status read_title(tl_reader *r, const tl_json *schema, const tl_json *title)
{
    tl_text text = {"", 0};
    TL_TRY(tl_read_string(r, schema, NULL, &text));
    text = (tl_text){"", 0};
    TL_TRY(tl_read_string(r, title, NULL, &text));
    return tl_document_keep(r->document, text, &r->document->title);
}

static tl_status read_general(tl_reader *r, const tl_json *const *f)
{
    r->settings = tl_settings_default();
    TL_TRY(read_title(r, f[TL_SCENE_SCHEMA], f[TL_SCENE_TITLE]));
    TL_TRY(tl_read_vector(r, f[TL_SCENE_GRAVITY], 3, TL_ANY("m/s^2"), r->settings.gravity));
    TL_TRY(tl_read_number(r, f[TL_SCENE_STEP], TL_ABOVE_0("s"), &r->settings.step));
    TL_TRY(tl_read_number(r, f[TL_SCENE_DURATION], TL_ABOVE_0("s"), &r->document->record.duration));
    TL_TRY(read_record(r, f[TL_SCENE_RECORD]));
    TL_TRY(read_settings(r, f[TL_SCENE_SETTINGS]));
    TL_TRY(read_solver(r, f[TL_SCENE_SOLVER]));
    tl_status status = tl_scene_set_settings(r->scene, &r->settings);
    return status < 0 ? tl_read_refused(r, tl_json_at(r->tree, 0), status) : TL_OK;
}

tl_status tl_read_head(tl_reader *r, tl_scope *scope, const tl_array *given)
{
    TL_TRY(read_version(r, scope->root));
    TL_TRY(tl_read_fields(r, scope->root, "a scene", TL_SCENE_KEYS, tl_scene_keys, scope->fields));
    return read_parameters(r, scope->fields[TL_SCENE_PARAMETERS], given);
}

/* What is of the scene as a whole; of fragments it does not count. */
static tl_status read_whole(tl_reader *r)
{
    r->scope = (const tl_scope *)r->scopes.data + r->scopes.count - 1;
    r->parameters = r->scope->parameters;
    return read_general(r, r->scope->fields);
}

tl_status tl_read_scene(tl_reader *r)
{
    static const struct part {
        int key;
        tl_status (*read)(tl_reader *r, const tl_json *value);
    } parts[] = {
        {TL_SCENE_MATERIALS, read_materials},  {TL_SCENE_PAIRS, read_pairs},
        {TL_SCENE_GROUPS, tl_read_groups},     {TL_SCENE_GEOMETRIES, tl_read_geometries},
        {TL_SCENE_GEOMETRIES, tl_read_splits}, {TL_SCENE_BODIES, tl_read_bodies},
        {TL_SCENE_FILLS, tl_read_fills},       {TL_SCENE_RODS, tl_read_rods},
        {TL_SCENE_EMITTERS, tl_read_emitters}, {TL_SCENE_JOINTS, tl_read_joints},
        {TL_SCENE_START, tl_read_starts},      {TL_SCENE_EXCLUDE, tl_read_exclusions},
        {TL_SCENE_EVENTS, tl_read_events},     {TL_SCENE_BOUNDARIES, tl_read_boundaries},
        {TL_SCENE_PATCH, tl_read_patch},       {TL_SCENE_FORCES, tl_read_forces},
        {TL_SCENE_MONITORS, tl_read_monitors},
    };
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    r->most = most_bodies;
    if (pages > 0 && page > 0 && (uint64_t)pages / bytes_each * (uint64_t)page < r->most)
        r->most = (uint64_t)pages / bytes_each * (uint64_t)page;
    TL_TRY(tl_read_scopes(r));
    TL_TRY(read_whole(r));
    TL_TRY(tl_read_each(r, TL_SCENE_FILLS, tl_read_uncounted));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (r->stored.outline && parts[i].key == TL_SCENE_EMITTERS)
            return TL_OK; /* what follows speaks of bodies, which are not there */
        TL_TRY(tl_read_each(r, parts[i].key, parts[i].read));
        if (parts[i].read == tl_read_splits)
            TL_TRY(tl_read_pieces(r));
    }
    return tl_read_recorded(r, r->recorded);
}
