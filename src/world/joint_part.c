/* Joints that have broken: their bodies collide again, but not while what the joint had put into
 * each other overlaps, which contacts would throw apart. tl_world_step() calls, before a step, as
 * long as there are such bodies. */
#include "talus/query.h"
#include "world/world.h"

#include "base/turn.h"

/* Whether contacts may be made between two shapes. */
static bool meets(const tl_shape_def *a, const tl_shape_def *b)
{
    return (a->mask & b->group) && (b->mask & a->group) && !a->sensor && !b->sensor;
}

static const tl_shape_info *find_shape(const tl_shape_info *shapes, size_t count, tl_body body,
                                       uint32_t index)
{
    size_t low = 0, high = count; /* they are in the order of handles */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const uint32_t at = shapes[middle].body.index;
        if (at < body.index || (at == body.index && shapes[middle].index < index))
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && shapes[low].body.index == body.index ? &shapes[low] : NULL;
}

/* Whether a shape, given in the world, is in one of a body's by more than contacts at rest are. */
static tl_status is_in(tl_world *w, const tl_shape_def *shape, tl_body own, tl_body other,
                       const tl_shape_info *shapes, size_t count, tl_array *near, bool *in)
{
    const double deep = -0.1 * w->envelope;
    size_t found = near->count;
    TL_TRY(tl_world_overlaps(w, shape, 0, own, near->count, near->data, &found));
    if (found > near->count) {
        TL_TRY(tl_array_resize(near, found));
        TL_TRY(tl_world_overlaps(w, shape, 0, own, near->count, near->data, &found));
    }
    for (size_t i = 0; i < found && !*in; i++) {
        const tl_neighbour *n = (const tl_neighbour *)near->data + i;
        if (n->body.index != other.index || !(n->gap < deep))
            continue;
        const tl_shape_info *its = find_shape(shapes, count, other, n->shape);
        *in = its && meets(shape, &its->def);
    }
    return TL_OK;
}

/* Whether two bodies overlap; `a` is dynamic, so that all of its shapes are solids. */
static tl_status overlap(tl_world *w, tl_body a, tl_body b, const tl_shape_info *shapes,
                         size_t count, tl_array *near, bool *in)
{
    double x[3], q[4];
    *in = false;
    TL_TRY(tl_world_read_positions(w, 1, &a, x));
    TL_TRY(tl_world_read_orientations(w, 1, &a, q));
    const tl_shape_info *own = find_shape(shapes, count, a, 0);
    for (; own && own < shapes + count && own->body.index == a.index && !*in; own++) {
        tl_shape_def def = own->def;
        tl_turn_apply(q, own->def.position, def.position);
        tl_turn_join(q, own->def.orientation, def.orientation);
        for (int k = 0; k < 3; k++)
            def.position[k] += x[k];
        TL_TRY(is_in(w, &def, a, b, shapes, count, near, in));
    }
    return TL_OK;
}

static tl_status part(tl_world *w, const tl_shape_info *shapes, size_t count, tl_array *near)
{
    tl_mechanism *m = &w->mechanism;
    tl_joint_entry *joints = m->joints.data;
    bool left = false;
    for (size_t i = 0; i < m->joints.count; i++) {
        const tl_joint_def *def = &joints[i].rec.def;
        if (!joints[i].memory.broken || !joints[i].excludes)
            continue;
        const bool first = tl_world_row(w, def->a) < w->dynamic;
        bool in;
        TL_TRY(
            overlap(w, first ? def->a : def->b, first ? def->b : def->a, shapes, count, near, &in));
        left = left || in;
        if (in)
            continue;
        TL_TRY(tl_joint_lift(w, &joints[i]));
        joints[i].excludes = 0;
    }
    m->parting = left;
    return TL_OK;
}

tl_status tl_joints_part(tl_world *w)
{
    const size_t count = w->shape_rows, bytes = count * sizeof(tl_shape_info);
    tl_array near = {.item = sizeof(tl_neighbour)};
    TL_TRY(tl_joints_ready(w)); /* which brings back what has broken */
    tl_shape_info *shapes = tl_alloc(bytes + 1);
    tl_status status = shapes ? tl_world_read_shapes(w, count, shapes) : TL_NO_MEMORY;
    if (status == TL_OK)
        status = tl_array_resize(&near, 16);
    if (status == TL_OK)
        status = part(w, shapes, count, &near);
    tl_array_free(&near);
    tl_free(shapes, bytes + 1);
    return status;
}
