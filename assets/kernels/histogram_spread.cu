// histogram_spread: counts n integers in 256 bins (by their lowest 8 bits), per block in shared memory, then adds the
// block's bins to the global ones; the integers hit all bins.
//
// Launch: block 256, grid ceil(n/256): one element per thread. Dynamic shared memory 4 * 256 bytes.
// Arguments: in (n ints, read), bins (256 unsigned ints, added to: zero them before a launch whose answer is looked
// at), n >= 1. Give values spread over 0..255.
// Sizes: paper 1, Table 2 (1D). Described in paper 1, section 5 ("Benchmark Kernels", atomic operations).
// Differs from histogram in its input and its counts only. The study's values were all zero, so that every element hit one
// bin: that is what histogram stands for, and its published times.

extern "C" __global__ void histogram_spread(const int *__restrict__ in, unsigned int *__restrict__ bins,
                                            unsigned int n)
{
    extern __shared__ unsigned int counts[];

    // Strides of the block's width: right for any block, one round for the block of 256.
    for (unsigned int bin = threadIdx.x; bin < 256u; bin += blockDim.x) {
        counts[bin] = 0u;
    }
    __syncthreads();
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&counts[(unsigned int)in[i] & 255u], 1u);
    }
    __syncthreads();
    for (unsigned int bin = threadIdx.x; bin < 256u; bin += blockDim.x) {
        atomicAdd(&bins[bin], counts[bin]);
    }
}
