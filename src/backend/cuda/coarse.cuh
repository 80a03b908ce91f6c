/* Conjugate gradients of the coarse level, on a GPU: a block, whose threads are the lanes of
 * coarse.h and meet where these do, so that the sums are the same. Launched kernel by kernel, each
 * step would wait for four of them, and there are few nodes. Included by solve.cu. */
#ifndef TL_BACKEND_CUDA_COARSE_CUH
#define TL_BACKEND_CUDA_COARSE_CUH

static __global__ void __launch_bounds__(TLK_COARSE_LANES)
    solve_coarse(const __grid_constant__ tlk_coarse q)
{
    __shared__ double dots[2 * TLK_COARSE_LANES];
    for (uint32_t step = 0; step < q.steps; step++) {
        tlk_coarse_multiply(&q, threadIdx.x, dots);
        for (uint32_t half = tlk_coarse_half(&q); half; half /= 2) {
            __syncthreads();
            tlk_coarse_add_up(&q, threadIdx.x, half, dots);
        }
        if (threadIdx.x == 0)
            tlk_coarse_decide(&q, dots);
        __syncthreads();
        if (q.record[TLK_COARSE_ALPHA] == 0)
            return;
        tlk_coarse_step(&q, threadIdx.x);
        __syncthreads();
    }
}

static void tuned_coarse_solve(const void *args, uint32_t begin, uint32_t end, bool serial,
                               cudaStream_t stream)
{
    (void)serial;
    if (begin < end)
        solve_coarse<<<1, TLK_COARSE_LANES, 0, stream>>>(*(const tlk_coarse *)args);
}

#endif
