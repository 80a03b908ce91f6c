/* CSV files; csv.h says who calls. A frame is the lines of one time, which follow each other. */
#include "render/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const tlr_column_names[] = {"time", "body",   "x",    "y",        "z",  "qw", "qx",
                                        "qy",   "qz",     "vx",   "vy",       "vz", "wx", "wy",
                                        "wz",   "radius", "mass", "material", NULL};

enum { MOST_LINE = 1 << 16, MOST_CELLS = 1024, MOST_MATERIALS = 256 };

typedef struct body {
    uint32_t number, material; /* 1 + which of the materials; 0: none */
    double radius, mass, added;
} body;

typedef struct frame {
    long offset;
    uint64_t line, count;
} frame;

/* A line as numbers. */
typedef struct record {
    double value[TLR_COLUMNS];
    uint32_t number, material;
} record;

struct tlr_csv {
    char path[4096];
    FILE *file;
    tlr_csv_def def;
    char separator;
    int place[TLR_COLUMNS]; /* which cell; -1: there is none */
    int cells;              /* of a line */
    uint64_t line;          /* that was read last, from 1 */
    char *text;             /* MOST_LINE bytes */
    tl_array times;         /* double */
    tl_array frames;        /* frame */
    tl_array bodies;        /* body, by number */
    size_t material_count;
    char materials[MOST_MATERIALS][TLR_COLUMN_NAME];
    tl_array rows; /* record: of a frame */
    tl_array numbers, positions, orientations, velocities, spins;
};

static const char *name_of(const tlr_csv *c, int column)
{
    return *c->def.columns[column] ? c->def.columns[column] : tlr_column_names[column];
}

static tl_status refuse(const tlr_csv *c, int column, const char *what)
{
    return tl_fail(TL_BAD_DATA, "%s:%llu: %s%s%s", c->path, (unsigned long long)c->line,
                   column >= 0 ? name_of(c, column) : "", column >= 0 ? ": " : "", what);
}

/* --- lines --- */

/* The next line without its end; 1 after the last. Empty lines are passed over. */
static tl_status next_line(tlr_csv *c)
{
    for (;;) {
        if (!fgets(c->text, MOST_LINE, c->file))
            return ferror(c->file)
                       ? tl_fail(TL_FILE, "%s: cannot be read: %s", c->path, strerror(errno))
                       : (tl_status)1;
        c->line++;
        size_t length = strlen(c->text);
        if (length == MOST_LINE - 1)
            return refuse(c, -1, "the line is longer than 65,534 bytes, or has a zero byte in it");
        while (length && (c->text[length - 1] == '\n' || c->text[length - 1] == '\r'))
            c->text[--length] = 0;
        if (length)
            return TL_OK;
    }
}

/* Cuts the line into cells, in place; quotes are taken off. How many there are; -1: a quote has no
 * end. */
static int cut_line(tlr_csv *c, char *cells[MOST_CELLS])
{
    int count = 0;
    char *at = c->text;
    for (bool more = true; more && count < MOST_CELLS;) {
        char *out = at;
        cells[count++] = out;
        if (*at == '"') {
            for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
                at += *at == '"';
                *out++ = *at;
            }
            if (*at++ != '"')
                return -1;
        }
        while (*at && *at != c->separator)
            *out++ = *at++;
        more = *at == c->separator;
        at += more;
        *out = 0;
    }
    return count;
}

static char *trim(char *text)
{
    while (*text == ' ')
        text++;
    for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
        text[n - 1] = 0;
    return text;
}

/* Columns that go together: all are there, or none. */
static tl_status check_together(const tlr_csv *c, int first, int count)
{
    char what[128];
    for (int i = first + 1; i < first + count; i++)
        if ((c->place[i] >= 0) != (c->place[first] >= 0)) {
            const int lacks = c->place[i] < 0 ? i : first;
            snprintf(what, sizeof what, "the column is missing; %s is there",
                     name_of(c, c->place[i] < 0 ? first : i));
            return refuse(c, lacks, what);
        }
    return TL_OK;
}

