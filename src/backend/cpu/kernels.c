/* The kernels of the CPU backend for one precision and one instruction set: compiled once for each
 * (TLK_PRECISION_*, TLK_ISA), it defines one table of functions, tl_cpu_<isa>_<precision>. */
#if !defined(TLK_ISA)
#define TLK_ISA base
#endif

#include "kernels/bodies.h"
#include "kernels/bounce.h"
#include "kernels/coarse.h"
#include "kernels/contacts.h"
#include "kernels/crowd.h"
#include "kernels/descent.h"
#include "kernels/look.h"
#include "kernels/gather.h"
#include "kernels/impact.h"
#include "kernels/joint.h"
#include "kernels/momentum.h"
#include "kernels/monitor.h"
#include "kernels/order.h"
#include "kernels/penalty/collide.h"
#include "kernels/penalty/lists.h"
#include "kernels/penalty/move.h"
#include "kernels/penalty/whole.h"
#include "kernels/planes.h"
#include "kernels/query.h"
#include "kernels/smooth.h"
#include "kernels/solve.h"
#include "kernels/swing.h"
#include "kernels/touch.h"

#include "backend/cpu/cpu.h"

/* Folds lane by lane, item i into lane i % 8, and the lanes at the end, so that a fold that takes
 * eight items at once gives the same bits. */
static inline void fold_lanes(int n, const char *operations,
                              double lanes[TLK_LANES][TLK_FOLD_NUMBERS], double *numbers)
{
    for (int k = 0; k < n; k++)
        for (uint32_t l = 0; l < TLK_LANES; l++)
            numbers[k] = tl_fold_pair(operations[k], numbers[k], lanes[l][k]);
}

static inline void start_lanes(int n, const char *operations,
                               double lanes[TLK_LANES][TLK_FOLD_NUMBERS])
{
    for (uint32_t l = 0; l < TLK_LANES; l++)
        for (int k = 0; k < n; k++)
            lanes[l][k] = tl_fold_start(operations[k]);
}

#include "backend/cpu/pieces.h"
#if defined(__AVX2__)
#include "backend/cpu/wide.h"
#endif

#define TLK_MAP(name, type)                                                \
    static void map_##name(const void *args, uint32_t begin, uint32_t end) \
    {                                                                      \
        const type a = *(const type *)args;                                \
        for (uint32_t i = begin; i < end; i++)                             \
            tlk_##name(&a, i);                                             \
    }
#define TLK_REDUCE(name, type, n, ops)                                                       \
    static void fold_##name(const void *args, uint32_t begin, uint32_t end, double *numbers) \
    {                                                                                        \
        const type a = *(const type *)args;                                                  \
        double lanes[TLK_LANES][TLK_FOLD_NUMBERS];                                           \
        start_lanes(n, ops, lanes);                                                          \
        for (uint32_t i = begin; i < end; i++)                                               \
            tlk_##name(&a, i, lanes[tlk_lane(i)]);                                           \
        fold_lanes(n, ops, lanes, numbers);                                                  \
    }
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE

#define TEAM(name, made_fresh)                                                           \
    static void begin_##name(const void *args, uint32_t i)                               \
    {                                                                                    \
        tlk_##name##_begin(args, i);                                                     \
    }                                                                                    \
    static void turn_##name(const void *args, uint32_t i, uint32_t lane, uint32_t lanes) \
    {                                                                                    \
        const tlk_joints g = *(const tlk_joints *)args;                                  \
        const tlk_articulated *how = g.how + i;                                          \
        const tlk_team team = {lane, lanes, how->stage, how->level};                     \
        if (by_pieces(g.articulation + i, how))                                          \
            pieces_turn(&g, g.articulation + i, how, team, made_fresh || g.fresh);       \
        else                                                                             \
            tlk_##name##_turn(&g, i, team);                                              \
    }                                                                                    \
    static bool next_##name(const void *args, uint32_t i)                                \
    {                                                                                    \
        const tlk_joints *g = args;                                                      \
        if (by_pieces(g->articulation + i, g->how + i))                                  \
            pieces_next(g->articulation + i, g->how + i);                                \
        return tlk_##name##_next(g, i);                                                  \
    }
TEAM(joint_project, false)
TEAM(joint_assemble, true)

#define JOIN3(a, b, c)   a##b##_##c
#define TABLE_NAME(i, p) JOIN3(tl_cpu_, i, p)
#if defined(TLK_PRECISION_double)
#define TABLE TABLE_NAME(TLK_ISA, double)
#else
#define TABLE TABLE_NAME(TLK_ISA, mixed)
#endif

extern const tl_cpu_kernels TABLE;
const tl_cpu_kernels TABLE = {
    .map =
        {
#define TLK_MAP(name, type) [TLK_##name] = map_##name,
#define TLK_REDUCE(name, type, n, ops)
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
        },
#if defined(__AVX2__)
#define TLK_WIDE(name) [TLK_##name] = wide_##name,
    .wide = {TLK_WIDE_LIST},
#undef TLK_WIDE
#define TLK_WIDE(name) [TLK_FOLD_##name] = wide_##name,
    .wide_fold = {TLK_WIDE_FOLD_LIST},
#endif
    .project = {begin_joint_project, turn_joint_project, next_joint_project},
    .assemble = {begin_joint_assemble, turn_joint_assemble, next_joint_assemble},
    .fold =
        {
#define TLK_MAP(name, type)
#define TLK_REDUCE(name, type, n, ops) [TLK_FOLD_##name] = fold_##name,
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
        },
};
