//! How far the operands of a kernel's FLOPs come from memories instead of registers: what of their power a power limit takes.

use super::lsu_insts;
use crate::kernel::{Count, Work};

/// Instructions of the load/store unit for each FMA instruction from which on a kernel draws as much as a product: 8 x 8 sums a thread,
/// loads of four words.
const OF_PRODUCT: f64 = 1.0 / 16.0;

/// FLOPs of an FMA instruction of a warp.
const FLOPS_OF_FMA: f64 = 64.0;

/// How many times more FLOPs than a product's a byte may have of a kernel that still takes its operands from memories: a convolution reuses
/// its inputs more.
const MORE_REUSE: f64 = 2.0;

/// How far operands are moved as those of a product are, 0 to 1: by the instructions of the load/store unit, where somebody counted them;
/// else by the bytes of DRAM, L2 or the working set. A product of F FLOPs touches 12 (F/2)^(2/3) bytes of FP32 at least; what has 1,000 times
/// fewer computes on registers. 1 where nothing is known.
#[inline]
pub(super) fn operand_traffic(work: &Work) -> f64 {
    let Some(flops) = work.get(Count::Flops).filter(|flops| *flops > 0.0) else { return 1.0 };
    let by_insts = lsu_insts(work) * FLOPS_OF_FMA / (flops * OF_PRODUCT);
    if work.get(Count::LsuWarpInsts).is_some() {
        return by_insts.min(1.0);
    }
    let known = [Count::DramBytes, Count::L2Bytes, Count::WorkingSetBytes];
    let bytes = known.into_iter().filter_map(|count| work.get(count)).fold(0.0, f64::max);
    if bytes <= 0.0 {
        return 1.0;
    }
    // 12 (F/2)^(2/3) = (432 F^2)^(1/3)
    let (of_product, cubed) = (432.0 * flops * flops, bytes * bytes * bytes);
    if of_product <= MORE_REUSE.powi(3) * cubed {
        return 1.0;
    }
    (MORE_REUSE * (cubed / of_product).cbrt()).max(by_insts).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(flops: f64, bytes: f64) -> Work {
        Work::default().with(Count::Flops, Some(flops)).with(Count::DramBytes, Some(bytes))
    }

    #[test]
    fn a_product_moves_its_operands_and_a_loop_on_registers_does_not() {
        let n = 4096.0_f64;
        assert_eq!(operand_traffic(&work(2.0 * n.powi(3), 12.0 * n * n)), 1.0);
        assert!(operand_traffic(&work(1e12, 1e6)) < 0.01);
        assert_eq!(operand_traffic(&work(1e9, 1e8)), 1.0, "a stream");
        assert_eq!(operand_traffic(&Work::default().with(Count::Flops, Some(1e12))), 1.0, "nothing is known");
    }

    #[test]
    fn instructions_say_more_than_bytes() {
        let loads = |insts: f64| work(1e12, 1e6).with(Count::LsuWarpInsts, Some(insts));
        assert_eq!(operand_traffic(&loads(1e12 / 64.0)), 1.0);
        assert!((operand_traffic(&loads(1e12 / 64.0 / 32.0)) - 0.5).abs() < 1e-12);
        let shared = work(1e12, 1e6).with(Count::SmemWavefronts, Some(1e12 / 64.0));
        assert_eq!(operand_traffic(&shared), 1.0);
    }

    #[test]
    fn it_falls_without_a_step() {
        let of = |bytes: f64| operand_traffic(&work(1e12, bytes));
        let mut last = 1.0;
        for i in 0..400 {
            let now = of(1e10 * 0.95_f64.powi(i));
            assert!(now <= last && now >= 0.94 * last, "{i}");
            last = now;
        }
    }
}
