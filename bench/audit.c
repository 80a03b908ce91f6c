/* The audit of a pile from its state alone: audit.h. Pairs are found with a list of cubic cells as
 * wide as the largest centre distance that counts, sorted by cell, so that a body's partners are
 * in its own and the 26 neighbouring cells. Everything in 64-bit. */
#include "audit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Gaps below this part of the radius are touching. */
#define TOUCHING 0.01

/* Cell coordinates are stored as 21 bits each, z last, so that a column of cells is one range of
 * keys. */
#define CELL_BITS 21
#define CELL_HALF (INT64_C(1) << (CELL_BITS - 1))

/* A body in cell order. */
typedef struct cell_entry {
    uint64_t key;
    size_t body;
    double centre[3]; /* m */
} cell_entry;

/* Which cells are looked at: [begin, end) along x. A pair belongs to the cell of its first body,
 * so the cells at `end` are needed too. */
typedef struct cell_slab {
    double width; /* m, of a cell */
    int64_t begin, end;
} cell_slab;

/* Depths found so far, over the radius. */
typedef struct depth_list {
    double *depths;
    size_t count, capacity;
} depth_list;

static bool depth_add(depth_list *list, double depth)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity > 0 ? 2 * list->capacity : 1024;
        double *grown = realloc(list->depths, capacity * sizeof *grown);
        if (!grown)
            return false;
        list->depths = grown;
        list->capacity = capacity;
    }
    list->depths[list->count++] = depth;
    return true;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_entries(const void *a, const void *b)
{
    uint64_t x = ((const cell_entry *)a)->key, y = ((const cell_entry *)b)->key;
    return (x > y) - (x < y);
}

audit_overlap audit_overlaps(double *depths, size_t count)
{
    audit_overlap overlap = {.count = count};
    if (count == 0)
        return overlap;
    qsort(depths, count, sizeof *depths, compare_doubles);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += depths[i];
    overlap.mean = sum / (double)count;
    overlap.p99 = depths[count - count / 100 - 1]; /* rank ceil(0.99 count) */
    overlap.max = depths[count - 1];
    return overlap;
}

static uint64_t cell_key(int64_t x, int64_t y, int64_t z)
{
    return (uint64_t)(x + CELL_HALF) << (2 * CELL_BITS) | (uint64_t)(y + CELL_HALF) << CELL_BITS |
           (uint64_t)(z + CELL_HALF);
}

/* Records one gap. Returns false when memory has run out. */
static bool record(double gap, double radius, depth_list *list, audit_result *result)
{
    result->touching += gap < TOUCHING * radius;
    return gap < 0 ? depth_add(list, -gap / radius) : true;
}

/* The first entry with a key of at least `key`. */
static size_t lower_bound(const cell_entry *entries, size_t count, uint64_t key)
{
    size_t first = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (entries[first + half].key < key) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/* The gap of two bodies; of solids whose balls are apart, that of the balls. `place` is the first
 * one's, of a solid. */
static double pair_gap(const audit_input *input, const solid_place *place, const cell_entry *a,
                       const cell_entry *b)
{
    const double *p = a->centre, *q = b->centre;
    const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    const double reach = input->shape ? input->shape->radius : input->radius;
    const double gap = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 2 * reach;
    const double limit = TOUCHING * input->radius;
    solid_place other;
    if (!input->shape || gap > limit)
        return gap;
    solid_put(input->shape, q, input->orientations + 4 * b->body, &other);
    return solid_gap(input->shape, place, &other, limit);
}

/* Pairs of entry i with the entries after it in its own column of cells and in one neighbouring
 * column (dx, dy); the columns to look at are chosen so that a pair comes up once. */
static bool audit_column(const audit_input *input, const cell_entry *entries, size_t count,
                         const solid_place *place, size_t i, int dx, int dy, depth_list *list,
                         audit_result *result)
{
    const uint64_t mask = (UINT64_C(1) << CELL_BITS) - 1;
    const cell_entry *a = &entries[i];
    int64_t x = (int64_t)(a->key >> (2 * CELL_BITS)) - CELL_HALF + dx;
    int64_t y = (int64_t)(a->key >> CELL_BITS & mask) - CELL_HALF + dy;
    int64_t z = (int64_t)(a->key & mask) - CELL_HALF;
    bool own = dx == 0 && dy == 0;
    size_t j = own ? i + 1 : lower_bound(entries, count, cell_key(x, y, z - 1));
    uint64_t last = cell_key(x, y, z + 1);
    for (; j < count && entries[j].key <= last; j++)
        if (!record(pair_gap(input, place, a, &entries[j]), input->radius, list, result))
            return false;
    return true;
}

/* Pairs whose first body is one of the first result->audited entries. */
static bool audit_pairs(const audit_input *input, const cell_entry *entries, size_t count,
                        depth_list *list, audit_result *result)
{
    static const int columns[5][2] = {{0, 0}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};
    for (size_t i = 0; i < result->audited; i++) {
        solid_place place;
        if (input->shape)
            solid_put(input->shape, entries[i].centre, input->orientations + 4 * entries[i].body,
                      &place);
        for (int c = 0; c < 5; c++)
            if (!audit_column(input, entries, count, &place, i, columns[c][0], columns[c][1], list,
                              result))
                return false;
    }
    return true;
}

static int64_t cell_of(const cell_slab *slab, double x)
{
    return (int64_t)floor(x / slab->width);
}

/* How far a body reaches down, to both sides along x and y, and up, from its centre, m. */
static void body_reach(const audit_input *input, size_t i, double reach[6])
{
    const double at[3] = {0, 0, 0};
    solid_place place;
    for (int k = 0; k < 6; k++)
        reach[k] = input->shape ? 0 : input->radius;
    if (!input->shape)
        return;
    solid_put(input->shape, at, input->orientations + 4 * i, &place);
    for (uint32_t c = 0; c < input->shape->corner_count; c++) {
        const double *p = place.corner[c];
        const double out[6] = {-p[2], p[0], -p[0], p[1], -p[1], p[2]};
        for (int k = 0; k < 6; k++)
            reach[k] = fmax(reach[k], out[k]);
    }
}

/* Floor and walls are taken as half-spaces: a body that went through one is as deep in it as it
 * is. */
static bool audit_box(const audit_input *input, const cell_slab *slab, depth_list *list,
                      audit_result *result)
{
    double w = input->half_width, r = input->radius;
    for (size_t i = 0; i < input->bodies; i++) {
        const double *p = input->positions + 3 * i;
        double heights[5] = {p[2], w - p[0], w + p[0], w - p[1], w + p[1]}, reach[6];
        bool outside = false;
        body_reach(input, i, reach);
        int64_t cell = cell_of(slab, p[0]);
        for (int k = 0; k < 5; k++) {
            outside |= heights[k] < 0;
            if (cell >= slab->begin && cell < slab->end &&
                !record(heights[k] - reach[k], r, list, result))
                return false;
        }
        result->escaped += outside;
    }
    return true;
}

/* The slab that is asked for: of the box or, without one, of what the bodies take up. The first
 * and the last slab have all that is outside. Returns false if a position has no cell. */
static bool choose_slab(const audit_input *input, cell_slab *slab)
{
    double low = input->boxed ? -input->half_width : INFINITY;
    double high = input->boxed ? input->half_width : -INFINITY;
    const double reach = input->shape ? input->shape->radius : input->radius;
    *slab = (cell_slab){2 * reach + 2 * TOUCHING * input->radius, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < 3 * input->bodies; i++) {
        double x = input->positions[i];
        if (!(fabs(x / slab->width) < CELL_HALF - 2)) /* NaN fails this too */
            return false;
        if (i % 3 == 0 && !input->boxed) {
            low = fmin(low, x);
            high = fmax(high, x);
        }
    }
    double part = (high - low) / (double)(input->slabs > 1 ? input->slabs : 1);
    if (input->slab > 0)
        slab->begin = cell_of(slab, low + part * (double)input->slab);
    if (input->slab + 1 < input->slabs)
        slab->end = cell_of(slab, low + part * (double)(input->slab + 1));
    return true;
}

/* How many bodies are in the slab (result->audited) and in the cells behind it. */
static size_t count_entries(const audit_input *input, const cell_slab *slab, audit_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < input->bodies; i++) {
        int64_t x = cell_of(slab, input->positions[3 * i]);
        count += x >= slab->begin && x <= slab->end;
        result->audited += x >= slab->begin && x < slab->end;
    }
    return count;
}

