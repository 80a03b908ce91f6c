/* Kernels of the CPU backend that handle eight items at once, or twice as many, where a measurement
 * paid for it (docs/architecture.md, "Wide kernels"). Each does, lane by lane, exactly the
 * arithmetic of the plain kernel of the same name, so that both give the same bits; tests/backend
 * compares them. */
#ifndef TL_BACKEND_CPU_WIDE_H
#define TL_BACKEND_CPU_WIDE_H

#include "backend/cpu/wide_advance.h"
#include "backend/cpu/wide_anchors.h"
#include "backend/cpu/wide_audit.h"
#include "backend/cpu/wide_bodies.h"
#include "backend/cpu/wide_find.h"
#include "backend/cpu/wide_joint.h"
#include "backend/cpu/wide_keep.h"
#include "backend/cpu/wide_momentum.h"
#include "backend/cpu/wide_move.h"
#include "backend/cpu/wide_near.h"
#include "backend/cpu/wide_penalty.h"
#include "backend/cpu/wide_sweep.h"

#if defined(__AVX512F__)
#define TLK_WIDE_KEEP TLK_WIDE(touch_keep)
#else
#define TLK_WIDE_KEEP
#endif
#define TLK_WIDE_LIST        \
    TLK_WIDE_KEEP            \
    TLK_WIDE(anchor_steps)   \
    TLK_WIDE(psor_start)     \
    TLK_WIDE(psor_sweep)     \
    TLK_WIDE(position_rows)  \
    TLK_WIDE(contact_count)  \
    TLK_WIDE(penalty_force)  \
    TLK_WIDE(penalty_meet)   \
    TLK_WIDE(penalty_move)   \
    TLK_WIDE(joint_foresee)  \
    TLK_WIDE(joint_project)  \
    TLK_WIDE(joint_assemble) \
    TLK_WIDE(momentum_begin) TLK_WIDE(momentum_rows) TLK_WIDE(momentum_block)
#define TLK_WIDE_FOLD_LIST \
    TLK_WIDE(audit_row)    \
    TLK_WIDE(residual) TLK_WIDE(check_bodies) TLK_WIDE(integrate) TLK_WIDE(momentum_turn)

#endif
