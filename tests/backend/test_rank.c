/* Ranks, the places of items in the stable order of their keys, against a plain counting sort; and
 * prefix sums, which ranks are made of on a GPU. On any number of threads, and on the GPU where
 * there is one. */
#include "support.h"

#include "backend/backend.h"

#define MOST 3000001u

/* Keys, where they belong, and what a backend makes of them. */
typedef struct ranking {
    tl_backend *backend;
    tl_buffer key, place;
    uint32_t *keys, *want, *got;
    uint32_t want_starts[TLK_RANK_KEYS + 1], got_starts[TLK_RANK_KEYS + 1];
} ranking;

/* Keys at random out of so many, from the least or up to the last one. */
static void roll_keys(ranking *r, uint32_t count, uint32_t keys, bool last)
{
    dice d = {count + keys};
    const uint32_t base = last ? TLK_RANK_KEYS - keys : 0;
    for (uint32_t i = 0; i < count; i++)
        r->keys[i] = base + (uint32_t)(roll_bits(&d) % keys);
}

static void count_and_place(ranking *r, uint32_t count)
{
    uint32_t next[TLK_RANK_KEYS];
    memset(r->want_starts, 0, sizeof r->want_starts);
    for (uint32_t i = 0; i < count; i++)
        r->want_starts[r->keys[i] + 1]++;
    for (uint32_t k = 0; k < TLK_RANK_KEYS; k++) {
        next[k] = r->want_starts[k];
        r->want_starts[k + 1] += r->want_starts[k];
    }
    for (uint32_t i = 0; i < count; i++)
        r->want[i] = next[r->keys[i]]++;
}

static void check_keys(ranking *r, uint32_t count)
{
    tl_backend *b = r->backend;
    const size_t bytes = count * sizeof(uint32_t);
    count_and_place(r, count);
    b->ops->upload(b, r->key.data, r->keys, bytes);
    b->ops->fill(b, r->place.data, 0xff, MOST * sizeof(uint32_t));
    memset(r->got_starts, 0xff, sizeof r->got_starts);
    uint32_t seen = 7; /* any word will do: the first of the keys */
    assert_ok(
        b->ops->rank(b, r->key.data, count, r->place.data, r->got_starts, r->key.data, &seen));
    assert_int_equal(seen, count ? r->keys[0] : 0);
    for (uint32_t k = 0; k <= TLK_RANK_KEYS; k++)
        if (r->got_starts[k] != r->want_starts[k])
            fail_msg("%s, %u items: key %u starts at %u, not %u", b->name, count, k,
                     r->got_starts[k], r->want_starts[k]);
    assert_ok(b->ops->download(b, r->got, r->place.data, bytes));
    for (uint32_t i = 0; i < count; i++)
        if (r->got[i] != r->want[i])
            fail_msg("%s, %u items: item %u of key %u is at %u, not %u", b->name, count, i,
                     r->keys[i], r->got[i], r->want[i]);
}

/* Numbers up to `most`, summed; a GPU's sums stay at the largest number, a CPU's total does. */
static void check_scan(ranking *r, uint32_t count, uint32_t most)
{
    tl_backend *b = r->backend;
    const bool caps = !b->ops->threads;
    dice d = {count};
    uint64_t sum = 0, total = 1;
    for (uint32_t i = 0; i < count; i++) {
        r->keys[i] = (uint32_t)(roll_bits(&d) % ((uint64_t)most + 1));
        r->want[i] = caps && sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
        sum += r->keys[i];
    }
    r->want[count] = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
    for (int asked = 0; asked < 2; asked++) {
        b->ops->fill(b, r->key.data, 0xff, ((size_t)count + 1) * sizeof(uint32_t));
        b->ops->upload(b, r->key.data, r->keys, count * sizeof(uint32_t));
        assert_ok(b->ops->scan(b, r->key.data, count, asked ? &total : NULL));
        assert_ok(b->ops->download(b, r->got, r->key.data, ((size_t)count + 1) * sizeof *r->got));
        for (uint32_t i = 0; i <= count; i++)
            if (r->got[i] != r->want[i])
                fail_msg("%s, %u items: the sum before item %u is %u, not %u", b->name, count, i,
                         r->got[i], r->want[i]);
    }
    assert_int_equal(total, caps ? r->want[count] : sum);
}

static void check_backend(tl_backend *backend, uint32_t threads)
{
    /* around a warp, a chunk and a few of them, the counts from which threads and larger chunks
     * pay, and a count that is divided by nothing */
    const uint32_t counts[] = {0,    1,    31,   32,    33,     2047,   2048,   2049, 4095,
                               4096, 4097, 8192, 70000, 524288, 524289, 600000, MOST};
    const uint32_t kinds[] = {1, 2, 33, TLK_RANK_KEYS};
    /* around what a block takes at a time, and what one block does alone */
    const uint32_t sums[] = {0,     1,     1025,  8193,  16383, 16384,
                             16385, 32769, 65535, 65536, 65537, 300000};
    ranking r = {.backend = backend};
    r.keys = calloc(MOST + 1, sizeof *r.keys);
    r.want = calloc(MOST + 1, sizeof *r.want);
    r.got = calloc(MOST + 1, sizeof *r.got);
    assert_ok(tl_buffer_need(backend, &r.key, MOST * sizeof(uint32_t)));
    assert_ok(tl_buffer_need(backend, &r.place, MOST * sizeof(uint32_t)));
    for (uint32_t t = 1; t <= threads; t++) {
        if (backend->ops->threads)
            backend->ops->threads(backend, t);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                roll_keys(&r, counts[i], kinds[k], k & 1);
                check_keys(&r, counts[i]);
            }
        for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
            check_scan(&r, sums[i], 9);
            check_scan(&r, sums[i], UINT32_MAX);
        }
    }
    tl_buffer_free(backend, &r.key);
    tl_buffer_free(backend, &r.place);
    free(r.keys), free(r.want), free(r.got);
    backend->ops->destroy(backend);
}

static void test_cpu(void **state)
{
    tl_backend *backend = NULL;
    (void)state;
    assert_ok(tl_backend_cpu(TL_MIXED, 1, &backend));
    check_backend(backend, 3);
}

static void test_cuda(void **state)
{
    tl_backend *backend = NULL;
    (void)state;
    if (tl_backend_cuda(TL_MIXED, 0, &backend) != TL_OK) {
        printf("skipped: no GPU: %s\n", tl_last_message());
        skip();
    }
    check_backend(backend, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cpu), cmocka_unit_test(test_cuda)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
