/* Penalty contact: the laws hertz and linear against closed forms, integrators, energies, resume
 * and threads. */
#include "failing.h"
#include "penalty.h"

static const double pi = 3.14159265358979323846;

/* What is left of the speed of a ball that hits the floor. */
static double rebound(tl_penalty_law law, double restitution, bool attraction)
{
    soft s = soft_default(law, 2e-6, 1);
    s.settings.gravity[2] = 0;
    s.settings.penalty.attraction = attraction;
    s.material.restitution = restitution;
    s.material.friction = 0;
    soft_begin(&s);
    soft_floor(&s, 0);
    const tl_body ball = soft_ball(&s, 0.01, (double[3]){0, 0, 0.01}, (double[3]){0, 0, -1}, 0.004);
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 2000, NULL));
    const double v = soft_velocity(world, ball, 2);
    tl_world_destroy(world);
    return v;
}

static void test_restitution(void **state)
{
    (void)state;
    static const claim c = {"a ball that hits the floor at 1 m/s, penalty contact",
                            "the restitution of the material", "speed after it, m/s",
                            "substep 2 us, without attraction"};
    const double asked[] = {1, 0.9, 0.5, 0.25, 0.1};
    for (int law = TL_PENALTY_HERTZ; law <= TL_PENALTY_LINEAR; law++)
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
            const char *word = tl_word(TL_WORDS_PENALTY, (uint32_t)law);
            assert_found(&c, word, rebound((tl_penalty_law)law, asked[k], false), asked[k], 6e-3);
            assert_near(rebound((tl_penalty_law)law, asked[k], true), asked[k], 6e-3);
        }
    /* 0 is critical damping, which without attraction leaves exp(-2) */
    assert_near(rebound(TL_PENALTY_LINEAR, 0, false), exp(-2), 6e-3);
    assert_below(fabs(rebound(TL_PENALTY_LINEAR, 0, true)), 0.02);
}

/* Depth and duration of an elastic impact of two balls (Hertz, 1882). */
static void test_hertz_impact(void **state)
{
    (void)state;
    static const claim deep = {"an elastic impact of two equal balls at 2 m/s, Hertz",
                               "closed form: (15 m v^2/(16 E sqrt R))^0.4", "greatest overlap, m",
                               "substep 0.5 us"};
    static const claim lasts = {"an elastic impact of two equal balls at 2 m/s, Hertz",
                                "closed form: 2.943 depth/v", "duration, s", "substep 0.5 us"};
    const double r = 0.01, mass = 0.01, v = 2, E = 1e8 / (2 * (1 - 0.09));
    const double depth = pow(15 * (mass / 2) * v * v / (16 * E * sqrt(r / 2)), 0.4);
    soft s = soft_default(TL_PENALTY_HERTZ, 5e-7, 1);
    s.settings.gravity[2] = 0;
    s.material.restitution = 1;
    soft_begin(&s);
    const tl_body a = soft_ball(&s, r, (double[3]){-r, 0, 0}, (double[3]){v / 2, 0, 0}, mass);
    const tl_body b = soft_ball(&s, r, (double[3]){r, 0, 0}, (double[3]){-v / 2, 0, 0}, mass);
    tl_world *world = soft_world(&s);
    double most = 0, end = 0;
    for (int k = 0; k < 6000; k++) {
        tl_report report;
        assert_ok(tl_world_step(world, 1, &report));
        most = fmax(most, report.max_penetration);
        if (!end && k > 10 && report.active_contacts == 0)
            end = report.time;
    }
    assert_found(&deep, "double", most, depth, 1e-4 * depth);
    assert_found(&lasts, "double", end, 2.943275 * depth / v, 2e-3 * end);
    assert_near(soft_velocity(world, a, 0), -v / 2, 1e-5);
    assert_near(soft_velocity(world, b, 0), v / 2, 1e-5);
    tl_world_destroy(world);
}

/* Contacts are those that touch or did in the step: none of balls that are only near, and after a
 * step within which two meet and part one whose impulse is what their momenta changed by. */
