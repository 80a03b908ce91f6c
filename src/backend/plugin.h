/* The contract between the library and a backend that is loaded at run time (libtalus_cuda.so).
 *
 * A plugin exports one function, tl_plugin_entry. It calls nothing of the library but what the host
 * table offers, so it need not be linked with it. Both sides were built from the same sources: the
 * version and the sizes of the argument structs are compared before anything else happens. */
#ifndef TL_BACKEND_PLUGIN_H
#define TL_BACKEND_PLUGIN_H

#include "backend/backend.h"

#define TL_PLUGIN_VERSION 7u

typedef struct tl_plugin_host {
    /* tl_fail with a finished text */
    tl_status (*fail)(tl_status status, const char *text);
} tl_plugin_host;

typedef struct tl_plugin {
    uint32_t version;
    const char *library;                 /* version of Talus it was built with */
    size_t find, problem, build, motion; /* sizes of tlk_ structs */
    /* a backend on device `device` modulo the number of devices */
    tl_status (*open)(const tl_plugin_host *host, tl_precision precision, uint32_t device,
                      tl_backend **backend);
} tl_plugin;

typedef const tl_plugin *(*tl_plugin_entry_fn)(void);

#endif
