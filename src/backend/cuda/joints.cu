/* Articulations on the CUDA backend, for one precision: kernels whose threads share them
 * (joint.cuh). Compiled twice, as kernels.cu is. */
#include "kernels/joint.h"

#include "backend/cuda/cuda.h"

#include <cooperative_groups.h>

#include "backend/cuda/joint.cuh"

#define TEAM_FEW 256u /* articulations up to which each has more threads than it has nodes */

/* Articulations, by the threads that the largest of them has work for. */
template <class work>
static void launch_teams(const void *args, uint32_t begin, uint32_t end, cudaStream_t stream)
{
    const tlk_joints &g = *(const tlk_joints *)args;
    /* a level, roughly, or gangs for the nodes of a narrow one */
    const uint32_t wanted = end - begin <= TEAM_FEW ? 2 * g.largest : g.largest / 2;
    const uint32_t wide = (wanted + 31) / 32 * 32;
    const uint32_t threads = wide < 32 ? 32 : wide < TEAM_THREADS ? wide : TEAM_THREADS;
    block_team<work><<<end - begin, threads, 0, stream>>>(g, begin);
    if (g.largest < TEAM_LARGE)
        return;
    int device = 0, processors = 1, each = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, (const void *)grid_team<work>,
                                                  (int)TEAM_SPREAD, 0);
    const uint32_t many = g.largest / 2 / TEAM_SPREAD, most = (uint32_t)(processors * each);
    const uint32_t blocks = many < most ? many : most;
    void *all[] = {(void *)args, &begin, &end};
    cudaLaunchCooperativeKernel((const void *)grid_team<work>, dim3(blocks), dim3(TEAM_SPREAD), all,
                                0, stream);
}

/* They are independent: `serial` means nothing. */
void TL_CUDA_OF(tl_cuda_joint_project)(const void *args, uint32_t begin, uint32_t end, bool,
                                       cudaStream_t stream)
{
    launch_teams<projecting>(args, begin, end, stream);
}

void TL_CUDA_OF(tl_cuda_joint_assemble)(const void *args, uint32_t begin, uint32_t end, bool,
                                        cudaStream_t stream)
{
    launch_teams<assembling>(args, begin, end, stream);
}
