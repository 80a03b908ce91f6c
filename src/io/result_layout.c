/* The tables of a result file: types, making, opening, and which of their rows count. */
#include "io/result_layout.h"

#include <math.h>
#include <string.h>

/* ---- Types ---- */

typedef enum element { ELEMENT_F64, ELEMENT_F32, ELEMENT_U64, ELEMENT_U32 } element;

static hid_t number(element e, bool stored)
{
    switch (e) {
    case ELEMENT_F64: return stored ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE;
    case ELEMENT_F32: return stored ? H5T_IEEE_F32LE : H5T_NATIVE_FLOAT;
    case ELEMENT_U64: return stored ? H5T_STD_U64LE : H5T_NATIVE_UINT64;
    case ELEMENT_U32: return stored ? H5T_STD_U32LE : H5T_NATIVE_UINT32;
    }
    return -1;
}

typedef struct field {
    const char *name;
    size_t offset;
    element element;
    uint32_t width;
} field;

#define KIND(row, member) \
    _Generic(((row *)0)->member, double: ELEMENT_F64, double *: ELEMENT_F64, \
             uint64_t: ELEMENT_U64, uint32_t: ELEMENT_U32)
#define WIDTH(row, member) \
    _Generic(((row *)0)->member, default: 1u,                                  \
             double *: (uint32_t)(sizeof(((row *)0)->member) / sizeof(double)))
#define FIELD(row, member)                                                    \
    {                                                                         \
#member, offsetof(row, member), KIND(row, member), WIDTH(row, member) \
    }
#define F(member) FIELD(tl_frame_row, member)
static const field frame_fields[] = {
    F(time),          F(step),   F(state_first), F(state_count), F(contact_first),
    F(contact_count), F(bodies), F(shapes),      F(removals),    {0}};
#undef F
#define X(type, name, member) FIELD(tl_step_row, name),
static const field step_fields[] = {TL_STEP_FIELDS(X){0}};
#undef X
#define F(member) FIELD(tl_body_row, member)
static const field body_fields[] = {F(body),        F(kind),  F(mass), F(position),
                                    F(orientation), F(added), {0}};
#undef F
#define F(member) FIELD(tl_shape_row, member)
static const field shape_fields[] = {F(body),     F(index),       F(kind),   F(material),
                                     F(position), F(orientation), F(radius), F(half_extents),
                                     F(edge_u),   F(edge_v),      {0}};
#undef F
#define F(member) FIELD(tl_removal_row, member)
static const field removal_fields[] = {F(body), F(time), {0}};
#undef F

static hid_t compound(const field *fields, size_t bytes, bool stored)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, bytes);
    for (const field *f = fields; f->name; f++) {
        hid_t member = number(f->element, stored);
        if (f->width > 1)
            member = H5Tarray_create2(member, 1, (hsize_t[]){f->width});
        H5Tinsert(type, f->name, f->offset, member);
        if (f->width > 1)
            H5Tclose(member);
    }
    return type;
}

/* ---- Tables ---- */

/* How one table is stored: rows of a struct where there are fields, else `width` numbers. Chunks
 * are so many rows; 0: by the number of bodies. */
