// One thread does all of a problem: the launch that paper 3's speed-ups are over (section 1, "relative to single-thread
// performance"). Launch: block 1, grid 1, no dynamic shared memory.
//
// Arguments, and what is computed, are those of the kernels of the same names in the folder above; that a profiler calls
// both by one name puts their counters beside each other. Paper 3 publishes no source: these loops are ours. max_distance
// and binary_search have none here: their own sources do all with one thread where they are launched so.

extern "C" __global__ void elementwise_add(const float *__restrict__ a, const float *__restrict__ b,
                                           float *__restrict__ c, unsigned int n)
{
    for (unsigned int i = 0; i < n; ++i) {
        c[i] = a[i] + b[i];
    }
}

extern "C" __global__ void elementwise_multiply(const float *__restrict__ a, const float *__restrict__ b,
                                                float *__restrict__ c, unsigned int n)
{
    for (unsigned int i = 0; i < n; ++i) {
        c[i] = a[i] * b[i];
    }
}

extern "C" __global__ void sigmoid(const float *__restrict__ x, float *__restrict__ y, unsigned int n)
{
    for (unsigned int i = 0; i < n; ++i) {
        y[i] = 1.0f / (1.0f + expf(-x[i]));
    }
}

extern "C" __global__ void count_numbers(const int *__restrict__ in, unsigned int *__restrict__ bins, unsigned int n)
{
    for (unsigned int i = 0; i < n; ++i) {
        atomicAdd(&bins[(unsigned int)in[i] & 255u], 1u);
    }
}

extern "C" __global__ void count_numbers_shared(const int *__restrict__ in, unsigned int *__restrict__ bins,
                                                unsigned int n)
{
    __shared__ unsigned int counts[256];

    for (unsigned int bin = 0; bin < 256u; ++bin) {
        counts[bin] = 0u;
    }
    for (unsigned int i = 0; i < n; ++i) {
        counts[(unsigned int)in[i] & 255u] += 1u;
    }
    for (unsigned int bin = 0; bin < 256u; ++bin) {
        bins[bin] += counts[bin];
    }
}

extern "C" __global__ void array_reversal(float *__restrict__ a, unsigned int n)
{
    for (unsigned int i = 0; i < n / 2u; ++i) {
        const float low = a[i];
        a[i] = a[n - 1u - i];
        a[n - 1u - i] = low;
    }
}

extern "C" __global__ void softmax(const float *__restrict__ in, float *__restrict__ out, unsigned int cols,
                                   unsigned int rows)
{
    for (unsigned int r = 0; r < rows; ++r) {
        const unsigned long long row = (unsigned long long)r * cols;
        float largest = in[row];
        for (unsigned int c = 1; c < cols; ++c) {
            largest = fmaxf(largest, in[row + c]);
        }
        float sum = 0.0f;
        for (unsigned int c = 0; c < cols; ++c) {
            sum += expf(in[row + c] - largest);
        }
        for (unsigned int c = 0; c < cols; ++c) {
            out[row + c] = expf(in[row + c] - largest) / sum;
        }
    }
}

extern "C" __global__ void heat_diffusion(const float *__restrict__ in, float *__restrict__ out, float alpha,
                                          unsigned int rows, unsigned int cols)
{
    for (unsigned int row = 0; row < rows; ++row) {
        for (unsigned int col = 0; col < cols; ++col) {
            const unsigned long long at = (unsigned long long)row * cols + col;
            const float here = in[at];
            float next = here;
            if (row > 0 && row + 1 < rows && col > 0 && col + 1 < cols) {
                const float around = (in[at - cols] + in[at + cols]) + (in[at - 1] + in[at + 1]);
                next = fmaf(alpha, fmaf(-4.0f, here, around), here);
            }
            out[at] = next;
        }
    }
}

extern "C" __global__ void conv2d_layer(const float *__restrict__ image, const float *__restrict__ filter,
                                        float *__restrict__ out, unsigned int h, unsigned int w, unsigned int f)
{
    for (unsigned int y = 0; y + f <= h; ++y) {
        for (unsigned int x = 0; x + f <= w; ++x) {
            float sum = 0.0f;
            for (unsigned int dy = 0; dy < f; ++dy) {
                const float *line = image + (unsigned long long)(y + dy) * w + x;
                for (unsigned int dx = 0; dx < f; ++dx) {
                    sum = fmaf(line[dx], filter[dy * f + dx], sum);
                }
            }
            out[(unsigned long long)y * (w - f + 1) + x] = sum;
        }
    }
}
