/* The CUDA backend: the table of functions of backend.h on one GPU, as a plugin.
 *
 * Everything runs on one stream. A thread has one current GPU and may drive several backends, so
 * each function first makes its own GPU the current one, which costs next to nothing where it is
 * that already. Functions that return nothing keep the first error of the device;
 * the next one that can fail reports it. */
#include "backend/cuda/cuda.h"

#include <stdio.h>
#include <string.h>

#define BOUNCE     4096u              /* bytes up to which downloads go through pinned memory */
#define GRAPH_FROM 4u                 /* repeats of a list that pay for making a graph of it */
#define MOST_SLACK ((size_t)64 << 20) /* bytes that scratch memory is larger than was needed */

typedef struct cuda_backend {
    tl_backend base;
    const tl_plugin_host *host;
    const tl_cuda_kernels *kernels;
    int device;
    cudaStream_t stream;
    cudaError_t error; /* the first one, kept */
    void *temp;        /* CUB's, and the table of ranks */
    size_t temp_bytes;
    void *sort; /* the other half of a sort */
    size_t sort_bytes;
    void *parts; /* of folds */
    size_t parts_bytes;
    double *numbers;          /* folds' results, TLK_FOLD_NUMBERS each, pinned on the host */
    void *bounce;             /* pinned likewise */
    uint32_t *total, *starts; /* of a scan, and of ranks; pinned */
    cudaGraphExec_t graph;    /* of the last list that was repeated; the next is often like it */
    cudaStream_t copies;      /* captures leave the device here, beside the computing */
    cudaStream_t aside;       /* the first of several folds runs here, beside the others */
    cudaEvent_t fork, join;
    tl_cuda_blocks blocks;
} cuda_backend;

/* A captured copy: on the device at once, on the host when `done` has happened. */
typedef struct cuda_slot {
    const tl_plugin_host *host;
    int device;
    void *staging, *memory; /* on the device; on the host, pinned */
    size_t room;
    cudaEvent_t taken, done;
} cuda_slot;

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
    const cudaError_t e = cudaGetLastError(); /* running out of memory is no lasting error */
    if (e != cudaErrorMemoryAllocation) {     /* but a GPU that has stopped gives none, either */
        note(c, e);
        if (c->error != cudaSuccess)
            return report(c);
    }
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
    cudaFree(c->parts);
    cudaFreeHost(c->numbers);
    cudaFreeHost(c->bounce);
    cudaFreeHost(c->total);
    cudaFreeHost(c->starts);
    if (c->graph)
        cudaGraphExecDestroy(c->graph);
    cudaStreamSynchronize(c->copies);
    cudaStreamDestroy(c->copies);
    cudaStreamDestroy(c->aside);
    cudaEventDestroy(c->fork);
    cudaEventDestroy(c->join);
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

