/* The elimination of joints against a dense solution: random trees, loops, hubs and redundant rows.
 */
#define TLK_PRECISION_double
#include "kernels/joint/factor.h"

#include "joint/graph.h"
#include "support.h"

#define MOST 400 /* unknowns */

/* A random system [M J'; J -C] on a graph, dense and as blocks. */
typedef struct system {
    uint32_t bodies, joints, size;
    tl_graph_joint *graph;
    double (*inertia)[6];                 /* of bodies: diagonals */
    double (*rows)[TLK_JOINT_BODIES][48]; /* of joints: 6 x rows for each body */
    double soft;
} system_t;

static void dense(const system_t *s, double *a)
{
    const uint32_t n = s->size;
    memset(a, 0, (size_t)n * n * sizeof *a);
    for (uint32_t b = 0; b < s->bodies; b++)
        for (uint32_t k = 0; k < 6; k++)
            a[(6 * b + k) * n + 6 * b + k] = s->inertia[b][k];
    uint32_t at = 6 * s->bodies;
    for (uint32_t j = 0; j < s->joints; at += s->graph[j++].rows)
        for (uint32_t r = 0; r < s->graph[j].rows; r++) {
            a[(at + r) * n + at + r] = -s->soft;
            for (uint32_t b = 0; b < s->graph[j].bodies; b++)
                for (uint32_t k = 0; k < 6; k++) {
                    const uint32_t column = 6 * s->graph[j].body[b] + k;
                    a[(at + r) * n + column] = a[column * n + at + r] = s->rows[j][b][6 * r + k];
                }
        }
}

/* Gauss with partial pivoting. */
static void solve_dense(double *a, double *x, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        for (uint32_t j = 0; j < n; j++) {
            const double t = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = t;
        }
        const double t = x[k];
        x[k] = x[best];
        x[best] = t;
        for (uint32_t i = k + 1; i < n; i++) {
            const double f = a[i * n + k] / a[k * n + k];
            for (uint32_t j = k; j < n && f != 0; j++)
                a[i * n + j] -= f * a[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++)
            x[k] -= a[k * n + j] * x[j];
        x[k] /= a[k * n + k];
    }
}

static void factor_level(const tlk_joints *g, const tlk_articulation *a, uint32_t level,
                         tlk_team team)
{
    tlk_factor_level(g, a, level, team, true);
}

/* A level by three lanes, the last one first. */
static void each_lane(const tlk_joints *g, const tlk_articulation *a, uint32_t level,
                      void (*stage)(const tlk_joints *, const tlk_articulation *, uint32_t,
                                    tlk_team))
{
    for (uint32_t lane = 3; lane-- > 0;)
        stage(g, a, level, (tlk_team){lane, 3, 0, level});
}

/* The same by blocks; x is in the order of the dense system. Returns how many rows were found to be
 * redundant. */
