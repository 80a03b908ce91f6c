/* The binary messages of docs/viewer-protocol.md. See view/protocol.h. */
#include "protocol.h"
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "messages are written as they lie in memory");

unsigned char *view_buffer_data(const view_buffer *buffer)
{
    return buffer->memory + VIEW_HEAD;
}

/* Room for `more` bytes behind the message. */
static bool reserve(view_buffer *b, size_t more)
{
    if (b->failed || b->length + more <= b->room) {
        return !b->failed;
    }
    size_t room = b->room ? b->room : 256;
    while (room < b->length + more) {
        room *= 2;
    }
    unsigned char *moved = realloc(b->memory, VIEW_HEAD + room);
    if (!moved) {
        b->failed = true;
        return false;
    }
    b->memory = moved;
    b->room = room;
    return true;
}

void view_buffer_put(view_buffer *b, const void *bytes, size_t count)
{
    if (count && reserve(b, count)) {
        memcpy(b->memory + VIEW_HEAD + b->length, bytes, count);
        b->length += count;
    }
}

void view_buffer_free(view_buffer *b)
{
    free(b->memory);
    *b = (view_buffer){0};
}

static void put_u32(view_buffer *b, uint32_t value)
{
    view_buffer_put(b, &value, sizeof value);
}

static void put_f64(view_buffer *b, double value)
{
    view_buffer_put(b, &value, sizeof value);
}

static void put_head(view_buffer *b, uint8_t kind, uint8_t flags, uint16_t word, uint32_t epoch)
{
    view_buffer_put(b, &kind, 1);
    view_buffer_put(b, &flags, 1);
    view_buffer_put(b, &word, 2);
    put_u32(b, epoch);
}

/* ---- BODIES ---- */

typedef struct chunk {
    size_t bodies, balls, solids, end;
} chunk;

/* Which bodies the next message holds. */
static chunk chunk_from(const view_table *table, size_t next, bool all)
{
    chunk c = {.end = next};
    while (c.end < table->body_count && c.bodies < VIEW_CHUNK) {
        const view_body *body = &table->bodies[c.end];
        if (all || !body->gone) {
            const size_t shapes = c.balls + c.solids + body->balls + body->solids;
            if (c.bodies && shapes > 2 * VIEW_CHUNK) {
                break;
            }
            c.bodies++;
            c.balls += body->balls;
            c.solids += body->solids;
        }
        c.end++;
    }
    return c;
}

static void put_body(view_buffer *out, const view_body *body)
{
    const size_t shapes = body->balls + body->solids;
    const struct {
        uint32_t index;
        uint8_t kind, zero;
        uint16_t shapes;
        float mass, radius;
    } row = {body->index, body->kind,  0, (uint16_t)(shapes < 65535 ? shapes : 65535),
             body->mass,  body->radius};
    _Static_assert(sizeof row == 16, "as documented");
    view_buffer_put(out, &row, sizeof row);
}

void view_encode_bodies(const view_table *table, size_t *next, bool all, uint32_t epoch,
                        view_buffer *out)
{
    const chunk c = chunk_from(table, *next, all);
    reserve(out, 24 + 16 * c.bodies + 24 * c.balls + 68 * c.solids);
    put_head(out, 1, c.end == table->body_count, 0, epoch);
    put_u32(out, (uint32_t)c.bodies);
    put_u32(out, (uint32_t)c.balls);
    put_u32(out, (uint32_t)c.solids);
    put_u32(out, 0);
    for (int part = 0; part < 3; part++) {
        for (size_t i = *next; i < c.end; i++) {
            const view_body *body = &table->bodies[i];
            if (!all && body->gone) {
                continue;
            }
            if (part == 0) {
                put_body(out, body);
            } else if (part == 1) {
                view_buffer_put(out, table->balls + body->ball, body->balls * sizeof(view_ball));
            } else {
                view_buffer_put(out, table->solids + body->solid,
                                body->solids * sizeof(view_solid));
            }
        }
    }
    *next = c.end;
}

/* ---- GEOMETRY ---- */

static uint32_t part_of(size_t count, size_t first)
{
    const size_t left = count > first ? count - first : 0;
    return (uint32_t)(left < VIEW_PART ? left : VIEW_PART);
}

