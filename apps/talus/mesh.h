/* Meshes as the command reads and tells them. Used by check and decompose. */
#ifndef TALUS_APP_MESH_H
#define TALUS_APP_MESH_H

#include "command.h"
#include "facts.h"

/* Reads the mesh that the options name, in their units. Returns an exit code. */
int read_mesh(const options *given, tl_mesh **mesh);

/* The density that the options give, or that of scenes that give none. */
double mesh_density(const options *given);

/* Vertices, triangles, what became of them, edges that a solid does not have, extent. */
void tell_mesh(facts *f, const tl_mesh *mesh);

/* Volume, mass, centre, inertia. */
void tell_solid(facts *f, const tl_mesh_solid *solid);

/* What `talus check` does with a mesh. */
int check_mesh(const options *given);

#endif
