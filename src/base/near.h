/* "did you mean": the known word that is nearest to a misspelt one. Exported
 * for talus_io alone. */
#ifndef TL_BASE_NEAR_H
#define TL_BASE_NEAR_H

#include "base/status.h"
#include "base/text.h"

typedef struct tl_near {
    tl_text word;    /* the misspelt one */
    tl_text best;    /* the nearest of those offered so far; no text where none is near */
    size_t distance; /* insertions, deletions, changes and swaps between them */
    char hint[80];
} tl_near;

TL_API tl_near tl_near_start(tl_text word);

/* Offers a known word; its text must live until tl_near_hint(). */
TL_API void tl_near_offer(tl_near *near, tl_text known);
TL_API void tl_near_offer_all(tl_near *near, const char *const *known, size_t count);

/* "; did you mean 'WORD'?", or "" where nothing is near. */
TL_API const char *tl_near_hint(tl_near *near);

#endif
