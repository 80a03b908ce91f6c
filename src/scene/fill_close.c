/* Close packing: each sphere is put into the lowest pocket there is.
 *
 * A pocket is the place of a sphere that touches three others, or two others and a wall, or one and
 * two walls. Whenever a sphere is placed, the pockets that it forms with its neighbours are made
 * and go into a heap by their height along gravity; the lowest one is filled next, if nothing has
 * got in its way meanwhile. The first spheres lie scattered on what is below, which makes the
 * packing random.
 *
 * Sizes are drawn in order and wait in a short queue; a pocket takes the first one that fits, so
 * that all that are drawn get in. A sphere that no pocket wants falls down from a random place. */
#include "scene/fill.h"

#include <math.h>
#include <string.h>

#define WALLS 0x80000000u /* supports from here on: walls of the room, then those of the space */

enum {
    QUEUE = 8,     /* sizes that wait */
    PATIENCE = 64, /* pockets that the first of them may fail to fit in */
    FLOOR = 300,   /* random places in a row without room on the floor: it is covered */
    FALLS = 1000,  /* random places in a row without room for a sphere: the region is full */
    PASSES = 12,   /* to find a pocket at a curved wall */
    FEW = 64,      /* walls */
};

typedef struct pocket {
    double height;
    uint32_t support[3]; /* the first is a ball */
} pocket;

/* What a support asks of the place y of a sphere, from the centre of the first ball: a . y = b. */
typedef struct plane {
    double a[3], b;
} plane;

typedef struct packing {
    tl_fill_job *job;
    tl_array heap;  /* pocket */
    tl_array near;  /* uint32_t: supports around the newest sphere */
    tl_array walls; /* uint32_t: walls that may be among them */
    tl_array plane; /* plane: and what they ask for */
    double middle;  /* m, the radius that pockets are made for */
    double queue[QUEUE];
    int waiting, refused; /* sizes in the queue; pockets that the first did not fit in */
} packing;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How far spheres in pockets keep from what they touch: enough that rounding makes no overlap, and
 * less than counts as one. */
static double aside(const packing *p)
{
    return 0.5 * p->job->space.room.slack;
}

static const tl_space_ball *ball_at(const packing *p, uint32_t support)
{
    return (const tl_space_ball *)p->job->space.balls.data + support;
}

/* --- the heap -------------------------------------------------------------------------------- */

static tl_status push(tl_array *heap, const pocket *item)
{
    TL_TRY(tl_array_append(heap, item, 1));
    pocket *h = heap->data;
    size_t at = heap->count - 1;
    for (; at && item->height < h[(at - 1) / 2].height; at = (at - 1) / 2)
        h[at] = h[(at - 1) / 2];
    h[at] = *item;
    return TL_OK;
}

static pocket pop(tl_array *heap)
{
    pocket *h = heap->data;
    const pocket top = h[0], last = h[--heap->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && h[child + 1].height < h[child].height)
            child++;
        if (last.height <= h[child].height)
            break;
        h[at] = h[child];
    }
    h[at] = last;
    return top;
}

/* --- pockets --------------------------------------------------------------------------------- */

/* The distance of a point from a wall and the normal away from it. */
static double wall_at(const packing *p, uint32_t support, const double x[3], double n[3])
{
    const tl_space *space = &p->job->space;
    const uint32_t wall = support - WALLS, own = (uint32_t)space->room.walls;
    return wall < own ? tl_room_wall(&space->room, (int)wall, x, n)
                      : tl_space_wall(space, wall - own, x, n);
}

/* Whether what a wall asks for is the same wherever one looks from. */
static bool is_flat(const packing *p, uint32_t support)
{
    const tl_room *room = &p->job->space.room;
    return support < WALLS || (support < WALLS + (uint32_t)room->walls &&
                               (room->region.kind == TL_REGION_BOX || support > WALLS));
}

/* What a support asks of a sphere of radius r that touches `first`; for a wall as it looks from x.
 */
