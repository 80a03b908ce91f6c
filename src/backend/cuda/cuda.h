/* What the CUDA backend and its kernels share: the tables of launchers that kernels.cu
 * makes for each precision. */
#ifndef TL_BACKEND_CUDA_CUDA_H
#define TL_BACKEND_CUDA_CUDA_H

#include <cuda_runtime.h>

#include "backend/plugin.h"

typedef void (*tl_cuda_map)(const void *args, uint32_t begin, uint32_t end, bool serial,
                            cudaStream_t stream);
/* The chunks of a fold; `parts` has room for those of groups and chunks (tl_fold_room). */
typedef void (*tl_cuda_fold)(const void *args, uint32_t count, double *parts, cudaStream_t stream);

/* The rest of up to TL_CUDA_FOLDS folds, into numbers that the device can write to. */
#define TL_CUDA_FOLDS 4u
typedef void (*tl_cuda_fold_rest)(const tl_folding *folds, size_t count, double *const *parts,
                                  double *const *results, cudaStream_t stream);

/* How many blocks of each cooperative kernel are on a GPU at once; 0: not asked yet. GPUs differ,
 * so each backend has its own. */
enum { TL_CUDA_GRID = 0, TL_CUDA_FLOW = 17, TL_CUDA_COLOUR = 34, TL_CUDA_COOPERATIVE = 35 };
typedef struct tl_cuda_blocks {
    int most[TL_CUDA_COOPERATIVE];
} tl_cuda_blocks;

/* All launches, all repeats in one kernel, for sweeps: its threads meet between launches or, where
 * the problem has their turns, rows wait for each other. */
typedef cudaError_t (*tl_cuda_sweeps)(const tl_launch *launches, size_t count, uint32_t repeat,
                                      tl_cuda_blocks *blocks, cudaStream_t stream);

/* All rounds of colouring in one kernel. */
typedef cudaError_t (*tl_cuda_colour)(const tlk_colour *args, uint32_t contacts,
                                      tl_cuda_blocks *blocks, cudaStream_t stream);

/* What makes impulses go on in the direction of the last sweeps: a fold and so many launches in
 * all, as solve/psor.c lists them. */
#define TL_CUDA_MOMENTUM 3u
typedef void (*tl_cuda_going_on)(const tl_launch *launches, cudaStream_t stream);

typedef struct tl_cuda_kernels {
    tl_cuda_map map[TLK_MAP_COUNT];
    tl_cuda_fold fold[TLK_FOLD_COUNT];
    tl_cuda_fold_rest fold_rest;
    tl_cuda_sweeps sweeps;
    tl_cuda_colour colour;
    tl_cuda_going_on momentum;
} tl_cuda_kernels;

extern const tl_cuda_kernels tl_cuda_mixed, tl_cuda_double;

/* Where kernels are compiled, for one precision: its name of a table or function. */
#if defined(TLK_PRECISION_double)
#define TL_CUDA_OF(name) name##_double
#else
#define TL_CUDA_OF(name) name##_mixed
#endif

/* solve.cu and rows.cu. */
cudaError_t TL_CUDA_OF(tl_cuda_sweep)(const tl_launch *launches, size_t count, uint32_t repeats,
                                      tl_cuda_blocks *blocks, cudaStream_t stream);
void TL_CUDA_OF(tl_cuda_momentum)(const tl_launch *launches, cudaStream_t stream);
cudaError_t TL_CUDA_OF(tl_cuda_colour_all)(const tlk_colour *args, uint32_t contacts,
                                           tl_cuda_blocks *noted, cudaStream_t stream);

/* primitives.cu: sort, scan and ranks on a stream; `temp` grows through `need`, which returns NULL
 * where memory ran out. What comes back to the host is written to pinned memory. */
typedef void *(*tl_cuda_need)(void *user, size_t bytes);
cudaError_t tl_cuda_sort(uint32_t *keys, uint32_t *values, uint32_t *keys2, uint32_t *values2,
                         uint32_t count, uint32_t bits, tl_cuda_need need, void *user,
                         cudaStream_t stream);
/* The first place of each key is in `starts`, and behind them what is at `word`, unless that is
 * NULL; the stream has been waited for. */
cudaError_t tl_cuda_rank(const uint32_t *keys, uint32_t count, uint32_t *places, uint32_t *starts,
                         const uint32_t *word, tl_cuda_need need, void *user, cudaStream_t stream);
/* Item [count] is the total, and 2^32 - 1 where that is larger; so is `total`, where it is wanted
 * and the stream has been waited for. */
cudaError_t tl_cuda_scan(uint32_t *items, uint32_t count, uint32_t *total, tl_cuda_need need,
                         void *user, cudaStream_t stream);

#endif
