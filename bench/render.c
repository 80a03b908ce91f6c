/* `talus-bench render`: the script bench/render.py, which runs other renderers as programs. main()
 * calls it with what follows the bench's name. */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int bench_render(int argc, char **argv)
{
    char self[4096], *slash;
    static char script[] = TALUS_BENCH_SOURCE "/render.py", python[] = "/usr/bin/python3";
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 8);
    char **arguments = calloc((size_t)argc + 5, sizeof *arguments);
    if (length <= 0 || !arguments)
        return 1;
    self[length] = 0;
    slash = strrchr(self, '/');
    strcpy(slash ? slash + 1 : self, "talus");
    arguments[0] = python;
    arguments[1] = script;
    arguments[2] = self;
    for (int i = 0; i < argc; i++)
        arguments[i + 3] = argv[i];
    execv(access(python, X_OK) == 0 ? python : script, arguments);
    fprintf(stderr, "talus-bench: render needs Python and %s: %s\n", script, strerror(errno));
    return 1;
}
