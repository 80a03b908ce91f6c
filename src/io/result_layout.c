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

/* A column of a struct. One that is not needed may be missing, and is 0 then. */
typedef struct field {
    const char *name;
    size_t offset;
    element element;
    uint32_t width;
    bool needed;
} field;

#define KIND(row, member) \
    _Generic(((row *)0)->member, double: ELEMENT_F64, double *: ELEMENT_F64, \
             uint64_t: ELEMENT_U64, uint32_t: ELEMENT_U32)
#define WIDTH(row, member) \
    _Generic(((row *)0)->member, default: 1u,                                  \
             double *: (uint32_t)(sizeof(((row *)0)->member) / sizeof(double)))
#define FIELD(row, member, needed)                                                    \
    {                                                                                 \
#member, offsetof(row, member), KIND(row, member), WIDTH(row, member), needed \
    }
#define F(member) FIELD(tl_frame_row, member, true)
#define O(member) FIELD(tl_frame_row, member, false)
static const field frame_fields[] = {
    F(time),          F(step),   F(state_first), F(state_count), O(contact_first),
    O(contact_count), F(bodies), F(shapes),      O(removals),    {0}};
#undef F
#undef O
#define X(type, name, member) FIELD(tl_step_row, name, offsetof(tl_step_row, name) == 0),
static const field step_fields[] = {TL_STEP_FIELDS(X){0}}; /* `step` alone is needed */
#undef X
#define F(member) FIELD(tl_body_row, member, true)
#define O(member) FIELD(tl_body_row, member, false)
static const field body_fields[] = {F(body),        F(kind),  O(mass), F(position),
                                    F(orientation), O(added), {0}};
#undef F
#undef O
#define F(member) FIELD(tl_shape_row, member, true)
#define O(member) FIELD(tl_shape_row, member, false)
static const field shape_fields[] = {
    F(body),         F(index),  F(kind),   O(material),    F(position), F(orientation), O(radius),
    O(half_extents), O(edge_u), O(edge_v), O(half_length), O(rounding), O(geometry),    O(group),
    O(mask),         O(sensor), O(end_a),  O(end_b),       {0}};
#undef F
#undef O
#define F(member) FIELD(tl_removal_row, member, true)
static const field removal_fields[] = {F(body), F(time), {0}};
#undef F

/* Adds a column to a struct. */
static bool insert(hid_t type, const field *f, bool stored)
{
    const hid_t one = number(f->element, stored);
    if (f->width == 1)
        return H5Tinsert(type, f->name, f->offset, one) >= 0;
    const hid_t array = H5Tarray_create2(one, 1, (hsize_t[]){f->width});
    const bool done = array >= 0 && H5Tinsert(type, f->name, f->offset, array) >= 0;
    if (array >= 0)
        H5Tclose(array);
    return done;
}

/* A struct of these columns; where `found` is a type, of those that it has. -1: failed. */
static hid_t compound(const field *fields, size_t bytes, bool stored, hid_t found)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, bytes);
    for (const field *f = fields; f->name && type >= 0; f++) {
        if (found >= 0 && H5Tget_member_index(found, f->name) < 0)
            continue;
        if (!insert(type, f, stored)) {
            H5Tclose(type);
            return -1;
        }
    }
    tl_h5_forget();
    return type;
}

/* Whether a column of a file can be read as ours. */
static bool fits(hid_t found, int member, uint32_t width)
{
    const hid_t type = H5Tget_member_type(found, (unsigned)member);
    hsize_t size = 0;
    bool right = type >= 0 && width == 1 && tl_h5_is_number(type);
    if (type >= 0 && width > 1 && H5Tget_class(type) == H5T_ARRAY &&
        H5Tget_array_ndims(type) == 1 && H5Tget_array_dims2(type, &size) == 1 && size == width) {
        const hid_t one = H5Tget_super(type);
        right = one >= 0 && tl_h5_is_number(one);
        if (one >= 0)
            H5Tclose(one);
    }
    if (type >= 0)
        H5Tclose(type);
    return right;
}

/* Columns that are not ours are passed over, if they have a size of their own. */
static tl_status check_others(hid_t found, const char *path, const char *table)
{
    const int count = H5Tget_nmembers(found);
    bool right = H5Tget_size(found) <= 65536 && count > 0 &&
                 H5Tdetect_class(found, H5T_VLEN) == 0 &&
                 H5Tdetect_class(found, H5T_REFERENCE) == 0;
    for (int i = 0; i < count && right; i++) {
        const hid_t type = H5Tget_member_type(found, (unsigned)i);
        right = type >= 0 && (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) == 0);
        if (type >= 0)
            H5Tclose(type);
    }
    return right ? TL_OK
                 : tl_h5_fail(TL_BAD_DATA, path, "/%s has a column that is not of a fixed size",
                              table);
}

