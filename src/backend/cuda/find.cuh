/* Collision detection and matching, laid out for a GPU: the same tests as the plain kernels, whose
 * results do not depend on their order. Included by find.cu and, to be tested without a GPU, by
 * tests/backend/emulated_find.cpp.
 *
 * Almost all pairs are decided by whole numbers: an entry (bins.h) says where its shape is to
 * within a unit, 2^-13 of a bin's edge, how far it reaches, and how near it touches for sure. Only
 * what is near without surely touching is looked at in 64-bit. */
#ifndef TL_BACKEND_CUDA_FIND_CUH
#define TL_BACKEND_CUDA_FIND_CUH

/* blocks at once on a processor, which is how many registers a thread has (measured) */
#define BOUNDS_BLOCKS 6
#define FILL_BLOCKS   6
#define FIND_BLOCKS   10
#define AGAIN_BLOCKS  12
#define WRITE_BLOCKS  10

#define WARPS      4u  /* of a block */
#define WINDOWS    12u /* rows of bins that a lane collects before it goes through their entries */
#define ALL        0xffffffffu
#define PLACE_BINS (ALL >> TLK_FRACTION) /* a place is a bin, modulo this, and a fraction */

/* What the whole numbers of two entries leave open: places are rounded down, by up to a unit; the
 * lower half of an entry's word stands behind the number in its upper half, up to another unit;
 * squares are rounded down. That is sqrt(1 + 4 + 4) units and, for sums above 5, one more. */
#define NEAR_MARGIN 3
#define SURE_MARGIN 4

/* What a shape may reach, in units, to look at entries by their words; those that reach further
 * look at shapes. The sum with any entry's reach has a square of 32 bits. */
#define MOST_REACH 0x1ff0

/* A count of partners that is not final: how many are sure, and how many are to be looked at. */
#define SURE_BITS   24
#define MOST_SURE   ((1u << SURE_BITS) - 1)
#define MOST_UNSURE 127u
#define OUTSIDE     (1u << 31) /* a candidate that is a shape's row instead of an entry */

/* Whether a shape of a centre and reach is entered once on its level, and its place tells where. */
static __device__ __forceinline__ bool has_one_place(const tlk_find &f, const tlk_level &level,
                                                     const double *c)
{
    const double far = tlk_max(fabs(c[0]), tlk_max(fabs(c[1]), fabs(c[2])));
    return f.axis == TLK_UNCUT && c[3] <= level.reach && far * level.inverse < 4e15 &&
           (level.mask[0] | level.mask[1] | level.mask[2]) <= PLACE_BINS;
}

static __device__ __forceinline__ uint32_t key_of(const tlk_level &level, const uint32_t *at)
{
    return tlk_bin_key(&level, at[0] >> TLK_FRACTION, at[1] >> TLK_FRACTION, at[2] >> TLK_FRACTION);
}

/* tlk_bounds; of the usual shape, a sphere about its body's origin that is entered once, without
 * what the others need, which is a call, because its registers would count for all. */
static __device__ __noinline__ void bounds_of_any(const tlk_find *f, uint32_t i)
{
    tlk_bounds(f, i);
}

static __global__ void __launch_bounds__(256, BOUNDS_BLOCKS)
    run_tuned_bounds(const __grid_constant__ tlk_find f, uint32_t n)
{
    const uint32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    const uint32_t own = f.shapes.level[i];
    const size_t body = f.shapes.body[i];
    double geom[4], c[4];
    real vel[4];
    tlk_load4d(f.shapes.geom + 4 * (size_t)i, geom);
    tlk_load4d(f.bodies.pos + 4 * body, c);
    tlk_load4(f.bodies.vel + 8 * body, vel);
    const bool sphere = (f.shapes.info[i] & TLK_SHAPE_KIND) == TLK_SPHERE;
    const bool usual = sphere && i < f.shapes.dynamic && own < TLK_LEVELS && geom[0] == 0 &&
                       geom[1] == 0 && geom[2] == 0 && f.bin_start;
    const float reach = tlk_shape_reach(&f, geom[3], body, vel, 0);
    const tlk_level &level = f.level[usual ? own : 0];
    c[3] = (double)reach;
    if (!usual || !has_one_place(f, level, c)) {
        bounds_of_any(&f, i);
        return;
    }
    const uint32_t at[3] = {tlk_place(&level, c[0]), tlk_place(&level, c[1]),
                            tlk_place(&level, c[2])};
    atomicAdd(f.bin_start + key_of(level, at) + 1, 1u);
    f.shapes.reach[i] = reach;
    c[3] = geom[3];
    tlk_store4d(f.shapes.centre + 4 * (size_t)i, c);
}

