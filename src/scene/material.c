/* Materials and the table of their pairs: how surfaces rub, bounce, roll, stick and give. Called
 * through talus/scene.h; worlds have a table of their own. */
#include "scene/check.h"

#include <math.h>
#include <string.h>

enum { MOST_MATERIALS = 255 }; /* besides the default one, so that an index fits a byte */

static const double most = 1e9; /* of what has no limit of its own: squares stay 32-bit numbers */

tl_material_def tl_material_default(void)
{
    return (tl_material_def){.friction = 0.5,
                             .young_modulus = 1e8,
                             .poisson_ratio = 0.3,
                             .friction_ellipsoid = {1, 1, 1}};
}

/* What a material has in common with a pair: with itself. */
static tl_pair_def pair_of(const tl_material_def *m)
{
    return (tl_pair_def){.friction = m->friction,
                         .restitution = m->restitution,
                         .rolling_friction = m->rolling_friction,
                         .spinning_friction = m->spinning_friction,
                         .cohesion = m->cohesion,
                         .compliance = m->compliance,
                         .damping_time = m->damping_time,
                         .cohesion_density = m->cohesion_density};
}

tl_elastic tl_material_elastic(const tl_material_def *m)
{
    return (tl_elastic){m->young_modulus == 0 ? 1e8 : m->young_modulus, m->poisson_ratio};
}

tl_status tl_elastic_check(const tl_elastic *e)
{
    const tl_place place = tl_place_of("material");
    if (!(e->young >= 1e3 && e->young <= 1e15))
        return tl_refuse(&place, "young_modulus", 1, &e->young, "it must be 1e3 to 1e15");
    if (!(e->poisson > -1 && e->poisson <= 0.5))
        return tl_refuse(&place, "poisson_ratio", 1, &e->poisson,
                         "it must be above -1 and at most 0.5");
    return TL_OK;
}

static tl_status check_pair(const tl_place *place, const tl_pair_def *p)
{
    const struct {
        const char *field;
        double value;
    } laws[] = {{"rolling_friction", p->rolling_friction},
                {"spinning_friction", p->spinning_friction},
                {"cohesion", p->cohesion},
                {"compliance", p->compliance},
                {"damping_time", p->damping_time}};
    if (!(p->cohesion_density >= 0 && p->cohesion_density <= 1e15))
        return tl_refuse(place, "cohesion_density", 1, &p->cohesion_density,
                         "it must be 0 to 1e15");
    if (!(p->friction >= 0 && isfinite(p->friction)))
        return tl_refuse(place, "friction", 1, &p->friction, "it must be finite and >= 0");
    if (!(p->restitution >= 0 && p->restitution <= 1))
        return tl_refuse(place, "restitution", 1, &p->restitution, "it must be 0 to 1");
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        if (!(laws[i].value >= 0 && laws[i].value <= most))
            return tl_refuse(place, laws[i].field, 1, &laws[i].value, "it must be 0 to 1e9");
    if (p->compliance > 0 && p->restitution > 0)
        return tl_refuse(place, "restitution", 1, &p->restitution,
                         "it must be 0 with compliance, which bounces by its spring and damper");
    if (p->damping_time > 0 && !(p->compliance > 0))
        return tl_refuse(place, "damping_time", 1, &p->damping_time,
                         "it must be 0 without compliance, which it damps");
    return TL_OK;
}

tl_status tl_pair_check(const tl_pair_def *pair)
{
    const tl_place place = tl_place_of("");
    return check_pair(&place, pair);
}

tl_status tl_slide_check(const double slide[3])
{
    const tl_place place = tl_place_of("material");
    for (size_t k = 0; k < 3; k++)
        if (!(fabs(slide[k]) <= most))
            return tl_refuse(&place, "surface_velocity", 3, slide,
                             "every component must be -1e9 to 1e9");
    return TL_OK;
}

void tl_material_ellipsoid(const tl_material_def *m, double factors[3])
{
    const double *given = m->friction_ellipsoid;
    const bool none = given[0] == 0 && given[1] == 0 && given[2] == 0;
    for (size_t k = 0; k < 3; k++)
        factors[k] = none ? 1 : given[k];
}

tl_status tl_ellipsoid_check(const double factors[3])
{
    const tl_place place = tl_place_of("material");
    for (size_t k = 0; k < 3; k++)
        if (!(factors[k] >= 0.01 && factors[k] <= 100))
            return tl_refuse(&place, "friction_ellipsoid", 3, factors,
                             "every factor must be 0.01 to 100");
    return TL_OK;
}

/* Equal ones are passed on as they are, because the product of two roots rounds; roots are taken
 * first, because the product of two may overflow. */
static double mean(double a, double b)
{
    return a == b ? a : sqrt(a) * sqrt(b);
}

/* The default rule of a pair. Springs and their dampers are one behind the other; where there are
 * any, they say how the pair bounces. */
