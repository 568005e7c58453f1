// random_gather: b[i] = a[idx[i]] for 0 <= i < n, an indexed read (gather) in random order.
//
// Launch: block 256, grid ceil(n/256), no dynamic shared memory.
// Arguments: a (n floats, read), idx (n ints, each in 0..n-1, read), b (n floats, written), n >= 1. Give a permutation of
// 0..n-1: then a gathered word costs a whole 32-byte sector wherever no cache holds it.
// Sizes: paper 1, Table 2 (1D). Described in paper 1, section 5 ("Benchmark Kernels", memory-bound).
// Differs from random_access in its input and its counts only. The study's indices were all zero, so that every thread read
// one word: that is what random_access stands for, and its published times. This is the kernel that the name promises.

extern "C" __global__ void random_gather(const float *__restrict__ a, const int *__restrict__ idx,
                                         float *__restrict__ b, unsigned int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        b[i] = a[idx[i]];
    }
}
