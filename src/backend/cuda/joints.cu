/* Joints on the CUDA backend, for one precision, one at a time (staged.cuh). Articulations, by
 * kernels whose threads share them, are in project.cu and assemble.cu. Compiled twice, as
 * kernels.cu is. */
#include "kernels/joint.h"

#define TL_CUDA_LIST           "kernels/joint.inc"
#define TLK_TEAM(name, type)   /* in other files */
#define TLK_STAGED(name, type) /* below */
#include "backend/cuda/map.cuh"

#include "backend/cuda/staged.cuh"

template <class work>
static __global__ void __launch_bounds__(STAGED)
    staged(const __grid_constant__ tlk_joints g, uint32_t begin, uint32_t end)
{
    do_staged<work>(g, begin + blockIdx.x * STAGED, end);
}

template <class work>
static void launch_staged(const void *args, uint32_t begin, uint32_t end, cudaStream_t stream)
{
    staged<work><<<(end - begin + STAGED - 1) / STAGED, STAGED, 0, stream>>>(
        *(const tlk_joints *)args, begin, end);
}

static void tuned_joint_rows(const void *args, uint32_t begin, uint32_t end, bool,
                             cudaStream_t stream)
{
    launch_staged<staged_rows>(args, begin, end, stream);
}

static void tuned_joint_bend(const void *args, uint32_t begin, uint32_t end, bool,
                             cudaStream_t stream)
{
    launch_staged<staged_bend>(args, begin, end, stream);
}

static void tuned_joint_store(const void *args, uint32_t begin, uint32_t end, bool,
                              cudaStream_t stream)
{
    launch_staged<staged_store>(args, begin, end, stream);
}

#define map_joint_rows       tuned_joint_rows
#define map_joint_bend       tuned_joint_bend
#define map_joint_store      tuned_joint_store
#define TLK_TEAM(name, type) /* in other files */
#include "backend/cuda/table.cuh"
