/* tlk_penalty_whole() by warps: a warp has 32 bodies, whose pairs are one piece of the lists. Its
 * lanes look which pairs are near, 32 at a time, and queue them; when 32 are queued, a lane works
 * out one of them, so that no lane waits for another's; then each body adds up its own, in the
 * order of its list. Included by penalty.cu and, to be tested without a GPU, by
 * tests/backend/emulated.cpp. */
#ifndef TL_BACKEND_CUDA_WHOLE_CUH
#define TL_BACKEND_CUDA_WHOLE_CUH

#define WHOLE_WARPS  4u /* of a block */
#define WHOLE_BLOCKS 4  /* at once on a processor, which is how many registers a thread has */
#define WHOLE_ALL    0xffffffffu

/* What a warp shares. */
struct __align__(16) whole_room
{
    double sum[6][32];                       /* of bodies: what acts on them */
    real acts[32][6];                        /* of queued pairs that were worked out */
    uint32_t entry[64], body[64], other[64]; /* the queue: of the lists, and along them */
    uint8_t begin[32], end[32];              /* of bodies: which of these are theirs */
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

/* Queues place l of the lists, if its pair is near; returns how many are queued then. */
static __device__ __forceinline__ uint32_t whole_look(const tlk_penalty &p, whole_room &room,
                                                      uint32_t l, uint32_t to, uint32_t queued,
                                                      uint32_t lane)
{
    uint32_t entry = 0, own = 0, other = 0;
    bool near = false;
    if (l < to) {
        tlk_side s;
        entry = p.list[l], own = p.body_of[l], other = p.central ? p.other[l] : 0;
        tlk_penalty_side(&p, entry, own, other, &s);
        near = tlk_penalty_near(&p, &s);
        if (!near)
            tlk_penalty_parted(&p, &s);
    }
    const uint32_t all = __ballot_sync(WHOLE_ALL, near);
    if (near) {
        const uint32_t at = queued + (uint32_t)__popc((int)(all & ((1u << lane) - 1)));
        room.entry[at] = entry, room.body[at] = own, room.other[at] = other;
        const size_t pair = entry >> 1;
        whole_fetch(p.couple + pair);
        whole_fetch(p.past + TLK_PAST_PLAIN * pair);
        if (p.central && other < p.bodies.dynamic)
            whole_fetch(p.pace + 8 * (size_t)other);
        if (!(entry & 1u))
            whole_fetch(p.sum + TLK_SUM * pair);
    }
    __syncwarp();
    return queued + (uint32_t)__popc((int)all);
}

/* Works out the first pairs of the queue, at most 32, and adds them up. */
static __device__ __forceinline__ void whole_press(const tlk_penalty &p, whole_room &room,
                                                   uint32_t first, uint32_t count, uint32_t lane)
{
    const bool mine = lane < count;
    const uint32_t own = mine ? room.body[lane] : TLK_NONE;
    real f[6];
    bool acts = false;
    if (mine) {
        tlk_side s;
        tlk_penalty_side(&p, room.entry[lane], own, room.other[lane], &s);
        acts = tlk_penalty_press(&p, &s, f);
#pragma unroll
        for (int k = 0; k < 6; k++)
            room.acts[lane][k] = acts ? f[k] : 0;
    }
    room.begin[lane] = room.end[lane] = 0;
    __syncwarp();
    const uint32_t before = __shfl_sync(WHOLE_ALL, own, lane ? lane - 1 : 0);
    const uint32_t after = __shfl_sync(WHOLE_ALL, own, lane < 31 ? lane + 1 : 31);
    if (mine && (lane == 0 || before != own))
        room.begin[own - first] = (uint8_t)lane;
    if (mine && (lane == 31 || after != own))
        room.end[own - first] = (uint8_t)(lane + 1);
    const uint32_t acting = __ballot_sync(WHOLE_ALL, acts);
    __syncwarp();
    double sum[6];
#pragma unroll
    for (int c = 0; c < 6; c++)
        sum[c] = room.sum[c][lane];
    for (uint32_t k = room.begin[lane], end = room.end[lane]; k < end; k++) {
        const bool adds = acting >> k & 1;
#pragma unroll
        for (int c = 0; c < 6; c++)
            sum[c] = adds ? sum[c] + room.acts[k][c] : sum[c];
    }
#pragma unroll
    for (int c = 0; c < 6; c++)
        room.sum[c][lane] = sum[c];
    __syncwarp();
}

static __global__ void __launch_bounds__(32 * WHOLE_WARPS, WHOLE_BLOCKS)
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
    uint32_t from = 0, to = 0, queued = 0;
    if (body < end) {
        tlk_penalty_applied(&p, body, f);
        from = p.list_begin[body], to = p.list_end[body];
    }
    for (int k = 0; k < 6; k++)
        room.sum[k][lane] = f[k];
    /* bodies without pairs have an empty piece at 0 */
    from = ~__reduce_max_sync(WHOLE_ALL, from < to ? ~from : 0);
    to = __reduce_max_sync(WHOLE_ALL, to);
    for (uint32_t base = from; base < to || queued; base += 32) { /* one copy of whole_press() */
        if (base < to)
            queued = whole_look(p, room, base + lane, to, queued, lane);
        if (queued < 32 && base + 32 < to)
            continue;
        const uint32_t count = queued < 32 ? queued : 32;
        whole_press(p, room, first, count, lane);
        queued -= count;
        const uint32_t entry = room.entry[32 + lane], own = room.body[32 + lane];
        const uint32_t other = room.other[32 + lane];
        __syncwarp();
        room.entry[lane] = entry, room.body[lane] = own, room.other[lane] = other;
        __syncwarp();
    }
    for (int k = 0; k < 6; k++)
        f[k] = room.sum[k][lane];
    if (body < end)
        tlk_penalty_go(&p, body, f);
}

static void tuned_penalty_whole(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const uint32_t block = 32 * WHOLE_WARPS;
    (void)begin, (void)serial; /* all dynamic bodies, always */
    LAUNCH(run_whole_warps, (end + block - 1) / block, block, stream, *(const tlk_penalty *)args,
           end);
}

#endif
