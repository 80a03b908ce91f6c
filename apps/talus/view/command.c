/* Commands of viewers, from text to struct, and the texts of answers. See view/protocol.h. */
#include "protocol.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const verb_names[] = {
    "ready", "subscribe", "frame",   "times", "reports", "start",   "stop",       "step",
    "pace",  "restart",   "pick",    "find",  "watch",   "unwatch", "set",        "pairs",
    "undo",  "drag",      "release", "push",  "throw",   "remove",  "checkpoint", "end"};

enum { VERBS = sizeof verb_names / sizeof *verb_names };
_Static_assert((int)VERBS == (int)VIEW_LEAVE, "every verb has a name");

const char *view_verb_name(view_verb verb)
{
    return (int)verb < VERBS ? verb_names[verb] : verb == VIEW_LEAVE ? "leave" : "join";
}

/* A command while it is read: the members asked for are noted, so that others are found. */
typedef struct reader {
    const json_t *object;
    view_command *command;
    const char *asked[16];
    size_t asked_count;
    char *error;
    bool wrong;
} reader;

static void fail(reader *r, const char *format, ...)
{
    if (r->wrong) {
        return;
    }
    r->wrong = true;
    const int start = snprintf(r->error, VIEW_ERROR, "%s: ", view_verb_name(r->command->verb));
    va_list list;
    va_start(list, format);
    vsnprintf(r->error + start, (size_t)(VIEW_ERROR - start), format, list);
    va_end(list);
}

static json_t *member(reader *r, const char *key, bool needed)
{
    json_t *value = json_object_get(r->object, key);
    r->asked[r->asked_count++] = key;
    if (!value && needed) {
        fail(r, "%s is missing", key);
    }
    return value;
}

static void read_number(reader *r, const char *key, bool needed, double low, double high,
                        double *number)
{
    const json_t *value = member(r, key, needed);
    if (!value) {
        return;
    }
    const double given = json_number_value(value);
    if (!json_is_number(value) || !(given >= low && given <= high)) {
        fail(r, "%s: expected a number from %g to %g", key, low, high);
        return;
    }
    *number = given;
}

static void read_integer(reader *r, const char *key, bool needed, int64_t low, int64_t high,
                         int64_t *number)
{
    const json_t *value = member(r, key, needed);
    if (!value) {
        return;
    }
    if (!json_is_integer(value) || json_integer_value(value) < low ||
        json_integer_value(value) > high) {
        fail(r, "%s: expected a whole number from %lld to %lld", key, (long long)low,
             (long long)high);
        return;
    }
    *number = json_integer_value(value);
}

static int read_flag(reader *r, const char *key, int otherwise)
{
    const json_t *value = member(r, key, false);
    if (value && !json_is_boolean(value)) {
        fail(r, "%s: expected true or false", key);
    }
    return value ? json_is_true(value) : otherwise;
}

static void read_vector(reader *r, const char *key, double vector[3])
{
    const json_t *value = member(r, key, true);
    if (!value) {
        return;
    }
    bool good = json_is_array(value) && json_array_size(value) == 3, small = true;
    for (size_t k = 0; k < 3 && good; k++) {
        const json_t *item = json_array_get(value, k);
        good = json_is_number(item);
        vector[k] = json_number_value(item);
        small = small && fabs(vector[k]) <= 1e15;
    }
    if (!good) {
        fail(r, "%s: expected three numbers", key);
    } else if (!small) {
        fail(r, "%s: each number must be -1e15 to 1e15", key);
    }
}

static void read_body(reader *r)
{
    int64_t body = 0;
    read_integer(r, "body", true, 1, UINT32_MAX, &body);
    r->command->body = (uint32_t)body;
}

static unsigned read_count(reader *r, const char *key, int64_t most, int64_t otherwise)
{
    int64_t count = otherwise;
    read_integer(r, key, false, 1, most, &count);
    return (unsigned)count;
}

static const char *const field_names[VIEW_FIELDS] = {"speed", "force", "velocity",
                                                     "angular_velocity"};

static int read_fields(reader *r)
{
    const json_t *list = member(r, "fields", false);
    if (!list) {
        return -1;
    }
    int set = 0;
    if (!json_is_array(list)) {
        fail(r, "fields: expected a list");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        int bit = 0;
        while (bit < VIEW_FIELDS && !(name && strcmp(name, field_names[bit]) == 0)) {
            bit++;
        }
        if (bit == VIEW_FIELDS) {
            fail(r, "fields[%zu]: expected speed, force, velocity or angular_velocity", i);
        }
        set |= 1 << bit;
    }
    return set;
}

