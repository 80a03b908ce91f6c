/* The kernels of articulations and their launchers, for one precision: project.cu and assemble.cu
 * have one work each, which nvcc takes minutes for. */
#ifndef TL_BACKEND_CUDA_TEAM_CUH
#define TL_BACKEND_CUDA_TEAM_CUH

#include "kernels/joint.h"

#include "backend/cuda/cuda.h"

#include <cooperative_groups.h>

#include "backend/cuda/joint.cuh"

#define TEAM_FEW    256u  /* articulations up to which each has more threads than nodes */
#define TEAM_MOST   16u   /* articulations of a processor whose numbers are near at once */
#define TEAM_SYSTEM 2048u /* bytes of shared memory that the system and each block have besides */

/* By `lanes` threads each; `size`: numbers that each has room for in shared memory. Without the 1
 * nvcc keeps to 64 registers, and 1.5 kB of a thread are spilled. */
template <class work>
static __global__ void __launch_bounds__(TEAM_THREADS, 1)
    block_team(const __grid_constant__ tlk_joints g, uint32_t begin, uint32_t end, uint32_t lanes,
               uint32_t size)
{
    extern __shared__ __align__(16) double room[];
    const uint32_t i = begin + (blockIdx.x * blockDim.x + threadIdx.x) / lanes;
    if (i < end && !is_large(g, i))
        do_block_team<work>(g, i, lanes, room, size);
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

/* One after the other. */
template <class work>
static void launch_large(const tlk_joints &g, uint32_t begin, uint32_t end, int processors,
                         cudaStream_t stream)
{
    int each = 1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, (const void *)grid_team<work>,
                                                  (int)TEAM_SPREAD, 0);
    const uint32_t wanted = 2 * g.largest / TEAM_SPREAD, most = (uint32_t)(processors * each);
    const uint32_t blocks = wanted < most ? wanted : most;
    void *all[] = {(void *)&g, &begin, &end};
    cudaLaunchCooperativeKernel((const void *)grid_team<work>, dim3(blocks), dim3(TEAM_SPREAD), all,
                                0, stream);
}

/* Numbers that each of so many articulations has room for in shared memory, `sharing` of them in a
 * block: for all that is looked at among sweeps, where each has a block; for factors and vectors in
 * the first projection of a step, which makes factors: others hardly look at a number twice. None
 * where there is not enough for all of them. */
template <class work>
static uint32_t room_near(const tlk_joints &g, uint32_t count, uint32_t sharing, int device,
                          uint32_t processors)
{
    static uint64_t told; /* GPUs that know how much a block may have */
    const bool sweeps = work::sweeps(g) && count <= TEAM_FEW;
    const uint32_t wanted = sweeps ? g.swept : g.room;
    int most = 0;
    if (!sweeps && (!g.rough || g.look))
        return 0;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    const uint32_t each = (count + processors - 1) / processors;
    const uint32_t blocks = ((each < TEAM_MOST ? each : TEAM_MOST) + sharing - 1) / sharing;
    if (sharing * wanted * sizeof(double) + TEAM_SYSTEM > (uint32_t)most / blocks)
        return 0;
    if (!(told >> device % 64 & 1))
        cudaFuncSetAttribute(block_team<work>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most - (int)TEAM_SYSTEM);
    told |= (uint64_t)1 << device % 64;
    return wanted;
}

/* Articulations, by the threads that the largest of them has work for. */
template <class work>
static void launch_teams(const void *args, uint32_t begin, uint32_t end, cudaStream_t stream)
{
    const tlk_joints &g = *(const tlk_joints *)args;
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    /* a level, roughly, or gangs for the nodes of a narrow one */
    const uint32_t count = end - begin, wanted = count <= TEAM_FEW ? 4 * g.largest : g.largest / 2;
    const uint32_t wide = (wanted + 31) / 32 * 32;
    const uint32_t lanes = wanted > TEAM_THREADS              ? TEAM_THREADS
                           : count <= TEAM_FEW || wanted > 16 ? wide
                           : wanted > 8                       ? 16
                                                              : 8;
    const uint32_t threads = lanes < 32 ? 32 : lanes, sharing = threads / lanes;
    const uint32_t size = room_near<work>(g, count, sharing, device, (uint32_t)processors);
    block_team<work>
        <<<(count + sharing - 1) / sharing, threads, sharing * size * sizeof(double), stream>>>(
            g, begin, end, lanes, size);
    if (g.largest >= TEAM_LARGE)
        launch_large<work>(g, begin, end, processors, stream);
}

#endif
