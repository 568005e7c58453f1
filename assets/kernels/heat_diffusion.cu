// heat_diffusion: one explicit step of heat diffusion on a rows x cols plate, row-major single precision:
// out = in + alpha * (up + down + left + right - 4 in) inside, and out = in on the rim, which keeps its temperature.
//
// Launch: block 32 x 8 (a warp reads a part of one row), grid ceil(cols/32) x ceil(rows/8), no dynamic shared memory.
// The four neighbours are read from global memory: the kernel lives from the caches.
// Arguments: in (read), out (written), alpha (at most 0.25, or the temperatures grow without end), rows, cols >= 1.
// Sizes: paper 1, Table 2 (2D).
// Described in paper 3, section 3.1 ("Heat Diffusion/Distribution": values from neighbouring elements). It publishes no
// source: the five points, the rim and the block are ours. Two buffers, so that it may be launched again and again.

extern "C" __global__ void heat_diffusion(const float *__restrict__ in, float *__restrict__ out, float alpha,
                                          unsigned int rows, unsigned int cols)
{
    const unsigned int col = blockIdx.x * 32 + threadIdx.x;
    const unsigned int row = blockIdx.y * 8 + threadIdx.y;
    if (row >= rows || col >= cols) {
        return;
    }
    const unsigned long long at = (unsigned long long)row * cols + col;
    const float here = in[at];
    float next = here;
    if (row > 0 && row + 1 < rows && col > 0 && col + 1 < cols) {
        const float around = (in[at - cols] + in[at + cols]) + (in[at - 1] + in[at + 1]);
        next = fmaf(alpha, fmaf(-4.0f, here, around), here);
    }
    out[at] = next;
}
