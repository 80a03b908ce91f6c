/* What a scene says, as facts, and what kind of file a file is. Used by check, info and view. */
#ifndef TALUS_INFO_H
#define TALUS_INFO_H

#include "command.h"
#include "facts.h"

/* Title, bodies, materials, time step, solver, how long it runs and what is recorded. */
void tell_document(facts *f, const tl_document *document);

/* Whether a file starts as HDF5 files do. False where it cannot be read: the reader of scenes tells
 * why. */
bool is_result(const char *path);

#endif
