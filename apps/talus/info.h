/* What a scene says, as facts. Used by check and info. */
#ifndef TALUS_INFO_H
#define TALUS_INFO_H

#include "command.h"
#include "facts.h"

/* Title, bodies, materials, time step, solver, how long it runs and what is recorded. */
void tell_document(facts *f, const tl_document *document);

#endif
