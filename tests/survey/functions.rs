//! Functions: name, length, visibility, parameters.

use super::sources::SourceFile;

/// One function with a body, or one declared in a trait.
#[derive(Debug)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// Line of `fn`.
    pub line: usize,
    /// Lines from `fn` to the closing brace; 0 without a body.
    pub length: usize,
    /// Whether `pub` stands before it, narrowed or not.
    pub is_public: bool,
    /// Whether it belongs to tests.
    pub in_test: bool,
    /// Patterns of the parameters whose type is a tuple: `(a,b)`.
    pub tuple_parameters: Vec<String>,
}

/// Every function of a file; closures and function types are none.
pub fn functions_in<'a>(file: &SourceFile<'a>) -> Vec<Function<'a>> {
    let named = |i: &usize| file.text(*i) == "fn" && is_name(file.text(i + 1));
    (0..file.tokens.len()).filter(named).map(|i| function_at(file, i)).collect()
}

/// The function whose `fn` is this token.
fn function_at<'a>(file: &SourceFile<'a>, i: usize) -> Function<'a> {
    let mut open = i + 2;
    if file.text(open) == "<" {
        open = after_generics(file, open);
    }
    let close = matching(file, open);
    let line = file.tokens[i].line;
    Function {
        name: file.text(i + 1),
        line,
        length: body_end(file, close).map_or(0, |end| file.tokens[end].line - line + 1),
        is_public: is_public(file, i),
        in_test: file.in_test[i],
        tuple_parameters: tuple_parameters(file, open + 1, close),
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The token after `<…>` that opens at `open`.
fn after_generics(file: &SourceFile, open: usize) -> usize {
    let mut depth = 0_i32;
    for i in open..file.tokens.len() {
        depth += angle(file, i);
        if depth == 0 {
            return i + 1;
        }
    }
    file.tokens.len()
}

/// 1 for `<`, -1 for `>`, 0 for all else, the `>` of an arrow among it.
fn angle(file: &SourceFile, i: usize) -> i32 {
    match file.text(i) {
        "<" => 1,
        ">" if !matches!(file.text(i - 1), "-" | "=") => -1,
        _ => 0,
    }
}

/// The token that closes the bracket at `open`.
pub fn matching(file: &SourceFile, open: usize) -> usize {
    let mut depth = 0_i32;
    for i in open..file.tokens.len() {
        match file.text(i) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    file.tokens.len().saturating_sub(1)
}

/// The brace that closes the body of the function whose parameters end at `close`; `None` where a `;` stands instead.
fn body_end(file: &SourceFile, close: usize) -> Option<usize> {
    let mut i = close + 1;
    loop {
        match file.text(i) {
            "" | ";" => return None,
            "{" => return Some(matching(file, i)),
            "(" | "[" => i = matching(file, i),
            _ => {}
        }
        i += 1;
    }
}

/// Whether the item whose keyword is this token is `pub`, `pub(crate)` or the like.
pub fn is_public(file: &SourceFile, keyword: usize) -> bool {
    let mut i = keyword;
    while i > 0 && matches!(file.text(i - 1), "const" | "async" | "unsafe" | "extern") {
        i -= 1;
    }
    if i > 0 && file.text(i - 1) == ")" {
        let open = (0..i - 1).rev().find(|k| file.text(*k) == "(");
        return open.is_some_and(|open| open > 0 && file.text(open - 1) == "pub");
    }
    i > 0 && file.text(i - 1) == "pub"
}

/// The patterns of the parameters between these tokens whose type is a tuple or a reference to one.
fn tuple_parameters(file: &SourceFile, start: usize, end: usize) -> Vec<String> {
    parameter_ranges(file, start, end).into_iter().filter_map(|(a, b)| tuple_pattern(file, a, b)).collect()
}

/// Where each parameter starts and ends.
fn parameter_ranges(file: &SourceFile, start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    let (mut first, mut i, mut angles) = (start, start, 0);
    while i < end {
        angles += angle(file, i);
        match file.text(i) {
            "(" | "[" | "{" => i = matching(file, i),
            "," if angles == 0 => {
                ranges.push((first, i));
                first = i + 1;
            }
            _ => {}
        }
        i += 1;
    }
    ranges.push((first, end));
    ranges
}

/// `(a,b)` of `(a, b): (A, B)` or `pair` of `pair: &(A, B)`; `None` where the type is no tuple.
fn tuple_pattern(file: &SourceFile, start: usize, end: usize) -> Option<String> {
    let colon = colon_after_pattern(file, start, end)?;
    let open = tuple_start(file, colon + 1);
    if open >= end || file.text(open) != "(" {
        return None;
    }
    let parts = parameter_ranges(file, open + 1, matching(file, open));
    let pattern: String = (start..colon).map(|i| file.text(i)).collect();
    (parts.len() > 1).then_some(pattern)
}

/// The colon between pattern and type.
fn colon_after_pattern(file: &SourceFile, start: usize, end: usize) -> Option<usize> {
    let mut i = start;
    while i < end {
        match file.text(i) {
            ":" => return Some(i),
            "(" | "[" | "{" => i = matching(file, i),
            _ => {}
        }
        i += 1;
    }
    None
}

/// The first token of a type behind `&`, its lifetime and `mut`.
fn tuple_start(file: &SourceFile, mut i: usize) -> usize {
    if file.text(i) == "&" {
        i += 1;
        while file.text(i) == "mut" || (is_name(file.text(i)) && matches!(file.text(i + 1), "(" | "mut")) {
            i += 1;
        }
    }
    i
}
