/* What a scene measures: monitors and their channels, checked. monitor.c fills the list; a world
 * has a copy (world/monitor.c). */
#ifndef TL_SCENE_MONITOR_H
#define TL_SCENE_MONITOR_H

#include "base/expression.h"
#include "base/memory.h"
#include "talus/monitor.h"

/* A monitor. What `def` points to is the record's own; `of` names channel `source`. */
typedef struct tl_monitor_rec {
    tl_monitor_def def;
    tl_expression code;         /* TL_MONITOR_EXPRESSION: over t and the channels before */
    uint32_t source;            /* statistics: a channel */
    uint32_t axes;              /* TL_MONITOR_JOINT: its free axes, a bit each */
    uint32_t channel, channels; /* the first one and how many */
} tl_monitor_rec;

typedef struct tl_monitor_list {
    tl_array monitors; /* tl_monitor_rec */
    tl_array channels; /* tl_monitor_info */
} tl_monitor_list;

/* What the groups of a monitor may name. */
typedef struct tl_monitor_limits {
    uint64_t bodies; /* handles 1 to this */
    uint64_t emitters;
    uint32_t axes; /* free axes of the joint that it names, a bit each */
} tl_monitor_limits;

void tl_monitor_list_init(tl_monitor_list *list);
void tl_monitor_list_free(tl_monitor_list *list);

/* Checks and appends a monitor; messages name it "monitor.field". */
tl_status tl_monitor_list_add(tl_monitor_list *list, const tl_monitor_def *def,
                              const tl_monitor_limits *limits);

/* Adds copies of all monitors of `from`, of which what they name is known to be there. On failure
 * the copy has less. */
tl_status tl_monitor_list_copy(const tl_monitor_list *from, tl_monitor_list *to);

/* Whether a group names nothing. */
static inline bool tl_group_empty(const tl_group_def *group)
{
    return !group->all && !group->range_count && !group->emitter_count;
}

/* Whether it is one body and will stay so. */
static inline bool tl_group_single(const tl_group_def *group)
{
    return !group->all && !group->emitter_count && group->range_count == 1 &&
           group->ranges[0].count == 1;
}

/* Whether a kind is a statistic of a channel: a mean, a maximum, a minimum, an integral. */
static inline bool tl_monitor_is_statistic(tl_monitor_kind kind)
{
    return kind >= TL_MONITOR_MEAN && kind <= TL_MONITOR_INTEGRAL;
}

/* Whether a kind has one channel, which has the monitor's own name. */
static inline bool tl_monitor_is_alone(tl_monitor_kind kind)
{
    return tl_monitor_is_statistic(kind) || kind == TL_MONITOR_EXPRESSION;
}

/* Channels of a joint before those of its axes: force and torque with their magnitudes, and both in
 * the frame of the joint. */
enum { TL_JOINT_CHANNELS = 14 };

/* Whether it looks at contacts of `on` with `by`. */
static inline bool tl_monitor_of_contacts(tl_monitor_kind kind)
{
    return kind == TL_MONITOR_FORCE || kind == TL_MONITOR_TORQUE || kind == TL_MONITOR_TOUCHING;
}

#endif
