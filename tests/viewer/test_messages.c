/* The viewer's messages (apps/talus/view): packing of positions and orientations, frames and
 * differences, fields, contacts, reports, commands from text, and the checks of Host and Origin. */
#include "support.h"

#include "protocol.h"
#include "server.h"
#include "trace.h"

/* ---- packing ---- */

static void positions_are_within_half_a_quantum(void **state)
{
    (void)state;
    double positions[300];
    srand(1);
    for (int i = 0; i < 300; i++) {
        positions[i] = 5 + 20.0 * rand() / RAND_MAX;
    }
    const view_box box = view_box_choose(100, positions, 0.1, 7);
    assert_int_equal(box.id, 7);
    assert_true(box.quantum <= 0.1 / 64);
    for (int i = 0; i < 100; i++) {
        uint64_t packed;
        double back[3];
        assert_true(view_box_pack(&box, positions + 3 * i, &packed));
        assert_true(packed >> 63 == 0);
        view_box_unpack(&box, packed, back);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(back[k] - positions[3 * i + k]) <= 0.5001 * box.quantum);
        }
    }
    uint64_t packed;
    assert_false(view_box_pack(&box, (double[3]){1e9, 0, 0}, &packed));
    assert_false(view_box_pack(&box, (double[3]){NAN, 0, 0}, &packed));
}

/* A few bodies that flew off do not make the others coarse. */
static void stragglers_do_not_coarsen(void **state)
{
    (void)state;
    double positions[300] = {0};
    for (int i = 0; i < 99; i++) {
        positions[3 * i] = 0.01 * i;
    }
    positions[299] = -1e7;
    const view_box box = view_box_choose(100, positions, 0.1, 1);
    assert_true(box.quantum <= 0.1 / 1024 * 1.001);
    const view_box none = view_box_choose(0, NULL, 0, 1);
    assert_true(none.quantum > 0);
}

static void orientations_come_back(void **state)
{
    (void)state;
    srand(2);
    double worst = 0;
    for (int i = 0; i < 10000; i++) {
        double q[4], length = 0, dot = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = 2.0 * rand() / RAND_MAX - 1;
            length += q[k] * q[k];
        }
        float given[4], back[4];
        for (int k = 0; k < 4; k++) {
            given[k] = (float)(q[k] / sqrt(length));
        }
        view_unpack_orientation(view_pack_orientation(given), back);
        for (int k = 0; k < 4; k++) {
            dot += (double)given[k] * (double)back[k];
        }
        worst = fmax(worst, 2 * acos(fmin(1, fabs(dot))) * 180 / M_PI);
    }
    assert_true(worst < 0.3);
    const float straight[4] = {1, 0, 0, 0};
    float back[4];
    view_unpack_orientation(view_pack_orientation(straight), back);
    assert_memory_equal(straight, back, sizeof back);
}

/* ---- frames ---- */

enum { BODIES = 40 };

/* A state of bodies 2 to BODIES + 1, and one fixed body, 1. */
typedef struct fixture {
    uint32_t bodies[BODIES];
    double positions[3 * BODIES];
    float orientations[4 * BODIES], velocities[3 * BODIES], angular[3 * BODIES];
    uint8_t how[BODIES + 2];
    view_pose fixed;
    tl_contact contacts[3];
    view_state in;
} fixture;

