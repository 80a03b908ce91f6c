/* PNG files: pictures with a key that says what they were made of, and pictures of the sky. */
#ifndef TL_RENDER_PNG_H
#define TL_RENDER_PNG_H

#include "base/memory.h"

enum { TLR_KEY = 40 }; /* bytes of a key, with the final zero */

/* Writes a picture, rows of red, green, blue, under another name first, so that there is a whole
 * file or none. */
tl_status tlr_png_write(const char *path, int width, int height, const unsigned char *rgb,
                        const char *key);

/* Reads a picture of any kind as red, green, blue. The caller frees 3 * width * height bytes with
 * tl_free(). */
tl_status tlr_png_read(const char *path, int *width, int *height, unsigned char **rgb);

/* Whether a picture is there, was written by tlr_png_write() with this key and is whole. */
bool tlr_png_fits(const char *path, const char *key);

#endif
