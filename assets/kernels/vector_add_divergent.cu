// vector_add_divergent: c[i] = a[i] + b[i] for odd i; for even i a chain of 128 dependent fused multiply-adds on a[i]
// comes first and is added: x = a[i]; 128 times x = 0.5 x + 0.25; c[i] = (a[i] + b[i]) + x. Neighbouring threads part,
// so every warp runs both sides with half its lanes.
//
// Launch: block 256, grid ceil(n/256), no dynamic shared memory.
// Arguments: a, b (n floats each, read), c (n floats, written), n >= 1. Sizes: paper 1, Table 2 (1D).
// 258 FLOPs for even i (128 fused multiply-adds, 2 adds), 1 for odd i: 129.5 on average.
// Described in paper 1, section 5 ("Benchmark Kernels", special cases).
// Differs from the study: the constants are ours. x runs towards 0.5, so nothing overflows or becomes subnormal; each
// step is exactly fmaf(x, 0.5, 0.25), so a CPU can follow it bit by bit.
// The chain stays a loop of four instructions a step, as the study's times say of its build (specs/kernels); unrolled, a warp
// issues 156 instructions instead of about 540, and an H200 is three to four times as fast.

extern "C" __global__ void vector_add_divergent(const float *__restrict__ a, const float *__restrict__ b,
                                                float *__restrict__ c, unsigned int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    if (i % 2u == 0u) {
        float x = a[i];
#pragma unroll 1
        for (int step = 0; step < 128; ++step) {
            x = fmaf(x, 0.5f, 0.25f);
        }
        c[i] = (a[i] + b[i]) + x;
    } else {
        c[i] = a[i] + b[i];
    }
}