static void fill(fixture *f)
{
    *f = (fixture){.fixed = {.index = 1, .orientation = {1, 0, 0, 0}}};
    for (uint32_t i = 0; i < BODIES; i++) {
        f->bodies[i] = i + 2;
        f->positions[3 * i] = i;
        f->orientations[4 * i] = 1;
        f->velocities[3 * i] = (float)i;
        f->how[i + 2] = VIEW_PACKED;
    }
    f->how[1] = VIEW_EXACT;
    for (uint32_t i = 0; i < 3; i++) {
        f->contacts[i] = (tl_contact){.a = {2, 1}, .b = {3 + i, 1}, .impulse = {0, 0, 1.0 + i}};
    }
    f->in = (view_state){.state = {.steps = 5,
                                   .time = 0.5,
                                   .count = BODIES,
                                   .bodies = f->bodies,
                                   .positions = f->positions,
                                   .orientations = f->orientations,
                                   .velocities = f->velocities,
                                   .angular_velocities = f->angular},
                         .step = 0.1,
                         .contacts_known = true,
                         .contact_count = 3,
                         .contacts = f->contacts,
                         .how = f->how,
                         .how_count = BODIES + 2,
                         .fixed = &f->fixed,
                         .fixed_count = 1,
                         .box = view_box_choose(BODIES, f->positions, 0.5, 1),
                         .fields = VIEW_SPEED | VIEW_FORCE,
                         .contacts_wanted = 2};
}

static uint32_t word(const view_buffer *b, size_t at)
{
    uint32_t value;
    assert_true(at + 4 <= b->length);
    memcpy(&value, view_buffer_data(b) + at, 4);
    return value;
}

static double real(const view_buffer *b, size_t at)
{
    double value;
    assert_true(at + 8 <= b->length);
    memcpy(&value, view_buffer_data(b) + at, 8);
    return value;
}

static void full_frames_hold_everything(void **state)
{
    (void)state;
    fixture f;
    fill(&f);
    view_frame *frame = view_frame_build(&f.in, 9);
    assert_non_null(frame);
    assert_int_equal(frame->count, BODIES + 1);
    view_buffer out = {0};
    view_encode_frame(frame, NULL, 3, &out);
    assert_int_equal(view_buffer_data(&out)[0], 3);
    assert_int_equal(view_buffer_data(&out)[1], 3); /* full, runs */
    assert_int_equal(word(&out, 4), 3);
    assert_true(real(&out, 8) == 0.5 && real(&out, 16) == 5);
    assert_int_equal(word(&out, 24), 9);
    assert_int_equal(word(&out, 32), BODIES + 1);
    assert_int_equal(word(&out, 72), BODIES); /* packed */
    assert_int_equal(word(&out, 76), 2);      /* one run */
    assert_int_equal(word(&out, 80), 1);      /* the fixed one */
    assert_int_equal(word(&out, 84), 0);
    assert_int_equal(out.length, 88 + 12 * BODIES + 48 + 8);
    assert_int_equal(word(&out, out.length - 8), 2); /* the run: 2, 3, ... */
    assert_int_equal(word(&out, out.length - 4), BODIES);
    view_buffer_free(&out);
    view_frame_drop(frame);
}

static void differences_hold_what_changed(void **state)
{
    (void)state;
    fixture f;
    fill(&f);
    view_frame *base = view_frame_build(&f.in, 1);
    f.positions[3 * 7 + 2] += 1;                                /* body 9 moves */
    f.positions[3 * 8 + 2] += f.in.box.quantum / 1000;          /* body 10 as good as not */
    f.orientations[4 * 20] = 0, f.orientations[4 * 20 + 1] = 1; /* body 22 turns */
    f.positions[3 * 30] = 1e12;                                 /* body 32 flies off */
    f.in.state.count = BODIES - 1;                              /* the last body is gone */
    view_frame *frame = view_frame_build(&f.in, 2);
    view_buffer out = {0};
    view_encode_frame(frame, base, 3, &out);
    assert_int_equal(view_buffer_data(&out)[1], 0);
    assert_int_equal(word(&out, 28), 1);
    assert_int_equal(word(&out, 72), 2);
    assert_int_equal(word(&out, 76), 2);
    assert_int_equal(word(&out, 80), 1);
    assert_int_equal(word(&out, 84), 1);
    assert_true(real(&out, 88 + 16) == 1e12); /* the exact row */
    assert_int_equal(word(&out, 88 + 16 + 40), 32);
    const size_t indices = 88 + 16 + 48 + 8;
    assert_int_equal(word(&out, indices), 9);
    assert_int_equal(word(&out, indices + 4), 22);
    assert_int_equal(word(&out, indices + 8), BODIES + 1); /* gone */
    assert_int_equal(out.length, indices + 12);
    view_buffer_free(&out);
    /* with another box nothing can be compared */
    base->box.id = 99;
    view_encode_frame(frame, base, 3, &out);
    assert_int_equal(view_buffer_data(&out)[1] & 1, 1);
    view_buffer_free(&out);
    view_frame_drop(base);
    view_frame_drop(frame);
}

