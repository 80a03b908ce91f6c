/* Reading damaged results. A whole small result is made once; an input is a list of changes to it,
 * made through HDF5 (other values, other numbers of rows, other attributes) or to its bytes. Then
 * everything that can be read is read and exported, and the run is resumed. All of it must either
 * work or fail with a message, give back all its memory, and hand out only numbers that are finite.
 *
 * HDF5 itself leaks when it meets damage, so that the leaks of the process are not looked at; those
 * of Talus are, through its allocator. */
#define _GNU_SOURCE
#include "talus/io.h"

#include <ftw.h>
#include <hdf5.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static char folder[64], path[128], checkpoint[160];
/* Two results, one as it is and one packed; and the one that an input changes. */
static struct made {
    unsigned char *whole, *point; /* the result and its checkpoint */
    size_t whole_bytes, point_bytes;
} made[2];
static unsigned char *whole;
static size_t whole_bytes;
static unsigned char *point;
static size_t point_bytes;

#define MUST(holds)                                                                             \
    do {                                                                                        \
        if (!(holds)) {                                                                         \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #holds, tl_last_message()); \
            abort();                                                                            \
        }                                                                                       \
    } while (0)

/* ---- Memory ---- */

static atomic_size_t held;

static void *take(size_t bytes, void *user)
{
    (void)user;
    void *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (memory)
        atomic_fetch_add(&held, bytes);
    return memory;
}

static void give_back(void *memory, size_t bytes, void *user)
{
    (void)user;
    atomic_fetch_sub(&held, bytes);
    free(memory);
}

/* ---- The whole result ---- */

static const char scene[] =
    "{\"version\": 1, \"settings\": {\"precision\": \"double\"}, \"duration\": 1, \"record\": "
    "{\"rate\": 200, \"contacts\": true},"
    "\"bodies\": [{\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"plane\"}, {\"kind\": \"box\","
    "\"half_extents\": [1, 1, 0.1]}]},"
    "{\"name\": \"paddle\", \"kind\": \"prescribed\", \"position\": [0, 0, 0.5], \"shapes\":"
    "[{\"kind\": \"parallelogram\", \"edge_u\": [1, 0, 0], \"edge_v\": [0, 1, 0]}],"
    "\"motion\": {\"kind\": \"velocity\", \"angular_velocity\": [0, 0, 1]}},"
    "{\"name\": \"a\", \"position\": [0, 0, 0.2], \"shapes\": [{\"kind\": \"sphere\", \"radius\": "
    "0.1}]},"
    "{\"name\": \"b\", \"position\": [0.5, 0, 0.2], \"shapes\": [{\"kind\": \"sphere\", \"radius\":"
    "0.1}]}],"
    "\"fills\": [{\"region\": {\"kind\": \"box\", \"low\": [-1, -1, 0.6], \"high\": [1, 1, 1]},"
    "\"radius\": 0.09, \"count\": 40}],"
    "\"emitters\": [{\"region\": {\"kind\": \"box\", \"low\": [-1, -1, 1], \"high\": [1, 1, 2]},"
    "\"radius\": 0.1, \"rate\": 300, \"interval\": 0.01}],"
    "\"monitors\": {\"paddle\": {\"kind\": \"torque\", \"on\": \"paddle\"},"
    "\"mean\": {\"kind\": \"mean\", \"of\": \"paddle.z\", \"window\": 0.02}},"
    "\"events\": [{\"time\": 0.02, \"remove\": [\"a\"]}]}";

static int remove_entry(const char *name, const struct stat *s, int kind, struct FTW *where)
{
    (void)s;
    (void)kind;
    (void)where;
    return remove(name);
}

static void remove_all(void)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static unsigned char *read_file(const char *name, size_t *bytes)
{
    FILE *file = fopen(name, "rb");
    MUST(file && fseek(file, 0, SEEK_END) == 0);
    *bytes = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*bytes);
    MUST(data && fread(data, 1, *bytes, file) == *bytes);
    fclose(file);
    return data;
}

static void write_file(const char *name, const unsigned char *data, size_t bytes)
{
    FILE *file = fopen(name, "wb");
    MUST(file && fwrite(data, 1, bytes, file) == bytes && fclose(file) == 0);
}

