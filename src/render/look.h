/* A look: everything about a movie that is not in the result. look.c has the templates and the
 * defaults, look_read.c reads look.json over them. docs/look.schema.json describes the file. */
#ifndef TL_RENDER_LOOK_H
#define TL_RENDER_LOOK_H

#include "render/csv.h"
#include "render/hash.h"
#include "render/light.h"
#include "render/material.h"
#include "render/shade.h"

enum {
    TLR_NAME = 128,
    TLR_TEXT = 256,
    TLR_MOST_KEYS = 64,
    TLR_MOST_NAMED = 256,
    TLR_MOST_STONES = 16,
    TLR_MOST_OBJECTS = 64
};

typedef enum tlr_view_kind {
    TLR_VIEW_FIT,    /* sees all, from a direction */
    TLR_VIEW_FIXED,  /* eye and target */
    TLR_VIEW_ORBIT,  /* as fit or fixed, and turns about the target */
    TLR_VIEW_FOLLOW, /* a body */
    TLR_VIEW_PATH    /* keys */
} tlr_view_kind;

typedef struct tlr_view_key {
    double time; /* s, of the recording */
    double eye[3], target[3];
    double fov; /* 0: that of the view */
} tlr_view_key;

typedef struct tlr_view {
    int kind; /* tlr_view_kind */
    bool orthographic;
    double height;                   /* m, that an orthographic picture shows; 0: it fits */
    double fov;                      /* degrees, from top to bottom */
    double azimuth, elevation;       /* degrees, of the eye seen from the target */
    double distance;                 /* m; 0: it fits */
    double turn;                     /* degrees per second of the movie */
    double margin;                   /* part of the picture that stays free around */
    double eye[3], target[3], up[3]; /* m; NAN: not given */
    char body[TLR_NAME];             /* that is followed */
    double lens;                     /* m, radius of the opening; 0: all is sharp */
    double focus;                    /* m; 0: the target */
    size_t key_count;
    tlr_view_key keys[TLR_MOST_KEYS];
} tlr_view;

/* A light with its place in metres, or in radii of the scene around its middle. */
typedef struct tlr_look_light {
    int kind;                            /* 0 disc, 1 quad */
    double azimuth, elevation, distance; /* degrees, radii of the scene */
    double radius;                       /* of a disc, radii of the scene, or m */
    double size[2];                      /* of a quad, likewise */
    double position[3], target[3];       /* m; NAN: by direction */
    double strength;                     /* radiance */
    vec color;
    bool seen; /* by the camera */
} tlr_look_light;

typedef struct tlr_named {
    char name[TLR_NAME];
    tlr_material material;
} tlr_named;

/* A mesh of the scene that bodies are put into. */
typedef struct tlr_look_object {
    char file[TLR_TEXT];
    double position[3]; /* m */
    double rotation[3]; /* degrees, about this axis */
    double scale;
    tlr_material material;
} tlr_look_object;

typedef struct tlr_look {
    int size[2];
    double fps, speed, from, to; /* s; NAN: all */
    double shutter;              /* part of the time between pictures */
    int64_t samples, bounces, seed;
    double noise;
    double exposure;
    int tone; /* 0 plain, 1 filmic */
    tlr_view view;
    struct {
        int kind; /* tlr_sky_kind */
        vec color, horizon, ground;
        double strength, turbidity;
        char file[TLR_TEXT];
    } sky;
    bool has_background;
    vec background;
    struct {
        bool on;
        double azimuth, elevation, strength, angle; /* degrees; irradiance */
        vec color;
    } sun;
    size_t light_count;
    tlr_look_light lights[TLR_MOST_AREAS];
    tlr_material moving, fixed, floor;
    bool has_floor;
    size_t material_count, body_count;
    tlr_named *materials; /* by names of the scene's materials; TLR_MOST_NAMED */
    tlr_named *bodies;    /* by names of bodies */
    struct {
        char by[TLR_TEXT]; /* body, name, material, an expression; "": as materials say */
        double range[2];   /* NAN: what the movie's first and last moment have */
        int map;           /* which of tlr_maps */
        bool legend;
    } color;
    size_t object_count;
    tlr_look_object objects[TLR_MOST_OBJECTS];
    size_t shade_count;
    tlr_shade_def shades[TLR_MOST_SHADES];
    size_t stone_count;
    char stones[TLR_MOST_STONES][TLR_TEXT]; /* mesh files that stand for balls */
    struct {
        bool on;
        double force;  /* N, of the thickest; 0: the greatest of the moment */
        double radius; /* m, of these; 0: of the scene */
        int map;
    } chains;
    tlr_csv_def input; /* how CSV files are read */
    bool denoise;
    bool cut;
    double cut_point[3], cut_normal[3]; /* NAN point: the middle of the scene */
    int walls;                          /* 0 open: those before the bodies are left out; 1 solid */
    double outline;                     /* pixels; 0: none */
    vec outline_color;
    char title[TLR_TEXT];
    bool clock, scale_bar;
    uint64_t hash; /* of the texts that it was made of */
} tlr_look;

extern const char *const tlr_templates[]; /* names; NULL at the end */
extern const char *const tlr_maps[];      /* of colours; NULL at the end */

/* A look of a template. TL_BAD_ARGUMENT where there is none of this name. Freed by
 * tlr_look_free(). */
tl_status tlr_look_create(const char *template_name, tlr_look **look);
void tlr_look_free(tlr_look *look);

/* The text of a template; NULL: there is none. */
const char *tlr_template_text(const char *name);

/* Reads look.json: its template, then what it says itself. */
tl_status tlr_look_read(const char *path, tlr_look **look);

/* The same of a text; `name` stands for the file in messages, `folder` is where files lie. */
tl_status tlr_look_parse(const char *name, const char *folder, const char *text, size_t length,
                         tlr_look *look);

/* Takes the camera of a link of the viewer, whose part after '#' has cam=...; false: it has none.
 */
bool tlr_look_link(tlr_look *look, const char *link);

/* Writes a look to begin with. */
tl_status tlr_look_write(const char *path, const char *template_name);

#endif
