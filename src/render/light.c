/* Lights; light.h says who asks. */
#include "render/light.h"

/* --- a clear day --- */

/* Preetham, Shirley and Smits: how luminance and chromaticity are spread, by turbidity. */
static void clear_coefficients(double t, double perez[3][5])
{
    static const double slope[3][5] = {{0.1787, -0.3554, -0.0227, 0.1206, -0.0670},
                                       {-0.0193, -0.0665, -0.0004, -0.0641, -0.0033},
                                       {-0.0167, -0.0950, -0.0079, -0.0441, -0.0109}};
    static const double start[3][5] = {{-1.4630, 0.4275, 5.3251, -2.5771, 0.3703},
                                       {-0.2592, 0.0008, 0.2125, -0.8989, 0.0452},
                                       {-0.2608, 0.0092, 0.2102, -1.6537, 0.0529}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 5; i++)
            perez[k][i] = slope[k][i] * t + start[k][i];
}

static void clear_zenith(double t, double s, double zenith[3])
{
    static const double x[3][4] = {{0.00166, -0.00375, 0.00209, 0},
                                   {-0.02903, 0.06377, -0.03202, 0.00394},
                                   {0.11693, -0.21196, 0.06052, 0.25886}};
    static const double y[3][4] = {{0.00275, -0.00610, 0.00317, 0},
                                   {-0.04214, 0.08970, -0.04153, 0.00516},
                                   {0.15346, -0.26756, 0.06670, 0.26688}};
    const double chi = (4.0 / 9 - t / 120) * (3.14159265358979 - 2 * s);
    const double powers[4] = {s * s * s, s * s, s, 1}, turbidity[3] = {t * t, t, 1};
    zenith[0] = (4.0453 * t - 4.9710) * tan(chi) - 0.2155 * t + 2.4192;
    zenith[1] = zenith[2] = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            zenith[1] += turbidity[i] * x[i][k] * powers[k];
            zenith[2] += turbidity[i] * y[i][k] * powers[k];
        }
}

static double perez_value(const double c[5], double cos_theta, double gamma)
{
    const double cg = cos(gamma);
    return (1 + c[0] * exp(c[1] / cos_theta)) * (1 + c[2] * exp(c[3] * gamma) + c[4] * cg * cg);
}

static vec clear_radiance(const tlr_lights *l, vec d)
{
    const float height = v_dot(d, l->sky.up);
    const double cos_theta = fmax(height, 0.01), sun = fmin(fmax(v_dot(l->sun, l->sky.up), 0.0), 1);
    const double gamma = acos(fmin(fmax(v_dot(d, l->sun), -1.0), 1.0));
    double value[3];
    for (int k = 0; k < 3; k++)
        value[k] = l->zenith[k] * perez_value(l->perez[k], cos_theta, gamma) /
                   perez_value(l->perez[k], 1, acos(sun));
    const double Y = 0.1 * fmax(value[0], 0), X = Y * value[1] / value[2];
    const double Z = Y * (1 - value[1] - value[2]) / value[2];
    const vec c = v3((float)(3.2406 * X - 1.5372 * Y - 0.4986 * Z),
                     (float)(-0.9689 * X + 1.8758 * Y + 0.0415 * Z),
                     (float)(0.0557 * X - 0.2040 * Y + 1.0570 * Z));
    return v3(fmaxf(c.x, 0), fmaxf(c.y, 0), fmaxf(c.z, 0));
}

/* --- the sky --- */

static vec picture_radiance(const tlr_sky *s, vec d)
{
    const float z = fminf(fmaxf(v_dot(d, s->up), -1), 1);
    const float phi = atan2f(v_dot(d, s->north), v_dot(d, s->east));
    int x = (int)((phi / (2 * TLR_PI) + 0.5f) * (float)s->width);
    int y = (int)(acosf(z) / TLR_PI * (float)s->height);
    x = x < 0 ? 0 : x >= s->width ? s->width - 1 : x;
    y = y < 0 ? 0 : y >= s->height ? s->height - 1 : y;
    const float *p = s->picture + 3 * ((size_t)y * (size_t)s->width + (size_t)x);
    return v3(p[0], p[1], p[2]);
}

vec tlr_sky_radiance(const tlr_lights *l, vec d)
{
    const tlr_sky *s = &l->sky;
    const float height = v_dot(d, s->up);
    vec c = s->color;
    if (s->kind == TLR_SKY_PICTURE && s->picture)
        c = picture_radiance(s, d);
    else if (s->kind != TLR_SKY_UNIFORM && height < 0)
        c = v_mix(s->horizon, s->ground, fminf(-8 * height, 1));
    else if (s->kind == TLR_SKY_CLEAR)
        c = clear_radiance(l, d);
    else if (s->kind == TLR_SKY_GRADIENT)
        c = v_mix(s->horizon, s->color, sqrtf(height));
    return v_scale(c, s->strength);
}

