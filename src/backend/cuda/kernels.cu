/* The kernels of the CUDA backend for one precision: the same headers as on the CPU, a thread an
 * item. Compiled twice, with -DTLK_PRECISION_mixed and -DTLK_PRECISION_double, and without fused
 * multiply-add, so that a GPU gives the same bits as a CPU. */
#include "kernels/bodies.h"
#include "kernels/contacts.h"
#include "kernels/find.h"
#include "kernels/solve.h"

#include "backend/cuda/cuda.h"

#include <cooperative_groups.h>

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

#define TLK_MAP(name, type)                                                                     \
    static __global__ void __launch_bounds__(THREADS)                                           \
        run_##name(const __grid_constant__ type a, uint32_t begin, uint32_t end)                \
    {                                                                                           \
        const uint32_t i = begin + blockIdx.x * THREADS + threadIdx.x;                          \
        if (i < end)                                                                            \
            tlk_##name(&a, i);                                                                  \
    }                                                                                           \
    static __global__ void serial_##name(const __grid_constant__ type a, uint32_t begin,        \
                                         uint32_t end)                                          \
    {                                                                                           \
        for (uint32_t i = begin; i < end; i++)                                                  \
            tlk_##name(&a, i);                                                                  \
    }                                                                                           \
    static void map_##name(const void *args, uint32_t begin, uint32_t end, bool serial,         \
                           cudaStream_t stream)                                                 \
    {                                                                                           \
        const type &a = *(const type *)args;                                                    \
        if (serial)                                                                             \
            serial_##name<<<1, 1, 0, stream>>>(a, begin, end);                                  \
        else                                                                                    \
            run_##name<<<(end - begin + THREADS - 1) / THREADS, THREADS, 0, stream>>>(a, begin, \
                                                                                      end);     \
    }
/* A block folds 16 chunks: a thread takes one lane of one chunk, in order; then one thread a chunk
 * takes the lanes, in order. Then a thread takes one number of one group of chunks, in order. */
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
        for (uint32_t j = lane; j < TLK_FOLD_CHUNK; j += TLK_LANES) {                              \
            const uint64_t i = (uint64_t)chunk * TLK_FOLD_CHUNK + j;                               \
            if (i < count)                                                                         \
                tlk_##name(&a, (uint32_t)i, acc);                                                  \
        }                                                                                          \
        for (int k = 0; k < n; k++)                                                                \
            lanes[threadIdx.x][k] = acc[k];                                                        \
        __syncthreads();                                                                           \
        if (lane || (uint64_t)chunk * TLK_FOLD_CHUNK >= count)                                     \
            return;                                                                                \
        for (int k = 0; k < n; k++) {                                                              \
            double number = fold_start(operations[k]);                                             \
            for (uint32_t l = 0; l < TLK_LANES; l++)                                               \
                number = fold_pair(operations[k], number, lanes[threadIdx.x + l][k]);              \
            partial[(size_t)chunk * TLK_FOLD_NUMBERS + k] = number;                                \
        }                                                                                          \
    }                                                                                              \
    static __global__ void group_##name(uint32_t chunks, const double *partial, double *groups)    \
    {                                                                                              \
        const char operations[] = ops;                                                             \
        const uint32_t group = (blockIdx.x * THREADS + threadIdx.x) / TLK_FOLD_NUMBERS;            \
        const uint32_t k = threadIdx.x % TLK_FOLD_NUMBERS, first = group * TLK_FOLD_GROUP;         \
        if (k >= n || first >= chunks)                                                             \
            return;                                                                                \
        double number = fold_start(operations[k]);                                                 \
        for (uint32_t c = first; c < chunks && c < first + TLK_FOLD_GROUP; c++)                    \
            number = fold_pair(operations[k], number, partial[(size_t)c * TLK_FOLD_NUMBERS + k]);  \
        groups[(size_t)group * TLK_FOLD_NUMBERS + k] = number;                                     \
    }                                                                                              \
    static void fold_##name(const void *args, uint32_t count, double *partial,                     \
                            cudaStream_t stream)                                                   \
    {                                                                                              \
        const uint32_t chunks = (count + TLK_FOLD_CHUNK - 1) / TLK_FOLD_CHUNK;                     \
        const uint32_t groups = (chunks + TLK_FOLD_GROUP - 1) / TLK_FOLD_GROUP;                    \
        double *each = partial + (size_t)groups * TLK_FOLD_NUMBERS;                                \
        chunk_##name<<<(chunks + 15) / 16, 128, 0, stream>>>(*(const type *)args, count, each);    \
        group_##name<<<(groups * TLK_FOLD_NUMBERS + THREADS - 1) / THREADS, THREADS, 0, stream>>>( \
            chunks, each, partial);                                                                \
    }
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE

