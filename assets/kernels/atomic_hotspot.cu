// atomic_hotspot: n threads each add 1 to one global counter, iters times; it grows by n * iters, modulo 2^32.
//
// Launch: block 256, grid ceil(n/256), no dynamic shared memory.
// Arguments: counter (one unsigned int, added to: zero it before a launch whose answer is looked at), n >= 1 and
// iters >= 0. Sizes: paper 1, Table 2 (1D), with iters 100.
// Described in paper 1, section 5 ("Benchmark Kernels", atomic operations).
// Differs from the study: the kernel is the same, but a measurement must state its iters. The study averaged runs of
// 50 and of 100 under one label.
// The compiler may add a warp's 32 ones in one lane; the answer is the same, and a warp makes one request either way.

extern "C" __global__ void atomic_hotspot(unsigned int *counter, unsigned int n, unsigned int iters)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (unsigned int round = 0; round < iters; ++round) {
            atomicAdd(counter, 1u);
        }
    }
}
