/** @file base.h
 *  Status codes, messages, the log, memory and the version: what every other header builds on.
 */
#ifndef TALUS_BASE_H
#define TALUS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TL_BEGIN_DECLS extern "C" {
#define TL_END_DECLS   }
#else
#define TL_BEGIN_DECLS
#define TL_END_DECLS
#endif

/** Marks what the shared library exports; everything else is hidden. */
#if defined(__GNUC__)
#define TL_API __attribute__((visibility("default")))
#else
#define TL_API
#endif

/** The version of these headers; tl_version() is the version of the library that is running. */
#define TL_VERSION_STRING "0.2.0"
#define TL_VERSION_MAJOR  0 /**< First number of the version: may break programs. */
#define TL_VERSION_MINOR  2 /**< Second number: may break programs while the first is 0. */
#define TL_VERSION_PATCH  0 /**< Third number: repairs only. */

TL_BEGIN_DECLS

/** What a fallible call returns: 0 is success, negative failed (outputs are zeroed and the object
 *  is as it was before the call), positive is done, with a warning in tl_last_message(). Where the
 *  size of an array was refused, or there was no object to hold it against, the array may be left
 *  as it was. */
typedef enum tl_status {
    TL_OK = 0,
    TL_OVERLAPPING = 1,   /**< done; bodies overlap deeply in the state given */
    TL_BAD_ARGUMENT = -1, /**< an argument broke a rule; the message names field, value and rule */
    TL_NO_MEMORY = -2,    /**< an allocation failed; the message says how many bytes */
    TL_BAD_HANDLE = -3,   /**< a handle is none, stale, or of another scene or world */
    TL_DIVERGED = -4,     /**< a state became NaN or ran away; the last good state is kept */
    TL_TOO_LARGE = -5,    /**< a size is over a limit (2^31 contacts, shapes or bin entries) */
    TL_NO_BACKEND = -6,   /**< the backend asked for is not there */
    TL_BAD_DATA = -7,     /**< a file or snapshot is damaged, of another version or breaks a rule */
    TL_FILE = -8 /**< a file could not be read or written; the message says which and why */
} tl_status;

/** The name of a status, for example "TL_BAD_ARGUMENT"; "unknown status" for any other number.
 *  Static storage. */
TL_API const char *tl_status_name(tl_status status);

/** The text of the last call of this thread that did not return TL_OK; "" before the first one.
 *  Owned by the library, valid until the thread's next failing call. */
TL_API const char *tl_last_message(void);

/** Names a body, in the scene it was added to and in every world made of that scene. Zero is none.
 */
typedef struct tl_body {
    uint32_t index;      /**< 1 for the first body added; never used again after removal */
    uint32_t generation; /**< 1 for bodies alive; kept so that an index may be reused later */
} tl_body;

/** The index of a tl_error whose subject is no list. */
#define TL_NO_INDEX SIZE_MAX

/** What tl_last_message() says, in parts for programs. Where a field of a definition was refused,
 *  `text` is `subject`, `field` and `rest` in one: "bodies[3].shapes[0].radius is -1; it must be
 *  > 0". Texts are owned by the library and valid until the thread's next failing call. */
typedef struct tl_error {
    tl_status status; /**< what the call returned; TL_OK before the first failure */
    const char *text; /**< the whole message */
    const char
        *subject; /**< what was refused: "bodies", "fill", "settings", ...; "": no definition */
    size_t index; /**< which of the definitions given, TL_NO_INDEX where there is but one */
    const char *field;  /**< path in it, "shapes[0].radius", or an argument's name; "": none */
    const char *rest;   /**< what follows the field: " is -1; it must be > 0" */
    tl_body bodies[2];  /**< bodies of the scene or world that the message speaks of; or zero */
    uint32_t joints[4]; /**< likewise: index of a tl_joint each */
    uint32_t material;  /**< likewise: 1 + index of a tl_material */
} tl_error;

/** The last call of this thread that did not return TL_OK, in parts. */
TL_API tl_error tl_last_error(void);

/** The version of the running library, "major.minor.patch". Static storage. */
TL_API const char *tl_version(void);

/** How serious a log line is. */
typedef enum tl_log_level { TL_LOG_INFO = 0, TL_LOG_WARNING = 1, TL_LOG_ERROR = 2 } tl_log_level;

/** Receives log lines. `text` is valid during the call only. May be called from any thread that
 *  calls the library. */
typedef void (*tl_log_fn)(tl_log_level level, const char *text, void *user);

/** Sets the log callback for the whole process; NULL (the state at start) logs nothing. The library
 *  never prints on its own. Set it before other threads use the library. */
TL_API void tl_set_log(tl_log_fn log, void *user);

/** Where the library gets its memory. `allocate` returns memory aligned to 64 bytes or NULL;
 *  `release` takes what allocate returned, with the same size, and never NULL. Both may be called
 *  by several threads at once. */
typedef struct tl_allocator {
    void *(*allocate)(size_t bytes, void *user);             /**< gets memory; bytes > 0 */
    void (*release)(void *memory, size_t bytes, void *user); /**< gives it back */
    void *user;                                              /**< passed to both */
} tl_allocator;

/** Replaces the allocator for the whole process; NULL restores the default (aligned_alloc, free).
 *  Call it while no scene, world or snapshot exists. */
TL_API void tl_set_allocator(const tl_allocator *allocator);

TL_END_DECLS

#endif
