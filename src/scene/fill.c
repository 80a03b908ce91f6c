/* Fills: many spheres, or copies of templates (template.c), placed in a region at once, as bodies
 * of a scene. Grids and random places are made here, close packings in fill_close.c. Called through
 * talus/fill.h. */
#include "scene/fill.h"

#include <math.h>
#include <string.h>

enum {
    TRIES = 10000, /* random places for one sphere before the region counts as full */
    NEARBY = 100,  /* of which so many are close together */
    CHUNK = 128,   /* bodies that are added at a time */
};

tl_fill_def tl_fill_default(void)
{
    return (tl_fill_def){
        .pattern = TL_FILL_GRID, .seed = 1, .density = 1000, .group = 1, .mask = UINT32_MAX};
}

/* --- what a fill must obey ------------------------------------------------------------------- */

static tl_status check_not_negative(const tl_place *place, const char *field, double value)
{
    if (value >= 0 && isfinite(value))
        return TL_OK;
    return tl_refuse(place, field, 1, &value, "it must be finite and >= 0");
}

static const tl_error fill_count = {.subject = "fill", .index = TL_NO_INDEX, .field = "count"};

static tl_status check_fill(const tl_scene *scene, const tl_fill_def *def)
{
    const tl_place place = tl_place_of("fill");
    const size_t left = TL_MOST_ITEMS - scene->list.bodies.count;
    TL_TRY(tl_check_enum(&place, "pattern", def->pattern, TL_WORDS_PATTERN));
    TL_TRY(tl_region_check_spheres(&place, &def->region, &def->size, def->density));
    TL_TRY(check_not_negative(&place, "mass", def->mass));
    TL_TRY(check_not_negative(&place, "gap", def->gap));
    TL_TRY(check_not_negative(&place, "jitter", def->jitter));
    if (def->jitter > 0 && def->pattern > TL_FILL_HEX)
        return tl_refuse(&place, "jitter", 1, &def->jitter,
                         "it must be 0 with TL_FILL_RANDOM and TL_FILL_CLOSE");
    TL_TRY(tl_check_finite(&place, "velocity", 3, def->velocity));
    TL_TRY(tl_check_material(&place, "material", scene->materials.count, def->material));
    if (def->count > left)
        return tl_fail_about(TL_TOO_LARGE, &fill_count,
                             " is %llu; there is room for %zu more bodies in a scene",
                             (unsigned long long)def->count, left);
    return TL_OK;
}

/* Refuses to start on what could never end: more spheres than a scene can have. */
static tl_status check_volume(const tl_scene *scene, const tl_fill_job *job)
{
    const double edge = 2 * tl_size_largest(&job->def->size) + job->def->gap + job->def->jitter;
    const double about = 0.3 * tl_room_volume(&job->space.room) / (edge * edge * edge);
    const size_t left = TL_MOST_ITEMS - scene->list.bodies.count;
    if (job->def->count || about < (double)left)
        return TL_OK;
    return tl_fail_about(TL_TOO_LARGE, &fill_count,
                         " is 0 and over %.0f spheres fit; there is room for %zu more bodies in a "
                         "scene",
                         about, left);
}

/* --- patterns -------------------------------------------------------------------------------- */

static tl_status keep(tl_fill_job *job, const double x[3], double radius)
{
    const double sphere[4] = {x[0], x[1], x[2], radius};
    if (job->templates.records.count)
        TL_TRY(tl_array_append(&job->choices, &job->choice, 1));
    return tl_array_append(&job->spheres, sphere, 1);
}

tl_status tl_fill_place(tl_fill_job *job, const double x[3], double radius)
{
    TL_TRY(keep(job, x, radius));
    return tl_space_add(&job->space, x, radius + job->def->gap);
}

/* The radius of the next sphere, or of the ball around the next copy of a template. */
static double draw_radius(tl_fill_job *job)
{
    if (job->templates.records.count)
        return tl_templates_draw(&job->templates, &job->random, &job->choice);
    return tl_size_draw(&job->def->size, &job->random);
}

