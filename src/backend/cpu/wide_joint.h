/* Projections and assemblies where many of them have the same factors, as among sweeps: by vectors,
 * one node after the other. A lane is a row of the node, and sums of a row are in the order of
 * kernels/joint/factor.h and project.h, so that bits are theirs. What lies there across the lanes
 * is copied once, as columns; an articulation that threads share has none. */
#ifndef TL_BACKEND_CPU_WIDE_JOINT_H
#define TL_BACKEND_CPU_WIDE_JOINT_H

#include "backend/cpu/vec.h"

/* tlk_articulated.turned */
#define TURNED      1u
#define TURNED_HARD 2u /* and all rows hold */

typedef double dvec_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double dvec_two __attribute__((vector_size(16), aligned(8), may_alias));

/* The first n of eight numbers, and 0. Others are not looked at: they may be another thread's. */
WIDE dvec dvec_get(const double *from, uint32_t n)
{
#if defined(__AVX512F__)
    return (dvec)_mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), from);
#else
    static const int64_t bits[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    union {
        __m256d half[2];
        dvec v;
    } u;
    for (int k = 0; k < 2; k++)
        u.half[k] = _mm256_maskload_pd(from + 4 * k,
                                       _mm256_loadu_si256((const void *)(bits + 8 - n + 4 * k)));
    return u.v;
#endif
}

/* The same of what has just been stored beside others: a load that touches these waits until they
 * have left the core, and masks do not help. */
WIDE dvec dvec_get_some(const double *from, uint32_t n)
{
    dvec v = {0};
    if (n >= 4) {
        const dvec_four low = *(const dvec_four *)from;
        v = __builtin_shufflevector(low, low, 0, 1, 2, 3, 0, 1, 2, 3);
    }
    for (uint32_t k = n & ~3u; k < n; k++)
        v[k] = from[k];
    return v;
}

/* n numbers are written, and no others. */
WIDE void dvec_put(double *to, dvec v, uint32_t n)
{
    if (n >= 4)
        *(dvec_four *)to = __builtin_shufflevector(v, v, 0, 1, 2, 3);
    if ((n & 3) >= 2)
        *(dvec_two *)(to + (n & 4)) =
            n >= 4 ? __builtin_shufflevector(v, v, 4, 5) : __builtin_shufflevector(v, v, 0, 1);
    if (n & 1)
        to[n - 1] = v[n - 1];
    if (n == 8)
        *(dvec_four *)(to + 4) = __builtin_shufflevector(v, v, 4, 5, 6, 7);
}

/* y where lanes are up to c, else x. */
WIDE dvec dvec_beyond(dvec y, dvec x, uint32_t c)
{
#if defined(__AVX512F__)
    return (dvec)_mm512_mask_mov_pd((__m512d)y, (__mmask8)(0xfeu << c), (__m512d)x);
#else
    const dvec_bits lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return dvec_select(lane > (int64_t)c, x, y);
#endif
}

/* The first n as they are, nothing in the others. */
WIDE dvec dvec_first(dvec v, uint32_t n)
{
    const dvec_bits lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return (dvec)((dvec_bits)v & (lane < (int64_t)n));
}

/* Lane by lane as tlk_most(), of numbers that are not below 0. */
WIDE dvec dvec_most(dvec most, dvec x)
{
#if defined(__AVX512F__) /* x where one is no number */
    return (dvec)_mm512_max_pd((__m512d)most, (__m512d)x);
#else
    return dvec_select(x <= most, most, x);
#endif
}

WIDE double dvec_most_of(dvec v)
{
    double most = v[0];
    for (int k = 1; k < 8; k++)
        most = tlk_most(most, v[k]);
    return most;
}

/* Columns times numbers, as tlk_dots() adds them up. */
WIDE dvec dvec_dots(const double *column, uint32_t n, const double *x, uint32_t size)
{
    if (size == 3)
        return dvec_get(column, n) * x[0] + dvec_get(column + n, n) * x[1] +
               dvec_get(column + 2 * (size_t)n, n) * x[2];
    if (size == 6)
        return dvec_dots(column, n, x, 3) + dvec_dots(column + 3 * (size_t)n, n, x + 3, 3);
    dvec sum = {0};
    for (uint32_t c = 0; c < size; c++)
        sum += dvec_get(column + (size_t)c * n, n) * x[c];
    return sum;
}

