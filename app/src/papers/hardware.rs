//! Published numbers of GPUs that need no file of measurements: paper 1's Table 1 beside the catalogue, and paper 4's Table I
//! and ridge point.

use super::page::PublishedNumber;
use super::paper4::ADA;
use crate::catalogue::{Catalogue, FileError};
use crate::gemm::answers::{Gemm, answer_tiles};
use crate::gemm::learned::LearnedGemm;
use crate::gemm::tiles::Tile;
use crate::gpu::Gpu;
use crate::session::Session;

/// How far a number of Table 1 may be from ours: the paper rounds, and leaves digits out.
const WITHIN: f64 = 0.01;

/// A number of Table 1: its name with the unit, and how it is taken from a GPU.
type Specification = (&'static str, fn(&Gpu) -> Option<f64>);

const SPECIFICATIONS: [Specification; 12] = [
    ("SMs", |g| Some(f64::from(g.sms.value))),
    ("CUDA cores", |g| Some(f64::from(g.sms.value * g.fp32_lanes_per_sm.value))),
    ("base clock, MHz", |g| Some(g.base_clock.as_ref()?.value.0 / 1e6)),
    ("boost clock, MHz", |g| Some(g.boost_clock.value.0 / 1e6)),
    ("memory bus, bit", |g| Some(f64::from(g.bus_bits.value))),
    ("memory bandwidth, GB/s", |g| Some(g.bandwidth_peak.value.0 / 1e9)),
    ("L2, MiB", |g| Some(g.l2_size.value.0 / f64::from(1 << 20))),
    ("shared memory per SM, KiB", |g| Some(f64::from(g.cuda.limits.smem_per_sm) / 1024.0)),
    ("registers per SM", |g| Some(f64::from(g.cuda.limits.regs_per_sm))),
    ("peak FP32, TFLOP/s", |g| Some(g.fp32_peak.value.0 / 1e12)),
    ("peak FP16, TFLOP/s", |g| Some(g.fp16_peak.as_ref()?.value.0 / 1e12)),
    ("TDP, W", |g| Some(g.power_limit.value.0)),
];

/// Table 1 by GPU, in the order of [`SPECIFICATIONS`]; empty where the paper prints a dash.
const TABLE_1: [(&str, [&str; 12]); 4] = [
    ("titan-v", ["80", "5120", "1200", "1455", "3072", "652", "4.5", "96", "65536", "14.9", "29.8", "250"]),
    (
        "rtx-2080-ti",
        ["68", "4352", "1350", "1545", "352", "616", "5.5", "64", "65536", "13.5", "27.0", "250"],
    ),
    ("rtx-4070", ["46", "5888", "1920", "2475", "192", "504", "36", "100", "65536", "29.1", "116.4", "200"]),
    ("gtx-titan-x", ["24", "3072", "1000", "1075", "384", "336", "3", "96", "65536", "7.47", "", "250"]),
];

/// Paper 4's Table I: blocks of the tiled kernel on an SM of an RTX 4070.
const TABLE_I: [(u32, &str); 5] = [(1, "24"), (4, "24"), (8, "24"), (16, "6"), (32, "1")];

/// Paper 1's Table 1 beside the catalogue; a GPU that is not in it has no numbers.
#[must_use]
pub fn gpu_numbers(gpus: &Catalogue<Gpu>) -> Vec<PublishedNumber> {
    let numbers = TABLE_1.iter().map(|(id, printed)| {
        let gpu = gpus.entry_named(id).ok();
        SPECIFICATIONS.iter().zip(printed).filter(|(_, printed)| !printed.is_empty()).map(
            move |((name, of), printed)| {
                let ours = gpu.and_then(of);
                let value: Option<f64> = printed.parse().ok();
                let agrees = ours.zip(value).is_some_and(|(o, p)| (o / p - 1.0).abs() <= WITHIN);
                let what = format!("{}: {name}", gpu.map_or(*id, |g| g.name.as_str()));
                PublishedNumber { paper: 1, table: "1", what, published: (*printed).into(), ours, agrees }
            },
        )
    });
    numbers.flatten().collect()
}

/// Paper 4's Table I by the occupancy calculator, and its ridge point.
///
/// # Errors
/// [`FileError`] where a table inside the program is damaged.
pub fn occupancy_numbers(session: &Session) -> Result<Vec<PublishedNumber>, FileError> {
    let Ok(gpu) = session.gpus.position(ADA) else { return Ok(Vec::new()) };
    let tiles = TABLE_I.map(|(side, _)| Tile::Side(side));
    let answers = answer_tiles(session, &Gemm::default(), gpu, &tiles, &LearnedGemm::default())?;
    let blocks = answers.iter().zip(TABLE_I).map(|(answer, (side, printed))| {
        let ours = answer.occupancy.map(|o| f64::from(o.active_blocks));
        PublishedNumber {
            paper: 4,
            table: "I",
            what: format!("blocks per SM, tile {side}x{side}"),
            published: printed.into(),
            ours,
            agrees: ours.is_some_and(|o| printed.parse() == Ok(o)),
        }
    });
    let on = &session.gpus[gpu];
    let ridge = on.fp32_peak.value.0 / on.bandwidth_peak.value.0;
    let ridge = PublishedNumber {
        paper: 4,
        table: "fig. 1",
        what: "ridge point, FLOP/B (its own 29.15 TFLOP/s and 504.2 GB/s give 57.8)".into(),
        published: "59".into(),
        ours: Some(ridge),
        agrees: (ridge - 59.0).abs() < 1.0,
    };
    Ok(blocks.chain([ridge]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What differs, differs for a reason that the GPU's file states: NVIDIA prints 13.4, 6.6 TFLOP/s is 3,072 lanes x 2 x boost,
    /// and 116.4 is the tensor rate.
    #[test]
    fn table_1_is_the_catalogues_but_for_two_peaks() {
        let session = Session::load(None).unwrap();
        let all = gpu_numbers(session.stock_gpus());
        let apart: Vec<&str> = all.iter().filter(|n| !n.agrees).map(|n| n.what.as_str()).collect();
        assert_eq!(
            apart,
            ["GeForce RTX 4070: peak FP16, TFLOP/s", "GeForce GTX TITAN X: peak FP32, TFLOP/s"]
        );
        assert_eq!(all.len(), 47);
    }

    #[test]
    fn table_i_comes_out() {
        let session = Session::load(None).unwrap();
        let all = occupancy_numbers(&session).unwrap();
        assert_eq!(all.iter().filter(|n| n.agrees).count(), 5, "{all:?}");
    }
}
