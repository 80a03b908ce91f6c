/* What the tests of scenes share: comparisons, sound definitions to spoil, and a digest that shows
 * any change of a scene. Looks inside the scene through the library's private header. */
#ifndef TALUS_TESTS_SCENE_FIXTURE_H
#define TALUS_TESTS_SCENE_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "scene/scene.h"

#define assert_ok(call) assert_string_equal(tl_status_name(call), "TL_OK")

/* The numbers must agree to `relative`; cmocka's own float comparison is single precision. */
#define assert_near(value, expected, relative) \
    assert_true(fabs((value) - (expected)) <= (relative)*fabs((double)(expected)))

static inline void assert_refused(tl_status status, tl_status expected, const char *text)
{
    assert_string_equal(tl_last_message(), text);
    assert_string_equal(tl_status_name(status), tl_status_name(expected));
}

static inline tl_scene *new_scene(void)
{
    tl_scene *scene;
    assert_ok(tl_scene_create(&scene));
    return scene;
}

/* A sound definition of one kind with everything it points to. */
typedef struct fixture {
    tl_body_def body;
    tl_shape_def shapes[2];
    double times[3], offsets[9], rotations[9];
} fixture;

typedef enum fixture_kind { BALL, BARE, WALL, SHAKER, DRUM } fixture_kind;

static inline void make_fixture(fixture *f, fixture_kind kind)
{
    double u[3] = {1, 0, 0}, v[3] = {0, 2, 0};
    memset(f, 0, sizeof *f);
    f->body = tl_body_default();
    f->body.shapes = f->shapes;
    f->body.shape_count = kind == BARE ? 0 : kind == WALL ? 2 : 1;
    f->shapes[0] = kind == WALL ? tl_box_default(1, 2, 3) : tl_sphere_default(0.5);
    f->shapes[1] = tl_parallelogram_default(u, v);
    if (kind == BARE) {
        f->body.mass = 2;
        f->body.inertia[0] = f->body.inertia[1] = f->body.inertia[2] = 1;
    } else if (kind == WALL) {
        f->body.kind = TL_FIXED;
    } else if (kind == SHAKER || kind == DRUM) {
        f->body.kind = TL_PRESCRIBED;
        f->body.motion.kind = kind == DRUM ? TL_MOTION_SINE : TL_MOTION_TABLE;
        f->body.motion.frequency = 5;
        f->body.motion.table_length = 3;
        f->body.motion.times = f->times;
        f->body.motion.offsets = f->offsets;
        f->body.motion.angular_table_length = 3;
        f->body.motion.angular_times = f->times;
        f->body.motion.rotations = f->rotations;
    }
    for (int i = 0; i < 9; i++) {
        f->times[i / 3] = 0.25 * (i / 3);
        f->offsets[i] = i;
        f->rotations[i] = i == 5 ? 20 : 0;
    }
}

typedef struct force_fixture {
    tl_force_def def;
    double times[2], values[12];
} force_fixture;

static inline void make_force(force_fixture *f, tl_body body)
{
    f->def = tl_force_default();
    f->def.body = body;
    f->def.table_length = 2;
    f->def.times = f->times;
    f->def.values = f->values;
    for (int i = 0; i < 12; i++) {
        f->times[i / 6] = i / 6;
        f->values[i] = i;
    }
}

/* A number that changes if anything in the scene does, other than the room it has made. */
static inline uint64_t digest_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

static inline uint64_t digest_array(uint64_t hash, const tl_array *array)
{
    hash = digest_bytes(hash, &array->count, sizeof array->count);
    return digest_bytes(hash, array->data, array->count * array->item);
}

static inline uint64_t digest(const tl_scene *scene)
{
    const tl_settings *s = &scene->settings;
    const tl_motion_rec *motions = scene->list.motions.data;
    const tl_force_rec *forces = scene->forces.data;
    uint64_t hash = digest_bytes(14695981039346656037u, s->gravity, sizeof s->gravity);
    hash = digest_bytes(hash, &s->step, sizeof s->step);
    hash = digest_array(hash, &scene->materials);
    hash = digest_array(hash, &scene->pairs);
    hash = digest_array(hash, &scene->list.bodies);
    hash = digest_array(hash, &scene->list.shapes);
    hash = digest_bytes(hash, &scene->list.shape_total, sizeof scene->list.shape_total);
    for (size_t i = 0; i < scene->list.motions.count; i++) {
        const tl_motion_def *def = &motions[i].def;
        hash = digest_bytes(hash, def, offsetof(tl_motion_def, times));
        hash = digest_bytes(hash, motions[i].table, 4 * def->table_length * sizeof(double));
        hash = digest_bytes(hash, motions[i].turns, 4 * def->angular_table_length * sizeof(double));
        hash = digest_array(hash, &motions[i].texts);
    }
    for (size_t i = 0; i < scene->forces.count; i++) {
        hash = digest_bytes(hash, &forces[i], offsetof(tl_force_rec, table));
        hash = digest_bytes(hash, forces[i].table, 7 * forces[i].table_length * sizeof(double));
    }
    return hash;
}

#endif
