/* Shapes as the narrow phase wants them. Called where bodies become rows of a world, and where
 * spheres are placed beside them. */
#include "base/turn.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

void tl_shape_patch(const tl_shape_rec *s, double *patch, double *geom)
{
    const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memset(patch, 0, TL_PATCH * sizeof *patch);
    memcpy(patch, s->position, sizeof s->position);
    memcpy(geom, s->position, sizeof s->position);
    geom[3] = s->radius;
    if (s->kind == TL_PARALLELOGRAM) {
        double *u = patch + 3, *v = patch + 6, *n = patch + 9, diagonal[2] = {0, 0}, length;
        tl_turn_apply(s->orientation, s->edge_u, u);
        tl_turn_apply(s->orientation, s->edge_v, v);
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
        tl_turn_apply(s->orientation, axes[k], patch + 3 + 3 * k);
    if (s->kind == TL_BOX) {
        const double *half = s->half_extents;
        memcpy(patch + 12, half, sizeof s->half_extents);
        geom[3] = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    } else if (s->kind == TL_PLANE) {
        geom[3] = 0;
    }
}
