/* The search of the CUDA backend, compiled for the host (emulate.h), for one precision. Called by
 * test_emulated.c. */
#include "emulate.h"

#include "kernels/find.h"

#include "backend/cuda/find.cuh"

#if defined(TLK_PRECISION_double)
#define NAME emulated_double
#else
#define NAME emulated_mixed
#endif

/* The stages that the backend has a layout of its own for, in their order. */
extern "C" void NAME(uint32_t stage, const void *args, uint32_t count)
{
    static void (*const stages[])(const void *, uint32_t, uint32_t, bool, cudaStream_t) = {
        tuned_bounds, tuned_bin_fill, tuned_contact_count, tuned_contact_write};
    stages[stage](args, 0, count, false, 0);
}
