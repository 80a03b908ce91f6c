/* A substep in one pass over bodies, by warps: a warp has 32 bodies, and shares out their near
 * pairs evenly, 32 at a time, in the order of its bodies' lists; what these do is kept until many
 * are done, and then each body adds up its own. What the lists say is read one turn ahead. Included
 * by penalty.cu and, to be tested without a GPU, by tests/backend/emulated.cpp. */
#ifndef TL_BACKEND_CUDA_WHOLE_CUH
#define TL_BACKEND_CUDA_WHOLE_CUH

#define WHOLE_WARPS 4u /* of a block */
/* Blocks at once on a processor, which is how many registers a thread has: of simple worlds, and of
 * others. */
#define WHOLE_SIMPLE 6
#define WHOLE_OTHER  5
#define WHOLE_ALL    0xffffffffu
#define WHOLE_PAIRS  (1024u / (uint32_t)sizeof(real)) /* that a warp adds up at once */

/* What a warp shares: of pairs that were worked out, what they do to the body. */
struct whole_room {
    real acts[6][WHOLE_PAIRS];
};

/* A place of the lists of near pairs, and which of the warp's bodies has it. */
struct whole_place {
    uint32_t own, entry, other;
};

/* Where the lists of the warp's bodies begin, and end; those without pairs have empty ones at 0. */
static __device__ __forceinline__ uint32_t whole_piece(const tlk_penalty &p, uint32_t body,
                                                       uint32_t end, uint32_t *to)
{
    const uint32_t begins = body < end ? p.list_begin[body] : 0;
    const uint32_t ends = body < end ? p.list_end[body] : 0;
    *to = __reduce_max_sync(WHOLE_ALL, ends);
    return ~__reduce_max_sync(WHOLE_ALL, begins < ends ? ~begins : 0);
}

/* tlk_penalty_choose, by warps. */
static __global__ void __launch_bounds__(128)
    run_whole_choose(const __grid_constant__ tlk_penalty p, uint32_t groups)
{
    const uint32_t lane = threadIdx.x % 32, group = (blockIdx.x * 128 + threadIdx.x) / 32;
    const uint32_t body = TLK_TOGETHER * group + lane, dynamic = p.bodies.dynamic;
    uint32_t to;
    if (group >= groups)
        return;
    const uint32_t from = whole_piece(p, body, dynamic, &to);
    uint32_t end = from;
    uint32_t count = from, ends = body < dynamic ? p.list_end[body] : 0;
    /* a body without pairs ends where the one before does */
    for (uint32_t by = 1; by < 32; by *= 2) {
        const uint32_t before = __shfl_up_sync(WHOLE_ALL, ends, by);
        ends = lane >= by && before > ends ? before : ends;
    }
    for (uint32_t base = from; base < to; base += 32) {
        const uint32_t l = base + lane;
        const bool near = l < to && tlk_penalty_chosen(&p, l);
        const uint32_t all = __ballot_sync(WHOLE_ALL, near);
        if (near)
            tlk_penalty_choice(&p, l, count + (uint32_t)__popc((int)(all & ((1u << lane) - 1))));
        if (ends > base && ends <= base + 32) {
            const uint32_t last = ends - base; /* of these its own are that many */
            end = count + (uint32_t)__popc((int)(last < 32 ? all & ((1u << last) - 1) : all));
        }
        count += (uint32_t)__popc((int)all);
    }
    if (body < dynamic)
        p.near_end[body] = end;
}

/* Which of the warp's bodies has the warp's pair l: how many end before it. */
static __device__ __forceinline__ uint32_t whole_owner(uint32_t ends, uint32_t l)
{
    uint32_t own = 0;
#pragma unroll
    for (uint32_t step = 16; step; step /= 2)
        own += __shfl_sync(WHOLE_ALL, ends, own + step - 1) <= l ? step : 0;
    return own;
}

/* The warp's pair l, of `count`, which are listed from `from` on. */
static __device__ __forceinline__ whole_place whole_read(const tlk_penalty &p, uint32_t ends,
                                                         uint32_t from, uint32_t l, uint32_t count)
{
    whole_place at = {whole_owner(ends, l), 0, 0};
    if (l < count) {
        at.entry = p.near_list[from + l];
        at.other = p.near_other[from + l];
    }
    return at;
}

/* Works out a pair, as the k-th of those that will be added up. */
template <bool simple>
static __device__ __forceinline__ void whole_press(const tlk_penalty &p, whole_room &room,
                                                   const whole_place &at, uint32_t first,
                                                   uint32_t k)
{
    real f[6];
    tlk_side s;
    tlk_penalty_side(&p, simple, at.entry, first + at.own, at.other, &s);
    const bool acts = tlk_penalty_press(&p, simple, &s, f);
#pragma unroll
    for (int c = 0; c < 6; c++)
        room.acts[c][k] = acts ? f[c] : 0; /* which adds nothing to a sum that is never -0 */
}

