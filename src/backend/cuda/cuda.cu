/* The CUDA backend: the table of functions of backend.h on one GPU, as a plugin.
 *
 * Everything runs on one stream. A thread has one current GPU and may drive several backends, so
 * each function first makes its own GPU the current one, which costs next to nothing where it is
 * that already. Functions that return nothing keep the first error of the device;
 * the next one that can fail reports it. */
#include "backend/cuda/cuda.h"

#include <stdio.h>
#include <string.h>

#define MOST_FOLDS 4u                 /* at once */
#define MOST_SLACK ((size_t)64 << 20) /* bytes that scratch memory is larger than was needed */

typedef struct cuda_backend {
    tl_backend base;
    const tl_plugin_host *host;
    const tl_cuda_kernels *kernels;
    int device;
    cudaStream_t stream;
    cudaError_t error; /* the first one, kept */
    void *temp;        /* CUB's */
    size_t temp_bytes;
    void *sort; /* the other half of a sort */
    size_t sort_bytes;
    double *partial; /* device */
    double *partial_host;
    size_t partial_bytes;
    uint32_t *total;     /* pinned */
    cudaStream_t copies; /* captures leave the device here, beside the computing */
} cuda_backend;

/* A captured copy: on the device at once, on the host when `done` has happened. */
typedef struct cuda_slot {
    const tl_plugin_host *host;
    int device;
    void *staging, *memory; /* on the device; on the host, pinned */
    size_t room;
    cudaEvent_t taken, done;
} cuda_slot;

static const struct {
    const char *operations;
    int numbers;
} folds[TLK_FOLD_COUNT] = {
#define TLK_MAP(name, args)
#define TLK_REDUCE(name, args, n, ops) {ops, n},
#include "kernels/kernels.inc"
#undef TLK_MAP
#undef TLK_REDUCE
};

static void note(cuda_backend *c, cudaError_t e)
{
    if (c->error == cudaSuccess && e != cudaSuccess)
        c->error = e;
}

/* The backend behind the table of functions, its GPU made the thread's current one. */
static cuda_backend *current(tl_backend *backend)
{
    cuda_backend *c = (cuda_backend *)backend;
    note(c, cudaSetDevice(c->device));
    return c;
}

static tl_status report(cuda_backend *c)
{
    char text[256];
    note(c, cudaGetLastError());
    if (c->error == cudaSuccess)
        return TL_OK;
    snprintf(text, sizeof text, "the GPU stopped: %s", cudaGetErrorString(c->error));
    return c->host->fail(TL_NO_BACKEND, text);
}

static tl_status no_memory(cuda_backend *c, size_t bytes)
{
    char text[256];
    size_t free_bytes = 0, all = 0;
    cudaGetLastError(); /* running out of memory is no lasting error */
    cudaMemGetInfo(&free_bytes, &all);
    snprintf(text, sizeof text, "out of GPU memory: %zu bytes were needed, %zu of %zu are free",
             bytes, free_bytes, all);
    return c->host->fail(TL_NO_MEMORY, text);
}

/* Makes *memory at least `bytes` large; its content is lost. It counts as memory held in buffers.
 */
static bool need(cuda_backend *c, void **memory, size_t *have, size_t bytes)
{
    if (bytes <= *have)
        return true;
    cudaStreamSynchronize(c->stream);
    cudaFree(*memory);
    c->base.bytes -= *have;
    *memory = NULL;
    *have = 0;
    const size_t room = bytes + (bytes / 4 < MOST_SLACK ? bytes / 4 : MOST_SLACK);
    if (cudaMalloc(memory, room) != cudaSuccess) {
        no_memory(c, room);
        return false;
    }
    *have = room;
    c->base.bytes += room;
    if (c->base.bytes > c->base.peak)
        c->base.peak = c->base.bytes;
    return true;
}

static void *need_temp(void *user, size_t bytes)
{
    cuda_backend *c = (cuda_backend *)user;
    return need(c, &c->temp, &c->temp_bytes, bytes) ? c->temp : NULL;
}

static void cuda_destroy(tl_backend *backend)
{
    cuda_backend *c = current(backend);
    cudaStreamSynchronize(c->stream);
    cudaFree(c->temp);
    cudaFree(c->sort);
    cudaFree(c->partial);
    cudaFreeHost(c->partial_host);
    cudaFreeHost(c->total);
    cudaStreamSynchronize(c->copies);
    cudaStreamDestroy(c->copies);
    cudaStreamDestroy(c->stream);
    delete c;
}

