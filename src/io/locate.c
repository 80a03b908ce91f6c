/* Lines and columns. Called by the scene reader when it refuses something and by
 * tl_document_describe(), never on the way of a sound scene. */
#include "io/locate.h"

#include <string.h>

tl_location tl_locate(const char *text, size_t offset)
{
    const char *end = text + offset, *line = text, *newline;
    tl_location at = {1, 1};
    while (line < end && (newline = memchr(line, '\n', (size_t)(end - line)))) {
        line = newline + 1;
        at.line++;
    }
    for (; line < end; line++)
        at.column += ((unsigned char)*line & 0xc0) != 0x80; /* not the rest of a character */
    return at;
}

tl_location tl_locate_source(const tl_json_source *source, size_t offset)
{
    const tl_location at = tl_locate(source->text, offset);
    return source->origins ? (tl_location){source->origins[at.line - 1], 1} : at;
}