static void unknown_bodies_are_left_out(void **state)
{
    (void)state;
    fixture f;
    fill(&f);
    f.how[5] = VIEW_UNKNOWN;
    f.in.how_count = BODIES + 1; /* the last one is not known either */
    view_frame *frame = view_frame_build(&f.in, 1);
    assert_int_equal(frame->count, BODIES - 1);
    assert_int_equal(frame->moving_count, BODIES - 2);
    view_frame_drop(frame);
    f.bodies[4] = 3; /* indices that do not rise are refused */
    assert_null(view_frame_build(&f.in, 1));
}

static void fields_and_contacts(void **state)
{
    (void)state;
    fixture f;
    fill(&f);
    view_frame *frame = view_frame_build(&f.in, 4);
    view_buffer out = {0};
    view_encode_field(frame, VIEW_SPEED, 1, &out);
    assert_int_equal(word(&out, 12), BODIES);
    assert_true(real(&out, 16) == 0 && real(&out, 24) == BODIES - 1);
    assert_int_equal(word(&out, 32), 2);
    uint16_t last;
    memcpy(&last, view_buffer_data(&out) + out.length - 2, 2);
    assert_int_equal(last, 65535);
    assert_int_equal(out.length, 40 + 8 + 2 * BODIES);
    view_buffer_free(&out);
    view_encode_field(frame, VIEW_FORCE, 1, &out);
    assert_float_equal(real(&out, 24), 60, 1e-4); /* body 2: (1 + 2 + 3) / 0.1 */
    view_buffer_free(&out);
    view_encode_contacts(frame, 50, 1, &out);
    assert_int_equal(view_buffer_data(&out)[1], 1); /* there are more */
    assert_int_equal(word(&out, 12), 2);
    assert_true(real(&out, 16) == 3);
    assert_int_equal(word(&out, 56), 2); /* the largest first: between 2 and 5 */
    assert_int_equal(word(&out, 60), 5);
    assert_int_equal(out.length, 56 + 96);
    view_buffer_free(&out);
    view_frame_drop(frame);
}

/* The largest of many contacts, against sorting them all. */
static void largest_contacts_are_chosen(void **state)
{
    (void)state;
    enum { MANY = 5000, FEW = 100 };
    fixture f;
    fill(&f);
    tl_contact *contacts = calloc(MANY, sizeof *contacts);
    bool *taken = calloc(MANY, sizeof *taken);
    srand(3);
    for (int i = 0; i < MANY; i++) {
        contacts[i] = (tl_contact){.a = {2, 1}, .b = {3, 1}, .shape_a = (uint32_t)i};
        contacts[i].impulse[0] = rand() % 1000; /* many are equal */
    }
    f.in.contacts = contacts;
    f.in.contact_count = MANY;
    f.in.contacts_wanted = FEW;
    view_frame *frame = view_frame_build(&f.in, 1);
    assert_int_equal(frame->contact_count, FEW);
    for (int i = 0; i < FEW; i++) {
        if (i) {
            assert_true(frame->contacts[i].impulse[0] <= frame->contacts[i - 1].impulse[0]);
        }
        assert_false(taken[frame->contacts[i].shape_a]);
        taken[frame->contacts[i].shape_a] = true;
    }
    for (int i = 0; i < MANY; i++) {
        assert_true(taken[i] || contacts[i].impulse[0] <= frame->contacts[FEW - 1].impulse[0]);
    }
    view_frame_drop(frame);
    free(contacts);
    free(taken);
}

