/* Bodies whose frame, as the user gave it, is not that of their centre of mass and principal axes,
 * in which they move: poses go out in the user's frame. Everything else, velocities too, is of the
 * centre of mass. */
#include "base/turn.h"
#include "world/world.h"

#include <string.h>

const tl_origin *tl_origin_of(const tl_array *origins, uint32_t id)
{
    const tl_origin *list = origins->data;
    size_t low = 0, high = origins->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < origins->count && list[low].id == id ? &list[low] : NULL;
}

tl_status tl_origins_add(tl_array *origins, const tl_body_list *list, uint32_t first_id)
{
    const tl_body_rec *bodies = list->bodies.data;
    const size_t before = origins->count;
    for (size_t i = 0; i < list->bodies.count; i++) {
        const double *x = bodies[i].offset, *q = bodies[i].turn;
        if (bodies[i].kind != TL_DYNAMIC ||
            (x[0] == 0 && x[1] == 0 && x[2] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0))
            continue;
        tl_origin o = {.id = first_id + (uint32_t)i};
        memcpy(o.offset, x, sizeof o.offset);
        memcpy(o.turn, q, sizeof o.turn);
        const tl_status status = tl_array_append(origins, &o, 1);
        if (status != TL_OK) {
            origins->count = before;
            return status;
        }
    }
    return TL_OK;
}

void tl_origin_pose(const tl_origin *o, double position[3], double orientation[4])
{
    double shift[3], inner[4];
    memcpy(inner, orientation, sizeof inner);
    tl_turn_apply(inner, o->offset, shift);
    for (int k = 0; k < 3; k++)
        position[k] += shift[k];
    tl_turn_join(inner, o->turn, orientation);
}

void tl_origin_frame(const tl_origin *o, double position[3], double orientation[4])
{
    double at[3], inner[4];
    memcpy(inner, orientation, sizeof inner);
    tl_turn_apply(o->turn, position, at);
    for (int k = 0; k < 3; k++)
        position[k] = o->offset[k] + at[k];
    tl_turn_join(o->turn, inner, orientation);
}

void tl_origin_shape(const tl_origin *o, double position[3], double orientation[4])
{
    const double back[4] = {o->turn[0], -o->turn[1], -o->turn[2], -o->turn[3]};
    double from[3], inner[4];
    memcpy(inner, orientation, sizeof inner);
    for (int k = 0; k < 3; k++)
        from[k] = position[k] - o->offset[k];
    tl_turn_apply(back, from, position);
    tl_turn_join(back, inner, orientation);
}