static void make_result(tl_compression compression, struct made *m)
{
    tl_document *document = NULL;
    tl_world *world = NULL;
    tl_recorder *recorder = NULL;
    tl_report report;
    MUST(tl_document_parse("scene", scene, strlen(scene), 0, NULL, &document) >= 0);
    tl_settings settings = tl_scene_settings(tl_document_scene(document));
    MUST(tl_world_create(tl_document_scene(document), &world) >= 0);
    settings.threads = 1;
    MUST(tl_world_set_settings(world, &settings) >= 0);
    tl_record_def record = tl_document_record(document);
    record.compression = compression;
    MUST(tl_recorder_create(path, true, document, world, &record, "note", &recorder) == TL_OK);
    for (int i = 0; i < 8; i++) {
        MUST(tl_world_step(world, 1, &report) >= 0);
        MUST(tl_recorder_step(recorder, world, &report) == TL_OK);
    }
    MUST(tl_recorder_close(recorder, world) == TL_OK);
    tl_world_destroy(world);
    tl_document_destroy(document);
    m->whole = read_file(path, &m->whole_bytes);
    m->point = read_file(checkpoint, &m->point_bytes);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const tl_allocator counting = {take, give_back, NULL};
    tl_set_allocator(&counting);
    snprintf(folder, sizeof folder, "%s/talus-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    MUST(mkdtemp(folder));
    atexit(remove_all);
    snprintf(path, sizeof path, "%s/run.h5", folder);
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", path);
    make_result(TL_COMPRESSION_NONE, &made[0]);
    make_result(TL_COMPRESSION_LOSSLESS, &made[1]);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return 0;
}

/* ---- Changes ---- */

typedef struct input {
    const uint8_t *data;
    size_t left;
} input;

static uint64_t number(input *in, size_t bytes)
{
    uint64_t x = 0;
    for (size_t i = 0; i < bytes && in->left; i++, in->data++, in->left--)
        x |= (uint64_t)*in->data << (8 * i);
    return x;
}

static const char *const tables[] = {
    "frames",          "steps",
    "bodies",          "shapes",
    "removals",        "states/body",
    "states/position", "states/orientation",
    "states/velocity", "states/angular_velocity",
    "contacts/body",   "contacts/shape",
    "contacts/point",  "contacts/normal",
    "contacts/gap",    "contacts/impulse",
    "scene",           "names/body",
    "monitors/names",  "monitors/units",
    "monitors/values",
};

/* Overwrites up to 8 bytes of a row. */
static void change_row(hid_t set, input *in)
{
    unsigned char row[4096];
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    hsize_t extent[2] = {0, 1};
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    const size_t bytes = extent[1] * H5Tget_size(type);
    if (rank >= 1 && extent[0] && bytes <= sizeof row) {
        const hsize_t start[2] = {number(in, 2) % extent[0], 0}, count[2] = {1, extent[1]};
        const size_t at = number(in, 2) % bytes, length = 1 + number(in, 1) % 8;
        const uint64_t value = number(in, length);
        const hid_t memory = H5Screate_simple(rank, count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        memset(row, 0, sizeof row);
        if (H5Dread(set, type, memory, space, H5P_DEFAULT, row) >= 0) {
            memcpy(row + at, &value, length < bytes - at ? length : bytes - at);
            H5Dwrite(set, type, memory, space, H5P_DEFAULT, row);
        }
        H5Sclose(memory);
    }
    H5Sclose(space);
    H5Tclose(type);
}

static void change_extent(hid_t set, input *in)
{
    const hid_t space = H5Dget_space(set);
    hsize_t extent[2] = {0, 1};
    /* Where there are very many rows HDF5 takes very long to make them fewer. */
    if (H5Sget_simple_extent_dims(space, extent, NULL) >= 1 && extent[0] < 1000000) {
        const unsigned kind = (unsigned)number(in, 1) % 3;
        extent[0] = kind == 0   ? number(in, 1)
                    : kind == 1 ? extent[0] + number(in, 2)
                                : number(in, 7);
        H5Dset_extent(set, extent);
    }
    H5Sclose(space);
}

static void change_attribute(hid_t file, input *in)
{
    static const char *const names[] = {
        "closed", "format_version", "record_rate", "record_contacts", "record_duration",
        "id",     "version",        "note"};
    const char *name = names[number(in, 1) % (sizeof names / sizeof *names)];
    char value[64];
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    const hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
    if (type >= 0 && H5Tget_size(type) <= sizeof value) {
        for (size_t i = 0; i < sizeof value; i++)
            value[i] = (char)number(in, 1);
        H5Awrite(attribute, type, value);
    }
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
}

/* Changes made through HDF5; the file stays well formed. */
static void change_inside(input *in)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    MUST(file >= 0);
    for (int i = 0; i < 16 && in->left; i++) {
        const unsigned kind = (unsigned)number(in, 1);
        const char *name = tables[number(in, 1) % (sizeof tables / sizeof *tables)];
        const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
        if (kind % 8 == 7)
            change_attribute(file, in);
        else if (kind % 8 == 6 && set >= 0)
            change_extent(set, in);
        else if (kind == 133)
            H5Ldelete(file, name, H5P_DEFAULT);
        else if (set >= 0)
            change_row(set, in);
        if (set >= 0)
            H5Dclose(set);
    }
    H5Fclose(file);
}

/* Changes of bytes. What HDF5 protects by checksums it refuses; the rest are our numbers, and what
 * HDF5 keeps without: the global heap, which results do not read from. */
static void change_bytes(input *in)
{
    unsigned char *data = malloc(whole_bytes);
    size_t bytes = whole_bytes;
    MUST(data);
    memcpy(data, whole, whole_bytes);
    for (int i = 0; i < 64 && in->left > 4; i++)
        data[number(in, 3) % whole_bytes] ^= (unsigned char)number(in, 1);
    if (in->left > 2 && number(in, 1) % 4 == 0)
        bytes = number(in, 3) % whole_bytes;
    write_file(path, data, bytes);
    free(data);
}

/* ---- Reading ---- */

static void check_frame(tl_result *result, uint64_t index)
{
    tl_result_frame frame;
    const tl_status status = tl_result_read_frame(result, index, &frame);
    MUST(status == TL_OK || status == TL_BAD_DATA || status == TL_NO_MEMORY);
    for (size_t i = 0; i < 3 * frame.state.count; i++)
        MUST(isfinite(frame.state.positions[i]) &&
             (!frame.state.velocities || isfinite(frame.state.velocities[i])));
    for (size_t i = 0; i < frame.contact_count; i++)
        MUST(isfinite(frame.contacts[i].gap) && frame.contacts[i].a.index);
}

static tl_status count_visit(void *user, const tl_body_info *body, size_t shape_count,
                             const tl_shape_info *shapes)
{
    for (size_t i = 0; i < shape_count; i++)
        MUST(shapes[i].body.index == body->body.index);
    ++*(uint64_t *)user;
    return TL_OK;
}

static void read_all(tl_result *result)
{
    const tl_result_info info = tl_result_describe(result);
    MUST(info.frames <= whole_bytes && info.bodies <= whole_bytes && info.steps <= whole_bytes);
    for (uint64_t i = 0; i < info.frames && i < 32; i++)
        check_frame(result, i);
    tl_body_info *bodies = calloc(info.bodies + 1, sizeof *bodies);
    tl_shape_info *shapes = calloc(info.shapes + 1, sizeof *shapes);
    tl_report *reports = calloc(info.steps + 1, sizeof *reports);
    double *times = calloc(info.frames + 1, sizeof *times);
    const uint64_t channels = tl_result_monitor_count(result);
    double *values = calloc(channels * info.steps + 1, sizeof *values);
    MUST(bodies && shapes && reports && times && values);
    tl_result_read_monitors(result, 0, info.steps, values);
    for (uint64_t i = 0; i < channels; i++) {
        tl_monitor_info channel;
        MUST(tl_result_monitor_info(result, i, &channel) == TL_OK && strlen(channel.name) < 64);
    }
    tl_result_read_bodies(result, info.bodies, bodies);
    tl_result_read_shapes(result, info.shapes, shapes);
    uint64_t visits = 0;
    const tl_status visited = tl_result_visit_bodies(result, count_visit, &visits);
    MUST(visited < 0 || visits == info.bodies);
    tl_result_read_reports(result, 0, info.steps, reports);
    MUST(tl_result_read_times(result, info.frames, times) == TL_OK);
    for (uint64_t i = 0; i < info.frames; i++)
        MUST(isfinite(times[i]));
    free(bodies);
    free(shapes);
    free(reports);
    free(times);
    free(values);
    tl_document *document = NULL;
    if (tl_result_document(result, &document) >= 0)
        tl_document_destroy(document);
    tl_result_refresh(result);
}

static void export_all(tl_result *result)
{
    static const char *const names[] = {"states.csv", "run.pvd", "steps.csv", "contacts.csv"};
    char name[160];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        tl_export_def def = tl_export_default();
        def.format = (tl_export_format)i;
        def.last = 3;
        tl_result_export(result, &def, name, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    tl_result *result = NULL;
    const struct made *m = &made[size % 2];
    whole = m->whole, whole_bytes = m->whole_bytes;
    point = m->point, point_bytes = m->point_bytes;
    const unsigned kind = (unsigned)number(&in, 1);
    if (kind % 4 == 3) {
        change_bytes(&in);
    } else {
        write_file(path, whole, whole_bytes);
        change_inside(&in);
    }
    const tl_status status = tl_result_open(path, &result);
    MUST((status == TL_OK) == (result != NULL));
    MUST(status == TL_OK || status == TL_BAD_DATA);
    if (result) {
        read_all(result);
        if (kind & 64)
            export_all(result);
    }
    tl_result_close(result);
    if (kind & 128) {
        tl_recorder *recorder = NULL;
        tl_document *document = NULL;
        tl_world *world = NULL;
        write_file(checkpoint, point, point_bytes);
        if (tl_recorder_resume(path, TL_BACKEND_CPU, 1, &recorder, &document, &world) == TL_OK)
            tl_recorder_close(recorder, world);
        tl_world_destroy(world);
        tl_document_destroy(document);
    }
    MUST(atomic_load(&held) == 0);
    return 0;
}
