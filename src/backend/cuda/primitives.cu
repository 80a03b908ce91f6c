/* Sort and scan, by CUB where there is much to do, and ranks. Each launch costs the host some
 * microseconds, which is what a step of a small scene is made of: so few numbers are scanned by one
 * block, and what the host waits for is written to its memory by the kernel itself. */
#include <cub/cub.cuh>

#include "backend/cuda/cuda.h"

cudaError_t tl_cuda_sort(uint32_t *keys, uint32_t *values, uint32_t *keys2, uint32_t *values2,
                         uint32_t count, uint32_t bits, tl_cuda_need need, void *user,
                         cudaStream_t stream)
{
    cub::DoubleBuffer<uint32_t> k(keys, keys2), v(values, values2);
    size_t bytes = 0;
    cudaError_t e =
        cub::DeviceRadixSort::SortPairs(nullptr, bytes, k, v, count, 0, (int)bits, stream);
    if (e != cudaSuccess)
        return e;
    void *temp = need(user, bytes + 1);
    if (!temp)
        return cudaErrorMemoryAllocation;
    e = cub::DeviceRadixSort::SortPairs(temp, bytes, k, v, count, 0, (int)bits, stream);
    if (e == cudaSuccess && k.Current() != keys)
        e = cudaMemcpyAsync(keys, k.Current(), count * sizeof *keys, cudaMemcpyDeviceToDevice,
                            stream);
    if (e == cudaSuccess && v.Current() != values)
        e = cudaMemcpyAsync(values, v.Current(), count * sizeof *values, cudaMemcpyDeviceToDevice,
                            stream);
    return e;
}

/* A sum that stays at the largest number instead of overflowing; its order does not matter. */
struct capped_sum {
    __host__ __device__ uint32_t operator()(uint32_t a, uint32_t b) const
    {
        return a > UINT32_MAX - b ? UINT32_MAX : a + b;
    }
};

#define SCAN_THREADS 1024u
#define SCAN_ITEMS   16u    /* of a thread at a time */
#define SCAN_FEW     65536u /* items that one block scans sooner than the host launches CUB */

/* The sum of all tiles before; CUB asks thread 0 for it, tile by tile. */
struct sum_before {
    uint32_t sum;
    __device__ uint32_t operator()(uint32_t tile)
    {
        const uint32_t before = sum;
        sum = capped_sum{}(before, tile);
        return before;
    }
};

/* A thread's items from `at` on; those from `count` on are 0, and are not stored. */
static __device__ __forceinline__ void load_items(const uint32_t *items, uint32_t at,
                                                  uint32_t count, uint32_t *own)
{
#pragma unroll
    for (uint32_t k = 0; k < SCAN_ITEMS; k += 4) {
        uint4 v = make_uint4(0, 0, 0, 0);
        if (at + k + 4 <= count)
            v = *(const uint4 *)(items + at + k);
        else if (at + k < count)
            v = make_uint4(items[at + k], at + k + 1 < count ? items[at + k + 1] : 0,
                           at + k + 2 < count ? items[at + k + 2] : 0, 0);
        own[k] = v.x, own[k + 1] = v.y, own[k + 2] = v.z, own[k + 3] = v.w;
    }
}

static __device__ __forceinline__ void store_items(uint32_t *items, uint32_t at, uint32_t count,
                                                   const uint32_t *own)
{
#pragma unroll
    for (uint32_t k = 0; k < SCAN_ITEMS; k += 4)
        if (at + k + 4 <= count)
            *(uint4 *)(items + at + k) = make_uint4(own[k], own[k + 1], own[k + 2], own[k + 3]);
        else
            for (uint32_t m = k; m < k + 4; m++)
                if (at + m < count)
                    items[at + m] = own[m];
}

/* One block; the next items are fetched while the present ones are added up. */
static __global__ void __launch_bounds__(SCAN_THREADS)
    scan_few(uint32_t *items, uint32_t count, uint32_t *total)
{
    typedef cub::BlockScan<uint32_t, SCAN_THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan;
    __shared__ typename scan::TempStorage room;
    sum_before before = {0};
    uint32_t next[SCAN_ITEMS];
    const uint32_t mine = threadIdx.x * SCAN_ITEMS;
    load_items(items, mine, count, next);
    for (uint32_t first = 0; first < count; first += SCAN_THREADS * SCAN_ITEMS) {
        uint32_t own[SCAN_ITEMS];
#pragma unroll
        for (uint32_t k = 0; k < SCAN_ITEMS; k++)
            own[k] = next[k];
        load_items(items, first + SCAN_THREADS * SCAN_ITEMS + mine, count, next);
        scan(room).ExclusiveScan(own, own, capped_sum{}, before);
        store_items(items, first + mine, count, own);
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        items[count] = before.sum;
        if (total)
            *total = before.sum;
    }
}

static cudaError_t scan_many(uint32_t *items, uint32_t count, uint32_t *total, tl_cuda_need need,
                             void *user, cudaStream_t stream)
{
    size_t bytes = 0;
    cudaError_t e = cub::DeviceScan::ExclusiveScan(nullptr, bytes, items, items, capped_sum{}, 0u,
                                                   count + 1, stream);
    if (e != cudaSuccess)
        return e;
    void *temp = need(user, bytes + 1);
    if (!temp)
        return cudaErrorMemoryAllocation;
    e = cub::DeviceScan::ExclusiveScan(temp, bytes, items, items, capped_sum{}, 0u, count + 1,
                                       stream);
    if (total && e == cudaSuccess)
        e = cudaMemcpyAsync(total, items + count, sizeof *total, cudaMemcpyDeviceToHost, stream);
    return e;
}

