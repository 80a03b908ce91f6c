/* What a viewer is shown: the table of bodies with their shapes, and frames, which are states with
 * positions and orientations packed to 12 bytes per body. Pure data without threads: view/server.c
 * packs the states of live runs, view/recording.c those of files, view/protocol.c writes both as
 * messages. */
#ifndef TALUS_VIEW_FRAME_H
#define TALUS_VIEW_FRAME_H

#include "talus/surface.h"
#include "talus/words.h"
#include "talus/world.h"

/* The rows of messages, laid out as docs/viewer-protocol.md says. */
typedef struct view_ball {
    uint32_t body, material;
    float position[3], radius;
} view_ball;

typedef struct view_solid {
    uint32_t body, material;
    uint8_t kind, sensor; /* sensor: 1 or 0 */
    uint16_t unused;
    uint32_t form; /* 1 + its place in the table, 0 where it has none */
    float position[3], orientation[4], size[6];
} view_solid;

/* A vertex of a form. */
typedef struct view_vertex {
    float position[3], normal[3];
} view_vertex;

typedef struct view_pose {
    double position[3];
    float orientation[4];
    uint32_t index, zero;
} view_pose;

_Static_assert(sizeof(view_ball) == 24 && sizeof(view_vertex) == 24 && sizeof(view_solid) == 68 &&
                   sizeof(view_pose) == 48,
               "rows of messages have no gaps");

/* How a body's pose is sent. */
enum { VIEW_UNKNOWN = 0, VIEW_PACKED = 1, VIEW_EXACT = 2 };

/* A body of the table. */
typedef struct view_body {
    uint32_t index;
    uint8_t kind;                      /* tl_body_kind */
    uint8_t how;                       /* VIEW_PACKED, VIEW_EXACT */
    bool gone;                         /* live runs: removed, and never to return */
    float mass;                        /* kg */
    float radius;                      /* m, about its origin */
    size_t ball, balls, solid, solids; /* first and count in the table's arrays */
} view_body;

/* The surface of a hull, a mesh or a height field, as shapes of one rounding share it. */
typedef struct view_form {
    uint32_t geometry; /* of the scene, from 1 */
    double rounding;   /* m */
    size_t vertex_count, triangle_count;
    view_vertex *vertices;
    uint32_t *triangles;
} view_form;

/* All bodies that were ever seen, by rising index. */
typedef struct view_table {
    view_body *bodies;
    view_ball *balls;
    view_solid *solids;
    view_form *forms;
    size_t body_count, ball_count, solid_count, form_count;
    size_t body_room, ball_room, solid_room, form_room;
    double smallest; /* m, half the thickness of the smallest shape of a moving body; 0 before there
                        is one */
} view_table;

/* The geometries that shapes refer to: number i + 1 is infos[i]. */
typedef struct view_geometries {
    size_t count;
    tl_geometry_info *infos;
} view_geometries;

/* Appends a body with the `count` shapes it has; its index must be above all others. `geometries`
 * may be NULL where no shape needs one. False: no memory, and nothing is appended. */
bool view_table_add(view_table *table, uint32_t index, tl_body_kind kind, double mass, size_t count,
                    const tl_shape_info *shapes, const view_geometries *geometries);

/* The body of an index, NULL where there is none. */
view_body *view_table_find(const view_table *table, uint32_t index);

void view_table_free(view_table *table);

/* Positions are whole numbers (0 to 2^21 - 1) of quanta from an origin. */
typedef struct view_box {
    double origin[3];
    double quantum;
    uint32_t id; /* differs from box to box: frames of two boxes cannot be compared */
} view_box;

/* A box for these positions (rows of 3) and this smallest radius: as fine as 1/1024 of the radius
 * where they fit, and never coarser than 1/64 of it; what lies outside is sent exactly. */
view_box view_box_choose(size_t count, const double *positions, double radius, uint32_t id);

bool view_box_pack(const view_box *box, const double position[3], uint64_t *packed);
void view_box_unpack(const view_box *box, uint64_t packed, double position[3]);
uint32_t view_pack_orientation(const float orientation[4]);
void view_unpack_orientation(uint32_t packed, float orientation[4]);

/* Fields of bodies; bits of a set. */
enum {
    VIEW_SPEED = 1,
    VIEW_FORCE = 2,
    VIEW_VELOCITY = 4,
    VIEW_ANGULAR = 8,
    VIEW_FIELDS = 4 /* how many there are */
};

/* A state, packed. Once made it never changes; references are counted by one thread at a time. */
typedef struct view_frame {
    unsigned references;
    uint32_t sequence;
    uint64_t steps;
    double time;
    double step; /* s, that contacts' impulses belong to */
    view_box box;
    size_t count;          /* bodies of all kinds */
    uint32_t *index;       /* rising */
    uint64_t *position;    /* packed; or VIEW_EXACT_ROW + row of `exact` */
    uint32_t *orientation; /* packed; 0 for exact rows */
    size_t exact_count;
    view_pose *exact;
    size_t outside;  /* exact rows because they are outside the box */
    unsigned fields; /* which of the following are there */
    size_t moving_count;
    uint32_t *moving; /* indices of moving bodies, rising, where fields != 0 */
    float *velocity;  /* rows of 3, VIEW_SPEED or VIEW_VELOCITY */
    float *angular;   /* rows of 3, VIEW_ANGULAR */
    float *force;     /* VIEW_FORCE */
    bool contacts_known;
    size_t contacts_wanted; /* it was built for so many */
    size_t contact_total;
    size_t contact_count;
    tl_contact *contacts; /* those with the largest impulses, largest first */
    size_t bytes;         /* about how much memory it holds */
} view_frame;

#define VIEW_EXACT_ROW ((uint64_t)1 << 63)

/* What a frame is made of. */
typedef struct view_state {
    tl_frame_view state;
    double step;
    bool contacts_known;
    size_t contact_count;
    const tl_contact *contacts;
    const uint8_t *how; /* VIEW_* by index of body */
    size_t how_count;
    const view_pose *fixed; /* fixed bodies that are there, by rising index */
    size_t fixed_count;
    view_box box;
    unsigned fields;        /* wanted */
    size_t contacts_wanted; /* at most */
} view_state;

/* Bodies that are VIEW_UNKNOWN are left out: their table rows have not been sent. NULL: no memory,
 * or the bodies' indices do not rise. */
view_frame *view_frame_build(const view_state *state, uint32_t sequence);

view_frame *view_frame_share(view_frame *frame);
void view_frame_drop(view_frame *frame);

#endif
