/* A recording as poses at any time: between frames by positions and velocities. Called by moment.c,
 * which draws them, and view.c, which looks where bodies go. */
#ifndef TL_RENDER_REPLAY_H
#define TL_RENDER_REPLAY_H

#include "base/memory.h"
#include "render/vec.h"
#include "talus/io.h"

typedef struct tlr_pose {
    double place[3];
    quat turned;
    vec velocity, spin; /* m/s, rad/s */
    bool there;
} tlr_pose;

/* A frame as it was read. */
typedef struct tlr_kept_frame {
    uint64_t index, used; /* `used`: when last asked for; 0: empty */
    double time;
    size_t count, room;
    uint32_t *bodies;
    double *positions;
    float *orientations, *velocities, *spins; /* not `recorded`: what stands for them */
} tlr_kept_frame;

enum { TLR_KEPT_FRAMES = 4 };

typedef struct tlr_replay {
    const char *path;
    tl_result *result;
    tl_document *document;
    tl_result_info info;
    size_t body_count, shape_count;
    tl_body_info *bodies;
    tl_shape_info *shapes; /* in the order of bodies */
    double *times;         /* info.frames of them */
    double up[3];          /* against gravity, unit */
    double step;           /* s, of the simulation */
    tlr_kept_frame kept[TLR_KEPT_FRAMES];
    uint64_t asked;
} tlr_replay;

tl_status tlr_replay_open(const char *path, tlr_replay *replay);
void tlr_replay_close(tlr_replay *replay);

/* Gives back the document and the table of shapes, which are large, once they are not needed. */
void tlr_replay_forget(tlr_replay *replay);

/* Where all bodies are at a time; `poses` has one per body of the table. Times before the first
 * and after the last frame are those of these frames. */
tl_status tlr_replay_poses(tlr_replay *replay, double time, tlr_pose *poses);

/* The last frame at or before a time. */
uint64_t tlr_replay_frame_at(const tlr_replay *replay, double time);

#endif
