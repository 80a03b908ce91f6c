/* Gauss-Seidel sweeps in one kernel: a launch costs several microseconds, and a step of a small
 * scene has more than a hundred colours to sweep. Included by kernels.cu.
 *
 * Threads meet between colours (a few rows: in one block; else all blocks), or rows wait for each
 * other one by one (flow.cuh), which is twice as fast for small scenes. What a row needs besides
 * the velocities changes only by its own thread, so it can be fetched ahead. */
#ifndef TL_BACKEND_CUDA_SWEEP_CUH
#define TL_BACKEND_CUDA_SWEEP_CUH

#include <cooperative_groups.h>

#define GRID_THREADS  256u
#define BLOCK_THREADS 512u
#define MOST_THREADS  1024u
#define FEW_ROWS      16384u /* of a colour */
#define FEW_CONTACTS  65536u /* to be coloured by one block */
#define MOST_RANGES   128u
typedef struct sweep_ranges {
    uint32_t count, begin[MOST_RANGES], end[MOST_RANGES];
    bool serial[MOST_RANGES];
} sweep_ranges;

/* What the compiler may know of a list of ranges, to leave out the rest: any rows, or central rows
 * only with Coulomb friction, without friction, or about to take the impulses they start with. */
enum { ANY_ROWS, ANY_START, CENTRAL_COULOMB, CENTRAL_NORMAL, CENTRAL_START, SWEEP_KINDS };
static_assert(TL_CUDA_GRID + SWEEP_KINDS <= TL_CUDA_FLOW &&
                  TL_CUDA_FLOW + SWEEP_KINDS <= TL_CUDA_COLOUR,
              "each kernel has a number of its own");

/* What is fetched ahead of a central row. */
typedef struct fetched {
    uint32_t a, b, turns;
    real n[3], mu, arm_a, arm_b, gamma[3], bias, mass[4];
} fetched;

template <int kind>
static __device__ __forceinline__ fetched fetch(const tlk_problem &p, uint32_t s, uint32_t end)
{
    fetched r = {};
    r.a = r.b = TLK_NONE;
    if (s >= end)
        return r;
    const real *head = p.head + tlk_at(s, 0, TLK_HEAD), *gamma = p.gamma + tlk_at(s, 0, 3);
    r.a = __ldcs(p.a + s);
    r.b = __ldcs(p.b + s);
#pragma unroll
    for (int k = 0; k < 3; k++) {
        r.n[k] = __ldcs(head + k * TLK_LANES);
        r.gamma[k] = __ldcs(gamma + k * TLK_LANES);
    }
    r.mu = kind == CENTRAL_COULOMB ? __ldcs(head + 3 * TLK_LANES) : (real)0;
    r.arm_a = kind != CENTRAL_NORMAL ? __ldcs(head + 4 * TLK_LANES) : (real)0;
    r.arm_b = kind != CENTRAL_NORMAL ? __ldcs(head + 5 * TLK_LANES) : (real)0;
    r.bias = kind != CENTRAL_START ? __ldcs(p.bias + s) : (real)0;
    return r;
}

static __device__ __forceinline__ void store_gamma(const tlk_problem &p, uint32_t s, const real *v)
{
    real *at = p.gamma + tlk_at(s, 0, 3);
#pragma unroll
    for (int k = 0; k < 3; k++)
        __stcs(at + k * TLK_LANES, v[k]);
}

/* A lane of an even row and the next one load and store the two halves of a block together, for one
 * of the two rows and then for the other: whole sectors of memory instead of halves. Which blocks
 * these are: */
typedef struct lane_pair {
    uint32_t odd, even_row, odd_row;
} lane_pair;

static __device__ __forceinline__ lane_pair pair_lanes(uint32_t index)
{
    const uint32_t odd = threadIdx.x & 1, other = __shfl_xor_sync(0xffffffffu, index, 1);
    return {odd, odd ? other : index, odd ? index : other};
}

/* From the halves that a lane loaded of the even and of the odd row's block to both halves of its
 * own, where they are wanted; and back. */
static __device__ __forceinline__ void halves_in(uint32_t odd, const real *x, const real *y,
                                                 bool wanted, real *out)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const real got = __shfl_xor_sync(0xffffffffu, odd ? x[k] : y[k], 1);
        if (wanted) {
            out[k] = odd ? got : x[k];
            out[4 + k] = odd ? y[k] : got;
        }
    }
}

static __device__ __forceinline__ void halves_out(uint32_t odd, const real *v, real *x, real *y)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const real got = __shfl_xor_sync(0xffffffffu, odd ? v[k] : v[4 + k], 1);
        x[k] = odd ? got : v[k];
        y[k] = odd ? v[4 + k] : got;
    }
}

