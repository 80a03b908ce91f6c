/* The CPU backend: threads over ranges of items. Called through tl_backend_ops. */
#include "backend/cpu/cpu.h"
#include "kernels/joint/args.h"
#include "kernels/penalty/args.h"

#include <stdio.h>
#include <string.h>

#define SERIAL_BELOW 512u /* a program whose launches are all smaller runs on one thread */
#define ALONE_BELOW  128u /* smaller launches one thread does, those in a row without a meeting */
#define FOLD_ALONE   (8 * TLK_FOLD_CHUNK) /* the same of folds */
#define PHASES       512u                 /* of a list that is run at once */

typedef struct cpu_backend {
    tl_backend base;
    uint32_t threads; /* wanted */
    tl_pool *pool;    /* made at the first run that pays; NULL before */
    const tl_cpu_kernels *kernels;
    const char *isa;
    tl_array sort_scratch; /* uint32_t */
    tl_array fold_scratch; /* double */
} cpu_backend;

#define TURN      4u    /* pairs of shapes that a thread takes in a row */
#define TEAM_FROM 4096u /* nodes of an articulation from which threads share it */

static const struct {
    const char *name, *operations;
    int numbers;
} folds[TLK_FOLD_COUNT] = {
#define TLK_MAP(name, args)
#define TLK_REDUCE(name, args, n, ops) {#name, ops, n},
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
};

typedef struct isa_entry {
    const char *name;
    const tl_cpu_kernels *mixed, *twice;
} isa_entry;

/* Best first. */
static const isa_entry isas[] = {
#if defined(TALUS_X86)
    {"avx512", &tl_cpu_avx512_mixed, &tl_cpu_avx512_double},
    {"avx2", &tl_cpu_avx2_mixed, &tl_cpu_avx2_double},
#endif
    {"base", &tl_cpu_base_mixed, &tl_cpu_base_double},
};
static const char *forced_isa;

static bool machine_has(const char *isa)
{
#if defined(TALUS_X86)
    if (!strcmp(isa, "avx512"))
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (!strcmp(isa, "avx2"))
        return __builtin_cpu_supports("avx2");
#endif
    return !strcmp(isa, "base");
}

bool tl_backend_cpu_isa(const char *isa)
{
    forced_isa = NULL;
    for (size_t i = 0; isa && i < sizeof isas / sizeof *isas; i++)
        if (!strcmp(isas[i].name, isa) && machine_has(isa))
            forced_isa = isas[i].name;
    return !isa || forced_isa;
}

static void cpu_destroy(tl_backend *backend)
{
    cpu_backend *cpu = (cpu_backend *)backend;
    tl_pool_destroy(cpu->pool);
    tl_array_free(&cpu->sort_scratch);
    tl_array_free(&cpu->fold_scratch);
    tl_free(cpu, sizeof *cpu);
}

static void *cpu_allocate(tl_backend *backend, size_t bytes)
{
    (void)backend;
    return tl_alloc(bytes);
}

static void cpu_release(tl_backend *backend, void *memory, size_t bytes)
{
    (void)backend;
    tl_free(memory, bytes);
}

static void cpu_copy(tl_backend *backend, void *to, const void *from, size_t bytes)
{
    (void)backend;
    if (bytes)
        memcpy(to, from, bytes);
}

static tl_status cpu_download(tl_backend *backend, void *host, const void *device, size_t bytes)
{
    cpu_copy(backend, host, device, bytes);
    return TL_OK;
}

static void cpu_fill(tl_backend *backend, void *device, int byte, size_t bytes)
{
    (void)backend;
    if (bytes)
        memset(device, byte, bytes);
}

/* How many items of the usual kind, rows or bodies, a launch is like: some cost more. */
static uint64_t load_of(const tl_launch *l)
{
    const uint64_t items = l->end - l->begin;
    switch ((int)l->kernel) {
    case TLK_joint_project:
    case TLK_joint_assemble: {
        const tlk_articulation *a = ((const tlk_joints *)l->args)->articulation;
        return items ? 8 * (uint64_t)(a[l->end - 1].node_end - a[l->begin].node) : 0;
    }
    case TLK_joint_rows:
    case TLK_joint_bend:
    case TLK_joint_guess:
    case TLK_joint_foresee:
    case TLK_joint_store:
    case TLK_touch_keep:
    case TLK_touch_pair:
    case TLK_touch_write:
    case TLK_build_row: return 8 * items;
    case TLK_momentum_rows:
    case TLK_momentum_block: return items / 8;
    default: return items;
    }
}

