/* The contacts bench: collision detection alone, on spheres at random places, as in Table 2 of the
 * sources. What is found is compared, pair by pair, with the same contacts worked out again in
 * 64-bit from the centres, and with what peers find. Called by bench.c and, for Table 2, by
 * paper.c. */
#include "bench.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

/* The envelope that stands for none (0 would choose one), and the band of gaps, either side of it,
 * in which rounding decides whether a pair is a contact. Both over the radius. */
#define NO_ENVELOPE    1e-9
#define THRESHOLD_BAND 1e-6

/* More contacts than these are counted and not read: a contact takes 300 bytes on the host and
 * several microseconds of comparing. Then those of about MOST_AUDITED contacts' spheres are worked
 * out again, to be held against the number found. */
#define MOST_READ    ((size_t)20000000)
#define MOST_AUDITED ((size_t)10000000)

#define WARM_RUNS 5

/* Contacts of one engine, sorted by pair. */
typedef struct contact_set {
    peer_contact *contacts;
    size_t count;
} contact_set;

/* Mean and standard deviation, added up one by one (Welford). */
typedef struct error_stat {
    double mean, squares;
    size_t count;
} error_stat;

static void error_add(error_stat *stat, double error)
{
    double before = error - stat->mean;
    stat->count++;
    stat->mean += before / (double)stat->count;
    stat->squares += before * (error - stat->mean);
}

static double error_deviation(const error_stat *stat)
{
    return stat->count > 0 ? sqrt(stat->squares / (double)stat->count) : 0;
}

static uint64_t pair_key(const peer_contact *c)
{
    return (uint64_t)c->a << 32 | c->b;
}

