//! The occupancy rules against NVIDIA's own calculator, `cuda_occupancy.h` 12.9.79: on a table of its answers that is kept
//! here, on another beside the checkout, and on as many random configurations as asked for where the calculator itself
//! can be built (see `reference/`).

use roofswap::gpu::LimitsTable;
use roofswap::report::batch::answer_line;

/// Every line `configuration => answer`; the reference's last field, the caching in effect, is not printed by the command.
#[allow(clippy::unwrap_used)] // a malformed table shall fail the test
fn differences(text: &str) -> (usize, Vec<String>) {
    let table = LimitsTable::shipped().unwrap();
    let (mut checked, mut wrong) = (0, Vec::new());
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (asked, answer) = line.split_once(" => ").unwrap();
        let mut ours = Vec::new();
        answer_line(&table, asked.as_bytes(), &mut ours).unwrap();
        let ours = String::from_utf8(ours).unwrap();
        let theirs: Vec<&str> = answer.split(' ').take(9).collect();
        checked += 1;
        if ours.trim_end() != theirs.join(" ") {
            wrong.push(format!("{line}\n   ours {ours}"));
        }
    }
    (checked, wrong)
}

#[allow(clippy::print_stdout)] // how many were compared is worth reading
fn assert_no_difference(text: &str, at_least: usize) {
    let (checked, wrong) = differences(text);
    let first = &wrong[..wrong.len().min(10)];
    assert!(wrong.is_empty(), "{} of {checked} differ:\n{}", wrong.len(), first.join("\n"));
    assert!(checked >= at_least, "only {checked} configurations");
    println!("{checked} configurations agree");
}

#[test]
fn no_difference_to_the_answers_beside_the_checkout() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/samples/occupancy/vectors.txt");
    match std::fs::read_to_string(path) {
        Ok(text) => assert_no_difference(&text, 5000),
        Err(_) => println!("SKIPPED: {path} is not here"),
    }
}
