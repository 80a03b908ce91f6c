/* Overlaps against radii; overlap.h says who calls. */
#include "overlap.h"
#include "sizes.h"
#include "command.h"

#include <math.h>
#include <stdlib.h>

static const double deep = 0.1; /* of the smaller radius: what tl_world_create() warns of */

/* All shapes of a world, in the order of body handles; the caller frees them. */
static int read_shapes(const tl_world *world, size_t *count, tl_shape_info **shapes)
{
    *count = tl_world_shape_count(world);
    *shapes = NULL;
    if (!*count)
        return EXIT_OK;
    *shapes = calloc(*count, sizeof **shapes);
    if (!*shapes)
        return out_of_memory();
    const tl_status status = tl_world_read_shapes(world, *count, *shapes);
    return status < 0 ? complain_of(status, PHASE_MAKING) : EXIT_OK;
}

int mean_radius(const tl_world *world, double *radius)
{
    size_t count, sized = 0;
    double sum = 0;
    tl_shape_info *shapes;
    const int code = read_shapes(world, &count, &shapes);
    for (size_t i = 0; code == EXIT_OK && i < count; i++)
        if (shapes[i].kind == TL_DYNAMIC && !shapes[i].def.sensor) {
            sum += shape_radius(world, &shapes[i].def);
            sized++;
        }
    *radius = sized ? sum / (double)sized : 0;
    free(shapes);
    return code;
}

/* A shape of a body; NULL where there is none. */
static const tl_shape_info *find_shape(const tl_shape_info *shapes, size_t count, tl_body body,
                                       uint32_t index)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const tl_shape_info *s = &shapes[middle];
        if (s->body.index < body.index || (s->body.index == body.index && s->index < index))
            low = middle + 1;
        else
            high = middle;
    }
    return low < count ? &shapes[low] : NULL;
}

/* That of a ball around the shape; infinity for walls. */
static double radius_of(const tl_world *world, const tl_shape_info *shape)
{
    const bool wall = !shape || (shape->kind != TL_DYNAMIC && shape->def.kind != TL_SPHERE);
    return wall ? INFINITY : shape_radius(world, &shape->def);
}

static void find_worst(const tl_world *world, const tl_shape_info *shapes, size_t count,
                       const tl_contact *contacts, size_t contact_count, overlaps *found)
{
    for (size_t i = 0; i < contact_count; i++) {
        const tl_contact *c = &contacts[i];
        if (c->sensor)
            continue;
        const tl_shape_info *a = find_shape(shapes, count, c->a, c->shape_a);
        const tl_shape_info *b = find_shape(shapes, count, c->b, c->shape_b);
        const double ra = radius_of(world, a), relative = -c->gap / fmin(ra, radius_of(world, b));
        const bool solid = b && (b->def.kind == TL_PLANE || b->def.kind == TL_BOX);
        if (solid && -c->gap > ra && !found->inside++) {
            found->in = c->a;
            found->of = c->b;
        }
        found->pairs += relative > deep;
        if (relative > found->relative) {
            found->a = c->a;
            found->b = c->b;
            found->depth = -c->gap;
            found->relative = relative;
        }
    }
}

int find_overlaps(tl_world *world, overlaps *found)
{
    size_t count = 0;
    tl_shape_info *shapes = NULL;
    *found = (overlaps){0};
    tl_status status = tl_world_find_contacts(world);
    if (status < 0)
        return complain_of(status, PHASE_MAKING);
    const size_t contact_count = tl_world_contact_count(world);
    if (!contact_count)
        return EXIT_OK;
    tl_contact *contacts = calloc(contact_count, sizeof *contacts);
    if (!contacts)
        return out_of_memory();
    status = tl_world_read_contacts(world, contact_count, contacts);
    int code = status < 0 ? complain_of(status, PHASE_MAKING) : read_shapes(world, &count, &shapes);
    if (code == EXIT_OK)
        find_worst(world, shapes, count, contacts, contact_count, found);
    free(contacts);
    free(shapes);
    return code;
}
