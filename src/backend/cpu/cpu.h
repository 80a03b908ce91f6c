/* What the CPU backend and its kernels share: the table of functions that kernels.c makes for each
 * precision and instruction set. */
#ifndef TL_BACKEND_CPU_CPU_H
#define TL_BACKEND_CPU_CPU_H

#include "backend/backend.h"

typedef void (*tl_cpu_map)(const void *args, uint32_t begin, uint32_t end);
typedef void (*tl_cpu_fold)(const void *args, uint32_t begin, uint32_t end, double *numbers);

/* A kernel whose items threads may share, stage by stage (kernels/joint/team.h). */
typedef struct tl_cpu_team {
    void (*begin)(const void *args, uint32_t item);
    void (*turn)(const void *args, uint32_t item, uint32_t lane, uint32_t lanes);
    bool (*next)(const void *args, uint32_t item);
} tl_cpu_team;

typedef struct tl_cpu_kernels {
    tl_cpu_map map[TLK_MAP_COUNT]; /* one item after the other */
    tl_cpu_map
        wide[TLK_MAP_COUNT]; /* eight at once, for independent items; NULL where there is none */
    tl_cpu_fold fold[TLK_FOLD_COUNT];
    tl_cpu_fold
        wide_fold[TLK_FOLD_COUNT]; /* the same numbers, bit for bit; NULL where there is none */
    tl_cpu_team project, assemble;
} tl_cpu_kernels;

extern const tl_cpu_kernels tl_cpu_base_mixed, tl_cpu_base_double;
#if defined(TALUS_X86)
extern const tl_cpu_kernels tl_cpu_avx2_mixed, tl_cpu_avx2_double;
extern const tl_cpu_kernels tl_cpu_avx512_mixed, tl_cpu_avx512_double;
#endif

/* cpu_pool.c: threads that do a job together. NULL is a pool of the calling thread alone. */
typedef struct tl_pool tl_pool;
typedef void (*tl_phase_fn)(void *context, uint32_t phase, uint32_t part, uint32_t parts);

/* As many threads as asked for, or as could be started; NULL where memory ran out. */
tl_pool *tl_pool_create(uint32_t threads);
void tl_pool_destroy(tl_pool *pool);
uint32_t tl_pool_parts(const tl_pool *pool);
/* Runs the function for each part of each phase: the parts of a phase at the same time, by any
 * thread, the next phase when all of them are done. */
void tl_pool_run(tl_pool *pool, uint32_t phases, tl_phase_fn function, void *context);
/* The same, for as many phases as `next` says, which is called after each: true, there is another.
 */
typedef bool (*tl_next_fn)(void *context);
void tl_pool_turns(tl_pool *pool, tl_phase_fn function, tl_next_fn next, void *context);
/* CPUs that this process may use. */
uint32_t tl_cpu_count(void);

/* cpu_sort.c; scratch is the backend's. */
tl_status tl_cpu_sort(tl_pool *pool, tl_array *scratch, uint32_t *keys, uint32_t *values,
                      uint32_t count, uint32_t bits);
tl_status tl_cpu_rank(tl_pool *pool, tl_array *scratch, const uint32_t *keys, uint32_t count,
                      uint32_t *places, uint32_t *starts);
tl_status tl_cpu_scan(tl_pool *pool, tl_array *scratch, uint32_t *items, uint32_t count,
                      uint64_t *total);

#endif