static void reports_are_thinned(void **state)
{
    (void)state;
    tl_report reports[10] = {0};
    for (int i = 0; i < 10; i++) {
        reports[i].steps = (uint64_t)i + 1;
        reports[i].residual = i == 3 ? 9 : 1;
        reports[i].kinetic_energy = i;
    }
    view_buffer out = {0};
    view_reports fold;
    view_reports_begin(&fold, 10, 3, true, 42, 1, &out);
    view_reports_add(&fold, reports, 7, &out);
    view_reports_add(&fold, reports + 7, 3, &out);
    json_t *columns = view_report_columns();
    const size_t width = json_array_size(columns);
    assert_int_equal(width, VIEW_REPORT_COLUMNS);
    json_decref(columns);
    assert_int_equal(word(&out, 8), 42);
    assert_int_equal(word(&out, 12), 3);
    assert_true(real(&out, 16) == 4);
    assert_int_equal(out.length, 24 + 8 * width * 3);
    assert_true(real(&out, 24) == 4 && real(&out, 24 + 8 * width) == 8);
    assert_true(real(&out, 24 + 16 * width) == 10);
    assert_true(real(&out, 24 + 8 * 11) == 9); /* the largest residual */
    assert_true(real(&out, 24 + 8 * 15) == 3); /* the last energy */
    view_buffer_free(&out);
}

/* ---- the table ---- */

static void tables_are_sent_in_chunks(void **state)
{
    (void)state;
    view_table table = {0};
    tl_shape_info shapes[2] = {{.def = tl_sphere_default(0.5)}, {.def = tl_box_default(1, 2, 3)}};
    for (uint32_t i = 1; i <= VIEW_CHUNK + 10; i++) {
        assert_true(view_table_add(&table, i, i == 1 ? TL_FIXED : TL_DYNAMIC, 2, i == 1 ? 2 : 1,
                                   shapes, NULL));
    }
    assert_true(table.smallest == 0.5);
    assert_int_equal(table.bodies[0].how, VIEW_EXACT);
    assert_int_equal(table.bodies[1].how, VIEW_PACKED);
    table.bodies[4].gone = true;
    view_buffer out = {0};
    size_t next = 0;
    view_encode_bodies(&table, &next, false, 1, &out);
    assert_int_equal(next, VIEW_CHUNK + 1); /* one is gone */
    assert_int_equal(view_buffer_data(&out)[1], 0);
    assert_int_equal(word(&out, 8), VIEW_CHUNK);
    assert_int_equal(word(&out, 16), 1);
    assert_int_equal(out.length, 24 + 16 * VIEW_CHUNK + 24 * VIEW_CHUNK + 68);
    view_buffer_free(&out);
    view_encode_bodies(&table, &next, false, 1, &out);
    assert_int_equal(view_buffer_data(&out)[1], 1);
    assert_int_equal(word(&out, 8), 9);
    view_buffer_free(&out);
    assert_null(view_table_find(&table, 0));
    assert_int_equal(view_table_find(&table, 77)->index, 77);
    assert_null(view_table_find(&table, VIEW_CHUNK + 11));
    view_table_free(&table);
}

/* A strip of so many triangles in a plane, as a mesh or a height field. */
static tl_geometry_info strip(tl_shape_kind kind, uint32_t count, double *vertices,
                              uint32_t *triangles)
{
    for (uint32_t i = 0; i < count + 2; i++) {
        vertices[3 * i] = i / 2;
        vertices[3 * i + 1] = i % 2;
        vertices[3 * i + 2] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool odd = i % 2;
        triangles[3 * i] = i;
        triangles[3 * i + 1] = odd ? i + 1 : i + 2;
        triangles[3 * i + 2] = odd ? i + 2 : i + 1;
    }
    return (tl_geometry_info){kind, count + 2, vertices, count, triangles};
}

