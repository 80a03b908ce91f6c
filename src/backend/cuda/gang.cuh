/* Levels of few nodes on a GPU: the lanes of a warp, or some of them, share a node. What earlier
 * nodes leave of it is fetched all at once, and taken off in order, as one thread does it one after
 * the other (kernels/joint/factor.h): the same bits. What there is nothing of is 0, which takes
 * nothing off, not even a sign. All lanes of a team's warp go the same way; a warp may have several
 * teams, which do not. Included by joint.cuh. */
#ifndef TL_BACKEND_CUDA_GANG_CUH
#define TL_BACKEND_CUDA_GANG_CUH

#define GANG_LEAST 8u /* lanes of a gang: rows of a node */

static_assert(GANG_LEAST >= TLK_NODE, "each row of a node has a lane");

/* A lane of a gang. */
typedef struct gang {
    uint32_t size, lane; /* of the gang; in it */
    uint32_t first;      /* lane of the warp */
    uint32_t all, width; /* lanes of the warp that are of the team; how many */
} gang;

/* A team's lanes in its warp, as a gang of their own. */
static __device__ __forceinline__ gang gang_of(tlk_team team)
{
    const uint32_t width = tlk_min(team.lanes, 32u), lane = threadIdx.x % width;
    return {width, lane, threadIdx.x % 32 - lane, tlk_team_mask(team), width};
}

/* Lane `item` < items of a gang: `sum` less what each of `count` parts leaves of it, in order.
 * `usual`: the number of items, where compilers know it; else 0. */
template <uint32_t usual, class leaving>
static __device__ __forceinline__ double gang_less(gang own, uint32_t any, uint32_t count,
                                                   double sum, leaving part)
{
    const uint32_t items = usual ? usual : any;
    const uint32_t each = own.size / items; /* parts at a time */
    const uint32_t item = own.lane % items, mine = own.lane / items;
    const uint32_t most = __reduce_max_sync(own.all, tlk_min(each, count));
    const uint32_t rounds = __reduce_max_sync(own.all, (count + each - 1) / each);
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t k = round * each + mine;
        const double less = mine < each && k < count ? part(k, item) : 0.0;
#pragma unroll 4
        for (uint32_t t = 0; t < most; t++) {
            const uint32_t from = own.first + t * items + item, team = own.width - 1;
            const double left = __shfl_sync(own.all, less, (own.first & ~team) | (from & team));
            if (t < each)
                sum -= left;
        }
    }
    return sum;
}

/* The numbers of a gang's lanes: rows of a node, in each lane. */
template <uint32_t rows>
static __device__ __forceinline__ void gang_gather(gang own, double y, double *all)
{
#pragma unroll
    for (uint32_t k = 0; k < rows; k++)
        all[k] = __shfl_sync(own.all, y, own.first + k);
}

/* Row `lane` of L^-1 y, or `back` of L'^-1 y, y by lane; `rows`: of a node, at most. */
template <uint32_t rows, bool back>
static __device__ __forceinline__ double gang_triangle(gang own, const double *block, uint32_t n,
                                                       uint32_t plain, double y)
{
    double all[rows], mine = y;
    gang_gather<rows>(own, y, all);
#pragma unroll
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t k = back ? rows - 1 - i : i;
#pragma unroll
        for (uint32_t j = back ? k + 1 : 0; j < (back ? rows : k); j++)
            if ((back ? k : j) >= plain && (back ? j : k) < n)
                all[k] -= block[back ? j * n + k : k * n + j] * all[j];
        if (k == own.lane)
            mine = all[k];
    }
    return mine;
}

/* What earlier nodes leave of a row of a node's x. */
static __device__ __forceinline__ double gang_source(const tlk_joints &g, tlk_source source,
                                                     uint32_t r)
{
    const double *x = g.x + source.vector, *below = g.block + source.block;
    if (source.size == 6)
        return tlk_all_zero(x) ? 0.0 : tlk_dots(below + 6 * r, x, 6);
    return source.size == 3 ? tlk_dots(below + 3 * r, x, 3)
                            : tlk_dots(below + (size_t)r * source.size, x, source.size);
}

/* The most rows that a node of the team's warp has links to. */
static __device__ __forceinline__ uint32_t gang_widest(const tlk_joints &g, gang own,
                                                       const tlk_node &node, uint32_t links)
{
    uint32_t widest = 1;
    for (uint32_t l = own.lane; l < links; l += own.size)
        widest = tlk_max(widest, g.link[node.links + l].size);
    return __reduce_max_sync(own.all, widest);
}

