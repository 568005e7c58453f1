//! Arithmetic of kernel files as a short program: parsed once, folded where it is constant, run at every keystroke.
//!
//! Numbers, names, parentheses, `+ - * / ^`, a sign before a value, the functions and constants of [`super::functions`].
//! From the tightest to the loosest: a sign or a function of one value, `^`, `/`, `*`, `-`, `+`; each from left to right.
//! So `a*b/c` is `a*(b/c)` and `-a^2` is `(-a)^2`.

use super::functions::{self, OneValue, TwoValues};

/// Values that most programs have at hand at once; a deeper one takes memory of its own.
const USUAL_DEPTH: usize = 16;

/// A parsed formula: steps on a stack of values.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    steps: Vec<StackStep>,
    names: Vec<String>,
    depth: usize,
}

/// What one step does to the stack.
#[derive(Debug, Clone, Copy)]
enum StackStep {
    /// Puts a number on it.
    Number(f64),
    /// Puts the value of a name on it.
    Name(usize),
    /// Replaces the topmost value.
    Unary(OneValue),
    /// Replaces the two topmost values.
    Binary(TwoValues),
}

/// Operators between two values, from the loosest to the tightest.
const OPERATORS: [(char, TwoValues); 5] =
    [('+', |a, b| a + b), ('-', |a, b| a - b), ('*', |a, b| a * b), ('/', |a, b| a / b), ('^', f64::powf)];

impl Expression {
    /// Parses a formula.
    ///
    /// # Errors
    /// What was expected and what stands there instead.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { text, place: 0, steps: Vec::new(), names: Vec::new() };
        parser.take_operation(0)?;
        if let Some(c) = parser.peek() {
            return Err(format!("expected an operator or the end, found `{c}`{}", parser.after()));
        }
        Ok(parser.into_expression())
    }

    /// The names it uses, in alphabetical order.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Its value; `values` has one for each of [`Expression::names`].
    pub(super) fn evaluate(&self, values: &[f64]) -> f64 {
        if self.depth <= USUAL_DEPTH {
            return self.value_of(values, &mut [0.0; USUAL_DEPTH]);
        }
        self.value_of(values, &mut vec![0.0; self.depth])
    }

    fn value_of(&self, values: &[f64], stack: &mut [f64]) -> f64 {
        let mut top = 0;
        for step in &self.steps {
            match *step {
                StackStep::Number(number) => {
                    stack[top] = number;
                    top += 1;
                }
                StackStep::Name(slot) => {
                    stack[top] = values[slot];
                    top += 1;
                }
                StackStep::Unary(function) => stack[top - 1] = function(stack[top - 1]),
                StackStep::Binary(function) => {
                    top -= 1;
                    stack[top - 1] = function(stack[top - 1], stack[top]);
                }
            }
        }
        stack[0]
    }
}

/// Reads a formula from left to right and writes the steps.
struct Parser<'a> {
    text: &'a str,
    place: usize,
    steps: Vec<StackStep>,
    names: Vec<&'a str>,
}

impl<'a> Parser<'a> {
    /// Values joined by operators that bind at least as tightly as the one at `loosest` of [`OPERATORS`].
    fn take_operation(&mut self, loosest: usize) -> Result<(), String> {
        self.take_value()?;
        while let Some(level) = self.take_operator(loosest) {
            self.take_operation(level + 1)?;
            self.apply_binary(OPERATORS[level].1);
        }
        Ok(())
    }

    /// The place of the next operator in [`OPERATORS`], if it is none of those before `loosest`.
    fn take_operator(&mut self, loosest: usize) -> Option<usize> {
        let next = self.peek()?;
        let level = OPERATORS.iter().position(|(sign, _)| *sign == next).filter(|level| *level >= loosest)?;
        self.place += next.len_utf8();
        Some(level)
    }

