/* Shapes as the narrow phase wants them. Called where bodies become rows of a world, and where
 * spheres are placed beside them. */
#include "scene/scene.h"

#include <math.h>
#include <string.h>

static void rotate(const double *q, const double *v, double *out)
{
    const double t[3] = {2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]),
                         2 * (q[1] * v[1] - q[2] * v[0])};
    out[0] = v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    out[1] = v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    out[2] = v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

void tl_shape_patch(const tl_shape_rec *s, double *patch, double *geom)
{
    const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memset(patch, 0, TL_PATCH * sizeof *patch);
    memcpy(patch, s->position, sizeof s->position);
    memcpy(geom, s->position, sizeof s->position);
    geom[3] = s->radius;
    if (s->kind == TL_PARALLELOGRAM) {
        double *u = patch + 3, *v = patch + 6, *n = patch + 9, diagonal[2] = {0, 0}, length;
        rotate(s->orientation, s->edge_u, u);
        rotate(s->orientation, s->edge_v, v);
        n[0] = u[1] * v[2] - u[2] * v[1];
        n[1] = u[2] * v[0] - u[0] * v[2];
        n[2] = u[0] * v[1] - u[1] * v[0];
        length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) {
            n[k] /= length;
            geom[k] += 0.5 * (u[k] + v[k]);
            diagonal[0] += (u[k] + v[k]) * (u[k] + v[k]);
            diagonal[1] += (u[k] - v[k]) * (u[k] - v[k]);
        }
        geom[3] = 0.5 * sqrt(fmax(diagonal[0], diagonal[1]));
        return;
    }
    for (int k = 0; k < 3; k++)
        rotate(s->orientation, axes[k], patch + 3 + 3 * k);
    if (s->kind == TL_BOX) {
        const double *half = s->half_extents;
        memcpy(patch + 12, half, sizeof s->half_extents);
        geom[3] = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    } else if (s->kind == TL_PLANE) {
        geom[3] = 0;
    }
}
