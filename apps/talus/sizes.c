/* How large shapes are, and of what kinds. See sizes.h. */
#include "sizes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double shape_radius(const tl_world *world, const tl_shape_def *def)
{
    tl_shape_def here = *def;
    tl_geometry_info geometry;
    memset(here.position, 0, sizeof here.position);
    const bool found =
        def->geometry.index && tl_world_geometry(world, def->geometry, &geometry) >= 0;
    return tl_shape_reach(&here, found ? &geometry : NULL);
}

/* The farthest vertex of a geometry along d. */
static double farthest(const tl_world *world, tl_geometry geometry, const double d[3])
{
    tl_geometry_info info;
    double most = -INFINITY;
    if (tl_world_geometry(world, geometry, &info) < 0)
        return 0;
    for (size_t i = 0; i < info.vertex_count; i++) {
        const double *x = info.vertices + 3 * i;
        most = fmax(most, x[0] * d[0] + x[1] * d[1] + x[2] * d[2]);
    }
    return most;
}

double shape_extent(const tl_world *world, const tl_shape_def *def, const double d[3])
{
    const double *half = def->half_extents, rounding = def->rounding;
    const double across = hypot(d[0], d[1]), long_half = def->half_length, r = def->radius;
    double sum = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        sum += (half[k] - rounding) * fabs(d[k]);
        square += half[k] * d[k] * half[k] * d[k];
    }
    switch (def->kind) {
    case TL_BOX: return sum + rounding;
    case TL_CAPSULE: return long_half * fabs(d[2]) + r;
    case TL_CYLINDER:
        return (long_half - rounding) * fabs(d[2]) + (r - rounding) * across + rounding;
    case TL_CONE: return fmax(long_half * d[2], r * across - long_half * d[2]);
    case TL_ELLIPSOID: return sqrt(square);
    case TL_HULL:
    case TL_MESH:
    case TL_HEIGHTS: return farthest(world, def->geometry, d) + rounding;
    default: return shape_radius(world, def);
    }
}

void tell_shape_kinds(facts *f, const tl_shape_info *shapes, size_t count)
{
    size_t kinds[TL_HEIGHTS + 1] = {0};
    char text[512];
    int length = 0;
    for (size_t i = 0; i < count; i++)
        kinds[shapes[i].def.kind]++;
    for (uint32_t kind = 0; kind <= TL_HEIGHTS; kind++)
        if (kinds[kind])
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%zu %s",
                               length ? ", " : "", kinds[kind], tl_word(TL_WORDS_SHAPE, kind));
    if (length)
        fact_text(f, "shape_kinds", text);
}