/* Columns of a block of n rows. */
WIDE double *turn_block(const double *block, uint32_t n, uint32_t columns, double *to)
{
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t r = 0; r < n; r++)
            *to++ = block[(size_t)r * columns + c];
    return to;
}

/* Whether all rows of a joint hold. */
WIDE bool all_hard(const tlk_joints *g, const tlk_joint *j)
{
    uint32_t others = 0;
    for (uint32_t r = 0; r < j->rows; r++)
        others |= g->part[j->first + r] ^ TLK_ROW_HARD;
    return !others;
}

/* The copies: of rows of joints, of what nodes divide by, and of blocks from the second level on, a
 * node's own and those with its earlier neighbours. */
TL_NARROW void turn_articulation(const tlk_joints *g, const tlk_articulation *a,
                                 tlk_articulated *how)
{
    double *to = g->turned + a->block;
    how->turned = TURNED_HARD;
    for (uint32_t k = a->joint; k < a->joint_end; k++) {
        const tlk_joint *j = g->joint + g->list[k];
        if (!all_hard(g, j))
            how->turned = TURNED;
        turn_block(g->jacobian + j->jacobian, j->rows, 6 * j->bodies, g->columns + j->jacobian);
    }
    for (uint32_t i = a->node; i < a->node_end; i++) {
        const tlk_node *node = g->node + i;
        const double *own = g->block + node->block;
        for (uint32_t k = 0; k < node->size; k++)
            g->divisor[node->vector + k] = own[(size_t)k * node->size + k];
        if (i < g->level[a->level + 1])
            continue;
        to = turn_block(own, node->size, node->size, to);
        for (uint32_t s = node->sources; s < node->sources_end; s++)
            to = turn_block(g->block + g->source[s].block, node->size, g->source[s].size, to);
    }
}

/* tlk_forward() of what is in y, with the node's columns; returns those of the next one. Vectors
 * are 0 before `first`. */
WIDE const double *turned_forward(const tlk_joints *g, const tlk_node *node, uint32_t n,
                                  uint32_t first, const double *column, dvec y)
{
    const double *own = column;
    column += (size_t)n * n;
    for (uint32_t s = node->sources; s < node->sources_end; s++) {
        const uint32_t size = g->source[s].size;
        const double *x = g->x + g->source[s].vector;
        if (g->source[s].vector < first) /* all 0 */
            ;
        else if (size == 5)
            y -= dvec_dots(column, n, x, 5);
        else if (size == 3)
            y -= dvec_dots(column, n, x, 3);
        else if (size != 6)
            y -= dvec_dots(column, n, x, size);
        else if (!tlk_all_zero(x))
            y -= dvec_dots(column, n, x, 6);
        column += (size_t)n * size;
    }
    for (uint32_t c = 0; c + 1 < n; c++) /* L^-1, column by column */
        y = dvec_beyond(y, y - dvec_get(own + (size_t)c * n, n) * y[c], c);
    dvec_put(g->x + node->vector, y * dvec_get(g->divisor + node->vector, n), n);
    return column;
}

/* What later nodes take off a node of size n. */
WIDE dvec turned_below(const tlk_joints *g, const tlk_node *node, uint32_t n)
{
    dvec y = {0};
    for (uint32_t l = node->links; l < node->last; l++) {
        const tlk_link link = g->link[l];
        const double *below = g->block + link.block, *other = g->x + link.vector;
        if (link.size == 5)
            for (uint32_t r = 0; r < 5; r++)
                y += dvec_get(below + (size_t)r * n, n) * other[r];
        else if (link.size == 3)
            for (uint32_t r = 0; r < 3; r++)
                y += dvec_get(below + (size_t)r * n, n) * other[r];
        else
            for (uint32_t r = 0; r < link.size; r++)
                y += dvec_get(below + (size_t)r * n, n) * other[r];
    }
    return y * dvec_get(g->divisor + node->vector, n);
}

