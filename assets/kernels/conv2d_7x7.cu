// conv2d_7x7: 7 x 7 convolution of an h x w single-precision image, valid region only: out[y][x] = sum over dy, dx of
// image[y + dy][x + dx] * filter[dy][dx], out is (h-6) x (w-6), all row-major.
//
// Launch: block 16 x 16, grid ceil(w/16) x ceil(h/16) (over the image, so the last threads have no output), no dynamic
// shared memory. Image and filter are read from global memory, no tiling: the kernel lives from the caches.
// Arguments: image (read), filter (49 floats, not flipped, read), out (written), h, w >= 1.
// Sizes: paper 1, Table 2 (2D). Each output is one chain of 49 fused multiply-adds, row after row.
// Described in paper 1, section 5 ("Benchmark Kernels", compute-bound).
// Differs from the study: only in what no count sees. An image smaller than the filter gives no output
// and reads nothing.

extern "C" __global__ void conv2d_7x7(const float *__restrict__ image, const float *__restrict__ filter,
                                      float *__restrict__ out, unsigned int h, unsigned int w)
{
    const unsigned int x = blockIdx.x * 16 + threadIdx.x;
    const unsigned int y = blockIdx.y * 16 + threadIdx.y;
    // Added on the left: w - 6 would wrap around in a smaller image.
    if (x + 6 >= w || y + 6 >= h) {
        return;
    }
    float sum = 0.0f;
    for (int dy = 0; dy < 7; ++dy) {
        const float *line = image + (unsigned long long)(y + dy) * w + x;
        for (int dx = 0; dx < 7; ++dx) {
            sum = fmaf(line[dx], filter[dy * 7 + dx], sum);
        }
    }
    out[(unsigned long long)y * (w - 6) + x] = sum;
}
