// reduce_sum: one partial sum per block over n single-precision numbers: partial[block] = sum of the 512 elements from
// 512 * block on. Adding the partial sums is left to the caller, as in the study.
//
// Launch: block 256 (any power of two is right), grid ceil(n/512): two elements per thread. Dynamic shared memory 4
// bytes per thread.
// Arguments: in (n floats, read), partial (one float per block, written), n >= 1. Sizes: paper 1, Table 2 (1D).
// Described in paper 1, section 5 ("Benchmark Kernels", reductions).
// Differs from the study: nothing in the launch. The study prints twice the blocks it launches, and its
// input was all zero.

extern "C" __global__ void reduce_sum(const float *__restrict__ in, float *__restrict__ partial, unsigned int n)
{
    extern __shared__ float sums[];

    const unsigned int t = threadIdx.x;
    const unsigned int i = blockIdx.x * (blockDim.x * 2u) + t;
    const unsigned int j = i + blockDim.x;
    float sum = 0.0f;
    if (i < n) {
        sum = in[i];
    }
    if (j < n) {
        sum += in[j];
    }
    sums[t] = sum;
    __syncthreads();
    for (unsigned int half = blockDim.x / 2u; half > 0u; half /= 2u) {
        if (t < half) {
            sums[t] += sums[t + half];
        }
        __syncthreads();
    }
    if (t == 0u) {
        partial[blockIdx.x] = sums[0];
    }
}