    /// A number, a name, a call, something in parentheses, or one of them behind a sign.
    fn take_value(&mut self) -> Result<(), String> {
        match self.peek() {
            Some(sign @ ('-' | '+')) => {
                self.place += 1;
                self.take_value()?;
                if sign == '-' {
                    self.apply_unary(|a| -a);
                }
                Ok(())
            }
            Some('(') => {
                self.place += 1;
                self.take_operation(0)?;
                self.expect_char(')')
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.take_number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.take_word(),
            Some(c) => Err(format!("expected a number, a name or `(`, found `{c}`{}", self.after())),
            None => Err(format!("expected a number, a name or `(`, found the end{}", self.after())),
        }
    }

    fn take_number(&mut self) -> Result<(), String> {
        let digits = self.take_while(|c| c.is_ascii_digit() || c == '.');
        let number = digits.parse().map_err(|_| format!("`{digits}` is no number"))?;
        self.steps.push(StackStep::Number(number));
        Ok(())
    }

    fn take_word(&mut self) -> Result<(), String> {
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if let Some(value) = functions::constant(word) {
            self.steps.push(StackStep::Number(value));
            return Ok(());
        }
        if let Some(function) = functions::of_one_value(word) {
            self.take_value()?;
            self.apply_unary(function);
            return Ok(());
        }
        match functions::of_two_values(word) {
            Some(function) => self.take_two_values(word, function),
            None => {
                self.take_name(word);
                Ok(())
            }
        }
    }

    fn take_two_values(&mut self, word: &str, function: TwoValues) -> Result<(), String> {
        let usage = |why: String| format!("`{word}` takes two values, {word}(a, b): {why}");
        self.expect_char('(').map_err(usage)?;
        self.take_operation(0)?;
        self.expect_char(',').map_err(usage)?;
        self.take_operation(0)?;
        self.expect_char(')').map_err(usage)?;
        self.apply_binary(function);
        Ok(())
    }

    fn take_name(&mut self, word: &'a str) {
        let slot = self.names.iter().position(|name| *name == word).unwrap_or_else(|| {
            self.names.push(word);
            self.names.len() - 1
        });
        self.steps.push(StackStep::Name(slot));
    }

    /// The function of a constant is a constant.
    fn apply_unary(&mut self, function: OneValue) {
        if let Some(StackStep::Number(number)) = self.steps.last_mut() {
            *number = function(*number);
            return;
        }
        self.steps.push(StackStep::Unary(function));
    }

    fn apply_binary(&mut self, function: TwoValues) {
        if let [.., StackStep::Number(a), StackStep::Number(b)] = self.steps[..] {
            self.steps.truncate(self.steps.len() - 2);
            self.steps.push(StackStep::Number(function(a, b)));
            return;
        }
        self.steps.push(StackStep::Binary(function));
    }

    fn peek(&mut self) -> Option<char> {
        let rest = self.text[self.place..].trim_ascii_start();
        self.place = self.text.len() - rest.len();
        rest.chars().next()
    }

    fn take_char(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.place += if is_there { wanted.len_utf8() } else { 0 };
        is_there
    }

    fn expect_char(&mut self, wanted: char) -> Result<(), String> {
        if self.take_char(wanted) {
            return Ok(());
        }
        let found = self.peek().map_or("the end".to_owned(), |c| format!("`{c}`"));
        Err(format!("expected `{wanted}`, found {found}{}", self.after()))
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.place..];
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.place += length;
        &rest[..length]
    }

    /// ` after ...` with what has been read; empty at the start.
    fn after(&self) -> String {
        let read = self.text[..self.place].trim();
        if read.is_empty() { String::new() } else { format!(" after `{read}`") }
    }

    fn into_expression(mut self) -> Expression {
        let mut names: Vec<String> = self.names.iter().map(|name| (*name).to_owned()).collect();
        names.sort_unstable();
        for step in &mut self.steps {
            if let StackStep::Name(slot) = step {
                let name = self.names[*slot];
                *slot = names.iter().position(|n| n == name).unwrap_or(*slot);
            }
        }
        let depth = deepest(&self.steps);
        Expression { steps: self.steps, names, depth }
    }
}

