/* Reading and writing states by handle, contacts, and the hash. */
#include "world/image.h"

#include <string.h>

size_t tl_world_body_count(const tl_world *world)
{
    return world ? world->alive : 0;
}

bool tl_world_has_body(const tl_world *world, tl_body body)
{
    return world && tl_world_row(world, body) != TLK_NONE;
}

static tl_status wrong_count(const char *call, size_t count, size_t expected, const char *what)
{
    return tl_fail(TL_BAD_ARGUMENT, "%s: count is %zu; this world has %zu %s", call, count,
                   expected, what);
}

tl_status tl_world_list_bodies(const tl_world *world, size_t count, tl_body *bodies)
{
    REFUSE_NULL(world);
    if (count != world->alive)
        return wrong_count(__func__, count, world->alive, "bodies");
    if (count)
        REFUSE_NULL(bodies);
    const uint32_t *row_of = world->row_of.data;
    for (size_t i = 0, at = 0; i < world->row_of.count; i++)
        if (row_of[i] != TLK_NONE)
            bodies[at++] = (tl_body){(uint32_t)i + 1, 1};
    return TL_OK;
}

/* Rows of the bodies asked for, in their order. */
static tl_status find_rows(const tl_world *w, const char *call, size_t count, const tl_body *bodies,
                           tl_array *rows)
{
    *rows = (tl_array){.item = sizeof(uint32_t)};
    if (!bodies && count != w->alive)
        return wrong_count(call, count, w->alive, "bodies");
    TL_TRY(tl_array_resize(rows, count));
    uint32_t *out = rows->data;
    if (!bodies) {
        const uint32_t *row_of = w->row_of.data;
        for (size_t i = 0; i < w->row_of.count; i++)
            if (row_of[i] != TLK_NONE)
                *out++ = row_of[i];
        return TL_OK;
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = tl_world_row(w, bodies[i]);
        if (out[i] == TLK_NONE) {
            tl_array_free(rows);
            return tl_fail_about(
                TL_BAD_HANDLE, &(tl_error){.bodies = {bodies[i]}},
                "%s: bodies[%zu] (index %u, generation %u) is no body of this world", call, i,
                bodies[i].index, bodies[i].generation);
        }
    }
    return TL_OK;
}

/* What to read: numbers [first, first + width) of rows of `stride` numbers. */
typedef struct field {
    const char *name;
    const tl_buffer *buffer;
    bool real;
    size_t stride, first, width;
} field;

/* The output of a call that failed, as far as it may be as large as it says. */
static void clear(size_t count, const tl_body *bodies, size_t width, double *out)
{
    if (out && count && (bodies || count < 1u << 31))
        memset(out, 0, count * width * sizeof *out);
}

static tl_status refuse_world(const char *call, size_t count, const tl_body *bodies, size_t width,
                              double *out)
{
    clear(count, bodies, width, out);
    return tl_fail(TL_BAD_ARGUMENT, "%s: world is NULL", call);
}

static tl_status read_field(const tl_world *w, const char *call, size_t count,
                            const tl_body *bodies, const field *f, double *out)
{
    tl_array rows;
    if (count && !out)
        return tl_fail(TL_BAD_ARGUMENT, "%s: %s is NULL", call, f->name);
    const tl_status found = find_rows(w, call, count, bodies, &rows);
    if (found != TL_OK) {
        clear(count, bodies, f->width, out);
        return found;
    }
    const size_t item = f->real ? w->backend->real : sizeof(double);
    const size_t bytes = f->stride * w->rows * item;
    char *copy = tl_alloc(bytes + 1);
    if (!copy) {
        tl_array_free(&rows);
        return TL_NO_MEMORY;
    }
    const tl_status status = w->backend->ops->download(w->backend, copy, f->buffer->data, bytes);
    if (status != TL_OK)
        memset(out, 0, count * f->width * sizeof *out);
    for (size_t i = 0; status == TL_OK && i < count; i++)
        for (size_t k = 0; k < f->width; k++) {
            const size_t at = ((const uint32_t *)rows.data)[i] * f->stride + f->first + k;
            out[i * f->width + k] = item == sizeof(float)
                                        ? (double)((const float *)(void *)copy)[at]
                                        : ((const double *)(void *)copy)[at];
        }
    tl_free(copy, bytes + 1);
    tl_array_free(&rows);
    return status;
}

