/* Balls and walls that are in the way of spheres to be placed. The distances are those of the
 * narrow phase, so that what is placed clear of a shape has no contact with it either. */
#include "kernels/narrow.h" /* first: it says what a real is */

#include "kernels/narrow/layout.h"
#include "scene/space.h"

#include <stdlib.h>
#include <string.h>

/* Cells are numbered row by row and layer by layer, as the room is wide, so that what is near is
 * near in memory too. Odd steps: numbers wrap at a power of two and must not fall together. */
static void set_edge(tl_space *space, double edge)
{
    const tl_room *room = &space->room;
    space->edge = edge;
    for (int level = 0; level < TL_SPACE_LEVELS; level++) {
        const double inverse = ldexp(1 / edge, level);
        const double cells[2] = {fmin(1e9, (room->high[0] - room->low[0]) * inverse + 3),
                                 fmin(1e9, (room->high[1] - room->low[1]) * inverse + 3)};
        space->inverse[level] = inverse;
        space->row[level] = (uint64_t)cells[0] | 1;
        space->layer[level] = (space->row[level] * (uint64_t)cells[1]) | 1;
    }
}

void tl_space_init(tl_space *space, const tl_room *room, double largest)
{
    *space = (tl_space){.room = *room,
                        .balls = {.item = sizeof(tl_space_ball)},
                        .buckets = {.item = sizeof(uint32_t)},
                        .walls = {.item = sizeof(tl_wall)},
                        .bounded = {.item = sizeof(uint32_t)},
                        .planes = {.item = sizeof(uint32_t)}};
    set_edge(space, 2 * largest);
}

void tl_space_free(tl_space *space)
{
    tl_array_free(&space->balls);
    tl_array_free(&space->buckets);
    tl_array_free(&space->walls);
    tl_array_free(&space->bounded);
    tl_array_free(&space->planes);
    if (space->bounds) {
        tl_space_free(space->bounds);
        tl_free(space->bounds, sizeof *space->bounds);
    }
    space->bounds = NULL;
}

/* --- the grid -------------------------------------------------------------------------------- */

/* Cells of all levels share the buckets. */
static inline size_t bucket_of(const tl_space *space, int64_t i, int64_t j, int64_t k,
                               uint32_t level)
{
    const uint64_t number =
        (uint64_t)i + (uint64_t)j * space->row[level] + (uint64_t)k * space->layer[level];
    return (size_t)(number & (space->buckets.count - 1));
}

/* floor(x * inverse), which without SSE 4.1 would be a call. */
static inline int64_t cell_of(double x, double inverse)
{
    const double at = x * inverse;
    const int64_t whole = (int64_t)at;
    return whole - ((double)whole > at);
}

/* The level for a reach: that of the smallest cells which the ball fits in. */
static uint32_t level_of(const tl_space *space, double reach)
{
    uint32_t level = 0;
    double half = 0.25 * space->edge;
    while (level + 1 < TL_SPACE_LEVELS && reach <= half) {
        half *= 0.5;
        level++;
    }
    return level;
}

static void link_ball(tl_space *space, uint32_t index)
{
    tl_space_ball *ball = (tl_space_ball *)space->balls.data + index;
    const double inverse = space->inverse[ball->level];
    uint32_t *bucket = (uint32_t *)space->buckets.data +
                       bucket_of(space, cell_of(ball->x[0], inverse), cell_of(ball->x[1], inverse),
                                 cell_of(ball->x[2], inverse), ball->level);
    ball->next = *bucket;
    *bucket = index;
}

/* Sets up `count` buckets and links all balls anew. */
static tl_status set_buckets(tl_space *space, size_t count)
{
    TL_TRY(tl_array_resize(&space->buckets, count));
    memset(space->buckets.data, 0xff, count * sizeof(uint32_t)); /* TL_NO_BALL */
    for (size_t i = 0; i < space->balls.count; i++)
        link_ball(space, (uint32_t)i);
    return TL_OK;
}

