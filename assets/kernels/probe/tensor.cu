// Dense products on the tensor cores through mma.sync, fp16 in, fp32 accumulated, eight independent accumulators a warp,
// operands in registers. From 7.0 on; the shape is the largest of the architecture.
// FLOPs per launch: warps of the grid x rounds x 8 x F, F = 4,096 (m16n8k16, from 8.0 on), 2,048 (m16n8k8 on 7.5; four
// m8n8k4 at once on 7.0 and 7.2). Hopper and data-centre Blackwell reach their full rate through wgmma and tcgen05 only: there this
// is what mma.sync gives, and less.
#if __CUDA_ARCH__ >= 700
extern "C" __global__ void probe_tensor(float *__restrict__ sink, unsigned int a, unsigned int rounds)
{
#if __CUDA_ARCH__ >= 750
    float c[8][4];
#else
    float c[8][8];
#endif
#pragma unroll
    for (int k = 0; k < 8; ++k) {
#pragma unroll
        for (int j = 0; j < (int)(sizeof(c[0]) / sizeof(float)); ++j) {
            c[k][j] = 0.0f;
        }
    }
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
#if __CUDA_ARCH__ >= 800
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                         : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
                         : "r"(a));
#elif __CUDA_ARCH__ >= 750
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};"
                         : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
                         : "r"(a));
#else
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%8}, {%8,%8}, "
                         "{%0,%1,%2,%3,%4,%5,%6,%7};"
                         : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3]), "+f"(c[k][4]), "+f"(c[k][5]),
                           "+f"(c[k][6]), "+f"(c[k][7])
                         : "r"(a));
#endif
        }
    }
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
#pragma unroll
        for (int j = 0; j < (int)(sizeof(c[0]) / sizeof(float)); ++j) {
            sum += c[k][j];
        }
    }
    if (sum == -1.0f) {
        sink[0] = sum;
    }
}
#endif
