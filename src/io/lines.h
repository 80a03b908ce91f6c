/* Scenes in lines: the text files of "Dynamic simulation of rigid bodies using programmable GPUs"
 * (2011), section 2.11, as scenes in JSON. docs/scene-format.md has the table. Called by
 * document.c: whatever reads scenes reads these, and everything after them sees JSON. */
#ifndef TL_IO_LINES_H
#define TL_IO_LINES_H

#include "base/memory.h"
#include "base/text.h"

/* What begins the comment of the scene. */
#define TL_LINES_MARK "Read from lines; y there is z here, z there -y."

/* The longest line, in bytes. */
enum { TL_LINES_MOST = 1000 };

/* What a scene in lines became. */
typedef struct tl_lines {
    tl_array json;     /* char: with a zero byte at its end */
    tl_array origins;  /* uint32_t: for each line of the JSON, the line of the file that it is of */
    uint64_t comments; /* lines that are comments */
} tl_lines;

/* Whether a text is a scene in lines: the name ends in ".txt", and it does not begin with '{'. */
bool tl_lines_are(const char *name, tl_text text);

/* Makes JSON of them, with a ground at z = 0 where asked for. TL_BAD_DATA, with
 * "name:line:column: ...", where a line breaks a rule. Numbers are read and written in the locale
 * of the thread, which is to be "C". The caller frees `out` whatever the status. */
tl_status tl_lines_convert(const char *name, tl_text text, bool ground, tl_lines *out);

void tl_lines_free(tl_lines *lines);

#endif
