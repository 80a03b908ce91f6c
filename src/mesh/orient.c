/* The sign of a determinant of coordinates: in 64-bit arithmetic where its error bound leaves no
 * doubt, otherwise exactly. An exact number is a sum of doubles that do not overlap (an expansion),
 * of which the last is the largest: J. R. Shewchuk, Adaptive precision floating-point arithmetic
 * and fast robust geometric predicates, Discrete and Computational Geometry 18 (1997). */
#include "mesh/orient.h"

#include <math.h>
#include <stddef.h>

/* Room for a product of three differences of two parts each, and for the sum of six of them. */
enum { MOST_PARTS = 256 };

typedef struct expansion {
    size_t count;
    double parts[MOST_PARTS];
} expansion;

/* a + b exactly, as a sum and what rounding lost of it. */
static double two_sum(double a, double b, double *lost)
{
    const double sum = a + b, other = sum - a;
    *lost = (a - (sum - other)) + (b - other);
    return sum;
}

/* Adds one double. Zeros are left out, so that what is written is never ahead of what is read. */
static void grow(expansion *e, double addend)
{
    size_t count = 0;
    double sum = addend, lost;
    for (size_t i = 0; i < e->count; i++) {
        sum = two_sum(sum, e->parts[i], &lost);
        if (lost != 0)
            e->parts[count++] = lost;
    }
    if (sum != 0)
        e->parts[count++] = sum;
    e->count = count;
}

static void subtract(double a, double b, expansion *e)
{
    double lost;
    const double sum = two_sum(a, -b, &lost);
    e->count = 0;
    grow(e, lost);
    grow(e, sum);
}

/* Adds sign * x * y. */
static void add_product(expansion *e, const expansion *x, const expansion *y, double sign)
{
    for (size_t i = 0; i < x->count; i++)
        for (size_t j = 0; j < y->count; j++) {
            const double product = x->parts[i] * y->parts[j];
            const double lost = fma(x->parts[i], y->parts[j], -product);
            grow(e, sign * lost);
            grow(e, sign * product);
        }
}

static double exact(const double a[3], const double b[3], const double c[3], const double d[3])
{
    expansion rows[3][3], minor, det;
    det.count = 0;
    for (int k = 0; k < 3; k++) {
        subtract(a[k], d[k], &rows[0][k]);
        subtract(b[k], d[k], &rows[1][k]);
        subtract(c[k], d[k], &rows[2][k]);
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        minor.count = 0;
        add_product(&minor, &rows[1][i], &rows[2][j], 1);
        add_product(&minor, &rows[1][j], &rows[2][i], -1);
        add_product(&det, &rows[0][k], &minor, -1); /* d is seen from the other side */
    }
    double sum = 0;
    for (size_t i = 0; i < det.count; i++)
        sum += det.parts[i]; /* the last part has the sign */
    return sum;
}

double tl_orient(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = a[k] - d[k];
        v[k] = b[k] - d[k];
        w[k] = c[k] - d[k];
    }
    double det = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double p = v[i] * w[j], q = v[j] * w[i];
        det -= u[k] * (p - q);
        size += fabs(u[k]) * (fabs(p) + fabs(q));
    }
    /* Shewchuk's bound for the first stage is (7 + 56 e) e with e = 2^-53. */
    return fabs(det) > 8e-16 * size ? det : exact(a, b, c, d);
}
