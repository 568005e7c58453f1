//! JSON of any size, one event at a time: the outer structure of a trace is walked byte by byte, and only one event lies in
//! memory.
//!
//! A trace is `{…, "traceEvents": [event, event, …], …}` or the bare list. The walker hands over each event as bytes, and
//! of the keys around the list only those that are asked for; the others (metadata that may hold private values of the
//! environment) are passed over without being kept.

use std::io::{ErrorKind, Read};

/// How many bytes are asked for at once.
const PIECE: usize = 256 << 10;

/// The longest event or wanted value; names reach 100 kB, call stacks a few MB.
const LONGEST: usize = 16 << 20;

/// What comes next in a trace.
#[derive(Debug)]
pub(super) enum StreamItem<'a> {
    /// An event of the list.
    Event(&'a [u8]),
    /// The value of a wanted key beside the list.
    Member(&'a [u8]),
}

/// How a file ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// Where JSON ends.
    Whole,
    /// Before: the reason, and the byte.
    Broken(String),
}

/// Where the walker stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamPlace {
    /// Before the first byte that counts.
    Start,
    /// Between the members of the outer object.
    Members,
    /// Between the events of the list; whether the list stands in an object.
    Events { in_object: bool },
    /// Nothing more is handed over.
    End,
}

/// Walks through a trace.
pub(super) struct EventStream<R> {
    from: R,
    buffer: Vec<u8>,
    /// The next byte to look at.
    at: usize,
    /// Bytes before the buffer.
    before: u64,
    place: StreamPlace,
    wanted: &'static [&'static str],
    ending: Ending,
}

impl<R: Read> EventStream<R> {
    /// A walk through `from` that hands over these members of the outer object beside the events.
    pub(super) fn new(from: R, wanted: &'static [&'static str]) -> Self {
        Self {
            from,
            buffer: Vec::new(),
            at: 0,
            before: 0,
            place: StreamPlace::Start,
            wanted,
            ending: Ending::Whole,
        }
    }

    /// How the file ended; known once [`EventStream::next_item`] gives nothing more.
    pub(super) fn ending(&self) -> &Ending {
        &self.ending
    }

    /// The next event or wanted member; `None` at the end, or where the file breaks off.
    pub(super) fn next_item(&mut self) -> Option<StreamItem<'_>> {
        match self.walk() {
            Ok(Some(FoundItem::Event((start, end)))) => Some(StreamItem::Event(&self.buffer[start..end])),
            Ok(Some(FoundItem::Member((start, end)))) => Some(StreamItem::Member(&self.buffer[start..end])),
            Ok(None) => {
                self.place = StreamPlace::End;
                None
            }
            Err(why) => {
                if self.place != StreamPlace::End {
                    self.ending = Ending::Broken(why);
                }
                self.place = StreamPlace::End;
                None
            }
        }
    }

    fn walk(&mut self) -> Result<Option<FoundItem>, String> {
        loop {
            match self.place {
                StreamPlace::End => return Ok(None),
                StreamPlace::Start => self.begin()?,
                StreamPlace::Members => {
                    if let Some(found) = self.member()? {
                        return Ok(Some(found));
                    }
                }
                StreamPlace::Events { in_object } => match self.separated(b']')? {
                    true => self.place = if in_object { StreamPlace::Members } else { StreamPlace::End },
                    false => {
                        let range = self.value(true)?;
                        return Ok(Some(FoundItem::Event(range)));
                    }
                },
            }
        }
    }

    fn begin(&mut self) -> Result<(), String> {
        let mut first = self.visible()?;
        if self.buffer[self.at..].starts_with(b"\xef\xbb\xbf") {
            self.at += 3;
            first = self.visible()?;
        }
        self.place = match first {
            b'{' => StreamPlace::Members,
            b'[' => StreamPlace::Events { in_object: false },
            _ => return Err(self.unexpected("`{` or `[`")),
        };
        self.at += 1;
        Ok(())
    }

    /// The next member of the outer object; nothing where it was the list, the end, or one that nobody wants.
    fn member(&mut self) -> Result<Option<FoundItem>, String> {
        if self.separated(b'}')? {
            self.place = StreamPlace::End;
            return Ok(None);
        }
        let (start, end) = self.value(true)?;
        let key = self.buffer[start..end].to_vec();
        if self.visible()? != b':' {
            return Err(self.unexpected("`:`"));
        }
        self.at += 1;
        let first = self.visible()?;
        if key == b"\"traceEvents\"" && first == b'[' {
            self.at += 1;
            self.place = StreamPlace::Events { in_object: true };
            return Ok(None);
        }
        let inner = key.strip_prefix(b"\"").and_then(|k| k.strip_suffix(b"\"")).unwrap_or(&key);
        let wanted = self.wanted.iter().find(|w| w.as_bytes() == inner);
        let range = self.value(wanted.is_some())?;
        Ok(wanted.map(|_| FoundItem::Member(range)))
    }

    /// Passes a comma, and the closing bracket where it comes: true then.
    fn separated(&mut self, close: u8) -> Result<bool, String> {
        let mut next = self.visible()?;
        if next == b',' {
            self.at += 1;
            next = self.visible()?;
        }
        if next == close {
            self.at += 1;
        }
        Ok(next == close)
    }

    /// The next byte that is no blank.
    fn visible(&mut self) -> Result<u8, String> {
        loop {
            while let Some(byte) = self.buffer.get(self.at) {
                if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                    return Ok(*byte);
                }
                self.at += 1;
            }
            self.fill(self.at)?;
        }
    }

    /// Passes a whole value; its place in the buffer where it is kept.
    fn value(&mut self, keep: bool) -> Result<(usize, usize), String> {
        let mut start = self.at;
        let mut scan = ValueScan::default();
        loop {
            if let Some(used) = scan.step(&self.buffer[self.at..]) {
                self.at += used;
                return Ok((start, self.at));
            }
            self.at = self.buffer.len();
            let kept = if keep { self.at - start } else { 0 };
            if kept > LONGEST {
                return Err(format!("byte {}: an event is longer than 16 MiB", self.before + start as u64));
            }
            let moved = self.fill(if keep { start } else { self.at });
            start = 0;
            moved?;
        }
    }

    /// Drops what lies before `from_here` and reads more behind the rest.
    fn fill(&mut self, from_here: usize) -> Result<(), String> {
        self.buffer.drain(..from_here);
        self.before += from_here as u64;
        self.at -= from_here;
        let old = self.buffer.len();
        self.buffer.resize(old + PIECE, 0);
        let read = loop {
            match self.from.read(&mut self.buffer[old..]) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.buffer.truncate(old + *read.as_ref().unwrap_or(&0));
        let place = self.before + self.buffer.len() as u64;
        match read {
            Ok(0) => Err(format!("the file ends at byte {place} of its text, within the trace")),
            Ok(_) => Ok(()),
            Err(e) => Err(format!("cannot be read beyond byte {place} of its text ({e})")),
        }
    }

    fn unexpected(&self, expected: &str) -> String {
        let found = crate::text::clipped_text(String::from_utf8_lossy(&self.buffer[self.at..]), 12);
        let place = self.before + self.at as u64;
        format!("byte {place}: `{}`: expected {expected}", crate::text::harmless_line(&found))
    }
}

