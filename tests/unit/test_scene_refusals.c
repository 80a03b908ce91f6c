/* What scenes refuse: every rule for settings, bodies, shapes, motions, materials and forces, with
 * the message it gives, and that a refused call changes nothing. */
#include "scene_fixture.h"

#include <stdio.h>

#define BAD TL_BAD_ARGUMENT

/* Fields are changed by offset, so that a table row is a whole case. */
typedef enum edit_type { NO_EDIT, A_REAL, A_U32, A_SIZE, A_NULL } edit_type;
typedef struct edit {
    edit_type type;
    size_t offset;
    double value;
} edit;

#define REAL(type, field, value)             \
    {                                        \
        A_REAL, offsetof(type, field), value \
    }
#define U32(type, field, value)             \
    {                                       \
        A_U32, offsetof(type, field), value \
    }
#define SIZE(type, field, value)             \
    {                                        \
        A_SIZE, offsetof(type, field), value \
    }
#define POINTER(type, field)             \
    {                                    \
        A_NULL, offsetof(type, field), 0 \
    }

static void apply(const edit *e, void *object)
{
    void *field = (char *)object + e->offset;
    switch (e->type) {
    case NO_EDIT: break;
    case A_REAL: *(double *)field = e->value; break;
    case A_U32: *(uint32_t *)field = (uint32_t)(int64_t)e->value; break;
    case A_SIZE: *(size_t *)field = (size_t)e->value; break;
    case A_NULL: *(void **)field = NULL; break;
    }
}

#define SR(field, value) REAL(tl_settings, field, value)
#define SU(field, value) U32(tl_settings, field, value)
#define ABOVE_0_TO_1     "it must be above 0 and at most 1"
#define OMEGA_RULE       "it must be above 0 and below 2, or 0 for the solver's own"

typedef struct settings_case {
    edit edits[2];
    const char *text; /* NULL: accepted */
} settings_case;

