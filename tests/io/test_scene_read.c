/* What a scene file says is what is simulated: scenes read from text are compared with the same
 * scenes described through the interface, by the hash of the state after some steps. And what a
 * document answers: names, places, its text. */
#include "io/scene_text.h"

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/scene_good.h"

/* The state after some steps, as a number. */
static uint64_t run(const tl_scene *scene, uint32_t steps)
{
    tl_world *world = NULL;
    tl_settings settings = tl_scene_settings(scene);
    settings.threads = 1;
    assert_true(tl_world_create_with(scene, &settings, &world) >= 0);
    step(world, steps);
    const uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

/* ---- The same scene by hand ---- */

static tl_body_def at(double x, double y, double z)
{
    tl_body_def def = tl_body_default();
    memcpy(def.position, (double[3]){x, y, z}, sizeof def.position);
    return def;
}

static tl_body add_with(tl_scene *scene, tl_body_def def, size_t count, const tl_shape_def *shapes)
{
    def.shape_count = count;
    def.shapes = shapes;
    return add_body(scene, &def);
}

static void add_dynamic(tl_scene *scene, const tl_material m[4], tl_body bodies[2])
{
    tl_shape_def ball = tl_sphere_default(0.1), two[2] = {ball, ball};
    tl_body_def def = at(0, 0, 1);
    ball.material = m[1];
    def.velocity[0] = 1;
    def.angular_velocity[1] = 3;
    def.density = 7800;
    memcpy(def.orientation, (double[4]){0.6, 0, 0, 0.8}, sizeof def.orientation);
    bodies[0] = add_with(scene, def, 1, &ball);

    def = at(1, 0, 1);
    def.mass = 2;
    turn((double[3]){0, 1, 0}, 30 * PI / 180, def.orientation);
    two[0].position[0] = 0.08;
    two[1].position[0] = -0.08;
    two[1].material = m[3];
    bodies[1] = add_with(scene, def, 2, two);

    def = at(2, 0, 1);
    def.mass = 2;
    memcpy(def.inertia, (double[3]){0.1, 0.1, 0.15}, sizeof def.inertia);
    add_body(scene, &def);
}

static void add_walls_and_groups(tl_scene *scene)
{
    tl_shape_def walls[3] = {
        tl_box_default(0.5, 0.5, 0.1), tl_box_default(0.5, 0.5, 0.1),
        tl_parallelogram_default((double[3]){1, 0, 0}, (double[3]){0, 1, 0.2})};
    const tl_shape_def small = tl_sphere_default(0.1), large = tl_sphere_default(0.2);
    const double grains[3][3] = {{0, 3, 1}, {0.5, 3, 1}, {1, 3, 1 + 0.1}};
    tl_body_def def = at(0, 2, 0);
    def.kind = TL_FIXED;
    turn((double[3]){1, 0, 0}, 10 * PI / 180, walls[0].orientation);
    walls[1].position[0] = 3;
    walls[2].position[2] = 1;
    add_with(scene, def, 3, walls);
    for (int i = 0; i < 3; i++) {
        def = at(grains[i][0], grains[i][1], grains[i][2]);
        def.density = 2500;
        add_with(scene, def, 1, &small);
    }
    for (int k = 0; k < 3; k++)
        add_with(scene, at(5 * cos(2 * PI * k / 3), 5 * sin(2 * PI * k / 3), 1 + 0.2), 1, &large);
}

static void add_moving(tl_scene *scene)
{
    static const double times[3] = {0, 1, 2}, offsets[9] = {0, 0, 0, 0.5, 0, 0, 0.5, 0.25, 0};
    const tl_shape_def bar = tl_box_default(0.5, 0.05, 0.1), ball = tl_sphere_default(0.1);
    tl_body_def def = at(-3, 0, 0.1);
    def.kind = TL_PRESCRIBED;
    def.motion.velocity[0] = 0.1;
    def.motion.angular_velocity[2] = 1;
    add_with(scene, def, 1, &bar);
    def.position[0] = -6;
    def.motion = tl_motion_default();
    def.motion.kind = TL_MOTION_SINE;
    def.motion.amplitude[0] = 0.1;
    def.motion.frequency = 2;
    def.motion.phase = 0.5;
    add_with(scene, def, 1, &ball);
    def.position[0] = -9;
    def.motion = tl_motion_default();
    def.motion.kind = TL_MOTION_TABLE;
    def.motion.table_length = 3;
    def.motion.times = times;
    def.motion.offsets = offsets;
    add_with(scene, def, 1, &ball);
}

static tl_settings settings_by_hand(void)
{
    tl_settings s = tl_settings_default();
    s.step = 0.004;
    s.stepper = TL_STEPPER_SMOOTH;
    s.planes = TL_PLANES_NEAREST;
    s.envelope = 0.01;
    s.overlap = TL_OVERLAP_VELOCITY;
    s.recovery_fraction = 0.4;
    s.recovery_speed = 2;
    s.impacts = TL_IMPACTS_PROPAGATING;
    s.restitution_speed = 0.02;
    s.max_speed = 1000;
    s.precision = TL_DOUBLE;
    s.solver = (tl_solver_def){.kind = TL_PSOR,
                               .law = TL_LAW_CONE,
                               .iterations = 20,
                               .position_iterations = 10,
                               .balance_iterations = 70,
                               .coarse_layers = 90,
                               .tolerance = 1e-6,
                               .omega = 0.9,
                               .lambda = 0.8,
                               .warm_start = false};
    return s;
}

static tl_scene *bodies_by_hand(void)
{
    static const double times[2] = {0, 1}, values[12] = {0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0.1};
    const tl_settings settings = settings_by_hand();
    tl_scene *scene = scene_with(&settings);
    tl_material m[4] = {{0}};
    tl_body bodies[2];
    m[1] = add_material(scene, 0.3, 0.1);
    m[2] = add_material(scene, 0.6, 0);
    m[3] = add_material(scene, 0.5, 0);
    assert_ok(
        tl_scene_set_pair(scene, m[1], m[2], &(tl_pair_def){.friction = 0.2, .restitution = 0.05}));
    assert_ok(tl_scene_set_pair(scene, m[3], m[0], &(tl_pair_def){0}));
    add_floor(scene, m[2]);
    add_dynamic(scene, m, bodies);
    add_walls_and_groups(scene);
    add_moving(scene);

    tl_force_def force = tl_force_default();
    force.body = bodies[0];
    force.force[1] = 1;
    force.torque[2] = 0.1;
    assert_ok(tl_scene_add_force(scene, &force));
    force = tl_force_default();
    force.body = bodies[1];
    force.table_length = 2;
    force.times = times;
    force.values = values;
    assert_ok(tl_scene_add_force(scene, &force));
    return scene;
}

static void bodies_are_those_of_the_file(void **state)
{
    (void)state;
    context("bodies");
    tl_document *document = parse(scene_bodies);
    tl_scene *scene = bodies_by_hand();
    const tl_settings a = tl_scene_settings(tl_document_scene(document)),
                      b = tl_scene_settings(scene);
    assert_int_equal(tl_scene_body_count(tl_document_scene(document)), tl_scene_body_count(scene));
    assert_near(a.recovery_speed, b.recovery_speed, 0);
    assert_int_equal(a.impacts, b.impacts);
    assert_int_equal(a.stepper, b.stepper);
    assert_int_equal(a.planes, b.planes);
    assert_near(a.max_speed, b.max_speed, 0);
    assert_near(a.restitution_speed, b.restitution_speed, 0);
    assert_near(a.solver.tolerance, b.solver.tolerance, 0);
    assert_near(a.solver.lambda, b.solver.lambda, 0);
    assert_int_equal(a.solver.position_iterations, b.solver.position_iterations);
    assert_int_equal(a.solver.balance_iterations, b.solver.balance_iterations);
    assert_int_equal(a.solver.coarse_layers, b.solver.coarse_layers);
    assert_int_equal(a.precision, b.precision);
    assert_int_equal(run(tl_document_scene(document), 0), run(scene, 0));
    assert_int_equal(run(tl_document_scene(document), 200), run(scene, 200));
    tl_document_destroy(document);
    tl_scene_destroy(scene);
}

/* ---- Fills and what happens while the scene runs ---- */

static void add_fills(tl_scene *scene)
{
    tl_fill_def def = tl_fill_default();
    def.region = tl_region_box((double[3]){0, 0, 0.1}, (double[3]){1, 1, 1});
    def.size.radius = 0.1;
    def.count = 20;
    def.seed = 3;
    def.gap = def.jitter = 0.01;
    def.density = 2500;
    def.velocity[2] = -1;
    assert_ok(tl_scene_fill(scene, &def, NULL, NULL));
    def = tl_fill_default();
    def.region = (tl_region){
        .kind = TL_REGION_CYLINDER, .centre = {3, 0, 0.1}, .axis = {0, 0, 1}, .radius = 0.5};
    def.pattern = TL_FILL_HEX;
    def.size = (tl_size_def){.kind = TL_SIZE_UNIFORM, .low = 0.05, .high = 0.1};
    assert_ok(tl_scene_fill(scene, &def, NULL, NULL));
    def = tl_fill_default();
    def.region = (tl_region){.kind = TL_REGION_SPHERE, .centre = {6, 0, 1}, .radius = 0.5};
    def.pattern = TL_FILL_RANDOM;
    def.size = (tl_size_def){TL_SIZE_NORMAL, 0.1, 0.01, 0.05, 0.15};
    def.count = 5;
    assert_ok(tl_scene_fill(scene, &def, NULL, NULL));
    def = tl_fill_default();
    def.region = tl_region_box((double[3]){8, 0, 0.1}, (double[3]){9, 1, 1});
    def.pattern = TL_FILL_CLOSE;
    def.size = (tl_size_def){TL_SIZE_LOGNORMAL, 0.1, 0.1, 0.05, 0.2};
    assert_ok(tl_scene_fill(scene, &def, NULL, NULL));
}

static void add_schedule(tl_scene *scene)
{
    tl_emitter_def emitter = tl_emitter_default();
    emitter.region = tl_region_box((double[3]){0, 3, 1}, (double[3]){1, 4, 1.5});
    emitter.size.radius = 0.1;
    emitter.rate = 100;
    emitter.start = 0.1;
    emitter.stop = 1;
    emitter.count = 30;
    emitter.interval = 0.1;
    emitter.seed = 2;
    emitter.density = 1500;
    emitter.velocity[2] = -2;
    assert_ok(tl_scene_add_emitter(scene, &emitter));

    tl_body removed[21];
    for (uint32_t i = 0; i < 21; i++)
        removed[i] = (tl_body){i + 2, 1}; /* the stone, then the sand */
    tl_event_def event = tl_event_default();
    event.time = 0.2;
    event.body_count = 21;
    event.bodies = removed;
    assert_ok(tl_scene_add_event(scene, &event));
    event = tl_event_default();
    event.kind = TL_EVENT_GRAVITY;
    event.time = 0.3;
    event.gravity[2] = -1.6;
    assert_ok(tl_scene_add_event(scene, &event));

    tl_boundary_def boundary = tl_boundary_default();
    boundary.region =
        tl_region_box((double[3]){-INFINITY, -INFINITY, -1}, (double[3]){INFINITY, 5, INFINITY});
    boundary.interval = 0.2;
    assert_ok(tl_scene_add_boundary(scene, &boundary));
    boundary = tl_boundary_default();
    boundary.region = (tl_region){.kind = TL_REGION_SPHERE, .centre = {20, 0, 0}, .radius = 1};
    boundary.remove_inside = true;
    assert_ok(tl_scene_add_boundary(scene, &boundary));
}

static void fills_are_those_of_the_file(void **state)
{
    (void)state;
    context("fills");
    tl_document *document = parse(scene_fills);
    const tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    add_floor(scene, (tl_material){0});
    add_sphere(scene, (tl_material){0}, 0.2, 0, (double[3]){0, 0, 5}, (double[3]){0, 0, 0});
    add_fills(scene);
    add_schedule(scene);
    assert_int_equal(tl_scene_body_count(tl_document_scene(document)), tl_scene_body_count(scene));
    assert_int_equal(run(tl_document_scene(document), 0), run(scene, 0));
    assert_int_equal(run(tl_document_scene(document), 100), run(scene, 100));
    tl_document_destroy(document);
    tl_scene_destroy(scene);
}

/* ---- Motions ---- */

static tl_body add_mover(tl_scene *scene, double x, const tl_motion_def *motion)
{
    const tl_shape_def ball = tl_sphere_default(1);
    tl_body_def def = at(x, 0, 0);
    def.kind = TL_PRESCRIBED;
    def.motion = *motion;
    return add_with(scene, def, 1, &ball);
}

static void add_smooth(tl_scene *scene)
{
    tl_motion_def m = tl_motion_default();
    m.kind = m.rotation = TL_MOTION_RAMP;
    m.velocity_from[0] = 1;
    m.velocity[1] = 2;
    m.angular_velocity[1] = 3;
    m.angular_velocity[2] = 4;
    m.ramp_start = m.angular_ramp_start = 0.1;
    m.ramp_stop = m.angular_ramp_stop = 0.4;
    m.pivot[2] = 0.5;
    add_mover(scene, 0, &m);
    m = tl_motion_default();
    m.kind = m.rotation = TL_MOTION_SINE;
    m.amplitude[2] = 0.2;
    m.angular_amplitude[1] = 0.1;
    m.frequency = m.angular_frequency = 2;
    m.phase = m.angular_phase = 0.5;
    add_mover(scene, 5, &m);
    m = tl_motion_default();
    m.kind = m.rotation = TL_MOTION_EXPRESSION;
    m.expressions[2] = "0.5";
    m.angular_expressions[2] = "2*pi*(t - sin(t))";
    m.expressions[0] = "0.01*sin(2*pi*2*t) + 0";
    add_mover(scene, 10, &m);
    m.expressions[0] = "0.01*sin(2*pi*2*t) + 1";
    add_mover(scene, 15, &m);
    m = tl_motion_default();
    m.rotation = TL_MOTION_EXPRESSION;
    m.angular_expressions[1] = "0.75/1.25*t^2"; /* as the reader scales an axis */
    m.angular_expressions[2] = "1/1.25*t^2";
    add_mover(scene, 20, &m);
}

static void add_tables(tl_scene *scene)
{
    static const double times[3] = {0, 0.5, 1}, angles[6] = {0, 0, 0, 0, 0, -10};
    static const double offset_times[2] = {0, 1}, offsets[6] = {0, 0, 0, 1, 2, 3};
    static const double turn_times[3] = {0, 0.2, 0.6}, turns[9] = {0, 0, 0, 1, 0, 0, 0, 1, 1};
    tl_motion_def m = tl_motion_default();
    m.kind = m.rotation = TL_MOTION_TABLE;
    m.table_length = m.angular_table_length = 2;
    m.times = offset_times;
    m.offsets = offsets;
    m.angular_times = times;
    m.rotations = angles;
    add_mover(scene, 25, &m);
    m = tl_motion_default();
    m.rotation = TL_MOTION_TABLE;
    m.velocity[2] = 1;
    m.angular_table_length = 3;
    m.angular_times = turn_times;
    m.rotations = turns;
    m.pivot[0] = 1;
    add_mover(scene, 30, &m);
}

static void motions_are_those_of_the_file(void **state)
{
    (void)state;
    context("motions");
    tl_document *document = parse(scene_motions);
    const tl_settings settings = tl_settings_default();
    const tl_body changed[3] = {{1, 1}, {3, 1}, {4, 1}};
    tl_scene *scene = scene_with(&settings);
    add_smooth(scene);
    add_tables(scene);
    add_sphere(scene, (tl_material){0}, 0.1, 0, (double[3]){0, 50, 0}, (double[3]){0, 0, 0});
    tl_event_def event = tl_event_default();
    event.kind = TL_EVENT_MOTION;
    event.time = 0.3;
    event.body_count = 3;
    event.bodies = changed;
    event.motion.rotation = TL_MOTION_EXPRESSION;
    event.motion.angular_expressions[0] = "2*t";
    event.motion.angular_expressions[2] = "sin(t)";
    assert_ok(tl_scene_add_event(scene, &event));
    for (uint32_t steps = 0; steps <= 150; steps += 10) /* before and after the event */
        assert_int_equal(run(tl_document_scene(document), steps), run(scene, steps));
    tl_document_destroy(document);
    tl_scene_destroy(scene);
}

/* ---- What a document answers ---- */

static void names_and_places(void **state)
{
    (void)state;
    char text[200];
    tl_document *d = parse(scene_bodies);
    const tl_record_def record = tl_document_record(d);
    assert_string_equal(tl_document_title(d), "Größe → \"all\"");
    assert_near(record.duration, 2.5, 0);
    assert_near(record.rate, 25, 0);
    assert_true(record.contacts);
    assert_near(record.checkpoint, 30, 0);
    assert_int_equal(tl_document_find_body(d, "peanut").index, 3);
    assert_string_equal(tl_document_body_name(d, (tl_body){3, 1}), "peanut");
    assert_int_equal(tl_document_find_body(d, "grains").index, 0); /* a group is no body */
    assert_int_equal(tl_document_find_body(d, "nobody").index, 0);
    assert_string_equal(tl_document_body_name(d, (tl_body){7, 1}), "grains");
    assert_null(tl_document_body_name(d, (tl_body){4, 1}));
    assert_null(tl_document_body_name(d, (tl_body){3, 2}));
    assert_null(tl_document_body_name(d, (tl_body){0, 0}));
    assert_null(tl_document_body_name(d, (tl_body){1000, 1}));
    assert_string_equal(tl_document_material_name(d, (tl_material){0}), "default");
    assert_string_equal(tl_document_material_name(d, (tl_material){3}), "ice");
    assert_null(tl_document_material_name(d, (tl_material){4}));

    tl_document_describe(d, (tl_body){2, 1}, text, sizeof text);
    assert_string_equal(text, "s.json:21:5: bodies[1] \"ball\"");
    tl_document_describe(d, (tl_body){4, 1}, text, sizeof text);
    assert_string_equal(text, "s.json:28:5: bodies[3]");
    tl_document_describe(d, (tl_body){8, 1}, text, sizeof text);
    assert_string_equal(text, "s.json:34:5: bodies[5] \"grains\", 3 of 3");
    tl_document_describe(d, (tl_body){500, 1}, text, sizeof text);
    assert_string_equal(text, "body 500");
    tl_document_describe(d, (tl_body){2, 1}, text, 9);
    assert_string_equal(text, "s.json:2");
    tl_document_destroy(d);

    d = parse(scene_fills);
    tl_document_describe(d, (tl_body){5, 1}, text, sizeof text);
    assert_string_equal(text, "s.json:5:4: fills[0] \"sand\", 3 of 20");
    assert_string_equal(tl_document_body_name(d, (tl_body){5, 1}), "sand");
    assert_null(tl_document_body_name(d, (tl_body){25, 1}));
    assert_string_equal(tl_document_title(d), "");
    tl_document_destroy(d);
}

/* Many names, so that their table grows. */
static void finds_each_of_many_names(void **state)
{
    (void)state;
    const int count = 3000;
    char *text = malloc(200 * (size_t)count), *end = text, name[32];
    end += sprintf(end, "{'version': 1, 'bodies': [");
    for (int i = 0; i < count; i++)
        end += sprintf(end,
                       "%s\n{'name': 'ball %d', 'position': [%d, 0, 0], 'shapes': "
                       "[{'kind': 'sphere', 'radius': 0.1}]}",
                       i ? "," : "", i, i);
    sprintf(end, "]}");
    tl_document *d = parse(text);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "ball %d", i);
        assert_int_equal(tl_document_find_body(d, name).index, i + 1);
        assert_string_equal(tl_document_body_name(d, (tl_body){(uint32_t)i + 1, 1}), name);
    }
    tl_document_destroy(d);
    free(text);
}

