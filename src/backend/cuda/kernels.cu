/* The kernels of the CUDA backend for one precision: the same headers as on the CPU, a thread an item.
 * Compiled twice, with -DTLK_PRECISION_mixed and -DTLK_PRECISION_double, and without fused
 * multiply-add, so that a GPU gives the same bits as a CPU. */
#include "kernels/bodies.h"
#include "kernels/contacts.h"
#include "kernels/find.h"
#include "kernels/solve.h"

#include "backend/cuda/cuda.h"

#define THREADS 256u

/* Where each lane of a chunk starts for a kind of sum. */
static __device__ double fold_start(char operation)
{
    return operation == 's' ? 0 : operation == 'M' ? -1e300 : 1e300;
}

#define TLK_MAP(name, type)                                                                        \
    static __global__ void __launch_bounds__(THREADS)                                              \
        run_##name(const __grid_constant__ type a, uint32_t begin, uint32_t end)                   \
    {                                                                                              \
        const uint32_t i = begin + blockIdx.x * THREADS + threadIdx.x;                             \
        if (i < end)                                                                               \
            tlk_##name(&a, i);                                                                     \
    }                                                                                              \
    static __global__ void serial_##name(const __grid_constant__ type a, uint32_t begin, uint32_t end) \
    {                                                                                              \
        for (uint32_t i = begin; i < end; i++)                                                     \
            tlk_##name(&a, i);                                                                     \
    }                                                                                              \
    static void map_##name(const void *args, uint32_t begin, uint32_t end, bool serial,            \
                           cudaStream_t stream)                                                    \
    {                                                                                              \
        const type &a = *(const type *)args;                                                       \
        if (serial)                                                                                \
            serial_##name<<<1, 1, 0, stream>>>(a, begin, end);                                     \
        else                                                                                       \
            run_##name<<<(end - begin + THREADS - 1) / THREADS, THREADS, 0, stream>>>(a, begin, end); \
    }
/* A block folds 16 chunks of 1,024 items: a thread takes one lane of one chunk, in order; then one thread
 * of the chunk takes the lanes, in order: the CPU's order. */
#define TLK_REDUCE(name, type, n, ops)                                                             \
    static __global__ void __launch_bounds__(128)                                                  \
        chunk_##name(const __grid_constant__ type a, uint32_t count, double *partial)              \
    {                                                                                              \
        __shared__ double lanes[128][n];                                                           \
        const uint32_t lane = threadIdx.x % TLK_LANES;                                             \
        const uint32_t chunk = blockIdx.x * 16 + threadIdx.x / TLK_LANES;                          \
        const char operations[] = ops;                                                             \
        double acc[n];                                                                             \
        for (int k = 0; k < n; k++)                                                                \
            acc[k] = fold_start(operations[k]);                                                    \
        for (uint32_t j = lane; j < TL_CUDA_CHUNK; j += TLK_LANES) {                               \
            const uint64_t i = (uint64_t)chunk * TL_CUDA_CHUNK + j;                                \
            if (i < count)                                                                         \
                tlk_##name(&a, (uint32_t)i, acc);                                                  \
        }                                                                                          \
        for (int k = 0; k < n; k++)                                                                \
            lanes[threadIdx.x][k] = acc[k];                                                        \
        __syncthreads();                                                                           \
        if (lane || (uint64_t)chunk * TL_CUDA_CHUNK >= count)                                      \
            return;                                                                                \
        for (int k = 0; k < n; k++) {                                                              \
            double number = fold_start(operations[k]);                                             \
            for (uint32_t l = 0; l < TLK_LANES; l++) {                                             \
                const double x = lanes[threadIdx.x + l][k];                                        \
                if (operations[k] == 's')                                                          \
                    number += x;                                                                   \
                else if ((operations[k] == 'M') == (x > number))                                   \
                    number = x;                                                                    \
            }                                                                                      \
            partial[(size_t)chunk * TLK_FOLD_NUMBERS + k] = number;                                \
        }                                                                                          \
    }                                                                                              \
    static void fold_##name(const void *args, uint32_t count, double *partial, cudaStream_t stream) \
    {                                                                                              \
        const uint32_t chunks = (count + TL_CUDA_CHUNK - 1) / TL_CUDA_CHUNK;                       \
        chunk_##name<<<(chunks + 15) / 16, 128, 0, stream>>>(*(const type *)args, count, partial); \
    }
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE

#if defined(TLK_PRECISION_double)
#define TABLE tl_cuda_double
#else
#define TABLE tl_cuda_mixed
#endif
extern const tl_cuda_kernels TABLE = {{
#define TLK_MAP(name, type)            map_##name,
#define TLK_REDUCE(name, type, n, ops)
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
                                      },
                                      {
#define TLK_MAP(name, type)
#define TLK_REDUCE(name, type, n, ops) fold_##name,
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
                                      }};
