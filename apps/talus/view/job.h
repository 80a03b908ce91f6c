/* What `talus view` does once its options are read (apps/talus/view.c): simulate and show a scene,
 * or show a result. */
#ifndef TALUS_VIEW_JOB_H
#define TALUS_VIEW_JOB_H

#include "../view.h"

typedef struct view_job {
    view_options view;
    const char *path; /* the scene or the result */
    size_t set_count; /* overrides of the scene */
    const char *const *sets;
    tl_backend_kind backend;
    bool fall_back;     /* to the CPU, where that backend is not there */
    uint32_t threads;   /* 0: as many as there are */
    const char *result; /* record to this file; NULL: not */
    bool replace;       /* even if it is there */
    void (*started)(const char *address, void *user); /* the address is known */
    void (*warn)(const char *text, void *user);
    void *user;
} view_job;

/* What no scene or result leads to: the server cannot listen where it was told to. */
#define VIEW_NO_PORT TL_BAD_HANDLE
/* And: the scene has a step that no run of it may have. */
#define VIEW_BAD_STEP TL_DIVERGED

/* Both run until job->view.stop is raised. Negative: `error` says why. */
tl_status view_simulate(const view_job *job, char *error, size_t room);
tl_status view_replay(const view_job *job, char *error, size_t room);

#endif