static void *cuda_allocate(tl_backend *backend, size_t bytes)
{
    cuda_backend *c = current(backend);
    void *memory = NULL;
    if (!bytes)
        return NULL;
    if (cudaMalloc(&memory, bytes) == cudaSuccess)
        return memory;
    no_memory(c, bytes);
    return NULL;
}

static void cuda_release(tl_backend *backend, void *memory, size_t bytes)
{
    (void)bytes;
    cudaStreamSynchronize(current(backend)->stream);
    cudaFree(memory);
}

static void cuda_upload(tl_backend *backend, void *device, const void *host, size_t bytes)
{
    cuda_backend *c = current(backend);
    if (!bytes)
        return;
    /* from ordinary memory: it is read before the call returns */
    note(c, cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, c->stream));
}

static void cuda_download(tl_backend *backend, void *host, const void *device, size_t bytes)
{
    cuda_backend *c = current(backend);
    if (!bytes)
        return;
    note(c, cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, c->stream));
    note(c, cudaStreamSynchronize(c->stream));
}

static void cuda_copy(tl_backend *backend, void *to, const void *from, size_t bytes)
{
    cuda_backend *c = current(backend);
    if (bytes)
        note(c, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, c->stream));
}

static void cuda_fill(tl_backend *backend, void *device, int byte, size_t bytes)
{
    cuda_backend *c = current(backend);
    if (bytes)
        note(c, cudaMemsetAsync(device, byte, bytes, c->stream));
}

/* Whether a list is the sweeps of one problem, or what comes before them. */
static bool is_sweeps(const tl_launch *launches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((launches[i].kernel != TLK_psor_sweep && launches[i].kernel != TLK_psor_start) ||
            launches[i].kernel != launches[0].kernel || launches[i].args != launches[0].args)
            return false;
    return count > 0 && count <= 2 * TLK_COLOURS;
}

static void cuda_run(tl_backend *backend, const tl_launch *launches, size_t count, uint32_t repeat)
{
    cuda_backend *c = current(backend);
    if (is_sweeps(launches, count)) {
        note(c, c->kernels->sweeps(launches, count, repeat, c->stream));
        return;
    }
    for (uint32_t r = 0; r < repeat; r++)
        for (size_t i = 0; i < count; i++)
            if (launches[i].end > launches[i].begin)
                c->kernels->map[launches[i].kernel](launches[i].args, launches[i].begin,
                                                    launches[i].end, launches[i].serial, c->stream);
    note(c, cudaPeekAtLastError());
}

/* Folds `count` numbers that lie TLK_FOLD_NUMBERS apart, in order. */
static double fold_numbers(char operation, const double *numbers, size_t count)
{
    double number = tl_fold_start(operation);
    for (size_t i = 0; i < count; i++)
        number = tl_fold_pair(operation, number, numbers[i * TLK_FOLD_NUMBERS]);
    return number;
}

/* How a fold is divided, and where its numbers are in the buffer of partial ones. */
typedef struct fold_plan {
    size_t chunks, groups, parts; /* parts: what the host takes, groups where chunks are many */
    size_t first;
} fold_plan;

static fold_plan plan_fold(const tl_folding *f, size_t first)
{
    fold_plan plan;
    plan.chunks = ((size_t)f->count + TLK_FOLD_CHUNK - 1) / TLK_FOLD_CHUNK;
    plan.groups = (plan.chunks + TLK_FOLD_GROUP - 1) / TLK_FOLD_GROUP;
    plan.parts = plan.chunks > TL_CUDA_FEW_CHUNKS ? plan.groups : plan.chunks;
    plan.first = first;
    return plan;
}

/* The last part of a fold, on the host. */
static void finish_fold(const tl_folding *f, const fold_plan *plan, double *partial)
{
    for (int k = 0; k < folds[f->fold].numbers; k++) {
        const char operation = folds[f->fold].operations[k];
        double *at = partial + k;
        if (plan->parts !=
            plan->groups) /* in place: a group's number is at or before its chunks' */
            for (size_t g = 0; g < plan->groups; g++) {
                const size_t first = g * TLK_FOLD_GROUP, left = plan->chunks - first;
                at[g * TLK_FOLD_NUMBERS] =
                    fold_numbers(operation, at + first * TLK_FOLD_NUMBERS,
                                 left < TLK_FOLD_GROUP ? left : TLK_FOLD_GROUP);
            }
        f->numbers[k] = fold_numbers(operation, at, plan->groups);
    }
}

