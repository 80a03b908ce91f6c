/* Momentum (kernels/momentum.h), a packet at a time. */
#ifndef TL_BACKEND_CPU_WIDE_MOMENTUM_H
#define TL_BACKEND_CPU_WIDE_MOMENTUM_H

#include "backend/cpu/vec.h"

/* tlk_beyond() */
WIDE packet packet_beyond(real *last, packet now, real beta)
{
    const packet further = beta * (now - *(const packet *)last);
    *(packet *)last = now;
    return further;
}

static void wide_momentum_rows(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_momentum m = *(const tlk_momentum *)args;
    const real beta = (real)m.pace->beta;
    for (uint32_t i = begin; i < end; i++) {
        const size_t at = tlk_momentum_at(&m, i);
        packet *gamma = (packet *)(m.gamma + at);
        const packet push = packet_beyond(m.last_gamma + at, *gamma, beta);
        if (m.joined)
            *(packet *)(m.problem.gamma + at) = push;
        *gamma = *gamma + push;
        *(packet *)(m.from + at) = *gamma;
        if (m.moment) {
            packet *moment = (packet *)(m.moment + at);
            const packet turn = packet_beyond(m.last_moment + at, *moment, beta);
            if (m.joined)
                *(packet *)(m.problem.moment + at) = turn;
            *moment = *moment + turn;
        }
    }
}

static void wide_momentum_block(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_momentum m = *(const tlk_momentum *)args;
    const real beta = (real)m.pace->beta;
    for (uint32_t i = begin; i < end && i < m.problem.moving; i++) { /* inverse masses stay */
        packet *v = (packet *)(m.problem.vel + 8 * (size_t)i);
        if (!tlk_momentum_holds(&m, i))
            continue;
        const packet next = *v + packet_beyond(m.last_vel + 8 * (size_t)i, *v, beta);
        *v = __builtin_shufflevector(next, *v, 0, 1, 2, 11, 4, 5, 6, 15);
    }
    for (uint32_t i = begin; i < end && i < m.joint_rows; i++) {
        const double now = m.lambda[i];
        m.lambda[i] = now + m.pace->beta * (now - m.last_lambda[i]);
        m.last_lambda[i] = now;
    }
}

/* Sums of a packet are in the order of its rows; those that are padded add +0. */
static void wide_momentum_turn(const void *args, uint32_t begin, uint32_t end, double *numbers)
{
    typedef uint32_t words __attribute__((vector_size(32), aligned(4), may_alias));
    const tlk_momentum m = *(const tlk_momentum *)args;
    double lanes[TLK_LANES][TLK_FOLD_NUMBERS];
    start_lanes(1, "s", lanes);
    for (uint32_t i = begin; i < end; i++) {
        const size_t at = tlk_momentum_at(&m, i);
        const dvec from = __builtin_convertvector(*(const packet *)(m.from + at), dvec);
        const dvec now = __builtin_convertvector(*(const packet *)(m.gamma + at), dvec);
        const dvec last = __builtin_convertvector(*(const packet *)(m.last_gamma + at), dvec);
        const words a = *(const words *)(m.problem.a + TLK_LANES * tlk_momentum_packet(&m, i / 3));
        const dvec_bits here = __builtin_convertvector(a != TLK_NONE, dvec_bits);
        const dvec part = (dvec)((dvec_bits)((from - now) * (now - last)) & here);
        double sum = 0;
        for (int k = 0; k < 8; k++)
            sum += part[k];
        lanes[i % TLK_LANES][0] += sum;
    }
    fold_lanes(1, "s", lanes, numbers);
}

#endif
