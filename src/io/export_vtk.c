/* Export for ParaView: a .pvd that lists .vtp files by time, which lie in a folder beside it
 * (`name.pvd`: `name_frames/`). Per frame: moving spheres as points, other shapes of moving bodies
 * as polygons, contacts as points. Fixed shapes have a file for each time that they change. */
#define _GNU_SOURCE
#include "io/export.h"
#include "io/export_vtp.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fields of spheres and surfaces. */
enum { RADIUS, BODY, MATERIAL, VELOCITY, ANGULAR, SPEED };
/* Fields of contacts. */
enum { BODY_A, BODY_B, NORMAL, IMPULSE, GAP };

typedef struct job {
    tl_result *result;
    tl_export_task *task;
    const char *path;
    char *folder;             /* a string of folder_room bytes */
    size_t folder_room, base; /* base: where the folder's name without its path begins */
    bool made;                /* the folder */
    FILE *list;               /* the .pvd */
    tl_array bodies;          /* tl_body_info */
    tl_array written;         /* char[32]: names of files in the folder */
    tl_vtp spheres, surfaces, contacts, joints;
    tl_joint_source source;
    double centre[3], reach; /* of what is there, for planes */
    tl_surface
        *triangles; /* triangles of the shape that was last added, and what they were made of */
    tl_shape_def triangles_of;
    size_t fixed_count;          /* files of fixed shapes so far */
    double fixed_from, fixed_to; /* times between which the last one holds */
} job;

/* ---- Geometry ---- */

/* The middle of all bodies, and how far they and their shapes reach from it. */
static void find_reach(job *j)
{
    const tl_shape_row *s = j->result->shapes.data;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < j->result->shapes.count; i++) {
        if (s[i].kind == TL_PLANE)
            continue;
        const double *x = tl_result_find_body(j->result, s[i].body)->position;
        const tl_shape_def d = tl_result_shape(&s[i]);
        const double size = tl_shape_reach(&d, tl_result_shape_geometry(j->result, &s[i]));
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k] - size);
            high[k] = fmax(high[k], x[k] + size);
        }
    }
    j->reach = 0;
    for (int k = 0; k < 3; k++) {
        const bool any = low[k] <= high[k];
        j->centre[k] = any ? (low[k] + high[k]) / 2 : 0;
        j->reach = fmax(j->reach, any ? high[k] - low[k] : 1);
    }
}

/* ---- Surfaces ---- */

/* Where a body is, and how it moves: NULL where that was not recorded. */
typedef struct motion {
    const double *q, *x;
    const float *v, *w;
} motion;

/* A point of a shape with all its fields. */
static tl_status add_point(tl_vtp *vtp, const tl_shape_row *s, double radius, const motion *m,
                           const double point[3])
{
    static const float unknown[3] = {NAN, NAN, NAN};
    const float *v = m->v ? m->v : unknown, *w = m->w ? m->w : unknown;
    const double anchor[3] = {point[0] - m->x[0], point[1] - m->x[1], point[2] - m->x[2]};
    const float velocity[3] = {(float)(v[0] + w[1] * anchor[2] - w[2] * anchor[1]),
                               (float)(v[1] + w[2] * anchor[0] - w[0] * anchor[2]),
                               (float)(v[2] + w[0] * anchor[1] - w[1] * anchor[0])};
    const float speed =
        sqrtf(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
    TL_TRY(tl_vtp_add_point(vtp, point));
    TL_TRY(tl_vtp_set(vtp, RADIUS, &radius));
    TL_TRY(tl_vtp_set(vtp, BODY, &s->body));
    TL_TRY(tl_vtp_set(vtp, MATERIAL, &s->material));
    TL_TRY(tl_vtp_set(vtp, VELOCITY, velocity));
    TL_TRY(tl_vtp_set(vtp, ANGULAR, w));
    return tl_vtp_set(vtp, SPEED, &speed);
}

static tl_status add_quad(job *j, const tl_shape_row *s, const motion *m,
                          const double corners[4][3])
{
    for (int i = 0; i < 4; i++)
        TL_TRY(add_point(&j->surfaces, s, 0, m, corners[i]));
    return tl_vtp_add_polygon(&j->surfaces, 4);
}

/* The part of a plane that lies below everything else. */
static tl_status add_plane(job *j, const tl_shape_row *s, const motion *m)
{
    double o[3], n[3], corners[4][3], along = 0, u[3], v[3];
    const double zero[3] = {0}, ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0}, ez[3] = {0, 0, 1};
    tl_export_place(s, m->q, m->x, zero, o);
    tl_export_place(s, m->q, m->x, ex, u);
    tl_export_place(s, m->q, m->x, ey, v);
    tl_export_place(s, m->q, m->x, ez, n);
    for (int k = 0; k < 3; k++)
        along += (j->centre[k] - o[k]) * (n[k] - o[k]);
    for (int i = 0; i < 4; i++) {
        const double a = i == 0 || i == 3 ? -j->reach : j->reach, b = i < 2 ? -j->reach : j->reach;
        for (int k = 0; k < 3; k++)
            corners[i][k] =
                j->centre[k] - along * (n[k] - o[k]) + a * (u[k] - o[k]) + b * (v[k] - o[k]);
    }
    return add_quad(j, s, m, (const double(*)[3])corners);
}

