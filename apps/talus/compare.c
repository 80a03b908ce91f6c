/* `talus compare`: what two results of one scene have in common and what not, over the time that
 * both cover: heights, overlaps, forces on walls, energies, and what they cost. */
#include "facts.h"
#include "files.h"
#include "sizes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is compared. Means are over steps or frames of the common time, the rest is at its end. */
typedef enum quantity {
    CENTRE,
    TOP,
    MEAN_OVERLAP,
    WORST_OVERLAP,
    WALL_FORCE,
    CARRIED,
    KINETIC,
    POTENTIAL,
    DISSIPATED,
    CONTACTS,
    STEPS,
    SUBSTEPS,
    COST,
    QUANTITIES
} quantity;

static const struct {
    const char *name, *unit;
} table[QUANTITIES] = {
    [CENTRE] = {"centre_of_mass_height", "m"},
    [TOP] = {"top", "m"},
    [MEAN_OVERLAP] = {"mean_overlap", "m"},
    [WORST_OVERLAP] = {"worst_overlap", "m"},
    [WALL_FORCE] = {"wall_force", "N"},
    [CARRIED] = {"carried_weight", "of the weight"},
    [KINETIC] = {"kinetic_energy", "J"},
    [POTENTIAL] = {"potential_energy", "J"},
    [DISSIPATED] = {"dissipated_energy", "J"},
    [CONTACTS] = {"contacts", ""},
    [STEPS] = {"steps", ""},
    [SUBSTEPS] = {"substeps", ""},
    [COST] = {"cost", "s per simulated s"},
};

/* One of the two results. What it does not hold is NAN. */
typedef struct side {
    const char *path;
    tl_result *result;
    tl_result_info info;
    tl_document *document;
    double *times;      /* of frames */
    double first, last; /* s, that its steps cover */
    double start;       /* s, the end of the last step before the common time */
    double step;        /* s */
    const char *stepper;
    uint64_t bodies;     /* that moved at the end */
    uint32_t handles;    /* the largest index of a body */
    tl_body_info *infos; /* by index of the handle, from 1; no body where its own is 0 */
    int64_t *rows;       /* likewise: the body's row in a frame, -1 where it is in none */
    double value[QUANTITIES];
} side;

/* --- opening --- */

static int open_side(side *s, const char *path)
{
    tl_report ends[2];
    s->path = path;
    int code = expect_result("compare", path);
    if (code != EXIT_OK)
        return code;
    tl_status status = tl_result_open(path, &s->result);
    if (status >= 0)
        status = tl_result_document(s->result, &s->document);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    s->info = tl_result_describe(s->result);
    if (!s->info.steps || !s->info.frames) {
        complain("compare: %s holds no step", path);
        return EXIT_DATA;
    }
    const tl_settings settings = tl_scene_settings(tl_document_scene(s->document));
    s->step = settings.step;
    s->stepper = tl_word(TL_WORDS_STEPPER, settings.stepper);
    s->times = malloc(s->info.frames * sizeof *s->times);
    if (!s->times)
        return out_of_memory();
    status = tl_result_read_times(s->result, s->info.frames, s->times);
    if (status >= 0)
        status = tl_result_read_reports(s->result, 0, 1, &ends[0]);
    if (status >= 0)
        status = tl_result_read_reports(s->result, s->info.steps - 1, 1, &ends[1]);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    s->first = ends[0].time - s->step;
    s->last = ends[1].time;
    for (int i = 0; i < QUANTITIES; i++)
        s->value[i] = NAN;
    return EXIT_OK;
}

static void close_side(side *s)
{
    tl_document_destroy(s->document);
    tl_result_close(s->result);
    free(s->times);
    free(s->infos);
    free(s->rows);
}

/* --- measuring --- */

