/* Recordings; replay.h says who calls. */
#include "render/replay.h"

#include "io/document.h"
#include "render/share.h"

#include <string.h>

enum { LARGE = 100000 }; /* bodies: of more, frames are not kept from picture to picture */

static void free_frame(tlr_kept_frame *f)
{
    tl_free(f->bodies, f->room * sizeof *f->bodies);
    tl_free(f->positions, 3 * f->room * sizeof *f->positions);
    tl_free(f->orientations, 4 * f->room * sizeof *f->orientations);
    tl_free(f->velocities, 3 * f->room * sizeof *f->velocities);
    tl_free(f->spins, 3 * f->room * sizeof *f->spins);
    *f = (tlr_kept_frame){0};
}

void tlr_replay_forget(tlr_replay *r)
{
    tl_document_destroy(r->document);
    r->document = NULL;
}

void tlr_replay_drop(tlr_replay *r)
{
    if (r->body_count < LARGE)
        return;
    for (int i = 0; i < TLR_KEPT_FRAMES; i++)
        free_frame(&r->kept[i]);
    tl_result_drop_frame(r->result); /* NULL: it is of a CSV file */
}

void tlr_replay_close(tlr_replay *r)
{
    tlr_replay_forget(r);
    for (int i = 0; i < TLR_KEPT_FRAMES; i++)
        free_frame(&r->kept[i]);
    tl_free(r->rows, r->body_count * sizeof *r->rows);
    tl_array_free(&r->rests);
    tl_free(r->times, (size_t)r->info.frames * sizeof *r->times);
    tl_result_close(r->result);
    tlr_csv_close(r->csv);
    *r = (tlr_replay){0};
}

/* What of the scene of a result counts. */
static tl_status read_scene(tlr_replay *r)
{
    TL_TRY(tl_result_outline(r->result, &r->document));
    const tl_settings settings = tl_scene_settings(tl_document_scene(r->document));
    r->step = settings.step;
    const double *g = settings.gravity, n = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int k = 0; k < 3 && n > 0; k++)
        r->up[k] = -g[k] / n;
    return TL_OK;
}

tl_status tlr_replay_open(const char *path, const tlr_csv_def *csv, uint32_t threads, tlr_replay *r)
{
    const size_t length = strlen(path);
    const bool table = length > 4 && !strcmp(path + length - 4, ".csv");
    *r = (tlr_replay){
        .path = path, .threads = threads, .up = {0, 0, 1}, .rests.item = sizeof(tl_body_info)};
    if (table)
        TL_TRY(tlr_csv_open(path, csv, &r->csv));
    else
        TL_TRY(tl_result_open(path, &r->result));
    r->info = table ? tlr_csv_describe(r->csv) : tl_result_describe(r->result);
    if (!r->info.frames)
        return tl_fail(TL_BAD_DATA, "%s: has no frames: there is nothing to draw", r->path);
    r->times = tl_alloc((size_t)r->info.frames * sizeof *r->times);
    if (!r->times)
        return TL_NO_MEMORY;
    if (table) {
        memcpy(r->times, tlr_csv_times(r->csv), (size_t)r->info.frames * sizeof *r->times);
        return TL_OK;
    }
    TL_TRY(tl_result_read_times(r->result, r->info.frames, r->times));
    return read_scene(r);
}

const char *tlr_replay_material(const tlr_replay *r, tl_material material)
{
    return r->csv ? tlr_csv_material(r->csv, material.index)
                  : tl_document_material_name(r->document, material);
}

/* --- bodies --- */

typedef struct taking {
    tlr_replay *replay;
    size_t count;
    tl_body_visit visit;
    void *user;
} taking;

