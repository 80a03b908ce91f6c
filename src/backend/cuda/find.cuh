/* Collision detection and matching, laid out for a GPU: the same tests as the plain kernels, whose
 * results do not depend on their order, shared evenly by the threads of a warp. Included by
 * kernels.cu. */
#ifndef TL_BACKEND_CUDA_FIND_CUH
#define TL_BACKEND_CUDA_FIND_CUH

#define WARPS 8u   /* of a block */
#define QUEUE 256u /* candidates of the 32 shapes of a warp, usually 80 */
#define ALL   0xffffffffu

/* What a warp works on together. Lists lie an odd number of words apart, in different banks. */
typedef struct warp_lists {
    uint32_t queue[QUEUE], candidates;
    uint32_t list[32][TLK_PARTNERS + 1], count[32];
    uint8_t owner[QUEUE];
} warp_lists;

/* The candidates of shape i among entries [begin, end), into the queue of its warp. */
static __device__ __forceinline__ void queue_near(const tlk_find &f, const tlk_search &s,
                                                  uint32_t i, uint32_t l, uint32_t begin,
                                                  uint32_t end, warp_lists &w)
{
    for (uint32_t q = begin; q < end; q += 32) {
        const uint32_t count = tlk_min(end - q, 32u);
        uint32_t near = 0;
#pragma unroll 4
        for (uint32_t c = 0; c < count; c++)
            near |= (uint32_t)tlk_near(&f, &s, q + c) << c;
        for (; near; near &= near - 1) {
            const uint32_t j = tlk_partner(&f, &s, i, l, q + (uint32_t)__ffs((int)near) - 1);
            const uint32_t put = j == TLK_NONE ? QUEUE : atomicAdd(&w.candidates, 1u);
            if (put < QUEUE) {
                w.queue[put] = j;
                w.owner[put] = (uint8_t)(threadIdx.x % 32);
            }
        }
    }
}

/* The candidates of shape i; where a row's entries are is fetched while the last row is tested. */
static __device__ __forceinline__ void queue_candidates(const tlk_find &f, uint32_t i,
                                                        warp_lists &w)
{
    const uint32_t own = f.shapes.level[i];
    for (uint32_t l = 0; own < TLK_LEVELS && l <= own; l++) {
        const tlk_level *level = &f.level[l];
        tlk_search s;
        uint32_t begin, end, next_begin, next_end;
        if (!level->used)
            continue;
        tlk_search_begin(&f, i, l, &s);
        for (bool more = tlk_search_next(&f, level, &s, &begin, &end); more;) {
            more = tlk_search_next(&f, level, &s, &next_begin, &next_end);
            queue_near(f, s, i, l, begin, end, w);
            begin = next_begin;
            end = next_end;
        }
    }
}

/* A thread a shape looks for candidates; the threads of a warp share the exact tests evenly. */
static __global__ void __launch_bounds__(32 * WARPS, 4)
    run_find_count(const __grid_constant__ tlk_find f, uint32_t n)
{
    __shared__ warp_lists lists[WARPS];
    warp_lists &w = lists[threadIdx.x / 32];
    const uint32_t i = blockIdx.x * 32 * WARPS + threadIdx.x, lane = threadIdx.x % 32;
    w.count[lane] = 0;
    w.candidates = 0;
    __syncwarp();
    if (i < n)
        queue_candidates(f, i, w);
    __syncwarp();
    const uint32_t candidates = w.candidates;
    for (uint32_t c = lane; candidates <= QUEUE && c < candidates; c += 32) {
        const uint32_t to = w.owner[c], j = w.queue[c];
        if (!tlk_touch(&f, i - lane + to, j))
            continue;
        const uint32_t put = atomicAdd(&w.count[to], 1u);
        if (put < TLK_PARTNERS)
            w.list[to][put] = j;
    }
    __syncwarp();
    if (i >= n)
        return;
    tlk_list list = {w.list[lane], TLK_PARTNERS, w.count[lane]};
    if (candidates > QUEUE) {
        f.contact_start[i] = TLK_NONE;
        return;
    }
    tlk_list_end(&f, i, &list);
    for (uint32_t c = 0; c < tlk_min(list.count, TLK_PARTNERS); c++)
        f.partner[TLK_PARTNERS * (size_t)i + c] = list.shape[c];
}

/* The shapes that are left, in crowds: rare, and a kernel of its own because its registers would
 * count for all. */
static __global__ void __launch_bounds__(32 * WARPS)
    run_crowd_count(const __grid_constant__ tlk_find f, uint32_t n)
{
    const uint32_t i = blockIdx.x * 32 * WARPS + threadIdx.x;
    if (i < n && f.contact_start[i] == TLK_NONE)
        tlk_contact_count(&f, i);
}

static void tuned_contact_count(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_find &f = *(const tlk_find *)args;
    (void)begin, (void)serial; /* all shapes, always */
    const uint32_t blocks = (end + 32 * WARPS - 1) / (32 * WARPS);
    run_find_count<<<blocks, 32 * WARPS, 0, stream>>>(f, end);
    run_crowd_count<<<blocks, 32 * WARPS, 0, stream>>>(f, end);
}

/* A thread a shape lists its contacts; the threads of a warp share them evenly, and write side by
 * side. Shapes that have more partners than were kept are left to run_crowd_write. */
static __global__ void __launch_bounds__(32 * WARPS, 4)
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
    const uint32_t i = blockIdx.x * 32 * WARPS + threadIdx.x;
    if (i < n && f.contact_start[i + 1] - f.contact_start[i] > TLK_PARTNERS)
        tlk_contact_write(&f, i);
}

static void tuned_contact_write(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_find &f = *(const tlk_find *)args;
    (void)begin, (void)serial;
    const uint32_t blocks = (end + 32 * WARPS - 1) / (32 * WARPS);
    run_find_write<<<blocks, 32 * WARPS, 0, stream>>>(f, end);
    run_crowd_write<<<blocks, 32 * WARPS, 0, stream>>>(f, end);
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
