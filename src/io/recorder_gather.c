/* What a frame needs of a world, taken on the caller's thread: the state (a copy that the backend
 * makes), bodies that came and went since the last frame, and contacts. */
#include "io/recorder.h"

#include <string.h>

/* Walks the bodies of the world and those of the last frame, both ascending: notes the new ones in
 * `fresh` and the missing ones as removals, and takes the world's as alive. */
static tl_status compare_bodies(tl_recorder *r, tl_world *world, double time, tl_slot *slot)
{
    const size_t count = tl_world_body_count(world);
    TL_TRY(tl_array_resize(&r->handles, count));
    TL_TRY(tl_world_list_bodies(world, count, r->handles.data));
    const tl_body *now = r->handles.data;
    const uint32_t *then = r->alive.data;
    size_t at = 0;
    r->fresh.count = slot->removals.count = 0;
    for (size_t i = 0; i < count; i++) {
        for (; at < r->alive.count && then[at] < now[i].index; at++) {
            const tl_removal_row row = {then[at], time};
            TL_TRY(tl_array_append(&slot->removals, &row, 1));
        }
        if (at < r->alive.count && then[at] == now[i].index)
            at++;
        else
            TL_TRY(tl_array_append(&r->fresh, &now[i], 1));
    }
    for (; at < r->alive.count; at++) {
        const tl_removal_row row = {then[at], time};
        TL_TRY(tl_array_append(&slot->removals, &row, 1));
    }
    if (!r->fresh.count && !slot->removals.count)
        return TL_OK;
    TL_TRY(tl_array_resize(&r->alive, count));
    for (size_t i = 0; i < count; i++)
        ((uint32_t *)r->alive.data)[i] = now[i].index;
    return TL_OK;
}

/* The rows of new bodies. */
static tl_status gather_bodies(tl_recorder *r, tl_world *world, double time, tl_slot *slot)
{
    const size_t count = r->fresh.count;
    const tl_body *fresh = r->fresh.data;
    TL_TRY(tl_array_resize(&slot->bodies, count));
    TL_TRY(tl_array_resize(&r->numbers, 8 * count));
    double *mass = r->numbers.data, *position = mass + count, *orientation = position + 3 * count;
    TL_TRY(tl_world_read_masses(world, count, fresh, mass));
    TL_TRY(tl_world_read_positions(world, count, fresh, position));
    TL_TRY(tl_world_read_orientations(world, count, fresh, orientation));
    for (size_t i = 0; i < count; i++) {
        tl_body_row *row = (tl_body_row *)slot->bodies.data + i;
        *row = (tl_body_row){.body = fresh[i].index, .mass = mass[i], .added = time};
        memcpy(row->position, position + 3 * i, sizeof row->position);
        memcpy(row->orientation, orientation + 4 * i, sizeof row->orientation);
    }
    return TL_OK;
}

static tl_shape_row shape_row(const tl_shape_info *info)
{
    const tl_shape_def *d = &info->def;
    tl_shape_row row = {.body = info->body.index,
                        .index = info->index,
                        .kind = (uint32_t)d->kind,
                        .material = d->material.index,
                        .radius = d->radius,
                        .half_length = d->half_length,
                        .rounding = d->rounding,
                        .geometry = d->geometry.index,
                        .group = d->group,
                        .mask = d->mask,
                        .sensor = d->sensor,
                        .end_a = info->ends[0].index,
                        .end_b = info->ends[1].index};
    memcpy(row.position, d->position, sizeof row.position);
    memcpy(row.orientation, d->orientation, sizeof row.orientation);
    memcpy(row.half_extents, d->half_extents, sizeof row.half_extents);
    memcpy(row.edge_u, d->edge_u, sizeof row.edge_u);
    memcpy(row.edge_v, d->edge_v, sizeof row.edge_v);
    return row;
}

/* The shapes of new bodies, out of all. */
static tl_status gather_shapes(tl_recorder *r, const tl_world *world, tl_slot *slot)
{
    const size_t count = tl_world_shape_count(world);
    tl_array shapes = {.item = sizeof(tl_shape_info)};
    const tl_body *fresh = r->fresh.data;
    size_t at = 0;
    slot->shapes.count = 0;
    tl_status status = tl_array_resize(&shapes, count);
    if (status == TL_OK)
        status = tl_world_read_shapes(world, count, shapes.data);
    for (size_t i = 0; i < count && status == TL_OK; i++) {
        const tl_shape_info *info = (const tl_shape_info *)shapes.data + i;
        while (at < r->fresh.count && fresh[at].index < info->body.index)
            at++;
        if (at == r->fresh.count)
            break;
        if (fresh[at].index == info->body.index) {
            const tl_shape_row row = shape_row(info);
            status = tl_array_append(&slot->shapes, &row, 1);
        }
    }
    tl_array_free(&shapes);
    return status;
}

tl_status tl_recorder_gather(tl_recorder *r, tl_world *world, tl_slot *slot)
{
    const double time = tl_world_time(world);
    slot->bodies.count = slot->shapes.count = slot->contacts.count = 0;
    TL_TRY(tl_world_capture(world, slot->frame));
    TL_TRY(compare_bodies(r, world, time, slot));
    if (r->fresh.count) {
        TL_TRY(gather_bodies(r, world, time, slot));
        TL_TRY(gather_shapes(r, world, slot));
    }
    if (r->record.contacts) {
        const size_t count = tl_world_contact_count(world);
        TL_TRY(tl_array_resize(&slot->contacts, count));
        TL_TRY(tl_world_read_contacts(world, count, slot->contacts.data));
    }
    slot->has_frame = true;
    return TL_OK;
}