void view_encode_form(const view_table *table, view_form_place *next, uint32_t epoch,
                      view_buffer *out)
{
    const view_form *form = &table->forms[next->form];
    const uint32_t vertices = part_of(form->vertex_count, next->vertex);
    const uint32_t triangles = part_of(form->triangle_count, next->triangle);
    const bool last = next->vertex + vertices == form->vertex_count &&
                      next->triangle + triangles == form->triangle_count;
    const uint32_t head[8] = {(uint32_t)next->form + 1,
                              (uint32_t)form->vertex_count,
                              (uint32_t)form->triangle_count,
                              (uint32_t)next->vertex,
                              vertices,
                              (uint32_t)next->triangle,
                              triangles,
                              0};
    put_head(out, 2, last, 0, epoch);
    view_buffer_put(out, head, sizeof head);
    view_buffer_put(out, form->vertices + next->vertex, vertices * sizeof *form->vertices);
    view_buffer_put(out, form->triangles + 3 * next->triangle,
                    3 * (size_t)triangles * sizeof *form->triangles);
    next->vertex += vertices;
    next->triangle += triangles;
    if (last) {
        *next = (view_form_place){.form = next->form + 1};
    }
}

/* ---- FRAME ---- */

/* Rows of a frame that differ from its base, and bodies of the base that are gone. */
typedef struct difference {
    size_t *rows;   /* of the frame */
    uint32_t *gone; /* indices */
    size_t packed, exact, gone_count;
} difference;

static bool same_row(const view_frame *f, size_t i, const view_frame *b, size_t j)
{
    if (f->position[i] & VIEW_EXACT_ROW && b->position[j] & VIEW_EXACT_ROW) {
        return memcmp(&f->exact[f->position[i] ^ VIEW_EXACT_ROW],
                      &b->exact[b->position[j] ^ VIEW_EXACT_ROW], sizeof(view_pose)) == 0;
    }
    if ((f->position[i] | b->position[j]) & VIEW_EXACT_ROW) {
        return false;
    }
    return f->position[i] == b->position[j] && f->orientation[i] == b->orientation[j];
}

/* Walks along both lists of bodies, which rise. */
static bool differ(const view_frame *f, const view_frame *base, difference *d)
{
    *d = (difference){.rows = malloc((f->count + 1) * sizeof *d->rows)};
    d->gone = malloc(((base ? base->count : 0) + 1) * sizeof *d->gone);
    if (!d->rows || !d->gone) {
        return false;
    }
    size_t j = 0, rows = 0;
    const size_t end = base ? base->count : 0;
    for (size_t i = 0; i < f->count; i++) {
        while (j < end && base->index[j] < f->index[i]) {
            d->gone[d->gone_count++] = base->index[j++];
        }
        const bool both = j < end && base->index[j] == f->index[i];
        if (!both || !same_row(f, i, base, j)) {
            d->rows[rows++] = i;
            d->exact += f->position[i] & VIEW_EXACT_ROW ? 1 : 0;
        }
        j += both;
    }
    while (j < end) {
        d->gone[d->gone_count++] = base->index[j++];
    }
    d->packed = rows - d->exact;
    return true;
}

/* The indices of the packed rows, as runs or one by one, whichever is shorter. */
static void put_indices(const view_frame *f, const difference *d, size_t runs, view_buffer *out)
{
    const bool as_runs = 2 * runs < d->packed;
    uint32_t first = 0, length = 0;
    for (size_t k = 0; k < d->packed + d->exact; k++) {
        const size_t row = d->rows[k];
        if (f->position[row] & VIEW_EXACT_ROW) {
            continue;
        }
        if (!as_runs) {
            put_u32(out, f->index[row]);
        } else if (length && f->index[row] == first + length) {
            length++;
        } else {
            if (length) {
                put_u32(out, first);
                put_u32(out, length);
            }
            first = f->index[row];
            length = 1;
        }
    }
    if (as_runs && length) {
        put_u32(out, first);
        put_u32(out, length);
    }
}

static size_t count_runs(const view_frame *f, const difference *d)
{
    size_t runs = 0;
    uint32_t next = 0;
    for (size_t k = 0; k < d->packed + d->exact; k++) {
        const size_t row = d->rows[k];
        if (!(f->position[row] & VIEW_EXACT_ROW)) {
            runs += f->index[row] != next;
            next = f->index[row] + 1;
        }
    }
    return runs;
}

