//! Floors without the rows of one kernel are those of a store that never had them.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::dice::Dice;
use roofswap::gpu::GpuId;
use roofswap::measurement::{
    Floors, FloorsByKernel, LaunchTiming, Measurement, SeenFloors, Store, TimingKind, read_csv,
};
use roofswap::session::Session;

const GPUS: [&str; 4] = ["titan-v", "rtx-4070", "l4", "t4"];
const SOURCES: [&str; 4] = ["here:1", "there:1", "elsewhere", ""];
const VARIANTS: [&str; 4] = ["", "timing=cold", "tile=8", "launches=multi"];
const TIMINGS: [LaunchTiming; 4] =
    [LaunchTiming::BackToBack, LaunchTiming::Cold, LaunchTiming::Profiled, LaunchTiming::Dispatched];

fn store(rows: impl Iterator<Item = Measurement>) -> Store {
    let mut store = Store::default();
    store.add_rows(rows.collect());
    store
}

/// Rows of so many kernels whose times lie near each other; kernel `k0` has rows enough for a dispatch.
fn rows(dice: &mut Dice, kernels: usize, count: usize) -> (Session, Vec<Measurement>) {
    let mut text = String::from("gpu,kernel,problem,variant,dram_bytes,time_ms,source\n");
    for line in 0..count {
        let kernel = if dice.below(4) == 0 { 0 } else { dice.below(kernels) };
        let [gpu, source, variant] = [GPUS, SOURCES, VARIANTS].map(|words| words[dice.below(words.len())]);
        let bytes = 1 << dice.below(12);
        let micros = 3.0 + 0.25 * dice.below(if kernel == 0 { 200 } else { 44 }) as f64;
        text.push_str(&format!(
            "{gpu},k{kernel},n={},{variant},{bytes},{},{source}\n",
            line + 1,
            micros / 1e3
        ));
    }
    let mut session = Session::load(None).unwrap();
    let read = session
        .edit(|w| read_csv(text.as_bytes(), "rows", TimingKind::Measured, &w.gpus, &mut w.kernels))
        .unwrap();
    assert_eq!(read.refused_count, 0, "{:?}", read.refused);
    (session, read.rows)
}

/// All that a question about any kernel may find.
fn found(floors: SeenFloors<'_>, rows: &[Measurement], gpus: &[GpuId]) -> Vec<Option<f64>> {
    let mut all = Vec::new();
    for timing in TIMINGS {
        for collection in [None, Some("here"), Some("there"), Some("elsewhere"), Some(""), Some("nowhere")] {
            let launches = floors.launches(timing, collection);
            for gpu in gpus {
                all.extend([launches.on_gpu(*gpu), launches.anywhere(*gpu)]);
                all.extend([launches.elsewhere(Some(*gpu)), launches.of_only_gpu(Some(*gpu))]);
            }
            all.extend([launches.elsewhere(None), launches.of_only_gpu(None)]);
        }
    }
    for row in rows {
        let dispatched = floors.is_dispatched(row.kernel, None).then_some(roofswap::units::Seconds(1.0));
        all.extend([floors.sequence(row.variant(), row), floors.operator(row.kernel, row.gpu), dispatched]);
        all.push(floors.operator_elsewhere(row.kernel, Some(row.gpu)));
    }
    all.into_iter().map(|seconds| seconds.map(|s| s.0)).collect()
}

#[test]
fn floors_without_a_kernel_are_those_of_the_other_rows() {
    let mut dice = Dice::named("floors without a kernel");
    let mut changed = 0;
    for (kernels, count) in [(3, 60), (4, 200), (6, 400), (12, 400), (30, 300)] {
        let (session, rows) = rows(&mut dice, kernels, count);
        let gpus: Vec<GpuId> = GPUS.iter().map(|gpu| session.gpus.position(gpu).unwrap()).collect();
        let whole = store(rows.iter().cloned());
        let by_kernel = FloorsByKernel::from_store(&whole);
        let with_all = found(whole.floors().into(), &rows, &gpus);
        for kernel in (0..=kernels).filter_map(|k| session.kernels.position(&format!("k{k}")).ok()) {
            let others = store(rows.iter().filter(|row| row.kernel != kernel).cloned());
            let expected = found((&Floors::from_store(&others)).into(), &rows, &gpus);
            let without = found(by_kernel.without(kernel), &rows, &gpus);
            assert_eq!(without, expected, "{kernel:?} of {kernels}");
            changed += usize::from(without != with_all);
        }
    }
    assert!(changed > 20, "a kernel left out changes something: {changed}");
}
