/* "did you mean": the known word that is nearest to a misspelt one. */
#ifndef TL_IO_PARSE_NEAR_H
#define TL_IO_PARSE_NEAR_H

#include "io/parse_json.h"

typedef struct tl_near {
    tl_text word;    /* the misspelt one */
    tl_text best;    /* the nearest of those offered so far; no text where none is near */
    size_t distance; /* insertions, deletions, changes and swaps between them */
    char hint[80];
} tl_near;

tl_near tl_near_start(tl_text word);

/* Offers a known word; its text must live until tl_near_hint(). */
void tl_near_offer(tl_near *near, tl_text known);
void tl_near_offer_all(tl_near *near, const char *const *known, size_t count);

/* "; did you mean 'WORD'?", or "" where nothing is near. */
const char *tl_near_hint(tl_near *near);

#endif
