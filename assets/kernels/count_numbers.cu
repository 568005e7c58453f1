// count_numbers: counts how often each of 256 values occurs among n integers (by their lowest 8 bits), straight in
// global memory: one atomic add per element, and all blocks share the 256 counters.
//
// Launch: block t, grid ceil(n/t), no shared memory.
// Arguments: in (n ints, read), bins (256 unsigned ints, added to: zero them before a launch whose answer is looked
// at), n >= 1. Sizes: paper 1, Table 2 (1D); t is 256 where nobody says another. Give values spread over 0..255: with
// one value only, every element waits for the same counter.
// Described in paper 3, section 3.1 ("Count Number"). It publishes no source: this is ours; 256 counters are the 1,024
// bytes per block of its shared-memory form (section 3.2.6).

extern "C" __global__ void count_numbers(const int *__restrict__ in, unsigned int *__restrict__ bins, unsigned int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&bins[(unsigned int)in[i] & 255u], 1u);
    }
}
