//! How fields of kernel files are written, for errors about those that are not.

use crate::catalogue::FieldExample;

/// The first that fits a field is the one said.
pub(super) const EXAMPLES: [FieldExample; 12] = [
    example("work", COUNT),
    example("shared_memory", COUNT),
    example("registers", COUNT),
    example("launch.block", r#"block = ["256"]"#),
    example("launch.grid", r#"grid = ["ceil(n / 256)"]"#),
    example("launch", r#"[launch] with block = ["256"], grid = ["ceil(n / 256)"], source = "own""#),
    example("compiled.resources", r#"resources = { "8.9" = { registers = 32 } }"#),
    example("compiled", r#"[[compiled]] with source = "own" and resources = { "8.9" = { registers = 32 } }"#),
    example("problem.keys", r#"keys = ["n"]"#),
    example("problem.sizes", r#"@ = "n=4096""#),
    example("let", r#"@ = "2 * n""#),
    example("sources", r#"[sources.own] with kind = "measured" and title = "my own notes""#),
];

/// A count, as [`CountFile`](super::block_formulas::CountFile) reads it.
const COUNT: &str = r#"@ = { formula = "12*n", source = "own" }"#;

const fn example(field: &'static str, line: &'static str) -> FieldExample {
    FieldExample { field, line }
}
