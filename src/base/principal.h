/* Principal axes of inertia. */
#ifndef TL_BASE_PRINCIPAL_H
#define TL_BASE_PRINCIPAL_H

/* Principal moments of an inertia tensor (xx yy zz yz zx xy), and the unit quaternion that turns
 * vectors along the principal axes, in the order of moments, to vectors along the tensor's: of all
 * choices the one nearest to no rotation. */
void tl_principal_axes(const double inertia[6], double moments[3], double orientation[4]);

#endif
