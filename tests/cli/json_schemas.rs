//! What `--format json` answers fits the schemas of docs/schema, and they name nothing that no answer has.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::desk::Desk;
use crate::docs_samples::put_samples;
use crate::rank_stories::HELD;
use crate::train_stories::launches;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Fields that no answer of this test has a value of: kept trainings with a coverage, tiles that cannot run, evaluations without
/// any prediction.
const RARE: [(&str, &str); 3] =
    [("train", "coverage_90_percent"), ("gemm", "refused"), ("evaluate", "reason")];

/// A schema and commands whose answers it describes.
const ANSWERS: [(&str, &[&str]); 18] = [
    (
        "predict",
        &[
            "predict --from titan-v --to rtx-4070,l4 --kernel saxpy --size n=1048576",
            "predict --from titan-v --to rtx-4070 --kernel saxpy --model all",
            "predict --data all-gpus.csv --from titan-v,rtx-3090 --to rtx-4070 --kernel saxpy",
            "predict --data held.csv --kernel sobel --to l40s",
            "predict --kernel torch_linear --to l40s",
            "predict --batch runs.csv --to l4",
            "predict --batch refused.csv --to l4",
            "predict --time 1ms --from titan-v --to l4 --dram-bytes 50MB",
            "predict --data variants.csv --from titan-v --to l4",
        ],
    ),
    (
        "predict-explain",
        &[
            "predict --from titan-v --to rtx-4070 --kernel saxpy --explain",
            "predict --data variants.csv --from titan-v --to l4 --explain",
            "predict --kernel torch_linear --size n=4096 --to rtx-4090,l4 --explain",
            "predict --data large.csv --to l4,b300 --explain",
        ],
    ),
    (
        "rank",
        &[
            "rank --from titan-v --kernel saxpy --prices prices.csv",
            "rank --from titan-v --mix mix.toml --to rtx-4070,l4",
            "rank --data held.csv --kernel sobel --to l40s",
            "rank --kernel torch_linear --to l40s",
        ],
    ),
    (
        "whatif",
        &[
            "whatif --gpu rtx-4070 --from titan-v --kernel saxpy --set mem=+20% --tornado --solve mem",
            "whatif --gpu rtx-4070 --from titan-v --kernel saxpy --set mem=+20% --set sm=+10%",
            "whatif --gpu rtx-4070,l4 --from titan-v --kernel saxpy --tornado",
            "whatif --gpu rtx-4070 --from titan-v --kernel saxpy --solve sms --goal 1us",
        ],
    ),
    (
        "occupancy",
        &[
            "occupancy --gpu rtx-4070 --threads 256 --regs 40 --grid 1000",
            "occupancy --gpu titan-v,rtx-4070 --threads 1024 --regs 255 --smem 48KB",
            "occupancy --gpu h100-sxm5 --threads 128 --regs 32 --barriers 8",
        ],
    ),
    ("gpus", &["gpus"]),
    ("gpu", &["gpus h100-sxm5", "gpus titan-v"]),
    ("kernels", &["kernels", "kernels --data all-gpus.csv"]),
    ("kernel", &["kernels saxpy", "kernels matmul_tiled", "kernels linear_bf16"]),
    (
        "app",
        &[
            "app trace.json.gz --to l4,h100-sxm5 --prices prices.csv --kernels",
            "app trace.json.gz --range step#1",
            "app report.sqlite --to l4 --kernels",
            "app copies.json",
        ],
    ),
    (
        "evaluate",
        &[
            "evaluate --data all-gpus.csv",
            "evaluate --data all-gpus.csv --protocol new-kernel",
            "evaluate --data all-gpus.csv --sources all --known-rows 2",
            "evaluate --data all-gpus.csv --data variants.csv",
        ],
    ),
    (
        "train",
        &[
            "train hybrid --data all-gpus.csv",
            "train forest --data all-gpus.csv",
            "train paper3 --data mine.csv --trials 2",
        ],
    ),
    // What the trainings above kept.
    (
        "models",
        &["models", "models --data all-gpus.csv", "models --from titan-v --to rtx-4070 --kernel saxpy"],
    ),
    ("audit", &["audit all-gpus.csv"]),
    ("metrics", &["metrics --data all-gpus.csv --data variants.csv", "metrics --data few.csv"]),
    ("metrics-kernel", &["metrics saxpy --gpu rtx-2080-ti"]),
    ("gemm", &["gemm --gpu rtx-4070 --n 1024"]),
    ("check", &["check ptxas.log --baseline few.json", "check ptxas.log --no-spills"]),
];

