/* One articulation, solved by a team: lanes of one thread, of a pool of threads or of a block of a
 * GPU. What is to be done is cut into stages. In a stage each lane does its share, which no other
 * lane looks at; then one of them finds out which stage is next. So a stage may be done by lanes
 * one after the other, and bits do not depend on how many there are: sums are of one item, maxima
 * are exact in any order. */
#ifndef TL_KERNELS_JOINT_TEAM_H
#define TL_KERNELS_JOINT_TEAM_H

#include "kernels/real.h" /* first: it says what reals are */

#include "kernels/joint/args.h"

typedef struct tlk_team {
    uint32_t lane, lanes;
    uint32_t stage, level; /* at hand: those of tlk_articulated, or a later level of the stage */
} tlk_team;

/* A lane's share of items [from, to): in turns on a GPU, where lanes that go together read what
 * lies together; a piece of its own elsewhere. _AFTER: on a GPU by other lanes than the last of
 * `before` items that come first. Of joints a GPU takes rows that are TLK_ROWS_AT_ONCE apart, an
 * item each: what costs there is how long memory takes, one time after the other. */
#if defined(__CUDACC__)
#define TLK_ROWS_AT_ONCE 4u
#define TLK_LANE_SHARE(k, from, to, team) \
    for (uint32_t k = (from) + (team).lane; k < (to); k += (team).lanes)
#define TLK_LANE_SHARE_AFTER(k, from, to, before, team)                                      \
    for (uint32_t k =                                                                        \
             (from) + ((team).lane + (team).lanes - (before) % (team).lanes) % (team).lanes; \
         k < (to); k += (team).lanes)
#else
#define TLK_ROWS_AT_ONCE                                1u
#define TLK_LANE_SHARE_AFTER(k, from, to, before, team) TLK_LANE_SHARE(k, from, to, team)
#define TLK_LANE_SHARE(k, from, to, team)                                                        \
    for (uint32_t k = (from) + tlk_team_cut((to) - (from), (team).lane, (team).lanes),           \
                  k##_end = (from) + tlk_team_cut((to) - (from), (team).lane + 1, (team).lanes); \
         k < k##_end; k++)
#endif

TL_KERNEL uint32_t tlk_team_cut(uint32_t count, uint32_t part, uint32_t parts)
{
    return parts == 1 ? count * part : (uint32_t)((uint64_t)count * part / parts);
}

/* Memory that is wanted soon, so many items ahead: a CPU fetches by itself what lies next, but
 * within a page of 4 kB alone, which is nine joints. (Always inlined: GCC leaves out functions that
 * do nothing else.) A GPU has other lanes to go on with. */
#define TLK_AHEAD 8u
#define TLK_LINE  64u /* bytes */
#if defined(__CUDACC__)
#define TLK_ASK(address) ((void)0)
#else
#define TLK_ASK(address) __builtin_prefetch(address)
#endif

TL_KERNEL void tlk_ask_rows(const tlk_joints *g, const tlk_joint *j)
{
    const double *from = g->jacobian + j->jacobian, *end = from + (size_t)j->rows * 6 * j->bodies;
    for (; from < end; from += TLK_LINE / sizeof *from)
        TLK_ASK(from);
}

/* For what projections look at of the k-th joint of a list that ends at `end`, from there on. */
TL_KERNEL void tlk_ask_joint(const tlk_joints *g, uint32_t k, uint32_t end, bool rows)
{
#if !defined(__CUDACC__)
    if (k + 2 * TLK_AHEAD >= end)
        return;
    const char *far = (const char *)(g->joint + g->list[k + 2 * TLK_AHEAD]);
    const tlk_joint *near = g->joint + g->list[k + TLK_AHEAD];
    TLK_ASK(far);
    TLK_ASK(far + TLK_LINE);
    TLK_ASK(g->x + near->vector);
    if (rows)
        tlk_ask_rows(g, near);
#endif
    (void)g, (void)k, (void)end, (void)rows;
}

/* Stages, of projections and of assemblies. */
enum {
    TLK_STAGE_END,
    TLK_STAGE_SWEEP,
    TLK_STAGE_TIGHTEN,
    TLK_STAGE_WEIGH,
    TLK_STAGE_DAMP,
    TLK_STAGE_SUM,
    TLK_STAGE_LINES,
    TLK_STAGE_BODIES,
    TLK_STAGE_JOINTS,
    TLK_STAGE_FACTOR,
    TLK_STAGE_SIDES,
    TLK_STAGE_SIFT,
    TLK_STAGE_FORWARD,
    TLK_STAGE_BACKWARD,
    TLK_STAGE_CHECK,
    TLK_STAGE_APPLY,
    TLK_STAGE_STATES,
    TLK_STAGE_MEASURE,
    TLK_STAGE_MOVE,
    TLK_STAGE_FURTHEST,
    TLK_STAGE_BACK,
    TLK_STAGE_ARREST,
    TLK_STAGE_SETTLE
};

/* How many levels the stage at hand has still, after this one. */
TL_KERNEL uint32_t tlk_levels_left(const tlk_articulation *a, uint32_t stage, uint32_t level)
{
    if (stage == TLK_STAGE_FACTOR || stage == TLK_STAGE_FORWARD)
        return a->level_end - a->level - 1 - level;
    return stage == TLK_STAGE_BACKWARD ? level : 0;
}

#if defined(__CUDACC__)
/* The lanes of a warp that are of the team of the one that asks. */
TL_KERNEL uint32_t tlk_team_mask(tlk_team team)
{
    const uint32_t first = threadIdx.x % 32 / team.lanes * team.lanes;
    return team.lanes < 32 ? ((1u << team.lanes) - 1) << first : 0xffffffffu;
}
#endif

/* A lane's largest number, not below 0, or none, which is larger than all. All lanes have one. */
TL_KERNEL void tlk_team_most(tlk_articulated *how, int which, double most, tlk_team team)
{
    union {
        double number;
        uint64_t bits;
    } u = {most != 0 ? most : 0.0};
#if defined(__CUDACC__) /* a warp's first: at one place only one after the other can do it */
    const uint32_t mask = tlk_team_mask(team), own = (uint32_t)(u.bits >> 32);
    const uint32_t high = __reduce_max_sync(mask, own);
    const uint32_t low = __reduce_max_sync(mask, own == high ? (uint32_t)u.bits : 0);
    u.bits = team.lane % 32 ? 0 : (uint64_t)high << 32 | low;
#endif
    (void)team;
    if (u.bits)
        tlk_atomic_max(&how->most[which], u.bits);
}

/* The largest of all lanes, for who finds the next stage; from 0 again. */
TL_KERNEL double tlk_team_take(tlk_articulated *how, int which)
{
    union {
        uint64_t bits;
        double number;
    } u;
    u.bits = how->most[which];
    how->most[which] = 0;
    return u.number;
}

/* Larger; and no number is larger than any. */
TL_KERNEL double tlk_most(double most, double x)
{
    return x <= most ? most : x;
}

#endif
