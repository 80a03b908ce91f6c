/* The reader of scenes in lines; lines.h says who calls. One pass: each line becomes an entry of
 * bodies, joints or rods, as text. The document's y is up; here z is: (x, y, z) becomes (x, -z, y),
 * a quarter turn about x, so that right-handed stays right-handed and cross products stay what they
 * are. */
#include "io/lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/locate.h"

enum { MOST_NUMBERS = 16, ENTRY_ROOM = 2000 };

/* A list of the scene: entries with commas between, one to a line, and the lines they are of. */
typedef struct list {
    tl_array text;    /* char */
    tl_array origins; /* uint32_t */
} list;

/* The newest sphere of a reference. */
typedef struct sphere {
    uint32_t reference, version; /* how many before it had the reference */
    bool used, fixed;
    double position[3];
} sphere;

typedef struct reader {
    const char *name;
    tl_text text;
    const char *line, *end; /* the line that is read */
    uint32_t number;        /* of the line, from 1 */
    list bodies, joints, rods, geometries;
    tl_array comments; /* char: the text of a JSON string */
    uint64_t comment_count, entries;
    uint32_t capsules, polygons, boxes;
    tl_array spheres; /* sphere: a hash table of a power of two of places, at most half full */
    size_t references;
    /* the numbers of the line, and where each stands */
    size_t count;
    double x[MOST_NUMBERS];
    const char *at[MOST_NUMBERS];
} reader;

/* An entry that is being written. */
typedef struct entry {
    size_t used;
    bool bad; /* a number of it is not finite */
    char text[ENTRY_ROOM];
} entry;

/* ---- Messages ---- */

__attribute__((format(printf, 3, 4), cold)) static tl_status refuse(const reader *r, const char *at,
                                                                    const char *format, ...)
{
    char message[400];
    va_list arguments;
    const tl_location where = tl_locate(r->text.data, (size_t)(at - r->text.data));
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return tl_fail(TL_BAD_DATA, "%s:%zu:%zu: %c: %s", r->name, where.line, where.column, *r->line,
                   message);
}

/* ---- Writing ---- */

