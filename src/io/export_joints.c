/* Joints as a table of text: a line per joint and frame with its frames in the world, and with what
 * a monitor of it measured in the step that ended there. */
#include "io/export.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/turn.h"
#include "scene/monitor.h"
#include "scene/scene.h"
#include "talus/words.h"

enum { LOADS = 12 };

/* The channels of a joint's monitor that lines have: forces and torques, without magnitudes. */
static const uint8_t loads[LOADS] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13};

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

/* The row of a body in a frame, where bodies are in the order of handles; SIZE_MAX: it is gone. */
static size_t row_of(const tl_frame_view *s, uint32_t body)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->bodies[middle] < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && s->bodies[low] == body ? low : SIZE_MAX;
}

/* A frame of a joint in the world: seven fields, empty where there is none. */
static void put_frame(FILE *file, const tl_frame_view *s, bool there, tl_body body,
                      const double position[3], const double orientation[4])
{
    double x[3] = {0}, q[4] = {1, 0, 0, 0}, at[3], turned[4];
    const size_t row = there && body.index ? row_of(s, body.index) : 0;
    if (!there || row == SIZE_MAX) {
        fputs(",,,,,,,", file);
        return;
    }
    for (int k = 0; k < 4 && body.index; k++)
        q[k] = (double)s->orientations[4 * row + (size_t)k];
    for (int k = 0; k < 3 && body.index; k++)
        x[k] = s->positions[3 * row + (size_t)k];
    tl_turn_apply(q, position, at);
    tl_turn_join(q, orientation, turned);
    for (int k = 0; k < 3; k++)
        fprintf(file, ",%.17g", x[k] + at[k]);
    for (int k = 0; k < 4; k++)
        fprintf(file, ",%.9g", turned[k]);
}

/* What its monitor measured; `values`: NULL where nothing was. */
static void put_loads(FILE *file, const tl_monitor_rec *monitor, const double *values)
{
    for (int k = 0; k <= LOADS; k++) {
        const uint32_t at = !monitor    ? 0
                            : k < LOADS ? monitor->channel + loads[k]
                                        : monitor->channel + monitor->channels - 1;
        if (monitor && values && !isnan(values[at]))
            fprintf(file, ",%.17g", values[at]);
        else
            fputc(',', file);
    }
    fputc('\n', file);
}

static void put_joints(FILE *file, const tl_document *document, const tl_monitor_rec *const *of,
                       tl_export_task *task, uint64_t index, const tl_frame_view *s,
                       const double *values)
{
    const tl_scene *scene = tl_document_scene(document);
    for (uint32_t i = 1; i <= tl_scene_joint_count(scene); i++) {
        tl_joint_def def;
        if (tl_scene_joint(scene, (tl_joint){i}, &def) < 0 ||
            (!tl_export_takes(task, def.a.index) && !tl_export_takes(task, def.b.index)))
            continue;
        const bool framed = def.a.index || def.b.index; /* couplings have none */
        fprintf(file, "%" PRIu64 ",%.17g,%" PRIu32 ",", index, s->time, i);
        tl_export_name(file, tl_document_joint_name(document, (tl_joint){i}));
        fprintf(file, ",%s,%" PRIu32 ",%" PRIu32, tl_word(TL_WORDS_JOINT, def.kind), def.a.index,
                def.b.index);
        put_frame(file, s, framed, def.a, def.position_a, def.orientation_a);
        put_frame(file, s, framed, def.b, def.position_b, def.orientation_b);
        put_loads(file, of[i - 1], values);
        task->info.rows++;
    }
}

/* Reads the monitors of the step that a frame was taken after; `*found`: false where none was. */
static tl_status read_values(tl_result *result, const tl_frame_view *s, tl_array *values,
                             bool *found)
{
    tl_report report;
    *found = false;
    if (!values->count || !s->steps || s->steps > result->steps)
        return TL_OK;
    TL_TRY(tl_result_read_reports(result, s->steps - 1, 1, &report));
    *found = report.steps == s->steps;
    return *found ? tl_result_read_monitors(result, s->steps - 1, 1, values->data) : TL_OK;
}

static tl_status put_all(tl_result *result, const tl_document *document, const tl_array *of,
                         tl_export_task *task, tl_array *values, FILE *file)
{
    const tl_export_range *range = &task->range;
    fputs("frame,time,joint,name,kind,body_a,body_b,ax,ay,az,aqw,aqx,aqy,aqz,bx,by,bz,bqw,bqx,bqy,"
          "bqz,fx,fy,fz,tx,ty,tz,local_fx,local_fy,local_fz,local_tx,local_ty,local_tz,error\n",
          file);
    for (uint64_t i = range->first; i < range->end && !ferror(file); i = tl_export_next(range, i)) {
        tl_result_frame frame;
        bool found;
        TL_TRY(tl_result_read_frame(result, i, &frame));
        if (!frame.state.orientations)
            return tl_fail(TL_BAD_DATA,
                           "%s: it has no orientations, which the frames of joints need",
                           result->path);
        TL_TRY(read_values(result, &frame.state, values, &found));
        put_joints(file, document, of->data, task, i, &frame.state, found ? values->data : NULL);
        task->info.frames++;
    }
    return TL_OK;
}

tl_status tl_export_joints(tl_result *result, tl_export_task *task, const char *path)
{
    tl_array of = {.item = sizeof(const tl_monitor_rec *)}, values = {.item = sizeof(double)};
    tl_document *document = NULL;
    tl_out out;
    TL_TRY(tl_result_document(result, &document));
    tl_status status = TL_OK;
    if (!tl_scene_joint_count(tl_document_scene(document)))
        status = tl_fail(TL_BAD_DATA, "%s: its scene has no joints to export", result->path);
    if (status == TL_OK)
        status = find_monitors(tl_document_scene(document), &of);
    if (status == TL_OK)
        status = tl_array_resize(&values, result->monitors.channels.count);
    if (status == TL_OK)
        status = tl_out_open(&out, path);
    if (status == TL_OK) {
        status = put_all(result, document, &of, task, &values, out.file);
        status = tl_out_close(&out, status, &task->info);
    }
    tl_array_free(&of);
    tl_array_free(&values);
    tl_document_destroy(document);
    return status;
}