static void text_reads_to_the_same_scene(void **state)
{
    (void)state;
    static const char *const texts[] = {scene_bodies, scene_fills};
    static const char *const sets[] = {"step=0.002"};
    for (int i = 0; i < 4; i++) {
        tl_document *first = NULL, *second = NULL;
        size_t length;
        context("text %d", i);
        assert_ok(parse_sets(texts[i % 2], i / 2, sets, &first));
        const char *text = tl_document_text(first, &length);
        assert_int_equal(strlen(text), length);
        assert_ok(tl_document_parse("again.json", text, length, 0, NULL, &second));
        assert_int_equal(run(tl_document_scene(first), 50), run(tl_document_scene(second), 50));
        assert_string_equal(tl_document_text(second, NULL), text);
        tl_document_destroy(first);
        tl_document_destroy(second);
    }
}

/* A program that has set its locale to one with a decimal comma reads the same numbers. */
static void locale_does_not_matter(void **state)
{
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    const char *chosen = NULL;
    for (size_t i = 0; !chosen && i < 4; i++)
        chosen = setlocale(LC_NUMERIC, commas[i]);
    if (!chosen) {
        print_message("skipped: no language with a decimal comma is installed\n");
        skip();
    }
    tl_document *d = parse("{'version': 1, 'step': 0.0123456789012345678, 'duration': '=0.5'}");
    const double step_read = tl_scene_settings(tl_document_scene(d)).step;
    const double duration = tl_document_record(d).duration;
    tl_document_destroy(d);
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_NUMERIC, "C");
    assert_near(step_read, 0.0123456789012345678, 0);
    assert_near(duration, 0.5, 0);
}

