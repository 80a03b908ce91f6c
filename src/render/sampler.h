/* Numbers between 0 and 1 for paths: each is a function of pixel, sample and dimension alone, so a
 * picture is the same whatever thread computes which pixel first. Pairs of dimensions are points of
 * Sobol's sequence in two dimensions, whose order and digits are scrambled per pixel and pair
 * (Owen's scrambling by hashing, after Laine, Karras and Burley). */
#ifndef TL_RENDER_SAMPLER_H
#define TL_RENDER_SAMPLER_H

#include <stdint.h>

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

/* Each bit changes with the ones above it alone: a nested permutation of the digits. */
static inline uint32_t sampler_scramble(uint32_t x, uint32_t seed)
{
    x = sampler_reverse(x);
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return sampler_reverse(x);
}

/* The second dimension of Sobol's sequence; the first is the reversed index. */
static inline uint32_t sampler_second(uint32_t index)
{
    uint32_t x = 0;
    for (uint32_t v = 0x80000000u; index; index >>= 1, v ^= v >> 1)
        if (index & 1)
            x ^= v;
    return x;
}

static inline float sampler_unit(uint32_t x)
{
    return (float)(x >> 8) * 0x1p-24f;
}

static inline sampler sampler_start(uint32_t pixel, uint32_t frame, uint32_t sample)
{
    return (sampler){.seed = sampler_mix(sampler_hash(pixel + 0x51ed270bu), frame),
                     .sample = sample};
}

static inline void sampler_next(sampler *s, float out[2])
{
    const uint32_t seed = sampler_mix(s->seed, s->pair++);
    const uint32_t index = sampler_scramble(s->sample, seed);
    out[0] = sampler_unit(sampler_scramble(sampler_reverse(index), sampler_mix(seed, 1)));
    out[1] = sampler_unit(sampler_scramble(sampler_second(index), sampler_mix(seed, 2)));
}

#endif