static tl_status add_box(job *j, const tl_shape_row *s, const motion *m)
{
    /* Corners by the signs of their coordinates, counter-clockwise seen from outside. */
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    double corner[8][3], quad[4][3];
    for (int i = 0; i < 8; i++) {
        const double p[3] = {i & 1 ? s->half_extents[0] : -s->half_extents[0],
                             i & 2 ? s->half_extents[1] : -s->half_extents[1],
                             i & 4 ? s->half_extents[2] : -s->half_extents[2]};
        tl_export_place(s, m->q, m->x, p, corner[i]);
    }
    for (int f = 0; f < 6; f++) {
        for (int i = 0; i < 4; i++)
            memcpy(quad[i], corner[faces[f][i]], sizeof quad[i]);
        TL_TRY(add_quad(j, s, m, (const double(*)[3])quad));
    }
    return TL_OK;
}

static tl_status add_parallelogram(job *j, const tl_shape_row *s, const motion *m)
{
    double corners[4][3];
    for (int i = 0; i < 4; i++) {
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = (i == 1 || i == 2 ? s->edge_u[k] : 0) + (i >= 2 ? s->edge_v[k] : 0);
        tl_export_place(s, m->q, m->x, p, corners[i]);
    }
    return add_quad(j, s, m, (const double(*)[3])corners);
}

/* Whether two shapes have the same surface in their own frames. */
static bool same_size(const tl_shape_def *a, const tl_shape_def *b)
{
    return a->kind == b->kind && a->radius == b->radius && a->half_length == b->half_length &&
           a->rounding == b->rounding && a->geometry.index == b->geometry.index &&
           memcmp(a->half_extents, b->half_extents, sizeof a->half_extents) == 0;
}

/* Any shape as triangles. Shapes of one size often follow each other: their triangles are kept. */
static tl_status add_triangles(job *j, const tl_shape_row *s, const motion *m)
{
    enum { SEGMENTS = 24 };
    const tl_shape_def d = tl_result_shape(s);
    if (!j->triangles || !same_size(&d, &j->triangles_of)) {
        tl_surface_destroy(j->triangles);
        j->triangles = NULL;
        TL_TRY(
            tl_surface_create(&d, tl_result_shape_geometry(j->result, s), SEGMENTS, &j->triangles));
        j->triangles_of = d;
    }
    const tl_surface_info info = tl_surface_describe(j->triangles);
    const int64_t first = (int64_t)j->surfaces.points.count;
    for (size_t i = 0; i < info.vertex_count; i++) {
        double point[3];
        tl_export_place(s, m->q, m->x, info.vertices + 3 * i, point);
        TL_TRY(add_point(&j->surfaces, s, 0, m, point));
    }
    for (size_t i = 0; i < info.triangle_count; i++)
        TL_TRY(tl_vtp_add_triangle(&j->surfaces, first, info.triangles + 3 * i));
    return TL_OK;
}

static tl_status add_ball(tl_vtp *vtp, const tl_shape_row *s, const motion *m)
{
    double point[3];
    tl_export_place(s, m->q, m->x, (double[3]){0, 0, 0}, point);
    TL_TRY(add_point(vtp, s, s->radius, m, point));
    return tl_vtp_add_vertex(vtp);
}

static tl_status add_surface(job *j, const tl_shape_row *s, const motion *m)
{
    switch ((tl_shape_kind)s->kind) {
    case TL_SPHERE: return add_ball(&j->surfaces, s, m);
    case TL_PLANE: return add_plane(j, s, m);
    case TL_BOX: return s->rounding > 0 ? add_triangles(j, s, m) : add_box(j, s, m);
    case TL_PARALLELOGRAM: return add_parallelogram(j, s, m);
    default: return add_triangles(j, s, m);
    }
}

