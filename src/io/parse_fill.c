/* Fills and emitters with their regions and sizes. Called by parse_scene.c. */
#include "io/parse.h"

#include <stdio.h>
#include <string.h>

static const uint64_t most_seed = 1ull << 53; /* every whole number up to here is a double */

/* ---- Regions ---- */

enum { R_KIND, R_LOW, R_HIGH, R_CENTRE, R_AXIS, R_RADIUS, REGION_KEYS };
static const char *const region_keys[] = {"kind", "low", "high", "centre", "axis", "radius"};

/* A corner of a box; null is unbounded where that is allowed. */
static tl_status read_corner(const tl_reader *r, const tl_json *value, bool bounded, double none,
                             double out[3])
{
    static const tl_rule any = {-INFINITY, INFINITY, 0, 0, "a number (m)"};
    static const tl_rule open = {-INFINITY, INFINITY, 0, 0, "a number (m), or null: no bound"};
    const tl_rule *rule = bounded ? &any : &open;
    if (bounded || value->kind != TL_JSON_ARRAY || value->count != 3)
        return tl_read_vector(r, value, 3, rule, out);
    for (const tl_json *v = tl_json_first(r->tree, value); v; v = tl_json_next(r->tree, v), out++)
        if (v->kind == TL_JSON_NULL)
            *out = none;
        else
            TL_TRY(tl_read_number(r, v, rule, out));
    return TL_OK;
}

static tl_status read_box(const tl_reader *r, const tl_json *value, const tl_json *const *f,
                          bool bounded, tl_region *region)
{
    static const char axes[] = "xyz";
    if (!f[R_LOW] || !f[R_HIGH])
        return tl_read_missing(r, value, f[R_LOW] ? "high" : "low",
                               "a corner of the box [x, y, z] (m)");
    TL_TRY(read_corner(r, f[R_LOW], bounded, -INFINITY, region->low));
    TL_TRY(read_corner(r, f[R_HIGH], bounded, INFINITY, region->high));
    for (int i = 0; i < 3; i++)
        if (!(region->high[i] > region->low[i]))
            return tl_read_fail(r, f[R_HIGH], "has %c = %g, expected more than that of low, %g (m)",
                                axes[i], region->high[i], region->low[i]);
    return TL_OK;
}

static tl_status read_round(const tl_reader *r, const tl_json *value, const tl_json *const *f,
                            tl_region *region)
{
    const bool cylinder = region->kind == TL_REGION_CYLINDER;
    if (!f[R_CENTRE])
        return tl_read_missing(r, value, "centre",
                               cylinder ? "the centre of its base [x, y, z] (m)"
                                        : "a point [x, y, z] (m)");
    if (cylinder && !f[R_AXIS])
        return tl_read_missing(r, value, "axis", "the way from base to top [x, y, z] (m)");
    if (!f[R_RADIUS])
        return tl_read_missing(r, value, "radius", "a number above 0 (m)");
    TL_TRY(tl_read_vector(r, f[R_CENTRE], 3, TL_ANY("m"), region->centre));
    TL_TRY(tl_read_vector(r, f[R_AXIS], 3, TL_ANY("m"), region->axis));
    TL_TRY(tl_read_number(r, f[R_RADIUS], TL_ABOVE_0("m"), &region->radius));
    if (cylinder && region->axis[0] == 0 && region->axis[1] == 0 && region->axis[2] == 0)
        return tl_read_fail(r, f[R_AXIS], "is zero, expected the way from base to top (m)");
    return TL_OK;
}

