/* Sweeps in which rows wait for each other, one by one, instead of all threads for all: in 32-bit
 * precision, over central rows. Included by sweep.cuh.
 *
 * While sweeps run, a block's inverse mass and inertia, the last numbers of the two halves of its
 * velocity, give way to a stamp: which row wrote it, by pass and colour. A row knows the colour of
 * the row before it at each of its two blocks, so it reads a block until it has that row's stamp in
 * both halves, which are read and written whole (128 bits). Nothing else passes between threads, so
 * nothing has to be fenced. The first row of a block's first pass takes what is there; the last row
 * of its last pass writes mass and inertia back. Every thread takes its rows in the order of passes
 * and colours and all threads are there at once, so the earliest row that is not done can always be
 * done. The results are those of sweeps colour by colour. */
#ifndef TL_BACKEND_CUDA_FLOW_CUH
#define TL_BACKEND_CUDA_FLOW_CUH

#if !defined(TLK_PRECISION_double)
#define FLOW 1

/* A stamp is no number, so no inverse mass looks like one. */
#define STAMP       0xffc00000u
#define MOST_PASSES 0x8000u /* of a launch: what a stamp has room for */

/* The colours of ranges. */
typedef struct flow_colours {
    uint8_t of[TLK_COLOURS];
} flow_colours;

static __device__ __forceinline__ void load_word(const real *from, real *to)
{
    uint64_t low, high;
    asm volatile("{\n\t.reg .b128 w;\n\tld.relaxed.gpu.global.b128 w, [%2];\n\t"
                 "mov.b128 {%0, %1}, w;\n\t}"
                 : "=l"(low), "=l"(high)
                 : "l"(from)
                 : "memory");
    to[0] = __uint_as_float((uint32_t)low), to[1] = __uint_as_float((uint32_t)(low >> 32));
    to[2] = __uint_as_float((uint32_t)high), to[3] = __uint_as_float((uint32_t)(high >> 32));
}

