/* Kernels that make the contact problem, on a GPU. */
#include "kernels/bounce.h"
#include "kernels/contacts.h"
#include "kernels/crowd.h"
#include "kernels/impact.h"
#include "kernels/planes.h"

#define TL_CUDA_LIST "kernels/rows.inc"
#include "backend/cuda/map.cuh"
#include "backend/cuda/table.cuh"

#include "backend/cuda/blocks.cuh"

#include <cooperative_groups.h>

#define COLOUR_THREADS 256u
#define MOST_THREADS   1024u
#define FEW_CONTACTS   65536u /* to be coloured by one block */

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

static __global__ void __launch_bounds__(COLOUR_THREADS)
    grid_colour_rounds(const __grid_constant__ tlk_colour c)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    do_colour_rounds(c, blockIdx.x * COLOUR_THREADS + threadIdx.x, gridDim.x * COLOUR_THREADS,
                     [&] { grid.sync(); });
}

static __global__ void __launch_bounds__(MOST_THREADS)
    block_colour_rounds(const __grid_constant__ tlk_colour c)
{
    do_colour_rounds(c, threadIdx.x, MOST_THREADS, [] { __syncthreads(); });
}

cudaError_t TL_CUDA_OF(tl_cuda_colour_all)(const tlk_colour *args, uint32_t contacts,
                                           tl_cuda_blocks *noted, cudaStream_t stream)
{
    if (contacts <= FEW_CONTACTS) {
        block_colour_rounds<<<1, MOST_THREADS, 0, stream>>>(*args);
        return cudaPeekAtLastError();
    }
    const uint32_t most =
        most_blocks((const void *)grid_colour_rounds, COLOUR_THREADS, &noted->most[TL_CUDA_COLOUR]);
    const uint32_t wanted = (contacts / 16 + COLOUR_THREADS) / COLOUR_THREADS; /* few are fresh */
    const uint32_t blocks = wanted < most ? wanted : most;
    void *all[] = {(void *)args};
    return cudaLaunchCooperativeKernel((const void *)grid_colour_rounds, dim3(blocks),
                                       dim3(COLOUR_THREADS), all, 0, stream);
}