static const settings_case settings_cases[] = {
    {{SR(gravity[1], NAN)}, "settings.gravity is (0, nan, -9.81); every component must be finite"},
    {{SR(gravity[0], -INFINITY)},
     "settings.gravity is (-inf, 0, -9.81); every component must be finite"},
    {{SR(step, 0)}, "settings.step is 0; it must be finite and > 0"},
    {{SR(step, NAN)}, "settings.step is nan; it must be finite and > 0"},
    {{SR(step, -NAN)}, "settings.step is nan; it must be finite and > 0"},
    {{SR(step, INFINITY)}, "settings.step is inf; it must be finite and > 0"},
    {{SR(step, -0.1)}, "settings.step is -0.1; it must be finite and > 0"},
    {{SR(envelope, -1e-3)}, "settings.envelope is -0.001; it must be finite and >= 0"},
    {{SR(envelope, INFINITY)}, "settings.envelope is inf; it must be finite and >= 0"},
    {{SR(envelope, NAN)}, "settings.envelope is nan; it must be finite and >= 0"},
    {{SU(stepper, 9)},
     "settings.stepper is 9; it must be TL_STEPPER_DVI, TL_STEPPER_SMOOTH, "
     "TL_STEPPER_STEWART_TRINKLE, TL_STEPPER_PEG or TL_STEPPER_PENALTY"},
    {{SU(penalty.law, 3)},
     "settings.penalty.law is 3; it must be TL_PENALTY_HERTZ, TL_PENALTY_LINEAR or "
     "TL_PENALTY_SCALED"},
    {{SR(penalty.stiffness, -1)}, "settings.penalty.stiffness is -1; it must be 0 to 1e12"},
    {{SU(planar, 2)}, "settings.planar is 2; it must be TL_PLANAR_NONE or TL_PLANAR_XZ"},
    {{SU(planes, 2)}, "settings.planes is 2; it must be TL_PLANES_BY_MOTION or TL_PLANES_NEAREST"},
    {{SR(exact.epsilon, -0.5)}, "settings.exact.epsilon is -0.5; it must be finite and >= 0"},
    {{SR(exact.epsilon, NAN)}, "settings.exact.epsilon is nan; it must be finite and >= 0"},
    {{SR(exact.epsilon, INFINITY)}, "settings.exact.epsilon is inf; it must be finite and >= 0"},
    {{SR(exact.psi_minimum, -1)}, "settings.exact.psi_minimum is -1; it must be finite and >= 0"},
    {{SR(exact.psi_minimum, INFINITY)},
     "settings.exact.psi_minimum is inf; it must be finite and >= 0"},
    {{SR(exact.psi_minimum, NAN)}, "settings.exact.psi_minimum is nan; it must be finite and >= 0"},
    {{SU(exact.directions, 2)}, "settings.exact.directions is 2; it must be 3 to 64"},
    {{SU(exact.directions, 0)}, "settings.exact.directions is 0; it must be 3 to 64"},
    {{SU(exact.directions, 3)}, NULL},
    {{SU(exact.directions, 64)}, NULL},
    {{SU(exact.directions, 65)}, "settings.exact.directions is 65; it must be 3 to 64"},
    {{SU(solver.joints, 2)},
     "settings.solver.joints is 2; it must be TL_JOINTS_EXACT or TL_JOINTS_ITERATE"},
    {{SU(solver.joints, TL_JOINTS_ITERATE), SU(solver.kind, TL_APGD)},
     "settings.solver.joints is iterate; it must be exact where solver.kind is not psor"},
    {{SU(solver.joints, TL_JOINTS_ITERATE), SU(stepper, TL_STEPPER_SMOOTH)},
     "settings.solver.joints is iterate; it must be exact where stepper is smooth"},
    {{SU(solver.joints, TL_JOINTS_ITERATE)}, NULL},
    {{SU(overlap, 2)}, "settings.overlap is 2; it must be TL_OVERLAP_SPLIT or TL_OVERLAP_VELOCITY"},
    {{SR(recovery_fraction, 0)}, "settings.recovery_fraction is 0; " ABOVE_0_TO_1},
    {{SR(recovery_fraction, 1.0000000001)},
     "settings.recovery_fraction is 1.0000000001; " ABOVE_0_TO_1},
    {{SR(recovery_fraction, NAN)}, "settings.recovery_fraction is nan; " ABOVE_0_TO_1},
    {{SR(recovery_fraction, 1)}, NULL},
    {{SR(recovery_speed, 0)}, "settings.recovery_speed is 0; it must be > 0 (infinity: no limit)"},
    {{SR(recovery_speed, NAN)},
     "settings.recovery_speed is nan; it must be > 0 (infinity: no limit)"},
    {{SR(recovery_speed, 1.5)}, NULL},
    {{SR(restitution_speed, -1)}, "settings.restitution_speed is -1; it must be finite and >= 0"},
    {{SR(restitution_speed, INFINITY)},
     "settings.restitution_speed is inf; it must be finite and >= 0"},
    {{SR(restitution_speed, 0)}, NULL},
    {{SR(max_speed, 0)}, "settings.max_speed is 0; it must be finite and > 0"},
    {{SR(max_speed, INFINITY)}, "settings.max_speed is inf; it must be finite and > 0"},
    {{SU(solver.kind, -1)},
     "settings.solver.kind is -1; it must be TL_PSOR, TL_JACOBI, TL_APGD, TL_SPG or TL_INTERIOR"},
    {{SU(solver.kind, 5)},
     "settings.solver.kind is 5; it must be TL_PSOR, TL_JACOBI, TL_APGD, TL_SPG or TL_INTERIOR"},
    {{SU(solver.law, 3)},
     "settings.solver.law is 3; it must be TL_LAW_DEFAULT, TL_LAW_CONE or TL_LAW_COULOMB"},
    {{SU(solver.law, TL_LAW_COULOMB), SU(solver.kind, TL_JACOBI)}, NULL},
    {{SU(solver.law, TL_LAW_COULOMB), SU(solver.kind, TL_APGD)}, NULL},
    {{SU(solver.law, TL_LAW_COULOMB), SU(solver.kind, TL_SPG)}, NULL},
    {{SU(solver.law, TL_LAW_COULOMB)}, NULL},
    {{SU(solver.law, TL_LAW_CONE), SU(solver.kind, TL_SPG)}, NULL},
    {{SU(solver.law, TL_LAW_CONE)}, NULL},
    {{SU(solver.iterations, 0)}, "settings.solver.iterations is 0; it must be >= 1"},
    {{SU(solver.position_iterations, 0)},
     "settings.solver.position_iterations is 0; it must be >= 1"},
    {{SR(solver.tolerance, -1)}, "settings.solver.tolerance is -1; it must be finite and >= 0"},
    {{SR(solver.tolerance, INFINITY)},
     "settings.solver.tolerance is inf; it must be finite and >= 0"},
    {{SR(solver.omega, -0.5)}, "settings.solver.omega is -0.5; " OMEGA_RULE},
    {{SR(solver.omega, 2)}, "settings.solver.omega is 2; " OMEGA_RULE},
    {{SR(solver.omega, NAN)}, "settings.solver.omega is nan; " OMEGA_RULE},
    {{SR(solver.omega, 1.9)}, NULL},
    {{SR(solver.lambda, 0)}, "settings.solver.lambda is 0; " ABOVE_0_TO_1},
    {{SR(solver.lambda, 1.5)}, "settings.solver.lambda is 1.5; " ABOVE_0_TO_1},
    {{SR(solver.lambda, NAN)}, "settings.solver.lambda is nan; " ABOVE_0_TO_1},
    {{SU(precision, 2)}, "settings.precision is 2; it must be TL_MIXED or TL_DOUBLE"},
    {{SU(threads, 1025)}, "settings.threads is 1025; it must be at most 1024"},
    {{SU(threads, 1024)}, NULL},
};

static void settings_are_checked_one_by_one(void **state)
{
    (void)state;
    tl_scene *scene = new_scene();
    tl_settings marked = tl_settings_default();
    marked.step = 0.125;
    for (size_t i = 0; i < sizeof settings_cases / sizeof *settings_cases; i++) {
        const settings_case *c = &settings_cases[i];
        tl_settings settings = tl_settings_default();
        for (int k = 0; k < 2; k++)
            apply(&c->edits[k], &settings);
        assert_ok(tl_scene_set_settings(scene, &marked));
        tl_status status = tl_scene_set_settings(scene, &settings);
        if (c->text) {
            assert_refused(status, TL_BAD_ARGUMENT, c->text);
            assert_true(tl_scene_settings(scene).step == 0.125);
        } else {
            assert_ok(status);
            assert_true(tl_scene_settings(scene).step == settings.step);
        }
    }
    tl_scene_destroy(scene);
}

