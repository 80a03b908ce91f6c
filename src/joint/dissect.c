/* Parts are halved by distances, counted in joints: from two bodies that are far from each other,
 * or from a third that is far from both. Where one is nearer than the other by the median or more
 * is the second half; of the three pairs that which the fewest joints cross is taken. A net of
 * squares is so cut along its threads. */
#include "joint/dissect.h"

#include <stdlib.h>

#define SMALLEST 8u /* bodies of a part that is not cut further */
#define DEEPEST  40u
#define LOOPS    4u /* one loop per so many bodies makes an articulation worth it */
#define LAST     (DEEPEST + 2)

typedef struct cutting {
    const tl_graph_joint *joints;
    tl_array begin, list;    /* joints by body */
    tl_array part;           /* uint32_t per body: the part that it is in */
    tl_array order;          /* uint32_t: bodies, those of a part side by side */
    tl_array queue;          /* uint32_t */
    tl_array far[3], nearer; /* int32_t per body: distances; the difference of two */
    tl_array sorted;         /* int32_t: the same of a part's bodies */
    uint32_t parts;
    uint8_t *late;
} cutting;

static uint32_t *words(const tl_array *array)
{
    return array->data;
}

static int32_t *numbers(const tl_array *array)
{
    return array->data;
}

static tl_status prepare(cutting *c, uint32_t bodies, uint32_t count)
{
    tl_array *const all[] = {&c->begin,  &c->list,   &c->part,   &c->order,  &c->queue,
                             &c->far[0], &c->far[1], &c->far[2], &c->nearer, &c->sorted};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i]->item = sizeof(uint32_t);
        TL_TRY(tl_array_resize(all[i], bodies + 2));
    }
    uint32_t *begin = words(&c->begin);
    for (uint32_t i = 0; i < bodies + 2; i++)
        begin[i] = 0;
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t b = 0; b < c->joints[j].bodies; b++)
            begin[c->joints[j].body[b] + 2]++;
    for (uint32_t i = 2; i < bodies + 2; i++)
        begin[i] += begin[i - 1];
    TL_TRY(tl_array_resize(&c->list, begin[bodies + 1]));
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t b = 0; b < c->joints[j].bodies; b++)
            words(&c->list)[begin[c->joints[j].body[b] + 1]++] = j;
    for (uint32_t i = 0; i < bodies; i++) {
        words(&c->part)[i] = 0;
        numbers(&c->far[0])[i] = -1;
    }
    c->parts = 1;
    return TL_OK;
}

/* Distances from a body to all of its part that it is connected with there, which are left in the
 * queue, the furthest last; returns how many. */
static uint32_t walk(const cutting *c, uint32_t from, int32_t *far)
{
    uint32_t *queue = words(&c->queue), end = 1;
    const uint32_t *part = words(&c->part), *begin = words(&c->begin);
    queue[0] = from;
    far[from] = 0;
    for (uint32_t at = 0; at < end; at++)
        for (uint32_t l = begin[queue[at]]; l < begin[queue[at] + 1]; l++) {
            const tl_graph_joint *j = &c->joints[words(&c->list)[l]];
            for (uint32_t b = 0; b < j->bodies; b++)
                if (part[j->body[b]] == part[from] && far[j->body[b]] < 0) {
                    far[j->body[b]] = far[queue[at]] + 1;
                    queue[end++] = j->body[b];
                }
        }
    return end;
}

/* The body of a part that is furthest from those that were walked from, and among these has the
 * fewest joints. */
static uint32_t furthest(const cutting *c, const uint32_t *bodies, uint32_t count, int walked)
{
    const uint32_t *begin = words(&c->begin);
    uint32_t best = bodies[0];
    int32_t most = -1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t body = bodies[i];
        int32_t least = INT32_MAX;
        for (int k = 0; k < walked; k++)
            least = numbers(&c->far[k])[body] < least ? numbers(&c->far[k])[body] : least;
        const bool fewer = begin[body + 1] - begin[body] < begin[best + 1] - begin[best];
        if (least > most || (least == most && fewer)) {
            most = least;
            best = body;
        }
    }
    return best;
}

static int by_size(const void *one, const void *two)
{
    const int32_t a = *(const int32_t *)one, b = *(const int32_t *)two;
    return (a > b) - (a < b);
}

/* How many joints have bodies of a part on both sides of a difference of distances, that of the
 * middle of its bodies or, where more than half have the same, the next; and which it is. */
static uint32_t try_cut(const cutting *c, const uint32_t *bodies, uint32_t count, int one, int two,
                        int32_t *middle)
{
    int32_t *nearer = numbers(&c->nearer), *sorted = numbers(&c->sorted);
    const uint32_t *part = words(&c->part), *begin = words(&c->begin);
    uint32_t crossing = 0;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = nearer[bodies[i]] =
            numbers(&c->far[one])[bodies[i]] - numbers(&c->far[two])[bodies[i]];
    qsort(sorted, count, sizeof *sorted, by_size);
    uint32_t at = count / 2;
    while (at < count && sorted[at] == sorted[0])
        at++;
    if (at == count)
        return UINT32_MAX;
    *middle = sorted[at];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t l = begin[bodies[i]]; l < begin[bodies[i] + 1]; l++) {
            const tl_graph_joint *j = &c->joints[words(&c->list)[l]];
            for (uint32_t b = 0; b < j->bodies && nearer[bodies[i]] < *middle; b++)
                if (part[j->body[b]] == part[bodies[i]] && nearer[j->body[b]] >= *middle) {
                    crossing++;
                    break;
                }
        }
    return crossing;
}

