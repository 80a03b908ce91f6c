/* Kernels that answer users, on a GPU. */
#include "kernels/monitor.h"
#include "kernels/query.h"

#define TL_CUDA_LIST "kernels/query.inc"
#include "backend/cuda/map.cuh"
#include "backend/cuda/table.cuh"