static void test_contacts(void **state)
{
    (void)state;
    const double r = 0.01, mass = 0.01, v = 0.1;
    soft s = soft_default(TL_PENALTY_HERTZ, 2e-3, 4000);
    s.settings.gravity[2] = 0;
    s.material.restitution = 1;
    soft_begin(&s);
    soft_ball(&s, r, (double[3]){-1.015 * r, 0, 0}, (double[3]){v / 2, 0, 0}, mass);
    const tl_body b =
        soft_ball(&s, r, (double[3]){1.015 * r, 0, 0}, (double[3]){-v / 2, 0, 0}, mass);
    tl_world *world = soft_world(&s);
    size_t met = 0;
    for (int k = 0; k < 8; k++) {
        const double before = soft_velocity(world, b, 0);
        assert_ok(tl_world_step(world, 1, NULL));
        size_t count;
        tl_contact *contacts = contacts_of(world, &count);
        const double gained = mass * (soft_velocity(world, b, 0) - before);
        assert_int_equal(count, fabs(gained) > 1e-9 ? 1 : 0);
        if (count)
            assert_near(fabs(contacts[0].impulse[0]), fabs(gained), 1e-6 * mass * v);
        met += count;
        free(contacts);
    }
    assert_true(met == 1 || met == 2); /* it lasts for 1.3 ms */
    assert_near(soft_velocity(world, b, 0), v / 2, 1e-4 * v);
    tl_world_destroy(world);
}

/* An oblique impact that slips throughout: friction takes mu (1 + e) v_n, whatever the stiffness
 * (Foerster et al., 1994; tests 4 to 6 of Chung and Ooi, 2011). */
static void test_gross_slip(void **state)
{
    (void)state;
    static const claim c = {"an oblique impact of a ball on a plate that slips throughout",
                            "closed form: v_t - mu (1 + e) v_n, spin 5 mu (1 + e) v_n/(2 r)",
                            "tangential speed after it, m/s", "Hertz, substep 0.2 us"};
    const double r = 0.0025, mu = 0.092, e = 0.98, speed = 3.9, angle = 20 * pi / 180;
    const double vn = speed * sin(angle), vt = speed * cos(angle);
    soft s = soft_default(TL_PENALTY_HERTZ, 2e-7, 1);
    s.settings.gravity[2] = 0;
    s.material.restitution = e;
    s.material.friction = mu;
    s.material.young_modulus = 1e9;
    soft_begin(&s);
    soft_floor(&s, 0);
    const tl_body ball = soft_ball(&s, r, (double[3]){0, 0, r}, (double[3]){vt, 0, -vn}, 2.6e-4);
    tl_world *world = soft_world(&s);
    double w[3];
    assert_ok(tl_world_step(world, 4000, NULL));
    assert_ok(tl_world_read_angular_velocities(world, 1, &ball, w));
    assert_found(&c, "double", soft_velocity(world, ball, 0), vt - mu * (1 + e) * vn, 2e-3);
    assert_near(w[1], 2.5 * mu * (1 + e) * vn / r, 0.01 * w[1]);
    assert_near(soft_velocity(world, ball, 2), e * vn, 2e-3);
    tl_world_destroy(world);
}

/* Three balls in one body: it cannot roll. */
static tl_body tripod(soft *s, double angle)
{
    const double r = 0.01, height = r;
    tl_body_def def = tl_body_default();
    tl_shape_def balls[3];
    tl_body body;
    for (int k = 0; k < 3; k++) {
        balls[k] = tl_sphere_default(r);
        balls[k].material = s->of;
        balls[k].position[0] = 0.03 * cos(2 * pi * k / 3);
        balls[k].position[1] = 0.03 * sin(2 * pi * k / 3);
    }
    def.shape_count = 3;
    def.shapes = balls;
    turn((double[3]){0, 1, 0}, angle, def.orientation);
    def.position[0] = height * sin(angle);
    def.position[2] = height * cos(angle);
    assert_ok(tl_scene_add_bodies(s->scene, 1, &def, &body));
    return body;
}