static int compare_pairs(const void *a, const void *b)
{
    uint64_t x = pair_key(a), y = pair_key(b);
    return (x > y) - (x < y);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Overlaps of the contact set, into the row. */
static bool row_overlaps(bench_output *output, bench_row *row, const contact_set *set,
                         double radius)
{
    double *depths = malloc((set->count + 1) * sizeof *depths);
    size_t count = 0;
    if (!depths) {
        output_failure(output, "not enough memory for the overlaps of %zu contacts", set->count);
        return false;
    }
    for (size_t i = 0; i < set->count; i++)
        if (set->contacts[i].gap < 0)
            depths[count++] = -set->contacts[i].gap / radius;
    row->overlap = audit_overlaps(depths, count);
    free(depths);
    return true;
}

/* Talus's contacts in the form of peer_contact, sorted. Spheres are numbered as they were added. */
static bool read_contacts(bench_output *output, const tl_world *world, contact_set *set)
{
    set->count = tl_world_contact_count(world);
    tl_contact *found = malloc((set->count + 1) * sizeof *found);
    set->contacts = malloc((set->count + 1) * sizeof *set->contacts);
    bool done = found && set->contacts;
    if (!done)
        output_failure(output, "not enough memory for %zu contacts", set->count);
    else
        done = !output_status(output, "reading contacts", tl_world_body_count(world),
                              tl_world_read_contacts(world, set->count, found));
    for (size_t i = 0; done && i < set->count; i++) {
        const tl_contact *from = &found[i];
        bool swap = from->a.index > from->b.index;
        peer_contact *to = &set->contacts[i];
        to->a = (swap ? from->b.index : from->a.index) - 1;
        to->b = (swap ? from->a.index : from->b.index) - 1;
        to->gap = from->gap;
        for (int k = 0; k < 3; k++) {
            to->normal[k] = swap ? -from->normal[k] : from->normal[k];
            to->point[k] = from->point[k];
        }
    }
    if (done)
        qsort(set->contacts, set->count, sizeof *set->contacts, compare_pairs);
    free(found);
    return done;
}

/* One detection as the command line wants it: at once, or in slabs that devices share. */
static tl_status detect(const bench_options *options, tl_world *world)
{
    uint32_t devices = options->devices ? options->devices : 1;
    uint32_t parts = options->parts ? options->parts : devices;
    if (!(options->given & (OPTION_PARTS | OPTION_DEVICES)))
        return tl_world_find_contacts(world);
    return tl_world_find_contacts_in(world, parts, devices);
}

/* Times the detection: the first call, and the median of some more once buffers have their size. */
static tl_status time_detection(const bench_options *options, tl_world *world, bench_row *row)
{
    double times[WARM_RUNS], begin = peer_now_ms();
    tl_status status = detect(options, world);
    row_number(row, "first_ms", peer_now_ms() - begin);
    for (int i = 0; i < WARM_RUNS && status >= 0; i++) {
        begin = peer_now_ms();
        status = detect(options, world);
        times[i] = peer_now_ms() - begin;
    }
    tl_report report;
    if (status >= 0)
        status = tl_world_step(world, 0, &report); /* no step: how much memory the world holds */
    if (status < 0)
        return status;
    qsort(times, WARM_RUNS, sizeof times[0], compare_doubles);
    row->ms_per_step = times[WARM_RUNS / 2];
    row_number(row, "warm_ms", row->ms_per_step);
    row_number(row, "world_bytes", (double)report.peak_bytes);
    if (options->parts)
        row_number(row, "parts", options->parts);
    if (options->devices)
        row_number(row, "devices", options->devices);
    row->stages.find = row->ms_per_step;
    row->stage_count = 1; /* find alone */
    return TL_OK;
}

/* Talus on the spheres: fills the centres for the peers, the contacts found and the row. */
static bool run_talus(const bench_options *options, bench_output *output, size_t bodies,
                      double contacts_per_body, double *centres, double *radius, contact_set *set,
                      bench_row *row)
{
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    malloc_trim(0);
    uint64_t memory = peer_memory_start();
    tl_status status = random_spheres_scene(bodies, contacts_per_body, options->seed, radius,
                                            centres, &options->settings, &scene);
    if (output_status(output, "making the spheres", bodies, status))
        return false;
    tl_settings settings = tl_scene_settings(scene);
    settings.envelope = NO_ENVELOPE * *radius;
    status = tl_scene_set_settings(scene, &settings);
    double begin = peer_now_ms();
    if (status >= 0)
        status = tl_world_create(scene, &world); /* warns of overlap, which is meant here */
    double build_ms = peer_now_ms() - begin;
    tl_scene_destroy(scene);
    if (output_status(output, "making the world", bodies, status))
        return false;
    *row = talus_row("contacts", world, &settings, bodies);
    row->peak_bytes = peer_memory_growth(memory);
    peer_memory_start();
    row_number(row, "build_ms", build_ms);
    status = time_detection(options, world, row);
    uint64_t finding =
        peer_memory_growth(memory); /* without the scene and the making of the world */
    if (finding > row->peak_bytes)
        row->peak_bytes = finding;
    row_number(row, "find_bytes", (double)finding);
    bool done = !output_status(output, "finding contacts", bodies, status);
    row->contacts = tl_world_contact_count(world);
    if (done && row->contacts <= MOST_READ)
        done = read_contacts(output, world, set) && row_overlaps(output, row, set, *radius);
    tl_world_destroy(world);
    return done;
}

static double difference(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* The contact of spheres a and b in 64-bit, from their centres alone. */
static peer_contact exact_contact(uint32_t a, uint32_t b, const double *centres, double radius)
{
    peer_contact exact = {.a = a, .b = b};
    const double *p = centres + 3 * (size_t)a, *q = centres + 3 * (size_t)b;
    double distance = difference(p, q);
    exact.gap = distance - 2 * radius;
    for (int k = 0; k < 3; k++) {
        exact.normal[k] = (q[k] - p[k]) / distance;
        exact.point[k] = 0.5 * (p[k] + q[k]);
    }
    return exact;
}

/* How two sets of contacts differ. */
typedef struct comparison {
    size_t missing, extra;  /* pairs that only the peer has, that only Talus has */
    size_t missing_in_band; /* the same, with gaps so near 0 that rounding decides */
    size_t extra_in_band;
    size_t repeated;          /* further contacts of the peer for a pair it already has */
    error_stat distance;      /* m */
    error_stat normal, point; /* length of the difference; m for the point */
} comparison;

static void compare_contacts(comparison *result, const peer_contact *a, const peer_contact *b)
{
    error_add(&result->distance, fabs(a->gap - b->gap));
    error_add(&result->normal, difference(a->normal, b->normal));
    error_add(&result->point, difference(a->point, b->point));
}

/* Walks both sorted sets side by side. */
static comparison compare_sets(const contact_set *talus, const contact_set *peer, double radius)
{
    comparison result = {0};
    size_t i = 0, j = 0;
    while (i < talus->count || j < peer->count) {
        const peer_contact *t = &talus->contacts[i], *p = &peer->contacts[j];
        uint64_t t_key = i < talus->count ? pair_key(t) : UINT64_MAX;
        uint64_t p_key = j < peer->count ? pair_key(p) : UINT64_MAX;
        if (t_key == p_key) {
            compare_contacts(&result, t, p);
            i++;
            j++;
        } else if (t_key < p_key) {
            bool band = fabs(t->gap) <= THRESHOLD_BAND * radius;
            *(band ? &result.extra_in_band : &result.extra) += 1;
            i++;
        } else if (j > 0 && pair_key(p - 1) == p_key) {
            result.repeated++;
            j++;
        } else {
            bool band = fabs(p->gap) <= THRESHOLD_BAND * radius;
            *(band ? &result.missing_in_band : &result.missing) += 1;
            j++;
        }
    }
    return result;
}

static void row_errors(bench_row *row, const comparison *result)
{
    row_number(row, "distance_error_mean", result->distance.mean);
    row_number(row, "distance_error_deviation", error_deviation(&result->distance));
    row_number(row, "normal_error_mean", result->normal.mean);
    row_number(row, "normal_error_deviation", error_deviation(&result->normal));
    row_number(row, "point_error_mean", result->point.mean);
    row_number(row, "point_error_deviation", error_deviation(&result->point));
}

/* Errors of what Talus found against the exact contacts, and how many there should be by the audit,
 * which finds pairs in its own way. */
static bool row_exact(bench_output *output, bench_row *row, const contact_set *set,
                      const double *centres, double radius)
{
    comparison compared = {0};
    audit_result audited;
    audit_input input = {.bodies = row->bodies, .radius = radius, .mass = 1, .positions = centres};
    for (size_t i = 0; i < set->count; i++) {
        const peer_contact *found = &set->contacts[i];
        peer_contact exact = exact_contact(found->a, found->b, centres, radius);
        compare_contacts(&compared, found, &exact);
    }
    row_errors(row, &compared);
    const char *failure = audit_bodies(&input, &audited);
    if (failure)
        output_failure(output, "audit of %zu bodies: %s", row->bodies, failure);
    else
        row_number(row, "exact_contacts", (double)audited.overlap.count);
    return !failure;
}

/* Where contacts are too many to be read: how many there should be, by the density and by an audit
 * of the spheres in a slab in the middle, and how deep these are. */
static bool row_sample(bench_output *output, bench_row *row, double contacts_per_body,
                       const double *centres, double radius)
{
    audit_result audited;
    audit_input input = {.bodies = row->bodies, .radius = radius, .mass = 1, .positions = centres};
    input.slabs = row->contacts / MOST_AUDITED + 1;
    input.slab = input.slabs / 2;
    const char *failure = audit_bodies(&input, &audited);
    if (failure) {
        output_failure(output, "audit of %zu bodies: %s", row->bodies, failure);
        return false;
    }
    row->overlap = audited.overlap;
    row_number(row, "expected_contacts", contacts_per_body * (double)row->bodies);
    row_number(row, "audited", (double)audited.audited);
    row_number(row, "audited_contacts", (double)audited.overlap.count);
    return true;
}

static void row_comparison(bench_row *row, const comparison *result)
{
    row_number(row, "matched_pairs", (double)result->distance.count);
    row_number(row, "missing_in_talus", (double)result->missing);
    row_number(row, "extra_in_talus", (double)result->extra);
    row_number(row, "missing_at_threshold", (double)result->missing_in_band);
    row_number(row, "extra_at_threshold", (double)result->extra_in_band);
    row_number(row, "repeated_pairs", (double)result->repeated);
    row_errors(row, result);
}

/* One peer on the same spheres. Its time is that of filling the broad phase and the first
 * detection: what Talus does anew in every call. The repeated detection, which reuses the pairs,
 * stands beside it. */
static void run_peer(bench_output *output, const char *engine, const double *centres, double radius,
                     const contact_set *talus_set, const bench_row *talus)
{
    peer_start start = {.task = PEER_CONTACTS, .bodies = talus->bodies, .radius = radius};
    memcpy(start.magic, PEER_START_MAGIC, sizeof start.magic);
    peer_result result;
    void *rows;
    if (!peer_run(output, engine, &start, centres, NULL, &result, &rows))
        return;
    contact_set set = {.contacts = rows, .count = result.contacts};
    qsort(set.contacts, set.count, sizeof *set.contacts, compare_pairs);
    bench_row row = peer_row("contacts", engine, &result);
    row.ms_per_step = result.build_ms + result.first_ms;
    row_number(&row, "build_ms", result.build_ms);
    row_number(&row, "first_ms", result.first_ms);
    row_number(&row, "warm_ms", result.warm_ms);
    row_number(&row, "ms_over_talus", row.ms_per_step / talus->ms_per_step);
    row_number(&row, "bytes_over_talus", (double)row.peak_bytes / (double)talus->peak_bytes);
    comparison compared = compare_sets(talus_set, &set, radius);
    row_comparison(&row, &compared);
    if (row_overlaps(output, &row, &set, radius)) {
        output_row(output, &row);
        output_ratio(output, engine, "ms, broad phase filled and first detection", talus,
                     row.ms_per_step, talus->ms_per_step);
        output_ratio(output, engine, "ms, repeated detection", talus, result.warm_ms,
                     talus->ms_per_step);
        output_ratio(output, engine, "MB", talus, 1e-6 * (double)row.peak_bytes,
                     1e-6 * (double)talus->peak_bytes);
    }
    free(rows);
}

bool measure_contacts(const bench_options *options, bench_output *output, size_t bodies,
                      double contacts_per_body, bench_row *row)
{
    if ((double)(bodies - 1) < 2 * contacts_per_body + 1) {
        output_failure(output,
                       "contacts, %zu bodies: expected at least %.0f, so that each can have %g",
                       bodies, ceil(2 * contacts_per_body) + 2, contacts_per_body);
        return false;
    }
    double *centres = bodies <= SIZE_MAX / 24 ? malloc(3 * bodies * sizeof *centres) : NULL;
    double radius = 0;
    contact_set set = {0};
    if (!centres) {
        output_failure(output, "not enough memory for %zu bodies", bodies);
        return false;
    }
    memset(centres, 0, 3 * bodies * sizeof *centres); /* resident now, and no growth later */
    bench_row given = *row;
    bool done =
        run_talus(options, output, bodies, contacts_per_body, centres, &radius, &set, row) &&
        (set.contacts ? row_exact(output, row, &set, centres, radius)
                      : row_sample(output, row, contacts_per_body, centres, radius));
    if (done) {
        row->bench = given.bench;
        for (uint32_t i = 0; i < given.field_count; i++)
            row_field_add(row, given.fields[i]);
        output_row(output, row);
        for (uint32_t k = 0; peer_name(k); k++)
            if (options->peers >> k & 1 && !set.contacts)
                output_failure(output, "%s: %zu contacts are too many to compare", peer_name(k),
                               row->contacts);
            else if (options->peers >> k & 1)
                run_peer(output, peer_name(k), centres, radius, &set, row);
    }
    free(set.contacts);
    free(centres);
    return done;
}

void bench_contacts(const bench_options *options, bench_output *output)
{
    for (uint32_t i = 0; i < options->size_count; i++) {
        bench_row row = {.bench = "contacts"};
        measure_contacts(options, output, options->bodies[i], options->contacts_per_body, &row);
    }
    output_ratios(output);
}
