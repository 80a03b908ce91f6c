/* Materials; material.h says what is asked of them. None gives back more than it gets: metal and
 * plastic lose what light bounces between facets. */
#include "render/material.h"

bool tlr_material_is_rough(const tlr_material *m)
{
    return m->kind == TLR_DIFFUSE || m->kind == TLR_PLASTIC ||
           (m->kind == TLR_METAL && m->roughness >= TLR_SMOOTH);
}

/* --- facets: Trowbridge and Reitz, with Smith's shadowing --- */

static float facet_alpha(const tlr_material *m)
{
    const float r = fmaxf(m->roughness, TLR_SMOOTH);
    return r * r;
}

static float facet_density(float z, float a)
{
    const float d = z * z * (a * a - 1) + 1;
    return a * a / (TLR_PI * d * d);
}

static float smith_lambda(float z, float a)
{
    const float t = (1 - z * z) / (z * z);
    return 0.5f * (sqrtf(1 + a * a * t) - 1);
}

/* A facet's normal among those seen from `out` (Heitz 2018). */
static vec draw_facet(vec out, float a, const float u[2])
{
    const vec w = v_unit(v3(a * out.x, a * out.y, out.z));
    vec s, t;
    v_frame(w, &s, &t);
    const float r = sqrtf(u[0]), phi = 2 * TLR_PI * u[1], k = 0.5f * (1 + w.z);
    /* The frame's first axis is to lie across z, so that `k` weighs the right half. */
    if (w.z < 0.9999f) {
        s = v_unit(v3(-w.y, w.x, 0));
        t = v_cross(w, s);
    }
    const float x = r * cosf(phi), y0 = r * sinf(phi);
    const float y = (1 - k) * sqrtf(fmaxf(0, 1 - x * x)) + k * y0;
    const vec h = v_from(v3(x, y, sqrtf(fmaxf(0, 1 - x * x - y * y))), s, t, w);
    return v_unit(v3(a * h.x, a * h.y, fmaxf(1e-6f, h.z)));
}

static vec schlick(vec head_on, float z)
{
    const float k = 1 - fminf(fmaxf(z, 0), 1), k2 = k * k;
    return v_mix(head_on, v3(1, 1, 1), k2 * k2 * k);
}

/* Fresnel's formula for light that passes from index 1 to `eta`; `cos_t` receives the cosine
 * beyond. 1 where all is reflected. */
static float fresnel(float cos_i, float eta, float *cos_t)
{
    const float s2 = (1 - cos_i * cos_i) / (eta * eta);
    *cos_t = 0;
    if (s2 >= 1)
        return 1;
    *cos_t = sqrtf(1 - s2);
    const float p = (eta * cos_i - *cos_t) / (eta * cos_i + *cos_t);
    const float s = (cos_i - eta * *cos_t) / (cos_i + eta * *cos_t);
    return 0.5f * (p * p + s * s);
}

/* The reflection of facets without the Fresnel term, times the cosine; and its density. */
static float facet_value(vec out, vec in, vec half, float a, float *density)
{
    const float d = facet_density(half.z, a);
    const float lo = smith_lambda(out.z, a), li = smith_lambda(in.z, a);
    *density = d / ((1 + lo) * 4 * out.z);
    return d / ((1 + lo + li) * 4 * out.z);
}

/* --- plastic --- */

/* How often the coat is drawn, not the base. */
static float coat_share(const tlr_material *m, vec out)
{
    float beyond;
    const float f = fresnel(out.z, m->ior, &beyond), base = (1 - f) * v_luminance(m->color);
    return f + base > 0 ? fminf(fmaxf(f / (f + base), 0.1f), 0.9f) : 1;
}

