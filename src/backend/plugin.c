/* Loading a backend at run time. The plugin is looked for beside the library (or the program, where
 * the library is linked in), then where the system looks for libraries; TALUS_PLUGINS names another
 * folder. */
#define _GNU_SOURCE
#include "backend/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN "libtalus_cuda.so"

static tl_status host_fail(tl_status status, const char *text)
{
    return tl_fail(status, "%s", text);
}

/* The folder that this code was loaded from, with a slash at the end; "" if unknown. */
static void own_folder(char *folder, size_t size)
{
    Dl_info info;
    folder[0] = 0;
    if (dladdr((const void *)&tl_backend_cuda, &info) && info.dli_fname) {
        snprintf(folder, size, "%s", info.dli_fname);
        char *slash = strrchr(folder, '/');
        folder[slash ? slash + 1 - folder : 0] = 0;
    }
}

static void *load(char *why, size_t size)
{
    const char *named = getenv("TALUS_PLUGINS");
    char folder[3072], path[4096];
    void *handle = NULL;
    own_folder(folder, sizeof folder);
    if (named)
        snprintf(path, sizeof path, "%s/" PLUGIN, named);
    else
        snprintf(path, sizeof path, "%s" PLUGIN, folder);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        snprintf(why, size, "%s", dlerror());
    if (!handle && !named)
        handle = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
    return handle;
}

static bool fits(const tl_plugin *plugin)
{
    return plugin && plugin->version == TL_PLUGIN_VERSION &&
           !strcmp(plugin->library, TL_VERSION_STRING) && plugin->find == sizeof(tlk_find) &&
           plugin->problem == sizeof(tlk_problem) && plugin->build == sizeof(tlk_build) &&
           plugin->motion == sizeof(tlk_motion);
}

tl_status tl_backend_cuda(tl_precision precision, uint32_t device, tl_backend **backend)
{
    static const tl_plugin_host host = {host_fail};
    char why[512] = "";
    /* the handle is kept: a loaded plugin stays until the process ends */
    void *handle = load(why, sizeof why);
    if (!handle)
        return tl_fail(TL_NO_BACKEND, "the cuda backend is not there: %s", why);
    tl_plugin_entry_fn entry;
    *(void **)&entry = dlsym(handle, "tl_plugin_entry");
    const tl_plugin *plugin = entry ? entry() : NULL;
    if (!fits(plugin))
        return tl_fail(TL_NO_BACKEND,
                       "the cuda backend (" PLUGIN
                       ") was built for another version of Talus: it is %s, "
                       "this is " TL_VERSION_STRING,
                       plugin ? plugin->library : "unknown");
    return plugin->open(&host, precision, device, backend);
}
