/* Where kernels run: the small table of functions that differ between a CPU and a GPU.
 *
 * Host code (collide, solve, step, world) fills argument structs with device pointers and asks for
 * kernels and primitives by name; it never touches device memory itself. Results do not depend on
 * how many threads a backend uses: maps write their own item only, sums are folded in a fixed
 * order, and sorts are stable. */
#ifndef TL_BACKEND_BACKEND_H
#define TL_BACKEND_BACKEND_H

#include "base/memory.h"
#include "kernels/args.h"
#include "talus/settings.h"

typedef enum tl_kernel {
#define TLK_MAP(name, args) TLK_##name,
#define TLK_REDUCE(name, args, n, ops)
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
    TLK_MAP_COUNT,
    TLK_FOLD = TLK_MAP_COUNT /* in a list of launches: a fold */
} tl_kernel;

typedef enum tl_fold {
#define TLK_MAP(name, args)
#define TLK_REDUCE(name, args, n, ops) TLK_FOLD_##name,
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
    TLK_FOLD_COUNT
} tl_fold;

#define TLK_FOLD_NUMBERS 8 /* the most numbers a fold gives */

/* The order of every fold: eight lanes in a chunk, lanes in order; chunks of a group in order;
 * groups in order. It is the same on every backend, so that sums are too. */
#define TLK_FOLD_CHUNK 256u
#define TLK_FOLD_GROUP 64u

#define TLK_RANK_KEYS 256u /* keys that items are ranked by are below this */

/* Folds one more number in, by + (s), max (M) or min (m); and where such a fold starts. */
static inline double tl_fold_pair(char operation, double a, double b)
{
    if (operation == 's')
        return a + b;
    return (operation == 'M') == (b > a) ? b : a;
}

static inline double tl_fold_start(char operation)
{
    return operation == 's' ? 0 : operation == 'M' ? -1e300 : 1e300;
}

/* One run of a map kernel over items [begin, end). `serial`: one item after the other, in order.
 * Or, with the kernel TLK_FOLD, a fold whose numbers stay on the device, for the launches after it;
 * `args` is its tl_folding then. */
typedef struct tl_launch {
    tl_kernel kernel;
    uint32_t begin, end;
    bool serial;
    const void *args; /* the kernel's struct, alive until the run returns */
} tl_launch;

/* One fold over items [0, count). Its numbers are on the host, TLK_FOLD_NUMBERS of them; or in a
 * launch on the device, with room for tl_fold_room(count), as parts of the sum come behind them. */
typedef struct tl_folding {
    tl_fold fold;
    uint32_t count;
    const void *args; /* the kernel's struct */
    double *numbers;
} tl_folding;

static inline uint32_t tl_fold_chunks(uint32_t count)
{
    return count / TLK_FOLD_CHUNK + (count % TLK_FOLD_CHUNK != 0);
}

static inline uint32_t tl_fold_groups(uint32_t count)
{
    const uint32_t chunks = tl_fold_chunks(count);
    return chunks / TLK_FOLD_GROUP + (chunks % TLK_FOLD_GROUP != 0);
}

/* Bytes: the numbers, then those of each group, then those of each chunk. */
static inline size_t tl_fold_room(uint32_t count)
{
    const size_t all = 1 + (size_t)tl_fold_groups(count) + tl_fold_chunks(count);
    return all * TLK_FOLD_NUMBERS * sizeof(double);
}

typedef struct tl_backend tl_backend;

/* A part of some work of the host. */
typedef void (*tl_share_fn)(void *context, uint32_t part, uint32_t parts);

/* Whoever asks the device for something must look whether it came. */
#define TL_HEED __attribute__((warn_unused_result))

typedef struct tl_backend_ops {
    void (*destroy)(tl_backend *backend);
    void *(*allocate)(tl_backend *backend, size_t bytes);
    void (*release)(tl_backend *backend, void *memory, size_t bytes);
    void (*upload)(tl_backend *backend, void *device, const void *host, size_t bytes);
    /* Waits for the device; fails where it has failed, and what is on the host is rubbish then. */
    TL_HEED tl_status (*download)(tl_backend *backend, void *host, const void *device,
                                  size_t bytes);
    void (*copy)(tl_backend *backend, void *to, const void *from, size_t bytes);
    void (*fill)(tl_backend *backend, void *device, int byte, size_t bytes);
    /* Runs launches one after the other, all of them `repeat` times. */
    void (*run)(tl_backend *backend, const tl_launch *launches, size_t count, uint32_t repeat);
    /* Does one fold after the other, or the first beside the others, which must not need it; a GPU
     * is waited for once. */
    TL_HEED tl_status (*fold)(tl_backend *backend, const tl_folding *folds, size_t count);
    /* Runs the three launches of a round of colouring over the fresh contacts, as many as their
     * counter says, again and again until none is left without a colour. */
    TL_HEED tl_status (*colour)(tl_backend *backend, const tlk_colour *args, uint32_t contacts);
    /* Stable sort of keys with their values by the low `bits` bits of the key, in place. */
    TL_HEED tl_status (*sort)(tl_backend *backend, uint32_t *keys, uint32_t *values, uint32_t count,
                              uint32_t bits);
    /* The place of each item in the stable order of keys; and for the host, which waits for it, the
     * first place of each key and, at the end (TLK_RANK_KEYS + 1 numbers in all), the count. What
     * is at `word` then goes to `seen` with them; 0 where it is NULL or there are no items. */
    TL_HEED tl_status (*rank)(tl_backend *backend, const uint32_t *keys, uint32_t count,
                              uint32_t *places, uint32_t *starts, const uint32_t *word,
                              uint32_t *seen);
    /* Exclusive prefix sum in place over count items; item [count] receives the total. `total`,
     * where the host wants to know it too, may be NULL: a GPU is not waited for then. The item
     * that receives it does not count beyond 2^32 - 1, and neither do a GPU's others. */
    TL_HEED tl_status (*scan)(tl_backend *backend, uint32_t *items, uint32_t count,
                              uint64_t *total);
    /* Waits until everything asked for is done; NULL where it always is. */
    void (*wait)(tl_backend *backend);
    /* Changes the number of CPU threads; NULL where there are none. */
    void (*threads)(tl_backend *backend, uint32_t threads);
    /* Copies ranges of device memory, one after the other, to host memory of a slot of its own
     * (*slot; NULL: a new one). What is computed after the call does not change the copy, which may
     * still be under way when the call returns. */
    TL_HEED tl_status (*capture)(tl_backend *backend, size_t count, const void *const *from,
                                 const size_t *bytes, void **slot);
    /* Waits for a slot's copy, from any thread; and frees a slot. They need no backend: a slot may
     * outlive it. captured returns NULL, with a message, if the copy failed. */
    const void *(*captured)(void *slot);
    void (*forget)(void *slot);
    /* On the CPU: how many parts work of the host is done in, and runs them at the same time, by
     * the threads that run kernels. NULL on a GPU. */
    uint32_t (*parts)(tl_backend *backend);
    void (*share)(tl_backend *backend, tl_share_fn function, void *context);
} tl_backend_ops;

