/* The velocity problem of a world's next step as matrices (talus/problem.h): rows of contacts
 * become columns of H in the frames of their normals, rows of joints that hold become columns of G,
 * and what else joints do goes to M and f. */
#include "solve/matrix.h"
#include "solve/system.h"
#include "talus/words.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* As kernels/joint.h has them: how a row takes part. */
#define ROW_HARD 1
#define ROW_SOFT 2

typedef struct recording {
    tl_world *w;
    tl_problem problem;
    tlk_problem view;                      /* with the free velocities in place of the others */
    tl_system system;                      /* contacts and bodies, on the host */
    tl_array m, h, g;                      /* tl_entry */
    tl_array f, drift, b, mu, guess, free; /* double */
    tl_columns M, H, G;
    uint32_t holding; /* columns of G */
} recording;

static void recording_free(recording *x)
{
    tl_array *const all[] = {&x->m, &x->h,  &x->g,     &x->f,   &x->drift,
                             &x->b, &x->mu, &x->guess, &x->free};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_array_free(all[i]);
    tl_columns *const columns[] = {&x->M, &x->H, &x->G};
    for (int i = 0; i < 3; i++)
        tl_columns_free(columns[i]);
    tl_system_free(&x->system);
}

static tl_status add(tl_array *entries, uint32_t row, uint32_t column, double value)
{
    const tl_entry entry = {row, column, value};
    return value != 0 ? tl_array_append(entries, &entry, 1) : TL_OK;
}

/* Reals of the device as 64-bit numbers. */
static tl_status download(tl_backend *b, const void *device, size_t count, tl_array *out)
{
    tl_array raw = {.item = b->real};
    *out = (tl_array){.item = sizeof(double)};
    TL_TRY(tl_array_resize(out, count));
    if (b->precision == TL_DOUBLE)
        return count ? b->ops->download(b, out->data, device, count * sizeof(double)) : TL_OK;
    tl_status status = tl_array_resize(&raw, count);
    if (status == TL_OK && count)
        status = b->ops->download(b, raw.data, device, count * b->real);
    for (size_t i = 0; i < count && status == TL_OK; i++)
        ((double *)out->data)[i] = (double)((const float *)raw.data)[i];
    tl_array_free(&raw);
    return status;
}

static tl_status download_words(tl_backend *b, const void *device, size_t count, tl_array *out)
{
    *out = (tl_array){.item = sizeof(uint32_t)};
    TL_TRY(tl_array_resize(out, count));
    return count ? b->ops->download(b, out->data, device, count * sizeof(uint32_t)) : TL_OK;
}

/* ---- Contacts ---- */

/* What materials ask for beyond friction and surfaces that move in themselves is not for this form.
 */
static tl_status check_materials(const recording *x)
{
    static const char *const names[] = {"compliance", "cohesion", "rolling friction",
                                        "spinning friction"};
    const tl_touch *t = x->system.touches.data;
    for (size_t i = 0; i < x->system.touches.count && x->view.material; i++) {
        const double *m = (const double *)x->system.material.data +
                          (size_t)(t[i].row / TLK_LANES) * TLK_MATERIAL * TLK_LANES +
                          t[i].row % TLK_LANES;
        for (size_t k = 3; k < 7; k++)
            if (m[k * TLK_LANES] > 0)
                return tl_fail(TL_BAD_ARGUMENT,
                               "step %llu: a contact has %s, which contact problems as matrices "
                               "do not know",
                               (unsigned long long)x->w->steps + 1, names[k - 3]);
    }
    return TL_OK;
}

/* A unit normal and two tangents: the first towards the axis that the normal is farthest from. */
static void frame_of(const double *n, double q[3][3])
{
    const double size = tl_length(n);
    int axis = 0;
    for (int k = 0; k < 3; k++)
        q[0][k] = n[k] / size;
    for (int k = 1; k < 3; k++)
        axis = fabs(q[0][k]) < fabs(q[0][axis]) ? k : axis;
    const double unit[3] = {axis == 0, axis == 1, axis == 2};
    tl_cross(q[0], unit, q[2]);
    const double across = tl_length(q[2]);
    for (int k = 0; k < 3; k++)
        q[2][k] /= across;
    tl_cross(q[2], q[0], q[1]);
}

