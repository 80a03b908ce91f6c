/* Launching kernels whose threads wait for each other: all blocks are on the GPU at once. Included
 * by solve.cu. */
#ifndef TL_BACKEND_CUDA_LAUNCH_CUH
#define TL_BACKEND_CUDA_LAUNCH_CUH

#include "backend/cuda/blocks.cuh"
#include "backend/cuda/sweep.cuh"

#define FEW_ROWS 16384u /* of a colour */

static_assert(TL_CUDA_GRID + SWEEP_KINDS <= TL_CUDA_FLOW &&
                  TL_CUDA_FLOW + SWEEP_KINDS <= TL_CUDA_COLOUR,
              "each kernel has a number of its own");

static cudaError_t launch_grid(const void *kernel, int *noted, uint32_t longest, void **args,
                               cudaStream_t stream)
{
    const uint32_t most = most_blocks(kernel, GRID_THREADS, noted);
    /* few rows are spread over many processors: each is limited by the velocities it gathers */
    const uint32_t threads = longest <= FEW_ROWS ? 64 : GRID_THREADS;
    const uint32_t wanted = (longest + threads - 1) / threads;
    const uint32_t blocks = wanted < most ? wanted : most;
    return cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), args, 0, stream);
}

#if defined(FLOW)
static cudaError_t flow(const tl_launch *launches, size_t count, uint32_t repeats, uint32_t longest,
                        sweep_ranges *ranges, tl_cuda_blocks *blocks, cudaStream_t stream)
{
    static const void *const kernels[SWEEP_KINDS] = {NULL,
                                                     NULL,
                                                     (const void *)flow_sweeps<CENTRAL_COULOMB>,
                                                     (const void *)flow_sweeps<CENTRAL_NORMAL>,
                                                     (const void *)flow_sweeps<CENTRAL_START>,
                                                     (const void *)flow_sweeps<WALLS_COULOMB>,
                                                     NULL,
                                                     (const void *)flow_sweeps<WALLS_START>,
                                                     (const void *)flow_sweeps<MIXED_COULOMB>,
                                                     (const void *)flow_sweeps<MIXED_NORMAL>,
                                                     (const void *)flow_sweeps<MIXED_START>,
                                                     (const void *)flow_sweeps<POINTS_COULOMB>,
                                                     (const void *)flow_sweeps<POINTS_NORMAL>,
                                                     (const void *)flow_sweeps<POINTS_START>,
                                                     (const void *)flow_sweeps<MATERIAL_COULOMB>,
                                                     NULL,
                                                     (const void *)flow_sweeps<MATERIAL_START>};
    const tlk_problem *problem = (const tlk_problem *)launches[0].args;
    const int kind = sweep_kind(launches, count);
    const flow_colours colours = colours_of(*problem);
    cudaError_t e = cudaSuccess;
    while (repeats > 0 && e == cudaSuccess) {
        uint32_t passes = repeats < MOST_PASSES ? repeats : MOST_PASSES;
        void *args[] = {(void *)problem, ranges, &passes, (void *)&colours};
        e = launch_grid(kernels[kind], &blocks->most[TL_CUDA_FLOW + kind], longest, args, stream);
        repeats -= passes;
    }
    return e;
}
#endif

cudaError_t TL_CUDA_OF(tl_cuda_sweep)(const tl_launch *launches, size_t count, uint32_t repeats,
                                      tl_cuda_blocks *blocks, cudaStream_t stream)
{
#define SWEEP_KERNELS(name)                                                               \
    {                                                                                     \
        (const void *)name<ANY_ROWS>, (const void *)name<ANY_START>,                      \
            (const void *)name<CENTRAL_COULOMB>, (const void *)name<CENTRAL_NORMAL>,      \
            (const void *)name<CENTRAL_START>, (const void *)name<WALLS_COULOMB>, NULL,   \
            (const void *)name<WALLS_START>, (const void *)name<MIXED_COULOMB>,           \
            (const void *)name<MIXED_NORMAL>, (const void *)name<MIXED_START>,            \
            (const void *)name<POINTS_COULOMB>, (const void *)name<POINTS_NORMAL>,        \
            (const void *)name<POINTS_START>, (const void *)name<MATERIAL_COULOMB>, NULL, \
            (const void *)name<MATERIAL_START>                                            \
    }
    static const void *const on_grid[SWEEP_KINDS] = SWEEP_KERNELS(grid_sweeps);
    static const void *const in_block[SWEEP_KINDS] = SWEEP_KERNELS(block_sweeps);
    sweep_ranges ranges;
    const int kind = sweep_kind(launches, count);
    const uint32_t longest = list_ranges(launches, count, &ranges);
    void *args[] = {(void *)launches[0].args, &ranges, &repeats};
    if (longest <= BLOCK_THREADS)
        return cudaLaunchKernel(in_block[kind], dim3(1), dim3((longest + 31) / 32 * 32), args, 0,
                                stream);
#if defined(FLOW)
    if (kind >= CENTRAL_COULOMB && ((const tlk_problem *)launches[0].args)->turns)
        return flow(launches, count, repeats, longest, &ranges, blocks, stream);
#endif
    return launch_grid(on_grid[kind], &blocks->most[TL_CUDA_GRID + kind], longest, args, stream);
}

#endif
