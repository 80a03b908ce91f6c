/* Pictures that the server renders of what a page shows: GET /picture?token=...&cam=...&t=... runs
 * `talus render` on the result, one at a time, no larger and no longer than the limits here, and
 * answers with the PNG. Called by http.c, in the server's thread. */
#include "server.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_WIDTH = 1920,
    MOST_HEIGHT = 1080,
    MOST_SECONDS = 300,
    MOST_BYTES = 64 << 20,
    LOOK_AGAIN = 100000 /* us */
};

/* What the page's words for colours are called by render. */
static const char *color_of(const char *word)
{
    static const char *const words[][2] = {
        {"material", "material"}, {"speed", "speed"}, {"size", "radius"}, {"id", "body"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i][0]))
            return words[i][1];
    return NULL;
}

/* A part of the query; false: it is not there, too long, or has letters that no number has. */
static bool argument(struct lws *wsi, const char *name, const char *letters, char *text, int room)
{
    char whole[512]; /* as long as any part: the library looks at one after the other in it */
    const char *value = lws_get_urlarg_by_name(wsi, name, whole, sizeof whole);
    if (!value || strlen(value) >= (size_t)room)
        return false;
    memcpy(text, value, strlen(value) + 1);
    return *text && text[strspn(text, letters)] == 0;
}

/* Whether a text is what links of the page have: six numbers, and o or p (tlr_look_link()). */
static bool is_camera(const char *text)
{
    double x[6];
    char kind = 0;
    int end = 0;
    return sscanf(text, "%lf,%lf,%lf,%lf,%lf,%lf,%c%n", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5],
                  &kind, &end) == 7 &&
           (kind == 'o' || kind == 'p') && !text[end] && x[5] > 0 &&
           isfinite(x[0] + x[1] + x[2] + x[3] + x[4] + x[5]);
}

static bool is_time(const char *text)
{
    char *end;
    const double time = strtod(text, &end);
    return end != text && !*end && time >= 0 && isfinite(time);
}

static bool size_of(struct lws *wsi, char *text, size_t room)
{
    char width[8], height[8];
    if (!argument(wsi, "w=", "0123456789", width, sizeof width) ||
        !argument(wsi, "h=", "0123456789", height, sizeof height))
        return false;
    const int w = atoi(width), h = atoi(height);
    snprintf(text, room, "%dx%d", w, h);
    return w >= 16 && h >= 16 && w <= MOST_WIDTH && h <= MOST_HEIGHT;
}

static bool start(server *v, struct lws *wsi, const char **why)
{
    char cam[200], link[220], time[40] = "", size[32], colour[16] = "";
    *why = "the query needs cam, w and h, at most 1920 x 1080";
    if (!argument(wsi, "cam=", "0123456789+-.eop,", cam, sizeof cam) ||
        !size_of(wsi, size, sizeof size))
        return false;
    *why = "cam is not X,Y,Z,AZIMUTH,ELEVATION,DISTANCE,o or p";
    if (!is_camera(cam))
        return false;
    char whole[512]; /* as in argument() */
    const bool at = lws_get_urlarg_by_name(wsi, "t=", whole, sizeof whole) != NULL;
    *why = "t is not a time of the result, in seconds";
    if (at && (!argument(wsi, "t=", "0123456789+-.e", time, sizeof time) || !is_time(time)))
        return false;
    *why = "colour is not material, speed, size or id";
    if (argument(wsi, "colour=", "abcdefghijklmnopqrstuvwxyz", colour, sizeof colour) &&
        !color_of(colour))
        return false;
    const char *folder = getenv("TMPDIR");
    snprintf(v->picture.path, sizeof v->picture.path, "%s/talus-picture-XXXXXX.png",
             folder && *folder ? folder : "/tmp");
    const int file = mkstemps(v->picture.path, 4);
    *why = "there is no room for a picture";
    if (file < 0)
        return false;
    close(file);
    snprintf(link, sizeof link, "#cam=%s", cam);
    const char *arguments[20] = {v->result, "-o",       v->picture.path, "--force", "--quiet",
                                 "--size",  size,       "--camera",      link,      "--quality",
                                 "draft",   "--denoise"};
    size_t count = 12;
    if (at) {
        arguments[count++] = "--at";
        arguments[count++] = time;
    }
    if (*colour) {
        arguments[count++] = "--color";
        arguments[count++] = color_of(colour);
    }
    v->picture.process = v->render(arguments);
    v->picture.wsi = wsi;
    v->picture.begun = hub_now();
    *why = "talus render cannot be started";
    if (!v->picture.process)
        unlink(v->picture.path);
    return v->picture.process != 0;
}

