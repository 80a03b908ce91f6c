/* The table of bodies and shapes that viewers are sent before the frames. See view/frame.h. */
#include "frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How finely the edges of rounded hulls are drawn. */
enum { SEGMENTS = 24 };

/* Makes room for `more` items; false: no memory. */
static bool grow(void **items, size_t *room, size_t count, size_t more, size_t size)
{
    if (count + more <= *room) {
        return true;
    }
    size_t wanted = *room ? *room * 2 : 64;
    while (wanted < count + more) {
        wanted *= 2;
    }
    void *moved = realloc(*items, wanted * size);
    if (!moved) {
        return false;
    }
    *items = moved;
    *room = wanted;
    return true;
}

static void narrow(const double *from, float *to, int count)
{
    for (int i = 0; i < count; i++) {
        to[i] = (float)from[i];
    }
}

static const tl_geometry_info *geometry_of(const view_geometries *geometries,
                                           const tl_shape_def *def)
{
    const uint32_t index = def->geometry.index;
    return geometries && index && index <= geometries->count ? &geometries->infos[index - 1] : NULL;
}

/* About half of how thick a shape is where it is thinnest: what positions have to be fine for. */
static double thickness(const tl_shape_def *def, double reach)
{
    const double *h = def->half_extents;
    switch (def->kind) {
    case TL_SPHERE:
    case TL_CAPSULE: return def->radius;
    case TL_CYLINDER:
    case TL_CONE: return fmin(def->radius, def->half_length);
    case TL_BOX:
    case TL_ELLIPSOID: return fmin(h[0], fmin(h[1], h[2]));
    case TL_HULL: return reach / 4;
    default: return INFINITY;
    }
}

/* Copies a surface; false: no memory. */
static bool copy_surface(const tl_surface *surface, view_form *form)
{
    const tl_surface_info info = tl_surface_describe(surface);
    form->vertices = malloc((info.vertex_count + 1) * sizeof *form->vertices);
    form->triangles = malloc((3 * info.triangle_count + 1) * sizeof *form->triangles);
    if (!form->vertices || !form->triangles) {
        return false;
    }
    form->vertex_count = info.vertex_count;
    form->triangle_count = info.triangle_count;
    for (size_t i = 0; i < info.vertex_count; i++) {
        narrow(info.vertices + 3 * i, form->vertices[i].position, 3);
        narrow(info.normals + 3 * i, form->vertices[i].normal, 3);
    }
    memcpy(form->triangles, info.triangles, 3 * info.triangle_count * sizeof *form->triangles);
    return true;
}

static void free_form(view_form *form)
{
    free(form->vertices);
    free(form->triangles);
}

/* The number of the form of a shape, which is made where it is new; 0: the shape needs none. False:
 * no memory, or a geometry that is not there. */
static bool find_form(view_table *table, const tl_shape_def *def, const tl_geometry_info *geometry,
                      uint32_t *number)
{
    *number = 0;
    if (def->kind != TL_HULL && def->kind != TL_MESH && def->kind != TL_HEIGHTS) {
        return true;
    }
    const double rounding = def->kind == TL_HULL ? def->rounding : 0;
    for (size_t i = 0; i < table->form_count; i++) {
        const view_form *form = &table->forms[i];
        if (form->geometry == def->geometry.index && form->rounding == rounding) {
            *number = (uint32_t)i + 1;
            return true;
        }
    }
    view_form form = {.geometry = def->geometry.index, .rounding = rounding};
    tl_surface *surface = NULL;
    const bool good = grow((void **)&table->forms, &table->form_room, table->form_count, 1,
                           sizeof *table->forms) &&
                      tl_surface_create(def, geometry, SEGMENTS, &surface) >= 0 &&
                      copy_surface(surface, &form);
    tl_surface_destroy(surface);
    if (!good) {
        free_form(&form);
        return false;
    }
    table->forms[table->form_count++] = form;
    *number = (uint32_t)table->form_count;
    return true;
}

static void add_ball(view_table *table, uint32_t index, const tl_shape_def *def)
{
    view_ball *ball = &table->balls[table->ball_count++];
    *ball =
        (view_ball){.body = index, .material = def->material.index, .radius = (float)def->radius};
    narrow(def->position, ball->position, 3);
}