/* ---- Files ---- */

/* Text inside an attribute of XML. */
static void put_escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (strchr("&<>\"'", *text))
            fprintf(file, "&#%d;", *text);
        else
            fputc(*text, file);
    }
}

/* Writes a .vtp and lists it for a time; `again` lists one that is there. */
static tl_status list_file(job *j, const tl_vtp *vtp, const char *kind, int part, uint64_t number,
                           double time, bool again)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%06" PRIu64 ".vtp", kind, number);
    const size_t room = j->folder_room + sizeof name + 1;
    char *path = tl_alloc(room);
    if (!path)
        return TL_NO_MEMORY;
    snprintf(path, room, "%s/%s", j->folder, name);
    tl_status status = again ? TL_OK : tl_vtp_write(vtp, path, &j->task->info);
    if (status == TL_OK && !again)
        status = tl_array_append(&j->written, name, 1);
    if (status == TL_OK) {
        fprintf(j->list, "<DataSet timestep=\"%.17g\" group=\"\" part=\"%d\" name=\"%s\" file=\"",
                time, part, kind);
        put_escaped(j->list, j->folder + j->base);
        fprintf(j->list, "/%s\"/>\n", name);
    }
    tl_free(path, room);
    return status;
}

/* Fixed bodies at a time; the file is made anew when one came or went since the last. */
static tl_status export_fixed(job *j, double time)
{
    const tl_body_info *b = j->bodies.data;
    if (j->fixed_count && time >= j->fixed_from && time < j->fixed_to)
        return list_file(j, NULL, "fixed", 1, j->fixed_count - 1, time, true);
    tl_vtp_clear(&j->surfaces);
    j->fixed_from = -INFINITY;
    j->fixed_to = INFINITY;
    for (size_t i = 0; i < j->bodies.count; i++) {
        if (b[i].kind != TL_FIXED || !tl_export_takes(j->task, b[i].body.index))
            continue;
        for (int k = 0; k < 2; k++) {
            const double change = k ? b[i].removed : b[i].added;
            if (change <= time)
                j->fixed_from = fmax(j->fixed_from, change);
            else
                j->fixed_to = fmin(j->fixed_to, change);
        }
        if (time < b[i].added || time >= b[i].removed)
            continue;
        static const float still[3] = {0, 0, 0};
        const motion m = {b[i].orientation, b[i].position, still, still};
        size_t count;
        const tl_shape_row *s = tl_export_shapes(j->result, b[i].body.index, &count);
        for (size_t k = 0; k < count; k++)
            TL_TRY(add_surface(j, &s[k], &m));
    }
    return list_file(j, &j->surfaces, "fixed", 1, j->fixed_count++, time, false);
}

/* Where a body is in a frame; NULL where that was not recorded. */
static const double *place_of(const job *j, const tl_frame_view *f, uint32_t body)
{
    const size_t row = tl_export_row(f, body);
    if (row != SIZE_MAX)
        return f->positions + 3 * row;
    const tl_body_row *fixed = tl_result_find_body(j->result, body);
    return fixed && fixed->kind == TL_FIXED ? fixed->position : NULL;
}

/* A rod is as long as its bodies are apart. */
static tl_shape_row stretched(const job *j, const tl_frame_view *f, const tl_shape_row *s)
{
    tl_shape_row now = *s;
    const double *a = s->end_a ? place_of(j, f, s->end_a) : NULL;
    const double *b = s->end_b ? place_of(j, f, s->end_b) : NULL;
    if (a && b) {
        const double way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        now.half_length = 0.5 * sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    }
    return now;
}

