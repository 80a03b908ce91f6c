/* Kernels of penalty contact, on a GPU. */
#include "kernels/penalty/collide.h"
#include "kernels/penalty/lists.h"
#include "kernels/penalty/move.h"
#include "kernels/penalty/whole.h"

#define TL_CUDA_LIST "kernels/penalty.inc"
#include "backend/cuda/map.cuh"
#include "backend/cuda/whole.cuh"

/* Forces where each pair has one point: a kernel of its own, so that the narrow phase of other
 * shapes takes no registers of it. */
static __global__ void __launch_bounds__(128, 4)
    run_penalty_force_one(const __grid_constant__ tlk_penalty a, uint32_t begin, uint32_t end)
{
    const uint32_t i = begin + blockIdx.x * 128 + threadIdx.x;
    if (i < end)
        tlk_penalty_force_one(&a, i);
}

static void tuned_penalty_force(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_penalty &a = *(const tlk_penalty *)args;
    if (a.place || serial)
        map_penalty_force(args, begin, end, serial, stream);
    else
        LAUNCH(run_penalty_force_one, (end - begin + 127) / 128, 128, stream, a, begin, end);
}

#define map_penalty_force  tuned_penalty_force
#define map_penalty_choose tuned_penalty_choose
#define map_penalty_whole  tuned_penalty_whole
#include "backend/cuda/table.cuh"
