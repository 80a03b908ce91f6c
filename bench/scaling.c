/* The scaling bench: the pile at growing sizes. A method without hidden costs takes the same time
 * and memory per body at every size once the caches are exceeded. */
#include "bench.h"

#include <stdlib.h>

/* The promise that is checked. */
#define ALLOWED_SPREAD 1.2

/* Lowest and highest cost per body seen. */
typedef struct spread {
    double low, high;
    uint32_t count;
} spread;

static void spread_add(spread *s, double cost)
{
    if (s->count == 0 || cost < s->low)
        s->low = cost;
    if (s->count == 0 || cost > s->high)
        s->high = cost;
    s->count++;
}

static void print_spread(const bench_output *output, const char *which, const spread *s)
{
    if (s->count < 2)
        output_line(output, "cost per body, %s: fewer than two of them, nothing to compare", which);
    else
        output_line(output, "cost per body, %s: %.1f to %.1f ns a step, a factor of %.3f: %s",
                    which, s->low, s->high, s->high / s->low,
                    s->high / s->low <= ALLOWED_SPREAD ? "constant within 20 %"
                                                       : "NOT constant within 20 %");
}

/* Bytes of the largest cache; 0 where the system does not say. sysconf() would give the cache of
 * the whole host in a virtual machine. */
static double last_level_cache(void)
{
    double largest = 0;
    for (int index = 0; index < 5; index++) {
        char path[80], text[32] = "";
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        FILE *file = fopen(path, "r");
        if (!file)
            continue;
        double bytes = fgets(text, sizeof text, file) ? 1024.0 * strtod(text, NULL) : 0;
        largest = bytes > largest ? bytes : largest; /* the file says "1024K" */
        fclose(file);
    }
    return largest;
}

void bench_scaling(const bench_options *options, bench_output *output)
{
    double cache = last_level_cache();
    spread all = {0}, large = {0};
    for (uint32_t i = 0; i < options->size_count; i++) {
        pile_case pile;
        bench_row row;
        size_t bodies = options->bodies[i];
        if (!pile_case_make(output, options, PILE_SPHERES, bodies, &pile))
            continue;
        if (measure_pile(output, options, "scaling", &pile, &row)) {
            double cost = 1e6 * row.ms_per_step / (double)bodies,
                   bytes = row_value(&row, "world_bytes");
            row_number(&row, "ns_per_body", cost);
            row_number(&row, "bytes_per_body", bytes / (double)bodies);
            row_number(&row, "bytes_per_contact", bytes / (double)row.contacts);
            output_row(output, &row);
            spread_add(&all, cost);
            if (bytes > cache)
                spread_add(&large, cost);
        }
        pile_case_free(&pile);
    }
    output_line(output, "last-level cache: %.1f MB", 1e-6 * cache);
    print_spread(output, "all sizes", &all);
    print_spread(output, "sizes larger than the last cache", &large);
}