bool tlr_sun_seen(const tlr_lights *l, vec d)
{
    return l->has_sun && v_dot(d, l->sun) > l->sun_cosine;
}

/* The middle of a cell of the table, whose cells have equal solid angles. */
static vec cell_direction(const tlr_sky *s, float column, float row)
{
    const float z = 1 - 2 * row / TLR_SKY_UP, phi = (column / TLR_SKY_ACROSS - 0.5f) * 2 * TLR_PI;
    const float r = sqrtf(fmaxf(0, 1 - z * z));
    return v_from(v3(r * cosf(phi), r * sinf(phi), z), s->east, s->north, s->up);
}

static size_t cell_of(const tlr_sky *s, vec d)
{
    const float z = v_dot(d, s->up), phi = atan2f(v_dot(d, s->north), v_dot(d, s->east));
    int row = (int)(0.5f * (1 - z) * TLR_SKY_UP);
    int column = (int)((phi / (2 * TLR_PI) + 0.5f) * TLR_SKY_ACROSS);
    row = row < 0 ? 0 : row >= TLR_SKY_UP ? TLR_SKY_UP - 1 : row;
    column = column < 0 ? 0 : column >= TLR_SKY_ACROSS ? TLR_SKY_ACROSS - 1 : column;
    return (size_t)row * TLR_SKY_ACROSS + (size_t)column;
}

/* Densities by how much brighter than the mean a cell is: the rest is as well met by directions
 * that surfaces draw (Karlik et al., MIS compensation, 2019), all of an even sky. Returns the mean
 * of that excess. */
static float prepare_sky(tlr_lights *l)
{
    enum { CELLS = TLR_SKY_UP * TLR_SKY_ACROSS };
    const float cell = 4 * TLR_PI / CELLS;
    double sum = 0, excess = 0, total = 0;
    for (int i = 0; i < CELLS; i++) {
        float mean = 0;
        for (int k = 0; k < 4; k++) {
            const float x = (float)(i % TLR_SKY_ACROSS) + 0.25f + 0.5f * (float)(k & 1);
            const float y = (float)(i / TLR_SKY_ACROSS) + 0.25f + 0.5f * (float)(k >> 1);
            mean += 0.25f * v_luminance(tlr_sky_radiance(l, cell_direction(&l->sky, x, y)));
        }
        l->sky_density[i] = mean;
        sum += mean;
    }
    for (int i = 0; i < CELLS; i++) {
        l->sky_density[i] = fmaxf(l->sky_density[i] - (float)(1.001 * sum / CELLS), 0);
        excess += l->sky_density[i];
    }
    l->sky_sum[0] = 0;
    for (int i = 0; i < CELLS && excess > 0; i++) {
        const double part = l->sky_density[i] / excess;
        total += part;
        l->sky_density[i] = (float)(part / cell);
        l->sky_sum[i + 1] = (float)total;
    }
    l->sky_sum[CELLS] = 1;
    return (float)(excess / CELLS);
}

static float area_size(const tlr_area *a)
{
    const float c = v_length(v_cross(a->u, a->v));
    return a->disc ? TLR_PI * c : 4 * c;
}

void tlr_lights_prepare(tlr_lights *l, vec middle)
{
    if (l->sky.kind == TLR_SKY_CLEAR) {
        const double s = acos(fmin(fmax(v_dot(l->sun, l->sky.up), 0.0), 1));
        clear_coefficients(l->sky.turbidity, l->perez);
        clear_zenith(l->sky.turbidity, fmin(s, 1.5), l->zenith);
        /* What the ground below the horizon gives back. */
        const vec far = clear_radiance(l, v_unit(v_along(l->sky.east, 0.02f, l->sky.up)));
        l->sky.horizon = v_scale(far, 0.5f);
        l->sky.ground = v_scale(far, 0.25f);
    }
    float sum = l->sky_share = TLR_PI * prepare_sky(l);
    const float sun = 2 * TLR_PI * (1 - l->sun_cosine) * v_luminance(l->sun_radiance);
    sum += l->sun_share = l->has_sun ? sun : 0;
    for (size_t i = 0; i < l->area_count; i++) {
        const tlr_area *a = &l->areas[i];
        const float size = area_size(a),
                    d2 = v_dot(v_sub(middle, a->centre), v_sub(middle, a->centre));
        sum += l->area_share[i] = v_luminance(a->radiance) * size / (d2 + size);
    }
    if (!(sum > 0))
        return;
    /* None is drawn too rarely: places differ. */
    const float least = 0.05f * sum;
    float again = 0;
    again += l->sky_share = l->sky_share > 0 ? fmaxf(l->sky_share, least) : 0;
    again += l->sun_share = l->sun_share > 0 ? fmaxf(l->sun_share, least) : 0;
    for (size_t i = 0; i < l->area_count; i++)
        again += l->area_share[i] = l->area_share[i] > 0 ? fmaxf(l->area_share[i], least) : 0;
    l->sky_share /= again;
    l->sun_share /= again;
    for (size_t i = 0; i < l->area_count; i++)
        l->area_share[i] /= again;
}