/* Substitution at a node, forwards or back. `usual`: the size of all nodes that a warp has, where
 * it is 3; else 0. */
template <uint32_t usual, bool back>
static __device__ __forceinline__ void gang_substitute(const tlk_joints &g, gang own,
                                                       const tlk_node &node, bool there)
{
    const uint32_t n = usual ? usual : node.size, plain = !usual && tlk_node_alone(&node) ? 3 : 0;
    const uint32_t links = there ? node.last - node.links : 0;
    const uint32_t sources = there ? node.sources_end - node.sources : 0;
    const uint32_t widest = back ? gang_widest(g, own, node, links) : 1;
    const double *block = g.block + node.block;
    const bool mine = there && own.lane < n;
    const double x = mine ? g.x[node.vector + own.lane] : 0;
    const double pivot = mine ? block[own.lane * n + own.lane] : 0;
    double y = gang_less<usual>(
        own, n, back ? links * widest : sources, back ? 0.0 : x, [&](uint32_t k, uint32_t item) {
            if (!back)
                return gang_source(g, g.source[node.sources + k], item);
            const tlk_link link = g.link[node.links + k / widest];
            const uint32_t r = k % widest;
            return r < link.size ? -(g.block[link.block + r * n + item] * g.x[link.vector + r])
                                 : 0.0;
        });
    if (back)
        y = x - y * pivot;
    y = gang_triangle < usual ? usual : TLK_NODE, back > (own, block, n, plain, y);
    if (mine)
        g.x[node.vector + own.lane] = back ? y : y * pivot;
}

/* What an earlier node of size n leaves of an entry of a block, as tlk_factor_less() has it. */
static __device__ __forceinline__ double gang_entry(const double *own, uint32_t n,
                                                    const double *one, const double *two)
{
    double scaled[TLK_NODE];
    if (n == 3 || n == 6) {
#pragma unroll
        for (uint32_t k = 0; k < 6; k++)
            if (k < n)
                scaled[k] = one[k] * own[k * n + k];
        return n == 3 ? tlk_dots(scaled, two, 3) : tlk_dots(scaled, two, 6);
    }
    double sum = 0;
    for (uint32_t k = 0; k < n; k++)
        sum += one[k] * own[k * n + k] * two[k];
    return sum;
}

/* What earlier nodes leave of a node's own block, up to the diagonal. */
static __device__ __forceinline__ void gang_own(const tlk_joints &g, gang own, const tlk_node &node,
                                                bool there)
{
    const uint32_t n = node.size, entries = n * (n + 1) / 2;
    const uint32_t sources = there ? node.sources_end - node.sources : 0;
    const uint32_t chunks = __reduce_max_sync(own.all, (entries + own.size - 1) / own.size);
    double *block = g.block + node.block;
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        const uint32_t from = chunk * own.size;
        const uint32_t items = from < entries ? tlk_min(entries - from, own.size) : 1;
        const uint32_t count = from < entries ? sources : 0;
        const uint32_t e = from + own.lane % items;
        uint32_t r = 0;
        while ((r + 1) * (r + 2) / 2 <= e)
            r++;
        const uint32_t c = e - r * (r + 1) / 2;
        const bool mine = count && own.lane < items;
        const double sum = gang_less<0>(
            own, items, count, mine ? block[r * n + c] : 0.0, [&](uint32_t k, uint32_t) {
                const tlk_source source = g.source[node.sources + k];
                const double *y = g.block + source.block;
                return gang_entry(g.block + source.own, source.size, y + r * source.size,
                                  y + c * source.size);
            });
        if (mine)
            block[r * n + c] = sum;
    }
}

