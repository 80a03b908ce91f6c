/* What the two sources share: hello, names, and the answer to `pick`. See view/live.c (a world that
 * runs) and view/recording.c (a file). */
#ifndef TALUS_VIEW_SOURCE_H
#define TALUS_VIEW_SOURCE_H

#include "hub.h"
#include "../view.h"

/* What `hello` says besides what the hub's table tells. */
typedef struct source_hello {
    const tl_document *document;
    const char *source; /* the file's name */
    const char *backend;
    double duration; /* s; infinity: none */
    double first_time;
    uint64_t frames;
    bool has_box;
    double low[3], high[3];
    bool contacts;        /* they are known */
    size_t channel_count; /* of monitors */
    const tl_monitor_info *channels;
    json_t *edits; /* recordings: texts of what was done by hand; taken over; NULL: none */
    bool control, edit, restart, record;
} source_hello;

/* Writes the hub's hello, names and monitors of this epoch; the lock is held. False: no memory. */
bool source_begin(hub *hub, const source_hello *hello);

/* The text that lists all pairs of materials: as they are in a world, or (NULL) in the scene. */
char *source_pairs(const tl_document *document, const tl_world *world);

/* Widens a box by a body at a position, unless it is unbounded. */
void source_widen(source_hello *hello, const double position[3], double radius);

/* A body and its state, to be told. */
typedef struct source_pick {
    uint32_t index;
    tl_body_kind kind;
    double mass, time, step;
    double position[3], orientation[4];
    const double *velocity, *angular_velocity; /* NULL: not known */
    bool contacts_known;
    size_t contact_count; /* all contacts of the state */
    const tl_contact *contacts;
    size_t joint_count; /* joints of the body; 0 where they are not known */
    const tl_joint *joints;
    const tl_joint_state *joint_states;
} source_pick;

/* The members of the reply; shapes come from the hub's table. */
json_t *source_describe(hub *hub, const tl_document *document, const source_pick *pick);

#endif
