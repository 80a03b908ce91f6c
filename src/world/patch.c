/* Carrying out moving patches: which grains are too far behind, where each of them comes to lie
 * ahead, and putting it there. Grains are taken one after the other, by handle, and each lies on
 * what was there before or on those that were put there first; so bits depend on the state alone.
 * The schedule calls this before a step. */
#include "base/vector.h"
#include "scene/space.h"
#include "world/image.h"

#include <string.h>

#define RANGE 4    /* of the patch's length: how far above and below the body a surface is sought */
#define SLACK 0.02 /* of a radius: grains press into walls beside them by less, and pass */
#define ROLL  6    /* radii: a grain rolls no farther from where it came down */
#define STEEP 0.05 /* walls whose normal has less of the upward direction carry nothing */

/* What is ahead: balls (4 doubles each) and, in the space, walls. */
typedef struct scenery {
    const tl_patch_def *patch;
    double bottom, top; /* m along the upward direction */
    tl_array balls;
    tl_image others;
    tl_space space;
    tl_array close; /* those of the balls that a grain can meet */
    tl_array near;  /* uint32_t: walls */
} scenery;

/* The same place at another height. */
static void raise(const double up[3], const double x[3], double height, double out[3])
{
    const double by = height - tl_dot(x, up);
    for (int k = 0; k < 3; k++)
        out[k] = x[k] + by * up[k];
}

/* --- where to ------------------------------------------------------------------------------- */

/* Forward by two lengths. What was left farther behind than the body has gone since the last look
 * must not come to lie under the machine: it ends within as much of the front. */
static void aim(const tl_patch_def *p, const double from[3], double gone, tl_mover *m)
{
    double way[3];
    tl_sub(m->x, from, way);
    const double along = tl_dot(way, p->direction), late = -p->length - along;
    const double forward = p->length - fmod(late, gone + 2 * m->radius) - along;
    for (int k = 0; k < 3; k++)
        m->to[k] = m->x[k] + forward * p->direction[k];
}

/* How far a point is from a line along the upward direction through x, squared. */
static double square_beside(const scenery *s, const double x[3], const double point[3])
{
    double way[3];
    tl_sub(point, x, way);
    const double above = tl_dot(way, s->patch->up);
    return tl_dot(way, way) - above * above;
}

/* The balls that a grain can meet while it rolls. */
static tl_status list_close(scenery *s, const tl_mover *m)
{
    const double *ball = s->balls.data;
    s->close.count = 0;
    for (size_t i = 0; i < s->balls.count; i++, ball += 4) {
        const double reach = (ROLL + 1) * m->radius + ball[3];
        if (square_beside(s, m->to, ball) < reach * reach)
            TL_TRY(tl_array_append(&s->close, ball, 1));
    }
    return TL_OK;
}

/* The height at which a ball that comes down from above meets the first of those. */
static double height_on_balls(const scenery *s, const double x[3], double radius)
{
    const double *ball = s->close.data;
    double height = -INFINITY;
    for (size_t i = 0; i < s->close.count; i++, ball += 4) {
        const double reach = radius + ball[3];
        const double square = reach * reach - square_beside(s, x, ball);
        if (square > 0)
            height = fmax(height, tl_dot(ball, s->patch->up) + sqrt(square));
    }
    return height;
}

/* The distance from x to the nearest wall whose normal has at least `steep` of the upward
 * direction, of those nearer than `most`; and how much that wall's has. */
static tl_status nearest_wall(scenery *s, const double x[3], double most, double steep,
                              double *distance, double *upward)
{
    TL_TRY(tl_space_near_walls(&s->space, x, most, &s->near));
    const uint32_t *walls = s->near.data;
    *distance = most;
    *upward = 0;
    for (size_t i = 0; i < s->near.count; i++) {
        double normal[3];
        const double away = tl_space_wall(&s->space, walls[i], x, normal);
        const double slope = tl_dot(normal, s->patch->up);
        if (slope < steep || !(away < *distance))
            continue;
        *distance = away;
        *upward = slope;
    }
    return TL_OK;
}

/* Lets a ball down from the top: by as much as no wall is near, again and again, until it lies on a
 * wall or on balls. The height is -infinity where there is neither. */