static tl_status raw_positions(const tl_world *w, const char *call, size_t count,
                               const tl_body *bodies, double *out)
{
    return read_field(w, call, count, bodies, &(field){"positions", &w->pos, false, 4, 0, 3}, out);
}

static tl_status raw_orientations(const tl_world *w, const char *call, size_t count,
                                  const tl_body *bodies, double *out)
{
    return read_field(w, call, count, bodies, &(field){"orientations", &w->quat, false, 4, 0, 4},
                      out);
}

/* Makes poses of users' frames of those that bodies have. NULL bodies: all, by handle. */
static void turn_to_users(const tl_world *w, size_t count, const tl_body *bodies, double *positions,
                          double *orientations)
{
    const uint32_t *row_of = w->row_of.data;
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        while (!bodies && row_of[next] == TLK_NONE)
            next++;
        const uint32_t id = bodies ? bodies[i].index : ++next;
        const tl_origin *origin = tl_origin_of(&w->origins, id);
        if (origin)
            tl_origin_pose(origin, positions + 3 * i, orientations + 4 * i);
    }
}

tl_status tl_world_read_positions(const tl_world *world, size_t count, const tl_body *bodies,
                                  double *positions)
{
    if (!world)
        return refuse_world(__func__, count, bodies, 3, positions);
    TL_TRY(raw_positions(world, __func__, count, bodies, positions));
    if (!world->origins.count || !count)
        return TL_OK;
    tl_array turns = {.item = 4 * sizeof(double)};
    tl_status status = tl_array_resize(&turns, count);
    if (status == TL_OK)
        status = raw_orientations(world, __func__, count, bodies, turns.data);
    if (status == TL_OK)
        turn_to_users(world, count, bodies, positions, turns.data);
    else
        memset(positions, 0, 3 * count * sizeof *positions);
    tl_array_free(&turns);
    return status;
}

tl_status tl_world_read_orientations(const tl_world *world, size_t count, const tl_body *bodies,
                                     double *orientations)
{
    if (!world)
        return refuse_world(__func__, count, bodies, 4, orientations);
    TL_TRY(raw_orientations(world, __func__, count, bodies, orientations));
    if (!world->origins.count || !count)
        return TL_OK;
    tl_array places = {.item = 3 * sizeof(double)};
    const tl_status status = tl_array_resize(&places, count);
    if (status == TL_OK) {
        memset(places.data, 0, count * places.item);
        turn_to_users(world, count, bodies, places.data, orientations);
    } else {
        memset(orientations, 0, 4 * count * sizeof *orientations);
    }
    tl_array_free(&places);
    return status;
}

tl_status tl_world_read_velocities(const tl_world *world, size_t count, const tl_body *bodies,
                                   double *velocities)
{
    if (!world)
        return refuse_world(__func__, count, bodies, 3, velocities);
    return read_field(world, __func__, count, bodies,
                      &(field){"velocities", &world->vel, true, 8, 0, 3}, velocities);
}

tl_status tl_world_read_angular_velocities(const tl_world *world, size_t count,
                                           const tl_body *bodies, double *angular)
{
    if (!world)
        return refuse_world(__func__, count, bodies, 3, angular);
    return read_field(world, __func__, count, bodies,
                      &(field){"angular", &world->vel, true, 8, 4, 3}, angular);
}

tl_status tl_world_read_masses(const tl_world *world, size_t count, const tl_body *bodies,
                               double *masses)
{
    if (!world)
        return refuse_world(__func__, count, bodies, 1, masses);
    return read_field(world, __func__, count, bodies,
                      &(field){"masses", &world->inertia, false, 4, 3, 1}, masses);
}

tl_status tl_world_read_inertias(const tl_world *world, size_t count, const tl_body *bodies,
                                 double *inertias)
{
    if (!world)
        return refuse_world(__func__, count, bodies, 3, inertias);
    return read_field(world, __func__, count, bodies,
                      &(field){"inertias", &world->inertia, false, 4, 0, 3}, inertias);
}

