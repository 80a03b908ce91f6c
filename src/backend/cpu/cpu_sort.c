/* Radix sort and prefix sum on the CPU. Both give the same result for any number of threads: the
 * sort is stable, and sums of integers do not round. */
#include "backend/cpu/cpu.h"

#include <omp.h>
#include <string.h>

#define SERIAL_BELOW 8192u /* below this many items a parallel region costs more than it gives */
#define MAX_THREADS  256u
#define DIGIT_BITS   9u

static void range(uint32_t count, uint32_t part, uint32_t parts, uint32_t *begin, uint32_t *end)
{
    *begin = (uint32_t)((uint64_t)count * part / parts);
    *end = (uint32_t)((uint64_t)count * (part + 1) / parts);
}

tl_status tl_cpu_scan(uint32_t threads, uint32_t *items, uint32_t count, uint64_t *total)
{
    uint64_t sums[MAX_THREADS + 1];
    if (count < SERIAL_BELOW)
        threads = 1;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    sums[0] = 0;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t begin, end;
        uint64_t sum = 0;
        range(count, t, threads, &begin, &end);
        for (uint32_t i = begin; i < end; i++)
            sum += items[i];
        sums[t + 1] = sum;
    }
    for (uint32_t t = 0; t < threads; t++)
        sums[t + 1] += sums[t];
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t begin, end, sum = (uint32_t)sums[t];
        range(count, t, threads, &begin, &end);
        for (uint32_t i = begin; i < end; i++) {
            const uint32_t item = items[i];
            items[i] = sum;
            sum += item;
        }
    }
    items[count] = (uint32_t)sums[threads];
    *total = sums[threads];
    return TL_OK;
}

/* One pass: counts of digits by part, then a stable scatter. */
static void pass(uint32_t threads, const uint32_t *keys, const uint32_t *values, uint32_t *keys_out,
                 uint32_t *values_out, uint32_t count, uint32_t shift, uint32_t bits,
                 uint32_t *counts)
{
    const uint32_t digits = 1u << bits, mask = digits - 1;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t begin, end, *own = counts + (size_t)t * digits;
        range(count, t, threads, &begin, &end);
        memset(own, 0, digits * sizeof *own);
        for (uint32_t i = begin; i < end; i++)
            own[keys[i] >> shift & mask]++;
    }
    uint32_t sum = 0;
    for (uint32_t d = 0; d < digits; d++)
        for (uint32_t t = 0; t < threads; t++) {
            const uint32_t here = counts[(size_t)t * digits + d];
            counts[(size_t)t * digits + d] = sum;
            sum += here;
        }
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t begin, end, *own = counts + (size_t)t * digits;
        range(count, t, threads, &begin, &end);
        for (uint32_t i = begin; i < end; i++) {
            const uint32_t at = own[keys[i] >> shift & mask]++;
            keys_out[at] = keys[i];
            values_out[at] = values[i];
        }
    }
}

tl_status tl_cpu_sort(uint32_t threads, tl_array *scratch, uint32_t *keys, uint32_t *values,
                      uint32_t count, uint32_t bits)
{
    if (count < 2 || !bits)
        return TL_OK;
    if (count < SERIAL_BELOW)
        threads = 1;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    const uint32_t passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    const uint32_t width = (bits + passes - 1) / passes;
    const size_t table = (size_t)threads << width;
    TL_TRY(tl_array_resize(scratch, 2 * (size_t)count + table));
    uint32_t *k = keys, *v = values, *k2 = scratch->data, *v2 = k2 + count, *counts = v2 + count;
    for (uint32_t p = 0; p < passes; p++) {
        const uint32_t shift = p * width;
        pass(threads, k, v, k2, v2, count, shift, bits - shift < width ? bits - shift : width,
             counts);
        uint32_t *swap = k;
        k = k2, k2 = swap;
        swap = v;
        v = v2, v2 = swap;
    }
    if (k != keys) {
        memcpy(keys, k, count * sizeof *k);
        memcpy(values, v, count * sizeof *v);
    }
    return TL_OK;
}