static void forms_are_sent_once_and_in_parts(void **state)
{
    (void)state;
    enum { TRIANGLES = VIEW_PART + 7 };
    static double vertices[3 * (TRIANGLES + 2)];
    static uint32_t triangles[3 * TRIANGLES];
    tl_geometry_info infos[1] = {strip(TL_HEIGHTS, TRIANGLES, vertices, triangles)};
    const view_geometries geometries = {1, infos};
    tl_shape_info shapes[2] = {{.def = tl_heights_default((tl_geometry){1})},
                               {.def = tl_capsule_default(0.25, 1)}};
    view_table table = {0};
    assert_true(view_table_add(&table, 1, TL_FIXED, 0, 1, shapes, &geometries));
    assert_true(view_table_add(&table, 2, TL_FIXED, 0, 1, shapes, &geometries));
    assert_true(view_table_add(&table, 3, TL_DYNAMIC, 1, 1, shapes + 1, &geometries));
    assert_int_equal(table.form_count, 1); /* both have the same */
    assert_true(table.solids[0].form == 1 && table.solids[1].form == 1 && !table.solids[2].form);
    assert_true(table.smallest == 0.25 && table.bodies[2].how == VIEW_PACKED);
    assert_true(table.bodies[2].radius == 1.25f && table.solids[2].size[1] == 1);
    /* a geometry that is not there: nothing is added */
    shapes[0].def.geometry.index = 2;
    assert_false(view_table_add(&table, 4, TL_FIXED, 0, 1, shapes, &geometries));
    assert_true(table.body_count == 3 && table.solid_count == 3 && table.form_count == 1);

    view_form_place next = {0};
    size_t sent_vertices = 0, sent_triangles = 0, messages = 0;
    while (next.form < table.form_count) {
        view_buffer out = {0};
        view_encode_form(&table, &next, 9, &out);
        assert_int_equal(view_buffer_data(&out)[0], 2);
        assert_int_equal(word(&out, 4), 9);
        assert_int_equal(word(&out, 8), 1);
        assert_int_equal(word(&out, 12), TRIANGLES + 2);
        assert_int_equal(word(&out, 16), TRIANGLES);
        assert_int_equal(word(&out, 20), sent_vertices);
        assert_int_equal(word(&out, 28), sent_triangles);
        sent_vertices += word(&out, 24);
        sent_triangles += word(&out, 32);
        assert_int_equal(out.length, 40 + 24 * word(&out, 24) + 12 * word(&out, 32));
        assert_int_equal(view_buffer_data(&out)[1], sent_triangles == TRIANGLES);
        messages++;
        view_buffer_free(&out);
    }
    assert_true(messages == 2 && sent_vertices == TRIANGLES + 2 && sent_triangles == TRIANGLES);
    view_table_free(&table);
}

/* ---- commands ---- */

static view_verdict parse(const char *text, view_command *command, char *error)
{
    return view_command_parse(text, strlen(text), command, error);
}

static void commands_are_read(void **state)
{
    (void)state;
    view_command c;
    char error[VIEW_ERROR];
    assert_int_equal(parse("{\"do\":\"throw\",\"id\":7,\"position\":[1,2,3],\"velocity\":[0,0,-1],"
                           "\"radius\":0.5}",
                           &c, error),
                     VIEW_GOOD);
    assert_int_equal(c.verb, VIEW_THROW);
    assert_int_equal(c.id, 7);
    assert_true(c.point[2] == 3 && c.velocity[2] == -1 && c.radius == 0.5 && c.density == 1000);
    view_command_free(&c);
    assert_int_equal(parse("{\"do\":\"subscribe\",\"fields\":[\"force\",\"velocity\"]}", &c, error),
                     VIEW_GOOD);
    assert_int_equal(c.fields, VIEW_FORCE | VIEW_VELOCITY);
    assert_int_equal(c.contacts, -1);
    view_command_free(&c);
}