cudaError_t tl_cuda_scan(uint32_t *items, uint32_t count, uint32_t *total, tl_cuda_need need,
                         void *user, cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;
    if (count <= SCAN_FEW && (uintptr_t)items % sizeof(uint4) == 0)
        scan_few<<<1, SCAN_THREADS, 0, stream>>>(items, count, total);
    else
        e = scan_many(items, count, total, need, user, stream);
    return total && e == cudaSuccess ? cudaStreamSynchronize(stream) : e;
}

/* Ranks: a block takes a chunk of the items, and each of its warps a run of the chunk. The keys of
 * each chunk are counted and the counts summed, key by key and of each key chunk by chunk. Then a
 * block counts again, run by run, so that a warp knows where its first item of each key goes. */
#define RANK_THREADS 1024u
#define RANK_WARPS   (RANK_THREADS / 32)
#define RANK_CHUNK   (2 * RANK_THREADS) /* items, at least */
#define RANK_CHUNKS  256u               /* at most */
#define ALL          0xffffffffu

static_assert(RANK_CHUNKS * TLK_RANK_KEYS <= SCAN_FEW, "one block scans the table of counts");

/* Items of a chunk: equally many for each of its threads, so that runs are of whole 32s. */
static uint32_t rank_chunk(uint32_t count)
{
    const uint32_t each = (count - 1) / (RANK_CHUNKS * RANK_THREADS) + 1;
    return each * RANK_THREADS < RANK_CHUNK ? RANK_CHUNK : each * RANK_THREADS;
}

/* Items [first, first + size) of a run, or of a chunk where it is the only one of `runs`. */
struct rank_run {
    uint32_t first, size;
    __device__ rank_run(uint32_t count, uint32_t chunk, uint32_t run, uint32_t runs)
    {
        const uint32_t begin = blockIdx.x * chunk, each = chunk / runs, skip = run * each;
        const uint32_t all = count - begin < chunk ? count - begin : chunk;
        const uint32_t left = all < skip ? 0 : all - skip;
        first = begin + skip;
        size = left < each ? left : each;
    }
};

/* table[key][chunk]: how often each key is in each chunk. */
static __global__ void __launch_bounds__(RANK_THREADS)
    rank_count(const uint32_t *keys, uint32_t count, uint32_t chunk, uint32_t *table)
{
    __shared__ uint32_t counts[TLK_RANK_KEYS];
    const rank_run own(count, chunk, 0, 1);
    if (threadIdx.x < TLK_RANK_KEYS)
        counts[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < own.size; i += RANK_THREADS)
        atomicAdd(&counts[keys[own.first + i]], 1u);
    __syncthreads();
    if (threadIdx.x < TLK_RANK_KEYS)
        table[threadIdx.x * gridDim.x + blockIdx.x] = counts[threadIdx.x];
}

/* The table has been summed: table[key][chunk] is the first place of the key in the chunk. */
static __global__ void __launch_bounds__(RANK_THREADS)
    rank_place(const uint32_t *keys, uint32_t count, uint32_t chunk, const uint32_t *table,
               uint32_t *places, uint32_t *starts, const uint32_t *word)
{
    __shared__ uint32_t next[RANK_WARPS][TLK_RANK_KEYS]; /* counts of runs, then the next places */
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, key = threadIdx.x;
    const rank_run own(count, chunk, warp, RANK_WARPS);
    if (word && blockIdx.x == 0 && key == 0)
        starts[TLK_RANK_KEYS] = *word;
    for (uint32_t k = lane; k < TLK_RANK_KEYS; k += 32)
        next[warp][k] = 0;
    __syncwarp();
    for (uint32_t i = lane; i < own.size; i += 32)
        atomicAdd(&next[warp][keys[own.first + i]], 1u);
    __syncthreads();
    if (key < TLK_RANK_KEYS) {
        uint32_t place = table[key * gridDim.x + blockIdx.x];
        if (blockIdx.x == 0)
            starts[key] = place;
        for (uint32_t w = 0; w < RANK_WARPS; w++) {
            const uint32_t here = next[w][key];
            next[w][key] = place;
            place += here;
        }
    }
    __syncthreads();
    for (uint32_t i = lane; i - lane < own.size; i += 32) {
        const bool there = i < own.size;
        const uint32_t k = there ? keys[own.first + i] : TLK_RANK_KEYS; /* a key of their own */
        const uint32_t same = __match_any_sync(ALL, k), before = __popc(same & ((1u << lane) - 1));
        const uint32_t place = there ? next[warp][k] : 0;
        __syncwarp(); /* all have read where to begin */
        if (there && before == 0)
            next[warp][k] = place + __popc(same);
        __syncwarp();
        if (there)
            places[own.first + i] = place + before;
    }
}

cudaError_t tl_cuda_rank(const uint32_t *keys, uint32_t count, uint32_t *places, uint32_t *starts,
                         const uint32_t *word, tl_cuda_need need, void *user, cudaStream_t stream)
{
    const uint32_t chunk = rank_chunk(count), chunks = (count - 1) / chunk + 1;
    const uint32_t numbers = chunks * TLK_RANK_KEYS;
    uint32_t *table = (uint32_t *)need(user, (numbers + 1) * sizeof *table);
    if (!table)
        return cudaErrorMemoryAllocation;
    rank_count<<<chunks, RANK_THREADS, 0, stream>>>(keys, count, chunk, table);
    scan_few<<<1, SCAN_THREADS, 0, stream>>>(table, numbers, NULL);
    rank_place<<<chunks, RANK_THREADS, 0, stream>>>(keys, count, chunk, table, places, starts,
                                                    word);
    return cudaStreamSynchronize(stream);
}
