/* Planar structures of balls that stand by friction, and the least friction at which forces exist
 * that hold them: a linear programme over the forces of the contacts, which shares no code with the
 * solvers. Everything is in the plane y = 0: places are (x, z). */
#ifndef TALUS_TESTS_STRUCTURES_H
#define TALUS_TESTS_STRUCTURES_H

#include "support.h"

#define MOST_BALLS    250
#define MOST_PLATES   4
#define MOST_CONTACTS (4 * MOST_BALLS)
#define UNIT          0.05 /* m, the radius of an ordinary ball */
#define CLEAR         0.05 /* of it: balls of a heap that do not touch are so far apart */

typedef struct structure {
    int balls, plates;
    double x[MOST_BALLS][2], r[MOST_BALLS];
    double weight[MOST_BALLS];    /* in those of an ordinary ball */
    double plate[MOST_PLATES][4]; /* a point and the normal, of length 1; balls are above */
} structure;

/* A contact: ball a, ball b or -1, and the normal from a to b. */
typedef struct touch {
    int a, b;
    double n[2];
} touch;

static inline void add_ball(structure *s, double x, double z, double r)
{
    assert_true(s->balls < MOST_BALLS);
    s->x[s->balls][0] = x;
    s->x[s->balls][1] = z;
    s->weight[s->balls] = pow(r / UNIT, 3);
    s->r[s->balls++] = r;
}

/* A half-space below a line through a point; its normal is at `angle` to the vertical. */
static inline void add_plate(structure *s, double x, double z, double angle)
{
    assert_true(s->plates < MOST_PLATES);
    const double plate[4] = {x, z, sin(angle), cos(angle)};
    memcpy(s->plate[s->plates++], plate, sizeof plate);
}

static inline double plate_gap(const structure *s, int plate, const double *x, double r)
{
    const double *p = s->plate[plate];
    return (x[0] - p[0]) * p[2] + (x[1] - p[1]) * p[3] - r;
}

static inline double ball_gap(const structure *s, int ball, const double *x, double r)
{
    return hypot(x[0] - s->x[ball][0], x[1] - s->x[ball][1]) - r - s->r[ball];
}

static inline int touches_of(const structure *s, touch *out)
{
    const double near = 1e-9 * UNIT;
    int count = 0;
    for (int i = 0; i < s->balls; i++) {
        for (int p = 0; p < s->plates; p++)
            if (plate_gap(s, p, s->x[i], s->r[i]) < near)
                out[count++] = (touch){i, -1, {-s->plate[p][2], -s->plate[p][3]}};
        for (int j = 0; j < i; j++)
            if (ball_gap(s, j, s->x[i], s->r[i]) < near) {
                const double d = hypot(s->x[j][0] - s->x[i][0], s->x[j][1] - s->x[i][1]);
                out[count++] =
                    (touch){i, j, {(s->x[j][0] - s->x[i][0]) / d, (s->x[j][1] - s->x[i][1]) / d}};
            }
    }
    assert_true(count <= MOST_CONTACTS);
    return count;
}

/* ---- The linear programme ---- */

/* A dense tableau: rows of equations, columns of unknowns that are >= 0, the right-hand side last;
 * in the last row the sum of what is not yet met. */
typedef struct tableau {
    int rows, columns;
    double *at;
} tableau;

static inline double *cell(const tableau *t, int row, int column)
{
    return t->at + (size_t)row * (size_t)(t->columns + 1) + column;
}

static inline void pivot(const tableau *t, int row, int column)
{
    const double scale = 1 / *cell(t, row, column);
    for (int c = 0; c <= t->columns; c++)
        *cell(t, row, c) *= scale;
    for (int r = 0; r <= t->rows; r++) {
        const double part = *cell(t, r, column);
        if (r == row || part == 0)
            continue;
        for (int c = 0; c <= t->columns; c++)
            *cell(t, r, c) -= part * *cell(t, row, c);
    }
}

/* Phase one of the simplex method: what cannot be met of A f = b, f >= 0. The right-hand side was
 * disturbed a little, so that no two rows tie and the method cannot go in circles. */
