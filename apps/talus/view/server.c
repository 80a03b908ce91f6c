/* Connections: listens, and moves messages between sockets and viewers on a thread of its own, with
 * libwebsockets. See view/server.h and, for what may be asked, docs/viewer-protocol.md. */
#include "server.h"
#include "../view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

_Static_assert(VIEW_HEAD >= LWS_PRE, "messages leave room for the header");

/* ---- events from the source ---- */

static void deliver(server *v, hub_event *event)
{
    if (event->frame) {
        stage_remember(v, event->frame);
    }
    for (viewer *s = v->viewers; s; s = s->next) {
        if (event->client && event->client != s->client) {
            continue;
        }
        if (event->reports_done) {
            s->reports_asked = false;
        } else if (event->is_frame) {
            viewer_frame(s, event->frame);
        } else if (event->text) {
            viewer_text(s, strdup(event->text));
        } else if (event->bytes.length && event->client) {
            viewer_bytes(s, &event->bytes);
        }
    }
    hub_event_free(event);
}

/* Texts that everybody gets when they change. */
static void spread_changes(server *v)
{
    hub *h = v->hub;
    pthread_mutex_lock(&h->lock);
    const bool epoch = h->epoch != v->epoch;
    const bool settings = h->settings_version != v->settings_version;
    const bool pairs = h->pairs_version != v->pairs_version;
    const bool state = h->state_version != v->state_version;
    v->epoch = h->epoch;
    v->running = h->state.running;
    v->settings_version = h->settings_version;
    v->pairs_version = h->pairs_version;
    v->state_version = h->state_version;
    pthread_mutex_unlock(&h->lock);
    if (epoch) {
        stage_begin_epoch(v);
    }
    for (viewer *s = v->viewers; s; s = s->next) {
        if (epoch) {
            viewer_begin_epoch(s);
            continue;
        }
        viewer_tell(s, (settings ? TELL_SETTINGS : 0U) | (pairs ? TELL_PAIRS : 0U) |
                           (state ? TELL_STATE : 0U));
        viewer_wants_to_write(s); /* the table or the times may have grown */
    }
}

/* Those that do not read what they asked for. */
static void drop_stuck(server *v)
{
    for (viewer *s = v->viewers; s; s = s->next) {
        if (!s->dropped && viewer_is_stuck(s)) {
            viewer_drop(s);
        }
    }
}

static void look_at_source(server *v)
{
    spread_changes(v);
    for (hub_event *event = hub_take_events(v->hub); event;) {
        hub_event *next = event->next;
        deliver(v, event);
        event = next;
    }
    drop_stuck(v);
    if (v->hub->live) {
        stage_pack(v);
    }
    stage_update(v);
}

/* ---- one connection ---- */

static int close_for(struct lws *wsi, int code, const char *why)
{
    unsigned char reason[124];
    const int length = snprintf((char *)reason, sizeof reason, "%s", why);
    lws_close_reason(wsi, (enum lws_close_status)code, reason, (size_t)length);
    return -1;
}

static int close_with(struct lws *wsi, int code)
{
    return close_for(wsi, code, "");
}

static const char not_read[] = "answers wait that are not read";