/* Expressions, read as the step. */
static void expressions_have_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"2^3^2", 512},
        {"-2^2+5", 1},
        {"2^-1", 0.5},
        {"7/2/2", 1.75},
        {"5-2-1", 2},
        {" 1 + 2 ", 3},
        {"--3", 3},
        {"+3", 3},
        {"2*-3+7", 1},
        {"pi", PI},
        {"sqrt(16)", 4},
        {"sin(pi/2)", 1},
        {"cos(0)", 1},
        {"tan(pi/4)", tan(PI / 4)},
        {"min(3, 1, 2)", 1},
        {"max(3, 1, 2)", 3},
        {"floor(2.7)", 2},
        {"ceil(2.1)", 3},
        {"abs(-4)", 4},
        {"round(2.5)", 3},
        {"1e3", 1000},
        {"1.5e-1", 0.15},
        {".5", 0.5},
        {"a + b_2", 7},
        {"a*(b_2 - 1)^2", 27},
        {"min(7)", 7},
        {"exp(0)", 1},
        {"log(exp(2))", 2},
        {"asin(1)", PI / 2},
        {"acos(0)", PI / 2},
        {"atan(1)", PI / 4},
        {"atan2(1, 1)", PI / 4},
        {"mod(7, 4)", 3},
        {"5+mod(-1, 4)", 8},
        {"clamp(9, 1, 4)", 4},
        {"clamp(0, 1, 4)", 1},
        {"clamp(2, 1, 4)", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        context("%s", cases[i].text);
        snprintf(text, sizeof text,
                 "{'version': 1, 'parameters': {'a': 3, 'b_2': '=a+1'}, "
                 "'step': '=%s'}",
                 cases[i].text);
        tl_document *d = parse(text);
        assert_near(tl_scene_settings(tl_document_scene(d)).step, cases[i].value, 0);
        tl_document_destroy(d);
    }
}