tl_status tl_read_region(const tl_reader *r, const tl_json *value, bool bounded, tl_region *region)
{
    static const bool used[3][REGION_KEYS] = {
        [TL_REGION_BOX] = {[R_LOW] = true, [R_HIGH] = true},
        [TL_REGION_CYLINDER] = {[R_CENTRE] = true, [R_AXIS] = true, [R_RADIUS] = true},
        [TL_REGION_SPHERE] = {[R_CENTRE] = true, [R_RADIUS] = true},
    };
    const tl_json *f[REGION_KEYS];
    uint32_t kind = 0;
    TL_TRY(tl_read_fields(r, value, "a region", REGION_KEYS, region_keys, f));
    TL_TRY(tl_read_kind(r, value, f[R_KIND], tl_words(TL_WORDS_REGION), &kind));
    for (int i = 1; i < REGION_KEYS; i++)
        if (f[i] && !used[kind][i])
            return tl_read_fail_key(r, value, f[i], "has '%s', expected none in a %s",
                                    region_keys[i], tl_word(TL_WORDS_REGION, kind));
    region->kind = (tl_region_kind)kind;
    TL_TRY(kind == TL_REGION_BOX ? read_box(r, value, f, bounded, region)
                                 : read_round(r, value, f, region));
    return tl_frame_region(r, value, region);
}

static double volume(const tl_region *region)
{
    const double pi = 3.14159265358979323846, *a = region->axis, radius = region->radius;
    if (region->kind == TL_REGION_SPHERE)
        return 4.0 / 3.0 * pi * radius * radius * radius;
    if (region->kind == TL_REGION_CYLINDER)
        return pi * radius * radius * hypot(hypot(a[0], a[1]), a[2]);
    double product = 1;
    for (int i = 0; i < 3; i++)
        product *= region->high[i] - region->low[i];
    return product;
}

/* ---- Sizes ---- */

enum { S_KIND, S_LOW, S_HIGH, S_MEAN, S_MEDIAN, S_DEVIATION, SIZE_KEYS };
static const char *const size_keys[] = {"kind", "low", "high", "mean", "median", "deviation"};

/* Of radii (m), or of factors, which have no unit. */
static tl_status read_distribution(const tl_reader *r, const tl_json *value, bool factors,
                                   tl_size_def *size)
{
    static const bool used[3][SIZE_KEYS] = {
        {0, 1, 1, 0, 0, 0}, {0, 1, 1, 1, 0, 1}, {0, 1, 1, 0, 1, 1}};
    static const tl_rule plain = {0, INFINITY, 1, 0, "a number above 0"};
    const tl_rule *rule = factors ? &plain : TL_ABOVE_0("m");
    const char *unit = factors ? "" : " (m)";
    const char *const *kinds =
        tl_words(TL_WORDS_SIZE) + TL_SIZE_UNIFORM; /* equal: a radius alone */
    const tl_json *f[SIZE_KEYS];
    uint32_t kind = 0;
    TL_TRY(tl_read_fields(r, value,
                          factors ? "a distribution of factors" : "a distribution of radii",
                          SIZE_KEYS, size_keys, f));
    TL_TRY(tl_read_kind(r, value, f[S_KIND], kinds, &kind));
    for (int i = 1; i < SIZE_KEYS; i++) {
        if (f[i] && !used[kind][i])
            return tl_read_fail_key(r, value, f[i],
                                    "has '%s', expected none in a size of kind \"%s\"",
                                    size_keys[i], kinds[kind]);
        if (!f[i] && used[kind][i])
            return tl_read_missing(r, value, size_keys[i],
                                   i == S_DEVIATION && kind == 2 ? plain.expected : rule->expected);
    }
    size->kind = (tl_size_kind)(TL_SIZE_UNIFORM + kind);
    TL_TRY(tl_read_number(r, f[S_LOW], rule, &size->low));
    TL_TRY(tl_read_number(r, f[S_HIGH], rule, &size->high));
    TL_TRY(tl_read_number(r, f[S_MEAN], rule, &size->radius));
    TL_TRY(tl_read_number(r, f[S_MEDIAN], rule, &size->radius));
    TL_TRY(tl_read_number(r, f[S_DEVIATION], kind == 2 ? &plain : rule, &size->deviation));
    if (!(size->high > size->low))
        return tl_read_fail(r, f[S_HIGH], "is %g, expected more than low, %g%s", size->high,
                            size->low, unit);
    if (kind && !(size->radius >= size->low && size->radius <= size->high))
        return tl_read_fail(r, f[kind == 1 ? S_MEAN : S_MEDIAN],
                            "is %g, expected a number between low, %g, and high, %g%s",
                            size->radius, size->low, size->high, unit);
    return TL_OK;
}