struct tl_backend {
    const tl_backend_ops *ops;
    tl_precision precision;
    size_t real;        /* bytes of a real number: 4 or 8 */
    bool flow;          /* sweeps want tlk_problem.turns and .mass */
    double crowd;       /* shapes that a bin should hold, roughly (measured) */
    bool whole;         /* a substep of penalty contact wants one pass over bodies */
    bool apart;         /* the table of bins should tell those of the whole box apart */
    size_t entry;       /* bytes of a shape's entry in a bin (kernels/bins.h) */
    size_t bytes, peak; /* memory held in buffers */
    char name[64];
};

/* The CPU backend; threads 0 means as many as the machine offers. */
tl_status tl_backend_cpu(tl_precision precision, uint32_t threads, tl_backend **backend);

/* The CUDA backend, a plugin (plugin.c), on the GPU with a number, counted around those that are
 * there; TL_NO_BACKEND with the reason where it cannot be had. */
tl_status tl_backend_cuda(tl_precision precision, uint32_t device, tl_backend **backend);

/* Restricts the CPU backend to an instruction set ("base", "avx2", "avx512"), for tests and
 * measurements; NULL restores the best there is. Returns false if this machine or build lacks it.
 */
bool tl_backend_cpu_isa(const char *isa);

typedef struct tl_arena tl_arena;

/* Device memory that grows: memory of its own, or a piece of an arena. */
typedef struct tl_buffer {
    void *data;
    size_t bytes;
    tl_arena *arena; /* NULL: memory of its own */
    uint64_t phase;  /* the arena's, when the piece was cut */
} tl_buffer;

/* Makes room for `bytes`; the old content is lost where the buffer grows, and the old memory too
 * where that fails. A piece of an arena lasts until the arena goes back to before it was cut. */
tl_status tl_buffer_need(tl_backend *backend, tl_buffer *buffer, size_t bytes);

void tl_buffer_free(tl_backend *backend, tl_buffer *buffer);

/* Memory for what lives only in one phase of a step, so that phases share it: one block, from which
 * pieces are cut one after the other. Pieces for which the block has no room are on their own until
 * the arena is cleared; then the block becomes as large as all pieces together were. */
#define TL_ARENA_EXTRAS 32u

struct tl_arena {
    tl_buffer block;
    size_t at;      /* where the next piece is cut, the extra ones counted as if cut there */
    size_t most;    /* the furthest that `at` has been */
    uint64_t phase; /* goes up whenever pieces are given up */
    uint32_t extras;
    struct {
        tl_buffer memory;
        size_t at;
    } extra[TL_ARENA_EXTRAS];
};

/* Gives up all pieces and makes the block as large as the most that was needed so far, or as
 * `bytes`, where more is known to come. */
tl_status tl_arena_clear(tl_backend *backend, tl_arena *arena, size_t bytes);

/* Gives up the pieces that were cut when `at` was at least `mark`; of a piece that the mark is in,
 * what comes behind it. */
void tl_arena_release(tl_backend *backend, tl_arena *arena, size_t mark);

void tl_arena_free(tl_backend *backend, tl_arena *arena);

/* Runs one kernel over [0, count). */
static inline void tl_run(tl_backend *backend, tl_kernel kernel, uint32_t count, const void *args)
{
    const tl_launch launch = {kernel, 0, count, false, args};
    if (count)
        backend->ops->run(backend, &launch, 1, 1);
}

/* One fold. */
TL_HEED static inline tl_status tl_fold_one(tl_backend *backend, tl_fold fold, uint32_t count,
                                            const void *args, double *numbers)
{
    const tl_folding one = {fold, count, args, numbers};
    return backend->ops->fold(backend, &one, 1);
}

/* Where runs of equal keys are among `count` sorted keys below `keys`: begin and end of each, in
 * one buffer, the begins first. A key that does not occur has an empty range. */
tl_status tl_ranges(tl_backend *backend, const uint32_t *sorted, uint32_t count, uint32_t keys,
                    tl_buffer *ranges);

#endif