/* Gauss-Seidel sweeps, colour by colour, in one kernel: a launch costs several microseconds, a
 * meeting of all threads about one, and a step of a small scene has more than a hundred of them. */
#define MOST_RANGES 128u
typedef struct sweep_ranges {
    uint32_t count, begin[MOST_RANGES], end[MOST_RANGES];
    bool serial[MOST_RANGES];
} sweep_ranges;

/* What the compiler may know of a list of ranges, to leave out the rest. */
enum { ANY_ROWS, CENTRAL_COULOMB, CENTRAL_NORMAL };

template <int rows>
static __global__ void __launch_bounds__(THREADS)
    run_sweeps(const __grid_constant__ tlk_problem given,
               const __grid_constant__ sweep_ranges ranges, uint32_t repeat)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const uint32_t rank = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS;
    tlk_problem p = given;
    if (rows != ANY_ROWS) {
        p.block_base = UINT32_MAX;
        p.frictionless = rows == CENTRAL_NORMAL;
        p.coulomb = 1;
    }
    for (uint32_t r = 0; r < repeat; r++)
        for (uint32_t i = 0; i < ranges.count; i++) {
            const uint32_t end = ranges.end[i];
            if (!ranges.serial[i])
                for (uint32_t s = ranges.begin[i] + rank; s < end; s += all)
                    tlk_psor_sweep(&p, s);
            else if (rank == 0)
                for (uint32_t s = ranges.begin[i]; s < end; s++)
                    tlk_psor_sweep(&p, s);
            grid.sync();
        }
}

/* The blocks of a kernel that are on the GPU at once. */
static int most_blocks(const void *kernel)
{
    int device = 0, processors = 0, blocks = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, THREADS, 0);
    return processors * blocks;
}

static cudaError_t sweeps(const tl_launch *launches, size_t count, uint32_t repeat,
                          cudaStream_t stream)
{
    static const void *const kernels[3] = {(const void *)run_sweeps<ANY_ROWS>,
                                           (const void *)run_sweeps<CENTRAL_COULOMB>,
                                           (const void *)run_sweeps<CENTRAL_NORMAL>};
    static int most[3];
    const tlk_problem *problem = (const tlk_problem *)launches[0].args;
    sweep_ranges ranges = {};
    uint32_t largest = 0;
    int rows = problem->frictionless ? CENTRAL_NORMAL
               : problem->coulomb    ? CENTRAL_COULOMB
                                     : ANY_ROWS;
    for (size_t i = 0; i < count; i++) {
        ranges.begin[i] = launches[i].begin;
        ranges.end[i] = launches[i].end;
        ranges.serial[i] = launches[i].serial;
        if (launches[i].end > problem->block_base)
            rows = ANY_ROWS;
        if (launches[i].end - launches[i].begin > largest)
            largest = launches[i].end - launches[i].begin;
    }
    ranges.count = (uint32_t)count;
    if (!most[rows])
        most[rows] = most_blocks(kernels[rows]);
    const uint32_t wanted = (largest + THREADS - 1) / THREADS;
    const uint32_t blocks = wanted < (uint32_t)most[rows] ? wanted : (uint32_t)most[rows];
    void *args[] = {(void *)launches[0].args, &ranges, &repeat};
    return cudaLaunchCooperativeKernel(kernels[rows], dim3(blocks), dim3(THREADS), args, 0, stream);
}

#if defined(TLK_PRECISION_double)
#define TABLE tl_cuda_double
#else
#define TABLE tl_cuda_mixed
#endif
extern const tl_cuda_kernels TABLE = {{
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
                                      sweeps};