/* tlk_backward() */
WIDE void turned_backward(const tlk_joints *g, const tlk_node *node, uint32_t n, uint32_t plain)
{
    double *x = g->x + node->vector;
    union {
        dvec v;
        double y[8];
    } u;
    u.v = dvec_get_some(x, n) - turned_below(g, node, n);
    tlk_solve_upper(g->block + node->block, n, plain, u.y);
    for (uint32_t k = 0; k < n; k++)
        x[k] = u.y[k];
}

/* Where vectors of the second level begin. */
WIDE uint32_t turned_first(const tlk_joints *g, const tlk_articulation *a)
{
    const uint32_t second = g->level[a->level + 1];
    return second < a->node_end ? g->node[second].vector : a->vector_end;
}

/* From the second level on; `zero`: there is nothing in the first. */
TL_NARROW void turned_forwards(const tlk_joints *g, const tlk_articulation *a, bool zero)
{
    const uint32_t second = g->level[a->level + 1];
    const uint32_t first = zero ? turned_first(g, a) : a->vector;
    const double *column = g->turned + a->block;
    for (uint32_t i = second; i < a->node_end; i++) {
        const tlk_node *node = g->node + i;
        const double *x = g->x + node->vector;
        if (node->size == 5)
            column = turned_forward(g, node, 5, first, column, dvec_get_some(x, 5));
        else if (node->size == 3)
            column = turned_forward(g, node, 3, first, column, dvec_get_some(x, 3));
        else
            column =
                turned_forward(g, node, node->size, first, column, dvec_get_some(x, node->size));
    }
}

/* A node, not of a body that goes before its joints. */
WIDE void turned_backward_one(const tlk_joints *g, const tlk_node *node)
{
    if (node->size == 5)
        turned_backward(g, node, 5, 0);
    else if (node->size == 3)
        turned_backward(g, node, 3, 0);
    else
        turned_backward(g, node, node->size, 0);
}

TL_NARROW void turned_backwards(const tlk_joints *g, const tlk_articulation *a)
{
    for (uint32_t i = a->node_end; i-- > a->node;) {
        const tlk_node *node = g->node + i;
        if (tlk_node_alone(node))
            turned_backward(g, node, 6, 3);
        else
            turned_backward_one(g, node);
    }
}

/* tlk_joint_sides() of a joint whose rows all hold: the right-hand side; `most`: of the sizes. */
WIDE dvec turned_side(const tlk_joints *g, const tlk_joint *j, uint32_t n, bool sift, dvec *most)
{
    const double *column = g->columns + j->jacobian;
    dvec rate = {0};
    for (uint32_t b = 0; b < j->bodies; b++, column += 6 * (size_t)n) {
        const real *v = g->vel + 8 * (size_t)j->body[b];
        for (uint32_t k = 0; k < 3; k++)
            rate += dvec_get(column + k * n, n) * (double)v[k] +
                    dvec_get(column + (3 + k) * n, n) * (double)v[4 + k];
    }
    dvec side = -rate;
    if (!tlk_joint_plain(g)) {
        const dvec bend = {0};
        side -= g->how[j->articulation].straight ? bend : dvec_get(g->bend + j->first, n);
        side += dvec_get(g->aim + j->first, n);
    }
    *most = dvec_most(*most, dvec_first(dvec_abs(side), n));
    if (sift)
        side += dvec_get(g->soft + j->first, n) * dvec_get(g->x + j->vector, n);
    return side;
}

/* tlk_body_speed(), in the first three lanes. */
WIDE dvec turned_speed(const tlk_joints *g, uint32_t body, dvec most)
{
    const dvec v = __builtin_convertvector(*(const packet *)(g->vel + 8 * (size_t)body), dvec);
    const dvec size = dvec_abs(v);
    return dvec_most(most, size + __builtin_shufflevector(size, size, 4, 5, 6, 7, 4, 5, 6, 7));
}

