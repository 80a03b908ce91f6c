/* The kernels of the CUDA backend for one precision: the same headers as on the CPU, a thread an
 * item. Compiled twice, with -DTLK_PRECISION_mixed and -DTLK_PRECISION_double, and without fused
 * multiply-add, so that a GPU gives the same bits as a CPU. */
#include "kernels/bodies.h"
#include "kernels/bounce.h"
#include "kernels/coarse.h"
#include "kernels/contacts.h"
#include "kernels/crowd.h"
#include "kernels/descent.h"
#include "kernels/look.h"
#include "kernels/gather.h"
#include "kernels/impact.h"
#include "kernels/joint.h"
#include "kernels/momentum.h"
#include "kernels/monitor.h"
#include "kernels/order.h"
#include "kernels/penalty/collide.h"
#include "kernels/penalty/lists.h"
#include "kernels/penalty/move.h"
#include "kernels/planes.h"
#include "kernels/query.h"
#include "kernels/smooth.h"
#include "kernels/solve.h"
#include "kernels/swing.h"
#include "kernels/touch.h"

#include "backend/cuda/cuda.h"

#include <cooperative_groups.h>
#include <string.h>

#define THREADS 256u

static __device__ __forceinline__ double fold_start(char operation)
{
    return operation == 's' ? 0 : operation == 'M' ? -1e300 : 1e300;
}

static __device__ __forceinline__ double fold_pair(char operation, double a, double b)
{
    if (operation == 's')
        return a + b;
    return (operation == 'M') == (b > a) ? b : a;
}

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
#define TLK_TEAM(name, type) /* joints.cu has them */
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE

#define LAUNCH(kernel, blocks, threads, stream, ...) \
    kernel<<<blocks, threads, 0, stream>>>(__VA_ARGS__)
#include "backend/cuda/find.cuh"
#include "backend/cuda/penalty.cuh"
#include "backend/cuda/word.cuh"
#include "backend/cuda/launch.cuh"

/* Where a layout of its own was measured to pay. */
#define map_bounds         tuned_bounds
#define map_bin_fill       tuned_bin_fill
#define map_contact_count  tuned_contact_count
#define map_contact_write  tuned_contact_write
#define map_match_contacts tuned_match_contacts
#define map_penalty_force  tuned_penalty_force
#define map_joint_project  TL_CUDA_OF(tl_cuda_joint_project)
#define map_joint_assemble TL_CUDA_OF(tl_cuda_joint_assemble)
#define map_joint_rows     TL_CUDA_OF(tl_cuda_joint_rows)
#define map_joint_bend     TL_CUDA_OF(tl_cuda_joint_bend)
#define map_joint_store    TL_CUDA_OF(tl_cuda_joint_store)

extern const tl_cuda_kernels TL_CUDA_OF(tl_cuda) = {{
#define TLK_MAP(name, type) map_##name,
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
                                                    },
                                                    fold_rest,
                                                    sweeps,
                                                    colour_rounds};