/* Refuses what cannot be written: bodies that are not dynamic, numbers that are not finite. */
static tl_status check_writes(const tl_world *w, const char *call, size_t count,
                              const uint32_t *rows, const double *velocities, const double *angular)
{
    const double limit = w->settings.max_speed;
    for (size_t i = 0; i < count; i++) {
        if (rows[i] >= w->dynamic)
            return tl_fail(TL_BAD_ARGUMENT, "%s: body %zu of the list is not dynamic", call, i);
        for (size_t k = 0; k < 3; k++) {
            const double v = velocities ? velocities[3 * i + k] : 0;
            const double o = angular ? angular[3 * i + k] : 0;
            if (!(v >= -limit && v <= limit))
                return tl_fail(TL_BAD_ARGUMENT,
                               "%s: velocities[%zu] is %g; it must be finite and within "
                               "settings.max_speed = %g",
                               call, 3 * i + k, v, limit);
            if (!(o >= -1e12 && o <= 1e12))
                return tl_fail(TL_BAD_ARGUMENT, "%s: angular[%zu] is %g; it must be finite", call,
                               3 * i + k, o);
        }
    }
    return TL_OK;
}

tl_status tl_world_write_velocities(tl_world *world, size_t count, const tl_body *bodies,
                                    const double *velocities, const double *angular)
{
    REFUSE_NULL(world);
    tl_array rows;
    tl_backend *b = world->backend;
    TL_TRY(find_rows(world, __func__, count, bodies, &rows));
    const uint32_t *row = rows.data;
    const tl_status status = check_writes(world, __func__, count, row, velocities, angular);
    for (size_t i = 0; status == TL_OK && i < count; i++)
        for (size_t half = 0; half < 2; half++) {
            const double *from = half ? angular : velocities;
            if (!from)
                continue;
            const float narrow[3] = {(float)from[3 * i], (float)from[3 * i + 1],
                                     (float)from[3 * i + 2]};
            b->ops->upload(b, (char *)world->vel.data + (8 * (size_t)row[i] + 4 * half) * b->real,
                           b->precision == TL_DOUBLE ? (const void *)(from + 3 * i) : narrow,
                           3 * b->real);
        }
    tl_array_free(&rows);
    return status;
}

size_t tl_world_contact_count(const tl_world *world)
{
    return world ? (size_t)tl_world_contacts(world)->count + world->sensed.count : 0;
}

/* Which of its body's shapes a shape row is: rows of a body are side by side. */
static uint32_t shape_number(const uint32_t *body, uint32_t row)
{
    uint32_t first = row;
    while (first > 0 && body[first - 1] == body[row])
        first--;
    return row - first;
}

static void read_contact(const tl_world *w, const tl_image *m, size_t k, tl_contact *out)
{
    const uint32_t *body = m->shape_body.data, *id = m->id.data;
    const double *geom = m->geom.data, *centre = m->centre.data;
    const double *n = (const double *)m->n.data + 4 * k,
                 *gamma = (const double *)m->gamma.data + 4 * k;
    uint32_t a = ((const uint32_t *)m->a.data)[k], b = ((const uint32_t *)m->b.data)[k];
    double sign = 1;
    if (a >= w->shape_dynamic) {
        const uint32_t swap = a;
        a = b, b = swap, sign = -1;
    }
    /* halfway between the surfaces: from a sphere's, or from the owner's where there is none */
    const uint32_t *info = m->shape_info.data;
    const bool sensor = (info[a] | info[b]) & TLK_SHAPE_SENSOR;
    const bool sphere_a = (info[a] & TLK_SHAPE_KIND) == TL_SPHERE;
    const bool sphere = sphere_a || (info[b] & TLK_SHAPE_KIND) == TL_SPHERE;
    const size_t ball = sphere_a ? a : b;
    const double *place = sphere ? NULL : (const double *)m->place.data + 4 * k;
    const double *from = centre + 4 * (sphere ? ball : ((const uint32_t *)m->a.data)[k]);
    const double along =
        sphere ? (sphere_a ? 1 : -1) * sign * (geom[4 * ball + 3] + 0.5 * n[3]) : 0.5 * n[3];
    memset(out, 0, sizeof *out); /* padding too, so that contacts can be compared by bytes */
    out->a = (tl_body){id[body[a]], 1};
    out->b = (tl_body){id[body[b]], 1};
    out->shape_a = shape_number(body, a);
    out->shape_b = shape_number(body, b);
    out->gap = n[3];
    out->sensor = sensor;
    for (size_t c = 0; c < 3; c++) {
        out->normal[c] = sign * n[c];
        out->impulse[c] = sign * gamma[c];
        if (m->moment.count)
            out->moment[c] = sign * ((const double *)m->moment.data)[4 * k + c];
        if (m->past.count) {
            const double *past = (const double *)m->past.data + TLK_CONTACT_PAST * k;
            out->spring[c] = sign * past[c];
            out->force[c] = sign * past[8 + c];
        }
        out->point[c] = from[c] + (place ? place[c] : 0) + along * n[c];
    }
}

