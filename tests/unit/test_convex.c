/* labels: slow longer */
/* Meshes as convex pieces: blocks that come apart exactly, round ones that come nearer as the
 * tolerance shrinks, what is said of errors against points counted one by one, limits, thin and
 * hollow and touching parts, the same pieces each time, and what is refused. */
#include "failing.h"
#include "mesh_forms.h"

static double volume; /* of the mesh split last */

static tl_pieces *split(double tolerance, size_t most, size_t vertices)
{
    tl_mesh *mesh = form_mesh();
    tl_split_def def = tl_split_default();
    tl_pieces *out = NULL;
    tl_mesh_solid solid;
    def.tolerance = tolerance;
    def.most = most ? most : def.most;
    def.vertices = vertices ? vertices : def.vertices;
    assert_ok(tl_mesh_measure(mesh, 1, &solid));
    volume = solid.volume;
    assert_ok(tl_mesh_split(mesh, &def, &out));
    tl_mesh_destroy(mesh);
    return out;
}

/* ---- By brute force ---- */

/* Solid angle of a triangle over 4 pi, by van Oosterom and Strackee. */
static double angle_of(const double *const c[3], const double p[3])
{
    double v[3][3], n[3], d[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            v[i][k] = c[i][k] - p[k];
        n[i] = norm3(v[i]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            d[i][j] = v[i][0] * v[j][0] + v[i][1] * v[j][1] + v[i][2] * v[j][2];
    const double six = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                       v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                       v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    return atan2(six, n[0] * n[1] * n[2] + d[0][1] * n[2] + d[0][2] * n[1] + d[1][2] * n[0]) /
           (2 * PI);
}

/* The distance of a point to a triangle: the least over a fan of ever smaller triangles. */
static double triangle_distance(const double *const c[3], const double p[3])
{
    double low[2] = {0, 0}, span = 1, best = INFINITY;
    for (int round = 0; round < 12; round++) {
        double at[2] = {0, 0};
        for (int i = 0; i <= 8; i++)
            for (int j = 0; j <= 8; j++) {
                double s = low[0] + span * i / 8, t = low[1] + span * j / 8, x[3];
                s = fmin(fmax(s, 0), 1);
                t = fmin(fmax(t, 0), 1 - s);
                for (int k = 0; k < 3; k++)
                    x[k] = c[0][k] + s * (c[1][k] - c[0][k]) + t * (c[2][k] - c[0][k]);
                const double d = distance3(x, p);
                if (d < best) {
                    best = d;
                    at[0] = s;
                    at[1] = t;
                }
                if (d == best && at[0] == 0 && at[1] == 0) {
                    at[0] = s;
                    at[1] = t;
                }
            }
        span /= 2;
        low[0] = at[0] - span / 2;
        low[1] = at[1] - span / 2;
    }
    return best;
}

/* How far a point is outside of the form, 0 inside. */
static double outside_form(const double p[3])
{
    double winding = 0, best = INFINITY;
    for (size_t t = 0; t < the_form.triangle_count; t++) {
        const double *c[3];
        for (int k = 0; k < 3; k++)
            c[k] = the_form.vertices[the_form.triangles[t][k]];
        winding += angle_of(c, p);
    }
    if (winding > 0.5)
        return 0;
    for (size_t t = 0; t < the_form.triangle_count; t++) {
        const double *c[3];
        for (int k = 0; k < 3; k++)
            c[k] = the_form.vertices[the_form.triangles[t][k]];
        /* farther than the best so far in any case */
        if (distance3(c[0], p) - fmax(distance3(c[0], c[1]), distance3(c[0], c[2])) < best)
            best = fmin(best, triangle_distance(c, p));
    }
    return best;
}

/* How far points of the pieces are outside of the form: random ones between their vertices. */
static double farthest_out(const tl_pieces_info *info, int tries)
{
    dice d = {5};
    double most = 0;
    for (int i = 0; i < tries; i++) {
        const tl_piece *piece = &info->pieces[roll_bits(&d) % info->count];
        double p[3] = {0, 0, 0}, sum = 0;
        for (int n = i % 3; n < 4; n++) { /* of a few vertices: near to faces and edges, too */
            const double *v = piece->vertices + 3 * (roll_bits(&d) % piece->vertex_count);
            const double weight = roll(&d, 0, 1);
            for (int k = 0; k < 3; k++)
                p[k] += weight * v[k];
            sum += weight;
        }
        for (int k = 0; k < 3; k++)
            p[k] /= sum;
        most = fmax(most, outside_form(p));
    }
    return most;
}

/* How far points of the form's surface are outside of all pieces: above all their planes. */
static double farthest_bare(const tl_pieces_info *info)
{
    double most = 0;
    for (size_t t = 0; t < the_form.triangle_count; t++)
        for (int i = 0; i <= 4; i++)
            for (int j = 0; i + j <= 4; j++) {
                double p[3], least = INFINITY;
                for (int k = 0; k < 3; k++)
                    p[k] = (i * the_form.vertices[the_form.triangles[t][0]][k] +
                            j * the_form.vertices[the_form.triangles[t][1]][k] +
                            (4 - i - j) * the_form.vertices[the_form.triangles[t][2]][k]) /
                           4;
                for (size_t b = 0; b < info->count; b++) {
                    const tl_piece *piece = &info->pieces[b];
                    double above = -INFINITY;
                    for (size_t f = 0; f < piece->triangle_count; f++) {
                        const double *x = piece->vertices + 3 * piece->triangles[3 * f];
                        const double *y = piece->vertices + 3 * piece->triangles[3 * f + 1];
                        const double *z = piece->vertices + 3 * piece->triangles[3 * f + 2];
                        double n[3], h = 0;
                        for (int k = 0; k < 3; k++) {
                            const int a = (k + 1) % 3, c = (k + 2) % 3;
                            n[k] = (y[a] - x[a]) * (z[c] - x[c]) - (y[c] - x[c]) * (z[a] - x[a]);
                            h += n[k] * (p[k] - x[k]);
                        }
                        above = fmax(above, h / norm3(n));
                    }
                    least = fmin(least, above);
                }
                most = fmax(most, least);
            }
    return most;
}

/* What holds of every set of pieces; that hulls of scenes are made of them, too. */
static void check_sound(const tl_pieces_info *info, size_t most, size_t vertices)
{
    tl_scene *scene = NULL;
    double parts = 0;
    assert_ok(tl_scene_create(&scene));
    context("%zu pieces, at most %zu", info->count, most);
    assert_true(info->count > 0 && info->count <= most);
    for (size_t i = 0; i < info->count; i++) {
        const tl_piece *piece = &info->pieces[i];
        tl_geometry hull;
        assert_true(piece->vertex_count >= 4 && piece->vertex_count <= vertices);
        assert_true(i == 0 || piece->part <= info->pieces[i - 1].part);
        assert_true(piece->volume > 0 && piece->part > 0);
        assert_ok(tl_scene_add_hull(scene, piece->vertex_count, piece->vertices, &hull));
        parts += piece->part;
    }
    assert_near(parts, volume, 1e-8 * volume); /* cuts are exact */
    assert_near(info->fit.volume, volume + info->fit.excess - info->fit.missing, 1e-12 * volume);
    tl_scene_destroy(scene);
}

/* ---- Blocks ---- */

static const struct block {
    const char *name;
    int size[3];
    const char *cells;
    size_t pieces, more; /* that there are at least, and that there may be beyond */
} blocks[] = {
    {"cube", {1, 1, 1}, "#", 1, 0},
    {"bar", {4, 1, 1}, "####", 1, 0},
    {"L",
     {3, 2, 1},
     "###"
     "#..",
     2,
     0},
    {"T",
     {3, 2, 1},
     "###"
     ".#.",
     2,
     0},
    {"U",
     {3, 2, 1},
     "###"
     "#.#",
     3,
     0},
    {"cross",
     {3, 3, 1},
     ".#."
     "###"
     ".#.",
     3,
     0},
    {"hole",
     {3, 3, 1},
     "###"
     "#.#"
     "###",
     4,
     0},
    {"cross in space",
     {3, 3, 3},
     "....#...."
     ".#.###.#."
     "....#....",
     5,
     2},
    {"stairs",
     {3, 3, 1},
     "###"
     "##."
     "#..",
     3,
     0},
    {"hollow",
     {3, 3, 3},
     "#########"
     "####.####"
     "#########",
     6,
     1},
    {"H",
     {3, 3, 1},
     "#.#"
     "###"
     "#.#",
     3,
     0},
    {"two holes",
     {5, 3, 1},
     "#####"
     "#.#.#"
     "#####",
     5,
     2},
};

static void check_block(const struct block *block, double within)
{
    tl_pieces *pieces = split(0, 0, 0);
    const tl_pieces_info info = tl_pieces_describe(pieces);
    context("%s: %zu pieces", block->name, info.count);
    check_sound(&info, 256, 64);
    assert_in_range(info.count, block->pieces, block->pieces + block->more);
    double sum = 0;
    for (size_t i = 0; i < info.count; i++)
        sum += info.pieces[i].volume;
    if (block->more) { /* not by the fewest planes, and within the tolerance then */
        assert_below(info.fit.protrusion, info.tolerance);
        assert_near(sum, volume, 0.01 * volume);
        assert_below(info.fit.excess, 0.01 * volume);
        tl_pieces_destroy(pieces);
        return;
    }
    for (size_t i = 0; i < info.count; i++)
        assert_int_equal(info.pieces[i].vertex_count, 8);
    assert_near(sum, volume, within * volume);
    assert_below(info.fit.protrusion, within * cbrt(volume));
    assert_below(info.fit.excess + info.fit.missing, within * volume);
    assert_below(info.fit.deviation_max, within * cbrt(volume));
    assert_below(info.fit.reverse_max, within * cbrt(volume));
    assert_below(info.fit.inertia_error, within);
    tl_pieces_destroy(pieces);
}

static void come_apart_exactly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        context("%s", blocks[i].name);
        form_cells(blocks[i].size, blocks[i].cells);
        check_block(&blocks[i], 1e-12);
    }
}

