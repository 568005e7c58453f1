// random_access: b[i] = a[idx[i]] for 0 <= i < n, an indexed read (gather).
//
// Launch: block 256, grid ceil(n/256), no dynamic shared memory.
// Arguments: a (n floats, read), idx (n ints, each in 0..n-1, read), b (n floats, written), n >= 1.
// Sizes: paper 1, Table 2 (1D). Described in paper 1, section 5 ("Benchmark Kernels", memory-bound).
// Differs from the study: the kernel is the same, its input must not be. The study's indices were all zero, so every
// thread read one address and no random access was measured. Give a permutation of 0..n-1; then a gathered word costs
// a whole 32-byte sector wherever the cache does not hold it, which the kernel file's byte counts (8 n) leave out.

extern "C" __global__ void random_access(const float *__restrict__ a, const int *__restrict__ idx,
                                         float *__restrict__ b, unsigned int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        b[i] = a[idx[i]];
    }
}
