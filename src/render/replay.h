/* A recording as poses at any time: between frames by positions and velocities. Nothing is held per
 * body but what pictures need: results may have millions. Called by show.c, which draws them, and
 * view.c, which looks where bodies go. */
#ifndef TL_RENDER_REPLAY_H
#define TL_RENDER_REPLAY_H

#include "base/memory.h"
#include "render/csv.h"
#include "render/vec.h"
#include "talus/io.h"

typedef struct tlr_pose {
    double place[3];
    quat turned;
    vec velocity, spin; /* m/s, rad/s */
    bool there;
} tlr_pose;

/* A body that ever was. */
typedef struct tlr_row {
    uint32_t number;
    uint32_t rest; /* of one that is not dynamic: which of `rests`, from 1; else 0 */
    double mass;
} tlr_row;

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
    tl_result *result; /* or */
    tlr_csv *csv;
    tl_document *document; /* an outline; NULL once it was forgotten */
    tl_result_info info;
    uint32_t threads; /* that poses are computed by */
    size_t body_count;
    tlr_row *rows;
    tl_array rests; /* tl_body_info: bodies that are not dynamic */
    double *times;  /* info.frames of them */
    double up[3];   /* against gravity, unit */
    double step;    /* s, of the simulation */
    tlr_kept_frame kept[TLR_KEPT_FRAMES];
    uint64_t asked;
} tlr_replay;

/* `csv` says how a file whose name ends in .csv is read; every other one is a result. */
tl_status tlr_replay_open(const char *path, const tlr_csv_def *csv, uint32_t threads,
                          tlr_replay *replay);
void tlr_replay_close(tlr_replay *replay);

/* Reads the table of bodies and hands each over with its shapes. */
tl_status tlr_replay_bodies(tlr_replay *replay, tl_body_visit visit, void *user);

/* Gives back the document once it is not needed. */
void tlr_replay_forget(tlr_replay *replay);

/* Gives back frames that are large, once the poses of a picture were taken. */
void tlr_replay_drop(tlr_replay *replay);

/* The body of a row that is not dynamic; NULL: it is. */
const tl_body_info *tlr_replay_rest(const tlr_replay *replay, size_t row);

/* The name of a material of shapes; NULL: it has none. */
const char *tlr_replay_material(const tlr_replay *replay, tl_material material);

/* The row of a body's number; -1: none. */
long tlr_replay_row(const tlr_replay *replay, uint32_t number);

/* Takes a body's pose; rows come in any order, from several threads at once. */
typedef void (*tlr_pose_visit)(void *user, size_t row, const tlr_pose *pose);

/* Where all bodies are at a time. Times before the first and after the last frame are those of
 * these frames. Every `stride`th row alone. */
tl_status tlr_replay_poses(tlr_replay *replay, double time, size_t stride, tlr_pose_visit visit,
                           void *user);

/* The last frame at or before a time; the time of the frame that is nearest to one. */
uint64_t tlr_replay_frame_at(const tlr_replay *replay, double time);
double tlr_replay_frame_time(const tlr_replay *replay, double time);

#endif