/* How many monitors are named; the names are the server's matter. -1: left out. */
static int read_monitors(reader *r)
{
    const json_t *list = member(r, "monitors", false);
    const size_t count = json_array_size(list);
    if (list && (!json_is_array(list) || count > VIEW_MAX_MONITORS)) {
        fail(r, "monitors: expected a list of at most %d names", VIEW_MAX_MONITORS);
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        bool good = name != NULL;
        for (size_t k = 0; k < i && good; k++) {
            good = strcmp(name, json_string_value(json_array_get(list, k))) != 0;
        }
        if (!good) {
            fail(r, "monitors[%zu]: expected the name of a monitor, each once", i);
            break; /* what follows compares with those before */
        }
    }
    return list ? (int)count : -1;
}

static void read_subscribe(reader *r)
{
    view_command *c = r->command;
    int64_t contacts = -1;
    c->fields = read_fields(r);
    read_number(r, "rate", false, 0.1, 240, &c->rate);
    read_integer(r, "contacts", false, 0, VIEW_MAX_CONTACTS, &contacts);
    c->contacts = (int)contacts;
    c->reports = read_flag(r, "reports", -1);
    c->monitors = read_monitors(r);
}

static void read_frame(reader *r)
{
    view_command *c = r->command;
    const bool by_time = json_object_get(r->object, "time") != NULL;
    if (by_time) {
        read_number(r, "time", true, -1e15, 1e15, &c->time);
    } else {
        read_integer(r, "index", true, 0, UINT32_MAX - 1, &c->index);
    }
    read_integer(r, "base", false, 0, UINT32_MAX - 1, &c->base);
    c->latest = read_flag(r, "latest", 0);
}

static void read_reports(reader *r)
{
    view_command *c = r->command;
    read_integer(r, "first", false, 0, INT64_MAX / 2, &c->first);
    read_integer(r, "count", false, 0, INT64_MAX / 2, &c->rows);
    c->count = read_count(r, "points", 20000, 2000);
}

static void read_restart(reader *r)
{
    r->command->reload = read_flag(r, "reload", 0);
    const json_t *sets = member(r, "sets", false);
    if (sets && (!json_is_array(sets) || json_array_size(sets) > VIEW_MAX_SETS)) {
        fail(r, "sets: expected a list of at most %d texts", VIEW_MAX_SETS);
    }
    for (size_t i = 0; i < json_array_size(sets); i++) {
        if (!json_is_string(json_array_get(sets, i))) {
            fail(r, "sets[%zu]: expected a text \"NAME=VALUE\"", i);
        }
    }
}

static void read_find(reader *r)
{
    const char *name = json_string_value(member(r, "name", true));
    if (!name || strlen(name) >= sizeof r->command->name) {
        fail(r, "name: expected a text shorter than %zu bytes", sizeof r->command->name);
        return;
    }
    strcpy(r->command->name, name);
}

static void read_pairs(reader *r)
{
    const json_t *list = member(r, "pairs", true);
    const size_t count = json_array_size(list);
    if (list && (count < 1 || count > VIEW_MAX_PAIRS)) {
        fail(r, "pairs: expected a list of 1 to %d pairs", VIEW_MAX_PAIRS);
    }
    for (size_t i = 0; i < count; i++) {
        view_pair pair;
        if (!view_pair_from_json(json_array_get(list, i), &pair)) {
            fail(r, "pairs[%zu]: expected [a, b, friction from 0 to 1e6, restitution from 0 to 1]",
                 i);
        }
    }
}

static void read_throw(reader *r)
{
    view_command *c = r->command;
    int64_t material = 0;
    read_vector(r, "position", c->point);
    read_vector(r, "velocity", c->velocity);
    read_number(r, "radius", true, 1e-9, 1e9, &c->radius);
    read_number(r, "density", false, 1e-9, 1e9, &c->density);
    read_integer(r, "material", false, 0, 255, &material);
    c->material = (uint32_t)material;
}

static void read_pace(reader *r)
{
    r->command->real_time = read_flag(r, "real_time", -1);
    read_number(r, "speed", false, 0.001, 1000, &r->command->speed);
}

