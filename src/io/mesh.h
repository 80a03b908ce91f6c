/* What the readers of mesh files share: where a reader is, what it has read, and how it refuses.
 * One file per format; mesh.c picks the one that a file's name asks for. */
#ifndef TL_IO_MESH_H
#define TL_IO_MESH_H

#include "base/memory.h"
#include "base/text.h"
#include "talus/io.h"

/* A file in memory, which ends with a zero byte that `length` does not count, and what has been
 * read of it. */
typedef struct tl_mesh_source {
    const char *name; /* for messages */
    const char *path; /* NULL where there is only memory */
    const char *data;
    size_t length;
    size_t at;          /* the next byte, for readers of text */
    size_t line;        /* that it is in, from 1 */
    tl_array vertices;  /* double, three per vertex, in the file's units */
    tl_array triangles; /* uint32_t, three per triangle */
} tl_mesh_source;

tl_status tl_mesh_read_stl(tl_mesh_source *source);
tl_status tl_mesh_read_obj(tl_mesh_source *source);
tl_status tl_mesh_read_assimp(tl_mesh_source *source, const char *extension);

/* TL_BAD_DATA with "name:line: ...". */
tl_status tl_mesh_refuse(const tl_mesh_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Skips spaces, and newlines too where `lines` says so, which are counted. */
void tl_mesh_skip_space(tl_mesh_source *source, bool lines);

/* Skips the rest of the line and its newline. */
void tl_mesh_skip_line(tl_mesh_source *source);

/* The next word of the line, empty at its end. */
tl_text tl_mesh_word(tl_mesh_source *source);

/* Whether a word is `lower`, in letters of any case. */
bool tl_mesh_word_is(tl_text word, const char *lower);

/* A word as messages show it: cut, in quotes, without bytes that a terminal would act on. */
enum { TL_MESH_SHOWN = 48 };
const char *tl_mesh_show(tl_text word, char shown[TL_MESH_SHOWN]);

/* Reads `count` finite numbers of this line; `what` names them in messages. */
tl_status tl_mesh_numbers(tl_mesh_source *source, const char *what, size_t count, double *numbers);

/* Adds a vertex. */
tl_status tl_mesh_add_vertex(tl_mesh_source *source, const double vertex[3]);

/* Adds a triangle of three vertices. */
tl_status tl_mesh_add_triangle(tl_mesh_source *source, uint32_t a, uint32_t b, uint32_t c);

#endif
