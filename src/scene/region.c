/* Regions, distributions of radii and random numbers. Fills and emitters call it; tl_region_box()
 * and tl_region_contains() are public. */
#include "kernels/order.h" /* first: it says what a real is */

#include "scene/region.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)TLK_REGION_BOX == TL_REGION_BOX &&
                   (int)TLK_REGION_CYLINDER == TL_REGION_CYLINDER &&
                   (int)TLK_REGION_SPHERE == TL_REGION_SPHERE,
               "kinds of regions");

static const double pi = 3.14159265358979323846;
static const double farthest = 1e12; /* m: what a world takes for a coordinate, and less */

/* --- random numbers -------------------------------------------------------------------------- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

tl_random tl_random_start(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t state = mix(seed + 0x9e3779b97f4a7c15u);
    state = mix(state ^ (a + 0xd1b54a32d192ed03u));
    return (tl_random){mix(state ^ (b + 0x8cb92ba72f3d8dd7u))};
}

double tl_random_between(tl_random *random, double low, double high)
{
    random->state += 0x9e3779b97f4a7c15u;
    return low + (high - low) * ((double)(mix(random->state) >> 11) * 0x1p-53);
}

/* --- sizes ----------------------------------------------------------------------------------- */

static tl_status check_positive(const tl_place *place, const char *field, double value)
{
    if (value > 0 && isfinite(value))
        return TL_OK;
    return tl_refuse(place, field, 1, &value, "it must be finite and > 0");
}

/* The part of a normal or lognormal distribution that lies between low and high. */
static double part_within(const tl_size_def *size)
{
    const bool log_scale = size->kind == TL_SIZE_LOGNORMAL;
    const double low = log_scale ? log(size->low / size->radius) : size->low - size->radius;
    const double high = log_scale ? log(size->high / size->radius) : size->high - size->radius;
    const double scale = sqrt(2) * size->deviation;
    return 0.5 * (erf(high / scale) - erf(low / scale));
}

tl_status tl_size_check(const tl_place *place, const tl_size_def *size)
{
    const double range[2] = {size->low, size->high};
    TL_TRY(tl_check_enum(place, "size.kind", size->kind, TL_WORDS_SIZE));
    if (size->kind != TL_SIZE_UNIFORM)
        TL_TRY(check_positive(place, "size.radius", size->radius));
    if (size->kind == TL_SIZE_EQUAL)
        return TL_OK;
    TL_TRY(check_positive(place, "size.low", size->low));
    TL_TRY(check_positive(place, "size.high", size->high));
    if (!(size->low < size->high))
        return tl_refuse(place, "size: low, high", 2, range, "low must be below high");
    if (size->kind == TL_SIZE_UNIFORM)
        return TL_OK;
    TL_TRY(check_positive(place, "size.deviation", size->deviation));
    if (!(part_within(size) >= 1e-3)) /* draws outside are drawn again: there must be an end */
        return tl_refuse(place, "size: low, high", 2, range,
                         "at least a thousandth of the distribution must lie between them");
    return TL_OK;
}

double tl_size_smallest(const tl_size_def *size)
{
    return size->kind == TL_SIZE_EQUAL ? size->radius : size->low;
}

double tl_size_largest(const tl_size_def *size)
{
    return size->kind == TL_SIZE_EQUAL ? size->radius : size->high;
}

double tl_size_middle(const tl_size_def *size)
{
    if (size->kind == TL_SIZE_EQUAL)
        return size->radius;
    const bool inside =
        size->kind != TL_SIZE_UNIFORM && size->radius > size->low && size->radius < size->high;
    return inside ? size->radius : 0.5 * (size->low + size->high);
}

/* A standard normal number, by the ratio of two uniform ones. */
static double normal(tl_random *random)
{
    for (;;) {
        const double u = 1 - tl_random_between(random, 0, 1); /* above 0 */
        const double v = tl_random_between(random, -0.8577638849607069, 0.8577638849607069);
        if (v * v <= -4 * u * u * log(u))
            return v / u;
    }
}

/* e^x for moderate x: a power of two, which is exact, and a Taylor series on what is left. */
static double exponential(double x)
{
    const double whole = floor(x / 0.6931471805599453 + 0.5), rest = x - whole * 0.6931471805599453;
    double sum = 1;
    for (int i = 16; i > 0; i--)
        sum = 1 + sum * rest / i;
    return ldexp(sum, (int)fmax(-2000, fmin(2000, whole)));
}

