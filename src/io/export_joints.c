/* Joints in exports: their frames in the world, and what a monitor of each measured in the step
 * that ended there; and as a table of text, a line per joint and frame. */
#include "io/export.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/turn.h"
#include "scene/monitor.h"
#include "scene/scene.h"
#include "talus/words.h"

/* The channels of a joint's monitor that lines have: forces and torques, without magnitudes. */
static const uint8_t loads[TL_JOINT_LOADS - 1] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13};

/* Of each joint: the record of its first monitor, or NULL. */
static tl_status find_monitors(const tl_scene *scene, tl_array *of)
{
    const tl_monitor_rec *monitors = scene->monitors.monitors.data;
    TL_TRY(tl_array_resize(of, scene->joints.count));
    const tl_monitor_rec **list = of->data;
    if (of->count)
        memset(list, 0, of->count * of->item);
    for (size_t i = scene->monitors.monitors.count; i-- > 0;)
        if (monitors[i].def.kind == TL_MONITOR_JOINT)
            list[monitors[i].def.joint.index - 1] = &monitors[i];
    return TL_OK;
}

/* A frame of a joint in the world; false where its body is gone. */
static bool place(const tl_frame_view *s, tl_body body, const double position[3],
                  const double orientation[4], double at[3], double turn[4])
{
    double x[3] = {0}, q[4] = {1, 0, 0, 0};
    const size_t row = body.index ? tl_export_row(s, body.index) : 0;
    if (row == SIZE_MAX)
        return false;
    for (size_t k = 0; k < 4 && body.index; k++)
        q[k] = (double)s->orientations[4 * row + k];
    for (size_t k = 0; k < 3 && body.index; k++)
        x[k] = s->positions[3 * row + k];
    tl_turn_apply(q, position, at);
    tl_turn_join(q, orientation, turn);
    for (int k = 0; k < 3; k++)
        at[k] += x[k];
    return true;
}

tl_status tl_export_joints_open(const tl_result *result, tl_joint_source *source)
{
    *source =
        (tl_joint_source){.of.item = sizeof(const tl_monitor_rec *), .values.item = sizeof(double)};
    TL_TRY(tl_result_document(result, &source->document));
    tl_status status = find_monitors(tl_document_scene(source->document), &source->of);
    if (status == TL_OK)
        status = tl_array_resize(&source->values, result->monitors.channels.count);
    if (status != TL_OK)
        tl_export_joints_close(source);
    return status;
}

void tl_export_joints_close(tl_joint_source *source)
{
    tl_array_free(&source->of);
    tl_array_free(&source->values);
    tl_document_destroy(source->document);
    source->document = NULL;
}

tl_status tl_export_joints_frame(tl_result *result, const tl_frame_view *s, tl_joint_source *source)
{
    tl_report report;
    source->measured = false;
    if (!source->values.count || !s->steps || s->steps > result->steps)
        return TL_OK;
    TL_TRY(tl_result_read_reports(result, s->steps - 1, 1, &report));
    source->measured = report.steps == s->steps;
    return source->measured ? tl_result_read_monitors(result, s->steps - 1, 1, source->values.data)
                            : TL_OK;
}

bool tl_export_joint(const tl_joint_source *source, const tl_export_task *task,
                     const tl_frame_view *s, uint32_t index, tl_joint_row *row)
{
    const tl_scene *scene = tl_document_scene(source->document);
    const tl_monitor_rec *monitor = ((const tl_monitor_rec *const *)source->of.data)[index - 1];
    const double *values = source->values.data;
    tl_joint_def *d = &row->def;
    if (tl_scene_joint(scene, (tl_joint){index}, d) < 0 ||
        (!tl_export_takes(task, d->a.index) && !tl_export_takes(task, d->b.index)))
        return false;
    const bool framed = d->a.index || d->b.index; /* couplings have none */
    row->there[0] =
        framed && place(s, d->a, d->position_a, d->orientation_a, row->at[0], row->turn[0]);
    row->there[1] =
        framed && place(s, d->b, d->position_b, d->orientation_b, row->at[1], row->turn[1]);
    for (int k = 0; k < TL_JOINT_LOADS; k++) {
        const bool last = k + 1 == TL_JOINT_LOADS;
        row->load[k] = !monitor || !source->measured ? NAN
                       : last ? values[monitor->channel + monitor->channels - 1]
                              : values[monitor->channel + loads[k]];
    }
    return true;
}

static void put_joint(FILE *file, const tl_joint_source *source, uint64_t index, double time,
                      uint32_t joint, const tl_joint_row *row)
{
    fprintf(file, "%" PRIu64 ",%.17g,%" PRIu32 ",", index, time, joint);
    tl_export_name(file, tl_document_joint_name(source->document, (tl_joint){joint}));
    fprintf(file, ",%s,%" PRIu32 ",%" PRIu32, tl_word(TL_WORDS_JOINT, row->def.kind),
            row->def.a.index, row->def.b.index);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 3 && row->there[side]; k++)
            fprintf(file, ",%.17g", row->at[side][k]);
        for (int k = 0; k < 4 && row->there[side]; k++)
            fprintf(file, ",%.9g", row->turn[side][k]);
        if (!row->there[side])
            fputs(",,,,,,,", file);
    }
    for (int k = 0; k < TL_JOINT_LOADS; k++)
        if (isnan(row->load[k]))
            fputc(',', file);
        else
            fprintf(file, ",%.17g", row->load[k]);
    fputc('\n', file);
}

static tl_status put_all(tl_result *result, tl_joint_source *source, tl_export_task *task,
                         FILE *file)
{
    const tl_export_range *range = &task->range;
    const size_t count = tl_scene_joint_count(tl_document_scene(source->document));
    fputs("frame,time,joint,name,kind,body_a,body_b,ax,ay,az,aqw,aqx,aqy,aqz,bx,by,bz,bqw,bqx,bqy,"
          "bqz,fx,fy,fz,tx,ty,tz,local_fx,local_fy,local_fz,local_tx,local_ty,local_tz,error\n",
          file);
    for (uint64_t i = range->first; i < range->end && !ferror(file); i = tl_export_next(range, i)) {
        tl_result_frame frame;
        TL_TRY(tl_result_read_frame(result, i, &frame));
        if (!frame.state.orientations)
            return tl_fail(TL_BAD_DATA,
                           "%s: it has no orientations, which the frames of joints need",
                           result->path);
        TL_TRY(tl_export_joints_frame(result, &frame.state, source));
        for (uint32_t k = 1; k <= count; k++) {
            tl_joint_row row;
            if (!tl_export_joint(source, task, &frame.state, k, &row))
                continue;
            put_joint(file, source, i, frame.state.time, k, &row);
            task->info.rows++;
        }
        task->info.frames++;
    }
    return TL_OK;
}

tl_status tl_export_joints(tl_result *result, tl_export_task *task, const char *path)
{
    tl_joint_source source;
    tl_out out;
    TL_TRY(tl_export_joints_open(result, &source));
    tl_status status =
        source.of.count
            ? tl_out_open(&out, path)
            : tl_fail(TL_BAD_DATA, "%s: its scene has no joints to export", result->path);
    if (status == TL_OK) {
        status = put_all(result, &source, task, out.file);
        status = tl_out_close(&out, status, &task->info);
    }
    tl_export_joints_close(&source);
    return status;
}
