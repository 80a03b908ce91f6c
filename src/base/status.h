/* Messages and the log: how every room says what went wrong. */
#ifndef TL_BASE_STATUS_H
#define TL_BASE_STATUS_H

#include "talus/base.h"

/* Records the text for tl_last_message(), logs it (errors for negative status, warnings for
 * positive) and returns `status`, so that a failing line reads `return tl_fail(TL_BAD_ARGUMENT,
 * ...)`. Exported for talus_io alone. */
TL_API tl_status tl_fail(tl_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* The same for a failure that speaks of a field or of bodies: `about` has subject, index, field and
 * bodies. With a subject or a field the format gives the rest of the text, " is %d; it must be ..."
 * or ": %u is no ...". The subject is kept as a pointer, the field is copied. */
tl_status tl_fail_about(tl_status status, const tl_error *about, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Logs a line that is no failure. */
TL_API void tl_note(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* Returns from the calling function with the status of `call` if it failed. */
#define TL_TRY(call)                       \
    do {                                   \
        tl_status tl_try_status_ = (call); \
        if (tl_try_status_ < 0)            \
            return tl_try_status_;         \
    } while (0)

#endif
