/* Solvers on a GPU: their kernels, and sweeps (sweep.cuh, flow.cuh). */
#include "kernels/coarse.h"
#include "kernels/crowd.h"
#include "kernels/descent.h"
#include "kernels/gather.h"
#include "kernels/momentum.h"

#define TL_CUDA_LIST "kernels/solve.inc"
#include "backend/cuda/map.cuh"
#include "backend/cuda/coarse.cuh"

#define map_coarse_solve tuned_coarse_solve
#include "backend/cuda/table.cuh"

#include <cooperative_groups.h>

#include "backend/cuda/word.cuh"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/momentum.cuh"

/* Those of TL_CUDA_MOMENTUM launches. */
void TL_CUDA_OF(tl_cuda_momentum)(const tl_launch *launches, cudaStream_t stream)
{
    const tl_folding *fold = (const tl_folding *)launches[0].args;
    const tlk_momentum &m = *(const tlk_momentum *)launches[1].args;
    const uint32_t numbers = TLK_LANES * launches[2].end;
    momentum_turns<<<tl_fold_chunks(fold->count), TLK_FOLD_CHUNK, 0, stream>>>(
        m, fold->count, fold->numbers + TLK_FOLD_NUMBERS);
    momentum_moves<<<(numbers + THREADS - 1) / THREADS, THREADS, 0, stream>>>(m, numbers);
}
