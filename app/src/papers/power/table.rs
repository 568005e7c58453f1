//! The power model's fit and what it gets wrong.

use super::study::{PowerFold, PowerTrial, Study, held_out, mean_percent};
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::power::PowerModel;
use crate::report::{Table, TableCell, TableColumn};
use crate::units::significant;
use std::collections::BTreeSet;

/// One line per protocol and GPU: ours, with the learned residual, the baseline.
#[must_use]
pub fn study_table(
    study: &Study,
    residual: &[(PowerFold, Vec<PowerTrial>)],
    checked: &[PowerTrial],
    model: &PowerModel,
    gpus: &Catalogue<Gpu>,
) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("held_out"),
        TableColumn::left("gpu"),
        TableColumn::right("rows"),
        TableColumn::right("mean_error_percent"),
        TableColumn::right("with_learned_residual"),
        TableColumn::right("same_share_of_limit"),
        TableColumn::right("coverage_percent"),
        TableColumn::right("interval_factor"),
    ]);
    table.title = "Board power: physical model, and the same with a learned residual".into();
    for (fold, trials) in [(PowerFold::Gpu, &study.new_gpu), (PowerFold::Kernel, &study.new_kernel)] {
        let learned =
            residual.iter().find(|(f, _)| *f == fold).map(|(_, t)| t.as_slice()).unwrap_or_default();
        let boards: BTreeSet<GpuId> = trials.iter().map(|t| t.gpu).collect();
        for gpu in boards.iter().map(|g| Some(*g)).chain([None]) {
            let of = |all: &[PowerTrial]| -> Vec<PowerTrial> {
                all.iter().filter(|t| gpu.is_none_or(|g| t.gpu == g)).copied().collect()
            };
            let (own, learned) = (of(trials), of(learned));
            let percent = |v: f64| TableCell::shown(v, format!("{} %", significant(v)));
            let whole = gpu.is_none().then(|| held_out(trials));
            let name = gpu.map_or("all, each weighing the same", |g| gpus[g].id.as_str());
            table.rows.push(vec![
                TableCell::text(fold.as_str()),
                TableCell::text(name),
                TableCell::number(own.len() as f64),
                percent(mean_percent(&own, false)),
                TableCell::maybe((!learned.is_empty()).then(|| mean_percent(&learned, false)), percent),
                percent(mean_percent(&own, true)),
                TableCell::maybe(whole.map(|h| h.coverage_percent), percent),
                TableCell::maybe(whole.map(|h| h.ln_90.exp()), |v| {
                    TableCell::shown(v, format!("{}×", significant(v)))
                }),
            ]);
        }
    }
    if !checked.is_empty() {
        let percent = |v: f64| TableCell::shown(v, format!("{} %", significant(v)));
        table.rows.push(vec![
            TableCell::text("in no fit: audited GEMM rows"),
            TableCell::text(gpus[checked[0].gpu].id.as_str()),
            TableCell::number(checked.len() as f64),
            percent(mean_percent(checked, false)),
            TableCell::Null,
            percent(mean_percent(checked, true)),
            TableCell::Null,
            TableCell::Null,
        ]);
    }
    table.notes = table_notes(model);
    table
}

fn table_notes(model: &PowerModel) -> Vec<String> {
    let s = model.shares;
    let v = model.voltage;
    vec![
        format!(
            "fitted shares of the power limit: idle {}, active SMs {}, FP32 peak {}, L2 {}, DRAM {}, memory clock {}; voltage: floor {}, slope {} below and {} above the stated clock",
            s.idle, s.active, s.fp, s.l2, s.dram, s.memory, v.floor, v.below, v.above
        ),
        "idle power of a board without a measurement is assumed: the fitted share of its limit".into(),
        "the residual is a forest on how far each part is used; it is used nowhere unless it is better with a GPU and with a kernel left out".into(),
        "coverage: 90 % intervals made of the other folds' errors; interval factor: high / predicted".into(),
    ]
}
