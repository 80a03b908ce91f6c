/* The geometries that shapes of a world share: on the host as records, on the device as two arrays
 * with the place of each. */
#include "world/world.h"

/* Appends the arrays of all geometries to each other; where each begins. */
static tl_status lay_out(const tl_array *geometries, tl_array *numbers, tl_array *words,
                         tl_array *start)
{
    const tl_geometry_rec *list = geometries->data;
    for (size_t i = 0; i < geometries->count; i++) {
        if (numbers->count >> 32 || words->count >> 32)
            return tl_fail(TL_TOO_LARGE, "geometries take more than 2^32 numbers");
        const uint32_t at[2] = {(uint32_t)numbers->count, (uint32_t)words->count};
        TL_TRY(tl_array_append(start, at, 1));
        TL_TRY(tl_array_append(numbers, list[i].numbers.data, list[i].numbers.count));
        TL_TRY(tl_array_append(words, list[i].words.data, list[i].words.count));
    }
    return TL_OK;
}

static tl_status send(tl_backend *b, tl_buffer *to, const tl_array *from)
{
    TL_TRY(tl_buffer_need(b, to, from->count * from->item));
    if (from->count)
        b->ops->upload(b, to->data, from->data, from->count * from->item);
    return TL_OK;
}

tl_status tl_world_upload_geometries(tl_world *w)
{
    tl_array numbers = {.item = sizeof(double)}, words = {.item = sizeof(uint32_t)};
    tl_array start = {.item = 2 * sizeof(uint32_t)};
    tl_status status = lay_out(&w->geometries, &numbers, &words, &start);
    if (status == TL_OK)
        status = send(w->backend, &w->numbers, &numbers);
    if (status == TL_OK)
        status = send(w->backend, &w->words, &words);
    if (status == TL_OK)
        status = send(w->backend, &w->geometry, &start);
    tl_array_free(&numbers);
    tl_array_free(&words);
    tl_array_free(&start);
    return status;
}

tl_status tl_world_take_geometries(tl_world *w, const tl_array *geometries)
{
    TL_TRY(tl_geometries_copy(geometries, &w->geometries));
    return tl_world_upload_geometries(w);
}
