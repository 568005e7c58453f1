//! `hybrid`: what it learns, from whom, and when it says nothing.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests

use crate::skipping::skip_aloud;
use roofswap::answer::{Answer, Settings};
use roofswap::evaluate::{EvaluationSetup, Progress, Protocol, score};
use roofswap::import::read_any;
use roofswap::learn;
use roofswap::measurement::{Store, TimingKind, read_csv};
use roofswap::predict::{Abstains, Caution, HYBRID, Lessons, ModelId, model_position};
use roofswap::session::Session;
use roofswap::train::WantedLessons;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

const GPUS: [&str; 5] = ["titan-v", "rtx-2080-ti", "rtx-4070", "gtx-1080-ti", "a100-pcie-40gb"];
const TARGET: &str = "rtx-4070";

/// How far apart sizes are, and where the first lies: working sets from 0.8 to 100 MB, within L2 and beyond.
fn sizes() -> impl Iterator<Item = u32> {
    (0..14).map(|i| 65_536 + i * i * 50_000)
}

/// saxpy on these GPUs, timed by the plain roofline and `above` what it says, given the size over the GPU's L2.
fn rows(gpus: &[&str], above: impl Fn(&str, u32, f64) -> f64) -> String {
    let session = Session::load(None).unwrap();
    let saxpy = session.kernels.position("saxpy").unwrap();
    let settings = Settings { model: model_position("plain-roofline").unwrap(), ..Settings::default() };
    let mut text = String::from("gpu,kernel,problem,time_ms\n");
    for n in sizes() {
        let problem = session.kernels[saxpy].typed(&format!("n={n}")).unwrap();
        let subject = session.subject(saxpy, &problem, "").unwrap();
        for gpu in gpus {
            let at = session.gpus.position(gpu).unwrap();
            let answer = session.answer(&subject, at, at, settings);
            let over = 12.0 * f64::from(n) / session.gpus[at].l2_size.value.0;
            let time = answer.prediction.unwrap().time.0 * 1e3 * above(gpu, n, over);
            writeln!(text, "{gpu},saxpy,n={n},{time:.6}").unwrap();
        }
    }
    text
}

/// Slower where the working set does not fit: what `components` does not know, and its shares show.
fn biased(_: &str, _: u32, over: f64) -> f64 {
    10.0 * if over > 1.0 { 2.5 } else { 1.0 }
}

fn with_rows(text: &str) -> Session {
    let mut session = Session::load(None).unwrap();
    let read = session
        .edit(|w| read_csv(text.as_bytes(), "mine.csv", TimingKind::Measured, &w.gpus, &mut w.kernels));
    session.edit(|w| w.store = Store::default());
    session.edit(|w| w.store.add_rows(read.unwrap().rows));
    session
}

fn learned(session: &Session, target: &str) -> Lessons {
    let targets = Some(BTreeSet::from([session.gpus.position(target).unwrap()]));
    let wanted = WantedLessons { targets, ..WantedLessons::default() };
    session.learn_lessons(&wanted, &learn::Progress::default()).unwrap()
}

/// What this model says of every size from TITAN V to [`TARGET`].
fn answers(session: &Session, model: &str) -> Vec<Answer> {
    let saxpy = session.kernels.position("saxpy").unwrap();
    let [from, to] = ["titan-v", TARGET].map(|id| session.gpus.position(id).unwrap());
    let settings = Settings { model: model_position(model).unwrap(), ..Settings::default() };
    let of = |n: u32| {
        let problem = session.kernels[saxpy].typed(&format!("n={n}")).unwrap();
        session.answer(&session.subject(saxpy, &problem, "").unwrap(), from, to, settings)
    };
    sizes().map(of).collect()
}

fn abstains(answer: &Answer) -> Option<Abstains> {
    let cautions = &answer.prediction.as_ref().unwrap().cautions;
    cautions.iter().find_map(|c| if let Caution::Abstains(why) = c { Some(why.clone()) } else { None })
}

#[test]
fn it_learns_what_shares_show_and_is_the_default_then() {
    // Nothing of the target is among the rows: what corrects it is learned from others alone.
    let text = rows(&["titan-v", "rtx-2080-ti", "gtx-1080-ti", "a100-pcie-40gb"], biased);
    let session = with_rows(&text);
    assert_eq!(session.default_model(), ModelId::default(), "nothing is learned yet");
    session.teach(Arc::new(learned(&session, TARGET)));
    let lesson = session.lessons().iter().next().unwrap().2;
    let [without, with] = lesson.errors().unwrap();
    // Half of the residual is believed, and other GPUs' L2 is another share of it.
    assert!(with < 0.94 * without, "{without} {with}");
    assert_eq!(session.default_model(), model_position(HYBRID).unwrap());
    let [plain, hybrid] = ["components", HYBRID].map(|model| answers(&session, model));
    let corrected = plain.iter().zip(&hybrid).filter(|(p, h)| {
        let [p, h] = [p, h].map(|a| a.prediction.as_ref().unwrap().time);
        p != h
    });
    assert!(corrected.count() > 5);
    // Where it answers, its interval is by its own errors.
    let own = hybrid.iter().find(|a| abstains(a).is_none()).unwrap();
    assert!(
        own.prediction.as_ref().unwrap().width.is_some()
            && own.interval.unwrap().n == lesson.checks.iter().map(|c| c.pairs).sum::<usize>()
    );
}

