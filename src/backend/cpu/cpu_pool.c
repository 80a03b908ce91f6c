/* The threads of the CPU backend: they do a job together, phase after phase, each phase part by
 * part.
 *
 * A step has well over a hundred phases of some microseconds each, and no thread may start the next
 * one before the last is done. Where every thread has its part and all have to meet, as in OpenMP,
 * a thread that has lost its core to another program holds up the others for a time slice at each
 * meeting (measured: 4,000 bodies on two threads beside a two-process compile, 210 ms per step).
 * Here parts are there to be taken: a thread takes its own first, because its data is in its cache,
 * waits a moment, and then takes those that nobody has begun. Whoever finishes the last part opens
 * the next phase. So a phase is only held up by a thread that was stopped in the middle of a part,
 * and with the others off their cores, the calling thread does it all alone at its own pace. Which
 * thread does which part makes no difference to any result. */
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
#define STEAL_MS 0.003 /* before taking another's part: it may be about to come */
#define LOOKS    32u   /* between looks at the clock */

/* A worker, and the claim on the part of the same number: 1 + the last phase that it was taken in.
 */
typedef struct worker {
    _Alignas(64) atomic_uint claim;
    pthread_t thread;
    struct tl_pool *pool;
    uint32_t part;
} worker;

struct tl_pool {
    uint32_t parts; /* threads, the calling one included */
    size_t bytes;
    tl_phase_fn function; /* of the job at hand */
    tl_next_fn next;      /* of turns, whose number is not known before; else NULL */
    void *context;
    unsigned first; /* number of its first phase */
    atomic_bool stop;
    /* Phases are numbered on and on over all jobs. Low half: the open phase; high half: the one
     * after the job's last. Equal: no job. One word, so that both are seen together. */
    _Alignas(64) atomic_ullong state;
    _Alignas(64) atomic_uint done; /* parts of the open phase that are finished */
    _Alignas(64) atomic_uint sleepers;
    worker workers[];
};

static unsigned open_phase(unsigned long long state)
{
    return (unsigned)state;
}

static unsigned end_phase(unsigned long long state)
{
    return (unsigned)(state >> 32);
}

static unsigned long long state_of(unsigned phase, unsigned end)
{
    return (unsigned long long)end << 32 | phase;
}

static void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* The half of the state that counts phases, for the kernel. */
static unsigned *phase_word(tl_pool *p)
{
    unsigned *halves = (unsigned *)(void *)&p->state;
    return halves + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Looks at the state until its phase is no longer `old`, for some time; true if it changed. */
static bool phase_passed(tl_pool *p, unsigned old, double ms)
{
    double start = 0;
    do {
        for (unsigned look = 0; look < LOOKS; look++) {
            if (open_phase(atomic_load_explicit(&p->state, memory_order_acquire)) != old)
                return true;
            rest();
        }
        if (start == 0)
            start = tl_now();
    } while (tl_now() - start < ms);
    return false;
}

/* Waits until the phase is no longer `old`; asleep, if it takes long. */
static void wait_for_phase(tl_pool *p, unsigned old)
{
    if (phase_passed(p, old, SPIN_MS))
        return;
    atomic_fetch_add(&p->sleepers, 1);
    while (open_phase(atomic_load(&p->state)) == old)
        syscall(SYS_futex, phase_word(p), FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
    atomic_fetch_sub(&p->sleepers, 1);
}

static void set_state(tl_pool *p, unsigned long long state)
{
    atomic_store(&p->state, state);
    if (atomic_load(&p->sleepers))
        syscall(SYS_futex, phase_word(p), FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Takes a part of a phase if nobody has. A thread that comes late, with a phase long past, finds a
 * later claim and leaves it. */
static bool take(tl_pool *p, unsigned phase, uint32_t part)
{
    atomic_uint *claim = &p->workers[part].claim;
    unsigned seen = atomic_load_explicit(claim, memory_order_relaxed);
    return (int)(seen - (phase + 1)) < 0 && atomic_compare_exchange_strong(claim, &seen, phase + 1);
}

/* Does a part that was taken; opens the next phase if it was the last part. */
static void do_part(tl_pool *p, unsigned phase, unsigned end, uint32_t part)
{
    p->function(p->context, phase - p->first, part, p->parts);
    if (atomic_fetch_add(&p->done, 1) + 1 < p->parts)
        return;
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    if (p->next)
        end = p->next(p->context) ? phase + 2 : phase + 1;
    set_state(p, state_of(phase + 1, end));
}

/* Does what it can of an open phase and waits for the next state. */
static void help(tl_pool *p, unsigned phase, unsigned end, uint32_t own)
{
    if (take(p, phase, own))
        do_part(p, phase, end, own);
    if (phase_passed(p, phase, STEAL_MS))
        return;
    for (uint32_t i = 1; i < p->parts; i++) {
        const uint32_t part = (own + i) % p->parts;
        if (take(p, phase, part))
            do_part(p, phase, end, part);
    }
    wait_for_phase(p, phase);
}

static void *work(void *argument)
{
    tl_pool *p = ((worker *)argument)->pool;
    const uint32_t own = ((worker *)argument)->part;
    while (!atomic_load(&p->stop)) {
        const unsigned long long state = atomic_load(&p->state);
        if (open_phase(state) == end_phase(state))
            wait_for_phase(p, open_phase(state));
        else
            help(p, open_phase(state), end_phase(state), own);
    }
    return NULL;
}

uint32_t tl_pool_parts(const tl_pool *p)
{
    return p ? p->parts : 1;
}

/* Does a job of so many phases, or, of turns, one at first, which `next` adds to. */
static void do_job(tl_pool *p, uint32_t phases)
{
    p->first = open_phase(atomic_load(&p->state)) + 1; /* a new number wakes those who wait */
    set_state(p, state_of(p->first, p->first + phases));
    for (;;) {
        const unsigned long long state = atomic_load(&p->state);
        if (open_phase(state) == end_phase(state))
            return;
        help(p, open_phase(state), end_phase(state), 0);
    }
}

void tl_pool_run(tl_pool *p, uint32_t phases, tl_phase_fn function, void *context)
{
    if (tl_pool_parts(p) == 1) {
        for (uint32_t phase = 0; phase < phases; phase++)
            function(context, phase, 0, 1);
        return;
    }
    p->function = function;
    p->next = NULL;
    p->context = context;
    do_job(p, phases);
}

void tl_pool_turns(tl_pool *p, tl_phase_fn function, tl_next_fn next, void *context)
{
    if (tl_pool_parts(p) == 1) {
        for (uint32_t phase = 0; phase == 0 || next(context); phase++)
            function(context, phase, 0, 1);
        return;
    }
    p->function = function;
    p->next = next;
    p->context = context;
    do_job(p, 1);
}

uint32_t tl_cpu_count(void)
{
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

tl_pool *tl_pool_create(uint32_t threads)
{
    const size_t bytes = sizeof(tl_pool) + threads * sizeof(worker);
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
    const unsigned phase = open_phase(atomic_load(&p->state)) + 1;
    atomic_store(&p->stop, true);
    set_state(p, state_of(phase, phase));
    for (uint32_t i = 1; i < p->parts; i++)
        pthread_join(p->workers[i].thread, NULL);
    tl_free(p, p->bytes);
}
