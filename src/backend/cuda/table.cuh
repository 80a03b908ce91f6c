/* The launchers of a list of kernels under names that kernels.cu finds. */
#define TLK_MAP(name, type)                                                                      \
    void TL_CUDA_OF(tl_cuda_##name)(const void *args, uint32_t begin, uint32_t end, bool serial, \
                                    cudaStream_t stream)                                         \
    {                                                                                            \
        map_##name(args, begin, end, serial, stream);                                            \
    }
#define TLK_REDUCE(name, type, n, ops)                                                    \
    void TL_CUDA_OF(tl_cuda_fold_##name)(const void *args, uint32_t count, double *parts, \
                                         cudaStream_t stream)                             \
    {                                                                                     \
        fold_##name(args, count, parts, stream);                                          \
    }
#include TL_CUDA_LIST
