/* Gauss-Seidel sweeps in one kernel: a launch costs several microseconds, and a step of a small
 * scene has more than a hundred colours to sweep. Included by launch.cuh, and by a test that runs
 * it without a GPU.
 *
 * Threads meet between colours (a few rows: in one block; else all blocks), or rows wait for each
 * other one by one (flow.cuh), which is twice as fast for small scenes; launch.cuh chooses. What a
 * row needs besides the velocities changes only by its own thread, so it can be fetched ahead. */
#ifndef TL_BACKEND_CUDA_SWEEP_CUH
#define TL_BACKEND_CUDA_SWEEP_CUH

#define GRID_THREADS  256u
#define BLOCK_THREADS 512u
#define MOST_RANGES   128u
typedef struct sweep_ranges {
    uint32_t count, begin[MOST_RANGES], end[MOST_RANGES];
    bool serial[MOST_RANGES];
} sweep_ranges;

/* What the compiler may know of a list of ranges, to leave out the rest: any rows, or rows in
 * ranges none of which is serial with Coulomb friction, without friction, or about to take the
 * impulses they start with; and whether they are all central, central with walls that turn, of
 * both kinds, of both with several rows for each item of anchor rows, or all of this with
 * materials. Problems without friction have neither walls that turn nor materials. */
enum {
    ANY_ROWS,
    ANY_START,
    CENTRAL_COULOMB,
    CENTRAL_NORMAL,
    CENTRAL_START,
    WALLS_COULOMB,
    WALLS_NORMAL,
    WALLS_START,
    MIXED_COULOMB,
    MIXED_NORMAL,
    MIXED_START,
    POINTS_COULOMB,
    POINTS_NORMAL,
    POINTS_START,
    MATERIAL_COULOMB,
    MATERIAL_NORMAL,
    MATERIAL_START,
    SWEEP_KINDS
};
template <int kind> struct sweep_of {
    static const bool material = kind >= MATERIAL_COULOMB;
    static const bool points = kind >= POINTS_COULOMB;
    static const bool mixed = kind >= MIXED_COULOMB;
    static const bool walls = kind >= WALLS_COULOMB;
    static const int of = (kind - CENTRAL_COULOMB) % 3;
    static const bool coulomb = kind >= CENTRAL_COULOMB && of == 0;
    static const bool normal = kind >= CENTRAL_COULOMB && of == 1;
    static const bool start = kind >= CENTRAL_COULOMB && of == 2;
};

/* The problem with what is known put in, so that the compiler leaves out the rest. */
template <int kind>
static __device__ __forceinline__ tlk_problem known_problem(const tlk_problem &given)
{
    tlk_problem p = given;
    p.frictionless = sweep_of<kind>::normal;
    p.coulomb = 1;
    if (!sweep_of<kind>::walls)
        p.wall = NULL;
    if (!sweep_of<kind>::material)
        p.material = p.moment = NULL;
    return p;
}

/* What is fetched ahead of a row. */
typedef struct fetched {
    tlk_row row;
    uint32_t turns;
    real gamma[3], bias, mass[4];
} fetched;

/* The first row of an item. */
template <int kind>
static __device__ __forceinline__ uint32_t row_of_item(const tlk_problem &p, uint32_t item)
{
    return sweep_of<kind>::points ? tlk_item_row(item, p.anchor_base, p.item_rows) : item;
}

/* The rest of an anchor row. */
template <int kind>
static __device__ __forceinline__ void fetch_anchors(const tlk_problem &p, uint32_t s, tlk_row &row)
{
    if (sweep_of<kind>::mixed && s >= p.anchor_base) {
        const real *head = p.head + tlk_at(s, 0, TLK_HEAD);
        const real *anchors = p.anchors + tlk_at(s - p.anchor_base, 0, TLK_ANCHORS);
        row.anchors = true;
#pragma unroll
        for (int k = 0; k < 3; k++) {
            row.ra[k] = __ldcs(anchors + k * TLK_LANES);
            row.rb[k] = __ldcs(anchors + (3 + k) * TLK_LANES);
        }
        row.eta[0] = __ldcs(head + 4 * TLK_LANES);
        row.eta[1] = __ldcs(head + 5 * TLK_LANES);
        tlk_load8(p.inverse + 8 * (size_t)row.a, row.ia);
        tlk_load8(p.inverse + 8 * (size_t)row.b, row.ib);
    }
}

/* The rest of a central row against a wall, where some turn: whether it is one. Such rows are few:
 * this is not fetched ahead, for want of registers, but stays in the first-level cache. */
static __device__ __forceinline__ bool fetch_wall(const tlk_problem &p, uint32_t s, tlk_row &row)
{
    if (!p.wall || row.anchors || row.a == TLK_NONE || row.b < p.moving)
        return false;
#pragma unroll
    for (uint32_t k = 0; k < 3; k++)
        row.rb[k] = p.wall[tlk_at(s, k, 3)];
    return true;
}

