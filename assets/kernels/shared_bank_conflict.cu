// shared_bank_conflict: 1,024 threads of one block fill 1,024 words of shared memory, and each thread sums all
// of them; neighbouring threads read 33 words apart: out[t] = sum over s = 0..1023 of in[(33 t + s) mod 1024],
// in this order. Whatever the name says, 33 is odd: the 32 lanes of a warp hit 32 different banks. A stride of
// 32 would conflict.
//
// Launch: block 1024, grid 1, no dynamic shared memory. Static: 1,024 floats, 4,096 bytes.
// Arguments: in (1,024 floats, read), out (1,024 floats, written). One size; paper 1's Table 2 does not apply.
// Described in paper 1, section 5 ("Benchmark Kernels", special cases).
// Differs from the study: this one can be launched. The study's build needs 206 registers (200 on Maxwell), and times
// 1,024 threads that is more than the 65,536 of a block: its launches failed and the published times are no kernel's.
// The launch bound below makes the compiler stay within 64, and the loop is unrolled 8 times only.

extern "C" __global__ void __launch_bounds__(1024) shared_bank_conflict(const float *__restrict__ in,
                                                                        float *__restrict__ out)
{
    __shared__ float words[1024];

    const unsigned int t = threadIdx.x;
    words[t] = in[t];
    __syncthreads();
    float sum = 0.0f;
    const unsigned int first = 33u * t;
#pragma unroll 8
    for (unsigned int step = 0; step < 1024; ++step) {
        sum += words[(first + step) % 1024u];
    }
    out[t] = sum;
}