static void null_arguments_are_named(void **state)
{
    tl_settings settings = tl_settings_default();
    tl_material_def def = tl_material_default();
    tl_material material = {5};
    tl_body_def body_def = tl_body_default();
    tl_force_def force = tl_force_default();
    tl_body body = {3, 3};
    (void)state;
    tl_scene *scene = new_scene();
    const char *no_scene = "scene is NULL; it must not be", *no_def = "def is NULL; it must not be";
    assert_refused(tl_scene_create(NULL), TL_BAD_ARGUMENT, no_scene);
    assert_refused(tl_scene_set_settings(NULL, &settings), TL_BAD_ARGUMENT, no_scene);
    assert_refused(tl_scene_set_settings(scene, NULL), TL_BAD_ARGUMENT,
                   "settings is NULL; it must not be");
    assert_refused(tl_scene_add_material(scene, &def, NULL), TL_BAD_ARGUMENT,
                   "material is NULL; it must not be");
    assert_refused(tl_scene_add_material(NULL, &def, &material), TL_BAD_ARGUMENT, no_scene);
    assert_int_equal(material.index, 0);
    material.index = 5;
    assert_refused(tl_scene_add_material(scene, NULL, &material), TL_BAD_ARGUMENT, no_def);
    assert_int_equal(material.index, 0);
    assert_refused(tl_scene_set_pair(NULL, material, material, &(tl_pair_def){0}), TL_BAD_ARGUMENT,
                   no_scene);
    assert_refused(tl_scene_add_bodies(NULL, 1, &body_def, &body), TL_BAD_ARGUMENT, no_scene);
    assert_true(body.index == 0 && body.generation == 0);
    assert_refused(tl_scene_add_bodies(scene, 1, NULL, NULL), TL_BAD_ARGUMENT,
                   "defs is NULL; it must not be");
    assert_refused(tl_scene_add_force(NULL, &force), TL_BAD_ARGUMENT, no_scene);
    assert_refused(tl_scene_add_force(scene, NULL), TL_BAD_ARGUMENT, no_def);
    tl_fail(TL_BAD_DATA, "other");
    assert_true(tl_scene_settings(NULL).step == 0);
    assert_string_equal(tl_last_message(), no_scene);
    tl_fail(TL_BAD_DATA, "other");
    assert_int_equal(tl_scene_body_count(NULL), 0);
    assert_string_equal(tl_last_message(), no_scene);
    tl_scene_destroy(NULL);
    tl_scene_destroy(scene);
}

#define R(field, value) REAL(fixture, field, value)
#define U(field, value) U32(fixture, field, value)
#define N(field, value) SIZE(fixture, field, value)
#define P(field)        POINTER(fixture, field)
#define B               "bodies[1]."
#define S               "bodies[1].shapes[0]."
#define T               "bodies[1].shapes[1]."
#define M               "bodies[1].motion."
#define FINITE          "every component must be finite"
#define ONLY_SOLIDS                                                                          \
    "a dynamic body takes solids only: plane, parallelogram and heights belong to fixed or " \
    "prescribed bodies"
#define ANY_SHAPE                                                                         \
    "it must be TL_SPHERE, TL_PLANE, TL_BOX, TL_PARALLELOGRAM, TL_CAPSULE, TL_CYLINDER, " \
    "TL_CONE, TL_ELLIPSOID, TL_HULL, TL_MESH, TL_HEIGHTS, TL_POINT or TL_POLYGON"
#define BOX_ROUNDING "it must be >= 0 and smaller than each half extent"
#define ANY_MOTION                                                                       \
    "it must be TL_MOTION_VELOCITY, TL_MOTION_SINE, TL_MOTION_TABLE, TL_MOTION_RAMP or " \
    "TL_MOTION_EXPRESSION"
#define AT_REST      "it must be 0 on a body that is not dynamic: use kind TL_PRESCRIBED and motion"
#define MASS_RULE    "it must be finite and >= 0 (0: density times volume)"
#define INERTIA_RULE "each must be > 0, or all 0 for that of the shapes"
#define TRIANGLE     "the largest must not exceed the sum of the other two"

typedef struct body_case {
    fixture_kind kind;
    tl_status status;
    edit edits[4];
    const char *text; /* NULL: accepted */
} body_case;

