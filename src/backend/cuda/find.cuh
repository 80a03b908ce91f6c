/* Collision detection and matching, laid out for a GPU: the same tests as the plain kernels, whose
 * results do not depend on their order, shared evenly by the threads of a warp. Included by
 * kernels.cu. */
#ifndef TL_BACKEND_CUDA_FIND_CUH
#define TL_BACKEND_CUDA_FIND_CUH

#define WARPS      4u   /* of a block */
#define NEAR       12u  /* candidates that a lane keeps at a time, usually 4 */
#define LATER      512u /* candidates of a warp that wait for a second look */
#define CROWDED    (1u << 31)
#define ALL        0xffffffffu
#define PLACE_BINS 0xfffffu /* a place is a bin, modulo 2^20, and a fraction of 12 bits */

/* What a warp works on together. Lists lie an odd number of words apart, in different banks. */
typedef struct warp_lists {
    uint32_t near[NEAR][32];             /* entries that are near the lane's shape */
    uint32_t queue[64];                  /* entries of shapes that may be partners */
    uint8_t owner[64];                   /* of the shape of that lane */
    uint32_t later[LATER];               /* entries whose shapes need more than a first look */
    uint16_t later_owner[LATER], laters; /* for which lane, and on which level << 5 */
    uint32_t list[32][TLK_PARTNERS + 1], count[32];
} warp_lists;

/* One more partner of a lane's shape. */
static __device__ __forceinline__ void add_partner(warp_lists &w, uint32_t lane, uint32_t j)
{
    const uint32_t put = atomicAdd(&w.count[lane], 1u);
    if (put < TLK_PARTNERS)
        w.list[lane][put] = j;
}

/* A first look at queued candidates, a lane each: those of places [from, to). What is not decided
 * by it waits, because it takes calls, which would cost registers here. Where there is no room to
 * wait, the shape is left to run_crowd_count. */
static __device__ __forceinline__ void look_at_queued(const tlk_find &f, uint32_t i, uint32_t l,
                                                      uint32_t from, uint32_t to, warp_lists &w)
{
    __syncwarp();
    const uint32_t at = from + threadIdx.x % 32, lane = at < to ? w.owner[at] : 0;
    const uint32_t shape = __shfl_sync(ALL, i, lane);
    tlk_verdict verdict = TLK_APART;
    if (at < to) {
        const uint32_t j = f.bin_shape[w.queue[at]];
        verdict = j & TLK_SEVERAL ? TLK_UNDECIDED : tlk_first_look(&f, shape, j);
        if (verdict == TLK_TOUCHES)
            add_partner(w, lane, j);
    }
    const uint32_t wait = __ballot_sync(ALL, verdict == TLK_UNDECIDED);
    const uint32_t put = w.laters + (uint32_t)__popc((int)(wait & ((1u << threadIdx.x % 32) - 1)));
    __syncwarp();
    if (verdict == TLK_UNDECIDED && put < LATER) {
        w.later[put] = w.queue[at];
        w.later_owner[put] = (uint16_t)(lane | l << 5);
    } else if (verdict == TLK_UNDECIDED) {
        atomicOr(&w.count[lane], CROWDED);
    }
    if (threadIdx.x % 32 == 0)
        w.laters = (uint16_t)tlk_min(w.laters + (uint32_t)__popc((int)wait), LATER);
    __syncwarp();
}

/* The candidates that waited, shared evenly. */
static __device__ __forceinline__ void look_again(const tlk_find &f, uint32_t i, warp_lists &w)
{
    __syncwarp();
    for (uint32_t first = 0; first < w.laters; first += 32) {
        const uint32_t c = first + threadIdx.x % 32,
                       lane = c < w.laters ? w.later_owner[c] & 31 : 0;
        const uint32_t shape = __shfl_sync(ALL, i, lane);
        if (c >= w.laters)
            continue;
        const uint32_t l = w.later_owner[c] >> 5, q = w.later[c];
        const uint32_t entry = f.bin_shape[q], j = entry & ~TLK_SEVERAL;
        if ((entry == j || tlk_claims(&f, shape, j, l, q)) && tlk_touch(&f, shape, j))
            add_partner(w, lane, j);
    }
    __syncwarp();
}

