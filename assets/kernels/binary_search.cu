// binary_search: where a target stands among n sorted integers. Every thread searches a segment of its own, a block
// keeps the smallest place its threads found: found[block] = the smallest i in the block's part with
// sorted[i] == target, or n where there is none. The smallest over the blocks is left to the caller.
//
// Launch: block t, grid ceil(n/(t segment)). Dynamic shared memory 4 bytes per thread.
// Arguments: sorted (n ints, ascending, read), target (an int), found (one unsigned int per block, written),
// n >= 1, segment >= 1. Sizes: paper 1, Table 2 (1D), with segments of 64; t is 256 where nobody says another.
// Every thread halves its segment to the end, found or not: all of a warp stay together.
// Described in paper 3, section 3.1 ("Binary Search": segments, intermediate results in dynamic shared memory, a
// reduction). It publishes no source: this is ours, and so is the segment's length.

extern "C" __global__ void binary_search(const int *__restrict__ sorted, int target,
                                         unsigned int *__restrict__ found, unsigned int n, unsigned int segment)
{
    extern __shared__ unsigned int places[];

    const unsigned int t = threadIdx.x;
    // 64 bits: the last block's threads may start beyond 2^32.
    const unsigned long long first = (unsigned long long)(blockIdx.x * blockDim.x + t) * segment;
    const unsigned int end = (unsigned int)min(first + segment, (unsigned long long)n);
    unsigned int low = (unsigned int)min(first, (unsigned long long)n);
    unsigned int high = end;
    while (low < high) {
        const unsigned int middle = low + (high - low) / 2u;
        if (sorted[middle] < target) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    places[t] = (low < end && sorted[low] == target) ? low : n;
    __syncthreads();
    for (unsigned int width = blockDim.x; width > 1u;) {
        const unsigned int half = (width + 1u) / 2u;
        if (t + half < width) {
            places[t] = min(places[t], places[t + half]);
        }
        __syncthreads();
        width = half;
    }
    if (t == 0u) {
        found[blockIdx.x] = places[0];
    }
}