static const body_case body_cases[] = {
    /* the body */
    {BALL, BAD, {U(body.kind, 3)}, B "kind is 3; it must be TL_DYNAMIC, TL_FIXED or TL_PRESCRIBED"},
    {BALL,
     BAD,
     {U(body.kind, -1)},
     B "kind is -1; it must be TL_DYNAMIC, TL_FIXED or TL_PRESCRIBED"},
    {BALL, BAD, {R(body.position[2], NAN)}, B "position is (0, 0, nan); " FINITE},
    {BALL, BAD, {R(body.orientation[3], INFINITY)}, B "orientation is (1, 0, 0, inf); " FINITE},
    {BALL,
     BAD,
     {R(body.orientation[0], 1.00000125)},
     B "orientation is (1.00000125, 0, 0, 0); its norm is 1.00000125 and must be 1 within 1e-6"},
    {BALL,
     BAD,
     {R(body.orientation[0], 0)},
     B "orientation is (0, 0, 0, 0); its norm is 0 and must be 1 within 1e-6"},
    {BALL, TL_OK, {R(body.orientation[0], 1.0000009)}, NULL},
    {BALL, BAD, {R(body.velocity[0], INFINITY)}, B "velocity is (inf, 0, 0); " FINITE},
    {BALL, BAD, {R(body.angular_velocity[1], NAN)}, B "angular_velocity is (0, nan, 0); " FINITE},
    {BALL, BAD, {R(body.density, -1)}, B "density is -1; it must be finite and >= 0"},
    {BALL, BAD, {R(body.density, NAN)}, B "density is nan; it must be finite and >= 0"},
    {BALL, BAD, {R(body.density, INFINITY)}, B "density is inf; it must be finite and >= 0"},
    {BALL, BAD, {R(body.density, 0)}, B "density is 0; it must be > 0 where mass is 0"},
    {BALL, TL_OK, {R(body.density, 0), R(body.mass, 2)}, NULL},
    {BALL, BAD, {R(body.mass, -2)}, B "mass is -2; " MASS_RULE},
    {BALL, BAD, {R(body.mass, NAN)}, B "mass is nan; " MASS_RULE},
    {BALL, BAD, {R(body.mass, INFINITY)}, B "mass is inf; " MASS_RULE},
    {WALL, BAD, {R(body.mass, -2)}, B "mass is -2; " MASS_RULE},
    {BALL, BAD, {R(body.inertia[0], NAN)}, B "inertia is (nan, 0, 0); " FINITE},
    {BALL, BAD, {R(body.inertia[1], 1)}, B "inertia is (0, 1, 0); " INERTIA_RULE},
    {BARE, BAD, {R(body.inertia[1], -1)}, B "inertia is (1, -1, 1); " INERTIA_RULE},
    {BARE, BAD, {R(body.inertia[2], 3)}, B "inertia is (1, 1, 3); " TRIANGLE},
    {BARE, BAD, {R(body.inertia[1], 2.00001)}, B "inertia is (1, 2.00001, 1); " TRIANGLE},
    {BARE, TL_OK, {R(body.inertia[0], 2)}, NULL},
    {BARE, TL_OK, {R(body.inertia[0], 2.000000001)}, NULL},
    {BARE, BAD, {R(body.mass, 0)}, B "mass is 0; it must be > 0 on a dynamic body without shapes"},
    {BARE,
     BAD,
     {R(body.inertia[0], 0), R(body.inertia[1], 0), R(body.inertia[2], 0)},
     B "inertia is (0, 0, 0); each must be > 0 on a dynamic body without shapes"},
    {BALL, BAD, {P(body.shapes)}, B "shapes is NULL; it must point to shape_count shapes"},
    {BALL,
     TL_TOO_LARGE,
     {N(body.shape_count, 2147483647.0)},
     B "shape_count is 2147483647; the shapes of all bodies may be at most 2147483646"},
    {WALL, BAD, {R(body.velocity[0], 1)}, B "velocity is (1, 0, 0); " AT_REST},
    {WALL, BAD, {R(body.angular_velocity[2], 1)}, B "angular_velocity is (0, 0, 1); " AT_REST},
    {DRUM, BAD, {R(body.velocity[1], -2)}, B "velocity is (0, -2, 0); " AT_REST},
    {BALL, TL_OK, {R(body.motion.phase, NAN), U(body.motion.kind, 9)}, NULL}, /* not prescribed */

    /* its shapes */
    {BALL, BAD, {U(shapes[0].kind, 13)}, S "kind is 13; " ANY_SHAPE},
    {BALL, BAD, {U(shapes[0].kind, TL_PLANE)}, S "kind is TL_PLANE; " ONLY_SOLIDS},
    {BALL, BAD, {U(shapes[0].kind, TL_HEIGHTS)}, S "kind is TL_HEIGHTS; " ONLY_SOLIDS},
    {BALL,
     TL_BAD_HANDLE,
     {U(shapes[0].kind, TL_MESH)},
     S "geometry: 0 is no geometry of this scene (it has 1)"},
    {BALL, BAD, {N(body.shape_count, 2)}, T "kind is TL_PARALLELOGRAM; " ONLY_SOLIDS},
    {BALL,
     TL_BAD_HANDLE,
     {U(shapes[0].material.index, 7)},
     S "material: 7 is no material of this scene (it has 2)"},
    {BALL, TL_OK, {U(shapes[0].material.index, 2)}, NULL},
    {BALL, BAD, {R(shapes[0].radius, -0.1)}, S "radius is -0.1; it must be > 0"},
    {BALL, BAD, {R(shapes[0].radius, 0)}, S "radius is 0; it must be > 0"},
    {BALL, BAD, {R(shapes[0].radius, NAN)}, S "radius is nan; it must be finite"},
    {BALL, BAD, {R(shapes[0].position[0], NAN)}, S "position is (nan, 0, 0); " FINITE},
    {BALL, BAD, {R(shapes[0].orientation[1], NAN)}, S "orientation is (1, nan, 0, 0); " FINITE},
    {BALL,
     BAD,
     {R(shapes[0].orientation[0], 2)},
     S "orientation is (2, 0, 0, 0); its norm is 2 and must be 1 within 1e-6"},
    {BALL, BAD, {R(shapes[0].half_extents[0], NAN)}, S "half_extents is (nan, 0, 0); " FINITE},
    {WALL, BAD, {R(shapes[0].half_extents[1], 0)}, S "half_extents is (1, 0, 3); each must be > 0"},
    {WALL,
     BAD,
     {R(shapes[0].half_extents[2], -3)},
     S "half_extents is (1, 2, -3); each must be > 0"},
    {WALL, BAD, {R(shapes[0].rounding, -0.1)}, S "rounding is -0.1; " BOX_ROUNDING},
    {WALL, BAD, {R(shapes[0].rounding, 1)}, S "rounding is 1; " BOX_ROUNDING},
    {WALL, BAD, {R(shapes[0].rounding, NAN)}, S "rounding is nan; it must be finite"},
    {WALL, TL_OK, {R(shapes[0].rounding, 0.999)}, NULL},
    {BALL, BAD, {R(shapes[0].half_length, INFINITY)}, S "half_length is inf; it must be finite"},
    {BALL, TL_OK, {R(shapes[0].half_length, -1), R(shapes[0].rounding, 7)}, NULL}, /* not used */
    {BALL, BAD, {U(shapes[0].kind, TL_CAPSULE)}, S "half_length is 0; it must be > 0"},
    {BALL, BAD, {U(shapes[0].kind, TL_CONE)}, S "half_length is 0; it must be > 0"},
    {BALL,
     BAD,
     {U(shapes[0].kind, TL_CONE), R(shapes[0].half_length, 1), R(shapes[0].radius, -1)},
     S "radius is -1; it must be > 0"},
    {BALL, TL_OK, {U(shapes[0].kind, TL_CAPSULE), R(shapes[0].half_length, 1)}, NULL},
    {BALL,
     BAD,
     {U(shapes[0].kind, TL_CYLINDER), R(shapes[0].half_length, 0.3), R(shapes[0].rounding, 0.3)},
     S "rounding is 0.3; it must be >= 0 and smaller than radius and half_length"},
    {BALL,
     BAD,
     {U(shapes[0].kind, TL_CYLINDER), R(shapes[0].half_length, 0.7), R(shapes[0].rounding, 0.5)},
     S "rounding is 0.5; it must be >= 0 and smaller than radius and half_length"},
    {BALL,
     BAD,
     {U(shapes[0].kind, TL_ELLIPSOID), R(shapes[0].half_extents[0], 1)},
     S "half_extents is (1, 0, 0); each must be > 0"},
    {BALL,
     TL_BAD_HANDLE,
     {U(shapes[0].kind, TL_HULL)},
     S "geometry: 0 is no geometry of this scene (it has 1)"},
    {BALL,
     TL_BAD_HANDLE,
     {U(shapes[0].kind, TL_HULL), U(shapes[0].geometry.index, 2)},
     S "geometry: 2 is no geometry of this scene (it has 1)"},
    {BALL, TL_OK, {U(shapes[0].kind, TL_HULL), U(shapes[0].geometry.index, 1)}, NULL},
    {BALL,
     BAD,
     {U(shapes[0].kind, TL_HULL), U(shapes[0].geometry.index, 1), R(shapes[0].rounding, -1)},
     S "rounding is -1; it must be >= 0"},
    {WALL,
     BAD,
     {U(shapes[0].kind, TL_MESH), U(shapes[0].geometry.index, 1)},
     S "geometry: 1 is of kind hull; a shape of kind mesh needs one of its own kind"},
    {WALL, BAD, {R(shapes[1].edge_u[0], 0)}, T "edge_u is (0, 0, 0); it must not be zero"},
    {WALL, BAD, {R(shapes[1].edge_v[1], 0)}, T "edge_v is (0, 0, 0); it must not be zero"},
    {WALL, BAD, {R(shapes[1].edge_v[1], INFINITY)}, T "edge_v is (0, inf, 0); " FINITE},
    {WALL, BAD, {R(shapes[1].edge_u[1], NAN)}, T "edge_u is (1, nan, 0); " FINITE},
    {WALL,
     BAD,
     {R(shapes[1].edge_v[0], -3), R(shapes[1].edge_v[1], 0)},
     T "edge_v is (-3, 0, 0); it must not be parallel to edge_u"},
    {WALL,
     BAD,
     {R(shapes[1].edge_v[0], 1e200), R(shapes[1].edge_v[1], 1e180)},
     T "edge_v is (1e+200, 1e+180, 0); it must not be parallel to edge_u"},
    {WALL, TL_OK, {R(shapes[1].edge_u[0], 1e200)}, NULL},
    {WALL, TL_OK, {U(shapes[1].kind, TL_PLANE)}, NULL},

    /* automatic mass and inertia */
    {BALL, TL_OK, {R(shapes[0].position[0], 0.25)}, NULL},
    {BALL, BAD, {R(body.centre_of_mass[1], NAN)}, B "centre_of_mass is (0, nan, 0); " FINITE},
    {BALL,
     BAD,
     {R(body.centre_of_mass[1], 1)},
     B "centre_of_mass is (0, 1, 0); it is used where inertia is given; it must be 0 where the "
       "shapes give it"},
    {BARE, TL_OK, {R(body.centre_of_mass[1], 1)}, NULL},
    {BARE, TL_OK, {R(shapes[0].position[0], 0.25), N(body.shape_count, 1)}, NULL}, /* both given */
    {BALL, TL_OK, {R(shapes[0].position[0], 1e-10)}, NULL},
    {BALL,
     BAD,
     {R(shapes[0].radius, 1e150)},
     B "mass: density times the volume of the shapes is inf; it must be finite and > 0: give mass"},
    {BALL,
     BAD,
     {R(shapes[0].radius, 1e-150)},
     B "mass: density times the volume of the shapes is 0; it must be finite and > 0: give mass"},
    {BALL,
     BAD,
     {R(shapes[0].radius, 1e-200), R(body.mass, 1)},
     B "inertia: that of the solid shapes is (0, 0, 0); each must be finite and > 0: give mass "
       "and inertia"},

    /* motions */
    {DRUM, BAD, {U(body.motion.kind, 5)}, M "kind is 5; " ANY_MOTION},
    {DRUM, BAD, {U(body.motion.rotation, 9)}, M "rotation is 9; " ANY_MOTION},
    {DRUM, BAD, {R(body.motion.pivot[1], NAN)}, M "pivot is (0, nan, 0); " FINITE},
    {DRUM,
     BAD,
     {R(body.motion.velocity_from[0], INFINITY)},
     M "velocity_from is (inf, 0, 0); " FINITE},
    {DRUM,
     BAD,
     {R(body.motion.angular_velocity_from[0], NAN)},
     M "angular_velocity_from is (nan, 0, 0); " FINITE},
    {DRUM, BAD, {R(body.motion.ramp_start, NAN)}, M "ramp_start is nan; it must be finite"},
    {DRUM,
     BAD,
     {R(body.motion.angular_ramp_stop, INFINITY)},
     M "angular_ramp_stop is inf; it must be finite"},
    {DRUM,
     BAD,
     {U(body.motion.kind, TL_MOTION_RAMP), R(body.motion.ramp_start, -1)},
     M "ramp_start is -1; it must be >= 0"},
    {DRUM,
     BAD,
     {U(body.motion.kind, TL_MOTION_RAMP), R(body.motion.ramp_start, 1),
      R(body.motion.ramp_stop, 1)},
     M "ramp_stop is 1; it must be after the ramp's start"},
    {DRUM,
     BAD,
     {U(body.motion.rotation, TL_MOTION_RAMP), R(body.motion.angular_ramp_stop, 1),
      R(body.motion.angular_velocity_from[0], 1), R(body.motion.angular_velocity[2], 1)},
     M "angular_velocity_from is (1, 0, 0); it must be along the axis of angular_velocity"},
    {DRUM,
     TL_OK,
     {U(body.motion.rotation, TL_MOTION_RAMP), R(body.motion.angular_ramp_stop, 1),
      R(body.motion.angular_velocity_from[2], -3), R(body.motion.angular_velocity[2], 1)},
     NULL},
    {DRUM,
     BAD,
     {R(body.motion.angular_amplitude[1], NAN)},
     M "angular_amplitude is (0, nan, 0); " FINITE},
    {DRUM,
     BAD,
     {R(body.motion.angular_frequency, -1)},
     M "angular_frequency is -1; it must be finite and >= 0"},
    {DRUM, BAD, {R(body.motion.angular_phase, NAN)}, M "angular_phase is nan; it must be finite"},
    {SHAKER, TL_OK, {U(body.motion.rotation, TL_MOTION_TABLE)}, NULL}, /* 20 rad about one axis */
    {SHAKER,
     BAD,
     {U(body.motion.rotation, TL_MOTION_TABLE), N(body.motion.angular_table_length, 0)},
     M "angular_table_length is 0; it must be >= 1"},
    {SHAKER,
     BAD,
     {U(body.motion.rotation, TL_MOTION_TABLE), P(body.motion.rotations)},
     M "rotations is NULL; it must point to the table's rows"},
    {SHAKER,
     BAD,
     {U(body.motion.rotation, TL_MOTION_TABLE), R(rotations[8], NAN)},
     M "rotations[2] is (0, 0, nan); " FINITE},
    {SHAKER,
     BAD,
     {U(body.motion.rotation, TL_MOTION_TABLE), R(rotations[0], 1)},
     M "rotations[1] is (0, 0, 20); where rows are about different axes, none may be longer than "
       "pi"},
    {DRUM, BAD, {R(body.motion.velocity[0], NAN)}, M "velocity is (nan, 0, 0); " FINITE},
    {DRUM,
     BAD,
     {R(body.motion.angular_velocity[2], INFINITY)},
     M "angular_velocity is (0, 0, inf); " FINITE},
    {DRUM, BAD, {R(body.motion.amplitude[1], NAN)}, M "amplitude is (0, nan, 0); " FINITE},
    {DRUM, BAD, {R(body.motion.frequency, -1)}, M "frequency is -1; it must be finite and >= 0"},
    {DRUM, BAD, {R(body.motion.frequency, NAN)}, M "frequency is nan; it must be finite and >= 0"},
#define BELOW(what, limit) what " must be below " limit " in amount"
    {DRUM, BAD, {R(body.motion.frequency, 1e308)}, M "frequency is 1e+308; " BELOW("it", "1e+12")},
    {DRUM,
     BAD,
     {R(body.motion.angular_frequency, 1e12)},
     M "angular_frequency is 1e+12; " BELOW("it", "1e+12")},
    {DRUM, BAD, {R(body.motion.phase, -1e308)}, M "phase is -1e+308; " BELOW("it", "1e+12")},
    {DRUM,
     BAD,
     {R(body.motion.amplitude[1], -1e308)},
     M "amplitude is (0, -1e+308, 0); " BELOW("every component", "1e+12")},
    {DRUM,
     BAD,
     {R(body.motion.velocity_from[0], 1e308)},
     M "velocity_from is (1e+308, 0, 0); " BELOW("every component", "1e+12")},
    {DRUM,
     BAD,
     {R(body.motion.pivot[0], 1e308)},
     M "pivot is (1e+308, 0, 0); " BELOW("every component", "1e+12")},
    {SHAKER,
     BAD,
     {R(offsets[7], 1e308)},
     M "offsets[2] is (6, 1e+308, 8); " BELOW("every component", "1e+12")},
    {SHAKER, BAD, {R(times[0], -1e308)}, M "times[0] is -1e+308; " BELOW("it", "1e+300")},
    {DRUM, BAD, {R(body.motion.phase, INFINITY)}, M "phase is inf; it must be finite"},
    {DRUM, TL_OK, {N(body.motion.table_length, 0), P(body.motion.times)}, NULL},
    {SHAKER, BAD, {N(body.motion.table_length, 0)}, M "table_length is 0; it must be >= 1"},
    {SHAKER,
     TL_TOO_LARGE,
     {N(body.motion.table_length, 2147483647.0)},
     M "table_length is 2147483647; it must be at most 2147483646"},
    {SHAKER, BAD, {P(body.motion.times)}, M "times is NULL; it must point to the table's times"},
    {SHAKER, BAD, {P(body.motion.offsets)}, M "offsets is NULL; it must point to the table's rows"},
    {SHAKER, BAD, {R(times[1], NAN)}, M "times[1] is nan; it must be finite"},
    {SHAKER, BAD, {R(times[2], INFINITY)}, M "times[2] is inf; it must be finite"},
    {SHAKER, TL_OK, {R(times[2], 0.25)}, NULL}, /* a jump */
    {SHAKER,
     BAD,
     {R(times[2], 0.25), R(times[0], 0.25)},
     M "times[1..2] is (0.25, 0.25); times must increase; two of them may be equal"},
    {SHAKER,
     BAD,
     {R(times[0], 1)},
     M "times[0..1] is (1, 0.25); times must increase; two of them may be equal"},
    {SHAKER, BAD, {R(offsets[7], NAN)}, M "offsets[2] is (6, nan, 8); " FINITE},
    {SHAKER, TL_OK, {N(body.motion.table_length, 1)}, NULL},
};