static void wrong_commands_are_told(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{\"do\":\"pick\"}", "pick: body is missing"},
        {"{\"do\":\"pick\",\"body\":0}",
         "pick: body: expected a whole number from 1 to 4294967295"},
        {"{\"do\":\"pick\",\"body\":1.5}",
         "pick: body: expected a whole number from 1 to 4294967295"},
        {"{\"do\":\"start\",\"now\":true}", "start: now: this command has no such member"},
        {"{\"do\":\"start\",\"id\":0}", "start: id: expected a whole number from 1 to 2147483647"},
        {"{\"do\":\"fly\"}", "unknown command"},
        {"{\"do\":\"step\",\"count\":1001}", "step: count: expected a whole number from 1 to 1000"},
        {"{\"do\":\"drag\",\"body\":1,\"target\":[1,2]}", "drag: target: expected three numbers"},
        {"{\"do\":\"push\",\"body\":1,\"impulse\":[0,1e300,0]}",
         "push: impulse: each number must be -1e15 to 1e15"},
        {"{\"do\":\"pace\",\"speed\":0}", "pace: speed: expected a number from 0.001 to 1000"},
        {"{\"do\":\"subscribe\",\"fields\":[\"heat\"]}",
         "subscribe: fields[0]: expected speed, force, velocity or angular_velocity"},
        {"{\"do\":\"restart\",\"sets\":[1]}", "restart: sets[0]: expected a text \"NAME=VALUE\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        view_command c;
        char error[VIEW_ERROR];
        assert_int_equal(parse(cases[i][0], &c, error), VIEW_WRONG);
        assert_string_equal(error, cases[i][1]);
        view_command_free(&c);
    }
    static const char *const malformed[] = {"",
                                            "[]",
                                            "{}",
                                            "{\"do\":1}",
                                            "{\"do\":\"start\"",
                                            "null",
                                            "{\"do\":\"start\",\"do\":\"stop\"}",
                                            "{\"do\":\"\xff\"}"};
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        view_command c;
        char error[VIEW_ERROR];
        assert_int_equal(parse(malformed[i], &c, error), VIEW_MALFORMED);
        view_command_free(&c);
    }
}

static void settings_come_back(void **state)
{
    (void)state;
    tl_settings settings = tl_settings_default(), changed = settings;
    char error[VIEW_ERROR];
    json_t *set = json_pack("{ss s[fff] sf ss si sb sn ss ss ss}", "do", "set", "gravity", 1.0, 2.0,
                            3.0, "step", 0.25, "solver", "apgd", "iterations", 77, "warm_start", 0,
                            "recovery_speed", "impacts", "propagating", "stepper", "smooth",
                            "planes", "nearest");
    json_t *penalty =
        json_pack("{ss ss si sf sf sf ss sb sf}", "penalty_law", "scaled", "penalty_integrator",
                  "rk4", "penalty_substeps", 3, "penalty_stiffness", 500.0, "penalty_damping", 10.0,
                  "penalty_friction", 40.0, "penalty_friction_form", "capped", "penalty_collisions",
                  0, "penalty_collision_threshold", 2.0);
    json_object_update(set, penalty);
    json_decref(penalty);
    assert_true(view_settings_from_json(&changed, set, error));
    assert_true(changed.gravity[1] == 2 && changed.step == 0.25 && isinf(changed.recovery_speed));
    assert_int_equal(changed.solver.kind, TL_APGD);
    assert_int_equal(changed.solver.iterations, 77);
    assert_false(changed.solver.warm_start);
    json_decref(set);
    json_t *told = view_settings_to_json(&changed);
    json_object_del(told, "type");
    json_object_del(told, "precision");
    assert_true(view_settings_from_json(&settings, told, error));
    assert_int_equal(settings.solver.kind, TL_APGD);
    assert_int_equal(settings.impacts, TL_IMPACTS_PROPAGATING);
    assert_int_equal(settings.stepper, TL_STEPPER_SMOOTH);
    assert_int_equal(settings.planes, TL_PLANES_NEAREST);
    assert_true(settings.step == 0.25);
    const tl_penalty_def *p = &settings.penalty;
    assert_int_equal(p->law, TL_PENALTY_SCALED);
    assert_int_equal(p->integrator, TL_INTEGRATOR_RK4);
    assert_int_equal(p->friction_form, TL_FRICTION_CAPPED);
    assert_int_equal(p->substeps, 3);
    assert_false(p->collisions);
    assert_true(p->stiffness == 500 && p->damping == 10 && p->friction == 40 &&
                p->collision_threshold == 2);
    json_decref(told);
    set = json_pack("{ss ss}", "do", "set", "precision", "double");
    assert_false(view_settings_from_json(&settings, set, error));
    assert_string_equal(error, "set: precision: no such setting, or it cannot change");
    json_decref(set);
}

