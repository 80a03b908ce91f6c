/* talus-peer-ode: ODE on the start state of a bench, for the runner to compare with; bench/peer.h
 * describes the two files. Piles, chains and tracks only: ODE's hash space keeps a table of tested
 * pairs that grows with the square of the bodies, and a million would need more than 100 GB.
 * QuickStep with ODE's own error reduction and constraint mixing, pyramid friction scaled by the
 * normal force (dContactApprox1), and no sleeping. */
#include <ode/ode.h>

#include <math.h>
#include <stdlib.h>

#include "../peer.h"

/* QuickStep's iterations: ODE's own default, said here because the row reports it. */
#define SOLVER_ITERATIONS 20

/* The world of one run, and what its collision callback works on. */
typedef struct engine {
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints; /* contacts of the present step */
    double friction;
    dBodyID *bodies;
    dReal planes[4 * SOLID_FACES], corners[3 * SOLID_CORNERS]; /* of hulls, which point there */
    uint64_t contact_count;                                    /* of the present step */
} engine;

static void describe(peer_result *result)
{
    snprintf(result->version, sizeof result->version, "%s", dODE_VERSION);
    snprintf(result->precision, sizeof result->precision, "%s",
             sizeof(dReal) == sizeof(float) ? "single" : "double");
    result->threads = 1;
    memcpy(result->magic, PEER_RESULT_MAGIC, sizeof result->magic);
}

/* Contacts of a pair, at most: two cubes face to face have up to eight. */
#define PAIR_CONTACTS 8

/* A pair from the broad phase: a contact joint for each point where the two touch. */
static void join_pair(void *data, dGeomID a, dGeomID b)
{
    engine *e = data;
    dContact contacts[PAIR_CONTACTS] = {0};
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if ((!body_a && !body_b) ||
        (body_a && body_b && dAreConnectedExcluding(body_a, body_b, dJointTypeContact)))
        return;
    const int count = dCollide(a, b, PAIR_CONTACTS, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count; i++) {
        contacts[i].surface.mode = dContactApprox1;
        contacts[i].surface.mu = e->friction;
        dJointAttach(dJointCreateContact(e->world, e->joints, &contacts[i]), body_a, body_b);
        e->contact_count++;
    }
}

static void step(engine *e, double h)
{
    e->contact_count = 0;
    dSpaceCollide(e->space, e, join_pair);
    dWorldQuickStep(e->world, h);
    dJointGroupEmpty(e->joints);
}

/* The hash space's cells run from a bit under one diameter up; larger things are tested one by one.
 */
static void make_space(engine *e, double radius)
{
    int level = (int)ceil(log2(2 * radius));
    e->space = dHashSpaceCreate(NULL);
    dHashSpaceSetLevels(e->space, level - 1, level + 1);
}

/* Floor and walls as the half-spaces that their inner faces bound: ODE has no contacts of hulls
 * with boxes. Box 0 is the floor, 1 and 2 are across x, 3 and 4 across y. */
static void make_planes(engine *e, const peer_start *start)
{
    for (uint64_t i = 0; i < start->box_count; i++) {
        const int axis = i == 0 ? 2 : i < 3 ? 0 : 1;
        const double at = start->boxes[i][axis], sign = at > 0 ? -1 : 1;
        double normal[3] = {0, 0, 0};
        normal[axis] = sign;
        dCreatePlane(e->space, normal[0], normal[1], normal[2],
                     sign * at + start->boxes[i][3 + axis]);
    }
}

/* The shape of a body, in the space. */
static dGeomID make_geom(engine *e, const peer_start *start)
{
    const solid *s = &start->shape;
    const double edge = 2 * start->radius;
    if (start->solids && !start->cubes)
        return dCreateConvex(e->space, e->planes, s->face_count, e->corners, s->corner_count,
                             s->loop);
    return start->cubes ? dCreateBox(e->space, edge, edge, edge)
                        : dCreateSphere(e->space, start->radius);
}