/* Turned, small and far away, where coordinates in one plane are so but for rounding. */
static void come_apart_askew(void **state)
{
    (void)state;
    dice d = {11};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        double q[4];
        context("%s", blocks[i].name);
        form_cells(blocks[i].size, blocks[i].cells);
        roll_turn(&d, q);
        for (size_t v = 0; v < the_form.vertex_count; v++)
            rotate(q, 1,
                   (double[3]){the_form.vertices[v][0], the_form.vertices[v][1],
                               the_form.vertices[v][2]},
                   the_form.vertices[v]);
        form_move(0.01, (double[3]){10, -5, 2});
        check_block(&blocks[i], 1e-7);
    }
}

/* Solids of random cells; those that touch themselves along an edge are no solids. */
static void random_blocks(void **state)
{
    (void)state;
    dice d = {3};
    int done = 0;
    for (int round = 0; round < 400 && done < 12; round++) {
        const int size[3] = {3, 3, 2};
        char text[19] = {0};
        for (int i = 0; i < 18; i++)
            text[i] = roll(&d, 0, 1) < 0.7 ? '#' : '.';
        form_cells(size, text);
        tl_mesh *mesh = form_mesh();
        const bool solid = !tl_mesh_describe(mesh).crowded_edges;
        tl_mesh_destroy(mesh);
        if (!solid)
            continue;
        done++;
        tl_pieces *pieces = split(0.01, 0, 0);
        const tl_pieces_info info = tl_pieces_describe(pieces);
        context("round %d: %s", round, text);
        check_sound(&info, 18, 64);
        assert_below(info.fit.protrusion, 0.01);
        assert_below(info.fit.excess + info.fit.missing, 0.01 * volume);
        assert_below(farthest_out(&info, 200), 0.01);
        tl_pieces_destroy(pieces);
    }
    assert_int_equal(done, 12);
}