static tl_cpu_map kernel_of(const cpu_backend *cpu, const tl_launch *l)
{
    const tl_cpu_map wide = cpu->kernels->wide[l->kernel];
    return wide ? wide : cpu->kernels->map[l->kernel];
}

/* The articulations of a part: as many nodes as the others have, more or less. */
static void run_articulations(const cpu_backend *cpu, const tl_launch *l, uint32_t part,
                              uint32_t parts)
{
    const tlk_articulation *a = ((const tlk_joints *)l->args)->articulation;
    const uint64_t first = a[l->begin].node, nodes = a[l->end - 1].node_end - first;
    for (uint32_t i = l->begin; i < l->end; i++) {
        const uint64_t middle = ((uint64_t)a[i].node + a[i].node_end) / 2 - first;
        if (middle * parts / nodes == part)
            kernel_of(cpu, l)(l->args, i, i + 1);
    }
}

/* Pairs of a part, in turns: their order is that of kinds, of which some take ten times as long. */
static void run_pairs(const cpu_backend *cpu, const tl_launch *l, uint32_t part, uint32_t parts)
{
    for (uint64_t i = l->begin + (uint64_t)TURN * part; i < l->end; i += (uint64_t)TURN * parts) {
        const uint64_t end = i + TURN;
        kernel_of(cpu, l)(l->args, (uint32_t)i, end < l->end ? (uint32_t)end : l->end);
    }
}

/* A part of so many items; packets of rows are not split. */
static void run_share(const cpu_backend *cpu, const tl_launch *l, uint32_t first, uint32_t last,
                      uint32_t part, uint32_t parts)
{
    const uint64_t packets = (last - first + TLK_LANES - 1) / TLK_LANES;
    const uint32_t begin = first + (uint32_t)(packets * part / parts) * TLK_LANES;
    uint32_t end = first + (uint32_t)(packets * (part + 1) / parts) * TLK_LANES;
    if (part + 1 == parts)
        end = last;
    if (begin < end)
        kernel_of(cpu, l)(l->args, begin, end);
}

/* The part of a launch that one thread does. */
static void run_part(const cpu_backend *cpu, const tl_launch *launch, uint32_t part, uint32_t parts)
{
    if (launch->serial) {
        if (part == 0)
            cpu->kernels->map[launch->kernel](launch->args, launch->begin, launch->end);
        return;
    }
    if (parts > 1 && launch->begin < launch->end &&
        (launch->kernel == TLK_joint_project || launch->kernel == TLK_joint_assemble)) {
        run_articulations(cpu, launch, part, parts);
        return;
    }
    if (parts > 1 && launch->kernel == TLK_touch_pair) {
        run_pairs(cpu, launch, part, parts);
        return;
    }
    /* pairs with walls take longer: threads share them and near ones each */
    const uint32_t middle = launch->kernel == TLK_penalty_meet
                                ? ((const tlk_penalty *)launch->args)->near_walls
                                : launch->begin;
    run_share(cpu, launch, launch->begin, middle, part, parts);
    run_share(cpu, launch, middle, launch->end, part, parts);
}

/* The pool, made when it is first needed. */
static tl_pool *pool(cpu_backend *cpu)
{
    if (!cpu->pool && cpu->threads > 1)
        cpu->pool = tl_pool_create(cpu->threads); /* without memory: the calling thread alone */
    return cpu->pool;
}

/* The chunks of a fold that one thread takes. */
static void fold_chunks(const cpu_backend *cpu, const tl_folding *f, double *partial, uint32_t part,
                        uint32_t parts)
{
    const tl_cpu_fold wide = cpu->kernels->wide_fold[f->fold];
    const tl_cpu_fold kernel = wide ? wide : cpu->kernels->fold[f->fold];
    const uint32_t chunks = tl_fold_chunks(f->count);
    const uint32_t end = (uint32_t)((uint64_t)chunks * (part + 1) / parts);
    for (uint32_t c = (uint32_t)((uint64_t)chunks * part / parts); c < end; c++) {
        double *own = partial + (size_t)c * TLK_FOLD_NUMBERS;
        for (int k = 0; k < folds[f->fold].numbers; k++)
            own[k] = tl_fold_start(folds[f->fold].operations[k]);
        const uint32_t begin = c * TLK_FOLD_CHUNK;
        kernel(f->args, begin,
               f->count - begin < TLK_FOLD_CHUNK ? f->count : begin + TLK_FOLD_CHUNK, own);
    }
}

