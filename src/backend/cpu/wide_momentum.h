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

/* Whether a packet has a row: most pairs have fewer points than items have rows. */
WIDE bool momentum_here(const tlk_momentum *m, size_t rows)
{
    const eight_words a = *(const eight_words *)(m->problem.a + TLK_LANES * rows);
    return _mm256_movemask_ps((__m256)(a != TLK_NONE)) != 0;
}

static void wide_momentum_begin(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_momentum m = *(const tlk_momentum *)args;
    for (uint32_t i = begin; i < end; i++) {
        const size_t at = tlk_momentum_at(&m, i);
        if (!momentum_here(&m, tlk_momentum_packet(&m, i / 3)))
            continue;
        *(packet *)(m.from + at) = *(packet *)(m.last_gamma + at) = *(packet *)(m.gamma + at);
        if (m.moment)
            *(packet *)(m.last_moment + at) = *(packet *)(m.moment + at);
    }
}

static void wide_momentum_rows(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_momentum m = *(const tlk_momentum *)args;
    const real beta = (real)m.pace->beta;
    for (uint32_t i = begin; i < end; i++) {
        const size_t at = tlk_momentum_at(&m, i);
        if (!momentum_here(&m, tlk_momentum_packet(&m, i / 3)))
            continue;
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

/* What the rows of a packet add to the sum of item i; those that are padded add +0. */
WIDE dvec momentum_parts(const tlk_momentum *m, uint32_t i)
{
    const size_t at = tlk_momentum_at(m, i), row = TLK_LANES * tlk_momentum_packet(m, i / 3);
    const eight_words a = *(const eight_words *)(m->problem.a + row);
    const dvec from = __builtin_convertvector(*(const packet *)(m->from + at), dvec);
    const dvec now = __builtin_convertvector(*(const packet *)(m->gamma + at), dvec);
    const dvec last = __builtin_convertvector(*(const packet *)(m->last_gamma + at), dvec);
    const dvec_bits here = __builtin_convertvector(a != TLK_NONE, dvec_bits);
    return (dvec)((dvec_bits)((from - now) * (now - last)) & here);
}

/* The sums of eight items, each in the order of rows. */
WIDE dvec momentum_sums(dvec part[TLK_LANES])
{
    dvec sum = {0};
#if defined(__AVX512F__)
    dvec_transpose(part);
    for (uint32_t k = 0; k < TLK_LANES; k++)
        sum += part[k];
#else
    for (uint32_t k = 0; k < TLK_LANES; k++)
        for (uint32_t l = 0; l < TLK_LANES; l++)
            sum[k] += part[k][l];
#endif
    return sum;
}

static void wide_momentum_turn(const void *args, uint32_t begin, uint32_t end, double *numbers)
{
    const tlk_momentum m = *(const tlk_momentum *)args;
    double lanes[TLK_LANES][TLK_FOLD_NUMBERS];
    dvec acc = {0};
    start_lanes(1, "s", lanes);
    for (uint32_t i = begin; i < end; i += TLK_LANES) {
        dvec part[TLK_LANES];
        for (uint32_t k = 0; k < TLK_LANES; k++) {
            const bool here =
                i + k < end && momentum_here(&m, tlk_momentum_packet(&m, (i + k) / 3));
            part[k] = here ? momentum_parts(&m, i + k) : (dvec){0};
        }
        acc += momentum_sums(part);
    }
    for (uint32_t l = 0; l < TLK_LANES; l++)
        lanes[l][0] += acc[l];
    fold_lanes(1, "s", lanes, numbers);
}

#endif
