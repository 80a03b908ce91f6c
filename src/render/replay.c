/* Recordings; replay.h says who calls. */
#include "render/replay.h"

#include <string.h>

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
    tl_free(r->shapes, r->shape_count * sizeof *r->shapes);
    tl_document_destroy(r->document);
    r->shapes = NULL;
    r->document = NULL;
}

void tlr_replay_close(tlr_replay *r)
{
    tlr_replay_forget(r);
    for (int i = 0; i < TLR_KEPT_FRAMES; i++)
        free_frame(&r->kept[i]);
    tl_free(r->bodies, r->body_count * sizeof *r->bodies);
    tl_free(r->times, (size_t)r->info.frames * sizeof *r->times);
    tl_result_close(r->result);
    *r = (tlr_replay){0};
}

static tl_status read_tables(tlr_replay *r)
{
    r->info = tl_result_describe(r->result);
    if (!r->info.frames)
        return tl_fail(TL_BAD_DATA, "%s: has no frames: there is nothing to draw", r->path);
    r->body_count = (size_t)r->info.bodies;
    r->shape_count = (size_t)r->info.shapes;
    r->bodies = tl_alloc(r->body_count * sizeof *r->bodies);
    r->shapes = tl_alloc(r->shape_count * sizeof *r->shapes);
    r->times = tl_alloc((size_t)r->info.frames * sizeof *r->times);
    if ((r->body_count && !r->bodies) || (r->shape_count && !r->shapes) || !r->times)
        return TL_NO_MEMORY;
    TL_TRY(tl_result_read_times(r->result, r->info.frames, r->times));
    TL_TRY(tl_result_read_bodies(r->result, r->body_count, r->bodies));
    return tl_result_read_shapes(r->result, r->shape_count, r->shapes);
}

tl_status tlr_replay_open(const char *path, tlr_replay *r)
{
    *r = (tlr_replay){.path = path, .up = {0, 0, 1}};
    TL_TRY(tl_result_open(path, &r->result));
    TL_TRY(read_tables(r));
    TL_TRY(tl_result_document(r->result, &r->document));
    const tl_settings settings = tl_scene_settings(tl_document_scene(r->document));
    r->step = settings.step;
    const double *g = settings.gravity, n = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int k = 0; k < 3 && n > 0; k++)
        r->up[k] = -g[k] / n;
    return TL_OK;
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

/* A place or a velocity that is no number would spread over the whole picture. */
static tl_status check_frame(const tlr_replay *r, const tlr_kept_frame *f)
{
    for (size_t i = 0; i < f->count; i++) {
        bool good = true;
        for (int k = 0; k < 3; k++)
            good = good && isfinite(f->positions[3 * i + (size_t)k]) &&
                   isfinite(f->velocities[3 * i + (size_t)k]) &&
                   isfinite(f->spins[3 * i + (size_t)k]);
        for (int k = 0; k < 4; k++)
            good = good && isfinite(f->orientations[4 * i + (size_t)k]);
        if (!good)
            return tl_fail(TL_BAD_DATA,
                           "%s: body %u has a pose or a velocity that is no finite number in "
                           "frame %llu, at %g s",
                           r->path, f->bodies[i], (unsigned long long)f->index, f->time);
    }
    return TL_OK;
}

static tl_status read_frame(tlr_replay *r, uint64_t index, const tlr_kept_frame **frame)
{
    tlr_kept_frame *f = &r->kept[0];
    tl_result_frame read;
    for (int i = 0; i < TLR_KEPT_FRAMES; i++) {
        if (r->kept[i].used && r->kept[i].index == index) {
            r->kept[i].used = ++r->asked;
            *frame = &r->kept[i];
            return TL_OK;
        }
        if (r->kept[i].used < f->used)
            f = &r->kept[i];
    }
    f->used = 0;
    TL_TRY(tl_result_read_frame(r->result, index, &read));
    TL_TRY(make_room(f, read.state.count));
    copy_frame(f, &read.state);
    f->index = index;
    TL_TRY(check_frame(r, f));
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

tl_status tlr_replay_poses(tlr_replay *r, double time, tlr_pose *poses)
{
    const double last = r->times[r->info.frames - 1];
    const double t = fmin(fmax(time, r->times[0]), last);
    const uint64_t index = tlr_replay_frame_at(r, t);
    const tlr_kept_frame *a = NULL, *b = NULL;
    TL_TRY(read_frame(r, index, &a));
    TL_TRY(read_frame(r, index + 1 < r->info.frames ? index + 1 : index, &b));
    size_t i = 0, j = 0;
    for (size_t k = 0; k < r->body_count; k++) {
        const uint32_t body = r->bodies[k].body.index;
        while (i < a->count && a->bodies[i] < body)
            i++;
        while (j < b->count && b->bodies[j] < body)
            j++;
        if (r->bodies[k].kind == TL_FIXED)
            pose_fixed(&r->bodies[k], t, &poses[k]);
        else if (i >= a->count || a->bodies[i] != body)
            poses[k] = (tlr_pose){.there = false};
        else if (j < b->count && b->bodies[j] == body)
            pose_between(r, a, i, b, j, t, &poses[k]);
        else
            pose_after(a, i, t - a->time, &poses[k]);
    }
    return TL_OK;
}
