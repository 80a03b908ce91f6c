/* Shared by the tests of result files: a small scene in which everything happens that a result has
 * to follow (bodies poured in, removed, prescribed, of several spheres), runs of it, and the
 * comparison of two results. */
#ifndef TALUS_TESTS_RESULT_SCENE_H
#define TALUS_TESTS_RESULT_SCENE_H

#include "support.h"
#include "talus/io.h"

#include "io/folder.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A box with a gate that vanishes at 0.2 s, a paddle that turns, a shaken plate, two dumbbells, a
 * heap of spheres and more of them poured in; what falls below -1 m is removed. 0.5 s are 100
 * steps. */
static const char scene_text[] =
    "{\"version\": 1, \"title\": \"small\", \"step\": 0.005, \"duration\": 0.5,\n"
    " \"record\": {\"rate\": 50, \"contacts\": true},\n"
    " \"materials\": {\"stone, \\\"grey\\\"\": {\"friction\": 0.4}},\n"
    " \"bodies\": [\n"
    "  {\"name\": \"floor\", \"kind\": \"fixed\", \"position\": [0.6, 0, -0.1],\n"
    "   \"shapes\": [{\"kind\": \"box\", \"half_extents\": [0.4, 1, 0.1]},\n"
    "                {\"kind\": \"sphere\", \"radius\": 0.1, \"position\": [0, 0.5, 0.1]}]},\n"
    "  {\"name\": \"gate\", \"kind\": \"fixed\", \"position\": [-0.4, 0, -0.1],\n"
    "   \"shapes\": [{\"kind\": \"box\", \"half_extents\": [0.6, 1, 0.1]}]},\n"
    "  {\"name\": \"ground\", \"kind\": \"fixed\", \"position\": [0, 0, -3],\n"
    "   \"shapes\": [{\"kind\": \"plane\"}]},\n"
    "  {\"name\": \"paddle, \\\"left\\\"\", \"kind\": \"prescribed\", \"position\": [0, 0, 0.1],\n"
    "   \"shapes\": [{\"kind\": \"box\", \"half_extents\": [0.5, 0.03, 0.05]}],\n"
    "   \"motion\": {\"kind\": \"velocity\", \"angular_velocity\": [0, 0, 2]}},\n"
    "  {\"name\": \"plate\", \"kind\": \"prescribed\", \"position\": [1, -0.5, 0],\n"
    "   \"shapes\": [{\"kind\": \"parallelogram\", \"edge_u\": [0.3, 0, 0.1], \"edge_v\": [0, 1, "
    "0]},\n"
    "                {\"kind\": \"sphere\", \"radius\": 0.05}],\n"
    "   \"motion\": {\"kind\": \"sine\", \"amplitude\": [0.05, 0, 0], \"frequency\": 4}},\n"
    "  {\"name\": \"dumbbell\", \"position\": [0.3, 0.6, 0.5], \"angular_velocity\": [1, 2, 3],\n"
    "   \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.06, \"position\": [0.07, 0, 0]},\n"
    "                {\"kind\": \"sphere\", \"radius\": 0.06, \"position\": [-0.07, 0, 0]}]}],\n"
    " \"fills\": [{\"name\": \"heap\", \"region\": {\"kind\": \"box\", \"low\": [-0.5, -0.4, "
    "0.2],\n"
    "   \"high\": [0.5, 0.4, 0.6]}, \"radius\": 0.05, \"gap\": 0.02, \"count\": 60,\n"
    "   \"material\": \"stone, \\\"grey\\\"\"}],\n"
    " \"emitters\": [{\"region\": {\"kind\": \"box\", \"low\": [-0.4, -0.4, 0.9],\n"
    "   \"high\": [0.4, 0.4, 1.2]}, \"radius\": 0.05, \"rate\": 200, \"interval\": 0.03}],\n"
    " \"events\": [{\"time\": 0.2, \"remove\": [\"gate\"]}],\n"
    " \"boundaries\": [{\"keep\": {\"kind\": \"box\", \"low\": [null, null, -0.4],\n"
    "   \"high\": [null, null, null]}, \"interval\": 0.05}],\n"
    " \"monitors\": {\"gate\": {\"kind\": \"force\", \"on\": \"gate\"},\n"
    "   \"paddle\": {\"kind\": \"torque\", \"on\": \"paddle, \\\"left\\\"\"},\n"
    "   \"flow\": {\"kind\": \"mass_flow\",\n"
    "     \"plane\": {\"point\": [0, 0, -0.2], \"normal\": [0, 0, -1]}},\n"
    "   \"energy\": {\"kind\": \"energy\"},\n"
    "   \"mean\": {\"kind\": \"mean\", \"of\": \"gate.z\", \"window\": 0.05},\n"
    "   \"kg\": {\"kind\": \"expression\", \"expression\": \"=gate.magnitude / 9.81\",\n"
    "     \"unit\": \"kg, of 9.81 N\"}}}\n";