static tl_status read_header(tlr_csv *c)
{
    char *cells[MOST_CELLS];
    const tl_status status = next_line(c);
    if (status > 0)
        return tl_fail(TL_BAD_DATA, "%s: is empty", c->path);
    TL_TRY(status);
    if (!strncmp(c->text, "\xef\xbb\xbf", 3)) /* a mark of UTF-8 */
        memmove(c->text, c->text + 3, strlen(c->text + 3) + 1);
    c->separator = strchr(c->text, '\t') ? '\t' : strchr(c->text, ';') ? ';' : ',';
    c->cells = cut_line(c, cells);
    for (int k = 0; k < TLR_COLUMNS; k++) {
        c->place[k] = -1;
        for (int i = 0; i < c->cells; i++) {
            if (strcmp(trim(cells[i]), name_of(c, k)))
                continue;
            if (c->place[k] >= 0)
                return refuse(c, k, "the column is there twice");
            c->place[k] = i;
        }
        const bool needed = (k >= TLR_X && k <= TLR_Z) || *c->def.columns[k];
        if (c->place[k] < 0 && needed)
            return refuse(c, k, "there is no such column; the look's input.columns names others");
    }
    if (c->place[TLR_RADIUS] < 0 && !(c->def.radius > 0))
        return refuse(c, TLR_RADIUS, "there is no such column, and no input.radius in the look");
    TL_TRY(check_together(c, TLR_QW, 4));
    TL_TRY(check_together(c, TLR_VX, 3));
    return check_together(c, TLR_WX, 3);
}

/* Which of the materials a name is, from 1; "" is none. */
static tl_status find_material(tlr_csv *c, const char *name, uint32_t *number)
{
    size_t i = 0;
    *number = 0;
    if (!*name)
        return TL_OK;
    while (i < c->material_count && strcmp(c->materials[i], name))
        i++;
    if (i == MOST_MATERIALS)
        return refuse(c, TLR_MATERIAL, "there are more than 256 materials");
    if (strlen(name) >= TLR_COLUMN_NAME)
        return refuse(c, TLR_MATERIAL, "the name is longer than 63 bytes");
    if (i == c->material_count)
        strcpy(c->materials[c->material_count++], name);
    *number = (uint32_t)i + 1;
    return TL_OK;
}

/* The line that was read, as numbers. `row` is its place in its frame, for files without bodies. */
static tl_status read_record(tlr_csv *c, size_t row, record *r)
{
    char *cells[MOST_CELLS];
    char what[160];
    const int count = cut_line(c, cells);
    if (count != c->cells) {
        snprintf(what, sizeof what, "has %d cells; the first line has %d", count, c->cells);
        return refuse(c, -1, count < 0 ? "a quote has no end" : what);
    }
    *r = (record){.value = {[TLR_QW] = 1, [TLR_RADIUS] = c->def.radius}};
    r->number = (uint32_t)row + 1;
    for (int k = 0; k < TLR_MATERIAL; k++) {
        if (c->place[k] < 0)
            continue;
        char *text = trim(cells[c->place[k]]), *end = text;
        r->value[k] = strtod(text, &end);
        if (end == text || *end || !isfinite(r->value[k]) || fabs(r->value[k]) > 1e30) {
            snprintf(what, sizeof what, "found '%.40s', expected a finite number", text);
            return refuse(c, k, what);
        }
    }
    const double number = r->value[TLR_BODY];
    if (c->place[TLR_BODY] >= 0) {
        if (!(number >= 0) || number >= 2147483646.0 || number != floor(number))
            return refuse(c, TLR_BODY, "expected a whole number from 0 to 2147483645");
        r->number = (uint32_t)number + 1; /* number_of() takes it off again */
    }
    if (c->place[TLR_RADIUS] >= 0)
        r->value[TLR_RADIUS] *= c->def.scale;
    if (!(r->value[TLR_RADIUS] > 0))
        return refuse(c, TLR_RADIUS, "a radius must be above 0");
    for (int k = TLR_X; k <= TLR_Z; k++) {
        r->value[k] *= c->def.scale;
        r->value[k - TLR_X + TLR_VX] *= c->def.scale;
    }
    return c->place[TLR_MATERIAL] < 0
               ? TL_OK
               : find_material(c, trim(cells[c->place[TLR_MATERIAL]]), &r->material);
}

/* --- frames and bodies --- */

static int compare_records(const void *a, const void *b)
{
    const uint32_t x = ((const record *)a)->number, y = ((const record *)b)->number;
    return (x > y) - (x < y);
}

/* Puts the rows of a frame into the order of bodies. */
static tl_status sort_rows(const tlr_csv *c)
{
    const record *r = c->rows.data;
    bool sorted = true;
    for (size_t i = 1; i < c->rows.count && sorted; i++)
        sorted = r[i - 1].number < r[i].number;
    if (sorted)
        return TL_OK;
    qsort(c->rows.data, c->rows.count, sizeof *r, compare_records);
    for (size_t i = 1; i < c->rows.count; i++)
        if (r[i - 1].number == r[i].number)
            return tl_fail(TL_BAD_DATA, "%s:%llu: %s: body %u is twice in the frame that ends here",
                           c->path, (unsigned long long)c->line, name_of(c, TLR_BODY),
                           r[i].number - 1);
    return TL_OK;
}

