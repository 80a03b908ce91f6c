/* Splits a mesh into pieces that are nearly convex: the piece whose hull sticks out farthest is cut
 * along a plane, until all hulls are within the tolerance; then neighbours whose common hull is,
 * too, become one. Which plane is best is decided by volumes, which are exact: those of the hulls
 * of what a cut leaves, less what they are hulls of. Called by pieces.c. */
#include "mesh/convex.h"

#include <string.h>

enum { REFINED = 3 };              /* how often the step along the normal of a plane is halved */
static const double enough = 1e-9; /* of a volume: what is convex but for rounding */
static const double uneven = 0.3;  /* how much worse a cut is that leaves almost all on one side */
static const double favour = 0.8;  /* what the score of planes of faces is multiplied by */
static const double even_exact = 0.02; /* of an excess: what exact cuts are taken to leave */

void tl_convex_free_pieces(tl_array *pieces)
{
    tl_piece_rec *all = pieces->data;
    for (size_t i = 0; i < pieces->count; i++) {
        tl_chain_free(&all[i].chain);
        tl_mesh_destroy(all[i].hull);
    }
    tl_array_free(pieces);
}

double tl_convex_volume(const tl_mesh *mesh)
{
    double six = 0;
    for (size_t i = 0; i < tl_mesh_triangle_count(mesh); i++) {
        const double *corners[3];
        double p[3][3], across[3];
        tl_mesh_corners(mesh, i, corners);
        for (int c = 0; c < 3; c++)
            tl_sub(corners[c], mesh->low, p[c]);
        tl_cross(p[1], p[2], across);
        six += tl_dot(p[0], across);
    }
    return six / 6;
}

/* ---- Pieces ---- */

/* The hull of points; NULL where they are too flat to have one. */
static tl_status hull_of(const tl_array *points, tl_mesh **hull)
{
    const tl_status status = tl_mesh_create_hull(points->count / 3, points->data, hull);
    return status == TL_BAD_ARGUMENT ? TL_OK : status;
}

static bool is_convex(const tl_piece_rec *piece)
{
    return piece->hull_volume - piece->chain.volume <= enough * piece->hull_volume;
}

/* Finds hull and excess of a piece whose points are those of its chain, or given. */
static tl_status measure(const tl_convex *convex, const tl_array *points, tl_piece_rec *piece)
{
    tl_mesh *full = NULL;
    TL_TRY(hull_of(points, &full));
    if (!full)
        return TL_OK;
    piece->hull_volume = tl_convex_volume(full);
    tl_status status = tl_hull_simplify(full, convex->vertices, &piece->hull);
    tl_mesh_destroy(full);
    if (status == TL_OK && !is_convex(piece))
        status = tl_convex_excess(convex, piece->hull, &piece->excess);
    if (status < 0) {
        tl_mesh_destroy(piece->hull);
        piece->hull = NULL;
    }
    return status;
}

/* Makes pieces of parts, which are theirs then. Parts that are too flat for a hull are left out. */
static tl_status add_pieces(tl_convex *convex, tl_array *parts)
{
    TL_TRY(tl_array_reserve(&convex->pieces, convex->pieces.count + parts->count));
    for (size_t i = 0; i < parts->count; i++) {
        tl_piece_rec piece = {.chain = ((tl_chain *)parts->data)[i]};
        TL_TRY(measure(convex, &piece.chain.vertices, &piece));
        if (!piece.hull)
            continue;
        TL_TRY(tl_array_append(&convex->pieces, &piece, 1)); /* there is room: cannot fail */
        ((tl_chain *)parts->data)[i] = (tl_chain){0};
    }
    return TL_OK;
}

/* ---- Cuts ---- */

/* How good a cut is: what the hulls of its parts have too much, as a part of what there is now, and
 * how even it is; less is better. Infinite: it leaves one part. */
static tl_status score(const tl_convex *convex, const tl_piece_rec *piece, const double plane[4],
                       double *out)
{
    tl_array parts = {.item = sizeof(tl_chain)};
    const double now = piece->hull_volume - piece->chain.volume;
    double hulls = 0, volumes = 0, largest = 0;
    tl_status status = tl_chain_cut(&piece->chain, plane, tl_convex_rounding * convex->size,
                                    convex->least, &parts);
    const tl_chain *all = parts.data;
    for (size_t i = 0; i < parts.count && status == TL_OK && parts.count > 1; i++) {
        tl_mesh *hull = NULL;
        status = hull_of(&all[i].vertices, &hull);
        hulls += hull ? tl_convex_volume(hull) : 0;
        volumes += all[i].volume;
        largest = tl_max(largest, all[i].volume);
        tl_mesh_destroy(hull);
    }
    const double left = tl_max(hulls - volumes, 0) / now;
    const double rest = volumes - largest;
    *out = parts.count > 1
               ? (left + even_exact) * (1 + uneven * tl_max(largest - rest, 0) / volumes)
               : INFINITY;
    tl_chains_free(&parts);
    return status;
}

