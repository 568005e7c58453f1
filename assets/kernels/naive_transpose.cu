// naive_transpose: b (cols x rows) = transpose of a (rows x cols), both row-major.
//
// Launch: block 16 x 16, grid ceil(cols/16) x ceil(rows/16), no dynamic shared memory. A half-warp reads 16 neighbours
// and writes 16 floats that lie `rows` apart: the uncoalesced write is the point of the kernel.
// Arguments: a (read), b (written), rows, cols >= 1. Sizes: paper 1, Table 2 (2D).
// Described in paper 1, section 5 ("Benchmark Kernels", memory-bound).
// Differs from the study: only in what no count sees. Elements are indexed with 64-bit products, so that matrices
// above 2^31 elements are right.

extern "C" __global__ void naive_transpose(const float *__restrict__ a, float *__restrict__ b,
                                           unsigned int rows, unsigned int cols)
{
    const unsigned int col = blockIdx.x * 16 + threadIdx.x;
    const unsigned int row = blockIdx.y * 16 + threadIdx.y;
    if (row < rows && col < cols) {
        b[(unsigned long long)col * rows + row] = a[(unsigned long long)row * cols + col];
    }
}
