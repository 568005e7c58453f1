// Reads of a working set again and again, 16 bytes a thread and step; n counts float4 and is a power of two.
// Bytes per launch: 16 x threads of the grid x 4 x rounds.

// Past L1 (ld.global.cg): all threads of the grid share one working set, which L2 holds or does not.
extern "C" __global__ void probe_read_l2(const float4 *__restrict__ a, float *__restrict__ sink, unsigned int n,
                                         unsigned int rounds)
{
    const unsigned int step = gridDim.x * blockDim.x + 256u; // not a divisor of n, or a thread would stay where it is
    unsigned int i = (blockIdx.x * blockDim.x + threadIdx.x) & (n - 1u);
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float4 x = __ldcg(a + i);
            sum.x += x.x;
            sum.y += x.y;
            sum.z += x.z;
            sum.w += x.w;
            i = (i + step) & (n - 1u);
        }
    }
    if (sum.x + sum.y + sum.z + sum.w == -1.0f) {
        sink[0] = sum.x;
    }
}

// Through L1 (ld.global.ca): every block reads one small working set from its first element on.
extern "C" __global__ void probe_read_l1(const float4 *__restrict__ a, float *__restrict__ sink, unsigned int n,
                                         unsigned int rounds)
{
    unsigned int i = threadIdx.x & (n - 1u);
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float4 x = __ldca(a + i);
            sum.x += x.x;
            sum.y += x.y;
            sum.z += x.z;
            sum.w += x.w;
            i = (i + blockDim.x) & (n - 1u);
        }
    }
    if (sum.x + sum.y + sum.z + sum.w == -1.0f) {
        sink[0] = sum.x;
    }
}