/* And of its blocks with later ones: entries by link and row, `widest` of them, and column. */
static __device__ __forceinline__ void gang_below(const tlk_joints &g, gang own,
                                                  const tlk_node &node, uint32_t links,
                                                  uint32_t widest, uint32_t updates)
{
    const uint32_t n = node.size, entries = links * widest * n;
    const uint32_t chunks = __reduce_max_sync(own.all, (entries + own.size - 1) / own.size);
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        const uint32_t from = chunk * own.size;
        const uint32_t items = from < entries ? tlk_min(entries - from, own.size) : 1;
        const uint32_t e = from + own.lane % items, r = e / n % widest, c = e % n;
        const bool there = e < entries;
        const tlk_link *l = g.link + node.links + (there ? e / n / widest : 0);
        const uint32_t size = there ? l->size : 0, first = there ? l->updates : 0;
        const uint32_t count = there && r < size ? l[1].updates - first : 0;
        double *out = there ? g.block + l->block + r * n + c : 0;
        const bool mine = count && own.lane < items;
        const double sum = gang_less<0>(
            own, items, there ? updates : 0, mine ? *out : 0.0, [&](uint32_t k, uint32_t) {
                if (k >= count)
                    return 0.0;
                const tlk_update update = g.update[first + k];
                return gang_entry(g.block + update.own, update.size,
                                  g.block + update.late + r * update.size,
                                  g.block + update.early + c * update.size);
            });
        if (mine)
            *out = sum;
    }
}

static __device__ __forceinline__ void gang_factor(const tlk_joints &g, gang own,
                                                   const tlk_node &node, bool there, bool count)
{
    const uint32_t n = node.size, plain = tlk_node_alone(&node) ? 3 : 0;
    const uint32_t links = there ? node.last - node.links : 0;
    double *block = g.block + node.block;
    const uint32_t widest = gang_widest(g, own, node, links);
    uint32_t updates = 0;
    for (uint32_t l = node.links + own.lane; l < node.links + links; l += own.size)
        updates = tlk_max(updates, g.link[l + 1].updates - g.link[l].updates);
    updates = __reduce_max_sync(own.all, updates);
    gang_own(g, own, node, there);
    gang_below(g, own, node, links, widest, updates);
    __syncwarp(own.all);
    if (there && !own.lane)
        tlk_factor_pivots(&g, &node, n, plain, count);
    __syncwarp(own.all);
    for (uint32_t k = own.lane; k < links * widest; k += own.size) {
        const tlk_link link = g.link[node.links + k / widest];
        if (k % widest < link.size)
            tlk_solve_lower(block, n, plain, g.block + link.block + (size_t)(k % widest) * n);
    }
}

/* tlk_stage_weigh(), a chunk by a warp: each lane has a node, and all add up all, in their order.
 */
static __device__ __forceinline__ void gang_weigh(const tlk_joints &g, const tlk_articulation &a,
                                                  tlk_articulated *how, tlk_team team)
{
    const gang own = gang_of(team);
    double spin = 0;
    for (uint32_t first = a.node + team.lane / own.size * TLK_CHUNK; first < a.node_end;
         first += team.lanes / own.size * TLK_CHUNK) {
        const uint32_t end = tlk_min(first + TLK_CHUNK, a.node_end);
        double sum = 0;
        for (uint32_t k = first; k < end; k += own.size) {
            const bool there = k + own.lane < end;
            const double mine = there ? tlk_weigh_node(&g, k + own.lane, &spin) : 0.0;
            for (uint32_t t = 0; t < own.size && k + t < end; t++)
                sum += __shfl_sync(own.all, mine, own.first + t);
        }
        if (!own.lane)
            g.x[g.node[first].vector] = sum;
    }
    tlk_team_most(how, 0, spin, team);
}

/* Nodes [from, to) of a level, in a stage of the elimination. */
static __device__ __forceinline__ void gang_level(const tlk_joints &g, uint32_t from, uint32_t to,
                                                  tlk_team team, bool count)
{
    gang own = gang_of(team);
    own.size = GANG_LEAST;
    while (own.size < 32 && 2 * own.size * (to - from) <= team.lanes)
        own.size *= 2;
    own.lane = team.lane % own.size;
    own.first = threadIdx.x % 32 - own.lane;
    for (uint32_t i = from + team.lane / own.size, base = from; base < to;
         base += team.lanes / own.size, i += team.lanes / own.size) {
        const tlk_node node = g.node[i < to ? i : from];
        const bool usual = __ballot_sync(own.all, node.size == 3) == own.all;
        if (team.stage == TLK_STAGE_FORWARD && usual)
            gang_substitute<3, false>(g, own, node, i < to);
        else if (team.stage == TLK_STAGE_FORWARD)
            gang_substitute<0, false>(g, own, node, i < to);
        else if (team.stage == TLK_STAGE_BACKWARD && usual)
            gang_substitute<3, true>(g, own, node, i < to);
        else if (team.stage == TLK_STAGE_BACKWARD)
            gang_substitute<0, true>(g, own, node, i < to);
        else
            gang_factor(g, own, node, i < to, count);
    }
}

#endif
