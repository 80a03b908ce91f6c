/* Collision detection and matching, laid out for a GPU: the same tests as the plain kernels
 * in the same order of results, with a thread an entry or a contact instead of a thread a
 * shape. Included by kernels.cu. */
#ifndef TL_BACKEND_CUDA_FIND_CUH
#define TL_BACKEND_CUDA_FIND_CUH

/* The last item of an ascending list that is not above a value, between two of its places. */
static __device__ __forceinline__ uint32_t last_not_above(const uint32_t *list, uint32_t low,
                                                          uint32_t high, uint32_t value)
{
    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;
        if (list[middle] <= value)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* A thread an entry, so that what is written lies side by side: which shape's it is, by search
 * among those of the block, and which of that shape's bins. */
static __global__ void __launch_bounds__(256)
    run_entries(const __grid_constant__ tlk_find f, uint32_t n)
{
    __shared__ uint32_t bounds[2];
    const uint32_t first = blockIdx.x * 256, e = first + threadIdx.x;
    if (threadIdx.x < 2) { /* the shapes of the block's first and last entry */
        const uint32_t at = threadIdx.x ? tlk_min(first + 255, f.entries - 1) : first;
        bounds[threadIdx.x] = last_not_above(f.entry_start, 0, n - 1, at);
    }
    __syncthreads();
    if (e >= f.entries)
        return;
    const uint32_t i = last_not_above(f.entry_start, bounds[0], bounds[1], e);
    double low[3], high[3];
    tlk_box(&f, i, low, high);
    uint32_t left = e - f.entry_start[i];
    for (uint32_t l = 0;; l++) {
        if (!f.level[l].used)
            continue;
        int64_t begin[3], from[3], to[3];
        const uint32_t bins = tlk_part_bins(&f, l, low, high, begin, from, to);
        if (left < bins) {
            const uint32_t nx = (uint32_t)(to[0] - from[0] + 1);
            const uint32_t ny = (uint32_t)(to[1] - from[1] + 1);
            const int64_t bin[3] = {from[0] + left % nx, from[1] + left / nx % ny,
                                    from[2] + left / (nx * ny)};
            tlk_enter(&f, i, l, bin, begin, e);
            return;
        }
        left -= bins;
    }
}

static void tuned_bin_entries(const void *args, uint32_t begin, uint32_t end, bool serial,
                              cudaStream_t stream)
{
    const tlk_find &f = *(const tlk_find *)args;
    (void)begin, (void)serial;
    if (f.entries)
        run_entries<<<(f.entries + 255) / 256, 256, 0, stream>>>(f, end);
}

/* The candidates of one entry, 16 bytes, where entry_at was: how many, and where they are behind
 * the first that it pairs with. CROWDED: more than fit. */
#define MOST_NEAR 7u
#define CROWDED   0xffffu
typedef struct __align__(16) near_list
{
    uint16_t count, behind[MOST_NEAR];
}
near_list;

/* Item c of a list, and setting it, without an index that is known at run time only: the list stays
 * in registers. */
static __device__ __forceinline__ uint32_t near_at(const near_list &list, uint32_t c)
{
    uint32_t value = 0;
#pragma unroll
    for (uint32_t k = 0; k < MOST_NEAR; k++)
        if (k == c)
            value = list.behind[k];
    return value;
}

static __device__ __forceinline__ void near_set(near_list &list, uint32_t c, uint32_t value)
{
#pragma unroll
    for (uint32_t k = 0; k < MOST_NEAR; k++)
        if (k == c)
            list.behind[k] = (uint16_t)value;
}

/* A thread a sorted entry: neighbours in a warp are in one bin and read the same partners. */
static __global__ void __launch_bounds__(256)
    run_entry_candidates(const __grid_constant__ tlk_find f)
{
    const uint32_t p = blockIdx.x * 256 + threadIdx.x;
    if (p >= f.entries)
        return;
    const uint32_t tag = f.bin_tag[p];
    uint32_t begin, end, count = 0;
    near_list found;
    tlk_partners(&f, p, &begin, &end);
    for (uint32_t q = begin; q < end; q++) {
        if (!tlk_claims(tag, f.bin_tag[q]) || !tlk_near(&f, p, q))
            continue;
        if (count == MOST_NEAR || q - begin > 0xffffu) {
            count = CROWDED;
            break;
        }
        near_set(found, count++, q - begin);
    }
    found.count = (uint16_t)count;
    ((near_list *)f.entry_at)[f.entry_value[p]] = found;
}

/* Puts the shapes of entry e's candidates into a list (NULL: only counts them). */
static __device__ __forceinline__ uint32_t list_candidates(const tlk_find &f, uint32_t e,
                                                           uint32_t *list)
{
    const near_list found = ((const near_list *)f.entry_at)[e];
    if (!found.count || (!list && found.count != CROWDED))
        return found.count;
    const uint32_t p = f.place[e];
    uint32_t begin, end, n = 0;
    tlk_partners(&f, p, &begin, &end);
    const bool crowded = found.count == CROWDED;
    for (uint32_t c = 0; c < (crowded ? end - begin : found.count); c++) {
        const uint32_t q = begin + (crowded ? c : near_at(found, c));
        if (crowded && !(tlk_claims(f.bin_tag[p], f.bin_tag[q]) && tlk_near(&f, p, q)))
            continue;
        if (list)
            list[n] = f.bin_shape[q];
        n++;
    }
    return n;
}

#define QUEUE 384u /* candidates of 32 shapes, usually 130 */

/* A thread a shape: the exact tests. The candidates of a warp's shapes are put in a queue first,
 * and its lanes share the tests evenly. */
static __global__ void __launch_bounds__(256, 4)
    run_contacts(const __grid_constant__ tlk_find f, uint32_t n)
{
    __shared__ uint32_t queues[8][QUEUE];
    __shared__ uint8_t owners[8][QUEUE];
    const uint32_t i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32;
    uint32_t *queue = queues[threadIdx.x / 32], mine = 0, k = 0;
    uint8_t *owner = owners[threadIdx.x / 32];
    const uint32_t first = i < n ? f.entry_start[i] : 0, last = i < n ? f.entry_start[i + 1] : 0;
    for (uint32_t e = first; e < last; e++)
        mine += list_candidates(f, e, NULL);
    uint32_t at = mine;
    for (uint32_t d = 1; d < 32; d *= 2) {
        const uint32_t before = __shfl_up_sync(0xffffffffu, at, d);
        at += lane >= d ? before : 0;
    }
    const uint32_t total = __shfl_sync(0xffffffffu, at, 31);
    at -= mine;
    if (total > QUEUE) {
        if (i < n)
            tlk_visit_bins(&f, i, false, &k);
    } else {
        uint32_t put = at;
        for (uint32_t e = first; e < last; e++)
            put += list_candidates(f, e, queue + put);
        for (uint32_t c = at; c < put; c++)
            owner[c] = (uint8_t)lane;
        __syncwarp();
        for (uint32_t c = lane; c < total; c += 32)
            if (!tlk_touch(&f, i - lane + owner[c], queue[c]))
                queue[c] = TLK_NONE;
        __syncwarp();
        for (uint32_t c = at; c < at + mine; c++)
            if (queue[c] != TLK_NONE)
                tlk_emit(&f, i, queue[c], false, &k);
    }
    if (i >= n)
        return;
    tlk_visit_globals(&f, i, false, &k);
    f.contact_start[i] = k;
}

static void tuned_contact_count(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_find &f = *(const tlk_find *)args;
    (void)begin, (void)serial; /* all shapes, always */
    if (f.entries)
        run_entry_candidates<<<(f.entries + 255) / 256, 256, 0, stream>>>(f);
    run_contacts<<<(end + 255) / 256, 256, 0, stream>>>(f, end);
}

/* A thread a shape: names the pairs of its contacts; those of a shape that has more than were kept
 * it looks for again and writes whole. */
static __global__ void __launch_bounds__(256)
    run_contact_pairs(const __grid_constant__ tlk_find f, uint32_t n)
{
    const uint32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    uint32_t k = f.contact_start[i];
    const uint32_t count = f.contact_start[i + 1] - k;
    if (count > TLK_PARTNERS) {
        tlk_visit_bins(&f, i, true, &k);
        tlk_visit_globals(&f, i, true, &k);
        return;
    }
    for (uint32_t c = 0; c < count; c++) {
        if (f.contact_n)
            f.contact_a[k + c] = i;
        f.contact_b[k + c] = f.partner[TLK_PARTNERS * (size_t)i + c];
    }
}

static void tuned_contact_write(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_find &f = *(const tlk_find *)args;
    (void)begin, (void)serial;
    run_contact_pairs<<<(end + 255) / 256, 256, 0, stream>>>(f, end);
    if (f.contacts && f.contact_n)
        map_contact_geometry(args, 0, f.contacts, false, stream);
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
