//! Formulas of kernel files: parsed once, checked for unknown names, evaluated at every keystroke.

use super::expression::Expression;
use super::functions::is_taken;
use super::variant_error::VariantError;

/// The most names one formula may use.
const MOST_NAMES: usize = 16;

/// The longest formula; a real one has some thirty characters.
const LONGEST: usize = 400;

/// A formula bound to the places of its names in a scope.
#[derive(Debug, Clone)]
pub struct Formula {
    /// The field it stands in, once that is known; for errors.
    field: Box<str>,
    text: String,
    expression: Expression,
    slots: Vec<usize>,
}

/// Why a formula was refused or gave no number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// It does not parse.
    #[error("formula `{text}`: {why}")]
    Syntax {
        /// The formula.
        text: String,
        /// The parser's words.
        why: String,
    },
    /// It uses a name that is not in scope.
    #[error("formula `{text}`: unknown name `{name}`; known here: {known}")]
    UnknownName {
        /// The formula.
        text: String,
        /// The name.
        name: String,
        /// What it could be.
        known: String,
    },
    /// Its value is not a finite number.
    #[error("{field}formula `{text}` gives {value} for {scope}: division by zero or overflow")]
    NotFinite {
        /// The field it stands in, with `: `; empty where that is not known.
        field: Box<str>,
        /// The formula.
        text: String,
        /// `inf`, `-inf` or `NaN`.
        value: String,
        /// The names and their values.
        scope: String,
    },
    /// Its value is below 1, where there is at least one.
    #[error("{field}formula `{text}` gives {value} for {scope}: expected at least 1")]
    BelowOne {
        /// The field it stands in, with `: `; empty where that is not known.
        field: Box<str>,
        /// The formula.
        text: String,
        /// The value.
        value: String,
        /// The names and their values.
        scope: String,
    },
    /// The code variant has no number for a key that the formulas read.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// Its value is negative.
    #[error("{field}formula `{text}` gives {value} for {scope}: a count cannot be negative")]
    Negative {
        /// The field it stands in, with `: `; empty where that is not known.
        field: Box<str>,
        /// The formula.
        text: String,
        /// The value.
        value: String,
        /// The names and their values.
        scope: String,
    },
}

impl Formula {
    /// Parses `text`; its names must be among `names`, whose order is that of the values given to [`Formula::eval`].
    ///
    /// # Errors
    /// [`FormulaError::Syntax`] or [`FormulaError::UnknownName`].
    pub fn parse(text: &str, names: &[String]) -> Result<Self, FormulaError> {
        let syntax = |why: String| FormulaError::Syntax { text: crate::text::clipped_text(text, 80), why };
        // Short, so that neither its depth nor an error that quotes it has to be bounded elsewhere.
        if text.len() > LONGEST {
            return Err(syntax(format!("has {} characters; at most {LONGEST} are allowed", text.len())));
        }
        let is_allowed = |c: char| {
            c.is_ascii_alphanumeric()
                || matches!(c, '_' | '.' | ',' | '+' | '-' | '*' | '/' | '^' | '(' | ')' | ' ')
        };
        if let Some(c) = text.chars().find(|c| !is_allowed(*c)) {
            return Err(syntax(format!("has {c:?}; expected letters, digits and _ . , + - * / ^ ( )")));
        }
        let expression = Expression::parse(text).map_err(syntax)?;
        let used = expression.names();
        if used.len() > MOST_NAMES {
            return Err(syntax(format!("uses {} names; at most {MOST_NAMES} are allowed", used.len())));
        }
        let slots = slots_of(text, used, names)?;
        Ok(Self { field: "".into(), text: text.to_string(), expression, slots })
    }

    /// The same formula bound to names in another order.
    ///
    /// # Errors
    /// [`FormulaError::UnknownName`] where one that it uses is not among them.
    pub(super) fn bound_to(self, names: &[String]) -> Result<Self, FormulaError> {
        let slots = slots_of(&self.text, self.expression.names(), names)?;
        Ok(Self { slots, ..self })
    }

    /// Whether a formula can use this word, of letters, digits and `_`, as a name.
    pub(super) fn is_free_name(word: &str) -> bool {
        word.len() <= LONGEST && !is_taken(word)
    }

    /// The same formula, whose errors name the field it stands in.
    #[must_use]
    pub(super) fn in_field(self, field: &str) -> Self {
        Self { field: field.into(), ..self }
    }

