/* tlk_penalty_whole() by warps: a warp has 32 bodies, whose pairs are one piece of the lists. Its
 * lanes look which pairs are near, 32 at a time, and queue them; when 32 are queued, a lane works
 * out one of them, so that no lane waits for another's; then each body adds up its own, in the
 * order of its list. What the lists say is read two turns ahead. Included by penalty.cu and, to be
 * tested without a GPU, by tests/backend/emulated.cpp. */
#ifndef TL_BACKEND_CUDA_WHOLE_CUH
#define TL_BACKEND_CUDA_WHOLE_CUH

#define WHOLE_WARPS 4u /* of a block */
/* Blocks at once on a processor, which is how many registers a thread has: of simple worlds, and of
 * others. */
#define WHOLE_SIMPLE 6
#define WHOLE_OTHER  4
#define WHOLE_ALL    0xffffffffu

/* What a warp shares. */
struct __align__(16) whole_room
{
    double sum[6][32];             /* of bodies: what acts on them */
    real acts[32][6];              /* of queued pairs that were worked out */
    uint32_t entry[64], other[64]; /* the queue: of the lists, and along them */
    uint8_t body[64];              /* likewise: which of the 32 */
    uint8_t begin[32], end[32];    /* of bodies: which of these are theirs */
};

/* A place of the lists: what stands there; and the two shapes, in worlds that are not simple. */
struct whole_place {
    uint32_t entry, other, i, j;
};

/* What will be read soon. */
static __device__ __forceinline__ void whole_fetch(const void *at)
{
#if defined(__CUDA_ARCH__)
    asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
#else
    (void)at;
#endif
}

/* Place l of the lists, two turns ahead. */
template <bool simple>
static __device__ __forceinline__ whole_place whole_read(const tlk_penalty &p, uint32_t l,
                                                         uint32_t to)
{
    whole_place at = {0, 0, 0, 0};
    if (l < to) {
        at.entry = p.list[l];
        at.other = simple ? p.other[l] : 0;
    }
    return at;
}

/* The same, one turn ahead: its shapes. */
template <bool simple>
static __device__ __forceinline__ void whole_ask(const tlk_penalty &p, uint32_t l, uint32_t to,
                                                 whole_place &at)
{
    if (l >= to)
        return;
    if (!simple)
        at.i = p.a[at.entry >> 1], at.j = p.b[at.entry >> 1];
}

/* Which of the warp's bodies has place l: how many end before it. */
static __device__ __forceinline__ uint32_t whole_owner(uint32_t ends, uint32_t l)
{
    uint32_t own = 0;
#pragma unroll
    for (uint32_t step = 16; step; step /= 2)
        own += __shfl_sync(WHOLE_ALL, ends, own + step - 1) <= l ? step : 0;
    return own;
}

/* A pair as body `own` sees it. */
template <bool simple>
static __device__ __forceinline__ tlk_side whole_side(const tlk_penalty &p, const whole_place &at,
                                                      uint32_t own)
{
    tlk_side s;
    if (simple) {
        tlk_penalty_side(&p, simple, at.entry, own, at.other, &s);
    } else {
        s.pair = at.entry >> 1, s.side = at.entry & 1u;
        s.i = at.i, s.j = at.j;
        s.writes = !s.side || s.i >= p.shapes.dynamic;
    }
    return s;
}

/* Queues place l of the lists, if its pair is near; returns how many are queued then. */
template <bool simple>
static __device__ __forceinline__ uint32_t whole_look(const tlk_penalty &p, whole_room &room,
                                                      const whole_place &at, uint32_t ends,
                                                      uint32_t first, uint32_t l, uint32_t to,
                                                      uint32_t queued, uint32_t lane)
{
    const uint32_t own = whole_owner(ends, l);
    bool near = false;
    if (l < to) {
        const tlk_side s = whole_side<simple>(p, at, first + own);
        near = tlk_penalty_near(&p, simple, &s);
        if (!near)
            tlk_penalty_parted(&p, &s);
    }
    const uint32_t all = __ballot_sync(WHOLE_ALL, near);
    if (near) {
        const uint32_t place = queued + (uint32_t)__popc((int)(all & ((1u << lane) - 1)));
        const size_t pair = at.entry >> 1;
        room.entry[place] = at.entry, room.other[place] = at.other;
        room.body[place] = (uint8_t)own;
        whole_fetch(p.couple + pair);
        whole_fetch(p.past + TLK_PAST_PLAIN * pair);
        if (simple && at.other < p.bodies.dynamic)
            whole_fetch(p.pace + 8 * (size_t)at.other);
        if (!(at.entry & 1u))
            whole_fetch(p.sum + TLK_SUM * pair);
    }
    __syncwarp();
    return queued + (uint32_t)__popc((int)all);
}

/* Adds up what the first pairs of the queue do; own: the body of a lane's pair, ascending. A lane
 * has one of the six numbers of a body at a time. */