/* Reports of the steps that end after `from` and not after `to`. */
static int measure_steps(side *s, double from, double to)
{
    tl_report reports[64];
    const uint64_t most = sizeof reports / sizeof *reports;
    double overlap = 0, worst = 0, carried = 0, contacts = 0, ms = 0, before = s->first;
    uint64_t steps = 0, substeps = 0;
    s->start = s->first;
    for (uint64_t i = 0; i < s->info.steps; i += most) {
        const uint64_t n = s->info.steps - i < most ? s->info.steps - i : most;
        const tl_status status = tl_result_read_reports(s->result, i, n, reports);
        if (status < 0)
            return complain_of(status, PHASE_READING);
        for (uint64_t k = 0; k < n; before = reports[k++].time) {
            const tl_report *r = &reports[k];
            if (!(r->time > from) || r->time > to)
                continue;
            if (!steps++)
                s->start = before;
            overlap += r->mean_penetration;
            worst = fmax(worst, r->max_penetration);
            carried += r->carried_weight;
            contacts += r->contacts;
            ms += r->total_ms;
            substeps += r->substeps ? r->substeps : 1;
            s->bodies = r->bodies;
            s->value[KINETIC] = r->kinetic_energy;
            s->value[POTENTIAL] = r->potential_energy;
            s->value[DISSIPATED] = r->dissipated_energy;
            s->last = r->time;
        }
    }
    s->value[STEPS] = (double)steps;
    s->value[SUBSTEPS] = (double)substeps;
    if (!steps)
        return EXIT_OK;
    s->value[MEAN_OVERLAP] = overlap / (double)steps;
    s->value[WORST_OVERLAP] = worst;
    s->value[CARRIED] = carried / (double)steps;
    s->value[CONTACTS] = contacts / (double)steps;
    s->value[COST] = ms / 1000 / (s->last - s->start);
    return EXIT_OK;
}

static bool is_dynamic(const side *s, uint32_t index)
{
    return index <= s->handles && s->infos[index].body.index && s->infos[index].kind == TL_DYNAMIC;
}

/* The force of contacts on bodies that are not dynamic, over the frames of the common time. */
static int measure_walls(side *s, double from, double to)
{
    double sum[3] = {0};
    uint64_t frames = 0;
    tl_result_frame frame;
    if (!tl_document_record(s->document).contacts && !s->info.contacts)
        return EXIT_OK;
    for (uint64_t i = 0; i < s->info.frames; i++) {
        if (!(s->times[i] > from) || s->times[i] > to)
            continue;
        const tl_status status = tl_result_read_frame(s->result, i, &frame);
        if (status < 0)
            return complain_of(status, PHASE_READING);
        for (size_t k = 0; k < frame.contact_count; k++) {
            const tl_contact *c = &frame.contacts[k];
            if (is_dynamic(s, c->b.index))
                continue;
            for (int j = 0; j < 3; j++)
                sum[j] += c->impulse[j];
        }
        frames++;
    }
    if (frames)
        s->value[WALL_FORCE] =
            sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / s->step / (double)frames;
    return EXIT_OK;
}

/* What a quaternion makes of the z axis, seen from the frame that it turns: the row of z. */
static void turn_back(const double q[4], const double v[3], double out[3])
{
    const double u[3] = {-q[1], -q[2], -q[3]};
    const double t[3] = {2 * (u[1] * v[2] - u[2] * v[1]), 2 * (u[2] * v[0] - u[0] * v[2]),
                         2 * (u[0] * v[1] - u[1] * v[0])};
    for (int k = 0; k < 3; k++)
        out[k] =
            v[k] + q[0] * t[k] + u[(k + 1) % 3] * t[(k + 2) % 3] - u[(k + 2) % 3] * t[(k + 1) % 3];
}

/* The highest point of dynamic bodies in a frame. */
static int measure_top(side *s, uint64_t index)
{
    tl_result_frame frame;
    tl_world *world = NULL;
    const double up[3] = {0, 0, 1};
    double top = -INFINITY;
    tl_shape_info *shapes = malloc((s->info.shapes + 1) * sizeof *shapes);
    if (!shapes)
        return out_of_memory();
    tl_status status = tl_result_read_shapes(s->result, s->info.shapes, shapes);
    if (status >= 0)
        status = tl_result_world(s->result, index, &world);
    if (status >= 0)
        status = tl_result_read_frame(s->result, index, &frame);
    for (uint64_t i = 0; status >= 0 && i < s->info.shapes; i++) {
        const uint32_t body = shapes[i].body.index;
        if (!is_dynamic(s, body) || s->rows[body] < 0)
            continue;
        const float *turned = frame.state.orientations + 4 * s->rows[body];
        const double q[4] = {turned[0], turned[1], turned[2], turned[3]};
        double in_body[3], in_shape[3];
        turn_back(q, up, in_body);
        turn_back(shapes[i].def.orientation, in_body, in_shape);
        const double *p = shapes[i].def.position;
        top = fmax(top, frame.state.positions[3 * s->rows[body] + 2] + p[0] * in_body[0] +
                            p[1] * in_body[1] + p[2] * in_body[2] +
                            shape_extent(world, &shapes[i].def, in_shape));
    }
    tl_world_destroy(world);
    free(shapes);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    s->value[TOP] = isfinite(top) ? top : NAN;
    return EXIT_OK;
}

