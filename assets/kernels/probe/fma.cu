// Fused multiply-adds in eight independent chains per thread, from registers alone. x runs towards b / (1 - a): with
// a = 0.5 and b = 0.25 it is 0.5, so nothing overflows or becomes subnormal.
// FLOPs per launch: threads of the grid x rounds x 8 chains x 16 x 2 (fp16: x 2 again, two numbers in one register).

template <typename T>
__device__ void chains(T *sink, T a, T b, unsigned int rounds)
{
    T x[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        x[k] = (T)(threadIdx.x + k) * (T)0.001;
    }
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int step = 0; step < 16; ++step) {
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                x[k] = x[k] * a + b;
            }
        }
    }
    T sum = (T)0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        sum += x[k];
    }
    if (sum == (T)-1) {
        sink[0] = sum;
    }
}

extern "C" __global__ void probe_fp32(float *__restrict__ sink, float a, float b, unsigned int rounds)
{
    chains<float>(sink, a, b, rounds);
}

extern "C" __global__ void probe_fp64(double *__restrict__ sink, double a, double b, unsigned int rounds)
{
    chains<double>(sink, a, b, rounds);
}

// Two half-precision numbers in a register; a = 0x3800 twice (0.5), b = 0x3400 twice (0.25). From 5.3 on.
#if __CUDA_ARCH__ >= 530
extern "C" __global__ void probe_fp16(unsigned int *__restrict__ sink, unsigned int a, unsigned int b, unsigned int rounds)
{
    unsigned int x[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        x[k] = 0x38003800u + threadIdx.x + k;
    }
    for (unsigned int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int step = 0; step < 16; ++step) {
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x[k]) : "r"(a), "r"(b));
            }
        }
    }
    unsigned int any = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        any |= x[k];
    }
    if (any == 0xffffffffu) {
        sink[0] = any;
    }
}
#endif
