/* The table of kernels of the CUDA backend for one precision, and the ends of folds. Lists of
 * kernels are compiled each by itself (find.cu, rows.cu, ...), all twice, with
 * -DTLK_PRECISION_mixed and -DTLK_PRECISION_double, and without fused multiply-add, so that a GPU
 * gives the same bits as a CPU. */
#include "kernels/real.h"

#include "backend/cuda/cuda.h"
#include "backend/cuda/fold.cuh"

#include <string.h>

/* The operations of a fold, a byte each. */
static uint64_t fold_codes(const char *operations)
{
    uint64_t codes = 0;
    for (int k = 0; operations[k]; k++)
        codes |= (uint64_t)(uint8_t)operations[k] << 8 * k;
    return codes;
}

/* Folds `count` numbers that lie TLK_FOLD_NUMBERS apart, in order: AT_ONCE are fetched together. */
#define AT_ONCE 32u
static __device__ __forceinline__ double fold_run(char operation, const double *from,
                                                  uint32_t count)
{
    double number = fold_start(operation), some[AT_ONCE];
    for (uint32_t first = 0; first < count; first += AT_ONCE) {
        const uint32_t left = tlk_min(count - first, AT_ONCE);
#pragma unroll
        for (uint32_t i = 0; i < AT_ONCE; i++)
            some[i] = from[(size_t)(first + tlk_min(i, left - 1)) * TLK_FOLD_NUMBERS];
#pragma unroll
        for (uint32_t i = 0; i < AT_ONCE; i++)
            if (i < left)
                number = fold_pair(operation, number, some[i]);
    }
    return number;
}

/* What is left of a fold when its chunks are done. */
typedef struct fold_job {
    uint32_t chunks, numbers;
    uint64_t codes;
    const double *each;
    double *groups, *result;
} fold_job;

typedef struct fold_jobs {
    fold_job job[TL_CUDA_FOLDS];
} fold_jobs;

static __host__ __device__ __forceinline__ uint32_t groups_of(const fold_job &f)
{
    return (f.chunks + TLK_FOLD_GROUP - 1) / TLK_FOLD_GROUP;
}

/* Whether one block does the groups too. */
static __host__ __device__ __forceinline__ bool few_groups(const fold_job &f)
{
    return groups_of(f) * TLK_FOLD_NUMBERS <= THREADS;
}

/* Number j % TLK_FOLD_NUMBERS of group j / TLK_FOLD_NUMBERS. */
static __device__ __forceinline__ void fold_group(const fold_job &f, uint32_t j)
{
    const uint32_t k = j % TLK_FOLD_NUMBERS, first = j / TLK_FOLD_NUMBERS * TLK_FOLD_GROUP;
    if (first < f.chunks && k < f.numbers)
        f.groups[j] =
            fold_run((char)(f.codes >> 8 * k), f.each + (size_t)first * TLK_FOLD_NUMBERS + k,
                     tlk_min(f.chunks - first, TLK_FOLD_GROUP));
}

static __global__ void fold_groups(const __grid_constant__ fold_jobs jobs)
{
    fold_group(jobs.job[blockIdx.y], blockIdx.x * TLK_FOLD_NUMBERS + threadIdx.x);
}

/* A block a fold: the groups, where they are few, and then the numbers. */
static __global__ void fold_last(const __grid_constant__ fold_jobs jobs)
{
    const fold_job &f = jobs.job[blockIdx.x];
    const uint32_t j = threadIdx.x;
    if (few_groups(f))
        fold_group(f, j);
    __syncthreads();
    if (j < TLK_FOLD_NUMBERS)
        f.result[j] =
            j < f.numbers ? fold_run((char)(f.codes >> 8 * j), f.groups + j, groups_of(f)) : 0;
}

static const char *const operations_of[] = {
#define TLK_MAP(name, type)
#define TLK_REDUCE(name, type, n, ops) ops,
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
};

/* What comes after the chunks of some folds. */
static void fold_rest(const tl_folding *folds, size_t count, double *const *parts,
                      double *const *results, cudaStream_t stream)
{
    fold_jobs jobs = {};
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const char *operations = operations_of[folds[i].fold];
        const uint32_t groups = tl_fold_groups(folds[i].count);
        fold_job &f = jobs.job[i];
        f.chunks = tl_fold_chunks(folds[i].count);
        f.numbers = (uint32_t)strlen(operations);
        f.codes = fold_codes(operations);
        f.each = parts[i] + (size_t)groups * TLK_FOLD_NUMBERS;
        f.groups = parts[i];
        f.result = results[i];
        most = few_groups(f) ? most : tlk_max(most, groups);
    }
    if (most)
        fold_groups<<<dim3(most, (uint32_t)count), TLK_FOLD_NUMBERS, 0, stream>>>(jobs);
    fold_last<<<(uint32_t)count, THREADS, 0, stream>>>(jobs);
}

#define TLK_MAP(name, type)                                                                      \
    void TL_CUDA_OF(tl_cuda_##name)(const void *args, uint32_t begin, uint32_t end, bool serial, \
                                    cudaStream_t stream);
#define TLK_REDUCE(name, type, n, ops)                                                    \
    void TL_CUDA_OF(tl_cuda_fold_##name)(const void *args, uint32_t count, double *parts, \
                                         cudaStream_t stream);
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE

extern const tl_cuda_kernels TL_CUDA_OF(tl_cuda) = {{
#define TLK_MAP(name, type) TL_CUDA_OF(tl_cuda_##name),
#define TLK_REDUCE(name, type, n, ops)
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
                                                    },
                                                    {
#define TLK_MAP(name, type)
#define TLK_REDUCE(name, type, n, ops) TL_CUDA_OF(tl_cuda_fold_##name),
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
                                                    },
                                                    fold_rest,
                                                    TL_CUDA_OF(tl_cuda_sweep),
                                                    TL_CUDA_OF(tl_cuda_colour_all),
                                                    TL_CUDA_OF(tl_cuda_momentum)};
