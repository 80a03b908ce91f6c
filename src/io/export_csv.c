/* Exports as tables of text: states, step reports, contacts. Numbers have as many digits as it
 * takes to read the same bits back. */
#include "io/export.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void tl_export_name(FILE *file, const char *name)
{
    if (!name)
        return;
    if (!strpbrk(name, ",\"\r\n")) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name; name++) {
        if (*name == '"')
            fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

static void put_doubles(FILE *file, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(file, ",%.17g", x[i]);
}

/* Row i of `width` numbers; nothing between the commas where they were not recorded. */
static void put_floats(FILE *file, const float *x, size_t i, size_t width)
{
    for (size_t k = 0; k < width; k++)
        if (x)
            fprintf(file, ",%.9g", (double)x[width * i + k]);
        else
            fputc(',', file);
}

/* What a line says of a body besides its state. */
typedef struct body_facts {
    double radius, mass;
} body_facts;

/* Facts of all bodies, in the order of result->bodies. */
static tl_status gather_facts(tl_result *result, tl_array *facts)
{
    TL_TRY(tl_result_load_bodies(result));
    TL_TRY(tl_array_resize(facts, result->bodies.count));
    const tl_body_row *bodies = result->bodies.data;
    for (size_t i = 0; i < result->bodies.count; i++) {
        size_t count;
        const tl_shape_row *s = tl_export_shapes(result, bodies[i].body, &count);
        body_facts *f = (body_facts *)facts->data + i;
        *f = (body_facts){0, bodies[i].mass};
        for (size_t k = 0; k < count; k++) {
            const tl_shape_def d = tl_result_shape(&s[k]);
            if (d.sensor)
                continue;
            f->radius =
                fmax(f->radius, tl_shape_reach(&d, tl_result_shape_geometry(result, &s[k])));
        }
    }
    return TL_OK;
}

/* An unbounded body has no radius: the field stays empty. */
static void put_facts(FILE *file, const tl_result *result, const tl_array *facts, uint32_t body)
{
    const tl_body_row *row = tl_result_find_body(result, body);
    const body_facts *f =
        row ? (const body_facts *)facts->data + (row - (const tl_body_row *)result->bodies.data)
            : NULL;
    if (f && isfinite(f->radius))
        fprintf(file, ",%.17g", f->radius);
    else
        fputc(',', file);
    fprintf(file, ",%.17g", f ? f->mass : 0);
}

static void put_states(FILE *file, const tl_result *result, const tl_document *document,
                       const tl_array *facts, tl_export_task *task, uint64_t index,
                       const tl_frame_view *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!tl_export_takes(task, s->bodies[i]))
            continue;
        fprintf(file, "%" PRIu64 ",%.17g,%" PRIu32 ",", index, s->time, s->bodies[i]);
        tl_export_name(file, tl_document_body_name(document, (tl_body){s->bodies[i], 1}));
        put_doubles(file, s->positions + 3 * i, 3);
        put_floats(file, s->orientations, i, 4);
        put_floats(file, s->velocities, i, 3);
        put_floats(file, s->angular_velocities, i, 3);
        put_facts(file, result, facts, s->bodies[i]);
        fputc('\n', file);
        task->info.rows++;
    }
}

tl_status tl_export_csv(tl_result *result, tl_export_task *task, const char *path)
{
    tl_out out;
    tl_document *document = NULL;
    tl_array facts = {.item = sizeof(body_facts)};
    const tl_export_range *range = &task->range;
    TL_TRY(tl_result_document(result, &document));
    tl_status status = gather_facts(result, &facts);
    if (status == TL_OK)
        status = tl_out_open(&out, path);
    if (status == TL_OK) {
        fputs("frame,time,body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,radius,mass\n", out.file);
        tl_result_frame frame;
        for (uint64_t i = range->first; i < range->end && status == TL_OK && !ferror(out.file);
             i = tl_export_next(range, i)) {
            status = tl_result_read_frame(result, i, &frame);
            if (status == TL_OK)
                put_states(out.file, result, document, &facts, task, i, &frame.state);
            task->info.frames++;
        }
        status = tl_out_close(&out, status, &task->info);
    }
    tl_array_free(&facts);
    tl_document_destroy(document);
    return status;
}

static void put_contacts(FILE *file, tl_export_task *task, uint64_t index,
                         const tl_result_frame *frame)
{
    for (size_t i = 0; i < frame->contact_count; i++) {
        const tl_contact *c = &frame->contacts[i];
        if (!tl_export_takes(task, c->a.index) && !tl_export_takes(task, c->b.index))
            continue;
        task->info.rows++;
        fprintf(file, "%" PRIu64 ",%.17g,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, index,
                frame->state.time, c->a.index, c->b.index, c->shape_a, c->shape_b);
        put_doubles(file, c->point, 3);
        for (size_t k = 0; k < 3; k++)
            fprintf(file, ",%.9g", c->normal[k]);
        fprintf(file, ",%.17g", c->gap);
        for (size_t k = 0; k < 3; k++)
            fprintf(file, ",%.9g", c->impulse[k]);
        fputc('\n', file);
    }
}

tl_status tl_export_contacts(tl_result *result, tl_export_task *task, const char *path)
{
    const tl_export_range *range = &task->range;
    tl_out out;
    tl_result_frame frame;
    if (!result->record.contacts)
        return tl_fail(TL_BAD_DATA,
                       "%s: it has no contacts to export; talus run --contacts, or "
                       "\"contacts\": true in \"record\", records them",
                       result->path);
    TL_TRY(tl_out_open(&out, path));
    tl_status status = TL_OK;
    fputs("frame,time,body_a,body_b,shape_a,shape_b,x,y,z,nx,ny,nz,gap,jx,jy,jz\n", out.file);
    for (uint64_t i = range->first; i < range->end && status == TL_OK && !ferror(out.file);
         i = tl_export_next(range, i)) {
        status = tl_result_read_frame(result, i, &frame);
        if (status == TL_OK)
            put_contacts(out.file, task, i, &frame);
        task->info.frames++;
    }
    return tl_out_close(&out, status, &task->info);
}

static void put_report(FILE *file, const tl_report *report)
{
    const char *between = "";
#define PUT_uint64_t(x) fprintf(file, "%s%" PRIu64, between, (uint64_t)(x))
#define PUT_double(x)   fprintf(file, "%s%.17g", between, (double)(x))
#define X(type, name, member)   \
    PUT_##type(report->member); \
    between = ",";
    TL_STEP_FIELDS(X)
#undef X
    fputc('\n', file);
}

tl_status tl_export_steps(tl_result *result, tl_export_task *task, const char *path)
{
    const tl_export_range *range = &task->range;
    tl_out out;
    TL_TRY(tl_out_open(&out, path));
    tl_status status = TL_OK;
    const char *between = "";
#define X(type, name, member)               \
    fprintf(out.file, "%s" #name, between); \
    between = ",";
    TL_STEP_FIELDS(X)
#undef X
    fputc('\n', out.file);
    for (uint64_t i = range->first; i < range->end && status == TL_OK && !ferror(out.file);
         i = tl_export_next(range, i)) {
        tl_report report;
        status = tl_result_read_reports(result, i, 1, &report);
        if (status == TL_OK)
            put_report(out.file, &report);
        task->info.frames++;
        task->info.rows++;
    }
    return tl_out_close(&out, status, &task->info);
}