static tl_status try_plane(const tl_convex *convex, const tl_piece_rec *piece,
                           const double plane[4], double best[4], double *least)
{
    double found;
    TL_TRY(score(convex, piece, plane, &found));
    if (found < *least) {
        *least = found;
        memcpy(best, plane, 4 * sizeof *best);
    }
    return TL_OK;
}

/* Moves the best plane along its normal, by halves of the distance between those tried. */
static tl_status refine(const tl_convex *convex, const tl_piece_rec *piece, double best[4],
                        double *least)
{
    const double *x = piece->chain.vertices.data;
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < piece->chain.vertices.count / 3; v++) {
        const double h = tl_dot(best, x + 3 * v);
        low = tl_min(low, h);
        high = tl_max(high, h);
    }
    double step = (high - low) / 16;
    for (int round = 0; round < REFINED; round++, step /= 2)
        for (int way = -1; way <= 1; way += 2) {
            double moved[4];
            memcpy(moved, best, sizeof moved);
            moved[3] += way * step;
            TL_TRY(try_plane(convex, piece, moved, best, least));
        }
    return TL_OK;
}

/* The best plane to cut a piece along; `least` is infinite where there is none. Where planes of
 * faces cut it into convex parts, no other are looked at: an L becomes two boxes. */
static tl_status find_plane(const tl_convex *convex, const tl_piece_rec *piece, tl_array *planes,
                            double best[4], double *least)
{
    const double exact = even_exact * (1 + uneven) * (1 + 1e-6);
    size_t of_faces;
    *least = INFINITY;
    TL_TRY(tl_convex_planes(&piece->chain, convex->size, planes, &of_faces));
    for (size_t i = 0; i < of_faces; i++)
        TL_TRY(try_plane(convex, piece, (const double *)planes->data + 4 * i, best, least));
    if (*least <= exact)
        return TL_OK;
    const double among_faces = *least *= favour;
    for (size_t i = of_faces; i < planes->count; i++)
        TL_TRY(try_plane(convex, piece, (const double *)planes->data + 4 * i, best, least));
    return *least < among_faces ? refine(convex, piece, best, least) : TL_OK;
}

/* Cuts piece i in place of it. */
static tl_status cut_piece(tl_convex *convex, size_t i, tl_array *planes)
{
    tl_array parts = {.item = sizeof(tl_chain)};
    tl_piece_rec *piece = (tl_piece_rec *)convex->pieces.data + i;
    double plane[4], least;
    TL_TRY(find_plane(convex, piece, planes, plane, &least));
    if (!(least < INFINITY)) {
        piece->whole = true;
        return TL_OK;
    }
    const size_t before = convex->pieces.count;
    tl_status status = tl_chain_cut(&piece->chain, plane, tl_convex_rounding * convex->size,
                                    convex->least, &parts);
    if (status == TL_OK)
        status = add_pieces(convex, &parts);
    tl_chains_free(&parts);
    TL_TRY(status);
    piece = (tl_piece_rec *)convex->pieces.data + i; /* it may have moved */
    if (convex->pieces.count == before) {
        piece->whole = true;
        return TL_OK;
    }
    tl_chain_free(&piece->chain);
    tl_mesh_destroy(piece->hull);
    *piece = ((tl_piece_rec *)convex->pieces.data)[--convex->pieces.count];
    return TL_OK;
}

/* The piece that sticks out farthest of those that can be cut; `count` where all do. */
static size_t worst_piece(const tl_convex *convex)
{
    const tl_piece_rec *all = convex->pieces.data;
    const size_t count = convex->pieces.count;
    size_t worst = count;
    for (size_t i = 0; i < count; i++)
        if (!all[i].whole && all[i].excess > convex->tolerance &&
            (worst == count || all[i].excess > all[worst].excess))
            worst = i;
    return worst;
}

/* ---- Merging ---- */

/* Two pieces whose hulls may become one. */
typedef struct couple {
    uint32_t a, b;
    double extra; /* m^3 that their hull has more */
} couple;

static bool are_near(const tl_mesh *a, const tl_mesh *b, double room)
{
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] + room || b->low[k] > a->high[k] + room)
            return false;
    return true;
}

/* The vertices of two hulls. */
static tl_status join_points(const tl_piece_rec *a, const tl_piece_rec *b, tl_array *points)
{
    points->count = 0;
    TL_TRY(tl_array_append(points, a->hull->vertices.data, a->hull->vertices.count));
    return tl_array_append(points, b->hull->vertices.data, b->hull->vertices.count);
}