/* Every case is the second of three bodies, so that refusing it must take the first one back. */
static void bodies_are_checked_all_or_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof body_cases / sizeof *body_cases; i++) {
        const body_case *c = &body_cases[i];
        fixture first, spoilt, last;
        tl_body bodies[3] = {{9, 9}, {9, 9}, {9, 9}}, none[3] = {{0, 0}, {0, 0}, {0, 0}};
        tl_material_def def = tl_material_default();
        tl_material material;
        tl_scene *scene = new_scene();
        const double points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        tl_geometry geometry;
        assert_ok(tl_scene_add_material(scene, &def, &material));
        assert_ok(tl_scene_add_material(scene, &def, &material));
        assert_ok(tl_scene_add_hull(scene, 4, points, &geometry));
        make_fixture(&first, SHAKER);
        make_fixture(&last, WALL);
        make_fixture(&spoilt, c->kind);
        assert_ok(tl_scene_add_bodies(scene, 1, &spoilt.body, NULL));
        for (int k = 0; k < 4; k++)
            apply(&c->edits[k], &spoilt);
        tl_body_def defs[3] = {first.body, spoilt.body, last.body};
        uint64_t before = digest(scene);
        tl_status status = tl_scene_add_bodies(scene, 3, defs, bodies);
        if (c->text) {
            assert_refused(status, c->status, c->text);
            assert_memory_equal(bodies, none, sizeof none);
            assert_true(digest(scene) == before);
            assert_int_equal(tl_scene_body_count(scene), 1);
        } else {
            assert_ok(status);
            assert_int_equal(tl_scene_body_count(scene), 4);
            for (uint32_t k = 0; k < 3; k++)
                assert_true(bodies[k].index == k + 2 && bodies[k].generation == 1);
        }
        tl_scene_destroy(scene);
    }
}

