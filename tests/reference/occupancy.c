/* Asks NVIDIA's cuda_occupancy.h for answers; the header is found or downloaded by occupancy.rs and never kept here.
 *
 * occupancy answer          records of nine int32 on stdin, answers of ten int32 on stdout
 * occupancy suggest         the same records, answers of two int32: suggested threads per block, and how many such blocks fill an SM
 * occupancy time FILE N     reckons all records of FILE N times, prints seconds of the fastest pass
 *
 * A record: compute capability x 10, threads, registers, static, dynamic shared memory, carveout, barriers, caching, 0.
 * An answer: active, flags, limits by warps, registers, shared memory, blocks, barriers, allocated registers, allocated
 * shared memory, caching in effect; -1 for INT_MAX. A record the reference refuses: active = -2.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_occupancy.h"

enum { ASKED = 9, ANSWERED = 10, KIB = 1024 };

/* What cudaGetDeviceProperties says of a GPU of each compute capability: CUDA C++ Programming Guide, "Compute
 * Capabilities". Threads and shared memory per SM, opt-in and reserve in KiB, registers per block and per SM in Ki (0: 64). */
static const struct { int cc, threads, smem, optin, reserved, block_regs, regs; } DEVICES[] = {
    {35, 2048, 48, 48, 0, 64},    {37, 2048, 112, 48, 0, 64, 128},
    {50, 2048, 64, 48, 0, 64},    {52, 2048, 96, 48, 0, 64},    {53, 2048, 64, 48, 0, 32},
    {60, 2048, 64, 48, 0, 64},    {61, 2048, 96, 48, 0, 64},    {62, 2048, 64, 48, 0, 32},
    {70, 2048, 96, 96, 0, 64},    {72, 2048, 96, 96, 0, 64},    {75, 1024, 64, 64, 0, 64},
    {80, 2048, 164, 163, 1, 64},  {86, 1536, 100, 99, 1, 64},   {87, 1536, 164, 163, 1, 64},
    {89, 1536, 100, 99, 1, 64},   {90, 2048, 228, 227, 1, 64},  {100, 2048, 228, 227, 1, 64},
    {101, 1536, 228, 227, 1, 64}, {103, 2048, 228, 227, 1, 64}, {120, 1536, 100, 99, 1, 64},
    {121, 1536, 100, 99, 1, 64},
};
enum { COUNT = sizeof DEVICES / sizeof *DEVICES };

static struct cudaOccDeviceProp props[COUNT];

static void describe_devices(void) {
    for (int i = 0; i < COUNT; i++) {
        struct cudaOccDeviceProp *p = &props[i];
        p->computeMajor = DEVICES[i].cc / 10;
        p->computeMinor = DEVICES[i].cc % 10;
        p->maxThreadsPerBlock = 1024;
        p->maxThreadsPerMultiprocessor = DEVICES[i].threads;
        p->regsPerBlock = DEVICES[i].block_regs * KIB;
        p->regsPerMultiprocessor = (DEVICES[i].regs ? DEVICES[i].regs : 64) * KIB;
        p->warpSize = 32;
        p->sharedMemPerBlock = 48 * KIB;
        p->sharedMemPerMultiprocessor = (size_t)DEVICES[i].smem * KIB;
        p->numSms = 1;
        p->sharedMemPerBlockOptin = (size_t)DEVICES[i].optin * KIB;
        p->reservedSharedMemPerBlock = (size_t)DEVICES[i].reserved * KIB;
    }
}

struct call {
    const struct cudaOccDeviceProp *device;
    struct cudaOccFuncAttributes kernel;
    struct cudaOccDeviceState state;
    int threads;
    size_t dynamic;
};

static int prepare(const int32_t *asked, struct call *call) {
    memset(call, 0, sizeof *call);
    for (int i = 0; i < COUNT; i++)
        if (DEVICES[i].cc == asked[0]) call->device = &props[i];
    if (!call->device) return 0;
    call->threads = asked[1];
    call->kernel.maxThreadsPerBlock = INT_MAX;
    call->kernel.numRegs = asked[2];
    call->kernel.sharedSizeBytes = (size_t)asked[3];
    call->dynamic = (size_t)asked[4];
    call->kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    call->kernel.maxDynamicSharedSizeBytes = (size_t)asked[4];
    call->state.carveoutConfig = asked[5];
    call->kernel.numBlockBarriers = asked[6];
    call->kernel.partitionedGCConfig = (cudaOccPartitionedGCConfig)asked[7];
    return 1;
}

