/* `talus query`: where rays end and what a ball overlaps, in a scene as it starts or in a frame of
 * a result. */
#include "facts.h"
#include "files.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What is asked about. */
typedef struct subject {
    tl_document *document; /* for names */
    tl_result *result;     /* NULL: of a scene */
    tl_world *world;
    uint64_t frame;
    double time; /* s */
} subject;

static void close_subject(subject *s)
{
    tl_world_destroy(s->world);
    tl_document_destroy(s->document);
    tl_result_close(s->result);
}

static int open_scene(const options *given, subject *s)
{
    if (given->frame >= 0) {
        complain("query: --frame is for results; %s is a scene", given->file);
        return EXIT_USAGE;
    }
    tl_status status = tl_document_read(given->file, given->set_count, given->sets, &s->document);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    tl_settings settings = tl_scene_settings(tl_document_scene(s->document));
    settings.backend = TL_BACKEND_CPU; /* the start of a scene is no work for a GPU */
    status = tl_world_create_with(tl_document_scene(s->document), &settings, &s->world);
    return status < 0 ? complain_of_world(s->document, status) : EXIT_OK;
}

static int open_result(const options *given, subject *s)
{
    tl_result_frame frame;
    if (given->set_count) {
        complain("query: --set is for scenes; %s is a result", given->file);
        return EXIT_USAGE;
    }
    tl_status status = tl_result_open(given->file, &s->result);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    const uint64_t frames = tl_result_describe(s->result).frames;
    if (!frames || given->frame >= (int64_t)frames) {
        if (frames)
            complain("query: --frame is %" PRId64 "; %s has frames 0 to %" PRIu64, given->frame,
                     given->file, frames - 1);
        else
            complain("query: %s has no frames", given->file);
        return EXIT_USAGE;
    }
    s->frame = given->frame >= 0 ? (uint64_t)given->frame : frames - 1;
    status = tl_result_world(s->result, s->frame, &s->world);
    if (status >= 0)
        status = tl_result_read_frame(s->result, s->frame, &frame);
    if (status >= 0)
        s->time = frame.state.time;
    if (status >= 0)
        status = tl_result_document(s->result, &s->document);
    return status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
}

/* --- answers --- */

