/* labels: longer */
/* Failing allocations: the n-th one fails, for every n that a scene, a world, its edits, steps and
 * snapshots need. The failed call says so and changes nothing: done again it succeeds, and the run
 * ends in the same state as one in which nothing failed. Nothing leaks. */
#include "support.h"

#include "world/world.h"

/* Of so many allocations one fails, another one with each solver. */
#define STRIDE (WATCHED ? 29u : is_long() ? 1u : 7u)

/* An allocator that counts, and fails once or from some allocation on. */
static struct {
    size_t calls, fail_at; /* 1 for the first; 0: none fails */
    bool for_good;         /* every later one fails too */
    bool failed;
    size_t blocks, bytes; /* not given back yet */
} memory;

static void *counting_allocate(size_t bytes, void *user)
{
    (void)user;
    memory.calls++;
    if (memory.fail_at &&
        (memory.for_good ? memory.calls >= memory.fail_at : memory.calls == memory.fail_at)) {
        memory.failed = true;
        return NULL;
    }
    void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(block);
    memset(block, 0xa5, bytes); /* nobody may count on zeros */
    memory.blocks++;
    memory.bytes += bytes;
    return block;
}

static void counting_release(void *block, size_t bytes, void *user)
{
    (void)user;
    assert_non_null(block);
    assert_true(memory.blocks > 0 && memory.bytes >= bytes);
    memory.blocks--;
    memory.bytes -= bytes;
    memset(block, 0x5a, bytes);
    free(block);
}

static void start_counting(size_t fail_at, bool for_good)
{
    const tl_allocator allocator = {counting_allocate, counting_release, NULL};
    assert_int_equal(memory.blocks, 0);
    memory.calls = 0;
    memory.fail_at = fail_at;
    memory.for_good = for_good;
    memory.failed = false;
    tl_set_allocator(&allocator);
}

/* Does a call again if it failed for lack of memory. Where every allocation fails, gives up. */
static bool again(tl_status status, bool *given_up)
{
    if (status >= 0 || *given_up)
        return false;
    assert_status(status, TL_NO_MEMORY);
    assert_non_null(strstr(tl_last_message(), "bytes"));
    if (memory.for_good)
        *given_up = true;
    return !memory.for_good;
}

#define TRY(call)                          \
    do {                                   \
        if (!given_up) {                   \
            tl_status status_ = (call);    \
            if (again(status_, &given_up)) \
                assert_ok(call);           \
        }                                  \
    } while (0)

static bool jointed; /* lives have joints */
static bool struck;  /* and impacts, all at once */

static void describe(tl_scene *scene, bool *gave_up)
{
    bool given_up = *gave_up;
    const double times[2] = {0, 1}, rows[12] = {0}, offsets[6] = {0, 0, 0, 0.1, 0, 0};
    tl_shape_def plane = tl_plane_default(), ball = tl_sphere_default(0.1);
    tl_material_def surface = tl_material_default();
    surface.restitution = struck ? 1 : surface.restitution;
    tl_force_def force = tl_force_default();
    tl_body_def defs[6];
    tl_body bodies[6];
    TRY(tl_scene_add_material(scene, &surface, &ball.material));
    for (int i = 0; i < 6; i++) {
        defs[i] = tl_body_default();
        defs[i].shape_count = 1;
        defs[i].shapes = i ? &ball : &plane;
        defs[i].position[0] = 0.21 * i;
        defs[i].position[2] = i ? 0.1 * i : 0;
    }
    defs[0].kind = TL_PRESCRIBED;
    defs[0].motion.kind = TL_MOTION_TABLE;
    defs[0].motion.table_length = 2;
    defs[0].motion.times = times;
    defs[0].motion.offsets = offsets;
    defs[0].motion.rotation = TL_MOTION_EXPRESSION;
    defs[0].motion.angular_expressions[2] = "0.1*t";
    TRY(tl_scene_add_bodies(scene, 6, defs, bodies));
    tl_shape_def gate = tl_box_default(0.3, 0.3, 0.1);
    gate.sensor = true;
    defs[1].kind = TL_FIXED;
    defs[1].shapes = &gate;
    TRY(tl_scene_add_bodies(scene, 1, &defs[1], NULL));
    TRY(tl_scene_exclude(scene, (tl_body){2, 1}, (tl_body){3, 1}));
    TRY(tl_scene_exclude(scene, (tl_body){4, 1}, (tl_body){5, 1}));
    force.table_length = 2;
    force.times = times;
    force.values = rows;
    if (!given_up)
        force.body = bodies[2];
    TRY(tl_scene_add_force(scene, &force));
    *gave_up = given_up;
}