/* Queues each lane's near entries whose shapes it may own a pair with, and looks at them whenever
 * there are some for all lanes. Returns how many are left in the queue. */
static __device__ __forceinline__ uint32_t queue_near(const tlk_find &f, int32_t after, uint32_t i,
                                                      uint32_t l, uint32_t near, uint32_t queued,
                                                      warp_lists &w)
{
    const uint32_t lane = threadIdx.x % 32, before = (1u << lane) - 1;
    for (uint32_t c = 0; __any_sync(ALL, c < near); c++) {
        const uint32_t q = c < near ? w.near[c][lane] : 0;
        const bool mine = c < near && (int32_t)(f.bin_shape[q] & ~TLK_SEVERAL) > after;
        const uint32_t found = __ballot_sync(ALL, mine);
        if (mine) {
            const uint32_t put = queued + (uint32_t)__popc((int)(found & before));
            w.queue[put] = q;
            w.owner[put] = (uint8_t)lane;
        }
        queued += (uint32_t)__popc((int)found);
        if (queued >= 32) {
            queued -= 32;
            look_at_queued(f, i, l, queued, queued + 32, w);
        }
    }
    return queued;
}

/* tlk_search_begin on the shape's own level, from its entry: bins from a little before to a little
 * behind those that it searches. */
static __device__ __forceinline__ void begin_at(const tlk_level &level, uint32_t i, const uint4 &at,
                                                tlk_search &s)
{
    const float reach = __uint_as_float(at.w);
    const uint32_t wide = (uint32_t)(reach + (float)(level.reach * level.inverse * TLK_UNITS)) + 4;
    const uint32_t low[3] = {at.x - wide, at.y - wide, at.z - wide};
    uint32_t n[3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const uint32_t high = low[k] + 2 * wide;
        n[k] = tlk_min(((high >> 12) - (low[k] >> 12) & PLACE_BINS) + 1, level.mask[k] + 1);
    }
    s.x = low[0] >> 12 & level.mask[0], s.y = low[1] >> 12, s.z = low[2] >> 12;
    s.nx = n[0], s.ny = n[1], s.nz = n[2];
    s.row = s.piece = 0;
    s.at[0] = at.x, s.at[1] = at.y, s.at[2] = at.z;
    s.reach = reach + 2;
    s.after = (int32_t)i;
}

/* Whether begin_at may be used: places must tell all bins of the table apart, and reaches must be
 * small against 2^32 units. */
static __device__ __forceinline__ bool begins_at(const tlk_level &level, const uint4 &at)
{
    return (level.mask[0] | level.mask[1] | level.mask[2]) <= PLACE_BINS &&
           __uint_as_float(at.w) < 1e6f;
}

/* tlk_search_begin, by a call, because its registers would count for all. */
static __device__ __noinline__ void begin_any(const tlk_find *f, uint32_t i, uint32_t l,
                                              tlk_search *s)
{
    tlk_search_begin(f, i, l, s);
}

/* Tests entries [q, end) of a row of bins, four at a time, so that their loads are under way at
 * once; those that are near are kept. */
static __device__ __forceinline__ uint32_t test_four(const tlk_find &f, const tlk_search &s,
                                                     uint32_t q, uint32_t end, uint32_t near,
                                                     warp_lists &w)
{
    const uint4 *at = (const uint4 *)f.bin_at;
    uint4 v[4];
#pragma unroll
    for (uint32_t c = 0; c < 4; c++)
        v[c] = at[q + c < end ? q + c : 0];
#pragma unroll
    for (uint32_t c = 0; c < 4; c++) {
        const uint32_t b[4] = {v[c].x, v[c].y, v[c].z, v[c].w};
        if (q + c < end && tlk_near_entry(&s, b))
            w.near[near++][threadIdx.x % 32] = q + c;
    }
    return near;
}