/* It rests below tan a = mu, and slides above by g (sin a - mu cos a). */
static void incline(tl_penalty_law law, tl_precision precision, bool slides, const claim *c)
{
    const double mu = 0.5, angle = atan((slides ? 1.2 : 0.9) * mu);
    soft s = soft_default(law, 0.005, 0);
    s.settings.precision = precision;
    s.material.friction = mu;
    s.material.restitution = 0.3;
    s.material.young_modulus = 1e6;
    soft_begin(&s);
    soft_floor(&s, angle);
    const tl_body body = tripod(&s, angle);
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, slides ? 40 : 400, NULL));
    const double x = soft_position(world, body, 0), z = soft_position(world, body, 2);
    if (slides) {
        const double v = hypot(soft_velocity(world, body, 0), soft_velocity(world, body, 2));
        assert_near(v, 0.2 * 9.81 * (sin(angle) - mu * cos(angle)), 0.03 * v);
    } else {
        char name[32];
        snprintf(name, sizeof name, "%s%s", tl_word(TL_WORDS_PENALTY, (uint32_t)law),
                 precision == TL_MIXED ? ", mixed" : "");
        assert_ok(tl_world_step(world, 12000, NULL));
        const double way =
            hypot(soft_position(world, body, 0) - x, soft_position(world, body, 2) - z);
        assert_found(c, name, way, 0, precision == TL_MIXED ? 1e-6 : 1e-9);
    }
    tl_world_destroy(world);
}

static void test_incline(void **state)
{
    (void)state;
    static const claim c = {"a tripod on an incline of 0.9 tan a = mu, Hertz", "Coulomb: it rests",
                            "way within 60 s, m", "h = 5 ms"};
    for (int slides = 0; slides < 2; slides++) {
        incline(TL_PENALTY_HERTZ, TL_DOUBLE, slides, &c);
        incline(TL_PENALTY_HERTZ, TL_MIXED, slides, &c);
        incline(TL_PENALTY_LINEAR, TL_DOUBLE, slides, &c);
    }
}

/* A rolling ball stops after 7 v^2/(10 mu_r g). */
static void test_rolling_distance(void **state)
{
    (void)state;
    static const claim c = {"a ball rolling at 0.5 m/s, rolling friction 0.05, penalty contact",
                            "closed form: 7 v^2/(10 mu_r g)", "way until it stops, m",
                            "h = 1 ms, E = 1e7 Pa"};
    for (int kind = TL_ROLLING_CONSTANT; kind <= TL_ROLLING_ELASTIC_PLASTIC; kind++) {
        const double r = 0.05, v = 0.5, mu = 0.05, way = 0.7 * v * v / (mu * 9.81);
        soft s = soft_default(TL_PENALTY_HERTZ, 1e-3, 0);
        s.settings.penalty.rolling = (tl_rolling)kind;
        s.material.rolling_friction = mu;
        s.material.young_modulus = 1e7;
        s.material.restitution = 0.3;
        soft_begin(&s);
        soft_floor(&s, 0);
        const tl_body ball = soft_ball(&s, r, (double[3]){0, 0, r}, (double[3]){v, 0, 0}, 0.5);
        tl_world *world = soft_world(&s);
        const double spin[3] = {0, v / r, 0};
        assert_ok(tl_world_write_velocities(world, 1, &ball, NULL, spin));
        assert_ok(tl_world_step(world, 2500, NULL));
        assert_found(&c, tl_word(TL_WORDS_ROLLING, (uint32_t)kind), soft_position(world, ball, 0),
                     way, 0.01 * way);
        assert_below(fabs(soft_velocity(world, ball, 0)), 2e-3);
        tl_world_destroy(world);
    }
}

/* The pull that it takes to part a ball from the floor, by a wall that goes up slowly: the greatest
 * tension is the cohesion of the material, 1.5 pi w R. */