static void too_many_are_refused(void **state)
{
    fixture f;
    (void)state;
    tl_scene *scene = new_scene();
    make_fixture(&f, BALL);
    assert_ok(tl_scene_add_bodies(scene, 0, NULL, NULL));
    assert_int_equal(tl_scene_body_count(scene), 0);
    assert_refused(tl_scene_add_bodies(scene, 2147483647, &f.body, NULL), TL_TOO_LARGE,
                   "2147483647 bodies on top of 0; there can be at most 2147483646 in all");
    assert_ok(tl_scene_add_bodies(scene, 1, &f.body, NULL));
    assert_refused(tl_scene_add_bodies(scene, 2147483646, &f.body, NULL), TL_TOO_LARGE,
                   "2147483646 bodies on top of 1; there can be at most 2147483646 in all");
    scene->list.shape_total = 2147483646; /* as if there were that many */
    assert_refused(
        tl_scene_add_bodies(scene, 1, &f.body, NULL), TL_TOO_LARGE,
        "bodies[0].shape_count is 1; the shapes of all bodies may be at most 2147483646");
    assert_int_equal(scene->list.shape_total, 2147483646);
    scene->list.shape_total = 2147483645;
    assert_ok(tl_scene_add_bodies(scene, 1, &f.body, NULL));
    tl_scene_destroy(scene);
}

