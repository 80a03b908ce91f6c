/* `talus view RESULT`: shows a recording. The thread that calls view_replay() reads the file as
 * viewers ask for frames, and looks now and then whether a file that is still written has grown. */
#include "job.h"
#include "server.h"
#include "source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_TASKS = 64, SERIES_BATCH = 64, REPORT_BATCH = 4096, MEASURE_BATCH = 256 };

/* A body's series that is being read, bit by bit, between other requests. */
typedef struct series_task {
    uint32_t client, body;
    uint64_t next, stride;
    size_t count;
    double rows[SERIES_BATCH][VIEW_SERIES_COLUMNS];
} series_task;

typedef struct recording {
    hub hub;
    server *server;
    tl_result *result;
    tl_document *document;
    tl_result_info info; /* of what was read */
    double step;         /* s, of the scene */
    bool contacts;       /* they were recorded */
    tl_body_info *bodies;
    uint64_t body_count;
    uint8_t *how;
    size_t how_count;
    view_pose *fixed; /* room for all fixed bodies */
    series_task *tasks[SERIES_TASKS];
    size_t task_count;
    double looked;     /* s, when the file was last looked at */
    double *values;    /* of monitors: MEASURE_BATCH rows */
    uint64_t measured; /* rows of monitors that are in the trace */
    bool unreadable;   /* the next ones could not be read: the next look tries again */
} recording;

/* ---- the table ---- */

static bool add_rows(view_table *table, uint64_t count, const tl_body_info *bodies,
                     uint64_t shape_count, const tl_shape_info *shapes,
                     const view_geometries *geometries)
{
    uint64_t shape = 0;
    bool good = true;
    for (uint64_t i = 0; i < count && good; i++) {
        const tl_body_info *body = &bodies[i];
        const uint64_t first = shape;
        while (shape < shape_count && shapes[shape].body.index == body->body.index) {
            shape++;
        }
        const bool known =
            table->body_count && table->bodies[table->body_count - 1].index >= body->body.index;
        good = known || view_table_add(table, body->body.index, body->kind, body->mass,
                                       shape - first, shapes + first, geometries);
    }
    return good;
}

/* How each body of the table is sent, and room for the fixed ones of `count` bodies. */
static bool follow_table(recording *r, uint64_t count)
{
    const view_table *table = &r->hub.table;
    const size_t rows = table->body_count;
    const size_t how_count = rows ? (size_t)table->bodies[rows - 1].index + 1 : 0;
    uint8_t *how = realloc(r->how, how_count + 1);
    view_pose *fixed = realloc(r->fixed, (count + 1) * sizeof *fixed);
    r->how = how ? how : r->how;
    r->fixed = fixed ? fixed : r->fixed;
    if (!how || !fixed) {
        return false;
    }
    memset(how, VIEW_UNKNOWN, how_count + 1);
    for (size_t i = 0; i < rows; i++) {
        how[table->bodies[i].index] = table->bodies[i].how;
    }
    r->how_count = how_count;
    return true;
}

static bool take_geometries(const recording *r, view_geometries *g)
{
    g->count = (size_t)tl_result_geometry_count(r->result);
    g->infos = malloc((g->count + 1) * sizeof *g->infos);
    bool good = g->infos != NULL;
    for (size_t i = 0; i < g->count && good; i++) {
        good = tl_result_geometry(r->result, (tl_geometry){(uint32_t)i + 1}, &g->infos[i]) >= 0;
    }
    return good;
}

/* Reads the bodies and shapes that `info` tells of; those that are new come into the table. Where
 * that fails all stays as it was, but for rows of the table that no frame shows yet. */
static bool read_bodies(recording *r, const tl_result_info *info)
{
    const uint64_t count = info->bodies, shape_count = info->shapes;
    tl_body_info *bodies = malloc((count + 1) * sizeof *bodies);
    tl_shape_info *shapes = malloc((shape_count + 1) * sizeof *shapes);
    view_geometries geometries = {0};
    bool good = bodies && shapes && take_geometries(r, &geometries) &&
                tl_result_read_bodies(r->result, count, bodies) >= 0 &&
                tl_result_read_shapes(r->result, shape_count, shapes) >= 0;
    if (good) {
        pthread_mutex_lock(&r->hub.lock);
        good = add_rows(&r->hub.table, count, bodies, shape_count, shapes, &geometries) &&
               follow_table(r, count);
        r->hub.table_version++;
        pthread_mutex_unlock(&r->hub.lock);
    }
    if (good) {
        free(r->bodies);
        r->bodies = bodies;
        r->body_count = count;
        bodies = NULL;
    }
    free(bodies);
    free(shapes);
    free(geometries.infos);
    return good;
}

