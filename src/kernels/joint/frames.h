/* The six coordinates of a joint: where the frame of b is in that of a. Three translations along
 * the axes of a; then the rotations about x of a, about the y that this one leaves, and about z of
 * b, which make the one frame's axes the other's (Cardan angles). What locks a rotation holds its
 * angle, so that rows are right for any angle but a quarter turn about y. */
#ifndef TL_KERNELS_JOINT_FRAMES_H
#define TL_KERNELS_JOINT_FRAMES_H

#include "kernels/joint/turn.h"

/* The frames of a joint in the world: where they are, from which centre of mass, and their axes. */
typedef struct tlk_frames {
    double centre[2][3], at[2][3], axis[2][3][3];
} tlk_frames;

/* The axes that a rotation makes of x, y and z. */
TL_KERNEL void tlk_axes(const double *q, double axis[3][3])
{
    const double wx = 2 * q[0] * q[1], wy = 2 * q[0] * q[2], wz = 2 * q[0] * q[3];
    const double xx = 2 * q[1] * q[1], xy = 2 * q[1] * q[2], xz = 2 * q[1] * q[3];
    const double yy = 2 * q[2] * q[2], yz = 2 * q[2] * q[3], zz = 2 * q[3] * q[3];
    axis[0][0] = 1 - (yy + zz), axis[0][1] = xy + wz, axis[0][2] = xz - wy;
    axis[1][0] = xy - wz, axis[1][1] = 1 - (xx + zz), axis[1][2] = yz + wx;
    axis[2][0] = xz + wy, axis[2][1] = yz - wx, axis[2][2] = 1 - (xx + yy);
}

/* A vector of a frame with such axes. */
TL_KERNEL void tlk_by_axes(const double axis[3][3], const double *v, double *out)
{
    out[0] = axis[0][0] * v[0] + axis[1][0] * v[1] + axis[2][0] * v[2];
    out[1] = axis[0][1] * v[0] + axis[1][1] * v[1] + axis[2][1] * v[2];
    out[2] = axis[0][2] * v[0] + axis[1][2] * v[1] + axis[2][2] * v[2];
}

/* A body's place and orientation. */
TL_KERNEL void tlk_pose_of(const double *pos, const double *quat, const tlk_joint *j, int s,
                           double x[3], double q[4])
{
    const size_t i = j->side[s] == TLK_NONE ? 0 : 4 * (size_t)j->body[j->side[s]];
    for (int k = 0; k < 3 && j->side[s] != TLK_NONE; k++)
        x[k] = pos[i + k];
    for (int k = 0; k < 4 && j->side[s] != TLK_NONE; k++)
        q[k] = quat[i + k];
}

TL_KERNEL void tlk_frame_of(const double *x, const double *q, const tlk_joint *j, int s,
                            tlk_frames *f)
{
    const double *at = j->at[s];
    const bool turned = j->turn[s][0] != 1; /* nearly never */
    double own[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, body[3][3], anchor[3];
    if (turned)
        tlk_axes(j->turn[s], own);
    if (j->side[s] == TLK_NONE) {
        for (int k = 0; k < 3; k++) {
            f->centre[s][k] = 0;
            f->at[s][k] = at[k];
            for (int c = 0; c < 3; c++)
                f->axis[s][k][c] = own[k][c];
        }
        return;
    }
    tlk_axes(q, body);
    tlk_by_axes(body, at, anchor);
    for (int k = 0; k < 3; k++) {
        if (turned)
            tlk_by_axes(body, own[k], f->axis[s][k]);
        for (int c = 0; c < 3 && !turned; c++)
            f->axis[s][k][c] = body[k][c];
    }
    f->centre[s][0] = x[0], f->centre[s][1] = x[1], f->centre[s][2] = x[2];
    f->at[s][0] = x[0] + anchor[0], f->at[s][1] = x[1] + anchor[1], f->at[s][2] = x[2] + anchor[2];
}

TL_NARROW void tlk_frames_of(const double *pos, const double *quat, const tlk_joint *j,
                             tlk_frames *f)
{
    double x[2][3] = {{0}}, q[2][4] = {{0}}; /* of both before either: a GPU waits once */
    tlk_pose_of(pos, quat, j, 0, x[0], q[0]);
    tlk_pose_of(pos, quat, j, 1, x[1], q[1]);
    tlk_frame_of(x[0], q[0], j, 0, f);
    tlk_frame_of(x[1], q[1], j, 1, f);
}

/* Element (r, c) of the rotation of b in the frame of a. */
TL_KERNEL double tlk_frames_turn(const tlk_frames *f, int r, int c)
{
    return tlk_dotd(f->axis[0][r], f->axis[1][c]);
}

/* One of the six coordinates; angles between -pi and pi, that about y between quarter turns. */
TL_NARROW double tlk_coordinate(const tlk_frames *f, uint32_t k)
{
    if (k < 3) {
        const double d[3] = {f->at[1][0] - f->at[0][0], f->at[1][1] - f->at[0][1],
                             f->at[1][2] - f->at[0][2]};
        return tlk_dotd(f->axis[0][k], d);
    }
    if (k == 3)
        return tlk_atan2(-tlk_frames_turn(f, 1, 2), tlk_frames_turn(f, 2, 2));
    const double xx = tlk_frames_turn(f, 0, 0), xy = tlk_frames_turn(f, 0, 1);
    if (k == 4)
        return tlk_atan2(tlk_frames_turn(f, 0, 2), sqrt(xx * xx + xy * xy));
    return tlk_atan2(-xy, xx);
}

/* The rotations about x and z, near enough to count their turns by. */
TL_NARROW void tlk_near_angles(const tlk_frames *f, double *x, double *z)
{
    *x = tlk_near_angle(-tlk_frames_turn(f, 1, 2), tlk_frames_turn(f, 2, 2));
    *z = tlk_near_angle(-tlk_frames_turn(f, 0, 1), tlk_frames_turn(f, 0, 0));
}

/* How fast it changes with the velocities of a and b: linear and angular, 6 each. */
TL_NARROW void tlk_coordinate_rate(const tlk_frames *f, uint32_t k, double rate[2][6])
{
    double n[3] = {0, 0, 0};
    if (k < 3) {
        double from_a[3], from_b[3];
        for (int i = 0; i < 3; i++) {
            n[i] = f->axis[0][k][i];
            from_a[i] = f->at[1][i] - f->centre[0][i];
            from_b[i] = f->at[1][i] - f->centre[1][i];
        }
        tlk_crossd(from_a, n, rate[0] + 3);
        tlk_crossd(from_b, n, rate[1] + 3);
        for (int i = 0; i < 3; i++) {
            rate[0][i] = -n[i];
            rate[0][3 + i] = -rate[0][3 + i];
            rate[1][i] = n[i];
        }
        return;
    }
    const double *first = f->axis[0][0], *last = f->axis[1][2];
    const double sine = tlk_dotd(first, last), cosine2 = tlk_max(1 - sine * sine, 1e-12);
    if (k == 4) {
        tlk_crossd(last, first, n);
        for (int i = 0; i < 3; i++)
            n[i] = n[i] / sqrt(cosine2);
    } else {
        for (int i = 0; i < 3; i++)
            n[i] = (k == 3 ? first[i] - sine * last[i] : last[i] - sine * first[i]) / cosine2;
    }
    for (int i = 0; i < 3; i++) {
        rate[0][i] = rate[1][i] = 0;
        rate[0][3 + i] = -n[i];
        rate[1][3 + i] = n[i];
    }
}

#endif
