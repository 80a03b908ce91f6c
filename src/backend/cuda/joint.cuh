/* Articulations on a GPU: one by a block, or by part of a warp where they are small and many, whose
 * threads share it stage by stage (kernels/joint/team.h); those that are large, one after the other
 * by all blocks. Included by team.cuh, and by a test that runs it without a GPU. */
#ifndef TL_BACKEND_CUDA_JOINT_CUH
#define TL_BACKEND_CUDA_JOINT_CUH

#include "backend/cuda/gang.cuh"
#include "backend/cuda/swept.cuh"

#define TEAM_SHARING 4u    /* articulations of a warp, at most */
#define TEAM_THREADS 512u  /* of a block, at most */
#define TEAM_LARGE   1024u /* nodes from which all blocks work on an articulation */
#define TEAM_SPREAD  128u  /* threads of a block then, */
#define TEAM_BLOCKS  4u    /* and blocks of a processor: what hides how long memory takes */

static_assert(TEAM_THREADS <= 32 * SWEPT_WARPS, "each warp has its place");

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
    static __host__ __device__ __forceinline__ bool sweeps(const tlk_joints &g)
    {
        return g.passes == 1 && !g.rough && !g.iterate && (g.sweeping || g.positions);
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
    static __host__ __device__ __forceinline__ bool sweeps(const tlk_joints &)
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
    if (team.stage == TLK_STAGE_WEIGH)
        gang_weigh(g, a, g.how + i, team);
    else if (levels && is_narrow(g, a, team.level, team.lanes))
        gang_level(g, g.level[a.level + team.level], g.level[a.level + team.level + 1], team,
                   work::counts(&g));
    else
        work::turn(&g, i, team);
}

/* The stages of one articulation, of which the first is known; `meet` is where all of its threads
 * wait for each other. Levels follow each other without a look at what is next; those of few nodes
 * are done by the first `few` threads alone, which wait for each other in `huddle`. Returns whether
 * there are new factors. */
template <class work, typename meeting, typename huddling>
static __device__ __forceinline__ bool do_stages(const tlk_joints &g, uint32_t i, tlk_team team,
                                                 uint32_t few, meeting meet, huddling huddle)
{
    const volatile uint32_t *stage = &g.how[i].stage, *level = &g.how[i].level;
    const tlk_articulation a = g.articulation[i];
    bool factored = false;
    while ((team.stage = *stage) != TLK_STAGE_END) {
        team.level = *level;
        factored = factored || team.stage == TLK_STAGE_FACTOR;
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
    return factored;
}

/* What stages look at, by a team: else they wait for one piece after the other. `solves`: with
 * factors that there are. */
static __device__ __forceinline__ void
fetch_articulation(const tlk_joints &g, const tlk_articulation &a, tlk_team team, bool solves)
{
    const uint32_t rank = team.lane, all = team.lanes;
    const tlk_node *first = g.node + a.node, *last = g.node + a.node_end - 1;
    fetch(first, last + 1, rank, all);
    fetch(g.source + first->sources, g.source + last->sources_end, rank, all);
    fetch(g.link + first->links, g.link + last->last + 1, rank, all);
    if (solves)
        fetch(g.block + a.block, g.block + a.block_end, rank, all);
    for (uint32_t k = a.joint + rank; k < a.joint_end; k += all) {
        const tlk_joint *j = g.joint + g.list[k];
        fetch(j, j + 1, 0, 1);
        fetch(g.jacobian + j->jacobian, g.jacobian + j->jacobian + 6 * j->rows * j->bodies, 0, 1);
    }
}

/* One articulation, by threads of several blocks. */
template <class work, typename meeting, typename huddling>
static __device__ __forceinline__ void do_team(const tlk_joints &g, uint32_t i, tlk_team team,
                                               uint32_t few, meeting meet, huddling huddle)
{
    if (team.lane == 0)
        work::begin(&g, i);
    meet();
    do_stages<work>(g, i, team, few, meet, huddle);
}

/* One articulation, by `lanes` threads: a block, of which the first warp does what is narrow, or
 * part of a warp. How it is doing is in shared memory meanwhile; where there is room for so many
 * numbers, so are its blocks and its vector. */
template <class work>
static __device__ __forceinline__ void do_block_team(const tlk_joints &g, uint32_t i,
                                                     uint32_t lanes, double *room, uint32_t size)
{
    __shared__ tlk_articulated hows[TEAM_SHARING];
    const uint32_t words = sizeof(tlk_articulated) / sizeof(uint32_t), share = threadIdx.x / lanes;
    const tlk_team team = {threadIdx.x % lanes, lanes, 0, 0};
    const uint32_t warp = tlk_team_mask(team);
    const auto huddle = [=] { __syncwarp(warp); };
    const auto meet = [=] {
        if (lanes < 32)
            __syncwarp(warp);
        else
            __syncthreads();
    };
    if (work::sweeps(g) && lanes == blockDim.x && g.swept <= size && do_swept(g, i, room))
        return;
    const tlk_articulation a = g.articulation[i];
    const uint32_t blocks = a.block_end - a.block;
    const bool near = blocks + (a.vector_end - a.vector) <= size;
    tlk_joints own = g;
    room += share * size;
    own.how = hows + share - i;
    if (near) {
        own.block = room - a.block;
        own.x = room + blocks - a.vector;
    }
    uint32_t *how = (uint32_t *)(hows + share), *outside = (uint32_t *)(g.how + i);
    for (uint32_t k = team.lane; k < words; k += lanes)
        how[k] = outside[k];
    meet();
    if (team.lane == 0)
        work::begin(&own, i);
    meet();
    const uint32_t stage = own.how[i].stage;
    if (stage != TLK_STAGE_END && !g.iterate)
        fetch_articulation(g, a, team, !near && stage != TLK_STAGE_BODIES);
    if (near && stage != TLK_STAGE_END && stage != TLK_STAGE_BODIES && own.how[i].factored)
        for (uint32_t k = team.lane; k < blocks; k += lanes)
            room[k] = g.block[a.block + k];
    meet();
    const bool factored = do_stages<work>(own, i, team, tlk_min(lanes, 32u), meet, huddle);
    for (uint32_t k = team.lane; near && factored && k < blocks; k += lanes)
        g.block[a.block + k] = room[k];
    for (uint32_t k = team.lane; k < words; k += lanes)
        outside[k] = how[k];
}

#endif