/* These with their cells, sorted. */
static void fill_cells(const audit_input *input, const cell_slab *slab, cell_entry *entries)
{
    size_t count = 0;
    for (size_t i = 0; i < input->bodies; i++) {
        const double *p = input->positions + 3 * i;
        int64_t x = cell_of(slab, p[0]);
        if (x < slab->begin || x > slab->end)
            continue;
        entries[count].key = cell_key(x, cell_of(slab, p[1]), cell_of(slab, p[2]));
        entries[count].body = i;
        for (int k = 0; k < 3; k++)
            entries[count].centre[k] = p[k];
        count++;
    }
    qsort(entries, count, sizeof *entries, compare_entries);
}

/* Mean kinetic energy; a sphere's moment of inertia is 2/5 m r^2. */
static double kinetic_energy(const audit_input *input)
{
    const double sphere = 0.4 * input->radius * input->radius, none[3] = {0, 0, 0};
    const solid *shape = input->shape;
    double sum = 0;
    for (size_t i = 0; i < input->bodies; i++) {
        const double *v = input->velocities ? input->velocities + 3 * i : none;
        const double *spin = input->angular ? input->angular + 3 * i : none;
        double w[3] = {spin[0], spin[1], spin[2]};
        if (shape)
            solid_turn(input->orientations + 4 * i, true, spin, w);
        for (int k = 0; k < 3; k++) {
            const double moment = shape ? shape->inertia[k] / shape->volume : sphere;
            sum += 0.5 * input->mass * (v[k] * v[k] + moment * w[k] * w[k]);
        }
    }
    return input->bodies > 0 ? sum / (double)input->bodies : 0;
}

/* Of the centres, and of the highest point. */
static void heights(const audit_input *input, audit_result *result)
{
    double sum = 0, top = -INFINITY;
    for (size_t i = 0; i < input->bodies; i++) {
        double reach[6];
        body_reach(input, i, reach);
        sum += input->positions[3 * i + 2];
        top = fmax(top, input->positions[3 * i + 2] + reach[5]);
    }
    result->mean_height = input->bodies > 0 ? sum / (double)input->bodies : 0;
    result->top = input->bodies > 0 ? top : 0;
}

const char *audit_bodies(const audit_input *input, audit_result *result)
{
    *result = (audit_result){0};
    cell_slab slab;
    if (!choose_slab(input, &slab))
        return "a position is not finite, or a million radii away from the origin";
    size_t count = count_entries(input, &slab, result);
    cell_entry *entries = malloc((count + 1) * sizeof *entries);
    depth_list list = {0};
    if (entries)
        fill_cells(input, &slab, entries);
    bool done = entries && audit_pairs(input, entries, count, &list, result) &&
                (!input->boxed || audit_box(input, &slab, &list, result));
    if (done) {
        result->overlap = audit_overlaps(list.depths, list.count);
        result->joules_per_body = kinetic_energy(input);
        heights(input, result);
    }
    free(entries);
    free(list.depths);
    return done ? NULL : "not enough memory";
}