static tl_status read_size(const tl_reader *r, const tl_json *entry, const tl_json *radius,
                           const tl_json *distribution, tl_size_def *size)
{
    if (radius && distribution)
        return tl_read_fail_key(r, entry, distribution,
                                "has both 'radius' and 'size', expected one of them");
    if (!radius && !distribution)
        return tl_read_missing(r, entry, "radius", "a number above 0 (m), or a 'size'");
    if (distribution)
        return read_distribution(r, distribution, false, size);
    size->kind = TL_SIZE_EQUAL;
    return tl_read_number(r, radius, TL_ABOVE_0("m"), &size->radius);
}

/* ---- Templates ---- */

/* The templates of a fill or emitter, and their shapes one after the other. */
typedef struct templates {
    tl_array defs;   /* tl_template_def */
    tl_array shapes; /* tl_shape_def */
    double size;     /* m: about that of the smallest; 0: not known */
} templates;

/* About half the size of a shape. */
static double extent_of(const tl_shape_def *s)
{
    const double *e = s->half_extents;
    return fmax(fmax(s->radius, s->half_length), fmax(e[0], fmax(e[1], e[2])));
}

static tl_status read_template(tl_reader *r, const tl_json *value, templates *out)
{
    enum { WEIGHT, SHAPES, TEMPLATE_KEYS };
    static const char *const keys[] = {"weight", "shapes"};
    static const tl_rule positive = {0, INFINITY, 1, 0, "a number above 0"};
    const tl_json *f[TEMPLATE_KEYS];
    tl_template_def def = {.weight = 1};
    const size_t before = out->shapes.count;
    double size = 0;
    TL_TRY(tl_read_fields(r, value, "a template", TEMPLATE_KEYS, keys, f));
    TL_TRY(tl_read_number(r, f[WEIGHT], &positive, &def.weight));
    if (!f[SHAPES])
        return tl_read_missing(r, value, "shapes", "an array of shapes");
    TL_TRY(tl_read_array(r, f[SHAPES], "an array of shapes"));
    if (!f[SHAPES]->count)
        return tl_read_expected(r, f[SHAPES], "at least one shape");
    TL_TRY(tl_read_shapes(r, f[SHAPES], TL_DYNAMIC, &out->shapes));
    def.shape_count = out->shapes.count - before;
    for (size_t i = before; i < out->shapes.count; i++)
        size = fmax(size, extent_of((const tl_shape_def *)out->shapes.data + i));
    out->size = out->defs.count ? fmin(out->size, size) : size;
    return tl_array_append(&out->defs, &def, 1);
}

static tl_status read_templates(tl_reader *r, const tl_json *list, templates *out)
{
    TL_TRY(tl_read_array(r, list, "an array of templates"));
    if (!list->count)
        return tl_read_expected(r, list, "at least one template");
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v))
        TL_TRY(read_template(r, v, out));
    tl_template_def *defs = out->defs.data;
    size_t at = 0;
    for (size_t i = 0; i < out->defs.count; i++) {
        defs[i].shapes = (const tl_shape_def *)out->shapes.data + at;
        at += defs[i].shape_count;
    }
    return TL_OK;
}

/* What is made: spheres with a radius or sizes, or templates with a scale. */
typedef struct made_of {
    const tl_json *radius, *size, *templates, *scale;
} made_of;

