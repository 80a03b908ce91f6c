/* Rows that are no coordinate of the frames: rods, ropes and pulleys, the row of a hinged rod, and
 * what couples coordinates: gears, racks, screws. */
#ifndef TL_KERNELS_JOINT_COUPLE_H
#define TL_KERNELS_JOINT_COUPLE_H

#include "kernels/joint/frames.h"

/* The unit vector from one point to another, and their distance; along x where that is 0. */
TL_KERNEL double tlk_towards(const double *from, const double *to, double *n)
{
    const double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    const double size = sqrt(tlk_dotd(d, d));
    for (int k = 0; k < 3; k++)
        n[k] = size > 0 ? d[k] / size : k == 0 ? 1.0 : 0.0;
    return size;
}

/* A pull along n at the origin of a frame. */
TL_KERNEL void tlk_pull(const tlk_frames *f, int side, double scale, const double *n, double *rate)
{
    double anchor[3], turn[3];
    for (int k = 0; k < 3; k++)
        anchor[k] = f->at[side][k] - f->centre[side][k];
    tlk_crossd(anchor, n, turn);
    for (int k = 0; k < 3; k++) {
        rate[k] = scale * n[k];
        rate[3 + k] = scale * turn[k];
    }
}

/* The value of a row of the joint's own frames. */
TL_NARROW double tlk_own_value(const tlk_joint *j, const tlk_frames *f, uint32_t row,
                               const double *angle)
{
    double n[3];
    if (row == TLK_ROW_DISTANCE)
        return tlk_towards(f->at[0], f->at[1], n);
    if (row == TLK_ROW_ACROSS)
        return tlk_coordinate(f, 2);
    if (row == TLK_ROW_PULLEY) {
        const double one = tlk_towards(j->anchor[0], f->at[0], n);
        return one + j->ratio * tlk_towards(j->anchor[1], f->at[1], n);
    }
    if (row == TLK_ROW_SCREW)
        return tlk_coordinate(f, 2) - j->ratio * tlk_unwrap(tlk_coordinate(f, 5), angle[1]);
    const double value = tlk_coordinate(f, row);
    return row == 3 ? tlk_unwrap(value, angle[0]) : row == 5 ? tlk_unwrap(value, angle[1]) : value;
}

/* And its rates. */
TL_NARROW void tlk_own_rate(const tlk_joint *j, const tlk_frames *f, uint32_t row,
                            double rate[2][6])
{
    double n[3];
    if (row == TLK_ROW_DISTANCE) {
        tlk_towards(f->at[0], f->at[1], n);
        tlk_pull(f, 0, -1, n, rate[0]);
        tlk_pull(f, 1, 1, n, rate[1]);
    } else if (row == TLK_ROW_ACROSS) {
        tlk_coordinate_rate(f, 2, rate);
    } else if (row == TLK_ROW_PULLEY) {
        tlk_towards(j->anchor[0], f->at[0], n);
        tlk_pull(f, 0, 1, n, rate[0]);
        tlk_towards(j->anchor[1], f->at[1], n);
        tlk_pull(f, 1, j->ratio, n, rate[1]);
    } else if (row == TLK_ROW_SCREW) {
        double turn[2][6];
        tlk_coordinate_rate(f, 2, rate);
        tlk_coordinate_rate(f, 5, turn);
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 6; k++)
                rate[s][k] -= j->ratio * turn[s][k];
    } else {
        tlk_coordinate_rate(f, row, rate);
    }
}

/* The value of row r of joint i at the present poses. */
TL_NARROW double tlk_row_value(const tlk_joints *g, const double *pos, const double *quat,
                               uint32_t i, const tlk_frames *f, uint32_t r)
{
    const tlk_joint *j = g->joint + i;
    if (j->row[r] != TLK_ROW_COUPLED)
        return tlk_own_value(j, f, j->row[r], g->last[i].angle);
    double value[2];
    for (int s = 0; s < 2; s++) {
        tlk_frames other;
        tlk_frames_of(pos, quat, g->joint + j->coupled[s], &other);
        value[s] = tlk_own_value(g->joint + j->coupled[s], &other, j->coordinate[s],
                                 g->last[j->coupled[s]].angle);
    }
    return value[1] - j->ratio * value[0];
}

/* How fast it changes with the velocities of the joint's bodies: 6 each. */
TL_NARROW void tlk_row_rate(const tlk_joints *g, const tlk_joint *j, const tlk_frames *f,
                            uint32_t r, double *out)
{
    double rate[2][6];
    for (uint32_t k = 0; k < 6 * j->bodies; k++)
        out[k] = 0;
    if (j->row[r] != TLK_ROW_COUPLED) {
        tlk_own_rate(j, f, j->row[r], rate);
        for (int s = 0; s < 2; s++)
            for (uint32_t k = 0; k < 6 && j->side[s] != TLK_NONE; k++)
                out[6 * j->side[s] + k] += rate[s][k];
        return;
    }
    for (int c = 0; c < 2; c++) {
        tlk_frames other;
        tlk_frames_of(g->pos, g->quat, g->joint + j->coupled[c], &other);
        tlk_own_rate(g->joint + j->coupled[c], &other, j->coordinate[c], rate);
        for (int s = 0; s < 2; s++)
            for (uint32_t k = 0; k < 6 && j->place[c][s] != TLK_NONE; k++)
                out[6 * j->place[c][s] + k] += (c ? 1.0 : -j->ratio) * rate[s][k];
    }
}

#endif