double tl_size_draw(const tl_size_def *size, tl_random *random)
{
    if (size->kind == TL_SIZE_EQUAL)
        return size->radius;
    if (size->kind == TL_SIZE_UNIFORM)
        return tl_random_between(random, size->low, size->high);
    for (;;) {
        const double step = size->deviation * normal(random);
        const double radius =
            size->kind == TL_SIZE_NORMAL ? size->radius + step : size->radius * exponential(step);
        if (radius >= size->low && radius <= size->high)
            return radius;
    }
}

/* --- regions as they are given --------------------------------------------------------------- */

tl_region tl_region_box(const double low[3], const double high[3])
{
    tl_region region = {.kind = TL_REGION_BOX};
    if (!low || !high) { /* the box stays empty, which whatever takes it refuses */
        tl_refuse_null(low ? "high" : "low");
        return region;
    }
    memcpy(region.low, low, sizeof region.low);
    memcpy(region.high, high, sizeof region.high);
    return region;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool tl_region_contains(const tl_region *region, const double point[3])
{
    if (!region || !point) {
        tl_refuse_null(region ? "point" : "region");
        return false;
    }
    const tlk_region plain = tl_region_plain(region);
    return tlk_region_contains(&plain, point);
}

tlk_region tl_region_plain(const tl_region *region)
{
    tlk_region plain = {.kind = (uint32_t)region->kind, .radius = region->radius};
    memcpy(plain.low, region->low, sizeof plain.low);
    memcpy(plain.high, region->high, sizeof plain.high);
    memcpy(plain.centre, region->centre, sizeof plain.centre);
    memcpy(plain.axis, region->axis, sizeof plain.axis);
    return plain;
}

static tl_status check_box(const tl_place *place, const tl_region *region)
{
    for (int k = 0; k < 3; k++) {
        if (isnan(region->low[k]))
            return tl_refuse(place, "region.low", 3, region->low, "no component may be nan");
        if (isnan(region->high[k]))
            return tl_refuse(place, "region.high", 3, region->high, "no component may be nan");
    }
    for (int k = 0; k < 3; k++)
        if (!(region->high[k] > region->low[k]))
            return tl_refuse(place, "region.high", 3, region->high,
                             "each coordinate must be above region.low's");
    return TL_OK;
}

/* Refuses vectors that reach as far as no body may. */
static tl_status check_near(const tl_place *place, const char *field, const double v[3])
{
    for (int k = 0; k < 3; k++)
        if (!(fabs(v[k]) < farthest))
            return tl_refuse(place, field, 3, v, "every component must be finite and below 1e12");
    return TL_OK;
}

tl_status tl_region_check(const tl_place *place, const tl_region *region)
{
    TL_TRY(tl_check_enum(place, "region.kind", region->kind, TL_WORDS_REGION));
    if (region->kind == TL_REGION_BOX)
        return check_box(place, region);
    TL_TRY(check_near(place, "region.centre", region->centre));
    if (region->kind == TL_REGION_CYLINDER) {
        TL_TRY(check_near(place, "region.axis", region->axis));
        if (!(dot(region->axis, region->axis) > 1e-24))
            return tl_refuse(place, "region.axis", 3, region->axis,
                             "its length must be above 1e-12");
    }
    if (!(region->radius > 0 && region->radius < farthest))
        return tl_refuse(place, "region.radius", 1, &region->radius,
                         "it must be > 0 and below 1e12");
    return TL_OK;
}

/* --- spheres in regions ---------------------------------------------------------------------- */

/* Refuses a region that is too small for a sphere. */
static tl_status check_fits(const tl_place *place, const tl_region *region, double radius)
{
    const double least = 2 * radius * (1 - 1e-9);
    char rule[96];
    snprintf(rule, sizeof rule, "a sphere of the largest radius, %g, must fit in", radius);
    if (region->kind == TL_REGION_BOX) {
        double edges[3];
        for (int k = 0; k < 3; k++)
            edges[k] = region->high[k] - region->low[k];
        if (!(edges[0] >= least && edges[1] >= least && edges[2] >= least))
            return tl_refuse(place, "region: high - low", 3, edges, rule);
        return TL_OK;
    }
    if (!(2 * region->radius >= least))
        return tl_refuse(place, "region.radius", 1, &region->radius, rule);
    if (region->kind == TL_REGION_CYLINDER && !(sqrt(dot(region->axis, region->axis)) >= least))
        return tl_refuse(place, "region.axis", 3, region->axis, rule);
    return TL_OK;
}

/* Places have about 16 digits: spheres must not be lost in them. */
static tl_status check_resolved(const tl_place *place, const tl_region *region,
                                const tl_size_def *size)
{
    const tl_room room = tl_room_of(region, tl_size_largest(size));
    const double smallest = tl_size_smallest(size);
    const bool equal = size->kind == TL_SIZE_EQUAL;
    double largest = 0;
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, fmax(fabs(room.low[k]), fabs(room.high[k])));
    if (smallest >= 1e-9 * largest)
        return TL_OK;
    return tl_refuse(place, equal ? "size.radius" : "size.low", 1, &smallest,
                     "it must be at least 1e-9 of the region's largest coordinate");
}

