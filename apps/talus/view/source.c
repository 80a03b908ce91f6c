/* What live runs and recordings tell alike. See view/source.h. */
#include "source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 100000, MOST_JOINTS = 20000, MOST_TEXT = 4 << 20 };

/* ---- hello ---- */

void source_widen(source_hello *hello, const double position[3], double radius)
{
    for (int k = 0; k < 3 && isfinite(radius); k++) {
        hello->low[k] = fmin(hello->has_box ? hello->low[k] : INFINITY, position[k] - radius);
        hello->high[k] = fmax(hello->has_box ? hello->high[k] : -INFINITY, position[k] + radius);
    }
    hello->has_box |= isfinite(radius);
}

static json_t *list_materials(const tl_document *document)
{
    json_t *list = json_array();
    const char *name;
    for (uint32_t i = 0; (name = tl_document_material_name(document, (tl_material){i})); i++) {
        json_array_append_new(list, json_pack("{sI ss}", "index", (json_int_t)i, "name", name));
    }
    return list;
}

char *source_pairs(const tl_document *document, const tl_world *world)
{
    const tl_scene *scene = tl_document_scene(document);
    json_t *list = json_array();
    for (uint32_t b = 0; tl_document_material_name(document, (tl_material){b}); b++) {
        for (uint32_t a = 0; a <= b; a++) {
            view_pair pair = {.a = a, .b = b};
            const tl_material x = {a}, y = {b};
            tl_pair_def def;
            const tl_status status =
                world ? tl_world_pair(world, x, y, &def) : tl_scene_pair(scene, x, y, &def);
            if (status == TL_OK) {
                pair.friction = def.friction;
                pair.restitution = def.restitution;
                json_array_append_new(list, view_pair_to_json(&pair));
            }
        }
    }
    json_t *object = json_pack("{ss so}", "type", "pairs", "pairs", list);
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

static void list_names(hub *h, const tl_document *document)
{
    hub_clear_names(h);
    if (!h->names) {
        h->names = malloc(MOST_NAMES * sizeof *h->names);
    }
    for (size_t i = 0; h->names && i < h->table.body_count && h->name_count < MOST_NAMES; i++) {
        const uint32_t index = h->table.bodies[i].index;
        const char *name = tl_document_body_name(document, (tl_body){index, 1});
        char *copy = name ? strdup(name) : NULL;
        if (copy) {
            h->names[h->name_count++] = (hub_name){index, copy};
        }
    }
}

/* Real numbers that may be infinite. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The file's name without its folders: the page is told no more of this machine than it needs. */
static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static json_t *list_words(tl_vocabulary which)
{
    json_t *list = json_array();
    for (const char *const *word = tl_words(which); *word; word++) {
        json_array_append_new(list, json_string(*word));
    }
    return list;
}

/* The monitors, each with its channels. */
static json_t *list_monitors(const hub *h, const tl_monitor_info *channels)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->monitor_count; i++) {
        const hub_monitor *monitor = &h->monitors[i];
        json_t *own = json_array();
        for (size_t k = 0; k < monitor->count; k++) {
            const tl_monitor_info *channel = &channels[monitor->first + k];
            json_array_append_new(
                own, json_pack("{ss ss}", "name", channel->name, "unit", channel->unit));
        }
        json_array_append_new(list, json_pack("{ss so}", "name", monitor->name, "channels", own));
    }
    return list;
}

/* Where the origin of a joint's frame is in its body, and its z-axis. */
static json_t *tell_frame(tl_body body, const double position[3], const double q[4])
{
    const double axis[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                            1 - 2 * (q[1] * q[1] + q[2] * q[2])};
    return json_pack("{sI so so}", "body", (json_int_t)body.index, "at", view_vector(position, 3),
                     "axis", view_vector(axis, 3));
}

/* The joints of the scene that have bodies, up to MOST_JOINTS. */
static json_t *list_joints(const tl_document *document)
{
    const tl_scene *scene = tl_document_scene(document);
    const size_t count = tl_scene_joint_count(scene);
    json_t *list = json_array();
    for (uint32_t i = 1; i <= count && i <= MOST_JOINTS; i++) {
        const char *name = tl_document_joint_name(document, (tl_joint){i});
        tl_joint_def def;
        if (tl_scene_joint(scene, (tl_joint){i}, &def) < 0 || (!def.a.index && !def.b.index)) {
            continue;
        }
        json_t *joint = json_pack("{sI ss ss so so}", "index", (json_int_t)i, "name",
                                  name ? name : "", "kind", tl_word(TL_WORDS_JOINT, def.kind), "a",
                                  tell_frame(def.a, def.position_a, def.orientation_a), "b",
                                  tell_frame(def.b, def.position_b, def.orientation_b));
        if (joint && def.kind == TL_JOINT_DISTANCE &&
            (def.axes[0].stiffness > 0 || def.axes[0].damping > 0 || def.axes[0].spring_length)) {
            json_object_set_new(joint, "spring", json_true());
        }
        if (joint && def.kind == TL_JOINT_PULLEY) {
            json_object_set_new(
                joint, "anchors",
                json_pack("[oo]", view_vector(def.anchors[0], 3), view_vector(def.anchors[1], 3)));
        }
        json_array_append_new(list, joint);
    }
    return list;
}

