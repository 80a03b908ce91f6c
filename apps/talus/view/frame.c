/* Packing states to frames. See view/frame.h. */
#include "frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << 21, SAMPLES = 4096 };

/* Values of a sample on one axis, sorted. */
static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

view_box view_box_choose(size_t count, const double *positions, double radius, uint32_t id)
{
    view_box box = {.id = id, .quantum = 1};
    double centre[3] = {0}, extent = 0;
    double sample[SAMPLES];
    const size_t taken = count < SAMPLES ? count : SAMPLES;
    for (int axis = 0; axis < 3 && taken; axis++) {
        for (size_t i = 0; i < taken; i++) {
            sample[i] = positions[3 * (size_t)((double)i / (double)taken * (double)count) + axis];
        }
        qsort(sample, taken, sizeof *sample, rising);
        /* a twentieth on either side may have flown off */
        const double low = sample[taken / 20], high = sample[taken - 1 - taken / 20];
        centre[axis] = low + (high - low) / 2;
        extent = fmax(extent, high - low);
    }
    radius = radius > 0 ? radius : 1;
    box.quantum = radius / 1024;
    while (box.quantum * CELLS < 2 * extent && box.quantum < radius / 64) {
        box.quantum *= 2;
    }
    for (int axis = 0; axis < 3; axis++) {
        box.origin[axis] = centre[axis] - box.quantum * (CELLS / 2);
    }
    return box;
}

bool view_box_pack(const view_box *box, const double position[3], uint64_t *packed)
{
    uint64_t all = 0;
    for (int axis = 2; axis >= 0; axis--) {
        const double cell = floor((position[axis] - box->origin[axis]) / box->quantum + 0.5);
        if (!(cell >= 0 && cell < CELLS)) {
            return false;
        }
        all = all << 21 | (uint64_t)cell;
    }
    *packed = all;
    return true;
}

void view_box_unpack(const view_box *box, uint64_t packed, double position[3])
{
    for (int axis = 0; axis < 3; axis++) {
        position[axis] =
            box->origin[axis] + box->quantum * (double)(packed >> 21 * axis & (CELLS - 1));
    }
}

uint32_t view_pack_orientation(const float orientation[4])
{
    int largest = 0;
    for (int i = 1; i < 4; i++) {
        if (fabsf(orientation[i]) > fabsf(orientation[largest])) {
            largest = i;
        }
    }
    const float sign = orientation[largest] < 0 ? -1 : 1;
    uint32_t packed = (uint32_t)largest;
    for (int i = 0; i < 4; i++) {
        if (i != largest) {
            float value = floorf(orientation[i] * sign * (float)M_SQRT2 * 511 + 511.5F);
            value = value >= 0 ? value <= 1022 ? value : 1022 : 0; /* NaN packs as 0 */
            packed = packed << 10 | (uint32_t)value;
        }
    }
    return packed;
}

void view_unpack_orientation(uint32_t packed, float orientation[4])
{
    const int largest = (int)(packed >> 30);
    double rest = 1;
    int shift = 20;
    for (int i = 0; i < 4; i++) {
        if (i != largest) {
            const double value = ((double)(packed >> shift & 1023) - 511) / 511 * M_SQRT1_2;
            orientation[i] = (float)value;
            rest -= value * value;
            shift -= 10;
        }
    }
    orientation[largest] = (float)sqrt(rest > 0 ? rest : 0);
}

/* ---- building ---- */

typedef struct builder {
    view_frame *frame;
    const view_state *in;
} builder;

static void *take(builder *b, size_t count, size_t size)
{
    if (b->frame->bytes == SIZE_MAX) {
        return NULL;
    }
    void *memory = malloc(count ? count * size : 1);
    b->frame->bytes = memory ? b->frame->bytes + count * size : SIZE_MAX;
    return memory;
}

static void put_exact(view_frame *f, const double position[3], const float orientation[4],
                      uint32_t index)
{
    view_pose *pose = &f->exact[f->exact_count];
    *pose = (view_pose){.index = index};
    memcpy(pose->position, position, sizeof pose->position);
    memcpy(pose->orientation, orientation, sizeof pose->orientation);
    f->index[f->count] = index;
    f->position[f->count] = VIEW_EXACT_ROW + f->exact_count++;
    f->orientation[f->count++] = 0;
}