/* The velocity of block `index` for this lane, and its neighbour's for the neighbour. All lanes of
 * a warp call these; nothing is loaded or stored for an index from `blocks` or `moving` on. */
static __device__ __forceinline__ void load_block(const real *vel, uint32_t index, uint32_t blocks,
                                                  real *out)
{
    const lane_pair at = pair_lanes(index);
    real x[4] = {0, 0, 0, 0}, y[4] = {0, 0, 0, 0};
    if (at.even_row < blocks)
        tlk_load4(vel + 8 * (size_t)at.even_row + 4 * at.odd, x);
    if (at.odd_row < blocks)
        tlk_load4(vel + 8 * (size_t)at.odd_row + 4 * at.odd, y);
    halves_in(at.odd, x, y, true, out);
}

static __device__ __forceinline__ void store_block(real *vel, uint32_t index, uint32_t moving,
                                                   const real *v)
{
    const lane_pair at = pair_lanes(index);
    real x[4], y[4];
    halves_out(at.odd, v, x, y);
    if (at.even_row < moving)
        tlk_store4(vel + 8 * (size_t)at.even_row + 4 * at.odd, x);
    if (at.odd_row < moving)
        tlk_store4(vel + 8 * (size_t)at.odd_row + 4 * at.odd, y);
}

/* tlk_psor_sweep or tlk_psor_start of a central row whose data is here. */
template <int kind>
static __device__ __forceinline__ void central_row(const tlk_problem &p, uint32_t s, fetched &r)
{
    if (kind == CENTRAL_NORMAL) {
        if (r.a == TLK_NONE)
            return;
        tlk_psor_normal(&p, r.a, r.b, r.n, r.bias, r.gamma);
        store_gamma(p, s, r.gamma);
        return;
    }
    const tlk_row row = {{r.n[0], r.n[1], r.n[2]}, r.mu, r.arm_a, r.arm_b, r.a, r.b};
    tlk_pair pair;
    load_block(p.vel, r.a, p.blocks, pair.a);
    load_block(p.vel, r.b, p.blocks, pair.b);
    if (kind == CENTRAL_START) {
        tlk_row_push(&p, s, &row, r.gamma, &pair);
    } else if (r.a != TLK_NONE) {
        real u[3], eta[3], old[3] = {r.gamma[0], r.gamma[1], r.gamma[2]};
        tlk_row_velocity(&p, s, &row, &pair, u);
        tlk_row_eta(&p, s, &row, &pair, eta);
        tlk_psor_coulomb(&p, r.bias, s, &row, &pair, u, eta, r.gamma);
        store_gamma(p, s, r.gamma);
        for (int k = 0; k < 3; k++)
            old[k] = r.gamma[k] - old[k];
        tlk_row_push(&p, s, &row, old, &pair);
    }
    store_block(p.vel, r.a, p.moving, pair.a);
    store_block(p.vel, r.b, p.moving, pair.b);
}

/* The next rows of a warp (the first of 32): in its range, in the next one, in the next sweep. */
typedef struct turn {
    uint32_t repeat, range, s;
} turn;

static __device__ __forceinline__ void to_next_rows(const sweep_ranges &ranges, uint32_t repeats,
                                                    uint32_t rank, turn &t)
{
    while (t.repeat < repeats && t.s >= ranges.end[t.range]) {
        if (++t.range == ranges.count) {
            t.range = 0;
            t.repeat++;
        }
        t.s = ranges.begin[t.range] + rank;
    }
}

#include "backend/cuda/flow.cuh"

/* All sweeps over central rows, for a thread that is number `rank` of `all`; `meet` waits for the
 * others. */
template <int kind, typename meeting>
static __device__ __forceinline__ void sweep_central(const tlk_problem &given,
                                                     const sweep_ranges &ranges, uint32_t repeats,
                                                     uint32_t rank, uint32_t all, meeting meet)
{
    const uint32_t lane = rank % 32, first = rank - lane;
    tlk_problem p = given;
    p.block_base = UINT32_MAX; /* what is known, the compiler leaves out */
    p.frictionless = kind == CENTRAL_NORMAL;
    p.coulomb = 1;
    turn ahead = {0, 0, ranges.begin[0] + first};
    fetched next = {};
    to_next_rows(ranges, repeats, first, ahead);
    if (ahead.repeat < repeats)
        next = fetch<kind>(p, ahead.s + lane, ranges.end[ahead.range]);
    for (uint32_t r = 0; r < repeats; r++)
        for (uint32_t i = 0; i < ranges.count; i++) {
            while (ahead.repeat == r && ahead.range == i) {
                const uint32_t s = ahead.s;
                fetched now = next;
                ahead.s += all;
                to_next_rows(ranges, repeats, first, ahead);
                /* a warp with no other rows must write these before it fetches them again */
                const bool again = ahead.s == s, more = ahead.repeat < repeats;
                if (more && !again)
                    next = fetch<kind>(p, ahead.s + lane, ranges.end[ahead.range]);
                central_row<kind>(p, s + lane, now);
                if (more && again)
                    next = fetch<kind>(p, ahead.s + lane, ranges.end[ahead.range]);
            }
            meet();
        }
}

