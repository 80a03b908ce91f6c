/* The solid that a closed mesh bounds: volume, centre of mass and inertia as sums over the
 * tetrahedra between a point and each triangle, whose integrals of 1, x and x y are polynomials of
 * the corners. The point is the middle of the mesh first and its centre of mass next, in units of
 * the mesh's size, so that neither place nor size costs digits. */
#include "mesh/mesh.h"

#include <string.h>

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

/* ---- Principal axes ---- */

/* One rotation of Jacobi's method in the plane of two axes; `axes` has them as columns. */
static void rotate(double m[3][3], double axes[3][3], int p, int q)
{
    const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b;
        m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        const double a = m[p][k], b = m[q][k];
        m[p][k] = c * a - s * b;
        m[q][k] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        const double a = axes[k][p], b = axes[k][q];
        axes[k][p] = c * a - s * b;
        axes[k][q] = s * a + c * b;
    }
}

/* Products below a part of 1e-12 of the trace are rounding: turning equal moments by them would
 * give axes that mean nothing. */
static void diagonalise(const double inertia[6], double moments[3], double axes[3][3])
{
    double m[3][3] = {{inertia[0], inertia[5], inertia[4]},
                      {inertia[5], inertia[1], inertia[3]},
                      {inertia[4], inertia[3], inertia[2]}};
    const double little = 1e-12 * (inertia[0] + inertia[1] + inertia[2]);
    memset(axes, 0, 9 * sizeof(double));
    for (int k = 0; k < 3; k++)
        axes[k][k] = 1;
    for (int sweep = 0; sweep < 30; sweep++) {
        bool done = true;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++)
                if (fabs(m[p][q]) > little) {
                    rotate(m, axes, p, q);
                    done = false;
                }
        if (done)
            break;
    }
    for (int k = 0; k < 3; k++)
        moments[k] = m[k][k];
}

static void quaternion_of(double r[3][3], double q[4])
{
    const double trace = r[0][0] + r[1][1] + r[2][2];
    if (trace > 0) {
        q[0] = 0.5 * sqrt(1 + trace);
        q[1] = (r[2][1] - r[1][2]) / (4 * q[0]);
        q[2] = (r[0][2] - r[2][0]) / (4 * q[0]);
        q[3] = (r[1][0] - r[0][1]) / (4 * q[0]);
    } else {
        int i = r[1][1] > r[0][0] ? 1 : 0;
        i = r[2][2] > r[i][i] ? 2 : i;
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double big = sqrt(fmax(0, 1 + r[i][i] - r[j][j] - r[k][k]));
        q[0] = (r[k][j] - r[j][k]) / (2 * big);
        q[1 + i] = 0.5 * big;
        q[1 + j] = (r[j][i] + r[i][j]) / (2 * big);
        q[1 + k] = (r[k][i] + r[i][k]) / (2 * big);
    }
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] /= q[0] < 0 ? -norm : norm;
}

/* Of the 24 ways to name and turn three axes, the one nearest to no rotation: with the largest
 * trace. `axes` has the principal axes as columns. */
static void choose_axes(double axes[3][3], double moments[3], double q[4])
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    double best = -4, chosen[3][3] = {{0}}, named[3] = {0};
    for (int o = 0; o < 6; o++)
        for (int signs = 0; signs < 8; signs++) {
            double r[3][3], cross[3], trace = 0;
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 3; k++)
                    r[c][k] = (signs >> c & 1 ? -1 : 1) * axes[k][orders[o][c]]; /* rows: axes */
            tl_cross(r[0], r[1], cross);
            for (int c = 0; c < 3; c++)
                trace += r[c][c];
            if (tl_dot(cross, r[2]) < 0 || !(trace > best + 1e-9))
                continue;
            best = trace;
            for (int c = 0; c < 3; c++) {
                named[c] = moments[orders[o][c]];
                for (int k = 0; k < 3; k++)
                    chosen[k][c] = r[c][k];
            }
        }
    memcpy(moments, named, sizeof named);
    quaternion_of(chosen, q);
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
    double axes[3][3];
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
    diagonalise(out.inertia, out.moments, axes);
    choose_axes(axes, out.moments, out.orientation);
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
