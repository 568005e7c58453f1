//! The regressors: what they learn, beside scikit-learn on the same numbers; what they refuse; and that threads change
//! nothing.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::learn::folds::{grouped, leave_one_out, shuffled_split};
use roofswap::learn::importance::permutation;
use roofswap::learn::learners::{Gamma, Learner};
use roofswap::learn::metrics::{explained_variance, mae, mape, median_ape, r2, rmse};
use roofswap::learn::prepare::{Clipper, MedianImputer, correlations};
use roofswap::learn::random::Random;
use roofswap::learn::saved::{DataHash, ModelOrigin, decode, encode};
use roofswap::learn::search::{self, SearchTask};
use roofswap::learn::{
    BoostingParameters, Features, Fitted, ForestParameters, LearnError, LearningTable, Progress, Recipe,
    Regressor, RegressorKind,
};

fn names(n: usize) -> Vec<String> {
    (0..n).map(|j| format!("x{j}")).collect()
}

/// Uniform columns in 0..1 and a smooth target of the first two, with a little noise.
fn smooth(rows: usize, width: usize) -> (LearningTable, Vec<f64>) {
    let mut random = Random::new(7, 0);
    let values = (0..rows * width).map(|_| random.unit_interval()).collect();
    let table = LearningTable::new(names(width), values).unwrap();
    let target =
        table.rows().map(|r| 3.0 + (1.5 * r[0]).sin() + r[1] + 0.01 * random.unit_interval()).collect();
    (table, target)
}

/// Sixty rows of four columns without chance, the same in Python: ((7919 i + 104729 j + 31 i² j + 997 i j) mod 1009) / 1009.
fn sixty() -> (LearningTable, Vec<f64>) {
    let value = |i: u64, j: u64| (i * 7919 + j * 104_729 + i * i * j * 31 + i * j * 997) % 1009;
    let values = (0..60).flat_map(|i| (0..4).map(move |j| value(i, j) as f64 / 1009.0)).collect();
    let table = LearningTable::new(names(4), values).unwrap();
    let target = table.rows().map(|r| (4.0 * r[0]).sin() + r[1] * r[1] + 0.3 * r[2]).collect();
    (table, target)
}

fn recipe(regressor: Learner) -> Recipe<Learner> {
    Recipe { regressor, scaled: false, seed: 3 }
}

fn fit(regressor: Learner, table: &LearningTable, target: &[f64]) -> Result<Fitted<Learner>, LearnError> {
    recipe(regressor).fit_model(table, target, &Progress::default())
}

fn forest_of(parameters: ForestParameters) -> Learner {
    Learner::Trees(Regressor::Forest(parameters))
}

fn boosted(parameters: BoostingParameters) -> Learner {
    Learner::Trees(Regressor::Boosting(parameters))
}

fn forest(trees: usize) -> Learner {
    forest_of(ForestParameters { trees, ..ForestParameters::default() })
}

fn boosting(rounds: usize) -> Learner {
    boosted(BoostingParameters { rounds, ..BoostingParameters::default() })
}

/// Boosting on nodes large enough for two columns hardly ever to split alike.
fn few_alike() -> Learner {
    boosted(BoostingParameters { min_leaf: 5, ..BoostingParameters::default() })
}

fn svr() -> Learner {
    Learner::Svr { c: 10.0, epsilon: 0.001, gamma: Gamma::Scale }
}

fn all() -> Vec<Learner> {
    let bases = vec![forest(10), boosting(30), Learner::Nearest { k: 5 }];
    vec![
        Learner::Linear,
        Learner::Ridge { alpha: 1.0 },
        Learner::Lasso { alpha: 0.001 },
        svr(),
        forest(20),
        boosting(60),
        Learner::Nearest { k: 5 },
        Learner::Stack { bases, last: Box::new(Learner::Ridge { alpha: 1e-3 }), folds: 3 },
    ]
}

// ---------------------------------------------------------------------------------------------------------------------
// They learn
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn every_regressor_learns_a_smooth_function() {
    let (table, target) = smooth(180, 3);
    let first: Vec<usize> = (0..120).collect();
    let (train, test) = (table.select(&first), table.select(&(120..180).collect::<Vec<_>>()));
    for regressor in all() {
        let name = regressor.name();
        for scaled in [false, true] {
            let recipe = Recipe { scaled, ..recipe(regressor.clone()) };
            let fitted = recipe.fit_model(&train, &target[..120], &Progress::default()).unwrap();
            let said = fitted.predict(&test).unwrap();
            let r2 = r2(&target[120..], &said).unwrap();
            assert!(r2 > 0.9, "{name}, scaled {scaled}: R2 {r2}");
            let one = fitted.predict_row(test.row_values(7));
            assert_eq!(one.to_bits(), said[7].to_bits(), "{name}: a row alone and in a table");
        }
    }
}

