/* To shared memory, all at once: nobody waits before landed(). Included by joint.cuh and
 * staged.cuh.
 */
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

#endif
