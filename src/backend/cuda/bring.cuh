/* Memory all at once: to shared memory, where nobody waits before landed(); or to a cache. Included
 * by joint.cuh and staged.cuh. */
#ifndef TL_BACKEND_CUDA_BRING_CUH
#define TL_BACKEND_CUDA_BRING_CUH

/* Copies structures, or numbers; this thread is number `rank` of `all`. */
template <class item>
static __device__ __forceinline__ void bring(item *to, const item *from, uint32_t count,
                                             uint32_t rank, uint32_t all)
{
    const uint32_t words = count * (uint32_t)(sizeof(item) / sizeof(uint64_t));
    static_assert(sizeof(item) % sizeof(uint64_t) == 0, "items are whole words");
#if defined(__CUDA_ARCH__)
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(to);
    for (uint32_t k = rank; k < words; k += all)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at + 8 * k),
                     "l"((const uint64_t *)from + k)
                     : "memory");
#else
    for (uint32_t k = rank; k < words; k += all)
        ((uint64_t *)to)[k] = ((const uint64_t *)from)[k];
#endif
}

/* What a thread has brought is there; the others know when they meet. */
static __device__ __forceinline__ void landed(void)
{
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Asks for memory [from, to), which threads will read later, all of it at once; this one is number
 * `rank` of `all`. */
static __device__ __forceinline__ void fetch(const void *from, const void *to, uint32_t rank,
                                             uint32_t all)
{
#if defined(__CUDA_ARCH__)
    for (const char *at = (const char *)from + 128 * rank; at < (const char *)to; at += 128 * all)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#else
    (void)from, (void)to, (void)rank, (void)all;
#endif
}

#endif
