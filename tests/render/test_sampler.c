/* Numbers for paths: Sobol's sequence against points computed by others, evenness of every
 * dimension and pair, and evenness over pairs. */
#include "render/sampler.h"
#include "support.h"

enum { MANY = 256, PAIRS = 12 };

/* Point 45 of Sobol's sequence with Joe and Kuo's numbers, as scipy.stats.qmc.Sobol gives it. */
static void test_points(void **state)
{
    static const double want[SAMPLER_JOINT] = {
        0.703125, 0.109375, 0.171875, 0.515625, 0.796875, 0.953125, 0.390625, 0.328125,
        0.640625, 0.265625, 0.359375, 0.234375, 0.984375, 0.703125, 0.015625, 0.703125};
    (void)state;
    sampler_prepare();
    for (uint32_t d = 0; d < SAMPLER_JOINT; d++)
        assert_near(sampler_reverse(sampler_sobol(45, d)) * 0x1p-32, want[d], 0);
}

static void draw(uint32_t pixel, uint32_t sample, float u[PAIRS][2])
{
    sampler s = sampler_start(pixel, 5, sample);
    for (int k = 0; k < PAIRS; k++)
        sampler_next(&s, u[k]);
}

/* The first 256 numbers of a dimension lie in 256 intervals; the points of the first pair, and of
 * those after the joint ones, one in each of 256 rectangles of any shape. */
static void test_even(void **state)
{
    static float u[MANY][PAIRS][2];
    (void)state;
    for (uint32_t pixel = 0; pixel < 20; pixel++) {
        for (uint32_t i = 0; i < MANY; i++)
            draw(pixel, i, u[i]);
        for (int k = 0; k < PAIRS; k++)
            for (int across = 1; across <= MANY; across *= 2) {
                const bool whole = k == 0 || 2 * k >= SAMPLER_JOINT;
                int met[MANY] = {0};
                context("pixel %u, pair %d, %d across", pixel, k, across);
                if (!whole && across != 1 && across != MANY)
                    continue;
                for (int i = 0; i < MANY; i++) {
                    const int x = (int)(u[i][k][0] * (float)across);
                    const int y = (int)(u[i][k][1] * (float)(MANY / across));
                    met[y * across + x]++;
                }
                for (int i = 0; i < MANY; i++)
                    assert_int_equal(met[i], 1);
            }
    }
}

/* A corner that spans two of the joint pairs: 256 random points err by 0.027, pairs that are
 * shuffled one by one by 0.018. */
static void test_joint(void **state)
{
    enum { PIXELS = 500 };
    double square = 0, mean = 0;
    (void)state;
    for (uint32_t pixel = 0; pixel < PIXELS; pixel++) {
        double part = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            float u[PAIRS][2];
            draw(pixel, i, u);
            part += u[0][0] < 0.63f && u[1][1] < 0.41f ? 1.0 / MANY : 0;
        }
        const double error = part - 0.63 * 0.41;
        square += error * error / PIXELS;
        mean += error / PIXELS;
    }
    assert_below(sqrt(square), 0.006);
    assert_near(mean, 0, 5e-4);
}

/* Pixels and pictures are independent of each other: their first samples are spread evenly. */
static void test_pixels(void **state)
{
    enum { COUNT = 40000 };
    (void)state;
    for (int frames = 0; frames < 2; frames++)
        for (int k = 0; k < 3; k++) {
            double sum = 0, next = 0;
            float last = 0.5f;
            for (uint32_t i = 0; i < COUNT; i++) {
                sampler s = sampler_start(frames ? 9 : i, frames ? i : 9, 0);
                float u[2];
                s.pair = (uint32_t)(5 * k);
                sampler_next(&s, u);
                sum += u[0] / COUNT;
                next += 12 * (u[0] - 0.5) * (last - 0.5) / COUNT;
                last = u[0];
            }
            context("%s, pair %d", frames ? "pictures" : "pixels", 5 * k);
            assert_near(sum, 0.5, 0.007); /* five standard deviations */
            assert_near(next, 0, 0.025);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_joint),
        cmocka_unit_test(test_pixels),
    };
    return cmocka_run_group_tests_name("render: sampler", tests, NULL, NULL);
}