/* Moving bodies: spheres as points, the other shapes as surfaces. */
static tl_status export_states(job *j, uint64_t index, const tl_frame_view *f)
{
    tl_vtp_clear(&j->spheres);
    tl_vtp_clear(&j->surfaces);
    for (size_t i = 0; i < f->count; i++) {
        if (!tl_export_takes(j->task, f->bodies[i]))
            continue;
        static const float unturned[4] = {1, 0, 0, 0}; /* where none was recorded */
        const float *o = f->orientations ? f->orientations + 4 * i : unturned;
        const double q[4] = {o[0], o[1], o[2], o[3]};
        const motion m = {q, f->positions + 3 * i, f->velocities ? f->velocities + 3 * i : NULL,
                          f->angular_velocities ? f->angular_velocities + 3 * i : NULL};
        size_t count;
        const tl_shape_row *s = tl_export_shapes(j->result, f->bodies[i], &count);
        for (size_t k = 0; k < count; k++) {
            const tl_shape_row now = stretched(j, f, &s[k]);
            TL_TRY(now.kind == TL_SPHERE ? add_ball(&j->spheres, &now, &m)
                                         : add_surface(j, &now, &m));
        }
    }
    TL_TRY(list_file(j, &j->spheres, "spheres", 0, index, f->time, false));
    if (!j->surfaces.points.count)
        return TL_OK;
    return list_file(j, &j->surfaces, "moving", 2, index, f->time, false);
}

static tl_status export_contacts(job *j, uint64_t index, const tl_result_frame *frame)
{
    tl_vtp_clear(&j->contacts);
    for (size_t i = 0; i < frame->contact_count; i++) {
        const tl_contact *c = &frame->contacts[i];
        if (!tl_export_takes(j->task, c->a.index) && !tl_export_takes(j->task, c->b.index))
            continue;
        const float normal[3] = {(float)c->normal[0], (float)c->normal[1], (float)c->normal[2]};
        const float impulse[3] = {(float)c->impulse[0], (float)c->impulse[1], (float)c->impulse[2]};
        TL_TRY(tl_vtp_add_point(&j->contacts, c->point));
        TL_TRY(tl_vtp_set(&j->contacts, BODY_A, &c->a.index));
        TL_TRY(tl_vtp_set(&j->contacts, BODY_B, &c->b.index));
        TL_TRY(tl_vtp_set(&j->contacts, NORMAL, normal));
        TL_TRY(tl_vtp_set(&j->contacts, IMPULSE, impulse));
        TL_TRY(tl_vtp_set(&j->contacts, GAP, &c->gap));
        TL_TRY(tl_vtp_add_vertex(&j->contacts));
    }
    return list_file(j, &j->contacts, "contacts", 3, index, frame->state.time, false);
}

/* Joints as points where the second frame is, or the first. */
static tl_status export_joints(job *j, uint64_t index, const tl_frame_view *s)
{
    tl_vtp *out = &j->joints;
    tl_vtp_clear(out);
    TL_TRY(tl_export_joints_frame(j->result, s, &j->source));
    for (uint32_t i = 1; i <= j->source.of.count; i++) {
        tl_joint_row row;
        if (!tl_export_joint(&j->source, j->task, s, i, &row) || (!row.there[0] && !row.there[1]))
            continue;
        const int side = row.there[1] ? 1 : 0;
        const double *q = row.turn[row.there[0] ? 0 : 1];
        const double axis[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                                1 - 2 * (q[1] * q[1] + q[2] * q[2])};
        const uint32_t kind = row.def.kind;
        const void *const fields[] = {&i,   &kind,    &row.def.a.index, &row.def.b.index,
                                      axis, row.load, row.load + 3,     row.load + 12};
        TL_TRY(tl_vtp_add_point(out, row.at[side]));
        for (uint32_t k = 0; k < sizeof fields / sizeof *fields; k++)
            TL_TRY(tl_vtp_set(out, k, fields[k]));
        TL_TRY(tl_vtp_add_vertex(out));
    }
    return list_file(j, out, "joints", 4, index, s->time, false);
}

/* ---- The whole ---- */

static tl_status prepare(job *j)
{
    const size_t length = strlen(j->path);
    const bool suffix = length > 4 && strcmp(j->path + length - 4, ".pvd") == 0;
    j->folder_room = length + sizeof "_frames";
    j->folder = tl_alloc(j->folder_room);
    if (!j->folder)
        return TL_NO_MEMORY;
    snprintf(j->folder, j->folder_room, "%.*s_frames", (int)(suffix ? length - 4 : length),
             j->path);
    const char *slash = strrchr(j->folder, '/');
    j->base = slash ? (size_t)(slash - j->folder) + 1 : 0;
    const size_t count = tl_result_last(j->result).bodies;
    TL_TRY(tl_array_resize(&j->bodies, count));
    TL_TRY(tl_result_read_bodies(j->result, count, j->bodies.data));
    find_reach(j);
    if (mkdir(j->folder, 0777) == 0)
        j->made = true;
    else if (errno != EEXIST)
        return tl_fail(TL_FILE, "%s: %s", j->folder, strerror(errno));
    return TL_OK;
}

