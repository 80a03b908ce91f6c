/* Projections among sweeps on a GPU: velocities have hardly changed, factors are there, and one
 * pass is all. What it costs then is how long memory takes, one access after the other, and code
 * that no cache has kept through a sweep. So a block brings an articulation to shared memory all at
 * once and goes through the stages of kernels/joint/project.h in one short piece of code, in which
 * eight lanes share a node, a row each: the same bits. Included by joint.cuh. */
#ifndef TL_BACKEND_CUDA_SWEPT_CUH
#define TL_BACKEND_CUDA_SWEPT_CUH

#include "backend/cuda/bring.cuh"

#define SWEPT_LANES 8u  /* of a node */
#define SWEPT_WARPS 16u /* of a block, at most */
#define SWEPT_ALL   0xffffffffu

static_assert(SWEPT_LANES >= TLK_NODE && 32 % SWEPT_LANES == 0, "each row of a node has a lane");
static_assert(sizeof(tlk_source) == 16 && sizeof(tlk_link) == 16 && sizeof(tlk_node) == 40,
              "they are read as words of 16 and 8 bytes");

/* An articulation in shared memory. */
struct swept {
    double *x, *block;
    const tlk_node *node;
    const uint4 *source, *link; /* tlk_source, tlk_link */
    const uint32_t *body, *level;
};

/* Asks for what is looked at of a joint. */
static __device__ __forceinline__ void swept_ask(const tlk_joints &g, uint32_t i)
{
    const tlk_joint *j = g.joint + i;
    const double *rows = g.jacobian + j->jacobian;
    fetch(rows, rows + 6 * j->rows * j->bodies, 0, 1);
    fetch(g.part + j->first, g.part + j->first + 1, 0, 1);
    fetch(g.bend + j->first, g.bend + j->first + 1, 0, 1);
    fetch(g.aim + j->first, g.aim + j->first + 1, 0, 1);
    for (uint32_t b = 0; b < j->bodies; b++) {
        const real *v = g.vel + 8 * (size_t)j->body[b];
        fetch(v, v + 1, 0, 1);
    }
}

/* Brings it, and asks for what is looked at of joints: it is there when it has landed. `room` is
 * where words of 16 bytes may be. */
static __device__ __forceinline__ swept swept_bring(const tlk_joints &g, const tlk_articulation &a,
                                                    double *room)
{
    const uint32_t nodes = a.node_end - a.node, levels = a.level_end - a.level + 1;
    const uint32_t t = threadIdx.x, all = blockDim.x, numbers = a.block_end - a.block;
    tlk_source *source = (tlk_source *)room;
    tlk_link *link = (tlk_link *)(source + a.links);
    tlk_node *node = (tlk_node *)(link + a.links);
    double *x = (double *)(node + nodes), *block = x + (a.vector_end - a.vector);
    uint32_t *body = (uint32_t *)(block + numbers), *level = body + nodes;
    /* loads that others wait for come first, and are not waited for until all are on their way */
    const uint32_t mine = a.joint + t < a.joint_end ? g.list[a.joint + t] : TLK_NONE;
    const uint32_t whose = t < nodes ? g.node_body[a.node + t] : TLK_NONE;
    const uint32_t begins = t < levels ? g.level[a.level + t] : 0;
    bring(block, g.block + a.block, numbers, t, all);
    bring(node, g.node + a.node, nodes, t, all);
    bring(source, g.source + a.link, a.links, t, all);
    bring(link, g.link + a.link, a.links, t, all);
    for (uint32_t k = a.joint + t; k < a.joint_end; k += all)
        swept_ask(g, k == a.joint + t ? mine : g.list[k]);
    for (uint32_t k = t; k < nodes; k += all)
        body[k] = k == t ? whose : g.node_body[a.node + k];
    for (uint32_t k = t; k < levels; k += all)
        level[k] = k == t ? begins : g.level[a.level + k];
    return {x - a.vector,
            block - a.block,
            node - a.node,
            (const uint4 *)source - a.link,
            (const uint4 *)link - a.link,
            body - a.node,
            level - a.level};
}

/* A lane's place: its row of a node, the first lane of that in the warp, which node it has of those
 * that the block has at once, and how many these are. */
struct swept_lane {
    uint32_t row, first, node, all;
};

static __device__ __forceinline__ swept_lane swept_place(void)
{
    const uint32_t row = threadIdx.x % SWEPT_LANES;
    return {row, threadIdx.x % 32 - row, threadIdx.x / SWEPT_LANES, blockDim.x / SWEPT_LANES};
}

/* What a source leaves of a row of three, as tlk_dots() has it. */
static __device__ __forceinline__ double swept_three(const swept &s, uint4 source, uint32_t row)
{
    const double *below = s.block + source.z + 3 * row, *x = s.x + source.y;
    return below[0] * x[0] + below[1] * x[1] + below[2] * x[2];
}

/* What is left of a row by earlier neighbours [k, end). Those of three rows are taken in fours,
 * whose numbers come side by side. */