static tl_status check_fields(hid_t found, const field *fields, const char *path, const char *table)
{
    if (H5Tget_class(found) != H5T_COMPOUND)
        return tl_h5_fail(TL_BAD_DATA, path, "/%s is of another type than a result's", table);
    TL_TRY(check_others(found, path, table));
    for (const field *f = fields; f->name; f++) {
        const int member = H5Tget_member_index(found, f->name);
        if (member >= 0 && !fits(found, member, f->width))
            return tl_h5_fail(TL_BAD_DATA, path,
                              "/%s: column %s is of another type than a result's", table, f->name);
        tl_h5_forget();
        if (member < 0 && f->needed)
            return tl_fail(TL_BAD_DATA, "%s: /%s has no column %s", path, table, f->name);
    }
    return TL_OK;
}

/* ---- Tables ---- */

#define PACKED_LIST 256 /* rows of a chunk that is written anew whenever rows are added */

/* How one table is stored: rows of a struct where there are fields, else `width` numbers. Chunks
 * are so many rows; 0: by the number of bodies. Tables that a reader needs are those of `needed`.
 */
static const struct layout {
    const char *name;
    const field *fields;
    size_t bytes;
    element element;
    uint32_t width;
    uint64_t chunk;
    bool needed;
} layouts[TL_RESULT_TABLES] = {
    [TL_FRAMES] = {"frames", frame_fields, sizeof(tl_frame_row), 0, 1, 512, true},
    [TL_STEPS] = {"steps", step_fields, sizeof(tl_step_row), 0, 1, 512, false},
    [TL_BODIES] = {"bodies", body_fields, sizeof(tl_body_row), 0, 1, 0, true},
    [TL_SHAPES] = {"shapes", shape_fields, sizeof(tl_shape_row), 0, 1, 0, true},
    [TL_REMOVALS] = {"removals", removal_fields, sizeof(tl_removal_row), 0, 1, 1024, false},
    [TL_STATE_BODY] = {"states/body", NULL, 0, ELEMENT_U32, 1, 0, true},
    [TL_STATE_POSITION] = {"states/position", NULL, 0, ELEMENT_F64, 3, 0, true},
    [TL_STATE_ORIENTATION] = {"states/orientation", NULL, 0, ELEMENT_F32, 4, 0, false},
    [TL_STATE_VELOCITY] = {"states/velocity", NULL, 0, ELEMENT_F32, 3, 0, false},
    [TL_STATE_ANGULAR] = {"states/angular_velocity", NULL, 0, ELEMENT_F32, 3, 0, false},
    [TL_CONTACT_BODY] = {"contacts/body", NULL, 0, ELEMENT_U32, 2, 0, false},
    [TL_CONTACT_SHAPE] = {"contacts/shape", NULL, 0, ELEMENT_U32, 2, 0, false},
    [TL_CONTACT_POINT] = {"contacts/point", NULL, 0, ELEMENT_F64, 3, 0, false},
    [TL_CONTACT_NORMAL] = {"contacts/normal", NULL, 0, ELEMENT_F32, 3, 0, false},
    [TL_CONTACT_GAP] = {"contacts/gap", NULL, 0, ELEMENT_F64, 1, 0, false},
    [TL_CONTACT_IMPULSE] = {"contacts/impulse", NULL, 0, ELEMENT_F32, 3, 0, false},
    [TL_RECORDED] = {"recorded", NULL, 0, ELEMENT_U32, 2, 64, false},
};

/* About one chunk per frame keeps the index small; a chunk that is too large for what comes costs
 * nothing but address space, for only rows that are written take room on the disk. Packed states
 * have one chunk per eight frames, where deflate sees one frame from the next. */
static uint64_t chunk_rows(const struct layout *l, uint64_t bodies, bool packed_states)
{
    uint64_t rows = 1024;
    if (packed_states && bodies <= TL_PACK_REACH)
        return 8 * ((bodies + !bodies + 1023) / 1024 * 1024);
    while (rows < bodies && rows < 65536)
        rows *= 2;
    return l->chunk ? l->chunk : rows;
}

static void prepare(tl_result_tables *tables)
{
    tl_packer_init(&tables->packer);
    for (int i = 0; i < TL_RESULT_TABLES; i++) {
        tables->table[i] = (tl_h5_table){.name = layouts[i].name, .set = -1};
        tables->types[i] = -1;
    }
}

static bool is_state(int table)
{
    return table >= TL_STATE_BODY && table <= TL_STATE_ANGULAR;
}

static bool is_contact(int table)
{
    return table >= TL_CONTACT_BODY && table <= TL_CONTACT_IMPULSE;
}