static inline double unmet(const tableau *t)
{
    for (int tries = 0; tries < 50 * t->rows; tries++) {
        int column = -1, row = -1;
        double most = 1e-9, least = INFINITY;
        for (int c = 0; c < t->columns; c++)
            if (*cell(t, t->rows, c) > most) {
                most = *cell(t, t->rows, c);
                column = c;
            }
        if (column < 0)
            break;
        for (int r = 0; r < t->rows; r++) {
            const double a = *cell(t, r, column), ratio = *cell(t, r, t->columns) / a;
            if (a > 1e-9 && ratio < least) {
                least = ratio;
                row = r;
            }
        }
        if (row < 0)
            break;
        pivot(t, row, column);
    }
    return *cell(t, t->rows, t->columns);
}

/* Adds force f at a contact, acting on ball i whose centre is `anchor` times n away. */
static inline void add_force(const tableau *t, int column, int i, double anchor, const double *n,
                             const double *f)
{
    *cell(t, 3 * i, column) += f[0];
    *cell(t, 3 * i + 1, column) += f[1];
    *cell(t, 3 * i + 2, column) += anchor * (n[0] * f[1] - n[1] * f[0]) / UNIT;
}

/* Whether there are forces within the friction cones, whose two edges are the unknowns, that carry
 * the weights and turn no ball. */
static inline bool can_stand(const structure *s, const touch *touches, int count, double mu)
{
    tableau t = {.rows = 3 * s->balls, .columns = 2 * count};
    dice d = {7};
    t.at = calloc((size_t)(t.rows + 1) * (size_t)(t.columns + 1), sizeof(double));
    assert_non_null(t.at);
    double weight = 0;
    for (int i = 0; i < s->balls; i++) {
        *cell(&t, 3 * i + 1, t.columns) = s->weight[i];
        weight += s->weight[i];
    }
    for (int c = 0; c < 2 * count; c++) {
        const touch *at = &touches[c / 2];
        const double m = c % 2 ? mu : -mu, *n = at->n;
        const double f[2] = {n[0] - m * n[1], n[1] + m * n[0]}, back[2] = {-f[0], -f[1]};
        add_force(&t, c, at->a, s->r[at->a], n, back);
        if (at->b >= 0)
            add_force(&t, c, at->b, -s->r[at->b], n, f);
    }
    for (int r = 0; r < t.rows; r++) {
        *cell(&t, r, t.columns) += roll(&d, 0, 1e-7);
        for (int c = 0; c <= t.columns; c++)
            *cell(&t, t.rows, c) += *cell(&t, r, c);
    }
    const double left = unmet(&t);
    free(t.at);
    return left < 1e-5 * weight;
}

/* The least friction at which the structure can stand, by bisection; INFINITY above `most`. */
static inline double least_friction(const structure *s, double most)
{
    touch touches[MOST_CONTACTS];
    const int count = touches_of(s, touches);
    double low = 0, high = most;
    if (!can_stand(s, touches, count, most))
        return INFINITY;
    if (can_stand(s, touches, count, 0))
        return 0;
    while (high - low > 1e-4 * high) {
        const double middle = 0.5 * (low + high);
        *(can_stand(s, touches, count, middle) ? &high : &low) = middle;
    }
    return high;
}

/* ---- Structures ---- */

/* Tilts the ground, and all that is on it. */
static inline void tilt_all(structure *s, double tilt)
{
    for (int i = 0; i < s->balls; i++) {
        const double a = s->x[i][0], b = s->x[i][1];
        s->x[i][0] = a * cos(tilt) + b * sin(tilt);
        s->x[i][1] = b * cos(tilt) - a * sin(tilt);
    }
    s->plates = 0;
    add_plate(s, 0, 0, tilt);
}

/* Rows of balls like oranges: `high` in the lowest, one less in each of those above. */
static inline structure pyramid(int high, double tilt)
{
    structure s = {0};
    add_plate(&s, 0, 0, 0);
    for (int k = 0; k < high; k++)
        for (int i = 0; i < high - k; i++)
            add_ball(&s, UNIT * (2 * i + k + 1 - high), UNIT * (1 + sqrt(3) * k), UNIT);
    tilt_all(&s, tilt);
    return s;
}