static void test_pull_off(void **state)
{
    (void)state;
    static const claim c = {"a ball pulled off a floor slowly, penalty contact",
                            "closed form: 1.5 pi w R, the cohesion of the material",
                            "pull at which it leaves, N", "E = 1e7 Pa, 5 mN/s"};
    for (int kind = TL_COHESION_JKR; kind <= TL_COHESION_DMT; kind++) {
        const double r = 0.01, pull = 0.05;
        soft s = soft_default(TL_PENALTY_HERTZ, 1e-3, 40);
        s.settings.gravity[2] = 0;
        s.settings.penalty.cohesion = (tl_cohesion_law)kind;
        s.material.cohesion = pull;
        s.material.young_modulus = 1e7;
        s.material.restitution = 0.2;
        soft_begin(&s);
        soft_floor(&s, 0);
        const tl_body ball = soft_ball(&s, r, (double[3]){0, 0, r - 1e-6}, NULL, 0.004);
        const double times[3] = {0, 0.5, 2.5};
        double values[18] = {0};
        tl_force_def force = tl_force_default();
        values[8] = 0.9 * pull;
        values[14] = 1.1 * pull;
        force.body = ball;
        force.table_length = 3;
        force.times = times;
        force.values = values;
        assert_ok(tl_scene_add_force(s.scene, &force));
        tl_world *world = soft_world(&s);
        double most = 0;
        while (tl_world_time(world) < 2.4 && soft_position(world, ball, 2) < r + 1e-4) {
            assert_ok(tl_world_step(world, 1, NULL));
            most = (0.9 + 0.1 * (tl_world_time(world) - 0.5)) * pull;
        }
        assert_found(&c, tl_word(TL_WORDS_COHESION, (uint32_t)kind), most, pull, 0.02 * pull);
        assert_above(soft_position(world, ball, 2), r + 1e-4);
        tl_world_destroy(world);
    }
}

/* A box of elastic balls without friction keeps its energy. */
static tl_world *gas(tl_precision precision, uint32_t threads, double friction, uint32_t substeps)
{
    soft s = soft_default(TL_PENALTY_HERTZ, 1e-3, substeps);
    dice d = {7};
    s.settings.gravity[2] = 0;
    s.settings.precision = precision;
    s.settings.threads = threads;
    s.material.restitution = 1;
    s.material.friction = friction;
    s.material.young_modulus = 1e6;
    soft_begin(&s);
    tl_body_def room = tl_body_default();
    tl_shape_def walls[6];
    for (int k = 0; k < 6; k++) {
        const int axis = k / 2, side = k % 2 ? 1 : -1;
        const double about[3] = {axis == 1 ? side : 0, axis == 0 ? -side : 0, 0};
        walls[k] = tl_plane_default();
        walls[k].material = s.of;
        walls[k].position[axis] = 0.1 * side;
        if (axis < 2)
            turn(about, pi / 2, walls[k].orientation);
        else if (side > 0)
            turn((double[3]){1, 0, 0}, pi, walls[k].orientation);
    }
    room.kind = TL_FIXED;
    room.shape_count = 6;
    room.shapes = walls;
    assert_ok(tl_scene_add_bodies(s.scene, 1, &room, NULL));
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 5; k++) {
                double v[3];
                roll3(&d, -1, 1, v);
                soft_ball(&s, 0.01, (double[3]){0.036 * (i - 2), 0.036 * (j - 2), 0.036 * (k - 2)},
                          v, 0.005);
            }
    return soft_world(&s);
}

static void test_gas(void **state)
{
    (void)state;
    static const claim c = {"125 elastic balls in a box, penalty contact", "conservation of energy",
                            "kinetic and elastic energy over that at the start",
                            "Hertz, h = 1 ms, 20 substeps, 0.4 s"};
    for (int mixed = 0; mixed < 2; mixed++) {
        tl_world *world = gas(mixed ? TL_MIXED : TL_DOUBLE, 2, 0, 20);
        tl_report first, last;
        assert_ok(tl_world_step(world, 1, &first));
        assert_ok(tl_world_step(world, 400, &last));
        const double before = first.kinetic_energy + first.elastic_energy;
        assert_above(before, 0.1);
        assert_found(&c, mixed ? "mixed" : "double",
                     (last.kinetic_energy + last.elastic_energy) / before, 1, 2e-3);
        assert_below(fabs(last.energy_error), 2e-3 * before);
        assert_int_equal(last.substeps, 20);
        tl_world_destroy(world);
    }
}

/* The same bits for any number of threads, in both precisions, and after a snapshot. */
static void test_same_bits(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 3, 2, 8};
    for (int precision = TL_MIXED; precision <= TL_DOUBLE; precision++) {
        uint64_t hash = 0;
        for (size_t k = 0; k < (WATCHED ? 2 : 4); k++) {
            tl_world *world = gas((tl_precision)precision, threads[k], 0.4, 0);
            assert_ok(tl_world_step(world, 60, NULL));
            void *bytes;
            size_t size;
            tl_world *other;
            assert_ok(tl_world_save(world, &bytes, &size));
            assert_ok(tl_world_load(bytes, size, &other));
            tl_snapshot_free(bytes, size);
            assert_ok(tl_world_step(world, 60, NULL));
            assert_ok(tl_world_step(other, 60, NULL));
            assert_int_equal(tl_world_hash(world), tl_world_hash(other));
            if (k)
                assert_int_equal(tl_world_hash(world), hash);
            hash = tl_world_hash(world);
            tl_world_destroy(world);
            tl_world_destroy(other);
        }
    }
}

