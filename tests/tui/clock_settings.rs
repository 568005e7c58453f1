//! Times at other clocks on the same GPU: a row at one clock setting is predicted from the same kernel's row at another.
//! The rows of NV-DVFS (30 kernels, three GPUs) are not in the repository; without them the test says so and is skipped.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use crate::skipping::skip_aloud;
use roofswap::answer::Settings;
use roofswap::gpu::Tuning;
use roofswap::kernel::Problem;
use roofswap::predict::model_position;
use roofswap::session::Session;
use roofswap::units::Hertz;
use std::collections::BTreeMap;
use std::path::Path;

/// Clocks in kHz: SM, memory.
type Setting = (u64, u64);
/// By GPU and setting, the rows.
type Rows = BTreeMap<(String, Setting), Vec<csv::StringRecord>>;

const FILE: &str = concat!(env!("ROOFSWAP_CHECKOUT"), "/../shared/data/nv_dvfs/nv_dvfs_dev.csv");

fn rows() -> Option<(csv::StringRecord, Rows)> {
    let mut reader = csv::Reader::from_path(FILE).ok()?;
    let header = reader.headers().ok()?.clone();
    let at = |name: &str| header.iter().position(|h| h == name).expect("a column of the file");
    let (gpu, sm, mem) = (at("gpu"), at("sm_clock_mhz"), at("mem_clock_mhz"));
    let mut all = Rows::new();
    for record in reader.records().map(Result::unwrap) {
        let khz = |column: usize| (record[column].parse::<f64>().unwrap() * 1e3) as u64;
        all.entry((record[gpu].to_string(), (khz(sm), khz(mem)))).or_default().push(record.clone());
    }
    Some((header, all))
}

/// |predicted / measured - 1| of `components` and `same-time`, every row from the rows of one setting.
fn errors(
    base: &Session,
    header: &csv::StringRecord,
    rows: &Rows,
    gpu: &str,
    from: Setting,
    folder: &Path,
) -> [Vec<f64>; 2] {
    let file = folder.join("from.csv");
    let mut writer = csv::Writer::from_path(&file).unwrap();
    writer.write_record(header).unwrap();
    rows[&(gpu.to_string(), from)].iter().for_each(|r| writer.write_record(r).unwrap());
    drop(writer);
    let mut session = base.clone();
    session.add_data(&file).unwrap();
    let place = session.gpus.position(gpu).unwrap();
    let at = |name: &str| header.iter().position(|h| h == name).unwrap();
    let models = ["components", "same-time"].map(|id| model_position(id).unwrap());
    let mut all = [Vec::new(), Vec::new()];
    for ((_, to), rows) in rows.iter().filter(|((g, to), _)| g == gpu && *to != from) {
        let clock = |khz: u64| Some(Hertz(khz as f64 * 1e3));
        let tuning = Tuning { sm_clock: clock(to.0), mem_clock: clock(to.1), power_limit: None };
        session.tune(place, tuning).unwrap();
        for row in rows {
            let kernel = session.kernels.position(&row[at("kernel")]).unwrap();
            let variant = &row[at("variant")];
            let problem = Problem::parse_recorded(&row[at("problem")]).unwrap();
            let subject = session.subject(kernel, &problem, variant).unwrap();
            let measured: f64 = row[at("time_ms")].parse().unwrap();
            for (model, errors) in models.into_iter().zip(&mut all) {
                let answer =
                    session.answer(&subject, place, place, Settings { model, ..Settings::default() });
                assert!(answer.measured.is_none(), "the row of another clock is no truth of this one");
                if let Ok(p) = answer.prediction {
                    errors.push((p.time.millis() / measured - 1.0).abs());
                }
            }
        }
    }
    all
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn another_clock_is_predicted_better_than_by_the_same_time() {
    let Some((header, rows)) = rows() else {
        skip_aloud(&format!("{FILE} is not there"));
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let base = Session::load(None).unwrap();
    let every = std::env::var("EVERY_SETTING").is_ok();
    for gpu in ["gtx-980", "gtx-1080-ti", "p100-pcie-16gb"] {
        let settings: Vec<Setting> = rows.keys().filter(|(g, _)| g == gpu).map(|(_, s)| *s).collect();
        let ends = [settings[0], settings[settings.len() - 1]];
        let sources = if every { &settings[..] } else { &ends[..] };
        let mut all = [Vec::new(), Vec::new()];
        for from in sources {
            let some = errors(&base, &header, &rows, gpu, *from, folder.path());
            all.iter_mut().zip(some).for_each(|(all, some)| all.extend(some));
        }
        let [ours, same] = all.map(|mut errors| {
            errors.sort_by(f64::total_cmp);
            (
                100.0 * errors.iter().sum::<f64>() / errors.len() as f64,
                100.0 * errors[errors.len() / 2],
                errors.len(),
            )
        });
        eprintln!(
            "{gpu}: components MAPE {:.1} % (median {:.1}, n {}), same-time {:.1} % (median {:.1}, n {})",
            ours.0, ours.1, ours.2, same.0, same.1, same.2
        );
        assert!(ours.2 * 10 >= same.2 * 9, "{gpu}: {} of {} answered", ours.2, same.2);
        assert!(ours.0 < 0.6 * same.0, "{gpu}: {:.1} % against {:.1} %", ours.0, same.0);
    }
}