/* Adds the bodies of a frame that are new. */
static tl_status merge_bodies(tlr_csv *c, double time)
{
    const record *r = c->rows.data;
    const body *old = c->bodies.data;
    tl_array merged = {.item = sizeof(body)};
    size_t i = 0, fresh = 0;
    for (size_t k = 0; k < c->rows.count; k++) {
        while (i < c->bodies.count && old[i].number < r[k].number)
            i++;
        fresh += i == c->bodies.count || old[i].number != r[k].number;
    }
    if (!fresh)
        return TL_OK;
    TL_TRY(tl_array_resize(&merged, c->bodies.count + fresh));
    body *out = merged.data;
    i = 0;
    for (size_t k = 0; k < c->rows.count; k++) {
        while (i < c->bodies.count && old[i].number < r[k].number)
            *out++ = old[i++];
        if (i < c->bodies.count && old[i].number == r[k].number)
            *out++ = old[i++];
        else
            *out++ = (body){r[k].number, r[k].material, r[k].value[TLR_RADIUS],
                            r[k].value[TLR_MASS], time};
    }
    while (i < c->bodies.count)
        *out++ = old[i++];
    tl_array_free(&c->bodies);
    c->bodies = merged;
    return TL_OK;
}

static tl_status end_frame(tlr_csv *c, frame *f, double time)
{
    if (!c->rows.count)
        return TL_OK;
    TL_TRY(sort_rows(c));
    TL_TRY(merge_bodies(c, time));
    f->count = c->rows.count;
    c->rows.count = 0;
    TL_TRY(tl_array_append(&c->times, &time, 1));
    return tl_array_append(&c->frames, f, 1);
}

static tl_status read_all(tlr_csv *c)
{
    frame f = {0};
    double time = 0;
    TL_TRY(read_header(c));
    for (;;) {
        record r;
        const long offset = ftell(c->file);
        const uint64_t line = c->line;
        const tl_status status = next_line(c);
        if (status > 0)
            break;
        TL_TRY(status);
        TL_TRY(read_record(c, c->rows.count, &r));
        const double at = r.value[TLR_TIME];
        if (c->rows.count && at != time) {
            if (at < time)
                return refuse(c, TLR_TIME, "times must ascend");
            TL_TRY(end_frame(c, &f, time));
            r.number = c->place[TLR_BODY] < 0 ? 1 : r.number;
        }
        if (!c->rows.count)
            f = (frame){.offset = offset, .line = line};
        time = at;
        TL_TRY(tl_array_append(&c->rows, &r, 1));
    }
    TL_TRY(end_frame(c, &f, time));
    return c->frames.count ? TL_OK : tl_fail(TL_BAD_DATA, "%s: has no lines of bodies", c->path);
}

/* --- opening --- */

void tlr_csv_close(tlr_csv *c)
{
    if (!c)
        return;
    fclose(c->file);
    tl_array *arrays[] = {&c->times,     &c->frames,       &c->bodies,     &c->rows, &c->numbers,
                          &c->positions, &c->orientations, &c->velocities, &c->spins};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    tl_free(c->text, MOST_LINE);
    tl_free(c, sizeof *c);
}

tl_status tlr_csv_take(FILE *file, const char *path, const tlr_csv_def *def, tlr_csv **csv)
{
    tlr_csv *c = tl_alloc_zero(sizeof *c);
    *csv = NULL;
    if (!c) {
        fclose(file);
        return TL_NO_MEMORY;
    }
    c->file = file;
    c->def = *def;
    snprintf(c->path, sizeof c->path, "%s", path);
    c->times.item = sizeof(double);
    c->frames.item = sizeof(frame);
    c->bodies.item = sizeof(body);
    c->rows.item = sizeof(record);
    c->numbers.item = sizeof(uint32_t);
    c->positions.item = 3 * sizeof(double);
    c->orientations.item = 4 * sizeof(float);
    c->velocities.item = c->spins.item = 3 * sizeof(float);
    c->text = tl_alloc(MOST_LINE);
    const tl_status status = c->text ? read_all(c) : TL_NO_MEMORY;
    if (status < 0)
        tlr_csv_close(c);
    else
        *csv = c;
    return status;
}

tl_status tlr_csv_open(const char *path, const tlr_csv_def *def, tlr_csv **csv)
{
    FILE *file = fopen(path, "r");
    *csv = NULL;
    if (!file)
        return tl_fail(TL_FILE, "%s: cannot be read: %s", path, strerror(errno));
    return tlr_csv_take(file, path, def, csv);
}

