/* `talus check`: what a scene or a mesh holds and what is wrong with it, without running it. */
#include "facts.h"
#include "files.h"
#include "info.h"
#include "mesh.h"
#include "overlap.h"
#include "sizes.h"
#include "survey.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* How often a group and a mask occur, on bodies that move and on others. */
typedef struct filter {
    uint32_t group, mask;
    bool sensor, moves;
    uint32_t body; /* the first one's */
    bool others;   /* there are more bodies */
} filter;

static bool collide(const filter *a, const filter *b)
{
    return a->group & b->mask && b->group & a->mask && (a->moves || b->moves) &&
           !(a->sensor && b->sensor) && (a != b || a->others) &&
           (a->others || b->others || a->body != b->body);
}

/* The filters of all shapes, each once; how many there are. Those that do not fit are left out. */
static size_t list_filters(const tl_shape_info *shapes, size_t count, filter *list, size_t room)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const tl_shape_def *d = &shapes[i].def;
        const bool moves = shapes[i].kind == TL_DYNAMIC;
        size_t k = 0;
        while (k < found && (list[k].group != d->group || list[k].mask != d->mask ||
                             list[k].sensor != d->sensor || list[k].moves != moves))
            k++;
        if (k == room)
            return 0;
        if (k == found)
            list[found++] = (filter){d->group, d->mask, d->sensor, moves, shapes[i].body.index, 0};
        list[k].others = list[k].others || list[k].body != shapes[i].body.index;
    }
    return found;
}

/* Warns of shapes with groups that collide with nothing: a slip, most likely. Where emitters pour
 * in more bodies later, of groups that are not known here, only of those with no mask at all. */
static void tell_filters(facts *f, const tl_document *document, const tl_shape_info *shapes,
                         size_t count)
{
    filter list[256];
    char name[512];
    const size_t filters = list_filters(shapes, count, list, sizeof list / sizeof *list);
    const bool more = tl_scene_emitter_count(tl_document_scene(document)) > 0;
    for (size_t i = 0; i < filters; i++) {
        bool alone = (list[i].group != 1 || list[i].mask != UINT32_MAX) && !(more && list[i].mask);
        for (size_t k = 0; k < filters; k++)
            alone = alone && !collide(&list[i], &list[k]);
        if (!alone)
            continue;
        tl_document_describe(document, (tl_body){list[i].body, 1}, name, sizeof name);
        fact_warning(f,
                     "%s has a shape that collides with nothing in the scene: group 0x%x, "
                     "mask 0x%x",
                     name, list[i].group, list[i].mask);
    }
}

/* Bodies by kind. Bodies without shapes touch nothing and are counted as dynamic, which is all they
 * can be of use as. */
static int count_bodies(facts *f, const tl_document *document, const tl_world *world)
{
    const size_t count = tl_world_shape_count(world);
    size_t kinds[3] = {0};
    tl_shape_info *shapes = calloc(count + 1, sizeof *shapes);
    if (!shapes)
        return out_of_memory();
    const tl_status status = tl_world_read_shapes(world, count, shapes);
    for (size_t i = 0; status == TL_OK && i < count; i++)
        if (shapes[i].index == 0)
            kinds[shapes[i].kind]++;
    if (status < 0) {
        free(shapes);
        return complain_of(status, PHASE_MAKING);
    }
    kinds[TL_DYNAMIC] = tl_world_body_count(world) - kinds[TL_FIXED] - kinds[TL_PRESCRIBED];
    for (uint32_t kind = TL_DYNAMIC; kind <= TL_PRESCRIBED; kind++)
        fact_count(f, tl_word(TL_WORDS_BODY, kind), kinds[kind]);
    size_t sensors = 0;
    for (size_t i = 0; i < count; i++)
        sensors += shapes[i].def.sensor;
    fact_count(f, "shapes", count);
    if (sensors)
        fact_count(f, "sensors", sensors);
    tell_shape_kinds(f, shapes, count);
    tell_filters(f, document, shapes, count);
    free(shapes);
    return EXIT_OK;
}

/* The worst pair, as facts and, for people, as a warning. */
static int tell_overlaps(facts *f, const tl_document *document, tl_world *world, bool warned)
{
    overlaps found = {0};
    char a[512] = "", b[512] = "";
    const int code = warned ? find_overlaps(world, &found) : EXIT_OK;
    if (code != EXIT_OK)
        return code;
    fact_count(f, "overlapping_pairs", found.pairs);
    if (!found.pairs)
        return EXIT_OK;
    tl_document_describe(document, found.a, a, sizeof a);
    tl_document_describe(document, found.b, b, sizeof b);
    fact_number(f, "worst_overlap", found.depth, "m");
    fact_number(f, "worst_relative", found.relative, "of the smaller radius");
    fact_text(f, "worst_a", a);
    fact_text(f, "worst_b", b);
    fact_warning(f,
                 "%s and %s overlap by %.3g m, %.0f %% of the smaller radius; %zu %s by more than "
                 "10 %%",
                 a, b, found.depth, 100 * found.relative, found.pairs,
                 found.pairs == 1 ? "pair overlaps" : "pairs overlap");
    if (!found.inside)
        return EXIT_OK;
    tl_document_describe(document, found.in, a, sizeof a);
    tl_document_describe(document, found.of, b, sizeof b);
    fact_count(f, "inside_walls", found.inside);
    fact_warning(f, "the centre of %s lies inside %s, or behind it; so do %zu in all", a, b,
                 found.inside);
    return EXIT_OK;
}

