/* A movie: pictures piped to the program ffmpeg. Called by job.c. */
#ifndef TL_RENDER_MOVIE_H
#define TL_RENDER_MOVIE_H

#include "base/memory.h"

typedef struct tlr_movie tlr_movie;

/* Whether a name ends in .mp4 or .webm. */
bool tlr_movie_knows(const char *path);

/* Whether ffmpeg can be started: TL_FILE, with a message that says what to do, where it cannot. */
tl_status tlr_movie_check(void);

/* Starts a movie of pictures of this size at `fps` pictures per second; odd sizes lose a row or a
 * column, because H.264 wants even ones. It is written under another name until it is closed. */
tl_status tlr_movie_open(const char *path, int width, int height, double fps, tlr_movie **movie);

/* Adds a picture, rows of red, green, blue. */
tl_status tlr_movie_add(tlr_movie *movie, const unsigned char *rgb);

/* Ends the movie and gives it its name; `keep` false drops it. The movie is freed in any case. */
tl_status tlr_movie_close(tlr_movie *movie, bool keep);

#endif
