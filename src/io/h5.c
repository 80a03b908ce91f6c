/* The one lock around HDF5, its error texts, and attributes of a file's root group. */
#define _GNU_SOURCE
#include "io/h5.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock;
static int depth; /* of begin and end; belongs to whoever holds the lock */
static H5E_auto2_t saved_print;
static void *saved_data;
static char reason[256]; /* the deepest text of the last call that failed; under the lock too */

/* Runs at exit, before HDF5 shuts itself down: a recorder's thread that is still there must not be
 * inside HDF5 then, and must not enter it again. HDF5 would also print that it cannot free what a
 * damaged file made it lose. */
static void hold_at_exit(void)
{
    pthread_mutex_lock(&lock);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void prepare(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    H5open(); /* registers HDF5's handler, so that ours runs before it */
    atexit(hold_at_exit);
}

static herr_t keep_deepest(unsigned n, const H5E_error2_t *error, void *data)
{
    (void)data;
    if (n == 0 && error->desc)
        snprintf(reason, sizeof reason, "%s", error->desc);
    return 0;
}

/* HDF5 calls this where it would print: the stack is cleared by the next call. */
static herr_t keep_reason(hid_t stack, void *data)
{
    return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_deepest, data);
}

void tl_h5_begin(void)
{
    pthread_once(&once, prepare);
    pthread_mutex_lock(&lock);
    if (depth++ == 0) {
        H5Eget_auto2(H5E_DEFAULT, &saved_print, &saved_data);
        H5Eset_auto2(H5E_DEFAULT, keep_reason, NULL);
    }
    tl_h5_forget();
}

void tl_h5_end(void)
{
    if (--depth == 0)
        H5Eset_auto2(H5E_DEFAULT, saved_print, saved_data);
    pthread_mutex_unlock(&lock);
}

void tl_h5_forget(void)
{
    *reason = '\0';
}

tl_status tl_h5_fail(tl_status status, const char *path, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tl_fail(status, "%s: %s%s%s", path, what, *reason ? ": " : "", reason);
    tl_h5_forget();
    return status;
}

/* Writes an attribute that is made where it is not there. */
static herr_t write_attribute(hid_t file, const char *name, hid_t stored, hid_t type,
                              const void *value)
{
    const htri_t there = H5Aexists(file, name);
    if (there < 0)
        return -1;
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = there ? H5Aopen(file, name, H5P_DEFAULT)
                            : space < 0
                                ? -1
                                : H5Acreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t done = attribute < 0 ? -1 : H5Awrite(attribute, type, value);
    if (attribute >= 0 && H5Aclose(attribute) < 0)
        done = -1;
    if (space >= 0)
        H5Sclose(space);
    return done;
}

hid_t tl_h5_text_type(size_t bytes)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, bytes) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

bool tl_h5_is_number(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    const size_t bytes = H5Tget_size(type);
    return (class == H5T_INTEGER || class == H5T_FLOAT) && bytes >= 1 && bytes <= 8;
}

tl_status tl_h5_write_text(hid_t file, const char *path, const char *name, const char *text)
{
    const hid_t type = tl_h5_text_type(strlen(text) + 1);
    const herr_t done = type < 0 ? -1 : write_attribute(file, name, type, type, text);
    if (type >= 0)
        H5Tclose(type);
    return done < 0 ? tl_h5_fail(TL_FILE, path, "attribute %s cannot be written", name) : TL_OK;
}

tl_status tl_h5_write_number(hid_t file, const char *path, const char *name, hid_t stored,
                             hid_t type, const void *value)
{
    if (write_attribute(file, name, stored, type, value) < 0)
        return tl_h5_fail(TL_FILE, path, "attribute %s cannot be written", name);
    return TL_OK;
}

/* Opens an attribute of one value, with its type. */
static tl_status open_attribute(hid_t file, const char *path, const char *name, hid_t *attribute,
                                hid_t *type)
{
    *attribute = *type = -1;
    if (H5Aexists(file, name) <= 0)
        return tl_h5_fail(TL_BAD_DATA, path, "not a result of Talus: attribute %s is missing",
                          name);
    *attribute = H5Aopen(file, name, H5P_DEFAULT);
    *type = *attribute < 0 ? -1 : H5Aget_type(*attribute);
    const hid_t space = *type < 0 ? -1 : H5Aget_space(*attribute);
    const bool right = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR;
    if (space >= 0)
        H5Sclose(space);
    return right ? TL_OK : tl_h5_fail(TL_BAD_DATA, path, "attribute %s is damaged", name);
}

static void close_attribute(hid_t attribute, hid_t type)
{
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
}

tl_status tl_h5_read_number(hid_t file, const char *path, const char *name, hid_t type, void *value)
{
    hid_t attribute, found;
    tl_status status = open_attribute(file, path, name, &attribute, &found);
    if (status == TL_OK && !tl_h5_is_number(found))
        status = tl_h5_fail(TL_BAD_DATA, path, "attribute %s is not a number", name);
    if (status == TL_OK && H5Aread(attribute, type, value) < 0)
        status = tl_h5_fail(TL_BAD_DATA, path, "attribute %s cannot be read", name);
    close_attribute(attribute, found);
    return status;
}

tl_status tl_h5_read_optional(hid_t file, const char *path, const char *name, hid_t type,
                              void *value)
{
    const htri_t there = H5Aexists(file, name);
    if (there == 0)
        return TL_OK;
    return tl_h5_read_number(file, path, name, type, value);
}

tl_status tl_h5_read_text(hid_t file, const char *path, const char *name, char *text, size_t room)
{
    hid_t attribute, type;
    memset(text, 0, room);
    tl_status status = open_attribute(file, path, name, &attribute, &type);
    if (status == TL_OK && (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0))
        status = tl_h5_fail(TL_BAD_DATA, path, "attribute %s is of another type", name);
    if (status == TL_OK && H5Tget_size(type) > room)
        status = tl_fail(TL_BAD_DATA, "%s: attribute %s has %zu bytes; at most %zu are allowed",
                         path, name, H5Tget_size(type), room);
    if (status == TL_OK && H5Aread(attribute, type, text) < 0)
        status = tl_h5_fail(TL_BAD_DATA, path, "attribute %s cannot be read", name);
    text[status == TL_OK ? room - 1 : 0] = '\0';
    close_attribute(attribute, type);
    return status;
}