bool source_begin(hub *h, const source_hello *hello)
{
    size_t length = 0;
    const char *text = tl_document_text(hello->document, &length);
    /* a scene of a million explicit bodies is not read a second time for its parameters */
    json_t *scene = length <= MOST_TEXT ? json_loadb(text, length, 0, NULL) : NULL;
    json_t *parameters = json_object_get(scene, "parameters");
    list_names(h, hello->document);
    const bool measures = hub_set_monitors(h, hello->channel_count, hello->channels);
    char program[64];
    snprintf(program, sizeof program, "talus %s", tl_version());
    json_t *source = json_string(last_part(hello->source)); /* NULL where it is not UTF-8 */
    json_t *object = json_pack(
        "{ss si ss ss sI ss so ss so sf sI so sf sf sI sI sb so so so s{sb sb sb sb sb} so so "
        "so s{so so so so so so so so}}",
        "type", "hello", "protocol", VIEW_PROTOCOL_VERSION, "program", program, "kind",
        h->live ? "live" : "recording", "epoch", (json_int_t)h->epoch, "title",
        tl_document_title(hello->document), "source", source ? source : json_string("file"),
        "backend", hello->backend, "duration", number(hello->duration), "first_time",
        hello->first_time, "frames", (json_int_t)hello->frames, "box",
        hello->has_box ? json_pack("[oo]", view_vector(hello->low, 3), view_vector(hello->high, 3))
                       : json_null(),
        "radius", h->table.smallest > 0 ? h->table.smallest : 1.0, "quantum", h->box.quantum,
        "bodies", (json_int_t)h->table.body_count, "names", (json_int_t)h->name_count, "contacts",
        hello->contacts, "edits", hello->edits ? hello->edits : json_array(), "materials",
        list_materials(hello->document), "parameters",
        json_is_object(parameters) ? json_incref(parameters) : json_object(), "can", "control",
        hello->control, "edit", hello->edit, "restart", hello->restart, "record", hello->record,
        "render", h->renders, "report_columns", view_report_columns(), "series_columns",
        view_series_columns(), "monitors", list_monitors(h, hello->channels), "words", "body",
        list_words(TL_WORDS_BODY), "solver", list_words(TL_WORDS_SOLVER), "law",
        list_words(TL_WORDS_LAW), "overlap", list_words(TL_WORDS_OVERLAP), "impacts",
        list_words(TL_WORDS_IMPACTS), "stepper", list_words(TL_WORDS_STEPPER), "joints",
        list_words(TL_WORDS_JOINTS), "planes", list_words(TL_WORDS_PLANES));
    json_t *words = json_object_get(object, "words");
    json_object_set_new(words, "penalty_law", list_words(TL_WORDS_PENALTY));
    json_object_set_new(words, "penalty_integrator", list_words(TL_WORDS_INTEGRATOR));
    json_object_set_new(words, "penalty_friction_form", list_words(TL_WORDS_FRICTION));
    json_object_set_new(object, "joints", list_joints(hello->document));
    free(h->hello);
    h->hello = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    json_decref(scene);
    return measures && h->hello;
}

/* ---- pick ---- */

/* 32-bit numbers of the table, with no more digits than they have. */
static json_t *tidy(float value)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", (double)value);
    return number(strtod(text, NULL));
}

static json_t *tidy_vector(const float *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_array_append_new(list, tidy(values[i]));
    }
    return list;
}

static json_t *tell_solid(const view_table *table, const view_solid *solid)
{
    json_t *shape =
        json_pack("{ss sI so so}", "kind", tl_word(TL_WORDS_SHAPE, solid->kind), "material",
                  (json_int_t)solid->material, "position", tidy_vector(solid->position, 3),
                  "orientation", tidy_vector(solid->orientation, 4));
    float rounding = 0;
    if (solid->sensor) {
        json_object_set_new(shape, "sensor", json_true());
    }
    switch ((tl_shape_kind)solid->kind) {
    case TL_BOX: rounding = solid->size[3]; /* fall through */
    case TL_ELLIPSOID:
        json_object_set_new(shape, "half_extents", tidy_vector(solid->size, 3));
        break;
    case TL_PARALLELOGRAM:
        json_object_set_new(shape, "edge_u", tidy_vector(solid->size, 3));
        json_object_set_new(shape, "edge_v", tidy_vector(solid->size + 3, 3));
        break;
    case TL_CAPSULE:
    case TL_CYLINDER:
    case TL_CONE:
        json_object_set_new(shape, "radius", tidy(solid->size[0]));
        json_object_set_new(shape, "half_length", tidy(solid->size[1]));
        rounding = solid->size[2];
        break;
    case TL_HULL:
    case TL_MESH:
    case TL_HEIGHTS: {
        const view_form *form = &table->forms[solid->form - 1];
        json_object_set_new(shape, "geometry", json_integer((json_int_t)form->geometry));
        json_object_set_new(shape, "triangles", json_integer((json_int_t)form->triangle_count));
        rounding = solid->size[0];
        break;
    }
    default: break;
    }
    if (rounding > 0) {
        json_object_set_new(shape, "rounding", tidy(rounding));
    }
    return shape;
}

