/* Two boxes: all 15 directions that can separate them, from the products of their axes (Gottschalk,
 * Lin and Manocha 1996). */
#ifndef TL_KERNELS_NARROW_BOX_BOX_H
#define TL_KERNELS_NARROW_BOX_BOX_H

#include "kernels/narrow/axes.h"

/* The direction of the greatest separation of the cores, its sign such that it points from a to b;
 * stops where that exceeds `far`. A later one counts only if it is better by `slack`. */
TL_RARE void tlk_try_boxes(const tlk_convex *a, const tlk_convex *b, double far, double slack,
                           tlk_axis *best)
{
    double c[3][3], g[3][3], d[3], at_a[3], at_b[3];
    for (int k = 0; k < 3; k++)
        d[k] = b->origin[k] - a->origin[k];
    best->s = -INFINITY;
    for (int i = 0; i < 3; i++) {
        at_a[i] = tlk_dotd(d, a->axis + 3 * i);
        at_b[i] = tlk_dotd(d, b->axis + 3 * i);
        for (int j = 0; j < 3; j++) {
            c[i][j] = tlk_dotd(a->axis + 3 * i, b->axis + 3 * j);
            g[i][j] = fabs(c[i][j]);
        }
    }
    int way = -1; /* 0 to 2: faces of a; 3 to 5: of b; then 6 + 3 i + j: across axes i and j */
    for (int i = 0; i < 6; i++) {
        const int k = i < 3 ? i : i - 3;
        const double s =
            i < 3 ? fabs(at_a[k]) - a->size[k] -
                        (b->size[0] * g[k][0] + b->size[1] * g[k][1] + b->size[2] * g[k][2])
                  : fabs(at_b[k]) - b->size[k] -
                        (a->size[0] * g[0][k] + a->size[1] * g[1][k] + a->size[2] * g[2][k]);
        if (s > best->s + slack)
            best->s = s, way = i;
        if (s > far)
            return;
    }
    const bool low = way < 3 ? at_a[way] < 0 : at_b[way - 3] < 0;
    const double *axis = way < 3 ? a->axis + 3 * way : b->axis + 3 * (way - 3);
    for (int k = 0; k < 3; k++)
        best->n[k] = low ? -axis[k] : axis[k];
    for (int i = 0; i < 3; i++) {
        const int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1;
        for (int j = 0; j < 3; j++) {
            const int j1 = j == 2 ? 0 : j + 1, j2 = j == 0 ? 2 : j - 1;
            const double square = 1 - c[i][j] * c[i][j];
            const double along = at_a[i2] * c[i1][j] - at_a[i1] * c[i2][j];
            const double reach = a->size[i1] * g[i2][j] + a->size[i2] * g[i1][j] +
                                 b->size[j1] * g[i][j2] + b->size[j2] * g[i][j1];
            const double s = fabs(along) - reach, more = best->s + slack;
            /* s / sqrt(square) > more, and where that is not sure, for the axis itself */
            if (square > 1e-6) {
                if (s < 0 ? more >= 0 || s * s >= more * more * square
                          : more >= 0 && s * s <= more * more * square)
                    continue;
            }
            double n[3];
            tlk_crossd(a->axis + 3 * i, b->axis + 3 * j, n);
            if (!(tlk_unit(n) > 1e-10))
                continue;
            for (int k = 0; k < 3 && along < 0; k++)
                n[k] = -n[k];
            tlk_try_axis(a, b, n, slack, best);
            if (best->s > far)
                return;
        }
    }
}

#endif