static void tuned_bounds(const void *args, uint32_t begin, uint32_t end, bool serial,
                         cudaStream_t stream)
{
    (void)begin, (void)serial;
    LAUNCH(run_tuned_bounds, (end + 255) / 256, 256, stream, *(const tlk_find *)args, end);
}

/* tlk_bin_fill likewise; what the usual shape needs is fetched before the place in the bin is asked
 * for. */
static __device__ __noinline__ void fill_any(const tlk_find *f, uint32_t i)
{
    tlk_bin_fill(f, i);
}

static __global__ void __launch_bounds__(256, FILL_BLOCKS)
    run_fill(const __grid_constant__ tlk_find f, uint32_t n)
{
    const uint32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    const uint32_t own = f.shapes.level[i], body = f.shapes.body[i];
    const uint32_t before = i ? f.shapes.body[i - 1] : TLK_NONE;
    const uint32_t behind = i + 1 < f.shapes.rows ? f.shapes.body[i + 1] : TLK_NONE;
    double c[4];
    tlk_load4d(f.shapes.centre + 4 * (size_t)i, c);
    const double radius = c[3];
    c[3] = (double)f.shapes.reach[i];
    if (own >= TLK_LEVELS)
        return;
    const tlk_level &level = f.level[own];
    const uint32_t at[3] = {tlk_place(&level, c[0]), tlk_place(&level, c[1]),
                            tlk_place(&level, c[2])};
    if (!has_one_place(f, level, c)) {
        fill_any(&f, i);
        return;
    }
    const uint32_t q = atomicAdd(f.bin_start + key_of(level, at) + 1, 1u);
    tlk_put(&f, q, at, (uint32_t)tlk_unit_reach(&level, c) + 1,
            tlk_touch_radius(&f, &level, i, c, radius, body != before && body != behind), i);
}

static void tuned_bin_fill(const void *args, uint32_t begin, uint32_t end, bool serial,
                           cudaStream_t stream)
{
    (void)begin, (void)serial;
    LAUNCH(run_fill, (end + 255) / 256, 256, stream, *(const tlk_find *)args, end);
}

/* A lane's shape on a level, as entries are: places in the upper halves of words. */
typedef struct seeker {
    uint32_t x, y, z;
    int32_t reach, touch; /* with the margins */
    int32_t after;        /* only later rows are its partners */
} seeker;

/* What an entry's words tell: whether it is near; and whether it touches. */
static __device__ __forceinline__ bool is_near(const seeker &s, const uint4 &e, bool &touches)
{
    const int32_t dx = (int32_t)((e.x << 16) - s.x), dy = (int32_t)(e.x - s.y);
    const int32_t dz = (int32_t)(e.y - s.z);
    const uint32_t square = (uint32_t)(__mulhi(dx, dx) + __mulhi(dy, dy) + __mulhi(dz, dz));
    const uint32_t reach = (e.y & 0xffff) + (uint32_t)s.reach;
    const int32_t touch = tlk_max((int32_t)e.z + s.touch, 0);
    touches = square <= (uint32_t)(touch * touch) && touch > 1;
    return square <= reach * reach && (int32_t)e.w > s.after;
}

/* The touch radius of a shape on level l, from that on its own. */
static __device__ __forceinline__ int32_t touch_on(const tlk_find &f, uint32_t l, uint32_t own,
                                                   int32_t touch, const double *c)
{
    if (touch < 0 || l == own)
        return touch - SURE_MARGIN;
    if (!tlk_told_apart(&f.level[l], c))
        return TLK_UNSURE;
    return (int32_t)(touch * (float)(f.level[l].inverse / f.level[own].inverse)) - 1 - SURE_MARGIN;
}

