/* Shapes: their defaults, and definitions checked and turned into records. Called by body.c for
 * each shape of a body. */
#include "scene/check.h"

#include <math.h>
#include <string.h>

static tl_shape_def shape_default(tl_shape_kind kind)
{
    return (tl_shape_def){
        .kind = kind, .orientation = {1, 0, 0, 0}, .group = 1, .mask = UINT32_MAX};
}

static tl_shape_def round_default(tl_shape_kind kind, double radius, double half_length)
{
    tl_shape_def shape = shape_default(kind);
    shape.radius = radius;
    shape.half_length = half_length;
    return shape;
}

static tl_shape_def extents_default(tl_shape_kind kind, double x, double y, double z)
{
    tl_shape_def shape = shape_default(kind);
    shape.half_extents[0] = x;
    shape.half_extents[1] = y;
    shape.half_extents[2] = z;
    return shape;
}

static tl_shape_def geometry_default(tl_shape_kind kind, tl_geometry geometry)
{
    tl_shape_def shape = shape_default(kind);
    shape.geometry = geometry;
    return shape;
}

tl_shape_def tl_sphere_default(double radius)
{
    return round_default(TL_SPHERE, radius, 0);
}

tl_shape_def tl_plane_default(void)
{
    return shape_default(TL_PLANE);
}

tl_shape_def tl_box_default(double hx, double hy, double hz)
{
    return extents_default(TL_BOX, hx, hy, hz);
}

tl_shape_def tl_parallelogram_default(const double edge_u[3], const double edge_v[3])
{
    tl_shape_def shape = shape_default(TL_PARALLELOGRAM);
    if (!edge_u || !edge_v) { /* the edges stay 0, which adding the body refuses */
        tl_refuse_null(edge_u ? "edge_v" : "edge_u");
        return shape;
    }
    memcpy(shape.edge_u, edge_u, sizeof shape.edge_u);
    memcpy(shape.edge_v, edge_v, sizeof shape.edge_v);
    return shape;
}

tl_shape_def tl_capsule_default(double radius, double half_length)
{
    return round_default(TL_CAPSULE, radius, half_length);
}

tl_shape_def tl_cylinder_default(double radius, double half_length)
{
    return round_default(TL_CYLINDER, radius, half_length);
}

tl_shape_def tl_cone_default(double radius, double half_length)
{
    return round_default(TL_CONE, radius, half_length);
}

tl_shape_def tl_ellipsoid_default(double a, double b, double c)
{
    return extents_default(TL_ELLIPSOID, a, b, c);
}

tl_shape_def tl_hull_default(tl_geometry geometry)
{
    return geometry_default(TL_HULL, geometry);
}

tl_shape_def tl_mesh_shape_default(tl_geometry geometry)
{
    return geometry_default(TL_MESH, geometry);
}

tl_shape_def tl_heights_default(tl_geometry geometry)
{
    return geometry_default(TL_HEIGHTS, geometry);
}

tl_shape_def tl_point_default(void)
{
    tl_shape_def shape = tl_sphere_default(0);
    shape.kind = TL_POINT;
    return shape;
}

tl_shape_def tl_polygon_shape_default(tl_geometry geometry)
{
    return geometry_default(TL_POLYGON, geometry);
}

bool tl_shape_is_solid(uint32_t kind)
{
    return kind != TL_PLANE && kind != TL_PARALLELOGRAM && kind != TL_MESH && kind != TL_HEIGHTS;
}

/* Writes v over its largest component; returns false for a zero vector. */
static bool scale_to_one(const double v[3], double out[3])
{
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    for (int i = 0; i < 3; i++)
        out[i] = largest > 0 ? v[i] / largest : 0;
    return largest > 0;
}

bool tl_edges_span(const double edge_u[3], const double edge_v[3])
{
    double u[3], v[3], cross = 0, uu = 0, vv = 0;
    if (!scale_to_one(edge_u, u) || !scale_to_one(edge_v, v))
        return false;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double c = u[j] * v[k] - u[k] * v[j];
        cross += c * c;
        uu += u[i] * u[i];
        vv += v[i] * v[i];
    }
    return sqrt(cross) > 1e-9 * sqrt(uu * vv); /* the sine of the angle between them */
}

