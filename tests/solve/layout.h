/* Dense problems (problems.h) laid out as the solvers want them, the problem of a world's next step
 * as a dense one, and the solvers by name. */
#ifndef TALUS_TESTS_SOLVE_LAYOUT_H
#define TALUS_TESTS_SOLVE_LAYOUT_H

#include "solve/problems.h"

#include "scenes.h"
#include "world/world.h"

static inline double get(const tl_backend *backend, const void *array, size_t at)
{
    return backend->precision == TL_DOUBLE ? ((const double *)array)[at]
                                           : (double)((const float *)array)[at];
}

static inline size_t packet_at(uint32_t row, uint32_t field, uint32_t fields)
{
    return ((size_t)(row / TLK_LANES) * fields + field) * TLK_LANES + row % TLK_LANES;
}

/* ---- As the solvers want it ---- */

typedef struct fixture {
    tl_backend *backend;
    double jacobi_omega; /* 0.3, or less where that is too much */
    tl_workspace workspace;
    tl_problem problem;
    uint32_t *place; /* a row of the model: the row of the problem */
    tl_buffer buffers[10];
} fixture;

static inline void put(const fixture *f, const void *array, size_t at, double x)
{
    if (f->backend->precision == TL_DOUBLE)
        ((double *)array)[at] = x;
    else
        ((float *)array)[at] = (float)x;
}

/* The first colour free at both bodies of each row; the last colour takes what is left. */
static inline void paint(const model *m, uint32_t *colour)
{
    uint64_t *used = zeros(m->bodies, sizeof *used);
    for (uint32_t i = 0; i < m->rows; i++) {
        const model_row *row = &m->row[i];
        const uint64_t taken = used[row->a] | (row->b < m->moving ? used[row->b] : 0);
        colour[i] = 0;
        while (colour[i] < TLK_COLOURS - 1 && (taken >> colour[i] & 1))
            colour[i]++;
        if (colour[i] < TLK_COLOURS - 1) {
            used[row->a] |= 1ull << colour[i];
            used[row->b] |= 1ull << colour[i];
        }
    }
    free(used);
}

/* Rows of a kind by colour, each colour on packets of its own; central rows first. */
static inline void arrange(fixture *f, const model *m, const uint32_t *colour, bool anchors)
{
    tl_segment segments[2][TLK_COLOURS];
    tl_problem *p = &f->problem;
    uint32_t rows = 0;
    for (int kind = 0; kind < 2; kind++) {
        p->view.anchor_base = rows;
        for (uint32_t c = 0; c < TLK_COLOURS; c++) {
            const uint32_t begin = rows;
            for (uint32_t i = 0; i < m->rows; i++)
                if (colour[i] == c && (anchors || !m->row[i].central) == kind)
                    f->place[i] = rows++;
            segments[kind][c] = (tl_segment){begin, rows, c == TLK_COLOURS - 1, begin};
            rows = (rows + TLK_LANES - 1) / TLK_LANES * TLK_LANES;
        }
    }
    p->view.rows = p->view.items = rows;
    p->view.item_rows = 1;
    for (uint32_t c = 0; c < TLK_COLOURS; c++)
        for (int kind = 0; kind < 2; kind++)
            if (segments[kind][c].end > segments[kind][c].begin)
                p->segments[p->segment_count++] = segments[kind][c];
}

static inline void *room(fixture *f, int which, size_t bytes, int byte)
{
    assert_ok(tl_buffer_need(f->backend, &f->buffers[which], bytes + 64));
    memset(f->buffers[which].data, byte, bytes + 64);
    return f->buffers[which].data;
}

static inline void fill_anchors(const fixture *f, const model *m, uint32_t i)
{
    const tlk_problem *view = &f->problem.view;
    const uint32_t s = f->place[i];
    double eta[3];
    row_eta(m, i, eta);
    for (uint32_t k = 0; k < 6; k++)
        put(f, view->anchors, packet_at(s - view->anchor_base, k, TLK_ANCHORS),
            m->row[i].anchor[k / 3][k % 3]);
    put(f, view->head, packet_at(s, 4, TLK_HEAD), eta[0]);
    put(f, view->head, packet_at(s, 5, TLK_HEAD), eta[1]);
    put(f, view->anchors, packet_at(s - view->anchor_base, 6, TLK_ANCHORS), eta[2]);
}

