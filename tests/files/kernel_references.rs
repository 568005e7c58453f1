//! The CPU references against numbers of numpy and scipy (`golden/kernel_references.py`), against what is known by hand, and
//! against what must hold whatever the input.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests, and say how long a check takes

use roofswap::device::suite::reference::{reference, steps};
use roofswap::device::suite::{BufferData, SuiteCase, SuiteKernel, SuiteRun, cases, joined, shipped_suite};
use roofswap::kernel::Kernel;
use roofswap::session::Session;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static SESSION: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());
static SUITE: LazyLock<Vec<SuiteKernel>> = LazyLock::new(|| shipped_suite().unwrap());

fn all() -> Vec<(&'static SuiteKernel, &'static Kernel)> {
    joined(&SUITE, &SESSION.kernels).unwrap()
}

/// A filled case of this kernel.
fn case(id: &str, problem: &str, seed: u64) -> SuiteCase {
    let (of, kernel) = all().into_iter().find(|(of, _)| of.id == id).unwrap();
    let run = SuiteRun { size: "small".into(), problem: Some(problem.into()) };
    let mut case = SuiteCase::new(of, kernel, &run, seed).unwrap();
    case.fill();
    case
}

/// The whole answer.
fn answer(case: &SuiteCase) -> Vec<f64> {
    let at: Vec<usize> = (0..case.buffers[case.checked].length).collect();
    reference(&case.kernel).unwrap()(case, &at)
}

fn f32s(values: &[f64]) -> BufferData {
    BufferData::F32(values.iter().map(|v| *v as f32).collect())
}

/// The case with other content in one buffer.
fn with(mut case: SuiteCase, buffer: &str, values: &[f64]) -> SuiteCase {
    assert!(case.put(buffer, f32s(values)), "{buffer} does not take {} numbers", values.len());
    case
}

fn near(a: f64, b: f64, relative: f64, at: &str) {
    assert!((a - b).abs() <= relative * (1.0 + b.abs()), "{at}: {a}, expected {b}");
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers that another program computed

#[test]
fn references_give_the_numbers_of_numpy() {
    let table = include_str!("../golden/kernel_references.csv");
    let mut seen = BTreeSet::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [kernel, problem, seed, elements, sum, at, value] = fields[..] else { panic!("{line}") };
        let number = |text: &str| text.parse::<f64>().unwrap();
        let case = case(kernel, problem, seed.parse().unwrap());
        let answer = answer(&case);
        assert_eq!(answer.len(), elements.parse::<usize>().unwrap(), "{line}");
        // Single precision, as a kernel stores it: 2^-24 of a number, and a few of them in a chain.
        near(answer.iter().sum::<f64>(), number(sum), 2e-6, line);
        near(answer[at.parse::<usize>().unwrap()], number(value), 2e-6, line);
        seen.insert(kernel);
    }
    assert_eq!(seen, all().iter().map(|(of, _)| of.id.as_str()).collect());
}

