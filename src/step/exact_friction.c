/* The directions of a row's friction. Where that of a surface depends on the direction, by an
 * ellipsoid in its body's frame, the tangent plane cuts an ellipse of it. The tangents are the main
 * axes of this ellipse and as long as its semi-axes: counted along them the friction of the ellipse
 * is that of the disc, or of its polygon, and still dissipates the most that it can. */
#include "base/turn.h"
#include "step/exact_rows.h"

#include <math.h>
#include <string.h>

/* A symmetric matrix over two tangents: xx, xy, yy. */
typedef struct form {
    double xx, xy, yy;
} form;

/* Its eigenvalues; c and s are the direction of the first. */
typedef struct eigen {
    double first, second, c, s;
} eigen;

static eigen eigen_of(form m)
{
    const double angle = 0.5 * atan2(2 * m.xy, m.xx - m.yy), c = cos(angle), s = sin(angle);
    return (eigen){c * c * m.xx + 2 * c * s * m.xy + s * s * m.yy,
                   s * s * m.xx - 2 * c * s * m.xy + c * c * m.yy, c, s};
}

/* The logarithm of the form that is 1 on the ellipse of a surface; 0 where friction is even. */
static form ellipse_of(const tl_solving *s, uint32_t body, uint32_t shape, const double t[3],
                       const double u[3])
{
    const tl_exact *e = s->exact;
    const uint32_t material = ((const uint32_t *)e->info.data)[shape] >> TLK_SHAPE_MATERIAL;
    const double *factor = (const double *)s->world->ellipsoids.data + 3 * (size_t)material;
    const tl_origin *origin =
        tl_origin_of(&s->world->origins, ((const uint32_t *)e->id.data)[body]);
    form m = {0, 0, 0};
    double q[4];
    if (factor[0] == 1 && factor[1] == 1 && factor[2] == 1)
        return m;
    memcpy(q, (const double *)e->quat.data + 4 * (size_t)body, sizeof q);
    if (origin)
        tl_turn_join((const double *)e->quat.data + 4 * (size_t)body, origin->turn, q);
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2}, by = 1 / (factor[k] * factor[k]);
        double axis[3];
        tl_turn_apply(q, unit, axis);
        const double x = tl_dot(axis, t), y = tl_dot(axis, u);
        m.xx += by * x * x;
        m.xy += by * x * y;
        m.yy += by * y * y;
    }
    if (s->law->planar)
        return (form){log(m.xx), 0, 0};
    const eigen v = eigen_of(m);
    const double a = log(v.first), b = log(v.second);
    return (form){v.c * v.c * a + v.s * v.s * b, v.c * v.s * (a - b),
                  v.s * v.s * a + v.c * v.c * b};
}

static void unit_tangents(const double n[3], bool planar, double t[3], double u[3])
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    if (fabs(n[2]) < fabs(n[least]))
        least = 2;
    tl_cross(planar ? axes[1] : axes[least], n, t);
    const double length = sqrt(tl_dot(t, t));
    for (int k = 0; k < 3; k++)
        t[k] /= length;
    tl_cross(n, t, u);
}

/* Logarithms of two surfaces add: where their axes agree, factors multiply. */
void tl_exact_tangents(const tl_solving *s, const tl_group *g, const double n[3], double t[3],
                       double u[3])
{
    unit_tangents(n, s->law->planar, t, u);
    if (!s->world->uneven)
        return;
    const form a = ellipse_of(s, g->body_a, g->a, t, u), b = ellipse_of(s, g->body_b, g->b, t, u);
    const form sum = {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
    if (sum.xx == 0 && sum.xy == 0 && sum.yy == 0)
        return;
    const eigen v = eigen_of(sum);
    const double first = exp(-0.5 * v.first), second = exp(-0.5 * v.second);
    for (int k = 0; k < 3; k++) {
        const double x = t[k], y = u[k];
        t[k] = first * (v.c * x + v.s * y);
        u[k] = second * (v.c * y - v.s * x);
    }
}