/* The partners in bins of the shapes of a warp, one a lane (TLK_NONE: none), on one level. Lanes go
 * row by row together: those that are side by side in a row of bins look at the same entries. Where
 * the next row's entries are is fetched while this one's are tested. */
static __device__ __forceinline__ void search_level(const tlk_find &f, uint32_t i, uint32_t l,
                                                    bool here, const uint4 &at, warp_lists &w)
{
    const tlk_level &level = f.level[l];
    tlk_search s = {};
    uint32_t near = 0, queued = 0, begin = 0, end = 0;
    if (here && begins_at(level, at)) {
        begin_at(level, i, at, s);
    } else if (i != TLK_NONE) {
        tlk_search any;
        begin_any(&f, i, l, &any);
        s = any;
    }
    bool more = tlk_search_next(&f, &level, &s, &begin, &end);
    while (__any_sync(ALL, more)) {
        uint32_t q = more ? begin : 0;
        const uint32_t stop = more ? end : 0;
        more = more && tlk_search_next(&f, &level, &s, &begin, &end);
        for (; __any_sync(ALL, q < stop); q += 4) {
            near = test_four(f, s, q, stop, near, w);
            if (__any_sync(ALL, near > NEAR - 4)) {
                queued = queue_near(f, s.after, i, l, near, queued, w);
                near = 0;
            }
        }
    }
    queued = queue_near(f, s.after, i, l, near, queued, w);
    look_at_queued(f, i, l, 0, queued, w);
}

/* A thread a shape, in the order of bins, where neighbours look at the same entries; of a part of
 * space in their own order, because shapes beside it search there too. Shapes that are entered in
 * several bins or in none are left to run_crowd_count. */
static __global__ void __launch_bounds__(32 * WARPS, 6)
    run_find_count(const __grid_constant__ tlk_find f, uint32_t n, bool whole)
{
    __shared__ warp_lists lists[WARPS];
    warp_lists &w = lists[threadIdx.x / 32];
    const uint32_t p = blockIdx.x * 32 * WARPS + threadIdx.x, lane = threadIdx.x % 32;
    uint32_t i = p < n ? whole ? f.bin_shape[p] : p : TLK_NONE;
    const uint32_t own = i < TLK_SEVERAL ? f.shapes.level[i] : TLK_LEVELS;
    if (own >= TLK_LEVELS)
        i = TLK_NONE;
    w.count[lane] = 0;
    w.laters = 0;
    for (uint32_t l = 0; l < TLK_LEVELS; l++)
        if (f.level[l].used && __any_sync(ALL, i != TLK_NONE && l <= own)) {
            const bool here = whole && l == own;
            const uint4 at = here ? ((const uint4 *)f.bin_at)[p] : make_uint4(0, 0, 0, 0);
            search_level(f, l <= own ? i : TLK_NONE, l, here, at, w);
        }
    look_again(f, i, w);
    if (i == TLK_NONE || w.count[lane] >= CROWDED)
        return;
    tlk_list list = {w.list[lane], TLK_PARTNERS, w.count[lane]};
    tlk_list_end(&f, i, &list);
    for (uint32_t c = 0; c < tlk_min(list.count, TLK_PARTNERS); c++)
        f.partner[TLK_PARTNERS * (size_t)i + c] = list.shape[c];
}

/* The shapes that are left: few, and in a kernel of its own because its registers would count for
 * all. */
static __global__ void __launch_bounds__(32 * WARPS)
    run_crowd_count(const __grid_constant__ tlk_find f, uint32_t n)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (f.contact_start[i] == TLK_NONE)
            tlk_contact_count(&f, i);
}

#define CROWD_BLOCKS 1056u /* that look for the few shapes of crowds: 8 for each processor */

static void tuned_contact_count(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_find &f = *(const tlk_find *)args;
    (void)begin, (void)serial; /* all shapes, always */
    const bool whole = f.axis == TLK_UNCUT;
    const uint32_t threads = 32 * WARPS, n = whole ? f.bin_stride - TLK_LANES : end;
    const uint32_t blocks = (end + threads - 1) / threads;
    cudaMemsetAsync(f.contact_start, 0xff, end * sizeof *f.contact_start, stream);
    if (n)
        run_find_count<<<(n + threads - 1) / threads, threads, 0, stream>>>(f, n, whole);
    run_crowd_count<<<tlk_min(blocks, CROWD_BLOCKS), threads, 0, stream>>>(f, end);
}