static tl_status check_density(const tl_place *place, const tl_size_def *size, double density)
{
    const double ends[2] = {tl_size_smallest(size), tl_size_largest(size)};
    TL_TRY(check_positive(place, "density", density));
    for (int i = 0; i < 2; i++) {
        const double mass = density * (4.0 / 3.0 * pi * (ends[i] * ends[i] * ends[i]));
        const double inertia = 0.4 * mass * (ends[i] * ends[i]);
        if (!(mass > 0 && isfinite(mass) && inertia > 0 && isfinite(inertia)))
            return tl_refuse(place, "density", 1, &density,
                             "mass and inertia of every sphere must be finite and > 0");
    }
    return TL_OK;
}

tl_status tl_region_check_spheres(const tl_place *place, const tl_region *region,
                                  const tl_size_def *size, double density)
{
    TL_TRY(tl_region_check(place, region));
    if (region->kind == TL_REGION_BOX) {
        TL_TRY(check_near(place, "region.low", region->low));
        TL_TRY(check_near(place, "region.high", region->high));
    }
    TL_TRY(tl_size_check(place, size));
    TL_TRY(check_fits(place, region, tl_size_largest(size)));
    TL_TRY(check_resolved(place, region, size));
    return check_density(place, size, density);
}

/* Unit vectors along and across a cylinder. */
static void set_axes(tl_room *room)
{
    const double *axis = room->region.axis;
    room->length = sqrt(dot(axis, axis));
    int thin = 0;
    for (int k = 0; k < 3; k++) {
        room->axis[k] = axis[k] / room->length;
        thin = fabs(room->axis[k]) < fabs(room->axis[thin]) ? k : thin;
    }
    double across[3] = {0, 0, 0};
    across[thin] = 1;
    const double part = dot(across, room->axis);
    for (int k = 0; k < 3; k++)
        across[k] -= part * room->axis[k];
    const double norm = sqrt(dot(across, across));
    for (int k = 0; k < 3; k++)
        room->u[k] = across[k] / norm;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        room->v[k] = room->axis[i] * room->u[j] - room->axis[j] * room->u[i];
    }
}

tl_room tl_room_of(const tl_region *region, double largest)
{
    tl_room room = {.region = *region, .walls = region->kind == TL_REGION_BOX ? 6 : 1};
    double reach = 0;
    if (region->kind == TL_REGION_CYLINDER) {
        room.walls = 3;
        set_axes(&room);
    }
    for (int k = 0; k < 3; k++) {
        double half = region->radius, top = 0;
        if (region->kind == TL_REGION_CYLINDER) {
            half *= sqrt(room.u[k] * room.u[k] + room.v[k] * room.v[k]);
            top = region->axis[k];
        }
        const bool box = region->kind == TL_REGION_BOX;
        room.low[k] = box ? region->low[k] : region->centre[k] - half + fmin(top, 0);
        room.high[k] = box ? region->high[k] : region->centre[k] + half + fmax(top, 0);
        reach = fmax(reach, fmax(fabs(room.low[k]), fabs(room.high[k])));
    }
    room.slack = 1e-9 * largest + 4e-15 * reach;
    return room;
}