static bool read_times(recording *r, const tl_result_info *info)
{
    double *times = malloc((info->frames + 1) * sizeof *times);
    if (!times || tl_result_read_times(r->result, info->frames, times) < 0) {
        free(times);
        return false;
    }
    pthread_mutex_lock(&r->hub.lock);
    free(r->hub.times);
    r->hub.times = times;
    r->hub.time_count = info->frames;
    pthread_mutex_unlock(&r->hub.lock);
    return true;
}

static void tell_state(recording *r)
{
    hub_state state = {.speed = 1,
                       .time = r->info.last_time,
                       .steps = r->info.steps,
                       .frames = r->info.frames,
                       .growing = !r->info.closed};
    snprintf(state.message, sizeof state.message, "%s",
             r->unreadable ? "the monitors cannot be read" : "");
    hub_set_state(&r->hub, &state);
}

/* Looks whether the file has grown. What it says counts once everything it tells of was read; until
 * then the recording is as it was, and the next look tries again. */
static void look(recording *r)
{
    r->looked = hub_now();
    if (r->unreadable) {
        r->unreadable = false;
        tell_state(r);
    }
    if (tl_result_refresh(r->result) < 0) {
        return;
    }
    const tl_result_info info = tl_result_describe(r->result);
    const bool grown = info.frames != r->info.frames || info.closed != r->info.closed;
    if (!grown) {
        r->info.steps = info.steps;
    } else if ((info.bodies == r->body_count || read_bodies(r, &info)) && read_times(r, &info)) {
        r->info = info;
        tell_state(r);
        hub_wake(&r->hub);
    }
}

/* ---- frames ---- */

/* Reads a frame and says what it is made of; the arrays are valid until the next call. */
static bool read_state(recording *r, uint64_t index, view_state *state)
{
    tl_result_frame frame;
    if (tl_result_read_frame(r->result, index, &frame) < 0) {
        return false;
    }
    *state = (view_state){.state = frame.state,
                          .step = r->step,
                          .contacts_known = r->contacts,
                          .contact_count = frame.contact_count,
                          .contacts = frame.contacts,
                          .how = r->how,
                          .how_count = r->how_count,
                          .fixed = r->fixed,
                          .box = r->hub.box};
    const double time = frame.state.time;
    for (uint64_t i = 0; i < r->body_count; i++) {
        const tl_body_info *body = &r->bodies[i];
        if (body->kind != TL_FIXED || body->added > time || body->removed <= time) {
            continue;
        }
        view_pose *pose = &r->fixed[state->fixed_count++];
        *pose = (view_pose){.index = body->body.index};
        memcpy(pose->position, body->position, sizeof pose->position);
        for (int k = 0; k < 4; k++) {
            pose->orientation[k] = (float)body->orientation[k];
        }
    }
    return true;
}

static void send_frame(recording *r, const view_command *c)
{
    view_state state;
    view_frame *frame = NULL;
    if (read_state(r, (uint64_t)c->index, &state)) {
        pthread_mutex_lock(&r->hub.lock);
        state.fields = r->hub.fields;
        state.contacts_wanted = r->hub.contacts;
        pthread_mutex_unlock(&r->hub.lock);
        frame = view_frame_build(&state, (uint32_t)c->index);
    }
    hub_post_frame(&r->hub, c->client, frame);
}

/* ---- commands ---- */

static const tl_body_info *find_body(const recording *r, uint32_t index)
{
    for (uint64_t i = 0; i < r->body_count; i++) {
        if (r->bodies[i].body.index == index) {
            return &r->bodies[i];
        }
    }
    return NULL;
}

