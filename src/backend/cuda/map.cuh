/* The launchers of one list of kernels (TL_CUDA_LIST), for one precision: a thread an item, the
 * same headers as on the CPU. Then table.cuh, for the table in kernels.cu. Where a layout of its
 * own was measured to pay, a file defines map_NAME as another launcher in between. */
#ifndef TL_BACKEND_CUDA_MAP_CUH
#define TL_BACKEND_CUDA_MAP_CUH

#include "backend/cuda/cuda.h"
#include "backend/cuda/fold.cuh"

#define LAUNCH(kernel, blocks, threads, stream, ...) \
    kernel<<<blocks, threads, 0, stream>>>(__VA_ARGS__)

#define TLK_MAP(name, type)                                                                       \
    static __global__ void __launch_bounds__(THREADS)                                             \
        run_##name(const __grid_constant__ type a, uint32_t begin, uint32_t end)                  \
    {                                                                                             \
        const uint32_t i = begin + blockIdx.x * THREADS + threadIdx.x;                            \
        if (i < end)                                                                              \
            tlk_##name(&a, i);                                                                    \
    }                                                                                             \
    [[maybe_unused]] static void map_##name(const void *args, uint32_t begin, uint32_t end,       \
                                            bool serial, cudaStream_t stream)                     \
    {                                                                                             \
        const type &a = *(const type *)args;                                                      \
        for (; serial && begin < end; begin++) /* one item, but for sweeps, launched otherwise */ \
            run_##name<<<1, THREADS, 0, stream>>>(a, begin, begin + 1);                           \
        if (begin < end)                                                                          \
            run_##name<<<(end - begin + THREADS - 1) / THREADS, THREADS, 0, stream>>>(a, begin,   \
                                                                                      end);       \
    }
/* A block folds a chunk: a thread looks at one item; then a thread takes the items of one lane for
 * one number, in order; then one thread a number takes the lanes, in order. Then a thread takes one
 * number of one group of chunks, and one number of all groups, in order. */
#define TLK_REDUCE(name, type, n, ops)                                                            \
    static __global__ void __launch_bounds__(TLK_FOLD_CHUNK)                                      \
        chunk_##name(const __grid_constant__ type a, uint32_t count, double *partial)             \
    {                                                                                             \
        __shared__ double items[n][TLK_FOLD_CHUNK], lanes[n][TLK_LANES];                          \
        const uint64_t i = (uint64_t)blockIdx.x * TLK_FOLD_CHUNK + threadIdx.x;                   \
        const char operations[] = ops;                                                            \
        double acc[n];                                                                            \
        for (int k = 0; k < n; k++)                                                               \
            acc[k] = fold_start(operations[k]);                                                   \
        if (i < count)                                                                            \
            tlk_##name(&a, (uint32_t)i, acc);                                                     \
        for (int k = 0; k < n; k++)                                                               \
            items[k][threadIdx.x] = acc[k];                                                       \
        __syncthreads();                                                                          \
        const uint32_t k = threadIdx.x / TLK_LANES, lane = threadIdx.x % TLK_LANES;               \
        if (k < n) {                                                                              \
            double number = fold_start(operations[k]);                                            \
            for (uint32_t j = lane; j < TLK_FOLD_CHUNK; j += TLK_LANES)                           \
                number = fold_pair(operations[k], number, items[k][j]);                           \
            lanes[k][lane] = number;                                                              \
        }                                                                                         \
        __syncthreads();                                                                          \
        if (threadIdx.x < n) {                                                                    \
            const char operation = operations[threadIdx.x];                                       \
            double number = fold_start(operation);                                                \
            for (uint32_t l = 0; l < TLK_LANES; l++)                                              \
                number = fold_pair(operation, number, lanes[threadIdx.x][l]);                     \
            partial[(size_t)blockIdx.x * TLK_FOLD_NUMBERS + threadIdx.x] = number;                \
        }                                                                                         \
    }                                                                                             \
    static void fold_##name(const void *args, uint32_t count, double *parts, cudaStream_t stream) \
    {                                                                                             \
        double *each = parts + (size_t)tl_fold_groups(count) * TLK_FOLD_NUMBERS;                  \
        if (count)                                                                                \
            chunk_##name<<<tl_fold_chunks(count), TLK_FOLD_CHUNK, 0, stream>>>(                   \
                *(const type *)args, count, each);                                                \
    }
#include TL_CUDA_LIST
#undef TLK_MAP
#undef TLK_REDUCE

#endif
