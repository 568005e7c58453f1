// sigmoid: y[i] = 1 / (1 + e^-x[i]) for 0 <= i < n, one thread per element, t threads per block.
//
// Launch: block t, grid ceil(n/t), no dynamic shared memory.
// Arguments: x (n floats, read), y (n floats, written), n >= 1. Sizes: paper 1, Table 2 (1D); t is 256 where nobody
// says another. Exponential and division are the accurate ones (no -use_fast_math): expf is right within 2 units in the
// last place, the division is rounded correctly.
// Described in paper 3, section 3.1 ("Activation Layer"). It publishes no source: this is ours.

extern "C" __global__ void sigmoid(const float *__restrict__ x, float *__restrict__ y, unsigned int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 1.0f / (1.0f + expf(-x[i]));
    }
}
