/* A result with a look, ready to be drawn: shapes as meshes and balls, materials, colours, lights,
 * camera. show.c opens it and sets moments, shapes.c makes meshes, color.c colours, view.c cameras.
 * job.c calls these. */
#ifndef TL_RENDER_SHOW_H
#define TL_RENDER_SHOW_H

#include "base/expression.h"
#include "render/look.h"
#include "render/path.h"
#include "render/replay.h"

/* A shape of a body that is not dynamic, while a show is opened. */
typedef struct tlr_rest_shape {
    uint32_t item;
    uint32_t rest; /* which of the replay's, from 0 */
    tl_shape_def def;
} tlr_rest_shape;

/* The size of a shape that may be a wall. */
typedef struct tlr_wall {
    uint32_t item;
    vec half, u, v;
} tlr_wall;

typedef struct tlr_coloring {
    tl_expression expression; /* empty: not by one */
    bool by_value;            /* of the expression */
    bool needs_force;
    double range[2];
    double *force; /* N, per row of the table of bodies; NULL: not needed */
} tlr_coloring;

typedef struct tlr_show {
    tlr_replay replay;
    const tlr_look *look;
    tlr_stage *stage;
    double from, to;  /* s */
    double seen_to;   /* s: the camera and colours look at what is from `from` to here */
    double open;      /* s, of the shutter, as last read */
    double middle[3]; /* m: places are counted from it */
    float radius;     /* m, of what is looked at, about the middle */
    float reach;      /* m, the same with everything but planes */
    vec up, east, north;
    tl_array balls; /* tlr_fit_ball: what the camera is to see */
    vec moving_middle;
    tl_array materials; /* tlr_material */
    tlr_shade *shades;  /* look->shade_count */
    tl_array walls;     /* tlr_wall, by item */
    long followed;      /* row of the body that the camera follows */
    double followed_reach, followed_place[3];
    bool followed_there;
    /* Rows of bodies first, as in the table of bodies; then the floor, and links of chains. */
    size_t body_room, item_room, item_count;
    tlr_body *bodies;
    uint32_t *colors;
    tlr_item *items;
    uint32_t *first;   /* first item of each row, and the end */
    tl_array poses;    /* tlr_pose_in: how items lie in their bodies */
    size_t pose_count; /* of these, those of the table's items */
    tlr_coloring coloring;
    uint32_t stones[TLR_MOST_STONES];   /* meshes that stand for balls */
    uint32_t objects[TLR_MOST_OBJECTS]; /* meshes of the look's scene, and their materials */
    uint32_t object_materials[TLR_MOST_OBJECTS];
    uint32_t chain_mesh, chain_material; /* a cylinder */
    uint32_t floor_mesh, floor_material; /* UINT32_MAX: none */
    double floor_height;                 /* m, along `up`, from the middle */
    tlr_lights lights;
    float *sky_picture;
    size_t sky_floats;
    uint64_t hash; /* of the scene and the look */
} tlr_show;

/* `growing`: the camera that fits and the range of colours are those of the first moment, so that
 * they stay as the result grows. */
tl_status tlr_show_open(const char *path, const tlr_look *look, const tlr_plugin *plugin,
                        uint32_t threads, bool growing, tlr_show *show);
void tlr_show_close(tlr_show *show);

/* Reads the poses around a time; `open` is how long the shutter is open, in s of the recording. */
tl_status tlr_show_read(tlr_show *show, double time, double open);

/* The hash of what was read. */
uint64_t tlr_show_hash(const tlr_show *show);

/* Room for more bodies and items behind those of the table: both keep what they have. */
tl_status tlr_show_make_room(tlr_show *show, tlr_moment *moment, size_t more);

/* Sets the stage and the tracer for what was read; `seconds` is the time of the movie. */
tl_status tlr_show_set(tlr_show *show, double time, double seconds, uint32_t frame,
                       tlr_tracer *tracer);

/* shapes.c: the items of a body, as it is read; what needs the size of the scene, later. */
typedef struct tlr_shaper tlr_shaper;
tl_status tlr_shaper_create(tlr_show *show, tlr_shaper **shaper);
tl_status tlr_shaper_take(void *shaper, const tl_body_info *body, size_t shape_count,
                          const tl_shape_info *shapes);
tl_status tlr_shaper_finish(tlr_shaper *shaper);
void tlr_shaper_destroy(tlr_shaper *shaper);
size_t tlr_shaper_rests(const tlr_shaper *shaper, const tlr_rest_shape **shapes);
tl_status tlr_show_make_floor(tlr_show *show);
void tlr_show_leave_out_walls(tlr_show *show, vec eye);

tl_status tlr_show_make_stones(tlr_show *show);
tl_status tlr_show_make_objects(tlr_show *show);
tl_status tlr_show_make_chains(tlr_show *show);

/* chains.c: adds the forces between bodies as cylinders. */
tl_status tlr_show_add_chains(tlr_show *show, double time, tlr_moment *moment);

/* color.c */
tl_status tlr_coloring_open(tlr_show *show);
void tlr_coloring_note(tlr_show *show, size_t row, const tl_body_info *body,
                       const tl_shape_def *first); /* colours that stay */
tl_status tlr_coloring_begin(tlr_show *show, double time);
uint32_t tlr_coloring_of(const tlr_show *show, size_t row, const tlr_pose *pose, double time);
double tlr_show_radius(const tlr_show *show, size_t row);
uint32_t tlr_map_color(int map, double part); /* part from 0 to 1; sRGB */

/* view.c */
tl_status tlr_view_measure(tlr_show *show, size_t rest_count, const tlr_rest_shape *rests);
tl_status tlr_view_find_body(tlr_show *show);
tl_status tlr_view_camera(const tlr_show *show, double time, double seconds, tlr_camera *camera);
tl_status tlr_view_check(const tlr_show *show, const tlr_camera *camera, double time);
void tlr_view_lights(tlr_show *show);

/* A point of the recording as it is drawn. */
static inline vec tlr_show_place(const tlr_show *s, const double x[3])
{
    return v3((float)(x[0] - s->middle[0]), (float)(x[1] - s->middle[1]),
              (float)(x[2] - s->middle[2]));
}

#endif
