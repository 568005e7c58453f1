// array_reversal: reverses n single-precision numbers in place: thread i swaps a[i] and a[n - 1 - i], for the first
// floor(n/2) elements. The middle one of an odd number stays.
//
// Launch: block t, grid ceil(n/(2 t)), no shared memory.
// Arguments: a (n floats, read and written), n >= 1. Launched twice it gives back what was there: look at the answer
// after one launch. Sizes: paper 1, Table 2 (1D); t is 256 where nobody says another.
// Described in paper 3, section 3.1 ("Array Reversal", in place). It publishes no source: this is ours.

extern "C" __global__ void array_reversal(float *__restrict__ a, unsigned int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2u) {
        const unsigned int j = n - 1u - i;
        const float low = a[i];
        a[i] = a[j];
        a[j] = low;
    }
}