/* Row and column of what tlk_problem.inverse holds of a body's inverse inertia. */
static const int inverse_at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

/* Lays a model out; `anchors` makes central rows anchor rows as well. */
static inline fixture fixture_new(const model *m, tl_precision precision, bool anchors)
{
    fixture f = {.place = zeros(m->rows, sizeof(uint32_t)),
                 .jacobi_omega = m->rows ? fmin(0.3, 1.8 / model_largest(m)) : 0.3};
    uint32_t *colour = zeros(m->rows, sizeof *colour);
    tlk_problem *view = &f.problem.view;
    assert_ok(tl_backend_cpu(precision, 1, &f.backend));
    paint(m, colour);
    arrange(&f, m, colour, anchors);
    free(colour);
    const size_t rows = view->rows, real = f.backend->real;
    uint32_t *a = room(&f, 0, rows * sizeof *a, 0xff), *b = room(&f, 1, rows * sizeof *b, 0xff);
    view->a = a;
    view->b = b;
    view->head = room(&f, 2, TLK_HEAD * rows * real, 0);
    view->anchors = room(&f, 3, TLK_ANCHORS * (rows - view->anchor_base) * real, 0);
    view->wall = room(&f, 8, 3 * view->anchor_base * real, 0xff);
    view->inverse = rows > view->anchor_base ? room(&f, 9, 8 * (size_t)m->bodies * real, 0) : NULL;
    view->bias = room(&f, 4, rows * real, 0);
    view->gamma = room(&f, 5, 3 * rows * real, 0);
    view->free = room(&f, 6, 8 * (size_t)m->bodies * real, 0);
    view->vel = room(&f, 7, 8 * (size_t)m->bodies * real, 0);
    view->blocks = m->bodies;
    view->moving = m->moving;
    for (uint32_t i = 0; i < m->rows; i++) {
        const model_row *row = &m->row[i];
        const uint32_t s = f.place[i];
        const bool wall = row->b >= m->moving;
        const double head[TLK_HEAD] = {row->n[0],
                                       row->n[1],
                                       row->n[2],
                                       row->mu,
                                       dot3(row->anchor[0], row->n),
                                       wall ? 0 : -dot3(row->anchor[1], row->n)};
        a[s] = row->a;
        b[s] = row->b;
        for (uint32_t k = 0; k < TLK_HEAD; k++)
            put(&f, view->head, packet_at(s, k, TLK_HEAD), head[k]);
        for (uint32_t k = 0; k < 3 && wall && s < view->anchor_base; k++)
            put(&f, view->wall, packet_at(s, k, 3), row->anchor[1][k]);
        put(&f, view->bias, s, row->bias);
        if (s >= view->anchor_base)
            fill_anchors(&f, m, i);
    }
    for (uint32_t i = 0; i < m->bodies && view->inverse; i++)
        for (int k = 0; k < 6; k++)
            put(&f, view->inverse, 8 * (size_t)i + k,
                m->inverse[i][3 + inverse_at[k][0]][3 + inverse_at[k][1]]);
    return f;
}

static inline void fixture_free(fixture *f)
{
    tl_workspace_free(f->backend, &f->workspace);
    for (size_t i = 0; i < sizeof f->buffers / sizeof *f->buffers; i++)
        tl_buffer_free(f->backend, &f->buffers[i]);
    f->backend->ops->destroy(f->backend);
    free(f->place);
}

/* Whether a body's inverse mass matrix is two numbers. */
static inline bool is_ball(double inverse[6][6])
{
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++)
            if (inverse[r][c] != (r == c ? inverse[r / 3 * 3][r / 3 * 3] : 0))
                return false;
    return true;
}

