/* How many blocks of a cooperative kernel, whose threads wait for each other, may be launched. */
#ifndef TL_BACKEND_CUDA_BLOCKS_CUH
#define TL_BACKEND_CUDA_BLOCKS_CUH

#include "backend/cuda/cuda.h"

/* The blocks of a kernel that are on the thread's current GPU at once; asked once and noted. */
static uint32_t most_blocks(const void *kernel, uint32_t threads, int *noted)
{
    int device = 0, processors = 0, blocks = 0;
    if (!*noted) {
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)threads, 0);
        *noted = processors * blocks;
    }
    return (uint32_t)*noted;
}

#endif
