/* The state of a world on the host. Creating, adding, removing, saving and loading all
 * go through it: pull the image, change it, push it back. Reals are 64-bit here, which loses
 * nothing. */
#ifndef TL_WORLD_IMAGE_H
#define TL_WORLD_IMAGE_H

#include "world/world.h"

typedef struct tl_image {
    /* bodies, in any order; push puts the dynamic ones first and keeps the order otherwise */
    tl_array pos;     /* 4 doubles */
    tl_array quat;    /* 4 doubles */
    tl_array vel;     /* 8 doubles, as tlk_bodies.vel */
    tl_array inertia; /* 4 doubles; mass 0 marks a body that is not dynamic */
    tl_array flags;   /* uint32_t */
    tl_array id;      /* uint32_t */
    /* shapes, any order; a body's shapes keep theirs */
    tl_array shape_body;  /* uint32_t: body row */
    tl_array shape_info;  /* uint32_t */
    tl_array geom;        /* 4 doubles */
    tl_array patch_local; /* TLK_PATCH doubles, only for shapes on bodies that are not dynamic, in
                             the order of those */
    tl_array centre;      /* 4 doubles: where the latest contacts were found */
    /* contacts */
    tl_array a, b;   /* uint32_t: shape rows */
    tl_array n;      /* 4 doubles */
    tl_array gamma;  /* 4 doubles */
    tl_array colour; /* uint32_t */
} tl_image;

/* How many arrays an image has, and each in turn, for code that treats them alike. */
#define TL_IMAGE_ARRAYS 16
tl_array *tl_image_array(tl_image *image, size_t i);

void tl_image_init(tl_image *image);
void tl_image_free(tl_image *image);

/* Copies the state out. */
tl_status tl_image_pull(const tl_world *world, tl_image *image);

/* Makes the image the world's state. The world's own state is replaced only after everything that
 * can fail has succeeded; the image is put in order (dynamic bodies first). */
tl_status tl_image_push(tl_world *world, tl_image *image);

/* Notes the smallest radius, of which the default envelope is a part. */
void tl_world_measure(tl_world *world, const tl_image *image);

/* Pushes and brings everything that follows from the shapes up to date. */
tl_status tl_world_put(tl_world *world, tl_image *image);

/* Keeps bodies for which order has a row: new row i is old row order[i]. Shapes follow their
 * bodies; contacts of what is gone go too. */
tl_status tl_image_select(tl_image *image, const uint32_t *order, size_t count);

/* Appends checked bodies with handle indices from first_id on. */
tl_status tl_image_append(tl_image *image, const tl_body_list *list, uint32_t first_id);

#endif
