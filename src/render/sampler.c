/* The table of Sobol's sequence; sampler.h says what for. */
#include "render/sampler.h"

#include <pthread.h>

uint32_t sampler_bytes[SAMPLER_JOINT][4][256];

/* Degrees and coefficients of primitive polynomials, and first direction numbers, of Joe and Kuo
 * (2008). The first dimension has none. */
static const struct {
    uint32_t degree, inner, first[6];
} polynomials[SAMPLER_JOINT] = {
    {0, 0, {0}},
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
};

/* What the bits of the index add to a dimension, reversed. */
static void find_columns(uint32_t d, uint32_t columns[32])
{
    const uint32_t degree = polynomials[d].degree;
    uint32_t v[32];
    for (uint32_t i = 0; i < 32; i++) {
        if (i < degree || !degree) {
            v[i] = (degree ? polynomials[d].first[i] : 1) << (31 - i);
        } else {
            v[i] = v[i - degree] ^ v[i - degree] >> degree;
            for (uint32_t k = 1; k < degree; k++)
                v[i] ^= polynomials[d].inner >> (degree - 1 - k) & 1 ? v[i - k] : 0;
        }
        columns[i] = sampler_reverse(v[i]);
    }
}

static void fill(void)
{
    for (uint32_t d = 0; d < SAMPLER_JOINT; d++) {
        uint32_t columns[32];
        find_columns(d, columns);
        for (uint32_t i = 0; i < 4 * 256; i++)
            for (uint32_t k = 0; k < 8; k++)
                sampler_bytes[d][i / 256][i % 256] ^= i >> k & 1 ? columns[8 * (i / 256) + k] : 0;
    }
}

void sampler_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
}
