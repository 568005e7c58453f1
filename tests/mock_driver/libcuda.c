/* The functions of the CUDA driver that roofswap calls, for a GPU that does not exist: memory is the host's, kernels do
 * nothing, every launch takes 20 ms. Signatures after the CUDA Driver API 12.9. With MOCK_LOG=<file>, what must be given
 * back is written there: +alloc -alloc +module -module +context -context +event -event +stream -stream.
 * MOCK_FAIL=launch makes launches fail as on a wrong address, MOCK_FAIL=memory gives no memory. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;

static int fails(const char *what) {
    const char *asked = getenv("MOCK_FAIL");
    return asked && !strcmp(asked, what);
}
static void note(const char *what) {
    const char *path = getenv("MOCK_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (log) {
        fprintf(log, "%s\n", what);
        fclose(log);
    }
}

CUresult cuInit(unsigned flags) { return flags ? 1 : 0; }
CUresult cuDriverGetVersion(int *version) { return *version = 12090, 0; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) { return *device = ordinal, ordinal ? 101 : 0; }
CUresult cuDeviceGetCount(int *count) { return *count = 1, 0; }
CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
    return snprintf(name, length, "NVIDIA GeForce RTX 4070"), device;
}
CUresult cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device) {
    for (int i = 0; i < 16; i++) uuid[i] = 13 * i;
    return device;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    static const int known[][2] = {{1, 1024}, {8, 49152}, {12, 65536}, {13, 2475000}, {16, 46}, {20, 0}, {36, 10501000},
        {37, 192}, {38, 37748736}, {39, 1536}, {75, 8}, {76, 9}, {81, 102400}, {82, 65536}, {97, 101376}, {106, 24}, {111, 1024}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i][0] == attribute) return *value = known[i][1], device;
    return 1;
}
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) { return *bytes = (size_t)12 << 30, device; }
CUresult cuDevicePrimaryCtxRetain(void **context, CUdevice device) { return note("+context"), *context = (void *)0x1000, device; }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) { return note("-context"), device; }
CUresult cuCtxSetCurrent(void *context) { return context == (void *)0x1000 ? 0 : 201; }
CUresult cuCtxSynchronize(void) { return 0; }
CUresult cuMemGetInfo_v2(size_t *free, size_t *total) { return *free = (size_t)8 << 30, *total = (size_t)12 << 30, 0; }
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    if (fails("memory")) return 2;
    note("+alloc");
    return *address = (CUdeviceptr)(uintptr_t)calloc(1, bytes), 0;
}
CUresult cuMemFree_v2(CUdeviceptr address) { return note("-alloc"), free((void *)(uintptr_t)address), 0; }
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) { return memcpy((void *)(uintptr_t)to, from, bytes), 0; }
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) { return memcpy(to, (void *)(uintptr_t)from, bytes), 0; }
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes), 0;
}
CUresult cuModuleLoadData(void **module, const void *image) { return note("+module"), *module = (void *)image, 0; }
CUresult cuModuleUnload(void *module) { return note("-module"), module ? 0 : 1; }
CUresult cuModuleGetFunction(void **function, void *module, const char *name) {
    return *function = (void *)0x3000, module && *name ? 0 : 500;
}
CUresult cuFuncGetAttribute(int *value, int attribute, void *function) {
    return *value = attribute == 4 ? 32 : attribute == 0 ? 1024 : 0, function == (void *)0x3000 ? 0 : 1;
}
CUresult cuFuncSetAttribute(void *function, int attribute, int value) { return function && attribute == 8 && value > 0 ? 0 : 1; }
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t smem) {
    return *blocks = threads ? 1536 / threads : 0, function && smem < 102400 ? 0 : 1;
}
CUresult cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned smem, void *stream, void **parameters, void **extra) {
    if (fails("launch")) return 700;
    int sound = function == (void *)0x3000 && gx && gy && gz && bx * by * bz <= 1024 && smem <= 101376 &&
                stream == (void *)0x5000 && !extra;
    return (void)parameters, sound ? 0 : 1;
}
CUresult cuEventCreate(void **event, unsigned flags) {
    static uintptr_t next = 0x4000;
    return note("+event"), *event = (void *)next++, flags ? 1 : 0;
}
CUresult cuEventRecord(void *event, void *stream) { return event && stream == (void *)0x5000 ? 0 : 1; }
CUresult cuEventQuery(void *event) {
    static int asked;
    return !event ? 1 : asked++ % 3 ? 0 : 600;
}
CUresult cuEventSynchronize(void *event) { return event ? 0 : 1; }
CUresult cuEventElapsedTime(float *milliseconds, void *start, void *end) { return *milliseconds = 20, start < end ? 0 : 1; }
CUresult cuEventDestroy_v2(void *event) { return note("-event"), event ? 0 : 1; }
CUresult cuStreamCreate(void **stream, unsigned flags) { return note("+stream"), *stream = (void *)0x5000, flags == 1 ? 0 : 1; }
CUresult cuStreamDestroy_v2(void *stream) { return note("-stream"), stream ? 0 : 1; }
CUresult cuStreamSynchronize(void *stream) { return stream ? 0 : 1; }
CUresult cuGetErrorName(CUresult error, const char **text) {
    return *text = error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER", 0;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
    return *text = error == 700 ? "an illegal memory access was encountered" : "something else", 0;
}
