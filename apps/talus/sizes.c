/* How large shapes are, and of what kinds. See sizes.h. */
#include "sizes.h"

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
