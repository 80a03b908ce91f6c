/* Solvers on a GPU: their kernels, and sweeps (sweep.cuh, flow.cuh). */
#include "kernels/coarse.h"
#include "kernels/crowd.h"
#include "kernels/descent.h"
#include "kernels/gather.h"
#include "kernels/momentum.h"

#define TL_CUDA_LIST "kernels/solve.inc"
#include "backend/cuda/map.cuh"
#include "backend/cuda/table.cuh"

#include <cooperative_groups.h>

#include "backend/cuda/word.cuh"
#include "backend/cuda/launch.cuh"