/* The members of each command. */
static void read_members(reader *r)
{
    view_command *c = r->command;
    switch (c->verb) {
    case VIEW_READY:
        c->full = read_flag(r, "full", 0);
        c->count = read_count(r, "credits", VIEW_MAX_CREDITS, 1);
        break;
    case VIEW_SUBSCRIBE: read_subscribe(r); break;
    case VIEW_FRAME: read_frame(r); break;
    case VIEW_REPORTS: read_reports(r); break;
    case VIEW_STEP: c->count = read_count(r, "count", 1000, 1); break;
    case VIEW_PACE: read_pace(r); break;
    case VIEW_RESTART: read_restart(r); break;
    case VIEW_FIND: read_find(r); break;
    case VIEW_WATCH: c->count = read_count(r, "points", 5000, 1000); /* fallthrough */
    case VIEW_UNWATCH:
    case VIEW_REMOVE: read_body(r); break;
    case VIEW_PICK:
        read_body(r);
        read_integer(r, "frame", false, 0, UINT32_MAX - 1, &c->index);
        break;
    case VIEW_PAIRS: read_pairs(r); break;
    case VIEW_DRAG:
        read_body(r);
        read_vector(r, "target", c->point);
        read_number(r, "frequency", false, 0.1, 30, &c->frequency);
        break;
    case VIEW_PUSH:
        read_body(r);
        read_vector(r, "impulse", c->point);
        break;
    case VIEW_THROW: read_throw(r); break;
    default: break;
    }
}

static void find_stranger(reader *r)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)r->object, key, value)
    {
        size_t i = 0;
        while (i < r->asked_count && strcmp(r->asked[i], key) != 0) {
            i++;
        }
        if (i == r->asked_count) {
            fail(r, "%.64s: this command has no such member", key);
        }
    }
}

view_verdict view_command_parse(const char *text, size_t length, view_command *command,
                                char error[VIEW_ERROR])
{
    *command = (view_command){.fields = -1,
                              .contacts = -1,
                              .reports = -1,
                              .monitors = -1,
                              .index = -1,
                              .base = -1,
                              .rows = -1,
                              .real_time = -1,
                              .density = 1000,
                              .frequency = 3};
    json_error_t why;
    json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    const char *verb = json_string_value(json_object_get(object, "do"));
    if (!verb) {
        json_decref(object);
        snprintf(error, VIEW_ERROR, "expected a JSON object with a text \"do\"");
        return VIEW_MALFORMED;
    }
    reader r = {
        .object = object, .command = command, .error = error, .asked = {"do"}, .asked_count = 1};
    const json_t *id = member(&r, "id", false);
    const json_int_t given = json_integer_value(id);
    command->id = given >= 1 && given <= INT32_MAX ? (uint32_t)given : 0;
    int number = 0;
    while (number < VERBS && strcmp(verb, verb_names[number]) != 0) {
        number++;
    }
    if (number == VERBS) {
        r.wrong = true;
        snprintf(error, VIEW_ERROR, "unknown command");
    } else {
        command->verb = (view_verb)number;
        if (id && !command->id) {
            fail(&r, "id: expected a whole number from 1 to 2147483647");
        }
        read_members(&r);
        if (command->verb != VIEW_SET) { /* whose members view_settings_from_json() reads */
            find_stranger(&r);
        }
    }
    command->args = object;
    return r.wrong ? VIEW_WRONG : VIEW_GOOD;
}

void view_command_free(view_command *command)
{
    json_decref(command->args);
    command->args = NULL;
}

/* ---- settings ---- */

/* null is infinity. */
static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *view_vector(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_array_append_new(list, number_or_null(values[i]));
    }
    return list;
}

/* Those of penalty contact, by the names of the scene with "penalty_" before them. */
static void add_penalty(json_t *object, const tl_penalty_def *p)
{
    json_t *more = json_pack(
        "{ss ss sI sf sf sf ss sb sf}", "penalty_law", tl_word(TL_WORDS_PENALTY, p->law),
        "penalty_integrator", tl_word(TL_WORDS_INTEGRATOR, p->integrator), "penalty_substeps",
        (json_int_t)p->substeps, "penalty_stiffness", p->stiffness, "penalty_damping", p->damping,
        "penalty_friction", p->friction, "penalty_friction_form",
        tl_word(TL_WORDS_FRICTION, p->friction_form), "penalty_collisions", p->collisions,
        "penalty_collision_threshold", p->collision_threshold);
    json_object_update(object, more);
    json_decref(more);
}