/* The same over any rows. A serial range is worked on by the first thread alone. */
template <int kind, typename meeting>
static __device__ __forceinline__ void sweep_any(const tlk_problem &p, const sweep_ranges &ranges,
                                                 uint32_t repeats, uint32_t rank, uint32_t all,
                                                 meeting meet)
{
    for (uint32_t r = 0; r < repeats; r++)
        for (uint32_t i = 0; i < ranges.count; i++) {
            const uint32_t step = ranges.serial[i] ? 1 : all;
            const uint32_t end = ranges.serial[i] && rank ? 0 : ranges.end[i];
            for (uint32_t s = ranges.begin[i] + rank; s < end; s += step)
                if (kind == ANY_START)
                    tlk_psor_start(&p, s);
                else
                    tlk_psor_sweep(&p, s);
            meet();
        }
}

template <int kind, typename meeting>
static __device__ __forceinline__ void sweep_all(const tlk_problem &p, const sweep_ranges &ranges,
                                                 uint32_t repeats, uint32_t rank, uint32_t all,
                                                 meeting meet)
{
    if (kind >= CENTRAL_COULOMB)
        sweep_central<kind>(p, ranges, repeats, rank, all, meet);
    else
        sweep_any<kind>(p, ranges, repeats, rank, all, meet);
}

template <int kind>
static __global__ void __launch_bounds__(GRID_THREADS)
    grid_sweeps(const __grid_constant__ tlk_problem p, const __grid_constant__ sweep_ranges ranges,
                uint32_t repeats)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    sweep_all<kind>(p, ranges, repeats, blockIdx.x * blockDim.x + threadIdx.x,
                    gridDim.x * blockDim.x, [&] { grid.sync(); });
}

template <int kind>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    block_sweeps(const __grid_constant__ tlk_problem p, const __grid_constant__ sweep_ranges ranges,
                 uint32_t repeats)
{
    sweep_all<kind>(p, ranges, repeats, threadIdx.x, blockDim.x, [] { __syncthreads(); });
}

/* The blocks of a kernel that are on the thread's current GPU at once; asked once and noted. */
static uint32_t most_blocks(const void *kernel, int *noted)
{
    int device = 0, processors = 0, blocks = 0;
    if (!*noted) {
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)GRID_THREADS, 0);
        *noted = processors * blocks;
    }
    return (uint32_t)*noted;
}

/* Which kernel serves a list of launches of one problem. */
static int sweep_kind(const tl_launch *launches, size_t count)
{
    const tlk_problem *problem = (const tlk_problem *)launches[0].args;
    const bool start = launches[0].kernel == TLK_psor_start;
    for (size_t i = 0; i < count; i++)
        if (launches[i].end > problem->block_base || launches[i].serial)
            return start ? ANY_START : ANY_ROWS;
    if (start)
        return CENTRAL_START;
    return problem->frictionless ? CENTRAL_NORMAL : problem->coulomb ? CENTRAL_COULOMB : ANY_ROWS;
}

/* The ranges of a list, and the longest of them. */
static uint32_t list_ranges(const tl_launch *launches, size_t count, sweep_ranges *ranges)
{
    uint32_t longest = 0;
    *ranges = {};
    for (size_t i = 0; i < count; i++) {
        ranges->begin[i] = launches[i].begin;
        ranges->end[i] = launches[i].end;
        ranges->serial[i] = launches[i].serial;
        longest = tlk_max(longest, launches[i].end - launches[i].begin);
    }
    ranges->count = (uint32_t)count;
    return longest;
}

static cudaError_t launch_grid(const void *kernel, int *noted, uint32_t longest, void **args,
                               cudaStream_t stream)
{
    const uint32_t most = most_blocks(kernel, noted);
    /* few rows are spread over many processors: each is limited by the velocities it gathers */
    const uint32_t threads = longest <= FEW_ROWS ? 64 : GRID_THREADS;
    const uint32_t wanted = (longest + threads - 1) / threads;
    const uint32_t blocks = wanted < most ? wanted : most;
    return cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), args, 0, stream);
}

