// squared_distance: each of b blocks sums (p - q)^2 over its own k pairs of single-precision numbers; its t threads
// stride through them. Row `block` of p is compared with row `block` of q (both b x k, row-major).
//
// Launch: block t (1 to 1,024), grid b, no shared memory at all. Paper 5 gives the loop only, not how the threads'
// sums meet; here a warp adds its own by shuffles and writes one partial sum, so no zeroing and no atomic is needed:
// partial[block * ceil(t/32) + warp]. Adding a block's partial sums is left to the caller.
// Arguments: p, q (b * k floats each, read), partial (b * ceil(t/32) floats, written), k >= 1. Sizes are ours,
// paper 5 names none.
// Described in paper 5, section 2.
// Differs from paper 5: its a and b have no index; here they are elements of two matrices.

extern "C" __global__ void squared_distance(const float *__restrict__ p, const float *__restrict__ q,
                                            float *__restrict__ partial, unsigned int k)
{
    const unsigned long long row = (unsigned long long)blockIdx.x * k;
    float sum = 0.0f;
    for (unsigned int offset = threadIdx.x; offset < k; offset += blockDim.x) {
        const float d = p[row + offset] - q[row + offset];
        sum = fmaf(d, d, sum);
    }

    // The last warp may be partly there: only its present lanes take part, and none adds what an absent one would hold.
    const unsigned int lane = threadIdx.x % 32u;
    const unsigned int lanes = min(32u, blockDim.x - (threadIdx.x - lane));
    const unsigned int mask = 0xffffffffu >> (32u - lanes);
    for (unsigned int half = 16u; half > 0u; half /= 2u) {
        const float other = __shfl_down_sync(mask, sum, half);
        if (lane + half < lanes) {
            sum += other;
        }
    }
    if (lane == 0u) {
        const unsigned int warps = (blockDim.x + 31u) / 32u;
        partial[(unsigned long long)blockIdx.x * warps + threadIdx.x / 32u] = sum;
    }
}
