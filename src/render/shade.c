/* Shading; shade.h says who calls. */
#include "render/shade.h"

#include "render/hash.h"
#include "render/sampler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES = 14, NOISE = 12 };

static const char *const variables[VARIABLES] = {
    "x", "y", "z", "px", "py", "pz", "nx", "ny", "nz", "radius", "time", "body", "noise", "random"};

const char *tlr_shade_variables(void)
{
    return "x, y, z (m), px, py, pz (m, in the body's frame), nx, ny, nz (the normal there), "
           "radius, "
           "time, body, noise (-1 to 1), random (0 to 1, of the body)";
}

static const tl_names names = {
    .variables = variables, .variable_count = VARIABLES, .without_parameters = true};

tl_status tlr_shade_check(tl_text text, tl_expression_error *error)
{
    tl_expression code = {0};
    const tl_status status = tl_expression_compile(&code, text, &names, error);
    tl_expression_free(&code);
    return status;
}

/* --- plugins --- */

struct tlr_plugin {
    void *handle;
    char path[4096];
    const talus_shader_entry *shaders;
    uint64_t hash;
};

static uint64_t hash_file(const char *path)
{
    char part[65536];
    uint64_t h = 1;
    FILE *file = fopen(path, "rb");
    for (size_t n; file && (n = fread(part, 1, sizeof part, file)) > 0;)
        h = tlr_hash(h, part, n);
    if (file)
        fclose(file);
    return h;
}

static tl_status load(tlr_plugin *p, const char *path)
{
    char *whole = realpath(path, NULL); /* with a slash: never from where the system looks */
    if (!whole)
        return tl_fail(TL_FILE, "--plugin: %s: %s", path, strerror(errno));
    snprintf(p->path, sizeof p->path, "%s", path);
    p->handle = dlopen(whole, RTLD_NOW | RTLD_LOCAL);
    p->hash = hash_file(whole);
    free(whole);
    if (!p->handle)
        return tl_fail(TL_FILE, "--plugin: %s", dlerror());
    const talus_shader_entry *(*ask)(unsigned version) = NULL;
    void *symbol = dlsym(p->handle, "talus_shaders");
    memcpy(&ask, &symbol, sizeof ask);
    if (!ask)
        return tl_fail(TL_BAD_DATA, "--plugin: %s: does not define talus_shaders()", path);
    p->shaders = ask(TALUS_SHADER_VERSION);
    return p->shaders ? TL_OK
                      : tl_fail(TL_BAD_DATA, "--plugin: %s: is for another version than %d", path,
                                TALUS_SHADER_VERSION);
}

tl_status tlr_plugin_open(const char *path, tlr_plugin **plugin)
{
    tlr_plugin *p = *plugin = tl_alloc_zero(sizeof *p);
    if (!p)
        return TL_NO_MEMORY;
    const tl_status status = load(p, path);
    if (status < 0) {
        tlr_plugin_close(p);
        *plugin = NULL;
    }
    return status;
}

void tlr_plugin_close(tlr_plugin *p)
{
    if (!p)
        return;
    if (p->handle)
        dlclose(p->handle);
    tl_free(p, sizeof *p);
}

uint64_t tlr_plugin_hash(const tlr_plugin *p)
{
    return p ? p->hash : 0;
}

static tl_status find_shader(const tlr_plugin *p, const char *name, talus_shader *shader)
{
    char known[256] = "";
    if (!p)
        return tl_fail(TL_BAD_DATA,
                       "a material has the shader '%s', which --plugin FILE must bring: looks load "
                       "no code",
                       name);
    for (const talus_shader_entry *e = p->shaders; e->name; e++) {
        if (!strcmp(e->name, name)) {
            *shader = e->shader;
            return TL_OK;
        }
        strncat(known, known[0] ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, e->name, sizeof known - strlen(known) - 1);
    }
    return tl_fail(TL_BAD_DATA, "a material has the shader '%s'; %s has %s", name, p->path,
                   known[0] ? known : "none");
}

/* --- making --- */

void tlr_shade_free(tlr_shade *s)
{
    for (int i = 0; i < TLR_SHADE_VALUES; i++)
        tl_expression_free(&s->code[i]);
}

tl_status tlr_shade_make(const tlr_shade_def *def, const tlr_plugin *plugin, tlr_shade *s)
{
    tl_expression_error error;
    *s = (tlr_shade){.grain = def->grain};
    for (int i = 0; i < TLR_SHADE_VALUES; i++) {
        if (!*def->text[i])
            continue;
        const tl_status status =
            tl_expression_compile(&s->code[i], tl_text_of(def->text[i]), &names, &error);
        if (status == TL_BAD_DATA)
            return tl_fail(TL_BAD_DATA, "'%s': %s", def->text[i], error.text);
        TL_TRY(status);
        s->noisy = s->noisy || strstr(def->text[i], variables[NOISE]);
    }
    return *def->shader ? find_shader(plugin, def->shader, &s->shader) : TL_OK;
}

