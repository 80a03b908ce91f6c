/* Pairs of bodies that do not collide: a list in ascending order, of a scene or of a world. */
#include "scene/check.h"

#include <string.h>

uint64_t tl_exclusion(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* The place of a pair in the list, or where it would be. */
static size_t place_of(const tl_array *list, uint64_t pair)
{
    const uint64_t *pairs = list->data;
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pairs[middle] < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool tl_exclusions_have(const tl_array *list, uint64_t pair)
{
    const size_t at = place_of(list, pair);
    return at < list->count && ((const uint64_t *)list->data)[at] == pair;
}

tl_status tl_exclusions_set(tl_array *list, uint64_t pair, bool excluded)
{
    const size_t at = place_of(list, pair), behind = list->count - at;
    if (tl_exclusions_have(list, pair) == excluded)
        return TL_OK;
    if (excluded)
        TL_TRY(tl_array_append(list, &pair, 1));
    uint64_t *here = (uint64_t *)list->data + at;
    if (excluded) {
        memmove(here + 1, here, behind * sizeof *here);
        *here = pair;
    } else {
        memmove(here, here + 1, (behind - 1) * sizeof *here);
        list->count--;
    }
    return TL_OK;
}

static tl_status check_body(const tl_scene *scene, const char *name, tl_body body)
{
    const size_t count = scene->list.bodies.count;
    if (body.index >= 1 && body.index <= count && body.generation == 1)
        return TL_OK;
    return tl_fail_about(TL_BAD_HANDLE, &(tl_error){.bodies = {body}},
                         "tl_scene_exclude: %s (index %u, generation %u) is no body of this scene "
                         "(it has %zu)",
                         name, body.index, body.generation, count);
}

tl_status tl_scene_exclude(tl_scene *scene, tl_body a, tl_body b)
{
    if (!scene)
        return tl_refuse_null("scene");
    TL_TRY(check_body(scene, "a", a));
    TL_TRY(check_body(scene, "b", b));
    if (a.index == b.index)
        return tl_fail_about(TL_BAD_ARGUMENT, &(tl_error){.bodies = {a}},
                             "tl_scene_exclude: a and b are both body %u; they must be two bodies",
                             a.index);
    return tl_exclusions_set(&scene->exclusions, tl_exclusion(a.index, b.index), true);
}