/* Shape i of centre and reach c as a seeker on level l, and what it searches there. */
static __device__ __forceinline__ void begin_at(const tlk_find &f, uint32_t i, uint32_t l,
                                                uint32_t own, int32_t touch, const double *c,
                                                seeker &k, tlk_search &s)
{
    const tlk_level &level = f.level[l];
    const uint32_t at[3] = {tlk_place(&level, c[0]), tlk_place(&level, c[1]),
                            tlk_place(&level, c[2])};
    const float reach = tlk_unit_reach(&level, c);
    const uint32_t wide = (uint32_t)(reach + (float)(level.reach * level.inverse * TLK_UNITS)) + 4;
    uint32_t n[3];
#pragma unroll
    for (int a = 0; a < 3; a++) {
        const uint32_t low = at[a] - wide, high = at[a] + wide;
        n[a] = tlk_min((((high >> TLK_FRACTION) - (low >> TLK_FRACTION)) & PLACE_BINS) + 1,
                       level.mask[a] + 1);
    }
    s.x = (at[0] - wide) >> TLK_FRACTION & level.mask[0], s.y = (at[1] - wide) >> TLK_FRACTION;
    s.z = (at[2] - wide) >> TLK_FRACTION;
    s.nx = n[0], s.ny = n[1], s.nz = n[2];
    s.row = s.piece = 0;
    k.x = at[0] << 16, k.y = at[1] << 16, k.z = at[2] << 16;
    k.reach = (int32_t)tlk_min(reach, MOST_REACH) + 1 + NEAR_MARGIN;
    k.touch = touch_on(f, l, own, touch, c);
    k.after = l == own ? (int32_t)i : -1;
}

/* What is searched by shapes that have several entries, or are clipped to a part of space; by a
 * call, because its registers would count for all. */
static __device__ __noinline__ void search_any(const tlk_find *f, uint32_t i, uint32_t l,
                                               tlk_search *s)
{
    tlk_search_begin(f, i, l, s);
}

/* The two; returns whether entries' words will do. */
static __device__ __forceinline__ bool begin(const tlk_find &f, uint32_t i, uint32_t l,
                                             uint32_t own, int32_t touch, seeker &k, tlk_search &s)
{
    const tlk_level &level = f.level[l];
    double c[4];
    tlk_ball(&f.shapes, i, c);
    begin_at(f, i, l, own, touch, c, k, s);
    /* places must tell all bins of the table apart */
    if (f.axis == TLK_UNCUT && c[3] <= f.level[own].reach &&
        (level.mask[0] | level.mask[1] | level.mask[2]) <= PLACE_BINS)
        return true;
    tlk_search any;
    search_any(&f, i, l, &any);
    s = any;
    return k.reach < MOST_REACH;
}

/* What a lane has found of its shape's partners: the sure ones are kept from the front of its list,
 * the candidates from behind, as long as there is room for all. */
typedef struct tally {
    uint32_t *list, sure, unsure;
} tally;

static __device__ __forceinline__ void keep(tally &t, uint32_t most, bool sure, uint32_t j,
                                            uint32_t candidate)
{
    const uint32_t put = sure ? t.sure : most - 1 - t.unsure;
    if (t.sure + t.unsure < most)
        t.list[put] = sure ? j : candidate;
    t.sure += sure;
    t.unsure += !sure;
}

/* Goes through the entries of a lane's windows, two at a time; each lane at its own pace, so that
 * none waits for those that have more in a row of bins. */
static __device__ __forceinline__ void look_through(const tlk_find &f, const seeker &s,
                                                    const uint2 *window, uint32_t windows, tally &t)
{
    const uint4 *entries = (const uint4 *)f.bin;
    const uint2 *last = window + 32 * windows;
    uint32_t q = 0, end = 0;
    for (;;) {
        if (q >= end && window < last) { /* none is empty */
            q = window->x, end = window->y;
            window += 32;
        }
        if (!__any_sync(ALL, q < end))
            return;
        if (q < end) {
            const uint4 e = entries[q], e2 = entries[q + 1]; /* there is padding */
            bool sure, sure2;
            const bool near = is_near(s, e, sure), near2 = is_near(s, e2, sure2) && q + 1 < end;
            if (near)
                keep(t, f.partners, sure, e.w, q);
            if (near2)
                keep(t, f.partners, sure2, e2.w, q + 1);
            q += 2;
        }
    }
}