/* The columns of H of a contact at one of its bodies. */
static tl_status add_side(recording *x, uint32_t contact, uint32_t body, double sign,
                          const double *anchor, double q[3][3])
{
    for (uint32_t c = 0; c < 3; c++) {
        double turn[3];
        tl_cross(anchor, q[c], turn);
        for (uint32_t k = 0; k < 3; k++) {
            TL_TRY(add(&x->h, 6 * body + k, 3 * contact + c, sign * q[c][k]));
            TL_TRY(add(&x->h, 6 * body + 3 + k, 3 * contact + c, sign * turn[k]));
        }
    }
    return TL_OK;
}

static tl_status add_contacts(recording *x)
{
    const tl_touch *t = x->system.touches.data;
    for (uint32_t i = 0; i < x->system.touches.count; i++) {
        double q[3][3], drift[3], guess[3];
        frame_of(t[i].n, q);
        for (int k = 0; k < 3; k++) {
            drift[k] = tl_dot(q[k], t[i].given) + (k ? 0 : t[i].bias);
            guess[k] = tl_dot(q[k], t[i].start);
        }
        TL_TRY(add_side(x, i, t[i].a, -1, t[i].ra, q));
        if (t[i].b != TLK_NONE)
            TL_TRY(add_side(x, i, t[i].b, 1, t[i].rb, q));
        TL_TRY(tl_array_append(&x->drift, drift, 3));
        TL_TRY(tl_array_append(&x->guess, guess, 3));
        TL_TRY(tl_array_append(&x->mu, &t[i].mu, 1));
    }
    return TL_OK;
}

/* ---- Bodies ---- */

