/* Thresholds: where a condition changes along one parameter; sweep.h says who calls. The steps of a
 * search follow from its own runs alone, so they are the same for any number of jobs. */
#include "sweep.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds a run of a search; the other values are those of the case `like`. */
static int add_run(study *s, size_t group, const value_text *like, double at, size_t *index)
{
    value_text *values = malloc((s->axis_count + 1) * sizeof *values);
    if (!values)
        return out_of_memory();
    memcpy(values, like, s->axis_count * sizeof *values);
    write_value(values[s->x], at);
    *index = s->count;
    s->searches[group].runs++;
    const int code = study_add_case(s, (const value_text *)values, group);
    free(values);
    return code;
}

int study_start_searches(study *s)
{
    const double tolerance = s->given->tolerance;
    value_text *values = calloc(s->axis_count + 1, sizeof *values);
    s->searches = calloc(s->group_count, sizeof *s->searches);
    int code = values && s->searches ? EXIT_OK : out_of_memory();
    if (code == EXIT_OK && tolerance >= s->high - s->low) {
        complain("sweep: --tolerance %g is not below the width of --bisect, %g", tolerance,
                 s->high - s->low);
        code = EXIT_USAGE;
    }
    for (size_t i = 0; i < s->group_count && code == EXIT_OK; i++) {
        search *h = &s->searches[i];
        size_t rest = i;
        for (size_t k = s->axis_count - 1; k-- > 0;) {
            memcpy(values[k], s->axes[k].values[rest % s->axes[k].count], sizeof *values);
            rest /= s->axes[k].count;
        }
        *h = (search){.low = s->low, .high = s->high, .middle = SIZE_MAX};
        for (int k = 0; k < 2 && code == EXIT_OK; k++)
            code = add_run(s, i, (const value_text *)values, k ? s->high : s->low, &h->ends[k]);
    }
    free(values);
    return code;
}

/* Whether a case has been settled; a failed one loses the search. */
static bool is_settled(const study *s, search *h, size_t index)
{
    const case_state state = s->cases[index]->state;
    if (state == CASE_FAILED)
        h->state = SEARCH_LOST;
    return state == CASE_FAILED || state == CASE_FINISHED;
}

static bool holds(const study *s, size_t index)
{
    return s->cases[index]->truth != 0;
}

int study_advance(study *s, size_t group)
{
    search *h = &s->searches[group];
    const bool ends[2] = {is_settled(s, h, h->ends[0]), is_settled(s, h, h->ends[1])};
    if (h->state != SEARCH_OPEN || !ends[0] || !ends[1])
        return EXIT_OK;
    if (h->middle == SIZE_MAX) {
        h->below = holds(s, h->ends[0]);
        h->above = holds(s, h->ends[1]);
        if (h->below == h->above) {
            h->state = SEARCH_SAME;
            return EXIT_OK;
        }
    } else {
        if (!is_settled(s, h, h->middle) || h->state == SEARCH_LOST)
            return EXIT_OK;
        const double at = strtod(s->cases[h->middle]->values[s->x], NULL);
        if (holds(s, h->middle) == (h->below != 0))
            h->low = at;
        else
            h->high = at;
    }
    const double tolerance =
        isnan(s->given->tolerance) ? 1e-3 * (s->high - s->low) : s->given->tolerance;
    const double middle = h->low + 0.5 * (h->high - h->low);
    if (h->high - h->low <= tolerance || middle <= h->low || middle >= h->high) {
        h->state = SEARCH_FOUND;
        return EXIT_OK;
    }
    return add_run(s, group, (const value_text *)s->cases[h->ends[0]]->values, middle, &h->middle);
}

/* --- what was found --- */

static const char *word(double holds)
{
    return holds != 0 ? "holds" : "does not hold";
}