/* Appends the couples of piece i with those before it: that may be within the tolerance, or all. */
static tl_status add_couples(const tl_convex *convex, size_t i, bool any, tl_array *points,
                             tl_array *couples)
{
    const tl_piece_rec *all = convex->pieces.data;
    for (size_t j = 0; j < i; j++) {
        tl_mesh *hull = NULL;
        const double room = any ? INFINITY : tl_convex_rounding * convex->size;
        if (!all[i].hull || !all[j].hull || !are_near(all[i].hull, all[j].hull, room))
            continue;
        TL_TRY(join_points(&all[i], &all[j], points));
        TL_TRY(hull_of(points, &hull));
        if (!hull)
            continue;
        const couple found = {(uint32_t)j, (uint32_t)i,
                              tl_convex_volume(hull) - all[i].chain.volume - all[j].chain.volume};
        const bool fits = any || found.extra <= convex->tolerance * hull->area;
        tl_mesh_destroy(hull);
        if (fits)
            TL_TRY(tl_array_append(couples, &found, 1));
    }
    return TL_OK;
}

/* Takes the couple with the least extra out of the list; false: there is none left. */
static bool take_couple(const tl_convex *convex, tl_array *couples, couple *out)
{
    const tl_piece_rec *all = convex->pieces.data;
    couple *list = couples->data;
    size_t best = 0, kept = 0;
    for (size_t i = 0; i < couples->count; i++)
        if (all[list[i].a].hull && all[list[i].b].hull)
            list[kept++] = list[i];
    couples->count = kept;
    for (size_t i = 1; i < kept; i++)
        if (list[i].extra < list[best].extra)
            best = i;
    if (!kept)
        return false;
    *out = list[best];
    list[best] = list[--couples->count];
    return true;
}

/* Makes one piece of two where that keeps to the tolerance, or of any: it is appended, and they
 * have no hull any more. */
static tl_status merge(tl_convex *convex, const couple *c, bool any, tl_array *points, bool *merged)
{
    tl_piece_rec *all = convex->pieces.data, joint = {.whole = true};
    TL_TRY(join_points(&all[c->a], &all[c->b], points));
    joint.chain.volume = all[c->a].chain.volume + all[c->b].chain.volume;
    tl_status status = tl_array_reserve(&convex->pieces, convex->pieces.count + 1);
    if (status == TL_OK)
        status = measure(convex, points, &joint);
    *merged = status == TL_OK && joint.hull && (any || joint.excess <= convex->tolerance);
    if (!*merged) {
        tl_mesh_destroy(joint.hull);
        return status;
    }
    all = convex->pieces.data;
    const uint32_t both[2] = {c->a, c->b};
    for (int k = 0; k < 2; k++) {
        tl_piece_rec *old = &all[both[k]];
        tl_chain_free(&old->chain);
        tl_mesh_destroy(old->hull);
        *old = (tl_piece_rec){0};
    }
    return tl_array_append(&convex->pieces, &joint, 1); /* there is room: cannot fail */
}

/* Merges what may be; or, with `any`, so many that no more are left than there may be. */
static tl_status merge_pieces(tl_convex *convex, bool any)
{
    tl_array points = {.item = sizeof(double)}, couples = {.item = sizeof(couple)};
    tl_status status = TL_OK;
    couple next;
    size_t left = convex->pieces.count;
    for (size_t i = 1; i < convex->pieces.count && status == TL_OK; i++)
        status = add_couples(convex, i, any, &points, &couples);
    while (status == TL_OK && !(any && left <= convex->most) &&
           take_couple(convex, &couples, &next)) {
        bool merged;
        status = merge(convex, &next, any, &points, &merged);
        if (status != TL_OK || !merged)
            continue;
        left--;
        status = add_couples(convex, convex->pieces.count - 1, any, &points, &couples);
    }
    tl_array_free(&points);
    tl_array_free(&couples);
    tl_piece_rec *all = convex->pieces.data;
    size_t kept = 0;
    for (size_t i = 0; i < convex->pieces.count; i++)
        if (all[i].hull)
            all[kept++] = all[i];
    convex->pieces.count = kept;
    return status;
}

/* ---- All of it ---- */

tl_status tl_convex_split(tl_convex *convex)
{
    tl_array parts = {.item = sizeof(tl_chain)}, planes = {.item = 4 * sizeof(double)};
    tl_status status = tl_chain_of_mesh(convex->mesh, convex->least, &parts);
    if (status == TL_OK)
        status = add_pieces(convex, &parts);
    tl_chains_free(&parts);
    while (status == TL_OK && convex->pieces.count < convex->most) {
        const size_t worst = worst_piece(convex);
        if (worst == convex->pieces.count)
            break;
        status = cut_piece(convex, worst, &planes);
    }
    tl_array_free(&planes);
    if (status == TL_OK)
        status = merge_pieces(convex, false);
    if (status == TL_OK && convex->pieces.count > convex->most)
        status = merge_pieces(convex, true); /* parts that hang together nowhere, above all */
    return status;
}
