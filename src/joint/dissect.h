/* Nested dissection: which joints of an articulation with many loops, a net say, cut it into parts,
 * so that parts are eliminated first and what cuts them last. */
#ifndef TL_JOINT_DISSECT_H
#define TL_JOINT_DISSECT_H

#include "joint/graph.h"

/* For each body and each joint how late it goes: 0 within the smallest parts, more the larger the
 * parts are that it cuts; hubs, bodies with more joints than `hub`, last. All are 0 in an
 * articulation where loops are few. */
tl_status tl_dissect(uint32_t bodies, const tl_graph_joint *joints, uint32_t count, uint32_t hub,
                     uint8_t *late);

#endif
