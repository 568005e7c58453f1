//! Numbers in few bytes: how packed rows are written and read.

/// Marks a number that is written as a whole one.
const WHOLE: u8 = 0x80;

/// Seven bits a byte, the lowest first.
pub(super) fn put_whole(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A column below 128 and its number. Most numbers of a report are counts: those that an f64 holds exactly take a byte for seven bits.
pub(crate) fn put_number(out: &mut Vec<u8>, column: u8, value: f64) {
    const EXACT: f64 = (1_u64 << 53) as f64;
    if value.is_sign_positive() && value < EXACT && value.fract() == 0.0 {
        out.push(column | WHOLE);
        put_whole(out, value as u64);
    } else {
        out.push(column);
        out.extend_from_slice(&value.to_le_bytes());
    }
}

/// What was written, from a place on.
pub(crate) struct PackedBytes<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> PackedBytes<'a> {
    pub(super) fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at - 1]
    }

    pub(super) fn take_bytes(&mut self, count: usize) -> &'a [u8] {
        self.at += count;
        &self.bytes[self.at - count..self.at]
    }

    pub(super) fn whole(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    pub(crate) fn number(&mut self) -> (u8, f64) {
        let column = self.byte();
        if column & WHOLE != 0 {
            return (column & !WHOLE, self.whole() as f64);
        }
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.take_bytes(8));
        (column, f64::from_le_bytes(bytes))
    }
}
