/* Rays against those of ODE, for the kinds that it has (its convex hulls are hit in other places
 * than their planes say). */
/* labels: longer */
#include "query_forms.h"

#include <ode/ode.h>

/* The form as a geom of ODE at the same place; what it points to must outlive it. */
typedef struct peer {
    dGeomID geom;
    dTriMeshDataID data;
    dTriIndex index[3 * 400];
    double vertices[3 * 400][3];
} peer;

static void peer_mesh(const form *f, peer *p)
{
    for (size_t i = 0; i < f->triangles; i++)
        for (size_t k = 0; k < 3; k++) {
            memcpy(p->vertices[3 * i + k], f->corner[i][k], sizeof p->vertices[0]);
            p->index[3 * i + k] = (dTriIndex)(3 * i + k);
        }
    p->data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(p->data, p->vertices, sizeof p->vertices[0], 3 * (int)f->triangles,
                                p->index, 3 * (int)f->triangles, 3 * sizeof(dTriIndex));
    p->geom = dCreateTriMesh(NULL, p->data, NULL, NULL, NULL);
}

static void make_peer(const form *f, peer *p)
{
    const tl_shape_def *s = &f->def;
    double at[3], x[3];
    p->data = NULL;
    switch (f->kind) {
    case FORM_SPHERE: p->geom = dCreateSphere(NULL, s->radius); break;
    case FORM_BOX:
        p->geom = dCreateBox(NULL, 2 * s->half_extents[0], 2 * s->half_extents[1],
                             2 * s->half_extents[2]);
        break;
    case FORM_CAPSULE: p->geom = dCreateCapsule(NULL, s->radius, 2 * s->half_length); break;
    case FORM_CYLINDER: p->geom = dCreateCylinder(NULL, s->radius, 2 * s->half_length); break;
    case FORM_MESH: peer_mesh(f, p); break;
    default: { /* a plane has no place of its own */
        double up[3];
        form_out(f, (double[3]){0, 0, 1}, false, up);
        form_out(f, (double[3]){0, 0, 0}, true, at);
        p->geom = dCreatePlane(NULL, up[0], up[1], up[2], dot3(up, at));
        return;
    }
    }
    form_out(f, (double[3]){0, 0, 0}, true, at);
    dMatrix3 r = {0};
    for (int k = 0; k < 3; k++) {
        form_out(f, (double[3]){k == 0, k == 1, k == 2}, false, x);
        for (int i = 0; i < 3; i++)
            r[4 * i + k] = x[i];
    }
    dGeomSetPosition(p->geom, at[0], at[1], at[2]);
    dGeomSetRotation(p->geom, r);
}

static void test_rays(void **state)
{
    (void)state;
    static const form_kind kinds[] = {FORM_SPHERE,   FORM_BOX,   FORM_CAPSULE,
                                      FORM_CYLINDER, FORM_PLANE, FORM_MESH};
    static form f;
    static peer p;
    const int rounds = is_long() ? 5000 : 30;
    enum { RAYS = 100 };
    dice d = {77};
    dInitODE();
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        int hits = 0, other = 0;
        for (int round = 0; round < rounds; round++) {
            tl_scene *scene = plain_scene();
            roll_form(scene, &d, kinds[kind], &f);
            add_form(scene, &f);
            tl_world *world = world_of(scene);
            make_peer(&f, &p);
            tl_ray rays[RAYS];
            tl_ray_hit all[RAYS];
            for (int i = 0; i < RAYS; i++) {
                double to[3];
                rays[i] = tl_ray_default();
                roll_direction(&d, rays[i].origin);
                roll3(&d, -1, 1, to);
                for (int k = 0; k < 3; k++)
                    rays[i].origin[k] *= 4;
                add3(to, -1, rays[i].origin, rays[i].direction);
                rays[i].max_distance = 20;
            }
            assert_ok(tl_world_cast_rays(world, RAYS, rays, all));
            for (int i = 0; i < RAYS; i++) {
                const double *o = rays[i].origin, *v = rays[i].direction;
                double local[3];
                form_in(&f, o, true, local);
                if (kinds[kind] == FORM_PLANE && local[2] < 0)
                    continue; /* from inside ODE says how far out */
                dGeomID ray = dCreateRay(NULL, 20);
                dContactGeom contact;
                dGeomRaySet(ray, o[0], o[1], o[2], v[0], v[1], v[2]);
                dGeomRaySetClosestHit(ray, 1);
                const int met = dCollide(ray, p.geom, 1, &contact, sizeof contact);
                dGeomDestroy(ray);
                context("kind %d, round %d, ray %d", (int)kinds[kind], round, i);
                if ((met != 0) != (all[i].body.index != 0)) {
                    other++; /* grazing */
                    continue;
                }
                if (!met)
                    continue;
                hits++;
                const double tolerance = kinds[kind] == FORM_MESH ? 2e-4 : 1e-7;
                assert_near(all[i].distance, contact.depth, tolerance);
                if (kinds[kind] != FORM_MESH)
                    assert_above(fabs(contact.normal[0] * all[i].normal[0] +
                                      contact.normal[1] * all[i].normal[1] +
                                      contact.normal[2] * all[i].normal[2]),
                                 1 - 1e-6);
            }
            dGeomDestroy(p.geom);
            if (p.data)
                dGeomTriMeshDataDestroy(p.data);
            tl_world_destroy(world);
        }
        print_message("kind %d: %d hits, %d differ\n", (int)kinds[kind], hits, other);
        assert_in_range(hits, 10 * rounds, 100 * rounds);
        assert_in_range(other, 0, 1 + rounds / 100);
    }
    dCloseODE();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
