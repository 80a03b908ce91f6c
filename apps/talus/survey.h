/* What a world holds in metres and kilograms, and what of it looks like a mistake: wrong units, a
 * step that is too long, fills that reach through fixed walls. Used by check. */
#ifndef TALUS_SURVEY_H
#define TALUS_SURVEY_H

#include "facts.h"
#include "plan.h"

/* Adds sizes, masses and extents of the dynamic bodies and the length of the run as facts, and
 * warnings. Returns an exit code. */
int survey_world(facts *f, const options *given, const tl_document *document,
                 const tl_world *world);

#endif
