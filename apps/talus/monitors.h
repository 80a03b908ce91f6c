/* What monitors measured, told by run, resume and info: the last value of each channel, the least
 * and the greatest. */
#ifndef TALUS_MONITORS_H
#define TALUS_MONITORS_H

#include "facts.h"
#include "session.h"

/* The channels of a world: as lines on standard error, unless --quiet; and as facts. */
int say_monitors(const options *given, const tl_world *world);
int tell_monitors(facts *f, const tl_world *world);

/* The channels of a result, as facts. */
int tell_result_monitors(facts *f, tl_result *result);

#endif
