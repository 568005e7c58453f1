// elementwise_multiply: c[i] = a[i] * b[i] for 0 <= i < n, one thread per element, t threads per block.
//
// Launch: block t, grid ceil(n/t), no dynamic shared memory.
// Arguments: a, b (n floats each, read), c (n floats, written), n >= 1. Sizes: paper 1, Table 2 (1D); t is 256 where
// nobody says another.
// Described in paper 3, section 3.1. It publishes no source: this is ours.

extern "C" __global__ void elementwise_multiply(const float *__restrict__ a, const float *__restrict__ b,
                                                float *__restrict__ c, unsigned int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] * b[i];
    }
}