__attribute__((format(printf, 2, 3))) static void put(entry *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(e->text + e->used, sizeof e->text - e->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        e->used += (size_t)length;
    if (e->used >= sizeof e->text) { /* numbers and short words alone: there is room */
        e->used = sizeof e->text - 1;
        e->bad = true;
    }
}

/* The fewest digits, of some, that give the number back. No -0. */
static void put_number(entry *e, double x)
{
    static const int digits[] = {6, 15, 16, 17};
    char text[40] = "0";
    e->bad |= !isfinite(x);
    for (int i = 0; i < 4 && x != 0; i++) {
        snprintf(text, sizeof text, "%.*g", digits[i], x);
        if (strtod(text, NULL) == x)
            break;
    }
    put(e, "%s", text);
}

/* A key, with a comma before it unless it is the first of its object. */
static void put_key(entry *e, const char *key)
{
    put(e, e->text[e->used - 1] == '{' ? "\"%s\": " : ", \"%s\": ", key);
}

static void put_numbers(entry *e, const char *key, size_t count, const double *x)
{
    put_key(e, key);
    put(e, "[");
    for (size_t i = 0; i < count; i++) {
        put(e, "%s", i ? ", " : "");
        put_number(e, x[i]);
    }
    put(e, "]");
}

static void put_named(entry *e, const char *key, double x)
{
    put_key(e, key);
    put_number(e, x);
}

static void put_sphere(entry *e, const sphere *s)
{
    put(e, s->version ? "\"s%u-%u\"" : "\"s%u\"", s->reference, s->version + 1);
}

static tl_status keep(reader *r, list *to, entry *e)
{
    if (e->bad)
        return refuse(r, r->line, "gives a number that is too large, expected smaller ones");
    if (to->origins.count)
        TL_TRY(tl_array_append(&to->text, ",\n", 2));
    TL_TRY(tl_array_append(&to->text, "        ", 8));
    TL_TRY(tl_array_append(&to->text, e->text, e->used));
    r->entries++;
    return tl_array_append(&to->origins, &r->number, 1);
}

/* ---- Spheres by reference ---- */

static sphere *place_of(const tl_array *table, uint32_t reference)
{
    sphere *all = table->data;
    const size_t mask = table->count - 1;
    size_t at = (reference * (size_t)0x9e3779b97f4a7c15u >> 32) & mask;
    while (all[at].used && all[at].reference != reference)
        at = (at + 1) & mask;
    return &all[at];
}

static tl_status grow(reader *r)
{
    tl_array bigger = {.item = sizeof(sphere)};
    const sphere *old = r->spheres.data;
    TL_TRY(tl_array_resize(&bigger, r->spheres.count ? 2 * r->spheres.count : 64));
    memset(bigger.data, 0, bigger.count * bigger.item);
    for (size_t i = 0; i < r->spheres.count; i++)
        if (old[i].used)
            *place_of(&bigger, old[i].reference) = old[i];
    tl_array_free(&r->spheres);
    r->spheres = bigger;
    return TL_OK;
}

/* Number i of the line as a reference. */
static tl_status read_reference(const reader *r, size_t i, uint32_t *reference)
{
    const double x = r->x[i];
    if (!(x >= 0 && x <= UINT32_MAX && x == floor(x)))
        return refuse(r, r->at[i], "the reference is %g, expected a whole number from 0 to %u", x,
                      UINT32_MAX);
    *reference = (uint32_t)x;
    return TL_OK;
}

/* The sphere that number i of the line refers to. */
static tl_status find(const reader *r, size_t i, sphere *found)
{
    uint32_t reference = 0;
    TL_TRY(read_reference(r, i, &reference));
    const sphere *s = r->spheres.count ? place_of(&r->spheres, reference) : NULL;
    if (!s || !s->used)
        return refuse(r, r->at[i], "there is no sphere %u above this line, expected one",
                      reference);
    *found = *s;
    return TL_OK;
}

/* Two spheres, of which one moves. */
static tl_status find_two(const reader *r, sphere s[2])
{
    TL_TRY(find(r, 0, &s[0]));
    TL_TRY(find(r, 1, &s[1]));
    if (s[0].reference == s[1].reference)
        return refuse(r, r->at[1], "names sphere %u twice, expected two spheres", s[0].reference);
    if (s[0].fixed && s[1].fixed)
        return refuse(r, r->at[1], "both spheres are fixed, expected one that moves");
    return TL_OK;
}

/* ---- Numbers ---- */

/* Three numbers of the line with y up, as they are with z up. */
static void turn(const reader *r, size_t i, double out[3])
{
    out[0] = r->x[i];
    out[1] = 0 - r->x[i + 2];
    out[2] = r->x[i + 1];
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static tl_status read_numbers(reader *r, size_t least, size_t most, const char *what)
{
    const char *at = r->line + 1;
    r->count = 0;
    for (;;) {
        while (at < r->end && is_blank(*at))
            at++;
        if (at == r->end)
            break;
        const char *word = at;
        char copy[TL_LINES_MOST + 1], *end;
        while (at < r->end && !is_blank(*at))
            at++;
        memcpy(copy, word, (size_t)(at - word));
        copy[at - word] = 0;
        if (r->count == most)
            return refuse(r, word, "has more than %zu numbers, expected %s", most, what);
        const double x = strtod(copy, &end);
        if (end == copy || end != copy + (at - word) || strpbrk(copy, "xXpP"))
            return refuse(r, word, "found '%.40s', expected a number", copy);
        if (!isfinite(x))
            return refuse(r, word, "is %.40s, expected a finite number", copy);
        r->at[r->count] = word;
        r->x[r->count++] = x;
    }
    if (r->count < least)
        return refuse(r, r->end, "has %zu number%s, expected %s", r->count,
                      r->count == 1 ? "" : "s", what);
    return TL_OK;
}

static tl_status above_0(const reader *r, size_t i, const char *what)
{
    if (r->x[i] > 0)
        return TL_OK;
    return refuse(r, r->at[i], "the %s is %g, expected a number above 0", what, r->x[i]);
}

static tl_status at_least_0(const reader *r, size_t i, const char *what)
{
    if (r->x[i] >= 0)
        return TL_OK;
    return refuse(r, r->at[i], "the %s is %g, expected a number of at least 0", what, r->x[i]);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The length of a vector; its direction, where it has one. Over the largest component first, so
 * that no square overflows. */
static double normalise(double v[3])
{
    const double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(largest > 0))
        return 0;
    for (int k = 0; k < 3; k++)
        v[k] /= largest;
    const double length = sqrt(dot(v, v));
    for (int k = 0; k < 3; k++)
        v[k] /= length;
    return largest * length;
}

/* ---- Lines ---- */

/* S: a sphere, moving or fixed. */
static tl_status read_sphere(reader *r)
{
    enum { REFERENCE, POSITION, VELOCITY = 4, MOMENTUM = 7, MASS = 10, RADIUS, FIXED };
    double position[3], velocity[3], spin[3];
    uint32_t reference = 0;
    entry e = {0};
    TL_TRY(read_numbers(r, RADIUS + 1, FIXED + 1,
                        "12 or 13: reference, position, velocity, angular momentum, mass, radius, "
                        "and above 0 where it is fixed"));
    TL_TRY(read_reference(r, REFERENCE, &reference));
    const bool fixed = r->count > FIXED && r->x[FIXED] > 0;
    TL_TRY(fixed ? at_least_0(r, MASS, "mass") : above_0(r, MASS, "mass"));
    TL_TRY(above_0(r, RADIUS, "radius"));
    if (2 * (r->references + 1) > r->spheres.count)
        TL_TRY(grow(r));
    sphere *s = place_of(&r->spheres, reference);
    r->references += !s->used;
    turn(r, POSITION, position);
    *s = (sphere){reference, s->used ? s->version + 1 : 0, true, fixed, {0}};
    memcpy(s->position, position, sizeof position);
    turn(r, VELOCITY, velocity);
    turn(r, MOMENTUM, spin);
    put(&e, "{\"name\": ");
    put_sphere(&e, s);
    put(&e, "%s", fixed ? ", \"kind\": \"fixed\"" : "");
    put_numbers(&e, "position", 3, position);
    if (fixed && (dot(velocity, velocity) > 0 || dot(spin, spin) > 0))
        put(&e, ", \"comment\": \"fixed: its velocity and angular momentum in the file mean "
                "nothing\"");
    if (!fixed) {
        const double inertia = 0.4 * r->x[MASS] * r->x[RADIUS] * r->x[RADIUS];
        for (int k = 0; k < 3; k++)
            spin[k] = spin[k] == 0 ? 0 : spin[k] / inertia;
        put_numbers(&e, "velocity", 3, velocity);
        put_numbers(&e, "angular_velocity", 3, spin);
        put_named(&e, "mass", r->x[MASS]);
    }
    put(&e, ", \"shapes\": [{\"kind\": \"sphere\", \"material\": \"all\"");
    put_named(&e, "radius", r->x[RADIUS]);
    put(&e, "}]}");
    return keep(r, &r->bodies, &e);
}

/* The rotation that takes z to a unit vector, by the shortest way. */
static void turn_of_axis(const double z[3], double q[4])
{
    const double w = sqrt((1 + fabs(z[2])) / 2);
    const double side = z[2] < 0 ? -1 : 1; /* a capsule has no direction: -z will do */
    q[0] = w;
    q[1] = -side * z[1] / (2 * w);
    q[2] = side * z[0] / (2 * w);
    q[3] = 0;
}

/* C: a capsule with the inertia of two balls of half its mass, at its ends. */
static tl_status read_capsule(reader *r)
{
    enum { FIRST, SECOND = 3, VELOCITY = 6, MASS = 9, RADIUS };
    double a[3], b[3], velocity[3], middle[3], axis[3], q[4];
    entry e = {0};
    TL_TRY(read_numbers(r, RADIUS + 1, RADIUS + 1, "11: two ends, velocity, mass, radius"));
    TL_TRY(above_0(r, MASS, "mass"));
    TL_TRY(above_0(r, RADIUS, "radius"));
    turn(r, FIRST, a);
    turn(r, SECOND, b);
    turn(r, VELOCITY, velocity);
    for (int k = 0; k < 3; k++) {
        middle[k] = a[k] / 2 + b[k] / 2;
        axis[k] = b[k] - a[k];
    }
    const double length = normalise(axis), mass = r->x[MASS], radius = r->x[RADIUS];
    if (!(length > 0))
        return refuse(r, r->at[SECOND], "both ends are at one point, expected two points");
    turn_of_axis(axis, q);
    const double along = 0.4 * mass * radius * radius, across = along + mass * length * length / 4;
    const double inertia[3] = {across, across, along};
    put(&e, "{\"name\": \"c%u\"", ++r->capsules);
    put_numbers(&e, "position", 3, middle);
    put_numbers(&e, "orientation", 4, q);
    put_numbers(&e, "velocity", 3, velocity);
    put_named(&e, "mass", mass);
    put_numbers(&e, "inertia", 3, inertia);
    put(&e, ", \"shapes\": [{\"kind\": \"capsule\", \"material\": \"all\"");
    put_named(&e, "radius", radius);
    put_named(&e, "half_length", length / 2);
    put(&e, "}]}");
    return keep(r, &r->bodies, &e);
}

/* P: a parallelogram, one-sided, which faces first x second. */
static tl_status read_polygon(reader *r)
{
    double corner[3], u[3], v[3], along[3], across[3];
    entry e = {0};
    TL_TRY(read_numbers(r, 9, 9, "9: corner, first edge, second edge"));
    turn(r, 0, corner);
    turn(r, 3, u);
    turn(r, 6, v);
    memcpy(along, u, sizeof u);
    memcpy(across, v, sizeof v);
    for (int i = 0; i < 2; i++)
        if (!(normalise(i ? across : along) > 0))
            return refuse(r, r->at[3 + 3 * i], "the %s edge is 0, expected a direction",
                          i ? "second" : "first");
    if (1 - fabs(dot(along, across)) < 1e-12)
        return refuse(r, r->at[6], "the edges are parallel, expected two directions");
    /* one-sided: two triangles, counterclockwise seen from where it faces */
    entry form = {0};
    put(&form, "\"p%u\": {\"mesh\": {\"vertices\": [[0, 0, 0]", ++r->polygons);
    for (int i = 0; i < 3; i++) {
        double to[3];
        for (int k = 0; k < 3; k++)
            to[k] = (i < 2 ? u[k] : 0) + (i > 0 ? v[k] : 0);
        put(&form, ", [");
        for (int k = 0; k < 3; k++) {
            put(&form, "%s", k ? ", " : "");
            put_number(&form, to[k]);
        }
        put(&form, "]");
    }
    put(&form, "], \"triangles\": [[0, 1, 2], [0, 2, 3]]}}");
    put(&e, "{\"name\": \"p%u\", \"kind\": \"fixed\"", r->polygons);
    put_numbers(&e, "position", 3, corner);
    put(&e, ", \"shapes\": [{\"kind\": \"mesh\", \"material\": \"all\", \"geometry\": \"p%u\"}]}",
        r->polygons);
    TL_TRY(keep(r, &r->bodies, &e));
    r->entries--; /* one of the file */
    return keep(r, &r->geometries, &form);
}

/* B: a fixed box. The third edge may be left-handed: a box is the same either way. */
static tl_status read_box(reader *r)
{
    static const char *const names[] = {"first", "second", "third"};
    double x[4][3], middle[3], size[3];
    entry e = {0};
    TL_TRY(read_numbers(r, 12, 12, "12: corner, three edges that are orthogonal"));
    for (size_t i = 0; i < 4; i++)
        turn(r, 3 * i, x[i]);
    for (int k = 0; k < 3; k++)
        middle[k] = x[0][k] + x[1][k] / 2 + x[2][k] / 2 + x[3][k] / 2;
    for (size_t i = 0; i < 3; i++) {
        size[i] = normalise(x[i + 1]);
        if (!(size[i] > 0))
            return refuse(r, r->at[3 * i + 3], "the %s edge is 0, expected a direction", names[i]);
        for (size_t j = 0; j < i; j++)
            if (fabs(dot(x[i + 1], x[j + 1])) > 1e-3)
                return refuse(r, r->at[3 * i + 3],
                              "the %s edge is at %.4g degrees to the %s, expected 90", names[i],
                              acos(fmax(-1, fmin(1, dot(x[i + 1], x[j + 1])))) *
                                  (180 / 3.14159265358979323846),
                              names[j]);
    }
    put(&e, "{\"name\": \"b%u\", \"kind\": \"fixed\"", ++r->boxes);
    put_numbers(&e, "position", 3, middle);
    put(&e, ", \"orientation\": {");
    put_numbers(&e, "x", 3, x[1]);
    put_numbers(&e, "y", 3, x[2]);
    put(&e, "}, \"shapes\": [{\"kind\": \"box\", \"material\": \"all\"");
    put_numbers(&e, "size", 3, size);
    put(&e, "}]}");
    return keep(r, &r->bodies, &e);
}

/* K: a spring between the centres of two spheres, which still touch each other. */
static tl_status read_spring(reader *r)
{
    enum { STIFFNESS = 2, LENGTH, DAMPING };
    sphere s[2];
    entry e = {0};
    TL_TRY(read_numbers(r, 5, 5, "5: two references, spring constant, length, damping"));
    TL_TRY(find_two(r, s));
    TL_TRY(at_least_0(r, STIFFNESS, "spring constant"));
    TL_TRY(at_least_0(r, LENGTH, "length"));
    TL_TRY(at_least_0(r, DAMPING, "damping"));
    if (r->x[STIFFNESS] == 0 && r->x[DAMPING] == 0)
        return refuse(r, r->at[STIFFNESS],
                      "spring constant and damping are 0, expected one above 0");
    put(&e, "{\"name\": \"k%zu\", \"kind\": \"distance\", \"bodies\": [",
        r->joints.origins.count + 1);
    put_sphere(&e, &s[0]);
    put(&e, ", ");
    put_sphere(&e, &s[1]);
    put(&e, "], \"frame_a\": {}, \"frame_b\": {}, \"collide\": true");
    if (!(r->x[LENGTH] > 0)) /* no joint has the length 0 */
        put(&e, ", \"comment\": \"of length 0 in the file\"");
    put_named(&e, "length", r->x[LENGTH] > 0 ? r->x[LENGTH] : 1e-9);
    put(&e, ", \"spring\": {");
    put_named(&e, "stiffness", r->x[STIFFNESS]);
    put_named(&e, "damping", r->x[DAMPING]);
    put(&e, "}}");
    return keep(r, &r->joints, &e);
}

/* The length that a rod keeps is the one that it has. */
static tl_status check_kept(const reader *r, size_t i, const sphere s[2])
{
    double apart[3];
    TL_TRY(above_0(r, i, "length"));
    for (int k = 0; k < 3; k++)
        apart[k] = s[1].position[k] - s[0].position[k];
    const double length = normalise(apart);
    if (fabs(r->x[i] - length) <= 1e-6 * length)
        return TL_OK;
    return refuse(r, r->at[i], "the length is %.9g, expected %.9g: how far the spheres are apart",
                  r->x[i], length);
}

/* R: a rod between two spheres, of free length unless that is given. */
static tl_status read_rod(reader *r)
{
    enum { RADIUS = 2, LENGTH };
    sphere s[2];
    entry e = {0};
    TL_TRY(read_numbers(r, RADIUS + 1, LENGTH + 1,
                        "3 or 4: two references, radius, and the length where it is kept"));
    TL_TRY(find_two(r, s));
    TL_TRY(above_0(r, RADIUS, "radius"));
    if (r->count > LENGTH)
        TL_TRY(check_kept(r, LENGTH, s));
    put(&e, "{\"name\": \"r%zu\", \"bodies\": [", r->rods.origins.count + 1);
    put_sphere(&e, &s[0]);
    put(&e, ", ");
    put_sphere(&e, &s[1]);
    put(&e, "], \"material\": \"all\"");
    put_named(&e, "radius", r->x[RADIUS]);
    if (r->count > LENGTH)
        put_named(&e, "length", r->x[LENGTH]);
    put(&e, "}");
    return keep(r, &r->rods, &e);
}

static tl_status read_comment(reader *r)
{
    const char *end = r->end;
    while (end > r->line && is_blank(end[-1]))
        end--;
    r->comment_count++;
    TL_TRY(tl_array_append(&r->comments, "\\n", 2));
    for (const char *c = r->line; c < end; c++) {
        const bool plain = *c >= ' ' && *c < 127, quoted = *c == '"' || *c == '\\';
        const char text[2] = {quoted ? '\\' : '?', *c};
        if (quoted)
            TL_TRY(tl_array_append(&r->comments, text, 2));
        else /* it need not be UTF-8 */
            TL_TRY(tl_array_append(&r->comments, plain ? c : text, 1));
    }
    return TL_OK;
}

static tl_status read_line(reader *r)
{
    if (r->end - r->line > TL_LINES_MOST)
        return refuse(r, r->line + TL_LINES_MOST, "the line has %zu bytes, expected at most %d",
                      (size_t)(r->end - r->line), TL_LINES_MOST);
    while (r->line < r->end && is_blank(*r->line))
        r->line++;
    switch (r->line < r->end ? *r->line : ' ') {
    case ' ': return TL_OK;
    case 'S': return read_sphere(r);
    case 'R': return read_rod(r);
    case 'C': return read_capsule(r);
    case 'P': return read_polygon(r);
    case 'K': return read_spring(r);
    case 'B': return read_box(r);
    default: return read_comment(r);
    }
}

/* ---- The scene ---- */

static tl_status append(tl_lines *out, uint32_t origin, const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c == '\n')
            TL_TRY(tl_array_append(&out->origins, &origin, 1));
    return tl_array_append(&out->json, text, strlen(text));
}

/* The entries of a list, then `more` in the line of the last. */
static tl_status append_entries(tl_lines *out, const list *from, const char *more)
{
    const uint32_t *origins = from->origins.data;
    const size_t last = from->origins.count - 1;
    TL_TRY(tl_array_append(&out->origins, origins, last));
    TL_TRY(tl_array_append(&out->json, from->text.data, from->text.count));
    return append(out, origins[last], more);
}

/* A list, or an object where its entries have keys, as the value of a key; nothing where it is
 * empty. */
static tl_status append_list(tl_lines *out, const char *key, const list *from)
{
    const bool keyed = from->text.count > 8 && ((const char *)from->text.data)[8] == '"';
    char head[32];
    if (!from->origins.count)
        return TL_OK;
    snprintf(head, sizeof head, ",\n    \"%s\": %s\n", key, keyed ? "{" : "[");
    TL_TRY(append(out, 1, head));
    return append_entries(out, from, keyed ? "\n    }" : "\n    ]");
}

static tl_status write_scene(const reader *r, bool ground, tl_lines *out)
{
    static const char zero = 0;
    const char *slash = strrchr(r->name, '/');
    TL_TRY(append(out, 1, "{\n    \"version\": 1,\n    \"title\": \""));
    for (const char *c = slash ? slash + 1 : r->name; *c; c++)
        TL_TRY(tl_array_append(&out->json,
                               *c > ' ' && *c < 127 && *c != '"' && *c != '\\' ? c : "_", 1));
    TL_TRY(append(out, 1, "\",\n"));
    TL_TRY(append(out, 1, "    \"comment\": \"" TL_LINES_MARK));
    TL_TRY(tl_array_append(&out->json, r->comments.data, r->comments.count));
    TL_TRY(append(out, 1, "\",\n"));
    TL_TRY(
        append(out, 1,
               "    \"gravity\": [0, 0, -1],\n"
               "    \"step\": 0.02,\n"
               "    \"duration\": 10,\n"
               "    \"settings\": {\n"
               "        \"stepper\": \"penalty\",\n"
               "        \"penalty\": {\"law\": \"scaled\", \"substeps\": 1, \"stiffness\": 1000, "
               "\"damping\": 12.5, \"friction\": 50, \"collisions\": true, "
               "\"collision_threshold\": 1, \"attraction\": true}\n"
               "    },\n"
               "    \"materials\": {\"all\": {\"restitution\": 0.75}},\n"
               "    \"bodies\": [\n"));
    TL_TRY(append_entries(out, &r->bodies, ground ? ",\n" : "\n    ]"));
    if (ground)
        TL_TRY(append(out, 1,
                      "        {\"name\": \"ground\", \"kind\": \"fixed\", \"shapes\": "
                      "[{\"kind\": \"plane\", \"material\": \"all\"}]}\n    ]"));
    TL_TRY(append_list(out, "geometries", &r->geometries));
    TL_TRY(append_list(out, "joints", &r->joints));
    TL_TRY(append_list(out, "rods", &r->rods));
    TL_TRY(append(out, 1, "\n}\n"));
    return tl_array_append(&out->json, &zero, 1);
}

static tl_status read_all(reader *r)
{
    const char *end = r->text.data + r->text.length, *next;
    for (const char *at = r->text.data; at < end; at = next) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        next = newline ? newline + 1 : end;
        r->line = at;
        r->end = newline ? newline : end;
        r->number++;
        TL_TRY(read_line(r));
    }
    if (!r->bodies.origins.count)
        return tl_fail(TL_BAD_DATA,
                       "%s:1:1: has no line that begins with S, C, P or B, expected a scene in "
                       "lines (or in JSON, which begins with '{')",
                       r->name);
    return TL_OK;
}