/// The most values that stand on the stack at once.
fn deepest(steps: &[StackStep]) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for step in steps {
        match step {
            StackStep::Number(_) | StackStep::Name(_) => depth += 1,
            StackStep::Unary(_) => {}
            StackStep::Binary(_) => depth -= 1,
        }
        most = most.max(depth);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, values: &[f64]) -> f64 {
        Expression::parse(text).unwrap().evaluate(values)
    }

    /// What the evaluator of the crate exmex 0.21 gave for every formula of `specs/kernels/` of November 2026.
    #[test]
    fn formulas_of_kernel_files_give_what_they_gave() {
        let golden = include_str!("../../tests/golden/formulas.csv");
        let mut rows = csv::Reader::from_reader(golden.as_bytes());
        let mut count = 0;
        for row in rows.records().map(Result::unwrap) {
            let values: Vec<f64> = row[1].split_whitespace().map(|v| v.parse().unwrap()).collect();
            let (wanted, got): (f64, f64) = (row[2].parse().unwrap(), value(&row[0], &values));
            // The last digits: the sum of constants is now taken from left to right, and log2 is the system's.
            let is_close = (got - wanted).abs() <= 4.0 * f64::EPSILON * wanted.abs();
            assert!(is_close || got == wanted || (got.is_nan() && wanted.is_nan()), "{row:?}: {got}");
            count += 1;
        }
        assert!(count > 400, "only {count} rows");
    }

    #[test]
    fn operators_bind_as_in_kernel_files() {
        assert_eq!(value("2+3*4^2/8-1", &[]), 2.0 + 3.0 * 2.0 - 1.0);
        assert_eq!(value("10-4-3", &[]), 3.0);
        assert_eq!(value("100/5/2", &[]), 10.0);
        assert_eq!(value("2^3^2", &[]), 64.0);
        assert_eq!(value("-n^2", &[3.0]), 9.0);
        assert_eq!(value("2--n*+3", &[1.0]), 5.0);
        assert_eq!(value("a*b/c", &[0.1, 3.0, 7.0]), 0.1 * (3.0 / 7.0));
        assert_eq!(value("log2(n+7.+.5)", &[0.5]), 3.0);
        assert_eq!(value("max(n, min(4, 2*n))", &[3.0]), 4.0);
        assert_eq!(value("e^0 + PI", &[]), 1.0 + std::f64::consts::PI);
    }

    #[test]
    fn constants_are_folded_and_names_sorted() {
        let expression = Expression::parse("ceil(7/2)*n - max(2, 3) + b*n").unwrap();
        assert_eq!(expression.names(), ["b", "n"]);
        assert_eq!(expression.steps.len(), 9, "{expression:?}");
        assert_eq!(expression.evaluate(&[10.0, 2.0]), 25.0);
        assert_eq!(Expression::parse("2*(3+ceil(0.5))").unwrap().steps.len(), 1);
    }

    #[test]
    fn a_program_deeper_than_usual_runs() {
        let text = format!("{}1{}", "n+(".repeat(100), ")".repeat(100));
        assert_eq!(value(&text, &[2.0]), 201.0);
        let signs = format!("{}n", "-".repeat(399));
        assert_eq!(value(&signs, &[2.0]), -2.0);
    }

    #[test]
    fn what_is_no_formula_says_what_was_expected() {
        let refused = |text: &str| Expression::parse(text).unwrap_err();
        assert_eq!(refused(""), "expected a number, a name or `(`, found the end");
        assert_eq!(refused("2*"), "expected a number, a name or `(`, found the end after `2*`");
        assert_eq!(refused("2**n"), "expected a number, a name or `(`, found `*` after `2*`");
        assert_eq!(refused("(n"), "expected `)`, found the end after `(n`");
        assert_eq!(refused("n n"), "expected an operator or the end, found `n` after `n`");
        assert_eq!(refused("2n"), "expected an operator or the end, found `n` after `2`");
        assert_eq!(refused("if(n)"), "expected an operator or the end, found `(` after `if`");
        assert_eq!(refused("1.2.3"), "`1.2.3` is no number");
        assert_eq!(refused("."), "`.` is no number");
        assert_eq!(
            refused("min(n)"),
            "`min` takes two values, min(a, b): expected `,`, found `)` after `min(n`"
        );
    }
}