static void set_mass(const peer_start *start, dMass *mass)
{
    const solid *s = &start->shape;
    dMassSetSphere(mass, start->density, start->radius);
    if (start->solids)
        dMassSetParameters(mass, start->density * s->volume, 0, 0, 0,
                           start->density * s->inertia[0], start->density * s->inertia[1],
                           start->density * s->inertia[2], 0, 0, 0);
}

static void make_pile(engine *e, const peer_start *start, const double *centres,
                      const double *orientations)
{
    e->world = dWorldCreate();
    e->joints = dJointGroupCreate(0);
    e->friction = start->friction;
    make_space(e, start->radius);
    dWorldSetGravity(e->world, start->along, 0, -start->gravity);
    dWorldSetQuickStepNumIterations(e->world, SOLVER_ITERATIONS);
    dWorldSetAutoDisableFlag(e->world, 0);
    for (int i = 0; i < 4 * SOLID_FACES; i++)
        e->planes[i] = start->shape.face[i / 4][i % 4];
    for (int i = 0; i < 3 * SOLID_CORNERS; i++)
        e->corners[i] = start->shape.corner[i / 3][i % 3];
    if (start->solids)
        make_planes(e, start);
    for (uint64_t i = 0; i < peer_boxes(start) && !start->solids; i++) {
        double at[3];
        const double *half = peer_box(start, i, at);
        dGeomID geom = dCreateBox(e->space, 2 * half[0], 2 * half[1], 2 * half[2]);
        dGeomSetPosition(geom, at[0], at[1], at[2]);
    }
    dMass mass;
    set_mass(start, &mass);
    for (uint64_t i = 0; i < start->bodies; i++) {
        e->bodies[i] = dBodyCreate(e->world);
        dBodySetMass(e->bodies[i], &mass);
        dGeomSetBody(make_geom(e, start), e->bodies[i]);
        dBodySetPosition(e->bodies[i], centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]);
        dBodySetLinearVel(e->bodies[i], start->speed, 0, 0);
        const double *q = orientations + 4 * i;
        if (start->solids)
            dBodySetQuaternion(e->bodies[i], (dReal[]){q[0], q[1], q[2], q[3]});
    }
}

static bool write_rows(FILE *out, const engine *e, uint64_t bodies, bool turned)
{
    const dReal *(*const getters[4])(dBodyID) = {dBodyGetPosition, dBodyGetLinearVel,
                                                 dBodyGetAngularVel, dBodyGetQuaternion};
    for (int k = 0; k < (turned ? 4 : 3); k++)
        for (uint64_t i = 0; i < bodies; i++) {
            const dReal *value = getters[k](e->bodies[i]);
            double row[4] = {value[0], value[1], value[2], value[3]};
            if (!peer_write(out, row, (k < 3 ? 3 : 4) * sizeof *row))
                return false;
        }
    return true;
}

static bool run_pile(engine *e, const peer_start *start, const double *centres,
                     const double *orientations, FILE *out)
{
    peer_result result = {.bodies = start->bodies, .iterations = SOLVER_ITERATIONS};
    describe(&result);
    uint64_t memory = peer_memory_start();
    make_pile(e, start, centres, orientations);
    for (uint64_t i = 0; i < start->settle; i++)
        step(e, start->step);
    double begin = peer_now_ms();
    for (uint64_t i = 0; i < start->steps; i++)
        step(e, start->step);
    result.ms_per_step = (peer_now_ms() - begin) / (double)start->steps;
    result.peak_bytes = peer_memory_growth(memory);
    result.contacts = e->contact_count;
    bool written =
        peer_write(out, &result, sizeof result) && write_rows(out, e, start->bodies, start->solids);
    dJointGroupDestroy(e->joints);
    dSpaceDestroy(e->space);
    dWorldDestroy(e->world);
    return written;
}

static void add_ball(const engine *e, dBodyID one, dBodyID two, const double at[3])
{
    dJointID joint = dJointCreateBall(e->world, 0);
    dJointAttach(joint, one, two);
    dJointSetBallAnchor(joint, at[0], at[1], at[2]);
}

