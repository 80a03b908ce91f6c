/* The demonstration: equal spheres fall into a box and settle. It shows how the run goes, prints
 * the certificate of the result (what was solved, how well and at what cost) and writes the final
 * positions to a CSV file. `make demo` runs it. */
#include "scenes.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_BODIES  100000000.0
#define MAX_SECONDS 3600.0
#define MAX_THREADS 1024.0

typedef struct pile_arguments {
    size_t bodies;
    double seconds;   /* simulated */
    uint32_t threads; /* 0: as many as the machine offers */
    const char *output;
} pile_arguments;

/* What a run adds up besides the last step's report. */
typedef struct pile_totals {
    uint32_t steps;
    double wall;            /* s, since the first step */
    tl_stage_times ms;      /* of all steps */
    double max_residual;    /* m/s, the worst of all steps */
    double max_penetration; /* m, the worst of all steps */
} pile_totals;

static const char usage[] =
    "usage: pile [--bodies N] [--seconds S] [--threads N] [--output FILE]\n"
    "  --bodies N     spheres (default 16000)\n"
    "  --seconds S    simulated time (default 2)\n"
    "  --threads N    CPU threads; 0, the default: as many as the machine offers\n"
    "  --output FILE  where the final positions go (default pile.csv)\n";

static int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("pile: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return -1;
}

/* Reads a number from `low` to `high`; whole numbers only if `whole`. */
static int parse_number(const char *option, const char *text, double low, double high, int whole,
                        double *value)
{
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= low && number <= high) ||
        (whole && number != floor(number)))
        return complain("%s: '%s' is not a %snumber from %.15g to %.15g", option, text,
                        whole ? "whole " : "", low, high);
    *value = number;
    return 0;
}