double tl_room_wall(const tl_room *room, int wall, const double x[3], double normal[3])
{
    const tl_region *r = &room->region;
    if (r->kind == TL_REGION_BOX) {
        const int k = wall / 2;
        normal[0] = normal[1] = normal[2] = 0;
        normal[k] = wall % 2 ? -1 : 1;
        return wall % 2 ? r->high[k] - x[k] : x[k] - r->low[k];
    }
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = x[k] - r->centre[k];
    if (r->kind == TL_REGION_CYLINDER) {
        const double along = dot(d, room->axis);
        if (wall > 0) {
            for (int k = 0; k < 3; k++)
                normal[k] = wall == 1 ? room->axis[k] : -room->axis[k];
            return wall == 1 ? along : room->length - along;
        }
        for (int k = 0; k < 3; k++)
            d[k] -= along * room->axis[k];
    }
    const double distance = sqrt(dot(d, d));
    for (int k = 0; k < 3; k++)
        normal[k] = distance > 0 ? -d[k] / distance : 0;
    return r->radius - distance;
}

bool tl_room_holds(const tl_room *room, const double x[3], double radius)
{
    double normal[3];
    for (int wall = 0; wall < room->walls; wall++)
        if (!(tl_room_wall(room, wall, x, normal) >= radius - room->slack))
            return false;
    return true;
}

/* How far a point can go from within a ball (or a cylinder, given the parts across its axis) of
 * this radius around the origin. */
static double leave_ball(const double x[3], const double direction[3], double radius)
{
    const double dd = dot(direction, direction), xd = dot(x, direction);
    if (!(dd > 1e-24))
        return INFINITY;
    const double root = xd * xd - dd * (dot(x, x) - radius * radius);
    return root > 0 ? fmax(0, (sqrt(root) - xd) / dd) : 0;
}

double tl_room_exit(const tl_room *room, const double x[3], double radius,
                    const double direction[3])
{
    double least = INFINITY, d[3], along[3], normal[3];
    const tl_region *r = &room->region;
    const int curved = r->kind == TL_REGION_BOX ? 0 : 1;
    if (curved) {
        const bool cylinder = r->kind == TL_REGION_CYLINDER;
        for (int k = 0; k < 3; k++)
            d[k] = x[k] - r->centre[k];
        const double up = cylinder ? dot(d, room->axis) : 0;
        const double go = cylinder ? dot(direction, room->axis) : 0;
        for (int k = 0; k < 3; k++) {
            d[k] -= up * room->axis[k];
            along[k] = direction[k] - go * room->axis[k];
        }
        least = leave_ball(d, along, r->radius - radius);
    }
    for (int wall = curved; wall < room->walls; wall++) {
        const double left = tl_room_wall(room, wall, x, normal) - radius;
        const double speed = -dot(normal, direction);
        if (speed > 1e-12)
            least = fmin(least, fmax(0, left) / speed);
    }
    return least;
}

void tl_room_sample(const tl_room *room, double radius, tl_random *random, double x[3])
{
    const tl_region *r = &room->region;
    if (r->kind == TL_REGION_BOX) {
        for (int k = 0; k < 3; k++)
            x[k] = tl_random_between(random, r->low[k] + radius, r->high[k] - radius);
        return;
    }
    const double reach = fmax(0, r->radius - radius);
    const int across = r->kind == TL_REGION_SPHERE ? 3 : 2;
    double p[3] = {0, 0, 0};
    do {
        for (int k = 0; k < across; k++)
            p[k] = tl_random_between(random, -1, 1);
    } while (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > 1);
    if (r->kind == TL_REGION_SPHERE) {
        for (int k = 0; k < 3; k++)
            x[k] = r->centre[k] + reach * p[k];
        return;
    }
    const double along = tl_random_between(random, radius, fmax(radius, room->length - radius));
    for (int k = 0; k < 3; k++)
        x[k] =
            r->centre[k] + along * room->axis[k] + reach * (p[0] * room->u[k] + p[1] * room->v[k]);
}

double tl_room_volume(const tl_room *room)
{
    const double r = room->region.radius;
    if (room->region.kind == TL_REGION_SPHERE)
        return 4.0 / 3.0 * pi * r * r * r;
    if (room->region.kind == TL_REGION_CYLINDER)
        return pi * r * r * room->length;
    return (room->high[0] - room->low[0]) * (room->high[1] - room->low[1]) *
           (room->high[2] - room->low[2]);
}
