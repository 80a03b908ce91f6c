#include "base/turn.h"
#include "scene/scene.h"
#include <math.h>
#include <string.h>
void tl_shape_frame(const tl_shape_rec *s, const tl_array *geometries, double *f, double *ball)
{
    (void)geometries;
    memset(f, 0, 20 * sizeof *f);
    tl_shape_patch(s, f, ball);
    f[18] = s->rounding;
    memcpy(f+15, f+12, 24);
}