tl_status tl_space_add(tl_space *space, const double x[3], double reach)
{
    tl_space_ball ball = {.x = {x[0], x[1], x[2]}, .reach = reach};
    if (space->balls.count >= TL_MOST_ITEMS)
        return tl_fail(TL_TOO_LARGE, "there can be at most %zu spheres", TL_MOST_ITEMS);
    if (2 * reach > space->edge) { /* larger than all before: coarser cells, all balls anew */
        TL_TRY(tl_array_reserve(&space->balls, space->balls.count + 1));
        tl_space_ball *balls = space->balls.data;
        while (2 * reach > space->edge)
            set_edge(space, 2 * space->edge);
        memset(space->used, 0, sizeof space->used);
        for (size_t i = 0; i < space->balls.count; i++) {
            balls[i].level = level_of(space, balls[i].reach);
            space->used[balls[i].level]++;
        }
        if (space->buckets.count)
            TL_TRY(set_buckets(space, space->buckets.count)); /* no larger: this cannot fail */
    }
    ball.level = level_of(space, reach);
    TL_TRY(tl_array_append(&space->balls, &ball, 1));
    space->used[ball.level]++;
    if (space->balls.count > space->buckets.count) {
        const tl_status status =
            set_buckets(space, space->buckets.count ? 2 * space->buckets.count : 64);
        if (status < 0) {
            space->balls.count--;
            space->used[ball.level]--;
        }
        return status;
    }
    link_ball(space, (uint32_t)space->balls.count - 1);
    return TL_OK;
}

/* What a visitor is asked of each ball that is near; true ends the visit. */
typedef bool (*visitor)(void *context, const tl_space_ball *ball, uint32_t index);

/* Whether a ball's reach is nearer to x than `distance`. */
static inline bool is_near(const tl_space_ball *ball, const double x[3], double distance)
{
    const double d[3] = {ball->x[0] - x[0], ball->x[1] - x[1], ball->x[2] - x[2]};
    const double least = distance + ball->reach;
    return least > 0 && d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < least * least;
}

/* One cell. Balls of other cells may share its bucket. */
static inline bool visit_cell(const tl_space *space, const int64_t cell[3], uint32_t level,
                              const double x[3], double distance, visitor visit, void *context)
{
    const tl_space_ball *balls = space->balls.data;
    const double inverse = space->inverse[level];
    uint32_t at =
        ((const uint32_t *)space->buckets.data)[bucket_of(space, cell[0], cell[1], cell[2], level)];
    for (; at != TL_NO_BALL; at = balls[at].next) {
        const tl_space_ball *ball = &balls[at];
        if (is_near(ball, x, distance) && ball->level == level &&
            cell_of(ball->x[0], inverse) == cell[0] && cell_of(ball->x[1], inverse) == cell[1] &&
            cell_of(ball->x[2], inverse) == cell[2] && visit(context, ball, at))
            return true;
    }
    return false;
}

/* All balls of a level, one after the other: where its cells near x are more than those. */
static bool visit_all(const tl_space *space, uint32_t level, const double x[3], double distance,
                      visitor visit, void *context)
{
    const tl_space_ball *balls = space->balls.data;
    for (size_t i = 0; i < space->balls.count; i++)
        if (balls[i].level == level && is_near(&balls[i], x, distance) &&
            visit(context, &balls[i], (uint32_t)i))
            return true;
    return false;
}

/* Shows the visitor every ball whose reach is nearer to x than `distance`. */
static inline __attribute__((always_inline)) bool
visit_near(const tl_space *space, const double x[3], double distance, visitor visit, void *context)
{
    for (uint32_t level = 0; level < TL_SPACE_LEVELS; level++) {
        if (!space->used[level])
            continue;
        const double inverse = space->inverse[level];
        const double reach = distance + 0.5 / inverse;
        int64_t low[3], high[3], cell[3];
        double cells = 1;
        for (int k = 0; k < 3; k++) {
            low[k] = cell_of(x[k] - reach, inverse);
            high[k] = cell_of(x[k] + reach, inverse);
            cells *= (double)(high[k] - low[k] + 1);
        }
        if (cells > 64 && cells > (double)space->balls.count) {
            if (visit_all(space, level, x, distance, visit, context))
                return true;
            continue;
        }
        for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
            for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
                for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
                    if (visit_cell(space, cell, level, x, distance, visit, context))
                        return true;
    }
    return false;
}

