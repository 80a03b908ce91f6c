/* Joints on a GPU, a lane each: a joint, its rows and what is kept of it are structures of some
 * hundred bytes, of which a lane looks at one number after the other. So a warp brings those of its
 * joints to shared memory as one piece, works there, and brings back what it has written. Included
 * by joints.cu, and by a test that runs it without a GPU. */
#ifndef TL_BACKEND_CUDA_STAGED_CUH
#define TL_BACKEND_CUDA_STAGED_CUH

#include "backend/cuda/bring.cuh"

#define STAGED         32u            /* joints of a block: a warp */
#define STAGED_NUMBERS (36u * STAGED) /* of their rows: ball joints of two bodies have 36 */

/* Which kernel it is; whether it writes rows, and reads and writes what is kept; and whether it has
 * nothing to do for a joint in another look. */
struct staged_rows {
    static const bool writes = true, keeps = false;
    static __device__ __forceinline__ bool idle(const tlk_joints *, uint32_t)
    {
        return false;
    }
    static __device__ __forceinline__ void run(const tlk_joints *g, uint32_t i)
    {
        tlk_joint_rows(g, i);
    }
};

struct staged_bend {
    static const bool writes = false, keeps = false;
    static __device__ __forceinline__ bool idle(const tlk_joints *g, uint32_t i)
    {
        const tlk_joint *j = g->joint + i;
        return j->broken || !j->rows || tlk_joint_seen(g, g->how + j->articulation);
    }
    static __device__ __forceinline__ void run(const tlk_joints *g, uint32_t i)
    {
        tlk_joint_bend(g, i);
    }
};

struct staged_store {
    static const bool writes = false, keeps = true;
    static __device__ __forceinline__ bool idle(const tlk_joints *, uint32_t)
    {
        return false;
    }
    static __device__ __forceinline__ void run(const tlk_joints *g, uint32_t i)
    {
        tlk_joint_store(g, i);
    }
};

/* Writes structures back by all lanes of a warp, those alone whose bit is set. */
template <class item>
static __device__ __forceinline__ void staged_back(item *to, const item *from, uint32_t count,
                                                   uint32_t which)
{
    const uint32_t each = sizeof(item) / sizeof(uint64_t), all = count * each;
    static_assert(sizeof(item) % sizeof(uint64_t) == 0, "items are whole words");
    for (uint32_t k = threadIdx.x; k < all; k += STAGED)
        if (which >> k / each & 1)
            ((uint64_t *)to)[k] = ((const uint64_t *)from)[k];
}

static __device__ __forceinline__ void staged_numbers(double *to, const double *from,
                                                      uint32_t count)
{
    for (uint32_t k = threadIdx.x; k < count; k += STAGED)
        to[k] = from[k];
}

/* Joints [first, end), STAGED of them at most. A joint that couples others looks at these, too:
 * where there is one, all stay where they are. */
template <class work>
static __device__ __forceinline__ void do_staged(const tlk_joints &g, uint32_t first, uint32_t end)
{
    __shared__ tlk_joint joints[STAGED];
    __shared__ tlk_joint_memory kept[work::keeps ? STAGED : 1];
    __shared__ double rows[STAGED_NUMBERS];
    const uint32_t count = tlk_min(end - first, STAGED), lane = threadIdx.x, all = 0xffffffffu;
    const bool there = lane < count;
    if (g.look && !__any_sync(all, there && !work::idle(&g, first + lane)))
        return;
    const tlk_joint *begin = g.joint + first, *last = begin + count - 1;
    const uint32_t from = begin->jacobian;
    const uint32_t numbers = last->jacobian + 6 * last->rows * last->bodies - from;
    const bool room = numbers <= STAGED_NUMBERS;
    bring(joints, begin, count, lane, STAGED);
    if (work::keeps)
        bring(kept, g.last + first, count, lane, STAGED);
    if (room)
        bring(rows, g.jacobian + from, numbers, lane, STAGED);
    landed();
    __syncwarp();
    const bool near = !__any_sync(all, there && joints[lane].coupled[0] != TLK_NONE);
    tlk_joints own = g;
    if (near)
        own.joint = joints - first;
    if (near && work::keeps)
        own.last = own.next = kept - first;
    if (room)
        own.jacobian = rows - from;
    if (there)
        work::run(&own, first + lane);
    __syncwarp();
    const bool ran = there && tlk_joint_kick(&g, joints + lane) > 0;
    const uint32_t done = __ballot_sync(all, ran); /* the others are not to change in this half */
    if (room && work::writes)
        staged_numbers(g.jacobian + from, rows, numbers);
    if (near && work::keeps)
        staged_back(g.next + first, kept, count, done);
}

#endif
