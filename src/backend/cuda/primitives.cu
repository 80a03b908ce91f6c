/* Sort and scan by CUB. */
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

cudaError_t tl_cuda_scan(uint32_t *items, uint32_t count, uint32_t *total, tl_cuda_need need,
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
    if (total && e == cudaSuccess)
        e = cudaStreamSynchronize(stream);
    return e;
}
