/* Joints in a snapshot: what they were added as and what is kept of them. Everything is in units of
 * eight bytes. Reading goes through the checks of scenes, so that nothing is trusted. snapshot.c
 * calls. */
#include "world/image.h"
#include "world/stream.h"

#include <math.h>
#include <string.h>

enum { AXES = TL_JOINT_AXES, LONGEST = 1 << 20 };

/* --- one order for both directions ----------------------------------------------------------- */

enum { OWN = 12, WORDS = OWN + 2 * AXES + TLK_JOINT_ROWS, NUMBERS = 24 + 37 + 12 + 12 * AXES };

_Static_assert(TLK_JOINT_ROWS == 8 && TLK_JOINT_BODIES == 4, "numbers of a joint");

/* The whole numbers of a joint. */
static void words_of(const tl_joint_entry *e, uint64_t *x)
{
    const tl_joint_def *d = &e->rec.def;
    uint64_t locked = 0;
    for (int k = 0; k < AXES; k++)
        locked |= (uint64_t)d->locked[k] << k;
    const uint64_t words[OWN] = {e->id,
                                 e->excludes,
                                 d->kind,
                                 d->a.index,
                                 d->b.index,
                                 d->rope,
                                 d->collide,
                                 locked,
                                 d->coupled[0].index,
                                 d->coupled[1].index,
                                 e->memory.broken,
                                 e->memory.begun};
    memcpy(x, words, sizeof words);
    for (int k = 0; k < AXES; k++) {
        x[OWN + k] = d->axes[k].drive;
        x[OWN + AXES + k] = d->axes[k].target.kind;
    }
    for (uint32_t k = 0; k < TLK_JOINT_ROWS; k++)
        x[OWN + 2 * AXES + k] = e->memory.held[k];
}

/* Where its other numbers are; how many. */
static size_t numbers_of(tl_joint_entry *e, double *x[NUMBERS])
{
    tl_joint_def *d = &e->rec.def;
    const struct {
        double *from;
        size_t count;
    } parts[] = {{d->position_a, 3},
                 {d->orientation_a, 4},
                 {d->position_b, 3},
                 {d->orientation_b, 4},
                 {&d->length, 1},
                 {&d->ratio, 1},
                 {d->anchors[0], 6},
                 {&d->break_force, 1},
                 {&d->break_torque, 1},
                 {e->zero, TLK_JOINT_ROWS},
                 {e->memory.force[0], 3 * (size_t)TLK_JOINT_BODIES},
                 {e->memory.change[0], 12},
                 {e->memory.angle, 2},
                 {e->memory.reaction, 6},
                 {e->memory.motor, 6},
                 {&e->memory.spring, 1},
                 {&e->memory.gained, 1},
                 {&e->memory.owed, 1}};
    size_t n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t k = 0; k < parts[i].count; k++)
            x[n++] = parts[i].from + k;
    for (int k = 0; k < AXES; k++) {
        tl_axis_def *a = &d->axes[k];
        double *own[] = {&a->lower,
                         &a->upper,
                         &a->restitution,
                         &a->friction,
                         &a->stiffness,
                         &a->damping,
                         &a->rest,
                         &a->limit,
                         &a->target.value,
                         &a->target.amplitude,
                         &a->target.frequency,
                         &a->target.phase};
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            x[n++] = own[i];
    }
    return n;
}

/* Two tables of the same length, which begin at a multiple of eight bytes. */
static void tables(tl_stream *s, size_t *length, const double **one, const double **two)
{
    uint64_t count = *length;
    tl_stream_bytes(s, &count, sizeof count);
    *one = tl_stream_in_place(s, *one, count, sizeof(double));
    *two = tl_stream_in_place(s, *two, count, sizeof(double));
    *length = (size_t)count;
}

/* With the zero at its end, and more of them up to eight bytes. */
static void text(tl_stream *s, const char **data)
{
    static const char zeros[8] = {0};
    uint64_t length = *data ? strlen(*data) + 1 : 0;
    tl_stream_bytes(s, &length, sizeof length);
    *data = tl_stream_in_place(s, *data, length, 1);
    tl_stream_in_place(s, zeros, (8 - length % 8) % 8, 1);
    if (*data && (length > LONGEST || memchr(*data, 0, (size_t)length) != *data + length - 1))
        s->status = tl_damaged("a text of a joint is none");
}

/* The words back into an entry; false where one is out of range. */
static bool take_words(const uint64_t *x, tl_joint_entry *e)
{
    tl_joint_def *d = &e->rec.def;
    for (int i = 0; i < WORDS; i++)
        if (x[i] > UINT32_MAX)
            return false;
    bool sound = x[1] <= 1 && x[5] <= 1 && x[6] <= 1 && x[7] < 64 && x[10] <= 1 && x[11] <= 1;
    e->id = (uint32_t)x[0];
    e->excludes = (uint32_t)x[1];
    d->kind = (tl_joint_kind)x[2];
    d->a = (tl_body){(uint32_t)x[3], x[3] != 0};
    d->b = (tl_body){(uint32_t)x[4], x[4] != 0};
    d->rope = x[5] != 0;
    d->collide = x[6] != 0;
    d->coupled[0].index = (uint32_t)x[8];
    d->coupled[1].index = (uint32_t)x[9];
    e->memory.broken = (uint32_t)x[10];
    e->memory.begun = (uint32_t)x[11];
    for (int k = 0; k < AXES; k++) {
        d->locked[k] = x[7] >> k & 1;
        d->axes[k].drive = (tl_drive)x[OWN + k];
        d->axes[k].target.kind = (tl_function_kind)x[OWN + AXES + k];
    }
    for (uint32_t k = 0; k < TLK_JOINT_ROWS; k++) {
        e->memory.held[k] = (uint32_t)x[OWN + 2 * AXES + k];
        sound = sound && e->memory.held[k] <= TLK_BREAK_MOTOR;
    }
    return sound;
}