static tl_status read_made_of(tl_reader *r, const tl_json *entry, made_of w, tl_size_def *size,
                              templates *t)
{
    static const tl_rule positive = {0, INFINITY, 1, 0, "a number above 0"};
    if (!w.templates && w.scale)
        return tl_read_fail_key(r, entry, w.scale,
                                "has 'scale', expected it beside 'templates' alone");
    if (!w.templates)
        return read_size(r, entry, w.radius, w.size, size);
    if (w.radius || w.size)
        return tl_read_fail_key(r, entry, w.radius ? w.radius : w.size,
                                "has both 'templates' and '%s', expected one of them; 'scale' "
                                "makes templates larger or smaller",
                                w.radius ? "radius" : "size");
    TL_TRY(read_templates(r, w.templates, t));
    *size = (tl_size_def){.kind = TL_SIZE_EQUAL, .radius = 1};
    if (w.scale && w.scale->kind == TL_JSON_OBJECT)
        return read_distribution(r, w.scale, true, size);
    return tl_read_number(r, w.scale, &positive, &size->radius);
}

/* A refusal of the library: of a fill or emitter, or of one of its templates. */
__attribute__((cold)) static tl_status refuse(const tl_reader *r, const tl_json *entry,
                                              const tl_json *list, tl_status status)
{
    const tl_error error = tl_last_error();
    if (!list || error.index >= list->count || !strstr(error.subject, ".templates"))
        return tl_read_refused(r, entry, status);
    const tl_json *value = tl_json_first(r->tree, list);
    for (size_t i = 0; i < error.index; i++)
        value = tl_json_next(r->tree, value);
    return tl_read_refused(r, value, status);
}

/* Reads the entries of a list with an array for templates, empty before each of them. */
static tl_status read_each(tl_reader *r, const tl_json *list,
                           tl_status (*read)(tl_reader *r, const tl_json *entry, uint32_t number,
                                             templates *t))
{
    templates t = {.defs = {.item = sizeof(tl_template_def)},
                   .shapes = {.item = sizeof(tl_shape_def)}};
    tl_status status = TL_OK;
    uint32_t number = 0;
    for (const tl_json *v = tl_json_first(r->tree, list); v && status == TL_OK;
         v = tl_json_next(r->tree, v)) {
        t.defs.count = t.shapes.count = 0;
        status = read(r, v, number++, &t);
    }
    tl_array_free(&t.defs);
    tl_array_free(&t.shapes);
    return status;
}

/* ---- Fills ---- */

enum {
    NAME,
    REGION,
    PATTERN,
    RADIUS,
    SIZE,
    COUNT,
    SEED,
    GAP,
    JITTER,
    DENSITY,
    MATERIAL,
    VELOCITY,
    TEMPLATES,
    SCALE,
    GROUP,
    MASK,
    MASS,
    FILL_KEYS
};
static const char *const fill_keys[] = {
    "name",    "region",   "pattern",  "radius",    "size",  "count", "seed", "gap", "jitter",
    "density", "material", "velocity", "templates", "scale", "group", "mask", "mass"};

/* Refuses a fill that would take more bodies than are allowed, from its count or from how many
 * spheres its region has room for, before anything is placed. */
static tl_status charge_fill(tl_reader *r, const tl_json *entry, const tl_json *count,
                             const tl_fill_def *def, double unit)
{
    if (count)
        return tl_read_charge(r, count, def->count, 0);
    const tl_size_def *s = &def->size;
    const double typical = s->kind == TL_SIZE_UNIFORM ? (s->low + s->high) / 2 : s->radius;
    const double each = 2 * typical * unit + def->gap + 2 * def->jitter;
    const double room = volume(&def->region) / (each * each * each);
    const char *what = def->template_count ? "bodies" : "spheres";
    if (each > 0 && room > (double)(r->most - r->bodies))
        return tl_read_fail(r, entry,
                            "has room for about %.3g %s, expected a 'count', a smaller region "
                            "or larger %s",
                            room, what, what);
    return TL_OK;
}