/* The rest of a fold: chunks of a group in order, then groups in order. */
static void fold_rest(const tl_folding *f, const double *partial)
{
    const uint32_t chunks = tl_fold_chunks(f->count);
    for (int k = 0; k < folds[f->fold].numbers; k++) {
        const char operation = folds[f->fold].operations[k];
        f->numbers[k] = tl_fold_start(operation);
        for (uint32_t first = 0; first < chunks; first += TLK_FOLD_GROUP) {
            double group = tl_fold_start(operation);
            for (uint32_t c = first; c < chunks && c < first + TLK_FOLD_GROUP; c++)
                group = tl_fold_pair(operation, group, partial[(size_t)c * TLK_FOLD_NUMBERS + k]);
            f->numbers[k] = tl_fold_pair(operation, f->numbers[k], group);
        }
    }
}

/* What threads do before they meet: a launch, launches in a row that are small, or one of the two
 * halves of a fold, its chunks and the rest. */
typedef struct run_phase {
    const tl_launch *launch;
    uint32_t count; /* of small ones, which the first part does; 0: it is shared */
    bool rest;
} run_phase;

/* A list of launches. */
typedef struct run_job {
    const cpu_backend *cpu;
    uint32_t phases; /* of the list, once */
    run_phase phase[PHASES];
} run_job;

/* A launch, by one thread. */
static void run_whole(const cpu_backend *cpu, const tl_launch *l)
{
    const tl_folding *f = l->args;
    if (l->kernel != TLK_FOLD) {
        run_part(cpu, l, 0, 1);
        return;
    }
    fold_chunks(cpu, f, f->numbers + TLK_FOLD_NUMBERS, 0, 1);
    fold_rest(f, f->numbers + TLK_FOLD_NUMBERS);
}

static void do_phase(void *context, uint32_t phase, uint32_t part, uint32_t parts)
{
    const run_job *job = context;
    const run_phase *p = job->phase + phase % job->phases;
    const tl_folding *f = p->launch->args;
    if (p->count) {
        for (uint32_t i = 0; i < p->count && part == 0; i++)
            run_whole(job->cpu, p->launch + i);
        return;
    }
    if (p->launch->kernel != TLK_FOLD)
        run_part(job->cpu, p->launch, part, parts);
    else if (!p->rest)
        fold_chunks(job->cpu, f, f->numbers + TLK_FOLD_NUMBERS, part, parts);
    else if (part == 0)
        fold_rest(f, f->numbers + TLK_FOLD_NUMBERS);
}

/* The phases of a list of at most PHASES / 2 launches. Returns the load of its largest launch. */
static uint64_t make_phases(run_job *job, const tl_launch *launches, size_t count)
{
    uint64_t largest = 0;
    run_phase *last = NULL;
    for (size_t i = 0; i < count; i++) {
        const tl_launch *l = launches + i;
        const uint64_t load = load_of(l);
        const bool fold = l->kernel == TLK_FOLD;
        const bool small = l->serial || load < (fold ? FOLD_ALONE : ALONE_BELOW);
        if (!l->serial && load > largest)
            largest = load;
        if (small && last && last->count) {
            last->count++;
            continue;
        }
        last = &job->phase[job->phases++];
        *last = (run_phase){l, small ? 1 : 0, false};
        if (fold && !small)
            job->phase[job->phases++] = (run_phase){l, 0, true};
    }
    return largest;
}

/* One launch over articulations, and the one that all threads work on. */
typedef struct team_job {
    const cpu_backend *cpu;
    const tl_launch *launch;
    const tl_cpu_team *team;
    uint32_t item;
} team_job;

static bool is_large(const tlk_joints *g, uint32_t i)
{
    return g->articulation[i].node_end - g->articulation[i].node >= TEAM_FROM;
}

/* Those that are one thread's. */
static void small_part(void *context, uint32_t phase, uint32_t part, uint32_t parts)
{
    const team_job *job = context;
    const tl_launch *l = job->launch;
    const uint64_t count = l->end - l->begin;
    (void)phase; /* there is one */
    for (uint64_t i = count * part / parts; i < count * (part + 1) / parts; i++)
        if (!is_large(l->args, l->begin + (uint32_t)i))
            kernel_of(job->cpu, l)(l->args, l->begin + (uint32_t)i, l->begin + (uint32_t)i + 1);
}

static void team_turn(void *context, uint32_t phase, uint32_t part, uint32_t parts)
{
    const team_job *job = context;
    (void)phase; /* the articulation knows its stage */
    job->team->turn(job->launch->args, job->item, part, parts);
}