/// What was found, and where it lies in the buffer.
enum FoundItem {
    Event((usize, usize)),
    Member((usize, usize)),
}

/// Finds the end of one JSON value, piece by piece.
#[derive(Debug, Default)]
pub(super) struct ValueScan {
    depth: u32,
    in_string: bool,
    escaped: bool,
    started: bool,
}

impl ValueScan {
    /// How many bytes of this piece belong to the value, once it ends in it; `None` where it goes on behind. A number or word
    /// ends before the byte that is none of it.
    pub(super) fn step(&mut self, piece: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < piece.len() {
            if self.in_string {
                if self.escaped {
                    self.escaped = false;
                    at += 1;
                    continue;
                }
                let run = memchr::memchr2(b'"', b'\\', &piece[at..])?;
                at += run + 1;
                if piece[at - 1] == b'\\' {
                    self.escaped = true;
                } else {
                    self.in_string = false;
                    if self.depth == 0 {
                        return Some(at);
                    }
                }
                continue;
            }
            match piece[at] {
                b'"' => (self.in_string, self.started) = (true, true),
                b'{' | b'[' => (self.depth, self.started) = (self.depth + 1, true),
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                b',' | b'}' | b']' | b':' | b' ' | b'\n' | b'\r' | b'\t' if self.depth == 0 => {
                    // A word that ends here; where none began, the byte is handed over so that nobody waits for ever.
                    return Some(if self.started { at } else { at + 1 });
                }
                _ => self.started = true,
            }
            at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives `1 + n % 7` bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = (1 + self.1 % 7).min(self.0.len()).min(buffer.len());
            self.1 += 1;
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn walk(text: &str) -> (Vec<String>, Ending) {
        let mut stream = EventStream::new(Drops(text.as_bytes(), 0), &["deviceProperties"]);
        let mut out = Vec::new();
        while let Some(item) = stream.next_item() {
            out.push(match item {
                StreamItem::Event(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                StreamItem::Member(bytes) => format!("deviceProperties={}", String::from_utf8_lossy(bytes)),
            });
        }
        (out, stream.ending().clone())
    }

    #[test]
    fn events_and_wanted_members_come_in_order_and_others_do_not() {
        let text = r#" {"metadata":{"SECRET":"}]"}, "schemaVersion": 1,"deviceProperties": [ {"id":0} ],
            "traceEvents": [ {"a":"}\"{"} ,{"b":[1,{"c":{}}]}, {} ], "after": null } "#;
        let (items, ending) = walk(text);
        assert_eq!(
            items,
            [r#"deviceProperties=[ {"id":0} ]"#, r#"{"a":"}\"{"}"#, r#"{"b":[1,{"c":{}}]}"#, "{}"]
        );
        assert_eq!(ending, Ending::Whole);
        assert_eq!(
            walk("[{\"a\":1},{\"b\":2}]"),
            (vec!["{\"a\":1}".into(), "{\"b\":2}".into()], Ending::Whole)
        );
    }

    #[test]
    fn what_was_complete_before_the_end_is_handed_over() {
        let whole = r#"{"traceEvents":[{"a":1},{"b":"two"}]}"#;
        for cut in 1..whole.len() {
            let (items, ending) = walk(&whole[..cut]);
            let expected = usize::from(cut >= 23) + usize::from(cut >= 35);
            assert_eq!(items.len(), expected, "{}", &whole[..cut]);
            assert!(matches!(ending, Ending::Broken(_)), "{cut}");
        }
        let (items, ending) = walk("hello");
        assert!(items.is_empty() && format!("{ending:?}").contains("expected"), "{ending:?}");
    }
}