static bool stop_at_first(void *context, const tl_space_ball *ball, uint32_t index)
{
    (void)context, (void)ball, (void)index;
    return true;
}

/* Whether a ball of x's own cell is near: the likeliest, and found at once. */
static bool is_crowded(const tl_space *space, const double x[3], double distance)
{
    for (uint32_t level = 0; level < TL_SPACE_LEVELS; level++) {
        const double inverse = space->inverse[level];
        const int64_t cell[3] = {cell_of(x[0], inverse), cell_of(x[1], inverse),
                                 cell_of(x[2], inverse)};
        if (space->used[level] && visit_cell(space, cell, level, x, distance, stop_at_first, NULL))
            return true;
    }
    return false;
}

/* --- walls ----------------------------------------------------------------------------------- */

/* The point of a segment that is nearest to x; returns the square of the distance. */
static double nearest_on_side(const double x[3], const double a[3], const double b[3],
                              double near[3])
{
    double along = 0, length = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        along += (x[k] - a[k]) * (b[k] - a[k]);
        length += (b[k] - a[k]) * (b[k] - a[k]);
    }
    const double t = length > 0 ? fmin(1, fmax(0, along / length)) : 0;
    for (int k = 0; k < 3; k++) {
        near[k] = a[k] + t * (b[k] - a[k]);
        square += (x[k] - near[k]) * (x[k] - near[k]);
    }
    return square;
}

/* The distance of a point from a triangle, whose two sides are alike. */
static double triangle_distance(const double corners[9], const double x[3], double n[3])
{
    double u[3], v[3], w[3], uu = 0, uv = 0, vv = 0, uw = 0, vw = 0, best = INFINITY, near[3];
    for (int k = 0; k < 3; k++) {
        u[k] = corners[3 + k] - corners[k];
        v[k] = corners[6 + k] - corners[k];
        w[k] = x[k] - corners[k];
        uu += u[k] * u[k], uv += u[k] * v[k], vv += v[k] * v[k];
        uw += u[k] * w[k], vw += v[k] * w[k];
    }
    const double area = uu * vv - uv * uv;
    const double s = (vv * uw - uv * vw) / area, t = (uu * vw - uv * uw) / area;
    if (area > 0 && s >= 0 && t >= 0 && s + t <= 1) {
        best = 0;
        for (int k = 0; k < 3; k++) {
            n[k] = s * u[k] + t * v[k] - w[k];
            best += n[k] * n[k];
        }
    } else {
        for (int side = 0; side < 3; side++) {
            const double square =
                nearest_on_side(x, corners + 3 * side, corners + 3 * ((side + 1) % 3), near);
            if (!(square < best))
                continue;
            best = square;
            for (int k = 0; k < 3; k++)
                n[k] = near[k] - x[k];
        }
    }
    const double distance = sqrt(best);
    for (int k = 0; k < 3; k++)
        n[k] = distance > 0 ? n[k] / distance : k == 2;
    return distance;
}

/* Minus the depth of a point below a height field; infinity beside and above it, where triangles
 * tell. */
