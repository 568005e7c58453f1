//! The power model's fit (specs/power.toml) is recomputed from the measurements it was derived from, where those are at hand.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests

use crate::skipping::skip_aloud;
use roofswap::import::read_any;
use roofswap::measurement::TimingKind;
use roofswap::papers::power::study::{mean_percent, study};
use roofswap::power::PowerModel;
use roofswap::power::fit::PowerRow;
use roofswap::session::Session;
use std::path::Path;

/// The rows of a file that state a power, or nothing where the data are not here.
fn rows(session: &mut Session, file: &str) -> Option<Vec<PowerRow>> {
    let path = Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data").join(file);
    if !path.exists() {
        skip_aloud("../shared/data is not here");
        return None;
    }
    let read = session.edit(|w| read_any(&path, TimingKind::Measured, &w.gpus, &mut w.kernels)).unwrap().read;
    Some(read.rows.iter().filter_map(|r| PowerRow::from_measurement(r, &session.gpus)).collect())
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn the_shipped_fit_is_what_the_measurements_give() {
    let mut session = Session::load(None).unwrap();
    let Some(rows) = rows(&mut session, "nv_dvfs/nv_dvfs_dev.csv") else { return };
    let study = study(&rows, &session.gpus).unwrap();
    let model = study.model(&rows, &session.gpus);
    println!("{model:#?}");
    assert_eq!(model, PowerModel::shipped().unwrap());
    // A model stays only if it beats the baseline, the same share of every board's limit.
    for trials in [&study.new_gpu, &study.new_kernel] {
        assert!(mean_percent(trials, false) < 0.6 * mean_percent(trials, true));
    }
}