static plane ask(const packing *p, const tl_space_ball *first, uint32_t support, double r,
                 const double x[3])
{
    plane out;
    if (support < WALLS) {
        const tl_space_ball *ball = ball_at(p, support);
        const double d = r + first->reach + aside(p), e = r + ball->reach + aside(p);
        for (int k = 0; k < 3; k++)
            out.a[k] = ball->x[k] - first->x[k];
        out.b = 0.5 * (d * d - e * e + dot(out.a, out.a));
    } else {
        out.b = r + aside(p) - wall_at(p, support, x, out.a);
        for (int k = 0; k < 3; k++)
            out.b += out.a[k] * (x[k] - first->x[k]);
    }
    return out;
}

/* The upper one of the two places at distance d from the origin that obey two planes. */
static bool meet(const plane *one, const plane *two, double d, const double down[3], double y[3])
{
    const double *a = one->a, *b = two->a;
    const double w[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    const double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), ww = dot(w, w);
    if (!(ww > 1e-12 * aa * bb))
        return false;
    const double s = (one->b * bb - two->b * ab) / ww, t = (two->b * aa - one->b * ab) / ww;
    for (int k = 0; k < 3; k++)
        y[k] = s * a[k] + t * b[k];
    const double left = d * d - dot(y, y);
    if (!(left >= 0))
        return false;
    const double root = sqrt(left / ww), along = dot(w, down) > 0 ? -root : root;
    for (int k = 0; k < 3; k++)
        y[k] += along * w[k];
    return true;
}

/* The place of a sphere of radius r in a pocket. Curved walls are taken as flat where the sphere
 * is, again and again. What comes out is checked by the caller. */
static bool settle(const packing *p, const uint32_t support[3], double r, double x[3])
{
    const tl_space_ball *first = ball_at(p, support[0]);
    const double d = r + first->reach + aside(p);
    const bool flat = is_flat(p, support[1]) && is_flat(p, support[2]);
    memcpy(x, first->x, sizeof first->x);
    for (int pass = 0; pass < (flat ? 1 : PASSES); pass++) {
        const plane one = ask(p, first, support[1], r, x), two = ask(p, first, support[2], r, x);
        double y[3], move = 0;
        if (!meet(&one, &two, d, p->job->down, y))
            return false;
        for (int k = 0; k < 3; k++) {
            move = fmax(move, fabs(first->x[k] + y[k] - x[k]));
            x[k] = first->x[k] + y[k];
        }
        if (move < 0.01 * aside(p))
            break;
    }
    return true;
}

/* The supports near a ball: what a sphere of the middle radius that touches it may touch too. */
static tl_status find_supports(packing *p, uint32_t newest)
{
    const tl_space *space = &p->job->space;
    const tl_space_ball *ball = ball_at(p, newest);
    const double reach = ball->reach + 2 * p->middle + 2 * space->room.slack;
    double n[3];
    TL_TRY(tl_space_near(space, ball->x, reach, &p->near));
    uint32_t *near = p->near.data;
    for (size_t i = 0; i < p->near.count; i++)
        if (near[i] == newest)
            near[i--] = near[--p->near.count];
    TL_TRY(tl_space_near_walls(space, ball->x, reach * (1 + 1e-9), &p->walls));
    const uint32_t own = (uint32_t)space->room.walls, *others = p->walls.data;
    for (uint32_t i = 0; i < own + p->walls.count; i++) {
        const uint32_t wall = WALLS + (i < own ? i : own + others[i - own]);
        if (wall_at(p, wall, ball->x, n) < reach)
            TL_TRY(tl_array_append(&p->near, &wall, 1));
    }
    TL_TRY(tl_array_resize(&p->plane, p->near.count));
    near = p->near.data;
    plane *planes = p->plane.data;
    for (size_t i = 0; i < p->near.count; i++)
        planes[i] = ask(p, ball, near[i], p->middle, ball->x);
    return TL_OK;
}

/* Whether a sphere of radius r at x, at most the middle one, is clear of the supports; all that it
 * could touch are among them. The last one that was in the way is asked first: it often is again.
 */