static int received(viewer *s, const char *bytes, size_t count)
{
    if (lws_is_first_fragment(s->wsi)) {
        s->received_count = 0;
    }
    if (lws_frame_is_binary(s->wsi)) {
        return close_with(s->wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE);
    }
    if (s->received_count + count > VIEW_MAX_MESSAGE) {
        return close_with(s->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
    }
    if (!s->received && !(s->received = malloc(VIEW_MAX_MESSAGE))) {
        return -1;
    }
    memcpy(s->received + s->received_count, bytes, count);
    s->received_count += count;
    if (!lws_is_final_fragment(s->wsi) || lws_remaining_packet_payload(s->wsi)) {
        return 0;
    }
    if (!bucket_take(&s->rate, 1, 300, 600)) {
        return close_for(s->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many messages");
    }
    const int code = viewer_receive(s, s->received, s->received_count);
    s->received_count = 0;
    stage_update(s->server);
    if (!code && viewer_is_stuck(s)) {
        return close_for(s->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, not_read);
    }
    return code ? close_with(s->wsi, code) : 0;
}

/* Sends a piece of a message: large ones go out bit by bit, as the network takes them. */
static int writable(viewer *s)
{
    if (viewer_is_stuck(s)) {
        return close_for(s->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, not_read);
    }
    if (!s->sending) {
        s->sending = viewer_next(s);
        s->sent = 0;
    }
    message *m = s->sending;
    if (!m) {
        return 0;
    }
    const size_t left = m->bytes.length - s->sent, most = 256 << 10;
    const size_t count = left < most ? left : most;
    const bool first = s->sent == 0, last = count == left;
    int kind = first ? m->is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY : LWS_WRITE_CONTINUATION;
    kind |= last ? 0 : LWS_WRITE_NO_FIN;
    if (lws_write(s->wsi, view_buffer_data(&m->bytes) + s->sent, count,
                  (enum lws_write_protocol)kind) < 0) {
        return -1;
    }
    s->sent += count;
    if (last) {
        message_free(m);
        s->sending = NULL;
    }
    viewer_wants_to_write(s);
    return 0;
}

static void tell_viewers_changed(server *v)
{
    for (viewer *s = v->viewers; s; s = s->next) {
        viewer_tell(s, TELL_STATE);
    }
}

static int stream_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                           size_t length)
{
    server *v = lws_context_user(lws_get_context(wsi));
    viewer **s = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        spread_changes(v); /* so that it begins with the epoch that the others are in */
        *s = viewer_open(v, wsi);
        tell_viewers_changed(v);
        return *s ? 0 : -1;
    case LWS_CALLBACK_CLOSED:
        if (*s) {
            viewer_close(*s);
            *s = NULL;
            tell_viewers_changed(v);
            stage_update(v);
        }
        return 0;
    case LWS_CALLBACK_RECEIVE: return *s ? received(*s, in, length) : -1;
    case LWS_CALLBACK_SERVER_WRITEABLE: return *s ? writable(*s) : -1;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: look_at_source(v); return 0;
    default: return 0;
    }
}

/* ---- listening ---- */

static void *serve(void *argument)
{
    server *v = argument;
    while (!atomic_load(&v->stop) && lws_service(v->context, 0) >= 0) {
    }
    return NULL;
}

static void wake(void *user)
{
    server *v = user;
    lws_cancel_service(v->context);
}

static bool make_token(char token[33])
{
    unsigned char random[16];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        return false;
    }
    for (int i = 0; i < 16; i++) {
        snprintf(token + 2 * i, 3, "%02x", random[i]);
    }
    return true;
}

static bool is_this_machine(const char *address)
{
    struct in_addr four;
    return strcmp(address, "localhost") == 0 || strcmp(address, "::1") == 0 ||
           (inet_pton(AF_INET, address, &four) == 1 && ntohl(four.s_addr) >> 24 == 127);
}

/* Whether a port can be had: libwebsockets would wait for it quietly. Returns the port, 0 or above,
 * or -1 with errno. */
static int probe(const char *address, int port)
{
    struct sockaddr_in six_less = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    const bool is_six = strchr(address, ':') != NULL;
    struct sockaddr *name = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&six_less;
    socklen_t size = is_six ? sizeof six : sizeof six_less;
    if (inet_pton(is_six ? AF_INET6 : AF_INET, address,
                  is_six ? (void *)&six.sin6_addr : (void *)&six_less.sin_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    const int fd = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    int found = -1;
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(fd, name, size) == 0 && listen(fd, 1) == 0 && getsockname(fd, name, &size) == 0) {
        found = ntohs(is_six ? six.sin6_port : six_less.sin_port);
    }
    const int kept = errno;
    if (fd >= 0) {
        close(fd);
    }
    errno = kept;
    return found;
}

static int find_port(const char *address, int port, char *error)
{
    const int tries = port < 0 ? 21 : 1;
    int found = -1;
    for (int i = 0; i < tries && found < 0; i++) {
        found = probe(address, port < 0 ? VIEW_PORT + i : port);
    }
    if (found < 0) {
        snprintf(error, VIEW_ERROR, "cannot listen at %s, port %d: %s", address,
                 port < 0 ? VIEW_PORT : port,
                 errno == EINVAL ? "not an address of this machine (expected for example 127.0.0.1,"
                                   " 0.0.0.0 or ::1)"
                                 : strerror(errno));
    }
    return found;
}

static void write_address(server *v, int port)
{
    char name[sizeof v->host];
    snprintf(name, sizeof name, "%s", v->host);
    if (v->any_host && gethostname(name, sizeof name) != 0) {
        snprintf(name, sizeof name, "localhost");
    }
    const bool is_six = strchr(name, ':') != NULL;
    snprintf(v->address, sizeof v->address, "http://%s%s%s:%d/%s%s", is_six ? "[" : "", name,
             is_six ? "]" : "", port, v->token[0] ? "?token=" : "", v->token);
}

static const lws_retry_bo_t keep_alive = {.secs_since_valid_ping = 20,
                                          .secs_since_valid_hangup = 30};

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = http_callback, .per_session_data_size = sizeof(http_transfer)},
    {.name = VIEW_PROTOCOL, .callback = stream_callback, .per_session_data_size = sizeof(viewer *)},
    {0}};

