/* ffmpeg as a process of its own; movie.h says who calls. */
#define _GNU_SOURCE /* pipe2 */
#include "render/movie.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct tlr_movie {
    char path[4096], temporary[4200], errors[4200];
    size_t bytes; /* of a picture */
    pid_t process;
    int pipe; /* to its standard input */
};

static bool ends_in(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

bool tlr_movie_knows(const char *path)
{
    return ends_in(path, ".mp4") || ends_in(path, ".webm");
}

static tl_status missing(int error)
{
    return tl_fail(TL_FILE,
                   "render: the program ffmpeg, which makes movies, cannot be started: %s; install "
                   "it, or name a folder with -o for pictures alone",
                   strerror(error));
}

tl_status tlr_movie_check(void)
{
    pid_t process;
    int status = 0;
    posix_spawn_file_actions_t files;
    char *const arguments[] = {"ffmpeg", "-version", NULL};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    const int error = posix_spawnp(&process, "ffmpeg", &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    if (error)
        return missing(error);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? TL_OK : missing(ENOEXEC);
}

/* Starts ffmpeg with a pipe as its input; its words go to a file. It gets a group of its own, so
 * that Ctrl-C reaches Talus alone. */
static int start(tlr_movie *m, char *const *arguments)
{
    int ends[2];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[0], 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, m->errors, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error = posix_spawnp(&m->process, "ffmpeg", &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    close(ends[0]);
    if (error)
        close(ends[1]);
    else
        m->pipe = ends[1];
    return error;
}

tl_status tlr_movie_open(const char *path, int width, int height, double fps, tlr_movie **movie)
{
    char size[32], rate[32], crop[96];
    const bool webm = ends_in(path, ".webm");
    tlr_movie *m = tl_alloc_zero(sizeof *m);
    *movie = m;
    if (!m)
        return TL_NO_MEMORY;
    m->bytes = 3 * (size_t)width * (size_t)height;
    snprintf(m->path, sizeof m->path, "%s", path);
    snprintf(m->temporary, sizeof m->temporary, "%s.%ld.part", m->path, (long)getpid());
    snprintf(m->errors, sizeof m->errors, "%s.%ld.log", m->path, (long)getpid());
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.10g", fps);
    snprintf(crop, sizeof crop, "crop=%d:%d:0:0,scale=out_color_matrix=bt709:out_range=tv",
             width & ~1, height & ~1);
    char *const arguments[] = {"ffmpeg",
                               "-nostdin",
                               "-y",
                               "-loglevel",
                               "error",
                               "-f",
                               "rawvideo",
                               "-pixel_format",
                               "rgb24",
                               "-video_size",
                               size,
                               "-framerate",
                               rate,
                               "-i",
                               "-",
                               "-vf",
                               crop,
                               "-c:v",
                               webm ? "libvpx-vp9" : "libx264",
                               "-pix_fmt",
                               "yuv420p",
                               "-crf",
                               webm ? "31" : "18",
                               webm ? "-b:v" : "-preset",
                               webm ? "0" : "medium",
                               "-colorspace",
                               "bt709",
                               "-color_primaries",
                               "bt709",
                               "-color_trc",
                               "bt709",
                               "-color_range",
                               "tv",
                               "-movflags",
                               "+faststart",
                               "-f",
                               webm ? "webm" : "mp4",
                               m->temporary,
                               NULL};
    const int error = start(m, arguments);
    if (!error)
        return TL_OK;
    tl_free(m, sizeof *m);
    *movie = NULL;
    return missing(error);
}

/* The first line that ffmpeg said. */
static void read_errors(const tlr_movie *m, char *text, size_t room)
{
    FILE *file = fopen(m->errors, "r");
    text[0] = 0;
    if (file) {
        if (!fgets(text, (int)room, file))
            text[0] = 0;
        text[strcspn(text, "\n")] = 0;
        fclose(file);
    }
}

/* Waits for ffmpeg; TL_FILE where it did not end well. */
static tl_status finish(tlr_movie *m)
{
    char said[200];
    int status = 0;
    if (m->pipe >= 0)
        close(m->pipe);
    m->pipe = -1;
    while (waitpid(m->process, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return TL_OK;
    read_errors(m, said, sizeof said);
    if (WIFSIGNALED(status))
        return tl_fail(TL_FILE, "%s: ffmpeg was ended by signal %d", m->path, WTERMSIG(status));
    return tl_fail(TL_FILE, "%s: ffmpeg failed: %s", m->path, *said ? said : "it does not say why");
}

tl_status tlr_movie_add(tlr_movie *m, const unsigned char *rgb)
{
    for (size_t done = 0; done < m->bytes;) {
        const ssize_t n = write(m->pipe, rgb + done, m->bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) { /* it reads no more: its own words say why */
            const int error = errno;
            const tl_status status = finish(m);
            m->process = 0;
            return status < 0 ? status
                              : tl_fail(TL_FILE, "%s: ffmpeg takes no more pictures: %s", m->path,
                                        strerror(error));
        }
        done += (size_t)n;
    }
    return TL_OK;
}

tl_status tlr_movie_close(tlr_movie *m, bool keep)
{
    if (!m)
        return TL_OK;
    tl_status status = m->process ? finish(m) : TL_OK;
    if (keep && status == TL_OK && rename(m->temporary, m->path) != 0)
        status = tl_fail(TL_FILE, "%s: cannot be written: %s", m->path, strerror(errno));
    if (!keep || status < 0)
        unlink(m->temporary);
    unlink(m->errors);
    tl_free(m, sizeof *m);
    return status;
}
