/* Distances between words. Called by the scene reader for unknown keys, names and choices,
 * and by expressions. */
#include "base/near.h"

#include <stdio.h>

enum { MOST = 40 }; /* longer words are not compared */

tl_near tl_near_start(tl_text word)
{
    return (tl_near){.word = word, .distance = word.length < 6 ? 1 : word.length / 3};
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Levenshtein's distance with swaps of neighbours, letters of either case alike. */
static size_t distance(tl_text a, tl_text b)
{
    size_t rows[3][MOST + 1];
    for (size_t j = 0; j <= b.length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            const char x = lower(a.data[i - 1]), y = lower(b.data[j - 1]);
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b.data[j - 2]) && y == lower(a.data[i - 2]))
                row[j] = smaller(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a.length % 3][b.length];
}

void tl_near_offer(tl_near *near, tl_text known)
{
    if (near->word.length > MOST || known.length > MOST)
        return;
    const size_t gap = near->word.length > known.length ? near->word.length - known.length
                                                        : known.length - near->word.length;
    if (gap > near->distance)
        return;
    const size_t found = distance(near->word, known);
    if (found < near->distance || (found == near->distance && !near->best.length)) {
        near->distance = found;
        near->best = known;
    }
}

void tl_near_offer_all(tl_near *near, const char *const *known, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tl_near_offer(near, tl_text_of(known[i]));
}

const char *tl_near_hint(tl_near *near)
{
    if (near->best.length)
        snprintf(near->hint, sizeof near->hint, "; did you mean '%.*s'?", (int)near->best.length,
                 near->best.data);
    return near->hint;
}