/* --- as a result --- */

/* Numbers of bodies are from 1: in a file that counts from 0 each is one more than there. */
static uint32_t number_of(const tlr_csv *c, uint32_t number)
{
    const bool from_one = c->place[TLR_BODY] >= 0 && ((const body *)c->bodies.data)->number > 1;
    return from_one ? number - 1 : number;
}

tl_result_info tlr_csv_describe(const tlr_csv *c)
{
    const double *times = c->times.data;
    const bool turns = c->place[TLR_QW] >= 0, moves = c->place[TLR_VX] >= 0;
    return (tl_result_info){.version = "",
                            .note = "",
                            .backend = "",
                            .closed = true,
                            .frames = c->frames.count,
                            .bodies = c->bodies.count,
                            .shapes = c->bodies.count,
                            .first_time = times[0],
                            .last_time = times[c->times.count - 1],
                            .fields = (turns ? TL_RECORD_ORIENTATION : 0U) |
                                      (moves ? TL_RECORD_VELOCITY : 0U) |
                                      (c->place[TLR_WX] >= 0 ? TL_RECORD_ANGULAR_VELOCITY : 0U)};
}

const double *tlr_csv_times(const tlr_csv *c)
{
    return c->times.data;
}

tl_status tlr_csv_visit_bodies(const tlr_csv *c, tl_body_visit visit, void *user)
{
    const body *b = c->bodies.data;
    for (size_t i = 0; i < c->bodies.count; i++) {
        const tl_body_info info = {.body = {number_of(c, b[i].number), 1},
                                   .kind = TL_DYNAMIC,
                                   .mass = b[i].mass,
                                   .orientation = {1, 0, 0, 0},
                                   .added = b[i].added,
                                   .removed = INFINITY};
        tl_shape_info shape = {.body = info.body, .kind = TL_DYNAMIC};
        shape.def = tl_sphere_default(b[i].radius);
        shape.def.material.index = b[i].material;
        const tl_status status = visit(user, &info, 1, &shape);
        if (status != TL_OK)
            return status;
    }
    return TL_OK;
}

const char *tlr_csv_material(const tlr_csv *c, uint32_t index)
{
    return index && index <= c->material_count ? c->materials[index - 1] : NULL;
}

static tl_status make_room(tlr_csv *c, size_t count)
{
    TL_TRY(tl_array_resize(&c->numbers, count));
    TL_TRY(tl_array_resize(&c->positions, count));
    TL_TRY(tl_array_resize(&c->orientations, count));
    TL_TRY(tl_array_resize(&c->velocities, count));
    return tl_array_resize(&c->spins, count);
}

static void copy_record(const tlr_csv *c, size_t i)
{
    const record *r = (const record *)c->rows.data + i;
    ((uint32_t *)c->numbers.data)[i] = number_of(c, r->number);
    for (size_t k = 0; k < 3; k++) {
        ((double *)c->positions.data)[3 * i + k] = r->value[TLR_X + k];
        ((float *)c->velocities.data)[3 * i + k] = (float)r->value[TLR_VX + k];
        ((float *)c->spins.data)[3 * i + k] = (float)r->value[TLR_WX + k];
    }
    for (size_t k = 0; k < 4; k++)
        ((float *)c->orientations.data)[4 * i + k] = (float)r->value[TLR_QW + k];
}

tl_status tlr_csv_read_frame(tlr_csv *c, uint64_t index, tl_frame_view *view)
{
    const frame *f = (const frame *)c->frames.data + index;
    c->line = f->line;
    c->rows.count = 0;
    if (fseek(c->file, f->offset, SEEK_SET) != 0)
        return tl_fail(TL_FILE, "%s: cannot be read again: %s", c->path, strerror(errno));
    while (c->rows.count < f->count) {
        record r;
        const tl_status status = next_line(c);
        if (status > 0)
            return refuse(c, -1, "the file has become shorter");
        TL_TRY(status);
        TL_TRY(read_record(c, c->rows.count, &r));
        TL_TRY(tl_array_append(&c->rows, &r, 1));
    }
    TL_TRY(sort_rows(c));
    TL_TRY(make_room(c, c->rows.count));
    for (size_t i = 0; i < c->rows.count; i++)
        copy_record(c, i);
    *view = (tl_frame_view){.time = ((const double *)c->times.data)[index],
                            .count = c->rows.count,
                            .bodies = c->numbers.data,
                            .positions = c->positions.data,
                            .orientations = c->orientations.data,
                            .velocities = c->velocities.data,
                            .angular_velocities = c->spins.data};
    c->rows.count = 0;
    return TL_OK;
}
