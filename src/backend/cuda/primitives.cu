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

/* The total (where it is asked for) in 64-bit first, so that an overflow is seen; then the sums,
 * with item [count] as the total. */
cudaError_t tl_cuda_scan(uint32_t *items, uint32_t count, uint64_t *total, tl_cuda_need need,
                         void *user, cudaStream_t stream)
{
    size_t reduce = 0, scan = 0;
    cudaError_t e = cub::DeviceReduce::Reduce(nullptr, reduce, items, (uint64_t *)nullptr, count,
                                              cuda::std::plus<uint64_t>{}, (uint64_t)0, stream);
    if (e == cudaSuccess)
        e = cub::DeviceScan::ExclusiveSum(nullptr, scan, items, items, count + 1, stream);
    if (e != cudaSuccess)
        return e;
    const size_t bytes = reduce > scan ? reduce : scan;
    char *temp = (char *)need(user, bytes + 256);
    if (!temp)
        return cudaErrorMemoryAllocation;
    uint64_t *sum = (uint64_t *)temp;
    temp += 256;
    if (total)
        e = cub::DeviceReduce::Reduce(temp, reduce, items, sum, count, cuda::std::plus<uint64_t>{},
                                      (uint64_t)0, stream);
    if (total && e == cudaSuccess)
        e = cudaMemcpyAsync(total, sum, sizeof *total, cudaMemcpyDeviceToHost, stream);
    if (e == cudaSuccess)
        e = cub::DeviceScan::ExclusiveSum(temp, scan, items, items, count + 1, stream);
    if (total && e == cudaSuccess)
        e = cudaStreamSynchronize(stream);
    return e;
}
