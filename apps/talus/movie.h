/* Movies that a run or the viewer asks for: `talus render` in a process of its own, which yields to
 * the simulation and cannot take it along where it fails. */
#ifndef TALUS_MOVIE_H
#define TALUS_MOVIE_H

#include "command.h"

#include <sys/types.h>

/* Whether such a movie can be made; EXIT_OK, or the exit code of what was told. render.c. */
int movie_check(const char *command, const char *output, bool force);

/* Lets other processes go first: a simulation that is followed. */
void movie_yield(void);

/* Starts `talus render ARGUMENTS...`, which end with NULL, at a lower priority; 0: it cannot be. */
pid_t movie_start(const char *const *arguments);

/* `talus run --render`: starts to follow a result, and waits for its movie. Exit codes. */
int movie_follow(const options *given, const char *result, pid_t *process);
int movie_wait(const options *given, pid_t process);

#endif
