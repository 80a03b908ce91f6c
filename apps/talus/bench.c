/* `talus bench`: hands over to talus-bench, which is installed beside the command. */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int command_bench(int argc, char **argv)
{
    char path[4096];
    (void)argc;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "/talus-bench");
    char *slash = NULL;
    if (length > 0) {
        path[length] = 0;
        slash = strrchr(path, '/');
    }
    memcpy(slash ? slash + 1 : path, "talus-bench", sizeof "talus-bench");
    argv[0] = "talus-bench";
    execv(path, argv);
    complain("cannot run %s: %s; it is built with -DTALUS_BENCH=ON and lies beside talus", path,
             strerror(errno));
    return EXIT_FAILED;
}