    /// As errors begin: the field it stands in, with `: `, where it is known.
    fn field_of_error(&self) -> Box<str> {
        if self.field.is_empty() { "".into() } else { format!("{}: ", self.field).into() }
    }

    /// The names it uses.
    pub(super) fn uses(&self) -> &[String] {
        self.expression.names()
    }

    /// Whether it uses no name.
    pub(super) fn is_constant(&self) -> bool {
        self.slots.is_empty()
    }

    /// The formula as it was typed.
    #[must_use]
    pub fn source_text(&self) -> &str {
        &self.text
    }

    /// Its value; `scope` has one value per name of [`Formula::parse`].
    ///
    /// # Errors
    /// [`FormulaError::NotFinite`] or [`FormulaError::Negative`].
    pub fn eval(&self, scope: &[f64]) -> Result<f64, FormulaError> {
        let mut values = [0.0; MOST_NAMES];
        for (value, slot) in values.iter_mut().zip(&self.slots) {
            *value = scope[*slot];
        }
        let value = self.expression.evaluate(&values[..self.slots.len()]);
        if value.is_finite() && value >= 0.0 {
            return Ok(value);
        }
        let (field, text, scope) = (self.field_of_error(), self.text.clone(), self.scope(&values));
        let value = value.to_string();
        Err(if value.starts_with("-") && value != "-inf" {
            FormulaError::Negative { field, text, value, scope }
        } else {
            FormulaError::NotFinite { field, text, value, scope }
        })
    }

    /// [`Formula::eval`] for what cannot be less than 1, such as the width of a block.
    ///
    /// # Errors
    /// [`FormulaError::BelowOne`], and those of [`Formula::eval`].
    pub(super) fn at_least_one(&self, scope: &[f64]) -> Result<f64, FormulaError> {
        let value = self.eval(scope)?;
        if value >= 1.0 {
            return Ok(value);
        }
        let values: Vec<f64> = self.slots.iter().map(|slot| scope[*slot]).collect();
        let (field, text, scope) = (self.field_of_error(), self.text.clone(), self.scope(&values));
        Err(FormulaError::BelowOne { field, text, value: value.to_string(), scope })
    }

    /// `n=1, m=2`: its names and their values.
    fn scope(&self, values: &[f64]) -> String {
        let names = self.expression.names().iter().zip(values);
        names.map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(", ")
    }
}

/// The places of names in a scope.
fn slots_of(text: &str, used: &[String], names: &[String]) -> Result<Vec<usize>, FormulaError> {
    let slot = |name: &String| {
        names.iter().position(|n| n == name).ok_or_else(|| FormulaError::UnknownName {
            text: text.to_string(),
            name: name.clone(),
            known: names.join(", "),
        })
    };
    used.iter().map(slot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(text: &str, n: f64) -> Result<f64, FormulaError> {
        Formula::parse(text, &["n".into(), "threads".into()])?.eval(&[n, 256.0])
    }

    #[test]
    fn the_arithmetic_of_kernel_files() {
        assert_eq!(eval("12*n", 10.0), Ok(120.0));
        assert_eq!(eval("ceil(n/threads)", 257.0), Ok(2.0));
        assert_eq!(eval("2*n^3", 2.0), Ok(16.0));
        assert_eq!(eval("max(n, 100) + min(3, n)", 5.0), Ok(103.0));
        assert_eq!(eval("ceil((n-6)/16)*4", 22.0), Ok(4.0));
        assert_eq!(eval("less(n, 15)*100 + less(15, n)*7", 14.0), Ok(100.0));
        assert_eq!(eval("2*less(n, 15) + at_most(n, 15)", 15.0), Ok(1.0));
        assert_eq!(eval("bank_conflict(n, 2*threads)+1", 16.0), Ok(3.0));
        assert!(eval("bank_conflict(n, 32)", 0.0).unwrap_err().to_string().contains("NaN"));
    }

    #[test]
    fn unknown_names_and_divisions_by_zero_say_so() {
        assert!(
            eval("12*m", 1.0).unwrap_err().to_string().contains("unknown name `m`; known here: n, threads")
        );
        assert!(eval("1/(n-1)", 1.0).unwrap_err().to_string().contains("for n=1: division by zero"));
        assert!(eval("n-2", 1.0).unwrap_err().to_string().contains("cannot be negative"));
        for bad in ["", "2*", "(n", "n n", "2**n", "if(n)"] {
            assert!(eval(bad, 1.0).is_err(), "{bad}");
        }
    }
}