static void tell_shapes(hub *h, uint32_t index, json_t *object)
{
    static const float straight[4] = {1, 0, 0, 0};
    json_t *list = json_array();
    size_t count = 0;
    pthread_mutex_lock(&h->lock);
    const view_body *body = view_table_find(&h->table, index);
    for (size_t i = 0; body && i < body->balls + body->solids; i++) {
        if (count++ >= VIEW_MAX_PICK) {
            continue;
        }
        if (i < body->balls) {
            const view_ball *ball = &h->table.balls[body->ball + i];
            json_array_append_new(list, json_pack("{ss sI so so so}", "kind", "sphere", "material",
                                                  (json_int_t)ball->material, "position",
                                                  tidy_vector(ball->position, 3), "orientation",
                                                  tidy_vector(straight, 4), "radius",
                                                  tidy(ball->radius)));
        } else {
            json_array_append_new(
                list, tell_solid(&h->table, &h->table.solids[body->solid + i - body->balls]));
        }
    }
    pthread_mutex_unlock(&h->lock);
    json_object_set_new(object, "shapes", list);
    json_object_set_new(object, "shape_count", json_integer((json_int_t)count));
}

static double squared(const tl_contact *c)
{
    return c->impulse[0] * c->impulse[0] + c->impulse[1] * c->impulse[1] +
           c->impulse[2] * c->impulse[2];
}

static int falling(const void *a, const void *b)
{
    const double x = squared(*(const tl_contact *const *)a),
                 y = squared(*(const tl_contact *const *)b);
    return (x < y) - (x > y);
}

static json_t *tell_contact(const source_pick *pick, const tl_contact *c)
{
    const int sign = c->a.index == pick->index ? 1 : -1; /* as seen from this body */
    double normal[3], impulse[3];
    for (int k = 0; k < 3; k++) {
        normal[k] = sign * c->normal[k];
        impulse[k] = sign * c->impulse[k];
    }
    return json_pack("{sI so so sf so sf}", "other",
                     (json_int_t)(sign > 0 ? c->b.index : c->a.index), "point",
                     view_vector(c->point, 3), "normal", view_vector(normal, 3), "gap", c->gap,
                     "impulse", view_vector(impulse, 3), "force", sqrt(squared(c)) / pick->step);
}

static void tell_contacts(const source_pick *pick, json_t *object)
{
    if (!pick->contacts_known) {
        json_object_set_new(object, "contacts", json_null());
        json_object_set_new(object, "contact_count", json_null());
        return;
    }
    const tl_contact **own = malloc((pick->contact_count + 1) * sizeof *own);
    json_t *list = json_array();
    size_t count = 0;
    for (size_t i = 0; own && i < pick->contact_count; i++) {
        const tl_contact *c = &pick->contacts[i];
        if (c->a.index == pick->index || c->b.index == pick->index) {
            own[count++] = c;
        }
    }
    if (count) {
        qsort(own, count, sizeof *own, falling);
    }
    for (size_t i = 0; i < count && i < VIEW_MAX_PICK; i++) {
        json_array_append_new(list, tell_contact(pick, own[i]));
    }
    free(own);
    json_object_set_new(object, "contacts", list);
    json_object_set_new(object, "contact_count", json_integer((json_int_t)count));
}

/* What joints do to the body: force and torque that act on the second body of each. */
static void tell_joints(const source_pick *pick, json_t *object)
{
    json_t *list = json_array();
    for (size_t i = 0; i < pick->joint_count; i++) {
        const tl_joint_state *s = &pick->joint_states[i];
        json_array_append_new(list,
                              json_pack("{sI so so sb}", "index", (json_int_t)pick->joints[i].index,
                                        "force", view_vector(s->force, 3), "torque",
                                        view_vector(s->torque, 3), "broken", s->broken));
    }
    json_object_set_new(object, "joints", list);
}

json_t *source_describe(hub *h, const tl_document *document, const source_pick *pick)
{
    char origin[512];
    const tl_body body = {pick->index, 1};
    tl_document_describe(document, body, origin, sizeof origin);
    const char *name = tl_document_body_name(document, body);
    json_t *from = json_string(origin);
    json_t *object =
        json_pack("{sI so so ss sf sf so so so so}", "index", (json_int_t)pick->index, "name",
                  name ? json_string(name) : json_null(), "origin", from ? from : json_null(),
                  "kind", tl_word(TL_WORDS_BODY, pick->kind), "mass", pick->mass, "time",
                  pick->time, "position", view_vector(pick->position, 3), "orientation",
                  view_vector(pick->orientation, 4), "velocity",
                  pick->velocity ? view_vector(pick->velocity, 3) : json_null(), "angular_velocity",
                  pick->angular_velocity ? view_vector(pick->angular_velocity, 3) : json_null());
    tell_shapes(h, pick->index, object);
    tell_contacts(pick, object);
    tell_joints(pick, object);
    return json_pack("{so}", "body", object);
}