static int32_t limit(int n) { return n == INT_MAX ? -1 : n; }

static int answer(void) {
    int32_t asked[ASKED], out[ANSWERED];
    while (fread(asked, sizeof asked, 1, stdin) == 1) {
        struct call c;
        cudaOccResult r;
        memset(out, 0, sizeof out);
        memset(&r, 0, sizeof r);
        if (!prepare(asked, &c) || cudaOccMaxActiveBlocksPerMultiprocessor(&r, c.device, &c.kernel, &c.state, c.threads,
                                                                           c.dynamic) != CUDA_OCC_SUCCESS) {
            out[0] = -2;
        } else {
            int32_t said[ANSWERED] = {r.activeBlocksPerMultiprocessor, (int32_t)r.limitingFactors,
                                      limit(r.blockLimitWarps), limit(r.blockLimitRegs), limit(r.blockLimitSharedMem),
                                      limit(r.blockLimitBlocks), limit(r.blockLimitBarriers),
                                      r.allocatedRegistersPerBlock, (int32_t)r.allocatedSharedMemPerBlock,
                                      (int32_t)r.partitionedGCConfig};
            memcpy(out, said, sizeof out);
        }
        fwrite(out, sizeof out, 1, stdout);
    }
    return 0;
}

static int suggest(void) {
    int32_t asked[ASKED];
    while (fread(asked, sizeof asked, 1, stdin) == 1) {
        struct call c;
        int32_t out[2] = {-2, -2};
        int grid = 0, block = 0;
        if (prepare(asked, &c) && cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, c.device, &c.kernel, &c.state, NULL,
                                                                        c.dynamic) == CUDA_OCC_SUCCESS) {
            out[0] = block;
            out[1] = grid; /* of one SM: numSms is 1 */
        }
        fwrite(out, sizeof out, 1, stdout);
    }
    return 0;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int measure(const char *path, int passes) {
    FILE *file = fopen(path, "rb");
    if (!file) return 1;
    fseek(file, 0, SEEK_END);
    size_t n = (size_t)ftell(file) / sizeof(int32_t[ASKED]);
    rewind(file);
    struct call *calls = malloc(n * sizeof *calls);
    if (!calls) return 1;
    for (size_t i = 0; i < n; i++) {
        int32_t asked[ASKED];
        if (fread(asked, sizeof asked, 1, file) != 1 || !prepare(asked, &calls[i])) return 1;
    }
    fclose(file);
    double best = 1e9;
    volatile long kept = 0;
    for (int pass = 0; pass < passes; pass++) {
        long sum = 0;
        double start = now();
        for (size_t i = 0; i < n; i++) {
            const struct call *c = &calls[i];
            cudaOccResult r;
            cudaOccMaxActiveBlocksPerMultiprocessor(&r, c->device, &c->kernel, &c->state, c->threads, c->dynamic);
            sum += r.activeBlocksPerMultiprocessor + (long)r.limitingFactors + r.blockLimitRegs + r.blockLimitSharedMem +
                   r.blockLimitWarps + r.allocatedRegistersPerBlock + (long)r.allocatedSharedMemPerBlock;
        }
        double took = now() - start;
        if (took < best) best = took;
        kept = sum;
    }
    (void)kept;
    printf("%.9f\n", best);
    return 0;
}

int main(int argc, char **argv) {
    describe_devices();
    if (argc == 2 && !strcmp(argv[1], "answer")) return answer();
    if (argc == 2 && !strcmp(argv[1], "suggest")) return suggest();
    if (argc == 4 && !strcmp(argv[1], "time")) return measure(argv[2], atoi(argv[3]));
    fprintf(stderr, "usage: %s answer | suggest | time FILE PASSES\n", argv[0]);
    return 2;
}