/* A grid in the frame of the region: the world's axes, or a cylinder's own. */
typedef struct lattice {
    double origin[3], pitch[3]; /* m, of the first site and between sites of rows */
    uint64_t count[3];          /* sites on each axis */
    double axes[3][3];
    double margin; /* of the first site from the bounds */
} lattice;

/* Sites start at a box's lower corner and are centred in the other regions, whose corners are
 * empty. */
static lattice make_lattice(const tl_fill_job *job)
{
    const tl_fill_def *def = job->def;
    const tl_room *room = &job->space.room;
    const double largest = tl_size_largest(&def->size);
    const double edge = 2 * largest + def->gap + 2 * def->jitter;
    const bool hex = def->pattern == TL_FILL_HEX, box = room->region.kind == TL_REGION_BOX;
    lattice l = {.pitch = {edge, hex ? edge * sqrt(0.75) : edge, hex ? edge * sqrt(2. / 3) : edge},
                 .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                 .margin = largest + def->jitter};
    double length[3], middle[3];
    for (int k = 0; k < 3; k++) {
        length[k] = room->high[k] - room->low[k];
        middle[k] = box ? 0.5 * (room->low[k] + room->high[k]) : room->region.centre[k];
    }
    if (room->region.kind == TL_REGION_CYLINDER) {
        for (int k = 0; k < 3; k++) {
            l.axes[0][k] = room->u[k];
            l.axes[1][k] = room->v[k];
            l.axes[2][k] = room->axis[k];
            middle[k] += 0.5 * room->region.axis[k];
        }
        length[0] = length[1] = 2 * room->region.radius;
        length[2] = room->length;
    }
    memcpy(l.origin, middle, sizeof middle);
    for (int k = 0; k < 3; k++) {
        const double inside = length[k] - 2 * l.margin;
        const double count = fmax(0, floor(inside / l.pitch[k] + 1e-9) + 1); /* below 1e10 */
        l.count[k] = (uint64_t)count;
        const double back = box ? 0.5 * length[k] - l.margin : 0.5 * (count - 1) * l.pitch[k];
        for (int c = 0; c < 3; c++)
            l.origin[c] -= back * l.axes[k][c];
    }
    return l;
}

/* A random move within a ball: as far as that in every direction, not only along the axes, or
 * neighbours of a hexagonal pattern could touch. */
static void draw_move(tl_fill_job *job, double move[3])
{
    const double jitter = job->def->jitter;
    do {
        for (int k = 0; k < 3; k++)
            move[k] = tl_random_between(&job->random, -jitter, jitter);
    } while (move[0] * move[0] + move[1] * move[1] + move[2] * move[2] > jitter * jitter);
}

/* One site: a sphere of random size, moved a little, if nothing is in the way. */
static tl_status fill_site(tl_fill_job *job, const lattice *l, const double site[3])
{
    const double radius = draw_radius(job);
    double x[3], move[3] = {0, 0, 0};
    if (job->def->jitter > 0)
        draw_move(job, move);
    for (int c = 0; c < 3; c++) {
        x[c] = l->origin[c] + move[c];
        for (int k = 0; k < 3; k++)
            x[c] += site[k] * l->pitch[k] * l->axes[k][c];
    }
    return tl_space_fits(&job->space, x, radius) ? keep(job, x, radius) : TL_OK;
}

/* Sites never touch each other, so only what was there before can be in the way. */
static tl_status fill_lattice(tl_fill_job *job)
{
    const lattice l = make_lattice(job);
    const bool hex = job->def->pattern == TL_FILL_HEX;
    for (uint64_t k = 0; k < l.count[2]; k++)
        for (uint64_t j = 0; j < l.count[1]; j++)
            for (uint64_t i = 0; i < l.count[0]; i++) {
                double site[3] = {(double)i, (double)j, (double)k};
                if (job->spheres.count == job->want)
                    return TL_OK;
                if (hex) { /* every second row and layer is moved into the dents of the last */
                    site[0] += 0.5 * (double)((j + k) % 2);
                    site[1] += (double)(k % 2) / 3;
                }
                TL_TRY(fill_site(job, &l, site));
            }
    return TL_OK;
}

/* A random place for a sphere; false where there is none. Where the first place is taken, places
 * around it are tried before the next one far away: their memory is at hand. */