static uint32_t solve_blocks(const system_t *s, double *x)
{
    tl_elimination e;
    assert_ok(tl_eliminate(s->bodies, s->graph, s->joints, &e));
    double *block = calloc(e.block_size, sizeof *block), *vector = calloc(e.vector_size, 8);
    double soft[MOST];
    tlk_joint *joints = calloc(s->joints, sizeof *joints);
    tlk_joint_account *accounts = calloc(s->joints, sizeof *accounts);
    assert_true(block && vector && joints && accounts);
    const tlk_node *nodes = e.nodes.data;
    const uint32_t *places = e.places.data;
    for (uint32_t b = 0; b < s->bodies; b++)
        for (uint32_t k = 0; k < 6; k++) {
            block[nodes[places[b]].block + 7 * k] = s->inertia[b][k];
            vector[nodes[places[b]].vector + k] = x[6 * b + k];
        }
    uint32_t at = 6 * s->bodies;
    for (uint32_t j = 0; j < s->joints; at += s->graph[j++].rows) {
        const uint32_t rows = s->graph[j].rows;
        const tlk_node *own = &nodes[places[s->bodies + j]];
        joints[j].first = at - 6 * s->bodies;
        for (uint32_t r = 0; r < rows; r++) {
            soft[joints[j].first + r] = s->soft;
            block[own->block + r * rows + r] = -s->soft;
            vector[own->vector + r] = x[at + r];
            for (uint32_t b = 0; b < s->graph[j].bodies; b++) {
                const tl_graph_block to =
                    ((const tl_graph_block *)e.blocks.data)[TLK_JOINT_BODIES * j + b];
                for (uint32_t k = 0; k < 6; k++)
                    block[to.block + (to.across ? k * rows + r : r * 6 + k)] =
                        s->rows[j][b][6 * r + k];
            }
        }
    }
    tlk_articulated how = {0};
    const tlk_joints g = {.joint = joints,
                          .how = &how,
                          .account = accounts,
                          .node = nodes,
                          .link = e.links.data,
                          .source = e.sources.data,
                          .update = e.updates.data,
                          .level = e.levels.data,
                          .block = block,
                          .x = vector,
                          .soft = soft};
    const tlk_articulation *all = e.articulations.data;
    for (size_t i = 0; i < e.articulations.count; i++) {
        const uint32_t levels = all[i].level_end - all[i].level;
        for (uint32_t l = 0; l < levels; l++)
            each_lane(&g, &all[i], l, factor_level);
        for (uint32_t l = 0; l < levels; l++)
            each_lane(&g, &all[i], l, tlk_forward_level);
        for (uint32_t l = levels; l-- > 0;)
            each_lane(&g, &all[i], l, tlk_backward_level);
    }
    uint32_t redundant = 0;
    for (uint32_t b = 0; b < s->bodies; b++)
        for (uint32_t k = 0; k < 6; k++)
            x[6 * b + k] = vector[nodes[places[b]].vector + k];
    at = 6 * s->bodies;
    for (uint32_t j = 0; j < s->joints; at += s->graph[j++].rows) {
        redundant += accounts[j].redundant;
        for (uint32_t r = 0; r < s->graph[j].rows; r++)
            x[at + r] = vector[nodes[places[s->bodies + j]].vector + r];
    }
    free(block);
    free(vector);
    free(joints);
    free(accounts);
    tl_elimination_free(&e);
    return redundant;
}

static void compare(dice *d, uint32_t bodies, tl_graph_joint *graph, uint32_t joints, double soft,
                    double tolerance)
{
    system_t s = {bodies, joints, 6 * bodies, graph, NULL, NULL, soft};
    double x[MOST], y[MOST];
    for (uint32_t j = 0; j < joints; j++)
        s.size += graph[j].rows;
    assert_true(s.size <= MOST);
    s.inertia = calloc(bodies, sizeof *s.inertia);
    s.rows = calloc(joints, sizeof *s.rows);
    double *a = malloc((size_t)s.size * s.size * sizeof *a);
    assert_true(s.inertia && s.rows && a);
    for (uint32_t i = 0; i < 6 * bodies; i++)
        s.inertia[i / 6][i % 6] = roll(d, 0.5, 2);
    for (uint32_t j = 0; j < joints; j++)
        for (uint32_t b = 0; b < graph[j].bodies; b++)
            for (uint32_t k = 0; k < 6 * graph[j].rows; k++)
                s.rows[j][b][k] = roll(d, -1, 1);
    for (uint32_t i = 0; i < s.size; i++)
        x[i] = y[i] = roll(d, -1, 1);
    dense(&s, a);
    solve_dense(a, x, s.size);
    assert_int_equal(solve_blocks(&s, y), 0);
    double worst = 0, scale = 0;
    for (uint32_t i = 0; i < s.size; i++) {
        worst = fmax(worst, fabs(x[i] - y[i]));
        scale = fmax(scale, fabs(x[i]));
    }
    assert_below(worst, tolerance * scale);
    free(s.inertia);
    free(s.rows);
    free(a);
}

/* Bodies on random earlier ones or on the ground. */
static void test_trees(void **state)
{
    (void)state;
    dice d = {1};
    for (int round = 0; round < 60; round++) {
        const uint32_t bodies = 2 + (uint32_t)(roll_bits(&d) % 19);
        tl_graph_joint graph[32] = {{0}};
        for (uint32_t b = 0; b < bodies; b++) {
            const uint32_t on = (uint32_t)(roll_bits(&d) % (b + 1));
            graph[b] = (tl_graph_joint){.rows = 1 + (uint32_t)(roll_bits(&d) % 6), .bodies = 1};
            graph[b].body[0] = b;
            if (on < b)
                graph[b].body[graph[b].bodies++] = on;
        }
        context("tree %d of %u bodies", round, bodies);
        compare(&d, bodies, graph, bodies, 1e-12, 1e-6);
    }
}