static double heights_distance(const tl_wall *wall, const double x[3], double n[3])
{
    const uint32_t *words = wall->geometry->words.data;
    const uint32_t columns = words[TLK_FIELD_COLUMNS], rows = words[TLK_FIELD_ROWS];
    const double *numbers = wall->geometry->numbers.data, *w = wall->frame + 9;
    double local[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            local[i] += (x[k] - wall->frame[k]) * wall->frame[3 + 3 * i + k];
    const double a = local[0] / numbers[0], b = local[1] / numbers[1];
    if (!(a >= 0 && a < columns - 1 && b >= 0 && b < rows - 1))
        return INFINITY;
    const size_t i = (size_t)a, j = (size_t)b, row = columns;
    const double s = a - (double)i, t = b - (double)j, *z = numbers + 2 + j * row + i;
    const double height = s > t ? z[0] + s * (z[1] - z[0]) + t * (z[row + 1] - z[1])
                                : z[0] + s * (z[row + 1] - z[row]) + t * (z[row] - z[0]);
    for (int k = 0; k < 3; k++)
        n[k] = -w[k];
    return local[2] < height ? local[2] - height : INFINITY;
}

/* The distance of a point from a shape that is no ball and the direction from it to the shape. */
static double wall_distance(const tl_wall *wall, const double x[3], double n[3])
{
    if (wall->kind == TL_MESH)
        return triangle_distance(wall->frame, x, n);
    if (wall->kind == TL_HEIGHTS)
        return heights_distance(wall, x, n);
    return wall->kind == TL_PLANE ? tlk_sphere_plane(x, 0, wall->frame, n)
           : wall->kind == TL_BOX ? tlk_sphere_box(x, 0, wall->frame, n)
                                  : tlk_sphere_parallelogram(x, 0, wall->frame, n);
}

double tl_space_wall(const tl_space *space, size_t wall, const double x[3], double normal[3])
{
    const double distance = wall_distance((const tl_wall *)space->walls.data + wall, x, normal);
    for (int k = 0; k < 3; k++)
        normal[k] = -normal[k];
    return distance;
}

/* Who asks whether a wall is in the way. */
typedef struct wall_question {
    const tl_space *space;
    const double *x;
    double least;
} wall_question;

static bool is_wall_near(void *context, const tl_space_ball *ball, uint32_t index)
{
    const wall_question *w = context;
    const uint32_t wall = ((const uint32_t *)w->space->bounded.data)[index];
    double n[3];
    (void)ball;
    return wall_distance((const tl_wall *)w->space->walls.data + wall, w->x, n) < w->least;
}

static bool is_walled(const tl_space *space, const double x[3], double radius, double least)
{
    const tl_wall *walls = space->walls.data;
    const uint32_t *planes = space->planes.data;
    wall_question question = {space, x, least};
    double n[3];
    for (size_t i = 0; i < space->planes.count; i++)
        if (wall_distance(&walls[planes[i]], x, n) < least)
            return true;
    return space->bounds && visit_near(space->bounds, x, radius, is_wall_near, &question);
}

bool tl_space_fits(const tl_space *space, const double x[3], double radius)
{
    const double least = radius - space->room.slack;
    if (!tl_room_holds(&space->room, x, radius) || is_walled(space, x, radius, least))
        return false;
    return !is_crowded(space, x, least) && !visit_near(space, x, least, stop_at_first, NULL);
}

/* --- near balls ------------------------------------------------------------------------------ */

typedef struct collection {
    tl_array *near;
    tl_status status;
} collection;

static bool collect(void *context, const tl_space_ball *ball, uint32_t index)
{
    collection *c = context;
    (void)ball;
    c->status = tl_array_append(c->near, &index, 1);
    return c->status < 0;
}

tl_status tl_space_near(const tl_space *space, const double x[3], double distance, tl_array *near)
{
    collection c = {near, TL_OK};
    near->count = 0;
    visit_near(space, x, distance, collect, &c);
    return c.status;
}

static int compare_walls(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

tl_status tl_space_near_walls(const tl_space *space, const double x[3], double distance,
                              tl_array *near)
{
    const uint32_t *bounded = space->bounded.data;
    near->count = 0;
    if (space->bounds)
        TL_TRY(tl_space_near(space->bounds, x, distance, near));
    uint32_t *walls = near->data;
    for (size_t i = 0; i < near->count; i++)
        walls[i] = bounded[walls[i]];
    TL_TRY(tl_array_append(near, space->planes.data, space->planes.count));
    if (near->count > 1)
        qsort(near->data, near->count, sizeof(uint32_t), compare_walls);
    return TL_OK;
}

/* --- shapes ---------------------------------------------------------------------------------- */

/* Whether a ball meets the box around the room: nothing else can be in the way. */
static bool meets_room(const tl_room *room, const double x[3], double radius)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double out = fmax(fmax(room->low[k] - x[k], x[k] - room->high[k]), 0);
        square += out * out;
    }
    return square <= radius * radius;
}

