// matmul_naive: C (m x n) = A (m x k) B (k x n), row-major single precision, one thread per element of C, no tiling.
//
// Launch: block 16 x 16, grid ceil(n/16) x ceil(m/16), no dynamic shared memory.
// Arguments: a, b (read), c (written), m, n, k >= 1 (k = 0 gives zeros). Sizes: paper 1, Table 2 (MatMul, m = n = k).
// Each element is one chain of k fused multiply-adds in the order of k.
// Described in paper 1, section 5 ("Benchmark Kernels", compute-bound).
// Differs from the study: its kernel takes one size and multiplies squares, this one any m, n, k. Elements are indexed
// with 64-bit products, so that matrices above 2^31 elements are right.

extern "C" __global__ void matmul_naive(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                        unsigned int m, unsigned int n, unsigned int k)
{
    const unsigned int col = blockIdx.x * 16 + threadIdx.x;
    const unsigned int row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n) {
        return;
    }
    const float *a_row = a + (unsigned long long)row * k;
    unsigned long long at = col; // a running index into b: no 64-bit product in the loop
    float sum = 0.0f;
    for (unsigned int i = 0; i < k; ++i) {
        sum = fmaf(a_row[i], b[at], sum);
        at += n;
    }
    c[(unsigned long long)row * n + col] = sum;
}