static void pick(recording *r, const view_command *c)
{
    const tl_body_info *body = find_body(r, c->body);
    view_state state;
    if ((uint64_t)c->index >= r->info.frames) {
        hub_reply(&r->hub, c, "pick: there is no such frame", NULL);
        return;
    }
    if (!body || !read_state(r, (uint64_t)c->index, &state)) {
        hub_reply(&r->hub, c,
                  body ? "pick: the frame cannot be read" : "pick: there is no such body", NULL);
        return;
    }
    source_pick p = {.index = c->body,
                     .kind = body->kind,
                     .mass = body->mass,
                     .time = state.state.time,
                     .step = r->step,
                     .contacts_known = state.contacts_known,
                     .contact_count = state.contact_count,
                     .contacts = state.contacts};
    memcpy(p.position, body->position, sizeof p.position);
    memcpy(p.orientation, body->orientation, sizeof p.orientation);
    double velocity[3], angular[3];
    const size_t row = view_find_row(&state.state, c->body);
    if (row < state.state.count) {
        const tl_frame_view *s = &state.state; /* with what was recorded */
        for (size_t k = 0; k < 4 && s->orientations; k++) {
            p.orientation[k] = (double)s->orientations[4 * row + k];
        }
        for (size_t k = 0; k < 3; k++) {
            p.position[k] = s->positions[3 * row + k];
            velocity[k] = s->velocities ? (double)s->velocities[3 * row + k] : 0;
            angular[k] = s->angular_velocities ? (double)s->angular_velocities[3 * row + k] : 0;
        }
        p.velocity = s->velocities ? velocity : NULL;
        p.angular_velocity = s->angular_velocities ? angular : NULL;
    } else if (body->kind != TL_FIXED) {
        hub_reply(&r->hub, c, "pick: the body is not there at this time", NULL);
        return;
    }
    hub_reply(&r->hub, c, NULL, source_describe(&r->hub, r->document, &p));
}

static void find(recording *r, const view_command *c)
{
    const tl_body body = tl_document_find_body(r->document, c->name);
    hub_reply(&r->hub, c, body.index ? NULL : "find: there is no body of that name",
              body.index ? json_pack("{sI}", "index", (json_int_t)body.index) : NULL);
}

static void send_reports(recording *r, const view_command *c)
{
    const uint64_t total = r->info.steps;
    const uint64_t first = (uint64_t)c->first < total ? (uint64_t)c->first : total;
    const uint64_t most = total - first;
    const uint64_t count = c->rows >= 0 && (uint64_t)c->rows < most ? (uint64_t)c->rows : most;
    tl_report *batch = malloc(REPORT_BATCH * sizeof *batch);
    view_buffer out = {0};
    view_reports rows;
    bool good = batch != NULL;
    view_reports_begin(&rows, count, c->count, true, c->id, r->hub.epoch, &out);
    for (uint64_t done = 0; done < count && good;) {
        const uint64_t some = count - done < REPORT_BATCH ? count - done : REPORT_BATCH;
        good = tl_result_read_reports(r->result, first + done, some, batch) >= 0;
        if (good) {
            view_reports_add(&rows, batch, some, &out);
        }
        done += some;
    }
    free(batch);
    if (good) {
        hub_post_bytes(&r->hub, c->client, &out);
    }
    view_buffer_free(&out);
    hub_post_reports_done(&r->hub, c->client);
    hub_reply(&r->hub, c, good ? NULL : "reports: they cannot be read", NULL);
}

/* ---- series ---- */

static void end_task(recording *r, size_t i)
{
    free(r->tasks[i]);
    r->tasks[i] = r->tasks[--r->task_count];
}

/* Ends the tasks of a client: those of one body, or all (body 0). */
static void end_tasks(recording *r, uint32_t client, uint32_t body)
{
    for (size_t i = r->task_count; i-- > 0;) {
        if (r->tasks[i]->client == client && (!body || r->tasks[i]->body == body)) {
            end_task(r, i);
        }
    }
}

static void watch_body(recording *r, const view_command *c)
{
    const tl_body_info *body = find_body(r, c->body);
    const char *error = NULL;
    end_tasks(r, c->client, c->body);
    size_t own = 0;
    for (size_t i = 0; i < r->task_count; i++) {
        own += r->tasks[i]->client == c->client;
    }
    series_task *task = NULL;
    if (!body) {
        error = "watch: there is no such body";
    } else if (own >= VIEW_MAX_WATCHES || r->task_count == SERIES_TASKS ||
               !(task = malloc(sizeof *task))) {
        error = "watch: too many bodies are watched";
    } else {
        task->client = c->client;
        task->body = c->body;
        task->next = 0;
        task->count = 0;
        task->stride = (r->info.frames + c->count - 1) / c->count;
        task->stride += task->stride == 0;
        r->tasks[r->task_count++] = task;
    }
    hub_reply(&r->hub, c, error, NULL);
}

