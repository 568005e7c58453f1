//! One configuration of a Kernel Tuner cache as a canonical row.

use crate::import::ImportRefusal;
use crate::import::lines::{attribute, clipped_cell, refusal, snake};
use crate::measurement::{CanonicalRow, LONGEST_MS, Number};
use crate::stats::sample_deviation;
use serde_json::{Map, Value};

/// The members of an entry: the values of its parameters, its time, and what else was observed.
pub(super) type TunedEntry = Map<String, Value>;

/// What became of a configuration.
pub(super) enum EntryVerdict {
    /// It ran.
    Timed(Box<CanonicalRow>),
    /// It has no time: what happened to it.
    Failed(&'static str),
}

/// What the file says of all of its entries.
#[derive(Default)]
pub(super) struct Tuned {
    /// As the driver names it; blank where the tuner did not know.
    pub(super) gpu: Option<String>,
    kernel: String,
    problem: Option<String>,
    keys: Option<Vec<String>>,
}

/// Parameters that are the block itself, as Kernel Tuner names them unless told otherwise.
const BLOCK: [&str; 3] = ["block_size_x", "block_size_y", "block_size_z"];

/// What the tuner writes about its own work, not about the kernel.
const BOOKKEEPING: [&str; 8] = [
    "time",
    "times",
    "compile_time",
    "verification_time",
    "benchmark_time",
    "strategy_time",
    "framework_time",
    "timestamp",
];

/// Where a time should be and none can be: the number by which the tuner ranks failures, in milliseconds.
const FAILED_MS: f64 = 1e20;

impl Tuned {
    /// The members that this reads.
    pub(super) const MEMBERS: [&str; 4] = ["device_name", "kernel_name", "problem_size", "tune_params_keys"];

    /// Takes one member of the file.
    pub(super) fn member(&mut self, name: &str, value: &Value) -> Result<(), String> {
        let wrong =
            |expected: &str| format!("{name}: {}: expected {expected}", clipped_cell(&value.to_string()));
        match name {
            "device_name" => {
                self.gpu = Some(value.as_str().ok_or_else(|| wrong("a text"))?.trim().to_string())
            }
            "kernel_name" => {
                let text = value.as_str().map(str::trim).filter(|t| !t.is_empty());
                self.kernel = text.ok_or_else(|| wrong("a name"))?.to_string();
            }
            "problem_size" => self.problem = Some(problem_text(value).ok_or_else(|| wrong("sizes"))?),
            _ => {
                let keys =
                    value.as_array().and_then(|a| a.iter().map(|k| k.as_str().map(str::to_string)).collect());
                self.keys = Some(keys.ok_or_else(|| wrong("a list of names"))?);
            }
        }
        Ok(())
    }

    /// The first member that was not there.
    pub(super) fn missing(&self) -> Option<&'static str> {
        let absent = [self.kernel.is_empty(), self.problem.is_none(), self.keys.is_none()];
        absent.iter().zip(&Self::MEMBERS[1..]).find(|(absent, _)| **absent).map(|(_, name)| *name)
    }

    /// Whether an entry can be understood.
    pub(super) fn is_complete(&self) -> bool {
        self.missing().is_none() && self.gpu.is_some()
    }

    /// The row of an entry.
    pub(super) fn entry_verdict(
        &self,
        key: &str,
        entry: TunedEntry,
        source: &str,
    ) -> Result<EntryVerdict, ImportRefusal> {
        let whose = |why: String| format!("configuration `{}`: {why}", clipped_cell(key));
        let ms = match entry.get("time") {
            Some(Value::String(how)) => return failure(how).map_err(|why| refusal("time", whose(why))),
            Some(Value::Number(n)) => n.as_f64().unwrap_or(f64::NAN),
            Some(other) => {
                return Err(refusal(
                    "time",
                    whose(format!("{}: expected milliseconds", clipped_cell(&other.to_string()))),
                ));
            }
            None => return Err(refusal("time", whose("is missing; expected milliseconds".into()))),
        };
        if ms >= FAILED_MS {
            return Ok(EntryVerdict::Failed("failed"));
        }
        if !(ms > 0.0 && ms <= LONGEST_MS) {
            return Err(refusal(
                "time",
                whose(format!("{ms:?}: expected milliseconds above 0 and below 1e9")),
            ));
        }
        let keys = self.keys.as_deref().unwrap_or_default();
        if let Some(absent) = keys.iter().find(|k| !entry.contains_key(*k)) {
            return Err(refusal(absent, whose("the parameter is missing from the entry".into())));
        }
        let mut row = CanonicalRow {
            gpu: self.gpu.clone().unwrap_or_default(),
            kernel: self.kernel.clone(),
            problem: self.problem.clone().unwrap_or_default(),
            variant: variant(keys, &entry),
            block: block(&entry).map_err(|(column, why)| (column, whose(why)))?,
            source: source.to_string(),
            ..CanonicalRow::default()
        };
        row.set(Number::Time, Some(ms));
        observe(&mut row, keys, &entry);
        Ok(EntryVerdict::Timed(Box::new(row)))
    }
}

