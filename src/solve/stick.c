/* Contacts that carry load, solved at once. Sweeps carry news from contact to contact: how fast
 * they straighten a tower falls with the fourth power of its height. Where contacts neither open
 * nor slip the velocity problem is linear, and a factorization solves it whatever the height.
 *
 * With v and gamma as sweeps left them and w = D^T v, which is to be zero, v changes by d such that
 * d^T M d + sum k (w + D^T d)^2 is least: (M + D k D^T) d = -D k w, with impulses -k (w + D^T d).
 * The stiffnesses k are finite, so that any number of contacts may share a load; what they leave is
 * taken away by doing the same again. Kinetic energy never grows: this is a projection. */
#include "solve/system.h"

#include <math.h>
#include <string.h>

#define STIFF  1e10 /* the stiffness, in units of the contact's step length */
#define GOES   3    /* solutions with one factorization */
#define CLOSED 1e-3 /* of what is light: a gap that closes so slowly is none */
#define EDGE   1e-3 /* of the friction: contacts nearer to the edge of their cones slip */

typedef enum state { LEFT, SLIPS, STICKS } state;

/* A contact's stiffness: across the normal too where it sticks. */
static void stiffen(tl_touch *t, state is)
{
    const double kn = is == LEFT ? 0 : STIFF * t->eta[0];
    const double kt = is == STICKS ? STIFF * t->eta[1] : 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            t->k[r][c] = (r == c ? kt : 0) + (kn - kt) * t->n[r] * t->n[c];
}

static void multiply(double k[3][3], const double *x, double *out)
{
    for (int r = 0; r < 3; r++)
        out[r] = tl_dot(k[r], x);
}

/* One solution. Velocities follow from the impulses, so that momentum is kept to rounding. */
static void solve(tl_system *s)
{
    tl_touch *t = s->touches.data;
    double left[3], impulse[3];
    for (size_t i = 0; i < s->touches.count; i++) {
        for (int k = 0; k < 3; k++)
            left[k] = -t[i].w[k];
        multiply(t[i].k, left, t[i].p);
    }
    tl_system_solve(s);
    for (size_t i = 0; i < s->touches.count; i++) {
        for (int k = 0; k < 3; k++)
            left[k] = -(t[i].seen[k] + t[i].w[k]);
        multiply(t[i].k, left, impulse);
        tl_system_push(s, &t[i], impulse);
    }
    tl_system_look(s);
}

/* Whether an impulse is within so much of its cone. */
static bool within(const tl_touch *t, const double *gamma, double part)
{
    const double load = tl_dot(gamma, t->n), most = part * t->mu * load;
    return load >= 0 && tl_dot(gamma, gamma) - load * load <= most * most;
}

/* Which contacts are solved for: those that carry load, and have no gap to close. What carries
 * next to nothing is left to the sweeps, as it opens and closes by itself. */
static state state_of(const tl_touch *t, double light)
{
    if (!(tl_dot(t->start, t->n) > light * t->eta[0]) || !(fabs(t->bias) <= CLOSED * light))
        return LEFT;
    return within(t, t->start, 1 - EDGE) ? STICKS : SLIPS;
}

/* Whether all impulses are within their cones. */
static bool all_within(const tl_system *s, double light)
{
    const tl_touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++) {
        const state is = state_of(&t[i], light);
        if (is != LEFT && !within(&t[i], t[i].gamma, is == SLIPS ? 1 + EDGE : 1))
            return false;
    }
    return true;
}

/* The usual speed of bodies with contacts that were solved for: the square of the mean root. */
static double usual(const tl_system *s, const double *v, double light)
{
    const tl_touch *t = s->touches.data;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < s->touches.count; i++)
        for (int side = 0; side < 2 && state_of(&t[i], light) != LEFT; side++) {
            const uint32_t at = side ? t[i].b : t[i].a;
            if (at == TLK_NONE)
                continue;
            sum += sqrt(sqrt(tl_dot(v + 6 * (size_t)at, v + 6 * (size_t)at)));
            count++;
        }
    return count ? sum / (double)count * (sum / (double)count) : 0;
}

static tl_status run(tl_backend *b, tl_system *s, double light, double most, tl_sticking *out)
{
    bool regular;
    TL_TRY(tl_system_arrange(b, s, most));
    if (s->factors.work > most)
        return TL_OK;
    TL_TRY(tl_system_load(b, s));
    tl_touch *t = s->touches.data;
    for (size_t i = 0; i < s->touches.count; i++) {
        stiffen(&t[i], state_of(&t[i], light));
        memcpy(t[i].gamma, t[i].start, sizeof t[i].gamma);
    }
    out->work = s->factors.work;
    TL_TRY(tl_system_factor(s, &regular));
    if (!regular)
        return TL_OK;
    tl_system_start(s);
    tl_system_look(s);
    for (int go = 0; go < GOES; go++)
        solve(s);
    out->done = all_within(s, light);
    out->before = usual(s, s->start.data, light);
    out->after = usual(s, s->v.data, light);
    return TL_OK;
}

tl_status tl_solve_sticking(tl_backend *b, const tl_problem *problem, double light, double most,
                            tl_sticking *out)
{
    tl_system s = {.view = &problem->view};
    *out = (tl_sticking){.done = false};
    const tl_status status = run(b, &s, light, most, out);
    if (status == TL_OK && out->done)
        tl_system_store(b, &s);
    tl_system_free(&s);
    return status;
}
