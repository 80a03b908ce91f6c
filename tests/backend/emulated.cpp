/* The search, the sweeps and the teams of the CUDA backend, compiled for the host (emulate.h), for
 * one precision. Called by test_emulated.c, test_emulated_sweeps.c and test_emulated_joints.c. */
#include "emulate.h"

#include "kernels/contacts.h"
#include "kernels/joint.h"
#include "kernels/look.h"
#include "kernels/momentum.h"
#include "kernels/penalty/whole.h"
#include "kernels/solve.h"

#include "backend/backend.h"
#include "backend/cuda/find.cuh"

#if !defined(TLK_PRECISION_double)
/* As word.cuh. */
static void load_word(const real *from, real *to)
{
    memcpy(to, from, 4 * sizeof *to);
}

static void store_word(real *to, const real *from)
{
    memcpy(to, from, 4 * sizeof *to);
}
#endif

#include "backend/cuda/fold.cuh"
#include "backend/cuda/joint.cuh"
#include "backend/cuda/momentum.cuh"
#include "backend/cuda/staged.cuh"
#include "backend/cuda/sweep.cuh"
#include "backend/cuda/whole.cuh"

#if defined(TLK_PRECISION_double)
#define NAME(what) what##_double
#else
#define NAME(what) what##_mixed
#endif

/* The stages that the backend has a layout of its own for, in their order. */
extern "C" void NAME(emulated)(uint32_t stage, const void *args, uint32_t count)
{
    static void (*const stages[])(const void *, uint32_t, uint32_t, bool, cudaStream_t) = {
        tuned_bounds, tuned_bin_fill, tuned_contact_count, tuned_contact_write};
    stages[stage](args, 0, count, false, 0);
}

/* A substep of penalty contact, or which of its pairs are near. */
extern "C" void NAME(emulated_whole)(bool choose, const void *args, uint32_t count)
{
    (choose ? tuned_penalty_choose : tuned_penalty_whole)(args, 0, count, false, 0);
}

/* The fold over these entries; both numbers are exact in any order. */
extern "C" void NAME(emulated_fresh)(const void *args, uint32_t count, double *numbers)
{
    for (uint32_t i = 0; i < count; i++)
        tlk_fresh_pairs((const tlk_find *)args, i, numbers);
}

template <int kind>
static void sweep_as(const tlk_problem &p, const sweep_ranges &ranges, uint32_t repeats, int how)
{
    if (how == 0)
        run_together(1, 96, [&] { block_sweeps<kind>(p, ranges, repeats); });
    else
        run_together(3, 64, [&] { grid_sweeps<kind>(p, ranges, repeats); });
}

template <int kind>
static void flow_as(const tlk_problem &p, const sweep_ranges &ranges, uint32_t repeats, int how)
{
#if defined(FLOW)
    if (how == 2 && p.turns) {
        const flow_colours colours = colours_of(p);
        run_together(3, 64, [&] { flow_sweeps<kind>(p, ranges, repeats, colours); });
        return;
    }
#endif
    sweep_as<kind>(p, ranges, repeats, how);
}