/* ---- what monitors measured ---- */

/* Rows from step `from` on in at most `points` of a level: each step is in one of them, and none
 * that a row stands for is lost. Returns how many rows there were. */
static size_t check_trace(const view_trace *t, uint64_t from, size_t points)
{
    const int level = view_trace_level(t, from, points);
    uint64_t next = from, before = from;
    size_t rows = 0;
    while (next < view_trace_end(t)) {
        const double *row = view_trace_next(t, level, &next);
        assert_non_null(row);
        assert_true(next > before && row[0] == (double)(1000 + next));
        assert_true(row[1] == 0.5 * (double)next);
        /* channel 0 counts steps; channel 1 is 1 at each 1000th and NaN at each odd one */
        assert_true(row[2] == (double)next && row[4] == (double)next &&
                    row[3] <= (double)before + 1);
        const bool peak = (next - 1) / 1000 != (uint64_t)((row[3] - 2) / 1000) || next == 1;
        assert_true(row[3] < 3 || peak == (row[7] == 1));
        before = next;
        rows++;
    }
    return rows;
}

static void traces_keep_every_peak(void **state)
{
    (void)state;
    view_trace t = {0};
    assert_true(view_trace_begin(&t, 2));
    assert_int_equal(t.room, TRACE_ROWS);
    uint64_t from = 0;
    assert_null(view_trace_next(&t, 0, &from));
    for (uint64_t i = 0; i < 300000; i++) {
        const double values[] = {(double)(i + 1), i % 1000 == 0 ? 1 : i % 2 ? NAN : 0};
        view_trace_add(&t, 1001 + i, 0.5 * (double)(i + 1), values);
        if (i == 1999) {
            assert_int_equal(check_trace(&t, 0, view_trace_most(&t)), 2000);
        }
    }
    assert_int_equal(view_trace_end(&t), 300000);
    const size_t whole = check_trace(&t, 0, view_trace_most(&t));
    assert_in_range(whole, 1000, 2048 + 3 * TRACE_LEVELS);
    assert_int_equal(check_trace(&t, 299900, 256), 100);
    /* who was left behind gets them coarser */
    for (uint64_t behind = 1; behind < 300000; behind = 3 * behind + 7) {
        assert_in_range(check_trace(&t, 300000 - behind, 256), 1, 256 + 6 * TRACE_LEVELS);
    }
    assert_int_equal(view_trace_level(&t, 0, view_trace_most(&t)), 4);
    from = 0;
    assert_null(view_trace_next(&t, 0, &from)); /* one by one they are not there any more */
    assert_true(view_trace_begin(&t, 4096));    /* many channels have fewer rows */
    assert_in_range(t.room, TRACE_LEAST, 100);
    assert_int_equal(view_trace_end(&t), 0);
    assert_true(view_trace_begin(&t, 0));
    view_trace_add(&t, 1, 1, NULL);
    assert_int_equal(view_trace_end(&t), 0);
    view_trace_free(&t);
}