/* The numbers of a solid's size, as docs/viewer-protocol.md says. */
static void put_size(const tl_shape_def *def, float size[6])
{
    switch (def->kind) {
    case TL_BOX:
        narrow(def->half_extents, size, 3);
        size[3] = (float)def->rounding;
        break;
    case TL_ELLIPSOID: narrow(def->half_extents, size, 3); break;
    case TL_PARALLELOGRAM:
        narrow(def->edge_u, size, 3);
        narrow(def->edge_v, size + 3, 3);
        break;
    case TL_CAPSULE:
    case TL_CYLINDER:
    case TL_CONE:
        size[0] = (float)def->radius;
        size[1] = (float)def->half_length;
        size[2] = (float)(def->kind == TL_CYLINDER ? def->rounding : 0);
        break;
    case TL_HULL: size[0] = (float)def->rounding; break;
    default: break;
    }
}

static bool add_solid(view_table *table, uint32_t index, const tl_shape_def *def,
                      const tl_geometry_info *geometry)
{
    uint32_t form;
    if (!find_form(table, def, geometry, &form)) {
        return false;
    }
    view_solid *solid = &table->solids[table->solid_count++];
    *solid = (view_solid){.body = index,
                          .material = def->material.index,
                          .kind = (uint8_t)def->kind,
                          .sensor = def->sensor,
                          .form = form};
    narrow(def->position, solid->position, 3);
    narrow(def->orientation, solid->orientation, 4);
    put_size(def, solid->size);
    return true;
}

/* A sensor is looked through, as walls are, and balls are not: a round one is drawn as a solid. */
static tl_shape_def as_seen(const tl_shape_def *def)
{
    tl_shape_def seen = *def;
    if (def->sensor && def->kind == TL_SPHERE) {
        seen.kind = TL_ELLIPSOID;
        for (int k = 0; k < 3; k++) {
            seen.half_extents[k] = def->radius;
        }
    }
    return seen;
}

/* Adds the shapes behind a body's row; false: no memory. */
static bool add_shapes(view_table *table, view_body *body, size_t count,
                       const tl_shape_info *shapes, const view_geometries *geometries)
{
    double radius = 0;
    for (size_t i = 0; i < count; i++) {
        const tl_shape_def seen = as_seen(&shapes[i].def), *def = &seen;
        const tl_geometry_info *geometry = geometry_of(geometries, def);
        const double reach = tl_shape_reach(def, geometry), half = thickness(def, reach);
        radius = fmax(radius, reach);
        if (def->kind == TL_SPHERE) {
            add_ball(table, body->index, def);
        } else if (!add_solid(table, body->index, def, geometry)) {
            return false;
        } else {
            for (int e = 0; e < 2 && def->kind == TL_CAPSULE; e++) { /* of a rod; else 0 */
                table->solids[table->solid_count - 1].size[4 + e] = (float)shapes[i].ends[e].index;
            }
        }
        if (body->kind != TL_FIXED && !def->sensor && isfinite(half) &&
            (table->smallest == 0 || half < table->smallest)) {
            table->smallest = half;
        }
    }
    body->radius = (float)radius;
    body->balls = table->ball_count - body->ball;
    body->solids = table->solid_count - body->solid;
    return true;
}

bool view_table_add(view_table *table, uint32_t index, tl_body_kind kind, double mass, size_t count,
                    const tl_shape_info *shapes, const view_geometries *geometries)
{
    if (!grow((void **)&table->bodies, &table->body_room, table->body_count, 1,
              sizeof *table->bodies) ||
        !grow((void **)&table->balls, &table->ball_room, table->ball_count, count,
              sizeof *table->balls) ||
        !grow((void **)&table->solids, &table->solid_room, table->solid_count, count,
              sizeof *table->solids)) {
        return false;
    }
    view_body *body = &table->bodies[table->body_count];
    *body = (view_body){.index = index,
                        .kind = (uint8_t)kind,
                        .mass = (float)mass,
                        .ball = table->ball_count,
                        .solid = table->solid_count};
    if (!add_shapes(table, body, count, shapes, geometries)) {
        table->ball_count = body->ball;
        table->solid_count = body->solid;
        return false;
    }
    table->body_count++;
    /* large flat things show a packed orientation's error */
    body->how = kind == TL_FIXED || (kind != TL_DYNAMIC && body->solids) ? VIEW_EXACT : VIEW_PACKED;
    return true;
}

view_body *view_table_find(const view_table *table, uint32_t index)
{
    size_t low = 0, high = table->body_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (table->bodies[middle].index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < table->body_count && table->bodies[low].index == index ? &table->bodies[low]
                                                                        : NULL;
}

void view_table_free(view_table *table)
{
    free(table->bodies);
    free(table->balls);
    free(table->solids);
    for (size_t i = 0; i < table->form_count; i++) {
        free_form(&table->forms[i]);
    }
    free(table->forms);
    *table = (view_table){0};
}