static unsigned how_of(const view_state *in, uint32_t index)
{
    return index < in->how_count ? in->how[index] : VIEW_UNKNOWN;
}

/* How many rows cannot be packed: exact ones and those outside the box. */
static size_t count_exact(const view_state *in, view_frame *f)
{
    size_t exact = in->fixed_count;
    for (size_t i = 0; i < in->state.count; i++) {
        uint64_t packed;
        if (how_of(in, in->state.bodies[i]) == VIEW_EXACT) {
            exact++;
        } else if (!view_box_pack(&in->box, in->state.positions + 3 * i, &packed)) {
            exact++;
            f->outside++;
        }
    }
    return exact;
}

/* How bodies are shown of which no orientation was recorded. */
static const float unturned[4] = {1, 0, 0, 0};

/* Moving and fixed bodies, merged by index. */
static bool pack_rows(builder *b)
{
    const view_state *in = b->in;
    view_frame *f = b->frame;
    const size_t exact = count_exact(in, f), total = in->state.count + in->fixed_count;
    f->index = take(b, total, sizeof *f->index);
    f->position = take(b, total, sizeof *f->position);
    f->orientation = take(b, total, sizeof *f->orientation);
    f->exact = take(b, exact, sizeof *f->exact);
    if (f->bytes == SIZE_MAX) {
        return false;
    }
    size_t fixed = 0;
    uint32_t last = 0;
    for (size_t i = 0; i < in->state.count; i++) {
        const uint32_t index = in->state.bodies[i];
        if (index <= last) {
            return false;
        }
        last = index;
        while (fixed < in->fixed_count && in->fixed[fixed].index < index) {
            const view_pose *pose = &in->fixed[fixed++];
            put_exact(f, pose->position, pose->orientation, pose->index);
        }
        const unsigned how = how_of(in, index);
        uint64_t packed;
        if (how == VIEW_UNKNOWN) {
            continue;
        }
        const double *position = in->state.positions + 3 * i;
        const float *orientation =
            in->state.orientations ? in->state.orientations + 4 * i : unturned;
        if (how == VIEW_EXACT || !view_box_pack(&in->box, position, &packed)) {
            put_exact(f, position, orientation, index);
        } else {
            f->index[f->count] = index;
            f->position[f->count] = packed;
            f->orientation[f->count++] = view_pack_orientation(orientation);
        }
    }
    for (; fixed < in->fixed_count; fixed++) {
        const view_pose *pose = &in->fixed[fixed];
        put_exact(f, pose->position, pose->orientation, pose->index);
    }
    return true;
}

/* ---- fields ---- */

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static bool add_forces(builder *b)
{
    const view_state *in = b->in;
    view_frame *f = b->frame;
    float *by_index = calloc(in->how_count + 1, sizeof *by_index);
    if (!by_index) {
        return false;
    }
    for (size_t i = 0; i < in->contact_count; i++) {
        const tl_contact *contact = &in->contacts[i];
        const float force = (float)(norm(contact->impulse) / in->step);
        if (contact->a.index < in->how_count) {
            by_index[contact->a.index] += force;
        }
        if (contact->b.index < in->how_count) {
            by_index[contact->b.index] += force;
        }
    }
    for (size_t i = 0; i < f->moving_count; i++) {
        f->force[i] = by_index[f->moving[i]];
    }
    free(by_index);
    return true;
}