json_t *view_settings_to_json(const tl_settings *s)
{
    json_t *object = json_pack(
        "{ss so sf ss ss sf ss sf so so ss so ss ss sI sI sI sI sf sf sf sb ss ss sI}", "type",
        "settings", "gravity", view_vector(s->gravity, 3), "step", s->step, "stepper",
        tl_word(TL_WORDS_STEPPER, s->stepper), "planes", tl_word(TL_WORDS_PLANES, s->planes),
        "envelope", s->envelope, "overlap", tl_word(TL_WORDS_OVERLAP, s->overlap),
        "recovery_fraction", s->recovery_fraction, "recovery_speed",
        number_or_null(s->recovery_speed), "restitution_speed",
        number_or_null(s->restitution_speed), "impacts", tl_word(TL_WORDS_IMPACTS, s->impacts),
        "max_speed", number_or_null(s->max_speed), "solver",
        tl_word(TL_WORDS_SOLVER, s->solver.kind), "law", tl_word(TL_WORDS_LAW, s->solver.law),
        "iterations", (json_int_t)s->solver.iterations, "position_iterations",
        (json_int_t)s->solver.position_iterations, "balance_iterations",
        (json_int_t)s->solver.balance_iterations, "coarse_layers",
        (json_int_t)s->solver.coarse_layers, "tolerance", s->solver.tolerance, "omega",
        s->solver.omega, "lambda", s->solver.lambda, "warm_start", s->solver.warm_start, "joints",
        tl_word(TL_WORDS_JOINTS, s->solver.joints), "precision",
        tl_word(TL_WORDS_PRECISION, s->precision), "threads", (json_int_t)s->threads);
    add_penalty(object, &s->penalty);
    return object;
}

/* Where a setting lies, by name. */
typedef struct setting {
    const char *name;
    double *real;             /* one of these */
    uint32_t *whole;          /* .. */
    const char *const *words; /* with `word` */
    unsigned *word;
    bool *flag;
} setting;

static bool put_setting(const setting *s, const json_t *value, char *error)
{
    const char *text = json_string_value(value);
    if (s->real && (json_is_number(value) || json_is_null(value))) {
        *s->real = json_is_null(value) ? INFINITY : json_number_value(value);
    } else if (s->whole && json_is_integer(value) && json_integer_value(value) >= 0 &&
               json_integer_value(value) <= UINT32_MAX) {
        *s->whole = (uint32_t)json_integer_value(value);
    } else if (s->flag && json_is_boolean(value)) {
        *s->flag = json_is_true(value);
    } else if (s->words && text) {
        unsigned word = 0;
        while (s->words[word] && strcmp(s->words[word], text) != 0) {
            word++;
        }
        if (!s->words[word]) {
            snprintf(error, VIEW_ERROR, "set: %s: unknown word", s->name);
            return false;
        }
        *s->word = word;
    } else {
        snprintf(error, VIEW_ERROR, "set: %s: expected a %s", s->name,
                 s->real    ? "number"
                 : s->whole ? "whole number >= 0"
                 : s->flag  ? "true or false"
                            : "word");
        return false;
    }
    return true;
}

static bool put_gravity(tl_settings *s, const json_t *value, char *error)
{
    for (size_t k = 0; k < 3; k++) {
        const json_t *item = json_array_get(value, k);
        if (json_array_size(value) != 3 || !json_is_number(item)) {
            snprintf(error, VIEW_ERROR, "set: gravity: expected three numbers");
            return false;
        }
        s->gravity[k] = json_number_value(item);
    }
    return true;
}