fn schema_folder() -> PathBuf {
    Path::new(env!("ROOFSWAP_CHECKOUT")).join("docs/schema")
}

fn schema(name: &str) -> Value {
    let path = schema_folder().join(format!("{name}.json"));
    serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap()
}

/// A trace with copies in two directions.
fn trace_with_copies() -> String {
    let event = |at: u64, category: &str, name: &str, more: Value| json!({"ph": "X", "cat": category, "name": name, "pid": 0, "tid": 7, "ts": at, "dur": 50, "args": more});
    let copy = |at, name: &str| {
        event(at, "gpu_memcpy", name, json!({"device": 0, "stream": 7, "correlation": at, "bytes": 4096}))
    };
    let launch = json!({"device": 0, "stream": 7, "correlation": 3, "grid": [8, 1, 1], "block": [128, 1, 1]});
    json!({
        "deviceProperties": [{"id": 0, "name": "NVIDIA L4"}],
        "traceEvents": [copy(1, "Memcpy HtoD (Pageable -> Device)"), event(100, "kernel", "axpy", launch), copy(200, "Memcpy DtoH (Device -> Pageable)")],
    })
    .to_string()
}

/// A kernel in eight variants on three GPUs; which is fastest depends on the GPU.
fn variants() -> String {
    let mut text =
        String::from("gpu,kernel,problem,variant,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n");
    for (place, gpu) in ["titan-v", "rtx-2080-ti", "rtx-3090"].into_iter().enumerate() {
        for v in 1..9_u32 {
            let ms = (0.3 + 0.05 * (f64::from(v) - 4.0 - place as f64).abs()) / (1.0 + 0.2 * place as f64);
            let (block, regs) = (32 * v, 24 + v);
            let line =
                format!("{gpu},my_product,n=1024,tile={v},{block},4096,{regs},2147483648,12582912,{ms}");
            text += &(line + "\n");
        }
    }
    text
}

fn desk() -> Desk {
    let desk = Desk::new();
    put_samples(&desk.path(""));
    desk.file("copies.json", trace_with_copies());
    desk.file("variants.csv", variants());
    desk.file("held.csv", HELD);
    desk.file("mine.csv", launches());
    desk.file("few.csv", "gpu,kernel,problem,block,grid,time_ms\nrtx-2080-ti,mine,n=2000,,,1\n");
    desk.file("refused.csv", "gpu,kernel,problem,dram_bytes,time_ms\nl4,mine,n=1,5e7,1\n,mine,n=1,5e7,1\n");
    // Its block has more shared memory than one of an L4.
    desk.file("large.csv", "gpu,kernel,problem,block,grid,regs_per_thread,smem_dynamic_bytes,dram_bytes,time_ms\nb200,large,n=1,128,1000,32,205000,1e8,0.1\n");
    // A baseline of fewer kernels and targets.
    desk.types("check build/sm_80.log --baseline few.json --update").works();
    desk
}

/// What a command answers.
fn answer(desk: &Desk, words: &str) -> Value {
    let done = desk.types(&format!("{words} --format json"));
    let may_fail = ["check", "audit"].iter().any(|start| words.starts_with(start));
    assert!(done.code == 0 || (may_fail && done.code == 1), "{words}: {}", done.stderr);
    serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{words}: {e}: {}", done.stdout))
}

/// Compares values with a schema. It knows the keywords that docs/schema uses, no other; a property that the schema does not
/// name is an error, though not to a reader of ours: new ones may come.
struct Checker<'s> {
    root: &'s Value,
    errors: Vec<String>,
    /// The properties met, by what names them, and whether one had a value other than null.
    met: BTreeMap<*const Value, bool>,
}

impl<'s> Checker<'s> {
    fn new(root: &'s Value) -> Self {
        Self { root, errors: Vec::new(), met: BTreeMap::new() }
    }