static __device__ __forceinline__ void store_word(real *to, const real *from)
{
    const uint64_t low = __float_as_uint(from[0]) | (uint64_t)__float_as_uint(from[1]) << 32;
    const uint64_t high = __float_as_uint(from[2]) | (uint64_t)__float_as_uint(from[3]) << 32;
    asm volatile("{\n\t.reg .b128 w;\n\tmov.b128 w, {%1, %2};\n\t"
                 "st.relaxed.gpu.global.b128 [%0], w;\n\t}"
                 :
                 : "l"(to), "l"(low), "l"(high)
                 : "memory");
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
static __device__ __forceinline__ uint32_t awaited(uint32_t turn, uint32_t pass)
{
    const uint32_t first = turn & TLK_TURN_FIRST;
    if (first && pass == 0)
        return 0;
    return STAMP | (pass - (first ? 1 : 0)) << 6 | (turn & TLK_TURN_COLOUR);
}

/* Reads the velocities of a row's blocks when the rows before it have written them. */
template <int kind>
static __device__ __forceinline__ void await_pair(const tlk_problem &p, const fetched &r,
                                                  uint32_t pass, tlk_pair &pair)
{
    const uint32_t stamp_a = awaited(r.turns & 255u, pass), stamp_b = awaited(r.turns >> 8, pass);
    uint32_t ask_a = r.a, ask_b = r.a == TLK_NONE ? TLK_NONE : r.b;
    do {
        if (kind == CENTRAL_NORMAL) {
            if (ask_a != TLK_NONE)
                load_word(p.vel + 8 * (size_t)ask_a, pair.a);
            if (ask_b != TLK_NONE)
                load_word(p.vel + 8 * (size_t)ask_b, pair.b);
        } else {
            load_halves(p.vel, ask_a, pair.a);
            load_halves(p.vel, ask_b, pair.b);
        }
        const bool half = kind == CENTRAL_NORMAL;
        if (!stamp_a || (__float_as_uint(pair.a[3]) == stamp_a &&
                         (half || __float_as_uint(pair.a[7]) == stamp_a)))
            ask_a = TLK_NONE;
        if (!stamp_b || r.b >= p.moving ||
            (__float_as_uint(pair.b[3]) == stamp_b &&
             (half || __float_as_uint(pair.b[7]) == stamp_b)))
            ask_b = TLK_NONE;
    } while (__any_sync(0xffffffffu, ask_a != TLK_NONE || ask_b != TLK_NONE));
}

/* central_row in its turn. What does not need the velocities is done before they are there. */
template <int kind>
static __device__ __forceinline__ void flow_row(const tlk_problem &p, uint32_t s, uint32_t pass,
                                                uint32_t colour, bool last, fetched &r)
{
    const tlk_row row = {{r.n[0], r.n[1], r.n[2]}, r.mu, r.arm_a, r.arm_b, r.a, r.b};
    tlk_pair pair = {};
    tlk_change change = {};
    real eta[3] = {0, 0, 0};
    pair.a[3] = r.mass[0], pair.b[3] = r.mass[1];
    pair.a[7] = r.mass[2], pair.b[7] = r.mass[3];
    if (kind == CENTRAL_COULOMB && r.a != TLK_NONE)
        tlk_row_eta(&p, s, &row, &pair, eta);
    if (kind == CENTRAL_START)
        change = tlk_central_change(&row, r.gamma, r.mass);
    await_pair<kind>(p, r, pass, pair);
    pair.a[3] = r.mass[0], pair.b[3] = r.mass[1];
    pair.a[7] = r.mass[2], pair.b[7] = r.mass[3];
    if (kind == CENTRAL_START) {
        tlk_central_push(&change, &pair);
    } else if (kind == CENTRAL_NORMAL && r.a != TLK_NONE) {
        tlk_normal_step(&p, r.n, r.bias, pair.a, pair.b, r.gamma);
    } else if (r.a != TLK_NONE) {
        real u[3], old[3] = {r.gamma[0], r.gamma[1], r.gamma[2]};
        tlk_row_velocity(&p, s, &row, &pair, u);
        tlk_psor_coulomb(&p, r.bias, s, &row, &pair, u, eta, r.gamma);
        for (int k = 0; k < 3; k++)
            old[k] = r.gamma[k] - old[k];
        tlk_row_push(&p, s, &row, old, &pair);
    }
    const real stamp = __uint_as_float(STAMP | pass << 6 | colour);
    if (!(last && r.turns & TLK_TURN_LAST))
        pair.a[3] = pair.a[7] = stamp;
    if (!(last && r.turns >> 8 & TLK_TURN_LAST))
        pair.b[3] = pair.b[7] = stamp;
    if (kind != CENTRAL_NORMAL) {
        store_halves(p.vel, r.a, p.moving, pair.a);
        store_halves(p.vel, r.a == TLK_NONE ? TLK_NONE : r.b, p.moving, pair.b);
    } else if (r.a != TLK_NONE) {
        store_word(p.vel + 8 * (size_t)r.a, pair.a);
        if (r.b < p.moving)
            store_word(p.vel + 8 * (size_t)r.b, pair.b);
    }
    if (kind != CENTRAL_START && r.a != TLK_NONE)
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
 */
template <int kind>
static __global__ void __launch_bounds__(GRID_THREADS, 4)
    flow_sweeps(const __grid_constant__ tlk_problem given,
                const __grid_constant__ sweep_ranges ranges, uint32_t passes,
                const __grid_constant__ flow_colours colours)
{
    const uint32_t rank = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    const uint32_t lane = rank % 32, first = rank - lane;
    tlk_problem p = given;
    p.block_base = UINT32_MAX; /* what is known, the compiler leaves out */
    p.frictionless = kind == CENTRAL_NORMAL;
    p.coulomb = 1;
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
        here = kind == CENTRAL_NORMAL && ahead.s != now.s && ahead.repeat < passes;
        if (here)
            next = fetch_flow<kind>(p, ahead.s + lane, ranges.end[ahead.range]);
        flow_row<kind>(p, s, now.repeat, colours.of[now.range], now.repeat + 1 == passes, r);
    }
}
#endif

#endif
