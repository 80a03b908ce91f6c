/* Enough of CUDA to run kernels of warps on the host, so that the search and the sweeps of the CUDA
 * backend are tested where there is no GPU. Included by emulated.cpp only.
 *
 * The 32 lanes of a warp are coroutines. Each runs until it meets the others (a vote, a shuffle, a
 * barrier of the warp), in an order that changes from meeting to meeting; lanes that have returned
 * are not waited for. run_grid() runs warps and blocks one after the other. run_together() has all
 * warps there at once and lets one of them, drawn at random, go on to its next meeting at a time,
 * so that they may wait for each other; a barrier of a block is then one of all blocks.
 * run_in_turn() does so with one block after the other. */
#ifndef TL_TESTS_EMULATE_H
#define TL_TESTS_EMULATE_H

#define __CUDACC__ 1

#include <cmath>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <ucontext.h>

#define __device__
#define __global__
#define __host__
#define __forceinline__ inline __attribute__((always_inline, unused))
#define __noinline__    __attribute__((noinline, unused))
#define __launch_bounds__(...)
#define __grid_constant__
#define __shared__       static
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint2 {
    uint32_t x, y;
};
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
struct place {
    uint32_t x;
};
typedef int cudaStream_t;

static inline uint2 make_uint2(uint32_t x, uint32_t y)
{
    return {x, y};
}
static inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return {x, y, z, w};
}
static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}
static inline double2 make_double2(double x, double y)
{
    return {x, y};
}
static inline uint32_t __float_as_uint(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}
static inline float __uint_as_float(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline int __mulhi(int a, int b)
{
    return (int)(((int64_t)a * b) >> 32);
}
static inline int __popc(int x)
{
    return __builtin_popcount((unsigned)x);
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __clzll(long long x)
{
    return __builtin_clzll((unsigned long long)x);
}
template <class T> static inline T __ldcs(const T *at)
{
    return *at;
}
template <class T> static inline void __stcs(T *at, T value)
{
    *at = value;
}
template <class T, class U> static inline T atomicAdd(T *at, U value)
{
    const T before = *at;
    *at = (T)(before + value);
    return before;
}
template <class T> static inline T atomicInc(T *at, T last)
{
    const T old = *at;
    *at = old >= last ? 0 : old + 1;
    return old;
}

static inline void __threadfence()
{
}

template <class T, class U> static inline T atomicOr(T *at, U bits)
{
    const T before = *at;
    *at = (T)(before | bits);
    return before;
}
template <class T, class U> static inline T atomicMax(T *at, U value)
{
    const T before = *at;
    *at = value > before ? (T)value : before;
    return before;
}

/* --- lanes --- */

#define EMULATED_STACK (128u << 10) /* bytes of a lane */

enum meeting { ANY, BALLOT, SHUFFLE, SHUFFLE_UP, MAXIMUM, BARRIER, ALL_WARPS };

struct lane {
    enum { DONE, READY, WAITS } state;
    jmp_buf here; /* swapcontext() would ask the kernel for the signals at every meeting */
    std::unique_ptr<char[]> stack;
    meeting at;
    uint32_t mask, other; /* mask: who meets */
    uint64_t value, result;
};

/* Where a warp is, and its lanes. */
struct warp {
    uint32_t block, first;
    lane lanes[32];
};

static warp one_warp;
static lane *present = one_warp.lanes; /* of the warp that runs */
static jmp_buf between;
static uint32_t running, shuffled = 1;
static place threadIdx, blockIdx, blockDim, gridDim;

/* Runs a lane until it waits for others or has returned. */
static void enter_lane(lane &l)
{
    if (!_setjmp(between))
        _longjmp(l.here, 1);
}

/* Lets the lane that runs wait for the others. */
static void leave_lane(lane &own)
{
    if (!_setjmp(own.here))
        _longjmp(between, 1);
}

static uint64_t meet(meeting at, uint32_t mask, uint64_t value, uint32_t other)
{
    lane &own = present[running];
    own.at = at;
    own.mask = mask;
    own.value = value;
    own.other = other;
    own.state = lane::WAITS;
    leave_lane(own);
    return own.result;
}
static inline bool __any_sync(uint32_t mask, bool yes)
{
    return meet(ANY, mask, yes, 0) != 0;
}
static inline uint32_t __ballot_sync(uint32_t mask, bool yes)
{
    return (uint32_t)meet(BALLOT, mask, yes, 0);
}
template <class T> static inline T __shfl_sync(uint32_t mask, T value, uint32_t from)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = meet(SHUFFLE, mask, bits, from % 32);
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T> static inline T __shfl_xor_sync(uint32_t all, T value, uint32_t mask)
{
    return __shfl_sync(all, value, running ^ mask);
}
static inline uint32_t __shfl_up_sync(uint32_t mask, uint32_t value, uint32_t by)
{
    return (uint32_t)meet(SHUFFLE_UP, mask, value, by);
}
static inline uint32_t __reduce_max_sync(uint32_t mask, uint32_t value)
{
    return (uint32_t)meet(MAXIMUM, mask, value, 0);
}
static inline void __syncwarp(uint32_t mask = 0xffffffffu)
{
    meet(BARRIER, mask, 0, 0);
}
static inline void __syncthreads()
{
    meet(ALL_WARPS, 0xffffffffu, 0, 0);
}
namespace cooperative_groups
{
struct grid_group {
    void sync()
    {
        meet(ALL_WARPS, 0xffffffffu, 0, 0);
    }
};
static inline grid_group this_grid()
{
    return {};
}
} /* namespace cooperative_groups */

/* What those of a mask who wait came for. */
static void hold_meeting(uint32_t mask)
{
    const lane *first = NULL;
    uint32_t bits = 0;
    uint64_t most = 0;
    for (uint32_t l = 0; l < 32; l++)
        if (mask >> l & 1 && present[l].state == lane::WAITS) {
            first = first ? first : &present[l];
            if (present[l].at != first->at || present[l].mask != mask) {
                fprintf(stderr, "lanes of a warp meet at different places\n");
                abort();
            }
            bits |= (uint32_t)(present[l].value != 0) << l;
            most = present[l].value > most ? present[l].value : most;
        }
    for (uint32_t l = 0; l < 32; l++) {
        lane &own = present[l];
        const bool up = own.at == SHUFFLE_UP, low = up && l < own.other;
        const uint32_t from = up ? low ? l : l - own.other : own.other;
        if (mask >> l & 1 && own.state == lane::WAITS)
            own.result = own.at == ANY || own.at == BALLOT ? (uint64_t)bits
                         : own.at == MAXIMUM               ? most
                         : own.at == BARRIER               ? 0
                                                           : present[from].value;
    }
    for (uint32_t l = 0; l < 32; l++)
        if (mask >> l & 1 && present[l].state == lane::WAITS)
            present[l].state = lane::READY;
}

/* All meetings of a warp; false when all have returned, or wait for other warps. */
static bool hold_meetings()
{
    bool any = false;
    for (uint32_t l = 0; l < 32; l++)
        if (present[l].state == lane::WAITS && present[l].at != ALL_WARPS) {
            hold_meeting(present[l].mask);
            any = true;
        }
    return any;
}

/* What all lanes run. */
static void (*lane_work)(void *);
static void *lane_work_of;

/* The life of a lane: one kernel after the other on the same stack. */
static void live()
{
    for (;;) {
        lane_work(lane_work_of);
        lane &own = present[running];
        own.state = lane::DONE;
        leave_lane(own);
    }
}

/* On a stack of its own, up to where it would run its first kernel. */
static void begin_lane(lane &l)
{
    ucontext_t context;
    l.stack.reset(new char[EMULATED_STACK]);
    getcontext(&context);
    context.uc_stack.ss_sp = l.stack.get();
    context.uc_stack.ss_size = EMULATED_STACK;
    context.uc_link = NULL;
    makecontext(&context, live, 0);
    if (!_setjmp(between))
        setcontext(&context);
}

template <class kernel>
static void begin_warp(warp &own, uint32_t block, uint32_t first, kernel &run)
{
    own.block = block;
    own.first = first;
    present = own.lanes;
    for (running = 0; running < 32; running++) {
        lane &l = own.lanes[running];
        if (l.state != lane::DONE) {
            fprintf(stderr, "a lane waits for warps that do not run beside it\n");
            abort();
        }
        if (!l.stack) {
            lane_work = [](void *) {};
            begin_lane(l);
        }
        l.state = lane::READY;
    }
    lane_work = [](void *of) { (*(kernel *)of)(); };
    lane_work_of = &run;
}

/* Lets a warp run to its next meeting, and holds it. */
static bool advance_warp(warp &own)
{
    present = own.lanes;
    blockIdx.x = own.block;
    shuffled = shuffled * 1664525u + 1013904223u;
    for (uint32_t k = 0; k < 32; k++) {
        running = (7 * k + (shuffled >> 16)) % 32;
        threadIdx.x = own.first + running;
        if (present[running].state == lane::READY)
            enter_lane(present[running]);
    }
    return hold_meetings();
}

template <class kernel> static void run_grid(uint32_t blocks, uint32_t threads, kernel run)
{
    blockDim.x = threads;
    gridDim.x = blocks;
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t first = 0; first < threads; first += 32) {
            begin_warp(one_warp, block, first, run);
            while (advance_warp(one_warp)) {
            }
        }
}

#define EMULATED_WARPS 8u

/* Whether all warps that are not done wait for each other; then they wait no more. */
static bool let_all_go(warp *all, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < 32 * count; i++) {
        const lane &l = all[i / 32].lanes[i % 32];
        if (l.state == lane::READY || (l.state == lane::WAITS && l.at != ALL_WARPS))
            return true;
        any = any || l.state == lane::WAITS;
    }
    for (uint32_t i = 0; i < 32 * count; i++)
        if (all[i / 32].lanes[i % 32].state == lane::WAITS)
            all[i / 32].lanes[i % 32].state = lane::READY;
    return any;
}

/* Blocks [first, end) of a grid, together. */
template <class kernel>
static void run_blocks(uint32_t first, uint32_t end, uint32_t threads, kernel run)
{
    static warp all[EMULATED_WARPS];
    const uint32_t in_block = threads / 32, count = (end - first) * in_block;
    for (uint32_t i = 0; i < count; i++)
        begin_warp(all[i], first + i / in_block, i % in_block * 32, run);
    do {
        advance_warp(all[(shuffled >> 8) % count]);
    } while (let_all_go(all, count));
}

template <class kernel> static void run_together(uint32_t blocks, uint32_t threads, kernel run)
{
    blockDim.x = threads;
    gridDim.x = blocks;
    run_blocks(0, blocks, threads, run);
}

/* Blocks one after the other, whose warps wait for each other. */
template <class kernel> static void run_in_turn(uint32_t blocks, uint32_t threads, kernel run)
{
    blockDim.x = threads;
    gridDim.x = blocks;
    for (uint32_t block = 0; block < blocks; block++)
        run_blocks(block, block + 1, threads, run);
}

#define LAUNCH(kernel, blocks, threads, stream, ...) \
    ((void)(stream), run_grid(blocks, threads, [&] { kernel(__VA_ARGS__); }))

#endif