/* A lane's shape (TLK_NONE: none) on one level. */
static __device__ __forceinline__ void search_level(const tlk_find &f, uint32_t i, uint32_t l,
                                                    uint32_t own, int32_t touch,
                                                    uint2 (*windows)[32], tally &t)
{
    seeker k = {};
    tlk_search s = {};
    const uint32_t lane = threadIdx.x % 32;
    if (i != TLK_NONE && !begin(f, i, l, own, touch, k, s)) {
        t.unsure = MOST_UNSURE;
        s.nz = 0;
    }
    const tlk_level &level = f.level[l];
    const uint32_t edge = level.mask[0] + 1, last = tlk_min(s.x + s.nx, edge);
    const uint32_t behind = s.x + s.nx - last; /* bins beyond the table's edge */
    while (__any_sync(ALL, s.nz > 0)) {
        uint32_t n = 0;
        while (s.nz > 0 && n + 6 <= WINDOWS) { /* three rows, whose loads are under way at once */
            uint2 row[3], rest[3];
#pragma unroll
            for (uint32_t r = 0; r < 3; r++) {
                const uint32_t *start = f.bin_start + tlk_bin_key(&level, 0, s.y + s.row, s.z);
                row[r] = rest[r] = make_uint2(0, 0);
                if (s.nz > 0)
                    row[r] = make_uint2(start[s.x], start[last]);
                if (s.nz > 0 && behind)
                    rest[r] = make_uint2(start[0], start[behind]);
                if (s.nz > 0 && ++s.row == s.ny)
                    s.row = 0, s.z++, s.nz--;
            }
#pragma unroll
            for (uint32_t r = 0; r < 3; r++) {
                if (row[r].x < row[r].y)
                    windows[n++][lane] = row[r];
                if (rest[r].x < rest[r].y)
                    windows[n++][lane] = rest[r];
            }
        }
        look_through(f, k, &windows[0][lane], n, t);
    }
}

/* The shapes outside the bins; by a call likewise. */
static __device__ __noinline__ tally look_outside(const tlk_find *f, uint32_t i, tally t)
{
    for (uint32_t g = 0; g < f->globals; g++) {
        const uint32_t j = f->global[g];
        const tlk_verdict verdict = tlk_look_outside(f, i, j);
        if (verdict != TLK_APART)
            keep(t, f->partners, verdict == TLK_TOUCHES, j, j | OUTSIDE);
    }
    return t;
}

/* A thread a shape, in the order of bins, where neighbours look at the same entries; those outside
 * the bins follow. Of a part of space in their own order, because shapes beside it search there
 * too. */
static __global__ void __launch_bounds__(32 * WARPS, FIND_BLOCKS)
    run_find_count(const __grid_constant__ tlk_find f)
{
    __shared__ uint2 windows[WARPS][WINDOWS][32];
    const uint32_t p = blockIdx.x * 32 * WARPS + threadIdx.x, entries = f.bin_start[f.keys + 1];
    const bool whole = f.axis == TLK_UNCUT, entered = entries <= f.bin_stride - TLK_LANES;
    uint32_t i = TLK_NONE, own = TLK_LEVELS;
    int32_t touch = TLK_UNSURE;
    if (p == 0)
        f.contact_start[f.shapes.rows + 1] = entries;
    if (!entered)
        return;
    if (!whole) {
        i = p < f.shapes.rows ? p : TLK_NONE;
    } else if (p < entries) {
        const uint4 e = ((const uint4 *)f.bin)[p];
        touch = (int32_t)e.z;
        i = touch == TLK_OTHER ? TLK_NONE : e.w;
    } else if (p - entries < f.globals) {
        i = f.global[p - entries];
    }
    if (i != TLK_NONE)
        own = f.shapes.level[i];
    tally t = {f.partner + f.partners * (size_t)i, 0, 0};
    const uint32_t finest = __reduce_max_sync(ALL, own < TLK_LEVELS ? own + 1 : 0);
    for (uint32_t l = 0; l < finest; l++)
        if (f.level[l].used)
            search_level(f,
                         own < TLK_LEVELS && l <= own && tlk_searches(&f, i, own, l) ? i : TLK_NONE,
                         l, own, touch, windows[threadIdx.x / 32], t);
    if (i == TLK_NONE)
        return;
    if (f.globals)
        t = look_outside(&f, i, t);
    const bool fits = t.sure <= MOST_SURE;
    f.contact_start[i] = (fits ? t.sure : MOST_SURE) |
                         (fits ? tlk_min(t.unsure, MOST_UNSURE) : MOST_UNSURE) << SURE_BITS;
}