/* Sets the start: these impulses (3 a row; NULL: none) and the free velocities. */
static inline void fixture_start(fixture *f, const model *m, const double *gamma)
{
    const tlk_problem *view = &f->problem.view;
    for (uint32_t i = 0; i < 3 * m->rows; i++)
        put(f, view->gamma, packet_at(f->place[i / 3], i % 3, 3), gamma ? gamma[i] : 0);
    for (uint32_t i = 0; i < m->bodies; i++) {
        /* anchor rows have no use for 1/I: where there is none, a wrong one shows it */
        const double *v = m->free[i], im = m->inverse[i][0][0];
        const double ii = is_ball(m->inverse[i]) ? m->inverse[i][3][3] : 77;
        const double numbers[8] = {v[0], v[1], v[2], im, v[3], v[4], v[5], ii};
        for (int k = 0; k < 8; k++) {
            put(f, view->free, 8 * (size_t)i + k, numbers[k]);
            put(f, view->vel, 8 * (size_t)i + k, numbers[k]);
        }
    }
}

/* Impulses (3 a row of the model) and velocities of a solved problem. */
static inline void fixture_read(const fixture *f, const model *m, double *gamma, double (*vel)[6])
{
    const tlk_problem *view = &f->problem.view;
    for (uint32_t i = 0; i < 3 * m->rows; i++)
        gamma[i] = get(f->backend, view->gamma, packet_at(f->place[i / 3], i % 3, 3));
    for (uint32_t i = 0; i < m->bodies; i++)
        for (int k = 0; k < 6; k++)
            vel[i][k] = get(f->backend, view->vel, 8 * (size_t)i + k + k / 3);
}

/* The other way: puts impulses and velocities, for tl_residual. */
static inline void fixture_write(fixture *f, const model *m, const double *gamma, double (*vel)[6])
{
    fixture_start(f, m, gamma);
    for (uint32_t i = 0; i < m->bodies; i++)
        for (int k = 0; k < 6; k++)
            put(f, f->problem.view.vel, 8 * (size_t)i + k + k / 3, vel[i][k]);
}

/* ---- Solvers ---- */

typedef struct solver {
    const char *name;
    tl_solver_kind kind;
    tl_law law;
} solver;

#define CONE_SOLVERS 4
#define COULOMB_APGD 5
#define COULOMB_SPG  6

/* Those of the cone law, then those of Coulomb's. */
static const solver solvers[] = {{"apgd", TL_APGD, TL_LAW_CONE},
                                 {"spg", TL_SPG, TL_LAW_CONE},
                                 {"jacobi", TL_JACOBI, TL_LAW_CONE},
                                 {"psor cone", TL_PSOR, TL_LAW_CONE},
                                 {"psor coulomb", TL_PSOR, TL_LAW_COULOMB},
                                 {"apgd coulomb", TL_APGD, TL_LAW_COULOMB},
                                 {"spg coulomb", TL_SPG, TL_LAW_COULOMB},
                                 {"jacobi coulomb", TL_JACOBI, TL_LAW_COULOMB}};

#define ALL_SOLVERS (sizeof solvers / sizeof *solvers)

static inline tl_solver_def solver_def(const solver *s, double tolerance)
{
    tl_solver_def def = tl_settings_default().solver;
    def.kind = s->kind;
    def.law = s->law;
    def.tolerance = tolerance;
    return def;
}

/* Solves from the impulses `start` (NULL: none). */
static inline tl_solution solve_as(fixture *f, const model *m, const tl_solver_def *def,
                                   uint32_t iterations, const double *start)
{
    tl_solution solution;
    fixture_start(f, m, start);
    assert_ok(tl_solve(f->backend, &f->workspace, &f->problem, def, iterations, &solution));
    return solution;
}

/* The same with a solver's defaults. */
static inline tl_solution solve(fixture *f, const model *m, const solver *s, double tolerance,
                                uint32_t iterations, const double *start)
{
    tl_solver_def def = solver_def(s, tolerance);
    if (s->kind == TL_JACOBI)
        def.omega = f->jacobi_omega;
    return solve_as(f, m, &def, iterations, start);
}

/* ---- Recorded problems ---- */