tl_status tl_world_read_contacts(const tl_world *world, size_t count, tl_contact *contacts)
{
    REFUSE_NULL(world);
    if (count != tl_world_contact_count(world))
        return wrong_count(__func__, count, tl_world_contact_count(world), "contacts");
    if (!count)
        return TL_OK;
    REFUSE_NULL(contacts);
    tl_image image;
    tl_image_init(&image);
    const size_t solved = tl_world_contacts(world)->count;
    tl_status status = tl_image_pull(world, tl_world_contacts(world), &image);
    for (size_t k = 0; status == TL_OK && k < solved; k++)
        read_contact(world, &image, k, &contacts[k]);
    if (status == TL_OK && solved < count)
        status = tl_image_pull_contacts(world, &world->sensed, &image);
    for (size_t k = solved; status == TL_OK && k < count; k++)
        read_contact(world, &image, k - solved, &contacts[k]);
    if (status != TL_OK)
        memset(contacts, 0, count * sizeof *contacts);
    tl_image_free(&image);
    return status;
}

/* Mixes one word into a hash (the finaliser of splitmix64). */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    uint64_t x = hash ^ (word + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2));
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t mix_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (const char *)bytes + i, sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

/* What the hash is of: positions, orientations, velocities, handles, one after the other. */
static tl_status copy_state(const tl_world *w, char *to)
{
    tl_backend *b = w->backend;
    const struct {
        const void *from;
        size_t bytes;
    } all[4] = {{w->pos.data, 32}, {w->quat.data, 32}, {w->vel.data, 8 * b->real}, {w->id.data, 4}};
    for (size_t i = 0; i < 4; to += w->rows * all[i++].bytes)
        TL_TRY(b->ops->download(b, to, all[i].from, w->rows * all[i].bytes));
    return TL_OK;
}

/* What is kept of joints, which the steps that follow depend on; false where it cannot be had. */
static bool mix_joints(const tl_world *w, uint64_t *sum)
{
    const tl_mechanism *m = &w->mechanism;
    const tl_joint_entry *joints = m->joints.data;
    tl_array all = {.item = sizeof(tlk_joint_memory)};
    bool here = true;
    if (m->count)
        here = tl_array_resize(&all, m->count) == TL_OK &&
               w->backend->ops->download(w->backend, all.data, m->memory[m->current].data,
                                         m->count * all.item) == TL_OK;
    for (size_t i = 0; i < m->joints.count && here; i++) {
        const tlk_joint_memory *memory = joints[i].place == TLK_NONE
                                             ? &joints[i].memory
                                             : (const tlk_joint_memory *)all.data + joints[i].place;
        *sum += mix_bytes(mix(1, joints[i].id), memory, sizeof *memory);
    }
    tl_array_free(&all);
    return here;
}

/* Each body's hash on its own, added up: the order of rows does not matter. */
uint64_t tl_world_hash(const tl_world *world)
{
    if (!world)
        return 0;
    const size_t real = world->backend->real, rows = world->rows;
    const size_t bytes = rows * (64 + 8 * real + sizeof(uint32_t)) + 1;
    char *copy = tl_alloc(bytes);
    if (!copy)
        return 0;
    const char *pos = copy, *quat = pos + 32 * rows, *vel = quat + 32 * rows;
    const char *id = vel + 8 * real * rows;
    const bool here = copy_state(world, copy) == TL_OK;
    uint64_t sum = here ? mix(0, rows) : 0;
    for (size_t i = 0; here && i < rows; i++) {
        uint32_t handle;
        memcpy(&handle, id + i * sizeof handle, sizeof handle);
        uint64_t hash = mix(0, handle);
        hash = mix_bytes(hash, pos + 32 * i, 32);
        hash = mix_bytes(hash, quat + 32 * i, 32);
        sum += mix_bytes(hash, vel + 8 * real * i, 8 * real);
    }
    tl_free(copy, bytes);
    return here && mix_joints(world, &sum) ? sum : 0;
}
