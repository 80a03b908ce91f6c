/* Folds in a list of launches, whose numbers stay on the device, against those that come to the
 * host and against the order that backend.h promises; on any number of threads, and on the GPU
 * where there is one. */
#include "support.h"

#include "backend/backend.h"

#include <math.h>

#define BODIES 40000u

/* Bodies at random, on a backend. */
typedef struct crowd {
    tl_backend *backend;
    tl_buffer vel, pos, numbers;
    tlk_bodies bodies;
    double *x, *root; /* of each, on the host: its place on the first axis, the root of its speed */
} crowd;

static void *uploaded(crowd *c, tl_buffer *buffer, const void *data, size_t bytes)
{
    assert_ok(tl_buffer_need(c->backend, buffer, bytes));
    c->backend->ops->upload(c->backend, buffer->data, data, bytes);
    return buffer->data;
}

static crowd crowd_new(tl_backend *backend)
{
    crowd c = {.backend = backend};
    dice d = {1};
    double *vel = calloc(BODIES, 8 * sizeof *vel), *pos = calloc(BODIES, 4 * sizeof *pos);
    c.x = calloc(BODIES, sizeof *c.x);
    c.root = calloc(BODIES, sizeof *c.root);
    for (uint32_t i = 0; i < BODIES; i++) {
        double *v = vel + 8 * (size_t)i, *x = pos + 4 * (size_t)i;
        roll3(&d, -1, 1, v);
        roll3(&d, -9, 9, x);
        c.x[i] = x[0];
        c.root[i] = sqrt(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    c.bodies.vel = uploaded(&c, &c.vel, vel, BODIES * 8 * sizeof *vel);
    c.bodies.pos = uploaded(&c, &c.pos, pos, BODIES * 4 * sizeof *pos);
    c.bodies.inertia = c.bodies.pos; /* any numbers: their fourth is summed up */
    assert_ok(tl_buffer_need(backend, &c.numbers, tl_fold_room(BODIES)));
    free(vel), free(pos);
    return c;
}

static void crowd_free(crowd *c)
{
    tl_buffer *all[] = {&c->vel, &c->pos, &c->numbers};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tl_buffer_free(c->backend, all[i]);
    free(c->x), free(c->root);
    c->backend->ops->destroy(c->backend);
}

/* Eight lanes in a chunk, chunks in a group, groups, each in order. */
static double in_order(const double *items, uint32_t count)
{
    double sum = 0;
    for (uint32_t g = 0; g < count; g += TLK_FOLD_CHUNK * TLK_FOLD_GROUP) {
        double group = 0;
        for (uint32_t c = g; c < count && c < g + TLK_FOLD_CHUNK * TLK_FOLD_GROUP;
             c += TLK_FOLD_CHUNK) {
            double chunk = 0;
            for (uint32_t l = 0; l < TLK_LANES; l++) {
                double lane = 0;
                for (uint32_t i = c + l; i < count && i < c + TLK_FOLD_CHUNK; i += TLK_LANES)
                    lane += items[i];
                chunk += lane;
            }
            group += chunk;
        }
        sum += group;
    }
    return sum;
}

static void check_count(crowd *c, uint32_t count)
{
    enum { NUMBERS = 8 };
    double host[TLK_FOLD_NUMBERS], device[TLK_FOLD_NUMBERS], low = 1e300;
    tl_backend *b = c->backend;
    const tl_folding folding = {TLK_FOLD_body_box, count, &c->bodies, c->numbers.data};
    /* twice in a list, so that it stands before and behind something */
    const tl_launch list[2] = {{TLK_FOLD, 0, count, false, &folding},
                               {TLK_FOLD, 0, count, false, &folding}};
    assert_ok(tl_fold_one(b, TLK_FOLD_body_box, count, &c->bodies, host));
    for (uint32_t repeat = 1; repeat <= 10; repeat += 3) {
        b->ops->fill(b, c->numbers.data, 0xff, tl_fold_room(count));
        b->ops->run(b, list, 2, repeat);
        assert_ok(b->ops->download(b, device, c->numbers.data, NUMBERS * sizeof *device));
        assert_memory_equal(device, host, NUMBERS * sizeof *device);
    }
    for (uint32_t i = 0; i < count; i++)
        low = fmin(low, c->x[i]);
    if (host[0] != low || host[6] != in_order(c->root, count))
        fail_msg("%s, %u items: least %a, not %a; sum %a, in order %a", b->name, count, host[0],
                 low, host[6], in_order(c->root, count));
}

static void check_backend(tl_backend *backend)
{
    /* no item, a part of a chunk, one, several, a group and a bit, several groups */
    const uint32_t counts[] = {0, 1, 255, 256, 5000, 16385, BODIES};
    crowd c = crowd_new(backend);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        if (backend->ops->threads)
            backend->ops->threads(backend, threads);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            check_count(&c, counts[i]);
    }
    crowd_free(&c);
}

static void test_cpu(void **state)
{
    tl_backend *backend = NULL;
    (void)state;
    assert_ok(tl_backend_cpu(TL_DOUBLE, 1, &backend));
    check_backend(backend);
}

static void test_cuda(void **state)
{
    tl_backend *backend = NULL;
    (void)state;
    if (tl_backend_cuda(TL_DOUBLE, 0, &backend) != TL_OK) {
        printf("skipped: no GPU: %s\n", tl_last_message());
        skip();
    }
    check_backend(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cpu), cmocka_unit_test(test_cuda)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
