// vector_add: c[i] = a[i] + b[i] for 0 <= i < n.
//
// Launch: block 256, grid ceil(n/256), no dynamic shared memory.
// Arguments: a, b (n floats each, read), c (n floats, written), n >= 1. Sizes: paper 1, Table 2 (1D).
// Described in paper 1, section 5 ("Benchmark Kernels", memory-bound).
// Differs from the study: nothing in the arithmetic or the launch; its buffers were all zero, ours should not be.

extern "C" __global__ void vector_add(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                      unsigned int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