/* More joints than a tree has, some of which couple four bodies. */
static void test_loops(void **state)
{
    (void)state;
    dice d = {2};
    for (int round = 0; round < 60; round++) {
        const uint32_t bodies = 4 + (uint32_t)(roll_bits(&d) % 17), joints = bodies + bodies / 3;
        tl_graph_joint graph[32] = {{0}};
        for (uint32_t j = 0; j < joints; j++) {
            graph[j] = (tl_graph_joint){.rows = 1 + (uint32_t)(roll_bits(&d) % 3), .bodies = 1};
            graph[j].body[0] = j % bodies;
            for (uint32_t b = j % 5 ? 1 : 3; b-- > 0;) {
                const uint32_t other = (uint32_t)(roll_bits(&d) % bodies);
                bool there = false;
                for (uint32_t k = 0; k < graph[j].bodies; k++)
                    there = there || graph[j].body[k] == other;
                if (!there)
                    graph[j].body[graph[j].bodies++] = other;
            }
        }
        context("loops %d of %u bodies", round, bodies);
        compare(&d, bodies, graph, joints, 1e-12, 1e-5);
    }
}

/* A body with 40 joints: these do not wait for it. */
static void test_hub(void **state)
{
    (void)state;
    dice d = {3};
    tl_graph_joint graph[40] = {{0}};
    for (uint32_t j = 0; j < 40; j++)
        graph[j] = (tl_graph_joint){.rows = 3, .bodies = 2, .body = {0, j + 1}};
    context("hub");
    compare(&d, 41, graph, 40, 1e-12, 1e-6);
    tl_elimination e;
    assert_ok(tl_eliminate(41, graph, 40, &e));
    assert_int_equal(e.articulations.count, 1);
    assert_true(e.links.count <= 81); /* nothing has filled in */
    tl_elimination_free(&e);
}