/* A thread a shape lists its contacts; the threads of a warp share them evenly, and write side by
 * side. Shapes that have more partners than were kept are left to run_crowd_write. */
static __global__ void __launch_bounds__(32 * WARPS, 8)
    run_find_write(const __grid_constant__ tlk_find f, uint32_t n)
{
    __shared__ uint32_t partners[WARPS][32 * TLK_PARTNERS];
    __shared__ uint8_t owners[WARPS][32 * TLK_PARTNERS];
    uint32_t *partner = partners[threadIdx.x / 32];
    uint8_t *owner = owners[threadIdx.x / 32];
    const uint32_t i = blockIdx.x * 32 * WARPS + threadIdx.x, lane = threadIdx.x % 32;
    const uint32_t begin = i < n ? f.contact_start[i] : 0;
    const uint32_t count = i < n ? f.contact_start[i + 1] - begin : 0;
    const uint32_t mine = count <= TLK_PARTNERS ? count : 0;
    uint32_t at = mine;
    for (uint32_t d = 1; d < 32; d *= 2) {
        const uint32_t before = __shfl_up_sync(ALL, at, d);
        at += lane >= d ? before : 0;
    }
    const uint32_t total = __shfl_sync(ALL, at, 31);
    at -= mine;
    for (uint32_t c = 0; c < mine; c++) {
        partner[at + c] = f.partner[TLK_PARTNERS * (size_t)i + c];
        owner[at + c] = (uint8_t)lane;
    }
    __syncwarp();
    for (uint32_t first = 0; first < total; first += 32) {
        const uint32_t c = first + lane, from = c < total ? owner[c] : 0;
        const uint32_t ahead = __shfl_sync(ALL, begin - at, from);
        if (c < total)
            tlk_write_contact(&f, i - lane + from, partner[c], ahead + c);
    }
}

static __global__ void __launch_bounds__(32 * WARPS)
    run_crowd_write(const __grid_constant__ tlk_find f, uint32_t n)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (f.contact_start[i + 1] - f.contact_start[i] > TLK_PARTNERS)
            tlk_contact_write(&f, i);
}

static void tuned_contact_write(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_find &f = *(const tlk_find *)args;
    (void)begin, (void)serial;
    const uint32_t blocks = (end + 32 * WARPS - 1) / (32 * WARPS);
    run_find_write<<<blocks, 32 * WARPS, 0, stream>>>(f, end);
    run_crowd_write<<<tlk_min(blocks, CROWD_BLOCKS), 32 * WARPS, 0, stream>>>(f, end);
}

/* A thread a contact: looks for its pair in the owner's old list. A pair is there once at most. */
static __global__ void __launch_bounds__(256) run_match(const __grid_constant__ tlk_match m)
{
    const uint32_t k = blockIdx.x * 256 + threadIdx.x;
    if (k >= m.contacts)
        return;
    const uint32_t i = m.a[k], b = m.b[k], end = m.old_start[i + 1];
    uint32_t o = m.old_start[i];
    while (o < end && m.old_b[o] != b)
        o++;
    real gamma[4] = {0, 0, 0, 0};
    uint32_t colour = TLK_NONE;
    if (o < end) {
        tlk_load4(m.old_gamma + 4 * (size_t)o, gamma);
        gamma[3] = 0;
        colour = m.old_colour[o];
    }
    tlk_store4(m.gamma + 4 * (size_t)k, gamma);
    m.colour[k] = colour;
}

static void tuned_match_contacts(const void *args, uint32_t begin, uint32_t end, bool serial,
                                 cudaStream_t stream)
{
    const tlk_match &m = *(const tlk_match *)args;
    (void)begin, (void)end, (void)serial;
    if (m.contacts)
        run_match<<<(m.contacts + 255) / 256, 256, 0, stream>>>(m);
}

#endif
