/* States of bodies on the host: of a whole world, when it is saved or loaded, or of bodies that
 * come to one. Reals are 64-bit here, which loses nothing. */
#ifndef TL_WORLD_IMAGE_H
#define TL_WORLD_IMAGE_H

#include "world/world.h"

struct tl_space;

typedef struct tl_image {
    /* bodies, in any order */
    tl_array pos;     /* 4 doubles */
    tl_array quat;    /* 4 doubles */
    tl_array vel;     /* 8 doubles, as tlk_bodies.vel */
    tl_array inertia; /* 4 doubles; mass 0 marks a body that is not dynamic */
    tl_array flags;   /* uint32_t */
    tl_array id;      /* uint32_t */
    /* shapes, in the order of their bodies */
    tl_array shape_body;  /* uint32_t: body row */
    tl_array shape_info;  /* uint32_t */
    tl_array filter;      /* 2 uint32_t: group, mask */
    tl_array geom;        /* 4 doubles */
    tl_array frame_local; /* TLK_FRAME doubles, only for shapes that are no spheres, in the order of
                             those */
    tl_array centre;      /* 4 doubles: where the latest contacts were found */
    /* contacts */
    tl_array a, b;    /* uint32_t: shape rows */
    tl_array n;       /* 4 doubles */
    tl_array gamma;   /* 4 doubles */
    tl_array moment;  /* 4 doubles; empty where nothing resists rolling */
    tl_array colour;  /* uint32_t */
    tl_array place;   /* 4 doubles, */
    tl_array feature; /* 2 uint32_t, and */
    tl_array kept;    /* TLK_KEPT doubles; all three are empty where each pair has one contact */
    tl_array past;    /* TLK_CONTACT_PAST doubles; empty where penalty contact did not make them */
} tl_image;

/* How many arrays an image has, and each in turn, for code that treats them alike. */
#define TL_IMAGE_ARRAYS 22
tl_array *tl_image_array(tl_image *image, size_t i);

void tl_image_init(tl_image *image);
void tl_image_free(tl_image *image);

/* Copies the state out, with the one or the other contacts; and some contacts, in the place of
 * those there. */
tl_status tl_image_pull(const tl_world *world, const tl_contacts *contacts, tl_image *image);
tl_status tl_image_pull_contacts(const tl_world *world, const tl_contacts *contacts,
                                 tl_image *image);

/* Adds an image's bodies to a world (and its contacts, to one that has nothing yet) and takes away
 * those that `gone` marks, one byte per row on the device (NULL: none). Dynamic bodies come first
 * in the rows; the order is kept otherwise. On failure the world is as before. */
tl_status tl_image_push(tl_world *world, const tl_image *image, const uint8_t *gone);

/* The first bodies of a world, dynamic ones first: they come to it in the order of a space-filling
 * curve, where there are many. On failure the world is as before. The image is emptied as soon as
 * the device has it: there may not be room for it beside what moving rows takes. */
tl_status tl_image_settle(tl_world *world, tl_image *image);

/* One or the other, and brings motions, forces and what follows from settings up to date. */
tl_status tl_world_put(tl_world *world, tl_image *image, uint8_t *gone);

/* Appends checked bodies with handle indices from first_id on. What a world of this precision
 * cannot hold is refused. */
tl_status tl_image_append(tl_image *image, const tl_body_list *list, uint32_t first_id,
                          tl_precision precision);

/* shapes.c: the definition that a frame was made of, but for its material and filters. */
tl_shape_def tl_frame_def(uint32_t kind, const double *frame);

/* check.c: refuses, with TL_BAD_DATA, what a snapshot says of a world that has its description
 * already but nothing of the image; which of the handles that were given are alive, a bit each. */
tl_status tl_image_check(tl_world *world, const tl_image *image, uint64_t handles,
                         const tl_array *alive);

/* TL_BAD_DATA: the snapshot is damaged; what is wrong with it, or which rule of scenes it breaks,
 * as the latest message says where `status` is no TL_OK. */
tl_status tl_damaged(const char *what);
tl_status tl_damaged_by_rule(tl_status status);

/* rod.c: rods of a snapshot and their bodies; shapes have been checked. */
tl_status tl_rods_check(const tl_world *world, const tl_image *image);

/* edit.c: which bodies an edit takes away, marked in world->ordering.gone: none yet; rows; dynamic
 * bodies with their origin inside a region, or outside; and how many they are. */
tl_status tl_edit_begin(tl_world *world);
tl_status tl_edit_drop(tl_world *world, const uint32_t *rows, size_t count);
void tl_edit_drop_region(tl_world *world, const tl_region *region, bool inside);
tl_status tl_edit_dropped(tl_world *world, size_t *count);

/* The shapes whose bounding ball meets a box, but for those on bodies that are marked: centres in
 * the world frame and radii of those of dynamic bodies (4 doubles each), and copies of the others,
 * each on a body of its own, of which the image has the pose alone. */
tl_status tl_edit_near(tl_world *world, const double low[3], const double high[3], tl_array *balls,
                       tl_image *others);

/* A body that a patch puts elsewhere: its centre of mass, a ball about that, its mass and kinetic
 * energy; and where it goes. */
typedef struct tl_mover {
    uint32_t id;
    double x[3], radius, mass, kinetic;
    double to[3];
} tl_mover;

/* Appends the grains that a patch finds too far behind a point, by handle, but for those that are
 * marked. */
tl_status tl_edit_behind(tl_world *world, const tl_patch_def *patch, const double from[3],
                         tl_array *movers);

/* patch.c: what a patch moves, decided at the present state, appended to those that patches before
 * it move; `added` are bodies that come with the same edit. Then, once all edits have succeeded,
 * the moves themselves, which do not fail; returns what the bodies gain, J. */
tl_status tl_patch_decide(tl_world *world, tl_patch_rec *patch, const tl_image *added,
                          tl_array *movers);
double tl_patch_move(tl_world *world, const tl_array *movers);

/* schedule.c: everything of an image that is near a space's room, as something in the way there. */
tl_status tl_image_survey(const tl_image *image, struct tl_space *space);

#endif