template <int kind>
static __device__ __forceinline__ fetched fetch(const tlk_problem &p, uint32_t item, uint32_t end)
{
    fetched r = {};
    r.row.a = r.row.b = TLK_NONE;
    if (item >= end)
        return r;
    const uint32_t s = row_of_item<kind>(p, item);
    const bool normal = sweep_of<kind>::normal;
    const real *head = p.head + tlk_at(s, 0, TLK_HEAD), *gamma = p.gamma + tlk_at(s, 0, 3);
    r.row.a = __ldcs(p.a + s);
    r.row.b = __ldcs(p.b + s);
#pragma unroll
    for (int k = 0; k < 3; k++) {
        r.row.n[k] = __ldcs(head + k * TLK_LANES);
        r.gamma[k] = __ldcs(gamma + k * TLK_LANES);
    }
    r.row.mu = sweep_of<kind>::coulomb ? __ldcs(head + 3 * TLK_LANES) : (real)0;
    r.row.anchor_a = !normal ? __ldcs(head + 4 * TLK_LANES) : (real)0;
    r.row.anchor_b = !normal ? __ldcs(head + 5 * TLK_LANES) : (real)0;
    r.bias = !sweep_of<kind>::start ? __ldcs(p.bias + s) : (real)0;
    fetch_anchors<kind>(p, s, r.row);
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

/* What the moment that row s starts with changes. */
template <int kind>
static __device__ __forceinline__ void start_moment(const tlk_problem &p, uint32_t s,
                                                    const tlk_row &row, tlk_pair &pair)
{
    real moment[3];
    if (!sweep_of<kind>::material || !p.moment || row.a == TLK_NONE)
        return;
    tlk_load3(p.moment, s, moment);
    tlk_row_turn(&row, moment, &pair);
}

/* The step of row s with these velocities, which it changes. What its materials say is not fetched
 * ahead. */
template <int kind>
static __device__ __forceinline__ void step_row(const tlk_problem &p, uint32_t s, const real *eta,
                                                fetched &r, tlk_pair &pair)
{
    real u[3], moment[3], old[3] = {r.gamma[0], r.gamma[1], r.gamma[2]};
    if (sweep_of<kind>::normal && !r.row.anchors) {
        tlk_normal_step(&p, r.row.n, r.bias, pair.a, pair.b, r.gamma);
        return;
    }
    tlk_row_velocity(&p, &r.row, &pair, u);
    if (sweep_of<kind>::material) {
        tlk_load_material(&p, s, &r.row.material);
        tlk_add_material(&p, &r.row, tlk_dot(r.gamma, r.row.n), u);
    }
    if (sweep_of<kind>::normal)
        tlk_anchor_normal(&p, r.bias, &r.row, u, r.gamma);
    else
        tlk_psor_coulomb(&p, r.bias, &r.row, &pair, u, eta, r.gamma);
    for (int k = 0; k < 3; k++)
        old[k] = r.gamma[k] - old[k];
    tlk_row_push(&p, &r.row, old, &pair);
    if (!sweep_of<kind>::material || !p.moment)
        return;
    tlk_load3(p.moment, s, moment);
    tlk_psor_moment(&p, &r.row, r.gamma, &pair, moment);
    tlk_store3(p.moment, s, moment);
}

/* The further rows of an item of anchor rows, one packet on each: its blocks stay as they are. What
 * they need is not fetched ahead. */
template <int kind>
static __device__ __forceinline__ void step_points(const tlk_problem &p, uint32_t s, fetched &r,
                                                   tlk_pair &pair)
{
    const bool more = sweep_of<kind>::points && s >= p.anchor_base && r.row.a != TLK_NONE;
    for (uint32_t point = 1; more && point < p.item_rows; point++) {
        s += TLK_LANES;
        if (p.a[s] == TLK_NONE)
            return;
        const real *head = p.head + tlk_at(s, 0, TLK_HEAD), *gamma = p.gamma + tlk_at(s, 0, 3);
        const real *anchors = p.anchors + tlk_at(s - p.anchor_base, 0, TLK_ANCHORS);
        real eta[3];
#pragma unroll
        for (int k = 0; k < 3; k++) {
            r.row.n[k] = __ldcs(head + k * TLK_LANES);
            r.gamma[k] = __ldcs(gamma + k * TLK_LANES);
            r.row.ra[k] = __ldcs(anchors + k * TLK_LANES);
            r.row.rb[k] = __ldcs(anchors + (3 + k) * TLK_LANES);
        }
        r.row.mu = sweep_of<kind>::coulomb ? __ldcs(head + 3 * TLK_LANES) : (real)0;
        r.row.eta[0] = eta[0] = __ldcs(head + 4 * TLK_LANES);
        r.row.eta[1] = eta[1] = __ldcs(head + 5 * TLK_LANES);
        eta[2] = 0;
        if (sweep_of<kind>::start) {
            tlk_row_push(&p, &r.row, r.gamma, &pair);
            start_moment<kind>(p, s, r.row, pair);
            continue;
        }
        r.bias = __ldcs(p.bias + s);
        step_row<kind>(p, s, eta, r, pair);
        store_gamma(p, s, r.gamma);
    }
}

/* tlk_psor_sweep or tlk_psor_start of an item whose first row's data is here; `anchors`: the rows
 * of the warp are anchor rows. */
template <int kind>
static __device__ __forceinline__ void sweep_row(const tlk_problem &p, uint32_t item, bool anchors,
                                                 fetched &r)
{
    const uint32_t s = row_of_item<kind>(p, item);
    const bool here = r.row.a != TLK_NONE;
    r.row.anchors = sweep_of<kind>::mixed && r.row.anchors; /* for the compiler to know */
    if (sweep_of<kind>::normal && !anchors) {
        if (here) {
            fetch_wall(p, s, r.row);
            tlk_psor_normal(&p, &r.row, r.bias, r.gamma);
            store_gamma(p, s, r.gamma);
        }
        return;
    }
    tlk_pair pair;
    load_block(p.vel, r.row.a, p.blocks, pair.a);
    load_block(p.vel, r.row.b, p.blocks, pair.b);
    if (fetch_wall(p, s, r.row))
        tlk_wall_surface(&r.row, pair.b);
    if (sweep_of<kind>::start) {
        tlk_row_push(&p, &r.row, r.gamma, &pair);
        start_moment<kind>(p, s, r.row, pair);
    } else if (here) {
        real eta[3];
        tlk_row_eta(&r.row, &pair, eta);
        step_row<kind>(p, s, eta, r, pair);
        store_gamma(p, s, r.gamma);
    }
    step_points<kind>(p, s, r, pair);
    store_block(p.vel, r.row.a, p.moving, pair.a);
    store_block(p.vel, r.row.b, p.moving, pair.b);
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

/* All sweeps over rows in ranges none of which is serial, for a thread that is number `rank` of
 * `all`; `meet` waits for the others. */
template <int kind, typename meeting>
static __device__ __forceinline__ void sweep_rows(const tlk_problem &given,
                                                  const sweep_ranges &ranges, uint32_t repeats,
                                                  uint32_t rank, uint32_t all, meeting meet)
{
    const uint32_t lane = rank % 32, first = rank - lane;
    const tlk_problem p = known_problem<kind>(given);
    turn ahead = {0, 0, ranges.begin[0] + first};
    fetched next = {};
    to_next_rows(ranges, repeats, first, ahead);
    if (ahead.repeat < repeats)
        next = fetch<kind>(p, ahead.s + lane, ranges.end[ahead.range]);
    for (uint32_t r = 0; r < repeats; r++)
        for (uint32_t i = 0; i < ranges.count; i++) {
            const bool anchors = sweep_of<kind>::mixed && ranges.begin[i] >= p.anchor_base;
            while (ahead.repeat == r && ahead.range == i) {
                const uint32_t s = ahead.s;
                fetched now = next;
                ahead.s += all;
                to_next_rows(ranges, repeats, first, ahead);
                /* a warp with no other rows must write these before it fetches them again */
                const bool again = ahead.s == s, more = ahead.repeat < repeats;
                if (more && !again)
                    next = fetch<kind>(p, ahead.s + lane, ranges.end[ahead.range]);
                sweep_row<kind>(p, s + lane, anchors, now);
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
        sweep_rows<kind>(p, ranges, repeats, rank, all, meet);
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

/* Which kernel serves a list of launches of one problem. */
static int sweep_kind(const tl_launch *launches, size_t count)
{
    const tlk_problem *problem = (const tlk_problem *)launches[0].args;
    const bool start = launches[0].kernel == TLK_psor_start;
    for (size_t i = 0; i < count; i++)
        if (launches[i].serial)
            return start ? ANY_START : ANY_ROWS;
    if (!start && !problem->frictionless && !problem->coulomb)
        return ANY_ROWS;
    if (problem->material)
        return start ? MATERIAL_START : MATERIAL_COULOMB;
    const int mixed = problem->item_rows > 1 ? POINTS_COULOMB : MIXED_COULOMB;
    const int rows = problem->anchor_base < problem->rows ? mixed
                     : problem->wall                      ? WALLS_COULOMB
                                                          : CENTRAL_COULOMB;
    return rows + (start ? 2 : problem->frictionless ? 1 : 0);
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

#endif