/// scikit-learn 1.9.1 on the first 45 of [`sixty`]: the first four predictions of the other 15.
#[test]
fn they_say_what_scikit_learn_says() {
    let (table, target) = sixty();
    let train = table.select(&(0..45).collect::<Vec<_>>());
    let test = table.select(&(45..60).collect::<Vec<_>>());
    let tree = ForestParameters {
        trees: 1,
        max_depth: Some(4),
        min_samples_leaf: 5,
        bootstrap: false,
        ..ForestParameters::default()
    };
    let cases: [(Learner, [f64; 4], f64); 7] = [
        (Learner::Linear, [1.31840879, 1.34663444, 0.69237999, 0.962683246], 1e-8),
        (Learner::Ridge { alpha: 1.0 }, [1.25238895, 1.25802186, 0.77460009, 0.94580223], 1e-8),
        // Stopped by the same rule, at the same pass.
        (Learner::Lasso { alpha: 0.01 }, [1.32257577, 1.27972708, 0.818585988, 0.884748313], 1e-8),
        // With tol=1e-10 there and 1e-3 here: as far apart as the tolerance lets them be.
        (svr(), [1.17985795, 0.374479659, 0.695098914, 1.01374129], 2e-3),
        (Learner::Nearest { k: 5 }, [1.64237209, 0.965010665, 0.981098615, 1.03464383], 1e-8),
        // Five rows in a leaf, so that hardly any two columns split alike and chance has no say; scikit-learn's thresholds are of 32 bits.
        (few_alike(), [1.16685724, 0.495991302, 0.349736255, 0.791800242], 1e-6),
        (forest_of(tree), [1.23155312, 0.72515412, 0.0231419069, 0.510176344], 1e-6),
    ];
    for (regressor, expected, within) in cases {
        let name = regressor.name();
        let said = fit(regressor, &train, &target[..45]).unwrap().predict(&test).unwrap();
        for (ours, expected) in said.iter().zip(expected) {
            assert!((ours - expected).abs() <= within, "{name}: {ours}, scikit-learn says {expected}");
        }
    }
}

#[test]
fn impurity_importances_are_scikit_learns() {
    let (table, target) = sixty();
    let train = table.select(&(0..45).collect::<Vec<_>>());
    let fitted = fit(few_alike(), &train, &target[..45]).unwrap();
    let expected = [0.755119, 0.22803, 0.0108074, 0.0060435];
    for ((name, share), expected) in fitted.importances().unwrap().into_iter().zip(expected) {
        assert!((share - expected).abs() < 1e-4, "{name}: {share}, scikit-learn says {expected}");
    }
    assert!(fit(Learner::Linear, &train, &target[..45]).unwrap().importances().is_none());
}

#[test]
fn columns_that_depend_on_each_other_change_no_least_squares_answer() {
    let (table, target) = sixty();
    let values = table.rows().flat_map(|r| [r[0], r[1], r[2], r[3], 2.0 * r[0], 1.0]).collect();
    let wide = LearningTable::new(names(6), values).unwrap();
    let [plain, doubled] = [&table, &wide].map(|t| fit(Learner::Linear, t, &target).unwrap().predict(t));
    for (a, b) in plain.unwrap().iter().zip(doubled.unwrap()) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }
}

#[test]
fn a_monotone_column_never_turns_the_answer_round() {
    let mut random = Random::new(5, 0);
    let table = LearningTable::new(names(2), (0..400).map(|_| random.unit_interval()).collect()).unwrap();
    let target: Vec<f64> =
        table.rows().map(|r| r[0] + r[1] + 0.5 * (20.0 * r[0]).sin() + random.unit_interval()).collect();
    let turns = |monotone: Vec<i8>| {
        let parameters = BoostingParameters { rounds: 60, monotone, ..BoostingParameters::default() };
        let fitted = fit(boosted(parameters), &table, &target).unwrap();
        let mut worst: f64 = 0.0;
        for second in [0.1, 0.5, 0.9] {
            let said: Vec<f64> =
                (0..=200).map(|i| fitted.predict_row(&[f64::from(i) / 200.0, second])).collect();
            worst = said.windows(2).map(|w| w[0] - w[1]).fold(worst, f64::max);
        }
        worst
    };
    assert!(turns(vec![]) > 0.05, "without the constraint it does turn round");
    assert!(turns(vec![1, 0]) <= 1e-12);
}

