/* Principal axes of inertia by Jacobi's method. Called for the solids of meshes and for bodies. */
#include "base/principal.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

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
            double r[3][3], volume = 0, trace = 0;
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 3; k++)
                    r[c][k] = (signs >> c & 1 ? -1 : 1) * axes[k][orders[o][c]]; /* rows: axes */
            for (int c = 0; c < 3; c++) {
                const int a = (c + 1) % 3, b = (c + 2) % 3;
                volume += (r[0][a] * r[1][b] - r[0][b] * r[1][a]) * r[2][c];
                trace += r[c][c];
            }
            if (volume < 0 || !(trace > best + 1e-9))
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

void tl_principal_axes(const double inertia[6], double moments[3], double orientation[4])
{
    double axes[3][3];
    diagonalise(inertia, moments, axes);
    choose_axes(axes, moments, orientation);
}
