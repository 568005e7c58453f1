// Reads of shared memory, 16 bytes a thread and step, neighbours beside each other: no bank conflict.
// Bytes per launch: 16 x threads of the grid x 4 x rounds. Static: 1,024 float4, 16 KiB.
extern "C" __global__ void probe_shared(float *__restrict__ sink, unsigned int rounds)
{
    __shared__ float4 words[1024];
    for (unsigned int i = threadIdx.x; i < 1024u; i += blockDim.x) {
        words[i] = make_float4(1.0f, 0.5f, 0.25f, 0.125f);
    }
    __syncthreads();
    unsigned int i = threadIdx.x & 1023u;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float4 x = words[i];
            sum.x += x.x;
            sum.y += x.y;
            sum.z += x.z;
            sum.w += x.w;
            i = (i + blockDim.x) & 1023u;
        }
    }
    if (sum.x + sum.y + sum.z + sum.w == -1.0f) {
        sink[0] = sum.x;
    }
}