/* --- densities --- */

float tlr_sky_pdf(const tlr_lights *l, vec d)
{
    return l->sky_share > 0 ? l->sky_share * l->sky_density[cell_of(&l->sky, d)] : 0;
}

float tlr_sun_pdf(const tlr_lights *l)
{
    return l->sun_share / (2 * TLR_PI * (1 - l->sun_cosine));
}

float tlr_area_pdf(const tlr_lights *l, size_t i, vec direction, float distance)
{
    const tlr_area *a = &l->areas[i];
    const float c = -v_dot(direction, a->normal);
    return c > 0 ? l->area_share[i] * distance * distance / (c * area_size(a)) : 0;
}

/* --- drawing --- */

static bool draw_sky(const tlr_lights *l, const float u[2], tlr_light_draw *d)
{
    size_t low = 0, high = TLR_SKY_UP * TLR_SKY_ACROSS;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (l->sky_sum[middle] <= u[0])
            low = middle;
        else
            high = middle;
    }
    const float part = l->sky_sum[low + 1] - l->sky_sum[low];
    const float x = part > 0 ? fminf((u[0] - l->sky_sum[low]) / part, 1) : 0.5f;
    d->direction = cell_direction(&l->sky, (float)(low % TLR_SKY_ACROSS) + x,
                                  (float)(low / TLR_SKY_ACROSS) + u[1]);
    d->distance = INFINITY;
    d->radiance = tlr_sky_radiance(l, d->direction);
    d->density = tlr_sky_pdf(l, d->direction);
    return d->density > 0; /* by rounding it may lie in the next cell, which is never drawn */
}

static bool draw_sun(const tlr_lights *l, const float u[2], tlr_light_draw *d)
{
    vec s, t;
    v_frame(l->sun, &s, &t);
    const float z = 1 - u[0] * (1 - l->sun_cosine), phi = 2 * TLR_PI * u[1];
    const float r = sqrtf(fmaxf(0, 1 - z * z));
    d->direction = v_from(v3(r * cosf(phi), r * sinf(phi), z), s, t, l->sun);
    d->distance = INFINITY;
    d->radiance = l->sun_radiance;
    d->density = tlr_sun_pdf(l);
    return true;
}

static bool draw_area(const tlr_lights *l, size_t i, vec from, const float u[2], tlr_light_draw *d)
{
    const tlr_area *a = &l->areas[i];
    float x = 2 * u[0] - 1, y = 2 * u[1] - 1;
    if (a->disc) {
        const float r = sqrtf(u[0]), phi = 2 * TLR_PI * u[1];
        x = r * cosf(phi);
        y = r * sinf(phi);
    }
    const vec way = v_sub(v_along(v_along(a->centre, x, a->u), y, a->v), from);
    d->distance = v_length(way);
    d->direction = v_scale(way, 1 / d->distance);
    d->radiance = a->radiance;
    d->density = tlr_area_pdf(l, i, d->direction, d->distance);
    return d->density > 0;
}

/* Whether u falls into a share; if so, where in it, from 0 to 1, otherwise how far behind it. */
static bool falls(float share, float *u)
{
    const bool in = *u < share;
    *u = in ? fminf(*u / share, 1 - 0x1p-24f) : *u - share;
    return in;
}

bool tlr_lights_draw(const tlr_lights *l, vec from, const float u[2], tlr_light_draw *drawn)
{
    float v[2] = {u[0], u[1]};
    if (falls(l->sky_share, v))
        return draw_sky(l, v, drawn);
    if (falls(l->sun_share, v))
        return draw_sun(l, v, drawn);
    for (size_t i = 0; i < l->area_count; i++)
        if (falls(l->area_share[i], v))
            return draw_area(l, i, from, v, drawn);
    return false;
}