/* Whether a candidate of shape i is its partner, which is put in j. */
static __device__ bool is_partner(const tlk_find &f, uint32_t i, uint32_t candidate, uint32_t *j)
{
    *j = candidate & TLK_ROW;
    if (candidate & OUTSIDE)
        return tlk_may_touch(&f, i, *j);
    const uint32_t entry = tlk_entry(&f, candidate);
    *j = entry & TLK_ROW;
    return (entry == *j || tlk_claims(&f, i, *j, f.shapes.level[*j], candidate)) &&
           tlk_may_touch(&f, i, *j);
}

/* All partners of shape i, by a warp: their number, and a list of as many as there is room for. */
static __device__ __noinline__ uint32_t list_all(const tlk_find *f, uint32_t i, uint32_t *list,
                                                 uint32_t room)
{
    const uint32_t lane = threadIdx.x % 32, own = f->shapes.level[i];
    uint32_t n = 0, from, to, j;
    double c[4];
    tlk_ball(&f->shapes, i, c);
    const int32_t touch =
        own < TLK_LEVELS && c[3] <= f->level[own].reach
            ? tlk_touch_radius(f, &f->level[own], i, c, f->shapes.centre[4 * (size_t)i + 3],
                               tlk_is_alone(&f->shapes, i))
            : TLK_UNSURE;
    for (uint32_t l = 0; own < TLK_LEVELS && l <= own; l++) {
        seeker k;
        tlk_search s;
        if (!tlk_searches(f, i, own, l))
            continue;
        const bool words = begin(*f, i, l, own, touch, k, s);
        while (tlk_search_next(f, &f->level[l], &s, &from, &to))
            for (uint32_t first = from; first < to; first += 32) {
                const uint32_t q = first + lane;
                const uint4 e = ((const uint4 *)f->bin)[q < to ? q : 0];
                bool sure = false, yes = q < to && (int32_t)e.w > k.after;
                yes = yes && (words ? is_near(k, e, sure) : tlk_near(f, &s, i, q));
                yes = yes && (sure || is_partner(*f, i, q, &j));
                const uint32_t found = __ballot_sync(ALL, yes);
                const uint32_t put = n + (uint32_t)__popc((int)(found & ((1u << lane) - 1)));
                if (yes && put < room)
                    list[put] = e.w;
                n += (uint32_t)__popc((int)found);
            }
    }
    __syncwarp();
    for (uint32_t g = 0; g < f->globals; g++) {
        j = f->global[g];
        const tlk_verdict verdict = tlk_look_outside(f, i, j);
        if (verdict == TLK_APART || (verdict == TLK_UNDECIDED && !tlk_may_touch(f, i, j)))
            continue;
        if (n < room && lane == 0)
            list[n] = j;
        n++;
    }
    __syncwarp();
    return n;
}

/* Numbers from the lanes of a warp, added up before each; and all of them. */
static __device__ __forceinline__ uint32_t add_before(uint32_t mine, uint32_t *total)
{
    uint32_t at = mine;
    for (uint32_t d = 1; d < 32; d *= 2) {
        const uint32_t before = __shfl_up_sync(ALL, at, d);
        at += threadIdx.x % 32 >= d ? before : 0;
    }
    *total = __shfl_sync(ALL, at, 31);
    return at - mine;
}

/* The lane whose items, from start[lane] on, item c is one of. */
static __device__ __forceinline__ uint32_t lane_of(const uint32_t *start, uint32_t c)
{
    uint32_t lane = 0;
#pragma unroll
    for (uint32_t half = 16; half; half /= 2)
        lane += start[lane + half] <= c ? half : 0;
    return lane;
}

/* The candidates, shared evenly: each gives way to the partner that it is, or to none, and then the
 * partners move up to the sure ones. Where there were too many to keep, all is looked for again. */
