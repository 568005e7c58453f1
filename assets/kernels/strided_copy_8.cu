// strided_copy_8: c[8 i] = a[8 i] for 0 <= 8 i < n. The other elements of c stay as they are.
//
// Launch: block 256, grid ceil(ceil(n/8)/256), no dynamic shared memory: one thread per copied element, n/8 in all.
// Arguments: a (n floats, read), c (n floats, every eighth written), n >= 1. Sizes: paper 1, Table 2 (1D).
// Described in paper 1, section 5 ("Benchmark Kernels", memory-bound).
// Differs from the study: nothing in the kernel. The grid the study prints is 8 times the one it launches; the one
// above is the launched one.

extern "C" __global__ void strided_copy_8(const float *__restrict__ a, float *__restrict__ c, unsigned int n)
{
    const unsigned int i = 8u * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        c[i] = a[i];
    }
}
