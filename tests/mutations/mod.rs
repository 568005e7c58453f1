//! Damage as files meet it, the same on every run: a reader must answer it with rows or an error, never with a panic, a
//! hang or an invented row.
//!
//! `replay("my_format", &seeds, body)` plays the seeds themselves and then mutated ones. `ROOFSWAP_MUTATIONS=20000` plays
//! more of them.

use crate::dice;

use dice::Dice;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// No input as small as these may take longer, in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Plays `body` over every seed and over mutations of them; an input that makes it panic is kept in a file and named.
pub fn replay(name: &str, seeds: &[Vec<u8>], body: fn(&[u8])) {
    assert!(!seeds.is_empty(), "{name}: no seeds");
    let mut dice = Dice::named(name);
    for whole in seeds.iter().cloned().chain([Vec::new(), vec![0; 64], vec![b'"'], vec![0xff; 64]]) {
        play(name, &whole, body);
    }
    let total: usize = seeds.iter().map(Vec::len).sum();
    // Large seeds get fewer rounds, so that the test stays quick.
    let usual = (16_000_000 / (1 + total / seeds.len())).clamp(60, 600);
    let rounds = std::env::var("ROOFSWAP_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    for _ in 0..rounds {
        let mut bytes = seeds[dice.below(seeds.len())].clone();
        for _ in 0..1 + dice.below(4) {
            mutate(&mut bytes, &mut dice);
        }
        play(name, &bytes, body);
    }
}

/// Plays `body` over these inputs as they are.
#[allow(dead_code)] // of the programs that share this file, one has such inputs
pub fn play_all(name: &str, inputs: &[Vec<u8>], body: fn(&[u8])) {
    inputs.iter().for_each(|bytes| play(name, bytes, body));
}

fn play(name: &str, bytes: &[u8], body: fn(&[u8])) {
    let started = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| body(bytes)));
    let (failed, took) = (outcome.is_err(), started.elapsed());
    if failed || took > PATIENCE {
        let kept = std::env::temp_dir().join(format!("roofswap_mutation_{name}"));
        std::fs::write(&kept, bytes).expect("a file in the temporary folder");
        let what = if failed { "panics" } else { "takes too long" };
        panic!("{name}: {what} ({took:?}) on {} bytes, kept in {}", bytes.len(), kept.display());
    }
}

/// One piece of damage.
fn mutate(bytes: &mut Vec<u8>, dice: &mut Dice) {
    match dice.below(16) {
        0 | 1 => flip_bits(bytes, dice),
        2 => replace_byte(bytes, dice),
        3 => insert(bytes, dice.below(bytes.len() + 1), &[dice.byte()]),
        4 => bytes.truncate(dice.below(bytes.len() + 1)),
        5 | 6 => drop_or_repeat_line(bytes, dice),
        7 | 8 => drop_or_repeat_column(bytes, dice),
        9 => huge_field(bytes, dice),
        10 | 11 => replace_number(bytes, dice),
        12 => length_field(bytes, dice),
        13 => repeat_stretch(bytes, dice),
        14 => insert(bytes, dice.below(bytes.len() + 1), ODD_PIECES[dice.below(ODD_PIECES.len())]),
        _ => other_encoding(bytes, dice),
    }
}

/// What text formats stumble over.
const ODD_PIECES: [&[u8]; 14] = [
    b"\0",
    b"\"",
    b"\"\"",
    b"\r",
    b"\r\n\r\n",
    b",,,,",
    b"\xef\xbb\xbf",
    b"\xe9\xfc\xdf",
    b"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa2",
    b"\x1b[2J",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    b"{\"a\":{\"a\":{\"a\":{\"a\":",
    b"==PROF== ",
    b"\\u0000\\ud800",
];

fn flip_bits(bytes: &mut [u8], dice: &mut Dice) {
    if !bytes.is_empty() {
        for _ in 0..1 + dice.below(8) {
            let at = dice.below(bytes.len());
            bytes[at] ^= 1 << dice.below(8);
        }
    }
}

