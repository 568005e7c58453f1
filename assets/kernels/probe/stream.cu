// Streams through DRAM, 16 bytes a thread and step, any grid: McCalpin's copy and triad, and a read alone.
// Bytes per launch: copy 32 n, triad 48 n, read 16 n, where n counts float4. The buffers are far larger than L2.

extern "C" __global__ void probe_copy(const float4 *__restrict__ a, float4 *__restrict__ b, unsigned int n)
{
    const unsigned int step = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        b[i] = a[i];
    }
}

extern "C" __global__ void probe_triad(const float4 *__restrict__ a, const float4 *__restrict__ b,
                                       float4 *__restrict__ c, float scale, unsigned int n)
{
    const unsigned int step = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const float4 x = a[i];
        const float4 y = b[i];
        c[i] = make_float4(fmaf(scale, y.x, x.x), fmaf(scale, y.y, x.y), fmaf(scale, y.z, x.z), fmaf(scale, y.w, x.w));
    }
}

// The sum is written only if it is a number that it cannot be, which the compiler does not know.
extern "C" __global__ void probe_read(const float4 *__restrict__ a, float *__restrict__ sink, unsigned int n)
{
    const unsigned int step = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const float4 x = a[i];
        sum += (x.x + x.y) + (x.z + x.w);
    }
    if (sum == -1.0f) {
        sink[0] = sum;
    }
}