static tl_status read_fill(tl_reader *r, const tl_json *entry, uint32_t number, templates *t)
{
    const tl_json *f[FILL_KEYS];
    tl_fill_def def = tl_fill_default();
    uint32_t pattern = def.pattern;
    TL_TRY(tl_read_fields(r, entry, "a fill", FILL_KEYS, fill_keys, f));
    if (!f[REGION])
        return tl_read_missing(r, entry, "region", "the region to fill");
    TL_TRY(tl_read_region(r, f[REGION], true, &def.region));
    r->filter = tl_no_filter;
    TL_TRY(tl_read_filter(r, f[GROUP], f[MASK], &r->filter));
    def.group = r->filter.group;
    def.mask = r->filter.mask;
    TL_TRY(tl_read_choice(r, f[PATTERN], tl_words(TL_WORDS_PATTERN), &pattern));
    def.pattern = (tl_fill_pattern)pattern;
    TL_TRY(read_made_of(r, entry, (made_of){f[RADIUS], f[SIZE], f[TEMPLATES], f[SCALE]}, &def.size,
                        t));
    def.template_count = t->defs.count;
    def.templates = t->defs.data;
    TL_TRY(tl_read_whole(r, f[COUNT], 1, TL_MOST_BODIES, &def.count));
    TL_TRY(tl_read_whole(r, f[SEED], 0, most_seed, &def.seed));
    TL_TRY(tl_read_number(r, f[GAP], TL_AT_LEAST_0("m"), &def.gap));
    TL_TRY(tl_read_number(r, f[JITTER], TL_AT_LEAST_0("m"), &def.jitter));
    if (f[MASS] && f[DENSITY])
        return tl_read_fail_key(r, entry, f[MASS],
                                "has both 'mass' and 'density', expected one of them");
    TL_TRY(tl_read_number(r, f[DENSITY], TL_ABOVE_0("kg/m^3"), &def.density));
    TL_TRY(tl_read_number(r, f[MASS], TL_ABOVE_0("kg"), &def.mass));
    TL_TRY(tl_read_material(r, f[MATERIAL], &def.material));
    TL_TRY(tl_read_vector(r, f[VELOCITY], 3, TL_ANY("m/s"), def.velocity));
    tl_frame_direction(r, def.velocity);
    if (f[JITTER] && pattern > TL_FILL_HEX)
        return tl_read_fail_key(r, entry, f[JITTER],
                                "has 'jitter', expected none with the pattern \"%s\"",
                                tl_word(TL_WORDS_PATTERN, pattern));
    if (f[TEMPLATES] && pattern == TL_FILL_CLOSE && def.template_count > 1)
        return tl_read_fail(r, f[TEMPLATES],
                            "has %zu templates, expected one with the pattern \"close\"",
                            def.template_count);
    uint64_t added = def.count;
    tl_body first = {(uint32_t)r->bodies + 1, 1};
    TL_TRY(charge_fill(r, entry, f[COUNT], &def, f[TEMPLATES] ? t->size : 1));
    tl_status status = TL_OK; /* of an outline the number is enough: all have a count */
    if (!r->stored.outline)
        status = tl_scene_fill(r->scene, &def, &added, &first);
    if (status < 0)
        return refuse(r, entry, f[TEMPLATES], status);
    if (!added)
        return tl_read_fail(r, f[REGION], "has no room for a %s, expected room for one",
                            f[TEMPLATES] ? "body" : "sphere");
    if (!f[COUNT])
        TL_TRY(tl_read_charge(r, entry, added, 0));
    return tl_read_entry(r, entry, f[NAME],
                         (tl_span){.first = first.index,
                                   .count = (uint32_t)added,
                                   .entry = number,
                                   .section = TL_SECTION_FILLS,
                                   .group = true});
}

tl_status tl_read_uncounted(tl_reader *r, const tl_json *list)
{
    const bool entries = list && list->kind == TL_JSON_ARRAY;
    for (const tl_json *e = entries ? tl_json_first(r->tree, list) : NULL; e;
         e = tl_json_next(r->tree, e)) {
        bool counted = false;
        for (const tl_json *key = e->kind == TL_JSON_OBJECT ? tl_json_first(r->tree, e) : NULL; key;
             key = tl_json_next(r->tree, key))
            counted = counted || tl_text_is(tl_json_key(r->tree, key), fill_keys[COUNT]);
        r->stored.outline = r->stored.outline && counted;
    }
    return TL_OK;
}