/* The angle between two orientations, rad. */
static double angle_between(const double *p, const double *q)
{
    const double turn[3] = {p[0] * q[1] - q[0] * p[1] - p[2] * q[3] + p[3] * q[2],
                            p[0] * q[2] - q[0] * p[2] - p[3] * q[1] + p[1] * q[3],
                            p[0] * q[3] - q[0] * p[3] - p[1] * q[2] + p[2] * q[1]};
    const double along = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    return 2 * atan2(hypot(hypot(turn[0], turn[1]), turn[2]), fabs(along));
}

/* How far bodies were moved and turned so that the joints of the scene meet. */
static int tell_assembly(facts *f, const tl_document *document, const tl_world *world)
{
    const tl_scene *scene = tl_document_scene(document);
    const size_t count = tl_world_body_count(world);
    char name[512];
    double furthest = 0, most = 0;
    tl_body moved = {0}, turned = {0};
    if (!tl_scene_joint_count(scene))
        return EXIT_OK;
    tl_body *bodies = calloc(count + 1, sizeof *bodies);
    double *x = calloc(7 * count + 1, sizeof *x), *turns = x ? x + 3 * count : NULL;
    tl_status status = TL_OK;
    if (bodies && x)
        status = tl_world_list_bodies(world, count, bodies);
    if (bodies && x && status == TL_OK)
        status = tl_world_read_positions(world, count, NULL, x);
    if (bodies && x && status == TL_OK)
        status = tl_world_read_orientations(world, count, NULL, turns);
    for (size_t i = 0; i < count && bodies && x && status == TL_OK; i++) {
        double at[3], q[4], way = 0;
        if (tl_scene_read_pose(scene, bodies[i], at, q) < 0)
            continue;
        for (size_t k = 0; k < 3; k++)
            way += (x[3 * i + k] - at[k]) * (x[3 * i + k] - at[k]);
        if (way > furthest * furthest) {
            furthest = sqrt(way);
            moved = bodies[i];
        }
        const double angle = angle_between(q, turns + 4 * i);
        if (angle > most) {
            most = angle;
            turned = bodies[i];
        }
    }
    const bool short_of_memory = !bodies || !x;
    free(bodies);
    free(x);
    if (short_of_memory)
        return out_of_memory();
    if (status < 0)
        return complain_of(status, PHASE_MAKING);
    fact_number(f, "assembly_correction", furthest, "m");
    fact_number(f, "assembly_turn", most, "rad");
    if (furthest > 1e-6) {
        tl_document_describe(document, moved, name, sizeof name);
        fact_warning(f, "the joints did not meet: %s was moved by %.3g m to assemble them", name,
                     furthest);
    }
    if (most > 1e-6) {
        tl_document_describe(document, turned, name, sizeof name);
        fact_warning(f, "the joints did not meet: %s was turned by %.3g rad to assemble them", name,
                     most);
    }
    return EXIT_OK;
}

static int check_world(const options *given, const tl_document *document, tl_world *world,
                       bool warned)
{
    facts f;
    facts_start(&f, given->json);
    facts_list_warnings(&f);
    fact_text(&f, "file", given->file);
    if (tl_document_is_lines(given->file, "S", 1))
        fact_count(&f, "comments", tl_document_comments(document));
    tell_document(&f, document);
    int code = count_bodies(&f, document, world);
    if (code == EXIT_OK)
        code = survey_world(&f, given, document, world);
    if (code == EXIT_OK)
        code = tell_assembly(&f, document, world);
    if (code == EXIT_OK)
        code = tell_overlaps(&f, document, world, warned);
    if (code != EXIT_OK) {
        facts_drop(&f);
        return code;
    }
    return facts_end(&f);
}

static int check_document(const options *given, const tl_document *document)
{
    tl_world *world = NULL;
    const tl_status status = tl_world_create(tl_document_scene(document), &world);
    const int code = status < 0 ? complain_of_world(document, status)
                                : check_world(given, document, world, status == TL_OVERLAPPING);
    tl_world_destroy(world);
    return code;
}

int command_check(const options *given)
{
    tl_document *document = NULL;
    if (tl_mesh_is_file(given->file))
        return check_mesh(given);
    if (given->unit >= 0 || !isnan(given->scale) || !isnan(given->merge) ||
        !isnan(given->density)) {
        complain("check: --unit, --scale, --merge and --density are for meshes; %s is none",
                 given->file);
        return EXIT_USAGE;
    }
    int code = expect_scene("check", given->file);
    if (code != EXIT_OK)
        return code;
    const tl_status status =
        tl_document_read(given->file, given->set_count, given->sets, &document);
    code = status < 0 ? complain_of(status, PHASE_READING) : check_document(given, document);
    tl_document_destroy(document);
    return code;
}