/* Whether a table lists bodies: it has rows of many bytes that are alike. */
static bool is_list(int table)
{
    return table == TL_BODIES || table == TL_SHAPES;
}

/* The largest power of 2 that rounds with at most this error. */
static double step_of(double error)
{
    return error > 0 ? exp2(floor(log2(2 * error))) : 0;
}

void tl_result_tables_round(tl_result_tables *tables, const tl_record_def *record)
{
    if (record->compression != TL_COMPRESSION_QUANTISED)
        return;
    const double turn = TL_RECORD_TURN_ERROR;
    const int bits = TL_RECORD_SPEED_BITS;
    tl_h5_table *t = tables->table;
    t[TL_STATE_POSITION].rounding.step = t[TL_CONTACT_POINT].rounding.step = step_of(record->error);
    t[TL_STATE_ORIENTATION].rounding.step = t[TL_CONTACT_NORMAL].rounding.step = step_of(turn);
    t[TL_STATE_VELOCITY].rounding = (tl_rounding){step_of(record->error * record->rate), bits};
    t[TL_STATE_ANGULAR].rounding = (tl_rounding){step_of(turn * record->rate), bits};
    t[TL_CONTACT_GAP].rounding.step = step_of(record->error / 16);
    t[TL_CONTACT_IMPULSE].rounding.bits = bits;
}

/* Whether a table is made. */
static bool is_recorded(int table, const tl_record_def *record)
{
    switch (table) {
    case TL_STATE_ORIENTATION: return record->fields & TL_RECORD_ORIENTATION;
    case TL_STATE_VELOCITY: return record->fields & TL_RECORD_VELOCITY;
    case TL_STATE_ANGULAR: return record->fields & TL_RECORD_ANGULAR_VELOCITY;
    case TL_RECORDED: return record->body_count > 0;
    default: return true;
    }
}

static tl_status create_table(tl_result_tables *tables, int i, hid_t file, const char *path,
                              uint64_t bodies, const tl_record_def *record)
{
    const struct layout *l = &layouts[i];
    const hid_t stored =
        l->fields ? compound(l->fields, l->bytes, true, -1) : number(l->element, true);
    tables->types[i] =
        l->fields ? compound(l->fields, l->bytes, false, -1) : number(l->element, false);
    const bool packed = record->compression != TL_COMPRESSION_NONE;
    const uint64_t chunk =
        packed && is_list(i) ? PACKED_LIST : chunk_rows(l, bodies, packed && is_state(i));
    const tl_h5_table_def def = {.stored = stored,
                                 .type = tables->types[i],
                                 .width = l->width,
                                 .chunk = chunk,
                                 .filtered =
                                     packed && (is_state(i) || is_contact(i) || is_list(i))};
    tl_status status = TL_OK;
    if (stored < 0 || def.type < 0)
        status = tl_h5_fail(TL_FILE, path, "the type of /%s cannot be made", l->name);
    else
        status = tl_h5_table_create(&tables->table[i], file, path, l->name, &def);
    if (l->fields && stored >= 0)
        H5Tclose(stored);
    return status;
}

tl_status tl_result_tables_create(tl_result_tables *tables, hid_t file, const char *path,
                                  uint64_t bodies, const tl_record_def *record)
{
    tl_status status = TL_OK;
    prepare(tables);
    for (int g = 0; g < 2 && status == TL_OK; g++) {
        const char *name = g ? "contacts" : "states";
        const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (group < 0 || H5Gclose(group) < 0)
            status = tl_h5_fail(TL_FILE, path, "/%s cannot be made", name);
    }
    for (int i = 0; i < TL_RESULT_TABLES && status == TL_OK; i++)
        if (is_recorded(i, record))
            status = create_table(tables, i, file, path, bodies, record);
    if (status == TL_OK)
        tl_result_tables_round(tables, record);
    else
        tl_result_tables_close(tables);
    return status;
}

static tl_status open_table(tl_result_tables *tables, int i, hid_t file, const char *path,
                            uint64_t size)
{
    const struct layout *l = &layouts[i];
    tl_h5_table *table = &tables->table[i];
    hid_t found;
    if (!l->needed && H5Lexists(file, l->name, H5P_DEFAULT) <= 0) { /* nor its group, perhaps */
        tl_h5_forget();
        return TL_OK;
    }
    TL_TRY(tl_h5_table_open(table, file, path, l->name, l->width, size, &found));
    tl_status status = TL_OK;
    if (l->fields)
        status = check_fields(found, l->fields, path, l->name);
    else if (!tl_h5_is_number(found))
        status = tl_h5_fail(TL_BAD_DATA, path, "/%s is of another type than a result's", l->name);
    if (status == TL_OK)
        tables->types[i] =
            l->fields ? compound(l->fields, l->bytes, false, found) : number(l->element, false);
    H5Tclose(found);
    if (status == TL_OK && tables->types[i] < 0)
        status = tl_h5_fail(TL_BAD_DATA, path, "/%s cannot be read", l->name);
    table->type = tables->types[i];
    table->row = l->fields ? l->bytes : status == TL_OK ? l->width * H5Tget_size(table->type) : 0;
    return status;
}

