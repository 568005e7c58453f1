//! Records of SQLite: variable-length numbers, serial types, values. <https://sqlite.org/fileformat2.html>, sections 1.6, 2.1.

/// A value of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::application) enum SqlValue<'a> {
    /// Nothing.
    Null,
    /// A whole number.
    Whole(i64),
    /// A floating-point number.
    Real(f64),
    /// Text, as bytes of UTF-8 that nobody checked.
    Text(&'a [u8]),
    /// Bytes.
    Blob,
}

impl<'a> SqlValue<'a> {
    /// A whole number, or a floating-point one without decimals.
    pub(in crate::application) fn whole(self) -> Option<i64> {
        match self {
            Self::Whole(n) => Some(n),
            Self::Real(x) if x.fract() == 0.0 && x.abs() < 9e15 => Some(x as i64),
            _ => None,
        }
    }

    /// A whole number of at least 0.
    pub(in crate::application) fn count(self) -> Option<u64> {
        self.whole().and_then(|n| u64::try_from(n).ok())
    }

    /// Text; bytes that are no UTF-8 are replaced.
    pub(in crate::application) fn text(self) -> Option<std::borrow::Cow<'a, str>> {
        if let Self::Text(bytes) = self { Some(String::from_utf8_lossy(bytes)) } else { None }
    }
}

/// The number at the start of these bytes, and how many it takes: seven bits a byte, the ninth eight.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (i, byte) in bytes.iter().take(9).enumerate() {
        if i == 8 {
            return Some(((value << 8) | u64::from(*byte), 9));
        }
        value = (value << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, i + 1));
        }
    }
    None
}

/// Reads the values of `wanted` columns (rising places) out of a record into `values`. A column behind the record's last is
/// Null: it was added to the table later.
pub(super) fn read_record<'a>(
    record: &'a [u8],
    wanted: &[usize],
    values: &mut Vec<SqlValue<'a>>,
) -> Result<(), String> {
    values.clear();
    let broken = || "a record is shorter than its header says".to_string();
    let (header, mut at) = varint(record).ok_or_else(broken)?;
    let header = usize::try_from(header).ok().filter(|h| *h <= record.len()).ok_or_else(broken)?;
    let (mut body, mut column) = (header, 0);
    for place in wanted {
        let mut value = SqlValue::Null;
        while at < header && column <= *place {
            let (serial, used) = varint(&record[at..header]).ok_or_else(broken)?;
            at += used;
            let length = length_of(serial).ok_or_else(broken)?;
            let end = body.checked_add(length).ok_or_else(broken)?;
            if column == *place {
                value = value_of(serial, record.get(body..end).ok_or_else(broken)?);
            }
            (body, column) = (end, column + 1);
        }
        values.push(value);
    }
    Ok(())
}

fn length_of(serial: u64) -> Option<usize> {
    Some(match serial {
        0 | 8 | 9 => 0,
        1..=4 => serial as usize,
        5 => 6,
        6 | 7 => 8,
        10 | 11 => return None,
        _ => usize::try_from((serial - 12) / 2).ok()?,
    })
}

fn value_of(serial: u64, bytes: &[u8]) -> SqlValue<'_> {
    let whole = || {
        let negative = bytes.first().is_some_and(|b| b & 0x80 != 0);
        bytes.iter().fold(if negative { -1i64 } else { 0 }, |all, b| (all << 8) | i64::from(*b))
    };
    match serial {
        0 => SqlValue::Null,
        1..=6 => SqlValue::Whole(whole()),
        7 => SqlValue::Real(f64::from_bits(whole() as u64)),
        8 => SqlValue::Whole(0),
        9 => SqlValue::Whole(1),
        n if n % 2 == 1 => SqlValue::Text(bytes),
        _ => SqlValue::Blob,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_to_nine_bytes() {
        for (bytes, expected) in [
            (&[0x00][..], Some((0, 1))),
            (&[0x7f], Some((127, 1))),
            (&[0x81, 0x00], Some((128, 2))),
            (&[0xff; 9], Some((u64::MAX, 9))),
            (&[0x81], None),
            (&[], None),
        ] {
            assert_eq!(varint(bytes), expected, "{bytes:x?}");
        }
    }

    #[test]
    fn a_record_gives_the_wanted_columns_and_null_behind_its_end() {
        // NULL, -2 in one byte, 1.5, 1, "ab"
        let mut record = vec![6, 0, 1, 7, 9, 17, 0xfe];
        record.extend(1.5f64.to_be_bytes());
        record.extend(b"ab");
        let mut values = Vec::new();
        read_record(&record, &[0, 1, 2, 3, 4, 9], &mut values).unwrap();
        let [null, two, real, one, text, after] = values[..] else { panic!("{values:?}") };
        assert_eq!((null, after), (SqlValue::Null, SqlValue::Null));
        assert_eq!((two.whole(), real, one.whole()), (Some(-2), SqlValue::Real(1.5), Some(1)));
        assert_eq!(text.text().unwrap(), "ab");
        let mut few = Vec::new();
        for cut in 0..record.len() {
            assert!(read_record(&record[..cut], &[4], &mut few).is_err(), "{cut}");
        }
    }
}