static inline tl_document *scene_document(void)
{
    tl_document *document = NULL;
    assert_ok(tl_document_parse("small.json", scene_text, strlen(scene_text), 0, NULL, &document));
    return document;
}

static inline tl_world *scene_world(const tl_document *document)
{
    tl_world *world = NULL;
    const tl_status status = tl_world_create(tl_document_scene(document), &world);
    if (status != TL_OVERLAPPING)
        assert_ok(status);
    tl_settings settings = tl_world_settings(world);
    settings.threads = 1;
    assert_ok(tl_world_set_settings(world, &settings));
    return world;
}

/* ---- Runs ---- */

/* Steps until the world has done `steps` in all; the report's count tells how many it has done. */
static inline void record_steps(tl_recorder *recorder, tl_world *world, uint64_t steps)
{
    tl_report report;
    do {
        assert_ok(tl_world_step(world, 1, &report));
        assert_ok(tl_recorder_step(recorder, world, &report));
    } while (report.steps < steps);
}

/* Records a whole run of `steps` steps and gives the world's hash at its end. */
static inline uint64_t record_run(const char *path, const tl_record_def *record, uint64_t steps)
{
    tl_document *document = scene_document();
    tl_world *world = scene_world(document);
    tl_recorder *recorder = NULL;
    assert_ok(tl_recorder_create(path, false, document, world, record, "a note", &recorder));
    record_steps(recorder, world, steps);
    assert_ok(tl_recorder_close(recorder, world));
    const uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    tl_document_destroy(document);
    return hash;
}

/* Goes on with a result to `steps` steps in all. */
static inline uint64_t resume_run(const char *path, uint64_t steps)
{
    tl_document *document = NULL;
    tl_world *world = NULL;
    tl_recorder *recorder = NULL;
    assert_ok(tl_recorder_resume(path, TL_BACKEND_CPU, 1, &recorder, &document, &world));
    record_steps(recorder, world, steps);
    assert_ok(tl_recorder_close(recorder, world));
    const uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    tl_document_destroy(document);
    return hash;
}

/* ---- Comparing results ---- */

static inline void assert_same_state(const tl_frame_view *a, const tl_frame_view *b)
{
    assert_int_equal(a->steps, b->steps);
    assert_memory_equal(&a->time, &b->time, sizeof a->time);
    assert_int_equal(a->count, b->count);
    if (!a->count)
        return;
    assert_memory_equal(a->bodies, b->bodies, a->count * sizeof *a->bodies);
    assert_memory_equal(a->positions, b->positions, 3 * a->count * sizeof *a->positions);
    assert_memory_equal(a->orientations, b->orientations, 4 * a->count * sizeof *a->orientations);
    assert_memory_equal(a->velocities, b->velocities, 3 * a->count * sizeof *a->velocities);
    assert_memory_equal(a->angular_velocities, b->angular_velocities,
                        3 * a->count * sizeof *a->angular_velocities);
}