static tl_status record_edges(const tl_place *place, const tl_shape_def *def, tl_shape_rec *out)
{
    double scaled[3];
    if (!scale_to_one(def->edge_u, scaled))
        return tl_refuse(place, "edge_u", 3, def->edge_u, "it must not be zero");
    if (!scale_to_one(def->edge_v, scaled))
        return tl_refuse(place, "edge_v", 3, def->edge_v, "it must not be zero");
    if (!tl_edges_span(def->edge_u, def->edge_v))
        return tl_refuse(place, "edge_v", 3, def->edge_v, "it must not be parallel to edge_u");
    memcpy(out->edge_u, def->edge_u, sizeof out->edge_u);
    memcpy(out->edge_v, def->edge_v, sizeof out->edge_v);
    return TL_OK;
}

static tl_status record_length(const tl_place *place, const char *field, double length, double *out)
{
    *out = length;
    return length > 0 ? TL_OK : tl_refuse(place, field, 1, &length, "it must be > 0");
}

static tl_status record_extents(const tl_place *place, const tl_shape_def *def, tl_shape_rec *out)
{
    const double *half = def->half_extents;
    memcpy(out->half_extents, half, sizeof out->half_extents);
    if (half[0] > 0 && half[1] > 0 && half[2] > 0)
        return TL_OK;
    return tl_refuse(place, "half_extents", 3, half, "each must be > 0");
}

/* `most` is what the rounding must be smaller than. */
static tl_status record_rounding(const tl_place *place, double rounding, double most,
                                 const char *rule, tl_shape_rec *out)
{
    if (!(rounding >= 0 && rounding < most))
        return tl_refuse(place, "rounding", 1, &rounding, rule);
    out->rounding = rounding > 0 ? rounding : 0;
    return TL_OK;
}

static tl_status record_geometry(const tl_place *place, const tl_shape_def *def,
                                 const tl_array *geometries, tl_shape_rec *out)
{
    const uint32_t index = def->geometry.index;
    const size_t count = geometries ? geometries->count : 0;
    if (index < 1 || index > count)
        return tl_refuse_geometry(place, index, count, NULL, NULL);
    const tl_geometry_rec *geometry = (const tl_geometry_rec *)geometries->data + index - 1;
    const bool polygon = def->kind == TL_POLYGON && geometry->kind == TL_HULL;
    if (polygon ? !geometry->piece_count : geometry->kind != (uint32_t)def->kind)
        return tl_refuse_geometry(place, index, count, tl_word(TL_WORDS_SHAPE, geometry->kind),
                                  tl_word(TL_WORDS_SHAPE, def->kind));
    out->geometry = index;
    return TL_OK;
}

/* Meshes of a scene are split before they come here; a world has those that its scene split. */
static tl_status check_split(const tl_place *place, const tl_array *geometries, uint32_t index)
{
    if (((const tl_geometry_rec *)geometries->data)[index - 1].piece_count)
        return TL_OK;
    return tl_refuse_text(place, "geometry", "a mesh without convex pieces",
                          "on a dynamic body that is added to a world it needs those that "
                          "tl_scene_split_mesh() makes before the world");
}

/* Radius and half length of capsules, cylinders and cones. */
static tl_status record_round(const tl_place *place, const tl_shape_def *def, tl_shape_rec *out)
{
    TL_TRY(record_length(place, "radius", def->radius, &out->radius));
    return record_length(place, "half_length", def->half_length, &out->half_length);
}

/* The fields that the kind uses, of a shape whose numbers are all finite. The others stay zero, and
 * the orientation of a sphere, which changes nothing, is the identity, so that equal shapes have
 * equal bytes. */
