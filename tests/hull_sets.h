/* Sets of points for the tests of convex hulls. */
#ifndef TALUS_TESTS_HULL_SETS_H
#define TALUS_TESTS_HULL_SETS_H

#include "mesh_forms.h"

enum { HULL_SETS = 9, HULL_MOST = 20000 };

static double hull_points[HULL_MOST][3];
static const char *const hull_set_names[HULL_SETS] = {
    "ball", "sphere",      "cube, each twice",           "grid",    "plate",
    "line", "turned cube", "cube and its faces' points", "far away"};

/* Evenly from 0 to 1; splitmix64. */
static double hull_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void hull_ball(uint64_t *seed, double p[3])
{
    do
        for (int k = 0; k < 3; k++)
            p[k] = 2 * hull_random(seed) - 1;
    while (dot3(p, p) > 1 || dot3(p, p) < 1e-3);
}

/* Writes a point of a set; its coordinates are those of the unit cube or ball. */
static void hull_point(int set, uint64_t *seed, double p[3])
{
    const double turn[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}};
    double q[3];
    hull_ball(seed, p);
    if (set == 1) { /* on a sphere */
        const double n = norm3(p);
        for (int k = 0; k < 3; k++)
            p[k] /= n;
    }
    for (int k = 0; k < 3 && set >= 2 && set <= 7; k++)
        p[k] = hull_random(seed);
    for (int k = 0; k < 3 && set == 3; k++)
        p[k] = floor(5 * p[k]); /* most are equal to others, all are on planes with others */
    if (set == 4)               /* a plate with a thickness that is just not flat */
        p[2] *= 1e-10;
    if (set == 5) { /* a needle */
        p[1] = 1e-5 * p[1] + p[0];
        p[2] = 1e-5 * p[2] - p[0];
    }
    if (set == 6 || set == 7) /* on the faces of a cube */
        p[(int)(3 * hull_random(seed))] = hull_random(seed) < 0.5 ? 0 : 1;
    if (set == 6) { /* turned, so that rounding takes them off the faces */
        for (int k = 0; k < 3; k++)
            q[k] = dot3(turn[k], p);
        memcpy(p, q, sizeof q);
    }
    for (int k = 0; k < 3 && set == 8; k++)
        p[k] += 1e4 * (k + 1);
}

/* Fills hull_points and returns how many there are. */
static size_t hull_set(int set, uint64_t seed, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (set == 2 && i % 2)
            memcpy(hull_points[i], hull_points[i - 1], sizeof hull_points[i]);
        else
            hull_point(set, &seed, hull_points[i]);
    for (size_t i = 0; i < 8 && (set == 7 || set == 4); i++) /* the corners as well */
        for (int k = 0; k < 3; k++)
            hull_points[count - 1 - i][k] = (i >> k & 1) * (set == 4 && k == 2 ? 1e-10 : 1);
    return count;
}

__attribute__((unused)) static double hull_size(size_t count)
{
    double size = 0;
    for (size_t i = 0; i < count; i++)
        size = fmax(size, distance3(hull_points[i], hull_points[0]));
    return size;
}

#endif