static void materials_are_checked(void **state)
{
    tl_pair_def left = {.friction = 7, .restitution = 7};
    static const tl_pair_def fair = {.friction = 0.1, .restitution = 0.1};
    static const struct {
        tl_pair_def pair;
        const char *text;
    } cases[] = {
        {{.friction = -1}, "friction is -1; it must be finite and >= 0"},
        {{.friction = NAN}, "friction is nan; it must be finite and >= 0"},
        {{.friction = INFINITY}, "friction is inf; it must be finite and >= 0"},
        {{.restitution = -0.1}, "restitution is -0.1; it must be 0 to 1"},
        {{.restitution = 1.5}, "restitution is 1.5; it must be 0 to 1"},
        {{.restitution = NAN}, "restitution is nan; it must be 0 to 1"},
        {{.rolling_friction = -1}, "rolling_friction is -1; it must be 0 to 1e9"},
        {{.spinning_friction = NAN}, "spinning_friction is nan; it must be 0 to 1e9"},
        {{.cohesion = INFINITY}, "cohesion is inf; it must be 0 to 1e9"},
        {{.compliance = -1e-9}, "compliance is -1e-09; it must be 0 to 1e9"},
        {{.compliance = 1, .damping_time = 2e9}, "damping_time is 2e+09; it must be 0 to 1e9"},
        {{.damping_time = 1}, "damping_time is 1; it must be 0 without compliance, which it damps"},
        {{.restitution = 0.5, .compliance = 1},
         "restitution is 0.5; it must be 0 with compliance, which bounces by its spring and "
         "damper"},
    };
    tl_material none = {0}, material;
    (void)state;
    tl_scene *scene = new_scene();
    uint64_t before = digest(scene);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tl_pair_def *p = &cases[i].pair;
        const tl_material_def def = {.friction = p->friction,
                                     .restitution = p->restitution,
                                     .rolling_friction = p->rolling_friction,
                                     .spinning_friction = p->spinning_friction,
                                     .cohesion = p->cohesion,
                                     .compliance = p->compliance,
                                     .damping_time = p->damping_time};
        char text[160];
        snprintf(text, sizeof text, "material.%s", cases[i].text);
        material.index = 9;
        assert_refused(tl_scene_add_material(scene, &def, &material), TL_BAD_ARGUMENT, text);
        assert_int_equal(material.index, 0);
        assert_refused(tl_scene_set_pair(scene, none, none, p), TL_BAD_ARGUMENT, cases[i].text);
    }
    assert_refused(tl_scene_set_pair(scene, none, none, NULL), TL_BAD_ARGUMENT,
                   "pair is NULL; it must not be");
    const tl_material_def fast = {.surface_velocity = {0, 2e9, 0}};
    assert_refused(tl_scene_add_material(scene, &fast, &material), TL_BAD_ARGUMENT,
                   "material.surface_velocity is (0, 2e+09, 0); every component must be -1e9 to "
                   "1e9");
    assert_true(digest(scene) == before);
    tl_material_def def = tl_material_default();
    for (uint32_t i = 1; i <= 255; i++) {
        assert_ok(tl_scene_add_material(scene, &def, &material));
        assert_int_equal(material.index, i);
        if (i == 2) {
            assert_refused(tl_scene_set_pair(scene, none, (tl_material){7}, &fair), TL_BAD_HANDLE,
                           "material b: 7 is no material of this scene (it has 2)");
            assert_refused(tl_scene_set_pair(scene, (tl_material){3}, none, &fair), TL_BAD_HANDLE,
                           "material a: 3 is no material of this scene (it has 2)");
        }
    }
    before = digest(scene);
    assert_refused(tl_scene_add_material(scene, &def, &material), TL_TOO_LARGE,
                   "the scene has 255 materials; there can be at most 255");
    assert_int_equal(material.index, 0);
    assert_true(digest(scene) == before);
    assert_true(tl_scene_pair(scene, (tl_material){0}, (tl_material){999}, &left) == TL_BAD_HANDLE);
    assert_true(left.friction == 0 && left.restitution == 0);
    tl_scene_destroy(scene);
}

