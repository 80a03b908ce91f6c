/* labels: longer */
/* The contact finder against brute force over all pairs of boxes, most of them long or flat, that
 * move: whose boxes overlap, by the separating axes of two boxes, have a contact; whose balls do
 * not meet in the step have none. Nothing here shares code with the library. */
#include "support.h"

#define BOXES  300
#define ROUNDS (getenv("TALUS_LONG") ? 400 : 20)

typedef struct brick {
    double half[3], place[3], axis[3][3], speed;
} brick;

static double along(const brick *b, const double n[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += b->half[k] * fabs(dot3(b->axis[k], n));
    return sum;
}

/* m: the largest gap along the fifteen axes that tell two boxes apart. */
static double apart(const brick *a, const brick *b)
{
    double n[15][3], most = -INFINITY, d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = b->place[k] - a->place[k];
        memcpy(n[k], a->axis[k], sizeof n[k]);
        memcpy(n[3 + k], b->axis[k], sizeof n[k]);
        for (int l = 0; l < 3; l++)
            cross3(a->axis[k], b->axis[l], n[6 + 3 * k + l]);
    }
    for (int i = 0; i < 15; i++) {
        const double size = sqrt(dot3(n[i], n[i]));
        if (size > 1e-9)
            most = fmax(most, (fabs(dot3(n[i], d)) - along(a, n[i]) - along(b, n[i])) / size);
    }
    return most;
}

static void add_brick(tl_scene *scene, dice *d, double speed, brick *b)
{
    tl_body_def def = tl_body_default();
    for (int k = 0; k < 3; k++)
        b->half[k] = pow(10, roll(d, -2, -0.3));
    roll3(d, -1.5, 1.5, b->place);
    roll_turn(d, def.orientation);
    for (int k = 0; k < 3; k++)
        rotate(def.orientation, 1, (double[3]){k == 0, k == 1, k == 2}, b->axis[k]);
    const tl_shape_def shape = tl_box_default(b->half[0], b->half[1], b->half[2]);
    def.shapes = &shape;
    def.shape_count = 1;
    def.mass = 1;
    memcpy(def.position, b->place, sizeof def.position);
    roll3(d, -speed, speed, def.velocity);
    roll3(d, -speed, speed, def.angular_velocity);
    b->speed =
        sqrt(dot3(def.velocity, def.velocity)) +
        sqrt(dot3(def.angular_velocity, def.angular_velocity)) * sqrt(dot3(b->half, b->half));
    add_body(scene, &def);
}

/* Both answers, pair by pair; returns how many overlap. */
static size_t compare(const brick *bricks, const tl_world *world, const tl_settings *s)
{
    static bool found[BOXES][BOXES];
    size_t count, overlaps = 0;
    tl_contact *contacts = contacts_of(world, &count);
    memset(found, 0, sizeof found);
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = contacts[i].a.index - 1, b = contacts[i].b.index - 1;
        found[a][b] = found[b][a] = true;
    }
    free(contacts);
    for (int i = 0; i < BOXES; i++)
        for (int j = 0; j < i; j++) {
            const brick *a = bricks + i, *b = bricks + j;
            const double gap = apart(a, b), way = s->step * (a->speed + b->speed);
            if (gap < -1e-9 && !found[i][j])
                fail_msg("%s: boxes %d and %d overlap by %g m and have no contact", test_context, i,
                         j, -gap);
            if (gap > s->envelope + way + 1e-9 && found[i][j])
                fail_msg("%s: boxes %d and %d are %g m apart and have one", test_context, i, j,
                         gap);
            overlaps += gap < 0;
        }
    return overlaps;
}

static void test_boxes(void **state)
{
    static brick bricks[BOXES];
    size_t overlaps = 0;
    dice d = {7};
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        tl_settings s = tl_settings_default();
        s.precision = round % 2 ? TL_MIXED : TL_DOUBLE;
        s.threads = 1;
        s.envelope = round % 3 ? 0.005 : 0.05;
        context("round %d", round);
        tl_scene *scene = scene_with(&s);
        for (int i = 0; i < BOXES; i++)
            add_brick(scene, &d, round % 4 / 2 ? 0 : 5, &bricks[i]);
        tl_world *world = world_of(scene);
        assert_ok(tl_world_find_contacts(world));
        overlaps += compare(bricks, world, &s);
        tl_world_destroy(world);
    }
    print_message("%zu pairs overlap\n", overlaps);
    assert_true(overlaps > (size_t)ROUNDS * BOXES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
