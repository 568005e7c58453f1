//! The regressors: what they learn, what they refuse, and that chance and threads change nothing.

use roofswap::learn::random::Random;
use roofswap::learn::{
    BoostingParameters, ForestParameters, Gamma, LearnError, Progress, Recipe, Regressor, Table,
};

fn names(n: usize) -> Vec<String> {
    (0..n).map(|j| format!("x{j}")).collect()
}

/// Uniform columns in 0..1 and a smooth target of the first two, with a little noise.
fn smooth(rows: usize, width: usize) -> (Table, Vec<f64>) {
    let mut random = Random::new(7, 0);
    let values = (0..rows * width).map(|_| random.share()).collect();
    let table = Table::new(names(width), values).unwrap();
    let target = table.rows().map(|r| 3.0 + (1.5 * r[0]).sin() + r[1] + 0.01 * random.share()).collect();
    (table, target)
}

fn all() -> Vec<Regressor> {
    let forest = Regressor::Forest(ForestParameters { trees: 30, ..ForestParameters::default() });
    let boosting = Regressor::Boosting(BoostingParameters::default());
    let svr = Regressor::Svr { c: 10.0, epsilon: 0.001, gamma: Gamma::Scale };
    let bases = vec![forest.clone(), boosting.clone(), Regressor::Nearest { k: 5 }];
    vec![
        Regressor::Linear,
        Regressor::Ridge { alpha: 1.0 },
        Regressor::Lasso { alpha: 0.001 },
        svr,
        forest,
        boosting,
        Regressor::Nearest { k: 5 },
        Regressor::Stack { bases, last: Box::new(Regressor::Ridge { alpha: 1e-3 }), folds: 3 },
    ]
}

fn recipe(regressor: Regressor) -> Recipe {
    Recipe { regressor, scaled: false, seed: 3 }
}

#[test]
fn every_regressor_learns_a_smooth_function() {
    let (table, target) = smooth(300, 4);
    let fresh: Vec<usize> = (200..300).collect();
    let (train, test) = (table.select(&(0..200).collect::<Vec<_>>()), table.select(&fresh));
    for regressor in all() {
        let name = regressor.name();
        for scaled in [false, true] {
            let recipe = Recipe { scaled, ..recipe(regressor.clone()) };
            let fitted = recipe.fit(&train, &target[..200], &Progress::default()).unwrap();
            let said = fitted.predict(&test).unwrap();
            let r2 = roofswap::learn::metrics::r2(&target[200..], &said).unwrap();
            let least = if matches!(name, "linear" | "ridge" | "lasso") { 0.95 } else { 0.9 };
            assert!(r2 > least, "{name}: R2 {r2}");
        }
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused_by_row_and_column() {
    let error = Table::new(names(2), vec![1.0, 2.0, 3.0, f64::NAN]).unwrap_err();
    assert!(error.to_string().starts_with("row 1, column `x1`: NaN"), "{error}");
    let table = Table::new(names(1), vec![1.0, 2.0]).unwrap();
    let error = recipe(Regressor::Linear).fit(&table, &[1.0, f64::INFINITY], &Progress::default());
    assert!(matches!(error, Err(LearnError::NotFinite { row: 1, .. })));
}