/* One part of the rows: positions, exact rows or orientations. */
static void put_rows(const view_frame *f, const difference *d, int part, view_buffer *out)
{
    for (size_t k = 0; k < d->packed + d->exact; k++) {
        const size_t row = d->rows[k];
        const bool exact = f->position[row] & VIEW_EXACT_ROW;
        if (part == 0 && !exact) {
            view_buffer_put(out, &f->position[row], 8);
        } else if (part == 1 && exact) {
            view_buffer_put(out, &f->exact[f->position[row] ^ VIEW_EXACT_ROW], sizeof(view_pose));
        } else if (part == 2 && !exact) {
            put_u32(out, f->orientation[row]);
        }
    }
}

void view_encode_frame(const view_frame *f, const view_frame *base, uint32_t epoch,
                       view_buffer *out)
{
    if (base && base->box.id != f->box.id) {
        base = NULL;
    }
    difference d;
    if (!differ(f, base, &d)) {
        out->failed = true;
    } else {
        const size_t runs = count_runs(f, &d);
        const bool as_runs = 2 * runs < d.packed;
        reserve(out, 88 + 16 * d.packed + 48 * d.exact + 4 * d.gone_count);
        put_head(out, 3, (uint8_t)((base ? 0 : 1) | (as_runs ? 2 : 0)), 0, epoch);
        put_f64(out, f->time);
        put_f64(out, (double)f->steps);
        put_u32(out, f->sequence);
        put_u32(out, base ? base->sequence : f->sequence);
        put_u32(out, (uint32_t)f->count);
        put_u32(out, 0);
        view_buffer_put(out, f->box.origin, sizeof f->box.origin);
        put_f64(out, f->box.quantum);
        put_u32(out, (uint32_t)d.packed);
        put_u32(out, (uint32_t)(as_runs ? 2 * runs : d.packed));
        put_u32(out, (uint32_t)d.exact);
        put_u32(out, (uint32_t)d.gone_count);
        for (int part = 0; part < 3; part++) {
            put_rows(f, &d, part, out);
        }
        put_indices(f, &d, runs, out);
        view_buffer_put(out, d.gone, d.gone_count * sizeof *d.gone);
    }
    free(d.rows);
    free(d.gone);
}

/* ---- FIELD ---- */

static float field_value(const view_frame *f, unsigned field, size_t row, int component)
{
    const float *v = f->velocity + 3 * row;
    switch (field) {
    case VIEW_SPEED: return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    case VIEW_FORCE: return f->force[row];
    case VIEW_VELOCITY: return v[component];
    default: return f->angular[3 * row + (size_t)component];
    }
}

static void put_field_runs(const view_frame *f, view_buffer *out)
{
    const size_t at = out->length - 8; /* where the number of words goes */
    uint32_t words = 0;
    for (size_t i = 0; i < f->moving_count;) {
        size_t end = i + 1;
        while (end < f->moving_count && f->moving[end] == f->moving[end - 1] + 1) {
            end++;
        }
        put_u32(out, f->moving[i]);
        put_u32(out, (uint32_t)(end - i));
        words += 2;
        i = end;
    }
    if (!out->failed) {
        memcpy(view_buffer_data(out) + at, &words, sizeof words);
    }
}