static void init_fields(job *j)
{
    tl_vtp *both[] = {&j->spheres, &j->surfaces};
    tl_vtp_init(&j->contacts);
    for (int i = 0; i < 2; i++) {
        tl_vtp_init(both[i]);
        tl_vtp_add_field(both[i], "radius", TL_VTP_F64, 1);
        tl_vtp_add_field(both[i], "body", TL_VTP_U32, 1);
        tl_vtp_add_field(both[i], "material", TL_VTP_U32, 1);
        tl_vtp_add_field(both[i], "velocity", TL_VTP_F32, 3);
        tl_vtp_add_field(both[i], "angular_velocity", TL_VTP_F32, 3);
        tl_vtp_add_field(both[i], "speed", TL_VTP_F32, 1);
    }
    tl_vtp_add_field(&j->contacts, "body_a", TL_VTP_U32, 1);
    tl_vtp_add_field(&j->contacts, "body_b", TL_VTP_U32, 1);
    tl_vtp_add_field(&j->contacts, "normal", TL_VTP_F32, 3);
    tl_vtp_add_field(&j->contacts, "impulse", TL_VTP_F32, 3);
    tl_vtp_add_field(&j->contacts, "gap", TL_VTP_F64, 1);
    tl_vtp_init(&j->joints);
    tl_vtp_add_field(&j->joints, "joint", TL_VTP_U32, 1);
    tl_vtp_add_field(&j->joints, "kind", TL_VTP_U32, 1);
    tl_vtp_add_field(&j->joints, "body_a", TL_VTP_U32, 1);
    tl_vtp_add_field(&j->joints, "body_b", TL_VTP_U32, 1);
    tl_vtp_add_field(&j->joints, "axis", TL_VTP_F64, 3);
    tl_vtp_add_field(&j->joints, "force", TL_VTP_F64, 3);
    tl_vtp_add_field(&j->joints, "torque", TL_VTP_F64, 3);
    tl_vtp_add_field(&j->joints, "error", TL_VTP_F64, 1);
}

static tl_status export_frames(job *j)
{
    const tl_export_range *range = &j->task->range;
    tl_result_frame frame;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          j->list);
    for (uint64_t i = range->first; i < range->end; i = tl_export_next(range, i)) {
        TL_TRY(tl_result_read_frame(j->result, i, &frame));
        TL_TRY(export_states(j, i, &frame.state));
        if (j->result->record.contacts)
            TL_TRY(export_contacts(j, i, &frame));
        if (j->source.of.count && frame.state.orientations)
            TL_TRY(export_joints(j, i, &frame.state));
        TL_TRY(export_fixed(j, frame.state.time));
        j->task->info.frames++;
    }
    fputs("</Collection>\n</VTKFile>\n", j->list);
    return TL_OK;
}

/* Takes back what a failed export has written. */
static void remove_files(job *j)
{
    const size_t room = j->folder_room + 34;
    char *path = tl_alloc(room);
    for (size_t i = 0; i < j->written.count && path; i++) {
        snprintf(path, room, "%s/%s", j->folder, (const char *)j->written.data + 32 * i);
        unlink(path);
    }
    tl_free(path, room);
    if (j->made)
        rmdir(j->folder);
}

tl_status tl_export_vtk(tl_result *result, tl_export_task *task, const char *path)
{
    job j = {.result = result,
             .task = task,
             .path = path,
             .bodies.item = sizeof(tl_body_info),
             .written.item = 32};
    tl_out out;
    TL_TRY(tl_out_open(&out, path));
    j.list = out.file;
    init_fields(&j);
    tl_status status = prepare(&j);
    if (status == TL_OK)
        status = tl_export_joints_open(result, &j.source);
    if (status == TL_OK)
        status = export_frames(&j);
    status = tl_out_close(&out, status, &task->info);
    if (status < 0) {
        char text[1024];
        snprintf(text, sizeof text, "%s", tl_last_message());
        if (j.folder)
            remove_files(&j);
        tl_fail(status, "%s", text);
    }
    tl_surface_destroy(j.triangles);
    tl_vtp_free(&j.spheres);
    tl_vtp_free(&j.surfaces);
    tl_vtp_free(&j.contacts);
    tl_vtp_free(&j.joints);
    tl_export_joints_close(&j.source);
    tl_array_free(&j.bodies);
    tl_array_free(&j.written);
    tl_free(j.folder, j.folder_room);
    return status;
}
