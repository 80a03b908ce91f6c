/* Convex hulls against Qhull's: the same volume within 1e-9. */
#include "hull_sets.h"

#include <libqhull_r/qhull_ra.h>

/* Qhull's volume of the first points of hull_points; 0 where it fails. */
static double qhull_volume(size_t count)
{
    static char command[] = "qhull FA Qt";
    qhT state, *qh = &state;
    double volume = 0;
    int current, total;
    FILE *nowhere = fopen("/dev/null", "w"); /* it prints to stderr unless told otherwise */
    assert_non_null(nowhere);
    qh_zero(qh, nowhere);
    if (!qh_new_qhull(qh, 3, (int)count, hull_points[0], False, command, nowhere, nowhere)) {
        qh_getarea(qh, qh->facet_list);
        volume = qh->totvol;
    }
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &current, &total);
    fclose(nowhere);
    return volume;
}

/* Stretches a thin set to one that is not, or takes one that is far away back: Qhull decides by
 * rounded distances and loses digits there. Returns what volumes are divided by. */
static double make_round(int set, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double *p = hull_points[i];
        if (set == 4)
            p[2] *= 1e10;
        if (set == 5) {
            p[1] = (p[1] - p[0]) * 1e5;
            p[2] = (p[2] + p[0]) * 1e5;
        }
        for (int k = 0; k < 3 && set == 8; k++)
            p[k] -= 1e4 * (k + 1);
    }
    return set == 4 || set == 5 ? 1e10 : 1;
}

static void same_volume(void **state)
{
    (void)state;
    const size_t counts[] = {5, 20, 1000, 20000};
    for (int set = 0; set < HULL_SETS; set++)
        for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
            if (counts[n] < 20 && set > 1) /* the other sets need points to be what they are */
                continue;
            const size_t count = hull_set(set, 7 + n, counts[n]);
            tl_mesh *hull = NULL;
            tl_mesh_solid solid;
            context("set %d (%s), %zu points", set, hull_set_names[set], count);
            assert_ok(tl_mesh_create_hull(count, hull_points[0], &hull));
            assert_ok(tl_mesh_measure(hull, 1, &solid));
            tl_mesh_destroy(hull);
            const double stretched = make_round(set, count), theirs = qhull_volume(count);
            assert_true(theirs > 0);
            assert_near(solid.volume * stretched / theirs, 1, 1e-9);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_volume)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