void view_encode_field(const view_frame *f, unsigned field, uint32_t epoch, view_buffer *out)
{
    const int components = field == VIEW_VELOCITY || field == VIEW_ANGULAR ? 3 : 1;
    uint8_t number = 1;
    while (1U << (number - 1) != field) {
        number++;
    }
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < f->moving_count; i++) {
        for (int c = 0; c < components; c++) {
            const double value = (double)field_value(f, field, i, c);
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    if (low > high) {
        low = high = 0;
    }
    put_head(out, 4, number, (uint16_t)components, epoch);
    put_u32(out, f->sequence);
    put_u32(out, (uint32_t)f->moving_count);
    put_f64(out, low);
    put_f64(out, high);
    put_u32(out, 0);
    put_u32(out, 0);
    put_field_runs(f, out);
    const double scale = high > low ? 65535 / (high - low) : 0;
    for (size_t i = 0; i < f->moving_count; i++) {
        for (int c = 0; c < components; c++) {
            const double value = ((double)field_value(f, field, i, c) - low) * scale + 0.5;
            const uint16_t word = (uint16_t)(value < 65535 ? value : 65535);
            view_buffer_put(out, &word, sizeof word);
        }
    }
}

/* ---- CONTACTS ---- */

void view_encode_contacts(const view_frame *f, size_t most, uint32_t epoch, view_buffer *out)
{
    const size_t count = f->contact_count < most ? f->contact_count : most;
    double origin[3];
    for (int k = 0; k < 3; k++) { /* points in 32 bits are exact enough near the bodies */
        origin[k] = f->box.origin[k] + f->box.quantum * (1 << 20);
    }
    put_head(out, 5, f->contact_total > count, 0, epoch);
    put_u32(out, f->sequence);
    put_u32(out, (uint32_t)count);
    put_f64(out, (double)f->contact_total);
    put_f64(out, f->step);
    view_buffer_put(out, origin, sizeof origin);
    for (size_t i = 0; i < count; i++) {
        const tl_contact *c = &f->contacts[i];
        struct {
            uint32_t a, b;
            float point[3], normal[3], gap, impulse[3];
        } row = {.a = c->a.index, .b = c->b.index, .gap = (float)c->gap};
        _Static_assert(sizeof row == 48, "as documented");
        for (int k = 0; k < 3; k++) {
            row.point[k] = (float)(c->point[k] - origin[k]);
            row.normal[k] = (float)c->normal[k];
            row.impulse[k] = (float)c->impulse[k];
        }
        view_buffer_put(out, &row, sizeof row);
    }
}

/* ---- REPORTS, SERIES, TIMES ---- */

/* The columns of a report. Those marked are largest, not last, in a row for several steps. */
#define REPORT_COLUMNS(column)                                                                     \
    column("steps", (double)r->steps, 0) column("time", r->time, 0) column("bodies", r->bodies, 0) \
        column("emitted", (double)r->emitted, 0) column("waiting", (double)r->waiting, 0) column(  \
            "removed", (double)r->removed,                                                         \
            0) column("contacts", r->contacts, 1) column("active_contacts", r->active_contacts, 1) \
            column("colours", r->colours, 0) column("iterations", r->iterations, 1) column(        \
                "position_iterations", r->position_iterations,                                     \
                1) column("residual", r->residual, 1) column("max_residual", r->max_residual, 1)   \
                column("max_penetration", r->max_penetration,                                      \
                       1) column("mean_penetration", r->mean_penetration,                          \
                                 1) column("kinetic_energy", r->kinetic_energy, 0)                 \
                    column("potential_energy", r->potential_energy, 0)                             \
                        column("dissipated_energy", r->dissipated_energy, 0)                       \
                            column("total_ms", r->total_ms, 1) column("find_ms", r->ms.find, 1)    \
                                column("match_ms", r->ms.match, 1)                                 \
                                    column("colour_ms", r->ms.colour, 1)                           \
                                        column("build_ms", r->ms.build, 1)                         \
                                            column("solve_ms", r->ms.solve, 1)                     \
                                                column("position_ms", r->ms.position, 1)           \
                                                    column("audit_ms", r->ms.audit, 1)             \
                                                        column("integrate_ms", r->ms.integrate, 1) \
                                                            column("bytes", (double)r->bytes, 0)   \
                                                                column("peak_bytes",               \
                                                                       (double)r->peak_bytes, 0)

#define COUNT(name, value, largest) +1
enum { REPORT_COLUMNS_COUNT = 0 REPORT_COLUMNS(COUNT) };

json_t *view_report_columns(void)
{
    json_t *names = json_array();
#define NAME(name, value, largest) json_array_append_new(names, json_string(name));
    REPORT_COLUMNS(NAME)
    return names;
}

/* Folds one more report into a row. */
static void fold_report(const tl_report *r, double *row, bool first)
{
    int k = 0;
#define FOLD(name, value, largest)                                                \
    row[k] = !first && largest ? fmax(row[k], (double)(value)) : (double)(value); \
    k++;
    REPORT_COLUMNS(FOLD)
}

void view_reports_begin(view_reports *f, size_t count, size_t points, bool answer, uint32_t id,
                        uint32_t epoch, view_buffer *out)
{
    *f =
        (view_reports){.stride = count > points ? (count + points - 1) / points : 1, .left = count};
    put_head(out, 6, answer, REPORT_COLUMNS_COUNT, epoch);
    put_u32(out, id);
    put_u32(out, (uint32_t)((count + f->stride - 1) / f->stride));
    put_f64(out, (double)f->stride);
}

void view_reports_add(view_reports *f, const tl_report *reports, size_t count, view_buffer *out)
{
    _Static_assert((int)REPORT_COLUMNS_COUNT == (int)VIEW_REPORT_COLUMNS, "a row has room for all");
    for (size_t i = 0; i < count && f->left; i++) {
        fold_report(&reports[i], f->row, f->folded == 0);
        f->left--;
        if (++f->folded == f->stride || !f->left) {
            view_buffer_put(out, f->row, sizeof f->row);
            f->folded = 0;
        }
    }
}

json_t *view_series_columns(void)
{
    static const char *const names[VIEW_SERIES_COLUMNS] = {"time", "x",  "y",  "z",  "qw", "qx",
                                                           "qy",   "qz", "vx", "vy", "vz", "wx",
                                                           "wy",   "wz", "fx", "fy", "fz"};
    json_t *list = json_array();
    for (int i = 0; i < VIEW_SERIES_COLUMNS; i++) {
        json_array_append_new(list, json_string(names[i]));
    }
    return list;
}

size_t view_find_row(const tl_frame_view *state, uint32_t body)
{
    size_t low = 0, high = state->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (state->bodies[middle] < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < state->count && state->bodies[low] == body ? low : state->count;
}

/* Position, orientation and velocities; false where the body is not there. */
static bool put_motion(const view_state *in, uint32_t body, double *columns)
{
    const tl_frame_view *s = &in->state;
    const size_t row = view_find_row(s, body);
    if (row < s->count) {
        for (size_t k = 0; k < 3; k++) {
            columns[1 + k] = s->positions[3 * row + k];
            columns[8 + k] = s->velocities ? (double)s->velocities[3 * row + k] : NAN;
            columns[11 + k] =
                s->angular_velocities ? (double)s->angular_velocities[3 * row + k] : NAN;
        }
        for (size_t k = 0; k < 4; k++) {
            columns[4 + k] = s->orientations ? (double)s->orientations[4 * row + k] : NAN;
        }
        return true;
    }
    for (size_t i = 0; i < in->fixed_count; i++) {
        const view_pose *pose = &in->fixed[i];
        if (pose->index != body) {
            continue;
        }
        for (size_t k = 0; k < 4; k++) {
            columns[4 + k] = (double)pose->orientation[k];
        }
        for (size_t k = 0; k < 3; k++) {
            columns[1 + k] = pose->position[k];
            columns[8 + k] = columns[11 + k] = 0;
        }
        return true;
    }
    return false;
}

bool view_series_row(const view_state *in, uint32_t body, double columns[VIEW_SERIES_COLUMNS])
{
    columns[0] = in->state.time;
    if (!put_motion(in, body, columns)) {
        return false;
    }
    double force[3] = {0};
    for (size_t i = 0; i < in->contact_count; i++) {
        const tl_contact *c = &in->contacts[i];
        const int sign = (c->b.index == body) - (c->a.index == body);
        for (int k = 0; k < 3 && sign; k++) {
            force[k] += sign * c->impulse[k] / in->step;
        }
    }
    for (int k = 0; k < 3; k++) {
        columns[14 + k] = in->contacts_known ? force[k] : NAN;
    }
    return true;
}

void view_encode_series(uint32_t body, const double *rows, size_t count, unsigned flags,
                        uint32_t epoch, view_buffer *out)
{
    put_head(out, 7, (uint8_t)flags, VIEW_SERIES_COLUMNS, epoch);
    put_u32(out, body);
    put_u32(out, (uint32_t)count);
    view_buffer_put(out, rows, count * VIEW_SERIES_COLUMNS * sizeof *rows);
}

void view_measures_begin(view_measures *m, uint32_t monitor, unsigned flags, uint32_t epoch,
                         view_buffer *out)
{
    m->rows = 0;
    put_head(out, 9, (uint8_t)flags, (uint16_t)(TRACE_HEAD + TRACE_VALUES * m->count), epoch);
    put_u32(out, monitor);
    put_u32(out, 0); /* rows, in the end */
}

void view_measures_add(view_measures *m, const double *row, view_buffer *out)
{
    m->rows++;
    view_buffer_put(out, row, TRACE_HEAD * sizeof *row);
    view_buffer_put(out, row + TRACE_HEAD + TRACE_VALUES * m->first,
                    TRACE_VALUES * m->count * sizeof *row);
}

void view_measures_end(const view_measures *m, view_buffer *out)
{
    if (!out->failed) {
        memcpy(view_buffer_data(out) + 12, &m->rows, sizeof m->rows);
    }
}

void view_encode_times(const double *times, size_t first, size_t count, uint32_t epoch,
                       view_buffer *out)
{
    put_head(out, 8, 0, 0, epoch);
    put_u32(out, (uint32_t)first);
    put_u32(out, (uint32_t)count);
    view_buffer_put(out, times + first, count * sizeof *times);
}
