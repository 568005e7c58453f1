//! Code variants: `MWG=64;NWG=64;SA=1`, the choices that made one binary of a kernel's source.
//!
//! A kernel file declares the keys its formulas read. What else a variant says (`impl=...`) tells measurements apart and
//! is not looked at here.

use super::formula::{Formula, FormulaError};
use super::problem::shorten;
use super::variant_error::VariantError;
use crate::catalogue::Spanned;
use crate::units::LARGEST_WHOLE;
use serde::Deserialize;
use std::collections::BTreeMap;

/// `[variant]` of a kernel file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VariantFile {
    pub(super) keys: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) defaults: BTreeMap<String, Spanned<String>>,
    pub(super) example: Option<Spanned<String>>,
}

/// The variant keys of a kernel file, in order.
#[derive(Debug, Default)]
pub(super) struct VariantKeys {
    pub(super) names: Vec<String>,
    /// For keys that were left out, one place per key; the scope is the problem keys and the variant keys before.
    pub(super) defaults: Vec<Option<Formula>>,
    /// A whole variant: the one that is shown where none was measured.
    pub(super) example: String,
}

impl VariantKeys {
    /// Puts the number of every declared key behind what stands in `scope`: the problem's numbers.
    pub(super) fn add_to_scope(&self, variant: &str, scope: &mut Vec<f64>) -> Result<(), FormulaError> {
        if self.names.is_empty() {
            return Ok(());
        }
        let first = scope.len();
        scope.resize(first + self.names.len(), f64::NAN);
        for (key, value) in parts(variant) {
            let Some(at) = self.names.iter().position(|name| name == key) else { continue };
            if !scope[first + at].is_nan() {
                return Err(VariantError::Twice(shorten(key)).into());
            }
            let number = value.parse::<f64>().ok().filter(|n| (0.0..=LARGEST_WHOLE).contains(n));
            let refused = || VariantError::NotANumber { key: shorten(key), value: shorten(value) };
            scope[first + at] = number.ok_or_else(refused)?;
        }
        for (at, default) in self.defaults.iter().enumerate() {
            if scope[first + at].is_nan() {
                let default = default.as_ref().ok_or_else(|| self.missing(at))?;
                scope[first + at] = default.eval(scope)?;
            }
        }
        Ok(())
    }

    fn missing(&self, at: usize) -> VariantError {
        VariantError::Missing {
            key: self.names[at].clone(),
            keys: self.names.join(", "),
            example: self.example.clone(),
        }
    }

    /// What a person typed, its keys in the file's order, so that it is found whatever order they were typed in.
    pub(super) fn typed(&self, text: &str) -> Result<String, VariantError> {
        let unknown = |(key, _): &(&str, &str)| self.names.iter().all(|name| name != key);
        if let Some((key, _)) = parts(text).find(unknown) {
            return Err(VariantError::Unknown { key: shorten(key), keys: self.names.join(", ") });
        }
        Ok(self.ordered(text))
    }

    /// The declared keys alone, in the file's order.
    pub(super) fn declared(&self, text: &str) -> String {
        let own = parts(text).filter(|(key, _)| self.names.iter().any(|name| name == key));
        let own: Vec<String> = own.map(|(key, value)| format!("{key}={value}")).collect();
        self.ordered(&own.join(";"))
    }

    /// The same variant with its declared keys first and in the file's order.
    pub(super) fn ordered(&self, text: &str) -> String {
        let mut pairs: Vec<(&str, &str)> = parts(text).collect();
        let place = |key: &str| self.names.iter().position(|n| n == key).unwrap_or(usize::MAX);
        pairs.sort_by_key(|(key, _)| place(key));
        let whole = |(key, value): (&str, &str)| {
            if value.is_empty() { String::from(key) } else { format!("{key}={value}") }
        };
        pairs.into_iter().map(whole).collect::<Vec<_>>().join(";")
    }
}

/// `a=1;b` as `(a, 1)` and `(b, )`.
fn parts(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = text.split([';', ',']).map(str::trim).filter(|p| !p.is_empty());
    parts.map(|p| p.split_once('=').map_or((p, ""), |(key, value)| (key.trim(), value.trim())))
}

#[cfg(test)]
mod tests {
    use super::super::{Count, Kernel, RunsAs, load_text};
    use crate::catalogue::{Catalogue, FileError, SpecFile, shipped_sources};

    /// A kernel file with these lines for its variant, and these `let`s.
    fn file(variant: &str, lets: &str) -> String {
        format!(
            r#"
            id = "k"
            name = "k"
            summary = "s"
            category = "compute"
            dtype = "fp32"
            source = "paper1"
            [problem]
            keys = ["n"]
            sizes = {{ small = "n=100" }}
            [variant]
            {variant}
            [let]
            {lets}
            [work]
            flops = {{ formula = "2*n*TX", source = "paper1" }}
            "#
        )
    }

    fn read(variant: &str, lets: &str) -> Result<Kernel, FileError> {
        let mut all = Catalogue::new("kernel");
        let text = file(variant, lets);
        load_text(SpecFile { name: "k.toml", text: &text }, &shipped_sources().unwrap(), &mut all)?;
        Ok(all.entries()[0].clone())
    }