/* Numbers as JSON writes them, to the last bit. */
static void numbers_are_exact(void **state)
{
    (void)state;
    static const char *const numbers[] = {"1",
                                          "0.1",
                                          "123456.789",
                                          "1e-5",
                                          "9007199254740993",
                                          "0.30000000000000004",
                                          "1.7976931348623157e308",
                                          "4.9e-324",
                                          "2.2250738585072014e-308",
                                          "3.141592653589793238462643383279502884197",
                                          "1e22",
                                          "1e23",
                                          "8.5E+3",
                                          "0.000001e6"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[200];
        context("%s", numbers[i]);
        snprintf(text, sizeof text, "{'version': 1, 'step': %s}", numbers[i]);
        tl_document *d = parse(text);
        assert_near(tl_scene_settings(tl_document_scene(d)).step, strtod(numbers[i], NULL), 0);
        tl_document_destroy(d);
    }
}

/* ---- Files ---- */

/* Fails with this status and a message with this text in it. */
#define assert_says(call, want, text)                           \
    do {                                                        \
        assert_status(call, want);                              \
        if (!strstr(tl_last_message(), text))                   \
            fail_msg("%s: no \"%s\"", tl_last_message(), text); \
    } while (0)

static void files(void **state)
{
    (void)state;
    char folder[] = "/tmp/talus_scene_XXXXXX", path[64], missing[64], text[200];
    tl_document *d = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.json", folder);
    snprintf(missing, sizeof missing, "%s/missing.json", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"version\": 1,\n \"stp\": 2}", file);
    fclose(file);
    assert_status(tl_document_read(path, 0, NULL, &d), TL_BAD_DATA);
    snprintf(text, sizeof text, "%s:2:2: unknown key 'stp'; did you mean 'step'?", path);
    assert_string_equal(tl_last_message(), text);
    assert_null(d);

    file = fopen(path, "w");
    fputs("{\"version\": 1}", file);
    fclose(file);
    assert_ok(tl_document_read(path, 0, NULL, &d));
    assert_string_equal(tl_document_text(d, NULL), "{\"version\": 1}");
    tl_document_destroy(d);

    assert_int_equal(truncate(path, 5000000000), 0); /* takes no room on the disk */
    assert_says(tl_document_read(path, 0, NULL, &d), TL_FILE,
                "has 5000000000 bytes, expected at most 4294967231");
    assert_int_equal(truncate(path, 0), 0);
    assert_says(tl_document_read(path, 0, NULL, &d), TL_BAD_DATA, "is empty");
    assert_says(tl_document_read(folder, 0, NULL, &d), TL_FILE, "is a folder, expected a file");
    assert_says(tl_document_read("/dev/null", 0, NULL, &d), TL_FILE, "is a device");
    assert_says(tl_document_read(missing, 0, NULL, &d), TL_FILE,
                "cannot be opened: No such file or directory");
    unlink(path);
    rmdir(folder);
}

