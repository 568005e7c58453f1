// max_distance: for each of n points of the plane the distance to the farthest of l landmarks:
// out[i] = sqrt(max over j of (x[i] - lx[j])^2 + (y[i] - ly[j])^2).
//
// Launch: block t, grid ceil(n/t) (any grid is right: threads stride through the points), no shared memory.
// Arguments: x, y (n floats each, read), lx, ly (l floats each, read), out (n floats, written), n >= 1, l >= 1 (l = 0
// gives zeros). Sizes: paper 1, Table 2 (1D), with 16 landmarks; t is 256 where nobody says another.
// Squares are compared and one root is taken: a root keeps order, so the answer is that of comparing distances.
// Described in paper 3, section 3.1 ("Maximum Distance": landmarks, no synchronisation, grid-stride loops). It publishes
// no source: this is ours, and so are the plane and the 16 landmarks.

extern "C" __global__ void max_distance(const float *__restrict__ x, const float *__restrict__ y,
                                        const float *__restrict__ lx, const float *__restrict__ ly,
                                        float *__restrict__ out, unsigned int n, unsigned int l)
{
    const unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float px = x[i];
        const float py = y[i];
        float farthest = 0.0f;
        for (unsigned int j = 0; j < l; ++j) {
            const float dx = px - lx[j];
            const float dy = py - ly[j];
            farthest = fmaxf(farthest, fmaf(dx, dx, dy * dy));
        }
        out[i] = sqrtf(farthest);
    }
}