tl_status tl_space_add_near(tl_space *space, const double x[3], double reach)
{
    return meets_room(&space->room, x, reach) ? tl_space_add(space, x, reach) : TL_OK;
}

/* Adds a wall, in the world frame with its bound, if it is near the room. */
static tl_status add_wall(tl_space *space, const tl_wall *wall)
{
    if (!meets_room(&space->room, wall->bound, wall->bound[3]))
        return TL_OK;
    const uint32_t index = (uint32_t)space->walls.count;
    TL_TRY(tl_array_append(&space->walls, wall, 1));
    const double reach = fmax(wall->bound[3], space->room.slack); /* not 0: cells have an edge */
    if (!isfinite(reach))
        return tl_array_append(&space->planes, &index, 1);
    if (!space->bounds) {
        space->bounds = tl_alloc(sizeof *space->bounds);
        if (!space->bounds)
            return TL_NO_MEMORY;
        tl_space_init(space->bounds, &space->room, reach);
    }
    TL_TRY(tl_array_append(&space->bounded, &index, 1));
    return tl_space_add(space->bounds, wall->bound, reach);
}

/* A plane, a parallelogram or a box, whose frame and bound are in its body's frame. */
static tl_status add_turned(tl_space *space, const double x[3], const double q[4], uint32_t kind,
                            const double frame[15], const double bound[4])
{
    tl_wall wall = {.kind = kind, .bound[3] = kind == TL_PLANE ? INFINITY : bound[3]};
    for (int i = 0; i < 4; i++)
        tlk_rotate(q, frame + 3 * i, wall.frame + 3 * i);
    memcpy(wall.frame + 12, frame + 12, 3 * sizeof(double));
    tlk_rotate(q, bound, wall.bound);
    for (int k = 0; k < 3; k++) {
        wall.frame[k] += x[k];
        wall.bound[k] += x[k];
    }
    return add_wall(space, &wall);
}

/* --- triangles ------------------------------------------------------------------------------- */

/* A surface in the world frame: its origin and axes. */
typedef struct surface {
    double origin[3], axes[9];
} surface;

static tl_status add_triangle(tl_space *space, const surface *at, const double *const corners[3])
{
    tl_wall wall = {.kind = TL_MESH};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            const double *p = corners[c], *a = at->axes;
            wall.frame[3 * c + k] =
                at->origin[k] + (p[0] * a[k] + p[1] * a[3 + k] + p[2] * a[6 + k]);
            wall.bound[k] += wall.frame[3 * c + k] / 3;
        }
    for (int c = 0; c < 3; c++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double d = wall.frame[3 * c + k] - wall.bound[k];
            square += d * d;
        }
        wall.bound[3] = fmax(wall.bound[3], sqrt(square));
    }
    return add_wall(space, &wall);
}

static tl_status add_mesh(tl_space *space, const tl_geometry_rec *g, const surface *at)
{
    const uint32_t *words = g->words.data, *triangle = words + TLK_MESH_HEAD;
    const double *x = g->numbers.data;
    for (uint32_t i = 0; i < words[TLK_MESH_TRIANGLES]; i++, triangle += 3) {
        const double *corners[3] = {x + 3 * (size_t)triangle[0], x + 3 * (size_t)triangle[1],
                                    x + 3 * (size_t)triangle[2]};
        TL_TRY(add_triangle(space, at, corners));
    }
    return TL_OK;
}

