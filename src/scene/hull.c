#include "scene/check.h"
__attribute__((weak)) tl_status tl_geometry_hull(size_t count, const double *points,
                                                 tl_geometry_rec *out)
{
    (void)count, (void)points, (void)out;
    return tl_fail(TL_BAD_ARGUMENT, "hulls cannot be shapes yet");
}