static int tell(study *s, const search *h, json_t *list)
{
    char others[2 * CASE_NAME_LENGTH];
    const sweep_case *c = s->cases[h->ends[0]];
    const char *name = s->axes[s->x].name;
    write_settings(s, c, s->x, s->x, others, sizeof others);
    const char *colon = *others ? ": " : "";
    if (h->state == SEARCH_FOUND)
        study_say(s,
                  "%s%s%s: between %.10g and %.10g, found in %zu runs; '%s' %s below and %s above",
                  others, colon, name, h->low, h->high, h->runs, s->given->where, word(h->below),
                  word(h->above));
    else if (h->state == SEARCH_SAME)
        study_complain(s, "%s%s--where '%s' %s at both ends, %s=%g and %s=%g: no threshold", others,
                       colon, s->given->where, word(h->below), name, h->low, name, h->high);
    else if (h->state == SEARCH_LOST)
        study_complain(s, "%s%sa run has failed: no threshold", others, colon);
    if (h->state == SEARCH_FOUND && list)
        json_array_append_new(list,
                              json_pack("{s:o, s:f, s:f, s:I}", "at", json_text(others), "low",
                                        h->low, "high", h->high, "runs", (json_int_t)h->runs));
    return h->state == SEARCH_FOUND || h->state == SEARCH_OPEN ? EXIT_OK : EXIT_FAILED;
}

static int write_thresholds(study *s)
{
    static const char *const titles[] = {".low", ".high", " below", " above", "runs"};
    char title[256];
    study_table t = table_start(s, "threshold.csv");
    for (size_t i = 0; i < s->x; i++)
        table_text(&t, s->axes[i].name, i == 0);
    for (int i = 0; i < 5; i++) {
        snprintf(title, sizeof title, "%s%s",
                 i < 2   ? s->axes[s->x].name
                 : i < 4 ? "where"
                         : "",
                 titles[i]);
        table_text(&t, title, !s->x && !i);
    }
    table_line(&t);
    for (size_t i = 0; i < s->group_count; i++) {
        const search *h = &s->searches[i];
        const bool found = h->state == SEARCH_FOUND;
        const double numbers[] = {h->low, h->high, h->below, h->above, (double)h->runs};
        for (size_t k = 0; k < s->x; k++)
            table_text(&t, s->cases[h->ends[0]]->values[k], k == 0);
        for (int k = 0; k < 5; k++)
            table_number(&t, found || k == 4 ? numbers[k] : NAN, !s->x && !k);
        table_line(&t);
    }
    return table_end(&t);
}

/* Adds a point to a curve, in the order of x. */
static void add_point(curve *v, double x, double y)
{
    size_t at = v->count++;
    for (; at > 0 && v->x[at - 1] > x; at--) {
        v->x[at] = v->x[at - 1];
        v->y[at] = v->y[at - 1];
    }
    v->x[at] = x;
    v->y[at] = y;
}

/* Thresholds over the first parameter of --vary that has numbers; a curve per combination of the
 * others. */
static int draw_thresholds(const study *s)
{
    size_t over = 0, inner = 1;
    while (over < s->x && !s->axes[over].numeric)
        over++;
    if (over == s->x)
        return EXIT_OK;
    for (size_t i = over + 1; i < s->x; i++)
        inner *= s->axes[i].count;
    const size_t points = s->axes[over].count, count = s->group_count / points;
    curve *curves = calloc(count, sizeof *curves);
    double *room = malloc(2 * s->group_count * sizeof *room);
    int code = curves && room ? EXIT_OK : out_of_memory();
    for (size_t i = 0; i < s->group_count && code == EXIT_OK; i++) {
        const search *h = &s->searches[i];
        const sweep_case *c = s->cases[h->ends[0]];
        const size_t index = i / (inner * points) * inner + i % inner;
        curve *v = &curves[index];
        v->x = room + 2 * index * points;
        v->y = v->x + points;
        write_settings(s, c, s->x, over, v->name, sizeof v->name);
        add_point(v, strtod(c->values[over], NULL),
                  h->state == SEARCH_FOUND ? 0.5 * (h->low + h->high) : NAN);
    }
    if (code == EXIT_OK)
        code = study_draw(s, "threshold", s->axes[over].name, s->axes[s->x].name, count, curves);
    free(curves);
    free(room);
    return code;
}

int study_tell_thresholds(study *s, facts *f)
{
    json_t *list = f->object ? json_array() : NULL;
    int code = EXIT_OK;
    for (size_t i = 0; i < s->group_count; i++) {
        const int told = tell(s, &s->searches[i], list);
        code = code != EXIT_OK ? code : told;
    }
    if (list && json_object_set_new(f->object, "thresholds", list) < 0)
        f->failed = true;
    int written = write_thresholds(s);
    if (written == EXIT_OK)
        written = draw_thresholds(s);
    return written != EXIT_OK ? written : code;
}
