/* What `talus problem` and its corpus share. */
#ifndef TALUS_CORPUS_H
#define TALUS_CORPUS_H

#include "command.h"

/* Writes the problem of a world's next step, in local form or global, with its guess or without,
 * and hands it out for the caller to destroy. Returns an exit code; failures are told. */
int write_problem(tl_world *world, bool local, bool guess, const char *path,
                  tl_contact_problem **problem);

/* The corpus into the folder --corpus, which is made; a line per file. */
int write_corpus(const options *given);

#endif
