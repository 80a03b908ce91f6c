/* A net of balls on rods, held at two corners that are as far apart as the edge between them is
 * long. Its upper edge can only stay straight, which no finite force does; so each column falls as
 * a chain of its own that hangs at a fixed point. That chain is integrated here, by Runge and
 * Kutta's method, from its equations: not by Talus. */
#include "joints.h"

enum { EDGE = 10, LINKS = EDGE - 1 };

/* Places and velocities of the balls of a column below the upper edge, in the plane of y and z. */
typedef struct column {
    double x[LINKS][2], v[LINKS][2];
} column;

/* Accelerations: gravity and the forces of rods, which keep (a_i - a_(i-1)) . u_i = -w_i^2. */
static void accelerate(const column *c, double a[LINKS][2])
{
    double u[LINKS + 1][2] = {{0}}, side[LINKS], diagonal[LINKS], beside[LINKS] = {0},
                     force[LINKS + 1] = {0};
    for (int i = 0; i < LINKS; i++) {
        double w[2];
        for (int k = 0; k < 2; k++) {
            u[i][k] = c->x[i][k] - (i ? c->x[i - 1][k] : 0);
            w[k] = c->v[i][k] - (i ? c->v[i - 1][k] : 0);
        }
        /* rods are of length 1, balls of mass 1; the upper ball does not move, nor fall */
        side[i] = w[0] * w[0] + w[1] * w[1] + (i ? 0 : -G * u[0][1]);
        diagonal[i] = i ? 2 : 1;
        if (i)
            beside[i] = -(u[i][0] * u[i - 1][0] + u[i][1] * u[i - 1][1]);
    }
    for (int i = 1; i < LINKS; i++) {
        const double part = beside[i] / diagonal[i - 1];
        diagonal[i] -= part * beside[i];
        side[i] -= part * side[i - 1];
    }
    for (int i = LINKS; i-- > 0;)
        force[i] = (side[i] - (i + 1 < LINKS ? beside[i + 1] * force[i + 1] : 0)) / diagonal[i];
    for (int i = 0; i < LINKS; i++)
        for (int k = 0; k < 2; k++)
            a[i][k] = (k ? -G : 0) - force[i] * u[i][k] + force[i + 1] * u[i + 1][k];
}

static column moved(const column *c, double h, const column *rate)
{
    column out = *c;
    for (int i = 0; i < LINKS; i++)
        for (int k = 0; k < 2; k++) {
            out.x[i][k] += h * rate->x[i][k];
            out.v[i][k] += h * rate->v[i][k];
        }
    return out;
}

static column rate_of(const column *c)
{
    column out;
    memcpy(out.x, c->v, sizeof out.x);
    accelerate(c, out.v);
    return out;
}

static column fall(double time, int steps)
{
    const double h = time / steps;
    column c = {0};
    for (int i = 0; i < LINKS; i++)
        c.x[i][0] = i + 1;
    for (int s = 0; s < steps; s++) {
        const column a = rate_of(&c), at_b = moved(&c, 0.5 * h, &a);
        const column b = rate_of(&at_b), at_c = moved(&c, 0.5 * h, &b);
        const column d = rate_of(&at_c), at_e = moved(&c, h, &d);
        const column e = rate_of(&at_e);
        c = moved(&c, h / 6, &a);
        c = moved(&c, h / 3, &b);
        c = moved(&c, h / 3, &d);
        c = moved(&c, h / 6, &e);
    }
    return c;
}

static double energy_of(const column *c)
{
    double sum = 0;
    for (int i = 0; i < LINKS; i++)
        sum += G * c->x[i][1] + 0.5 * (c->v[i][0] * c->v[i][0] + c->v[i][1] * c->v[i][1]);
    return sum;
}