#if defined(FLOW)
static cudaError_t flow(const tl_launch *launches, size_t count, uint32_t repeats, uint32_t longest,
                        sweep_ranges *ranges, tl_cuda_blocks *blocks, cudaStream_t stream)
{
    static const void *const kernels[SWEEP_KINDS] = {
        NULL, NULL, (const void *)flow_sweeps<CENTRAL_COULOMB>,
        (const void *)flow_sweeps<CENTRAL_NORMAL>, (const void *)flow_sweeps<CENTRAL_START>};
    const tlk_problem *problem = (const tlk_problem *)launches[0].args;
    const int kind = sweep_kind(launches, count);
    flow_colours colours;
    uint64_t left = problem->colours;
    for (size_t i = 0; i < count; i++, left &= left - 1)
        colours.of[i] = (uint8_t)__builtin_ctzll(left);
    cudaError_t e = cudaSuccess;
    while (repeats > 0 && e == cudaSuccess) {
        uint32_t passes = repeats < MOST_PASSES ? repeats : MOST_PASSES;
        void *args[] = {(void *)problem, ranges, &passes, &colours};
        e = launch_grid(kernels[kind], &blocks->most[TL_CUDA_FLOW + kind], longest, args, stream);
        repeats -= passes;
    }
    return e;
}
#endif

static cudaError_t sweeps(const tl_launch *launches, size_t count, uint32_t repeats,
                          tl_cuda_blocks *blocks, cudaStream_t stream)
{
#define SWEEP_KERNELS(name)                                                          \
    {                                                                                \
        (const void *)name<ANY_ROWS>, (const void *)name<ANY_START>,                 \
            (const void *)name<CENTRAL_COULOMB>, (const void *)name<CENTRAL_NORMAL>, \
            (const void *)name<CENTRAL_START>                                        \
    }
    static const void *const on_grid[SWEEP_KINDS] = SWEEP_KERNELS(grid_sweeps);
    static const void *const in_block[SWEEP_KINDS] = SWEEP_KERNELS(block_sweeps);
    sweep_ranges ranges;
    const int kind = sweep_kind(launches, count);
    const uint32_t longest = list_ranges(launches, count, &ranges);
    void *args[] = {(void *)launches[0].args, &ranges, &repeats};
    if (longest <= BLOCK_THREADS)
        return cudaLaunchKernel(in_block[kind], dim3(1), dim3((longest + 31) / 32 * 32), args, 0,
                                stream);
#if defined(FLOW)
    if (kind >= CENTRAL_COULOMB && ((const tlk_problem *)launches[0].args)->turns)
        return flow(launches, count, repeats, longest, &ranges, blocks, stream);
#endif
    return launch_grid(on_grid[kind], &blocks->most[TL_CUDA_GRID + kind], longest, args, stream);
}

/* Rounds of colouring until no contact is left, in one kernel: how many there are is known on the
 * GPU only. */
template <typename meeting>
static __device__ __forceinline__ void do_colour_rounds(const tlk_colour &c, uint32_t rank,
                                                        uint32_t all, meeting meet)
{
    volatile uint32_t *left = c.fresh_count + 1;
    const uint32_t n = c.fresh_count[0];
    for (uint32_t last = n; last > 0;) {
        for (uint32_t i = rank; i < n; i += all)
            tlk_colour_bid(&c, i);
        meet();
        if (rank == 0)
            *left = 0;
        for (uint32_t i = rank; i < n; i += all)
            tlk_colour_take(&c, i);
        meet();
        uint32_t mine = 0;
        for (uint32_t i = rank; i < n; i += all) {
            tlk_colour_clear(&c, i);
            mine += c.colour[c.fresh[i]] == TLK_NONE;
        }
        if (mine)
            atomicAdd((uint32_t *)left, mine);
        meet();
        last = *left;
    }
}

static __global__ void __launch_bounds__(GRID_THREADS)
    grid_colour_rounds(const __grid_constant__ tlk_colour c)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    do_colour_rounds(c, blockIdx.x * GRID_THREADS + threadIdx.x, gridDim.x * GRID_THREADS,
                     [&] { grid.sync(); });
}

static __global__ void __launch_bounds__(MOST_THREADS)
    block_colour_rounds(const __grid_constant__ tlk_colour c)
{
    do_colour_rounds(c, threadIdx.x, MOST_THREADS, [] { __syncthreads(); });
}

static cudaError_t colour_rounds(const tlk_colour *args, uint32_t contacts, tl_cuda_blocks *noted,
                                 cudaStream_t stream)
{
    if (contacts <= FEW_CONTACTS) {
        block_colour_rounds<<<1, MOST_THREADS, 0, stream>>>(*args);
        return cudaPeekAtLastError();
    }
    const uint32_t most =
        most_blocks((const void *)grid_colour_rounds, &noted->most[TL_CUDA_COLOUR]);
    const uint32_t wanted = (contacts / 16 + GRID_THREADS) / GRID_THREADS; /* few are fresh */
    const uint32_t blocks = wanted < most ? wanted : most;
    void *all[] = {(void *)args};
    return cudaLaunchCooperativeKernel((const void *)grid_colour_rounds, dim3(blocks),
                                       dim3(GRID_THREADS), all, 0, stream);
}

#endif