/* Whether what is kept of a joint can be; definitions have their own checks. */
static bool sound_memory(const tl_joint_entry *e)
{
    const tlk_joint_memory *m = &e->memory;
    double sum = m->angle[0] + m->angle[1] + m->spring + m->gained + m->owed;
    for (int k = 0; k < 6; k++)
        sum += m->reaction[k] + m->motor[k];
    for (uint32_t k = 0; k < 3 * TLK_JOINT_BODIES; k++)
        sum += m->force[k / 3][k % 3] + m->change[k / 6][k % 6];
    for (uint32_t k = 0; k < TLK_JOINT_ROWS; k++)
        sum += e->zero[k];
    return isfinite(sum) && m->gained >= 0 && fabs(m->angle[0]) < TLK_FAR &&
           fabs(m->angle[1]) < TLK_FAR;
}

/* One joint; what it points to stays where it is. */
static void joint(tl_stream *s, tl_joint_entry *e)
{
    uint64_t words[WORDS] = {0};
    double *x[NUMBERS];
    words_of(e, words);
    tl_stream_bytes(s, words, sizeof words);
    if (s->status == TL_OK && !take_words(words, e))
        s->status = tl_damaged("a joint has a number that is out of range");
    const size_t count = numbers_of(e, x);
    for (size_t i = 0; i < count; i++)
        tl_stream_number(s, x[i]);
    for (int k = 0; k < AXES; k++) {
        tl_axis_def *a = &e->rec.def.axes[k];
        tables(s, &a->spring_length, &a->spring_values, &a->spring_forces);
        tables(s, &a->target.table_length, &a->target.times, &a->target.values);
        text(s, &a->target.expression);
    }
}

tl_status tl_joints_save(tl_world *w, tl_array *out)
{
    tl_mechanism *m = &w->mechanism;
    tl_stream s = {.out = out};
    uint64_t counts[2] = {m->given, m->joints.count};
    double numbers[2] = {m->corrected, m->work};
    TL_TRY(tl_joints_fetch(w));
    tl_stream_bytes(&s, counts, sizeof counts);
    tl_stream_bytes(&s, numbers, sizeof numbers);
    for (size_t i = 0; i < m->joints.count; i++) {
        tl_joint_entry entry = ((tl_joint_entry *)m->joints.data)[i];
        joint(&s, &entry);
    }
    return s.status;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Checks the definition of an entry, which points into the bytes, and makes it the entry's own. */
static tl_status own(tl_world *w, tl_joint_entry *e)
{
    const tl_joint_def given = e->rec.def;
    const uint32_t a = given.a.index, b = given.b.index;
    tl_joint_rec made;
    TL_TRY(tl_damaged_by_rule(tl_world_check_joint(w, &given, &made)));
    /* norms are those of rounding: the numbers stay as they were */
    memcpy(made.def.orientation_a, given.orientation_a, sizeof given.orientation_a);
    memcpy(made.def.orientation_b, given.orientation_b, sizeof given.orientation_b);
    e->rec = made;
    if (!e->excludes || (a && b && tl_exclusions_have(&w->exclusions, tl_exclusion(a, b))))
        return TL_OK;
    tl_joint_rec_free(&e->rec);
    return tl_damaged("a joint says that its bodies do not collide, but they do");
}

tl_status tl_joints_load(tl_world *w, const void *bytes, size_t count)
{
    tl_mechanism *m = &w->mechanism;
    tl_stream s = {.in = bytes, .left = count};
    uint64_t counts[2] = {0};
    double numbers[2] = {0};
    uint32_t last = 0;
    tl_stream_bytes(&s, counts, sizeof counts);
    tl_stream_bytes(&s, numbers, sizeof numbers);
    TL_TRY(s.status);
    if (counts[0] > UINT32_MAX - 1 || counts[1] > counts[0])
        return tl_damaged("it has more joints than were added");
    if (!isfinite(numbers[0]) || !isfinite(numbers[1]))
        return tl_damaged("what it says of joints is not finite");
    m->given = (uint32_t)counts[0];
    m->corrected = numbers[0];
    m->work = numbers[1];
    m->stale = counts[1] > 0;
    for (uint64_t i = 0; i < counts[1]; i++) {
        tl_joint_entry entry = {.place = TLK_NONE, .measured = 1};
        joint(&s, &entry);
        TL_TRY(s.status);
        if (!sound_memory(&entry))
            return tl_damaged("what is kept of a joint is not finite");
        if (entry.id <= last || entry.id > m->given)
            return tl_damaged("its joints are not in the order of their handles");
        last = entry.id;
        TL_TRY(own(w, &entry));
        m->parting = m->parting || (entry.memory.broken && entry.excludes);
        const tl_status status = tl_array_append(&m->joints, &entry, 1);
        if (status != TL_OK) {
            tl_joint_rec_free(&entry.rec);
            return status;
        }
    }
    if (s.left)
        return tl_damaged("it has bytes behind its joints");
    return TL_OK;
}
