/* talus-peer-ode: ODE on the start state of a bench, for the runner to compare with; bench/peer.h
 * describes the two files. Piles only: ODE's hash space keeps a table of tested pairs that grows
 * with the square of the bodies, and a million would need more than 100 GB. QuickStep with ODE's
 * own error reduction and constraint mixing, pyramid friction scaled by the normal force
 * (dContactApprox1), and no sleeping. */
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
    uint64_t contact_count; /* of the present step */
} engine;

static void describe(peer_result *result)
{
    snprintf(result->version, sizeof result->version, "%s", dODE_VERSION);
    snprintf(result->precision, sizeof result->precision, "%s",
             sizeof(dReal) == sizeof(float) ? "single" : "double");
    result->threads = 1;
    memcpy(result->magic, PEER_RESULT_MAGIC, sizeof result->magic);
}

/* A pair from the broad phase: a contact joint if the two touch. */
static void join_pair(void *data, dGeomID a, dGeomID b)
{
    engine *e = data;
    dContact contact = {0};
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if ((!body_a && !body_b) || dCollide(a, b, 1, &contact.geom, sizeof contact) == 0)
        return;
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = e->friction;
    dJointAttach(dJointCreateContact(e->world, e->joints, &contact), body_a, body_b);
    e->contact_count++;
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

static void make_pile(engine *e, const peer_start *start, const double *centres)
{
    e->world = dWorldCreate();
    e->joints = dJointGroupCreate(0);
    e->friction = start->friction;
    make_space(e, start->radius);
    dWorldSetGravity(e->world, 0, 0, -start->gravity);
    dWorldSetQuickStepNumIterations(e->world, SOLVER_ITERATIONS);
    dWorldSetAutoDisableFlag(e->world, 0);
    for (uint64_t i = 0; i < start->box_count; i++) {
        const double *box = start->boxes[i];
        dGeomID geom = dCreateBox(e->space, 2 * box[3], 2 * box[4], 2 * box[5]);
        dGeomSetPosition(geom, box[0], box[1], box[2]);
    }
    dMass mass;
    dMassSetSphere(&mass, start->density, start->radius);
    for (uint64_t i = 0; i < start->bodies; i++) {
        e->bodies[i] = dBodyCreate(e->world);
        dBodySetMass(e->bodies[i], &mass);
        dGeomSetBody(dCreateSphere(e->space, start->radius), e->bodies[i]);
        dBodySetPosition(e->bodies[i], centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]);
    }
}

static bool write_rows(FILE *out, const engine *e, uint64_t bodies)
{
    const dReal *(*const getters[3])(dBodyID) = {dBodyGetPosition, dBodyGetLinearVel,
                                                 dBodyGetAngularVel};
    for (int k = 0; k < 3; k++)
        for (uint64_t i = 0; i < bodies; i++) {
            const dReal *value = getters[k](e->bodies[i]);
            double row[3] = {value[0], value[1], value[2]};
            if (!peer_write(out, row, sizeof row))
                return false;
        }
    return true;
}

static bool run_pile(engine *e, const peer_start *start, const double *centres, FILE *out)
{
    peer_result result = {.bodies = start->bodies, .iterations = SOLVER_ITERATIONS};
    describe(&result);
    uint64_t memory = peer_memory_start();
    make_pile(e, start, centres);
    for (uint64_t i = 0; i < start->settle; i++)
        step(e, start->step);
    double begin = peer_now_ms();
    for (uint64_t i = 0; i < start->steps; i++)
        step(e, start->step);
    result.ms_per_step = (peer_now_ms() - begin) / (double)start->steps;
    result.peak_bytes = peer_memory_growth(memory);
    result.contacts = e->contact_count;
    bool written = peer_write(out, &result, sizeof result) && write_rows(out, e, start->bodies);
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
        memcmp(start.magic, PEER_START_MAGIC, sizeof start.magic) != 0 || start.task != PEER_PILE) {
        fprintf(stderr, "%s: cannot read %s as the start of a pile or write %s\n", argv[0], argv[1],
                argv[2]);
        return 1;
    }
    engine e = {0};
    double *centres = calloc(start.bodies + 1, 3 * sizeof *centres);
    e.bodies = calloc(start.bodies + 1, sizeof(dBodyID));
    bool done = centres && e.bodies && peer_read(in, centres, 3 * start.bodies * sizeof *centres);
    if (done) {
        dInitODE2(0);
        done = run_pile(&e, &start, centres, out);
        dCloseODE();
    }
    free(centres);
    free(e.bodies);
    fclose(in);
    if (fclose(out) != 0 || !done) {
        fprintf(stderr, "%s: %s is cut short, %s cannot be written, or memory ran out\n", argv[0],
                argv[1], argv[2]);
        return 1;
    }
    return 0;
}