#define FR(field, value) REAL(force_fixture, field, value)
#define FU(field, value) U32(force_fixture, field, value)
#define NO_BODY          " is no body of this scene (it has 3)"

static const struct {
    edit edits[2];
    tl_status status;
    const char *text;
} force_cases[] = {
    {{FU(def.body.index, 0), FU(def.body.generation, 0)},
     TL_BAD_HANDLE,
     "force.body: index 0, generation 0" NO_BODY},
    {{FU(def.body.index, 4)}, TL_BAD_HANDLE, "force.body: index 4, generation 1" NO_BODY},
    {{FU(def.body.generation, 2)}, TL_BAD_HANDLE, "force.body: index 1, generation 2" NO_BODY},
    {{FU(def.body.index, 2)}, BAD, "force.body: index 2 is fixed; it must be dynamic"},
    {{FU(def.body.index, 3)}, BAD, "force.body: index 3 is prescribed; it must be dynamic"},
    {{FR(def.force[0], NAN)}, BAD, "force.force is (nan, 0, 0); " FINITE},
    {{FR(def.torque[2], INFINITY)}, BAD, "force.torque is (0, 0, inf); " FINITE},
    {{POINTER(force_fixture, def.times)},
     BAD,
     "force.times is NULL; it must point to the table's times"},
    {{POINTER(force_fixture, def.values)},
     BAD,
     "force.values is NULL; it must point to the table's rows"},
    {{SIZE(force_fixture, def.table_length, 2147483647.0)},
     TL_TOO_LARGE,
     "force.table_length is 2147483647; it must be at most 2147483646"},
    {{FR(times[0], NAN)}, BAD, "force.times[0] is nan; it must be finite"},
    {{FR(times[1], -1)},
     BAD,
     "force.times[0..1] is (0, -1); times must increase; two of them may be equal"},
    {{FR(values[6], -INFINITY)}, BAD, "force.values[1] is (-inf, 7, 8, 9, 10, 11); " FINITE},
};

static void forces_are_checked(void **state)
{
    fixture ball, wall, drum;
    force_fixture f;
    tl_body bodies[3];
    (void)state;
    tl_scene *scene = new_scene();
    make_fixture(&ball, BALL);
    make_fixture(&wall, WALL);
    make_fixture(&drum, DRUM);
    tl_body_def defs[3] = {ball.body, wall.body, drum.body};
    assert_ok(tl_scene_add_bodies(scene, 3, defs, bodies));
    for (size_t i = 0; i < sizeof force_cases / sizeof *force_cases; i++) {
        make_force(&f, bodies[0]);
        for (int k = 0; k < 2; k++)
            apply(&force_cases[i].edits[k], &f);
        uint64_t before = digest(scene);
        tl_status status = tl_scene_add_force(scene, &f.def);
        assert_refused(status, force_cases[i].status, force_cases[i].text);
        assert_true(digest(scene) == before);
    }
    tl_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_checked_one_by_one),
        cmocka_unit_test(null_arguments_are_named),
        cmocka_unit_test(bodies_are_checked_all_or_none),
        cmocka_unit_test(too_many_are_refused),
        cmocka_unit_test(materials_are_checked),
        cmocka_unit_test(forces_are_checked),
    };
    return cmocka_run_group_tests_name("scene refusals", tests, NULL, NULL);
}