/* The inverse mass matrix of a dynamic body in the world frame, from its moments and attitude. */
static inline void body_inverse(const tl_world *world, uint32_t body, double inverse[6][6])
{
    const double *moments = (const double *)world->inertia.data + 4 * (size_t)body;
    const double *q = (const double *)world->quat.data + 4 * (size_t)body;
    const bool ball = moments[0] == moments[1] && moments[0] == moments[2];
    for (int p = 0; p < 3; p++) {
        double axis[3] = {p == 0, p == 1, p == 2};
        if (!ball)
            rotate(q, 1, (double[3]){p == 0, p == 1, p == 2}, axis);
        inverse[p][p] = 1 / moments[3];
        for (int k = 0; k < 9; k++)
            inverse[3 + k / 3][3 + k % 3] += axis[k / 3] * axis[k % 3] / moments[p];
    }
}

/* The velocity problem that a world's next step would solve. Rows are in the problem's order;
 * `places`, if not NULL, receives the problem's row of each, for free(). */
static inline model model_recorded(const tl_world *world, const tl_problem *problem,
                                   uint32_t **places)
{
    const tl_backend *backend = world->backend;
    const tlk_problem *view = &problem->view;
    uint32_t rows = 0, *place = zeros(view->rows, sizeof *place);
    for (uint32_t s = 0; s < view->rows; s++)
        if (view->a[s] != TLK_NONE)
            place[rows++] = s;
    model m = model_new(rows, view->blocks, view->moving);
    for (uint32_t i = 0; i < m.bodies; i++) {
        if (i < m.moving)
            body_inverse(world, i, m.inverse[i]);
        for (int k = 0; k < 6; k++)
            m.free[i][k] = get(backend, view->free, 8 * (size_t)i + k + k / 3);
    }
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t s = place[i];
        model_row *row = &m.row[i];
        double head[TLK_HEAD];
        for (uint32_t k = 0; k < TLK_HEAD; k++)
            head[k] = get(backend, view->head, packet_at(s, k, TLK_HEAD));
        *row = (model_row){.a = view->a[s],
                           .b = view->b[s],
                           .central = s < view->anchor_base,
                           .n = {head[0], head[1], head[2]},
                           .mu = head[3],
                           .bias = get(backend, view->bias, s)};
        central_anchors(row, head[4], head[5]);
        for (uint32_t k = 0; row->central && row->b >= view->moving && k < 3; k++)
            row->anchor[1][k] = view->wall ? get(backend, view->wall, packet_at(s, k, 3)) : 0;
        for (uint32_t k = 0; !row->central && k < 6; k++)
            row->anchor[k / 3][k % 3] =
                get(backend, view->anchors, packet_at(s - view->anchor_base, k, TLK_ANCHORS));
        if (!row->central)
            row->step =
                get(backend, view->anchors, packet_at(s - view->anchor_base, 6, TLK_ANCHORS));
        row_jacobian(row);
    }
    if (places)
        *places = place;
    else
        free(place);
    return m;
}

/* A pile of spheres that has fallen for some steps. */
static inline tl_world *settled_pile(size_t bodies, uint32_t layers, uint32_t steps)
{
    pile_options options = pile_default();
    tl_scene *scene = NULL;
    options.bodies = bodies;
    options.layers = layers;
    options.settings.precision = TL_DOUBLE;
    options.settings.threads = 1;
    options.settings.solver.iterations = 30;
    options.settings.solver.position_iterations = 10;
    assert_ok(pile_scene(&options, &scene));
    tl_world *world = world_of(scene);
    step(world, steps);
    return world;
}

/* The problem of the world's next step for a solver, without the last step's impulses. */
static inline tl_problem next_problem(tl_world *world, tl_solver_kind kind, tl_law law)
{
    tl_problem problem;
    tl_settings settings = tl_world_settings(world);
    settings.solver.kind = kind;
    settings.solver.law = law;
    settings.solver.warm_start = false;
    assert_ok(tl_world_set_settings(world, &settings));
    assert_ok(tl_step_problem(world, &problem));
    return problem;
}

#endif