static tl_status record_size(const tl_place *place, const tl_shape_def *def,
                             const tl_array *geometries, tl_shape_rec *out)
{
    static const double identity[4] = {1, 0, 0, 0};
    const double *half = def->half_extents;
    switch (def->kind) {
    case TL_SPHERE:
        memcpy(out->orientation, identity, sizeof identity);
        return record_length(place, "radius", def->radius, &out->radius);
    case TL_PLANE: return TL_OK;
    case TL_BOX:
        TL_TRY(record_extents(place, def, out));
        return record_rounding(place, def->rounding, fmin(half[0], fmin(half[1], half[2])),
                               "it must be >= 0 and smaller than each half extent", out);
    case TL_PARALLELOGRAM: return record_edges(place, def, out);
    case TL_CAPSULE:
    case TL_CONE: return record_round(place, def, out);
    case TL_CYLINDER:
        TL_TRY(record_round(place, def, out));
        return record_rounding(place, def->rounding, fmin(def->radius, def->half_length),
                               "it must be >= 0 and smaller than radius and half_length", out);
    case TL_ELLIPSOID: return record_extents(place, def, out);
    case TL_HULL:
        TL_TRY(record_rounding(place, def->rounding, INFINITY, "it must be >= 0", out));
        return record_geometry(place, def, geometries, out);
    case TL_MESH:
    case TL_HEIGHTS:
    case TL_POLYGON: return record_geometry(place, def, geometries, out);
    case TL_POINT:
        memcpy(out->orientation, identity, sizeof identity);
        out->kind = TL_SPHERE;
        return TL_OK;
    }
    return TL_OK;
}

tl_status tl_shape_rec_make(const tl_place *place, tl_body_kind body, const tl_shape_def *def,
                            uint32_t materials, const tl_array *geometries, tl_shape_rec *out)
{
    char constant[TL_CONSTANT_SIZE];
    memset(out, 0, sizeof *out);
    TL_TRY(tl_check_enum(place, "kind", def->kind, TL_WORDS_SHAPE));
    if (body == TL_DYNAMIC && !tl_shape_is_solid(def->kind) && def->kind != TL_MESH) {
        tl_word_constant(TL_WORDS_SHAPE, def->kind, constant);
        return tl_refuse_text(place, "kind", constant,
                              "a dynamic body takes solids only: plane, parallelogram and heights "
                              "belong to fixed or prescribed bodies");
    }
    TL_TRY(tl_check_material(place, "material", (size_t)materials + 1, def->material));
    TL_TRY(tl_check_finite(place, "position", 3, def->position));
    TL_TRY(tl_check_finite(place, "orientation", 4, def->orientation));
    TL_TRY(tl_check_finite(place, "radius", 1, &def->radius));
    TL_TRY(tl_check_finite(place, "half_extents", 3, def->half_extents));
    TL_TRY(tl_check_finite(place, "edge_u", 3, def->edge_u));
    TL_TRY(tl_check_finite(place, "edge_v", 3, def->edge_v));
    TL_TRY(tl_check_finite(place, "half_length", 1, &def->half_length));
    TL_TRY(tl_check_finite(place, "rounding", 1, &def->rounding));
    TL_TRY(tl_check_unit(place, "orientation", def->orientation, out->orientation));
    out->kind = def->kind;
    out->material = def->material.index;
    out->group = def->group;
    out->mask = def->mask;
    out->sensor = def->sensor;
    memcpy(out->position, def->position, sizeof out->position);
    TL_TRY(record_size(place, def, geometries, out));
    if (body == TL_DYNAMIC && def->kind == TL_MESH)
        return check_split(place, geometries, def->geometry.index);
    return TL_OK;
}

tl_status tl_shape_rec_solid(const tl_shape_def *def, const tl_array *geometries, tl_shape_rec *out)
{
    const tl_place place = tl_place_of("shape");
    tl_shape_def plain = *def;
    char constant[TL_CONSTANT_SIZE];
    memset(out, 0, sizeof *out);
    plain.material.index = 0;
    TL_TRY(tl_check_enum(&place, "kind", def->kind, TL_WORDS_SHAPE));
    if (def->kind == TL_PLANE || def->kind == TL_PARALLELOGRAM || def->kind == TL_MESH ||
        def->kind == TL_HEIGHTS) {
        tl_word_constant(TL_WORDS_SHAPE, def->kind, constant);
        return tl_refuse_text(
            &place, "kind", constant,
            "it must be a convex solid: no plane, parallelogram, mesh or heights");
    }
    return tl_shape_rec_make(&place, TL_FIXED, &plain, 0, geometries, out);
}
