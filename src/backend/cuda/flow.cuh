/* Sweeps in which rows wait for each other, one by one, instead of all threads for all: in 32-bit
 * precision. Included by sweep.cuh.
 *
 * While sweeps run, a block's inverse mass and inertia, the last numbers of the two halves of its
 * velocity, give way to a stamp: which row wrote it, by pass and colour. A row knows the colour of
 * the row before it at each of its two blocks, so it reads a block until it has that row's stamp in
 * both halves, which are read and written whole (128 bits). Nothing else passes between threads, so
 * nothing has to be fenced. The first row of a block's first pass takes what is there; the last row
 * of its last pass writes mass and inertia back. Every thread takes its rows in the order of passes
 * and colours and all threads are there at once, so the earliest row that is not done can always be
 * done. The results are those of sweeps colour by colour.
 *
 * Without friction central rows have no use for angular velocities and pass on the linear halves
 * alone; where there are anchor rows, too, every row passes on both. Walls are nobody's to wait
 * for.
 */
#ifndef TL_BACKEND_CUDA_FLOW_CUH
#define TL_BACKEND_CUDA_FLOW_CUH

#if !defined(TLK_PRECISION_double)
#define FLOW 1

/* A stamp is no number, so no inverse mass looks like one. */
#define STAMP       0xffc00000u
#define MOST_PASSES 0x8000u /* of a launch: what a stamp has room for */

/* The colours of ranges, which are in their order, central rows before anchor rows. */
typedef struct flow_colours {
    uint8_t of[MOST_RANGES];
} flow_colours;

static flow_colours colours_of(const tlk_problem &p)
{
    flow_colours colours = {};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2 * TLK_COLOURS; i++)
        if (p.colours[i % 2] >> i / 2 & 1)
            colours.of[count++] = (uint8_t)(i / 2);
    return colours;
}

/* load_block and store_block with whole halves; what is not asked for stays as it was. */
static __device__ __forceinline__ void load_halves(const real *vel, uint32_t index, real *out)
{
    const lane_pair at = pair_lanes(index);
    real x[4] = {0, 0, 0, 0}, y[4] = {0, 0, 0, 0};
    if (at.even_row != TLK_NONE)
        load_word(vel + 8 * (size_t)at.even_row + 4 * at.odd, x);
    if (at.odd_row != TLK_NONE)
        load_word(vel + 8 * (size_t)at.odd_row + 4 * at.odd, y);
    halves_in(at.odd, x, y, index != TLK_NONE, out);
}

static __device__ __forceinline__ void store_halves(real *vel, uint32_t index, uint32_t moving,
                                                    const real *v)
{
    const lane_pair at = pair_lanes(index);
    real x[4], y[4];
    halves_out(at.odd, v, x, y);
    if (at.even_row < moving)
        store_word(vel + 8 * (size_t)at.even_row + 4 * at.odd, x);
    if (at.odd_row < moving)
        store_word(vel + 8 * (size_t)at.odd_row + 4 * at.odd, y);
}

/* The stamp that a row waits for at a block, 0 where it need not wait. */
static __device__ __forceinline__ uint32_t awaited(uint32_t turns, uint32_t pass)
{
    const uint32_t first = turns & TLK_TURN_FIRST;
    if (first && pass == 0)
        return 0;
    return STAMP | (pass - (first ? 1 : 0)) << 6 | (turns & TLK_TURN_COLOUR);
}

/* Reads the velocities of a row's blocks when the rows before it have written them; with `half` the
 * linear halves alone. */
template <bool half>
static __device__ __forceinline__ void await_pair(const tlk_problem &p, const fetched &r,
                                                  uint32_t pass, tlk_pair &pair)
{
    const uint32_t stamp_a = awaited(r.turns & 255u, pass), stamp_b = awaited(r.turns >> 8, pass);
    uint32_t ask_a = r.row.a, ask_b = r.row.b;
    do {
        if (half) {
            if (ask_a != TLK_NONE)
                load_word(p.vel + 8 * (size_t)ask_a, pair.a);
            if (ask_b != TLK_NONE)
                load_word(p.vel + 8 * (size_t)ask_b, pair.b);
        } else {
            load_halves(p.vel, ask_a, pair.a);
            load_halves(p.vel, ask_b, pair.b);
        }
        if (!stamp_a || (__float_as_uint(pair.a[3]) == stamp_a &&
                         (half || __float_as_uint(pair.a[7]) == stamp_a)))
            ask_a = TLK_NONE;
        if (!stamp_b || r.row.b >= p.moving ||
            (__float_as_uint(pair.b[3]) == stamp_b &&
             (half || __float_as_uint(pair.b[7]) == stamp_b)))
            ask_b = TLK_NONE;
    } while (__any_sync(0xffffffffu, ask_a != TLK_NONE || ask_b != TLK_NONE));
}