static bool is_clear(const packing *p, const double x[3], double r, size_t *blocker)
{
    const uint32_t *near = p->near.data;
    for (size_t i = 0; i <= p->near.count; i++) {
        const size_t at = i ? i - 1 : *blocker;
        bool clear;
        if (near[at] < WALLS) {
            const tl_space_ball *ball = ball_at(p, near[at]);
            const double d[3] = {x[0] - ball->x[0], x[1] - ball->x[1], x[2] - ball->x[2]};
            clear = dot(d, d) >= (r + ball->reach) * (r + ball->reach);
        } else {
            double n[3];
            clear = wall_at(p, near[at], x, n) >= r;
        }
        if (!clear) {
            *blocker = at;
            return false;
        }
    }
    return true;
}

/* Whether a sphere of the middle radius at x, where it would touch a support if that were flat, is
 * near to that. Of many small walls most are not: they lie beside each other, or hide behind
 * others, and to settle a sphere takes many looks at them. */
static bool touches(const packing *p, uint32_t support, const double x[3])
{
    double n[3];
    return support < WALLS || fabs(wall_at(p, support, x, n) - p->middle) < 0.5 * p->middle;
}

static tl_status make_pockets(packing *p, uint32_t newest)
{
    size_t blocker = 0;
    TL_TRY(find_supports(p, newest));
    const double *down = p->job->down;
    const uint32_t *near = p->near.data;
    const plane *planes = p->plane.data;
    const tl_space_ball *ball = ball_at(p, newest);
    const double d = p->middle + ball->reach + aside(p);
    const double r = p->middle - p->job->space.room.slack;
    const bool many = p->near.count > FEW;
    for (size_t j = 0; j < p->near.count; j++)
        for (size_t k = 0; k < j; k++) {
            double x[3];
            pocket made = {.support = {newest, near[j], near[k]}};
            const bool flat = is_flat(p, near[j]) && is_flat(p, near[k]);
            if ((flat || many) && !meet(&planes[j], &planes[k], d, down, x))
                continue;
            for (int c = 0; c < 3 && (flat || many); c++)
                x[c] += ball->x[c];
            if (!flat && many && !(touches(p, near[j], x) && touches(p, near[k], x)))
                continue;
            if ((!flat && !settle(p, made.support, p->middle, x)) || !is_clear(p, x, r, &blocker))
                continue;
            made.height = -dot(x, down);
            TL_TRY(push(&p->heap, &made));
        }
    return TL_OK;
}

/* --- placing --------------------------------------------------------------------------------- */

static void draw_sizes(packing *p)
{
    const tl_size_def *size = &p->job->def->size;
    const int most = size->kind == TL_SIZE_EQUAL ? 1 : QUEUE;
    while (p->waiting < most)
        p->queue[p->waiting++] = tl_size_draw(size, &p->job->random);
}

/* Places the sphere that is `turn`-th in the queue. */
static tl_status place(packing *p, int turn, const double x[3])
{
    TL_TRY(tl_fill_place(p->job, x, p->queue[turn]));
    p->waiting--;
    memmove(p->queue + turn, p->queue + turn + 1, (size_t)(p->waiting - turn) * sizeof *p->queue);
    if (!turn)
        p->refused = 0;
    draw_sizes(p);
    return make_pockets(p, (uint32_t)p->job->space.balls.count - 1);
}

/* The walls that can be nearer than so much: few are all asked, for that is cheaper than to look.
 */
static tl_status find_walls(packing *p, const double x[3], double distance)
{
    const tl_space *space = &p->job->space;
    if (space->walls.count > FEW)
        return tl_space_near_walls(space, x, distance, &p->walls);
    TL_TRY(tl_array_resize(&p->walls, space->walls.count));
    for (uint32_t i = 0; i < p->walls.count; i++)
        ((uint32_t *)p->walls.data)[i] = i;
    return TL_OK;
}

/* How far a sphere can go along gravity until it meets a wall. Walls are convex: beyond the plane
 * at the point next to the sphere there is nothing of a wall, so that one alongside does not hold
 * it. Among many walls it goes a stride at most before it looks again which are near. */
