/* What rays meet at one moment: bodies with their motion while the shutter is open, as Embree has
 * them. Spheres are Embree's own primitive, everything else is an instance of a mesh. Meshes stay
 * from moment to moment; moment.c sets bodies and items, path.c shoots rays. */
#ifndef TL_RENDER_STAGE_H
#define TL_RENDER_STAGE_H

#include "render/light.h"
#include "render/material.h"
#include "render/shade.h"

/* A body while the shutter is open: at time t, from 0 to 1, it is at place + t move, turned by
 * t spin after `turned`. */
typedef struct tlr_body {
    vec place, move;
    quat turned;
    vec spin; /* rad, about this axis */
    uint32_t number : 31;
    uint32_t there : 1; /* it is drawn */
} tlr_body;

enum { TLR_BALL = UINT32_MAX, TLR_NOT_DRAWN = UINT32_MAX - 1, TLR_PLAIN = UINT32_MAX };

/* How a shape lies in its body. */
typedef struct tlr_pose_in {
    vec at;
    quat turned;
    vec scale; /* of a mesh, along its own axes */
} tlr_pose_in;

/* A shape of a body. There are as many as shapes, so they are small. */
typedef struct tlr_item {
    uint32_t body;        /* which of the stage's */
    uint32_t mesh;        /* which mesh, TLR_BALL or TLR_NOT_DRAWN */
    uint32_t pose;        /* which of the stage's poses; TLR_PLAIN: as its body, of size 1 */
    float radius;         /* of a ball; of others, how far they reach */
    uint16_t material;    /* which of the stage's */
    uint8_t kind;         /* tl_shape_kind */
    uint8_t ground : 1;   /* a plane that bodies lie on: it fades with distance */
    uint8_t left_out : 1; /* of this moment: a wall that stands in the way */
    uint8_t spare : 6;    /* 0: items are compared as bytes */
} tlr_item;

/* Colours of bodies: sRGB in 24 bits, as maps and palettes have them, or that of the material. */
enum { TLR_OWN_COLOR = UINT32_MAX };

typedef struct tlr_hit {
    float distance;
    vec point;     /* lifted a little off the surface, to the ray's side */
    vec beyond;    /* the same, on the other side */
    vec normal;    /* unit, for shading, towards the ray's side */
    vec geometric; /* unit, of the surface itself, towards the ray's side */
    vec local;     /* the point in the frame of a ball's body, over its radius; 0 for meshes */
    vec inner;     /* m, the point in the frame of its body */
    uint32_t item; /* which item, where it is no light */
    int area;      /* which area light; -1: none */
    bool inside;   /* the ray came from inside of the item */
} tlr_hit;

typedef struct tlr_stage tlr_stage;

/* `cuts`: moments may have a cut plane. Threads (0: all) build the trees. */
tl_status tlr_stage_create(uint32_t threads, bool cuts, tlr_stage **stage);
void tlr_stage_destroy(tlr_stage *stage);

/* Adds a mesh; its arrays are copied. `normals` may be NULL: then faces are flat. */
tl_status tlr_stage_add_mesh(tlr_stage *stage, size_t vertex_count, const double *vertices,
                             const double *normals, size_t triangle_count,
                             const uint32_t *triangles, uint32_t *mesh);

/* The mesh of a number, from 0; false: there are no more. */
typedef struct tlr_mesh_view {
    size_t vertex_count, triangle_count;
    const float *vertices;
    const uint32_t *triangles;
} tlr_mesh_view;

bool tlr_stage_mesh(const tlr_stage *stage, uint32_t number, tlr_mesh_view *mesh);

/* Everything of a moment. The arrays stay the caller's, and stay as they are until the next call.
 */
typedef struct tlr_moment {
    size_t body_count, item_count, material_count;
    const tlr_body *bodies;
    const uint32_t *colors; /* of bodies; NULL: all as their material */
    const tlr_item *items;
    const tlr_pose_in *poses;
    const tlr_material *materials;
    const tlr_shade *shades; /* of materials; NULL: none */
    double middle[3], time;  /* m, s: of the world, for these */
    const tlr_lights *lights;
    bool moves; /* the shutter is open for some time */
    bool cut;   /* what is on the side of `cut_normal` of a plane is left out */
    vec cut_point, cut_normal;
} tlr_moment;

tl_status tlr_stage_set(tlr_stage *stage, const tlr_moment *moment);

/* Forgets the moment, so that its tree and the frames of the next do not add up in memory. */
void tlr_stage_clear(tlr_stage *stage);

/* The moment that was set. */
const tlr_moment *tlr_stage_moment(const tlr_stage *stage);

typedef struct tlr_ray {
    vec origin, direction;
    float time;
} tlr_ray;

/* The first things that rays meet, of ray k in places[k] of the last two arrays: quicker than one
 * by one, above all where neighbours go about the same way (`alike`). */
void tlr_stage_hits(const tlr_stage *stage, bool alike, size_t count, const tlr_ray *rays,
                    const uint32_t *places, bool *met, tlr_hit *hits);

/* The first thing that a ray meets at a time; false: nothing. */
bool tlr_stage_hit(const tlr_stage *stage, vec origin, vec direction, float time, tlr_hit *hit);

/* Whether something is nearer than `distance` along rays. */
typedef struct tlr_shadow {
    tlr_ray ray;
    float distance;
} tlr_shadow;

void tlr_stage_blocked(const tlr_stage *stage, size_t count, const tlr_shadow *shadows,
                       bool *blocked);

/* How an item lies in its body. */
static inline tlr_pose_in tlr_item_pose(const tlr_moment *m, const tlr_item *item)
{
    return item->pose == TLR_PLAIN ? (tlr_pose_in){{0, 0, 0}, {1, 0, 0, 0}, {1, 1, 1}}
                                   : m->poses[item->pose];
}

/* 24 bits of sRGB as linear numbers. */
vec tlr_linear_color(uint32_t rgb);

/* The colour of a body of a material. */
vec tlr_moment_color(const tlr_moment *m, uint32_t body, const tlr_material *material);

/* Where a body is at a time. */
static inline vec tlr_body_place(const tlr_body *b, float time)
{
    return v_along(b->place, time, b->move);
}

static inline quat tlr_body_turned(const tlr_body *b, float time)
{
    return turn_of(turn_by(v_scale(b->spin, time)), b->turned);
}

#endif