/* Heights in the last frame of the common time. */
static int measure_heights(side *s, double to)
{
    tl_result_frame frame;
    double mass = 0, moment = 0;
    uint64_t last = 0;
    for (uint64_t i = 0; i < s->info.frames; i++)
        last = s->times[i] <= to ? i : last;
    const tl_status status = tl_result_read_frame(s->result, last, &frame);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    for (uint32_t i = 0; i <= s->handles; i++)
        s->rows[i] = -1;
    for (size_t i = 0; i < frame.state.count; i++) {
        const uint32_t body = frame.state.bodies[i];
        if (!is_dynamic(s, body))
            continue;
        s->rows[body] = (int64_t)i;
        mass += s->infos[body].mass;
        moment += s->infos[body].mass * frame.state.positions[3 * i + 2];
    }
    if (mass > 0)
        s->value[CENTRE] = moment / mass;
    return frame.state.orientations && mass > 0 ? measure_top(s, last) : EXIT_OK;
}

/* Bodies by the index of their handle; some may not be recorded. */
static int list_bodies(side *s)
{
    tl_body_info *all = malloc((s->info.bodies + 1) * sizeof *all);
    if (!all)
        return out_of_memory();
    const tl_status status = tl_result_read_bodies(s->result, s->info.bodies, all);
    for (uint64_t i = 0; status >= 0 && i < s->info.bodies; i++)
        s->handles = all[i].body.index > s->handles ? all[i].body.index : s->handles;
    s->infos = calloc((size_t)s->handles + 1, sizeof *s->infos);
    s->rows = calloc((size_t)s->handles + 1, sizeof *s->rows);
    for (uint64_t i = 0; status >= 0 && s->infos && i < s->info.bodies; i++)
        s->infos[all[i].body.index] = all[i];
    free(all);
    return status < 0            ? complain_of(status, PHASE_READING)
           : s->infos && s->rows ? EXIT_OK
                                 : out_of_memory();
}

static int measure(side *s, double from, double to)
{
    int code = list_bodies(s);
    if (code == EXIT_OK)
        code = measure_steps(s, from, to);
    if (code == EXIT_OK)
        code = measure_walls(s, from, to);
    if (code == EXIT_OK)
        code = measure_heights(s, to);
    return code;
}

/* --- telling --- */

static int print_csv(const side *a, const side *b)
{
    printf("quantity,unit,a,b,difference\n");
    for (int i = 0; i < QUANTITIES; i++) {
        const double values[] = {a->value[i], b->value[i], b->value[i] - a->value[i]};
        printf("%s,%s", table[i].name, table[i].unit);
        for (int k = 0; k < 3; k++)
            printf(isnan(values[k]) ? "," : ",%.17g", values[k]);
        printf("\n");
    }
    return close_output();
}

static int print_table(const side *a, const side *b, double from, double to)
{
    printf("a: %s, %s, %s\nb: %s, %s, %s\nfrom %g to %g s\n\n", a->path, a->stepper,
           a->info.backend, b->path, b->stepper, b->info.backend, from, to);
    printf("%-22s %14s %14s %14s\n", "", "a", "b", "b - a");
    for (int i = 0; i < QUANTITIES; i++) {
        const double values[] = {a->value[i], b->value[i], b->value[i] - a->value[i]};
        printf("%-22s", table[i].name);
        for (int k = 0; k < 3; k++)
            if (isnan(values[k]))
                printf(" %14s", "-");
            else
                printf(" %14.6g", values[k]);
        printf("%s%s\n", *table[i].unit ? "  " : "", table[i].unit);
    }
    if (isnan(a->value[WALL_FORCE]) || isnan(b->value[WALL_FORCE]))
        printf(
            "\nThe force on walls is known where contacts are recorded: talus run --contacts.\n");
    return close_output();
}