int picture_request(server *v, struct lws *wsi)
{
    char site[32] = "";
    const char *why = "";
    if (!v->render || !v->result[0])
        return http_refuse(wsi, HTTP_STATUS_NOT_FOUND, "pictures are rendered of results alone");
    if (lws_hdr_custom_length(wsi, "sec-fetch-site:", 15) > 0 &&
        lws_hdr_custom_copy(wsi, site, sizeof site, "sec-fetch-site:", 15) > 0 &&
        strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return http_refuse(wsi, HTTP_STATUS_FORBIDDEN, "a page of another server may not ask");
    if (v->picture.process)
        return http_refuse(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE,
                           "a picture is being rendered already; one at a time");
    if (!start(v, wsi, &why))
        return http_refuse(wsi, HTTP_STATUS_BAD_REQUEST, why);
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);
    lws_set_timer_usecs(wsi, LOOK_AGAIN);
    return 0;
}

/* The file that was rendered; NULL: there is none. */
static unsigned char *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    struct stat s;
    unsigned char *data = NULL;
    *bytes = 0;
    if (file && fstat(fileno(file), &s) == 0 && s.st_size > 0 && s.st_size <= MOST_BYTES)
        data = malloc((size_t)s.st_size);
    if (data)
        *bytes = fread(data, 1, (size_t)s.st_size, file);
    if (file)
        fclose(file);
    return data;
}

static void end(server *v)
{
    unlink(v->picture.path);
    v->picture.process = 0;
    v->picture.wsi = NULL;
}

int picture_look(server *v, struct lws *wsi, http_transfer *transfer)
{
    int status = 0;
    if (!v->picture.process || v->picture.wsi != wsi)
        return 0;
    char byte; /* the library does not look whether the page is still there */
    if (recv(lws_get_socket_fd(wsi), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
        picture_forget(v, wsi);
        return -1;
    }
    const pid_t ended = waitpid(v->picture.process, &status, WNOHANG);
    if (ended == 0 && hub_now() - v->picture.begun < MOST_SECONDS) {
        lws_set_timer_usecs(wsi, LOOK_AGAIN);
        return 0;
    }
    if (ended == 0) {
        picture_forget(v, wsi);
        return http_refuse(wsi, HTTP_STATUS_INTERNAL_SERVER_ERROR,
                           "the picture took longer than five minutes");
    }
    size_t bytes = 0;
    unsigned char *data = read_file(v->picture.path, &bytes);
    end(v);
    const int ended_with = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
    if (ended_with == 2 || ended_with == 3) { /* it refuses what it is asked for */
        free(data);
        return http_refuse(wsi, HTTP_STATUS_BAD_REQUEST,
                           "there is no such picture; the server's terminal says why");
    }
    if (ended_with != 0 || !data) {
        free(data);
        return http_refuse(wsi, HTTP_STATUS_INTERNAL_SERVER_ERROR,
                           "the picture could not be rendered; the server's terminal says why");
    }
    transfer->owned = data;
    return http_send_bytes(wsi, "image/png", data, bytes, transfer);
}

void picture_forget(server *v, struct lws *wsi)
{
    if (!v->picture.process || (wsi && v->picture.wsi != wsi))
        return;
    kill(v->picture.process, SIGKILL);
    while (waitpid(v->picture.process, NULL, 0) < 0 && errno == EINTR)
        ;
    end(v);
}