#[test]
fn a_changed_number_moves_it_as_it_moves_components() {
    let mut session = with_rows(&rows(&["titan-v", "rtx-2080-ti", "gtx-1080-ti", "a100-pcie-40gb"], biased));
    let base = session.gpus.position(TARGET).unwrap();
    let made = session.add_hypothetical(base, &"mem=+50%,sms=+20%".parse().unwrap()).unwrap();
    session.teach(Arc::new(learned(&session, TARGET)));
    let saxpy = session.kernels.position("saxpy").unwrap();
    let from = session.gpus.position("titan-v").unwrap();
    let mut corrected = 0;
    for n in sizes() {
        let problem = session.kernels[saxpy].typed(&format!("n={n}")).unwrap();
        let subject = session.subject(saxpy, &problem, "").unwrap();
        let time = |model: &str, target| {
            let settings = Settings { model: model_position(model).unwrap(), ..Settings::default() };
            session.answer(&subject, from, target, settings).predicted_time().unwrap()
        };
        let [plain, hybrid] = ["components", HYBRID].map(|model| time(model, made) / time(model, base));
        assert!((hybrid / plain - 1.0).abs() < 1e-9 && hybrid <= 1.0, "{n}: {plain} {hybrid}");
        corrected += u32::from(time(HYBRID, made) != time("components", made));
    }
    assert!(corrected > 5, "what was learned for the base holds on it changed");
}

#[test]
fn a_typed_clock_moves_it_as_it_moves_components_and_more_is_never_slower() {
    let session = with_rows(&rows(&["titan-v", "rtx-2080-ti", "gtx-1080-ti", "a100-pcie-40gb"], biased));
    session.teach(Arc::new(learned(&session, TARGET)));
    let [from, to] = ["titan-v", TARGET].map(|id| session.gpus.position(id).unwrap());
    let saxpy = session.kernels.position("saxpy").unwrap();
    let times = |session: &Session, model: &str| -> Vec<f64> {
        let settings = Settings { model: model_position(model).unwrap(), ..Settings::default() };
        let of = |n: u32| {
            let problem = session.kernels[saxpy].typed(&format!("n={n}")).unwrap();
            let subject = session.subject(saxpy, &problem, "").unwrap();
            session.answer(&subject, from, to, settings).predicted_time().unwrap().0
        };
        sizes().map(of).collect()
    };
    let both = |session: &Session| ["components", HYBRID].map(|model| times(session, model));
    let ratios = |[plain, hybrid]: &[Vec<f64>; 2]| -> Vec<f64> {
        hybrid.iter().zip(plain).map(|(hybrid, plain)| hybrid / plain).collect()
    };
    let stock = ratios(&both(&session));
    assert!(stock.iter().filter(|ratio| **ratio != 1.0).count() > 5, "{stock:?}");
    for clock in ["sm=", "mem="] {
        let mut before = vec![f64::INFINITY; stock.len()];
        for percent in [50, 60, 70, 80, 90, 95, 100] {
            let stated = session.gpus[to].clocks();
            let of = if clock == "sm=" { stated.sm.0 } else { stated.mem.0 };
            let tuned = format!("{clock}{:.0}MHz", of * f64::from(percent) / 100.0 / 1e6);
            let mut tuned_session = session.clone();
            tuned_session.tune(to, tuned.parse().unwrap()).unwrap();
            let now = both(&tuned_session);
            let slower = now[1].iter().zip(&before).find(|(now, before)| **now > **before * (1.0 + 1e-9));
            assert!(slower.is_none(), "{tuned}: {slower:?}");
            for (ratio, stock) in ratios(&now).iter().zip(&stock) {
                assert!((ratio / stock - 1.0).abs() < 1e-9, "{tuned}: {ratio} and {stock}");
            }
            before.clone_from(&now[1]);
        }
    }
}

#[test]
fn it_never_sees_the_target() {
    let [honest, other] = [1.0, 7.0].map(|times| {
        let session = with_rows(&rows(&GPUS, |gpu, n, over| {
            biased(gpu, n, over) * if gpu == TARGET { times } else { 1.0 }
        }));
        learned(&session, TARGET)
    });
    let bytes = |lessons: &Lessons| {
        lessons.iter().map(|(_, _, l)| serde_json::to_string(l).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(bytes(&honest), bytes(&other));
    assert!(!honest.iter().next().unwrap().2.gpus.iter().any(|gpu| gpu == TARGET));
}

#[test]
fn the_same_bytes_whatever_the_number_of_threads() {
    let session = with_rows(&rows(&GPUS, biased));
    let [one, two] = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| learned(&session, TARGET))
            .iter()
            .map(|(_, _, l)| serde_json::to_string(l).unwrap())
            .collect::<Vec<_>>()
    });
    assert_eq!(one, two);
}