/* A chain of links that meet nothing, on ball joints. */
static bool run_chain(engine *e, const peer_start *start, const double *centres,
                      const double *orientations, FILE *out)
{
    peer_result result = {.bodies = start->bodies, .iterations = start->iterations};
    const double *half = start->boxes[0] + 3;
    dMass mass;
    describe(&result);
    uint64_t memory = peer_memory_start();
    e->world = dWorldCreate();
    dWorldSetGravity(e->world, 0, 0, -start->gravity);
    dWorldSetQuickStepNumIterations(e->world, (int)start->iterations);
    dWorldSetAutoDisableFlag(e->world, 0);
    dMassSetBox(&mass, start->density, 2 * half[0], 2 * half[1], 2 * half[2]);
    for (uint64_t i = 0; i < start->bodies; i++) {
        const double *q = orientations + 4 * i;
        e->bodies[i] = dBodyCreate(e->world);
        dBodySetMass(e->bodies[i], &mass);
        dBodySetPosition(e->bodies[i], centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]);
        dBodySetQuaternion(e->bodies[i], (dReal[]){q[0], q[1], q[2], q[3]});
        dVector3 at;
        dBodyGetRelPointPos(e->bodies[i], -start->radius, 0, 0, at);
        if (i)
            add_ball(e, e->bodies[i - 1], e->bodies[i], (double[3]){at[0], at[1], at[2]});
    }
    add_ball(e, 0, e->bodies[0], start->ends[0]);
    add_ball(e, e->bodies[start->bodies - 1], 0, start->ends[1]);
    double begin = peer_now_ms(), before = begin;
    for (uint64_t i = 0; i < start->steps; i++) {
        dWorldQuickStep(e->world, start->step);
        const double now = peer_now_ms();
        result.ms_least = i && result.ms_least < now - before ? result.ms_least : now - before;
        before = now;
    }
    result.ms_per_step = (before - begin) / (double)start->steps;
    result.peak_bytes = peer_memory_growth(memory);
    bool written =
        peer_write(out, &result, sizeof result) && write_rows(out, e, start->bodies, true);
    dWorldDestroy(e->world);
    return written;
}

/* Body i of a vehicle, with its shape and mass. */
static void add_part(engine *e, const peer_track *t, uint64_t i, const double *x, const double *q)
{
    const uint64_t shoes = t->sides * t->shoes, chassis = shoes + t->sides * t->wheels;
    const double *half = i < shoes ? t->shoe : t->chassis;
    const double radius = i < shoes ? 0 : t->wheel_radius[(i - shoes) % t->wheels];
    const bool wheel = i >= shoes && i < chassis;
    dMass mass;
    dMassSetBoxTotal(&mass, i < shoes ? t->shoe_mass : t->chassis_mass, 2 * half[0], 2 * half[1],
                     2 * half[2]);
    if (wheel)
        dMassSetCylinderTotal(&mass, t->wheel_mass, 2, radius, 2 * t->wheel_half);
    e->bodies[i] = dBodyCreate(e->world);
    dBodySetMass(e->bodies[i], &mass);
    dBodySetPosition(e->bodies[i], x[0], x[1], x[2]);
    dBodySetQuaternion(e->bodies[i], (dReal[]){q[0], q[1], q[2], q[3]});
    dGeomID geom = wheel ? dCreateCylinder(e->space, radius, 2 * t->wheel_half)
                         : dCreateBox(e->space, 2 * half[0], 2 * half[1], 2 * half[2]);
    dGeomSetBody(geom, e->bodies[i]);
    if (wheel)
        dGeomSetOffsetQuaternion(geom, (dReal[]){M_SQRT1_2, M_SQRT1_2, 0, 0});
}

static dJointID add_hinge(const engine *e, dBodyID one, dBodyID two, const dReal at[3])
{
    dJointID joint = dJointCreateHinge(e->world, 0);
    dJointAttach(joint, one, two);
    dJointSetHingeAnchor(joint, at[0], at[1], at[2]);
    dJointSetHingeAxis(joint, 0, 1, 0);
    return joint;
}

