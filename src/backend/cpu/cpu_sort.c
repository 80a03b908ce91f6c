/* Radix sort, ranks and prefix sum on the CPU. All give the same result for any number of threads:
 * sort and ranks are stable, and sums of integers do not round. */
#include "backend/cpu/cpu.h"

#include <string.h>

#define SERIAL_BELOW 8192u /* below this many items threads cost more than they give */
#define DIGIT_BITS   9u

static void range(uint32_t count, uint32_t part, uint32_t parts, uint32_t *begin, uint32_t *end)
{
    *begin = (uint32_t)((uint64_t)count * part / parts);
    *end = (uint32_t)((uint64_t)count * (part + 1) / parts);
}

typedef struct scan_job {
    uint32_t *items, count;
    uint64_t *sums; /* parts + 1 */
} scan_job;

/* The sum of each part; then each part's prefix sums on top of those before it. */
static void scan_part(void *context, uint32_t phase, uint32_t part, uint32_t parts)
{
    const scan_job *job = context;
    uint32_t begin, end;
    range(job->count, part, parts, &begin, &end);
    if (phase == 0) {
        uint64_t sum = 0;
        for (uint32_t i = begin; i < end; i++)
            sum += job->items[i];
        job->sums[part + 1] = sum;
        return;
    }
    uint64_t before = 0;
    for (uint32_t t = 1; t <= part; t++)
        before += job->sums[t];
    uint32_t running = (uint32_t)before;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t item = job->items[i];
        job->items[i] = running;
        running += item;
    }
}

tl_status tl_cpu_scan(tl_pool *pool, tl_array *scratch, uint32_t *items, uint32_t count,
                      uint64_t *total)
{
    if (count < SERIAL_BELOW)
        pool = NULL;
    const uint32_t parts = tl_pool_parts(pool);
    TL_TRY(tl_array_resize(scratch, 2 * ((size_t)parts + 1)));
    scan_job job = {items, count, scratch->data};
    tl_pool_run(pool, 2, scan_part, &job);
    *total = 0;
    for (uint32_t t = 1; t <= parts; t++)
        *total += job.sums[t];
    items[count] = *total > UINT32_MAX ? UINT32_MAX : (uint32_t)*total;
    return TL_OK;
}

/* How often each digit occurs among the keys of a part. */
static void count_digits(const uint32_t *keys, uint32_t begin, uint32_t end, uint32_t shift,
                         uint32_t digits, uint32_t *own)
{
    memset(own, 0, digits * sizeof *own);
    for (uint32_t i = begin; i < end; i++)
        own[keys[i] >> shift & (digits - 1)]++;
}

/* Where a part's first key of each digit goes, from the counts of all parts. */
static void digit_places(const uint32_t *counts, uint32_t digits, uint32_t part, uint32_t parts,
                         uint32_t *at)
{
    uint32_t sum = 0;
    for (uint32_t d = 0; d < digits; d++)
        for (uint32_t t = 0; t < parts; t++) {
            if (t == part)
                at[d] = sum;
            sum += counts[(size_t)t * digits + d];
        }
}

typedef struct rank_job {
    const uint32_t *keys;
    uint32_t *places, *starts;
    uint32_t *counts; /* parts * TLK_RANK_KEYS */
    uint32_t count;
} rank_job;

/* The counts of each part; then its places, and from the first part's the starts. */
static void rank_part(void *context, uint32_t phase, uint32_t part, uint32_t parts)
{
    const rank_job *job = context;
    uint32_t begin, end, at[TLK_RANK_KEYS];
    range(job->count, part, parts, &begin, &end);
    if (phase == 0) {
        count_digits(job->keys, begin, end, 0, TLK_RANK_KEYS,
                     job->counts + (size_t)part * TLK_RANK_KEYS);
        return;
    }
    digit_places(job->counts, TLK_RANK_KEYS, part, parts, at);
    if (part == 0)
        memcpy(job->starts, at, sizeof at);
    for (uint32_t i = begin; i < end; i++)
        job->places[i] = at[job->keys[i]]++;
}

tl_status tl_cpu_rank(tl_pool *pool, tl_array *scratch, const uint32_t *keys, uint32_t count,
                      uint32_t *places, uint32_t *starts)
{
    if (count < SERIAL_BELOW)
        pool = NULL;
    TL_TRY(tl_array_resize(scratch, (size_t)tl_pool_parts(pool) * TLK_RANK_KEYS));
    rank_job job = {keys, places, starts, scratch->data, count};
    tl_pool_run(pool, 2, rank_part, &job);
    starts[TLK_RANK_KEYS] = count;
    return TL_OK;
}

typedef struct sort_job {
    uint32_t *keys, *values, *keys2, *values2;
    uint32_t *counts; /* parts * digits */
    uint32_t count, bits, width, passes;
} sort_job;

/* A pass over one digit, of one part: counts; then where each digit goes, and a stable scatter. */
static void sort_pass(const sort_job *job, uint32_t pass, bool scatter, uint32_t part,
                      uint32_t parts)
{
    const uint32_t shift = pass * job->width, left = job->bits - shift;
    const uint32_t bits = left < job->width ? left : job->width;
    const uint32_t digits = 1u << bits, mask = digits - 1;
    const bool back = pass & 1; /* every other pass leads back */
    const uint32_t *keys = back ? job->keys2 : job->keys;
    const uint32_t *values = back ? job->values2 : job->values;
    uint32_t *keys_out = back ? job->keys : job->keys2;
    uint32_t *values_out = back ? job->values : job->values2;
    uint32_t begin, end, at[1u << DIGIT_BITS];
    range(job->count, part, parts, &begin, &end);
    if (!scatter) {
        count_digits(keys, begin, end, shift, digits, job->counts + (size_t)part * digits);
        return;
    }
    digit_places(job->counts, digits, part, parts, at);
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t to = at[keys[i] >> shift & mask]++;
        keys_out[to] = keys[i];
        values_out[to] = values[i];
    }
}

/* Two phases a pass, and one that copies back where the number of passes is odd. */
static void sort_part(void *context, uint32_t phase, uint32_t part, uint32_t parts)
{
    const sort_job *job = context;
    if (phase < 2 * job->passes) {
        sort_pass(job, phase / 2, phase & 1, part, parts);
        return;
    }
    uint32_t begin, end;
    range(job->count, part, parts, &begin, &end);
    memcpy(job->keys + begin, job->keys2 + begin, (end - begin) * sizeof *job->keys);
    memcpy(job->values + begin, job->values2 + begin, (end - begin) * sizeof *job->values);
}

tl_status tl_cpu_sort(tl_pool *pool, tl_array *scratch, uint32_t *keys, uint32_t *values,
                      uint32_t count, uint32_t bits)
{
    if (count < 2 || !bits)
        return TL_OK;
    if (count < SERIAL_BELOW)
        pool = NULL;
    const uint32_t passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    const uint32_t width = (bits + passes - 1) / passes;
    TL_TRY(tl_array_resize(scratch, 2 * (size_t)count + ((size_t)tl_pool_parts(pool) << width)));
    uint32_t *other = scratch->data;
    sort_job job = {keys,  values, other, other + count, other + 2 * (size_t)count,
                    count, bits,   width, passes};
    tl_pool_run(pool, 2 * passes + (passes & 1), sort_part, &job);
    return TL_OK;
}