static tl_world *dropped(void)
{
    soft s = soft_default(TL_PENALTY_HERTZ, 2e-3, 40);
    s.material.restitution = 0.5;
    s.material.young_modulus = 1e6;
    soft_begin(&s);
    soft_floor(&s, 0);
    for (int k = 0; k < 5; k++)
        soft_ball(&s, 0.01, (double[3]){0.002 * k, 0, 0.02 + 0.021 * k}, (double[3]){0.1, 0, 0},
                  0.005);
    return soft_world(&s);
}

/* Its books go on from a snapshot to the last digit, and after contacts were asked for. */
static void test_books(void **state)
{
    (void)state;
    tl_world *world = dropped();
    uint32_t touching = 0;
    for (int k = 0; k < 40; k++) {
        void *bytes;
        size_t size;
        tl_world *other[2];
        tl_report report, told;
        assert_ok(tl_world_step(world, 5, &report));
        touching += report.active_contacts > 0;
        assert_ok(tl_world_save(world, &bytes, &size));
        for (int i = 0; i < 2; i++)
            assert_ok(tl_world_load(bytes, size, &other[i]));
        tl_snapshot_free(bytes, size);
        assert_ok(tl_world_step(world, 3, &report));
        for (int i = 0; i < 2; i++) {
            if (i) {
                assert_ok(tl_world_step(other[i], 1, NULL));
                assert_ok(tl_world_find_contacts(other[i]));
            }
            assert_ok(tl_world_step(other[i], i ? 2 : 3, &told));
            assert_true(told.energy_error == report.energy_error);
            assert_true(told.elastic_energy == report.elastic_energy);
            assert_true(told.dissipated_energy == report.dissipated_energy);
            assert_true(tl_world_hash(other[i]) == tl_world_hash(world));
            tl_world_destroy(other[i]);
        }
    }
    assert_true(touching > 20);
    tl_world_destroy(world);
}

/* Steps until one has no memory; false where all have. What was there before it is there then, and
 * the step can be made after all. */
static bool fails_once(size_t fail_at, uint64_t wanted)
{
    tl_world *world = dropped();
    bool failed = false;
    size_t calls = 0;
    for (int k = 0; k < 150; k++) {
        size_t count[2];
        const uint64_t hash = tl_world_hash(world);
        tl_contact *contacts[2] = {contacts_of(world, &count[0]), NULL};
        memory.calls = calls;
        memory.fail_at = fail_at;
        const tl_status status = tl_world_step(world, 1, NULL);
        calls = memory.calls;
        memory.fail_at = 0;
        if (status != TL_OK) {
            assert_status(status, TL_NO_MEMORY);
            assert_true(tl_world_hash(world) == hash);
            contacts[1] = contacts_of(world, &count[1]);
            assert_int_equal(count[1], count[0]);
            assert_memory_equal(contacts[1], contacts[0], count[0] * sizeof **contacts);
            failed = true;
            k--;
        }
        free(contacts[0]);
        free(contacts[1]);
    }
    assert_true(tl_world_hash(world) == wanted);
    tl_world_destroy(world);
    return failed;
}

/* Whichever allocation fails: what a step needs it has before it writes over the last contacts. */
static void test_no_memory(void **state)
{
    (void)state;
    const tl_allocator allocator = {failing_allocate, counting_release, NULL};
    tl_world *world = dropped();
    assert_ok(tl_world_step(world, 150, NULL));
    const uint64_t wanted = tl_world_hash(world);
    tl_world_destroy(world);
    tl_set_allocator(&allocator);
    memory.fail_at = 0;
    size_t fail_at = 1;
    while (fails_once(fail_at, wanted))
        fail_at++;
    assert_int_equal(memory.blocks, 0);
    tl_set_allocator(NULL);
    assert_true(fail_at > 40);
}

