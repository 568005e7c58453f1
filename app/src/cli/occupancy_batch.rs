//! `roofswap occupancy --batch FILE|-`: one configuration per line in, one answer per line out, as a stream.

use super::output;
use crate::gpu::LimitsTable;
use crate::report::batch::{BatchSetup, answer_line};
use crate::text::unreadable;
use anyhow::{Context, Result, anyhow, bail};
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::Path;

/// The longest line; a configuration has some fifty characters.
const LONGEST: usize = 4096;

/// Bytes read at once, and answers written at once.
const BLOCK: usize = 1 << 16;

/// How many errors are named; the others are counted.
const NAMED: usize = 5;

/// Answers every line of the file; `setup` holds for all of them.
///
/// # Errors
/// Where a line was refused, after all others are answered.
pub(super) fn run_occupancy_batch(file: &Path, setup: BatchSetup) -> Result<()> {
    let name =
        if file.as_os_str() == "-" { "standard input".to_string() } else { file.display().to_string() };
    let input: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(file).map_err(|why| anyhow!("{name}: {}", unreadable(&why)))?)
    };
    let table = LimitsTable::shipped().context("a table inside the program is damaged")?;
    let mut batch = BatchStream {
        table,
        setup,
        name,
        line: 0,
        answers: Vec::new(),
        errors: Vec::new(),
        wrong: 0,
        noted: 0,
    };
    let read = batch.stream(input, &mut std::io::stdout().lock(), output::remark);
    if batch.wrong > NAMED {
        output::remark(format!("… and {} more", batch.wrong - NAMED));
    }
    read?;
    if batch.line == 0 {
        output::remark(format!(
            "{}: is empty; expected lines of cc threads regs static_smem dynamic_smem carveout",
            batch.name
        ));
    }
    let wrong = batch.wrong;
    match wrong {
        0 => Ok(()),
        1 => bail!("1 line was refused: its answer is `err`"),
        n => bail!("{n} lines were refused: their answers are `err`"),
    }
}

/// A stream of configurations on its way.
struct BatchStream {
    table: LimitsTable,
    setup: BatchSetup,
    name: String,
    line: u64,
    /// Answers that wait to be written.
    answers: Vec<u8>,
    /// Errors that wait to be named, in words.
    errors: Vec<String>,
    wrong: usize,
    /// Lines that are answered though no kernel can be so.
    noted: usize,
}

impl BatchStream {
    /// Answers every line. What has been read is answered before more is waited for, so that a program can ask line by
    /// line; a reader who has gone away ends it without failure.
    fn stream(&mut self, input: impl Read, out: &mut impl Write, mut name: impl FnMut(String)) -> Result<()> {
        let mut input = BufReader::with_capacity(BLOCK, input);
        let mut begun: Vec<u8> = Vec::new();
        loop {
            let block = match input.fill_buf() {
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                block => block.with_context(|| format!("{}: cannot be read", self.name))?,
            };
            if block.is_empty() {
                break;
            }
            let read = block.len();
            for piece in block.split_inclusive(|b| *b == b'\n') {
                match piece.strip_suffix(b"\n") {
                    Some(whole) if begun.is_empty() => self.answer(whole),
                    Some(end) => {
                        hold(&mut begun, end);
                        self.answer(&begun);
                        begun.clear();
                    }
                    None => hold(&mut begun, piece),
                }
            }
            input.consume(read);
            self.errors.drain(..).for_each(&mut name);
            if !self.write(out)? {
                return Ok(());
            }
        }
        if !begun.is_empty() {
            self.answer(&begun);
            self.errors.drain(..).for_each(name);
        }
        self.write(out).map(|_| ())
    }

    fn answer(&mut self, line: &[u8]) {
        self.line += 1;
        if line.len() > LONGEST {
            self.answers.extend_from_slice(b"err\n");
            self.refuse_line(&format!(
                "a line of more than {LONGEST} bytes; expected one configuration per line"
            ));
        } else {
            match answer_line(&self.table, self.setup, line, &mut self.answers) {
                Ok(None) => {}
                Ok(Some(why)) => self.note_line(&why),
                Err(why) => self.refuse_line(&why),
            }
        }
    }

    /// Names a line that NVIDIA's calculator has blocks for and no compiler a kernel.
    fn note_line(&mut self, why: &dyn std::fmt::Display) {
        self.noted += 1;
        if self.noted <= NAMED {
            let (name, line) = (&self.name, self.line);
            self.errors.push(format!("{name}:{line}: {why}: answered as NVIDIA's calculator does"));
        }
    }

    fn refuse_line(&mut self, why: &dyn std::fmt::Display) {
        self.wrong += 1;
        if self.wrong <= NAMED {
            self.errors.push(format!("{}:{}: {why}", self.name, self.line));
        }
    }

    /// Writes what waits; `false` where nobody reads any more.
    fn write(&mut self, out: &mut impl Write) -> Result<bool> {
        let done = out.write_all(&self.answers).and_then(|()| out.flush());
        self.answers.clear();
        match done {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(false),
            done => done.map(|()| true).context("stdout cannot be written"),
        }
    }
}

/// Keeps the beginning of a line that goes on in the next block: one byte more than a line may have, and no more.
fn hold(begun: &mut Vec<u8>, piece: &[u8]) {
    let room = (LONGEST + 1).saturating_sub(begun.len());
    begun.extend_from_slice(&piece[..piece.len().min(room)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out a few bytes at a time, as a slow pipe does.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn answered(text: &[u8], at_once: usize) -> (String, Vec<String>, usize) {
        let table = LimitsTable::shipped().unwrap();
        let mut batch = BatchStream {
            table,
            setup: BatchSetup::default(),
            name: "f".into(),
            line: 0,
            answers: Vec::new(),
            errors: Vec::new(),
            noted: 0,
            wrong: 0,
        };
        let (mut out, mut named) = (Vec::new(), Vec::new());
        batch.stream(Dribble(text, at_once), &mut out, |why| named.push(why)).unwrap();
        (String::from_utf8(out).unwrap(), named, batch.wrong)
    }

    #[test]
    fn lines_are_found_however_they_arrive() {
        let text = b"8.9 64 32 0 512 -1\r\n\n# nothing\nnonsense\n9.0 32 0 0 0 -1 4 0";
        let whole = answered(text, 1000);
        assert_eq!(whole.0, "24 W|B 24 32 66 24 -1 2048 1536\nerr\n16 B|N 64 -1 228 32 16 0 1024\n");
        assert_eq!((whole.1.len(), whole.2), (1, 1));
        assert!(whole.1[0].starts_with("f:4: 1 fields; expected 6 to 8"), "{}", whole.1[0]);
        for at_once in 1..text.len() {
            assert_eq!(answered(text, at_once), whole, "{at_once} bytes at a time");
        }
    }

    #[test]
    fn a_long_line_is_one_error_and_is_skipped_to_its_end() {
        let mut text = vec![b'7'; 300_000];
        text.extend_from_slice(b"\n8.9 64 32 0 512 -1\n");
        for at_once in [7, 4096, 100_000] {
            let (out, errors, wrong) = answered(&text, at_once);
            assert_eq!(out.lines().collect::<Vec<_>>(), ["err", "24 W|B 24 32 66 24 -1 2048 1536"]);
            assert_eq!(wrong, 1);
            assert!(errors[0].starts_with("f:1: a line of more than 4096 bytes"), "{}", errors[0]);
        }
    }
}