static inline void assert_same_body(const tl_body_info *a, const tl_body_info *b)
{
    assert_int_equal(a->body.index, b->body.index);
    assert_int_equal(a->kind, b->kind);
    assert_memory_equal(&a->mass, &b->mass, sizeof a->mass);
    assert_memory_equal(a->position, b->position, sizeof a->position);
    assert_memory_equal(a->orientation, b->orientation, sizeof a->orientation);
    assert_memory_equal(&a->added, &b->added, sizeof a->added);
}

static inline void assert_same_shape(const tl_shape_info *a, const tl_shape_info *b)
{
    assert_int_equal(a->body.index, b->body.index);
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->def.kind, b->def.kind);
    assert_int_equal(a->def.material.index, b->def.material.index);
    assert_memory_equal(a->def.position, b->def.position, sizeof a->def.position);
    assert_memory_equal(a->def.orientation, b->def.orientation, sizeof a->def.orientation);
    assert_memory_equal(&a->def.radius, &b->def.radius, sizeof a->def.radius);
    assert_memory_equal(a->def.half_extents, b->def.half_extents, sizeof a->def.half_extents);
    assert_memory_equal(a->def.edge_u, b->def.edge_u, sizeof a->def.edge_u);
    assert_memory_equal(a->def.edge_v, b->def.edge_v, sizeof a->def.edge_v);
    assert_int_equal(a->def.group, b->def.group);
    assert_int_equal(a->def.mask, b->def.mask);
    assert_int_equal(a->def.sensor, b->def.sensor);
}

/* All but wall-clock times and memory, which differ from run to run. */
static inline void assert_same_report(tl_report a, tl_report b)
{
    a.total_ms = b.total_ms = 0;
    a.bytes = b.bytes = a.peak_bytes = b.peak_bytes = 0;
    memset(&a.ms, 0, sizeof a.ms);
    memset(&b.ms, 0, sizeof b.ms);
#define SAME(member) assert_memory_equal(&a.member, &b.member, sizeof a.member)
    SAME(steps), SAME(time), SAME(bodies), SAME(emitted), SAME(waiting), SAME(removed);
    SAME(contacts), SAME(active_contacts), SAME(colours), SAME(iterations);
    SAME(position_iterations), SAME(residual), SAME(max_residual), SAME(max_penetration);
    SAME(mean_penetration), SAME(kinetic_energy), SAME(potential_energy), SAME(dissipated_energy);
    SAME(joint_error), SAME(joint_residual), SAME(motor_energy), SAME(spring_energy);
    SAME(substeps), SAME(substep_ratio), SAME(elastic_energy), SAME(energy_error);
#undef SAME
}

static inline void *read_bodies(tl_result *result, uint64_t count)
{
    tl_body_info *bodies = calloc(count + 1, sizeof *bodies);
    assert_non_null(bodies);
    assert_ok(tl_result_read_bodies(result, count, bodies));
    return bodies;
}

static inline void *read_shapes(tl_result *result, uint64_t count)
{
    tl_shape_info *shapes = calloc(count + 1, sizeof *shapes);
    assert_non_null(shapes);
    assert_ok(tl_result_read_shapes(result, count, shapes));
    return shapes;
}

/* The same channels with the same values in `steps` steps, which the reports' energies belong to.
 */
static inline void assert_same_monitors(tl_result *a, tl_result *b, uint64_t steps)
{
    const uint64_t channels = tl_result_monitor_count(a);
    assert_int_equal(channels, tl_result_monitor_count(b));
    for (uint64_t i = 0; i < channels; i++) {
        tl_monitor_info x, y;
        assert_ok(tl_result_monitor_info(a, i, &x));
        assert_ok(tl_result_monitor_info(b, i, &y));
        assert_memory_equal(&x, &y, sizeof x);
    }
    double *x = calloc(channels + 1, sizeof *x), *y = calloc(channels + 1, sizeof *y);
    for (uint64_t i = 0; i < steps && channels; i++) {
        tl_report report;
        assert_ok(tl_result_read_monitors(a, i, 1, x));
        assert_ok(tl_result_read_monitors(b, i, 1, y));
        assert_memory_equal(x, y, channels * sizeof *x);
        assert_ok(tl_result_read_reports(a, i, 1, &report));
        if (channels == 16)
            assert_near(x[11], report.kinetic_energy, 0); /* energy.kinetic of result_scene */
    }
    free(x);
    free(y);
}

