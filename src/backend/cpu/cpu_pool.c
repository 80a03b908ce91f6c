/* The threads of the CPU backend: they run one function together, part by part, and can meet inside
 * it.
 *
 * OpenMP's runtimes spin at the end of a region for milliseconds. That is right on idle cores and
 * ruinous on busy ones, where the thread that is waited for has lost its core to another program: a
 * step has well over a hundred meeting points, and each may cost a time slice (measured: 4,000
 * bodies, two threads beside a two-process compile, 210 ms a step). Here a thread spins for a
 * little longer than the kernel takes to wake one, and then sleeps; the kernel wakes it ahead of
 * programs that never sleep. */
#define _GNU_SOURCE
#include "backend/cpu/cpu.h"
#include "base/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPIN_MS \
    0.2 /* before sleeping: some times what waking takes, so that threads find back in step */
#define LOOKS 64u /* between looks at the clock */

struct tl_pool {
    uint32_t parts; /* threads, the calling one included */
    size_t bytes;
    tl_part_fn function;
    void *context;
    bool stop;
    _Alignas(64) atomic_uint epoch; /* counts runs; workers wait for it to change */
    _Alignas(64) atomic_uint done;  /* workers that finished this run */
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint phase; /* counts meetings */
    _Alignas(64) atomic_uint sleepers;
    _Alignas(64) struct {
        pthread_t thread;
        struct tl_pool *pool;
        uint32_t part;
    } workers[];
};

/* Waits until *word is no longer `old`. */
static void wait_while(tl_pool *p, atomic_uint *word, unsigned old)
{
    double start = 0;
    do {
        for (unsigned look = 0; look < LOOKS; look++) {
            if (atomic_load_explicit(word, memory_order_acquire) != old)
                return;
#if defined(TALUS_X86)
            __builtin_ia32_pause();
#endif
        }
        if (start == 0)
            start = tl_now();
    } while (tl_now() - start < SPIN_MS);
    atomic_fetch_add(&p->sleepers, 1);
    while (atomic_load(word) == old)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
    atomic_fetch_sub(&p->sleepers, 1);
}

/* After *word has changed. */
static void wake(tl_pool *p, atomic_uint *word)
{
    if (atomic_load(&p->sleepers))
        syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void tl_pool_meet(tl_pool *p)
{
    const unsigned phase = atomic_load_explicit(&p->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&p->arrived, 1, memory_order_acq_rel) + 1 == p->parts) {
        atomic_store_explicit(&p->arrived, 0, memory_order_relaxed);
        atomic_store(&p->phase, phase + 1);
        wake(p, &p->phase);
    } else {
        wait_while(p, &p->phase, phase);
    }
}

static void *work(void *argument)
{
    tl_pool *p = ((__typeof__(((tl_pool *)0)->workers[0]) *)argument)->pool;
    const uint32_t part = ((__typeof__(((tl_pool *)0)->workers[0]) *)argument)->part;
    for (unsigned seen = 0;; seen++) {
        wait_while(p, &p->epoch, seen);
        if (p->stop)
            return NULL;
        p->function(p->context, part, p->parts);
        atomic_fetch_add(&p->done, 1);
        wake(p, &p->done);
    }
}

uint32_t tl_pool_parts(const tl_pool *p)
{
    return p ? p->parts : 1;
}

void tl_pool_run(tl_pool *p, tl_part_fn function, void *context)
{
    if (tl_pool_parts(p) == 1) {
        function(context, 0, 1);
        return;
    }
    p->function = function;
    p->context = context;
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    atomic_fetch_add(&p->epoch, 1);
    wake(p, &p->epoch);
    function(context, 0, p->parts);
    for (unsigned done;
         (done = atomic_load_explicit(&p->done, memory_order_acquire)) < p->parts - 1;)
        wait_while(p, &p->done, done);
}

uint32_t tl_cpu_count(void)
{
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

tl_pool *tl_pool_create(uint32_t threads)
{
    const size_t bytes = sizeof(tl_pool) + threads * sizeof((tl_pool){0}.workers[0]);
    tl_pool *p = tl_alloc_zero(bytes);
    if (!p)
        return NULL;
    p->bytes = bytes;
    p->parts = 1;
    /* signals are for the program's own threads */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (p->parts < threads) {
        p->workers[p->parts].pool = p;
        p->workers[p->parts].part = p->parts;
        if (pthread_create(&p->workers[p->parts].thread, NULL, work, &p->workers[p->parts])) {
            tl_note("only %u of %u threads could be started", p->parts, threads);
            break;
        }
        p->parts++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return p;
}

void tl_pool_destroy(tl_pool *p)
{
    if (!p)
        return;
    p->stop = true;
    atomic_fetch_add(&p->epoch, 1);
    wake(p, &p->epoch);
    for (uint32_t i = 1; i < p->parts; i++)
        pthread_join(p->workers[i].thread, NULL);
    tl_free(p, p->bytes);
}