static uint32_t node_at(const tl_elimination *e, uint32_t vector)
{
    const tlk_node *nodes = e->nodes.data;
    uint32_t low = 0, high = (uint32_t)e->nodes.count;
    while (low + 1 < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (nodes[mid].vector <= vector)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Each node of the first levels is in one piece, after those of earlier levels; and none has a
 * neighbour in another piece. Returns the number of nodes that are in none. */
static uint32_t check_pieces(const tl_elimination *e, uint32_t most)
{
    const tlk_articulation *a = e->articulations.data;
    const uint32_t *level = (const uint32_t *)e->levels.data + a->level;
    const uint32_t *first = e->pieces.data, end = level[a->deep];
    const tlk_run *runs = e->runs.data;
    uint32_t *piece = calloc(e->nodes.count, sizeof *piece), count = 0;
    assert_non_null(piece);
    assert_int_equal(e->articulations.count, 1);
    for (uint32_t p = a->piece; p < a->piece_end; p++) {
        uint32_t nodes = 0, last = 0;
        for (uint32_t r = first[p]; r < first[p + 1]; r++) {
            uint32_t l = 0;
            while (runs[r].first >= level[l + 1])
                l++;
            assert_true(l >= last && runs[r].first < runs[r].end && runs[r].end <= level[l + 1]);
            last = l;
            for (uint32_t i = runs[r].first; i < runs[r].end; i++, nodes++) {
                assert_int_equal(piece[i], 0);
                piece[i] = p + 1;
            }
        }
        assert_in_range(nodes, 1, most);
        count += nodes;
    }
    assert_int_equal(count, end);
    for (uint32_t i = 0; i < end; i++) {
        const tlk_node *node = (const tlk_node *)e->nodes.data + i;
        for (uint32_t l = node->links; l < node->last; l++) {
            const uint32_t other = node_at(e, ((const tlk_link *)e->links.data)[l].vector);
            assert_true(other > i);
            assert_true(other >= end || piece[other] == piece[i]);
        }
    }
    free(piece);
    return (uint32_t)e->nodes.count - end;
}

/* A chain fills little in, however long it is, and has few levels; nearly all of it is in pieces.
 */
static void test_chain(void **state)
{
    (void)state;
    enum { LINKS = 20000 };
    tl_graph_joint *graph = calloc(LINKS, sizeof *graph);
    assert_non_null(graph);
    for (uint32_t j = 0; j < LINKS; j++) {
        graph[j] = (tl_graph_joint){.rows = 3, .bodies = 1, .body = {j}};
        if (j)
            graph[j].body[graph[j].bodies++] = j - 1;
    }
    tl_elimination e;
    assert_ok(tl_eliminate(LINKS, graph, LINKS, &e));
    assert_true(e.links.count <= 4 * LINKS);
    assert_true(e.block_size <= (36 + 9 + 2 * 18 + 2 * 9) * LINKS);
    assert_true(e.levels.count <= 24);
    assert_int_equal(e.largest, 2 * LINKS);
    assert_in_range(e.pieces.count, 2 * LINKS / 512, 2 * LINKS / 128);
    assert_in_range(check_pieces(&e, 512), 1, LINKS / 64);
    tl_elimination_free(&e);
    free(graph);
}

/* A square of bodies, rods from each to the next ones; returns how many. */
static uint32_t make_net(uint32_t edge, tl_graph_joint *graph)
{
    uint32_t joints = 0;
    for (uint32_t i = 0; i < edge * edge; i++) {
        if (i % edge)
            graph[joints++] = (tl_graph_joint){.rows = 1, .bodies = 2, .body = {i, i - 1}};
        if (i / edge)
            graph[joints++] = (tl_graph_joint){.rows = 1, .bodies = 2, .body = {i, i - edge}};
    }
    return joints;
}

/* Nets are cut along their threads. Cut by hand so, one of 30 x 30 has 223,018 updates and one of
 * 50 x 50 1,094,363; by the fewest neighbours alone it is 470,000 and 3,070,000. */
static void test_net(void **state)
{
    (void)state;
    static const uint32_t edges[2] = {30, 50}, most[2] = {300000, 1400000};
    dice d = {5};
    tl_graph_joint *graph = calloc(2 * 50 * 50, sizeof *graph);
    assert_non_null(graph);
    context("net");
    compare(&d, 49, graph, make_net(7, graph), 1e-12, 1e-5);
    uint32_t joints = make_net(5, graph);
    for (uint32_t i = 0; i < 25; i++) /* and a hub that all are joined to */
        graph[joints++] = (tl_graph_joint){.rows = 1, .bodies = 2, .body = {i, 25}};
    context("net with a hub");
    compare(&d, 26, graph, joints, 1e-12, 1e-5);
    for (int i = 0; i < 2; i++) {
        tl_elimination e;
        joints = make_net(edges[i], graph);
        assert_ok(tl_eliminate(edges[i] * edges[i], graph, joints, &e));
        assert_int_equal(e.articulations.count, 1);
        assert_in_range(e.updates.count, 1, most[i]);
        assert_in_range(e.levels.count, 1, 4 * edges[i]);
        check_pieces(&e, 512);
        tl_elimination_free(&e);
    }
    free(graph);
}

/* The same rows twice: half of them are redundant, and the velocities are those of the half. */
static void test_redundant(void **state)
{
    (void)state;
    dice d = {4};
    tl_graph_joint graph[2] = {{.rows = 5, .bodies = 1}, {.rows = 5, .bodies = 1}};
    double inertia[1][6], rows[2][TLK_JOINT_BODIES][48] = {{{0}}}, x[16], y[11];
    const system_t twice = {1, 2, 16, graph, inertia, rows, 1e-12};
    const system_t once = {1, 1, 11, graph, inertia, rows, 1e-12};
    for (int k = 0; k < 6; k++)
        inertia[0][k] = roll(&d, 0.5, 2);
    for (int k = 0; k < 30; k++)
        rows[0][0][k] = rows[1][0][k] = roll(&d, -1, 1);
    for (int k = 0; k < 11; k++)
        x[k] = y[k] = roll(&d, -1, 1);
    for (int k = 0; k < 5; k++)
        x[11 + k] = y[6 + k];
    assert_int_equal(solve_blocks(&twice, x), 5);
    assert_int_equal(solve_blocks(&once, y), 0);
    for (int k = 0; k < 6; k++)
        assert_near(x[k], y[k], 1e-3 * (1 + fabs(y[k]))); /* one pass; steps make more */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees), cmocka_unit_test(test_loops),
        cmocka_unit_test(test_hub),   cmocka_unit_test(test_chain),
        cmocka_unit_test(test_net),   cmocka_unit_test(test_redundant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