// ---------------------------------------------------------------------------------------------------------------------
// Chance, threads, cancelling
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn the_same_seed_gives_the_same_bytes_whatever_the_number_of_threads() {
    let (table, target) = smooth(150, 3);
    let bytes = |threads: usize, seed: u64, regressor: &Learner| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let recipe = Recipe { regressor: regressor.clone(), scaled: true, seed };
        let fitted = pool.install(|| recipe.fit_model(&table, &target, &Progress::default()).unwrap());
        encode(&origin(Vec::new()), &fitted).unwrap()
    };
    for regressor in all() {
        assert!(bytes(1, 9, &regressor) == bytes(2, 9, &regressor), "{}", regressor.name());
    }
    assert_ne!(bytes(1, 9, &forest(5)), bytes(1, 10, &forest(5)), "another seed, another forest");
}

#[test]
fn a_cancelled_training_ends_with_an_error_and_progress_counts_its_steps() {
    let (table, target) = smooth(60, 2);
    let progress = Progress::default();
    recipe(forest(12)).fit_model(&table, &target, &progress).unwrap();
    let read = |p: &Progress| {
        use std::sync::atomic::Ordering::Relaxed;
        (p.done.load(Relaxed), p.total.load(Relaxed))
    };
    assert_eq!(read(&progress), (12, 12));
    progress.cancel();
    for regressor in all() {
        assert_eq!(recipe(regressor).fit_model(&table, &target, &progress), Err(LearnError::Cancelled));
    }
}

#[test]
fn several_outputs_are_several_models_by_name() {
    let (table, target) = smooth(80, 2);
    let half: Vec<f64> = target.iter().map(|t| t / 2.0).collect();
    let targets = [("time".to_owned(), target.clone()), ("power".to_owned(), half)];
    let outputs = recipe(Learner::Linear).fit_many(&table, &targets, &Progress::default()).unwrap();
    let [time, power] =
        ["time", "power"].map(|n| outputs.output_named(n).unwrap().predict_row(table.row_values(3)));
    assert!((time - 2.0 * power).abs() < 1e-9);
    assert!(outputs.output_named("energy").is_none());
    let twice = [("time".to_owned(), target.clone()), ("time".to_owned(), target)];
    let error = recipe(Learner::Linear).fit_many(&table, &twice, &Progress::default()).unwrap_err();
    assert_eq!(error.to_string(), "column 1 is called `time` like column 0: give each its own name");
}

/// The nearest neighbour of a training row is the row itself: a stack that let its last model learn from that would trust
/// it blindly. The target is noise, so that nothing can be learned from rows that were held out.
#[test]
fn a_stack_learns_from_rows_its_bases_have_not_seen() {
    let mut random = Random::new(2, 0);
    let table = LearningTable::new(names(2), (0..160).map(|_| random.unit_interval()).collect()).unwrap();
    let target: Vec<f64> = (0..80).map(|_| random.unit_interval()).collect();
    let stack =
        Learner::Stack { bases: vec![Learner::Nearest { k: 1 }], last: Box::new(Learner::Linear), folds: 4 };
    let said = fit(stack.clone(), &table, &target).unwrap().predict(&table).unwrap();
    assert!(r2(&target, &said).unwrap() < 0.2, "it has learned noise by heart");
    // Twins of every row in the same group: rows alone leak, groups do not.
    let twice: Vec<usize> = (0..160).map(|i| i / 2).collect();
    let (doubled, noise) = (table.select(&twice), twice.iter().map(|i| target[*i]).collect::<Vec<_>>());
    let plain = recipe(stack.clone()).fit_model(&doubled, &noise, &Progress::default()).unwrap();
    let grouped = recipe(stack).fit_grouped(&doubled, &noise, &twice, &Progress::default()).unwrap();
    let [leaks, holds] = [plain, grouped].map(|f| r2(&noise, &f.predict(&doubled).unwrap()).unwrap());
    assert!(leaks > 0.3 && holds < 0.2, "{leaks} {holds}");
}

