/* Where a byte of a text is, as an editor shows it. For messages. */
#ifndef TL_IO_LOCATE_H
#define TL_IO_LOCATE_H

#include "io/parse_json.h"

typedef struct tl_location {
    size_t line, column; /* from 1; columns count characters of UTF-8, not bytes */
} tl_location;

/* The location of the byte at `offset` of a text of UTF-8; walks the text up to it. */
tl_location tl_locate(const char *text, size_t offset);

/* The same of a source: in the file, which may be lines that the text was made of (lines.h). */
tl_location tl_locate_source(const tl_json_source *source, size_t offset);

#endif
