//! The bytes of a file as its readers expect them: a compressed one (gzip) as it was before, UTF-16 with its mark, as PowerShell's `>`
//! writes it, as UTF-8. A reader that makes its bytes piece by piece from another one's is here too.

use flate2::read::MultiGzDecoder;
use std::io::{Cursor, Error, ErrorKind, Read, Result as IoResult};

/// What every gzip file starts with.
pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// This reader, decoded.
///
/// # Errors
/// If its first bytes cannot be read, or uncompressed.
pub fn decoded<'a>(from: impl Read + Send + 'a) -> IoResult<Box<dyn Read + Send + 'a>> {
    let marked = Marked::new(from)?;
    let Marked { mark, from } = match marked.mark == GZIP {
        false => marked,
        true => Marked::new(MultiGzDecoder::new(marked.whole())).map_err(|why| {
            Error::new(why.kind(), format!("it begins like gzip and cannot be uncompressed: {why}"))
        })?,
    };
    Ok(match mark.as_slice() {
        [0xff, 0xfe] => utf8_of(from, u16::from_le_bytes),
        [0xfe, 0xff] => utf8_of(from, u16::from_be_bytes),
        _ => Marked { mark, from }.whole(),
    })
}

/// The first two bytes of a file, and the rest.
struct Marked<'a> {
    mark: Vec<u8>,
    from: Box<dyn Read + Send + 'a>,
}

impl<'a> Marked<'a> {
    fn new(mut from: impl Read + Send + 'a) -> IoResult<Self> {
        let mut mark = Vec::new();
        from.by_ref().take(2).read_to_end(&mut mark)?;
        Ok(Self { mark, from: Box::new(from) })
    }

    fn whole(self) -> Box<dyn Read + Send + 'a> {
        Box::new(Cursor::new(self.mark).chain(self.from))
    }
}

/// A reader of what `next` makes, piece by piece; an empty piece is the end.
pub(super) struct PieceReader<F> {
    next: F,
    piece: Cursor<Vec<u8>>,
}

impl<F: FnMut() -> IoResult<Vec<u8>>> PieceReader<F> {
    pub(super) fn new(next: F) -> Self {
        Self { next, piece: Cursor::default() }
    }
}

impl<F: FnMut() -> IoResult<Vec<u8>>> Read for PieceReader<F> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        let n = self.piece.read(buffer)?;
        if n > 0 || buffer.is_empty() {
            return Ok(n);
        }
        self.piece = Cursor::new((self.next)()?);
        self.piece.read(buffer)
    }
}

/// UTF-16 after its mark, as UTF-8.
fn utf8_of<'a>(mut from: impl Read + Send + 'a, unit: fn([u8; 2]) -> u16) -> Box<dyn Read + Send + 'a> {
    // Bytes of a unit, or of the first of a pair, that the last piece broke off at.
    let mut left = Vec::new();
    Box::new(PieceReader::new(move || next_text(&mut from, &mut left, unit)))
}

/// Decodes the next piece; no text at the end.
fn next_text(from: &mut impl Read, left: &mut Vec<u8>, unit: fn([u8; 2]) -> u16) -> IoResult<Vec<u8>> {
    const PIECE: u64 = 16 << 10;
    let mut bytes = std::mem::take(left);
    let before = bytes.len();
    from.take(PIECE).read_to_end(&mut bytes)?;
    let ended = bytes.len() == before;
    let mut units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    // The second half of a pair may come with the next piece.
    if !ended && units.last().is_some_and(|u| (0xd800..0xdc00).contains(u)) {
        units.pop();
    }
    *left = bytes.split_off(2 * units.len());
    let broken = || Error::new(ErrorKind::InvalidData, "it begins like UTF-16 but is not; save it as UTF-8");
    if ended && !left.is_empty() {
        return Err(broken());
    }
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.map(String::into_bytes).map_err(|_| broken())
}