#[test]
fn where_it_says_nothing_the_answer_is_that_of_ceilings() {
    // Two GPUs beside the target leave no GPU out; what is each GPU's own says nothing about another one.
    let own = |gpu: &str, _: u32, _: f64| {
        20.0 * [1.0, 3.0, 0.4, 1.8][["titan-v", "rtx-2080-ti", "gtx-1080-ti", "a100-pcie-40gb"]
            .iter()
            .position(|g| *g == gpu)
            .unwrap()]
    };
    let cases = [
        (rows(&["titan-v", "gtx-1080-ti"], biased), "nothing"),
        (rows(&["titan-v"], biased), "nothing"),
        (rows(&["titan-v", "rtx-2080-ti", "gtx-1080-ti", "a100-pcie-40gb"], own), "not better"),
    ];
    for (text, expected) in cases {
        let session = with_rows(&text);
        session.teach(Arc::new(learned(&session, TARGET)));
        assert_eq!(session.default_model(), ModelId::default(), "{expected}");
        for (plain, hybrid) in answers(&session, "components").iter().zip(answers(&session, HYBRID)) {
            let why = abstains(&hybrid).unwrap();
            let found = match why {
                Abstains::NothingLearned => "nothing",
                Abstains::NotBetter([without, with]) if with >= without => "not better",
                _ => "other",
            };
            assert_eq!(found, expected, "{why}");
            assert_eq!(plain.prediction.as_ref().unwrap().time, hybrid.prediction.as_ref().unwrap().time);
            assert_eq!(plain.interval.map(|i| i.factor), hybrid.interval.map(|i| i.factor));
        }
    }
}

#[test]
fn a_question_unlike_any_it_has_seen_is_left_to_ceilings() {
    let session = with_rows(&rows(&["titan-v", "rtx-2080-ti", "gtx-1080-ti", "a100-pcie-40gb"], biased));
    session.teach(Arc::new(learned(&session, TARGET)));
    let taught = session.lessons().iter().next().unwrap().2.taught.clone().unwrap();
    let middle: Vec<f64> = taught.ranges.iter().map(|[low, high]| 0.5 * (low + high)).collect();
    assert!(taught.time_factor(&middle).is_some());
    let mut one_outside = middle.clone();
    one_outside[0] = taught.ranges[0][1] + 1.0;
    assert!(taught.time_factor(&one_outside).is_some(), "one number may be a little new");
    let far: Vec<f64> = taught.ranges.iter().map(|[_, high]| high + 1.0).collect();
    assert!(taught.time_factor(&far).is_none());
}

#[test]
fn a_cancelled_lesson_is_none() {
    let session = with_rows(&rows(&GPUS, biased));
    let progress = learn::Progress::default();
    progress.cancel();
    assert!(session.learn_lessons(&WantedLessons::default(), &progress).is_err());
}

/// Issue 6: at most 16 % with whole GPUs held out, 85-95 % of the intervals hold; better than `components` for new GPUs and kernels.
#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn on_paper_1s_kernels_it_is_better_than_ceilings() {
    let path = Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data/study/measurements_corrected.csv");
    if !path.exists() {
        return skip_aloud("../shared/data is not here");
    }
    let mut session = Session::load(None).unwrap();
    let read = session.edit(|w| read_any(&path, TimingKind::Measured, &w.gpus, &mut w.kernels)).unwrap().read;
    let unsound = session.gpus.position("gtx-titan-x").unwrap();
    session.edit(|w| w.store = Store::default());
    session.edit(|w| w.store.add_rows(read.rows.into_iter().filter(|r| r.gpu != unsound).collect()));
    let models = ["components", HYBRID].map(|m| model_position(m).unwrap());
    let protocol = Protocol::NewGpu;
    let shipped = Some(session.calibration().shipped());
    let setup = EvaluationSetup { protocol, shipped, ..EvaluationSetup::default() };
    let outcomes = session.evaluate(&session.store, &setup, &models, &Progress::default()).unwrap();
    let [plain, hybrid] = [0, 1].map(|at| score(outcomes[at].trials.iter()).unwrap());
    let coverage = hybrid.coverage_90_percent.unwrap();
    println!(
        "{}: {:.2} -> {:.2} %, {coverage:.1} % hold",
        protocol.as_str(),
        plain.errors.mape_percent,
        hybrid.errors.mape_percent
    );
    assert!(hybrid.errors.mape_percent < plain.errors.mape_percent && hybrid.errors.mape_percent < 16.0);
    assert!((85.0..=95.0).contains(&coverage), "{coverage}");
}