/* ---- Convex and round ---- */

static bool has_vertex(const tl_piece *piece, const double *v)
{
    for (size_t i = 0; i < piece->vertex_count; i++)
        if (!memcmp(piece->vertices + 3 * i, v, 3 * sizeof *v))
            return true;
    return false;
}

/* One piece, which is the hull: the same numbers. */
static void convex_is_one(void **state)
{
    (void)state;
    dice d = {7};
    for (int round = 0; round < 10; round++) {
        double points[40][3];
        tl_mesh *hull = NULL;
        for (int i = 0; i < 40; i++)
            roll3(&d, -1, 1, points[i]);
        assert_ok(tl_mesh_create_hull(40, points[0], &hull));
        const tl_mesh_info mesh = tl_mesh_describe(hull);
        tl_split_def def = tl_split_default();
        tl_pieces *pieces = NULL;
        assert_ok(tl_mesh_split(hull, &def, &pieces));
        const tl_pieces_info info = tl_pieces_describe(pieces);
        assert_int_equal(info.count, 1);
        assert_int_equal(info.pieces[0].vertex_count, mesh.vertex_count);
        for (size_t v = 0; v < mesh.vertex_count; v++)
            assert_true(has_vertex(&info.pieces[0], mesh.vertices + 3 * v));
        assert_true(info.fit.protrusion == 0);
        tl_pieces_destroy(pieces);
        tl_mesh_destroy(hull);
    }
}

