// count_numbers_shared: counts how often each of 256 values occurs among n integers (by their lowest 8 bits), first in
// the block's own 256 counters in shared memory, then added to the global ones.
//
// Launch: block t, grid ceil(n/t), no dynamic shared memory. Static: 256 counters, 1,024 bytes.
// Arguments: in (n ints, read), bins (256 unsigned ints, added to: zero them before a launch whose answer is looked
// at), n >= 1. Sizes: paper 1, Table 2 (1D); t is 256 where nobody says another. Give values spread over 0..255.
// Described in paper 3, section 3.1 ("Count numbers with shared memory") and 3.2.6 (1,024 bytes per block). It
// publishes no source: this is ours. Paper 1's histogram is the same at a fixed block, and adds empty counters too;
// this one skips them, which matters for blocks far smaller than the 256 counters.

extern "C" __global__ void count_numbers_shared(const int *__restrict__ in, unsigned int *__restrict__ bins,
                                                unsigned int n)
{
    __shared__ unsigned int counts[256];

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
        if (counts[bin] != 0u) {
            atomicAdd(&bins[bin], counts[bin]);
        }
    }
}
