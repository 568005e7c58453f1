//! Types: every struct, enum, trait and alias outside tests.

use super::functions::is_public;
use super::sources::SourceFile;

/// One declared type.
#[derive(Debug)]
pub struct Declared<'a> {
    /// Its name.
    pub name: &'a str,
    /// `src/gpu/mod.rs:12`.
    pub place: String,
    /// Whether `pub` stands before it, narrowed or not.
    pub is_public: bool,
}

/// The types that a file declares outside tests; associated types are none.
pub fn types_in<'a>(file: &SourceFile<'a>) -> Vec<Declared<'a>> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for i in 0..file.tokens.len() {
        match file.text(i) {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "struct" | "enum" | "trait" => found.extend(declared_at(file, i)),
            "type" if depth == 0 => found.extend(declared_at(file, i)),
            _ => {}
        }
    }
    found
}

/// The type declared by this keyword, unless it is a test's or a macro's variable.
fn declared_at<'a>(file: &SourceFile<'a>, keyword: usize) -> Option<Declared<'a>> {
    let name = file.text(keyword + 1);
    let is_type = name.starts_with(char::is_uppercase) && !file.in_test[keyword];
    let place = format!("{}:{}", file.path, file.tokens[keyword].line);
    is_type.then(|| Declared { name, place, is_public: is_public(file, keyword) })
}
