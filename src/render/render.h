/* The room of src/render as the command sees it: jobs that make pictures and movies of results.
 * job.c does them; docs/render.md is the guide. */
#ifndef TL_RENDER_RENDER_H
#define TL_RENDER_RENDER_H

#include "base/memory.h"
#include "render/look.h"

#include <signal.h>

/* How far a job is. */
typedef struct tlr_progress {
    uint64_t pictures;      /* that this call is to make */
    uint64_t made;          /* of these, so far; those that were there do not count */
    uint64_t there;         /* found as they should be */
    double part;            /* of the picture that is being made, 0 to 1 */
    uint64_t samples;       /* of all pictures that were made */
    double seconds_drawing; /* of these */
} tlr_progress;

typedef struct tlr_job {
    const char *result;
    const char *output; /* a movie (.mp4, .webm), a picture (.png), or else a folder */
    const tlr_look *look;
    const tlr_plugin *plugin; /* of shaders; NULL: none */
    uint32_t threads, tile;   /* 0: all, 32 */
    double at;                /* s: the moment of a single picture; NAN: the last */
    uint32_t part, parts;     /* of the pictures, from 1; 0 of 0: all */
    bool tiles;               /* parts are bands of pictures */
    bool assemble;            /* draw nothing, make the movie of what is there */
    bool follow;        /* go on while the result is written; the first moment says what is seen */
    bool rib;           /* write RIB files, or with the output "-" a stream, and draw nothing */
    const char *inject; /* a RIB file whose #inject lines give way to bodies; NULL: none */
    bool exr;           /* write radiance, albedo, normals, depth and numbers beside each PNG */
    bool numbers;       /* numbers of bodies instead of light */
    bool force;         /* make anew what fits, too */
    const volatile sig_atomic_t *stop;
    void (*progress)(void *user, const tlr_progress *progress);
    void *user;
} tlr_job;

/* Where the pictures of a movie lie: "run.mp4" has "run.mp4.frames". */
void tlr_job_folder(const char *output, char *folder, size_t room);

/* Does a job. 1 where it was stopped: the same call goes on. */
tl_status tlr_job_do(const tlr_job *job, tlr_progress *done);

/* What draws, and its version: "embree 3.13.5". */
const char *tlr_job_engine(void);

/* What a job would take. */
typedef struct tlr_plan {
    uint64_t pictures;
    uint32_t workers;
    uint32_t bands; /* parts that each picture is cut into, so that all have work */
    double seconds; /* of one worker for all */
    double elapsed; /* s, with all workers */
    double busy;    /* of their time, 0 to 1 */
} tlr_plan;

/* Draws some pictures with few samples and tells what all would take for `workers` as this one. */
tl_status tlr_job_plan(const tlr_job *job, uint32_t workers, tlr_plan *plan);

#endif