/* Where visits to bodies are, among those that were read at once. */
typedef struct visited {
    const tl_body_info *body;
    const tl_shape_info *shape;
    uint64_t bodies, shapes;
} visited;

static inline tl_status visit_body(void *user, const tl_body_info *body, size_t count,
                                   const tl_shape_info *shapes)
{
    visited *v = user;
    assert_same_body(body, &v->body[v->bodies]);
    assert_true(body->removed == v->body[v->bodies++].removed);
    for (size_t i = 0; i < count; i++)
        assert_same_shape(&shapes[i], &v->shape[v->shapes++]);
    return TL_OK;
}

/* Whether `part` holds the beginning of what `whole` holds: each frame, body, shape and report, bit
 * for bit. */
static inline void assert_begins(tl_result *part, tl_result *whole)
{
    const tl_result_info p = tl_result_describe(part), w = tl_result_describe(whole);
    assert_true(p.frames <= w.frames && p.steps <= w.steps && p.bodies <= w.bodies);
    for (uint64_t i = 0; i < p.frames; i++) {
        tl_result_frame a, b;
        assert_ok(tl_result_read_frame(part, i, &a));
        assert_ok(tl_result_read_frame(whole, i, &b));
        assert_same_state(&a.state, &b.state);
        tl_result_drop_frame(part);
        assert_ok(tl_result_read_states(part, i, &a.state));
        assert_same_state(&a.state, &b.state);
        assert_ok(tl_result_read_frame(part, i, &a));
        assert_int_equal(a.contact_count, b.contact_count);
        if (a.contact_count)
            assert_memory_equal(a.contacts, b.contacts, a.contact_count * sizeof *a.contacts);
    }
    tl_body_info *ab = read_bodies(part, p.bodies), *bb = read_bodies(whole, w.bodies);
    for (uint64_t i = 0; i < p.bodies; i++) {
        assert_same_body(&ab[i], &bb[i]);
        assert_true(ab[i].removed == bb[i].removed ||
                    (isinf(ab[i].removed) && bb[i].removed > p.last_time));
    }
    tl_shape_info *as = read_shapes(part, p.shapes), *bs = read_shapes(whole, w.shapes);
    for (uint64_t i = 0; i < p.shapes; i++)
        assert_same_shape(&as[i], &bs[i]);
    visited seen = {.body = ab, .shape = as};
    assert_ok(tl_result_visit_bodies(part, visit_body, &seen));
    assert_int_equal(seen.bodies, p.bodies);
    assert_int_equal(seen.shapes, p.shapes);
    for (uint64_t i = 0; i < p.steps; i++) {
        tl_report a, b;
        assert_ok(tl_result_read_reports(part, i, 1, &a));
        assert_ok(tl_result_read_reports(whole, i, 1, &b));
        assert_same_report(a, b);
    }
    assert_same_monitors(part, whole, p.steps);
    free(ab);
    free(bb);
    free(as);
    free(bs);
}

static inline void assert_same_result(const char *path, const char *other)
{
    tl_result *a = NULL, *b = NULL;
    assert_ok(tl_result_open(path, &a));
    assert_ok(tl_result_open(other, &b));
    const tl_result_info x = tl_result_describe(a), y = tl_result_describe(b);
    assert_true(x.closed && y.closed);
    assert_int_equal(x.frames, y.frames);
    assert_int_equal(x.steps, y.steps);
    assert_int_equal(x.bodies, y.bodies);
    assert_int_equal(x.shapes, y.shapes);
    assert_int_equal(x.contacts, y.contacts);
    assert_begins(a, b);
    tl_result_close(a);
    tl_result_close(b);
}

#endif