// ---------------------------------------------------------------------------------------------------------------------
// What is refused
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn numbers_that_are_not_finite_are_refused_by_row_and_column() {
    let error = LearningTable::new(names(2), vec![1.0, 2.0, 3.0, f64::NAN]).unwrap_err();
    assert!(error.to_string().starts_with("row 1, column `x1`: NaN is not a finite number"), "{error}");
    let table = LearningTable::new(names(1), vec![1.0, 2.0]).unwrap();
    let error = fit(Learner::Linear, &table, &[1.0, f64::INFINITY]).unwrap_err();
    assert!(error.to_string().starts_with("row 1, column `target`: inf"), "{error}");
}

#[test]
fn tables_of_the_wrong_shape_are_refused() {
    let says = |error: LearnError, part: &str| assert!(error.to_string().contains(part), "{error}");
    says(LearningTable::new(vec![], vec![]).unwrap_err(), "no columns");
    says(LearningTable::new(names(2), vec![1.0; 5]).unwrap_err(), "row 2 has 1 of 2 numbers");
    let same = vec!["a".to_owned(), "b".to_owned(), "a".to_owned()];
    says(LearningTable::new(same, vec![]).unwrap_err(), "column 2 is called `a` like column 0");
    let table = LearningTable::new(names(2), vec![1.0, 2.0]).unwrap();
    for regressor in all() {
        says(fit(regressor, &table, &[1.0]).unwrap_err(), "1 rows");
    }
    let (table, target) = smooth(20, 2);
    says(fit(Learner::Linear, &table, &target[..19]).unwrap_err(), "`target` has 19 values for 20 rows");
    let fitted = fit(Learner::Linear, &table, &target).unwrap();
    let narrow = table.with_columns(&[0]).unwrap();
    says(fitted.predict(&narrow).unwrap_err(), "column 1 is missing, but the model was trained with `x1`");
    let swapped = table.with_columns(&[1, 0]).unwrap();
    says(fitted.predict(&swapped).unwrap_err(), "column 0 is `x1`, but the model was trained with `x0`");
}

#[test]
fn parameters_outside_their_range_are_refused_before_anything_is_fitted() {
    let f = ForestParameters::default;
    let b = BoostingParameters::default;
    let cases = [
        (Learner::Ridge { alpha: -1.0 }, "ridge: alpha = -1"),
        (Learner::Lasso { alpha: f64::NAN }, "lasso: alpha = NaN"),
        (Learner::Svr { c: -1.0, epsilon: 0.1, gamma: Gamma::Scale }, "svr: C = -1"),
        (Learner::Svr { c: 1.0, epsilon: -0.1, gamma: Gamma::Scale }, "svr: epsilon = -0.1"),
        (Learner::Svr { c: 1.0, epsilon: 0.1, gamma: Gamma::Value(0.0) }, "svr: gamma = 0"),
        (Learner::Nearest { k: 0 }, "nearest: k = 0"),
        (Learner::Nearest { k: 21 }, "20 rows: the mean of 21 neighbours needs at least 21"),
        (forest(0), "forest: trees = 0"),
        (
            forest_of(ForestParameters { features_per_split: Features::Share(1.5), ..f() }),
            "features_per_split = 1.5",
        ),
        (forest_of(ForestParameters { min_samples_split: 1, ..f() }), "min_samples_split = 1"),
        (boosting(0), "boosting: rounds = 0"),
        (boosted(BoostingParameters { subsample: 0.0, ..b() }), "subsample = 0"),
        (boosted(BoostingParameters { learning_rate: -0.1, ..b() }), "learning_rate = -0.1"),
        (boosted(BoostingParameters { monotone: vec![1], ..b() }), "monotone = 1 signs"),
        (boosted(BoostingParameters { monotone: vec![1, 2], ..b() }), "monotone = [1, 2]"),
        (Learner::Stack { bases: vec![], last: Box::new(Learner::Linear), folds: 3 }, "stack: bases = 0"),
        (
            Learner::Stack { bases: vec![Learner::Linear], last: Box::new(Learner::Linear), folds: 21 },
            "20 rows or groups: stacking with 21 folds needs at least 21",
        ),
    ];
    let (table, target) = smooth(20, 2);
    for (regressor, says) in cases {
        let error = fit(regressor, &table, &target).unwrap_err().to_string();
        assert!(error.contains(says), "{error}, not {says}");
    }
}