/* tlk_stage_sides() */
TL_NARROW void turned_stage_sides(const tlk_joints *g, const tlk_articulation *a,
                                  tlk_articulated *how, tlk_team team)
{
    const bool sift = team.stage == TLK_STAGE_SIFT, bounded = a->bounded && !tlk_joint_plain(g);
    double worst = 0;
    dvec most = {0}, speed = {0};
    for (uint32_t k = a->node; k < a->node_end; k++) {
        if (g->node_body[k] == TLK_NONE)
            continue;
        tlk_body_sides(g, g->node + k, bounded);
        speed = turned_speed(g, g->node_body[k], speed);
    }
    for (uint32_t k = a->joint; k < a->joint_end; k++) {
        const uint32_t i = g->list[k];
        const tlk_joint *j = g->joint + i;
        if (how->turned != TURNED_HARD && !all_hard(g, j))
            worst = tlk_most(worst, tlk_joint_sides(g, i, 0, sift));
        else if (j->rows == 5)
            dvec_put(g->x + j->vector, turned_side(g, j, 5, sift, &most), 5);
        else
            dvec_put(g->x + j->vector, turned_side(g, j, j->rows, sift, &most), j->rows);
    }
    tlk_team_most(how, 0, tlk_most(worst, dvec_most_of(most)), team);
    tlk_team_most(how, 1, dvec_most_of(dvec_first(speed, 3)), team);
}

/* What was solved comes to a body. */
WIDE void turned_move(const tlk_joints *g, uint32_t body, dvec x)
{
    packet *v = (packet *)(g->vel + 8 * (size_t)body);
    const dvec zero = {0}, more = __builtin_shufflevector(x, zero, 0, 1, 2, 8, 3, 4, 5, 8);
    *v = __builtin_convertvector(__builtin_convertvector(*v, dvec) + more, packet);
}

/* tlk_stage_apply(), where all rows hold. Among sweeps nobody looks at their impulses: those of
 * rows with one state are found after them. */
TL_NARROW void turned_stage_apply(const tlk_joints *g, const tlk_articulation *a)
{
    for (uint32_t k = a->node; k < a->node_end; k++) {
        if (g->node_body[k] == TLK_NONE)
            continue;
        turned_move(g, g->node_body[k], dvec_get_some(g->x + g->node[k].vector, 6));
    }
    if (g->positions || g->mode >= TLK_PROJECT_NOTHING || (g->sweeping && !a->bounded))
        return;
    for (uint32_t k = a->joint; k < a->joint_end; k++) {
        const tlk_joint *j = g->joint + g->list[k];
        for (uint32_t r = 0; r < j->rows; r++)
            g->lambda[j->first + r] -= g->x[j->vector + r];
    }
}

/* Right-hand sides of joints and forward substitution, node after node. Returns the largest. */
TL_NARROW double swept_forwards(const tlk_joints *g, const tlk_articulation *a)
{
    const uint32_t first = turned_first(g, a);
    const double *column = g->turned + a->block;
    dvec most = {0};
    for (uint32_t i = g->level[a->level + 1]; i < a->node_end; i++) {
        const tlk_node *node = g->node + i;
        const tlk_joint *j = g->joint + node->joint;
        const dvec none = {0};
        if (node->joint == TLK_NONE)
            column = turned_forward(g, node, 6, first, column, none);
        else if (node->size == 5)
            column = turned_forward(g, node, 5, first, column, turned_side(g, j, 5, false, &most));
        else if (node->size == 3)
            column = turned_forward(g, node, 3, first, column, turned_side(g, j, 3, false, &most));
        else
            column = turned_forward(g, node, node->size, first, column,
                                    turned_side(g, j, node->size, false, &most));
    }
    return dvec_most_of(most);
}

/* Backward substitution, and what it gives to bodies. Those that go before their joints have
 * nothing but what these push. */
TL_NARROW void swept_backwards(const tlk_joints *g, const tlk_articulation *a)
{
    const dvec none = {0};
    for (uint32_t i = a->node_end; i-- > a->node;) {
        const tlk_node *node = g->node + i;
        const uint32_t body = g->node_body[i];
        if (tlk_node_alone(node)) {
            const double *r1 = g->block + node->block + 4 * 6 + 3, *r2 = r1 + 6;
            dvec x = none - turned_below(g, node, 6);
            const double x5 = x[5], x4 = x[4] - r2[1] * x5;
            x[3] = x[3] - r1[0] * x4 - r2[0] * x5;
            x[4] = x4;
            turned_move(g, body, x);
            continue;
        }
        turned_backward_one(g, node);
        if (body != TLK_NONE)
            turned_move(g, body, dvec_get_some(g->x + node->vector, 6));
    }
}