static __global__ void __launch_bounds__(32 * WARPS, AGAIN_BLOCKS)
    run_find_again(const __grid_constant__ tlk_find f, uint32_t n)
{
    __shared__ uint32_t starts[WARPS][32];
    uint32_t *start = starts[threadIdx.x / 32], total;
    const uint32_t i = blockIdx.x * 32 * WARPS + threadIdx.x, lane = threadIdx.x % 32;
    const uint32_t found = i < n ? f.contact_start[i] : 0, unsure = found >> SURE_BITS;
    uint32_t count = found & MOST_SURE;
    if (!__any_sync(ALL, unsure > 0) || !tlk_all_entered(&f))
        return;
    const bool crowd = unsure && (count + unsure > f.partners || unsure == MOST_UNSURE);
    const uint32_t mine = crowd ? 0 : unsure;
    start[lane] = add_before(mine, &total);
    __syncwarp();
    for (uint32_t c = lane; c < total; c += 32) {
        const uint32_t of = lane_of(start, c), owner = i - lane + of;
        uint32_t *item = f.partner + f.partners * (size_t)(owner + 1) - 1 - (c - start[of]), j;
        *item = is_partner(f, owner, *item, &j) ? j : TLK_NONE;
    }
    __syncwarp();
    uint32_t *list = f.partner + f.partners * (size_t)i;
    for (uint32_t c = f.partners - mine; c < f.partners; c++)
        if (list[c] != TLK_NONE)
            list[count++] = list[c];
    for (uint32_t crowds = __ballot_sync(ALL, crowd); crowds; crowds &= crowds - 1) {
        const uint32_t of = (uint32_t)__ffs((int)crowds) - 1;
        const uint32_t owner = i - lane + of;
        const uint32_t all =
            list_all(&f, owner, f.partner + f.partners * (size_t)owner, f.partners);
        count = lane == of ? all : count;
    }
    if (unsure)
        f.contact_start[i] = count;
}

static void tuned_contact_count(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_find &f = *(const tlk_find *)args;
    const uint32_t threads = 32 * WARPS;
    (void)begin, (void)serial; /* all shapes, always */
    const uint32_t n = f.axis == TLK_UNCUT ? f.bin_stride - TLK_LANES + f.globals : end;
    LAUNCH(run_find_count, (n + threads - 1) / threads, threads, stream, f);
    LAUNCH(run_find_again, (end + threads - 1) / threads, threads, stream, f, end);
}

#define LISTED (32 * TLK_PARTNERS) /* partners that a warp works on together */

/* How many of a list come before one that is in it. */
static __device__ __forceinline__ uint32_t rank_in(const uint32_t *list, uint32_t count,
                                                   uint32_t item)
{
    uint32_t before = 0;
    for (uint32_t c = 0; c < count; c++)
        before += list[c] < item;
    return before;
}

/* The same of a list that is a multiple of four long, the end filled with TLK_NONE. */
static __device__ __forceinline__ uint32_t rank_by_four(const uint32_t *list, uint32_t count,
                                                        uint32_t item)
{
    uint32_t before = 0;
    for (uint32_t c = 0; c < count; c += 4) {
        const uint4 v = *(const uint4 *)(list + c);
        before += (v.x < item) + (v.y < item) + (v.z < item) + (v.w < item);
    }
    return before;
}

/* A shape with many partners: a warp fetches them, or looks for them again where not all were kept,
 * puts them in order, and writes the contacts. */
static __device__ void write_crowd(const tlk_find *f, uint32_t i, uint32_t begin_at, uint32_t count,
                                   uint32_t *shared)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t *list = count <= LISTED ? shared : f->contact_b + begin_at;
    if (count <= f->partners)
        for (uint32_t c = lane; c < count; c += 32)
            list[c] = f->partner[f->partners * (size_t)i + c];
    else
        list_all(f, i, list, count);
    __syncwarp();
    if (count > LISTED) {
        if (lane == 0)
            tlk_sort(list, count);
    } else if (lane < 3 && count + lane < LISTED) {
        list[count + lane] = TLK_NONE;
    }
    __syncwarp();
    for (uint32_t c = lane; c < count; c += 32) {
        const uint32_t at = count > LISTED ? c : rank_by_four(list, count, list[c]);
        tlk_write_contact(f, i, list[c], begin_at + at);
    }
    __syncwarp();
}