static tl_status fall(packing *p, const double x[3], double r, double *gone)
{
    const tl_space *space = &p->job->space;
    const double *down = p->job->down, exit = tl_room_exit(&space->room, x, r, down);
    const double stride = space->walls.count > FEW ? 3 * r : INFINITY;
    *gone = space->walls.count ? 0 : exit;
    for (int i = 0; space->walls.count && i < 100;) {
        double least = fmin(exit - *gone, stride), at[3], n[3];
        for (int k = 0; k < 3; k++)
            at[k] = x[k] + *gone * down[k];
        TL_TRY(find_walls(p, at, r + stride));
        const uint32_t *walls = p->walls.data;
        for (size_t w = 0; w < p->walls.count; w++) {
            const double room = tl_space_wall(space, walls[w], at, n) - r, approach = -dot(n, down);
            if (approach > 1e-9)
                least = fmin(least, fmax(room, 0) / approach);
        }
        if (least < space->room.slack)
            break;
        *gone += least;
        i += least < stride; /* strides are as many as the region is deep */
    }
    return TL_OK;
}

/* Scatters spheres on what is below until it is covered. */
static tl_status cover_floor(packing *p)
{
    tl_fill_job *job = p->job;
    double x[3];
    for (int failed = 0; failed < FLOOR && job->spheres.count < job->want;) {
        const double r = p->queue[0];
        tl_room_sample(&job->space.room, r, &job->random, x);
        double depth;
        TL_TRY(fall(p, x, r, &depth));
        for (int k = 0; k < 3; k++)
            x[k] += fmax(0, depth - aside(p)) * job->down[k];
        if (tl_space_fits(&job->space, x, r)) {
            TL_TRY(place(p, 0, x));
            failed = 0;
        } else {
            failed++;
        }
    }
    return TL_OK;
}

/* Lets a sphere that has room sink until something is below it. */
static void sink(const packing *p, double r, double x[3])
{
    for (double step = 0.5 * r; step > 0.01 * r;) {
        double next[3];
        for (int k = 0; k < 3; k++)
            next[k] = x[k] + step * p->job->down[k];
        if (tl_space_fits(&p->job->space, next, r))
            memcpy(x, next, sizeof next);
        else
            step *= 0.5;
    }
}

/* Drops the first sphere of the queue at the best of a few random places; *done is false where
 * there is none. */
static tl_status drop(packing *p, bool *done)
{
    tl_fill_job *job = p->job;
    const double r = p->queue[0];
    double best[3], lowest = INFINITY;
    for (int tries = 0, found = 0; tries < FALLS && found < 4; tries++) {
        double x[3];
        tl_room_sample(&job->space.room, r, &job->random, x);
        if (!tl_space_fits(&job->space, x, r))
            continue;
        sink(p, r, x);
        found++;
        if (-dot(x, job->down) < lowest) {
            lowest = -dot(x, job->down);
            memcpy(best, x, sizeof best);
        }
    }
    *done = lowest < INFINITY;
    return *done ? place(p, 0, best) : TL_OK;
}

/* Fills the lowest pocket with the first size of the queue that fits. */
static tl_status fill_pocket(packing *p)
{
    const pocket lowest = pop(&p->heap);
    double x[3];
    for (int turn = 0; turn < p->waiting; turn++) {
        const double r = p->queue[turn];
        if (settle(p, lowest.support, r, x) && tl_space_fits(&p->job->space, x, r))
            return place(p, turn, x);
        p->refused += turn == 0;
    }
    return TL_OK;
}

static tl_status pack(packing *p)
{
    const bool equal = p->job->def->size.kind == TL_SIZE_EQUAL;
    draw_sizes(p);
    TL_TRY(cover_floor(p));
    bool more = true;
    while (more && p->job->spheres.count < p->job->want) {
        if (p->heap.count && (equal || p->refused < PATIENCE))
            TL_TRY(fill_pocket(p));
        else
            TL_TRY(drop(p, &more));
    }
    return TL_OK;
}

tl_status tl_fill_close(tl_fill_job *job)
{
    packing p = {.job = job,
                 .heap = {.item = sizeof(pocket)},
                 .near = {.item = sizeof(uint32_t)},
                 .walls = {.item = sizeof(uint32_t)},
                 .plane = {.item = sizeof(plane)},
                 .middle = tl_size_middle(&job->def->size)};
    const tl_status status = pack(&p);
    tl_array_free(&p.heap);
    tl_array_free(&p.near);
    tl_array_free(&p.walls);
    tl_array_free(&p.plane);
    return status;
}
