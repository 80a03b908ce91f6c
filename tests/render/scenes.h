/* Small stages for the tests of light: bodies, materials and lights set by hand, without a result.
 */
#ifndef TALUS_TESTS_RENDER_SCENES_H
#define TALUS_TESTS_RENDER_SCENES_H

#include "render/picture.h"
#include "support.h"

enum { MOST = 64 };

typedef struct set {
    tlr_stage *stage;
    tlr_lights lights;
    tlr_body bodies[MOST];
    tlr_item items[MOST];
    tlr_material materials[MOST];
    tlr_moment moment;
    tlr_tracer tracer;
} set;

/* An empty stage under a uniform sky of radiance 1 (z is up), with a camera of `size` pixels. */
__attribute__((unused)) static void start_set(set *s, int size)
{
    *s = (set){.moment = {.bodies = s->bodies, .items = s->items, .materials = s->materials}};
    s->moment.lights = &s->lights;
    s->lights.sky = (tlr_sky){
        .color = {1, 1, 1}, .strength = 1, .up = {0, 0, 1}, .east = {1, 0, 0}, .north = {0, 1, 0}};
    assert_ok(tlr_stage_create(1, true, &s->stage));
    s->tracer = (tlr_tracer){.stage = s->stage, .ground = UINT32_MAX};
    s->tracer.camera = (tlr_camera){.width = size, .height = size, .half_height = 0.2f};
}

__attribute__((unused)) static void end_set(set *s)
{
    tlr_stage_destroy(s->stage);
}

/* Adds a body with one shape of a material and gives it. */
__attribute__((unused)) static tlr_body *add_shape(set *s, uint32_t mesh, float radius, vec place,
                                                   tlr_material material)
{
    const uint32_t i = (uint32_t)s->moment.item_count++;
    assert_true(i < MOST);
    s->moment.body_count = s->moment.material_count = i + 1;
    s->bodies[i] = (tlr_body){.place = place, .turned = {1, 0, 0, 0}, .number = i + 1, .there = 1};
    s->materials[i] = material;
    s->materials[i].own_color = true;
    s->items[i] = (tlr_item){
        .body = i, .mesh = mesh, .pose = TLR_PLAIN, .material = (uint16_t)i, .radius = radius};
    return &s->bodies[i];
}

/* A square of half a side `half` in the plane z = 0, normal up. */
__attribute__((unused)) static uint32_t add_square(set *s, double half)
{
    const double vertices[] = {-half, -half, 0, half, -half, 0, half, half, 0, -half, half, 0};
    const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    uint32_t mesh;
    assert_ok(tlr_stage_add_mesh(s->stage, 4, vertices, NULL, 2, triangles, &mesh));
    return mesh;
}

__attribute__((unused)) static void look_from(set *s, vec eye, vec target)
{
    s->tracer.camera.eye = eye;
    tlr_camera_aim(&s->tracer.camera, target, v3(0, 0.01f, 1));
}

/* Renders all pixels and gives the mean radiance of the first colour. */
__attribute__((unused)) static double draw_set(set *s, uint32_t samples, float *rgb)
{
    const size_t pixels = (size_t)s->tracer.camera.width * (size_t)s->tracer.camera.height;
    float *out = rgb ? rgb : malloc(3 * pixels * sizeof(float));
    const tlr_picture_def def = {.threads = 1, .samples = samples};
    double sum = 0;
    assert_non_null(out);
    tlr_lights_prepare(&s->lights, v3(0, 0, 0));
    assert_ok(tlr_stage_set(s->stage, &s->moment));
    assert_ok(tlr_picture_render(&s->tracer, &def, out, NULL));
    for (size_t i = 0; i < pixels; i++)
        sum += out[3 * i];
    if (!rgb)
        free(out);
    return sum / (double)pixels;
}

__attribute__((unused)) static tlr_material matte(float albedo)
{
    return (tlr_material){.kind = TLR_DIFFUSE, .color = {albedo, albedo, albedo}};
}

#endif