static void torus(void **state)
{
    (void)state;
    double last = INFINITY;
    size_t count = 0;
    form_torus(1, 0.3, 36, 16);
    const double least = is_long() ? 0.02 : 0.04; /* the finest takes most of the time */
    for (double tolerance = 0.2; tolerance > least; tolerance /= 2) {
        context("tolerance %g", tolerance);
        tl_pieces *pieces = split(tolerance, 0, 128);
        const tl_pieces_info info = tl_pieces_describe(pieces);
        check_sound(&info, 64, 128);
        assert_below(info.fit.protrusion, tolerance);
        assert_below(info.fit.excess / volume, last);
        assert_true(info.count >= count);
        /* Points counted one by one: none is farther out, and the worst are nearly as far. */
        const double out = farthest_out(&info, 1500);
        assert_below(out, fmin(tolerance, 1.1 * info.fit.protrusion + info.fit.sampling));
        assert_above(out, 0.5 * info.fit.protrusion);
        assert_below(farthest_bare(&info), info.fit.deviation_max + info.fit.sampling);
        last = info.fit.excess / volume;
        count = info.count;
        tl_pieces_destroy(pieces);
    }
    assert_below(last, least);
}

/* A star-shaped solid of random bumps. */
static void random_lumps(void **state)
{
    (void)state;
    dice d = {19};
    for (int round = 0; round < (is_long() ? 4 : 2); round++) {
        form_sphere(3);
        double bumps[5][4];
        for (int b = 0; b < 5; b++) {
            roll_direction(&d, bumps[b]);
            bumps[b][3] = roll(&d, 0.3, 0.9);
        }
        for (size_t v = 0; v < the_form.vertex_count; v++) {
            double *x = the_form.vertices[v], scale = 0.5;
            for (int b = 0; b < 5; b++) {
                const double dot = x[0] * bumps[b][0] + x[1] * bumps[b][1] + x[2] * bumps[b][2];
                scale += bumps[b][3] * exp(12 * (dot - 1));
            }
            for (int k = 0; k < 3; k++)
                x[k] *= scale;
        }
        tl_pieces *pieces = split(0.06, 0, 100);
        const tl_pieces_info info = tl_pieces_describe(pieces);
        context("round %d: %zu pieces", round, info.count);
        check_sound(&info, 100, 100);
        assert_below(info.fit.protrusion, 0.06);
        assert_below(farthest_out(&info, 300), 0.06);
        assert_below(farthest_bare(&info), info.fit.deviation_max + info.fit.sampling);
        tl_pieces_destroy(pieces);
    }
}

/* ---- Limits ---- */

static void at_most(void **state)
{
    (void)state;
    double last = 0;
    form_torus(1, 0.3, 24, 12);
    for (size_t most = 12; most; most /= 2) {
        context("at most %zu", most);
        tl_pieces *pieces = split(0.01, most, 0);
        const tl_pieces_info info = tl_pieces_describe(pieces);
        check_sound(&info, most, 64);
        assert_above(info.fit.protrusion, fmax(0.01, 0.9 * last));
        last = info.fit.protrusion;
        tl_pieces_destroy(pieces);
    }
    assert_near(last, 0.7, 0.05); /* the hull: from the middle of the hole */
    form_clear(); /* parts that do not touch are merged where there may be so few pieces only */
    for (int i = 0; i < 5; i++)
        form_box((double[3]){3 * i, 0, 0}, (double[3]){3 * i + 1, 1, 1});
    tl_pieces *pieces = split(0, 2, 0);
    const tl_pieces_info info = tl_pieces_describe(pieces);
    check_sound(&info, 2, 64);
    assert_int_equal(info.count, 2);
    tl_pieces_destroy(pieces);
}