static vec plastic_value(const tlr_material *m, vec out, vec in, float *density)
{
    const float share = coat_share(m, out), a = facet_alpha(m);
    const vec half = v_unit(v_add(out, in));
    float beyond, coat_density;
    const float coat =
        facet_value(out, in, half, a, &coat_density) * fresnel(v_dot(out, half), m->ior, &beyond);
    const float pass = (1 - fresnel(out.z, m->ior, &beyond)) * (1 - fresnel(in.z, m->ior, &beyond));
    *density = share * coat_density + (1 - share) * in.z / TLR_PI;
    return v_add(v3(coat, coat, coat), v_scale(m->color, pass * in.z / TLR_PI));
}

vec tlr_material_value(const tlr_material *m, vec out, vec in, float *density)
{
    const vec none = {0, 0, 0};
    *density = 0;
    if (!(out.z > 1e-6f) || !(in.z > 1e-6f))
        return none;
    switch (m->kind) {
    case TLR_DIFFUSE: *density = in.z / TLR_PI; return v_scale(m->color, in.z / TLR_PI);
    case TLR_PLASTIC: return plastic_value(m, out, in, density);
    case TLR_METAL: {
        if (m->roughness < TLR_SMOOTH)
            return none;
        const vec half = v_unit(v_add(out, in));
        const float value = facet_value(out, in, half, facet_alpha(m), density);
        return v_scale(schlick(m->color, v_dot(out, half)), value);
    }
    case TLR_GLASS: break;
    }
    return none;
}

/* --- drawing --- */

static vec draw_cosine(const float u[2])
{
    const float r = sqrtf(u[0]), phi = 2 * TLR_PI * u[1];
    return v3(r * cosf(phi), r * sinf(phi), sqrtf(1 - u[0])); /* u is below 1 */
}

static bool draw_glass(const tlr_material *m, vec out, bool inside, float choice, tlr_scatter *d)
{
    const float eta = inside ? 1 / m->ior : m->ior;
    float beyond;
    const float f = fresnel(out.z, eta, &beyond);
    *d = (tlr_scatter){.direction = v3(-out.x, -out.y, out.z), .weight = {1, 1, 1}};
    if (choice < f)
        return true;
    /* Radiance grows by the square of the index on its way into glass. */
    d->through = true;
    d->direction = v_unit(v3(-out.x / eta, -out.y / eta, -beyond));
    const float k = 1 / (eta * eta);
    d->weight = inside ? v3(k, k, k) : v_scale(m->color, k);
    return true;
}

bool tlr_material_draw(const tlr_material *m, vec out, bool inside, const float u[2],
                       tlr_scatter *drawn)
{
    *drawn = (tlr_scatter){0};
    if (!(out.z > 1e-6f))
        return false;
    if (m->kind == TLR_DIFFUSE) { /* most surfaces */
        drawn->direction = draw_cosine(u);
        drawn->weight = m->color;
        drawn->density = drawn->direction.z / TLR_PI;
        return drawn->direction.z > 1e-6f;
    }
    if (m->kind == TLR_GLASS)
        return draw_glass(m, out, inside, u[0], drawn);
    if (m->kind == TLR_METAL && m->roughness < TLR_SMOOTH) {
        drawn->direction = v3(-out.x, -out.y, out.z);
        drawn->weight = schlick(m->color, out.z);
        return true;
    }
    const float share = m->kind == TLR_METAL ? 1 : m->kind == TLR_PLASTIC ? coat_share(m, out) : 0;
    const bool facet = u[0] < share; /* where in its part u[0] falls is even again */
    const float v[2] = {facet ? u[0] / share : (u[0] - share) / (1 - share), u[1]};
    drawn->direction = facet ? v_mirror(out, draw_facet(out, facet_alpha(m), v)) : draw_cosine(v);
    if (!(drawn->direction.z > 1e-6f))
        return false;
    const vec value = tlr_material_value(m, out, drawn->direction, &drawn->density);
    if (!(drawn->density > 0))
        return false;
    drawn->weight = v_scale(value, 1 / drawn->density);
    return true;
}
