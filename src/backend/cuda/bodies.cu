/* Kernels that move bodies, on a GPU. */
#include "kernels/bodies.h"
#include "kernels/order.h"
#include "kernels/smooth.h"

#define TL_CUDA_LIST "kernels/bodies.inc"
#include "backend/cuda/map.cuh"
#include "backend/cuda/table.cuh"
