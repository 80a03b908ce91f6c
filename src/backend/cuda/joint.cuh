/* Articulations on a GPU: one by a block, whose threads share it stage by stage
 * (kernels/joint/team.h); those that are large, one after the other by all blocks. Included by
 * kernels.cu, and by a test that runs it without a GPU. */
#ifndef TL_BACKEND_CUDA_JOINT_CUH
#define TL_BACKEND_CUDA_JOINT_CUH

#include "backend/cuda/gang.cuh"

#define TEAM_THREADS 512u  /* of a block, at most */
#define TEAM_LARGE   8192u /* nodes from which all blocks work on an articulation */
#define TEAM_SPREAD  128u  /* threads of a block then, */
#define TEAM_BLOCKS  4u    /* and blocks of a processor: what hides how long memory takes */

struct projecting {
    static __device__ __forceinline__ void begin(const tlk_joints *g, uint32_t i)
    {
        tlk_joint_project_begin(g, i);
    }
    static __device__ __forceinline__ void turn(const tlk_joints *g, uint32_t i, tlk_team team)
    {
        tlk_joint_project_turn(g, i, team);
    }
    static __device__ __forceinline__ void next(const tlk_joints *g, uint32_t i)
    {
        tlk_joint_project_next(g, i);
    }
    static __device__ __forceinline__ bool counts(const tlk_joints *g)
    {
        return !g->fresh && !g->positions;
    }
};

struct assembling {
    static __device__ __forceinline__ void begin(const tlk_joints *g, uint32_t i)
    {
        tlk_joint_assemble_begin(g, i);
    }
    static __device__ __forceinline__ void turn(const tlk_joints *g, uint32_t i, tlk_team team)
    {
        tlk_joint_assemble_turn(g, i, team);
    }
    static __device__ __forceinline__ void next(const tlk_joints *g, uint32_t i)
    {
        tlk_joint_assemble_next(g, i);
    }
    static __device__ __forceinline__ bool counts(const tlk_joints *)
    {
        return false;
    }
};

static __device__ __forceinline__ bool is_large(const tlk_joints &g, uint32_t i)
{
    return g.articulation[i].node_end - g.articulation[i].node >= TEAM_LARGE;
}

/* Whether each node of a level has a gang, of so many lanes at most. */
static __device__ __forceinline__ bool is_narrow(const tlk_joints &g, const tlk_articulation &a,
                                                 uint32_t level, uint32_t most)
{
    return GANG_LEAST * (g.level[a.level + level + 1] - g.level[a.level + level]) <= most;
}

/* One stage, or one level of it. */
template <class work>
static __device__ __forceinline__ void do_turn(const tlk_joints &g, uint32_t i,
                                               const tlk_articulation &a, tlk_team team)
{
    const bool levels = team.stage == TLK_STAGE_FACTOR || team.stage == TLK_STAGE_FORWARD ||
                        team.stage == TLK_STAGE_BACKWARD;
    if (levels && is_narrow(g, a, team.level, team.lanes))
        gang_level(g, g.level[a.level + team.level], g.level[a.level + team.level + 1], team,
                   work::counts(&g));
    else
        work::turn(&g, i, team);
}

/* One articulation; `meet` is where all of its threads wait for each other. Levels follow each
 * other without a look at what is next; those of few nodes are done by the first `few` threads
 * alone, which wait for each other in `huddle`. */
template <class work, typename meeting, typename huddling>
static __device__ __forceinline__ void do_team(const tlk_joints &g, uint32_t i, tlk_team team,
                                               uint32_t few, meeting meet, huddling huddle)
{
    const volatile uint32_t *stage = &g.how[i].stage, *level = &g.how[i].level;
    const tlk_articulation a = g.articulation[i];
    if (team.lane == 0)
        work::begin(&g, i);
    meet();
    while ((team.stage = *stage) != TLK_STAGE_END) {
        team.level = *level;
        uint32_t left = tlk_levels_left(&a, team.stage, team.level);
        for (bool together = left == 0 || !is_narrow(g, a, team.level, few);; left--) {
            const uint32_t next =
                team.stage == TLK_STAGE_BACKWARD ? team.level - 1 : team.level + 1;
            const bool all = left < 2 || !is_narrow(g, a, next, few);
            if (together)
                do_turn<work>(g, i, a, team);
            else if (team.lane < few)
                do_turn<work>(g, i, a, {team.lane, few, team.stage, team.level});
            if (together || all)
                meet();
            else if (team.lane < few)
                huddle();
            if (!left)
                break;
            team.level = next;
            together = all;
        }
        if (team.lane == 0) {
            g.how[i].level = team.level;
            work::next(&g, i);
        }
        meet();
    }
}

/* A block: its first warp does what is narrow. */
template <class work>
static __device__ __forceinline__ void do_block_team(const tlk_joints &g, uint32_t i)
{
    do_team<work>(
        g, i, {threadIdx.x, blockDim.x, 0, 0}, 32u, [] { __syncthreads(); }, [] { __syncwarp(); });
}

template <class work>
static __global__ void __launch_bounds__(TEAM_THREADS)
    block_team(const __grid_constant__ tlk_joints g, uint32_t begin)
{
    if (!is_large(g, begin + blockIdx.x))
        do_block_team<work>(g, begin + blockIdx.x);
}

/* All blocks: the first of them does what is narrow. */
template <class work>
static __global__ void __launch_bounds__(TEAM_SPREAD, TEAM_BLOCKS)
    grid_team(const __grid_constant__ tlk_joints g, uint32_t begin, uint32_t end)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const tlk_team team = {blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x, 0, 0};
    for (uint32_t i = begin; i < end; i++)
        if (is_large(g, i))
            do_team<work>(
                g, i, team, blockDim.x, [&] { grid.sync(); }, [] { __syncthreads(); });
}

#endif
