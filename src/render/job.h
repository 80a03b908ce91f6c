/* The inside of jobs: job.c draws, assemble.c stitches pictures and makes movies, plan.c estimates.
 * A job is cut into units: a band of rows of a picture each, mostly the whole picture. */
#ifndef TL_RENDER_JOB_H
#define TL_RENDER_JOB_H

#include "render/picture.h"
#include "render/png.h"
#include "render/render.h"
#include "render/show.h"

typedef struct tlr_work {
    const tlr_job *job;
    tlr_show show;
    uint64_t pictures;
    double step, open; /* s of the recording: between pictures, and of the shutter */
    uint32_t bands;
    char folder[4096];
    float *radiance; /* of a whole picture */
    unsigned char *rgb;
    size_t pixels;
    tl_array inject; /* char: the user's RIB */
    tlr_progress progress;
} tlr_work;

tl_status tlr_work_open(const tlr_job *job, tlr_work *work);
void tlr_work_close(tlr_work *work);

/* s of the recording. */
double tlr_work_time(const tlr_work *work, uint64_t picture);

/* The file of a band of a picture; with one band, of the picture. */
void tlr_work_path(const tlr_work *work, uint64_t picture, uint32_t band, uint32_t bands,
                   char *path, size_t room);

/* Reads the poses of a picture and tells what it is made of. */
tl_status tlr_work_key(tlr_work *work, uint64_t picture, char key[TLR_KEY]);

/* Into how many bands pictures are cut that are dealt out to so many parts. */
uint32_t tlr_work_bands(const tlr_work *work, uint32_t parts);

/* assemble.c: stitches bands, checks that all pictures are there and makes the movie. */
tl_status tlr_work_assemble(tlr_work *work);

#endif