bool view_settings_from_json(tl_settings *s, const json_t *command, char error[VIEW_ERROR])
{
    unsigned overlap = s->overlap, solver = s->solver.kind, law = s->solver.law,
             impacts = s->impacts, stepper = s->stepper, joints = s->solver.joints,
             planes = s->planes, force = s->penalty.law, form = s->penalty.friction_form,
             integrator = s->penalty.integrator;
    const setting known[] = {
        {.name = "step", .real = &s->step},
        {.name = "envelope", .real = &s->envelope},
        {.name = "recovery_fraction", .real = &s->recovery_fraction},
        {.name = "recovery_speed", .real = &s->recovery_speed},
        {.name = "restitution_speed", .real = &s->restitution_speed},
        {.name = "max_speed", .real = &s->max_speed},
        {.name = "tolerance", .real = &s->solver.tolerance},
        {.name = "omega", .real = &s->solver.omega},
        {.name = "lambda", .real = &s->solver.lambda},
        {.name = "iterations", .whole = &s->solver.iterations},
        {.name = "position_iterations", .whole = &s->solver.position_iterations},
        {.name = "balance_iterations", .whole = &s->solver.balance_iterations},
        {.name = "coarse_layers", .whole = &s->solver.coarse_layers},
        {.name = "threads", .whole = &s->threads},
        {.name = "warm_start", .flag = &s->solver.warm_start},
        {.name = "stepper", .words = tl_words(TL_WORDS_STEPPER), .word = &stepper},
        {.name = "planes", .words = tl_words(TL_WORDS_PLANES), .word = &planes},
        {.name = "overlap", .words = tl_words(TL_WORDS_OVERLAP), .word = &overlap},
        {.name = "impacts", .words = tl_words(TL_WORDS_IMPACTS), .word = &impacts},
        {.name = "solver", .words = tl_words(TL_WORDS_SOLVER), .word = &solver},
        {.name = "joints", .words = tl_words(TL_WORDS_JOINTS), .word = &joints},
        {.name = "law", .words = tl_words(TL_WORDS_LAW), .word = &law},
        {.name = "penalty_law", .words = tl_words(TL_WORDS_PENALTY), .word = &force},
        {.name = "penalty_integrator", .words = tl_words(TL_WORDS_INTEGRATOR), .word = &integrator},
        {.name = "penalty_substeps", .whole = &s->penalty.substeps},
        {.name = "penalty_stiffness", .real = &s->penalty.stiffness},
        {.name = "penalty_damping", .real = &s->penalty.damping},
        {.name = "penalty_friction", .real = &s->penalty.friction},
        {.name = "penalty_friction_form", .words = tl_words(TL_WORDS_FRICTION), .word = &form},
        {.name = "penalty_collisions", .flag = &s->penalty.collisions},
        {.name = "penalty_collision_threshold", .real = &s->penalty.collision_threshold},
    };
    const size_t count = sizeof known / sizeof *known;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)command, key, value)
    {
        size_t i = 0;
        while (i < count && strcmp(known[i].name, key) != 0) {
            i++;
        }
        if (strcmp(key, "do") == 0 || strcmp(key, "id") == 0) {
            continue;
        }
        if (strcmp(key, "gravity") == 0) {
            if (!put_gravity(s, value, error)) {
                return false;
            }
        } else if (i == count) {
            snprintf(error, VIEW_ERROR, "set: %.64s: no such setting, or it cannot change", key);
            return false;
        } else if (!put_setting(&known[i], value, error)) {
            return false;
        }
    }
    s->stepper = (tl_stepper)stepper;
    s->penalty.law = (tl_penalty_law)force;
    s->penalty.integrator = (tl_integrator)integrator;
    s->penalty.friction_form = (tl_friction_form)form;
    s->planes = (tl_planes)planes;
    s->overlap = (tl_overlap)overlap;
    s->impacts = (tl_impacts)impacts;
    s->solver.kind = (tl_solver_kind)solver;
    s->solver.law = (tl_law)law;
    s->solver.joints = (tl_joint_method)joints;
    return true;
}

/* ---- pairs ---- */

json_t *view_pair_to_json(const view_pair *p)
{
    return json_pack("[I I f f]", (json_int_t)p->a, (json_int_t)p->b, p->friction, p->restitution);
}

bool view_pair_from_json(const json_t *list, view_pair *p)
{
    const json_t *a = json_array_get(list, 0), *b = json_array_get(list, 1),
                 *friction = json_array_get(list, 2), *restitution = json_array_get(list, 3);
    *p = (view_pair){(uint32_t)json_integer_value(a), (uint32_t)json_integer_value(b),
                     json_number_value(friction), json_number_value(restitution)};
    return json_array_size(list) == 4 && json_is_integer(a) && json_is_integer(b) &&
           json_integer_value(a) >= 0 && json_integer_value(a) <= 255 &&
           json_integer_value(b) >= 0 && json_integer_value(b) <= 255 && json_is_number(friction) &&
           json_is_number(restitution) && p->friction >= 0 && p->friction <= 1e6 &&
           p->restitution >= 0 && p->restitution <= 1;
}

/* ---- texts ---- */

char *view_reply_ok(uint32_t id, json_t *members)
{
    json_t *reply = json_pack("{ss sI sb}", "type", "reply", "id", (json_int_t)id, "ok", 1);
    if (members) {
        json_object_update(reply, members);
        json_decref(members);
    }
    char *text = json_dumps(reply, JSON_COMPACT);
    json_decref(reply);
    return text;
}

char *view_reply_error(uint32_t id, const char *error)
{
    json_t *reply = json_pack("{ss sb}", "type", "reply", "ok", 0);
    json_t *why = json_string(error); /* NULL where it is not UTF-8 */
    json_object_set_new(reply, "error", why ? why : json_string("failed"));
    if (id) {
        json_object_set_new(reply, "id", json_integer((json_int_t)id));
    }
    char *text = json_dumps(reply, JSON_COMPACT);
    json_decref(reply);
    return text;
}