static bool find_place(tl_fill_job *job, double radius, double x[3])
{
    const double reach = 4 * tl_size_largest(&job->def->size);
    double about[3] = {0, 0, 0};
    for (int tries = 0; tries < TRIES; tries++) {
        if (tries % NEARBY == 0) {
            tl_room_sample(&job->space.room, radius, &job->random, about);
            memcpy(x, about, sizeof about);
        } else {
            for (int k = 0; k < 3; k++)
                x[k] = about[k] + tl_random_between(&job->random, -reach, reach);
        }
        if (tl_space_fits(&job->space, x, radius))
            return true;
    }
    return false;
}

/* Sizes come in the order they are drawn, so that small ones are not favoured: the region is full
 * when the next sphere finds no place. */
static tl_status fill_random(tl_fill_job *job)
{
    double x[3];
    while (job->spheres.count < job->want) {
        const double radius = draw_radius(job);
        if (!find_place(job, radius, x))
            break;
        TL_TRY(tl_fill_place(job, x, radius));
    }
    return TL_OK;
}

/* --- from spheres to bodies ------------------------------------------------------------------ */

/* What the scene has already is in the way: spheres of moving bodies with the gap. */
static tl_status add_obstacles(const tl_scene *scene, tl_fill_job *job)
{
    const tl_body_rec *bodies = scene->list.bodies.data;
    const tl_shape_rec *shapes = scene->list.shapes.data;
    for (size_t i = 0; i < scene->list.bodies.count; i++) {
        const tl_body_rec *b = &bodies[i];
        const double gap = b->kind == TL_DYNAMIC ? job->def->gap : 0;
        for (uint32_t s = 0; s < b->shape_count; s++)
            if (!shapes[b->first_shape + s].sensor)
                TL_TRY(tl_space_add_shape(&job->space, b->position, b->orientation,
                                          &shapes[b->first_shape + s], gap));
    }
    return TL_OK;
}

/* Bodies of `count` spheres, from number `at` on. */
static tl_status add_chunk(tl_scene *scene, tl_fill_job *job, size_t at, size_t count)
{
    const tl_fill_def *def = job->def;
    const double *spheres = (const double *)job->spheres.data + 4 * at;
    const bool copies = job->templates.records.count > 0;
    const uint32_t *choices = copies ? (const uint32_t *)job->choices.data + at : NULL;
    tl_body_def bodies[CHUNK];
    tl_shape_def shapes[CHUNK];
    if (copies)
        TL_TRY(tl_templates_reserve(&job->templates, count, choices, &job->copies));
    for (size_t i = 0; i < count; i++) {
        bodies[i] = tl_body_default();
        bodies[i].density = def->density;
        bodies[i].mass = def->mass;
        memcpy(bodies[i].velocity, def->velocity, sizeof bodies[i].velocity);
        if (copies) {
            tl_templates_copy(&job->templates, def->seed, at + i, choices[i], spheres + 4 * i,
                              &job->copies, &bodies[i]);
            continue;
        }
        shapes[i] = tl_sphere_default(spheres[4 * i + 3]);
        shapes[i].material = def->material;
        shapes[i].group = def->group;
        shapes[i].mask = def->mask;
        bodies[i].shape_count = 1;
        bodies[i].shapes = &shapes[i];
        memcpy(bodies[i].position, spheres + 4 * i, sizeof bodies[i].position);
    }
    return tl_body_list_add(&scene->list, count, bodies, (uint32_t)scene->materials.count - 1);
}

static tl_status add_all(tl_scene *scene, tl_fill_job *job)
{
    tl_body_list *list = &scene->list;
    const size_t bodies = list->bodies.count, shapes = list->shapes.count;
    const size_t total = list->shape_total;
    for (size_t at = 0; at < job->spheres.count; at += CHUNK) {
        const size_t left = job->spheres.count - at;
        const tl_status status = add_chunk(scene, job, at, left < CHUNK ? left : CHUNK);
        if (status < 0) { /* these bodies own nothing: forgetting them is enough */
            list->bodies.count = bodies;
            list->shapes.count = shapes;
            list->shape_total = total;
            return status;
        }
    }
    return TL_OK;
}