static __device__ __forceinline__ double swept_left(const swept &s, uint32_t k, uint32_t end,
                                                    uint32_t zero, uint32_t row, double y)
{
    while (k < end) {
        const uint4 one = s.source[k];
        if (one.x == 3 && k + 3 < end) {
            const uint4 two = s.source[k + 1], three = s.source[k + 2], four = s.source[k + 3];
            if (two.x == 3 && three.x == 3 && four.x == 3) {
                const double a = swept_three(s, one, row), b = swept_three(s, two, row);
                const double c = swept_three(s, three, row), d = swept_three(s, four, row);
                y = y - a - b - c - d;
                k += 4;
                continue;
            }
        }
        const double *below = s.block + one.z + row * one.x, *x = s.x + one.y;
        if (one.x == 3)
            y -= swept_three(s, one, row);
        else if (one.y >= zero && !(one.x == 6 && tlk_all_zero(x)))
            y -= tlk_dots(below, x, one.x);
        k++;
    }
    return y;
}

/* A node of no more than `rows` rows, if it is there: D^-1 L^-1 of what earlier nodes leave.
 * Vectors are 0 before `zero`. */
template <uint32_t rows>
static __device__ __forceinline__ void
swept_forward(const swept &s, swept_lane own, const tlk_node &node, bool there, uint32_t zero)
{
    const uint32_t n = node.size, row = own.row, plain = tlk_node_alone(&node) ? 3 : 0;
    const bool mine = there && row < n;
    const double *block = s.block + node.block + row * n;
    double left[rows], y = 0, pivot = 0;
#pragma unroll
    for (uint32_t k = 0; k + 1 < rows; k++)
        left[k] = mine && k < row && k >= plain ? block[k] : 0;
    if (mine) {
        pivot = block[row];
        y = swept_left(s, node.sources, node.sources_end, zero, row, s.x[node.vector + row]);
    }
#pragma unroll
    for (uint32_t k = 0; k + 1 < rows; k++) {
        const double before = __shfl_sync(SWEPT_ALL, y, own.first + k);
        if (k < row && k >= plain)
            y -= left[k] * before;
    }
    if (mine)
        s.x[node.vector + row] = y * pivot;
}

/* What later neighbours take off a row, before it is divided. */
static __device__ __forceinline__ double swept_below(const swept &s, const tlk_node &node,
                                                     uint32_t row)
{
    double y = 0;
    for (uint32_t l = node.links; l < node.last; l++) {
        const uint4 link = s.link[l];
        const double *below = s.block + link.z + row, *x = s.x + link.y;
        if (link.x == 3)
            y = y + below[0] * x[0] + below[node.size] * x[1] + below[2 * node.size] * x[2];
        else
            for (uint32_t r = 0; r < link.x; r++)
                y += below[r * node.size] * x[r];
    }
    return y;
}

/* And back; `vel`: bodies take it, or NULL. */
template <uint32_t rows>
static __device__ __forceinline__ void swept_backward(const swept &s, swept_lane own,
                                                      const tlk_node &node, bool there,
                                                      uint32_t body, real *vel)
{
    const uint32_t n = node.size, row = own.row, plain = tlk_node_alone(&node) ? 3 : 0;
    const bool mine = there && row < n, moves = mine && vel && body != TLK_NONE;
    const double *block = s.block + node.block + row;
    real *at = moves ? vel + 8 * (size_t)body + (row < 3 ? row : row + 1) : NULL;
    const double v = moves ? (double)*at : 0;
    double right[rows], y = 0;
#pragma unroll
    for (uint32_t k = 1; k < rows; k++)
        right[k] = mine && k > row && k < n && row >= plain ? block[k * n] : 0;
    if (mine)
        y = s.x[node.vector + row] - swept_below(s, node, row) * block[row * n];
#pragma unroll
    for (uint32_t k = rows - 1; k > 0; k--) { /* row k is done */
        right[k] = right[k] * __shfl_sync(SWEPT_ALL, y, own.first + k);
        if (row + 1 == k && row >= plain)
#pragma unroll
            for (uint32_t j = k; j < rows; j++)
                y = j < n ? y - right[j] : y;
    }
    if (mine)
        s.x[node.vector + row] = y;
    if (moves)
        *at = (real)(v + y);
}

/* Nodes [from, to) of a level. */
template <bool back>
static __device__ __forceinline__ void swept_level(const swept &s, uint32_t from, uint32_t to,
                                                   uint32_t zero, real *vel)
{
    const swept_lane own = swept_place();
    for (uint32_t base = from + own.node - own.first / SWEPT_LANES; base < to; base += own.all) {
        const uint32_t i = base + own.first / SWEPT_LANES, k = i < to ? i : base;
        const tlk_node node = s.node[k];
        const bool three = !__any_sync(SWEPT_ALL, node.size > 3);
        if (!back && three)
            swept_forward<3>(s, own, node, i < to, zero);
        else if (!back)
            swept_forward<TLK_NODE>(s, own, node, i < to, zero);
        else if (three)
            swept_backward<3>(s, own, node, i < to, s.body[k], vel);
        else
            swept_backward<TLK_NODE>(s, own, node, i < to, s.body[k], vel);
    }
}