static bool team_next(void *context)
{
    const team_job *job = context;
    return job->team->next(job->launch->args, job->item);
}

/* How threads share the items of a launch, or NULL: they do not. */
static const tl_cpu_team *team_of(const cpu_backend *cpu, const tl_launch *launch)
{
    const bool project = launch->kernel == TLK_joint_project;
    if (cpu->threads == 1 || (!project && launch->kernel != TLK_joint_assemble) ||
        ((const tlk_joints *)launch->args)->largest < TEAM_FROM)
        return NULL;
    return project ? &cpu->kernels->project : &cpu->kernels->assemble;
}

static void run_team(cpu_backend *cpu, const tl_launch *launch, const tl_cpu_team *team)
{
    team_job job = {cpu, launch, team, launch->begin};
    tl_pool_run(pool(cpu), 1, small_part, &job);
    for (; job.item < launch->end; job.item++)
        if (is_large(launch->args, job.item)) {
            team->begin(launch->args, job.item);
            tl_pool_turns(pool(cpu), team_turn, team_next, &job);
        }
}

static void cpu_run(tl_backend *backend, const tl_launch *launches, size_t count, uint32_t repeat)
{
    cpu_backend *cpu = (cpu_backend *)backend;
    for (size_t i = 0; i < count; i++) {
        const tl_cpu_team *team = team_of(cpu, &launches[i]);
        if (!team)
            continue;
        for (uint32_t r = 0; r < repeat; r++) {
            cpu_run(backend, launches, i, 1);
            run_team(cpu, &launches[i], team);
            cpu_run(backend, launches + i + 1, count - i - 1, 1);
        }
        return;
    }
    if (count > PHASES / 2) { /* the first so many, and the others */
        for (uint32_t r = 0; r < repeat; r++) {
            cpu_run(backend, launches, PHASES / 2, 1);
            cpu_run(backend, launches + PHASES / 2, count - PHASES / 2, 1);
        }
        return;
    }
    run_job job;
    job.cpu = cpu;
    job.phases = 0;
    const uint64_t largest = make_phases(&job, launches, count);
    if (count)
        tl_pool_run(largest < SERIAL_BELOW ? NULL : pool(cpu), job.phases * repeat, do_phase, &job);
}

typedef struct fold_job {
    const cpu_backend *cpu;
    const tl_folding *folding;
    double *partial;
} fold_job;

static void fold_part(void *context, uint32_t phase, uint32_t part, uint32_t parts)
{
    const fold_job *job = context;
    (void)phase; /* there is one */
    fold_chunks(job->cpu, job->folding, job->partial, part, parts);
}

static tl_status fold_one(cpu_backend *cpu, const tl_folding *f)
{
    const uint32_t chunks = tl_fold_chunks(f->count);
    /* room for the widest fold, so that a later one over as many items cannot fail */
    TL_TRY(tl_array_resize(&cpu->fold_scratch, (size_t)chunks * TLK_FOLD_NUMBERS + 1));
    fold_job job = {cpu, f, cpu->fold_scratch.data};
    tl_pool_run(chunks < 16 ? NULL : pool(cpu), 1, fold_part, &job);
    fold_rest(f, job.partial);
    return TL_OK;
}

static tl_status cpu_fold(tl_backend *backend, const tl_folding *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        TL_TRY(fold_one((cpu_backend *)backend, &list[i]));
    return TL_OK;
}

static tl_status cpu_colour(tl_backend *backend, const tlk_colour *args, uint32_t contacts)
{
    const uint32_t fresh = args->fresh_count[0];
    (void)contacts;
    const tl_launch round[3] = {{TLK_colour_bid, 0, fresh, false, args},
                                {TLK_colour_take, 0, fresh, false, args},
                                {TLK_colour_clear, 0, fresh, false, args}};
    double left[TLK_FOLD_NUMBERS];
    for (left[0] = fresh; left[0] > 0;) {
        cpu_run(backend, round, 3, 2);
        TL_TRY(tl_fold_one(backend, TLK_FOLD_colour_left, fresh, args, left));
    }
    return TL_OK;
}

static tl_status cpu_sort(tl_backend *backend, uint32_t *keys, uint32_t *values, uint32_t count,
                          uint32_t bits)
{
    cpu_backend *cpu = (cpu_backend *)backend;
    return tl_cpu_sort(pool(cpu), &cpu->sort_scratch, keys, values, count, bits);
}

