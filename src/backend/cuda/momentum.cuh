/* Momentum after a sweep (kernels/momentum.h) in two kernels: the fold, whose last block decides,
 * and what goes on by it. As launches of their own these are five. Included by solve.cu, and by a
 * test that runs it without a GPU. */
#ifndef TL_BACKEND_CUDA_MOMENTUM_CUH
#define TL_BACKEND_CUDA_MOMENTUM_CUH

/* The sum of `count` numbers that lie TLK_FOLD_NUMBERS apart, in order; other blocks wrote them. */
static __device__ __forceinline__ double sum_apart(const volatile double *from, uint32_t count)
{
    double sum = 0;
#pragma unroll 16
    for (uint32_t k = 0; k < count; k++)
        sum += from[(size_t)k * TLK_FOLD_NUMBERS];
    return sum;
}

/* tlk_momentum_turn() of a chunk of packets, `count` in all, by a block: threads that go together
 * look at numbers that lie together, and then each adds up those of a packet, in order. */
static __device__ __forceinline__ double momentum_turn(const tlk_momentum &m, uint32_t count)
{
    __shared__ double products[TLK_FOLD_CHUNK * (TLK_LANES + 1)]; /* packets in other banks */
    const uint32_t first = blockIdx.x * TLK_FOLD_CHUNK, t = threadIdx.x;
    double sum = 0;
#pragma unroll
    for (uint32_t k = 0; k < TLK_LANES; k++) {
        const uint32_t own = k * TLK_FOLD_CHUNK + t, i = first + own / TLK_LANES;
        double product = 0;
        if (i < count &&
            m.problem.a[TLK_LANES * tlk_momentum_packet(&m, i / 3) + own % TLK_LANES] != TLK_NONE) {
            const size_t at = tlk_momentum_at(&m, i) + own % TLK_LANES;
            product = ((double)m.from[at] - m.gamma[at]) * ((double)m.gamma[at] - m.last_gamma[at]);
        }
        products[own + own / TLK_LANES] = product;
    }
    __syncthreads();
    for (uint32_t k = 0; k < TLK_LANES; k++)
        sum += products[t * (TLK_LANES + 1) + k];
    return sum;
}

/* A block a chunk of packets, as all folds have them (map.cuh); the last one that is done adds up
 * all. `parts`: room for groups and chunks. */
static __global__ void __launch_bounds__(TLK_FOLD_CHUNK)
    momentum_turns(const __grid_constant__ tlk_momentum m, uint32_t count, double *parts)
{
    __shared__ double items[TLK_FOLD_CHUNK], lanes[TLK_LANES];
    __shared__ uint32_t last;
    const uint32_t t = threadIdx.x, chunks = gridDim.x;
    const uint32_t groups = (chunks + TLK_FOLD_GROUP - 1) / TLK_FOLD_GROUP;
    double *each = parts + (size_t)groups * TLK_FOLD_NUMBERS, number = 0;
    items[t] = momentum_turn(m, count);
    __syncthreads();
    for (uint32_t k = t; k < TLK_FOLD_CHUNK && t < TLK_LANES; k += TLK_LANES)
        number += items[k];
    if (t < TLK_LANES)
        lanes[t] = number;
    __syncthreads();
    if (t == 0) {
        number = 0;
        for (uint32_t k = 0; k < TLK_LANES; k++)
            number += lanes[k];
        each[(size_t)blockIdx.x * TLK_FOLD_NUMBERS] = number;
        __threadfence();
        last = atomicInc(&m.pace->done, chunks - 1) == chunks - 1; /* from 0 again, then */
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    for (uint32_t k = t; k < groups; k += TLK_FOLD_CHUNK)
        parts[(size_t)k * TLK_FOLD_NUMBERS] =
            sum_apart(each + (size_t)k * TLK_FOLD_GROUP * TLK_FOLD_NUMBERS,
                      tlk_min(chunks - k * TLK_FOLD_GROUP, TLK_FOLD_GROUP));
    __syncthreads();
    if (t == 0) {
        *(double *)m.dots = sum_apart(parts, groups);
        tlk_momentum_decide(&m, 0);
    }
}

/* A thread a number of impulses, and of moments. */
static __global__ void __launch_bounds__(THREADS)
    momentum_moves(const __grid_constant__ tlk_momentum m, uint32_t count)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        tlk_momentum_number(&m, tlk_momentum_at(&m, i / TLK_LANES) + i % TLK_LANES,
                            (real)m.pace->beta);
}

#endif
