// conv2d_layer: one channel of a 2-D convolutional layer: an f x f filter over an h x w single-precision image, valid
// region only: out[y][x] = sum over dy, dx of image[y + dy][x + dx] * filter[dy][dx], out is (h-f+1) x (w-f+1).
//
// Launch: block 16 x 16, grid ceil((w-f+1)/16) x ceil((h-f+1)/16) (over the output), no dynamic shared memory. Image and
// filter are read from global memory, the overlapping parts again and again.
// Arguments: image (read), filter (f * f floats, not flipped, read), out (written), h, w >= f, f >= 1.
// Sizes: paper 1, Table 2 (2D), with f 5. Each output is one chain of f * f fused multiply-adds, row after row.
// Described in paper 3, section 3.1 ("2D Convolutional Layer"). It publishes no source: this is ours. Unlike conv2d_3x3
// and conv2d_7x7 of paper 1 the filter's side is known at run time only, so that its loops cannot be unrolled away.

extern "C" __global__ void conv2d_layer(const float *__restrict__ image, const float *__restrict__ filter,
                                        float *__restrict__ out, unsigned int h, unsigned int w, unsigned int f)
{
    const unsigned int x = blockIdx.x * 16 + threadIdx.x;
    const unsigned int y = blockIdx.y * 16 + threadIdx.y;
    // Added on the left: w - f would wrap around in an image smaller than the filter, which gives no output.
    if (x + f > w || y + f > h) {
        return;
    }
    float sum = 0.0f;
    for (unsigned int dy = 0; dy < f; ++dy) {
        const float *line = image + (unsigned long long)(y + dy) * w + x;
        for (unsigned int dx = 0; dx < f; ++dx) {
            sum = fmaf(line[dx], filter[dy * f + dx], sum);
        }
    }
    out[(unsigned long long)y * (w - f + 1) + x] = sum;
}