/* A vehicle on tracks, on a plane. */
static bool run_track(engine *e, const peer_start *start, const double *centres,
                      const double *orientations, FILE *out)
{
    const peer_track *t = &start->track;
    const uint64_t shoes = t->sides * t->shoes;
    peer_result result = {.bodies = start->bodies, .iterations = start->iterations};
    dBodyID chassis, *bodies = e->bodies;
    describe(&result);
    uint64_t memory = peer_memory_start();
    e->world = dWorldCreate();
    e->joints = dJointGroupCreate(0);
    e->friction = start->friction;
    make_space(e, start->radius);
    dWorldSetGravity(e->world, 0, 0, -start->gravity);
    dWorldSetQuickStepNumIterations(e->world, (int)start->iterations);
    dWorldSetAutoDisableFlag(e->world, 0);
    dCreatePlane(e->space, 0, 0, 1, 0);
    for (uint64_t i = 0; i < start->bodies; i++)
        add_part(e, t, i, centres + 3 * i, orientations + 4 * i);
    chassis = bodies[start->bodies - 1];
    for (uint64_t i = 0; i < shoes; i++) {
        dVector3 at;
        dBodyGetRelPointPos(bodies[i], 0.5 * t->pitch, 0, 0, at);
        add_hinge(e, bodies[i], bodies[i / t->shoes * t->shoes + (i + 1) % t->shoes], at);
    }
    for (uint64_t i = shoes; i + 1 < start->bodies; i++)
        add_hinge(e, chassis, bodies[i], dBodyGetPosition(bodies[i]));
    double begin = 0, before = 0;
    for (uint64_t i = 0; i < start->settle + start->steps; i++) {
        if (i == start->settle)
            begin = before = peer_now_ms();
        for (uint64_t s = 0; s < t->sides; s++) {
            dBodyAddTorque(bodies[shoes + s * t->wheels], 0, t->torque, 0);
            dBodyAddTorque(chassis, 0, -t->torque, 0);
        }
        step(e, start->step);
        const double now = peer_now_ms();
        if (i >= start->settle)
            result.ms_least = i > start->settle && result.ms_least < now - before ? result.ms_least
                                                                                  : now - before;
        before = now;
    }
    result.ms_per_step = (before - begin) / (double)start->steps;
    result.peak_bytes = peer_memory_growth(memory);
    result.contacts = e->contact_count;
    bool written =
        peer_write(out, &result, sizeof result) && write_rows(out, e, start->bodies, true);
    dJointGroupDestroy(e->joints);
    dSpaceDestroy(e->space);
    dWorldDestroy(e->world);
    return written;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s START RESULT (talus-bench runs this program)\n", argv[0]);
        return 2;
    }
    FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
    peer_start start = {0};
    if (!in || !out || !peer_read(in, &start, sizeof start) ||
        memcmp(start.magic, PEER_START_MAGIC, sizeof start.magic) != 0 ||
        (start.task != PEER_PILE && start.task != PEER_CHAIN && start.task != PEER_TRACK)) {
        fprintf(stderr, "%s: cannot read %s as the start of a pile, chain or track or write %s\n",
                argv[0], argv[1], argv[2]);
        return 1;
    }
    engine e = {0};
    double *centres = calloc(start.bodies + 1, 3 * sizeof *centres);
    double *orientations = calloc(start.bodies + 1, 4 * sizeof *orientations);
    e.bodies = calloc(start.bodies + 1, sizeof(dBodyID));
    bool done =
        centres && orientations && e.bodies &&
        peer_read(in, centres, 3 * start.bodies * sizeof *centres) &&
        (!start.solids || peer_read(in, orientations, 4 * start.bodies * sizeof *orientations));
    if (done) {
        dInitODE2(0);
        done = (start.task == PEER_PILE    ? run_pile
                : start.task == PEER_CHAIN ? run_chain
                                           : run_track)(&e, &start, centres, orientations, out);
        dCloseODE();
    }
    free(centres);
    free(orientations);
    free(e.bodies);
    fclose(in);
    if (fclose(out) != 0 || !done) {
        fprintf(stderr, "%s: %s is cut short, %s cannot be written, or memory ran out\n", argv[0],
                argv[1], argv[2]);
        return 1;
    }
    return 0;
}