tl_status tl_read_fills(tl_reader *r, const tl_json *list)
{
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of fills"));
    return read_each(r, list, read_fill);
}

/* ---- Emitters ---- */

static tl_status read_emitter(tl_reader *r, const tl_json *entry, uint32_t number, templates *t)
{
    enum {
        E_NAME,
        E_REGION,
        E_RADIUS,
        E_SIZE,
        E_RATE,
        E_START,
        E_STOP,
        E_COUNT,
        E_INTERVAL,
        E_SEED,
        E_DENSITY,
        E_MATERIAL,
        E_VELOCITY,
        E_TEMPLATES,
        E_SCALE,
        E_GROUP,
        E_MASK,
        E_KEYS
    };
    static const char *const keys[] = {"name",    "region",   "radius",   "size",      "rate",
                                       "start",   "stop",     "count",    "interval",  "seed",
                                       "density", "material", "velocity", "templates", "scale",
                                       "group",   "mask"};
    const tl_json *f[E_KEYS];
    tl_emitter_def def = tl_emitter_default();
    TL_TRY(tl_read_fields(r, entry, "an emitter", E_KEYS, keys, f));
    if (!f[E_REGION])
        return tl_read_missing(r, entry, "region", "the region that bodies appear in");
    TL_TRY(tl_read_region(r, f[E_REGION], true, &def.region));
    r->filter = tl_no_filter;
    TL_TRY(tl_read_filter(r, f[E_GROUP], f[E_MASK], &r->filter));
    def.group = r->filter.group;
    def.mask = r->filter.mask;
    TL_TRY(read_made_of(r, entry, (made_of){f[E_RADIUS], f[E_SIZE], f[E_TEMPLATES], f[E_SCALE]},
                        &def.size, t));
    def.template_count = t->defs.count;
    def.templates = t->defs.data;
    if (!f[E_RATE])
        return tl_read_missing(r, entry, "rate", "a number above 0 (bodies/s)");
    TL_TRY(tl_read_number(r, f[E_RATE], TL_ABOVE_0("bodies/s"), &def.rate));
    TL_TRY(tl_read_number(r, f[E_START], TL_AT_LEAST_0("s"), &def.start));
    TL_TRY(tl_read_number(r, f[E_STOP], TL_ABOVE_0("s"), &def.stop));
    TL_TRY(tl_read_whole(r, f[E_COUNT], 1, TL_MOST_BODIES, &def.count));
    TL_TRY(tl_read_number(r, f[E_INTERVAL], TL_ABOVE_0("s"), &def.interval));
    TL_TRY(tl_read_whole(r, f[E_SEED], 0, most_seed, &def.seed));
    TL_TRY(tl_read_number(r, f[E_DENSITY], TL_ABOVE_0("kg/m^3"), &def.density));
    TL_TRY(tl_read_material(r, f[E_MATERIAL], &def.material));
    TL_TRY(tl_read_vector(r, f[E_VELOCITY], 3, TL_ANY("m/s"), def.velocity));
    tl_frame_direction(r, def.velocity);
    if (!(def.stop > def.start))
        return tl_read_fail(r, f[E_STOP], "is %g, expected more than start, %g (s)", def.stop,
                            def.start);
    tl_status status = tl_scene_add_emitter(r->scene, &def);
    if (status < 0)
        return refuse(r, entry, f[E_TEMPLATES], status);
    return tl_read_entry(r, entry, f[E_NAME],
                         (tl_span){.first = (uint32_t)tl_scene_body_count(r->scene) + 1,
                                   .entry = number,
                                   .emitter = (uint32_t)tl_scene_emitter_count(r->scene) - 1,
                                   .section = TL_SECTION_EMITTERS,
                                   .group = true});
}

tl_status tl_read_emitters(tl_reader *r, const tl_json *list)
{
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of emitters"));
    return read_each(r, list, read_emitter);
}
