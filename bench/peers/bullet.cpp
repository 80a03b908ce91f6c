/* talus-peer-bullet: Bullet on the start state of a bench, for the runner to compare with;
 * bench/peer.h describes the two files. The pile runs with the settings Bullet ships with, apart
 * from sleeping, which is off so that every step does the whole work. */
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "../peer.h"

namespace
{

/* The solver's iterations: Bullet's own default, said here because the row reports it. */
const int solver_iterations = 10;

/* Everything a run needs; members are destroyed in reverse order, the world before what it refers
 * to. */
struct Engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    std::unique_ptr<btCollisionShape> shape; /* of every body that moves */
    std::vector<std::unique_ptr<btBoxShape>> boxes;
};

btVector3 vector(const double *v)
{
    return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

void describe(peer_result *result)
{
    snprintf(result->version, sizeof result->version, "%d.%02d", btGetVersion() / 100,
             btGetVersion() % 100);
    snprintf(result->precision, sizeof result->precision, "%s",
             sizeof(btScalar) == sizeof(float) ? "single" : "double");
    result->threads = 1;
}

/* The shape of every body that moves. Hulls get no margin, which Bullet would put around them: 4 cm
 * if it is not told. (With corners moved inwards and a margin instead it is no faster, and hulls
 * overlap ten times as deep.) */
std::unique_ptr<btCollisionShape> make_shape(const peer_start &start)
{
    const btScalar r = btScalar(start.radius);
    if (!start.solids)
        return std::make_unique<btSphereShape>(r);
    if (start.cubes)
        return std::make_unique<btBoxShape>(btVector3(r, r, r));
    auto hull = std::make_unique<btConvexHullShape>();
    for (uint32_t i = 0; i < start.shape.corner_count; i++)
        hull->addPoint(vector(start.shape.corner[i]), false);
    hull->recalcLocalAabb();
    hull->setMargin(0);
    return hull;
}

/* Mass and moments; Bullet's own moments of a hull are those of the box around it. */
btScalar body_mass(const peer_start &start, btVector3 *inertia)
{
    const double r = start.radius, sphere = start.density * 4 / 3 * M_PI * std::pow(r, 3);
    *inertia = btVector3(1, 1, 1) * btScalar(0.4 * sphere * r * r);
    for (int k = 0; k < 3 && start.solids; k++)
        (*inertia)[k] = btScalar(start.density * start.shape.inertia[k]);
    return btScalar(start.solids ? start.density * start.shape.volume : sphere);
}

/* Bullet multiplies the two frictions of a pair, so each body gets the root. */
std::unique_ptr<btRigidBody> make_body(btScalar mass, const btVector3 &inertia,
                                       btCollisionShape *shape, const double *centre,
                                       const double *orientation, double friction)
{
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(vector(centre));
    if (orientation)
        info.m_startWorldTransform.setRotation(
            btQuaternion(btScalar(orientation[1]), btScalar(orientation[2]),
                         btScalar(orientation[3]), btScalar(orientation[0]))
                .normalized());
    info.m_friction = btScalar(std::sqrt(friction));
    info.m_restitution = 0;
    auto body = std::make_unique<btRigidBody>(info);
    if (mass > 0)
        body->setActivationState(DISABLE_DEACTIVATION);
    return body;
}

uint64_t count_contacts(btDispatcher &dispatcher)
{
    uint64_t count = 0;
    for (int i = 0; i < dispatcher.getNumManifolds(); i++)
        count += uint64_t(dispatcher.getManifoldByIndexInternal(i)->getNumContacts());
    return count;
}

bool write_rows(FILE *out, const std::vector<std::unique_ptr<btRigidBody>> &bodies, size_t first,
                bool turned)
{
    std::vector<double> rows[4];
    for (size_t i = first; i < bodies.size(); i++) {
        const btVector3 values[3] = {bodies[i]->getWorldTransform().getOrigin(),
                                     bodies[i]->getLinearVelocity(),
                                     bodies[i]->getAngularVelocity()};
        for (int k = 0; k < 3; k++)
            rows[k].insert(rows[k].end(), {values[k].x(), values[k].y(), values[k].z()});
        const btQuaternion q = bodies[i]->getWorldTransform().getRotation();
        if (turned)
            rows[3].insert(rows[3].end(), {q.w(), q.x(), q.y(), q.z()});
    }
    for (int k = 0; k < 4; k++)
        if (!peer_write(out, rows[k].data(), rows[k].size() * sizeof(double)))
            return false;
    return true;
}

bool run_pile(const peer_start &start, const std::vector<double> &centres,
              const std::vector<double> &orientations, FILE *out)
{
    peer_result result = {};
    describe(&result);
    result.iterations = solver_iterations;
    uint64_t memory = peer_memory_start();

    Engine engine;
    btDiscreteDynamicsWorld world(&engine.dispatcher, &engine.broadphase, &engine.solver,
                                  &engine.configuration);
    world.setGravity(btVector3(btScalar(start.along), 0, btScalar(-start.gravity)));
    world.getSolverInfo().m_numIterations = solver_iterations;
    engine.shape = make_shape(start);
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    const btVector3 none(0, 0, 0);
    const uint64_t boxes = peer_boxes(&start);
    for (uint64_t i = 0; i < boxes; i++) {
        double at[3];
        engine.boxes.push_back(std::make_unique<btBoxShape>(vector(peer_box(&start, i, at))));
        bodies.push_back(
            make_body(0, none, engine.boxes.back().get(), at, nullptr, start.friction));
    }
    btVector3 inertia;
    const btScalar mass = body_mass(start, &inertia);
    for (uint64_t i = 0; i < start.bodies; i++) {
        bodies.push_back(make_body(mass, inertia, engine.shape.get(), &centres[3 * i],
                                   start.solids ? &orientations[4 * i] : nullptr, start.friction));
        bodies.back()->setLinearVelocity(btVector3(btScalar(start.speed), 0, 0));
    }
    for (auto &body : bodies)
        world.addRigidBody(body.get());

    for (uint64_t i = 0; i < start.settle; i++)
        world.stepSimulation(btScalar(start.step), 0);
    double begin = peer_now_ms();
    for (uint64_t i = 0; i < start.steps; i++)
        world.stepSimulation(btScalar(start.step), 0);
    result.ms_per_step = (peer_now_ms() - begin) / double(start.steps);
    result.peak_bytes = peer_memory_growth(memory);
    result.bodies = start.bodies;
    result.contacts = count_contacts(engine.dispatcher);
    memcpy(result.magic, PEER_RESULT_MAGIC, sizeof result.magic);
    bool written =
        peer_write(out, &result, sizeof result) && write_rows(out, bodies, boxes, start.solids);

    for (auto &body : bodies)
        world.removeRigidBody(body.get());
    return written;
}

/* A chain of links that meet nothing, on ball joints. */
bool run_chain(const peer_start &start, const std::vector<double> &centres,
               const std::vector<double> &orientations, FILE *out)
{
    peer_result result = {};
    describe(&result);
    result.iterations = start.iterations;
    uint64_t memory = peer_memory_start();

    Engine engine;
    btDiscreteDynamicsWorld world(&engine.dispatcher, &engine.broadphase, &engine.solver,
                                  &engine.configuration);
    world.setGravity(btVector3(0, 0, btScalar(-start.gravity)));
    world.getSolverInfo().m_numIterations = int(start.iterations);
    const double *half = start.boxes[0] + 3;
    engine.shape = std::make_unique<btBoxShape>(vector(half));
    const btScalar mass = btScalar(8 * start.density * half[0] * half[1] * half[2]);
    btVector3 inertia;
    engine.shape->calculateLocalInertia(mass, inertia);
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btPoint2PointConstraint>> joints;
    const btVector3 back(btScalar(start.radius), 0, 0), front(-btScalar(start.radius), 0, 0);
    for (uint64_t i = 0; i < start.bodies; i++) {
        bodies.push_back(
            make_body(mass, inertia, engine.shape.get(), &centres[3 * i], &orientations[4 * i], 0));
        world.addRigidBody(bodies.back().get(), 0, 0);
        if (i)
            joints.push_back(
                std::make_unique<btPoint2PointConstraint>(*bodies[i - 1], *bodies[i], back, front));
    }
    /* a joint to the world holds the point where it is made */
    joints.push_back(std::make_unique<btPoint2PointConstraint>(*bodies.front(), front));
    joints.push_back(std::make_unique<btPoint2PointConstraint>(*bodies.back(), back));
    for (auto &joint : joints)
        world.addConstraint(joint.get(), true);

    double begin = peer_now_ms(), before = begin;
    for (uint64_t i = 0; i < start.steps; i++) {
        world.stepSimulation(btScalar(start.step), 0);
        const double now = peer_now_ms();
        result.ms_least = i ? std::min(result.ms_least, now - before) : now - before;
        before = now;
    }
    result.ms_per_step = (before - begin) / double(start.steps);
    result.peak_bytes = peer_memory_growth(memory);
    result.bodies = start.bodies;
    memcpy(result.magic, PEER_RESULT_MAGIC, sizeof result.magic);
    bool written = peer_write(out, &result, sizeof result) && write_rows(out, bodies, 0, true);
    for (auto &joint : joints)
        world.removeConstraint(joint.get());
    for (auto &body : bodies)
        world.removeRigidBody(body.get());
    return written;
}

/* A vehicle on tracks, on a plane. */
bool run_track(const peer_start &start, const std::vector<double> &centres,
               const std::vector<double> &orientations, FILE *out)
{
    const peer_track &t = start.track;
    const uint64_t shoes = t.sides * t.shoes, last = start.bodies - 1;
    peer_result result = {};
    describe(&result);
    result.iterations = start.iterations;
    uint64_t memory = peer_memory_start();

    Engine engine;
    btDiscreteDynamicsWorld world(&engine.dispatcher, &engine.broadphase, &engine.solver,
                                  &engine.configuration);
    world.setGravity(btVector3(0, 0, btScalar(-start.gravity)));
    world.getSolverInfo().m_numIterations = int(start.iterations);
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btHingeConstraint>> joints;
    const btVector3 y(0, 1, 0), none(0, 0, 0);
    const double origin[3] = {0, 0, 0};
    for (uint64_t i = 0; i <= last; i++) {
        const bool wheel = i >= shoes && i < last;
        const btScalar radius = btScalar(wheel ? t.wheel_radius[(i - shoes) % t.wheels] : 0);
        const btScalar mass = btScalar(i < shoes ? t.shoe_mass
                                       : wheel   ? t.wheel_mass
                                                 : t.chassis_mass);
        btVector3 inertia;
        if (wheel)
            shapes.push_back(std::make_unique<btCylinderShape>(
                btVector3(radius, btScalar(t.wheel_half), radius)));
        else
            shapes.push_back(std::make_unique<btBoxShape>(vector(i < shoes ? t.shoe : t.chassis)));
        shapes.back()->calculateLocalInertia(mass, inertia);
        bodies.push_back(make_body(mass, inertia, shapes.back().get(), &centres[3 * i],
                                   &orientations[4 * i], start.friction));
        world.addRigidBody(bodies.back().get());
    }
    const btScalar half = btScalar(0.5 * t.pitch);
    for (uint64_t i = 0; i < shoes; i++)
        joints.push_back(std::make_unique<btHingeConstraint>(
            *bodies[i], *bodies[i / t.shoes * t.shoes + (i + 1) % t.shoes], btVector3(half, 0, 0),
            btVector3(-half, 0, 0), y, y));
    for (uint64_t i = shoes; i < last; i++)
        joints.push_back(std::make_unique<btHingeConstraint>(
            *bodies[last], *bodies[i], vector(&centres[3 * i]) - vector(&centres[3 * last]), none,
            y, y));
    for (auto &joint : joints)
        world.addConstraint(joint.get(), true);
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    auto floor = make_body(0, none, &plane, origin, nullptr, start.friction);
    world.addRigidBody(floor.get());

    double begin = 0, before = 0;
    for (uint64_t i = 0; i < start.settle + start.steps; i++) {
        if (i == start.settle)
            begin = before = peer_now_ms();
        for (uint64_t s = 0; s < t.sides; s++) {
            bodies[shoes + s * t.wheels]->applyTorque(btScalar(t.torque) * y);
            bodies[last]->applyTorque(btScalar(-t.torque) * y);
        }
        world.stepSimulation(btScalar(start.step), 0);
        const double now = peer_now_ms();
        if (i >= start.settle)
            result.ms_least =
                i > start.settle ? std::min(result.ms_least, now - before) : now - before;
        before = now;
    }
    result.ms_per_step = (before - begin) / double(start.steps);
    result.peak_bytes = peer_memory_growth(memory);
    result.bodies = start.bodies;
    result.contacts = count_contacts(engine.dispatcher);
    memcpy(result.magic, PEER_RESULT_MAGIC, sizeof result.magic);
    bool written = peer_write(out, &result, sizeof result) && write_rows(out, bodies, 0, true);
    for (auto &joint : joints)
        world.removeConstraint(joint.get());
    world.removeRigidBody(floor.get());
    for (auto &body : bodies)
        world.removeRigidBody(body.get());
    return written;
}

/* The contact points of all manifolds, as the result file wants them. */
std::vector<peer_contact> read_contacts(btDispatcher &dispatcher)
{
    std::vector<peer_contact> contacts;
    for (int i = 0; i < dispatcher.getNumManifolds(); i++) {
        const btPersistentManifold *manifold = dispatcher.getManifoldByIndexInternal(i);
        uint32_t a = uint32_t(manifold->getBody0()->getUserIndex());
        uint32_t b = uint32_t(manifold->getBody1()->getUserIndex());
        for (int k = 0; k < manifold->getNumContacts(); k++) {
            const btManifoldPoint &point = manifold->getContactPoint(k);
            /* Bullet's normal points from body 1 to body 0. */
            double sign = a < b ? -1 : 1;
            peer_contact c = {};
            c.a = std::min(a, b);
            c.b = std::max(a, b);
            c.gap = point.getDistance();
            for (int j = 0; j < 3; j++) {
                c.normal[j] = sign * double(point.m_normalWorldOnB[j]);
                c.point[j] = 0.5 * (double(point.getPositionWorldOnA()[j]) +
                                    double(point.getPositionWorldOnB()[j]));
            }
            contacts.push_back(c);
        }
    }
    return contacts;
}

bool run_contacts(const peer_start &start, const std::vector<double> &centres, FILE *out)
{
    peer_result result = {};
    describe(&result);
    uint64_t memory = peer_memory_start();

    Engine engine;
    btCollisionWorld world(&engine.dispatcher, &engine.broadphase, &engine.configuration);
    engine.shape = std::make_unique<btSphereShape>(btScalar(start.radius));
    std::vector<std::unique_ptr<btCollisionObject>> objects;
    /* Settings that make Bullet find exactly the touching pairs, and fastest: boxes without a
     * margin for contacts to come, and pairs found by one walk of the tree, not one for each
     * object. */
    gContactBreakingThreshold = 0;
    engine.broadphase.m_deferedcollide = true;
    double times[4] = {peer_now_ms()};
    for (uint64_t i = 0; i < start.bodies; i++) {
        auto object = std::make_unique<btCollisionObject>();
        object->setCollisionFlags(0); /* as objects that move; the default is static */
        object->setCollisionShape(engine.shape.get());
        object->getWorldTransform().setOrigin(vector(&centres[3 * i]));
        object->setUserIndex(int(i));
        world.addCollisionObject(object.get());
        objects.push_back(std::move(object));
    }
    times[1] = peer_now_ms();
    world.performDiscreteCollisionDetection();
    times[2] = peer_now_ms();
    world.performDiscreteCollisionDetection();
    times[3] = peer_now_ms();
    result.build_ms = times[1] - times[0];
    result.first_ms = times[2] - times[1];
    result.warm_ms = times[3] - times[2];
    result.peak_bytes = peer_memory_growth(memory);

    std::vector<peer_contact> contacts = read_contacts(engine.dispatcher);
    result.bodies = start.bodies;
    result.contacts = contacts.size();
    memcpy(result.magic, PEER_RESULT_MAGIC, sizeof result.magic);
    bool written = peer_write(out, &result, sizeof result) &&
                   peer_write(out, contacts.data(), contacts.size() * sizeof(peer_contact)) &&
                   fflush(out) == 0;
    /* Taking a million objects out one by one is slow and of no interest: end here. */
    fclose(out);
    _Exit(written ? 0 : 1);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s START RESULT (talus-bench runs this program)\n", argv[0]);
        return 2;
    }
    FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
    peer_start start = {};
    if (!in || !out || !peer_read(in, &start, sizeof start) ||
        memcmp(start.magic, PEER_START_MAGIC, sizeof start.magic) != 0) {
        fprintf(stderr, "%s: cannot read %s as a start file or write %s\n", argv[0], argv[1],
                argv[2]);
        return 1;
    }
    std::vector<double> centres(3 * start.bodies);
    std::vector<double> orientations(start.solids ? 4 * start.bodies : 0);
    if (!peer_read(in, centres.data(), centres.size() * sizeof(double)) ||
        !peer_read(in, orientations.data(), orientations.size() * sizeof(double))) {
        fprintf(stderr, "%s: %s is cut short\n", argv[0], argv[1]);
        return 1;
    }
    fclose(in);
    bool done = start.task == PEER_PILE    ? run_pile(start, centres, orientations, out)
                : start.task == PEER_CHAIN ? run_chain(start, centres, orientations, out)
                : start.task == PEER_TRACK ? run_track(start, centres, orientations, out)
                                           : run_contacts(start, centres, out);
    if (fclose(out) != 0 || !done) {
        fprintf(stderr, "%s: cannot write %s\n", argv[0], argv[2]);
        return 1;
    }
    return 0;
}