/* Adds up pairs from `from` to `to` of those that were worked out. */
static __device__ __forceinline__ void whole_add(const whole_room &room, uint32_t from, uint32_t to,
                                                 double *f)
{
    for (uint32_t k = from; k < to; k++)
#pragma unroll
        for (int c = 0; c < 6; c++)
            f[c] += room.acts[c][k];
}

/* What acts on a body, kept where it will be: registers that its motion takes, if it has three
 * moments, are not those of its pairs. */
static __device__ __forceinline__ void whole_keep(const tlk_penalty &p, size_t body,
                                                  const double *f)
{
    const double force[4] = {f[0], f[1], f[2], 0}, torque[4] = {f[3], f[4], f[5], 0};
    tlk_store4d(p.to + 4 * body, force);
    tlk_store4d((double *)(p.to_pace + 8 * body), torque);
}

static __device__ __forceinline__ void whole_kept(const tlk_penalty &p, size_t body, double *f)
{
    double force[4], torque[4];
    tlk_load4d(p.to + 4 * body, force);
    tlk_load4d((const double *)(p.to_pace + 8 * body), torque);
    for (int k = 0; k < 3; k++)
        f[k] = force[k], f[3 + k] = torque[k];
}

template <bool simple>
static __global__ void __launch_bounds__(32 * WHOLE_WARPS, simple ? WHOLE_SIMPLE : WHOLE_OTHER)
    run_whole_warps(const __grid_constant__ tlk_penalty p, uint32_t end)
{
    __shared__ whole_room rooms[WHOLE_WARPS];
    const uint32_t lane = threadIdx.x % 32,
                   first = blockIdx.x * 32 * WHOLE_WARPS + threadIdx.x - lane;
    const uint32_t body = first + lane;
    whole_room &room = rooms[threadIdx.x / 32];
    double f[6] = {0, 0, 0, 0, 0, 0};
    if (first >= end)
        return;
    if (body < end)
        tlk_penalty_applied(&p, body, f);
    uint32_t to;
    const uint32_t from = whole_piece(p, body, end, &to);
    const uint32_t mine = body < end ? p.near_end[body] : 0;
    const uint32_t most = __reduce_max_sync(WHOLE_ALL, mine);
    const uint32_t count = from < to ? most - from : 0;
    const uint32_t ends = body < end && count ? mine - from : count;
    const uint32_t before = __shfl_up_sync(WHOLE_ALL, ends, 1), starts = lane ? before : 0;
    whole_place next = whole_read(p, ends, from, lane, count);
    for (uint32_t base = 0; base < count; base += WHOLE_PAIRS) {
        const uint32_t top = base + WHOLE_PAIRS < count ? base + WHOLE_PAIRS : count;
        for (uint32_t l = base + lane; l < top + lane; l += 32) {
            const whole_place now = next;
            next = whole_read(p, ends, from, l + 32, count);
            if (l < top)
                whole_press<simple>(p, room, now, first, l - base);
        }
        __syncwarp();
        const uint32_t one = starts > base ? starts : base, end_of = ends < top ? ends : top;
        whole_add(room, one - base, end_of > one ? end_of - base : one - base, f);
        __syncwarp();
    }
    if (body >= end)
        return;
    if (simple)
        tlk_penalty_stride(&p, body, f, first + 32 <= end);
    else if (p.moves != TLK_MOVE_NOT)
        whole_keep(p, body, f);
}

/* What acted on bodies that are not simple moves them. */
static __global__ void __launch_bounds__(128, 4)
    run_whole_moves(const __grid_constant__ tlk_penalty p, uint32_t end)
{
    const uint32_t body = blockIdx.x * 128 + threadIdx.x;
    double f[6];
    if (body >= end)
        return;
    whole_kept(p, body, f);
    tlk_penalty_go(&p, body, f, body / 32 * 32 + 32 <= end);
}

static void tuned_penalty_choose(const void *args, uint32_t begin, uint32_t end, bool serial,
                                 cudaStream_t stream)
{
    const tlk_penalty &p = *(const tlk_penalty *)args;
    (void)begin, (void)serial; /* all groups, always */
    LAUNCH(run_whole_choose, (end + 3) / 4, 128, stream, p, end);
}

static void tuned_penalty_whole(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_penalty &p = *(const tlk_penalty *)args;
    const uint32_t block = 32 * WHOLE_WARPS, blocks = (end + block - 1) / block;
    (void)begin, (void)serial; /* all dynamic bodies, always */
    if (p.simple) {
        LAUNCH(run_whole_warps<true>, blocks, block, stream, p, end);
        return;
    }
    LAUNCH(run_whole_warps<false>, blocks, block, stream, p, end);
    if (p.moves != TLK_MOVE_NOT)
        LAUNCH(run_whole_moves, (end + 127) / 128, 128, stream, p, end);
}

#endif