/* Chunks, and where there are many their groups, are folded on the GPU, the rest on the host. What
 * the host takes of all folds comes first in the buffer, so that it is fetched at once. */
static tl_status cuda_fold(tl_backend *backend, const tl_folding *list, size_t count)
{
    cuda_backend *c = current(backend);
    fold_plan plans[MOST_FOLDS];
    size_t parts = 0, chunks = 0;
    if (count > MOST_FOLDS)
        return c->host->fail(TL_TOO_LARGE, "too many folds at once");
    for (size_t i = 0; i < count; i++) {
        plans[i] = plan_fold(&list[i], parts);
        parts += plans[i].parts;
        chunks = plans[i].chunks > chunks ? plans[i].chunks : chunks;
    }
    const size_t bytes = ((parts + chunks) * TLK_FOLD_NUMBERS + 1) * sizeof(double);
    if (bytes > c->partial_bytes) {
        cudaFreeHost(c->partial_host);
        c->partial_host = NULL;
        if (!need(c, (void **)&c->partial, &c->partial_bytes, bytes) ||
            cudaMallocHost((void **)&c->partial_host, c->partial_bytes) != cudaSuccess)
            return TL_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        if (list[i].count)
            c->kernels->fold[list[i].fold](list[i].args, list[i].count,
                                           c->partial + plans[i].first * TLK_FOLD_NUMBERS,
                                           c->partial + parts * TLK_FOLD_NUMBERS, c->stream);
    cuda_download(backend, c->partial_host, c->partial, parts * TLK_FOLD_NUMBERS * sizeof(double));
    for (size_t i = 0; i < count; i++)
        finish_fold(&list[i], &plans[i], c->partial_host + plans[i].first * TLK_FOLD_NUMBERS);
    return report(c);
}

static tl_status cuda_colour(tl_backend *backend, const tlk_colour *args, uint32_t contacts)
{
    cuda_backend *c = current(backend);
    if (contacts)
        note(c, c->kernels->colour(args, contacts, c->stream));
    return report(c);
}

static tl_status cuda_sort(tl_backend *backend, uint32_t *keys, uint32_t *values, uint32_t count,
                           uint32_t bits)
{
    cuda_backend *c = current(backend);
    if (count < 2 || !bits)
        return TL_OK;
    if (!need(c, &c->sort, &c->sort_bytes, 2 * (size_t)count * sizeof(uint32_t)))
        return TL_NO_MEMORY;
    uint32_t *other = (uint32_t *)c->sort;
    const cudaError_t e =
        tl_cuda_sort(keys, values, other, other + count, count, bits, need_temp, c, c->stream);
    if (e == cudaErrorMemoryAllocation)
        return TL_NO_MEMORY;
    note(c, e);
    return report(c);
}

static tl_status cuda_scan(tl_backend *backend, uint32_t *items, uint32_t count, uint64_t *total)
{
    cuda_backend *c = current(backend);
    const cudaError_t e =
        tl_cuda_scan(items, count, total ? c->total : NULL, need_temp, c, c->stream);
    if (e == cudaErrorMemoryAllocation)
        return TL_NO_MEMORY;
    note(c, e);
    if (total)
        *total = *c->total;
    return report(c);
}

static void cuda_wait(tl_backend *backend)
{
    cuda_backend *c = current(backend);
    note(c, cudaStreamSynchronize(c->stream));
}

static void cuda_forget(void *slot)
{
    cuda_slot *s = (cuda_slot *)slot;
    if (!s)
        return;
    cudaSetDevice(s->device);
    if (s->done)
        cudaEventSynchronize(s->done);
    cudaFree(s->staging);
    cudaFreeHost(s->memory);
    if (s->taken)
        cudaEventDestroy(s->taken);
    if (s->done)
        cudaEventDestroy(s->done);
    delete s;
}

static cuda_slot *new_slot(cuda_backend *c, size_t bytes)
{
    cuda_slot *s = new cuda_slot();
    s->host = c->host;
    s->room = bytes ? bytes : 1;
    s->device = c->device;
    if (cudaMalloc(&s->staging, s->room) == cudaSuccess &&
        cudaMallocHost(&s->memory, s->room) == cudaSuccess &&
        cudaEventCreateWithFlags(&s->taken, cudaEventDisableTiming) == cudaSuccess &&
        cudaEventCreateWithFlags(&s->done, cudaEventDisableTiming) == cudaSuccess)
        return s;
    no_memory(c, bytes);
    cuda_forget(s);
    return NULL;
}

static tl_status cuda_capture(tl_backend *backend, size_t count, const void *const *from,
                              const size_t *bytes, void **slot)
{
    cuda_backend *c = current(backend);
    cuda_slot *s = (cuda_slot *)*slot;
    size_t all = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        all += bytes[i];
    if (!s || s->room < all) {
        s = new_slot(c, all);
        if (!s)
            return TL_NO_MEMORY;
        cuda_forget(*slot);
        *slot = s;
    }
    note(c, cudaStreamWaitEvent(c->stream, s->done, 0)); /* the last copy has left the staging */
    for (size_t i = 0; i < count; at += bytes[i++])
        cuda_copy(backend, (char *)s->staging + at, from[i], bytes[i]);
    note(c, cudaEventRecord(s->taken, c->stream));
    note(c, cudaStreamWaitEvent(c->copies, s->taken, 0));
    note(c, cudaMemcpyAsync(s->memory, s->staging, all, cudaMemcpyDeviceToHost, c->copies));
    note(c, cudaEventRecord(s->done, c->copies));
    return report(c);
}

static const void *cuda_captured(void *slot)
{
    cuda_slot *s = (cuda_slot *)slot;
    cudaSetDevice(s->device); /* the thread may be new to CUDA */
    const cudaError_t e = cudaEventSynchronize(s->done);
    if (e == cudaSuccess)
        return s->memory;
    char text[256];
    snprintf(text, sizeof text, "a copy from the GPU failed: %s", cudaGetErrorString(e));
    s->host->fail(TL_NO_BACKEND, text);
    return NULL;
}

static const tl_backend_ops cuda_ops = {
    cuda_destroy, cuda_allocate, cuda_release, cuda_upload,   cuda_download, cuda_copy,
    cuda_fill,    cuda_run,      cuda_fold,    cuda_colour,   cuda_sort,     cuda_scan,
    cuda_wait,    NULL,          cuda_capture, cuda_captured, cuda_forget};

static tl_status cuda_open(const tl_plugin_host *host, tl_precision precision, uint32_t device,
                           tl_backend **backend)
{
    int devices = 0;
    cudaDeviceProp properties;
    cudaError_t e = cudaGetDeviceCount(&devices);
    const int number = e == cudaSuccess && devices > 0 ? (int)(device % (uint32_t)devices) : 0;
    if (e == cudaSuccess && devices > 0)
        e = cudaGetDeviceProperties(&properties, number);
    if (e == cudaSuccess && devices > 0)
        e = cudaSetDevice(number);
    if (e != cudaSuccess || devices == 0) {
        char text[256];
        snprintf(text, sizeof text, "the cuda backend found no GPU that answers: %s",
                 e != cudaSuccess ? cudaGetErrorString(e) : "there is none");
        return host->fail(TL_NO_BACKEND, text);
    }
    cuda_backend *c = new cuda_backend();
    c->base.ops = &cuda_ops;
    c->base.precision = precision;
    c->base.real = precision == TL_DOUBLE ? sizeof(double) : sizeof(float);
    snprintf(c->base.name, sizeof c->base.name, "cuda (%.48s)", properties.name);
    c->host = host;
    c->device = number;
    c->base.flow = precision == TL_MIXED;
    c->base.crowd = 1.2;
    c->kernels = precision == TL_DOUBLE ? &tl_cuda_double : &tl_cuda_mixed;
    note(c, cudaStreamCreate(&c->stream));
    note(c, cudaStreamCreate(&c->copies));
    note(c, cudaMallocHost((void **)&c->total, sizeof *c->total));
    const tl_status status = report(c);
    if (status != TL_OK) {
        cuda_destroy(&c->base);
        return status;
    }
    *backend = &c->base;
    return TL_OK;
}

static const tl_plugin plugin = {
    TL_PLUGIN_VERSION, TL_VERSION_STRING,  sizeof(tlk_find), sizeof(tlk_problem),
    sizeof(tlk_build), sizeof(tlk_motion), cuda_open};

extern "C" TL_API const tl_plugin *tl_plugin_entry(void)
{
    return &plugin;
}
