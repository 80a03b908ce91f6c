/* Snapshots: a world as bytes, with its description, so that it can go on bit for bit without its
 * scene.
 *
 *   header   magic (which also tells byte order), version, length, checksum of what follows
 *   fixed    settings field by field, counters
 *   arrays   each with its count: which handles are alive, pairs, motions, forces, excluded pairs
 *            of bodies, rods, emitters, events, boundaries, patches, monitors (bytes of
 * monitor_save.c), joints (of joint_save.c), the arrays of the image
 *
 * Loading trusts nothing: lengths are checked against what is there, the checksum against the
 * bytes, and every field against what a world can hold (check.c). What is allocated is a small
 * multiple of the bytes that are there: handles that were ever given have a bit each. */
#include "world/image.h"
#include "world/stream.h"

#include <string.h>

#define MAGIC   0x31504e5353554c54u /* "TLUSSNP1" read as a little-endian number */
#define MAJOR   3u
#define MINOR   10u /* goes up with what a snapshot gets in addition: no other version is read */
#define VERSION ((uint64_t)MINOR << 32 | MAJOR)

static void monitors(tl_stream *s, tl_world *w, uint64_t handles)
{
    tl_array bytes = {.item = 1};
    if (s->status == TL_OK && s->out)
        s->status = tl_monitors_save(w, &bytes);
    tl_stream_array(s, &bytes);
    if (s->status == TL_OK && !s->out)
        s->status = tl_monitors_load(w, bytes.data, bytes.count, handles);
    tl_array_free(&bytes);
}

static void state(tl_stream *s, tl_world *w, tl_image *m, uint64_t *handles, tl_array *alive,
                  tl_array *joints)
{
    tl_stream_bytes(s, &w->steps, sizeof w->steps);
    tl_stream_number(s, &w->time);
    tl_stream_number(s, &w->dissipated);
    tl_stream_number(s, &w->work_done);
    tl_stream_number(s, &w->energy_error);
    tl_stream_number(s, &w->elastic);
    tl_stream_word(s, &w->elastic_known);
    tl_stream_bytes(s, w->pull, sizeof w->pull);
    tl_stream_word(s, &w->unbalanced);
    tl_stream_bytes(s, &w->balance_debt, sizeof w->balance_debt);
    tl_stream_word(s, &w->stopped);
    tl_stream_number(s, &w->hold_debt);
    tl_stream_bytes(s, handles, sizeof *handles);
    tl_stream_array(s, alive);
    tl_stream_description(s, w);
    monitors(s, w, *handles);
    if (s->status == TL_OK && s->out)
        s->status = tl_joints_save(w, joints);
    tl_stream_array(s, joints);
    for (size_t i = 0; i < TL_IMAGE_ARRAYS; i++)
        tl_stream_array(s, tl_image_array(m, i));
}

/* Which shapes are on bodies of excluded pairs follows from the list of those. */
static void forget_excluded(tl_image *m)
{
    uint32_t *info = m->shape_info.data;
    for (size_t i = 0; i < m->shape_info.count; i++)
        info[i] &= ~TLK_SHAPE_EXCLUDES;
}

static uint64_t checksum(const unsigned char *data, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t chunk;
        memcpy(&chunk, data + i, 8);
        hash = (hash ^ chunk) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; i < count; i++)
        hash = (hash ^ data[i]) * 0x100000001b3u;
    return hash ^ count;
}

/* A bit for each handle that was given: 1 while its body is there. */
static tl_status list_alive(const tl_world *w, tl_array *alive)
{
    const uint32_t *row_of = w->row_of.data;
    TL_TRY(tl_array_resize(alive, (w->row_of.count + 63) / 64));
    uint64_t *bits = alive->data;
    for (size_t i = 0; i < alive->count; i++)
        bits[i] = 0;
    for (size_t i = 0; i < w->row_of.count; i++)
        bits[i / 64] |= (uint64_t)(row_of[i] != TLK_NONE) << i % 64;
    return TL_OK;
}

typedef struct header {
    uint64_t magic, version, length, checksum;
} header;