    fn flops(kernel: &Kernel, variant: &str) -> Result<f64, String> {
        let n = kernel.typed("n=100").unwrap();
        let made = kernel.instance(&n, variant).map_err(|e| e.to_string())?;
        Ok(made.work.get(Count::Flops).unwrap())
    }

    const KEYS: &str = "keys = ['TX', 'SA']\nexample = 'TX=2;SA=1'";

    #[test]
    fn formulas_see_the_variant_whatever_stands_beside() {
        let k = read(KEYS, "").unwrap();
        assert_eq!(k.variant_keys(), ["TX", "SA"]);
        assert_eq!((k.runs_as, k.has_formulas()), (RunsAs::Kernel, true));
        for variant in ["TX=3;SA=0", "SA=0;TX=3", "impl=ampere_sgemm;TX=3;SA=0", " TX = 3 , SA=0;word"] {
            assert_eq!(flops(&k, variant), Ok(600.0), "{variant}");
        }
        assert_eq!(flops(&k, "TX=0;SA=0"), Ok(0.0));
        assert!(k.same_variant("SA=0;TX=3", "TX=3;SA=0") && !k.same_variant("SA=0;TX=3", "TX=3;SA=1"));
        // No launch was declared, and none is made up.
        assert_eq!(k.instance(&k.typed("n=100").unwrap(), "TX=1;SA=1").unwrap().launch, None);
        assert_eq!(k.block_count(&k.typed("n=100").unwrap(), "TX=1;SA=1"), None);
    }

    #[test]
    fn what_a_variant_lacks_or_says_in_words_is_named() {
        let k = read(KEYS, "").unwrap();
        for (variant, said) in [
            ("", "need the variant key `TX`; give all of TX, SA, as in --variant 'TX=2;SA=1'"),
            ("impl=x", "need the variant key `TX`"),
            ("TX=3", "need the variant key `SA`"),
            ("TX=wide;SA=0", "variant key TX=wide: expected a number"),
            ("TX;SA=0", "variant key TX=: expected a number"),
            ("TX=-1;SA=0", "variant key TX=-1: expected a number from 0"),
            ("TX=1e300;SA=0", "TX=1e300"),
            ("TX=inf;SA=0", "TX=inf"),
            ("TX=nan;SA=0", "TX=nan"),
            ("TX=1;TX=2;SA=0", "`TX` stands twice"),
        ] {
            let why = flops(&k, variant).unwrap_err();
            assert!(why.contains(said), "{variant}: {why}");
        }
        assert_eq!(k.typed_variant("SA=1;TX=4"), Ok("TX=4;SA=1".into()));
        assert!(
            k.typed_variant("TY=4")
                .unwrap_err()
                .to_string()
                .contains("no variant key `TY`; the keys are TX, SA")
        );
    }

    #[test]
    fn defaults_follow_the_problem_and_the_keys_before() {
        let k = read("keys = ['TX', 'SA']\ndefaults = { TX = 'n/50', SA = 'TX+1' }", "b = 'SA*a'\na = '1'")
            .unwrap();
        assert_eq!(flops(&k, ""), Ok(400.0));
        assert_eq!(flops(&k, "TX=5"), Ok(1000.0));
        assert_eq!(k.example_variant(), "");
    }

    #[test]
    fn a_file_whose_variant_makes_no_sense_is_refused_with_its_line() {
        for (variant, lets, said) in [
            ("keys = ['TX', 'n']\nexample = 'TX=2'", "", "`n` has a meaning already"),
            ("keys = ['TX', 'TX']\nexample = 'TX=2'", "", "`TX` has a meaning already"),
            ("keys = ['TX', 'max']\nexample = 'TX=2'", "", "`max` has a meaning already"),
            ("keys = ['TX', 'PI']\nexample = 'TX=2'", "", "`PI` has a meaning already"),
            ("keys = ['TX', 'threads']\nexample = 'TX=2'", "", "`threads` has a meaning already"),
            ("keys = ['TX', '2x']\nexample = 'TX=2'", "", "`2x` is no name"),
            ("keys = ['TX', 'a b']\nexample = 'TX=2'", "", "`a b` is no name"),
            ("keys = ['TX']\ndefaults = { TY = '1' }", "", "`TY` is not among variant.keys"),
            ("keys = ['TX', 'SA']\ndefaults = { TX = 'SA', SA = '1' }", "", "unknown name `SA`"),
            ("keys = ['TX']", "", "variant.keys: a key has no default: expected an example"),
            ("keys = ['TX']\nexample = 'TX=a'", "", "variant.example: variant key TX=a"),
            ("keys = ['TX']\nexample = 'TX=1;TY=1'", "", "variant.example: there is no variant key `TY`"),
            ("keys = ['TY']\nexample = 'TY=1'", "", "unknown name `TX`"),
            (KEYS, "TX = '1'", "`TX` has a meaning already"),
            (KEYS, "a = 'b'\nb = 'c+1'\nc = 'a'", "let.a: each of a, b, c waits for another"),
            (KEYS, "a = 'a'", "let.a: each of a waits for another or itself"),
            (KEYS, "a = 'd'", "let.a: formula `d`: unknown name `d`"),
        ] {
            let why = read(variant, lets).map(|k| k.id).unwrap_err().to_string();
            assert!(why.contains(said), "{variant} {lets}: {why}");
            assert!(why.starts_with("k.toml:"), "{why}");
        }
    }
}
