/* What the runner and the peer programs exchange, and the few measuring tools both need. A peer is
 * another engine in a program of its own: `talus-peer-NAME START RESULT` reads the start file that
 * the runner wrote, runs, and writes the result file, which the runner audits. The files are plain
 * memory of one machine and live as long as one run. Included by bench/ (C) and bench/peers/ (C and
 * C++). */
#ifndef TALUS_BENCH_PEER_H
#define TALUS_BENCH_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "solid.h"

#define PEER_START_MAGIC  "TLSTART5"
#define PEER_RESULT_MAGIC "TLRESLT1"

/* What a peer is to do. */
enum {
    PEER_PILE = 1,     /* settle for `settle` steps, time `steps` steps, write the state */
    PEER_CONTACTS = 2, /* find all contacts of the start state, write them */
    PEER_CHAIN = 3,    /* time `steps` steps of a chain, write the state */
    PEER_TRACK = 4     /* as PEER_PILE, of a vehicle on tracks on the plane z = 0 */
};

/* A vehicle on tracks: the shoes of each side, boxes with a hinge along y to the next at half a
 * pitch from their centres along x, the last to the first; the wheels of each side, cylinders along
 * y with a hinge to the chassis; the chassis. A torque about y turns the first wheel of each side,
 * against the chassis. Bodies with a hinge between them do not meet. */
typedef struct peer_track {
    uint64_t sides, shoes, wheels; /* shoes and wheels of a side */
    double pitch;                  /* m */
    double shoe[3], shoe_mass;     /* m, half extents; kg */
    double wheel_radius[8], wheel_half, wheel_mass;
    double chassis[3], chassis_mass;
    double torque; /* N m, of each side */
} peer_track;

/* The start file: this, then the centres, `bodies` rows of 3 doubles in m, and of solids the
 * orientations, rows of 4 (w, x, y, z). */
typedef struct peer_start {
    char magic[8];
    uint64_t task;
    uint64_t bodies;        /* equal solid spheres or other solids, at rest */
    uint64_t settle, steps; /* PEER_PILE, PEER_TRACK */
    double radius;          /* m; of cubes, half the edge */
    double density;         /* kg/m^3 */
    double friction;        /* coefficient of every contact */
    double step;            /* s */
    double gravity;         /* m/s^2, downwards along z */
    uint64_t box_count;     /* fixed boxes in use */
    double boxes[5][6];     /* m, centre and half extents. PEER_CHAIN: of each link, which the first
                               box is; it meets nothing */
    uint64_t iterations;    /* PEER_CHAIN, PEER_TRACK: of the engine's solver */
    double ends[2][3]; /* PEER_CHAIN: m, what the ends hang from. Links are joined by ball joints
                          at `radius` from their centres, along x */
    uint64_t solids;   /* PEER_PILE: 1 for bodies of this shape, 0 for spheres */
    uint64_t cubes;    /* and 1 where that is a cube */
    solid shape;
    uint64_t tiles;    /* PEER_PILE: so many of box 0, side by side along x; 0: one */
    double along;      /* PEER_PILE: m/s^2, gravity along x */
    double speed;      /* PEER_PILE: m/s, along x at the start */
    peer_track track;  /* PEER_TRACK */
    uint64_t substeps; /* PEER_PILE of engines with penalty contact: of a step */
    double young, poisson, restitution; /* Pa; likewise */
} peer_start;

/* Box i of a start, counted with the tiles, which come first: its half extents, and where it is. */
static inline uint64_t peer_boxes(const peer_start *start)
{
    return start->box_count + (start->tiles ? start->tiles - 1 : 0);
}

static inline const double *peer_box(const peer_start *start, uint64_t i, double at[3])
{
    const uint64_t more = start->tiles ? start->tiles - 1 : 0;
    const double *box = start->boxes[i < more ? 0 : i - more];
    at[0] = box[0] + (i <= more ? 2 * (double)i * box[3] : 0);
    at[1] = box[1];
    at[2] = box[2];
    return box + 3;
}

/* One contact of a result of PEER_CONTACTS: a < b, counted from 0. */
typedef struct peer_contact {
    uint32_t a, b;
    double gap;       /* m, negative is overlap */
    double normal[3]; /* unit, from a to b */
    double point[3];  /* m, halfway between the surfaces */
} peer_contact;

/* The result file: this, then but for PEER_CONTACTS positions, velocities and angular
 * velocities (world frame), `bodies` rows of 3 doubles each, of solids orientations, rows of 4, and
 * for PEER_CONTACTS `contacts` rows of peer_contact.
 */
typedef struct peer_result {
    char magic[8];
    char version[32];    /* of the engine */
    char precision[16];  /* "single" or "double" */
    uint64_t bodies;     /* as in the start */
    uint64_t contacts;   /* of the last step */
    uint64_t iterations; /* of the engine's solver */
    uint64_t threads;
    uint64_t peak_bytes; /* growth of the peak resident memory over the run */
    double ms_per_step;  /* but for PEER_CONTACTS: mean over `steps` steps */
    double ms_least;     /* PEER_CHAIN, PEER_TRACK: the least of them */
    double build_ms;     /* PEER_CONTACTS: filling the broad phase */
    double first_ms;     /* PEER_CONTACTS: the first detection after that */
    double warm_ms;      /* PEER_CONTACTS: the same detection again */
} peer_result;

static inline double peer_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Bytes of one line of /proc/self/status, "VmRSS:" or "VmHWM:"; 0 where there is none. */
static inline uint64_t peer_memory(const char *line)
{
    FILE *file = fopen("/proc/self/status", "r");
    char text[256];
    unsigned long long kilobytes = 0;
    if (!file)
        return 0;
    while (fgets(text, sizeof text, file))
        if (strncmp(text, line, strlen(line)) == 0)
            sscanf(text + strlen(line), "%llu", &kilobytes);
    fclose(file);
    return (uint64_t)kilobytes * 1024;
}

/* Starts measuring memory: sets the peak back to what is resident now, and returns that. */
static inline uint64_t peer_memory_start(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
    return peer_memory("VmRSS:");
}

/* Growth of the peak since peer_memory_start() returned `start`. */
static inline uint64_t peer_memory_growth(uint64_t start)
{
    uint64_t peak = peer_memory("VmHWM:");
    return peak > start ? peak - start : 0;
}

static inline bool peer_read(FILE *file, void *to, size_t bytes)
{
    return bytes == 0 || fread(to, bytes, 1, file) == 1;
}

static inline bool peer_write(FILE *file, const void *from, size_t bytes)
{
    return bytes == 0 || fwrite(from, bytes, 1, file) == 1;
}

#endif