static void bad_arguments(void **state)
{
    (void)state;
    tl_document *d = NULL;
    const char *const none[] = {NULL};
    assert_says(tl_document_parse("s", "{}", 2, 0, NULL, NULL), TL_BAD_ARGUMENT, "document");
    assert_says(tl_document_parse(NULL, "{}", 2, 0, NULL, &d), TL_BAD_ARGUMENT, "name");
    assert_says(tl_document_parse("s", NULL, 2, 0, NULL, &d), TL_BAD_ARGUMENT, "text");
    assert_says(tl_document_parse("s", "{}", 2, 1, NULL, &d), TL_BAD_ARGUMENT, "sets");
    assert_says(tl_document_parse("s", "{}", 2, 1, none, &d), TL_BAD_ARGUMENT, "sets[0]");
    assert_says(tl_document_read(NULL, 0, NULL, &d), TL_BAD_ARGUMENT, "name");
    tl_document_destroy(NULL);
    assert_null(tl_document_scene(NULL));
    assert_string_equal(tl_document_text(NULL, NULL), "");
    assert_string_equal(tl_document_title(NULL), "");
    assert_null(tl_document_body_name(NULL, (tl_body){1, 1}));
    assert_null(tl_document_material_name(NULL, (tl_material){0}));
    assert_int_equal(tl_document_find_body(NULL, "a").index, 0);
    tl_document_describe(NULL, (tl_body){1, 1}, NULL, 0);
}

