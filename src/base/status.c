/* Messages and the log. The message buffer belongs to the thread; the callback to the process. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024], field[160];
static _Thread_local tl_error last = {
    .text = "", .subject = "", .index = TL_NO_INDEX, .field = "", .rest = ""};
static tl_log_fn log_fn;
static void *log_user;

const char *tl_last_message(void)
{
    return message;
}

tl_error tl_last_error(void)
{
    return last;
}

const char *tl_version(void)
{
    return TL_VERSION_STRING;
}

void tl_set_log(tl_log_fn log, void *user)
{
    log_fn = log;
    log_user = user;
}

/* Writes "subject[index].field" to the message and returns its length. */
static size_t write_place(void)
{
    char index[32] = "";
    if (last.index != TL_NO_INDEX)
        snprintf(index, sizeof index, "[%zu]", last.index);
    const int length = snprintf(message, sizeof message, "%s%s%s%s", last.subject, index,
                                last.subject[0] ? "." : "", field);
    return (size_t)length < sizeof message ? (size_t)length : sizeof message - 1;
}

__attribute__((format(printf, 3, 0), cold)) static void
fail(tl_status status, const tl_error *about, const char *format, va_list arguments)
{
    size_t used = 0;
    last = (tl_error){
        .status = status, .text = message, .subject = "", .index = TL_NO_INDEX, .field = field};
    field[0] = 0;
    if (about) {
        last.bodies[0] = about->bodies[0];
        last.bodies[1] = about->bodies[1];
        memcpy(last.joints, about->joints, sizeof last.joints);
        last.material = about->material;
    }
    if (about && about->field) {
        snprintf(field, sizeof field, "%s", about->field);
        if (about->subject && about->subject[0]) {
            last.subject = about->subject;
            last.index = about->index;
        }
        used = write_place();
    }
    last.rest = message + used;
    vsnprintf(message + used, sizeof message - used, format, arguments);
    if (log_fn)
        log_fn(status < 0 ? TL_LOG_ERROR : TL_LOG_WARNING, message, log_user);
}

tl_status tl_fail(tl_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(status, NULL, format, arguments);
    va_end(arguments);
    return status;
}

tl_status tl_fail_about(tl_status status, const tl_error *about, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(status, about, format, arguments);
    va_end(arguments);
    return status;
}

void tl_note(const char *format, ...)
{
    if (!log_fn)
        return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_fn(TL_LOG_INFO, text, log_user);
}

const char *tl_status_name(tl_status status)
{
    switch (status) {
    case TL_OK: return "TL_OK";
    case TL_OVERLAPPING: return "TL_OVERLAPPING";
    case TL_BAD_ARGUMENT: return "TL_BAD_ARGUMENT";
    case TL_NO_MEMORY: return "TL_NO_MEMORY";
    case TL_BAD_HANDLE: return "TL_BAD_HANDLE";
    case TL_DIVERGED: return "TL_DIVERGED";
    case TL_TOO_LARGE: return "TL_TOO_LARGE";
    case TL_NO_BACKEND: return "TL_NO_BACKEND";
    case TL_BAD_DATA: return "TL_BAD_DATA";
    case TL_FILE: return "TL_FILE";
    }
    return "unknown status";
}