/* 0: go on; 1: help was printed; -1: an option is wrong. */
static int parse_arguments(int argc, char **argv, pile_arguments *out)
{
    for (int i = 1; i < argc; i += 2) {
        const char *option = argv[i];
        if (!strcmp(option, "--help")) {
            fputs(usage, stdout);
            return 1;
        }
        int bodies = !strcmp(option, "--bodies"), seconds = !strcmp(option, "--seconds");
        int threads = !strcmp(option, "--threads"), output = !strcmp(option, "--output");
        if (!bodies && !seconds && !threads && !output)
            return complain("unknown option '%s'\n%s", option, usage);
        if (i + 1 == argc)
            return complain("%s needs a value", option);
        double number = 0;
        if (output) {
            out->output = argv[i + 1];
        } else if (bodies) {
            if (parse_number(option, argv[i + 1], 1, MAX_BODIES, 1, &number))
                return -1;
            out->bodies = (size_t)number;
        } else if (seconds) {
            if (parse_number(option, argv[i + 1], 0.001, MAX_SECONDS, 0, &number))
                return -1;
            out->seconds = number;
        } else {
            if (parse_number(option, argv[i + 1], 0, MAX_THREADS, 1, &number))
                return -1;
            out->threads = (uint32_t)number;
        }
    }
    return 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add_up(pile_totals *totals, const tl_report *report)
{
    totals->ms.find += report->ms.find;
    totals->ms.match += report->ms.match;
    totals->ms.colour += report->ms.colour;
    totals->ms.build += report->ms.build;
    totals->ms.solve += report->ms.solve;
    totals->ms.position += report->ms.position;
    totals->ms.audit += report->ms.audit;
    totals->ms.integrate += report->ms.integrate;
    totals->max_residual = fmax(totals->max_residual, report->max_residual);
    totals->max_penetration = fmax(totals->max_penetration, report->max_penetration);
}

/* On a terminal one line is written over and over; elsewhere each is a line of its own. */
static void show_progress(const tl_report *report, const pile_totals *totals, uint32_t steps,
                          int terminal)
{
    double rate = totals->steps / totals->wall;
    printf("%s%6.2f s %7.1f steps/s %9u contacts  residual %.1e m/s  ETA %3.0f s%s",
           terminal ? "\r" : "", report->time, rate, report->contacts, report->residual,
           (steps - totals->steps) / rate, terminal ? " " : "\n");
    fflush(stdout);
}

static int run(tl_world *world, uint32_t steps, tl_report *report, pile_totals *totals)
{
    int terminal = isatty(STDOUT_FILENO);
    double interval = terminal ? 0.2 : 2.0, start = now(), shown = start;
    for (totals->steps = 1; totals->steps <= steps; totals->steps++) {
        if (tl_world_step(world, 1, report) < 0) {
            if (terminal)
                putchar('\n');
            return complain("%s", tl_last_message());
        }
        add_up(totals, report);
        double t = now();
        totals->wall = t - start;
        if (t - shown >= interval || totals->steps == steps) {
            show_progress(report, totals, steps, terminal);
            shown = t;
        }
    }
    totals->steps = steps;
    if (terminal)
        putchar('\n');
    return 0;
}

static void print_certificate(const tl_world *world, const tl_report *r, const pile_totals *totals,
                              double radius)
{
    double bodies = r->bodies, steps = totals->steps, percent = 100 / radius;
    const tl_stage_times *ms = &totals->ms;
    printf("\nCertificate, after %.2f s (%" PRIu64 " steps)\n", r->time, r->steps);
    printf("  bodies              %u\n", r->bodies);
    printf("  contacts            %u, %u of them active, %u colours\n", r->contacts,
           r->active_contacts, r->colours);
    printf("  iterations          %u velocity, %u position\n", r->iterations,
           r->position_iterations);
    printf("  residual            %.2e m/s root mean square, %.2e worst contact\n", r->residual,
           r->max_residual);
    printf("  overlap / radius    %.4f %% mean, %.4f %% worst\n", r->mean_penetration * percent,
           r->max_penetration * percent);
    printf("  worst of all steps  residual %.2e m/s, overlap / radius %.4f %%\n",
           totals->max_residual, totals->max_penetration * percent);
    printf("  kinetic energy      %.2e J a body\n", r->kinetic_energy / bodies);
    printf("  dissipated energy   %.6g J\n", r->dissipated_energy);
    printf("  time a step         %.2f ms: find %.2f, match %.2f, colour %.2f, build %.2f,\n"
           "                      solve %.2f, position %.2f, audit %.2f, integrate %.2f\n",
           1e3 * totals->wall / steps, ms->find / steps, ms->match / steps, ms->colour / steps,
           ms->build / steps, ms->solve / steps, ms->position / steps, ms->audit / steps,
           ms->integrate / steps);
    printf("  memory              %.1f MiB, at most %.1f MiB\n", (double)r->bytes / 1048576,
           (double)r->peak_bytes / 1048576);
    printf("  hash                %016" PRIx64 "\n", tl_world_hash(world));
}

/* The spheres are the last bodies of the scene. */
static int write_rows(FILE *file, const tl_world *world, size_t spheres, double radius)
{
    size_t count = tl_world_body_count(world);
    tl_body *bodies = malloc(count * sizeof *bodies);
    double *positions = malloc(count * 3 * sizeof *positions);
    int failed = !bodies || !positions;
    if (failed)
        complain("out of memory while writing the positions of %zu bodies", count);
    else if (tl_world_list_bodies(world, count, bodies) < 0 ||
             tl_world_read_positions(world, count, NULL, positions) < 0)
        failed = complain("%s", tl_last_message());
    if (!failed) {
        fputs("id,x,y,z,radius\n", file);
        for (size_t i = count - spheres; i < count; i++)
            fprintf(file, "%" PRIu32 ",%.9g,%.9g,%.9g,%.9g\n", bodies[i].index, positions[3 * i],
                    positions[3 * i + 1], positions[3 * i + 2], radius);
    }
    free(positions);
    free(bodies);
    return failed;
}

static int write_positions(FILE *file, const char *path, const tl_world *world, size_t spheres,
                           double radius)
{
    int failed = write_rows(file, world, spheres, radius);
    if (!failed && (ferror(file) || fflush(file)))
        failed = complain("cannot write '%s': %s", path, strerror(errno));
    if (!failed)
        printf(
            "\nThe final positions are in %s. To look at them: open it in ParaView, apply the "
            "filter\n"
            "Table To Points (X: x, Y: y, Z: z), then Glyph (Sphere, radius %g, scale factor 1).\n",
            path, radius);
    return failed;
}

static int make_world(const pile_options *options, tl_world **world)
{
    tl_scene *scene = NULL;
    tl_status status = pile_scene(options, &scene);
    if (status >= 0)
        status = tl_world_create(scene, world);
    tl_scene_destroy(scene);
    if (status)
        complain("%s%s", status > 0 ? "warning: " : "", tl_last_message());
    return status < 0;
}

static int settle(const pile_arguments *arguments, FILE *file)
{
    pile_options options = pile_default();
    options.bodies = arguments->bodies;
    options.settings.threads = arguments->threads;
    uint32_t steps = (uint32_t)ceil(arguments->seconds / options.settings.step - 1e-9);
    tl_world *world = NULL;
    if (make_world(&options, &world))
        return -1;
    printf("Talus %s, %s: %zu spheres fall into a box, %u steps of %g s\n", tl_version(),
           tl_world_backend(world), options.bodies, steps, options.settings.step);

    tl_report report = {0};
    pile_totals totals = {0};
    int failed = run(world, steps, &report, &totals);
    if (!failed) {
        print_certificate(world, &report, &totals, options.radius);
        failed = write_positions(file, arguments->output, world, options.bodies, options.radius);
    }
    tl_world_destroy(world);
    return failed;
}

int main(int argc, char **argv)
{
    pile_arguments arguments = {.bodies = 16000, .seconds = 2, .output = "pile.csv"};
    int parsed = parse_arguments(argc, argv, &arguments);
    if (parsed)
        return parsed < 0 ? 2 : 0;

    /* Opened before the run, so that a wrong path costs no time. */
    FILE *file = fopen(arguments.output, "w");
    if (!file) {
        complain("cannot write '%s': %s", arguments.output, strerror(errno));
        return 1;
    }
    int failed = settle(&arguments, file);
    if (fclose(file) && !failed)
        failed = complain("cannot write '%s': %s", arguments.output, strerror(errno));
    return failed ? 1 : 0;
}