static void few_vertices(void **state)
{
    (void)state;
    double last = 0;
    form_sphere(4);
    for (size_t vertices = 128; vertices >= 4; vertices /= 2) {
        context("%zu vertices", vertices);
        tl_pieces *pieces = split(0.1, 0, vertices);
        const tl_pieces_info info = tl_pieces_describe(pieces);
        check_sound(&info, 1, vertices);
        assert_int_equal(info.pieces[0].vertex_count, vertices);
        assert_above(info.fit.missing, last); /* of the mesh, which it is inside of */
        assert_below(info.fit.protrusion, 1e-9);
        last = info.fit.missing;
        tl_pieces_destroy(pieces);
    }
    enum { SIDES = 90 }; /* faces with more corners than the narrow phase takes */
    static double corners[SIDES][2];
    for (int i = 0; i < SIDES; i++) {
        corners[i][0] = cos(2 * PI * i / SIDES);
        corners[i][1] = sin(2 * PI * i / SIDES);
    }
    form_clear();
    form_prism(SIDES, corners, (double[2]){0, 0}, 0.5);
    tl_pieces *pieces = split(0, 0, 255);
    const tl_pieces_info info = tl_pieces_describe(pieces);
    check_sound(&info, 1, 64);
    assert_int_equal(info.pieces[0].vertex_count, 64); /* 32 around each end */
    assert_below(info.fit.deviation_max,
                 1 - cos(4.01 * PI / SIDES)); /* 3 sides, or 4 where uneven */
    tl_pieces_destroy(pieces);
}

/* ---- Nasty ones ---- */

/* A sheet of 1000 : 1 with a hole is not a sheet without one. */
static void thin_sheet(void **state)
{
    (void)state;
    form_cells((int[3]){3, 3, 1}, "####.####");
    for (size_t v = 0; v < the_form.vertex_count; v++)
        the_form.vertices[v][2] *= 0.003;
    tl_pieces *pieces = split(0, 0, 0);
    const tl_pieces_info info = tl_pieces_describe(pieces);
    check_sound(&info, 4, 64);
    assert_int_equal(info.count, 4);
    assert_below(info.fit.excess, 1e-12);
    tl_pieces_destroy(pieces);
}

/* Parts that touch in a face, an edge and a corner, and one inside the hollow of another. */
static void touching_parts(void **state)
{
    (void)state;
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    form_box((double[3]){1, 0.25, 0.25}, (double[3]){2, 0.75, 0.75});
    form_box((double[3]){1, 1, 1}, (double[3]){2, 2, 2});
    form_box((double[3]){-1, -1, 0.1}, (double[3]){0, 0, 0.9});
    tl_pieces *pieces = split(0.01, 0, 0);
    tl_pieces_info info = tl_pieces_describe(pieces);
    check_sound(&info, 4, 64);
    assert_int_equal(info.count, 4);
    assert_below(info.fit.protrusion, 1e-12);
    tl_pieces_destroy(pieces);
    form_cells((int[3]){5, 5, 5}, "#########################"
                                  "######...##...##...######"
                                  "######...##.#.##...######"
                                  "######...##...##...######"
                                  "#########################");
    pieces = split(0.01, 0, 0);
    info = tl_pieces_describe(pieces);
    check_sound(&info, 9, 64);
    assert_in_range(info.count, 7, 9);
    assert_below(info.fit.protrusion, 0.01);
    assert_below(info.fit.excess, 0.1);
    tl_pieces_destroy(pieces);
}

/* Needles, and a mesh of triangles without an area. */
static void slivers(void **state)
{
    (void)state;
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1e-5, 1e-5, 1});
    form_box((double[3]){-1e-5, 0, 0.5}, (double[3]){-2, 1e-5, 0.6});
    for (size_t t = 12; t < the_form.triangle_count; t++) { /* turned round: it was mirrored */
        uint32_t *v = the_form.triangles[t];
        const uint32_t first = v[0];
        v[0] = v[1];
        v[1] = first;
    }
    tl_pieces *pieces = split(0, 0, 0);
    const tl_pieces_info info = tl_pieces_describe(pieces);
    check_sound(&info, 4, 64);
    tl_pieces_destroy(pieces);
}

