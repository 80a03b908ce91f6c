/* Messages and the log. The message buffer belongs to the thread; the callback to the process. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[1024];
static tl_log_fn log_fn;
static void *log_user;

const char *tl_last_message(void)
{
    return message;
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

tl_status tl_fail(tl_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (log_fn)
        log_fn(status < 0 ? TL_LOG_ERROR : TL_LOG_WARNING, message, log_user);
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