/* sweep_row in its turn. What does not need the velocities is done before they are there. */
template <int kind>
static __device__ __forceinline__ void flow_row(const tlk_problem &p, uint32_t item, uint32_t pass,
                                                uint32_t colour, bool last, fetched &r)
{
    const uint32_t s = row_of_item<kind>(p, item);
    const bool half = sweep_of<kind>::normal && !sweep_of<kind>::mixed;
    const bool here = r.row.a != TLK_NONE;
    r.row.anchors = sweep_of<kind>::mixed && r.row.anchors; /* for the compiler to know */
    tlk_pair pair = {};
    tlk_change change = {};
    real eta[3] = {0, 0, 0};
    pair.a[3] = r.mass[0], pair.b[3] = r.mass[1];
    pair.a[7] = r.mass[2], pair.b[7] = r.mass[3];
    if (sweep_of<kind>::coulomb && here)
        tlk_row_eta(&r.row, &pair, eta);
    if (sweep_of<kind>::start)
        change = tlk_row_change(&r.row, r.gamma, r.mass);
    await_pair<half>(p, r, pass, pair);
    pair.a[3] = r.mass[0], pair.b[3] = r.mass[1];
    pair.a[7] = r.mass[2], pair.b[7] = r.mass[3];
    if (fetch_wall(p, s, r.row)) {
        if (half)
            tlk_load4(p.vel + 8 * (size_t)r.row.b + 4, pair.b + 4);
        tlk_wall_surface(&r.row, pair.b);
    }
    if (sweep_of<kind>::start) {
        tlk_apply_change(&change, &pair);
        start_moment<kind>(p, s, r.row, pair);
    } else if (here) {
        step_row<kind>(p, s, eta, r, pair);
    }
    if (sweep_of<kind>::points && !sweep_of<kind>::start && here)
        store_gamma(p, s, r.gamma); /* before others take its place */
    step_points<kind>(p, s, r, pair);
    const real stamp = __uint_as_float(STAMP | pass << 6 | colour);
    if (!(last && r.turns & TLK_TURN_LAST))
        pair.a[3] = pair.a[7] = stamp;
    if (!(last && r.turns >> 8 & TLK_TURN_LAST))
        pair.b[3] = pair.b[7] = stamp;
    if (!half) {
        store_halves(p.vel, r.row.a, p.moving, pair.a);
        store_halves(p.vel, r.row.b, p.moving, pair.b);
    } else if (here) {
        store_word(p.vel + 8 * (size_t)r.row.a, pair.a);
        if (r.row.b < p.moving)
            store_word(p.vel + 8 * (size_t)r.row.b, pair.b);
    }
    if (!sweep_of<kind>::points && !sweep_of<kind>::start && here)
        store_gamma(p, s, r.gamma);
}

/* fetch, with the row's turns and masses. */
template <int kind>
static __device__ __forceinline__ fetched fetch_flow(const tlk_problem &p, uint32_t s, uint32_t end)
{
    fetched r = fetch<kind>(p, s, end);
    if (s < end) {
        const float4 mass = __ldcs((const float4 *)p.mass + s);
        r.mass[0] = mass.x, r.mass[1] = mass.y, r.mass[2] = mass.z, r.mass[3] = mass.w;
        r.turns = __ldcs(p.turns + s);
    }
    return r;
}

/* Rows with friction are many registers: more threads at once are worth more than fetching ahead.
 * Anchor rows are more than fit when there are as many threads. */
template <int kind>
static __global__ void __launch_bounds__(GRID_THREADS, sweep_of<kind>::mixed ? 2 : 4)
    flow_sweeps(const __grid_constant__ tlk_problem given,
                const __grid_constant__ sweep_ranges ranges, uint32_t passes,
                const __grid_constant__ flow_colours colours)
{
    const uint32_t rank = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    const uint32_t lane = rank % 32, first = rank - lane;
    const tlk_problem p = known_problem<kind>(given);
    turn ahead = {0, 0, ranges.begin[0] + first};
    fetched next = {};
    to_next_rows(ranges, passes, first, ahead);
    bool here = false;
    for (turn now = ahead; now.repeat < passes; now = ahead) {
        const uint32_t s = now.s + lane;
        fetched r = here ? next : fetch_flow<kind>(p, s, ranges.end[now.range]);
        ahead.s += all;
        to_next_rows(ranges, passes, first, ahead);
        /* a warp with no other rows must write these before it fetches them again */
        here = sweep_of<kind>::normal && ahead.s != now.s && ahead.repeat < passes;
        if (here)
            next = fetch_flow<kind>(p, ahead.s + lane, ranges.end[ahead.range]);
        flow_row<kind>(p, s, now.repeat, colours.of[now.range], now.repeat + 1 == passes, r);
    }
}
#endif

#endif
