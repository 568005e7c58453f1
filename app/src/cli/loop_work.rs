//! `--iterations N --flops-per-iteration 3 …`: the work of a loop, as paper 5 derives it.
//!
//! iterations of a thread = ceil(N / threads per block), total = that x threads per block x blocks;
//! FLOPs = total x FLOPs per iteration, bytes = total x 4 x (loads + stores).

use super::Usage;
use super::numbers::whole_number;
use crate::units::{Bytes, Flops};
use anyhow::Result;
use clap::Args;

/// Bytes of a float.
const FLOAT: f64 = 4.0;

/// Above these flags in the help.
const LOOP: &str = "A loop that the threads of a block share, counted as paper 5 does";

/// The flags, as they were typed.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct LoopArgs {
    /// Iterations of the loop in one block, such as `for (i = threadIdx.x; i < N; i += blockDim.x)`; with --threads and --grid
    #[arg(long, help_heading = LOOP, value_name = "N", value_parser = whole_number)]
    iterations: Option<u32>,
    /// FLOPs of one iteration
    #[arg(long, help_heading = LOOP, value_name = "N", value_parser = whole_number, requires = "iterations")]
    flops_per_iteration: Option<u32>,
    /// Floats that one iteration loads
    #[arg(long, help_heading = LOOP, value_name = "N", value_parser = whole_number, requires = "iterations")]
    loads_per_iteration: Option<u32>,
    /// Floats that one iteration stores
    #[arg(long, help_heading = LOOP, value_name = "N", value_parser = whole_number, requires = "iterations")]
    stores_per_iteration: Option<u32>,
}

/// The flags that state the work itself, where they are typed beside the loop.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StatedWork {
    /// `--flops`.
    pub(super) flops: bool,
    /// `--dram-bytes`.
    pub(super) dram_bytes: bool,
}

/// The work of a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LoopWork {
    /// Of all iterations.
    pub(super) flops: Flops,
    /// Loaded and stored by all iterations.
    pub(super) bytes: Bytes,
}

impl LoopArgs {
    /// Whether a loop was typed.
    pub(super) fn is_typed(&self) -> bool {
        self.iterations.is_some()
    }

    /// Refuses what would change nothing beside work that is stated.
    ///
    /// # Errors
    /// Which flag.
    pub(super) fn check_use(&self, stated: StatedWork) -> Result<()> {
        let moves_bytes = self.loads_per_iteration.is_some() || self.stores_per_iteration.is_some();
        let refused = match stated {
            StatedWork { flops: true, dram_bytes: true } if self.iterations.is_some() => {
                "--iterations changes nothing beside --flops and --dram-bytes: give the loop or those"
            }
            StatedWork { flops: true, .. } if self.flops_per_iteration.is_some() => {
                "--flops-per-iteration changes nothing beside --flops: give one of them"
            }
            StatedWork { dram_bytes: true, .. } if moves_bytes => {
                "--loads-per-iteration and --stores-per-iteration change nothing beside --dram-bytes: give one of both"
            }
            _ => return Ok(()),
        };
        Err(Usage(refused.into()).into())
    }

    /// The work of the loop in a launch of so many threads per block and blocks; `None` where no loop was typed.
    pub(super) fn work(&self, threads: Option<u64>, blocks: Option<u64>) -> Result<Option<LoopWork>> {
        let Some(iterations) = self.iterations.map(u64::from) else { return Ok(None) };
        let (Some(threads), Some(blocks)) = (threads, blocks) else {
            let text = "--iterations is of one block: give --threads and --grid as well";
            return Err(Usage(text.into()).into());
        };
        let total = iterations.div_ceil(threads) as f64 * threads as f64 * blocks as f64;
        // The loop of paper 5: t = a - b; sum += t * t.
        let (flops, loads, stores) = (
            self.flops_per_iteration.unwrap_or(3),
            self.loads_per_iteration.unwrap_or(2),
            self.stores_per_iteration.unwrap_or(0),
        );
        Ok(Some(LoopWork {
            flops: Flops(total * f64::from(flops)),
            bytes: Bytes(total * FLOAT * (f64::from(loads) + f64::from(stores))),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_paper_5s_loop_by_hand() {
        let typed = LoopArgs { iterations: Some(1000), ..LoopArgs::default() };
        let work = typed.work(Some(256), Some(4096)).unwrap().unwrap();
        // ceil(1000 / 256) = 4 iterations of 256 threads in 4,096 blocks.
        let total = 4.0 * 256.0 * 4096.0;
        assert_eq!((work.flops.0, work.bytes.0), (3.0 * total, 8.0 * total));
        assert!(typed.work(Some(256), None).is_err());
        assert_eq!(LoopArgs::default().work(None, None).unwrap(), None);
    }
}