tl_status tl_world_save(const tl_world *world, void **snapshot, size_t *bytes)
{
    REFUSE_NULL(snapshot);
    REFUSE_NULL(bytes);
    *snapshot = NULL;
    *bytes = 0;
    REFUSE_NULL(world);
    tl_array out = {.item = 1}, alive = {.item = sizeof(uint64_t)}, joints = {.item = 1};
    tl_image image;
    header head = {MAGIC, VERSION, 0, 0};
    uint64_t handles = world->row_of.count;
    tl_world copy = *world; /* the walk is the same for both directions; a writer changes nothing */
    tl_image_init(&image);
    tl_stream s = {.out = &out,
                   .status = tl_image_pull(world, &world->contacts[world->current], &image)};
    forget_excluded(&image);
    if (s.status == TL_OK)
        s.status = list_alive(world, &alive);
    tl_stream_bytes(&s, &head, sizeof head);
    tl_stream_settings(&s, &copy.settings);
    state(&s, &copy, &image, &handles, &alive, &joints);
    tl_image_free(&image);
    tl_array_free(&alive);
    tl_array_free(&joints);
    /* exactly as large as it is: what is freed later is (pointer, size) */
    void *data = s.status == TL_OK ? tl_alloc(out.count) : NULL;
    if (data) {
        memcpy(data, out.data, out.count);
        head.length = out.count - sizeof head;
        head.checksum = checksum((const unsigned char *)data + sizeof head, (size_t)head.length);
        memcpy(data, &head, sizeof head);
        *snapshot = data;
        *bytes = out.count;
    }
    tl_array_free(&out);
    return s.status != TL_OK ? s.status : data ? TL_OK : TL_NO_MEMORY;
}

void tl_snapshot_free(void *snapshot, size_t bytes)
{
    tl_free(snapshot, bytes);
}

/* --- loading
 * ------------------------------------------------------------------------------------------ */

static tl_status restore(tl_stream *s, tl_world *w)
{
    tl_image m;
    tl_array alive = {.item = sizeof(uint64_t)}, joints = {.item = 1};
    uint64_t handles = 0;
    tl_image_init(&m);
    state(s, w, &m, &handles, &alive, &joints);
    const uint32_t elastic_known = w->elastic_known; /* rows that come make it forgotten */
    tl_status status = s->status;
    if (status == TL_OK && s->left)
        status = tl_fail(TL_BAD_DATA, "the snapshot has %zu bytes too many", s->left);
    if (status == TL_OK)
        status = tl_image_check(w, &m, handles, &alive);
    if (status == TL_OK)
        status = tl_world_upload_materials(w);
    if (status == TL_OK)
        status = tl_damaged_by_rule(tl_world_check_solver(w, &w->settings));
    if (status == TL_OK)
        status = tl_world_upload_geometries(w);
    if (status == TL_OK)
        status = tl_image_push(w, &m, NULL);
    if (status == TL_OK)
        status = tl_joints_load(w, joints.data, joints.count);
    if (status == TL_OK)
        status = tl_world_upload_exclusions(w);
    if (status == TL_OK) {
        tl_world_apply_settings(w);
        tl_world_plan(w);
        w->elastic_known = elastic_known;
    }
    tl_array_free(&alive);
    tl_array_free(&joints);
    tl_image_free(&m);
    return status;
}

tl_status tl_world_load(const void *snapshot, size_t bytes, tl_world **world)
{
    REFUSE_NULL(world);
    *world = NULL;
    REFUSE_NULL(snapshot);
    return tl_world_load_on(snapshot, bytes, TL_BACKEND_CPU, world);
}

tl_status tl_world_load_on(const void *snapshot, size_t bytes, tl_backend_kind backend,
                           tl_world **world)
{
    REFUSE_NULL(world);
    *world = NULL;
    REFUSE_NULL(snapshot);
    header head = {0};
    tl_stream s = {.in = snapshot, .left = bytes};
    tl_stream_bytes(&s, &head, sizeof head);
    TL_TRY(s.status);
    if (head.magic != MAGIC)
        return tl_fail(TL_BAD_DATA,
                       "this is no snapshot of Talus, or one of a machine with another "
                       "byte order");
    if (head.version != VERSION)
        return tl_fail(
            TL_BAD_DATA,
            "the snapshot has version %u.%u; this is Talus %s, which reads version %u.%u",
            (unsigned)head.version, (unsigned)(head.version >> 32), tl_version(), MAJOR, MINOR);
    if (head.length != s.left)
        return tl_fail(TL_BAD_DATA,
                       "the snapshot should have %llu bytes after its header; it has %zu",
                       (unsigned long long)head.length, s.left);
    if (head.checksum != checksum(s.in, s.left))
        return tl_fail(TL_BAD_DATA, "the snapshot is damaged: its checksum does not match");
    tl_settings read = {0};
    tl_stream_settings(&s, &read);
    TL_TRY(s.status);
    read.backend = TL_BACKEND_CPU;
    TL_TRY(tl_damaged_by_rule(tl_settings_check(&read)));
    read.backend = backend;
    TL_TRY(tl_settings_check(&read));
    tl_world *w;
    TL_TRY(tl_world_new(&read, &w));
    const tl_status status = restore(&s, w);
    if (status != TL_OK) {
        tl_world_free(w);
        return status;
    }
    *world = w;
    return TL_OK;
}
