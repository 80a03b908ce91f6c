/* Four 32-bit numbers that are read and written whole, past the first-level cache. Included by
 * solve.cu; tests/backend/emulated.cpp has its own. */
#ifndef TL_BACKEND_CUDA_WORD_CUH
#define TL_BACKEND_CUDA_WORD_CUH

#if !defined(TLK_PRECISION_double)
static __device__ __forceinline__ void load_word(const real *from, real *to)
{
    uint64_t low, high;
    asm volatile("{\n\t.reg .b128 w;\n\tld.relaxed.gpu.global.b128 w, [%2];\n\t"
                 "mov.b128 {%0, %1}, w;\n\t}"
                 : "=l"(low), "=l"(high)
                 : "l"(from)
                 : "memory");
    to[0] = __uint_as_float((uint32_t)low), to[1] = __uint_as_float((uint32_t)(low >> 32));
    to[2] = __uint_as_float((uint32_t)high), to[3] = __uint_as_float((uint32_t)(high >> 32));
}

static __device__ __forceinline__ void store_word(real *to, const real *from)
{
    const uint64_t low = __float_as_uint(from[0]) | (uint64_t)__float_as_uint(from[1]) << 32;
    const uint64_t high = __float_as_uint(from[2]) | (uint64_t)__float_as_uint(from[3]) << 32;
    asm volatile("{\n\t.reg .b128 w;\n\tmov.b128 w, {%1, %2};\n\t"
                 "st.relaxed.gpu.global.b128 [%0], w;\n\t}"
                 :
                 : "l"(to), "l"(low), "l"(high)
                 : "memory");
}
#endif

#endif