    /// Whether a value fits; notes what it meets only then.
    fn fits(&self, schema: &'s Value, value: &Value) -> Option<BTreeMap<*const Value, bool>> {
        let mut alone = Self::new(self.root);
        alone.compare(schema, value, "");
        alone.errors.is_empty().then_some(alone.met)
    }

    fn compare(&mut self, schema: &'s Value, value: &Value, at: &str) {
        for (keyword, rule) in schema.as_object().unwrap() {
            let bound = || rule.as_f64().unwrap();
            let holds = match (keyword.as_str(), value) {
                ("$schema" | "$id" | "$defs" | "title" | "description", _) => true,
                ("type", _) => match rule {
                    Value::Array(any) => any.iter().any(|one| is_of(one, value)),
                    one => is_of(one, value),
                },
                ("enum", _) => rule.as_array().unwrap().contains(value),
                ("const", _) => rule == value,
                ("minimum", Value::Number(n)) => n.as_f64().unwrap() >= bound(),
                ("maximum", Value::Number(n)) => n.as_f64().unwrap() <= bound(),
                ("pattern", Value::String(text)) => {
                    assert_eq!(rule, "^[0-9]+\\.[0-9]+$", "the only pattern that this test knows");
                    text.split('.').count() == 2 && text.split('.').all(|n| n.parse::<u32>().is_ok())
                }
                ("minItems", Value::Array(all)) => all.len() as f64 >= bound(),
                ("maxItems", Value::Array(all)) => all.len() as f64 <= bound(),
                ("minimum" | "maximum" | "pattern" | "minItems" | "maxItems", _) => true,
                ("items", _) => {
                    value.as_array().into_iter().flatten().enumerate().for_each(|(i, item)| {
                        self.compare(rule, item, &format!("{at}/{i}"));
                    });
                    true
                }
                ("required", Value::Object(has)) => {
                    rule.as_array().unwrap().iter().all(|name| has.contains_key(name.as_str().unwrap()))
                }
                ("properties", Value::Object(has)) => self.compare_properties(rule, has, at),
                ("additionalProperties", Value::Object(has)) => {
                    assert!(schema.get("properties").is_none(), "one or the other: {schema}");
                    has.iter().for_each(|(name, value)| self.compare(rule, value, &format!("{at}/{name}")));
                    true
                }
                ("required" | "properties" | "additionalProperties", _) => true,
                ("oneOf", _) => {
                    let fitting: Vec<_> =
                        rule.as_array().unwrap().iter().filter_map(|one| self.fits(one, value)).collect();
                    let one = fitting.len() == 1;
                    fitting
                        .into_iter()
                        .flatten()
                        .for_each(|(of, seen)| *self.met.entry(of).or_default() |= seen);
                    one
                }
                ("$ref", _) => {
                    let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    self.compare(&self.root["$defs"][name], value, at);
                    true
                }
                (other, _) => panic!("this test does not know the keyword {other}"),
            };
            if !holds {
                self.errors.push(format!("{at}: {keyword} {rule}: {}", clipped(value)));
            }
        }
    }

    /// Every property by its schema, in the order of the schema; whether it names all of them.
    fn compare_properties(&mut self, named: &'s Value, has: &Map<String, Value>, at: &str) -> bool {
        let named = named.as_object().unwrap();
        let order: Vec<&String> = named.keys().filter(|name| has.contains_key(*name)).collect();
        for (name, value) in has {
            let Some(schema) = named.get(name) else { continue };
            *self.met.entry(schema).or_default() |= !value.is_null();
            self.compare(schema, value, &format!("{at}/{name}"));
        }
        order == has.keys().collect::<Vec<_>>()
    }
}

fn clipped(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("this test does not know the type {other}"),
    }
}

/// Every property that a schema names: where it stands, and what names it.
fn named_properties<'s>(schema: &'s Value, at: &str, all: &mut Vec<(String, &'s Value)>) {
    match schema {
        Value::Object(keywords) => {
            for (keyword, rule) in keywords {
                if keyword == "properties" {
                    all.extend(
                        rule.as_object().unwrap().iter().map(|(name, of)| (format!("{at}/{name}"), of)),
                    );
                }
                named_properties(rule, &format!("{at}/{keyword}"), all);
            }
        }
        Value::Array(rules) => rules.iter().for_each(|rule| named_properties(rule, at, all)),
        _ => {}
    }
}

