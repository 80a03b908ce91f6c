/* Projections: velocities of articulations onto joints, on the CUDA backend, for one precision.
 * Articulations are independent: `serial` means nothing. Compiled twice, as kernels.cu is. */
#include "backend/cuda/team.cuh"

void TL_CUDA_OF(tl_cuda_joint_project)(const void *args, uint32_t begin, uint32_t end, bool,
                                       cudaStream_t stream)
{
    launch_teams<projecting>(args, begin, end, stream);
}