static tl_status take_body(void *user, const tl_body_info *b, size_t shape_count,
                           const tl_shape_info *shapes)
{
    taking *t = user;
    tlr_replay *r = t->replay;
    tlr_row *row = &r->rows[t->count++];
    *row = (tlr_row){.number = b->body.index, .mass = b->mass};
    if (b->kind != TL_DYNAMIC) {
        TL_TRY(tl_array_append(&r->rests, b, 1));
        row->rest = (uint32_t)r->rests.count;
    }
    return t->visit(t->user, b, shape_count, shapes);
}

tl_status tlr_replay_bodies(tlr_replay *r, tl_body_visit visit, void *user)
{
    taking t = {.replay = r, .visit = visit, .user = user};
    r->body_count = (size_t)r->info.bodies;
    r->rows = tl_alloc_zero(r->body_count * sizeof *r->rows);
    if (r->body_count && !r->rows)
        return TL_NO_MEMORY;
    return r->csv ? tlr_csv_visit_bodies(r->csv, take_body, &t)
                  : tl_result_visit_bodies(r->result, take_body, &t);
}

const tl_body_info *tlr_replay_rest(const tlr_replay *r, size_t row)
{
    const uint32_t rest = r->rows[row].rest;
    return rest ? (const tl_body_info *)r->rests.data + rest - 1 : NULL;
}

long tlr_replay_row(const tlr_replay *r, uint32_t number)
{
    size_t low = 0, high = r->body_count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (r->rows[middle].number <= number)
            low = middle;
        else
            high = middle;
    }
    return r->body_count && r->rows[low].number == number ? (long)low : -1;
}