/* One ball between two plates that come closer to each other upwards, each by `angle`. */
static inline structure wedge(double angle)
{
    structure s = {0};
    add_ball(&s, 0, 0, UNIT);
    add_plate(&s, -UNIT * cos(angle), UNIT * sin(angle), PI / 2 + angle);
    add_plate(&s, UNIT * cos(angle), UNIT * sin(angle), -PI / 2 - angle);
    return s;
}

/* Two balls that lean on each other, each on a plate that slopes towards the other by `angle`; the
 * line between their centres rises by `rise`. */
static inline structure arch(double angle, double rise)
{
    structure s = {0};
    add_ball(&s, -UNIT * cos(rise), -UNIT * sin(rise), UNIT);
    add_ball(&s, UNIT * cos(rise), UNIT * sin(rise), UNIT);
    for (int p = 0; p < 2; p++) {
        const double side = p ? -angle : angle;
        add_plate(&s, s.x[p][0] - UNIT * sin(side), s.x[p][1] - UNIT * cos(side), side);
    }
    return s;
}

/* The lowest rows of a pyramid with a gate: `open` balls of the first row are missing. */
static inline structure gate(int wide, int high, int open)
{
    const structure all = pyramid(wide, 0);
    structure s = {.plates = 1};
    memcpy(s.plate, all.plate, sizeof s.plate);
    for (int i = 0, k = 0, at = 0; k < high; i++) {
        if (k > 0 || at < (wide - open) / 2 || at >= (wide - open) / 2 + open)
            add_ball(&s, all.x[i][0], all.x[i][1], UNIT);
        if (++at == wide - k) {
            at = 0;
            k++;
        }
    }
    return s;
}

/* Rows of `wide` balls, each further to the right, that lean on a plate as steep as their edge. */
static inline structure leaning(int wide, int high)
{
    structure s = {0};
    add_plate(&s, 0, 0, 0);
    for (int k = 0; k < high; k++)
        for (int i = 0; i < wide; i++)
            add_ball(&s, UNIT * (2 * i + k), UNIT * (1 + sqrt(3) * k), UNIT);
    const double last = UNIT * 2 * (wide - 1), up = PI / 3;
    add_plate(&s, last + UNIT * sin(up), UNIT * (1 - cos(up)), -up);
    return s;
}

/* Where a ball of radius r touches balls i and j from above; false where it cannot. */
static inline bool on_two(const structure *s, int i, int j, double r, double *x)
{
    const double a = r + s->r[i], b = r + s->r[j];
    const double d[2] = {s->x[j][0] - s->x[i][0], s->x[j][1] - s->x[i][1]};
    const double length = hypot(d[0], d[1]), along = (a * a - b * b + length * length) / 2 / length;
    const double square = a * a - along * along;
    if (square <= 0 || d[0] <= 0)
        return false;
    const double up = sqrt(square);
    x[0] = s->x[i][0] + (along * d[0] - up * d[1]) / length;
    x[1] = s->x[i][1] + (along * d[1] + up * d[0]) / length;
    /* it must lie between the two contacts */
    return x[0] > s->x[i][0] && x[0] < s->x[j][0];
}

/* Balls of random sizes: some beside each other on the ground, then one by one where a ball can lie
 * on two, anywhere. */
static inline structure heap(uint64_t seed)
{
    structure s = {0};
    dice d = {seed};
    const int ground = 3 + (int)roll(&d, 0, 5), all = ground + 3 + (int)roll(&d, 0, 3 * ground);
    const double tilt = roll(&d, -0.1, 0.1);
    add_plate(&s, 0, 0, 0);
    double x = 0, last = 0;
    for (int i = 0; i < ground; i++) {
        const double r = UNIT * roll(&d, 0.7, 1.3);
        if (i) /* touching the last, or with a gap */
            x += 2 * sqrt(last * r) + (roll(&d, 0, 1) < 0.5 ? 0 : UNIT * roll(&d, CLEAR, 0.4));
        add_ball(&s, x, r, r);
        last = r;
    }
    for (int tries = 0; tries < 2000 && s.balls < all; tries++) {
        const double r = UNIT * roll(&d, 0.7, 1.3);
        const int i = (int)roll(&d, 0, s.balls), j = (int)roll(&d, 0, s.balls);
        double at[2];
        bool fits = i != j && on_two(&s, i, j, r, at);
        for (int k = 0; k < s.balls && fits; k++)
            fits = k == i || k == j || ball_gap(&s, k, at, r) > CLEAR * UNIT;
        if (fits && plate_gap(&s, 0, at, r) > CLEAR * UNIT)
            add_ball(&s, at[0], at[1], r);
    }
    tilt_all(&s, tilt);
    return s;
}