static json_t *value_of(int i, double x)
{
    return isnan(x)                      ? json_null()
           : i == STEPS || i == SUBSTEPS ? json_integer((json_int_t)x)
                                         : json_real(x);
}

static json_t *side_object(const side *s)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", json_text(s->path));
    json_object_set_new(object, "stepper", json_text(s->stepper));
    json_object_set_new(object, "backend", json_text(s->info.backend));
    json_object_set_new(object, "bodies", json_integer((json_int_t)s->bodies));
    for (int i = 0; i < QUANTITIES; i++)
        json_object_set_new(object, table[i].name, value_of(i, s->value[i]));
    return object;
}

static int print_json(const side *a, const side *b, double from, double to)
{
    facts f;
    facts_start(&f, true);
    fact_number(&f, "from", from, "s");
    fact_number(&f, "to", to, "s");
    json_t *difference = json_object();
    for (int i = 0; i < QUANTITIES; i++)
        json_object_set_new(difference, table[i].name, value_of(i, b->value[i] - a->value[i]));
    if (f.object && (json_object_set_new(f.object, "a", side_object(a)) != 0 ||
                     json_object_set_new(f.object, "b", side_object(b)) != 0 ||
                     json_object_set_new(f.object, "difference", difference) != 0))
        f.failed = true;
    return facts_end(&f);
}

static int compare(const options *given, side *a, side *b)
{
    const double slack = 1e-9 * (1 + fabs(a->last) + fabs(b->last)); /* of sums of steps */
    double from = fmax(a->first, b->first), to = fmin(a->last, b->last);
    if (!(to - from > slack)) {
        complain("compare: no time in common: %s covers %g to %g s, %s %g to %g s", a->path,
                 a->first, a->last, b->path, b->first, b->last);
        return EXIT_DATA;
    }
    if (given->from > to || given->to < from) {
        complain("compare: %s and %s have %g to %g s in common, of which %s %g leaves nothing",
                 a->path, b->path, from, to, given->from > to ? "--from" : "--to",
                 given->from > to ? given->from : given->to);
        return EXIT_DATA;
    }
    from = isnan(given->from) ? from : fmax(from, given->from);
    to = isnan(given->to) ? to : fmin(to, given->to);
    int code = measure(a, from + slack, to + slack);
    if (code == EXIT_OK)
        code = measure(b, from + slack, to + slack);
    if (code != EXIT_OK)
        return code;
    for (int i = 0; i < 2; i++) {
        const side *s = i ? b : a;
        if (s->value[STEPS] > 0)
            continue;
        complain("compare: no step of %s ends after %g s and not after %g s", s->path, from, to);
        return EXIT_DATA;
    }
    if (a->bodies != b->bodies)
        complain("warning: %s has %llu dynamic bodies, %s %llu", a->path,
                 (unsigned long long)a->bodies, b->path, (unsigned long long)b->bodies);
    return given->json  ? print_json(a, b, from, to)
           : given->csv ? print_csv(a, b)
                        : print_table(a, b, from, to);
}

int command_compare(const options *given)
{
    side a = {0}, b = {0};
    if (given->file_count != 2) {
        complain("compare needs two RESULTs: talus compare A.h5 B.h5");
        return EXIT_USAGE;
    }
    if (given->json && given->csv) {
        complain("compare: --json and --csv contradict each other");
        return EXIT_USAGE;
    }
    if (given->to < given->from) {
        complain("compare: --to %g is before --from %g", given->to, given->from);
        return EXIT_USAGE;
    }
    int code = open_side(&a, given->files[0]);
    if (code == EXIT_OK)
        code = open_side(&b, given->files[1]);
    if (code == EXIT_OK)
        code = compare(given, &a, &b);
    close_side(&a);
    close_side(&b);
    return code;
}