/// Takes the single times, and what else was observed.
fn observe(row: &mut CanonicalRow, keys: &[String], entry: &TunedEntry) {
    let times: Option<Vec<f64>> =
        entry.get("times").and_then(Value::as_array).and_then(|t| t.iter().map(Value::as_f64).collect());
    if let Some(times) = times.filter(|t| !t.is_empty()) {
        row.set(Number::TimeStd, sample_deviation(&times));
        row.set(Number::Trials, Some(times.len() as f64));
    }
    let observed = entry.iter().filter(|(k, _)| !keys.contains(k) && !BOOKKEEPING.contains(&k.as_str()));
    let named =
        observed.filter(|(_, v)| v.is_number() || v.is_string()).map(|(k, v)| (attribute(k), value_text(v)));
    row.attributes.extend(named.filter(|(name, value)| !name.is_empty() && !value.is_empty()));
}

/// The words that stand in place of a time.
fn failure(how: &str) -> Result<EntryVerdict, String> {
    Ok(EntryVerdict::Failed(match how {
        "CompilationFailedConfig" => "failed to compile",
        "RuntimeFailedConfig" => "failed to run",
        "InvalidConfig" => "are not allowed on this device",
        "ErrorConfig" => "failed",
        other => {
            let known = "milliseconds, CompilationFailedConfig, RuntimeFailedConfig or InvalidConfig";
            return Err(format!("`{}`: expected {known}", clipped_cell(other)));
        }
    }))
}

/// `x=4096;y=4096` from `[4096, 4096]`, `4096` or `"4096"`; another text is kept as a word.
fn problem_text(value: &Value) -> Option<String> {
    let sizes = |values: &[Value]| {
        let named = ["x", "y", "z"].iter().zip(values).map(|(axis, v)| match v {
            Value::Number(_) => Some(format!("{axis}={v}")),
            Value::String(s) if !s.trim().is_empty() => Some(format!("{axis}={}", plain(s))),
            _ => None,
        });
        let all: Option<Vec<String>> = named.collect();
        all.filter(|all| (1..=3).contains(&values.len()) && all.len() == values.len())
            .map(|all| all.join(";"))
    };
    match value {
        Value::Array(values) => sizes(values),
        one => sizes(std::slice::from_ref(one)),
    }
}

/// The parameters that are not the block, in the tuner's order: `MWG=128;NWG=64`.
fn variant(keys: &[String], entry: &TunedEntry) -> String {
    let parts = keys.iter().filter(|k| !BLOCK.contains(&k.as_str())).filter_map(|k| {
        let name = if snake(k).is_empty() { return None } else { plain(k) };
        Some(format!("{name}={}", entry.get(k).map(value_text).unwrap_or_default()))
    });
    parts.collect::<Vec<_>>().join(";")
}

/// Threads per block; unknown where the parameters have other names. Absent ones are 1, as for the tuner.
fn block(entry: &TunedEntry) -> Result<Option<[u64; 3]>, ImportRefusal> {
    if !entry.contains_key(BLOCK[0]) {
        return Ok(None);
    }
    let mut out = [1; 3];
    for (slot, name) in out.iter_mut().zip(BLOCK) {
        let Some(value) = entry.get(name) else { continue };
        // Python's integers become floats in some files: 32.0.
        let size = value.as_f64().filter(|v| v.fract() == 0.0 && (1.0..=1024.0).contains(v));
        *slot = size.ok_or_else(|| {
            refusal(
                name,
                format!("{}: expected a whole number from 1 to 1024", clipped_cell(&value.to_string())),
            )
        })? as u64;
    }
    Ok(Some(out))
}

/// A value without the signs that separate keys.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(s) => plain(s),
        other => plain(&other.to_string()),
    }
}

fn plain(text: &str) -> String {
    let clean = |c: char| if matches!(c, ';' | '=' | ',') || c.is_control() { ' ' } else { c };
    text.chars().map(clean).collect::<String>().trim().to_string()
}