static tl_status let_down(scenery *s, double x[3], double radius, double *height)
{
    const double *up = s->patch->up;
    const double rest = fmax(s->bottom, height_on_balls(s, x, radius));
    double at = s->top, distance, upward;
    *height = rest > s->bottom && rest < s->top ? rest : -INFINITY;
    while (at > rest) {
        raise(up, x, at, x);
        TL_TRY(nearest_wall(s, x, at - rest + radius, STEEP, &distance, &upward));
        const double gap = distance - (1 - SLACK) * radius;
        if (upward > 0 && gap < 1e-3 * radius) { /* it does not press into what it lies on */
            *height = fmax(at + fmax(0, radius - distance) * upward, rest);
            break;
        }
        at -= gap;
    }
    raise(up, x, isfinite(*height) ? *height : s->top, x);
    return TL_OK;
}

/* One try: a place beside the best one. It must be lower, not too far from where the grain came
 * down, and clear of walls, also of those beside it. */
static tl_status try_beside(scenery *s, const tl_mover *m, const double start[3],
                            const double way[3], double best[3], double *lowest, bool *found)
{
    double x[3], height, distance, upward;
    for (int k = 0; k < 3; k++)
        x[k] = m->to[k] + way[k];
    if (square_beside(s, start, x) > ROLL * ROLL * m->radius * m->radius)
        return TL_OK;
    TL_TRY(let_down(s, x, m->radius, &height));
    if (!isfinite(height) || !(height < *lowest - 1e-6 * m->radius))
        return TL_OK;
    TL_TRY(nearest_wall(s, x, m->radius, -1, &distance, &upward));
    if (distance < (1 - SLACK) * m->radius)
        return TL_OK;
    *lowest = height;
    *found = true;
    memcpy(best, x, 3 * sizeof *x);
    return TL_OK;
}

/* A grain that lay on top of another one would fall, and the next one with it: it rolls on to where
 * all around is higher, in ever shorter ways. */
static tl_status roll(scenery *s, tl_mover *m, double height)
{
    const double half = sqrt(0.5), *ahead = s->patch->direction;
    const double circle[8][2] = {{1, 0},  {half, half},   {0, 1},  {-half, half},
                                 {-1, 0}, {-half, -half}, {0, -1}, {half, -half}};
    double across[3], start[3];
    tl_cross(s->patch->up, ahead, across);
    memcpy(start, m->to, sizeof start);
    for (double step = m->radius; step > 0.1 * m->radius;) {
        double best[3];
        bool found = false;
        for (int i = 0; i < 8; i++) {
            double way[3];
            for (int k = 0; k < 3; k++)
                way[k] = step * (circle[i][0] * ahead[k] + circle[i][1] * across[k]);
            TL_TRY(try_beside(s, m, start, way, best, &height, &found));
        }
        if (found)
            memcpy(m->to, best, sizeof best);
        else
            step *= 0.5;
    }
    return TL_OK;
}

/* --- all grains of a patch ------------------------------------------------------------------- */

static void scenery_free(scenery *s)
{
    tl_array_free(&s->balls);
    tl_image_free(&s->others);
    tl_space_free(&s->space);
    tl_array_free(&s->close);
    tl_array_free(&s->near);
}

/* The box around the columns in which grains come down and roll. */
static tl_region columns(const scenery *s, const tl_array *movers, size_t first, double *largest)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    *largest = 0;
    for (size_t i = first; i < movers->count; i++) {
        const tl_mover *m = (const tl_mover *)movers->data + i;
        *largest = fmax(*largest, m->radius);
        for (int end = 0; end < 2; end++) {
            double x[3];
            raise(s->patch->up, m->to, end ? s->top : s->bottom, x);
            for (int k = 0; k < 3; k++) {
                low[k] = fmin(low[k], x[k] - (ROLL + 1) * m->radius);
                high[k] = fmax(high[k], x[k] + (ROLL + 1) * m->radius);
            }
        }
    }
    return tl_region_box(low, high);
}

