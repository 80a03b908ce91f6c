/* Numbers between 0 and 1 for paths: each is a function of pixel, sample and dimension alone, so a
 * picture is the same whatever thread computes which pixel first. The first dimensions (the place
 * in the pixel, lens and time, lights and directions of the first bounces) are those of one Sobol
 * sequence, so that they are even all together; further ones are pairs, each a sequence in two
 * dimensions whose order is shuffled. Digits are scrambled per pixel and dimension (Owen's
 * scrambling by hashing, after Laine, Karras and Burley). */
#ifndef TL_RENDER_SAMPLER_H
#define TL_RENDER_SAMPLER_H

#include <stdint.h>

enum { SAMPLER_JOINT = 16 }; /* dimensions of the one sequence */

typedef struct sampler {
    uint32_t seed;   /* of the pixel */
    uint32_t sample; /* which of its samples */
    uint32_t pair;   /* which pair of dimensions comes next */
} sampler;

static inline uint32_t sampler_hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x21f0aaadu;
    x ^= x >> 15;
    x *= 0xd35a2d97u;
    return x ^ x >> 15;
}

static inline uint32_t sampler_mix(uint32_t a, uint32_t b)
{
    return sampler_hash(a ^ (b * 0x9e3779b9u + 0x7f4a7c15u + (a << 6) + (a >> 2)));
}

static inline uint32_t sampler_reverse(uint32_t x)
{
    x = x >> 16 | x << 16;
    x = (x & 0x00ff00ffu) << 8 | (x & 0xff00ff00u) >> 8;
    x = (x & 0x0f0f0f0fu) << 4 | (x & 0xf0f0f0f0u) >> 4;
    x = (x & 0x33333333u) << 2 | (x & 0xccccccccu) >> 2;
    return (x & 0x55555555u) << 1 | (x & 0xaaaaaaaau) >> 1;
}

/* Each bit changes with the ones below it alone: of a number whose digits are reversed, a nested
 * permutation. */
static inline uint32_t sampler_scramble(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    return x ^ x * 0x8d22f6e6u;
}

/* The second dimension of Sobol's sequence, reversed: the index times Pascal's triangle modulo 2,
 * whose entry i, j is 1 where the bits of i are among those of j. The first is the index itself. */
static inline uint32_t sampler_second(uint32_t x)
{
    x ^= x >> 1 & 0x55555555u;
    x ^= x >> 2 & 0x33333333u;
    x ^= x >> 4 & 0x0f0f0f0fu;
    x ^= x >> 8 & 0x00ff00ffu;
    return x ^ x >> 16;
}

/* A dimension of Sobol's sequence, reversed: what each byte of the index adds to it, from a table
 * of sampler.c. */
extern uint32_t sampler_bytes[SAMPLER_JOINT][4][256];
void sampler_prepare(void); /* fills it, once */

static inline uint32_t sampler_sobol(uint32_t index, uint32_t dimension)
{
    const uint32_t(*bytes)[256] = (const uint32_t(*)[256])sampler_bytes[dimension];
    uint32_t x = bytes[0][index & 255];
    for (; index >>= 8;)
        x ^= (++bytes)[0][index & 255];
    return x;
}

static inline float sampler_unit(uint32_t reversed)
{
    return (float)(sampler_reverse(reversed) >> 8) * 0x1p-24f;
}

static inline sampler sampler_start(uint32_t pixel, uint32_t frame, uint32_t sample)
{
    sampler_prepare();
    return (sampler){.seed = sampler_mix(sampler_hash(pixel + 0x51ed270bu), frame),
                     .sample = sample};
}

static inline void sampler_next(sampler *s, float out[2])
{
    const uint32_t seed = sampler_mix(s->seed, s->pair);
    uint32_t x, y;
    if (2 * s->pair < SAMPLER_JOINT) {
        x = sampler_sobol(s->sample, 2 * s->pair);
        y = sampler_sobol(s->sample, 2 * s->pair + 1);
    } else {
        x = sampler_reverse(sampler_scramble(sampler_reverse(s->sample), seed));
        y = sampler_second(x);
    }
    out[0] = sampler_unit(sampler_scramble(x, sampler_mix(seed, 1)));
    out[1] = sampler_unit(sampler_scramble(y, sampler_mix(seed, 2)));
    s->pair++;
}

#endif