/* --- noise: gradients at the corners of a grid (Perlin 2002), by a hash --- */

static double corner(uint32_t x, uint32_t y, uint32_t z, double dx, double dy, double dz)
{
    const uint32_t h = sampler_mix(sampler_mix(sampler_hash(x), y), z) & 15;
    const double u = h < 8 ? dx : dy, v = h < 4 ? dy : h == 12 || h == 14 ? dx : dz;
    return (h & 1 ? -u : u) + (h & 2 ? -v : v);
}

static double ease(double t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

static double noise(double x, double y, double z)
{
    const double fx = floor(x), fy = floor(y), fz = floor(z), most = 1e9;
    if (!(fabs(fx) < most && fabs(fy) < most && fabs(fz) < most))
        return 0;
    const uint32_t i = (uint32_t)(int32_t)fx, j = (uint32_t)(int32_t)fy, k = (uint32_t)(int32_t)fz;
    const double d[3] = {x - fx, y - fy, z - fz};
    double sum = 0;
    for (uint32_t c = 0; c < 8; c++) {
        const uint32_t a = c & 1, b = c >> 1 & 1, e = c >> 2;
        const double w = (a ? ease(d[0]) : 1 - ease(d[0])) * (b ? ease(d[1]) : 1 - ease(d[1])) *
                         (e ? ease(d[2]) : 1 - ease(d[2]));
        sum += w * corner(i + a, j + b, k + e, d[0] - a, d[1] - b, d[2] - e);
    }
    return fmin(fmax(sum, -1), 1);
}

/* --- applying --- */

static double unit(double x)
{
    return x >= 0 ? (x <= 1 ? x : 1) : 0; /* NaN: 0 */
}

/* The numbers of variables at a place of the body. */
static void fill(const tlr_shade *s, const talus_shade_point *p, double values[VARIABLES])
{
    const double random = (double)sampler_hash(p->body * 2654435761u + 1) / 4294967296.0;
    memcpy(values, p->position, 3 * sizeof(double));
    memcpy(values + 3, p->local, 3 * sizeof(double));
    memcpy(values + 6, p->normal, 3 * sizeof(double));
    values[9] = p->radius;
    values[10] = p->time;
    values[11] = p->body;
    values[13] = random;
    const double grain = s->grain > 0 ? s->grain : 0.25 * p->radius;
    const double k = grain > 0 ? 1 / grain : 0, away = 100 * random;
    values[NOISE] =
        s->noisy ? noise(k * p->local[0] + away, k * p->local[1] + 2 * away, k * p->local[2] - away)
                 : 0;
}

static double bump_at(const tlr_shade *s, const talus_shade_point *p, const tlr_material *m)
{
    double values[VARIABLES], height = 0;
    if (s->shader) {
        talus_shade shade = {.color = {m->color.x, m->color.y, m->color.z},
                             .roughness = m->roughness};
        s->shader(p, &shade);
        height = shade.bump;
    }
    if (s->code[TLR_SHADE_BUMP].code.count) {
        fill(s, p, values);
        height += tl_expression_value(&s->code[TLR_SHADE_BUMP], values);
    }
    return isfinite(height) ? height : 0;
}

/* Turns the normal against the slope of the bumps. */
static void turn_normal(const tlr_shade *s, const talus_shade_point *p, const tlr_material *m,
                        vec *normal)
{
    const double size = s->grain > 0 ? s->grain : 0.25 * p->radius, e = 0.02 * size;
    double slope[3];
    if (!(e > 0))
        return;
    const double here = bump_at(s, p, m);
    for (int k = 0; k < 3; k++) {
        talus_shade_point aside = *p;
        aside.local[k] += e;
        slope[k] = (bump_at(s, &aside, m) - here) / e;
    }
    const vec g = v_of(slope), along = v_along(g, -v_dot(g, *normal), *normal);
    if (isfinite(v_dot(along, along)))
        *normal = v_unit(v_sub(*normal, along));
}

void tlr_shade_apply(const tlr_shade *s, const talus_shade_point *p, tlr_material *m, vec *normal)
{
    double values[VARIABLES];
    talus_shade shade = {.color = {m->color.x, m->color.y, m->color.z}, .roughness = m->roughness};
    const bool bumps = s->code[TLR_SHADE_BUMP].code.count || s->shader;
    const tlr_material before = *m;
    if (s->shader)
        s->shader(p, &shade);
    fill(s, p, values);
    for (int i = 0; i < 3; i++)
        if (s->code[i].code.count)
            shade.color[i] = tl_expression_value(&s->code[i], values);
    if (s->code[TLR_SHADE_ROUGHNESS].code.count)
        shade.roughness = tl_expression_value(&s->code[TLR_SHADE_ROUGHNESS], values);
    m->color =
        v3((float)unit(shade.color[0]), (float)unit(shade.color[1]), (float)unit(shade.color[2]));
    m->roughness = (float)unit(shade.roughness);
    if (bumps)
        turn_normal(s, p, &before, normal);
}