static void same_each_time(void **state)
{
    (void)state;
    form_torus(1, 0.3, 24, 12);
    tl_pieces *a = split(0.05, 0, 0), *b = split(0.05, 0, 0);
    const tl_pieces_info x = tl_pieces_describe(a), y = tl_pieces_describe(b);
    assert_int_equal(x.count, y.count);
    for (size_t i = 0; i < x.count; i++) {
        const size_t count = x.pieces[i].vertex_count;
        assert_int_equal(count, y.pieces[i].vertex_count);
        assert_memory_equal(x.pieces[i].vertices, y.pieces[i].vertices, 3 * count * sizeof(double));
    }
    tl_pieces_destroy(a);
    tl_pieces_destroy(b);
}

static void refusals(void **state)
{
    (void)state;
    tl_split_def def = tl_split_default();
    tl_pieces *pieces;
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    tl_mesh *mesh = form_mesh();
    def.tolerance = -1;
    assert_refused(tl_mesh_split(mesh, &def, &pieces), TL_BAD_ARGUMENT,
                   "tolerance is -1; it must be finite and >= 0");
    def = tl_split_default();
    def.most = 0;
    assert_refused(tl_mesh_split(mesh, &def, &pieces), TL_BAD_ARGUMENT,
                   "most is 0; it must be from 1 to 4096");
    def = tl_split_default();
    def.vertices = 256;
    assert_refused(tl_mesh_split(mesh, &def, &pieces), TL_BAD_ARGUMENT,
                   "vertices is 256; it must be from 4 to 255");
    def = tl_split_default();
    assert_status(tl_mesh_split(NULL, &def, &pieces), TL_BAD_ARGUMENT);
    assert_status(tl_mesh_split(mesh, NULL, &pieces), TL_BAD_ARGUMENT);
    assert_status(tl_mesh_split(mesh, &def, NULL), TL_BAD_ARGUMENT);
    tl_mesh_destroy(mesh);
    the_form.triangle_count--;
    mesh = form_mesh();
    assert_status(tl_mesh_split(mesh, &def, &pieces), TL_BAD_DATA);
    assert_non_null(strstr(tl_last_message(), "3 of its edges belong to one triangle alone"));
    assert_null(pieces);
    tl_mesh_destroy(mesh);
    tl_pieces_destroy(NULL);
    assert_int_equal(tl_pieces_describe(NULL).count, 0);
}

/* Allocations fail one at a time, ever farther apart: there are some thousand. */
static void no_memory(void **state)
{
    (void)state;
    const tl_allocator allocator = {failing_allocate, counting_release, NULL};
    tl_status status = TL_NO_MEMORY;
    form_cells(blocks[4].size, blocks[4].cells);
    for (size_t at = 1; status == TL_NO_MEMORY; at += 1 + at / 8) {
        tl_split_def def = tl_split_default();
        tl_pieces *pieces = NULL;
        tl_mesh *mesh = form_mesh();
        memory.calls = 0;
        memory.fail_at = at;
        tl_set_allocator(&allocator);
        status = tl_mesh_split(mesh, &def, &pieces);
        tl_pieces_destroy(pieces);
        tl_set_allocator(NULL);
        tl_mesh_destroy(mesh);
        context("allocation %zu", at);
        assert_status(status, memory.calls < at ? TL_OK : TL_NO_MEMORY);
        assert_int_equal(memory.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_apart_exactly),
        cmocka_unit_test(come_apart_askew),
        cmocka_unit_test(random_blocks),
        cmocka_unit_test(convex_is_one),
        cmocka_unit_test(torus),
        cmocka_unit_test(random_lumps),
        cmocka_unit_test(at_most),
        cmocka_unit_test(few_vertices),
        cmocka_unit_test(thin_sheet),
        cmocka_unit_test(touching_parts),
        cmocka_unit_test(slivers),
        cmocka_unit_test(same_each_time),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
