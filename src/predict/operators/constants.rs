//! Every constant of the operators' model, fitted once to library kernels on A100 SXM, L40S, H100 SXM (BF16) and H20, H800
//! (FP8); docs/models.md says how, and what is left with a GPU held out.

/// How much of a source's ln(measured / modelled) is believed to hold on the target.
pub(super) const BELIEVED: f64 = 0.4;

/// One kernel of a graph: seconds, and SM clocks.
pub(super) const NODE_SECONDS: f64 = 1.34e-6;

/// SM clocks of one kernel of a graph.
pub(super) const NODE_CLOCKS: f64 = 2240.0;

/// A tile's start in SM clocks, whatever its depth and size.
pub(super) const TILE_CLOCKS: f64 = 350.0;

/// SM clocks per element of depth until the stages of a tile are filled: the first operands come from memory, none overlap.
pub(super) const FILL_CLOCKS: f64 = 1.8;

/// Depth that fills them.
pub(super) const FILL_DEPTH: f64 = 512.0;

/// Bytes of its result that an SM stores per clock at the end of a tile.
pub(super) const STORE_BYTES_PER_CLOCK: f64 = 14.3;

/// How much of a tile's start, filling and end a next tile on the same SM cannot hide; above 1 as its own stores come on top.
pub(super) const TILE_SHOWN: f64 = 1.4;

/// The same where one group of warps ends a tile while another has begun the next (`wgmma`, `tcgen05`).
pub(super) const GROUP_TILE_SHOWN: f64 = 0.65;

/// Adding the parts of a split inner dimension, in SM clocks.
pub(super) const REDUCTION_CLOCKS: f64 = 4700.0;

/// The part of the measured L2 bandwidth that operand tiles get.
pub(super) const L2_PART: f64 = 0.55;

/// Operand bytes that one SM alone can take in per clock.
pub(super) const SM_BYTES_PER_CLOCK: f64 = 30.0;

/// The same of FP8 with scales, whose sums are scaled every 128 elements of depth.
pub(super) const SCALED_BYTES_PER_CLOCK: f64 = 22.5;

/// Operand bytes through L2 where clusters share them (`wgmma`).
pub(super) const CLUSTER_PART: f64 = 0.465;

/// The same where pairs of SMs share an operand besides (`tcgen05`): assumed, half of a cluster's.
pub(super) const PAIR_PART: f64 = 0.23;

/// Operands stay in L2 below this part of it.
pub(super) const RESIDENT_BELOW: f64 = 0.8;

/// And none of them above this.
pub(super) const RESIDENT_UP_TO: f64 = 1.15;

/// Sets of operands that follow each other before one is used again: other layers pass between, so that a weight is warm
/// only where L2 holds six of its size.
pub(super) const OPERAND_SETS: f64 = 6.0;

/// L2 that a result takes beside the operands, in its own size: it is written back while the next is made.
pub(super) const RESULT_ROOM: f64 = 1.6;

/// L2 that operands take beside a result, in their own size.
pub(super) const OPERAND_ROOM: f64 = 2.5;

/// How the times of tensor cores and memory add up: 1 = one after the other, infinity = wholly overlapped.
pub(super) const OVERLAP: f64 = 2.75;

/// SM clocks of a block of prefill beside its tiles: A100, L40S and H100 alike.
pub(super) const PREFILL_CHAIN_CLOCKS: f64 = 2700.0;

/// SM clocks of a block of decode with one tile of keys: A100, L40S and H100 alike.
pub(super) const DECODE_CHAIN_CLOCKS: f64 = 5900.0;

/// What a block on CUDA cores takes of that: its 32 KiB let three share an SM, and one wait while others work.
pub(super) const CUDA_CORE_PART: f64 = 1.0 / 3.0;

/// FP32 instructions of softmax per score beside its exponential: scale, maximum, difference, sum, conversion, two at a time in part. Of 3.2 to 4.2
/// large prefills of A100, L40S and H100 together choose 3.6.
pub(super) const SOFTMAX_FP32_OPS: f64 = 3.6;

/// What of softmax tensor cores wait for where their products run without a warp (`tcgen05`), two blocks of queries by turns: of the 2250 TFLOPS of BF16 of a
/// B200 FlashAttention 4 reaches 1613 and cuDNN 9.13 three quarters of that (the former's paper). Elsewhere all of it.
pub(super) const SOFTMAX_SHOWN_BESIDE_TCGEN05: f64 = 0.5;

/// Attention's part of the stated dense tensor rate in decode: softmax between two products.
pub(super) const DECODE_PART: f64 = 0.57;

/// How prefill's tensor, L2 and DRAM times add up.
pub(super) const PREFILL_OVERLAP: f64 = 1.7;

/// And decode's.
pub(super) const DECODE_OVERLAP: f64 = 2.5;

/// DRAM reads of prefill over the bandwidth of a copy.
pub(super) const PREFILL_READ_PART: f64 = 1.15;

/// DRAM writes of prefill over the bandwidth of a copy.
pub(super) const PREFILL_WRITE_PART: f64 = 1.0;

/// DRAM reads of decode over the bandwidth of a copy.
pub(super) const DECODE_READ_PART: f64 = 1.1;

/// Prefill's part of the measured L2 bandwidth.
pub(super) const PREFILL_L2_PART: f64 = 0.65;

/// The same of decode.
pub(super) const DECODE_L2_PART: f64 = 0.85;