/* Reads one frame for the task that waits longest. */
static void go_on(recording *r)
{
    series_task *task = r->tasks[0];
    view_state state;
    if (task->next < r->info.frames && read_state(r, task->next, &state)) {
        task->count += view_series_row(&state, task->body, task->rows[task->count]);
    }
    task->next += task->stride;
    const bool last = task->next >= r->info.frames;
    if (last || task->count == SERIES_BATCH) {
        view_buffer out = {0};
        view_encode_series(task->body, task->rows[0], task->count, last ? VIEW_SERIES_LAST : 0,
                           r->hub.epoch, &out);
        hub_post_bytes(&r->hub, task->client, &out);
        task->count = 0;
    }
    if (last) {
        end_task(r, 0);
    }
}

/* ---- monitors ---- */

/* Whether somebody plots monitors and there are steps that the trace has not got. */
static bool must_measure(recording *r)
{
    pthread_mutex_lock(&r->hub.lock);
    const bool wanted = r->hub.measures && r->hub.trace.channels;
    const bool left = wanted && r->measured < r->info.steps && !r->unreadable;
    r->hub.trace_partial = left;
    pthread_mutex_unlock(&r->hub.lock);
    return left;
}

/* Reads some more rows of them. */
static void measure_on(recording *r)
{
    const uint64_t left = r->info.steps - r->measured;
    const uint64_t count = left < MEASURE_BATCH ? left : MEASURE_BATCH;
    tl_report reports[MEASURE_BATCH];
    if (tl_result_read_reports(r->result, r->measured, count, reports) < 0 ||
        tl_result_read_monitors(r->result, r->measured, count, r->values) < 0) {
        r->unreadable = true;
        tell_state(r);
        return;
    }
    hub_add_measures(&r->hub, count, reports, r->values);
    r->measured += count;
    must_measure(r); /* the last ones are sent at once */
    hub_wake(&r->hub);
}

static void carry_out(recording *r, const view_command *c)
{
    switch (c->verb) {
    case VIEW_FRAME: send_frame(r, c); break;
    case VIEW_TIMES:
        look(r);
        hub_reply(&r->hub, c, NULL, NULL);
        break;
    case VIEW_REPORTS: send_reports(r, c); break;
    case VIEW_PICK: pick(r, c); break;
    case VIEW_FIND: find(r, c); break;
    case VIEW_WATCH: watch_body(r, c); break;
    case VIEW_UNWATCH:
        end_tasks(r, c->client, c->body);
        hub_reply(&r->hub, c, NULL, NULL);
        break;
    case VIEW_LEAVE: end_tasks(r, c->client, 0); break;
    default: hub_reply(&r->hub, c, "a recording cannot be changed", NULL); break;
    }
}

/* ---- the loop ---- */

/* The box of packed positions, from the first and the last frame; that of the hello from the first.
 */
static bool measure(recording *r, source_hello *hello)
{
    view_state state;
    double *positions = NULL;
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        if (!read_state(r, i ? r->info.frames - 1 : 0, &state)) {
            free(positions);
            return false;
        }
        const size_t more = state.state.count;
        double *moved = realloc(positions, (3 * (count + more) + 1) * sizeof *positions);
        if (!moved) {
            free(positions);
            return false;
        }
        positions = moved;
        memcpy(positions + 3 * count, state.state.positions, 3 * more * sizeof *positions);
        count += more;
        for (size_t k = 0; k < more; k++) {
            const view_body *body = view_table_find(&r->hub.table, state.state.bodies[k]);
            if (body) {
                source_widen(hello, state.state.positions + 3 * k, (double)body->radius);
            }
        }
        for (size_t k = 0; k < state.fixed_count; k++) {
            const view_body *body = view_table_find(&r->hub.table, state.fixed[k].index);
            if (body) {
                source_widen(hello, state.fixed[k].position, (double)body->radius);
            }
        }
    }
    r->hub.box = view_box_choose(count, positions, r->hub.table.smallest, 1);
    free(positions);
    return true;
}