static tl_status look_ahead(scenery *s, tl_world *w, const tl_image *added, const tl_array *movers,
                            size_t first)
{
    double largest;
    const tl_region box = columns(s, movers, first, &largest);
    const tl_room room = tl_room_of(&box, largest);
    tl_space_init(&s->space, &room, largest);
    s->space.geometries = &w->geometries;
    TL_TRY(tl_edit_near(w, box.low, box.high, &s->balls, &s->others));
    TL_TRY(tl_image_survey(&s->others, &s->space));
    TL_TRY(tl_image_survey(added, &s->space));
    const tl_space_ball *ball = s->space.balls.data; /* of what is not dynamic, or is added */
    for (size_t i = 0; i < s->space.balls.count; i++) {
        const double sphere[4] = {ball[i].x[0], ball[i].x[1], ball[i].x[2], ball[i].reach};
        TL_TRY(tl_array_append(&s->balls, sphere, 1));
    }
    const tl_mover *before = movers->data;
    for (size_t i = 0; i < first; i++) {
        const double sphere[4] = {before[i].to[0], before[i].to[1], before[i].to[2],
                                  before[i].radius};
        TL_TRY(tl_array_append(&s->balls, sphere, 1));
    }
    return TL_OK;
}

/* Those that find nothing to lie on are taken out of the list: they stay where they are. */
static tl_status place(scenery *s, tl_array *movers, size_t first)
{
    tl_mover *all = movers->data;
    size_t kept = first;
    for (size_t i = first; i < movers->count; i++) {
        double height;
        TL_TRY(list_close(s, &all[i]));
        TL_TRY(let_down(s, all[i].to, all[i].radius, &height));
        if (!isfinite(height))
            continue;
        TL_TRY(roll(s, &all[i], height));
        const double sphere[4] = {all[i].to[0], all[i].to[1], all[i].to[2], all[i].radius};
        TL_TRY(tl_array_append(&s->balls, sphere, 1));
        all[kept++] = all[i];
    }
    movers->count = kept;
    return TL_OK;
}

tl_status tl_patch_decide(tl_world *w, tl_patch_rec *patch, const tl_image *added, tl_array *movers)
{
    const tl_patch_def *p = &patch->def;
    const uint32_t row = tl_world_row(w, p->follow);
    const size_t first = movers->count;
    double from[4];
    if (row == TLK_NONE)
        return TL_OK;
    TL_TRY(w->backend->ops->download(w->backend, from,
                                     (const double *)w->pos.data + 4 * (size_t)row, sizeof from));
    const double at = tl_dot(from, p->direction);
    const double gone = isfinite(patch->at) ? fmax(0, at - patch->at) : 0;
    patch->at = at;
    TL_TRY(tl_edit_behind(w, p, from, movers));
    if (movers->count == first)
        return TL_OK;
    for (size_t i = first; i < movers->count; i++)
        aim(p, from, gone, (tl_mover *)movers->data + i);
    scenery s = {.patch = p,
                 .bottom = tl_dot(from, p->up) - RANGE * p->length,
                 .top = tl_dot(from, p->up) + RANGE * p->length,
                 .balls = {.item = 4 * sizeof(double)},
                 .close = {.item = 4 * sizeof(double)},
                 .near = {.item = sizeof(uint32_t)}};
    tl_image_init(&s.others);
    tl_status status = look_ahead(&s, w, added, movers, first);
    if (status == TL_OK)
        status = place(&s, movers, first);
    scenery_free(&s);
    return status;
}

double tl_patch_move(tl_world *w, const tl_array *movers)
{
    tl_backend *b = w->backend;
    const double still[3] = {0, 0, 0}; /* as floats, too */
    const tl_mover *m = movers->data;
    double gained = 0;
    for (size_t i = 0; i < movers->count; i++) {
        const size_t row = tl_world_row(w, (tl_body){m[i].id, 1});
        char *vel = (char *)w->vel.data + 8 * row * b->real;
        double way[3];
        b->ops->upload(b, (double *)w->pos.data + 4 * row, m[i].to, sizeof m[i].to);
        b->ops->upload(b, vel, still, 3 * b->real);
        b->ops->upload(b, vel + 4 * b->real, still, 3 * b->real);
        tl_sub(m[i].to, m[i].x, way);
        gained -= m[i].kinetic + m[i].mass * tl_dot(w->settings.gravity, way);
    }
    if (movers->count) {
        tl_world_forget_asked(w);
        w->box_known = false;
        w->caster.current = false;
    }
    return gained;
}