/* The inertia of a body in the world frame, of its moments and its attitude. */
static void turn_inertia(const double *moments, const double *q, double out[3][3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    const bool ball = moments[0] == moments[1] && moments[0] == moments[2];
    for (int i = 0; i < 9; i++) {
        out[i / 3][i % 3] = ball ? (i % 4 ? 0 : moments[0]) : 0;
        for (int k = 0; k < 3 && !ball; k++)
            out[i / 3][i % 3] += moments[k] * turn[i / 3][k] * turn[i % 3][k];
    }
}

/* Where no row needs them, the problem has no inertias. */
static tl_status find_inertias(recording *x)
{
    tl_backend *b = x->w->backend;
    tl_array moments = {.item = 4 * sizeof(double)}, turns = {.item = 4 * sizeof(double)};
    tl_mover *body = x->system.bodies.data;
    const size_t count = x->system.bodies.count;
    if (x->view.inverse || !count)
        return TL_OK;
    tl_status status = tl_array_resize(&moments, count);
    if (status == TL_OK)
        status = tl_array_resize(&turns, count);
    if (status == TL_OK)
        status = b->ops->download(b, moments.data, x->w->inertia.data, count * moments.item);
    if (status == TL_OK)
        status = b->ops->download(b, turns.data, x->w->quat.data, count * turns.item);
    for (size_t i = 0; i < count && status == TL_OK; i++)
        turn_inertia((const double *)moments.data + 4 * i, (const double *)turns.data + 4 * i,
                     body[i].inertia);
    tl_array_free(&moments);
    tl_array_free(&turns);
    return status;
}

static tl_status add_bodies(recording *x)
{
    const tl_mover *b = x->system.bodies.data;
    const double *free = x->system.start.data;
    for (uint32_t i = 0; i < x->system.bodies.count; i++, free += 6) {
        double f[6];
        for (uint32_t k = 0; k < 3; k++) {
            TL_TRY(add(&x->m, 6 * i + k, 6 * i + k, b[i].mass));
            for (uint32_t l = 0; l < 3; l++)
                TL_TRY(add(&x->m, 6 * i + 3 + k, 6 * i + 3 + l, b[i].inertia[k][l]));
            f[k] = b[i].mass * free[k];
            f[3 + k] = tl_dot(b[i].inertia[k], free + 3);
        }
        TL_TRY(tl_array_append(&x->f, f, 6));
    }
    return TL_OK;
}

/* ---- Joints ---- */

/* Of the device, what rows of joints are. */
typedef struct mechanics {
    const tlk_joint *joint;
    const tlk_law *law;
    const double *jacobian, *aim, *bend;
    const uint8_t *part;
    const tlk_articulated *how;
} mechanics;

/* The impulse of a row between breaks, without its slope: tlk_law_base(). */
static double base_of(const tlk_law *law)
{
    double sum = law->load;
    for (uint32_t i = 0; i < law->breaks; i++)
        sum += i < law->state / 2 ? law->low[i] : law->high[i];
    return sum;
}

/* Its rate at the velocities of bodies that are not dynamic. */
static double given_rate(const recording *x, const tlk_joint *j, const double *row)
{
    const double *vel = x->free.data;
    double sum = 0;
    for (uint32_t b = 0; b < j->bodies; b++)
        for (uint32_t k = 0; k < 6 && j->body[b] >= x->view.moving; k++)
            sum += row[6 * b + k] * vel[8 * (size_t)j->body[b] + k + k / 3];
    return sum;
}

/* A spring or damper: its impulse is base - slope (J v + given). */
static tl_status add_soft(recording *x, const tlk_joint *j, const double *row, double base,
                          double slope, double given)
{
    double *f = x->f.data;
    for (uint32_t b = 0; b < j->bodies; b++) {
        if (j->body[b] >= x->view.moving)
            continue;
        for (uint32_t k = 0; k < 6; k++) {
            f[6 * (size_t)j->body[b] + k] += row[6 * b + k] * (base - slope * given);
            for (uint32_t c = 0; c < 6 * j->bodies && slope > 0; c++)
                if (j->body[c / 6] < x->view.moving)
                    TL_TRY(add(&x->m, 6 * j->body[b] + k, 6 * j->body[c / 6] + c % 6,
                               slope * row[6 * b + k] * row[c]));
        }
    }
    return TL_OK;
}

static tl_status add_hard(recording *x, const tlk_joint *j, const double *row, double speed)
{
    for (uint32_t b = 0; b < j->bodies; b++)
        for (uint32_t k = 0; k < 6 && j->body[b] < x->view.moving; k++)
            TL_TRY(add(&x->g, 6 * j->body[b] + k, x->holding, row[6 * b + k]));
    x->holding++;
    return tl_array_append(&x->b, &speed, 1);
}

static tl_status add_joint(recording *x, const mechanics *m, const tlk_joint *j)
{
    for (uint32_t r = 0; r < j->rows && !j->broken; r++) {
        const uint32_t at = j->first + r;
        const double *row = m->jacobian + j->jacobian + (size_t)r * 6 * j->bodies;
        const double bend = m->how[j->articulation].straight ? 0 : m->bend[at];
        const double given = given_rate(x, j, row) + bend;
        const double slope = m->part[at] == ROW_SOFT ? m->law[at].slope : 0;
        TL_TRY(m->part[at] == ROW_HARD ? add_hard(x, j, row, given - m->aim[at])
                                       : add_soft(x, j, row, base_of(&m->law[at]), slope, given));
    }
    return TL_OK;
}

static tl_status fetch(tl_backend *b, const tl_buffer *from, size_t bytes, tl_array *to)
{
    *to = (tl_array){.item = 1};
    TL_TRY(tl_array_resize(to, bytes));
    return bytes ? b->ops->download(b, to->data, from->data, bytes) : TL_OK;
}

static tl_status add_joints(recording *x)
{
    tl_backend *b = x->w->backend;
    const tl_mechanism *m = &x->w->mechanism;
    const size_t rows = m->rows, real = sizeof(double);
    tl_array a[7] = {{0}};
    const struct {
        const tl_buffer *from;
        size_t bytes;
    } parts[7] = {{&m->joint, m->count * sizeof(tlk_joint)},
                  {&m->law, rows * sizeof(tlk_law)},
                  {&m->jacobian, m->numbers_of_rows * real},
                  {&m->aim, rows * real},
                  {&m->bend, rows * real},
                  {&m->part, rows},
                  {&m->how, m->articulations * sizeof(tlk_articulated)}};
    tl_status status = TL_OK;
    for (int i = 0; i < 7 && status == TL_OK; i++)
        status = fetch(b, parts[i].from, parts[i].bytes, &a[i]);
    const mechanics all = {a[0].data, a[1].data, a[2].data, a[3].data,
                           a[4].data, a[5].data, a[6].data};
    for (uint32_t i = 0; i < m->count && status == TL_OK; i++)
        status = add_joint(x, &all, &all.joint[i]);
    for (int i = 0; i < 7; i++)
        tl_array_free(&a[i]);
    return status;
}

/* ---- All of it ---- */

static tl_status check(const tl_world *w)
{
    if (w->settings.stepper > TL_STEPPER_SMOOTH)
        return tl_fail(TL_BAD_ARGUMENT,
                       "settings.stepper is %s; steps of dvi and smooth alone have one contact "
                       "problem",
                       tl_word(TL_WORDS_STEPPER, w->settings.stepper));
    if (w->settings.solver.joints == TL_JOINTS_ITERATE && w->mechanism.count)
        return tl_fail(TL_BAD_ARGUMENT,
                       "settings.solver.joints is iterate; joints must be exact to be equality "
                       "constraints");
    return TL_OK;
}

static tl_status record(recording *x)
{
    tl_backend *b = x->w->backend;
    x->m.item = x->h.item = x->g.item = sizeof(tl_entry);
    x->f.item = x->drift.item = x->b.item = x->mu.item = x->guess.item = sizeof(double);
    TL_TRY(tl_step_problem(x->w, &x->problem));
    x->view = x->problem.view;
    if (!x->view.rows) { /* a step without contacts has set nothing else */
        x->view.blocks = x->w->rows;
        x->view.moving = x->w->dynamic;
        x->view.free = x->w->free.data;
    }
    x->view.vel = (void *)x->view.free;
    x->system.view = &x->view;
    TL_TRY(download_words(b, x->view.a, x->view.rows, &x->system.a));
    TL_TRY(download_words(b, x->view.b, x->view.rows, &x->system.b));
    TL_TRY(tl_system_load(b, &x->system)); /* nothing is to be factored */
    TL_TRY(download(b, x->view.free, 8 * (size_t)x->view.blocks, &x->free));
    TL_TRY(check_materials(x));
    TL_TRY(find_inertias(x));
    TL_TRY(add_bodies(x));
    TL_TRY(add_contacts(x));
    if (x->w->mechanism.count)
        TL_TRY(add_joints(x));
    const uint32_t n = 6 * x->view.moving, m = 3 * (uint32_t)x->system.touches.count;
    TL_TRY(tl_columns_make(n, n, x->m.data, x->m.count, &x->M));
    TL_TRY(tl_columns_make(n, m, x->h.data, x->h.count, &x->H));
    return tl_columns_make(n, x->holding, x->g.data, x->g.count, &x->G);
}

static tl_status hand_out(recording *x, tl_contact_problem **problem)
{
    char title[64], description[256];
    snprintf(title, sizeof title, "step %llu", (unsigned long long)x->w->steps + 1);
    snprintf(description, sizeof description,
             "The velocity problem of a Talus step of %g s, at %g s: %u bodies, %zu contacts, %u "
             "rows of joints. SI units; impulses in N s.",
             x->w->settings.step, x->w->time, x->view.moving, x->system.touches.count, x->holding);
    const tl_contact_problem_def def = {.form = TL_PROBLEM_GLOBAL,
                                        .dimension = 3,
                                        .contacts = (uint32_t)x->system.touches.count,
                                        .M = tl_columns_view(&x->M),
                                        .H = tl_columns_view(&x->H),
                                        .G = tl_columns_view(&x->G),
                                        .f = x->f.data,
                                        .w = x->drift.data,
                                        .b = x->b.data,
                                        .mu = x->mu.data,
                                        .guess = x->guess.data,
                                        .title = title,
                                        .description = description};
    return tl_contact_problem_create(&def, problem);
}

tl_status tl_world_contact_problem(tl_world *world, tl_contact_problem **problem)
{
    if (problem)
        *problem = NULL;
    if (!world || !problem)
        return tl_fail(TL_BAD_ARGUMENT, "%s: %s is NULL", __func__, world ? "problem" : "world");
    TL_TRY(check(world));
    TL_TRY(tl_world_begin_step(world));
    recording x = {.w = world};
    tl_status status = record(&x);
    if (status == TL_OK)
        status = hand_out(&x, problem);
    recording_free(&x);
    return status;
}