static __device__ __forceinline__ void whole_add(whole_room &room, uint32_t own, uint32_t count,
                                                 bool acts, uint32_t lane)
{
    const bool mine = lane < count;
    room.begin[lane] = room.end[lane] = 0;
    __syncwarp();
    const uint32_t before = __shfl_sync(WHOLE_ALL, own, lane ? lane - 1 : 0);
    const uint32_t after = __shfl_sync(WHOLE_ALL, own, lane < 31 ? lane + 1 : 31);
    if (mine && (lane == 0 || before != own))
        room.begin[own] = (uint8_t)lane;
    if (mine && (lane == 31 || after != own))
        room.end[own] = (uint8_t)(lane + 1);
    const uint32_t acting = __ballot_sync(WHOLE_ALL, acts);
    const uint32_t first = __shfl_sync(WHOLE_ALL, own, 0);
    const uint32_t bodies = __shfl_sync(WHOLE_ALL, own, count - 1) + 1 - first;
    __syncwarp();
    for (uint32_t t = lane; t < 6 * bodies; t += 32) {
        const uint32_t body = first + t / 6, c = t % 6;
        double sum = room.sum[c][body];
        for (uint32_t k = room.begin[body], end = room.end[body]; k < end; k++)
            sum = acting >> k & 1 ? sum + room.acts[k][c] : sum;
        room.sum[c][body] = sum;
    }
    __syncwarp();
}

/* Works out the first pairs of the queue, at most 32, and adds them up. */
template <bool simple>
static __device__ __forceinline__ void whole_press(const tlk_penalty &p, whole_room &room,
                                                   uint32_t first, uint32_t count, uint32_t lane)
{
    const bool mine = lane < count;
    const uint32_t own = mine ? room.body[lane] : TLK_NONE;
    bool acts = false;
    if (mine) {
        real f[6];
        tlk_side s;
        tlk_penalty_side(&p, simple, room.entry[lane], first + own, room.other[lane], &s);
        acts = tlk_penalty_press(&p, simple, &s, f);
#pragma unroll
        for (int k = 0; k < 6; k++)
            room.acts[lane][k] = acts ? f[k] : 0;
    }
    whole_add(room, own, count, acts, lane);
}

/* What was queued behind the first 32 pairs comes to the front. */
static __device__ __forceinline__ void whole_shift(whole_room &room, uint32_t lane)
{
    const uint32_t entry = room.entry[32 + lane], other = room.other[32 + lane];
    const uint8_t own = room.body[32 + lane];
    __syncwarp();
    room.entry[lane] = entry, room.other[lane] = other, room.body[lane] = own;
    __syncwarp();
}

/* All pairs of a warp's bodies, places `from` to `to` of the lists; ends: where a lane's body's
 * end. */
template <bool simple>
static __device__ __forceinline__ void whole_pairs(const tlk_penalty &p, whole_room &room,
                                                   uint32_t first, uint32_t from, uint32_t to,
                                                   uint32_t ends, uint32_t lane)
{
    uint32_t queued = 0;
    whole_place now = whole_read<simple>(p, from + lane, to);
    whole_place next = whole_read<simple>(p, from + 32 + lane, to);
    whole_ask<simple>(p, from + lane, to, now);
    for (uint32_t base = from; base < to || queued; base += 32) { /* one copy of whole_press() */
        const whole_place later = whole_read<simple>(p, base + 64 + lane, to);
        whole_ask<simple>(p, base + 32 + lane, to, next);
        if (base < to)
            queued = whole_look<simple>(p, room, now, ends, first, base + lane, to, queued, lane);
        now = next, next = later;
        if (queued < 32 && base + 32 < to)
            continue;
        const uint32_t count = queued < 32 ? queued : 32;
        if (count)
            whole_press<simple>(p, room, first, count, lane);
        queued -= count;
        whole_shift(room, lane);
    }
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
    if (first >= end)
        return;
    double f[6] = {0, 0, 0, 0, 0, 0};
    uint32_t from = 0, to = 0;
    if (body < end) {
        tlk_penalty_applied(&p, body, f);
        from = p.list_begin[body], to = p.list_end[body];
    }
    for (int k = 0; k < 6; k++)
        room.sum[k][lane] = f[k];
    /* bodies without pairs have an empty piece at 0; here it is where that before them ends */
    from = ~__reduce_max_sync(WHOLE_ALL, from < to ? ~from : 0);
    for (uint32_t by = 1; by < 32; by *= 2) {
        const uint32_t before = __shfl_sync(WHOLE_ALL, to, lane >= by ? lane - by : lane);
        to = before > to ? before : to;
    }
    whole_pairs<simple>(p, room, first, from, __shfl_sync(WHOLE_ALL, to, 31), to, lane);
    for (int k = 0; k < 6; k++)
        f[k] = room.sum[k][lane];
    if (body >= end)
        return;
    if (simple)
        tlk_penalty_stride(&p, body, f);
    else
        tlk_penalty_go(&p, body, f);
}

static void tuned_penalty_whole(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_penalty &p = *(const tlk_penalty *)args;
    const uint32_t block = 32 * WHOLE_WARPS, blocks = (end + block - 1) / block;
    (void)begin, (void)serial; /* all dynamic bodies, always */
    if (p.simple)
        LAUNCH(run_whole_warps<true>, blocks, block, stream, p, end);
    else
        LAUNCH(run_whole_warps<false>, blocks, block, stream, p, end);
}

#endif