static bool add_fields(builder *b)
{
    const view_state *in = b->in;
    view_frame *f = b->frame;
    const size_t count = in->state.count;
    f->fields = in->fields & (in->contacts_known ? ~0U : ~(unsigned)VIEW_FORCE);
    if (!in->state.velocities) { /* not recorded */
        f->fields &= ~(unsigned)(VIEW_SPEED | VIEW_VELOCITY);
    }
    if (!in->state.angular_velocities) {
        f->fields &= ~(unsigned)VIEW_ANGULAR;
    }
    if (!f->fields) {
        return true;
    }
    const bool velocity = f->fields & (VIEW_SPEED | VIEW_VELOCITY),
               angular = f->fields & VIEW_ANGULAR;
    f->moving = take(b, count, sizeof *f->moving);
    f->velocity = velocity ? take(b, count, 3 * sizeof *f->velocity) : NULL;
    f->angular = angular ? take(b, count, 3 * sizeof *f->angular) : NULL;
    f->force = f->fields & VIEW_FORCE ? take(b, count, sizeof *f->force) : NULL;
    if (f->bytes == SIZE_MAX) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (how_of(in, in->state.bodies[i]) == VIEW_UNKNOWN) {
            continue;
        }
        const size_t row = f->moving_count++;
        f->moving[row] = in->state.bodies[i];
        if (velocity) {
            memcpy(f->velocity + 3 * row, in->state.velocities + 3 * i, 3 * sizeof *f->velocity);
        }
        if (angular) {
            memcpy(f->angular + 3 * row, in->state.angular_velocities + 3 * i,
                   3 * sizeof *f->angular);
        }
    }
    return !f->force || add_forces(b);
}

/* ---- contacts ---- */

typedef struct ranked {
    double impulse;
    size_t row;
} ranked;

/* The largest first; of equals, the one that came first. */
static int falling(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->impulse != y->impulse) {
        return x->impulse < y->impulse ? 1 : -1;
    }
    return (x->row > y->row) - (x->row < y->row);
}

static void swap(ranked *a, ranked *b)
{
    const ranked kept = *a;
    *a = *b;
    *b = kept;
}

/* Brings the `wanted` largest to the front, in any order (quickselect: sorting millions would not
 * do at every frame). */
static void select_largest(ranked *all, size_t count, size_t wanted)
{
    size_t low = 0, high = count;
    while (high - low > 1 && wanted > low && wanted < high) {
        swap(&all[low + (high - low) / 2], &all[high - 1]);
        size_t store = low;
        for (size_t i = low; i < high - 1; i++) {
            if (falling(&all[i], &all[high - 1]) < 0) {
                swap(&all[i], &all[store++]);
            }
        }
        swap(&all[store], &all[high - 1]);
        if (store >= wanted) {
            high = store;
        } else {
            low = store + 1;
        }
    }
}

static bool add_contacts(builder *b)
{
    const view_state *in = b->in;
    view_frame *f = b->frame;
    f->contacts_known = in->contacts_known;
    f->contact_total = in->contact_count;
    f->contacts_wanted = in->contacts_wanted;
    f->contact_count =
        in->contact_count < in->contacts_wanted ? in->contact_count : in->contacts_wanted;
    f->contacts = take(b, f->contact_count, sizeof *f->contacts);
    if (f->bytes == SIZE_MAX) {
        return false;
    }
    if (!f->contact_count) {
        return true;
    }
    ranked *all = malloc(in->contact_count * sizeof *all);
    if (!all) {
        return false;
    }
    for (size_t i = 0; i < in->contact_count; i++) {
        all[i] = (ranked){norm(in->contacts[i].impulse), i};
    }
    select_largest(all, in->contact_count, f->contact_count);
    qsort(all, f->contact_count, sizeof *all, falling);
    for (size_t i = 0; i < f->contact_count; i++) {
        f->contacts[i] = in->contacts[all[i].row];
    }
    free(all);
    return true;
}

view_frame *view_frame_build(const view_state *state, uint32_t sequence)
{
    view_frame *f = calloc(1, sizeof *f);
    if (!f) {
        return NULL;
    }
    f->references = 1;
    f->sequence = sequence;
    f->steps = state->state.steps;
    f->time = state->state.time;
    f->step = state->step > 0 ? state->step : 1;
    f->box = state->box;
    f->bytes = sizeof *f;
    builder b = {f, state};
    if (!pack_rows(&b) || !add_fields(&b) || !add_contacts(&b)) {
        view_frame_drop(f);
        return NULL;
    }
    return f;
}

view_frame *view_frame_share(view_frame *frame)
{
    if (frame) {
        frame->references++;
    }
    return frame;
}

void view_frame_drop(view_frame *frame)
{
    if (!frame || --frame->references) {
        return;
    }
    free(frame->index);
    free(frame->position);
    free(frame->orientation);
    free(frame->exact);
    free(frame->moving);
    free(frame->velocity);
    free(frame->angular);
    free(frame->force);
    free(frame->contacts);
    free(frame);
}
