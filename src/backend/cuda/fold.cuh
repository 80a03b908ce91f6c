/* What folds do to two numbers. */
#ifndef TL_BACKEND_CUDA_FOLD_CUH
#define TL_BACKEND_CUDA_FOLD_CUH

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

#endif