static tl_status run(tl_scene *scene, tl_fill_job *job)
{
    const tl_fill_def *def = job->def;
    TL_TRY(check_volume(scene, job));
    TL_TRY(add_obstacles(scene, job));
    switch (def->pattern) {
    case TL_FILL_GRID:
    case TL_FILL_HEX: TL_TRY(fill_lattice(job)); break;
    case TL_FILL_RANDOM: TL_TRY(fill_random(job)); break;
    case TL_FILL_CLOSE: TL_TRY(tl_fill_close(job)); break;
    }
    if (def->count && job->spheres.count < def->count)
        return tl_fail_about(TL_BAD_ARGUMENT, &fill_count, " is %llu; only %zu %s fit",
                             (unsigned long long)def->count, job->spheres.count,
                             job->templates.records.count ? "bodies" : "spheres");
    return add_all(scene, job);
}

/* Along gravity; without any, along -z. */
static void set_down(tl_fill_job *job, const double gravity[3])
{
    const double largest = fmax(fabs(gravity[0]), fmax(fabs(gravity[1]), fabs(gravity[2])));
    double g[3] = {0, 0, -1};
    for (int k = 0; k < 3 && largest > 0; k++)
        g[k] = gravity[k] / largest;
    const double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int k = 0; k < 3; k++)
        job->down[k] = g[k] / length;
}

/* A fill whose sizes are radii: of spheres, or of the balls around copies of its templates. */
static tl_status fill(tl_scene *scene, tl_fill_job *job)
{
    const tl_fill_def *def = job->def;
    TL_TRY(check_fill(scene, def));
    const double largest = tl_size_largest(&def->size);
    const tl_room room = tl_room_of(&def->region, largest);
    job->random = tl_random_start(def->seed, 0, 0);
    job->want = def->count ? (size_t)def->count : TL_MOST_ITEMS - scene->list.bodies.count;
    tl_space_init(&job->space, &room, largest + def->gap);
    job->space.geometries = &scene->geometries;
    set_down(job, scene->settings.gravity);
    const tl_status status = run(scene, job);
    tl_space_free(&job->space);
    return status;
}

static tl_status take_templates(tl_scene *scene, tl_fill_def *def, tl_templates *out)
{
    const tl_place place = tl_place_of("fill");
    if (def->pattern == TL_FILL_CLOSE && def->template_count > 1) {
        const double count = (double)def->template_count;
        return tl_refuse(&place, "template_count", 1, &count,
                         "it must be at most 1 with TL_FILL_CLOSE");
    }
    for (size_t i = 0;
         def->templates && i < def->template_count && def->template_count <= TL_MOST_ITEMS; i++)
        TL_TRY(tl_scene_split_shapes(scene, "fill.templates", i, def->templates[i].shape_count,
                                     def->templates[i].shapes));
    TL_TRY(tl_templates_make(&(tl_template_user){"fill", "fill.templates", def->size, def->density,
                                                 def->material, def->template_count, def->templates,
                                                 scene->materials.count, &scene->geometries},
                             out));
    def->size = out->size;
    return TL_OK;
}

tl_status tl_scene_fill(tl_scene *scene, const tl_fill_def *def, uint64_t *added, tl_body *first)
{
    if (added)
        *added = 0;
    if (first)
        *first = (tl_body){0, 0};
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    const size_t before = scene->list.bodies.count;
    tl_fill_def own = *def;
    tl_fill_job job = {.def = &own,
                       .spheres = {.item = 4 * sizeof(double)},
                       .copies = {.item = sizeof(tl_shape_def)},
                       .choices = {.item = sizeof(uint32_t)}};
    tl_status status = take_templates(scene, &own, &job.templates);
    if (status == TL_OK)
        status = fill(scene, &job);
    if (status == TL_OK && added)
        *added = job.spheres.count;
    if (status == TL_OK && first && job.spheres.count)
        *first = (tl_body){(uint32_t)before + 1, 1};
    tl_array_free(&job.spheres);
    tl_array_free(&job.copies);
    tl_array_free(&job.choices);
    tl_templates_free(&job.templates);
    return status;
}
