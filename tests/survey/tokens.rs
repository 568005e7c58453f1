//! A lexer, just good enough: what is a comment, what is a literal, what is code.

/// Marks the tokens of every item under `#[cfg(test)]`, the attribute included.
pub fn test_items(tokens: &[Token]) -> Vec<bool> {
    const WHOLE_FILE: [&str; 8] = ["#", "!", "[", "cfg", "(", "test", ")", "]"];
    const ITEM: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let starts = |i: usize, wanted: &[&str]| {
        tokens.len() >= i + wanted.len() && tokens[i..].iter().zip(wanted).all(|(t, w)| t.text == *w)
    };
    let mut marked = vec![false; tokens.len()];
    let mut i = 0;
    while i < tokens.len() {
        if starts(i, &WHOLE_FILE) {
            marked.fill(true);
            return marked;
        }
        if !starts(i, &ITEM) {
            i += 1;
            continue;
        }
        let end = item_end(tokens, i + ITEM.len());
        marked[i..end].fill(true);
        i = end;
    }
    marked
}

/// The token after an item: past its `;`, or past the brace that closes its body.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0_usize;
    for (i, token) in tokens.iter().enumerate().skip(start) {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && token.text == "}" {
                    return i + 1;
                }
            }
            ";" if depth == 0 => return i + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// An identifier, a number, `::`, or any other single character of code. Comments and literals leave no token.
#[derive(Clone, Copy)]
pub struct Token<'a> {
    /// As written.
    pub text: &'a str,
    /// Counted from 1.
    pub line: usize,
}

/// The code of a file, in order.
pub fn tokenize(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, is_code) = if let Some(length) = comment(rest).or_else(|| literal(rest)) {
            (length, false)
        } else if rest.starts_with("::") {
            (2, true)
        } else if is_ident(first) {
            let raw = if rest.starts_with("r#") { 2 } else { 0 };
            (raw + rest[raw..].find(|c| !is_ident(c)).unwrap_or(rest.len() - raw), true)
        } else {
            (first.len_utf8(), !first.is_whitespace())
        };
        if is_code {
            tokens.push(Token { text: &rest[..length], line });
        }
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

/// Whether a name may hold this character.
pub fn is_ident(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length of the comment at the start of `rest`; block comments nest.
fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let (mut depth, mut i) = (0, 0);
    while i < rest.len() {
        let pair = rest.as_bytes().get(i..i + 2);
        match pair {
            Some(b"/*") => (depth, i) = (depth + 1, i + 2),
            Some(b"*/") => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return Some(i);
        }
    }
    Some(rest.len())
}

/// Length of the string or character literal at the start of `rest`, with its prefix (`b`, `c`, `r`, `br`, `cr`).
fn literal(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|p| {
        let after = rest.strip_prefix(p).unwrap_or("");
        let raw_string = p.ends_with('r') && after.trim_start_matches('#').starts_with('"');
        raw_string || (!p.ends_with('r') && after.starts_with(['"', '\'']))
    })?;
    let body = &rest[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = body.len() - body.trim_start_matches('#').len();
        let close = format!("\"{}", "#".repeat(hashes));
        let end = body[hashes + 1..].find(&close).map_or(body.len(), |i| hashes + 1 + i + close.len());
        return Some(prefix.len() + end);
    }
    let quote = if body.starts_with('"') { '"' } else { '\'' };
    if quote == '\'' && !is_char_literal(body) {
        return if prefix.is_empty() { Some(1) } else { None }; // a lifetime: its name is a harmless token
    }
    let mut escaped = false;
    for (i, c) in body.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(prefix.len() + i + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

/// Tells `'a'` and `'\n'` from the lifetime `'a`.
fn is_char_literal(body: &str) -> bool {
    let mut chars = body.chars().skip(1);
    match chars.next() {
        Some('\\') => true,
        Some(_) => chars.next() == Some('\''),
        None => false,
    }
}
