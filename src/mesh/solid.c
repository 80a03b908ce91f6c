/* The solid that a closed mesh bounds: volume, centre of mass and inertia as sums over the
 * tetrahedra between a point and each triangle, whose integrals of 1, x and x y are polynomials of
 * the corners. The point is the middle of the mesh first and its centre of mass next, in units of
 * the mesh's size, so that neither place nor size costs digits. */
#include "base/principal.h"
#include "mesh/mesh.h"

/* Integrals over a solid, in units of its size. Thin solids that lie askew are differences of far
 * larger numbers; the longer type keeps eleven bits more of them where the machine has it. */
typedef struct integrals {
    long double volume, first[3], second[6]; /* second: xx yy zz yz zx xy */
} integrals;

static void add_triangle(integrals *sum, const double *const corners[3], const double origin[3],
                         double size)
{
    long double p[3][3], six = 0; /* six times the volume of the tetrahedron */
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            p[c][k] = ((long double)corners[c][k] - origin[k]) / size;
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        six += p[0][k] * (p[1][a] * p[2][b] - p[1][b] * p[2][a]);
    }
    sum->volume += six / 6;
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const long double s = p[0][k] + p[1][k] + p[2][k];
        long double square = s * s;
        long double product = (p[0][a] + p[1][a] + p[2][a]) * (p[0][b] + p[1][b] + p[2][b]);
        for (int c = 0; c < 3; c++) {
            square += p[c][k] * p[c][k];
            product += p[c][a] * p[c][b];
        }
        sum->first[k] += six / 24 * s;
        sum->second[k] += six / 120 * square;
        sum->second[3 + k] += six / 120 * product;
    }
}

static integrals integrate(const tl_mesh *mesh, const double origin[3], double size)
{
    integrals sum = {0};
    for (size_t i = 0; i < tl_mesh_triangle_count(mesh); i++) {
        const double *corners[3];
        tl_mesh_corners(mesh, i, corners);
        add_triangle(&sum, corners, origin, size);
    }
    return sum;
}

/* ---- The solid ---- */

static tl_status check_volume(const tl_mesh *mesh, double volume, double size)
{
    const double metric = volume * size * size * size;
    /* What rounding of the coordinates makes of a sheet without a volume. */
    if (!(fabs(volume) * 6 > 1e-14 * mesh->area / (size * size)))
        return tl_fail(TL_BAD_DATA, "the mesh has no volume: it is %g m^3 with %g m^2 of surface",
                       metric, mesh->area);
    if (volume < 0)
        return tl_fail(TL_BAD_DATA,
                       "the mesh is inside out: its volume is %g m^3; its triangles must go "
                       "counterclockwise when they are seen from outside",
                       metric);
    return TL_OK;
}

tl_status tl_mesh_measure(const tl_mesh *mesh, double density, tl_mesh_solid *solid)
{
    if (!solid)
        return tl_fail(TL_BAD_ARGUMENT, "solid is NULL; it must not be");
    *solid = (tl_mesh_solid){0};
    if (!mesh)
        return tl_fail(TL_BAD_ARGUMENT, "mesh is NULL; it must not be");
    if (!(density > 0 && isfinite(density)))
        return tl_fail(TL_BAD_ARGUMENT, "density is %g; it must be finite and > 0", density);
    TL_TRY(tl_mesh_check_closed(mesh));
    const double size = tl_mesh_size(mesh);
    tl_mesh_solid out = {0};
    for (int k = 0; k < 3; k++)
        out.centre[k] = 0.5 * mesh->low[k] + 0.5 * mesh->high[k];
    integrals sum = integrate(mesh, out.centre, size);
    TL_TRY(check_volume(mesh, (double)sum.volume, size));
    for (int k = 0; k < 3; k++)
        out.centre[k] += size * (double)(sum.first[k] / sum.volume);
    sum = integrate(mesh, out.centre, size);
    out.volume = (double)sum.volume * size * size * size;
    out.mass = density * out.volume;
    const double unit = density * (size * size * size) * (size * size);
    for (int k = 0; k < 3; k++) {
        out.inertia[k] = unit * (double)(sum.second[(k + 1) % 3] + sum.second[(k + 2) % 3]);
        out.inertia[3 + k] = -unit * (double)sum.second[3 + k];
    }
    tl_principal_axes(out.inertia, out.moments, out.orientation);
    if (!(out.mass > 0 && isfinite(out.mass) && out.moments[0] > 0 && out.moments[1] > 0 &&
          out.moments[2] > 0 && isfinite(out.moments[0] + out.moments[1] + out.moments[2])))
        return tl_fail(
            TL_BAD_DATA,
            "the solid has a mass of %g kg and moments of inertia of (%g, %g, %g) kg m^2; "
            "all must be finite and > 0",
            out.mass, out.moments[0], out.moments[1], out.moments[2]);
    *solid = out;
    return TL_OK;
}
