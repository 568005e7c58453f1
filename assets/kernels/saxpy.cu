// saxpy: z[i] = alpha * x[i] + y[i] for 0 <= i < n, one fused multiply-add.
//
// Launch: block 256, grid ceil(n/256), no dynamic shared memory.
// Arguments: alpha, x, y (n floats each, read), z (n floats, written), n >= 1. Sizes: paper 1, Table 2 (1D).
// Described in paper 1, section 5 ("Benchmark Kernels", memory-bound).
// Differs from the study: nothing that is counted. Like the study's it writes to a third array (12 bytes per element),
// so it may be launched again and again and gives the same answer; the BLAS routine overwrites y.

extern "C" __global__ void saxpy(float alpha, const float *__restrict__ x, const float *__restrict__ y,
                                 float *__restrict__ z, unsigned int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = fmaf(alpha, x[i], y[i]);
    }
}
