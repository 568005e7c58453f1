// gemm_tiled: C (m x n) = A (m x k) B (k x n), row-major single precision, through square tiles whose side is chosen
// at launch: the block's width. One binary serves every tile from 1 to 32.
//
// Launch: block tile x tile, grid ceil(n/tile) x ceil(m/tile), dynamic shared memory 2 * tile * tile * 4 bytes.
// Arguments: a, b (read), c (written), m, n, k >= 1.
// Each element is one chain of fused multiply-adds in the order of k, padded with zeros to a multiple of the tile.
// Described in paper 4, section IV-B (its tile size is a run-time argument too) and Table I (tiles 1, 4, 8, 16, 32).
// Differs from paper 4: the tile is read from the block's shape, so that the two cannot disagree; elements are indexed
// with 64-bit products. Paper 4 timed single launches without warm-up, so its times hold more than the kernel's.

extern "C" __global__ void gemm_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                      unsigned int m, unsigned int n, unsigned int k)
{
    extern __shared__ float tiles[];

    const unsigned int tile = blockDim.x;
    const unsigned int x = threadIdx.x;
    const unsigned int y = threadIdx.y;
    const unsigned int col = blockIdx.x * tile + x;
    const unsigned int row = blockIdx.y * tile + y;
    float *a_tile = tiles;
    float *b_tile = tiles + tile * tile;

    float sum = 0.0f;
    for (unsigned int first = 0; first < k; first += tile) {
        // A thread outside the matrices writes zeros instead of returning: all of a block must reach the barriers.
        a_tile[y * tile + x] = (row < m && first + x < k) ? a[(unsigned long long)row * k + first + x] : 0.0f;
        b_tile[y * tile + x] = (first + y < k && col < n) ? b[(unsigned long long)(first + y) * n + col] : 0.0f;
        __syncthreads();
        for (unsigned int i = 0; i < tile; ++i) {
            sum = fmaf(a_tile[y * tile + i], b_tile[i * tile + x], sum);
        }
        __syncthreads(); // before the next round overwrites the tiles
    }
    if (row < m && col < n) {
        c[(unsigned long long)row * n + col] = sum;
    }
}
