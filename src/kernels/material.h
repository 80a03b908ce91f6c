/* What materials ask of a contact beyond sliding friction (docs/theory.md, "Surfaces"): a surface
 * that moves in itself, compliance, cohesion, rolling and spinning friction. A problem has these
 * numbers where some pair of materials has any of them; else none of this is run. */
#ifndef TL_KERNELS_MATERIAL_H
#define TL_KERNELS_MATERIAL_H

#include "kernels/real.h"

/* The fields of tlk_problem.material, of one row. */
typedef struct tlk_material {
    real slide[3]; /* m/s: of b's surface in itself, against a's */
    real soft;     /* m/s per N s: what an impulse along the normal opens the contact by */
    real cohesion; /* N s: what the contact can pull with in this step */
    real rolling;  /* m: moment in the tangent plane per normal impulse, at most */
    real spinning; /* m: the same about the normal */
    real step;     /* kg m^2: the step length of moments */
} tlk_material;

TL_KERNEL void tlk_load_material(const tlk_problem *p, uint32_t s, tlk_material *m)
{
    const real *at = p->material + tlk_at(s, 0, TLK_MATERIAL);
    for (int k = 0; k < 3; k++)
        m->slide[k] = at[k * TLK_LANES];
    m->soft = at[3 * TLK_LANES];
    m->cohesion = at[4 * TLK_LANES];
    m->rolling = at[5 * TLK_LANES];
    m->spinning = at[6 * TLK_LANES];
    m->step = at[7 * TLK_LANES];
}

TL_KERNEL void tlk_store_material(real *material, uint32_t s, const tlk_material *m)
{
    real *at = material + tlk_at(s, 0, TLK_MATERIAL);
    for (int k = 0; k < 3; k++)
        at[k * TLK_LANES] = m->slide[k];
    at[3 * TLK_LANES] = m->soft;
    at[4 * TLK_LANES] = m->cohesion;
    at[5 * TLK_LANES] = m->rolling;
    at[6 * TLK_LANES] = m->spinning;
    at[7 * TLK_LANES] = m->step;
}

#endif