/* The shapes of a warp that have many; by a call that knows nothing of what came before. */
static __device__ __noinline__ void write_crowds(const tlk_find *f, uint32_t n, uint32_t *shared)
{
    const uint32_t i = blockIdx.x * 32 * WARPS + threadIdx.x, lane = threadIdx.x % 32;
    const uint32_t begin = i < n ? f->contact_start[i] : 0;
    const uint32_t count = i < n ? f->contact_start[i + 1] - begin : 0;
    for (uint32_t crowds = __ballot_sync(ALL, count > TLK_PARTNERS); crowds; crowds &= crowds - 1) {
        const uint32_t of = (uint32_t)__ffs((int)crowds) - 1;
        write_crowd(f, i - lane + of, __shfl_sync(ALL, begin, of), __shfl_sync(ALL, count, of),
                    shared);
    }
}

/* A thread a shape lists its contacts; the threads of a warp share them evenly, and write side by
 * side. */
static __global__ void __launch_bounds__(32 * WARPS, WRITE_BLOCKS)
    run_find_write(const __grid_constant__ tlk_find f, uint32_t n)
{
    __shared__ __align__(16) uint32_t partners[WARPS][LISTED];
    __shared__ uint8_t owners[WARPS][LISTED];
    uint32_t *partner = partners[threadIdx.x / 32], total;
    uint8_t *owner = owners[threadIdx.x / 32];
    const uint32_t i = blockIdx.x * 32 * WARPS + threadIdx.x, lane = threadIdx.x % 32;
    const uint32_t begin = i < n ? f.contact_start[i] : 0;
    const uint32_t count = i < n ? f.contact_start[i + 1] - begin : 0;
    const uint32_t mine = count <= TLK_PARTNERS ? count : 0;
    const uint4 *record = (const uint4 *)(f.partner + f.partners * (size_t)i);
    uint4 four = mine ? record[0] : make_uint4(0, 0, 0, 0);
    const uint32_t at = add_before(mine, &total);
    for (uint32_t c = 0; c < mine; c += 4) {
        if (c)
            four = record[c / 4];
        const uint32_t some[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            if (c + k < mine) {
                partner[at + c + k] = some[k];
                owner[at + c + k] = (uint8_t)lane;
            }
    }
    __syncwarp();
    for (uint32_t first = 0; first < total; first += 32) {
        const uint32_t c = first + lane, from = c < total ? owner[c] : 0;
        const uint32_t list = __shfl_sync(ALL, at, from), size = __shfl_sync(ALL, mine, from);
        const uint32_t to = __shfl_sync(ALL, begin, from);
        if (c < total)
            tlk_write_contact(&f, i - lane + from, partner[c],
                              to + rank_in(partner + list, size, partner[c]));
    }
    __syncwarp();
    if (__any_sync(ALL, count > TLK_PARTNERS))
        write_crowds(&f, n, partner);
}

static void tuned_contact_write(const void *args, uint32_t begin, uint32_t end, bool serial,
                                cudaStream_t stream)
{
    const tlk_find &f = *(const tlk_find *)args;
    (void)begin, (void)serial;
    LAUNCH(run_find_write, (end + 32 * WARPS - 1) / (32 * WARPS), 32 * WARPS, stream, f, end);
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
        colour = m.old_colour[o];
    }
    tlk_store4(m.gamma + 4 * (size_t)k, gamma);
    m.colour[k] = colour;
    if (!m.moment)
        return;
    real moment[4] = {0, 0, 0, 0};
    if (o < end)
        tlk_load4(m.old_moment + 4 * (size_t)o, moment);
    tlk_store4(m.moment + 4 * (size_t)k, moment);
}

/* A thread an owner, where pairs have several contacts. */
static __global__ void __launch_bounds__(128)
    run_match_manifolds(const __grid_constant__ tlk_match m, uint32_t n)
{
    const uint32_t i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        tlk_match_contacts(&m, i);
}

static void tuned_match_contacts(const void *args, uint32_t begin, uint32_t end, bool serial,
                                 cudaStream_t stream)
{
    const tlk_match &m = *(const tlk_match *)args;
    (void)begin, (void)serial;
    if (m.feature)
        LAUNCH(run_match_manifolds, (end + 127) / 128, 128, stream, m, end);
    else if (m.contacts)
        LAUNCH(run_match, (m.contacts + 255) / 256, 256, stream, m);
}

#endif