static json_t *json_vector(const double *x, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(array, json_real(x[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

/* Adds a member; false where memory ran out. */
static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool put_body(const subject *s, json_t *object, tl_body body, uint32_t shape)
{
    char text[512];
    tl_document_describe(s->document, body, text, sizeof text);
    return put(object, "body", json_integer(body.index)) &&
           put(object, "shape", json_integer(shape)) && put(object, "place", json_text(text));
}

static void print_vector(const char *what, const double x[3])
{
    /* a zero has no sign here */
    printf(", %s (%.9g, %.9g, %.9g)", what, x[0] + 0.0, x[1] + 0.0, x[2] + 0.0);
}

static void print_body(const subject *s, tl_body body, uint32_t shape)
{
    char text[512];
    tl_document_describe(s->document, body, text, sizeof text);
    printf("body %" PRIu32 " (%s), shape %" PRIu32, body.index, text, shape);
}

static int answer_ray(const options *given, const subject *s, const question *asked, size_t number,
                      json_t *list)
{
    tl_ray ray = tl_ray_default();
    tl_ray_hit hit;
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = asked->x[k];
        ray.direction[k] = asked->x[3 + k];
    }
    ray.hollow = given->hollow;
    if (!isnan(given->max_distance))
        ray.max_distance = given->max_distance;
    const tl_status status = tl_world_cast_rays(s->world, 1, &ray, &hit);
    if (status < 0) {
        complain("query: --ray: %s", tl_last_message());
        return status == TL_BAD_ARGUMENT ? EXIT_USAGE : exit_code(status, PHASE_RUNNING);
    }
    const bool met = hit.body.index != 0;
    if (list) {
        json_t *object = json_object();
        bool fine = put(object, "origin", json_vector(ray.origin, 3)) &&
                    put(object, "direction", json_vector(ray.direction, 3)) &&
                    put(object, "hit", json_boolean(met));
        if (fine && met)
            fine = put_body(s, object, hit.body, hit.shape) &&
                   put(object, "distance", json_real(hit.distance)) &&
                   put(object, "point", json_vector(hit.point, 3)) &&
                   put(object, "normal", json_vector(hit.normal, 3)) &&
                   put(object, "inside", json_boolean(hit.inside));
        return json_array_append_new(list, object) == 0 && fine ? EXIT_OK : out_of_memory();
    }
    printf("ray %zu: ", number);
    if (!met) {
        printf("nothing\n");
        return EXIT_OK;
    }
    printf("%.9g m to ", hit.distance);
    print_body(s, hit.body, hit.shape);
    print_vector("at", hit.point);
    print_vector("normal", hit.normal);
    printf(hit.inside ? ", from inside\n" : "\n");
    return EXIT_OK;
}

static int tell_neighbours(const subject *s, const tl_neighbour *near, size_t count, json_t *list)
{
    for (size_t i = 0; i < count; i++) {
        if (list) {
            json_t *object = json_object();
            const bool fine = put_body(s, object, near[i].body, near[i].shape) &&
                              put(object, "gap", json_real(near[i].gap)) &&
                              put(object, "point", json_vector(near[i].other, 3)) &&
                              put(object, "normal", json_vector(near[i].normal, 3));
            if (json_array_append_new(list, object) != 0 || !fine)
                return out_of_memory();
            continue;
        }
        printf("  ");
        print_body(s, near[i].body, near[i].shape);
        printf(": gap %.9g m", near[i].gap);
        print_vector("at", near[i].other);
        print_vector("normal", near[i].normal);
        printf("\n");
    }
    return EXIT_OK;
}

static int answer_ball(const options *given, const subject *s, const question *asked, size_t number,
                       json_t *list)
{
    tl_shape_def ball = asked->x[3] == 0 ? tl_point_default() : tl_sphere_default(asked->x[3]);
    const double margin = isnan(given->margin) ? 0 : given->margin;
    tl_neighbour *near = NULL;
    size_t room = 0, count = 0;
    for (int k = 0; k < 3; k++)
        ball.position[k] = asked->x[k];
    do { /* a second time, with room for what there is */
        free(near);
        room = count;
        near = malloc((room + 1) * sizeof *near);
        if (!near)
            return out_of_memory();
        const tl_status status =
            tl_world_overlaps(s->world, &ball, margin, (tl_body){0, 0}, room, near, &count);
        if (status < 0) {
            free(near);
            complain("query: --overlap: %s", tl_last_message());
            return status == TL_BAD_ARGUMENT ? EXIT_USAGE : exit_code(status, PHASE_RUNNING);
        }
    } while (count > room);
    int code = EXIT_OK;
    if (list) {
        json_t *object = json_object(), *bodies = json_array();
        const bool fine = put(object, "centre", json_vector(asked->x, 3)) &&
                          put(object, "radius", json_real(asked->x[3])) &&
                          put(object, "bodies", bodies);
        if (json_array_append_new(list, object) != 0 || !fine)
            code = out_of_memory();
        else
            code = tell_neighbours(s, near, count, bodies);
    } else {
        printf("ball %zu: %zu %s\n", number, count, count == 1 ? "shape" : "shapes");
        code = tell_neighbours(s, near, count, NULL);
    }
    free(near);
    return code;
}

static int answer(const options *given, const subject *s)
{
    json_t *lists[2] = {given->json ? json_array() : NULL, given->json ? json_array() : NULL};
    size_t numbers[2] = {0, 0};
    int code = EXIT_OK;
    facts f;
    if (given->json && (!lists[0] || !lists[1]))
        code = out_of_memory();
    facts_start(&f, given->json);
    if (s->result && code == EXIT_OK) {
        fact_count(&f, "frame", s->frame);
        fact_number(&f, "time", s->time, "s");
    }
    for (size_t i = 0; i < given->question_count && code == EXIT_OK; i++) {
        const question *asked = &given->questions[i];
        const int which = asked->ball;
        code = (asked->ball ? answer_ball : answer_ray)(given, s, asked, ++numbers[which],
                                                        lists[which]);
    }
    if (code != EXIT_OK) {
        json_decref(lists[0]);
        json_decref(lists[1]);
        facts_drop(&f);
        return code;
    }
    if (given->json) {
        fact_names(&f, "rays", lists[0]);
        fact_names(&f, "overlaps", lists[1]);
    }
    return facts_end(&f);
}

int command_query(const options *given)
{
    subject s = {0};
    if (!given->question_count) {
        complain("query: nothing is asked; give --ray X,Y,Z,DX,DY,DZ or --overlap X,Y,Z,RADIUS");
        return EXIT_USAGE;
    }
    int code = is_result(given->file) ? open_result(given, &s) : expect_scene("query", given->file);
    if (code == EXIT_OK && !s.result)
        code = open_scene(given, &s);
    if (code == EXIT_OK)
        code = answer(given, &s);
    close_subject(&s);
    return code;
}