/* Whether a projection is one among sweeps of an articulation whose rows all hold and have one
 * state: it substitutes, and that is all. */
WIDE bool is_swept(const tlk_joints *g, const tlk_articulation *a, const tlk_articulated *how)
{
    return how->turned == TURNED_HARD && how->stage == TLK_STAGE_SIDES && !a->bounded &&
           g->passes == 1 && !g->rough && (g->sweeping || g->positions);
}

/* Such a projection, from its right-hand side to its end: what stages leave for each other stays in
 * registers. (Where there is nothing to solve the forward substitution is in vain.) */
TL_NARROW void sweep_articulation(const tlk_joints *g, const tlk_articulation *a,
                                  tlk_articulated *how)
{
    dvec speed = {0};
    for (uint32_t k = a->node; k < a->node_end; k++)
        if (g->node_body[k] != TLK_NONE)
            speed = turned_speed(g, g->node_body[k], speed);
    how->residual = swept_forwards(g, a);
    how->sifted = 0;
    if (tlk_project_helps(how, 0, dvec_most_of(dvec_first(speed, 3)))) {
        swept_backwards(g, a);
        how->pass++;
    }
    how->stage = TLK_STAGE_END;
}

/* One stage of an articulation that has no more than one lane. Returns false where nothing of it is
 * different here. */
WIDE bool turned_stage(const tlk_joints *g, const tlk_articulation *a, tlk_articulated *how,
                       bool project)
{
    const tlk_team team = {0, 1, how->stage, how->level};
    const uint32_t last = a->level_end - a->level - 1;
    if (how->stage == TLK_STAGE_BODIES)
        how->turned = 0;
    if (!how->turned && by_pieces(a, how)) {
        pieces_turn(g, a, how, team, !project || g->fresh);
        pieces_next(a, how);
        return true;
    }
    if (!how->turned)
        return false;
    switch (how->stage) {
    case TLK_STAGE_FORWARD:
        if (!how->level)
            tlk_forward_level(g, a, 0, team);
        turned_forwards(g, a, how->level == 1);
        how->level = last;
        return true;
    case TLK_STAGE_BACKWARD:
        turned_backwards(g, a);
        how->level = 0;
        return true;
    case TLK_STAGE_SIDES:
    case TLK_STAGE_SIFT:
        if (project)
            turned_stage_sides(g, a, how, team);
        return project;
    case TLK_STAGE_APPLY:
        if (how->turned == TURNED_HARD)
            turned_stage_apply(g, a);
        return how->turned == TURNED_HARD;
    default: return false;
    }
}

static void wide_joint_project(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_joints g = *(const tlk_joints *)args;
    for (uint32_t i = begin; i < end; i++) {
        const tlk_articulation *a = g.articulation + i;
        tlk_articulated *how = g.how + i;
        tlk_joint_project_begin(&g, i);
        if (is_swept(&g, a, how)) {
            sweep_articulation(&g, a, how);
            continue;
        }
        do {
            if (turned_stage(&g, a, how, true))
                continue;
            tlk_joint_project_turn(&g, i, (tlk_team){0, 1, how->stage, how->level});
            if (g.turned && how->stage == TLK_STAGE_FACTOR &&
                how->level == a->level_end - a->level - 1) {
                turn_articulation(&g, a, how);
            }
        } while (tlk_joint_project_next(&g, i));
    }
}

static void wide_joint_assemble(const void *args, uint32_t begin, uint32_t end)
{
    const tlk_joints g = *(const tlk_joints *)args;
    for (uint32_t i = begin; i < end; i++) {
        const tlk_articulation *a = g.articulation + i;
        tlk_articulated *how = g.how + i;
        tlk_joint_assemble_begin(&g, i);
        do
            if (!turned_stage(&g, a, how, false))
                tlk_joint_assemble_turn(&g, i, (tlk_team){0, 1, how->stage, how->level});
        while (tlk_joint_assemble_next(&g, i));
    }
}

#endif
