/* The functions of NVML that roofswap calls, for the GPU of libcuda.c. Signatures after the NVML API Reference Guide. */
#include <stdio.h>
#include <string.h>

typedef int nvmlReturn_t;
#define HANDLE ((void *)0x77)

nvmlReturn_t nvmlInit_v2(void) { return 0; }
nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length) {
    return snprintf(version, length, "570.86.15"), length >= 80 ? 0 : 7;
}
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
    return *device = HANDLE, strncmp(uuid, "GPU-000d1a27-", 13) ? 6 : 0;
}
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *limit) { return *limit = 200123, device != HANDLE; }
nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *limit) { return *limit = 215000, device != HANDLE; }
nvmlReturn_t nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending) {
    return *current = 0, *pending = 1, device != HANDLE;
}
nvmlReturn_t nvmlDeviceGetClockInfo(void *device, int type, unsigned *clock) {
    return *clock = type == 1 ? 2505 : type == 2 ? 10251 : 1, device != HANDLE;
}
nvmlReturn_t nvmlDeviceGetPowerUsage(void *device, unsigned *power) { return *power = 123456, device != HANDLE; }
nvmlReturn_t nvmlDeviceGetTemperature(void *device, int sensor, unsigned *temperature) {
    return *temperature = 61, device == HANDLE && sensor == 0 ? 0 : 1;
}
nvmlReturn_t nvmlDeviceGetUtilizationRates(void *device, unsigned *rates) {
    return rates[0] = 97, rates[1] = 33, device != HANDLE;
}
