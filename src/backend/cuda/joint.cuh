/* Articulations on a GPU: one by a block, whose threads share it stage by stage
 * (kernels/joint/team.h); those that are large, one after the other by all blocks. Included by
 * kernels.cu, and by a test that runs it without a GPU. */
#ifndef TL_BACKEND_CUDA_JOINT_CUH
#define TL_BACKEND_CUDA_JOINT_CUH

#define TEAM_THREADS 512u  /* of a block, at most */
#define TEAM_LARGE   8192u /* nodes from which all blocks work on an articulation */
#define TEAM_SPREAD  128u  /* threads of a block then */

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
};

static __device__ __forceinline__ bool is_large(const tlk_joints &g, uint32_t i)
{
    return g.articulation[i].node_end - g.articulation[i].node >= TEAM_LARGE;
}

/* One articulation; `meet` is where all of its threads wait for each other. */
template <class work, typename meeting>
static __device__ __forceinline__ void do_team(const tlk_joints &g, uint32_t i, tlk_team team,
                                               meeting meet)
{
    const volatile uint32_t *stage = &g.how[i].stage;
    if (team.lane == 0)
        work::begin(&g, i);
    meet();
    while (*stage != TLK_STAGE_END) {
        work::turn(&g, i, team);
        meet();
        if (team.lane == 0)
            work::next(&g, i);
        meet();
    }
}

template <class work>
static __global__ void __launch_bounds__(TEAM_THREADS)
    block_team(const __grid_constant__ tlk_joints g, uint32_t begin)
{
    const uint32_t i = begin + blockIdx.x;
    const tlk_team team = {threadIdx.x, blockDim.x};
    if (!is_large(g, i))
        do_team<work>(g, i, team, [] { __syncthreads(); });
}

template <class work>
static __global__ void __launch_bounds__(TEAM_SPREAD)
    grid_team(const __grid_constant__ tlk_joints g, uint32_t begin, uint32_t end)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const tlk_team team = {blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x};
    for (uint32_t i = begin; i < end; i++)
        if (is_large(g, i))
            do_team<work>(g, i, team, [&] { grid.sync(); });
}

#endif