/* The lines of what was done to the run by hand, the first so many; NULL: none can be told. */
static json_t *list_edits(const recording *r)
{
    enum { MOST = 200 };
    size_t length = 0;
    if (tl_result_read_edits(r->result, 0, NULL, &length) < 0) {
        return NULL;
    }
    char *text = malloc(length + 1);
    if (!text || tl_result_read_edits(r->result, length + 1, text, &length) < 0) {
        free(text);
        return NULL;
    }
    json_t *list = json_array();
    char *rest = text, *line;
    while (json_array_size(list) < MOST && (line = strsep(&rest, "\n")) && rest) {
        json_t *entry = json_string(line); /* NULL where it is not UTF-8 */
        json_array_append_new(list, entry ? entry : json_string("?"));
    }
    free(text);
    return list;
}

/* The channels of its monitors, for the hello, and room to read them; the caller frees them. */
static tl_monitor_info *list_channels(recording *r, source_hello *hello)
{
    const size_t count = (size_t)tl_result_monitor_count(r->result);
    tl_monitor_info *channels = malloc((count + 1) * sizeof *channels);
    r->values = malloc((MEASURE_BATCH * count + 1) * sizeof *r->values);
    bool good = channels && r->values;
    for (size_t i = 0; i < count && good; i++) {
        good = tl_result_monitor_info(r->result, i, &channels[i]) >= 0;
    }
    if (!good) {
        free(channels);
        return NULL;
    }
    hello->channel_count = count;
    hello->channels = channels;
    return channels;
}

static tl_status open_recording(recording *r, const view_job *job)
{
    tl_status status = tl_result_open(job->path, &r->result);
    if (status >= 0) {
        status = tl_result_document(r->result, &r->document);
    }
    if (status < 0) {
        return status;
    }
    r->info = tl_result_describe(r->result);
    r->step = tl_scene_settings(tl_document_scene(r->document)).step;
    r->contacts = tl_document_record(r->document).contacts || r->info.contacts > 0;
    r->hub.epoch = 1;
    source_hello hello = {.document = r->document,
                          .source = job->path,
                          .backend = r->info.backend,
                          .duration = tl_document_record(r->document).duration,
                          .first_time = r->info.first_time,
                          .frames = r->info.frames,
                          .contacts = r->contacts};
    tl_monitor_info *channels = list_channels(r, &hello);
    if (r->info.closed) {
        hello.duration = r->info.last_time;
    }
    if (!channels || !read_bodies(r, &r->info) || !read_times(r, &r->info) ||
        (r->info.frames && !measure(r, &hello))) {
        free(channels);
        return TL_BAD_DATA;
    }
    hello.edits = list_edits(r);
    pthread_mutex_lock(&r->hub.lock);
    const bool begun = source_begin(&r->hub, &hello);
    pthread_mutex_unlock(&r->hub.lock);
    free(channels);
    if (!begun) {
        return TL_NO_MEMORY;
    }
    hub_set_pairs(&r->hub, source_pairs(r->document, NULL));
    tell_state(r);
    return TL_OK;
}

static void serve(recording *r, const volatile sig_atomic_t *stop)
{
    view_command command;
    while (!(stop && *stop)) {
        const bool measures = must_measure(r);
        if (hub_next_request(&r->hub, r->task_count || measures ? 0 : 0.1, &command)) {
            carry_out(r, &command);
            view_command_free(&command);
        } else {
            if (measures) {
                measure_on(r);
            }
            if (r->task_count) {
                go_on(r);
            }
        }
        if (!r->info.closed && hub_now() - r->looked > 1) {
            look(r);
        }
    }
}

tl_status view_replay(const view_job *job, char *error, size_t room)
{
    char why[VIEW_ERROR] = "";
    recording *r = calloc(1, sizeof *r);
    if (!r || !hub_init(&r->hub, false)) {
        free(r);
        snprintf(error, room, "not enough memory for the viewer");
        return TL_NO_MEMORY;
    }
    r->hub.renders = job->view.render && job->view.result;
    tl_status status = open_recording(r, job);
    if (status < 0) {
        snprintf(why, sizeof why, "%s", tl_last_message());
    } else {
        r->server = server_start(&r->hub, &job->view, why);
        status = r->server ? TL_OK : VIEW_NO_PORT;
    }
    if (r->server) {
        job->started(r->server->address, job->user);
        serve(r, job->view.stop);
        server_stop(r->server);
    }
    while (r->task_count) {
        end_task(r, 0);
    }
    hub_free(&r->hub);
    tl_document_destroy(r->document);
    tl_result_close(r->result);
    free(r->bodies);
    free(r->how);
    free(r->fixed);
    free(r->values);
    free(r);
    snprintf(error, room, "%s", why);
    return status;
}