/* A hull that is about to lie on a square of two triangles. */
static void add_solids(tl_scene *scene, bool *gave_up)
{
    static const double points[5][3] = {
        {-0.1, -0.1, 0}, {0.1, -0.1, 0}, {0.1, 0.1, 0}, {-0.1, 0.1, 0}, {0, 0, 0.2}};
    static const double corners[4][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    bool given_up = *gave_up;
    tl_geometry geometry[2] = {{0}, {0}};
    tl_mesh *mesh = NULL;
    tl_mesh_def def = tl_mesh_default();
    def.vertex_count = 4;
    def.vertices = corners[0];
    def.triangle_count = 2;
    def.triangles = triangles[0];
    TRY(tl_scene_add_hull(scene, 5, points[0], &geometry[0]));
    TRY(tl_mesh_create(&def, &mesh));
    TRY(tl_scene_add_mesh(scene, mesh, &geometry[1]));
    tl_mesh_destroy(mesh);
    const tl_shape_def hull = tl_hull_default(geometry[0]),
                       square = tl_mesh_shape_default(geometry[1]);
    tl_body_def bodies[2] = {tl_body_default(), tl_body_default()};
    tl_body made[2];
    bodies[0].shapes = &hull;
    bodies[1].shapes = &square;
    bodies[1].kind = TL_FIXED;
    for (int i = 0; i < 2; i++) {
        bodies[i].shape_count = 1;
        bodies[i].position[0] = 5;
        bodies[i].position[2] = i ? 0.5 : 0.501;
    }
    TRY(tl_scene_add_bodies(scene, 2, bodies, made));
    *gave_up = given_up;
}

/* A force by a group and an emitter, a mean and an expression of it: all that a monitor can own. */
static void measure(tl_scene *scene, bool *gave_up)
{
    bool given_up = *gave_up;
    const tl_body_range ranges[2] = {{{1, 1}, 2}, {{5, 1}, 1}};
    const uint32_t emitters[2] = {0, 1};
    tl_monitor_def def = tl_monitor_default();
    def.name = "force";
    def.on = (tl_group_def){.range_count = 2, .ranges = ranges};
    def.by = (tl_group_def){
        .range_count = 1, .ranges = ranges, .emitter_count = 2, .emitters = emitters};
    TRY(tl_scene_add_monitor(scene, &def));
    def.kind = TL_MONITOR_MEAN;
    def.name = "mean";
    def.of = "force.z";
    def.window = 0.01;
    TRY(tl_scene_add_monitor(scene, &def));
    def.kind = TL_MONITOR_EXPRESSION;
    def.name = "half";
    def.expression = "mean / 2";
    def.unit = "N";
    TRY(tl_scene_add_monitor(scene, &def));
    def.kind = TL_MONITOR_TOUCHING;
    def.name = "touching";
    TRY(tl_scene_add_monitor(scene, &def));
    def.kind = TL_MONITOR_RAY;
    def.name = "ray";
    def.axis[2] = -1;
    def.max_distance = 1;
    def.from = (tl_body){3, 1};
    TRY(tl_scene_add_monitor(scene, &def));
    *gave_up = given_up;
}

/* Spheres of every pattern, and all that a schedule can hold, due in the first steps. */
static void plan(tl_scene *scene, bool *gave_up)
{
    bool given_up = *gave_up;
    const tl_body gone[2] = {{2, 1}, {4, 1}};
    tl_body first = {0, 0};
    tl_fill_def fill = tl_fill_default();
    tl_emitter_def emitter = tl_emitter_default();
    tl_event_def event = tl_event_default();
    tl_boundary_def boundary = tl_boundary_default();
    fill.size = (tl_size_def){TL_SIZE_UNIFORM, 0, 0, 0.04, 0.06};
    for (int pattern = 0; pattern < 4; pattern++) {
        fill.pattern = (tl_fill_pattern)pattern;
        fill.region = tl_region_box((double[3]){0.5 * pattern, 2, 0},
                                    (double[3]){0.5 * pattern + 0.4, 2.4, 0.4});
        fill.count = pattern == TL_FILL_CLOSE ? 0 : 4;
        TRY(tl_scene_fill(scene, &fill, NULL, &first));
    }
    emitter.region = tl_region_box((double[3]){0, 0, 1}, (double[3]){1, 1, 2});
    emitter.size = fill.size;
    emitter.rate = 1000;
    emitter.interval = 0.005;
    TRY(tl_scene_add_emitter(scene, &emitter));
    const tl_shape_def club[2] = {tl_capsule_default(0.02, 0.05), tl_box_default(0.04, 0.04, 0.04)};
    const tl_template_def templates[2] = {{1, 2, club}, {1, 1, &club[1]}};
    emitter.region = tl_region_box((double[3]){0, 0, 2}, (double[3]){1, 1, 3});
    emitter.size = (tl_size_def){.kind = TL_SIZE_UNIFORM, .low = 0.5, .high = 1};
    emitter.template_count = 2;
    emitter.templates = templates;
    TRY(tl_scene_add_emitter(scene, &emitter));
    event.time = 0.005;
    event.body_count = 2;
    event.bodies = gone;
    TRY(tl_scene_add_event(scene, &event));
    const tl_body floor = {1, 1};
    event.kind = TL_EVENT_MOTION;
    event.body_count = 1;
    event.bodies = &floor;
    event.motion.kind = TL_MOTION_EXPRESSION;
    event.motion.expressions[0] = "0.1*t";
    TRY(tl_scene_add_event(scene, &event));
    event.kind = TL_EVENT_GRAVITY;
    event.time = 0;
    event.gravity[2] = -5;
    TRY(tl_scene_add_event(scene, &event));
    boundary.region = tl_region_box((double[3]){-9, -9, -9}, (double[3]){9, 9, 2.8});
    boundary.interval = 0.005;
    TRY(tl_scene_add_boundary(scene, &boundary));
    tl_patch_def patch = tl_patch_default();
    patch.follow = floor;
    patch.grains = (tl_body_range){first, 1};
    patch.length = 1;
    patch.direction[0] = 0;
    patch.direction[1] = -1;
    TRY(tl_scene_add_patch(scene, &patch));
    measure(scene, &given_up);
    *gave_up = given_up;
}

/* Rays with a tree, what is near, the contacts of one body. */
static void ask(tl_world *world, bool *gave_up)
{
    bool given_up = *gave_up;
    tl_ray rays[8];
    tl_ray_hit hits[8];
    tl_neighbour near[4];
    tl_contact contacts[4];
    size_t count;
    const tl_body nobody = {0, 0}, floor = {1, 1};
    const tl_shape_def box = tl_box_default(0.1, 0.2, 0.3);
    for (int i = 0; i < 8; i++) {
        rays[i] = tl_ray_default();
        rays[i].origin[0] = 0.21 * i;
        rays[i].origin[2] = 3;
    }
    TRY(tl_world_cast_rays(world, 1, rays, hits));
    TRY(tl_world_cast_rays(world, 8, rays, hits));
    TRY(tl_world_overlaps(world, &box, 0.1, nobody, 4, near, &count));
    TRY(tl_world_nearest(world, &box, INFINITY, floor, near));
    TRY(tl_world_body_contacts(world, floor, TL_ANY_SHAPE, nobody, 4, contacts, &count));
    *gave_up = given_up;
}

static void edit(tl_world *world, bool *gave_up)
{
    bool given_up = *gave_up;
    const tl_body gone[2] = {{3, 1}, {5, 1}};
    tl_shape_def ball = tl_sphere_default(0.05);
    tl_force_def force = tl_force_default();
    tl_body_def defs[40];
    tl_body fresh[40] = {{0, 0}};
    for (int i = 0; i < 5; i++) /* one by one: a failing step keeps those before it */
        TRY(tl_world_step(world, 1, NULL));
    TRY(tl_world_find_contacts(world));
    ask(world, &given_up);
    TRY(tl_world_remove_bodies(world, 2, gone));
    tl_motion_def motion = tl_motion_default();
    const double times[2] = {0, 1}, rotations[6] = {0, 0, 0, 0, 0, 0.1};
    motion.kind = TL_MOTION_EXPRESSION;
    motion.expressions[1] = "sin(t)";
    motion.rotation = TL_MOTION_TABLE;
    motion.angular_table_length = 2;
    motion.angular_times = times;
    motion.rotations = rotations;
    TRY(tl_world_set_motion(world, (tl_body){1, 1}, &motion));
    for (int i = 0; i < 40; i++) { /* enough that buffers grow, and contacts with them */
        defs[i] = tl_body_default();
        defs[i].shape_count = 1;
        defs[i].shapes = &ball;
        defs[i].position[0] = 0.101 * (i % 7);
        defs[i].position[1] = 0.3 + 0.101 * (i / 7);
        defs[i].position[2] = 0.05;
    }
    TRY(tl_world_add_bodies(world, 40, defs, fresh));
    for (uint32_t i = 0; i < 20; i++)
        TRY(tl_world_exclude(world, (tl_body){1, 1}, (tl_body){20 + i, 1}, true));
    TRY(tl_world_exclude(world, (tl_body){25, 1}, (tl_body){1, 1}, false));
    force.body = given_up ? (tl_body){2, 1} : fresh[7];
    force.force[0] = 1;
    TRY(tl_world_add_force(world, &force));
    ask(world, &given_up);
    for (int i = 0; i < 5; i++)
        TRY(tl_world_step(world, 1, NULL));
    *gave_up = given_up;
}

/* A ball with 60 others around it: sweeps have copies of it. */
static bool crowded;

static void add_crowd(tl_scene *scene, bool *gave_up)
{
    bool given_up = *gave_up;
    tl_shape_def large = tl_sphere_default(1), small = tl_sphere_default(0.05);
    tl_body_def defs[61];
    for (int i = 0; i < 61; i++) {
        const double z = i ? 1 - (2 * i - 1.0) / 60 : 0, across = i ? 1.0499 * sqrt(1 - z * z) : 0;
        defs[i] = tl_body_default();
        defs[i].shape_count = 1;
        defs[i].shapes = i ? &small : &large;
        defs[i].position[0] = across * cos(2.399963 * i);
        defs[i].position[1] = across * sin(2.399963 * i);
        defs[i].position[2] = 20 + 1.0499 * z;
    }
    TRY(tl_scene_add_bodies(scene, 61, defs, NULL));
    *gave_up = given_up;
}

/* Joints of every sort of row, with a table and an expression. */
static void add_joints(tl_scene *scene, bool *gave_up)
{
    bool given_up = *gave_up;
    static const double values[2] = {-1, 1}, forces[2] = {10, -10};
    tl_joint_def hinge = tl_joint_default(TL_JOINT_REVOLUTE);
    tl_joint_def rope = tl_joint_default(TL_JOINT_DISTANCE);
    hinge.b = (tl_body){4, 1};
    hinge.position_a[0] = 0.63;
    hinge.position_a[2] = 0.3;
    hinge.axes[5].spring_length = 2;
    hinge.axes[5].spring_values = values;
    hinge.axes[5].spring_forces = forces;
    hinge.axes[5].drive = TL_DRIVE_FORCE;
    hinge.axes[5].target.kind = TL_FUNCTION_EXPRESSION;
    hinge.axes[5].target.expression = "0.1*t";
    TRY(tl_scene_add_joint(scene, &hinge, NULL));
    rope.a = (tl_body){5, 1};
    rope.b = (tl_body){6, 1};
    rope.rope = true;
    TRY(tl_scene_add_joint(scene, &rope, NULL));
    *gave_up = given_up;
}

/* Joints that come, are looked at and go. */
static void edit_joints(tl_world *world, bool *gave_up)
{
    bool given_up = *gave_up;
    tl_joint_def rod = tl_joint_default(TL_JOINT_DISTANCE);
    tl_joint_state states[3];
    tl_joint added = {0};
    rod.a = (tl_body){4, 1};
    rod.b = (tl_body){5, 1};
    for (int i = 0; i < 3; i++)
        TRY(tl_world_step(world, 1, NULL));
    TRY(tl_world_add_joint(world, &rod, &added));
    TRY(tl_world_read_joints(world, 3, NULL, states));
    TRY(tl_world_step(world, 1, NULL));
    TRY(tl_world_set_drive(world, (tl_joint){1}, 5, 0.5));
    TRY(tl_world_step(world, 1, NULL));
    TRY(tl_world_remove_joint(world, (tl_joint){2}));
    TRY(tl_world_step(world, 1, NULL));
    *gave_up = given_up;
}

/* The whole life of a scene (with a schedule, if `busy`) and a world; returns the final hash, 0 if
 * it was given up. */
static uint64_t life(tl_solver_kind kind, tl_precision precision, bool busy)
{

    tl_scene *scene = NULL;
    tl_world *world = NULL, *loaded = NULL;
    void *snapshot = NULL;
    size_t bytes = 0;
    bool given_up = false;
    uint64_t hash = 0;
    TRY(tl_scene_create(&scene));
    if (scene) {
        tl_settings settings = tl_settings_default();
        settings.solver.kind = kind;
        settings.precision = precision;
        settings.threads = 2;
        settings.impacts = struck ? TL_IMPACTS_SIMULTANEOUS : settings.impacts;
        assert_ok(tl_scene_set_settings(scene, &settings));
        describe(scene, &given_up);
        add_solids(scene, &given_up);
        if (busy)
            plan(scene, &given_up);
        if (crowded)
            add_crowd(scene, &given_up);
        if (jointed)
            add_joints(scene, &given_up);
    }
    TRY(tl_world_create(scene, &world));
    assert_true((world != NULL) == !given_up);
    if (world && jointed)
        edit_joints(world, &given_up);
    else if (world && !busy)
        edit(world, &given_up);
    for (int i = 0; i < 3 && busy; i++)
        TRY(tl_world_step(world, 1, NULL));
    TRY(tl_world_save(world, &snapshot, &bytes));
    TRY(tl_world_load(snapshot, bytes, &loaded));
    assert_true((loaded != NULL) == !given_up);
    for (int i = 0; i < (busy ? 2 : 5); i++) {
        TRY(tl_world_step(loaded, 1, NULL));
        TRY(tl_world_find_contacts(loaded));
    }
    for (int i = 0; i < 2 && !given_up && !hash; i++)
        hash = tl_world_hash(loaded); /* 0 where it found no memory */
    assert_true(given_up || loaded->crowded == crowded);
    tl_snapshot_free(snapshot, bytes);
    tl_world_destroy(loaded);
    tl_world_destroy(world);
    tl_scene_destroy(scene);
    if (memory.blocks || memory.bytes)
        fail_msg("%s: %zu blocks of %zu bytes are not given back", test_context, memory.blocks,
                 memory.bytes);
    return hash;
}

static void every_allocation(tl_solver_kind kind, tl_precision precision, bool busy)
{
    context("nothing fails");
    start_counting(0, false);
    const uint64_t expected = life(kind, precision, busy);
    const size_t most = memory.calls;
    assert_true(expected != 0 && most >= 10);
    for (size_t n = 1 + (2 * (size_t)kind + (size_t)precision) % STRIDE;; n += STRIDE) {
        context("solver %d, precision %d: allocation %zu of %zu fails", kind, precision, n, most);
        start_counting(n, false);
        const uint64_t hash = life(kind, precision, busy);
        if (!memory.failed)
            break;
        assert_true(n < 100 * most); /* or it would never end */
        if (hash != expected)
            fail_msg("%s: another state than without failure", test_context);
        context("solver %d, precision %d: all from allocation %zu on fail", kind, precision, n);
        start_counting(n, true);
        (void)life(kind, precision, busy);
    }
    tl_set_allocator(NULL);
}

static void test_psor(void **state)
{
    (void)state;
    every_allocation(TL_PSOR, TL_MIXED, false);
    every_allocation(TL_PSOR, TL_DOUBLE, false);
}

static void test_others(void **state)
{
    (void)state;
    every_allocation(TL_JACOBI, TL_MIXED, false);
    every_allocation(TL_APGD, TL_DOUBLE, false);
    every_allocation(TL_SPG, TL_MIXED, false);
}

static void test_schedule(void **state)
{
    (void)state;
    every_allocation(TL_PSOR, TL_MIXED, true);
}

static void test_crowd(void **state)
{
    (void)state;
    crowded = true;
    every_allocation(TL_PSOR, TL_DOUBLE, false);
    crowded = false;
}

static void test_joints(void **state)
{
    (void)state;
    jointed = true;
    every_allocation(TL_PSOR, TL_DOUBLE, false);
    struck = true;
    every_allocation(TL_PSOR, TL_MIXED, false);
    struck = false;
    jointed = false;
}

/* A ball that a joint holds half in a box, among 20 that are in it, too, and touch nothing. A force
 * breaks the joint at once and draws the ball out: it is looked at before each step until it is
 * apart from the box, by more neighbours than there is room for at first. Returns the final hash, 0
 * if it was given up. */
static uint64_t parting_life(void)
{
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    tl_settings settings = tl_settings_default();
    tl_shape_def shapes[3] = {tl_box_default(0.3, 0.3, 0.3), tl_sphere_default(0.1),
                              tl_sphere_default(0.02)};
    tl_body_def defs[22];
    tl_force_def pull = tl_force_default();
    tl_joint_def weld = tl_joint_default(TL_JOINT_FIXED);
    bool given_up = false;
    uint64_t hash = 0;
    settings.step = 0.01;
    settings.gravity[2] = 0;
    settings.threads = 1;
    shapes[2].mask = 0;
    for (int i = 0; i < 22; i++) {
        defs[i] = tl_body_default();
        defs[i].kind = i < 2 ? TL_DYNAMIC : TL_FIXED;
        defs[i].shape_count = 1;
        defs[i].shapes = &shapes[i < 2 ? i : 2];
        defs[i].position[0] = i < 2 ? 0 : 0.02 * i - 0.22;
        defs[i].position[2] = i == 1 ? 0.3 : 0;
    }
    defs[0].mass = 100;
    defs[1].mass = 1;
    weld.a = (tl_body){1, 1};
    weld.b = pull.body = (tl_body){2, 1};
    weld.position_a[2] = 0.3;
    weld.break_force = 10;
    pull.force[2] = 50;
    TRY(tl_scene_create(&scene));
    TRY(tl_scene_set_settings(scene, &settings));
    TRY(tl_scene_add_bodies(scene, 22, defs, NULL));
    TRY(tl_scene_add_force(scene, &pull));
    TRY(tl_scene_add_joint(scene, &weld, NULL));
    TRY(tl_world_create(scene, &world));
    TRY(tl_world_step(world, 1, NULL));
    assert_true(given_up || world->mechanism.parting);
    for (int i = 0; i < 12; i++)
        TRY(tl_world_step(world, 1, NULL));
    assert_true(given_up || !world->mechanism.parting);
    for (int i = 0; i < 2 && !given_up && !hash; i++)
        hash = tl_world_hash(world);
    tl_world_destroy(world);
    tl_scene_destroy(scene);
    assert_int_equal(memory.blocks, 0);
    return hash;
}

static void test_parting(void **state)
{
    (void)state;
    context("nothing fails");
    start_counting(0, false);
    const uint64_t expected = parting_life();
    assert_true(expected != 0);
    for (size_t n = 1;; n += WATCHED ? 5 : 1) {
        context("parting: allocation %zu fails", n);
        start_counting(n, false);
        const uint64_t hash = parting_life();
        if (!memory.failed)
            break;
        assert_true(hash == expected);
        start_counting(n, true);
        (void)parting_life();
    }
    tl_set_allocator(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_psor),     cmocka_unit_test(test_others),
        cmocka_unit_test(test_schedule), cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_joints),   cmocka_unit_test(test_parting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
