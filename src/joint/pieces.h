/* The first levels of large articulations, cut into pieces. */
#ifndef TL_JOINT_PIECES_H
#define TL_JOINT_PIECES_H

#include "joint/graph.h"

/* Called by tl_eliminate() while links still name nodes. */
tl_status tl_cut_pieces(tl_elimination *elimination);

#endif