static tl_status cuda_download(tl_backend *backend, void *host, const void *device, size_t bytes)
{
    cuda_backend *c = current(backend);
    if (!bytes)
        return TL_OK;
    const bool few = bytes <= BOUNCE;
    note(c,
         cudaMemcpyAsync(few ? c->bounce : host, device, bytes, cudaMemcpyDeviceToHost, c->stream));
    note(c, cudaStreamSynchronize(c->stream));
    if (few)
        memcpy(host, c->bounce, bytes);
    return report(c);
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

/* How many launches at the start of a list are the sweeps of one problem, or what comes before
 * them. */
static size_t leading_sweeps(const tl_launch *launches, size_t count)
{
    size_t n = 0;
    while (n < count && n < 2 * TLK_COLOURS &&
           (launches[n].kernel == TLK_psor_sweep || launches[n].kernel == TLK_psor_start) &&
           launches[n].kernel == launches[0].kernel && launches[n].args == launches[0].args)
        n++;
    return n;
}

/* Whether launches begin with those of momentum, of a problem that has contacts. */
static bool is_momentum(const tl_launch *l, size_t count)
{
    return count >= TL_CUDA_MOMENTUM && l[0].kernel == TLK_FOLD &&
           ((const tl_folding *)l[0].args)->fold == TLK_FOLD_momentum_turn && l[0].end &&
           l[1].kernel == TLK_momentum_decide && l[2].kernel == TLK_momentum_rows;
}

/* From here on `aside` may run beside the stream; and from here on no more. */
static void begin_aside(cuda_backend *c)
{
    note(c, cudaEventRecord(c->fork, c->stream));
    note(c, cudaStreamWaitEvent(c->aside, c->fork, 0));
}

static void end_aside(cuda_backend *c)
{
    note(c, cudaEventRecord(c->join, c->aside));
    note(c, cudaStreamWaitEvent(c->stream, c->join, 0));
}

/* A list of launches, once. */
static void launch(cuda_backend *c, const tl_launch *launches, size_t count)
{
    for (const tl_launch *l = launches, *end = launches + count; l < end; l++) {
        const tl_folding *f = (const tl_folding *)l->args;
        const size_t left = (size_t)(end - l), sweeps = leading_sweeps(l, left);
        if (sweeps) {
            note(c, c->kernels->sweeps(l, sweeps, 1, &c->blocks, c->stream));
            l += sweeps - 1;
        } else if (is_momentum(l, left)) {
            c->kernels->momentum(l, c->stream);
            l += TL_CUDA_MOMENTUM - 1;
        } else if (l->kernel == TLK_FOLD) {
            double *parts = f->numbers + TLK_FOLD_NUMBERS;
            c->kernels->fold[f->fold](f->args, f->count, parts, c->stream);
            c->kernels->fold_rest(f, 1, &parts, &f->numbers, c->stream);
        } else if (l->end > l->begin)
            c->kernels->map[l->kernel](l->args, l->begin, l->end, l->serial, c->stream);
    }
    note(c, cudaPeekAtLastError());
}

/* Makes c->graph that of a list, by changing the arguments of the last one where its launches are
 * the same, as a solver's are from step to step. */
static cudaError_t make_graph(cuda_backend *c, const tl_launch *launches, size_t count)
{
    cudaGraph_t graph = NULL;
    cudaGraphExecUpdateResultInfo result;
    /* of this thread: others may allocate meanwhile */
    cudaError_t e = cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess)
        return e;
    launch(c, launches, count);
    e = cudaStreamEndCapture(c->stream, &graph);
    if (e != cudaSuccess)
        return e;
    if (c->graph && cudaGraphExecUpdate(c->graph, graph, &result) != cudaSuccess) {
        cudaGetLastError(); /* that it is another list is no error */
        cudaGraphExecDestroy(c->graph);
        c->graph = NULL;
    }
    if (!c->graph)
        e = cudaGraphInstantiateWithFlags(&c->graph, graph, 0);
    cudaGraphDestroy(graph);
    return e;
}

/* The first round is launched as it is, so that all kernels are loaded before a graph is made. */
static void cuda_run(tl_backend *backend, const tl_launch *launches, size_t count, uint32_t repeat)
{
    cuda_backend *c = current(backend);
    const size_t sweeps = leading_sweeps(launches, count);
    cudaError_t e = cudaSuccess;
    if (sweeps && sweeps == count) {
        note(c, c->kernels->sweeps(launches, count, repeat, &c->blocks, c->stream));
        return;
    }
    for (uint32_t r = 0; r < repeat && sweeps; r++) { /* something is done between sweeps */
        note(c, c->kernels->sweeps(launches, sweeps, 1, &c->blocks, c->stream));
        launch(c, launches + sweeps, count - sweeps);
    }
    if (sweeps)
        return;
    for (uint32_t r = 0; r < repeat && e == cudaSuccess; r++)
        if (r == 0 || repeat < GRAPH_FROM) {
            launch(c, launches, count);
        } else {
            e = r == 1 ? make_graph(c, launches, count) : cudaSuccess;
            if (e == cudaSuccess)
                e = cudaGraphLaunch(c->graph, c->stream);
        }
    note(c, e);
}