#[test]
fn every_answer_fits_its_schema_and_fills_every_field_of_it() {
    let desk = desk();
    for (name, commands) in ANSWERS {
        let schema = schema(name);
        let mut checker = Checker::new(&schema);
        for words in commands {
            let answer = answer(&desk, words);
            checker.compare(&schema, &answer, words);
        }
        assert!(checker.errors.is_empty(), "docs/schema/{name}.json\n{}", checker.errors.join("\n"));
        let mut named = Vec::new();
        named_properties(&schema, "", &mut named);
        assert!(named.len() > 2, "{name} names nothing");
        let empty: Vec<&str> = named
            .iter()
            .filter(|(_, of)| checker.met.get(&std::ptr::from_ref(*of)) != Some(&true))
            .filter(|(at, _)| {
                !RARE.iter().any(|(of, field)| *of == name && at.ends_with(&format!("/{field}")))
            })
            .map(|(at, _)| at.as_str())
            .collect();
        assert_eq!(empty, [""; 0], "docs/schema/{name}.json: no answer of this test has a value of these");
    }
}

/// The value with each required field of its first objects taken away, renamed, and of another type.
fn spoiled(value: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    match value {
        Value::Array(items) => {
            let first = items.first().map(|first| (first, &items[1..]));
            for (what, spoiled) in first.iter().flat_map(|(first, _)| spoiled(first)) {
                all.push((what, Value::Array(vec![spoiled])));
            }
        }
        Value::Object(fields) => {
            for (name, of) in fields {
                let with = |name: &str, of: Option<Value>| {
                    let mut changed = fields.clone();
                    match of {
                        Some(of) => drop(changed.insert(name.into(), of)),
                        None => drop(changed.shift_remove(name)),
                    }
                    Value::Object(changed)
                };
                all.push((format!("without {name}"), with(name, None)));
                all.push((format!("{name} as a list of lists"), with(name, Some(json!([[["odd"]]])))));
                for (what, spoiled) in spoiled(of) {
                    all.push((format!("{name}: {what}"), with(name, Some(spoiled))));
                }
            }
            let mut more = fields.clone();
            more.insert("new_field".into(), Value::Null);
            all.push(("a field that no schema names".into(), Value::Object(more)));
        }
        _ => {}
    }
    all
}

#[test]
fn a_schema_refuses_answers_with_a_field_less_or_of_another_type() {
    let desk = desk();
    for (name, words) in [
        ("predict-explain", "predict --from titan-v --to rtx-4070 --kernel saxpy --explain"),
        ("rank", "rank --from titan-v --kernel saxpy --to l4"),
        ("whatif", "whatif --gpu rtx-4070 --from titan-v --kernel saxpy --tornado --solve mem --goal 7ms"),
        ("app", "app trace.json.gz --to l4"),
        ("gpus", "gpus"),
    ] {
        let schema = schema(name);
        let answer = answer(&desk, words);
        assert!(Checker::new(&schema).fits(&schema, &answer).is_some());
        let changed = spoiled(&answer);
        assert!(changed.len() > 20, "{name}");
        for (what, changed) in changed {
            assert!(Checker::new(&schema).fits(&schema, &changed).is_none(), "{name} takes an answer {what}");
        }
    }
}

#[test]
fn every_schema_is_tested_and_named_in_the_docs() {
    let files: BTreeSet<String> = fs::read_dir(schema_folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().trim_end_matches(".json").to_string())
        .collect();
    assert_eq!(files, ANSWERS.iter().map(|(name, _)| (*name).to_string()).collect());
    let page = fs::read_to_string(schema_folder().join("../json.md")).unwrap();
    for name in files {
        assert!(page.contains(&format!("[`{name}`](schema/{name}.json)")), "docs/json.md lacks {name}");
        let id = &schema(&name)["$id"];
        assert_eq!(id, &format!("urn:roofswap:schema-{}:{name}", version()), "docs/schema/{name}.json");
    }
}

/// The number behind `schema_version` of `--version`.
fn version() -> String {
    let said = Desk::new().types("--version").works().stdout;
    said.lines().find_map(|line| line.strip_prefix("schema_version ")).unwrap().to_string()
}