static void channels_are_grouped(void **state)
{
    (void)state;
    static const tl_monitor_info channels[] = {
        {"load.x", "N"}, {"load.y", "N"}, {"loader", "m"}, {"load_2.x", "N"}, {"load_2.y", "N"}};
    hub h;
    assert_true(hub_init(&h, true));
    assert_true(hub_set_monitors(&h, 5, channels));
    assert_int_equal(h.monitor_count, 3);
    assert_string_equal(h.monitors[0].name, "load");
    assert_string_equal(h.monitors[1].name, "loader");
    assert_string_equal(h.monitors[2].name, "load_2");
    assert_true(h.monitors[0].count == 2 && h.monitors[1].first == 2 && h.monitors[2].first == 3);
    assert_true(hub_set_monitors(&h, 0, NULL));
    assert_int_equal(h.monitor_count, 0);
    hub_free(&h);
}

/* ---- who may speak ---- */

static void hosts_and_origins(void **state)
{
    (void)state;
    static const char *const ours[] = {"localhost",  "localhost:8642", "127.0.0.1:1",
                                       "[::1]:8642", "LOCALHOST:80",   "10.0.0.5:8642"};
    static const char *const strange[] = {"",
                                          "evil.example",
                                          "localhost.evil.example",
                                          "127.0.0.1.nip.io",
                                          "10.0.0.6:8642",
                                          "localhost:80@evil",
                                          "[::1",
                                          ":8642",
                                          "localhost:80:90",
                                          "127.0.0.11"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        assert_true(http_host_is_ours(ours[i], "10.0.0.5", false));
    }
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        assert_false(http_host_is_ours(strange[i], "10.0.0.5", false));
    }
    assert_true(http_host_is_ours("gpu-server:8642", "0.0.0.0", true));
    assert_true(http_host_is_ours("[fe80::1]:8642", "fe80::1", false));
    assert_true(http_origin_is_ours("http://localhost:8642", "localhost:8642"));
    assert_true(http_origin_is_ours("https://gpu.example", "gpu.example"));
    assert_false(http_origin_is_ours("http://localhost:9999", "localhost:8642"));
    assert_false(http_origin_is_ours("http://evil.example", "localhost:8642"));
    assert_false(http_origin_is_ours("null", "localhost:8642"));
    assert_false(http_origin_is_ours("file://", "localhost:8642"));
    assert_true(http_token_is_right("abc", "abc"));
    assert_false(http_token_is_right("abc", "abd"));
    assert_false(http_token_is_right("abc", ""));
    assert_false(http_token_is_right("abc", "abcd"));
}

static void buckets_run_dry(void **state)
{
    (void)state;
    bucket b = {0};
    int taken = 0;
    while (taken < 1000 && bucket_take(&b, 1, 1, 10)) {
        taken++;
    }
    assert_in_range(taken, 10, 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_within_half_a_quantum),
        cmocka_unit_test(stragglers_do_not_coarsen),
        cmocka_unit_test(orientations_come_back),
        cmocka_unit_test(full_frames_hold_everything),
        cmocka_unit_test(differences_hold_what_changed),
        cmocka_unit_test(unknown_bodies_are_left_out),
        cmocka_unit_test(fields_and_contacts),
        cmocka_unit_test(largest_contacts_are_chosen),
        cmocka_unit_test(reports_are_thinned),
        cmocka_unit_test(tables_are_sent_in_chunks),
        cmocka_unit_test(forms_are_sent_once_and_in_parts),
        cmocka_unit_test(commands_are_read),
        cmocka_unit_test(wrong_commands_are_told),
        cmocka_unit_test(settings_come_back),
        cmocka_unit_test(traces_keep_every_peak),
        cmocka_unit_test(channels_are_grouped),
        cmocka_unit_test(hosts_and_origins),
        cmocka_unit_test(buckets_run_dry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