fn replace_byte(bytes: &mut [u8], dice: &mut Dice) {
    if !bytes.is_empty() {
        let at = dice.below(bytes.len());
        bytes[at] = b"\0\",;\n\r\t=<>()-.9\xff"[dice.below(16)];
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// Where each line begins, and the end.
fn line_starts(bytes: &[u8]) -> Vec<usize> {
    let after = bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1);
    let mut starts: Vec<usize> = std::iter::once(0).chain(after).collect();
    if starts.last() != Some(&bytes.len()) {
        starts.push(bytes.len());
    }
    starts
}

fn drop_or_repeat_line(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let starts = line_starts(bytes);
    if starts.len() < 2 {
        return;
    }
    let which = dice.below(starts.len() - 1);
    let line = starts[which]..starts[which + 1];
    match dice.below(4) {
        0 => drop(bytes.drain(line)),
        // A line cut in the middle, its end kept: the next line hangs on it.
        1 => drop(bytes.drain(line.start + (line.len() / 2)..line.end)),
        2 => {
            let copy = bytes[line.clone()].to_vec();
            insert(bytes, line.end, &copy);
        }
        _ => {
            let copy = bytes[line].to_vec();
            let to = starts[dice.below(starts.len() - 1)];
            insert(bytes, to, &copy);
        }
    }
}

/// Drops or repeats one column: in one line, or in all.
fn drop_or_repeat_column(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let first = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    let commonest = |b: &u8| first.iter().filter(|c| *c == b).count();
    let separator = [b',', b';', b'\t', b' '].into_iter().max_by_key(commonest).expect("there are four");
    let columns = 1 + commonest(&separator);
    let (column, repeat, only) = (dice.below(columns), dice.below(2) == 0, dice.below(3) == 0);
    let lines = bytes.split(|b| *b == b'\n').count();
    let at = dice.below(lines);
    let line = |(i, line): (usize, &[u8])| {
        let mut cells: Vec<&[u8]> = line.split(|b| *b == separator).collect();
        if (!only || i == at) && column < cells.len() {
            if repeat {
                cells.insert(column, cells[column])
            } else {
                let _ = cells.remove(column);
            }
        }
        cells.join(&separator)
    };
    *bytes = bytes.split(|b| *b == b'\n').enumerate().map(line).collect::<Vec<_>>().join(&b'\n');
}

fn huge_field(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let piece: &[u8] = [&b"x"[..], b"9", b"<", b"a=1;", b"\xc3\xa9", b"(", b"\""][dice.below(7)];
    let size = [1_000, 70_000, 600_000][dice.below(3)];
    insert(bytes, dice.below(bytes.len() + 1), &piece.repeat(size / piece.len()));
}

fn replace_number(bytes: &mut Vec<u8>, dice: &mut Dice) {
    if bytes.is_empty() {
        return;
    }
    let from = dice.below(bytes.len());
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|i| from + i) else { return };
    let end = bytes[start..].iter().position(|b| !b.is_ascii_digit()).map_or(bytes.len(), |i| start + i);
    let odd: [&[u8]; 12] = [
        b"0",
        b"-1",
        b"1e999",
        b"1e-400",
        b"NaN",
        b"inf",
        b"",
        b"18446744073709551616",
        b"99999999999999999999999999999999",
        b"1,234,567",
        b"4294967296",
        b"0x1p3",
    ];
    bytes.splice(start..end, odd[dice.below(odd.len())].iter().copied());
}

/// Four or eight bytes that a binary format may take for a length.
fn length_field(bytes: &mut [u8], dice: &mut Dice) {
    let value = [0, 1, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX][dice.below(6)];
    let width = [4, 8][dice.below(2)].min(bytes.len());
    let at = dice.below(bytes.len() - width + 1);
    bytes[at..at + width].copy_from_slice(&u64::to_le_bytes(value)[..width]);
}

fn repeat_stretch(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let start = dice.below(bytes.len() + 1);
    let end = (start + dice.below(2_000)).min(bytes.len());
    let copy = bytes[start..end].repeat(1 + dice.below(3));
    insert(bytes, dice.below(bytes.len() + 1), &copy);
}

fn other_encoding(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    *bytes = match dice.below(4) {
        0 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        1 => "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect(),
        // Latin-1 with a letter that is no UTF-8.
        2 => text.chars().map(|c| if c == 'e' { 0xe9 } else { c as u32 as u8 }).collect(),
        _ => text.replace('\n', "\r\n").into_bytes(),
    };
}
