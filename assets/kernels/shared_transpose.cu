// shared_transpose: b (cols x rows) = transpose of a (rows x cols), both row-major, through tiles in shared memory so
// that reads and writes are both coalesced.
//
// Launch: block 32 x 32, grid ceil(cols/32) x ceil(rows/32), no dynamic shared memory. Static: 32 x 33 floats, 4,224
// bytes; the 33rd column is padding, without it a warp that reads a column would hit one bank 32 times.
// Arguments: a (read), b (written), rows, cols >= 1. Sizes: paper 1, Table 2 (2D).
// Described in paper 1, section 5 ("Benchmark Kernels", memory-bound).
// Differs from the study: only in what no count sees. Elements are indexed with 64-bit products, so that matrices
// above 2^31 elements are right.

extern "C" __global__ void shared_transpose(const float *__restrict__ a, float *__restrict__ b,
                                            unsigned int rows, unsigned int cols)
{
    __shared__ float tile[32][33];

    const unsigned int col = blockIdx.x * 32 + threadIdx.x;
    const unsigned int row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = a[(unsigned long long)row * cols + col];
    }
    __syncthreads(); // outside the bounds check: every thread of the block arrives

    // The tile's place in b: block coordinates swapped, threads along a row of b.
    const unsigned int b_col = blockIdx.y * 32 + threadIdx.x;
    const unsigned int b_row = blockIdx.x * 32 + threadIdx.y;
    if (b_row < cols && b_col < rows) {
        b[(unsigned long long)b_row * rows + b_col] = tile[threadIdx.x][threadIdx.y];
    }
}