/* Groups, masks and sensors of shapes; and what is excluded. */
static void filters_are_read(void **state)
{
    (void)state;
    static const struct {
        uint32_t body, group, mask;
        bool sensor;
    } want[] = {{1, 5, UINT32_MAX, false}, {2, 2, 4, false},          {2, 8, 0, true},
                {3, 2, 4, false},          {3, 8, 0, true},           {4, 1, 10, true},
                {4, 1, UINT32_MAX, false}, {5, 10, 5, false},         {6, 10, 5, false},
                {7, 2, UINT32_MAX, false}, {7, 4, UINT32_MAX, false}, {8, 8, 1, false}};
    enum { COUNT = sizeof want / sizeof *want };
    tl_document *document = parse(scene_filters);
    tl_world *world = NULL;
    tl_shape_info shapes[COUNT];
    assert_ok(tl_world_create(tl_document_scene(document), &world));
    while (tl_world_shape_count(world) < COUNT) /* the last one comes from the emitter */
        step(world, 1);
    assert_ok(tl_world_read_shapes(world, COUNT, shapes));
    for (size_t i = 0; i < COUNT; i++) {
        context("shape %zu", i);
        assert_int_equal(shapes[i].body.index, want[i].body);
        assert_int_equal(shapes[i].def.group, want[i].group);
        assert_int_equal(shapes[i].def.mask, want[i].mask);
        assert_int_equal(shapes[i].def.sensor, want[i].sensor);
    }
    double z[3];
    step(world, 200); /* grains collide with walls, but these are excluded from the floor */
    position_of(world, (tl_body){2, 1}, z);
    assert_below(z[2], -2);
    tl_world_destroy(world);
    tl_document_destroy(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_are_read),
        cmocka_unit_test(bodies_are_those_of_the_file),
        cmocka_unit_test(fills_are_those_of_the_file),
        cmocka_unit_test(motions_are_those_of_the_file),
        cmocka_unit_test(names_and_places),
        cmocka_unit_test(finds_each_of_many_names),
        cmocka_unit_test(text_reads_to_the_same_scene),
        cmocka_unit_test(locale_does_not_matter),
        cmocka_unit_test(expressions_have_values),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(files),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