/* ---- The world ---- */

/* A scene with the structure at rest; `bodies` has room for all balls. */
static inline tl_scene *scene_of(const structure *s, const tl_settings *settings, double mu,
                                 tl_body *bodies)
{
    tl_scene *scene = scene_with(settings);
    const tl_material rough = add_material(scene, mu, 0);
    for (int p = 0; p < s->plates; p++) {
        double q[4];
        turn((double[3]){0, 1, 0}, atan2(s->plate[p][2], s->plate[p][3]), q);
        add_fixed(scene, tl_plane_default(), rough, (double[3]){s->plate[p][0], 0, s->plate[p][1]},
                  q);
    }
    for (int i = 0; i < s->balls; i++)
        bodies[i] = add_sphere(scene, rough, s->r[i], s->weight[i],
                               (double[3]){s->x[i][0], 0, s->x[i][1]}, (double[3]){0, 0, 0});
    return scene;
}

/* How far the ball that moved most is from where it was, in radii. */
static inline double way(const structure *s, const tl_world *world, const tl_body *bodies)
{
    double most = 0;
    for (int i = 0; i < s->balls; i++) {
        double x[3];
        position_of(world, bodies[i], x);
        const double moved = distance3(x, (double[3]){s->x[i][0], 0, s->x[i][1]}) / s->r[i];
        most = fmax(most, isfinite(moved) ? moved : INFINITY);
    }
    return most;
}

/* How far it has moved, in radii, after one second with the default solver. */
static inline double moved(const structure *s, double mu, tl_precision precision)
{
    tl_settings settings = tl_settings_default();
    tl_body bodies[MOST_BALLS];
    settings.threads = 1;
    settings.precision = precision;
    tl_world *world = world_of(scene_of(s, &settings, mu, bodies));
    step(world, (uint32_t)lround(1 / settings.step));
    const double most = way(s, world, bodies);
    tl_world_destroy(world);
    return most;
}

/* It stands where friction is above the least that the linear programme asks for, by this part of
 * it, and falls where it is as much below. False where that least is 0 or very large, and nothing
 * was tested. */
static inline bool stands_within(double margin, const structure *s, tl_precision precision,
                                 const char *name, int number)
{
    const double mu = least_friction(s, 3);
    if (mu == 0 || isinf(mu))
        return false;
    context("%s %d: %d balls, least friction %.4f, %s", name, number, s->balls, mu,
            precision == TL_DOUBLE ? "double" : "mixed");
    char what[2][128];
    for (int i = 0; i < 2; i++)
        if (strcmp(name, "heap") == 0)
            snprintf(what[i], sizeof what[i], "heaps at random, friction %.2f times the least",
                     i ? 1 - margin : 1 + margin);
        else
            snprintf(what[i], sizeof what[i], "%s of %d balls, friction %.2f times the least, %.4f",
                     name, s->balls, i ? 1 - margin : 1 + margin, mu);
    const claim stands = {what[0], "linear programme: it stands", "largest way of a ball, radii",
                          "default settings, after 1 s"};
    const claim falls = {what[1], "linear programme: it falls", "1 where a ball moved by 1 %",
                         "default settings, after 1 s"};
    const char *how = precision == TL_DOUBLE ? "psor coulomb, split, double" //
                                             : "psor coulomb, split, mixed";
    assert_found(&stands, how, moved(s, (1 + margin) * mu, precision), 0, 0.01);
    assert_found(&falls, how, moved(s, (1 - margin) * mu, precision) > 0.01, 1, 0);
    return true;
}

static inline bool stands_from_there_on(const structure *s, tl_precision precision,
                                        const char *name, int number)
{
    return stands_within(0.05, s, precision, name, number);
}

#endif