/* Energies of a pile of balls that is dropped: what is lost and what is left are what there was. */
static void test_balance(void **state)
{
    (void)state;
    tl_world *world = dropped();
    tl_report first, last;
    assert_ok(tl_world_step(world, 1, &first));
    assert_ok(tl_world_step(world, 300, &last));
    const double before = first.kinetic_energy + first.potential_energy + first.elastic_energy;
    const double after = last.kinetic_energy + last.potential_energy + last.elastic_energy;
    assert_above(before - after, 1e-3);
    assert_near(after + last.dissipated_energy - first.dissipated_energy, before,
                0.02 * (before - after));
    tl_world_destroy(world);
}

/* How many substeps there are: 0.2 of Rayleigh's time pi r sqrt(rho/G)/(0.1631 nu + 0.8766). */
static void test_auto(void **state)
{
    (void)state;
    const double r = 0.01, rho = 2500, shear = 1e8 / 2.6, h = 5e-3;
    soft s = soft_default(TL_PENALTY_HERTZ, h, 0);
    tl_report report;
    soft_begin(&s);
    soft_ball(&s, r, (double[3]){0, 0, 1}, NULL, 4.0 / 3 * pi * r * r * r * rho);
    tl_world *world = soft_world(&s);
    assert_ok(tl_world_step(world, 1, &report));
    const double wave = pi * r * sqrt(rho / shear) / (0.1631 * 0.3 + 0.8766);
    assert_int_equal(report.substeps, (uint32_t)ceil(h / (0.2 * wave)));
    assert_near(report.substep_ratio, h / report.substeps / wave, 1e-12);
    assert_below(report.substep_ratio, 0.2);
    tl_world_destroy(world);
}

/* Balls that do not bounce fall into a box and come to rest, with substeps as they are by default:
 * what the integration makes is little beside what is lost. */
static void test_heap_rests(void **state)
{
    (void)state;
    static const claim c = {
        "120 balls that do not bounce fall into a box, penalty contact", "conservation of energy",
        "energy that integration made over energy lost", "h = 5 ms, automatic substeps"};
    for (int law = TL_PENALTY_HERTZ; law <= TL_PENALTY_LINEAR; law++) {
        soft s = soft_default((tl_penalty_law)law, 5e-3, 0);
        dice d = {3};
        tl_report report;
        s.material.young_modulus = 1e7;
        soft_begin(&s);
        tl_body_def box = tl_body_default();
        tl_shape_def walls[5] = {tl_plane_default()};
        for (int k = 1; k < 5; k++) {
            const double side = k % 2 ? 1 : -1;
            walls[k] = tl_box_default(0.1, 0.1, 1);
            walls[k].position[k / 3] = 0.22 * side;
        }
        for (int k = 0; k < 5; k++)
            walls[k].material = s.of;
        box.kind = TL_FIXED;
        box.shape_count = 5;
        box.shapes = walls;
        assert_ok(tl_scene_add_bodies(s.scene, 1, &box, NULL));
        for (int i = 0; i < 120; i++) {
            double off[3];
            roll3(&d, -0.003, 0.003, off);
            soft_ball(&s, 0.025,
                      (double[3]){0.06 * (i % 4 - 1.5) + off[0], 0.06 * (i / 4 % 4 - 1.5) + off[1],
                                  0.04 + 0.06 * (i / 16)},
                      NULL, 0.16);
        }
        tl_world *world = soft_world(&s);
        assert_ok(tl_world_step(world, 400, &report));
        assert_found(&c, tl_word(TL_WORDS_PENALTY, (uint32_t)law),
                     report.energy_error / report.dissipated_energy, 0,
                     law == TL_PENALTY_HERTZ ? 0.02 : 0.25); /* linear dampers begin at once */
        assert_below(report.kinetic_energy, 1e-3);
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restitution), cmocka_unit_test(test_hertz_impact),
        cmocka_unit_test(test_contacts),    cmocka_unit_test(test_gross_slip),
        cmocka_unit_test(test_incline),     cmocka_unit_test(test_rolling_distance),
        cmocka_unit_test(test_pull_off),    unwatched_test(test_gas),
        cmocka_unit_test(test_same_bits),   cmocka_unit_test(test_balance),
        cmocka_unit_test(test_books),       cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_auto),        cmocka_unit_test(test_heap_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