/* All levels, forwards and back; levels of one warp's nodes are for that alone. */
static __device__ __forceinline__ void swept_solve(const swept &s, const tlk_articulation &a,
                                                   bool first, real *vel)
{
    const uint32_t *level = s.level + a.level, levels = a.level_end - a.level;
    const uint32_t zero = first ? 0 : s.node[level[1]].vector;
    for (uint32_t l = first ? 0 : 1; l < levels; l++) {
        swept_level<false>(s, level[l], level[l + 1], zero, NULL);
        __syncthreads();
    }
    for (uint32_t l = levels; l-- > 0;) {
        swept_level<true>(s, level[l], level[l + 1], 0, vel);
        __syncthreads();
    }
}

/* The largest number of all threads, for all of them; none is below 0, and no number is larger than
 * any. `most`: two words per warp. */
static __device__ __forceinline__ double swept_most(double mine, uint2 *most)
{
    union {
        double number;
        uint2 bits;
    } u = {mine != 0 ? mine : 0.0};
    const uint32_t lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int whose = 0; whose < 2; whose++) { /* the warp's, then of all warps */
        const uint32_t high = __reduce_max_sync(SWEPT_ALL, u.bits.y);
        const uint32_t low = __reduce_max_sync(SWEPT_ALL, u.bits.y == high ? u.bits.x : 0);
        u.bits = {low, high};
        if (whose == 0) {
            if (!lane)
                most[threadIdx.x / 32] = u.bits;
            __syncthreads();
            u.bits = lane < warps ? most[lane] : uint2{0, 0};
        }
    }
    return u.number;
}

/* From right-hand sides to velocities; with a second solution where that is to be sifted. */
static __device__ __forceinline__ void swept_pass(const tlk_joints &own, const swept &s,
                                                  const tlk_articulation &a, tlk_articulated &how,
                                                  tlk_team team)
{
    __shared__ uint2 most[2][SWEPT_WARPS];
    const bool first = a.bounded || how.arrest == 1, sifts = tlk_project_sifts(&own, &a, &how);
    bool solves = true;
    for (int pass = sifts ? 0 : 1; pass < 2 && solves; pass++) {
        double worst, speed;
        tlk_lane_sides(&own, &a, team, sifts && pass, &worst, &speed);
        worst = swept_most(worst, most[0]);
        speed = swept_most(speed, most[1]); /* and all meet */
        if (!(sifts && pass)) {
            solves = !(worst <= TLK_JOINT_FINE * speed);
            if (team.lane == 0)
                how.residual = worst;
        }
        if (solves)
            swept_solve(s, a, first, pass ? own.vel : NULL);
    }
    if (solves && (a.bounded || !own.sweeping))
        tlk_stage_impulses(&own, &a, team);
    if (team.lane == 0) {
        how.sifted = solves && sifts;
        how.pass = solves;
        how.stage = TLK_STAGE_END;
    }
    __syncthreads();
}

/* One articulation, by a block. Returns whether it is done: not where there are no such factors. */
static __device__ __forceinline__ bool do_swept(const tlk_joints &g, uint32_t i, double *room)
{
    __shared__ tlk_articulated how;
    const tlk_articulation a = g.articulation[i];
    const uint32_t t = threadIdx.x;
    constexpr uint32_t words = sizeof how / sizeof(uint32_t);
    const tlk_team team = {t, blockDim.x, TLK_STAGE_SIDES, 0};
    uint32_t *outside = (uint32_t *)(g.how + i);
    const uint32_t also = t + blockDim.x, word = t < words ? outside[t] : 0;
    const uint32_t more = also < words ? outside[also] : 0; /* where there is one warp */
    static_assert(words <= 64, "a warp has all of it in two");
    const swept s = swept_bring(g, a, room);
    tlk_joints own = g;
    own.how = &how - i;
    own.x = s.x;
    own.node = s.node;
    own.node_body = s.body;
    if (t < words)
        ((uint32_t *)&how)[t] = word;
    if (also < words)
        ((uint32_t *)&how)[also] = more;
    __syncthreads();
    if (t == 0) {
        tlk_joint_project_begin(&own, i);
        how.sifted = 0;
    }
    landed();
    __syncthreads();
    if (how.stage != TLK_STAGE_END && how.stage != TLK_STAGE_SIDES)
        return false;
    if (how.stage == TLK_STAGE_SIDES) {
        swept_pass(own, s, a, how, team);
        if (t == 0)
            tlk_project_states(&own, &a, &how);
        __syncthreads();
    }
    if (how.stage == TLK_STAGE_STATES) {
        tlk_stage_states(&own, &a, &how, team);
        __syncthreads();
        if (t == 0)
            tlk_joint_project_next(&own, i); /* which ends it: there is one pass */
        __syncthreads();
    }
    for (uint32_t k = t; k < words; k += blockDim.x)
        outside[k] = ((const uint32_t *)&how)[k];
    return true;
}

#endif