/* Bodies of a part from a difference of distances on become another, behind the others; returns how
 * many these are. Joints that cross are noted. */
static uint32_t part_at(cutting *c, uint32_t *bodies, uint32_t count, int32_t middle, uint8_t late)
{
    uint32_t *part = words(&c->part), first = 0;
    for (uint32_t i = 0; i < count; i++)
        if (numbers(&c->nearer)[bodies[i]] < middle) {
            const uint32_t body = bodies[i];
            bodies[i] = bodies[first];
            bodies[first++] = body;
        }
    for (uint32_t i = first; i < count; i++)
        part[bodies[i]] = c->parts;
    for (uint32_t i = 0; i < first; i++)
        for (uint32_t l = words(&c->begin)[bodies[i]]; l < words(&c->begin)[bodies[i] + 1]; l++) {
            const uint32_t joint = words(&c->list)[l];
            for (uint32_t b = 0; b < c->joints[joint].bodies; b++)
                if (part[c->joints[joint].body[b]] == c->parts)
                    c->late[joint] = late;
        }
    c->parts++;
    return first;
}

/* Cuts bodies [from, to) of the order, one part, in two; returns where the second begins, or `to`:
 * it cannot be cut. */
static uint32_t cut(cutting *c, uint32_t from, uint32_t to, uint8_t late)
{
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    uint32_t *bodies = words(&c->order) + from, best = UINT32_MAX, start = bodies[0];
    const uint32_t count = to - from;
    int32_t middle = 0;
    int which = 0;
    for (int k = -1; k < 3; k++) { /* the first is somewhere: from there to a far end */
        int32_t *far = numbers(&c->far[k < 0 ? 0 : k]);
        for (uint32_t i = 0; i < count; i++)
            far[bodies[i]] = -1;
        if (walk(c, start, far) < count) { /* in pieces: these are the halves */
            for (uint32_t i = 0; i < count; i++)
                numbers(&c->nearer)[bodies[i]] = far[bodies[i]] < 0;
            middle = 1;
            best = 0;
            which = -1;
            break;
        }
        start = furthest(c, bodies, count, k < 0 ? 1 : k + 1);
    }
    for (int k = 0; k < 3 && which >= 0; k++) {
        int32_t at = 0;
        const uint32_t crossing = try_cut(c, bodies, count, pairs[k][0], pairs[k][1], &at);
        if (crossing < best) {
            best = crossing;
            middle = at;
            which = k;
        }
    }
    if (best == UINT32_MAX)
        return to;
    if (which >= 0)
        try_cut(c, bodies, count, pairs[which][0], pairs[which][1], &middle);
    return from + part_at(c, bodies, count, middle, late);
}

/* A part, and the parts of it, whose joints go the earlier the deeper they are. */
static void divide(cutting *c, uint32_t from, uint32_t to, uint32_t depth)
{
    if (to - from <= SMALLEST || depth == DEEPEST)
        return;
    const uint32_t second = cut(c, from, to, (uint8_t)(DEEPEST + 1 - depth));
    if (second == from || second == to)
        return;
    divide(c, from, second, depth + 1);
    divide(c, second, to, depth + 1);
}

/* Each articulation, one after the other; those with many loops are divided. */
static void dissect(cutting *c, uint32_t bodies, uint32_t hub, uint8_t *late)
{
    const uint32_t *begin = words(&c->begin), *queue = words(&c->queue);
    uint32_t from = 0;
    for (uint32_t body = 0; body < bodies; body++) {
        if (words(&c->part)[body])
            continue;
        const uint32_t count = walk(c, body, numbers(&c->far[0]));
        uint32_t joints = 0;
        for (uint32_t i = 0; i < count; i++) {
            words(&c->order)[from + i] = queue[i];
            words(&c->part)[queue[i]] = c->parts;
            for (uint32_t l = begin[queue[i]]; l < begin[queue[i] + 1]; l++)
                joints += c->joints[words(&c->list)[l]].body[0] == queue[i];
        }
        c->parts++;
        if (joints >= count + count / LOOPS && count > 2 * SMALLEST) {
            divide(c, from, from + count, 0);
            for (uint32_t i = from; i < from + count; i++) {
                const uint32_t own = words(&c->order)[i];
                late[own] = begin[own + 1] - begin[own] > hub ? LAST : 0;
            }
        }
        from += count;
    }
}

tl_status tl_dissect(uint32_t bodies, const tl_graph_joint *joints, uint32_t count, uint32_t hub,
                     uint8_t *late)
{
    cutting c = {.joints = joints, .late = late + bodies};
    for (uint32_t i = 0; i < bodies + count; i++)
        late[i] = 0;
    const tl_status status = prepare(&c, bodies, count);
    if (status == TL_OK)
        dissect(&c, bodies, hub, late);
    tl_array *const all[] = {&c.begin,  &c.list,   &c.part,   &c.order,  &c.queue,
                             &c.far[0], &c.far[1], &c.far[2], &c.nearer, &c.sorted};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
    return status;
}