static void falls(const variant *v)
{
    const double time = 0.5, h = 1.0 / 400;
    tl_settings settings = settings_for(v, h);
    settings.stepper = TL_STEPPER_SMOOTH;
    settings.max_speed = 1e6;
    const column exact = fall(time, 20000), coarse = fall(time, 10000);
    assert_near(coarse.x[LINKS - 1][1], exact.x[LINKS - 1][1], 1e-10); /* it is solved, */
    assert_near(energy_of(&exact), 0, 1e-9);                           /* and keeps its energy */

    tl_world *world = world_of(taut_net_scene(&settings, EDGE));
    double x[EDGE * EDGE][3], first = 0, gain = 0, lost = 0, error = 0, sag = 0, off = 0;
    tl_report r = {0};
    for (int i = 0; i < (int)lround(time / h); i++) {
        r = step_report(world, 1);
        const double energy = r.kinetic_energy + r.potential_energy;
        first = i ? first : energy;
        gain = fmax(gain, energy - first);
        lost = fmax(lost, first - energy);
        error = fmax(error, r.joint_error);
    }
    assert_ok(tl_world_read_positions(world, EDGE * EDGE, NULL, x[0]));
    for (int i = 0; i < EDGE * EDGE; i++) {
        const double *to = i / EDGE ? exact.x[i / EDGE - 1] : (const double[2]){0, 0};
        const double away = hypot(x[i][1] - to[0], x[i][2] - to[1]);
        sag = i < EDGE ? fmax(sag, away) : sag;
        off = i < EDGE ? off : fmax(off, away);
    }
    tl_world_destroy(world);
    static const claim hold = {
        "A net of 10 x 10 balls on rods, its straight edge held at both ends",
        "rods keep their length", "largest joint error, m", "smooth, 2.5 ms"};
    static const claim keep = {
        "A net of 10 x 10 balls on rods, its straight edge held at both ends",
        "energy is conserved", "energy lost or gained, of the kinetic energy",
        "smooth, 2.5 ms, 0.5 s"};
    static const claim as = {"A net of 10 x 10 balls on rods, its straight edge held at both ends",
                             "each column is a chain at a fixed point",
                             "furthest ball from the chain, m", "smooth, 2.5 ms, 0.5 s"};
    assert_found(&hold, v->name, error, 0, 1e-6);
    assert_found(&keep, v->name, fmax(lost, gain) / r.kinetic_energy, 0, 5e-3);
    assert_found(&as, v->name, off, 0, 0.02);
    assert_below(sag, 5e-3);
}

static void net_falls(void **state)
{
    (void)state;
    for_each_precision(falls);
}

/* The edge alone: it hangs between its ends, straight, and stays at rest. */
static void edge_rests(void **state)
{
    (void)state;
    enum { MANY = 12 };
    const variant v = joint_variant();
    tl_settings settings = settings_for(&v, 1.0 / 200);
    tl_scene *scene = scene_with(&settings);
    put before = ground;
    for (int i = 0; i < MANY; i++) {
        const put ball = put_link(scene, 0.1, 0.1, 0.1, 1, i, 0, 0);
        tl_joint_def rod = tl_joint_default(TL_JOINT_DISTANCE);
        rod.a = before.body;
        rod.b = ball.body;
        if (i)
            add_joint(scene, &rod);
        if (!i || i + 1 == MANY)
            join(scene, TL_JOINT_SPHERICAL, ground, ball, i, 0, 0, joint_z);
        before = ball;
    }
    tl_world *world = world_of(scene);
    double kinetic = 0, error = 0, x[MANY][3];
    for (int i = 0; i < 400; i++) {
        const tl_report r = step_report(world, 1);
        kinetic = fmax(kinetic, r.kinetic_energy);
        error = fmax(error, r.joint_error);
    }
    assert_ok(tl_world_read_positions(world, MANY, NULL, x[0]));
    for (int i = 0; i < MANY; i++)
        assert_near(x[i][2], 0, 5e-3);
    assert_below(kinetic, 0.1); /* 0.7 J if it fell as far as rods give way */
    assert_below(error, 1e-6);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(net_falls), cmocka_unit_test(edge_rests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