#[test]
fn references_give_what_is_known_by_hand() {
    let product = with(case("matmul_naive", "m=2;n=2;k=2", 1), "a", &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(answer(&with(product, "b", &[5.0, 6.0, 7.0, 8.0])), [19.0, 22.0, 43.0, 50.0]);
    let plate = [1.0, 1.0, 1.0, 1.0, 11.0, 1.0, 1.0, 1.0, 1.0];
    let cooled = answer(&with(case("heat_diffusion", "rows=3", 1), "in", &plate));
    near(cooled[4], 11.0 - 0.2 * 40.0, 1e-7, "four neighbours of 1, 0.2 of the difference each");
    assert_eq!(answer(&with(case("array_reversal", "n=3", 1), "a", &[1.0, 2.0, 3.0])), [3.0, 2.0, 1.0]);
    assert_eq!(answer(&with(case("sigmoid", "n=1", 1), "x", &[0.0])), [0.5]);
    let halves = answer(&with(case("softmax", "rows=1;cols=4", 1), "in", &[3.0, 3.0, 3.0, 3.0]));
    assert_eq!(halves, [0.25; 4]);
    let farthest = with(with(case("max_distance", "n=1;l=2", 1), "x", &[0.0]), "y", &[0.0]);
    assert_eq!(answer(&with(with(farthest, "lx", &[3.0, -1.0]), "ly", &[4.0, 1.0])), [5.0]);
    assert_eq!(answer(&with(case("strided_copy_8", "n=9", 1), "a", &[2.0; 9]))[7..], [0.0, 2.0]);
    let distance = with(case("squared_distance", "k=3;b=1;t=2", 1), "p", &[1.0, 2.0, 3.0]);
    assert_eq!(answer(&with(distance, "q", &[0.0, 0.0, 0.0])), [14.0]);
    let chain = with(case("vector_add_divergent", "n=2", 1), "a", &[1.0, 1.0]);
    assert_eq!(answer(&with(chain, "b", &[2.0, 2.0])), [3.5, 3.0]);
}

#[test]
fn a_search_finds_the_first_of_equal_numbers_in_each_block() {
    let mut search = case("binary_search", "n=16;segment=2;t=4", 1); // two blocks of 8; the target is 3 * floor(16 / 8) = 6
    let place = |search: &mut SuiteCase, numbers: Vec<i32>| {
        assert!(search.put("sorted", BufferData::I32(numbers)));
        answer(search)
    };
    assert_eq!(place(&mut search, (0..16).collect()), [6.0, 16.0]);
    assert_eq!(place(&mut search, vec![6; 16]), [0.0, 8.0]);
    assert_eq!(place(&mut search, vec![7; 16]), [16.0, 16.0]);
}

// ---------------------------------------------------------------------------------------------------------------------
// What holds whatever the input

#[test]
fn transposing_and_reversing_twice_changes_nothing() {
    for id in ["naive_transpose", "shared_transpose"] {
        let there = case(id, "rows=13;cols=47", 5);
        let back = with(case(id, "rows=47;cols=13", 6), "a", &answer(&there));
        assert_eq!(f32s(&answer(&back)), *there.data("a").unwrap(), "{id}");
    }
    let there = case("array_reversal", "n=1001", 5);
    let back = with(case("array_reversal", "n=1001", 6), "a", &answer(&there));
    assert_eq!(f32s(&answer(&back)), *there.data("a").unwrap());
}

#[test]
fn counts_sum_to_the_elements_and_gathered_numbers_are_all_there() {
    for id in ["histogram", "histogram_spread", "count_numbers", "count_numbers_shared"] {
        for n in [1, 255, 4096] {
            let counts = answer(&case(id, &format!("n={n}"), n));
            assert_eq!(counts.iter().sum::<f64>(), n as f64, "{id} {n}");
        }
    }
    let gather = case("random_gather", "n=2000", 3);
    let (mut before, mut after) = (gather.f32s("a").to_vec(), answer(&gather));
    before.sort_by(f32::total_cmp);
    after.sort_by(f64::total_cmp);
    assert_eq!(*gather.data("a").unwrap(), BufferData::F32(gather.f32s("a").to_vec()));
    assert_eq!(BufferData::F32(before), f32s(&after));
}

#[test]
fn probabilities_of_a_row_sum_to_one_and_keep_its_order() {
    let (rows, cols) = (9, 130);
    let scores = case("softmax", &format!("rows={rows};cols={cols}"), 8);
    let all = answer(&scores);
    for (row, x) in all.chunks(cols).zip(scores.f32s("in").chunks(cols)) {
        near(row.iter().sum(), 1.0, 1e-12, "softmax");
        for i in 1..cols {
            assert_eq!(row[i] > row[i - 1], x[i] > x[i - 1]);
        }
    }
}

#[test]
fn tiles_and_threads_change_no_sum() {
    let whole = answer(&case("gemm_tiled", "m=9;n=14;k=21;tile=1", 2));
    for tile in [4, 8, 16, 32] {
        assert_eq!(answer(&case("gemm_tiled", &format!("m=9;n=14;k=21;tile={tile}"), 2)), whole);
    }
    let sums = |t: u32| {
        let case = case("squared_distance", &format!("k=300;b=2;t={t}"), 2);
        let each = case.buffers[case.checked].length / 2;
        answer(&case).chunks(each).map(|row| row.iter().sum::<f64>()).collect::<Vec<_>>()
    };
    for t in [1, 31, 33, 256, 1024] {
        sums(t).iter().zip(sums(64)).for_each(|(a, b)| near(*a, b, 1e-12, "squared distance"));
    }
}

#[test]
fn neutral_inputs_give_back_what_was_there() {
    let identity: Vec<f64> = (0..49).map(|i| f64::from(u8::from(i % 8 == 0))).collect();
    let product = with(case("matmul_tiled", "m=5;n=7;k=7", 4), "b", &identity);
    assert_eq!(f32s(&answer(&product)), *product.data("a").unwrap());
    // A filter of one 1, at its row 2, column 1, shifts the image.
    let filter: Vec<f64> = (0..9).map(|i| f64::from(u8::from(i == 2 * 3 + 1))).collect();
    let shifted = with(case("conv2d_layer", "h=6;w=8;f=3", 4), "filter", &filter);
    let image = shifted.f32s("image");
    for (i, value) in answer(&shifted).iter().enumerate() {
        assert_eq!(*value, f64::from(image[(i / 6 + 2) * 8 + i % 6 + 1]), "{i}");
    }
    let calm = with(case("heat_diffusion", "rows=5;cols=6", 4), "in", &[7.0; 30]);
    assert_eq!(answer(&calm), [7.0; 30]);
}

#[test]
fn an_empty_case_and_elements_beyond_the_end_are_no_panic() {
    for (of, kernel) in all() {
        let mut empty = cases(of, kernel, 1).unwrap().swap_remove(0);
        empty.empty();
        let last = empty.buffers[empty.checked].length - 1;
        assert_eq!(
            reference(&of.id).unwrap()(&empty, &[0, last, last + 1, 3 * last + 7]).len(),
            4,
            "{}",
            of.id
        );
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// How long a check takes

/// Additions, products or comparisons before one case is timed; 2^27 of them are a fraction of a second.
const MOST_STEPS: f64 = 134_217_728.0;

#[test]
fn every_check_is_bounded_at_every_size() {
    for (of, kernel) in all() {
        for case in cases(of, kernel, 1).unwrap() {
            let all = case.buffers[case.checked].length;
            let at = of.check.sample.map_or(all, |s| s.min(all));
            let steps = steps(&case, at).unwrap();
            assert!(at > 0 && (1.0..=MOST_STEPS).contains(&steps), "{} {}: {steps}", of.id, case.problem);
        }
    }
    assert!(reference("no such kernel").is_none());
}

/// `cargo test --test files kernel_references -- --ignored --nocapture`: seconds to fill and to check the largest size of each.
#[test]
#[ignore = "takes a minute; says how long filling and checking takes, which is no property of the code"]
fn seconds_of_a_check_at_the_largest_size() {
    for (of, kernel) in all() {
        let mut largest = cases(of, kernel, 1).unwrap().pop().unwrap();
        let begun = std::time::Instant::now();
        largest.fill();
        let filled = begun.elapsed();
        let at = largest.compared(of.check.sample);
        let expected = reference(&of.id).unwrap()(&largest, &at);
        assert!(expected.iter().all(|v| v.is_finite()), "{}", of.id);
        let (fill, check) = (filled.as_secs_f64(), (begun.elapsed() - filled).as_secs_f64());
        println!(
            "{:24} {:44} {:>9} compared, fill {fill:.2} s, check {check:.2} s",
            of.id,
            largest.problem,
            at.len()
        );
    }
}
