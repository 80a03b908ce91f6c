/* Launching kernels whose threads wait for each other: all blocks are on the GPU at once. Included
 * by kernels.cu. */
#ifndef TL_BACKEND_CUDA_LAUNCH_CUH
#define TL_BACKEND_CUDA_LAUNCH_CUH

#include "backend/cuda/sweep.cuh"

#define MOST_THREADS 1024u
#define FEW_ROWS     16384u /* of a colour */
#define FEW_CONTACTS 65536u /* to be coloured by one block */

static_assert(TL_CUDA_GRID + SWEEP_KINDS <= TL_CUDA_FLOW &&
                  TL_CUDA_FLOW + SWEEP_KINDS <= TL_CUDA_COLOUR,
              "each kernel has a number of its own");

/* The blocks of a kernel that are on the thread's current GPU at once; asked once and noted. */
static uint32_t most_blocks(const void *kernel, int *noted)
{
    int device = 0, processors = 0, blocks = 0;
    if (!*noted) {
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)GRID_THREADS, 0);
        *noted = processors * blocks;
    }
    return (uint32_t)*noted;
}

static cudaError_t launch_grid(const void *kernel, int *noted, uint32_t longest, void **args,
                               cudaStream_t stream)
{
    const uint32_t most = most_blocks(kernel, noted);
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

static cudaError_t sweeps(const tl_launch *launches, size_t count, uint32_t repeats,
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

/* Rounds of colouring until no contact is left, in one kernel: how many there are is known on the
 * GPU only. */
template <typename meeting>
static __device__ __forceinline__ void do_colour_rounds(const tlk_colour &c, uint32_t rank,
                                                        uint32_t all, meeting meet)
{
    volatile uint32_t *left = c.fresh_count + 1;
    const uint32_t n = c.fresh_count[0];
    for (uint32_t last = n; last > 0;) {
        for (uint32_t i = rank; i < n; i += all)
            tlk_colour_bid(&c, i);
        meet();
        if (rank == 0)
            *left = 0;
        for (uint32_t i = rank; i < n; i += all)
            tlk_colour_take(&c, i);
        meet();
        uint32_t mine = 0;
        for (uint32_t i = rank; i < n; i += all) {
            tlk_colour_clear(&c, i);
            mine += c.colour[tlk_first_contact(c.first, c.fresh[i])] == TLK_NONE;
        }
        if (mine)
            atomicAdd((uint32_t *)left, mine);
        meet();
        last = *left;
    }
}

static __global__ void __launch_bounds__(GRID_THREADS)
    grid_colour_rounds(const __grid_constant__ tlk_colour c)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    do_colour_rounds(c, blockIdx.x * GRID_THREADS + threadIdx.x, gridDim.x * GRID_THREADS,
                     [&] { grid.sync(); });
}

static __global__ void __launch_bounds__(MOST_THREADS)
    block_colour_rounds(const __grid_constant__ tlk_colour c)
{
    do_colour_rounds(c, threadIdx.x, MOST_THREADS, [] { __syncthreads(); });
}

static cudaError_t colour_rounds(const tlk_colour *args, uint32_t contacts, tl_cuda_blocks *noted,
                                 cudaStream_t stream)
{
    if (contacts <= FEW_CONTACTS) {
        block_colour_rounds<<<1, MOST_THREADS, 0, stream>>>(*args);
        return cudaPeekAtLastError();
    }
    const uint32_t most =
        most_blocks((const void *)grid_colour_rounds, &noted->most[TL_CUDA_COLOUR]);
    const uint32_t wanted = (contacts / 16 + GRID_THREADS) / GRID_THREADS; /* few are fresh */
    const uint32_t blocks = wanted < most ? wanted : most;
    void *all[] = {(void *)args};
    return cudaLaunchCooperativeKernel((const void *)grid_colour_rounds, dim3(blocks),
                                       dim3(GRID_THREADS), all, 0, stream);
}

#endif