tl_status tl_result_tables_open(tl_result_tables *tables, hid_t file, const char *path,
                                uint64_t size)
{
    tl_status status = TL_OK;
    prepare(tables);
    for (int i = 0; i < TL_RESULT_TABLES && status == TL_OK; i++)
        status = open_table(tables, i, file, path, size);
    if (status != TL_OK)
        tl_result_tables_close(tables);
    return status;
}

bool tl_result_tables_have(const tl_result_tables *tables, tl_result_table which)
{
    return tables->table[which].set >= 0;
}

void tl_result_tables_close(tl_result_tables *tables)
{
    for (int i = 0; i < TL_RESULT_TABLES; i++) {
        tl_h5_table_close(&tables->table[i]);
        if (layouts[i].fields && tables->types[i] > 0)
            H5Tclose(tables->types[i]);
        tables->types[i] = -1;
    }
    tl_packer_free(&tables->packer);
}

/* ---- Rows ---- */

static uint64_t fewest(const tl_result_tables *tables, int first, int last)
{
    uint64_t rows = tables->table[first].rows;
    for (int i = first + 1; i <= last; i++)
        if (tl_result_tables_have(tables, (tl_result_table)i) && tables->table[i].rows < rows)
            rows = tables->table[i].rows;
    return rows;
}

uint64_t tl_result_tables_next(const tl_result_tables *tables, tl_result_table which, uint64_t rows)
{
    const tl_h5_table *t = &tables->table[which];
    if (!t->packed)
        return rows;
    const uint64_t over = rows % t->chunk;
    return over && rows <= t->rows ? rows - over + t->chunk : rows;
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
        const uint64_t count = is_state(i)        ? rows->states
                               : is_contact(i)    ? rows->contacts
                               : i <= TL_REMOVALS ? keep[i]
                                                  : 0;
        if (i != TL_RECORDED && tl_result_tables_have(tables, (tl_result_table)i))
            TL_TRY(tl_h5_table_cut(&tables->table[i], path, count));
        if (i == TL_FRAMES && H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
            return tl_h5_fail(TL_FILE, path, "HDF5 cannot write it out");
    }
    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
        return tl_h5_fail(TL_FILE, path, "HDF5 cannot write it out");
    return TL_OK;
}

/* Whether b rows from a on end at c or before, without overflow. */
static bool end_before(uint64_t a, uint64_t b, uint64_t c)
{
    return a <= c && b <= c - a;
}

bool tl_frame_row_is_whole(const tl_frame_row *row, const tl_frame_row *before,
                           const tl_result_rows *rows)
{
    static const tl_frame_row none = {0};
    const tl_frame_row *b = before ? before : &none;
    if (!isfinite(row->time) || (before && (row->time < b->time || row->step <= b->step)))
        return false;
    return end_before(b->state_first, b->state_count, row->state_first) &&
           end_before(b->contact_first, b->contact_count, row->contact_first) &&
           row->state_first <= rows->states &&
           row->state_count <= rows->states - row->state_first &&
           row->contact_first <= rows->contacts &&
           row->contact_count <= rows->contacts - row->contact_first && row->bodies >= b->bodies &&
           row->shapes >= b->shapes && row->removals >= b->removals &&
           row->bodies <= rows->bodies && row->shapes <= rows->shapes &&
           row->removals <= rows->removals;
}

/* Rows of /steps before the first empty one. A writer that was killed while it cut the file leaves
 * such rows, with rows that it was about to cut behind them. It had cut /frames by then, so that
 * nothing is missing up to the step of the last frame: the rows are read backwards to there. */
static tl_status whole_steps(const tl_result_tables *tables, const char *path, uint64_t framed,
                             uint64_t *steps)
{
    enum { BATCH = 64 };
    tl_step_row row[BATCH];
    const tl_h5_table *table = &tables->table[TL_STEPS];
    *steps = tl_result_tables_have(tables, TL_STEPS) ? table->rows : 0;
    for (uint64_t first, end = *steps; end; end = first) {
        first = end > BATCH ? end - BATCH : 0;
        TL_TRY(tl_h5_table_read(table, path, first, end - first, row));
        for (uint64_t i = end; i-- > first;) {
            if (!row[i - first].step)
                *steps = i;
            else if (row[i - first].step <= framed)
                return TL_OK;
        }
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
    return whole_steps(tables, path, whole ? row[whole - 1].step : 0, steps);
}