/* All chunks, those of the first fold beside the others', and then the rest of all at once. */
static tl_status cuda_fold(tl_backend *backend, const tl_folding *list, size_t count)
{
    cuda_backend *c = current(backend);
    double *parts[TL_CUDA_FOLDS], *results[TL_CUDA_FOLDS];
    size_t room = 0;
    if (count > TL_CUDA_FOLDS)
        return c->host->fail(TL_TOO_LARGE, "too many folds at once");
    for (size_t i = 0; i < count; i++)
        room += tl_fold_room(list[i].count);
    if (!need(c, &c->parts, &c->parts_bytes, room))
        return TL_NO_MEMORY;
    char *at = (char *)c->parts;
    if (count > 1)
        begin_aside(c);
    for (size_t i = 0; i < count; at += tl_fold_room(list[i++].count)) {
        parts[i] = (double *)at;
        results[i] = c->numbers + i * TLK_FOLD_NUMBERS;
        c->kernels->fold[list[i].fold](list[i].args, list[i].count, parts[i],
                                       count > 1 && i == 0 ? c->aside : c->stream);
    }
    if (count > 1)
        end_aside(c);
    if (count)
        c->kernels->fold_rest(list, count, parts, results, c->stream);
    note(c, cudaStreamSynchronize(c->stream));
    for (size_t i = 0; i < count; i++)
        memcpy(list[i].numbers, results[i], TLK_FOLD_NUMBERS * sizeof(double));
    return report(c);
}

static tl_status cuda_colour(tl_backend *backend, const tlk_colour *args, uint32_t contacts)
{
    cuda_backend *c = current(backend);
    if (contacts)
        note(c, c->kernels->colour(args, contacts, &c->blocks, c->stream));
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

static tl_status cuda_rank(tl_backend *backend, const uint32_t *keys, uint32_t count,
                           uint32_t *places, uint32_t *starts, const uint32_t *word, uint32_t *seen)
{
    cuda_backend *c = current(backend);
    memset(starts, 0, (TLK_RANK_KEYS + 1) * sizeof *starts);
    if (seen)
        *seen = 0;
    if (!count)
        return TL_OK;
    const cudaError_t e =
        tl_cuda_rank(keys, count, places, c->starts, word, need_temp, c, c->stream);
    if (e == cudaErrorMemoryAllocation)
        return TL_NO_MEMORY;
    note(c, e);
    memcpy(starts, c->starts, TLK_RANK_KEYS * sizeof *starts);
    starts[TLK_RANK_KEYS] = count;
    if (word)
        *seen = c->starts[TLK_RANK_KEYS];
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
    cuda_destroy, cuda_allocate, cuda_release, cuda_upload,  cuda_download, cuda_copy,
    cuda_fill,    cuda_run,      cuda_fold,    cuda_colour,  cuda_sort,     cuda_rank,
    cuda_scan,    cuda_wait,     NULL,         cuda_capture, cuda_captured, cuda_forget};

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
    c->base.whole = true;
    c->base.crowd = 1.2;
    c->base.apart = true;
    c->base.entry = TLK_ENTRY_GPU * sizeof(uint32_t);
    c->kernels = precision == TL_DOUBLE ? &tl_cuda_double : &tl_cuda_mixed;
    note(c, cudaStreamCreate(&c->stream));
    note(c, cudaStreamCreate(&c->copies));
    note(c, cudaStreamCreate(&c->aside));
    note(c, cudaEventCreateWithFlags(&c->fork, cudaEventDisableTiming));
    note(c, cudaEventCreateWithFlags(&c->join, cudaEventDisableTiming));
    note(c, cudaMallocHost((void **)&c->total, sizeof *c->total));
    note(c, cudaMallocHost((void **)&c->starts, (TLK_RANK_KEYS + 1) * sizeof *c->starts));
    note(c,
         cudaMallocHost((void **)&c->numbers, TL_CUDA_FOLDS * TLK_FOLD_NUMBERS * sizeof(double)));
    note(c, cudaMallocHost(&c->bounce, BOUNCE));
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