/* All sweeps of a list of launches: by one block, by a grid, or row by row. Returns their kind. */
extern "C" int NAME(emulated_sweeps)(const tl_launch *launches, size_t count, uint32_t repeats,
                                     int how)
{
    const tlk_problem p = *(const tlk_problem *)launches[0].args;
    const int kind = sweep_kind(launches, count);
    sweep_ranges ranges;
    list_ranges(launches, count, &ranges);
    switch (kind) {
    case ANY_ROWS: sweep_as<ANY_ROWS>(p, ranges, repeats, how); break;
    case ANY_START: sweep_as<ANY_START>(p, ranges, repeats, how); break;
    case CENTRAL_COULOMB: flow_as<CENTRAL_COULOMB>(p, ranges, repeats, how); break;
    case CENTRAL_NORMAL: flow_as<CENTRAL_NORMAL>(p, ranges, repeats, how); break;
    case CENTRAL_START: flow_as<CENTRAL_START>(p, ranges, repeats, how); break;
    case WALLS_COULOMB: flow_as<WALLS_COULOMB>(p, ranges, repeats, how); break;
    case WALLS_START: flow_as<WALLS_START>(p, ranges, repeats, how); break;
    case MIXED_COULOMB: flow_as<MIXED_COULOMB>(p, ranges, repeats, how); break;
    case MIXED_NORMAL: flow_as<MIXED_NORMAL>(p, ranges, repeats, how); break;
    case MIXED_START: flow_as<MIXED_START>(p, ranges, repeats, how); break;
    case POINTS_COULOMB: flow_as<POINTS_COULOMB>(p, ranges, repeats, how); break;
    case POINTS_NORMAL: flow_as<POINTS_NORMAL>(p, ranges, repeats, how); break;
    case POINTS_START: flow_as<POINTS_START>(p, ranges, repeats, how); break;
    case MATERIAL_COULOMB: flow_as<MATERIAL_COULOMB>(p, ranges, repeats, how); break;
    case MATERIAL_START: flow_as<MATERIAL_START>(p, ranges, repeats, how); break;
    default: abort();
    }
    return kind;
}

/* Articulations [0, count), projected or assembled: by blocks of so many threads each, by so many
 * threads of a warp, or, 0, by all threads of a grid. */
template <class work> static void teams_as(const tlk_joints &g, uint32_t count, uint32_t lanes)
{
    alignas(16) static double room[1 << 14];
    const uint32_t sharing = lanes && lanes < 32 ? 32 / lanes : 1;
    /* with room but where eight threads have an articulation */
    const uint32_t size = lanes == 8 ? 0 : sizeof room / sizeof *room / sharing;
    for (uint32_t i = 0; i < count; i += sharing) {
        if (!lanes)
            run_together(3, 64, [&] {
                const tlk_team team = {blockIdx.x * blockDim.x + threadIdx.x,
                                       gridDim.x * blockDim.x, 0, 0};
                do_team<work>(
                    g, i, team, 32u, [] { __syncthreads(); }, [] { __syncwarp(); });
            });
        else
            run_together(1, lanes < 32 ? 32 : lanes, [&] {
                if (i + threadIdx.x / lanes < count)
                    do_block_team<work>(g, i + threadIdx.x / lanes, lanes, room, size);
            });
    }
}

extern "C" void NAME(emulated_teams)(const void *args, uint32_t count, uint32_t lanes,
                                     bool assembly)
{
    const tlk_joints g = *(const tlk_joints *)args;
    if (assembly)
        teams_as<assembling>(g, count, lanes);
    else
        teams_as<projecting>(g, count, lanes);
}

/* Joints [0, count), one at a time: rows, bends, what is stored. */
extern "C" void NAME(emulated_joints)(uint32_t which, const void *args, uint32_t count)
{
    const tlk_joints g = *(const tlk_joints *)args;
    run_grid((count + STAGED - 1) / STAGED, STAGED, [&] {
        const uint32_t first = blockIdx.x * STAGED;
        if (which == 0)
            do_staged<staged_rows>(g, first, count);
        else if (which == 1)
            do_staged<staged_bend>(g, first, count);
        else
            do_staged<staged_store>(g, first, count);
    });
}

/* Momentum after a sweep: the launches of solve/psor.c, with room for parts behind the numbers. */
extern "C" void NAME(emulated_momentum)(const tl_launch *launches)
{
    const tl_folding *fold = (const tl_folding *)launches[0].args;
    const tlk_momentum m = *(const tlk_momentum *)launches[1].args;
    const uint32_t numbers = TLK_LANES * launches[2].end;
    run_in_turn(tl_fold_chunks(fold->count), TLK_FOLD_CHUNK,
                [&] { momentum_turns(m, fold->count, fold->numbers + TLK_FOLD_NUMBERS); });
    run_grid((numbers + THREADS - 1) / THREADS, THREADS, [&] { momentum_moves(m, numbers); });
}