#[test]
fn constant_columns_a_constant_target_and_huge_numbers_do_no_harm() {
    let constant = LearningTable::new(names(2), vec![5.0; 40]).unwrap();
    let target: Vec<f64> = (0..20).map(f64::from).collect();
    let huge = LearningTable::new(names(2), (0..40).map(|i| f64::from(i) * 1e300).collect()).unwrap();
    let tiny = LearningTable::new(names(2), (0..40).map(|i| f64::from(i) * 1e-300).collect()).unwrap();
    for regressor in all() {
        for scaled in [false, true] {
            let recipe = Recipe { scaled, ..recipe(regressor.clone()) };
            let name = regressor.name();
            let fitted = recipe.fit_model(&constant, &target, &Progress::default()).unwrap();
            let said = fitted.predict_row(&[5.0, 5.0]);
            // The nearest of equal rows are the first ones; the others say about the mean.
            let expected = if name == "nearest" { 2.0 } else { 9.5 };
            assert!((said - expected).abs() < 4.0, "{name}, constant columns: {said}");
            let flat = recipe.fit_model(&constant, &[3.0; 20], &Progress::default()).unwrap();
            assert!((flat.predict_row(&[5.0, 5.0]) - 3.0).abs() < 2e-3, "{name}, constant target");
            for table in [&huge, &tiny] {
                match recipe.fit_model(table, &target, &Progress::default()) {
                    Ok(fitted) => {
                        let said = fitted.predict(table).unwrap();
                        assert!(said.iter().all(|v| v.is_finite()), "{name}: {said:?}");
                    }
                    Err(error) => assert!(error.to_string().contains("overflow"), "{name}: {error}"),
                }
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Saved models
// ---------------------------------------------------------------------------------------------------------------------

fn origin(recipes: Vec<Recipe>) -> ModelOrigin {
    let data = DataHash::default().with_numbers(&[1.0, 2.0]).hex_digest();
    ModelOrigin { purpose: "a test".into(), recipes, data }
}

#[test]
fn a_saved_model_comes_back_to_the_last_bit() {
    let (table, target) = smooth(90, 3);
    for regressor in all() {
        let recipe = Recipe { regressor, scaled: true, seed: 1 };
        let fitted = recipe.fit_model(&table, &target, &Progress::default()).unwrap();
        let bytes = encode(&origin(Vec::new()), &fitted).unwrap();
        let back: Fitted<Learner> = decode(&bytes, &origin(Vec::new()), "f.model").unwrap();
        assert_eq!(back, fitted);
        assert_eq!(back.predict(&table).unwrap(), fitted.predict(&table).unwrap());
    }
}

#[test]
fn a_damaged_stale_or_foreign_model_file_is_refused_with_what_is_wrong() {
    let (table, target) = smooth(40, 2);
    let regressor = Regressor::Forest(ForestParameters { trees: 3, ..ForestParameters::default() });
    let recipe = Recipe { regressor, scaled: false, seed: 3 };
    let fitted = recipe.fit_model(&table, &target, &Progress::default()).unwrap();
    let origin = origin(vec![recipe.clone()]);
    let whole = encode(&origin, &fitted).unwrap();
    let refused = |bytes: &[u8], origin: &ModelOrigin| {
        decode::<Fitted>(bytes, origin, "f.model").unwrap_err().to_string()
    };
    assert!(refused(b"", &origin).contains("f.model: byte 0: no model of this program"));
    assert!(refused(b"PNG...", &origin).contains("no model of this program"));
    assert!(refused(b"{\"roofswap_model\":1}\n", &origin).contains("first line, column"));
    // Cut off anywhere, or one byte changed anywhere: never a panic, never another model.
    for at in (0..whole.len()).step_by(7) {
        assert!(decode::<Fitted>(&whole[..at], &origin, "f").is_err(), "cut off at {at}");
        let mut changed = whole.clone();
        changed[at] ^= 0x41;
        assert!(decode::<Fitted>(&changed, &origin, "f").is_err(), "changed at {at}");
    }
    let other =
        ModelOrigin { data: DataHash::default().with_numbers(&[1.0, 3.0]).hex_digest(), ..origin.clone() };
    assert!(refused(&whole, &other).contains("stale: its data is"));
    let other = ModelOrigin { recipes: vec![Recipe { seed: 4, ..recipe }], ..origin.clone() };
    assert!(refused(&whole, &other).contains("stale: it was made by another recipe"));
    let other = ModelOrigin { purpose: "another".into(), ..origin.clone() };
    assert!(refused(&whole, &other).contains("stale: its purpose is \"a test\""));
    let older = String::from_utf8_lossy(&whole).replacen("\"version\":\"", "\"version\":\"0", 1);
    assert!(refused(older.as_bytes(), &origin).contains("stale: its version"));
}

// ---------------------------------------------------------------------------------------------------------------------
// Folds, metrics, search, importances, preparing
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn folds_hold_out_whole_groups_and_every_row_once() {
    let groups = ["a", "b", "a", "c", "b", "a", "d"];
    let all = grouped(&groups, 2).unwrap();
    let mut held: Vec<usize> = all.iter().flat_map(|f| f.test.clone()).collect();
    held.sort_unstable();
    assert_eq!(held, (0..7).collect::<Vec<_>>());
    for fold in all.iter().chain(&leave_one_out(&groups).unwrap()) {
        assert!(fold.train.iter().all(|i| fold.test.iter().all(|j| groups[*i] != groups[*j])));
        assert_eq!(fold.train.len() + fold.test.len(), 7);
    }
    let named: Vec<String> = leave_one_out(&groups).unwrap().into_iter().map(|f| f.name).collect();
    assert_eq!(named, ["a", "b", "c", "d"]);
    assert!(
        leave_one_out(&["t4"; 5]).unwrap_err().to_string().contains("1 groups: holding out a whole group")
    );
    let split = shuffled_split(10, 0.25, 1).unwrap();
    assert_eq!((split.train.len(), split.test.len()), (7, 3));
    assert_eq!(split, shuffled_split(10, 0.25, 1).unwrap());
    assert!(shuffled_split(1, 0.5, 1).is_err() && shuffled_split(10, 1.0, 1).is_err());
}

#[test]
fn metrics_by_hand() {
    let (truth, said) = ([1.0, 2.0, 4.0], [1.5, 2.0, 3.0]);
    let close = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-12, "{a:?} {b}");
    close(mape(&truth, &said), 100.0 * (0.5 + 0.0 + 0.25) / 3.0);
    close(median_ape(&truth, &said), 25.0);
    close(mae(&truth, &said), 0.5);
    close(rmse(&truth, &said), (1.25f64 / 3.0).sqrt());
    // Mean 7/3; squared deviations 16/9 + 1/9 + 25/9.
    close(r2(&truth, &said), 1.0 - 1.25 / (42.0 / 9.0));
    // Errors 0.5, 0, -1 have mean -1/6 and squared deviations 4/9 + 1/36 + 25/36.
    close(explained_variance(&truth, &said), 1.0 - (42.0 / 36.0) / (42.0 / 9.0));
    assert_eq!(mape(&[0.0], &[1.0]), None);
    assert_eq!(r2(&[2.0, 2.0], &[1.0, 2.0]), None);
    assert_eq!(mae(&[], &[]), None);
    assert_eq!(mae(&[1.0], &[1.0, 2.0]), None);
}

#[test]
fn permutation_finds_the_columns_that_matter() {
    let (table, target) = smooth(120, 3);
    let fitted = fit(forest(20), &table, &target).unwrap();
    let found = permutation(&fitted, &table, &target, 3, 1, mae).unwrap();
    assert!(found[0].mean > 5.0 * found[2].mean && found[1].mean > 5.0 * found[2].mean, "{found:?}");
    assert_eq!(found, permutation(&fitted, &table, &target, 3, 1, mae).unwrap());
    assert!(permutation(&fitted, &table, &target, 0, 1, mae).is_err());
    assert!(permutation(&fitted, &table, &target[1..], 3, 1, mae).is_err());
}

#[test]
fn a_search_finds_the_penalty_that_holds_on_new_groups() {
    let (table, target) = smooth(60, 3);
    let groups: Vec<usize> = (0..60).map(|i| i / 12).collect();
    let folds = leave_one_out(&groups).unwrap();
    let task =
        SearchTask { table: &table, target: &target, groups: Some(&groups), folds: &folds, metric: mae };
    let candidates: Vec<Recipe<Learner>> =
        [1e4, 1.0, 1e-3].into_iter().map(|alpha| recipe(Learner::Ridge { alpha })).collect();
    let progress = Progress::default();
    let found = search::grid(&candidates, &task, &progress).unwrap();
    assert_eq!(found.best().recipe, candidates[2]);
    assert_eq!(found.trials.len(), 3);
    assert_eq!(found.best().errors.as_ref().unwrap().len(), 5);
    assert_eq!(progress.done.load(std::sync::atomic::Ordering::Relaxed), 15);
    // A candidate that cannot be fitted is a failed trial, not the end.
    let with_bad = [recipe(Learner::Nearest { k: 1000 }), candidates[1].clone()];
    let found = search::grid(&with_bad, &task, &Progress::default()).unwrap();
    assert!(found.trials[0].errors.is_err() && found.best().recipe == candidates[1]);
    assert!(
        search::grid(&with_bad[..1], &task, &Progress::default()).unwrap_err().to_string().contains("1000")
    );
    progress.cancel();
    assert_eq!(search::grid(&candidates, &task, &progress), Err(LearnError::Cancelled));
    let draw = |random: &mut Random| recipe(Learner::Nearest { k: 1 + random.below(4) });
    let drawn = search::random(draw, 10, 5, &task, &Progress::default()).unwrap();
    assert!(drawn.trials.len() <= 4, "there are only four");
    assert_eq!(drawn, search::random(draw, 10, 5, &task, &Progress::default()).unwrap());
}

#[test]
fn gaps_are_filled_outliers_clipped_and_columns_correlated_as_in_numpy() {
    let (table, _) = sixty();
    let clipper = Clipper::fit_bounds(&table, 0.01, 0.99).unwrap();
    let (low, high) = clipper.limits()[0];
    assert!((low - 0.01461843).abs() < 1e-8 && (high - 0.979_078_3).abs() < 1e-7);
    assert!(clipper.apply(&table).unwrap().column(0).iter().all(|v| (low..=high).contains(v)));
    assert!(Clipper::fit_bounds(&table, 0.9, 0.1).is_err());
    let all = correlations(&table);
    assert!((all[0][1].unwrap() - 0.11722851).abs() < 1e-8 && (all[1][2].unwrap() + 0.03736243).abs() < 1e-8);
    assert_eq!(correlations(&LearningTable::new(names(2), vec![1.0, 2.0, 1.0, 3.0]).unwrap())[0][1], None);
    let gappy = [vec![Some(1.0), None], vec![None, Some(4.0)], vec![Some(3.0), Some(8.0)]];
    let imputer = MedianImputer::fit_medians(&names(2), &gappy).unwrap();
    assert_eq!(imputer.fill(&gappy).unwrap().values(), [1.0, 6.0, 2.0, 4.0, 3.0, 8.0]);
    let error = MedianImputer::fit_medians(&names(2), &[vec![Some(1.0), None]]).unwrap_err().to_string();
    assert!(error.contains("the median of column `x1`"), "{error}");
    let error = imputer.fill(&[vec![Some(1.0)]]).unwrap_err().to_string();
    assert!(error.starts_with("row 0 has 1 of 2 numbers"), "{error}");
}

#[test]
fn many_rows_at_once_are_answered_as_one_by_one() {
    let (table, target) = smooth(3_000, 5);
    // On thresholds too, and beyond every one of them.
    let (asked, _) = smooth(40_000, 5);
    let mut values: Vec<f64> = asked.rows().flatten().copied().collect();
    values[..table.len() * 5].copy_from_slice(&table.rows().flatten().copied().collect::<Vec<_>>());
    values[20_000..20_005].fill(-1e300);
    values[30_000..30_005].fill(1e300);
    let asked = LearningTable::new(names(5), values).unwrap();
    let forest = ForestParameters { trees: 7, ..ForestParameters::default() };
    for regressor in [forest_of(forest), boosted(BoostingParameters { rounds: 30, ..Default::default() })] {
        let fitted = Recipe { regressor, scaled: false, seed: 3 }
            .fit_model(&table, &target, &Progress::default())
            .unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let together = pool.install(|| fitted.predict(&asked)).unwrap();
        for (row, at_once) in asked.rows().zip(together) {
            assert_eq!(fitted.predict_row(row).to_bits(), at_once.to_bits(), "{row:?}");
        }
    }
}