bool tl_lines_are(const char *name, tl_text text)
{
    const size_t length = strlen(name);
    size_t i = text.length >= 3 && !memcmp(text.data, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (i < text.length && text.data[i] && strchr(" \t\r\n", text.data[i]))
        i++;
    return length > 4 && !strcmp(name + length - 4, ".txt") && i < text.length &&
           text.data[i] != '{';
}

tl_status tl_lines_convert(const char *name, tl_text text, bool ground, tl_lines *out)
{
    const list empty = {{.item = 1}, {.item = sizeof(uint32_t)}};
    reader r = {.name = name,
                .text = text,
                .bodies = empty,
                .joints = empty,
                .rods = empty,
                .geometries = empty,
                .comments = {.item = 1},
                .spheres = {.item = sizeof(sphere)}};
    *out = (tl_lines){.json = {.item = 1}, .origins = {.item = sizeof(uint32_t)}};
    tl_status status = read_all(&r);
    out->comments = r.comment_count;
    if (status == TL_OK)
        status = write_scene(&r, ground, out);
    tl_array *const arrays[] = {&r.bodies.text,       &r.bodies.origins, &r.joints.text,
                                &r.joints.origins,    &r.rods.text,      &r.rods.origins,
                                &r.comments,          &r.spheres,        &r.geometries.text,
                                &r.geometries.origins};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    return status;
}

void tl_lines_free(tl_lines *lines)
{
    tl_array_free(&lines->json);
    tl_array_free(&lines->origins);
}