static tl_pair_def mix(const tl_pair_def *a, const tl_pair_def *b)
{
    const double compliance = fmin(a->compliance + b->compliance, most);
    const double damping = a->compliance * a->damping_time + b->compliance * b->damping_time;
    return (tl_pair_def){.friction = mean(a->friction, b->friction),
                         .restitution = compliance > 0 ? 0 : fmax(a->restitution, b->restitution),
                         .rolling_friction = mean(a->rolling_friction, b->rolling_friction),
                         .spinning_friction = mean(a->spinning_friction, b->spinning_friction),
                         .cohesion = mean(a->cohesion, b->cohesion),
                         .compliance = compliance,
                         .damping_time = compliance > 0 ? damping / compliance : 0,
                         .cohesion_density = mean(a->cohesion_density, b->cohesion_density)};
}

/* Makes a pair table with one more row and column than the scene's; old pairs are copied, whether
 * mixed or set by the user. */
static tl_status extend_pairs(const tl_scene *scene, const tl_material_def *added, tl_array *out)
{
    const size_t old = scene->materials.count, size = old + 1;
    const tl_material_def *materials = scene->materials.data;
    const tl_pair_def *from = scene->pairs.data, own = pair_of(added);
    TL_TRY(tl_array_resize(out, size * size));
    tl_pair_def *to = out->data;
    for (size_t i = 0; i < old; i++) {
        const tl_pair_def other = pair_of(&materials[i]);
        memcpy(&to[i * size], &from[i * old], old * sizeof *to);
        to[i * size + old] = to[old * size + i] = mix(&other, &own);
    }
    to[old * size + old] = own;
    return TL_OK;
}

tl_status tl_materials_init(tl_scene *scene)
{
    const tl_material_def material = tl_material_default();
    const tl_pair_def pair = pair_of(&material);
    scene->materials.item = sizeof(tl_material_def);
    scene->pairs.item = sizeof(tl_pair_def);
    TL_TRY(tl_array_append(&scene->materials, &material, 1));
    return tl_array_append(&scene->pairs, &pair, 1);
}

static tl_status add_material(tl_scene *scene, const tl_material_def *def)
{
    const tl_place place = tl_place_of("material");
    const tl_pair_def own = pair_of(def);
    tl_array pairs = {.item = sizeof(tl_pair_def)};
    TL_TRY(check_pair(&place, &own));
    TL_TRY(tl_slide_check(def->surface_velocity));
    const tl_elastic elastic = tl_material_elastic(def);
    TL_TRY(tl_elastic_check(&elastic));
    double factors[3];
    tl_material_ellipsoid(def, factors);
    TL_TRY(tl_ellipsoid_check(factors));
    if (scene->materials.count > MOST_MATERIALS)
        return tl_fail(TL_TOO_LARGE, "the scene has %zu materials; there can be at most %d",
                       scene->materials.count - 1, MOST_MATERIALS);
    TL_TRY(tl_array_reserve(&scene->materials, scene->materials.count + 1));
    TL_TRY(extend_pairs(scene, def, &pairs));
    tl_array_free(&scene->pairs);
    scene->pairs = pairs;
    return tl_array_append(&scene->materials, def, 1); /* there is room: this cannot fail */
}

tl_status tl_scene_add_material(tl_scene *scene, const tl_material_def *def, tl_material *material)
{
    if (!material)
        return tl_refuse_null("material");
    *material = (tl_material){0};
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    TL_TRY(add_material(scene, def));
    material->index = (uint32_t)scene->materials.count - 1;
    return TL_OK;
}

tl_status tl_pair_set(tl_array *pairs, size_t materials, tl_material a, tl_material b,
                      const tl_pair_def *pair)
{
    const tl_place place = tl_place_of("");
    if (!pair)
        return tl_refuse_null("pair");
    TL_TRY(tl_check_material(&place, "material a", materials, a));
    TL_TRY(tl_check_material(&place, "material b", materials, b));
    TL_TRY(check_pair(&place, pair));
    tl_pair_def *table = pairs->data;
    table[a.index * materials + b.index] = table[b.index * materials + a.index] = *pair;
    return TL_OK;
}

tl_status tl_pair_get(const tl_array *pairs, size_t materials, tl_material a, tl_material b,
                      tl_pair_def *pair)
{
    const tl_place place = tl_place_of("");
    if (!pair)
        return tl_refuse_null("pair");
    TL_TRY(tl_check_material(&place, "material a", materials, a));
    TL_TRY(tl_check_material(&place, "material b", materials, b));
    *pair = ((const tl_pair_def *)pairs->data)[a.index * materials + b.index];
    return TL_OK;
}

tl_status tl_scene_pair(const tl_scene *scene, tl_material a, tl_material b, tl_pair_def *pair)
{
    if (pair)
        *pair = (tl_pair_def){0};
    if (!scene)
        return tl_refuse_null("scene");
    return tl_pair_get(&scene->pairs, scene->materials.count, a, b, pair);
}

tl_status tl_scene_set_pair(tl_scene *scene, tl_material a, tl_material b, const tl_pair_def *pair)
{
    if (!scene)
        return tl_refuse_null("scene");
    return tl_pair_set(&scene->pairs, scene->materials.count, a, b, pair);
}