uint64_t tlr_replay_frame_at(const tlr_replay *r, double time)
{
    uint64_t low = 0, high = r->info.frames;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (r->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double tlr_replay_frame_time(const tlr_replay *r, double time)
{
    const uint64_t a = tlr_replay_frame_at(r, time);
    const bool next = a + 1 < r->info.frames && r->times[a + 1] - time < time - r->times[a];
    return r->times[next ? a + 1 : a];
}

/* --- frames --- */

static tl_status make_room(tlr_kept_frame *f, size_t count)
{
    if (count <= f->room)
        return TL_OK;
    free_frame(f);
    f->room = count;
    f->bodies = tl_alloc(count * sizeof *f->bodies);
    f->positions = tl_alloc(3 * count * sizeof *f->positions);
    f->orientations = tl_alloc(4 * count * sizeof *f->orientations);
    f->velocities = tl_alloc(3 * count * sizeof *f->velocities);
    f->spins = tl_alloc(3 * count * sizeof *f->spins);
    if (f->bodies && f->positions && f->orientations && f->velocities && f->spins)
        return TL_OK;
    free_frame(f);
    return TL_NO_MEMORY;
}

static void copy_frame(tlr_kept_frame *f, const tl_frame_view *v)
{
    const size_t n = v->count;
    f->count = n;
    f->time = v->time;
    if (!n)
        return;
    memcpy(f->bodies, v->bodies, n * sizeof *f->bodies);
    memcpy(f->positions, v->positions, 3 * n * sizeof *f->positions);
    if (v->orientations)
        memcpy(f->orientations, v->orientations, 4 * n * sizeof *f->orientations);
    for (size_t i = 0; i < n && !v->orientations; i++)
        memcpy(f->orientations + 4 * i, (const float[4]){1, 0, 0, 0}, 4 * sizeof(float));
    if (v->velocities)
        memcpy(f->velocities, v->velocities, 3 * n * sizeof *f->velocities);
    else
        memset(f->velocities, 0, 3 * n * sizeof *f->velocities);
    if (v->angular_velocities)
        memcpy(f->spins, v->angular_velocities, 3 * n * sizeof *f->spins);
    else
        memset(f->spins, 0, 3 * n * sizeof *f->spins);
}

static tl_status read_frame(tlr_replay *r, uint64_t index, const tlr_kept_frame **frame)
{
    tlr_kept_frame *f = &r->kept[0];
    tl_frame_view read;
    for (int i = 0; i < (r->body_count < LARGE ? TLR_KEPT_FRAMES : 2); i++) {
        if (r->kept[i].used && r->kept[i].index == index) {
            r->kept[i].used = ++r->asked;
            *frame = &r->kept[i];
            return TL_OK;
        }
        if (r->kept[i].used < f->used)
            f = &r->kept[i];
    }
    f->used = 0;
    if (r->csv)
        TL_TRY(tlr_csv_read_frame(r->csv, index, &read));
    else
        TL_TRY(tl_result_read_states(r->result, index, &read));
    TL_TRY(make_room(f, read.count));
    copy_frame(f, &read);
    f->index = index;
    f->used = ++r->asked;
    *frame = f;
    return TL_OK;
}

/* --- between frames --- */

static quat turn_at(const tlr_kept_frame *f, size_t row)
{
    const float *q = f->orientations + 4 * row;
    return turn_unit((quat){q[0], q[1], q[2], q[3]});
}

static vec vec_at(const float *rows, size_t row)
{
    return v3(rows[3 * row], rows[3 * row + 1], rows[3 * row + 2]);
}

/* A body at a time after a frame, with nothing known of what follows. */
static void pose_after(const tlr_kept_frame *f, size_t row, double dt, tlr_pose *p)
{
    p->velocity = vec_at(f->velocities, row);
    p->spin = vec_at(f->spins, row);
    const double v[3] = {p->velocity.x, p->velocity.y, p->velocity.z};
    for (int k = 0; k < 3; k++)
        p->place[k] = f->positions[3 * row + (size_t)k] + dt * v[k];
    p->turned = turn_of(turn_by(v_scale(p->spin, (float)dt)), turn_at(f, row));
    p->there = true;
}

/* The rotation from a to b, of all those that differ by whole turns the one nearest to what the
 * spins say. */
static vec rotation_between(quat a, quat b, vec spin, float dt)
{
    const vec least = turn_vector(turn_of(b, turn_back(a))), told = v_scale(spin, dt);
    const float angle = v_length(least);
    if (!(v_length(told) > TLR_PI))
        return least;
    const vec axis = angle > 1e-5f ? v_scale(least, 1 / angle) : v_unit(told);
    const float turns = roundf((v_dot(told, axis) - angle) / (2 * TLR_PI));
    return v_scale(axis, angle + turns * 2 * TLR_PI);
}

/* Whether velocities cannot explain how far a body came: it was set elsewhere. */
static bool jumped(const double *x0, const double *x1, vec v0, vec v1, double dt)
{
    double way = 0;
    for (int k = 0; k < 3; k++)
        way += (x1[k] - x0[k]) * (x1[k] - x0[k]);
    const double fast = fmax(v_length(v0), v_length(v1));
    return fast > 0 && sqrt(way) > 10 * dt * fast + 9.81 * dt * dt * 10;
}

/* Between two frames: Hermite's cubic for places, a steady turn for orientations. */
static void pose_between(const tlr_replay *r, const tlr_kept_frame *a, size_t i,
                         const tlr_kept_frame *b, size_t j, double time, tlr_pose *p)
{
    const double dt = b->time - a->time, s = dt > 0 ? (time - a->time) / dt : 0;
    const double *x0 = a->positions + 3 * i, *x1 = b->positions + 3 * j;
    const vec v0 = vec_at(a->velocities, i), v1 = vec_at(b->velocities, j);
    const double u0[3] = {v0.x, v0.y, v0.z}, u1[3] = {v1.x, v1.y, v1.z};
    const bool smooth = r->info.fields & TL_RECORD_VELOCITY;
    if (smooth && jumped(x0, x1, v0, v1, dt)) {
        pose_after(s < 0.5 ? a : b, s < 0.5 ? i : j, s < 0.5 ? time - a->time : time - b->time, p);
        return;
    }
    double velocity[3];
    for (int k = 0; k < 3; k++) {
        const double way = x1[k] - x0[k], m0 = smooth ? dt * u0[k] : way,
                     m1 = smooth ? dt * u1[k] : way;
        p->place[k] = x0[k] + s * (m0 + s * (3 * way - 2 * m0 - m1 + s * (m0 + m1 - 2 * way)));
        velocity[k] =
            dt > 0 ? (m0 + s * (2 * (3 * way - 2 * m0 - m1) + 3 * s * (m0 + m1 - 2 * way))) / dt
                   : u0[k];
    }
    p->velocity = v_of(velocity);
    const vec spin = v_scale(v_add(vec_at(a->spins, i), vec_at(b->spins, j)), 0.5f);
    const vec way = rotation_between(turn_at(a, i), turn_at(b, j), spin, (float)dt);
    p->turned = turn_of(turn_by(v_scale(way, (float)s)), turn_at(a, i));
    p->spin = dt > 0 ? v_scale(way, (float)(1 / dt)) : spin;
    p->there = true;
}

static void pose_fixed(const tl_body_info *b, double time, tlr_pose *p)
{
    *p = (tlr_pose){.there = time >= b->added - 1e-9 && time < b->removed};
    memcpy(p->place, b->position, sizeof p->place);
    p->turned = turn_of_doubles(b->orientation);
}

/* What threads share: rows, some at a time. */
typedef struct posing {
    const tlr_replay *replay;
    const tlr_kept_frame *a, *b;
    double time;
    size_t stride;
    tlr_pose_visit visit;
    void *user;
} posing;

/* The first row of a frame whose body is not before `body`. */
static size_t find_state(const tlr_kept_frame *f, uint32_t body)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->bodies[middle] < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void pose_rows(const posing *p, size_t first, size_t end)
{
    const tlr_replay *r = p->replay;
    const tlr_kept_frame *a = p->a, *b = p->b;
    size_t i = find_state(a, r->rows[first].number), j = find_state(b, r->rows[first].number);
    for (size_t k = first; k < end; k++) {
        const uint32_t body = r->rows[k].number;
        const tl_body_info *rest = tlr_replay_rest(r, k);
        tlr_pose pose = {.there = false};
        while (i < a->count && a->bodies[i] < body)
            i++;
        while (j < b->count && b->bodies[j] < body)
            j++;
        if (k % p->stride)
            continue;
        const bool before = i < a->count && a->bodies[i] == body;
        if (rest && rest->kind == TL_FIXED)
            pose_fixed(rest, p->time, &pose);
        else if (before && a == b)
            pose_after(a, i, 0, &pose);
        else if (before && j < b->count && b->bodies[j] == body)
            pose_between(r, a, i, b, j, p->time, &pose);
        else if (before)
            pose_after(a, i, p->time - a->time, &pose);
        p->visit(p->user, k, &pose);
    }
}

enum { SOME = 16384 }; /* rows of a piece */

static void pose_some(void *user, size_t number, bool caller)
{
    const posing *p = user;
    const size_t count = p->replay->body_count, k = number * SOME;
    (void)caller;
    pose_rows(p, k, k + SOME < count ? k + SOME : count);
}

tl_status tlr_replay_poses(tlr_replay *r, double time, size_t stride, tlr_pose_visit visit,
                           void *user)
{
    enum { ALONE = 50000 }; /* of fewer, a thread costs more than it does */
    const double last = r->times[r->info.frames - 1];
    posing p = {.replay = r, .time = fmin(fmax(time, r->times[0]), last), .stride = stride};
    p.visit = visit;
    p.user = user;
    const uint64_t index = tlr_replay_frame_at(r, p.time);
    TL_TRY(read_frame(r, index, &p.a));
    p.b = p.a;
    if (index + 1 < r->info.frames && p.time > p.a->time)
        TL_TRY(read_frame(r, index + 1, &p.b));
    tlr_share(r->body_count > ALONE ? r->threads : 1, (r->body_count + SOME - 1) / SOME, pose_some,
              &p);
    return TL_OK;
}