static tl_status cpu_rank(tl_backend *backend, const uint32_t *keys, uint32_t count,
                          uint32_t *places, uint32_t *starts, const uint32_t *word, uint32_t *seen)
{
    cpu_backend *cpu = (cpu_backend *)backend;
    if (seen)
        *seen = word && count ? *word : 0;
    return tl_cpu_rank(pool(cpu), &cpu->sort_scratch, keys, count, places, starts);
}

static tl_status cpu_scan(tl_backend *backend, uint32_t *items, uint32_t count, uint64_t *total)
{
    cpu_backend *cpu = (cpu_backend *)backend;
    uint64_t unasked;
    return tl_cpu_scan(pool(cpu), &cpu->sort_scratch, items, count, total ? total : &unasked);
}

static void cpu_threads(tl_backend *backend, uint32_t threads)
{
    cpu_backend *cpu = (cpu_backend *)backend;
    const uint32_t wanted = threads ? threads : tl_cpu_count();
    if (wanted != cpu->threads) {
        tl_pool_destroy(cpu->pool);
        cpu->pool = NULL;
    }
    cpu->threads = wanted;
    snprintf(backend->name, sizeof backend->name, "cpu (%s, %u thread%s)", cpu->isa, cpu->threads,
             cpu->threads == 1 ? "" : "s");
}

/* A slot of captured memory: the header, then the copy. */
typedef struct cpu_slot {
    size_t room; /* bytes after the header */
    _Alignas(64) char data[];
} cpu_slot;

static void cpu_forget(void *slot)
{
    if (slot)
        tl_free(slot, sizeof(cpu_slot) + ((cpu_slot *)slot)->room);
}

static tl_status cpu_capture(tl_backend *backend, size_t count, const void *const *from,
                             const size_t *bytes, void **slot)
{
    cpu_slot *s = *slot;
    size_t all = 0, at = 0;
    (void)backend;
    for (size_t i = 0; i < count; i++)
        all += bytes[i];
    if (!s || s->room < all) {
        s = tl_alloc(sizeof *s + all);
        if (!s)
            return TL_NO_MEMORY;
        s->room = all;
        cpu_forget(*slot);
        *slot = s;
    }
    for (size_t i = 0; i < count; at += bytes[i++])
        if (bytes[i])
            memcpy(s->data + at, from[i], bytes[i]);
    return TL_OK;
}

static const void *cpu_captured(void *slot)
{
    return ((cpu_slot *)slot)->data;
}

static uint32_t cpu_parts(tl_backend *backend)
{
    return tl_pool_parts(pool((cpu_backend *)backend));
}

typedef struct share_job {
    tl_share_fn function;
    void *context;
} share_job;

static void share_part(void *context, uint32_t phase, uint32_t part, uint32_t parts)
{
    const share_job *job = context;
    (void)phase;
    job->function(job->context, part, parts);
}

static void cpu_share(tl_backend *backend, tl_share_fn function, void *context)
{
    share_job job = {function, context};
    tl_pool_run(pool((cpu_backend *)backend), 1, share_part, &job);
}

static const tl_backend_ops cpu_ops = {
    .destroy = cpu_destroy,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .upload = cpu_copy,
    .download = cpu_download,
    .copy = cpu_copy,
    .fill = cpu_fill,
    .run = cpu_run,
    .fold = cpu_fold,
    .colour = cpu_colour,
    .sort = cpu_sort,
    .rank = cpu_rank,
    .scan = cpu_scan,
    .threads = cpu_threads,
    .capture = cpu_capture,
    .captured = cpu_captured,
    .forget = cpu_forget,
    .parts = cpu_parts,
    .share = cpu_share,
};

tl_status tl_backend_cpu(tl_precision precision, uint32_t threads, tl_backend **backend)
{
    cpu_backend *cpu = tl_alloc_zero(sizeof *cpu);
    if (!cpu)
        return TL_NO_MEMORY;
    cpu->base.ops = &cpu_ops;
    cpu->base.precision = precision;
    cpu->base.real = precision == TL_DOUBLE ? sizeof(double) : sizeof(float);
    cpu->base.crowd = 3;
    cpu->base.entry = TLK_ENTRY_CPU * sizeof(uint32_t);
    cpu->sort_scratch.item = sizeof(uint32_t);
    cpu->fold_scratch.item = sizeof(double);
    const isa_entry *isa = isas;
    while (forced_isa ? strcmp(isa->name, forced_isa) != 0 : !machine_has(isa->name))
        isa++;
    cpu->isa = isa->name;
    cpu->kernels = precision == TL_DOUBLE ? isa->twice : isa->mixed;
    cpu_threads(&cpu->base, threads);
    *backend = &cpu->base;
    return TL_OK;
}