static const struct layout {
    const char *name;
    const field *fields;
    size_t bytes;
    element element;
    uint32_t width;
    uint64_t chunk;
} layouts[TL_RESULT_TABLES] = {
    [TL_FRAMES] = {"frames", frame_fields, sizeof(tl_frame_row), 0, 1, 512},
    [TL_STEPS] = {"steps", step_fields, sizeof(tl_step_row), 0, 1, 512},
    [TL_BODIES] = {"bodies", body_fields, sizeof(tl_body_row), 0, 1, 0},
    [TL_SHAPES] = {"shapes", shape_fields, sizeof(tl_shape_row), 0, 1, 0},
    [TL_REMOVALS] = {"removals", removal_fields, sizeof(tl_removal_row), 0, 1, 1024},
    [TL_STATE_BODY] = {"states/body", NULL, 0, ELEMENT_U32, 1, 0},
    [TL_STATE_POSITION] = {"states/position", NULL, 0, ELEMENT_F64, 3, 0},
    [TL_STATE_ORIENTATION] = {"states/orientation", NULL, 0, ELEMENT_F32, 4, 0},
    [TL_STATE_VELOCITY] = {"states/velocity", NULL, 0, ELEMENT_F32, 3, 0},
    [TL_STATE_ANGULAR] = {"states/angular_velocity", NULL, 0, ELEMENT_F32, 3, 0},
    [TL_CONTACT_BODY] = {"contacts/body", NULL, 0, ELEMENT_U32, 2, 0},
    [TL_CONTACT_SHAPE] = {"contacts/shape", NULL, 0, ELEMENT_U32, 2, 0},
    [TL_CONTACT_POINT] = {"contacts/point", NULL, 0, ELEMENT_F64, 3, 0},
    [TL_CONTACT_NORMAL] = {"contacts/normal", NULL, 0, ELEMENT_F32, 3, 0},
    [TL_CONTACT_GAP] = {"contacts/gap", NULL, 0, ELEMENT_F64, 1, 0},
    [TL_CONTACT_IMPULSE] = {"contacts/impulse", NULL, 0, ELEMENT_F32, 3, 0},
};

/* About a chunk a frame keeps the index small; a chunk that is too large for what comes costs
 * nothing but address space, for only rows that are written take room on the disk. */
static uint64_t chunk_rows(const struct layout *l, uint64_t bodies)
{
    uint64_t rows = 1024;
    while (rows < bodies && rows < 65536)
        rows *= 2;
    return l->chunk ? l->chunk : rows;
}

static void prepare(tl_result_tables *tables)
{
    for (int i = 0; i < TL_RESULT_TABLES; i++) {
        tables->table[i] = (tl_h5_table){.set = -1};
        tables->types[i] = layouts[i].fields ? compound(layouts[i].fields, layouts[i].bytes, false)
                                             : number(layouts[i].element, false);
    }
}

/* The type in the file; given back by forget_type(). */
static hid_t stored_type(const struct layout *l)
{
    return l->fields ? compound(l->fields, l->bytes, true) : number(l->element, true);
}

static void forget_type(const struct layout *l, hid_t type)
{
    if (l->fields)
        H5Tclose(type);
}

tl_status tl_result_tables_create(tl_result_tables *tables, hid_t file, const char *path,
                                  uint64_t bodies)
{
    tl_status status = TL_OK;
    prepare(tables);
    for (int g = 0; g < 2 && status == TL_OK; g++) {
        const char *name = g ? "contacts" : "states";
        const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (group < 0)
            status = tl_h5_fail(TL_FILE, path, "/%s cannot be made", name);
        else
            H5Gclose(group);
    }
    for (int i = 0; i < TL_RESULT_TABLES && status == TL_OK; i++) {
        const struct layout *l = &layouts[i];
        const hid_t stored = stored_type(l);
        status = tl_h5_table_create(&tables->table[i], file, path, l->name, stored,
                                    tables->types[i], l->width, chunk_rows(l, bodies));
        forget_type(l, stored);
    }
    if (status != TL_OK)
        tl_result_tables_close(tables);
    return status;
}

tl_status tl_result_tables_open(tl_result_tables *tables, hid_t file, const char *path,
                                uint64_t size)
{
    tl_status status = TL_OK;
    prepare(tables);
    for (int i = 0; i < TL_RESULT_TABLES && status == TL_OK; i++) {
        const struct layout *l = &layouts[i];
        const hid_t stored = stored_type(l);
        status = tl_h5_table_open(&tables->table[i], file, path, l->name, stored, tables->types[i],
                                  l->width, size);
        forget_type(l, stored);
    }
    if (status != TL_OK)
        tl_result_tables_close(tables);
    return status;
}

void tl_result_tables_close(tl_result_tables *tables)
{
    for (int i = 0; i < TL_RESULT_TABLES; i++) {
        tl_h5_table_close(&tables->table[i]);
        if (layouts[i].fields && tables->types[i] > 0)
            H5Tclose(tables->types[i]);
        tables->types[i] = 0;
    }
}

/* ---- Rows ---- */

static uint64_t fewest(const tl_result_tables *tables, int first, int last)
{
    uint64_t rows = tables->table[first].rows;
    for (int i = first + 1; i <= last; i++)
        if (tables->table[i].rows < rows)
            rows = tables->table[i].rows;
    return rows;
}

