// softmax: every row of a rows x cols single-precision matrix becomes probabilities:
// out[r][c] = e^(in[r][c] - m) / sum over j of e^(in[r][j] - m), with m the row's largest number, so that nothing
// overflows.
//
// Launch: block t, grid rows: one block per row, its threads stride through the columns. Dynamic shared memory 4 bytes
// per thread, for the threads' maxima and then for their sums.
// Arguments: in (read), out (written), cols >= 1. Sizes: as many numbers as paper 1's Table 2 (1D), in rows of 1,024;
// t is 256 where nobody says another. The exponential is the accurate one; it is computed twice, for the sum and for
// the answer, which costs less than a pass through memory.
// Described in paper 3, section 3.1 ("Softmax Normalization": shared memory for intermediate sums). It publishes no
// source: this is ours, and so are the rows: one block cannot sum what another block has.

extern "C" __global__ void softmax(const float *__restrict__ in, float *__restrict__ out, unsigned int cols)
{
    extern __shared__ float parts[];

    const unsigned int t = threadIdx.x;
    const unsigned long long row = (unsigned long long)blockIdx.x * cols;

    // Begun with a number of the row: a thread beyond a short row's end takes the last one, which changes no maximum.
    float largest = in[row + min(t, cols - 1u)];
    for (unsigned int c = t + blockDim.x; c < cols; c += blockDim.x) {
        largest = fmaxf(largest, in[row + c]);
    }
    parts[t] = largest;
    __syncthreads();
    // The upper half joins the lower one, the middle of an odd number waits: right for any number of threads.
    for (unsigned int width = blockDim.x; width > 1u;) {
        const unsigned int half = (width + 1u) / 2u;
        if (t + half < width) {
            parts[t] = fmaxf(parts[t], parts[t + half]);
        }
        __syncthreads();
        width = half;
    }
    largest = parts[0];
    __syncthreads(); // everybody has read it before it is overwritten

    float sum = 0.0f;
    for (unsigned int c = t; c < cols; c += blockDim.x) {
        sum += expf(in[row + c] - largest);
    }
    parts[t] = sum;
    __syncthreads();
    for (unsigned int width = blockDim.x; width > 1u;) {
        const unsigned int half = (width + 1u) / 2u;
        if (t + half < width) {
            parts[t] += parts[t + half];
        }
        __syncthreads();
        width = half;
    }
    sum = parts[0];

    for (unsigned int c = t; c < cols; c += blockDim.x) {
        out[row + c] = expf(in[row + c] - largest) / sum;
    }
}
