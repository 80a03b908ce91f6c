/* `talus render` as a process beside a run; movie.h says who calls. */
#include "movie.h"
#include "session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 32, YIELD = 10 };

void movie_yield(void)
{
    if (getpriority(PRIO_PROCESS, 0) < YIELD && setpriority(PRIO_PROCESS, 0, YIELD) != 0) {
        /* then it does not yield */
    }
}

pid_t movie_start(const char *const *arguments)
{
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return 0;
    self[length] = 0;
    char *argv[MOST_ARGUMENTS + 3] = {self, "render"};
    for (int i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        argv[i + 2] = (char *)arguments[i];
    const pid_t parent = getpid(), process = fork();
    if (process == 0) {
        sigset_t none; /* threads of the viewer's server have all blocked */
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent) /* it ends with the run */
            _exit(EXIT_FAILED);
        movie_yield();
        execv(self, argv);
        _exit(EXIT_FAILED);
    }
    return process > 0 ? process : 0;
}

int movie_follow(const options *given, const char *result, pid_t *process)
{
    const char *arguments[] = {result, "-o", given->movie, "--follow", "--quiet", NULL, NULL, NULL};
    if (given->look) {
        arguments[5] = "--look";
        arguments[6] = given->look;
    }
    *process = movie_start(arguments);
    if (*process)
        return EXIT_OK;
    complain("run: talus render cannot be started: %s", strerror(errno));
    return EXIT_FAILED;
}

int movie_wait(const options *given, pid_t process)
{
    int status = 0;
    session_say(given, "%s: the last pictures are made", given->movie);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK) {
        session_say(given, "%s: made", given->movie);
        return EXIT_OK;
    }
    if (WIFSIGNALED(status))
        complain("run: talus render was ended by signal %d", WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}