tl_result_rows tl_result_tables_rows(const tl_result_tables *tables)
{
    return (tl_result_rows){
        .frames = tables->table[TL_FRAMES].rows,
        .steps = tables->table[TL_STEPS].rows,
        .bodies = tables->table[TL_BODIES].rows,
        .shapes = tables->table[TL_SHAPES].rows,
        .removals = tables->table[TL_REMOVALS].rows,
        .states = fewest(tables, TL_STATE_BODY, TL_STATE_ANGULAR),
        .contacts = fewest(tables, TL_CONTACT_BODY, TL_CONTACT_IMPULSE),
    };
}

tl_status tl_result_tables_cut(tl_result_tables *tables, hid_t file, const char *path,
                               const tl_result_rows *rows)
{
    const uint64_t keep[] = {rows->frames, rows->steps, rows->bodies, rows->shapes, rows->removals};
    for (int i = 0; i < TL_RESULT_TABLES; i++) {
        const uint64_t count = i <= TL_REMOVALS      ? keep[i]
                               : i < TL_CONTACT_BODY ? rows->states
                                                     : rows->contacts;
        TL_TRY(tl_h5_table_cut(&tables->table[i], path, count));
        if (i == TL_FRAMES && H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
            return tl_h5_fail(TL_FILE, path, "HDF5 cannot write it out");
    }
    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
        return tl_h5_fail(TL_FILE, path, "HDF5 cannot write it out");
    return TL_OK;
}

/* a + b is c, without overflow. */
static bool adds_up(uint64_t a, uint64_t b, uint64_t c)
{
    return a <= c && b == c - a;
}

bool tl_frame_row_is_whole(const tl_frame_row *row, const tl_frame_row *before,
                           const tl_result_rows *rows)
{
    static const tl_frame_row none = {0};
    const tl_frame_row *b = before ? before : &none;
    if (!isfinite(row->time) || (before && (row->time < b->time || row->step <= b->step)))
        return false;
    return adds_up(b->state_first, b->state_count, row->state_first) &&
           adds_up(b->contact_first, b->contact_count, row->contact_first) &&
           row->state_first <= rows->states &&
           row->state_count <= rows->states - row->state_first &&
           row->contact_first <= rows->contacts &&
           row->contact_count <= rows->contacts - row->contact_first && row->bodies >= b->bodies &&
           row->shapes >= b->shapes && row->removals >= b->removals &&
           row->bodies <= rows->bodies && row->shapes <= rows->shapes &&
           row->removals <= rows->removals;
}

/* Rows of /steps without those at the end that a killed writer left empty. */
static tl_status whole_steps(const tl_result_tables *tables, const char *path, uint64_t *steps)
{
    tl_step_row row;
    for (*steps = tables->table[TL_STEPS].rows; *steps; --*steps) {
        TL_TRY(tl_h5_table_read(&tables->table[TL_STEPS], path, *steps - 1, 1, &row));
        if (row.step)
            break;
    }
    return TL_OK;
}

tl_status tl_result_tables_frames(const tl_result_tables *tables, const char *path, bool closed,
                                  tl_array *frames, uint64_t *steps)
{
    const tl_result_rows rows = tl_result_tables_rows(tables);
    uint64_t whole = frames->count < rows.frames ? frames->count : rows.frames;
    TL_TRY(tl_array_resize(frames, (size_t)rows.frames));
    tl_frame_row *row = frames->data;
    tl_status status = tl_h5_table_read(&tables->table[TL_FRAMES], path, whole, rows.frames - whole,
                                        row ? row + whole : NULL);
    if (status == TL_OK)
        for (; whole < rows.frames; whole++)
            if (!tl_frame_row_is_whole(&row[whole], whole ? &row[whole - 1] : NULL, &rows))
                break;
    frames->count = (size_t)whole;
    TL_TRY(status);
    if (closed && whole < rows.frames)
        return tl_fail(TL_BAD_DATA, "%s: /frames[%llu] does not fit the tables it speaks of", path,
                       (unsigned long long)whole);
    return whole_steps(tables, path, steps);
}
