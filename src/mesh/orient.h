/* On which side of a plane a point lies: the right sign, whatever the rounding. */
#ifndef TL_MESH_ORIENT_H
#define TL_MESH_ORIENT_H

/* The sign of six times the volume of the tetrahedron a, b, c, d: above 0 where d is on the side
 * that the triangle a, b, c shows counterclockwise, 0 where the four are in one plane. The size is
 * right to rounding of the coordinates' differences. Exact while products of three coordinates
 * neither overflow nor underflow. */
double tl_orient(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
