// matmul_tiled: C (m x n) = A (m x k) B (k x n), row-major single precision, through 32 x 32 tiles in shared memory.
//
// Launch: block 32 x 32, grid ceil(n/32) x ceil(m/32), no dynamic shared memory. Static: two 32 x 32 float
// tiles, 8,192 bytes.
// Arguments: a, b (read), c (written), m, n, k >= 1. Sizes: paper 1, Table 2 (MatMul, m = n = k).
// Each element is one chain of fused multiply-adds in the order of k, padded with zeros to a multiple of 32.
// Described in paper 1, section 5 ("Benchmark Kernels", compute-bound).
// Differs from the study: its kernel takes one size and multiplies squares, this one any m, n, k. Elements are indexed
// with 64-bit products, so that matrices above 2^31 elements are right.

extern "C" __global__ void matmul_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                        unsigned int m, unsigned int n, unsigned int k)
{
    __shared__ float a_tile[32][32];
    __shared__ float b_tile[32][32];

    const unsigned int x = threadIdx.x;
    const unsigned int y = threadIdx.y;
    const unsigned int col = blockIdx.x * 32 + x;
    const unsigned int row = blockIdx.y * 32 + y;

    float sum = 0.0f;
    for (unsigned int first = 0; first < k; first += 32) {
        // A thread outside the matrices writes zeros instead of returning: all of a block must reach the barriers.
        a_tile[y][x] = (row < m && first + x < k) ? a[(unsigned long long)row * k + first + x] : 0.0f;
        b_tile[y][x] = (first + y < k && col < n) ? b[(unsigned long long)(first + y) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 32; ++i) {
            sum = fmaf(a_tile[y][i], b_tile[i][x], sum);
        }
        __syncthreads(); // before the next round overwrites the tiles
    }
    if (row < m && col < n) {
        c[(unsigned long long)row * n + col] = sum;
    }
}