/* Two spacings, then heights row by row; cells are cut from their first corner to the opposite. */
static tl_status add_heights(tl_space *space, const tl_geometry_rec *g, const surface *at)
{
    const uint32_t columns = ((const uint32_t *)g->words.data)[TLK_FIELD_COLUMNS];
    const uint32_t rows = ((const uint32_t *)g->words.data)[TLK_FIELD_ROWS];
    const double *numbers = g->numbers.data;
    tl_wall below = {.kind = TL_HEIGHTS, .geometry = g, .bound[3] = INFINITY};
    for (uint32_t j = 0; j + 1 < rows; j++)
        for (uint32_t i = 0; i + 1 < columns; i++) {
            double p[4][3];
            for (uint32_t c = 0; c < 4; c++) {
                const uint32_t column = i + (c & 1), row = j + c / 2;
                p[c][0] = column * numbers[0];
                p[c][1] = row * numbers[1];
                p[c][2] = numbers[2 + (size_t)row * columns + column];
            }
            const double *const lower[3] = {p[0], p[1], p[3]}, *const upper[3] = {p[0], p[3], p[2]};
            TL_TRY(add_triangle(space, at, lower));
            TL_TRY(add_triangle(space, at, upper));
        }
    memcpy(below.frame, at->origin, sizeof at->origin);
    memcpy(below.frame + 3, at->axes, sizeof at->axes);
    return add_wall(space, &below);
}

/* --- any shape ------------------------------------------------------------------------------- */

/* The box around a solid along its own axes; of a hull, about its ball. */
static void box_around(uint32_t kind, const double *frame, const double *ball, double box[15])
{
    memcpy(box, kind == TL_HULL ? ball : frame, 3 * sizeof *box);
    memcpy(box + 3, frame + 3, 9 * sizeof *box);
    for (int k = 0; k < 3; k++)
        box[12 + k] = kind == TL_HULL ? frame[15 + k] : frame[12 + k] + frame[18];
}

tl_status tl_space_add_frame(tl_space *space, const double x[3], const double q[4], uint32_t kind,
                             const double frame[TL_FRAME], const double ball[4])
{
    double box[15], bound[4];
    if (kind == TL_PLANE || kind == TL_PARALLELOGRAM)
        return add_turned(space, x, q, kind, frame, ball);
    if (kind == TL_MESH || kind == TL_HEIGHTS) {
        const tl_geometry_rec *g =
            (const tl_geometry_rec *)space->geometries->data + (size_t)frame[19] - 1;
        surface at;
        tlk_rotate(q, frame, at.origin);
        for (int k = 0; k < 3; k++) {
            at.origin[k] += x[k];
            tlk_rotate(q, frame + 3 + 3 * k, at.axes + 3 * k);
        }
        return kind == TL_MESH ? add_mesh(space, g, &at) : add_heights(space, g, &at);
    }
    box_around(kind, frame, ball, box);
    memcpy(bound, box, 3 * sizeof *bound);
    bound[3] = sqrt(box[12] * box[12] + box[13] * box[13] + box[14] * box[14]);
    return add_turned(space, x, q, TL_BOX, box, bound);
}

tl_status tl_space_add_shape(tl_space *space, const double x[3], const double q[4],
                             const tl_shape_rec *shape, double gap)
{
    double frame[TL_FRAME], ball[4];
    tl_shape_frame(shape, space->geometries, frame, ball);
    for (int k = 15; k < 19; k++) /* its box and rounding grow; walls have no use for them */
        frame[k] += gap;
    if (shape->kind != TL_SPHERE)
        return tl_space_add_frame(space, x, q, shape->kind, frame, ball);
    double centre[3];
    tlk_rotate(q, ball, centre);
    for (int k = 0; k < 3; k++)
        centre[k] += x[k];
    return tl_space_add_near(space, centre, ball[3] + gap);
}