static bool listen_at(server *v, int port, char *error)
{
    const bool is_six = strchr(v->host, ':') != NULL;
    struct lws_context_creation_info info = {
        .port = port,
        .iface = v->any_host ? NULL : v->host,
        .protocols = protocols,
        .user = v,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   (is_six ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6),
        .timeout_secs = 10,
        .keepalive_timeout = 10,
        .retry_and_idle_policy = &keep_alive,
        .max_http_header_data = 4096,
        .max_http_header_pool = 128,
        .server_string = "talus",
    };
    lws_set_log_level(0, NULL);
    v->context = lws_create_context(&info);
    if (!v->context) {
        snprintf(error, VIEW_ERROR, "cannot listen at %s, port %d", v->host, port);
        return false;
    }
    return true;
}

/* Everybody who has an account on a machine can reach its loopback address, so that a token is
 * asked for there, too; only this machine can do without. */
static bool choose_token(server *v, const view_options *options, const char *address, char *error)
{
    if (options->no_token) {
        if (!is_this_machine(address)) {
            snprintf(error, VIEW_ERROR, "--no-token is for this machine alone, not for --bind %s",
                     address);
        }
        return is_this_machine(address);
    }
    if (options->token) {
        snprintf(v->token, sizeof v->token, "%s", options->token);
        return true;
    }
    snprintf(error, VIEW_ERROR, "the system gives no random numbers: %s", strerror(errno));
    return make_token(v->token);
}

server *server_start(hub *h, const view_options *options, char *error)
{
    server *v = calloc(1, sizeof *v);
    if (!v) {
        snprintf(error, VIEW_ERROR, "not enough memory for the viewer");
        return NULL;
    }
    v->hub = h;
    v->render = options->render;
    snprintf(v->result, sizeof v->result, "%s", options->result ? options->result : "");
    const char *address =
        options->bind && strcmp(options->bind, "localhost") != 0 ? options->bind : "127.0.0.1";
    snprintf(v->host, sizeof v->host, "%s", address);
    v->any_host = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
    if (!choose_token(v, options, address, error) ||
        (v->port = find_port(address, options->port, error)) < 0 || !listen_at(v, v->port, error)) {
        free(v);
        return NULL;
    }
    write_address(v, v->port);
    v->epoch = h->epoch;
    v->running = h->state.running;
    stage_begin_epoch(v);
    h->wake = wake;
    h->wake_user = v;
    sigset_t all, before; /* signals are the caller's */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&v->thread, NULL, serve, v);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        snprintf(error, VIEW_ERROR, "cannot start the viewer's thread: %s", strerror(failed));
        lws_context_destroy(v->context);
        free(v);
        return NULL;
    }
    return v;
}

void server_stop(server *v)
{
    if (!v) {
        return;
    }
    atomic_store(&v->stop, true);
    lws_cancel_service(v->context);
    pthread_join(v->thread, NULL);
    v->hub->wake = NULL;
    picture_forget(v, NULL);
    lws_context_destroy(v->context); /* closes viewers */
    stage_free(v);
    free(v);
}
